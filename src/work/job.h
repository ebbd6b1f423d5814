/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs and answers that the parent of a study and its workers exchange: one line of JSON each. */
#ifndef GIG_WORK_JOB_H
#define GIG_WORK_JOB_H

#include "work/manifest/manifest.h"
#include "work/store/store.h"
#include <jansson.h>

/* "rank": the model's prediction for the picture. "map": compute (or read) a map and score it. "time": the time of
 * gradients and values. */
typedef enum gig_job_kind { GIG_JOB_RANK, GIG_JOB_MAP, GIG_JOB_TIME } gig_job_kind;

/* A map that another map is computed from, with its result. */
typedef struct gig_job_source {
    char *file;
    gig_cell_result result; /* versions and map are NULL */
} gig_job_source;

typedef struct gig_study_job {
    gig_job_kind kind;
    char *model;
    gig_precision precision;
    int portable; /* the same in all jobs that a process gets */
    gig_scalar scalar;
    char *part;                /* of the output, as in gig_run; NULL: one class of all of it */
    gig_study_picture subject; /* its name is not set */
    int64_t target, seed;
    uint64_t picture; /* a number that stands for the picture in random streams */
    char *method;     /* canonical, without baseline */
    char *baseline;   /* as in gig_study_cell */
    gig_texts metrics;
    char *read, *write; /* files of the map: to read an existing one; to write a new one. NULL: neither */
    size_t source_count;
    gig_job_source *sources; /* none: the map is computed from the model */
    gig_texts baselines;     /* files of a baseline made of pictures */
    gig_texts others;        /* pictures for the corners of closed paths */
    int remember;            /* gradients: other maps of this picture ask for the same */
} gig_study_job;

void gig_study_job_clear(gig_study_job *job);
/* A new line (gig_free). */
gig_status gig_study_job_write(char **line, const gig_study_job *job);
gig_status gig_study_job_read(gig_study_job *out, const char *line);

/* The cost of a model: seconds of a gradient and of a value; and the size of its pictures. */
typedef struct gig_study_times {
    double gradient, value;
    size_t height, width;
} gig_study_times;

/* A worker's answer. It owns the texts of result and scores. */
typedef struct gig_job_answer {
    gig_status status; /* not GIG_OK: only `message` and `ends_study` are set */
    char *message;
    int ends_study; /* no map can be written: the next one would fail too */
    gig_ranking ranking;
    gig_study_times times;
    gig_cell_result result;
    size_t score_count;
    gig_cell_score *scores;
} gig_job_answer;

void gig_job_answer_clear(gig_job_answer *answer);
gig_status gig_job_answer_write(char **line, const gig_job_answer *answer, gig_job_kind kind);
gig_status gig_job_answer_read(gig_job_answer *out, const char *line);

#endif
