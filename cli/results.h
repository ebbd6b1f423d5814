/* SPDX-License-Identifier: Apache-2.0 */
/* What explain and compare give: drawings, one array or archive for all points, JSON or text. */
#ifndef CLI_RESULTS_H
#define CLI_RESULTS_H

#include "captions.h"
#include "destination.h"
#include "frame/printing.h"
#include "internal/view.h"
#include "opened_model.h"
#include "points.h"

typedef struct results {
    const options *given;
    const points *in;
    opened_model *of; /* NULL until results_open */
    const gig_method *method;
    int draws; /* pictures are written */
    destination drawings;
    size_t map_count;
    gig_tensor *maps; /* --npy, --npz: [n, ...], one for each input that is explained */
    size_t done;      /* inputs that were explained */
    json_t *rows;
    size_t batch; /* points per call of the network */
    gig_blocking blocking;
    gig_sheet *page;         /* an HTML file of all inputs */
    gig_description *labels; /* its labels are the texts of --tokens or --columns; NULL: none */
    char drawn_as[300];      /* arrays: a remark that says so */
} results;

/* Looks at the flags and refuses, before any work, what could not be written. */
int results_begin(results *out, const char *command, const options *given, const points *in);
/* The array for all points, and what every result says. */
int results_open(results *out, opened_model *of, const gig_method *method);
/* Input i was explained. */
int results_add(results *out, size_t i, const gig_explanation *found);
/* ---- results_draw.c ---- */
/* Reads --tokens or --columns. */
int results_read_labels(results *out, const char *command);
/* Refuses the flags that are about one map, where --explain-inputs names several inputs. */
int results_refuse_several(const results *out, const char *command);
/* Arrays, once their number and shape are known: can they be drawn, and as what? */
int results_fit_arrays(results *out, const char *command);
/* What sheets call input i: its path below the folder that holds all of them; rows of an array have their number behind
 * the file's name. */
const char *results_file(char text[TITLE_BYTES], const results *out, size_t i);
/* Draws input i, and says where. */
int results_draw(results *out, size_t i, const gig_explanation *found, char *path, size_t bytes);
enum { LINE_BYTES = 256 };
/* The next line of *text, which moves behind it; 0 after the last. */
int results_next_line(char line[LINE_BYTES], const char **text);
/* ---- results_json.c ---- */
json_t *results_json(const results *out, const char *name, const gig_method *method, const gig_explanation *found);
/* Says in a row which map it is: the SHA-256 of its values. */
void results_json_map(json_t *row, const float *values, size_t count);
/* Writes the array when every input was explained, and prints the JSON of what was. Returns `code`, or what went wrong
 * here. */
int results_end(results *out, int code);
void results_clear(results *out);

#endif
