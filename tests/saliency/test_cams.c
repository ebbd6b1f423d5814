/* SPDX-License-Identifier: Apache-2.0 */
/* Grad-CAM and similar ones on layers of every shape, against maps written out again in PyTorch (tools/golden/cams.py).
 */
#include "internal/network.h"
#include "internal/saliency.h"
#include "internal/tensor.h"
#include "support.h"

typedef struct held {
    char arrays[200];
    gig_model *model;
    gig_network *network, *guided;
    gig_session *session, *guided_session;
    gig_function function, guided_function;
    gig_tensor x;
} held;

static void open_golden(held *out, const char *name)
{
    char path[200];
    const gig_network_options keeping = {.keep_last_map = 1}, guided = {.guided_relu = 1};
    *out = (held){0};
    snprintf(path, sizeof path, "tests/golden/cams/%s.onnx", name);
    snprintf(out->arrays, sizeof out->arrays, "tests/golden/cams/%s.npz", name);
    assert_ok(gig_model_load(&out->model, source_path(path), NULL));
    assert_ok(gig_network_create(&out->network, out->model, &keeping));
    assert_ok(gig_network_create(&out->guided, out->model, &guided));
    assert_ok(gig_session_create(&out->session, out->network));
    assert_ok(gig_session_create(&out->guided_session, out->guided));
    assert_ok(gig_session_function(&out->function, out->session, GIG_LOGIT));
    assert_ok(gig_session_function(&out->guided_function, out->guided_session, GIG_LOGIT));
    assert_ok(gig_npz_read(&out->x, source_path(out->arrays), "x"));
}

static void close_golden(held *h)
{
    gig_tensor_clear(&h->x);
    gig_session_free(h->session);
    gig_session_free(h->guided_session);
    gig_network_free(h->network);
    gig_network_free(h->guided);
    gig_model_free(h->model);
}

/* Where place p and channel c of a layer are: [1, channels, rows, columns], or [1, tokens, channels] with or without a
 * class token. */
static size_t index_of(const gig_tensor *value, size_t places, size_t channels, size_t p, size_t c)
{
    if (value->rank == 4) return c * places + p;
    return ((size_t)value->dims[1] - places + p) * channels + c;
}

/* The layer that is found without a name: its value is the golden one's, a class token left out. */
static void looks_at_the_last_layer_that_reaches_the_class(void **state)
{
    (void)state;
    static const char *const names[] = {"convolutional", "class_token", "mean_of_tokens",
                                        "vit",           "swin",        "window_tokens"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        held h;
        gig_tensor value, gradient, layer;
        open_golden(&h, names[i]);
        assert_non_null(gig_network_last_map(h.network));
        assert_ok(gig_npz_read(&layer, source_path(h.arrays), "layer"));
        assert_ok(
            gig_session_tensor(&value, &gradient, NULL, h.session, &(gig_kept_request){0, h.x.real, GIG_LOGIT, 1}));
        size_t places = (size_t)layer.dims[0], channels = (size_t)layer.dims[1];
        assert_true(gig_tensor_count(&value) == places * channels || value.dims[1] == (int64_t)places + 1);
        for (size_t p = 0; p < places; p++)
            for (size_t c = 0; c < channels; c++) {
                float got = value.real[index_of(&value, places, channels, p, c)];
                if (!(fabs((double)(got - layer.real[p * channels + c])) < 2e-5))
                    fail_msg("%s: \"%s\" is not the layer", names[i], gig_network_last_map(h.network));
            }
        double largest = 0; /* each place has a gradient, not the class token's alone */
        for (size_t c = 0; c < channels; c++)
            largest = fmax(largest, fabs((double)gradient.real[index_of(&value, places, channels, 1, c)]));
        assert_true(largest > 1e-6);
        gig_tensor_clear(&value);
        gig_tensor_clear(&gradient);
        gig_tensor_clear(&layer);
        close_golden(&h);
    }
}

static void expect_map(const char *network, const char *name)
{
    held h;
    gig_method method;
    gig_explanation got;
    gig_tensor wanted;
    open_golden(&h, network);
    const float *input = h.x.real;
    gig_tensor class = {0};
    size_t target = 1;
    if (gig_npz_read(&class, source_path(h.arrays), "target") == GIG_OK) target = (size_t) class.real[0];
    gig_tensor_clear(&class);
    gig_session *const sessions[1] = {h.session};
    gig_run_options options = {.sessions = sessions, .scalar = GIG_LOGIT};
    options.shape = (gig_picture_shape){(size_t)h.x.dims[2], (size_t)h.x.dims[3], 3, 1};
    assert_ok(gig_method_parse(&method, name, NULL));
    int guided = (method.row->traits & GIG_METHOD_GUIDED_RELU) != 0;
    assert_ok(gig_method_run(&got, 1, &input, &target, (gig_functions){1, guided ? &h.guided_function : &h.function},
                             &method, &options));
    assert_ok(gig_npz_read(&wanted, source_path(h.arrays), name));
    size_t count = 1;
    for (int i = 0; i < wanted.rank; i++) count *= (size_t)wanted.dims[i];
    assert_int_equal(got.count, count);
    assert_close(got.attributions, wanted.real, count, 1e-4, 1e-7);
    gig_explanation_clear(&got);
    gig_tensor_clear(&wanted);
    close_golden(&h);
}

static void gives_pytorchs_maps(void **state)
{
    (void)state;
    static const char *const methods[] = {"grad-cam", "grad-cam-pp", "hires-cam", "layer-cam"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        expect_map("convolutional", methods[i]);
        expect_map("class_token", methods[i]);
        expect_map("mean_of_tokens", methods[i]);
    }
    expect_map("convolutional", "guided-grad-cam");
    expect_map("vit", "grad-cam");
    expect_map("swin", "grad-cam");
    expect_map("window_tokens", "grad-cam");
}

/* Swins that were trained to name the colour of a disc (tools/golden/cam_transformers.py): the map is high on it. Its
 * mean there is at least one and a half times that of the rest; a map of noise has the same mean everywhere. */
static void the_map_lies_on_what_was_learned(void **state)
{
    (void)state;
    static const char *const names[] = {"swin", "window_tokens"};
    for (size_t i = 0; i < 2; i++) {
        char path[200];
        gig_tensor map, disc;
        double inside = 0, outside = 0, area = 0;
        snprintf(path, sizeof path, "tests/golden/cams/%s.npz", names[i]);
        assert_ok(gig_npz_read(&map, source_path(path), "grad-cam")); /* what gives_pytorchs_maps compares with */
        assert_ok(gig_npz_read(&disc, source_path(path), "disc"));
        for (int64_t y = 0; y < map.dims[0]; y++)
            for (int64_t x = 0; x < map.dims[1]; x++) {
                float down = (float)y - disc.real[0], across = (float)x - disc.real[1], r = disc.real[2];
                int in = down * down + across * across <= r * r;
                *(in ? &inside : &outside) += (double)map.real[y * map.dims[1] + x];
                area += in;
            }
        double rest = (double)gig_tensor_count(&map) - area;
        assert_true(inside / area > 1.5 * outside / rest);
        gig_tensor_clear(&map);
        gig_tensor_clear(&disc);
    }
}

static void takes_channels_last_and_tokens(void **state)
{
    (void)state;
    float last[16] = {0}, tokens[15] = {0}, map[4];
    for (int i = 0; i < 16; i++) last[i] = (float)i;
    for (int i = 0; i < 15; i++) tokens[i] = (float)i;
    float ones[16];
    for (int i = 0; i < 16; i++) ones[i] = 1;
    gig_tensor a = {.type = GIG_FLOAT32, .rank = 4, .dims = {1, 1, 1, 16}, .real = last}, g = a;
    g.real = ones;
    assert_ok(gig_grad_cam(map, 1, 1, &a, &g, 0)); /* one place of 16 channels */
    assert_true(map[0] == 120);
    float wide[4];
    a.dims[1] = g.dims[1] = a.dims[2] = g.dims[2] = 2;
    a.dims[3] = g.dims[3] = 4;
    assert_ok(gig_grad_cam(wide, 2, 2, &a, &g, 0)); /* 2 x 2 of 4 channels, as the picture is square */
    assert_close(wide, ((const float[]){6, 22, 38, 54}), 4, 0, 1e-6);
    gig_tensor t = {.type = GIG_FLOAT32, .rank = 3, .dims = {1, 5, 3}, .real = tokens}, tg = t;
    tg.real = ones;
    assert_ok(gig_grad_cam(map, 2, 2, &t, &tg, 0)); /* a class token, then 2 x 2 */
    assert_close(map, ((const float[]){12, 21, 30, 39}), 4, 0, 1e-6);
    t.dims[1] = tg.dims[1] = 3;
    assert_status(gig_grad_cam(map, 2, 2, &t, &tg, 0), GIG_EARG);
    assert_message("square number of tokens");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(looks_at_the_last_layer_that_reaches_the_class),
        cmocka_unit_test(gives_pytorchs_maps),
        cmocka_unit_test(the_map_lies_on_what_was_learned),
        cmocka_unit_test(takes_channels_last_and_tokens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
