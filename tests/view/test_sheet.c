/* SPDX-License-Identifier: Apache-2.0 */
/* Sheets by their pixels: what is drawn where, on which output, and what is refused. Panels are 100 units wide here, at
 * one pixel per unit, with a margin of 14. */
#include "base/memory.h"
#include "gig/image.h"
#include "internal/view.h"
#include "support.h"
#include "view/colour.h"
#include <cairo/cairo.h>
#include <time.h>

enum { MARGIN = 14, PANEL = 100, GAP = 14 };

typedef struct shot {
    size_t height, width;
    uint8_t *rgb;
} shot;

static gig_sheet *new_sheet(size_t columns)
{
    gig_sheet *sheet;
    gig_sheet_options options = {.columns = columns, .panel_width = PANEL, .scale = 1};
    assert_ok(gig_sheet_create(&sheet, &options));
    return sheet;
}

static shot render(gig_sheet *sheet)
{
    shot out;
    assert_ok(gig_sheet_size(&out.height, &out.width, sheet));
    out.rgb = malloc(out.height * out.width * 3);
    assert_non_null(out.rgb);
    assert_ok(gig_sheet_render(out.rgb, sheet));
    return out;
}

static const uint8_t *pixel(const shot *in, size_t x, size_t y)
{
    assert_true(x < in->width && y < in->height);
    return in->rgb + 3 * (y * in->width + x);
}

static int is_colour(const uint8_t *at, double r, double g, double b, int within)
{
    return abs(at[0] - (int)lrint(255 * r)) <= within && abs(at[1] - (int)lrint(255 * g)) <= within &&
           abs(at[2] - (int)lrint(255 * b)) <= within;
}

static void assert_map_colour(const shot *in, size_t x, size_t y, gig_colours colours, double t, int within)
{
    float rgb[3];
    gig_colour_at(rgb, colours, t);
    const uint8_t *at = pixel(in, x, y);
    if (!is_colour(at, (double)rgb[0], (double)rgb[1], (double)rgb[2], within))
        fail_msg("pixel %zu,%zu is %d %d %d, not the colour at %g", x, y, at[0], at[1], at[2], t);
}

static size_t ink(const shot *in, size_t y0, size_t y1)
{
    size_t dark = 0;
    for (size_t y = y0; y < y1; y++)
        for (size_t x = 0; x < in->width; x++) dark += pixel(in, x, y)[1] < 200;
    return dark;
}

static void a_map_is_drawn_in_squares_with_its_legend_beneath(void **state)
{
    (void)state;
    const float map[4] = {0, 1, 2, 4};
    gig_map_options how = {.display = {.rule = GIG_DISPLAY_RANGE}};
    gig_sheet *sheet = new_sheet(1);
    assert_ok(gig_sheet_add_map(sheet, NULL, map, 2, 2, 1, &how));
    shot seen = render(sheet);
    assert_int_equal(seen.width, PANEL + 2 * MARGIN);
    for (int i = 0; i < 4; i++)
        for (size_t inset = 2; inset <= 48; inset += 23)
            assert_map_colour(&seen, MARGIN + (size_t)(i % 2) * 50 + inset, MARGIN + (size_t)(i / 2) * 50 + inset,
                              GIG_COLOURS_HEAT, (double)map[i] / 4, 1);
    for (int i = 0; i <= 4; i++) /* the bar starts 3 below the map and is 7 high */
        assert_map_colour(&seen, MARGIN + (size_t)(i * 24.75), MARGIN + PANEL + 6, GIG_COLOURS_HEAT, i / 4.0, 6);
    assert_true(ink(&seen, MARGIN + PANEL + 11, seen.height) > 40); /* numbers and the rule */
    free(seen.rgb);
    gig_sheet_free(sheet);
}

static void the_legend_of_an_overlay_is_what_the_overlay_shows(void **state)
{
    (void)state;
    const float map[4] = {0, 1, 2, 4},
                grey[12] = {0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f};
    gig_map_options how = {.display = {.rule = GIG_DISPLAY_RANGE}, .look = GIG_LOOK_OVERLAY, .pixels = grey};
    gig_sheet *sheet = new_sheet(1);
    assert_ok(gig_sheet_add_map(sheet, NULL, map, 2, 2, 1, &how));
    shot seen = render(sheet);
    for (int i = 0; i < 4; i++) {
        const uint8_t *drawn = pixel(&seen, MARGIN + (size_t)(i % 2) * 98 + 1, MARGIN + (size_t)(i / 2) * 98 + 1);
        const uint8_t *bar = pixel(&seen, MARGIN + (size_t)(map[i] * 24.75f), MARGIN + PANEL + 6);
        for (int c = 0; c < 3; c++) assert_true(abs(drawn[c] - bar[c]) <= 8);
    }
    assert_true(pixel(&seen, MARGIN, MARGIN + PANEL + 6)[0] > 60); /* no black end: nothing is drawn there */
    free(seen.rgb);
    gig_sheet_free(sheet);
}

/* Row of the first dark pixel in the columns x0..x1. */
static size_t first_ink(const shot *in, size_t x0, size_t x1)
{
    for (size_t y = 0; y < in->height; y++)
        for (size_t x = x0; x < x1; x++)
            if (pixel(in, x, y)[1] < 128) return y;
    return in->height;
}

static void titles_of_a_row_stand_at_one_height(void **state)
{
    (void)state;
    const float white[3] = {1, 1, 1};
    gig_sheet *sheet = new_sheet(2);
    assert_ok(gig_sheet_add_picture(sheet, &(gig_caption){.title = "ig", .class_name = "snail"}, white, 1, 1));
    assert_ok(gig_sheet_add_picture(sheet, &(gig_caption){.title = "ig"}, white, 1, 1));
    shot seen = render(sheet);
    assert_int_equal(first_ink(&seen, MARGIN, MARGIN + PANEL),
                     first_ink(&seen, MARGIN + PANEL + GAP, MARGIN + 2 * PANEL + GAP));
    free(seen.rgb);
    gig_sheet_free(sheet);
}

static void a_picture_keeps_its_colours_and_proportions(void **state)
{
    (void)state;
    float pixels[2 * 4 * 3];
    for (size_t i = 0; i < 8; i++) memcpy(pixels + 3 * i, (const float[3]){0.2f, 0.6f, 1.5f}, 3 * sizeof(float));
    gig_sheet *sheet = new_sheet(1);
    assert_ok(gig_sheet_add_picture(sheet, NULL, pixels, 2, 4));
    shot seen = render(sheet);
    assert_true(is_colour(pixel(&seen, MARGIN + 1, MARGIN + 1), 0.2, 0.6, 1, 1)); /* 1.5 is clamped */
    assert_true(is_colour(pixel(&seen, MARGIN + 98, MARGIN + 48), 0.2, 0.6, 1, 1));
    assert_true(is_colour(pixel(&seen, MARGIN + 50, MARGIN + 52), 1, 1, 1, 0)); /* half as high as wide */
    free(seen.rgb);
    gig_sheet_free(sheet);
}

static void panels_fill_columns_and_a_heading_starts_a_row(void **state)
{
    (void)state;
    const float red[3] = {1, 0, 0}, blue[3] = {0, 0, 1};
    gig_sheet *sheet = new_sheet(2);
    for (int i = 0; i < 3; i++) assert_ok(gig_sheet_add_picture(sheet, NULL, red, 1, 1));
    assert_ok(gig_sheet_add_heading(sheet, NULL));
    assert_ok(gig_sheet_add_picture(sheet, &(gig_caption){.span = 2}, blue, 1, 1));
    shot seen = render(sheet);
    size_t row = PANEL + 3 + 12; /* body, foot, gap */
    assert_int_equal(seen.width, 2 * MARGIN + 2 * PANEL + GAP);
    assert_true(is_colour(pixel(&seen, MARGIN + 50, MARGIN + 50), 1, 0, 0, 0));
    assert_true(is_colour(pixel(&seen, MARGIN + PANEL + 7, MARGIN + 50), 1, 1, 1, 0)); /* the gap */
    assert_true(is_colour(pixel(&seen, MARGIN + PANEL + GAP + 50, MARGIN + 50), 1, 0, 0, 0));
    assert_true(is_colour(pixel(&seen, MARGIN + 50, MARGIN + row + 50), 1, 0, 0, 0));
    assert_true(is_colour(pixel(&seen, MARGIN + PANEL + GAP + 50, MARGIN + row + 50), 1, 1, 1, 0));
    assert_true(is_colour(pixel(&seen, MARGIN + 2, MARGIN + 2 * row + 50), 0, 0, 1, 0)); /* spans both columns */
    assert_true(is_colour(pixel(&seen, MARGIN + PANEL + 7, MARGIN + 2 * row + 50), 0, 0, 1, 0));
    free(seen.rgb);
    gig_sheet_free(sheet);
}

static size_t height_with(const gig_caption *caption)
{
    const float white[3] = {1, 1, 1};
    gig_sheet *sheet = new_sheet(1);
    size_t height, width;
    assert_ok(gig_sheet_add_picture(sheet, caption, white, 1, 1));
    assert_ok(gig_sheet_size(&height, &width, sheet));
    shot seen = render(sheet);
    if (caption) assert_true(ink(&seen, 0, height) > 30);
    free(seen.rgb);
    gig_sheet_free(sheet);
    return height;
}

static void words_take_room_and_long_titles_wrap(void **state)
{
    (void)state;
    size_t bare = height_with(NULL), title = height_with(&(gig_caption){.title = "gig:20"});
    size_t wrapped = height_with(&(gig_caption){.title = "smooth+gig:20/baseline=black+white/samples=5/steps=100"});
    size_t class = height_with(&(gig_caption){.title = "gig:20", .class_name = "snail", .has_probability = 1});
    size_t sum = height_with(&(gig_caption){.has_completeness = 1, .sum = 1, .value_input = 1});
    assert_true(title > bare + 10 && wrapped >= title + 24 && class > title + 8 && sum > bare + 8);
}

static void constant_and_empty_maps_are_drawn_as_such(void **state)
{
    (void)state;
    const float zeros[6] = {0};
    gig_sheet *sheet = new_sheet(1);
    assert_ok(gig_sheet_add_map(sheet, NULL, zeros, 2, 3, 1, NULL));
    assert_ok(gig_sheet_add_map(sheet, NULL, zeros, 0, 3, 1, NULL));
    assert_ok(gig_sheet_add_picture(sheet, NULL, zeros, 0, 0));
    shot seen = render(sheet);
    for (size_t x = 1; x < 99; x += 7) assert_map_colour(&seen, MARGIN + x, MARGIN + x / 2, GIG_COLOURS_HEAT, 0, 0);
    assert_true(is_colour(pixel(&seen, MARGIN + 50, MARGIN + 67 + 5), 1, 1, 1, 0)); /* no legend's bar below */
    assert_true(ink(&seen, MARGIN + 67 + 3, seen.height) > 60);                     /* but words */
    free(seen.rgb);
    gig_sheet_free(sheet);
}

/* Mean row of the pixels of a colour in the columns x0..x1, -1 if there are none. */
static double mean_row(const shot *in, gig_rgb colour, size_t x0, size_t x1)
{
    double sum = 0, count = 0;
    for (size_t y = 0; y < in->height; y++) {
        for (size_t x = x0; x < x1; x++) {
            if (!is_colour(pixel(in, x, y), colour.r, colour.g, colour.b, 24)) continue;
            sum += (double)y + 0.5;
            count++;
        }
    }
    return count > 0 ? sum / count : -1;
}

static shot render_plot(const gig_plot *plot)
{
    gig_sheet *sheet;
    gig_sheet_options options = {.columns = 1, .panel_width = 300, .scale = 2};
    assert_ok(gig_sheet_create(&sheet, &options));
    assert_ok(gig_sheet_add_plot(sheet, NULL, plot));
    shot seen = render(sheet);
    gig_sheet_free(sheet);
    return seen;
}

static void curves_lie_where_their_values_are(void **state)
{
    (void)state;
    const double x[2] = {0, 1}, y[3][2] = {{0.2, 0.2}, {0.4, 0.4}, {0.8, 0.8}};
    gig_series series[3];
    for (int i = 0; i < 3; i++) series[i] = (gig_series){.count = 2, .x = x, .y = y[i]};
    gig_plot plot = {.series_count = 3, .series = series, .y_low = 0, .y_high = 1};
    shot seen = render_plot(&plot);
    double row[3];
    for (size_t i = 0; i < 3; i++) row[i] = mean_row(&seen, gig_palette(i), 200, 500);
    assert_true(row[0] > row[1] && row[1] > row[2] && row[2] > 0);
    assert_true(fabs((row[1] - row[2]) / (row[0] - row[1]) - 2) < 0.05); /* 0.4 against 0.2 */
    free(seen.rgb);
}

static void a_value_that_is_not_finite_breaks_the_line(void **state)
{
    (void)state;
    double x[101], y[101];
    for (int i = 0; i <= 100; i++) {
        x[i] = i;
        y[i] = i > 40 && i < 60 ? (i % 2 ? NAN : INFINITY) : 1;
    }
    gig_series series = {.name = "broken", .count = 101, .x = x, .y = y};
    gig_plot plot = {.series_count = 1, .series = &series, .y_low = 0, .y_high = 2, .x_label = "x", .y_label = "y"};
    shot seen = render_plot(&plot);
    size_t middle = 14 * 2 + 320; /* alpha near 50 of 0..100 */
    assert_true(mean_row(&seen, gig_palette(0), middle - 20, middle + 20) < 0 ||
                mean_row(&seen, gig_palette(0), middle - 20, middle + 20) > 400); /* the legend's swatch at most */
    assert_true(mean_row(&seen, gig_palette(0), 150, 200) > 0);
    free(seen.rgb);
}

static void bands_marks_dots_and_hostile_numbers_are_drawn(void **state)
{
    (void)state;
    const double x[4] = {0, 1, 2, 3}, y[4] = {1, 2, NAN, 1e300}, low[4] = {0.5, NAN, 0, 0},
                 high[4] = {1.5, 3, 1, 1e308};
    const double marks[3] = {1, NAN, 1e200};
    gig_series series[3] = {{.name = "a", .count = 4, .x = x, .y = y, .low = low, .high = high, .dots = 1},
                            {.name = "", .count = 0},
                            {.name = "b", .count = 4, .x = x, .y = x, .dashed = 1, .hide_line = 1, .colour = 3}};
    gig_plot plot = {
        .series_count = 3, .series = series, .mark_count = 3, .marks = marks, .diagonal = 1, .zero_line = 1};
    shot seen = render_plot(&plot);
    assert_true(ink(&seen, 0, seen.height) > 100);
    free(seen.rgb);
    plot = (gig_plot){.x_label = "nothing"};
    seen = render_plot(&plot);
    assert_true(ink(&seen, 0, seen.height) > 100); /* axes 0..1 */
    free(seen.rgb);
}

typedef struct stream {
    const uint8_t *bytes;
    size_t left;
} stream;

static cairo_status_t feed(void *payload, unsigned char *data, unsigned count)
{
    stream *from = payload;
    if (from->left < count) return CAIRO_STATUS_READ_ERROR;
    memcpy(data, from->bytes, count);
    from->bytes += count;
    from->left -= count;
    return CAIRO_STATUS_SUCCESS;
}

static gig_sheet *full_sheet(void)
{
    static const float map[6] = {-1, 0, 1, 2, 3, -4};
    static const double x[3] = {0, 0.5, 1}, y[3] = {0, 0.8, 1};
    gig_sheet *sheet;
    gig_sheet_options options = {.title = "A title", .footer = "a footer", .panel_width = PANEL};
    gig_caption caption = {.title = "<script>alert('\xff')</script>", .class_name = "snail", .note = "note"};
    gig_map_options how = {.display = {.rule = GIG_DISPLAY_SIGNED}};
    gig_series series = {.name = "curve", .count = 3, .x = x, .y = y, .low = x, .high = y};
    gig_plot plot = {.x_label = "x", .y_label = "y", .series_count = 1, .series = &series, .mark_count = 1, .marks = x};
    if (gig_sheet_create(&sheet, &options) != GIG_OK) return NULL;
    if (gig_sheet_add_map(sheet, &caption, map, 2, 3, 1, &how) == GIG_OK &&
        gig_sheet_add_heading(sheet, "More") == GIG_OK && gig_sheet_add_plot(sheet, &caption, &plot) == GIG_OK)
        return sheet;
    gig_sheet_free(sheet);
    return NULL;
}

static void the_png_holds_the_rendered_pixels(void **state)
{
    (void)state;
    gig_sheet *sheet = full_sheet();
    shot seen = render(sheet);
    uint8_t *bytes;
    size_t count;
    assert_ok(gig_sheet_encode(&bytes, &count, sheet, GIG_SHEET_PNG));
    stream from = {bytes, count};
    cairo_surface_t *read = cairo_image_surface_create_from_png_stream(feed, &from);
    assert_int_equal(cairo_surface_status(read), CAIRO_STATUS_SUCCESS);
    assert_int_equal(cairo_image_surface_get_width(read), (int)seen.width);
    assert_int_equal(cairo_image_surface_get_height(read), (int)seen.height);
    const uint8_t *data = cairo_image_surface_get_data(read);
    size_t stride = (size_t)cairo_image_surface_get_stride(read), wrong = 0;
    for (size_t y = 0; y < seen.height; y++) {
        for (size_t x = 0; x < seen.width; x++) {
            uint32_t value;
            memcpy(&value, data + y * stride + 4 * x, 4);
            const uint8_t *wanted = pixel(&seen, x, y);
            wrong += (value & 0xffffff) != ((uint32_t)wanted[0] << 16 | (uint32_t)wanted[1] << 8 | wanted[2]);
        }
    }
    assert_int_equal(wrong, 0);
    cairo_surface_destroy(read);
    gig_sheet_bytes_free(bytes);
    free(seen.rgb);
    gig_sheet_free(sheet);
}

static int holds(const uint8_t *bytes, size_t count, const char *text)
{
    return memmem(bytes, count, text, strlen(text)) != NULL;
}

static void svg_and_pdf_are_whole_and_take_no_markup_from_captions(void **state)
{
    (void)state;
    gig_sheet *sheet = full_sheet();
    uint8_t *bytes;
    size_t count;
    assert_ok(gig_sheet_encode(&bytes, &count, sheet, GIG_SHEET_SVG));
    assert_true(holds(bytes, 8, "<?xml") && holds(bytes, count, "</svg>") && holds(bytes, count, "<image"));
    assert_true(holds(bytes, count, "data:image/png;base64") && !holds(bytes, count, "<script"));
    gig_sheet_bytes_free(bytes);
    assert_ok(gig_sheet_encode(&bytes, &count, sheet, GIG_SHEET_PDF));
    assert_true(holds(bytes, 8, "%PDF-1.") && holds(bytes + count - 8, 8, "%%EOF"));
    uint8_t *later;
    size_t later_count;
    for (time_t before = time(NULL); time(NULL) == before;) nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    assert_ok(gig_sheet_encode(&later, &later_count, sheet, GIG_SHEET_PDF)); /* its date is not that of today */
    assert_int_equal(later_count, count);
    assert_memory_equal(later, bytes, count);
    gig_sheet_bytes_free(later);
    gig_sheet_bytes_free(bytes);
    gig_sheet_free(sheet);
}

static void webp_has_the_pixels_of_the_drawing(void **state)
{
    (void)state;
    gig_sheet *sheet = full_sheet();
    shot seen = render(sheet);
    uint8_t *bytes;
    size_t count;
    gig_image read;
    gig_sheet_format format;
    assert_ok(gig_sheet_format_of(&format, "a/b.WebP"));
    assert_int_equal(format, GIG_SHEET_WEBP);
    assert_ok(gig_sheet_encode(&bytes, &count, sheet, format));
    assert_true(count > 16 && holds(bytes, 4, "RIFF") && holds(bytes + 8, 8, "WEBPVP8L")); /* lossless */
    assert_ok(gig_image_decode(&read, bytes, count, NULL));
    assert_true(read.height == seen.height && read.width == seen.width);
    assert_memory_equal(read.pixels, seen.rgb, seen.height * seen.width * 3);
    gig_image_clear(&read);
    gig_sheet_bytes_free(bytes);
    free(seen.rgb);
    gig_sheet_free(sheet);
}

static void the_same_drawing_gives_the_same_bytes(void **state)
{
    (void)state;
    for (int format = GIG_SHEET_PNG; format <= GIG_SHEET_PDF; format += 2) {
        uint8_t *bytes[2];
        size_t counts[2];
        for (int i = 0; i < 2; i++) {
            gig_sheet *sheet = full_sheet();
            assert_ok(gig_sheet_encode(&bytes[i], &counts[i], sheet, (gig_sheet_format)format));
            gig_sheet_free(sheet);
        }
        assert_int_equal(counts[0], counts[1]);
        assert_memory_equal(bytes[0], bytes[1], counts[0]);
        gig_sheet_bytes_free(bytes[0]);
        gig_sheet_bytes_free(bytes[1]);
    }
}

static void files_are_written_by_their_ending_and_not_over_another(void **state)
{
    (void)state;
    gig_sheet *sheet = full_sheet();
    const char *path = temporary_path("sheet.PNG");
    assert_ok(gig_sheet_write(sheet, path, 0));
    assert_status(gig_sheet_write(sheet, path, 0), GIG_EIO);
    assert_ok(gig_sheet_write(sheet, path, 1));
    FILE *file = fopen(path, "rb");
    char start[8] = {0};
    assert_int_equal(fread(start, 1, 8, file), 8);
    fclose(file);
    assert_memory_equal(start, "\x89PNG\r\n\x1a\n", 8);
    assert_status(gig_sheet_write(sheet, temporary_path("sheet.jpg"), 0), GIG_EARG);
    assert_message(".png, .svg, .pdf, .html or .webp");
    assert_status(gig_sheet_write(sheet, "sheet", 0), GIG_EARG);
    assert_status(gig_sheet_write(sheet, temporary_path("no/such/folder.png"), 0), GIG_EIO);
    gig_sheet_free(sheet);
}

/* Fails allocation k of making and encoding a sheet, for k = 0, 1, ... until all goes well. */
static void exhaust(gig_sheet_format format)
{
    size_t before = gig_memory_used();
    for (size_t k = 0;; k++) {
        uint8_t *bytes = NULL;
        size_t count = 0;
        gig_memory_fail_at(k, 0);
        gig_sheet *sheet = full_sheet();
        gig_status status = sheet ? gig_sheet_encode(&bytes, &count, sheet, format) : GIG_ENOMEM;
        gig_memory_fail_at(SIZE_MAX, 0);
        if (status != GIG_OK) assert_int_equal(status, GIG_ENOMEM);
        gig_sheet_bytes_free(bytes);
        gig_sheet_free(sheet);
        assert_int_equal(gig_memory_used(), before);
        if (status == GIG_OK) {
            assert_true(k > 10);
            return;
        }
    }
}

static void memory_running_out_anywhere_is_said_and_nothing_is_left(void **state)
{
    (void)state;
    exhaust(GIG_SHEET_PNG);
    exhaust(GIG_SHEET_SVG);
    exhaust(GIG_SHEET_PDF);
}

static void refuses_sheets_too_large_and_options_out_of_range(void **state)
{
    (void)state;
    const float dot[3] = {0};
    gig_sheet *sheet;
    gig_sheet_options wrong[] = {
        {.panel_width = 1}, {.panel_width = NAN}, {.scale = 100}, {.scale = -1}, {.columns = 1000}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_status(gig_sheet_create(&sheet, &wrong[i]), GIG_EARG);
    gig_sheet_options large = {.columns = 1, .panel_width = 4000, .scale = 16};
    uint8_t *bytes;
    size_t count;
    assert_ok(gig_sheet_create(&sheet, &large));
    assert_ok(gig_sheet_add_picture(sheet, NULL, dot, 1, 1));
    assert_status(gig_sheet_encode(&bytes, &count, sheet, GIG_SHEET_PNG), GIG_ELIMIT);
    assert_null(bytes);
    assert_status(gig_sheet_add_picture(sheet, NULL, dot, SIZE_MAX, 2), GIG_ELIMIT);
    gig_plot tall = {.aspect = 100};
    assert_status(gig_sheet_add_plot(sheet, NULL, &tall), GIG_EARG);
    gig_series pointless = {.count = 3};
    gig_plot plot = {.series_count = 1, .series = &pointless};
    assert_status(gig_sheet_add_plot(sheet, NULL, &plot), GIG_EARG);
    gig_sheet_free(sheet);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_map_is_drawn_in_squares_with_its_legend_beneath),
        cmocka_unit_test(the_legend_of_an_overlay_is_what_the_overlay_shows),
        cmocka_unit_test(titles_of_a_row_stand_at_one_height),
        cmocka_unit_test(a_picture_keeps_its_colours_and_proportions),
        cmocka_unit_test(panels_fill_columns_and_a_heading_starts_a_row),
        cmocka_unit_test(words_take_room_and_long_titles_wrap),
        cmocka_unit_test(constant_and_empty_maps_are_drawn_as_such),
        cmocka_unit_test(curves_lie_where_their_values_are),
        cmocka_unit_test(a_value_that_is_not_finite_breaks_the_line),
        cmocka_unit_test(bands_marks_dots_and_hostile_numbers_are_drawn),
        cmocka_unit_test(the_png_holds_the_rendered_pixels),
        cmocka_unit_test(webp_has_the_pixels_of_the_drawing),
        cmocka_unit_test(svg_and_pdf_are_whole_and_take_no_markup_from_captions),
        cmocka_unit_test(the_same_drawing_gives_the_same_bytes),
        cmocka_unit_test(files_are_written_by_their_ending_and_not_over_another),
        cmocka_unit_test(memory_running_out_anywhere_is_said_and_nothing_is_left),
        cmocka_unit_test(refuses_sheets_too_large_and_options_out_of_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
