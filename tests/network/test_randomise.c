/* SPDX-License-Identifier: Apache-2.0 */
/* Weights randomised, on the demo's model: which change, and what the new ones are like. */
#include "network/randomise.h"
#include "support.h"
#include <math.h>

static gig_model *load(void)
{
    gig_model *model;
    assert_ok(gig_model_load(&model, source_path("demo/model.onnx"), NULL));
    return model;
}

/* Of the weights of rank 2 and more, in the order of the file: how many, and how many differ. */
static size_t count_changed(size_t *all, const gig_model *a, const gig_model *b)
{
    size_t changed = 0;
    *all = 0;
    for (size_t v = 0; v < a->value_count; v++) {
        const gig_tensor *x = a->values[v].constant, *y = b->values[v].constant;
        if (!x || x->type != GIG_FLOAT32 || x->rank < 2) continue;
        ++*all;
        changed += memcmp(x->real, y->real, gig_tensor_count(x) * sizeof *x->real) != 0;
    }
    return changed;
}

static void changes_the_last_layers_alone(void **state)
{
    (void)state;
    gig_model *own = load();
    size_t layers = gig_model_layers(own), all;
    assert_true(layers >= 2);
    for (size_t count = 0; count <= layers; count += layers - 1) {
        gig_model *other = load();
        gig_model_randomise(other, count, 3);
        assert_int_equal(count_changed(&all, own, other), count);
        gig_model_free(other);
    }
    gig_model_free(own);
}

/* Five standard errors. */
static void keeps_mean_and_deviation_of_each_tensor(void **state)
{
    (void)state;
    gig_model *own = load(), *other = load();
    gig_model_randomise(other, gig_model_layers(other), 3);
    for (size_t v = 0; v < own->value_count; v++) {
        const gig_tensor *x = own->values[v].constant, *y = other->values[v].constant;
        if (!x || x->type != GIG_FLOAT32 || x->rank < 2) continue;
        double n = (double)gig_tensor_count(x), mean[2] = {0}, square[2] = {0};
        for (size_t i = 0; i < gig_tensor_count(x); i++) {
            const double values[2] = {(double)x->real[i], (double)y->real[i]};
            for (int k = 0; k < 2; k++) {
                mean[k] += values[k] / n;
                square[k] += values[k] * values[k] / n;
            }
        }
        double deviation = sqrt(square[0] - mean[0] * mean[0]), redrawn = sqrt(square[1] - mean[1] * mean[1]);
        assert_true(fabs(mean[1] - mean[0]) < 5 * deviation / sqrt(n));
        assert_true(fabs(redrawn - deviation) < 5 * deviation / sqrt(2 * n));
    }
    gig_model_free(own);
    gig_model_free(other);
}

static void draws_the_same_from_the_same_seed(void **state)
{
    (void)state;
    gig_model *a = load(), *b = load(), *c = load();
    size_t all;
    gig_model_randomise(a, 3, 7);
    gig_model_randomise(b, 3, 7);
    gig_model_randomise(c, 3, 8);
    assert_int_equal(count_changed(&all, a, b), 0);
    assert_true(count_changed(&all, a, c) > 0);
    gig_model_free(a);
    gig_model_free(b);
    gig_model_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_the_last_layers_alone),
        cmocka_unit_test(keeps_mean_and_deviation_of_each_tensor),
        cmocka_unit_test(draws_the_same_from_the_same_seed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
