/* gig path: what happens along the path, for IG and for Guided IG, on one page: the paper's figures 2 to 5.
 *
 * Both paths are walked once, by the left rule, with every point and gradient kept; everything on the page, in the CSV
 * file and in the film comes from that. */
#include "command.h"
#include "gig/view.h"
#include "output.h"
#include "page.h"
#include "points.h"
#include "progress.h"
#include "report.h"
#include "subject.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double near_alphas[] = {0.1, 0.3, 0.5, 0.7, 0.9}; /* figure 4 */

typedef struct task {
    const options *given;
    subject of;
    points in;
    gig_method method;
    float *point, *baseline;
    page page;
    progress bar;
    size_t before;
} task;

static int on_progress(void *payload, const gig_progress *now)
{
    task *self = payload;
    progress_set(&self->bar, self->before + now->evaluations, 2 * self->method.steps);
    return signals_seen() != 0;
}

/* Only paths that start at a fixed point make sense here. */
static int set_baseline(task *self)
{
    switch (self->method.baseline) {
    case GIG_BASELINE_BLACK: return EXIT_OK; /* zeros already */
    case GIG_BASELINE_WHITE:
        for (size_t i = 0; i < self->in.features; i++) self->baseline[i] = 1.0f;
        return EXIT_OK;
    default: usage("path: --baseline is black or white here"); return EXIT_USAGE;
    }
}

static gig_status walk_both(task *self)
{
    const engine *runs = &self->of.plain;
    gig_drive_options watched = {.max_memory = self->given->memory, .progress = on_progress, .progress_payload = self};
    gig_guided_options how = {.fraction = self->method.fraction,
                              .of_remaining = self->method.of_remaining,
                              .bounded = self->method.bounded,
                              .max_dist = self->method.max_dist};
    gig_guide guide = gig_guide_guided(&how);
    gig_line_path straight = {self->in.features, self->baseline, self->point};
    gig_curve line = gig_curve_line(&straight);
    gig_chain ig = {.curve = &line, .target = self->page.target, .steps = self->method.steps, .rule = GIG_RULE_LEFT};
    gig_chain guided = {.guide = &guide,
                        .target = self->page.target,
                        .steps = self->method.steps,
                        .segments = self->method.anchors + 1,
                        .rule = GIG_RULE_LEFT};
    gig_status status =
        trace_run(&self->page.ig, "ig", runs->workers, runs->functions, &ig, self->baseline, self->point, &watched);
    self->before = self->method.steps;
    if (status == GIG_OK)
        status = trace_run(&self->page.guided, self->page.guided_name, runs->workers, runs->functions, &guided,
                           self->baseline, self->point, &watched);
    return status;
}

static gig_status find_neighbours(task *self)
{
    const engine *runs = &self->of.plain;
    gig_status status = GIG_OK;
    for (size_t i = 0; i < NEIGHBOURS && status == GIG_OK; i++) {
        status = neighbour_find(&self->page.near[i], runs->workers, runs->functions, self->page.target, self->baseline,
                                self->point, near_alphas[i]);
        if (status == GIG_OK) status = signals_check();
    }
    return status;
}

static void print_neighbours(const page *made)
{
    printf("%-6s %-10s %-10s %-10s %-12s %s\n", "alpha", "score", "lowest", "highest", "distance",
           "(L2, inside a box of 2/255)");
    for (size_t i = 0; i < NEIGHBOURS; i++)
        printf("%-6.1f %-10.4f %-10.4f %-10.4f %.3f %.3f\n", made->near[i].alpha, made->near[i].value,
               made->near[i].low, made->near[i].high, made->near[i].low_distance, made->near[i].high_distance);
}

static int refuse_existing(const options *given)
{
    const char *paths[] = {given->out, given->csv, given->film};
    for (size_t i = 0; !given->force && i < 3; i++)
        if (paths[i] && access(paths[i], F_OK) == 0 && strncmp(paths[i], "/dev/", 5) != 0) {
            usage("%s: exists already; --force overwrites it", paths[i]);
            return EXIT_IO;
        }
    gig_sheet_format format;
    if (given->out && gig_sheet_format_of(&format, given->out) != GIG_OK) {
        report(GIG_EARG);
        return EXIT_USAGE;
    }
    return EXIT_OK;
}

static int prepare(task *self)
{
    int code = points_list(&self->in, "path", self->given);
    if (code == EXIT_OK && self->in.from_files && self->in.count != 1) {
        usage("path: one picture at a time");
        code = EXIT_USAGE;
    }
    if (code == EXIT_OK)
        code = method_read(&self->method, self->given, self->given->method ? self->given->method : "gig");
    if (code == EXIT_OK && (self->method.base != GIG_BASE_GUIDED_IG || self->method.smooth || self->method.xrai)) {
        usage("path: --method is gig or gig:K here; ig is drawn beside it");
        code = EXIT_USAGE;
    }
    if (code == EXIT_OK) code = refuse_existing(self->given);
    if (code == EXIT_OK) code = subject_open(&self->of, "path", self->given, 1, 0);
    if (code == EXIT_OK) code = points_fit(&self->in, "path", &self->of);
    if (code != EXIT_OK) return code;
    self->point = malloc(self->in.features * sizeof *self->point);
    self->baseline = calloc(self->in.features, sizeof *self->baseline);
    if (!self->point || !self->baseline) return no_memory();
    code = points_read(self->point, &self->in, 0, &self->of, self->given);
    if (code == EXIT_OK) code = set_baseline(self);
    if (code == EXIT_OK) code = subject_target(&self->page.target, &self->of, self->given, self->point);
    self->page.shape = subject_shape(&self->of);
    self->page.label = gig_description_label(self->of.description, self->page.target);
    self->page.scalar = scalar_name(self->of.scalar);
    self->page.picture = self->point;
    gig_method_name(self->page.guided_name, sizeof self->page.guided_name, &self->method);
    return code;
}

static int run(task *self)
{
    int code = prepare(self);
    if (code != EXIT_OK) return code;
    progress_begin(&self->bar, "gradients", 2 * self->method.steps, self->given->quiet);
    gig_status status = walk_both(self);
    if (status == GIG_OK) status = find_neighbours(self);
    progress_end(&self->bar);
    if (status == GIG_ENOMEM) return no_memory();
    code = report(status);
    const char *out = self->given->out ? self->given->out : "path.png";
    if (code == EXIT_OK) code = report(page_draw(&self->page, out, self->given->force));
    if (code == EXIT_OK && self->given->csv) code = page_write_csv(&self->page, self->given->csv, self->given->force);
    if (code == EXIT_OK && self->given->film)
        code = report(page_film(&self->page, self->given->film, self->given->force));
    if (code != EXIT_OK) return code;
    print_neighbours(&self->page);
    printf("%s\n", out);
    return EXIT_OK;
}

int run_path(const options *given)
{
    task self = {.given = given};
    int code = run(&self);
    page_clear(&self.page);
    free(self.point);
    free(self.baseline);
    points_clear(&self.in);
    subject_close(&self.of);
    return code;
}
