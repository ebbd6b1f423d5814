/* SPDX-License-Identifier: Apache-2.0 */
/* The transpose of a pass is a pass as well: a cell is read by results that follow one another, so that its gradient is
 * a weighted sum of consecutive numbers too. Neither adds to memory that others have written. */
#include "network/kernels/resample.h"
#include "base/clones.h"
#include "base/memory.h"
#include <string.h>

/* Rows of numbers side by side: inner > 1. */
GIG_CLONES static void run_rows(float *restrict out, const float *restrict in, const gig_pass *p)
{
    const int64_t inner = p->inner;
    for (int64_t o = 0; o < p->outer; o++, in += p->in * inner)
        for (int64_t x = 0; x < p->out; x++, out += inner) {
            const float *from = in + p->first[x] * inner, *weight = p->weight + x * p->width;
            int64_t t = p->width % 2;
            if (t)
                for (int64_t i = 0; i < inner; i++) out[i] = weight[0] * from[i];
            else
                for (int64_t i = 0; i < inner; i++) out[i] = weight[0] * from[i] + weight[1] * from[inner + i];
            for (t = t ? 1 : 2; t < p->width; t += 2) {
                const float *a = from + t * inner, *b = a + inner;
                for (int64_t i = 0; i < inner; i++) out[i] += weight[t] * a[i] + weight[t + 1] * b[i];
            }
        }
}

/* Along the last axis; weight [width][out]. */
GIG_CLONES static void run_along(float *restrict out, const float *restrict in, const gig_pass *p, const float *weight)
{
    const int32_t *first = p->first;
    for (int64_t o = 0; o < p->outer; o++, in += p->in, out += p->out) {
        for (int64_t x = 0; x < p->out; x++) out[x] = weight[x] * in[first[x]];
        for (int64_t t = 1; t < p->width; t++)
            for (int64_t x = 0; x < p->out; x++) out[x] += weight[t * p->out + x] * in[first[x] + t];
    }
}

gig_status gig_pass_run(float *out, const float *in, const gig_pass *p)
{
    if (p->inner > 1) {
        run_rows(out, in, p);
        return GIG_OK;
    }
    float *weight = gig_alloc((size_t)(p->out * p->width), sizeof *weight);
    if (!weight) return gig_alloc_status();
    for (int64_t x = 0; x < p->out; x++)
        for (int64_t t = 0; t < p->width; t++) weight[t * p->out + x] = p->weight[x * p->width + t];
    run_along(out, in, p, weight);
    gig_free(weight);
    return GIG_OK;
}

/* How many results read cell i, from the first to the last of them: begin[i] and end[i]; the widest range. */
static int64_t find_readers(int64_t *begin, int64_t *end, const gig_pass *p)
{
    int64_t widest = 1;
    for (int64_t i = 0; i < p->in; i++) {
        begin[i] = p->out;
        end[i] = 0;
    }
    for (int64_t x = 0; x < p->out; x++)
        for (int64_t i = p->first[x]; i < p->first[x] + p->width; i++) {
            if (x < begin[i]) begin[i] = x;
            if (x >= end[i]) end[i] = x + 1;
        }
    for (int64_t i = 0; i < p->in; i++)
        if (end[i] - begin[i] > widest) widest = end[i] - begin[i];
    return widest;
}

gig_status gig_pass_transposed(float *d_in, const float *d_out, const gig_pass *p)
{
    int64_t *begin = gig_alloc((size_t)p->in, 2 * sizeof *begin), *end = begin + p->in;
    if (!begin) return gig_alloc_status();
    int64_t width = find_readers(begin, end, p);
    float *weight = gig_alloc_zero((size_t)(p->in * width), sizeof *weight);
    int32_t *first = gig_alloc_zero((size_t)p->in, sizeof *first);
    gig_status status = weight && first ? GIG_OK : gig_alloc_status();
    for (int64_t i = 0; i < p->in && status == GIG_OK; i++) {
        int64_t from = begin[i] < p->out - width ? begin[i] : p->out - width; /* its range may not leave the results */
        first[i] = (int32_t)from;
        for (int64_t x = begin[i]; x < end[i]; x++) {
            int64_t t = i - p->first[x];
            if (t >= 0 && t < p->width) weight[i * width + x - from] = p->weight[x * p->width + t];
        }
    }
    const gig_pass back = {p->outer, p->out, p->in, p->inner, width, first, weight};
    if (status == GIG_OK) status = gig_pass_run(d_in, d_out, &back);
    gig_free(begin);
    gig_free(weight);
    gig_free(first);
    return status;
}
