/* SPDX-License-Identifier: Apache-2.0 */
/* The store of a study: one SQLite file in WAL mode. One process writes it; any number may read meanwhile. Whatever was
 * committed stays: a cell and its scores are written in one transaction, or not at all. */
#ifndef GIG_WORK_STORE_STORE_H
#define GIG_WORK_STORE_STORE_H

#include "base/status.h"
#include "work/store/cell.h"

typedef struct gig_store gig_store;

typedef enum gig_store_mode {
    GIG_STORE_READ, /* an existing store */
    GIG_STORE_RUN   /* created if there is none; refused while another run has it */
} gig_store_mode;

/* GIG_EIO: cannot be opened or written, or another run has it. GIG_EFORMAT: no study's store, or a damaged one.
 * GIG_EUNSUPPORTED: of another version. */
gig_status gig_store_open(gig_store **out, const char *path, gig_store_mode mode);
/* A copy of it in memory, which may be written and is forgotten; empty where there is no store at `path`. */
gig_status gig_store_open_copy(gig_store **out, const char *path);
/* In memory, with nothing in it. */
gig_status gig_store_open_empty(gig_store **out);
void gig_store_close(gig_store *store); /* NULL is allowed; what was not committed is undone */

/* The path of what lies beside the store with this ending: ".lock", ".maps". New (gig_free); NULL if memory runs out.
 */
char *gig_store_beside(const char *path, const char *ending);
/* Whether a run has the store now, in whatever process. */
gig_status gig_store_has_run(int *running, const char *path);

/* Many changes at once; they may not nest. Every change outside is a transaction of its own. */
gig_status gig_store_begin(gig_store *store);
gig_status gig_store_commit(gig_store *store);
void gig_store_undo(gig_store *store);

/* Facts about the study (the manifest's text, for one). *value is new, free with gig_free; NULL if there is none. */
gig_status gig_store_set_fact(gig_store *store, const char *name, const char *value);
gig_status gig_store_get_fact(char **value, gig_store *store, const char *name);

/* Known again by their hash; the rest is brought up to date. */
gig_status gig_store_put_model(int64_t *id, gig_store *store, const char *hash, const char *name, const char *file);
gig_status gig_store_put_picture(int64_t *id, gig_store *store, const char *hash, const char *collection,
                                 const gig_study_picture *subject);

/* What a model says of a picture: its best class, and how many classes are above the label (-1: no label). */
typedef struct gig_ranking {
    int64_t best, label_rank;
    double best_probability, label_probability; /* NaN if there is no label */
    double box_area; /* of the ground truth, as a part of the picture; NaN if there is none */
} gig_ranking;

gig_status gig_store_put_ranking(gig_store *store, int64_t model, int64_t picture, const gig_ranking *ranking);
/* *found is 0 if it has not been made. */
gig_status gig_store_get_ranking(gig_ranking *ranking, int *found, gig_store *store, int64_t model, int64_t picture);

typedef enum gig_cell_state { GIG_CELL_PLANNED = 0, GIG_CELL_DONE = 1, GIG_CELL_FAILED = 2 } gig_cell_state;

/* Makes the cell known (it may be already) and wanted by the present plan. */
gig_status gig_store_plan_cell(int64_t *id, gig_cell_state *state, gig_store *store, int64_t model, int64_t picture,
                               const gig_study_cell *cell);
/* Whether the map of the cell with this key was meant to be kept; *id is 0 if there is no such cell. */
gig_status gig_store_find_cell(int64_t *id, int *keeps_map, gig_store *store, const char *key);
/* A new plan begins: no cell is wanted until it is planned again. */
gig_status gig_store_clear_plan(gig_store *store);

/* ", portable" */
extern const char gig_versions_portable[];

/* What making a map gave; NaN if a number has no meaning. */
typedef struct gig_cell_result {
    double value_input, value_baseline, sum, delta, step_error;
    double stability; /* of repeated walks */
    int64_t evaluations, values;
    double seconds;
    const char *versions; /* of the library and what it stands on; ends in gig_versions_portable where that holds */
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

/* The cell is begun, so many times: how often that happened, over all runs, tells what was lost with a killed one. (A
 * machine that loses its power may forget the last of these.) */
gig_status gig_store_begin_cell(gig_store *store, int64_t id, int times);
/* The cell is done: all of it in one transaction. result NULL: only scores are added to a cell that was done before. */
gig_status gig_store_finish_cell(gig_store *store, int64_t id, const gig_cell_result *result,
                                 const gig_cell_score *scores, size_t score_count);
/* What making the map of a finished cell gave; versions and map are NULL. */
gig_status gig_store_get_result(gig_cell_result *result, gig_store *store, int64_t id);
/* The cell failed for good. One that was done before keeps its scores, and counts as failed until it is planned again.
 */
gig_status gig_store_fail_cell(gig_store *store, int64_t id, const char *reason);
/* Exports as CSV: the names of their columns, and how many digits of a cell's key they hold. */
extern const char gig_export_columns[];
enum { GIG_EXPORT_KEY = 16 };
/* Whether the file begins as an export does. */
int gig_store_is_export(const char *path);
/* The scores of an export as a store in memory: of models and pictures that `known` has by name and, as the cell's key
 * tells, by content, and of this release. Without rankings and curves, which an export does not hold. GIG_EFORMAT names
 * the line. */
gig_status gig_store_open_export(gig_store **out, const char *path, gig_store *known);
/* Takes over what the store (or export) at `path` has finished of this one's models and pictures; what is done here
 * stays. Scores of metrics that are not known here are left, and those of closed paths between pictures, which depend
 * on more than their cell. *shared: how many of its finished cells are now here, taken or not. */
gig_status gig_store_import(size_t *shared, gig_store *store, const char *path, const gig_hash_watch *watch);
gig_status gig_store_has_score(int *has, gig_store *store, int64_t id, const char *metric);

/* Cells of the present plan in each state; those that failed at a further score count as failed. */
gig_status gig_store_count_cells(int64_t counts[3], gig_store *store);

/* One score with what it belongs to; texts and curve are valid inside the call only. */
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
