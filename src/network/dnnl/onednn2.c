/* SPDX-License-Identifier: Apache-2.0 */
/* oneDNN 2 (from 2.6): memory descriptors are structs; operations have their own descriptors. */
#include "network/dnnl/version.h"
#include <string.h>

static const dnnl_memory_desc_t *seen(const void *md)
{
    return md;
}

/* ---- layouts ---- */

static dnnl_status_t keep(void **out, dnnl_status_t status, const dnnl_memory_desc_t *md)
{
    *out = status ? NULL : gig_alloc(1, sizeof *md);
    if (status) return status;
    if (!*out) return dnnl_out_of_memory;
    memcpy(*out, md, sizeof *md);
    return dnnl_success;
}

dnnl_status_t gig_md_by_tag(void **out, int rank, const int64_t *dims, dnnl_data_type_t type, dnnl_format_tag_t tag)
{
    dnnl_memory_desc_t md;
    return keep(out, dnnl_memory_desc_init_by_tag(&md, rank, dims, type, tag), &md);
}

dnnl_status_t gig_md_by_strides(void **out, int rank, const int64_t *dims, dnnl_data_type_t type,
                                const int64_t *strides)
{
    dnnl_memory_desc_t md;
    return keep(out, dnnl_memory_desc_init_by_strides(&md, rank, dims, type, strides), &md);
}

dnnl_status_t gig_md_part(void **out, const void *whole, const int64_t *dims, const int64_t *offsets)
{
    dnnl_memory_desc_t md;
    return keep(out, dnnl_memory_desc_init_submemory(&md, seen(whole), dims, offsets), &md);
}

dnnl_status_t gig_md_copy(void **out, const void *md)
{
    return keep(out, dnnl_success, seen(md));
}

void gig_md_free(void *md)
{
    gig_free(md);
}

void gig_md_look(gig_md_facts *out, const void *handle)
{
    const dnnl_memory_desc_t *md = seen(handle);
    const dnnl_blocking_desc_t *blocking = &md->format_desc.blocking;
    *out = (gig_md_facts){.rank = md->ndims,
                          .blocked = md->format_kind == dnnl_blocked,
                          .type = md->data_type,
                          .bytes = dnnl_memory_desc_get_size(md)};
    memcpy(out->dims, md->dims, sizeof out->dims);
    memcpy(out->padded_dims, md->padded_dims, sizeof out->padded_dims);
    if (!out->blocked) return;
    memcpy(out->strides, blocking->strides, sizeof out->strides);
    out->inner_count = blocking->inner_nblks;
    out->inner_axis = (int)blocking->inner_idxs[0];
    out->inner_size = (int)blocking->inner_blks[0];
}

/* ---- primitives ---- */

dnnl_status_t gig_pd_convolution(dnnl_primitive_desc_t *out, dnnl_engine_t engine, const gig_geometry *g,
                                 gig_pd_memory of, dnnl_primitive_attr_t attr)
{
    dnnl_convolution_desc_t desc;
    dnnl_status_t status = dnnl_dilated_convolution_forward_desc_init(
        &desc, dnnl_forward_inference, dnnl_convolution_direct, seen(of.src), seen(of.weights), seen(of.bias),
        seen(of.dst), g->strides, g->dilates, g->pad_begin, g->pad_end);
    return status ? status : dnnl_primitive_desc_create(out, &desc, attr, engine, NULL);
}

dnnl_status_t gig_pd_convolution_gradient(dnnl_primitive_desc_t *out, dnnl_engine_t engine, const gig_geometry *g,
                                          gig_pd_memory of, dnnl_primitive_desc_t hint, dnnl_primitive_attr_t attr)
{
    dnnl_convolution_desc_t desc;
    dnnl_status_t status = dnnl_dilated_convolution_backward_data_desc_init(
        &desc, dnnl_convolution_direct, seen(of.src), seen(of.weights), seen(of.dst), g->strides, g->dilates,
        g->pad_begin, g->pad_end);
    return status ? status : dnnl_primitive_desc_create(out, &desc, attr, engine, hint);
}

dnnl_status_t gig_pd_pooling(dnnl_primitive_desc_t *out, dnnl_engine_t engine, const gig_pooling *p,
                             dnnl_alg_kind_t kind, gig_pd_memory of, dnnl_primitive_attr_t attr)
{
    dnnl_pooling_v2_desc_t desc;
    dnnl_prop_kind_t use = p->is_max ? dnnl_forward_training : dnnl_forward_inference;
    dnnl_status_t status = dnnl_pooling_v2_forward_desc_init(&desc, use, kind, seen(of.src), seen(of.dst), p->strides,
                                                             p->kernel, p->dilates, p->pad_begin, p->pad_end);
    return status ? status : dnnl_primitive_desc_create(out, &desc, attr, engine, NULL);
}

dnnl_status_t gig_pd_pooling_gradient(dnnl_primitive_desc_t *out, dnnl_engine_t engine, const gig_pooling *p,
                                      dnnl_alg_kind_t kind, gig_pd_memory of, dnnl_primitive_desc_t hint,
                                      dnnl_primitive_attr_t attr)
{
    dnnl_pooling_v2_desc_t desc;
    dnnl_status_t status = dnnl_pooling_v2_backward_desc_init(&desc, kind, seen(of.src), seen(of.dst), p->strides,
                                                              p->kernel, p->dilates, p->pad_begin, p->pad_end);
    return status ? status : dnnl_primitive_desc_create(out, &desc, attr, engine, hint);
}

dnnl_status_t gig_pd_product(dnnl_primitive_desc_t *out, dnnl_engine_t engine, const void *a, const void *b,
                             const void *c, dnnl_primitive_attr_t attr)
{
    dnnl_matmul_desc_t desc;
    dnnl_status_t status = dnnl_matmul_desc_init(&desc, seen(a), seen(b), NULL, seen(c));
    return status ? status : dnnl_primitive_desc_create(out, &desc, attr, engine, NULL);
}

dnnl_status_t gig_post_sum(dnnl_post_ops_t ops)
{
    return dnnl_post_ops_append_sum(ops, 1.0f);
}

dnnl_status_t gig_post_relu(dnnl_post_ops_t ops)
{
    return dnnl_post_ops_append_eltwise(ops, 1.0f, dnnl_eltwise_relu, 0.0f, 0.0f);
}
