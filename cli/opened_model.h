/* SPDX-License-Identifier: Apache-2.0 */
/* The model that a command works on: an explainer opened as the flags say, and the inputs that they name. */
#ifndef CLI_OPENED_MODEL_H
#define CLI_OPENED_MODEL_H

#include "frame/options.h"
#include "gig/explainer.h"
#include "inner_points.h"
#include "input_flags.h"
#include "internal/description.h"
#include "internal/summary.h"
#include <stdio.h>

typedef struct opened_model {
    const options *given;
    inputs in; /* --tensor, --shape */
    gig_explainer *explainer;
    gig_model_summary about;
    gig_explain_options asked; /* class and scalar, for every call */
    int pictures;              /* points are pictures [height, width, 3] in [0,1] */
    int inside;                /* --at with --tensor: points are that tensor's values, a network for each */
    size_t rows;               /* inside: how many there are */
    inner_point fixed;         /* inside: one row's inputs */
    int warned;                /* that pixels may be prepared otherwise */
    char *target_text;         /* for a remark */
} opened_model;

/* Opens what operand 0 names. `pictures`: points are pictures, by the description. `cam`: one network also keeps the
 * layer for Grad-CAM, which --at then names. An exit code; close in every case. */
int opened_model_open(opened_model *out, const char *command, const options *given, int pictures, int cam);
void opened_model_close(opened_model *self);
const gig_description *opened_model_description(const opened_model *self);
/* Once, where nothing says how pixels are prepared: RGB from 0 to 1 is assumed, and may give a plausible wrong class.
 */
void opened_model_warn(opened_model *self, const gig_input *input);
/* What was assumed or looks wrong, one line each; NULL after the last, else text. */
const char *opened_model_remark(char *text, size_t bytes, const opened_model *self, size_t i);
/* All of them, after `prefix`. */
void opened_model_print_remarks(FILE *to, const opened_model *self, const char *prefix);

#endif
