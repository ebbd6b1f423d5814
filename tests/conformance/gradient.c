/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients against central differences of F = sum of w * output, w seeded in [-1, 1].
 *
 * Difference: (4 D(h/2) - D(h)) / 3 with D(h) = (F(x+h) - F(x-h)) / 2h and h = 1/64, more where |x| is above 4096.
 * Tolerance:  2e-3 (1 + |difference| + greatest |gradient|), and what the difference itself is worth: |D(h) - D(h/2)|
 *             for curves, 2e-7 / h (sum of |w * output|) for the outputs' rounding to float.
 * Kinks:      where the graph has one of the operators below and the slopes on both sides of x differ, x is left out.
 * At most 48 elements of a point are compared, spread evenly; 12 of one that has more than 4096. */
#include "base/rng.h"
#include "case.h"
#include "internal/network.h"
#include <math.h>
#include <string.h>

static const double step = 1.0 / 64, tolerance = 2e-3, rounding = 2e-7;
enum { MOST_ELEMENTS = 48, LARGE_POINT = 4096, MOST_OF_LARGE = 12 };

/* Operators whose slope jumps somewhere, and those that jump themselves. */
static const char *const kinked[] = {
    "Relu",       "LeakyRelu", "PRelu",  "Elu",      "Selu",     "HardSigmoid", "HardSwish",       "ThresholdedRelu",
    "Shrink",     "Clip",      "Abs",    "Softsign", "Max",      "Min",         "MaxPool",         "GlobalMaxPool",
    "ReduceMax",  "ReduceMin", "Mod",    "TopK",     "ReduceL1", "ReduceL2",    "LpNormalization", "Sign",
    "Floor",      "Ceil",      "Round",  "Hardmax",  "Cast",     "Where",       "Equal",           "Less",
    "Greater",    "ArgMax",    "ArgMin", "Sqrt",     "Pow",      "LessOrEqual", "GreaterOrEqual",  "OneHot",
    "GridSample",
};

/* Operators that round and are differentiated straight through: differences say nothing about them. */
static const char *const rounded[] = {"QuantizeLinear", "DynamicQuantizeLinear", "QLinearConv", "QLinearMatMul"};

static int has_one_of(const gig_model *model, const char *const *names, size_t count)
{
    for (size_t n = 0; n < model->node_count; n++)
        for (size_t i = 0; i < count; i++)
            if (!strcmp(model->nodes[n].op, names[i])) return 1;
    return 0;
}

typedef struct probe {
    gig_function function;
    float *x;            /* moved in place */
    double middle, size; /* F(x), and the sum of |w * output| */
    int kinks;
} probe;

/* F with element k at `value`; NaN if it cannot be evaluated. */
static double value_at(probe *p, size_t k, float value)
{
    double result;
    const float kept = p->x[k], *points = p->x;
    p->x[k] = value;
    gig_status status = p->function.evaluate(p->function.payload, 1, &points, NULL, &result, NULL);
    p->x[k] = kept;
    return status == GIG_OK ? result : NAN;
}

typedef struct slope {
    double value, uncertainty;
    int kink; /* slopes on both sides differ, or F is not defined on both */
} slope;

static slope difference(probe *p, size_t k)
{
    double slopes[2] = {0}, sides[2]; /* at h and h / 2; by how much the slopes on both sides differ */
    float x = p->x[k], h = (float)fmax(step, fabs(x) * 0x1p-18);
    for (int i = 0; i < 2; i++) {
        float above = x + h / (float)(i + 1), below = x - h / (float)(i + 1);
        double high = value_at(p, k, above), low = value_at(p, k, below);
        slopes[i] = (high - low) / ((double)above - below);
        sides[i] = fabs((high - p->middle) / ((double)above - x) - (p->middle - low) / ((double)x - below));
    }
    slope s = {(4 * slopes[1] - slopes[0]) / 3, fabs(slopes[1] - slopes[0]) + rounding * p->size / h, 0};
    double least = tolerance * (1 + fabs(s.value));
    /* On a curve the sides close in on each other as h is halved and the slope stays; with a kink the sides keep their
     * distance, with a jump the slope doubles. */
    int kink = sides[1] > 0.57 * sides[0] && sides[1] > least;
    int jump = fabs(slopes[1] - slopes[0]) > 0.25 * fabs(slopes[1]) && fabs(slopes[1]) > least;
    s.kink = !isfinite(s.value) || (p->kinks && (kink || jump));
    return s;
}

static gig_status compare(gradient_report *report, probe *p, const float *gradient, size_t count)
{
    double greatest = 0;
    size_t most = count > LARGE_POINT ? MOST_OF_LARGE : MOST_ELEMENTS, stride = (count + most - 1) / most;
    for (size_t k = 0; k < count; k++) greatest = fmax(greatest, fabs(gradient[k]));
    for (size_t k = 0; k < count; k += stride) {
        slope s = difference(p, k);
        if (s.kink) {
            report->kinks++;
            continue;
        }
        report->elements++;
        if (fabs(gradient[k] - s.value) <= tolerance * (1 + fabs(s.value) + greatest) + s.uncertainty) continue;
        return gig_fail(GIG_EINTERNAL, "gradient %zu is %.7g, differences say %.7g", k, (double)gradient[k], s.value);
    }
    return GIG_OK;
}

gig_status check_gradient(gradient_report *report, const gig_model *model, struct gig_session *session,
                          const gig_tensor *output, const gig_tensor *point)
{
    size_t count = gig_tensor_count(point), outputs = gig_tensor_count(output);
    float *weights = gig_alloc(outputs + 2 * count, sizeof *weights);
    if (!weights) return gig_alloc_status();
    float *gradient = weights + outputs;
    probe p = {.x = gradient + count, .kinks = has_one_of(model, kinked, sizeof kinked / sizeof *kinked)};
    const float *points = p.x;
    memcpy(p.x, point->real, count * sizeof *p.x);
    gig_rng_fill_uniform((gig_rng){.seed = 7}, weights, outputs);
    for (size_t k = 0; k < outputs; k++) {
        weights[k] = 2 * weights[k] - 1;
        p.size += fabs((double)weights[k] * output->real[k]);
    }
    gig_status status = gig_session_weighted_function(&p.function, session, weights);
    if (status == GIG_OK) status = p.function.evaluate(p.function.payload, 1, &points, NULL, &p.middle, &gradient);
    if (status == GIG_ENUMERIC || status == GIG_EUNSUPPORTED)
        status = GIG_OK; /* the test's own values are not finite, or no gradient reaches the input: none to compare */
    else if (has_one_of(model, rounded, sizeof rounded / sizeof *rounded))
        ; /* values only */
    else if (status == GIG_OK)
        status = compare(report, &p, gradient, count);
    gig_free(weights);
    return status;
}
