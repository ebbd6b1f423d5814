/* SPDX-License-Identifier: Apache-2.0 */
/* Lesson 3: Guided IG, with and without anchors, and a picture of each map.
 *
 *     03_guided_ig [MODEL PICTURE [SHEET.png|.svg|.pdf]]
 *
 * Guided IG first moves the pixels whose gradient is currently small, so that the path collects less noise. The paper
 * trades off two numbers: `noise`, the sum of |gradient x movement|, and the `distance` from the straight line, which
 * anchors (gig:K) limit. The paper's rule sums the same gradients that selected the pixels, so its maps may miss
 * F(picture) - F(black) by far; with a tolerance, more gradients are spent until they add up. */
#include "check.h"

/* The picture and all maps of it, side by side. */
static void write_sheet(const char *path, const gig_explanation *maps, size_t count)
{
    gig_sheet *sheet;
    const gig_draw_options look = {.title = "Guided IG", .map = {.display = {.rule = GIG_DISPLAY_SIGNED}}};
    check(gig_explanation_sheet(&sheet, maps, count, &look));
    check(gig_sheet_write(sheet, path, 0));
    gig_sheet_free(sheet);
}

int main(int argc, char **argv)
{
    gig_explainer *explainer;
    const char *picture = argc > 2 ? argv[2] : "demo/pictures/boat-2.png";
    check(gig_explainer_open(&explainer, argc > 1 ? argv[1] : "demo/model.onnx", NULL));

    static const char *const methods[] = {"ig/rule=left/steps=50", "gig/steps=50", "gig:4/steps=50",
                                          "gig:4/steps=50/tolerance=0.01"};
    enum { METHODS = sizeof methods / sizeof *methods };
    gig_explanation maps[METHODS];
    printf("%-30s %8s %8s %10s %s\n", "method", "noise", "distance", "off by", "gradients");
    for (size_t i = 0; i < METHODS; i++) {
        check(gig_explainer_explain(&maps[i], explainer, picture, methods[i], NULL));
        printf("%-30s %8.3f %8.3f %9.1f%% %zu\n", maps[i].method, maps[i].noise, maps[i].distance,
               100 * maps[i].delta / (maps[i].value_input - maps[i].value_baseline), maps[i].evaluations);
    }

    if (argc > 3) {
        write_sheet(argv[3], maps, METHODS);
        printf("wrote %s\n", argv[3]);
    }
    for (size_t i = 0; i < METHODS; i++) gig_explanation_clear(&maps[i]);
    gig_explainer_close(explainer);
    return 0;
}
