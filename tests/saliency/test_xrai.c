/* SPDX-License-Identifier: Apache-2.0 */
/* XRAI against plain NumPy over scikit-image's segments, and its invariants. */
#include "gig/saliency.h"
#include "image/golden.h"

#define XRAI "image_xrai.npz"

static gig_tensor named(const char *prefix, const char *kind, const char *what)
{
    char name[64];
    snprintf(name, sizeof name, "%s%s%s", prefix, kind, what);
    return golden(XRAI, name);
}

static void compare(const char *prefix, gig_picture_shape shape)
{
    const struct {
        const char *kind;
        gig_xrai_options options;
    } kinds[] = {{"full", {0}}, {"fast", {.fast = 1}}, {"half", {.area_threshold = 0.5}}};
    gig_tensor picture = named(prefix, "", "picture"), attributions = named(prefix, "", "attributions");
    size_t pixels = shape.height * shape.width;
    float *map = gig_alloc(pixels, sizeof *map);
    int32_t *ranks = gig_alloc(pixels, sizeof *ranks);
    for (size_t k = 0; k < 3; k++) {
        gig_tensor wanted = named(prefix, kinds[k].kind, "_map"), places = named(prefix, kinds[k].kind, "_ranks");
        assert_int_equal(gig_xrai(map, ranks, attributions.real, picture.real, &shape, &kinds[k].options), GIG_OK);
        assert_near(map, &wanted, 1e-6, kinds[k].kind);
        for (size_t p = 0; p < pixels; p++) assert_int_equal(ranks[p], places.whole[p]);
        gig_tensor_clear(&places);
        gig_tensor_clear(&wanted);
    }
    gig_free(ranks);
    gig_free(map);
    gig_tensor_clear(&attributions);
    gig_tensor_clear(&picture);
}

static void equals_numpy_full_fast_and_stopped_half_way(void **state)
{
    (void)state;
    compare("", (gig_picture_shape){44, 52, 3, 0});
    compare("wide_", (gig_picture_shape){20, 240, 1, 0});
}

/* [height, width, channels] to [channels, height, width]. */
static float *turn_planar(const float *from, size_t pixels, size_t channels)
{
    float *to = gig_alloc(pixels * channels, sizeof *to);
    for (size_t i = 0; i < pixels * channels; i++) to[i % channels * pixels + i / channels] = from[i];
    return to;
}

static void a_planar_picture_gives_the_same_map(void **state)
{
    (void)state;
    enum { H = 44, W = 52 };
    gig_tensor picture = golden(XRAI, "picture"), attributions = golden(XRAI, "attributions");
    float *planar = turn_planar(picture.real, H * W, 3), *planes = turn_planar(attributions.real, H * W, 3);
    float map[H * W], again[H * W];
    assert_int_equal(gig_xrai(map, NULL, attributions.real, picture.real, &(gig_picture_shape){H, W, 3, 0}, NULL),
                     GIG_OK);
    assert_int_equal(gig_xrai(again, NULL, planes, planar, &(gig_picture_shape){H, W, 3, 1}, NULL), GIG_OK);
    assert_memory_equal(map, again, sizeof map);
    gig_free(planes);
    gig_free(planar);
    gig_tensor_clear(&attributions);
    gig_tensor_clear(&picture);
}

/* The sum is kept, regions are constant and hold the mean of what is inside, ranks fall with value except the last. */
static void keeps_its_invariants(void **state)
{
    (void)state;
    enum { H = 44, W = 52, N = H * W };
    gig_tensor picture = golden(XRAI, "picture"), attributions = golden(XRAI, "attributions");
    for (int fast = 0; fast < 2; fast++) {
        float map[N];
        int32_t ranks[N], last = 0;
        double sum = 0, total = 0, inside[N] = {0}, value[N] = {0};
        size_t area[N] = {0};
        assert_int_equal(gig_xrai(map, ranks, attributions.real, picture.real, &(gig_picture_shape){H, W, 3, 0},
                                  &(gig_xrai_options){.fast = fast}),
                         GIG_OK);
        for (size_t p = 0; p < N; p++) {
            const float *at = attributions.real + 3 * p;
            double most = fmax(at[0], fmax(at[1], at[2]));
            sum += map[p];
            total += most;
            if (area[ranks[p]]) assert_true(value[ranks[p]] == map[p]);
            value[ranks[p]] = map[p];
            inside[ranks[p]] += most;
            area[ranks[p]]++;
            last = ranks[p] > last ? ranks[p] : last;
        }
        assert_true(fabs(sum - total) < 1e-3);
        for (int32_t r = 1; r <= last; r++) {
            assert_true(area[r] > 0);
            assert_true(fabs(inside[r] / (double)area[r] - value[r]) < 1e-6);
            if (r > 1 && r < last) assert_true(value[r] <= value[r - 1]);
        }
    }
    gig_tensor_clear(&attributions);
    gig_tensor_clear(&picture);
}

/* Two inclusive rectangles and the rest: three regions, the larger mean first. */
static void takes_the_regions_it_is_given(void **state)
{
    (void)state;
    enum { S = 110, N = S * S };
    uint8_t *small = gig_alloc_zero(N, 1), *large = gig_alloc_zero(N, 1);
    const uint8_t *masks[2] = {small, large};
    float *values = gig_alloc_zero(N, sizeof *values), *map = gig_alloc(N, sizeof *map);
    int32_t *ranks = gig_alloc(N, sizeof *ranks);
    for (size_t y = 0; y < S; y++)
        for (size_t x = 0; x < S; x++) {
            size_t p = y * S + x;
            small[p] = y >= 10 && y <= 30 && x >= 10 && x <= 30;
            large[p] = y >= 60 && y <= 100 && x >= 60 && x <= 100;
            values[p] = small[p] ? 1 : large[p] ? 2 : -1;
        }
    for (int fast = 0; fast < 2; fast++) {
        const gig_xrai_options options = {.fast = fast, .mask_count = 2, .masks = masks};
        assert_int_equal(gig_xrai(map, ranks, values, NULL, &(gig_picture_shape){S, S, 1, 0}, &options), GIG_OK);
        for (size_t p = 0; p < N; p++) {
            assert_true(map[p] == values[p]);
            assert_int_equal(ranks[p], large[p] ? 1 : small[p] ? 2 : 3);
        }
    }
    gig_free(ranks);
    gig_free(map);
    gig_free(values);
    gig_free(large);
    gig_free(small);
}

/* PAIR's functional case: three features, segments {0,1} and {2}, attributions (15,4,3). */
static void ranks_three_features_as_pair_does(void **state)
{
    (void)state;
    const uint8_t first[3] = {1, 1, 0}, second[3] = {0, 0, 1}, *masks[2] = {first, second};
    const float attributions[3] = {15, 4, 3};
    float map[3];
    int32_t ranks[3];
    const gig_xrai_options options = {.mask_count = 2, .masks = masks, .min_pixels = 1};
    assert_int_equal(gig_xrai(map, ranks, attributions, NULL, &(gig_picture_shape){1, 3, 1, 0}, &options), GIG_OK);
    assert_true(map[0] == 9.5f && map[1] == 9.5f && map[2] == 3);
    assert_memory_equal(ranks, ((const int32_t[]){1, 1, 2}), sizeof ranks);
}

static void a_flat_picture_is_one_region(void **state)
{
    (void)state;
    enum { N = 20 * 20 };
    float picture[N] = {0}, attributions[N], map[N];
    for (size_t i = 0; i < N; i++) attributions[i] = (float)i;
    assert_int_equal(gig_xrai(map, NULL, attributions, picture, &(gig_picture_shape){20, 20, 1, 0}, NULL), GIG_OK);
    for (size_t i = 0; i < N; i++) assert_true(map[i] == (N - 1) / 2.0f);
}

static void refuses_what_is_not_finite_or_empty(void **state)
{
    (void)state;
    float picture[4] = {0, 1, 0, 1}, attributions[4] = {0, 1, INFINITY, 1}, map[4];
    const gig_picture_shape shape = {2, 2, 1, 0};
    assert_int_equal(gig_xrai(map, NULL, attributions, picture, &shape, NULL), GIG_ENUMERIC);
    assert_int_equal(gig_xrai(map, NULL, picture, attributions, &shape, NULL), GIG_ENUMERIC);
    assert_int_equal(gig_xrai(map, NULL, picture, picture, &(gig_picture_shape){0, 2, 1, 0}, NULL), GIG_EARG);
    gig_xrai_options options = {.mask_count = 1};
    assert_int_equal(gig_xrai(map, NULL, picture, picture, &shape, &options), GIG_EARG);
    options.masks = &(const uint8_t *){NULL};
    assert_int_equal(gig_xrai(map, NULL, picture, picture, &shape, &options), GIG_EARG);
    options = (gig_xrai_options){.area_threshold = (double)NAN};
    assert_int_equal(gig_xrai(map, NULL, picture, picture, &shape, &options), GIG_EARG);
}

static void gives_back_memory_when_it_runs_out(void **state)
{
    (void)state;
    enum { H = 12, W = 14, N = H * W };
    float picture[N], map[N];
    for (size_t i = 0; i < N; i++) picture[i] = (float)(i * 7 % 11);
    for (int fast = 0; fast < 2; fast++) {
        size_t before = gig_memory_used(), failures = 0;
        gig_status status = GIG_ENOMEM;
        for (size_t at = 0; status != GIG_OK; at++) {
            gig_memory_fail_at(at, 0);
            status = gig_xrai(map, NULL, picture, picture, &(gig_picture_shape){H, W, 1, 0},
                              &(gig_xrai_options){.fast = fast});
            failures += status == GIG_ENOMEM;
            assert_int_equal(gig_memory_used(), before);
        }
        gig_memory_fail_at(SIZE_MAX, 0);
        assert_true(failures > 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_numpy_full_fast_and_stopped_half_way),
        cmocka_unit_test(a_planar_picture_gives_the_same_map),
        cmocka_unit_test(keeps_its_invariants),
        cmocka_unit_test(takes_the_regions_it_is_given),
        cmocka_unit_test(ranks_three_features_as_pair_does),
        cmocka_unit_test(a_flat_picture_is_one_region),
        cmocka_unit_test(refuses_what_is_not_finite_or_empty),
        cmocka_unit_test(gives_back_memory_when_it_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
