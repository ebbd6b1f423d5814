/* SPDX-License-Identifier: Apache-2.0 */
/* Grad-CAM and guided backpropagation: published numbers on toys, and gig_method_run on networks. */
#include "captum_toy.h"
#include "gig/image.h"
#include "internal/saliency.h"
#include "support.h"

static gig_tensor layer_of(float *data, int64_t channels, int64_t rows, int64_t columns)
{
    return (gig_tensor){.type = GIG_FLOAT32, .rank = 4, .dims = {1, channels, rows, columns}, .real = data};
}

static void expect_cam(float *value, float *gradient, int64_t channels, size_t rows, size_t columns, int signed_map,
                       const double *expected)
{
    float map[25];
    gig_tensor a = layer_of(value, channels, (int64_t)rows, (int64_t)columns);
    gig_tensor g = layer_of(gradient, channels, (int64_t)rows, (int64_t)columns);
    assert_ok(gig_grad_cam(map, rows, columns, &a, &g, signed_map));
    for (size_t i = 0; i < rows * columns; i++) assert_true(fabs((double)map[i] - expected[i]) < 1e-6);
}

static void gives_captums_layer_maps(void **state)
{
    (void)state;
    float x[16], before[8], after[8], before_slope[8], after_slope[8];
    for (size_t i = 0; i < 16; i++) x[i] = (float)i;
    toy_layer(before, x, 0, 0);
    toy_layer(after, x, 0, 1);
    for (size_t k = 0; k < 8; k++) {
        after_slope[k] = toy_weights[k];
        before_slope[k] = before[k] > 0 ? toy_weights[k] : 0;
    }
    expect_cam(before, before_slope, 2, 2, 2, 1, (const double[]){11.25, 13.5, 20.25, 22.5});
    expect_cam(before, before_slope, 1, 2, 2, 1, (const double[]){-3.75, 3, 23.25, 30});
    expect_cam(before, before_slope, 1, 2, 2, 0, (const double[]){0, 3, 23.25, 30});
    expect_cam(before + 4, before_slope + 4, 1, 2, 2, 1, (const double[]){15, 10.5, -3, -7.5});
    expect_cam(after, after_slope, 2, 2, 2, 1, (const double[]){0, 4, 28, 32.5});
    /* The toy of dense layers at (0,100,0), where each input's slope is 4. */
    float dense[3] = {0, 100, 0}, slope[3] = {4, 4, 4};
    expect_cam(dense, slope, 3, 1, 1, 1, (const double[]){400});
}

/* PAIR's test divides by the maximum. */
static void gives_pairs_map(void **state)
{
    (void)state;
    float value[25], gradient[25] = {[0] = 2, [24] = 2, [6] = 3, [7] = 3, [8] = 3, [21] = 3, [22] = 3, [23] = 3},
                     map[25];
    for (size_t i = 0; i < 25; i++) {
        float ramp = (float)(i % 5 < 3 ? i % 5 + 1 : 5 - i % 5);
        value[i] = i / 5 == 2 ? 0 : i / 5 % 4 == 0 ? -ramp : ramp;
    }
    gig_tensor a = layer_of(value, 1, 5, 5), g = layer_of(gradient, 1, 5, 5);
    assert_ok(gig_grad_cam(map, 5, 5, &a, &g, 0));
    for (size_t i = 0; i < 25; i++) {
        double expected = i / 5 % 2 ? (double)value[i] / 3 : 0;
        assert_true(fabs((double)(map[i] / map[7]) - expected) < 1e-6);
    }
}

static void clamps_the_border_when_it_resizes_a_map(void **state)
{
    (void)state;
    float value[2] = {0, 1}, gradient[2] = {1, 1}, map[8];
    gig_tensor a = layer_of(value, 1, 1, 2), g = layer_of(gradient, 1, 1, 2);
    assert_ok(gig_grad_cam(map, 2, 4, &a, &g, 0));
    for (size_t y = 0; y < 2; y++) assert_close(map + 4 * y, ((const float[]){0, .25f, .75f, 1}), 4, 0, 1e-6);
}

static void rejects_layers_without_rows_and_columns(void **state)
{
    (void)state;
    float value[4] = {0, 1, 2, INFINITY}, map[4];
    gig_tensor a = layer_of(value, 1, 2, 2), g = layer_of(value, 1, 1, 4), flat = a, empty = layer_of(value, 1, 0, 2);
    flat.rank = 2;
    assert_status(gig_grad_cam(map, 2, 2, &a, &g, 0), GIG_EARG);
    assert_message("differ in shape");
    assert_status(gig_grad_cam(map, 2, 2, &flat, &flat, 0), GIG_EARG);
    assert_message("expected [1, channels, rows, columns]");
    assert_status(gig_grad_cam(map, 2, 2, &empty, &empty, 0), GIG_EARG);
    assert_status(gig_grad_cam(map, 2, 2, &a, &a, 0), GIG_ENUMERIC);
}

/* ---- networks ---- */

typedef struct toy {
    gig_model *model;
    gig_network *network;
    gig_session *session;
    gig_function function;
    float x[16];
} toy;

static void open_toy(toy *out, int guided_relu)
{
    static const char *const keep[] = {"conv1", "relu1"};
    const gig_network_options options = {.guided_relu = guided_relu, .keep_count = 2, .keep = keep};
    assert_ok(gig_model_load(&out->model, source_path("tests/golden/networks/captum_toy.onnx"), NULL));
    assert_ok(gig_network_create(&out->network, out->model, &options));
    assert_ok(gig_session_create(&out->session, out->network));
    assert_ok(gig_session_function(&out->function, out->session, GIG_LOGIT));
    for (size_t i = 0; i < 16; i++) out->x[i] = (float)i;
}

static void close_toy(toy *held)
{
    gig_session_free(held->session);
    gig_network_free(held->network);
    gig_model_free(held->model);
}

static void gives_captums_layer_maps_of_a_network(void **state)
{
    (void)state;
    static const float expected[2][4] = {{11.25f, 13.5f, 20.25f, 22.5f}, {0, 4, 28, 32.5f}};
    toy held;
    open_toy(&held, 0);
    for (size_t layer = 0; layer < 2; layer++) {
        gig_tensor value, gradient;
        float map[4];
        assert_ok(gig_session_tensor(&value, &gradient, NULL, held.session,
                                     &(gig_kept_request){layer, held.x, GIG_LOGIT, 0}));
        assert_ok(gig_grad_cam(map, 2, 2, &value, &gradient, 1));
        assert_close(map, expected[layer], 4, 1e-6, 1e-6);
        gig_tensor_clear(&value);
        gig_tensor_clear(&gradient);
    }
    close_toy(&held);
}

static void guided_backprop_gives_captums_numbers(void **state)
{
    (void)state;
    static const char *const names[2] = {"gradients", "guided-backprop"};
    static const float expected[2][16] = {{0, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 0},
                                          {0, 1, 1, 1, 1, 3, 3, 2, 1, 3, 3, 2, 1, 2, 2, 1}};
    for (int guided = 0; guided < 2; guided++) {
        toy held;
        gig_method method;
        gig_explanation got;
        open_toy(&held, guided);
        const float *input = held.x;
        const size_t target = 0;
        assert_ok(gig_method_parse(&method, names[guided], NULL));
        assert_ok(gig_method_run(&got, 1, &input, &target, (gig_functions){1, &held.function}, &method, NULL));
        assert_close(got.attributions, expected[guided], 16, 1e-6, 1e-6);
        gig_explanation_clear(&got);
        close_toy(&held);
    }
}

static void guided_backprop_refuses_plain_gradients(void **state)
{
    (void)state;
    toy held;
    gig_method method;
    gig_explanation got;
    open_toy(&held, 0);
    const float *input = held.x;
    const size_t target = 0;
    assert_ok(gig_method_parse(&method, "guided-backprop", NULL));
    assert_status(gig_method_run(&got, 1, &input, &target, (gig_functions){1, &held.function}, &method, NULL),
                  GIG_EARG);
    assert_message("guided_relu");
    close_toy(&held);
}

/* The demo's classifier: what gig_method_run gives is what its layer gives. */
enum { SIDE = 96, VALUES = SIDE * SIDE * 3 };

static void explains_a_network_by_its_layer(void **state)
{
    (void)state;
    static const char *const keep[] = {"relu5"};
    gig_network_options making = {
        .pixels = {.enabled = 1, .width = SIDE, .height = SIDE, .scale = 1}, .keep_count = 1, .keep = keep};
    for (int c = 0; c < 3; c++) making.pixels.mean[c] = .45f, making.pixels.std[c] = .25f;
    gig_model *model;
    gig_network *network;
    gig_session *sessions[2];
    gig_function functions[2];
    gig_image image;
    static float pixels[2][VALUES], direct[SIDE * SIDE];
    assert_ok(gig_model_load(&model, source_path("demo/model.onnx"), NULL));
    assert_ok(gig_network_create(&network, model, &making));
    for (size_t i = 0; i < 2; i++) {
        assert_ok(gig_session_create(&sessions[i], network));
        assert_ok(gig_session_function(&functions[i], sessions[i], GIG_LOGIT));
        assert_ok(
            gig_image_read(&image, source_path(i ? "demo/pictures/bird-1.png" : "demo/pictures/boat-2.png"), NULL));
        gig_image_to_pixels(pixels[i], &image);
        gig_image_clear(&image);
    }
    const float *inputs[2] = {pixels[0], pixels[1]};
    const size_t targets[2] = {2, 1};
    gig_run_options options = {.shape = {SIDE, SIDE, 3, 0}, .sessions = sessions, .scalar = GIG_LOGIT};
    gig_explanation both[2], alone;
    gig_method method;
    assert_ok(gig_method_parse(&method, "grad-cam", NULL));
    assert_ok(gig_method_run(both, 2, inputs, targets, (gig_functions){2, functions}, &method, &options));
    for (size_t i = 0; i < 2; i++) {
        gig_tensor value, gradient;
        double logit;
        assert_ok(gig_session_tensor(&value, &gradient, NULL, sessions[0],
                                     &(gig_kept_request){0, inputs[i], GIG_LOGIT, targets[i]}));
        assert_ok(gig_grad_cam(direct, SIDE, SIDE, &value, &gradient, 0));
        gig_tensor_clear(&value);
        gig_tensor_clear(&gradient);
        assert_int_equal(both[i].count, SIDE * SIDE);
        assert_memory_equal(both[i].attributions, direct, sizeof direct);
        assert_ok(functions[0].evaluate(functions[0].payload, 1, &inputs[i], &targets[i], &logit, NULL));
        assert_true(both[i].value_input == logit && isnan(both[i].delta));
        assert_int_equal(both[i].evaluations, 1);
        assert_string_equal(both[i].method, "grad-cam");
    }
    assert_ok(gig_method_parse(&method, "smooth+grad-cam/samples=3/noise=0", NULL));
    assert_ok(gig_method_run(&alone, 1, inputs, targets, (gig_functions){1, functions}, &method, &options));
    assert_memory_equal(both[0].attributions, alone.attributions, sizeof direct);
    assert_int_equal(alone.evaluations, 3);
    gig_explanation_clear(&alone);
    options.scalar = GIG_SOFTMAX; /* the functions' own scalar counts */
    assert_ok(gig_method_run(&alone, 1, inputs, targets, (gig_functions){1, functions}, &method, &options));
    assert_memory_equal(both[0].attributions, alone.attributions, sizeof direct);
    gig_explanation_clear(&alone);
    toy other;
    open_toy(&other, 0);
    gig_session *wrong[2] = {other.session, NULL};
    options.sessions = wrong;
    assert_status(gig_method_run(&alone, 1, inputs, targets, (gig_functions){1, functions}, &method, &options),
                  GIG_EARG);
    assert_message("session has 16 features");
    wrong[0] = sessions[0];
    assert_status(gig_method_run(&alone, 1, inputs, targets, (gig_functions){2, functions}, &method, &options),
                  GIG_EARG);
    assert_message("worker 1 has no session");
    gig_function uneven[2] = {functions[0], other.function};
    assert_status(gig_method_run(&alone, 1, inputs, targets, (gig_functions){2, uneven}, &method, &options), GIG_EARG);
    assert_message("worker 1's function has 16 features");
    close_toy(&other);
    options.sessions = NULL;
    assert_status(gig_method_run(&alone, 1, inputs, targets, (gig_functions){1, functions}, &method, &options),
                  GIG_EARG);
    assert_message("sessions");
    for (size_t i = 0; i < 2; i++) {
        gig_explanation_clear(&both[i]);
        gig_session_free(sessions[i]);
    }
    gig_network_free(network);
    gig_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_captums_layer_maps),
        cmocka_unit_test(gives_pairs_map),
        cmocka_unit_test(clamps_the_border_when_it_resizes_a_map),
        cmocka_unit_test(rejects_layers_without_rows_and_columns),
        cmocka_unit_test(gives_captums_layer_maps_of_a_network),
        cmocka_unit_test(guided_backprop_gives_captums_numbers),
        cmocka_unit_test(guided_backprop_refuses_plain_gradients),
        cmocka_unit_test(explains_a_network_by_its_layer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
