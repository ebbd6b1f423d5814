/* SPDX-License-Identifier: Apache-2.0 */
/* gig._core: the library for Python. The package above it converts what users pass (paths, pictures, lists, arrays of
 * any type) to the few types that are accepted here: tuples, texts, C-contiguous arrays. */
#include "core.h"
#include "internal/saliency.h"

static PyMethodDef functions[] = {
    {"open_model", core_open_model, METH_VARARGS, NULL},
    {"open_functions", core_open_functions, METH_VARARGS, NULL},
    {"paint", core_paint, METH_VARARGS, NULL},
    {"reduce", core_reduce, METH_VARARGS, NULL},
    {"top_mask", core_top_mask, METH_VARARGS, NULL},
    {"draw", core_draw, METH_VARARGS, NULL},
    {"write_png", core_write_png, METH_VARARGS, NULL},
    {"score", core_score, METH_VARARGS, NULL},
    {"read_mask", core_read_mask, METH_VARARGS, NULL},
    {"study_store", core_study_store, METH_VARARGS, NULL},
    {"study_run", core_study_run, METH_VARARGS, NULL},
    {"study_status", core_study_status, METH_VARARGS, NULL},
    {"study_text", core_study_text, METH_VARARGS, NULL},
    {"study_table", core_study_table, METH_VARARGS, NULL},
    {"methods", core_methods, METH_NOARGS, NULL},
    {"explain_options", core_explain_options, METH_NOARGS, NULL},
    {"metrics", core_metrics, METH_NOARGS, NULL},
    {"study_serve", core_study_serve, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "gig._core",
    .m_doc = "gig's C library. Use the package gig, not this.",
    .m_size = -1,
    .m_methods = functions,
};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void)
{
    PyObject *module = PyModule_Create(&definition);
    if (!module) return NULL;
    if (core_add_errors(module) == 0 && core_add_explanation(module) == 0 && core_add_explainer(module) == 0 &&
        PyModule_AddStringConstant(module, "version", gig_version()) == 0 &&
        PyModule_AddStringConstant(module, "methods_to_compare", gig_methods_to_compare()) == 0)
        return module;
    Py_DECREF(module);
    return NULL;
}
