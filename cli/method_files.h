/* SPDX-License-Identifier: Apache-2.0 */
/* What a method takes from files: --baseline FILE and --segments FILE.npy. */
#ifndef CLI_METHOD_FILES_H
#define CLI_METHOD_FILES_H

#include "loaded_model.h"

typedef struct method_files {
    gig_tensor baseline;
    size_t mask_count; /* one for each label that occurs, in their order */
    uint8_t *bytes;    /* [mask_count, pixels] */
    const uint8_t **masks;
} method_files;
/* Reads what the flags name. An exit code; clear in every case. */
int method_files_read(method_files *out, const options *given, const loaded_model *of);
/* The options of gig_method_run but for progress. */
gig_run_options method_files_options(const method_files *from, const loaded_model *of, const engine *runs_on,
                                     const options *given);
void method_files_clear(method_files *made);

#endif
