/* SPDX-License-Identifier: Apache-2.0 */
/* gig compare: several methods side by side, on one sheet per picture or on one page for all.
 *
 * xrai+METHOD uses METHOD's own map if that is on the list too, so its gradients are computed only once. */
#include "captions.h"
#include "commands.h"
#include "cost.h"
#include "frame/errors.h"
#include "frame/output_files.h"
#include "frame/printing.h"
#include "frame/progress.h"
#include "internal/number.h"
#include "internal/saliency.h"
#include "method_files.h"
#include "method_flags.h"
#include "opened_model.h"
#include "points.h"
#include "results.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_METHODS = 64 };

typedef struct task {
    const options *given;
    opened_model of;
    points in;
    method_files extra;
    results out; /* names of the files */
    size_t count;
    gig_method methods[MOST_METHODS];
    int taken_from[MOST_METHODS]; /* the method whose map xrai+ uses, -1: its own run */
    progress bar;
    size_t gradients, values; /* of all pictures */
    size_t before;            /* of both, by the methods that are done */
} task;

/* ---- the list of methods ---- */

static int same_but_xrai(const gig_method *with, const gig_method *without)
{
    char a[GIG_METHOD_NAME_BYTES], b[GIG_METHOD_NAME_BYTES];
    gig_method plain = *with;
    plain.xrai = 0;
    return strcmp(gig_method_name(a, sizeof a, &plain), gig_method_name(b, sizeof b, without)) == 0;
}

/* Methods are separated by commas. */
static int read_methods(task *self)
{
    const char *list = self->given->how.methods ? self->given->how.methods : gig_methods_to_compare();
    char text[GIG_METHOD_NAME_BYTES];
    int more;
    while ((more = gig_next_name(text, sizeof text, &list)) > 0 && self->count < MOST_METHODS) {
        int code = method_read(&self->methods[self->count], self->given, text);
        if (code != EXIT_OK) return code;
        self->count++;
    }
    if (more) {
        if (more < 0)
            complain("compare: --methods: found a name that is empty, or longer than %d bytes",
                     GIG_METHOD_NAME_BYTES - 1);
        else
            complain("compare: --methods: expected at most %d names, separated by commas", MOST_METHODS);
        return EXIT_USAGE;
    }
    for (size_t i = 0; i < self->count; i++) {
        self->taken_from[i] = -1;
        for (size_t j = 0; self->methods[i].xrai && j < i; j++)
            if (!gig_method_per_pixel(&self->methods[j]) && same_but_xrai(&self->methods[i], &self->methods[j]))
                self->taken_from[i] = (int)j;
    }
    return EXIT_OK;
}

static void count_work(task *self)
{
    for (size_t m = 0; m < self->count; m++) {
        if (self->taken_from[m] >= 0) continue;
        self->gradients += gig_method_evaluations(&self->methods[m]) * self->in.count;
        self->values += gig_method_values(&self->methods[m], &self->in.shape) * self->in.count;
    }
}

static int needs_cam(const task *self)
{
    for (size_t i = 0; i < self->count; i++)
        if (self->methods[i].row->traits & GIG_METHOD_LAYER) return 1;
    return 0;
}

/* ---- time ---- */

/* Prints what the run will take. */
static int announce(task *self, const gig_question *runs)
{
    cost all = {.gradients = self->gradients, .values = self->values};
    int code = cost_measure(&all, runs, &self->of);
    return code == EXIT_OK && !self->given->json ? cost_print(&all, self->given, "# ") : code;
}

static int on_progress(void *payload, const gig_progress *now)
{
    task *self = payload;
    size_t done = self->before + now->evaluations, total = self->gradients + self->values;
    progress_set(&self->bar, done, done > total ? done : total);
    return signals_seen() != 0;
}

/* ---- one picture ---- */

/* The result, and the map to draw: the explanation's own, or regions over another's. */
typedef struct panel {
    gig_explanation found;
    float *regions; /* owned */
} panel;

/* xrai over the map of a method that has already run; sums and counts are that method's. */
static gig_status regions_of(panel *out, const task *self, const gig_method *method, const panel *base)
{
    const gig_picture_shape *shape = &base->found.shape;
    gig_xrai_options wanted = {.fast = method->xrai_fast,
                               .min_pixels = method->min_pixels,
                               .mask_count = self->extra.mask_count,
                               .masks = self->extra.masks};
    out->found = base->found;
    out->found.attributions = out->found.picture = NULL; /* the other's, as is the name of the class */
    out->found.class_name = base->found.class_name ? strdup(base->found.class_name) : NULL;
    out->found.count = 0;
    gig_method_name(out->found.method, sizeof out->found.method, method);
    out->regions = malloc(shape->height * shape->width * sizeof *out->regions);
    double start = seconds_now();
    gig_status status = GIG_ENOMEM;
    if (out->regions)
        status = gig_xrai(out->regions, NULL, base->found.attributions, base->found.picture, shape, &wanted);
    out->found.seconds = seconds_now() - start;
    out->found.evaluations = out->found.values = 0;
    return status;
}

static gig_status map_of(panel *out, task *self, size_t m, const panel *others, const gig_input *input, size_t target)
{
    const gig_method *method = &self->methods[m];
    if (self->taken_from[m] >= 0) return regions_of(out, self, method, &others[self->taken_from[m]]);
    gig_explain_options wanted = method_files_options(&self->extra, &self->of, method);
    wanted.classes = &target;
    wanted.progress = on_progress;
    wanted.progress_payload = self;
    gig_status status = gig_explainer_explain_inputs(&out->found, self->of.explainer, 1, input, NULL, &wanted);
    if (status == GIG_OK) self->before += out->found.evaluations ? out->found.evaluations : out->found.values;
    return status;
}

static gig_status add_panel(gig_sheet *sheet, const task *self, size_t m, const panel *made)
{
    char note[2 * CAPTION_BYTES], spent[CAPTION_BYTES], how[CAPTION_BYTES];
    const panel *own = &made[m];
    const gig_method *method = &self->methods[m];
    caption_cost(spent, &own->found);
    if (self->taken_from[m] < 0) {
        caption_method(how, &self->of, method, &own->found);
        snprintf(note, sizeof note, "%s%s%s", how, how[0] ? "; " : "", spent);
    } else {
        snprintf(note, sizeof note, "xrai %s over the map of %.200s; %s", method->xrai_fast ? "fast" : "full",
                 made[self->taken_from[m]].found.method, spent);
    }
    gig_map_options look = caption_look(self->given, method, made[0].found.picture, 0);
    return caption_add_map(sheet, method, &own->found, own->regions ? own->regions : own->found.attributions, &look,
                           note);
}

/* The first method's picture; it is never one over another's map. */
static gig_status add_panels(gig_sheet *sheet, const task *self, const char *title, double value, const panel *made)
{
    gig_explanation shown = made[0].found;
    shown.value = value;
    gig_status status = caption_add_picture(sheet, title, &shown);
    for (size_t m = 0; m < self->count && status == GIG_OK; m++) status = add_panel(sheet, self, m, made);
    return status;
}

/* After the previous pictures, in one HTML file. */
static int add_to_page(task *self, size_t i, double value, const panel *made)
{
    char name[TITLE_BYTES], title[TITLE_BYTES], out[300];
    gig_sheet_options page = {.title = caption_title(title, self->given, NULL)};
    gig_status status = self->out.page ? GIG_OK : gig_sheet_create(&self->out.page, &page);
    if (status == GIG_OK) status = add_panels(self->out.page, self, results_file(name, &self->out, i), value, made);
    progress_make_way();
    if (status == GIG_OK && !self->given->json)
        printf("%s -> %s\n", output_name(name, sizeof name, self->in.names[i]),
               output_name(out, sizeof out, self->given->out));
    return report(status);
}

static int draw(task *self, size_t i, double value, const panel *made)
{
    char path[PATH_BYTES], title[TITLE_BYTES], name[TITLE_BYTES];
    int code = destination_path(path, sizeof path, &self->out.drawings, i, 1);
    if (code != EXIT_OK) return code;
    gig_sheet_options page = {.title = caption_title(title, self->given, results_file(name, &self->out, i))};
    gig_sheet *sheet = NULL;
    gig_status status = gig_sheet_create(&sheet, &page);
    if (status == GIG_OK) status = add_panels(sheet, self, NULL, value, made);
    if (status == GIG_OK) status = gig_sheet_write(sheet, path, self->given->force);
    gig_sheet_free(sheet);
    progress_make_way();
    if (status == GIG_OK && !self->given->json) printf("%s\n", output_name(title, sizeof title, path));
    return report(status);
}

/* The class, and, before the first picture, the expected time of all. */
static int find_class(size_t *out, task *self, size_t i, const gig_input *input)
{
    gig_question question;
    gig_status status = gig_explainer_ask(&question, self->of.explainer, input, i ? 1 : 0, &self->of.asked);
    if (status != GIG_OK) return report_of(self->in.names[i], status);
    *out = question.target;
    if (i) return EXIT_OK;
    int code = announce(self, &question);
    progress_begin(&self->bar, "evaluations", self->gradients + self->values, self->given->quiet);
    return code;
}

static void add_json(task *self, size_t i, size_t m, const panel *made)
{
    const gig_explanation *found = &made->found;
    json_t *row = results_json(&self->out, self->in.names[i], &self->methods[m], found);
    size_t pixels = found->shape.height * found->shape.width;
    results_json_map(row, made->regions ? made->regions : found->attributions, made->regions ? pixels : found->count);
    json_array_append_new(self->out.rows, row);
}

static int compare_picture(task *self, size_t i)
{
    size_t target = 0;
    gig_input input;
    int code = points_input(&input, &self->in, i, &self->of);
    if (code == EXIT_OK) opened_model_warn(&self->of, &input);
    if (code == EXIT_OK) code = find_class(&target, self, i, &input);
    if (code != EXIT_OK) return code;
    panel *made = calloc(self->count, sizeof *made);
    if (!made) return no_memory();
    double shown = NAN; /* edge has no value */
    for (size_t m = 0; m < self->count && code == EXIT_OK; m++) {
        const gig_explanation *found = &made[m].found;
        code = report_of(self->in.names[i], map_of(&made[m], self, m, made, &input, target));
        if (code != EXIT_OK) break;
        if (isfinite(found->value)) shown = found->value;
        if (self->given->json) add_json(self, i, m, &made[m]);
    }
    if (code == EXIT_OK && self->out.draws) code = (self->out.drawings.page ? add_to_page : draw)(self, i, shown, made);
    if (code == EXIT_OK) self->out.done++;
    for (size_t m = 0; m < self->count; m++) {
        free(made[m].regions);
        if (self->taken_from[m] >= 0)
            free(made[m].found.class_name);
        else
            gig_explanation_clear(&made[m].found);
    }
    free(made);
    return code;
}

static int dry_run(task *self)
{
    gig_input input;
    cost all = {.gradients = self->gradients, .values = self->values};
    int code = points_input(&input, &self->in, 0, &self->of);
    return code == EXIT_OK ? cost_dry_run(&all, &self->of, &input) : code;
}

static int compare_points(task *self)
{
    int code = points_list(&self->in, "compare", self->given);
    if (code == EXIT_OK) code = read_methods(self);
    if (code == EXIT_OK) code = results_begin(&self->out, "compare", self->given, &self->in);
    if (code == EXIT_OK) code = opened_model_open(&self->of, "compare", self->given, 1, needs_cam(self));
    if (code == EXIT_OK) code = points_fit(&self->in, "compare", &self->of);
    if (code == EXIT_OK) code = method_files_read(&self->extra, self->given, &self->of, &self->in);
    if (code == EXIT_OK) code = results_open(&self->out, &self->of, &self->methods[0]);
    if (code != EXIT_OK) return code;
    count_work(self);
    code = points_verify(&self->in, self->given);
    if (code == EXIT_OK && self->given->dry_run) return dry_run(self);
    for (size_t i = 0; i < self->in.count && code == EXIT_OK; i++) code = compare_picture(self, i);
    progress_end(&self->bar);
    return results_end(&self->out, code);
}

int run_compare(const options *given)
{
    task self = {.given = given};
    int code = compare_points(&self);
    results_clear(&self.out);
    method_files_clear(&self.extra);
    points_clear(&self.in);
    opened_model_close(&self.of);
    return code;
}
