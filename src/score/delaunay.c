/* SPDX-License-Identifier: Apache-2.0 */
/* Delaunay triangulation by halving and merging (Guibas and Stolfi 1985), O(n log n).
 *
 * Each edge is two directed halves e and e ^ 1. A half knows its origin and its neighbours counter-clockwise (`next`)
 * and clockwise (`before`) around that origin; faces are not stored. The halves of the plane are cut between rows, so
 * that a merge only touches the rows along the cut.
 *
 * Differs from the usual way with Qhull (a hull in three dimensions, in floating point): that takes as long as the WebP
 * encoding of the same pictures, allocates outside our budget, and returns by longjmp. */
#include "score/delaunay.h"
#include "base/memory.h"
#include "base/size.h"

typedef struct half {
    uint32_t origin, next, before;
} half;

typedef struct mesh {
    const gig_pixel *pixels;
    half *halves;
    uint32_t used, free; /* free: head of the list of deleted halves (linked by next); NONE if empty */
} mesh;

#define NONE UINT32_MAX

static uint32_t destination(const mesh *m, uint32_t e)
{
    return m->halves[e ^ 1].origin;
}

/* The next edge around the face on the left of e. */
static uint32_t left_next(const mesh *m, uint32_t e)
{
    return m->halves[e ^ 1].before;
}

static uint32_t make_edge(mesh *m, uint32_t from, uint32_t to)
{
    uint32_t e = m->free;
    if (e != NONE)
        m->free = m->halves[e].next;
    else {
        e = m->used;
        m->used += 2;
    }
    m->halves[e] = (half){from, e, e};
    m->halves[e ^ 1] = (half){to, e ^ 1, e ^ 1};
    return e;
}

/* Joins the rings of edges around two origins into one, or splits one into two. */
static void splice(mesh *m, uint32_t a, uint32_t b)
{
    uint32_t after_a = m->halves[a].next, after_b = m->halves[b].next;
    m->halves[a].next = after_b;
    m->halves[b].next = after_a;
    m->halves[after_b].before = a;
    m->halves[after_a].before = b;
}

/* A new edge from the end of a to the origin of b, with the face left of both on its left. */
static uint32_t join(mesh *m, uint32_t a, uint32_t b)
{
    uint32_t e = make_edge(m, destination(m, a), m->halves[b].origin);
    splice(m, e, left_next(m, a));
    splice(m, e ^ 1, b);
    return e;
}

static void delete_edge(mesh *m, uint32_t e)
{
    splice(m, e, m->halves[e].before);
    splice(m, e ^ 1, m->halves[e ^ 1].before);
    e &= ~1u;
    m->halves[e].origin = m->halves[e ^ 1].origin = NONE;
    m->halves[e].next = m->free;
    m->free = e;
}

static int left_of(const mesh *m, uint32_t point, uint32_t e)
{
    const gig_pixel *p = m->pixels;
    return gig_pixel_cross(p[point], p[m->halves[e].origin], p[destination(m, e)]) > 0;
}

static int right_of(const mesh *m, uint32_t point, uint32_t e)
{
    return left_of(m, point, e ^ 1);
}

/* Whether d lies inside (not on) the circle through a, b, c, which turn counter-clockwise. */
static int in_circle(const mesh *m, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    const gig_pixel *p = m->pixels;
    int64_t ax = p[a].row - p[d].row, ay = p[a].column - p[d].column;
    int64_t bx = p[b].row - p[d].row, by = p[b].column - p[d].column;
    int64_t cx = p[c].row - p[d].row, cy = p[c].column - p[d].column;
    return (ax * ax + ay * ay) * (bx * cy - by * cx) - (bx * bx + by * by) * (ax * cy - ay * cx) +
               (cx * cx + cy * cy) * (ax * by - ay * bx) >
           0;
}

/* The hull of a triangulated run of pixels: counter-clockwise out of its first pixel, clockwise out of its last. */
typedef struct hull {
    uint32_t first, last;
} hull;

static hull triangulate_few(mesh *m, uint32_t begin, uint32_t end)
{
    uint32_t a = make_edge(m, begin, begin + 1);
    if (end - begin == 2) return (hull){a, a ^ 1};
    uint32_t b = make_edge(m, begin + 1, begin + 2);
    splice(m, a ^ 1, b);
    int64_t turn = gig_pixel_cross(m->pixels[begin], m->pixels[begin + 1], m->pixels[begin + 2]);
    if (turn == 0) return (hull){a, b ^ 1};
    uint32_t c = join(m, b, a);
    return turn > 0 ? (hull){a, b ^ 1} : (hull){c ^ 1, c};
}

/* The edge that can close a triangle with `base` on its left side, after deleting edges whose circle contains the next.
 */
static uint32_t left_candidate(mesh *m, uint32_t base)
{
    uint32_t e = m->halves[base ^ 1].next;
    if (!right_of(m, destination(m, e), base)) return NONE;
    for (uint32_t after = m->halves[e].next;
         in_circle(m, destination(m, base), m->halves[base].origin, destination(m, e), destination(m, after));
         after = m->halves[e].next) {
        delete_edge(m, e);
        e = after;
    }
    return e;
}

static uint32_t right_candidate(mesh *m, uint32_t base)
{
    uint32_t e = m->halves[base].before;
    if (!right_of(m, destination(m, e), base)) return NONE;
    for (uint32_t after = m->halves[e].before;
         in_circle(m, destination(m, base), m->halves[base].origin, destination(m, e), destination(m, after));
         after = m->halves[e].before) {
        delete_edge(m, e);
        e = after;
    }
    return e;
}

/* Merges two triangulated halves from their common tangent `base` upwards. */
static void knit(mesh *m, uint32_t base)
{
    for (;;) {
        uint32_t left = left_candidate(m, base), right = right_candidate(m, base);
        if (left == NONE && right == NONE) return;
        if (left == NONE || (right != NONE && in_circle(m, destination(m, left), m->halves[left].origin,
                                                        m->halves[right].origin, destination(m, right))))
            base = join(m, right, base ^ 1);
        else
            base = join(m, base ^ 1, left ^ 1);
    }
}

/* Triangulates pixels begin..end-1; the recursion is as deep as the count has bits. */
static hull triangulate(mesh *m, uint32_t begin, uint32_t end)
{
    if (end - begin <= 3) return triangulate_few(m, begin, end);
    uint32_t middle = begin + (end - begin) / 2;
    hull low = triangulate(m, begin, middle), high = triangulate(m, middle, end);
    uint32_t left = low.last, right = high.first;
    for (;;) {
        if (left_of(m, m->halves[right].origin, left))
            left = left_next(m, left);
        else if (right_of(m, m->halves[left].origin, right))
            right = m->halves[right ^ 1].next;
        else
            break;
    }
    uint32_t base = join(m, right ^ 1, left);
    if (m->halves[left].origin == m->halves[low.first].origin) low.first = base ^ 1;
    if (m->halves[right].origin == m->halves[high.last].origin) high.last = base;
    knit(m, base);
    return (hull){low.first, high.last};
}

/* Lists every counter-clockwise face of three edges once, by its lowest edge. */
static void collect(gig_triangles *out, const mesh *m)
{
    for (uint32_t e = 0; e < m->used; e++) {
        uint32_t a = m->halves[e].origin;
        if (a == NONE) continue;
        uint32_t f = left_next(m, e), g = left_next(m, f);
        if (f < e || g < e || left_next(m, g) != e) continue;
        uint32_t b = m->halves[f].origin, c = m->halves[g].origin;
        if (gig_pixel_cross(m->pixels[a], m->pixels[b], m->pixels[c]) <= 0) continue;
        uint32_t *corners = out->corners[out->count++];
        corners[0] = a;
        corners[1] = b;
        corners[2] = c;
    }
}

gig_status gig_delaunay(gig_triangles *out, const gig_pixel *pixels, size_t count)
{
    *out = (gig_triangles){0};
    if (count < 3) return GIG_OK;
    if (count > GIG_MAX_ELEMENTS / 2) return gig_fail(GIG_ELIMIT, "%zu points to triangulate exceed the limit", count);
    /* A planar graph has at most 3 n edges and 2 n triangles. */
    mesh m = {.pixels = pixels, .halves = gig_alloc(6 * count, sizeof(half)), .free = NONE};
    out->corners = gig_alloc(2 * count, sizeof *out->corners);
    gig_status status = m.halves && out->corners ? GIG_OK : gig_alloc_status();
    if (status == GIG_OK) {
        triangulate(&m, 0, (uint32_t)count);
        collect(out, &m);
    } else
        gig_triangles_clear(out);
    gig_free(m.halves);
    return status;
}

void gig_triangles_clear(gig_triangles *triangles)
{
    gig_free(triangles->corners);
    *triangles = (gig_triangles){0};
}
