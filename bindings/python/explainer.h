/* SPDX-License-Identifier: Apache-2.0 */
/* gig._core.Explainer, shared by the files of its methods. */
#ifndef GIG_PYTHON_EXPLAINER_H
#define GIG_PYTHON_EXPLAINER_H

#include "core.h"
#include <sys/types.h>

typedef struct core_path core_path;

typedef struct explainer {
    PyObject_HEAD gig_explainer *open;
    pid_t process;
    PyThread_type_lock lock;
    PyObject *held; /* what bound inputs or functions belong to */
    size_t viewed;
    Py_buffer *views; /* of bound inputs */
    gig_tensor *tensors;
    gig_input_value *bound;
    core_run *run; /* of the call that is under way */
    core_path *paths;
    int rank; /* of a point, for paths: of functions always, of a model in calls that have paths */
    Py_ssize_t dims[CORE_MAX_RANK];
    size_t own; /* functions of one's own, one per thread */
    core_function *calls;
    gig_function *functions;
} explainer;

extern _Thread_local int core_in_callback; /* this thread runs a callback of Python's */

explainer *core_explainer_of(PyObject *object); /* NULL with a TypeError */
/* Runs a job that uses the explainer, when no other does. 0; -1 with an exception. */
int core_explainer_do(explainer *self, core_run *run, core_job job, void *payload);

/* ---- inputs.c ---- */

/* Inputs as Python gives them: ((kind, object[, bound]), ...), a path, a picture's bytes [height, width, 3], a point's
 * floats, or a tensor; bound are (name, array) pairs, values of the model's other inputs. */
typedef struct inputs {
    size_t count;
    gig_input *items;
    gig_image *images;
    gig_tensor *tensors;
    Py_buffer *views;
    size_t *sizes; /* values given as a point */
    gig_input_value *bound;
    size_t viewed, bound_count;
} inputs;
int inputs_read(inputs *out, PyObject *tuple);
void inputs_clear(inputs *held);
/* Without the GIL: every point that was given, and a baseline of as many floats (0: none) and points, has the size it
 * must have. */
gig_status inputs_check(explainer *self, const inputs *in, size_t baseline, size_t points);
int core_any_tensor(gig_tensor *out, Py_buffer *view, PyObject *array, const char *what);

/* ---- target_options.c ---- */

/* What a call requests besides inputs and method: options of gig_explain_options as (name, text) pairs, and a target
 * given as an array. */
typedef struct asking {
    gig_explain_options options;
    gig_target_choice target;
    Py_buffer view;
    int has_view;
} asking;
/* Whether the option belongs to the call, not to the method. */
int asking_has(const char *name);
int asking_set(asking *out, PyObject *pair);
/* None, ("weights", floats) or ("region", bytes [height, width]). */
int asking_set_array(asking *out, PyObject *array);
void asking_clear(asking *held);

void core_paths_free(core_path *path);

/* ---- the methods ---- */

PyObject *core_explainer_explain(explainer *self, PyObject *arguments);
PyObject *core_explainer_add_path(explainer *self, PyObject *arguments);
PyObject *core_explainer_method_takes(explainer *self, PyObject *arguments);
PyObject *core_explainer_evaluate(explainer *self, PyObject *arguments);
PyObject *core_explainer_top(explainer *self, PyObject *arguments);
PyObject *core_explainer_point(explainer *self, PyObject *arguments);
PyObject *core_explainer_classes(explainer *self, PyObject *arguments);
PyObject *core_explainer_class_name(explainer *self, PyObject *arguments);
PyObject *core_explainer_find_class(explainer *self, PyObject *arguments);
PyObject *core_explainer_remarks(explainer *self, PyObject *unused);
PyObject *core_explainer_cam(explainer *self, PyObject *unused);

#endif
