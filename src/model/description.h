/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of the model description. */
#ifndef GIG_MODEL_DESCRIPTION_H
#define GIG_MODEL_DESCRIPTION_H

#include "base/memory.h"
#include "base/status.h"
#include "internal/description.h"

/* Bits of gig_description.given: the keys that were present. */
enum {
    GIG_KEY_NAME = 1 << 0,
    GIG_KEY_WIDTH = 1 << 1,
    GIG_KEY_HEIGHT = 1 << 2,
    GIG_KEY_RESIZE = 1 << 3,
    GIG_KEY_SHORT = 1 << 4,
    GIG_KEY_FILTER = 1 << 5,
    GIG_KEY_SCALE = 1 << 6,
    GIG_KEY_MEAN = 1 << 7,
    GIG_KEY_STD = 1 << 8,
    GIG_KEY_CHANNELS = 1 << 9,
    GIG_KEY_LAYOUT = 1 << 10,
    GIG_KEY_OUTPUT = 1 << 11,
    GIG_KEY_OUTPUT_NAME = 1 << 12,
    GIG_KEY_LABELS = 1 << 13,
    GIG_KEY_CAM = 1 << 14,
    GIG_KEY_INPUT = 1 << 15
};

/* gig_description_path as new text (gig_free); NULL if memory runs out. */
char *gig_description_beside(const char *model_path);

/* Removes the remark about the assumed value of a key ("input.scale", "labels"). */
void gig_description_unsay(gig_description *description, const char *key);

/* description_json.c: fills it from the bytes of its file, which is at description->path. */
gig_status gig_description_parse(gig_description *description, const char *bytes, size_t count);

/* labels.c: one label per line of a file; `path` is relative to the description. */
gig_status gig_labels_read(gig_description *description, const char *path);
/* Adds one; GIG_EFORMAT if it is not UTF-8. */
gig_status gig_labels_add(gig_description *description, size_t *capacity, const char *text, size_t bytes);

#endif
