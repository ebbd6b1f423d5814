/* SPDX-License-Identifier: Apache-2.0 */
/* Maps as pictures. */
#include "core.h"
#include "internal/number.h"
#include <stdlib.h>

static int choose(int *out, const char *what, const char *text, const char *choices)
{
    if (gig_parse_choice(out, text, choices) == GIG_OK) return 0;
    core_refuse("%s: %s", what, gig_message());
    return -1;
}

/* (look, colours, display, top, opacity) with the command line's words; "auto": the library's choice. */
static int read_look(gig_map_options *out, PyObject *tuple)
{
    static const gig_display_options displays[] = {{.rule = GIG_DISPLAY_MAGNITUDE},
                                                   {.rule = GIG_DISPLAY_MAGNITUDE},
                                                   {.rule = GIG_DISPLAY_SIGNED},
                                                   {.rule = GIG_DISPLAY_MASS, .sign = GIG_SIGN_POSITIVE},
                                                   {.rule = GIG_DISPLAY_MASS, .sign = GIG_SIGN_NEGATIVE},
                                                   {.rule = GIG_DISPLAY_MASS},
                                                   {.rule = GIG_DISPLAY_RANGE},
                                                   {.rule = GIG_DISPLAY_PAIR_DIVERGING}};
    const char *look, *colours, *display;
    int which, shades, rule;
    if (!PyArg_ParseTuple(tuple, "sssdd", &look, &colours, &display, &out->top, &out->opacity)) return -1;
    if (choose(&which, "look", look, "heat|overlay|mask|alpha") < 0 ||
        choose(&shades, "colours", colours, "auto|heat|grey|diverging") < 0 ||
        choose(&rule, "display", display, "auto|magnitude|signed|positive|negative|mass|range|pair") < 0)
        return -1;
    out->look = (gig_map_look)which;
    out->colours = (gig_colours)shades;
    out->display = displays[rule];
    return 0;
}

/* map [height, width, channels], pixels [height, width, 3] or None, look -> rgb [height, width, 3] */
PyObject *core_paint(PyObject *module, PyObject *arguments)
{
    PyObject *map, *pixels, *look, *out = NULL;
    Py_buffer values, picture;
    gig_map_options options = GIG_MAP_OPTIONS_INIT;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OOO!", &map, &pixels, &PyTuple_Type, &look)) return NULL;
    if (read_look(&options, look) < 0 || core_view(&values, map, CORE_FLOAT, "map") < 0) return NULL;
    int has = pixels != Py_None;
    if (has && core_view(&picture, pixels, CORE_FLOAT, "picture") < 0) goto without;
    if (values.ndim != 3 ||
        (has && (size_t)picture.len != sizeof(float) * 3 * (size_t)(values.shape[0] * values.shape[1]))) {
        core_refuse("a map must be [height, width, channels], and its picture of the same size");
        goto done;
    }
    if (has) options.pixels = picture.buf;
    void *rgb;
    Py_ssize_t dims[3] = {values.shape[0], values.shape[1], 3};
    out = core_array(CORE_FLOAT, 3, dims, &rgb);
    if (!out) goto done;
    gig_status status =
        gig_map_paint(rgb, NULL, values.buf, (size_t)dims[0], (size_t)dims[1], (size_t)values.shape[2], &options);
    if (status != GIG_OK) {
        Py_CLEAR(out);
        core_raise(status, gig_message());
    }
done:
    if (has) PyBuffer_Release(&picture);
without:
    PyBuffer_Release(&values);
    return out;
}

/* attribution [..., channels], reduction -> one value per pixel, flat */
PyObject *core_reduce(PyObject *module, PyObject *arguments)
{
    PyObject *map, *out = NULL;
    const char *name;
    Py_buffer values;
    gig_reduction reduction;
    void *data;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "Os", &map, &name)) return NULL;
    if (gig_reduction_parse(&reduction, name) != GIG_OK) return core_raise(GIG_EARG, gig_message());
    if (core_view(&values, map, CORE_FLOAT, "map") < 0) return NULL;
    size_t channels = values.ndim ? (size_t)values.shape[values.ndim - 1] : 1;
    Py_ssize_t pixels = channels ? (Py_ssize_t)(core_view_count(&values) / channels) : 0;
    out = core_array(CORE_FLOAT, 1, &pixels, &data);
    if (out && gig_map_reduce(data, values.buf, (size_t)pixels, channels, reduction) != GIG_OK) {
        Py_CLEAR(out);
        core_raise(GIG_EARG, gig_message());
    }
    PyBuffer_Release(&values);
    return out;
}

/* map (one value per pixel), percent -> 0 and 1, flat */
PyObject *core_top_mask(PyObject *module, PyObject *arguments)
{
    PyObject *map, *out;
    double percent;
    Py_buffer values;
    void *data;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "Od", &map, &percent)) return NULL;
    if (core_view(&values, map, CORE_FLOAT, "map") < 0) return NULL;
    Py_ssize_t pixels = (Py_ssize_t)core_view_count(&values);
    out = core_array(CORE_BYTE, 1, &pixels, &data);
    gig_status status = out ? gig_top_mask(data, values.buf, (size_t)pixels, percent) : GIG_OK;
    if (status != GIG_OK) {
        Py_CLEAR(out);
        core_raise(status, gig_message());
    }
    PyBuffer_Release(&values);
    return out;
}

/* ---- sheets ---- */

static PyObject *write_sheet(gig_sheet *sheet, const char *path, int force, const char *format)
{
    uint8_t *bytes = NULL;
    size_t count = 0;
    int choice = 0;
    if (!path && choose(&choice, "format", format, "png|svg|pdf") < 0) return NULL;
    PyThreadState *state = PyEval_SaveThread();
    gig_status status =
        path ? gig_sheet_write(sheet, path, force) : gig_sheet_encode(&bytes, &count, sheet, (gig_sheet_format)choice);
    PyEval_RestoreThread(state);
    PyObject *out = NULL;
    if (status != GIG_OK)
        core_raise(status, gig_message());
    else
        out = path ? Py_NewRef(Py_None) : PyBytes_FromStringAndSize((const char *)bytes, (Py_ssize_t)count);
    gig_sheet_bytes_free(bytes);
    return out;
}

/* A list of texts for options->labels, which borrow; free the array. */
static int read_labels(gig_draw_options *options, PyObject *given)
{
    if (given == Py_None) return 0;
    size_t count = (size_t)PyTuple_Size(given);
    const char **labels = calloc(count + 1, sizeof *labels);
    if (!labels) return PyErr_NoMemory(), -1;
    options->labels = labels;
    options->label_count = count;
    for (size_t i = 0; i < count; i++)
        if (!(labels[i] = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(given, (Py_ssize_t)i), NULL))) return -1;
    return 0;
}

/* explanations, title or None, look or None, path or None, force, format, kind of arrays, labels or None, columns or
 * 0 -> None, or the file's bytes */
PyObject *core_draw(PyObject *module, PyObject *arguments)
{
    PyObject *given, *look, *labels, *out = NULL;
    const char *path, *format, *kind;
    int force, chosen = 0;
    gig_explanation *maps = NULL;
    gig_draw_options options = GIG_DRAW_OPTIONS_INIT;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!zOzpssOI", &PyTuple_Type, &given, &options.title, &look, &path, &force, &format,
                          &kind, &labels, &options.columns))
        return NULL;
    if (look != Py_None && read_look(&options.map, look) < 0) return NULL;
    if (choose(&chosen, "draw_as", kind, "auto|signal|tokens|table|slices") < 0) return NULL;
    options.kind = (gig_array_kind)chosen;
    if (read_labels(&options, labels) < 0) goto done;
    size_t count = (size_t)PyTuple_Size(given);
    maps = calloc(count + 1, sizeof *maps); /* they borrow */
    if (!maps) {
        PyErr_NoMemory();
        goto done;
    }
    for (size_t i = 0; i < count; i++) {
        const gig_explanation *one = core_explanation_of(PyTuple_GetItem(given, (Py_ssize_t)i));
        if (!one) goto done;
        maps[i] = *one;
    }
    gig_sheet *sheet;
    gig_status status = gig_explanation_sheet(&sheet, maps, count, &options);
    if (status == GIG_OK)
        out = write_sheet(sheet, path, force, format);
    else
        core_raise(status, gig_message());
    gig_sheet_free(sheet);
done:
    free(maps);
    free((void *)(uintptr_t)options.labels);
    return out;
}

/* pixels [height, width, 1 or 3] in [0,1], path, force: a PNG of them */
PyObject *core_write_png(PyObject *module, PyObject *arguments)
{
    PyObject *pixels, *out = NULL;
    const char *path;
    int force;
    Py_buffer view;
    gig_image image = {0};
    (void)module;
    if (!PyArg_ParseTuple(arguments, "Osp", &pixels, &path, &force)) return NULL;
    if (core_view(&view, pixels, CORE_FLOAT, "pixels") < 0) return NULL;
    if (view.ndim == 3) {
        gig_status status = gig_image_from_pixels(&image, view.buf, (size_t)view.shape[1], (size_t)view.shape[0],
                                                  (size_t)view.shape[2]);
        if (status == GIG_OK) status = gig_image_write_png(path, &image, force);
        out = status == GIG_OK ? Py_NewRef(Py_None) : core_raise(status, gig_message());
        gig_image_clear(&image);
    } else {
        core_refuse("pixels must be [height, width, channels]");
    }
    PyBuffer_Release(&view);
    return out;
}
