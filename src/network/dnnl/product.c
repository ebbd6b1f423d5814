/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products: as primitives with packed weights, and on plain memory. */
#include "network/dnnl/version.h"

static dnnl_status_t attr_of(dnnl_primitive_attr_t *out, int add)
{
    dnnl_post_ops_t ops = NULL;
    dnnl_status_t status = gig_attr_create(out);
    if (status || !add) return status;
    status = dnnl_post_ops_create(&ops);
    if (!status) status = gig_post_sum(ops);
    if (!status) status = dnnl_primitive_attr_set_post_ops(*out, ops);
    if (ops) dnnl_post_ops_destroy(ops);
    return status;
}

gig_status gig_product_create(gig_primitive **out, gig_onednn *engine, const gig_product_sizes *p)
{
    static const gig_argument arguments[] = {GIG_ARG_SRC, GIG_ARG_WEIGHTS, GIG_ARG_DST};
    const int64_t a_dims[GIG_LAYOUT_RANK] = {p->rows, p->depth}, b_dims[GIG_LAYOUT_RANK] = {p->depth, p->columns},
                  c_dims[GIG_LAYOUT_RANK] = {p->rows, p->columns};
    dnnl_primitive_desc_t pd = NULL;
    dnnl_primitive_attr_t attr = NULL;
    void *a = NULL, *b = NULL, *c = NULL;
    *out = NULL;
    dnnl_status_t status = gig_md_by_tag(&a, 2, a_dims, gig_dnnl_type(p->type), dnnl_ab);
    if (!status)
        status = gig_md_by_tag(&b, 2, b_dims, gig_dnnl_type(p->type), p->plain ? dnnl_ab : dnnl_format_tag_any);
    if (!status) status = gig_md_by_tag(&c, 2, c_dims, dnnl_f32, dnnl_ab);
    if (!status) status = attr_of(&attr, p->add);
    if (!status) status = gig_pd_product(&pd, engine->handle, a, b, c, attr);
    if (attr) dnnl_primitive_attr_destroy(attr);
    gig_md_free(a);
    gig_md_free(b);
    gig_md_free(c);
    if (status == dnnl_out_of_memory) return gig_dnnl_check(status, "matrix product");
    if (status) return GIG_OK;
    if (gig_pd_is_slow(pd)) {
        dnnl_primitive_desc_destroy(pd);
        return GIG_OK;
    }
    return gig_primitive_adopt(out, engine, pd, 3, arguments);
}

gig_status gig_matrix_product(const gig_gemm *of)
{
    const gig_matrix *a = &of->a, *b = &of->b;
    if (!of->m || !of->n) return GIG_OK;
    if (!of->k) {
        for (int64_t i = 0; i < of->m; i++) {
            float *row = of->c + i * of->c_row;
            for (int64_t j = 0; j < of->n; j++) row[j] = of->beta == 0.0f ? 0.0f : row[j] * of->beta;
        }
        return GIG_OK;
    }
    GIG_DNNL(dnnl_sgemm(a->transposed ? 'T' : 'N', b->transposed ? 'T' : 'N', of->m, of->n, of->k, of->alpha, a->data,
                        a->row, b->data, b->row, of->beta, of->c, of->c_row));
    return GIG_OK;
}
