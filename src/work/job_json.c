/* SPDX-License-Identifier: Apache-2.0 */
#include "work/job_json.h"
#include "base/memory.h"
#include "base/text.h"
#include <math.h>

json_t *gig_job_json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

double gig_job_json_read_number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* JSON is UTF-8: other text is put into an array, each byte as the character with that number. */
json_t *gig_job_json_text(const char *text)
{
    json_t *plain = json_string(text);
    if (plain) return plain;
    gig_text bytes = {0};
    char *characters;
    for (const uint8_t *c = (const uint8_t *)text; *c; c++)
        if (*c < 0x80)
            gig_text_add(&bytes, "%c", *c);
        else
            gig_text_add(&bytes, "%c%c", 0xc0 | *c >> 6, 0x80 | (*c & 0x3f));
    if (gig_text_take(&characters, &bytes) != GIG_OK) return NULL;
    json_t *array = json_pack("[s]", characters);
    gig_free(characters);
    return array;
}

static char *copy_text(const json_t *value, gig_status *status)
{
    const char *text = json_string_value(json_is_array(value) ? json_array_get(value, 0) : value);
    char *copy = text ? gig_strdup(text) : NULL, *to = copy;
    if (text && !copy) *status = gig_alloc_status();
    if (!copy || !json_is_array(value)) return copy;
    for (const char *c = copy; *c; c++)
        if ((*c & 0xc0) == 0xc0 && c[1]) {
            *to++ = (char)((*c & 3) << 6 | (c[1] & 0x3f));
            c++;
        } else
            *to++ = *c;
    *to = '\0';
    return copy;
}

char *gig_job_json_read_text(const json_t *object, const char *key, gig_status *status)
{
    return copy_text(json_object_get(object, key), status);
}

static json_t *one_text(const void *texts, size_t place)
{
    return gig_job_json_text(((const gig_texts *)texts)->all[place]);
}

json_t *gig_job_json_texts(const gig_texts *from)
{
    return gig_job_json_list(one_text, from, from->count);
}

void gig_job_json_read_texts(gig_texts *out, const json_t *array, gig_status *status)
{
    size_t count = json_array_size(array);
    out->all = gig_alloc_zero(count, sizeof *out->all);
    if (!out->all) *status = gig_alloc_status();
    for (size_t i = 0; i < count && *status == GIG_OK; i++) {
        out->all[i] = copy_text(json_array_get(array, i), status);
        if (!out->all[i] && *status == GIG_OK) *status = gig_fail(GIG_EINTERNAL, "a text is missing");
        out->count += *status == GIG_OK;
    }
}

json_t *gig_job_json_result(const gig_cell_result *r)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:o}", "value_input",
                     gig_job_json_number(r->value_input), "value_baseline", gig_job_json_number(r->value_baseline),
                     "sum", gig_job_json_number(r->sum), "delta", gig_job_json_number(r->delta), "step_error",
                     gig_job_json_number(r->step_error), "stability", gig_job_json_number(r->stability), "evaluations",
                     (json_int_t)r->evaluations, "values", (json_int_t)r->values, "seconds",
                     gig_job_json_number(r->seconds));
}

void gig_job_json_read_result(gig_cell_result *out, const json_t *from)
{
    *out = (gig_cell_result){.value_input = gig_job_json_read_number(from, "value_input"),
                             .value_baseline = gig_job_json_read_number(from, "value_baseline"),
                             .sum = gig_job_json_read_number(from, "sum"),
                             .delta = gig_job_json_read_number(from, "delta"),
                             .step_error = gig_job_json_read_number(from, "step_error"),
                             .stability = gig_job_json_read_number(from, "stability"),
                             .evaluations = json_integer_value(json_object_get(from, "evaluations")),
                             .values = json_integer_value(json_object_get(from, "values")),
                             .seconds = gig_job_json_read_number(from, "seconds")};
}

json_t *gig_job_json_list(json_t *(*item)(const void *from, size_t place), const void *from, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        if (json_array_append_new(array, item(from, i)) != 0) {
            json_decref(array);
            return NULL;
        }
    return array;
}

json_t *gig_job_json_with(json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) == 0) return object;
    json_decref(object);
    return NULL;
}

/* Writes to memory of known size: json_dumps ignores some failures to enlarge its own memory, and leaves out what did
 * not fit. */
gig_status gig_job_json_dump(char **line, json_t *object)
{
    size_t bytes = object ? json_dumpb(object, NULL, 0, JSON_COMPACT) : 0;
    *line = bytes ? gig_alloc_zero(bytes + 1, 1) : NULL;
    if (*line && json_dumpb(object, *line, bytes, JSON_COMPACT) != bytes) {
        gig_free(*line);
        *line = NULL;
    }
    json_decref(object);
    return *line ? GIG_OK : gig_fail(GIG_ENOMEM, "out of memory (JSON)");
}

gig_status gig_job_json_load(json_t **out, const char *line)
{
    json_error_t error;
    *out = json_loads(line, 0, &error);
    return *out ? GIG_OK : gig_fail(GIG_EINTERNAL, "a line between processes is broken: %s", error.text);
}
