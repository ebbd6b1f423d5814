/* SPDX-License-Identifier: Apache-2.0 */
#include "network/dnnl/convolution.h"
#include <string.h>

void gig_geometry_of(gig_geometry *g, const gig_window *w)
{
    *g = (gig_geometry){.rank = w->spatial + 2, .weights_rank = w->spatial + 2 + (w->group > 1)};
    int k = 0;
    if (w->group > 1) g->weights[k++] = w->group;
    g->weights[k++] = w->out_channels / w->group;
    g->weights[k++] = w->in_channels / w->group;
    g->src[0] = g->dst[0] = w->batch;
    g->src[1] = w->in_channels;
    g->dst[1] = g->bias[0] = w->out_channels;
    g->flops = 2.0 * (double)w->batch * (double)w->out_channels * (double)(w->in_channels / w->group);
    for (int i = 0; i < w->spatial; i++) {
        g->src[2 + i] = w->in[i];
        g->dst[2 + i] = w->out[i];
        g->weights[k + i] = w->kernel[i];
        g->strides[i] = w->stride[i];
        g->dilates[i] = w->dilation[i] - 1;
        g->pad_begin[i] = w->pad_begin[i];
        /* what makes oneDNN's output size come out right when the stride does not divide */
        g->pad_end[i] =
            (w->out[i] - 1) * w->stride[i] + (w->kernel[i] - 1) * w->dilation[i] + 1 - w->in[i] - w->pad_begin[i];
        g->flops *= (double)(w->out[i] * w->kernel[i]);
    }
}

static dnnl_memory_desc_t md_any(int rank, const dnnl_dim_t *dims, dnnl_data_type_t type)
{
    dnnl_memory_desc_t md;
    dnnl_memory_desc_init_by_tag(&md, rank, dims, type, dnnl_format_tag_any);
    return md;
}

dnnl_memory_desc_t gig_md_dense(int rank, const dnnl_dim_t *dims, dnnl_data_type_t type)
{
    static const dnnl_format_tag_t tags[] = {0, dnnl_a, dnnl_ab, dnnl_abc, dnnl_abcd, dnnl_abcde, dnnl_abcdef};
    dnnl_memory_desc_t md;
    dnnl_memory_desc_init_by_tag(&md, rank, dims, type, tags[rank]);
    return md;
}

dnnl_memory_desc_t gig_md_with_type(const dnnl_memory_desc_t *md, dnnl_data_type_t type)
{
    dnnl_memory_desc_t same = *md;
    same.data_type = type;
    return same;
}

/* ---- forward ---- */

/* NULL when there is none, or only a slow reference and `slow` is not allowed. */
static dnnl_primitive_desc_t forward_pd(const gig_plan *plan, const gig_geometry *g, const dnnl_memory_desc_t *src,
                                        const dnnl_memory_desc_t *dst, int with_bias, dnnl_primitive_attr_t attr,
                                        int slow)
{
    dnnl_memory_desc_t weights = md_any(g->weights_rank, g->weights, src->data_type),
                       bias = gig_md_dense(1, g->bias, dnnl_f32);
    dnnl_convolution_desc_t desc;
    dnnl_primitive_desc_t pd = NULL;
    if (dnnl_dilated_convolution_forward_desc_init(&desc, dnnl_forward_inference, dnnl_convolution_direct, src,
                                                   &weights, with_bias ? &bias : NULL, dst, g->strides, g->dilates,
                                                   g->pad_begin, g->pad_end))
        return NULL;
    if (dnnl_primitive_desc_create(&pd, &desc, attr, plan->engine, NULL)) return NULL;
    if (!slow && gig_pd_is_slow(pd)) {
        dnnl_primitive_desc_destroy(pd);
        return NULL;
    }
    return pd;
}

/* Layouts, best first: the picture as it is (few channels), oneDNN's choice, row-major (its matrix-product version). */
dnnl_primitive_desc_t gig_convolution_forward(const gig_plan *plan, const gig_geometry *g, dnnl_data_type_t type,
                                              int bias, const dnnl_memory_desc_t *present,
                                              const dnnl_memory_desc_t *dst_md, dnnl_primitive_attr_t attr)
{
    dnnl_memory_desc_t as_is = gig_md_with_type(present, type), src = md_any(g->rank, g->src, type),
                       dst = dst_md ? *dst_md : md_any(g->rank, g->dst, dnnl_f32);
    dnnl_primitive_desc_t pd = NULL;
    if (g->src[1] < 8) pd = forward_pd(plan, g, &as_is, &dst, bias, attr, 0);
    if (!pd) pd = forward_pd(plan, g, &src, &dst, bias, attr, 0);
    if (pd || type != dnnl_f32) return pd;
    src = gig_md_dense(g->rank, g->src, type);
    if (!dst_md) dst = gig_md_dense(g->rank, g->dst, dnnl_f32);
    pd = forward_pd(plan, g, &src, &dst, bias, attr, 0);
    return pd ? pd : forward_pd(plan, g, &src, &dst, bias, attr, 1);
}

/* ---- backward ---- */

static dnnl_primitive_desc_t backward_pd(const gig_plan *plan, const gig_geometry *g, const dnnl_memory_desc_t *src,
                                         const dnnl_memory_desc_t *dst, int slow)
{
    dnnl_data_type_t type = dst->data_type;
    dnnl_memory_desc_t any_src = md_any(g->rank, g->src, type), weights = md_any(g->weights_rank, g->weights, type);
    dnnl_primitive_desc_t hint = forward_pd(plan, g, &any_src, dst, 0, NULL, 1), pd = NULL;
    if (!hint) return NULL;
    dnnl_convolution_desc_t desc;
    dnnl_primitive_attr_t attr = NULL;
    if (gig_attr_create(&attr) == GIG_OK &&
        !dnnl_dilated_convolution_backward_data_desc_init(&desc, dnnl_convolution_direct, src, &weights, dst,
                                                          g->strides, g->dilates, g->pad_begin, g->pad_end) &&
        dnnl_primitive_desc_create(&pd, &desc, attr, plan->engine, hint))
        pd = NULL;
    if (attr) dnnl_primitive_attr_destroy(attr);
    dnnl_primitive_desc_destroy(hint);
    if (pd && !slow && gig_pd_is_slow(pd)) {
        dnnl_primitive_desc_destroy(pd);
        return NULL;
    }
    return pd;
}

/* Few input channels have no fast kernel for large windows: widen them to one block, with weights of zero. The memory
 * of [n,3,h,w] in blocks of 8 is that of [n,8,h,w], so only the weights change. */
static gig_status widen(gig_geometry *g, gig_tensor *wide, const gig_tensor *weights, int64_t channels)
{
    int64_t dims[GIG_MAX_RANK], narrow = g->src[1];
    memcpy(dims, weights->dims, sizeof dims);
    dims[1] = channels;
    GIG_TRY(gig_tensor_create(wide, GIG_REAL, weights->rank, dims));
    size_t window = gig_tensor_count(wide) / (size_t)(dims[0] * channels);
    for (int64_t o = 0; o < dims[0]; o++)
        memcpy(wide->real + (size_t)(o * channels) * window, weights->real + (size_t)(o * narrow) * window,
               (size_t)narrow * window * sizeof(float));
    g->src[1] = g->weights[1] = channels;
    return GIG_OK;
}

static gig_status try_widened(gig_convolution_gradient *out, const gig_plan *plan, const gig_tensor *weights,
                              const dnnl_memory_desc_t *dst, int block)
{
    gig_geometry narrow = out->g;
    GIG_TRY(widen(&out->g, &out->wide, weights, block));
    dnnl_memory_desc_t src = md_any(out->g.rank, out->g.src, dnnl_f32);
    out->pd = backward_pd(plan, &out->g, &src, dst, 0);
    if (out->pd && gig_md_channel_block(dnnl_primitive_desc_query_md(out->pd, dnnl_query_diff_src_md, 0)) == block)
        return GIG_OK;
    if (out->pd) dnnl_primitive_desc_destroy(out->pd);
    gig_tensor_clear(&out->wide);
    out->g = narrow;
    out->pd = NULL;
    return GIG_OK;
}

gig_status gig_convolution_backward(gig_convolution_gradient *out, const gig_plan *plan, const gig_geometry *g,
                                    const gig_tensor *weights, dnnl_data_type_t type, const dnnl_memory_desc_t *dst_md)
{
    *out = (gig_convolution_gradient){.g = *g};
    dnnl_memory_desc_t src = md_any(g->rank, g->src, dnnl_f32), dst = gig_md_with_type(dst_md, type);
    out->pd = backward_pd(plan, g, &src, &dst, 0);
    int block = gig_md_channel_block(dst_md);
    if (!out->pd && g->weights_rank == g->rank && block > g->src[1])
        GIG_TRY(try_widened(out, plan, weights, &dst, block));
    if (out->pd || type != dnnl_f32) return GIG_OK;
    out->plain_dst = 1;
    src = gig_md_dense(g->rank, g->src, dnnl_f32);
    dst = gig_md_dense(g->rank, g->dst, dnnl_f32);
    out->pd = backward_pd(plan, g, &src, &dst, 0);
    if (!out->pd) out->pd = backward_pd(plan, g, &src, &dst, 1);
    return out->pd ? GIG_OK : gig_fail(GIG_EUNSUPPORTED, "oneDNN has no gradient for this convolution");
}

gig_status gig_md_narrowed(dnnl_memory_desc_t *md, const gig_geometry *g)
{
    static const dnnl_format_tag_t tags[2][3] = {{dnnl_nCw8c, dnnl_nChw8c, dnnl_nCdhw8c},
                                                 {dnnl_nCw16c, dnnl_nChw16c, dnnl_nCdhw16c}};
    dnnl_format_tag_t tag = tags[gig_md_channel_block(md) == 16][g->rank - 3];
    GIG_DNNL(dnnl_memory_desc_init_by_tag(md, g->rank, g->src, dnnl_f32, tag));
    return GIG_OK;
}
