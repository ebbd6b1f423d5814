/* SPDX-License-Identifier: Apache-2.0 */
/* A variant: a method with one choice of baseline, and what its map is computed from.
 *
 * A map is computed from the model or from other maps: xrai+x ranks regions over the map of x, and the map of several
 * baselines is the mean of the maps of single ones. So each single map is computed once for all that use it. */
#ifndef GIG_WORK_MANIFEST_VARIANT_H
#define GIG_WORK_MANIFEST_VARIANT_H

#include "gig/saliency.h"
#include <stddef.h>
#include <stdint.h>

enum { GIG_BASELINE_NAME_BYTES = 64 };

typedef struct gig_variant {
    gig_method method;                      /* its baseline is the variant's */
    char name[GIG_METHOD_NAME_BYTES];       /* canonical, the baseline left out */
    char baseline[GIG_BASELINE_NAME_BYTES]; /* "black", "random:2", "random#0" (the first of random:N),
                                               "pictures:50#0123456789ab", ...; "none" for
                                               a method without */
    size_t random_index;                    /* of random#I, for GIG_BASELINE_GIVEN */
    int pictures;                           /* the baseline is pictures:N#..., which GIG_BASELINE_GIVEN stands for */
    int shares_path;                        /* another variant of the plan asks for the same gradients */
} gig_variant;

/* A baseline as written in the store. GIG_EARG: there is no such baseline. */
gig_status gig_baseline_name(char out[GIG_BASELINE_NAME_BYTES], const char *text);

/* From the two names; the baseline may be "none". GIG_EARG says what is wrong. */
gig_status gig_variant_parse(gig_variant *out, const char *method, const char *baseline);

/* From a method as named in a manifest, with defaults for its options. A baseline inside the name replaces `baseline`.
 */
gig_status gig_variant_make(gig_variant *out, const char *method, const gig_method *defaults, const char *baseline);

/* How many maps it is computed from (0: from the model), and which. */
size_t gig_variant_sources(const gig_variant *variant);
gig_status gig_variant_source(gig_variant *out, const gig_variant *variant, size_t index);

/* Whether two variants walk the same path, and only sum differently along it or have another number of draws. */
int gig_variant_same_path(const gig_variant *a, const gig_variant *b);

/* The same number for variants that may ask for the same gradients, whichever of their maps comes first. */
uint64_t gig_variant_path(const gig_variant *variant);

int gig_variant_is_gradient(const gig_variant *variant); /* not multiplied by (input - baseline) */

/* Why its maps are neither gradients nor (input - baseline) times something; NULL if they are. */
const char *gig_variant_no_slopes(const gig_variant *variant);

/* Why its maps are not draws that agreement and spread could compare; NULL if they are. */
const char *gig_variant_no_draws(const gig_variant *variant);

/* The baseline of a picture as a new array (gig_free); NULL for a method without, or with several. */
gig_status gig_variant_make_baseline(float **out, const gig_variant *variant, const float *input,
                                     const gig_picture_shape *shape, uint64_t seed);

/* How the method walks between two points, for closed paths; NULL if it does not. */
typedef struct gig_variant_side {
    union {
        gig_guided_options guided;
        max_align_t room[16];
    } state; /* the guide's */
    gig_guide guide;
    gig_chain chain;
    gig_drive_options drive; /* the method's tolerance and closing */
} gig_variant_side;
const gig_chain *gig_variant_make_side(gig_variant_side *out, const gig_variant *variant, size_t target);

#endif
