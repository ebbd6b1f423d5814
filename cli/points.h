/* SPDX-License-Identifier: Apache-2.0 */
/* The points a command explains: pictures from files and folders, --pixels, or --tensor. */
#ifndef CLI_POINTS_H
#define CLI_POINTS_H

#include "frame/options.h"
#include "gig/image.h"
#include "loaded_model.h"

typedef struct points {
    size_t count;
    char **names;    /* as given, or found in a folder; for arrays "x.npy[3]" */
    int from_files;  /* names are picture files, read one at a time */
    gig_tensor rows; /* arrays: [n, ...] */
    size_t features;
    const float *first; /* of arrays */
} points;

/* Lists what operands 1.. and the flags name; folders are searched for .jpg .jpeg .png .webp, sorted. Reads --pixels.
 */
int points_list(points *out, const char *command, const options *given);
/* Adds the pictures of a folder, sorted by name. */
int points_list_folder(points *out, const char *folder);
/* Checks that arrays fit the model's points. */
int points_fit(points *self, const char *command, const loaded_model *of);
/* A picture file as a point of the description's size. */
gig_status points_picture(float *values, const char *path, const gig_description *about, int no_orient);
/* One point into `values` (the model's features); inside the network, that of the model's row. For picture files:
 * decoded, fitted to the model, in [0,1]. */
int points_read(float *values, const points *self, size_t i, const loaded_model *of, const options *given);
/* Reads the picture files, where there are several, and forgets them, so that broken ones are found before anything is
 * computed; pipes are not, which could be read but once. Of arrays all values. An exit code. */
int points_verify(const points *self, const options *given);
/* Refuses a NaN and an infinity, saying where. An exit code. */
int points_check(const char *name, const float *values, size_t count);
/* Refuses what lies outside [0,1]: bytes of 0 to 255, and values that were normalised already, would be explained
 * without a word otherwise. An exit code. */
int points_check_pixels(const char *name, const float *values, size_t count);
void points_clear(points *self);

#endif
