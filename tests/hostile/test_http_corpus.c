/* SPDX-License-Identifier: Apache-2.0 */
/* The committed corpus of requests to the page, replayed by the ordinary compiler; a broken promise aborts. */
#include "replay.h"
#define LLVMFuzzerTestOneInput fuzz_http
#include "../../fuzz/fuzz_http.c"

static void answers_the_corpus_of_requests(void **state)
{
    (void)state;
    replay("fuzz/corpus/http", fuzz_http, 20);
}

static const char add[] = "\x0f\n/api/jobs\n\n{\"type\": \"classes\", \"method\": \"ig\", \"class\": \"\", \"of\": "
                          "\"logit\", \"region\": \"\", \"picture\": 1}";

/* The request to a server with one picture and one job, its k-th allocation failing. 0: it makes fewer. */
static int answer_starved(const char *request, size_t k)
{
    web_server server;
    make_server(&server);
    answer(&server, (const uint8_t *)add, strlen(add), SIZE_MAX); /* job 2 */
    int failed = answer(&server, (const uint8_t *)request, strlen(request), k);
    clear_server(&server);
    return failed;
}

static void answers_whichever_allocation_fails(void **state)
{
    (void)state;
    static const char *const requests[] = {"\x17\n/api/state", "\x0f\n/api/pictures\nname\nbytes", add,
                                           "\x0f\n/api/jobs/2/cancel", "\x17\n/nowhere"};
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        size_t k = 0;
        while (answer_starved(requests[i], k)) k++;
        print_message("%s: up to %zu allocations\n", requests[i] + 2, k);
        assert_true(k > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_the_corpus_of_requests),
        cmocka_unit_test(answers_whichever_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
