/* SPDX-License-Identifier: Apache-2.0 */
/* The worker process. */
#ifndef WEB_WORKER_H
#define WEB_WORKER_H

#include "gig/explainer.h"
#include "message.h"

/* Reports a path while it is computed; every function but the last may be called from any thread. */
typedef struct web_watch web_watch;

/* features: of a point [height, width, channels]; out: where messages go. NULL: no memory. */
web_watch *web_watch_create(int out, size_t height, size_t width, size_t channels);
gig_status web_watch_see(void *watch, const gig_view *view);
int web_watch_progress(void *watch, const gig_progress *progress); /* not 0: cancelled */
/* The last message of a cancelled job: {"done": gradients when the request was noticed, "after": steps that other
 * threads finished since}. */
json_t *web_watch_cancelled(const web_watch *watch);
void web_watch_free(web_watch *watch);

/* Bytes of the map of the sum over channels, with 8 bits: sets the scale. */
void web_quantise(signed char *out, double *scale, const float *values, size_t count);

/* Draws {"format", "title", "maps": [...]} with the maps and pictures that follow as floats. The file's bytes go out as
 * one message. */
void web_worker_draw(int out, const web_message *wanted);

void web_worker_fail(int out, const char *message);

#endif
