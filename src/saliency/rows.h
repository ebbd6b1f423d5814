/* SPDX-License-Identifier: Apache-2.0 */
/* The list of methods, in the order of the help text; each has its row in its own file. */
#ifndef GIG_SALIENCY_ROWS_H
#define GIG_SALIENCY_ROWS_H

#include "gig/saliency.h"

#define GIG_METHOD_ROWS(ROW)                                                                                           \
    ROW(gradients)                                                                                                     \
    ROW(gradients_x_input)                                                                                             \
    ROW(edge)                                                                                                          \
    ROW(ig)                                                                                                            \
    ROW(blur_ig)                                                                                                       \
    ROW(spectral_ig)                                                                                                   \
    ROW(guided_ig)                                                                                                     \
    ROW(samp)                                                                                                          \
    ROW(grad_cam)                                                                                                      \
    ROW(grad_cam_pp)                                                                                                   \
    ROW(hires_cam)                                                                                                     \
    ROW(layer_cam)                                                                                                     \
    ROW(guided_backprop)                                                                                               \
    ROW(guided_grad_cam)                                                                                               \
    ROW(occlusion)

#define GIG_DECLARE_ROW(name) extern const gig_method_row gig_row_##name;
GIG_METHOD_ROWS(GIG_DECLARE_ROW)
#undef GIG_DECLARE_ROW

#endif
