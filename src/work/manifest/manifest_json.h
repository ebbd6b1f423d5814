/* SPDX-License-Identifier: Apache-2.0 */
/* Values of a manifest's JSON, and the keys that a run has. */
#ifndef GIG_WORK_MANIFEST_MANIFEST_JSON_H
#define GIG_WORK_MANIFEST_MANIFEST_JSON_H

#include "work/manifest/manifest.h"
#include <jansson.h>

/* GIG_EFORMAT says what was expected. */
gig_status gig_json_text(char **out, const json_t *value); /* new; an earlier *out is freed */
gig_status gig_json_flag(int *out, const json_t *value);   /* true or false */
gig_status gig_json_whole(int64_t *out, const json_t *value, int64_t least, int64_t most);
/* Its place among `choices`, which '|' separates. */
gig_status gig_json_choice(int *out, const json_t *value, const char *choices);

/* A run of all models and all sets, with black baselines and no filter. */
gig_status gig_run_begin(gig_run *run, const gig_manifest *manifest);
/* Sets the keys of `object`; at the top level only the keys that runs inherit. */
gig_status gig_run_read(gig_run *run, const gig_manifest *manifest, json_t *object, int is_top);
int gig_run_has_key(const char *key);
/* others: further keys that are known there, up to NULL; may be NULL. */
gig_status gig_run_refuse_key(const char *key, const char *const *others);

#endif
