/* SPDX-License-Identifier: Apache-2.0 */
/* SAMP as a guide (Li and others, ICLR 2024): the reverse of Guided IG's choice. Each step moves the pixels that change
 * F most according to the gradient to their end, so that the change is concentrated on few pixels.
 *
 *     y_p = sum over the channels c of pixel p of g_pc (end_pc - at_pc)
 *
 * With `falling` 0 the pixels with the largest y move (F rises), otherwise those with the smallest (F falls). Of r
 * remaining pixels with s steps to go, ceil(r / s) move, all the way; equal y in the order of the pixels.
 *
 * Differs from SAMP: SAMP moves a given number of pixels per step, and the number of steps follows (10,000 at 224 x 224
 * with its 5 pixels per step); here the number of steps is given. SAMP's bound of 1/5 of the L1 distance per step is
 * left out: pixels move all the way, the last step moves all that is left, and only few steps, or few pixels with most
 * of the distance, exceed the bound. Its momentum is left out: the gradient is that of the step alone. */
#include "base/memory.h"
#include "base/status.h"
#include "internal/path.h"
#include "path/select.h"
#include <math.h>
#include <string.h>

typedef struct samp {
    gig_samp_options options;
    size_t features, pixels, steps;
    size_t left; /* pixels that are not at their end */
    const float *end;
    uint32_t *keys, *order, *scratch; /* [pixels] */
    uint8_t *done;                    /* [pixels] */
} samp;

static size_t padded(size_t bytes)
{
    return (bytes + GIG_ALIGNMENT - 1) / GIG_ALIGNMENT * GIG_ALIGNMENT;
}

static size_t state_size(const void *options, size_t features)
{
    const gig_samp_options *how = options;
    size_t pixels = how->channels ? features / how->channels : features;
    return padded(sizeof(samp)) + 3 * padded(pixels * sizeof(uint32_t)) + padded(pixels);
}

/* Where channel c of pixel p is. */
static size_t place(const samp *self, size_t p, size_t c)
{
    return self->options.planar ? c * self->pixels + p : p * self->options.channels + c;
}

static int is_at_end(const samp *self, const float *at, size_t p)
{
    for (size_t c = 0; c < self->options.channels; c++)
        if (at[place(self, p, c)] != self->end[place(self, p, c)]) return 0;
    return 1;
}

static gig_status begin(void *state, const void *options, const float *start, const float *end, size_t features,
                        size_t steps)
{
    samp *self = state;
    *self = (samp){.options = *(const gig_samp_options *)options, .features = features, .steps = steps, .end = end};
    if (!self->options.channels) self->options.channels = 1;
    if (!end) return gig_fail(GIG_EARG, "SAMP needs an end point");
    if (features % self->options.channels)
        return gig_fail(GIG_EARG, "%zu features cannot be divided into pixels of %zu channels", features,
                        self->options.channels);
    self->pixels = features / self->options.channels;
    char *at = (char *)state + padded(sizeof *self);
    uint32_t **const arrays[] = {&self->keys, &self->order, &self->scratch};
    for (int i = 0; i < 3; i++, at += padded(self->pixels * sizeof(uint32_t))) *arrays[i] = (uint32_t *)(void *)at;
    self->done = (uint8_t *)at;
    for (size_t p = 0; p < self->pixels; p++) {
        self->done[p] = (uint8_t)is_at_end(self, start, p);
        self->left += !self->done[p];
    }
    return GIG_OK;
}

/* A key that ascends where y descends: the bits of the float, mapped so that they sort like the numbers, without the
 * last bit. */
static uint32_t key_of(double y)
{
    float value = (float)-y;
    uint32_t bits;
    if (isinf(value)) value = copysignf(3e38f, value);
    memcpy(&bits, &value, sizeof bits);
    return (bits & 0x80000000u ? ~bits : bits | 0x80000000u) >> 1;
}

static gig_status advance(void *state, size_t step, double value, const float *gradient, const float *at, float *next)
{
    samp *self = state;
    (void)value;
    if (step + 1 >= self->steps) {
        memcpy(next, self->end, self->features * sizeof *next);
        return GIG_OK;
    }
    for (size_t p = 0; p < self->pixels; p++) {
        double y = 0;
        for (size_t c = 0; c < self->options.channels; c++) {
            size_t i = place(self, p, c);
            y += (double)gradient[i] * ((double)self->end[i] - (double)at[i]);
        }
        self->keys[p] = self->done[p] ? GIG_KEY_DONE : key_of(self->options.falling ? -y : y);
    }
    size_t count = gig_select_order(self->order, self->scratch, self->keys, self->pixels);
    size_t steps = self->steps - step, moved = (self->left + steps - 1) / steps;
    memcpy(next, at, self->features * sizeof *next);
    for (size_t k = 0; k < moved && k < count; k++) {
        size_t p = self->order[k];
        for (size_t c = 0; c < self->options.channels; c++) next[place(self, p, c)] = self->end[place(self, p, c)];
        self->done[p] = 1;
        self->left--;
    }
    return GIG_OK;
}

gig_guide gig_guide_samp(const gig_samp_options *options)
{
    return (gig_guide){.state_size = state_size, .begin = begin, .advance = advance, .options = options};
}
