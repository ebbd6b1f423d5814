/* SPDX-License-Identifier: Apache-2.0 */
/* A study under mpirun: the scores of one process, whatever happens to the others. */
#include "program.h"

#include <dirent.h>

#ifndef RANK_KILLS
#define RANK_KILLS 0 /* beyond those of the cases below; long_mpi has fifty */
#endif

enum { RANKS = 4, KILLS_A_ROUND = 5 };

static const char keys[] = "\"limit\": 5, \"methods\": [\"edge\", \"ig\", \"gig:1\", \"grad-cam\", \"xrai+ig\"],"
                           " \"baselines\": [\"black\", \"black+white\"], \"options\": {\"steps\": %d},"
                           " \"metrics\": [\"auc\", \"gini\", \"auc/reduction=max\", \"auc/reduction=sum\","
                           " \"auc/reduction=sum-abs\"], \"filter\": {\"top\": 12}"; /* curves make messages large */

static char manifest[512]; /* of the study that jobs run */
static scores whole;       /* its scores by one process */
static long cells;

/* --- the job ------------------------------------------------------------------------------------------------------ */

static const char *why_not(void)
{
    char path[1100];
    snprintf(path, sizeof path, "%s-mpi", program_path());
    if (access(path, X_OK) != 0) return "gig-mpi is not built: no MPI when this was configured";
    if (system("mpirun --version 2>/dev/null | grep -q 'Open MPI'") != 0) return "there is no mpirun of Open MPI";
    return NULL;
}

#define need_mpi()                                                                                                     \
    do {                                                                                                               \
        if (why_not()) skip_because("%s", why_not());                                                                  \
    } while (0)

static pid_t job_start(const char *store)
{
    const char *const arguments[] = {"mpirun",
                                     "--allow-run-as-root",
                                     "--oversubscribe",
                                     "-n",
                                     "4",
                                     program_path(),
                                     "study",
                                     "run",
                                     manifest,
                                     "--store",
                                     store,
                                     "-j",
                                     "1",
                                     NULL};
    return program_start(arguments);
}

/* A process's variable of this name as a number; -1 if it has none. */
static long variable_of(pid_t process, const char *name)
{
    char path[64], text[65536];
    snprintf(path, sizeof path, "/proc/%d/environ", (int)process);
    FILE *file = fopen(path, "rb");
    if (!file) return -1;
    size_t count = fread(text, 1, sizeof text - 1, file), length = strlen(name);
    fclose(file);
    text[count] = 0;
    for (const char *at = text; at < text + count; at += strlen(at) + 1)
        if (!strncmp(at, name, length) && at[length] == '=') return atol(at + length + 1);
    return -1;
}

static pid_t parent_of(pid_t process)
{
    char path[64], text[512] = "";
    int parent = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    if (!fgets(text, sizeof text, file)) text[0] = 0;
    fclose(file);
    const char *after = strrchr(text, ')');
    if (!after || sscanf(after + 2, "%*c %d", &parent) != 1) return 0;
    return parent;
}

/* The process of a rank of the job, or (of_worker) one of its workers; 0 if there is none. */
static pid_t find_rank(pid_t job, int rank, int of_worker)
{
    DIR *all = opendir("/proc");
    pid_t found = 0;
    for (struct dirent *entry; !found && (entry = readdir(all));) {
        pid_t process = (pid_t)atoi(entry->d_name), parent = process ? parent_of(process) : 0;
        if (!parent || variable_of(process, "OMPI_COMM_WORLD_RANK") != rank) continue;
        if ((of_worker ? parent_of(parent) : parent) == job) found = process;
    }
    closedir(all);
    return found;
}

static void assert_nobody_is_left(pid_t job, const pid_t ranks[RANKS])
{
    double start = seconds_now();
    (void)job;
    for (int i = 0; i < RANKS; i++)
        while (ranks[i] && variable_of(ranks[i], "OMPI_COMM_WORLD_RANK") == i) {
            if (seconds_now() - start > 20) fail_msg("rank %d outlives its job", i);
            usleep(10000);
        }
}

/* --- cases -------------------------------------------------------------------------------------------------------- */

/* Jobs run the study with so many steps from now on. */
static void choose_steps(int steps)
{
    char filled[1024], name[64], store[512];
    snprintf(filled, sizeof filled, keys, steps);
    snprintf(name, sizeof name, "mpi%d.json", steps);
    snprintf(manifest, sizeof manifest, "%s", write_study(name, filled));
    snprintf(name, sizeof name, "one%d.db", steps);
    snprintf(store, sizeof store, "%s", temporary_path(name));
    assert_int_equal(study_run(manifest, store), 0);
    scores_clear(&whole);
    whole = scores_export(store);
    cells = store_ask(store, CELLS_DONE);
}

static int make_whole(void **state)
{
    (void)state;
    if (why_not()) return 0;
    choose_steps(30);
    /* Open MPI keeps memory until the end, in parts that are unloaded before it: leaks cannot be distinguished by name.
     */
    char wanted[1024];
    const char *before = getenv("ASAN_OPTIONS");
    snprintf(wanted, sizeof wanted, "%s%sdetect_leaks=0", before ? before : "", before ? ":" : "");
    setenv("ASAN_OPTIONS", wanted, 1);
    return cells > 40 ? 0 : -1;
}

static int drop_whole(void **state)
{
    (void)state;
    scores_clear(&whole);
    return 0;
}

static void gives_the_scores_of_one_process(void **state)
{
    char store[512];
    (void)state;
    need_mpi();
    snprintf(store, sizeof store, "%s", temporary_path("four.db"));
    assert_int_equal(program_end(job_start(store)), 0);
    char *said = read_whole(said_path, NULL), *error = read_whole(error_path, NULL), expected[64];
    snprintf(expected, sizeof expected, "4 processes with 4 workers\n%ld cells done, 0 failed, 0 planned\n", cells);
    assert_string_equal(said, expected);
    assert_null(strstr(error, "gig")); /* what MPI says of the machine is its own affair */
    free(said);
    free(error);
    assert_same_scores(store, &whole);
    assert_true(store_ask(store, ALL_BEGUN) == cells);
}

static void loses_nothing_with_a_worker_of_a_rank(void **state)
{
    char store[512];
    (void)state;
    need_mpi();
    snprintf(store, sizeof store, "%s", temporary_path("worker.db"));
    pid_t job = job_start(store);
    for (int rank = 1; rank < RANKS; rank++) {
        pid_t worker = 0;
        wait_for_cells(store, 4 * rank);
        for (int i = 0; !worker && i < 1000; i++, usleep(2000)) worker = find_rank(job, rank, 1);
        assert_true(worker > 0);
        assert_confined(worker);
        assert_int_equal(kill(worker, rank == 2 ? SIGABRT : SIGKILL), 0);
    }
    assert_int_equal(program_end(job), 0);
    assert_same_scores(store, &whole);
    long begun = store_ask(store, ALL_BEGUN); /* one that was between two cells cost none */
    assert_true(begun > cells && begun <= cells + RANKS - 1);
}

/* Ends a rank, or (-1) mpirun itself, in the middle; Open MPI then ends the job. What had been scored by then. */
static scores break_job(const char *store, int rank, int number)
{
    pid_t ranks[RANKS];
    pid_t job = job_start(store);
    wait_for_cells(store, 1);
    for (int i = 0; i < RANKS; i++) ranks[i] = find_rank(job, i, 0);
    wait_for_cells(store, cells / 4);
    pid_t victim = rank < 0 ? job : ranks[rank];
    assert_true(victim > 0);
    kill(victim, number);
    assert_int_not_equal(program_end(job), 0);
    assert_nobody_is_left(job, ranks);
    scores before = scores_export(store);
    assert_true(before.count >= 8);
    assert_scores_in(before, whole);
    return before;
}

/* Another job does the rest. */
static void assert_goes_on(const char *store, scores before)
{
    assert_true(before.count < whole.count);
    assert_int_equal(program_end(job_start(store)), 0);
    scores after = scores_export(store);
    assert_scores_in(before, after);
    scores_clear(&after);
    scores_clear(&before);
    assert_same_scores(store, &whole);
    assert_true(store_ask(store, ALL_BEGUN) <= cells + RANKS);
}

static void goes_on_after(const char *name, int rank, int number)
{
    char store[512];
    snprintf(store, sizeof store, "%s", temporary_path(name));
    assert_goes_on(store, break_job(store, rank, number));
}

/* Ranks in turn, at moments spread over all cells, several in the life of one store. */
static void goes_on_after_many_kills_of_ranks(void **state)
{
    (void)state;
    need_mpi();
    if (!RANK_KILLS) skip_because("long_mpi does this");
    int kills = 0, rounds = 0;
    for (; kills < RANK_KILLS; rounds++) {
        char store[512], name[32];
        snprintf(name, sizeof name, "many%d.db", rounds);
        snprintf(store, sizeof store, "%s", temporary_path(name));
        for (int k = 0; k < KILLS_A_ROUND && kills < RANK_KILLS; k++) {
            pid_t job = job_start(store), ranks[RANKS];
            wait_for_cells(store, (cells - 8) * (2 * k + 1 + rounds % 2) / (2 * KILLS_A_ROUND));
            for (int i = 0; i < RANKS; i++) ranks[i] = find_rank(job, i, 0);
            pid_t victim = ranks[kills % RANKS];
            if (victim && kill(victim, SIGKILL) == 0) kills++;
            program_end(job); /* 0 if all was done just then */
            assert_nobody_is_left(job, ranks);
            scores now = scores_export(store);
            assert_scores_in(now, whole);
            scores_clear(&now);
        }
        assert_int_equal(program_end(job_start(store)), 0);
        assert_same_scores(store, &whole);
    }
    fprintf(stderr, "# %d kills of ranks in %d rounds: none lost a score or changed one\n", kills, rounds);
}

static void goes_on_after_a_rank_was_killed(void **state)
{
    (void)state;
    need_mpi();
    goes_on_after("killed.db", 2, SIGKILL);
}

static void goes_on_after_the_first_rank_was_killed(void **state)
{
    (void)state;
    need_mpi();
    goes_on_after("first.db", 0, SIGKILL);
}

/* mpirun hands a SIGTERM on after a second, when a small study is done: it gets longer until hit in the middle. */
static void goes_on_after_the_job_was_told_to_stop(void **state)
{
    char store[512], name[64];
    scores before = {0};
    (void)state;
    need_mpi();
    for (int steps = 120; steps < 10000; steps *= 3) {
        choose_steps(steps);
        snprintf(name, sizeof name, "stopped%d.db", steps);
        snprintf(store, sizeof store, "%s", temporary_path(name));
        before = break_job(store, -1, SIGTERM);
        if (before.count < whole.count) break;
        scores_clear(&before);
    }
    assert_goes_on(store, before);
    choose_steps(30);
}

/* A rank that is told to stop gives its cells back; the others finish. */
static void goes_on_without_a_rank_that_was_told_to_stop(void **state)
{
    char store[512];
    (void)state;
    need_mpi();
    snprintf(store, sizeof store, "%s", temporary_path("left.db"));
    pid_t job = job_start(store);
    wait_for_cells(store, 1);
    pid_t rank = find_rank(job, 3, 0);
    assert_true(rank > 0);
    kill(rank, SIGTERM);
    assert_int_equal(program_end(job), 0);
    assert_same_scores(store, &whole);
    assert_true(store_ask(store, ALL_BEGUN) <= cells + 1);
}

/* Ends a job that does not end by itself in time. */
static void assert_ends_soon(pid_t job)
{
    double start = seconds_now();
    int ended;
    while (waitpid(job, &ended, WNOHANG) == 0) {
        if (seconds_now() - start > 30) {
            kill(job, SIGTERM);
            program_end(job);
            fail_msg("the job goes on without its first rank");
        }
        usleep(10000);
    }
    assert_true(WIFEXITED(ended) && WEXITSTATUS(ended) != 0);
}

/* Answers are then on their way to the first rank, which no longer takes them. */
static void ends_when_the_first_rank_was_told_to_stop(void **state)
{
    char store[512], name[64];
    scores before = {0};
    (void)state;
    need_mpi();
    for (int i = 0; i < 6; i++) {
        snprintf(name, sizeof name, "headless%d.db", i);
        snprintf(store, sizeof store, "%s", temporary_path(name));
        pid_t job = job_start(store), ranks[RANKS];
        wait_for_cells(store, 1 + 4 * i);
        for (int k = 0; k < RANKS; k++) ranks[k] = find_rank(job, k, 0);
        assert_true(ranks[0] > 0);
        kill(ranks[0], SIGTERM);
        assert_ends_soon(job);
        assert_nobody_is_left(job, ranks);
        scores_clear(&before);
        before = scores_export(store);
        assert_true(before.count < whole.count);
        assert_scores_in(before, whole);
    }
    assert_goes_on(store, before);
}

static void says_once_what_is_wrong(void **state)
{
    char right[512];
    (void)state;
    need_mpi();
    memcpy(right, manifest, sizeof right);
    snprintf(manifest, sizeof manifest, "%s",
             write_study("wrong.json", "\"methods\": [\"igg\"], \"metrics\": [\"auc\"]"));
    int code = program_end(job_start(temporary_path("wrong.db")));
    memcpy(manifest, right, sizeof right);
    char *error = read_whole(error_path, NULL), *line = strstr(error, "gig: ");
    assert_int_equal(code, 2);
    assert_true(line && strstr(line, "wrong.json: methods: [0]: ") && !strstr(line + 1, "gig: "));
    free(error);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_the_scores_of_one_process),
        cmocka_unit_test(loses_nothing_with_a_worker_of_a_rank),
        cmocka_unit_test(goes_on_after_many_kills_of_ranks),
        cmocka_unit_test(goes_on_after_a_rank_was_killed),
        cmocka_unit_test(goes_on_after_the_first_rank_was_killed),
        cmocka_unit_test(goes_on_after_the_job_was_told_to_stop),
        cmocka_unit_test(goes_on_without_a_rank_that_was_told_to_stop),
        cmocka_unit_test(ends_when_the_first_rank_was_told_to_stop),
        cmocka_unit_test(says_once_what_is_wrong),
    };
    return cmocka_run_group_tests(tests, make_whole, drop_whole);
}
