/* SPDX-License-Identifier: Apache-2.0 */
/* The demo that comes with the source: the classifier gives PyTorch's numbers, knows its pictures, and the generator
 * still draws them. */
#include "gig/image.h"
#include "gig/tensor.h"
#include "internal/network.h"
#include "support.h"

enum { CLASSES = 12, SIDE = 96, PIXELS = SIDE * SIDE };
static const char *const names[CLASSES] = {"apple", "bird", "boat", "butterfly", "cactus", "candle",
                                           "fish",  "key",  "mug",  "mushroom",  "snail",  "umbrella"};

static void read_demo(gig_image *out, const char *folder, int class, size_t channels)
{
    char name[128];
    gig_image_options options = {.channels = channels};
    snprintf(name, sizeof name, "demo/%s/%s-%d.png", folder, names[class], class);
    assert_ok(gig_image_read(out, source_path(name), &options));
    assert_true(out->width == SIDE && out->height == SIDE && out->channels == channels);
}

static void the_classifier_gives_pytorchs_logits_and_knows_every_picture(void **state)
{
    (void)state;
    gig_model *model;
    gig_network *network;
    gig_session *session;
    gig_tensor wanted;
    gig_network_options options = {.pixels = {.enabled = 1, .width = SIDE, .height = SIDE, .scale = 1}};
    for (int c = 0; c < 3; c++) {
        options.pixels.mean[c] = 0.45f;
        options.pixels.std[c] = 0.25f;
    }
    assert_ok(gig_npy_read(&wanted, source_path("tests/golden/view_demo_logits.npy")));
    assert_ok(gig_model_load(&model, source_path("demo/model.onnx"), NULL));
    assert_ok(gig_network_create(&network, model, &options));
    assert_ok(gig_session_create(&session, network));
    assert_int_equal(gig_network_classes(network), CLASSES);
    for (int k = 0; k < CLASSES; k++) {
        static float pixels[PIXELS * 3];
        gig_image picture;
        gig_tensor logits;
        size_t best;
        double probability;
        read_demo(&picture, "pictures", k, 3);
        gig_image_to_pixels(pixels, &picture);
        assert_ok(gig_session_output(&logits, session, pixels));
        assert_close(logits.real, wanted.real + k * CLASSES, CLASSES, 1e-5, 1e-5);
        assert_ok(gig_session_top(session, pixels, 1, &best, &probability));
        assert_int_equal(best, k);
        assert_true(probability > 0.5);
        gig_tensor_clear(&logits);
        gig_image_clear(&picture);
    }
    gig_session_free(session);
    gig_network_free(network);
    gig_model_free(model);
    gig_tensor_clear(&wanted);
}

static void labels_are_the_names_of_the_classes(void **state)
{
    (void)state;
    FILE *file = fopen(source_path("demo/labels.txt"), "r");
    char line[64];
    assert_non_null(file);
    for (int k = 0; k < CLASSES; k++) {
        assert_non_null(fgets(line, sizeof line, file));
        line[strcspn(line, "\n")] = 0;
        assert_string_equal(line, names[k]);
    }
    assert_null(fgets(line, sizeof line, file));
    fclose(file);
}

static void masks_are_black_and_white_and_cover_a_part(void **state)
{
    (void)state;
    for (int k = 0; k < CLASSES; k++) {
        gig_image mask;
        size_t inside = 0;
        read_demo(&mask, "masks", k, 1);
        for (size_t i = 0; i < PIXELS; i++) {
            assert_true(mask.pixels[i] == 0 || mask.pixels[i] == 255);
            inside += mask.pixels[i] == 255;
        }
        assert_true(inside > PIXELS / 50 && inside < PIXELS / 2);
        gig_image_clear(&mask);
    }
}

static void the_log_tells_of_at_least_95_percent(void **state)
{
    (void)state;
    FILE *file = fopen(source_path("demo/train.log"), "r");
    char line[256];
    double accuracy = 0;
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        const char *at = strstr(line, "test accuracy ");
        if (strncmp(line, "model.onnx:", 11) == 0 && at) accuracy = atof(at + 14);
    }
    fclose(file);
    assert_true(accuracy >= 0.95);
}

static void the_classifier_is_at_most_a_megabyte(void **state)
{
    (void)state;
    struct stat about;
    assert_int_equal(stat(source_path("demo/model.onnx"), &about), 0);
    assert_true(about.st_size <= 1000000);
}

static void the_generator_still_draws_the_committed_pictures(void **state)
{
    (void)state;
    char program[1024], command[4096], name[128];
    const char *build = getenv("GIG_BUILD_DIR");
    snprintf(program, sizeof program, "%s/demo/demo-generate", build ? build : "build");
    const char *folder = temporary_path("scenes");
    snprintf(command, sizeof command, "mkdir -p '%s/pictures' '%s/masks' && '%s' png 3 0 %d '%s'", folder, folder,
             program, CLASSES, folder);
    assert_int_equal(system(command), 0);
    for (int k = 0; k < CLASSES; k++) {
        gig_image kept, drawn;
        size_t different = 0;
        read_demo(&kept, "pictures", k, 3);
        snprintf(name, sizeof name, "scenes/pictures/%s-%d.png", names[k], k);
        assert_ok(gig_image_read(&drawn, temporary_path(name), NULL));
        for (size_t i = 0; i < PIXELS * 3; i++) different += abs(kept.pixels[i] - drawn.pixels[i]) > 2;
        assert_true(different < PIXELS / 100); /* another libm or cairo may move a rounding here and there */
        gig_image_clear(&kept);
        gig_image_clear(&drawn);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_classifier_gives_pytorchs_logits_and_knows_every_picture),
        cmocka_unit_test(labels_are_the_names_of_the_classes),
        cmocka_unit_test(masks_are_black_and_white_and_cover_a_part),
        cmocka_unit_test(the_log_tells_of_at_least_95_percent),
        cmocka_unit_test(the_classifier_is_at_most_a_megabyte),
        cmocka_unit_test(the_generator_still_draws_the_committed_pictures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
