/* SPDX-License-Identifier: Apache-2.0 */
/* Names of methods and metrics leave defaults out, so a store records the defaults its names were written with. */
#ifndef GIG_WORK_STORE_DEFAULTS_H
#define GIG_WORK_STORE_DEFAULTS_H

#include "work/store/store.h"

/* Of this program: "gig/rule=left gig/steps=200 ... sic/least=0.8 ...", in one order. Free with gig_free. */
gig_status gig_defaults_text(char **out);

/* GIG_EUNSUPPORTED, naming the option, if a default is another now than when the names were written: than the store
 * says or, of an option that the store does not know, than the first default it had, because the names were written
 * before it came. `stored` NULL: an old store that says nothing. */
gig_status gig_defaults_check(const char *stored);
/* The same of any lists. GIG_EINTERNAL: an option is in neither of the last two. */
gig_status gig_defaults_compare(const char *now, const char *stored, const char *first);

/* What a store whose defaults passed the check says from now on: gig_defaults_text, and what it said of options that
 * this program does not have. Free with gig_free. */
gig_status gig_defaults_extend(char **out, const char *stored);

#endif
