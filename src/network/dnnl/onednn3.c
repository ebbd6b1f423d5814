/* SPDX-License-Identifier: Apache-2.0 */
/* oneDNN 3: memory descriptors are opaque handles with queries; primitives are described in one call. */
#include "network/dnnl/version.h"
#include <string.h>

static const_dnnl_memory_desc_t seen(const void *md)
{
    return md;
}

/* ---- layouts ---- */

static dnnl_status_t keep(void **out, dnnl_status_t status, dnnl_memory_desc_t md)
{
    *out = status ? NULL : md;
    return status;
}

dnnl_status_t gig_md_by_tag(void **out, int rank, const int64_t *dims, dnnl_data_type_t type, dnnl_format_tag_t tag)
{
    dnnl_memory_desc_t md = NULL;
    dnnl_status_t status = dnnl_memory_desc_create_with_tag(&md, rank, dims, type, tag);
    return keep(out, status, md);
}

dnnl_status_t gig_md_by_strides(void **out, int rank, const int64_t *dims, dnnl_data_type_t type,
                                const int64_t *strides)
{
    dnnl_memory_desc_t md = NULL;
    dnnl_status_t status = dnnl_memory_desc_create_with_strides(&md, rank, dims, type, strides);
    return keep(out, status, md);
}

dnnl_status_t gig_md_part(void **out, const void *whole, const int64_t *dims, const int64_t *offsets)
{
    dnnl_memory_desc_t md = NULL;
    dnnl_status_t status = dnnl_memory_desc_create_submemory(&md, seen(whole), dims, offsets);
    return keep(out, status, md);
}

dnnl_status_t gig_md_copy(void **out, const void *original)
{
    dnnl_memory_desc_t md = NULL;
    dnnl_status_t status = dnnl_memory_desc_clone(&md, seen(original));
    return keep(out, status, md);
}

void gig_md_free(void *md)
{
    if (md) dnnl_memory_desc_destroy(md);
}

static void ask_dims(int64_t *out, const void *md, dnnl_query_t query, int count)
{
    const dnnl_dims_t *dims = NULL;
    if (dnnl_memory_desc_query(seen(md), query, &dims) == dnnl_success && dims && count)
        memcpy(out, *dims, (size_t)count * sizeof *out);
}

void gig_md_look(gig_md_facts *out, const void *md)
{
    dnnl_format_kind_t kind = dnnl_format_kind_undef;
    int64_t axes[GIG_LAYOUT_RANK] = {0}, sizes[GIG_LAYOUT_RANK] = {0};
    *out = (gig_md_facts){.bytes = dnnl_memory_desc_get_size(seen(md)), .type = dnnl_data_type_undef};
    dnnl_memory_desc_query(seen(md), dnnl_query_ndims_s32, &out->rank);
    dnnl_memory_desc_query(seen(md), dnnl_query_data_type, &out->type);
    dnnl_memory_desc_query(seen(md), dnnl_query_format_kind, &kind);
    ask_dims(out->dims, md, dnnl_query_dims, out->rank);
    ask_dims(out->padded_dims, md, dnnl_query_padded_dims, out->rank);
    out->blocked = kind == dnnl_blocked;
    if (!out->blocked) return;
    ask_dims(out->strides, md, dnnl_query_strides, out->rank);
    dnnl_memory_desc_query(seen(md), dnnl_query_inner_nblks_s32, &out->inner_count);
    ask_dims(axes, md, dnnl_query_inner_idxs, out->inner_count);
    ask_dims(sizes, md, dnnl_query_inner_blks, out->inner_count);
    out->inner_axis = (int)axes[0];
    out->inner_size = (int)sizes[0];
}

/* ---- primitives ---- */

dnnl_status_t gig_pd_convolution(dnnl_primitive_desc_t *out, dnnl_engine_t engine, const gig_geometry *g,
                                 gig_pd_memory of, dnnl_primitive_attr_t attr)
{
    return dnnl_convolution_forward_primitive_desc_create(out, engine, dnnl_forward_inference, dnnl_convolution_direct,
                                                          seen(of.src), seen(of.weights), seen(of.bias), seen(of.dst),
                                                          g->strides, g->dilates, g->pad_begin, g->pad_end, attr);
}

dnnl_status_t gig_pd_convolution_gradient(dnnl_primitive_desc_t *out, dnnl_engine_t engine, const gig_geometry *g,
                                          gig_pd_memory of, dnnl_primitive_desc_t hint, dnnl_primitive_attr_t attr)
{
    return dnnl_convolution_backward_data_primitive_desc_create(out, engine, dnnl_convolution_direct, seen(of.src),
                                                                seen(of.weights), seen(of.dst), g->strides, g->dilates,
                                                                g->pad_begin, g->pad_end, hint, attr);
}

dnnl_status_t gig_pd_pooling(dnnl_primitive_desc_t *out, dnnl_engine_t engine, const gig_pooling *p,
                             dnnl_alg_kind_t kind, gig_pd_memory of, dnnl_primitive_attr_t attr)
{
    dnnl_prop_kind_t use = p->is_max ? dnnl_forward_training : dnnl_forward_inference;
    return dnnl_pooling_forward_primitive_desc_create(out, engine, use, kind, seen(of.src), seen(of.dst), p->strides,
                                                      p->kernel, p->dilates, p->pad_begin, p->pad_end, attr);
}

dnnl_status_t gig_pd_pooling_gradient(dnnl_primitive_desc_t *out, dnnl_engine_t engine, const gig_pooling *p,
                                      dnnl_alg_kind_t kind, gig_pd_memory of, dnnl_primitive_desc_t hint,
                                      dnnl_primitive_attr_t attr)
{
    return dnnl_pooling_backward_primitive_desc_create(out, engine, kind, seen(of.src), seen(of.dst), p->strides,
                                                       p->kernel, p->dilates, p->pad_begin, p->pad_end, hint, attr);
}

dnnl_status_t gig_pd_product(dnnl_primitive_desc_t *out, dnnl_engine_t engine, const void *a, const void *b,
                             const void *c, dnnl_primitive_attr_t attr)
{
    return dnnl_matmul_primitive_desc_create(out, engine, seen(a), seen(b), NULL, seen(c), attr);
}

dnnl_status_t gig_post_sum(dnnl_post_ops_t ops)
{
    return dnnl_post_ops_append_sum(ops, 1.0f, 0, dnnl_data_type_undef);
}

dnnl_status_t gig_post_relu(dnnl_post_ops_t ops)
{
    return dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_relu, 0.0f, 0.0f);
}
