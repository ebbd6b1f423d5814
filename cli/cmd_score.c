/* SPDX-License-Identifier: Apache-2.0 */
/* gig score: scores of existing maps, against a mask or boxes, and with a model.
 *
 * Row i of the array belongs to mask i and picture i; a folder means the files in it, sorted, so that what
 * `gig explain MODEL pictures/ --npy maps.npy` wrote is scored by `--map maps.npy --mask masks/`. */
#include "commands.h"
#include "frame/errors.h"
#include "gig/memory.h"
#include "ground_truth.h"
#include "input_flags.h"
#include "internal/explainer.h"
#include "internal/metric.h"
#include "internal/number.h"
#include "opened_model.h"
#include "score_list.h"
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct task {
    const options *given;
    gig_tensor map; /* [n, height, width, channels] */
    size_t count, height, width, channels;
    ground_truth object;
    int has_object;
    points pictures; /* none, or one per row */
    opened_model of; /* --model */
    int has_model;
    int one_number; /* the target is an index or weights */
    options model;  /* as explain would have them */
    const char *operands[2];
    const char *scalar;
    score_list scores;
} task;

/* What one row is scored against. */
typedef struct reference {
    uint8_t *mask;     /* [height, width], NULL: none */
    gig_image picture; /* in bytes, at the map's size */
} reference;

/* ---- what is scored ---- */

/* [height, width], [height, width, channels] or [n, height, width, channels], channels 1 or 3. */
static int read_map(task *self)
{
    const char *path = self->given->score.map;
    if (!path) {
        complain("score: --map is missing");
        return EXIT_USAGE;
    }
    int code = report(array_read(&self->map, path));
    if (code != EXIT_OK) return code;
    const gig_tensor *map = &self->map;
    int64_t dims[4] = {1, 0, 0, 1};
    int fits = map->type == GIG_FLOAT32 && map->rank >= 2 && map->rank <= 4;
    if (fits) memcpy(dims + (map->rank < 4), map->dims, (size_t)map->rank * sizeof *dims);
    if (!fits || gig_tensor_count(map) == 0 || (dims[3] != 1 && dims[3] != 3)) {
        complain("%s: expected a map of floating-point values [H,W], [H,W,3], [n,H,W,1] or [n,H,W,3]", path);
        return EXIT_INPUT;
    }
    self->count = (size_t)dims[0];
    self->height = (size_t)dims[1];
    self->width = (size_t)dims[2];
    self->channels = (size_t)dims[3];
    return EXIT_OK;
}

/* The options as explain would have them, with the model and one file or folder as operands. */
static options as_operands(const options *given, const char *items[2], const char *model, const char *pictures)
{
    options made = *given;
    items[0] = model;
    items[1] = pictures;
    made.operands = (texts){pictures ? 2 : 1, items};
    return made;
}

static int list(points *out, const task *self, const char *option, const char *path)
{
    if (!path) return EXIT_OK;
    const char *items[2];
    options files = as_operands(self->given, items, NULL, path);
    int code = points_list(out, "score", &files);
    if (code == EXIT_OK && out->count != self->count) {
        complain("score: --%s: expected one file per map, %zu; found %zu", option, self->count, out->count);
        return EXIT_USAGE;
    }
    return code;
}

static int list_object(task *self)
{
    const options *given = self->given;
    self->has_object = given->score.mask || given->score.boxes;
    if (!given->score.boxes) return list(&self->object.masks, self, "mask", given->score.mask);
    if (given->score.mask || self->count > 1) {
        complain("score: --boxes: expected one map, and no --mask");
        return EXIT_USAGE;
    }
    return ground_truth_read_boxes(&self->object, given->score.boxes);
}

/* ---- by which numbers ---- */

static int add_metric(task *self, const char *text)
{
    gig_metric *metric = &self->scores.metrics[self->scores.count];
    int code = report(gig_metric_parse(metric, text));
    if (code != EXIT_OK) return code;
    if (self->given->score.reduce && *gig_metric_reduction(metric) && !strstr(text, "reduction="))
        code = report(gig_metric_set(metric, "reduction", self->given->score.reduce));
    unsigned needs = gig_metric_needs(metric),
             model = GIG_METRIC_NEEDS_PICTURE | GIG_METRIC_NEEDS_FUNCTION | GIG_METRIC_NEEDS_ARGMAX;
    int asks_model = needs & (model | GIG_METRIC_NEEDS_DIFFERENCE);
    if (code == EXIT_OK && needs & (GIG_METRIC_NEEDS_EXPLAINER | GIG_METRIC_NEEDS_PATH)) {
        complain("score: %s scores a method, not a map; use gig study", text);
        code = EXIT_USAGE;
    } else if (code == EXIT_OK && asks_model && !(self->given->score.model && self->given->score.picture)) {
        complain("score: %s needs --model and --picture", text);
        code = EXIT_USAGE;
    } else if (code == EXIT_OK && needs & GIG_METRIC_NEEDS_TRUTH && !self->has_object) {
        complain("score: %s needs --mask or --boxes", text);
        code = EXIT_USAGE;
    }
    self->scores.count++;
    return code;
}

static int read_metrics(task *self)
{
    int model = self->given->score.model && self->given->score.picture;
    char usual[80];
    snprintf(usual, sizeof usual, "%sgini%s", self->has_object ? "auc,pointing," : "",
             model ? ",insertion,deletion,sic,aic" : "");
    const char *list = self->given->score.metrics ? self->given->score.metrics : usual;
    char text[GIG_METRIC_NAME_BYTES];
    int more;
    while ((more = gig_next_name(text, sizeof text, &list)) > 0 && self->scores.count < SCORE_LIST_MOST) {
        int code = add_metric(self, text);
        if (code != EXIT_OK) return code;
    }
    if (!more) return EXIT_OK;
    if (more < 0)
        complain("score: --metrics: found a name that is empty, or longer than %d bytes", GIG_METRIC_NAME_BYTES - 1);
    else
        complain("score: --metrics: expected at most %d names, separated by commas", SCORE_LIST_MOST);
    return EXIT_USAGE;
}

static int check_size(const task *self, size_t height, size_t width)
{
    if (height == self->height && width == self->width) return EXIT_OK;
    complain("%s: the map has %zu x %zu pixels, but the model takes %zu x %zu", self->given->score.map, self->width,
             self->height, width, height);
    return EXIT_INPUT;
}

/* Without pictures the model computes nothing, but masks are resized like its pictures. */
static int open_geometry(task *self)
{
    int code = ground_truth_read_geometry(&self->object, self->given->score.model);
    if (code != EXIT_OK) return code;
    const gig_pixels *pixels = &self->object.about->pixels;
    return check_size(self, (size_t)pixels->height, (size_t)pixels->width);
}

static int open_model(task *self)
{
    if (self->given->score.model && !self->given->score.picture && self->given->score.mask) return open_geometry(self);
    if (!self->given->score.model != !self->given->score.picture) {
        complain("score: --model needs --picture, and the reverse; only with --mask is --model enough");
        return EXIT_USAGE;
    }
    if (!self->given->score.model) return EXIT_OK;
    self->model = as_operands(self->given, self->operands, self->given->score.model, self->given->score.picture);
    self->has_model = 1;
    int code = opened_model_open(&self->of, "score", &self->model, 1, 0);
    if (code == EXIT_OK) code = points_fit(&self->pictures, "score", &self->of);
    return code == EXIT_OK ? check_size(self, self->pictures.shape.height, self->pictures.shape.width) : code;
}

/* ---- one row ---- */

static int read_reference(reference *out, task *self, size_t i, const gig_question *asked)
{
    size_t pixels = self->height * self->width;
    const ground_truth_frame frame = {.height = self->height,
                                      .width = self->width,
                                      .picture = self->has_model ? self->pictures.names[i] : NULL,
                                      .about =
                                          self->has_model ? opened_model_description(&self->of) : self->object.about,
                                      .no_orient = self->given->no_orient};
    int code = EXIT_OK;
    if (self->has_object) {
        out->mask = calloc(pixels, 1);
        if (!out->mask) return no_memory();
        code = ground_truth_draw(out->mask, &self->object, i, &frame);
    }
    if (code != EXIT_OK || !self->has_model) return code;
    return report(gig_image_from_pixels(&out->picture, asked->point, self->width, self->height, 3));
}

static void reference_clear(reference *made)
{
    free(made->mask);
    gig_image_clear(&made->picture);
}

/* Of several maps in one file the place, where no picture or mask has a name. */
static const char *row_name(char *text, size_t bytes, const task *self, size_t i)
{
    if (self->pictures.count) return self->pictures.names[i];
    if (self->object.masks.count) return self->object.masks.names[i];
    if (self->count == 1) return self->given->score.map;
    snprintf(text, bytes, "%s[%zu]", self->given->score.map, i);
    return text;
}

static int add_up(double *sum, const task *self, size_t i)
{
    size_t count = self->height * self->width * self->channels;
    const float *values = self->map.real + i * count;
    *sum = 0;
    for (size_t k = 0; k < count; k++) {
        if (!isfinite(values[k])) {
            complain("%s: map %zu of %zu has a value that is not finite, or beyond float32, at row %zu, column %zu",
                     self->given->score.map, i + 1, self->count, k / self->channels / self->width,
                     k / self->channels % self->width);
            return EXIT_INPUT;
        }
        *sum += (double)values[k];
    }
    return EXIT_OK;
}

/* Completeness compares the map's sum with the model at the picture and at black. */
static gig_status ask_model(gig_scored *scored, const gig_question *asked)
{
    const gig_function *function = &asked->functions[0];
    const float *picture = asked->point;
    float *black = calloc(function->features, sizeof *black);
    if (!black) return GIG_ENOMEM;
    gig_status status = function->evaluate(function->payload, 1, &picture, &scored->target, &scored->value_input, NULL);
    if (status == GIG_OK)
        status = function->evaluate(function->payload, 1, &(const float *){black}, &scored->target,
                                    &scored->value_baseline, NULL);
    free(black);
    return status;
}

static int asks_completeness(const score_list *scores)
{
    for (size_t m = 0; m < scores->count; m++)
        if (scores->metrics[m].row->needs & GIG_METRIC_NEEDS_DIFFERENCE) return 1;
    return 0;
}

static void add_row(task *self, const char *name, const gig_metric_result *found, const gig_scored *scored)
{
    score_list_row row = {.input = name, .found = found, .sum = scored->sum, .has_class = self->has_model};
    row.target = scored->target;
    row.one_number = self->one_number;
    if (self->has_model && !row.one_number) row.label = gig_explainer_class_name(self->of.explainer, scored->target);
    score_list_add(&self->scores, &row);
}

static int ask(gig_question *out, task *self, size_t i)
{
    gig_input input;
    int code = points_input(&input, &self->pictures, i, &self->of);
    if (code != EXIT_OK) return code;
    opened_model_warn(&self->of, &input);
    gig_status status = gig_explainer_ask(out, self->of.explainer, &input, 0, &self->of.asked);
    self->scalar = gig_scalar_name(out->scalar);
    self->one_number = (int)out->one_number;
    return report_of(self->pictures.names[i], status);
}

static int score_row(task *self, size_t i)
{
    char text[PATH_MAX + 32];
    const char *name = row_name(text, sizeof text, self, i);
    reference against = {0};
    gig_metric_result found[SCORE_LIST_MOST] = {0};
    gig_scored scored = {.height = self->height,
                         .width = self->width,
                         .attribution = self->map.real + i * self->height * self->width * self->channels,
                         .channels = self->channels,
                         .seed = (uint64_t)self->given->seed,
                         .threads = (size_t)self->given->run.threads};
    gig_question asked = {0};
    int code = add_up(&scored.sum, self, i);
    if (code == EXIT_OK && self->has_model) code = ask(&asked, self, i);
    if (code == EXIT_OK) code = read_reference(&against, self, i, &asked);
    scored.mask = against.mask;
    if (code == EXIT_OK && self->has_model) {
        scored.pixels = against.picture.pixels;
        scored.target = asked.target;
        scored.workers = asked.workers;
        scored.functions = asked.functions;
        scored.argmax_functions = asked.argmax_functions;
        scored.probability_functions = asked.probability_functions; /* whatever the map was made of */
    }
    if (code == EXIT_OK && asks_completeness(&self->scores)) code = report_of(name, ask_model(&scored, &asked));
    if (code == EXIT_OK)
        code = report_of(name, gig_metrics_score(found, self->scores.metrics, self->scores.count, &scored));
    if (code == EXIT_OK) add_row(self, name, found, &scored);
    for (size_t m = 0; m < self->scores.count; m++) gig_metric_result_clear(&found[m]);
    reference_clear(&against);
    return code == EXIT_OK ? report(signals_check()) : code;
}

static int score_maps(task *self)
{
    int code = read_map(self);
    if (code == EXIT_OK) code = list_object(self);
    if (code == EXIT_OK) code = read_metrics(self);
    if (code == EXIT_OK) code = list(&self->pictures, self, "picture", self->given->score.picture);
    if (code == EXIT_OK) code = open_model(self);
    for (size_t i = 0; code == EXIT_OK && i < self->count; i++) code = score_row(self, i);
    if (code != EXIT_OK) return code;
    return score_list_end(&self->scores, self->given, self->scalar);
}

int run_score(const options *given)
{
    task *self = calloc(1, sizeof *self);
    if (!self) return no_memory();
    self->given = given;
    self->scores.json = given->json;
    gig_memory_set_limit(given->run.memory);
    int code = score_maps(self);
    score_list_clear(&self->scores);
    ground_truth_clear(&self->object);
    points_clear(&self->pictures);
    if (self->has_model) opened_model_close(&self->of);
    gig_tensor_clear(&self->map);
    free(self);
    return code;
}
