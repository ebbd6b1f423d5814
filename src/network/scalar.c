/* SPDX-License-Identifier: Apache-2.0 */
/* The scalar that is explained, from one row of logits z, and its gradient with respect to them.
 * p_j = exp(z_j) / sum_k exp(z_k);  d p_t / d z_j = p_t (1[j = t] - p_j);  d log p_t / d z_j = 1[j = t] - p_j. */
#include "network/network.h"
#include <math.h>
#include <string.h>

static double largest(const float *values, size_t count)
{
    double most = values[0];
    for (size_t i = 1; i < count; i++)
        if (values[i] > most) most = values[i];
    return most;
}

/* log of the sum of exp(z - most), and most. */
static double log_sum(const float *logits, size_t classes, double most)
{
    double sum = 0.0;
    for (size_t i = 0; i < classes; i++) sum += exp(logits[i] - most);
    return log(sum);
}

static void softmax_row(double *value, float *seed, const float *logits, size_t classes, size_t target, int logarithm)
{
    double most = largest(logits, classes), shift = most + log_sum(logits, classes, most);
    double log_p = logits[target] - shift, p = exp(log_p);
    *value = logarithm ? log_p : p;
    double factor = logarithm ? 1.0 : p;
    for (size_t j = 0; seed && j < classes; j++) seed[j] = (float)(factor * ((j == target) - exp(logits[j] - shift)));
}

static double sigmoid(double z)
{
    return z >= 0 ? 1.0 / (1.0 + exp(-z)) : exp(z) / (1.0 + exp(z));
}

/* The output holds probabilities that no known Softmax computes: they are the scalars themselves. */
static gig_status given_probability(double *value, float *seed, const float *row, size_t target, gig_scalar scalar,
                                    gig_output_kind kind)
{
    const double off_by = 1e-3; /* by rounding at most */
    double p = kind == GIG_OUTPUT_LOG_PROBABILITIES ? exp(row[target]) : row[target], slope;
    int is_log = kind == GIG_OUTPUT_LOG_PROBABILITIES;
    if (p < -off_by || p > 1 + off_by) /* NaN is reported elsewhere */
        return gig_fail(GIG_EFORMAT, "the output is described as %sprobabilities, but class %zu has %g",
                        is_log ? "log-" : "", target, row[target]);
    if (scalar == GIG_LOG_PROBABILITY) {
        *value = is_log ? row[target] : log(p);
        slope = is_log ? 1.0 : 1.0 / p;
    } else {
        *value = p;
        slope = is_log ? p : 1.0;
    }
    if (seed) seed[target] = (float)slope;
    return GIG_OK;
}

gig_status gig_head_scalar(double *value, float *seed, const float *logits, size_t classes, size_t target,
                           gig_scalar scalar, gig_output_kind kind)
{
    if (target >= classes) return gig_fail(GIG_EARG, "class %zu does not exist: the model has %zu", target, classes);
    if (seed) memset(seed, 0, classes * sizeof *seed);
    if (scalar == GIG_VALUE) {
        *value = logits[target];
        if (seed) seed[target] = 1.0f;
        return GIG_OK;
    }
    if (kind != GIG_OUTPUT_LOGITS) return given_probability(value, seed, logits, target, scalar, kind);
    switch (scalar) {
    case GIG_VALUE:
    case GIG_LOGIT:
        *value = logits[target];
        if (seed) seed[target] = 1.0f;
        return GIG_OK;
    case GIG_SIGMOID: {
        double s = sigmoid(logits[target]);
        *value = s;
        if (seed) seed[target] = (float)(s * (1.0 - s));
        return GIG_OK;
    }
    case GIG_SOFTMAX:
    case GIG_LOG_PROBABILITY:
        softmax_row(value, seed, logits, classes, target, scalar == GIG_LOG_PROBABILITY);
        return GIG_OK;
    }
    return gig_fail(GIG_EARG, "unknown scalar %d", (int)scalar);
}

void gig_head_weighted(double *value, float *seed, const float *output, size_t classes, const float *weights,
                       gig_output_kind kind)
{
    double sum = 0.0, plain = 0.0;
    for (size_t j = 0; j < classes; j++) {
        sum += (double)weights[j] * output[j];
        plain += weights[j];
    }
    *value = sum;
    for (size_t j = 0; seed && j < classes; j++) {
        double w = weights[j], o = output[j];
        if (kind == GIG_OUTPUT_PROBABILITIES) w = o * (w - sum);
        if (kind == GIG_OUTPUT_LOG_PROBABILITIES) w = w - exp(o) * plain;
        if (kind == GIG_OUTPUT_SIGMOID) w = w * o * (1.0 - o);
        seed[j] = (float)w;
    }
}
