/* Softmax of one row of numbers, in operations that compilers put into vectors. */
#include "network/operators/soften.h"
#include "base/clones.h"
#include <math.h>
#include <string.h>

enum { LANES = 8 };

static const float least = -87.0f; /* exp of less counts as 0 */

/* exp(x) for -88 <= x <= 0 to 2 units in the last place, in operations that every compiler puts into vectors:
 * x = n ln 2 + r, |r| <= ln 2 / 2; e^r by its series, 2^n by its bits. Below `least`: 0. */
static inline float exp_of(float x)
{
    const float magic = 12582912.0f; /* 1.5 * 2^23: adding it rounds to a whole number, left in the low bits */
    const float shifted = x * 1.44269504f + magic, n = shifted - magic;
    const float r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
    float power, sum = 1.0f / 5040;
    uint32_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits + 127) << 23 & ((uint32_t)(x < least) - 1);
    memcpy(&power, &bits, sizeof power);
    sum = sum * r + 1.0f / 720;
    sum = sum * r + 1.0f / 120;
    sum = sum * r + 1.0f / 24;
    sum = sum * r + 1.0f / 6;
    sum = sum * r + 0.5f;
    sum = sum * r + 1.0f;
    sum = sum * r + 1.0f;
    return sum * power;
}

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
    double sums[LANES] = {0}, sum = 0;
    int64_t k = 0;
    for (int64_t j = 0; j < n; j++) {
        const float x = s[j] - shift;
        s[j] = x < least ? least - 1 : x;
    }
    for (int64_t j = 0; j < n; j++) s[j] = exp_of(s[j]);
    for (; k + LANES <= n; k += LANES)
        for (int l = 0; l < LANES; l++) sums[l] += s[k + l];
    for (; k < n; k++) sum += s[k];
    for (int l = 0; l < LANES; l++) sum += sums[l];
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
