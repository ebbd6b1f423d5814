/* SPDX-License-Identifier: Apache-2.0 */
/* gig path: what happens along the path, for IG and for Guided IG, on one page: the paper's figures 2 to 5.
 *
 * Both paths are walked once, by the left rule, with every point and gradient kept; everything on the page, in the CSV
 * file and in the film comes from that. */
#include "captions.h"
#include "commands.h"
#include "frame/errors.h"
#include "frame/output.h"
#include "frame/output_files.h"
#include "frame/progress.h"
#include "gig/explainer.h"
#include "gig/number.h"
#include "gig/view.h"
#include "method.h"
#include "method_files.h"
#include "opened_model.h"
#include "path_figure.h"
#include "points.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const double near_alphas[] = {0.1, 0.3, 0.5, 0.7, 0.9}; /* figure 4 */

typedef struct task {
    const options *given;
    opened_model of;
    gig_question asked; /* the picture's class as functions */
    points in;
    gig_method method;
    float *point, *baseline;
    path_figure figure;
    progress bar;
    size_t before;
} task;

static int on_progress(void *payload, const gig_progress *now)
{
    task *self = payload;
    progress_set(&self->bar, self->before + now->evaluations, 2 * self->method.steps);
    return signals_seen() != 0;
}

/* One path is drawn, from one point: any baseline but several at once. */
static int set_baseline(task *self)
{
    method_files files = {0};
    gig_run_options from = {.shape = self->figure.shape, .seed = (uint64_t)self->given->seed};
    if (self->method.baseline == GIG_BASELINE_BLACK_WHITE || self->method.baseline_count > 1) {
        complain("path: --baseline names one point here, not several");
        return EXIT_USAGE;
    }
    int code = method_files_read(&files, self->given, &self->of, &self->in);
    from.baseline = files.baseline.real;
    if (code == EXIT_OK)
        code = report(gig_method_baseline(self->baseline, &self->method, self->point, self->in.features, 0, &from));
    method_files_clear(&files);
    return code;
}

static gig_status walk_both(task *self)
{
    const gig_question *runs = &self->asked;
    gig_drive_options watched = {.max_memory = self->given->memory, .progress = on_progress, .progress_payload = self};
    double window = gig_method_number(&self->method, "max-dist");
    gig_guided_options how = {.fraction = gig_method_number(&self->method, "fraction"),
                              .of_remaining = gig_method_number(&self->method, "fraction-of") != 0,
                              .bounded = !isnan(window),
                              .max_dist = isnan(window) ? 0 : window};
    gig_guide guide = gig_guide_guided(&how);
    gig_line_path straight = {self->in.features, self->baseline, self->point};
    gig_curve line = gig_curve_line(&straight);
    gig_chain ig = {.curve = &line, .target = self->figure.target, .steps = self->method.steps, .rule = GIG_RULE_LEFT};
    gig_chain guided = {.guide = &guide,
                        .target = self->figure.target,
                        .steps = self->method.steps,
                        .segments = self->method.anchors + 1,
                        .rule = GIG_RULE_LEFT};
    gig_status status = path_trace_run(&self->figure.ig, "ig", runs->workers, runs->functions, &ig, self->baseline,
                                       self->point, &watched);
    self->before = self->method.steps;
    if (status == GIG_OK)
        status = path_trace_run(&self->figure.guided, self->figure.guided_name, runs->workers, runs->functions, &guided,
                                self->baseline, self->point, &watched);
    return status;
}

static gig_status find_neighbours(task *self)
{
    const gig_question *runs = &self->asked;
    gig_status status = GIG_OK;
    for (size_t i = 0; i < NEIGHBOURS && status == GIG_OK; i++) {
        status = neighbour_find(&self->figure.near[i], runs->workers, runs->functions, self->figure.target,
                                self->baseline, self->point, near_alphas[i]);
        if (status == GIG_OK) status = signals_check();
    }
    return status;
}

static void print_neighbours(FILE *to, const path_figure *made)
{
    fprintf(to, "%-6s %-10s %-10s %-10s %-12s %s\n", "alpha", "score", "lowest", "highest", "distance",
            "(L2, inside a box of 2/255)");
    for (size_t i = 0; i < NEIGHBOURS; i++)
        fprintf(to, "%-6.1f %-10.4f %-10.4f %-10.4f %.3f %.3f\n", made->near[i].alpha, made->near[i].value,
                made->near[i].low, made->near[i].high, made->near[i].low_distance, made->near[i].high_distance);
}

static const char *figure_file(const options *given)
{
    return given->out ? given->out : "path.png";
}

/* What could not be written is refused before anything is computed. */
static int refuse_outputs(const options *given)
{
    gig_sheet_format format;
    const char *ending = given->film ? strrchr(given->film, '.') : NULL;
    if (gig_sheet_format_of(&format, figure_file(given)) != GIG_OK) {
        report(GIG_EARG);
        return EXIT_USAGE;
    }
    if (given->film && (!ending || strcasecmp(ending, ".webp") != 0)) {
        complain("%s: a film's name must end in .webp", given->film);
        return EXIT_USAGE;
    }
    const output_file outputs[] = {{"-o", figure_file(given)}, {"--csv", given->csv}, {"--film", given->film}};
    int code = file_refuse_twice("path", sizeof outputs / sizeof *outputs, outputs);
    if (code == EXIT_OK) code = file_refuse(figure_file(given), given->force);
    if (code == EXIT_OK) code = file_refuse(given->csv, given->force);
    return code == EXIT_OK ? file_refuse(given->film, given->force) : code;
}

static int refuse_method(const gig_method *method)
{
    if (!method->row->guide || method->smooth || method->xrai)
        complain("path: --method is gig or gig:K here; ig is drawn beside it");
    else if (gig_method_rule(method) != GIG_RULE_LEFT || method->tolerance > 0 || method->close ||
             method->steps_per_segment)
        complain("path: both paths are walked by the left rule with --steps; the method's name may say fraction, "
                 "fraction-of, max-dist, steps and baseline");
    else
        return EXIT_OK;
    return EXIT_USAGE;
}

/* Both traces keep every point and every gradient. */
static int refuse_memory(const task *self)
{
    size_t bytes = 0, rows = 4 * (self->method.steps + 1), most = self->given->memory;
    if (!most) most = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE) / 2; /* of the machine's */
    int too_large = __builtin_mul_overflow(rows, self->in.features * sizeof(float), &bytes);
    if (!too_large && bytes <= most) return EXIT_OK;
    char text[40];
    complain("path: %zu steps take %s, more than there may be; fewer --steps take less", self->method.steps,
             too_large ? "too much memory" : output_scaled(text, sizeof text, (double)bytes, "B"));
    return EXIT_LIMIT;
}

/* What the page says about itself. */
static int name_page(task *self)
{
    char class[CAPTION_BYTES], how[CAPTION_BYTES], name[CAPTION_BYTES], value[32];
    path_figure *made = &self->figure;
    const char *label = gig_explainer_class_name(self->of.explainer, made->target);
    gig_explanation found = {.target = made->target, .class_name = (char *)(uintptr_t)label, .value = NAN};
    caption_class(class, &found);
    caption_method(how, &self->of, self->given, &self->method, NULL);
    gig_format_double(value, sizeof value, 4, made->ig.steps[made->ig.count].value);
    int title = asprintf(&made->title, "%s: %s of %s, %s at the picture",
                         output_name(name, sizeof name, self->in.names[0]), made->scalar, class, value);
    int footer = asprintf(
        &made->footer, "%s: %s. ig: the same steps and rule. alpha: share of the way from the baseline to the picture.",
        made->guided_name, how);
    if (title < 0) made->title = NULL;
    if (footer < 0) made->footer = NULL;
    return title < 0 || footer < 0 ? no_memory() : EXIT_OK;
}

/* The class, and the functions that both paths are walked with. */
static int ask(task *self)
{
    gig_input input;
    gig_question *asked = &self->asked;
    int code = points_input(&input, &self->in, 0, &self->of);
    if (code != EXIT_OK) return code;
    opened_model_warn(&self->of, &input);
    code = report_of(self->in.names[0], gig_explainer_ask(asked, self->of.explainer, &input, 0, &self->of.asked));
    if (code != EXIT_OK) return code;
    memcpy(self->point, asked->point, asked->features * sizeof *self->point);
    self->figure.target = asked->target;
    self->figure.shape = asked->shape;
    self->figure.scalar = gig_scalar_name(asked->scalar);
    self->figure.is_share = asked->scalar == GIG_SOFTMAX || asked->scalar == GIG_SIGMOID;
    return EXIT_OK;
}

static int prepare(task *self)
{
    int code = points_list(&self->in, "path", self->given);
    if (code == EXIT_OK && self->in.count != 1) {
        complain("path: one picture at a time, not %zu", self->in.count);
        code = EXIT_USAGE;
    }
    if (code == EXIT_OK)
        code = method_read(&self->method, self->given, self->given->method ? self->given->method : "gig");
    if (code == EXIT_OK) code = refuse_method(&self->method);
    if (code == EXIT_OK) code = refuse_outputs(self->given);
    if (code == EXIT_OK) code = opened_model_open(&self->of, "path", self->given, 1, 0);
    if (code == EXIT_OK) code = points_fit(&self->in, "path", &self->of);
    if (code == EXIT_OK) code = refuse_memory(self);
    if (code != EXIT_OK) return code;
    self->point = malloc(self->in.features * sizeof *self->point);
    self->baseline = calloc(self->in.features, sizeof *self->baseline);
    if (!self->point || !self->baseline) return no_memory();
    code = ask(self);
    if (code == EXIT_OK) code = set_baseline(self);
    gig_method_name(self->figure.guided_name, sizeof self->figure.guided_name, &self->method);
    return code;
}

static int trace_paths(task *self)
{
    int code = prepare(self);
    if (code != EXIT_OK) return code;
    progress_begin(&self->bar, "gradients", 2 * self->method.steps, self->given->quiet);
    gig_status status = walk_both(self);
    if (status == GIG_OK) status = find_neighbours(self);
    progress_end(&self->bar);
    code = report(status);
    if (code == EXIT_OK) code = name_page(self);
    const char *out = figure_file(self->given);
    if (code == EXIT_OK) code = report(path_figure_draw(&self->figure, out, self->given->force));
    if (code == EXIT_OK && self->given->csv)
        code = path_figure_write_csv(&self->figure, self->given->csv, self->given->force);
    if (code == EXIT_OK && self->given->film)
        code = report(path_figure_film(&self->figure, self->given->film, self->given->force));
    if (code != EXIT_OK) return code;
    FILE *to = output_text(self->given);
    print_neighbours(to, &self->figure);
    char clean[PATH_BYTES];
    fprintf(to, "%s\n", output_name(clean, sizeof clean, out));
    opened_model_print_remarks(to, &self->of, "# ");
    return EXIT_OK;
}

int run_path(const options *given)
{
    task self = {.given = given};
    int code = trace_paths(&self);
    path_figure_clear(&self.figure);
    free(self.point);
    free(self.baseline);
    points_clear(&self.in);
    opened_model_close(&self.of);
    return code;
}
