/* SPDX-License-Identifier: Apache-2.0 */
/* The .npy header: a strict reader of the one dictionary NumPy writes, and its writer. */
#include "base/npy.h"
#include "base/size.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char magic[] = "\x93NUMPY";

static gig_status broken(const char *what)
{
    return gig_fail(GIG_EFORMAT, "npy header: %s", what);
}

static void skip_blanks(gig_reader *text)
{
    while (text->left && (*text->at == ' ' || *text->at == '\n' || *text->at == '\t')) gig_reader_take(text, 1);
}

/* Takes `c`, after optional blanks; returns 0 if something else follows. */
static int take_char(gig_reader *text, char c)
{
    skip_blanks(text);
    if (!text->left || *text->at != (uint8_t)c) return 0;
    gig_reader_take(text, 1);
    return 1;
}

static int take_word(gig_reader *text, const char *word)
{
    size_t length = strlen(word);
    skip_blanks(text);
    if (text->left < length || memcmp(text->at, word, length) != 0) return 0;
    gig_reader_take(text, length);
    return 1;
}

/* A quoted string without escapes, at most bytes-1 long. */
static int take_string(gig_reader *text, char *out, size_t bytes)
{
    skip_blanks(text);
    if (!text->left || (*text->at != '\'' && *text->at != '"')) return 0;
    uint8_t quote = *text->at;
    gig_reader_take(text, 1);
    size_t length = 0;
    while (text->left && *text->at != quote) {
        if (length + 1 >= bytes || *text->at == '\\') return 0;
        out[length++] = (char)*text->at;
        gig_reader_take(text, 1);
    }
    out[length] = 0;
    return take_char(text, (char)quote);
}

static gig_status read_shape(gig_npy_header *out, gig_reader *text)
{
    if (!take_char(text, '(')) return broken("the shape is not a tuple");
    out->rank = 0;
    while (!take_char(text, ')')) {
        int64_t value = 0;
        size_t digits = 0;
        for (skip_blanks(text); text->left && *text->at >= '0' && *text->at <= '9'; digits++) {
            int digit = *text->at - '0';
            if (value > (INT64_MAX - digit) / 10) return gig_fail(GIG_ELIMIT, "npy header: a dimension is too large");
            value = value * 10 + digit;
            gig_reader_take(text, 1);
        }
        if (digits == 0) return broken("a dimension is not a number");
        if (text->left && *text->at == 'L') gig_reader_take(text, 1); /* as Python 2 wrote them */
        if (out->rank == GIG_MAX_RANK) return gig_fail(GIG_ELIMIT, "npy header: more than %d dimensions", GIG_MAX_RANK);
        out->dims[out->rank++] = value;
        if (take_char(text, ',')) continue;
        if (!take_char(text, ')')) return broken("the shape does not end");
        break;
    }
    return GIG_OK;
}

/* "<f4": byte order, kind, bytes per element. */
static gig_status read_type(gig_npy_header *out, gig_reader *text)
{
    char descr[16];
    skip_blanks(text);
    if (text->left && *text->at == '[')
        return gig_fail(GIG_EUNSUPPORTED, "npy header: records are not supported, only plain arrays");
    if (!take_string(text, descr, sizeof descr)) return broken("the element type is not a short string");
    char order = descr[0], kind = order ? descr[1] : 0, size = kind ? descr[2] : 0;
    if (!strchr("<>=|", order) || !size || descr[3])
        return gig_fail(GIG_EUNSUPPORTED, "npy header: element type '%s' is not supported", descr);
    int item = size - '0';
    int known = (kind == 'f' && (item == 2 || item == 4 || item == 8)) || (kind == 'b' && item == 1) ||
                ((kind == 'i' || kind == 'u') && (item == 1 || item == 2 || item == 4 || item == 8));
    if (!known || (order == '|' && item != 1))
        return gig_fail(GIG_EUNSUPPORTED, "npy header: element type '%s' is not supported", descr);
    out->kind = kind;
    out->item = item;
    out->big_endian = order == '>';
    return GIG_OK;
}

static gig_status read_entries(gig_npy_header *out, gig_reader *text)
{
    enum { TYPE = 1, ORDER = 2, SHAPE = 4 };
    int seen = 0;
    if (!take_char(text, '{')) return broken("not a dictionary");
    while (!take_char(text, '}')) {
        char key[16];
        if (!take_string(text, key, sizeof key) || !take_char(text, ':')) return broken("a key is not a short string");
        int which = !strcmp(key, "descr")           ? TYPE
                    : !strcmp(key, "fortran_order") ? ORDER
                    : !strcmp(key, "shape")         ? SHAPE
                                                    : 0;
        if (!which || (seen & which)) return gig_fail(GIG_EFORMAT, "npy header: unexpected key '%s'", key);
        seen |= which;
        if (which == TYPE) GIG_TRY(read_type(out, text));
        if (which == SHAPE) GIG_TRY(read_shape(out, text));
        if (which == ORDER) {
            out->fortran = take_word(text, "True");
            if (!out->fortran && !take_word(text, "False")) return broken("fortran_order must be True or False");
        }
        if (take_char(text, ',')) continue;
        if (!take_char(text, '}')) return broken("the dictionary does not end");
        break;
    }
    skip_blanks(text);
    if (text->left) return broken("text follows the dictionary");
    if (seen != (TYPE | ORDER | SHAPE)) return broken("descr, fortran_order or shape is missing");
    return GIG_OK;
}

gig_status gig_npy_read_header(gig_npy_header *out, gig_reader *reader)
{
    *out = (gig_npy_header){0};
    const uint8_t *start = gig_reader_take(reader, 8);
    if (!start || memcmp(start, magic, 6) != 0) return gig_fail(GIG_EFORMAT, "not an npy file");
    int major = start[6];
    if (major < 1 || major > 3) return gig_fail(GIG_EUNSUPPORTED, "npy version %d is not supported", major);
    const uint8_t *size = gig_reader_take(reader, major == 1 ? 2 : 4);
    if (!size) return broken("cut short");
    size_t length = size[0] | (size_t)size[1] << 8;
    if (major > 1) length |= (size_t)size[2] << 16 | (size_t)size[3] << 24;
    const uint8_t *header = gig_reader_take(reader, length);
    if (!header) return broken("cut short");
    gig_reader text = {header, length};
    return read_entries(out, &text);
}

size_t gig_npy_write_header(uint8_t out[GIG_NPY_HEADER_BYTES], const gig_tensor *tensor)
{
    enum { START = 10 }; /* magic, version, length */
    char *text = (char *)out + START;
    size_t room = GIG_NPY_HEADER_BYTES - START, used = 0;
    used += (size_t)snprintf(text, room, "{'descr': '%s', 'fortran_order': False, 'shape': (",
                             tensor->type == GIG_FLOAT32 ? "<f4" : "<i8");
    for (int i = 0; i < tensor->rank; i++)
        used += (size_t)snprintf(text + used, room - used, i ? ", %" PRId64 : "%" PRId64, tensor->dims[i]);
    used += (size_t)snprintf(text + used, room - used, tensor->rank == 1 ? ",), }" : "), }");
    size_t whole = (START + used + 1 + 63) / 64 * 64, length = whole - START;
    memset(text + used, ' ', length - used - 1);
    text[length - 1] = '\n';
    memcpy(out, magic, 6);
    out[6] = 1;
    out[7] = 0;
    out[8] = (uint8_t)(length & 255);
    out[9] = (uint8_t)(length >> 8);
    return whole;
}
