/* SPDX-License-Identifier: Apache-2.0 */
/* Text: any bytes become UTF-8 that cairo takes; lines break where they should. Axes have round ticks. */
#include "base/memory.h"
#include "support.h"
#include "view/panel.h"
#include "view/plot.h"
#include "view/text_layout.h"

static void expect_copy(const char *text, const char *wanted)
{
    char *copy;
    assert_ok(gig_text_copy(&copy, text));
    assert_string_equal(copy, wanted);
    gig_free(copy);
}

#define UNKNOWN "\xef\xbf\xbd"

static void invalid_utf8_is_shown_as_replacement_characters(void **state)
{
    (void)state;
    expect_copy("plain", "plain");
    expect_copy("caf\xc3\xa9 \xe4\xb8\xad \xf0\x9f\x90\x8c", "caf\xc3\xa9 \xe4\xb8\xad \xf0\x9f\x90\x8c");
    expect_copy("a\xff"
                "b",
                "a" UNKNOWN "b");
    expect_copy("\x80", UNKNOWN);
    expect_copy("cut \xe4\xb8", "cut " UNKNOWN UNKNOWN);
    expect_copy("\xc0\xaf", UNKNOWN UNKNOWN);             /* overlong */
    expect_copy("\xe0\x80\xaf", UNKNOWN UNKNOWN UNKNOWN); /* overlong */
    expect_copy("\xed\xa0\x80", UNKNOWN UNKNOWN UNKNOWN); /* surrogate */
    expect_copy("\xf4\x90\x80\x80", UNKNOWN UNKNOWN UNKNOWN UNKNOWN);
    expect_copy("a\tb\nc\x7f"
                "d\xc2\x85"
                "e",
                "a b c d e");
    char *none;
    assert_ok(gig_text_copy(&none, NULL));
    assert_null(none);
}

static void long_texts_are_cut_between_characters_and_end_in_an_ellipsis(void **state)
{
    (void)state;
    char text[3 * GIG_TEXT_BYTES], *copy;
    for (int kind = 0; kind < 2; kind++) {
        for (size_t i = 0; i + 2 < sizeof text; i += 2) memcpy(text + i, kind ? "\xc3\xa9" : "\xff\xff", 2);
        text[sizeof text - 2] = 0;
        assert_ok(gig_text_copy(&copy, text));
        size_t length = strlen(copy);
        assert_true(length <= GIG_TEXT_BYTES);
        assert_string_equal(copy + length - 3, "\xe2\x80\xa6");
        gig_free(copy);
    }
}

static cairo_t *scratch(void)
{
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_A8, 8, 8);
    cairo_t *on = cairo_create(surface);
    cairo_surface_destroy(surface);
    gig_text_begin(on);
    return on;
}

static void long_texts_wrap_and_nothing_is_wider_than_the_block(void **state)
{
    (void)state;
    const gig_text_style style = {10, 0, 0};
    cairo_t *on = scratch();
    double line = gig_text_leading(&style);
    assert_true(gig_text_block(on, 0, 0, 100, &style, NULL, 0) == 0);
    assert_true(gig_text_block(on, 0, 0, 100, &style, "", 0) == 0);
    assert_true(gig_text_block(on, 0, 0, 1000, &style, "one two three", 0) == line);
    double two = gig_text_width(on, &style, "one two");
    assert_true(gig_text_block(on, 0, 0, two + 1, &style, "one two three", 0) == 2 * line);
    double half = gig_text_width(on, &style, "aaaa aa");
    assert_true(gig_text_block(on, 0, 0, half + 0.1, &style, "aaaa aaaa aaaa", 0) == 3 * line); /* words stay whole */
    /* a word without blanks breaks after / + , and if there is none, anywhere */
    double part = gig_text_width(on, &style, "gig:20/steps=100/");
    assert_true(gig_text_block(on, 0, 0, part + 1, &style, "gig:20/steps=100/rule=left", 0) == 2 * line);
    double w = gig_text_width(on, &style, "WWWW");
    assert_true(gig_text_block(on, 0, 0, w + 1, &style, "WWWWWWWWWW", 0) == 3 * line);
    assert_true(gig_text_block(on, 0, 0, 0.01, &style, "abc", 0) == 3 * line); /* one character a line at least */
    assert_int_equal(cairo_status(on), CAIRO_STATUS_SUCCESS);
    cairo_destroy(on);
}

static void completeness_is_said_with_its_error(void **state)
{
    (void)state;
    char text[GIG_CAPTION_LINE_BYTES];
    gig_caption caption = {.sum = 0.912, .value_input = 0.95, .value_baseline = 0.02};
    assert_string_equal(gig_caption_completeness(text, &caption), "sum 0.912, should be 0.93 (-1.94 %)");
    caption.sum = -1;
    caption.value_input = -1.5;
    caption.value_baseline = 0.5;
    assert_string_equal(gig_caption_completeness(text, &caption), "sum -1, should be -2 (+50 %)");
    caption.sum = -2.0000000001;
    assert_string_equal(gig_caption_completeness(text, &caption), "sum -2, as it should be");
    caption.sum = -1;
    caption.value_input = caption.value_baseline;
    assert_string_equal(gig_caption_completeness(text, &caption), "sum -1, should be 0");
    caption.sum = NAN;
    assert_string_equal(gig_caption_completeness(text, &caption), "completeness has no meaning here");
}

static void a_panel_names_its_class_and_probability(void **state)
{
    (void)state;
    gig_panel panel = {0};
    gig_caption caption = {.title = "t\xff", .class_name = "snail", .has_probability = 1, .probability = 0.97312};
    assert_ok(gig_panel_caption(&panel, &caption));
    assert_string_equal(panel.title, "t" UNKNOWN);
    assert_string_equal(panel.class_line, "snail  0.973");
    assert_null(panel.completeness);
    gig_panel_clear(&panel);
    caption = (gig_caption){.has_probability = 1, .probability = 0.5};
    assert_ok(gig_panel_caption(&panel, &caption));
    assert_string_equal(panel.class_line, "0.5");
    gig_panel_clear(&panel);
}

static void ticks_are_round_and_inside(void **state)
{
    (void)state;
    gig_plot_axis axis = gig_plot_axis_make(0, 1, 5, 0);
    assert_int_equal(axis.count, 6);
    assert_true(axis.ticks[0] == 0 && axis.ticks[5] == 1 && fabs(axis.step - 0.2) < 1e-12);
    axis = gig_plot_axis_make(-0.31, 0.93, 5, 1); /* widened to whole steps */
    assert_true(fabs(axis.step - 0.5) < 1e-12 && axis.low == -0.5 && axis.high == 1 && axis.count == 4);
    axis = gig_plot_axis_make(3.3e-7, 9.1e-7, 5, 0);
    assert_true(axis.count >= 2 && axis.ticks[0] >= axis.low && axis.ticks[axis.count - 1] <= axis.high * (1 + 1e-9));
}

static void axes_without_a_span_or_a_meaning_still_have_one(void **state)
{
    (void)state;
    const double ends[][2] = {
        {5, 5}, {0, 0}, {-2, -2}, {INFINITY, -INFINITY}, {NAN, 1}, {-1.7e308, 1.7e308}, {1, 1 + 1e-16}, {0, 1e-320}};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        gig_plot_axis axis = gig_plot_axis_make(ends[i][0], ends[i][1], 5, 1);
        assert_true(isfinite(axis.low) && isfinite(axis.high) && axis.low < axis.high && axis.count >= 2);
        for (size_t k = 0; k < axis.count; k++) assert_true(isfinite(axis.ticks[k]));
    }
    gig_plot_axis axis = gig_plot_axis_make(5, 5, 5, 0);
    assert_true(axis.low < 5 && axis.high > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(invalid_utf8_is_shown_as_replacement_characters),
        cmocka_unit_test(long_texts_are_cut_between_characters_and_end_in_an_ellipsis),
        cmocka_unit_test(long_texts_wrap_and_nothing_is_wider_than_the_block),
        cmocka_unit_test(completeness_is_said_with_its_error),
        cmocka_unit_test(a_panel_names_its_class_and_probability),
        cmocka_unit_test(ticks_are_round_and_inside),
        cmocka_unit_test(axes_without_a_span_or_a_meaning_still_have_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
