/* SPDX-License-Identifier: Apache-2.0 */
/* Methods that need to know how a point is a picture: occlusion, regions; both layouts; and what is refused.
 */
#include "captum_toy.h"
#include "gig/memory.h"
#include "run_method.h"

/* Its second input is all ones. */
static double toy_plus_one(const float *x, size_t n, size_t target, float *g)
{
    (void)n, (void)target;
    assert_null(g);
    float layer[8];
    double sum = 0;
    toy_layer(layer, x, 1, 1);
    for (size_t k = 0; k < 8; k++) sum += (double)(toy_weights[k] * layer[k]);
    return sum > 0 ? sum : 0;
}

static void paints_over_a_convolution_as_captum_does(void **state)
{
    (void)state;
    float x[16];
    double expected[16];
    for (size_t i = 0; i < 16; i++) {
        x[i] = (float)i;
        expected[i] = i < 8 ? 17 : i % 4 == 0 ? 64 : i % 4 == 3 ? 67 : 65.5;
    }
    const gig_run_options options = {.shape = {4, 4, 1, 0}};
    expect_explanation("occlusion/window=2x3/stride=2x1", toy_plus_one, 16, x, &options,
                       (expected_map){16, expected, 1e-6});
}

/* ---- regions ---- */

/* 5 x + y^2 + 2 z */
static double functional(const float *x, size_t n, size_t target, float *g)
{
    (void)n, (void)target;
    if (g) g[0] = 5, g[1] = 2 * x[1], g[2] = 2;
    return 5 * (double)x[0] + (double)x[1] * (double)x[1] + 2 * (double)x[2];
}

/* PAIR's functional test: the mean over baselines (0,0,3) and (0,0,0), segments {0,1} and {2}. */
static void ranks_a_mean_of_attributions_as_pair_does(void **state)
{
    (void)state;
    const float input[3] = {3, 2, 3}, baselines[2][3] = {{0, 0, 3}, {0, 0, 0}};
    const double expected[2][3] = {{15, 4, 0}, {15, 4, 6}};
    float mean[3] = {0}, map[3];
    for (size_t b = 0; b < 2; b++) {
        gig_explanation got;
        const gig_run_options options = {.baseline = baselines[b]};
        assert_ok(try_explaining(&got, "ig/baseline=given/rule=pair/steps=100", functional, 3, input, &options));
        for (size_t i = 0; i < 3; i++) {
            assert_true(fabs((double)got.attributions[i] - expected[b][i]) < 1e-5);
            mean[i] += got.attributions[i] / 2;
        }
        gig_explanation_clear(&got);
    }
    const uint8_t first[3] = {1, 1, 0}, second[3] = {0, 0, 1}, *masks[2] = {first, second};
    int32_t ranks[3];
    const gig_xrai_options options = {.mask_count = 2, .masks = masks, .min_pixels = 1};
    assert_ok(gig_xrai(map, ranks, mean, input, &(gig_picture_shape){1, 3, 1, 0}, &options));
    assert_close(map, ((const float[]){9.5f, 9.5f, 3}), 3, 0, 1e-4);
    assert_memory_equal(ranks, ((const int32_t[]){1, 1, 2}), sizeof ranks);
}

/* xrai+base is gig_xrai over base's map, for one value per feature and for one per pixel. */
static void ranks_regions_over_the_bases_map(void **state)
{
    (void)state;
    enum { S = 16, PIXELS = S * S };
    static uint8_t left[PIXELS], top[PIXELS], middle[PIXELS];
    const uint8_t *masks[3] = {left, top, middle};
    static float picture[PIXELS * 3], map[PIXELS], full[PIXELS], spread[PIXELS * 3];
    const gig_picture_shape shape = {S, S, 3, 0};
    for (size_t p = 0; p < PIXELS; p++) {
        left[p] = p % S < 6;
        top[p] = p / S < 5;
        middle[p] = p % S < 11 && p / S < 12;
        /* Bright and busy at the left; so the middle falls behind the top once the left is taken. */
        for (size_t c = 0; c < 3; c++)
            picture[3 * p + c] = (float)((p * 7 + c * 5) % 11) / (p % S < 6 ? 10 : p / S < 5 ? 60 : 100);
    }
    static const char *const bases[][3] = {
        {"gradients-x-input", "xrai+gradients-x-input", "xrai+gradients-x-input/xrai=fast"},
        {"edge", "xrai+edge", "xrai+edge/xrai=fast"}};
    const gig_run_options options = {.shape = shape, .mask_count = 3, .masks = masks};
    size_t before = gig_memory_used();
    for (size_t b = 0; b < 2; b++)
        for (int fast = 0; fast < 2; fast++) {
            const gig_xrai_options regions = {.fast = fast, .mask_count = 3, .masks = masks};
            gig_explanation base, ranked;
            assert_ok(try_explaining(&base, bases[b][0], sum_of_sines, PIXELS * 3, picture, &options));
            assert_ok(try_explaining(&ranked, bases[b][1 + fast], sum_of_sines, PIXELS * 3, picture, &options));
            for (size_t i = 0; i < PIXELS * 3; i++) spread[i] = base.attributions[base.count == PIXELS ? i / 3 : i];
            assert_ok(gig_xrai(map, NULL, spread, picture, &shape, &regions));
            assert_int_equal(ranked.count, PIXELS);
            assert_memory_equal(ranked.attributions, map, sizeof map);
            if (b == 0 && fast) assert_memory_not_equal(full, map, sizeof map);
            memcpy(full, map, sizeof full);
            assert_int_equal(ranked.evaluations, base.evaluations);
            gig_explanation_clear(&base);
            gig_explanation_clear(&ranked);
            assert_int_equal(gig_memory_used(), before);
        }
}

/* ---- layouts ---- */

static void a_planar_picture_gives_the_same_maps(void **state)
{
    (void)state;
    enum { S = 6, PIXELS = S * S };
    static const char *const methods[] = {"blur-ig/sigma=2/steps=5", "ig/baseline=mean/steps=5",
                                          "ig/baseline=blur:1/steps=5", "occlusion/window=2", "edge"};
    float mixed[PIXELS * 3], planes[PIXELS * 3];
    for (size_t p = 0; p < PIXELS; p++)
        for (size_t c = 0; c < 3; c++) mixed[3 * p + c] = planes[c * PIXELS + p] = (float)((p * 5 + c * 3) % 7) / 7;
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        gig_explanation a, b;
        assert_ok(
            try_explaining(&a, methods[m], sum_of_sines, PIXELS * 3, mixed, &(gig_run_options){.shape = {S, S, 3, 0}}));
        assert_ok(try_explaining(&b, methods[m], sum_of_sines, PIXELS * 3, planes,
                                 &(gig_run_options){.shape = {S, S, 3, 1}}));
        for (size_t i = 0; i < a.count; i++) {
            size_t other = a.count == PIXELS ? i : i % 3 * PIXELS + i / 3;
            assert_true(fabs((double)a.attributions[i] - (double)b.attributions[other]) < 1e-6);
        }
        gig_explanation_clear(&a);
        gig_explanation_clear(&b);
    }
}

/* ---- refusals ---- */

static void says_what_is_missing_or_does_not_fit(void **state)
{
    (void)state;
    static const float nan_baseline[N] = {[3] = NAN};
    static const struct {
        const char *method;
        gig_run_options options;
        gig_status status;
        const char *message;
    } cases[] = {
        {"blur-ig", {.seed = 1}, GIG_EARG, "blur-ig is for pictures: their shape is missing"},
        {"edge", {.seed = 1}, GIG_EARG, "edge is for pictures"},
        {"xrai+ig", {.seed = 1}, GIG_EARG, "xrai is for pictures"},
        {"ig/baseline=blur:1", {.seed = 1}, GIG_EARG, "baseline blur is for pictures"},
        {"ig/baseline=mean", {.seed = 1}, GIG_EARG, "baseline mean is for pictures"},
        {"ig/baseline=given", {.seed = 1}, GIG_EARG, "the given baseline is missing"},
        {"ig/baseline=given", {.baseline = nan_baseline}, GIG_ENUMERIC, "feature 3 of the given baseline is nan"},
        {"ig", {.shape = {8, 8, 3, 0}}, GIG_EARG, "8x8x3 has 192 values, but the function has 64 features"},
        {"ig", {.shape = {8, 0, 1, 0}}, GIG_EARG, "a side of 0"},
        {"ig", {.shape = {SIZE_MAX, 2, 1, 0}}, GIG_ELIMIT, "the picture's shape"},
        {"occlusion/window=9x8", {.shape = {8, 8, 1, 0}}, GIG_EARG, "9x8 is larger than the picture of 8x8"},
        {"grad-cam", {.shape = {8, 8, 1, 0}}, GIG_EARG, "grad-cam needs the sessions"},
        {"xrai+ig", {.shape = {8, 8, 1, 0}, .mask_count = 1}, GIG_EARG, "mask 0 of 1 is missing"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gig_explanation results[2];
        assert_status(explain(results, 0, 2, cases[i].method, 1, 1, &cases[i].options), cases[i].status);
        assert_message(cases[i].message);
        assert_null(results[0].attributions);
    }
}

static void names_the_input_and_feature_that_is_not_finite(void **state)
{
    (void)state;
    float good[2] = {1, 2}, bad[2] = {1, INFINITY};
    const float *inputs[2] = {good, bad};
    const size_t targets[2] = {0, 0};
    closed model = {.form = linear_two, .features = 2};
    gig_function function = closed_function(&model, 1);
    gig_explanation results[2];
    gig_method method;
    gig_method_init(&method);
    assert_status(gig_method_run(results, 2, inputs, targets, (gig_functions){1, &function}, &method, NULL),
                  GIG_ENUMERIC);
    assert_message("input 1: feature 1 is inf");
    assert_status(gig_method_run(results, 2, inputs, targets, (gig_functions){0, &function}, &method, NULL), GIG_EARG);
    assert_status(gig_method_run(results, 2, inputs, targets, (gig_functions){1, NULL}, &method, NULL), GIG_EARG);
    assert_status(gig_method_run(results, 2, inputs, NULL, (gig_functions){1, &function}, &method, NULL), GIG_EARG);
    method.steps = 0;
    assert_status(gig_method_run(results, 1, inputs, targets, (gig_functions){1, &function}, &method, NULL), GIG_EARG);
    assert_message("0 steps are too few for 21 segments");
    method.row = NULL;
    assert_status(gig_method_run(results, 1, inputs, targets, (gig_functions){1, &function}, &method, NULL), GIG_EARG);
    gig_method_init(&method);
    assert_ok(gig_method_run(NULL, 0, NULL, NULL, (gig_functions){1, &function}, &method, NULL));
}

/* log x0: not finite where the path of the second input leads. */
static double logarithm(const float *x, size_t n, size_t target, float *g)
{
    (void)n, (void)target;
    if (g) g[0] = 1 / x[0], g[1] = 0;
    return log((double)x[0]);
}

static void names_the_input_whose_path_is_not_finite(void **state)
{
    (void)state;
    static const char *const methods[] = {"ig/baseline=white", "gradients", "smooth+gig/baseline=white/noise=0",
                                          "occlusion/value=1/window=1"};
    const float good[2] = {2, 3}, bad[2] = {-1, 0}, *inputs[3] = {good, bad, bad};
    const size_t targets[3] = {0};
    closed models[2] = {{.form = logarithm, .features = 2}, {.form = logarithm, .features = 2}};
    const gig_function functions[2] = {closed_function(&models[0], 1), closed_function(&models[1], 1)};
    const gig_run_options options = {.shape = {1, 2, 1, 0}};
    for (size_t m = 0; m < 4; m++)
        for (size_t workers = 1; workers <= 2; workers++) {
            gig_explanation results[3];
            gig_method method;
            assert_ok(gig_method_parse(&method, methods[m], NULL));
            assert_status(
                gig_method_run(results, 3, inputs, targets, (gig_functions){workers, functions}, &method, &options),
                GIG_ENUMERIC);
            assert_message("input 1: ");
            assert_null(results[0].attributions);
        }
}

/* x0: large where the input is, so that its square is no float. */
static double first_value(const float *x, size_t n, size_t target, float *g)
{
    (void)n, (void)target;
    if (g) g[0] = 1, g[1] = 0;
    return (double)x[0];
}

static void names_the_input_whose_blend_is_not_finite(void **state)
{
    (void)state;
    const float good[2] = {2, 3}, large[2] = {1e30f, 0}, *inputs[3] = {good, large, good};
    const size_t targets[3] = {0};
    closed model = {.form = first_value, .features = 2};
    gig_function function = closed_function(&model, 1);
    const gig_run_options options = {.shape = {1, 2, 1, 0}};
    gig_method method;
    gig_explanation results[3];
    assert_ok(gig_method_parse(&method, "smooth+occlusion/smooth=squares/window=1/noise=0", NULL));
    assert_status(gig_method_run(results, 3, inputs, targets, (gig_functions){1, &function}, &method, &options),
                  GIG_ENUMERIC);
    assert_message("input 1: ");
    function.max_batch = 0; /* no input's fault */
    assert_status(gig_method_run(results, 3, inputs, targets, (gig_functions){1, &function}, &method, &options),
                  GIG_EARG);
    assert_string_equal(gig_message(), "worker 0's function takes batches of 0 points, expected at least 1");
}

typedef struct course {
    gig_progress last;
    int falls; /* it went back, or a count was more than all */
} course;

static int follow(void *payload, const gig_progress *progress)
{
    course *c = payload;
    c->falls |= progress->evaluations < c->last.evaluations || progress->chains < c->last.chains ||
                (c->last.chain_count && progress->chain_count != c->last.chain_count) ||
                progress->chains > progress->chain_count || progress->evaluations > progress->expected;
    c->last = *progress;
    return 0;
}

/* From the maps to their regions, whatever the base counts. */
static void progress_does_not_go_back(void **state)
{
    (void)state;
    static const char *const methods[] = {"xrai+edge", "xrai+smooth+occlusion/samples=2/window=2", "xrai+ig/steps=3",
                                          "xrai+smooth+gradients/samples=2"};
    for (size_t m = 0; m < 4; m++) {
        course c = {0};
        const gig_run_options options = {.shape = square, .progress = follow, .progress_payload = &c};
        gig_explanation results[2];
        assert_ok(explain(results, 0, 2, methods[m], 1, 1, &options));
        assert_true(c.last.chain_count > 0 && c.last.chains == c.last.chain_count);
        assert_true(c.last.evaluations == c.last.expected);
        assert_false(c.falls);
        for (size_t i = 0; i < 2; i++) gig_explanation_clear(&results[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paints_over_a_convolution_as_captum_does),
        cmocka_unit_test(ranks_a_mean_of_attributions_as_pair_does),
        cmocka_unit_test(ranks_regions_over_the_bases_map),
        cmocka_unit_test(a_planar_picture_gives_the_same_maps),
        cmocka_unit_test(says_what_is_missing_or_does_not_fit),
        cmocka_unit_test(names_the_input_and_feature_that_is_not_finite),
        cmocka_unit_test(names_the_input_whose_blend_is_not_finite),
        cmocka_unit_test(progress_does_not_go_back),
        cmocka_unit_test(names_the_input_whose_path_is_not_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
