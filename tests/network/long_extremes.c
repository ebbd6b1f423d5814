/* SPDX-License-Identifier: Apache-2.0 */
/* Fast against plain at extreme attributes: GIG_EXTREMES cases [100,000], from case GIG_EXTREMES_FIRST [1,000,000]. */
#include "extremes.h"

static uint64_t number_of(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

static void fast_and_plain_agree_on_random_attributes(void **state)
{
    (void)state;
    extreme_cases(number_of("GIG_EXTREMES_FIRST", 1000000), number_of("GIG_EXTREMES", 100000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fast_and_plain_agree_on_random_attributes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
