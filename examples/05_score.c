/* SPDX-License-Identifier: Apache-2.0 */
/* Lesson 5: does a map point at the object?
 *
 *     05_score [MODEL PICTURE MASK]
 *
 * The mask marks the pixels of the object. The area under the ROC curve is the probability that a pixel of the object
 * has a larger value than one outside: 0.5 is guessing. An edge detector does not use the model; a method that scores
 * no better has explained nothing. One picture proves little: "gig study" does this for thousands. */
#include "check.h"

int main(int argc, char **argv)
{
    gig_explainer *explainer;
    const char *picture = argc > 2 ? argv[2] : "demo/pictures/boat-2.png";
    check(gig_explainer_open(&explainer, argc > 1 ? argv[1] : "demo/model.onnx", NULL));
    gig_image mask; /* at the size of the model's input: another would have to be resized like the picture */
    check(gig_mask_read(&mask, argc > 3 ? argv[3] : "demo/masks/boat-2.png", NULL));
    size_t pixels = mask.width * mask.height;
    float *map = malloc(pixels * sizeof *map);
    if (!map) return 1;

    static const char *const methods[] = {"edge",        "gradients",      "smooth+gradients",
                                          "ig/steps=50", "gig:4/steps=50", "xrai+ig/steps=50"};
    printf("%-22s %6s %10s\n", "method", "AUC", "gradients");
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        gig_explanation found;
        gig_roc roc;
        check(gig_explainer_explain(&found, explainer, picture, methods[i], NULL));
        if (found.shape.height != mask.height || found.shape.width != mask.width) return 1;
        /* One value per pixel: |sum over channels|, unless the method already has one. */
        size_t channels = found.count / pixels;
        gig_reduction reduction = channels == 1 ? GIG_REDUCE_SUM : GIG_REDUCE_ABS_SUM;
        check(gig_map_reduce(map, found.attributions, pixels, channels, reduction));
        check(gig_roc_auc(&roc, map, mask.pixels, pixels));
        printf("%-22s %6.3f %10zu\n", found.method, roc.auc, found.evaluations);
        gig_explanation_clear(&found);
    }
    free(map);
    gig_image_clear(&mask);
    gig_explainer_close(explainer);
    return 0;
}
