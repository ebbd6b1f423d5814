/* SPDX-License-Identifier: Apache-2.0 */
/* Lines between the processes of a study: what is written is read again, and is never less than was meant. */
#include "support.h"

#include "base/memory.h"
#include "work/job.h"
#include "work/job_json.h"
#include <jansson.h>
#include <math.h>

static int to_live = -1; /* allocations up to the one that fails; below zero: none does */

static void *scarce(size_t bytes)
{
    to_live -= to_live >= 0;
    return to_live == 0 ? NULL : malloc(bytes);
}

static gig_box boxes[] = {{1, 2, 3, 4}, {5, 6, 70, 80}};
static char not_utf8[] = "caf\xe9 \xff.npz", plain[] = "b.npz", auc[] = "auc", sic[] = "sic";
static char *metrics[] = {auc, sic};

static gig_study_job a_job(gig_job_source *sources)
{
    sources[0] = (gig_job_source){not_utf8, {.sum = NAN, .delta = 0.25, .evaluations = 200}};
    sources[1] = (gig_job_source){plain, {.sum = 3, .seconds = 1.5}};
    return (gig_study_job){.kind = GIG_JOB_MAP,
                           .model = plain,
                           .subject = {.file = not_utf8, .boxes = boxes, .box_count = 2, .label = 7},
                           .method = auc,
                           .baseline = plain,
                           .metrics = {2, metrics},
                           .source_count = 2,
                           .sources = sources,
                           .picture = 9};
}

static gig_status write_job(char **line)
{
    gig_job_source sources[2];
    gig_study_job job = a_job(sources);
    return gig_study_job_write(line, &job);
}

static void check_job(const char *line)
{
    gig_study_job read;
    assert_ok(gig_study_job_read(&read, line));
    assert_int_equal(read.kind, GIG_JOB_MAP);
    assert_int_equal(read.picture, 9);
    assert_int_equal(read.subject.label, 7);
    assert_string_equal(read.model, plain);
    assert_string_equal(read.subject.file, not_utf8);
    assert_int_equal(read.subject.box_count, 2);
    assert_memory_equal(read.subject.boxes, boxes, sizeof boxes);
    assert_string_equal(read.method, "auc");
    assert_string_equal(read.baseline, plain);
    assert_int_equal(read.metrics.count, 2);
    assert_string_equal(read.metrics.all[1], "sic");
    assert_int_equal(read.source_count, 2);
    assert_string_equal(read.sources[0].file, not_utf8);
    assert_true(isnan(read.sources[0].result.sum) && read.sources[0].result.delta == 0.25);
    assert_string_equal(read.sources[1].file, plain);
    assert_true(read.sources[1].result.seconds == 1.5);
    assert_null(read.write);
    gig_study_job_clear(&read);
}

static gig_status write_answer(char **line)
{
    const double curve[] = {0, 0.5, NAN, 1};
    gig_cell_score scores[] = {{.metric = "auc", .value = 0.75}, {.metric = "sic", .curve = curve, .curve_count = 4}};
    gig_job_answer answer = {.scores = scores, .score_count = 2, .result = {.sum = 1, .versions = "1"}};
    return gig_job_answer_write(line, &answer, GIG_JOB_MAP);
}

static void check_answer(const char *line)
{
    gig_job_answer read;
    assert_ok(gig_job_answer_read(&read, line));
    assert_true(read.result.sum == 1);
    assert_string_equal(read.result.versions, "1");
    assert_int_equal(read.score_count, 2);
    assert_true(read.scores[0].value == 0.75);
    assert_string_equal(read.scores[1].metric, "sic");
    assert_int_equal(read.scores[1].curve_count, 4);
    assert_true(isnan(read.scores[1].curve[2]) && read.scores[1].curve[3] == 1);
    gig_job_answer_clear(&read);
}

static const struct {
    gig_status (*write)(char **line);
    void (*check)(const char *line);
} kinds[] = {{write_job, check_job}, {write_answer, check_answer}};

static void reads_what_was_written(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char *line;
        assert_ok(kinds[i].write(&line));
        kinds[i].check(line);
        gig_free(line);
    }
}

/* Whichever allocation fails, the line says all or there is none. */
static void writes_all_of_it_or_nothing(void **state)
{
    (void)state;
    json_set_alloc_funcs(scarce, free);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        int tries = 0, failures = 0;
        for (int reached = 1; reached;) {
            char *line;
            to_live = ++tries;
            gig_status status = kinds[i].write(&line);
            reached = to_live <= 0;
            to_live = -1;
            if (status == GIG_OK)
                kinds[i].check(line);
            else
                assert_null(line);
            gig_free(line);
            failures += status != GIG_OK;
        }
        assert_true(failures > 20);
    }
    json_set_alloc_funcs(malloc, free);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(reads_what_was_written),
                                       cmocka_unit_test(writes_all_of_it_or_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
