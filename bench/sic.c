/* SPDX-License-Identifier: Apache-2.0 */
/* Time of SIC without forward passes: bench_sic PICTURE.png MAP.npy THREADS. Prints CPU and elapsed seconds of what a
 * picture costs once, then of what each of its maps costs, and the bytes of each partly revealed picture, for
 * bench/sic.py to compare. */
#include "gig/tensor.h"
#include "internal/number.h"
#include "internal/score.h"
#include <stdio.h>
#include <time.h>

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A model that costs nothing: 0.1 for the blurred picture, 0.9 for every other. */
static gig_status predict(void *payload, size_t batch, const float *const *points, const size_t *targets,
                          double *values, float *const *gradients)
{
    (void)points, (void)targets, (void)gradients;
    for (size_t i = 0; i < batch; i++) values[i] = (*(size_t *)payload)++ == 1 ? 0.1 : 0.9;
    return GIG_OK;
}

static double cpu[3], elapsed[3];

static void stamp(int i)
{
    cpu[i] = seconds(CLOCK_PROCESS_CPUTIME_ID);
    elapsed[i] = seconds(CLOCK_MONOTONIC);
}

static gig_status time_sic(gig_pic_result *result, const gig_image *image, const gig_tensor *map, size_t threads)
{
    size_t asked = 0;
    gig_function function = {image->width * image->height * image->channels, 1, predict, &asked};
    gig_pic_options options = {.threads = threads};
    gig_pic *pic = NULL;
    stamp(0);
    gig_status status = gig_pic_create(&pic, image->pixels, image->height, image->width, image->channels, &options);
    stamp(1);
    if (status == GIG_OK) status = gig_pic_set_map(pic, map->real);
    if (status == GIG_OK) status = gig_pic_score(result, pic, (gig_functions){1, &function}, 0);
    stamp(2);
    gig_pic_free(pic);
    return status;
}

int main(int count, char **arguments)
{
    int64_t threads = 1;
    gig_image image = {0};
    gig_tensor map = {0};
    gig_pic_result result = {0};
    gig_status status = count == 4 ? GIG_OK : GIG_EARG;
    if (status == GIG_OK) status = gig_parse_int(&threads, arguments[3], 1, 1024);
    if (status == GIG_OK) status = gig_image_read(&image, arguments[1], NULL);
    if (status == GIG_OK) status = gig_npy_read(&map, arguments[2]);
    if (status == GIG_OK && gig_tensor_count(&map) != image.width * image.height) status = GIG_EARG;
    if (status == GIG_OK) status = time_sic(&result, &image, &map, (size_t)threads);
    if (status == GIG_OK) {
        printf("%.4f %.4f %.4f %.4f", cpu[1] - cpu[0], elapsed[1] - elapsed[0], cpu[2] - cpu[1],
               elapsed[2] - elapsed[1]);
        for (size_t i = 0; i < result.count; i++) printf(" %.0f", result.information[i]);
        printf("\n");
    } else
        fprintf(stderr, "bench_sic PICTURE.png MAP.npy THREADS: %s\n", gig_message());
    gig_pic_result_clear(&result);
    gig_tensor_clear(&map);
    gig_image_clear(&image);
    return status == GIG_OK ? 0 : 1;
}
