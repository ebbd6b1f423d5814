/* SPDX-License-Identifier: Apache-2.0 */
/* Baselines that are pictures: "pictures:DIR:N" in a manifest, N pictures of a folder drawn by the seed. */
#ifndef GIG_WORK_MANIFEST_BASELINE_PICTURES_H
#define GIG_WORK_MANIFEST_BASELINE_PICTURES_H

#include "base/text_list.h"
#include "work/manifest/variant.h"

/* Identified by their content: "pictures:N#" and the first digits of a hash of the files, in order. */
typedef struct gig_baseline_pictures {
    char name[GIG_BASELINE_NAME_BYTES];
    gig_texts files;
} gig_baseline_pictures;

int gig_baseline_is_pictures(const char *text);

/* Lists the folder (relative to `manifest`), draws and hashes. GIG_EFORMAT, GIG_EIO with a message. Clear it in any
 * case. */
gig_status gig_baseline_pictures_find(gig_baseline_pictures *out, const char *text, const char *manifest,
                                      uint64_t seed);
void gig_baseline_pictures_clear(gig_baseline_pictures *pictures);

#endif
