/* SPDX-License-Identifier: Apache-2.0 */
/* A method as text: [xrai+][smooth+]base[:K][/option=value...], read, and printed in one form. */
#include "base/status.h"
#include "internal/guess.h"
#include "internal/number.h"
#include "internal/saliency.h"
#include "saliency/method.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* method: NULL if options are set before its name is read. Without a name near it, those that there are. */
static gig_status refuse_unknown_option(const gig_method *method, const char *name)
{
    gig_any_option option;
    gig_guess like = gig_guess_begin(name, strlen(name));
    char hint[GIG_HINT_BYTES], list[GIG_METHOD_NAME_BYTES] = "";
    size_t used = 0;
    for (const char *after = ""; gig_option_next(&option, method, after); after = option.about->name) {
        gig_guess_try(&like, option.about->name);
        if (used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s",
                                     used ? ", " : "; options: ", option.about->name);
    }
    return gig_fail(GIG_EARG, "unknown method option \"%.80s\"%s", name,
                    like.name ? gig_guess_hint(hint, &like) : list);
}

gig_status gig_method_set(gig_method *method, const char *name, const char *value)
{
    gig_any_option option;
    const gig_method_row *row;
    size_t taken = 0;
    gig_status status = GIG_OK;
    if (!gig_option_find(&option, NULL, name) && !gig_option_find(&option, method, name))
        return refuse_unknown_option(NULL, name);
    if (option.shared) {
        GIG_TRY(gig_option_read(method, &option, value));
        gig_option_mark(method, &option);
        return GIG_OK;
    }
    for (size_t r = 0; (row = gig_method_row_at(r));
         r++) /* several rows may have an option of this name: which one is meant is known */
        for (size_t i = 0; i < row->option_count; i++) { /* once the method's name is read */
            const gig_any_option own = {&row->options[i], NULL};
            if (strcmp(row->options[i].name, name)) continue;
            status = gig_option_read(method, &own, value);
            taken += status == GIG_OK;
        }
    if (!taken && status == GIG_OK) return gig_option_read(method, &option, value); /* an option of an added row */
    return taken ? GIG_OK : status;
}

const char *gig_method_get(char *text, size_t bytes, const gig_method *method, const char *name)
{
    gig_any_option option;
    char value[GIG_OPTION_BYTES];
    if (!gig_option_find(&option, method, name)) return NULL;
    gig_option_print(value, method, &option);
    int unset = isnan(option.about->usual) && !strcmp(value, "0") && option.shared;
    snprintf(text, bytes, "%s", unset ? "" : value);
    return text;
}

int gig_method_takes(const gig_method *method, const char *name)
{
    gig_any_option option;
    return gig_option_find(&option, method, name);
}

/* ---- reading ---- */

static int skip_prefix(char **at, const char *prefix)
{
    size_t length = strlen(prefix);
    if (strncmp(*at, prefix, length) != 0) return 0;
    *at += length;
    return 1;
}

/* Row i of all: the library's own, then those added. */
static const gig_method_row *row_at(const gig_added_rows *added, size_t i)
{
    size_t own = 0;
    while (gig_method_row_at(own) && own < i) own++;
    if (gig_method_row_at(i)) return gig_method_row_at(i);
    return added && i - own < added->count ? added->rows[i - own] : NULL;
}

/* Is the text one of these, case ignored? */
static int is_listed(const char *list, const char *text)
{
    size_t length = strlen(text);
    for (; list && *list; list += strcspn(list, " "), list += *list == ' ')
        if (strcspn(list, " ") == length && !strncasecmp(list, text, length)) return 1;
    return 0;
}

/* Names that other programs and papers use. */
static const char *known_as(const char *text, const gig_added_rows *added)
{
    static const char *const prefixed[][2] = {{"smoothgrad smooth-grad smooth", "smooth+gradients"},
                                              {"xrai", "xrai+gig:20"}};
    const gig_method_row *row;
    for (size_t i = 0; i < sizeof prefixed / sizeof *prefixed; i++)
        if (is_listed(prefixed[i][0], text)) return prefixed[i][1];
    for (size_t i = 0; (row = row_at(added, i)); i++)
        if (is_listed(row->aliases, text) || !strcasecmp(row->name, text)) return row->name;
    return NULL;
}

/* The K of a name with anchors: behind a colon ("GIG:20") or a name without one ("gig20"); NULL: no number is there. */
static const char *anchors_of(const char *text, const char *after_colon)
{
    const char *digits = after_colon ? after_colon : text + strcspn(text, "0123456789");
    return digits[0] && !digits[strspn(digits, "0123456789")] ? digits : NULL;
}

/* The method whose name is near the text, or is all of it but for the digits at its end; NULL if there is none. */
static const gig_method_row *nearest_base(const char *text, const gig_added_rows *added)
{
    const gig_method_row *row, *found = NULL;
    const size_t bytes = strlen(text), letters = anchors_of(text, NULL) ? strcspn(text, "0123456789") : bytes;
    gig_guess like = gig_guess_begin(text, bytes);
    for (size_t i = 0; (row = row_at(added, i)); i++) {
        const char *before = like.name;
        if (strlen(row->name) == letters && !strncasecmp(row->name, text, letters)) return row;
        gig_guess_try(&like, row->name);
        if (like.name != before) found = row;
    }
    return found;
}

/* --method paper: the settings of the paper's tables, whatever the flags say. They had several baselines, so this one
 * option stays free. */
static const char published[] = "gig:20/fraction=0.1/rule=left/steps=200";

/* --method auto, and the default: the method that the study of docs/default.md chose, for pictures and for tensors (a
 * method that does not need a picture). This is the only place to change. */
static const char chosen_for_pictures[] = "ig/rule=idgi/steps=84", chosen_for_tensors[] = "ig/rule=idgi/steps=84";

static int is_published(const char *text)
{
    return !strcmp(text, "paper");
}

/* What a wrong name may stand for, "" if nothing is near. Returns whether that is sure. */
static int guess_base(char like[64], const char *text, const char *after_colon, const gig_added_rows *added)
{
    const char *known = known_as(text, added), *anchors = anchors_of(text, after_colon);
    const gig_method_row *row = nearest_base(known ? known : text, added);
    const char *name = known ? known : row ? row->name : "";
    int takes = row && row->traits & GIG_METHOD_ANCHORS && !strcmp(row->name, name) && anchors;
    snprintf(like, 64, "%s%s%s", name, takes ? ":" : "", takes ? anchors : "");
    return known != NULL;
}

static gig_status refuse_base(const char *text, const char *after_colon, const gig_added_rows *added)
{
    char list[GIG_METHOD_NAME_BYTES] = "", like[64];
    const gig_method_row *row;
    size_t used = 0;
    if (is_published(text) || !strcmp(text, "auto"))
        return gig_fail(GIG_EARG, "\"%s\" takes no prefix and no option: write the method that it stands for, \"%s\"",
                        text, is_published(text) ? published : chosen_for_pictures);
    if (guess_base(like, text, after_colon, added))
        return gig_fail(GIG_EARG, "unknown method \"%s\"; did you mean \"%s\"?", text, like);
    for (size_t i = 0; (row = row_at(added, i)) && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s%s", i ? ", " : "", row->name,
                                 row->traits & GIG_METHOD_ANCHORS ? "[:K]" : "");
    return gig_fail(GIG_EARG, "unknown method \"%s\"; %s%s%smethods: %s", text, like[0] ? "did you mean \"" : "", like,
                    like[0] ? "\"? " : "", list);
}

/* "gig:20", "ig": without prefixes and options. */
static gig_status read_base(gig_method *method, char *text, const gig_added_rows *added)
{
    char *colon = strchr(text, ':');
    const gig_method_row *row;
    size_t i = 0;
    if (colon) *colon = 0;
    while ((row = row_at(added, i)) && strcmp(row->name, text)) i++;
    if (!row) return refuse_base(text, colon ? colon + 1 : NULL, added);
    method->row = row;
    method->anchors = 0;
    if (!colon) return GIG_OK;
    if (!(row->traits & GIG_METHOD_ANCHORS)) return gig_fail(GIG_EARG, "%s has no anchors", text);
    int64_t anchors;
    gig_status status = gig_parse_int(&anchors, colon + 1, 0, GIG_MOST_COPIES);
    if (status != GIG_OK) return gig_fail_in(status, "%s:K", text);
    method->anchors = (size_t)anchors;
    return GIG_OK;
}

/* Why an existing option does not apply. */
static gig_status refuse_option(const gig_method *method, const char *name)
{
    gig_any_option option;
    if (!gig_option_find(&option, NULL, name)) return refuse_unknown_option(method, name);
    unsigned trait = option.shared ? option.shared->trait : 0;
    if (trait == GIG_METHOD_SMOOTH) return gig_fail(GIG_EARG, "option %s is for smooth+ methods", name);
    if (trait == GIG_METHOD_XRAI) return gig_fail(GIG_EARG, "option %s is for xrai+ methods", name);
    return gig_fail(GIG_EARG, "option %s does not apply to %s", name, method->row->name);
}

enum { MOST_OPTIONS = 32 }; /* of one method */

typedef struct seen {
    const char *names[MOST_OPTIONS];
    size_t count;
} seen;

static int is_seen(const seen *before, const char *name)
{
    for (size_t i = 0; i < before->count; i++)
        if (!strcmp(before->names[i], name)) return 1;
    return 0;
}

/* One "option=value". What is given in `stronger` (NULL: nothing) stays as the method has it. */
static gig_status read_option(gig_method *method, char *text, seen *before, const gig_method *stronger)
{
    gig_any_option option;
    char *equals = strchr(text, '=');
    if (!equals) return gig_fail(GIG_EARG, "found \"%s\", expected option=value", text);
    *equals = 0;
    if (!gig_option_find(&option, method, text)) return refuse_option(method, text);
    if (is_seen(before, text)) return gig_fail(GIG_EARG, "option %s is given twice", text);
    if (before->count < MOST_OPTIONS) before->names[before->count++] = option.about->name;
    return gig_option_is_given(stronger, &option) ? GIG_OK : gig_option_read(method, &option, equals + 1);
}

static gig_status read_method(gig_method *method, char *text, const gig_method *stronger, const gig_added_rows *added)
{
    char *at = text;
    seen before = {0};
    method->xrai = skip_prefix(&at, "xrai+");
    method->smooth = skip_prefix(&at, "smooth+");
    char *slash = strchr(at, '/');
    if (slash) *slash = 0;
    GIG_TRY(read_base(method, at, added));
    while (slash) {
        char *next = strchr(slash + 1, '/');
        if (next) *next = 0;
        GIG_TRY(read_option(method, slash + 1, &before, stronger));
        slash = next;
    }
    if (is_seen(&before, "steps") && !is_seen(&before, "steps-per-segment")) method->steps_per_segment = 0;
    return gig_method_check(method);
}

/* ---- printing ---- */

/* The method with every option at its default. */
static gig_method bare(const gig_method *method)
{
    gig_method out;
    gig_method_init(&out);
    out.row = method->row;
    out.anchors = method->row && method->row->traits & GIG_METHOD_ANCHORS ? method->anchors : 0;
    out.xrai = !!method->xrai;
    out.smooth = !!method->smooth;
    return out;
}

/* Is the option part of the name? Then `text` is its value. */
static int is_said(char text[GIG_OPTION_BYTES], const gig_method *method, const gig_method *plain,
                   const gig_any_option *option)
{
    char usual[GIG_OPTION_BYTES];
    int overridden = method->row->traits & GIG_METHOD_ANCHORS && method->steps_per_segment;
    if (overridden && strcmp(option->about->name, "steps") == 0) return 0;
    gig_option_print(text, method, option);
    gig_option_print(usual, plain, option);
    return strcmp(text, usual) != 0;
}

const char *gig_method_name(char *text, size_t bytes, const gig_method *method)
{
    char name[2 * GIG_METHOD_NAME_BYTES], value[GIG_OPTION_BYTES];
    gig_any_option option;
    gig_method plain = bare(method);
    int length = snprintf(name, sizeof name, "%s%s%s", method->xrai ? "xrai+" : "", method->smooth ? "smooth+" : "",
                          method->row ? method->row->name : "?");
    if (plain.anchors) length += snprintf(name + length, sizeof name - (size_t)length, ":%zu", plain.anchors);
    for (const char *after = ""; method->row && gig_option_next(&option, method, after); after = option.about->name)
        if (is_said(value, method, &plain, &option) && (size_t)length < sizeof name)
            length += snprintf(name + length, sizeof name - (size_t)length, "/%s=%s", option.about->name, value);
    snprintf(text, bytes, "%s", name);
    return text;
}

/* The same method with everything that its name does not contain at the default, so that equal names mean equal
 * structs. */
static gig_status keep_what_is_said(gig_method *out, const gig_method *method)
{
    gig_method plain = bare(method), kept = plain;
    char value[GIG_OPTION_BYTES];
    gig_any_option option;
    for (const char *after = ""; gig_option_next(&option, method, after); after = option.about->name)
        if (is_said(value, method, &plain, &option)) GIG_TRY(gig_option_read(&kept, &option, value));
    *out = kept;
    return GIG_OK;
}

const char *gig_method_auto(int is_picture)
{
    return is_picture ? chosen_for_pictures : chosen_for_tensors;
}

const char *gig_methods_to_compare(void)
{
    return "auto, gradients, ig, blur-ig, gig:0, gig:20, smooth+gig:20/samples=5, xrai+gig:20, grad-cam";
}

int gig_method_fixes(const char *name, const char *option)
{
    return is_published(name) && strcmp(option, "baseline") != 0;
}

static int is_chosen(const char *text)
{
    return !strcmp(text, "auto") || text == chosen_for_pictures || text == chosen_for_tensors;
}

/* The chosen method does not go with what the caller has set, but its base without options may. */
static gig_status refuse_chosen(gig_status status, const char *text, const gig_method *defaults)
{
    char why[GIG_MESSAGE_BYTES], base[64];
    gig_method plain;
    snprintf(why, sizeof why, "%s", gig_message());
    snprintf(base, sizeof base, "%.*s", (int)strcspn(text, ":/"), text);
    const int helps = gig_method_parse(&plain, base, defaults) == GIG_OK;
    if (helps) return gig_fail(status, "method \"%s\": %s; the method \"%s\" allows it", text, why, base);
    return gig_fail(status, "method \"%s\": %s", text, why);
}

static void copy_baseline(gig_method *to, const gig_method *from)
{
    to->baseline = from->baseline;
    to->baseline_count = from->baseline_count;
    to->baseline_sigma = from->baseline_sigma;
}

gig_status gig_method_parse_with(gig_method *out, const char *text, const gig_method *defaults,
                                 const gig_added_rows *added)
{
    gig_method method;
    char copy[GIG_METHOD_NAME_BYTES] = ""; /* all of it: prefixes are compared several bytes at a time */
    const int chosen = is_chosen(text);
    gig_method_init(&method);
    if (defaults && is_published(text))
        copy_baseline(&method, defaults);
    else if (defaults)
        method = *defaults;
    if (is_published(text)) text = published;
    if (!strcmp(text, "auto")) text = chosen_for_pictures;
    if (strlen(text) >= sizeof copy)
        return gig_fail(GIG_EARG, "method name too long: expected at most %zu characters", sizeof copy - 1);
    snprintf(copy, sizeof copy, "%s", text);
    /* Nobody named the chosen settings: what the caller has set is stronger. */
    gig_status status = read_method(&method, copy, chosen ? defaults : NULL, added);
    if (status != GIG_OK && chosen && defaults) return refuse_chosen(status, text, defaults);
    if (status == GIG_OK) status = keep_what_is_said(out, &method);
    return status == GIG_OK ? GIG_OK : gig_fail_in(status, "method \"%.100s\"", text);
}

gig_status gig_method_parse(gig_method *out, const char *text, const gig_method *defaults)
{
    return gig_method_parse_with(out, text, defaults, NULL);
}
