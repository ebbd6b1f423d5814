/* SPDX-License-Identifier: Apache-2.0 */
/* gig_explainer: the same bits as the parts put together by hand, for pictures, pixels, tensors and functions. */
#include "base/memory.h"
#include "closed_form.h"
#include "internal/explainer.h"
#include "internal/saliency.h"
#include "internal/view.h"
#include "support.h"

enum { SIDE = 96, VALUES = SIDE * SIDE * 3, CLASSES = 12 };

static const char *demo(const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "demo/%s", name);
    return source_path(path);
}

static gig_explainer *open_demo(const gig_explainer_options *options)
{
    gig_explainer *explainer;
    assert_ok(gig_explainer_open(&explainer, demo("model.onnx"), options));
    return explainer;
}

static char *copy(const char *text) /* source_path has one buffer */
{
    char *out = strdup(text);
    assert_non_null(out);
    return out;
}

static void expect_same(const gig_explanation *a, const gig_explanation *b)
{
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->attributions, b->attributions, a->count * sizeof *a->attributions);
}

/* ---- pictures ---- */

static void gives_the_bits_of_its_parts(void **state)
{
    (void)state;
    gig_model *model;
    gig_network *network;
    gig_session *session;
    gig_function function;
    gig_description *about;
    gig_image image;
    gig_method method;
    gig_explanation by_hand, found;
    static float pixels[VALUES];
    assert_ok(gig_model_load(&model, demo("model.onnx"), NULL));
    assert_ok(gig_description_load(&about, demo("model.onnx")));
    assert_ok(gig_description_complete(about, model));
    const gig_network_options making = {.pixels = about->pixels, .output_kind = about->output};
    assert_ok(gig_network_create(&network, model, &making));
    assert_ok(gig_session_create(&session, network));
    assert_ok(gig_session_function(&function, session, GIG_SOFTMAX));
    assert_ok(gig_image_read(&image, demo("pictures/boat-2.png"), NULL));
    gig_image_to_pixels(pixels, &image); /* the demo's pictures have the model's size */
    assert_ok(gig_method_parse(&method, "gig:2/steps=20", NULL));
    const gig_run_options options = {.shape = {SIDE, SIDE, 3, 0}};
    assert_ok(gig_method_run(&by_hand, 1, &(const float *){pixels}, &(size_t){2}, (gig_functions){1, &function},
                             &method, &options));

    gig_explainer *explainer = open_demo(NULL);
    assert_ok(gig_explainer_explain(&found, explainer, demo("pictures/boat-2.png"), "gig:2/steps=20", NULL));
    gig_explainer_close(explainer); /* an explanation stands alone */
    expect_same(&found, &by_hand);
    assert_memory_equal(found.picture, pixels, sizeof pixels);
    assert_int_equal(found.rank, 3);
    assert_int_equal(found.dims[0], SIDE);
    assert_int_equal(found.dims[2], 3);
    assert_int_equal(found.target, 2);
    assert_string_equal(found.class_name, "boat");
    assert_string_equal(found.of, "softmax");
    assert_string_equal(found.method, "gig:2/steps=20");
    assert_true(found.value == by_hand.value_input && found.value > 0.9);
    assert_true(isnan(found.stability));
    gig_explanation_clear(&found);
    gig_explanation_clear(&by_hand);
    gig_image_clear(&image);
    gig_session_free(session);
    gig_network_free(network);
    gig_description_free(about);
    gig_model_free(model);
}

static void takes_files_images_and_pixels(void **state)
{
    (void)state;
    gig_explainer *explainer = open_demo(NULL);
    char *path = copy(demo("pictures/fish-6.png"));
    gig_image image;
    gig_explanation found[3];
    static float pixels[VALUES];
    assert_ok(gig_image_read(&image, path, NULL));
    assert_ok(gig_explainer_point(pixels, explainer, &(gig_input){.image = &image}));
    const gig_input inputs[] = {{.file = path}, {.image = &image}, {.values = pixels}};
    assert_ok(gig_explainer_explain_inputs(found, explainer, 3, inputs, "ig/steps=8", NULL));
    expect_same(&found[0], &found[1]);
    expect_same(&found[0], &found[2]);
    for (int i = 0; i < 3; i++) gig_explanation_clear(&found[i]);
    pixels[5] = 1.5f;
    assert_status(gig_explainer_explain_inputs(found, explainer, 3, inputs, "ig/steps=8", NULL), GIG_EARG);
    assert_message("input 2: value 5 is 1.5: expected pixels in [0,1]");
    assert_null(found[0].attributions);
    const gig_input beyond = {.values = pixels, .unbounded = 1};
    double value;
    assert_ok(gig_explainer_evaluate(&value, NULL, explainer, 1, &beyond, NULL));
    pixels[5] = NAN;
    assert_status(gig_explainer_evaluate(&value, NULL, explainer, 1, &beyond, NULL), GIG_ENUMERIC);
    static const char *const methods[] = {"ig/steps=8", "edge", "grad-cam", "occlusion"};
    for (size_t i = 0; i < 4; i++) /* with a model and without */
        assert_status(gig_explainer_explain_inputs(found, explainer, 3, inputs, methods[i], NULL), GIG_ENUMERIC);
    gig_image_clear(&image);
    free(path);
    gig_explainer_close(explainer);
}

static void explains_many_as_each_alone(void **state)
{
    (void)state;
    static const char *const methods[] = {"gradients", "gig:2/steps=12",  "smooth+ig/samples=2/steps=4",
                                          "grad-cam",  "guided-backprop", "xrai+ig/steps=4",
                                          "edge"};
    gig_explainer *many = open_demo(&(gig_explainer_options){.threads = 3}),
                  *one = open_demo(&(gig_explainer_options){.threads = 1});
    char *paths[3] = {copy(demo("pictures/boat-2.png")), copy(demo("pictures/fish-6.png")),
                      copy(demo("pictures/key-7.png"))};
    const gig_input inputs[3] = {{.file = paths[0]}, {.file = paths[1]}, {.file = paths[2]}};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        gig_explanation all[3], alone;
        assert_ok(gig_explainer_explain_inputs(all, many, 3, inputs, methods[m], NULL));
        for (int i = 0; i < 3; i++) {
            assert_ok(gig_explainer_explain(&alone, one, paths[i], methods[m], NULL));
            expect_same(&all[i], &alone);
            assert_string_equal(all[i].class_name, alone.class_name);
            gig_explanation_clear(&alone);
            gig_explanation_clear(&all[i]);
        }
    }
    for (int i = 0; i < 3; i++) free(paths[i]);
    gig_explainer_close(many);
    gig_explainer_close(one);
}

static void finds_classes_by_name_and_number(void **state)
{
    (void)state;
    gig_explainer *explainer = open_demo(NULL);
    char *path = copy(demo("pictures/key-7.png"));
    gig_explanation by_name, by_number;
    size_t classes, found, best[3];
    double probabilities[3];
    assert_ok(gig_explainer_classes(&classes, explainer, NULL, NULL));
    assert_int_equal(classes, CLASSES);
    assert_ok(gig_explainer_find_class(&found, explainer, "Fish", NULL, NULL));
    assert_int_equal(found, 6);
    assert_string_equal(gig_explainer_class_name(explainer, found), "fish");
    assert_null(gig_explainer_class_name(explainer, CLASSES));
    assert_ok(gig_explainer_top(best, probabilities, explainer, &(gig_input){.file = path}, 3, NULL));
    assert_int_equal(best[0], 7);
    assert_true(probabilities[0] > probabilities[1] && probabilities[1] >= probabilities[2]);
    const gig_explain_options name = {.class_name = "fish"}, number = {.classes = &(size_t){6}},
                              neither = {.class_name = "no such thing"}, beyond = {.classes = &(size_t){CLASSES}};
    assert_ok(gig_explainer_explain(&by_name, explainer, path, "gradients", &name));
    assert_ok(gig_explainer_explain(&by_number, explainer, path, "gradients", &number));
    expect_same(&by_name, &by_number);
    gig_explanation_clear(&by_number);
    assert_status(gig_explainer_explain(&by_number, explainer, path, "gradients", &neither), GIG_EARG);
    assert_status(gig_explainer_explain(&by_number, explainer, path, "gradients", &beyond), GIG_EARG);
    assert_message("class 12: expected one below 12");
    gig_explanation_clear(&by_name);
    free(path);
    gig_explainer_close(explainer);
}

static void finds_the_layer_of_grad_cam(void **state)
{
    (void)state;
    int assumed;
    static const char text[] = "{\"input\": {\"mean\": [0.45, 0.45, 0.45], \"std\": [0.25, 0.25, 0.25]}}";
    char *silent = copy(temporary_file("silent.json", text, sizeof text - 1)); /* names no layer */
    gig_explainer *own = open_demo(&(gig_explainer_options){.description = silent}),
                  *kept = open_demo(&(gig_explainer_options){.description = silent, .keep_cam = 1}),
                  *named = open_demo(&(gig_explainer_options){.cam = "relu5"});
    gig_explanation found[3];
    char *path = copy(demo("pictures/boat-2.png"));
    assert_null(gig_explainer_cam(own, &assumed));
    assert_ok(gig_explainer_explain(&found[0], own, path, "grad-cam", NULL));
    assert_ok(gig_explainer_explain(&found[1], kept, path, "grad-cam", NULL));
    assert_ok(gig_explainer_explain(&found[2], named, path, "grad-cam", NULL));
    assert_string_equal(gig_explainer_cam(own, &assumed), "relu5");
    assert_true(assumed);
    gig_explainer_cam(named, &assumed);
    assert_false(assumed);
    int said = 0;
    for (size_t i = 0; gig_explainer_remark(own, i); i++) said += !!strstr(gig_explainer_remark(own, i), "relu5");
    assert_int_equal(said, 1);
    expect_same(&found[0], &found[1]);
    expect_same(&found[0], &found[2]);
    for (int i = 0; i < 3; i++) gig_explanation_clear(&found[i]);
    assert_ok(gig_explainer_explain(&found[0], own, path, "ig/steps=4", NULL)); /* keeping a layer moves no bit */
    assert_ok(gig_explainer_explain(&found[1], kept, path, "ig/steps=4", NULL));
    expect_same(&found[0], &found[1]);
    for (int i = 0; i < 2; i++) gig_explanation_clear(&found[i]);
    free(path);
    free(silent);
    gig_explainer_close(own);
    gig_explainer_close(kept);
    gig_explainer_close(named);
}

/* ---- options ---- */

static gig_status count_views(void *payload, const gig_view *view)
{
    assert_int_equal(view->features, VALUES);
    ++*(int *)payload;
    return GIG_OK;
}

static int stop_soon(void *payload, const gig_progress *progress)
{
    (void)progress;
    return ++*(int *)payload > 3;
}

static void is_watched_and_cancelled(void **state)
{
    (void)state;
    gig_explainer *explainer = open_demo(&(gig_explainer_options){.threads = 1});
    gig_explanation found;
    int views = 0, calls = 0;
    const gig_explain_options watched = {.observe = count_views, .observe_payload = &views};
    const gig_explain_options cancelled = {.progress = stop_soon, .progress_payload = &calls};
    assert_ok(gig_explainer_explain(&found, explainer, demo("pictures/boat-2.png"), "gig/steps=5", &watched));
    assert_int_equal(views, 6);
    gig_explanation_clear(&found);
    assert_status(gig_explainer_explain(&found, explainer, demo("pictures/boat-2.png"), "ig", &cancelled), GIG_ECANCEL);
    assert_null(found.attributions);
    assert_in_range(calls, 1, 10);
    gig_explainer_close(explainer);
}

static void takes_defaults_scalars_and_baselines(void **state)
{
    (void)state;
    gig_explainer *explainer = open_demo(NULL);
    gig_method defaults;
    gig_explanation set, said, white;
    static float ones[VALUES];
    char *path = copy(demo("pictures/boat-2.png"));
    for (size_t i = 0; i < VALUES; i++) ones[i] = 1;
    gig_method_init(&defaults);
    assert_ok(gig_method_set(&defaults, "steps", "7"));
    assert_ok(gig_explainer_explain(&set, explainer, path, "ig",
                                    &(gig_explain_options){.defaults = &defaults, .of = "logit", .baseline = ones}));
    assert_ok(gig_explainer_explain(&said, explainer, path, "ig/steps=7/baseline=white",
                                    &(gig_explain_options){.of = "logit"}));
    expect_same(&set, &said);
    assert_string_equal(said.of, "logit");
    assert_true(said.value > 1); /* no probability */
    assert_string_equal(set.method, "ig/baseline=given/steps=7");
    assert_status(gig_explainer_explain(&white, explainer, path, "ig", &(gig_explain_options){.of = "loss"}), GIG_EARG);
    assert_message("unknown scalar \"loss\"");
    gig_explanation_clear(&set);
    gig_explanation_clear(&said);
    free(path);
    gig_explainer_close(explainer);
}

static void takes_presets_and_labels(void **state)
{
    (void)state;
    static const char names[] = "zero\none\ntwo\n";
    const gig_explainer_options given = {.preset = "imagenet",
                                         .labels = temporary_file("names.txt", names, sizeof names - 1)};
    gig_explainer *explainer = open_demo(&given), *none;
    const gig_description *about = gig_explainer_description(explainer);
    assert_string_equal(gig_explainer_class_name(explainer, 2), "two");
    assert_true(about->pixels.mean[1] == 0.456f && about->pixels.std[2] == 0.225f && about->pixels.scale == 1);
    int labels = 0, assumed = 0;
    for (size_t i = 0; gig_explainer_remark(explainer, i); i++) {
        labels += !!strstr(gig_explainer_remark(explainer, i), "3 labels for 12 classes");
        assumed += !!strstr(gig_explainer_remark(explainer, i), "input.mean");
    }
    assert_int_equal(labels, 1);
    assert_int_equal(assumed, 0);
    gig_explainer_close(explainer);
    assert_status(gig_explainer_open(&none, demo("model.onnx"), &(gig_explainer_options){.preset = "resnet"}),
                  GIG_EARG);
    assert_message("unknown preset \"resnet\"; expected imagenet,");
    assert_null(none);
}

static void refuses_what_is_not_there(void **state)
{
    (void)state;
    gig_explainer *none = (gig_explainer *)1;
    assert_status(gig_explainer_open(&none, "no/such.onnx", NULL), GIG_EIO);
    assert_null(none);
    gig_explainer_close(none);
    gig_explainer *explainer = open_demo(NULL);
    gig_explanation found;
    assert_status(gig_explainer_explain(&found, explainer, "no/such.png", "ig", NULL), GIG_EIO);
    assert_message("no/such.png");
    assert_status(gig_explainer_explain(&found, explainer, demo("pictures/boat-2.png"), "iggy", NULL), GIG_EARG);
    assert_message("iggy");
    gig_explainer_close(explainer);
}

static void survives_without_memory(void **state)
{
    (void)state;
    size_t held = gig_memory_used(), at = 0;
    char *model = copy(demo("model.onnx")), *picture = copy(demo("pictures/boat-2.png"));
    for (;; at += 1 + at / 16) { /* early ones each, later ones some */
        gig_explainer *explainer;
        gig_explanation found = {0};
        gig_memory_fail_at(at, 1);
        gig_status status = gig_explainer_open(&explainer, model, &(gig_explainer_options){.threads = 1});
        if (status == GIG_OK) status = gig_explainer_explain(&found, explainer, picture, "ig/steps=2", NULL);
        gig_memory_fail_at(SIZE_MAX, 0);
        gig_explanation_clear(&found);
        gig_explainer_close(explainer);
        assert_int_equal(gig_memory_used(), held);
        if (status == GIG_OK) break;
        assert_int_equal(status, GIG_ENOMEM);
    }
    assert_true(at > 100);
    free(model);
    free(picture);
}

/* ---- tensors ---- */

/* The demo's input as the model itself takes it: [1, 3, 96, 96] less mean over std. */
static gig_tensor raw_picture(gig_explainer *explainer, const char *path)
{
    static float pixels[VALUES];
    const gig_pixels *how = &gig_explainer_description(explainer)->pixels;
    gig_tensor out;
    assert_ok(gig_explainer_point(pixels, explainer, &(gig_input){.file = path}));
    assert_ok(gig_tensor_create(&out, GIG_FLOAT32, 4, (const int64_t[]){1, 3, SIDE, SIDE}));
    for (size_t c = 0; c < 3; c++)
        for (size_t p = 0; p < SIDE * SIDE; p++)
            out.real[c * SIDE * SIDE + p] = (how->scale * pixels[p * 3 + c] - how->mean[c]) / how->std[c];
    return out;
}

static void explains_raw_tensors(void **state)
{
    (void)state;
    gig_explainer *explainer = open_demo(NULL);
    gig_tensor batch = raw_picture(explainer, demo("pictures/boat-2.png")), point = batch;
    point.rank = 3;
    memmove(point.dims, batch.dims + 1, 3 * sizeof *point.dims);
    const gig_input inputs[] = {{.tensor = &batch}, {.tensor = &point}, {.file = demo("pictures/boat-2.png")}};
    static float gradient[VALUES], pixels[VALUES];
    double values[3];
    float *const gradients[] = {gradient, NULL, pixels};
    gig_explanation found[2];
    assert_ok(gig_explainer_evaluate(values, gradients, explainer, 3, inputs, NULL));
    assert_true(fabs(values[0] - values[2]) < 1e-5 && values[0] == values[1]);
    const gig_pixels *how = &gig_explainer_description(explainer)->pixels;
    for (size_t i = 0; i < VALUES; i += 101) { /* the description's scale is part of the function of pixels */
        double wanted = (double)(gradient[i % 3 * SIDE * SIDE + i / 3] * how->scale) / (double)how->std[i % 3];
        assert_true(fabs((double)pixels[i] - wanted) < 1e-4 * fabs(wanted) + 1e-7);
    }
    assert_ok(gig_explainer_explain_inputs(found, explainer, 2, inputs, "gradients", NULL));
    assert_memory_equal(found[0].attributions, gradient, sizeof gradient);
    expect_same(&found[0], &found[1]);
    assert_null(found[0].picture);
    assert_int_equal(found[0].rank, 3);
    assert_int_equal(found[0].dims[0], 3);
    assert_true(found[0].shape.planar && found[0].shape.channels == 3);
    for (int i = 0; i < 2; i++) gig_explanation_clear(&found[i]);
    gig_tensor flat = batch;
    flat.rank = 1;
    flat.dims[0] = VALUES;
    assert_status(gig_explainer_evaluate(values, NULL, explainer, 1, &(gig_input){.tensor = &flat}, NULL), GIG_EARG);
    assert_message("expected a tensor of shape [");
    assert_status(gig_explainer_evaluate(values, NULL, explainer, 1, &(gig_input){0}, NULL), GIG_EARG);
    gig_tensor_clear(&batch);
    gig_explainer_close(explainer);
}

static void explains_inside_the_network(void **state)
{
    (void)state;
    gig_explainer *outer = open_demo(NULL), *inner = open_demo(&(gig_explainer_options){.at = "relu5"});
    gig_tensor boat = raw_picture(outer, demo("pictures/boat-2.png")),
               fish = raw_picture(outer, demo("pictures/fish-6.png"));
    const gig_input inputs[] = {{.tensor = &boat}, {.tensor = &fish}};
    gig_explanation both[2], alone;
    double value;
    size_t best;
    assert_ok(gig_explainer_explain_inputs(both, inner, 2, inputs, "ig/steps=6", NULL));
    assert_int_equal(both[0].target, 2);
    assert_int_equal(both[1].target, 6);
    for (int i = 0; i < 2; i++) {
        assert_ok(gig_explainer_evaluate(&value, NULL, outer, 1, &inputs[i], NULL));
        assert_true(fabs(value - both[i].value) < 1e-5);
        assert_ok(gig_explainer_explain_inputs(&alone, inner, 1, &inputs[i], "ig/steps=6", NULL));
        expect_same(&alone, &both[i]);
        assert_ok(gig_explainer_top(&best, NULL, inner, &inputs[i], 1, NULL));
        assert_int_equal(best, both[i].target);
        gig_explanation_clear(&alone);
        gig_explanation_clear(&both[i]);
    }
    assert_status(gig_explainer_explain(&alone, inner, demo("pictures/boat-2.png"), "ig", NULL), GIG_EARG);
    assert_message("relu5");
    gig_tensor_clear(&boat);
    gig_tensor_clear(&fish);
    gig_explainer_close(outer);
    gig_explainer_close(inner);
}

/* ---- functions of one's own ---- */

static void explains_functions_of_ones_own(void **state)
{
    (void)state;
    closed models[2] = {{.form = independent_quadratic, .features = 2}, {.form = independent_quadratic, .features = 2}};
    const gig_function functions[2] = {closed_function(&models[0], 1), closed_function(&models[1], 1)};
    const float x[2] = {1, 3};
    const gig_input input = {.values = x};
    gig_explainer *explainer;
    gig_explanation found;
    size_t best;
    double value;
    float gradient[2], *gradients[] = {gradient};
    assert_ok(gig_explainer_open_functions(&explainer, 2, functions, NULL));
    assert_ok(gig_explainer_explain_inputs(&found, explainer, 1, &input, "ig/steps=10",
                                           &(gig_explain_options){.class_name = "5"}));
    assert_true(fabs((double)found.attributions[0] - 2) < 1e-5 && fabs((double)found.attributions[1] - 9) < 1e-5);
    assert_int_equal(found.target, 5);
    assert_int_equal(found.rank, 1);
    assert_int_equal(found.dims[0], 2);
    gig_explanation_clear(&found);
    assert_ok(gig_explainer_evaluate(&value, gradients, explainer, 1, &input, NULL));
    assert_true(value == 11 && gradient[0] == 4 && gradient[1] == 6);
    assert_status(gig_explainer_explain(&found, explainer, "cat.jpg", "ig", NULL), GIG_EARG);
    assert_status(gig_explainer_explain_inputs(&found, explainer, 1, &input, "grad-cam", NULL), GIG_EARG);
    assert_message("grad-cam needs a model");
    assert_status(gig_explainer_top(&best, NULL, explainer, &input, 1, NULL), GIG_EARG);
    assert_status(gig_explanation_draw(&found, temporary_path("none.png"), NULL), GIG_EARG);
    gig_explainer_close(explainer);
}

/* ---- files ---- */

static void expect_start(const char *path, const char *wanted)
{
    char start[8] = {0};
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(start, 1, 5, file), 5);
    fclose(file);
    assert_non_null(strstr(start[0] == '\x89' ? start + 1 : start, wanted));
}

static void draws_and_saves(void **state)
{
    (void)state;
    gig_explainer *explainer = open_demo(NULL);
    gig_explanation found[3];
    char *path = copy(demo("pictures/boat-2.png")), *drawing = copy(temporary_path("map.png"));
    assert_ok(gig_explainer_explain(&found[0], explainer, path, "gradients", NULL));
    assert_ok(gig_explainer_explain(&found[1], explainer, path, "grad-cam", NULL));
    assert_ok(gig_explainer_explain(&found[2], explainer, demo("pictures/fish-6.png"), "edge", NULL));
    gig_explainer_close(explainer);
    assert_ok(gig_explanation_draw(&found[1], drawing, NULL));
    expect_start(drawing, "PNG");
    assert_status(gig_explanation_draw(&found[1], drawing, NULL), GIG_EIO);
    assert_ok(gig_explanation_draw(&found[0], drawing, &(gig_draw_options){.force = 1, .title = "boat"}));
    assert_ok(gig_explanation_draw(&found[2], temporary_path("map.svg"), NULL));
    expect_start(temporary_path("map.svg"), "<?xml");
    assert_ok(gig_explanation_draw(&found[0], temporary_path("map.pdf"), NULL));
    expect_start(temporary_path("map.pdf"), "%PDF");
    assert_status(gig_explanation_draw(&found[0], temporary_path("map.bmp"), NULL), GIG_EARG);

    gig_sheet *sheet;
    size_t height, width, alone;
    assert_ok(gig_explanation_sheet(&sheet, found, 1, NULL));
    assert_ok(gig_sheet_size(&height, &alone, sheet));
    gig_sheet_free(sheet);
    assert_ok(gig_explanation_sheet(&sheet, found, 3, NULL)); /* boat with two maps; below it fish with one */
    assert_ok(gig_sheet_size(&height, &width, sheet));
    assert_true(width > alone + 300 && height > 2 * SIDE);
    gig_sheet_free(sheet);

    gig_tensor saved;
    assert_ok(gig_explanation_save(&found[1], temporary_path("map.npy"), 0));
    assert_ok(gig_npy_read(&saved, temporary_path("map.npy")));
    assert_int_equal(saved.rank, 3);
    assert_int_equal(saved.dims[2], 1);
    assert_memory_equal(saved.real, found[1].attributions, found[1].count * sizeof(float));
    gig_tensor_clear(&saved);
    for (int i = 0; i < 3; i++) gig_explanation_clear(&found[i]);
    assert_status(gig_explanation_save(&found[1], temporary_path("map.npy"), 1), GIG_EARG);
    free(path);
    free(drawing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(gives_the_bits_of_its_parts),
                                       cmocka_unit_test(takes_files_images_and_pixels),
                                       cmocka_unit_test(explains_many_as_each_alone),
                                       cmocka_unit_test(finds_classes_by_name_and_number),
                                       cmocka_unit_test(finds_the_layer_of_grad_cam),
                                       cmocka_unit_test(is_watched_and_cancelled),
                                       cmocka_unit_test(takes_defaults_scalars_and_baselines),
                                       cmocka_unit_test(takes_presets_and_labels),
                                       cmocka_unit_test(refuses_what_is_not_there),
                                       cmocka_unit_test(survives_without_memory),
                                       cmocka_unit_test(explains_raw_tensors),
                                       cmocka_unit_test(explains_inside_the_network),
                                       cmocka_unit_test(explains_functions_of_ones_own),
                                       cmocka_unit_test(draws_and_saves)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
