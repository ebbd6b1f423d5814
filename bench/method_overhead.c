/* SPDX-License-Identifier: Apache-2.0 */
/* CPU time of a method without a network: bench_method_overhead PICTURE.npy METHOD. PICTURE is [height, width,
 * channels]. Prints milliseconds and gradients asked for. The function copies one of a few gradients drawn in advance,
 * which does not count, so that what is left is the path, its rule, blurs, segments. */
#include "gig/tensor.h"
#include "internal/saliency.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { GRADIENTS = 8 };

typedef struct drawn {
    size_t features, asked;
    double copying;   /* milliseconds */
    float *gradients; /* [GRADIENTS, features] */
} drawn;

/* Signed, of very different magnitudes, as gradients of networks are. */
static float draw(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    float u = (float)(*state >> 40) / (float)(1 << 24) - 0.5f;
    return u * u * u;
}

static double milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static gig_status evaluate(void *payload, size_t batch, const float *const *points, const size_t *targets,
                           double *values, float *const *gradients)
{
    drawn *self = payload;
    (void)points, (void)targets;
    double start = milliseconds();
    for (size_t i = 0; i < batch; i++) {
        const float *source = self->gradients + self->asked++ % GRADIENTS * self->features;
        values[i] = 0.5;
        if (gradients && gradients[i]) memcpy(gradients[i], source, self->features * sizeof *source);
    }
    self->copying += milliseconds() - start;
    return GIG_OK;
}

static gig_status time_method(drawn *self, const gig_tensor *picture, const gig_method *method)
{
    gig_function function = {self->features, 1, evaluate, self};
    gig_run_options options = GIG_RUN_OPTIONS_INIT;
    options.shape = (gig_picture_shape){
        .height = (size_t)picture->dims[0], .width = (size_t)picture->dims[1], .channels = (size_t)picture->dims[2]};
    const float *input = picture->real;
    size_t target = 0;
    gig_explanation result = {0};
    double start = milliseconds();
    gig_status status = gig_method_run(&result, 1, &input, &target, (gig_functions){1, &function}, method, &options);
    double end = milliseconds();
    if (status == GIG_OK)
        printf("{\"milliseconds\": %.3f, \"evaluations\": %zu}\n", end - start - self->copying, result.evaluations);
    gig_explanation_clear(&result);
    return status;
}

int main(int count, char **arguments)
{
    drawn self = {0};
    gig_tensor picture = {0};
    gig_method method;
    uint64_t state = 1;
    gig_status status = count == 3 ? GIG_OK : GIG_EARG;
    if (status == GIG_OK) status = gig_npy_read(&picture, arguments[1]);
    if (status == GIG_OK && (picture.rank != 3 || picture.type != GIG_FLOAT32)) status = GIG_EARG;
    if (status == GIG_OK) status = gig_method_parse(&method, arguments[2], NULL);
    if (status == GIG_OK) {
        self.features = gig_tensor_count(&picture);
        self.gradients = malloc(GRADIENTS * self.features * sizeof *self.gradients);
        if (!self.gradients) status = GIG_ENOMEM;
    }
    for (size_t i = 0; status == GIG_OK && i < GRADIENTS * self.features; i++) self.gradients[i] = draw(&state);
    if (status == GIG_OK) status = time_method(&self, &picture, &method);
    if (status != GIG_OK) fprintf(stderr, "bench_method_overhead PICTURE.npy METHOD: %s\n", gig_message());
    free(self.gradients);
    gig_tensor_clear(&picture);
    return status == GIG_OK ? 0 : 1;
}
