/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by all test programs: cmocka's includes in the right order, comparison of arrays, statuses, temporary files,
 * data, skipping.
 */
#ifndef SUPPORT_H
#define SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above */
#include <cmocka.h>

#include "gig/status.h"
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUPPORT_UNUSED __attribute__((unused))

/* --- statuses ----------------------------------------------------------------------------------------------- */

#define assert_ok(call)             support_expect((call), GIG_OK, #call, __FILE__, __LINE__)
#define assert_status(call, wanted) support_expect((call), (wanted), #call, __FILE__, __LINE__)

SUPPORT_UNUSED static void support_expect(gig_status got, gig_status wanted, const char *call, const char *file,
                                          int line)
{
    if (got == wanted) return;
    print_error("%s\n    gave %s (%s), not %s\n", call, gig_status_name(got), got == GIG_OK ? "" : gig_message(),
                gig_status_name(wanted));
    _fail(file, line);
}

/* The message of the last failure contains this. */
#define assert_message(part) support_message((part), __FILE__, __LINE__)

SUPPORT_UNUSED static void support_message(const char *part, const char *file, int line)
{
    if (strstr(gig_message(), part)) return;
    print_error("the message is \"%s\": \"%s\" is not in it\n", gig_message(), part);
    _fail(file, line);
}

/* --- arrays ------------------------------------------------------------------------------------------------- */

/* |got - wanted| <= absolute + relative * |wanted| for every element; a failure prints the worst one and the relative
 * L2 residual. NaN is close to nothing. */
#define assert_close(got, wanted, count, relative, absolute)                                                           \
    support_close((got), (wanted), (count), (support_bound){(relative), (absolute)}, #got, __FILE__, __LINE__)

SUPPORT_UNUSED static double support_cosine(const float *a, const float *b, size_t count)
{
    double ab = 0, aa = 0, bb = 0;
    for (size_t i = 0; i < count; i++) {
        ab += (double)a[i] * (double)b[i];
        aa += (double)a[i] * (double)a[i];
        bb += (double)b[i] * (double)b[i];
    }
    return ab / sqrt(aa * bb);
}

SUPPORT_UNUSED static double support_l2(const float *got, const float *wanted, size_t count)
{
    double difference = 0, size = 0;
    for (size_t i = 0; i < count; i++) {
        difference += ((double)got[i] - (double)wanted[i]) * ((double)got[i] - (double)wanted[i]);
        size += (double)wanted[i] * (double)wanted[i];
    }
    return size > 0 ? sqrt(difference / size) : sqrt(difference);
}

/* |got - wanted| <= absolute + relative |wanted|. */
typedef struct support_bound {
    double relative, absolute;
} support_bound;

SUPPORT_UNUSED static void support_close(const float *got, const float *wanted, size_t count, support_bound by,
                                         const char *what, const char *file, int line)
{
    size_t worst = count, far = 0;
    double most = 1; /* excess is 1 at the bound */
    for (size_t i = 0; i < count; i++) {
        double bound = by.absolute + by.relative * fabs((double)wanted[i]),
               gap = fabs((double)got[i] - (double)wanted[i]);
        if (gap <= bound) continue;
        double excess = isnan(gap) ? HUGE_VAL : bound > 0 ? gap / bound : HUGE_VAL;
        if (worst == count || excess > most) {
            worst = i;
            most = excess;
        }
        far++;
    }
    if (!far) return;
    print_error("%s: %zu of %zu are too far; worst [%zu] = %.9g, not %.9g (%.3g times the bound); relative L2 %.3g\n",
                what, far, count, worst, (double)got[worst], (double)wanted[worst], most,
                support_l2(got, wanted, count));
    _fail(file, line);
}

/* ||got - wanted|| <= bound * ||wanted||. */
#define assert_l2(got, wanted, count, bound)                                                                           \
    support_assert_l2((got), (wanted), (count), (bound), #got, __FILE__, __LINE__)

SUPPORT_UNUSED static void support_assert_l2(const float *got, const float *wanted, size_t count, double bound,
                                             const char *what, const char *file, int line)
{
    double residual = support_l2(got, wanted, count);
    if (residual <= bound) return;
    print_error("%s: relative L2 is %.3g, at most %.3g allowed\n", what, residual, bound);
    _fail(file, line);
}

/* --- files -------------------------------------------------------------------------------------------------- */

static char support_folder[256];

SUPPORT_UNUSED static void support_remove_folder(void)
{
    char command[512];
    snprintf(command, sizeof command, "rm -rf '%s'", support_folder);
    if (system(command) != 0) fprintf(stderr, "# cannot remove %s\n", support_folder);
}

/* A path in a folder of this program's own, removed at its end. Four calls share four buffers in turn. */
SUPPORT_UNUSED static const char *temporary_path(const char *name)
{
    static char paths[4][512];
    static int next;
    if (!support_folder[0]) {
        const char *base = getenv("TMPDIR");
        snprintf(support_folder, sizeof support_folder, "%s/gig-test-XXXXXX", base && *base ? base : "/tmp");
        if (!mkdtemp(support_folder)) fail_msg("cannot create %s", support_folder);
        atexit(support_remove_folder);
    }
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", support_folder, name);
    return path;
}

/* A temporary file with this content. */
SUPPORT_UNUSED static const char *temporary_file(const char *name, const void *content, size_t bytes)
{
    const char *path = temporary_path(name);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(content, 1, bytes, file) != bytes || fclose(file) != 0) fail_msg("cannot write %s", path);
    return path;
}

/* Resident memory of a process, in KiB; 0 for a process that is gone. */
SUPPORT_UNUSED static long resident_kib(int process)
{
    char path[64], line[256];
    long found = 0;
    snprintf(path, sizeof path, "/proc/%d/status", process);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "VmRSS: %ld", &found) == 1) break;
    if (file) fclose(file);
    return found;
}

/* A path below the source's root: source_path("tests/golden/base/f2.npy"). Four buffers in turn. */
SUPPORT_UNUSED static const char *source_path(const char *name)
{
    static char paths[4][1024];
    static int next;
    const char *root = getenv("GIG_SOURCE");
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", root && *root ? root : ".", name);
    return path;
}

/* --- locale ------------------------------------------------------------------------------------------------- */

/* Makes a locale with a decimal comma by localedef, in the temporary folder, and enters it; 0 if that cannot be done.
 * Leave it with setlocale(LC_NUMERIC, "C"). */
SUPPORT_UNUSED static int enter_comma_locale(void)
{
    static const char definition[] =
        "LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \".\"\ngrouping 3;3\nEND LC_NUMERIC\n";
    const char *source = temporary_file("comma", definition, sizeof definition - 1);
    char command[2048], folder[512];
    snprintf(folder, sizeof folder, "%s", temporary_path("locales"));
    snprintf(command, sizeof command,
             "mkdir -p %s && localedef -c --no-archive -i %s %s/xx_COMMA >%s/log 2>&1; :", folder, source, folder,
             folder);
    if (system(command) != 0) return 0;
    setenv("LOCPATH", folder, 1);
    return setlocale(LC_NUMERIC, "xx_COMMA") != NULL || setlocale(LC_NUMERIC, "de_DE.UTF-8") != NULL;
}

/* --- skipping ----------------------------------------------------------------------------------------------- */

/* Ends the case as skipped, and prints why. */
#define skip_because(...)                                                                                              \
    do {                                                                                                               \
        fprintf(stderr, "# skipped %s: ", __func__);                                                                   \
        fprintf(stderr, __VA_ARGS__);                                                                                  \
        fputc('\n', stderr);                                                                                           \
        skip();                                                                                                        \
    } while (0)

/* A path below the data folder (GIG_DATA, else ../shared/data beside the source); NULL if it is not there. */
SUPPORT_UNUSED static const char *find_data(const char *name)
{
    static char paths[4][1024];
    static int next;
    const char *folder = getenv("GIG_DATA");
    char *path = paths[next++ % 4];
    if (folder && *folder)
        snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    else
        snprintf(path, sizeof paths[0], "%s/%s", source_path("../shared/data"), name);
    struct stat about;
    return stat(path, &about) == 0 ? path : NULL;
}

/* Sets `path`, or skips the case where the data are absent. */
#define need_data(path, name)                                                                                          \
    do {                                                                                                               \
        path = find_data(name);                                                                                        \
        if (!path) skip_because("needs %s (set GIG_DATA to the data folder)", name);                                   \
    } while (0)

#endif
