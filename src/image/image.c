/* SPDX-License-Identifier: Apache-2.0 */
/* gig_image itself, and conversion to float pixels and back. */
#include "internal/image.h"
#include "base/memory.h"
#include "base/size.h"
#include <math.h>
#include <string.h>
#include <strings.h>

int gig_image_has_ending(const char *name)
{
    static const char *const endings[] = {".jpg", ".jpeg", ".png", ".webp"};
    size_t length = strlen(name);
    for (size_t i = 0; name[0] != '.' && i < sizeof endings / sizeof *endings; i++) {
        size_t tail = strlen(endings[i]);
        if (length > tail && strcasecmp(name + length - tail, endings[i]) == 0) return 1;
    }
    return 0;
}

gig_status gig_image_create(gig_image *out, size_t width, size_t height, size_t channels)
{
    *out = (gig_image){0};
    if (channels != 1 && channels != 3 && channels != 4)
        return gig_fail(GIG_EARG, "a picture with %zu channels: expected 1, 3 or 4", channels);
    if (!width || !height) return gig_fail(GIG_EARG, "a picture of %zu x %zu pixels is empty", width, height);
    size_t count;
    if (!gig_size_multiply(&count, width, height) || !gig_size_multiply(&count, count, channels) ||
        count > GIG_MAX_ELEMENTS)
        return gig_fail(GIG_ELIMIT, "a picture of %zu x %zu x %zu exceeds %zu values", width, height, channels,
                        GIG_MAX_ELEMENTS);
    uint8_t *pixels = gig_alloc_zero(count, 1);
    if (!pixels) return gig_alloc_status();
    *out = (gig_image){width, height, channels, pixels};
    return GIG_OK;
}

void gig_image_clear(gig_image *image)
{
    if (!image) return;
    gig_free(image->pixels);
    *image = (gig_image){0};
}

void gig_image_to_pixels(float *pixels, const gig_image *image)
{
    size_t count = image->width * image->height * image->channels;
    for (size_t i = 0; i < count; i++) pixels[i] = (float)image->pixels[i] / 255.0f;
}

gig_status gig_image_from_pixels(gig_image *out, const float *pixels, size_t width, size_t height, size_t channels)
{
    GIG_TRY(gig_image_create(out, width, height, channels));
    size_t count = width * height * channels;
    for (size_t i = 0; i < count; i++) {
        float value = pixels[i] > 0 ? pixels[i] : 0;
        out->pixels[i] = (uint8_t)lrintf(255.0f * (value < 1 ? value : 1));
    }
    return GIG_OK;
}
