/* SPDX-License-Identifier: Apache-2.0 */
/* What explain and compare give: drawings, one array or archive for all points, JSON or text. */
#ifndef CLI_RESULTS_H
#define CLI_RESULTS_H

#include "destination.h"
#include "frame/printing.h"
#include "gig/view.h"
#include "opened_model.h"
#include "points.h"

typedef struct results {
    const options *given;
    const points *in;
    opened_model *of; /* NULL until results_open */
    const gig_method *method;
    int draws; /* pictures are written */
    destination drawings;
    gig_tensor all; /* --npy, --npz: [n, ...] */
    size_t done;    /* inputs that were explained */
    json_t *rows;
    size_t batch; /* points per call of the network */
    gig_blocking blocking;
    gig_sheet *page;         /* an HTML file of all inputs */
    gig_description *tokens; /* its labels are the texts of --tokens; NULL: none */
} results;

/* Looks at the flags and refuses, before any work, what could not be written. */
int results_begin(results *out, const char *command, const options *given, const points *in);
/* The array for all points, and what every result says. */
int results_open(results *out, opened_model *of, const gig_method *method);
/* Input i was explained. point: its values, for pages of arrays; pictures stand in `found`. */
int results_add(results *out, size_t i, const float *point, const gig_explanation *found);
json_t *results_json(const results *out, const char *name, const gig_method *method, const gig_explanation *found);
/* Says in a row which map it is: the SHA-256 of its values. */
void results_json_map(json_t *row, const float *values, size_t count);
/* Writes the array when every input was explained, and prints the JSON of what was. Returns `code`, or what went wrong
 * here. */
int results_end(results *out, int code);
void results_clear(results *out);

#endif
