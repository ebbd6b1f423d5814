/* SPDX-License-Identifier: Apache-2.0 */
/* Expands If, Loop and Scan.
 *
 * If:   where the condition is a constant, the branch that it takes; else both, and a node that passes on the one that
 *       the current point takes (operators/conditional.c).
 * Loop: its body as often as a constant says; the condition has to stay what it was.
 * Scan: its body once for each slice of its scanned inputs. */
#include "network/plan/expand.h"
#include <stdio.h>
#include <string.h>

/* The subgraph of this name, and how many captures of the node's stand before its own. */
static const gig_subgraph *subgraph_of(size_t *before, const gig_node *node, const char *name)
{
    *before = 0;
    for (size_t a = 0; a < node->attribute_count; a++) {
        const gig_attribute *attribute = &node->attributes[a];
        if (attribute->kind != GIG_ATTRIBUTE_GRAPH) continue;
        if (strcmp(attribute->name, name) == 0) return attribute->g;
        *before += attribute->g->capture_count;
    }
    return NULL;
}

static gig_status expect_subgraph(const gig_subgraph **out, size_t *before, const gig_node *node, const char *name)
{
    *out = subgraph_of(before, node, name);
    return *out ? GIG_OK : gig_fail(GIG_EFORMAT, "%.40s has no subgraph \"%s\"", node->op, name);
}

/* The subgraph's nodes in the model. args: a value for each of its inputs; outs: where its outputs are. */
static gig_status write_out(gig_expansion *x, const gig_node *node, const gig_subgraph *sub, size_t before,
                            const int *args, int *outs)
{
    int *map = gig_alloc(sub->value_count, sizeof *map);
    if (!map) return gig_alloc_status();
    gig_status status = GIG_OK;
    for (size_t v = 0; v < sub->value_count; v++) map[v] = -1;
    for (size_t i = 0; i < sub->input_count; i++) map[sub->inputs[i]] = args[i];
    for (size_t c = 0; c < sub->capture_count; c++) map[sub->captures[c]] = node->inputs[node->own_inputs + before + c];
    for (size_t v = 0; v < sub->value_count && status == GIG_OK; v++) {
        if (map[v] >= 0) continue;
        status = gig_expansion_value(&map[v], x, sub->values[v].name);
        if (status != GIG_OK || !sub->values[v].constant) continue;
        char *name = x->model.values[map[v]].name;
        x->model.values[map[v]] = sub->values[v]; /* the weight stays the given model's */
        x->model.values[map[v]].name = name;
    }
    for (size_t n = 0; n < sub->node_count && status == GIG_OK; n++) {
        const gig_node *from = &sub->nodes[n];
        gig_node *made;
        size_t ports = from->input_count + from->output_count;
        int *list = gig_alloc(ports + 1, sizeof *list);
        if (!list) status = gig_alloc_status();
        for (size_t i = 0; list && i < ports; i++) {
            int value = i < from->input_count ? from->inputs[i] : from->outputs[i - from->input_count];
            list[i] = value < 0 ? -1 : map[value];
        }
        if (list)
            status = gig_expansion_node(&made, x,
                                        &(gig_node_parts){from->op, from->opset, from->input_count, list,
                                                          from->output_count, list + from->input_count, from});
        gig_free(list);
        if (status != GIG_OK) break;
        made->domain = from->domain;
        made->own_inputs = from->own_inputs;
        made->name = from->name;
        made->position = from->position;
    }
    for (size_t i = 0; i < sub->output_count; i++) outs[i] = map[sub->outputs[i]];
    gig_free(map);
    return status;
}

static gig_status pass_on(gig_expansion *x, int from, int to)
{
    gig_node *made;
    return to < 0 ? GIG_OK : gig_expansion_node(&made, x, &(gig_node_parts){"Identity", 13, 1, &from, 1, &to, NULL});
}

/* ---- If ---- */

static int is_true(const gig_tensor *value)
{
    return value->type == GIG_FLOAT32 ? value->real[0] != 0 : value->whole[0] != 0;
}

static gig_status expand_branch(gig_expansion *x, const gig_node *node, const char *name, int *outs)
{
    const gig_subgraph *branch;
    size_t before;
    GIG_TRY(expect_subgraph(&branch, &before, node, name));
    if (branch->output_count != node->output_count || branch->input_count)
        return gig_fail(GIG_EFORMAT, "If: its %s has %zu inputs and %zu outputs, not 0 and %zu", name,
                        branch->input_count, branch->output_count, node->output_count);
    return write_out(x, node, branch, before, NULL, outs);
}

const char *gig_if_text(char *text, size_t bytes, const gig_node *node)
{
    gig_node named = *node;
    named.function = NULL; /* it says "If" for what was made of one */
    gig_node_text(text, bytes, &named);
    gig_flatten(text);
    return text;
}

/* Notes the branch: as many nodes as fit, each once (a loop's body has it in every run). */
static void note_branch(gig_expansion *x, const gig_node *node, const char *branch)
{
    char name[100], line[140];
    size_t used = strlen(x->folded);
    snprintf(line, sizeof line, "%s takes %s", gig_if_text(name, sizeof name, node), branch);
    if (strstr(x->folded, line)) return;
    if (used + strlen(line) + 8 <= sizeof x->folded)
        snprintf(x->folded + used, sizeof x->folded - used, "%s%s", used ? ", " : "", line);
    else if (!used || x->folded[used - 1] != '.')
        snprintf(x->folded + used, sizeof x->folded - used, ", ...");
}

static gig_status write_if(gig_expansion *x, const gig_node *node, const gig_cell *condition, int *outs)
{
    size_t count = node->output_count;
    if (gig_tensor_count(&condition->tensor) != 1) return gig_fail(GIG_EFORMAT, "If: its condition is not one number");
    if (condition->tensor.data) {
        const char *branch = is_true(&condition->tensor) ? "then_branch" : "else_branch";
        GIG_TRY(expand_branch(x, node, branch, outs));
        note_branch(x, node, branch);
        for (size_t i = 0; i < count; i++) GIG_TRY(pass_on(x, outs[i], node->outputs[i]));
        return GIG_OK;
    }
    GIG_TRY(expand_branch(x, node, "then_branch", outs));
    GIG_TRY(expand_branch(x, node, "else_branch", outs + count));
    for (size_t i = 0; i < count; i++) {
        const int in[3] = {node->inputs[0], outs[i], outs[count + i]};
        gig_node *made;
        if (node->outputs[i] >= 0)
            GIG_TRY(
                gig_expansion_node(&made, x, &(gig_node_parts){"If", node->opset, 3, in, 1, &node->outputs[i], NULL}));
    }
    return GIG_OK;
}

static gig_status expand_if(gig_expansion *x, const gig_node *node, const gig_plan *known)
{
    int *outs = gig_alloc(2 * node->output_count + 1, sizeof *outs);
    if (!outs) return gig_alloc_status();
    gig_status status = write_if(x, node, &known->cells[node->inputs[0]], outs);
    gig_free(outs);
    return status;
}

/* ---- what loops share ---- */

/* The parts of one scanned output, joined along a new axis. */
static gig_status join(gig_expansion *x, const int *parts, size_t count, int64_t axis, int to)
{
    gig_node *made;
    if (to < 0) return GIG_OK;
    int *wide = gig_alloc(count, sizeof *wide);
    if (!wide) return gig_alloc_status();
    gig_status status = GIG_OK;
    for (size_t i = 0; i < count && status == GIG_OK; i++) {
        status = gig_expansion_value(&wide[i], x, "part");
        if (status == GIG_OK)
            status = gig_expansion_node(&made, x, &(gig_node_parts){"Unsqueeze", 11, 1, &parts[i], 1, &wide[i], NULL});
        if (status == GIG_OK) status = gig_expansion_attribute(x, made, "axes", axis, 1);
    }
    if (status == GIG_OK)
        status = gig_expansion_node(&made, x, &(gig_node_parts){"Concat", 13, count, wide, 1, &to, NULL});
    if (status == GIG_OK) status = gig_expansion_attribute(x, made, "axis", axis, 0);
    gig_free(wide);
    return status;
}

static gig_status whole_constant(int *out, gig_expansion *x, int64_t value, int onnx_type)
{
    gig_tensor tensor;
    GIG_TRY(gig_tensor_create(&tensor, GIG_INT64, 0, NULL));
    tensor.whole[0] = value;
    return gig_expansion_constant(out, x, &tensor, onnx_type);
}

/* A body that is run `count` times: `states` values pass from run to run, the outputs after them are collected. */
typedef struct repetition {
    const gig_subgraph *body;
    size_t before, count, states;
    size_t state_in, state_out; /* where states begin in the body's inputs and outputs */
    size_t scans;               /* collected outputs, the body's last */
    int *args, *outs;           /* of one run */
    int *state;
    int *parts; /* scans x count */
} repetition;

static gig_status open_repetition(repetition *r)
{
    r->args = gig_alloc(r->body->input_count + 1, sizeof *r->args);
    r->outs = gig_alloc(r->body->output_count + 1, sizeof *r->outs);
    r->state = gig_alloc(r->states + 1, sizeof *r->state);
    r->parts = gig_alloc(r->scans * r->count + 1, sizeof *r->parts);
    return r->args && r->outs && r->state && r->parts ? GIG_OK : gig_alloc_status();
}

static void close_repetition(repetition *r)
{
    gig_free(r->args);
    gig_free(r->outs);
    gig_free(r->state);
    gig_free(r->parts);
}

static gig_status run_once(gig_expansion *x, const gig_node *node, repetition *r, size_t run)
{
    for (size_t s = 0; s < r->states; s++) r->args[r->state_in + s] = r->state[s];
    GIG_TRY(write_out(x, node, r->body, r->before, r->args, r->outs));
    for (size_t s = 0; s < r->states; s++) r->state[s] = r->outs[r->state_out + s];
    for (size_t s = 0; s < r->scans; s++) r->parts[s * r->count + run] = r->outs[r->state_out + r->states + s];
    return GIG_OK;
}

/* ---- Loop ---- */

static const gig_node *maker(const gig_subgraph *body, int value)
{
    for (size_t n = 0; n < body->node_count; n++)
        for (size_t i = 0; i < body->nodes[n].output_count; i++)
            if (body->nodes[n].outputs[i] == value) return &body->nodes[n];
    return NULL;
}

/* Whether the body passes its condition on unchanged, or always sets it to true. */
static int goes_on(const gig_subgraph *body)
{
    int value = body->outputs[0];
    for (size_t steps = 0; steps < 64; steps++) {
        if (value == body->inputs[1]) return 1;
        if (body->values[value].constant) return is_true(body->values[value].constant);
        const gig_node *node = maker(body, value);
        if (!node || !node->input_count) {
            const gig_attribute *given = node ? gig_node_attribute(node, "value") : NULL;
            return given && given->kind == GIG_ATTRIBUTE_TENSOR && is_true(&given->t);
        }
        const gig_operator *row = gig_operator_find(node);
        if (!row || !(row->flags & GIG_OP_VIEW) || node->inputs[0] < 0) return 0;
        value = node->inputs[0];
    }
    return 0;
}

static gig_status runs_of_loop(size_t *out, const gig_node *node, const gig_plan *known)
{
    const gig_cell *most = node->inputs[0] < 0 ? NULL : &known->cells[node->inputs[0]];
    const gig_cell *start = node->own_inputs < 2 || node->inputs[1] < 0 ? NULL : &known->cells[node->inputs[1]];
    if (start && !start->tensor.data)
        return gig_fail(GIG_EUNSUPPORTED, "Loop: whether it runs at all depends on the input");
    if (start && !is_true(&start->tensor)) {
        *out = 0;
        return GIG_OK;
    }
    if (!most || !most->tensor.data || most->tensor.type != GIG_INT64)
        return gig_fail(GIG_EUNSUPPORTED, "Loop: how often it runs is not a constant of the file or of shapes");
    int64_t runs = most->tensor.whole[0];
    if (runs > 1 << 16) return gig_fail(GIG_ELIMIT, "Loop: it runs %lld times", (long long)runs);
    *out = runs < 0 ? 0 : (size_t)runs;
    return GIG_OK;
}

static gig_status write_loop(gig_expansion *x, const gig_node *node, repetition *r)
{
    GIG_TRY(open_repetition(r));
    int yes;
    GIG_TRY(whole_constant(&yes, x, 1, GIG_ONNX_BOOL));
    for (size_t s = 0; s < r->states; s++) r->state[s] = node->inputs[2 + s];
    for (size_t i = 0; i < r->count; i++) {
        GIG_TRY(whole_constant(&r->args[0], x, (int64_t)i, GIG_ONNX_INT64));
        r->args[1] = yes;
        GIG_TRY(run_once(x, node, r, i));
    }
    for (size_t s = 0; s < r->states; s++) GIG_TRY(pass_on(x, r->state[s], node->outputs[s]));
    for (size_t s = 0; s < r->scans; s++)
        GIG_TRY(join(x, r->parts + s * r->count, r->count, 0, node->outputs[r->states + s]));
    return GIG_OK;
}

static gig_status expand_loop(gig_expansion *x, const gig_node *node, const gig_plan *known)
{
    repetition r = {.states = node->own_inputs > 2 ? node->own_inputs - 2 : 0, .state_in = 2, .state_out = 1};
    GIG_TRY(expect_subgraph(&r.body, &r.before, node, "body"));
    if (r.body->input_count != r.states + 2 || r.body->output_count < r.states + 1 ||
        node->output_count != r.body->output_count - 1)
        return gig_fail(GIG_EFORMAT, "Loop: its body's inputs and outputs do not fit its own");
    for (size_t s = 0; s < r.states; s++)
        if (node->inputs[2 + s] < 0) return gig_fail(GIG_EFORMAT, "Loop: input %zu is left out", 2 + s);
    r.scans = r.body->output_count - 1 - r.states;
    GIG_TRY(runs_of_loop(&r.count, node, known));
    if (r.count > 1 && !goes_on(r.body))
        return gig_fail(GIG_EUNSUPPORTED, "Loop: its end is computed in its body; only a number of runs is supported");
    if (!r.count && r.scans) return gig_fail(GIG_EUNSUPPORTED, "Loop: it never runs, and its outputs are empty");
    gig_status status = write_loop(x, node, &r);
    close_repetition(&r);
    return status;
}

/* ---- Scan (since opset 9) ---- */

static int64_t list_item(const gig_node *node, const char *name, size_t i)
{
    size_t count;
    const int64_t *list = gig_node_ints(node, name, &count);
    return i < count ? list[i] : 0;
}

static gig_status axis_in(int64_t *out, int64_t axis, int rank)
{
    *out = axis < 0 ? axis + rank : axis;
    return *out >= 0 && *out < rank ? GIG_OK
                                    : gig_fail(GIG_EFORMAT, "Scan: axis %lld of rank %d", (long long)axis, rank);
}

/* Slice i of every scanned input, counted from the end where it is scanned backward. */
static gig_status slice_inputs(gig_expansion *x, const gig_node *node, repetition *r, const gig_plan *known, size_t run)
{
    size_t scanned = node->own_inputs - r->states;
    for (size_t s = 0; s < scanned; s++) {
        const int from = node->inputs[r->states + s];
        const gig_tensor *tensor = &known->cells[from].tensor;
        int64_t axis, at = (int64_t)(list_item(node, "scan_input_directions", s) ? r->count - 1 - run : run);
        int index;
        gig_node *made;
        GIG_TRY(axis_in(&axis, list_item(node, "scan_input_axes", s), tensor->rank));
        GIG_TRY(whole_constant(&index, x, at, GIG_ONNX_INT64));
        GIG_TRY(gig_expansion_value(&r->args[r->states + s], x, "slice"));
        const int in[2] = {from, index};
        GIG_TRY(gig_expansion_node(&made, x, &(gig_node_parts){"Gather", 13, 2, in, 1, &r->args[r->states + s], NULL}));
        GIG_TRY(gig_expansion_attribute(x, made, "axis", axis, 0));
    }
    return GIG_OK;
}

static gig_status write_scan(gig_expansion *x, const gig_node *node, repetition *r, const gig_plan *known)
{
    GIG_TRY(open_repetition(r));
    for (size_t s = 0; s < r->states; s++) r->state[s] = node->inputs[s];
    for (size_t i = 0; i < r->count; i++) {
        GIG_TRY(slice_inputs(x, node, r, known, i));
        GIG_TRY(run_once(x, node, r, i));
    }
    for (size_t s = 0; s < r->states; s++) GIG_TRY(pass_on(x, r->state[s], node->outputs[s]));
    for (size_t s = 0; s < r->scans; s++) {
        int *parts = r->parts + s * r->count;
        for (size_t i = 0; list_item(node, "scan_output_directions", s) && i < r->count / 2; i++) {
            int kept = parts[i];
            parts[i] = parts[r->count - 1 - i];
            parts[r->count - 1 - i] = kept;
        }
        GIG_TRY(join(x, parts, r->count, list_item(node, "scan_output_axes", s), node->outputs[r->states + s]));
    }
    return GIG_OK;
}

static gig_status expand_scan(gig_expansion *x, const gig_node *node, const gig_plan *known)
{
    int64_t scanned = gig_node_int(node, "num_scan_inputs", 0), axis;
    repetition r = {0};
    if (node->opset < 9) return gig_fail(GIG_EUNSUPPORTED, "Scan of opset %d is not supported", node->opset);
    GIG_TRY(expect_subgraph(&r.body, &r.before, node, "body"));
    if (scanned < 1 || (size_t)scanned > node->own_inputs)
        return gig_fail(GIG_EFORMAT, "Scan: %lld scanned of %zu inputs", (long long)scanned, node->own_inputs);
    r.states = node->own_inputs - (size_t)scanned;
    if (r.body->input_count != node->own_inputs || r.body->output_count < r.states ||
        node->output_count != r.body->output_count)
        return gig_fail(GIG_EFORMAT, "Scan: its body's inputs and outputs do not fit its own");
    r.scans = r.body->output_count - r.states;
    for (size_t i = 0; i < node->own_inputs; i++)
        if (node->inputs[i] < 0) return gig_fail(GIG_EFORMAT, "Scan: input %zu is left out", i);
    for (size_t s = 0; s < (size_t)scanned; s++) {
        const gig_tensor *tensor = &known->cells[node->inputs[r.states + s]].tensor;
        GIG_TRY(axis_in(&axis, list_item(node, "scan_input_axes", s), tensor->rank));
        if (s && (size_t)tensor->dims[axis] != r.count)
            return gig_fail(GIG_EFORMAT, "Scan: its inputs are of different lengths");
        r.count = (size_t)tensor->dims[axis];
    }
    if (r.count > 1 << 16) return gig_fail(GIG_ELIMIT, "Scan: it runs %zu times", r.count);
    if (!r.count) return gig_fail(GIG_EUNSUPPORTED, "Scan: it never runs, and its outputs are empty");
    gig_status status = write_scan(x, node, &r, known);
    close_repetition(&r);
    return status;
}

/* ---- all of them ---- */

typedef struct flow_row {
    const char *name;
    const char *subgraph; /* a node without it is another operator (an If that was written out); NULL: it is required */
    size_t most_known;    /* how many of its own inputs must be known, the first one present; 0: all */
    gig_status (*expand)(gig_expansion *x, const gig_node *node, const gig_plan *known);
} flow_row;

static const flow_row *find_row(const gig_node *node)
{
    static const flow_row table[] = {
        {"If", "then_branch", 1, expand_if}, {"Loop", NULL, 0, expand_loop}, {"Scan", NULL, 0, expand_scan}};
    for (size_t i = 0; i < sizeof table / sizeof *table && !node->domain[0]; i++)
        if (strcmp(table[i].name, node->op) == 0)
            return !table[i].subgraph || gig_node_attribute(node, table[i].subgraph) ? &table[i] : NULL;
    return NULL;
}

int gig_is_control_flow(const gig_node *node)
{
    return find_row(node) != NULL;
}

/* Whether enough is known of a node's own inputs. */
static int is_ready(const flow_row *row, const gig_node *node, const gig_plan *known)
{
    size_t count = row->most_known ? row->most_known : node->own_inputs;
    for (size_t i = 0; i < count && i < node->input_count; i++)
        if (node->inputs[i] >= 0 && !known->cells[node->inputs[i]].known) return 0;
    return node->own_inputs > 0 && (!row->most_known || node->inputs[0] >= 0);
}

gig_status gig_expand_flow(size_t *progress, gig_expansion *x, const gig_plan *known)
{
    size_t count = x->model.node_count;
    *progress = 0;
    for (size_t n = 0; n < count; n++) {
        const gig_node node = x->model.nodes[n]; /* the list grows while it is written out */
        const flow_row *row = find_row(&node);
        if (!row || !is_ready(row, &node, known)) continue;
        x->around = &node;
        gig_status status = row->expand(x, &node, known);
        char text[160];
        if (status != GIG_OK) return gig_fail_in(status, "%s", gig_node_text(text, sizeof text, &node));
        x->model.nodes[n].op = NULL;
        ++*progress;
    }
    x->around = NULL;
    return gig_expansion_settle(x);
}
