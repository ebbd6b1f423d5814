/* SPDX-License-Identifier: Apache-2.0 */
/* How an array without a picture is read: by its shape, unless the caller says what it is. */
#include "base/size.h"
#include "view/array.h"
#include <stdio.h>
#include <string.h>

enum {
    FEW_COLUMNS = 64,  /* a row of more numbers is a signal, not a table */
    MOST_STRIPS = 32,  /* more channels are rows of a picture */
    MOST_CHANNELS = 4, /* of a slice: an axis that long counts colours, not positions */
    MOST_RANK = 8
};

static const char *const kind_names[] = {"auto", "signal", "tokens", "table", "slices"};

const char *gig_array_kind_name(gig_array_kind kind)
{
    return (int)kind >= 0 && kind <= GIG_ARRAY_SLICES ? kind_names[kind] : "unknown";
}

static size_t product(const int64_t *dims, int count)
{
    size_t out = 1;
    for (int i = 0; i < count; i++) out *= (size_t)dims[i];
    return out;
}

static size_t smaller(int64_t a, int64_t b)
{
    return (size_t)(a < b ? a : b);
}

static gig_array_kind kind_by_shape(const gig_array *array, size_t count)
{
    if (array->labels) return GIG_ARRAY_TOKENS;
    if (array->rank == 0 || count == 1) return GIG_ARRAY_TABLE;
    if (array->rank == 1) return count <= FEW_COLUMNS ? GIG_ARRAY_TABLE : GIG_ARRAY_SIGNAL;
    if (array->rank == 2 && smaller(array->dims[0], array->dims[1]) <= MOST_STRIPS) return GIG_ARRAY_SIGNAL;
    return GIG_ARRAY_SLICES;
}

/* [channels, positions], or [positions, channels] where the second axis is the shorter one. */
static void lay_signal(gig_array_layout *out, int rank, const int64_t *dims, size_t count)
{
    size_t last = rank ? (size_t)dims[rank - 1] : 1, rest = last ? count / last : 0;
    int turned = rank == 2 && dims[1] < dims[0];
    out->channels = turned ? last : rest;
    out->width = turned ? rest : last;
    out->strides[0] = turned ? 1 : last;
    out->strides[3] = turned ? last : 1;
}

/* The axis of channels is the first that is short enough: [C,D,H,W], [D,C,H,W] or [D,H,W,C]; of three axes [C,H,W] or
 * [H,W,C], else [D,H,W]. Of more than four the leading ones are channels. */
static void lay_slices(gig_array_layout *out, int rank, const int64_t *dims)
{
    size_t lead = rank > 4 ? product(dims, rank - 3) : 1, axes[4] = {lead, 1, 1, 1};
    int own = rank > 4 ? 3 : rank, channels = 0; /* place of the channels among four axes */
    for (int i = 0; i < own; i++) axes[4 - own + i] = (size_t)dims[rank - own + i];
    if (rank == 4 && axes[0] > MOST_CHANNELS)
        channels = axes[1] <= MOST_CHANNELS ? 1 : axes[3] <= MOST_CHANNELS ? 3 : 0;
    if (rank == 3 && axes[1] <= MOST_CHANNELS)
        channels = 1;
    else if (rank == 3 && axes[3] <= MOST_CHANNELS)
        channels = 3;
    size_t steps[4] = {axes[1] * axes[2] * axes[3], axes[2] * axes[3], axes[3], 1}, sides[3];
    for (int i = 0, k = 0; i < 4; i++)
        if (i != channels) {
            sides[k] = axes[i];
            out->strides[++k] = steps[i];
        }
    out->channels = axes[channels];
    out->strides[0] = steps[channels];
    out->depth = sides[0];
    out->height = sides[1];
    out->width = sides[2];
}

static void lay_positions(gig_array_layout *out, size_t positions, size_t count)
{
    out->width = positions;
    out->channels = positions ? count / positions : 0;
    out->strides[0] = 1;
    out->strides[3] = out->channels;
}

gig_status gig_array_lay_out(gig_array_layout *out, const gig_array *array)
{
    size_t count;
    *out = (gig_array_layout){.depth = 1, .height = 1};
    if (array->rank < 0 || array->rank > MOST_RANK)
        return gig_fail(GIG_EARG, "an array to draw has at most %d axes, found %d", MOST_RANK, array->rank);
    if ((int)array->kind < 0 || array->kind > GIG_ARRAY_SLICES)
        return gig_fail(GIG_EARG, "unknown kind %d of an array", array->kind);
    GIG_TRY(gig_size_of_dims(&count, array->rank, array->dims));
    out->kind = array->kind ? array->kind : kind_by_shape(array, count);
    if (out->kind == GIG_ARRAY_SIGNAL) {
        lay_signal(out, array->rank, array->dims, count);
    } else if (out->kind == GIG_ARRAY_SLICES) {
        lay_slices(out, array->rank, array->dims);
    } else {
        size_t first = array->rank ? (size_t)array->dims[0] : 1;
        lay_positions(out, out->kind == GIG_ARRAY_TOKENS ? first : count, count);
        if (array->labels && array->label_count != out->width)
            return gig_fail(GIG_EARG, "%zu texts for %zu %s", array->label_count, out->width,
                            out->kind == GIG_ARRAY_TOKENS ? "positions" : "columns");
    }
    return GIG_OK;
}

gig_status gig_array_describe(char *text, size_t bytes, gig_array_kind *kind, const gig_array *array)
{
    gig_array_layout is;
    const char *s = "";
    *text = 0;
    GIG_TRY(gig_array_lay_out(&is, array));
    if (kind) *kind = is.kind;
    s = is.channels == 1 ? "" : "s";
    if (is.kind == GIG_ARRAY_SIGNAL)
        snprintf(text, bytes, "signal: %zu channel%s of %zu positions", is.channels, s, is.width);
    else if (is.kind == GIG_ARRAY_TOKENS)
        snprintf(text, bytes, "tokens: %zu positions of %zu value%s", is.width, is.channels, s);
    else if (is.kind == GIG_ARRAY_TABLE)
        snprintf(text, bytes, "table: %zu column%s", is.width, is.width == 1 ? "" : "s");
    else
        snprintf(text, bytes, "slices: %zu of %zu x %zu (height x width), %zu channel%s", is.depth, is.height, is.width,
                 is.channels, s);
    return GIG_OK;
}
