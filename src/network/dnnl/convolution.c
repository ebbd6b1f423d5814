/* SPDX-License-Identifier: Apache-2.0 */
#include "network/dnnl/version.h"
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
    const int64_t per_group = w->in_channels / w->group;
    g->flops = 2.0 * (double)w->batch * (double)w->out_channels * (double)per_group;
    for (int i = 0; i < w->spatial; i++) {
        g->src[2 + i] = w->in[i];
        g->dst[2 + i] = w->out[i];
        g->weights[k + i] = w->kernel[i];
        g->strides[i] = w->stride[i];
        g->dilates[i] = w->dilation[i] - 1;
        g->pad_begin[i] = w->pad_begin[i];
        /* the padding that gives oneDNN's output size if the stride does not divide */
        g->pad_end[i] =
            (w->out[i] - 1) * w->stride[i] + (w->kernel[i] - 1) * w->dilation[i] + 1 - w->in[i] - w->pad_begin[i];
        if (w->out[i] == 1 && g->pad_end[i] < 0) { /* oneDNN cannot crop around a single position: skip it */
            g->strides[i] -= g->pad_end[i];
            g->pad_end[i] = 0;
        }
        g->flops *= (double)(w->out[i] * w->kernel[i]);
    }
}

/* ---- forward ---- */

/* Layouts to try; NULL: oneDNN chooses. */
typedef struct layouts {
    const gig_layout *src, *dst;
} layouts;

static dnnl_status_t attr_of(dnnl_primitive_attr_t *out, unsigned with)
{
    dnnl_post_ops_t ops = NULL;
    dnnl_status_t status = gig_attr_create(out);
    if (!status) status = dnnl_post_ops_create(&ops);
    if (!status && with & GIG_WITH_ADD) status = gig_post_sum(ops);
    if (!status && with & GIG_WITH_RELU) status = gig_post_relu(ops);
    if (!status) status = dnnl_primitive_attr_set_post_ops(*out, ops);
    if (ops) dnnl_post_ops_destroy(ops);
    return status;
}

/* Keeps a description if it exists and is fast enough; else *out is NULL. Fails only if memory runs out. */
static gig_status judge(dnnl_primitive_desc_t *out, dnnl_status_t status, int slow)
{
    if (status == dnnl_out_of_memory) return gig_dnnl_check(status, "convolution");
    if (status) *out = NULL;
    if (*out && !slow && gig_pd_is_slow(*out)) {
        dnnl_primitive_desc_destroy(*out);
        *out = NULL;
    }
    return GIG_OK;
}

/* *out NULL if there is none, or only a slow reference and `slow` is not allowed. */
static gig_status forward_pd(dnnl_primitive_desc_t *out, const gig_onednn *engine, const gig_geometry *g, layouts as,
                             gig_number type, unsigned with, int slow)
{
    dnnl_primitive_attr_t attr = NULL;
    void *src = NULL, *dst = NULL, *weights = NULL, *bias = NULL;
    *out = NULL;
    dnnl_status_t status = attr_of(&attr, with);
    if (!status && !as.src) status = gig_md_any(&src, g->rank, g->src, type);
    if (!status && !as.dst) status = gig_md_any(&dst, g->rank, g->dst, GIG_NUMBER_F32);
    if (!status) status = gig_md_any(&weights, g->weights_rank, g->weights, type);
    if (!status && with & GIG_WITH_BIAS) status = gig_md_by_tag(&bias, 1, g->bias, dnnl_f32, dnnl_a);
    const gig_pd_memory of = {as.src ? as.src->handle : src, weights, bias, as.dst ? as.dst->handle : dst};
    if (!status) status = gig_pd_convolution(out, engine->handle, g, of, attr);
    if (attr) dnnl_primitive_attr_destroy(attr);
    gig_md_free(src);
    gig_md_free(dst);
    gig_md_free(weights);
    gig_md_free(bias);
    return judge(out, status, slow);
}

static gig_status adopt_forward(gig_primitive **out, gig_onednn *engine, const gig_geometry *g,
                                dnnl_primitive_desc_t pd, unsigned with)
{
    static const gig_argument arguments[] = {GIG_ARG_SRC, GIG_ARG_WEIGHTS, GIG_ARG_DST};
    GIG_TRY(gig_primitive_adopt(out, engine, pd, 3, arguments));
    return with & GIG_WITH_BIAS ? gig_layout_dense(&(*out)->layouts[GIG_ARG_BIAS], engine, 1, g->bias) : GIG_OK;
}

/* Is the data in blocks of another size, or channels last? Row-major data belongs to the matrix-product version and is
 * as good as any. */
static int in_another_order(const_dnnl_primitive_desc_t pd, dnnl_query_t query, int block)
{
    gig_md_facts facts;
    gig_md_look(&facts, gig_pd_md(pd, query));
    if (!facts.blocked || facts.inner_count > 1) return 1;
    if (facts.inner_count) return facts.inner_axis != 1 || facts.inner_size != block;
    int64_t cells = 1;
    for (int i = 2; i < facts.rank; i++) cells *= facts.dims[i];
    return facts.dims[1] > 1 && cells > 1 && facts.strides[1] == 1;
}

/* The same layout with the wanted block size, if it exists. */
static void replace(dnnl_primitive_desc_t *pd, dnnl_primitive_desc_t wanted)
{
    if (!wanted) return;
    if (*pd) dnnl_primitive_desc_destroy(*pd);
    *pd = wanted;
}

/* By itself oneDNN chooses channels-last for one direction and blocks for the other on CPUs with AVX-512; the mismatch
 * costs reorders and a slow plain product. */
static gig_status keep_in_blocks(dnnl_primitive_desc_t *pd, gig_onednn *engine, const gig_geometry *g, gig_number type,
                                 unsigned with, const gig_layout *present)
{
    dnnl_primitive_desc_t blocked;
    layouts as = {present, NULL};
    int few = g->src[1] < 8, block = engine->block;
    if (!block || !*pd || g->rank < 3) return GIG_OK;
    if (!in_another_order(*pd, dnnl_query_dst_md, block) && (few || !in_another_order(*pd, dnnl_query_src_md, block)))
        return GIG_OK;
    if (!few) GIG_TRY(gig_layout_blocked(&as.src, engine, g->rank, g->src, block));
    if (gig_layout_with_type(&as.src, engine, as.src, type) != GIG_OK) return GIG_OK;
    GIG_TRY(gig_layout_blocked(&as.dst, engine, g->rank, g->dst, block));
    GIG_TRY(forward_pd(&blocked, engine, g, as, type, with, 0));
    replace(pd, blocked);
    return GIG_OK;
}

/* Layouts, best first: the picture as it is (few channels), oneDNN's choice, row-major (its matrix-product version). */
gig_status gig_convolution_forward(gig_primitive **out, gig_onednn *engine, const gig_geometry *g, gig_number type,
                                   unsigned with, const gig_layout *present, const gig_layout *dst)
{
    *out = NULL;
    layouts as = {NULL, dst};
    dnnl_primitive_desc_t pd = NULL;
    if (g->src[1] < 8 && gig_layout_with_type(&as.src, engine, present, type) == GIG_OK)
        GIG_TRY(forward_pd(&pd, engine, g, as, type, with, 0));
    as.src = NULL;
    if (!pd) GIG_TRY(forward_pd(&pd, engine, g, as, type, with, 0));
    if (!dst) GIG_TRY(keep_in_blocks(&pd, engine, g, type, with, present));
    if (!pd && type == GIG_NUMBER_F32) {
        GIG_TRY(gig_layout_dense(&as.src, engine, g->rank, g->src));
        if (!dst) GIG_TRY(gig_layout_dense(&as.dst, engine, g->rank, g->dst));
        GIG_TRY(forward_pd(&pd, engine, g, as, type, with, 0));
        if (!pd) GIG_TRY(forward_pd(&pd, engine, g, as, type, with, 1));
    }
    return pd ? adopt_forward(out, engine, g, pd, with) : GIG_OK;
}

/* ---- backward ---- */

static gig_status backward_pd(dnnl_primitive_desc_t *out, const gig_onednn *engine, const gig_geometry *g, layouts as,
                              int slow)
{
    gig_number type = as.dst->type;
    dnnl_primitive_desc_t hint;
    dnnl_primitive_attr_t attr = NULL;
    void *src = NULL, *weights = NULL;
    *out = NULL;
    GIG_TRY(forward_pd(&hint, engine, g, (layouts){NULL, as.dst}, type, 0, 1));
    if (!hint) return GIG_OK;
    dnnl_status_t status = gig_attr_create(&attr);
    if (!status && !as.src) status = gig_md_any(&src, g->rank, g->src, GIG_NUMBER_F32);
    if (!status) status = gig_md_any(&weights, g->weights_rank, g->weights, type);
    const gig_pd_memory of = {.src = as.src ? as.src->handle : src, .weights = weights, .dst = as.dst->handle};
    if (!status) status = gig_pd_convolution_gradient(out, engine->handle, g, of, hint, attr);
    if (attr) dnnl_primitive_attr_destroy(attr);
    gig_md_free(src);
    gig_md_free(weights);
    dnnl_primitive_desc_destroy(hint);
    return judge(out, status, slow);
}

static gig_status keep_gradient_in_blocks(dnnl_primitive_desc_t *pd, gig_onednn *engine, const gig_geometry *g,
                                          layouts as)
{
    dnnl_primitive_desc_t blocked;
    if (!*pd || g->src[1] < 8 || as.dst->channel_block != engine->block || !engine->block) return GIG_OK;
    if (!in_another_order(*pd, dnnl_query_diff_src_md, engine->block)) return GIG_OK;
    GIG_TRY(gig_layout_blocked(&as.src, engine, g->rank, g->src, engine->block));
    GIG_TRY(backward_pd(&blocked, engine, g, as, 0));
    replace(pd, blocked);
    return GIG_OK;
}

static gig_status adopt_backward(gig_convolution_gradient *out, gig_onednn *engine, dnnl_primitive_desc_t pd)
{
    static const gig_argument arguments[] = {GIG_ARG_DIFF_SRC, GIG_ARG_WEIGHTS, GIG_ARG_DIFF_DST};
    return gig_primitive_adopt(&out->primitive, engine, pd, 3, arguments);
}

/* Few input channels have no fast kernel for large windows: widen them to one block, with weights of zero. The memory
 * of [n,3,h,w] in blocks of 8 is that of [n,8,h,w], so only the weights change. */
static gig_status widen(gig_geometry *g, gig_tensor *wide, const gig_tensor *weights, int64_t channels)
{
    int64_t dims[GIG_MAX_RANK], narrow = g->src[1];
    memcpy(dims, weights->dims, sizeof dims);
    dims[1] = channels;
    GIG_TRY(gig_tensor_create(wide, GIG_FLOAT32, weights->rank, dims));
    size_t window = gig_tensor_count(wide) / (size_t)(dims[0] * channels);
    for (int64_t o = 0; o < dims[0]; o++)
        memcpy(wide->real + (size_t)(o * channels) * window, weights->real + (size_t)(o * narrow) * window,
               (size_t)narrow * window * sizeof(float));
    g->src[1] = g->weights[1] = channels;
    return GIG_OK;
}

static gig_status try_widened(gig_convolution_gradient *out, gig_onednn *engine, const gig_tensor *weights,
                              const gig_layout *dst, int block)
{
    gig_geometry narrow = out->g;
    GIG_TRY(widen(&out->g, &out->wide, weights, block));
    dnnl_primitive_desc_t pd;
    gig_status status = backward_pd(&pd, engine, &out->g, (layouts){NULL, dst}, 0);
    if (status == GIG_OK && pd) status = adopt_backward(out, engine, pd);
    if (out->primitive && out->primitive->layouts[GIG_ARG_DIFF_SRC]->channel_block == block) return GIG_OK;
    gig_tensor_clear(&out->wide);
    out->g = narrow;
    out->primitive = NULL;
    return status;
}

gig_status gig_convolution_backward(gig_convolution_gradient *out, gig_onednn *engine, const gig_geometry *g,
                                    const gig_tensor *weights, gig_number type, const gig_layout *present)
{
    *out = (gig_convolution_gradient){.g = *g};
    layouts as = {NULL, NULL};
    dnnl_primitive_desc_t pd = NULL;
    if (gig_layout_with_type(&as.dst, engine, present, type) == GIG_OK) {
        GIG_TRY(backward_pd(&pd, engine, g, as, 0));
        GIG_TRY(keep_gradient_in_blocks(&pd, engine, g, as));
        if (pd) return adopt_backward(out, engine, pd);
        if (g->weights_rank == g->rank && present->channel_block > g->src[1])
            GIG_TRY(try_widened(out, engine, weights, as.dst, present->channel_block));
    }
    if (out->primitive || type != GIG_NUMBER_F32) return GIG_OK;
    out->plain_dst = 1;
    GIG_TRY(gig_layout_dense(&as.src, engine, g->rank, g->src));
    GIG_TRY(gig_layout_dense(&as.dst, engine, g->rank, g->dst));
    GIG_TRY(backward_pd(&pd, engine, g, as, 0));
    if (!pd) GIG_TRY(backward_pd(&pd, engine, g, as, 1));
    return pd ? adopt_backward(out, engine, pd)
              : gig_fail(GIG_EUNSUPPORTED, "oneDNN has no gradient for this convolution");
}
