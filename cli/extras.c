#include "extras.h"
#include "method.h"
#include "points.h"
#include "report.h"
#include <stdlib.h>
#include <string.h>

static int label_masks(extras *out, size_t pixels)
{
    int64_t most = -1;
    for (size_t i = 0; i < pixels; i++)
        if (out->labels.whole[i] > most) most = out->labels.whole[i];
    if (most < 0 || most >= 65536) {
        complain("--segments: labels must lie in 0..65535");
        return EXIT_INPUT;
    }
    out->owned = calloc((size_t)most + 1, sizeof *out->owned);
    if (!out->owned) return no_memory();
    for (int64_t label = 0; label <= most; label++) {
        uint8_t *mask = out->owned[out->mask_count] = calloc(pixels, 1);
        if (!mask) return no_memory();
        out->mask_count++;
        for (size_t i = 0; i < pixels; i++) mask[i] = out->labels.whole[i] == label;
    }
    out->masks = (const uint8_t *const *)out->owned;
    return EXIT_OK;
}

static int read_baseline(gig_tensor *out, const options *given, const subject *of)
{
    if (!gig_image_has_ending(given->baseline)) return report(gig_npy_read(out, given->baseline));
    if (!of->pictures) {
        complain("--baseline %s: a picture is no baseline for tensors; give an array", given->baseline);
        return EXIT_USAGE;
    }
    gig_picture_shape shape = subject_shape(of);
    const int64_t dims[3] = {(int64_t)shape.height, (int64_t)shape.width, (int64_t)shape.channels};
    gig_status status = gig_tensor_create(out, GIG_REAL, 3, dims);
    if (status == GIG_OK) status = points_picture(out->real, given->baseline, of->description, given->no_orient);
    return report(status);
}

int extras_read(extras *out, const options *given, const subject *of)
{
    size_t features = gig_network_features(of->plain.network);
    gig_picture_shape shape = subject_shape(of);
    if (baseline_is_file(given->baseline)) {
        int code = read_baseline(&out->baseline, given, of);
        if (code != EXIT_OK) return code;
        if (out->baseline.type != GIG_REAL || gig_tensor_count(&out->baseline) != features) {
            complain("%s: a baseline has the %zu values of one point", given->baseline, features);
            return EXIT_INPUT;
        }
        code = points_check(given->baseline, out->baseline.real, features);
        if (code != EXIT_OK) return code;
    }
    if (!given->segments) return EXIT_OK;
    int code = report(gig_npy_read(&out->labels, given->segments));
    if (code != EXIT_OK) return code;
    if (out->labels.type != GIG_WHOLE || gig_tensor_count(&out->labels) != shape.height * shape.width) {
        complain("%s: segments are one whole number per pixel, %zu x %zu", given->segments, shape.height, shape.width);
        return EXIT_INPUT;
    }
    return label_masks(out, shape.height * shape.width);
}

gig_explain_options extras_options(const extras *from, const subject *of, const engine *runs_on, const options *given)
{
    gig_explain_options wanted = GIG_EXPLAIN_OPTIONS_INIT;
    wanted.shape = subject_shape(of);
    wanted.seed = (uint64_t)given->seed;
    wanted.baseline = from->baseline.real;
    wanted.mask_count = from->mask_count;
    wanted.masks = from->masks;
    wanted.sessions = runs_on->sessions;
    wanted.scalar = of->scalar;
    wanted.max_memory = given->memory;
    return wanted;
}

void extras_clear(extras *made)
{
    gig_tensor_clear(&made->baseline);
    gig_tensor_clear(&made->labels);
    for (size_t i = 0; i < made->mask_count; i++) free(made->owned[i]);
    free(made->owned);
    *made = (extras){0};
}
