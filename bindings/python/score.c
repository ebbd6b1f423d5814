/* SPDX-License-Identifier: Apache-2.0 */
/* Scores of maps. Metrics that need the model call it through the explainer, which distributes the points of one call
 * over all its threads. */
#include "explainer.h"
#include "internal/description.h"
#include "internal/explainer.h"
#include "internal/image.h"
#include <stdlib.h>

/* base names, in the library's order */
PyObject *core_metrics(PyObject *module, PyObject *unused)
{
    PyObject *out = PyList_New(0);
    (void)module;
    (void)unused;
    for (size_t i = 0; out && gig_metric_row_at(i); i++) {
        PyObject *text = PyUnicode_FromString(gig_metric_row_at(i)->name);
        if (!text || PyList_Append(out, text) < 0) Py_CLEAR(out);
        Py_XDECREF(text);
    }
    return out;
}

/* ---- the model as a function ---- */

typedef struct asked {
    explainer *self;
    const char *of;
    gig_input *items; /* max_batch of them */
    int argmax;
} asked;

static gig_status best_is(asked *a, size_t batch, const size_t *targets, double *values)
{
    gig_status status = GIG_OK;
    for (size_t i = 0; i < batch && status == GIG_OK; i++) {
        size_t best;
        status = gig_explainer_top(&best, NULL, a->self->open, &a->items[i], 1, NULL);
        values[i] = status == GIG_OK && best == targets[i];
    }
    return status;
}

static gig_status ask(void *payload, size_t batch, const float *const *points, const size_t *targets, double *values,
                      float *const *gradients)
{
    asked *a = payload;
    for (size_t i = 0; i < batch; i++) a->items[i] = (gig_input){.values = points[i], .unbounded = 1};
    if (a->argmax) return best_is(a, batch, targets, values);
    const gig_explain_options options = {.classes = targets, .of = a->of};
    return gig_explainer_evaluate(values, gradients, a->self->open, batch, a->items, &options);
}

/* ---- scoring ---- */

/* The program's number of a picture, from its pixels: random pixels of sic and aic depend on it. */
static uint64_t picture_number(const Py_buffer *pixels)
{
    uint64_t hash = 0xcbf29ce484222325;
    const uint8_t *bytes = pixels->buf;
    for (Py_ssize_t i = 0; bytes && i < pixels->len; i++) hash = (hash ^ bytes[i]) * 0x100000001b3;
    return hash >> 8;
}

typedef struct scoring {
    explainer *self; /* or NULL */
    gig_metric metric;
    gig_metric_result result;
    gig_scored scored;
    asked values, probabilities, argmax;
    gig_function functions[3];
    gig_explain_options again; /* for metrics that explain other inputs */
    const char *method;
} scoring;

static gig_status explain_again(void *payload, float *attribution, const float *input)
{
    scoring *s = payload;
    gig_explanation found = {0};
    gig_input one = {.values = input, .unbounded = 1};
    gig_status status = gig_explainer_explain_inputs(&found, s->self->open, 1, &one, s->method, &s->again);
    if (status == GIG_OK && found.count != s->scored.height * s->scored.width * s->scored.channels)
        status = gig_fail_because(GIG_EARG, "the method does not give a map of that size");
    if (status == GIG_OK) memcpy(attribution, found.attributions, found.count * sizeof *attribution);
    gig_explanation_clear(&found);
    return status;
}

static gig_status score_job(void *payload)
{
    scoring *s = payload;
    return gig_metrics_score(&s->result, &s->metric, 1, &s->scored);
}

static int use_model(scoring *s, const char *of, size_t batch)
{
    asked *all[] = {&s->values, &s->probabilities, &s->argmax};
    size_t features = s->scored.height * s->scored.width * 3;
    for (int i = 0; i < 3; i++) {
        *all[i] =
            (asked){.self = s->self, .of = i ? NULL : of, .argmax = i == 2, .items = calloc(batch, sizeof(gig_input))};
        if (!all[i]->items) return PyErr_NoMemory(), -1;
        s->functions[i] = (gig_function){.features = features, .max_batch = batch, .evaluate = ask, .payload = all[i]};
    }
    s->scored.workers = 1;
    s->scored.functions = &s->functions[0];
    s->scored.probability_functions = &s->functions[1];
    s->scored.argmax_functions = &s->functions[2];
    s->scored.explain = explain_again;
    s->scored.explain_payload = s;
    return 0;
}

static PyObject *curve(const gig_points *points)
{
    Py_ssize_t count = (Py_ssize_t)points->count;
    if (!count) return Py_NewRef(Py_None);
    PyObject *x = core_array_of(CORE_DOUBLE, 1, &count, points->x),
             *y = core_array_of(CORE_DOUBLE, 1, &count, points->y);
    PyObject *out = x && y ? PyTuple_Pack(2, x, y) : NULL;
    Py_XDECREF(x);
    Py_XDECREF(y);
    return out;
}

static PyObject *scored(const gig_metric_result *result)
{
    PyObject *line = curve(&result->curve);
    return line ? Py_BuildValue("dsN", result->value, result->note, line) : NULL;
}

/* The map itself is [height, width, channels]; everything else has its height and width, and that many channels. */
static int has_size(const Py_buffer *view, const Py_buffer *map, size_t channels)
{
    if (view == map) return map->ndim == 3 && core_view_count(map) > 0;
    return view->ndim >= 2 && view->shape[0] == map->shape[0] && view->shape[1] == map->shape[1] &&
           core_view_count(view) == channels * (size_t)(map->shape[0] * map->shape[1]);
}

/* metric, map [height, width, channels], mask or None, bytes [height, width, 3] or None, baseline [height, width, 3] or
 * None, explainer or None, class, of or None, method, (sum, value at the input, value at the baseline), seed, is it a
 * gradient, batch -> (value, note, curve) */
PyObject *core_score(PyObject *module, PyObject *arguments)
{
    const char *name, *of, *method;
    PyObject *map, *mask, *pixels, *baseline, *model, *out = NULL;
    Py_ssize_t target, batch;
    unsigned long long seed;
    scoring s = {0};
    core_run run = {.aside = 1};
    (void)module;
    if (!PyArg_ParseTuple(arguments, "sOOOOOnzs(ddd)Kpn", &name, &map, &mask, &pixels, &baseline, &model, &target, &of,
                          &method, &s.scored.sum, &s.scored.value_input, &s.scored.value_baseline, &seed,
                          &s.scored.is_gradient, &batch))
        return NULL;
    if (gig_metric_parse(&s.metric, name) != GIG_OK) return core_raise(GIG_EARG, gig_message());
    if (model != Py_None && !(s.self = core_explainer_of(model))) return NULL;
    PyObject *arrays[4] = {map, mask, pixels, baseline};
    static const core_type types[4] = {CORE_FLOAT, CORE_BYTE, CORE_BYTE, CORE_FLOAT};
    static const char *const names[4] = {"map", "mask", "picture", "baseline"};
    static const size_t channels[4] = {0, 1, 3, 3};
    Py_buffer views[4];
    int held = 0;
    for (; held < 4; held++) {
        views[held] = (Py_buffer){0};
        if (arrays[held] == Py_None) continue;
        if (core_view(&views[held], arrays[held], types[held], names[held]) < 0) goto done;
        if (!has_size(&views[held], &views[0], channels[held])) {
            static const char *const sizes[4] = {"channels", "1", "3", "3"};
            core_refuse("%s: expected the map's size, [%zd, %zd, %s]", names[held],
                        views[0].ndim > 0 ? views[0].shape[0] : 0, views[0].ndim > 1 ? views[0].shape[1] : 0,
                        sizes[held]);
            held++;
            goto done;
        }
    }
    s.scored.height = (size_t)views[0].shape[0];
    s.scored.width = (size_t)views[0].shape[1];
    s.scored.channels = (size_t)views[0].shape[2];
    s.scored.attribution = views[0].buf;
    s.scored.mask = views[1].buf;
    s.scored.pixels = views[2].buf;
    s.scored.baseline = views[3].buf;
    s.scored.target = (size_t)target;
    s.scored.seed = seed;
    s.scored.picture = picture_number(&views[2]);
    s.method = method;
    s.again = (gig_explain_options){.of = of, .classes = &s.scored.target, .seed = seed, .baseline = views[3].buf};
    if (s.self && use_model(&s, of, batch > 0 ? (size_t)batch : 1) < 0) goto done;
    int failed = s.self ? core_explainer_do(s.self, &run, score_job, &s) : core_run_do(&run, score_job, &s);
    if (!failed) out = scored(&s.result);
    gig_metric_result_clear(&s.result);
done:
    for (int i = 0; i < held; i++)
        if (views[i].obj) PyBuffer_Release(&views[i]);
    free(s.values.items);
    free(s.probabilities.items);
    free(s.argmax.items);
    return out;
}

/* path, explainer or None -> mask [height, width] of 0, 1, 2 at the model's size, or at its own */
PyObject *core_read_mask(PyObject *module, PyObject *arguments)
{
    const char *path;
    PyObject *model, *out = NULL;
    gig_image mask = {0}, placed = {0};
    (void)module;
    if (!PyArg_ParseTuple(arguments, "sO", &path, &model)) return NULL;
    explainer *self = NULL;
    if (model != Py_None && !(self = core_explainer_of(model))) return NULL;
    gig_status status = gig_mask_read(&mask, path, NULL);
    const gig_description *about = self ? gig_explainer_description(self->open) : NULL;
    if (status == GIG_OK && about) {
        gig_placement placement;
        status = gig_placement_find(&placement, mask.width, mask.height, (size_t)about->pixels.width,
                                    (size_t)about->pixels.height, about->fit, about->shorter);
        if (status == GIG_OK) status = gig_image_place(&placed, &mask, &placement, GIG_NEAREST);
    }
    const gig_image *found = about ? &placed : &mask;
    Py_ssize_t dims[2] = {(Py_ssize_t)found->height, (Py_ssize_t)found->width};
    out = status == GIG_OK ? core_array_of(CORE_BYTE, 2, dims, found->pixels) : core_raise(status, gig_message());
    gig_image_clear(&mask);
    gig_image_clear(&placed);
    return out;
}
