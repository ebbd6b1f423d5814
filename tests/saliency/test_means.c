/* SPDX-License-Identifier: Apache-2.0 */
/* Means over chains: baselines, and SmoothGrad's samples. */
#include "run_method.h"

/* ---- means over chains ---- */

static void averages_attributions_over_black_and_white(void **state)
{
    (void)state;
    gig_explanation both, black, white;
    assert_ok(explain(&both, 0, 1, "gig:2/baseline=black+white/steps=30", 1, 1, NULL));
    assert_ok(explain(&black, 0, 1, "gig:2/steps=30", 1, 1, NULL));
    assert_ok(explain(&white, 0, 1, "gig:2/baseline=white/steps=30", 1, 1, NULL));
    for (size_t i = 0; i < N; i++) {
        double mean = ((double)black.attributions[i] + (double)white.attributions[i]) / 2;
        assert_true(fabs((double)both.attributions[i] - mean) < 1e-7);
    }
    assert_true(fabs(both.delta - (black.delta + white.delta) / 2) < 1e-12);
    assert_true(fabs(both.l2 - (black.l2 + white.l2) / 2) < 1e-12);
    assert_true(both.value_input == black.value_input);
    assert_int_equal(both.chains, 2);
    assert_int_equal(both.evaluations, 60);
    assert_int_equal(both.values, black.values + white.values);
    clear(&both, 1);
    clear(&black, 1);
    clear(&white, 1);
}

/* Where chains begin and end, in the order of chains. */
typedef struct ends {
    size_t seen;
    float starts[16][N], ends[16][N];
} ends;

static gig_status keep_ends(void *payload, const gig_view *view)
{
    ends *self = payload;
    assert_in_range(view->chain, 0, 15);
    if (view->walk == 0 && view->step == 0) memcpy(self->starts[view->chain], view->point, sizeof *self->starts);
    if (view->last) memcpy(self->ends[view->chain], view->point, sizeof *self->ends);
    if (view->chain >= self->seen) self->seen = view->chain + 1;
    return GIG_OK;
}

static ends look_at(const char *name, uint64_t seed, size_t count, gig_picture_shape shape)
{
    ends out = {0};
    gig_explanation results[INPUTS];
    const gig_run_options options = {.shape = shape, .seed = seed, .observe = keep_ends, .observe_payload = &out};
    assert_ok(explain(results, 0, count, name, 1, 1, &options));
    clear(results, count);
    return out;
}

static void draws_random_baselines_from_the_seed(void **state)
{
    (void)state;
    static ends one, again, other, two;
    one = look_at("ig/baseline=random:2/rule=left/steps=2", 1, 1, square);
    again = look_at("ig/baseline=random:2/rule=left/steps=2", 1, 1, square);
    other = look_at("ig/baseline=random:2/rule=left/steps=2", 2, 1, square);
    two = look_at("ig/baseline=random:2/rule=left/steps=2", 1, 2, square);
    assert_int_equal(one.seen, 2);
    assert_memory_equal(one.starts, again.starts, sizeof one.starts);
    assert_memory_not_equal(one.starts, other.starts, sizeof one.starts);
    assert_memory_not_equal(one.starts[0], one.starts[1], sizeof one.starts[0]);
    assert_memory_equal(one.starts[1], two.starts[3], sizeof one.starts[0]); /* the same for every input */
    double sum = 0;
    for (size_t i = 0; i < N; i++) {
        assert_true(one.starts[0][i] >= 0 && one.starts[0][i] < 1);
        sum += (double)one.starts[0][i];
    }
    assert_true(fabs(sum / N - 0.5) < 0.2);
}

static void begins_paths_at_the_named_baselines(void **state)
{
    (void)state;
    static float points[INPUTS][N];
    static ends seen;
    make_inputs(points);
    seen = look_at("ig/baseline=black+white/rule=left/steps=2", 0, 1, square);
    for (size_t i = 0; i < N; i++) assert_true(seen.starts[0][i] == 0 && seen.starts[1][i] == 1);
    assert_memory_equal(seen.ends[1], points[0], sizeof points[0]);
    seen = look_at("ig/baseline=mean/rule=left/steps=2", 0, 1, colours);
    for (size_t c = 0; c < 4; c++) {
        double mean = 0;
        for (size_t p = 0; p < 16; p++) mean += (double)points[0][4 * p + c] / 16;
        for (size_t p = 0; p < 16; p++) assert_true(fabs((double)seen.starts[0][4 * p + c] - mean) < 1e-6);
    }
    /* Blurring a picture is what blur-ig begins with. */
    static ends blurred;
    seen = look_at("ig/baseline=blur:2/rule=left/steps=2", 0, 1, colours);
    blurred = look_at("blur-ig/rule=left/sigma=2/steps=2", 0, 1, colours);
    assert_memory_equal(seen.starts[0], blurred.starts[0], sizeof seen.starts[0]);
    assert_memory_not_equal(seen.starts[0], points[0], sizeof points[0]);
}

static void counts_chains_by_inputs_then_samples_then_baselines(void **state)
{
    (void)state;
    static ends seen;
    seen = look_at("smooth+ig/baseline=black+white/rule=left/samples=3/steps=2", 0, 2, square);
    assert_int_equal(seen.seen, 12);
    for (size_t chain = 0; chain < 12; chain++) {
        assert_true(seen.starts[chain][0] == (float)(chain % 2));
        if (chain % 2) assert_memory_equal(seen.ends[chain], seen.ends[chain - 1], sizeof seen.ends[0]);
        for (size_t i = 0; i < chain - chain % 2; i++)
            assert_memory_not_equal(seen.ends[chain], seen.ends[i], sizeof seen.ends[0]);
    }
}

/* ---- SmoothGrad ---- */

static void smoothing_without_noise_changes_nothing(void **state)
{
    (void)state;
    static const char *const bases[] = {
        "gradients", "ig/steps=9", "gig:2/steps=9", "blur-ig/sigma=2/steps=7", "occlusion/window=4/stride=4", "edge"};
    for (size_t b = 0; b < sizeof bases / sizeof *bases; b++) {
        gig_explanation plain, mean, squares, variance;
        char name[128];
        assert_ok(explain(&plain, 1, 1, bases[b], 1, 1, NULL));
        snprintf(name, sizeof name, "smooth+%s/noise=0/samples=3", bases[b]);
        assert_ok(explain(&mean, 1, 1, name, 1, 1, NULL));
        snprintf(name, sizeof name, "smooth+%s/noise=0/samples=3/smooth=squares", bases[b]);
        assert_ok(explain(&squares, 1, 1, name, 1, 1, NULL));
        snprintf(name, sizeof name, "smooth+%s/noise=0/samples=3/smooth=variance", bases[b]);
        assert_ok(explain(&variance, 1, 1, name, 1, 1, NULL));
        assert_memory_equal(plain.attributions, mean.attributions, plain.count * sizeof *plain.attributions);
        assert_true(mean.value_input == plain.value_input || isnan(plain.value_input));
        assert_int_equal(mean.evaluations, 3 * plain.evaluations);
        for (size_t i = 0; i < plain.count; i++) {
            double expected = (double)plain.attributions[i] * (double)plain.attributions[i];
            assert_true(fabs((double)squares.attributions[i] - expected) <= 1e-6 * expected);
            assert_true(variance.attributions[i] == 0);
        }
        assert_true(isnan(squares.sum) && isnan(squares.delta) && isnan(variance.sum) && isnan(variance.delta));
        clear(&plain, 1);
        clear(&mean, 1);
        clear(&squares, 1);
        clear(&variance, 1);
    }
}

/* Against the definitions, from the samples' own gradients. */
static void gives_mean_squares_and_variance_over_samples(void **state)
{
    (void)state;
    enum { SAMPLES = 5 };
    static ends seen;
    static float points[INPUTS][N];
    static float gradients[SAMPLES][N];
    make_inputs(points);
    seen = look_at("smooth+ig/rule=left/samples=5/steps=2/noise=0.3", 9, 1, square);
    double spread = 0, low = 1, high = 0, deviation = 0;
    for (size_t i = 0; i < N; i++) {
        low = fmin(low, (double)points[0][i]);
        high = fmax(high, (double)points[0][i]);
    }
    spread = high - low;
    for (size_t s = 0; s < SAMPLES; s++) {
        random_network(seen.ends[s], N, 10, gradients[s]);
        for (size_t i = 0; i < N; i++) deviation += pow((double)seen.ends[s][i] - (double)points[0][i], 2);
    }
    deviation = sqrt(deviation / (SAMPLES * N));
    assert_true(fabs(deviation / (0.3 * spread) - 1) < 0.15);
    gig_explanation mean, squares, variance;
    const gig_run_options options = {.seed = 9};
    assert_ok(explain(&mean, 0, 1, "smooth+gradients/samples=5/noise=0.3", 1, 1, &options));
    assert_ok(explain(&squares, 0, 1, "smooth+gradients/samples=5/noise=0.3/smooth=squares", 1, 1, &options));
    assert_ok(explain(&variance, 0, 1, "smooth+gradients/samples=5/noise=0.3/smooth=variance", 1, 1, &options));
    for (size_t i = 0; i < N; i++) {
        double first = 0, second = 0, third = 0;
        for (size_t s = 0; s < SAMPLES; s++) first += (double)gradients[s][i] / SAMPLES;
        for (size_t s = 0; s < SAMPLES; s++) {
            second += pow((double)gradients[s][i], 2) / SAMPLES;
            third += pow((double)gradients[s][i] - first, 2) / SAMPLES;
        }
        assert_true(fabs((double)mean.attributions[i] - first) < 1e-6);
        assert_true(fabs((double)squares.attributions[i] - second) < 1e-6);
        assert_true(fabs((double)variance.attributions[i] - third) < 1e-6);
    }
    clear(&mean, 1);
    clear(&squares, 1);
    clear(&variance, 1);
}

/* The standard deviation is a fraction of (max - min), here 1, not of the size of the values. */
static void scales_noise_by_the_inputs_range(void **state)
{
    (void)state;
    const float input[2] = {10, 11};
    gig_explanation got;
    assert_ok(try_explaining(&got, "smooth+gradients-x-input/noise=0.5/samples=4000/smooth=variance", linear_two, 2,
                             input, NULL));
    assert_true(fabs((double)got.attributions[0] - 1) < 0.1);
    assert_true(fabs((double)got.attributions[1] - 0.25) < 0.025);
    clear(&got, 1);
}

static void every_base_sees_the_same_samples(void **state)
{
    (void)state;
    static ends straight, blurred, guided;
    straight = look_at("smooth+ig/rule=left/samples=3/steps=2", 4, 2, square);
    blurred = look_at("smooth+blur-ig/rule=left/samples=3/sigma=2/steps=2", 4, 2, square);
    guided = look_at("smooth+gig/samples=3/steps=2", 4, 2, square);
    assert_memory_equal(straight.ends, blurred.ends, sizeof straight.ends);
    assert_memory_equal(straight.ends, guided.ends, sizeof straight.ends);
}

static void multiplies_gradients_by_the_sample_they_belong_to(void **state)
{
    (void)state;
    static ends seen;
    seen = look_at("smooth+ig/rule=left/samples=2/steps=2", 0, 1, square);
    gig_explanation product;
    assert_ok(explain(&product, 0, 1, "smooth+gradients-x-input/samples=2", 1, 1, NULL));
    float first[N], second[N];
    random_network(seen.ends[0], N, 10, first);
    random_network(seen.ends[1], N, 10, second);
    for (size_t i = 0; i < N; i++) {
        double mean = ((double)first[i] * (double)seen.ends[0][i] + (double)second[i] * (double)seen.ends[1][i]) / 2;
        assert_true(fabs((double)product.attributions[i] - mean) < 1e-6);
    }
    clear(&product, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(averages_attributions_over_black_and_white),
        cmocka_unit_test(draws_random_baselines_from_the_seed),
        cmocka_unit_test(begins_paths_at_the_named_baselines),
        cmocka_unit_test(counts_chains_by_inputs_then_samples_then_baselines),
        cmocka_unit_test(smoothing_without_noise_changes_nothing),
        cmocka_unit_test(gives_mean_squares_and_variance_over_samples),
        cmocka_unit_test(scales_noise_by_the_inputs_range),
        cmocka_unit_test(every_base_sees_the_same_samples),
        cmocka_unit_test(multiplies_gradients_by_the_sample_they_belong_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
