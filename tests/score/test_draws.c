/* SPDX-License-Identifier: Apache-2.0 */
/* agreement, spread: the maps of draws are given; scores against tools/golden/score_draws.py. */
#include "gig/metric.h"
#include "golden/score_draws.h"
#include "support.h"

enum {
    HEIGHT = 8,
    WIDTH = 7,
    PIXELS = HEIGHT * WIDTH,
    SIZE = PIXELS * 3,
    SCORES = sizeof draw_scores / sizeof *draw_scores
};

static uint8_t pixels[SIZE];
static size_t calls;

/* Draw 0 is the scored map itself; the others are asked for in order, each once, at inputs that are hardly moved. */
static gig_status explain_draw(void *payload, float *attribution, const float *input)
{
    (void)payload;
    calls++;
    assert_true(calls * SIZE < sizeof draw_maps / sizeof *draw_maps);
    int moved = 0;
    for (size_t i = 0; i < SIZE; i++) {
        float change = input[i] - (float)pixels[i] / 255.0f;
        assert_true(fabsf(change) <= 1.1e-6f);
        moved += change != 0;
    }
    assert_true(moved > SIZE / 2);
    memcpy(attribution, draw_maps + calls * SIZE, SIZE * sizeof *attribution);
    return GIG_OK;
}

static gig_scored make_scored(void)
{
    for (size_t i = 0; i < SIZE; i++) pixels[i] = (uint8_t)(i * 255 / (SIZE - 1));
    calls = 0;
    return (gig_scored){.height = HEIGHT,
                        .width = WIDTH,
                        .attribution = draw_maps,
                        .channels = 3,
                        .mask = draw_mask,
                        .pixels = pixels,
                        .explain = explain_draw};
}

static void agree_with_scipy_and_share_their_maps(void **state)
{
    (void)state;
    gig_metric metrics[SCORES];
    gig_metric_result results[SCORES];
    const gig_scored scored = make_scored();
    for (size_t i = 0; i < SCORES; i++) assert_ok(gig_metric_parse(&metrics[i], draw_scores[i].name));
    assert_ok(gig_metrics_score(results, metrics, SCORES, &scored));
    for (size_t i = 0; i < SCORES; i++) {
        assert_string_equal(results[i].note, "");
        assert_float_equal(results[i].value, draw_scores[i].value, 1e-7); /* means are rounded to floats */
    }
    assert_int_equal(calls, 5);
}

static void say_why_they_are_not_defined(void **state)
{
    (void)state;
    const char *const names[] = {"agreement/draws=6/mean=4", "spread/draws=2/mean=2"};
    gig_scored scored = make_scored();
    for (int i = 0; i < 2; i++) {
        gig_metric metric;
        gig_metric_result result;
        assert_ok(gig_metric_parse(&metric, names[i]));
        assert_ok(gig_metrics_score(&result, &metric, 1, &scored));
        assert_true(isnan(result.value));
        assert_string_equal(result.note, "fewer than two means: it needs twice as many draws");
        scored.no_draws = "no two maps are draws";
        assert_ok(gig_metrics_score(&result, &metric, 1, &scored));
        assert_string_equal(result.note, "no two maps are draws");
        scored.no_draws = NULL;
    }
    assert_int_equal(calls, 0);
    scored.explain = NULL;
    gig_metric metric;
    gig_metric_result result;
    assert_ok(gig_metric_parse(&metric, "agreement"));
    assert_status(gig_metrics_score(&result, &metric, 1, &scored), GIG_EARG);
    assert_message("it needs the method itself");
}

static gig_status explain_flat(void *payload, float *attribution, const float *input)
{
    (void)payload, (void)input;
    memset(attribution, 0, SIZE * sizeof *attribution);
    return GIG_OK;
}

static void notice_flat_maps_and_empty_masks(void **state)
{
    (void)state;
    static const uint8_t nothing[PIXELS];
    gig_scored scored = make_scored();
    gig_metric metrics[2];
    gig_metric_result results[2];
    assert_ok(gig_metric_parse(&metrics[0], "agreement/draws=2"));
    assert_ok(gig_metric_parse(&metrics[1], "spread/draws=2"));
    scored.explain = explain_flat;
    scored.mask = nothing;
    assert_ok(gig_metrics_score(results, metrics, 2, &scored));
    assert_true(isnan(results[0].value) && isnan(results[1].value));
    assert_string_equal(results[0].note, "a map is the same everywhere");
    assert_non_null(strstr(results[1].note, "ground truth"));
}

/* A plain picture has no range, so its draws are the picture itself. */
static gig_status explain_again(void *payload, float *attribution, const float *input)
{
    (void)payload, (void)input;
    memcpy(attribution, draw_maps, SIZE * sizeof *attribution);
    return GIG_OK;
}

static void notice_pictures_that_cannot_be_moved(void **state)
{
    (void)state;
    static const char *const names[] = {"stability/draws=2", "agreement/draws=2", "spread/draws=2"};
    gig_scored scored = make_scored();
    gig_metric metrics[3];
    gig_metric_result results[3];
    memset(pixels, 200, sizeof pixels);
    for (int i = 0; i < 3; i++) assert_ok(gig_metric_parse(&metrics[i], names[i]));
    scored.explain = explain_again;
    assert_ok(gig_metrics_score(results, metrics, 3, &scored));
    for (int i = 0; i < 3; i++) {
        assert_true(isnan(results[i].value));
        assert_string_equal(results[i].note, "the picture is the same everywhere, or nearly: no draw moves it");
    }
    pixels[0] = 0;
    assert_ok(gig_metrics_score(results, metrics, 3, &scored));
    for (int i = 0; i < 3; i++) assert_string_equal(results[i].note, "");
    assert_true(results[0].value == 1 && results[1].value > 1 - 1e-12 && results[2].value == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agree_with_scipy_and_share_their_maps),
        cmocka_unit_test(say_why_they_are_not_defined),
        cmocka_unit_test(notice_flat_maps_and_empty_masks),
        cmocka_unit_test(notice_pictures_that_cannot_be_moved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
