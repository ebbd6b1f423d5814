/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of texts. */
#ifndef GIG_BASE_TEXT_LIST_H
#define GIG_BASE_TEXT_LIST_H

#include "base/status.h"
#include <stddef.h>

typedef struct gig_texts {
    size_t count;
    char **all;
} gig_texts;

/* Adds a copy. */
gig_status gig_texts_add(gig_texts *texts, const char *text);
int gig_texts_have(const gig_texts *texts, const char *text);
void gig_texts_clear(gig_texts *texts);

#endif
