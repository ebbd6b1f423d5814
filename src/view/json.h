/* SPDX-License-Identifier: Apache-2.0 */
/* JSON inside an HTML file: a growing text. An error is kept until gig_json_take returns it. */
#ifndef GIG_VIEW_JSON_H
#define GIG_VIEW_JSON_H

#include "base/status.h"
#include <stddef.h>
#include <stdint.h>

typedef struct gig_json {
    char *bytes;
    size_t used, capacity;
    gig_status status;
} gig_json;

void gig_json_add(gig_json *out, const char *text); /* as it is */
void gig_json_add_bytes(gig_json *out, const void *bytes, size_t count);
/* A quoted string, made valid UTF-8 and safe inside HTML. NULL gives null. */
void gig_json_add_text(gig_json *out, const char *text);
/* Shortest form that keeps `digits` digits; null if it is not finite. */
void gig_json_add_number(gig_json *out, double value, int digits);
void gig_json_add_count(gig_json *out, size_t value);
void gig_json_add_numbers(gig_json *out, const double *values, size_t count, int digits); /* [1,2,...] */

/* Appends ,"key": (without the comma for the first key of an object). */
void gig_json_key(gig_json *out, const char *key);

/* {"type":"u8","data":"..."}: round(255 x) of values in [0,1] (clamped). */
void gig_json_add_u8(gig_json *out, const float *values, size_t count);
void gig_json_add_rgb(gig_json *out, const uint32_t *pixels, size_t count); /* of 0x00RRGGBB */
/* {"type":"i16","scale":s,"data":"..."}: integers k with k x s nearest to the values; s = max |value| / 32767. */
void gig_json_add_i16(gig_json *out, const float *values, size_t count);
/* The same with 8 bits, for frames of a path. */
void gig_json_add_i8(gig_json *out, const float *values, size_t count);

/* The text, NUL at its end: free with gig_free. On failure it is freed. */
gig_status gig_json_take(char **out, size_t *bytes, gig_json *from);

#endif
