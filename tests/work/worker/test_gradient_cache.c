/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients that are remembered: same bits, fewer calls, bounded memory. */
#include "support.h"

#include "work/worker/gradient_cache.h"
#include <math.h>

enum { FEATURES = 5 };

static size_t calls;

/* F = sum of x_i^3 times (target + 1) */
static gig_status cube(void *payload, size_t batch, const float *const *points, const size_t *targets, double *values,
                       float *const *gradients)
{
    (void)payload;
    for (size_t i = 0; i < batch; i++) {
        calls++;
        values[i] = 0;
        for (size_t k = 0; k < FEATURES; k++) {
            float x = points[i][k], scale = (float)(targets[i] + 1);
            values[i] += (double)(scale * x * x * x);
            if (gradients && gradients[i]) gradients[i][k] = scale * 3 * x * x;
        }
    }
    return GIG_OK;
}

static gig_function function_of(void *payload)
{
    return (gig_function){.features = FEATURES, .max_batch = 4, .evaluate = cube, .payload = payload};
}

static void expect(const gig_function *f, float first, size_t target, size_t more)
{
    const float point[FEATURES] = {first, 2, -3, 0.5f, 0};
    const float *points[] = {point};
    float gradient[FEATURES], wanted[FEATURES], *gradients[] = {gradient}, *right[] = {wanted};
    double value, true_value;
    size_t before = calls;
    assert_ok(f->evaluate(f->payload, 1, points, &target, &value, gradients));
    assert_int_equal(calls - before, more);
    assert_ok(cube(NULL, 1, points, &target, &true_value, right));
    assert_true(value == true_value);
    assert_memory_equal(gradient, wanted, sizeof wanted);
}

static void ask(const gig_function *f, int first)
{
    const float point[FEATURES] = {(float)first, 2, -3, 0.5f, 0};
    const float *points[] = {point};
    float gradient[FEATURES], *gradients[] = {gradient};
    size_t target = 0;
    double value;
    assert_ok(f->evaluate(f->payload, 1, points, &target, &value, gradients));
}

static gig_gradient_cache *create(size_t points)
{
    gig_gradient_cache *cache;
    assert_ok(gig_gradient_cache_create(&cache, points * FEATURES * sizeof(float)));
    return cache;
}

static void knows_a_point_again(void **state)
{
    (void)state;
    gig_gradient_cache *cache = create(8);
    gig_function inner = function_of(NULL), f = gig_gradient_cache_function(cache, &inner, 1);
    assert_int_equal(f.max_batch, 1);
    expect(&f, 1, 0, 1);
    expect(&f, 1, 0, 0);
    expect(&f, 1, 1, 1); /* another class */
    expect(&f, nextafterf(1, 2), 0, 1);
    expect(&f, 1, 0, 0);
    f = gig_gradient_cache_function(cache, &inner, 1);
    expect(&f, 1, 0, 0);
    assert_true(gig_gradient_cache_saved(cache) >= 0);
    assert_true(gig_gradient_cache_saved(cache) == 0);
    gig_gradient_cache_free(cache);
}

static void keeps_to_its_room(void **state)
{
    (void)state;
    gig_gradient_cache *cache = create(3);
    gig_function inner = function_of(NULL), f = gig_gradient_cache_function(cache, &inner, 1);
    for (int i = 0; i < 4; i++) expect(&f, (float)i, 0, 1);
    size_t before = calls;
    for (int i = 0; i < 4; i++) ask(&f, i);
    assert_int_equal(calls - before, 1);
    gig_gradient_cache_free(cache);
}

/* The same points in the same order, some more than there is room for: all that there is room for are known again. */
static void helps_a_path_that_is_a_little_too_long(void **state)
{
    enum { ROOM = 90, PATH = 100 };
    (void)state;
    gig_gradient_cache *cache = create(ROOM);
    gig_function inner = function_of(NULL), f = gig_gradient_cache_function(cache, &inner, 1);
    size_t before = calls;
    for (int again = 0; again < 4; again++)
        for (int i = 0; i < PATH; i++) ask(&f, i);
    assert_int_equal(calls - before - PATH, 3 * (PATH - ROOM));
    gig_gradient_cache_free(cache);
}

static void gives_up_what_another_path_asked_for(void **state)
{
    enum { ROOM = 90, PATH = 80 };
    (void)state;
    gig_gradient_cache *cache = create(ROOM);
    gig_function inner = function_of(NULL), f = gig_gradient_cache_function(cache, &inner, 1);
    for (int i = 0; i < PATH; i++) ask(&f, i);
    f = gig_gradient_cache_function(cache, &inner, 2);
    for (int i = 0; i < PATH; i++) ask(&f, 1000 + i);
    size_t before = calls;
    for (int i = 0; i < PATH; i++) ask(&f, 1000 + i);
    assert_int_equal(calls, before);
    gig_gradient_cache_free(cache);
}

static void forgets_another_function(void **state)
{
    (void)state;
    int one, two;
    gig_gradient_cache *cache = create(3);
    gig_function inner = function_of(&one), other = function_of(&two),
                 f = gig_gradient_cache_function(cache, &inner, 1);
    expect(&f, 1, 0, 1);
    f = gig_gradient_cache_function(cache, &other, 1);
    expect(&f, 1, 0, 1);
    gig_gradient_cache_forget(cache);
    expect(&f, 1, 0, 1);
    gig_gradient_cache_free(cache);
}

static void works_without_room(void **state)
{
    (void)state;
    gig_gradient_cache *cache = create(0);
    gig_function inner = function_of(NULL), f = gig_gradient_cache_function(cache, &inner, 1);
    expect(&f, 1, 0, 1);
    expect(&f, 1, 0, 1);
    gig_gradient_cache_free(cache);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_a_point_again),
        cmocka_unit_test(keeps_to_its_room),
        cmocka_unit_test(helps_a_path_that_is_a_little_too_long),
        cmocka_unit_test(gives_up_what_another_path_asked_for),
        cmocka_unit_test(forgets_another_function),
        cmocka_unit_test(works_without_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
