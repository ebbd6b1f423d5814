/* SPDX-License-Identifier: Apache-2.0 */
/* Imports what another store has for the models and pictures of this one: rankings, finished cells, their scores. */
#include "gig/metric.h"
#include "work/store/sql.h"
#include <string.h>

typedef gig_status (*row_check)(int *takes, sqlite3_stmt *row, const gig_store *from);

/* Reads with `select` from one store; each row that `check` (if given) accepts becomes the parameters of `insert` in
 * the other. */
typedef struct transfer {
    const char *select, *insert;
    row_check check;
} transfer;

/* Checks that the key of a cell fits the parts stored with it, whatever program wrote it. */
static gig_status check_key(int *takes, sqlite3_stmt *row, const gig_store *from)
{
    char key[GIG_HASH_TEXT];
    const gig_study_cell cell = {.model = gig_sql_text(row, 1),
                                 .picture = gig_sql_text(row, 2),
                                 .target = sqlite3_column_int64(row, 3),
                                 .scalar = gig_sql_text(row, 4),
                                 .precision = gig_sql_text(row, 5),
                                 .method = gig_sql_text(row, 6),
                                 .baseline = gig_sql_text(row, 7),
                                 .seed = sqlite3_column_int64(row, 8)};
    GIG_TRY(gig_study_cell_key(key, &cell));
    *takes = 1;
    if (!strcmp(key, gig_sql_text(row, 0))) return GIG_OK;
    return gig_fail(GIG_EFORMAT, "%s: the store is damaged (the key of a cell is not its own)", from->path);
}

static gig_status check_metric(int *takes, sqlite3_stmt *row, const gig_store *from)
{
    gig_metric metric;
    (void)from;
    *takes = gig_metric_parse(&metric, gig_sql_text(row, 1)) == GIG_OK && !(gig_metric_number(&metric, "corners") == 1);
    return GIG_OK;
}

static const transfer rankings = {
    "SELECT model.hash, picture.hash, best, best_probability, label_rank, label_probability, box_area FROM ranking"
    " JOIN model ON model.id = ranking.model JOIN picture ON picture.id = ranking.picture",
    "INSERT INTO ranking SELECT model.id, picture.id, ?3, ?4, ?5, ?6, ?7 FROM model, picture"
    " WHERE model.hash = ?1 AND picture.hash = ?2 ON CONFLICT DO NOTHING",
    NULL};

/* Finished cells stay as they are; cells that were only planned, or failed, become done, as do cells that lack only a
 * map (closed paths need none). */
static const transfer cells = {
    "SELECT key, model.hash, picture.hash, target, scalar, precision, method, baseline, seed, value_input,"
    " value_baseline, sum, delta, step_error, evaluations, value_count, seconds, versions, finished, stability"
    " FROM cell JOIN model ON model.id = cell.model JOIN picture ON picture.id = cell.picture WHERE state = 1 ORDER BY "
    "cell.id",
    "INSERT INTO cell (key, model, picture, target, scalar, precision, method, baseline, seed, wanted, state,"
    " value_input, value_baseline, sum, delta, step_error, evaluations, value_count, seconds, versions, finished,"
    " stability) SELECT ?1, model.id, picture.id, ?4, ?5, ?6, ?7, ?8, ?9, 0, 1, ?10, ?11, ?12, ?13, ?14, ?15, ?16, "
    "?17, ?18, ?19, ?20"
    " FROM model, picture WHERE model.hash = ?2 AND picture.hash = ?3 ON CONFLICT (key) DO UPDATE SET state = 1,"
    " reason = NULL, value_input = excluded.value_input, value_baseline = excluded.value_baseline, sum = excluded.sum,"
    " delta = excluded.delta, step_error = excluded.step_error, evaluations = excluded.evaluations,"
    " value_count = excluded.value_count, seconds = excluded.seconds, versions = excluded.versions,"
    " finished = excluded.finished, stability = excluded.stability WHERE state <> 1 OR (value_input IS NULL AND "
    "excluded.value_input IS NOT NULL)",
    check_key};

/* The file of a kept map: named by the cell, whatever the other store says. */
static const transfer maps = {"SELECT key FROM cell WHERE state = 1 AND map IS NOT NULL",
                              "UPDATE cell SET map = key || '.npz' WHERE key = ?1 AND state = 1 AND map IS NULL", NULL};

static const transfer scores = {
    "SELECT key, metric, value, note, curve, score.seconds FROM score JOIN cell ON cell.id = score.cell"
    " WHERE state = 1",
    "INSERT INTO score (cell, metric, value, note, curve, seconds)"
    " SELECT cell.id, ?2, ?3, ?4, ?5, ?6 FROM cell WHERE key = ?1 AND state = 1 ON CONFLICT DO NOTHING",
    check_metric};

static gig_status insert_row(gig_store *to, const char *sql, sqlite3_stmt *row, const gig_store *from)
{
    sqlite3_stmt *statement;
    int code = SQLITE_OK;
    GIG_TRY(gig_sql_prepare(&statement, to, sql));
    for (int i = 0; i < sqlite3_column_count(row) && code == SQLITE_OK; i++)
        code = sqlite3_bind_value(statement, i + 1, sqlite3_column_value(row, i));
    if (code == SQLITE_OK) code = sqlite3_step(statement);
    gig_status status = GIG_OK;
    if ((code & 0xff) == SQLITE_CONSTRAINT) /* our columns reject the other store's values */
        status = gig_fail(GIG_EFORMAT, "%s: the store is damaged (%s)", from->path, sqlite3_errmsg(to->database));
    else if (code != SQLITE_DONE)
        status = gig_sql_fail(to, code);
    gig_sql_reset(statement);
    return status;
}

static gig_status copy_rows(gig_store *to, gig_store *from, const transfer *what)
{
    sqlite3_stmt *row;
    gig_status status = GIG_OK;
    GIG_TRY(gig_sql_prepare(&row, from, what->select));
    for (int more = 1, takes = 1; status == GIG_OK;) {
        status = gig_sql_step(from, row, &more);
        if (status != GIG_OK || !more) break;
        if (what->check) status = what->check(&takes, row, from);
        if (status == GIG_OK && takes) status = insert_row(to, what->insert, row, from);
    }
    gig_sql_reset(row);
    return status;
}

static gig_status count_shared(size_t *count, gig_store *to, gig_store *from)
{
    sqlite3_stmt *row;
    gig_status status = GIG_OK;
    *count = 0;
    GIG_TRY(gig_sql_prepare(&row, from, "SELECT key FROM cell WHERE state = 1"));
    for (int more = 1; status == GIG_OK;) {
        int64_t id;
        int kept;
        status = gig_sql_step(from, row, &more);
        if (status != GIG_OK || !more) break;
        status = gig_store_find_cell(&id, &kept, to, gig_sql_text(row, 0));
        *count += status == GIG_OK && id;
    }
    gig_sql_reset(row);
    return status;
}

static int is_stopped(void *payload)
{
    const gig_hash_watch *watch = payload;
    return watch->stop(watch->payload);
}

gig_status gig_store_import(size_t *shared, gig_store *store, const char *path, const gig_hash_watch *watch)
{
    enum { STEPS = 100000 }; /* instructions of SQLite's virtual machine, a few milliseconds */
    const transfer *const parts[] = {&rankings, &cells, &maps, &scores};
    gig_hash_watch asked = *watch;
    gig_store *from;
    gig_status status = GIG_OK;
    *shared = 0;
    if (gig_store_is_export(path))
        GIG_TRY(gig_store_open_export(&from, path, store));
    else
        GIG_TRY(gig_store_open(&from, path, GIG_STORE_READ));
    sqlite3_progress_handler(from->database, STEPS, is_stopped, &asked);
    for (size_t i = 0; i < sizeof parts / sizeof *parts && status == GIG_OK; i++)
        status = copy_rows(store, from, parts[i]);
    if (status == GIG_OK) status = count_shared(shared, store, from);
    gig_store_close(from);
    return status;
}
