/* SPDX-License-Identifier: Apache-2.0 */
/* The four real models on 300 ILSVRC pictures, decoded, squashed and classified by us: right as often as their tables
 * say, to one picture. The two slow models run where GIG_LONG is set. */
#include "support.h"

#include "gig/image.h"
#include "internal/description.h"
#include "internal/network.h"

enum { PICTURES = 300, BEST = 5 };

typedef struct classifier {
    gig_model *model;
    gig_description *description;
    gig_network *network;
    gig_session *session;
    float *pixels;
} classifier;

static void open_classifier(classifier *out, const char *path)
{
    assert_ok(gig_model_load(&out->model, path, NULL));
    assert_ok(gig_description_load(&out->description, path));
    assert_ok(gig_description_complete(out->description, out->model));
    gig_network_options options = {.pixels = out->description->pixels, .output_kind = out->description->output};
    assert_ok(gig_network_create(&out->network, out->model, &options));
    assert_ok(gig_session_create(&out->session, out->network));
    out->pixels = malloc(gig_network_features(out->network) * sizeof *out->pixels);
}

static void close_classifier(classifier *made)
{
    free(made->pixels);
    gig_session_free(made->session);
    gig_network_free(made->network);
    gig_description_free(made->description);
    gig_model_free(made->model);
}

/* The five best classes of one picture. */
static void classify(size_t best[BEST], classifier *with, const char *path)
{
    gig_image picture, fitted;
    size_t width = (size_t)with->description->pixels.width, height = (size_t)with->description->pixels.height;
    assert_ok(gig_image_read(&picture, path, NULL));
    assert_ok(gig_image_resize(&fitted, &picture, width, height, GIG_BILINEAR));
    gig_image_to_pixels(with->pixels, &fitted);
    gig_image_clear(&picture);
    gig_image_clear(&fitted);
    assert_ok(gig_session_top(with->session, with->pixels, BEST, best, NULL));
}

static void expect_right(const char *name, int first_wanted, int five_wanted)
{
    char file[200], line[4096];
    const char *found;
    snprintf(file, sizeof file, "models/%s.onnx", name);
    need_data(found, file);
    classifier with;
    open_classifier(&with, found);
    need_data(found, "ilsvrc/annotations.csv");
    FILE *table = fopen(found, "r");
    assert_non_null(table);
    int first = 0, five = 0, count = 0;
    assert_non_null(fgets(line, sizeof line, table)); /* the header */
    while (fgets(line, sizeof line, table)) {
        char picture[128], path[200];
        size_t label, best[BEST];
        assert_int_equal(sscanf(line, "%127[^,],%zu", picture, &label), 2);
        snprintf(path, sizeof path, "ilsvrc/%s", picture);
        need_data(found, path);
        classify(best, &with, found);
        first += best[0] == label;
        for (int i = 0; i < BEST; i++) five += best[i] == label;
        count++;
    }
    fclose(table);
    close_classifier(&with);
    print_message("# %s: %d of %d first, %d among five\n", name, first, count, five);
    assert_int_equal(count, PICTURES);
    assert_in_range(first, first_wanted - 1, first_wanted + 1);
    assert_in_range(five, five_wanted - 1, five_wanted + 1);
}

static void classifies_with_mobilenet(void **state)
{
    (void)state;
    expect_right("mobilenet_v2_224", 188, 261);
}

static void classifies_with_squeezenet(void **state)
{
    (void)state;
    expect_right("squeezenet_v1.0_227", 174, 238);
}

static void classifies_with_resnet(void **state)
{
    (void)state;
    if (!getenv("GIG_LONG")) skip_because("long: set GIG_LONG=1");
    expect_right("resnet50_keras_224", 207, 263);
}

static void classifies_with_inception(void **state)
{
    (void)state;
    if (!getenv("GIG_LONG")) skip_because("long: set GIG_LONG=1");
    expect_right("inception_v3_299", 225, 277);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classifies_with_mobilenet),
        cmocka_unit_test(classifies_with_squeezenet),
        cmocka_unit_test(classifies_with_resnet),
        cmocka_unit_test(classifies_with_inception),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
