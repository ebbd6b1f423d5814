/* SPDX-License-Identifier: Apache-2.0 */
/* The model description: found next to the model, completed from the model; every assumption is reported. */
#include "model/description.h"
#include "base/file.h"
#include "model/graph.h"
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MAX_DESCRIPTION = 1 << 26 }; /* bytes of the JSON file */

/* Adds a remark. */
__attribute__((format(printf, 2, 3))) static gig_status say(gig_description *description, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    size_t capacity = description->remark_count;
    GIG_TRY(gig_grow((void **)&description->remarks, &capacity, description->remark_count + 1, sizeof(char *)));
    char *remark = gig_strdup(text);
    if (!remark) return gig_alloc_status();
    description->remarks[description->remark_count++] = remark;
    return GIG_OK;
}

const char *gig_description_remark(const gig_description *description, size_t i)
{
    if (!description) return NULL;
    return i < description->remark_count ? description->remarks[i] : NULL;
}

void gig_description_unsay(gig_description *description, const char *key)
{
    size_t kept = 0;
    for (size_t i = 0; i < description->remark_count; i++) {
        const char *quote = strchr(description->remarks[i], '"');
        int same = quote && !strncmp(quote + 1, key, strlen(key)) && quote[1 + strlen(key)] == '"';
        if (same)
            gig_free(description->remarks[i]);
        else
            description->remarks[kept++] = description->remarks[i];
    }
    description->remark_count = kept;
}

void gig_description_free(gig_description *description)
{
    if (!description) return;
    for (size_t i = 0; i < description->label_count; i++) gig_free(description->labels[i]);
    for (size_t i = 0; i < description->remark_count; i++) gig_free(description->remarks[i]);
    gig_free(description->labels);
    gig_free(description->remarks);
    gig_free(description->path);
    gig_free(description->input);
    gig_free(description->output_name);
    gig_free(description->cam);
    gig_free(description);
}

/* ---- loading ---- */

size_t gig_description_path(char *out, size_t bytes, const char *model_path)
{
    static const char ending[] = ".onnx";
    size_t stem = strlen(model_path), cut = sizeof ending - 1;
    if (stem >= cut && !strcmp(model_path + stem - cut, ending)) stem -= cut;
    const int most = INT_MAX - 8, shown = stem < (size_t)most ? (int)stem : most; /* limit of printf */
    return (size_t)snprintf(out, bytes, "%.*s.json", shown, model_path);
}

char *gig_description_beside(const char *model_path)
{
    size_t bytes = gig_description_path(NULL, 0, model_path) + 1;
    char *path = gig_alloc(bytes, 1);
    if (path) gig_description_path(path, bytes, model_path);
    return path;
}

static gig_status start(gig_description **out)
{
    gig_description *description = gig_alloc_zero(1, sizeof *description);
    if (!description) return gig_alloc_status();
    description->pixels.enabled = 1;
    description->pixels.scale = 1;
    for (int i = 0; i < 3; i++) description->pixels.std[i] = 1;
    *out = description;
    return GIG_OK;
}

/* Defaults of missing keys. Size, channels and layout are set by gig_description_complete; without `cam`, grad-cam
 * reports the tensor it uses, and without `output_name` the network does. */
static gig_status say_assumed(gig_description *description)
{
    static const struct {
        unsigned bit;
        const char *text;
    } rows[] = {
        {GIG_KEY_RESIZE, "assumed \"input.resize\": squash"},
        {GIG_KEY_FILTER, "assumed \"input.filter\": bilinear"},
        {GIG_KEY_SCALE, "assumed \"input.scale\": 1 (pixels from 0 to 1)"},
        {GIG_KEY_MEAN, "assumed \"input.mean\": 0"},
        {GIG_KEY_STD, "assumed \"input.std\": 1"},
        {GIG_KEY_OUTPUT, "assumed \"output\": by the model's last operator"},
        {GIG_KEY_LABELS, "no \"labels\"; classes are shown as numbers"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!(description->given & rows[i].bit)) GIG_TRY(say(description, "%s", rows[i].text));
    if (description->fit == GIG_CROP && !(description->given & GIG_KEY_SHORT))
        GIG_TRY(say(description, "assumed \"input.short\": the larger of width and height"));
    return GIG_OK;
}

static gig_status read_file(gig_description *description)
{
    uint8_t *bytes = NULL;
    size_t count;
    GIG_TRY(gig_file_read(&bytes, &count, description->path, MAX_DESCRIPTION));
    gig_status status = gig_description_parse(description, (const char *)bytes, count);
    gig_free(bytes);
    return status == GIG_OK ? status : gig_fail_in(status, "%s", description->path);
}

/* From the file at `path`, or (beside) from the one next to the model at `path`, which may be missing. */
static gig_status load(gig_description **out, const char *path, int beside)
{
    gig_description *description = NULL;
    gig_status status = GIG_OK;
    *out = NULL;
    GIG_TRY(start(&description));
    description->path = beside ? gig_description_beside(path) : gig_strdup(path);
    if (!description->path) GIG_TRY_DONE(gig_alloc_status());
    if (beside && access(description->path, F_OK) && errno == ENOENT)
        GIG_TRY_DONE(say(description, "no description (%.300s)", description->path));
    else
        GIG_TRY_DONE(read_file(description));
    GIG_TRY_DONE(say_assumed(description));
    *out = description;
    description = NULL;
done:
    gig_description_free(description);
    return status;
}

gig_status gig_description_load_memory(gig_description **out, const void *bytes, size_t count, const char *folder)
{
    GIG_NEED(out);
    gig_description *description = NULL;
    gig_status status = GIG_OK;
    *out = NULL;
    if (count > MAX_DESCRIPTION) return gig_fail(GIG_ELIMIT, "a description of %zu bytes is too large", count);
    GIG_TRY(start(&description));
    size_t room = (folder ? strlen(folder) : 1) + sizeof "/description";
    description->path = gig_alloc(room, 1);
    if (!description->path) GIG_TRY_DONE(gig_alloc_status());
    snprintf(description->path, room, "%s/description", folder ? folder : ".");
    status = gig_description_parse(description, bytes, count);
    if (status != GIG_OK) GIG_TRY_DONE(gig_fail_in(status, "%s", description->path));
    GIG_TRY_DONE(say_assumed(description));
    *out = description;
    description = NULL;
done:
    gig_description_free(description);
    return status;
}

gig_status gig_description_load_file(gig_description **out, const char *path)
{
    GIG_NEED(out);
    return load(out, path, 0);
}

gig_status gig_description_load(gig_description **out, const char *model_path)
{
    GIG_NEED(out);
    return load(out, model_path, 1);
}

/* ---- completing ---- */

static gig_status find_input(const gig_value **out, const gig_description *description, const gig_model *model)
{
    for (size_t i = 0; i < model->input_count; i++) {
        *out = &model->values[model->inputs[i]];
        if (!description->input || !strcmp((*out)->name, description->input)) return GIG_OK;
    }
    if (!model->input_count) return gig_fail(GIG_EARG, "the model has no input");
    return gig_fail(GIG_EFORMAT, "\"input.name\": the model has no input \"%.80s\" (its first is \"%.80s\")",
                    description->input, model->values[model->inputs[0]].name);
}

static int is_channels(int64_t dim)
{
    return dim == 1 || dim == 3;
}

/* Layout and number of channels, if the description does not give them but the model's dims do. */
static gig_status complete_channels(gig_description *description, const gig_value *input)
{
    gig_pixels *pixels = &description->pixels;
    if (!(description->given & GIG_KEY_LAYOUT)) {
        pixels->nhwc = !is_channels(input->dims[1]) && is_channels(input->dims[3]);
        GIG_TRY(say(description, "assumed \"input.layout\": %s", pixels->nhwc ? "nhwc" : "nchw"));
    }
    int64_t channels = input->dims[pixels->nhwc ? 3 : 1];
    if (!(description->given & GIG_KEY_CHANNELS)) {
        pixels->grey = channels == 1;
        GIG_TRY(say(description, "assumed \"input.channels\": %s", pixels->grey ? "grey" : "rgb"));
    }
    int64_t wanted = pixels->grey ? 1 : 3;
    if (channels >= 0 && channels != wanted)
        return gig_fail(GIG_EFORMAT, "the model's input \"%.80s\" has %lld channels, but the description has %lld",
                        input->name, (long long)channels, (long long)wanted);
    return GIG_OK;
}

static gig_status complete_side(gig_description *description, int *side, int64_t dim, unsigned bit, const char *name)
{
    if (description->given & bit) {
        if (dim >= 0 && dim != *side)
            return gig_fail(GIG_EFORMAT, "\"input.%s\" is %d, but the model takes %lld (%.150s)", name, *side,
                            (long long)dim, description->path);
        return GIG_OK;
    }
    if (dim < 0 && *side > 0) return GIG_OK; /* the caller's */
    if (dim < 0)
        return gig_fail(GIG_EARG, "the model does not fix the picture's %s: give \"input.%s\" in %.150s", name, name,
                        description->path);
    if (dim < 1 || dim > 65500) return gig_fail(GIG_EARG, "the model takes pictures of %s %lld", name, (long long)dim);
    *side = (int)dim;
    return say(description, "took \"input.%s\" from the model: %d", name, *side);
}

static gig_status complete(gig_description *description, const gig_model *model)
{
    const gig_value *input;
    gig_pixels *pixels = &description->pixels;
    GIG_TRY(find_input(&input, description, model));
    gig_value open = {.rank = 4, .dims = {-1, -1, -1, -1}, .name = input->name};
    if (input->rank < 0) input = &open;
    if (input->rank != 4)
        return gig_fail(GIG_EARG,
                        "the model's input \"%.80s\" has rank %d: it does not take images; give it an array, --tensor",
                        input->name, input->rank);
    GIG_TRY(complete_channels(description, input));
    int64_t height = input->dims[pixels->nhwc ? 1 : 2], width = input->dims[pixels->nhwc ? 2 : 3];
    GIG_TRY(complete_side(description, &pixels->width, width, GIG_KEY_WIDTH, "width"));
    return complete_side(description, &pixels->height, height, GIG_KEY_HEIGHT, "height");
}

gig_status gig_description_complete(gig_description *description, const gig_model *model)
{
    GIG_NEED(description);
    GIG_NEED(model);
    gig_status status = complete(description, model);
    return status == GIG_OK || !*model->path ? status : gig_fail_in(status, "%.300s", model->path);
}
