/* SPDX-License-Identifier: Apache-2.0 */
/* The first network of a process decides whether its results are portable; an explainer that wants otherwise is
 * refused. Each case has a process of its own. */
#include "gig/explainer.h"
#include "support.h"
#include <sys/wait.h>
#include <unistd.h>

static gig_status open_with(int portable)
{
    gig_explainer *explainer;
    const gig_explainer_options options = {.portable = portable, .threads = 1};
    gig_status status = gig_explainer_open(&explainer, source_path("demo/model.onnx"), &options);
    gig_explainer_close(explainer);
    return status;
}

enum { AS_EXPECTED, NO_AVX2, OTHERWISE };

static int second_is_refused(int first, const char *message)
{
    gig_status status = open_with(first);
    if (status == GIG_EUNSUPPORTED) return strstr(gig_message(), "AVX2") ? NO_AVX2 : OTHERWISE;
    if (status != GIG_OK || open_with(first) != GIG_OK) return OTHERWISE;
    return open_with(!first) == GIG_EARG && strstr(gig_message(), message) ? AS_EXPECTED : OTHERWISE;
}

static void run_alone(int first, const char *message)
{
    int ended = 0;
    pid_t child = fork();
    if (child == 0) _exit(second_is_refused(first, message));
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_true(WIFEXITED(ended));
    if (WEXITSTATUS(ended) == NO_AVX2) skip();
    assert_int_equal(WEXITSTATUS(ended), AS_EXPECTED);
}

static void portable_stays(void **state)
{
    (void)state;
    run_alone(1, "this process computes portable results");
}

static void own_instructions_stay(void **state)
{
    (void)state;
    run_alone(0, "without portable results; start another");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(portable_stays),
        cmocka_unit_test(own_instructions_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
