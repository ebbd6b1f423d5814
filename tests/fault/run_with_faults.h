/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of the program under fault.c: a temporary folder with inputs and outputs, and the program run there. */
#ifndef GIG_TESTS_RUN_WITH_FAULTS_H
#define GIG_TESTS_RUN_WITH_FAULTS_H

#include "program.h"

#include "fault/fault.h"
#include <sys/mman.h>

static char place[400];      /* holds in/ and out/ */
static fault_counts *counts; /* of the program that ran last */

/* The path of a name there; the same pointer for the same name. */
static const char *in_place(const char *name)
{
    static char paths[16][600];
    size_t length = strlen(place), i = 0;
    for (; i < 16 && paths[i][0]; i++)
        if (!strcmp(paths[i] + length + 1, name)) return paths[i];
    assert_true(i < 16);
    snprintf(paths[i], sizeof paths[i], "%s/%s", place, name);
    return paths[i];
}

static void shell(const char *command)
{
    char whole[2048];
    snprintf(whole, sizeof whole, "cd '%s' && %s", place, command);
    if (system(whole) != 0) fail_msg("%s fails", whole);
}

/* The demo's model and two of its pictures in in/, so that reading them can fail too. Nonzero: it cannot be tested. */
static int make_place(void **state)
{
    char command[10000];
    (void)state;
    snprintf(place, sizeof place, "%s", temporary_path("place"));
    if (mkdir(place, 0777) != 0) return -1;
    snprintf(command, sizeof command,
             "mkdir in in/pictures in/masks out && cd in && cp %s/model.onnx %s/model.json %s/labels.txt . && for n in "
             "apple-0 bird-1; do cp %s/pictures/$n.png pictures; cp %s/masks/$n.png masks; done && head -n 3 "
             "%s/pictures.csv >pictures.csv",
             demo_folder(), demo_folder(), demo_folder(), demo_folder(), demo_folder(), demo_folder());
    shell(command);
    int file = open(in_place("counts"), O_RDWR | O_CREAT, 0666);
    if (file < 0 || ftruncate(file, sizeof *counts) != 0) return -1;
    void *mapped = mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (mapped == MAP_FAILED) return -1;
    counts = mapped;
    return 0;
}

static int has_sanitizer(void) /* whose library must be loaded first */
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return 1;
#else
    return 0;
#endif
}

#define need_preload()                                                                                                 \
    do {                                                                                                               \
        if (has_sanitizer()) skip_because("a sanitizer does not stand another library before it");                     \
    } while (0)

static void set_fault(const char *name, const char *value)
{
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

/* Runs the program with faults: call number `at` of the kind fails (at 0: none), and with `forever` those after it.
 * Gives its exit code. */
static int run_with_fault(const char *const *arguments, int kind, unsigned at, int forever, const char *log)
{
    char number[16], shim[1200];
    const char *build = getenv("GIG_BUILD_DIR");
    snprintf(number, sizeof number, "%u", at);
    snprintf(shim, sizeof shim, "%s/tests/fault/libfault.so", build && *build ? build : "build");
    atomic_store(&counts->seen, 0);
    atomic_store(&counts->fired, 0);
    set_fault(FAULT_FOLDER, place);
    set_fault(FAULT_SHARED, in_place("counts"));
    set_fault(FAULT_CALL, at ? fault_names[kind] : NULL);
    set_fault(FAULT_AT, number);
    set_fault(FAULT_FOREVER, forever ? "1" : NULL);
    set_fault(FAULT_LOG, log);
    set_fault("LD_PRELOAD", shim);
    pid_t process = program_start(arguments);
    set_fault("LD_PRELOAD", NULL);
    return program_end(process);
}

#endif
