/* SPDX-License-Identifier: Apache-2.0 */
/* A cell: one map of one picture by one method, and what it is known by. */
#ifndef GIG_WORK_STORE_CELL_H
#define GIG_WORK_STORE_CELL_H

#include "base/hash.h"
#include "work/manifest/picture_list.h"

/* Everything a map depends on. A change in any of it is another cell. */
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

/* Of the model's file, what other files it takes weights from, and, where there is one, its description. */
gig_status gig_model_hash(char hash[GIG_HASH_TEXT], const char *model, const char *description,
                          const gig_hash_watch *watch);

/* Of the picture's file, label, boxes and mask, and of its name and set. A picture that is not there, or may not be
 * read, has a hash too (of its name alone), so that its cells can be recorded as failed. A disk that fails while it is
 * read is GIG_EIO: a hash without the file would be another picture's. */
gig_status gig_study_picture_hash(char hash[GIG_HASH_TEXT], const char *collection, const gig_study_picture *subject,
                                  const gig_hash_watch *watch);

#endif
