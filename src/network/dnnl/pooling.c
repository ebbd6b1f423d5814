/* SPDX-License-Identifier: Apache-2.0 */
#include "network/dnnl/version.h"

static dnnl_alg_kind_t kind_of(const gig_pooling *p)
{
    if (p->is_max) return dnnl_pooling_max;
    return p->include_pad ? dnnl_pooling_avg_include_padding : dnnl_pooling_avg_exclude_padding;
}

/* *out NULL if oneDNN has none; only memory running out fails. */
static gig_status describe(dnnl_primitive_desc_t *out, const gig_onednn *engine, const gig_pooling *p,
                           const gig_layout *src)
{
    dnnl_primitive_attr_t attr = NULL;
    void *dst = NULL;
    *out = NULL;
    dnnl_status_t status = gig_md_any(&dst, p->rank, p->dst, GIG_NUMBER_F32);
    if (!status) status = gig_attr_create(&attr);
    const gig_pd_memory of = {.src = src->handle, .dst = dst};
    if (!status) status = gig_pd_pooling(out, engine->handle, p, kind_of(p), of, attr);
    if (attr) dnnl_primitive_attr_destroy(attr);
    gig_md_free(dst);
    if (status) *out = NULL;
    return status == dnnl_out_of_memory ? gig_dnnl_check(status, "pooling") : GIG_OK;
}

gig_status gig_pooling_forward(gig_primitive **out, gig_onednn *engine, const gig_pooling *p, const gig_layout *src)
{
    static const gig_argument arguments[] = {GIG_ARG_SRC, GIG_ARG_DST, GIG_ARG_WORKSPACE};
    *out = NULL;
    dnnl_primitive_desc_t pd;
    GIG_TRY(describe(&pd, engine, p, src));
    if (!pd) return GIG_OK;
    if (gig_pd_is_slow(pd)) {
        dnnl_primitive_desc_destroy(pd);
        return GIG_OK;
    }
    return gig_primitive_adopt(out, engine, pd, p->is_max ? 3 : 2, arguments);
}

gig_status gig_pooling_backward(gig_primitive **out, gig_onednn *engine, const gig_pooling *p, const gig_layout *src,
                                const gig_layout *dst)
{
    static const gig_argument arguments[] = {GIG_ARG_DIFF_SRC, GIG_ARG_DIFF_DST, GIG_ARG_WORKSPACE};
    *out = NULL;
    dnnl_primitive_desc_t hint, pd = NULL;
    GIG_TRY(describe(&hint, engine, p, src));
    if (!hint) return gig_fail(GIG_EINTERNAL, "pooling lost its forward descriptor");
    dnnl_primitive_attr_t attr = NULL;
    dnnl_status_t status = gig_attr_create(&attr);
    const gig_pd_memory of = {.src = src->handle, .dst = dst->handle};
    if (!status) status = gig_pd_pooling_gradient(&pd, engine->handle, p, kind_of(p), of, hint, attr);
    if (attr) dnnl_primitive_attr_destroy(attr);
    dnnl_primitive_desc_destroy(hint);
    GIG_TRY(gig_dnnl_check(status, "pooling gradient"));
    return gig_primitive_adopt(out, engine, pd, p->is_max ? 3 : 2, arguments);
}
