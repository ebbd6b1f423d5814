/* SPDX-License-Identifier: Apache-2.0 */
/* What a worker sends while it computes a path: progress, and a frame from time to time. A frame costs about a
 * millisecond, so few are sent: the first at once, then one every FRAME_SECONDS, and fewer once there are many. */
#include "worker.h"
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double FRAME_SECONDS = 0.06, PROGRESS_SECONDS = 0.1;
static const double MOST_SHARE = 0.02; /* of the run's CPU time that frames may take */
enum { MOST_FRAMES = 120, MOST_POINTS = 2000 };

struct web_watch {
    int out;
    size_t height, width, channels;
    pthread_mutex_t lock;
    double started, framed, progressed; /* seconds */
    double begun, spent;                /* CPU seconds: of the process at the start, of frames since */
    size_t frames, points, steps;       /* steps: seen at all */
    int cancelled;
    size_t evaluations, steps_then; /* when the request to cancel was noticed */
    float *sums;                    /* over channels */
    unsigned char *bytes;           /* pixels, then the map */
    json_t *alphas, *values;        /* of points since the last message */
};

static double clock_of(clockid_t which)
{
    struct timespec now;
    clock_gettime(which, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double seconds(void)
{
    return clock_of(CLOCK_MONOTONIC);
}

web_watch *web_watch_create(int out, size_t height, size_t width, size_t channels)
{
    web_watch *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    *self = (web_watch){
        .out = out, .height = height, .width = width, .channels = channels, .started = seconds(), .framed = -INFINITY};
    self->begun = clock_of(CLOCK_PROCESS_CPUTIME_ID);
    pthread_mutex_init(&self->lock, NULL);
    self->sums = malloc(height * width * sizeof *self->sums);
    self->bytes = malloc(4 * height * width);
    self->alphas = json_array();
    self->values = json_array();
    if (self->sums && self->bytes && self->alphas && self->values) return self;
    web_watch_free(self);
    return NULL;
}

void web_watch_free(web_watch *self)
{
    if (!self) return;
    free(self->sums);
    free(self->bytes);
    json_decref(self->alphas);
    json_decref(self->values);
    pthread_mutex_destroy(&self->lock);
    free(self);
}

void web_quantise(signed char *out, double *scale, const float *values, size_t count)
{
    float largest = 0;
    for (size_t i = 0; i < count; i++) largest = fmaxf(largest, fabsf(values[i]));
    *scale = largest > 0 ? (double)largest / 127 : 1;
    for (size_t i = 0; i < count; i++) out[i] = (signed char)lrint((double)values[i] / *scale);
}

static void add_channels(web_watch *self, const double *attributions)
{
    size_t pixels = self->height * self->width;
    for (size_t i = 0; i < pixels; i++) {
        double sum = 0;
        for (size_t c = 0; c < self->channels; c++) sum += attributions[i * self->channels + c];
        self->sums[i] = (float)sum;
    }
}

static void take_pixels(web_watch *self, const float *point)
{
    for (size_t i = 0; i < 3 * self->height * self->width; i++) {
        float v = point[i] > 0 ? (point[i] < 1 ? point[i] : 1) : 0;
        self->bytes[i] = (unsigned char)lrintf(255 * v);
    }
}

static json_t *head(web_watch *self, const char *type, const gig_view *view)
{
    json_t *out = json_pack("{s:s, s:I, s:I, s:f, s:f, s:o, s:o}", "type", type, "walk", (json_int_t)view->walk,
                            "walks", (json_int_t)view->walks, "alpha", view->alpha, "value", view->value, "alphas",
                            self->alphas, "values", self->values);
    self->alphas = json_array();
    self->values = json_array();
    return out;
}

/* With the lock held: the picture here, and this walk's map so far. */
static void send_frame(web_watch *self, const gig_view *view)
{
    size_t pixels = self->height * self->width;
    double scale;
    take_pixels(self, view->point);
    add_channels(self, view->attributions);
    web_quantise((signed char *)self->bytes + 3 * pixels, &scale, self->sums, pixels);
    json_t *json = head(self, "frame", view);
    json_object_set_new(json, "scale", json_real(scale));
    if (web_message_write(self->out, json, self->bytes, 4 * pixels) != 0) self->cancelled = 1; /* the server is gone */
    self->framed = seconds();
    self->frames++;
}

/* Call with the lock held: adds what a finished walk attributed; later frames include it. */
static void send_walk(web_watch *self, const gig_view *view)
{
    size_t pixels = self->height * self->width;
    double scale;
    add_channels(self, view->attributions);
    web_quantise((signed char *)self->bytes, &scale, self->sums, pixels);
    json_t *json = head(self, "walk", view);
    json_object_set_new(json, "scale", json_real(scale));
    if (web_message_write(self->out, json, self->bytes, pixels) != 0) self->cancelled = 1;
}

/* Frames of long runs are further apart, so that they cover the whole path. */
static double pause_after(const web_watch *self)
{
    double run = seconds() - self->started;
    return fmax(FRAME_SECONDS, run / MOST_FRAMES * 2);
}

/* Whether a frame is due and the cost of frames so far allows it: on a busy machine time passes faster than work is
 * done.
 */
static int wants_frame(const web_watch *self)
{
    if (!self->frames) return 1;
    return self->frames < MOST_FRAMES && seconds() - self->framed >= pause_after(self) &&
           self->spent <= MOST_SHARE * (clock_of(CLOCK_PROCESS_CPUTIME_ID) - self->begun);
}

/* With the lock held. */
static void look(web_watch *self, const gig_view *view)
{
    if (self->points++ < MOST_POINTS) {
        json_array_append_new(self->alphas, json_real(view->alpha));
        json_array_append_new(self->values, isfinite(view->value) ? json_real(view->value) : json_null());
    }
    if (view->step == view->steps) send_walk(self, view);
    if (!view->last && !wants_frame(self)) return;
    double before = clock_of(CLOCK_THREAD_CPUTIME_ID);
    send_frame(self, view);
    self->spent += clock_of(CLOCK_THREAD_CPUTIME_ID) - before;
}

gig_status web_watch_see(void *payload, const gig_view *view)
{
    web_watch *self = payload;
    int fits = view->chain == 0 && view->features == self->height * self->width * self->channels;
    pthread_mutex_lock(&self->lock);
    self->steps++;
    if (fits && !self->cancelled) look(self, view);
    pthread_mutex_unlock(&self->lock);
    return GIG_OK;
}

int web_watch_progress(void *payload, const gig_progress *progress)
{
    web_watch *self = payload;
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    pthread_mutex_lock(&self->lock);
    double now = seconds();
    if (now - self->progressed >= PROGRESS_SECONDS) {
        self->progressed = now;
        json_t *json = json_pack("{s:s, s:I, s:I, s:f}", "type", "progress", "done", (json_int_t)progress->evaluations,
                                 "expected", (json_int_t)progress->expected, "seconds", now - self->started);
        if (web_message_write(self->out, json, NULL, 0) != 0) self->cancelled = 1;
    }
    if (!self->cancelled && poll(&in, 1, 0) > 0) { /* while a job runs, any message of the server means cancel */
        self->cancelled = 1;
        self->evaluations = progress->evaluations;
        self->steps_then = self->steps;
    }
    int cancelled = self->cancelled;
    pthread_mutex_unlock(&self->lock);
    return cancelled;
}

json_t *web_watch_cancelled(const web_watch *self)
{
    return json_pack("{s:s, s:I, s:I}", "type", "cancelled", "done", (json_int_t)self->evaluations, "after",
                     (json_int_t)(self->steps - self->steps_then));
}
