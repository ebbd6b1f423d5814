/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic of two operands with broadcasting: Add, Sub, Mul, Div, Mod, Pow, BitShift, BitwiseAnd, Or, Xor.
 * Integers wrap as their ONNX type does; an integer division by 0 is an error. */
#include "network/locate/row_loops.h"
#include "network/operators/integers.h"
#include <math.h>
#include <string.h>

static gig_status apply_rows(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out, gig_real_row *real,
                             gig_whole_row *whole)
{
    gig_rows rows;
    for (gig_op_rows(&rows, op, 0, 2); !rows.done; gig_rows_next(&rows)) {
        const int64_t *at = rows.offset, *step = rows.step;
        if (in[0]->type == GIG_FLOAT32 && real) /* none where infer refuses floats */
            real(out[0]->real + rows.at, in[0]->real + at[0], step[0], in[1]->real + at[1], step[1], rows.length);
        else
            whole(out[0]->whole + rows.at, in[0]->whole + at[0], step[0], in[1]->whole + at[1], step[1], rows.length);
    }
    if (in[0]->type == GIG_INT64) gig_wholes_wrap(out[0]->whole, gig_tensor_count(out[0]), op->out_onnx[0]);
    return GIG_OK;
}

/* Whether every row of the output belongs to one element of input i and to no other's. */
static int rows_are_elements(const gig_rows *rows, size_t i)
{
    for (int m = 1; m < rows->rank; m++)
        if (!rows->stride[i][m]) return 0;
    return rows->step[i] == 0;
}

/* d_in[i] = d_out * slope, summed over what input i was broadcast along. */
static gig_status differentiate(const gig_op *op, const gig_tensor *const *in, const gig_tensor *d_out,
                                gig_tensor *d_in, size_t i, gig_slope_row *slope)
{
    gig_rows rows;
    size_t count = gig_tensor_count(d_out);
    if (!d_in) return GIG_OK;
    gig_op_rows(&rows, op, 0, 2);
    int whole = gig_tensor_count(d_in) == count, by_row = !whole && count && rows_are_elements(&rows, i);
    float *full = whole ? d_in->real : gig_alloc(by_row ? (size_t)rows.length : count, sizeof *full);
    if (!full) return gig_alloc_status();
    for (; !rows.done; gig_rows_next(&rows)) {
        slope(by_row ? full : full + rows.at, d_out->real + rows.at, in[0]->real + rows.offset[0], rows.step[0],
              in[1]->real + rows.offset[1], rows.step[1], rows.length);
        if (by_row) d_in->real[rows.offset[i]] = (float)gig_sum(full, rows.length);
    }
    if (whole) return GIG_OK;
    if (!by_row) gig_op_reduce_to(op, d_in, full, i);
    gig_free(full);
    return GIG_OK;
}

#define BACKWARD(name)                                                                                                 \
    static gig_status name##_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,     \
                                      const gig_tensor *const *d_out, gig_tensor *const *d_in)                         \
    {                                                                                                                  \
        (void)out;                                                                                                     \
        GIG_TRY(differentiate(op, in, d_out[0], d_in[0], 0, name##_by_left));                                          \
        return differentiate(op, in, d_out[0], d_in[1], 1, name##_by_right);                                           \
    }

/* ---- Add, Sub ---- */

GIG_ROW(add_real, float, float, x + y)
GIG_ROW(add_whole, int64_t, int64_t, (uint64_t)x + (uint64_t)y)
GIG_ROW(sub_real, float, float, x - y)
GIG_ROW(sub_whole, int64_t, int64_t, (uint64_t)x - (uint64_t)y)

static gig_status add_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    return apply_rows(op, in, out, add_real, add_whole);
}

static gig_status add_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                               const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    (void)in, (void)out;
    for (size_t i = 0; i < 2; i++)
        if (d_in[i]) gig_op_reduce_to(op, d_in[i], d_out[0]->real, i);
    return GIG_OK;
}

static gig_status sub_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    return apply_rows(op, in, out, sub_real, sub_whole);
}

static gig_status sub_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                               const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    GIG_TRY(add_backward(op, in, out, d_out, d_in));
    for (size_t k = 0, count = d_in[1] ? gig_tensor_count(d_in[1]) : 0; k < count; k++)
        d_in[1]->real[k] = -d_in[1]->real[k];
    return GIG_OK;
}

/* ---- Mul, Div ---- */

GIG_ROW(mul_real, float, float, (x) * (y))
GIG_ROW(mul_whole, int64_t, int64_t, ((uint64_t)x) * ((uint64_t)y))
GIG_SLOPE_ROW(mul_by_left, ((void)x, y))
GIG_SLOPE_ROW(mul_by_right, ((void)y, x))
BACKWARD(mul)

static gig_status mul_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    return apply_rows(op, in, out, mul_real, mul_whole);
}

/* Towards 0; the one quotient that overflows wraps. */
GIG_ROW(div_real, float, float, x / y)
GIG_ROW(div_whole, int64_t, int64_t, y == -1 ? 0 - (uint64_t)x : (uint64_t)(x / y))
GIG_SLOPE_ROW(div_by_left, ((void)x, 1 / y))
GIG_SLOPE_ROW(div_by_right, -(x / y) / y) /* y y may be 0 or infinite where this is not */
BACKWARD(div)

static gig_status refuse_zero_divisor(const gig_op *op, const gig_tensor *divisor)
{
    if (divisor->type != GIG_INT64) return GIG_OK;
    for (size_t k = 0, count = gig_tensor_count(divisor); k < count; k++)
        if (divisor->whole[k] == 0) return gig_fail(GIG_ENUMERIC, "%s: division by 0", op->row->name);
    return GIG_OK;
}

static gig_status div_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    GIG_TRY(refuse_zero_divisor(op, in[1]));
    return apply_rows(op, in, out, div_real, div_whole);
}

/* ---- Mod: fmod = 0 takes the divisor's sign (integers only), fmod = 1 the dividend's ---- */

static int64_t modulo(int64_t x, int64_t y)
{
    int64_t rest = y == -1 ? 0 : x % y;
    return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}
GIG_ROW(fmod_real, float, float, fmodf(x, y))
GIG_ROW(mod_whole, int64_t, int64_t, modulo(x, y))
GIG_ROW(fmod_whole, int64_t, int64_t, y == -1 ? 0 : x % y)
GIG_SLOPE_ROW(mod_by_left, ((void)x, (void)y, 1))
GIG_SLOPE_ROW(mod_by_right, -truncf(x / y))
BACKWARD(mod)

static gig_status mod_infer(gig_op *op)
{
    GIG_TRY(gig_op_infer_binary(op));
    if (op->in[0]->type == GIG_FLOAT32 && !gig_node_int(op->node, "fmod", 0))
        return gig_fail(GIG_EFORMAT, "Mod: floats need fmod = 1");
    return GIG_OK;
}

static gig_status mod_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    GIG_TRY(refuse_zero_divisor(op, in[1]));
    return apply_rows(op, in, out, fmod_real, gig_node_int(op->node, "fmod", 0) ? fmod_whole : mod_whole);
}

/* ---- Pow: since opset 12 base and exponent may be of different types; the result has the base's ---- */

static gig_status pow_infer(gig_op *op)
{
    return op->node->opset < 12 ? gig_op_infer_binary(op) : gig_op_infer_binary_dims(op);
}

static int64_t whole_power(int64_t base, int64_t exponent)
{
    uint64_t result = 1, square = (uint64_t)base;
    if (exponent < 0) return gig_whole_from_real(pow((double)base, (double)exponent));
    for (; exponent; exponent >>= 1, square *= square)
        if (exponent & 1) result *= square;
    return (int64_t)result;
}

static double power(const gig_tensor *base, int64_t i, const gig_tensor *exponent, int64_t j)
{
    double x = base->type == GIG_FLOAT32 ? (double)base->real[i] : (double)base->whole[i];
    double y = exponent->type == GIG_FLOAT32 ? (double)exponent->real[j] : (double)exponent->whole[j];
    return pow(x, y);
}

static gig_status pow_mixed(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    gig_rows rows;
    for (gig_op_rows(&rows, op, 0, 2); !rows.done; gig_rows_next(&rows))
        for (int64_t k = 0; k < rows.length; k++) {
            int64_t i = rows.offset[0] + k * rows.step[0], j = rows.offset[1] + k * rows.step[1];
            double value = power(in[0], i, in[1], j);
            if (in[0]->type == GIG_FLOAT32)
                out[0]->real[rows.at + k] = (float)value;
            else
                out[0]->whole[rows.at + k] = gig_whole_from_real(value);
        }
    if (in[0]->type == GIG_INT64) gig_wholes_wrap(out[0]->whole, gig_tensor_count(out[0]), op->out_onnx[0]);
    return GIG_OK;
}

/* The powers that files ask for most need no logarithm. */
GIG_ROW(pow_real, float, float, y == 2 ? x * x : y == 3 ? x * x * x : powf(x, y))
GIG_ROW(pow_whole, int64_t, int64_t, whole_power(x, y))
/* d x^y / dx = y x^(y-1), 0 for y = 0; d x^y / dy = x^y log x, 0 for x = 0 and y >= 0. */
GIG_SLOPE_ROW(pow_by_left, y == 0 ? 0 : y == 2 ? 2 * x : y == 3 ? 3 * x * x : y * powf(x, y - 1))
GIG_SLOPE_ROW(pow_by_right, x == 0 && y >= 0 ? 0 : powf(x, y) * logf(x))

static gig_status pow_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    if (in[0]->type != in[1]->type) return pow_mixed(op, in, out);
    return apply_rows(op, in, out, pow_real, pow_whole);
}

static gig_status pow_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                               const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    gig_tensor exponent = {0};
    const gig_tensor *operands[2] = {in[0], in[1]};
    gig_status status = GIG_OK;
    (void)out;
    if (in[1]->type == GIG_INT64) {
        GIG_TRY(gig_tensor_create(&exponent, GIG_FLOAT32, in[1]->rank, in[1]->dims));
        for (size_t k = 0, count = gig_tensor_count(in[1]); k < count; k++) exponent.real[k] = (float)in[1]->whole[k];
        operands[1] = &exponent;
    }
    GIG_TRY_DONE(differentiate(op, operands, d_out[0], d_in[0], 0, pow_by_left));
    GIG_TRY_DONE(differentiate(op, operands, d_out[0], d_in[1], 1, pow_by_right));
done:
    gig_tensor_clear(&exponent);
    return status;
}

/* ---- BitShift of unsigned numbers ---- */

GIG_ROW(shift_left, int64_t, int64_t, (uint64_t)y > 63 ? 0 : (uint64_t)x << y)
GIG_ROW(shift_right, int64_t, int64_t, (uint64_t)y > 63 ? 0 : (uint64_t)x >> y)

static gig_status shift_infer(gig_op *op)
{
    const char *direction = gig_node_string(op->node, "direction", "");
    if (strcmp(direction, "LEFT") && strcmp(direction, "RIGHT"))
        return gig_fail(GIG_EFORMAT, "BitShift: direction must be LEFT or RIGHT");
    GIG_TRY(gig_op_infer_binary(op));
    return gig_op_expect_type(op, 0, GIG_INT64);
}

static gig_status shift_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    int left = !strcmp(gig_node_string(op->node, "direction", ""), "LEFT");
    return apply_rows(op, in, out, NULL, left ? shift_left : shift_right);
}

/* ---- bit by bit ---- */

GIG_ROW(bits_and, int64_t, int64_t, x &y)
GIG_ROW(bits_or, int64_t, int64_t, x | y)
GIG_ROW(bits_xor, int64_t, int64_t, x ^ y)

static gig_status bits_infer(gig_op *op)
{
    GIG_TRY(gig_op_infer_binary(op));
    return gig_op_expect_type(op, 0, GIG_INT64);
}

#define BITS_FORWARD(name)                                                                                             \
    static gig_status name##_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)            \
    {                                                                                                                  \
        return apply_rows(op, in, out, NULL, name);                                                                    \
    }
BITS_FORWARD(bits_and)
BITS_FORWARD(bits_or)
BITS_FORWARD(bits_xor)

const gig_operator gig_operators_arithmetic[] = {
    {"Add", 1, 0, GIG_OP_ELEMENTWISE, GIG_NEEDS_NOTHING, gig_op_infer_binary, add_forward, add_backward,
     .fast = &gig_fast_add, .kind = GIG_KIND_ADD},
    {"Sub", 1, 0, GIG_OP_ELEMENTWISE, GIG_NEEDS_NOTHING, gig_op_infer_binary, sub_forward, sub_backward,
     .kind = GIG_KIND_SUB},
    {"Mul", 1, 0, GIG_OP_ELEMENTWISE, GIG_NEEDS_INPUTS, gig_op_infer_binary, mul_forward, mul_backward,
     .kind = GIG_KIND_MUL},
    {"Div", 1, 0, GIG_OP_ELEMENTWISE, GIG_NEEDS_INPUTS, gig_op_infer_binary, div_forward, div_backward,
     .kind = GIG_KIND_DIV},
    {"Mod", 10, 0, GIG_OP_ELEMENTWISE, GIG_NEEDS_INPUTS, mod_infer, mod_forward, mod_backward},
    {"Pow", 1, 0, GIG_OP_ELEMENTWISE, GIG_NEEDS_INPUTS, pow_infer, pow_forward, pow_backward, .kind = GIG_KIND_POW},
    {"BitShift", 11, 0, GIG_OP_ELEMENTWISE | GIG_OP_NO_GRADIENT, GIG_NEEDS_NOTHING, shift_infer, shift_forward, NULL},
    {"BitwiseAnd", 18, 0, GIG_OP_ELEMENTWISE | GIG_OP_NO_GRADIENT, GIG_NEEDS_NOTHING, bits_infer, bits_and_forward,
     NULL},
    {"BitwiseOr", 18, 0, GIG_OP_ELEMENTWISE | GIG_OP_NO_GRADIENT, GIG_NEEDS_NOTHING, bits_infer, bits_or_forward, NULL},
    {"BitwiseXor", 18, 0, GIG_OP_ELEMENTWISE | GIG_OP_NO_GRADIENT, GIG_NEEDS_NOTHING, bits_infer, bits_xor_forward,
     NULL},
    {0}};
