/* Products with constant weights against the plain sum, for every rest of rows, columns and depth. */
#include "support.h"

#include "draw.h"
#include "network/avx2.h"
#include "network/products.h"
#include <math.h>

typedef struct sizes {
    size_t rows, depth, columns;
} sizes;

static const sizes cases[] = {{1, 8, 8},    {2, 16, 16},  {3, 24, 40},   {4, 7, 24},    {5, 1, 32},    {6, 100, 48},
                              {7, 512, 16}, {8, 513, 24}, {13, 1030, 8}, {300, 40, 72}, {70, 1537, 56}};

static void compare(const float *got, const gig_products *p, const float *data, const float *weights, float factor)
{
    double difference = 0, size = 0;
    for (size_t r = 0; r < p->rows; r++)
        for (size_t c = 0; c < p->columns; c++) {
            double sum = p->bias ? (double)p->bias[c] : 0;
            for (size_t k = 0; k < p->depth; k++)
                sum += (double)data[r * p->depth + k] * (double)factor * (double)weights[k * p->columns + c];
            difference += pow(sum - (double)got[r * p->columns + c], 2);
            size += sum * sum;
        }
    if (!(sqrt(difference / size) <= 2e-6))
        fail_msg("%zu x %zu x %zu differs by %g", p->rows, p->depth, p->columns, sqrt(difference / size));
}

/* Weights [depth, columns], or the same numbers as [columns, depth]. */
static void check(const sizes *s, int transposed, int with_bias)
{
    size_t count = s->depth * s->columns;
    float *data = draw(s->rows * s->depth, 1), *weights = draw(count, 2), *bias = draw(s->columns, 3),
          *got = draw(s->rows * s->columns, 4), *packed = gig_alloc(count, sizeof *packed),
          *stored = gig_alloc(count, sizeof *stored);
    assert_true(packed && stored);
    gig_products p = {s->rows, s->depth, s->columns, packed, with_bias ? bias : NULL};
    for (size_t k = 0; k < s->depth; k++)
        for (size_t c = 0; c < s->columns; c++)
            stored[transposed ? c * s->depth + k : k * s->columns + c] = weights[k * s->columns + c];
    gig_products_pack(packed, &p, stored, transposed ? 1 : s->columns, transposed ? s->depth : 1, 0.5f);
    gig_products_run(got, &p, data);
    compare(got, &p, data, weights, 0.5f);
    float *const all[] = {data, weights, bias, got, packed, stored};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gig_free(all[i]);
}

static void are_the_plain_sum(void **state)
{
    (void)state;
    if (!gig_cpu_is_avx2()) skip();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int how = 0; how < 4; how++) check(&cases[i], how & 1, how & 2);
}

static void have_the_bits_of_a_row_alone(void **state)
{
    (void)state;
    if (!gig_cpu_is_avx2()) skip();
    enum { ROWS = 140, DEPTH = 700, COLUMNS = 40 };
    float *data = draw(ROWS * DEPTH, 1), *weights = draw(DEPTH * COLUMNS, 2), *together = draw(ROWS * COLUMNS, 3),
          alone[COLUMNS];
    gig_products p = {ROWS, DEPTH, COLUMNS, weights, NULL};
    gig_products_run(together, &p, data);
    p.rows = 1;
    for (size_t r = 0; r < ROWS; r++) {
        gig_products_run(alone, &p, data + r * DEPTH);
        assert_memory_equal(alone, together + r * COLUMNS, sizeof alone);
    }
    gig_free(data);
    gig_free(weights);
    gig_free(together);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(are_the_plain_sum),
        cmocka_unit_test(have_the_bits_of_a_row_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
