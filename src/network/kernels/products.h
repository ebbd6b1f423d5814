/* SPDX-License-Identifier: Apache-2.0 */
/* Products of a matrix with constant weights, on CPUs with AVX2: wide layers, and the middle part of convolutions by
 * tiles (winograd.h). A row of the result has the same bits whatever the other rows are. */
#ifndef GIG_NETWORK_KERNELS_PRODUCTS_H
#define GIG_NETWORK_KERNELS_PRODUCTS_H

#include "base/status.h"
#include <stddef.h>

enum {
    GIG_PANEL = 16,      /* columns computed together; a rest of 8 is a panel of its own */
    GIG_PRODUCT_ROWS = 6 /* and rows: their sums fit the registers */
};

/* result[r, c] = sum over k of data[r, k] weights[k, c]; rows of data and results are dense */
typedef struct gig_products {
    size_t rows, depth, columns; /* columns: a multiple of 8 */
    const float *weights;        /* packed: [panel, depth, its columns] */
    int turned;                  /* packed for the transposed weights: [depth / 16, columns, 16] */
    int narrow;                  /* never in vectors of 16, which have the same bits */
} gig_products;

/* Whether weights of these sizes may be turned. It costs a few hundredths of the time of many rows. */
int gig_products_can_turn(size_t depth, size_t columns);

/* Packs [depth, columns]. */
void gig_products_pack(float *out, const gig_products *p, const float *weights);
/* GIG_EINTERNAL if the CPU has no AVX2: ask gig_cpu_has_avx2 first. */
gig_status gig_products_run(float *results, const gig_products *p, const float *data);

#endif
