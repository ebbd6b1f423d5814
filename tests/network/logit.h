/* SPDX-License-Identifier: Apache-2.0 */
/* The logit of a class of a small model at one point. */
#ifndef GIG_TESTS_NETWORK_LOGIT_H
#define GIG_TESTS_NETWORK_LOGIT_H

#include "internal/network.h"
#include "support.h"

/* Creating the network must succeed; returns the status of its evaluation. gradient may be NULL. */
static inline gig_status logit_of(double *value, float *gradient, const gig_model *model, const float *point,
                                  size_t target, gig_network_options options)
{
    gig_network *network;
    gig_session *session;
    gig_function function;
    assert_ok(gig_network_create(&network, model, &options));
    assert_ok(gig_session_create(&session, network));
    assert_ok(gig_session_function(&function, session, GIG_LOGIT));
    gig_status status = function.evaluate(function.payload, 1, &point, &target, value, gradient ? &gradient : NULL);
    gig_session_free(session);
    gig_network_free(network);
    return status;
}

/* The steps of a network and its plain operators agree on value and gradient. */
static inline void assert_plain_agrees(const gig_model *model, const float *point, size_t features, size_t target,
                                       double tolerance)
{
    float *ours = malloc(features * sizeof *ours), *plain = malloc(features * sizeof *plain);
    double value, wanted;
    assert_true(ours && plain);
    assert_ok(logit_of(&value, ours, model, point, target, (gig_network_options){0}));
    assert_ok(logit_of(&wanted, plain, model, point, target, (gig_network_options){.plain = 1}));
    assert_true(fabs(value - wanted) <= tolerance * fabs(wanted));
    assert_l2(ours, plain, features, tolerance);
    free(ours);
    free(plain);
}

#endif
