/* SPDX-License-Identifier: Apache-2.0 */
/* Blur IG on PAIR saliency's 5x5 picture, against golden numbers of an independent computation in double. */
#include "base/memory.h"
#include "closed_form.h"
#include "gig/path.h"
#include "image/blur.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

enum { FIRST = 6, SECOND = 12 }; /* (1,1) and (2,2) */

static void walk(double *a, gig_chain_result *result, size_t steps, size_t root_steps)
{
    float picture[25] = {[FIRST] = .7f, [SECOND] = 1};
    closed model = {.form = sum_of_sines, .features = 25};
    gig_function function = closed_function(&model, 1);
    gig_blur_path blur = {
        .picture = picture, .height = 5, .width = 5, .channels = 1, .sigma = 10, .root_steps = root_steps};
    gig_curve curve = gig_curve_blur(&blur);
    gig_chain chain = {.curve = &curve, .steps = steps, .rule = GIG_RULE_RIGHT};
    assert_int_equal(gig_chain_run(result, a, (gig_functions){1, &function}, &chain, NULL, NULL, NULL), GIG_OK);
    assert_int_equal(result->evaluations, steps);
}

static void gives_the_golden_sums(void **state)
{
    (void)state;
    static const struct {
        size_t steps, root;
        double first, second, sum;
    } golden[] = {{100, 0, 0.640301016, 0.835210070, 1.412793094},
                  {499, 0, 0.640310491, 0.835178403, 1.414521459},
                  {2001, 0, 0.640316369, 0.835183538, 1.414683454},
                  {100, 100, 0.5774366740, 0.7600406230, 0.9482946904}};
    for (size_t i = 0; i < 4; i++) {
        double a[25];
        gig_chain_result result;
        walk(a, &result, golden[i].steps, golden[i].root);
        assert_true(fabs(a[FIRST] - golden[i].first) < 1e-6);
        assert_true(fabs(a[SECOND] - golden[i].second) < 1e-6);
        assert_true(fabs(result.sum - golden[i].sum) < 2e-6);
    }
}

static void is_near_the_integral(void **state)
{
    (void)state;
    double a[25];
    gig_chain_result result;
    walk(a, &result, 499, 0);
    assert_true(fabs(a[FIRST] - 0.641528) < 5e-3 && fabs(a[SECOND] - 0.838776) < 5e-3);
    assert_true(fabs(a[0] + 0.002632) < 5e-3);
    for (size_t i = 0; i < 25; i++) assert_true(a[i] != 0);
}

/* 35 x 15 / 200 = 2.625, where the kernel's radius jumps from 10 to 11: what 1 - alpha rounds must not decide it. */
static void blurs_by_the_sigmas_as_they_are_written(void **state)
{
    (void)state;
    enum { WIDE = 64 };
    float edge[WIDE], there[WIDE], expected[WIDE];
    for (int i = 0; i < WIDE; i++) edge[i] = i == 32;
    gig_blur_path blur = {.picture = edge, .height = 1, .width = WIDE, .channels = 1, .sigma = 35};
    gig_curve curve = gig_curve_blur(&blur);
    void *scratch = gig_alloc(curve.scratch_size(curve.self), 1);
    static const int nodes[] = {15, 45, 65, 100};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(curve.at(curve.self, scratch, 1 - nodes[i] / 200.0, there, NULL), GIG_OK);
        assert_int_equal(gig_blur(expected, edge, (gig_map_size){1, WIDE, 1}, nodes[i] * 35 / 200.0, scratch), GIG_OK);
        assert_memory_equal(there, expected, sizeof there);
    }
    gig_free(scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_the_golden_sums),
        cmocka_unit_test(is_near_the_integral),
        cmocka_unit_test(blurs_by_the_sigmas_as_they_are_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
