/* SPDX-License-Identifier: Apache-2.0 */
/* LSTM, GRU and RNN over a sequence: both directions, both layouts, initial states, peepholes, lengths of sequences.
 * The way back runs the sequence again and keeps what each step leaves (recurrent_cells.c has the formulas).
 * Weights must be constants: there are no gradients with respect to them. */
#include "network/operators/recurrent.h"
#include <stdio.h>
#include <string.h>

enum { X, W, R, BIAS, LENGTHS, H0, C0, PEEP, PORTS };
enum { Y, Y_H, Y_C };

typedef struct sequence {
    gig_recurrence of[2]; /* weights are set when run: constants may move */
    size_t directions, steps, batch;
    int reverse, batch_first;
} sequence;

/* Input i, where it is there: inputs after the fifth mean the states and, of an LSTM, peepholes. */
static const gig_tensor *port(const gig_op *op, const gig_tensor *const *in, size_t i)
{
    return i < op->in_count && op->in[i] ? in[i] : NULL;
}

/* ---- attributes ---- */

static gig_status read_activations(gig_op *op, sequence *s)
{
    static const char *const standard[3][3] = {
        {"Sigmoid", "Tanh", "Tanh"}, {"Sigmoid", "Tanh", NULL}, {"Tanh", NULL, NULL}};
    const gig_cell_kind kind = s->of[0].kind;
    const size_t each = kind == GIG_CELL_LSTM ? 3 : kind == GIG_CELL_GRU ? 2 : 1;
    const gig_attribute *given = gig_node_attribute(op->node, "activations");
    const gig_attribute *alphas = gig_node_attribute(op->node, "activation_alpha");
    const gig_attribute *betas = gig_node_attribute(op->node, "activation_beta");
    if (given && given->kind != GIG_ATTRIBUTE_STRINGS)
        return gig_fail(GIG_EFORMAT, "%s: attribute activations is not a list of names", op->row->name);
    if (given && given->count != each * s->directions)
        return gig_fail(GIG_EFORMAT, "%s: %zu activations, not %zu", op->row->name, given->count, each * s->directions);
    const char *at = given ? given->s : NULL;
    for (size_t i = 0, used_a = 0, used_b = 0; i < each * s->directions; i++) {
        gig_activation *out = &s->of[i / each].activation[i % each];
        char name[64];
        int parameters;
        snprintf(name, sizeof name, "%s", standard[kind][i % each]);
        if (at) {
            size_t length = strcspn(at, "\n");
            snprintf(name, sizeof name, "%.*s", (int)(length < 60 ? length : 60), at);
            at += length + (at[length] == '\n');
        }
        GIG_TRY(gig_activation_find(out, &parameters, name));
        if (parameters > 0 && alphas && alphas->kind == GIG_ATTRIBUTE_REALS && used_a < alphas->count)
            out->alpha = alphas->reals[used_a++];
        if (parameters > 1 && betas && betas->kind == GIG_ATTRIBUTE_REALS && used_b < betas->count)
            out->beta = betas->reals[used_b++];
    }
    return GIG_OK;
}

static gig_status read_direction(gig_op *op, sequence *s)
{
    const char *direction = gig_node_string(op->node, "direction", "forward");
    s->directions = 1;
    if (!strcmp(direction, "bidirectional"))
        s->directions = 2;
    else if (!strcmp(direction, "reverse"))
        s->reverse = 1;
    else if (strcmp(direction, "forward") != 0)
        return gig_fail(GIG_EFORMAT, "%s: direction \"%.40s\"", op->row->name, direction);
    if (gig_node_int(op->node, "input_forget", 0))
        return gig_fail(GIG_EUNSUPPORTED, "%s with coupled gates (input_forget) is not supported", op->row->name);
    s->batch_first = gig_node_int(op->node, "layout", 0) != 0;
    return GIG_OK;
}

/* ---- shapes ---- */

static gig_status expect_dims(const gig_op *op, size_t i, int rank, const int64_t *dims)
{
    const gig_tensor *t = port(op, op->in, i);
    char found[100], wanted[100];
    if (!t) return GIG_OK;
    if (t->type == GIG_FLOAT32 && t->rank == rank && !memcmp(t->dims, dims, (size_t)rank * sizeof *dims)) return GIG_OK;
    return gig_fail(GIG_EFORMAT, "%s: input %zu is %s, not %s", op->row->name, i,
                    gig_dims_text(found, sizeof found, t->rank, t->dims),
                    gig_dims_text(wanted, sizeof wanted, rank, dims));
}

static gig_status expect_constants(const gig_op *op)
{
    static const size_t ports[] = {W, R, BIAS, PEEP};
    for (size_t i = 0; i < sizeof ports / sizeof *ports; i++) {
        const gig_tensor *t = port(op, op->in, ports[i]);
        if (t && !t->data)
            return gig_fail(GIG_EUNSUPPORTED, "%s: input %zu (weights) is not constant", op->row->name, ports[i]);
    }
    return GIG_OK;
}

static gig_status expect_inputs(const gig_op *op, const sequence *s)
{
    const int64_t D = (int64_t)s->directions, B = (int64_t)s->batch, H = (int64_t)s->of[0].hidden;
    const int64_t G = (int64_t)s->of[0].gates, I = (int64_t)s->of[0].features;
    const gig_tensor *lengths = port(op, op->in, LENGTHS);
    GIG_TRY(expect_dims(op, W, 3, (const int64_t[]){D, G * H, I}));
    GIG_TRY(expect_dims(op, R, 3, (const int64_t[]){D, G * H, H}));
    GIG_TRY(expect_dims(op, BIAS, 2, (const int64_t[]){D, 2 * G * H}));
    for (size_t i = H0; i <= C0; i++)
        GIG_TRY(expect_dims(op, i, 3, s->batch_first ? (const int64_t[]){B, D, H} : (const int64_t[]){D, B, H}));
    GIG_TRY(expect_dims(op, PEEP, 2, (const int64_t[]){D, 3 * H}));
    if (lengths && (lengths->type != GIG_INT64 || gig_tensor_count(lengths) != s->batch))
        return gig_fail(GIG_EFORMAT, "%s: there is not one length for each of %zu sequences", op->row->name, s->batch);
    return expect_constants(op);
}

static gig_status set_outputs(gig_op *op, const sequence *s)
{
    const int64_t D = (int64_t)s->directions, B = (int64_t)s->batch, H = (int64_t)s->of[0].hidden,
                  T = (int64_t)s->steps;
    const int64_t all[2][4] = {{T, D, B, H}, {B, T, D, H}}, last[2][3] = {{D, B, H}, {B, D, H}};
    for (size_t i = 0; i < op->out_count; i++) op->out_onnx[i] = op->in_onnx[0];
    GIG_TRY(gig_op_set_output(op, Y, GIG_FLOAT32, 4, all[s->batch_first]));
    GIG_TRY(gig_op_set_output(op, Y_H, GIG_FLOAT32, 3, last[s->batch_first]));
    return s->of[0].kind == GIG_CELL_LSTM ? gig_op_set_output(op, Y_C, GIG_FLOAT32, 3, last[s->batch_first]) : GIG_OK;
}

static gig_status infer(gig_op *op, gig_cell_kind kind, size_t gates)
{
    GIG_TRY(gig_op_expect_inputs(op, 3, kind == GIG_CELL_LSTM ? PORTS : C0));
    GIG_TRY(gig_op_expect_type(op, X, GIG_FLOAT32));
    if (op->in[X]->rank != 3 || op->in[R]->rank != 3)
        return gig_fail(GIG_EFORMAT, "%s: X and R must be of rank 3", op->row->name);
    sequence *s = gig_alloc_zero(1, sizeof *s);
    if (!s) return gig_alloc_status();
    op->params = s;
    GIG_TRY(read_direction(op, s));
    s->steps = (size_t)op->in[X]->dims[s->batch_first];
    s->batch = (size_t)op->in[X]->dims[!s->batch_first];
    if (!s->steps) return gig_fail(GIG_EFORMAT, "%s: the sequence is empty", op->row->name);
    for (size_t d = 0; d < 2; d++) {
        s->of[d].kind = kind;
        s->of[d].gates = gates;
        s->of[d].hidden = (size_t)op->in[R]->dims[2];
        s->of[d].features = (size_t)op->in[X]->dims[2];
        s->of[d].clip = gig_node_real(op->node, "clip", 0);
        s->of[d].reset_after = gig_node_int(op->node, "linear_before_reset", 0) != 0;
    }
    int64_t said = gig_node_int(op->node, "hidden_size", (int64_t)s->of[0].hidden);
    if (said != (int64_t)s->of[0].hidden)
        return gig_fail(GIG_EFORMAT, "%s: hidden_size %lld, and weights for %zu", op->row->name, (long long)said,
                        s->of[0].hidden);
    GIG_TRY(read_activations(op, s));
    GIG_TRY(expect_inputs(op, s));
    return set_outputs(op, s);
}

static gig_status lstm_infer(gig_op *op)
{
    return infer(op, GIG_CELL_LSTM, 4);
}

static gig_status gru_infer(gig_op *op)
{
    return infer(op, GIG_CELL_GRU, 3);
}

static gig_status rnn_infer(gig_op *op)
{
    return infer(op, GIG_CELL_RNN, 1);
}

/* ---- one row of one direction ---- */

typedef struct run {
    const sequence *s;
    gig_recurrence of;
    size_t direction, row, length;
    int backward_in_time;
    float *block;   /* one step's worth of memory behind the other */
    size_t stride;  /* floats of a step */
    float *h0, *c0; /* [H] */
} run;

static gig_recurrent_step step_at(const run *r, size_t step)
{
    size_t rows = r->of.gates * r->of.hidden, H = r->of.hidden;
    float *at = r->block + step * r->stride;
    return (gig_recurrent_step){at, at + rows, at + 2 * rows, at + 2 * rows + H, at + 2 * rows + 2 * H};
}

/* Where the numbers of time t of this row begin in X, and of this direction in Y. */
static size_t x_at(const run *r, size_t t)
{
    const sequence *s = r->s;
    return (s->batch_first ? r->row * s->steps + t : t * s->batch + r->row) * r->of.features;
}

static size_t y_at(const run *r, size_t t)
{
    const sequence *s = r->s;
    size_t at = s->batch_first ? (r->row * s->steps + t) * s->directions + r->direction
                               : (t * s->directions + r->direction) * s->batch + r->row;
    return at * r->of.hidden;
}

static size_t state_at(const run *r)
{
    const sequence *s = r->s;
    size_t at = s->batch_first ? r->row * s->directions + r->direction : r->direction * s->batch + r->row;
    return at * r->of.hidden;
}

/* The time that step k looks at. */
static size_t time_of(const run *r, size_t k)
{
    return r->backward_in_time ? r->length - 1 - k : k;
}

static void start(run *r, const gig_op *op, const gig_tensor *const *in, size_t direction, size_t row)
{
    const sequence *s = r->s;
    const size_t H = s->of[0].hidden, rows = s->of[0].gates * H;
    const gig_tensor *lengths = port(op, in, LENGTHS), *h0 = port(op, in, H0), *c0 = port(op, in, C0);
    const gig_tensor *bias = port(op, in, BIAS), *peep = port(op, in, PEEP);
    r->of = s->of[direction];
    r->direction = direction;
    r->row = row;
    r->backward_in_time = direction == 1 || s->reverse;
    r->length = s->steps;
    if (lengths && lengths->whole[row] < (int64_t)s->steps)
        r->length = lengths->whole[row] < 0 ? 0 : (size_t)lengths->whole[row];
    r->of.w = in[W]->real + direction * rows * r->of.features;
    r->of.r = in[R]->real + direction * rows * H;
    r->of.bias = bias ? bias->real + direction * 2 * rows : NULL;
    r->of.peep = peep ? peep->real + direction * 3 * H : NULL;
    for (size_t k = 0; k < H; k++) {
        r->h0[k] = h0 ? h0->real[state_at(r) + k] : 0;
        r->c0[k] = c0 ? c0->real[state_at(r) + k] : 0;
    }
}

static void walk(run *r, const float *x)
{
    gig_recurrent_state before = {r->h0, r->c0};
    for (size_t k = 0; k < r->length; k++) {
        gig_recurrent_step step = step_at(r, k);
        gig_recurrent_forward(&r->of, &step, x + x_at(r, time_of(r, k)), before);
        before = (gig_recurrent_state){step.h, step.c};
    }
}

/* Memory for all steps of one row; *extra floats more at `work`. */
static gig_status open_run(run *r, const sequence *s, size_t extra, float **work)
{
    size_t H = s->of[0].hidden, count;
    *r = (run){.s = s, .stride = 2 * s->of[0].gates * H + 3 * H};
    if (!gig_size_multiply(&count, r->stride, s->steps) || count > GIG_MAX_ELEMENTS)
        return gig_fail(GIG_ELIMIT, "a sequence of %zu steps needs too much memory", s->steps);
    r->block = gig_alloc_zero(count + 2 * H + extra, sizeof *r->block);
    if (!r->block) return gig_alloc_status();
    r->h0 = r->block + count;
    r->c0 = r->h0 + H;
    *work = r->c0 + H;
    return GIG_OK;
}

static gig_tensor *wanted(const gig_op *op, gig_tensor *const *out, size_t i)
{
    return i < op->out_count && op->out[i] ? out[i] : NULL;
}

static gig_status forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    const sequence *s = op->params;
    gig_tensor *y = wanted(op, out, Y), *y_h = wanted(op, out, Y_H), *y_c = wanted(op, out, Y_C);
    run r;
    float *work = NULL;
    const size_t bytes = s->of[0].hidden * sizeof(float);
    GIG_TRY(open_run(&r, s, 0, &work));
    if (y) memset(y->data, 0, gig_tensor_bytes(y)); /* behind a sequence's end */
    for (size_t d = 0; d < s->directions; d++)
        for (size_t b = 0; b < s->batch; b++) {
            start(&r, op, in, d, b);
            walk(&r, in[X]->real);
            for (size_t k = 0; y && k < r.length; k++)
                memcpy(y->real + y_at(&r, time_of(&r, k)), step_at(&r, k).h, bytes);
            if (y_h) memcpy(y_h->real + state_at(&r), r.length ? step_at(&r, r.length - 1).h : r.h0, bytes);
            if (y_c) memcpy(y_c->real + state_at(&r), r.length ? step_at(&r, r.length - 1).c : r.c0, bytes);
        }
    gig_free(r.block);
    return GIG_OK;
}

static void load(float *to, const gig_tensor *from, size_t at, size_t count)
{
    if (from)
        memcpy(to, from->real + at, count * sizeof *to);
    else
        memset(to, 0, count * sizeof *to);
}

/* d_y, d_y_h and d_y_c of this row, back to X and to the first states. */
static void walk_back(run *r, const gig_tensor *const d[3], float *d_x, gig_tensor *d_h0, gig_tensor *d_c0, float *work)
{
    const size_t H = r->of.hidden;
    float *d_h = work, *d_c = work + H, *rest = work + 2 * H;
    load(d_h, d[Y_H], state_at(r), H);
    load(d_c, d[Y_C], state_at(r), H);
    for (size_t k = r->length; k-- > 0;) {
        const gig_recurrent_step step = step_at(r, k), last = k ? step_at(r, k - 1) : step;
        size_t t = time_of(r, k);
        for (size_t j = 0; d[Y] && j < H; j++) d_h[j] += d[Y]->real[y_at(r, t) + j];
        gig_recurrent_backward(&r->of, &step,
                               k ? (gig_recurrent_state){last.h, last.c} : (gig_recurrent_state){r->h0, r->c0}, d_h,
                               d_c, d_x ? d_x + x_at(r, t) : NULL, rest);
    }
    if (d_h0) memcpy(d_h0->real + state_at(r), d_h, H * sizeof *d_h);
    if (d_c0) memcpy(d_c0->real + state_at(r), d_c, H * sizeof *d_c);
}

static gig_status backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                           const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    const sequence *s = op->params;
    const gig_tensor *d[3] = {0};
    gig_tensor *d_h0 = op->in_count > H0 ? d_in[H0] : NULL, *d_c0 = op->in_count > C0 ? d_in[C0] : NULL;
    run r;
    float *work = NULL;
    (void)out;
    for (size_t i = 0; i < 3 && i < op->out_count; i++) d[i] = d_out[i];
    GIG_TRY(open_run(&r, s, 2 * s->of[0].hidden + 2 * s->of[0].gates * s->of[0].hidden + s->of[0].hidden, &work));
    if (d_in[X]) memset(d_in[X]->data, 0, gig_tensor_bytes(d_in[X]));
    for (size_t direction = 0; direction < s->directions; direction++)
        for (size_t b = 0; b < s->batch; b++) {
            start(&r, op, in, direction, b);
            walk(&r, in[X]->real);
            walk_back(&r, d, d_in[X] ? d_in[X]->real : NULL, d_h0, d_c0, work);
        }
    gig_free(r.block);
    return GIG_OK;
}

const gig_operator gig_operators_recurrent[] = {
    {"LSTM", 7, 0, GIG_OP_SPARE_OUTPUTS | GIG_OP_ANY_OUTPUT, GIG_NEEDS_INPUTS, lstm_infer, forward, backward},
    {"GRU", 7, 0, GIG_OP_SPARE_OUTPUTS | GIG_OP_ANY_OUTPUT, GIG_NEEDS_INPUTS, gru_infer, forward, backward},
    {"RNN", 7, 0, GIG_OP_SPARE_OUTPUTS | GIG_OP_ANY_OUTPUT, GIG_NEEDS_INPUTS, rnn_infer, forward, backward},
    {0}};
