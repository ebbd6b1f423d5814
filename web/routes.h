/* SPDX-License-Identifier: Apache-2.0 */
/* The answer to each address. No sockets here: a request is a struct, so that tests and fuzzers can make any request.
 */
#ifndef WEB_ROUTES_H
#define WEB_ROUTES_H

#include "checks.h"
#include "jobs.h"
#include <stdatomic.h>

typedef struct web_server {
    web_jobs jobs;
    json_t *menu; /* web_menu */
    unsigned port;
    char token[WEB_TOKEN_BYTES + 1];
    pthread_mutex_t drawing; /* one file is drawn at a time */
    atomic_int drawings;     /* files being drawn or waiting */
    atomic_size_t arriving;  /* bytes of incomplete bodies */
} web_server;

/* Texts may be NULL. `body` is borrowed but for uploads, which take it over and set it to NULL. */
typedef struct web_request {
    const char *method, *path, *host, *origin, *authorization, *name;
    unsigned char *body;
    size_t bytes;
} web_request;

typedef struct web_reply {
    unsigned status;
    const char *type;  /* of the content */
    const void *fixed; /* bytes that stay, or */
    void *made;        /* bytes to be freed, or */
    web_job *stream;   /* a job, to be closed */
    size_t bytes;
    const char *allow;   /* with 405 */
    char attachment[64]; /* a file's name for saving; "" : none */
} web_reply;

/* Checks that need no body: 0, or the reply is set. `length`: announced length of the body. */
int web_refuse(const web_server *server, const web_request *request, unsigned long long length, web_reply *reply);
/* Answers; after web_refuse. */
void web_route(web_server *server, web_request *request, web_reply *reply);

void web_reply_error(web_reply *reply, unsigned status, const char *message);

/* Draws finished jobs as a file, in a process of its own. */
void web_draw(web_server *server, const json_t *wanted, web_reply *reply);

#endif
