/* SPDX-License-Identifier: Apache-2.0 */
/* Signals that wait while code runs that no handler may interrupt: oneDNN's generated code keeps numbers in the stack
 * pointer, and a handler's frame would be written wherever these point to. */
#ifndef GIG_BASE_SIGNALS_H
#define GIG_BASE_SIGNALS_H

#include <signal.h>

typedef struct gig_signals {
    sigset_t before;
} gig_signals;

/* Blocks every signal in this thread, except those that a fault of this thread raises; threads started meanwhile
 * inherit that. What arrives is delivered to another thread, or after gig_signals_release. May be nested. */
void gig_signals_hold(gig_signals *held);
void gig_signals_release(const gig_signals *held);

#endif
