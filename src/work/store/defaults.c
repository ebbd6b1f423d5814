/* SPDX-License-Identifier: Apache-2.0 */
#include "work/store/defaults.h"
#include "base/memory.h"
#include "base/text.h"
#include "gig/metric.h"
#include "internal/saliency.h"
#include <string.h>

/* The default that each option had when it came, which the names before it had left out: without the option, the
 * program did that. It stays as it is when a default changes. */
static const char firsts[] =
    "ig/baseline=black ig/close=no ig/max-evaluations= ig/nodes=even ig/repeat=1 ig/rule=midpoint "
    "ig/steps=200 ig/tolerance=0 ig/until= blur-ig/close=no blur-ig/max-evaluations= blur-ig/nodes=even "
    "blur-ig/repeat=1 blur-ig/rule=right blur-ig/sigma=35 blur-ig/steps=200 blur-ig/tolerance=0 "
    "blur-ig/until= sig/baseline=black sig/basis=svd sig/blend=0.4 sig/close=no sig/max-evaluations= "
    "sig/nodes=even sig/repeat=1 sig/rule=left sig/steps=200 sig/tolerance=0 sig/until= gig/baseline=black "
    "gig/close=no gig/fraction=0.1 gig/fraction-of=all gig/max-dist= gig/max-evaluations= gig/repeat=1 "
    "gig/rule=left gig/steps=200 gig/steps-per-segment= gig/tolerance=0 samp/moves=100 samp/sigma=5 "
    "occlusion/overlap=average occlusion/stride=1 occlusion/value=0 occlusion/window=15 smooth/noise=0.15 "
    "smooth/samples=10 smooth/smooth=mean xrai/min-pixels=50 xrai/xrai=full auc/reduction=0 "
    "pointing/reduction=0 gini/reduction=0 sic/draws=1 sic/fraction=0.01 sic/least=0.8 sic/reduction=0 "
    "aic/draws=1 aic/fraction=0.01 aic/least=0.8 aic/reduction=0 insertion/reduction=0 insertion/sigma=10 "
    "insertion/steps=100 deletion/reduction=0 deletion/steps=100 infidelity/noise=0.003 "
    "infidelity/samples=10 sensitivity/radius=0.02 sensitivity/samples=10 closed/corners=0 closed/paths=10 "
    "mass/reduction=0 rank/reduction=0 road/reduction=0 mufidelity/subsets=200 stability/draws=1 "
    "stability/of=0 agreement/draws=20 agreement/mean=1 agreement/of=0 spread/draws=20 spread/mean=1 "
    "spread/reduction=0 other-class/by=0 other-class/reduction=0 randomised/cuts=6 randomised/reduction=0 "
    "emprt/reduction=0 complexity/reduction=0 ";

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

/* The option of this word, "key=value", was left out of names while its default was `before`. */
static gig_status compare_one(const char *word, size_t key, const char *before)
{
    const char *value = word + key + 1;
    size_t length = strcspn(value, " "), was = strcspn(before, " ");
    if (length == was && !strncmp(value, before, length)) return GIG_OK;
    return gig_fail(GIG_EUNSUPPORTED,
                    "its names were written when the default of %.*s was %.*s, and it is %.*s now: they would mean "
                    "something else",
                    (int)key, word, (int)was, before, (int)length, value);
}

gig_status gig_defaults_compare(const char *now, const char *stored, const char *first)
{
    for (const char *at = now; *at; at += strcspn(at, " "), at += *at == ' ') {
        size_t key = strcspn(at, "= ");
        const char *before = find_value(stored, at, key);
        if (!before) before = find_value(first, at, key);
        if (!before)
            return gig_fail(GIG_EINTERNAL, "the first default of %.*s is not listed (store/defaults.c)", (int)key, at);
        GIG_TRY(compare_one(at, key, before));
    }
    return GIG_OK;
}

gig_status gig_defaults_check(const char *stored)
{
    char *now;
    GIG_TRY(gig_defaults_text(&now));
    gig_status status = gig_defaults_compare(now, stored ? stored : "", firsts);
    gig_free(now);
    return status;
}

gig_status gig_defaults_extend(char **out, const char *stored)
{
    gig_text text = {0};
    char *now;
    *out = NULL;
    GIG_TRY(gig_defaults_text(&now));
    gig_text_add(&text, "%s", now);
    for (const char *at = stored ? stored : ""; *at; at += strcspn(at, " "), at += *at == ' ') {
        size_t word = strcspn(at, " "), key = strcspn(at, "= ");
        if (key < word && !find_value(now, at, key)) gig_text_add(&text, "%.*s ", (int)word, at);
    }
    gig_free(now);
    return gig_text_take(out, &text);
}
