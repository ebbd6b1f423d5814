/* SPDX-License-Identifier: Apache-2.0 */
/* What networks are made for besides the model: the shape of the tensor that points come in, the values of the inputs
 * that are not explained, and the inputs that are explained together. */
#include "base/tensor.h"
#include "model/graph.h"
#include "saliency/explainer.h"
#include <string.h>

void gig_raw_clear(gig_raw *raw)
{
    for (size_t i = 0; i < raw->own_count; i++) gig_tensor_clear(&raw->owned[i]);
    for (size_t i = 0; i < raw->own_count; i++) gig_free((char *)(uintptr_t)raw->bound[i].name);
    gig_tensor_clear(&raw->point);
    gig_free(raw->owned);
    gig_free(raw->bound);
    gig_free(raw->shapes);
    gig_free(raw->also);
    gig_free(raw->also_shapes);
    *raw = (gig_raw){0};
}

static int is_also(const gig_raw *raw, const char *name)
{
    for (size_t i = 0; i < raw->also_count; i++)
        if (!strcmp(raw->also[i], name)) return 1;
    return 0;
}

/* ---- rows ---- */

/* How many points the tensor holds, or, of pictures, how many there are. */
static size_t count_rows(const gig_explainer *explainer, const gig_input *input)
{
    const gig_tensor *tensor = input->tensor;
    if (!input->rows || explainer->options.at) return 1;
    if (!gig_input_is_tensor(input)) return (size_t)input->rows;
    const gig_value *value = gig_model_input(explainer->model, explainer->raw[1].main);
    if (!tensor || tensor->rank == 0) return 1;
    int more = value && value->rank >= 0 ? tensor->rank - value->rank : 0;
    int whole = value && value->rank > 0 && value->dims[0] > 1; /* a model without a batch */
    return more > 0 || (more == 0 && !whole) ? (size_t)tensor->dims[0] : 1;
}

/* The value of another input for this one: its row, if it has one for each point, else all of it. Integers never have
 * rows: n texts may be compared with each of n pictures. */
static gig_tensor value_of(const gig_explainer *explainer, const gig_input *input, const gig_input_value *bound)
{
    gig_tensor out = *bound->value;
    const gig_value *value = gig_model_input(explainer->model, bound->name);
    size_t rows = count_rows(explainer, input), row = input->row;
    if (rows < 2 || row >= rows || out.type != GIG_FLOAT32 || !value || value->rank < 0) return out;
    int more = out.rank - value->rank;
    if (out.rank < 1 || out.dims[0] != (int64_t)rows || more < 0 || more > 1) return out;
    if (more == 0 && value->dims[0] > 1) return out;
    out.real += row * (gig_tensor_count(&out) / rows);
    out.dims[0] = 1;
    if (more) memmove(out.dims, out.dims + 1, (size_t)--out.rank * sizeof *out.dims);
    return out;
}

/* ---- has anything changed? ---- */

static int same_values(const gig_tensor *a, const gig_tensor *b)
{
    return a->type == b->type && gig_same_dims(a, b) && !memcmp(a->data, b->data, gig_tensor_bytes(a));
}

static int same_point(const gig_raw *raw, const gig_tensor *tensor)
{
    if (!tensor || raw->given.rank < 0) return !tensor && raw->given.rank < 0;
    if (tensor->type != raw->given.type || !gig_same_dims(tensor, &raw->given)) return 0;
    return !raw->point.data || !memcmp(tensor->data, raw->point.data, gig_tensor_bytes(tensor));
}

/* Explained inputs may have other values, not another shape. */
static int same_also(const gig_raw *raw, const char *name, const gig_tensor *value)
{
    for (size_t i = 0; i < raw->also_count; i++)
        if (!strcmp(raw->also[i], name)) return gig_same_dims(&raw->also_shapes[i], value);
    return 0;
}

int gig_explainer_changes(const gig_explainer *explainer, const gig_input *input)
{
    if (!input) return 0;
    const gig_raw *raw = &explainer->raw[gig_input_is_tensor(input)];
    size_t own = 0;
    if (!raw->made) return 0;
    if (!same_point(raw, gig_input_is_tensor(input) ? input->tensor : NULL)) return 1;
    for (size_t i = 0; i < input->bound_count; i++) {
        const gig_input_value *bound = &input->bound[i];
        if (!bound->name || !bound->value) return 1;
        gig_tensor value = value_of(explainer, input, bound);
        if (is_also(raw, bound->name)) {
            if (!same_also(raw, bound->name, &value)) return 1;
        } else {
            if (own == raw->own_count || strcmp(raw->bound[own].name, bound->name) ||
                !same_values(&raw->owned[own], &value))
                return 1;
            own++;
        }
    }
    return own != raw->own_count;
}

/* ---- the inputs that are explained ---- */

/* The input that pictures or tensors are: the one that is named, else the first of those to explain, else the first
 * that is not bound. */
static const char *find_main(const gig_explainer *explainer, const gig_input *input)
{
    const gig_model *model = explainer->model;
    const char *about = explainer->description->input;
    if (explainer->options.input) return explainer->options.input;
    if (!gig_input_is_tensor(input)) return about || !model->input_count ? about : model->values[model->inputs[0]].name;
    if (explainer->named_count) return explainer->named[0];
    for (size_t i = 0; i < model->input_count; i++) {
        const char *name = model->values[model->inputs[i]].name;
        int bound = 0;
        for (size_t b = 0; b < input->bound_count; b++) bound |= !strcmp(input->bound[b].name, name);
        for (size_t b = 0; b < explainer->options.bound_count; b++)
            bound |= !strcmp(explainer->options.bound[b].name, name);
        if (!bound) return name;
    }
    return NULL;
}

static gig_status list_also(gig_raw *raw, const gig_explainer *explainer)
{
    int listed = !explainer->named_count;
    raw->also = gig_alloc_zero(explainer->named_count + 1, sizeof *raw->also);
    raw->also_shapes = raw->also ? gig_alloc_zero(explainer->named_count + 1, sizeof *raw->also_shapes) : NULL;
    if (!raw->also_shapes) return gig_alloc_status();
    for (size_t i = 0; i < explainer->named_count; i++) {
        int is_main = raw->main && !strcmp(explainer->named[i], raw->main);
        if (!is_main) raw->also[raw->also_count++] = explainer->named[i];
        listed |= is_main;
    }
    if (listed) return GIG_OK;
    return gig_fail(GIG_EARG, "explain-inputs does not name \"%.80s\", the input that is given%s",
                    raw->main ? raw->main : "", raw == &explainer->raw[0] ? " as a picture" : "");
}

/* The tensor's dims as the model's input has them: with or without the leading 1 of one row. */
static gig_status fit_rank(gig_tensor *out, const gig_tensor *tensor, const gig_value *value, int rows)
{
    char given[160], wanted[160];
    *out = *tensor;
    if (!value || value->rank < 0 || value->rank == tensor->rank) return GIG_OK;
    if (tensor->rank == value->rank + 1 && (rows || tensor->dims[0] == 1)) {
        memmove(out->dims, tensor->dims + 1, (size_t)value->rank * sizeof *out->dims);
    } else if (rows) {
        return GIG_OK; /* the network reports what it expects */
    } else if (tensor->rank + 1 == value->rank) {
        memmove(out->dims + 1, tensor->dims, (size_t)tensor->rank * sizeof *out->dims);
        out->dims[0] = 1;
    } else {
        return gig_fail(GIG_EARG, "input \"%.80s\": expected a tensor of shape %s, found %s", value->name,
                        gig_dims_text(wanted, sizeof wanted, value->rank, value->dims),
                        gig_dims_text(given, sizeof given, tensor->rank, tensor->dims));
    }
    out->rank = value->rank;
    return GIG_OK;
}

/* The value of an input that is explained with another one: of the input itself, else of the explainer's options. */
static gig_status find_value(gig_tensor *out, const gig_explainer *explainer, const gig_input *input, const char *name)
{
    const gig_explainer_options *options = &explainer->options;
    const gig_input_value *found = NULL;
    for (size_t i = 0; i < options->bound_count; i++)
        if (!strcmp(options->bound[i].name, name)) found = &options->bound[i];
    for (size_t i = 0; i < input->bound_count; i++)
        if (!strcmp(input->bound[i].name, name)) found = &input->bound[i];
    if (!found) return gig_fail(GIG_EARG, "input \"%.80s\" has no value: it is explained, so give its tensor", name);
    if (found->value->type != GIG_FLOAT32)
        return gig_fail(GIG_EARG, "input \"%.80s\": expected floating-point values, found integers", name);
    size_t rows = count_rows(explainer, input);
    gig_tensor value = value_of(explainer, input, found);
    const gig_value *declared = gig_model_input(explainer->model, name);
    if (rows > 1 && value.rank > 0 && value.dims[0] > 1 && declared && declared->rank == value.rank &&
        declared->dims[0] < 2)
        return gig_fail(GIG_EARG, "input \"%.80s\" has %lld rows, where there are %zu points", name,
                        (long long)value.dims[0], rows);
    return fit_rank(out, &value, declared, 0);
}

gig_status gig_explainer_write_also(float *out, const gig_explainer *explainer, const gig_input *input,
                                    const gig_network *network)
{
    const gig_raw *raw = &explainer->raw[gig_input_is_tensor(input)];
    for (size_t i = 0; i < raw->also_count; i++) {
        gig_tensor value;
        GIG_TRY(find_value(&value, explainer, input, raw->also[i]));
        size_t count = gig_tensor_count(&value), wanted = gig_network_part_features(network, i + 1);
        if (count != wanted)
            return gig_fail(GIG_EARG, "input \"%.80s\": expected %zu values, found %zu", raw->also[i], wanted, count);
        memcpy(out, value.real, count * sizeof *out);
        out += count;
    }
    return GIG_OK;
}

/* ---- what networks are made for ---- */

static gig_status copy_bound(gig_raw *raw, const gig_explainer *explainer, const gig_input *input)
{
    const gig_explainer_options *options = &explainer->options;
    raw->owned = gig_alloc_zero(input->bound_count, sizeof *raw->owned);
    raw->bound = raw->owned ? gig_alloc_zero(input->bound_count + options->bound_count, sizeof *raw->bound) : NULL;
    if (!raw->bound) return gig_alloc_status();
    for (size_t i = 0; i < input->bound_count; i++) {
        if (is_also(raw, input->bound[i].name)) continue;
        gig_tensor value = value_of(explainer, input, &input->bound[i]);
        char *name = gig_strdup(input->bound[i].name);
        raw->bound[raw->own_count] = (gig_input_value){name, &raw->owned[raw->own_count]};
        raw->own_count++;
        if (!name) return gig_alloc_status();
        GIG_TRY(gig_tensor_copy(&raw->owned[raw->own_count - 1], &value));
    }
    raw->bound_count = raw->own_count;
    for (size_t i = 0; i < options->bound_count; i++) {
        int said = is_also(raw, options->bound[i].name);
        for (size_t own = 0; own < raw->own_count; own++) said |= !strcmp(raw->bound[own].name, options->bound[i].name);
        if (!said) raw->bound[raw->bound_count++] = options->bound[i];
    }
    return GIG_OK;
}

/* The shape of an input, if the options do not say it. */
static void add_shape(gig_raw *raw, const char *name, const gig_tensor *like)
{
    for (size_t i = 0; i < raw->shape_count; i++)
        if (!strcmp(raw->shapes[i].name, name)) return;
    gig_input_shape *own = &raw->shapes[raw->shape_count++];
    *own = (gig_input_shape){.name = name, .rank = like->rank};
    memcpy(own->dims, like->dims, sizeof own->dims);
}

static gig_status list_shapes(gig_raw *raw, const gig_explainer *explainer, const gig_input *input,
                              const gig_value *value)
{
    const gig_explainer_options *options = &explainer->options;
    raw->shapes = gig_alloc_zero(options->shape_count + raw->also_count + 1, sizeof *raw->shapes);
    if (!raw->shapes) return gig_alloc_status();
    for (size_t i = 0; i < options->shape_count; i++) raw->shapes[i] = options->shapes[i];
    raw->shape_count = options->shape_count;
    if (value && raw->point.rank >= 0) add_shape(raw, value->name, &raw->point);
    for (size_t i = 0; i < raw->also_count; i++) {
        gig_tensor fitted;
        GIG_TRY(find_value(&fitted, explainer, input, raw->also[i]));
        raw->also_shapes[i] = fitted;
        raw->also_shapes[i].data = NULL;
        add_shape(raw, raw->also[i], &fitted);
    }
    return GIG_OK;
}

static gig_status keep_point(gig_raw *raw, const gig_explainer *explainer, const gig_input *input,
                             const gig_value *value)
{
    gig_tensor fitted;
    raw->given = *input->tensor;
    raw->given.data = NULL;
    GIG_TRY(fit_rank(&fitted, input->tensor, value, input->rows));
    if (explainer->options.at) return gig_tensor_copy(&raw->point, &fitted);
    raw->point = fitted; /* only its shape is needed */
    raw->point.data = NULL;
    return GIG_OK;
}

gig_status gig_explainer_prepare_raw(gig_explainer *explainer, const gig_input *input)
{
    gig_raw *raw = &explainer->raw[gig_input_is_tensor(input)];
    const gig_tensor *tensor = gig_input_is_tensor(input) ? input->tensor : NULL;
    if (gig_input_is_tensor(input) && !tensor && !explainer->options.at)
        return gig_fail(GIG_EARG, "the input has no tensor");
    if (tensor && tensor->type != GIG_FLOAT32)
        return gig_fail(GIG_EARG, "the input tensor has integer values: expected floating-point ones");
    for (size_t i = 0; i < input->bound_count; i++)
        if (!input->bound[i].name || !input->bound[i].value)
            return gig_fail(GIG_EARG, "bound input %zu has no name or no value", i);
    raw->point.rank = raw->given.rank = -1;
    raw->main = find_main(explainer, input);
    const gig_value *value = tensor && raw->main ? gig_model_input(explainer->model, raw->main) : NULL;
    GIG_TRY(list_also(raw, explainer));
    GIG_TRY(copy_bound(raw, explainer, input));
    if (tensor) GIG_TRY(keep_point(raw, explainer, input, value));
    GIG_TRY(list_shapes(raw, explainer, input, value));
    raw->made = 1;
    return GIG_OK;
}
