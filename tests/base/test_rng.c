/* SPDX-License-Identifier: Apache-2.0 */
/* Philox 4x32-10 against the known answers published with Random123, and the numbers made from it. */
#include "base/rng.h"
#include "support.h"

static void gives_the_published_answers(void **state)
{
    (void)state;
    const struct {
        uint32_t counter[4], key[2], answer[4];
    } cases[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < 3; i++) {
        uint32_t block[4];
        memcpy(block, cases[i].counter, sizeof block);
        gig_philox(block, cases[i].key);
        assert_memory_equal(block, cases[i].answer, sizeof block);
    }
}

static void is_a_pure_function_of_seed_stream_and_index(void **state)
{
    (void)state;
    gig_rng rng = {0, 0};
    assert_true(gig_rng_bits(rng, 0) == 0xe169c58d6627e8d5u);
    assert_true(gig_rng_bits(rng, 1) == 0x9b00dbd8bc57ac4cu);
    gig_rng a = {5, 0}, b = {5, 1}, c = {6, 0}, d = {5, (uint64_t)1 << 32};
    uint64_t first = gig_rng_bits(a, 9);
    assert_true(first == gig_rng_bits(a, 9));
    assert_true(first != gig_rng_bits(b, 9) && first != gig_rng_bits(c, 9) && first != gig_rng_bits(d, 9));
    assert_true(first != gig_rng_bits(a, 9 + ((uint64_t)1 << 40)));
}

static void fills_with_the_numbers_it_gives_one_by_one(void **state)
{
    (void)state;
    enum { COUNT = 101 };
    gig_rng rng = {1234567890123u, 77};
    float uniform[COUNT], normal[COUNT];
    gig_rng_fill_uniform(rng, uniform, COUNT);
    gig_rng_fill_normal(rng, normal, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        assert_true(uniform[i] == (float)gig_rng_uniform(rng, i));
        assert_true(normal[i] == (float)gig_rng_normal(rng, i));
    }
}

/* Means of n draws lie within 5 standard errors; below the size of any fault worth finding. */
static void has_the_moments_of_its_distributions(void **state)
{
    (void)state;
    enum { COUNT = 200000 };
    gig_rng rng = {42, 3};
    double sum = 0, square = 0, mean = 0, variance = 0, third = 0, fourth = 0, neighbours = 0;
    for (size_t i = 0; i < COUNT; i++) {
        double u = gig_rng_uniform(rng, i), n = gig_rng_normal(rng, i);
        assert_true(u >= 0 && u < 1);
        sum += u;
        square += u * u;
        mean += n;
        variance += n * n;
        third += n * n * n;
        fourth += n * n * n * n;
        neighbours += n * gig_rng_normal(rng, i + 1);
    }
    double root = 5 / sqrt(COUNT);
    assert_true(fabs(sum / COUNT - 0.5) < root * sqrt(1.0 / 12));
    assert_true(fabs(square / COUNT - 1.0 / 3) < root * sqrt(4.0 / 45));
    assert_true(fabs(mean / COUNT) < root);
    assert_true(fabs(variance / COUNT - 1) < root * sqrt(2));
    assert_true(fabs(third / COUNT) < root * sqrt(15));
    assert_true(fabs(fourth / COUNT - 3) < root * sqrt(96));
    assert_true(fabs(neighbours / COUNT) < root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_the_published_answers),
        cmocka_unit_test(is_a_pure_function_of_seed_stream_and_index),
        cmocka_unit_test(fills_with_the_numbers_it_gives_one_by_one),
        cmocka_unit_test(has_the_moments_of_its_distributions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
