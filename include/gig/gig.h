/* SPDX-License-Identifier: Apache-2.0 */
/* gig/gig.h -- all public headers at once.
 *
 * Flow:      picture + model -> network -> path -> saliency -> score
 * Ownership: said in each header.
 * Threads:   said in each header.
 * Errors:    what can fail returns a gig_status; see gig/status.h.
 *
 * To read in this order; examples/01_gradient.c is the shortest program:
 *   status, memory, number, tensor, file   what all share
 *   image                                  a picture's pixels, at a model's size
 *   model, description, summary            an ONNX file, and what it does not say itself
 *   network, function, profile             value and gradient of one class; what takes the time
 *   saliency                               a map by a method's name: what most programs want
 *   path, workers                          paths of your own
 *   metric, score                          numbers about maps
 *   view                                   maps as pictures
 *   work                                   many pictures, in a store
 * Before version 1.0 another minor version is another interface, and another libgig.so. */
#ifndef GIG_GIG_H
#define GIG_GIG_H

#include "gig/description.h"
#include "gig/file.h"
#include "gig/function.h"
#include "gig/image.h"
#include "gig/memory.h"
#include "gig/metric.h"
#include "gig/model.h"
#include "gig/network.h"
#include "gig/number.h"
#include "gig/path.h"
#include "gig/profile.h"
#include "gig/saliency.h"
#include "gig/score.h"
#include "gig/status.h"
#include "gig/summary.h"
#include "gig/tensor.h"
#include "gig/view.h"
#include "gig/work.h"
#include "gig/workers.h"

#endif
