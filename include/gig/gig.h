/* gig/gig.h -- all public headers at once.
 *
 * Flow:      picture + model -> network -> path -> saliency -> score
 * Ownership: said in each header.
 * Threads:   said in each header.
 * Errors:    every call returns a gig_status; see gig/status.h.
 */
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
