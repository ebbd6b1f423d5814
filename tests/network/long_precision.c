/* SPDX-License-Identifier: Apache-2.0 */
/* How far bfloat16 turns the gradient: cosine with f32, log-probability of the label, 20 ILSVRC pictures, each as it is
 * and darkened to 0.3. On a CPU without AMX the same numbers are rounded to bfloat16 in floats. */
#include "support.h"

#include "gig/image.h"
#include "internal/description.h"
#include "internal/network.h"

enum { PICTURES = 20, PRECISIONS = 4 };

typedef struct subject {
    gig_model *model;
    gig_description *description;
    gig_network *networks[PRECISIONS];
    gig_session *sessions[PRECISIONS];
    gig_function functions[PRECISIONS];
} subject;

static int open_precisions(subject *out, const char *path)
{
    int emulated = 0;
    assert_ok(gig_model_load(&out->model, path, NULL));
    assert_ok(gig_description_load(&out->description, path));
    assert_ok(gig_description_complete(out->description, out->model));
    for (int p = 0; p < PRECISIONS; p++) {
        gig_network_options options = {.pixels = out->description->pixels, .precision = (gig_precision)p};
        gig_status status = gig_network_create(&out->networks[p], out->model, &options);
        if (status == GIG_EUNSUPPORTED) {
            emulated = options.emulate_bf16 = 1;
            status = gig_network_create(&out->networks[p], out->model, &options);
        }
        assert_ok(status);
        assert_ok(gig_session_create(&out->sessions[p], out->networks[p]));
        assert_ok(gig_session_function(&out->functions[p], out->sessions[p], GIG_LOG_PROBABILITY));
    }
    return emulated;
}

static void close_precisions(subject *made)
{
    for (int p = 0; p < PRECISIONS; p++) {
        gig_session_free(made->sessions[p]);
        gig_network_free(made->networks[p]);
    }
    gig_description_free(made->description);
    gig_model_free(made->model);
}

static void read_point(float *point, const subject *of, const char *path, float factor)
{
    gig_image picture, fitted;
    size_t width = (size_t)of->description->pixels.width, height = (size_t)of->description->pixels.height;
    assert_ok(gig_image_read(&picture, path, NULL));
    assert_ok(gig_image_resize(&fitted, &picture, width, height, GIG_BILINEAR));
    gig_image_to_pixels(point, &fitted);
    for (size_t i = 0; i < width * height * 3; i++) point[i] *= factor;
    gig_image_clear(&picture);
    gig_image_clear(&fitted);
}

/* Adds this point's cosines to the sums. */
static void compare_point(double *sums, double *least, subject *of, const float *point, size_t label)
{
    size_t features = of->functions[0].features;
    float *gradients[PRECISIONS];
    double value;
    for (int p = 0; p < PRECISIONS; p++) {
        gradients[p] = malloc(features * sizeof(float));
        assert_ok(of->functions[p].evaluate(of->functions[p].payload, 1, &point, &label, &value, &gradients[p]));
        double found = support_cosine(gradients[0], gradients[p], features);
        sums[p] += found;
        if (found < least[p]) least[p] = found;
    }
    for (int p = 0; p < PRECISIONS; p++) free(gradients[p]);
}

static void measure(const char *name)
{
    static const char *const names[] = {"f32", "mixed", "split", "bf16"};
    char file[200], line[4096];
    const char *found;
    snprintf(file, sizeof file, "models/%s.onnx", name);
    need_data(found, file);
    subject of;
    int emulated = open_precisions(&of, found);
    double sums[PRECISIONS] = {0}, least[PRECISIONS] = {1, 1, 1, 1};
    float *point = malloc(of.functions[0].features * sizeof *point);
    need_data(found, "ilsvrc/annotations.csv");
    FILE *table = fopen(found, "r");
    assert_non_null(table);
    assert_non_null(fgets(line, sizeof line, table)); /* the header */
    for (int i = 0; i < PICTURES; i++) {
        char picture[128], path[200];
        size_t label;
        assert_non_null(fgets(line, sizeof line, table));
        assert_int_equal(sscanf(line, "%127[^,],%zu", picture, &label), 2);
        snprintf(path, sizeof path, "ilsvrc/%s", picture);
        for (int dark = 0; dark < 2; dark++) {
            need_data(found, path);
            read_point(point, &of, found, dark ? 0.3f : 1.0f);
            compare_point(sums, least, &of, point, label);
        }
    }
    fclose(table);
    free(point);
    close_precisions(&of);
    for (int p = 1; p < PRECISIONS; p++)
        print_message("# %s %s%s: cosine with f32 %.6f on average, %.6f at least\n", name, names[p],
                      emulated ? " (emulated)" : "", sums[p] / (2 * PICTURES), least[p]);
    assert_true(sums[GIG_MIXED] / (2 * PICTURES) >= 0.9999);
    assert_true(sums[GIG_SPLIT] / (2 * PICTURES) >= 0.999);
}

static void keeps_resnets_gradient(void **state)
{
    (void)state;
    measure("resnet50_keras_224");
}

static void keeps_inceptions_gradient(void **state)
{
    (void)state;
    measure("inception_v3_299");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_resnets_gradient),
        cmocka_unit_test(keeps_inceptions_gradient),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
