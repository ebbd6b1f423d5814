/* SPDX-License-Identifier: Apache-2.0 */
/* Adaptive paths that are Python functions: each is added to the explainer as a method row. */
#include "explainer.h"
#include <stdlib.h>

struct core_path {
    gig_method_row row;
    char *name, *help;
    PyObject *call;
    explainer *owner; /* knows the run, and the shape of points */
    core_path *next;
};

/* The state of one walk. */
typedef struct walk {
    const core_path *path;
    const float *start, *end;
    size_t features, steps;
} walk;

static size_t state_size(const void *options, size_t features)
{
    (void)options, (void)features;
    return sizeof(walk);
}

static gig_status begin(void *state, const void *options, const float *start, const float *end, size_t features,
                        size_t steps)
{
    *(walk *)state = (walk){options, start, end, features, steps};
    return GIG_OK;
}

static PyObject *point_array(const explainer *owner, const float *values)
{
    return core_array_of(CORE_FLOAT, owner->rank, owner->dims, values);
}

static int copy_next(float *next, PyObject *given, size_t features)
{
    Py_buffer view;
    PyObject *held;
    if (given == Py_None)
        return core_refuse("the path returned None: expected the next point, %zu values", features), -1;
    if (core_view_converted(&view, &held, given, CORE_FLOAT) < 0) return -1;
    size_t count = core_view_count(&view);
    if (count == features) memcpy(next, view.buf, features * sizeof *next);
    PyBuffer_Release(&view);
    Py_XDECREF(held);
    if (count == features) return 0;
    core_refuse("the path returned %zu values: expected the next point, %zu values", count, features);
    return -1;
}

static int call_path(const walk *self, size_t step, double value, const float *gradient, const float *at, float *next)
{
    const explainer *owner = self->path->owner;
    PyObject *here = point_array(owner, at), *slope = point_array(owner, gradient);
    PyObject *start = point_array(owner, self->start), *end = point_array(owner, self->end), *given = NULL;
    if (here && slope && start && end)
        given = PyObject_CallFunction(self->path->call, "OdOOOnn", here, value, slope, start, end, (Py_ssize_t)step,
                                      (Py_ssize_t)self->steps);
    int failed = given ? copy_next(next, given, self->features) : -1;
    Py_XDECREF(here);
    Py_XDECREF(slope);
    Py_XDECREF(start);
    Py_XDECREF(end);
    Py_XDECREF(given);
    return failed;
}

/* The last step goes to the end without calling the function. */
static gig_status advance(void *state, size_t step, double value, const float *gradient, const float *at, float *next)
{
    const walk *self = state;
    if (step + 1 == self->steps) {
        memcpy(next, self->end, self->features * sizeof *next);
        return GIG_OK;
    }
    core_run *run = self->path->owner->run;
    gig_status status = core_run_check(run);
    if (status != GIG_OK) return status;
    PyGILState_STATE held = PyGILState_Ensure();
    core_in_callback++;
    if (call_path(self, step, value, gradient, at, next) < 0) status = core_run_keep(run);
    core_in_callback--;
    PyGILState_Release(held);
    return status;
}

static gig_status make_guide(gig_guide *out, void *state, const gig_method *method)
{
    (void)state;
    *out = (gig_guide){.state_size = state_size, .begin = begin, .advance = advance, .options = method->row->payload};
    return GIG_OK;
}

void core_paths_free(core_path *path)
{
    while (path) {
        core_path *next = path->next;
        Py_XDECREF(path->call);
        free(path->name);
        free(path->help);
        free(path);
        path = next;
    }
}

static core_path *path_new(explainer *owner, const char *name, const char *help, PyObject *call, gig_rule rule)
{
    core_path *made = calloc(1, sizeof *made);
    if (!made) return NULL;
    made->name = strdup(name);
    made->help = strdup(help);
    made->call = Py_NewRef(call);
    made->owner = owner;
    made->row = (gig_method_row){.name = made->name,
                                 .help = made->help,
                                 .traits = GIG_METHOD_PATH | GIG_METHOD_BASELINE | GIG_METHOD_ANCHORS,
                                 .rule = rule,
                                 .guide = make_guide,
                                 .payload = made};
    if (made->name && made->help) return made;
    core_paths_free(made);
    return NULL;
}

typedef struct adding {
    explainer *self;
    core_path *path;
} adding;

static gig_status add_job(void *payload)
{
    adding *a = payload;
    return gig_explainer_add_method(a->self->open, &a->path->row);
}

/* name, help, rule, function: by that name from now on, in place of an earlier function of that name */
PyObject *core_explainer_add_path(explainer *self, PyObject *arguments)
{
    const char *name, *help, *rule_name;
    PyObject *call;
    gig_rule rule;
    core_run run = {0};
    if (!PyArg_ParseTuple(arguments, "sssO", &name, &help, &rule_name, &call)) return NULL;
    if (gig_rule_find(&rule, rule_name) != GIG_OK) return core_raise(GIG_EARG, gig_message());
    for (core_path *known = self->paths; known; known = known->next) {
        if (strcmp(known->name, name)) continue;
        if (known->call == call) Py_RETURN_NONE;
        PyObject *before = known->call;
        known->call = Py_NewRef(call);
        known->row.rule = rule;
        Py_DECREF(before);
        Py_RETURN_NONE;
    }
    adding a = {self, path_new(self, name, help, call, rule)};
    if (!a.path) return PyErr_NoMemory();
    if (core_explainer_do(self, &run, add_job, &a) < 0) {
        core_paths_free(a.path);
        return NULL;
    }
    a.path->next = self->paths;
    self->paths = a.path;
    Py_RETURN_NONE;
}

/* {name: what it is} of the library's own methods */
PyObject *core_methods(PyObject *module, PyObject *unused)
{
    PyObject *out = PyDict_New();
    const gig_method_row *row;
    (void)module, (void)unused;
    for (size_t i = 0; out && (row = gig_method_row_at(i)); i++)
        if (core_put(out, row->name, PyUnicode_FromString(row->help)) < 0) Py_CLEAR(out);
    return out;
}
