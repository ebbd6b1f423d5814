/* SPDX-License-Identifier: Apache-2.0 */
/* HTML files by their bytes: what a browser is told to run, and the numbers it reads. */
#include "base/memory.h"
#include "internal/view.h"
#include "support.h"
#include <jansson.h>
#include <openssl/evp.h>

typedef struct page {
    char *text; /* NUL at its end */
    json_t *data;
} page;

/* The text between `from` and the next `to`; the caller frees. */
static char *between(const char *text, const char *from, const char *to)
{
    const char *start = strstr(text, from);
    assert_non_null(start);
    start += strlen(from);
    const char *end = strstr(start, to);
    assert_non_null(end);
    return strndup(start, (size_t)(end - start));
}

static page encode(gig_sheet *sheet)
{
    page out;
    uint8_t *bytes;
    size_t count;
    assert_ok(gig_sheet_encode(&bytes, &count, sheet, GIG_SHEET_HTML));
    out.text = strndup((const char *)bytes, count);
    gig_sheet_bytes_free(bytes);
    gig_sheet_free(sheet);
    char *json = between(out.text, "id=\"data\">", "</script>");
    out.data = json_loads(json, 0, NULL);
    assert_non_null(out.data);
    free(json);
    return out;
}

static void clear(page *made)
{
    free(made->text);
    json_decref(made->data);
}

static gig_sheet *new_sheet(const char *title)
{
    gig_sheet *sheet;
    gig_sheet_options options = {.title = title};
    assert_ok(gig_sheet_create(&sheet, &options));
    return sheet;
}

static json_t *panel(const page *in, size_t i)
{
    return json_array_get(json_object_get(in->data, "panels"), i);
}

static const char *text_of(json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* The bytes of an array of the document; the caller frees. */
static unsigned char *bytes_of(json_t *array, size_t *count)
{
    const char *text = text_of(array, "data");
    size_t length = strlen(text);
    unsigned char *out = malloc(length + 1);
    int made = EVP_DecodeBlock(out, (const unsigned char *)text, (int)length);
    assert_true(made >= 0);
    *count = (size_t)made - (length && text[length - 1] == '=') - (length > 1 && text[length - 2] == '=');
    return out;
}

static void assert_hash(const char *text, const char *content, const char *directive)
{
    unsigned char digest[32], base64[64];
    unsigned length;
    char wanted[128];
    assert_int_equal(EVP_Digest(content, strlen(content), digest, &length, EVP_sha256(), NULL), 1);
    EVP_EncodeBlock(base64, digest, 32);
    snprintf(wanted, sizeof wanted, "%s 'sha256-%s'", directive, base64);
    assert_non_null(strstr(text, wanted));
}

static void a_browser_may_run_the_viewer_and_nothing_else(void **state)
{
    (void)state;
    page made = encode(new_sheet("a title"));
    char *script = between(made.text, "<script type=\"module\">", "</script>");
    char *style = between(made.text, "<style>", "</style>");
    assert_hash(made.text, script, "script-src");
    assert_hash(made.text, style, "style-src");
    assert_non_null(strstr(made.text, "default-src 'none'"));
    assert_null(strstr(made.text, "src=\""));
    assert_null(strstr(made.text, "href="));
    assert_null(strstr(script, "import "));
    assert_true(strlen(script) + strlen(style) < 150 * 1024);
    free(script);
    free(style);
    clear(&made);
}

static void names_from_files_cannot_become_markup(void **state)
{
    (void)state;
    const char *evil = "</script><script>alert(1)</script><!-- & \"quoted\" \\ \xff\x01";
    gig_sheet *sheet = new_sheet(evil);
    const float pixels[3] = {0, 0.5f, 1};
    gig_caption caption = {.title = evil, .class_name = evil, .note = evil};
    assert_ok(gig_sheet_add_picture(sheet, &caption, pixels, 1, 1));
    page made = encode(sheet);
    assert_null(strstr(made.text, "<script>alert"));
    assert_null(strstr(made.text, "<!--"));
    const char *shown = "</script><script>alert(1)</script><!-- & \"quoted\" \\ \xef\xbf\xbd ";
    assert_string_equal(text_of(made.data, "title"), shown);
    assert_string_equal(text_of(panel(&made, 0), "title"), shown);
    assert_string_equal(text_of(panel(&made, 0), "note"), shown);
    clear(&made);
}

static void maps_come_back_to_half_a_step_of_16_bits(void **state)
{
    (void)state;
    enum { COUNT = 7 * 5 * 3 };
    float map[COUNT];
    for (int i = 0; i < COUNT; i++) map[i] = (float)sin(i * 1.7) * (i == 40 ? 2.5f : 0.3f);
    gig_named_number numbers[] = {{"gradients", 200}, {"stability", NAN}};
    gig_caption caption = {.title = "ig",
                           .has_completeness = 1,
                           .sum = 0.75,
                           .value_input = 0.875,
                           .value_baseline = 0.25,
                           .number_count = 2,
                           .numbers = numbers};
    gig_sheet *sheet = new_sheet(NULL);
    assert_ok(gig_sheet_add_map(sheet, &caption, map, 7, 5, 3, NULL));
    page made = encode(sheet);
    json_t *values = json_object_get(panel(&made, 0), "values"), *table = json_object_get(panel(&made, 0), "numbers");
    double scale = json_number_value(json_object_get(values, "scale"));
    size_t count;
    unsigned char *bytes = bytes_of(values, &count);
    assert_int_equal(count, 2 * COUNT);
    for (int i = 0; i < COUNT; i++) {
        int16_t k = (int16_t)(bytes[2 * i] | bytes[2 * i + 1] << 8);
        assert_true(fabs(k * scale - (double)map[i]) <= 0.5000001 * scale);
    }
    free(bytes);
    assert_true(json_number_value(json_object_get(table, "sum")) == 0.75);
    assert_true(json_number_value(json_object_get(table, "should be")) == 0.625);
    assert_true(json_number_value(json_object_get(table, "gradients")) == 200);
    assert_true(json_is_null(json_object_get(table, "stability")));
    clear(&made);
}

static void pictures_keep_their_bytes_whatever_the_length(void **state)
{
    (void)state;
    for (size_t width = 1; width < 1100;
         width += width < 5 ? 1 : 365) { /* all three ends of base64, and a full buffer */
        float *pixels = calloc(3 * width, sizeof *pixels);
        for (size_t i = 0; i < 3 * width; i++) pixels[i] = (float)(i % 256) / 255;
        gig_sheet *sheet = new_sheet(NULL);
        assert_ok(gig_sheet_add_picture(sheet, NULL, pixels, 1, width));
        page made = encode(sheet);
        size_t count;
        unsigned char *bytes = bytes_of(json_object_get(panel(&made, 0), "pixels"), &count);
        assert_int_equal(count, 3 * width);
        for (size_t i = 0; i < count; i++) assert_int_equal(bytes[i], i % 256);
        free(bytes);
        clear(&made);
        free(pixels);
    }
}

static void base64_ends_right_for_arrays_of_any_length(void **state)
{
    (void)state;
    float values[2050];
    for (int i = 0; i < 2050; i++) values[i] = (float)(i - 1000);
    for (int64_t length = 1; length < 2050; length += length < 8 || length > 2040 ? 1 : 29) {
        gig_sheet *sheet = new_sheet(NULL);
        assert_ok(gig_sheet_add_array(sheet, NULL,
                                      &(gig_array){.rank = 1, .dims = &length, .values = values, .map = values}));
        page made = encode(sheet);
        json_t *map = json_object_get(panel(&made, 0), "map");
        size_t count;
        unsigned char *bytes = bytes_of(map, &count);
        assert_int_equal(count, 2 * length);
        int16_t last = (int16_t)(bytes[count - 2] | bytes[count - 1] << 8);
        assert_true(fabs(last * json_number_value(json_object_get(map, "scale")) - (double)values[length - 1]) < 0.02);
        free(bytes);
        clear(&made);
    }
}

static void paths_and_tables_are_for_html_alone(void **state)
{
    (void)state;
    const float pixels[12] = {0}, map[4] = {1, 2, 3, 4};
    gig_path_frame frames[] = {{.alpha = 0, .value = 0.1, .pixels = pixels, .map = map}, {.alpha = 1, .value = 0.9}};
    const char *names[] = {"a", "b"}, *cells[] = {"x", NULL, "y", NULL};
    const double numbers[] = {0, 1.5, 0, NAN};
    gig_sheet *sheet = new_sheet(NULL);
    assert_ok(gig_sheet_add_path(sheet, NULL, &(gig_path_frames){"softmax", 2, frames, 2, 2, 1}));
    assert_ok(gig_sheet_add_table(sheet, NULL, 2, 2, names, cells, numbers));
    uint8_t *bytes;
    size_t count;
    assert_status(gig_sheet_encode(&bytes, &count, sheet, GIG_SHEET_PNG), GIG_EUNSUPPORTED);
    assert_message("can only be written to .html files");
    page made = encode(sheet);
    assert_int_equal(json_array_size(json_object_get(panel(&made, 0), "frames")), 1);
    assert_int_equal(json_array_size(json_object_get(panel(&made, 0), "alpha")), 2);
    json_t *rows = json_object_get(panel(&made, 1), "rows");
    assert_string_equal(json_string_value(json_array_get(json_array_get(rows, 1), 0)), "y");
    assert_true(json_number_value(json_array_get(json_array_get(rows, 0), 1)) == 1.5);
    assert_true(json_is_null(json_array_get(json_array_get(rows, 1), 1)));
    clear(&made);
}

static void what_is_not_finite_is_refused(void **state)
{
    (void)state;
    const float bad[3] = {0, NAN, 0}, good[3] = {0};
    const int64_t dims[] = {3};
    gig_sheet *sheet = new_sheet(NULL);
    assert_status(gig_sheet_add_array(sheet, NULL, &(gig_array){.rank = 1, .dims = dims, .values = good, .map = bad}),
                  GIG_ENUMERIC);
    assert_message("value 1");
    assert_status(gig_sheet_add_array(sheet, NULL, &(gig_array){.rank = 1, .dims = dims, .values = bad, .map = good}),
                  GIG_ENUMERIC);
    assert_message("value 1");
    gig_path_frame frame = {.pixels = bad};
    assert_status(gig_sheet_add_path(sheet, NULL, &(gig_path_frames){NULL, 1, &frame, 1, 1, 1}), GIG_ENUMERIC);
    assert_message("value 1");
    gig_sheet_free(sheet);
}

static void running_out_of_memory_is_an_error_and_leaks_nothing(void **state)
{
    (void)state;
    const float pixels[12] = {0}, map[12] = {1, 2};
    for (size_t at = 0; at < 40; at++) {
        gig_sheet *sheet = NULL;
        uint8_t *bytes = NULL;
        size_t count;
        gig_memory_fail_at(at, 0);
        gig_status status = gig_sheet_create(&sheet, &(gig_sheet_options){.title = "t"});
        if (status == GIG_OK) status = gig_sheet_add_picture(sheet, NULL, pixels, 2, 2);
        if (status == GIG_OK) status = gig_sheet_add_map(sheet, NULL, map, 2, 2, 3, NULL);
        if (status == GIG_OK) status = gig_sheet_encode(&bytes, &count, sheet, GIG_SHEET_HTML);
        int failed = gig_memory_allocations() > at;
        gig_memory_fail_at(SIZE_MAX, 0);
        assert_int_equal(status, failed ? GIG_ENOMEM : GIG_OK);
        gig_sheet_bytes_free(bytes);
        gig_sheet_free(sheet);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_browser_may_run_the_viewer_and_nothing_else),
        cmocka_unit_test(names_from_files_cannot_become_markup),
        cmocka_unit_test(maps_come_back_to_half_a_step_of_16_bits),
        cmocka_unit_test(pictures_keep_their_bytes_whatever_the_length),
        cmocka_unit_test(base64_ends_right_for_arrays_of_any_length),
        cmocka_unit_test(paths_and_tables_are_for_html_alone),
        cmocka_unit_test(what_is_not_finite_is_refused),
        cmocka_unit_test(running_out_of_memory_is_an_error_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
