/* SPDX-License-Identifier: Apache-2.0 */
/* What commands print: names that files brought in, numbers, JSON. */
#ifndef CLI_FRAME_PRINTING_H
#define CLI_FRAME_PRINTING_H

#include "frame/options.h"
#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Where text goes: standard output, or standard error where a file of the command's goes there. */
FILE *output_text(const options *given);

/* `name` with control characters as '?', so that a hostile file cannot drive the terminal; returns text. */
const char *output_name(char *text, size_t bytes, const char *name);

/* "13.8 kFLOP", "50.2 MB": three digits and a power of 1000; returns text. */
const char *output_scaled(char *text, size_t bytes, double value, const char *unit);

/* "[n,3,224,224]": `first` stands before the dims unless it is empty; returns text. */
const char *output_dims(char *text, size_t bytes, int rank, const int64_t *dims, const char *first);

/* A score in four decimals; one too small for them in three digits, one too large in six. Returns text. */
const char *output_score(char text[32], double value);

/* The name as a JSON string; bytes that are not UTF-8 become '?'. */
json_t *json_name(const char *name);

/* A number, or null where it is a NaN or infinite. */
json_t *json_number(double value);

/* Prints the object, indented, and frees it. An exit code. */
int json_print(json_t *root);

#endif
