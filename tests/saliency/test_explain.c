/* SPDX-License-Identifier: Apache-2.0 */
/* gig_method_run: what every method promises. Same bits for any workers and any company, numbers that mean something or
 * are NaN, clean failures. */
#include "base/memory.h"
#include "run_method.h"

/* Every way through gig_method_run but Grad-CAM's, which needs a network. */
static const char *const methods[] = {
    "gradients",
    "gradients-x-input",
    "guided-backprop",
    "edge",
    "ig/steps=20",
    "ig/baseline=blur:1.5/steps=9/rule=gauss-legendre",
    "ig/baseline=mean/steps=9/rule=trapezoid/close=yes",
    "blur-ig/sigma=3/steps=12",
    "gig/steps=20",
    "gig:3/steps=20/rule=trapezoid/tolerance=0.0001/max-evaluations=60",
    "gig/baseline=random:3/max-dist=0.1/steps=10",
    "occlusion/window=3/stride=2",
    "smooth+gradients-x-input/samples=4",
    "smooth+blur-ig/samples=3/sigma=2/steps=6/smooth=variance",
    "smooth+gig:2/baseline=black+white/samples=3/steps=9/smooth=squares",
    "smooth+occlusion/samples=2/window=4/stride=4",
    "smooth+edge/samples=2",
    "xrai+ig/steps=10",
    "xrai+smooth+gig/samples=2/steps=10/xrai=fast",
    "xrai+occlusion/window=4/stride=4",
};
enum { METHODS = sizeof methods / sizeof *methods };

/* All but the seconds. */
static void assert_same(const gig_explanation *a, const gig_explanation *b)
{
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->attributions, b->attributions, a->count * sizeof *a->attributions);
    assert_memory_equal(&a->value_input, &b->value_input,
                        offsetof(gig_explanation, seconds) - offsetof(gig_explanation, value_input));
    assert_string_equal(a->method, b->method);
}

static void gives_the_same_bits_for_any_workers_and_batch(void **state)
{
    (void)state;
    for (size_t m = 0; m < METHODS; m++) {
        gig_explanation one[INPUTS], other[INPUTS];
        assert_ok(explain(one, 0, INPUTS, methods[m], 1, 1, NULL));
        for (size_t workers = 1; workers <= WORKERS; workers++) {
            assert_ok(explain(other, 0, INPUTS, methods[m], workers, workers == 2 ? 4 : 1, NULL));
            for (size_t i = 0; i < INPUTS; i++) assert_same(&one[i], &other[i]);
            clear(other, INPUTS);
        }
        clear(one, INPUTS);
    }
}

static void gives_an_input_the_same_bits_alone_and_among_others(void **state)
{
    (void)state;
    for (size_t m = 0; m < METHODS; m++) {
        gig_explanation all[INPUTS], alone;
        assert_ok(explain(all, 0, INPUTS, methods[m], 2, 1, NULL));
        for (size_t i = 0; i < INPUTS; i++) {
            assert_ok(explain(&alone, i, 1, methods[m], 1, 1, NULL));
            assert_same(&all[i], &alone);
            clear(&alone, 1);
        }
        clear(all, INPUTS);
    }
}

static void leaves_no_memory_behind(void **state)
{
    (void)state;
    size_t before = gig_memory_used();
    for (size_t m = 0; m < METHODS; m++) {
        gig_explanation results[INPUTS];
        assert_ok(explain(results, 0, INPUTS, methods[m], 2, 1, NULL));
        clear(results, INPUTS);
        assert_int_equal(gig_memory_used(), before);
    }
}

static void assert_cleared(const gig_explanation *results, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert_null(results[i].attributions);
        assert_int_equal(results[i].count, 0);
    }
}

static void survives_each_failing_allocation(void **state)
{
    (void)state;
    size_t before = gig_memory_used();
    for (size_t m = 0; m < METHODS; m++)
        for (size_t at = 0;; at++) {
            gig_explanation results[2];
            gig_memory_fail_at(at, (int)(at & 1));
            gig_status status = explain(results, 0, 2, methods[m], 1, 1, NULL);
            size_t made = gig_memory_allocations();
            gig_memory_fail_at(SIZE_MAX, 0);
            if (made <= at) {
                assert_ok(status);
                clear(results, 2);
                break;
            }
            assert_status(status, GIG_ENOMEM);
            assert_cleared(results, 2);
            assert_int_equal(gig_memory_used(), before);
        }
}

static int stop_after(void *payload, const gig_progress *progress)
{
    size_t *left = payload;
    assert_true(progress->evaluations <= progress->expected);
    assert_true(progress->chains <= progress->chain_count);
    return (*left)-- == 0;
}

static void can_be_cancelled_at_any_point(void **state)
{
    (void)state;
    size_t before = gig_memory_used();
    for (size_t m = 0; m < METHODS; m++)
        for (size_t at = 0;; at += 1 + at / 4) {
            gig_explanation results[INPUTS];
            size_t left = at;
            const gig_run_options options = {.shape = square, .progress = stop_after, .progress_payload = &left};
            gig_status status = explain(results, 0, INPUTS, methods[m], 2, 1, &options);
            if (status == GIG_OK) {
                assert_true(at > 0); /* it was called */
                clear(results, INPUTS);
                break;
            }
            assert_status(status, GIG_ECANCEL);
            assert_cleared(results, INPUTS);
            assert_int_equal(gig_memory_used(), before);
        }
}

/* ---- numbers ---- */

static void says_nan_where_a_number_has_no_meaning(void **state)
{
    (void)state;
    gig_explanation got;
    assert_ok(explain(&got, 0, 1, "gradients", 1, 1, NULL));
    assert_true(isfinite(got.value_input));
    assert_true(isnan(got.value_baseline) && isnan(got.sum) && isnan(got.delta) && isnan(got.step_error));
    assert_true(isnan(got.noise) && isnan(got.distance) && isnan(got.l1) && isnan(got.l2) && isnan(got.closed));
    assert_int_equal(got.evaluations, 1);
    clear(&got, 1);
    assert_ok(explain(&got, 0, 1, "occlusion/window=4/stride=4", 1, 1, NULL));
    assert_true(isfinite(got.value_input) && isnan(got.value_baseline) && isnan(got.delta) && isnan(got.l1));
    assert_int_equal(got.values, 5);
    clear(&got, 1);
    assert_ok(explain(&got, 0, 1, "edge", 1, 1, NULL));
    assert_true(isnan(got.value_input) && isnan(got.sum));
    assert_int_equal(got.evaluations + got.values, 0);
    clear(&got, 1);
    assert_ok(explain(&got, 0, 1, "gig:3/steps=12/rule=trapezoid", 1, 1, NULL));
    assert_true(isfinite(got.delta) && isfinite(got.step_error) && isfinite(got.noise) && isfinite(got.distance));
    assert_true(isnan(got.closed) && got.seconds >= 0);
    clear(&got, 1);
}

static void counts_the_chains_that_stopped_short(void **state)
{
    (void)state;
    gig_explanation got;
    assert_ok(explain(&got, 0, 1, "gig/baseline=random:3/max-evaluations=8/steps=5/tolerance=1e-9", 1, 1, NULL));
    assert_int_equal(got.stopped, 3);
    clear(&got, 1);
    assert_ok(explain(&got, 0, 1, "gig/baseline=random:3/steps=5/tolerance=0.9", 1, 1, NULL));
    assert_int_equal(got.stopped, 0);
    clear(&got, 1);
}

/* Options that the method's name carries reach the guide. */
static void guides_by_the_options_of_the_name(void **state)
{
    (void)state;
    static const char *const others[] = {"gig/fraction=0.5/fraction-of=remaining/steps=8", "gig/fraction=0.6/steps=8",
                                         "gig/fraction=0.5/max-dist=0.1/steps=8", "gig:1/fraction=0.5/steps=8"};
    gig_explanation plain, other;
    assert_ok(explain(&plain, 0, 1, "gig/fraction=0.5/steps=8", 1, 1, NULL));
    for (size_t i = 0; i < 4; i++) {
        assert_ok(explain(&other, 0, 1, others[i], 1, 1, NULL));
        assert_memory_not_equal(plain.attributions, other.attributions, plain.count * sizeof *plain.attributions);
        clear(&other, 1);
    }
    clear(&plain, 1);
}

static void adds_up_when_closed(void **state)
{
    (void)state;
    gig_explanation got;
    assert_ok(explain(&got, 0, 1, "gig:3/close=yes/steps=8", 1, 1, NULL));
    assert_true(fabs(got.delta) < 1e-9 && got.closed > 0);
    double sum = 0;
    for (size_t i = 0; i < got.count; i++) sum += (double)got.attributions[i];
    assert_true(fabs(sum - (got.value_input - got.value_baseline)) < 1e-5);
    clear(&got, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_the_same_bits_for_any_workers_and_batch),
        cmocka_unit_test(gives_an_input_the_same_bits_alone_and_among_others),
        cmocka_unit_test(leaves_no_memory_behind),
        cmocka_unit_test(survives_each_failing_allocation),
        cmocka_unit_test(can_be_cancelled_at_any_point),
        cmocka_unit_test(says_nan_where_a_number_has_no_meaning),
        cmocka_unit_test(counts_the_chains_that_stopped_short),
        cmocka_unit_test(guides_by_the_options_of_the_name),
        cmocka_unit_test(adds_up_when_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
