/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that a file defines (FunctionProto), and the list of nodes after inlining their calls. Flow:
 * ModelProto -> local_functions.c (a table; inlined_size.c: the size of each call, computed before memory is allocated)
 * -> inline.c (flat list; each node knows the call it came from) -> build_graph.c and node.c, which read names and
 * attributes through that call. */
#ifndef GIG_MODEL_INLINE_H
#define GIG_MODEL_INLINE_H

#include "model/load.h"

/* Fields that not every onnx.proto has; meson.build removes them from those that do. So protobuf-c keeps them as
 * unknown fields everywhere, and check_wire.c checks them. */
enum { GIG_NODE_OVERLOAD = 8, GIG_FUNCTION_DEFAULT = 11, GIG_FUNCTION_OVERLOAD = 13 };

/* The size of a list of nodes after inlining. */
typedef struct gig_growth {
    size_t nodes;   /* that are left */
    size_t calls;   /* replaced */
    size_t formals; /* inputs and outputs of the functions called, over all calls */
    size_t given;   /* their attributes, likewise */
    size_t bytes;   /* of memory */
} gig_growth;

/* Names, borrowed from the message, that are looked up: sorted once, then found by binary search. */
typedef struct gig_lookup {
    size_t count;
    gig_value *values; /* only their names are used */
    int *by_name;
} gig_lookup;

typedef struct gig_local_function {
    const Onnx__FunctionProto *message;
    const char *domain, *name, *overload; /* overload: not ended by NUL */
    size_t overload_bytes;
    /* The rest is filled in and checked at the first call. */
    enum { GIG_UNCALLED, GIG_OPEN, GIG_MEASURED } state;
    size_t height;         /* calls inside calls, its own included */
    gig_growth growth;     /* of one call */
    gig_lookup formals;    /* inputs, then outputs */
    gig_lookup attributes; /* those with a default last */
    size_t default_count;
    Onnx__AttributeProto **defaults;
} gig_local_function;

typedef struct gig_local_functions {
    size_t count, max_nodes;
    gig_local_function *items;   /* those outside ONNX's own domain, file order */
    gig_local_function **sorted; /* by domain, name and overload */
} gig_local_functions;

/* ---- local_functions.c ---- */

/* A table of the functions outside ONNX's own domain. In ONNX's domain a name keeps its standard meaning: the
 * specification leaves that choice to us and calls the file's function a fallback. */
gig_status gig_local_functions_read(gig_local_functions *out, const Onnx__ModelProto *message, size_t max_nodes);
void gig_local_functions_clear(gig_local_functions *functions);
/* The function that a node calls, NULL: none. */
gig_local_function *gig_local_functions_find(const gig_local_functions *functions, const Onnx__NodeProto *node);
/* Checks a function that is called and fills its formals, attributes and defaults. */
gig_status gig_function_prepare(gig_local_function *function);
int gig_lookup_find(const gig_lookup *names, const char *name); /* position, -1: none */

/* ---- inlined_size.c ---- */

/* The size of the graph after inlining. GIG_EFORMAT if a function calls itself; GIG_ELIMIT above max_nodes (calls count
 * too), GIG_MAX_STRUCTURE bytes or GIG_MAX_DEPTH calls inside calls. Each function is visited once. */
gig_status gig_growth_measure(gig_growth *out, gig_local_functions *functions, const Onnx__GraphProto *graph);

/* ---- inline.c ---- */

/* A value's name and its scope: a call's function, or (NULL) the graph. */
typedef struct gig_scoped {
    const struct gig_inlined_call *call;
    const char *name;
} gig_scoped;

typedef struct gig_inlined_call {
    const gig_local_function *function;
    size_t number;                /* 1.. in the file's order */
    gig_scoped *actual;           /* per formal: the value outside, "" where it is left out */
    Onnx__AttributeProto **given; /* per attribute, those with defaults last; NULL: absent */
} gig_inlined_call;

typedef struct gig_flat_node {
    Onnx__NodeProto
        *message; /* if `call` is set, shared by all calls of the function: nothing may be moved out of it */
    const gig_inlined_call *call; /* NULL: a node of the graph itself */
    size_t position;              /* in the graph or function */
} gig_flat_node;

typedef struct gig_flat {
    size_t count;
    gig_flat_node *nodes;
    gig_local_functions functions;
    size_t call_count, formal_count, given_count;
    gig_inlined_call *calls;
    gig_scoped *formals;
    Onnx__AttributeProto **given;
    size_t marks; /* '@' in front of a name made here; no value of the graph has as many */
} gig_flat;

/* The graph's nodes with every call of a function replaced by that function's nodes. */
gig_status gig_flat_read(gig_flat *out, const Onnx__ModelProto *message, size_t max_nodes);
void gig_flat_clear(gig_flat *flat);

/* What `name` refers to inside a call (NULL: in the graph): the value bound to it, or one of the call's own. */
gig_scoped gig_inlined_call_value(const gig_inlined_call *call, const char *name);
/* The name of that value in the model: the graph's own, or "@3.Block/hidden" for one of the third call, written to
 * text[GIG_MAX_NAME + 1]. */
gig_status gig_flat_name(const char **out, char *text, const gig_flat *flat, gig_scoped value);
/* The attribute that `from` is or refers to; NULL: the call leaves it out. */
gig_status gig_inlined_call_attribute(Onnx__AttributeProto **out, const gig_inlined_call *call,
                                      Onnx__AttributeProto *from);

#endif
