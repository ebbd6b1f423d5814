/* SPDX-License-Identifier: Apache-2.0 */
/* The worker process: it alone reads models and pictures, within a memory limit, and cannot start other programs. */
#include "worker.h"
#include "gig/memory.h"
#include "internal/confine.h"
#include "serve.h"
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

enum { BEST = 5 };

void web_worker_fail(int out, const char *message)
{
    json_t *json = json_pack("{s:s, s:s}", "type", "failed", "message", message);
    if (!json) json = json_pack("{s:s, s:s}", "type", "failed", "message", "the message is not valid text");
    web_message_write(out, json, NULL, 0);
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text && *text ? text : NULL;
}

static json_t *text_json(const char *text)
{
    json_t *out = text ? json_string(text) : NULL; /* NULL if it is not UTF-8 */
    return out ? out : json_null();
}

static json_t *number_json(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* ---- opening ---- */

/* Memory beyond this limit ends this process, not the machine. Sanitizers map far more memory than they use, so their
 * builds use only the library's own limit. */
static void limit_memory(size_t bytes)
{
    if (!bytes) return;
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    const struct rlimit limit = {bytes, bytes};
    setrlimit(RLIMIT_DATA, &limit);
#endif
    gig_memory_set_limit(bytes - bytes / 8);
}

static json_t *class_list(gig_explainer *explainer, size_t count)
{
    json_t *out = json_array();
    for (size_t i = 0; i < count; i++) json_array_append_new(out, text_json(gig_explainer_class_name(explainer, i)));
    return out;
}

/* Whether the classes of a picture can be ranked, and how many there are: tried with a black picture. */
static gig_status try_classes(size_t *classes, gig_explainer *explainer)
{
    int rank = 0;
    int64_t dims[GIG_MAX_RANK];
    size_t features = 1, best;
    gig_status status = gig_explainer_dims(&rank, dims, explainer, NULL);
    for (int i = 0; i < rank; i++) features *= (size_t)dims[i];
    float *black = status == GIG_OK ? calloc(features, sizeof *black) : NULL;
    gig_input input = {.values = black};
    if (status == GIG_OK) status = black ? gig_explainer_top(&best, NULL, explainer, &input, 1, NULL) : GIG_ENOMEM;
    if (status == GIG_OK) status = gig_explainer_classes(classes, explainer, NULL, NULL);
    free(black);
    return status;
}

/* An output with a value per pixel needs a region; the default is the predicted pixels. NULL: *why is the error (the
 * caller frees). */
static gig_explainer *open_explainer(size_t *classes, char **why, const char *model, gig_explainer_options *options)
{
    gig_explainer *explainer;
    *why = NULL;
    for (int with_region = 0; with_region < 2; with_region++) {
        options->region = with_region ? "predicted" : NULL;
        gig_status status = gig_explainer_open(&explainer, model ? model : "", options);
        if (status == GIG_OK) status = try_classes(classes, explainer);
        if (status == GIG_OK) return explainer;
        if (!*why) *why = strdup(gig_message()); /* for a model without regions, the first error is reported */
        gig_explainer_close(explainer);
    }
    return NULL;
}

static gig_explainer *open_model(int out, const json_t *wanted)
{
    const char *model = text_of(wanted, "model"), *remark, *slash;
    gig_explainer_options options = {.preset = text_of(wanted, "preset"),
                                     .output = text_of(wanted, "output"),
                                     .cam = text_of(wanted, "cam"),
                                     .threads = (size_t)json_integer_value(json_object_get(wanted, "threads"))};
    int rank = 0;
    int64_t dims[GIG_MAX_RANK];
    size_t classes = 0;
    limit_memory((size_t)json_integer_value(json_object_get(wanted, "memory")));
    char *why;
    gig_explainer *explainer = open_explainer(&classes, &why, model, &options);
    if (!explainer || gig_explainer_dims(&rank, dims, explainer, NULL) != GIG_OK) {
        web_worker_fail(out, !explainer && why ? why : gig_message());
        free(why);
        gig_explainer_close(explainer);
        return NULL;
    }
    free(why);
    json_t *remarks = json_array();
    for (size_t i = 0; (remark = gig_explainer_remark(explainer, i)); i++)
        json_array_append_new(remarks, text_json(remark));
    slash = strrchr(model, '/');
    web_message_write(out,
                      json_pack("{s:s, s:o, s:o, s:I, s:I, s:I, s:o, s:o, s:b}", "type", "ready", "model",
                                text_json(slash ? slash + 1 : model), "file", text_json(model), "height",
                                (json_int_t)dims[0], "width", (json_int_t)dims[1], "count", (json_int_t)classes,
                                "classes", class_list(explainer, classes), "remarks", remarks, "region",
                                options.region != NULL),
                      NULL, 0);
    return explainer;
}

/* ---- jobs ---- */

typedef struct job {
    int out;
    gig_explainer *explainer;
    const json_t *wanted;
    gig_image picture;
    gig_input input;
    int64_t dims[GIG_MAX_RANK];
} job;

static gig_status read_picture(job *self, const web_message *message)
{
    const char *file = text_of(self->wanted, "file");
    int rank;
    gig_status status = file ? gig_image_read(&self->picture, file, NULL)
                             : gig_image_decode(&self->picture, message->bytes, message->count, NULL);
    self->input.image = &self->picture;
    return status == GIG_OK ? gig_explainer_dims(&rank, self->dims, self->explainer, NULL) : status;
}

/* [{"index", "name", "value"}], best first */
static gig_status best_classes(json_t **out, job *self)
{
    size_t classes[BEST], count = 0;
    double values[BEST];
    gig_explain_options target = {.region = text_of(self->wanted, "region")};
    gig_status status = gig_explainer_classes(&count, self->explainer, NULL, &target);
    if (status != GIG_OK) return status;
    if (count > BEST) count = BEST;
    status = gig_explainer_top(classes, values, self->explainer, &self->input, count, &target);
    if (status != GIG_OK) return status;
    *out = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(*out, json_pack("{s:I, s:o, s:o}", "index", (json_int_t)classes[i], "name",
                                              text_json(gig_explainer_class_name(self->explainer, classes[i])), "value",
                                              number_json(values[i])));
    return GIG_OK;
}

/* The picture as the model sees it, 8 bits a channel; NULL: gig_message says why. */
static unsigned char *placed_pixels(job *self, size_t *count)
{
    *count = (size_t)(self->dims[0] * self->dims[1] * 3);
    float *point = malloc(*count * sizeof *point);
    unsigned char *out = malloc(*count + 1);
    gig_status status = point && out ? gig_explainer_point(point, self->explainer, &self->input) : GIG_ENOMEM;
    for (size_t i = 0; status == GIG_OK && i < *count; i++)
        out[i] = (unsigned char)lrintf(255 * (point[i] > 0 ? (point[i] < 1 ? point[i] : 1) : 0));
    free(point);
    if (status == GIG_OK) return out;
    free(out);
    return NULL;
}

static gig_status tell_classes(job *self)
{
    json_t *best = NULL;
    size_t count;
    gig_status status = best_classes(&best, self);
    if (status != GIG_OK) return status;
    unsigned char *pixels = placed_pixels(self, &count);
    if (!pixels) {
        json_decref(best);
        return GIG_ENOMEM;
    }
    web_message_write(self->out,
                      json_pack("{s:s, s:o, s:I, s:I}", "type", "done", "best", best, "height",
                                (json_int_t)self->dims[0], "width", (json_int_t)self->dims[1]),
                      pixels, count);
    free(pixels);
    return GIG_OK;
}

/* Keys as `gig explain --json` has them. */
static json_t *numbers_json(const gig_explanation *found)
{
    const struct {
        const char *name;
        double value;
    } all[] = {{"value_input", found->value_input},
               {"value_baseline", found->value_baseline},
               {"sum", found->sum},
               {"delta", found->delta},
               {"step_error", found->step_error},
               {"noise", found->noise},
               {"distance", found->distance},
               {"l1", found->l1},
               {"l2", found->l2},
               {"closed", found->closed},
               {"stability", found->stability},
               {"stability_of_mean", found->stability_of_mean},
               {"seconds", found->seconds}};
    json_t *out = json_object();
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        json_object_set_new(out, all[i].name, number_json(all[i].value));
    json_object_set_new(out, "evaluations", json_integer((json_int_t)found->evaluations));
    json_object_set_new(out, "values", json_integer((json_int_t)found->values));
    return out;
}

static void tell_result(job *self, const gig_explanation *found)
{
    size_t pixels = found->shape.height * found->shape.width;
    web_message_write(self->out,
                      json_pack("{s:s, s:s, s:I, s:o, s:s, s:o, s:I, s:I, s:I, s:b, s:o}", "type", "done", "method",
                                found->method, "class", (json_int_t)found->target, "class_name",
                                text_json(found->class_name), "of", found->of, "value", number_json(found->value),
                                "height", (json_int_t)found->shape.height, "width", (json_int_t)found->shape.width,
                                "channels", (json_int_t)(pixels ? found->count / pixels : 0), "planar",
                                found->shape.planar, "numbers", numbers_json(found)),
                      found->attributions, found->count * sizeof *found->attributions);
}

/* A request to cancel belongs to one job only. */
static void forget_cancel(void)
{
    web_message said;
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    if (poll(&in, 1, 0) <= 0 || web_message_read(&said, STDIN_FILENO) != 0) return;
    web_message_clear(&said);
}

static gig_status explain(job *self)
{
    gig_explanation found = {0};
    const char *method = text_of(self->wanted, "method");
    web_watch *watch = web_watch_create(self->out, (size_t)self->dims[0], (size_t)self->dims[1], 3);
    if (!watch) return GIG_ENOMEM;
    gig_explain_options options = {.class_name = text_of(self->wanted, "class"),
                                   .of = text_of(self->wanted, "of"),
                                   .region = text_of(self->wanted, "region"),
                                   .seed = (uint64_t)json_integer_value(json_object_get(self->wanted, "seed")),
                                   .observe = web_watch_see,
                                   .observe_payload = watch,
                                   .progress = web_watch_progress,
                                   .progress_payload = watch};
    gig_status status =
        gig_explainer_explain_inputs(&found, self->explainer, 1, &self->input, method ? method : "auto", &options);
    if (status == GIG_OK) tell_result(self, &found);
    if (status == GIG_ECANCEL) {
        forget_cancel();
        web_message_write(self->out, web_watch_cancelled(watch), NULL, 0);
    }
    gig_explanation_clear(&found);
    web_watch_free(watch);
    return status;
}

static void do_job(gig_explainer *explainer, const web_message *message, int out)
{
    job self = {.out = out, .explainer = explainer, .wanted = message->json};
    const char *type = text_of(message->json, "type");
    gig_status status = read_picture(&self, message);
    if (status == GIG_OK) status = type && !strcmp(type, "explain") ? explain(&self) : tell_classes(&self);
    if (status == GIG_ENOMEM)
        web_worker_fail(out, "out of memory");
    else if (status != GIG_OK && status != GIG_ECANCEL) /* cancelled: it was told */
        web_worker_fail(out, gig_message());
    gig_image_clear(&self.picture);
}

int web_worker(void)
{
    web_message message;
    gig_explainer *explainer = NULL;
    int out = dup(STDOUT_FILENO); /* output of a library must not mix with messages */
    dup2(STDERR_FILENO, STDOUT_FILENO);
    fcntl(out, F_SETFD, FD_CLOEXEC);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    gig_confine();
    signal(SIGPIPE, SIG_IGN);
    while (web_message_read(&message, STDIN_FILENO) == 0) {
        const char *type = text_of(message.json, "type");
        if (type && !strcmp(type, "open") && !explainer)
            explainer = open_model(out, message.json);
        else if (type && !strcmp(type, "draw"))
            web_worker_draw(out, &message);
        else if (type && explainer && (!strcmp(type, "explain") || !strcmp(type, "classes")))
            do_job(explainer, &message, out);
        web_message_clear(&message); /* a late request to cancel, for example, has no effect */
    }
    gig_explainer_close(explainer);
    return 0;
}
