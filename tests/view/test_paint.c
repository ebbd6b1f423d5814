/* SPDX-License-Identifier: Apache-2.0 */
/* The looks of a map, pixel by pixel. */
#include "internal/view.h"
#include "support.h"

/* A 2 x 3 map whose range is 0..4, and a picture. */
static const float map[6] = {0, 1, 2, 3, 4, 4};
static const float picture[18] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0.5f, 0.5f, 0.5f, 0.2f, 0.4f, 0.6f, 1, 1, 1};

static gig_map_options plain(gig_map_look look)
{
    return (gig_map_options){.look = look, .display = {.rule = GIG_DISPLAY_RANGE}, .pixels = picture, .opacity = 1};
}

static void heat_is_the_colour_of_the_display_value(void **state)
{
    (void)state;
    float rgb[18], wanted[3];
    gig_display_scale scale;
    gig_map_options how = plain(GIG_LOOK_HEAT);
    assert_ok(gig_map_paint(rgb, &scale, map, 2, 3, 1, &how));
    for (int i = 0; i < 6; i++) {
        gig_colour_at(wanted, GIG_COLOURS_HEAT, (double)map[i] / 4);
        assert_close(rgb + 3 * i, wanted, 3, 0, 1e-6);
    }
    assert_true(scale.low == 0 && scale.high == 4);
}

static void signed_maps_take_the_diverging_colours_with_white_at_zero(void **state)
{
    (void)state;
    float values[3] = {-2, 0, 2}, rgb[9], wanted[3];
    gig_map_options how = {.display = {.rule = GIG_DISPLAY_SIGNED, .percentile = 100}};
    assert_ok(gig_map_paint(rgb, NULL, values, 1, 3, 1, &how));
    for (int i = 0; i < 3; i++) {
        gig_colour_at(wanted, GIG_COLOURS_DIVERGING, 0.5 * i);
        assert_close(rgb + 3 * i, wanted, 3, 0, 1e-6);
    }
    how.display.rule = GIG_DISPLAY_PAIR_DIVERGING; /* zero is 0.5 there: the same colours */
    assert_ok(gig_map_paint(rgb, NULL, values, 1, 3, 1, &how));
    gig_colour_at(wanted, GIG_COLOURS_DIVERGING, 0.5);
    assert_close(rgb + 3, wanted, 3, 0, 1e-6);
}

static void overlay_shows_the_picture_greyed_and_dimmed_where_nothing_is(void **state)
{
    (void)state;
    float rgb[18], wanted[3];
    gig_map_options how = plain(GIG_LOOK_OVERLAY);
    assert_ok(gig_map_paint(rgb, NULL, map, 2, 3, 1, &how));
    const float dimmed = 0.7f, red_as_grey[3] = {dimmed * 0.299f, dimmed * 0.299f, dimmed * 0.299f};
    assert_close(rgb, red_as_grey, 3, 0, 1e-6);
    gig_colour_at(wanted, GIG_COLOURS_HEAT, 1); /* opacity 1 where the value is largest */
    assert_close(rgb + 12, wanted, 3, 0, 1e-6);
    gig_colour_at(wanted, GIG_COLOURS_HEAT, 0.5);
    for (int c = 0; c < 3; c++) wanted[c] = dimmed * 0.114f + 0.5f * (wanted[c] - dimmed * 0.114f);
    assert_close(rgb + 6, wanted, 3, 0, 1e-6);
}

static void mask_keeps_the_picture_in_the_top_and_is_black_elsewhere(void **state)
{
    (void)state;
    float rgb[18];
    gig_display_scale scale;
    gig_map_options how = plain(GIG_LOOK_MASK);
    how.top = 50; /* the median is 2.5 */
    assert_ok(gig_map_paint(rgb, &scale, map, 2, 3, 1, &how));
    for (int i = 0; i < 6; i++)
        for (int c = 0; c < 3; c++) assert_true(rgb[3 * i + c] == (i >= 3 ? picture[3 * i + c] : 0));
    assert_string_equal(scale.text, "top 50 % by value (50 % of the pixels)");
}

static void mask_of_negative_mass_keeps_the_most_negative(void **state)
{
    (void)state;
    float values[4] = {-4, 3, -1, 0}, pixels[12], rgb[12];
    for (int i = 0; i < 12; i++) pixels[i] = 1;
    gig_map_options how = {.look = GIG_LOOK_MASK, .pixels = pixels, .top = 25};
    how.display = (gig_display_options){.rule = GIG_DISPLAY_MASS, .sign = GIG_SIGN_NEGATIVE};
    assert_ok(gig_map_paint(rgb, NULL, values, 2, 2, 1, &how));
    assert_true(rgb[0] == 1 && rgb[3] == 0 && rgb[6] == 0 && rgb[9] == 0);
}

static void alpha_fades_the_picture_to_white(void **state)
{
    (void)state;
    float rgb[18];
    gig_map_options how = plain(GIG_LOOK_ALPHA);
    assert_ok(gig_map_paint(rgb, NULL, map, 2, 3, 1, &how));
    const float wanted[18] = {1,      1,      1,      0.75f, 1,    0.75f, 0.5f, 0.5f, 1,
                              0.625f, 0.625f, 0.625f, 0.2f,  0.4f, 0.6f,  1,    1,    1};
    assert_close(rgb, wanted, 18, 0, 1e-6);
}

static void a_constant_map_is_one_colour_and_no_nan(void **state)
{
    (void)state;
    float zeros[6] = {0}, rgb[18];
    for (int rule = 0; rule <= GIG_DISPLAY_RANGE; rule++) {
        for (int look = 0; look <= GIG_LOOK_ALPHA; look++) {
            gig_map_options how = plain((gig_map_look)look);
            how.display.rule = (gig_display_rule)rule;
            gig_display_scale scale;
            assert_ok(gig_map_paint(rgb, &scale, zeros, 2, 3, 1, &how));
            assert_true(scale.constant);
            for (int i = 0; i < 18; i++) assert_true(isfinite(rgb[i]));
            if (look == GIG_LOOK_HEAT)
                for (int i = 3; i < 18; i++) assert_true(rgb[i] == rgb[i % 3]);
        }
    }
}

static void an_empty_map_paints_nothing(void **state)
{
    (void)state;
    float rgb[1] = {7};
    gig_display_scale scale;
    assert_ok(gig_map_paint(rgb, &scale, map, 0, 5, 1, NULL));
    assert_true(scale.empty && rgb[0] == 7);
}

static void refuses_looks_without_a_picture_and_pictures_that_are_not_finite(void **state)
{
    (void)state;
    float rgb[18], broken[18] = {0};
    gig_map_options how = plain(GIG_LOOK_OVERLAY);
    how.pixels = NULL;
    assert_status(gig_map_paint(rgb, NULL, map, 2, 3, 1, &how), GIG_EARG);
    broken[5] = NAN;
    how.pixels = broken;
    assert_status(gig_map_paint(rgb, NULL, map, 2, 3, 1, &how), GIG_ENUMERIC);
    assert_message("value 5");
    gig_map_options wrong[] = {{.look = (gig_map_look)7}, {.colours = (gig_colours)9}, {.opacity = 2}, {.top = -1}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_status(gig_map_paint(rgb, NULL, map, 2, 3, 1, &wrong[i]), GIG_EARG);
    assert_status(gig_map_paint(rgb, NULL, map, SIZE_MAX / 2, 8, 1, NULL), GIG_ELIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heat_is_the_colour_of_the_display_value),
        cmocka_unit_test(signed_maps_take_the_diverging_colours_with_white_at_zero),
        cmocka_unit_test(overlay_shows_the_picture_greyed_and_dimmed_where_nothing_is),
        cmocka_unit_test(mask_keeps_the_picture_in_the_top_and_is_black_elsewhere),
        cmocka_unit_test(mask_of_negative_mass_keeps_the_most_negative),
        cmocka_unit_test(alpha_fades_the_picture_to_white),
        cmocka_unit_test(a_constant_map_is_one_colour_and_no_nan),
        cmocka_unit_test(an_empty_map_paints_nothing),
        cmocka_unit_test(refuses_looks_without_a_picture_and_pictures_that_are_not_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
