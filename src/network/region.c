/* SPDX-License-Identifier: Apache-2.0 */
/* The scalar of a row of the output where the classes are a vector inside it, or one for each pixel of a region. */
#include "network/network.h"
#include <string.h>

/* What GIG_VALUE means for logits that the file's output is made of. */
static gig_scalar scalar_of_value(const gig_plan *plan)
{
    switch (plan->ends_in) {
    case GIG_OUTPUT_PROBABILITIES: return GIG_SOFTMAX;
    case GIG_OUTPUT_LOG_PROBABILITIES: return GIG_LOG_PROBABILITY;
    case GIG_OUTPUT_SIGMOID: return GIG_SIGMOID;
    default: return GIG_VALUE;
    }
}

/* One vector: gathered, its scalar taken, its seeds spread. */
static gig_status vector_scalar(double *value, float *seed, gig_session *session, const float *row, size_t first,
                                size_t target, gig_scalar scalar)
{
    const gig_plan *plan = &session->network->plan;
    const gig_classes *classes = &plan->classes;
    float *vector = session->vector, *own = vector + classes->count;
    for (size_t k = 0; k < classes->count; k++) vector[k] = row[first + k * classes->stride];
    GIG_TRY(gig_head_scalar(value, seed ? own : NULL, vector, classes->count, target, scalar, plan->logits_hold));
    for (size_t k = 0; seed && k < classes->count; k++) seed[first + k * classes->stride] = own[k];
    return GIG_OK;
}

static gig_status region_scalar(double *value, float *seed, gig_session *session, const float *row, size_t target,
                                gig_scalar scalar)
{
    const gig_plan *plan = &session->network->plan;
    double sum = 0, one;
    if (!session->region_count)
        return gig_fail(GIG_EARG, "the target is a region, and no pixel of the output was chosen");
    for (size_t i = 0; i < session->region_count; i++) {
        GIG_TRY(vector_scalar(&one, seed, session, row, session->region[i] * plan->classes.pixel, target, scalar));
        sum += one;
    }
    *value = sum / (double)session->region_count;
    for (size_t j = 0; seed && j < plan->numbers; j++) seed[j] /= (float)session->region_count;
    return GIG_OK;
}

gig_status gig_row_scalar(double *value, float *seed, gig_session *session, const float *row, size_t target,
                          gig_scalar scalar)
{
    const gig_plan *plan = &session->network->plan;
    const gig_target *chosen = &session->network->options.target;
    if (target >= plan->classes.count)
        return gig_fail(GIG_EARG, "class %zu does not exist: the model has %zu", target, plan->classes.count);
    if (scalar == GIG_VALUE) scalar = scalar_of_value(plan);
    switch (chosen->kind) {
    case GIG_TARGET_REGION: return region_scalar(value, seed, session, row, target, scalar);
    case GIG_TARGET_INDEX: return vector_scalar(value, seed, session, row, plan->classes.first, target, scalar);
    case GIG_TARGET_WEIGHTS:
        gig_head_weighted(value, seed, row, plan->numbers, chosen->weights->real, GIG_OUTPUT_LOGITS);
        return GIG_OK;
    case GIG_TARGET_CLASS: break;
    }
    return gig_head_scalar(value, seed, row, plan->classes.count, target, scalar, plan->logits_hold);
}

/* ---- which class ---- */

static size_t best_at(const gig_classes *classes, const float *row, size_t first)
{
    size_t best = 0;
    for (size_t k = 1; k < classes->count; k++)
        if (row[first + k * classes->stride] > row[first + best * classes->stride]) best = k;
    return best;
}

/* How a pixel of a single class is predicted: by the sign of its logit, or the half of its probability. */
static int is_predicted(const gig_plan *plan, const float *row, size_t pixel, size_t target)
{
    const gig_classes *classes = &plan->classes;
    if (classes->count > 1) return best_at(classes, row, pixel * classes->pixel) == target;
    return row[pixel * classes->pixel] > (plan->logits_hold == GIG_OUTPUT_LOGITS ? 0.0f : 0.5f);
}

void gig_row_classes(float *out, gig_session *session, const float *row)
{
    const gig_plan *plan = &session->network->plan;
    const gig_classes *classes = &plan->classes;
    const gig_target *chosen = &session->network->options.target;
    size_t pixels = classes->height * classes->width;
    double value;
    if (chosen->kind == GIG_TARGET_WEIGHTS) {
        gig_head_weighted(&value, NULL, row, plan->numbers, chosen->weights->real, GIG_OUTPUT_LOGITS);
        out[0] = (float)value;
        return;
    }
    if (!pixels) {
        for (size_t k = 0; k < classes->count; k++) out[k] = row[classes->first + k * classes->stride];
        return;
    }
    memset(out, 0, classes->count * sizeof *out);
    if (!session->region_count)
        for (size_t p = 0; p < pixels; p++) out[best_at(classes, row, p * classes->pixel)] += 1 / (float)pixels;
    for (size_t k = 0; session->region_count && k < classes->count; k++) {
        double sum = 0;
        for (size_t i = 0; i < session->region_count; i++)
            sum += row[session->region[i] * classes->pixel + k * classes->stride];
        out[k] = (float)(sum / (double)session->region_count);
    }
}

/* ---- regions ---- */

static gig_status expect_region(const gig_network *network)
{
    if (network->options.target.kind == GIG_TARGET_REGION) return GIG_OK;
    return gig_fail(GIG_EARG, "the target of this network is not a region");
}

gig_status gig_session_set_region(gig_session *session, const unsigned char *mask)
{
    GIG_NEED(session);
    const gig_classes *classes = &session->network->plan.classes;
    size_t pixels = classes->height * classes->width, count = 0;
    GIG_TRY(expect_region(session->network));
    if (!mask) {
        session->region_count = 0;
        return GIG_OK;
    }
    for (size_t p = 0; p < pixels; p++) count += mask[p] != 0;
    if (!count) return gig_fail(GIG_EARG, "the region is empty: it covers no pixel of the output");
    size_t *region = gig_alloc(count, sizeof *region);
    if (!region) return gig_alloc_status();
    gig_free(session->region);
    session->region = region;
    session->region_count = 0;
    for (size_t p = 0; p < pixels; p++)
        if (mask[p]) region[session->region_count++] = p;
    return GIG_OK;
}

gig_status gig_session_predict_region(unsigned char *mask, size_t *covered, gig_session *session, const float *point,
                                      size_t target)
{
    GIG_NEED(session);
    const gig_plan *plan = &session->network->plan;
    const float *row;
    *covered = 0;
    GIG_TRY(expect_region(session->network));
    GIG_TRY(gig_session_logits(&row, session, point));
    for (size_t p = 0; p < plan->classes.height * plan->classes.width; p++) {
        mask[p] = (unsigned char)is_predicted(plan, row, p, target);
        *covered += mask[p];
    }
    return GIG_OK;
}
