/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a fuzz target over its committed corpus. */
#ifndef GIG_TESTS_HOSTILE_REPLAY_H
#define GIG_TESTS_HOSTILE_REPLAY_H

#include "support.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BYTES = 1 << 16 };

/* Every file of the folder, at least `least` of them; a broken promise aborts. */
static void replay(const char *folder, int (*target)(const uint8_t *, size_t), size_t least)
{
    char path[1200];
    static uint8_t bytes[MAX_BYTES];
    size_t count = 0;
    struct dirent *entry;
    DIR *listing = opendir(source_path(folder));
    assert_non_null(listing);
    while ((entry = readdir(listing))) {
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", source_path(folder), entry->d_name);
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        size_t size = fread(bytes, 1, sizeof bytes, file);
        fclose(file);
        uint8_t *exact = malloc(size ? size : 1); /* so that a read past the end is seen */
        assert_non_null(exact);
        memcpy(exact, bytes, size);
        target(exact, size);
        free(exact);
        count++;
    }
    closedir(listing);
    print_message("%s: %zu inputs\n", folder, count);
    assert_true(count >= least);
}

#endif
