/* SPDX-License-Identifier: Apache-2.0 */
/* The edge detector on pictures whose differences are counted by hand. */
#include "internal/saliency.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void counts_the_neighbours_there_are(void **state)
{
    (void)state;
    /* One bright pixel in the middle of 3 x 3: it differs from 8 of 8, a corner from 1 of 3, an edge from 1 of 5. */
    const float picture[9] = {0, 0, 0, 0, 1, 0, 0, 0, 0};
    float map[9];
    assert_int_equal(gig_edge(map, picture, &(gig_picture_shape){3, 3, 1, 0}), GIG_OK);
    const float wanted[9] = {1.f / 3, 1.f / 5, 1.f / 3, 1.f / 5, 1, 1.f / 5, 1.f / 3, 1.f / 5, 1.f / 3};
    for (size_t i = 0; i < 9; i++) assert_true(fabsf(map[i] - wanted[i]) < 1e-7f);
}

static void averages_channels_in_either_layout(void **state)
{
    (void)state;
    /* Two pixels side by side, differing by 1, 2 and 6. */
    const float interleaved[6] = {0, 0, 0, 1, -2, 6}, planar[6] = {0, 1, 0, -2, 0, 6};
    float map[2];
    assert_int_equal(gig_edge(map, interleaved, &(gig_picture_shape){1, 2, 3, 0}), GIG_OK);
    assert_true(map[0] == 3 && map[1] == 3);
    assert_int_equal(gig_edge(map, planar, &(gig_picture_shape){1, 2, 3, 1}), GIG_OK);
    assert_true(map[0] == 3 && map[1] == 3);
}

static void a_single_pixel_has_no_edge(void **state)
{
    (void)state;
    float one = 5, map = 7;
    assert_int_equal(gig_edge(&map, &one, &(gig_picture_shape){1, 1, 1, 0}), GIG_OK);
    assert_true(map == 0);
    assert_int_equal(gig_edge(&map, &one, &(gig_picture_shape){0, 1, 1, 0}), GIG_EARG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_the_neighbours_there_are),
        cmocka_unit_test(averages_channels_in_either_layout),
        cmocka_unit_test(a_single_pixel_has_no_edge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
