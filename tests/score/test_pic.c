/* SPDX-License-Identifier: Apache-2.0 */
/* Performance information curves: the toy values, a whole score against NumPy and SciPy, and the rules for pictures
 * that are not scored. */
#include "support.h"

#include "base/memory.h"
#include "base/rng.h"
#include "golden/score_pic.h"
#include "internal/image.h"
#include "internal/score.h"
#include "score/curve.h"
#include "score/order.h"

static void sample_curve(double *curve, size_t intervals, const double *x, const double *y, size_t count, int monotone)
{
    gig_points points;
    assert_ok(gig_information_points(&points, x, y, count, monotone));
    assert_ok(gig_points_sample(curve, intervals, &points));
    gig_points_clear(&points);
}

static double toy_area(size_t intervals, int monotone)
{
    const double information[] = {1500, 2500, 2400, 4000}, prediction[] = {.2, .6, .5, 1.0};
    double x[4], y[4], curve[1001];
    for (int i = 0; i < 4; i++) {
        x[i] = (information[i] - 1000) / 4000;
        y[i] = (prediction[i] - .1) / .8;
        if (y[i] > 1) y[i] = 1;
    }
    sample_curve(curve, intervals, x, y, 4, monotone);
    assert_true(curve[0] == 0 && curve[intervals] == 1);
    return gig_curve_area(curve, intervals);
}

static void has_the_areas_of_the_toy(void **state)
{
    (void)state;
    assert_float_equal(toy_area(1000, 1), 0.6625, 1e-12);
    assert_float_equal(toy_area(1000, 0), 0.646875, 1e-12);
    assert_float_equal(toy_area(10, 1), 0.660555555556, 1e-12);
    assert_float_equal(toy_area(10, 0), 0.646666666667, 1e-12);
}

static void takes_the_last_of_equal_x(void **state)
{
    (void)state;
    double curve[5];
    const double x[] = {0, 0.5, 0.5, 1}, y[] = {0.3, 0.2, 0.6, 0.7};
    sample_curve(curve, 4, x, y, 4, 0);
    assert_true(curve[0] == 0 && curve[2] == 0.6 && curve[4] == 1);
    assert_float_equal(curve[1], 0.1, 1e-15);
    assert_float_equal(curve[3], 0.65, 1e-15);
}

/* NumPy's quantile(values, 0.863), which is not low + (high - low) * 0.863 in the last place. */
static void takes_quantiles_as_numpy_does(void **state)
{
    (void)state;
    const float values[] = {0x1.3c451ap-2f, 0x1.145018p-2f};
    uint32_t order[2];
    assert_ok(gig_order_ascending(order, values, 2));
    assert_true(gig_order_quantile(values, order, 2, 0.863) == 0x1.36cbba3ced917p-2);
    assert_true(gig_order_quantile(values, order, 2, 0) == (double)values[1]);
    assert_true(gig_order_quantile(values, order, 2, 1) == (double)values[0]);
}

static void aggregates_curves(void **state)
{
    (void)state;
    const double a[] = {0, .2, .4, .6, 1}, b[] = {0, .4, .4, .4, 1}, c[] = {0, .9, .1, .5, 1};
    const double *const curves[] = {a, b, c};
    double out[5];
    assert_ok(gig_curves_aggregate(out, curves, 2, 4, GIG_AGGREGATE_MEAN));
    assert_float_equal(out[1], .3, 1e-15);
    assert_float_equal(out[3], .5, 1e-15);
    assert_float_equal(gig_curve_area(out, 4), 0.425, 1e-15);
    assert_ok(gig_curves_aggregate(out, curves, 3, 4, GIG_AGGREGATE_MEDIAN));
    const double median[] = {0, .4, .4, .5, 1};
    assert_memory_equal(out, median, sizeof out);
    assert_ok(gig_curves_aggregate(out, curves, 2, 4, GIG_AGGREGATE_MEDIAN));
    assert_float_equal(out[1], .3, 1e-15);
    assert_status(gig_curves_aggregate(out, curves, 0, 4, GIG_AGGREGATE_MEAN), GIG_EARG);
}

/* --- a toy model and a toy measure of information ------------------------------------------------------------- */

typedef struct model {
    size_t calls, points;
    double shift; /* added to every prediction */
    int blind;    /* the prediction does not depend on the picture */
} model;

static gig_status predict(void *payload, size_t batch, const float *const *points, const size_t *targets,
                          double *values, float *const *gradients)
{
    model *m = payload;
    assert_true(!gradients && batch <= 4);
    m->calls++;
    m->points += batch;
    for (size_t i = 0; i < batch; i++) {
        double sum = 0, count = 0;
        assert_true(targets[i] == 3);
        values[i] = 0.9;
        if (m->blind) continue;
        for (int y = 0; y < PIC_SIDE; y++)
            for (int x = 0; x < PIC_SIDE; x++)
                if ((x - 12) * (x - 12) + (y - 12) * (y - 12) < 40)
                    for (int c = 0; c < 3; c++, count++) sum += (double)points[i][(y * PIC_SIDE + x) * 3 + c];
        values[i] = m->shift + 1 / (1 + exp(-12 * (sum / count - 0.55)));
    }
    return GIG_OK;
}

static gig_status rows(void *payload, size_t *bytes, const gig_image *image)
{
    (void)payload;
    size_t row = image->width * image->channels;
    *bytes = 0;
    for (size_t y = 0; y < image->height; y++)
        for (size_t i = image->channels; i < row; i++)
            *bytes += (size_t)abs(image->pixels[y * row + i] - image->pixels[y * row + i - image->channels]);
    return GIG_OK;
}

static gig_status constant(void *payload, size_t *bytes, const gig_image *image)
{
    (void)payload, (void)image;
    *bytes = 100;
    return GIG_OK;
}

static gig_status broken(void *payload, size_t *bytes, const gig_image *image)
{
    (void)payload, (void)bytes, (void)image;
    return GIG_EUNSUPPORTED;
}

static gig_function function_of(model *m)
{
    return (gig_function){PIC_SIDE * PIC_SIDE * 3, 4, predict, m};
}

/* The golden numbers use no random pixels: 0.001 of 576 pixels is none. */
static gig_pic_options golden_options(void)
{
    return (gig_pic_options){.fraction = 0.001,
                             .thresholds = pic_thresholds,
                             .threshold_count = PIC_THRESHOLDS,
                             .intervals = PIC_INTERVALS,
                             .threads = 1,
                             .information = rows};
}

static gig_pic *open_pic(const gig_pic_options *options)
{
    gig_pic *pic;
    assert_ok(gig_pic_create(&pic, pic_image, PIC_SIDE, PIC_SIDE, 3, options));
    return pic;
}

/* Co-circular pixels are cut in another way than Qhull does: information differs by a few per cent of the whole. */
static void agrees_with_numpy_and_scipy(void **state)
{
    (void)state;
    for (int as_measured = 0; as_measured < 2; as_measured++) {
        gig_pic_options options = golden_options();
        options.as_measured = as_measured;
        gig_pic *pic = open_pic(&options);
        for (size_t map = 0; map < PIC_MAPS; map++) {
            model m = {0};
            gig_function function = function_of(&m);
            gig_pic_result result;
            assert_ok(gig_pic_set_map(pic, pic_maps + map * PIC_SIDE * PIC_SIDE));
            assert_ok(gig_pic_score(&result, pic, (gig_functions){1, &function}, 3));
            assert_int_equal(result.outcome, GIG_PIC_SCORED);
            assert_true((double)result.whole_information == pic_ends[2]);
            assert_float_equal(result.whole_prediction, pic_ends[3], 1e-6);
            assert_float_equal(result.blurred_prediction, pic_ends[1], 0.05);
            assert_true(result.count == PIC_THRESHOLDS && m.points == PIC_THRESHOLDS + 2);
            for (size_t i = 0; i < result.count; i++) {
                const double *raw = pic_raw + (map * PIC_THRESHOLDS + i) * 2;
                assert_float_equal(result.information[i] / pic_ends[2], raw[0] / pic_ends[2], 0.06);
                assert_float_equal(result.prediction[i], raw[1], 0.03);
            }
            const double *areas = as_measured ? pic_areas_as_measured : pic_areas;
            print_message("# map %zu: area %.4f, NumPy and SciPy %.4f\n", map, result.auc, areas[map]);
            assert_float_equal(result.auc, areas[map], 0.02);
            gig_pic_result_clear(&result);
        }
        gig_pic_free(pic);
    }
}

/* Values in the order they are asked for: of the whole picture, of the blurred one, of the six thresholds. */
static gig_status recite(void *payload, size_t batch, const float *const *points, const size_t *targets, double *values,
                         float *const *gradients)
{
    const double lines[] = {0.9, 0.1, 0.2, 0.8, 0.5, 0.7, 0.3, 0.9};
    (void)points, (void)targets, (void)gradients;
    for (size_t i = 0; i < batch; i++) values[i] = lines[(*(size_t *)payload)++];
    return GIG_OK;
}

static void keeps_predictions_from_falling_unless_told(void **state)
{
    (void)state;
    double areas[2];
    for (int as_measured = 0; as_measured < 2; as_measured++) {
        gig_pic_options options = golden_options();
        options.as_measured = as_measured;
        gig_pic *pic = open_pic(&options);
        size_t said = 0;
        gig_function function = {PIC_SIDE * PIC_SIDE * 3, 4, recite, &said};
        gig_pic_result result;
        assert_ok(gig_pic_set_map(pic, pic_maps));
        assert_ok(gig_pic_score(&result, pic, (gig_functions){1, &function}, 3));
        assert_true(said == 8 && result.prediction[4] == 0.3);
        areas[as_measured] = result.auc;
        gig_pic_result_clear(&result);
        gig_pic_free(pic);
    }
    assert_true(areas[0] > areas[1] + 0.02);
}

static gig_pic_outcome outcome_of(const gig_pic_options *options, model *m)
{
    gig_pic *pic = open_pic(options);
    gig_function function = function_of(m);
    gig_pic_result result;
    assert_ok(gig_pic_set_map(pic, pic_maps));
    assert_ok(gig_pic_score(&result, pic, (gig_functions){1, &function}, 3));
    gig_pic_outcome outcome = result.outcome;
    if (outcome != GIG_PIC_SCORED) assert_true(isnan(result.auc) && !result.curve && !result.prediction);
    gig_pic_result_clear(&result);
    gig_pic_free(pic);
    return outcome;
}

static void says_why_a_picture_is_not_scored(void **state)
{
    (void)state;
    model plain = {0}, low = {.shift = -0.5}, blind = {.blind = 1};
    gig_pic_options options = golden_options();
    assert_int_equal(outcome_of(&options, &plain), GIG_PIC_SCORED);
    assert_int_equal(outcome_of(&options, &low), GIG_PIC_LOW_PREDICTION);
    assert_int_equal(low.points, 1);
    assert_int_equal(outcome_of(&options, &blind), GIG_PIC_BLUR_PREDICTS);
    options.information = constant;
    assert_int_equal(outcome_of(&options, &plain), GIG_PIC_NO_INFORMATION);
    options = golden_options();
    options.least_prediction = 0.99;
    assert_int_equal(outcome_of(&options, &plain), GIG_PIC_LOW_PREDICTION);
    options.least_prediction = -1;
    assert_int_equal(outcome_of(&options, &low), GIG_PIC_SCORED);
    for (int i = 0; i < 4; i++) assert_true(strlen(gig_pic_outcome_text((gig_pic_outcome)i)) > 5);
}

static void asks_for_a_prediction_of_eight_tenths(void **state)
{
    (void)state;
    model plain = {0};
    gig_pic_options options = golden_options();
    gig_pic *pic = open_pic(&options);
    gig_function function = function_of(&plain);
    gig_pic_result result;
    assert_ok(gig_pic_set_map(pic, pic_maps));
    assert_ok(gig_pic_score(&result, pic, (gig_functions){1, &function}, 3));
    model weak = {.shift = 0.799 - result.whole_prediction}, enough = {.shift = 0.801 - result.whole_prediction};
    gig_pic_result_clear(&result);
    gig_pic_free(pic);
    assert_int_equal(outcome_of(&options, &weak), GIG_PIC_LOW_PREDICTION);
    assert_int_equal(outcome_of(&options, &enough), GIG_PIC_SCORED);
}

static void is_the_same_for_any_number_of_threads(void **state)
{
    (void)state;
    double curves[2][PIC_INTERVALS + 1];
    for (size_t threads = 1; threads <= 2; threads++) {
        gig_pic_options options = golden_options();
        options.fraction = 0.05;
        options.threads = threads * 2 - 1;
        gig_pic *pic = open_pic(&options);
        model m = {0};
        gig_function function = function_of(&m);
        gig_pic_result result;
        assert_ok(gig_pic_set_map(pic, pic_maps));
        assert_ok(gig_pic_score(&result, pic, (gig_functions){1, &function}, 3));
        assert_ok(gig_pic_score(&result, (gig_pic_result_clear(&result), pic), (gig_functions){1, &function}, 3));
        memcpy(curves[threads - 1], result.curve, sizeof curves[0]);
        gig_pic_result_clear(&result);
        gig_pic_free(pic);
    }
    assert_memory_equal(curves[0], curves[1], sizeof curves[0]);
}

static void measures_information_as_webp_by_default(void **state)
{
    (void)state;
    gig_pic_options options = golden_options();
    options.information = NULL;
    gig_pic *pic = open_pic(&options);
    model m = {0};
    gig_function function = function_of(&m);
    gig_pic_result result;
    assert_ok(gig_pic_set_map(pic, pic_maps));
    assert_ok(gig_pic_score(&result, pic, (gig_functions){1, &function}, 3));
    uint8_t copy[sizeof pic_image];
    memcpy(copy, pic_image, sizeof copy);
    size_t bytes;
    assert_ok(gig_webp_size(&bytes, &(gig_image){PIC_SIDE, PIC_SIDE, 3, copy}));
    assert_true(result.whole_information == bytes && result.blurred_information < bytes);
    assert_int_equal(result.outcome, GIG_PIC_SCORED);
    gig_pic_result_clear(&result);
    gig_pic_free(pic);
}

static size_t blurred_information(uint64_t seed, uint64_t picture, double fraction)
{
    gig_pic_options options = golden_options();
    options.seed = seed;
    options.picture = picture;
    options.fraction = fraction;
    gig_pic *pic = open_pic(&options);
    model m = {.shift = -1};
    gig_function function = function_of(&m);
    gig_pic_result result;
    assert_ok(gig_pic_set_map(pic, pic_maps));
    assert_ok(gig_pic_score(&result, pic, (gig_functions){1, &function}, 3));
    size_t found = result.blurred_information;
    gig_pic_free(pic);
    return found;
}

static void draws_pixels_by_seed_and_picture(void **state)
{
    (void)state;
    size_t first = blurred_information(1, 1, 0.05);
    assert_true(blurred_information(1, 1, 0.05) == first);
    assert_true(blurred_information(2, 1, 0.05) != first);
    assert_true(blurred_information(1, 2, 0.05) != first);
}

/* Pixels that are as in the picture given as payload. */
static gig_status kept(void *payload, size_t *bytes, const gig_image *image)
{
    *bytes = 0;
    for (size_t i = 0; i < image->height * image->width * 3; i += 3)
        *bytes += !memcmp((const uint8_t *)payload + i, image->pixels + i, 3);
    return GIG_OK;
}

static void reveals_as_many_pixels_as_asked(void **state)
{
    (void)state;
    enum { SIDE = 40, COUNT = SIDE * SIDE };
    static uint8_t noise[COUNT * 3];
    const double fractions[] = {0.01, 0.2, 0.77};
    for (uint64_t i = 0; i < COUNT * 3; i++) noise[i] = (uint8_t)(gig_rng_bits((gig_rng){5, 5}, i) & 255);
    for (int f = 0; f < 3; f++) {
        /* the first is the default */
        gig_pic_options options = {
            .fraction = f ? fractions[f] : 0, .information = kept, .payload = noise, .threads = 1};
        gig_pic *pic;
        assert_ok(gig_pic_create(&pic, noise, SIDE, SIDE, 3, &options));
        float map[COUNT] = {0};
        assert_ok(gig_pic_set_map(pic, map));
        model m = {.blind = 1};
        gig_function function = {COUNT * 3, 4, predict, &m};
        gig_pic_result result;
        assert_ok(gig_pic_score(&result, pic, (gig_functions){1, &function}, 3));
        assert_true(result.whole_information == COUNT);
        /* the corners too, and by chance a few filled ones */
        size_t least = (size_t)(COUNT * fractions[f]), most = least + 4 + COUNT / 400;
        assert_in_range(result.blurred_information, least, most);
        gig_pic_result_clear(&result);
        gig_pic_free(pic);
    }
}

static void refuses_what_makes_no_sense(void **state)
{
    (void)state;
    gig_pic *pic;
    gig_pic_result result;
    model m = {0};
    gig_function function = function_of(&m);
    gig_pic_options options = golden_options();
    options.fraction = 1;
    assert_status(gig_pic_create(&pic, pic_image, PIC_SIDE, PIC_SIDE, 3, &options), GIG_EARG);
    options = golden_options();
    options.intervals = SIZE_MAX;
    assert_status(gig_pic_create(&pic, pic_image, PIC_SIDE, PIC_SIDE, 3, &options), GIG_ELIMIT);
    const double falling[] = {0.1, 0.05}, high[] = {0.5, 1.0};
    options = golden_options();
    options.thresholds = falling;
    options.threshold_count = 2;
    assert_status(gig_pic_create(&pic, pic_image, PIC_SIDE, PIC_SIDE, 3, &options), GIG_EARG);
    assert_message("threshold 2");
    options.thresholds = high;
    assert_status(gig_pic_create(&pic, pic_image, PIC_SIDE, PIC_SIDE, 3, &options), GIG_EARG);
    options = golden_options();
    assert_status(gig_pic_create(&pic, pic_image, 1, PIC_SIDE, 3, &options), GIG_EARG);
    options.information = broken;
    assert_status(gig_pic_create(&pic, pic_image, PIC_SIDE, PIC_SIDE, 3, &options), GIG_EUNSUPPORTED);
    assert_null(pic);
    options = golden_options();
    pic = open_pic(&options);
    assert_status(gig_pic_score(&result, pic, (gig_functions){1, &function}, 3), GIG_EARG);
    float map[PIC_SIDE * PIC_SIDE] = {0};
    map[7] = NAN;
    assert_status(gig_pic_set_map(pic, map), GIG_ENUMERIC);
    assert_status(gig_pic_score(&result, pic, (gig_functions){1, &function}, 3), GIG_EARG);
    assert_ok(gig_pic_set_map(pic, pic_maps));
    function.features--;
    assert_status(gig_pic_score(&result, pic, (gig_functions){1, &function}, 3), GIG_EARG);
    gig_pic_free(pic);
}

static gig_status whole_run(void)
{
    gig_pic_options options = golden_options();
    gig_pic *pic = NULL;
    model m = {0};
    gig_function function = function_of(&m);
    gig_pic_result result = {0};
    gig_status status = gig_pic_create(&pic, pic_image, PIC_SIDE, PIC_SIDE, 3, &options);
    if (status == GIG_OK) status = gig_pic_set_map(pic, pic_maps);
    if (status == GIG_OK) status = gig_pic_score(&result, pic, (gig_functions){1, &function}, 3);
    gig_pic_result_clear(&result);
    gig_pic_free(pic);
    return status;
}

static void gives_back_memory_when_it_runs_out(void **state)
{
    (void)state;
    size_t before = gig_memory_used(), at = 0;
    for (gig_status status = GIG_ENOMEM; status != GIG_OK; at++) {
        gig_memory_fail_at(at, 0);
        status = whole_run();
        assert_true(status == GIG_OK || status == GIG_ENOMEM);
        assert_true(gig_memory_used() == before);
    }
    gig_memory_fail_at(SIZE_MAX, 0);
    assert_true(at > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_the_areas_of_the_toy),
        cmocka_unit_test(takes_the_last_of_equal_x),
        cmocka_unit_test(takes_quantiles_as_numpy_does),
        cmocka_unit_test(aggregates_curves),
        cmocka_unit_test(agrees_with_numpy_and_scipy),
        cmocka_unit_test(keeps_predictions_from_falling_unless_told),
        cmocka_unit_test(says_why_a_picture_is_not_scored),
        cmocka_unit_test(asks_for_a_prediction_of_eight_tenths),
        cmocka_unit_test(is_the_same_for_any_number_of_threads),
        cmocka_unit_test(measures_information_as_webp_by_default),
        cmocka_unit_test(draws_pixels_by_seed_and_picture),
        cmocka_unit_test(reveals_as_many_pixels_as_asked),
        cmocka_unit_test(refuses_what_makes_no_sense),
        cmocka_unit_test(gives_back_memory_when_it_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
