/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the movement family (movement.c, slice.c, pad.c, concat.c) and their neighbours share. */
#ifndef GIG_NETWORK_OPERATORS_MOVEMENT_H
#define GIG_NETWORK_OPERATORS_MOVEMENT_H

#include "network/locate/mapping.h"

/* The batch that constants of the file were written for. */
static inline int64_t gig_op_file_batch(const gig_op *op)
{
    return op->file_batch ? op->file_batch : 1;
}

/* Whether `written`, a size of axis 0 that the file states as a constant, was meant as the batch: it is the file's
 * batch (1 if the file leaves it free), data x has the planned batch there instead, and x is no constant. */
static inline int gig_op_rebatched(const gig_op *op, const gig_tensor *x, int64_t written)
{
    int64_t file_batch = gig_op_file_batch(op);
    return op->batch != file_batch && written == file_batch && !x->data && x->rank && x->dims[0] == op->batch;
}

/* Whether a constant written for the file's batch, the same for each point, serves data of the planned batch: repeated
 * as often as that takes. */
int gig_op_repeats(const gig_op *op, const gig_tensor *constant, int64_t batch);

gig_status gig_slice_infer_attributes(gig_op *op); /* opset 1 */
gig_status gig_slice_infer(gig_op *op);            /* opset 10 */

gig_status gig_pad_infer(gig_op *op);
gig_status gig_pad_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out);
gig_status gig_pad_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                            const gig_tensor *const *d_out, gig_tensor *const *d_in);

gig_status gig_center_infer(gig_op *op); /* CenterCropPad */

gig_status gig_concat_infer(gig_op *op);
gig_status gig_concat_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out);
gig_status gig_concat_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                               const gig_tensor *const *d_out, gig_tensor *const *d_in);
gig_status gig_split_infer(gig_op *op);
gig_status gig_split_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out);
gig_status gig_split_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                              const gig_tensor *const *d_out, gig_tensor *const *d_in);

#endif
