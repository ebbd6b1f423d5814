/* SPDX-License-Identifier: Apache-2.0 */
/* Presets: common ways to turn pixels into a model's input, x = (scale * pixel - mean) / std. */
#include "model/description.h"
#include <string.h>

typedef struct preset {
    const char *name;
    float scale, mean[3], std[3];
    int bgr;
} preset;

static const preset presets[] = {
    {"imagenet", 1, {0.485f, 0.456f, 0.406f}, {0.229f, 0.224f, 0.225f}, 0},
    {"caffe", 255, {103.939f, 116.779f, 123.68f}, {1, 1, 1}, 1},
    {"minus-one", 2, {1, 1, 1}, {1, 1, 1}, 0},
    {"zero-one", 1, {0, 0, 0}, {1, 1, 1}, 0},
    {"raw", 255, {0, 0, 0}, {1, 1, 1}, 0},
};

gig_status gig_description_preset(gig_description *description, const char *name)
{
    GIG_NEED(description);
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
        const preset *found = &presets[i];
        if (strcmp(found->name, name)) continue;
        gig_pixels *pixels = &description->pixels;
        pixels->scale = found->scale;
        memcpy(pixels->mean, found->mean, sizeof pixels->mean);
        memcpy(pixels->std, found->std, sizeof pixels->std);
        pixels->bgr = found->bgr;
        description->given |= GIG_KEY_SCALE | GIG_KEY_MEAN | GIG_KEY_STD | (found->bgr ? GIG_KEY_CHANNELS : 0);
        gig_description_unsay(description, "input.scale");
        gig_description_unsay(description, "input.mean");
        gig_description_unsay(description, "input.std");
        return GIG_OK;
    }
    return gig_fail(GIG_EARG, "unknown preset \"%.40s\"; expected imagenet, caffe, minus-one, zero-one or raw", name);
}
