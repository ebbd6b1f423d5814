/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of the JSON lines that the processes of a study exchange, and of the status that a run writes to its store.
 * Functions that make JSON return NULL if memory runs out, and accept NULL parts, so that only the final result needs a
 * check. Functions that read it set *status if memory runs out. */
#ifndef GIG_WORK_JOB_JSON_H
#define GIG_WORK_JOB_JSON_H

#include "base/status.h"
#include "work/manifest/manifest.h"
#include "work/store/store.h"
#include <jansson.h>

/* A number; null for NAN. */
json_t *gig_job_json_number(double value);
/* NAN if there is none. */
double gig_job_json_read_number(const json_t *object, const char *key);

/* A text of any bytes, such as a file name. */
json_t *gig_job_json_text(const char *text);
/* A new text (gig_free); NULL if there is none. */
char *gig_job_json_read_text(const json_t *object, const char *key, gig_status *status);

json_t *gig_job_json_texts(const gig_texts *from);
void gig_job_json_read_texts(gig_texts *out, const json_t *array, gig_status *status);

/* The numbers of a result, without its versions and map. */
json_t *gig_job_json_result(const gig_cell_result *result);
void gig_job_json_read_result(gig_cell_result *out, const json_t *from);

/* An array of `count` items, each made of `from` and its place. */
json_t *gig_job_json_list(json_t *(*item)(const void *from, size_t place), const void *from, size_t count);
/* The object with one value more; takes both. */
json_t *gig_job_json_with(json_t *object, const char *key, json_t *value);

/* A new line (gig_free) of `object`, which it takes. */
gig_status gig_job_json_dump(char **line, json_t *object);
gig_status gig_job_json_load(json_t **out, const char *line);

#endif
