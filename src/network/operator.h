/* SPDX-License-Identifier: Apache-2.0 */
/* One operator is one row of a table: its shape rule, a plain C forward and backward, and what backward needs. The
 * plain versions are slow and obviously right; fast ones are tested against them.
 *
 * All tensors here are dense, row-major; GIG_FLOAT32 is float, GIG_INT64 is int64_t (integers and booleans, 0 or 1).
 * Quantised numbers are the exception: whole by their ONNX type, held as GIG_FLOAT32.
 * Legend: an "op" is one node of a graph with its shapes fixed for one batch size. */
#ifndef GIG_NETWORK_OPERATOR_H
#define GIG_NETWORK_OPERATOR_H

#include "base/memory.h"
#include "base/size.h"
#include "base/status.h"
#include "base/tensor.h"
#include "internal/network.h"
#include "model/graph.h"

/* Rows leave out what they do not have. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

enum { GIG_MAX_PORTS = 512 }; /* inputs or outputs of one node */

struct gig_operator;

typedef struct gig_op {
    const struct gig_operator *row;
    const gig_node *node;
    size_t in_count, out_count;
    /* in[i]: type and dims known; data non-NULL exactly where the input is constant. NULL pointer: left out. */
    const gig_tensor **in;
    /* out[i]: infer fills type, rank, dims and out_onnx[i]; data is not the operator's to set. NULL pointer: not
     * wanted. */
    gig_tensor **out;
    const int *in_onnx; /* ONNX data type of each input, GIG_ONNX_UNKNOWN where in[i] is NULL */
    int *out_onnx;      /* ONNX data type of each output; preset to in_onnx[0] */
    int64_t file_batch; /* batch size fixed in the file (usually 1), 0: free */
    int64_t batch;      /* batch size being planned */
    void *params;       /* infer may gig_alloc it: attributes parsed once; freed with gig_free */
    size_t *room;       /* bytes that tables in params may still take; NULL: no limit */
} gig_op;

/* What backward reads; the rest may be NULL or hold other data by then. */
enum {
    GIG_NEEDS_NOTHING = 0,
    GIG_NEEDS_INPUT_0 = 1,
    GIG_NEEDS_INPUT_1 = 2,
    GIG_NEEDS_INPUT_2 = 4,
    GIG_NEEDS_INPUTS = 0x7f, /* all of them */
    GIG_NEEDS_OUTPUT = 0x80  /* all outputs */
};

/* How the planner may treat it. */
enum {
    GIG_OP_SHAPE_ONLY = 1,  /* forward reads only dims, never data (Shape, Size): always folds */
    GIG_OP_VIEW = 2,        /* output 0 is input 0's bytes under other dims (Reshape, Flatten, Identity, Dropout ...) */
    GIG_OP_ELEMENTWISE = 4, /* out[j] depends on in[*][j] only when all dims are equal: any memory layout will do */
    GIG_OP_NO_GRADIENT =
        8, /* gradient is zero or undefined everywhere by convention (Sign, Floor, Equal, Shape, ArgMax) */
    GIG_OP_SPARE_OUTPUTS = 16, /* outputs after the first count as left out where nothing reads them */
    GIG_OP_HAS_BIAS = 512,     /* input 2 is added to each channel of a product */
    GIG_OP_HAS_SCALE = 1024,   /* inputs 1 and 2 (if it has it) are scale and shift of a normalisation */
    GIG_OP_ANY_OUTPUT = 64,    /* every output may be left out where another is wanted, the first too */
    GIG_OP_MOVES = 128,        /* outputs hold numbers of the inputs, or means of some: probabilities stay such */
    GIG_OP_HAS_KINK = 256,     /* its slope jumps at 0 or at a bound: an error of the input's last bit may matter */
    GIG_OP_KEEPS_WHOLE = 32 /* right for integers that are held as floating-point ones too: it moves or compares them */
};

/* Operators that the planner's patterns consist of; it compares these, never names. */
typedef enum gig_kind {
    GIG_KIND_OTHER,
    GIG_KIND_ADD,
    GIG_KIND_BATCH_NORM,
    GIG_KIND_CAST,
    GIG_KIND_CONCAT,
    GIG_KIND_CONSTANT,
    GIG_KIND_CONV,
    GIG_KIND_DIV,
    GIG_KIND_ERF,
    GIG_KIND_EXP,
    GIG_KIND_GATHER,
    GIG_KIND_GEMM,
    GIG_KIND_GLOBAL_AVERAGE,
    GIG_KIND_HARD_SIGMOID,
    GIG_KIND_IF,
    GIG_KIND_INSTANCE_NORM,
    GIG_KIND_MAX_POOL,
    GIG_KIND_MUL,
    GIG_KIND_POW,
    GIG_KIND_REDUCE_MEAN,
    GIG_KIND_REDUCE_SUM,
    GIG_KIND_RELU,
    GIG_KIND_RESHAPE,
    GIG_KIND_SIGMOID,
    GIG_KIND_SOFTPLUS,
    GIG_KIND_SQRT,
    GIG_KIND_SUB,
    GIG_KIND_TANH
} gig_kind;

/* An attribute that became an input in some opset: a file that still has it there is an error. */
typedef struct gig_moved_attribute {
    const char *name; /* NULL: end of the list */
    int since;
} gig_moved_attribute;

typedef struct gig_operator {
    const char *name;
    int since, until; /* first and last opset whose meaning this row has (until 0: to the newest, 26) */
    unsigned flags;
    unsigned needs;
    /* Checks every attribute and input (count, rank, type, range) and sets the outputs' type, rank and dims. The only
     * check: forward and backward rely on it. Messages need not name the node, the planner does. */
    gig_status (*infer)(gig_op *op);
    /* in[i]->data and out[i]->data valid. out and in never overlap. */
    gig_status (*forward)(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out);
    /* d_in[i] = (d out / d in[i])^T d_out, overwritten, for each i whose d_in[i] is not NULL (real inputs only).
     * d_out[j] is NULL for outputs that nothing differentiable reads: count as zero. NULL for GIG_OP_NO_GRADIENT and
     * for views (the planner copies). */
    gig_status (*backward)(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                           const gig_tensor *const *d_out, gig_tensor *const *d_in);
    /* The rest is optional. Multiply-adds of the forward pass, where these are what the operator costs. */
    double (*products)(const gig_op *op);
    double (*work)(const gig_op *op); /* the same where it is not products, and more than what is read and written */
    double gradient_products; /* the backward pass in forward passes; 0: one for each operand that wants a gradient */
    const struct gig_fast *fast;
    /* Functions of one number: value and slope at once, values[k] = f(x[k]), then x[k] = f'(x[k]). */
    void (*gate)(const gig_op *op, float *values, float *x, size_t count);
    gig_kind kind;
    gig_output_kind makes;            /* what its output's numbers are; 0: nothing that is known */
    const gig_moved_attribute *moved; /* NULL: none */
} gig_operator;

struct gig_step_class;

/* What runs instead of the plain version, with the same meaning. plan/emit.c alone chooses between them. */
typedef struct gig_fast {
    const struct gig_step_class *step; /* asked first; NULL: none */
    int (*takes)(const gig_op *op);    /* whether the two below know these shapes; NULL: all */
    gig_status (*forward)(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out);
    gig_status (*backward)(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                           const gig_tensor *const *d_out, gig_tensor *const *d_in);
} gig_fast;

/* Operators of which a step class (src/network/steps/) takes some shapes. */
extern const gig_fast gig_fast_relu, gig_fast_clip, gig_fast_add, gig_fast_concat, gig_fast_pooling,
    gig_fast_convolution, gig_fast_deconvolution, gig_fast_gate;
/* operators/fast_matrix.c, operators/fast_einsum.c */
extern const gig_fast gig_fast_matmul, gig_fast_gemm, gig_fast_attention, gig_fast_einsum;

/* The row for a node, or NULL: the name is unknown, or not for this opset, or not of ONNX's own domain. */
const gig_operator *gig_operator_find(const gig_node *node);

/* Calls visit for every row of the table. */
void gig_operator_each(void (*visit)(void *payload, const gig_operator *row), void *payload);

/* Every family file defines one array ended by a row with name NULL; operators/table.c lists the arrays. */
extern const gig_operator gig_operators_activation[], gig_operators_gated[], gig_operators_elementary[],
    gig_operators_arithmetic[], gig_operators_variadic[], gig_operators_compare[], gig_operators_convolution[],
    gig_operators_pooling[], gig_operators_normalization[], gig_operators_moments[], gig_operators_mean_variance[],
    gig_operators_response[], gig_operators_matrix[], gig_operators_reduction[], gig_operators_softmax[],
    gig_operators_shape[], gig_operators_movement[], gig_operators_gather[], gig_operators_resize[],
    gig_operators_constant[], gig_operators_search[], gig_operators_position[], gig_operators_quantize[],
    gig_operators_grid_sample[], gig_operators_affine_grid[], gig_operators_instances[], gig_operators_attention[],
    gig_operators_choice[], gig_operators_recurrent[], gig_operators_roi_align[];

/* ---- helpers for infer (operators/shape_rules.c) ---- */

/* At least `least`, at most `most` inputs; the first `least` present. */
gig_status gig_op_expect_inputs(const gig_op *op, size_t least, size_t most);
/* input i is present and of this type. */
gig_status gig_op_expect_type(const gig_op *op, size_t i, gig_type type);
/* Sets output i. Checks the product of dims. */
gig_status gig_op_set_output(gig_op *op, size_t i, gig_type type, int rank, const int64_t *dims);
/* Output i gets input j's type and dims. */
gig_status gig_op_same_output(gig_op *op, size_t i, size_t j);
/* Takes the bytes of a table off what the plan may hold; GIG_ELIMIT if they are not there. */
gig_status gig_op_charge(gig_op *op, size_t bytes);
/* axis in [-rank, rank-1] brought to [0, rank-1]; GIG_EFORMAT otherwise. */
gig_status gig_op_axis(int *out, int64_t axis, int rank);
/* NumPy broadcasting of all present inputs' dims into output 0, type of input `type_of`. */
gig_status gig_op_broadcast_output(gig_op *op, size_t type_of);
/* The integers of a constant input i (rank <= 1), or of attribute `name` when there is no such input (i may be
 * SIZE_MAX). *values is borrowed; NULL if neither is there. GIG_EUNSUPPORTED if the input is not constant. */
gig_status gig_op_wholes(const gig_op *op, size_t i, const char *name, const int64_t **values, size_t *count);
/* Whether input i holds integers of its ONNX type as floating-point ones: what quantising gives, so that a gradient
 * passes. Rows with GIG_OP_KEEPS_WHOLE (and views) take such inputs, others refuse them. */
int gig_op_holds_whole(const gig_op *op, size_t i);
/* The same for floating-point numbers. */
gig_status gig_op_reals(const gig_op *op, size_t i, const char *name, const float **values, size_t *count);

/* The axes that constant input i, or attribute `name`, lists: brought to [0, rank-1], none twice; all of them in order
 * where there is no such list. */
gig_status gig_op_axes(int axes[GIG_MAX_RANK], size_t *count, const gig_op *op, size_t i, const char *name, int rank);

/* ---- broadcasting (locate/broadcast.c) ---- */

/* An odometer over `dims` (row-major) that tracks the offset of up to 4 broadcast operands; see broadcast.c. */
typedef struct gig_strides {
    int64_t stride[GIG_MAX_RANK]; /* in elements; 0 along broadcast dims; aligned to the output's rank */
} gig_strides;
void gig_broadcast_strides(gig_strides *out, const gig_tensor *operand, int rank, const int64_t *dims);
/* sums `full` (dims rank/dims) over the dims along which `part` was broadcast, into part (overwritten, real). */
void gig_broadcast_reduce(gig_tensor *part, const float *full, int rank, const int64_t *dims);

#endif
