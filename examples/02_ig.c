/* SPDX-License-Identifier: Apache-2.0 */
/* Lesson 2: Integrated Gradients, and whether a map adds up.
 *
 *     02_ig [MODEL PICTURE]
 *
 * The gradient is summed along a path from a black picture to ours: each pixel gets its share of F(picture) - F(black).
 * Every result says exactly how well the shares add up. That depends on the integration rule and the number of steps.
 */
#include "check.h"

int main(int argc, char **argv)
{
    gig_explainer *explainer;
    const char *picture = argc > 2 ? argv[2] : "demo/pictures/boat-2.png";
    check(gig_explainer_open(&explainer, argc > 1 ? argv[1] : "demo/model.onnx", NULL));

    static const char *const methods[] = {"ig/steps=10",
                                          "ig/steps=50",
                                          "ig/steps=50/rule=left",
                                          "ig/steps=50/rule=gauss-legendre",
                                          "ig/steps=50/baseline=black+white",
                                          "ig/steps=10/close=yes"};
    printf("%-36s %10s %10s %12s %s\n", "method", "F(x)-F(b)", "sum", "off by", "gradients");
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        gig_explanation map;
        check(gig_explainer_explain(&map, explainer, picture, methods[i], NULL));
        printf("%-36s %10.5f %10.5f %12.2e %zu\n", map.method, map.value_input - map.value_baseline, map.sum, map.delta,
               map.evaluations);
        gig_explanation_clear(&map);
    }
    gig_explainer_close(explainer);
    return 0;
}
