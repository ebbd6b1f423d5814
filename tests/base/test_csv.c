/* SPDX-License-Identifier: Apache-2.0 */
/* CSV by RFC 4180. */
#include "support.h"

#include "base/csv.h"
#include "base/memory.h"

static gig_status parse(gig_csv *csv, const char *text)
{
    return gig_csv_parse(csv, text, strlen(text));
}

static void reads_plain_and_quoted_fields(void **state)
{
    (void)state;
    gig_csv csv;
    assert_ok(parse(&csv, "\xef\xbb\xbf"
                          "a,\"b, c\",d\r\n"
                          "1,\"x \"\"y\"\"\",\r\n"
                          "\"line\nbreak\",,\"\"\n"
                          "\n"
                          "last,\"\"\"\",3"));
    assert_true(csv.columns == 3 && csv.rows == 3);
    assert_string_equal(csv.fields[0], "a");
    assert_string_equal(csv.fields[1], "b, c");
    const char *expected[3][3] = {{"1", "x \"y\"", ""}, {"line\nbreak", "", ""}, {"last", "\"", "3"}};
    for (size_t row = 0; row < 3; row++)
        for (size_t column = 0; column < 3; column++)
            assert_string_equal(gig_csv_field(&csv, row, column), expected[row][column]);
    const size_t lines[] = {1, 2, 3, 6};
    assert_memory_equal(csv.lines, lines, sizeof lines);
    assert_true(gig_csv_column(&csv, "d") == 2 && gig_csv_column(&csv, "e") == 3);
    gig_csv_clear(&csv);
}

static void keeps_empty_fields_at_the_end(void **state)
{
    (void)state;
    gig_csv csv;
    assert_ok(parse(&csv, "a,b\n1,"));
    assert_true(csv.rows == 1);
    assert_string_equal(gig_csv_field(&csv, 0, 1), "");
    gig_csv_clear(&csv);
    assert_ok(parse(&csv, "a\n\"\"\n"));
    assert_true(csv.columns == 1 && csv.rows == 1);
    gig_csv_clear(&csv);
}

static void names_the_line_of_a_mistake(void **state)
{
    (void)state;
    const struct {
        const char *text, *message;
    } cases[] = {
        {"a,b\n1,2\n1,2,3\n", "line 3: 3 fields, but the header has 2"},
        {"a,b\n1\n", "line 2: 1 field, but the header has 2"},
        {"a\n\"x\ny\n\nz", "line 2: a quote is not closed"},
        {"a\n\"x\ny\"z", "line 3: text after a closing quote"},
        {"a\nx\"y\n", "line 2: a quote inside a field without quotes"},
        {"a\nx\ry\n", "line 2: a carriage return inside a line"},
        {"\r\na,b,a\n", "line 2: two columns are named \"a\""},
        {"", "no header"},
        {"\n\r\n", "no header"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gig_csv csv;
        assert_status(parse(&csv, cases[i].text), GIG_EFORMAT);
        assert_string_equal(gig_message(), cases[i].message);
    }
    gig_csv csv;
    assert_status(gig_csv_parse(&csv, "a\nb\0c\n", 6), GIG_EFORMAT);
    assert_message("byte 3 is NUL");
}

/* Every prefix of a text is read or refused; under a sanitizer no byte beyond it is touched. */
static void survives_every_prefix(void **state)
{
    (void)state;
    const char text[] = "\xef\xbb\xbf\"a\"\"\",b\r\n\"1\r\n2\",\"\"\r\n3,4";
    size_t before = gig_memory_used();
    for (size_t length = 0; length < sizeof text; length++) {
        char *exact = malloc(length ? length : 1);
        memcpy(exact, text, length);
        gig_csv csv;
        gig_status status = gig_csv_parse(&csv, exact, length);
        assert_true(status == GIG_OK || status == GIG_EFORMAT);
        gig_csv_clear(&csv);
        free(exact);
        assert_true(gig_memory_used() == before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_plain_and_quoted_fields),
        cmocka_unit_test(keeps_empty_fields_at_the_end),
        cmocka_unit_test(names_the_line_of_a_mistake),
        cmocka_unit_test(survives_every_prefix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
