/* SPDX-License-Identifier: Apache-2.0 */
/* gig path: what happens along the path, for IG and for Guided IG, on one page: the paper's figures 2 to 5; with
 * --closed, on the way from the picture over two other points and back to it: its figure 6.
 *
 * Paths are walked once, by the left rule, with every point and gradient kept; everything on the page, in the CSV
 * file and in the film comes from that. */
#include "captions.h"
#include "commands.h"
#include "frame/errors.h"
#include "frame/output_files.h"
#include "frame/printing.h"
#include "frame/progress.h"
#include "internal/explainer.h"
#include "internal/number.h"
#include "internal/saliency.h"
#include "internal/view.h"
#include "method_files.h"
#include "method_flags.h"
#include "opened_model.h"
#include "path_closed.h"
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
    float *point;
    float *baselines; /* [corners, features]: where the path begins; with --closed B and C */
    size_t corners;   /* 1, or 2 */
    path_figure figure;
    progress bar;
    size_t before;
} task;

static size_t gradients_of(const task *self)
{
    return 2 * self->method.steps * (self->given->how.closed ? CLOSED_SIDES : 1);
}

static int on_progress(void *payload, const gig_progress *now)
{
    task *self = payload;
    progress_set(&self->bar, self->before + now->evaluations, gradients_of(self));
    return signals_seen() != 0;
}

static size_t count_baselines(const gig_method *method)
{
    if (method->baseline == GIG_BASELINE_BLACK_WHITE) return 2;
    return method->baseline_count > 1 ? method->baseline_count : 1;
}

/* One path is drawn, from a single baseline. A closed path has two, B and C. */
static int set_baselines(task *self)
{
    method_files files = {0};
    gig_run_options from = {.shape = self->figure.shape, .seed = (uint64_t)self->given->seed};
    size_t found = count_baselines(&self->method);
    if (found != self->corners) {
        if (self->given->how.closed)
            complain("path: --baseline with --closed: expected two points, such as random:2 or black+white, found %zu",
                     found);
        else
            complain("path: --baseline: expected one point, found several");
        return EXIT_USAGE;
    }
    int code = method_files_read(&files, self->given, &self->of, &self->in);
    from.baseline = files.baseline.real;
    for (size_t i = 0; i < self->corners && code == EXIT_OK; i++)
        code = report(gig_method_baseline(self->baselines + i * self->in.features, &self->method, self->point,
                                          self->in.features, i, &from));
    method_files_clear(&files);
    return code;
}

/* IG, or (guided) Guided IG, from start to end. */
static gig_status walk(path_trace *out, task *self, int guided, const float *start, const float *end)
{
    const gig_question *runs = &self->asked;
    gig_drive_options watched = {
        .max_memory = self->given->run.memory, .progress = on_progress, .progress_payload = self};
    double window = gig_method_number(&self->method, "max-dist");
    gig_guided_options how = {.fraction = gig_method_number(&self->method, "fraction"),
                              .of_remaining = gig_method_number(&self->method, "fraction-of") != 0,
                              .bounded = !isnan(window),
                              .max_dist = isnan(window) ? 0 : window};
    gig_guide guide = gig_guide_guided(&how);
    gig_line_path straight = {self->in.features, start, end};
    gig_curve line = gig_curve_line(&straight);
    gig_chain chain = {.target = self->figure.target, .steps = self->method.steps, .rule = GIG_RULE_LEFT};
    if (guided) {
        chain.guide = &guide;
        chain.segments = self->method.anchors + 1;
    } else {
        chain.curve = &line;
    }
    gig_status status = path_trace_run(out, guided ? self->figure.guided_name : "ig",
                                       (gig_functions){runs->workers, runs->functions}, &chain, start, end, &watched);
    self->before += self->method.steps;
    return status;
}

static gig_status walk_both(task *self)
{
    gig_status status = walk(&self->figure.ig, self, 0, self->baselines, self->point);
    return status == GIG_OK ? walk(&self->figure.guided, self, 1, self->baselines, self->point) : status;
}

static gig_status walk_sides(path_closed *out, task *self)
{
    gig_status status = path_closed_create(out);
    for (int m = 0; m < CLOSED_METHODS; m++)
        for (int side = 0; side < CLOSED_SIDES && status == GIG_OK; side++) {
            path_trace walked = {0};
            status = walk(&walked, self, m, out->corners[side], out->corners[(side + 1) % CLOSED_SIDES]);
            if (status == GIG_OK) path_closed_take(out, m, side, &walked);
            path_trace_clear(&walked);
        }
    return status;
}

static gig_status find_neighbours(task *self)
{
    const gig_question *runs = &self->asked;
    gig_status status = GIG_OK;
    for (size_t i = 0; i < NEIGHBOURS && status == GIG_OK; i++) {
        status = neighbour_find(&self->figure.near[i], (gig_functions){runs->workers, runs->functions},
                                self->figure.target, self->baselines, self->point, near_alphas[i]);
        if (status == GIG_OK) status = signals_check();
    }
    return status;
}

static void print_neighbours(FILE *to, const path_figure *made)
{
    fprintf(
        to,
        "scores on the straight line, and the lowest and highest found within 2/255 of its point, at an L2 distance\n");
    fprintf(to, "%-6s %-10s %-10s %-10s %-10s %s\n", "alpha", "score", "lowest", "at", "highest", "at");
    for (size_t i = 0; i < NEIGHBOURS; i++)
        fprintf(to, "%-6.1f %-10.4f %-10.4f %-10.3f %-10.4f %.3f\n", made->near[i].alpha, made->near[i].value,
                made->near[i].low, made->near[i].low_distance, made->near[i].high, made->near[i].high_distance);
}

static const char *figure_file(const options *given)
{
    return given->out ? given->out : "path.png";
}

/* Checks that all output can be written before anything is computed. */
static int refuse_outputs(const options *given)
{
    gig_sheet_format format;
    const char *ending = given->drawing.film ? strrchr(given->drawing.film, '.') : NULL;
    if (gig_sheet_format_of(&format, figure_file(given)) != GIG_OK) {
        report(GIG_EARG);
        return EXIT_USAGE;
    }
    if (given->drawing.film && (given->how.closed || !points_are_pictures(given))) {
        complain("path: --film shows pictures along the way from the baseline to a picture, not %s",
                 given->how.closed ? "a closed path" : "a tensor");
        return EXIT_USAGE;
    }
    if (given->drawing.film && (!ending || strcasecmp(ending, ".webp") != 0)) {
        complain("%s: expected a film name that ends in .webp", given->drawing.film);
        return EXIT_USAGE;
    }
    const output_file outputs[] = {{"-o", figure_file(given)}, {"--csv", given->csv}, {"--film", given->drawing.film}};
    int code = file_refuse_twice("path", sizeof outputs / sizeof *outputs, outputs);
    if (code == EXIT_OK) code = file_refuse(figure_file(given), given->force);
    if (code == EXIT_OK) code = file_refuse(given->csv, given->force);
    return code == EXIT_OK ? file_refuse(given->drawing.film, given->force) : code;
}

static int refuse_method(const gig_method *method)
{
    if (!method->row->guide || method->smooth || method->xrai)
        complain("path: --method: expected gig or gig:K; ig is always drawn next to it");
    else if (gig_method_rule(method) != GIG_RULE_LEFT || method->tolerance > 0 || method->close ||
             method->steps_per_segment || method->repeat > 1 || method->max_evaluations)
        complain("path: --method: both paths use the left rule; the name may only set fraction, "
                 "fraction-of, max-dist, steps and baseline");
    else
        return EXIT_OK;
    return EXIT_USAGE;
}

/* Traces keep every point and every gradient; of a closed path only one at a time. */
static int refuse_memory(const task *self)
{
    size_t bytes = 0, rows = (self->given->how.closed ? 2 : 4) * (self->method.steps + 1),
           most = self->given->run.memory;
    if (!most) most = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE) / 2; /* of the machine's */
    int too_large = __builtin_mul_overflow(rows, self->in.features * sizeof(float), &bytes);
    if (!too_large && bytes <= most) return EXIT_OK;
    char text[40];
    complain("path: %zu steps need %s, more than the memory limit; use fewer --steps or raise --memory",
             self->method.steps, too_large ? "too much memory" : output_scaled(text, sizeof text, (double)bytes, "B"));
    return EXIT_LIMIT;
}

/* Title and footer of the page; `value` is the score at the point. */
static int name_page(task *self, double value)
{
    char class[CAPTION_BYTES], how[CAPTION_BYTES], name[TITLE_BYTES], file[TITLE_BYTES / 2], score[32];
    path_figure *made = &self->figure;
    const char *label = self->asked.one_number ? NULL : gig_explainer_class_name(self->of.explainer, made->target);
    gig_explanation found = {.target = made->target,
                             .class_name = (char *)(uintptr_t)label,
                             .one_number = self->asked.one_number,
                             .value = NAN};
    caption_class(class, &found);
    if (!class[0]) snprintf(class, sizeof class, "%s", self->of.target_text + 2);
    caption_method(how, &self->of, &self->method, NULL);
    gig_format_double(score, sizeof score, 4, value);
    const char *what = self->of.pictures ? "picture" : "input";
    int title = asprintf(&made->title, "%s: %s of %s, %s at the %s",
                         caption_title(name, self->given, caption_file(file, sizeof file, self->in.names[0])),
                         made->scalar, class, score, what);
    char corners[PATH_BYTES];
    int footer =
        self->given->how.closed
            ? asprintf(&made->footer, "%s: %s. ig: the same steps and rule. A: the %s; B, C: %s.", made->guided_name,
                       how, what, caption_baseline(corners, sizeof corners, &self->of, &self->method))
            : asprintf(&made->footer,
                       "%s: %s. ig: the same steps and rule. alpha: fraction of the way from the baseline to the %s.",
                       made->guided_name, how, what);
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
    if (self->of.pictures) opened_model_warn(&self->of, &input);
    code = report_of(self->in.names[0], gig_explainer_ask(asked, self->of.explainer, &input, 0, &self->of.asked));
    if (code != EXIT_OK) return code;
    memcpy(self->point, asked->point, asked->features * sizeof *self->point);
    self->figure.target = asked->target;
    if (self->of.pictures) self->figure.shape = asked->shape;
    self->figure.scalar = gig_scalar_name(asked->scalar);
    self->figure.is_share = asked->scalar == GIG_SOFTMAX || asked->scalar == GIG_SIGMOID;
    return EXIT_OK;
}

static int read_method(task *self)
{
    const char *name = self->given->how.method ? self->given->how.method : "gig";
    int code = method_read(&self->method, self->given, name);
    int named = self->given->how.baseline || strstr(name, "/baseline=");
    if (code == EXIT_OK && self->given->how.closed && !named)
        code = report(gig_method_set(&self->method, "baseline", "random:2"));
    return code == EXIT_OK ? refuse_method(&self->method) : code;
}

/* Known for files before the model is read, for arrays afterwards. */
static int refuse_several(const points *in)
{
    if (in->count <= 1) return EXIT_OK;
    complain("path: expected one picture or tensor, found %zu", in->count);
    return EXIT_USAGE;
}

static int prepare(task *self)
{
    const int pictures = points_are_pictures(self->given);
    self->corners = self->given->how.closed ? 2 : 1;
    int code = points_list(&self->in, "path", self->given);
    if (code == EXIT_OK) code = refuse_several(&self->in);
    if (code == EXIT_OK) code = read_method(self);
    if (code == EXIT_OK) code = refuse_outputs(self->given);
    if (code == EXIT_OK) code = opened_model_open(&self->of, "path", self->given, pictures, 0);
    if (code == EXIT_OK) code = points_fit(&self->in, "path", &self->of);
    if (code == EXIT_OK) code = refuse_several(&self->in);
    if (code == EXIT_OK) code = points_verify(&self->in, self->given);
    if (code == EXIT_OK) code = refuse_memory(self);
    if (code != EXIT_OK) return code;
    self->point = malloc(self->in.features * sizeof *self->point);
    self->baselines = calloc(self->corners * self->in.features, sizeof *self->baselines);
    if (!self->point || !self->baselines) return no_memory();
    code = ask(self);
    if (code == EXIT_OK) code = set_baselines(self);
    gig_method named = self->method;
    if (self->given->how.closed)
        named.baseline = GIG_BASELINE_BLACK; /* its points are corners, not where a map begins */
    gig_method_name(self->figure.guided_name, sizeof self->figure.guided_name, &named);
    return code;
}

static int end_page(task *self)
{
    char clean[PATH_BYTES];
    FILE *to = output_text(self->given);
    fprintf(to, "%s\n", output_name(clean, sizeof clean, figure_file(self->given)));
    opened_model_print_remarks(to, &self->of, "# ");
    return EXIT_OK;
}

static int trace_closed(task *self)
{
    const options *given = self->given;
    path_closed closed = {.shape = self->figure.shape,
                          .scalar = self->figure.scalar,
                          .is_share = self->figure.is_share,
                          .names = {"ig", self->figure.guided_name},
                          .corners = {self->point, self->baselines, self->baselines + self->in.features},
                          .features = self->in.features,
                          .points = self->method.steps + 1};
    int code = report(walk_sides(&closed, self));
    progress_end(&self->bar);
    if (code == EXIT_OK) code = name_page(self, closed.values[0]);
    closed.title = self->figure.title;
    closed.footer = self->figure.footer;
    if (code == EXIT_OK) code = report(path_closed_draw(&closed, figure_file(given), given->force));
    if (code == EXIT_OK && given->csv) code = path_closed_write_csv(&closed, given->csv, given->force);
    if (code == EXIT_OK) path_closed_print(output_text(given), &closed);
    path_closed_clear(&closed);
    return code == EXIT_OK ? end_page(self) : code;
}

static int trace_open(task *self)
{
    const options *given = self->given;
    gig_status status = walk_both(self);
    if (status == GIG_OK && self->of.pictures) status = find_neighbours(self);
    progress_end(&self->bar);
    int code = report(status);
    if (code == EXIT_OK) code = name_page(self, self->figure.ig.steps[self->figure.ig.count].value);
    if (code == EXIT_OK) code = report(path_figure_draw(&self->figure, figure_file(given), given->force));
    if (code == EXIT_OK && given->csv) code = path_figure_write_csv(&self->figure, given->csv, given->force);
    if (code == EXIT_OK && given->drawing.film)
        code = report(path_figure_film(&self->figure, given->drawing.film, given->force));
    if (code != EXIT_OK) return code;
    if (self->of.pictures) print_neighbours(output_text(given), &self->figure);
    return end_page(self);
}

int run_path(const options *given)
{
    task self = {.given = given};
    int code = prepare(&self);
    if (code == EXIT_OK) {
        progress_begin(&self.bar, "gradients", gradients_of(&self), given->quiet);
        code = given->how.closed ? trace_closed(&self) : trace_open(&self);
    }
    path_figure_clear(&self.figure);
    free(self.point);
    free(self.baselines);
    points_clear(&self.in);
    opened_model_close(&self.of);
    return code;
}
