/* SPDX-License-Identifier: Apache-2.0 */
/* Decides whether several points can run as one batch: only if rows are found to be independent of each other. */
#include "base/rng.h"
#include "network/network.h"
#include <math.h>
#include <string.h>

enum { CHECK_STREAM = 0x726f7773 }; /* any fixed number: the check must not vary */

static int close_enough(const float *a, const float *b, size_t count)
{
    double difference = 0.0, size = 0.0;
    for (size_t i = 0; i < count; i++) {
        difference += fabs((double)a[i] - b[i]);
        size += fabs((double)b[i]);
    }
    return difference <= 1e-3 * size + 1e-6 * (double)count; /* false for NaN */
}

/* Rows `from` to `to` of every part of the points, in [0,1) times `scale`; a row gets the same numbers whatever rows
 * are filled with it, as long as `from` is the same. */
static void fill(const gig_session *session, uint64_t seed, size_t from, size_t to, float scale)
{
    const gig_plan *plan = &session->network->plan;
    for (size_t p = 0; p < plan->part_count; p++) {
        const gig_cell *cell = &plan->cells[plan->parts[p].cell];
        size_t row = gig_tensor_count(&cell->tensor) / (size_t)plan->batch, count = (to - from) * row;
        float *points = gig_session_at(session, cell->data) + from * row;
        gig_rng_fill_uniform((gig_rng){.seed = seed, .stream = CHECK_STREAM + p}, points, count);
        for (size_t i = 0; i < count; i++) points[i] *= scale;
    }
}

/* The only row of `alone` becomes row `row` of `together`. */
static void copy_row(const gig_session *alone, const gig_session *together, size_t row)
{
    const gig_plan *single = &alone->network->plan, *plan = &together->network->plan;
    for (size_t p = 0; p < plan->part_count; p++) {
        const gig_cell *own = &single->cells[single->parts[p].cell], *shared = &plan->cells[plan->parts[p].cell];
        size_t count = gig_tensor_count(&own->tensor);
        memcpy(gig_session_at(alone, own->data), gig_session_at(together, shared->data) + row * count,
               count * sizeof(float));
    }
}

/* Whether two runs show that rows depend on each other. Points outside [0,1) may not be valid inputs: if the results
 * are not finite, they prove nothing. */
static int disagree(const float *a, const float *b, size_t count, float scale)
{
    if (close_enough(a, b, count)) return 0;
    for (size_t i = 0; i < count && scale != 1; i++)
        if (!isfinite(a[i]) || !isfinite(b[i])) return 0;
    return 1;
}

/* Runs random rows together and alone; the logits must agree. */
static gig_status compare_rows(int *agree, gig_session *together, gig_session *alone, float scale)
{
    const gig_plan *plan = &together->network->plan, *single = &alone->network->plan;
    size_t rows = (size_t)plan->batch, classes = gig_tensor_count(&single->cells[single->logits].tensor);
    fill(together, 0, 0, rows, scale);
    GIG_TRY(gig_session_forward(together));
    for (size_t r = 0; *agree && r < rows; r++) {
        copy_row(alone, together, r);
        GIG_TRY(gig_session_forward(alone));
        const float *own = gig_session_at(alone, single->cells[single->logits].held);
        const float *shared = gig_session_at(together, plan->cells[plan->logits].held);
        *agree = !disagree(shared + r * classes, own, classes, scale);
    }
    return GIG_OK;
}

static gig_status rows_agree(int *agree, const gig_network *many, const gig_network *one)
{
    gig_session *together = NULL, *alone = NULL;
    gig_status status = gig_session_create(&together, many);
    if (status == GIG_OK) status = gig_session_create(&alone, one);
    if (status == GIG_OK) status = compare_rows(agree, together, alone, 1);
    if (status == GIG_OK && *agree) (void)compare_rows(agree, together, alone, 255); /* may not be a valid input */
    gig_session_free(together);
    gig_session_free(alone);
    return status;
}

static int has_rows(const gig_plan *plan)
{
    const gig_tensor *output = &plan->cells[plan->output].tensor, *logits = &plan->cells[plan->logits].tensor;
    return output->rank > 0 && output->dims[0] == plan->batch && logits->rank > 0 && logits->dims[0] == plan->batch &&
           logits->type == GIG_FLOAT32 && !logits->data;
}

/* Whether row 0 stays as it is when all other rows change. */
static gig_status try_rows(int *apart, gig_session *session, float *before, float scale)
{
    const gig_plan *plan = &session->network->plan;
    size_t rows = (size_t)plan->batch;
    size_t classes = gig_tensor_count(&plan->cells[plan->logits].tensor) / rows;
    const float *logits = gig_session_at(session, plan->cells[plan->logits].held);
    fill(session, 0, 0, rows, scale);
    GIG_TRY(gig_session_forward(session));
    memcpy(before, logits, classes * sizeof *before);
    fill(session, 0, 0, 1, scale);
    fill(session, 1, 1, rows, scale);
    GIG_TRY(gig_session_forward(session));
    *apart = !disagree(logits, before, classes, scale);
    return GIG_OK;
}

static gig_status rows_apart(int *apart, const gig_network *network)
{
    static const float scales[] = {10, 255, -10}; /* of points that may not be valid inputs */
    const gig_plan *plan = &network->plan;
    gig_session *session = NULL;
    *apart = 0;
    if (!has_rows(plan)) return GIG_OK;
    float *before = gig_alloc(gig_tensor_count(&plan->cells[plan->logits].tensor), sizeof *before);
    gig_status status = before ? gig_session_create(&session, network) : gig_alloc_status();
    if (status == GIG_OK) status = try_rows(apart, session, before, 1);
    for (size_t i = 0; status == GIG_OK && *apart && i < sizeof scales / sizeof *scales; i++)
        (void)try_rows(apart, session, before, scales[i]);
    gig_session_free(session);
    gig_free(before);
    return status;
}

/* A file written for a batch of several points with independent rows is planned for one point if that gives the same
 * result; else for the file's batch. If rows depend on each other, dim 0 is not a batch. */
gig_status gig_network_plan_row(gig_network *network, const gig_model *model)
{
    gig_status status = gig_network_make_plan(network, model, 1);
    int64_t written = network->plan.file_batch;
    if (written < 2) return status;
    int apart = 0, agree = status == GIG_OK && has_rows(&network->plan);
    gig_network file = {.options = network->options, .pixels = network->pixels, .batch = (size_t)written};
    file.options.keep_count = 0;
    file.options.target = (gig_target){0}; /* the target may be part of the whole output */
    file.options.keep_last_map = 0;
    GIG_TRY_DONE(gig_network_make_plan(&file, model, written));
    GIG_TRY_DONE(rows_apart(&apart, &file));
    if (apart && agree) GIG_TRY_DONE(rows_agree(&agree, &file, network));
    if (apart && agree) goto done;
    gig_plan_clear(&network->plan);
    network->options.whole = !apart;
    if (!apart && network->pixels.enabled)
        status = gig_fail(GIG_EUNSUPPORTED, "the file is for %lld pictures at once, which depend on each other",
                          (long long)written);
    else
        status = gig_network_make_plan(network, model, apart ? written : 1);
done:
    gig_plan_clear(&file.plan);
    gig_free(file.keep);
    return status;
}

gig_status gig_network_plan_rows(gig_network *network, const gig_model *model)
{
    int agree = 1;
    gig_network *one = NULL;
    gig_network_options options = network->options;
    options.batch = 1;
    options.keep_count = 0;
    options.keep_last_map = 0;
    gig_status status = gig_network_create(&one, model, &options);
    if (status != GIG_OK) return status; /* the plan for one row will say the same */
    if (one->plan.batch == 1) status = gig_network_make_plan(network, model, (int64_t)network->batch);
    if (status == GIG_OK && network->plan.batch == (int64_t)network->batch && has_rows(&network->plan))
        status = rows_agree(&agree, network, one);
    else
        agree = 0;
    gig_network_free(one);
    if (status == GIG_OK && agree) return GIG_OK;
    network->batch_too_large = status == GIG_ELIMIT;
    gig_plan_clear(&network->plan);
    return GIG_OK;
}
