/* SPDX-License-Identifier: Apache-2.0 */
/* A plan: what a session executes, as two flat lists of actions, forward and backward, over one planned block of
 * memory.
 *
 * Flow: model -> plan/lower.c (ops with fixed shapes, constants folded) -> join.c (chains as one op) -> fuse.c (steps)
 *       -> emit.c (actions on buffers) -> arena.c (offsets by first and last use) -> session.c (runs the lists).
 *
 * A value's gradient always has the value's own memory layout. A buffer lives from the first to the last action that
 * names it; nothing else decides lifetimes. */
#ifndef GIG_NETWORK_PLAN_H
#define GIG_NETWORK_PLAN_H

#include "internal/network.h"
#include "network/dnnl/dnnl.h"
#include "network/operator.h"

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
    int owned;                /* tensor.data is ours (folded), not the model's */
    int known;                /* shape inferred */
    int depends;              /* on the point */
    int uses;                 /* by live ops, the output and the kept list */
    int reader;               /* the last op that reads it, -1 */
    int last_step;            /* the last step that reads it */
    int needed_again;         /* its bytes are read in the backward pass */
    int producer;             /* op, -1 */
    int wanted;               /* by an output, the kept list, or a node that is needed */
    int kept;                 /* GIG_KEPT_*: never fused away or overwritten */
    const gig_layout *layout; /* of data and gradient; NULL until placed, and for integers */
    gig_place data, diff;
    gig_place held, held_diff; /* kept values: plain copies that survive the run */
    int placed, shared;        /* data has a place; other values look at the same bytes */
    int diff_started;          /* an action that writes diff was emitted */
    int reordered;             /* its copies in other layouts: the first in plan->emitting.reordered, -1 */
    int home;                  /* the Concat output that this value is a part of, -1 */
    size_t home_offset;        /* in floats */
    int joint_block;           /* of channels: what the first part that was placed in this value decided, 0 */
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
    const gig_primitive *primitive; /* NULL: call */
    gig_call call;
    size_t count;            /* places */
    gig_place *places;       /* GIG_ACTION_PLACES of them, more for plain operators */
    gig_argument *arguments; /* primitives only */
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

/* A step is one op, or several fused ones: a convolution with the ops that follow it. */
typedef struct gig_step {
    int op;    /* the first (Conv) or only op */
    int out;   /* the value it produces in the end */
    int other; /* value added before the ReLU, -1 */
    int relu;
    /* Conv: folded with BatchNormalization; data owned when folded, else the model's. Products: a row that is added. */
    gig_tensor weights, bias;
    int folded;
    const gig_op *gate; /* products: the activation that is computed with them (its row has a gate); NULL: none */
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

/* An input that points live in; a point holds the values of all of them, one after the other. */
typedef struct gig_part {
    int cell;
    gig_place gradient; /* d scalar / d its values, plain; buffer -1: zero */
    size_t features;    /* of one point; set with the network's */
} gig_part;

/* What a plan allocated for tables, weights and layers (gig_plan_alloc); freed with it. */
typedef struct gig_plan_owned {
    size_t count, capacity;
    void **blocks;
} gig_plan_owned;

/* What constants folded and tables of operators may still take; lower.c spends it. */
typedef struct gig_plan_budget {
    size_t bytes;
    double work; /* multiply-adds */
} gig_plan_budget;

/* Written by emit.c and actions.c while steps are emitted, meaningless afterwards. */
typedef struct gig_emission {
    int backward;         /* which list of actions */
    const gig_node *node; /* for which node */
    size_t reorder_count, reorder_capacity;
    struct gig_reordered *reordered; /* values already reordered to another layout */
} gig_emission;

typedef struct gig_plan {
    const gig_model *model;
    const gig_network_options *options;
    int64_t batch, file_batch;
    int input; /* the cell that points live in; of several the first */
    size_t part_count;
    gig_part *parts;             /* all of them, in the point's order; the plan's */
    int logits;                  /* the cell that scalars are made of */
    int output;                  /* the cell that the file calls output */
    gig_output_kind ends_in;     /* how the output follows from the logits: LOGITS when they are the same cell */
    gig_output_kind logits_hold; /* LOGITS, or probabilities that no operator at hand made from logits */
    size_t numbers;              /* in one row of the output */
    gig_classes classes;

    gig_model *spent; /* the same model, if its weights may be freed as soon as they are packed; else NULL */
    gig_cell *cells;  /* model->value_count */
    gig_op *ops;      /* model->node_count; row NULL: dead, folded or absorbed */
    gig_plan_owned owned;
    gig_plan_budget budget;

    size_t step_count;
    gig_step *steps;

    gig_onednn *engine;
    size_t buffer_count, buffer_capacity;
    gig_buffer *buffers;
    gig_tensor at_value; /* --at: the tensor's value at the given inputs; no data if there are none */
    gig_place seed;      /* d scalar / d logits, written by the head */
    gig_actions forward, backward;
    gig_emission emitting;
    size_t scratch_bytes, arena_bytes;
    int guided, plain;
    struct gig_expansion *expansion; /* the expanded model that this plan uses; owned; NULL: the given one */
} gig_plan;

/* ---- plan/actions.c: memory places and actions ---- */
/* The step's weights are packed for both directions and not read again: frees them if the plan owns them or may free
 * the model's. */
void gig_plan_spend_weights(gig_plan *plan, gig_step *step);
void *gig_plan_alloc(gig_plan *plan, size_t count, size_t size); /* zeroed, owned by the plan */
gig_status gig_plan_buffer(gig_place *out, gig_plan *plan, size_t bytes);
/* Appends an action to the list being emitted; `places` >= count are reserved. */
gig_status gig_plan_action(gig_action **out, gig_plan *plan, const char *kind, size_t places);
/* Compiles a primitive; its arguments are added by gig_action_argument. */
gig_status gig_plan_primitive(gig_action **out, gig_plan *plan, const char *kind, gig_primitive *primitive);
void gig_action_argument(gig_action *action, gig_argument argument, gig_place place);
/* One of our own calls on up to 8 places. */
gig_status gig_plan_call(gig_action **out, gig_plan *plan, const char *kind, gig_call call, size_t elements);
void gig_action_place(gig_action *action, gig_place place);
/* Moves bytes from one layout to another. */
gig_status gig_plan_reorder(gig_plan *plan, const char *kind, const gig_layout *from_layout, gig_place from,
                            const gig_layout *to_layout, gig_place to);
/* A constant brought into a layout now; *out is owned by the plan. */
gig_status gig_plan_pack(void **out, gig_plan *plan, const gig_layout *from_layout, const void *from,
                         const gig_layout *to_layout);
/* The value's data in the wanted layout (a reorder is emitted where it differs). */
gig_status gig_plan_data_as(gig_place *out, gig_plan *plan, int cell, const gig_layout *layout);
gig_status gig_plan_data_plain(gig_place *out, gig_plan *plan, int cell);
/* Gives the value its layout and a place of its own (its home in a Concat where it has one). */
gig_status gig_plan_place(gig_plan *plan, int cell, const gig_layout *layout);
/* The same for what step s makes of `in` element by element: over the bytes of `in` where nobody reads them again. */
gig_status gig_plan_place_over(gig_plan *plan, size_t s, int in, int out);
/* A gradient contribution to `cell` in layout md: write to *out, then call _end. */
gig_status gig_plan_diff_begin(gig_place *out, gig_plan *plan, int cell, const gig_layout *layout);
gig_status gig_plan_diff_end(gig_plan *plan, int cell, const gig_layout *layout, gig_place written);
/* The contribution already lies at `ready` in that layout and nobody needs those bytes afterwards. */
gig_status gig_plan_diff_take(gig_plan *plan, int cell, const gig_layout *layout, gig_place ready);
/* The same where the bytes at `ready` are still needed by others. */
gig_status gig_plan_diff_copy(gig_plan *plan, int cell, const gig_layout *layout, gig_place ready);
gig_status gig_plan_diff_plain(gig_place *out, gig_plan *plan, int cell); /* of an output: plain copy if need be */
/* May a step overwrite the value's bytes: is `step` the last that reads them, forward and backward? */
int gig_plan_last_use(const gig_plan *plan, int cell, size_t step);
void gig_plan_clear(gig_plan *plan);

/* ---- plan/: lower.c, join.c, fuse.c, emit.c, arena.c ---- */
size_t gig_plan_memory(const gig_plan *plan); /* options.max_memory or its default */
/* Lowers what does not depend on control flow; the rest stays unknown. */
gig_status gig_plan_lower_known(gig_plan *plan);
/* The initial value of budget.work for a file: one or two seconds of work, plus an amount for its weights. */
double gig_plan_most_folded(const gig_model *model);
gig_status gig_plan_lower(gig_plan *plan);
gig_status gig_plan_join_all(gig_plan *plan); /* several ops as one: join.c, join_gates.c, join_norms.c */
/* The only op that reads `cell`, or -1 if there are several readers, none, or the value is asked for by name. */
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
/* ---- gradient_reach.c ---- */
/* The value has no gradient: GIG_OK if the logits do not depend on it, so that zeros are correct; else
 * GIG_EUNSUPPORTED, naming the node where the gradient ended. */
gig_status gig_plan_explain_zero(const gig_plan *plan, int cell);
/* embedding.c: the output of the first node that looks up integers of an input in a floating-point table. NULL: none.
 */
const char *gig_embedding_of(const gig_model *model);
/* cam_layer.c: the default layer of Grad-CAM; -1: none. */
gig_status gig_plan_find_layer(int *out, const gig_plan *plan);

/* ---- steps: turn each kind of op into actions ---- */
typedef struct gig_step_class {
    /* Emits the forward actions; *taken 0 if it cannot (the plain class then does). */
    gig_status (*forward)(gig_plan *plan, size_t step, int *taken);
    gig_status (*backward)(gig_plan *plan, size_t step);
} gig_step_class;
extern const gig_step_class gig_step_plain, gig_step_view, gig_step_products;
/* Whether gig_step_products takes the op: a product of values with constant weights. */
int gig_is_product(const gig_op *op);

/* ---- kernels/elementwise.c: our own calls on flat memory ---- */
void gig_floats_add(float *sum, const float *term, size_t count);
gig_status gig_call_add(const gig_action *action, void *const *pointers);      /* p[0] += p[1] */
gig_status gig_call_add_to(const gig_action *action, void *const *pointers);   /* p[0] = p[1] + p[2] */
gig_status gig_call_multiply(const gig_action *action, void *const *pointers); /* p[0] *= p[1] */
gig_status gig_call_copy(const gig_action *action, void *const *pointers);     /* p[0] = p[1] */
gig_status gig_call_relu(const gig_action *action, void *const *pointers);     /* p[0] = max(p[1],0), bits p[2] */
/* p[0] = p[1] held between two bounds, bits p[2] where it was between them; action->self is the bounds, float[2] */
gig_status gig_call_clip(const gig_action *action, void *const *pointers);
gig_status gig_call_mask(const gig_action *action, void *const *pointers);          /* bits p[1] of p[0] > 0 */
gig_status gig_call_unmask(const gig_action *action, void *const *pointers);        /* p[0] = bit p[1] ? p[0] : 0 */
gig_status gig_call_unmask_guided(const gig_action *action, void *const *pointers); /* and p[0] > 0 */

/* The row's fast forward and backward, if it has them and they support the shapes; else NULL. */
const gig_fast *gig_fast_of(const gig_op *op);

#endif
