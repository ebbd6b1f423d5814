/* SPDX-License-Identifier: Apache-2.0 */
/* Display rules against NumPy's restatement of PAIR saliency and Captum, and what they do with maps that have no span.
 */
#include "../golden/view_display.h"
#include "internal/view.h"
#include "support.h"

typedef struct golden {
    const char *name;
    size_t channels;
    const float *map, *grayscale_99, *grayscale_80, *diverging_99, *signed_99, *mass[4], *outliers_10, *range, *top_30;
} golden;

#define GOLDEN(name, channels)                                                                                         \
    {                                                                                                                  \
#name, channels, name##_map, name##_grayscale_99, name##_grayscale_80, name##_diverging_99, name##_signed_99,  \
            {name##_mass_absolute, name##_mass_positive, name##_mass_negative, name##_mass_all },                      \
             name##_mass_outliers_10, name##_range, name##_top_30                                                      \
    }

static const golden goldens[] = {GOLDEN(three, 3), GOLDEN(heavy, 1), GOLDEN(negative, 3)};
enum { GOLDENS = 3 };

/* Both sides compute in double and round once to float. */
static void expect(const golden *g, gig_display_options how, const float *wanted)
{
    float out[DISPLAY_PIXELS];
    gig_display_scale scale;
    assert_ok(gig_display_map(out, &scale, g->map, DISPLAY_PIXELS, g->channels, &how));
    assert_false(scale.constant || scale.empty);
    assert_close(out, wanted, DISPLAY_PIXELS, 1e-6, 1e-7);
}

static void is_pairs_grayscale(void **state)
{
    (void)state;
    for (int i = 0; i < GOLDENS; i++) {
        expect(&goldens[i], (gig_display_options){0}, goldens[i].grayscale_99);
        expect(&goldens[i], (gig_display_options){.percentile = 80}, goldens[i].grayscale_80);
    }
}

static void is_pairs_diverging(void **state)
{
    (void)state;
    for (int i = 0; i < GOLDENS; i++)
        expect(&goldens[i], (gig_display_options){.rule = GIG_DISPLAY_PAIR_DIVERGING}, goldens[i].diverging_99);
}

static void is_captums_mass_percentile_for_every_sign(void **state)
{
    (void)state;
    for (int i = 0; i < GOLDENS; i++) {
        for (int sign = 0; sign < 4; sign++)
            expect(&goldens[i], (gig_display_options){.rule = GIG_DISPLAY_MASS, .sign = (gig_display_sign)sign},
                   goldens[i].mass[sign]);
        expect(&goldens[i], (gig_display_options){.rule = GIG_DISPLAY_MASS, .outliers = 10}, goldens[i].outliers_10);
    }
}

static void clips_mass_at_the_value_that_reaches_the_share_exactly(void **state)
{
    (void)state;
    float map[3] = {3, 1, 2}, out[3];
    gig_display_scale scale;
    gig_display_options how = {.rule = GIG_DISPLAY_MASS, .outliers = 50};
    assert_ok(gig_display_map(out, &scale, map, 3, 1, &how)); /* 1 + 2 is half of 6 */
    assert_true(scale.low == 0 && scale.high == 2);
    assert_true(out[0] == 1 && out[1] == 0.5f && out[2] == 1);
}

static void keeps_zero_at_zero_in_the_signed_rule(void **state)
{
    (void)state;
    for (int i = 0; i < GOLDENS; i++) {
        expect(&goldens[i], (gig_display_options){.rule = GIG_DISPLAY_SIGNED}, goldens[i].signed_99);
        expect(&goldens[i], (gig_display_options){.rule = GIG_DISPLAY_RANGE}, goldens[i].range);
    }
    float map[3] = {-2, 0, 1}, out[3];
    gig_display_scale scale;
    gig_display_options how = {.rule = GIG_DISPLAY_SIGNED, .percentile = 100};
    assert_ok(gig_display_map(out, &scale, map, 3, 1, &how));
    assert_true(out[0] == -1 && out[1] == 0 && out[2] == 0.5f);
    assert_true(scale.low == -2 && scale.high == 2 && scale.diverging);
}

static void takes_ties_at_the_threshold_into_the_top(void **state)
{
    (void)state;
    uint8_t mask[DISPLAY_PIXELS];
    for (int i = 0; i < GOLDENS; i++) {
        if (goldens[i].channels != 1) continue;
        assert_ok(gig_top_mask(mask, goldens[i].map, DISPLAY_PIXELS, 30));
        for (size_t k = 0; k < DISPLAY_PIXELS; k++) assert_int_equal(mask[k], (int)goldens[i].top_30[k]);
    }
    float tied[10] = {0, 0, 0, 0, 1, 1, 1, 1, 1, 2};
    assert_ok(gig_top_mask(mask, tied, 10, 20)); /* the 80th percentile is 1 */
    for (size_t k = 0; k < 10; k++) assert_int_equal(mask[k], k >= 4);
    assert_ok(gig_top_mask(mask, tied, 10, 100));
    for (size_t k = 0; k < 10; k++) assert_int_equal(mask[k], 1);
    float mostly[10] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 2}; /* the 70th percentile is the least value */
    assert_ok(gig_top_mask(mask, mostly, 10, 30));
    for (size_t k = 0; k < 10; k++) assert_int_equal(mask[k], k >= 8);
}

static void says_that_a_constant_map_is_constant(void **state)
{
    (void)state;
    float map[12], out[12];
    for (int i = 0; i < 12; i++) map[i] = 0.25f;
    for (int rule = 0; rule <= GIG_DISPLAY_RANGE; rule++) {
        gig_display_scale scale;
        gig_display_options how = {.rule = (gig_display_rule)rule};
        assert_ok(gig_display_map(out, &scale, map, 12, 1, &how));
        assert_true(scale.constant && !scale.empty);
        assert_true(scale.low == 0.25 && scale.high == 0.25);
        assert_string_equal(scale.text, "constant map: every pixel is 0.25");
        for (int i = 0; i < 12; i++) assert_true(out[i] == 0);
    }
}

static void says_that_an_empty_map_is_empty(void **state)
{
    (void)state;
    float out[1] = {7};
    gig_display_scale scale;
    assert_ok(gig_display_map(out, &scale, out, 0, 3, NULL));
    assert_true(scale.empty);
    assert_string_equal(scale.text, "empty map");
    assert_true(out[0] == 7);
}

/* 1 pixel of 200 is not zero: the 99th percentile is the minimum, and PAIR divides by zero. */
static void falls_back_to_the_maximum_when_the_percentile_leaves_no_span(void **state)
{
    (void)state;
    float map[200] = {0}, out[200];
    map[17] = -4;
    for (int rule = 0; rule <= GIG_DISPLAY_RANGE; rule++) {
        gig_display_scale scale;
        gig_display_options how = {.rule = (gig_display_rule)rule};
        assert_ok(gig_display_map(out, &scale, map, 200, 1, &how));
        for (int i = 0; i < 200; i++) assert_true(isfinite(out[i]));
        assert_true(out[17] != out[16]);
        assert_false(scale.constant);
    }
    gig_display_scale scale;
    assert_ok(gig_display_map(out, &scale, map, 200, 1, NULL));
    assert_true(out[17] == 1 && scale.high == 4);
    assert_non_null(strstr(scale.text, "percentile 99 is the minimum"));
}

static void states_the_rule_in_words(void **state)
{
    (void)state;
    float map[6] = {1, 2, -3, 4, 5, -6}, out[6];
    gig_display_scale scale;
    gig_display_options how = {.percentile = 99.5};
    assert_ok(gig_display_map(out, &scale, map, 2, 3, &how));
    assert_string_equal(scale.text, "sum of |channels|, minimum to percentile 99.5");
    how = (gig_display_options){.rule = GIG_DISPLAY_MASS, .sign = GIG_SIGN_ALL, .outliers = 5};
    assert_ok(gig_display_map(out, &scale, map, 6, 1, &how));
    assert_string_equal(scale.text, "value, up to where 95 % of the total is reached");
    how = (gig_display_options){.rule = GIG_DISPLAY_SIGNED};
    assert_ok(gig_display_map(out, &scale, map, 2, 3, &how));
    assert_string_equal(scale.text, "sum of channels, +/- percentile 99 of the magnitude");
}

static void refuses_what_is_not_finite_and_options_out_of_range(void **state)
{
    (void)state;
    float map[4] = {0, 1, NAN, 2}, out[4];
    uint8_t mask[4];
    gig_display_scale scale;
    assert_status(gig_display_map(out, &scale, map, 4, 1, NULL), GIG_ENUMERIC);
    assert_message("pixel 2");
    assert_status(gig_top_mask(mask, map, 4, 30), GIG_ENUMERIC);
    map[2] = INFINITY;
    assert_status(gig_display_map(out, &scale, map, 2, 2, NULL), GIG_ENUMERIC);
    assert_message("pixel 1");
    map[2] = 1;
    gig_display_options wrong[] = {{.percentile = 101},
                                   {.percentile = -1},
                                   {.percentile = NAN},
                                   {.outliers = 100},
                                   {.outliers = -1},
                                   {.rule = (gig_display_rule)9},
                                   {.sign = (gig_display_sign)4}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_status(gig_display_map(out, &scale, map, 4, 1, &wrong[i]), GIG_EARG);
    assert_status(gig_display_map(out, &scale, map, 4, 0, NULL), GIG_EARG);
    assert_status(gig_display_map(out, &scale, map, SIZE_MAX / 2, 3, NULL), GIG_ELIMIT);
    assert_status(gig_top_mask(mask, map, 4, 0), GIG_EARG);
    assert_status(gig_top_mask(mask, map, 4, 100.5), GIG_EARG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_pairs_grayscale),
        cmocka_unit_test(is_pairs_diverging),
        cmocka_unit_test(is_captums_mass_percentile_for_every_sign),
        cmocka_unit_test(clips_mass_at_the_value_that_reaches_the_share_exactly),
        cmocka_unit_test(keeps_zero_at_zero_in_the_signed_rule),
        cmocka_unit_test(takes_ties_at_the_threshold_into_the_top),
        cmocka_unit_test(says_that_a_constant_map_is_constant),
        cmocka_unit_test(says_that_an_empty_map_is_empty),
        cmocka_unit_test(falls_back_to_the_maximum_when_the_percentile_leaves_no_span),
        cmocka_unit_test(states_the_rule_in_words),
        cmocka_unit_test(refuses_what_is_not_finite_and_options_out_of_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
