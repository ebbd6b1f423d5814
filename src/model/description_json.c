/* SPDX-License-Identifier: Apache-2.0 */
/* The description's JSON: one table of keys, each with the function that reads it. Strict: an unknown key, a duplicate
 * key or a value of the wrong kind is an error that names the key. */
#include "base/utf8.h"
#include "internal/guess.h"
#include "internal/number.h"
#include "model/description.h"
#include <float.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

enum { MAX_SIDE = 65500 }; /* pixels; what pictures are limited to */

typedef gig_status (*read_value)(gig_description *out, const json_t *value);

typedef struct key {
    const char *name;
    unsigned bit;
    read_value read;
} key;

/* ---- values ---- */

static gig_status read_text(char **out, const json_t *value)
{
    const char *text = json_string_value(value);
    if (!text || !*text) return gig_fail(GIG_EFORMAT, "expected a string");
    *out = gig_strdup(text);
    return *out ? GIG_OK : gig_alloc_status();
}

static gig_status read_side(int *out, const json_t *value)
{
    json_int_t side = json_integer_value(value);
    if (!json_is_integer(value) || side < 1 || side > MAX_SIDE)
        return gig_fail(GIG_EFORMAT, "expected an integer from 1 to %d", MAX_SIDE);
    *out = (int)side;
    return GIG_OK;
}

/* Its place among `choices` (separated by '|'), which is also the enumerator. */
static gig_status read_choice(int *out, const json_t *value, const char *choices)
{
    const char *text = json_string_value(value);
    if (text && gig_parse_choice(out, text, choices) == GIG_OK) return GIG_OK;
    return gig_fail(GIG_EFORMAT, "expected one of %s", choices);
}

static int read_float(float *out, const json_t *value)
{
    double number = json_number_value(value);
    if (!json_is_number(value) || !(fabs(number) <= (double)FLT_MAX)) return 0;
    *out = (float)number;
    return 1;
}

/* An array of three numbers, or one number for all channels, in an array or not. */
static gig_status read_three(float out[3], const json_t *value, int zero_allowed)
{
    size_t count = json_is_number(value) ? 1 : json_array_size(value);
    if (count != 1 && count != 3) return gig_fail(GIG_EFORMAT, "expected a number or an array of 3");
    for (size_t i = 0; i < 3; i++) {
        const json_t *one = json_is_number(value) ? value : json_array_get(value, count == 1 ? 0 : i);
        if (!read_float(&out[i], one)) return gig_fail(GIG_EFORMAT, "expected an array of numbers");
        if (!zero_allowed && out[i] == 0) return gig_fail(GIG_EFORMAT, "expected numbers other than 0");
    }
    return GIG_OK;
}

static gig_status read_name(gig_description *out, const json_t *value)
{
    return read_text(&out->input, value);
}

static gig_status read_width(gig_description *out, const json_t *value)
{
    return read_side(&out->pixels.width, value);
}

static gig_status read_height(gig_description *out, const json_t *value)
{
    return read_side(&out->pixels.height, value);
}

static gig_status read_resize(gig_description *out, const json_t *value)
{
    int choice;
    GIG_TRY(read_choice(&choice, value, "squash|crop|letterbox"));
    out->fit = (gig_fit)choice;
    return GIG_OK;
}

static gig_status read_short(gig_description *out, const json_t *value)
{
    int side;
    GIG_TRY(read_side(&side, value));
    out->shorter = (size_t)side;
    return GIG_OK;
}

static gig_status read_filter(gig_description *out, const json_t *value)
{
    int choice;
    GIG_TRY(read_choice(&choice, value, "bilinear|bicubic"));
    out->filter = (gig_filter)choice;
    return GIG_OK;
}

static gig_status read_scale(gig_description *out, const json_t *value)
{
    if (!read_float(&out->pixels.scale, value) || out->pixels.scale == 0)
        return gig_fail(GIG_EFORMAT, "expected a number other than 0");
    return GIG_OK;
}

static gig_status read_mean(gig_description *out, const json_t *value)
{
    return read_three(out->pixels.mean, value, 1);
}

static gig_status read_std(gig_description *out, const json_t *value)
{
    return read_three(out->pixels.std, value, 0);
}

static gig_status read_channels(gig_description *out, const json_t *value)
{
    int choice;
    GIG_TRY(read_choice(&choice, value, "rgb|bgr|grey"));
    out->pixels.bgr = choice == 1;
    out->pixels.grey = choice == 2;
    return GIG_OK;
}

static gig_status read_layout(gig_description *out, const json_t *value)
{
    return read_choice(&out->pixels.nhwc, value, "nchw|nhwc");
}

static gig_status read_output(gig_description *out, const json_t *value)
{
    int choice;
    GIG_TRY(read_choice(&choice, value, "logits|probabilities|log-probabilities|sigmoid"));
    out->output = (gig_output_kind)(GIG_OUTPUT_LOGITS + choice);
    return GIG_OK;
}

static gig_status read_output_name(gig_description *out, const json_t *value)
{
    return read_text(&out->output_name, value);
}

static gig_status read_cam(gig_description *out, const json_t *value)
{
    return read_text(&out->cam, value);
}

static gig_status read_labels(gig_description *out, const json_t *value)
{
    if (json_is_string(value)) return gig_labels_read(out, json_string_value(value));
    if (!json_is_array(value)) return gig_fail(GIG_EFORMAT, "expected a file name or an array of strings");
    size_t capacity = 0;
    for (size_t i = 0; i < json_array_size(value); i++) {
        const json_t *item = json_array_get(value, i);
        if (!json_is_string(item)) return gig_fail(GIG_EFORMAT, "element %zu: expected a string", i);
        GIG_TRY(gig_labels_add(out, &capacity, json_string_value(item), json_string_length(item)));
    }
    return GIG_OK;
}

/* ---- keys ---- */

static const key input_keys[] = {
    {"name", GIG_KEY_NAME, read_name},       {"width", GIG_KEY_WIDTH, read_width},
    {"height", GIG_KEY_HEIGHT, read_height}, {"resize", GIG_KEY_RESIZE, read_resize},
    {"short", GIG_KEY_SHORT, read_short},    {"filter", GIG_KEY_FILTER, read_filter},
    {"scale", GIG_KEY_SCALE, read_scale},    {"mean", GIG_KEY_MEAN, read_mean},
    {"std", GIG_KEY_STD, read_std},          {"channels", GIG_KEY_CHANNELS, read_channels},
    {"layout", GIG_KEY_LAYOUT, read_layout}, {NULL, 0, NULL},
};

static gig_status refuse_key(const char *name, const key *keys, const char *prefix)
{
    char hint[GIG_HINT_BYTES];
    gig_guess like = gig_guess_begin(name, strlen(name));
    for (const key *row = keys; row->name; row++) gig_guess_try(&like, row->name);
    return gig_fail(GIG_EFORMAT, "unknown key \"%s%.80s\"%s", prefix, name, gig_guess_hint(hint, &like));
}

static gig_status read_keys(gig_description *out, const json_t *object, const key *keys, const char *prefix)
{
    if (!json_is_object(object)) return gig_fail(GIG_EFORMAT, "expected an object");
    const char *name;
    json_t *value;
    /* jansson's iterators take a non-const object, but do not change it */
    for (void *at = json_object_iter((json_t *)(uintptr_t)object); at;
         at = json_object_iter_next((json_t *)(uintptr_t)object, at)) {
        name = json_object_iter_key(at);
        value = json_object_iter_value(at);
        const key *row = keys;
        while (row->name && strcmp(row->name, name)) row++;
        if (!row->name) return refuse_key(name, keys, prefix);
        out->given |= row->bit;
        gig_status status = row->read(out, value);
        if (status != GIG_OK)
            return row->bit == GIG_KEY_INPUT ? status : gig_fail_in(status, "\"%s%s\"", prefix, row->name);
    }
    return GIG_OK;
}

static gig_status read_input(gig_description *out, const json_t *value)
{
    if (!json_is_object(value)) return gig_fail(GIG_EFORMAT, "\"input\": expected an object");
    return read_keys(out, value, input_keys, "input.");
}

static const key root_keys[] = {
    {"input", GIG_KEY_INPUT, read_input},
    {"output", GIG_KEY_OUTPUT, read_output},
    {"output_name", GIG_KEY_OUTPUT_NAME, read_output_name},
    {"labels", GIG_KEY_LABELS, read_labels},
    {"cam", GIG_KEY_CAM, read_cam},
    {NULL, 0, NULL},
};

gig_status gig_description_parse(gig_description *description, const char *bytes, size_t count)
{
    json_error_t error;
    size_t mark = gig_utf8_mark(bytes, count);
    json_t *root = json_loadb(bytes + mark, count - mark, JSON_REJECT_DUPLICATES, &error);
    if (!root) return gig_fail(GIG_EFORMAT, "line %d: %s", error.line, error.text);
    gig_status status = read_keys(description, root, root_keys, "");
    json_decref(root);
    return status;
}
