/* SPDX-License-Identifier: Apache-2.0 */
/* Lesson 7: the class of a picture, its probability, and the gradient of that probability.
 *
 *     07_gradient [MODEL PICTURE]
 *
 * Points are pictures at the model's size: [height, width, 3], RGB in [0,1]. The model's own scale and mean are part of
 * the function and are differentiated through. */
#include "check.h"
#include <math.h>

int main(int argc, char **argv)
{
    gig_explainer *explainer;
    check(gig_explainer_open(&explainer, argc > 1 ? argv[1] : "demo/model.onnx", NULL));
    const gig_input picture = {.file = argc > 2 ? argv[2] : "demo/pictures/boat-2.png"};

    int rank;
    int64_t dims[GIG_MAX_RANK];
    check(gig_explainer_dims(&rank, dims, explainer, &picture));
    size_t width = (size_t)dims[1], features = (size_t)dims[0] * width * 3;
    float *gradient = malloc(features * sizeof *gradient);
    if (!gradient) return 1;

    /* The predicted class, and in which direction each pixel would have to change to raise its probability. */
    size_t best;
    double probability, value;
    check(gig_explainer_top(&best, &probability, explainer, &picture, 1, NULL));
    check(gig_explainer_evaluate(&value, &gradient, explainer, 1, &picture, NULL));
    size_t steepest = 0;
    for (size_t i = 1; i < features; i++)
        if (fabsf(gradient[i]) > fabsf(gradient[steepest])) steepest = i;
    const char *label = gig_explainer_class_name(explainer, best);
    printf("class %zu (%s) with probability %.4f\n", best, label ? label : "no label", probability);
    printf("steepest at row %zu, column %zu, channel %zu: %+.4g\n", steepest / 3 / width, steepest / 3 % width,
           steepest % 3, (double)gradient[steepest]);

    free(gradient);
    gig_explainer_close(explainer);
    return 0;
}
