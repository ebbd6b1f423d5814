/* SPDX-License-Identifier: Apache-2.0 */
/* Guided IG as a guide: each step moves the features with the smallest |gradient| until it has covered its share of the
 * L1 distance to the end.
 *
 * Legend: N features, T steps, p the fraction, m the window (max_dist), x the point, b start, e end. Bounded, features
 * move only up to the straight line's point at alpha + m, and those behind its point at alpha - m catch up first (PAIR
 * saliency's rule); unbounded, they move up to e (the paper's appendix).
 *
 * Differs from PAIR saliency: points are float, so a step ends when what is left of it is below 1e-9 of the whole
 * distance (not of this step's) or nothing can move; the last step is set to e exactly; features are finished by flag.
 */
#include "base/memory.h"
#include "base/status.h"
#include "gig/path.h"
#include "path/lanes.h"
#include "path/select.h"
#include "path/sums.h"

static const gig_guided_options no_options = GIG_GUIDED_OPTIONS_INIT;
static const double default_fraction = 0.1, closeness = 1e-9;
enum { PASSES_BEFORE_SORTING = 12 };

typedef struct guided {
    gig_guided_options options;
    size_t features, steps;
    const float *start, *end;
    double whole;      /* L1 distance from start to end */
    double left;       /* L1 distance from the point to end */
    uint32_t *keys;    /* of the gradient; GIG_KEY_DONE where a feature cannot move any more in this step */
    uint32_t *scratch; /* of the selection */
    uint8_t *done;     /* has reached its end */
    float *ahead;      /* bounded: the straight line's point at alpha + m */
    uint32_t *order;   /* room for two orders of the features, if a step may need many passes */
} guided;

static size_t padded(size_t bytes)
{
    return (bytes + GIG_ALIGNMENT - 1) / GIG_ALIGNMENT * GIG_ALIGNMENT;
}

static const gig_guided_options *chosen(const void *options)
{
    return options ? options : &no_options;
}

/* A pass finishes at least the fraction of all features; with a fraction of the remaining ones it may be fewer each
 * time. */
static int may_sort(const gig_guided_options *options)
{
    double fraction = options->fraction > 0 ? options->fraction : default_fraction;
    return options->of_remaining || fraction * (PASSES_BEFORE_SORTING - 1) < 1;
}

static size_t state_size(const void *options, size_t features)
{
    return (may_sort(chosen(options)) ? 2 * padded(features * sizeof(uint32_t)) : 0) + padded(sizeof(guided)) +
           padded(features * sizeof(uint32_t)) + padded(gig_select_scratch(features) * sizeof(uint32_t)) +
           padded(features) + (chosen(options)->bounded ? padded(features * sizeof(float)) : 0);
}

static gig_status check_options(const gig_guided_options *options)
{
    if (!(options->fraction >= 0 && options->fraction <= 1))
        return gig_fail(GIG_EARG, "fraction %g: expected a number above 0, at most 1", options->fraction);
    if (options->bounded && !(options->max_dist >= 0 && options->max_dist <= 1))
        return gig_fail(GIG_EARG, "max-dist %g: expected a number from 0 to 1", options->max_dist);
    return GIG_OK;
}

static gig_status begin(void *state, const void *options, const float *start, const float *end, size_t features,
                        size_t steps)
{
    GIG_TRY(check_options(chosen(options)));
    if (!end) return gig_fail(GIG_EARG, "Guided IG needs an end point");
    guided *self = state;
    *self = (guided){.options = *chosen(options), .features = features, .steps = steps, .start = start, .end = end};
    if (self->options.fraction == 0) self->options.fraction = default_fraction;
    char *at = (char *)state + padded(sizeof *self);
    self->keys = (uint32_t *)(void *)at;
    at += padded(features * sizeof(uint32_t));
    self->scratch = (uint32_t *)(void *)at;
    at += padded(gig_select_scratch(features) * sizeof(uint32_t));
    self->done = (uint8_t *)at;
    at += padded(features);
    if (may_sort(&self->options)) {
        self->order = (uint32_t *)(void *)at;
        at += 2 * padded(features * sizeof(uint32_t));
    }
    if (self->options.bounded) self->ahead = (float *)(void *)at;
    for (size_t i = 0; i < features; i++) self->done[i] = start[i] == end[i];
    self->whole = self->left = gig_sums_l1(start, end, features);
    return GIG_OK;
}

/* Sum of |to - x| over the features whose key is at most `threshold`. */
GIG_CLONES static double distance_of(const uint32_t *keys, uint32_t threshold, const float *x, const float *to,
                                     size_t n)
{
    lanes_d sum[2] = {{0}};
    LANES_EACH(n, i, h, count, {
        lanes_d a, b;
        lanes_l flags;
        lanes_load(&a, x + i, count);
        lanes_load(&b, to + i, count);
        lanes_at_most(&flags, keys + i, threshold, count);
        b -= a;
        lanes_abs(&b);
        lanes_keep(&b, &flags);
        sum[h] += b;
    });
    return lanes_total(sum);
}

/* next = x + share (to - x) for those features, x for the others. Returns the sum of |to - next| over all features. */
GIG_CLONES static double move_part(float *next, const float *x, const uint32_t *keys, uint32_t threshold,
                                   const float *to, double share, size_t n)
{
    lanes_d left[2] = {{0}};
    LANES_EACH(n, i, h, count, {
        lanes_d a, b;
        lanes_l flags;
        lanes_load(&a, x + i, count);
        lanes_load(&b, to + i, count);
        lanes_at_most(&flags, keys + i, threshold, count);
        lanes_d move = share * (b - a);
        lanes_keep(&move, &flags);
        a += move;
        lanes_round(&a);
        lanes_store(next + i, &a, count);
        b -= a;
        lanes_abs(&b);
        left[h] += b;
    });
    return lanes_total(left);
}

/* next = to for those features, which are finished for this step; x for the others. */
GIG_CLONES static void move_whole(float *next, const float *x, uint32_t *keys, uint32_t threshold, const float *to,
                                  size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int moves = keys[i] <= threshold;
        next[i] = moves ? to[i] : x[i];
        keys[i] = moves ? GIG_KEY_DONE : keys[i];
    }
}

GIG_CLONES static void keep_done(uint8_t *done, const uint32_t *keys, size_t n)
{
    for (size_t i = 0; i < n; i++) done[i] = keys[i] == GIG_KEY_DONE;
}

static size_t rank_of(const guided *self)
{
    size_t among = self->features;
    if (self->options.of_remaining) {
        among = 0;
        for (size_t i = 0; i < self->features; i++) among += self->keys[i] != GIG_KEY_DONE;
    }
    return among ? (size_t)(self->options.fraction * (double)(among - 1)) : 0;
}

/* Many small groups: the same as the loop in `move`, over the features in order of their keys. */
static void move_in_order(guided *self, float *x, const float *to, double target)
{
    uint32_t *order = self->order;
    size_t count = gig_select_order(order, order + self->features, self->keys, self->features), at = 0;
    size_t all = (size_t)(self->options.fraction * (double)(self->features - 1)) + 1;
    while (at < count && self->left - target > closeness * self->whole) {
        size_t wanted =
            self->options.of_remaining ? (size_t)(self->options.fraction * (double)(count - at - 1)) + 1 : all;
        size_t end = at + (wanted < count - at ? wanted : count - at);
        while (end < count && self->keys[order[end]] == self->keys[order[end - 1]]) end++;
        double distance = 0;
        for (size_t i = at; i < end; i++) distance += fabs((double)to[order[i]] - (double)x[order[i]]);
        double share = (self->left - target) / distance;
        for (size_t i = at; i < end; i++) {
            size_t f = order[i];
            x[f] = share < 1 ? (float)((double)x[f] + share * ((double)to[f] - (double)x[f])) : to[f];
            if (share >= 1 && to == self->end) self->done[f] = 1;
        }
        if (share < 1) break;
        self->left -= distance;
        at = end;
    }
    self->left = gig_sums_l1(x, self->end, self->features);
}

/* next = x moved towards `to` until the distance left is `target`; x may be next. */
static gig_status move(guided *self, float *next, const float *x, const float *to, double target)
{
    size_t n = self->features;
    for (int pass = 0; self->left - target > closeness * self->whole; pass++, x = next) {
        if (pass >= PASSES_BEFORE_SORTING && self->order) {
            move_in_order(self, next, to, target);
            return GIG_OK;
        }
        uint32_t threshold = gig_select_key(self->keys, n, rank_of(self), self->scratch);
        if (threshold > GIG_KEY_FINITE) threshold = GIG_KEY_FINITE;
        double distance = distance_of(self->keys, threshold, x, to, n), wanted = self->left - target;
        if (distance > wanted) {
            double left = move_part(next, x, self->keys, threshold, to, wanted / distance, n);
            self->left = to == self->end ? left : gig_sums_l1(next, self->end, n);
            return GIG_OK;
        }
        move_whole(next, x, self->keys, threshold, to, n);
        if (to == self->end) keep_done(self->done, self->keys, n);
        self->left -= distance;
        if (threshold == GIG_KEY_FINITE) return GIG_OK; /* nothing else could move */
    }
    if (x != next) memcpy(next, x, n * sizeof *next);
    return GIG_OK;
}

/* Features behind the straight line's point at `least` are brought there; those at `ahead` cannot move in this step. */
GIG_CLONES static void catch_up(float *x, uint32_t *keys, const float *start, const float *end, const float *ahead,
                                double least, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double b = (double)start[i], d = (double)end[i] - b;
        float behind = (float)(b + least * d);
        int lags = d > 0 ? x[i] < behind : x[i] > behind;
        x[i] = lags ? behind : x[i];
        keys[i] = x[i] == ahead[i] ? GIG_KEY_DONE : keys[i];
    }
}

static gig_status advance(void *state, size_t step, double value, const float *gradient, const float *at, float *next)
{
    (void)value;
    guided *self = state;
    size_t n = self->features;
    if (step + 1 >= self->steps) {
        memcpy(next, self->end, n * sizeof *next);
        self->left = 0;
        return GIG_OK;
    }
    gig_select_keys(self->keys, gradient, self->done, n);
    double alpha = (double)(step + 1) / (double)self->steps, target = self->whole * (1 - alpha);
    if (!self->options.bounded) return move(self, next, at, self->end, target);
    double least = fmax(alpha - self->options.max_dist, 0), most = fmin(alpha + self->options.max_dist, 1);
    const float *to = self->end;
    if (most < 1) {
        gig_sums_between(self->ahead, self->start, self->end, most, n);
        to = self->ahead;
    }
    memcpy(next, at, n * sizeof *next);
    catch_up(next, self->keys, self->start, self->end, to, least, n);
    self->left = gig_sums_l1(next, self->end, n);
    return move(self, next, next, to, target);
}

gig_guide gig_guide_guided(const gig_guided_options *options)
{
    return (gig_guide){.state_size = state_size, .begin = begin, .advance = advance, .options = options};
}
