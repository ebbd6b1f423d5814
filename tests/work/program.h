/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of whole studies from outside: runs the program, and reads its output and its store. */
#ifndef TESTS_PROGRAM_H
#define TESTS_PROGRAM_H

#include "support.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <time.h>

/* --- the program -------------------------------------------------------------------------------------------------- */

static const char *program_path(void)
{
    static char path[1024];
    const char *build = getenv("GIG_BUILD_DIR");
    snprintf(path, sizeof path, "%s/gig", build && *build ? build : "build");
    return path;
}

/* Files that hold what the last program said; one each is enough, for programs are looked at one by one. */
#define said_path  temporary_path("said")
#define error_path temporary_path("error")

/* Starts arguments[0] with arguments, NULL last; its words go to the two files, beginning again. */
static pid_t program_start(const char *const *arguments)
{
    char said[512], error[512];
    snprintf(said, sizeof said, "%s", said_path);
    snprintf(error, sizeof error, "%s", error_path);
    fflush(NULL);
    pid_t child = fork();
    if (child) return child;
    int out = open(said, O_WRONLY | O_CREAT | O_TRUNC, 0666), wrong = open(error, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (out < 0 || wrong < 0 || dup2(out, 1) < 0 || dup2(wrong, 2) < 0) _exit(99);
    execvp(arguments[0], (char *const *)(uintptr_t)arguments);
    _exit(98);
}

/* How it ended: its exit code, or minus the signal. */
static int program_end(pid_t process)
{
    int ended;
    while (waitpid(process, &ended, 0) < 0)
        if (errno != EINTR) fail_msg("no process %d to wait for", (int)process);
    return WIFEXITED(ended) ? WEXITSTATUS(ended) : -WTERMSIG(ended);
}

static pid_t study_start(const char *manifest, const char *store)
{
    const char *const arguments[] = {program_path(), "study", "run", manifest, "--store", store, "-j", "2", NULL};
    return program_start(arguments);
}

SUPPORT_UNUSED static int study_run(const char *manifest, const char *store)
{
    return program_end(study_start(manifest, store));
}

SUPPORT_UNUSED static int study_read(const char *verb, const char *store)
{
    const char *const arguments[] = {program_path(), "study", verb, store, NULL};
    return program_end(program_start(arguments));
}

/* A file's bytes, with a 0 after them; free() them. */
static char *read_whole(const char *path, size_t *count)
{
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("cannot read %s", path);
    size_t used = 0, room = 1 << 16;
    char *bytes = malloc(room + 1);
    for (size_t got; (got = fread(bytes + used, 1, room - used, file)); used += got)
        if (used + got == room) bytes = realloc(bytes, (room *= 2) + 1);
    fclose(file);
    bytes[used] = 0;
    if (count) *count = used;
    return bytes;
}

/* The program's complaint is one line that holds the text. */
#define assert_complaint(text) program_complaint((text), __FILE__, __LINE__)

SUPPORT_UNUSED static void program_complaint(const char *text, const char *file, int line)
{
    char *error = read_whole(error_path, NULL), *end = strchr(error, '\n');
    if (strncmp(error, "gig: ", 5) != 0 || !end || end[1] || !strstr(error, text)) {
        print_error("it said:\n%swhich is no line with \"%s\"\n", error, text);
        _fail(file, line);
    }
    free(error);
}

SUPPORT_UNUSED static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* --- scores ------------------------------------------------------------------------------------------------------- */

/* The lines of an export without its header and its column of seconds, sorted. */
typedef struct scores {
    char *text;
    char **lines;
    size_t count;
} scores;

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Cuts out the column that has so many after it; none of those holds a comma. */
static void cut_column(char *line, size_t after)
{
    char *end = line + strlen(line), *start;
    for (size_t i = 0; i < after; i++) end = memrchr(line, ',', (size_t)(end - line));
    start = memrchr(line, ',', (size_t)(end - line));
    memmove(start, end, strlen(end) + 1);
}

static scores scores_export(const char *store)
{
    assert_int_equal(study_read("export", store), 0);
    scores s = {.text = read_whole(said_path, NULL)};
    size_t room = 0, after = 0;
    char *next = strchr(s.text, '\n'), *seconds = strstr(s.text, ",seconds");
    assert_true(next && seconds && seconds < next);
    for (const char *c = seconds + 1; c < next; c++) after += *c == ',';
    for (char *line = next + 1; *line; line = next + 1) {
        next = strchr(line, '\n');
        assert_non_null(next);
        *next = 0;
        cut_column(line, after);
        if (s.count == room) s.lines = realloc(s.lines, (room = 2 * room + 64) * sizeof *s.lines);
        s.lines[s.count++] = line;
    }
    if (s.count) qsort(s.lines, s.count, sizeof *s.lines, compare_lines);
    return s;
}

static void scores_clear(scores *s)
{
    free(s->lines);
    free(s->text);
    *s = (scores){0};
}

/* Every line of `some` is in `all`, and none appears twice. */
#define assert_scores_in(some, all) scores_in(&(some), &(all), __FILE__, __LINE__)

static void scores_in(const scores *some, const scores *all, const char *file, int line)
{
    for (size_t i = 0; i < some->count; i++) {
        const char *problem = NULL;
        if (i && !strcmp(some->lines[i], some->lines[i - 1])) problem = "is there twice";
        if (!bsearch(&some->lines[i], all->lines, all->count, sizeof *all->lines, compare_lines))
            problem = "is not among the others";
        if (!problem) continue;
        print_error("the score %s %s\n", some->lines[i], problem);
        _fail(file, line);
    }
}

SUPPORT_UNUSED static void assert_same_scores(const char *store, const scores *wanted)
{
    scores got = scores_export(store);
    assert_true(got.count == wanted->count);
    assert_scores_in(got, *wanted);
    scores_clear(&got);
}

/* --- stores ------------------------------------------------------------------------------------------------------- */

/* One number from the store; -1 if it cannot be asked yet. */
SUPPORT_UNUSED static long store_ask(const char *store, const char *sql)
{
    sqlite3 *database;
    sqlite3_stmt *statement = NULL;
    long found = -1;
    if (sqlite3_open_v2(store, &database, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK) {
        sqlite3_busy_timeout(database, 5000);
        if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) == SQLITE_OK &&
            sqlite3_step(statement) == SQLITE_ROW)
            found = (long)sqlite3_column_int64(statement, 0);
        sqlite3_finalize(statement);
    }
    sqlite3_close(database);
    return found;
}

/* Processes that any thread of `parent` has started and that have not been waited for, at most `most`. */
SUPPORT_UNUSED static size_t children_of(pid_t parent, pid_t *children, size_t most)
{
    char path[300];
    size_t count = 0;
    snprintf(path, sizeof path, "/proc/%d/task", (int)parent);
    DIR *threads = opendir(path);
    for (struct dirent *thread; threads && (thread = readdir(threads));) {
        if (thread->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "/proc/%d/task/%s/children", (int)parent, thread->d_name);
        FILE *file = fopen(path, "r");
        for (int child; file && count < most && fscanf(file, "%d", &child) == 1;) children[count++] = child;
        if (file) fclose(file);
    }
    if (threads) closedir(threads);
    return count;
}

/* A worker gains no privileges and is held by seccomp: what it gave up cannot be had back. */
SUPPORT_UNUSED static void assert_confined(pid_t worker)
{
    char path[64], line[256];
    int privileges = -1, filter = -1;
    for (int i = 0; filter != 2 && i < 500; i++, usleep(4000)) { /* it does so before anything else, but not at once */
        snprintf(path, sizeof path, "/proc/%d/status", (int)worker);
        FILE *file = fopen(path, "r");
        if (!file) fail_msg("worker %d is gone", (int)worker);
        while (fgets(line, sizeof line, file)) {
            sscanf(line, "NoNewPrivs: %d", &privileges);
            sscanf(line, "Seccomp: %d", &filter);
        }
        fclose(file);
    }
    assert_int_equal(privileges, 1);
    assert_int_equal(filter, 2);
}

#define CELLS_DONE "SELECT count(*) FROM cell WHERE wanted = 1 AND state = 1"
#define ALL_CELLS  "SELECT count(*) FROM cell WHERE wanted = 1"
#define ALL_BEGUN  "SELECT sum(attempts) FROM cell"

/* Waits until so many cells are done. */
SUPPORT_UNUSED static void wait_for_cells(const char *store, long count)
{
    double start = seconds_now();
    while (store_ask(store, CELLS_DONE) < count) {
        if (seconds_now() - start > 120) fail_msg("no %ld cells in two minutes", count);
        usleep(5000);
    }
}

/* --- a study of the demo ------------------------------------------------------------------------------------------ */

SUPPORT_UNUSED static const char *demo_folder(void)
{
    static char root[4096];
    assert_non_null(realpath(source_path("demo"), root));
    return root;
}

/* Its manifest; `rest` are keys beside models and pictures. */
SUPPORT_UNUSED static const char *write_study(const char *name, const char *rest)
{
    static char text[16384];
    int used = snprintf(text, sizeof text,
                        "{\"models\": {\"demo\": \"%s/model.onnx\"}, \"pictures\": {\"scenes\": \"%s/pictures.csv\"},"
                        " %s}",
                        demo_folder(), demo_folder(), rest);
    return temporary_file(name, text, (size_t)used);
}

#endif
