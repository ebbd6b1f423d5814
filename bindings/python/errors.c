/* SPDX-License-Identifier: Apache-2.0 */
#include "core.h"
#include <stdarg.h>

typedef struct error_row {
    gig_status status;
    const char *name, *doc;
    PyObject **also; /* a class of Python's own that it is too */
    PyObject *made;
} error_row;

static PyObject *any;
static error_row rows[] = {
    {GIG_EARG, "gig.ArgumentError", "An argument is wrong: its shape, range or name.", &PyExc_ValueError, NULL},
    {GIG_EFORMAT, "gig.FormatError", "A file is broken.", &PyExc_ValueError, NULL},
    {GIG_ELIMIT, "gig.LimitError", "A stated limit would be exceeded: raise it or give less.", NULL, NULL},
    {GIG_EUNSUPPORTED, "gig.UnsupportedError", "The file is fine, but cannot be run.", NULL, NULL},
    {GIG_EIO, "gig.FileError", "A file cannot be opened, read or written.", &PyExc_OSError, NULL},
    {GIG_ENOMEM, "gig.OutOfMemoryError", "Memory ran out.", &PyExc_MemoryError, NULL},
    {GIG_ENUMERIC, "gig.NumericError", "A NaN or an infinity was met.", &PyExc_ArithmeticError, NULL},
    {GIG_ECANCEL, "gig.CancelledError", "The computation was asked to stop.", NULL, NULL},
    {GIG_EINTERNAL, "gig.InternalError", "An invariant of gig broke, or its engine failed.", NULL, NULL},
};

static int add_class(PyObject *module, PyObject *made, const char *name, gig_status status)
{
    PyObject *text = PyUnicode_FromString(status == GIG_OK ? "" : gig_status_name(status));
    int failed = !text || PyObject_SetAttrString(made, "status", text) < 0;
    Py_XDECREF(text);
    return failed ? -1 : PyModule_AddObjectRef(module, name + sizeof "gig." - 1, made);
}

int core_add_errors(PyObject *module)
{
    any = PyErr_NewExceptionWithDoc("gig.Error", "What gig refuses or fails at; the message says why in one line.",
                                    NULL, NULL);
    if (!any || add_class(module, any, "gig.Error", GIG_OK) < 0) return -1;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        PyObject *bases = rows[i].also ? PyTuple_Pack(2, any, *rows[i].also) : PyTuple_Pack(1, any);
        rows[i].made = bases ? PyErr_NewExceptionWithDoc(rows[i].name, rows[i].doc, bases, NULL) : NULL;
        Py_XDECREF(bases);
        if (!rows[i].made || add_class(module, rows[i].made, rows[i].name, rows[i].status) < 0) return -1;
    }
    return 0;
}

PyObject *core_raise(gig_status status, const char *message)
{
    PyObject *made = any;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].status == status) made = rows[i].made;
    PyObject *text = PyUnicode_DecodeUTF8(message, (Py_ssize_t)strlen(message), "replace");
    if (text) PyErr_SetObject(made, text);
    Py_XDECREF(text);
    return NULL;
}

PyObject *core_refuse(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    PyErr_FormatV(rows[0].made, format, arguments);
    va_end(arguments);
    return NULL;
}
