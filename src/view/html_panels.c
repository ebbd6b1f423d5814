/* SPDX-License-Identifier: Apache-2.0 */
/* Panels of HTML files: paths and tables, which they alone show, and arrays. */
#include "base/memory.h"
#include "base/size.h"
#include "view/html.h"
#include "view/paint.h"
#include <math.h>

static gig_status finish(gig_panel *panel, const gig_caption *caption, gig_json *from)
{
    panel->kind = GIG_PANEL_HTML;
    GIG_TRY(gig_json_take(&panel->html, NULL, from));
    return gig_panel_caption(panel, caption);
}

static gig_status check_finite(const float *values, size_t count, const char *what)
{
    for (size_t i = 0; values && i < count; i++)
        if (!isfinite(values[i])) return gig_fail(GIG_ENUMERIC, "%s is not finite at value %zu", what, i);
    return GIG_OK;
}

/* ---- paths ---- */

static void add_field(gig_json *out, const char *key, const gig_path_frame *frames, size_t count, int alpha)
{
    gig_json_key(out, key);
    gig_json_add(out, "[");
    for (size_t i = 0; i < count; i++) {
        if (i) gig_json_add(out, ",");
        gig_json_add_number(out, alpha ? frames[i].alpha : frames[i].value, 6);
    }
    gig_json_add(out, "]");
}

/* Frames of a film have at most this many pixels per side, and maps have 8 bits. */
enum { FRAME_SIDE = 128 };

typedef struct frame_size {
    size_t height, width, channels; /* as given */
    size_t block;                   /* pixels per side that are averaged into one */
    size_t rows, columns;           /* as written */
    float *room;                    /* [rows, columns, 3] */
} frame_size;

/* Means over blocks into size->room: of each of 3 channels, or (`sums`) of the sum over all. */
static void shrink(const frame_size *size, const float *from, size_t channels, int sums)
{
    size_t kept = sums ? 1 : channels;
    for (size_t r = 0; r < size->rows; r++)
        for (size_t c = 0; c < size->columns; c++) {
            double total[3] = {0};
            size_t count = 0;
            for (size_t y = r * size->block; y < (r + 1) * size->block && y < size->height; y++)
                for (size_t x = c * size->block; x < (c + 1) * size->block && x < size->width; x++, count++)
                    for (size_t k = 0; k < channels; k++)
                        total[sums ? 0 : k] += (double)from[(y * size->width + x) * channels + k];
            for (size_t k = 0; k < kept; k++)
                size->room[(r * size->columns + c) * kept + k] = (float)(total[k] / (double)(count ? count : 1));
        }
}

static gig_status add_frame(gig_json *out, const gig_path_frame *frame, const frame_size *size)
{
    size_t pixels = size->height * size->width, written = size->rows * size->columns;
    GIG_TRY(check_finite(frame->pixels, 3 * pixels, "a picture on the path"));
    GIG_TRY(check_finite(frame->map, size->channels * pixels, "a map on the path"));
    gig_json_add(out, out->status == GIG_OK && out->bytes[out->used - 1] == '[' ? "{" : ",{");
    gig_json_key(out, "alpha");
    gig_json_add_number(out, frame->alpha, 6);
    gig_json_key(out, "value");
    gig_json_add_number(out, frame->value, 6);
    gig_json_key(out, "pixels");
    shrink(size, frame->pixels, 3, 0);
    gig_json_add_u8(out, size->room, 3 * written);
    if (frame->map) {
        shrink(size, frame->map, size->channels, 1);
        gig_json_key(out, "map");
        gig_json_add_i8(out, size->room, written);
    }
    gig_json_add(out, "}");
    return GIG_OK;
}

static gig_status size_frames(frame_size *out, const gig_path_frames *path)
{
    const size_t height = path->height, width = path->width, channels = path->channels;
    size_t pixels, side = height > width ? height : width;
    GIG_TRY(gig_picture_check(&pixels, NULL, height, width, channels > 3 ? channels : 3));
    *out = (frame_size){.height = height, .width = width, .channels = channels, .block = 1};
    if (side > FRAME_SIDE) out->block = (side + FRAME_SIDE - 1) / FRAME_SIDE;
    out->rows = (height + out->block - 1) / out->block;
    out->columns = (width + out->block - 1) / out->block;
    out->room = gig_alloc(3 * out->rows * out->columns, sizeof *out->room);
    return out->room ? GIG_OK : gig_alloc_status();
}

gig_status gig_html_path(gig_panel *panel, const gig_caption *caption, const gig_path_frames *path)
{
    gig_json out = {0};
    frame_size size;
    gig_status status = GIG_OK;
    GIG_TRY(size_frames(&size, path));
    gig_json_add(&out, "\"kind\":\"path\"");
    gig_json_key(&out, "y_label");
    gig_json_add_text(&out, path->score ? path->score : "score");
    gig_json_key(&out, "height");
    gig_json_add_count(&out, size.rows);
    gig_json_key(&out, "width");
    gig_json_add_count(&out, size.columns);
    add_field(&out, "alpha", path->frames, path->count, 1);
    add_field(&out, "value", path->frames, path->count, 0);
    gig_json_key(&out, "frames");
    gig_json_add(&out, "[");
    for (size_t i = 0; i < path->count && status == GIG_OK; i++)
        if (path->frames[i].pixels) status = add_frame(&out, &path->frames[i], &size);
    gig_json_add(&out, "]");
    gig_free(size.room);
    if (out.status == GIG_OK) out.status = status;
    return finish(panel, caption, &out);
}

/* ---- arrays ---- */

/* In the order [channels, positions] or [channels, depth, height, width], whatever the model's own is. */
static gig_status add_ordered(gig_json *out, const char *key, const float *from, const gig_array_layout *is)
{
    size_t count = is->channels * is->depth * is->height * is->width, k = 0;
    float *ordered = gig_alloc(count, sizeof *ordered);
    if (!ordered) return gig_alloc_status();
    for (size_t c = 0; c < is->channels; c++)
        for (size_t z = 0; z < is->depth; z++)
            for (size_t y = 0; y < is->height; y++)
                for (size_t x = 0; x < is->width; x++)
                    ordered[k++] =
                        from[c * is->strides[0] + z * is->strides[1] + y * is->strides[2] + x * is->strides[3]];
    gig_json_key(out, key);
    gig_json_add_i16(out, ordered, count);
    gig_free(ordered);
    return GIG_OK;
}

static void add_dims(gig_json *out, const gig_array_layout *is)
{
    const size_t dims[4] = {is->channels, is->depth, is->height, is->width}, positions[2] = {is->width, is->channels};
    int by_position = is->kind == GIG_ARRAY_TOKENS || is->kind == GIG_ARRAY_TABLE,
        slices = is->kind == GIG_ARRAY_SLICES;
    gig_json_key(out, "dims");
    gig_json_add(out, "[");
    for (int i = 0; i < (slices ? 4 : 2); i++) {
        if (i) gig_json_add(out, ",");
        gig_json_add_count(out, by_position ? positions[i] : dims[slices ? i : 3 * i]);
    }
    gig_json_add(out, "]");
}

gig_status gig_html_array(gig_panel *panel, const gig_caption *caption, const gig_array *array,
                          const gig_array_layout *layout)
{
    gig_json out = {0};
    gig_array_layout is = *layout;
    size_t count = is.channels * is.depth * is.height * is.width;
    GIG_TRY(check_finite(array->values, count, "the input"));
    GIG_TRY(check_finite(array->map, count, "the map"));
    gig_json_add(&out, "\"kind\":\"array\"");
    gig_json_key(&out, "shown");
    gig_json_add_text(&out, gig_array_kind_name(is.kind));
    add_dims(&out, &is);
    if (is.kind == GIG_ARRAY_TOKENS || is.kind == GIG_ARRAY_TABLE) { /* [positions, values of one], as it is */
        is.width = count;
        is.strides[3] = is.channels = 1;
    }
    gig_status status = add_ordered(&out, "values", array->values, &is);
    if (status == GIG_OK) status = add_ordered(&out, "map", array->map, &is);
    if (out.status == GIG_OK) out.status = status;
    if (array->labels) {
        gig_json_key(&out, "labels");
        gig_json_add(&out, "[");
        for (size_t i = 0; i < array->label_count; i++) {
            if (i) gig_json_add(&out, ",");
            gig_json_add_text(&out, array->labels[i] ? array->labels[i] : "");
        }
        gig_json_add(&out, "]");
    }
    return finish(panel, caption, &out);
}

/* ---- tables ---- */

gig_status gig_html_table(gig_panel *panel, const gig_caption *caption, size_t rows, size_t columns,
                          const char *const *names, const char *const *cells, const double *numbers)
{
    gig_json out = {0};
    if (columns == 0) return gig_fail(GIG_EARG, "a table needs at least one column");
    gig_json_add(&out, "\"kind\":\"table\"");
    gig_json_key(&out, "columns");
    gig_json_add(&out, "[");
    for (size_t c = 0; c < columns; c++) {
        if (c) gig_json_add(&out, ",");
        gig_json_add_text(&out, names[c] ? names[c] : "");
    }
    gig_json_add(&out, "]");
    gig_json_key(&out, "rows");
    gig_json_add(&out, "[");
    for (size_t r = 0; r < rows && out.status == GIG_OK; r++) {
        gig_json_add(&out, r ? ",[" : "[");
        for (size_t c = 0; c < columns; c++) {
            const char *cell = cells ? cells[r * columns + c] : NULL;
            if (c) gig_json_add(&out, ",");
            if (cell || !numbers)
                gig_json_add_text(&out, cell);
            else
                gig_json_add_number(&out, numbers[r * columns + c], 9);
        }
        gig_json_add(&out, "]");
    }
    gig_json_add(&out, "]");
    return finish(panel, caption, &out);
}
