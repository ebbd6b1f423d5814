/* SPDX-License-Identifier: Apache-2.0 */
#include "base/interrupt.h"
#include "base/status.h"
#include <stdatomic.h>

static atomic_int wanted; /* lock-free, so that a signal handler may set it */

void gig_interrupt(int on)
{
    atomic_store(&wanted, on != 0);
}

int gig_interrupted(void)
{
    return atomic_load(&wanted);
}

gig_status gig_interrupt_check(void)
{
    return atomic_load(&wanted) ? gig_fail(GIG_ECANCEL, "interrupted") : GIG_OK;
}
