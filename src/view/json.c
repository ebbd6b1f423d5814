/* SPDX-License-Identifier: Apache-2.0 */
#include "view/json.h"
#include "base/memory.h"
#include "internal/number.h"
#include "view/text_layout.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

void gig_json_add_bytes(gig_json *out, const void *bytes, size_t count)
{
    size_t needed;
    if (out->status != GIG_OK || count == 0) return;
    if (__builtin_add_overflow(out->used, count + 1, &needed)) {
        out->status = gig_fail(GIG_ELIMIT, "the HTML file is too large");
        return;
    }
    out->status = gig_grow((void **)&out->bytes, &out->capacity, needed, 1);
    if (out->status != GIG_OK) return;
    memcpy(out->bytes + out->used, bytes, count);
    out->used += count;
    out->bytes[out->used] = 0;
}

void gig_json_add(gig_json *out, const char *text)
{
    gig_json_add_bytes(out, text, strlen(text));
}

/* U+2028 and U+2029 are fine in JSON; <, > and & are written as escapes, so that no tag or comment can begin. */
void gig_json_add_text(gig_json *out, const char *text)
{
    char *clean;
    if (out->status != GIG_OK) return;
    if (!text) {
        gig_json_add(out, "null");
        return;
    }
    out->status = gig_text_copy(&clean, text);
    if (out->status != GIG_OK) return;
    gig_json_add(out, "\"");
    for (const char *at = clean; *at;) {
        size_t plain = strcspn(at, "\"\\<>&");
        gig_json_add_bytes(out, at, plain);
        at += plain;
        if (*at) {
            char escape[8];
            snprintf(escape, sizeof escape, "\\u%04x", (unsigned)(unsigned char)*at++);
            gig_json_add(out, escape);
        }
    }
    gig_json_add(out, "\"");
    gig_free(clean);
}

void gig_json_add_number(gig_json *out, double value, int digits)
{
    char text[32];
    gig_json_add(out, isfinite(value) ? gig_format_double(text, sizeof text, digits, value) : "null");
}

void gig_json_add_count(gig_json *out, size_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%zu", value);
    gig_json_add(out, text);
}

void gig_json_add_numbers(gig_json *out, const double *values, size_t count, int digits)
{
    gig_json_add(out, "[");
    for (size_t i = 0; i < count; i++) {
        if (i) gig_json_add(out, ",");
        gig_json_add_number(out, values[i], digits);
    }
    gig_json_add(out, "]");
}

void gig_json_key(gig_json *out, const char *key)
{
    char last = out->used ? out->bytes[out->used - 1] : '{';
    if (last != '{' && last != '[') gig_json_add(out, ",");
    gig_json_add(out, "\"");
    gig_json_add(out, key);
    gig_json_add(out, "\":");
}

/* ---- arrays ---- */

/* Bytes go through groups of three, which become four characters. */
typedef struct base64 {
    gig_json *out;
    unsigned group;
    int held;
    size_t used;
    char text[4096];
} base64;

static void base64_put(base64 *self, unsigned byte)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    self->group = self->group << 8 | (byte & 0xff);
    if (++self->held < 3) return;
    for (int shift = 18; shift >= 0; shift -= 6) self->text[self->used++] = letters[self->group >> shift & 63];
    self->group = 0;
    self->held = 0;
    if (self->used == sizeof self->text) {
        gig_json_add_bytes(self->out, self->text, self->used);
        self->used = 0;
    }
}

static void base64_end(base64 *self)
{
    int missing = self->held ? 3 - self->held : 0;
    for (int i = 0; i < missing; i++) base64_put(self, 0);
    if (missing && self->used == 0) { /* the group was written out already */
        for (int i = 0; i < missing && self->out->used; i++) self->out->bytes[self->out->used - 1 - (size_t)i] = '=';
    } else {
        for (int i = 0; i < missing; i++) self->text[self->used - 1 - (size_t)i] = '=';
    }
    gig_json_add_bytes(self->out, self->text, self->used);
}

static void begin_data(base64 *into, gig_json *out, const char *type, double scale)
{
    *into = (base64){.out = out};
    gig_json_add(out, "{\"type\":\"");
    gig_json_add(out, type);
    if (scale != 0) {
        gig_json_add(out, "\",\"scale\":");
        gig_json_add_number(out, scale, 17);
        gig_json_add(out, ",\"data\":\"");
    } else {
        gig_json_add(out, "\",\"data\":\"");
    }
}

static void end_data(base64 *into)
{
    base64_end(into);
    gig_json_add(into->out, "\"}");
}

void gig_json_add_u8(gig_json *out, const float *values, size_t count)
{
    base64 into;
    begin_data(&into, out, "u8", 0);
    for (size_t i = 0; i < count && out->status == GIG_OK; i++) {
        float v = values[i] > 0 ? (values[i] < 1 ? values[i] : 1) : 0;
        base64_put(&into, (unsigned)lrintf(255 * v));
    }
    end_data(&into);
}

void gig_json_add_rgb(gig_json *out, const uint32_t *pixels, size_t count)
{
    base64 into;
    begin_data(&into, out, "u8", 0);
    for (size_t i = 0; i < count && out->status == GIG_OK; i++)
        for (int shift = 16; shift >= 0; shift -= 8) base64_put(&into, pixels[i] >> shift);
    end_data(&into);
}

static double scale_for(const float *values, size_t count, double most)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++) largest = fmax(largest, fabs((double)values[i]));
    return largest > 0 ? largest / most : 1;
}

void gig_json_add_i16(gig_json *out, const float *values, size_t count)
{
    base64 into;
    double scale = scale_for(values, count, INT16_MAX);
    begin_data(&into, out, "i16", scale);
    for (size_t i = 0; i < count && out->status == GIG_OK; i++) {
        unsigned k = (unsigned)lrint((double)values[i] / scale);
        base64_put(&into, k);
        base64_put(&into, k >> 8);
    }
    end_data(&into);
}

void gig_json_add_i8(gig_json *out, const float *values, size_t count)
{
    base64 into;
    double scale = scale_for(values, count, INT8_MAX);
    begin_data(&into, out, "i8", scale);
    for (size_t i = 0; i < count && out->status == GIG_OK; i++)
        base64_put(&into, (unsigned)lrint((double)values[i] / scale));
    end_data(&into);
}

gig_status gig_json_take(char **out, size_t *bytes, gig_json *from)
{
    *out = NULL;
    if (from->status != GIG_OK) {
        gig_free(from->bytes);
        return from->status;
    }
    *out = from->bytes;
    if (bytes) *bytes = from->used;
    return GIG_OK;
}
