/* SPDX-License-Identifier: Apache-2.0 */
/* Where drawings go: one file, or files in a folder that keep their paths below the common folder of all inputs. Output
 * that cannot be written is an error before anything is computed. */
#ifndef CLI_DESTINATION_H
#define CLI_DESTINATION_H

#include "points.h"

typedef struct destination {
    const char *out; /* -o, or NULL: here */
    int in_folder;   /* -o is a folder, created when first needed */
    const char
        *ending; /* suffix of default names; each command has its own, so that they do not overwrite each other */
    const points *in;
    size_t common; /* bytes of the inputs' common folder */
    int page;      /* one HTML file holds all, arrays too */
} destination;

/* Checks that a drawing for each input can be written, and that no two have the same name. An exit code. */
int destination_open(destination *out, const char *command, const options *given, const points *in);

/* The drawing's path for input i; creates its folders if asked to. An exit code. */
int destination_path(char *path, size_t bytes, const destination *self, size_t i, int make_folders);

#endif
