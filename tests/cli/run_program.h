/* SPDX-License-Identifier: Apache-2.0 */
/* For tests that run the program as a user does, and read what it printed. */
#ifndef GIG_TESTS_RUN_PROGRAM_H
#define GIG_TESTS_RUN_PROGRAM_H

#include "base/file.h"
#include "base/memory.h"
#include "support.h"
#include <limits.h>
#include <sys/wait.h>

static inline const char *program(void)
{
    static char path[1024];
    const char *build = getenv("GIG_BUILD_DIR");
    snprintf(path, sizeof path, "%s/gig", build && *build ? build : "build");
    return path;
}

/* Runs gig in the folder of the golden files, its output in two temporary files; the exit code. */
static inline int run(const char *format, ...) __attribute__((format(printf, 1, 2)));
static inline int run(const char *format, ...)
{
    char arguments[2048], command[8192], build[PATH_MAX];
    va_list list;
    va_start(list, format);
    vsnprintf(arguments, sizeof arguments, format, list);
    va_end(list);
    assert_non_null(realpath(program(), build));
    snprintf(command, sizeof command, "cd %s && %s %s >%s 2>%s", source_path("tests/golden/cli"), build, arguments,
             temporary_path("stdout"), temporary_path("stderr"));
    int status = system(command);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static inline char *content(const char *name)
{
    uint8_t *text;
    size_t bytes;
    assert_ok(gig_file_read(&text, &bytes, temporary_path(name), 1 << 20));
    return (char *)text;
}

static inline void expect_run(int code, const char *stream, const char *part, int got)
{
    char *text = content(stream);
    if (got != code || !strstr(text, part)) fail_msg("exit code %d, %s:\n%s", got, stream, text);
    gig_free(text);
}

#endif
