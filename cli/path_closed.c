/* SPDX-License-Identifier: Apache-2.0 */
#include "path_closed.h"
#include "frame/errors.h"
#include "internal/file.h"
#include "internal/view.h"
#include <stdlib.h>
#include <string.h>

static const char *const side_names[CLOSED_SIDES] = {"A to B", "B to C", "C to A"};

static double *map_of(const path_closed *self, int method, int map)
{
    return self->maps + (size_t)(method * CLOSED_MAPS + map) * self->features;
}

/* Of way or values: the points of one side. */
static double *side_of(const path_closed *self, double *field, int method, int side)
{
    return field + (size_t)(method * CLOSED_SIDES + side) * self->points;
}

gig_status path_closed_create(path_closed *self)
{
    const size_t curves = CLOSED_METHODS * CLOSED_SIDES * self->points;
    self->way = malloc(curves * sizeof *self->way);
    self->values = malloc(curves * sizeof *self->values);
    self->maps = calloc(CLOSED_METHODS * CLOSED_MAPS * self->features, sizeof *self->maps);
    return self->way && self->values && self->maps ? GIG_OK : GIG_ENOMEM;
}

void path_closed_take(path_closed *self, int method, int side, const path_trace *walked)
{
    const double *map = walked->snapshot_maps[SNAPSHOTS - 1]; /* at alpha 1: all of it */
    double *all = map_of(self, method, CLOSED_SIDES), squares = 0;
    for (size_t s = 0; s < self->points; s++) {
        side_of(self, self->way, method, side)[s] = side + walked->steps[s].alpha;
        side_of(self, self->values, method, side)[s] = walked->steps[s].value;
    }
    memcpy(map_of(self, method, side), map, self->features * sizeof *map);
    for (size_t i = 0; i < self->features; i++) {
        all[i] += map[i];
        squares += all[i] * all[i];
    }
    if (side == CLOSED_SIDES - 1) self->mean_square[method] = squares / (double)self->features;
}

/* ---- the page ---- */

static gig_status add_corners(gig_sheet *sheet, const path_closed *self)
{
    static const char *const names[CLOSED_SIDES] = {"A", "B", "C"};
    gig_status status = GIG_OK;
    for (int i = 0; i < CLOSED_SIDES && status == GIG_OK; i++) {
        gig_caption caption = {.title = names[i]};
        status = gig_sheet_add_picture(sheet, &caption, self->corners[i], self->shape.height, self->shape.width);
    }
    return status;
}

static gig_status add_score(gig_sheet *sheet, const path_closed *self)
{
    static const double corners[] = {1, 2};
    gig_series series[CLOSED_METHODS];
    for (int m = 0; m < CLOSED_METHODS; m++)
        series[m] = (gig_series){.name = self->names[m],
                                 .count = CLOSED_SIDES * self->points,
                                 .x = side_of(self, self->way, m, 0),
                                 .y = side_of(self, self->values, m, 0)};
    gig_caption caption = {.title = "score from A (0) to B (1), C (2) and back to A (3)", .span = 2};
    gig_plot plot = {.x_label = "way",
                     .y_label = self->scalar,
                     .x_high = CLOSED_SIDES,
                     .y_high = self->is_share,
                     .series_count = CLOSED_METHODS,
                     .series = series,
                     .mark_count = sizeof corners / sizeof *corners,
                     .marks = corners,
                     .aspect = 0.5};
    return gig_sheet_add_plot(sheet, &caption, &plot);
}

/* The three sides and their sum side by side as one picture, so that one scale of colours holds for all four. */
static gig_status add_maps(gig_sheet *sheet, const path_closed *self, int method)
{
    const size_t row = self->shape.width * self->shape.channels, rows = self->shape.height;
    float *wide = malloc(rows * CLOSED_MAPS * row * sizeof *wide);
    if (!wide) return GIG_ENOMEM;
    for (int m = 0; m < CLOSED_MAPS; m++)
        for (size_t y = 0; y < rows; y++)
            for (size_t i = 0; i < row; i++)
                wide[(y * CLOSED_MAPS + (size_t)m) * row + i] = (float)map_of(self, method, m)[y * row + i];
    char heading[GIG_METHOD_NAME_BYTES + 120];
    snprintf(heading, sizeof heading, "%s: attributed from A to B, from B to C, from C to A, and their sum",
             self->names[method]);
    char note[80];
    snprintf(note, sizeof note, "mean square of the sum: %.3e (0 would be right)", self->mean_square[method]);
    gig_caption caption = {.title = self->names[method], .note = note, .span = CLOSED_MAPS};
    gig_status status = gig_sheet_add_heading(sheet, heading);
    if (status == GIG_OK)
        status =
            gig_sheet_add_map(sheet, &caption, wide, rows, CLOSED_MAPS * self->shape.width, self->shape.channels, NULL);
    free(wide);
    return status;
}

gig_status path_closed_draw(const path_closed *self, const char *path, int force)
{
    const int pictures = self->shape.height != 0;
    gig_sheet_options wanted = {
        .title = self->title, .footer = self->footer, .columns = pictures ? 5 : 2, .panel_width = 208};
    gig_sheet *sheet = NULL;
    gig_status status = gig_sheet_create(&sheet, &wanted);
    if (status == GIG_OK && pictures) status = add_corners(sheet, self);
    if (status == GIG_OK) status = add_score(sheet, self);
    for (int m = 0; m < CLOSED_METHODS && status == GIG_OK && pictures; m++) status = add_maps(sheet, self, m);
    if (status == GIG_OK) status = gig_sheet_write(sheet, path, force);
    gig_sheet_free(sheet);
    return status;
}

/* ---- numbers ---- */

int path_closed_write_csv(const path_closed *self, const char *path, int force)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&text, &bytes);
    if (!file) return no_memory();
    fputs("method,side,step,alpha,score\n", file);
    for (int m = 0; m < CLOSED_METHODS; m++)
        for (int side = 0; side < CLOSED_SIDES; side++)
            for (size_t s = 0; s < self->points; s++)
                fprintf(file, "%s,%s,%zu,%.9g,%.9g\n", self->names[m], side_names[side], s,
                        side_of(self, self->way, m, side)[s] - side, side_of(self, self->values, m, side)[s]);
    int failed = fclose(file) != 0;
    int code = failed ? no_memory() : report(gig_file_write(path, text, bytes, force));
    free(text);
    return code;
}

void path_closed_print(FILE *to, const path_closed *self)
{
    fprintf(to, "%-10s %-8s %-12s %s\n", "method", "side", "sum", "should be");
    for (int m = 0; m < CLOSED_METHODS; m++) {
        for (int map = 0; map < CLOSED_MAPS; map++) {
            double sum = 0, difference = 0;
            for (size_t i = 0; i < self->features; i++) sum += map_of(self, m, map)[i];
            if (map < CLOSED_SIDES) {
                const double *values = side_of(self, self->values, m, map);
                difference = values[self->points - 1] - values[0];
            }
            fprintf(to, "%-10s %-8s %-12.6f %.6f\n", self->names[m], map < CLOSED_SIDES ? side_names[map] : "all", sum,
                    difference);
        }
        fprintf(to, "%-10s mean square of what is left per feature: %.4e\n", self->names[m], self->mean_square[m]);
    }
}

void path_closed_clear(path_closed *self)
{
    free(self->way);
    free(self->values);
    free(self->maps);
    *self = (path_closed){0};
}
