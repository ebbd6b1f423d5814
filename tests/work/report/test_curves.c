/* SPDX-License-Identifier: Apache-2.0 */
/* Tables and plots of curves: their median, several draws of random pixels, and scores that have none. */
#include "known_scores.h"

static void takes_the_area_of_the_median_curve(void **state)
{
    (void)state;
    const char *path = path_of("four.db");
    maker m = begin(path, "resnet", "pets");
    add(&m, "ig", "black+white", "sic", 6, 0, 0.2);
    add(&m, "ig", "black+white", "sic", 5, 0, 0.1); /* heights 0 .1 .2 .3 .4 1: median .25, over the upper half */
    add(&m, "edge", "none", "sic", 6, 0.05, 0);
    gig_store_close(m.store);
    gig_table_options options = {.like = GIG_TABLE_PAPER4};
    char *text = table_of(path, &options);
    has(text, "| ig | **0.125** [");
    has(text, ", mean 0.333 |");
    gig_text_free(text);
    options.format = GIG_TABLE_LATEX;
    text = table_of(path, &options);
    has(text, "] mean 0.333 6} \\\\");
    gig_text_free(text);
    options.format = GIG_TABLE_MARKDOWN;
    text = table_of(path, &options);
    has(text, "area of the median curve over pictures");
    gig_text_free(text);
    options.mean = 1;
    text = table_of(path, &options);
    has(text, "area of the mean curve over pictures");
    has(text, "| ig | **0.167** [");
    assert_null(strstr(text, ", mean "));
    gig_text_free(text);
}

/* Exports in CSV have none: n, the mean and the differences are of the same pictures, those with a curve. */
static void leaves_out_scores_without_a_curve(void **state)
{
    (void)state;
    const char *path = path_of("curveless.db");
    maker m = begin(path, "resnet", "pets");
    add(&m, "gig", "black", "sic", 4, 0.6, 0);
    m.without_curves = 1;
    add(&m, "edge", "none", "sic", 4, 0.9, 0);
    char *text;
    gig_table_options options = {.metric = "sic", .methods = "edge"};
    assert_status(gig_study_table(&text, path, &options), GIG_EARG);
    assert_message("none of 4 scores \"sic\" with baseline black has a curve: they were taken from an export in CSV");
    m.without_curves = 0;
    add(&m, "ig", "black", "sic", 2, 0.4, 0);
    m.without_curves = 1;
    m.first = 2;
    add(&m, "ig", "black", "sic", 1, 1, 0);
    options.methods = "gig,ig";
    text = table_of(path, &options);
    has(text,
        "| gig | **0.300*** [0.300, 0.300], mean 0.600 (n = 4) |\n| ig | 0.200 [0.200, 0.200], mean 0.400 (n = 2) |");
    has(text, " Left out: 1 score without a curve, taken from an export in CSV, which has no curves.");
    has(text, "| method | pets, resnet (n = 2) |\n|---|---|\n| gig | 0.200 [0.200, 0.200] |\n");
    gig_text_free(text);
    options.methods = NULL;
    const gig_table_format formats[] = {GIG_TABLE_MARKDOWN, GIG_TABLE_LATEX, GIG_TABLE_JSON};
    for (int i = 0; i < 3; i++) {
        options.format = formats[i];
        text = table_of(path, &options);
        has(text, " Left out: 5 scores without a curve, ");
        gig_text_free(text);
    }
    options.format = GIG_TABLE_MARKDOWN;
    text = table_of(path, &options);
    has(text, "| edge | – |");
    gig_text_free(text);
    assert_ok(gig_study_plot(path, temporary_path("curveless.html"), &options, 0));
    draws_with_words(temporary_path("curveless.html"), "; without 5 that have no curve");
    gig_store_close(m.store);
}

/* A table of areas needs no curves; a plot does. */
static void needs_curves_only_where_they_are_shown(void **state)
{
    (void)state;
    const char *path = path_of("areas.db");
    maker m = begin(path, "resnet", "pets");
    m.without_curves = 1;
    add(&m, "ig", "black", "insertion", 3, 0.6, 0);
    gig_store_close(m.store);
    gig_table_options options = {.metric = "insertion"};
    char *text = table_of(path, &options);
    has(text, "| ig | 0.600* [0.600, 0.600] |");
    assert_null(strstr(text, "Left out"));
    gig_text_free(text);
    assert_status(gig_study_plot(path, temporary_path("areas.svg"), &options, 0), GIG_EARG);
    assert_message("none of 3 scores \"insertion\"");
}

/* SIC and AIC of several draws of random pixels are theirs; other options make other metrics. */
static void takes_any_number_of_draws(void **state)
{
    (void)state;
    const char *path = path_of("draws.db");
    maker m = begin(path, "mobile", "pets");
    add(&m, "ig", "black+white", "sic/draws=5", 4, 0.4, 0);
    add(&m, "ig", "black+white", "sic/least=0.01", 4, 0.1, 0);
    add(&m, "ig", "black+white", "aic/draws=3", 4, 0.6, 0);
    gig_table_options options = {.like = GIG_TABLE_PAPER4};
    char *text = table_of(path, &options);
    has(text, "| method | pets, mobile (n = 4) |\n|---|---|\n| ig | **0.200** [0.200, 0.200], mean 0.400 |\n");
    has(text, "\nsic/draws=5: area of the median curve over pictures, channels");
    gig_text_free(text);
    assert_ok(gig_study_plot(path, temporary_path("draws.html"), &options, 0));
    draws_with_words(temporary_path("draws.html"), "sic/draws=5: median over pictures");
    options.metric = "aic";
    text = table_of(path, &options);
    has(text, "| ig | **0.300** [");
    has(text, "\naic/draws=3: area");
    gig_text_free(text);
    options.metric = "sic/draws=5/least=0.8";
    text = table_of(path, &options);
    has(text, "\nsic/draws=5: area");
    gig_text_free(text);
    const char *const missing[] = {"sic/draws=1", "sic/draws=2", "sic/least=0.02", "sic/reduction=max"};
    for (int i = 0; i < 4; i++) {
        options.metric = missing[i];
        assert_status(gig_study_table(&text, path, &options), GIG_EARG);
        assert_message("the store has no scores \"sic");
    }
    options.metric = "sic/least=0.01";
    text = table_of(path, &options);
    has(text, "\nsic/least=0.01: area");
    gig_text_free(text);
    assert_status(gig_study_table(&text, path, &(gig_table_options){.metric = "sic", .baseline = "black+white"}),
                  GIG_EARG); /* a plain table keeps to its metric */
    add(&m, "ig", "black+white", "sic", 4, 0.5, 0);
    gig_store_close(m.store);
    options.metric = NULL;
    text = table_of(path, &options);
    has(text, "| method | pets, mobile, sic (n = 4) | pets, mobile, sic/draws=5 (n = 4) |");
    has(text, "| ig | **0.250** [0.250, 0.250], mean 0.500 | **0.200** [");
    has(text, "\nsic, with the number of draws given in the column head: area of the median curve");
    gig_text_free(text);
    options.format = GIG_TABLE_CSV;
    text = table_of(path, &options);
    has(text, ",black+white,sic/draws=5,abs-sum,,4,0.2002,");
    gig_text_free(text);
}

/* The mean over pictures of how much one picture's score moves with the draw, in every format. */
static void says_how_far_draws_spread(void **state)
{
    (void)state;
    const char *path = path_of("spread.db");
    maker m = begin(path, "mobile", "pets");
    m.spread = 0.01;
    add(&m, "ig", "black", "sic/draws=5", 4, 0.4, 0);
    m.spread = 0.02;
    add(&m, "gig", "black", "sic/draws=5", 3, 0.6, 0);
    m.spread = 0;
    add(&m, "edge", "none", "sic/draws=5", 2, 0.2, 0);
    add(&m, "ig", "black", "sic", 4, 0.4, 0);
    gig_store_close(m.store);
    const char *const wanted[] = {"[0.200, 0.200], mean 0.400, draws sd 0.025 (n = 4) |", ",0,0.025,",
                                  "] mean 0.400 draws sd 0.025 4} \\\\",
                                  "\"difference_n\": 3, \"draws_sd\": 0.040000000000000001"};
    gig_table_options options = {.metric = "sic/draws=5"};
    for (int i = 0; i < 4; i++) {
        options.format = (gig_table_format)i;
        char *text = table_of(path, &options);
        has(text, wanted[i]);
        if (options.format != GIG_TABLE_CSV)
            has(text, "; draws sd: standard deviation of a picture's score from draw to draw of the random pixels");
        if (options.format == GIG_TABLE_MARKDOWN) has(text, "| gig | 0.200 [0.200, 0.200] (n = 3) |");
        if (options.format == GIG_TABLE_MARKDOWN) has(text, "| edge | 0.100 [0.100, 0.100], mean 0.200 (n = 2) |");
        if (options.format == GIG_TABLE_JSON) has(text, "\"draws_sd\": null");
        gig_text_free(text);
        options.metric = "sic";
        text = table_of(path, &options);
        assert_null(strstr(text, "draws sd"));
        gig_text_free(text);
        options.metric = "sic/draws=5";
    }
}

static void draws_the_curves_of_metrics_that_have_some(void **state)
{
    (void)state;
    const char *path = path_of("drawn.db");
    maker m = begin(path, "mobile", "pets");
    add(&m, "ig", "black", "insertion", 3, 0.6, 0.1);
    add(&m, "ig", "black", "gini", 3, 0.6, 0.1);
    gig_store_close(m.store);
    assert_ok(gig_study_plot(path, temporary_path("drawn.svg"), &(gig_table_options){.metric = "insertion"}, 0));
    assert_status(gig_study_plot(path, temporary_path("not.svg"), &(gig_table_options){.metric = "gini"}, 0), GIG_EARG);
    assert_message("gini has no curves");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_the_area_of_the_median_curve),
        cmocka_unit_test(leaves_out_scores_without_a_curve),
        cmocka_unit_test(needs_curves_only_where_they_are_shown),
        cmocka_unit_test(takes_any_number_of_draws),
        cmocka_unit_test(says_how_far_draws_spread),
        cmocka_unit_test(draws_the_curves_of_metrics_that_have_some),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
