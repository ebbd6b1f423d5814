/* SPDX-License-Identifier: Apache-2.0 */
/* Lesson 4: XRAI, regions instead of pixels.
 *
 *     04_xrai [MODEL PICTURE]
 *
 * The picture is segmented at six scales, and regions are selected in the order of their attribution per pixel in a
 * base map. "xrai+" in front of a method does both; gig_xrai does the second half for any map, and also returns the
 * rank of every pixel's region. */
#include "check.h"

int main(int argc, char **argv)
{
    gig_explainer *explainer;
    const char *picture = argc > 2 ? argv[2] : "demo/pictures/boat-2.png";
    check(gig_explainer_open(&explainer, argc > 1 ? argv[1] : "demo/model.onnx", NULL));

    gig_explanation base, regions;
    check(gig_explainer_explain(&base, explainer, picture, "ig/baseline=black+white/steps=50", NULL));
    check(gig_explainer_explain(&regions, explainer, picture, "xrai+ig/baseline=black+white/steps=50", NULL));
    printf("%s: %zu values; %s: %zu, one per pixel\n", base.method, base.count, regions.method, regions.count);

    size_t pixels = regions.count;
    float *map = malloc(pixels * sizeof *map);
    int32_t *ranks = malloc(pixels * sizeof *ranks);
    if (!map || !ranks) return 1;
    check(gig_xrai(map, ranks, base.attributions, base.picture, &base.shape, NULL));

    int32_t last = 0;
    int same = 1;
    for (size_t p = 0; p < pixels; p++) {
        last = ranks[p] > last ? ranks[p] : last;
        same = same && map[p] == regions.attributions[p];
    }
    printf("both ways give the same map: %s\n", same ? "yes" : "no");
    printf("%d regions; the best three:\n", (int)last);
    for (int32_t rank = 1; rank <= 3 && rank <= last; rank++) {
        size_t area = 0;
        double value = 0;
        for (size_t p = 0; p < pixels; p++)
            if (ranks[p] == rank) {
                area++;
                value = (double)map[p];
            }
        printf("  rank %d: %.6f per pixel on %zu pixels (%.1f%% of the picture)\n", (int)rank, value, area,
               100.0 * (double)area / (double)pixels);
    }
    free(ranks);
    free(map);
    gig_explanation_clear(&regions);
    gig_explanation_clear(&base);
    gig_explainer_close(explainer);
    return 0;
}
