/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as text, also where the program's locale writes a decimal comma. */
#include "internal/number.h"
#include "support.h"

static void reads_decimal_numbers(void **state)
{
    (void)state;
    const struct {
        const char *text;
        double value;
    } cases[] = {{"0", 0},
                 {"1", 1},
                 {"-1.5", -1.5},
                 {"+.5", .5},
                 {"2.", 2},
                 {"1e3", 1000},
                 {"1E-3", 1e-3},
                 {"0.1", 0.1},
                 {"5e-324", 5e-324},
                 {"1e-999", 0},
                 {"1.7976931348623157e308", 1.7976931348623157e308}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value;
        assert_ok(gig_parse_double(&value, cases[i].text));
        assert_true(value == cases[i].value);
    }
}

static void refuses_what_is_not_one_finite_decimal_number(void **state)
{
    (void)state;
    const char *texts[] = {"",  " 1", "1 ", "1,5",   "0x10",  "inf",    "nan", "1e",  "1e+",
                           ".", "-",  "e5", "1.2.3", "1e999", "-1e999", "--1", "1d3", "\xd9\xa1"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double value = 3;
        assert_status(gig_parse_double(&value, texts[i]), GIG_EARG);
        assert_true(value == 0);
    }
}

static void reads_whole_numbers_to_the_last_one(void **state)
{
    (void)state;
    int64_t value;
    assert_ok(gig_parse_int(&value, "9223372036854775807", INT64_MIN, INT64_MAX));
    assert_true(value == INT64_MAX);
    assert_ok(gig_parse_int(&value, "-9223372036854775808", INT64_MIN, INT64_MAX));
    assert_true(value == INT64_MIN);
    assert_ok(gig_parse_int(&value, "+007", 0, 10));
    assert_int_equal(value, 7);
    assert_status(gig_parse_int(&value, "9223372036854775808", INT64_MIN, INT64_MAX), GIG_EARG);
    assert_status(gig_parse_int(&value, "-9223372036854775809", INT64_MIN, INT64_MAX), GIG_EARG);
    assert_status(gig_parse_int(&value, "99999999999999999999999", INT64_MIN, INT64_MAX), GIG_EARG);
}

static void refuses_whole_numbers_out_of_range_or_not_whole(void **state)
{
    (void)state;
    int64_t value;
    assert_status(gig_parse_int(&value, "11", 0, 10), GIG_EARG);
    assert_message("expected an integer from 0 to 10, found \"11\"");
    assert_status(gig_parse_int(&value, "-1", 0, 10), GIG_EARG);
    const char *texts[] = {"", " 1", "1.0", "1e3", "0x1", "-", "1k", "one"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_status(gig_parse_int(&value, texts[i], 0, 10), GIG_EARG);
}

static void reads_sizes_with_their_units(void **state)
{
    (void)state;
    size_t size;
    assert_ok(gig_parse_size(&size, "512"));
    assert_int_equal(size, 512);
    assert_ok(gig_parse_size(&size, "3K"));
    assert_int_equal(size, 3072);
    assert_ok(gig_parse_size(&size, "2GiB"));
    assert_int_equal(size, (size_t)2 << 30);
    assert_ok(gig_parse_size(&size, "7mB"));
    assert_int_equal(size, (size_t)7 << 20);
    const char *texts[] = {"", "G", "-1", "1.5G", "1X", "1GG", "99999999T", "18446744073709551616"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) assert_status(gig_parse_size(&size, texts[i]), GIG_EARG);
}

static void finds_a_choice_by_its_whole_name(void **state)
{
    (void)state;
    int place = 7;
    assert_ok(gig_parse_choice(&place, "one", "one|two|three"));
    assert_int_equal(place, 0);
    assert_ok(gig_parse_choice(&place, "three", "one|two|three"));
    assert_int_equal(place, 2);
    const char *texts[] = {"", "on", "onee", "one|two", "|", "Two", "four"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_status(gig_parse_choice(&place, texts[i], "one|two|three"), GIG_EARG);
        assert_message("expected one of one|two|three");
        assert_int_equal(place, 2);
    }
}

static void uses_a_point_where_the_locale_has_a_comma(void **state)
{
    (void)state;
    if (!enter_comma_locale()) skip_because("localedef cannot make a locale with a decimal comma here");
    char text[64];
    snprintf(text, sizeof text, "%.1f", 1.5);
    assert_string_equal(text, "1,5");
    double value = 0;
    assert_ok(gig_parse_double(&value, "1.5"));
    assert_true(value == 1.5);
    assert_status(gig_parse_double(&value, "1,5"), GIG_EARG);
    assert_string_equal(gig_format_double(text, sizeof text, 9, 1.5), "1.5");
    assert_string_equal(gig_format_double(text, sizeof text, 17, 0.1), "0.10000000000000001");
    snprintf(text, sizeof text, "%.1f", 1.5);
    assert_string_equal(text, "1,5");
    setlocale(LC_NUMERIC, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_decimal_numbers),
        cmocka_unit_test(refuses_what_is_not_one_finite_decimal_number),
        cmocka_unit_test(reads_whole_numbers_to_the_last_one),
        cmocka_unit_test(refuses_whole_numbers_out_of_range_or_not_whole),
        cmocka_unit_test(reads_sizes_with_their_units),
        cmocka_unit_test(finds_a_choice_by_its_whole_name),
        cmocka_unit_test(uses_a_point_where_the_locale_has_a_comma),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
