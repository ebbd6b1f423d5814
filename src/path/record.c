/* SPDX-License-Identifier: Apache-2.0 */
#include "path/record.h"
#include "path/lanes.h"

static gig_status count_bytes(gig_record *record, size_t bytes)
{
    size_t before = atomic_fetch_add(&record->bytes, bytes);
    if (!record->limit || before + bytes <= record->limit) return GIG_OK;
    return gig_fail(GIG_ELIMIT, "a tolerance stores the path, which would need more than %zu bytes of the memory limit",
                    record->limit);
}

/* Memory of a record besides its path: x, end_room and the arrays for assembling; per step its row, its first nodes and
 * the headers of its blocks. */
static size_t fixed_bytes(size_t features, size_t steps)
{
    const size_t per_feature = 4 * sizeof(float) + 2 * sizeof(double);
    const size_t per_step = sizeof(gig_kept_step) + 8 * sizeof(gig_kept_node) + 6 * GIG_ALIGNMENT;
    return features * per_feature + steps * per_step;
}

gig_status gig_record_create(gig_record **out, gig_active_chain *active)
{
    gig_drive *drive = active->drive;
    *out = NULL;
    gig_record *record = gig_alloc_zero(1, sizeof *record);
    if (!record) return gig_alloc_status();
    record->features = drive->features;
    record->limit = drive->record_limit;
    atomic_init(&record->bytes, 0);
    gig_status status = count_bytes(record, fixed_bytes(drive->features, active->chain.steps));
    if (status == GIG_OK) record->step = gig_alloc_zero(active->chain.steps, sizeof *record->step);
    if (!record->step) {
        gig_record_free(record);
        return status == GIG_OK ? gig_alloc_status() : status;
    }
    record->steps = active->chain.steps;
    record->x = gig_alloc(drive->features, sizeof *record->x);
    record->end_room = record->x ? gig_alloc(drive->features, sizeof *record->end_room) : NULL;
    if (!record->end_room) {
        gig_record_free(record);
        return gig_alloc_status();
    }
    record->at_step = record->steps;
    record->by_trapezoid = active->rule == GIG_RULE_TRAPEZOID;
    *out = record;
    return GIG_OK;
}

void gig_record_free(gig_record *record)
{
    if (!record) return;
    for (size_t i = 0; record->step && i < record->steps; i++) {
        gig_kept_step *step = &record->step[i];
        for (size_t k = 0; k < step->node_count; k++) gig_free(step->nodes[k].gradient);
        gig_free(step->nodes);
        gig_free(step->words);
        gig_free(step->elsewhere);
    }
    for (size_t i = 0; i < record->piece_count; i++) gig_free(record->pieces[i].found.gradient);
    gig_free(record->pieces);
    gig_free(record->step);
    gig_free(record->x);
    gig_free(record->end_room);
    gig_free(record);
}

/* Allocates `count` floats and counts them. */
static gig_status new_floats(float **out, gig_record *record, size_t count)
{
    *out = NULL;
    GIG_TRY(count_bytes(record, count * sizeof **out));
    *out = gig_alloc(count, sizeof **out);
    return *out ? GIG_OK : gig_alloc_status();
}

static size_t word_count(const gig_record *record)
{
    return record->features / 32 + 1;
}

/* Which features went to their end or elsewhere, as bits. */
static gig_kept_word encode_word(const float *x0, const float *x1, const float *end, size_t count)
{
    gig_kept_word word = {0, 0};
    for (size_t j = 0; j < count; j++) {
        uint32_t moved = x1[j] != x0[j], at_end = x1[j] == end[j];
        word.ended |= (moved & at_end) << j;
        word.elsewhere |= (moved & !at_end) << j;
    }
    return word;
}

static size_t left_in_word(const gig_record *record, size_t w)
{
    size_t left = record->features - 32 * w;
    return left < 32 ? left : 32;
}

static gig_status encode(gig_kept_step *step, gig_record *record, const float *x0, const float *x1, const float *end)
{
    size_t words = word_count(record), elsewhere = 0;
    GIG_TRY(count_bytes(record, words * sizeof *step->words));
    step->words = gig_alloc(words, sizeof *step->words);
    if (!step->words) return gig_alloc_status();
    for (size_t w = 0; w < words; w++) {
        size_t i = 32 * w;
        step->words[w] = encode_word(x0 + i, x1 + i, end + i, left_in_word(record, w));
        elsewhere += (size_t)__builtin_popcount(step->words[w].elsewhere);
        step->moved += (size_t)__builtin_popcount(step->words[w].elsewhere | step->words[w].ended);
    }
    GIG_TRY(new_floats(&step->elsewhere, record, elsewhere));
    float *to = step->elsewhere;
    for (size_t w = 0; w < words; w++)
        for (uint32_t bits = step->words[w].elsewhere; bits; bits &= bits - 1)
            *to++ = x1[32 * w + (size_t)__builtin_ctz(bits)];
    return GIG_OK;
}

gig_status gig_record_node(gig_kept_node *out, gig_record *record, const gig_kept_step *step, double at, double value,
                           const float *gradient, const double *displacements)
{
    *out = (gig_kept_node){.at = at, .value = value};
    GIG_TRY(new_floats(&out->gradient, record, step->moved));
    size_t k = 0;
    for (size_t w = 0; w < word_count(record); w++)
        for (uint32_t bits = step->words[w].ended | step->words[w].elsewhere; bits; bits &= bits - 1, k++) {
            out->gradient[k] = gradient[32 * w + (size_t)__builtin_ctz(bits)];
            out->dot += displacements[k] * (double)out->gradient[k];
        }
    return GIG_OK;
}

static gig_status add_nodes(gig_record *record, gig_kept_step *step, size_t count, const double *values,
                            const float *const *gradients, const double *displacements)
{
    GIG_TRY(gig_grow((void **)&step->nodes, &step->node_capacity, count, sizeof *step->nodes));
    for (size_t k = 0; k < count; k++) {
        double at = (double)k / (double)(count - 1);
        GIG_TRY(gig_record_node(&step->nodes[k], record, step, at, values[k], gradients[k], displacements));
        step->node_count++;
    }
    return GIG_OK;
}

gig_status gig_record_step(gig_record *record, size_t number, const gig_seen_step *seen)
{
    gig_kept_step *step = &record->step[number];
    GIG_TRY(encode(step, record, seen->x0, seen->x1, seen->end));
    double *displacements = gig_alloc(step->moved, sizeof *displacements);
    if (!displacements) return gig_alloc_status();
    size_t k = 0;
    for (size_t w = 0; w < word_count(record); w++)
        for (uint32_t bits = step->words[w].ended | step->words[w].elsewhere; bits; bits &= bits - 1) {
            size_t i = 32 * w + (size_t)__builtin_ctz(bits);
            displacements[k++] = (double)seen->x1[i] - (double)seen->x0[i];
        }
    gig_status status = add_nodes(record, step, seen->count, seen->values, seen->gradients, displacements);
    gig_free(displacements);
    return status;
}

/* Moves x to the point after the current step. */
static void pass_step(float *x, const gig_record *record)
{
    const gig_kept_step *step = &record->step[record->at_step];
    const float *elsewhere = step->elsewhere;
    for (size_t w = 0; w < word_count(record); w++) {
        for (uint32_t bits = step->words[w].ended; bits; bits &= bits - 1) {
            size_t i = 32 * w + (size_t)__builtin_ctz(bits);
            x[i] = record->end[i];
        }
        for (uint32_t bits = step->words[w].elsewhere; bits; bits &= bits - 1)
            x[32 * w + (size_t)__builtin_ctz(bits)] = *elsewhere++;
    }
}

void gig_record_moves(double *displacements, uint32_t *where, const gig_record *record)
{
    const gig_kept_step *step = &record->step[record->at_step];
    const float *elsewhere = step->elsewhere;
    size_t k = 0;
    for (size_t w = 0; w < word_count(record); w++)
        for (uint32_t bits = step->words[w].ended | step->words[w].elsewhere; bits; bits &= bits - 1, k++) {
            size_t i = 32 * w + (size_t)__builtin_ctz(bits);
            int at_end = step->words[w].ended & (bits & -bits) ? 1 : 0;
            displacements[k] = (double)(at_end ? record->end[i] : *elsewhere) - (double)record->x[i];
            elsewhere += !at_end;
            if (where) where[k] = (uint32_t)i;
        }
}

void gig_record_middle(float *middle, const gig_record *record, double at)
{
    memcpy(middle, record->x, record->features * sizeof *middle);
    pass_step(middle, record);
    gig_sums_between(middle, record->x, middle, at, record->features);
}

static void enter_walk(gig_record *record, const gig_active_chain *active, size_t walk)
{
    size_t each = record->steps / active->chain.segments, more = record->steps % active->chain.segments;
    record->at_walk = walk;
    record->walk_end += each + (walk < more);
    record->end = gig_active_chain_anchor(active, walk + 1, record->end_room);
}

void gig_record_seek(gig_record *record, const gig_active_chain *active, size_t step)
{
    if (step < record->at_step) {
        memcpy(record->x, active->start, record->features * sizeof *record->x);
        record->at_step = record->walk_end = 0;
        enter_walk(record, active, 0);
    }
    for (; record->at_step < step; record->at_step++) {
        pass_step(record->x, record);
        if (record->at_step + 1 == record->walk_end) enter_walk(record, active, record->at_walk + 1);
    }
}

/* Under the midpoint rule a step has three nodes, and only the middle one is used for the whole step: its halves,
 * each summed by one of its ends, would have errors that cancel in the whole step. */
static int is_whole(const gig_record *record, const gig_active_chain *active)
{
    return !record->by_trapezoid && active->rule == GIG_RULE_MIDPOINT;
}

size_t gig_record_piece_count(const gig_record *record, const gig_active_chain *active, size_t step)
{
    size_t nodes = record->step[step].node_count;
    if (nodes < 2) return 0;
    return is_whole(record, active) ? 1 : nodes - 1;
}

gig_piece gig_record_piece(const gig_record *record, const gig_active_chain *active, size_t step, size_t piece)
{
    const gig_kept_node *nodes = record->step[step].nodes, *a = &nodes[piece], *last = a + 1;
    gig_rule_weights w = record->by_trapezoid ? (gig_rule_weights){0.5, 0.5} : active->weights;
    if (is_whole(record, active)) last = &nodes[record->step[step].node_count - 1];
    double width = last->at - a->at;
    return (gig_piece){a, a + 1, width * w.before, width * w.after, width, last->value - a->value};
}

double gig_piece_sum(const gig_piece *piece)
{
    return piece->before * piece->a->dot + piece->after * piece->b->dot;
}
