/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of a node written as text: "strides:2,1;group=2;alpha=0.5;mode=linear". ':' starts a list, '=' an integer,
 * a float or a word; "pads:" is an empty list. */
#ifndef OPERATOR_TEXT_H
#define OPERATOR_TEXT_H

#include "operator_harness.h"
#include <stdlib.h>

static inline void harness_list_text(harness *h, const char *name, char *text)
{
    int64_t wholes[16];
    float reals[16];
    size_t count = 0;
    int real = strpbrk(text, ".e") != NULL;
    char *save = NULL;
    for (char *item = strtok_r(text, ",", &save); item; item = strtok_r(NULL, ",", &save)) {
        wholes[count] = strtoll(item, NULL, 10);
        reals[count++] = strtof(item, NULL);
    }
    if (real)
        harness_reals(h, name, count, reals);
    else
        harness_ints(h, name, count, wholes);
}

static inline void harness_scalar_text(harness *h, const char *name, const char *text)
{
    char *end;
    int64_t whole = strtoll(text, &end, 10);
    if (!*end) {
        harness_int(h, name, whole);
        return;
    }
    float real = strtof(text, &end);
    if (!*end)
        harness_real(h, name, real);
    else
        harness_string(h, name, text);
}

static inline void harness_attributes(harness *h, const char *attributes)
{
    char text[256], *save = NULL;
    snprintf(text, sizeof text, "%s", attributes);
    for (char *item = strtok_r(text, ";", &save); item; item = strtok_r(NULL, ";", &save)) {
        char *mark = strpbrk(item, ":="), kind = *mark;
        *mark = 0;
        if (kind == ':')
            harness_list_text(h, item, mark + 1);
        else
            harness_scalar_text(h, item, mark + 1);
    }
}

/* infer must fail with this status. */
static inline void harness_expect_refusal(harness *h, size_t outputs, gig_status wanted)
{
    gig_status status = harness_infer(h, outputs);
    if (status != wanted)
        fail_msg("%s: infer gave %s (%s), not %s", h->node.op, gig_status_name(status),
                 status == GIG_OK ? "" : gig_message(), gig_status_name(wanted));
}

#endif
