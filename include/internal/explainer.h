/* SPDX-License-Identifier: Apache-2.0 */
/* internal/explainer.h -- an explainer's parts, and its options by their names as text, for our own program and
 * bindings. */
#ifndef GIG_INTERNAL_EXPLAINER_H
#define GIG_INTERNAL_EXPLAINER_H

#include "gig/explainer.h"
#include "internal/description.h"
#include "internal/network.h"

/* ---- opening ---- */

/* Sets an option by its name, as the command line spells it ("memory"), from text: names and files as they are
 * (borrowed), "2G", "yes", one of the choices. GIG_EARG: there is no such option, or the text is not a value of it. */
gig_status gig_explainer_options_set(gig_explainer_options *options, const char *name, const char *value);
/* Names of these options; NULL after the last. */
const char *gig_explainer_option(size_t i);

/* ---- what is explained ---- */

/* As gig_explainer_options_set, for the options of a call that have a text: class, of, seed, region, index, weights. */
gig_status gig_explain_options_set(gig_explain_options *options, const char *name, const char *value);
const char *gig_explain_option(size_t i);

/* ---- explaining ---- */

/* The target as it is at this input, for gig_explain_options.target of other inputs: the pixels predicted as the class
 * become a mask of the output's size, so that scores and searches around an input ask about one region. *class_index:
 * the class that the options name, or the default. Clear it with gig_target_clear. */
gig_status gig_explainer_fix_target(gig_target_choice *out, size_t *class_index, gig_explainer *explainer,
                                    const gig_input *input, const gig_explain_options *options);

/* ---- asking ---- */

/* How such a point is a picture; height 0: it is not one. */
gig_status gig_explainer_picture_shape(gig_picture_shape *out, gig_explainer *explainer, const gig_input *input);
/* The layer of grad-cam; NULL until it has been found. *assumed: it was found automatically. */
const char *gig_explainer_cam(const gig_explainer *explainer, int *assumed);

/* The network that runs inputs like this one (NULL: a picture), for use with internal/network.h. Valid until the next
 * call. Not for an explainer over functions. */
gig_status gig_explainer_network(const gig_network **out, gig_explainer *explainer, const gig_input *input);
/* The explainer's own parts; NULL for an explainer over functions. If the model takes pictures, its description is
 * complete. */
const gig_model *gig_explainer_model(const gig_explainer *explainer);
const gig_description *gig_explainer_description(const gig_explainer *explainer);

/* "softmax", "logit", "logprob", "sigmoid", "value". Never NULL. */
const char *gig_scalar_name(gig_scalar scalar);
/* GIG_EARG if no scalar has that name. */
gig_status gig_scalar_find(gig_scalar *out, const char *name);

enum { GIG_PRESET_VIEWS = 5 };
/* The prediction for a picture with this preset: the best class and its probability. */
typedef struct gig_preset_view {
    const char *preset;
    size_t class_index;
    double probability;
} gig_preset_view;
/* If a model has neither a description nor a preset, RGB from 0 to 1 is assumed: seen[0] is the prediction under that
 * assumption, the others those under the other presets, or without a preset where those cannot be tried (grey, several
 * inputs). seen[0].preset is NULL if there is nothing to warn about.
 * *suggested: the one under which the model is clearly more confident about the picture, its mirror image and a darker
 * copy, or NULL: a guess, never to be applied. */
gig_status gig_explainer_try_presets(gig_preset_view seen[GIG_PRESET_VIEWS], const char **suggested,
                                     gig_explainer *explainer, const gig_input *input);

/* ---- explanations as files ---- */

enum { GIG_EXPLANATION_NUMBERS = 5 };
/* The numbers that an HTML file's table shows beside the sum: step errors, gradients, values, stability, seconds. */
void gig_explanation_numbers(gig_named_number out[GIG_EXPLANATION_NUMBERS], const gig_explanation *explanation);

#endif
