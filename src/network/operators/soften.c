/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax of one row of numbers, in operations that compilers put into vectors. */
#include "network/operators/soften.h"
#include "base/clones.h"
#include "network/operators/broadcast.h"
#include "network/operators/smooth.h"

enum { LANES = 8 };

static inline float greatest(const float *s, int64_t n)
{
    float most[LANES], all = -INFINITY;
    int64_t k = 0;
    for (int l = 0; l < LANES; l++) most[l] = -INFINITY;
    for (; k + LANES <= n; k += LANES)
        for (int l = 0; l < LANES; l++) most[l] = s[k + l] > most[l] ? s[k + l] : most[l];
    for (int l = 0; l < LANES; l++) all = most[l] > all ? most[l] : all;
    for (; k < n; k++) all = s[k] > all ? s[k] : all;
    return all;
}

GIG_CLONES int gig_soften(float *s, int64_t n)
{
    const float most = greatest(s, n), shift = most == -INFINITY ? 0.0f : most;
    for (int64_t j = 0; j < n; j++) s[j] = gig_exp_down(s[j] - shift);
    const double sum = gig_sum(s, n);
    const float by = sum == 0 ? 0.0f : (float)(1 / sum);
    for (int64_t j = 0; j < n; j++) s[j] *= by;
    return sum != 0;
}

GIG_CLONES void gig_soften_backward(float *d_s, const float *d, const float *p, int64_t n)
{
    double sums[LANES] = {0}, sum = 0;
    int64_t k = 0;
    for (; k + LANES <= n; k += LANES)
        for (int l = 0; l < LANES; l++) sums[l] += (double)d[k + l] * p[k + l];
    for (; k < n; k++) sum += (double)d[k] * p[k];
    for (int l = 0; l < LANES; l++) sum += sums[l];
    for (int64_t j = 0; j < n; j++) d_s[j] = p[j] * (float)(d[j] - sum); /* often nearly equal: in double */
}
