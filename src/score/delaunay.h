/* SPDX-License-Identifier: Apache-2.0 */
/* Delaunay triangulation of pixels. All arithmetic is in integers, so nothing is ever nearly collinear or nearly on
 * a circle, and co-circular pixels (there are many on a grid) always give the same triangles. */
#ifndef GIG_SCORE_DELAUNAY_H
#define GIG_SCORE_DELAUNAY_H

#include "base/status.h"
#include <stddef.h>
#include <stdint.h>

/* Largest coordinate: the in-circle test of points within 2^14 of each other stays below 12 * 2^56 < 2^63. */
enum { GIG_DELAUNAY_SIDE = 1 << 14 };

typedef struct gig_pixel {
    int32_t row, column; /* 0 .. GIG_DELAUNAY_SIDE - 1 */
} gig_pixel;

typedef struct gig_triangles {
    size_t count;
    uint32_t (*corners)[3]; /* indices into the pixels, each triangle turning the same way: cross > 0 */
} gig_triangles;

/* Twice the area of the triangle; positive when a, b, c turn from the row axis towards the column axis. */
static inline int64_t gig_pixel_cross(gig_pixel a, gig_pixel b, gig_pixel c)
{
    return (int64_t)(b.row - a.row) * (c.column - a.column) - (int64_t)(b.column - a.column) * (c.row - a.row);
}

/* The pixels must be distinct and sorted by row, then column (the order of a raster scan). Fewer than three, or all on
 * one line: no triangles. Free with gig_triangles_clear. */
gig_status gig_delaunay(gig_triangles *out, const gig_pixel *pixels, size_t count);
void gig_triangles_clear(gig_triangles *triangles);

#endif
