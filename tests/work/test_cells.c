/* SPDX-License-Identifier: Apache-2.0 */
/* What the scores and cells of a study hold, on the demo's model and pictures (this program is its own worker). */
#include "cells.h"

#include "base/file.h"
#include "base/memory.h"
#include "gig/image.h"
#include "internal/explainer.h"
#include "internal/tensor.h"
#include "internal/work.h"
#include "model/graph.h"
#include "model/wire.h"
#include "network/dnnl/dnnl.h"
#include "work/store/cell.h"
#include "work/worker/model_cache.h"
#include <sys/stat.h>

/* A map of edges knows nothing of the model: whatever is explained, its scores are those of the probability. */
static void scores_probabilities_whatever_is_explained(void **state)
{
    (void)state;
    const char rest[] = "\"methods\": [\"edge\"], \"metrics\": [\"sic\", \"insertion/steps=5\", \"deletion/steps=5\"]";
    char logits[256];
    snprintf(logits, sizeof logits, "\"of\": \"logit\", %s", rest);
    run("softmax", line_of("apple-0", 0), rest);
    run("logit", line_of("apple-0", 0), logits);
    found a = scores_of("softmax"), b = scores_of("logit");
    assert_true(a.count == 3 && b.count == 3);
    for (size_t i = 0; i < 3; i++) {
        assert_true(a.values[i] > 0 && a.values[i] < 1);
        assert_true(a.values[i] == b.values[i]);
    }
}

/* From black to the picture a probability changes by less than 1, the logit of a sure model by more. */
static void explains_the_scalar_that_is_asked_for(void **state)
{
    (void)state;
    const char rest[] = "\"methods\": [\"ig/steps=20\"], \"metrics\": [\"sic\", \"completeness\"]";
    char logits[256];
    snprintf(logits, sizeof logits, "\"of\": \"logit\", %s", rest);
    run("probability", line_of("apple-0", 0), rest);
    run("logits", line_of("apple-0", 0), logits);
    found a = scores_of("probability"), b = scores_of("logits");
    assert_true(a.count == 2 && b.count == 2);
    assert_true(a.sum[0] > 0.1 && a.sum[0] < 1.2);
    assert_true(b.sum[0] > 2);
}

/* Closed paths need no map; a metric that is asked for later makes it, and what that gave and cost is kept. */
static void keeps_what_a_map_gave_that_is_made_later(void **state)
{
    (void)state;
    const char closed[] = "\"methods\": [\"ig/steps=4\"], \"metrics\": [\"closed/paths=1\"]";
    const char both[] = "\"methods\": [\"ig/steps=4\"], \"metrics\": [\"closed/paths=1\", \"completeness\"]";
    run("later", line_of("apple-0", 0), closed);
    found first = scores_of("later");
    assert_true(first.count == 1 && first.evaluations[0] == 0 && isnan(first.sum[0]));
    run("later", line_of("apple-0", 0), both);
    found second = scores_of("later");
    assert_true(second.count == 2 && second.values[0] == first.values[0]);
    for (int i = 0; i < 2; i++) assert_true(second.evaluations[i] == 4 && isfinite(second.sum[i]));
}

/* agreement compares the draws of repeat: it is what repeat reports of as many. */
static void compares_the_draws_of_repeat(void **state)
{
    (void)state;
    const char rest[] =
        "\"methods\": [\"gig:0/steps=20\", \"gig:0/steps=20/repeat=3\"], \"metrics\": [\"agreement/draws=3\"]";
    run("draws", line_of("fish-6", 6), rest);
    found f = scores_of("draws");
    assert_int_equal(f.count, 2);
    assert_true(f.values[0] < 0.999 && isnan(f.values[1]));
    assert_float_equal(f.values[0], f.stability[1], 1e-6);
}

/* Held to AVX2 from the first network on, also while pictures are ranked and models timed; and the cell says so. */
static void computes_portably_where_the_manifest_says_so(void **state)
{
    (void)state;
    const char rest[] = "\"filter\": {\"top\": 5}, \"methods\": [\"ig/steps=4\"], \"metrics\": [\"auc\"]";
    char portable[256];
    if (!gig_cpu_has_avx2()) skip();
    snprintf(portable, sizeof portable, "\"portable\": true, %s", rest);
    run("portable", line_of("apple-0", 0), portable);
    run("own", line_of("apple-0", 0), rest);
    found a = scores_of("portable"), b = scores_of("own");
    assert_true(a.count == 1 && b.count == 1);
    assert_non_null(strstr(a.versions[0], "(avx2)"));
    assert_non_null(strstr(a.versions[0], ", portable"));
    assert_null(strstr(b.versions[0], "portable"));
}

/* Edges know nothing of the model; a map of gradients does, and the rest of the picture's scores stay as they were. */
static void asks_whether_maps_depend_on_the_weights(void **state)
{
    (void)state;
    run("drawn", line_of("apple-0", 0),
        "\"methods\": [\"edge\", \"ig/steps=8\"], \"metrics\": [\"auc\", \"emprt\", \"randomised/cuts=2\"]");
    run("plain", line_of("apple-0", 0), "\"methods\": [\"edge\", \"ig/steps=8\"], \"metrics\": [\"auc\"]");
    found a = scores_of("drawn"), b = scores_of("plain");
    assert_true(a.count == 6 && b.count == 2);
    assert_true(a.values[0] == b.values[0] && a.values[3] == b.values[1]);
    assert_float_equal(a.values[1], 0, 1e-12);
    assert_float_equal(a.values[2], 1, 1e-12);
    assert_true(isfinite(a.values[4]) && a.values[4] != 0);
    assert_true(a.values[5] > -1 && a.values[5] < 0.9);
}

/* A picture of one grey, 64 x 64. */
static void write_grey(const char *path, int value)
{
    uint8_t bytes[64 * 64 * 3];
    memset(bytes, value, sizeof bytes);
    const gig_image image = {.width = 64, .height = 64, .channels = 3, .pixels = bytes};
    assert_ok(gig_image_write_png(path, &image, 1));
}

/* Of a study of one picture that has this baseline; rest: its other keys, with %s for the baseline. */
static found two_scores_from(const char *name, const char *rest, const char *baseline)
{
    const char *hole = strstr(rest, "%s");
    char text[256];
    snprintf(text, sizeof text, "%.*s%s%s", (int)(hole - rest), rest, baseline, hole + 2);
    run(name, line_of("apple-0", 0), text);
    found scores = scores_of(name);
    assert_true(scores.count == 2);
    return scores;
}

/* One black picture is the black baseline; a black and a white one are black+white, in whatever order they are
 * drawn.
 */
static void takes_pictures_of_a_folder_as_baselines(void **state)
{
    (void)state;
    const char rest[] = "\"methods\": [\"ig/steps=8\"], \"metrics\": [\"auc\", \"completeness\"], \"baselines\": [%s]";
    const char *const baselines[] = {"\"pictures:dark:1\"", "\"black\"", "\"pictures:both:2\"", "\"black+white\""};
    const char *const names[] = {"dark", "black", "both", "black-white"};
    found scores[4];
    assert_int_equal(mkdir(temporary_path("dark"), 0777), 0);
    assert_int_equal(mkdir(temporary_path("both"), 0777), 0);
    write_grey(temporary_path("dark/a.png"), 0);
    write_grey(temporary_path("both/a.png"), 0);
    write_grey(temporary_path("both/b.png"), 255);
    for (int i = 0; i < 4; i++) scores[i] = two_scores_from(names[i], rest, baselines[i]);
    for (int i = 0; i < 2; i++) {
        assert_true(scores[0].values[i] == scores[1].values[i]);
        assert_float_equal(scores[2].values[i], scores[3].values[i], 1e-4);
        assert_true(scores[2].values[i] != scores[0].values[i]);
    }
    assert_true(scores[2].evaluations[0] == 16);
}

/* Metrics that divide a map by the difference from its baseline know one picture as well as a colour. */
static void knows_what_a_map_from_one_picture_differs_from(void **state)
{
    (void)state;
    const char rest[] =
        "\"methods\": [\"ig/steps=8\"], \"metrics\": [\"infidelity/samples=2\", \"mufidelity/subsets=20\"],"
        " \"baselines\": [%s]";
    const char *const baselines[] = {"\"pictures:light:1\"", "\"white\""}, *const names[] = {"light-map", "white-map"};
    found scores[2];
    assert_int_equal(mkdir(temporary_path("light"), 0777), 0);
    write_grey(temporary_path("light/a.png"), 255);
    for (int i = 0; i < 2; i++) scores[i] = two_scores_from(names[i], rest, baselines[i]);
    for (int i = 0; i < 2; i++) assert_true(scores[0].values[i] == scores[1].values[i]);
}

/* The files count, not their names. */
static void knows_baseline_pictures_by_their_content(void **state)
{
    (void)state;
    const char rest[] = "\"methods\": [\"ig/steps=4\"], \"metrics\": [\"auc\"], \"baselines\": [\"pictures:grey:1\"]";
    assert_int_equal(mkdir(temporary_path("grey"), 0777), 0);
    write_grey(temporary_path("grey/a.png"), 100);
    run("grey-study", line_of("apple-0", 0), rest);
    found first = scores_of("grey-study");
    assert_int_equal(rename(temporary_path("grey/a.png"), temporary_path("grey/b.png")), 0);
    run("grey-study", line_of("apple-0", 0), rest);
    found renamed = scores_of("grey-study");
    write_grey(temporary_path("grey/b.png"), 200);
    run("grey-study", line_of("apple-0", 0), rest);
    found changed = scores_of("grey-study");
    assert_true(first.count == 1 && renamed.count == 1 && changed.count == 1);
    assert_string_equal(first.keys[0], renamed.keys[0]);
    assert_string_not_equal(first.keys[0], changed.keys[0]);
}

/* A map that was changed on disk tells whether it, or one made again, was scored. */
static void scores_the_map_that_was_kept(void **state)
{
    (void)state;
    const char first[] = "\"keep\": \"maps\", \"methods\": [\"edge\"], \"metrics\": [\"auc\"]";
    const char second[] = "\"keep\": \"maps\", \"methods\": [\"edge\"], \"metrics\": [\"auc\", \"gini\"]";
    run("kept", line_of("apple-0", 0), first);
    found before = scores_of("kept");
    char path[700];
    snprintf(path, sizeof path, "%s/%s.npz", temporary_path("kept.db.maps"), before.keys[0]);
    gig_tensor map;
    assert_ok(gig_npz_read(&map, path, "attributions"));
    for (size_t i = 0; i < gig_tensor_count(&map); i++) map.real[i] = 1;
    assert_ok(gig_npz_write(path, 1, (const char *const[]){"attributions"}, (const gig_tensor *const[]){&map}, 1));
    gig_tensor_clear(&map);
    run("kept", line_of("apple-0", 0), second);
    found after = scores_of("kept");
    assert_true(after.count == 2 && after.values[0] == before.values[0]);
    assert_float_equal(after.values[1], 0, 1e-12);
}

/* Also where others are made of it: xrai+ig of ig's. */
static void computes_a_damaged_map_again(void **state)
{
    (void)state;
    const char first[] = "\"keep\": \"maps\", \"methods\": [\"ig/steps=3\"], \"metrics\": [\"auc\"]";
    const char second[] = "\"keep\": \"maps\", \"methods\": [\"ig/steps=3\", \"xrai+ig/steps=3\"],"
                          " \"metrics\": [\"auc\", \"gini\"]";
    run("sound", line_of("apple-0", 0), second);
    run("torn", line_of("apple-0", 0), first);
    char path[700];
    gig_tensor map;
    snprintf(path, sizeof path, "%s/%s.npz", temporary_path("torn.db.maps"), scores_of("torn").keys[0]);
    assert_int_equal(truncate(path, 1000), 0);
    gig_study_counts counts = run("torn", line_of("apple-0", 0), second);
    assert_true(counts.done == 2 && counts.failed == 0);
    found sound = scores_of("sound"), torn = scores_of("torn");
    assert_true(sound.count == 4 && torn.count == 4);
    for (int i = 0; i < 4; i++) assert_true(sound.values[i] == torn.values[i]);
    assert_ok(gig_npz_read(&map, path, "attributions"));
    gig_tensor_clear(&map);
}

static void closes_paths_in_the_steps_of_the_method(void **state)
{
    (void)state;
    const char rest[] = "\"methods\": [\"ig/steps=3\", \"ig/steps=5\"], \"metrics\": [\"closed/paths=1\"]";
    run("steps", line_of("apple-0", 0), rest);
    found f = scores_of("steps");
    assert_true(f.count == 2 && f.values[0] > 0 && f.values[0] != f.values[1]);
}

/* A file that is listed twice is two pictures, each with its own random pixels, whoever looked at it before. */
static void scores_a_picture_alike_after_any_other(void **state)
{
    (void)state;
    const char rest[] = "\"methods\": [\"edge\"], \"metrics\": [\"sic/least=0.01\"]";
    char lines[30000];
    snprintf(lines, sizeof lines, "%s%s", line_of("apple-0", 1), line_of("apple-0", 0));
    assert_true(run("twice", lines, rest).done == 2);
    assert_true(run("once", line_of("apple-0", 0), rest).done == 1);
    found both = scores_of("twice"), alone = scores_of("once");
    assert_true(both.count == 2 && both.targets[1] == 0 && alone.count == 1);
    assert_true(isfinite(alone.values[0]) && both.values[1] == alone.values[0]);
}

/* Masks of 0 and 1 cover as much as those of 0 and 255. */
static void measures_the_area_of_any_mask(void **state)
{
    (void)state;
    char path[4200], line[9000];
    gig_image mask;
    const gig_image_options grey = {.channels = 1};
    snprintf(path, sizeof path, "%s/masks/apple-0.png", root);
    assert_ok(gig_image_read(&mask, path, &grey));
    for (size_t i = 0; i < mask.width * mask.height; i++) mask.pixels[i] = mask.pixels[i] == 255;
    assert_ok(gig_image_write_png(temporary_path("ones.png"), &mask, 1));
    gig_image_clear(&mask);
    const char rest[] = "\"methods\": [\"edge\"], \"metrics\": [\"auc\"], \"filter\": {\"box-area\": [0.02, 0.9]}";
    snprintf(line, sizeof line, "%s/pictures/apple-0.png,0,ones.png\n", root);
    assert_true(run("ones", line, rest).done == 1);
    assert_true(run("grey", line_of("apple-0", 0), rest).done == 1);
    assert_true(scores_of("ones").values[0] == scores_of("grey").values[0]);
}

static void closes_paths_over_two_other_pictures(void **state)
{
    (void)state;
    const char rest[] =
        "\"limit\": 1, \"methods\": [\"ig/steps=2\"], \"metrics\": [\"closed/corners=pictures/paths=1\"]";
    char lines[30000];
    snprintf(lines, sizeof lines, "%s%s%s", line_of("apple-0", 0), line_of("bird-1", 1), line_of("boat-2", 2));
    assert_true(run("three", lines, rest).done == 1);
    assert_true(scores_of("three").values[0] > 0);
    snprintf(lines, sizeof lines, "%s%s", line_of("apple-0", 0), line_of("bird-1", 1));
    assert_true(run("two", lines, rest).failed == 1);
    char *failures;
    assert_ok(gig_study_failures(&failures, temporary_path("two.db")));
    assert_non_null(strstr(failures, "two other pictures"));
    gig_text_free(failures);
}

static void says_that_a_further_score_failed_and_keeps_the_others(void **state)
{
    (void)state;
    const char first[] = "\"limit\": 1, \"methods\": [\"ig/steps=2\"], \"metrics\": [\"auc\"]";
    const char second[] = "\"limit\": 1, \"methods\": [\"ig/steps=2\"],"
                          " \"metrics\": [\"auc\", \"closed/corners=pictures/paths=1\"]";
    char lines[30000], *failures;
    snprintf(lines, sizeof lines, "%s%s", line_of("apple-0", 0), line_of("bird-1", 1));
    gig_study_counts counts = run("further", lines, first);
    assert_true(counts.done == 1 && counts.failed == 0);
    counts = run("further", lines, second);
    assert_true(counts.done == 0 && counts.failed == 1);
    assert_true(scores_of("further").count == 1);
    assert_ok(gig_study_failures(&failures, temporary_path("further.db")));
    assert_non_null(strstr(failures, "two other pictures"));
    gig_text_free(failures);
    counts = run("further", lines, first);
    assert_true(counts.done == 1 && counts.failed == 0);
}

/* A worker asks its cache for every cell. */
static void loads_a_model_and_a_picture_once(void **state)
{
    (void)state;
    gig_model_cache *cache;
    gig_cached_model first, again, cam;
    gig_cached_picture one, two;
    char model[4200], file[4200];
    snprintf(model, sizeof model, "%s/model.onnx", root);
    snprintf(file, sizeof file, "%s/pictures/bird-1.png", root);
    const gig_study_picture subject = {.file = file, .label = 1};
    assert_ok(gig_model_cache_create(&cache));
    assert_ok(gig_model_cache_get_model(&first, cache, &(gig_model_request){model, NULL, GIG_F32, GIG_USE_PLAIN}));
    assert_ok(gig_model_cache_get_model(&cam, cache, &(gig_model_request){model, NULL, GIG_F32, GIG_USE_CAM}));
    assert_ok(gig_model_cache_get_model(&again, cache, &(gig_model_request){model, NULL, GIG_F32, GIG_USE_PLAIN}));
    assert_true(again.session == first.session && again.network == first.network);
    assert_true(cam.description == first.description && cam.session != first.session);
    assert_ok(gig_model_cache_get_picture(&one, cache, &subject, &first));
    assert_ok(gig_model_cache_get_picture(&two, cache, &subject, &cam));
    assert_true(one.pixels == two.pixels);
    gig_model_cache_free(cache);
}

/* Without a description grad-cam uses the layer the last tensor with rows and columns, as gig explain does. */
static void chooses_a_layer_for_grad_cam(void **state)
{
    (void)state;
    gig_model_cache *cache;
    gig_cached_model cam;
    char model[4200];
    uint8_t *bytes;
    size_t count;
    snprintf(model, sizeof model, "%s/model.onnx", root);
    assert_ok(gig_file_read(&bytes, &count, model, 1 << 26));
    snprintf(model, sizeof model, "%s", temporary_file("alone.onnx", bytes, count));
    gig_free(bytes);
    assert_ok(gig_model_cache_create(&cache));
    assert_ok(gig_model_cache_get_model(&cam, cache, &(gig_model_request){model, NULL, GIG_F32, GIG_USE_CAM}));
    assert_string_equal(gig_explainer_cam(cam.explainer, NULL), "relu5");
    gig_model_cache_free(cache);
}

/* A description that changes is another model, however the model's file is called. */
static void knows_a_model_by_its_description(void **state)
{
    (void)state;
    char model[4200], manifest[512], text[9000];
    const char *const endings[] = {".onnx", ".v1", ""};
    uint8_t *bytes;
    size_t count;
    snprintf(model, sizeof model, "%s/model.onnx", root);
    assert_ok(gig_file_read(&bytes, &count, model, 1 << 26));
    for (int i = 0; i < 3; i++) {
        char name[64];
        gig_study_counts counts;
        gig_study_estimate plan;
        snprintf(name, sizeof name, "net%d%s", i, endings[i]);
        temporary_file(name, bytes, count);
        int used = snprintf(text, sizeof text,
                            "{\"models\": {\"m\": \"%s\"}, \"pictures\": {\"p\": \"%s/pictures\"}, \"limit\": 1,"
                            "\"methods\": [\"gradients\"], \"metrics\": [\"gini\"]}",
                            name, root);
        snprintf(name, sizeof name, "described%d.json", i);
        snprintf(manifest, sizeof manifest, "%s", temporary_file(name, text, (size_t)used));
        snprintf(name, sizeof name, "net%d%s.json", i, i == 0 ? "" : endings[i]);
        temporary_file(name, "{\"input\": {\"scale\": 1}}", 23);
        assert_ok(gig_study_run(&counts, manifest, &(gig_study_options){.worker = worker, .workers = 1}));
        assert_ok(gig_study_plan(&plan, manifest, NULL));
        assert_true(plan.maps == 0);
        gig_text_free(plan.remarks);
        temporary_file(name, "{\"input\": {\"scale\": 2}}", 23);
        assert_ok(gig_study_plan(&plan, manifest, NULL));
        if (plan.maps != 1) fail_msg("%s: %zu maps", name, plan.maps);
        gig_text_free(plan.remarks);
    }
    gig_free(bytes);
}

/* The sum that is stored with a map of regions is its base's. */
static void asks_no_completeness_of_regions(void **state)
{
    (void)state;
    run("regions", line_of("apple-0", 0),
        "\"methods\": [\"ig/steps=8\", \"xrai+ig/steps=8\"], \"metrics\": [\"completeness\"]");
    found f = scores_of("regions");
    assert_true(f.count == 2 && isfinite(f.values[0]) && isnan(f.values[1]));
}

static void refuses_one_model_by_two_names(void **state)
{
    (void)state;
    char text[9000];
    int used = snprintf(text, sizeof text,
                        "{\"models\": {\"a\": \"%s/model.onnx\", \"b\": \"%s/model.onnx\"}, \"pictures\": {\"p\": "
                        "\"%s/pictures\"}, \"methods\": [\"edge\"], \"metrics\": [\"gini\"]}",
                        root, root, root);
    gig_study_counts counts;
    assert_status(gig_study_run(&counts, temporary_file("two.json", text, (size_t)used),
                                &(gig_study_options){.worker = worker, .workers = 1}),
                  GIG_EFORMAT);
    assert_message("models: b: is the same model as a");
}

/* The model's own file stays as it is when the weights beside it change. */
static void knows_a_model_by_its_external_data(void **state)
{
    (void)state;
    const int64_t dims[] = {2};
    const char *const entry[] = {"location", "weights.bin"};
    wire tensor = wire_tensor("w", GIG_ONNX_FLOAT, 1, dims), graph = {0}, pair = {0};
    wire_int(&tensor, TENSOR_LOCATION, 1);
    wire_text(&pair, 1, entry[0]);
    wire_text(&pair, 2, entry[1]);
    wire_child(&tensor, TENSOR_EXTERNAL, pair);
    wire_child(&graph, GRAPH_INITIALIZER, tensor);
    wire_child(&graph, GRAPH_NODE, wire_node("Identity", "w", NULL, "y"));
    wire_child(&graph, GRAPH_OUTPUT, wire_value("y", GIG_ONNX_FLOAT, 1, dims));
    wire file = wire_model(graph, 7, 13);
    const char *path = temporary_file("external.onnx", file.bytes, file.count);
    wire_free(&file);
    char hashes[3][GIG_HASH_TEXT];
    const float weights[3][2] = {{1, 2}, {1, 3}, {1, 2}};
    for (int i = 0; i < 3; i++) {
        temporary_file("weights.bin", weights[i], sizeof weights[i]);
        assert_ok(gig_model_hash(hashes[i], path, NULL, NULL));
    }
    assert_string_equal(hashes[0], hashes[2]);
    assert_string_not_equal(hashes[0], hashes[1]);
}

/* One line that names the file, before any map is planned. */
static void rejects_a_file_that_is_not_a_model(void **state)
{
    (void)state;
    const char list[] = "file,label\nx.png,1\n";
    temporary_file("broken.csv", list, sizeof list - 1);
    const char text[] = "{\"models\": {\"m\": \"broken.onnx\"}, \"pictures\": {\"p\": \"broken.csv\"},"
                        " \"methods\": [\"ig\"], \"metrics\": [\"auc\"]}";
    char manifest[512];
    snprintf(manifest, sizeof manifest, "%s", temporary_file("broken.json", text, sizeof text - 1));
    temporary_file("broken.onnx", "no model", 8);
    gig_study_counts counts;
    gig_study_options options = {.worker = worker};
    assert_status(gig_study_run(&counts, manifest, &options), GIG_EFORMAT);
    assert_message("broken.onnx: not an ONNX file");
}

/* Hours that cannot be measured are no number: the reason is told instead. */
static void estimates_nothing_for_a_model_that_cannot_run(void **state)
{
    (void)state;
    char model[4200], text[9000];
    const char list[] = "file,label\nx.png,1\n";
    temporary_file("stuck.csv", list, sizeof list - 1);
    snprintf(model, sizeof model, "%s/model.onnx", root);
    unlink(temporary_path("stuck.onnx"));
    assert_int_equal(symlink(model, temporary_path("stuck.onnx")), 0);
    temporary_file("stuck.json", "{\"layout\": 5}", 13);
    int used = snprintf(text, sizeof text,
                        "{\"models\": {\"m\": \"stuck.onnx\"}, \"pictures\": {\"p\": \"stuck.csv\"},"
                        " \"methods\": [\"ig\"], \"metrics\": [\"auc\"]}");
    gig_study_estimate hours;
    gig_study_options options = {.worker = worker};
    char manifest[512];
    snprintf(manifest, sizeof manifest, "%s", temporary_file("plan.json", text, (size_t)used));
    assert_status(gig_study_plan(&hours, manifest, &options), GIG_EFORMAT);
    assert_message("stuck.json: ");
}

/* A plan of one picture by a model that ends in sigmoids (of the channels' means): softmax is refused. */
static gig_status plan_sigmoid(gig_study_estimate *out, const char *rest, const char *const *command)
{
    char text[9000], manifest[512];
    wire graph = {0};
    wire_child(&graph, GRAPH_NODE, wire_node("GlobalAveragePool", "x", NULL, "means"));
    wire_child(&graph, GRAPH_NODE, wire_node("Flatten", "means", NULL, "row"));
    wire_child(&graph, GRAPH_NODE, wire_node("Sigmoid", "row", NULL, "y"));
    wire_child(&graph, GRAPH_INPUT, wire_value("x", GIG_ONNX_FLOAT, 4, (const int64_t[]){1, 3, 96, 96}));
    wire_child(&graph, GRAPH_OUTPUT, wire_value("y", GIG_ONNX_FLOAT, 2, (const int64_t[]){1, 3}));
    wire file = wire_model(graph, 7, 13);
    temporary_file("sigmoid.onnx", file.bytes, file.count);
    wire_free(&file);
    int used = snprintf(text, sizeof text, "file,label\n%s/pictures/apple-0.png,0\n", root);
    temporary_file("sigmoid.csv", text, (size_t)used);
    used = snprintf(text, sizeof text,
                    "{\"models\": {\"m\": \"sigmoid.onnx\"}, \"pictures\": {\"p\": \"sigmoid.csv\"}, %s}", rest);
    snprintf(manifest, sizeof manifest, "%s", temporary_file("sigmoid-plan.json", text, (size_t)used));
    gig_study_options options = {.worker = command};
    gig_status status = gig_study_plan(out, manifest, &options);
    gig_text_free(out->remarks);
    return status;
}

static void times_models_as_the_study_uses_them(void **state)
{
    (void)state;
    gig_study_estimate hours;
    const char sigmoids[] = "\"methods\": [\"ig/steps=3\"], \"metrics\": [\"gini\"], \"of\": \"sigmoid\"";
    const char softmax[] = "\"methods\": [\"ig/steps=3\"], \"metrics\": [\"gini\"]";
    assert_ok(plan_sigmoid(&hours, sigmoids, worker));
    assert_true(hours.evaluations == 3 && hours.passes == 0 && hours.seconds > 0 && hours.seconds < 60);
    assert_status(plan_sigmoid(&hours, softmax, worker), GIG_EARG);
    assert_message("explain sigmoid or logit instead");
}

static void counts_what_scores_take(void **state)
{
    (void)state;
    gig_study_estimate hours;
    assert_ok(plan_sigmoid(&hours,
                           "\"of\": \"sigmoid\", \"methods\": [\"ig/steps=4\", \"edge\"], \"metrics\":"
                           " [\"sensitivity/samples=3\", \"closed/paths=2\"]",
                           NULL));
    assert_true(hours.maps == 2 && hours.values == 4 && hours.passes == 0 && isnan(hours.seconds));
    assert_true(hours.evaluations == 4 + 3 * 4 + 2 * 3 * 4); /* edges take no gradients, nor do they walk */
    assert_ok(plan_sigmoid(&hours,
                           "\"of\": \"sigmoid\", \"methods\": [\"edge\", \"ig/steps=4\"], \"metrics\":"
                           " [\"sic\", \"deletion/steps=5\", \"infidelity/samples=2\"]",
                           worker));
    assert_true(hours.evaluations == 4 && hours.passes == 2 * 15 + 2 * 6 + 3); /* edges have no value per input value */
    assert_true(hours.seconds > 0 && hours.seconds < 60);
    assert_ok(
        plan_sigmoid(&hours, "\"of\": \"sigmoid\", \"methods\": [\"occlusion\"], \"metrics\": [\"gini\"]", worker));
    assert_true(hours.evaluations == 0 && hours.passes > 10);
}

int main(int count, char **arguments)
{
    if (count > 1 && !strcmp(arguments[1], "worker")) return gig_study_run_worker() == GIG_OK ? 0 : 3;
    if (!realpath(source_path("demo"), root)) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_probabilities_whatever_is_explained),
        cmocka_unit_test(explains_the_scalar_that_is_asked_for),
        cmocka_unit_test(keeps_what_a_map_gave_that_is_made_later),
        cmocka_unit_test(compares_the_draws_of_repeat),
        cmocka_unit_test(computes_portably_where_the_manifest_says_so),
        cmocka_unit_test(asks_whether_maps_depend_on_the_weights),
        cmocka_unit_test(takes_pictures_of_a_folder_as_baselines),
        cmocka_unit_test(knows_what_a_map_from_one_picture_differs_from),
        cmocka_unit_test(knows_baseline_pictures_by_their_content),
        cmocka_unit_test(scores_the_map_that_was_kept),
        cmocka_unit_test(computes_a_damaged_map_again),
        cmocka_unit_test(closes_paths_in_the_steps_of_the_method),
        cmocka_unit_test(scores_a_picture_alike_after_any_other),
        cmocka_unit_test(measures_the_area_of_any_mask),
        cmocka_unit_test(closes_paths_over_two_other_pictures),
        cmocka_unit_test(says_that_a_further_score_failed_and_keeps_the_others),
        cmocka_unit_test(loads_a_model_and_a_picture_once),
        cmocka_unit_test(chooses_a_layer_for_grad_cam),
        cmocka_unit_test(knows_a_model_by_its_description),
        cmocka_unit_test(asks_no_completeness_of_regions),
        cmocka_unit_test(refuses_one_model_by_two_names),
        cmocka_unit_test(knows_a_model_by_its_external_data),
        cmocka_unit_test(rejects_a_file_that_is_not_a_model),
        cmocka_unit_test(estimates_nothing_for_a_model_that_cannot_run),
        cmocka_unit_test(times_models_as_the_study_uses_them),
        cmocka_unit_test(counts_what_scores_take),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
