/* SPDX-License-Identifier: Apache-2.0 */
#include "opened_model.h"
#include "frame/errors.h"
#include "frame/printing.h"
#include "gig/memory.h"
#include "internal/explainer.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- opening ---- */

/* Without Grad-CAM, --at moves the points into the network. */
static int look_inside(opened_model *self, const char *command)
{
    if (self->pictures) {
        complain("%s: --at names the layer of grad-cam; for other methods it needs --tensor", command);
        return EXIT_USAGE;
    }
    self->inside = 1;
    return EXIT_OK;
}

static int name_target(opened_model *self, const options *given)
{
    const char *text = given->target.region  ? given->target.region
                       : given->target.index ? given->target.index
                                             : given->target.weights;
    const char *flag = given->target.region ? "--region" : given->target.index ? "--index" : "--weights";
    if (!text) return EXIT_OK;
    size_t bytes = strlen(text) + strlen(flag) + 2;
    self->target_text = malloc(bytes);
    if (!self->target_text) return no_memory();
    snprintf(self->target_text, bytes, "%s %s", flag, text);
    return EXIT_OK;
}

static gig_explainer_options explainer_options(const opened_model *self, const options *given, int cam)
{
    const inputs *in = &self->in;
    gig_explainer_options out = {.preset = given->preset,
                                 .output = given->target.output,
                                 .explain_inputs = given->explain_inputs,
                                 .shape_count = in->shape_count,
                                 .shapes = in->shapes,
                                 .precision = (gig_precision)given->run.precision,
                                 .blocking = (gig_blocking)given->run.blocking,
                                 .portable = given->run.portable,
                                 .threads = (size_t)given->run.threads,
                                 .batch = (size_t)given->run.batch,
                                 .operator_threads = (int)given->run.operator_threads,
                                 .max_memory = given->run.memory,
                                 .no_orient = given->no_orient,
                                 .keep_cam = cam,
                                 .lazy = 1,
                                 .region = given->target.region,
                                 .index = given->target.index,
                                 .weights = given->target.weights};
    if (cam) out.cam = given->at;
    if (self->inside) out.at = given->at;
    if (in->points < in->count) out.input = in->names[in->points];
    if (self->inside && in->points == in->count) return out; /* each row binds its own */
    out.bound_count = in->bound_count;
    out.bound = in->bound;
    return out;
}

int opened_model_open(opened_model *out, const char *command, const options *given, int pictures, int cam)
{
    *out = (opened_model){.given = given, .pictures = pictures};
    gig_memory_set_limit(given->run.memory);
    int code = inputs_read(&out->in, command, given, pictures);
    if (code == EXIT_OK) code = name_target(out, given);
    if (code == EXIT_OK && given->at && !cam) code = look_inside(out, command);
    if (code != EXIT_OK) return code;
    const gig_explainer_options wanted = explainer_options(out, given, cam);
    gig_status status = gig_explainer_open(&out->explainer, given->operands.items[0], &wanted);
    if (status == GIG_OK) status = gig_model_summarize(&out->about, gig_explainer_model(out->explainer));
    if (status != GIG_OK) return report(status);
    out->asked.class_name = given->target.of_class;
    if (options_given(given, "of")) out->asked.of = gig_scalar_name((gig_scalar)given->target.of);
    return out->inside ? inner_points_count(&out->rows, command, &out->in, &out->about, given->at) : EXIT_OK;
}

const gig_description *opened_model_description(const opened_model *self)
{
    return gig_explainer_description(self->explainer);
}

void opened_model_close(opened_model *self)
{
    gig_explainer_close(self->explainer);
    gig_model_summary_clear(&self->about);
    inputs_clear(&self->in);
    free(self->target_text);
    *self = (opened_model){0};
}

/* ---- remarks ---- */

void opened_model_warn(opened_model *self, const gig_input *input)
{
    gig_preset_view seen[GIG_PRESET_VIEWS];
    const char *suggested = NULL;
    char others[300] = "";
    if (!self->pictures || self->warned) return;
    self->warned = 1;
    if (gig_explainer_try_presets(seen, &suggested, self->explainer, input) != GIG_OK || !seen[0].preset) return;
    for (size_t i = 1, used = 0; i < GIG_PRESET_VIEWS && seen[i].preset; i++)
        used += (size_t)snprintf(others + used, sizeof others - used, "%s%s %zu (%.2f)",
                                 i > 1 ? ", " : "; other presets give ", seen[i].preset, seen[i].class_index,
                                 seen[i].probability);
    complain("warning: no description and no --preset says how pixels are prepared; zero-one is assumed, which gives "
             "class %zu (%.2f)%s%s%s",
             seen[0].class_index, seen[0].probability, others, suggested ? "; try --preset " : "",
             suggested ? suggested : "");
}

const char *opened_model_remark(char *text, size_t bytes, const opened_model *self, size_t i)
{
    char target[256];
    if (self->target_text && i-- == 0) {
        snprintf(text, bytes, "the target is %s of the output, not a class of all of it",
                 output_name(target, sizeof target, self->target_text));
        return text;
    }
    const char *remark = gig_explainer_remark(self->explainer, i);
    return remark ? output_name(text, bytes, remark) : NULL;
}

void opened_model_print_remarks(FILE *to, const opened_model *self, const char *prefix)
{
    char text[400];
    for (size_t i = 0; opened_model_remark(text, sizeof text, self, i); i++) fprintf(to, "%s%s\n", prefix, text);
}
