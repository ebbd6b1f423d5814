/* SPDX-License-Identifier: Apache-2.0 */
/* Lesson 5: does a map point at the object?
 *
 *     05_score [MODEL PICTURE MASK]
 *
 * The mask says which pixels are the object. The area under the ROC curve is the chance that a pixel of the object has
 * a larger value than one beside it: 0.5 is guessing. An edge detector knows no model; a method that scores no better
 * has explained nothing. One picture proves little: "gig study" does this for thousands. */
#include "lesson.h"

int main(int argc, char **argv)
{
    lesson held;
    lesson_begin(&held, argc > 1 ? argv[1] : "demo/model.onnx", argc > 2 ? argv[2] : "demo/pictures/boat-2.png");
    float *drawn = read_pixels(argc > 3 ? argv[3] : "demo/masks/boat-2.png", held.description, 1);

    size_t pixels = held.shape.height * held.shape.width;
    uint8_t *mask = malloc(pixels);
    float *map = malloc(pixels * sizeof *map);
    if (!mask || !map) return 1;
    for (size_t p = 0; p < pixels; p++) mask[p] = drawn[p] > 0.5f ? GIG_MASK_IN : GIG_MASK_OUT;

    static const char *const methods[] = {"edge",        "gradients",      "smooth+gradients",
                                          "ig/steps=50", "gig:4/steps=50", "xrai+ig/steps=50"};
    printf("%-22s %6s %10s\n", "method", "AUC", "gradients");
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        gig_explanation found;
        gig_roc roc;
        explain(&found, &held, methods[i]);
        /* One value per pixel: |sum over channels|, unless the method has but one already. */
        size_t channels = found.count / pixels;
        gig_reduction reduction = channels == 1 ? GIG_REDUCE_SUM : GIG_REDUCE_ABS_SUM;
        check(gig_map_reduce(map, found.attributions, pixels, channels, reduction));
        check(gig_roc_auc(&roc, map, mask, pixels));
        printf("%-22s %6.3f %10zu\n", found.method, roc.auc, found.evaluations);
        gig_explanation_clear(&found);
    }
    free(map);
    free(mask);
    free(drawn);
    lesson_end(&held);
    return 0;
}
