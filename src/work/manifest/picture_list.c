/* SPDX-License-Identifier: Apache-2.0 */
#include "work/manifest/picture_list.h"
#include "base/csv.h"
#include "base/file.h"
#include "base/filename.h"
#include "base/memory.h"
#include "internal/image.h"
#include "internal/number.h"
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_CSV_BYTES = 256 << 20, MAX_BOXES = 10000 };

/* ---- boxes ---- */

/* The next number of the text, which ends at a blank, a semicolon or the end. */
static gig_status read_edge(int64_t *out, const char **at)
{
    char digits[24];
    *at += strspn(*at, " ");
    size_t length = strcspn(*at, " ;");
    if (!length) return gig_fail(GIG_EFORMAT, "a box is four numbers");
    if (length >= sizeof digits) return gig_fail(GIG_EFORMAT, "a box has a number of %zu characters", length);
    memcpy(digits, *at, length);
    digits[length] = '\0';
    *at += length;
    gig_status status = gig_parse_int(out, digits, INT32_MIN, INT32_MAX);
    return status == GIG_EARG ? GIG_EFORMAT : status;
}

static gig_status read_box(gig_box *out, const char **at)
{
    int64_t *edges[] = {&out->xmin, &out->ymin, &out->xmax, &out->ymax};
    for (int i = 0; i < 4; i++) GIG_TRY(read_edge(edges[i], at));
    *at += strspn(*at, " ");
    if (**at && **at != ';') return gig_fail(GIG_EFORMAT, "a box is four numbers");
    if (out->xmin > out->xmax || out->ymin > out->ymax)
        return gig_fail(GIG_EFORMAT, "box %lld %lld %lld %lld is empty", (long long)out->xmin, (long long)out->ymin,
                        (long long)out->xmax, (long long)out->ymax);
    return GIG_OK;
}

gig_status gig_boxes_parse(gig_box **out, size_t *count, const char *text)
{
    size_t most = 1;
    *out = NULL;
    *count = 0;
    text += strspn(text, " ");
    if (!*text) return GIG_OK;
    for (const char *c = text; *c; c++) most += *c == ';';
    if (most > MAX_BOXES) return gig_fail(GIG_ELIMIT, "%zu boxes exceed %d", most, MAX_BOXES);
    gig_box *boxes = gig_alloc(most, sizeof *boxes);
    if (!boxes) return gig_alloc_status();
    for (;; text++) {
        gig_status status = read_box(&boxes[(*count)++], &text);
        if (status != GIG_OK) {
            gig_free(boxes);
            *count = 0;
            return status;
        }
        if (!*text) break;
    }
    *out = boxes;
    return GIG_OK;
}

/* ---- CSV ---- */

typedef struct columns {
    size_t file, label, boxes, mask; /* the number of columns if there is none */
} columns;

static gig_status find_columns(columns *out, const gig_csv *csv)
{
    const char *const labels[] = {"label", "class", "imagenet_class_index"};
    out->file = gig_csv_column(csv, "file");
    out->boxes = gig_csv_column(csv, "boxes");
    out->mask = gig_csv_column(csv, "mask");
    out->label = csv->columns;
    for (size_t i = 0; i < 3 && out->label == csv->columns; i++) out->label = gig_csv_column(csv, labels[i]);
    if (out->file == csv->columns) return gig_fail(GIG_EFORMAT, "missing column \"file\"");
    return GIG_OK;
}

/* "" for a column that is not there. */
static const char *field(const gig_csv *csv, size_t row, size_t column)
{
    return column < csv->columns ? gig_csv_field(csv, row, column) : "";
}

static gig_status read_subject(gig_study_picture *out, const char *path, const gig_csv *csv, const columns *at,
                               size_t row)
{
    const char *name = field(csv, row, at->file), *label = field(csv, row, at->label);
    const char *mask = field(csv, row, at->mask);
    out->label = -1;
    if (!*name) return gig_fail(GIG_EFORMAT, "the file name is empty");
    out->name = gig_strdup(name);
    out->file = out->name ? gig_filename_beside(path, name) : NULL;
    if (!out->file) return gig_alloc_status();
    if (*mask && !(out->mask = gig_filename_beside(path, mask))) return gig_alloc_status();
    if (*label && gig_parse_int(&out->label, label, 0, INT32_MAX) != GIG_OK)
        return gig_fail(GIG_EFORMAT, "label \"%s\" is not a class index", label);
    return gig_boxes_parse(&out->boxes, &out->box_count, field(csv, row, at->boxes));
}

static gig_status read_rows(gig_picture_list *out, const char *path, const gig_csv *csv)
{
    columns at;
    GIG_TRY(find_columns(&at, csv));
    if (!csv->rows) return gig_fail(GIG_EFORMAT, "no pictures in the list");
    out->all = gig_alloc_zero(csv->rows, sizeof *out->all);
    if (!out->all) return gig_alloc_status();
    for (size_t row = 0; row < csv->rows; row++) {
        out->count++;
        gig_status status = read_subject(&out->all[row], path, csv, &at, row);
        if (status != GIG_OK) return gig_fail_in(status, "line %zu", csv->lines[1 + row]);
    }
    return GIG_OK;
}

static gig_status read_csv(gig_picture_list *out, const char *path)
{
    uint8_t *bytes;
    size_t count;
    gig_csv csv = {0};
    GIG_TRY(gig_file_read(&bytes, &count, path, MAX_CSV_BYTES));
    gig_status status = gig_csv_parse(&csv, (const char *)bytes, count);
    if (status == GIG_OK) status = read_rows(out, path, &csv);
    gig_csv_clear(&csv);
    gig_free(bytes);
    return status == GIG_OK ? GIG_OK : gig_fail_in(status, "%s", path);
}

/* ---- folders ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(((const gig_study_picture *)a)->name, ((const gig_study_picture *)b)->name);
}

static gig_status read_entries(gig_picture_list *out, const char *path, DIR *folder)
{
    size_t capacity = 0;
    for (const struct dirent *entry; (entry = readdir(folder));) {
        if (!gig_image_has_ending(entry->d_name)) continue;
        void *all = out->all;
        gig_status status = gig_grow(&all, &capacity, out->count + 1, sizeof *out->all);
        out->all = all;
        if (status != GIG_OK) return status;
        gig_study_picture *subject = &out->all[out->count++];
        *subject = (gig_study_picture){.name = gig_strdup(entry->d_name), .label = -1};
        subject->file = subject->name ? gig_filename_inside(path, entry->d_name) : NULL;
        if (!subject->file) return gig_alloc_status();
    }
    return GIG_OK;
}

static gig_status read_folder(gig_picture_list *out, const char *path)
{
    DIR *folder = opendir(path);
    if (!folder) return gig_fail(GIG_EIO, "%s: the folder cannot be read", path);
    gig_status status = read_entries(out, path, folder);
    closedir(folder);
    if (status == GIG_OK && !out->count) return gig_fail(GIG_EFORMAT, "%s: no pictures in the folder", path);
    if (out->count) qsort(out->all, out->count, sizeof *out->all, by_name);
    return status;
}

gig_status gig_picture_list_read(gig_picture_list *out, const char *path)
{
    struct stat about;
    *out = (gig_picture_list){0};
    if (stat(path, &about) != 0) return gig_fail(GIG_EIO, "%s: no such file or folder", path);
    gig_status status = S_ISDIR(about.st_mode) ? read_folder(out, path) : read_csv(out, path);
    if (status != GIG_OK) gig_picture_list_clear(out);
    return status;
}

void gig_picture_list_clear(gig_picture_list *subjects)
{
    for (size_t i = 0; i < subjects->count; i++) {
        gig_study_picture *subject = &subjects->all[i];
        gig_free(subject->name);
        gig_free(subject->file);
        gig_free(subject->mask);
        gig_free(subject->boxes);
    }
    gig_free(subjects->all);
    *subjects = (gig_picture_list){0};
}
