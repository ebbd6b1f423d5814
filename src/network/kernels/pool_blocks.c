/* SPDX-License-Identifier: Apache-2.0 */
#include "network/kernels/pool_blocks.h"
#include "base/clones.h"
#include <string.h>

int gig_pool_blocks_fit(gig_pool_blocks *out, const gig_window *w, int is_max, int block)
{
    if (w->spatial != 2 || (block != 8 && block != 16) || w->kernel[0] * w->kernel[1] > 256) return 0;
    for (int i = 0; i < 2; i++)
        if (w->dilation[i] != 1 || w->pad_begin[i] >= w->kernel[i]) return 0;
    *out = (gig_pool_blocks){.planes = (size_t)(w->batch * w->in_channels / block),
                             .block = block,
                             .is_max = is_max,
                             .include_pad = w->count_include_pad};
    for (int i = 0; i < 2; i++) {
        out->in[i] = w->in[i];
        out->out[i] = w->out[i];
        out->kernel[i] = w->kernel[i];
        out->stride[i] = w->stride[i];
        out->pad[i] = w->pad_begin[i];
    }
    return 1;
}

/* The part of a window that lies in the picture: kernel places [low, high), the first over picture place `at`. */
typedef struct reach {
    int64_t at, low, high;
} reach;

static inline reach reach_of(const gig_pool_blocks *p, int axis, int64_t o)
{
    int64_t start = o * p->stride[axis] - p->pad[axis];
    int64_t low = start < 0 ? -start : 0, high = p->in[axis] - start;
    return (reach){start + low, low, high < p->kernel[axis] ? high : p->kernel[axis]};
}

/* One over the number of places a mean is taken over. */
static inline float share(const gig_pool_blocks *p, reach y, reach x)
{
    int64_t count = p->include_pad ? p->kernel[0] * p->kernel[1] : (y.high - y.low) * (x.high - x.low);
    return 1.0f / (float)count;
}

static inline __attribute__((always_inline)) void max_at(const gig_pool_blocks *p, int b, reach y, reach x,
                                                         const float *src, float *dst, uint8_t *winner)
{
    float best[16];
    int32_t place[16];
    for (int l = 0; l < b; l++) {
        best[l] = src[(y.at * p->in[1] + x.at) * b + l];
        place[l] = (int32_t)(y.low * p->kernel[1] + x.low);
    }
    for (int64_t ky = y.low; ky < y.high; ky++)
        for (int64_t kx = x.low; kx < x.high; kx++) {
            const float *from = src + ((y.at + ky - y.low) * p->in[1] + x.at + kx - x.low) * b;
            int32_t k = (int32_t)(ky * p->kernel[1] + kx);
            for (int l = 0; l < b; l++) {
                int larger = from[l] > best[l]; /* the first maximum wins */
                place[l] = larger ? k : place[l];
                best[l] = larger ? from[l] : best[l];
            }
        }
    for (int l = 0; l < b; l++) {
        dst[l] = best[l];
        winner[l] = (uint8_t)place[l];
    }
}

static inline __attribute__((always_inline)) void mean_at(const gig_pool_blocks *p, int b, reach y, reach x,
                                                          const float *src, float *dst)
{
    float sum[16] = {0};
    for (int64_t ky = y.low; ky < y.high; ky++)
        for (int64_t kx = x.low; kx < x.high; kx++) {
            const float *from = src + ((y.at + ky - y.low) * p->in[1] + x.at + kx - x.low) * b;
            for (int l = 0; l < b; l++) sum[l] += from[l];
        }
    float factor = share(p, y, x);
    for (int l = 0; l < b; l++) dst[l] = sum[l] * factor;
}

static inline __attribute__((always_inline)) void pool(const gig_pool_blocks *p, int b, int is_max, const float *src,
                                                       float *dst, uint8_t *winner)
{
    size_t in = (size_t)(p->in[0] * p->in[1] * b);
    for (size_t plane = 0; plane < p->planes; plane++, src += in)
        for (int64_t oy = 0; oy < p->out[0]; oy++) {
            reach y = reach_of(p, 0, oy);
            for (int64_t ox = 0; ox < p->out[1]; ox++, dst += b) {
                reach x = reach_of(p, 1, ox);
                if (is_max) {
                    max_at(p, b, y, x, src, dst, winner);
                    winner += b;
                } else {
                    mean_at(p, b, y, x, src, dst);
                }
            }
        }
}

/* One body for each block size and kind, with both known to the compiler. */
GIG_CLONES static void max_8(const gig_pool_blocks *p, const float *src, float *dst, uint8_t *winner)
{
    pool(p, 8, 1, src, dst, winner);
}

GIG_CLONES static void max_16(const gig_pool_blocks *p, const float *src, float *dst, uint8_t *winner)
{
    pool(p, 16, 1, src, dst, winner);
}

GIG_CLONES static void mean_8(const gig_pool_blocks *p, const float *src, float *dst, uint8_t *winner)
{
    pool(p, 8, 0, src, dst, winner);
}

GIG_CLONES static void mean_16(const gig_pool_blocks *p, const float *src, float *dst, uint8_t *winner)
{
    pool(p, 16, 0, src, dst, winner);
}

gig_status gig_call_pool(const gig_action *action, void *const *pointers)
{
    const gig_pool_blocks *p = action->self;
    if (p->is_max)
        (p->block == 8 ? max_8 : max_16)(p, pointers[1], pointers[0], pointers[2]);
    else
        (p->block == 8 ? mean_8 : mean_16)(p, pointers[1], pointers[0], NULL);
    return GIG_OK;
}

/* ---- backward: each place gets the gradient of the windows it won, or its share of each window's mean ---- */

static inline __attribute__((always_inline)) void spread(const gig_pool_blocks *p, int b, int is_max,
                                                         const reach window[2], float *diff_src, const float *diff,
                                                         const uint8_t *winner)
{
    const reach y = window[0], x = window[1];
    float given[16];
    int32_t place[16];
    float factor = is_max ? 1.0f : share(p, y, x);
    for (int l = 0; l < b; l++) given[l] = diff[l] * factor;
    for (int l = 0; is_max && l < b; l++) place[l] = winner[l];
    for (int64_t ky = y.low; ky < y.high; ky++)
        for (int64_t kx = x.low; kx < x.high; kx++) {
            float *to = diff_src + ((y.at + ky - y.low) * p->in[1] + x.at + kx - x.low) * b;
            int32_t k = (int32_t)(ky * p->kernel[1] + kx);
            if (is_max)
                for (int l = 0; l < b; l++) to[l] += place[l] == k ? given[l] : 0.0f;
            else
                for (int l = 0; l < b; l++) to[l] += given[l];
        }
}

static inline __attribute__((always_inline)) void unpool(const gig_pool_blocks *p, int b, int is_max, float *diff_src,
                                                         const float *diff, const uint8_t *winner)
{
    size_t in = (size_t)(p->in[0] * p->in[1] * b);
    for (size_t plane = 0; plane < p->planes; plane++, diff_src += in) {
        memset(diff_src, 0, in * sizeof *diff_src);
        for (int64_t oy = 0; oy < p->out[0]; oy++) {
            reach y = reach_of(p, 0, oy);
            for (int64_t ox = 0; ox < p->out[1]; ox++, diff += b) {
                spread(p, b, is_max, (const reach[]){y, reach_of(p, 1, ox)}, diff_src, diff, winner);
                if (is_max) winner += b;
            }
        }
    }
}

GIG_CLONES static void unmax_8(const gig_pool_blocks *p, float *diff_src, const float *diff, const uint8_t *winner)
{
    unpool(p, 8, 1, diff_src, diff, winner);
}

GIG_CLONES static void unmax_16(const gig_pool_blocks *p, float *diff_src, const float *diff, const uint8_t *winner)
{
    unpool(p, 16, 1, diff_src, diff, winner);
}

GIG_CLONES static void unmean_8(const gig_pool_blocks *p, float *diff_src, const float *diff)
{
    unpool(p, 8, 0, diff_src, diff, NULL);
}

GIG_CLONES static void unmean_16(const gig_pool_blocks *p, float *diff_src, const float *diff)
{
    unpool(p, 16, 0, diff_src, diff, NULL);
}

gig_status gig_call_unpool(const gig_action *action, void *const *pointers)
{
    const gig_pool_blocks *p = action->self;
    if (p->is_max)
        (p->block == 8 ? unmax_8 : unmax_16)(p, pointers[0], pointers[1], pointers[2]);
    else
        (p->block == 8 ? unmean_8 : unmean_16)(p, pointers[0], pointers[1]);
    return GIG_OK;
}
