/* SPDX-License-Identifier: Apache-2.0 */
/* The pictures of a study: a CSV file with their labels and ground truth, or a folder. */
#ifndef GIG_WORK_MANIFEST_PICTURE_LIST_H
#define GIG_WORK_MANIFEST_PICTURE_LIST_H

#include "gig/image.h"

typedef struct gig_study_picture {
    char *name;    /* as in the CSV file, or the file's name in the folder */
    char *file;    /* path */
    char *mask;    /* path of the mask picture, or NULL */
    int64_t label; /* class index, or -1 */
    size_t box_count;
    gig_box *boxes; /* in pixels of the file */
} gig_study_picture;

typedef struct gig_picture_list {
    size_t count;
    gig_study_picture *all;
} gig_picture_list;

/* A folder gives its .jpg, .jpeg, .png and .webp files by name, without labels. A CSV file has a column "file" and may
 * have "label" (or "class", "imagenet_class_index"), "boxes" ("xmin ymin xmax ymax", ';' between boxes) and "mask";
 * files are relative to it; other columns are ignored. Errors name file and line. */
gig_status gig_picture_list_read(gig_picture_list *out, const char *path);
void gig_picture_list_clear(gig_picture_list *subjects);

/* "xmin ymin xmax ymax;..." into a new array; an empty text gives none. */
gig_status gig_boxes_parse(gig_box **out, size_t *count, const char *text);

#endif
