/* SPDX-License-Identifier: Apache-2.0 */
/* gig/interrupt.h -- stops running calls of this process.
 *
 * Flow:      signal handler or another thread -> [gig_interrupt] -> running calls return GIG_ECANCEL
 * Ownership: nothing.
 * Threads:   any thread; gig_interrupt may be called from a signal handler.
 * Errors:    stopped calls return GIG_ECANCEL with the message "interrupted".
 */
#ifndef GIG_INTERRUPT_H
#define GIG_INTERRUPT_H

#include "gig/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* on 1: every evaluation, network creation and read of a pipe in this process ends soon with GIG_ECANCEL, and later
 * ones at once, until gig_interrupt(0). Finished results stay. */
GIG_API void gig_interrupt(int on);
GIG_API int gig_interrupted(void);

#ifdef __cplusplus
}
#endif
#endif
