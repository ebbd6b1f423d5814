/* SPDX-License-Identifier: Apache-2.0 */
/* The status and the thread's one-line message. */
#include "base/status.h"
#include "support.h"
#include <pthread.h>

static void says_what_went_wrong(void **state)
{
    (void)state;
    assert_int_equal(gig_fail(GIG_EFORMAT, "node %d", 17), GIG_EFORMAT);
    assert_string_equal(gig_message(), "node 17");
    assert_int_equal(gig_fail_in(GIG_EFORMAT, "%s", "a.onnx"), GIG_EFORMAT);
    assert_string_equal(gig_message(), "a.onnx: node 17");
    assert_int_equal(gig_fail_in(GIG_EFORMAT, "%s", "a.onnx"), GIG_EFORMAT); /* said already */
    assert_string_equal(gig_message(), "a.onnx: node 17");
}

static void says_what_a_callback_says(void **state)
{
    (void)state;
    assert_int_equal(gig_fail_because(GIG_EIO, "100 % lost"), GIG_EIO);
    assert_string_equal(gig_message(), "100 % lost");
}

static void keeps_a_message_on_one_printable_line(void **state)
{
    (void)state;
    gig_set_message("a\nb\tc\x1b[31m\x7f");
    assert_string_equal(gig_message(), "a?b?c?[31m?");
}

static void cuts_a_message_that_is_too_long(void **state)
{
    (void)state;
    char text[2 * GIG_MESSAGE_BYTES];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    gig_set_message("%s", text);
    assert_int_equal(strlen(gig_message()), GIG_MESSAGE_BYTES - 1);
    (void)gig_fail_in(GIG_EARG, "%s", text);
    assert_int_equal(strlen(gig_message()), GIG_MESSAGE_BYTES - 1);
}

static void takes_its_own_message_as_an_argument(void **state)
{
    (void)state;
    gig_set_message("inner");
    gig_set_message("outer: %s", gig_message());
    assert_string_equal(gig_message(), "outer: inner");
}

static void *fail_elsewhere(void *unused)
{
    gig_set_message("elsewhere");
    return unused;
}

static void keeps_messages_of_threads_apart(void **state)
{
    (void)state;
    gig_set_message("here");
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, fail_elsewhere, NULL), 0);
    pthread_join(thread, NULL);
    assert_string_equal(gig_message(), "here");
}

static void names_every_status(void **state)
{
    (void)state;
    for (int status = GIG_EINTERNAL; status <= GIG_OK; status++)
        assert_int_equal(strncmp(gig_status_name((gig_status)status), "GIG_", 4), 0);
    assert_string_equal(gig_status_name(GIG_OK), "GIG_OK");
    assert_string_equal(gig_status_name((gig_status)99), "GIG_UNKNOWN");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_went_wrong),
        cmocka_unit_test(says_what_a_callback_says),
        cmocka_unit_test(keeps_a_message_on_one_printable_line),
        cmocka_unit_test(cuts_a_message_that_is_too_long),
        cmocka_unit_test(takes_its_own_message_as_an_argument),
        cmocka_unit_test(keeps_messages_of_threads_apart),
        cmocka_unit_test(names_every_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
