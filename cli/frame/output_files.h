/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are going to be written: refused, in one line, before anything is computed where they could not be. Exit
 * codes. */
#ifndef CLI_FRAME_OUTPUT_FILES_H
#define CLI_FRAME_OUTPUT_FILES_H

#include "frame/options.h"
#include <stddef.h>

enum { PATH_BYTES = 4200 };

/* Both of the below; NULL, devices and pipes are fine. */
int file_refuse(const char *path, int force);

/* One that exists, unless forced to overwrite it, and a folder. */
int file_refuse_existing(const char *path, int force);

/* Can it be read more than once? What is not there can: whoever reads it will say so. */
int file_is_regular(const char *path);

/* Is this one of the names of standard output? NULL is not. */
int file_is_stdout(const char *path);

/* An output of a command: the flag that named it, and its path; NULL: not asked for. */
typedef struct output_file {
    const char *flag, *path;
} output_file;

/* One that the command reads, by whatever path: with --force too. */
int file_refuse_inputs(const char *command, const options *given);

/* Two that are one file, by whatever path: the later would overwrite the earlier, or follow it on standard output.
 * Other devices take any number. */
int file_refuse_twice(const char *command, size_t count, const output_file *outputs);

#endif
