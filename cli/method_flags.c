/* SPDX-License-Identifier: Apache-2.0 */
#include "method_flags.h"
#include "frame/errors.h"
#include "internal/image.h"
#include "internal/number.h"
#include "internal/saliency.h"
#include <string.h>

int baseline_is_picture(const char *baseline)
{
    const char *slash = strrchr(baseline, '/');
    return gig_image_has_ending(slash ? slash + 1 : baseline);
}

int baseline_is_pictures(const char *baseline)
{
    return baseline && strncmp(baseline, "pictures:", 9) == 0;
}

/* N of "pictures:DIR:N", the number after the last colon. */
static int read_count(size_t *out, const char *baseline)
{
    int64_t count = 0;
    const char *colon = strrchr(baseline, ':'); /* the first one, where there is no other */
    if (colon < baseline + 10 || gig_parse_int(&count, colon + 1, 1, 100000) != GIG_OK) {
        complain("--baseline %s: expected pictures:DIR:N, a folder and how many of its pictures", baseline);
        return EXIT_USAGE;
    }
    *out = (size_t)count;
    return EXIT_OK;
}

int baseline_is_file(const char *baseline)
{
    return baseline && (baseline_is_pictures(baseline) || strstr(baseline, ".np") || baseline_is_picture(baseline));
}

/* Flags of the group "how" carry the names of a method's options. The value that was given for one; NULL: none. */
static const char *flag_value(const option_row *row, const options *given)
{
    static const char *const others[] = {"method", "methods", "segments", "closed"};
    if (row->group != GROUP_HOW || !(row->commands & given->command)) return NULL;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(row->name, others[i]) == 0) return NULL;
    const void *place = (const char *)given + row->offset;
    if (row->kind == KIND_FLAG) return *(const int *)place ? "yes" : NULL;
    return *(const char *const *)place;
}

static gig_status apply_flags(gig_method *method, const options *given)
{
    for (const option_row *row = option_table; row->name; row++) {
        const char *value = flag_value(row, given);
        if (!value) continue;
        if (strcmp(row->name, "baseline") == 0 && baseline_is_file(value)) {
            method->baseline = GIG_BASELINE_GIVEN;
            method->baseline_count = 1;
            continue;
        }
        gig_status status = gig_method_set(method, row->name, value);
        if (status != GIG_OK) return status;
    }
    return GIG_OK;
}

/* A name may say that points are given, as printed names do: those of --baseline then, and as many. */
static int check_given(const gig_method *method, const options *given, const gig_method *flags)
{
    if (method->baseline != GIG_BASELINE_GIVEN) return EXIT_OK;
    size_t there = baseline_is_file(given->how.baseline) ? flags->baseline_count : 0;
    if (there == method->baseline_count) return EXIT_OK;
    const char *flag = given->command == FOR_COMPARE ? "--methods" : "--method";
    if (there)
        complain("%s: the name says %zu given baselines, --baseline %s has %zu", flag, method->baseline_count,
                 given->how.baseline, there);
    else
        complain("%s: the name says that a baseline is given, but no --baseline FILE gives it", flag);
    return EXIT_USAGE;
}

int method_read(gig_method *out, const options *given, const char *text)
{
    gig_method flags;
    gig_method_init(&flags);
    gig_status status = apply_flags(&flags, given);
    if (baseline_is_pictures(given->how.baseline)) {
        int code = read_count(&flags.baseline_count, given->how.baseline);
        if (code != EXIT_OK) return code;
    }
    if (!text || !strcmp(text, "auto")) text = gig_method_auto(!given->tensors.count);
    if (status == GIG_OK) status = gig_method_parse(out, text, &flags);
    return status == GIG_OK ? check_given(out, given, &flags) : report(status);
}

/* Segments come from a file and are no option of the method's own. */
static int is_unused(const option_row *row, const options *given, const gig_method *method)
{
    if (strcmp(row->name, "segments") == 0) return given->how.segments && !method->xrai;
    if (!flag_value(row, given)) return 0;
    return !gig_method_takes(method, row->name) ||
           (given->how.method && gig_method_fixes(given->how.method, row->name));
}

const char *method_unused_flag(const options *given, const gig_method *method, size_t i)
{
    for (const option_row *row = option_table; row->name; row++)
        if (is_unused(row, given, method) && i-- == 0) return row->name;
    return NULL;
}
