/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of many floats, in an order that does not depend on the CPU: in 16 lanes, which compilers map to vectors of any
 * width. */
#ifndef GIG_NETWORK_KERNELS_SUMS_H
#define GIG_NETWORK_KERNELS_SUMS_H

#include <stddef.h>
#include <string.h>

enum { GIG_LANES = 16, GIG_SUM_BLOCK = 512 };
typedef float gig_lanes __attribute__((vector_size(GIG_LANES * sizeof(float)), aligned(sizeof(float)), may_alias));

static inline double gig_lanes_sum(const gig_lanes *lanes)
{
    typedef float eight __attribute__((vector_size(32)));
    typedef float four __attribute__((vector_size(16)));
    eight halves[2];
    four quarters[2];
    memcpy(halves, lanes, sizeof halves);
    halves[0] += halves[1];
    memcpy(quarters, halves, sizeof quarters);
    quarters[0] += quarters[1];
    return (double)((quarters[0][0] + quarters[0][2]) + (quarters[0][1] + quarters[0][3]));
}

/* In an expression to be added up: the number of an array at k, or the next 16 of them. */
#define GIG_AT(array) (*(const gig_sum_type *)(const void *)((array) + k))

/* Adds two expressions in GIG_AT(x), for k in [0, count), each to a double: blocks in floats, whose sums are added in
 * double. */
#define GIG_SUMS_OF(total, other_total, count, expression, other_expression)                                           \
    for (size_t at_ = 0; at_ < (count); at_ += GIG_SUM_BLOCK) {                                                        \
        const size_t end_ = (count)-at_ < GIG_SUM_BLOCK ? (count) : at_ + GIG_SUM_BLOCK;                               \
        gig_lanes lanes_ = {0}, other_lanes_ = {0};                                                                    \
        float rest_ = 0, other_rest_ = 0;                                                                              \
        size_t k = at_;                                                                                                \
        for (; k + GIG_LANES <= end_; k += GIG_LANES) {                                                                \
            typedef gig_lanes gig_sum_type;                                                                            \
            lanes_ += (expression);                                                                                    \
            other_lanes_ += (other_expression);                                                                        \
        }                                                                                                              \
        for (; k < end_; k++) {                                                                                        \
            typedef float gig_sum_type;                                                                                \
            rest_ += (expression);                                                                                     \
            other_rest_ += (other_expression);                                                                         \
        }                                                                                                              \
        (total) += gig_lanes_sum(&lanes_) + (double)rest_;                                                             \
        (other_total) += gig_lanes_sum(&other_lanes_) + (double)other_rest_;                                           \
    }

#endif
