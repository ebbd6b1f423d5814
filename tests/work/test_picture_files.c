/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a study's pictures: missing, of any name, no files at all, too much for a worker; and how they are read.
 * This program is its own worker. */
#include "cells.h"

#include "gig/image.h"
#include "work/job.h"
#include "work/pool/pool.h"
#include "work/worker/worker.h"
#include <jansson.h>
#include <signal.h>

static void records_a_missing_picture_as_failed(void **state)
{
    (void)state;
    char lines[9100], path[512];
    snprintf(lines, sizeof lines, "%sgone.png,3,\nnotes.txt,2,\n", line_of("apple-0", 0));
    temporary_file("notes.txt", "no picture", 10);
    snprintf(path, sizeof path, "%s", temporary_path("gone.db"));
    gig_study_counts counts = run("gone", lines,
                                  "\"methods\": [\"ig\"], \"options\": {\"steps\": 2},"
                                  " \"filter\": {\"top\": 5}, \"metrics\": [\"auc\"]");
    assert_true(counts.failed == 2 && counts.planned == 0 && counts.done <= 1);
    char *failures;
    assert_ok(gig_study_failures(&failures, path));
    assert_non_null(strstr(failures, "demo\tset\tgone.png\tig/steps=2\tblack\t"));
    assert_non_null(strstr(failures, "notes.txt"));
    gig_text_free(failures);
    assert_ok(gig_study_status(&counts, path));
    assert_true(counts.failed == 2);
}

/* Colours name classes, and a mask that has other proportions belongs to another picture. */
static void rejects_files_that_are_not_masks(void **state)
{
    (void)state;
    char lines[20000], path[512];
    gig_image wide = {0};
    assert_ok(gig_image_create(&wide, 96, 48, 1));
    memset(wide.pixels, 255, 96 * 20);
    assert_ok(gig_image_write_png(temporary_path("wide.png"), &wide, 1));
    gig_image_clear(&wide);
    snprintf(lines, sizeof lines, "%s/pictures/fish-6.png,6,%s/pictures/fish-6.png\n%s/pictures/key-7.png,7,wide.png\n",
             root, root, root);
    snprintf(path, sizeof path, "%s", temporary_path("masks.db"));
    gig_study_counts counts = run("masks", lines, "\"methods\": [\"gradients\"], \"metrics\": [\"auc\"]");
    assert_true(counts.failed == 2 && counts.done == 0);
    char *failures;
    assert_ok(gig_study_failures(&failures, path));
    assert_non_null(strstr(failures, "fish-6.png: expected a grey mask"));
    assert_non_null(strstr(failures, "wide.png: the mask is 96 x 48, its picture 96 x 96"));
    gig_text_free(failures);
}

/* Names of files are bytes; those of Latin-1, for one, are no UTF-8. */
static void takes_pictures_of_any_name(void **state)
{
    (void)state;
    char path[512], lines[9100], bird[4200], *text;
    snprintf(bird, sizeof bird, "%s/pictures/bird-1.png", root);
    snprintf(lines, sizeof lines, "%s%s", line_of("apple-0", 0),
             "caf\xe9.png,1,\nne\xc3\xa9\xff.png,2,\n\"a\tb\nc.png\",2,\n");
    unlink(temporary_path("caf\xe9.png"));
    assert_int_equal(symlink(bird, temporary_path("caf\xe9.png")), 0);
    snprintf(path, sizeof path, "%s", temporary_path("any\xe9.db"));
    gig_study_options options = {.store = path, .worker = worker, .workers = 1};
    gig_study_counts counts;
    assert_ok(gig_study_run(&counts,
                            write_cells("any", lines,
                                        "\"methods\": [\"ig\"], \"options\": {\"steps\": 2},"
                                        " \"keep\": \"maps\", \"metrics\": [\"gini\"]"),
                            &options));
    assert_true(counts.done == 2 && counts.failed == 2 && counts.planned == 0);
    assert_ok(gig_study_failures(&text, path));
    assert_non_null(strstr(text, "\ndemo\tset\ta?b?c.png\tig/steps=2\tblack\t"));
    assert_ptr_equal(strchr(strchr(text, '\n') + 1, '\n'), text + strlen(text) - 1); /* two lines */
    assert_non_null(strstr(text, "demo\tset\tne\xc3\xa9?.png\tig/steps=2\tblack\t"));
    assert_non_null(strstr(text, "/ne\xc3\xa9?.png: "));
    gig_text_free(text);
    assert_ok(gig_study_export(&text, path, 1));
    json_t *scores = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_true(json_array_size(scores) == 2);
    assert_string_equal(json_string_value(json_object_get(json_array_get(scores, 1), "picture")), "caf?.png");
    json_decref(scores);
    gig_text_free(text);
}

/* A worker that dies of ranking bird-1. */
static gig_status die_of_a_bird(void *cache, char **answer, const char *job)
{
    if (strstr(job, "\"rank\"") && strstr(job, "bird-1")) kill(getpid(), SIGKILL);
    return gig_worker_do_job(cache, answer, job);
}

static int serve_but_birds(void)
{
    gig_model_cache *cache;
    if (gig_model_cache_create(&cache) != GIG_OK) return 3;
    gig_status status = gig_pool_serve(die_of_a_bird, cache);
    gig_model_cache_free(cache);
    return status == GIG_OK ? 0 : 3;
}

/* Without a ranking neither the class is known nor whether the filter lets the picture through. */
static void fails_what_could_not_be_ranked(void **state)
{
    static const char *const deadly[] = {"/proc/self/exe", "deadly", NULL};
    (void)state;
    char path[512], lines[9100], *failures;
    snprintf(lines, sizeof lines, "%s/pictures/apple-0.png,,\n%s/pictures/bird-1.png,,\n", root, root);
    const char rest[] = "\"methods\": [\"xrai+ig\"], \"options\": {\"steps\": 2}, \"metrics\": [\"gini\"]";
    snprintf(path, sizeof path, "%s", temporary_path("rank.db"));
    gig_study_options options = {.store = path, .worker = deadly, .workers = 1};
    gig_study_counts counts;
    assert_ok(gig_study_run(&counts, write_cells("rank", lines, rest), &options));
    assert_true(counts.done == 2 && counts.failed == 2 && counts.planned == 0);
    assert_ok(gig_study_failures(&failures, path));
    assert_non_null(strstr(failures, "bird-1.png\txrai+ig/steps=2\tblack\tit could not be ranked: its process was "
                                     "killed by signal 9"));
    gig_text_free(failures);
    counts = run("rank", lines, rest);
    assert_true(counts.done == 4 && counts.failed == 0 && counts.planned == 0);

    /* The second run needs no ranking of what the first one does. */
    const char twice[] = "\"runs\": [{\"filter\": {\"top\": 12}}, {}], \"methods\": [\"xrai+ig\"],"
                         " \"options\": {\"steps\": 2}, \"metrics\": [\"gini\"]";
    options.store = NULL;
    assert_ok(gig_study_run(&counts, write_cells("labelled", line_of("bird-1", 1), twice), &options));
    assert_true(counts.done == 2 && counts.failed == 0);
}

typedef struct reader {
    size_t pictures, asked; /* told of; how often while `stops_at` was read */
    size_t stops_at;
} reader;

static int read_along(void *payload, const gig_study_progress *progress)
{
    reader *r = payload;
    if (strcmp(progress->stage, "reading pictures")) return 0;
    assert_true(progress->cells == 3 && progress->done < 3);
    r->pictures = progress->done + 1;
    r->asked += progress->done == r->stops_at;
    return r->asked > 3;
}

/* The second picture is a pipe, which nobody fills; the third is large. */
static void says_how_far_it_has_read_and_stops_there(void **state)
{
    (void)state;
    char path[512], lines[9100];
    gig_study_counts counts;
    snprintf(lines, sizeof lines, "%spipe.png,1,\nlarge.png,2,\n", line_of("apple-0", 0));
    assert_int_equal(mkfifo(temporary_path("pipe.png"), 0666), 0);
    assert_int_equal(truncate(temporary_file("large.png", "x", 1), 64 << 20), 0);
    snprintf(path, sizeof path, "%s", temporary_path("read.db"));
    reader r = {.stops_at = 2};
    gig_study_options options = {.store = path, .worker = worker, .workers = 1, .progress = read_along, .payload = &r};
    const char *manifest = write_cells("read", lines, "\"methods\": [\"edge\"], \"metrics\": [\"gini\"]");
    alarm(120); /* of a pipe that is waited for */
    assert_status(gig_study_run(&counts, manifest, &options), GIG_ECANCEL);
    assert_true(r.pictures == 3 && r.asked == 4 && counts.planned == 0);
    r = (reader){.stops_at = 3};
    assert_ok(gig_study_run(&counts, manifest, &options));
    assert_true(counts.done == 1 && counts.failed == 2);
    alarm(0);
}

int main(int count, char **arguments)
{
    if (count > 1 && !strcmp(arguments[1], "worker")) return gig_study_run_worker() == GIG_OK ? 0 : 3;
    if (count > 1 && !strcmp(arguments[1], "deadly")) return serve_but_birds();
    if (!realpath(source_path("demo"), root)) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_a_missing_picture_as_failed),
        cmocka_unit_test(rejects_files_that_are_not_masks),
        cmocka_unit_test(takes_pictures_of_any_name),
        cmocka_unit_test(fails_what_could_not_be_ranked),
        cmocka_unit_test(says_how_far_it_has_read_and_stops_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
