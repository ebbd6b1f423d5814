/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks signals while code runs that no handler may interrupt: oneDNN's generated code stores other values in the
 * stack pointer, and a handler would write its frame to wherever they point. */
#ifndef GIG_BASE_SIGNALS_H
#define GIG_BASE_SIGNALS_H

#include <signal.h>

typedef struct gig_signals {
    sigset_t before;
} gig_signals;

/* Blocks every signal in this thread, except those raised by a fault of this thread; threads started meanwhile inherit
 * that. Signals are delivered to another thread, or after gig_signals_release. May be nested. */
void gig_signals_hold(gig_signals *held);
void gig_signals_release(const gig_signals *held);

#endif
