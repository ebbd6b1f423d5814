/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of data of few channels against the plain sum, at every kind of edge. */
#include "support.h"

#include "network/kernels/few_channels.h"
#include "random_numbers.h"
#include <math.h>

typedef struct sizes {
    int64_t batch, channels, out, height, width, kernel[2], stride[2], pad[2];
} sizes;

static gig_geometry geometry(const sizes *s)
{
    gig_geometry g = {.rank = 4,
                      .weights_rank = 4,
                      .src = {s->batch, s->channels, s->height, s->width},
                      .weights = {s->out, s->channels, s->kernel[0], s->kernel[1]},
                      .dst = {s->batch, s->out},
                      .bias = {s->out}};
    for (int i = 0; i < 2; i++) {
        g.strides[i] = s->stride[i];
        g.pad_begin[i] = g.pad_end[i] = s->pad[i];
        g.dst[2 + i] = (g.src[2 + i] + 2 * s->pad[i] - s->kernel[i]) / s->stride[i] + 1;
    }
    return g;
}

/* Every result of the convolution gives its gradient to all that it read. */
static void add_plainly(double *out, const gig_geometry *g, const float *diff, const float *weights)
{
    const int64_t *src = g->src, *dst = g->dst, *k = g->weights;
    for (int64_t i = 0, n = dst[0] * dst[1] * dst[2] * dst[3]; i < n; i++) {
        int64_t x = i % dst[3], y = i / dst[3] % dst[2], o = i / dst[3] / dst[2] % dst[1],
                b = i / dst[3] / dst[2] / dst[1];
        double given = (double)diff[(((b * dst[1] / 8 + o / 8) * dst[2] + y) * dst[3] + x) * 8 + o % 8];
        for (int64_t c = 0; c < src[1]; c++)
            for (int64_t j = 0; j < k[2] * k[3]; j++) {
                int64_t at_y = y * g->strides[0] + j / k[3] - g->pad_begin[0],
                        at_x = x * g->strides[1] + j % k[3] - g->pad_begin[1];
                if (at_y < 0 || at_x < 0 || at_y >= src[2] || at_x >= src[3]) continue;
                out[((b * src[1] + c) * src[2] + at_y) * src[3] + at_x] +=
                    given * (double)weights[(o * src[1] + c) * k[2] * k[3] + j];
            }
    }
}

static void check(const sizes *s)
{
    gig_geometry g = geometry(s);
    if (!gig_narrow_fits(&g)) fail_msg("does not take it");
    size_t results = (size_t)(g.src[0] * g.src[1] * g.src[2] * g.src[3]);
    size_t weight_count = (size_t)(s->out * s->channels * s->kernel[0] * s->kernel[1]);
    float *diff = draw((size_t)(g.dst[0] * g.dst[1] * g.dst[2] * g.dst[3]), 1), *weights = draw(weight_count, 2),
          *packed = draw(weight_count, 3), *got = draw(results, 4);
    double *wanted = gig_alloc_zero(results, sizeof *wanted), difference = 0, size = 0;
    assert_non_null(wanted);
    add_plainly(wanted, &g, diff, weights);
    gig_narrow_pack(packed, &g, weights);
    const gig_narrow self = {.g = &g, .weights = packed};
    void *const pointers[] = {diff, got};
    assert_ok(gig_call_narrow(&(gig_action){.self = &self}, pointers));
    for (size_t i = 0; i < results; i++) {
        difference += pow(wanted[i] - (double)got[i], 2);
        size += wanted[i] * wanted[i];
    }
    if (!(sqrt(difference / size) <= 1e-6)) fail_msg("differs by %g", sqrt(difference / size));
    void *const all[] = {diff, weights, packed, got, wanted};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gig_free(all[i]);
}

static int usable(void)
{
    const gig_geometry g = geometry(&(sizes){1, 3, 8, 8, 8, {3, 3}, {1, 1}, {1, 1}});
    return gig_narrow_fits(&g);
}

static void is_the_plain_sum(void **state)
{
    (void)state;
    static const sizes cases[] = {
        {1, 3, 32, 16, 16, {3, 3}, {2, 2}, {1, 1}}, {1, 3, 64, 23, 30, {7, 7}, {2, 2}, {3, 3}},
        {2, 3, 8, 9, 11, {3, 3}, {1, 1}, {1, 1}},   {1, 1, 16, 12, 10, {5, 5}, {1, 1}, {2, 2}},
        {3, 1, 8, 7, 13, {3, 5}, {2, 1}, {0, 2}},   {1, 3, 24, 40, 37, {11, 11}, {4, 4}, {2, 2}},
        {1, 3, 16, 8, 8, {8, 8}, {8, 8}, {0, 0}},   {1, 3, 8, 10, 9, {1, 1}, {3, 2}, {0, 0}}, /* some are never read */
        {1, 3, 8, 5, 5, {3, 3}, {1, 1}, {4, 4}},    {1, 3, 8, 4, 2, {2, 2}, {2, 2}, {1, 1}},
        {2, 3, 16, 14, 17, {3, 3}, {2, 2}, {0, 0}}, {1, 3, 40, 33, 65, {5, 7}, {1, 3}, {4, 0}},
    };
    if (!usable()) skip();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check(&cases[i]);
}

static void leaves_other_sizes_alone(void **state)
{
    (void)state;
    const sizes s = {1, 3, 16, 8, 8, {3, 3}, {1, 1}, {1, 1}};
    gig_geometry g = geometry(&s);
    g.dilates[1] = 1;
    assert_false(gig_narrow_fits(&g));
    g = geometry(&s);
    g.src[1] = g.weights[1] = 8;
    assert_false(gig_narrow_fits(&g));
    g = geometry(&s);
    g.dst[1] = g.weights[0] = 12;
    assert_false(gig_narrow_fits(&g));
    g = geometry(&s);
    g.weights[2] = 12;
    assert_false(gig_narrow_fits(&g));
    g = geometry(&s);
    g.weights_rank = 5;
    assert_false(gig_narrow_fits(&g));
    g = geometry(&s);
    g.pad_begin[0] = -1;
    assert_false(gig_narrow_fits(&g));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_the_plain_sum),
        cmocka_unit_test(leaves_other_sizes_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
