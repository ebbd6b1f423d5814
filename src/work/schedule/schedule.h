/* SPDX-License-Identifier: Apache-2.0 */
/* The plan of a study: every cell its manifest wants, what each is made of, and what is still to be done. */
#ifndef GIG_WORK_SCHEDULE_SCHEDULE_H
#define GIG_WORK_SCHEDULE_SCHEDULE_H

#include "base/text.h"
#include "gig/work.h"
#include "work/manifest/manifest.h"
#include "work/manifest/variant.h"
#include "work/store/store.h"

typedef struct gig_plan_model {
    const gig_named_file *file;
    char hash[GIG_HASH_TEXT];
    int64_t id;
} gig_plan_model;

typedef struct gig_plan_picture {
    const gig_subject *subject;
    size_t set; /* of the manifest's */
    char hash[GIG_HASH_TEXT];
    int64_t id;
    uint64_t number; /* from the hash: stands for the picture in random streams */
} gig_plan_picture;

typedef enum gig_plan_progress { GIG_PLAN_WAITING, GIG_PLAN_GIVEN, GIG_PLAN_ENDED, GIG_PLAN_BROKEN } gig_plan_progress;

typedef struct gig_plan_cell {
    int64_t id, target;
    char key[GIG_HASH_TEXT];
    size_t model, picture, variant;
    size_t run; /* of the manifest: the first that wants it */
    gig_scalar scalar;
    gig_precision precision;
    gig_cell_state state;              /* in the store, when planned */
    uint64_t metrics;                  /* bits: wanted and not yet scored */
    size_t source_first, source_count; /* in plan->sources */
    size_t users;                      /* cells that still need its map */
    int has_map;                       /* its file is there */
    int unranked;                      /* no run wants it but such as need a ranking that failed */
    gig_plan_progress progress;
    int makes, writes; /* while it is given out: a map is made; its file is written */
} gig_plan_cell;

typedef struct gig_plan {
    const gig_manifest *manifest;
    const gig_study_options *options; /* whom progress is told to */
    gig_store *store;
    char *maps; /* folder */
    gig_plan_model *models;
    gig_subjects *sets;
    size_t picture_count;
    gig_plan_picture *pictures; /* of all sets */
    char **unranked;   /* [models, pictures]: why the ranking failed, and with it its cells; NULL: it did not */
    size_t *set_first; /* index of each set's first picture; one more than there are sets */
    size_t variant_count, variant_capacity;
    gig_variant *variants;
    gig_texts metric_names;  /* at most 64 */
    uint64_t closed_metrics; /* bits of those that need no map */
    size_t cell_count, cell_capacity;
    gig_plan_cell *cells; /* each after its sources */
    size_t source_count, source_capacity;
    size_t *sources; /* cells */
    size_t slot_count;
    size_t *slots;    /* hash table: cell index + 1 by id */
    gig_text remarks; /* lines, for the fact of that name */
} gig_plan;

/* Reads the lists of pictures, hashes models and pictures, and makes them known to the store. `options` are borrowed.
 */
gig_status gig_plan_create(gig_plan **out, const gig_manifest *manifest, gig_store *store, const char *store_path,
                           const gig_study_options *options);
void gig_plan_free(gig_plan *plan); /* NULL is allowed */

/* Tells how far a stage is; GIG_ECANCEL when it is to stop. */
gig_status gig_plan_report(const gig_plan *plan, const char *stage, size_t done, size_t count);

/* The pairs of model and picture whose ranking is needed (for a filter, or for a class) and not known yet. */
typedef struct gig_plan_pair {
    size_t model, picture;
} gig_plan_pair;
/* Whether the run has to know what the model says of the picture before it takes it. */
int gig_plan_needs_ranking(const gig_run *run, const gig_subject *subject);
gig_status gig_plan_rankings(gig_plan_pair **out, size_t *count, gig_plan *plan);

/* Plans the cells. Pictures without the ranking they need are left out, unless making it failed; `assume` counts them
 * in instead (their class is 0): an upper bound. */
gig_status gig_plan_cells(gig_plan *plan, int assume);

/* Whether there is anything left to do for a cell, and whether that takes a map that is not there yet (scores of closed
 * paths alone do not). */
int gig_plan_is_pending(const gig_plan *plan, const gig_plan_cell *cell);
int gig_plan_makes_map(const gig_plan *plan, const gig_plan_cell *cell);

/* The cell with this id; NULL where the plan has none. */
gig_plan_cell *gig_plan_find(const gig_plan *plan, int64_t id);

/* The file of a cell's map; new (gig_free). */
char *gig_plan_map_path(const gig_plan *plan, const gig_plan_cell *cell);

#endif
