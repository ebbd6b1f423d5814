/* SPDX-License-Identifier: Apache-2.0 */
#include "base/csv.h"
#include "base/memory.h"
#include "base/utf8.h"
#include <string.h>

/* Fields are unquoted in place: the write position never passes the read position. */
typedef struct parser {
    const char *at, *end;
    char *to; /* where the next character of the field goes */
    size_t line;
    size_t fields, field_capacity, records, line_capacity;
    gig_csv *csv;
} parser;

static int at_line_end(const parser *p)
{
    return p->at == p->end || *p->at == '\n' || (*p->at == '\r' && p->at + 1 < p->end && p->at[1] == '\n');
}

static void skip_line_end(parser *p)
{
    if (p->at < p->end && *p->at == '\r') p->at++;
    if (p->at < p->end) p->at++;
    p->line++;
}

static gig_status read_quoted(parser *p)
{
    size_t opened = p->line;
    p->at++;
    for (;; p->at++) {
        if (p->at == p->end) return gig_fail(GIG_EFORMAT, "line %zu: a quote is not closed", opened);
        if (*p->at == '"') {
            if (p->at + 1 == p->end || p->at[1] != '"') break;
            p->at++;
        }
        p->line += *p->at == '\n';
        *p->to++ = *p->at;
    }
    p->at++;
    if (!at_line_end(p) && *p->at != ',') return gig_fail(GIG_EFORMAT, "line %zu: text after a closing quote", p->line);
    return GIG_OK;
}

static gig_status read_plain(parser *p)
{
    for (; !at_line_end(p) && *p->at != ','; p->at++) {
        if (*p->at == '"') return gig_fail(GIG_EFORMAT, "line %zu: a quote inside a field without quotes", p->line);
        if (*p->at == '\r') return gig_fail(GIG_EFORMAT, "line %zu: a carriage return inside a line", p->line);
        *p->to++ = *p->at;
    }
    return GIG_OK;
}

/* One field and the comma after it, if any; *last: the record has ended. */
static gig_status read_field(parser *p, int *last)
{
    void *fields = p->csv->fields;
    gig_status status = gig_grow(&fields, &p->field_capacity, p->fields + 1, sizeof *p->csv->fields);
    p->csv->fields = fields;
    if (status != GIG_OK) return status;
    p->csv->fields[p->fields++] = p->to;
    GIG_TRY(p->at < p->end && *p->at == '"' ? read_quoted(p) : read_plain(p));
    *last = at_line_end(p);
    if (*last)
        skip_line_end(p);
    else
        p->at++;
    *p->to++ = '\0'; /* replaces the comma, the line end, or the byte after the text */
    return GIG_OK;
}

static gig_status read_record(parser *p)
{
    void *lines = p->csv->lines;
    gig_status status = gig_grow(&lines, &p->line_capacity, p->records + 1, sizeof *p->csv->lines);
    p->csv->lines = lines;
    if (status != GIG_OK) return status;
    size_t line = p->csv->lines[p->records++] = p->line, before = p->fields;
    for (int last = 0; !last;) GIG_TRY(read_field(p, &last));
    size_t count = p->fields - before;
    if (p->records == 1) p->csv->columns = count;
    if (count != p->csv->columns)
        return gig_fail(GIG_EFORMAT, "line %zu: %zu field%s, but the header has %zu", line, count,
                        count == 1 ? "" : "s", p->csv->columns);
    return GIG_OK;
}

static gig_status check_header(const gig_csv *csv)
{
    for (size_t i = 0; i < csv->columns; i++)
        for (size_t k = 0; k < i; k++)
            if (!strcmp(csv->fields[i], csv->fields[k]))
                return gig_fail(GIG_EFORMAT, "line %zu: two columns are named \"%s\"", csv->lines[0], csv->fields[i]);
    return GIG_OK;
}

static gig_status parse(parser *p)
{
    p->at += gig_utf8_mark(p->at, (size_t)(p->end - p->at));
    while (p->at < p->end) {
        if (at_line_end(p)) {
            skip_line_end(p);
            continue;
        }
        GIG_TRY(read_record(p));
        if (p->records == 1) GIG_TRY(check_header(p->csv));
    }
    if (!p->records) return gig_fail(GIG_EFORMAT, "no header");
    p->csv->rows = p->records - 1;
    return GIG_OK;
}

gig_status gig_csv_parse(gig_csv *out, const char *bytes, size_t count)
{
    *out = (gig_csv){0};
    const char *nul = memchr(bytes, '\0', count);
    if (nul) return gig_fail(GIG_EFORMAT, "byte %zu is NUL: this is not text", (size_t)(nul - bytes));
    out->text = gig_alloc(count + 1, 1);
    if (!out->text) return gig_alloc_status();
    memcpy(out->text, bytes, count);
    parser p = {.at = out->text, .end = out->text + count, .to = out->text, .line = 1, .csv = out};
    gig_status status = parse(&p);
    if (status != GIG_OK) gig_csv_clear(out);
    return status;
}

void gig_csv_clear(gig_csv *csv)
{
    gig_free(csv->fields);
    gig_free(csv->lines);
    gig_free(csv->text);
    *csv = (gig_csv){0};
}

size_t gig_csv_column(const gig_csv *csv, const char *name)
{
    size_t column = 0;
    while (column < csv->columns && strcmp(csv->fields[column], name)) column++;
    return column;
}
