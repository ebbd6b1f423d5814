/* SPDX-License-Identifier: Apache-2.0 */
/* What a method takes from files: --baseline FILE and --segments FILE.npy. */
#ifndef CLI_METHOD_FILES_H
#define CLI_METHOD_FILES_H

#include "points.h"

typedef struct method_files {
    gig_tensor baseline;
    size_t mask_count; /* one for each label that occurs, in their order */
    uint8_t *bytes;    /* [mask_count, pixels] */
    const uint8_t **masks;
} method_files;
/* Reads what the flags name, for points like these. An exit code; clear in every case. */
int method_files_read(method_files *out, const options *given, opened_model *of, const points *in);
/* The options of an explanation: class, scalar, seed and these files; progress is not set. */
gig_explain_options method_files_options(const method_files *from, const opened_model *of, const gig_method *method);
void method_files_clear(method_files *made);

#endif
