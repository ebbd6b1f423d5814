/* SPDX-License-Identifier: Apache-2.0 */
/* How far a study is: the time that is left, what models take, and what a run tells those who read its store. */
#include "cells.h"
#include "internal/work.h"

#include "work/schedule/job_queue.h"
#include "work/schedule/schedule_cells.h"
#include "work/schedule/schedule_jobs.h"

static void reckons_by_the_pace_so_far(void **state)
{
    (void)state;
    gig_running_job hand = {1, 0, 100};
    gig_job_queue queue = {.count = 10, .work = 10, .worker_count = 1, .running = &hand};
    assert_true(isnan(gig_job_queue_remaining(&queue, 130)));
    queue.done = 2;
    queue.worked = 2;
    queue.busy = 50;
    hand.since = 150;
    assert_true(gig_job_queue_remaining(&queue, 150) == 200);
    assert_true(gig_job_queue_remaining(&queue, 170) == 180);
    assert_true(gig_job_queue_remaining(&queue, 400) == 175); /* long as it is, the others are not: seven of 25 s */
}

static void reckons_with_what_is_in_hand(void **state)
{
    (void)state;
    gig_running_job running[8];
    for (size_t i = 0; i < 8; i++) running[i] = (gig_running_job){i > 0, i, 100};
    gig_job_queue eight = {
        .count = 8, .work = 8, .done = 1, .worked = 1, .busy = 60, .worker_count = 8, .running = running};
    assert_true(gig_job_queue_remaining(&eight, 160) == 0); /* all began together, and the first has ended */
    assert_true(gig_job_queue_remaining(&eight, 130) == 30);
    const double effort[] = {1, 1, 5};
    gig_running_job last[2] = {{0, 0, 0}, {1, 2, 100}};
    gig_job_queue three = {
        .count = 3, .work = 7, .done = 2, .worked = 2, .busy = 20, .worker_count = 2, .running = last};
    three.effort = effort;
    assert_true(gig_job_queue_remaining(&three, 110) == 40); /* one worker has all that is left */
}

static void learns_nothing_of_the_pace_from_failures(void **state)
{
    (void)state;
    const double effort[] = {1, 4, 5};
    gig_job_queue queue = {.count = 3, .work = 10, .effort = effort};
    gig_job_queue_end_job(&queue, 1, 1);
    assert_true(queue.work == 6 && queue.worked == 0 && queue.failed == 1 && isnan(gig_job_queue_remaining(&queue, 0)));
    gig_job_queue_end_job(&queue, 0, 0);
    assert_true(queue.work == 6 && queue.worked == 1 && queue.done == 1);
}

/* Effort of a cell of ig with one metric. */
static double effort_of(const char *metric, const gig_study_times *times)
{
    gig_manifest manifest = {0};
    gig_variant variant;
    gig_method defaults;
    gig_schedule schedule = {.manifest = &manifest, .variants = &variant, .variant_count = 1};
    gig_schedule_cell cell = {0};
    gig_metric parsed;
    gig_method_init(&defaults);
    assert_ok(gig_variant_make(&variant, "ig", &defaults, "black"));
    assert_ok(gig_metric_parse(&parsed, metric));
    assert_ok(gig_schedule_find_metric(&cell.metrics, &schedule, &parsed));
    double effort = gig_schedule_effort(&schedule, &cell, times);
    gig_texts_clear(&schedule.metric_names);
    return effort;
}

static void weighs_cells_by_what_their_models_take(void **state)
{
    (void)state;
    const gig_study_times small = {0.01, 0.004, 100, 200}, large = {0.2, 0.08, 100, 200}, none = {NAN, NAN, 0, 0};
    assert_true(effort_of("closed", NULL) == 6001);
    assert_float_equal(effort_of("closed", &small), 60.02, 1e-9);
    assert_float_equal(effort_of("closed", &large), 1200.02, 1e-9);
    assert_float_equal(effort_of("sic", &large), 0.02 + 200 * 0.2 + 15 * 0.08 + 28e-6 * 20000, 1e-9);
    assert_true(effort_of("closed", &none) < 0.1);
}

typedef struct course {
    char store[512];
    size_t timed, watched;
    gig_study_progress seen; /* in the store, when a cell was done */
} course;

static int follow(void *payload, const gig_study_progress *progress)
{
    course *c = payload;
    if (!strcmp(progress->stage, "timing models")) c->timed = progress->cells;
    if (strcmp(progress->stage, "making maps") || !progress->done || c->watched) return 0;
    assert_ok(gig_study_watch(&c->seen, c->store));
    c->watched += c->seen.stage != NULL;
    return 0;
}

/* One model works, the other has no such output: its cells fail, and the run goes on. */
static void times_several_models_and_survives_one_that_fails(void **state)
{
    (void)state;
    char manifest[20000], path[512], list[512];
    course c = {.store = ""};
    snprintf(c.store, sizeof c.store, "%s", temporary_path("two.db"));
    snprintf(path, sizeof path, "cp '%s/model.onnx' '%s'", root, temporary_path("broken.onnx"));
    assert_int_equal(system(path), 0);
    const char description[] = "{\"output_name\": \"nothing\"}";
    temporary_file("broken.json", description, sizeof description - 1);
    char lines[20000];
    int used = snprintf(lines, sizeof lines, "file,label,mask\n%s%s", line_of("fish-6", 6), line_of("key-7", 7));
    snprintf(list, sizeof list, "%s", temporary_file("two.csv", lines, (size_t)used));
    used = snprintf(manifest, sizeof manifest,
                    "{\"models\": {\"broken\": \"broken.onnx\", \"demo\": \"%s/model.onnx\"}, \"pictures\": {\"set\":"
                    " \"two.csv\"}, \"methods\": [\"ig/steps=300\"], \"metrics\": [\"auc\"]}",
                    root);
    gig_study_options options = {.store = c.store, .worker = worker, .workers = 1, .progress = follow, .payload = &c};
    gig_study_counts counts;
    assert_ok(gig_study_run(&counts, temporary_file("two.json", manifest, (size_t)used), &options));
    assert_true(counts.done == 2 && counts.failed == 2 && counts.planned == 0);
    assert_true(c.timed == 2);
}

static void tells_readers_how_far_it_is(void **state)
{
    (void)state;
    course c = {.store = ""};
    char lines[20000];
    snprintf(c.store, sizeof c.store, "%s", temporary_path("news.db"));
    snprintf(lines, sizeof lines, "%s%s", line_of("fish-6", 6), line_of("key-7", 7));
    gig_study_options options = {.store = c.store, .worker = worker, .workers = 1, .progress = follow, .payload = &c};
    gig_study_counts counts;
    const char *rest = "\"methods\": [\"ig/steps=20\"], \"metrics\": [\"auc\"]";
    assert_ok(gig_study_run(&counts, write_cells("news", lines, rest), &options));
    assert_true(c.timed == 0); /* of one model it would change nothing */
    assert_true(c.watched == 1);
    assert_string_equal(c.seen.stage, "making maps");
    assert_true(c.seen.cells == 2 && c.seen.failed == 0);
    assert_ok(gig_study_watch(&c.seen, c.store));
    assert_null(c.seen.stage);
}

/* What a reader hears of a run that said this, while it has the store. */
static int hears(gig_study_progress *told, const char *text)
{
    gig_store *store;
    char path[512];
    snprintf(path, sizeof path, "%s", temporary_path("said.db"));
    assert_ok(gig_store_open(&store, path, GIG_STORE_RUN));
    assert_ok(gig_store_set_fact(store, "run", text));
    assert_ok(gig_study_watch(told, path));
    gig_store_close(store);
    return told->stage != NULL;
}

static void hears_nothing_of_runs_that_are_over(void **state)
{
    (void)state;
    gig_study_progress told;
    const char said[] = "{\"stage\": \"making maps\", \"cells\": 84, \"done\": 20, \"failed\": 1, \"seconds\": 5,"
                        " \"remaining\": 70.5}";
    assert_true(hears(&told, said));
    assert_true(told.cells == 84 && told.done == 20 && told.failed == 1 && told.remaining == 70.5);
    assert_ok(gig_study_watch(&told, temporary_path("said.db"))); /* however it ended */
    assert_null(told.stage);
    assert_false(hears(&told, "[[["));
    assert_false(hears(&told, "{\"stage\": \"sleeping\"}"));
    assert_false(hears(&told, "{\"stage\": 7, \"cells\": -1}"));
}

static int listen(void *payload, const gig_study_progress *progress)
{
    gig_study_progress *told = payload;
    if (!strcmp(progress->stage, "reading models")) assert_ok(gig_study_watch(told, temporary_path("ready.db")));
    return 0;
}

/* From the very first, so that an earlier run's words are not taken for this one's; and one that fails leaves none. */
static void says_that_it_gets_ready(void **state)
{
    (void)state;
    const char *const nobody[] = {"/nonexistent", NULL};
    gig_study_progress told = {0};
    gig_study_options options = {.worker = nobody, .workers = 1, .progress = listen, .payload = &told};
    gig_study_counts counts;
    const char *rest = "\"methods\": [\"ig/steps=20\"], \"metrics\": [\"auc\"]";
    for (int i = 0; i < 2; i++) {
        told.stage = NULL;
        assert_status(gig_study_run(&counts, write_cells("ready", line_of("fish-6", 6), rest), &options), GIG_EIO);
        assert_string_equal(told.stage, "getting ready");
        assert_ok(gig_study_watch(&told, temporary_path("ready.db")));
        assert_null(told.stage);
    }
}

int main(int count, char **arguments)
{
    if (count > 1 && !strcmp(arguments[1], "worker")) return gig_study_run_worker() == GIG_OK ? 0 : 1;
    assert_non_null(realpath(source_path("demo"), root));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reckons_by_the_pace_so_far),
        cmocka_unit_test(reckons_with_what_is_in_hand),
        cmocka_unit_test(learns_nothing_of_the_pace_from_failures),
        cmocka_unit_test(weighs_cells_by_what_their_models_take),
        cmocka_unit_test(times_several_models_and_survives_one_that_fails),
        cmocka_unit_test(tells_readers_how_far_it_is),
        cmocka_unit_test(hears_nothing_of_runs_that_are_over),
        cmocka_unit_test(says_that_it_gets_ready),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
