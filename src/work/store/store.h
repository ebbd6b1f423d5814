/* SPDX-License-Identifier: Apache-2.0 */
/* The store of a study: one SQLite file in WAL mode. One process writes it; any number may read it meanwhile. A cell
 * and its scores are written in one transaction, or not at all. */
#ifndef GIG_WORK_STORE_STORE_H
#define GIG_WORK_STORE_STORE_H

#include "base/status.h"
#include "work/store/cell.h"

typedef struct gig_store gig_store;

typedef enum gig_store_mode {
    GIG_STORE_READ, /* an existing store */
    GIG_STORE_RUN   /* created if there is none; an error while another run has it */
} gig_store_mode;

/* GIG_EIO: cannot be opened or written, or another run has it. GIG_EFORMAT: not a study's store, or damaged.
 * GIG_EUNSUPPORTED: of another version. */
gig_status gig_store_open(gig_store **out, const char *path, gig_store_mode mode);
/* A temporary copy of it in memory, which may be written; empty if there is no store at `path`. */
gig_status gig_store_open_copy(gig_store **out, const char *path);
/* In memory, with nothing in it. */
gig_status gig_store_open_empty(gig_store **out);
void gig_store_close(gig_store *store); /* NULL is allowed; what was not committed is undone */

/* The store's path with this suffix: ".lock", ".maps". New (gig_free); NULL if memory runs out.
 */
char *gig_store_beside(const char *path, const char *ending);
/* Whether a run has the store now, in any process. */
gig_status gig_store_has_run(int *running, const char *path);

/* Groups changes; cannot be nested. Every change outside is its own transaction. */
gig_status gig_store_begin(gig_store *store);
gig_status gig_store_commit(gig_store *store);
void gig_store_undo(gig_store *store);

/* Facts about the study (the manifest's text, for one). *value is new, free with gig_free; NULL if there is none. */
gig_status gig_store_set_fact(gig_store *store, const char *name, const char *value);
gig_status gig_store_get_fact(char **value, gig_store *store, const char *name);

/* Found again by their hash; the other fields are updated. */
gig_status gig_store_put_model(int64_t *id, gig_store *store, const char *hash, const char *name, const char *file);
gig_status gig_store_put_picture(int64_t *id, gig_store *store, const char *hash, const char *collection,
                                 const gig_study_picture *subject);

/* A model's prediction for a picture: its best class, and how many classes are above the label (-1: no label). */
typedef struct gig_ranking {
    int64_t best, label_rank;
    double best_probability, label_probability; /* NaN if there is no label */
    double box_area; /* area of the ground truth, as a fraction of the picture; NaN if there is none */
} gig_ranking;

gig_status gig_store_put_ranking(gig_store *store, int64_t model, int64_t picture, const gig_ranking *ranking);
/* *found is 0 if it has not been computed. */
gig_status gig_store_get_ranking(gig_ranking *ranking, int *found, gig_store *store, int64_t model, int64_t picture);

typedef enum gig_cell_state { GIG_CELL_PLANNED = 0, GIG_CELL_DONE = 1, GIG_CELL_FAILED = 2 } gig_cell_state;

/* Adds the cell if it is new, and marks it as wanted by the current plan. */
gig_status gig_store_plan_cell(int64_t *id, gig_cell_state *state, gig_store *store, int64_t model, int64_t picture,
                               const gig_study_cell *cell);
/* Whether the map of the cell with this key was to be kept; *id is 0 if there is no such cell. */
gig_status gig_store_find_cell(int64_t *id, int *keeps_map, gig_store *store, const char *key);
/* A new plan begins: no cell is wanted until it is planned again. */
gig_status gig_store_clear_plan(gig_store *store);
/* A planned cell that turns out not to be needed. */
gig_status gig_store_unplan_cell(gig_store *store, int64_t id);

/* ", portable" */
extern const char gig_versions_portable[];

/* The result of a map; NaN for numbers that do not apply. */
typedef struct gig_cell_result {
    double value_input, value_baseline, sum, delta, step_error;
    double stability; /* of repeated walks */
    int64_t evaluations, values;
    double seconds;
    const char *versions; /* of the library and its dependencies; ends in gig_versions_portable if it is portable */
    const char *map;      /* file kept beside the store, or NULL */
} gig_cell_result;

typedef struct gig_cell_score {
    const char *metric; /* canonical name */
    double value;       /* NaN: not defined */
    const char *note;   /* why not, or NULL */
    const double *curve;
    size_t curve_count; /* 0: no curve */
    double seconds;
} gig_cell_score;

/* Records that the cell was begun, and how often over all runs: this shows what a killed run lost. (After a power cut
 * the last of these may be missing.) */
gig_status gig_store_begin_cell(gig_store *store, int64_t id, int times);
/* The cell is done: written in one transaction. result NULL: only scores are added to a cell that was done before. */
gig_status gig_store_finish_cell(gig_store *store, int64_t id, const gig_cell_result *result,
                                 const gig_cell_score *scores, size_t score_count);
/* The result of a finished cell's map; versions and map are NULL. */
gig_status gig_store_get_result(gig_cell_result *result, gig_store *store, int64_t id);
/* The cell has failed. A cell that was done before keeps its scores, and counts as failed until it is planned again.
 */
gig_status gig_store_fail_cell(gig_store *store, int64_t id, const char *reason);
/* Exports as CSV: the names of their columns, and how many digits of a cell's key they hold. */
extern const char gig_export_columns[];
enum { GIG_EXPORT_KEY = 16 };
/* Whether the file begins like an export. */
int gig_store_is_export(const char *path);
/* The scores of an export as a store in memory: of models and pictures that `known` has with the same name and (by the
 * cell's key) the same content, and of this release. Without rankings and curves, which an export does not hold.
 * GIG_EFORMAT names the line. */
gig_status gig_store_open_export(gig_store **out, const char *path, gig_store *known);
/* Imports what the store (or export) at `path` has finished for this store's models and pictures; existing results
 * stay. Scores of unknown metrics are left out, as are those of closed paths between pictures, which depend on more
 * than their cell. *shared: how many of its finished cells are now here, imported or not. */
gig_status gig_store_import(size_t *shared, gig_store *store, const char *path, const gig_hash_watch *watch);
gig_status gig_store_has_score(int *has, gig_store *store, int64_t id, const char *metric);

/* Cells of the current plan in each state; a cell that failed at an additional score counts as failed. */
gig_status gig_store_count_cells(int64_t counts[3], gig_store *store);

/* One score and what it belongs to; texts and curve are valid during the call only. */
typedef struct gig_score_row {
    int64_t cell, picture_id; /* a list may name one file twice, as two pictures */
    const char *model, *collection, *picture, *scalar, *precision, *method, *baseline, *metric, *note;
    int64_t target, seed;
    double value; /* NaN: not defined */
    const double *curve;
    size_t curve_count;
    double seconds; /* of the map */
    int64_t evaluations;
    double value_input, value_baseline, sum, delta, step_error, stability; /* of the map; NaN: not defined */
    const char *key, *model_file, *picture_file, *versions;
} gig_score_row;

typedef gig_status (*gig_score_visit)(void *payload, const gig_score_row *row);

/* Every score of wanted, done cells, of one metric or (NULL) of all, in the order models, sets, pictures and cells were
 * first planned. */
gig_status gig_store_each_score(gig_store *store, const char *metric, gig_score_visit visit, void *payload);

typedef struct gig_failure_row {
    int64_t cell;
    const char *model, *collection, *picture, *method, *baseline, *reason;
    int attempts; /* times it was begun */
} gig_failure_row;

typedef gig_status (*gig_failure_visit)(void *payload, const gig_failure_row *row);
gig_status gig_store_each_failure(gig_store *store, gig_failure_visit visit, void *payload);

#endif
