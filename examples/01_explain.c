/* SPDX-License-Identifier: Apache-2.0 */
/* Lesson 1: what the model looks at in a picture, as another picture.   01_explain MODEL PICTURE OUT.png */
#include <gig/gig.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    gig_explainer *explainer = NULL;
    gig_explanation map = {0};
    int failed = argc != 4 || gig_explainer_open(&explainer, argv[1], NULL) ||
                 gig_explainer_explain(&map, explainer, argv[2], "auto", NULL) ||
                 gig_explanation_draw(&map, argv[3], NULL);
    if (failed) fprintf(stderr, "%s\n", argc == 4 ? gig_message() : "01_explain MODEL PICTURE OUT.png");
    gig_explanation_clear(&map);
    gig_explainer_close(explainer);
    return failed;
}
