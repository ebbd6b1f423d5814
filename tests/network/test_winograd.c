/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions by tiles against the plain sum, forward and backward, at every kind of edge. */
#include "support.h"

#include "network/kernels/winograd.h"
#include "random_numbers.h"
#include <math.h>

typedef struct sizes {
    int64_t batch, in, out, height, width, window[2], pad[2];
} sizes;

static gig_geometry geometry(const sizes *s)
{
    gig_geometry g = {.rank = 4,
                      .weights_rank = 4,
                      .src = {s->batch, s->in, s->height, s->width},
                      .weights = {s->out, s->in, s->window[0], s->window[1]},
                      .dst = {s->batch, s->out, s->height, s->width},
                      .bias = {s->out},
                      .strides = {1, 1}};
    for (int i = 0; i < 2; i++) {
        g.pad_begin[i] = g.pad_end[i] = s->pad[i];
        g.dst[2 + i] += 2 * s->pad[i] - (s->window[i] - 1);
    }
    g.flops = 2.0 * (double)(g.dst[0] * g.dst[2] * g.dst[3] * s->in * s->out * s->window[0] * s->window[1]);
    return g;
}

/* Place of (n, c, y, x) in nChw8c. */
static size_t blocked(int64_t n, int64_t c, int64_t y, int64_t x, int64_t channels, int64_t height, int64_t width)
{
    return (size_t)((((n * (channels / 8) + c / 8) * height + y) * width + x) * 8 + c % 8);
}

/* The sum itself: results at (n, o, y, x), or (backward) the gradient at (n, i, y, x). */
static double plain(const gig_geometry *g, const float *data, const float *weights, int backward, const int64_t at[4])
{
    int64_t in = g->src[1], out = g->dst[1], count = backward ? out : in;
    const int64_t *from = backward ? g->dst : g->src;
    double sum = 0;
    for (int64_t c = 0; c < count; c++)
        for (int64_t ky = 0; ky < g->weights[2]; ky++)
            for (int64_t kx = 0; kx < g->weights[3]; kx++) {
                int64_t y = backward ? at[2] + g->pad_begin[0] - ky : at[2] - g->pad_begin[0] + ky;
                int64_t x = backward ? at[3] + g->pad_begin[1] - kx : at[3] - g->pad_begin[1] + kx;
                if (y < 0 || x < 0 || y >= from[2] || x >= from[3]) continue;
                int64_t o = backward ? c : at[1], i = backward ? at[1] : c;
                sum += (double)weights[((o * in + i) * g->weights[2] + ky) * g->weights[3] + kx] *
                       (double)data[blocked(at[0], c, y, x, count, from[2], from[3])];
            }
    return sum;
}

typedef struct extras {
    const float *bias, *before;
    int relu;
} extras;

static void compare(const gig_geometry *g, const float *got, const float *data, const float *weights, int backward,
                    const extras *with)
{
    const int64_t *to = backward ? g->src : g->dst;
    double difference = 0, size = 0;
    int64_t at[4];
    for (at[0] = 0; at[0] < to[0]; at[0]++)
        for (at[1] = 0; at[1] < to[1]; at[1]++)
            for (at[2] = 0; at[2] < to[2]; at[2]++)
                for (at[3] = 0; at[3] < to[3]; at[3]++) {
                    size_t place = blocked(at[0], at[1], at[2], at[3], to[1], to[2], to[3]);
                    double wanted = plain(g, data, weights, backward, at);
                    if (with->bias) wanted += (double)with->bias[at[1]];
                    if (with->before) wanted += (double)with->before[place];
                    if (with->relu && wanted < 0) wanted = 0;
                    difference += pow(wanted - (double)got[place], 2);
                    size += wanted * wanted;
                }
    if (!(sqrt(difference / size) <= 2e-6)) fail_msg("differs by %g", sqrt(difference / size));
}

static void check(const sizes *s, const gig_winograd_tile *tile, int backward, int with_extras, int share)
{
    gig_geometry g = geometry(s);
    gig_winograd w, forward;
    if (!gig_winograd_set(&w, &g, backward, tile) || !gig_winograd_set(&forward, &g, 0, tile))
        fail_msg("does not take it");
    const int64_t *from = backward ? g.dst : g.src, *to = backward ? g.src : g.dst;
    size_t results = (size_t)(to[0] * to[1] * to[2] * to[3]);
    float *data = draw((size_t)(from[0] * from[1] * from[2] * from[3]), 1),
          *weights = draw((size_t)(s->in * s->out * s->window[0] * s->window[1]), 2);
    float *bias = draw((size_t)to[1], 3), *before = draw(results, 4), *got = draw(results, 4);
    float *transformed = gig_alloc(gig_winograd_weights_count(&w), sizeof *transformed);
    void *scratch = gig_alloc(gig_winograd_scratch_bytes(&w), 1);
    assert_true(transformed && scratch);
    gig_winograd_transform(transformed, share ? &forward : &w, weights);
    w.weights = forward.weights = transformed;
    if (share) assert_true(gig_winograd_share(&w, &forward));
    extras with = {0};
    if (with_extras) {
        with = (extras){bias, before, 1};
        w.bias = bias;
        w.add = w.relu = 1;
    }
    void *const pointers[] = {got, data, scratch};
    assert_ok(gig_call_winograd(&(gig_action){.self = &w}, pointers));
    compare(&g, got, data, weights, backward, &with);
    void *const all[] = {data, weights, bias, before, got, transformed, scratch};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gig_free(all[i]);
}

/* Every window, with results that end inside, at and beyond the last tile. */
static const sizes cases[] = {
    {1, 32, 32, 8, 8, {3, 3}, {1, 1}},     {2, 64, 32, 9, 7, {3, 3}, {1, 1}},   {1, 32, 64, 8, 11, {3, 3}, {0, 0}},
    {1, 32, 48, 6, 6, {3, 3}, {2, 2}},     {1, 48, 32, 7, 13, {3, 3}, {1, 0}},  {3, 32, 48, 10, 9, {3, 3}, {0, 2}},
    {1, 64, 64, 27, 30, {3, 3}, {1, 1}},   {1, 256, 32, 8, 9, {3, 3}, {1, 1}},  {1, 32, 256, 9, 8, {3, 3}, {1, 1}},
    {1, 128, 128, 12, 8, {3, 3}, {0, 1}},  {1, 64, 64, 6, 6, {3, 3}, {1, 1}},   {2, 96, 64, 35, 35, {3, 3}, {1, 1}},
    {1, 48, 64, 11, 10, {5, 5}, {2, 2}},   {2, 32, 48, 9, 8, {5, 5}, {0, 4}},   {1, 64, 48, 7, 17, {5, 5}, {1, 3}},
    {1, 64, 64, 8, 9, {1, 3}, {0, 1}},     {1, 64, 96, 11, 10, {1, 3}, {0, 0}}, {1, 96, 64, 8, 7, {3, 1}, {1, 0}},
    {2, 64, 64, 13, 9, {3, 1}, {2, 0}},    {1, 64, 64, 17, 17, {1, 7}, {0, 3}}, {2, 64, 96, 8, 12, {1, 7}, {0, 0}},
    {1, 128, 128, 17, 17, {7, 1}, {3, 0}}, {1, 96, 64, 16, 9, {7, 1}, {6, 0}}};

/* Every case with every kind of tile of its window. */
static void check_all(int backward, int with_extras, int share)
{
    size_t kinds;
    const gig_winograd_tile *tiles = gig_winograd_tiles(&kinds);
    if (!kinds) skip();
    for (size_t k = 0; k < kinds; k++) {
        size_t met = 0;
        if (share && (tiles[k].points[0] == 6 || tiles[k].points[1] == 6)) continue; /* 2 is there without 1 / 2 */
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            if (cases[i].window[0] != tiles[k].window[0] || cases[i].window[1] != tiles[k].window[1]) continue;
            check(&cases[i], &tiles[k], backward, with_extras, share);
            met++;
        }
        if (!met) fail_msg("no case of %d x %d", tiles[k].window[0], tiles[k].window[1]);
    }
}

static void is_the_plain_sum(void **state)
{
    (void)state;
    check_all(0, 0, 0);
}

static void adds_bias_and_what_was_there_then_cuts_at_zero(void **state)
{
    (void)state;
    check_all(0, 1, 0);
}

static void is_the_gradient_too(void **state)
{
    (void)state;
    check_all(1, 0, 0);
}

static void is_the_gradient_with_the_weights_of_the_forward_pass(void **state)
{
    (void)state;
    check_all(1, 0, 1);
}

/* Places whose inverses are missing, another tile, another direction. */
static void shares_no_other_weights(void **state)
{
    (void)state;
    size_t kinds;
    const gig_winograd_tile *tiles = gig_winograd_tiles(&kinds);
    const gig_geometry g = geometry(&(sizes){1, 32, 32, 8, 8, {3, 3}, {1, 1}});
    if (!kinds) skip();
    for (size_t k = 0; k < kinds; k++)
        for (size_t other = 0; other < kinds; other++) {
            gig_winograd w, forward;
            if (!gig_winograd_set(&w, &g, 1, &tiles[k]) || !gig_winograd_set(&forward, &g, 0, &tiles[other])) continue;
            assert_int_equal(gig_winograd_share(&w, &forward), k == other && tiles[k].points[0] == 4);
            assert_false(gig_winograd_share(&forward, &w));
        }
}

/* Results in a row for 3 x 3: 4 where the picture is large, 2 where half of a larger tile would hang over. */
static void chooses_the_tile_by_the_picture(void **state)
{
    (void)state;
    size_t kinds;
    gig_winograd_tiles(&kinds);
    if (!kinds) skip();
    gig_winograd w;
    gig_geometry g = geometry(&(sizes){1, 64, 64, 56, 56, {3, 3}, {1, 1}});
    assert_true(gig_winograd_fits(&w, &g, 0));
    assert_int_equal(w.tile->results[0], 4);
    g = geometry(&(sizes){1, 128, 128, 6, 6, {3, 3}, {1, 1}});
    assert_true(gig_winograd_fits(&w, &g, 1));
    assert_int_equal(w.tile->results[0], 2);
}

static void leaves_other_windows_alone(void **state)
{
    (void)state;
    gig_winograd w;
    const sizes s = {1, 64, 64, 8, 8, {3, 3}, {1, 1}};
    gig_geometry g = geometry(&s);
    g.strides[1] = 2;
    assert_false(gig_winograd_fits(&w, &g, 0));
    g = geometry(&s);
    g.dilates[0] = 1;
    assert_false(gig_winograd_fits(&w, &g, 0));
    g = geometry(&s);
    g.weights[3] = 5;
    assert_false(gig_winograd_fits(&w, &g, 0));
    g = geometry(&s);
    g.pad_begin[0] = 3;
    assert_false(gig_winograd_fits(&w, &g, 1));
    g = geometry(&s);
    g.weights_rank = 5;
    assert_false(gig_winograd_fits(&w, &g, 0));
    g = geometry(&(sizes){1, 64, 72, 8, 8, {3, 3}, {1, 1}});
    assert_false(gig_winograd_fits(&w, &g, 0));
    g = geometry(&(sizes){1, 3, 64, 8, 8, {3, 3}, {1, 1}});
    assert_false(gig_winograd_fits(&w, &g, 0));
    g = geometry(&(sizes){1, 64, 64, 1, 1, {3, 3}, {1, 1}});
    assert_false(gig_winograd_fits(&w, &g, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_the_plain_sum),
        cmocka_unit_test(adds_bias_and_what_was_there_then_cuts_at_zero),
        cmocka_unit_test(is_the_gradient_too),
        cmocka_unit_test(is_the_gradient_with_the_weights_of_the_forward_pass),
        cmocka_unit_test(shares_no_other_weights),
        cmocka_unit_test(chooses_the_tile_by_the_picture),
        cmocka_unit_test(leaves_other_windows_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
