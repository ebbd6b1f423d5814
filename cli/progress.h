/* A bar with rate and remaining time on a terminal; nothing in a pipe. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <pthread.h>
#include <stddef.h>

typedef struct progress {
    const char *what; /* of what `done` counts: "gradients" */
    size_t done, total;
    double start, drawn; /* seconds */
    int shown;
    pthread_mutex_t lock;
} progress;

void progress_begin(progress *bar, const char *what, size_t total, int quiet);
/* From any thread. The total may change as work is found. */
void progress_add(progress *bar, size_t more);
void progress_set(progress *bar, size_t done, size_t total);
/* Clears the line, so that what follows stands alone. */
void progress_end(progress *bar);

#endif
