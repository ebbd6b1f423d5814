/* SPDX-License-Identifier: Apache-2.0 */
/* Products with constant weights against the plain sum, for every rest of rows, columns and depth. */
#include "support.h"

#include "logit.h"
#include "model/wire_load.h"
#include "network/kernels/avx2.h"
#include "network/kernels/products.h"
#include "random_numbers.h"
#include <math.h>

typedef struct sizes {
    size_t rows, depth, columns;
} sizes;

static const sizes cases[] = {{1, 8, 8},    {2, 16, 16},  {3, 24, 40},   {4, 7, 24},    {5, 1, 32},    {6, 100, 48},
                              {7, 512, 16}, {8, 513, 24}, {13, 1030, 8}, {300, 40, 72}, {70, 1537, 56}};

static void compare(const float *got, const gig_products *p, const float *data, const float *weights)
{
    double difference = 0, size = 0;
    for (size_t r = 0; r < p->rows; r++)
        for (size_t c = 0; c < p->columns; c++) {
            double sum = 0;
            for (size_t k = 0; k < p->depth; k++)
                sum += (double)data[r * p->depth + k] * (double)weights[k * p->columns + c];
            difference += pow(sum - (double)got[r * p->columns + c], 2);
            size += sum * sum;
        }
    if (!(sqrt(difference / size) <= 2e-6))
        fail_msg("%zu x %zu x %zu differs by %g", p->rows, p->depth, p->columns, sqrt(difference / size));
}

static void check(const sizes *s)
{
    float *data = draw(s->rows * s->depth, 1), *weights = draw(s->depth * s->columns, 2),
          *got = draw(s->rows * s->columns, 3), *packed = draw(s->depth * s->columns, 4);
    gig_products p = {s->rows, s->depth, s->columns, packed, 0, 0};
    gig_products_pack(packed, &p, weights);
    assert_ok(gig_products_run(got, &p, data));
    compare(got, &p, data, weights);
    float *const all[] = {data, weights, got, packed};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gig_free(all[i]);
}

/* Floats that are not the results of anything, so that one which is not written shows. */
static float *multiplied(gig_products p, const float *data, int narrow)
{
    float *out = draw(p.rows * p.columns, 5);
    p.narrow = narrow;
    assert_ok(gig_products_run(out, &p, data));
    return out;
}

static void check_bits(const sizes *s, int turned)
{
    float *data = draw(s->rows * s->depth, 1), *weights = draw(s->depth * s->columns, 2);
    const gig_products p = {s->rows, s->depth, s->columns, weights, turned, 0};
    float *wide = multiplied(p, data, 0), *narrow = multiplied(p, data, 1);
    assert_memory_equal(wide, narrow, s->rows * s->columns * sizeof *wide);
    float *const all[] = {data, weights, wide, narrow};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gig_free(all[i]);
}

static void have_the_same_bits_in_wider_vectors(void **state)
{
    (void)state;
    if (!gig_cpu_has_wide_vectors()) skip();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check_bits(&cases[i], 0);
    for (size_t rows = 1; rows <= 17; rows++) {
        check_bits(&(const sizes){rows, 1100, 88}, 0);
        check_bits(&(const sizes){rows, 512, 80}, 1);
    }
}

static void are_the_plain_sum(void **state)
{
    (void)state;
    if (!gig_cpu_has_avx2()) skip();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check(&cases[i]);
}

static void have_the_bits_of_a_row_alone(void **state)
{
    (void)state;
    if (!gig_cpu_has_avx2()) skip();
    enum { ROWS = 140, DEPTH = 700, COLUMNS = 40 };
    float *data = draw(ROWS * DEPTH, 1), *weights = draw(DEPTH * COLUMNS, 2), *together = draw(ROWS * COLUMNS, 3),
          alone[COLUMNS];
    gig_products p = {ROWS, DEPTH, COLUMNS, weights, 0, 0};
    assert_ok(gig_products_run(together, &p, data));
    p.rows = 1;
    for (size_t r = 0; r < ROWS; r++) {
        assert_ok(gig_products_run(alone, &p, data + r * DEPTH));
        assert_memory_equal(alone, together + r * COLUMNS, sizeof alone);
    }
    gig_free(data);
    gig_free(weights);
    gig_free(together);
}

/* ---- in a network: x [1, TOKENS, NARROW] -> wide layer -> Tanh -> narrow layer -> classes ---- */

enum { TOKENS = 5, NARROW = 12, WIDE = 1032, POINT = TOKENS * NARROW, ONNX_FLOAT = 1 };

static wire weights_of(const char *name, int64_t rows, int64_t columns, uint64_t stream)
{
    float *values = draw((size_t)(rows * columns), stream);
    wire tensor = wire_weight(name, 2, (const int64_t[]){rows, columns}, values);
    gig_free(values);
    return tensor;
}

static gig_model *wide_layers(void)
{
    wire graph = {0};
    wire_child(&graph, GRAPH_NODE, wire_node("MatMul", "x", "up", "a"));
    wire_child(&graph, GRAPH_NODE, wire_node("Tanh", "a", NULL, "b"));
    wire_child(&graph, GRAPH_NODE, wire_node("MatMul", "b", "down", "c"));
    wire_child(&graph, GRAPH_NODE, wire_node("Flatten", "c", NULL, "y"));
    wire_child(&graph, GRAPH_INITIALIZER, weights_of("up", NARROW, WIDE, 1));
    wire_child(&graph, GRAPH_INITIALIZER, weights_of("down", WIDE, NARROW, 2));
    wire_child(&graph, GRAPH_INPUT, wire_value("x", ONNX_FLOAT, 3, (const int64_t[]){-1, TOKENS, NARROW}));
    wire_child(&graph, GRAPH_OUTPUT, wire_value("y", ONNX_FLOAT, 2, (const int64_t[]){-1, POINT}));
    return wire_load(wire_model(graph, 8, 13));
}

static void give_plain_operators_gradient(void **state)
{
    (void)state;
    gig_model *model = wide_layers();
    float *point = draw(POINT, 3);
    assert_plain_agrees(model, point, POINT, 17, 2e-6);
    gig_free(point);
    gig_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(are_the_plain_sum),
        cmocka_unit_test(have_the_same_bits_in_wider_vectors),
        cmocka_unit_test(have_the_bits_of_a_row_alone),
        cmocka_unit_test(give_plain_operators_gradient),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
