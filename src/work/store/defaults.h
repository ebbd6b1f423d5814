/* SPDX-License-Identifier: Apache-2.0 */
/* Names of methods and metrics leave defaults out, so a store records the defaults its names were written with. */
#ifndef GIG_WORK_STORE_DEFAULTS_H
#define GIG_WORK_STORE_DEFAULTS_H

#include "work/store/store.h"

/* Of this program: "gig/rule=left gig/steps=200 ... sic/least=0.8 ...", in one order. Free with gig_free. */
gig_status gig_defaults_text(char **out);

/* GIG_EUNSUPPORTED, naming the option, if a default that both have differs. `stored` NULL: an old store that does not
 * record them; its names are those of versions 0.1 and 0.2. */
gig_status gig_defaults_check(const char *stored);

#endif
