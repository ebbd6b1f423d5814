/* SPDX-License-Identifier: Apache-2.0 */
/* road: remove and debias (Rong, Leemann, Borisov, Kasneci, Kasneci, ICML 2022). Pixels are removed in the order of a
 * map, most relevant first and least relevant first, 10, 20, 30, 40, 50, 70, 90, 95 and 99 % of them. A removed pixel
 * is imputed so that the removal itself reveals little: its value is the mean of its up to 8 neighbours, direct ones
 * with twice the weight of diagonal ones (1/6 and 1/12), which is one linear system for all missing pixels, plus noise
 * of standard deviation 0.01.
 *
 *     ROAD = mean over the fractions of F(least relevant removed) - F(most relevant removed)
 *
 * With w the weights of neighbours inside the picture, missing pixels i solve sum_j w_ij (x_i - x_j) = 0. The matrix is
 * symmetric and positive definite as long as a pixel is known: conjugate gradients, scaled by the diagonal, in double
 * and in a fixed order, so that every machine gets the same picture. */
#include "base/clones.h"
#include "base/memory.h"
#include "base/rng.h"
#include "internal/score.h"
#include "score/measure.h"
#include "score/order.h"
#include "score/picture_values.h"
#include "score/random_streams.h"
#include <math.h>
#include <string.h>

enum { SHARES = GIG_ROAD_SHARES, NEIGHBOURS = 8, LANES = 4 };
static const double shares[SHARES] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9, 0.95, 0.99};
static const double noise = 0.01;

/* ---- the linear system ---- */

/* Up to LANES channels of the picture are solved together, in one vector: they share the matrix. Each lane stops on its
 * own. */
typedef double road_lanes __attribute__((vector_size(LANES * sizeof(double)), aligned(sizeof(double))));

typedef struct road_system {
    size_t count;                /* of unknowns, in raster order, so that neighbours lie near each other in memory */
    uint32_t *pixels;            /* [count] where they are */
    int32_t (*next)[NEIGHBOURS]; /* unknown beside it; count: known, or outside */
    double *diagonal, *inverse;  /* sum of the weights of neighbours inside the picture, and 1 / that */
    road_lanes *known;           /* contribution of known neighbours */
    road_lanes *x, *r, *p, *q;   /* [count]; p has one more, which is 0 */
} road_system;

static const int steps[NEIGHBOURS][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}, {-1, -1}, {-1, 1}, {1, -1}, {1, 1}};

static double weight_of(int neighbour)
{
    return neighbour < 4 ? 1.0 / 6 : 1.0 / 12;
}

/* q = A p, and p . q into `product`. All sums run in the order of the pixels, whatever the instruction set. */
GIG_CLONES static void apply(const road_system *s, road_lanes *product)
{
    const road_lanes *p = s->p;
    const double beside = weight_of(0), corner = weight_of(4);
    road_lanes sum = {0};
    for (size_t i = 0; i < s->count; i++) {
        const int32_t *next = s->next[i];
        road_lanes q = s->diagonal[i] * p[i] - beside * ((p[next[0]] + p[next[1]]) + (p[next[2]] + p[next[3]])) -
                       corner * ((p[next[4]] + p[next[5]]) + (p[next[6]] + p[next[7]]));
        s->q[i] = q;
        sum += p[i] * q;
    }
    *product = sum;
}

/* x and r move by `step` of p and q; q = r / diagonal; r . q into `product`, r . r into `left`. */
GIG_CLONES static void move(const road_system *s, const road_lanes *step, road_lanes *product, road_lanes *left)
{
    road_lanes sum = {0}, square = {0};
    for (size_t i = 0; i < s->count; i++) {
        road_lanes r = s->r[i] - *step * s->q[i], q = r * s->inverse[i];
        s->x[i] += *step * s->p[i];
        s->r[i] = r;
        s->q[i] = q;
        sum += r * q;
        square += r * r;
    }
    *product = sum;
    *left = square;
}

/* p = q + ratio p */
GIG_CLONES static void turn(const road_system *s, const road_lanes *ratio)
{
    for (size_t i = 0; i < s->count; i++) s->p[i] = s->q[i] + *ratio * s->p[i];
}

/* One round of conjugate gradients; lanes that are done keep their x. */
static void advance(const road_system *s, road_lanes *rho, const int *open, road_lanes *left)
{
    road_lanes step, ratio, product;
    apply(s, &product);
    for (int l = 0; l < LANES; l++) step[l] = open[l] ? (*rho)[l] / product[l] : 0;
    move(s, &step, &product, left);
    for (int l = 0; l < LANES; l++) ratio[l] = open[l] ? product[l] / (*rho)[l] : 0;
    *rho = product;
    turn(s, &ratio);
}

/* Solves the system; x holds the initial guess. */
static gig_status solve(const road_system *s)
{
    enum { MOST_ROUNDS = 20000 };
    static const double close = 1e-7; /* root mean square of the residual */
    size_t n = s->count;
    road_lanes rho, left;
    memcpy(s->p, s->x, n * sizeof *s->p);
    apply(s, &rho);
    for (size_t i = 0; i < n; i++) {
        s->r[i] = s->known[i];
        s->p[i] = (road_lanes){0};
    }
    move(s, &(const road_lanes){1, 1, 1, 1}, &rho, &left);
    memcpy(s->p, s->q, n * sizeof *s->p);
    for (int round = 0;; round++) {
        int open[LANES], any = 0;
        for (int l = 0; l < LANES; l++) any |= open[l] = left[l] > close * close * (double)n;
        if (!any) return GIG_OK;
        if (round == MOST_ROUNDS)
            return gig_fail(GIG_ENUMERIC, "imputing %zu pixels does not converge in %d rounds", n, MOST_ROUNDS);
        advance(s, &rho, open, &left);
    }
}

/* ---- pictures ---- */

/* Numbers of unknowns by pixel; their count where known. */
static void connect(road_system *s, const int32_t *numbers, size_t height, size_t width)
{
    for (size_t i = 0; i < s->count; i++) {
        long row = (long)(s->pixels[i] / width), column = (long)(s->pixels[i] % width);
        s->diagonal[i] = 0;
        for (int k = 0; k < NEIGHBOURS; k++) {
            long y = row + steps[k][0], x = column + steps[k][1];
            int inside = y >= 0 && x >= 0 && y < (long)height && x < (long)width;
            s->next[i][k] = inside ? numbers[y * (long)width + x] : (int32_t)s->count;
            if (inside) s->diagonal[i] += weight_of(k);
        }
        s->inverse[i] = 1 / s->diagonal[i];
    }
}

/* Lane `lane` is channel c; the first guess is the mean of what is known. */
static void add_known(road_system *s, const int32_t *numbers, const float *picture, const gig_removal *of, size_t c,
                      int lane)
{
    double mean = 0;
    size_t pixels = of->height * of->width;
    for (size_t p = 0; p < pixels; p++)
        if (numbers[p] == (int32_t)s->count) mean += (double)picture[p * of->channels + c];
    mean /= (double)(pixels - s->count);
    for (size_t i = 0; i < s->count; i++) {
        long row = (long)(s->pixels[i] / of->width), column = (long)(s->pixels[i] % of->width);
        s->known[i][lane] = 0;
        s->x[i][lane] = mean;
        for (int k = 0; k < NEIGHBOURS; k++) {
            long y = row + steps[k][0], x = column + steps[k][1];
            if (y < 0 || x < 0 || y >= (long)of->height || x >= (long)of->width) continue;
            size_t at = (size_t)y * of->width + (size_t)x;
            if (numbers[at] == (int32_t)s->count)
                s->known[i][lane] += weight_of(k) * (double)picture[at * of->channels + c];
        }
    }
}

static gig_status make_system(road_system *out, void **block, size_t count)
{
    enum { VECTORS = 5 };
    *out = (road_system){.count = count};
    const size_t lanes_bytes = VECTORS * sizeof(road_lanes);
    char *at = gig_alloc_zero(count + 1, lanes_bytes + 2 * sizeof(double) + sizeof *out->next + sizeof *out->pixels);
    *block = at;
    if (!at) return gig_alloc_status();
    road_lanes **vectors[VECTORS] = {&out->known, &out->x, &out->r, &out->p, &out->q};
    for (size_t v = 0; v < VECTORS; v++) *vectors[v] = (road_lanes *)(void *)at + v * (count + 1);
    out->diagonal = (double *)(void *)(at + (count + 1) * lanes_bytes);
    out->inverse = out->diagonal + count + 1;
    out->next = (int32_t(*)[NEIGHBOURS])(void *)(out->inverse + count + 1);
    out->pixels = (uint32_t *)(void *)(out->next + count + 1);
    return GIG_OK;
}

/* Unknowns in raster order; numbers[pixel] is the unknown's, or count. */
static void number_pixels(road_system *s, int32_t *numbers, size_t pixels, const uint32_t *removed)
{
    size_t found = 0;
    for (size_t p = 0; p < pixels; p++) numbers[p] = (int32_t)s->count;
    for (size_t i = 0; i < s->count; i++) numbers[removed[i]] = 0;
    for (size_t p = 0; p < pixels; p++)
        if (numbers[p] == 0) {
            s->pixels[found] = (uint32_t)p;
            numbers[p] = (int32_t)found++;
        }
}

/* Channels first .. first + LANES - 1, those that exist. */
static gig_status impute_channels(float *picture, const gig_removal *of, road_system *s, const int32_t *numbers,
                                  size_t first)
{
    int lanes = of->channels - first < LANES ? (int)(of->channels - first) : LANES;
    for (int l = 0; l < LANES; l++) add_known(s, numbers, picture, of, first + (size_t)(l < lanes ? l : 0), l);
    GIG_TRY(solve(s));
    for (size_t i = 0; i < s->count; i++)
        for (int l = 0; l < lanes; l++) picture[s->pixels[i] * of->channels + first + (size_t)l] = (float)s->x[i][l];
    return GIG_OK;
}

gig_status gig_road_impute(float *picture, const gig_removal *of, const uint32_t *removed, size_t count)
{
    size_t pixels = of->height * of->width;
    if (!count) return GIG_OK;
    if (count >= pixels)
        return gig_fail(GIG_EARG, "all %zu pixels are removed: no pixel is left to impute from", pixels);
    int32_t *numbers = gig_alloc(pixels, sizeof *numbers);
    if (!numbers) return gig_alloc_status();
    road_system system;
    void *block = NULL;
    gig_status status = make_system(&system, &block, count);
    if (status == GIG_OK) {
        number_pixels(&system, numbers, pixels, removed);
        connect(&system, numbers, of->height, of->width);
    }
    for (size_t c = 0; c < of->channels && status == GIG_OK; c += LANES)
        status = impute_channels(picture, of, &system, numbers, c);
    gig_free(block);
    gig_free(numbers);
    return status;
}

typedef struct road_scene {
    const gig_removal *of;
    uint32_t *orders[2]; /* least relevant first, most relevant first */
    size_t target;
} road_scene;

/* Point i removes the least relevant for i < SHARES, then the most. */
static gig_status make_point(void *payload, size_t index, float *point, size_t *target)
{
    const road_scene *s = payload;
    const gig_removal *of = s->of;
    size_t pixels = of->height * of->width, count = (size_t)(shares[index % SHARES] * (double)pixels + 0.5);
    const uint32_t *removed = s->orders[index / SHARES];
    const gig_rng draw = {of->seed, gig_score_stream(GIG_DRAW_ROAD, of->number)};
    if (count >= pixels) count = pixels - 1;
    memcpy(point, of->picture, pixels * of->channels * sizeof *point);
    GIG_TRY(gig_road_impute(point, of, removed, count));
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < of->channels; c++) {
            size_t at = removed[i] * of->channels + c;
            point[at] = (float)((double)point[at] + noise * gig_rng_normal(draw, at));
        }
    *target = s->target;
    return GIG_OK;
}

/* Equal values in raster order, both ways. */
static gig_status make_orders(road_scene *s, const float *map, size_t pixels)
{
    float *negated = gig_alloc(pixels, sizeof *negated);
    for (int k = 0; k < 2 && negated; k++) s->orders[k] = gig_alloc(pixels, sizeof **s->orders);
    gig_status status = negated && s->orders[0] && s->orders[1] ? GIG_OK : gig_alloc_status();
    if (status == GIG_OK) status = gig_order_ascending(s->orders[0], map, pixels);
    for (size_t i = 0; i < pixels && status == GIG_OK; i++) negated[i] = -map[i];
    if (status == GIG_OK) status = gig_order_ascending(s->orders[1], negated, pixels);
    gig_free(negated);
    return status;
}

gig_status gig_road(double *out, double *values, gig_functions functions, size_t target, const gig_removal *removal)
{
    GIG_TRY(gig_removal_check(removal));
    size_t pixels = removal->height * removal->width;
    if (removal->attribution_channels != 1) return gig_fail(GIG_EARG, "road needs one value per pixel");
    if (pixels < 2) return gig_fail(GIG_EARG, "a picture of one pixel cannot be imputed");
    double found[2 * SHARES];
    road_scene scene = {.of = removal, .target = target};
    gig_status status = make_orders(&scene, removal->attribution, pixels);
    if (status == GIG_OK)
        status = gig_values(found, functions, pixels * removal->channels, 2 * SHARES, make_point, &scene);
    gig_free(scene.orders[0]);
    gig_free(scene.orders[1]);
    if (status != GIG_OK) return status;
    *out = 0;
    for (size_t i = 0; i < SHARES; i++) *out += (found[i] - found[SHARES + i]) / SHARES;
    for (size_t i = 0; values && i < 2 * SHARES; i++) values[i] = found[i];
    return GIG_OK;
}

/* ---- the row ---- */

static gig_status measure_road(gig_metric_result *out, gig_measuring *with, const gig_metric *metric)
{
    (void)metric;
    const gig_scored *scored = with->scored;
    const gig_removal removal = gig_measuring_removal(with, 1);
    return gig_road(&out->value, NULL, gig_measuring_probabilities(with), scored->target, &removal);
}

static gig_metric_cost cost(const gig_metric *metric, const gig_metric_cost *map, const gig_metric_cost *chain)
{
    (void)metric, (void)map, (void)chain;
    return (gig_metric_cost){0, 2 * GIG_ROAD_SHARES};
}

static const gig_method_option options[] = {GIG_OPTION_REDUCTION};

const gig_metric_row gig_metric_row_road = {
    .name = "road",
    .help = "Like diffid, but removed pixels are imputed from their neighbours.",
    .needs = GIG_METRIC_NEEDS_MAP | GIG_METRIC_NEEDS_PICTURE | GIG_METRIC_NEEDS_FUNCTION,
    GIG_OPTIONS(options),
    .measure = measure_road,
    .cost = cost};
