/* Several points in one run: only where rows are shown not to depend on each other. */
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

/* Runs random rows together and alone; the logits must agree. */
static gig_status rows_agree(int *agree, const gig_network *many, const gig_network *one)
{
    gig_session *together = NULL, *alone = NULL;
    gig_status status = gig_session_create(&together, many);
    if (status == GIG_OK) status = gig_session_create(&alone, one);
    if (status == GIG_OK) {
        const gig_plan *plan = &many->plan, *single = &one->plan;
        size_t rows = (size_t)plan->batch, count = gig_tensor_count(&single->cells[single->input].tensor);
        size_t classes = gig_tensor_count(&single->cells[single->logits].tensor);
        float *points = gig_session_at(together, plan->cells[plan->input].data);
        float *point = gig_session_at(alone, single->cells[single->input].data);
        gig_rng_fill_uniform((gig_rng){.stream = CHECK_STREAM}, points, rows * count);
        float *copy = gig_alloc(rows * count, sizeof *copy);
        status = copy ? GIG_OK : gig_alloc_status();
        if (copy) memcpy(copy, points, rows * count * sizeof *copy);
        if (status == GIG_OK) status = gig_session_forward(together);
        for (size_t r = 0; status == GIG_OK && *agree && r < rows; r++) {
            memcpy(point, copy + r * count, count * sizeof *point);
            status = gig_session_forward(alone);
            *agree = close_enough(gig_session_at(together, plan->cells[plan->logits].held) + r * classes,
                                  gig_session_at(alone, single->cells[single->logits].held), classes);
        }
        gig_free(copy);
    }
    gig_session_free(together);
    gig_session_free(alone);
    return status;
}

static int has_rows(const gig_plan *plan)
{
    const gig_tensor *output = &plan->cells[plan->output].tensor, *logits = &plan->cells[plan->logits].tensor;
    return output->rank > 0 && output->dims[0] == plan->batch && logits->rank > 0 && logits->dims[0] == plan->batch &&
           logits->type == GIG_REAL && !logits->data;
}

static void fill(gig_rng rng, float *points, size_t count, float scale)
{
    gig_rng_fill_uniform(rng, points, count);
    for (size_t i = 0; i < count; i++) points[i] *= scale;
}

/* Whether row 0 stays as it is when all other rows change, of whatever size and sign. */
static gig_status rows_apart(int *apart, const gig_network *network)
{
    static const float scales[] = {1, 10, -10, 255};
    const gig_plan *plan = &network->plan;
    gig_session *session = NULL;
    float *before = NULL;
    *apart = 0;
    if (!has_rows(plan)) return GIG_OK;
    gig_status status = gig_session_create(&session, network);
    if (status != GIG_OK) return status;
    size_t count = gig_tensor_count(&plan->cells[plan->input].tensor), row = count / (size_t)plan->batch;
    size_t classes = gig_tensor_count(&plan->cells[plan->logits].tensor) / (size_t)plan->batch;
    float *points = gig_session_at(session, plan->cells[plan->input].data);
    const float *logits = gig_session_at(session, plan->cells[plan->logits].held);
    before = gig_alloc(classes, sizeof *before);
    GIG_TRY_DONE(before ? GIG_OK : gig_alloc_status());
    *apart = 1;
    for (size_t i = 0; i < sizeof scales / sizeof *scales && *apart; i++) {
        fill((gig_rng){.stream = CHECK_STREAM}, points, count, scales[i]);
        GIG_TRY_DONE(gig_session_forward(session));
        memcpy(before, logits, classes * sizeof *before);
        fill((gig_rng){.stream = CHECK_STREAM}, points, row, scales[i]);
        fill((gig_rng){.seed = 1, .stream = CHECK_STREAM}, points + row, count - row, scales[i]);
        GIG_TRY_DONE(gig_session_forward(session));
        *apart = close_enough(logits, before, classes);
    }
done:
    gig_free(before);
    gig_session_free(session);
    return status;
}

/* A file for several points at once, whose rows are independent, is planned for one where that gives the same; else for
 * as many as it says. Where rows depend on each other, dim 0 is no batch. */
gig_status gig_network_plan_row(gig_network *network, const gig_model *model)
{
    gig_status status = gig_network_make_plan(network, model, 1);
    int64_t written = network->plan.file_batch;
    if (written < 2) return status;
    int apart = 0, agree = status == GIG_OK && has_rows(&network->plan);
    gig_network file = {.options = network->options, .pixels = network->pixels, .batch = (size_t)written};
    file.options.keep_count = 0;
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
