/* SPDX-License-Identifier: Apache-2.0 */
/* The model description: every key, everything assumed, and classes by name. */
#include "base/memory.h"
#include "internal/description.h"
#include "model/graph.h"
#include "model/wire.h"
#include "support.h"

static void write_file(const char *name, const char *text)
{
    temporary_file(name, text, strlen(text));
}

static gig_description *load(const char *json)
{
    gig_description *description;
    write_file("net.json", json);
    gig_status status = gig_description_load(&description, temporary_path("net.onnx"));
    if (status != GIG_OK) fail_msg("%s: %s", gig_status_name(status), gig_message());
    return description;
}

/* The description is refused, and the message holds `words`. */
static void refuses(const char *json, const char *words)
{
    gig_description *description;
    size_t before = gig_memory_used();
    write_file("net.json", json);
    assert_int_equal(gig_description_load(&description, temporary_path("net.onnx")), GIG_EFORMAT);
    assert_null(description);
    assert_non_null(strstr(gig_message(), "net.json"));
    if (!strstr(gig_message(), words)) fail_msg("\"%s\" lacks \"%s\"", gig_message(), words);
    assert_int_equal(gig_memory_used(), before);
}

static int has_remark(const gig_description *description, const char *words)
{
    for (size_t i = 0; gig_description_remark(description, i); i++)
        if (strstr(gig_description_remark(description, i), words)) return 1;
    return 0;
}

static gig_model *picture_model(int64_t a, int64_t b, int64_t c)
{
    const int64_t dims[] = {-1, a, b, c};
    wire graph = {0};
    wire_child(&graph, GRAPH_NODE, wire_node("Relu", "x", NULL, "y"));
    wire_child(&graph, GRAPH_INPUT, wire_value("x", GIG_ONNX_FLOAT, 4, dims));
    wire_child(&graph, GRAPH_OUTPUT, wire_value("y", GIG_ONNX_FLOAT, 4, dims));
    wire file = wire_model(graph, 7, 13);
    gig_model *model = NULL;
    assert_int_equal(gig_model_load_memory(&model, file.bytes, file.count, NULL), GIG_OK);
    wire_free(&file);
    return model;
}

static void reads_every_key(void **state)
{
    (void)state;
    write_file("labels.txt", "cat, tabby\r\ndog\nbird");
    gig_description *d = load("{\"input\": {\"name\": \"x\", \"width\": 20, \"height\": 10, \"resize\": \"crop\","
                              "\"short\": 30, \"filter\": \"bicubic\", \"scale\": 255, \"mean\": [1.5, 2, 3],"
                              "\"std\": [4, 5, 6.25], \"channels\": \"bgr\", \"layout\": \"nhwc\"},"
                              "\"output\": \"log-probabilities\", \"output_name\": \"y\", \"labels\": \"labels.txt\","
                              "\"cam\": \"z\"}");
    assert_string_equal(d->input, "x");
    assert_int_equal(d->pixels.enabled, 1);
    assert_int_equal(d->pixels.width, 20);
    assert_int_equal(d->pixels.height, 10);
    assert_int_equal(d->fit, GIG_CROP);
    assert_int_equal(d->shorter, 30);
    assert_int_equal(d->filter, GIG_BICUBIC);
    assert_true(d->pixels.scale == 255 && d->pixels.mean[0] == 1.5f && d->pixels.mean[2] == 3);
    assert_true(d->pixels.std[0] == 4 && d->pixels.std[2] == 6.25f);
    assert_true(d->pixels.bgr && !d->pixels.grey && d->pixels.nhwc);
    assert_int_equal(d->output, GIG_OUTPUT_LOG_PROBABILITIES);
    assert_string_equal(d->output_name, "y");
    assert_string_equal(d->cam, "z");
    assert_int_equal(d->label_count, 3);
    assert_string_equal(gig_description_label(d, 0), "cat, tabby");
    assert_string_equal(gig_description_label(d, 2), "bird");
    assert_null(gig_description_label(d, 3));
    assert_null(gig_description_remark(d, 0));
    gig_description_free(d);
}

static void says_what_it_assumes_without_a_file(void **state)
{
    (void)state;
    gig_description *d;
    unlink(temporary_path("net.json"));
    assert_int_equal(gig_description_load(&d, temporary_path("net.onnx")), GIG_OK);
    assert_true(has_remark(d, "no description"));
    assert_true(has_remark(d, "squash") && has_remark(d, "bilinear") && has_remark(d, "scale"));
    assert_true(has_remark(d, "mean") && has_remark(d, "std") && has_remark(d, "last operator"));
    assert_true(d->pixels.scale == 1 && d->pixels.mean[1] == 0 && d->pixels.std[1] == 1);
    assert_int_equal(d->output, GIG_OUTPUT_AUTO);
    gig_description_free(d);
    assert_int_equal(gig_description_load_file(&d, temporary_path("net.json")), GIG_EIO);
}

static void reads_a_description_from_memory(void **state)
{
    (void)state;
    static const char text[] = "{\"input\": {\"mean\": 0.5}, \"labels\": \"names.txt\"}", broken[] = "{\"inputs\": 1}";
    gig_description *d;
    char folder[512];
    snprintf(folder, sizeof folder, "%s", temporary_path("names.txt"));
    FILE *file = fopen(folder, "w");
    assert_non_null(file);
    fputs("one\ntwo\n", file);
    fclose(file);
    *strrchr(folder, '/') = 0;
    assert_int_equal(gig_description_load_memory(&d, text, sizeof text - 1, folder), GIG_OK);
    assert_true(d->pixels.mean[2] == 0.5f && d->label_count == 2);
    gig_description_free(d);
    assert_int_equal(gig_description_load_memory(&d, broken, sizeof broken - 1, NULL), GIG_EFORMAT);
    assert_message("./description: ");
    assert_null(d);
}

static void says_only_what_is_missing(void **state)
{
    (void)state;
    gig_description *d = load("{\"input\": {\"resize\": \"crop\", \"scale\": 2}}");
    assert_false(has_remark(d, "input.resize") || has_remark(d, "input.scale") || has_remark(d, "no description"));
    assert_true(has_remark(d, "input.short") && has_remark(d, "input.mean"));
    gig_description_free(d);
}

static void one_number_is_every_channels(void **state)
{
    (void)state;
    gig_description *d = load("{\"input\": {\"mean\": 0.5, \"std\": [0.25]}}");
    for (int c = 0; c < 3; c++) assert_true(d->pixels.mean[c] == 0.5f && d->pixels.std[c] == 0.25f);
    gig_description_free(d);
}

static void names_unknown_keys_and_wrong_types(void **state)
{
    (void)state;
    refuses("{\"inputs\": {}}", "unknown key \"inputs\"");
    refuses("{\"input\": {\"sizes\": 3}}", "unknown key \"input.sizes\"");
    refuses("{\"input\": 3}", "\"input\": expected an object");
    refuses("{\"input\": {\"width\": \"224\"}}", "\"input.width\": expected an integer");
    refuses("{\"input\": {\"width\": 0}}", "\"input.width\": expected an integer");
    refuses("{\"input\": {\"height\": 224.5}}", "\"input.height\": expected an integer");
    refuses("{\"input\": {\"height\": 100000}}", "\"input.height\": expected an integer");
    refuses("{\"input\": {\"resize\": \"squashed\"}}", "one of squash|crop|letterbox");
    refuses("{\"input\": {\"resize\": \"squas\"}}", "one of squash|crop|letterbox");
    refuses("{\"input\": {\"resize\": \"squash|crop\"}}", "one of squash|crop|letterbox");
    refuses("{\"input\": {\"filter\": 1}}", "\"input.filter\": expected one of");
    refuses("{\"input\": {\"scale\": 0}}", "\"input.scale\"");
    refuses("{\"input\": {\"scale\": 1e300}}", "\"input.scale\"");
    refuses("{\"input\": {\"mean\": [1, 2]}}", "\"input.mean\": expected a number or an array of 3");
    refuses("{\"input\": {\"mean\": [1, 2, \"3\"]}}", "\"input.mean\"");
    refuses("{\"input\": {\"mean\": \"3\"}}", "\"input.mean\"");
    refuses("{\"input\": {\"std\": 0}}", "expected numbers other than 0");
    refuses("{\"input\": {\"std\": [1, 0, 1]}}", "expected numbers other than 0");
    refuses("{\"input\": {\"name\": \"\"}}", "\"input.name\": expected a string");
    refuses("{\"output\": \"auto\"}", "\"output\": expected one of");
    refuses("{\"labels\": 3}", "\"labels\"");
    refuses("{\"labels\": [\"a\", 3]}", "\"labels\": element 1");
    refuses("{\"cam\": null}", "\"cam\"");
    refuses("[]", "an object");
    refuses("", "line");
    refuses("{\"cam\": \"a\", \"cam\": \"b\"}", "duplicate");
    refuses("{\"cam\": \"a\"} x", "line 1");
}

static void skips_a_byte_order_mark(void **state)
{
    (void)state;
    write_file("labels.txt", "\xef\xbb\xbf"
                             "cat\ndog");
    gig_description *d = load("\xef\xbb\xbf{\"labels\": \"labels.txt\"}");
    assert_int_equal(d->label_count, 2);
    assert_string_equal(d->labels[0], "cat");
    gig_description_free(d);
    write_file("labels.txt", "\xef\xbb\xbf");
    d = load("{\"labels\": \"labels.txt\"}");
    assert_int_equal(d->label_count, 0);
    gig_description_free(d);
    unlink(temporary_path("labels.txt"));
}

static void refuses_labels_that_are_not_text(void **state)
{
    (void)state;
    write_file("labels.txt", "good\nb\xff"
                             "d\n");
    refuses("{\"labels\": \"labels.txt\"}", "label 1 is not UTF-8");
    unlink(temporary_path("labels.txt"));
    gig_description *d;
    assert_int_equal(gig_description_load(&d, temporary_path("net.onnx")), GIG_EIO);
}

static void finds_classes_by_number_and_by_any_name(void **state)
{
    (void)state;
    gig_description *d = load("{\"labels\": [\"tabby, Tabby Cat\", \"crane\", \"dog\", \"crane, bird\", \"dog\"]}");
    size_t found = 99;
    assert_int_equal(gig_description_class(&found, d, "2", 5), GIG_OK);
    assert_int_equal(found, 2);
    assert_int_equal(gig_description_class(&found, d, "tabby cat", 5), GIG_OK);
    assert_int_equal(found, 0);
    assert_int_equal(gig_description_class(&found, d, "Tabby, TABBY CAT", 5), GIG_OK);
    assert_int_equal(found, 0);
    assert_int_equal(gig_description_class(&found, d, " bird ", 5), GIG_OK);
    assert_int_equal(found, 3);
    assert_int_equal(gig_description_class(&found, d, "CRANE", 5), GIG_EARG);
    assert_non_null(strstr(gig_message(), "1, 3"));
    assert_int_equal(gig_description_class(&found, d, "taby", 5), GIG_EARG);
    assert_non_null(strstr(gig_message(), "did you mean \"tabby\" (0)?"));
    assert_int_equal(gig_description_class(&found, d, "birds", 5), GIG_EARG);
    assert_non_null(strstr(gig_message(), "\"bird\" (3)"));
    assert_int_equal(gig_description_class(&found, d, "5", 5), GIG_EARG);
    assert_int_equal(gig_description_class(&found, d, "99999999999999999999999", 5), GIG_EARG);
    assert_int_equal(gig_description_class(&found, d, "-1", 5), GIG_EARG);
    assert_int_equal(gig_description_class(&found, d, "", 5), GIG_EARG);
    assert_int_equal(gig_description_class(&found, d, "bird", 3), GIG_EARG);
    assert_int_equal(gig_description_class(&found, NULL, "bird", 5), GIG_EARG);
    assert_int_equal(gig_description_class(&found, NULL, "4", 5), GIG_OK);
    gig_description_free(d);
}

/* Names longer than GIG_LETTERS are not compared, since the comparison has room for no more. */
static void long_names_are_not_suggested(void **state)
{
    (void)state;
    char label[3001], text[3100];
    memset(label, 'a', sizeof label - 1);
    label[sizeof label - 1] = 0;
    snprintf(text, sizeof text, "{\"labels\": [\"%s\", \"dog\"]}", label);
    gig_description *d = load(text);
    size_t found;
    assert_int_equal(gig_description_class(&found, d, "dig", 2), GIG_EARG);
    assert_non_null(strstr(gig_message(), "\"dog\" (1)"));
    label[sizeof label - 2] = 'b';
    assert_int_equal(gig_description_class(&found, d, label, 2), GIG_EARG);
    assert_null(strstr(gig_message(), "did you mean"));
    gig_description_free(d);
}

static void takes_size_and_layout_from_the_model(void **state)
{
    (void)state;
    gig_model *nchw = picture_model(3, 10, 20), *nhwc = picture_model(10, 20, 1);
    gig_description *d = load("{}");
    assert_int_equal(gig_description_complete(d, nchw), GIG_OK);
    assert_int_equal(d->pixels.width, 20);
    assert_int_equal(d->pixels.height, 10);
    assert_false(d->pixels.nhwc || d->pixels.grey);
    assert_true(has_remark(d, "nchw") && has_remark(d, "rgb") && has_remark(d, "took \"input.width\""));
    gig_description_free(d);
    d = load("{}");
    assert_int_equal(gig_description_complete(d, nhwc), GIG_OK);
    assert_int_equal(d->pixels.width, 20);
    assert_int_equal(d->pixels.height, 10);
    assert_true(d->pixels.nhwc && d->pixels.grey);
    gig_description_free(d);
    gig_model_free(nchw);
    gig_model_free(nhwc);
}

static void refuses_what_contradicts_the_model(void **state)
{
    (void)state;
    static const struct {
        const char *json, *words;
        gig_status status;
    } rows[] = {
        {"{\"input\": {\"width\": 21}}", "\"input.width\" is 21, but the model takes 20", GIG_EFORMAT},
        {"{\"input\": {\"height\": 20}}", "\"input.height\" is 20", GIG_EFORMAT},
        {"{\"input\": {\"channels\": \"grey\"}}", "has 3 channels, but the description has 1", GIG_EFORMAT},
        {"{\"input\": {\"layout\": \"nhwc\"}}", "has 20 channels", GIG_EFORMAT},
        {"{\"input\": {\"name\": \"q\"}}", "no input \"q\" (its first is \"x\")", GIG_EFORMAT},
    };
    gig_model *model = picture_model(3, 10, 20), *open = picture_model(3, -1, -1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        gig_description *d = load(rows[i].json);
        assert_int_equal(gig_description_complete(d, model), rows[i].status);
        if (!strstr(gig_message(), rows[i].words)) fail_msg("\"%s\" lacks \"%s\"", gig_message(), rows[i].words);
        gig_description_free(d);
    }
    gig_description *d = load("{}");
    assert_int_equal(gig_description_complete(d, open), GIG_EARG);
    assert_non_null(strstr(gig_message(), "\"input.width\""));
    gig_description_free(d);
    gig_model_free(model);
    gig_model_free(open);
}

static void reads_numbers_with_a_point_under_a_comma_locale(void **state)
{
    (void)state;
    if (!enter_comma_locale()) skip_because("no locale with decimal commas can be made");
    gig_description *d = load("{\"input\": {\"mean\": [0.25, 1.5, 2.75], \"scale\": 0.5}}");
    assert_true(d->pixels.mean[0] == 0.25f && d->pixels.mean[2] == 2.75f && d->pixels.scale == 0.5f);
    gig_description_free(d);
    setlocale(LC_NUMERIC, "C");
}

static void gives_back_all_memory_when_an_allocation_fails(void **state)
{
    (void)state;
    write_file("labels.txt", "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n");
    write_file("net.json", "{\"input\": {\"name\": \"x\"}, \"output_name\": \"y\", \"labels\": \"labels.txt\"}");
    size_t before = gig_memory_used();
    for (int lasting = 0; lasting < 2; lasting++)
        for (size_t k = 0;; k++) {
            gig_description *d;
            assert_true(k < 1000);
            gig_memory_fail_at(k, lasting);
            gig_status status = gig_description_load(&d, temporary_path("net.onnx"));
            gig_memory_fail_at(SIZE_MAX, 0);
            gig_description_free(d);
            assert_int_equal(gig_memory_used(), before);
            if (status == GIG_OK) break;
            assert_int_equal(status, GIG_ENOMEM);
        }
}

static void reads_the_descriptions_of_the_real_models(void **state)
{
    (void)state;
    const char *path;
    need_data(path, "models/mobilenet_v2_224.onnx");
    gig_description *d;
    size_t found;
    assert_int_equal(gig_description_load(&d, path), GIG_OK);
    assert_int_equal(d->label_count, 1000);
    assert_string_equal(d->cam, "n96");
    assert_int_equal(gig_description_class(&found, d, "tinca tinca", 1000), GIG_OK);
    assert_int_equal(found, 0);
    assert_int_equal(gig_description_class(&found, d, "crane", 1000), GIG_EARG);
    assert_non_null(strstr(gig_message(), "134, 517"));
    gig_description_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_every_key),
        cmocka_unit_test(says_what_it_assumes_without_a_file),
        cmocka_unit_test(reads_a_description_from_memory),
        cmocka_unit_test(says_only_what_is_missing),
        cmocka_unit_test(one_number_is_every_channels),
        cmocka_unit_test(names_unknown_keys_and_wrong_types),
        cmocka_unit_test(skips_a_byte_order_mark),
        cmocka_unit_test(refuses_labels_that_are_not_text),
        cmocka_unit_test(finds_classes_by_number_and_by_any_name),
        cmocka_unit_test(long_names_are_not_suggested),
        cmocka_unit_test(takes_size_and_layout_from_the_model),
        cmocka_unit_test(refuses_what_contradicts_the_model),
        cmocka_unit_test(reads_numbers_with_a_point_under_a_comma_locale),
        cmocka_unit_test(gives_back_all_memory_when_an_allocation_fails),
        cmocka_unit_test(reads_the_descriptions_of_the_real_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
