/* SPDX-License-Identifier: Apache-2.0 */
/* Models, pictures, rankings, cells and scores of a store. */
#include "base/memory.h"
#include "work/store/sql.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char gig_versions_portable[] = ", portable";

/* The id that an INSERT ... RETURNING id gives. */
static gig_status returned_id(int64_t *id, gig_store *store, sqlite3_stmt *statement)
{
    int row;
    GIG_TRY(gig_sql_step(store, statement, &row));
    *id = row ? sqlite3_column_int64(statement, 0) : 0;
    int more = row;
    while (more) GIG_TRY(gig_sql_step(store, statement, &more));
    gig_sql_reset(statement);
    return row ? GIG_OK : gig_fail(GIG_EINTERNAL, "the store gave no id");
}

/* So that it is found from any folder. */
static const char *whole_path(char out[PATH_MAX], const char *file)
{
    return realpath(file, out) ? out : file;
}

gig_status gig_store_put_model(int64_t *id, gig_store *store, const char *hash, const char *name, const char *file)
{
    sqlite3_stmt *statement;
    char path[PATH_MAX];
    GIG_TRY(gig_sql_prepare(&statement, store,
                            "INSERT INTO model (hash, name, file) VALUES (?, ?, ?) ON CONFLICT (hash) DO UPDATE"
                            " SET name = excluded.name, file = excluded.file RETURNING id"));
    GIG_TRY(gig_sql_bind(store, statement, "ttt", hash, name, whole_path(path, file)));
    return returned_id(id, store, statement);
}

gig_status gig_store_put_picture(int64_t *id, gig_store *store, const char *hash, const char *collection,
                                 const gig_study_picture *subject)
{
    sqlite3_stmt *statement;
    char path[PATH_MAX];
    GIG_TRY(gig_sql_prepare(&statement, store,
                            "INSERT INTO picture (hash, collection, name, file, label) VALUES (?, ?, ?, ?, ?)"
                            " ON CONFLICT (hash) DO UPDATE SET file = excluded.file RETURNING id"));
    GIG_TRY(gig_sql_bind(store, statement, "tttti", hash, collection, subject->name, whole_path(path, subject->file),
                         subject->label));
    return returned_id(id, store, statement);
}

gig_status gig_store_put_ranking(gig_store *store, int64_t model, int64_t picture, const gig_ranking *ranking)
{
    GIG_SQL_RUN(store, "INSERT OR REPLACE INTO ranking VALUES (?, ?, ?, ?, ?, ?, ?)", "iiididd", model, picture,
                ranking->best, ranking->best_probability, ranking->label_rank, ranking->label_probability,
                ranking->box_area);
    return GIG_OK;
}

gig_status gig_store_get_ranking(gig_ranking *ranking, int *found, gig_store *store, int64_t model, int64_t picture)
{
    sqlite3_stmt *statement;
    GIG_TRY(gig_sql_prepare(&statement, store,
                            "SELECT best, best_probability, label_rank, label_probability, box_area FROM ranking"
                            " WHERE model = ? AND picture = ?"));
    GIG_TRY(gig_sql_bind(store, statement, "ii", model, picture));
    GIG_TRY(gig_sql_step(store, statement, found));
    if (*found)
        *ranking = (gig_ranking){.best = sqlite3_column_int64(statement, 0),
                                 .best_probability = gig_sql_double(statement, 1),
                                 .label_rank = sqlite3_column_int64(statement, 2),
                                 .label_probability = gig_sql_double(statement, 3),
                                 .box_area = gig_sql_double(statement, 4)};
    gig_sql_reset(statement);
    return GIG_OK;
}

gig_status gig_store_clear_plan(gig_store *store)
{
    return gig_sql_execute(store, "UPDATE cell SET wanted = 0 WHERE wanted <> 0");
}

gig_status gig_store_unplan_cell(gig_store *store, int64_t id)
{
    GIG_SQL_RUN(store, "UPDATE cell SET wanted = 0 WHERE id = ?", "i", id);
    return GIG_OK;
}

gig_status gig_store_plan_cell(int64_t *id, gig_cell_state *state, gig_store *store, int64_t model, int64_t picture,
                               const gig_study_cell *cell)
{
    char key[GIG_HASH_TEXT];
    sqlite3_stmt *statement;
    int row;
    GIG_TRY(gig_study_cell_key(key, cell));
    GIG_TRY(gig_sql_prepare(&statement, store,
                            "INSERT INTO cell (key, model, picture, target, scalar, precision, method, baseline, seed,"
                            " wanted, state) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 1, 0)"
                            " ON CONFLICT (key) DO UPDATE SET wanted = 1,"
                            " reason = CASE state WHEN 1 THEN NULL ELSE reason END RETURNING id, state"));
    GIG_TRY(gig_sql_bind(store, statement, "tiiitttti", key, model, picture, cell->target, cell->scalar,
                         cell->precision, cell->method, cell->baseline, cell->seed));
    GIG_TRY(gig_sql_step(store, statement, &row));
    if (row) {
        *id = sqlite3_column_int64(statement, 0);
        *state = (gig_cell_state)sqlite3_column_int(statement, 1);
    }
    for (int more = row; more;) GIG_TRY(gig_sql_step(store, statement, &more));
    gig_sql_reset(statement);
    return row ? GIG_OK : gig_fail(GIG_EINTERNAL, "the store gave no id");
}

gig_status gig_store_find_cell(int64_t *id, int *keeps_map, gig_store *store, const char *key)
{
    sqlite3_stmt *statement;
    int row;
    GIG_TRY(gig_sql_prepare(&statement, store, "SELECT id, map IS NOT NULL FROM cell WHERE key = ?"));
    GIG_TRY(gig_sql_bind(store, statement, "t", key));
    GIG_TRY(gig_sql_step(store, statement, &row));
    *id = row ? sqlite3_column_int64(statement, 0) : 0;
    *keeps_map = row && sqlite3_column_int(statement, 1);
    gig_sql_reset(statement);
    return GIG_OK;
}

/* ---- results ---- */

static gig_status count_attempts(gig_store *store, int64_t id, int times)
{
    GIG_SQL_RUN(store, "UPDATE cell SET attempts = attempts + ? WHERE id = ?", "ii", (int64_t)times, id);
    return GIG_OK;
}

/* Written without waiting for the disk: it needs to survive the process, not a power cut. */
gig_status gig_store_begin_cell(gig_store *store, int64_t id, int times)
{
    GIG_TRY(gig_sql_execute(store, "PRAGMA synchronous = NORMAL"));
    gig_status status = count_attempts(store, id, times);
    gig_status after = gig_sql_execute(store, "PRAGMA synchronous = FULL");
    return status == GIG_OK ? after : status;
}

static gig_status write_result(gig_store *store, int64_t id, const gig_cell_result *result)
{
    GIG_SQL_RUN(store,
                "UPDATE cell SET state = 1, reason = NULL, value_input = ?, value_baseline = ?, sum = ?, delta = ?, "
                "step_error = ?, stability = ?, evaluations = ?, value_count = ?, seconds = ?, versions = ?,"
                " map = ?, finished = strftime('%Y-%m-%dT%H:%M:%SZ', 'now') WHERE id = ?",
                "ddddddiidtti", result->value_input, result->value_baseline, result->sum, result->delta,
                result->step_error, result->stability, result->evaluations, result->values, result->seconds,
                result->versions, result->map, id);
    return GIG_OK;
}

static gig_status write_score(gig_store *store, int64_t id, const gig_cell_score *score)
{
    GIG_SQL_RUN(store,
                "INSERT OR REPLACE INTO score (cell, metric, value, note, curve, seconds) VALUES (?, ?, ?, ?, ?, ?)",
                "itdtbd", id, score->metric, score->value, score->note, (const void *)score->curve,
                score->curve_count * sizeof *score->curve, score->seconds);
    return GIG_OK;
}

static gig_status write_cell(gig_store *store, int64_t id, const gig_cell_result *result, const gig_cell_score *scores,
                             size_t score_count)
{
    if (result)
        GIG_TRY(write_result(store, id, result));
    else
        GIG_SQL_RUN(store, "UPDATE cell SET reason = NULL WHERE id = ?", "i", id);
    for (size_t i = 0; i < score_count; i++) GIG_TRY(write_score(store, id, &scores[i]));
    return gig_store_commit(store);
}

gig_status gig_store_finish_cell(gig_store *store, int64_t id, const gig_cell_result *result,
                                 const gig_cell_score *scores, size_t score_count)
{
    GIG_TRY(gig_store_begin(store));
    gig_status status = write_cell(store, id, result, scores, score_count);
    if (status != GIG_OK) gig_store_undo(store);
    return status;
}

gig_status gig_store_get_result(gig_cell_result *result, gig_store *store, int64_t id)
{
    sqlite3_stmt *statement;
    int row;
    *result = (gig_cell_result){NAN, NAN, NAN, NAN, NAN, NAN, 0, 0, 0, NULL, NULL};
    GIG_TRY(gig_sql_prepare(&statement, store,
                            "SELECT value_input, value_baseline, sum, delta, step_error, evaluations, value_count,"
                            " seconds, stability FROM cell WHERE id = ?"));
    GIG_TRY(gig_sql_bind(store, statement, "i", id));
    GIG_TRY(gig_sql_step(store, statement, &row));
    if (row)
        *result = (gig_cell_result){.value_input = gig_sql_double(statement, 0),
                                    .value_baseline = gig_sql_double(statement, 1),
                                    .sum = gig_sql_double(statement, 2),
                                    .delta = gig_sql_double(statement, 3),
                                    .step_error = gig_sql_double(statement, 4),
                                    .evaluations = sqlite3_column_int64(statement, 5),
                                    .values = sqlite3_column_int64(statement, 6),
                                    .seconds = gig_sql_double(statement, 7),
                                    .stability = gig_sql_double(statement, 8)};
    gig_sql_reset(statement);
    return GIG_OK;
}

gig_status gig_store_fail_cell(gig_store *store, int64_t id, const char *reason)
{
    GIG_SQL_RUN(store,
                "UPDATE cell SET state = CASE state WHEN 1 THEN 1 ELSE 2 END, reason = ?,"
                " finished = strftime('%Y-%m-%dT%H:%M:%SZ', 'now') WHERE id = ?",
                "ti", reason, id);
    return GIG_OK;
}

/* ---- questions ---- */

gig_status gig_store_has_score(int *has, gig_store *store, int64_t id, const char *metric)
{
    sqlite3_stmt *statement;
    GIG_TRY(gig_sql_prepare(&statement, store, "SELECT 1 FROM score WHERE cell = ? AND metric = ?"));
    GIG_TRY(gig_sql_bind(store, statement, "it", id, metric));
    GIG_TRY(gig_sql_step(store, statement, has));
    gig_sql_reset(statement);
    return GIG_OK;
}

gig_status gig_store_count_cells(int64_t counts[3], gig_store *store)
{
    sqlite3_stmt *statement;
    counts[0] = counts[1] = counts[2] = 0;
    GIG_TRY(gig_sql_prepare(&statement, store,
                            "SELECT CASE WHEN reason IS NULL THEN state ELSE 2 END AS shown, count(*) FROM cell"
                            " WHERE wanted = 1 GROUP BY shown"));
    for (int row = 1; row;) {
        GIG_TRY(gig_sql_step(store, statement, &row));
        int state = row ? sqlite3_column_int(statement, 0) : -1;
        if (state >= 0 && state < 3) counts[state] = sqlite3_column_int64(statement, 1);
    }
    gig_sql_reset(statement);
    return GIG_OK;
}

static gig_status visit_score(sqlite3_stmt *statement, gig_score_visit visit, void *payload)
{
    gig_score_row row = {.cell = sqlite3_column_int64(statement, 0),
                         .model = gig_sql_text(statement, 1),
                         .collection = gig_sql_text(statement, 2),
                         .picture = gig_sql_text(statement, 3),
                         .scalar = gig_sql_text(statement, 4),
                         .precision = gig_sql_text(statement, 5),
                         .method = gig_sql_text(statement, 6),
                         .baseline = gig_sql_text(statement, 7),
                         .metric = gig_sql_text(statement, 8),
                         .note = gig_sql_text(statement, 9),
                         .target = sqlite3_column_int64(statement, 10),
                         .seed = sqlite3_column_int64(statement, 11),
                         .value = gig_sql_double(statement, 12),
                         .seconds = gig_sql_double(statement, 14),
                         .evaluations = sqlite3_column_int64(statement, 15),
                         .key = gig_sql_text(statement, 16),
                         .model_file = gig_sql_text(statement, 17),
                         .picture_file = gig_sql_text(statement, 18),
                         .value_input = gig_sql_double(statement, 19),
                         .value_baseline = gig_sql_double(statement, 20),
                         .sum = gig_sql_double(statement, 21),
                         .delta = gig_sql_double(statement, 22),
                         .step_error = gig_sql_double(statement, 23),
                         .picture_id = sqlite3_column_int64(statement, 24),
                         .stability = gig_sql_double(statement, 25),
                         .versions = gig_sql_text(statement, 26)};
    const void *curve = sqlite3_column_blob(statement, 13);
    size_t bytes = (size_t)sqlite3_column_bytes(statement, 13);
    if (!curve || bytes % sizeof(double)) return visit(payload, &row);
    /* SQLite promises no alignment. */
    double *copy = gig_alloc(bytes, 1);
    if (!copy) return gig_alloc_status();
    memcpy(copy, curve, bytes);
    row.curve = copy;
    row.curve_count = bytes / sizeof *copy;
    gig_status status = visit(payload, &row);
    gig_free(copy);
    return status;
}

gig_status gig_store_each_score(gig_store *store, const char *metric, gig_score_visit visit, void *payload)
{
    sqlite3_stmt *statement;
    gig_status status = GIG_OK;
    GIG_TRY(gig_sql_prepare(&statement, store,
                            "SELECT cell.id, model.name, picture.collection, picture.name, scalar, precision, method,"
                            " baseline, metric, note, target, seed, value, curve, cell.seconds, evaluations, key,"
                            " model.file, picture.file, value_input, value_baseline, sum, delta, step_error,"
                            " cell.picture, stability, versions FROM cell JOIN score ON score.cell = cell.id JOIN "
                            "model ON model.id = cell.model"
                            " JOIN picture ON picture.id = cell.picture WHERE wanted = 1 AND state = 1"
                            " AND (?1 IS NULL OR metric = ?1) ORDER BY cell.model, cell.picture, cell.id, metric"));
    GIG_TRY(gig_sql_bind(store, statement, "t", metric));
    for (int row = 1; row && status == GIG_OK;) {
        status = gig_sql_step(store, statement, &row);
        if (status == GIG_OK && row) status = visit_score(statement, visit, payload);
    }
    gig_sql_reset(statement);
    return status;
}

gig_status gig_store_each_failure(gig_store *store, gig_failure_visit visit, void *payload)
{
    sqlite3_stmt *statement;
    gig_status status = GIG_OK;
    GIG_TRY(gig_sql_prepare(&statement, store,
                            "SELECT cell.id, model.name, picture.collection, picture.name, method, baseline, reason,"
                            " attempts FROM cell JOIN model ON model.id = cell.model JOIN picture ON"
                            " picture.id = cell.picture WHERE wanted = 1 AND reason IS NOT NULL ORDER BY cell.id"));
    for (int row = 1; row && status == GIG_OK;) {
        status = gig_sql_step(store, statement, &row);
        if (status != GIG_OK || !row) break;
        const gig_failure_row failure = {.cell = sqlite3_column_int64(statement, 0),
                                         .model = gig_sql_text(statement, 1),
                                         .collection = gig_sql_text(statement, 2),
                                         .picture = gig_sql_text(statement, 3),
                                         .method = gig_sql_text(statement, 4),
                                         .baseline = gig_sql_text(statement, 5),
                                         .reason = gig_sql_text(statement, 6),
                                         .attempts = sqlite3_column_int(statement, 7)};
        status = visit(payload, &failure);
    }
    gig_sql_reset(statement);
    return status;
}
