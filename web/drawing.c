/* SPDX-License-Identifier: Apache-2.0 */
/* Finished results as files: PNG, SVG, PDF, HTML, NPY, JSON. The server collects the results of its jobs and passes
 * them to a process that only draws. */
#include "gig/tensor.h"
#include "internal/file.h"
#include "routes.h"
#include "worker.h"
#include "worker_process.h"
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST_MAPS = 12, MOST_DRAWINGS = 4, DRAW_MILLISECONDS = 60000 };

static const char *const formats[] = {"png", "svg", "pdf", "html", "npy", "json"};
static const char *const types[] = {
    "image/png",       "image/svg+xml", "application/pdf", "text/html; charset=utf-8", "application/octet-stream",
    "application/json"};
enum { FORMATS = 6, NPY = 4, JSON_FILE = 5 };

static int format_of(const char *name)
{
    for (int i = 0; name && i < FORMATS; i++)
        if (!strcmp(name, formats[i])) return i;
    return -1;
}

/* ---- in the server ---- */

static uint32_t length_at(const unsigned char *from)
{
    return (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

/* The message of this type in a job's log; 0: there is none. Call with the lock held. */
static int find_message(web_message *out, const web_job *job, const char *type)
{
    for (size_t at = 0; at + WEB_HEAD <= job->used;) {
        size_t length = length_at(job->log + at), count = length_at(job->log + at + 4);
        json_t *json = json_loadb((const char *)job->log + at + WEB_HEAD, length, 0, NULL);
        const char *own = json_string_value(json_object_get(json, "type"));
        if (own && !strcmp(own, type)) {
            *out = (web_message){.json = json, .bytes = job->log + at + WEB_HEAD + length, .count = count};
            return 1;
        }
        json_decref(json);
        at += WEB_HEAD + length + count;
    }
    return 0;
}

/* Adds the map of one job to the message: its description to `list`, its floats to `bytes`. 0, or -1. */
static int add_job(web_jobs *jobs, unsigned id, json_t *list, unsigned char **bytes, size_t *used)
{
    web_message found;
    int code = -1;
    pthread_mutex_lock(&jobs->lock);
    for (size_t i = 0; i < jobs->job_count; i++) {
        const web_job *job = jobs->jobs[i];
        if (job->id != id || job->state != WEB_DONE || !find_message(&found, job, "done")) continue;
        unsigned char *larger = realloc(*bytes, *used + found.count + 1);
        if (larger) {
            memcpy(larger + *used, found.bytes, found.count);
            *bytes = larger;
            *used += found.count;
            json_object_set_new(found.json, "bytes", json_integer((json_int_t)found.count));
            json_array_append(list, found.json);
            code = 0;
        }
        json_decref(found.json);
        break;
    }
    pthread_mutex_unlock(&jobs->lock);
    return code;
}

static void answer_drawn(web_reply *reply, int pid, int from, int format)
{
    web_message said = {0};
    struct pollfd in = {.fd = from, .events = POLLIN};
    char why[160];
    if (poll(&in, 1, DRAW_MILLISECONDS) > 0 && web_message_read(&said, from) == 0) {
        const char *message = json_string_value(json_object_get(said.json, "message"));
        if (message) {
            web_reply_error(reply, 422, message);
        } else {
            *reply = (web_reply){.status = 200, .type = types[format], .made = said.bytes, .bytes = said.count};
            snprintf(reply->attachment, sizeof reply->attachment, "%s.%s", format == 3 ? "report" : "gig",
                     formats[format]);
            said.bytes = NULL;
        }
        web_message_clear(&said);
        web_worker_end(why, sizeof why, pid);
        return;
    }
    web_worker_end(why, sizeof why, pid);
    web_reply_error(reply, 500, why);
}

/* What the page asks for. */
typedef struct drawing_request {
    int format;
    const char *title;
    unsigned picture, maps[MOST_MAPS]; /* jobs */
    size_t count;
} drawing_request;

static int read_request(drawing_request *out, const json_t *given)
{
    const json_t *ids = json_object_get(given, "jobs");
    long picture = web_json_whole(given, "picture_job", 0, 1000000000, -1);
    *out = (drawing_request){.format = format_of(web_json_text(given, "format", 8)),
                             .title = web_json_text(given, "title", 300),
                             .picture = (unsigned)picture,
                             .count = json_array_size(ids)};
    if (out->format < 0 || !out->title || picture < 0 || !out->count || out->count > MOST_MAPS) return -1;
    for (size_t i = 0; i < out->count; i++) {
        const json_t *id = json_array_get(ids, i);
        if (!json_is_integer(id) || json_integer_value(id) < 0 || json_integer_value(id) > 1000000000) return -1;
        out->maps[i] = (unsigned)json_integer_value(id);
    }
    return out->format == NPY && out->count != 1 ? -1 : 0;
}

/* Call with the lock of drawings held, so that results are copied for one file at a time. */
static void draw_request(web_server *server, const drawing_request *wanted, web_reply *reply)
{
    json_t *list = json_array(), *pictures = json_array();
    unsigned char *bytes = NULL;
    size_t used = 0;
    int to, from, gone = add_job(&server->jobs, wanted->picture, pictures, &bytes, &used);
    for (size_t i = 0; i < wanted->count && !gone; i++)
        gone = add_job(&server->jobs, wanted->maps[i], list, &bytes, &used);
    int pid = gone ? -1 : web_worker_start(&to, &from);
    if (gone)
        web_reply_error(reply, 404, "a result is no longer kept: explain the picture again");
    else if (pid <= 0)
        web_reply_error(reply, 503, "no process can be started");
    if (pid > 0) {
        json_t *message = json_pack("{s:s, s:s, s:s, s:O, s:O}", "type", "draw", "format", formats[wanted->format],
                                    "title", wanted->title, "maps", list, "pictures", pictures);
        web_message_write(to, message, bytes, used);
        close(to);
        answer_drawn(reply, pid, from, wanted->format);
        close(from);
    }
    free(bytes);
    json_decref(list);
    json_decref(pictures);
}

void web_draw(web_server *server, const json_t *given, web_reply *reply)
{
    drawing_request wanted;
    if (read_request(&wanted, given) != 0) {
        web_reply_error(reply, 400,
                        "expected \"format\" (png, svg, pdf, html, npy, json), \"title\", \"picture_job\" and "
                        "\"jobs\": 1 to 12 numbers (one for npy)");
        return;
    }
    if (atomic_fetch_add(&server->drawings, 1) < MOST_DRAWINGS) {
        pthread_mutex_lock(&server->drawing);
        draw_request(server, &wanted, reply);
        pthread_mutex_unlock(&server->drawing);
    } else {
        web_reply_error(reply, 503, "too many files are being drawn: try again");
    }
    atomic_fetch_sub(&server->drawings, 1);
}

/* ---- in the process that draws ---- */

static double number_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static size_t size_of(const json_t *object, const char *key)
{
    json_int_t value = json_integer_value(json_object_get(object, key));
    return value > 0 ? (size_t)value : 0;
}

/* The explanation that a job's last message describes. Its texts and arrays are borrowed. 0, or -1. */
static int read_explanation(gig_explanation *out, const json_t *from, float *values, size_t bytes)
{
    const json_t *numbers = json_object_get(from, "numbers");
    const char *method = json_string_value(json_object_get(from, "method"));
    const char *of = json_string_value(json_object_get(from, "of"));
    size_t height = size_of(from, "height"), width = size_of(from, "width"), channels = size_of(from, "channels");
    *out = (gig_explanation){.count = bytes / sizeof(float),
                             .attributions = values,
                             .value_input = number_of(numbers, "value_input"),
                             .value_baseline = number_of(numbers, "value_baseline"),
                             .sum = number_of(numbers, "sum"),
                             .delta = number_of(numbers, "delta"),
                             .step_error = number_of(numbers, "step_error"),
                             .stability = number_of(numbers, "stability"),
                             .evaluations = size_of(numbers, "evaluations"),
                             .values = size_of(numbers, "values"),
                             .seconds = number_of(numbers, "seconds"),
                             .rank = 3,
                             .dims = {(int64_t)height, (int64_t)width, (int64_t)channels},
                             .shape = {.height = height,
                                       .width = width,
                                       .channels = 3,
                                       .planar = json_is_true(json_object_get(from, "planar"))},
                             .target = size_of(from, "class"),
                             .value = number_of(from, "value")};
    snprintf(out->method, sizeof out->method, "%s", method ? method : "");
    snprintf(out->of, sizeof out->of, "%s", of ? of : "");
    return height && width && channels && out->count == height * width * channels ? 0 : -1;
}

static void send_sheet(int out, const gig_explanation *maps, size_t count, const char *title, int format)
{
    gig_sheet *sheet = NULL;
    uint8_t *bytes = NULL;
    size_t size = 0;
    gig_draw_options options = {.title = title};
    gig_status status = gig_explanation_sheet(&sheet, maps, count, &options);
    if (status == GIG_OK) status = gig_sheet_encode(&bytes, &size, sheet, (gig_sheet_format)format);
    if (status == GIG_OK)
        web_message_write(out, json_pack("{s:s}", "type", "done"), bytes, size);
    else
        web_worker_fail(out, gig_message());
    gig_sheet_bytes_free(bytes);
    gig_sheet_free(sheet);
}

/* As `gig explain --npy` writes it: [1, height, width, channels]. */
static void send_npy(int out, const gig_explanation *map)
{
    char folder[] = "/tmp/gig-page-XXXXXX", path[64];
    gig_tensor tensor = {.rank = 4, .dims = {1, map->dims[0], map->dims[1], map->dims[2]}};
    gig_status status =
        gig_tensor_create(&tensor, GIG_FLOAT32, 4, (const int64_t[]){1, map->dims[0], map->dims[1], map->dims[2]});
    if (status != GIG_OK || !mkdtemp(folder)) {
        web_worker_fail(out, status != GIG_OK ? gig_message() : "no temporary folder can be made");
        gig_tensor_clear(&tensor);
        return;
    }
    memcpy(tensor.real, map->attributions, map->count * sizeof(float));
    snprintf(path, sizeof path, "%s/map.npy", folder);
    status = gig_npy_write(path, &tensor, 0);
    gig_tensor_clear(&tensor);
    FILE *file = status == GIG_OK ? fopen(path, "rb") : NULL;
    size_t room = map->count * sizeof(float) + 4096, size = 0;
    char *bytes = file ? malloc(room) : NULL;
    if (bytes) size = fread(bytes, 1, room, file);
    if (size)
        web_message_write(out, json_pack("{s:s}", "type", "done"), bytes, size);
    else
        web_worker_fail(out, status != GIG_OK ? gig_message() : "the array cannot be written");
    free(bytes);
    if (file) fclose(file);
    unlink(path);
    rmdir(folder);
}

static void send_json(int out, const json_t *maps)
{
    json_t *results = json_array();
    size_t i;
    const json_t *map;
    json_array_foreach(maps, i, map)
    {
        json_t *one = json_deep_copy(json_object_get(map, "numbers"));
        static const char *const keys[] = {"method", "class", "class_name", "of", "value"};
        for (int k = 0; k < 5; k++) json_object_set(one, keys[k], json_object_get(map, keys[k]));
        json_array_append_new(results, one);
    }
    json_t *root = json_pack("{s:o}", "results", results);
    char *text = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    if (text)
        web_message_write(out, json_pack("{s:s}", "type", "done"), text, strlen(text));
    else
        web_worker_fail(out, "out of memory");
    free(text);
    json_decref(root);
}

/* The picture's bytes come first, as in a job of type "classes". */
void web_worker_draw(int out, const web_message *wanted)
{
    const json_t *list = json_object_get(wanted->json, "maps");
    const json_t *first = json_array_get(json_object_get(wanted->json, "pictures"), 0);
    const char *title = json_string_value(json_object_get(wanted->json, "title"));
    int format = format_of(json_string_value(json_object_get(wanted->json, "format")));
    size_t count = json_array_size(list), at = size_of(first, "bytes"), pixels = at;
    if (!count || count > MOST_MAPS || format < 0 || pixels > wanted->count) {
        web_worker_fail(out, "the drawing is not described rightly");
        return;
    }
    gig_explanation *maps = calloc(count, sizeof *maps);
    float *picture = malloc((pixels + 1) * sizeof *picture);
    float *values = malloc(wanted->count + 1);
    int bad = !maps || !picture || !values;
    for (size_t i = 0; i < pixels && !bad; i++) picture[i] = (float)wanted->bytes[i] / 255;
    float *next = values;
    for (size_t i = 0; i < count && !bad; i++) {
        const json_t *map = json_array_get(list, i);
        size_t bytes = size_of(map, "bytes");
        bad = bytes > wanted->count - at || read_explanation(&maps[i], map, next, bytes) != 0 ||
              maps[i].shape.height * maps[i].shape.width * 3 != pixels;
        if (bad) break;
        memcpy(next, wanted->bytes + at, bytes);
        maps[i].picture = picture;
        const char *label = json_string_value(json_object_get(map, "class_name"));
        maps[i].class_name = label ? strdup(label) : NULL;
        next += bytes / sizeof(float);
        at += bytes;
    }
    if (bad)
        web_worker_fail(out, "the maps do not fit the picture");
    else if (format == NPY)
        send_npy(out, &maps[0]);
    else if (format == JSON_FILE)
        send_json(out, list);
    else
        send_sheet(out, maps, count, title && *title ? title : NULL, format);
    for (size_t i = 0; maps && i < count; i++) free(maps[i].class_name);
    free(maps);
    free(picture);
    free(values);
}
