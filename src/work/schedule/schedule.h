/* SPDX-License-Identifier: Apache-2.0 */
/* The plan of a study: every cell of its manifest, what each is computed from, and what is still to be done. */
#ifndef GIG_WORK_SCHEDULE_SCHEDULE_H
#define GIG_WORK_SCHEDULE_SCHEDULE_H

#include "base/text.h"
#include "gig/work.h"
#include "work/manifest/manifest.h"
#include "work/manifest/variant.h"
#include "work/store/store.h"

typedef struct gig_schedule_model {
    const gig_named_file *file;
    char hash[GIG_HASH_TEXT];
    int64_t id;
} gig_schedule_model;

typedef struct gig_schedule_picture {
    const gig_study_picture *subject;
    size_t set; /* of the manifest's */
    char hash[GIG_HASH_TEXT];
    int64_t id;
    uint64_t number; /* from the hash: stands for the picture in random streams */
} gig_schedule_picture;

typedef enum gig_schedule_progress {
    GIG_SCHEDULE_WAITING,
    GIG_SCHEDULE_GIVEN,
    GIG_SCHEDULE_ENDED,
    GIG_SCHEDULE_BROKEN
} gig_schedule_progress;

typedef struct gig_schedule_cell {
    int64_t id, target;
    char key[GIG_HASH_TEXT];
    size_t model, picture, variant;
    size_t run; /* of the manifest: the first that wants it */
    gig_scalar scalar;
    char *part; /* the run's */
    gig_precision precision;
    gig_cell_state state;              /* in the store, when planned */
    uint64_t metrics;                  /* bits: wanted and not yet scored */
    size_t source_first, source_count; /* in plan->sources */
    size_t users;                      /* cells that still need its map */
    int has_map;                       /* its file is there */
    int unranked;                      /* only runs that need a failed ranking want it */
    gig_schedule_progress progress;
    int makes, writes; /* while a worker has it: a map is computed; its file is written */
} gig_schedule_cell;

typedef struct gig_schedule {
    const gig_manifest *manifest;
    const gig_study_options *options; /* receives progress */
    gig_store *store;
    char *maps; /* folder */
    gig_schedule_model *models;
    gig_picture_list *sets;
    size_t picture_count;
    gig_schedule_picture *pictures; /* of all sets */
    char **unranked;   /* [models, pictures]: why the ranking, and so its cells, failed; NULL: it did not */
    size_t *set_first; /* index of each set's first picture; one more than there are sets */
    size_t variant_count, variant_capacity;
    gig_variant *variants;
    gig_texts metric_names;  /* at most 64 */
    uint64_t closed_metrics; /* bits of those that need no map */
    size_t cell_count, cell_capacity;
    gig_schedule_cell *cells; /* each after its sources */
    size_t source_count, source_capacity;
    size_t *sources; /* cells */
    size_t slot_count;
    size_t *slots;    /* hash table: cell index + 1 by id */
    gig_text remarks; /* lines, for the fact of that name */
} gig_schedule;

/* Reads the lists of pictures, hashes models and pictures, and adds them to the store. `options` are borrowed.
 */
gig_status gig_schedule_create(gig_schedule **out, const gig_manifest *manifest, gig_store *store,
                               const char *store_path, const gig_study_options *options);
void gig_schedule_free(gig_schedule *schedule); /* NULL is allowed */

/* Reports the progress of a stage; GIG_ECANCEL if it should stop. */
gig_status gig_schedule_report(const gig_schedule *schedule, const char *stage, size_t done, size_t count);

/* The pairs of model and picture whose ranking is needed (for a filter, or for a class) and not known yet. */
typedef struct gig_schedule_pair {
    size_t model, picture;
} gig_schedule_pair;
/* Whether the run needs the model's prediction for a picture before it can select it. */
int gig_schedule_needs_ranking(const gig_run *run, const gig_study_picture *subject);
gig_status gig_schedule_rankings(gig_schedule_pair **out, size_t *count, gig_schedule *schedule);

/* Plans the cells. Pictures without a ranking that they need are left out, unless computing it failed; `assume`
 * includes them (with class 0), which gives an upper bound. */
gig_status gig_schedule_cells(gig_schedule *schedule, int assume);

/* Whether anything is left to do for a cell, and whether that needs a map that does not exist yet (scores of closed
 * paths alone do not). */
int gig_schedule_is_pending(const gig_schedule *schedule, const gig_schedule_cell *cell);
int gig_schedule_makes_map(const gig_schedule *schedule, const gig_schedule_cell *cell);

/* The cell with this id; NULL if the plan has none. */
gig_schedule_cell *gig_schedule_find(const gig_schedule *schedule, int64_t id);

/* The file of a cell's map; new (gig_free). */
char *gig_schedule_map_path(const gig_schedule *schedule, const gig_schedule_cell *cell);

#endif
