/* SPDX-License-Identifier: Apache-2.0 */
/* internal/model.h -- an ONNX file, read and checked.
 *
 * Flow:      .onnx bytes -> [gig_model] -> gig_network
 * Ownership: gig_model_load gives the caller a model: free it with gig_model_free, after every network made from it.
 *            Names returned are borrowed from the model.
 * Threads:   immutable after loading; may be shared.
 * Errors:    GIG_EIO, GIG_EFORMAT (broken), GIG_EUNSUPPORTED (a feature we cannot run), GIG_ELIMIT, GIG_ENOMEM.
 * Operators are judged when a network is made.
 */
#ifndef GIG_INTERNAL_MODEL_H
#define GIG_INTERNAL_MODEL_H

#include "gig/status.h"
#include <stddef.h>
#include <stdint.h>

typedef struct gig_model gig_model;

/* Limits against hostile files; 0 means the default in brackets. */
typedef struct gig_model_options {
    size_t max_file;    /* bytes of the .onnx file [2 GiB] */
    size_t max_weights; /* bytes of all weights once unpacked [4 GiB] */
    size_t max_nodes;   /* nodes of functions count once per call, and calls count too [65536] */
    unsigned reserved[8];
} gig_model_options;
#define GIG_MODEL_OPTIONS_INIT GIG_INIT

/* options may be NULL. External data are opened only below the model's folder. */
gig_status gig_model_load(gig_model **out, const char *path, const gig_model_options *options);
/* From bytes in memory, which may be freed afterwards; external data are refused. */
gig_status gig_model_load_memory(gig_model **out, const void *bytes, size_t count, const gig_model_options *options);
void gig_model_free(gig_model *model); /* NULL is allowed */

#endif
