/* SPDX-License-Identifier: Apache-2.0 */
#include "view/text_layout.h"
#include "base/memory.h"
#include "base/utf8.h"
#include <stdint.h>
#include <string.h>

/* Bytes of the character that starts here, or 0; the NUL at the end is not a continuation byte, so it is never passed.
 */
static size_t character(const unsigned char *at)
{
    return gig_utf8_length(at, 4);
}

/* U+0000..1F, U+7F, and U+80..9F. */
static int is_control(const unsigned char *at, size_t bytes)
{
    return (bytes == 1 && (at[0] < 0x20 || at[0] == 0x7f)) || (bytes == 2 && at[0] == 0xc2 && at[1] < 0xa0);
}

gig_status gig_text_copy(char **out, const char *text)
{
    static const char unknown[] = "\xef\xbf\xbd", ellipsis[] = "\xe2\x80\xa6";
    *out = NULL;
    if (!text) return GIG_OK;
    size_t length = strnlen(text, GIG_TEXT_BYTES), used = 0;
    char *copy = gig_alloc(3 * length + 4, 1);
    if (!copy) return gig_alloc_status();
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        size_t bytes = character(at);
        const char *put = bytes == 0 ? unknown : is_control(at, bytes) ? " " : (const char *)at;
        size_t put_bytes = bytes == 0 ? 3 : is_control(at, bytes) ? 1 : bytes;
        if (used + put_bytes > GIG_TEXT_BYTES - 3 || (size_t)(at - (const unsigned char *)text) >= length) {
            put = ellipsis;
            put_bytes = 3;
        }
        memcpy(copy + used, put, put_bytes);
        used += put_bytes;
        if (put == ellipsis) break;
        at += bytes ? bytes : 1;
    }
    copy[used] = 0;
    *out = copy;
    return GIG_OK;
}

void gig_text_begin(cairo_t *on)
{
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_set_font_options(on, options);
    cairo_font_options_destroy(options);
}

static void apply(cairo_t *on, const gig_text_style *style)
{
    cairo_select_font_face(on, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                           style->bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(on, style->size);
    cairo_set_source_rgb(on, style->grey, style->grey, style->grey);
}

double gig_text_leading(const gig_text_style *style)
{
    return 1.3 * style->size;
}

double gig_text_width(cairo_t *on, const gig_text_style *style, const char *text)
{
    cairo_text_extents_t extents;
    apply(on, style);
    cairo_text_extents(on, text, &extents);
    return extents.x_advance;
}

void gig_text_line(cairo_t *on, double x, double y, double align, const gig_text_style *style, const char *text)
{
    double shift = align > 0 ? align * gig_text_width(on, style, text) : 0;
    apply(on, style);
    cairo_move_to(on, x - shift, y);
    cairo_show_text(on, text);
}

/* The longest start of `text` that fits, cut at a blank, else after / + or , else anywhere (one
 * character at least). */
static size_t fitting(cairo_t *on, double width, const gig_text_style *style, const char *text)
{
    char line[3 * GIG_TEXT_BYTES + 4];
    size_t at = 0, blank = 0, mark = 0, last = 0;
    if (gig_text_width(on, style, text) <= width) return strlen(text);
    while (text[at]) {
        size_t bytes = character((const unsigned char *)text + at);
        if (!bytes || at + bytes >= sizeof line) break;
        memcpy(line + at, text + at, bytes);
        line[at + bytes] = 0;
        if (text[at] == ' ') {
            blank = at;
        } else if (at && gig_text_width(on, style, line) > width) {
            return blank ? blank : mark ? mark : last;
        }
        at += bytes;
        last = at;
        if (strchr("/+,", text[at - 1])) mark = at;
    }
    return at;
}

double gig_text_block(cairo_t *on, double x, double y, double width, const gig_text_style *style, const char *text,
                      int draw)
{
    double height = 0, leading = gig_text_leading(style);
    if (!text) return 0;
    while (*text) {
        char line[3 * GIG_TEXT_BYTES + 4];
        size_t bytes = fitting(on, width, style, text);
        if (bytes == 0 || bytes >= sizeof line) break;
        memcpy(line, text, bytes);
        line[bytes] = 0;
        if (draw) gig_text_line(on, x, y + height + style->size, 0, style, line);
        height += leading;
        text += bytes;
        while (*text == ' ') text++;
    }
    return height;
}
