/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "internal/number.h"
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int make_room(gig_text *text, size_t more)
{
    void *bytes = text->text;
    if (text->status == GIG_OK) text->status = gig_grow(&bytes, &text->capacity, text->bytes + more + 1, 1);
    text->text = bytes;
    return text->status == GIG_OK;
}

void gig_text_add(gig_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int needed = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (needed < 0 || !make_room(text, (size_t)needed)) return;
    va_start(arguments, format);
    vsnprintf(text->text + text->bytes, (size_t)needed + 1, format, arguments);
    va_end(arguments);
    text->bytes += (size_t)needed;
}

void gig_text_add_number(gig_text *text, double number, int digits, const char *none)
{
    char buffer[64];
    if (isfinite(number))
        gig_text_add(text, "%s", gig_format_double(buffer, sizeof buffer, digits, number));
    else
        gig_text_add(text, "%s", none);
}

void gig_text_add_csv(gig_text *text, const char *field)
{
    if (!field[strcspn(field, ",\"\r\n")]) {
        gig_text_add(text, "%s", field);
        return;
    }
    gig_text_add(text, "\"");
    for (const char *c = field; *c; c++) gig_text_add(text, *c == '"' ? "\"\"" : "%c", *c);
    gig_text_add(text, "\"");
}

void gig_text_add_json(gig_text *text, const char *string)
{
    gig_text_add(text, "\"");
    for (const char *c = string; *c;) {
        size_t bytes = gig_utf8_length(c, SIZE_MAX);
        unsigned char byte = (unsigned char)*c;
        if (byte == '"' || byte == '\\')
            gig_text_add(text, "\\%c", byte);
        else if (byte < 0x20)
            gig_text_add(text, "\\u%04x", byte);
        else
            gig_text_add(text, "%.*s", bytes ? (int)bytes : 1, bytes ? c : "?");
        c += bytes ? bytes : 1;
    }
    gig_text_add(text, "\"");
}

void gig_text_clean(char *text)
{
    for (char *c = text; *c;) {
        size_t bytes = gig_utf8_length(c, SIZE_MAX);
        if (!bytes || (unsigned char)*c < 0x20 || *c == 0x7f) *c = '?';
        c += bytes ? bytes : 1;
    }
}

gig_status gig_text_take(char **out, gig_text *text)
{
    gig_text_add(text, "%s", "");
    *out = NULL;
    if (text->status == GIG_OK)
        *out = text->text;
    else
        gig_free(text->text);
    gig_status status = text->status;
    *text = (gig_text){0};
    return status;
}
