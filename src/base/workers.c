/* SPDX-License-Identifier: Apache-2.0 */
#include "base/workers.h"
#include "base/memory.h"
#include "base/signals.h"
#include "base/status.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

/* Shared by the threads of one run. Indices are handed out in ascending order, so when `failed` is set, every lower
 * index has been handed out already and will report before the run ends. */
typedef struct run {
    gig_job job;
    void *payload;
    size_t count;
    atomic_size_t next, failed; /* failed: lowest index that failed, count if none */
    pthread_mutex_t lock;       /* guards status and message */
    gig_status status;
    char message[GIG_MESSAGE_BYTES];
} run;

typedef struct worker {
    run *shared;
    size_t number;
    pthread_t thread;
} worker;

static void note_failure(run *shared, size_t index, gig_status status)
{
    pthread_mutex_lock(&shared->lock);
    if (index < atomic_load(&shared->failed)) {
        atomic_store(&shared->failed, index);
        shared->status = status;
        snprintf(shared->message, sizeof shared->message, "%s", gig_message());
    }
    pthread_mutex_unlock(&shared->lock);
}

static void work(run *shared, size_t number)
{
    for (;;) {
        size_t index = atomic_fetch_add(&shared->next, 1);
        if (index >= shared->count || index > atomic_load(&shared->failed)) return;
        gig_status status = shared->job(shared->payload, number, index);
        if (status != GIG_OK) note_failure(shared, index, status);
    }
}

static void *begin(void *argument)
{
    worker *self = argument;
    work(self->shared, self->number);
    return NULL;
}

/* Starts up to `threads` threads and waits for them; returns how many could be started. Signals go to the caller's
 * threads. */
static size_t run_threads(run *shared, worker *workers, size_t threads)
{
    gig_signals held;
    gig_signals_hold(&held);
    size_t started = 0;
    for (; started < threads; started++) {
        workers[started] = (worker){.shared = shared, .number = started};
        if (pthread_create(&workers[started].thread, NULL, begin, &workers[started]) != 0) break;
    }
    gig_signals_release(&held);
    for (size_t i = 0; i < started; i++) pthread_join(workers[i].thread, NULL);
    return started;
}

gig_status gig_workers_run(size_t threads, size_t count, gig_job job, void *payload)
{
    if (threads == 0) threads = gig_workers_default();
    if (threads > count) threads = count;
    run shared = {.job = job, .payload = payload, .count = count, .lock = PTHREAD_MUTEX_INITIALIZER};
    atomic_init(&shared.next, 0);
    atomic_init(&shared.failed, count);
    size_t started = 0;
    if (threads > 1) {
        worker *workers = gig_alloc(threads, sizeof *workers);
        if (!workers) return gig_alloc_status();
        started = run_threads(&shared, workers, threads);
        gig_free(workers);
    }
    if (started == 0) work(&shared, 0);
    pthread_mutex_destroy(&shared.lock);
    if (shared.status != GIG_OK) return gig_fail(shared.status, "%s", shared.message);
    return GIG_OK;
}

size_t gig_workers_default(void)
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 1;
    int cores = CPU_COUNT(&allowed);
    return cores < 1 ? 1 : (size_t)cores;
}
