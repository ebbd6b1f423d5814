/* SPDX-License-Identifier: Apache-2.0 */
/* Selection without sorting, against sorting. */
#include "base/memory.h"
#include "base/rng.h"
#include "path/select.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int by_key(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

typedef uint32_t (*key_maker)(size_t i);

static uint32_t key_of(double value)
{
    float magnitude = (float)fabs(value);
    uint32_t bits;
    memcpy(&bits, &magnitude, sizeof bits);
    return bits;
}

static uint32_t normals(size_t i)
{
    return key_of(gig_rng_normal((gig_rng){1, 1}, i));
}

static uint32_t mostly_zeros(size_t i)
{
    return i % 3 ? 0 : normals(i);
}

static uint32_t few_values(size_t i)
{
    return key_of((double)(gig_rng_bits((gig_rng){1, 2}, i) % 5));
}

static uint32_t mostly_done(size_t i)
{
    return i % 50 ? GIG_KEY_DONE : normals(i);
}

static uint32_t rising(size_t i)
{
    return (uint32_t)i;
}

/* Periods that fool a sample at even distances. */
static uint32_t periodic(size_t i)
{
    return i % 64 ? key_of(1e-3 * (double)(i % 64)) : key_of(1e6 + (double)i);
}

static uint32_t extremes(size_t i)
{
    static const double values[] = {0, 1e-45, 1e-40, 1e-38, 1e30, 3.4e38, 1e-30, 1};
    return key_of(values[gig_rng_bits((gig_rng){1, 3}, i) % 8]);
}

static uint32_t all_equal(size_t i)
{
    (void)i;
    return key_of(0.25);
}

static const key_maker makers[] = {normals, mostly_zeros, few_values, mostly_done,
                                   rising,  periodic,     extremes,   all_equal};

static void finds_the_key_that_sorting_finds(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 2, 7, 100, 8191, 8192, 50000};
    for (size_t m = 0; m < sizeof makers / sizeof *makers; m++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            size_t n = sizes[s];
            uint32_t *keys = gig_alloc(n, sizeof *keys), *sorted = gig_alloc(n, sizeof *sorted);
            uint32_t *scratch = gig_alloc(gig_select_scratch(n), sizeof *scratch);
            for (size_t i = 0; i < n; i++) sorted[i] = keys[i] = makers[m](i);
            qsort(sorted, n, sizeof *sorted, by_key);
            for (int k = 0; k <= 20; k++) {
                size_t rank = (size_t)((double)(n - 1) * k / 20);
                assert_int_equal(gig_select_key(keys, n, rank, scratch), sorted[rank]);
            }
            assert_int_equal(gig_select_key(keys, n, n, scratch), GIG_KEY_DONE);
            gig_free(keys);
            gig_free(sorted);
            gig_free(scratch);
        }
}

static void orders_what_is_not_done(void **state)
{
    (void)state;
    enum { n = 5000 };
    static uint32_t keys[n], order[n], scratch[n];
    for (size_t m = 0; m < sizeof makers / sizeof *makers; m++) {
        size_t expected = 0;
        for (size_t i = 0; i < n; i++) {
            keys[i] = makers[m](i);
            expected += keys[i] != GIG_KEY_DONE;
        }
        size_t count = gig_select_order(order, scratch, keys, n);
        assert_int_equal(count, expected);
        for (size_t i = 1; i < count; i++) {
            uint32_t before = keys[order[i - 1]], now = keys[order[i]];
            assert_true(before < now || (before == now && order[i - 1] < order[i]));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_key_that_sorting_finds),
        cmocka_unit_test(orders_what_is_not_done),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
