/* SPDX-License-Identifier: Apache-2.0 */
/* Names of methods and metrics in the texts of the option table, from the library's rows. */
#ifndef CLI_FRAME_ROW_NAMES_H
#define CLI_FRAME_ROW_NAMES_H

#include <stddef.h>

enum { ROW_NAMES_BYTES = 2048 };

/* Copies `from` with "{methods}" and "{metrics}" replaced by all names, `separator` between them, "{auto}" by the
 * method that auto stands for and "{compared}" by the methods that compare shows by default. Returns text. */
const char *with_row_names(char *text, size_t bytes, const char *from, const char *separator);

#endif
