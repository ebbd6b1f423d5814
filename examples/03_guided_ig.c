/* SPDX-License-Identifier: Apache-2.0 */
/* Lesson 3: Guided IG, with and without anchors, and a picture of each map.
 *
 *     03_guided_ig [MODEL PICTURE [SHEET.png|.svg|.pdf]]
 *
 * Guided IG moves the pixels first whose gradient is small at the moment, so as not to collect noise on the way. The
 * paper weighs two numbers against each other: `noise`, the sum of |gradient x movement|, and the `distance` from the
 * straight line, which anchors (gig:K) hold down. The rule of the paper sums the very gradients that chose the pixels,
 * so its maps may miss F(picture) - F(black) by far; a tolerance spends more gradients until they add up. */
#include "lesson.h"

/* A sheet holds pictures and maps side by side. Maps are signed: red speaks for the class, blue against it. */
static void write_sheet(const char *path, const lesson *held, const gig_explanation *maps, size_t count)
{
    gig_sheet *sheet;
    const gig_map_options look = {.display = {.rule = GIG_DISPLAY_SIGNED}};
    size_t height = held->shape.height, width = held->shape.width;
    check(gig_sheet_create(&sheet, &(gig_sheet_options){.title = "Guided IG", .columns = count + 1}));
    check(gig_sheet_add_picture(sheet, &(gig_caption){.title = "the picture"}, held->pixels, height, width));
    for (size_t i = 0; i < count; i++) {
        const gig_caption caption = {.title = maps[i].method,
                                     .has_completeness = 1,
                                     .sum = maps[i].sum,
                                     .value_input = maps[i].value_input,
                                     .value_baseline = maps[i].value_baseline};
        check(gig_sheet_add_map(sheet, &caption, maps[i].attributions, height, width, 3, &look));
    }
    check(gig_sheet_write(sheet, path, 0));
    gig_sheet_free(sheet);
}

int main(int argc, char **argv)
{
    lesson held;
    lesson_begin(&held, argc > 1 ? argv[1] : "demo/model.onnx", argc > 2 ? argv[2] : "demo/pictures/boat-2.png");

    static const char *const methods[] = {"ig/rule=left/steps=50", "gig/steps=50", "gig:4/steps=50",
                                          "gig:4/steps=50/tolerance=0.01"};
    enum { METHODS = sizeof methods / sizeof *methods };
    gig_explanation maps[METHODS];
    printf("%-30s %8s %8s %10s %s\n", "method", "noise", "distance", "off by", "gradients");
    for (size_t i = 0; i < METHODS; i++) {
        explain(&maps[i], &held, methods[i]);
        printf("%-30s %8.3f %8.3f %9.1f%% %zu\n", maps[i].method, maps[i].noise, maps[i].distance,
               100 * maps[i].delta / (maps[i].value_input - maps[i].value_baseline), maps[i].evaluations);
    }

    if (argc > 3) {
        write_sheet(argv[3], &held, maps, METHODS);
        printf("wrote %s\n", argv[3]);
    }
    for (size_t i = 0; i < METHODS; i++) gig_explanation_clear(&maps[i]);
    lesson_end(&held);
    return 0;
}
