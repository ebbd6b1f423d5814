/* SPDX-License-Identifier: Apache-2.0 */
/* Every hostile file given to the program: it ends by itself with an exit code of docs/limits.md, at most a few lines,
 * 5 s of CPU, and the memory it was allowed and a quarter more. long_terminate sends each SIGTERM besides, at four
 * moments. The files come from tools/hostile.py and tools/hostile_files.py. */
#include "hostile/manifest.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

enum { MOST_SECONDS = 5, MEMORY_MIB = 256, PROGRAM_MIB = 64, MOST_CODE = 5, MAX_FILES = 256 };

/* Under a sanitizer every file still has to end by itself and without a report; what it takes is not ours there. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { MEASURED = 0, SLOWER = 10 };
#else
enum { MEASURED = 1, SLOWER = 1 };
#endif

static const char *absolute(const char *path)
{
    static char found[8][4096];
    static int next;
    char *out = found[next++ % 8];
    if (!realpath(path, out)) fail_msg("%s is not there", path);
    return out;
}

static const char *program(void)
{
    char path[1024];
    const char *build = getenv("GIG_BUILD_DIR");
    snprintf(path, sizeof path, "%s/gig", build && *build ? build : "build");
    return absolute(path);
}

/* Starts gig in the temporary folder with arguments, NULL last. */
static pid_t start(const char *const *arguments)
{
    const char *gig = program();
    pid_t child = fork();
    if (child) return child;
    const struct rlimit seconds = {SLOWER * 4 * MOST_SECONDS, SLOWER * 4 * MOST_SECONDS};
    setrlimit(RLIMIT_CPU, &seconds);
    dup2(open("/dev/null", O_RDWR), STDOUT_FILENO);
    if (!getenv("GIG_SAY")) dup2(STDOUT_FILENO, STDERR_FILENO);
    if (chdir(temporary_path("."))) _exit(98);
    execv(gig, (char *const *)(uintptr_t)arguments);
    _exit(99);
}

static double seconds_used(const struct rusage *used)
{
    return (double)used->ru_utime.tv_sec + (double)used->ru_stime.tv_sec +
           ((double)used->ru_utime.tv_usec + (double)used->ru_stime.tv_usec) * 1e-6;
}

#ifdef TERMINATE
/* SIGTERM at four moments of a run that takes so many seconds: it ends with 143, or as it would have, or by the signal
 * itself before it has a handler; always within 1 s of CPU. */
static void assert_ends(const char *file, const char *const *arguments, double seconds)
{
    static int runs;
    static double slowest;
    for (int i = 0; i < 4; i++) {
        struct rusage used;
        int status;
        pid_t child = start(arguments);
        clockid_t clock;
        struct timespec before = {0};
        usleep((useconds_t)(1e6 * seconds * (i + 0.5) / 4));
        if (clock_getcpuclockid(child, &clock) == 0) clock_gettime(clock, &before);
        kill(child, SIGTERM);
        assert_int_equal(wait4(child, &status, 0, &used), child);
        double after = seconds_used(&used) - (double)before.tv_sec - 1e-9 * (double)before.tv_nsec;
        int well = WIFEXITED(status) ? WEXITSTATUS(status) <= MOST_CODE || WEXITSTATUS(status) == 128 + SIGTERM
                                     : WTERMSIG(status) == SIGTERM;
        if (!well) fail_msg("%s: SIGTERM: ended with status 0x%x", file, (unsigned)status);
        if (MEASURED && after > 1) fail_msg("%s: %.2f s of CPU after SIGTERM", file, after);
        if (after > slowest) slowest = after;
        if (++runs % 400 == 0) fprintf(stderr, "# %d runs got SIGTERM, slowest end %.2f s of CPU\n", runs, slowest);
    }
}
#endif

/* Runs gig to its end; the most memory it had, in KiB. */
static long assert_costs_time(const char *file, const char *const *arguments)
{
    struct rusage used;
    struct timespec from, to;
    int status;
    clock_gettime(CLOCK_MONOTONIC, &from);
    pid_t child = start(arguments);
    assert_int_equal(wait4(child, &status, 0, &used), child);
    clock_gettime(CLOCK_MONOTONIC, &to);
    double seconds = seconds_used(&used);
    if (!WIFEXITED(status) || WEXITSTATUS(status) > MOST_CODE)
        fail_msg("%s: ended with status 0x%x", file, (unsigned)status);
    if (MEASURED && seconds > MOST_SECONDS) fail_msg("%s: %.1f s of CPU", file, seconds);
#ifdef TERMINATE
    assert_ends(file, arguments, (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec));
#endif
    return used.ru_maxrss;
}

static void assert_costs_little(const char *file, const char *const *arguments)
{
    long most = assert_costs_time(file, arguments);
    if (MEASURED && most > 1024L * (MEMORY_MIB + MEMORY_MIB / 4 + PROGRAM_MIB))
        fail_msg("%s: %ld MiB", file, most / 1024);
}

static void write_text(const char *path, const char *text)
{
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

/* ---- models ---- */

static hostile_row rows[MAX_HOSTILE];

static void plans_every_model_within_its_limits(void **state)
{
    (void)state;
    size_t count = manifest_read(rows);
    assert_true(count >= 250);
    for (size_t i = 0; i < count; i++) {
        const char *path = absolute(hostile_path(&rows[i]));
        assert_costs_little(rows[i].file, (const char *const[]){"gig", "model", path, "--memory", "256M", NULL});
    }
}

/* With the memory that is the default, which is more than 5 s of work could fill. */
static void folds_constants_in_time_whatever_the_memory(void **state)
{
    (void)state;
    size_t count = manifest_read(rows), folding = 0;
    for (size_t i = 0; i < count; i++) {
        if (strncmp(rows[i].file, "fold_", 5) != 0) continue;
        folding++;
        assert_costs_time(rows[i].file, (const char *const[]){"gig", "model", absolute(hostile_path(&rows[i])), NULL});
    }
    assert_true(folding >= 14);
}

/* ---- other files, by the first word of their name ---- */

static char names[MAX_FILES][96];

static size_t list_files(const char *kind)
{
    size_t count = 0;
    DIR *folder = opendir(source_path("tests/hostile/files"));
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) && count < MAX_FILES;)
        if (!strncmp(entry->d_name, kind, strlen(kind))) snprintf(names[count++], sizeof names[0], "%s", entry->d_name);
    closedir(folder);
    return count;
}

static const char *file_path(const char *name)
{
    char path[160];
    snprintf(path, sizeof path, "tests/hostile/files/%s", name);
    return absolute(source_path(path));
}

static void reads_every_array_within_its_limits(void **state)
{
    (void)state;
    size_t count = list_files("array_");
    assert_true(count >= 30);
    const char *model = absolute(source_path("tests/golden/cli/small.onnx"));
    for (size_t i = 0; i < count; i++)
        assert_costs_little(names[i], (const char *const[]){"gig", "gradient", model, "--tensor", file_path(names[i]),
                                                            "--class", "1", "-o", "out.npy", "--force", NULL});
}

static void decodes_every_picture_within_its_limits(void **state)
{
    (void)state;
    size_t count = list_files("picture_");
    assert_true(count >= 25);
    const char *model = absolute(source_path("demo/model.onnx"));
    for (size_t i = 0; i < count; i++)
        assert_costs_little(names[i], (const char *const[]){"gig", "explain", model, file_path(names[i]), "-m",
                                                            "gradients", "-o", "out.png", "--force", NULL});
}

static void reads_every_description_within_its_limits(void **state)
{
    (void)state;
    size_t count = list_files("description_");
    assert_true(count >= 15);
    char model[512], beside[512];
    snprintf(model, sizeof model, "%s", temporary_path("net.onnx"));
    snprintf(beside, sizeof beside, "%s", temporary_path("net.json"));
    assert_int_equal(symlink(absolute(source_path("demo/model.onnx")), model), 0);
    const char *picture = absolute(source_path("demo/pictures/fish-6.png"));
    for (size_t i = 0; i < count; i++) {
        unlink(beside);
        assert_int_equal(symlink(file_path(names[i]), beside), 0);
        assert_costs_little(names[i], (const char *const[]){"gig", "explain", model, picture, "-m", "gradients", "-o",
                                                            "out.png", "--force", NULL});
    }
}

static void reads_every_manifest_and_list_within_its_limits(void **state)
{
    (void)state;
    size_t count = list_files("manifest_");
    assert_true(count >= 8);
    for (size_t i = 0; i < count; i++)
        assert_costs_little(names[i], (const char *const[]){"gig", "study", "run", file_path(names[i]), "--dry-run",
                                                            "--store", "none.db", NULL});
    count = list_files("list_");
    assert_true(count >= 10);
    for (size_t i = 0; i < count; i++) {
        char text[9000], path[512];
        snprintf(path, sizeof path, "%s", temporary_path("list.json"));
        snprintf(text, sizeof text,
                 "{\"models\": {\"demo\": \"%s\"}, \"pictures\": {\"p\": \"%s\"}, \"methods\": [\"ig\"],"
                 " \"metrics\": [\"auc\"]}",
                 absolute(source_path("demo/model.onnx")), file_path(names[i]));
        write_text(path, text);
        assert_costs_little(
            names[i], (const char *const[]){"gig", "study", "run", path, "--dry-run", "--store", "none.db", NULL});
    }
}

static void reads_every_store_within_its_limits(void **state)
{
    (void)state;
    size_t count = list_files("store_");
    assert_true(count >= 8);
    for (size_t i = 0; i < count; i++) {
        const char *path = file_path(names[i]);
        assert_costs_little(names[i], (const char *const[]){"gig", "study", "status", path, NULL});
        assert_costs_little(names[i], (const char *const[]){"gig", "study", "export", path, NULL});
        assert_costs_little(names[i], (const char *const[]){"gig", "study", "table", path, NULL});
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_every_model_within_its_limits),
        cmocka_unit_test(folds_constants_in_time_whatever_the_memory),
        cmocka_unit_test(reads_every_array_within_its_limits),
        cmocka_unit_test(decodes_every_picture_within_its_limits),
        cmocka_unit_test(reads_every_description_within_its_limits),
        cmocka_unit_test(reads_every_manifest_and_list_within_its_limits),
        cmocka_unit_test(reads_every_store_within_its_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
