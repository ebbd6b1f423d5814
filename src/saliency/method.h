/* SPDX-License-Identifier: Apache-2.0 */
/* What the inside of the library asks of a method besides its public face. */
#ifndef GIG_SALIENCY_METHOD_H
#define GIG_SALIENCY_METHOD_H

#include "gig/saliency.h"

/* Groups of options, and which of them concern a method. */
typedef enum gig_concern {
    GIG_CONCERN_XRAI = 1 << 0,
    GIG_CONCERN_SMOOTH = 1 << 1,
    GIG_CONCERN_PATH = 1 << 2, /* steps, rule, tolerance, close */
    GIG_CONCERN_GUIDED = 1 << 3,
    GIG_CONCERN_BASELINE = 1 << 4,
    GIG_CONCERN_BLUR = 1 << 5,
    GIG_CONCERN_OCCLUSION = 1 << 6
} gig_concern;
unsigned gig_method_concerns(const gig_method *method);

/* "gig" for GIG_BASE_GUIDED_IG; NULL when there is no such base. */
const char *gig_base_name(gig_base base);

/* Are the fields that concern the method in their ranges, and does its rule fit its base? */
gig_status gig_method_check(const gig_method *method);

/* Chains (or maps, where there are no walks) of one input: samples times baselines. Samples are noisy ones, or the
 * draws of repeat. */
size_t gig_method_samples(const gig_method *method);
size_t gig_method_draws(const gig_method *method);
size_t gig_method_baselines(const gig_method *method);
/* Of the whole path, and of how many segments. */
size_t gig_method_steps(const gig_method *method);
size_t gig_method_segments(const gig_method *method);

/* One option of a method's name. */
enum { GIG_OPTION_BYTES = 64, GIG_METHOD_OPTIONS = 21 };
typedef struct gig_method_option {
    const char *name;
    gig_concern concern;
    gig_status (*read)(gig_method *method, const char *text);
    void (*print)(char text[GIG_OPTION_BYTES], const gig_method *method);
} gig_method_option;
extern const gig_method_option gig_method_options[GIG_METHOD_OPTIONS]; /* by name */

/* The most that counts of samples, anchors, baselines and pixels may be. */
enum { GIG_MOST_COPIES = 1000000 };

#endif
