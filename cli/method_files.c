/* SPDX-License-Identifier: Apache-2.0 */
#include "method_files.h"
#include "frame/errors.h"
#include "frame/printing.h"
#include "gig/memory.h"
#include "input_flags.h"
#include "internal/draw.h"
#include "internal/tensor.h"
#include "method_flags.h"
#include "points.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_SEGMENTS = 65536 };

/* ---- shapes ---- */

/* Are these the array's dims, but for ones in front? */
static int has_dims(const gig_tensor *array, int rank, const int64_t *dims)
{
    int more = array->rank - rank;
    for (int i = 0; i < more; i++)
        if (array->dims[i] != 1) return 0;
    return more >= 0 && memcmp(array->dims + more, dims, (size_t)rank * sizeof *dims) == 0;
}

static int refuse_shape(const char *path, const gig_tensor *array, const char *what, int rank, const int64_t *dims)
{
    char got[256], wanted[256];
    complain("%s: has shape %s; %s %s", path, output_dims(got, sizeof got, array->rank, array->dims, ""), what,
             output_dims(wanted, sizeof wanted, rank, dims, ""));
    return EXIT_INPUT;
}

/* ---- segments ---- */

static int by_value(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return left < right ? -1 : left > right;
}

/* The labels that occur, each once, in order. */
static size_t distinct(int64_t *labels, size_t count)
{
    size_t kept = 0;
    qsort(labels, count, sizeof *labels, by_value);
    for (size_t i = 0; i < count; i++)
        if (!kept || labels[i] != labels[kept - 1]) labels[kept++] = labels[i];
    return kept;
}

/* Masks lie outside the library and take their part of --memory. */
static int reserve_masks(method_files *out, size_t count, size_t pixels, size_t memory)
{
    size_t bytes, used = gig_memory_used();
    char text[40];
    if (count > MOST_SEGMENTS) {
        complain("--segments: %zu labels; at most %d are taken", count, MOST_SEGMENTS);
        return EXIT_LIMIT;
    }
    if (__builtin_mul_overflow(count, pixels, &bytes)) return no_memory();
    if (memory && (used > memory || bytes > memory - used)) {
        complain("--segments: the masks of %zu labels take %s, more memory than there may be", count,
                 output_scaled(text, sizeof text, (double)bytes, "B"));
        return EXIT_LIMIT;
    }
    out->bytes = calloc(bytes, 1);
    out->masks = calloc(count, sizeof *out->masks);
    if (!out->bytes || !out->masks) return no_memory();
    if (memory) gig_memory_set_limit(memory - bytes);
    for (size_t i = 0; i < count; i++) out->masks[i] = out->bytes + i * pixels;
    out->mask_count = count;
    return EXIT_OK;
}

/* labels[pixels] -> a mask for each that occurs. */
static int label_masks(method_files *out, const int64_t *labels, size_t pixels, size_t memory)
{
    int64_t *found = malloc(pixels * sizeof *found);
    if (!found) return no_memory();
    memcpy(found, labels, pixels * sizeof *found);
    size_t count = distinct(found, pixels);
    int code = EXIT_OK;
    if (found[0] < 0) {
        complain("--segments: label %lld; labels are 0 and above", (long long)found[0]);
        code = EXIT_INPUT;
    }
    if (code == EXIT_OK) code = reserve_masks(out, count, pixels, memory);
    for (size_t i = 0; code == EXIT_OK && i < pixels; i++) {
        const int64_t *place = bsearch(&labels[i], found, count, sizeof *found, by_value);
        out->bytes[(size_t)(place - found) * pixels + i] = 1;
    }
    free(found);
    return code;
}

static int read_segments(method_files *out, const options *given, const points *in)
{
    const gig_picture_shape shape = in->shape;
    const int64_t dims[2] = {(int64_t)shape.height, (int64_t)shape.width};
    gig_tensor labels = {0};
    int code = report(array_read(&labels, given->how.segments));
    if (code != EXIT_OK) return code;
    if (!shape.height || !has_dims(&labels, 2, dims)) {
        code = refuse_shape(given->how.segments, &labels, "expected one integer label per pixel,", 2, dims);
    } else if (labels.type != GIG_INT64) {
        complain("%s: expected integer segment labels", given->how.segments);
        code = EXIT_INPUT;
    } else {
        code = label_masks(out, labels.whole, shape.height * shape.width, given->run.memory);
    }
    gig_tensor_clear(&labels);
    return code;
}

/* ---- baselines ---- */

static int read_array(gig_tensor *out, const char *path, const opened_model *of, const points *in)
{
    int code = report(array_read(out, path));
    if (code != EXIT_OK) return code;
    if (!has_dims(out, in->rank, in->dims))
        return refuse_shape(path, out, "a baseline is one point,", in->rank, in->dims);
    if (out->type != GIG_FLOAT32) {
        complain("%s: expected float values, found integers%s", path, of->pictures ? ": divide them by 255" : "");
        return EXIT_INPUT;
    }
    size_t count = gig_tensor_count(out);
    code = points_check(path, out->real, 1, count);
    return code == EXIT_OK && of->pictures ? points_check_pixels(path, out->real, 1, count) : code;
}

/* The array of one of several inputs in an archive, into its place in a point. */
static int read_part(float *out, const char *path, const point_part *part, int pixels)
{
    gig_tensor array = {0};
    int code = report_of(path, gig_npz_read(&array, path, part->name));
    if (code == EXIT_OK && !has_dims(&array, part->rank, part->dims))
        code = refuse_shape(path, &array, "its input takes", part->rank, part->dims);
    if (code == EXIT_OK && array.type != GIG_FLOAT32) {
        complain("%s: \"%s\": expected float values, found integers", path, part->name);
        code = EXIT_INPUT;
    }
    if (code == EXIT_OK) code = points_check(path, array.real, 1, part->features);
    if (code == EXIT_OK && pixels) code = points_check_pixels(path, array.real, 1, part->features);
    if (code == EXIT_OK) memcpy(out, array.real, part->features * sizeof *out);
    gig_tensor_clear(&array);
    return code;
}

/* Several inputs: an archive with an array for each, by its name. */
static int read_parts(gig_tensor *out, const char *path, const opened_model *of, const points *in)
{
    const char *ending = strrchr(path, '.');
    if (!ending || strcmp(ending, ".npz") != 0) {
        complain("--baseline %s: %zu inputs need an .npz archive, with an array for each by its name", path,
                 in->part_count);
        return EXIT_USAGE;
    }
    int code = report(gig_tensor_create(out, GIG_FLOAT32, 1, (const int64_t[]){(int64_t)in->features}));
    float *at = out->real;
    for (size_t p = 0; p < in->part_count && code == EXIT_OK; p++) {
        code = read_part(at, path, &in->parts[p], of->pictures && p == 0);
        at += in->parts[p].features;
    }
    return code;
}

/* pictures:DIR:N, without replacement. */
static int read_pictures(gig_tensor *out, const options *given, opened_model *of, const points *in)
{
    char folder[4096];
    const char *name = given->how.baseline + strlen("pictures:"), *colon = strrchr(name, ':');
    if (!of->pictures) {
        complain("--baseline %s: pictures cannot be the baseline of a tensor; give an array", given->how.baseline);
        return EXIT_USAGE;
    }
    snprintf(folder, sizeof folder, "%.*s", (int)(colon - name), name);
    size_t wanted = (size_t)strtoul(colon + 1, NULL, 10);
    points found = {0};
    int code = points_list_folder(&found, folder);
    if (code == EXIT_OK && found.count < wanted) {
        complain("--baseline %s: %zu pictures are asked for, the folder has %zu", given->how.baseline, wanted,
                 found.count);
        code = EXIT_INPUT;
    }
    const gig_picture_shape shape = in->shape;
    const int64_t dims[4] = {(int64_t)wanted, (int64_t)shape.height, (int64_t)shape.width, (int64_t)shape.channels};
    size_t features = shape.height * shape.width * shape.channels;
    if (code == EXIT_OK) code = report(gig_tensor_create(out, GIG_FLOAT32, 4, dims));
    size_t *order = code == EXIT_OK ? malloc(found.count * sizeof *order) : NULL;
    if (code == EXIT_OK && !order) code = no_memory();
    if (order) gig_draw_indices(order, found.count, wanted, (uint64_t)given->seed);
    for (size_t i = 0; i < wanted && code == EXIT_OK; i++) {
        const char *chosen = found.names[order[i]];
        code = report_of(chosen,
                         gig_explainer_point(out->real + i * features, of->explainer, &(gig_input){.file = chosen}));
    }
    free(order);
    points_clear(&found);
    return code;
}

static int read_baseline(gig_tensor *out, const options *given, opened_model *of, const points *in)
{
    if (in->part_count) return read_parts(out, given->how.baseline, of, in);
    if (baseline_is_pictures(given->how.baseline)) return read_pictures(out, given, of, in);
    if (!baseline_is_picture(given->how.baseline)) return read_array(out, given->how.baseline, of, in);
    if (!of->pictures) {
        complain("--baseline %s: a picture cannot be the baseline of a tensor; give an array", given->how.baseline);
        return EXIT_USAGE;
    }
    const gig_picture_shape shape = in->shape;
    const int64_t dims[3] = {(int64_t)shape.height, (int64_t)shape.width, (int64_t)shape.channels};
    gig_status status = gig_tensor_create(out, GIG_FLOAT32, 3, dims);
    if (status == GIG_OK)
        status = gig_explainer_point(out->real, of->explainer, &(gig_input){.file = given->how.baseline});
    return report(status);
}

int method_files_read(method_files *out, const options *given, opened_model *of, const points *in)
{
    int code = baseline_is_file(given->how.baseline) ? read_baseline(&out->baseline, given, of, in) : EXIT_OK;
    return code == EXIT_OK && given->how.segments ? read_segments(out, given, in) : code;
}

gig_explain_options method_files_options(const method_files *from, const opened_model *of, const gig_method *method)
{
    gig_explain_options wanted = of->asked;
    wanted.method = method;
    wanted.seed = (uint64_t)of->given->seed;
    if (method->baseline == GIG_BASELINE_GIVEN) wanted.baseline = from->baseline.real;
    wanted.mask_count = from->mask_count;
    wanted.masks = from->masks;
    return wanted;
}

void method_files_clear(method_files *made)
{
    gig_tensor_clear(&made->baseline);
    free(made->bytes);
    free(made->masks);
    *made = (method_files){0};
}
