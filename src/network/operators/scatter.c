/* SPDX-License-Identifier: Apache-2.0 */
/* ScatterElements, ScatterND: data with updates written at the places that indices name, or added to, multiplied with
 * or compared with what is there. */
#include "network/locate/places.h"
#include <inttypes.h>
#include <string.h>

typedef enum reduction { REPLACE, ADD, MULTIPLY, MAXIMUM, MINIMUM } reduction;

/* op->params; the address comes first. */
typedef struct scatter {
    gig_address address;
    reduction reduction;
} scatter;

/* ---- shapes ---- */

static gig_status read_reduction(reduction *out, const gig_op *op)
{
    const char *text = gig_node_string(op->node, "reduction", "none");
    static const char *const names[] = {"none", "add", "mul", "max", "min"};
    int known = op->node->opset >= 18 ? 5 : 3;
    for (int how = 0; how < known; how++)
        if (!strcmp(text, names[how])) {
            *out = (reduction)how;
            return GIG_OK;
        }
    return gig_fail(GIG_EUNSUPPORTED, "reduction \"%.40s\"", text);
}

static gig_status keep_scatter(scatter **out, gig_op *op, gig_addressing how)
{
    GIG_TRY(gig_op_expect_inputs(op, 3, 3));
    GIG_TRY(gig_op_expect_type(op, 1, GIG_INT64));
    GIG_TRY(gig_op_expect_type(op, 2, op->in[0]->type));
    *out = op->params = gig_alloc_zero(1, sizeof **out);
    if (!*out) return gig_alloc_status();
    (*out)->address.how = how;
    return read_reduction(&(*out)->reduction, op);
}

gig_status gig_scatter_elements_infer(gig_op *op)
{
    scatter *kept;
    GIG_TRY(keep_scatter(&kept, op, GIG_BY_ELEMENT));
    GIG_TRY(gig_op_axis(&kept->address.axis, gig_node_int(op->node, "axis", 0), op->in[0]->rank));
    GIG_TRY(gig_address_check(&kept->address, op->in[0], op->in[1]));
    if (!gig_same_dims(op->in[1], op->in[2])) return gig_fail(GIG_EFORMAT, "indices and updates differ in shape");
    return gig_op_same_output(op, 0, 0);
}

gig_status gig_scatter_nd_infer(gig_op *op)
{
    scatter *kept;
    GIG_TRY(keep_scatter(&kept, op, GIG_BY_COORDINATE));
    const gig_tensor *data = op->in[0], *indices = op->in[1], *updates = op->in[2];
    GIG_TRY(gig_address_check(&kept->address, data, indices));
    int lead = indices->rank - 1, depth = (int)indices->dims[lead];
    int fits = updates->rank == lead + data->rank - depth;
    for (int i = 0; fits && i < updates->rank; i++)
        fits = updates->dims[i] == (i < lead ? indices->dims[i] : data->dims[i - lead + depth]);
    if (!fits) return gig_fail(GIG_EFORMAT, "the updates' shape does not follow from data and indices");
    return gig_op_same_output(op, 0, 0);
}

/* ---- forward ---- */

static void scatter_reals(float *out, const float *updates, int64_t count, reduction how)
{
    for (int64_t i = 0; i < count; i++) {
        float a = out[i], b = updates[i];
        out[i] = how == ADD        ? a + b
                 : how == MULTIPLY ? a * b
                 : how == MAXIMUM  ? (b > a ? b : a)
                 : how == MINIMUM  ? (b < a ? b : a)
                                   : b;
    }
}

/* Sums and products wrap as unsigned ones do. */
static void scatter_wholes(int64_t *out, const int64_t *updates, int64_t count, reduction how)
{
    for (int64_t i = 0; i < count; i++) {
        int64_t a = out[i], b = updates[i];
        out[i] = how == ADD        ? (int64_t)((uint64_t)a + (uint64_t)b)
                 : how == MULTIPLY ? (int64_t)((uint64_t)a * (uint64_t)b)
                 : how == MAXIMUM  ? (b > a ? b : a)
                 : how == MINIMUM  ? (b < a ? b : a)
                                   : b;
    }
}

gig_status gig_scatter_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    const scatter *kept = op->params;
    gig_places places;
    GIG_TRY(gig_places_create(&places, &kept->address, in[0], in[1]));
    memcpy(out[0]->data, in[0]->data, gig_tensor_bytes(in[0]));
    for (int64_t j = 0; j < places.count; j++) {
        if (in[0]->type == GIG_FLOAT32)
            scatter_reals(out[0]->real + places.at[j], in[2]->real + j * places.run, places.run, kept->reduction);
        else
            scatter_wholes(out[0]->whole + places.at[j], in[2]->whole + j * places.run, places.run, kept->reduction);
    }
    gig_free(places.at);
    return GIG_OK;
}

/* ---- backward ---- */

/* Where the same place is written twice the last update stays, and it alone has a gradient. */
static gig_status replace_backward(const gig_places *places, const gig_tensor *data, const float *d, gig_tensor *d_data,
                                   gig_tensor *d_updates)
{
    size_t count = gig_tensor_count(data);
    int32_t *last = gig_alloc(count, sizeof *last); /* run that wrote the element, -1: none */
    if (!last) return gig_alloc_status();
    memset(last, 0xff, count * sizeof *last);
    for (int64_t j = 0; j < places->count; j++)
        for (int64_t i = 0; i < places->run; i++) last[places->at[j] + i] = (int32_t)j;
    for (size_t e = 0; d_data && e < count; e++) d_data->real[e] = last[e] < 0 ? d[e] : 0;
    for (int64_t j = 0; d_updates && j < places->count; j++)
        for (int64_t i = 0; i < places->run; i++) {
            int64_t e = places->at[j] + i;
            d_updates->real[j * places->run + i] = last[e] == j ? d[e] : 0;
        }
    gig_free(last);
    return GIG_OK;
}

static void add_backward(const gig_places *places, const float *d, gig_tensor *d_data, gig_tensor *d_updates)
{
    if (d_data) memcpy(d_data->real, d, gig_tensor_bytes(d_data));
    for (int64_t j = 0; d_updates && j < places->count; j++)
        memcpy(d_updates->real + j * places->run, d + places->at[j], (size_t)places->run * sizeof *d);
}

/* out = data * u1 * u2 ...: each factor's gradient is d times the product of the others, which stays right where a
 * factor is zero because zeros are counted apart. */
static gig_status multiply_backward(const gig_places *places, const gig_tensor *data, const gig_tensor *updates,
                                    const float *d, gig_tensor *d_data, gig_tensor *d_updates)
{
    size_t count = gig_tensor_count(data);
    double *product = gig_alloc(count, sizeof *product); /* of the updates other than 0 */
    int32_t *zeros = gig_alloc_zero(count, sizeof *zeros);
    gig_status status = product && zeros ? GIG_OK : gig_alloc_status();
    for (size_t e = 0; status == GIG_OK && e < count; e++) product[e] = 1;
    for (int64_t j = 0; status == GIG_OK && j < places->count * places->run; j++) {
        int64_t e = places->at[j / places->run] + j % places->run;
        if (updates->real[j] == 0)
            zeros[e]++;
        else
            product[e] *= updates->real[j];
    }
    for (size_t e = 0; status == GIG_OK && d_data && e < count; e++)
        d_data->real[e] = zeros[e] ? 0 : (float)(d[e] * product[e]);
    for (int64_t j = 0; status == GIG_OK && d_updates && j < places->count * places->run; j++) {
        int64_t e = places->at[j / places->run] + j % places->run;
        double u = updates->real[j];
        double others = zeros[e] == 0 ? product[e] / u : zeros[e] == 1 && u == 0 ? product[e] : 0;
        d_updates->real[j] = (float)(d[e] * data->real[e] * others);
    }
    gig_free(product);
    gig_free(zeros);
    return status;
}

/* The element that stayed has the gradient, shared evenly among equal ones (as PyTorch's scatter_reduce does). */
static gig_status extreme_backward(const gig_places *places, const gig_tensor *const *in, const float *kept,
                                   const float *d, gig_tensor *d_data, gig_tensor *d_updates)
{
    size_t count = gig_tensor_count(in[0]);
    int64_t written = places->count * places->run;
    const float *data = in[0]->real, *updates = in[2]->real;
    float *share = gig_alloc(count, sizeof *share);
    if (!share) return gig_alloc_status();
    for (size_t e = 0; e < count; e++) share[e] = data[e] == kept[e];
    for (int64_t j = 0; j < written; j++) {
        int64_t e = places->at[j / places->run] + j % places->run;
        share[e] += updates[j] == kept[e];
    }
    for (size_t e = 0; e < count; e++) share[e] = share[e] > 0 ? d[e] / share[e] : 0;
    for (size_t e = 0; d_data && e < count; e++) d_data->real[e] = data[e] == kept[e] ? share[e] : 0;
    for (int64_t j = 0; d_updates && j < written; j++) {
        int64_t e = places->at[j / places->run] + j % places->run;
        d_updates->real[j] = updates[j] == kept[e] ? share[e] : 0;
    }
    gig_free(share);
    return GIG_OK;
}

gig_status gig_scatter_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                                const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    const scatter *kept = op->params;
    const float *d = d_out[0]->real;
    gig_places places;
    GIG_TRY(gig_places_create(&places, &kept->address, in[0], in[1]));
    gig_status status = GIG_OK;
    if (kept->reduction == REPLACE) status = replace_backward(&places, in[0], d, d_in[0], d_in[2]);
    if (kept->reduction == ADD) add_backward(&places, d, d_in[0], d_in[2]);
    if (kept->reduction == MULTIPLY) status = multiply_backward(&places, in[0], in[2], d, d_in[0], d_in[2]);
    if (kept->reduction == MAXIMUM || kept->reduction == MINIMUM)
        status = extreme_backward(&places, in, out[0]->real, d, d_in[0], d_in[2]);
    gig_free(places.at);
    return status;
}
