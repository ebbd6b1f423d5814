/* SPDX-License-Identifier: Apache-2.0 */
/* The interface between tests and fault.c. */
#ifndef GIG_TESTS_FAULT_H
#define GIG_TESTS_FAULT_H

#include <stdatomic.h>
#include <stdint.h>

/* The environment of the program under test. */
#define FAULT_FOLDER  "GIG_FAULT_FOLDER"  /* files below it are watched */
#define FAULT_CALL    "GIG_FAULT_CALL"    /* one of fault_names */
#define FAULT_AT      "GIG_FAULT_AT"      /* the number of the call that fails, from 1 */
#define FAULT_FOREVER "GIG_FAULT_FOREVER" /* and all after it, when set */
#define FAULT_SHARED  "GIG_FAULT_SHARED"  /* a file that holds fault_counts */
#define FAULT_LOG     "GIG_FAULT_LOG"     /* a file that gets a fault_record for every change */

typedef enum fault_kind { FAULT_OPEN, FAULT_WRITE, FAULT_FSYNC, FAULT_RENAME, FAULT_CLOSE, FAULT_KINDS } fault_kind;
static const char *const fault_names[FAULT_KINDS] = {"open", "write", "fsync", "rename", "close"};

typedef struct fault_counts {
    atomic_uint seen, fired; /* calls of the kind; those that failed */
} fault_counts;

typedef enum fault_change {
    FAULT_MADE,    /* opened with creation */
    FAULT_WRITTEN, /* count bytes at offset, which follow */
    FAULT_CUT,     /* to offset bytes */
    FAULT_SYNCED,
    FAULT_RENAMED, /* to the other path */
    FAULT_REMOVED
} fault_change;

/* Followed by the path and the other path, relative to the folder, each with its NUL, the bytes written,
 * and zeros up to a multiple of 8. */
typedef struct fault_record {
    uint32_t change, path, other, unused; /* a fault_change; bytes of the two paths */
    uint64_t offset, count;
} fault_record;

#endif
