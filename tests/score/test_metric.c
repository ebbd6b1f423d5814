/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics by name, and a list of them on one map. */
#include "support.h"

#include "base/memory.h"
#include "base/rng.h"
#include "internal/metric.h"

static void reads_names_and_prints_one_form(void **state)
{
    (void)state;
    const char *const cases[][2] = {
        {"auc", "auc"},
        {"auc/reduction=abs-sum", "auc"},
        {"sic/reduction=max/least=0.5", "sic/least=0.5/reduction=max"},
        {"aic/fraction=.02", "aic/fraction=0.02"},
        {"insertion/steps=100/sigma=5", "insertion/sigma=5"},
        {"deletion/steps=50", "deletion/steps=50"},
        {"infidelity/samples=20/noise=1e-2", "infidelity/noise=0.01/samples=20"},
        {"sensitivity/radius=0.1", "sensitivity/radius=0.1"},
        {"closed/paths=50/corners=pictures", "closed/corners=pictures/paths=50"},
        {"closed/corners=random", "closed"},
        {"completeness", "completeness"},
        {"pointing", "pointing"},
        {"sic/least=0.123456789012345678", "sic/least=0.12345678901234568"},
        {"gini/reduction=sum", "gini/reduction=sum"},
        {"sic/least=0.5/draws=5", "sic/draws=5/least=0.5"},
        {"stability/of=rank/draws=1", "stability/of=rank"},
        {"agreement/of=rank/mean=2/draws=20", "agreement/mean=2/of=rank"},
        {"spread/reduction=max/draws=5", "spread/draws=5/reduction=max"},
        {"other-class/by=rank", "other-class/by=rank"},
        {"mufidelity/subsets=200", "mufidelity"},
        {"road/reduction=max", "road/reduction=max"},
        {"diffid", "diffid"},
        {"mass", "mass"},
        {"rank", "rank"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gig_metric metric, again;
        char name[GIG_METRIC_NAME_BYTES];
        assert_ok(gig_metric_parse(&metric, cases[i][0]));
        assert_string_equal(gig_metric_name(name, sizeof name, &metric), cases[i][1]);
        assert_ok(gig_metric_parse(&again, name));
        assert_memory_equal(&again, &metric, sizeof metric);
    }
}

static void says_what_is_wrong_with_a_name(void **state)
{
    (void)state;
    const char *const cases[][2] = {
        {"auk", "unknown metric \"auk\""},
        {"", "unknown metric \"\""},
        {"auc/steps=3", "auc has no option \"steps\""},
        {"auc/reduction=mean", "option \"reduction\": unknown value \"mean\"; expected one of abs-sum"},
        {"sic/least", "option \"least\" has no value"},
        {"sic/least=0", "option \"least\": found \"0\", expected a number above 0 and at most 1"},
        {"deletion/steps=1.5", "option \"steps\""},
        {"closed/corners=edges", "unknown value \"edges\"; expected one of random|pictures"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gig_metric metric;
        assert_status(gig_metric_parse(&metric, cases[i][0]), GIG_EARG);
        assert_message(cases[i][1]);
    }
}

static void refuses_a_metric_that_no_name_gives(void **state)
{
    (void)state;
    gig_metric none = {0}, zeros, bad;
    assert_ok(gig_metric_parse(&zeros, "deletion"));
    assert_ok(gig_metric_parse(&bad, "auc"));
    zeros.values[1] = 0;
    bad.values[0] = 7;
    char name[GIG_METRIC_NAME_BYTES];
    gig_metric_result result;
    gig_scored scored = {.height = 1, .width = 1};
    assert_string_equal(gig_metric_name(name, sizeof name, &none), "unknown");
    assert_int_equal(gig_metric_needs(&none), 0);
    assert_status(gig_metrics_score(&result, &none, 1, &scored), GIG_EARG);
    assert_message("the metric has no row");
    assert_status(gig_metrics_score(&result, &zeros, 1, &scored), GIG_EARG);
    assert_message("deletion: steps is 0");
    assert_status(gig_metrics_score(&result, &bad, 1, &scored), GIG_EARG);
    assert_message("auc: reduction is 7");
}

/* --- a map of a small picture ---------------------------------------------------------------------------------- */

enum { SIDE = 16, PIXELS = SIDE * SIDE };

/* Brightness of the middle; its argmax function says whether that exceeds 0.8. */
static gig_status brightness(void *payload, size_t batch, const float *const *points, const size_t *targets,
                             double *values, float *const *gradients)
{
    (void)targets;
    for (size_t b = 0; b < batch; b++) {
        double sum = 0;
        float *gradient = gradients ? gradients[b] : NULL;
        if (gradient) memset(gradient, 0, PIXELS * 3 * sizeof(float));
        for (int y = 4; y < 12; y++)
            for (int x = 4; x < 12; x++)
                for (int c = 0; c < 3; c++) {
                    sum += (double)points[b][(y * SIDE + x) * 3 + c] / 192;
                    if (gradient) gradient[(y * SIDE + x) * 3 + c] = (float)(1.0 / 192);
                }
        values[b] = payload ? sum > 0.8 : sum;
    }
    return GIG_OK;
}

static gig_status explain_again(void *payload, float *attribution, const float *input)
{
    (void)payload;
    for (size_t i = 0; i < PIXELS * 3; i++) attribution[i] = input[i];
    return GIG_OK;
}

static uint8_t pixels[PIXELS * 3], mask[PIXELS];
static float attribution[PIXELS * 3];
static int argmax_mark;
static const gig_function function = {PIXELS * 3, 5, brightness, NULL};
static const gig_function argmax = {PIXELS * 3, 5, brightness, &argmax_mark};
static const gig_chain side = {.steps = 10};

static gig_scored make_scored(void)
{
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            int inside = x >= 4 && x < 12 && y >= 4 && y < 12, at = y * SIDE + x;
            mask[at] = inside;
            for (int c = 0; c < 3; c++) {
                uint64_t grain = gig_rng_bits((gig_rng){3, 0}, (uint64_t)(at * 3 + c)) % 32;
                pixels[at * 3 + c] = (uint8_t)((inside ? 220 : 20) + (int)grain);
                attribution[at * 3 + c] = inside ? (float)pixels[at * 3 + c] / 255.0f / 192.0f : 0.0f;
            }
        }
    return (gig_scored){.height = SIDE,
                        .width = SIDE,
                        .attribution = attribution,
                        .channels = 3,
                        .mask = mask,
                        .pixels = pixels,
                        .workers = 1,
                        .functions = &function,
                        .argmax_functions = &argmax,
                        .explain = explain_again,
                        .side = &side,
                        .sum = 0.9,
                        .value_input = 0.92,
                        .value_baseline = 0,
                        .threads = 1};
}

static void scores_a_list_of_metrics(void **state)
{
    (void)state;
    const char *const names[] = {"auc",      "pointing",   "gini",        "sic",          "aic",   "insertion",
                                 "deletion", "infidelity", "sensitivity", "completeness", "closed"};
    gig_metric metrics[11];
    gig_metric_result results[11];
    gig_scored scored = make_scored();
    for (int i = 0; i < 11; i++) assert_ok(gig_metric_parse(&metrics[i], names[i]));
    assert_ok(gig_metrics_score(results, metrics, 11, &scored));
    for (int i = 0; i < 11; i++) assert_string_equal(results[i].note, "");
    assert_true(results[0].value == 1 && results[0].curve.count == 201 && results[0].curve.y[0] == 1);
    assert_true(results[1].value == 1);
    assert_true(results[2].value > 0.7 && results[2].value < 0.8);
    assert_true(results[3].value > 0.5 && results[3].curve.count == 15);
    assert_true(results[4].value > 0.5);
    assert_true(results[5].value > 0.7 && results[5].curve.count == 101 && results[5].curve.x[100] == 1);
    assert_true(results[6].value < 0.2 && results[6].curve.y[100] == 0);
    assert_float_equal(results[7].value, 0, 1e-9); /* a linear function and its exact map */
    assert_float_equal(results[9].value, 0.02 / 0.92, 1e-12);
    assert_float_equal(results[10].value, 0, 1e-9);
    for (int i = 0; i < 11; i++) gig_metric_result_clear(&results[i]);
}

/* The same map for every class but the scored one's, which is upside down there. */
static gig_status explain_upside_down(void *payload, float *out, size_t target)
{
    (void)payload;
    assert_true(target != 0 && target < 3);
    for (size_t i = 0; i < PIXELS; i++)
        for (size_t c = 0; c < 3; c++) out[i * 3 + c] = attribution[(PIXELS - 1 - i) * 3 + c];
    return GIG_OK;
}

static void scores_what_today_s_comparisons_report(void **state)
{
    (void)state;
    const char *const names[] = {"mass",       "rank",      "diffid",      "road",
                                 "mufidelity", "stability", "other-class", "other-class/by=rank"};
    enum { COUNT = 8 };
    gig_metric metrics[COUNT];
    gig_metric_result results[COUNT];
    gig_scored scored = make_scored();
    scored.explain_class = explain_upside_down;
    scored.classes = 3;
    for (int i = 0; i < COUNT; i++) assert_ok(gig_metric_parse(&metrics[i], names[i]));
    for (size_t i = 0; i < PIXELS * 3; i++) attribution[i] = (float)pixels[i] / 255.0f;
    assert_ok(gig_metrics_score(results, metrics, COUNT, &scored));
    for (int i = 0; i < COUNT; i++) assert_string_equal(results[i].note, "");
    assert_true(results[0].value > 0.6 && results[0].value < 1); /* bright inside, grains outside */
    assert_true(results[1].value == 1);
    assert_true(results[2].value > 0.1 && results[3].value > 0.1);
    assert_true(results[4].value > 0.9);
    assert_true(results[5].value > 0.999 && results[5].value <= 1); /* the map is the input itself */
    assert_true(results[6].value > 0.5 && results[6].value < 1);    /* a square upside down is a square */
    assert_true(results[7].value > 0.2 && results[7].value < 1);
    for (int i = 0; i < COUNT; i++) gig_metric_result_clear(&results[i]);
}

/* The mean over draws is the mean of what each seed gives, and its spread their deviation. */
static void averages_information_curves_over_draws(void **state)
{
    (void)state;
    enum { DRAWS = 4 };
    gig_scored scored = make_scored();
    gig_metric one, several;
    gig_metric_result result;
    double mean = 0, square = 0, values[DRAWS];
    assert_ok(gig_metric_parse(&one, "sic"));
    assert_ok(gig_metric_parse(&several, "sic/draws=4"));
    for (size_t d = 0; d < DRAWS; d++) {
        scored.seed = 7 + d;
        assert_ok(gig_metrics_score(&result, &one, 1, &scored));
        assert_true(isnan(result.spread));
        mean += (values[d] = result.value) / DRAWS;
        gig_metric_result_clear(&result);
    }
    for (size_t d = 0; d < DRAWS; d++) square += (values[d] - mean) * (values[d] - mean);
    scored.seed = 7;
    scored.picture = 99; /* draws go by the pixels, not by what a study calls the picture */
    assert_ok(gig_metrics_score(&result, &several, 1, &scored));
    assert_float_equal(result.value, mean, 1e-9);
    assert_float_equal(result.spread, sqrt(square / (DRAWS - 1)), 1e-9);
    assert_non_null(strstr(result.note, "over 4 draws"));
    assert_float_equal(gig_metric_spread_in(result.note), result.spread, 1e-3 * result.spread);
    assert_int_equal(result.curve.count, 1001);
    gig_metric_result_clear(&result);
}

/* docs/metrics.md is the one list of metrics: a line with the name, and with each option and its default. */
static void are_on_the_page_with_their_options(void **state)
{
    (void)state;
    const gig_metric_row *row;
    for (size_t i = 0; (row = gig_metric_row_at(i)); i++) {
        FILE *file = fopen(source_path("docs/metrics.md"), "rb");
        char line[1024], name[64];
        int found = 0;
        assert_non_null(file);
        snprintf(name, sizeof name, "`%s`", row->name);
        while (!found && fgets(line, sizeof line, file)) found = *line == '|' && strstr(line, name);
        fclose(file);
        if (!found) fail_msg("docs/metrics.md has no line of %s", row->name);
        for (size_t k = 0; k < row->option_count; k++) {
            const gig_method_option *option = &row->options[k];
            char text[64];
            if (option->kind == GIG_OPTION_CHOICE)
                snprintf(text, sizeof text, "`%s=%.*s`", option->name, (int)strcspn(option->choices, "|"),
                         option->choices);
            else
                snprintf(text, sizeof text, "`%s=%g`", option->name, option->usual);
            int said = strstr(line, text) || (!strcmp(text, "`reduction=abs-sum`") && strstr(line, "reduction |"));
            if (!said) fail_msg("docs/metrics.md: the line of %s does not say %s", row->name, text);
        }
    }
}

/* It is kept as a text, in stores and exports of every release: only that text is read as a number. */
static void reads_a_spread_from_its_note_alone(void **state)
{
    (void)state;
    const char *const others[] = {"",
                                  "spread",
                                  "spread 0.0123",
                                  "spread 0.0123 over 5",
                                  "spread 0.0123 over 5 draws and more",
                                  "spread 0.01230 over 5 draws",
                                  "spread -0.0123 over 5 draws",
                                  "spread nan over 5 draws",
                                  "spread 0.0123 over 1 draws",
                                  "spread 0.0123 over five draws",
                                  "a spread 0.0123 over 5 draws",
                                  "there is no ground truth"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) assert_true(isnan(gig_metric_spread_in(others[i])));
    assert_true(isnan(gig_metric_spread_in(NULL)));
    assert_true(gig_metric_spread_in("spread 0.0123 over 5 draws") == 0.0123);
    assert_true(gig_metric_spread_in("spread 0 over 2 draws") == 0);
    assert_true(gig_metric_spread_in("spread 1.5e-05 over 10000 draws") == 1.5e-5);
}

/* Where the map is the input itself, what changes is the change: uniform in [-0.02, 0.02], 0.02 / sqrt(3) a value. */
static void measures_sensitivity_of_a_known_map(void **state)
{
    (void)state;
    gig_scored scored = make_scored();
    gig_metric metric;
    gig_metric_result result;
    double squares = 0;
    for (size_t i = 0; i < PIXELS * 3; i++) {
        attribution[i] = (float)pixels[i] / 255.0f;
        squares += (double)attribution[i] * (double)attribution[i];
    }
    assert_ok(gig_metric_parse(&metric, "sensitivity"));
    assert_ok(gig_metrics_score(&result, &metric, 1, &scored));
    assert_float_equal(result.value * sqrt(squares), 0.02 * sqrt(PIXELS), 0.1 * 0.02 * sqrt(PIXELS));
    gig_metric_result_clear(&result);
}

static void gives_the_same_bits_on_several_workers(void **state)
{
    (void)state;
    const char *const names[] = {"sic", "aic", "insertion", "deletion", "infidelity", "closed"};
    enum { WORKERS = 3, COUNT = 6 };
    const gig_function functions[WORKERS] = {function, function, function};
    const gig_function argmaxes[WORKERS] = {argmax, argmax, argmax};
    gig_metric metrics[COUNT];
    gig_metric_result alone[COUNT], together[COUNT];
    gig_scored scored = make_scored();
    for (size_t i = 0; i < PIXELS * 3; i++) attribution[i] += 0.01f * (float)(i % 7);
    for (int i = 0; i < COUNT; i++) assert_ok(gig_metric_parse(&metrics[i], names[i]));
    assert_ok(gig_metrics_score(alone, metrics, COUNT, &scored));
    scored.workers = WORKERS;
    scored.functions = functions;
    scored.argmax_functions = argmaxes;
    scored.threads = WORKERS;
    assert_ok(gig_metrics_score(together, metrics, COUNT, &scored));
    for (int i = 0; i < COUNT; i++) {
        assert_true(alone[i].value == together[i].value);
        gig_metric_result_clear(&alone[i]);
        gig_metric_result_clear(&together[i]);
    }
}

/* x0 x1: what a closed path leaves of it is the area of the path. */
static gig_status bend(void *payload, size_t batch, const float *const *points, const size_t *targets, double *values,
                       float *const *gradients)
{
    (void)payload, (void)targets;
    for (size_t b = 0; b < batch; b++) {
        values[b] = (double)points[b][0] * (double)points[b][1];
        float *gradient = gradients ? gradients[b] : NULL;
        if (!gradient) continue;
        memset(gradient, 0, PIXELS * 3 * sizeof(float));
        gradient[0] = points[b][1];
        gradient[1] = points[b][0];
    }
    return GIG_OK;
}

static double closed_of(uint64_t seed, uint64_t picture, const gig_function *bent)
{
    gig_scored scored = make_scored();
    gig_metric metric;
    gig_metric_result result;
    scored.seed = seed;
    scored.picture = picture;
    scored.functions = bent;
    assert_ok(gig_metric_parse(&metric, "closed/paths=1"));
    assert_ok(gig_metrics_score(&result, &metric, 1, &scored));
    double value = result.value;
    gig_metric_result_clear(&result);
    return value;
}

static void draws_closed_paths_by_seed_and_picture(void **state)
{
    (void)state;
    const gig_function bent = {PIXELS * 3, 5, bend, NULL};
    double value = closed_of(1, 1, &bent);
    assert_true(value > 0 && closed_of(1, 1, &bent) == value);
    assert_true(closed_of(2, 1, &bent) != value && closed_of(1, 2, &bent) != value);
}

static void keeps_the_pictures_part_for_further_maps(void **state)
{
    (void)state;
    gig_scored scored = make_scored();
    gig_pic *kept = NULL, *before;
    gig_metric plain, other;
    gig_metric_result results[2], alone;
    assert_ok(gig_metric_parse(&plain, "sic"));
    assert_ok(gig_metric_parse(&other, "sic/fraction=0.1"));
    assert_ok(gig_metrics_score(&alone, &plain, 1, &scored));
    scored.pic = &kept;
    assert_ok(gig_metrics_score(results, &other, 1, &scored));
    assert_true(results[0].value != alone.value);
    gig_metric_result_clear(&results[0]);
    assert_ok(gig_metrics_score(results, &plain, 1, &scored));
    assert_true(results[0].value == alone.value);
    before = kept;
    gig_metric_result_clear(&results[0]);
    gig_metric both[] = {plain, plain};
    assert_ok(gig_metric_set(&both[1], "reduction", "sum-abs"));
    assert_ok(gig_metrics_score(results, both, 2, &scored));
    assert_true(results[0].value == alone.value && results[1].value == alone.value && kept == before);
    for (int i = 0; i < 2; i++) gig_metric_result_clear(&results[i]);
    gig_metric_result_clear(&alone);
    gig_pic_free(kept);
}

static void notes_what_is_not_defined(void **state)
{
    (void)state;
    gig_scored scored = make_scored();
    gig_metric metrics[5];
    gig_metric_result results[5];
    const char *const names[] = {"auc", "closed", "completeness", "infidelity", "sic/least=0.99"};
    const char *const notes[] = {"there is no ground truth", "the method does not follow a path between two points",
                                 "the method does not add up to a difference",
                                 "the method gives one value per pixel, not one per input value",
                                 "the whole picture predicts the class too weakly"};
    scored.mask = NULL;
    scored.side = NULL;
    scored.sum = NAN;
    scored.channels = 1;
    for (int i = 0; i < 5; i++) assert_ok(gig_metric_parse(&metrics[i], names[i]));
    assert_ok(gig_metrics_score(results, metrics, 5, &scored));
    for (int i = 0; i < 5; i++) {
        assert_true(isnan(results[i].value));
        assert_string_equal(results[i].note, notes[i]);
        gig_metric_result_clear(&results[i]);
    }
    scored.channels = 3;
    scored.no_slopes = "several baselines";
    assert_ok(gig_metrics_score(results, &metrics[3], 1, &scored));
    assert_true(isnan(results[0].value));
    assert_string_equal(results[0].note, "several baselines");
    memset(mask, 0, sizeof mask);
    scored.mask = mask;
    assert_ok(gig_metrics_score(results, metrics, 1, &scored));
    assert_string_equal(results[0].note, "the ground truth covers no pixel");
    scored.sum = 1;
    scored.value_input = scored.value_baseline = 0.5;
    assert_ok(gig_metrics_score(results, &metrics[2], 1, &scored));
    assert_string_equal(results[0].note, "the model gives the same score to the picture and the baseline");
    scored.value_input = 1;
    scored.sum = INFINITY;
    assert_status(gig_metrics_score(results, &metrics[2], 1, &scored), GIG_ENUMERIC);
}

static void names_the_metric_that_cannot_be_scored(void **state)
{
    (void)state;
    gig_scored scored = make_scored();
    gig_metric metric[2];
    gig_metric_result results[2];
    assert_ok(gig_metric_parse(&metric[0], "auc"));
    assert_ok(gig_metric_parse(&metric[1], "aic/least=0.5"));
    scored.argmax_functions = NULL;
    assert_status(gig_metrics_score(results, metric, 2, &scored), GIG_EARG);
    assert_string_equal(gig_message(), "metric aic/least=0.5: it needs a model");
    assert_null(results[0].curve.x);
    attribution[5] = NAN;
    assert_status(gig_metrics_score(results, metric, 1, &scored), GIG_ENUMERIC);
    assert_message("metric auc: ");
}

static void gives_back_memory_when_it_runs_out(void **state)
{
    (void)state;
    gig_scored scored = make_scored();
    const char *const names[] = {"auc", "sic", "insertion", "closed"};
    gig_metric metrics[4];
    for (int i = 0; i < 4; i++) assert_ok(gig_metric_parse(&metrics[i], names[i]));
    size_t before = gig_memory_used(), at = 0;
    for (gig_status status = GIG_ENOMEM; status != GIG_OK; at++) {
        gig_metric_result results[4];
        gig_memory_fail_at(at, 0);
        status = gig_metrics_score(results, metrics, 4, &scored);
        assert_true(status == GIG_OK || status == GIG_ENOMEM);
        for (int i = 0; i < 4; i++) gig_metric_result_clear(&results[i]);
        assert_true(gig_memory_used() == before);
    }
    gig_memory_fail_at(SIZE_MAX, 0);
    assert_true(at > 40);
}

/* ---- rows ---- */

static void every_row_says_what_it_is(void **state)
{
    (void)state;
    const gig_metric_row *row;
    size_t i = 0;
    for (; (row = gig_metric_row_at(i)); i++) {
        gig_metric metric;
        char name[GIG_METRIC_NAME_BYTES];
        assert_true(row->help && strchr(".?", row->help[strlen(row->help) - 1]));
        assert_ok(gig_metric_parse(&metric, row->name));
        assert_ptr_equal(metric.row, row);
        assert_string_equal(gig_metric_name(name, sizeof name, &metric), row->name);
        assert_ok(gig_metric_check(&metric));
        for (size_t k = 0; k < row->option_count; k++) {
            assert_true(row->options[k].help && (!k || strcmp(row->options[k - 1].name, row->options[k].name) < 0));
            assert_true(gig_metric_number(&metric, row->options[k].name) == row->options[k].usual);
        }
    }
    assert_true(i >= 11);
}

static gig_status measure_largest(gig_metric_result *out, gig_measuring *with, const gig_metric *metric)
{
    out->value = 0;
    for (size_t i = 0; i < with->pixels; i++) out->value = fmax(out->value, (double)with->reduced[i]);
    out->value *= gig_metric_number(metric, "times");
    return GIG_OK;
}

static void measures_a_row_of_ones_own(void **state)
{
    (void)state;
    static const gig_method_option options[] = {
        {.name = "reduction", .kind = GIG_OPTION_CHOICE, .choices = "abs-sum|sum-abs|max|sum"},
        {.name = "times", .kind = GIG_OPTION_NUMBER, .usual = 1, .least = 0, .most = 9}};
    static const gig_metric_row row = {.name = "largest",
                                       .needs = GIG_METRIC_NEEDS_MAP,
                                       .option_count = 2,
                                       .options = options,
                                       .measure = measure_largest};
    const float map[4] = {1, -5, 2, 0};
    const gig_scored scored = {.height = 2, .width = 2, .attribution = map, .channels = 1};
    gig_metric metric = {.row = &row, .values = {0, 1}};
    gig_metric_result result;
    char name[GIG_METRIC_NAME_BYTES];
    assert_ok(gig_metric_set(&metric, "times", "3"));
    assert_string_equal(gig_metric_name(name, sizeof name, &metric), "largest/times=3");
    assert_ok(gig_metrics_score(&result, &metric, 1, &scored));
    assert_true(result.value == 15);
    gig_metric_result_clear(&result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_says_what_it_is),
        cmocka_unit_test(measures_a_row_of_ones_own),
        cmocka_unit_test(reads_names_and_prints_one_form),
        cmocka_unit_test(says_what_is_wrong_with_a_name),
        cmocka_unit_test(refuses_a_metric_that_no_name_gives),
        cmocka_unit_test(scores_a_list_of_metrics),
        cmocka_unit_test(scores_what_today_s_comparisons_report),
        cmocka_unit_test(averages_information_curves_over_draws),
        cmocka_unit_test(are_on_the_page_with_their_options),
        cmocka_unit_test(reads_a_spread_from_its_note_alone),
        cmocka_unit_test(measures_sensitivity_of_a_known_map),
        cmocka_unit_test(gives_the_same_bits_on_several_workers),
        cmocka_unit_test(draws_closed_paths_by_seed_and_picture),
        cmocka_unit_test(keeps_the_pictures_part_for_further_maps),
        cmocka_unit_test(notes_what_is_not_defined),
        cmocka_unit_test(names_the_metric_that_cannot_be_scored),
        cmocka_unit_test(gives_back_memory_when_it_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
