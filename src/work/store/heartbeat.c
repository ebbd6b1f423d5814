/* SPDX-License-Identifier: Apache-2.0 */
#include "work/store/heartbeat.h"
#include "base/memory.h"
#include "internal/work.h"
#include "work/job_json.h"
#include <math.h>
#include <string.h>

static const char fact[] = "run";
const char gig_stage_ready[] = "getting ready", gig_stage_ranking[] = "ranking pictures",
           gig_stage_timing[] = "timing models", gig_stage_making[] = "making maps";
static const char *const stages[] = {gig_stage_ready, gig_stage_ranking, gig_stage_timing, gig_stage_making};

/* Errors are ignored: if this cannot be written, the next score cannot either, and that ends the run with a reason.
 */
void gig_heartbeat_write(gig_store *store, const gig_study_progress *progress)
{
    json_t *heartbeat =
        json_pack("{s:s, s:I, s:I, s:I, s:f, s:o}", "stage", progress->stage, "cells", (json_int_t)progress->cells,
                  "done", (json_int_t)progress->done, "failed", (json_int_t)progress->failed, "seconds",
                  progress->seconds, "remaining", gig_job_json_number(progress->remaining));
    char *text;
    if (gig_job_json_dump(&text, heartbeat) == GIG_OK) (void)gig_store_set_fact(store, fact, text);
    gig_free(text);
}

void gig_heartbeat_begin(gig_store *store)
{
    const gig_study_progress ready = {.stage = gig_stage_ready, .remaining = NAN};
    gig_heartbeat_write(store, &ready);
}

static size_t read_count(const json_t *heartbeat, const char *key)
{
    json_int_t value = json_integer_value(json_object_get(heartbeat, key));
    return value > 0 ? (size_t)value : 0;
}

static void read_news(gig_study_progress *out, const char *text)
{
    json_t *heartbeat = json_loads(text, 0, NULL);
    const char *stage = json_string_value(json_object_get(heartbeat, "stage"));
    for (size_t i = 0; stage && i < sizeof stages / sizeof *stages; i++)
        if (!strcmp(stage, stages[i])) out->stage = stages[i];
    out->cells = read_count(heartbeat, "cells");
    out->done = read_count(heartbeat, "done");
    out->failed = read_count(heartbeat, "failed");
    out->seconds = gig_job_json_read_number(heartbeat, "seconds");
    out->remaining = gig_job_json_read_number(heartbeat, "remaining");
    json_decref(heartbeat);
    if (!out->stage) *out = (gig_study_progress){.remaining = NAN};
}

/* Written as soon as a run has the store, so that an earlier run's last status is not taken for its own. */
gig_status gig_study_watch(gig_study_progress *out, const char *path)
{
    gig_store *store;
    char *text = NULL;
    int running;
    *out = (gig_study_progress){.remaining = NAN};
    GIG_TRY(gig_store_has_run(&running, path));
    if (!running) return GIG_OK;
    GIG_TRY(gig_store_open(&store, path, GIG_STORE_READ));
    gig_status status = gig_store_get_fact(&text, store, fact);
    gig_store_close(store);
    if (status == GIG_OK && text) read_news(out, text);
    gig_free(text);
    return status;
}
