/* SPDX-License-Identifier: Apache-2.0 */
/* Remarks on a study that its counts do not show. */
#include "base/memory.h"
#include "base/text.h"
#include "internal/work.h"
#include "work/store/sql.h"

/* It is normal that only some maps of a set have a metric: edge maps, for example, have no path. */
static gig_status add_undefined(gig_text *out, gig_store *store)
{
    sqlite3_stmt *statement;
    gig_status status = GIG_OK;
    GIG_TRY(gig_sql_prepare(&statement, store,
                            "SELECT metric, model.name, collection, count(DISTINCT cell.picture), min(note) FROM cell"
                            " JOIN score ON score.cell = cell.id JOIN model ON model.id = cell.model JOIN picture ON"
                            " picture.id = cell.picture WHERE wanted = 1 AND state = 1"
                            " GROUP BY cell.model, collection, metric HAVING count(value) = 0"));
    for (int row = 1; row && status == GIG_OK;) {
        status = gig_sql_step(store, statement, &row);
        if (status == GIG_OK && row)
            gig_text_add(out, "%s is defined on none of %lld pictures of set \"%s\" for model \"%s\": %s\n",
                         gig_sql_text(statement, 0), (long long)sqlite3_column_int64(statement, 3),
                         gig_sql_text(statement, 2), gig_sql_text(statement, 1), gig_sql_text(statement, 4));
    }
    gig_sql_reset(statement);
    return status;
}

gig_status gig_study_remarks(char **text, const char *path)
{
    gig_store *store;
    gig_text out = {0};
    char *planned = NULL;
    *text = NULL;
    GIG_TRY(gig_store_open(&store, path, GIG_STORE_READ));
    gig_status status = gig_store_get_fact(&planned, store, "remarks");
    if (status == GIG_OK && planned) gig_text_add(&out, "%s", planned);
    if (status == GIG_OK) status = add_undefined(&out, store);
    gig_store_close(store);
    gig_free(planned);
    if (status == GIG_OK) return gig_text_take(text, &out);
    gig_free(out.text);
    return status;
}
