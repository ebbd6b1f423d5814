/* SPDX-License-Identifier: Apache-2.0 */
/* Which cells remember their gradients: only those where a later map of the same picture asks for the same ones. */
#include "cells.h"

#include "base/memory.h"
#include "work/job.h"
#include "work/schedule/schedule.h"
#include "work/schedule/schedule_jobs.h"

static int remembers(const gig_schedule *schedule, const char *method)
{
    int cells = 0, answer = 0;
    for (size_t i = 0; i < schedule->cell_count; i++) {
        char *line;
        gig_study_job job;
        if (strcmp(schedule->variants[schedule->cells[i].variant].name, method)) continue;
        assert_ok(gig_schedule_cell_job(&line, schedule, &schedule->cells[i]));
        assert_ok(gig_study_job_read(&job, line));
        cells++;
        answer = job.remember;
        gig_study_job_clear(&job);
        gig_free(line);
    }
    assert_int_equal(cells, 1);
    return answer;
}

/* Of a cell in a study with these methods and metrics, each a list as in manifests. */
static int remembers_in(const char *methods, const char *metrics, const char *method)
{
    char rest[512], path[512];
    gig_manifest *manifest;
    gig_store *store;
    gig_schedule *schedule;
    const gig_study_options options = {.workers = 1};
    snprintf(rest, sizeof rest, "\"methods\": [%s], \"metrics\": [%s]", methods, metrics);
    snprintf(path, sizeof path, "%s", temporary_path("sharing.db"));
    unlink(path);
    assert_ok(gig_manifest_read(&manifest, write_cells("sharing", line_of("fish-6", 6), rest)));
    assert_ok(gig_store_open(&store, path, GIG_STORE_RUN));
    assert_ok(gig_schedule_create(&schedule, manifest, store, path, &options));
    assert_ok(gig_schedule_cells(schedule, 0));
    const int answer = remembers(schedule, method);
    gig_schedule_free(schedule);
    gig_store_close(store);
    gig_manifest_free(manifest);
    return answer;
}

static void remembers_for_other_kinds_of_stability(void **state)
{
    (void)state;
    assert_false(remembers_in("\"ig\"", "\"auc\", \"insertion\"", "ig"));
    assert_false(remembers_in("\"ig\"", "\"stability\", \"auc\"", "ig"));
    assert_true(remembers_in("\"ig\"", "\"stability\", \"stability/of=rank\"", "ig"));
    assert_false(remembers_in("\"ig\"", "\"agreement\", \"spread\"", "ig")); /* they share whole maps */
    assert_true(remembers_in("\"ig\"", "\"agreement\", \"stability\"", "ig"));
    assert_true(remembers_in("\"xrai+ig\"", "\"agreement\"", "xrai+ig"));
}

static void remembers_for_other_rules_on_the_same_path(void **state)
{
    (void)state;
    const char guided[] = "\"gig:20\", \"gig:20/rule=idgi\", \"gig\"", *score = "\"auc\"";
    assert_true(remembers_in(guided, score, "gig:20"));
    assert_true(remembers_in(guided, score, "gig:20/rule=idgi"));
    assert_false(remembers_in(guided, score, "gig"));
    const char draws[] = "\"gig/repeat=2\", \"gig/repeat=5\"";
    assert_true(remembers_in(draws, score, "gig/repeat=2"));
    assert_true(remembers_in(draws, score, "gig/repeat=5"));
}

/* ig has its nodes in the middle of each step, idgi at the ends. */
static void remembers_nothing_where_nodes_differ(void **state)
{
    (void)state;
    const char line[] = "\"ig\", \"ig/rule=idgi\", \"ig/rule=idgi/steps=42\"";
    assert_false(remembers_in(line, "\"auc\"", "ig"));
    assert_false(remembers_in(line, "\"auc\"", "ig/rule=idgi"));
    assert_false(remembers_in(line, "\"auc\"", "ig/rule=idgi/steps=42"));
}

int main(void)
{
    assert_non_null(realpath(source_path("demo"), root));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(remembers_for_other_kinds_of_stability),
        cmocka_unit_test(remembers_for_other_rules_on_the_same_path),
        cmocka_unit_test(remembers_nothing_where_nodes_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
