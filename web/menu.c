/* SPDX-License-Identifier: Apache-2.0 */
#include "menu.h"
#include "gig/status.h"
#include "internal/saliency.h"
#include "internal/view.h"
#include <math.h>
#include <stdio.h>

/* A list or object that cannot take a value is given up: NULL takes nothing more. */
static void append(json_t **to, json_t *value)
{
    if (json_array_append_new(*to, value) == 0) return;
    json_decref(*to);
    *to = NULL;
}

static void set(json_t **to, const char *key, json_t *value)
{
    if (json_object_set_new(*to, key, value) == 0) return;
    json_decref(*to);
    *to = NULL;
}

static json_t *option_json(const gig_method *method, const gig_method_option *option)
{
    static const char *const kinds[] = {"count", "number", "choice", "size", "text"};
    char value[128] = "";
    const char *usual = gig_method_get(value, sizeof value, method, option->name);
    json_t *out = json_pack("{s:s, s:s, s:s, s:s}", "name", option->name, "help", option->help ? option->help : "",
                            "kind", kinds[option->kind], "usual", usual ? usual : "");
    if (option->choices) set(&out, "choices", json_string(option->choices));
    if (isfinite(option->least)) set(&out, "least", json_real(option->least));
    if (isfinite(option->most)) set(&out, "most", json_real(option->most));
    return out;
}

/* The options of `name` that the method `without` (NULL: none) does not have. */
static json_t *options_json(const char *name, const char *without)
{
    gig_method method, other;
    const gig_method_option *option;
    json_t *out = json_array();
    if (gig_method_parse(&method, name, NULL) != GIG_OK) return out;
    if (without && gig_method_parse(&other, without, NULL) != GIG_OK) return out;
    for (size_t i = 0; (option = gig_method_option_at(&method, i)); i++)
        if (!without || !gig_method_takes(&other, option->name)) append(&out, option_json(&method, option));
    return out;
}

static json_t *methods_json(void)
{
    json_t *out = json_array();
    const gig_method_row *row;
    for (size_t i = 0; (row = gig_method_row_at(i)); i++)
        append(&out, json_pack("{s:s, s:s, s:b, s:b, s:b, s:o}", "name", row->name, "help", row->help ? row->help : "",
                               "path", (row->traits & GIG_METHOD_PATH) != 0, "anchors",
                               (row->traits & GIG_METHOD_ANCHORS) != 0, "model",
                               (row->traits & GIG_METHOD_NO_MODEL) == 0, "options", options_json(row->name, NULL)));
    return out;
}

static json_t *prefixes_json(void)
{
    static const char *const names[] = {"smooth+", "xrai+"};
    json_t *out = json_array();
    for (int i = 0; i < 2; i++) {
        char whole[64];
        snprintf(whole, sizeof whole, "%sgradients", names[i]);
        append(&out, json_pack("{s:s, s:o}", "name", names[i], "options", options_json(whole, "gradients")));
    }
    return out;
}

static json_t *colours_json(gig_colours colours)
{
    enum { STOPS = 33 };
    json_t *out = json_array();
    for (int i = 0; i < STOPS; i++) {
        float rgb[3];
        char text[16];
        gig_colour_at(rgb, colours, (double)i / (STOPS - 1));
        snprintf(text, sizeof text, "#%02lx%02lx%02lx", lrintf(255 * rgb[0]), lrintf(255 * rgb[1]),
                 lrintf(255 * rgb[2]));
        append(&out, json_string(text));
    }
    return out;
}

/* Settings with a name of their own, by the name they stand for; the first is the default. */
static json_t *presets_json(void)
{
    static const char *const presets[][2] = {{"auto", "the default"}, {"paper", "as published"}};
    json_t *out = json_array();
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
        gig_method method;
        char name[GIG_METHOD_NAME_BYTES];
        if (gig_method_parse(&method, presets[i][0], NULL) != GIG_OK) continue;
        append(&out, json_pack("{s:s, s:s, s:s}", "stands_for", presets[i][0], "words", presets[i][1], "name",
                               gig_method_name(name, sizeof name, &method)));
    }
    return out;
}

json_t *web_menu(void)
{
    return json_pack("{s:s, s:o, s:o, s:o, s:{s:o, s:o, s:o}}", "gig", gig_version(), "methods", methods_json(),
                     "prefixes", prefixes_json(), "presets", presets_json(), "colours", "heat",
                     colours_json(GIG_COLOURS_HEAT), "grey", colours_json(GIG_COLOURS_GREY), "diverging",
                     colours_json(GIG_COLOURS_DIVERGING));
}
