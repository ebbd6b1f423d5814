/* SPDX-License-Identifier: Apache-2.0 */
/* Tables from stores with known scores. */
#include "known_scores.h"

#include "base/csv.h"
#include "base/memory.h"
#include <jansson.h>

static void marks_the_best_of_group_and_column(void **state)
{
    (void)state;
    const char *path = path_of("two.db");
    maker m = begin(path, "mobile", "pets");
    add(&m, "xrai+ig", "black", "auc", 6, 0.8, 0);
    add(&m, "edge", "none", "auc", 6, 0.5, 0);
    add(&m, "ig", "black", "auc", 6, 0.6, 0.01);
    add(&m, "gig", "black", "auc", 6, 0.7, 0.01);
    add(&m, "ig", "white", "auc", 6, 0.99, 0);
    add(&m, "smooth+ig", "black", "auc", 4, 0.65, 0);
    add(&m, "xrai+gig", "black", "auc", 6, 0.75, 0);
    gig_store_close(m.store);
    char *text = table_of(path, &(gig_table_options){.like = GIG_TABLE_PAPER2});
    has(text, "| method | pets, mobile |");
    has(text, "| edge | 0.500 [0.500, 0.500] (n = 6) |\n| ig | 0.625 [0.6");
    has(text, "| gig | **0.725** [0.7");
    has(text, "| smooth+ig | 0.650 [0.650, 0.650] (n = 4) |"); /* alone in its group */
    has(text, "| xrai+ig | **0.800*** [0.800, 0.800] (n = 6) |");
    has(text, "channels reduced by abs-sum; scalar softmax, precision f32, baseline black");
    has(text, "Paired differences from ig");
    has(text, "| gig | 0.100 [0.100, 0.100] (n = 6) |");
    has(text, "| smooth+ig | 0.035 [0.0"); /* 0.65 less 0.60 to 0.63, the four pictures of both */
    has(text, "] (n = 4) |\n| xrai+ig | 0.1");
    has(text, "Rows of a column with different n cover different pictures");
    assert_null(strstr(text, "0.99"));
    gig_text_free(text);
}

/* Metrics and baselines may be written in any way that means the same; what the baseline leaves out is named. */
static void knows_metrics_and_baselines_by_any_spelling(void **state)
{
    (void)state;
    const char *path = path_of("spelling.db");
    char *text;
    maker m = begin(path, "mobile", "pets");
    add(&m, "edge", "none", "auc", 3, 0.5, 0);
    add(&m, "ig", "blur:10", "auc", 3, 0.6, 0);
    add(&m, "gig", "black", "auc", 3, 0.7, 0);
    add(&m, "ig", "black", "infidelity", 3, 1.25e-6, 0);
    gig_store_close(m.store);
    gig_table_options options = {.metric = "auc/reduction=abs-sum", .baseline = "blur:10.0"};
    text = table_of(path, &options);
    has(text, "| ig | **0.600***");
    has(text, "baseline blur:10;");
    has(text, "Scored, but with another baseline: gig (black).");
    gig_text_free(text);
    options.baseline = "purple";
    assert_status(gig_study_table(&text, path, &options), GIG_EARG);
    assert_message("purple");
    text = table_of(path, &(gig_table_options){.metric = "infidelity"});
    has(text, "1.25e-06* [1.25e-06, 1.25e-06]");
    gig_text_free(text);
}

/* One star for each of two data sets (here two scalars), wherever their columns stand. */
static void marks_the_best_of_a_set_whose_columns_are_apart(void **state)
{
    (void)state;
    const char *path = path_of("apart.db"), *const scalars[] = {"softmax", "logit"};
    int stars = 0;
    maker m = begin(path, "mobile", "pets");
    for (int i = 0; i < 4; i++) {
        m.scalar = scalars[i % 2];
        add(&m, "ig", i < 2 ? "black" : "white", "auc", 3, 0.6 + 0.01 * i, 0);
    }
    gig_store_close(m.store);
    char *text = table_of(path, &(gig_table_options){.like = GIG_TABLE_PAPER3});
    for (const char *at = text; (at = strstr(at, "*** [")); at++) stars++;
    if (stars != 2) fail_msg("%d stars:\n%s", stars, text);
    gig_text_free(text);
}

/* A list may name one file twice, with two labels: two pictures. */
static void counts_a_file_as_often_as_it_is_listed(void **state)
{
    (void)state;
    const char *path = path_of("twice.db");
    gig_store *store;
    maker m;
    assert_ok(gig_store_open(&store, path, GIG_STORE_RUN));
    open_maker(&m, store, "mobile", "pets");
    char name[] = "p0.jpg";
    gig_study_picture again = {.name = name, .file = name, .label = 2};
    assert_ok(gig_store_put_picture(&m.pictures[1], store, "pets again", "pets", &again));
    add(&m, "ig", "black", "auc", 2, 0.4, 0.2);
    add(&m, "gig", "black", "auc", 2, 0.5, 0.4);
    gig_store_close(store);
    char *text = table_of(path, NULL);
    has(text, "| method | pets, mobile (n = 2) |");
    has(text, "| ig | 0.500 [");
    has(text, "| gig | 0.200 [0.100, 0.300] |"); /* the difference */
    gig_text_free(text);
}

static void puts_baselines_into_columns(void **state)
{
    (void)state;
    const char *path = path_of("three.db");
    maker m = begin(path, "inception", "ilsvrc");
    add(&m, "ig", "black", "auc", 3, 0.5, 0);
    add(&m, "ig", "white", "auc", 3, 0.55, 0);
    add(&m, "ig", "black+white", "auc", 3, 0.6, 0);
    add(&m, "ig", "random#0", "auc", 3, 0.9, 0);
    add(&m, "blur-ig", "none", "auc", 3, 0.58, 0);
    gig_store_close(m.store);
    char *text = table_of(path, &(gig_table_options){.like = GIG_TABLE_PAPER3});
    has(text, "| method | ilsvrc, inception, black (n = 3) | ilsvrc, inception, white (n = 3) "
              "| ilsvrc, inception, black+white (n = 3) |");
    has(text, "| ig | 0.500 [0.500, 0.500] | 0.550 [0.550, 0.550] | **0.600*** [0.600, 0.600] |");
    has(text, "| blur-ig | **0.580** [0.580, 0.580] | **0.580** [0.580, 0.580] | 0.580 [0.580, 0.580] |");
    assert_null(strstr(text, "random"));
    gig_text_free(text);
}

/* Scores of one method under two scalars are two numbers, not their mean. */
static void puts_scalars_and_precisions_into_columns(void **state)
{
    (void)state;
    const char *path = path_of("scalars.db");
    gig_store *store;
    maker m;
    assert_ok(gig_store_open(&store, path, GIG_STORE_RUN));
    open_maker(&m, store, "inception", "ilsvrc");
    add(&m, "ig", "black", "auc", 3, 0.5, 0);
    m.scalar = "logit";
    add(&m, "ig", "black", "auc", 4, 0.6, 0);
    gig_store_close(store);
    char *text = table_of(path, NULL);
    has(text, "| method | ilsvrc, inception, softmax (n = 3) | ilsvrc, inception, logit (n = 4) |");
    has(text, "| ig | 0.500* [0.500, 0.500] | 0.600* [0.600, 0.600] |");
    has(text, "; scalar as in the column head, precision f32, baseline black;");
    gig_text_free(text);
    assert_ok(gig_store_open(&store, path, GIG_STORE_RUN));
    m.store = store;
    m.precision = "split";
    add(&m, "ig", "black", "auc", 2, 0.7, 0);
    gig_store_close(store);
    text = table_of(path, &(gig_table_options){.format = GIG_TABLE_LATEX});
    has(text, "Method & ilsvrc, inception, softmax, f32 & ilsvrc, inception, logit, f32 & "
              "ilsvrc, inception, logit, split \\\\");
    has(text, "precision as in the column head");
    gig_text_free(text);
    text = table_of(path, &(gig_table_options){.format = GIG_TABLE_CSV});
    has(text, "method,group,set,model,baseline,metric,reduction,against,of,precision,n,value");
    has(text, "ig,,ilsvrc,inception,black,auc,abs-sum,,logit,split,2,0.7,");
    gig_text_free(text);
    text = table_of(path, &(gig_table_options){.format = GIG_TABLE_JSON});
    has(text, "\"metric\": \"auc\", \"reduction\": \"abs-sum\", \"against\": \"\", \"of\": \"logit\", \"precision\": "
              "\"f32\", \"n\": 4");
    gig_text_free(text);
}

static void prefers_small_errors(void **state)
{
    (void)state;
    const char *path = path_of("one.db");
    maker m = begin(path, "mobile", "ilsvrc");
    add(&m, "ig", "black", "closed", 3, 3.8e-7, 0);
    add(&m, "gig", "black", "closed", 3, 7.3e-8, 0);
    open_maker(&m, m.store, "large", "ilsvrc");
    add(&m, "ig", "black", "closed/paths=4", 3, 2.5e-7, 0);
    add(&m, "ig", "black", "closed/corners=pictures", 3, 1, 0);
    gig_store_close(m.store);
    char *text = table_of(path, &(gig_table_options){.like = GIG_TABLE_PAPER1});
    has(text, "| **2.5e-07** [");
    has(text, "| gig | **7.3e-08** [7.3e-08, 7.3e-08] |");
    has(text, "| ig | 3.8e-07 [");
    has(text, "| ilsvrc, mobile, closed (n = 3) | ilsvrc, large, closed/paths=4 (n = 3) |");
    has(text, "\nclosed, with the number of paths given in the column head; scalar softmax");
    gig_text_free(text);
    text = table_of(path, &(gig_table_options){.like = GIG_TABLE_PAPER1, .methods = "gig:0/fraction=0.1,ig"});
    assert_true(strstr(text, "| gig |") < strstr(text, "| ig |"));
    assert_null(strstr(text, "Asked for"));
    gig_text_free(text);
    text = table_of(path, &(gig_table_options){.like = GIG_TABLE_PAPER1, .methods = "edge,gig:0"});
    has(text, "| gig |");
    has(text, " Asked for, but not scored: edge.");
    assert_null(strstr(text, "| ig |"));
    gig_text_free(text);
}

/* Squares of two paths are not called those of ten. */
static void says_how_many_paths_were_closed(void **state)
{
    (void)state;
    const char *path = path_of("paths.db");
    maker m = begin(path, "mobile", "ilsvrc");
    add(&m, "ig", "black", "closed/paths=2", 3, 3.8e-7, 0);
    gig_store_close(m.store);
    gig_table_options options = {.like = GIG_TABLE_PAPER1};
    const char *const wanted[] = {"\nclosed/paths=2; scalar softmax", ",black,closed/paths=2,,,3,",
                                  "% closed/paths=2; scalar", "\"metric\": \"closed/paths=2\", "};
    for (int i = 0; i < 4; i++) {
        options.format = (gig_table_format)i;
        char *text = table_of(path, &options);
        has(text, wanted[i]);
        assert_null(strstr(text, "closed;"));
        gig_text_free(text);
    }
}

static void finds_methods_by_short_names(void **state)
{
    (void)state;
    const char *path = path_of("short.db"), *than[] = {"gig:7"};
    char *text;
    maker m = begin(path, "mobile", "pets");
    add(&m, "ig/steps=50/rule=left", "black", "auc", 3, 0.5, 0);
    add(&m, "ig/steps=50", "black", "auc", 3, 0.6, 0);
    add(&m, "gig/steps=50", "black", "auc", 3, 0.7, 0);
    open_maker(&m, m.store, "large", "pets");
    add(&m, "gig:20/steps=50", "black", "auc", 3, 0.8, 0);
    gig_store_close(m.store);
    text = table_of(path, &(gig_table_options){.methods = "gig:0,ig/steps=50"});
    has(text,
        "| method | pets, mobile (n = 3) |\n|---|---|\n| gig/steps=50 | **0.700*** [0.700, 0.700] |\n| ig/steps=50 |");
    assert_null(strstr(text, "rule=left"));
    assert_null(strstr(text, "Asked for"));
    gig_text_free(text);
    text = table_of(path, &(gig_table_options){.methods = "gig:20,ig,edge", .against = "gig:20"});
    has(text, "| gig:20/steps=50 |");
    has(text, "| ig/steps=50/rule=left |"); /* the first of two */
    has(text, " Asked for, but not scored: edge. Scored, but not asked for: ig/steps=50, gig/steps=50.");
    gig_text_free(text);
    assert_status(gig_study_table(&text, path, &(gig_table_options){.methods = "gig:7,edge"}), GIG_EARG);
    assert_message(
        "no auc of method \"gig:7,edge\" with baseline black, only of ig/steps=50/rule=left, ig/steps=50, gig");
    assert_status(gig_study_table(&text, path, &(gig_table_options){.methods = "ig", .against = "gig:7"}), GIG_EARG);
    assert_message("no auc of method \"gig:7\" with baseline black, only of ig/steps=50/rule=left, ig/steps=50, gig/");
    gig_show_options options = {.better = "gig:0", .than = than, .than_count = 1};
    assert_status(gig_study_show(path, temporary_path("short.png"), &options, 0), GIG_EARG);
    assert_message("no auc of method \"gig:7\" with baseline black, only of ig/");
}

/* Any method of the store may be compared with; differences are those of the rows asked for. */
static void compares_with_a_row_that_is_not_shown(void **state)
{
    (void)state;
    const char *path = path_of("against.db");
    maker m = begin(path, "mobile", "pets");
    add(&m, "edge", "none", "auc", 3, 0.5, 0);
    add(&m, "ig/steps=50", "black", "auc", 3, 0.6, 0);
    add(&m, "xrai+ig/steps=50", "black", "auc", 3, 0.8, 0);
    add(&m, "gig:20/steps=50", "black", "auc", 3, 0.7, 0);
    gig_store_close(m.store);
    const char head[] = "| method | pets, mobile (n = 3) |\n|---|---|\n";
    char expected[512];
    gig_table_options options = {.like = GIG_TABLE_PAPER2, .against = "xrai+ig", .methods = "gig:20,ig"};
    char *text = table_of(path, &options);
    snprintf(expected, sizeof expected,
             "%s| gig:20/steps=50 | **0.700*** [0.700, 0.700] |\n| ig/steps=50 | 0.600 [0.600, 0.600] |\n\n", head);
    has(text, expected);
    snprintf(expected, sizeof expected,
             "Paired differences from xrai+ig/steps=50:\n\n%s| gig:20/steps=50 | -0.100 [-0.100, -0.100] |\n"
             "| ig/steps=50 | -0.200 [-0.200, -0.200] |\n",
             head);
    has(text, expected);
    assert_true(strlen(strstr(text, expected)) == strlen(expected));
    gig_text_free(text);
    options.methods = "edge";
    text = table_of(path, &options);
    has(text, "| edge | -0.300 [-0.300, -0.300] |\n");
    gig_text_free(text);
    options.format = GIG_TABLE_CSV;
    text = table_of(path, &options);
    has(text, "auc,abs-sum,xrai+ig/steps=50,3,0.5,0.5,0.5,0.5,-0.3,-0.3,-0.3,3,");
    assert_null(strstr(text, "\nxrai"));
    gig_text_free(text);
    options = (gig_table_options){.methods = "xrai+ig,gig:20", .against = "xrai+ig", .format = GIG_TABLE_LATEX};
    text = table_of(path, &options);
    has(text, "gig:20/steps=50 & -0.100 {\\scriptsize [-0.100, -0.100] 3} \\\\\n\\bottomrule");
    gig_text_free(text);
    text = table_of(path, &(gig_table_options){.methods = "edge,gig:20"}); /* ig is compared with if it is there */
    assert_null(strstr(text, "Paired"));
    gig_text_free(text);
}

static void writes_formats_that_others_read(void **state)
{
    (void)state;
    const char *path = path_of("formats.db");
    gig_store *store;
    maker m;
    assert_ok(gig_store_open(&store, path, GIG_STORE_RUN));
    open_maker(&m, store, "a \"quoted\", model_1", "pets");
    add(&m, "ig", "black", "auc", 3, 0.5, 0.1);
    add(&m, "gig:20", "black", "auc", 2, 0.5, 0.1);
    gig_store_close(store);

    char *text = table_of(path, &(gig_table_options){.format = GIG_TABLE_CSV});
    gig_csv csv;
    assert_ok(gig_csv_parse(&csv, text, strlen(text)));
    assert_true(csv.rows == 2);
    assert_string_equal(gig_csv_field(&csv, 0, gig_csv_column(&csv, "model")), "a \"quoted\", model_1");
    assert_string_equal(gig_csv_field(&csv, 0, gig_csv_column(&csv, "value")), "0.6");
    assert_string_equal(gig_csv_field(&csv, 0, gig_csv_column(&csv, "difference")), "");
    assert_string_equal(gig_csv_field(&csv, 1, gig_csv_column(&csv, "difference")), "0");
    assert_string_equal(gig_csv_field(&csv, 1, gig_csv_column(&csv, "n")), "2");
    gig_csv_clear(&csv);
    gig_text_free(text);

    text = table_of(path, &(gig_table_options){.format = GIG_TABLE_JSON});
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(root);
    json_t *entries = json_object_get(root, "entries");
    assert_true(json_array_size(entries) == 2);
    assert_string_equal(json_string_value(json_object_get(json_array_get(entries, 0), "model")),
                        "a \"quoted\", model_1");
    assert_true(json_is_null(json_object_get(json_array_get(entries, 0), "difference")));
    json_decref(root);
    gig_text_free(text);

    text = table_of(path, &(gig_table_options){.format = GIG_TABLE_LATEX});
    has(text, "model\\_1");
    has(text, "\\textbf{0.600}$^*$");
    has(text, "gig:20 & 0.000 {\\scriptsize [0.000, 0.000] 2}");
    has(text, "% Paired differences from ig.");
    gig_text_free(text);
    assert_status(gig_study_table(&text, path, &(gig_table_options){.against = "gig:7"}), GIG_EARG);
    assert_message("no auc of method \"gig:7\"");

    assert_ok(gig_study_export(&text, path, 0));
    assert_ok(gig_csv_parse(&csv, text, strlen(text)));
    assert_true(csv.rows == 5);
    assert_string_equal(gig_csv_field(&csv, 4, gig_csv_column(&csv, "picture")), "p2.jpg");
    gig_csv_clear(&csv);
    gig_text_free(text);
    assert_ok(gig_study_export(&text, path, 1));
    root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_true(json_array_size(root) == 5);
    json_decref(root);
    gig_text_free(text);
}

static void says_when_there_is_nothing_to_show(void **state)
{
    (void)state;
    const char *path = path_of("empty.db");
    gig_store *store;
    char *text;
    assert_ok(gig_store_open(&store, path, GIG_STORE_RUN));
    gig_store_close(store);
    assert_status(gig_study_table(&text, path, NULL), GIG_EARG);
    assert_message("no scores \"auc\" with baseline black");
    assert_status(gig_study_table(&text, path, &(gig_table_options){.metric = "auk"}), GIG_EARG);
    assert_message("unknown metric");
    assert_ok(gig_study_export(&text, path, 1));
    assert_string_equal(text, "[]\n");
    gig_text_free(text);
    assert_ok(gig_study_failures(&text, path));
    assert_string_equal(text, "");
    gig_text_free(text);
}

/* The first picture is above the other method's and below the mean, the second the other way round. */
static void shows_what_is_above_the_mean_and_the_others(void **state)
{
    (void)state;
    const char *path = path_of("show.db"), *than[] = {"ig"};
    maker m = begin(path, "resnet", "pets");
    add(&m, "gig:20", "black", "auc", 2, 0.5, 0.4);
    add(&m, "ig", "black", "auc", 2, 0.4, 0.55);
    add(&m, "edge", "none", "auc", 2, 0.1, 0.1);
    add(&m, "gig:20", "black", "deletion", 2, 0.5, 0.4);
    add(&m, "ig", "black", "deletion", 2, 0.4, 0.1);
    add(&m, "edge", "none", "deletion", 2, 0.6, 0.1);
    gig_store_close(m.store);
    gig_show_options options = {.better = "gig:20", .than = than, .than_count = 1};
    assert_status(gig_study_show(path, temporary_path("show.png"), &options, 0), GIG_EARG);
    assert_message("gig:20 is above its mean and above the others on no picture");
    options.metric = "deletion"; /* less is better: the first picture is below the mean, and above the other's */
    assert_status(gig_study_show(path, temporary_path("show.png"), &options, 0), GIG_EARG);
    assert_message("gig:20 is below its mean and below the others on no picture");
    than[0] = "edge"; /* where the first picture is below both: its model is then looked for */
    assert_status(gig_study_show(path, temporary_path("show.png"), &options, 0), GIG_EIO);
    assert_message("m.onnx");
    options.metric = NULL; /* the second picture */
    assert_status(gig_study_show(path, temporary_path("show.png"), &options, 0), GIG_EIO);
    assert_message("m.onnx");
}

static void gives_back_memory_when_it_runs_out(void **state)
{
    (void)state;
    const char *path = path_of("memory.db");
    maker m = begin(path, "m", "s");
    add(&m, "ig", "black", "sic", 2, 0.5, 0.1);
    add(&m, "edge", "none", "sic", 2, 0.5, 0.1);
    gig_store_close(m.store);
    size_t before = gig_memory_used(), at = 0;
    for (gig_status status = GIG_ENOMEM; status != GIG_OK; at++) {
        char *text;
        gig_memory_fail_at(at, 0);
        status = gig_study_table(&text, path, &(gig_table_options){.metric = "sic", .format = (at % 2) * 3});
        assert_true(status == GIG_OK || status == GIG_ENOMEM);
        gig_text_free(text);
        assert_true(gig_memory_used() == before);
    }
    gig_memory_fail_at(SIZE_MAX, 0);
    assert_true(at > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marks_the_best_of_group_and_column),
        cmocka_unit_test(knows_metrics_and_baselines_by_any_spelling),
        cmocka_unit_test(marks_the_best_of_a_set_whose_columns_are_apart),
        cmocka_unit_test(counts_a_file_as_often_as_it_is_listed),
        cmocka_unit_test(puts_baselines_into_columns),
        cmocka_unit_test(puts_scalars_and_precisions_into_columns),
        cmocka_unit_test(prefers_small_errors),
        cmocka_unit_test(says_how_many_paths_were_closed),
        cmocka_unit_test(finds_methods_by_short_names),
        cmocka_unit_test(compares_with_a_row_that_is_not_shown),
        cmocka_unit_test(writes_formats_that_others_read),
        cmocka_unit_test(says_when_there_is_nothing_to_show),
        cmocka_unit_test(shows_what_is_above_the_mean_and_the_others),
        cmocka_unit_test(gives_back_memory_when_it_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
