/* SPDX-License-Identifier: Apache-2.0 */
/* tests/hostile/manifest: one file per line and the status it must end in. */
#ifndef GIG_TESTS_MANIFEST_H
#define GIG_TESTS_MANIFEST_H

#include "support.h"

enum { MAX_HOSTILE = 512 };

typedef struct hostile_row {
    char file[96];
    char stage[16]; /* load: rejected by the loader; network: by gig_network_create; run: by the first evaluation */
    char status[32];
} hostile_row;

/* Fills `rows` (MAX_HOSTILE of them) and returns how many there are, 0 if the manifest cannot be read. */
static inline size_t manifest_read(hostile_row *rows)
{
    FILE *file = fopen(source_path("tests/hostile/manifest"), "r");
    size_t count = 0;
    if (!file) return 0;
    while (count < MAX_HOSTILE &&
           fscanf(file, "%95s %15[^:]:%31s", rows[count].file, rows[count].stage, rows[count].status) == 3)
        count++;
    fclose(file);
    return count;
}

static inline const char *hostile_path(const hostile_row *row)
{
    char name[160];
    snprintf(name, sizeof name, "tests/hostile/%s", row->file);
    return source_path(name);
}

#endif
