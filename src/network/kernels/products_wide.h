/* SPDX-License-Identifier: Apache-2.0 */
/* What products.c and products_wide.c share. */
#ifndef GIG_NETWORK_KERNELS_PRODUCTS_WIDE_H
#define GIG_NETWORK_KERNELS_PRODUCTS_WIDE_H

#include "network/kernels/products.h"

enum {
    GIG_PRODUCT_DEPTH = 512 /* of a sum before it is added to the result: keeps a panel in the cache, and rounding
                               errors small */
};

/* A piece of the sums: `count` of the depth from `first`; all except the first are added to what is there. */
typedef struct gig_products_piece {
    size_t first, count;
} gig_products_piece;

/* The 16 columns from c of turned weights, as a panel [depth, 16]. */
void gig_products_turn_panel(float *panel, const gig_products *p, size_t c);

/* Two panels at a time in vectors of 16, on CPUs that have them (gig_cpu_has_wide_vectors). Every sum has the order of
 * products.c, and so its bits. `data` begins at the piece. Returns how many columns are done; fewer than two panels
 * are left. */
size_t gig_products_wide(float *results, const gig_products *p, gig_products_piece of, const float *data, size_t rows);

#endif
