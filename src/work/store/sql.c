/* SPDX-License-Identifier: Apache-2.0 */
#include "work/store/sql.h"
#include <math.h>
#include <stdarg.h>
#include <string.h>

gig_status gig_sql_fail(const gig_store *store, int code)
{
    const char *text = store->database ? sqlite3_errmsg(store->database) : sqlite3_errstr(code);
    int cause = store->database ? sqlite3_system_errno(store->database) : 0;
    if ((code & 0xff) == SQLITE_IOERR && cause) text = strerror(cause);
    switch (code & 0xff) {
    case SQLITE_NOMEM: return gig_fail(GIG_ENOMEM, "%s: out of memory", store->path);
    case SQLITE_FULL: return gig_fail(GIG_EIO, "%s: the disk is full", store->path);
    case SQLITE_INTERRUPT: return gig_fail(GIG_ECANCEL, "stopped");
    case SQLITE_READONLY: return gig_fail(GIG_EIO, "%s: cannot be written (%s)", store->path, text);
    case SQLITE_CANTOPEN: return gig_fail(GIG_EIO, "%s: cannot open it (%s)", store->path, text);
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return gig_fail(GIG_EIO, "%s: in use by another program", store->path);
    case SQLITE_IOERR:
    case SQLITE_PERM:
    case SQLITE_AUTH: return gig_fail(GIG_EIO, "%s: cannot be read or written (%s)", store->path, text);
    case SQLITE_NOTADB: return gig_fail(GIG_EFORMAT, "%s: not a gig study store", store->path);
    case SQLITE_CORRUPT:
    case SQLITE_TOOBIG:
    case SQLITE_ERROR:
    case SQLITE_SCHEMA: return gig_fail(GIG_EFORMAT, "%s: the store is damaged (%s)", store->path, text);
    default: return gig_fail(GIG_EINTERNAL, "%s: SQLite says \"%s\"", store->path, text);
    }
}

gig_status gig_sql_execute(gig_store *store, const char *sql)
{
    int code = sqlite3_exec(store->database, sql, NULL, NULL, NULL);
    return code == SQLITE_OK ? GIG_OK : gig_sql_fail(store, code);
}

gig_status gig_sql_prepare(sqlite3_stmt **out, gig_store *store, const char *sql)
{
    int slot = 0;
    while (slot < GIG_SQL_STATEMENTS && store->prepared[slot].sql && store->prepared[slot].sql != sql) slot++;
    if (slot == GIG_SQL_STATEMENTS) return gig_fail(GIG_EINTERNAL, "too many kinds of statements");
    if (!store->prepared[slot].sql) {
        int code = sqlite3_prepare_v3(store->database, sql, -1, SQLITE_PREPARE_PERSISTENT,
                                      &store->prepared[slot].statement, NULL);
        if (code != SQLITE_OK) return gig_sql_fail(store, code);
        store->prepared[slot].sql = sql;
    }
    *out = store->prepared[slot].statement;
    return GIG_OK;
}

void gig_sql_reset(sqlite3_stmt *statement)
{
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
}

static int bind_next(sqlite3_stmt *statement, int index, char kind, va_list *arguments)
{
    switch (kind) {
    case 'i': return sqlite3_bind_int64(statement, index, va_arg(*arguments, int64_t));
    case 'd': return sqlite3_bind_double(statement, index, va_arg(*arguments, double));
    case 't': return sqlite3_bind_text(statement, index, va_arg(*arguments, const char *), -1, SQLITE_TRANSIENT);
    case 'b': {
        const void *bytes = va_arg(*arguments, const void *);
        size_t count = va_arg(*arguments, size_t);
        if (!count) return sqlite3_bind_null(statement, index);
        return sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
    }
    default: return SQLITE_MISUSE;
    }
}

gig_status gig_sql_bind(gig_store *store, sqlite3_stmt *statement, const char *kinds, ...)
{
    va_list arguments;
    int code = SQLITE_OK;
    va_start(arguments, kinds);
    for (int i = 0; kinds[i] && code == SQLITE_OK; i++) code = bind_next(statement, i + 1, kinds[i], &arguments);
    va_end(arguments);
    if (code == SQLITE_OK) return GIG_OK;
    gig_sql_reset(statement);
    return gig_sql_fail(store, code);
}

gig_status gig_sql_step(gig_store *store, sqlite3_stmt *statement, int *row)
{
    int code = sqlite3_step(statement);
    *row = code == SQLITE_ROW;
    if (code == SQLITE_ROW || code == SQLITE_DONE) return GIG_OK;
    gig_status status = gig_sql_fail(store, code);
    gig_sql_reset(statement);
    return status;
}

double gig_sql_double(sqlite3_stmt *statement, int column)
{
    if (sqlite3_column_type(statement, column) == SQLITE_NULL) return NAN;
    return sqlite3_column_double(statement, column);
}

const char *gig_sql_text(sqlite3_stmt *statement, int column)
{
    const char *text = (const char *)sqlite3_column_text(statement, column);
    return text ? text : "";
}
