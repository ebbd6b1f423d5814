/* SPDX-License-Identifier: Apache-2.0 */
/* A checked ONNX graph: names resolved to indices, nodes in topological order, every weight as a tensor. No engine
 * here.
 *
 * Invariants after gig_model_load succeeded: each node input is -1 (left out) or the index of a value that is a graph
 * input, a weight, or an output of an earlier node; each value is produced once; graph outputs are produced; a weight's
 * byte count equals its shape; ranks are at most GIG_MAX_RANK. */
#ifndef GIG_MODEL_GRAPH_H
#define GIG_MODEL_GRAPH_H

#include "gig/tensor.h"
#include "internal/model.h"
#include <stddef.h>
#include <stdint.h>

/* ONNX TensorProto data types that are distinguished after loading. */
enum {
    GIG_ONNX_UNKNOWN = 0,
    GIG_ONNX_FLOAT = 1,
    GIG_ONNX_UINT8 = 2,
    GIG_ONNX_INT8 = 3,
    GIG_ONNX_UINT16 = 4,
    GIG_ONNX_INT16 = 5,
    GIG_ONNX_INT32 = 6,
    GIG_ONNX_INT64 = 7,
    GIG_ONNX_STRING = 8,
    GIG_ONNX_BOOL = 9,
    GIG_ONNX_FLOAT16 = 10,
    GIG_ONNX_DOUBLE = 11,
    GIG_ONNX_UINT32 = 12,
    GIG_ONNX_UINT64 = 13,
    GIG_ONNX_BFLOAT16 = 16
};

typedef enum gig_attribute_kind {
    GIG_ATTRIBUTE_INT,
    GIG_ATTRIBUTE_REAL,
    GIG_ATTRIBUTE_STRING,
    GIG_ATTRIBUTE_INTS,
    GIG_ATTRIBUTE_REALS,
    GIG_ATTRIBUTE_TENSOR,
    GIG_ATTRIBUTE_STRINGS, /* joined by newlines in s */
    GIG_ATTRIBUTE_GRAPH,
    GIG_ATTRIBUTE_OTHER /* types, lists of graphs: present, but not used by any supported operator */
} gig_attribute_kind;

typedef struct gig_attribute {
    char *name;
    gig_attribute_kind kind;
    int64_t i;
    float f;
    char *s;                /* STRING, STRINGS; NUL-terminated */
    size_t count;           /* of ints, reals or strings */
    int64_t *ints;          /* INTS */
    float *reals;           /* REALS */
    gig_tensor t;           /* TENSOR */
    int onnx_type;          /* of t */
    struct gig_subgraph *g; /* GRAPH */
} gig_attribute;

typedef struct gig_node {
    char *name;      /* may be "" */
    char *op;        /* "Conv" */
    char *domain;    /* "" is ONNX's own ("ai.onnx" is stored as "") */
    int opset;       /* version of that domain in the file */
    char *function;  /* of the file whose node this was, NULL: the graph's own */
    size_t position; /* in the graph or function, for messages */
    size_t input_count, output_count, attribute_count;
    size_t
        own_inputs; /* the node's own; the inputs after them are the outer values that its subgraphs read, in order */
    int *inputs;    /* value index, -1: left out */
    int *outputs;   /* value index, -1: left out */
    gig_attribute *attributes;
} gig_node;

typedef struct gig_value {
    char *name;
    int onnx_type;              /* as declared, GIG_ONNX_UNKNOWN if not */
    int rank;                   /* -1: not declared */
    int64_t dims[GIG_MAX_RANK]; /* -1: free */
    gig_tensor *constant;       /* weight: owned by the graph; NULL otherwise */
} gig_value;

/* A branch of an If, or the body of a loop. Its nodes read its own values; captures are values of the outer graph. */
typedef struct gig_subgraph {
    size_t value_count, node_count, input_count, output_count, capture_count;
    gig_value *values;
    gig_node *nodes;
    int *inputs, *outputs, *captures;
} gig_subgraph;

struct gig_model {
    char *path; /* for messages; "" if loaded from memory */
    int64_t ir_version;
    int opset; /* of ONNX's own domain */
    char *producer;
    size_t value_count, node_count, input_count, output_count;
    gig_value *values;
    gig_node *nodes;
    int *by_name; /* all values, sorted by name */
    int *inputs;  /* graph inputs that are not weights, file order */
    int *outputs;
    int reduced_precision;    /* weights or values are float16, bfloat16 or double: computed in float32 */
    uint8_t sha256[32];       /* of the model file's bytes (external data not included) */
    int has_external;         /* values come from other files */
    uint8_t external[32];     /* what those values are, as a SHA-256 */
    int file;                 /* descriptor of the file, to read it again; -1: none */
    gig_model_options limits; /* it was loaded within, and is read again within */
    int released;             /* some constants have lost their data */
};

const gig_attribute *gig_node_attribute(const gig_node *node, const char *name); /* NULL: absent */
int64_t gig_node_int(const gig_node *node, const char *name, int64_t otherwise);
float gig_node_real(const gig_node *node, const char *name, float otherwise);
const char *gig_node_string(const gig_node *node, const char *name, const char *otherwise);
/* NULL and *count 0 if absent or not a list. */
const int64_t *gig_node_ints(const gig_node *node, const char *name, size_t *count);

/* Orders the nodes of a model whose list was changed, and fills by_name, which must be NULL. */
gig_status gig_model_sort(gig_model *model);
void gig_subgraph_free(gig_subgraph *graph); /* NULL is allowed */

/* ---- release_weights.c: a model whose owner lets a network take the weights that it has packed ---- */
void gig_model_hold_file(gig_model *model);        /* once, by the loader */
int gig_model_can_release(const gig_model *model); /* whether the file can be read again */
void gig_model_release(gig_model *model,
                       int value); /* frees a constant's data; nothing else may use the model meanwhile */
/* Loads the whole model again from the same bytes. GIG_EFORMAT if they have changed. */
gig_status gig_model_read_again(gig_model **out, const gig_model *model);

int gig_model_find(const gig_model *model, const char *value_name); /* value index, -1: none */
/* The input of this name; NULL: there is none. */
const gig_value *gig_model_input(const gig_model *model, const char *name);
int gig_onnx_is_float(int onnx_type); /* float, float16, bfloat16 or double */
/* The same for a name that a user gave: GIG_EARG suggests the nearest ones. */
gig_status gig_model_find_tensor(int *out, const gig_model *model, const char *value_name);

/* "node 17 \"conv2_1\"" or "node 3 \"conv\" in function \"Block\"" into text, for messages; long names are cut. Returns
 * text. */
const char *gig_node_text(char *text, size_t bytes, const gig_node *node);

#endif
