#include "points.h"
#include "report.h"
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
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
    static const char *const endings[] = {".jpg", ".jpeg", ".png", ".webp"};
    size_t bytes = strlen(entry->d_name);
    for (size_t i = 0; entry->d_name[0] != '.' && i < sizeof endings / sizeof *endings; i++) {
        size_t tail = strlen(endings[i]);
        if (bytes > tail && strcasecmp(entry->d_name + bytes - tail, endings[i]) == 0) return 1;
    }
    return 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name); /* not by locale: the same order everywhere */
}

static int list_folder(points *out, const char *folder)
{
    struct dirent **found = NULL;
    int count = scandir(folder, &found, is_picture, by_name), code = EXIT_OK;
    if (count < 0) {
        usage("%s: cannot be read as a folder", folder);
        return EXIT_IO;
    }
    for (int i = 0; i < count; i++) {
        char path[4096];
        int bytes = snprintf(path, sizeof path, "%s/%s", folder, found[i]->d_name);
        if (code == EXIT_OK && bytes > 0 && (size_t)bytes < sizeof path) code = add_name(out, path);
        free(found[i]);
    }
    free(found);
    if (count == 0) {
        usage("%s: no .jpg, .jpeg, .png or .webp in this folder", folder);
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
            usage("%s: no such file", name);
            return EXIT_IO;
        }
        int code = S_ISDIR(about.st_mode) ? list_folder(out, name) : add_name(out, name);
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

int points_list(points *out, const char *command, const options *given)
{
    *out = (points){0};
    int ways = (given->operands.count > 1) + (given->pixels != NULL) + (given->tensors.count > 0);
    if (ways != 1) {
        usage("%s: give pictures, or --pixels, or --tensor%s", command, ways ? ", not several of them" : "");
        return EXIT_USAGE;
    }
    if (given->operands.count > 1) return list_files(out, given);
    return given->pixels ? report(gig_npy_read(&out->rows, given->pixels)) : EXIT_OK;
}

/* The array is [n, point...], or one point alone. */
int points_fit(points *self, const char *command, const subject *of)
{
    int64_t dims[GIG_MAX_RANK];
    int rank = gig_network_point_dims(of->plain.network, dims);
    self->features = gig_network_features(of->plain.network);
    if (self->from_files) return EXIT_OK;
    if (of->inside) return name_rows(self, "tensor", of->rows);
    const gig_tensor *rows = self->rows.data ? &self->rows : NULL;
    if (!rows && of->in.points < of->in.count) rows = &of->in.tensors[of->in.points];
    if (!rows) {
        usage("%s: --tensor with floating-point points is missing", command);
        return EXIT_USAGE;
    }
    size_t bytes = (size_t)rank * sizeof *dims;
    int alone = rows->rank == rank && memcmp(rows->dims, dims, bytes) == 0;
    int listed = rows->rank == rank + 1 && memcmp(rows->dims + 1, dims, bytes) == 0;
    if (rows->type != GIG_REAL || (!alone && !listed)) {
        char text[200];
        size_t used = 0;
        for (int i = 0; i < rank && used < sizeof text; i++)
            used += (size_t)snprintf(text + used, sizeof text - used, ",%lld", (long long)dims[i]);
        usage("%s: the array does not hold points [n%s]", command, text);
        return EXIT_USAGE;
    }
    self->first = rows->real;
    const char *path = self->rows.data ? "pixels" : "tensor";
    return name_rows(self, path, alone ? 1 : (size_t)rows->dims[0]);
}

/* ---- one point ---- */

static gig_status read_picture(float *values, const char *path, const gig_description *about, int no_orient)
{
    gig_image_options wanted = GIG_IMAGE_OPTIONS_INIT;
    wanted.no_orient = no_orient;
    gig_image picture = {0}, fitted = {0};
    gig_placement placement;
    gig_status status = gig_image_read(&picture, path, &wanted);
    if (status == GIG_OK)
        status = gig_placement_find(&placement, picture.width, picture.height, (size_t)about->pixels.width,
                                    (size_t)about->pixels.height, about->fit, about->shorter);
    if (status == GIG_OK) status = gig_image_place(&fitted, &picture, &placement, about->filter);
    if (status == GIG_OK) gig_image_to_pixels(values, &fitted);
    gig_image_clear(&picture);
    gig_image_clear(&fitted);
    return status;
}

int points_check(const char *name, const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (isfinite(values[i])) continue;
        usage("%s: value %zu is not finite", name, i);
        return EXIT_INPUT;
    }
    return EXIT_OK;
}

int points_read(float *values, const points *self, size_t i, const subject *of, const options *given)
{
    if (self->from_files) return report(read_picture(values, self->names[i], of->description, given->no_orient));
    if (of->inside) {
        memcpy(values, gig_network_at_value(of->plain.network), self->features * sizeof *values);
        return EXIT_OK;
    }
    memcpy(values, self->first + i * self->features, self->features * sizeof *values);
    return points_check(given->pixels ? given->pixels : self->names[i], values, self->features);
}

void points_clear(points *self)
{
    for (size_t i = 0; i < self->count; i++) free(self->names[i]);
    free(self->names);
    gig_tensor_clear(&self->rows);
    *self = (points){0};
}
