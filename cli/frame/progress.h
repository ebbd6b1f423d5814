/* SPDX-License-Identifier: Apache-2.0 */
/* A bar with rate and remaining time on a terminal; nothing in a pipe. */
#ifndef CLI_FRAME_PROGRESS_H
#define CLI_FRAME_PROGRESS_H

#include <pthread.h>
#include <stddef.h>

typedef struct progress {
    const char *what; /* of what `done` counts: "gradients" */
    size_t done, total;
    double start, drawn; /* seconds */
    double left;         /* seconds; NaN: by the rate so far */
    int shown;
    pthread_mutex_t lock;
} progress;

double seconds_now(void); /* of a clock that never goes back */

void progress_begin(progress *bar, const char *what, size_t total, int quiet);
/* From any thread. The total may change as work is found. */
void progress_add(progress *bar, size_t more);
void progress_set(progress *bar, size_t done, size_t total);
/* The same where the caller knows better how long the rest takes, in seconds; NaN: it does not. */
void progress_expect(progress *bar, size_t done, size_t total, double left);
/* Takes the bar off the screen, if there is one, so that a line can be printed; its next move draws it again. */
void progress_make_way(void);
void progress_end(progress *bar);

/* "1:05", "2:03:07"; returns text. */
const char *progress_duration(char *text, size_t bytes, double seconds);

#endif
