/* SPDX-License-Identifier: Apache-2.0 */
/* Computing without the GIL.
 *
 * If a Python function computes every value, all runs in the calling thread, so that thread-local settings
 * (torch.no_grad, a device, a context variable) are the caller's. Everything else runs in a separate thread with
 * signals blocked (a signal handler must not run on the stack of oneDNN's code), while the caller waits and, twenty
 * times a second, checks for interrupts and reports progress. */
#include "explainer.h"
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

enum { LOOK_MILLISECONDS = 50, MESSAGE_BYTES = 1024 };

static double now(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

gig_status core_run_keep(core_run *run)
{
    if (!run->type)
        PyErr_Fetch(&run->type, &run->value, &run->trace);
    else
        PyErr_Clear();
    atomic_store(&run->stop, 1);
    return gig_fail_because(GIG_ECANCEL, "stopped by an exception");
}

gig_status core_run_check(core_run *run)
{
    return atomic_load(&run->stop) ? gig_fail_because(GIG_ECANCEL, "stopped by an exception") : GIG_OK;
}

/* With the GIL: runs signal handlers and reports progress. */
static void look(core_run *run)
{
    if (atomic_load(&run->stop)) return;
    if (PyErr_CheckSignals() < 0) {
        core_run_keep(run);
        return;
    }
    size_t done = atomic_load(&run->done);
    if (!run->progress || !done) return;
    core_in_callback++;
    PyObject *said =
        PyObject_CallFunction(run->progress, "nn", (Py_ssize_t)done, (Py_ssize_t)atomic_load(&run->expected));
    core_in_callback--;
    if (!said) core_run_keep(run);
    Py_XDECREF(said);
}

int core_run_progress(void *payload, const gig_progress *progress)
{
    core_run *run = payload;
    atomic_store(&run->done, progress->evaluations);
    atomic_store(&run->expected, progress->expected);
    if (!run->aside && now() - run->told > 1e-3 * LOOK_MILLISECONDS) {
        PyGILState_STATE state = PyGILState_Ensure();
        look(run);
        PyGILState_Release(state);
        run->told = now();
    }
    return atomic_load(&run->stop);
}

typedef struct side {
    core_job job;
    void *payload;
    gig_status status;
    char message[MESSAGE_BYTES]; /* it belongs to the thread that failed */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int ended;
} side;

static void compute(side *self)
{
    self->status = self->job(self->payload);
    if (self->status != GIG_OK) snprintf(self->message, sizeof self->message, "%s", gig_message());
}

static void *begin(void *argument)
{
    side *self = argument;
    compute(self);
    pthread_mutex_lock(&self->lock);
    self->ended = 1;
    pthread_cond_signal(&self->changed);
    pthread_mutex_unlock(&self->lock);
    return NULL;
}

/* Without the GIL: until it has ended, or it is time to look. */
static int wait_a_little(side *self)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += LOOK_MILLISECONDS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    pthread_mutex_lock(&self->lock);
    int gone = 0;
    while (!self->ended && !gone) gone = pthread_cond_timedwait(&self->changed, &self->lock, &until) != 0;
    int ended = self->ended;
    pthread_mutex_unlock(&self->lock);
    return ended;
}

static int compute_aside(core_run *run, side *self)
{
    pthread_t thread;
    pthread_condattr_t monotonic;
    sigset_t all, before;
    pthread_mutex_init(&self->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&self->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&thread, NULL, begin, self);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    for (int ended = failed; !ended;) {
        PyThreadState *state = PyEval_SaveThread();
        ended = wait_a_little(self);
        PyEval_RestoreThread(state);
        if (!ended) look(run);
    }
    if (!failed) pthread_join(thread, NULL);
    pthread_cond_destroy(&self->changed);
    pthread_mutex_destroy(&self->lock);
    return failed ? -1 : 0;
}

int core_run_do(core_run *run, core_job job, void *payload)
{
    side self = {.job = job, .payload = payload};
    run->told = now();
    if (run->aside) {
        if (compute_aside(run, &self) < 0) {
            core_raise(GIG_ENOMEM, "no thread can be started");
            return -1;
        }
    } else {
        PyThreadState *state = PyEval_SaveThread();
        compute(&self);
        PyEval_RestoreThread(state);
    }
    if (!run->type && self.status == GIG_OK) look(run); /* the last word of progress */
    if (run->type) {
        PyErr_Restore(run->type, run->value, run->trace);
        run->type = run->value = run->trace = NULL;
        return -1;
    }
    if (self.status == GIG_OK) return 0;
    core_raise(self.status, self.message);
    return -1;
}
