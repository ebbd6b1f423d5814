/* SPDX-License-Identifier: Apache-2.0 */
#include "path_figure.h"
#include "frame/errors.h"
#include "internal/file.h"
#include "internal/image.h"
#include "internal/view.h"
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double similar_alphas[] = {0.1, 0.5, 0.9}; /* figure 5 */
enum { SIMILAR = 3, FILM_FRAMES = 50 };

/* The field at `offset` of all points, as an array for plotting; the caller frees. */
static double *field_of(const path_trace *of, size_t offset)
{
    double *values = malloc((of->count + 1) * sizeof *values);
    for (size_t i = 0; values && i <= of->count; i++)
        values[i] = *(const double *)(const void *)((const char *)&of->steps[i] + offset);
    return values;
}

/* ---- plots ---- */

typedef struct pair {
    double *x[2], *y[2];
    gig_series series[2];
    size_t count;
} pair;

static void pair_add(pair *out, const char *name, const path_trace *of, double *y)
{
    size_t i = out->count++;
    out->x[i] = field_of(of, offsetof(path_trace_step, alpha));
    out->y[i] = y;
    size_t points = out->x[i] && y ? of->count + 1 : 0;
    out->series[i] = (gig_series){.name = name, .count = points, .x = out->x[i], .y = y, .colour = i + 1};
}

static void pair_clear(pair *made)
{
    for (size_t i = 0; i < made->count; i++) {
        free(made->x[i]);
        free(made->y[i]);
    }
}

/* `wanted` has labels, range and marks. */
static gig_status plot_pair(gig_sheet *sheet, const char *title, const pair *lines, gig_plot wanted)
{
    gig_caption caption = {.title = title};
    wanted.x_label = "alpha";
    wanted.x_high = 1;
    wanted.series_count = lines->count;
    wanted.series = lines->series;
    wanted.zero_line = wanted.y_low == wanted.y_high;
    return gig_sheet_add_plot(sheet, &caption, &wanted);
}

/* "gig:20" of its whole name, which the page's foot has. */
static const char *guided_key(char key[GIG_METHOD_NAME_BYTES], const path_figure *self)
{
    snprintf(key, GIG_METHOD_NAME_BYTES, "%.*s", (int)strcspn(self->guided_name, "/"), self->guided_name);
    return key;
}

/* The same field of both paths. */
static gig_status plot_field(gig_sheet *sheet, const path_figure *self, const char *title, const char *y_label,
                             size_t field)
{
    pair lines = {0};
    char key[GIG_METHOD_NAME_BYTES];
    pair_add(&lines, "ig", &self->ig, field_of(&self->ig, field));
    pair_add(&lines, guided_key(key, self), &self->guided, field_of(&self->guided, field));
    gig_status status = plot_pair(sheet, title, &lines, (gig_plot){.y_label = y_label});
    pair_clear(&lines);
    return status;
}

/* Figure 3: the derivative along the line, whose area is the attribution, is small where the gradient is not. */
static gig_status plot_line_field(gig_sheet *sheet, const path_figure *self, const char *title, const char *y_label,
                                  size_t field)
{
    pair lines = {0};
    pair_add(&lines, NULL, &self->ig, field_of(&self->ig, field));
    gig_status status = plot_pair(sheet, title, &lines, (gig_plot){.y_label = y_label});
    pair_clear(&lines);
    return status;
}

static double *similarity_of(const path_trace *of, double alpha)
{
    double *values = malloc((of->count + 1) * sizeof *values);
    if (values) path_trace_similarity(values, of, alpha);
    return values;
}

static gig_status plot_similarity(gig_sheet *sheet, const path_figure *self, double alpha)
{
    char title[80], key[GIG_METHOD_NAME_BYTES];
    pair lines = {0};
    snprintf(title, sizeof title, "cosine to the gradient at %.1f", alpha);
    pair_add(&lines, "ig", &self->ig, similarity_of(&self->ig, alpha));
    pair_add(&lines, guided_key(key, self), &self->guided, similarity_of(&self->guided, alpha));
    gig_plot wanted = {.y_label = "cosine", .y_low = -1, .y_high = 1, .mark_count = 1, .marks = &alpha};
    gig_status status = plot_pair(sheet, title, &lines, wanted);
    pair_clear(&lines);
    return status;
}

/* ---- figure 2 ---- */

static gig_status add_snapshot_map(gig_sheet *sheet, const path_figure *self, const path_trace *of, int s)
{
    float *map = malloc(of->features * sizeof *map);
    if (!map) return GIG_ENOMEM;
    for (size_t i = 0; i < of->features; i++) map[i] = (float)of->snapshot_maps[s][i];
    char title[40];
    snprintf(title, sizeof title, "attributed up to %.2g", of->alphas[s]);
    gig_caption caption = {.title = title};
    gig_status status =
        gig_sheet_add_map(sheet, &caption, map, self->shape.height, self->shape.width, self->shape.channels, NULL);
    free(map);
    return status;
}

static gig_status add_path(gig_sheet *sheet, const path_figure *self, const path_trace *of, const char *heading)
{
    gig_status status = gig_sheet_add_heading(sheet, heading);
    pair lines = {0};
    pair_add(&lines, NULL, of, field_of(of, offsetof(path_trace_step, value)));
    gig_plot wanted = {.y_label = self->scalar, .mark_count = SNAPSHOTS, .marks = of->alphas, .aspect = 1};
    if (self->is_share) wanted.y_high = 1; /* so that both paths are seen on one scale */
    if (status == GIG_OK) status = plot_pair(sheet, "score along the path", &lines, wanted);
    pair_clear(&lines);
    for (int s = 0; s < SNAPSHOTS && status == GIG_OK; s++) {
        char title[40];
        snprintf(title, sizeof title, "alpha %.2g", of->alphas[s]);
        gig_caption caption = {.title = title};
        status = gig_sheet_add_picture(sheet, &caption, of->snapshot_points[s], self->shape.height, self->shape.width);
    }
    for (int s = 0; s < SNAPSHOTS && status == GIG_OK; s++) status = add_snapshot_map(sheet, self, of, s);
    return status;
}

/* ---- figure 4 ---- */

static gig_status add_neighbour(gig_sheet *sheet, const path_figure *self, const neighbour *near, int high)
{
    char title[60], note[80];
    snprintf(title, sizeof title, "near alpha %.1f: %.4f", near->alpha, high ? near->high : near->low);
    snprintf(note, sizeof note, "%.4f on the line, L2 distance %.2f", near->value,
             high ? near->high_distance : near->low_distance);
    gig_caption caption = {.title = title, .note = note};
    return gig_sheet_add_picture(sheet, &caption, high ? near->high_point : near->low_point, self->shape.height,
                                 self->shape.width);
}

/* A row of points with low scores over a row of those with high ones. */
static gig_status add_neighbours(gig_sheet *sheet, const path_figure *self)
{
    static const char *const headings[] = {
        "Within 2/255 of the straight line: the lowest scores that 10 signed-gradient steps found",
        "Within 2/255 of the straight line: the highest scores that 10 signed-gradient steps found"};
    gig_status status = GIG_OK;
    for (int high = 0; high < 2 && status == GIG_OK; high++) {
        status = gig_sheet_add_heading(sheet, headings[high]);
        for (size_t i = 0; i < NEIGHBOURS && status == GIG_OK; i++)
            status = add_neighbour(sheet, self, &self->near[i], high);
    }
    return status;
}

static gig_status add_plots(gig_sheet *sheet, const path_figure *self)
{
    gig_status status =
        plot_field(sheet, self, "distance to the straight line", "L2", offsetof(path_trace_step, distance));
    if (status == GIG_OK)
        status = plot_line_field(sheet, self, "ig: directional derivative", "per alpha",
                                 offsetof(path_trace_step, derivative));
    if (status == GIG_OK)
        status = plot_line_field(sheet, self, "ig: norm of the gradient", "L2", offsetof(path_trace_step, norm));
    if (status == GIG_OK)
        status =
            plot_field(sheet, self, "gradient and direction of travel", "cosine", offsetof(path_trace_step, cosine));
    for (int i = 0; i < SIMILAR && status == GIG_OK; i++) status = plot_similarity(sheet, self, similar_alphas[i]);
    return status;
}

static gig_status add_analyses(gig_sheet *sheet, const path_figure *self)
{
    gig_status status = gig_sheet_add_heading(sheet, "Along the path");
    return status == GIG_OK ? add_plots(sheet, self) : status;
}

/* ---- to look around in ---- */

enum { SCRUBBED = 21 }; /* frames of a path */

/* What the left rule attributes on the way from step `from` to step `to`, added to the map. */
static void add_steps(double *map, const path_trace *of, size_t from, size_t to)
{
    size_t n = of->features;
    for (size_t s = from; s < to; s++) {
        const float *at = of->points + s * n, *next = at + n, *gradient = of->gradients + s * n;
        for (size_t i = 0; i < n; i++) map[i] += ((double)next[i] - (double)at[i]) * (double)gradient[i];
    }
}

/* The path to move along; its whole map is left in `map`. */
static gig_status add_film(gig_sheet *sheet, const path_figure *self, const path_trace *of, const char *name,
                           float *map)
{
    size_t n = of->features, done = 0, frames = of->count < SCRUBBED - 1 ? of->count : SCRUBBED - 1;
    gig_path_frame *list = calloc(of->count + 1, sizeof *list);
    double *so_far = calloc(n, sizeof *so_far);
    float *maps = malloc((frames + 1) * n * sizeof *maps);
    gig_status status = list && so_far && maps ? GIG_OK : GIG_ENOMEM;
    for (size_t s = 0; status == GIG_OK && s <= of->count; s++)
        list[s] = (gig_path_frame){.alpha = of->steps[s].alpha, .value = of->steps[s].value};
    for (size_t f = 0; status == GIG_OK && f <= frames; f++) {
        size_t at = frames ? f * of->count / frames : 0;
        add_steps(so_far, of, done, at);
        for (size_t i = 0; i < n; i++) maps[f * n + i] = (float)so_far[i];
        list[at].pixels = of->points + at * n;
        list[at].map = maps + f * n;
        done = at;
    }
    gig_caption caption = {.title = name};
    if (status == GIG_OK) memcpy(map, maps + frames * n, n * sizeof *map);
    if (status == GIG_OK)
        status = gig_sheet_add_path(sheet, &caption,
                                    &(gig_path_frames){self->scalar, of->count + 1, list, self->shape.height,
                                                       self->shape.width, self->shape.channels});
    free(list);
    free(so_far);
    free(maps);
    return status;
}

/* The paths to move along, the picture with both maps, and the plots and pictures of the drawing. */
static gig_status draw_html(const path_figure *self, const char *path, int force)
{
    gig_sheet_options wanted = {.title = self->title, .footer = self->footer};
    gig_sheet *sheet = NULL;
    const path_trace *const traces[] = {&self->ig, &self->guided};
    const char *const names[] = {"ig", self->guided_name};
    float *maps = malloc(2 * self->ig.features * sizeof *maps);
    gig_status status = maps ? gig_sheet_create(&sheet, &wanted) : GIG_ENOMEM;
    for (int i = 0; i < 2 && status == GIG_OK; i++)
        status = add_film(sheet, self, traces[i], names[i], maps + (size_t)i * self->ig.features);
    if (status == GIG_OK)
        status = gig_sheet_add_picture(sheet, NULL, self->ig.end, self->shape.height, self->shape.width);
    for (int i = 0; i < 2 && status == GIG_OK; i++) {
        gig_caption caption = {.title = names[i]};
        status = gig_sheet_add_map(sheet, &caption, maps + (size_t)i * self->ig.features, self->shape.height,
                                   self->shape.width, self->shape.channels, NULL);
    }
    if (status == GIG_OK) status = add_analyses(sheet, self);
    if (status == GIG_OK) status = add_neighbours(sheet, self);
    if (status == GIG_OK) status = gig_sheet_write(sheet, path, force);
    gig_sheet_free(sheet);
    free(maps);
    return status;
}

/* Points that are not pictures: the curves alone, in every format. */
static gig_status draw_curves(const path_figure *self, const char *path, int force)
{
    gig_sheet_options wanted = {.title = self->title, .footer = self->footer, .columns = 4};
    gig_sheet *sheet = NULL;
    gig_status status = gig_sheet_create(&sheet, &wanted);
    if (status == GIG_OK)
        status = plot_field(sheet, self, "score along the path", self->scalar, offsetof(path_trace_step, value));
    if (status == GIG_OK) status = add_plots(sheet, self);
    if (status == GIG_OK) status = gig_sheet_write(sheet, path, force);
    gig_sheet_free(sheet);
    return status;
}

gig_status path_figure_draw(const path_figure *self, const char *path, int force)
{
    gig_sheet_format format;
    if (!self->shape.height) return draw_curves(self, path, force);
    if (gig_sheet_format_of(&format, path) == GIG_OK && format == GIG_SHEET_HTML) return draw_html(self, path, force);
    char guided[GIG_METHOD_NAME_BYTES + 40];
    snprintf(guided, sizeof guided, "Guided Integrated Gradients: %s", self->guided_name);
    gig_sheet_options wanted = {.title = self->title, .footer = self->footer, .columns = 7, .panel_width = 180};
    gig_sheet *sheet = NULL;
    gig_status status = gig_sheet_create(&sheet, &wanted);
    if (status == GIG_OK) status = add_path(sheet, self, &self->ig, "Integrated Gradients: the straight line");
    if (status == GIG_OK) status = add_path(sheet, self, &self->guided, guided);
    if (status == GIG_OK) status = add_analyses(sheet, self);
    if (status == GIG_OK) status = add_neighbours(sheet, self);
    if (status == GIG_OK) status = gig_sheet_write(sheet, path, force);
    gig_sheet_free(sheet);
    return status;
}

/* ---- CSV ---- */

/* What is not defined is empty. */
static void csv_number(FILE *file, double number)
{
    if (isnan(number))
        fputc(',', file);
    else
        fprintf(file, ",%.9g", number);
}

static void csv_rows(FILE *file, const char *name, const path_trace *of)
{
    double *similar[SIMILAR];
    for (int i = 0; i < SIMILAR; i++) similar[i] = similarity_of(of, similar_alphas[i]);
    for (size_t s = 0; s <= of->count; s++) {
        const path_trace_step *step = &of->steps[s];
        const double numbers[] = {step->alpha, step->value, step->norm, step->derivative, step->cosine, step->distance};
        fprintf(file, "%s,%zu", name, s);
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) csv_number(file, numbers[i]);
        for (int i = 0; i < SIMILAR; i++) csv_number(file, similar[i] ? similar[i][s] : NAN);
        fputc('\n', file);
    }
    for (int i = 0; i < SIMILAR; i++) free(similar[i]);
}

int path_figure_write_csv(const path_figure *self, const char *path, int force)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&text, &bytes);
    if (!file) return no_memory();
    fputs("method,step,alpha,score,gradient_norm,directional_derivative,cosine_to_direction,distance_to_line,"
          "similarity_0.1,similarity_0.5,similarity_0.9\n",
          file);
    csv_rows(file, "ig", &self->ig);
    csv_rows(file, self->guided_name, &self->guided);
    int failed = fclose(file) != 0;
    int code = failed ? no_memory() : report(gig_file_write(path, text, bytes, force));
    free(text);
    return code;
}

/* ---- film ---- */

gig_status path_figure_film(const path_figure *self, const char *path, int force)
{
    const path_trace *of = &self->guided;
    gig_film *film = NULL;
    size_t frames = of->count < FILM_FRAMES ? of->count : FILM_FRAMES;
    gig_status status = gig_film_create(&film, self->shape.width, self->shape.height);
    for (size_t f = 0; f <= frames && status == GIG_OK; f++) {
        gig_image frame = {0};
        status = gig_image_from_pixels(&frame, of->points + f * of->count / frames * of->features, self->shape.width,
                                       self->shape.height, self->shape.channels);
        if (status == GIG_OK) status = gig_film_add(film, &frame, f == frames ? 2000 : 100);
        gig_image_clear(&frame);
    }
    if (status == GIG_OK) status = gig_film_write(path, film, force);
    gig_film_free(film);
    return status;
}

void path_figure_clear(path_figure *self)
{
    path_trace_clear(&self->ig);
    path_trace_clear(&self->guided);
    for (size_t i = 0; i < NEIGHBOURS; i++) neighbour_clear(&self->near[i]);
    free(self->title);
    free(self->footer);
}
