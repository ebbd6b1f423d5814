/* SPDX-License-Identifier: Apache-2.0 */
/* What a method takes from files: --baseline FILE and --segments FILE.npy. */
#ifndef CLI_METHOD_FILES_H
#define CLI_METHOD_FILES_H

#include "loaded_model.h"

typedef struct extras {
    gig_tensor baseline;
    size_t mask_count; /* one for each label that occurs, in their order */
    uint8_t *bytes;    /* [mask_count, pixels] */
    const uint8_t **masks;
} extras;
/* Reads what the flags name. An exit code; clear in every case. */
int extras_read(extras *out, const options *given, const subject *of);
/* The options of gig_explain but for progress. */
gig_explain_options extras_options(const extras *from, const subject *of, const engine *runs_on, const options *given);
void extras_clear(extras *made);

#endif
