/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of a session: scalars and gradients of points, classes, tensors by name. */
#include "network/network.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t rows_of(const gig_session *session)
{
    return (size_t)session->network->plan.batch;
}

/* Numbers of one row of a part, as the model has them. */
static size_t part_row(const gig_plan *plan, const gig_part *part)
{
    return gig_tensor_count(&plan->cells[part->cell].tensor) / (size_t)plan->batch;
}

/* Pictures are the first part. */
static int holds_pixels(const gig_network *network, size_t part)
{
    return network->pixels.enabled && part == 0;
}

/* ---- points in, gradients out ---- */

static void write_row(gig_session *session, size_t row, const float *point)
{
    const gig_network *network = session->network;
    const gig_plan *plan = &network->plan;
    for (size_t p = 0; p < plan->part_count; p++) {
        const gig_part *part = &plan->parts[p];
        size_t count = part_row(plan, part);
        float *input = gig_session_at(session, plan->cells[part->cell].data) + row * count;
        if (holds_pixels(network, p))
            gig_pixels_to_input(input, &network->pixels, point);
        else
            memcpy(input, point, count * sizeof *input);
        point += part->features;
    }
}

static void read_gradient(const gig_session *session, size_t row, float *gradient)
{
    const gig_network *network = session->network;
    const gig_plan *plan = &network->plan;
    for (size_t p = 0; p < plan->part_count; p++) {
        const gig_part *part = &plan->parts[p];
        size_t count = part_row(plan, part);
        const float *from = part->gradient.buffer < 0 ? NULL : gig_session_at(session, part->gradient) + row * count;
        if (!from)
            memset(gradient, 0, part->features * sizeof *gradient);
        else if (holds_pixels(network, p))
            gig_pixels_gradient(gradient, &network->pixels, from);
        else
            memcpy(gradient, from, count * sizeof *gradient);
        gradient += part->features;
    }
}

/* A row of a cell of the output's dims. */
static const float *class_row(const gig_session *session, int cell_index, size_t row)
{
    const gig_cell *cell = &session->network->plan.cells[cell_index];
    const float *all = cell->tensor.data ? cell->tensor.real : gig_session_at(session, cell->held);
    return all + row * session->network->plan.numbers;
}

static const float *logits_row(const gig_session *session, size_t row)
{
    return class_row(session, session->network->plan.logits, row);
}

/* oneDNN's ReLU turns a NaN into 0, so it must be detected before. */
static gig_status check_point(const float *point, size_t features)
{
    float sum = 0.0f; /* 0 * x is NaN exactly where x is not finite */
    for (size_t i = 0; i < features; i++) sum += 0.0f * point[i];
    if (sum == 0.0f) return GIG_OK;
    size_t i = 0;
    while (isfinite(point[i])) i++;
    return gig_fail(GIG_ENUMERIC, "the point holds %s at feature %zu", isnan(point[i]) ? "a NaN" : "an infinity", i);
}

/* An incomplete batch is filled with copies of its first point, so that plan and bits do not depend on the number of
 * points. */
gig_status gig_session_forward_points(gig_session *session, size_t count, const float *const *points)
{
    for (size_t r = 0; r < count; r++) GIG_TRY(check_point(points[r], session->network->features));
    for (size_t r = 0; r < rows_of(session); r++) write_row(session, r, points[r < count ? r : 0]);
    return gig_session_forward(session);
}

/* The seed of row r, or NULL if the logits have no backward pass. */
static float *seed_row(const gig_session *session, size_t row)
{
    const gig_plan *plan = &session->network->plan;
    if (plan->seed.buffer < 0) return NULL;
    return gig_session_at(session, plan->seed) + row * plan->numbers;
}

static gig_status check_value(const gig_session *session, double value)
{
    if (isfinite(value)) return GIG_OK;
    return gig_session_blame(session, isnan(value) ? "a NaN" : "an infinity");
}

typedef gig_status (*row_head)(gig_session *session, size_t row, size_t target, double *value, float *seed);

static gig_status evaluate_rows(gig_session *session, size_t count, const float *const *points, const size_t *targets,
                                double *values, float *const *gradients, row_head head)
{
    size_t rows = rows_of(session), numbers = session->network->plan.numbers;
    GIG_TRY(gig_session_forward_points(session, count, points));
    int wanted = 0;
    for (size_t r = 0; r < rows; r++) {
        int own = r < count && gradients && gradients[r];
        float *seed = seed_row(session, r);
        if (seed) memset(seed, 0, numbers * sizeof *seed);
        if (r >= count) continue;
        GIG_TRY(head(session, r, targets ? targets[r] : 0, &values[r], own ? seed : NULL));
        GIG_TRY(check_value(session, values[r]));
        wanted |= own;
    }
    if (!wanted) return GIG_OK;
    const gig_plan *plan = &session->network->plan;
    for (size_t p = 0; p < plan->part_count && !session->inner; p++)
        if (plan->parts[p].gradient.buffer < 0) GIG_TRY(gig_plan_explain_zero(plan, plan->parts[p].cell));
    GIG_TRY(gig_session_backward(session));
    for (size_t r = 0; r < count; r++)
        if (gradients[r]) read_gradient(session, r, gradients[r]);
    return GIG_OK;
}

static gig_status evaluate(gig_session *session, size_t batch, const float *const *points, const size_t *targets,
                           double *values, float *const *gradients, row_head head)
{
    size_t rows = rows_of(session);
    for (size_t at = 0; at < batch; at += rows) {
        size_t count = batch - at < rows ? batch - at : rows;
        GIG_TRY(evaluate_rows(session, count, points + at, targets ? targets + at : NULL, values + at,
                              gradients ? gradients + at : NULL, head));
    }
    return GIG_OK;
}

/* ---- the functions ---- */

static gig_status scalar_head(gig_session *session, size_t row, size_t target, double *value, float *seed)
{
    return gig_row_scalar(value, seed, session, logits_row(session, row), target, session->scalar);
}

static gig_status scalar_evaluate(void *payload, size_t batch, const float *const *points, const size_t *targets,
                                  double *values, float *const *gradients)
{
    const gig_scalar_of *of = payload;
    of->session->scalar = of->scalar;
    return evaluate(of->session, batch, points, targets, values, gradients, scalar_head);
}

static gig_status expect_real_output(const gig_network *network)
{
    const gig_plan *plan = &network->plan;
    if (plan->cells[plan->logits].tensor.type == GIG_FLOAT32 && plan->numbers) return GIG_OK;
    if (!plan->numbers) return gig_fail(GIG_EUNSUPPORTED, "output \"%.80s\" is empty", plan->cells[plan->output].name);
    char text[160] = "";
    const gig_cell *cell = &plan->cells[plan->output];
    if (cell->producer >= 0) gig_node_text(text, sizeof text, plan->ops[cell->producer].node);
    return gig_fail(GIG_EUNSUPPORTED,
                    "output \"%.80s\" holds integers, which have no gradient%s%s; choose an earlier tensor as the "
                    "output",
                    cell->name, *text ? ", made by " : "", text);
}

/* A scalar that would be constant, or a second softmax on probabilities, is an error. */
static gig_status check_scalar(const gig_network *network, gig_scalar scalar)
{
    gig_output_kind holds = network->plan.logits_hold, ends = network->plan.ends_in;
    GIG_TRY(expect_real_output(network));
    if (scalar < GIG_SOFTMAX || scalar > GIG_VALUE) return gig_fail(GIG_EARG, "unknown scalar %d", (int)scalar);
    GIG_TRY(gig_plan_expect_target(&network->plan));
    if (scalar == GIG_VALUE) return GIG_OK;
    if (network->options.target.kind == GIG_TARGET_WEIGHTS)
        return gig_fail(GIG_EARG, "a weighted sum is a number as it is: explain value");
    int softmax = scalar == GIG_SOFTMAX || scalar == GIG_LOG_PROBABILITY;
    if (softmax && network->plan.classes.count == 1 && holds == GIG_OUTPUT_LOGITS)
        return gig_fail(GIG_EARG, "softmax over a single output is always 1: explain sigmoid, logit or value instead");
    if (softmax && (ends == GIG_OUTPUT_SIGMOID || holds == GIG_OUTPUT_SIGMOID))
        return gig_fail(GIG_EARG, "the model ends in Sigmoid: explain sigmoid or logit instead");
    if (holds == GIG_OUTPUT_LOGITS) return GIG_OK;
    if (scalar == GIG_LOGIT)
        return gig_fail(GIG_EUNSUPPORTED,
                        "the model's output holds probabilities, and no tensor of the graph holds its logits");
    if (scalar == GIG_SIGMOID && holds != GIG_OUTPUT_SIGMOID)
        return gig_fail(GIG_EARG, "the model's output are probabilities of classes: explain softmax");
    return GIG_OK;
}

static gig_function function_of(gig_session *session)
{
    return (gig_function){
        .features = session->network->features, .max_batch = (size_t)session->network->plan.batch, .payload = session};
}

gig_status gig_session_function(gig_function *out, gig_session *session, gig_scalar scalar)
{
    GIG_NEED(session);
    GIG_TRY(check_scalar(session->network, scalar));
    session->scalars[scalar] = (gig_scalar_of){session, scalar};
    *out = function_of(session);
    out->evaluate = scalar_evaluate;
    out->payload = &session->scalars[scalar];
    return GIG_OK;
}

static size_t best_class(const float *row, size_t classes)
{
    size_t best = 0;
    for (size_t i = 1; i < classes; i++)
        if (row[i] > row[best]) best = i;
    return best;
}

static gig_status argmax_head(gig_session *session, size_t row, size_t target, double *value, float *seed)
{
    if (seed) return gig_fail(GIG_EARG, "the scalar \"argmax is the class\" has no gradient");
    gig_row_classes(session->vector, session, logits_row(session, row));
    *value = best_class(session->vector, session->network->plan.classes.count) == target;
    return GIG_OK;
}

static gig_status argmax_evaluate(void *payload, size_t batch, const float *const *points, const size_t *targets,
                                  double *values, float *const *gradients)
{
    for (size_t i = 0; gradients && i < batch; i++)
        if (gradients[i]) return gig_fail(GIG_EARG, "the scalar \"argmax is the class\" has no gradient");
    return evaluate(payload, batch, points, targets, values, NULL, argmax_head);
}

gig_status gig_session_argmax_function(gig_function *out, gig_session *session)
{
    GIG_NEED(session);
    GIG_TRY(expect_real_output(session->network));
    GIG_TRY(gig_plan_expect_target(&session->network->plan));
    *out = function_of(session);
    out->evaluate = argmax_evaluate;
    return GIG_OK;
}

static gig_status weighted_head(gig_session *session, size_t row, size_t target, double *value, float *seed)
{
    (void)target;
    const gig_network *network = session->network;
    const float *output = class_row(session, network->plan.output, row);
    gig_head_weighted(value, seed, output, network->plan.numbers, session->weights, network->plan.ends_in);
    return GIG_OK;
}

static gig_status weighted_evaluate(void *payload, size_t batch, const float *const *points, const size_t *targets,
                                    double *values, float *const *gradients)
{
    return evaluate(payload, batch, points, targets, values, gradients, weighted_head);
}

gig_status gig_session_weighted_function(gig_function *out, gig_session *session, const float *weights)
{
    GIG_NEED(session);
    GIG_NEED(weights);
    size_t numbers = session->network->plan.numbers;
    GIG_TRY(expect_real_output(session->network));
    if (session->network->options.target.kind != GIG_TARGET_CLASS)
        return gig_fail(GIG_EARG, "weights are a target of their own: the network has another");
    float *copy = gig_alloc(numbers, sizeof *copy);
    if (!copy) return gig_alloc_status();
    memcpy(copy, weights, numbers * sizeof *copy);
    gig_free(session->weights);
    session->weights = copy;
    *out = function_of(session);
    out->evaluate = weighted_evaluate;
    return GIG_OK;
}

int gig_function_scalar(gig_scalar *out, const gig_function *function)
{
    if (function->evaluate != scalar_evaluate) return 0;
    *out = ((const gig_scalar_of *)function->payload)->scalar;
    return 1;
}

int gig_function_is_unguided(const gig_function *function)
{
    const gig_session *session = NULL;
    if (function->evaluate == scalar_evaluate) session = ((const gig_scalar_of *)function->payload)->session;
    if (function->evaluate == weighted_evaluate) session = function->payload;
    return session && !session->network->options.guided_relu;
}

/* ---- classes and tensors ---- */

typedef struct ranked {
    float value;
    size_t class;
} ranked;

/* Largest first, then the first; a NaN is below everything. */
static int by_value(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (isnan(x->value) != isnan(y->value)) return isnan(x->value) ? 1 : -1;
    if (x->value != y->value && !isnan(x->value)) return x->value > y->value ? -1 : 1;
    return x->class < y->class ? -1 : x->class > y->class;
}

gig_status gig_session_top(gig_session *session, const float *point, size_t k, size_t *classes, double *probabilities)
{
    GIG_NEED(session);
    GIG_NEED(point);
    const gig_network *network = session->network;
    size_t count = network->plan.classes.count;
    GIG_TRY(expect_real_output(network));
    GIG_TRY(gig_plan_expect_target(&network->plan));
    if (k > count) return gig_fail(GIG_EARG, "%zu best classes of %zu", k, count);
    GIG_TRY(gig_session_forward_points(session, 1, &point));
    ranked *order = gig_alloc(count, sizeof *order);
    if (!order) return gig_alloc_status();
    const float *row = logits_row(session, 0);
    gig_row_classes(session->vector, session, row);
    for (size_t c = 0; c < count; c++) order[c] = (ranked){session->vector[c], c};
    qsort(order, count, sizeof *order, by_value);
    for (size_t i = 0; i < k; i++) classes[i] = order[i].class;
    gig_free(order);
    const gig_scalar scalar = gig_network_probability(network, GIG_SOFTMAX);
    int covered = network->options.target.kind == GIG_TARGET_REGION && !session->region_count;
    for (size_t i = 0; i < k && probabilities; i++)
        if (covered)
            probabilities[i] = session->vector[classes[i]]; /* nothing has overwritten it */
        else
            GIG_TRY(gig_row_scalar(&probabilities[i], NULL, session, row, classes[i], scalar));
    return GIG_OK;
}

gig_status gig_session_logits(const float **row, gig_session *session, const float *point)
{
    GIG_TRY(expect_real_output(session->network));
    GIG_TRY(gig_session_forward_points(session, 1, &point));
    *row = logits_row(session, 0);
    return GIG_OK;
}

static gig_status copy_cell(gig_tensor *out, const gig_session *session, const gig_cell *cell)
{
    if (cell->tensor.data) return gig_tensor_copy(out, &cell->tensor);
    GIG_TRY(gig_tensor_create(out, cell->tensor.type, cell->tensor.rank, cell->tensor.dims));
    memcpy(out->data, gig_session_at(session, cell->held), gig_tensor_bytes(out));
    return GIG_OK;
}

gig_status gig_session_output(gig_tensor *out, gig_session *session, const float *point)
{
    *out = (gig_tensor){0};
    GIG_NEED(session);
    GIG_NEED(point);
    GIG_TRY(gig_session_forward_points(session, 1, &point));
    const gig_plan *plan = &session->network->plan;
    return copy_cell(out, session, &plan->cells[plan->output]);
}

/* Whether a cell comes after the logits that scalars are computed from: no gradient flows there. */
static int is_behind_logits(const gig_plan *plan, const gig_cell *cell)
{
    for (int at = plan->output; at != plan->logits; at = plan->ops[plan->cells[at].producer].node->inputs[0])
        if (cell == &plan->cells[at]) return 1;
    return 0;
}

/* The scalar, with the gradients of all kept tensors. */
static gig_status go_back(double *scalar_value, gig_session *session, const gig_cell *cell,
                          const gig_kept_request *wanted)
{
    const gig_network *network = session->network;
    const gig_plan *plan = &network->plan;
    const char *name = plan->model->values[cell - plan->cells].name;
    gig_function function;
    double value;
    if (cell->tensor.data) return gig_fail(GIG_EARG, "\"%.80s\" is a weight", name);
    if (cell == &plan->cells[plan->input]) return gig_fail(GIG_EARG, "\"%.80s\" is the input itself", name);
    if (is_behind_logits(plan, cell))
        return gig_fail(GIG_EARG, "\"%.80s\" is made of the logits that scalars are taken from", name);
    GIG_TRY(gig_session_function(&function, session, wanted->scalar));
    float *unused = gig_alloc(network->features, sizeof *unused);
    if (!unused) return gig_alloc_status();
    session->inner = 1; /* a gradient that does not reach the input may still reach the tensor */
    gig_status status = function.evaluate(function.payload, 1, &wanted->point, &wanted->target,
                                          scalar_value ? scalar_value : &value, &unused);
    session->inner = 0;
    gig_free(unused);
    if (status == GIG_OK && cell->held_diff.buffer < 0) status = gig_plan_explain_zero(plan, (int)(cell - plan->cells));
    return status;
}

gig_status gig_session_tensor(gig_tensor *value, gig_tensor *gradient, double *scalar_value, gig_session *session,
                              const gig_kept_request *wanted)
{
    *value = (gig_tensor){0};
    if (gradient) *gradient = (gig_tensor){0};
    GIG_NEED(session);
    GIG_NEED(wanted->point);
    const gig_network *network = session->network;
    if (wanted->index >= network->keep_count) return gig_fail(GIG_EARG, "no kept tensor %zu", wanted->index);
    const gig_cell *cell = &network->plan.cells[network->keep[wanted->index]];
    GIG_TRY(gradient ? go_back(scalar_value, session, cell, wanted)
                     : gig_session_forward_points(session, 1, &wanted->point));
    gig_status status = copy_cell(value, session, cell);
    if (status == GIG_OK && gradient)
        status = gig_tensor_create(gradient, GIG_FLOAT32, cell->tensor.rank, cell->tensor.dims);
    if (status == GIG_OK && gradient && cell->held_diff.buffer >= 0) /* else the scalar does not depend on it */
        memcpy(gradient->data, gig_session_at(session, cell->held_diff), gig_tensor_bytes(gradient));
    if (status != GIG_OK) gig_tensor_clear(value);
    return status;
}
