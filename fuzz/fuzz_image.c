/* SPDX-License-Identifier: Apache-2.0 */
/* libFuzzer target: any bytes as a picture file, decoded in one of several ways and placed at a model's size. The first
 * byte chooses the way; the rest is the file. The status must be one that bytes can cause, every pixel of the
 * image must be readable, and no memory may stay allocated. */
#include "base/memory.h"
#include "demand.h"
#include "internal/image.h"
#include "starve.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void place(const gig_image *image, unsigned way)
{
    gig_placement at;
    gig_image placed;
    demand(gig_placement_find(&at, image->width, image->height, 32, 24, (gig_fit)(way % 3), 0) == GIG_OK,
           "a placement");
    demand(gig_image_place(&placed, image, &at, (gig_filter)(way / 3 % 3)) == GIG_OK, "a placed picture");
    demand(placed.width == 32 && placed.height == 24, "the size asked for");
    gig_image_clear(&placed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size) return 0;
    unsigned way = data[0], sum = 0;
    const gig_image_options options = {
        .channels = way & 1 ? 1 : 3, .no_orient = way >> 1 & 1, .max_pixels = 1 << 15, .max_side = 4096};
    size_t before = gig_memory_used();
    gig_image image;
    int starved = starve(data, size);
    gig_status status = gig_image_decode(&image, data + 1, size - 1, &options);
    starve_end();
    demand(status == GIG_OK || status == GIG_EFORMAT || status == GIG_EUNSUPPORTED || status == GIG_ELIMIT ||
               (status == GIG_ENOMEM && starved),
           "a legal status");
    demand((status == GIG_OK) == (image.pixels != NULL), "pixels exactly on success");
    if (status == GIG_OK) {
        demand(image.channels == options.channels && image.width * image.height <= options.max_pixels, "the limits");
        for (size_t i = 0; i < image.width * image.height * image.channels; i++) sum += image.pixels[i];
        place(&image, way >> 2);
    }
    gig_image_clear(&image);
    demand(gig_memory_used() == before, "nothing stays allocated");
    volatile unsigned seen = sum; /* every pixel was read */
    (void)seen;
    return 0;
}
