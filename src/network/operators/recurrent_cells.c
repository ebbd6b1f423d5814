/* SPDX-License-Identifier: Apache-2.0 */
/* Cells of recurrent networks, as ONNX defines them (. is elementwise, subscripts are gates):
 *
 * LSTM: i = f(x Wi + h Ri + Pi . c + b)   f likewise   u = g(x Wc + h Rc + b)
 *       C = f . c + i . u                 o = f(x Wo + h Ro + Po . C + b)      H = o . h(C)
 * GRU:  z = f(x Wz + h Rz + b)   r likewise   u = g(x Wh + (r . h) Rh + b), or g(x Wh + bw + r . (h Rh + br))
 *       H = (1 - z) . u + z . h
 * RNN:  H = f(x W + h R + b) */
#include "network/operators/recurrent.h"
#include <math.h>
#include <string.h>
#include <strings.h>

enum { SIGMOID, TANH, RELU, AFFINE, LEAKY, THRESHOLDED, SCALED_TANH, HARD_SIGMOID, ELU, SOFTSIGN, SOFTPLUS };

gig_status gig_activation_find(gig_activation *out, int *parameters, const char *name)
{
    static const struct {
        const char *name;
        gig_activation activation;
        int parameters;
    } known[] = {{"Sigmoid", {SIGMOID, 0, 0}, 0},
                 {"Tanh", {TANH, 0, 0}, 0},
                 {"Relu", {RELU, 0, 0}, 0},
                 {"Affine", {AFFINE, 1, 0}, 2},
                 {"LeakyRelu", {LEAKY, 0.01f, 0}, 1},
                 {"ThresholdedRelu", {THRESHOLDED, 1, 0}, 1},
                 {"ScaledTanh", {SCALED_TANH, 1, 1}, 2},
                 {"HardSigmoid", {HARD_SIGMOID, 0.2f, 0.5f}, 2},
                 {"Elu", {ELU, 1, 0}, 1},
                 {"Softsign", {SOFTSIGN, 0, 0}, 0},
                 {"Softplus", {SOFTPLUS, 0, 0}, 0}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcasecmp(known[i].name, name)) {
            *out = known[i].activation;
            *parameters = known[i].parameters;
            return GIG_OK;
        }
    return gig_fail(GIG_EUNSUPPORTED, "activation \"%.40s\" of a recurrent operator is not supported", name);
}

static float sigmoid(float x)
{
    return x >= 0 ? 1 / (1 + expf(-x)) : expf(x) / (1 + expf(x));
}

static float value_of(const gig_activation *a, float x)
{
    switch (a->kind) {
    case SIGMOID: return sigmoid(x);
    case TANH: return tanhf(x);
    case RELU: return x > 0 ? x : 0;
    case AFFINE: return a->alpha * x + a->beta;
    case LEAKY: return x > 0 ? x : a->alpha * x;
    case THRESHOLDED: return x > a->alpha ? x : 0;
    case SCALED_TANH: return a->alpha * tanhf(a->beta * x);
    case HARD_SIGMOID: return fminf(fmaxf(a->alpha * x + a->beta, 0), 1);
    case ELU: return x > 0 ? x : a->alpha * expm1f(x);
    case SOFTSIGN: return x / (1 + fabsf(x));
    default: return x > 0 ? x + log1pf(expf(-x)) : log1pf(expf(x));
    }
}

/* By what went in and what came out. */
static float slope_of(const gig_activation *a, float x, float y)
{
    switch (a->kind) {
    case SIGMOID: return y * (1 - y);
    case TANH: return 1 - y * y;
    case RELU: return x > 0 ? 1 : 0;
    case AFFINE: return a->alpha;
    case LEAKY: return x > 0 ? 1 : a->alpha;
    case THRESHOLDED: return x > a->alpha ? 1 : 0;
    case SCALED_TANH: return a->alpha * a->beta - (a->alpha != 0 ? a->beta / a->alpha * y * y : 0);
    case HARD_SIGMOID: return y > 0 && y < 1 ? a->alpha : 0;
    case ELU: return x > 0 ? 1 : y + a->alpha;
    case SOFTSIGN: return 1 / ((1 + fabsf(x)) * (1 + fabsf(x)));
    default: return sigmoid(x);
    }
}

static float dot(const float *a, const float *b, size_t count)
{
    double sum = 0;
    for (size_t k = 0; k < count; k++) sum += (double)a[k] * b[k];
    return (float)sum;
}

/* to[k] += by * row[k] */
static void add_row(float *restrict to, const float *restrict row, float by, size_t count)
{
    for (size_t k = 0; k < count; k++) to[k] += by * row[k];
}

static float clipped(const gig_recurrence *of, float x)
{
    return of->clip > 0 ? fminf(fmaxf(x, -of->clip), of->clip) : x;
}

/* Which of f g h a gate has; the h of an LSTM is applied to the state, not to a gate. */
static const gig_activation *gate_activation(const gig_recurrence *of, size_t gate)
{
    int candidate = (of->kind == GIG_CELL_LSTM && gate == 3) || (of->kind == GIG_CELL_GRU && gate == 2);
    return &of->activation[candidate];
}

static void activate(const gig_recurrence *of, const gig_recurrent_step *step, size_t gate)
{
    const gig_activation *a = gate_activation(of, gate);
    for (size_t k = gate * of->hidden; k < (gate + 1) * of->hidden; k++) {
        step->before[k] = clipped(of, step->before[k]);
        step->after[k] = value_of(a, step->before[k]);
    }
}

/* x W + h R and biases, of all gates; the candidate of a GRU has its part of h apart. */
static void sum_gates(const gig_recurrence *of, const gig_recurrent_step *step, const float *x, const float *h)
{
    size_t H = of->hidden, rows = of->gates * H;
    for (size_t k = 0; k < rows; k++) {
        const int apart = of->kind == GIG_CELL_GRU && k >= 2 * H;
        step->before[k] = dot(of->w + k * of->features, x, of->features);
        if (!apart) step->before[k] += dot(of->r + k * H, h, H);
        if (of->bias) step->before[k] += of->bias[k] + (apart ? 0 : of->bias[rows + k]);
    }
}

static void lstm_forward(const gig_recurrence *of, const gig_recurrent_step *step, const float *c)
{
    enum { I, O, F, U };
    size_t H = of->hidden;
    float *before = step->before, *after = step->after;
    for (size_t k = 0; of->peep && k < H; k++) {
        before[I * H + k] += of->peep[k] * c[k];
        before[F * H + k] += of->peep[2 * H + k] * c[k];
    }
    activate(of, step, I);
    activate(of, step, F);
    activate(of, step, U);
    for (size_t k = 0; k < H; k++) {
        step->c[k] = after[F * H + k] * c[k] + after[I * H + k] * after[U * H + k];
        if (of->peep) before[O * H + k] += of->peep[H + k] * step->c[k];
    }
    activate(of, step, O);
    for (size_t k = 0; k < H; k++) step->h[k] = after[O * H + k] * value_of(&of->activation[2], step->c[k]);
}

static void gru_forward(const gig_recurrence *of, const gig_recurrent_step *step, const float *h)
{
    enum { Z, R, U };
    size_t H = of->hidden, rows = of->gates * H;
    const float *own = of->r + U * H * H;
    activate(of, step, Z);
    activate(of, step, R);
    for (size_t k = 0; k < H; k++) {
        const float bias = of->bias ? of->bias[rows + U * H + k] : 0;
        double sum = 0;
        for (size_t j = 0; j < H; j++)
            sum += (double)own[k * H + j] * h[j] * (of->reset_after ? 1.0f : step->after[R * H + j]);
        step->inner[k] = (float)sum + bias;
        step->before[U * H + k] += of->reset_after ? step->after[R * H + k] * step->inner[k] : step->inner[k];
    }
    activate(of, step, U);
    for (size_t k = 0; k < H; k++) {
        const float z = step->after[Z * H + k];
        step->h[k] = (1 - z) * step->after[U * H + k] + z * h[k];
    }
}

void gig_recurrent_forward(const gig_recurrence *of, const gig_recurrent_step *step, const float *x,
                           gig_recurrent_state before)
{
    sum_gates(of, step, x, before.h);
    if (of->kind == GIG_CELL_LSTM) {
        lstm_forward(of, step, before.c);
    } else if (of->kind == GIG_CELL_GRU) {
        gru_forward(of, step, before.h);
    } else {
        activate(of, step, 0);
        memcpy(step->h, step->after, of->hidden * sizeof *step->h);
    }
}

/* ---- back ---- */

/* d of a gate's sum, from d of what it gives. */
static float through(const gig_recurrence *of, const gig_recurrent_step *step, size_t gate, size_t k, float d)
{
    const size_t at = gate * of->hidden + k;
    if (of->clip > 0 && fabsf(step->before[at]) >= of->clip) return 0;
    return d * slope_of(gate_activation(of, gate), step->before[at], step->after[at]);
}

/* d: with respect to the gates' sums; d_h and d_c become those of the states before. */
static void lstm_backward(const gig_recurrence *of, const gig_recurrent_step *step, const float *c, const float *d_h,
                          float *d_c, float *d)
{
    enum { I, O, F, U };
    size_t H = of->hidden;
    const float *after = step->after;
    for (size_t k = 0; k < H; k++) {
        const float lifted = value_of(&of->activation[2], step->c[k]);
        d[O * H + k] = through(of, step, O, k, d_h[k] * lifted);
        float dc = d_c[k] + d_h[k] * after[O * H + k] * slope_of(&of->activation[2], step->c[k], lifted);
        if (of->peep) dc += of->peep[H + k] * d[O * H + k];
        d[I * H + k] = through(of, step, I, k, dc * after[U * H + k]);
        d[F * H + k] = through(of, step, F, k, dc * c[k]);
        d[U * H + k] = through(of, step, U, k, dc * after[I * H + k]);
        d_c[k] = dc * after[F * H + k];
        if (of->peep) d_c[k] += of->peep[k] * d[I * H + k] + of->peep[2 * H + k] * d[F * H + k];
    }
}

/* Adds to d_next what reaches h otherwise than through z's and r's sums. */
static void gru_backward(const gig_recurrence *of, const gig_recurrent_step *step, const float *h, const float *d_h,
                         float *d, float *d_next)
{
    enum { Z, R, U };
    size_t H = of->hidden;
    const float *own = of->r + U * H * H, *after = step->after;
    for (size_t k = 0; k < H; k++) {
        d[Z * H + k] = through(of, step, Z, k, d_h[k] * (h[k] - after[U * H + k]));
        d[U * H + k] = through(of, step, U, k, d_h[k] * (1 - after[Z * H + k]));
        d_next[k] += d_h[k] * after[Z * H + k];
        d[R * H + k] = 0;
    }
    for (size_t k = 0; k < H; k++) {
        const float du = d[U * H + k];
        if (of->reset_after) {
            d[R * H + k] = du * step->inner[k];
            add_row(d_next, own + k * H, du * after[R * H + k], H);
            continue;
        }
        for (size_t j = 0; j < H; j++) {
            d_next[j] += du * own[k * H + j] * after[R * H + j];
            d[R * H + j] += du * own[k * H + j] * h[j];
        }
    }
    for (size_t k = 0; k < H; k++) d[R * H + k] = through(of, step, R, k, d[R * H + k]);
}

void gig_recurrent_backward(const gig_recurrence *of, const gig_recurrent_step *step, gig_recurrent_state before,
                            float *d_h, float *d_c, float *d_x, float *work)
{
    size_t H = of->hidden, rows = of->gates * H;
    float *d = work, *d_next = work + rows; /* [G H], [H] */
    memset(d_next, 0, H * sizeof *d_next);
    if (of->kind == GIG_CELL_LSTM)
        lstm_backward(of, step, before.c, d_h, d_c, d);
    else if (of->kind == GIG_CELL_GRU)
        gru_backward(of, step, before.h, d_h, d, d_next);
    else
        for (size_t k = 0; k < H; k++) d[k] = through(of, step, 0, k, d_h[k]);
    for (size_t k = 0; k < rows; k++) {
        if (d_x) add_row(d_x, of->w + k * of->features, d[k], of->features);
        if (of->kind != GIG_CELL_GRU || k < 2 * H) add_row(d_next, of->r + k * H, d[k], H);
    }
    memcpy(d_h, d_next, H * sizeof *d_h);
}
