/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a store, its schema, transactions and facts. */
#include "work/store/store.h"
#include "base/filename.h"
#include "base/memory.h"
#include "work/store/defaults.h"
#include "work/store/sql.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* "gigs" as the file's application id, and the version of the schema below. */
enum { APPLICATION = 0x67696773, VERSION = 2, BUSY_MILLISECONDS = 5000, MOST_BYTES = 64 << 20 };

static const char in_memory[] = ":memory:";

static const char schema[] =
    "CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;"
    "CREATE TABLE model (id INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, name TEXT NOT NULL, file TEXT NOT NULL)"
    " STRICT;"
    "CREATE TABLE picture (id INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, collection TEXT NOT NULL,"
    " name TEXT NOT NULL, file TEXT NOT NULL, label INTEGER) STRICT;"
    "CREATE TABLE ranking (model INTEGER NOT NULL REFERENCES model, picture INTEGER NOT NULL REFERENCES picture,"
    " best INTEGER NOT NULL, best_probability REAL, label_rank INTEGER NOT NULL, label_probability REAL,"
    " box_area REAL,"
    " PRIMARY KEY (model, picture)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE cell (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, model INTEGER NOT NULL REFERENCES model,"
    " picture INTEGER NOT NULL REFERENCES picture, target INTEGER NOT NULL, scalar TEXT NOT NULL,"
    " precision TEXT NOT NULL, method TEXT NOT NULL, baseline TEXT NOT NULL, seed INTEGER NOT NULL,"
    " wanted INTEGER NOT NULL, state INTEGER NOT NULL, attempts INTEGER NOT NULL DEFAULT 0, reason TEXT,"
    " value_input REAL, value_baseline REAL, sum REAL, delta REAL, step_error REAL, evaluations INTEGER,"
    " value_count INTEGER, seconds REAL, versions TEXT, map TEXT, finished TEXT, stability REAL) STRICT;"
    "CREATE TABLE score (cell INTEGER NOT NULL REFERENCES cell, metric TEXT NOT NULL, value REAL, note TEXT,"
    " curve BLOB, seconds REAL, PRIMARY KEY (cell, metric)) STRICT, WITHOUT ROWID;";

/* ---- opening ---- */

char *gig_store_beside(const char *path, const char *ending)
{
    char *whole = gig_filename_resolve(path), *name = NULL;
    size_t bytes = whole ? strlen(whole) + strlen(ending) + 1 : 0;
    if (whole) name = gig_alloc(bytes, 1);
    if (name) snprintf(name, bytes, "%s%s", whole, ending);
    gig_free(whole);
    return name;
}

/* One run at a time, under whatever path it opens the store: a lock on a file beside it, which the kernel releases when
 * the process ends, however it ends. (A lock on the store itself would be lost as soon as anything in this process
 * closed a descriptor of it.) */
static gig_status lock_store(gig_store *store)
{
    enum { TRIES = 20, PAUSE = 10000 }; /* microseconds: a process that checks for runs holds the lock for a moment */
    char *path = gig_store_beside(store->path, ".lock");
    if (!path) return gig_alloc_status();
    store->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    int problem = store->lock < 0 ? errno : EWOULDBLOCK;
    for (int i = 0; i < TRIES && problem == EWOULDBLOCK; i++) {
        if (i) usleep(PAUSE);
        problem = flock(store->lock, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
    }
    gig_status status = GIG_OK;
    if (problem == EWOULDBLOCK)
        status = gig_fail(GIG_EIO, "%s: another run is using this store", store->path);
    else if (problem)
        status = gig_fail(GIG_EIO, "%s: cannot be written (%s)", path, strerror(problem));
    gig_free(path);
    return status;
}

gig_status gig_store_has_run(int *running, const char *path)
{
    *running = 0;
    char *name = gig_store_beside(path, ".lock");
    if (!name) return gig_alloc_status();
    int lock = open(name, O_RDONLY | O_CLOEXEC);
    gig_free(name);
    if (lock < 0) return GIG_OK; /* no run has ever opened it */
    *running = flock(lock, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    close(lock);
    return GIG_OK;
}

static gig_status read_number(int64_t *out, gig_store *store, const char *sql)
{
    sqlite3_stmt *statement;
    int row;
    GIG_TRY(gig_sql_prepare(&statement, store, sql));
    GIG_TRY(gig_sql_step(store, statement, &row));
    *out = row ? sqlite3_column_int64(statement, 0) : 0;
    gig_sql_reset(statement);
    return GIG_OK;
}

/* Version 1 had no column for the stability of repeated walks. */
static gig_status bring_up_to_date(gig_store *store)
{
    char pragma[64];
    snprintf(pragma, sizeof pragma, "PRAGMA user_version = %d", VERSION);
    GIG_TRY(gig_store_begin(store));
    GIG_TRY(gig_sql_execute(store, "ALTER TABLE cell ADD COLUMN stability REAL"));
    GIG_TRY(gig_sql_execute(store, pragma));
    return gig_store_commit(store);
}

static gig_status check_version(gig_store *store, gig_store_mode mode)
{
    int64_t application, version;
    GIG_TRY(read_number(&application, store, "PRAGMA application_id"));
    GIG_TRY(read_number(&version, store, "PRAGMA user_version"));
    if (application != APPLICATION) return gig_fail(GIG_EFORMAT, "%s: not a gig study store", store->path);
    if (version == 1 && mode != GIG_STORE_READ) return bring_up_to_date(store);
    if (version == 1)
        return gig_fail(GIG_EUNSUPPORTED,
                        "%s: the store is of version 1, this program reads version %d: \"gig study run\" with its "
                        "manifest brings it up to date",
                        store->path, VERSION);
    if (version != VERSION)
        return gig_fail(GIG_EUNSUPPORTED, "%s: the store is of version %lld, this program reads version %d",
                        store->path, (long long)version, VERSION);
    return GIG_OK;
}

/* Whether names mean the same in this program and in the store. */
static gig_status check_defaults(gig_store *store)
{
    char *stored = NULL;
    GIG_TRY(gig_store_get_fact(&stored, store, "defaults"));
    gig_status status = gig_defaults_check(stored);
    gig_free(stored);
    return status == GIG_OK ? GIG_OK : gig_fail_in(status, "%s", store->path);
}

/* Old names mean what they would mean if they were written now, and new ones are written now, so the store holds names
 * of these defaults. Without this, one of an older release would never know the options that came since. */
static gig_status say_defaults(gig_store *store)
{
    char *stored = NULL, *defaults = NULL;
    GIG_TRY(gig_store_get_fact(&stored, store, "defaults"));
    gig_status status = gig_defaults_extend(&defaults, stored);
    if (status == GIG_OK && (!stored || strcmp(stored, defaults)))
        status = gig_store_set_fact(store, "defaults", defaults);
    gig_free(defaults);
    gig_free(stored);
    return status;
}

/* The first statement, for which SQLite reads the schema. SQLite reports some schemas that it cannot parse as out of
 * memory; if it can still allocate a mebibyte, memory is not the cause. */
static gig_status count_tables(int64_t *out, gig_store *store)
{
    gig_status status = read_number(out, store, "SELECT count(*) FROM sqlite_schema");
    void *some = status == GIG_ENOMEM ? sqlite3_malloc(1 << 20) : NULL;
    sqlite3_free(some);
    return some ? gig_fail(GIG_EFORMAT, "%s: the store is damaged (its tables cannot be read)", store->path) : status;
}

/* A new file gets its schema in one transaction; an existing one must have it. */
static gig_status set_up(gig_store *store, gig_store_mode mode)
{
    int64_t tables;
    GIG_TRY(gig_sql_execute(store, "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON"));
    GIG_TRY(count_tables(&tables, store));
    if (tables || mode == GIG_STORE_READ) {
        GIG_TRY(check_version(store, mode));
        GIG_TRY(check_defaults(store));
    }
    if (mode == GIG_STORE_READ) return GIG_OK;
    GIG_TRY(gig_sql_execute(store, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON"));
    if (tables) return say_defaults(store);
    char pragmas[128];
    snprintf(pragmas, sizeof pragmas, "PRAGMA application_id = %d; PRAGMA user_version = %d", APPLICATION, VERSION);
    GIG_TRY(gig_store_begin(store));
    GIG_TRY(gig_sql_execute(store, schema));
    GIG_TRY(gig_sql_execute(store, pragmas));
    GIG_TRY(say_defaults(store));
    return gig_store_commit(store);
}

static gig_status connect_as(gig_store *store, gig_store_mode mode, const char *name, int flags)
{
    int code = sqlite3_open_v2(name, &store->database, flags | SQLITE_OPEN_NOMUTEX, NULL);
    if (code != SQLITE_OK) return gig_sql_fail(store, code);
    sqlite3_extended_result_codes(store->database, 1);
    sqlite3_busy_timeout(store->database, BUSY_MILLISECONDS);
    sqlite3_limit(store->database, SQLITE_LIMIT_LENGTH, MOST_BYTES);
    /* The file may be untrusted: nothing in its schema is executed. */
    sqlite3_db_config(store->database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(store->database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_db_config(store->database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(store->database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    return set_up(store, mode);
}

static void disconnect(gig_store *store)
{
    gig_store_undo(store);
    for (int i = 0; i < GIG_SQL_STATEMENTS; i++) sqlite3_finalize(store->prepared[i].statement);
    memset(store->prepared, 0, sizeof store->prepared);
    sqlite3_close(store->database);
    store->database = NULL;
}

/* If the folder is read-only, SQLite cannot share a store in WAL mode, but nothing writes there either: it is opened as
 * immutable. */
static gig_status connect_unchanging(gig_store *store)
{
    const char unsafe[] = "?#%", digits[] = "0123456789ABCDEF", after[] = "?immutable=1";
    size_t length = strlen(store->path);
    char *name = gig_alloc(5 + 3 * length + sizeof after, 1), *to = name;
    if (!name) return gig_alloc_status();
    to = mempcpy(to, "file:", 5);
    for (const char *c = store->path; *c; c++) {
        if (!strchr(unsafe, *c)) {
            *to++ = *c;
            continue;
        }
        *to++ = '%';
        *to++ = digits[(unsigned char)*c >> 4];
        *to++ = digits[*c & 15];
    }
    memcpy(to, after, sizeof after);
    gig_status status = connect_as(store, GIG_STORE_READ, name, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
    gig_free(name);
    return status;
}

/* The last commits of a killed run are in the WAL file, which SQLite ignores for an immutable store. */
static gig_status expect_no_changes(const gig_store *store)
{
    char *path = gig_store_beside(store->path, "-wal");
    struct stat about;
    if (!path) return gig_alloc_status();
    int waiting = stat(path, &about) == 0 && about.st_size > 0;
    gig_free(path);
    if (!waiting) return GIG_OK;
    return gig_fail(GIG_EIO,
                    "%s: its last changes are in %s-wal, and cannot be read where the folder cannot be written: copy "
                    "both to another",
                    store->path, store->path);
}

static int is_in_use(const gig_store *store)
{
    int code = store->database ? sqlite3_errcode(store->database) & 0xff : SQLITE_OK;
    return code == SQLITE_BUSY || code == SQLITE_LOCKED;
}

static gig_status connect_store(gig_store *store, gig_store_mode mode)
{
    if (mode == GIG_STORE_RUN) {
        if (strcmp(store->path, in_memory)) GIG_TRY(lock_store(store));
        return connect_as(store, mode, store->path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    }
    if (access(store->path, R_OK) != 0) return gig_fail(GIG_EIO, "%s: cannot open: %s", store->path, strerror(errno));
    gig_status status = connect_as(store, mode, store->path, SQLITE_OPEN_READWRITE);
    if (status != GIG_EIO || is_in_use(store)) return status;
    disconnect(store);
    GIG_TRY(expect_no_changes(store));
    return connect_unchanging(store);
}

gig_status gig_store_open(gig_store **out, const char *path, gig_store_mode mode)
{
    *out = NULL;
    gig_store *store = gig_alloc_zero(1, sizeof *store);
    if (!store) return gig_alloc_status();
    store->lock = -1;
    store->path = gig_strdup(path);
    gig_status status = store->path ? connect_store(store, mode) : gig_alloc_status();
    if (status == GIG_OK)
        *out = store;
    else
        gig_store_close(store);
    return status;
}

static gig_status copy_store(gig_store *to, const char *path)
{
    gig_store *from;
    GIG_TRY(gig_store_open(&from, path, GIG_STORE_READ));
    sqlite3_backup *backup = sqlite3_backup_init(to->database, "main", from->database, "main");
    int code = backup ? sqlite3_backup_step(backup, -1) : sqlite3_errcode(to->database);
    sqlite3_backup_finish(backup);
    gig_store_close(from);
    return code == SQLITE_DONE ? GIG_OK : gig_sql_fail(to, code);
}

gig_status gig_store_open_empty(gig_store **out)
{
    return gig_store_open(out, in_memory, GIG_STORE_RUN);
}

gig_status gig_store_open_copy(gig_store **out, const char *path)
{
    GIG_TRY(gig_store_open_empty(out));
    if (access(path, F_OK) != 0) return GIG_OK;
    gig_status status = copy_store(*out, path);
    if (status != GIG_OK) {
        gig_store_close(*out);
        *out = NULL;
    }
    return status;
}

void gig_store_close(gig_store *store)
{
    if (!store) return;
    disconnect(store);
    if (store->lock >= 0) close(store->lock);
    gig_free(store->path);
    gig_free(store);
}

/* ---- transactions ---- */

gig_status gig_store_begin(gig_store *store)
{
    if (store->in_transaction) return gig_fail(GIG_EINTERNAL, "a transaction inside another");
    GIG_TRY(gig_sql_execute(store, "BEGIN IMMEDIATE"));
    store->in_transaction = 1;
    return GIG_OK;
}

gig_status gig_store_commit(gig_store *store)
{
    gig_status status = gig_sql_execute(store, "COMMIT");
    if (status == GIG_OK) store->in_transaction = 0;
    return status;
}

void gig_store_undo(gig_store *store)
{
    if (store->in_transaction && store->database) sqlite3_exec(store->database, "ROLLBACK", NULL, NULL, NULL);
    store->in_transaction = 0;
}

/* ---- facts ---- */

gig_status gig_store_set_fact(gig_store *store, const char *name, const char *value)
{
    GIG_SQL_RUN(store,
                "INSERT INTO fact (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                "tt", name, value);
    return GIG_OK;
}

gig_status gig_store_get_fact(char **value, gig_store *store, const char *name)
{
    sqlite3_stmt *statement;
    int row;
    *value = NULL;
    GIG_TRY(gig_sql_prepare(&statement, store, "SELECT value FROM fact WHERE name = ?"));
    GIG_TRY(gig_sql_bind(store, statement, "t", name));
    GIG_TRY(gig_sql_step(store, statement, &row));
    gig_status status = GIG_OK;
    if (row && !(*value = gig_strdup(gig_sql_text(statement, 0)))) status = gig_alloc_status();
    gig_sql_reset(statement);
    return status;
}
