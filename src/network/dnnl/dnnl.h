/* SPDX-License-Identifier: Apache-2.0 */
/* The interface to oneDNN for the rest of network/: memory layouts, primitives, and their binding to memory. No oneDNN
 * name is used outside this folder; onednn2.c and onednn3.c hold what differs between its major versions, and Meson
 * compiles one of them.
 *
 * An engine owns every layout and primitive made with it. Layouts never change; primitives do not after they are
 * compiled, so several threads may bind and run them. */
#ifndef GIG_NETWORK_DNNL_DNNL_H
#define GIG_NETWORK_DNNL_DNNL_H

#include "base/memory.h"
#include "base/signals.h"
#include "base/status.h"
#include "base/tensor.h"
#include "network/matrix.h"

enum { GIG_LAYOUT_RANK = 12 }; /* most dims that oneDNN supports; its functions read arrays of this length */

typedef enum gig_number { GIG_NUMBER_F32, GIG_NUMBER_BF16, GIG_NUMBER_OTHER } gig_number;

/* The memory layout of a tensor. */
typedef struct gig_layout {
    int rank;
    gig_number type;
    int64_t dims[GIG_LAYOUT_RANK];
    int64_t strides[GIG_LAYOUT_RANK]; /* in elements, between blocks where there are blocks */
    size_t bytes;
    int channel_block; /* of nCxxx8c / nCxxx16c with channels a multiple of it, else 0 */
    int block;         /* the same with any number of channels; 0: no blocks; -1: blocks of another kind */
    int padded;        /* memory is padded beyond the dims */
    int plain;         /* the bytes are those of a dense row-major tensor */
    void *handle;
} gig_layout;

typedef struct gig_onednn gig_onednn;
typedef struct gig_stream gig_stream;

gig_status gig_onednn_create(gig_onednn **out);
/* Data of convolutions in both directions uses blocks of 8 or 16 channels if there is a fast implementation; 0: oneDNN
 * chooses for each. */
void gig_onednn_set_block(gig_onednn *engine, int block);
/* After planning: frees what is needed only to create primitives. */
void gig_onednn_settle(gig_onednn *engine);
void gig_onednn_free(gig_onednn *engine);
gig_status gig_stream_create(gig_stream **out, const gig_onednn *engine);
void gig_stream_free(gig_stream *stream);

/* ---- the CPU, as far as oneDNN may use it (a limit set from outside holds for our own kernels too) ---- */

int gig_cpu_has_amx(void);  /* bfloat16 tiles */
int gig_cpu_has_avx2(void); /* and fused multiply-add, perhaps more */
int gig_cpu_has_avx512(void);
int gig_cpu_has_wide_vectors(void); /* AVX-512 for a kernel with the bits of AVX2: portable does not rule it out */
int gig_cpu_has_bf16(void);         /* products of bfloat16 pairs (AVX-512), perhaps tiles */

/* Limits oneDNN to AVX2 for the whole process, and our kernels to what has the same bits with and without further CPU
 * features; or sets no limit. The first call decides; GIG_EARG if a later one differs, GIG_EUNSUPPORTED without AVX2.
 */
gig_status gig_cpu_set_portable(int portable);
int gig_cpu_is_portable(void);

/* One thread, flushed denormals and blocked signals while oneDNN runs; the caller's settings are restored. */
typedef struct gig_guard {
    gig_signals held;
    int threads;
    unsigned flags;
} gig_guard;
void gig_guard_enter(gig_guard *guard, int threads);
void gig_guard_leave(const gig_guard *guard);

/* ---- layout.c ---- */

/* Dense row-major layout of a real tensor (rank 0 counts as [1]), or of f32 dims. */
gig_status gig_layout_plain(const gig_layout **out, gig_onednn *engine, const gig_tensor *tensor);
gig_status gig_layout_dense(const gig_layout **out, gig_onednn *engine, int rank, const int64_t *dims);
/* The f32 matrix [rows, columns]; turned: stored column by column. */
gig_status gig_layout_matrix(const gig_layout **out, gig_onednn *engine, int64_t rows, int64_t columns, int turned);
/* f32 in blocks of 8 or 16 channels, rank 3 to 5. */
gig_status gig_layout_blocked(const gig_layout **out, gig_onednn *engine, int rank, const int64_t *dims, int block);
/* A range of channels inside a larger tensor. */
gig_status gig_layout_part(const gig_layout **out, gig_onednn *engine, const gig_layout *whole, int64_t first_channel,
                           int64_t channels);
/* The same layout for another type. GIG_EUNSUPPORTED if there is none. */
gig_status gig_layout_with_type(const gig_layout **out, gig_onednn *engine, const gig_layout *layout, gig_number type);
int gig_layout_same(const gig_layout *a, const gig_layout *b); /* same bytes in the same order */

/* ---- primitive.c ---- */

typedef enum gig_argument {
    GIG_ARG_SRC,
    GIG_ARG_WEIGHTS,
    GIG_ARG_BIAS,
    GIG_ARG_DST,
    GIG_ARG_WORKSPACE,
    GIG_ARG_DIFF_SRC,
    GIG_ARG_DIFF_DST,
    GIG_ARG_COUNT
} gig_argument;

typedef struct gig_primitive {
    const gig_layout *layouts[GIG_ARG_COUNT]; /* the required layouts; NULL: not an argument */
    size_t scratch_bytes;
    void *description, *code;
} gig_primitive;

/* Compiles it: required before it is bound. `what` is for messages. */
gig_status gig_primitive_compile(gig_primitive *primitive, const char *what);

/* A primitive with all its memory. Scratch has at least scratch_bytes. */
typedef struct gig_binding gig_binding;
gig_status gig_binding_create(gig_binding **out, const gig_onednn *engine, const gig_primitive *primitive, size_t count,
                              const gig_argument *arguments, void *const *pointers, void *scratch);
void gig_binding_free(gig_binding *binding);
gig_status gig_binding_run(const gig_binding *binding, const gig_stream *stream, const char *what);

/* Moves bytes from one layout to another: as a primitive (SRC, DST), or now. */
gig_status gig_reorder(gig_primitive **out, gig_onednn *engine, const gig_layout *from, const gig_layout *to);
gig_status gig_reorder_now(gig_onednn *engine, const gig_layout *from, const void *source, const gig_layout *to,
                           void *target);

/* ---- product.c ---- */

/* Rows [rows, depth] times weights [depth, columns], of f32 or bf16, into f32. All dense, except that oneDNN chooses
 * the layout of the weights unless `plain`. add: adds to the previous contents of the result. */
typedef struct gig_product_sizes {
    int64_t rows, depth, columns;
    gig_number type;
    int plain, add;
} gig_product_sizes;
/* SRC, WEIGHTS, DST. *out NULL and GIG_OK: oneDNN has no fast one. */
gig_status gig_product_create(gig_primitive **out, gig_onednn *engine, const gig_product_sizes *sizes);

/* In plain memory, now. */
gig_status gig_matrix_product(const gig_gemm *of);

#endif
