/* SPDX-License-Identifier: Apache-2.0 */
/* Number types of a plan: f32, or f32 as the sum of bf16 halves. */
#ifndef GIG_NETWORK_KERNELS_BF16_HALVES_H
#define GIG_NETWORK_KERNELS_BF16_HALVES_H

#include "network/plan.h"

/* How products are computed. Emulated: bf16 numbers held in floats, for CPUs without AMX (tests). */
typedef struct gig_numbers {
    int halves; /* 0: f32 as it is */
    gig_number type;
    size_t count;
    struct {
        int low_data, low_weights;
    } products[3];
} gig_numbers;
gig_numbers gig_numbers_whole(void);
gig_numbers gig_numbers_forward(const gig_plan *plan); /* wanted by its precision */
gig_numbers gig_numbers_backward(const gig_plan *plan);

/* The high and, where wanted, low halves of memory at `from`, in that layout. */
gig_status gig_plan_split(gig_place halves[2], gig_plan *plan, gig_place from, const gig_layout *layout, int low);
/* The weights, which lie in layout `from`, or (halves) their high or low halves, in that layout; *out is the plan's. */
gig_status gig_plan_pack_half(void **out, gig_plan *plan, const gig_layout *from, const gig_tensor *weights,
                              const gig_layout *layout, int halves, int low);

#endif
