/* SPDX-License-Identifier: Apache-2.0 */
/* Weights randomised: which change, and what the new ones are like. */
#include "network/randomise.h"
#include "support.h"
#include <math.h>

static gig_model *load_file(const char *name)
{
    gig_model *model;
    assert_ok(gig_model_load(&model, source_path(name), NULL));
    return model;
}

static gig_model *load(void)
{
    return load_file("demo/model.onnx");
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

/* Inputs of the operator: constants of this rank, and whether they are drawn anew. */
typedef struct part {
    const char *operator;
    size_t input;
    int rank, redrawn;
} part;

/* How many constants of the file are of this part; all of them have to be as it says once every layer is randomised. */
static size_t count_parts(const gig_model *own, const gig_model *other, const part *wanted)
{
    size_t found = 0;
    for (size_t n = 0; n < own->node_count; n++) {
        const gig_node *node = &own->nodes[n];
        if (strcmp(node->op, wanted->operator) || wanted->input >= node->own_inputs) continue;
        int value = node->inputs[wanted->input];
        const gig_tensor *x = value >= 0 ? own->values[value].constant : NULL;
        if (!x || x->type != GIG_FLOAT32 || x->rank != wanted->rank) continue;
        const float *redrawn = other->values[value].constant->real;
        assert_int_equal(memcmp(x->real, redrawn, gig_tensor_count(x) * sizeof *x->real) != 0, wanted->redrawn);
        found++;
    }
    return found;
}

static void draws_biases_scales_and_shifts_too(void **state)
{
    (void)state;
    const struct {
        const char *file;
        size_t count;
        part part;
    } cases[] = {{"demo/model.onnx", 5, {"Conv", 2, 1, 1}},
                 {"demo/model.onnx", 1, {"Gemm", 2, 1, 1}},
                 {"tests/golden/networks/residual.onnx", 5, {"BatchNormalization", 1, 1, 1}},
                 {"tests/golden/networks/residual.onnx", 5, {"BatchNormalization", 2, 1, 1}},
                 {"tests/golden/networks/residual.onnx", 5, {"BatchNormalization", 3, 1, 0}}, /* mean and variance */
                 {"tests/golden/networks/residual.onnx", 5, {"BatchNormalization", 4, 1, 0}},
                 {"tests/golden/networks/fused.onnx", 1, {"GroupNormalization", 1, 1, 1}},
                 {"tests/golden/networks/fused.onnx", 1, {"RMSNormalization", 1, 1, 1}},
                 {"tests/golden/networks/attention.onnx", 4, {"Add", 0, 1, 1}},
                 {"tests/golden/networks/attention.onnx", 3, {"Add", 1, 1, 1}},
                 {"tests/golden/networks/attention.onnx", 3, {"Mul", 1, 1, 1}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gig_model *own = load_file(cases[i].file), *other = load_file(cases[i].file);
        gig_model_randomise(other, gig_model_layers(other), 3);
        assert_int_equal(count_parts(own, other, &cases[i].part), cases[i].count);
        gig_model_free(own);
        gig_model_free(other);
    }
}

/* Normalisations belong to the layer before them: of the last two layers, the second last has one. */
static void a_layer_ends_where_the_next_begins(void **state)
{
    (void)state;
    static const char file[] = "tests/golden/networks/residual.onnx";
    static const size_t changed[] = {0, 2, 5}; /* Gemm: weight and bias; Conv and BatchNormalization: three */
    for (size_t count = 0; count < sizeof changed / sizeof *changed; count++) {
        gig_model *own = load_file(file), *other = load_file(file);
        gig_model_randomise(other, count, 3);
        size_t found = 0;
        for (size_t v = 0; v < own->value_count; v++) {
            const gig_tensor *x = own->values[v].constant, *y = other->values[v].constant;
            if (x && x->type == GIG_FLOAT32)
                found += memcmp(x->real, y->real, gig_tensor_count(x) * sizeof *x->real) != 0;
        }
        assert_int_equal(found, changed[count]);
        gig_model_free(own);
        gig_model_free(other);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_the_last_layers_alone),      cmocka_unit_test(keeps_mean_and_deviation_of_each_tensor),
        cmocka_unit_test(draws_biases_scales_and_shifts_too), cmocka_unit_test(a_layer_ends_where_the_next_begins),
        cmocka_unit_test(draws_the_same_from_the_same_seed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
