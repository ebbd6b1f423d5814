/* SPDX-License-Identifier: Apache-2.0 */
/* A cell: one map of one picture by one method, and its key. */
#ifndef GIG_WORK_STORE_CELL_H
#define GIG_WORK_STORE_CELL_H

#include "base/hash.h"
#include "work/manifest/picture_list.h"

/* Everything a map depends on. A change in any of it makes another cell. */
typedef struct gig_study_cell {
    const char *model;     /* hash of the model's file and description */
    const char *picture;   /* hash of the picture and its ground truth */
    int64_t target;        /* class */
    const char *scalar;    /* "softmax", ... */
    const char *precision; /* "f32", ... */
    const char *method;    /* canonical name, without its baseline */
    const char *baseline;  /* canonical: "black", "random:2", ... */
    int64_t seed;
} gig_study_cell;

gig_status gig_study_cell_key(char key[GIG_HASH_TEXT], const gig_study_cell *cell);

/* Hash of the model's file, its files of external weights, and its description if there is one. */
gig_status gig_model_hash(char hash[GIG_HASH_TEXT], const char *model, const char *description,
                          const gig_hash_watch *watch);

/* Hash of the picture's file, label, boxes and mask, and of its name and set. A picture that does not exist or cannot
 * be read has a hash too (of its name alone), so that its cells can be recorded as failed. A disk that fails while it
 * is read is GIG_EIO: a hash without the file's content would be wrong. */
gig_status gig_study_picture_hash(char hash[GIG_HASH_TEXT], const char *collection, const gig_study_picture *subject,
                                  const gig_hash_watch *watch);

#endif
