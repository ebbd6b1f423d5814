/* SPDX-License-Identifier: Apache-2.0 */
/* The points a command explains: pictures from files and folders, --pixels, or --tensor. */
#ifndef CLI_POINTS_H
#define CLI_POINTS_H

#include "frame/options.h"
#include "gig/image.h"
#include "opened_model.h"

/* One of several inputs that are explained together. */
typedef struct point_part {
    char *name;
    int rank;
    int64_t dims[GIG_MAX_RANK];
    size_t features;
} point_part;

typedef struct points {
    size_t count;
    char **names;             /* as given, or found in a folder; for arrays "x.npy[3]" */
    int from_files;           /* names are picture files, read one at a time */
    gig_tensor rows;          /* arrays: [n, ...] */
    const gig_tensor *arrays; /* --pixels or --tensor: rows of points */
    size_t features;
    int rank; /* of one point, and its dims */
    int64_t dims[GIG_MAX_RANK];
    gig_picture_shape shape; /* how it is a picture; height 0: it is not one */
    size_t part_count;       /* inputs explained together; 0: one alone */
    point_part *parts;       /* a point holds their values one after the other */
} points;

/* Lists what operands 1.. and the flags name; folders are searched for .jpg .jpeg .png .webp, sorted. Reads --pixels.
 */
int points_list(points *out, const char *command, const options *given);
/* Are they pictures? --tensor then gives the model's other inputs, by their names. */
int points_are_pictures(const options *given);
/* Adds the pictures of a folder, sorted by name. */
int points_list_folder(points *out, const char *folder);
/* What one point is like; checks that arrays fit. Makes the model's network. */
int points_fit(points *self, const char *command, opened_model *of);
/* What the explainer is asked about points of this kind; NULL: any picture. *room may be filled. */
const gig_input *points_like(gig_input *room, const points *self, opened_model *of);
/* Point i for the explainer; inside the network one at a time. An exit code. */
int points_input(gig_input *out, const points *self, size_t i, opened_model *of);
/* Reads the picture files, where there are several, and forgets them, so that broken ones are found before anything is
 * computed; pipes are not, which could be read but once. Of arrays all values are checked,
 * here alone. An exit code. */
int points_verify(const points *self, const options *given);
/* Values that a file holds: refuses a NaN and an infinity, saying where. An exit code. */
int points_check(const char *name, const float *values, size_t rows, size_t features);
/* Refuses what lies outside [0,1]: bytes of 0 to 255, and values that were normalised already, would be explained
 * without a word otherwise. An exit code. */
int points_check_pixels(const char *name, const float *values, size_t rows, size_t features);
void points_clear(points *self);

#endif
