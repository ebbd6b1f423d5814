/* SPDX-License-Identifier: Apache-2.0 */
/* Signals at random moments of a run with one thread: the program never dies of them, says that it was interrupted,
 * ends within one second of CPU, and leaves files whole or not at all. GIG_SIGNALS is how many [500]. */
#include "support.h"

#include "base/memory.h"
#include "base/rng.h"
#include "gig/tensor.h"
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIGNALS = 500, LATEST_MICROSECONDS = 1500000 };

/* CPU seconds of a running process, 0 if it is gone. */
static double seconds_of(pid_t process)
{
    char path[64];
    unsigned long user = 0, system = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    int found = fscanf(file, "%*d %*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system);
    fclose(file);
    return found == 2 ? (double)(user + system) / (double)sysconf(_SC_CLK_TCK) : 0;
}

static pid_t start_program(const char *picture, const char *array)
{
    pid_t child = fork();
    if (child != 0) return child;
    char model[1024], from[1024], built[1024];
    const char *build = getenv("GIG_BUILD_DIR");
    snprintf(built, sizeof built, "%s/gig", build ? build : "build");
    snprintf(model, sizeof model, "%s", source_path("demo/model.onnx"));
    snprintf(from, sizeof from, "%s", source_path("demo/pictures/apple-0.png"));
    dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
    dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
    execl(built, "gig", "explain", model, from, "--method", "gig:20", "--steps", "400", "-j", "1", "--force", "-o",
          picture, "--npy", array, (char *)NULL);
    _exit(99);
}

static size_t files_in(const char *folder)
{
    DIR *list = opendir(folder);
    assert_non_null(list);
    size_t count = 0;
    while (readdir(list)) count++;
    closedir(list);
    return count - 2;
}

static void ends_well_after_signals_at_random_moments(void **state)
{
    (void)state;
    const char *wanted = getenv("GIG_SIGNALS");
    int count = wanted ? atoi(wanted) : SIGNALS, interrupted = 0;
    char folder[512], picture[600], array[600];
    double slowest = 0;
    snprintf(folder, sizeof folder, "%s", temporary_path("signals"));
    snprintf(picture, sizeof picture, "%s/map.png", folder);
    snprintf(array, sizeof array, "%s/map.npy", folder);
    assert_int_equal(mkdir(folder, 0700), 0);
    for (int i = 0; i < count; i++) {
        struct rusage used;
        int status, number = i % 2 ? SIGTERM : SIGINT;
        pid_t child = start_program(picture, array);
        usleep((useconds_t)(gig_rng_uniform((gig_rng){17, 1}, (uint64_t)i) * LATEST_MICROSECONDS));
        double before = seconds_of(child);
        kill(child, number);
        assert_int_equal(wait4(child, &status, 0, &used), child);
        double after = (double)used.ru_utime.tv_sec + (double)used.ru_stime.tv_sec +
                       ((double)used.ru_utime.tv_usec + (double)used.ru_stime.tv_usec) * 1e-6;
        /* before the program has installed its handlers the signal has its usual effect */
        int early = WIFSIGNALED(status) && WTERMSIG(status) == number && after < 0.2;
        if (!early && !(WIFEXITED(status) && (WEXITSTATUS(status) == 128 + number || WEXITSTATUS(status) == 0)))
            fail_msg("signal %d of run %d: ended with status 0x%x", number, i, (unsigned)status);
        if (after - before > slowest) slowest = after - before;
        if (after - before > 1.02) fail_msg("run %d: %.2f s of CPU after the signal", i, after - before);
        interrupted += WIFEXITED(status) && WEXITSTATUS(status) != 0;
        size_t whole = 0;
        gig_tensor map;
        if (access(array, F_OK) == 0) {
            assert_ok(gig_npy_read(&map, array));
            gig_tensor_clear(&map);
            whole++;
        }
        whole += access(picture, F_OK) == 0;
        assert_int_equal(files_in(folder), whole);
        unlink(array);
        unlink(picture);
    }
    fprintf(stderr, "# %d signals, %d interrupted, slowest end %.2f s of CPU\n", count, interrupted, slowest);
    assert_true(interrupted > count / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_well_after_signals_at_random_moments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
