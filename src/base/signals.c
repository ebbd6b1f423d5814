/* SPDX-License-Identifier: Apache-2.0 */
#include "base/signals.h"
#include <stddef.h>

void gig_signals_hold(gig_signals *held)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
    sigset_t all;
    sigfillset(&all);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigdelset(&all, faults[i]);
    pthread_sigmask(SIG_BLOCK, &all, &held->before);
}

void gig_signals_release(const gig_signals *held)
{
    pthread_sigmask(SIG_SETMASK, &held->before, NULL);
}
