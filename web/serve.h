/* SPDX-License-Identifier: Apache-2.0 */
/* `gig serve`: a page on this machine alone that explains pictures with one model.
 *
 * The parts, in the order of a request:
 *   checks.c   checks of host, origin, token, path, JSON
 *   http.c     libmicrohttpd: connections, bodies, headers
 *   routes.c   what each address answers
 *   jobs.c     the queue; one worker process at a time does its jobs
 *   message.c  messages between server, worker and page: JSON and bytes
 *   worker.c   the worker process: it alone reads models and pictures
 *   watch.c    what a worker sends while it computes a path
 *   drawing.c  finished results as files, in a process of their own */
#ifndef WEB_SERVE_H
#define WEB_SERVE_H

#include <stddef.h>
#include <stdint.h>

typedef struct web_options {
    const char *model;
    const char *const *pictures; /* files, offered on the page */
    size_t picture_count;
    unsigned port;  /* 0: any free one */
    size_t threads; /* 0: all cores */
    size_t memory;  /* bytes that a worker process may use */
    const char *preset, *output, *cam;
    int (*ended)(void); /* not 0: stop serving */
} web_options;

/* Serves until `ended`. `told` is called once with the address. NULL, or an error message (the caller frees); *input:
 * the model caused it. */
char *web_serve(const web_options *options, void (*told)(const char *address), int *input);

/* As the only argument: the program is a worker of the page and reads its jobs from standard input. */
#define WEB_WORKER "--page-worker"
int web_worker(void);

#endif
