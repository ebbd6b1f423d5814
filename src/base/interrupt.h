/* SPDX-License-Identifier: Apache-2.0 */
/* Long loops check here from time to time whether to stop. */
#ifndef GIG_BASE_INTERRUPT_H
#define GIG_BASE_INTERRUPT_H

#include "gig/interrupt.h"

/* GIG_ECANCEL once gig_interrupt(1) was called. */
gig_status gig_interrupt_check(void);

#endif
