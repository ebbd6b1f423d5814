/* gig score: numbers about maps that are there already, against a mask or boxes, and against a model.
 *
 * Row i of the array belongs to mask i and picture i; a folder stands for the files in it, sorted, so that what
 * `gig explain MODEL pictures/ --npy maps.npy` wrote is scored by `--map maps.npy --mask masks/`. */
#include "command.h"
#include "gig/metric.h"
#include "output.h"
#include "points.h"
#include "report.h"
#include "subject.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_METRICS = 32, MOST_BOXES = 1000 };

typedef struct task {
    const options *given;
    gig_tensor map; /* [n, height, width, channels] */
    size_t count, height, width, channels;
    points masks, pictures; /* none, or one per row */
    size_t box_count;
    gig_box boxes[MOST_BOXES];
    subject of; /* --model */
    int has_model;
    gig_function *argmax;
    size_t metric_count;
    gig_metric metrics[MOST_METRICS];
    gig_metric_result found[MOST_METRICS];
    double totals[MOST_METRICS + 1]; /* the last: of the sums */
    size_t defined[MOST_METRICS + 1];
    json_t *rows;
} task;

/* What one row is scored against. */
typedef struct truth {
    uint8_t *mask;        /* [height, width], NULL: none */
    float *point;         /* [height, width, 3], NULL: no picture */
    gig_image picture;    /* the same in bytes */
    gig_placement placed; /* how the picture came to the map's size */
} truth;

/* ---- what is scored ---- */

/* [height, width], [height, width, channels] or [n, height, width, channels], channels 1 or 3. */
static int read_map(task *self)
{
    const char *path = self->given->map;
    if (!path) {
        usage("score: --map is missing");
        return EXIT_USAGE;
    }
    int code = report(gig_npy_read(&self->map, path));
    if (code != EXIT_OK) return code;
    const gig_tensor *map = &self->map;
    int64_t dims[4] = {1, 0, 0, 1};
    int fits = map->type == GIG_REAL && map->rank >= 2 && map->rank <= 4;
    if (fits) memcpy(dims + (map->rank < 4), map->dims, (size_t)map->rank * sizeof *dims);
    if (!fits || gig_tensor_count(map) == 0 || (dims[3] != 1 && dims[3] != 3)) {
        usage("%s: not a map of floating-point values [H,W], [H,W,3], [n,H,W,1] or [n,H,W,3]", path);
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
        usage("score: --%s names %zu files for %zu maps", option, out->count, self->count);
        return EXIT_USAGE;
    }
    return code;
}

/* "x0 y0 x1 y1;x0 y0 x1 y1", corners included. */
static int read_boxes(task *self)
{
    const char *at = self->given->boxes;
    while (at && *at) {
        long long x0, y0, x1, y1;
        int bytes = 0;
        if (sscanf(at, " %lld %lld %lld %lld %n", &x0, &y0, &x1, &y1, &bytes) != 4 || (at[bytes] && at[bytes] != ';') ||
            x0 > x1 || y0 > y1 || self->box_count == MOST_BOXES) {
            usage("score: --boxes is \"x0 y0 x1 y1;...\" with x0 <= x1 and y0 <= y1, at most %d of them, not \"%s\"",
                  MOST_BOXES, self->given->boxes);
            return EXIT_USAGE;
        }
        self->boxes[self->box_count++] = (gig_box){x0, y0, x1, y1};
        at += bytes + (at[bytes] == ';');
    }
    if (self->box_count && (self->given->mask || self->count > 1)) {
        usage("score: --boxes are for one map, and instead of --mask");
        return EXIT_USAGE;
    }
    return EXIT_OK;
}

/* ---- by which numbers ---- */

static int add_metric(task *self, const char *text)
{
    gig_metric *metric = &self->metrics[self->metric_count];
    int code = report(gig_metric_parse(metric, text));
    if (code != EXIT_OK) return code;
    if (self->given->reduce && !strstr(text, "reduction="))
        code = report(gig_reduction_parse(&metric->reduction, self->given->reduce));
    unsigned needs = gig_metric_needs(metric), model = GIG_NEEDS_PICTURE | GIG_NEEDS_FUNCTION | GIG_NEEDS_ARGMAX;
    if (code == EXIT_OK && (needs & (GIG_NEEDS_EXPLAINER | GIG_NEEDS_PATH) || !(needs & GIG_NEEDS_MAP))) {
        usage("score: %s is a number about a method, not about a map", text);
        code = EXIT_USAGE;
    } else if (code == EXIT_OK && needs & model && !(self->given->model && self->given->picture)) {
        usage("score: %s needs --model and --picture", text);
        code = EXIT_USAGE;
    } else if (code == EXIT_OK && needs & GIG_NEEDS_TRUTH && !self->given->mask && !self->box_count) {
        usage("score: %s needs --mask or --boxes", text);
        code = EXIT_USAGE;
    }
    self->metric_count++;
    return code;
}

static int read_metrics(task *self)
{
    int object = self->given->mask || self->box_count, model = self->given->model && self->given->picture;
    char usual[80];
    snprintf(usual, sizeof usual, "%sgini%s", object ? "auc,pointing," : "",
             model ? ",insertion,deletion,sic,aic" : "");
    for (const char *at = self->given->metrics ? self->given->metrics : usual; *at;) {
        char text[GIG_METRIC_NAME_BYTES];
        size_t bytes = strcspn(at, ",");
        if (bytes == 0 || bytes >= sizeof text || self->metric_count == MOST_METRICS) {
            usage("score: --metrics is a list of at most %d names with commas between", MOST_METRICS);
            return EXIT_USAGE;
        }
        memcpy(text, at, bytes);
        text[bytes] = 0;
        int code = add_metric(self, text);
        if (code != EXIT_OK) return code;
        at += bytes + (at[bytes] == ',');
    }
    return EXIT_OK;
}

static int open_model(task *self)
{
    if (!self->given->model != !self->given->picture) {
        usage("score: --model and --picture belong together");
        return EXIT_USAGE;
    }
    if (!self->given->model) return EXIT_OK;
    const char *items[2];
    options model = as_operands(self->given, items, self->given->model, self->given->picture);
    self->has_model = 1;
    int code = subject_open(&self->of, "score", &model, 1, 0);
    if (code != EXIT_OK) return code;
    code = points_fit(&self->pictures, "score", &self->of);
    gig_picture_shape shape = subject_shape(&self->of);
    if (code == EXIT_OK && (shape.height != self->height || shape.width != self->width)) {
        usage("%s: the map is %zu x %zu, the model takes %zu x %zu", self->given->map, self->width, self->height,
              shape.width, shape.height);
        return EXIT_INPUT;
    }
    self->argmax = calloc(self->of.plain.workers, sizeof *self->argmax);
    if (!self->argmax) return no_memory();
    for (size_t i = 0; code == EXIT_OK && i < self->of.plain.workers; i++)
        code = report(gig_session_argmax_function(&self->argmax[i], self->of.plain.sessions[i]));
    return code;
}

/* ---- one row ---- */

/* Masks come to the map's size as the model's pictures do, by nearest neighbour; without a model they are squashed. */
static gig_status place(gig_placement *out, const task *self, const gig_image *image)
{
    const gig_description *about = self->has_model ? self->of.description : NULL;
    return gig_placement_find(out, image->width, image->height, self->width, self->height,
                              about ? about->fit : GIG_SQUASH, about ? about->shorter : 0);
}

static gig_status read_mask(truth *out, const task *self, const char *path)
{
    gig_image_options wanted = GIG_IMAGE_OPTIONS_INIT;
    wanted.channels = 1;
    wanted.no_orient = self->given->no_orient;
    gig_image grey = {0}, fitted = {0};
    gig_placement placement;
    gig_status status = gig_image_read(&grey, path, &wanted);
    if (status == GIG_OK) status = place(&placement, self, &grey);
    if (status == GIG_OK) status = gig_image_place(&fitted, &grey, &placement, GIG_NEAREST);
    if (status == GIG_OK) gig_mask_from_grey(out->mask, fitted.pixels, self->height * self->width);
    gig_image_clear(&grey);
    gig_image_clear(&fitted);
    return status;
}

/* Boxes are in pixels of the picture where there is one, else of the map. */
static gig_status draw_boxes(truth *out, task *self)
{
    size_t left = 0;
    if (!self->has_model)
        return gig_mask_from_boxes(out->mask, self->height, self->width, self->boxes, self->box_count);
    gig_image whole = {0};
    gig_image_options wanted = {.no_orient = self->given->no_orient};
    gig_status status = gig_image_read(&whole, self->pictures.names[0], &wanted);
    if (status == GIG_OK) status = place(&out->placed, self, &whole);
    gig_image_clear(&whole);
    for (size_t i = 0; status == GIG_OK && i < self->box_count; i++) {
        gig_box box = self->boxes[i];
        left += (size_t)gig_box_place(&self->boxes[left], &box, &out->placed);
    }
    if (status != GIG_OK) return status;
    return gig_mask_from_boxes(out->mask, self->height, self->width, self->boxes, left);
}

static int read_truth(truth *out, task *self, size_t i)
{
    size_t pixels = self->height * self->width;
    int code = EXIT_OK;
    if (self->masks.count || self->box_count) {
        out->mask = calloc(pixels, 1);
        if (!out->mask) return no_memory();
        code = report(self->masks.count ? read_mask(out, self, self->masks.names[i]) : draw_boxes(out, self));
    }
    if (code != EXIT_OK || !self->has_model) return code;
    out->point = malloc(pixels * 3 * sizeof *out->point);
    if (!out->point) return no_memory();
    code = points_read(out->point, &self->pictures, i, &self->of, self->given);
    if (code == EXIT_OK) code = report(gig_image_from_pixels(&out->picture, out->point, self->width, self->height, 3));
    return code;
}

static void truth_clear(truth *made)
{
    free(made->mask);
    free(made->point);
    gig_image_clear(&made->picture);
}

static const char *row_name(const task *self, size_t i)
{
    if (self->pictures.count) return self->pictures.names[i];
    return self->masks.count ? self->masks.names[i] : self->given->map;
}

static double row_sum(const float *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += (double)values[i];
    return sum;
}

static void count_value(task *self, size_t which, double value)
{
    if (!isfinite(value)) return;
    self->totals[which] += value;
    self->defined[which]++;
}

static void add_row(task *self, const char *input, double sum)
{
    char text[300], name[GIG_METRIC_NAME_BYTES];
    json_t *scores = json_object(), *notes = json_object();
    if (!self->given->json) printf("%s:", output_name(text, sizeof text, input));
    for (size_t m = 0; m < self->metric_count; m++) {
        const gig_metric_result *found = &self->found[m];
        gig_metric_name(name, sizeof name, &self->metrics[m]);
        count_value(self, m, found->value);
        json_object_set_new(scores, name, json_number(found->value));
        if (found->note[0]) json_object_set_new(notes, name, json_name(found->note));
        if (self->given->json) continue;
        if (isfinite(found->value))
            printf(" %s %.4f,", name, found->value);
        else
            printf(" %s undefined (%s),", name, found->note);
    }
    count_value(self, self->metric_count, sum);
    if (!self->given->json) printf(" sum %.4f\n", sum);
    json_array_append_new(self->rows, json_pack("{s:o, s:o, s:o, s:o}", "input", json_name(input), "scores", scores,
                                                "notes", notes, "sum", json_number(sum)));
}

static int score_row(task *self, size_t i)
{
    size_t values = self->height * self->width * self->channels;
    const float *map = self->map.real + i * values;
    truth against = {0};
    gig_scored scored = {.height = self->height,
                         .width = self->width,
                         .attribution = map,
                         .channels = self->channels,
                         .seed = (uint64_t)self->given->seed,
                         .picture = i,
                         .threads = (size_t)self->given->threads};
    int code = read_truth(&against, self, i);
    scored.mask = against.mask;
    if (code == EXIT_OK && self->has_model) {
        scored.pixels = against.picture.pixels;
        scored.workers = self->of.plain.workers;
        scored.functions = self->of.plain.functions;
        scored.argmax_functions = self->argmax;
        code = subject_target(&scored.target, &self->of, self->given, against.point);
    }
    if (code == EXIT_OK) code = report(gig_metrics_score(self->found, self->metrics, self->metric_count, &scored));
    if (code == EXIT_OK) add_row(self, row_name(self, i), row_sum(map, values));
    for (size_t m = 0; m < self->metric_count; m++) gig_metric_result_clear(&self->found[m]);
    truth_clear(&against);
    return code == EXIT_OK ? report(signals_check()) : code;
}

/* ---- all of them ---- */

static json_t *print_means(const task *self)
{
    json_t *means = json_object();
    char name[GIG_METRIC_NAME_BYTES] = "sum";
    int shown = !self->given->json && self->count > 1;
    if (shown) printf("mean of %zu:", self->count);
    for (size_t m = 0; m <= self->metric_count; m++) {
        double mean = self->defined[m] ? self->totals[m] / (double)self->defined[m] : (double)NAN;
        if (m < self->metric_count)
            gig_metric_name(name, sizeof name, &self->metrics[m]);
        else
            snprintf(name, sizeof name, "sum");
        json_object_set_new(means, name, json_number(mean));
        if (!shown) continue;
        printf(" %s ", name);
        if (self->defined[m])
            printf("%.4f", mean);
        else
            printf("undefined");
        if (self->defined[m] && self->defined[m] < self->count) printf(" (over %zu)", self->defined[m]);
        putchar(m < self->metric_count ? ',' : '\n');
    }
    return means;
}

static int run(task *self)
{
    int code = read_map(self);
    if (code == EXIT_OK) code = read_boxes(self);
    if (code == EXIT_OK) code = read_metrics(self);
    if (code == EXIT_OK) code = list(&self->masks, self, "mask", self->given->mask);
    if (code == EXIT_OK) code = list(&self->pictures, self, "picture", self->given->picture);
    if (code == EXIT_OK) code = open_model(self);
    self->rows = json_array();
    for (size_t i = 0; code == EXIT_OK && i < self->count; i++) code = score_row(self, i);
    if (code != EXIT_OK) return code;
    json_t *means = print_means(self), *rows = self->rows;
    self->rows = NULL;
    const char *reduce = self->given->reduce ? self->given->reduce : "abs-sum";
    if (self->given->json)
        return json_print(json_pack("{s:o, s:s, s:o, s:o}", "map", json_name(self->given->map), "reduction", reduce,
                                    "results", rows, "mean", means));
    printf("# channels to one value per pixel: %s\n", reduce);
    json_decref(means);
    json_decref(rows);
    return EXIT_OK;
}

int run_score(const options *given)
{
    task *self = calloc(1, sizeof *self);
    if (!self) return no_memory();
    self->given = given;
    int code = run(self);
    if (self->rows) json_decref(self->rows);
    free(self->argmax);
    points_clear(&self->masks);
    points_clear(&self->pictures);
    if (self->has_model) subject_close(&self->of);
    gig_tensor_clear(&self->map);
    free(self);
    return code;
}
