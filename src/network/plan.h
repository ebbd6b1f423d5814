/* SPDX-License-Identifier: Apache-2.0 */
/* A plan: what one session does, as two flat lists of actions, forward and backward, over one planned block of memory.
 *
 * Flow: model -> plan/lower.c (ops with fixed shapes, constants folded) -> gates.c (chains as one op) -> fuse.c (steps)
 *       -> emit.c (actions on buffers) -> arena.c (offsets by first and last use) -> session.c (runs the lists).
 *
 * A value's gradient always has the value's own memory layout. A buffer lives from the first to the last action that
 * names it; nothing else decides lifetimes. */
#ifndef GIG_NETWORK_PLAN_H
#define GIG_NETWORK_PLAN_H

#include "base/signals.h"
#include "gig/network.h"
#include "network/operator.h"
#include <oneapi/dnnl/dnnl.h>

/* Where an action finds memory: inside a buffer of the session's block, or at a constant. */
typedef struct gig_place {
    int buffer; /* -1: constant */
    size_t offset;
    const void *constant;
} gig_place;
#define GIG_NO_PLACE ((gig_place){-1, 0, NULL})

typedef struct gig_buffer {
    size_t bytes;
    int first, last; /* actions, counted through forward, the head, then backward */
    int pinned;      /* lives through the whole run */
    size_t offset;   /* in the session's block, set by gig_arena_place */
} gig_buffer;

enum { GIG_KEPT_AS_OUTPUT = 1, GIG_KEPT_BY_NAME = 2 };

/* One value of the model with its shape fixed, where it is, and where its gradient is. Same index as in the model. */
typedef struct gig_cell {
    const char *name;
    gig_tensor tensor; /* type, rank, dims; data where constant */
    int onnx_type;
    int owned;             /* tensor.data is ours (folded), not the model's */
    int known;             /* shape inferred */
    int depends;           /* on the point */
    int uses;              /* by live ops, the output and the kept list */
    int reader;            /* the last op that reads it, -1 */
    int last_step;         /* the last step that reads it */
    int needed_again;      /* its bytes are read in the backward pass */
    int producer;          /* op, -1 */
    int wanted;            /* by an output, the kept list, or a node that is needed */
    int kept;              /* GIG_KEPT_*: never fused away or overwritten */
    dnnl_memory_desc_t md; /* layout of data and gradient */
    gig_place data, diff;
    gig_place held, held_diff; /* kept values: plain copies that survive the run */
    int placed, shared;        /* data has a place; other values look at the same bytes */
    int diff_started;          /* an action that writes diff was emitted */
    int reordered;             /* its copies in other layouts: the first in plan->reordered, -1 */
    int home;                  /* the Concat output that this value is a part of, -1 */
    size_t home_offset;        /* in floats */
} gig_cell;

struct gig_session;
struct gig_action;
typedef gig_status (*gig_call)(const struct gig_action *action, void *const *pointers);

enum { GIG_ACTION_PLACES = 8 };

/* One oneDNN primitive, or one call of ours, on memory places. */
typedef struct gig_action {
    const char *kind;     /* operator's name, for timing */
    const gig_node *node; /* for messages; NULL: none */
    double flops;
    dnnl_primitive_t primitive; /* NULL: call */
    gig_call call;
    size_t count;      /* places */
    gig_place *places; /* GIG_ACTION_PLACES of them, more for plain operators */
    int *arguments;    /* DNNL_ARG_*, primitives only */
    dnnl_memory_desc_t *mds;
    size_t elements;  /* our own calls: floats of p[0], which forward calls fill, or read as the call before left it */
    const void *self; /* and what else they need; the plan's */
    /* Plain operators: one of these two is set; places are in, out, and for backward d_out, d_in. */
    const gig_op *op;
    gig_status (*op_forward)(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out);
    gig_status (*op_backward)(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                              const gig_tensor *const *d_out, gig_tensor *const *d_in);
} gig_action;

typedef struct gig_actions {
    size_t count, capacity;
    gig_action *items;
} gig_actions;

/* A step is one or several ops run as one: a convolution takes what follows it along. */
typedef struct gig_step {
    int op;    /* the first (Conv) or only op */
    int out;   /* the value it produces in the end */
    int other; /* value added before the ReLU, -1 */
    int relu;
    gig_tensor weights, bias; /* Conv: folded with BatchNormalization; data owned when folded, else the model's */
    int folded;
    const struct gig_step_class *class;
    void *state; /* between emit forward and emit backward; the plan's */
} gig_step;

/* Where in a row of the output the classes are: number k of a vector is at first + k * stride, and of pixel p, where
 * there are pixels, at p * pixel + k * stride. */
typedef struct gig_classes {
    size_t count, first, stride;
    size_t height, width, pixel; /* 0: one vector */
    int axis;                    /* of the row's dims, -1: the row is the vector, or there is one number */
    int several;                 /* no vector was chosen, and there is more than one */
} gig_classes;

typedef struct gig_plan {
    const gig_model *model;
    const gig_network_options *options;
    int64_t batch, file_batch;
    int input;                   /* the cell that points live in */
    int logits;                  /* the cell that scalars are made of */
    int output;                  /* the cell that the file calls output */
    gig_output_kind ends_in;     /* how the output follows from the logits: LOGITS when they are the same cell */
    gig_output_kind logits_hold; /* LOGITS, or probabilities that no operator at hand made from logits */
    size_t numbers;              /* in one row of the output */
    gig_classes classes;

    gig_cell *cells; /* model->value_count */
    gig_op *ops;     /* model->node_count; row NULL: dead, folded or absorbed */
    size_t block_count, block_capacity;
    void **blocks;      /* everything else that the plan owns (gig_free) */
    size_t room;        /* bytes that constants folded and tables of operators may still take */
    double folded_work; /* multiply-adds */

    size_t step_count;
    gig_step *steps;

    dnnl_engine_t engine;
    dnnl_stream_t stream; /* for packing weights while planning */
    size_t buffer_count, buffer_capacity;
    gig_buffer *buffers;
    gig_tensor at_value; /* --at: the tensor's value at the given inputs; no data where there are none */
    gig_place seed;      /* d scalar / d logits, written by the head */
    gig_place gradient;  /* d scalar / d point, plain; buffer -1: zero */
    gig_actions forward, backward;
    int backward_now;     /* which list is being emitted */
    const gig_node *node; /* for which node */
    size_t scratch_bytes, arena_bytes;
    size_t primitive_count, primitive_capacity;
    dnnl_primitive_t *primitives;
    int guided, plain;
    size_t reorder_count, reorder_capacity;
    struct gig_reordered *reordered; /* values already brought into another layout */
} gig_plan;

/* ---- dnnl/engine.c: oneDNN's statuses, layouts, primitives ---- */
gig_status gig_dnnl_check(dnnl_status_t status, const char *what);
#define GIG_DNNL(call) GIG_TRY(gig_dnnl_check((call), #call))
/* Dense row-major layout of a real tensor (rank 0 counts as [1]). */
gig_status gig_md_plain(dnnl_memory_desc_t *out, const gig_tensor *tensor);
int gig_md_same(const dnnl_memory_desc_t *a, const dnnl_memory_desc_t *b); /* same bytes in the same order */
int gig_md_is_plain(const dnnl_memory_desc_t *md);
int gig_md_has_padding(const dnnl_memory_desc_t *md);
/* Channel block of nCxxx8c / nCxxx16c with channels a multiple of it, else 0. */
int gig_md_channel_block(const dnnl_memory_desc_t *md);
size_t gig_md_bytes(const dnnl_memory_desc_t *md);
/* Is this implementation one of oneDNN's slow references? */
int gig_pd_is_slow(const_dnnl_primitive_desc_t pd);
gig_status gig_attr_create(dnnl_primitive_attr_t *out); /* scratchpad is the session's */

int gig_cpu_has_amx(void); /* bfloat16 tiles */

/* One thread, flushed denormals and no signals while oneDNN runs; the caller's settings come back. */
typedef struct gig_guard {
    gig_signals held;
    int threads;
    unsigned flags;
} gig_guard;
void gig_guard_enter(gig_guard *guard, int threads);
void gig_guard_leave(const gig_guard *guard);

/* ---- plan/actions.c: memory places and actions ---- */
void *gig_plan_alloc(gig_plan *plan, size_t count, size_t size); /* zeroed, owned by the plan */
gig_status gig_plan_buffer(gig_place *out, gig_plan *plan, size_t bytes);
/* Appends an action to the list being emitted; `places` >= count are reserved. */
gig_status gig_plan_action(gig_action **out, gig_plan *plan, const char *kind, size_t places);
/* A primitive from its descriptor (destroyed here), with arguments added by gig_action_argument. */
gig_status gig_plan_primitive(gig_action **out, gig_plan *plan, const char *kind, dnnl_primitive_desc_t pd);
void gig_action_argument(gig_action *action, int argument, const dnnl_memory_desc_t *md, gig_place place);
/* One of our own calls on up to 8 places. */
gig_status gig_plan_call(gig_action **out, gig_plan *plan, const char *kind, gig_call call, size_t elements);
void gig_action_place(gig_action *action, gig_place place);
/* Moves bytes from one layout to another. */
gig_status gig_plan_reorder(gig_plan *plan, const char *kind, const dnnl_memory_desc_t *from_md, gig_place from,
                            const dnnl_memory_desc_t *to_md, gig_place to);
/* A constant brought into a layout now; *out is owned by the plan. */
gig_status gig_plan_pack(void **out, gig_plan *plan, const dnnl_memory_desc_t *from_md, const void *from,
                         const dnnl_memory_desc_t *to_md);
/* The value's data in the wanted layout (a reorder is emitted where it differs). */
gig_status gig_plan_data_as(gig_place *out, gig_plan *plan, int cell, const dnnl_memory_desc_t *md);
gig_status gig_plan_data_plain(gig_place *out, gig_plan *plan, int cell);
/* Gives the value its layout and a place of its own (its home in a Concat where it has one). */
gig_status gig_plan_place(gig_plan *plan, int cell, const dnnl_memory_desc_t *md);
/* A gradient contribution to `cell` in layout md: write to *out, then call _end. */
gig_status gig_plan_diff_begin(gig_place *out, gig_plan *plan, int cell, const dnnl_memory_desc_t *md);
gig_status gig_plan_diff_end(gig_plan *plan, int cell, const dnnl_memory_desc_t *md, gig_place written);
/* The contribution already lies at `ready` in layout md and nobody needs those bytes afterwards. */
gig_status gig_plan_diff_take(gig_plan *plan, int cell, const dnnl_memory_desc_t *md, gig_place ready);
/* The same where the bytes at `ready` are still needed by others. */
gig_status gig_plan_diff_copy(gig_plan *plan, int cell, const dnnl_memory_desc_t *md, gig_place ready);
gig_status gig_plan_diff_plain(gig_place *out, gig_plan *plan, int cell); /* of an output: plain copy if need be */
/* May a step overwrite the value's bytes: is `step` the last that reads them, forward and backward? */
int gig_plan_last_use(const gig_plan *plan, int cell, size_t step);
void gig_plan_clear(gig_plan *plan);

/* ---- plan/: lower.c, gates.c, fuse.c, emit.c, arena.c ---- */
size_t gig_plan_memory(const gig_plan *plan); /* options.max_memory or its default */
gig_status gig_plan_lower(gig_plan *plan);
gig_status gig_plan_join_gates(gig_plan *plan);
/* The only op that reads `cell`, or -1 where there are several readers, none, or the value is asked for by name. */
int gig_plan_only_reader(const gig_plan *plan, int cell);
gig_status gig_plan_fuse(gig_plan *plan);
gig_status gig_plan_emit(gig_plan *plan);
gig_status gig_arena_place(gig_plan *plan);
/* ---- target.c ---- */
/* Sets numbers and classes by the output's dims and the target that was chosen. */
gig_status gig_plan_find_classes(gig_plan *plan);
/* GIG_EARG, with the targets there are, where the output has more than one vector of classes and none was chosen. */
gig_status gig_plan_expect_target(const gig_plan *plan);
/* What the output's numbers are, by what computes them. */
gig_status gig_plan_kind_of_output(gig_output_kind *out, const gig_plan *plan);
/* ---- reach.c ---- */
/* The value has no gradient: GIG_OK where the logits do not depend on it, so that zeros are true; else
 * GIG_EUNSUPPORTED, which names the node where the gradient ended. */
gig_status gig_plan_explain_zero(const gig_plan *plan, int cell);

/* ---- steps: how a kind of op becomes actions ---- */
typedef struct gig_step_class {
    /* Emits the forward actions; *taken 0 when it cannot (the plain class then does). */
    gig_status (*forward)(gig_plan *plan, size_t step, int *taken);
    gig_status (*backward)(gig_plan *plan, size_t step);
} gig_step_class;
extern const gig_step_class gig_step_plain, gig_step_view, gig_step_convolution, gig_step_pooling, gig_step_relu,
    gig_step_add, gig_step_concat, gig_step_products;

/* ---- kernels/elementwise.c: our own calls on flat memory ---- */
gig_status gig_call_add(const gig_action *action, void *const *pointers);           /* p[0] += p[1] */
gig_status gig_call_add_to(const gig_action *action, void *const *pointers);        /* p[0] = p[1] + p[2] */
gig_status gig_call_copy(const gig_action *action, void *const *pointers);          /* p[0] = p[1] */
gig_status gig_call_relu(const gig_action *action, void *const *pointers);          /* p[0] = max(p[1],0), bits p[2] */
gig_status gig_call_mask(const gig_action *action, void *const *pointers);          /* bits p[1] of p[0] > 0 */
gig_status gig_call_unmask(const gig_action *action, void *const *pointers);        /* p[0] = bit p[1] ? p[0] : 0 */
gig_status gig_call_unmask_guided(const gig_action *action, void *const *pointers); /* and p[0] > 0 */

/* Faster versions of some rows, of the same meaning (operators/fast_matrix.c); NULL where there is none. */
const gig_operator *gig_fast_row(const gig_op *op);

#endif
