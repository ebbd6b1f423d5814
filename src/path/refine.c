/* SPDX-License-Identifier: Apache-2.0 */
/* Refinement under a tolerance: more gradients for the steps that do not add up.
 *
 * F is known at both ends of each step, so the error of each step is known exactly. First all steps are summed by
 * trapezoid, which costs nothing (the gradients at their ends are known); then, in rounds, the pieces with the largest
 * errors are bisected. A round is chosen before any of it is evaluated, so the number of threads changes nothing. */
#include "path/record.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double narrowest = 0x1p-16; /* of a step: narrower pieces are not bisected */

static double sum_pieces(const gig_record *record, const gig_active_chain *active, double *errors)
{
    double sum = 0;
    *errors = 0;
    for (size_t s = 0; s < record->steps; s++)
        for (size_t k = 0; k < gig_record_piece_count(record, active, s); k++) {
            const gig_piece piece = gig_record_piece(record, active, s, k);
            double part = gig_piece_sum(&piece);
            sum += part;
            *errors += fabs(piece.change - part);
        }
    return sum;
}

static int worst_first(const void *a, const void *b)
{
    const gig_kept_piece *p = a, *q = b;
    double x = fabs(p->error), y = fabs(q->error);
    if (x != y) return x > y ? -1 : 1;
    if (p->step != q->step) return p->step < q->step ? -1 : 1;
    return p->node < q->node ? -1 : p->node > q->node;
}

static int path_order(const void *a, const void *b)
{
    const gig_kept_piece *p = a, *q = b;
    if (p->step != q->step) return p->step < q->step ? -1 : 1;
    return p->node < q->node ? -1 : p->node > q->node;
}

/* All pieces that could be bisected, into a new array. */
static gig_status list_pieces(gig_kept_piece **out, size_t *count, const gig_record *record,
                              const gig_active_chain *active)
{
    size_t most = 0;
    for (size_t s = 0; s < record->steps; s++) most += record->step[s].node_count;
    gig_kept_piece *pieces = gig_alloc(most, sizeof *pieces);
    if (!pieces) return gig_alloc_status();
    *count = 0;
    for (size_t s = 0; s < record->steps; s++)
        for (size_t k = 0; k < gig_record_piece_count(record, active, s); k++) {
            const gig_piece piece = gig_record_piece(record, active, s, k);
            double error = piece.change - gig_piece_sum(&piece);
            if (error != 0 && record->step[s].moved && piece.width > narrowest)
                pieces[(*count)++] = (gig_kept_piece){.step = s, .node = k, .error = error};
        }
    *out = pieces;
    return GIG_OK;
}

/* The pieces with the largest errors, as many as a tenth of the path's steps; fewer if evaluations run out. */
static size_t round_size(const gig_active_chain *active, size_t pieces)
{
    size_t most = gig_active_chain_max_evaluations(active), used = active->totals.evaluations;
    size_t wanted = (active->chain.steps + 9) / 10;
    if (used >= most) return 0;
    if (wanted > most - used) wanted = most - used;
    return wanted < pieces ? wanted : pieces;
}

static gig_status plan_round(gig_record *record, gig_active_chain *active)
{
    gig_kept_piece *pieces = NULL;
    size_t count = 0;
    GIG_TRY(list_pieces(&pieces, &count, record, active));
    qsort(pieces, count, sizeof *pieces, worst_first);
    count = round_size(active, count);
    qsort(pieces, count, sizeof *pieces, path_order);
    record->pieces = pieces;
    record->piece_count = count;
    if (count == 0) return GIG_OK;
    gig_walk **walks = gig_alloc_zero(count, sizeof *walks);
    if (!walks) return gig_alloc_status();
    gig_free(active->queue.walks);
    active->queue.walks = walks;
    active->queue.kind = &gig_walk_piece;
    active->queue.count = count;
    active->queue.dealt = active->queue.added = 0;
    active->refined.rounds++;
    active->queue.again = 1;
    return GIG_OK;
}

/* Inserts the round's results as nodes, from the last piece backwards, so that earlier node numbers stay valid. */
static gig_status use_round(gig_record *record)
{
    for (size_t i = record->piece_count; i > 0; i--) {
        gig_kept_piece *piece = &record->pieces[i - 1];
        gig_kept_step *step = &record->step[piece->step];
        GIG_TRY(gig_grow((void **)&step->nodes, &step->node_capacity, step->node_count + 1, sizeof *step->nodes));
        gig_kept_node *at = step->nodes + piece->node + 1;
        memmove(at + 1, at, (step->node_count - piece->node - 1) * sizeof *at);
        *at = piece->found;
        step->node_count++;
        piece->found.gradient = NULL;
    }
    gig_free(record->pieces);
    record->pieces = NULL;
    record->piece_count = 0;
    return GIG_OK;
}

gig_status gig_record_refine(gig_active_chain *active)
{
    gig_record *record = active->refined.record;
    GIG_TRY(use_round(record));
    double errors, sum = sum_pieces(record, active, &errors);
    if (!gig_active_chain_adds_up(active, sum) && !record->by_trapezoid) {
        record->by_trapezoid = 1;
        sum = sum_pieces(record, active, &errors);
    }
    active->totals.step_error = errors;
    if (gig_active_chain_adds_up(active, sum)) return GIG_OK;
    GIG_TRY(plan_round(record, active));
    active->refined.stopped = !active->queue.again;
    return GIG_OK;
}

gig_status gig_record_place(gig_walk *walk)
{
    gig_record *record = walk->active->refined.record;
    gig_kept_piece *piece = &record->pieces[walk->index];
    const gig_kept_node *a = &record->step[piece->step].nodes[piece->node];
    gig_record_seek(record, walk->active, piece->step);
    piece->found.at = (a[0].at + a[1].at) / 2;
    gig_record_middle(walk->x[0], record, piece->found.at);
    gig_record_moves(walk->attributions, NULL, record);
    return GIG_OK;
}

gig_status gig_record_keep(gig_walk *walk)
{
    gig_record *record = walk->active->refined.record;
    gig_kept_piece *piece = &record->pieces[walk->index];
    return gig_record_node(&piece->found, record, &record->step[piece->step], piece->found.at, walk->value, walk->g[0],
                           walk->attributions);
}

/* Attributes one piece to the features that moved (displacements `moved`, in order), and closes it if asked. */
static void add_piece(gig_active_chain *active, size_t s, size_t k, const double *moved, double *parts)
{
    const gig_record *record = active->refined.record;
    const gig_kept_step *step = &record->step[s];
    const gig_piece piece = gig_record_piece(record, active, s, k);
    const float *a = piece.a->gradient, *b = piece.b->gradient;
    double sum = 0, weight = 0;
    for (size_t i = 0; i < step->moved; i++) {
        double given = moved[i] * (piece.before * (double)a[i] + piece.after * (double)b[i]);
        parts[i] += given;
        sum += given;
        weight += fabs(given);
    }
    if (!active->drive->options.close) return;
    double missing = piece.change - sum;
    if (!(weight > 0)) {
        active->totals.unassigned += fabs(missing);
        return;
    }
    active->totals.closed += fabs(missing);
    for (size_t i = 0; i < step->moved; i++) {
        double given = moved[i] * (piece.before * (double)a[i] + piece.after * (double)b[i]);
        parts[i] += missing * (fabs(given) / weight);
    }
}

gig_status gig_record_assemble(gig_active_chain *active)
{
    gig_record *record = active->refined.record;
    size_t n = record->features;
    int as_walked = record->by_trapezoid == (active->rule == GIG_RULE_TRAPEZOID) && active->refined.rounds == 0;
    if (as_walked && !active->drive->options.close) return GIG_OK;
    double *moved = gig_alloc(n, sizeof *moved), *parts = moved ? gig_alloc(n, sizeof *parts) : NULL;
    uint32_t *where = parts ? gig_alloc(n, sizeof *where) : NULL;
    if (!where) {
        gig_free(parts);
        gig_free(moved);
        return gig_alloc_status();
    }
    memset(active->attributions, 0, n * sizeof *active->attributions);
    for (size_t s = 0; s < record->steps; s++) {
        const gig_kept_step *step = &record->step[s];
        gig_record_seek(record, active, s);
        gig_record_moves(moved, where, record);
        memset(parts, 0, step->moved * sizeof *parts);
        for (size_t k = 0; k < gig_record_piece_count(record, active, s); k++) add_piece(active, s, k, moved, parts);
        for (size_t k = 0; k < step->moved; k++) active->attributions[where[k]] += parts[k];
    }
    gig_free(where);
    gig_free(parts);
    gig_free(moved);
    return GIG_OK;
}
