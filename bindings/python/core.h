/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of the Python module. Everything here holds the GIL unless stated otherwise. */
#ifndef GIG_PYTHON_CORE_H
#define GIG_PYTHON_CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <gig/gig.h>
#include <stdatomic.h>
#include <string.h>

/* ---- errors.c ---- */

/* gig.Error and one class below it for each status, into the module. */
int core_add_errors(PyObject *module);
/* Sets the exception of a status; returns NULL. */
PyObject *core_raise(gig_status status, const char *message);
/* gig.ArgumentError with a text of ours; returns NULL. */
PyObject *core_refuse(const char *format, ...);

/* ---- arrays.c: arrays in by the buffer protocol, NumPy's out ---- */

typedef enum core_type { CORE_FLOAT = 0, CORE_DOUBLE, CORE_BYTE, CORE_WHOLE } core_type; /* f4 f8 u1 i8 */

/* A C-contiguous array of that type; `what` names it in the TypeError. Release with PyBuffer_Release. */
int core_view(Py_buffer *out, PyObject *object, core_type type, const char *what);
size_t core_view_count(const Py_buffer *view);
/* A new NumPy array and where its values are. */
PyObject *core_array(core_type type, int rank, const Py_ssize_t *dims, void **data);
/* The same, filled from values. */
PyObject *core_array_of(core_type type, int rank, const Py_ssize_t *dims, const void *values);
/* numpy.ascontiguousarray(object, type). */
PyObject *core_converted(PyObject *object, core_type type);
/* object's buffer where it fits as it is, else that of a converted copy; *held is then that copy. */
int core_view_converted(Py_buffer *out, PyObject **held, PyObject *object, core_type type);
/* The array goes to *out as a borrowed tensor of floats or whole numbers. */
int core_tensor(gig_tensor *out, const Py_buffer *view, core_type type);
PyObject *core_array_of_tensor(const gig_tensor *tensor);

/* dict[name] = value, which is consumed; a NULL value passes its error on. The name is not interned, as
 * PyDict_SetItemString would do, because the table of interned names would grow. */
int core_put(PyObject *dict, const char *name, PyObject *value);

/* ---- gil.c: computing without the GIL ---- */

/* One computation. Python callbacks run with the GIL; the first exception they raise ends the computation and is passed
 * to the caller. */
typedef struct core_run {
    PyObject *progress; /* callable(done, expected), or NULL; borrowed */
    int aside;          /* computes in another thread, which has signals blocked; else in the calling one */
    atomic_int stop;    /* an exception is kept, or an interrupt was seen */
    atomic_size_t done, expected;
    double told; /* when progress was last called */
    PyObject *type, *value, *trace;
} core_run;

typedef gig_status (*core_job)(void *payload);
/* 0; -1 with an exception. */
int core_run_do(core_run *run, core_job job, void *payload);
/* For the options of whatever computes, payload: the run. Without the GIL. */
int core_run_progress(void *run, const gig_progress *progress);
/* Keeps the exception that is set, and returns a status that ends the computation. */
gig_status core_run_keep(core_run *run);
/* For callbacks, before they take the GIL: GIG_OK, or a status to return at once. */
gig_status core_run_check(core_run *run);

/* ---- callbacks.c: Python functions as C callbacks ---- */

enum { CORE_MAX_RANK = 16 };

typedef struct core_function {
    core_run *run;
    PyObject *call;  /* points -> (values, gradients) */
    PyObject *value; /* points -> values, or NULL */
    size_t features;
    int rank;                           /* of points: 1 + that of the input */
    Py_ssize_t dims[1 + CORE_MAX_RANK]; /* dims[0] is set for each call */
} core_function;
gig_status core_function_evaluate(void *payload, size_t batch, const float *const *points, const size_t *targets,
                                  double *values, float *const *gradients);

typedef struct core_observer {
    core_run *run;
    PyObject *call; /* called with a dict */
    int rank;
    Py_ssize_t dims[CORE_MAX_RANK]; /* of a point */
} core_observer;
gig_status core_observer_observe(void *payload, const gig_view *view);

/* ---- explanation.c ---- */

int core_add_explanation(PyObject *module);
/* A new gig._core.Explanation that takes what *found owns; `method` made it. */
PyObject *core_explanation(gig_explanation *found, const gig_method *method);
gig_explanation *core_explanation_of(PyObject *object); /* NULL with a TypeError */

/* ---- explainer.c ---- */

int core_add_explainer(PyObject *module);

/* ---- functions of the module: a comment before each lists its arguments ---- */

PyObject *core_open_model(PyObject *module, PyObject *arguments);
PyObject *core_open_functions(PyObject *module, PyObject *arguments);
PyObject *core_methods(PyObject *module, PyObject *unused);
PyObject *core_explain_options(PyObject *module, PyObject *unused);
PyObject *core_paint(PyObject *module, PyObject *arguments);
PyObject *core_reduce(PyObject *module, PyObject *arguments);
PyObject *core_top_mask(PyObject *module, PyObject *arguments);
PyObject *core_draw(PyObject *module, PyObject *arguments);
PyObject *core_write_png(PyObject *module, PyObject *arguments);
PyObject *core_metrics(PyObject *module, PyObject *unused);
PyObject *core_score(PyObject *module, PyObject *arguments);
PyObject *core_read_mask(PyObject *module, PyObject *arguments);
PyObject *core_study_store(PyObject *module, PyObject *arguments);
PyObject *core_study_run(PyObject *module, PyObject *arguments);
PyObject *core_study_status(PyObject *module, PyObject *arguments);
PyObject *core_study_text(PyObject *module, PyObject *arguments);
PyObject *core_study_table(PyObject *module, PyObject *arguments);
PyObject *core_study_serve(PyObject *module, PyObject *unused);

#endif
