/* SPDX-License-Identifier: Apache-2.0 */
#include "frame/errors.h"
#include "frame/printing.h"
#include "frame/progress.h"
#include "gig/interrupt.h"
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    STACK_BYTES = 8 << 20,
    LOOK_NANOSECONDS = 50000000,
    MESSAGE_BYTES = 6000
}; /* more than the library's, and a path */

static atomic_int seen; /* written by the handler in the first thread, read by the others */

static void note(int number)
{
    seen = number;
    gig_interrupt(1);
}

void signals_catch(void)
{
    struct sigaction action = {.sa_handler = note, .sa_flags = (int)(SA_RESETHAND | SA_ONSTACK)};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN); /* files are still finished; main handles it at the end */
    signal(SIGXFSZ, SIG_IGN); /* the file size limit is an error like a full disk, for worker processes too */
}

typedef struct program_run {
    int (*program)(int count, char **arguments);
    int count, code;
    char **arguments;
} program_run;

static void *run_program(void *argument)
{
    program_run *self = argument;
    self->code = self->program(self->count, self->arguments);
    return NULL;
}

static double clock_now(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Work that was asked to stop ends at its next check; a single operator of a hostile model may not check for minutes.
 * Files under their final names are complete, so nothing is lost by exiting here. */
static void wait_for_program(pthread_t thread)
{
    const double grace_computed = 0.8, grace = 0.5; /* seconds of CPU, and of the clock */
    double computed = 0, since = 0;
    for (;;) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += LOOK_NANOSECONDS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        if (pthread_timedjoin_np(thread, NULL, &until) == 0) return;
        if (!seen) continue;
        if (since == 0) {
            since = clock_now(CLOCK_MONOTONIC);
            computed = clock_now(CLOCK_PROCESS_CPUTIME_ID);
        }
        if (clock_now(CLOCK_MONOTONIC) - since < grace ||
            clock_now(CLOCK_PROCESS_CPUTIME_ID) - computed < grace_computed)
            continue;
        fputs("gig: interrupted\n", stderr);
        _exit(128 + seen);
    }
}

int signals_run_apart(int (*program)(int count, char **arguments), int count, char **arguments)
{
    static char room[1 << 16]; /* handlers have a stack of their own even where no thread can be started */
    const stack_t stack = {.ss_sp = room, .ss_size = sizeof room};
    program_run self = {.program = program, .count = count, .arguments = arguments};
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all, none;
    sigaltstack(&stack, NULL);
    sigfillset(&all);
    sigemptyset(&none); /* this program may have been started by a thread like the one below */
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    int problem = pthread_create(&thread, &attributes, run_program, &self);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    pthread_attr_destroy(&attributes);
    if (problem)
        run_program(&self);
    else
        wait_for_program(thread);
    return self.code;
}

int signals_seen(void)
{
    return seen;
}

gig_status signals_check(void)
{
    return seen ? GIG_ECANCEL : GIG_OK;
}

int complain(const char *format, ...)
{
    char text[MESSAGE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    char line[sizeof text];
    progress_make_way();
    fprintf(stderr, "gig: %s\n", output_name(line, sizeof line, text));
    return -1;
}

static int exit_code(gig_status status)
{
    switch (status) {
    case GIG_OK: return EXIT_OK;
    case GIG_EARG: return EXIT_USAGE;
    case GIG_EFORMAT:
    case GIG_ENUMERIC: return EXIT_INPUT;
    case GIG_ELIMIT:
    case GIG_ENOMEM: return EXIT_LIMIT;
    case GIG_EUNSUPPORTED: return EXIT_UNSUPPORTED;
    case GIG_EIO: return EXIT_IO;
    case GIG_ECANCEL: return 128 + (seen ? seen : SIGINT);
    case GIG_EINTERNAL: break;
    }
    return EXIT_INTERNAL;
}

int report_as(gig_status status, const char *message)
{
    if (status != GIG_OK) complain("%s", message);
    return exit_code(status);
}

int report_of(const char *input, gig_status status)
{
    char message[MESSAGE_BYTES], line[MESSAGE_BYTES + 300];
    if (status == GIG_OK || status == GIG_ECANCEL || status == GIG_ENOMEM) return report(status);
    snprintf(message, sizeof message, "%s", gig_message());
    if (!strncmp(message, input, strlen(input))) return report(status); /* named already */
    snprintf(line, sizeof line, "%.299s: %s", input, message);
    return report_as(status, line);
}

int report(gig_status status)
{
    const char *message = gig_message();
    if (status == GIG_EIO && seen) status = GIG_ECANCEL; /* a signal ended the call that waited */
    if (status == GIG_ECANCEL) message = "interrupted";
    if (status == GIG_ENOMEM && !strstr(message, "memory")) message = "out of memory"; /* ours, which set none */
    return report_as(status, message);
}

int no_memory(void)
{
    complain("out of memory");
    return EXIT_LIMIT;
}
