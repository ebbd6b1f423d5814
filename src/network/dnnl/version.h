/* SPDX-License-Identifier: Apache-2.0 */
/* Private to this folder: what differs between oneDNN 2 and 3 (onednn2.c, onednn3.c), under common names. Memory
 * descriptors are `void *`: structs in version 2, handles in version 3. */
#ifndef GIG_NETWORK_DNNL_VERSION_H
#define GIG_NETWORK_DNNL_VERSION_H

#include "network/dnnl/convolution.h"
#include "network/dnnl/pooling.h"
#include <oneapi/dnnl/dnnl.h>

/* ---- engine.c ---- */

struct gig_onednn {
    dnnl_engine_t handle;
    dnnl_stream_t stream; /* for packing weights while planning */
    int block;            /* channel block of f32 convolutions; 0: oneDNN chooses */
    size_t layout_count, layout_capacity;
    gig_layout **layouts;
    size_t primitive_count, primitive_capacity;
    gig_primitive **primitives;
};

gig_status gig_dnnl_check(dnnl_status_t status, const char *what);
#define GIG_DNNL(call) GIG_TRY(gig_dnnl_check((call), #call))

/* ---- layout.c, primitive.c ---- */

/* Takes over the descriptor, also when it fails. */
gig_status gig_layout_adopt(const gig_layout **out, gig_onednn *engine, void *md);
/* A layout for oneDNN to choose; the caller frees it. */
dnnl_status_t gig_md_any(void **out, int rank, const int64_t *dims, gig_number type);
dnnl_data_type_t gig_dnnl_type(gig_number type);
const void *gig_pd_md(const_dnnl_primitive_desc_t pd, dnnl_query_t query); /* borrowed */
int gig_pd_is_slow(const_dnnl_primitive_desc_t pd);                        /* one of oneDNN's slow references? */
dnnl_status_t gig_attr_create(dnnl_primitive_attr_t *out);                 /* scratchpad is the session's */
/* Takes over the description, also when it fails; `arguments` are asked for their layouts. */
gig_status gig_primitive_adopt(gig_primitive **out, gig_onednn *engine, dnnl_primitive_desc_t pd, size_t count,
                               const gig_argument *arguments);

/* ---- onednn2.c, onednn3.c ---- */

typedef struct gig_md_facts {
    int rank, blocked; /* blocked: an ordinary layout of strides and inner blocks */
    dnnl_data_type_t type;
    int64_t dims[GIG_LAYOUT_RANK], padded_dims[GIG_LAYOUT_RANK], strides[GIG_LAYOUT_RANK];
    int inner_count, inner_axis, inner_size; /* number of inner blocks; the first one */
    size_t bytes;
} gig_md_facts;

dnnl_status_t gig_md_by_tag(void **out, int rank, const int64_t *dims, dnnl_data_type_t type, dnnl_format_tag_t tag);
dnnl_status_t gig_md_by_strides(void **out, int rank, const int64_t *dims, dnnl_data_type_t type,
                                const int64_t *strides);
dnnl_status_t gig_md_part(void **out, const void *whole, const int64_t *dims, const int64_t *offsets);
dnnl_status_t gig_md_copy(void **out, const void *md);
void gig_md_free(void *md);
void gig_md_look(gig_md_facts *out, const void *md);

/* Descriptors of the memory that a primitive reads and writes; NULL: it has none such. */
typedef struct gig_pd_memory {
    const void *src, *weights, *bias, *dst;
} gig_pd_memory;

dnnl_status_t gig_pd_convolution(dnnl_primitive_desc_t *out, dnnl_engine_t engine, const gig_geometry *g,
                                 gig_pd_memory of, dnnl_primitive_attr_t attr);
dnnl_status_t gig_pd_convolution_gradient(dnnl_primitive_desc_t *out, dnnl_engine_t engine, const gig_geometry *g,
                                          gig_pd_memory of, dnnl_primitive_desc_t hint, dnnl_primitive_attr_t attr);
dnnl_status_t gig_pd_pooling(dnnl_primitive_desc_t *out, dnnl_engine_t engine, const gig_pooling *p,
                             dnnl_alg_kind_t kind, gig_pd_memory of, dnnl_primitive_attr_t attr);
dnnl_status_t gig_pd_pooling_gradient(dnnl_primitive_desc_t *out, dnnl_engine_t engine, const gig_pooling *p,
                                      dnnl_alg_kind_t kind, gig_pd_memory of, dnnl_primitive_desc_t hint,
                                      dnnl_primitive_attr_t attr);
dnnl_status_t gig_pd_product(dnnl_primitive_desc_t *out, dnnl_engine_t engine, const void *a, const void *b,
                             const void *c, dnnl_primitive_attr_t attr);
dnnl_status_t gig_post_sum(dnnl_post_ops_t ops);
dnnl_status_t gig_post_relu(dnnl_post_ops_t ops);

#endif
