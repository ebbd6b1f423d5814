/* SPDX-License-Identifier: Apache-2.0 */
/* Names of classes: read from a file or an array, looked up by number or by any of their names. */
#include "base/file.h"
#include "base/utf8.h"
#include "internal/guess.h"
#include "model/description.h"
#include "model/load.h"
#include <stdio.h>
#include <string.h>

enum {
    MAX_LABELS = 1 << 20,
    MAX_LABEL_FILE = 1 << 26 /* bytes */
};

gig_status gig_labels_add(gig_description *description, size_t *capacity, const char *text, size_t bytes)
{
    if (description->label_count == MAX_LABELS) return gig_fail(GIG_ELIMIT, "more than %d labels", MAX_LABELS);
    if (!gig_text_is_sound(text, bytes))
        return gig_fail(GIG_EFORMAT, "label %zu is not UTF-8", description->label_count);
    GIG_TRY(gig_grow((void **)&description->labels, capacity, description->label_count + 1, sizeof(char *)));
    char *label = gig_alloc(bytes + 1, 1);
    if (!label) return gig_alloc_status();
    memcpy(label, text, bytes);
    label[bytes] = 0;
    description->labels[description->label_count++] = label;
    return GIG_OK;
}

static gig_status split_lines(gig_description *description, const char *at, const char *end)
{
    size_t capacity = 0;
    while (at < end) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        const char *next = line_end ? line_end + 1 : end;
        if (!line_end) line_end = end;
        if (line_end > at && line_end[-1] == '\r') line_end--;
        GIG_TRY(gig_labels_add(description, &capacity, at, (size_t)(line_end - at)));
        at = next;
    }
    return GIG_OK;
}

/* `path` relative to the folder of the description. */
static gig_status join(char **out, const char *description_path, const char *path)
{
    const char *slash = strrchr(description_path, '/');
    size_t folder = slash && *path != '/' ? (size_t)(slash - description_path) + 1 : 0;
    size_t bytes = strlen(path) + 1;
    *out = gig_alloc(folder + bytes, 1);
    if (!*out) return gig_alloc_status();
    memcpy(*out, description_path, folder);
    memcpy(*out + folder, path, bytes);
    return GIG_OK;
}

static gig_status read_file(gig_description *description, const char *path)
{
    uint8_t *bytes = NULL;
    size_t count;
    GIG_TRY(gig_file_read(&bytes, &count, path, MAX_LABEL_FILE));
    size_t mark = gig_utf8_mark(bytes, count);
    gig_status status = split_lines(description, (const char *)bytes + mark, (const char *)bytes + count);
    gig_free(bytes);
    return status == GIG_OK ? GIG_OK : gig_fail_in(status, "%s", path);
}

gig_status gig_labels_read(gig_description *description, const char *path)
{
    char *joined = NULL;
    GIG_TRY(join(&joined, description->path, path));
    gig_status status = read_file(description, joined);
    gig_free(joined);
    return status;
}

gig_status gig_labels_replace(gig_description *description, const char *path)
{
    GIG_NEED(description);
    GIG_NEED(path);
    for (size_t i = 0; i < description->label_count; i++) gig_free(description->labels[i]);
    gig_free(description->labels);
    description->labels = NULL;
    description->label_count = 0;
    description->given |= GIG_KEY_LABELS;
    gig_description_unsay(description, "labels");
    return read_file(description, path);
}

const char *gig_description_label(const gig_description *description, size_t index)
{
    return description && index < description->label_count ? description->labels[index] : NULL;
}

/* ---- finding ---- */

typedef struct name {
    const char *at;
    size_t length;
} name;

static char lower(char c) /* ASCII only, independent of the locale */
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static name trim(const char *at, size_t length)
{
    while (length && (*at == ' ' || *at == '\t')) at++, length--;
    while (length && (at[length - 1] == ' ' || at[length - 1] == '\t')) length--;
    return (name){at, length};
}

/* The next name of a label line; *at moves after its comma, NULL after the last. */
static name next_name(const char **at)
{
    size_t length = strcspn(*at, ",");
    name found = trim(*at, length);
    *at = (*at)[length] ? *at + length + 1 : NULL;
    return found;
}

static int same(name a, name b)
{
    if (a.length != b.length) return 0;
    for (size_t i = 0; i < a.length; i++)
        if (lower(a.at[i]) != lower(b.at[i])) return 0;
    return 1;
}

static int has_name(const char *label, name wanted)
{
    if (same(trim(label, strlen(label)), wanted)) return 1;
    for (const char *at = label; at;)
        if (same(next_name(&at), wanted)) return 1;
    return 0;
}

static gig_status fail_unknown(const gig_description *description, name wanted)
{
    size_t best = SIZE_MAX, best_class = 0;
    name nearest = {0};
    for (size_t i = 0; i < description->label_count; i++)
        for (const char *at = description->labels[i]; at;) {
            name candidate = next_name(&at);
            if (!candidate.length) continue;
            size_t far = gig_letters_apart(wanted.at, wanted.length, candidate.at, candidate.length);
            if (far >= best) continue;
            best = far;
            best_class = i;
            nearest = candidate;
        }
    int shown = wanted.length > 80 ? 80 : (int)wanted.length;
    int near = nearest.length && best <= (wanted.length + 2) / 3; /* a third of the letters may be wrong */
    if (!near)
        return gig_fail(GIG_EARG,
                        "unknown class \"%.*s\"; expected a class number, or a name from the labels of the model",
                        shown, wanted.at);
    return gig_fail(GIG_EARG, "unknown class \"%.*s\"; did you mean \"%.*s\" (%zu)?", shown, wanted.at,
                    (int)nearest.length, nearest.at, best_class);
}

/* Case ignored. */
static int contains(const char *label, name part)
{
    size_t length = strlen(label);
    for (size_t i = 0; i + part.length <= length; i++)
        if (same((name){label + i, part.length}, part)) return 1;
    return 0;
}

/* Lists them by number and first name. */
static gig_status fail_several(const gig_description *description, name part)
{
    char list[400];
    size_t used = 0, count = 0, shown = 0;
    for (size_t i = 0; i < description->label_count; i++) {
        if (!contains(description->labels[i], part)) continue;
        const char *at = description->labels[i];
        name first = next_name(&at);
        count++;
        if (used + 64 >= sizeof list) continue;
        shown++;
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%zu %.*s", used ? ", " : "", i,
                                 first.length > 32 ? 32 : (int)first.length, first.at);
    }
    return gig_fail(GIG_EARG, "%zu classes have \"%.*s\" in their names: %s%s; choose one of them", count,
                    part.length > 80 ? 80 : (int)part.length, part.at, list, shown < count ? ", ..." : "");
}

/* The one class whose names contain the text; none: the nearest is suggested, several: they are listed. */
static gig_status find_part(size_t *out, const gig_description *description, name part)
{
    size_t found = 0;
    for (size_t i = 0; i < description->label_count; i++)
        if (contains(description->labels[i], part) && found++ == 0) *out = i;
    if (!found) return fail_unknown(description, part);
    return found > 1 ? fail_several(description, part) : GIG_OK;
}

static gig_status fail_ambiguous(const gig_description *description, name wanted)
{
    char numbers[160];
    size_t used = 0, left_out = 0;
    for (size_t i = 0; i < description->label_count; i++) {
        if (!has_name(description->labels[i], wanted)) continue;
        if (used + 24 < sizeof numbers)
            used += (size_t)snprintf(numbers + used, sizeof numbers - used, used ? ", %zu" : "%zu", i);
        else
            left_out++;
    }
    return gig_fail(GIG_EARG, "several classes are called \"%.*s\": %s%s; give the number",
                    wanted.length > 80 ? 80 : (int)wanted.length, wanted.at, numbers, left_out ? " and more" : "");
}

static gig_status read_number(size_t *out, name digits, size_t classes)
{
    size_t number = 0;
    for (size_t i = 0; i < digits.length && number < classes; i++) number = number * 10 + (size_t)(digits.at[i] - '0');
    if (number >= classes)
        return gig_fail(GIG_EARG, "class %.40s: the model has classes 0 to %zu", digits.at, classes - 1);
    *out = number;
    return GIG_OK;
}

gig_status gig_description_class(size_t *out, const gig_description *description, const char *text, size_t classes)
{
    name wanted = trim(text, strlen(text));
    size_t found = 0;
    if (!wanted.length) return gig_fail(GIG_EARG, "expected a class");
    if (strspn(wanted.at, "0123456789") >= wanted.length) return read_number(out, wanted, classes);
    if (*wanted.at == '-' && wanted.length > 1 && strspn(wanted.at + 1, "0123456789") >= wanted.length - 1)
        return gig_fail(GIG_EARG, "class %.40s: the model has classes 0 to %zu", wanted.at, classes - 1);
    if (!description || !description->label_count)
        return gig_fail(GIG_EARG, "class \"%.80s\": the model has no labels; give the class number", text);
    for (size_t i = 0; i < description->label_count; i++) {
        if (!has_name(description->labels[i], wanted)) continue;
        if (found++ == 0) *out = i;
    }
    if (!found) GIG_TRY(find_part(out, description, wanted));
    if (found > 1) return fail_ambiguous(description, wanted);
    if (*out >= classes)
        return gig_fail(GIG_EARG, "class \"%.80s\" is number %zu: the model has classes 0 to %zu", text, *out,
                        classes - 1);
    return GIG_OK;
}
