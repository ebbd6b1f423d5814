/* SPDX-License-Identifier: Apache-2.0 */
/* LSTM, GRU and RNN: one step of a cell, forward and back, for one row of one direction. */
#ifndef GIG_NETWORK_OPERATORS_RECURRENT_H
#define GIG_NETWORK_OPERATORS_RECURRENT_H

#include "network/operator.h"

typedef enum gig_cell_kind { GIG_CELL_LSTM, GIG_CELL_GRU, GIG_CELL_RNN } gig_cell_kind;

/* A function of one number: alpha and beta where it has some. */
typedef struct gig_activation {
    int kind;
    float alpha, beta;
} gig_activation;

/* One direction's weights. G gates of H numbers: LSTM i o f c, GRU z r h, RNN one. */
typedef struct gig_recurrence {
    gig_cell_kind kind;
    size_t gates, hidden, features;
    const float *w, *r;           /* [G H, I], [G H, H] */
    const float *bias;            /* [2 G H], of w, then of r; NULL: 0 */
    const float *peep;            /* [3 H], i o f; NULL: 0 */
    gig_activation activation[3]; /* f g h */
    float clip;                   /* 0: none */
    int reset_after;              /* GRU: linear_before_reset */
} gig_recurrence;

/* What a step leaves for the way back. */
typedef struct gig_recurrent_step {
    float *before; /* [G H] what the gates' activations take */
    float *after;  /* [G H] what they give */
    float *inner;  /* [H] GRU: R h + bias of the candidate */
    float *h, *c;  /* [H] states after the step; c: LSTM only */
} gig_recurrent_step;

/* A name of the specification; GIG_EUNSUPPORTED for others. Sets the defaults of alpha and beta, and tells how many of
 * them it has. */
gig_status gig_activation_find(gig_activation *out, int *parameters, const char *name);

/* The states before a step: [H] each; c: LSTM only. */
typedef struct gig_recurrent_state {
    const float *h, *c;
} gig_recurrent_state;

void gig_recurrent_forward(const gig_recurrence *of, const gig_recurrent_step *step, const float *x,
                           gig_recurrent_state before);
/* d_h, d_c: with respect to the step's states, replaced by those before it. d_x is added to; work: [2 G H] floats. */
void gig_recurrent_backward(const gig_recurrence *of, const gig_recurrent_step *step, gig_recurrent_state before,
                            float *d_h, float *d_c, float *d_x, float *work);

#endif
