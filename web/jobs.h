/* SPDX-License-Identifier: Apache-2.0 */
/* The queue: a worker process does jobs one after another; it is restarted if it ends. All messages of a job are kept,
 * so that a page can read them from the start at any time. */
#ifndef WEB_JOBS_H
#define WEB_JOBS_H

#include "message.h"
#include "serve.h"
#include <pthread.h>

enum { WEB_MOST_QUEUED = 4, WEB_MOST_KEPT = 24, WEB_MOST_UPLOADS = 8 };

typedef enum web_state { WEB_QUEUED, WEB_RUNNING, WEB_DONE, WEB_FAILED, WEB_CANCELLED } web_state;

typedef struct web_picture {
    unsigned id;
    char *name; /* shown */
    char *file; /* NULL: uploaded */
    unsigned char *bytes;
    size_t count;
} web_picture;

typedef struct web_job {
    unsigned id;
    web_state state;
    int cancelled;    /* asked for */
    unsigned readers; /* streams that look at it */
    unsigned picture;
    json_t *request;
    unsigned char *log; /* messages */
    size_t used, capacity;
} web_job;

typedef struct web_jobs {
    const web_options *options;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t runner;
    int started, ending;
    unsigned next_id;
    web_job *jobs[WEB_MOST_KEPT];
    size_t job_count;
    web_picture *pictures; /* those given at the start, then uploads */
    size_t picture_count;
    json_t *ready;     /* the worker's message about the model */
    int pid, to, from; /* the worker; pid 0: none */
    int wake;          /* an eventfd: a job is to be cancelled, or all is to end; -1: none */
} web_jobs;

/* An empty queue without a worker. 0, or -1: out of kernel resources. */
int web_jobs_init(web_jobs *jobs, const web_options *options);
/* The queue with its pictures; starts the worker and waits for the model. NULL, or what went wrong (the caller frees).
 */
char *web_jobs_start(web_jobs *jobs, const web_options *options);
/* Ends the work and wakes the streams. What is there stays until web_jobs_clear, which nobody may read any more. */
void web_jobs_stop(web_jobs *jobs);
void web_jobs_clear(web_jobs *jobs);

/* Takes the bytes over. The picture's number; -1: there are too many. */
long web_jobs_upload(web_jobs *jobs, const char *name, unsigned char *bytes, size_t count);
/* Takes the request over. The job's number; -1: the queue is full; -2: there is no such picture. */
long web_jobs_add(web_jobs *jobs, json_t *request, unsigned picture);
/* 0, or -1: there is no such job. */
int web_jobs_cancel(web_jobs *jobs, unsigned id);
/* The list of jobs: [{"id", "state", "picture", "request"}]. */
json_t *web_jobs_list(web_jobs *jobs);
json_t *web_jobs_pictures(web_jobs *jobs);
/* Call with the lock held. NULL: there is no such picture. */
web_picture *web_jobs_find_picture(web_jobs *jobs, unsigned id);

/* A stream of a job's messages. NULL: there is no such job. */
web_job *web_job_open(web_jobs *jobs, unsigned id);
/* Copies the messages from `offset` on; waits for more while the job runs. 0: the end. */
size_t web_job_read(web_jobs *jobs, web_job *job, size_t offset, char *to, size_t most);
void web_job_close(web_jobs *jobs, web_job *job);

#endif
