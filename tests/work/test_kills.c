/* SPDX-License-Identifier: Apache-2.0 */
/* A study killed again and again and gone on with: the whole of it, or one of its workers. Moments are chosen by
 * progress, spread evenly over all cells, not by time. KILLS of each; long_kills has two hundred. */
#include "program.h"

#ifndef KILLS
#define KILLS 5
#endif

enum { WORKERS = 2, MOST_CHILDREN = 16 };

static const char some_of_all[] =
    "\"limit\": 5, \"methods\": [\"edge\", \"gradients\", \"ig\", \"gig:1\", \"grad-cam\", \"xrai+ig\"],"
    " \"baselines\": [\"black\", \"black+white\"], \"options\": {\"steps\": 20},"
    " \"metrics\": [\"auc\", \"gini\", \"completeness\", \"closed/paths=1\"], \"filter\": {\"top\": 12}";

enum { KILLS_A_ROUND = 10, TENTHS = 10 };

/* From 0 to 1; the same numbers in every run of this program. */
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
    size_t orphans;        /* workers that lived when their parent was killed, over all rounds */
    size_t tenths[TENTHS]; /* kills, by the part of the cells that was done */
} trial;

/* Waits until so many cells are done, and a part of a cell's time; 0: the program ended before. */
static int wait_for_progress(const trial *t, pid_t process, const char *store, long wanted)
{
    int ended = 0;
    siginfo_t about = {0};
    while (!ended && (wanted > 0 ? store_ask(store, CELLS_DONE) : 0) < wanted) {
        usleep(2000);
        ended = waitid(P_PID, (id_t)process, &about, WEXITED | WNOHANG | WNOWAIT) == 0 && about.si_pid == process;
    }
    if (!ended) usleep((unsigned)(1e6 * next_random() * t->seconds / (double)t->cells));
    return !ended;
}

static void count_kill(trial *t, const char *store)
{
    long done = store_ask(store, CELLS_DONE);
    long tenth = done > 0 ? done * TENTHS / t->cells : 0;
    t->tenths[tenth < TENTHS ? tenth : TENTHS - 1]++;
}

/* The moments of a round: kill number k is when this many cells are done. */
static long moment(const trial *t, size_t k)
{
    return (long)(((double)k + next_random()) / KILLS_A_ROUND * (double)t->cells);
}

/* 1: it was killed; 0: it had come to its end before. */
static int run_and_kill(trial *t, const char *store, long wanted)
{
    pid_t workers[MOST_CHILDREN];
    pid_t process = study_start(t->manifest, store);
    wait_for_progress(t, process, store, wanted);
    size_t count = children_of(process, workers, MOST_CHILDREN);
    for (size_t i = 0; i < count; i++) t->orphans += !is_dead(workers[i]);
    kill(process, SIGKILL);
    int ended = program_end(process);
    assert_true(ended == 0 || ended == -SIGKILL);
    assert_dead(workers, count);
    if (ended) count_kill(t, store);
    return ended != 0;
}

/* The store is that of an unbroken run, with at most `again` cells begun twice. */
static void assert_whole(const trial *t, const char *store, size_t again)
{
    char maps[600];
    snprintf(maps, sizeof maps, "%s.maps", store);
    assert_same_scores(store, &t->whole);
    assert_true(store_ask(store, CELLS_DONE) == t->cells && store_ask(store, ALL_CELLS) == t->cells);
    assert_true(store_ask(store, "SELECT count(*) FROM (SELECT DISTINCT key FROM cell)") == t->cells);
    long begun = store_ask(store, ALL_BEGUN);
    assert_true(begun >= t->cells && begun <= t->cells + (long)again);
    assert_int_equal(access(maps, F_OK), -1);
}

/* From a new store to the end, killed on the way; how often it was. */
static size_t one_round(trial *t, size_t round, size_t most)
{
    char name[32], store[512];
    size_t kills = 0;
    scores before = {0}, now = {0};
    snprintf(name, sizeof name, "round-%zu.db", round);
    snprintf(store, sizeof store, "%s", temporary_path(name));
    for (size_t k = 0; k < KILLS_A_ROUND && kills < most; k++) {
        if (!run_and_kill(t, store, moment(t, k))) break;
        kills++;
        if (store_ask(store, ALL_CELLS) < 0) continue; /* killed before there was a store */
        now = scores_export(store);
        assert_scores_in(before, now);
        assert_scores_in(now, t->whole);
        scores_clear(&before);
        before = now;
    }
    assert_int_equal(study_run(t->manifest, store), 0);
    now = scores_export(store);
    assert_scores_in(before, now);
    assert_whole(t, store, kills * WORKERS);
    scores_clear(&before);
    scores_clear(&now);
    return kills;
}

/* One run whose workers are killed. A cell is tried five times, so the next kill waits until others are done. */
static size_t one_round_of_workers(trial *t, size_t round, size_t most)
{
    char name[32], store[512];
    size_t kills = 0;
    long next = 0;
    snprintf(name, sizeof name, "workers-%zu.db", round);
    snprintf(store, sizeof store, "%s", temporary_path(name));
    pid_t process = study_start(t->manifest, store), workers[MOST_CHILDREN];
    for (size_t k = 0; k < KILLS_A_ROUND && kills < most; k++) {
        long wanted = moment(t, k);
        if (!wait_for_progress(t, process, store, wanted > next ? wanted : next)) break;
        size_t count = children_of(process, workers, MOST_CHILDREN);
        if (!count || kill(workers[(size_t)(next_random() * (double)count)], SIGKILL) != 0) continue;
        kills++;
        count_kill(t, store);
        next = store_ask(store, CELLS_DONE) + 2 * WORKERS;
    }
    assert_int_equal(program_end(process), 0);
    assert_whole(t, store, kills);
    return kills;
}

static void run_unbroken(trial *t)
{
    char store[512];
    snprintf(t->manifest, sizeof t->manifest, "%s", write_study("kills.json", some_of_all));
    snprintf(store, sizeof store, "%s", temporary_path("whole.db"));
    double start = seconds_now();
    assert_int_equal(study_run(t->manifest, store), 0);
    t->seconds = seconds_now() - start;
    t->whole = scores_export(store);
    t->cells = store_ask(store, CELLS_DONE);
    assert_true(t->cells > 40 && t->whole.count > 100);
    assert_true(store_ask(store, ALL_BEGUN) == t->cells);
    unlink(store);
}

static void say_kills(const trial *t, const char *of, size_t kills)
{
    fprintf(stderr, "# %zu kills of %s, none lost a score or changed one; by tenths of %ld cells:", kills, of,
            t->cells);
    for (int i = 0; i < TENTHS; i++) fprintf(stderr, " %zu", t->tenths[i]);
    fprintf(stderr, "\n");
}

static void ends_as_if_it_had_never_been_killed(void **state)
{
    (void)state;
    trial t = {0};
    run_unbroken(&t);
    size_t kills = 0;
    for (size_t round = 0; kills < KILLS; round++) kills += one_round(&t, round, KILLS - kills);
    say_kills(&t, "the parent", kills);
    assert_true(t.orphans > 0);
    scores_clear(&t.whole);
}

static void ends_as_if_no_worker_had_been_killed(void **state)
{
    (void)state;
    trial t = {0};
    run_unbroken(&t);
    size_t kills = 0;
    for (size_t round = 0; kills < KILLS; round++) kills += one_round_of_workers(&t, round, KILLS - kills);
    say_kills(&t, "workers", kills);
    scores_clear(&t.whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_as_if_it_had_never_been_killed),
        cmocka_unit_test(ends_as_if_no_worker_had_been_killed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
