/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the loader's files. Flow: bytes -> check_wire.c -> load.c (unpack) -> inline.c (functions; inline.h) ->
 * build_graph.c (graph; node_order.c sorts its nodes) with weights.c turning each TensorProto into a tensor, through
 * external.c where its bytes lie in another file. */
#ifndef GIG_MODEL_LOAD_H
#define GIG_MODEL_LOAD_H

#include "base/memory.h"
#include "base/status.h"
#include "model/graph.h"
#include "model/onnx.pb-c.h"

enum {
    GIG_MAX_DEPTH = 100,        /* nested messages, as libprotobuf allows */
    GIG_MAX_NAME = 4096,        /* bytes of a value's, node's or operator's name */
    GIG_MAX_ATTRIBUTES = 256,   /* of one node */
    GIG_MAX_IMPORTS = 64,       /* opsets a file imports */
    GIG_MAX_FUNCTIONS = 4096,   /* a file defines */
    GIG_MAX_STRUCTURE = 1 << 29 /* bytes of unpacked messages, weights' own bytes not counted */
};

/* ---- check_wire.c ---- */

/* The cost of unpacking. */
typedef struct gig_scan {
    size_t nodes;     /* NodeProto messages, those of subgraphs and functions included */
    size_t structure; /* bytes of messages, strings and lists, with the allocator's own overhead */
    size_t payload;   /* bytes of raw data and packed lists */
} gig_scan;

/* Reads the wire format once, before anything is unpacked: GIG_EFORMAT if it is broken, GIG_ELIMIT if depth, nodes or
 * bytes are above the limits. */
gig_status gig_scan_model(gig_scan *out, const uint8_t *bytes, size_t count, size_t max_nodes, size_t max_payload);

/* ---- weights.c ---- */

/* Where weights come from, and how many bytes they may take in total. */
typedef struct gig_weights {
    int folder;           /* descriptor of the model's folder, -1: external data is rejected */
    size_t used, most;    /* bytes of tensors so far, and allowed */
    int reduced;          /* set when float16, bfloat16 or double became float */
    int is_external;      /* set when values came from another file */
    uint8_t external[32]; /* SHA-256 of those values, tensor after tensor */
} gig_weights;

/* One tensor; `out` owns its data. Unless it is `shared` (will be read again), the message is consumed: its raw data
 * may move into `out`. The caller's message names the tensor. */
gig_status gig_weights_read(gig_tensor *out, gig_weights *weights, Onnx__TensorProto *message, int shared);

/* Adds this many bytes; GIG_ELIMIT above the limit. */
gig_status gig_weights_take(gig_weights *weights, size_t count, size_t size);

/* GIG_EFORMAT if `type` is not an ONNX data type, GIG_EUNSUPPORTED if it is not a supported number type. */
gig_status gig_weights_check_type(int type);

/* ---- external.c ---- */

/* The only way to bytes outside the model file: reads exactly `bytes` bytes into `out`. folder -1: rejected. */
gig_status gig_external_read(void *out, size_t bytes, int folder, const Onnx__TensorProto *message);

/* ---- build_graph.c, node.c, names.c, node_order.c ---- */

/* Fills model from the message, which is consumed (tensors and lists move out of it). */
gig_status gig_build_graph(gig_model *model, Onnx__ModelProto *message, gig_weights *weights, size_t max_nodes);

/* Version of ONNX's own operators that the file or function imports, 0: none. */
gig_status gig_build_opset(int *out, size_t import_count, Onnx__OperatorSetIdProto **imports);
gig_status gig_check_opset(int opset); /* load.c: GIG_EUNSUPPORTED if it is too new */

/* Operator, domain, opset and attributes of one node; its values are resolved by build_graph.c. */
struct gig_flat_node;
gig_status gig_build_node(gig_node *node, const struct gig_flat_node *flat, const Onnx__ModelProto *model,
                          gig_weights *weights);
/* ---- subgraph.c ---- */
/* An attribute's graph, which is consumed. The caller frees *out, even if this fails. */
gig_status gig_build_subgraph(gig_subgraph **out, Onnx__GraphProto *message, const Onnx__ModelProto *model,
                              gig_weights *weights);
/* How many outer values a node's subgraphs read; and their indices, written after its own inputs. */
size_t gig_node_captures(const gig_node *node);
gig_status gig_node_take_captures(gig_node *node, size_t own, int (*resolve)(const void *, const char *),
                                  const void *payload);

/* The declared type, else the type of the only field that is set. */
int gig_attribute_type(const Onnx__AttributeProto *from);
const char *gig_plain_domain(const char *domain); /* "" for ONNX's own */
void gig_node_clear(gig_node *node);

/* UTF-8 without a NUL byte: safe as a C string, in a message and in JSON. */
int gig_text_is_sound(const void *text, size_t bytes);
/* A copy of a name (NULL counts as ""); an error if it is longer than GIG_MAX_NAME. */
gig_status gig_name_copy(char **out, const char *name);
/* Indices 0..count-1 into `order`, sorted by names; worst case count * log(count) comparisons, no extra memory. */
void gig_names_sort(int *order, size_t count, const gig_value *values);
/* The value of that name among the `count` sorted ones, -1: none. */
int gig_names_find(const int *order, size_t count, const gig_value *values, const char *name);

/* Sorts model->nodes so that each follows its inputs, keeping the file's order if that is already true. producer[v] is
 * the node that produces value v, -1: none. GIG_EFORMAT on a cycle. */
gig_status gig_order_nodes(gig_model *model, const int *producer);

#endif
