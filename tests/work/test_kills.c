/* SPDX-License-Identifier: Apache-2.0 */
/* A study killed again and again, at random moments, and gone on with. KILLS of them; long_kills has a hundred. */
#include "program.h"

#ifndef KILLS
#define KILLS 5
#endif

enum { WORKERS = 2, MOST_CHILDREN = 16 };

static const char some_of_all[] =
    "\"limit\": 5, \"methods\": [\"edge\", \"gradients\", \"ig\", \"gig:1\", \"grad-cam\", \"xrai+ig\"],"
    " \"baselines\": [\"black\", \"black+white\"], \"options\": {\"steps\": 20},"
    " \"metrics\": [\"auc\", \"gini\", \"completeness\", \"closed/paths=1\"], \"filter\": {\"top\": 12}";

/* From 0 to 1; the same moments in every run of this program, as far as the machine allows. */
static double next_random(void)
{
    static uint64_t state = 20210607;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 33) / (double)(1u << 31);
}

/* --- processes ---------------------------------------------------------------------------------------------------- */

/* Gone, or dead and not yet buried by whoever adopted it. */
static int is_dead(pid_t process)
{
    char path[64], text[512] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    FILE *file = fopen(path, "r");
    if (!file) return 1;
    if (!fgets(text, sizeof text, file)) text[0] = 0;
    fclose(file);
    const char *after = strrchr(text, ')');
    return !after || after[2] == 'Z' || after[2] == 'X' || !strstr(text, "(exe)");
}

static void assert_dead(const pid_t *processes, size_t count)
{
    double start = seconds_now();
    for (size_t i = 0; i < count; i++)
        while (!is_dead(processes[i])) {
            if (seconds_now() - start > 10) fail_msg("worker %d outlives its parent", (int)processes[i]);
            usleep(2000);
        }
}

/* --- rounds ------------------------------------------------------------------------------------------------------- */

typedef struct trial {
    char manifest[512];
    scores whole;
    double seconds; /* of an unbroken run */
    long cells;
    size_t orphans; /* workers that lived when their parent was killed, over all rounds */
} trial;

/* 1: it was killed; 0: it had come to its end before. */
static int run_and_kill(trial *t, const char *store, double after)
{
    pid_t workers[MOST_CHILDREN];
    pid_t process = study_start(t->manifest, store);
    usleep((unsigned)(1e6 * after));
    size_t count = children_of(process, workers, MOST_CHILDREN);
    for (size_t i = 0; i < count; i++) t->orphans += !is_dead(workers[i]);
    kill(process, SIGKILL);
    int ended = program_end(process);
    assert_true(ended == 0 || ended == -SIGKILL);
    assert_dead(workers, count);
    return ended != 0;
}

/* From a new store to the end, killed on the way at most `most` times; how often it was. */
static size_t one_round(trial *t, size_t round, size_t most)
{
    char name[32], store[512], maps[600];
    size_t kills = 0, fruitless = 0;
    scores before = {0}, now = {0};
    snprintf(name, sizeof name, "round-%zu.db", round);
    snprintf(store, sizeof store, "%s", temporary_path(name));
    snprintf(maps, sizeof maps, "%s.maps", store);
    while (kills < most && run_and_kill(t, store, next_random() * t->seconds * (0.4 + 0.1 * (double)fruitless))) {
        kills++;
        if (store_ask(store, ALL_CELLS) < 0) continue; /* killed before there was a store */
        now = scores_export(store);
        assert_scores_in(before, now);
        assert_scores_in(now, t->whole);
        fruitless = now.count > before.count ? 0 : fruitless + 1;
        scores_clear(&before);
        before = now;
    }
    assert_int_equal(study_run(t->manifest, store), 0);
    now = scores_export(store);
    assert_scores_in(before, now);
    assert_true(now.count == t->whole.count);
    assert_scores_in(now, t->whole);
    assert_true(store_ask(store, CELLS_DONE) == t->cells && store_ask(store, ALL_CELLS) == t->cells);
    assert_true(store_ask(store, "SELECT count(*) FROM (SELECT DISTINCT key FROM cell)") == t->cells);
    long begun = store_ask(store, ALL_BEGUN);
    print_message("# %zu kills: %ld cells begun for %ld\n", kills, begun, t->cells);
    assert_true(begun >= t->cells && begun <= t->cells + (long)(kills * WORKERS));
    assert_int_equal(access(maps, F_OK), -1);
    scores_clear(&before);
    scores_clear(&now);
    return kills;
}

static void ends_as_if_it_had_never_been_killed(void **state)
{
    (void)state;
    trial t = {0};
    char store[512];
    snprintf(t.manifest, sizeof t.manifest, "%s", write_study("kills.json", some_of_all));
    snprintf(store, sizeof store, "%s", temporary_path("whole.db"));
    double start = seconds_now();
    assert_int_equal(study_run(t.manifest, store), 0);
    t.seconds = seconds_now() - start;
    t.whole = scores_export(store);
    t.cells = store_ask(store, CELLS_DONE);
    assert_true(t.cells > 40 && t.whole.count > 100);
    assert_true(store_ask(store, ALL_BEGUN) == t.cells);
    size_t kills = 0;
    for (size_t round = 0; kills < KILLS; round++) kills += one_round(&t, round, KILLS - kills);
    assert_true(t.orphans > 0);
    scores_clear(&t.whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ends_as_if_it_had_never_been_killed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
