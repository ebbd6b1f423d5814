/* SPDX-License-Identifier: Apache-2.0 */
/* Worker threads: every job once, and the same failure whatever the number of threads. */
#include "base/memory.h"
#include "base/status.h"
#include "base/workers.h"
#include "support.h"
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

enum { JOBS = 500, THREADS = 3 };

typedef struct count {
    size_t threads;
    atomic_int done[JOBS];
    atomic_int calls, inside[THREADS];
} count;

static gig_status count_job(void *payload, size_t worker, size_t index)
{
    count *self = payload;
    if (worker >= self->threads) return gig_fail(GIG_EINTERNAL, "worker %zu", worker);
    if (atomic_fetch_add(&self->inside[worker], 1) != 0) return gig_fail(GIG_EINTERNAL, "a worker is in two jobs");
    atomic_fetch_add(&self->done[index], 1);
    atomic_fetch_add(&self->calls, 1);
    atomic_fetch_sub(&self->inside[worker], 1);
    return GIG_OK;
}

static void does_every_job_once_for_1_2_and_3_threads(void **state)
{
    (void)state;
    for (size_t threads = 1; threads <= THREADS; threads++) {
        count self = {.threads = threads};
        assert_ok(gig_workers_run(threads, JOBS, count_job, &self));
        for (size_t i = 0; i < JOBS; i++) assert_int_equal(self.done[i], 1);
    }
}

static void does_nothing_for_no_jobs(void **state)
{
    (void)state;
    count self = {.threads = 3};
    assert_ok(gig_workers_run(3, 0, count_job, &self));
    assert_int_equal(self.calls, 0);
}

/* Jobs 40, 41 and 42 fail; `slow` is the last of them in time. */
typedef struct failing {
    size_t slow;
    atomic_int calls;
} failing;

static gig_status fail_in_turn(void *payload, size_t worker, size_t index)
{
    (void)worker;
    failing *self = payload;
    atomic_fetch_add(&self->calls, 1);
    if (index >= 40 && index <= 42) usleep(index == self->slow ? 30000 : 5000);
    if (index >= 40 && index <= 42) return gig_fail(index == 40 ? GIG_ENUMERIC : GIG_EIO, "job %zu failed", index);
    return GIG_OK;
}

static void reports_the_failure_with_the_lowest_index(void **state)
{
    (void)state;
    for (size_t threads = 1; threads <= THREADS; threads++)
        for (size_t slow = 40; slow <= 42; slow++) {
            failing self = {.slow = slow};
            gig_set_message("before");
            assert_status(gig_workers_run(threads, JOBS, fail_in_turn, &self), GIG_ENUMERIC);
            assert_string_equal(gig_message(), "job 40 failed");
            if (threads == 1) assert_int_equal(self.calls, 41); /* none is begun after a failure is known */
        }
}

static gig_status note_thread(void *payload, size_t worker, size_t index)
{
    (void)worker;
    (void)index;
    *(pthread_t *)payload = pthread_self();
    return GIG_OK;
}

static void runs_one_thread_on_the_callers(void **state)
{
    (void)state;
    pthread_t seen;
    assert_ok(gig_workers_run(1, 1, note_thread, &seen));
    assert_true(pthread_equal(seen, pthread_self()));
}

static gig_status note_signals(void *payload, size_t worker, size_t index)
{
    (void)worker;
    (void)index;
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    if (sigismember(&blocked, SIGINT) && sigismember(&blocked, SIGTERM)) atomic_fetch_add((atomic_int *)payload, 1);
    return GIG_OK;
}

static void leaves_signals_to_the_callers_thread(void **state)
{
    (void)state;
    atomic_int blocked = 0;
    assert_ok(gig_workers_run(2, 10, note_signals, &blocked));
    assert_int_equal(blocked, 10);
    sigset_t mine;
    pthread_sigmask(SIG_SETMASK, NULL, &mine);
    assert_false(sigismember(&mine, SIGINT));
}

static void says_when_memory_runs_out(void **state)
{
    (void)state;
    count self = {.threads = 3};
    gig_memory_fail_at(0, 0);
    assert_status(gig_workers_run(3, JOBS, count_job, &self), GIG_ENOMEM);
    gig_memory_fail_at(SIZE_MAX, 0);
    assert_int_equal(self.calls, 0);
}

static void knows_at_least_one_core(void **state)
{
    (void)state;
    assert_true(gig_workers_default() >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(does_every_job_once_for_1_2_and_3_threads),
        cmocka_unit_test(does_nothing_for_no_jobs),
        cmocka_unit_test(reports_the_failure_with_the_lowest_index),
        cmocka_unit_test(runs_one_thread_on_the_callers),
        cmocka_unit_test(leaves_signals_to_the_callers_thread),
        cmocka_unit_test(says_when_memory_runs_out),
        cmocka_unit_test(knows_at_least_one_core),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
