/* SPDX-License-Identifier: Apache-2.0 */
/* A method as text: [xrai+][smooth+]base[:K][/option=value...], read, and printed in one form. */
#include "base/status.h"
#include "gig/number.h"
#include "saliency/method.h"
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const gig_method_option *find_option(const char *name)
{
    for (size_t i = 0; i < GIG_METHOD_OPTIONS; i++)
        if (strcmp(gig_method_options[i].name, name) == 0) return &gig_method_options[i];
    return NULL;
}

gig_status gig_method_set(gig_method *method, const char *option, const char *value)
{
    const gig_method_option *found = find_option(option);
    if (!found) return gig_fail(GIG_EARG, "no method has an option \"%s\"", option);
    gig_status status = found->read(method, value);
    return status == GIG_OK ? GIG_OK : gig_fail_in(status, "%s", option);
}

int gig_method_takes(const gig_method *method, const char *option)
{
    const gig_method_option *found = find_option(option);
    return found && (!method || gig_method_concerns(method) & found->concern);
}

/* ---- reading ---- */

static int skip_prefix(char **at, const char *prefix)
{
    size_t length = strlen(prefix);
    if (strncmp(*at, prefix, length) != 0) return 0;
    *at += length;
    return 1;
}

/* What other programs and papers call these methods. */
static const char *known_as(const char *text)
{
    static const char *const names[][2] = {{"guided-ig", "gig"},
                                           {"guided_ig", "gig"},
                                           {"guidedig", "gig"},
                                           {"integrated-gradients", "ig"},
                                           {"integrated_gradients", "ig"},
                                           {"blurig", "blur-ig"},
                                           {"blur_ig", "blur-ig"},
                                           {"gradcam", "grad-cam"},
                                           {"grad_cam", "grad-cam"},
                                           {"gradient", "gradients"},
                                           {"vanilla", "gradients"},
                                           {"saliency", "gradients"},
                                           {"smoothgrad", "smooth+gradients"},
                                           {"smooth-grad", "smooth+gradients"},
                                           {"smooth", "smooth+gradients"},
                                           {"xrai", "xrai+gig:20"},
                                           {"guided-backpropagation", "guided-backprop"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcasecmp(text, names[i][0]) == 0) return names[i][1];
    for (int base = 0; gig_base_name((gig_base)base); base++)
        if (strcasecmp(text, gig_base_name((gig_base)base)) == 0) return gig_base_name((gig_base)base);
    return NULL;
}

/* "gig:20", "ig": without prefixes and options. */
static gig_status read_base(gig_method *method, char *text)
{
    char *colon = strchr(text, ':');
    if (colon) *colon = 0;
    int base = 0;
    while (gig_base_name((gig_base)base) && strcmp(gig_base_name((gig_base)base), text) != 0) base++;
    if (!gig_base_name((gig_base)base) && known_as(text))
        return gig_fail(GIG_EARG, "it is called %s here", known_as(text));
    if (!gig_base_name((gig_base)base))
        return gig_fail(GIG_EARG,
                        "\"%s\" is none of gradients, gradients-x-input, edge, ig, blur-ig, gig, gig:K, "
                        "grad-cam, guided-backprop, occlusion",
                        text);
    method->base = (gig_base)base;
    method->anchors = 0;
    if (!colon) return GIG_OK;
    if (base != GIG_BASE_GUIDED_IG) return gig_fail(GIG_EARG, "%s has no anchors, only gig:K", text);
    int64_t anchors;
    gig_status status = gig_parse_int(&anchors, colon + 1, 0, GIG_MOST_COPIES);
    if (status != GIG_OK) return gig_fail_in(status, "gig:K");
    method->anchors = (size_t)anchors;
    return GIG_OK;
}

/* Why an option that exists is out of place. */
static gig_status refuse_option(const gig_method *method, const gig_method_option *option)
{
    if (option->concern == GIG_CONCERN_SMOOTH)
        return gig_fail(GIG_EARG, "option %s is for smooth+ methods", option->name);
    if (option->concern == GIG_CONCERN_XRAI) return gig_fail(GIG_EARG, "option %s is for xrai+ methods", option->name);
    return gig_fail(GIG_EARG, "option %s does not concern %s", option->name, gig_base_name(method->base));
}

/* One "option=value"; `seen` has a bit for each option. */
static gig_status read_option(gig_method *method, char *text, unsigned *seen)
{
    char *equals = strchr(text, '=');
    if (!equals) return gig_fail(GIG_EARG, "\"%s\" is not option=value", text);
    *equals = 0;
    const gig_method_option *option = find_option(text);
    if (!option) return gig_fail(GIG_EARG, "no method has an option \"%s\"", text);
    if (!(gig_method_concerns(method) & option->concern)) return refuse_option(method, option);
    unsigned bit = 1u << (option - gig_method_options);
    if (*seen & bit) return gig_fail(GIG_EARG, "option %s is given twice", text);
    *seen |= bit;
    return gig_method_set(method, text, equals + 1);
}

static gig_status read_method(gig_method *method, char *text)
{
    char *at = text;
    unsigned seen = 0;
    method->xrai = skip_prefix(&at, "xrai+");
    method->smooth = skip_prefix(&at, "smooth+");
    char *slash = strchr(at, '/');
    if (slash) *slash = 0;
    GIG_TRY(read_base(method, at));
    while (slash) {
        char *next = strchr(slash + 1, '/');
        if (next) *next = 0;
        GIG_TRY(read_option(method, slash + 1, &seen));
        slash = next;
    }
    unsigned whole = 1u << (find_option("steps") - gig_method_options);
    unsigned each = 1u << (find_option("steps-per-segment") - gig_method_options);
    if ((seen & whole) && !(seen & each)) method->steps_per_segment = 0;
    return gig_method_check(method);
}

/* ---- printing ---- */

/* What the method is with every option at its default. */
static gig_method bare(const gig_method *method)
{
    gig_method out;
    gig_method_init(&out);
    out.base = method->base;
    out.anchors = method->base == GIG_BASE_GUIDED_IG ? method->anchors : 0;
    out.xrai = !!method->xrai;
    out.smooth = !!method->smooth;
    return out;
}

/* Does option i belong to the name? Then `text` is its value. */
static int is_said(char text[GIG_OPTION_BYTES], const gig_method *method, const gig_method *plain, size_t i)
{
    const gig_method_option *option = &gig_method_options[i];
    char usual[GIG_OPTION_BYTES];
    if (!(gig_method_concerns(method) & option->concern)) return 0;
    int overridden = method->base == GIG_BASE_GUIDED_IG && method->steps_per_segment;
    if (overridden && strcmp(option->name, "steps") == 0) return 0;
    option->print(text, method);
    option->print(usual, plain);
    return strcmp(text, usual) != 0;
}

const char *gig_method_name(char *text, size_t bytes, const gig_method *method)
{
    char name[2 * GIG_METHOD_NAME_BYTES], value[GIG_OPTION_BYTES];
    const char *base = gig_base_name(method->base);
    gig_method plain = bare(method);
    int length = snprintf(name, sizeof name, "%s%s%s", method->xrai ? "xrai+" : "", method->smooth ? "smooth+" : "",
                          base ? base : "?");
    if (plain.anchors) length += snprintf(name + length, sizeof name - (size_t)length, ":%zu", plain.anchors);
    for (size_t i = 0; i < GIG_METHOD_OPTIONS; i++)
        if (is_said(value, method, &plain, i))
            length +=
                snprintf(name + length, sizeof name - (size_t)length, "/%s=%s", gig_method_options[i].name, value);
    snprintf(text, bytes, "%s", name);
    return text;
}

/* The same method with all that its name does not say at the default, so that equal names are equal structs. */
static gig_status keep_what_is_said(gig_method *out, const gig_method *method)
{
    gig_method plain = bare(method), kept = plain;
    char value[GIG_OPTION_BYTES];
    for (size_t i = 0; i < GIG_METHOD_OPTIONS; i++)
        if (is_said(value, method, &plain, i)) GIG_TRY(gig_method_options[i].read(&kept, value));
    *out = kept;
    return GIG_OK;
}

gig_status gig_method_parse(gig_method *out, const char *text, const gig_method *defaults)
{
    gig_method method;
    char copy[GIG_METHOD_NAME_BYTES];
    gig_method_init(&method);
    if (defaults) method = *defaults;
    if (strlen(text) >= sizeof copy)
        return gig_fail(GIG_EARG, "a method's name has at most %zu characters", sizeof copy - 1);
    snprintf(copy, sizeof copy, "%s", text);
    gig_status status = read_method(&method, copy);
    if (status == GIG_OK) status = keep_what_is_said(out, &method);
    return status == GIG_OK ? GIG_OK : gig_fail_in(status, "method \"%.100s\"", text);
}
