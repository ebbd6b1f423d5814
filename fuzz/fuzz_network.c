/* SPDX-License-Identifier: Apache-2.0 */
/* libFuzzer target: any bytes as a tiny model, made into a network and run: value and gradient at one point, with the
 * fast steps and with the plain ones. The status must be one that a file can cause; a value
 * that is not finite must be refused (gradients are checked by their users); no memory may stay allocated. */
#include "base/memory.h"
#include "demand.h"
#include "internal/network.h"
#include "starve.h"
#include <math.h>
#include <stdint.h>

enum { MAX_FEATURES = 1 << 16 };

static int is_starved; /* an allocation of this input fails */

static int from_a_file(gig_status status)
{
    return status == GIG_OK || status == GIG_EFORMAT || status == GIG_EUNSUPPORTED || status == GIG_ELIMIT ||
           status == GIG_ENUMERIC || status == GIG_EARG || (status == GIG_ENOMEM && is_starved);
}

/* Value and gradient at a point in (0,1) that depends on its length alone. */
static void evaluate(gig_session *session, size_t features)
{
    static float point[MAX_FEATURES], gradient[MAX_FEATURES];
    const float *points[] = {point};
    float *gradients[] = {gradient};
    size_t target = 0;
    double value;
    gig_function function;
    if (features > MAX_FEATURES) return;
    for (size_t i = 0; i < features; i++) point[i] = (float)((i * 37 + 11) % 101) / 101.0f;
    gig_status status = gig_session_function(&function, session, GIG_LOGIT);
    demand(from_a_file(status), "a legal status of the function");
    if (status != GIG_OK) return;
    demand(function.features == features, "features of function and network agree");
    status = function.evaluate(function.payload, 1, points, &target, &value, gradients);
    demand(from_a_file(status), "a legal status of the evaluation");
    if (status != GIG_OK) return;
    demand(isfinite(value), "a value that is not finite is an error");
}

static void evaluate_once(const gig_model *model, int plain)
{
    gig_network_options options = GIG_NETWORK_OPTIONS_INIT;
    gig_network *network;
    gig_session *session = NULL;
    options.max_memory = (size_t)4 << 20;
    options.plain = plain;
    gig_status status = gig_network_create(&network, model, &options);
    demand(from_a_file(status), "a legal status of the network");
    demand((status == GIG_OK) == (network != NULL), "a network exactly on success");
    if (!network) return;
    status = gig_session_create(&session, network);
    demand(from_a_file(status), "a legal status of the session");
    if (status == GIG_OK) evaluate(session, gig_network_features(network));
    gig_session_free(session);
    gig_network_free(network);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const gig_model_options limits = {.max_weights = (size_t)1 << 20, .max_nodes = 64};
    size_t before = gig_memory_used();
    gig_model *model;
    if (gig_model_load_memory(&model, data, size, &limits) != GIG_OK) return 0;
    for (int plain = 0; plain < 2; plain++) {
        is_starved = starve(data, size);
        evaluate_once(model, plain);
        starve_end();
    }
    gig_model_free(model);
    demand(gig_memory_used() == before, "nothing stays allocated");
    return 0;
}
