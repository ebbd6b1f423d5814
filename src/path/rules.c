/* SPDX-License-Identifier: Apache-2.0 */
/* Rules by name, and the nodes and weights they have on curves. */
#include "path/rules.h"
#include "base/status.h"
#include "internal/guess.h"
#include "internal/path.h"
#include <math.h>
#include <string.h>

static const char *const names[] = {
    [GIG_RULE_DEFAULT] = "default",   [GIG_RULE_LEFT] = "left",
    [GIG_RULE_RIGHT] = "right",       [GIG_RULE_TRAPEZOID] = "trapezoid",
    [GIG_RULE_MIDPOINT] = "midpoint", [GIG_RULE_IDGI] = "idgi",
    [GIG_RULE_GRADIENT] = "gradient", [GIG_RULE_GAUSS_LEGENDRE] = "gauss-legendre",
    [GIG_RULE_PAIR] = "pair",         [GIG_RULE_CAPTUM_TRAPEZOID] = "captum-trapezoid",
    [GIG_RULE_IDG] = "idg",           [GIG_RULE_RANDOM] = "random",
};
enum { RULES = sizeof names / sizeof *names };

const char *gig_rule_name(gig_rule rule)
{
    return (size_t)rule < RULES ? names[rule] : "unknown";
}

gig_status gig_rule_find(gig_rule *out, const char *name)
{
    char hint[GIG_HINT_BYTES];
    gig_guess like = gig_guess_begin(name, strlen(name));
    for (size_t i = 0; i < RULES; i++)
        if (strcmp(name, names[i]) == 0) {
            *out = (gig_rule)i;
            return GIG_OK;
        }
    for (size_t i = GIG_RULE_LEFT; i < RULES; i++)
        if (i != GIG_RULE_GRADIENT) gig_guess_try(&like, names[i]); /* that one is a method, not a rule */
    if (like.name) return gig_fail(GIG_EARG, "unknown rule \"%.80s\"%s", name, gig_guess_hint(hint, &like));
    return gig_fail(GIG_EARG,
                    "unknown rule \"%s\"; rules: left, right, trapezoid, midpoint, idgi, gauss-legendre, pair, "
                    "captum-trapezoid, idg, random",
                    name);
}

size_t gig_rule_node_count(gig_rule rule, size_t steps)
{
    switch (rule) {
    case GIG_RULE_DEFAULT:
    case GIG_RULE_LEFT:
    case GIG_RULE_RIGHT:
    case GIG_RULE_MIDPOINT:
    case GIG_RULE_IDGI:
    case GIG_RULE_GAUSS_LEGENDRE:
    case GIG_RULE_PAIR:
    case GIG_RULE_CAPTUM_TRAPEZOID:
    case GIG_RULE_IDG:
    case GIG_RULE_RANDOM: return steps;
    case GIG_RULE_TRAPEZOID: return steps + 1;
    case GIG_RULE_GRADIENT: return 0;
    }
    return 0;
}

/* P_n(x) and its derivative by the three-term recurrence. */
static double legendre(double *derivative, size_t n, double x)
{
    double before = 1, now = x;
    for (size_t k = 2; k <= n; k++) {
        double next = ((double)(2 * k - 1) * x * now - (double)(k - 1) * before) / (double)k;
        before = now;
        now = next;
    }
    *derivative = (double)n * (x * now - before) / (x * x - 1);
    return now;
}

/* Roots of P_n by Newton's method from Tricomi's estimate, mapped from [-1,1] to [0,1]. */
static void gauss_legendre(double *alphas, double *weights, size_t n)
{
    if (n == 1) {
        alphas[0] = 0.5;
        weights[0] = 1;
        return;
    }
    for (size_t k = 0; k < (n + 1) / 2; k++) {
        double x = cos(M_PI * ((double)k + 0.75) / ((double)n + 0.5)), slope;
        for (int i = 0; i < 100; i++) {
            double change = legendre(&slope, n, x) / slope;
            x -= change;
            if (fabs(change) < 1e-15) break;
        }
        if (2 * k + 1 == n) x = 0;
        legendre(&slope, n, x);
        double weight = 1 / ((1 - x * x) * slope * slope);
        alphas[k] = (1 - x) / 2;
        alphas[n - 1 - k] = (1 + x) / 2;
        weights[k] = weights[n - 1 - k] = weight;
    }
}

gig_status gig_rule_check_steps(gig_rule rule, size_t steps)
{
    enum { MOST_GAUSS_NODES = 20000 }; /* computing them takes time quadratic in their number */
    size_t most = rule == GIG_RULE_GAUSS_LEGENDRE ? MOST_GAUSS_NODES : GIG_MOST_STEPS;
    if (steps == 0) return gig_fail(GIG_EARG, "steps 0: expected at least 1");
    if (steps > most)
        return gig_fail(GIG_ELIMIT, "steps %zu: rule %s supports at most %zu", steps, gig_rule_name(rule), most);
    return GIG_OK;
}

double gig_rule_node(double *weight, gig_rule rule, size_t steps, size_t k)
{
    double n = (double)steps, at = (double)k;
    int is_end = k == 0 || k + 1 == gig_rule_node_count(rule, steps);
    int halved = rule == GIG_RULE_TRAPEZOID || (rule == GIG_RULE_CAPTUM_TRAPEZOID && steps > 1);
    *weight = is_end && halved ? 1 / n / 2 : 1 / n;
    switch (rule) {
    case GIG_RULE_RIGHT: return (at + 1) / n;
    case GIG_RULE_MIDPOINT:
    case GIG_RULE_DEFAULT: return (at + 0.5) / n;
    case GIG_RULE_PAIR:
    case GIG_RULE_CAPTUM_TRAPEZOID: return steps > 1 ? at / (n - 1) : 0;
    default: return at / n;
    }
}

gig_status gig_rule_nodes(double *alphas, double *weights, gig_rule rule, size_t steps)
{
    size_t count = gig_rule_node_count(rule, steps);
    if (count == 0) return gig_fail(GIG_EARG, "rule %s with %zu steps has no nodes", gig_rule_name(rule), steps);
    if (gig_rule_finds_nodes(rule))
        return gig_fail(GIG_EARG, "rule %s places its nodes during the run", gig_rule_name(rule));
    if (rule == GIG_RULE_GAUSS_LEGENDRE) {
        GIG_TRY(gig_rule_check_steps(rule, steps));
        gauss_legendre(alphas, weights, count);
        return GIG_OK;
    }
    for (size_t k = 0; k < count; k++) alphas[k] = gig_rule_node(&weights[k], rule, steps, k);
    return GIG_OK;
}

int gig_rule_finds_nodes(gig_rule rule)
{
    return rule == GIG_RULE_IDG || rule == GIG_RULE_RANDOM;
}

int gig_rule_on_guides(gig_rule rule)
{
    return rule >= GIG_RULE_DEFAULT && rule <= GIG_RULE_GRADIENT;
}

int gig_rule_at_step_ends(gig_rule rule)
{
    return rule == GIG_RULE_LEFT || rule == GIG_RULE_RIGHT || rule == GIG_RULE_TRAPEZOID || rule == GIG_RULE_IDGI;
}

gig_rule_weights gig_rule_ends(gig_rule rule)
{
    switch (rule) {
    case GIG_RULE_RIGHT: return (gig_rule_weights){0, 1};
    case GIG_RULE_TRAPEZOID: return (gig_rule_weights){0.5, 0.5};
    case GIG_RULE_MIDPOINT: return (gig_rule_weights){0, 1}; /* the second gradient is the middle's */
    default: return (gig_rule_weights){1, 0};
    }
}

gig_side gig_rule_side(gig_rule rule)
{
    switch (rule) {
    case GIG_RULE_RIGHT: return GIG_SIDE_BEFORE;
    case GIG_RULE_LEFT:
    case GIG_RULE_IDGI:
    case GIG_RULE_IDG:
    case GIG_RULE_GRADIENT:
    case GIG_RULE_RANDOM: return GIG_SIDE_AFTER;
    default: return GIG_SIDE_BOTH;
    }
}

/* Nodes that are placed, drawn or cut off cannot be doubled, and a path that is cut off does not add up. */
gig_status gig_rule_check_nodes(const gig_chain *chain, const gig_drive_options *options)
{
    gig_rule rule = chain->rule == GIG_RULE_DEFAULT ? GIG_RULE_MIDPOINT : chain->rule;
    int cut = chain->until != 0, partial = cut || rule == GIG_RULE_IDG;
    if (!chain->adaptive && !partial && !gig_rule_finds_nodes(rule)) return GIG_OK;
    if (chain->guide)
        return gig_fail(GIG_EARG,
                        "adaptive nodes and \"until\" are for curves (ig, blur-ig, sig), not for guided paths");
    if (chain->adaptive && rule != GIG_RULE_MIDPOINT)
        return gig_fail(GIG_EARG, "adaptive nodes need rule midpoint, not %s%s", gig_rule_name(rule),
                        rule == GIG_RULE_IDG ? ", which places its nodes itself" : "; set rule to midpoint");
    if (cut && !(chain->until > 0 && chain->until <= 1))
        return gig_fail(GIG_EARG, "until %g: expected a number above 0, at most 1", chain->until);
    if (cut && (chain->adaptive || gig_rule_at_step_ends(rule) || gig_rule_finds_nodes(rule)))
        return gig_fail(GIG_EARG,
                        "until needs even nodes and rule midpoint, gauss-legendre, pair or "
                        "captum-trapezoid, not with %s%s",
                        chain->adaptive ? "adaptive nodes" : gig_rule_name(rule),
                        chain->adaptive ? "" : "; set rule to midpoint");
    if (options->tolerance > 0)
        return gig_fail(
            GIG_EARG,
            "a tolerance needs even nodes: it cannot be combined with adaptive or random nodes, rule idg or \"until\"");
    if (options->close && partial)
        return gig_fail(GIG_EARG, "%s does not add up to F(input) - F(baseline), so it cannot be closed",
                        cut ? "a path with \"until\"" : "rule idg");
    return GIG_OK;
}
