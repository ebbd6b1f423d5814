/* SPDX-License-Identifier: Apache-2.0 */
/* What quantised integers are. */
#ifndef GIG_NETWORK_OPERATORS_QUANTIZE_H
#define GIG_NETWORK_OPERATORS_QUANTIZE_H

#include "network/operator.h"

/* The least and the greatest number of an ONNX type that values are quantised to; GIG_EUNSUPPORTED for others. */
gig_status gig_quantized_range(float *low, float *high, int onnx_type);

#endif
