/* SPDX-License-Identifier: Apache-2.0 */
/* The lengths that a Resize asks for: scales or sizes, of all axes or of those named, with or without one ratio for
 * all, and the part of the input that tf_crop_and_resize looks at. */
#include "network/operators/movement.h"
#include "network/operators/resize.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef enum policy { STRETCH, NOT_LARGER, NOT_SMALLER } policy;

/* Axes that scales, sizes and roi speak of, in their order. */
typedef struct naming {
    size_t count;
    int axis[GIG_MAX_RANK];
} naming;

static gig_status read_policy(policy *out, const gig_node *node)
{
    static const char *const words[] = {"stretch", "not_larger", "not_smaller"};
    const char *text = node->opset < 18 ? words[0] : gig_node_string(node, "keep_aspect_ratio_policy", words[0]);
    for (int i = 0; i < 3; i++)
        if (!strcmp(words[i], text)) {
            *out = (policy)i;
            return GIG_OK;
        }
    return gig_fail(GIG_EUNSUPPORTED, "keep_aspect_ratio_policy \"%.40s\"", text);
}

static gig_status read_naming(naming *out, const gig_op *op)
{
    const char *attribute = op->node->opset < 18 ? NULL : "axes";
    return gig_op_axes(out->axis, &out->count, op, SIZE_MAX, attribute, op->in[0]->rank);
}

static gig_status expect_count(size_t count, const char *what, const naming *named)
{
    if (count == named->count) return GIG_OK;
    return gig_fail(GIG_EFORMAT, "%zu %s for %zu axes", count, what, named->count);
}

/* The whole cells of a length. */
static gig_status cells_of(int64_t *out, double length, double scale)
{
    if (!(length <= (double)GIG_MAX_ELEMENTS)) return gig_fail(GIG_ELIMIT, "a scale of %g", scale);
    *out = (int64_t)length;
    return GIG_OK;
}

static gig_status scale_named(gig_axis *axes, const naming *named, const float *scales, size_t count)
{
    GIG_TRY(expect_count(count, "scales", named));
    for (size_t i = 0; i < count; i++) {
        gig_axis *axis = &axes[named->axis[i]];
        float length = scales[i] * (float)axis->in; /* in float, as other runtimes have it: 7/3 of 3 cells are 7 */
        if (!(scales[i] > 0) || !isfinite(scales[i])) return gig_fail(GIG_EFORMAT, "a scale of %g", (double)scales[i]);
        axis->scale = scales[i];
        GIG_TRY(cells_of(&axis->out, length, axis->scale));
    }
    return GIG_OK;
}

static gig_status size_named(gig_axis *axes, const naming *named, const gig_op *op, const int64_t *sizes, size_t count)
{
    GIG_TRY(expect_count(count, "sizes", named));
    for (size_t i = 0; i < count; i++) {
        int rebatched = named->axis[i] == 0 && gig_op_rebatched(op, op->in[0], sizes[i]);
        gig_axis *axis = &axes[named->axis[i]];
        axis->out = rebatched ? op->batch : sizes[i];
        if (axis->out < 0) return gig_fail(GIG_EFORMAT, "a size of %" PRId64, axis->out);
        axis->scale = (double)axis->out / (double)axis->in;
    }
    return GIG_OK;
}

/* All named axes get the least (or greatest) of their scales; lengths are rounded, halves up. */
static gig_status keep_ratio(gig_axis *axes, const naming *named, policy wanted)
{
    double scale = wanted == NOT_LARGER ? INFINITY : 0;
    if (wanted == STRETCH) return GIG_OK;
    for (size_t i = 0; i < named->count; i++) {
        double own = axes[named->axis[i]].scale;
        scale = wanted == NOT_LARGER ? fmin(scale, own) : fmax(scale, own);
    }
    for (size_t i = 0; i < named->count; i++) {
        gig_axis *axis = &axes[named->axis[i]];
        axis->scale = scale;
        GIG_TRY(cells_of(&axis->out, floor(scale * (double)axis->in + 0.5), scale));
    }
    return GIG_OK;
}

static gig_status crop_named(gig_axis *axes, const naming *named, const gig_op *op)
{
    const float *roi;
    size_t count, half = named->count;
    GIG_TRY(gig_op_reals(op, 1, NULL, &roi, &count));
    if (!roi || count != 2 * half) return gig_fail(GIG_EFORMAT, "roi must hold %zu numbers", 2 * half);
    for (size_t i = 0; i < half; i++) {
        if (!isfinite(roi[i]) || !isfinite(roi[half + i]))
            return gig_fail(GIG_EFORMAT, "roi holds a value that is not a number");
        axes[named->axis[i]].start = roi[i];
        axes[named->axis[i]].end = roi[half + i];
    }
    return GIG_OK;
}

static gig_status begin_axes(gig_axis *axes, const gig_tensor *x)
{
    for (int i = 0; i < x->rank; i++) {
        if (x->dims[i] < 1) return gig_fail(GIG_EFORMAT, "axis %d is empty", i);
        axes[i] = (gig_axis){.in = x->dims[i], .out = x->dims[i], .scale = 1, .start = 0, .end = 1};
    }
    return GIG_OK;
}

static gig_status expect_cells(const gig_axis *axes, int rank)
{
    for (int i = 0; i < rank; i++)
        if (axes[i].out < 1) return gig_fail(GIG_EFORMAT, "axis %d becomes empty", i);
    return GIG_OK;
}

gig_status gig_resize_scale_axes(gig_axis *axes, const gig_op *op, const float *scales, size_t count)
{
    naming all = {0};
    GIG_TRY(gig_op_axes(all.axis, &all.count, op, SIZE_MAX, NULL, op->in[0]->rank));
    GIG_TRY(begin_axes(axes, op->in[0]));
    GIG_TRY(scale_named(axes, &all, scales, count));
    return expect_cells(axes, op->in[0]->rank);
}

/* Opset 10: X, scales. Opset 11 on: X, roi, scales, sizes; one of the last two. */
gig_status gig_resize_axes(gig_axis *axes, const gig_op *op, const gig_resampling *how)
{
    int opset = op->node->opset;
    const float *scales = NULL;
    const int64_t *sizes = NULL;
    size_t scale_count = 0, size_count = 0;
    policy wanted;
    naming named;
    GIG_TRY(read_policy(&wanted, op->node));
    GIG_TRY(read_naming(&named, op));
    GIG_TRY(begin_axes(axes, op->in[0]));
    if (opset >= 11) GIG_TRY(gig_op_wholes(op, 3, NULL, &sizes, &size_count));
    if (opset >= 18 || !size_count) GIG_TRY(gig_op_reals(op, opset >= 11 ? 2 : 1, NULL, &scales, &scale_count));
    if (scale_count && size_count) return gig_fail(GIG_EFORMAT, "both scales and sizes");
    if (size_count) {
        GIG_TRY(size_named(axes, &named, op, sizes, size_count));
        GIG_TRY(keep_ratio(axes, &named, wanted));
    } else {
        if (wanted != STRETCH) return gig_fail(GIG_EFORMAT, "scales with a keep_aspect_ratio_policy");
        GIG_TRY(scale_named(axes, &named, scales, scale_count));
    }
    if (how->coordinates == GIG_CROP_AND_RESIZE) GIG_TRY(crop_named(axes, &named, op));
    return expect_cells(axes, op->in[0]->rank);
}
