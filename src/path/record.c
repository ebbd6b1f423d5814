#include "path/record.h"
#include "path/lanes.h"

gig_status gig_record_create(gig_record **out, gig_link *link)
{
    gig_drive *drive = link->drive;
    *out = NULL;
    gig_record *record = gig_alloc_zero(1, sizeof *record);
    if (!record) return gig_alloc_status();
    record->features = drive->features;
    record->limit = drive->record_limit;
    atomic_init(&record->bytes, 0);
    record->step = gig_alloc_zero(link->chain.steps, sizeof *record->step);
    if (!record->step) {
        gig_record_free(record);
        return gig_alloc_status();
    }
    record->steps = link->chain.steps;
    record->x = gig_alloc(drive->features, sizeof *record->x);
    record->end_room = record->x ? gig_alloc(drive->features, sizeof *record->end_room) : NULL;
    if (!record->end_room) {
        gig_record_free(record);
        return gig_alloc_status();
    }
    record->at_step = record->steps;
    record->by_trapezoid = link->rule == GIG_RULE_TRAPEZOID;
    *out = record;
    return GIG_OK;
}

void gig_record_free(gig_record *record)
{
    if (!record) return;
    for (size_t i = 0; i < record->steps; i++) {
        gig_record_step_kept *step = &record->step[i];
        for (size_t k = 0; k < step->node_count; k++) gig_free(step->nodes[k].gradient);
        gig_free(step->nodes);
        gig_free(step->codes);
        gig_free(step->elsewhere);
    }
    for (size_t i = 0; i < record->piece_count; i++) gig_free(record->pieces[i].found.gradient);
    gig_free(record->pieces);
    gig_free(record->step);
    gig_free(record->x);
    gig_free(record->end_room);
    gig_free(record);
}

static gig_status count_bytes(gig_record *record, size_t bytes)
{
    size_t before = atomic_fetch_add(&record->bytes, bytes);
    if (!record->limit || before + bytes <= record->limit) return GIG_OK;
    return gig_fail(GIG_ELIMIT, "a tolerance keeps the path, which would take more than %zu bytes of the memory limit",
                    record->limit);
}

gig_status gig_record_floats(float **out, gig_record *record, size_t count)
{
    *out = NULL;
    GIG_TRY(count_bytes(record, count * sizeof **out));
    *out = gig_alloc(count, sizeof **out);
    return *out ? GIG_OK : gig_alloc_status();
}

static int code_of(const gig_record_step_kept *step, size_t i)
{
    return step->codes[i / 4] >> 2 * (i % 4) & 3;
}

void gig_record_pick(float *out, const gig_record_step_kept *step, const float *values, size_t features)
{
    size_t k = 0;
    for (size_t i = 0; i < features; i += 4) {
        if (!step->codes[i / 4]) continue;
        for (size_t j = i; j < i + 4 && j < features; j++)
            if (code_of(step, j)) out[k++] = values[j];
    }
}

/* Codes and elsewhere of the step from x0 to x1. */
static gig_status encode(gig_record_step_kept *step, gig_record *record, const float *x0, const float *x1,
                         const float *end)
{
    size_t n = record->features, elsewhere = 0, moved = 0;
    for (size_t i = 0; i < n; i++) {
        moved += x1[i] != x0[i];
        elsewhere += x1[i] != x0[i] && x1[i] != end[i];
    }
    step->moved = moved;
    GIG_TRY(count_bytes(record, n / 4 + 1));
    step->codes = gig_alloc_zero(n / 4 + 1, 1);
    if (!step->codes) return gig_alloc_status();
    GIG_TRY(gig_record_floats(&step->elsewhere, record, elsewhere));
    elsewhere = 0;
    for (size_t i = 0; i < n; i++) {
        if (x1[i] == x0[i]) continue;
        int at_end = x1[i] == end[i];
        step->codes[i / 4] |= (uint8_t)((at_end ? 1 : 2) << 2 * (i % 4));
        if (!at_end) step->elsewhere[elsewhere++] = x1[i];
    }
    return GIG_OK;
}

static gig_status add_node(gig_record *record, gig_record_step_kept *step, double at, double value,
                           const float *gradient, const float *x0, const float *x1)
{
    gig_record_node *node = &step->nodes[step->node_count];
    *node = (gig_record_node){.at = at, .value = value};
    GIG_TRY(gig_record_floats(&node->gradient, record, step->moved));
    step->node_count++;
    gig_record_pick(node->gradient, step, gradient, record->features);
    for (size_t i = 0; i < record->features; i++)
        if (x1[i] != x0[i]) node->dot += ((double)x1[i] - (double)x0[i]) * (double)gradient[i];
    return GIG_OK;
}

gig_status gig_record_step(gig_record *record, size_t number, const float *x0, const float *x1, const float *end,
                           double value0, double value1, const float *g0, const float *middle_gradient,
                           double middle_value, const float *g1)
{
    gig_record_step_kept *step = &record->step[number];
    GIG_TRY(encode(step, record, x0, x1, end));
    GIG_TRY(gig_grow((void **)&step->nodes, &step->node_capacity, 3, sizeof *step->nodes));
    GIG_TRY(add_node(record, step, 0, value0, g0, x0, x1));
    if (middle_gradient) GIG_TRY(add_node(record, step, 0.5, middle_value, middle_gradient, x0, x1));
    return add_node(record, step, 1, value1, g1, x0, x1);
}

void gig_record_after(float *to, const gig_record *record)
{
    const gig_record_step_kept *step = &record->step[record->at_step];
    const float *elsewhere = step->elsewhere;
    size_t n = record->features;
    for (size_t i = 0; i < n; i += 4) {
        if (!step->codes[i / 4]) continue;
        for (size_t j = i; j < i + 4 && j < n; j++) {
            int code = code_of(step, j);
            if (code) to[j] = code == 1 ? record->end[j] : *elsewhere++;
        }
    }
}

static void enter_walk(gig_record *record, const gig_link *link, size_t walk)
{
    size_t each = record->steps / link->chain.segments, more = record->steps % link->chain.segments;
    record->at_walk = walk;
    record->walk_end += each + (walk < more);
    record->end = gig_link_anchor(link, walk + 1, record->end_room);
}

void gig_record_seek(gig_record *record, const gig_link *link, size_t step)
{
    if (step < record->at_step) {
        memcpy(record->x, link->start, record->features * sizeof *record->x);
        record->at_step = record->walk_end = 0;
        enter_walk(record, link, 0);
    }
    for (; record->at_step < step; record->at_step++) {
        gig_record_after(record->x, record);
        if (record->at_step + 1 == record->walk_end) enter_walk(record, link, record->at_walk + 1);
    }
}

gig_rule_weights gig_record_weights(const gig_record *record, const gig_link *link, size_t step, size_t node)
{
    const gig_record_node *a = &record->step[step].nodes[node];
    double width = a[1].at - a[0].at;
    gig_rule_weights w = {0.5, 0.5};
    if (!record->by_trapezoid) {
        w = link->weights;
        if (link->rule == GIG_RULE_MIDPOINT && node == 1) w = (gig_rule_weights){1, 0};
    }
    return (gig_rule_weights){width * w.before, width * w.after};
}

double gig_record_piece_sum(const gig_record *record, const gig_link *link, size_t step, size_t node)
{
    gig_rule_weights w = gig_record_weights(record, link, step, node);
    const gig_record_node *a = &record->step[step].nodes[node];
    return w.before * a[0].dot + w.after * a[1].dot;
}
