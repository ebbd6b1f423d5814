/* SPDX-License-Identifier: Apache-2.0 */
#include "points.h"
#include "frame/errors.h"
#include "frame/output_files.h"
#include "frame/printing.h"
#include "input_flags.h"
#include "internal/explainer.h"
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int add_name(points *out, const char *name)
{
    char **more = realloc(out->names, (out->count + 1) * sizeof *more);
    if (!more) return no_memory();
    out->names = more;
    out->names[out->count] = strdup(name);
    if (!out->names[out->count]) return no_memory();
    out->count++;
    return EXIT_OK;
}

/* ---- folders ---- */

static int is_picture(const struct dirent *entry)
{
    return gig_image_has_ending(entry->d_name);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name); /* not by locale: the same order everywhere */
}

int points_list_folder(points *out, const char *folder)
{
    struct dirent **found = NULL;
    int count = scandir(folder, &found, is_picture, by_name), code = EXIT_OK;
    if (count < 0) {
        complain("%s: cannot be read as a folder", folder);
        return EXIT_IO;
    }
    for (int i = 0; i < count; i++) {
        char path[4096];
        int ends = folder[strlen(folder) - 1] == '/';
        int bytes = snprintf(path, sizeof path, "%s%s%s", folder, ends ? "" : "/", found[i]->d_name);
        if (code == EXIT_OK && bytes > 0 && (size_t)bytes < sizeof path) code = add_name(out, path);
        free(found[i]);
    }
    free(found);
    if (count == 0) {
        complain("%s: no .jpg, .jpeg, .png or .webp in this folder", folder);
        return EXIT_INPUT;
    }
    return code;
}

static int list_files(points *out, const options *given)
{
    out->from_files = 1;
    for (size_t i = 1; i < given->operands.count; i++) {
        struct stat about;
        const char *name = given->operands.items[i];
        if (stat(name, &about) != 0) {
            complain("%s: %s", *name ? name : "\"\"", errno == ENOENT ? "no such file" : strerror(errno));
            return EXIT_IO;
        }
        int code = S_ISDIR(about.st_mode) ? points_list_folder(out, name) : add_name(out, name);
        if (code != EXIT_OK) return code;
    }
    return EXIT_OK;
}

/* ---- arrays ---- */

static int name_rows(points *out, const char *file, size_t rows)
{
    for (size_t i = 0; i < rows; i++) {
        char name[4200];
        if (rows == 1)
            snprintf(name, sizeof name, "%s", file);
        else
            snprintf(name, sizeof name, "%s[%zu]", file, i);
        int code = add_name(out, name);
        if (code != EXIT_OK) return code;
    }
    return EXIT_OK;
}

/* Their number is known before the model is: [n,H,W,3], or one alone. */
static int list_pixels(points *out, const char *path)
{
    int code = report(array_read(&out->rows, path));
    if (code != EXIT_OK) return code;
    size_t rows = out->rows.rank == 4 ? (size_t)out->rows.dims[0] : 1;
    if (rows) return name_rows(out, "pixels", rows);
    complain("%s: no pictures are in it", path);
    return EXIT_INPUT;
}

int points_are_pictures(const options *given)
{
    return given->operands.count > 1 || given->pixels != NULL;
}

int points_list(points *out, const char *command, const options *given)
{
    *out = (points){0};
    int ways = (given->operands.count > 1) + (given->pixels != NULL);
    if (!ways) ways = given->tensors.count > 0;
    if (ways != 1) {
        const char *tensor = given->command & (FOR_EXPLAIN | FOR_PATH) ? ", or --tensor" : "";
        complain("%s: give pictures after the model, or --pixels%s%s", command, tensor,
                 ways ? ", not several of them" : "");
        return EXIT_USAGE;
    }
    if (given->operands.count > 1) return list_files(out, given);
    return given->pixels ? list_pixels(out, given->pixels) : EXIT_OK;
}

/* Arrays for the other inputs, of which each point may have its own row. */
static void add_bound(gig_input *input, const points *self, const opened_model *of, size_t row)
{
    if (of->inside || (of->pictures && self->count < 2)) return; /* the explainer has them */
    input->bound_count = of->in.bound_count;
    input->bound = of->in.bound;
    input->rows = of->pictures && of->in.bound_count ? (int)self->count : input->rows;
    input->row = row;
}

/* The first of them, of whatever shape it is. */
const gig_input *points_like(gig_input *room, const points *self, opened_model *of)
{
    if (of->inside)
        *room = inner_points_input(&of->fixed, &of->in, &of->about, 0);
    else if (of->pictures)
        *room = (gig_input){.file = self->from_files ? self->names[0] : NULL,
                            .values = self->from_files ? NULL : self->arrays->real};
    else
        *room = (gig_input){.tensor = self->arrays, .rows = 1};
    add_bound(room, self, of, 0);
    return of->pictures && !room->bound_count ? NULL : room;
}

/* The inputs that are explained together. */
static gig_status describe_parts(points *self, opened_model *of, const gig_input *like)
{
    const gig_network *network;
    gig_status status = gig_explainer_network(&network, of->explainer, like);
    size_t count = status == GIG_OK ? gig_network_parts(network) : 0;
    if (count < 2) return status;
    self->parts = calloc(count, sizeof *self->parts);
    if (!self->parts) return GIG_ENOMEM;
    for (size_t p = 0; p < count; p++) {
        point_part *part = &self->parts[self->part_count];
        part->rank = gig_network_part_dims(network, p, part->dims);
        part->features = gig_network_part_features(network, p);
        part->name = strdup(gig_network_part_name(network, p));
        if (!part->name) return GIG_ENOMEM;
        self->part_count++;
    }
    return GIG_OK;
}

static gig_status describe_point(points *self, opened_model *of)
{
    gig_input room;
    const gig_input *like = points_like(&room, self, of);
    gig_status status = gig_explainer_dims(&self->rank, self->dims, of->explainer, like);
    if (status == GIG_OK) status = gig_explainer_picture_shape(&self->shape, of->explainer, like);
    self->features = 1;
    for (int i = 0; i < self->rank && status == GIG_OK; i++) self->features *= (size_t)self->dims[i];
    return status == GIG_OK ? describe_parts(self, of, like) : status;
}

/* The array is [n, point...], or one point alone; of several inputs it is the first one's. */
static int fit_rows(points *self, const char *command, int pixels)
{
    const gig_tensor *rows = self->arrays;
    int rank = self->part_count ? self->parts[0].rank : self->rank;
    const int64_t *dims = self->part_count ? self->parts[0].dims : self->dims;
    size_t bytes = (size_t)rank * sizeof *dims;
    int alone = rows->rank == rank && memcmp(rows->dims, dims, bytes) == 0;
    int listed = rows->rank == rank + 1 && memcmp(rows->dims + 1, dims, bytes) == 0;
    const char *flag = pixels ? "--pixels" : "--tensor";
    if (!alone && !listed) {
        char wanted[256], got[256];
        complain("%s: %s has shape %s, the model takes %s", command, flag,
                 output_dims(got, sizeof got, rows->rank, rows->dims, ""),
                 output_dims(wanted, sizeof wanted, rank, dims, "n"));
        return EXIT_USAGE;
    }
    if (rows->type != GIG_FLOAT32) {
        complain("%s: %s expected float values, found integers%s", command, flag, pixels ? ": divide them by 255" : "");
        return EXIT_USAGE;
    }
    return pixels ? EXIT_OK : name_rows(self, "tensor", alone ? 1 : (size_t)rows->dims[0]);
}

int points_fit(points *self, const char *command, opened_model *of)
{
    int pixels = self->rows.data != NULL;
    if (!of->pictures && !of->inside && of->in.points < of->in.count) self->arrays = &of->in.tensors[of->in.points];
    if (pixels) self->arrays = &self->rows;
    if (!of->pictures && !of->inside && !self->arrays) {
        if (of->about.embedding && of->in.count)
            complain("%s: the model takes integers only; use --at %s to explain its embedding", command,
                     of->about.embedding);
        else
            complain(of->in.count ? "%s: expected a floating-point array for --tensor"
                                  : "%s: --tensor [NAME=]X.npy is missing: a floating-point array",
                     command);
        return EXIT_USAGE;
    }
    int code = report(describe_point(self, of));
    if (code != EXIT_OK || self->from_files) return code;
    return of->inside ? name_rows(self, "tensor", of->rows) : fit_rows(self, command, pixels);
}

/* ---- one point ---- */

/* Arrays: every row, before the first is computed. */
static int verify_rows(const points *self, const options *given)
{
    size_t name_bytes, features = self->part_count ? self->parts[0].features : self->features;
    const char *file = given->pixels ? given->pixels : options_split_name(given->tensors.items[0], &name_bytes);
    if (!given->pixels && given->tensors.count > 1) file = "--tensor";
    int code = points_check(file, self->arrays->real, self->count, features);
    return code == EXIT_OK && given->pixels ? points_check_pixels(file, self->arrays->real, self->count, features)
                                            : code;
}

int points_verify(const points *self, const options *given)
{
    enum { MOST_SAID = 10 };
    const gig_image_options wanted = {.no_orient = given->no_orient};
    size_t broken = 0;
    int code = self->arrays ? verify_rows(self, given) : EXIT_OK;
    for (size_t i = 0; self->from_files && self->count > 1 && i < self->count; i++) {
        gig_image picture = {0};
        if (!file_is_regular(self->names[i])) continue;
        gig_status status = gig_image_read(&picture, self->names[i], &wanted);
        gig_image_clear(&picture);
        if (signals_check() != GIG_OK) return report(GIG_ECANCEL);
        if (status != GIG_OK && broken++ < MOST_SAID) {
            int own = report(status);
            if (code == EXIT_OK) code = own;
        }
    }
    if (broken > MOST_SAID) complain("and %zu more of %zu pictures", broken - MOST_SAID, self->count);
    return code;
}

/* "row 3, value 7", or "value 7" of a single row. Returns text. */
static const char *place_text(char text[64], size_t i, size_t rows, size_t features)
{
    if (rows > 1)
        snprintf(text, 64, "row %zu, value %zu", i / features, i % features);
    else
        snprintf(text, 64, "value %zu", i);
    return text;
}

int points_check(const char *name, const float *values, size_t rows, size_t features)
{
    char place[64];
    for (size_t i = 0; i < rows * features; i++) {
        if (isfinite(values[i])) continue;
        complain("%s: %s is not finite", name, place_text(place, i, rows, features));
        return EXIT_INPUT;
    }
    return EXIT_OK;
}

int points_check_pixels(const char *name, const float *values, size_t rows, size_t features)
{
    char place[64];
    for (size_t i = 0; i < rows * features; i++) {
        if (values[i] >= -1e-6f && values[i] <= 1 + 1e-6f) continue;
        complain("%s: expected pixels in [0,1], found %g at %s%s", name, (double)values[i],
                 place_text(place, i, rows, features), values[i] > 2 ? ": divide by 255" : "");
        return EXIT_INPUT;
    }
    return EXIT_OK;
}

/* Every row has the point's shape, which the first one told. */
static int enter_row(gig_input *out, const points *self, size_t i, opened_model *of)
{
    int64_t dims[GIG_MAX_RANK];
    int rank;
    *out = inner_points_input(&of->fixed, &of->in, &of->about, i);
    gig_status status = gig_explainer_dims(&rank, dims, of->explainer, out);
    if (status != GIG_OK) return report(status);
    size_t features = 1;
    for (int k = 0; k < rank; k++) features *= (size_t)dims[k];
    return features == self->features ? EXIT_OK : inner_points_uneven(of->given->at);
}

int points_input(gig_input *out, const points *self, size_t i, opened_model *of)
{
    size_t features = self->part_count ? self->parts[0].features : self->features;
    int code = EXIT_OK;
    *out = (gig_input){0};
    if (self->from_files)
        out->file = self->names[i];
    else if (of->inside)
        code = enter_row(out, self, i, of);
    else if (of->pictures)
        out->values = self->arrays->real + i * features;
    else
        *out = (gig_input){.tensor = self->arrays, .rows = 1, .row = i};
    out->name = self->names[i];
    add_bound(out, self, of, i);
    return code;
}

void points_clear(points *self)
{
    for (size_t i = 0; i < self->count; i++) free(self->names[i]);
    free(self->names);
    for (size_t p = 0; p < self->part_count; p++) free(self->parts[p].name);
    free(self->parts);
    gig_tensor_clear(&self->rows);
    *self = (points){0};
}
