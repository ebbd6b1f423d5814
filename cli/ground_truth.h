/* SPDX-License-Identifier: Apache-2.0 */
/* Where the object is that maps are scored against: masks from files, or boxes, brought to the maps' size. */
#ifndef CLI_GROUND_TRUTH_H
#define CLI_GROUND_TRUTH_H

#include "internal/description.h"
#include "points.h"

enum { GROUND_TRUTH_MOST_BOXES = 1000 };

typedef struct ground_truth {
    points masks;                 /* none, or one per map */
    gig_explainer *geometry;      /* owned: a model without pictures, for the masks' way to the map's size; or NULL */
    const gig_description *about; /* its description */
    int warned;
    size_t box_count;
    gig_box boxes[GROUND_TRUTH_MOST_BOXES]; /* as given: in pixels of the picture where there is one, else of the map */
} ground_truth;

/* "x0 y0 x1 y1;x0 y0 x1 y1", corners included. An exit code. */
int ground_truth_read_boxes(ground_truth *out, const char *text);

/* What a map belongs to. */
typedef struct ground_truth_frame {
    size_t height, width;         /* of the map */
    const char *picture;          /* NULL: none; boxes are in the map's pixels then */
    const gig_description *about; /* how the model brings pictures to the map's size; NULL: they are squashed */
    int no_orient;
} ground_truth_frame;

/* Sets `about` from a model. An exit code. */
int ground_truth_read_geometry(ground_truth *self, const char *model);

/* Map i's mask [height, width], of values gig_mask_value. A box that reaches outside is cut off with a warning, one
 * wholly outside refused; a mask that loses its proportions for lack of a description is worth a warning, too. An exit
 * code. */
int ground_truth_draw(uint8_t *mask, ground_truth *self, size_t i, const ground_truth_frame *frame);

void ground_truth_clear(ground_truth *self);

#endif
