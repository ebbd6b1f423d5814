/* SPDX-License-Identifier: Apache-2.0 */
#include "work/store/defaults.h"
#include "base/memory.h"
#include "base/text.h"
#include "gig/metric.h"
#include "internal/saliency.h"
#include <string.h>

/* Defaults that names left out before stores recorded them. */
static const char unsaid[] =
    "ig/baseline=black ig/rule=midpoint ig/steps=200 ig/close=no ig/tolerance=0 blur-ig/rule=right blur-ig/sigma=35 "
    "blur-ig/steps=200 gig/baseline=black gig/fraction=0.1 gig/fraction-of=all gig/rule=left gig/steps=200 "
    "gig/close=no "
    "gig/tolerance=0 occlusion/overlap=average occlusion/stride=1 occlusion/value=0 occlusion/window=15 "
    "smooth/noise=0.15 smooth/samples=10 smooth/smooth=mean xrai/min-pixels=50 xrai/xrai=full "
    "sic/fraction=0.01 sic/least=0.8 aic/fraction=0.01 aic/least=0.8 insertion/sigma=10 insertion/steps=100 "
    "deletion/steps=100 infidelity/noise=0.003 infidelity/samples=10 sensitivity/radius=0.02 sensitivity/samples=10 "
    "closed/paths=10";

static void add_options(gig_text *out, const char *name, const gig_method *method)
{
    const gig_method_option *option;
    char value[64];
    for (size_t i = 0; (option = gig_method_option_at(method, i)); i++)
        gig_text_add(out, "%s/%s=%s ", name, option->name, gig_method_get(value, sizeof value, method, option->name));
}

/* The options that a prefix adds; ig itself has none of them. */
static gig_status add_prefixed(gig_text *out, const char *name, const char *prefixed)
{
    gig_method method, plain;
    const gig_method_option *option;
    char value[64];
    GIG_TRY(gig_method_parse(&method, prefixed, NULL));
    GIG_TRY(gig_method_parse(&plain, "ig", NULL));
    for (size_t i = 0; (option = gig_method_option_at(&method, i)); i++)
        if (!gig_method_takes(&plain, option->name))
            gig_text_add(out, "%s/%s=%s ", name, option->name,
                         gig_method_get(value, sizeof value, &method, option->name));
    return GIG_OK;
}

/* Numbers, and choices by their index. */
static gig_status add_metrics(gig_text *out)
{
    const gig_metric_row *row;
    for (size_t r = 0; (row = gig_metric_row_at(r)); r++) {
        gig_metric metric;
        GIG_TRY(gig_metric_parse(&metric, row->name));
        for (size_t i = 0; i < row->option_count; i++) {
            gig_text_add(out, "%s/%s=", row->name, row->options[i].name);
            gig_text_add_number(out, metric.values[i], 9, "");
            gig_text_add(out, " ");
        }
    }
    return GIG_OK;
}

gig_status gig_defaults_text(char **out)
{
    gig_text text = {0};
    const gig_method_row *row;
    gig_status status = GIG_OK;
    *out = NULL;
    for (size_t i = 0; (row = gig_method_row_at(i)) && status == GIG_OK; i++) {
        gig_method method;
        status = gig_method_parse(&method, row->name, NULL);
        if (status == GIG_OK) add_options(&text, row->name, &method);
    }
    if (status == GIG_OK) status = add_prefixed(&text, "smooth", "smooth+ig");
    if (status == GIG_OK) status = add_prefixed(&text, "xrai", "xrai+ig");
    if (status == GIG_OK) status = add_metrics(&text);
    gig_status taken = gig_text_take(out, &text);
    if (status == GIG_OK) return taken;
    gig_free(*out);
    *out = NULL;
    return status;
}

/* Where "key=" stands in a list of words, at its value; NULL: nowhere. */
static const char *find_value(const char *list, const char *key, size_t length)
{
    for (const char *at = list; *at; at += strcspn(at, " "), at += *at == ' ')
        if (!strncmp(at, key, length) && at[length] == '=') return at + length + 1;
    return NULL;
}

gig_status gig_defaults_check(const char *stored)
{
    char *now;
    const char *before = stored ? stored : unsaid;
    GIG_TRY(gig_defaults_text(&now));
    gig_status status = GIG_OK;
    for (const char *at = before; *at && status == GIG_OK; at += strcspn(at, " "), at += *at == ' ') {
        size_t word = strcspn(at, " "), key = strcspn(at, "= ");
        const char *value = key < word ? find_value(now, at, key) : NULL;
        if (!value) continue; /* an option that no longer exists, or an unknown word */
        size_t length = strcspn(value, " ");
        if (length != word - key - 1 || strncmp(value, at + key + 1, length))
            status =
                gig_fail(GIG_EUNSUPPORTED,
                         "its names were written when the default of %.*s was %.*s, and it is %.*s now: they would "
                         "mean something else",
                         (int)key, at, (int)(word - key - 1), at + key + 1, (int)length, value);
    }
    gig_free(now);
    return status;
}
