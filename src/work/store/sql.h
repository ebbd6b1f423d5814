/* SPDX-License-Identifier: Apache-2.0 */
/* SQL statements of a store: prepared once, bound by type, with our error messages. */
#ifndef GIG_WORK_STORE_SQL_H
#define GIG_WORK_STORE_SQL_H

#include "work/store/store.h"
#include <sqlite3.h>

enum { GIG_SQL_STATEMENTS = 32 };

struct gig_store {
    sqlite3 *database;
    char *path;
    int lock; /* descriptor of the lock file, or -1 */
    int in_transaction;
    struct {
        const char *sql; /* the literal it was prepared from, compared by address */
        sqlite3_stmt *statement;
    } prepared[GIG_SQL_STATEMENTS];
};

/* The status of an SQLite result code, with SQLite's message and the store's path. */
gig_status gig_sql_fail(const gig_store *store, int code);

gig_status gig_sql_execute(gig_store *store, const char *sql);

/* A statement for one of our literals, reset and unbound. */
gig_status gig_sql_prepare(sqlite3_stmt **out, gig_store *store, const char *sql);

/* Binds arguments in order: i int64_t, d double (NaN is NULL), t const char * (NULL is NULL), b const void * and
 * size_t.
 */
gig_status gig_sql_bind(gig_store *store, sqlite3_stmt *statement, const char *kinds, ...);

/* Runs a statement that gives no rows, or one row to be read by the caller: *row tells. */
gig_status gig_sql_step(gig_store *store, sqlite3_stmt *statement, int *row);

/* Ends the use of a statement. */
void gig_sql_reset(sqlite3_stmt *statement);

/* prepare, bind and step of a statement without rows. */
#define GIG_SQL_RUN(store, sql, kinds, ...)                                                                            \
    do {                                                                                                               \
        sqlite3_stmt *statement_;                                                                                      \
        int row_;                                                                                                      \
        GIG_TRY(gig_sql_prepare(&statement_, (store), (sql)));                                                         \
        GIG_TRY(gig_sql_bind((store), statement_, (kinds), __VA_ARGS__));                                              \
        gig_status run_ = gig_sql_step((store), statement_, &row_);                                                    \
        gig_sql_reset(statement_);                                                                                     \
        if (run_ != GIG_OK) return run_;                                                                               \
    } while (0)

double gig_sql_double(sqlite3_stmt *statement, int column); /* NULL is NaN */
const char *gig_sql_text(sqlite3_stmt *statement, int column);

#endif
