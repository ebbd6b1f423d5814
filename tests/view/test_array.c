/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays without a picture: what their shape makes of them, and what is drawn, by its pixels. Sheets are one panel of
 * 100 units at one pixel per unit, with a margin of 14. */
#include "internal/view.h"
#include "support.h"
#include <math.h>

enum { MARGIN = 14, PANEL = 100 };

typedef struct shot {
    size_t height, width;
    uint8_t *rgb;
} shot;

static shot draw(const gig_array *array)
{
    shot out;
    gig_sheet *sheet;
    gig_sheet_options options = {.columns = 1, .panel_width = PANEL, .scale = 1};
    assert_ok(gig_sheet_create(&sheet, &options));
    assert_ok(gig_sheet_add_array(sheet, NULL, array));
    for (int format = GIG_SHEET_PNG; format <= GIG_SHEET_HTML; format++) {
        uint8_t *bytes;
        size_t count;
        assert_ok(gig_sheet_encode(&bytes, &count, sheet, (gig_sheet_format)format));
        assert_true(count > 100);
        gig_sheet_bytes_free(bytes);
    }
    assert_ok(gig_sheet_size(&out.height, &out.width, sheet));
    out.rgb = malloc(out.height * out.width * 3);
    assert_non_null(out.rgb);
    assert_ok(gig_sheet_render(out.rgb, sheet));
    gig_sheet_free(sheet);
    return out;
}

/* Pixels of the rectangle that are clearly red, or clearly blue. */
static size_t count_of(const shot *in, size_t x0, size_t x1, size_t y0, size_t y1, int red)
{
    size_t count = 0;
    for (size_t y = y0; y < y1 && y < in->height; y++)
        for (size_t x = x0; x < x1 && x < in->width; x++) {
            const uint8_t *at = in->rgb + 3 * (y * in->width + x);
            count += red ? at[0] > at[2] + 40 : at[2] > at[0] + 40;
        }
    return count;
}

/* ---- what it is ---- */

static void the_shape_says_what_it_is(void **state)
{
    (void)state;
    static const struct {
        int rank;
        int64_t dims[5];
        const char *said;
    } cases[] = {
        {0, {0}, "table: 1 column"},
        {1, {8}, "table: 8 columns"},
        {1, {64}, "table: 64 columns"},
        {1, {65}, "signal: 1 channel of 65 positions"},
        {2, {1, 400}, "signal: 1 channel of 400 positions"},
        {2, {12, 5000}, "signal: 12 channels of 5000 positions"},
        {2, {5000, 12}, "signal: 12 channels of 5000 positions"},
        {2, {80, 300}, "slices: 1 of 80 x 300 (height x width), 1 channel"},
        {3, {3, 32, 40}, "slices: 1 of 32 x 40 (height x width), 3 channels"},
        {3, {32, 40, 3}, "slices: 1 of 32 x 40 (height x width), 3 channels"},
        {3, {24, 32, 40}, "slices: 24 of 32 x 40 (height x width), 1 channel"},
        {4, {1, 16, 32, 40}, "slices: 16 of 32 x 40 (height x width), 1 channel"},
        {4, {16, 3, 32, 40}, "slices: 16 of 32 x 40 (height x width), 3 channels"},
        {4, {16, 32, 40, 3}, "slices: 16 of 32 x 40 (height x width), 3 channels"},
        {4, {8, 16, 32, 40}, "slices: 16 of 32 x 40 (height x width), 8 channels"},
        {5, {2, 2, 6, 7, 9}, "slices: 6 of 7 x 9 (height x width), 4 channels"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[160];
        gig_array array = {.rank = cases[i].rank, .dims = cases[i].dims};
        assert_ok(gig_array_describe(text, sizeof text, NULL, &array));
        assert_string_equal(text, cases[i].said);
    }
}

static void a_kind_and_labels_say_it_too(void **state)
{
    (void)state;
    char text[160];
    const int64_t dims[] = {3, 4};
    const char *labels[] = {"a", "b", "c"};
    gig_array_kind kind;
    gig_array array = {.rank = 2, .dims = dims, .label_count = 3, .labels = labels};
    assert_ok(gig_array_describe(text, sizeof text, &kind, &array));
    assert_int_equal(kind, GIG_ARRAY_TOKENS);
    assert_string_equal(text, "tokens: 3 positions of 4 values");
    array.label_count = 2;
    assert_status(gig_array_describe(text, sizeof text, NULL, &array), GIG_EARG);
    assert_message("2 texts for 3 positions");
    array.kind = GIG_ARRAY_TABLE;
    assert_status(gig_array_describe(text, sizeof text, NULL, &array), GIG_EARG);
    assert_message("2 texts for 12 columns");
    array = (gig_array){.rank = 2, .dims = dims, .kind = GIG_ARRAY_SLICES};
    assert_ok(gig_array_describe(text, sizeof text, NULL, &array));
    assert_string_equal(text, "slices: 1 of 3 x 4 (height x width), 1 channel");
    array.kind = (gig_array_kind)9;
    assert_status(gig_array_describe(text, sizeof text, NULL, &array), GIG_EARG);
    array = (gig_array){.rank = 9, .dims = dims};
    assert_status(gig_array_describe(text, sizeof text, NULL, &array), GIG_EARG);
}

/* ---- what is drawn ---- */

/* Rising over 300 positions; the first third is against the class, the last for it. The plot begins 34 right. */
static void a_signal_is_coloured_where_it_counts(void **state)
{
    (void)state;
    for (int turned = 0; turned < 2; turned++) {
        float values[600], map[600];
        for (int i = 0; i < 300; i++) {
            int one = turned ? 2 * i : i, other = turned ? 2 * i + 1 : 300 + i;
            values[one] = (float)i;
            values[other] = 0;
            map[one] = i < 100 ? -1.0f : i < 200 ? 0 : 1;
            map[other] = 0;
        }
        const int64_t dims[] = {turned ? 300 : 2, turned ? 2 : 300};
        shot seen = draw(&(gig_array){.rank = 2, .dims = dims, .values = values, .map = map});
        size_t left = MARGIN + 34, wide = PANEL - 38, top = MARGIN, strip = 18;
        assert_true(count_of(&seen, left, left + wide / 3, top, top + strip, 0) > 10);
        assert_int_equal(count_of(&seen, left, left + wide / 2, top, top + strip, 1), 0);
        assert_true(count_of(&seen, left + 2 * wide / 3, left + wide, top, top + strip, 1) > 10);
        assert_int_equal(count_of(&seen, left + wide / 2, left + wide, top, top + strip, 0), 0);
        assert_int_equal(count_of(&seen, left, left + wide, top + strip + 5, top + 2 * strip + 5, 1),
                         0); /* channel 1 */
        free(seen.rgb);
    }
}

static void a_long_signal_is_coloured_by_its_strongest(void **state)
{
    (void)state;
    enum { LONG = 50000 };
    float *values = calloc(LONG, sizeof *values), *map = calloc(LONG, sizeof *map);
    const int64_t dims[] = {LONG};
    assert_true(values && map);
    for (int i = 0; i < LONG; i++) values[i] = (float)(i % 100);
    for (int i = 40000; i < 41000; i++) map[i] = 1;
    shot seen = draw(&(gig_array){.rank = 1, .dims = dims, .values = values, .map = map});
    size_t left = MARGIN + 34, wide = PANEL - 38;
    assert_int_equal(count_of(&seen, left, left + 3 * wide / 4, MARGIN, MARGIN + 30, 1), 0);
    assert_true(count_of(&seen, left + 3 * wide / 4, left + wide, MARGIN, MARGIN + 30, 1) > 10);
    free(seen.rgb);
    free(values);
    free(map);
}

/* A word's colour is of the sum over its values; words wrap at the panel's edge. */
static void words_have_the_colour_of_their_sum(void **state)
{
    (void)state;
    const float values[8] = {0}, map[8] = {3, -1, -4, 1, 2, -2, 1, 1};
    const int64_t dims[] = {4, 2};
    const char *labels[] = {"good", "bad", "a word that is much too long for the line", "\xff"};
    shot seen =
        draw(&(gig_array){.rank = 2, .dims = dims, .values = values, .map = map, .label_count = 4, .labels = labels});
    assert_true(count_of(&seen, MARGIN, MARGIN + 25, MARGIN, MARGIN + 15, 1) > 50);
    assert_true(count_of(&seen, MARGIN + 25, MARGIN + PANEL, MARGIN, MARGIN + 15, 0) > 50);
    assert_int_equal(count_of(&seen, MARGIN, MARGIN + PANEL, MARGIN + 15, MARGIN + 30, 0), 0); /* adds up to 0 */
    free(seen.rgb);
}

static void bars_lie_longest_first_on_their_side(void **state)
{
    (void)state;
    float values[40], map[40];
    const int64_t dims[] = {40};
    for (int i = 0; i < 40; i++) values[i] = (float)i, map[i] = 0.001f;
    map[7] = -2;
    map[31] = 1;
    shot seen = draw(&(gig_array){.rank = 1, .dims = dims, .values = values, .map = map, .kind = GIG_ARRAY_TABLE});
    assert_true(count_of(&seen, 0, seen.width, MARGIN, MARGIN + 13, 0) > 100);
    assert_int_equal(count_of(&seen, 0, seen.width, MARGIN, MARGIN + 13, 1), 0);
    assert_true(count_of(&seen, 0, seen.width, MARGIN + 13, MARGIN + 26, 1) > 40);
    assert_int_equal(count_of(&seen, 0, seen.width, MARGIN + 13, MARGIN + 26, 0), 0);
    assert_true(seen.height > MARGIN + 25 * 13 && seen.height < MARGIN + 29 * 13); /* 24, and a line for the others */
    free(seen.rgb);
}

/* [D,C,H,W] of 4 slices of 2 x 2: the third alone has attributions. Two columns of 50 with a gap. */
static void slices_stand_in_rows(void **state)
{
    (void)state;
    float values[64], map[64] = {0};
    const int64_t dims[] = {9, 1, 2, 2};
    for (int i = 0; i < 36; i++) values[i] = 0.5f;
    for (int i = 8; i < 12; i++) map[i] = 1;
    shot seen = draw(&(gig_array){.rank = 4, .dims = dims, .values = values, .map = map});
    const uint8_t *third = seen.rgb + 3 * ((MARGIN + 10) * seen.width + MARGIN + 85);
    const uint8_t *first = seen.rgb + 3 * ((MARGIN + 10) * seen.width + MARGIN + 10);
    const uint8_t *fourth = seen.rgb + 3 * ((MARGIN + 50) * seen.width + MARGIN + 10);
    assert_true(third[0] > 200 && third[0] > third[2] + 15); /* the pale end of heat */
    assert_true(first[0] == first[1] && first[1] == first[2] && memcmp(first, fourth, 3) == 0);
    free(seen.rgb);
}

static void odd_arrays_are_drawn_too(void **state)
{
    (void)state;
    const float zeros[64] = {0};
    static const struct {
        int rank;
        int64_t dims[4];
    } cases[] = {{0, {0}},    {1, {1}},       {1, {0}},          {2, {1, 1}},
                 {2, {3, 0}}, {3, {3, 4, 5}}, {4, {1, 2, 0, 3}}, {4, {2, 2, 2, 2}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int kind = GIG_ARRAY_AUTO; kind <= GIG_ARRAY_SLICES; kind++) {
            shot seen = draw(&(gig_array){.rank = cases[i].rank,
                                          .dims = cases[i].dims,
                                          .values = zeros,
                                          .map = zeros,
                                          .kind = (gig_array_kind)kind});
            free(seen.rgb);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_shape_says_what_it_is),
        cmocka_unit_test(a_kind_and_labels_say_it_too),
        cmocka_unit_test(a_signal_is_coloured_where_it_counts),
        cmocka_unit_test(a_long_signal_is_coloured_by_its_strongest),
        cmocka_unit_test(words_have_the_colour_of_their_sum),
        cmocka_unit_test(bars_lie_longest_first_on_their_side),
        cmocka_unit_test(slices_stand_in_rows),
        cmocka_unit_test(odd_arrays_are_drawn_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
