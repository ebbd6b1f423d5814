/* SPDX-License-Identifier: Apache-2.0 */
/* Studies: the functions of gig/work.h, with texts in and out. */
#include "core.h"
#include "internal/number.h"
#include "internal/work.h"
#include <stdlib.h>

static PyObject *taken(gig_status status, char *text)
{
    PyObject *out = status == GIG_OK ? PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace")
                                     : core_raise(status, gig_message());
    gig_text_free(text);
    return out;
}

/* manifest, store or None -> path */
PyObject *core_study_store(PyObject *module, PyObject *arguments)
{
    const char *manifest;
    gig_study_options options = GIG_STUDY_OPTIONS_INIT;
    char *text = NULL;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "sz", &manifest, &options.store)) return NULL;
    gig_status status = gig_study_store_path(&text, manifest, &options);
    return taken(status, text);
}

typedef struct running {
    core_run run;
    const char *manifest;
    gig_study_options options;
    gig_study_counts counts;
} running;

/* It is called in the thread that runs the study: the calling one, which owns the workers. */
static int on_progress(void *payload, const gig_study_progress *now)
{
    running *r = payload;
    gig_progress told = {.evaluations = now->done + now->failed, .expected = now->cells};
    return core_run_progress(&r->run, &told);
}

static gig_status run_job(void *payload)
{
    running *r = payload;
    return gig_study_run(&r->counts, r->manifest, &r->options);
}

static PyObject *counted(const gig_study_counts *counts)
{
    return Py_BuildValue("nnn", (Py_ssize_t)counts->done, (Py_ssize_t)counts->failed, (Py_ssize_t)counts->planned);
}

/* manifest, store or None, (worker command), workers, progress -> (done, failed, planned) */
PyObject *core_study_run(PyObject *module, PyObject *arguments)
{
    PyObject *command, *progress;
    Py_ssize_t workers;
    running r = {0};
    (void)module;
    if (!PyArg_ParseTuple(arguments, "szO!nO", &r.manifest, &r.options.store, &PyTuple_Type, &command, &workers,
                          &progress))
        return NULL;
    Py_ssize_t count = PyTuple_Size(command);
    const char **words = calloc((size_t)count + 1, sizeof *words);
    if (!words) return PyErr_NoMemory();
    int failed = 0;
    for (Py_ssize_t i = 0; i < count && !failed; i++)
        failed = !PyArg_Parse(PyTuple_GetItem(command, i), "s", &words[i]);
    r.options.worker = words;
    r.options.workers = (size_t)workers;
    r.options.progress = on_progress;
    r.options.payload = &r;
    r.run.progress = progress == Py_None ? NULL : progress;
    if (!failed) failed = core_run_do(&r.run, run_job, &r) < 0;
    free(words);
    return failed ? NULL : counted(&r.counts);
}

PyObject *core_study_status(PyObject *module, PyObject *arguments)
{
    const char *store;
    gig_study_counts counts;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "s", &store)) return NULL;
    gig_status status = gig_study_status(&counts, store);
    return status == GIG_OK ? counted(&counts) : core_raise(status, gig_message());
}

/* store, what ("failures", "remarks", "csv", "json") -> text */
PyObject *core_study_text(PyObject *module, PyObject *arguments)
{
    const char *store, *what;
    char *text = NULL;
    int choice;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "ss", &store, &what)) return NULL;
    gig_status status = gig_parse_choice(&choice, what, "failures|remarks|csv|json");
    if (status == GIG_OK)
        status = choice == 0   ? gig_study_failures(&text, store)
                 : choice == 1 ? gig_study_remarks(&text, store)
                               : gig_study_export(&text, store, choice == 3);
    return taken(status, text);
}

/* store, like, format, metric, baseline, mean, against, methods, seed, plot or None, force -> text */
PyObject *core_study_table(PyObject *module, PyObject *arguments)
{
    const char *store, *like, *format, *plot;
    int which, kind, force;
    unsigned long long seed;
    char *text = NULL;
    gig_table_options options = GIG_TABLE_OPTIONS_INIT;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "ssszzpzzKzp", &store, &like, &format, &options.metric, &options.baseline,
                          &options.mean, &options.against, &options.methods, &seed, &plot, &force))
        return NULL;
    if (gig_parse_choice(&which, like, "plain|paper1|paper2|paper3|paper4") != GIG_OK ||
        gig_parse_choice(&kind, format, "md|csv|latex|json") != GIG_OK)
        return core_raise(GIG_EARG, gig_message());
    options.like = (gig_table_like)which;
    options.format = (gig_table_format)kind;
    options.seed = seed;
    gig_status status = plot ? gig_study_plot(store, plot, &options, force) : GIG_OK;
    if (status == GIG_OK) status = gig_study_table(&text, store, &options);
    return taken(status, text);
}

/* What a worker process runs. */
PyObject *core_study_serve(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    PyThreadState *state = PyEval_SaveThread();
    gig_status status = gig_study_run_worker();
    PyEval_RestoreThread(state);
    return status == GIG_OK ? Py_NewRef(Py_None) : core_raise(status, gig_message());
}
