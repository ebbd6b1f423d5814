/* SPDX-License-Identifier: Apache-2.0 */
/* The texts on sheets: what is explained, and the settings behind each number. */
#ifndef CLI_CAPTIONS_H
#define CLI_CAPTIONS_H

#include "internal/explainer.h"
#include "internal/view.h"
#include "opened_model.h"

enum { CAPTION_BYTES = 1024, TITLE_BYTES = 600 };

/* The name of a file without its folders, safe to show. */
const char *caption_file(char *text, size_t bytes, const char *path);
/* Over a sheet: "cat.jpg, net.onnx"; the model alone where the input's name, which is shown as it is, is NULL. */
const char *caption_title(char text[TITLE_BYTES], const options *given, const char *name);

/* "beagle (class 162), softmax 0.9081": the first of the class's names; without the score where `value` is NaN. */
const char *caption_class(char text[CAPTION_BYTES], const gig_explanation *found);

/* "200 steps, fraction 0.1, rule left, from black": what a method's name leaves out because it is the default. A number
 * without its settings says little. May be empty. `found`: what came of it, NULL: not yet known. */
const char *caption_method(char text[CAPTION_BYTES], const opened_model *of, const gig_method *method,
                           const gig_explanation *found);

/* The rule that was used: "left", "trapezoid" if a tolerance changed it, "left, trapezoid" if it did for some of the
 * paths. */
const char *caption_rule(char *text, size_t bytes, const gig_method *method, const gig_explanation *found);

/* "200 gradients, 4.6 s" */
const char *caption_cost(char text[CAPTION_BYTES], const gig_explanation *found);

/* title: NULL if the sheet's title names the picture. */
gig_status caption_add_picture(gig_sheet *sheet, const char *title, const gig_explanation *found);

/* How a method's map is drawn: as --display and --look say, or the usual way, overlaid or (but for regions and
 * Grad-CAM) as heat. Borrows the point. */
gig_map_options caption_look(const options *given, const gig_method *method, const float *point, int overlay);

/* A method's name, sum and numbers; no other words. Borrows the numbers. */
gig_caption caption_of_map(const gig_method *method, const gig_explanation *found,
                           gig_named_number numbers[GIG_EXPLANATION_NUMBERS]);
/* A method's map with its sum and a line of the caller's. */
gig_status caption_add_map(gig_sheet *sheet, const gig_method *method, const gig_explanation *found, const float *map,
                           const gig_map_options *look, const char *note);

/* As --baseline names it; of arrays black is zeros, and white ones. */
const char *caption_baseline(char *text, size_t bytes, const opened_model *of, const gig_method *method);

#endif
