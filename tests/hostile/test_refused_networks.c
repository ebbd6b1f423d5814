/* SPDX-License-Identifier: Apache-2.0 */
/* Files of tests/hostile that load: the network made from them, and its first evaluation, end as the manifest says. */
#include "base/memory.h"
#include "hostile/manifest.h"
#include "internal/network.h"

static hostile_row rows[MAX_HOSTILE];

/* A logit, or the sum of an output that is more than one vector of classes. */
static gig_status some_function(gig_function *out, gig_session *session, const gig_network *network)
{
    if (gig_network_expect_target(network) == GIG_OK) return gig_session_function(out, session, GIG_LOGIT);
    float *ones = calloc(gig_network_numbers(network) + 1, sizeof *ones);
    assert_non_null(ones);
    for (size_t i = 0; i < gig_network_numbers(network); i++) ones[i] = 1;
    gig_status status = gig_session_weighted_function(out, session, ones);
    free(ones);
    return status;
}

/* One evaluation at 0.5 everywhere. */
static gig_status run(const gig_network *network)
{
    gig_session *session = NULL;
    gig_function function;
    size_t features = gig_network_features(network), target = 0;
    float *point = calloc(features + 1, sizeof *point), *gradient = calloc(features + 1, sizeof *gradient);
    double value;
    assert_true(point && gradient);
    for (size_t i = 0; i < features; i++) point[i] = 0.5f;
    gig_status status = gig_session_create(&session, network);
    if (status == GIG_OK) status = some_function(&function, session, network);
    if (status == GIG_OK)
        status = function.evaluate(function.payload, 1, (const float *const[]){point}, &target, &value,
                                   (float *const[]){gradient});
    gig_session_free(session);
    free(point);
    free(gradient);
    return status;
}

static void meets_the_manifest(void **state)
{
    const hostile_row *row = *state;
    gig_model *model;
    gig_network *network = NULL;
    gig_network_options options = GIG_NETWORK_OPTIONS_INIT;
    size_t before = gig_memory_used();
    options.max_memory = (size_t)64 << 20;
    assert_ok(gig_model_load(&model, hostile_path(row), NULL));
    gig_memory_reset_peak();
    gig_status status = gig_network_create(&network, model, &options);
    if (status == GIG_OK && !strcmp(row->stage, "run")) status = run(network);
    if (strcmp(gig_status_name(status), row->status))
        fail_msg("%s: %s (%s), not %s", row->file, gig_status_name(status), status ? gig_message() : "", row->status);
    gig_network_free(network);
    gig_model_free(model);
    assert_int_equal(gig_memory_used(), before);
    assert_true(gig_memory_peak() - before < (size_t)64 << 20);
}

int main(void)
{
    static struct CMUnitTest tests[MAX_HOSTILE];
    size_t read = manifest_read(rows), count = 0;
    for (size_t i = 0; i < read; i++)
        if (strcmp(rows[i].stage, "load"))
            tests[count++] = (struct CMUnitTest){rows[i].file, meets_the_manifest, NULL, NULL, &rows[i]};
    if (count < 60) {
        fprintf(stderr, "tests/hostile/manifest: only %zu files that load\n", count);
        return 1;
    }
    return _cmocka_run_group_tests("refused networks", tests, count, NULL, NULL);
}
