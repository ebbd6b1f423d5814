/* SPDX-License-Identifier: Apache-2.0 */
/* Whole studies on the demo's model and pictures, in real worker processes (this program is its own worker). */
#include "support.h"

#include "base/memory.h"
#include "gig/metric.h"
#include "internal/saliency.h"
#include "internal/tensor.h"
#include "internal/work.h"
#include "work/store/store.h"
#include "work/worker/model_cache.h"

static const char *const worker[] = {"/proc/self/exe", "worker", NULL};

static const char *const pictures[] = {"apple-0", "bird-1", "boat-2", "butterfly-3", "cactus-4", "candle-5",
                                       "fish-6",  "key-7",  "mug-8",  "mushroom-9",  "snail-10", "umbrella-11"};

/* The list of the demo's first pictures, with their masks. */
static void write_list(const char *name, size_t count, const char *extra)
{
    static char text[65536];
    char root[4096];
    assert_non_null(realpath(source_path("demo"), root));
    int used = snprintf(text, sizeof text, "file,label,mask\n");
    for (size_t i = 0; i < count; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s/pictures/%s.png,%zu,%s/masks/%s.png\n", root,
                         pictures[i], i, root, pictures[i]);
    used += snprintf(text + used, sizeof text - (size_t)used, "%s", extra);
    temporary_file(name, text, (size_t)used);
}

/* A manifest over that list; `rest` follows models and pictures. */
static const char *write_manifest(const char *name, const char *rest)
{
    static char text[16384];
    char root[4096];
    assert_non_null(realpath(source_path("demo"), root));
    int used = snprintf(text, sizeof text,
                        "{\"models\": {\"demo\": \"%s/model.onnx\"}, \"pictures\": {\"things\": \"things.csv\"}, %s}",
                        root, rest);
    return temporary_file(name, text, (size_t)used);
}

static gig_study_counts run(const char *manifest, const char *store)
{
    gig_study_options options = {.store = store, .worker = worker, .workers = 2};
    gig_study_counts counts;
    assert_ok(gig_study_run(&counts, manifest, &options));
    return counts;
}

/* All scores of a store as text, one per line, in the store's order. */
typedef struct listing {
    char text[65536];
    size_t used, count;
} listing;

static gig_status list_score(void *payload, const gig_score_row *row)
{
    listing *l = payload;
    l->count++;
    l->used += (size_t)snprintf(l->text + l->used, sizeof l->text - l->used, "%s %s %s %s %s %.17g %s\n",
                                strrchr(row->picture, '/') ? strrchr(row->picture, '/') + 1 : row->picture, row->method,
                                row->baseline, row->metric, row->model, row->value, row->note);
    return GIG_OK;
}

static listing *list_scores(const char *path)
{
    gig_store *store;
    listing *l = calloc(1, sizeof *l);
    assert_ok(gig_store_open(&store, path, GIG_STORE_READ));
    assert_ok(gig_store_each_score(store, NULL, list_score, l));
    gig_store_close(store);
    return l;
}

typedef struct wanted {
    const char *picture, *method, *baseline, *metric;
    double value;
    int found;
} wanted;

static gig_status find_score(void *payload, const gig_score_row *row)
{
    wanted *w = payload;
    if (strstr(row->picture, w->picture) && !strcmp(row->method, w->method) && !strcmp(row->baseline, w->baseline) &&
        !strcmp(row->metric, w->metric)) {
        w->value = row->value;
        w->found++;
    }
    return GIG_OK;
}

static double score_of(const char *path, const char *picture, const char *method, const char *baseline,
                       const char *metric)
{
    gig_store *store;
    wanted w = {picture, method, baseline, metric, NAN, 0};
    assert_ok(gig_store_open(&store, path, GIG_STORE_READ));
    assert_ok(gig_store_each_score(store, metric, find_score, &w));
    gig_store_close(store);
    if (w.found != 1) fail_msg("%d scores %s of %s %s %s", w.found, metric, picture, method, baseline);
    return w.value;
}

static const char all_methods[] =
    "\"methods\": [\"edge\", \"gradients\", \"ig\", \"blur-ig\", \"gig\", \"gig:4\", \"grad-cam\", \"guided-backprop\","
    " \"smooth+ig\", \"xrai+ig\"], \"options\": {\"steps\": 8, \"samples\": 2},"
    " \"metrics\": [\"auc\", \"pointing\", \"gini\"]";

static void scores_what_gig_explain_gives(void **state)
{
    (void)state;
    write_list("things.csv", 2, "");
    char path[512];
    snprintf(path, sizeof path, "%s", temporary_path("all.db"));
    gig_study_counts counts = run(write_manifest("all.json", all_methods), path);
    assert_true(counts.done == 20 && counts.failed == 0 && counts.planned == 0);
    listing *l = list_scores(path);
    assert_true(l->count == 60);
    free(l);

    gig_model_cache *cache;
    gig_cached_model model;
    gig_cached_picture picture;
    char root[4096], file[4200], mask[4200];
    assert_non_null(realpath(source_path("demo"), root));
    snprintf(file, sizeof file, "%s/pictures/bird-1.png", root);
    snprintf(mask, sizeof mask, "%s/masks/bird-1.png", root);
    gig_study_picture subject = {.file = file, .mask = mask, .label = 1};
    assert_ok(gig_model_cache_create(&cache));
    snprintf(root + strlen(root), sizeof root - strlen(root), "/model.onnx");
    assert_ok(gig_model_cache_get_model(&model, cache, &(gig_model_request){root, NULL, GIG_F32, GIG_USE_PLAIN}));
    assert_ok(gig_model_cache_get_picture(&picture, cache, &subject, &model));
    const char *names[] = {"ig/steps=8", "gig:4/steps=8", "gig:0/steps=8"};
    for (int i = 0; i < 3; i++) {
        gig_function function;
        gig_method method;
        gig_explanation map;
        char name[GIG_METHOD_NAME_BYTES];
        float reduced[96 * 96];
        gig_roc roc;
        assert_ok(gig_session_function(&function, model.session, GIG_SOFTMAX));
        assert_ok(gig_method_parse(&method, names[i], NULL));
        assert_ok(gig_method_run(&map, 1, &picture.pixels, &(size_t){1}, (gig_functions){1, &function}, &method,
                                 &(gig_run_options){.shape = {96, 96, 3, 0}}));
        assert_ok(gig_map_reduce(reduced, map.attributions, 96 * 96, 3, GIG_REDUCE_ABS_SUM));
        assert_ok(gig_roc_auc(&roc, reduced, picture.mask, 96 * 96));
        gig_method_name(name, sizeof name, &method);
        assert_true(score_of(path, "bird", name, "black", "auc") == roc.auc);
        gig_explanation_clear(&map);
    }
    gig_model_cache_free(cache);
}

/* Its numbers alone. */
static gig_study_estimate plan_of(const char *manifest, const gig_study_options *options)
{
    gig_study_estimate plan;
    assert_ok(gig_study_plan(&plan, manifest, options));
    gig_text_free(plan.remarks);
    return plan;
}

static void does_only_what_is_missing(void **state)
{
    (void)state;
    write_list("things.csv", 2, "");
    char path[512];
    snprintf(path, sizeof path, "%s", temporary_path("more.db"));
    const char *first = write_manifest("more.json", "\"methods\": [\"ig\"], \"options\": {\"steps\": 4},"
                                                    " \"metrics\": [\"auc\"]");
    assert_true(run(first, path).done == 2);
    gig_study_options options = {.store = path};
    gig_study_estimate plan = plan_of(first, &options);
    assert_true(plan.maps == 0 && plan.values == 0 && plan.evaluations == 0);
    gig_study_counts counts; /* nothing to do: no worker is needed */
    assert_ok(gig_study_run(&counts, first, &options));
    assert_true(counts.done == 2);
    const char *second = write_manifest("more.json", "\"methods\": [\"ig\", \"gig:1\"], \"options\": {\"steps\": 4},"
                                                     " \"metrics\": [\"auc\", \"gini\"]");
    plan = plan_of(second, &options);
    assert_true(plan.maps == 4 && plan.values == 6 && plan.evaluations == 16);
    double before = score_of(path, "apple", "ig/steps=4", "black", "auc");
    assert_true(run(second, path).done == 4);
    assert_true(score_of(path, "apple", "ig/steps=4", "black", "auc") == before);
    assert_true(score_of(path, "apple", "ig/steps=4", "black", "gini") > 0);
    options.worker = worker;
    const char *third = write_manifest("more.json", "\"methods\": [\"ig\"], \"options\": {\"steps\": 5},"
                                                    " \"metrics\": [\"auc\"]");
    plan = plan_of(third, &options);
    assert_true(plan.maps == 2 && plan.evaluations == 10 && plan.seconds > 0 && plan.seconds < 60);
    const char *closed =
        write_manifest("more.json", "\"methods\": [\"ig/steps=5\"], \"metrics\": [\"closed/paths=4\"]");
    plan = plan_of(closed, &options); /* three sides */
    assert_true(plan.maps == 0 && plan.evaluations == 2 * 4 * 3 * 5);
}

typedef struct map_key {
    const char *method, *baseline;
    char text[65];
} map_key;

static gig_status find_key(void *payload, const gig_score_row *row)
{
    map_key *key = payload;
    if (!strcmp(row->method, key->method) && !strcmp(row->baseline, key->baseline))
        snprintf(key->text, sizeof key->text, "%s", row->key);
    return GIG_OK;
}

/* The values of a map that the store keeps, `count` of them. */
static const float *kept_map(const char *path, const char *method, const char *baseline, size_t count)
{
    static float values[96 * 96 * 3];
    char file[700];
    gig_store *store;
    gig_tensor map;
    map_key key = {method, baseline, ""};
    assert_ok(gig_store_open(&store, path, GIG_STORE_READ));
    assert_ok(gig_store_each_score(store, "auc", find_key, &key));
    gig_store_close(store);
    snprintf(file, sizeof file, "%s.maps/%s.npz", path, key.text);
    assert_ok(gig_npz_read(&map, file, "attributions"));
    assert_true(gig_tensor_count(&map) == count && count <= sizeof values / sizeof *values);
    memcpy(values, map.real, count * sizeof *values);
    gig_tensor_clear(&map);
    return values;
}

/* The map of several baselines is the mean of the single ones', and regions are ranked over it. */
static void makes_maps_of_maps(void **state)
{
    (void)state;
    write_list("things.csv", 1, "");
    char path[512];
    snprintf(path, sizeof path, "%s", temporary_path("maps.db"));
    gig_study_counts counts =
        run(write_manifest("maps.json", "\"keep\": \"maps\", \"seed\": 5, \"methods\": [\"ig\", \"xrai+ig\", \"edge\"],"
                                        " \"baselines\": [\"black\", \"black+white\", \"random:2\"],"
                                        " \"options\": {\"steps\": 4}, \"metrics\": [\"auc\", \"completeness\"]"),
            path);
    /* ig: black, white, black+white, random#0, random#1, random:2; xrai+ig: three; edge: once */
    assert_true(counts.done == 10 && counts.failed == 0);
    assert_true(!isnan(score_of(path, "apple", "edge", "none", "auc")));
    assert_true(isnan(score_of(path, "apple", "edge", "none", "completeness")));

    gig_model_cache *cache;
    gig_cached_model model;
    gig_cached_picture picture;
    gig_function function;
    char root[4096], file[4200], mask[4200];
    assert_non_null(realpath(source_path("demo"), root));
    snprintf(file, sizeof file, "%s/pictures/apple-0.png", root);
    snprintf(mask, sizeof mask, "%s/masks/apple-0.png", root);
    snprintf(root + strlen(root), sizeof root - strlen(root), "/model.onnx");
    gig_study_picture subject = {.file = file, .mask = mask, .label = 0};
    assert_ok(gig_model_cache_create(&cache));
    assert_ok(gig_model_cache_get_model(&model, cache, &(gig_model_request){root, NULL, GIG_F32, GIG_USE_PLAIN}));
    assert_ok(gig_model_cache_get_picture(&picture, cache, &subject, &model));
    assert_ok(gig_session_function(&function, model.session, GIG_SOFTMAX));
    const char *names[] = {"ig/steps=4/baseline=black+white", "ig/steps=4/baseline=random:2",
                           "xrai+ig/steps=4/baseline=black+white"};
    const char *stored[][2] = {
        {"ig/steps=4", "black+white"}, {"ig/steps=4", "random:2"}, {"xrai+ig/steps=4", "black+white"}};
    for (int i = 0; i < 3; i++) {
        gig_method method;
        gig_explanation map;
        float reduced[96 * 96];
        gig_roc roc;
        assert_ok(gig_method_parse(&method, names[i], NULL));
        assert_ok(gig_method_run(&map, 1, &picture.pixels, &(size_t){0}, (gig_functions){1, &function}, &method,
                                 &(gig_run_options){.shape = {96, 96, 3, 0}, .seed = 5}));
        assert_ok(gig_map_reduce(reduced, map.attributions, 96 * 96, map.count / (96 * 96), GIG_REDUCE_ABS_SUM));
        assert_ok(gig_roc_auc(&roc, reduced, picture.mask, 96 * 96));
        /* the parts are kept as floats, so the last bits differ */
        assert_float_equal(score_of(path, "apple", stored[i][0], stored[i][1], "auc"), roc.auc, i == 2 ? 0.02 : 1e-4);
        if (i < 2)
            assert_close(kept_map(path, stored[i][0], stored[i][1], map.count), map.attributions, map.count, 1e-4,
                         1e-7);
        gig_explanation_clear(&map);
    }
    static float regions[96 * 96]; /* ranked over the map that is kept, so all bits are the same */
    assert_ok(gig_xrai(regions, NULL, kept_map(path, "ig/steps=4", "black+white", 96 * 96 * 3), picture.pixels,
                       &(gig_picture_shape){96, 96, 3, 0}, &(gig_xrai_options)GIG_XRAI_OPTIONS_INIT));
    assert_true(regions[0] != regions[48 * 96 + 48]);
    assert_memory_equal(kept_map(path, "xrai+ig/steps=4", "black+white", 96 * 96), regions, sizeof regions);
    gig_model_cache_free(cache);
}

/* The store of makes_maps_of_maps: curves drawn, and pictures shown with kept maps and with one made again. */
static void draws_curves_and_shows_pictures(void **state)
{
    (void)state;
    write_list("things.csv", 4, "");
    char path[512], picture[512];
    snprintf(path, sizeof path, "%s", temporary_path("show.db"));
    run(write_manifest("show.json", "\"methods\": [\"ig\", \"edge\", \"xrai+ig\"], \"options\": {\"steps\": 4},"
                                    " \"metrics\": [\"auc\", \"sic\", \"gini\"]"),
        path);
    const char *const endings[] = {"png", "svg", "pdf"};
    for (int i = 0; i < 3; i++) {
        char name[32];
        snprintf(name, sizeof name, "curves.%s", endings[i]);
        snprintf(picture, sizeof picture, "%s", temporary_path(name));
        assert_ok(gig_study_plot(path, picture, &(gig_table_options){.metric = i ? "auc" : "sic"}, 0));
        assert_status(gig_study_plot(path, picture, NULL, 0), GIG_EIO);
        struct stat about;
        assert_true(stat(picture, &about) == 0 && about.st_size > 1000);
    }
    assert_status(gig_study_plot(path, temporary_path("gini.png"), &(gig_table_options){.metric = "gini"}, 0),
                  GIG_EARG);
    assert_message("has no curves");
    const char *edge[] = {"edge"}, *unknown[] = {"gig:7"};
    gig_show_options options = {.better = "xrai+ig", .than = edge, .than_count = 1, .count = 2};
    snprintf(picture, sizeof picture, "%s", temporary_path("show.png"));
    assert_ok(gig_study_show(path, picture, &options, 0));
    gig_image sheet;
    assert_ok(gig_image_read(&sheet, picture, NULL));
    assert_true(sheet.width > 600);
    gig_image_clear(&sheet);
    options.count = 1;
    size_t sizes[6]; /* of sheets: one picture each, another one for some other seed */
    int differ = 0;
    for (int i = 0; i < 6; i++) {
        struct stat about;
        options.seed = (uint64_t)i / 2;
        assert_ok(gig_study_show(path, picture, &options, 1));
        assert_int_equal(stat(picture, &about), 0);
        sizes[i] = (size_t)about.st_size;
        assert_true(i % 2 == 0 || sizes[i] == sizes[i - 1]);
        differ |= sizes[i] != sizes[0];
    }
    assert_true(differ);
    options.than = unknown;
    assert_status(gig_study_show(path, picture, &options, 1), GIG_EARG);
    assert_message("gig:7");
}

static void leaves_no_maps_that_were_not_asked_for(void **state)
{
    (void)state;
    write_list("things.csv", 2, "");
    char path[512], maps[600];
    snprintf(path, sizeof path, "%s", temporary_path("none.db"));
    snprintf(maps, sizeof maps, "%s.maps", path);
    run(write_manifest("none.json", "\"methods\": [\"xrai+ig\"], \"baselines\": [\"black+white\"],"
                                    " \"options\": {\"steps\": 2}, \"metrics\": [\"auc\"]"),
        path);
    struct stat about;
    assert_int_equal(stat(maps, &about), -1);
}

static void filters_and_limits_pictures(void **state)
{
    (void)state;
    write_list("things.csv", 12, "");
    char path[512];
    snprintf(path, sizeof path, "%s", temporary_path("filter.db"));
    const char rest[] = "\"methods\": [\"edge\"], \"metrics\": [\"auc\"]";
    char text[512];
    snprintf(text, sizeof text, "\"filter\": {\"correct\": true}, %s", rest);
    size_t correct = run(write_manifest("filter.json", text), path).done;
    assert_true(correct > 6 && correct <= 12);
    snprintf(text, sizeof text, "\"filter\": {\"correct\": true}, \"limit\": 3, \"order\": \"random\", \"seed\": 4, %s",
             rest);
    assert_true(run(write_manifest("filter.json", text), path).done == 3);
    snprintf(text, sizeof text, "\"filter\": {\"box-area\": [0.9, 1.0]}, %s", rest);
    assert_true(run(write_manifest("filter.json", text), path).done == 0);
}

static void needs_a_model_and_lists_that_can_be_read(void **state)
{
    (void)state;
    gig_study_counts counts;
    gig_study_options options = {.store = temporary_path("wrong.db"), .worker = worker};
    const char text[] = "{\"models\": {\"m\": \"nothing.onnx\"}, \"pictures\": {\"p\": \"nothing.csv\"},"
                        " \"methods\": [\"ig\"], \"metrics\": [\"auc\"]}";
    assert_status(gig_study_run(&counts, temporary_file("wrong.json", text, sizeof text - 1), &options), GIG_EIO);
    assert_message("nothing.csv");
    write_list("things.csv", 1, "");
    const char other[] = "{\"models\": {\"m\": \"nothing.onnx\"}, \"pictures\": {\"p\": \"things.csv\"},"
                         " \"methods\": [\"ig\"], \"metrics\": [\"auc\"]}";
    assert_status(gig_study_run(&counts, temporary_file("wrong.json", other, sizeof other - 1), &options), GIG_EIO);
    assert_message("nothing.onnx");
}

typedef struct course {
    double before, remaining; /* when something was done and left; when nothing was left */
} course;

static int follow(void *payload, const gig_study_progress *progress)
{
    course *c = payload;
    if (strcmp(progress->stage, "making maps")) return 0;
    if (progress->done == progress->cells) c->remaining = progress->remaining;
    if (progress->done > 0 && progress->done < progress->cells) c->before = progress->remaining;
    return 0;
}

static void says_how_long_it_will_take(void **state)
{
    (void)state;
    write_list("things.csv", 4, "");
    course c = {NAN, NAN};
    gig_study_counts counts;
    gig_study_options options = {
        .store = temporary_path("long.db"), .worker = worker, .workers = 1, .progress = follow, .payload = &c};
    const char rest[] = "\"methods\": [\"ig/steps=4\"], \"metrics\": [\"auc\"]";
    assert_ok(gig_study_run(&counts, write_manifest("long.json", rest), &options));
    assert_true(c.before > 0 && c.remaining == 0);
}

static int stop_after_three(void *payload, const gig_study_progress *progress)
{
    (void)payload;
    return !strcmp(progress->stage, "making maps") && progress->done >= 3;
}

static const char stoppable[] =
    "\"methods\": [\"ig\", \"gig:1\", \"xrai+ig\"], \"baselines\": [\"black\", \"black+white\"],"
    " \"options\": {\"steps\": 3}, \"metrics\": [\"auc\", \"gini\"]";

static void stores_what_was_done_before_it_was_stopped(void **state)
{
    (void)state;
    write_list("things.csv", 3, "");
    char path[512];
    snprintf(path, sizeof path, "%s", temporary_path("stopped.db"));
    gig_study_options options = {.store = path, .worker = worker, .workers = 2, .progress = stop_after_three};
    gig_study_counts counts;
    const char *manifest = write_manifest("stopped.json", stoppable);
    assert_status(gig_study_run(&counts, manifest, &options), GIG_ECANCEL);
    assert_true(counts.done >= 3 && counts.done < 24 && counts.planned == 24 - counts.done);
    counts = run(manifest, path);
    assert_true(counts.done == 24);
}

typedef struct first_key {
    char text[65];
} first_key;

static gig_status take_key(void *payload, const gig_score_row *row)
{
    first_key *key = payload;
    if (!key->text[0] && !strcmp(row->method, "ig/steps=2")) snprintf(key->text, sizeof key->text, "%s", row->key);
    return GIG_OK;
}

static int has_file(const char *folder, const char *name, const char *ending)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s%s", folder, name, ending);
    return access(path, F_OK) == 0;
}

/* Maps of a run that was killed, files half written, and files that are not the store's. */
static void sweeps_what_a_killed_run_left(void **state)
{
    (void)state;
    write_list("things.csv", 2, "");
    char path[512], maps[600], name[800];
    snprintf(path, sizeof path, "%s", temporary_path("swept.db"));
    snprintf(maps, sizeof maps, "%s.maps", path);
    const char keys[] = "\"methods\": [\"ig\"], \"options\": {\"steps\": 2}, \"metrics\": [\"auc\"]";
    run(write_manifest("swept.json", keys), path);
    gig_store *store;
    first_key key = {""};
    assert_ok(gig_store_open(&store, path, GIG_STORE_READ));
    assert_ok(gig_store_each_score(store, NULL, take_key, &key));
    gig_store_close(store);
    assert_int_equal(mkdir(maps, 0777), 0);
    const char *const endings[] = {".npz", ".npz.tmp-77", ".txt"};
    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "swept.db.maps/%s%s", key.text, endings[i]);
        temporary_file(name, "x", 1);
    }
    temporary_file("swept.db.maps/mine.npz", "x", 1);
    run(write_manifest("swept.json", keys), path);
    assert_false(has_file(maps, key.text, ".npz") || has_file(maps, key.text, ".npz.tmp-77"));
    assert_true(has_file(maps, key.text, ".txt") && has_file(maps, "mine", ".npz"));

    /* Maps that were asked for stay when later runs ask for none. */
    snprintf(name, sizeof name, "\"keep\": \"maps\", %s", keys);
    run(write_manifest("swept.json", name), path);
    assert_true(has_file(maps, key.text, ".npz"));
    run(write_manifest("swept.json", "\"methods\": [\"ig\", \"xrai+ig\"], \"options\": {\"steps\": 2},"
                                     " \"metrics\": [\"auc\"]"),
        path);
    assert_true(has_file(maps, key.text, ".npz"));
}

int main(int count, char **arguments)
{
    if (count > 1 && !strcmp(arguments[1], "worker")) return gig_study_run_worker() == GIG_OK ? 0 : 3;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_what_gig_explain_gives),
        cmocka_unit_test(does_only_what_is_missing),
        cmocka_unit_test(makes_maps_of_maps),
        cmocka_unit_test(draws_curves_and_shows_pictures),
        cmocka_unit_test(leaves_no_maps_that_were_not_asked_for),
        cmocka_unit_test(filters_and_limits_pictures),
        cmocka_unit_test(needs_a_model_and_lists_that_can_be_read),
        cmocka_unit_test(says_how_long_it_will_take),
        cmocka_unit_test(stores_what_was_done_before_it_was_stopped),
        cmocka_unit_test(sweeps_what_a_killed_run_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
