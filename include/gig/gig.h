/* SPDX-License-Identifier: Apache-2.0 */
/* gig/gig.h -- what a model looks at: explain a picture in fifteen lines.
 *
 * Flow:      model + picture + method's name -> [gig_explainer] -> gig_explanation -> PNG, SVG, PDF or .npy
 * Ownership: see each header.
 * Threads:   see each header.
 * Errors:    functions that can fail return a gig_status, GIG_OK is 0; gig_message() says in one line what went wrong.
 *
 *     #include <gig/gig.h>
 *     #include <stdio.h>
 *
 *     int main(int argc, char **argv)
 *     {
 *         gig_explainer *explainer = NULL;
 *         gig_explanation map = {0};
 *         int failed = argc != 4 || gig_explainer_open(&explainer, argv[1], NULL) ||
 *                      gig_explainer_explain(&map, explainer, argv[2], "auto", NULL) ||
 *                      gig_explanation_draw(&map, argv[3], NULL);
 *         if (failed) fprintf(stderr, "%s\n", argc == 4 ? gig_message() : "01_explain MODEL PICTURE OUT.png");
 *         gig_explanation_clear(&map);
 *         gig_explainer_close(explainer);
 *         return failed;
 *     }
 *
 * Most programs need gig/explainer.h, and of gig/saliency.h the names of methods and the fields of gig_explanation. To
 * read when you need it:
 *   view                        maps as pictures and sheets, beyond gig_explanation_draw
 *   target, interrupt           targets other than a class; stopping a call
 *   metric, score               numbers about maps
 *   path, function              your own paths, on your own functions
 *   work                        studies: many pictures, in a store
 * Most programs never need to read these, which the others include:
 *   model                       precision and inputs, for an explainer's options
 *   image, tensor               decoded pictures and arrays, from files and to files
 *   memory, status              shared by all of these
 * Before version 1.0 every minor version has its own interface and its own libgig.so. */
#ifndef GIG_GIG_H
#define GIG_GIG_H

#include "gig/explainer.h"
#include "gig/function.h"
#include "gig/image.h"
#include "gig/interrupt.h"
#include "gig/memory.h"
#include "gig/metric.h"
#include "gig/model.h"
#include "gig/path.h"
#include "gig/saliency.h"
#include "gig/score.h"
#include "gig/status.h"
#include "gig/target.h"
#include "gig/tensor.h"
#include "gig/view.h"
#include "gig/work.h"

#endif
