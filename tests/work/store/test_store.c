/* SPDX-License-Identifier: Apache-2.0 */
/* The store: what is committed stays, nothing is stored twice, and wrong files are refused in words. */
#include "support.h"

#include "base/memory.h"
#include "work/schedule/map_files.h"
#include "work/store/store.h"
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>

static gig_store *open_store(const char *path, gig_store_mode mode)
{
    gig_store *store;
    assert_ok(gig_store_open(&store, path, mode));
    return store;
}

static char picture_name[] = "a.jpg", picture_file[] = "/x/a.jpg", nowhere[] = "/nowhere/p.jpg",
            unreadable[] = "/proc/self/mem";
static const gig_study_picture subject = {.name = picture_name, .file = picture_file, .label = 7};

static gig_study_cell cell_of(const char *method)
{
    return (gig_study_cell){.model = "model hash",
                            .picture = "picture hash",
                            .target = 7,
                            .scalar = "softmax",
                            .precision = "f32",
                            .method = method,
                            .baseline = "black",
                            .seed = 0};
}

static int64_t schedule(gig_store *store, const char *method, gig_cell_state *state)
{
    int64_t model, picture, id = 0;
    gig_study_cell cell = cell_of(method);
    assert_ok(gig_store_put_model(&model, store, cell.model, "mobilenet", "/m.onnx"));
    assert_ok(gig_store_put_picture(&picture, store, cell.picture, "pets", &subject));
    assert_ok(gig_store_plan_cell(&id, state, store, model, picture, &cell));
    return id;
}

static void finish(gig_store *store, int64_t id, double auc)
{
    const double curve[] = {0, 0.25, 1};
    gig_cell_result result = {0.9, 0.1, 0.79, -0.01, NAN, 0.75, 200, 1, 2.5, "gig 0.1.0", NULL};
    gig_cell_score scores[] = {{"auc", auc, NULL, NULL, 0, 0.01}, {"sic", NAN, "too weak", curve, 3, 1.5}};
    assert_ok(gig_store_finish_cell(store, id, &result, scores, 2));
}

typedef struct seen {
    size_t count;
    double sum;
    char last[256];
} seen;

static gig_status look(void *payload, const gig_score_row *row)
{
    seen *s = payload;
    s->count++;
    if (!isnan(row->value)) s->sum += row->value;
    snprintf(s->last, sizeof s->last, "%s %s %s %s %s %s %lld %s %zu", row->model, row->collection, row->picture,
             row->method, row->baseline, row->metric, (long long)row->target, row->note, row->curve_count);
    if (row->curve_count) assert_true(row->curve[1] == 0.25);
    return GIG_OK;
}

static seen scores_of(gig_store *store, const char *metric)
{
    seen s = {0};
    assert_ok(gig_store_each_score(store, metric, look, &s));
    return s;
}

static void keeps_what_was_finished(void **state)
{
    (void)state;
    const char *path = temporary_path("kept.db");
    gig_store *store = open_store(path, GIG_STORE_RUN);
    gig_cell_state cell_state;
    int64_t id = schedule(store, "gig:20", &cell_state);
    assert_int_equal(cell_state, GIG_CELL_PLANNED);
    finish(store, id, 0.75);
    gig_store_close(store);

    store = open_store(path, GIG_STORE_RUN);
    assert_true(schedule(store, "gig:20", &cell_state) == id);
    assert_int_equal(cell_state, GIG_CELL_DONE);
    assert_true(schedule(store, "gig:20/steps=100", &cell_state) != id);
    assert_int_equal(cell_state, GIG_CELL_PLANNED);
    seen all = scores_of(store, NULL);
    assert_true(all.count == 2 && all.sum == 0.75);
    assert_string_equal(all.last, "mobilenet pets a.jpg gig:20 black sic 7 too weak 3");
    assert_true(scores_of(store, "auc").count == 1 && scores_of(store, "aic").count == 0);
    int has;
    assert_ok(gig_store_has_score(&has, store, id, "sic"));
    assert_true(has);
    assert_ok(gig_store_has_score(&has, store, id, "aic"));
    assert_false(has);
    gig_store_close(store);
}

static void adds_a_metric_to_a_finished_cell(void **state)
{
    (void)state;
    gig_store *store = open_store(temporary_path("added.db"), GIG_STORE_RUN);
    gig_cell_state cell_state;
    int64_t id = schedule(store, "ig", &cell_state);
    finish(store, id, 0.5);
    gig_cell_score gini = {.metric = "gini", .value = 0.25};
    assert_ok(gig_store_finish_cell(store, id, NULL, &gini, 1));
    assert_ok(gig_store_finish_cell(store, id, NULL, &gini, 1));
    seen all = scores_of(store, NULL);
    assert_true(all.count == 3 && all.sum == 0.75);
    gig_store_close(store);
}

static gig_status look_at_failure(void *payload, const gig_failure_row *row)
{
    snprintf(payload, 200, "%s %s: %s (%d)", row->picture, row->method, row->reason, row->attempts);
    return GIG_OK;
}

static void counts_the_cells_of_the_present_plan(void **state)
{
    (void)state;
    gig_store *store = open_store(temporary_path("counted.db"), GIG_STORE_RUN);
    gig_cell_state cell_state;
    int64_t counts[3], first = schedule(store, "ig", &cell_state), second = schedule(store, "edge", &cell_state);
    schedule(store, "gig", &cell_state);
    finish(store, first, 0.5);
    assert_ok(gig_store_begin_cell(store, second, 1));
    assert_ok(gig_store_begin_cell(store, second, 1));
    assert_ok(gig_store_fail_cell(store, second, "killed by signal 9"));
    assert_ok(gig_store_count_cells(counts, store));
    assert_true(counts[GIG_CELL_PLANNED] == 1 && counts[GIG_CELL_DONE] == 1 && counts[GIG_CELL_FAILED] == 1);
    char failure[200] = "";
    assert_ok(gig_store_each_failure(store, look_at_failure, failure));
    assert_string_equal(failure, "a.jpg edge: killed by signal 9 (2)");
    assert_ok(gig_store_clear_plan(store));
    schedule(store, "ig", &cell_state);
    assert_ok(gig_store_count_cells(counts, store));
    assert_true(counts[GIG_CELL_PLANNED] == 0 && counts[GIG_CELL_DONE] == 1 && counts[GIG_CELL_FAILED] == 0);
    gig_store_close(store);
}

static void remembers_rankings_and_facts(void **state)
{
    (void)state;
    gig_store *store = open_store(temporary_path("facts.db"), GIG_STORE_RUN);
    int64_t model, picture;
    int found;
    gig_ranking ranking = {.best = 281,
                           .label_rank = 2,
                           .best_probability = 0.5,
                           .label_probability = 0.125,
                           .box_area = 0.25},
                back;
    assert_ok(gig_store_put_model(&model, store, "h", "m", "f"));
    assert_ok(gig_store_put_picture(&picture, store, "p", "s", &subject));
    assert_ok(gig_store_get_ranking(&back, &found, store, model, picture));
    assert_false(found);
    assert_ok(gig_store_put_ranking(store, model, picture, &ranking));
    assert_ok(gig_store_get_ranking(&back, &found, store, model, picture));
    assert_true(found);
    assert_memory_equal(&back, &ranking, sizeof back);
    char *value;
    assert_ok(gig_store_get_fact(&value, store, "manifest"));
    assert_null(value);
    assert_ok(gig_store_set_fact(store, "manifest", "{}"));
    assert_ok(gig_store_set_fact(store, "manifest", "{\"seed\": 1}"));
    assert_ok(gig_store_get_fact(&value, store, "manifest"));
    assert_string_equal(value, "{\"seed\": 1}");
    gig_free(value);
    gig_store_close(store);
}

static void refuses_a_second_run_and_lets_readers_in(void **state)
{
    (void)state;
    const char *path = temporary_path("shared.db");
    gig_store *first = open_store(path, GIG_STORE_RUN), *second;
    gig_cell_state cell_state;
    finish(first, schedule(first, "ig", &cell_state), 0.5);
    assert_status(gig_store_open(&second, path, GIG_STORE_RUN), GIG_EIO);
    assert_message("another run is using this store");
    gig_store *reader = open_store(path, GIG_STORE_READ);
    assert_true(scores_of(reader, "auc").sum == 0.5);
    finish(first, schedule(first, "edge", &cell_state), 0.25);
    assert_true(scores_of(reader, "auc").sum == 0.75);
    gig_store_close(reader);
    gig_store_close(first);
    second = open_store(path, GIG_STORE_RUN);
    gig_store_close(second);
}

/* It is not read as if nobody wrote it. */
static void waits_for_a_store_that_another_program_has(void **state)
{
    (void)state;
    char path[512];
    gig_store *store;
    sqlite3 *other;
    snprintf(path, sizeof path, "%s", temporary_path("busy.db"));
    gig_store_close(open_store(path, GIG_STORE_RUN));
    assert_int_equal(sqlite3_open(path, &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other,
                                  "PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE;"
                                  " INSERT INTO fact (name, value) VALUES ('a', 'b')",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    assert_status(gig_store_open(&store, path, GIG_STORE_READ), GIG_EIO);
    assert_message("busy.db: in use by another program");
    sqlite3_close(other);
    gig_store_close(open_store(path, GIG_STORE_READ));
}

static void rejects_files_that_are_not_a_store(void **state)
{
    (void)state;
    gig_store *store;
    assert_status(gig_store_open(&store, temporary_path("none.db"), GIG_STORE_READ), GIG_EIO);
    assert_message("none.db");
    const char text[] = "This is a letter, not a database, and it is long enough to be read as one: "
                        "one hundred bytes is what the header of a database takes up.";
    const char *path = temporary_file("letter.db", text, sizeof text);
    for (int mode = GIG_STORE_READ; mode <= GIG_STORE_RUN; mode++) {
        assert_status(gig_store_open(&store, path, (gig_store_mode)mode), GIG_EFORMAT);
        assert_message("not a gig study store");
    }
    path = temporary_path("foreign.db");
    sqlite3 *foreign;
    assert_int_equal(sqlite3_open(path, &foreign), SQLITE_OK);
    assert_int_equal(sqlite3_exec(foreign, "CREATE TABLE t (x)", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(foreign);
    assert_status(gig_store_open(&store, path, GIG_STORE_RUN), GIG_EFORMAT);
    assert_message("not a gig study store");
    path = temporary_file("empty.db", "", 0);
    assert_status(gig_store_open(&store, path, GIG_STORE_READ), GIG_EFORMAT);
    assert_status(gig_store_open(&store, "/nowhere/at/all.db", GIG_STORE_RUN), GIG_EIO);
}

static void refuses_a_store_of_another_version(void **state)
{
    (void)state;
    const char *path = temporary_path("version.db");
    gig_store_close(open_store(path, GIG_STORE_RUN));
    sqlite3 *database;
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    assert_int_equal(sqlite3_exec(database, "PRAGMA user_version = 99", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(database);
    gig_store *store;
    assert_status(gig_store_open(&store, path, GIG_STORE_RUN), GIG_EUNSUPPORTED);
    assert_message("version 99");
    assert_status(gig_store_open(&store, path, GIG_STORE_READ), GIG_EUNSUPPORTED);
}

/* What version 1 stored stays; it is read once a run has brought it up to date. */
static void brings_a_store_of_version_1_up_to_date(void **state)
{
    (void)state;
    const char *path = temporary_path("old.db");
    gig_store *store = open_store(path, GIG_STORE_RUN);
    gig_cell_state cell_state;
    int64_t id = schedule(store, "ig", &cell_state);
    finish(store, id, 0.7);
    gig_store_close(store);
    sqlite3 *database;
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(database, "ALTER TABLE cell DROP COLUMN stability; PRAGMA user_version = 1", NULL, NULL, NULL),
        SQLITE_OK);
    sqlite3_close(database);
    assert_status(gig_store_open(&store, path, GIG_STORE_READ), GIG_EUNSUPPORTED);
    assert_message("brings it up to date");
    gig_store_close(open_store(path, GIG_STORE_RUN));
    store = open_store(path, GIG_STORE_READ);
    gig_cell_result result;
    assert_ok(gig_store_get_result(&result, store, id));
    assert_true(result.value_input == 0.9 && result.evaluations == 200 && isnan(result.stability));
    gig_store_close(store);
}

static void plant(const char *path, const char *sql)
{
    sqlite3 *database;
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    assert_int_equal(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(database);
}

/* A trigger in the file would delete what is scored. */
static void runs_no_trigger_of_the_file(void **state)
{
    (void)state;
    const char *path = temporary_path("trigger.db");
    gig_cell_state cell_state;
    gig_store *store = open_store(path, GIG_STORE_RUN);
    finish(store, schedule(store, "ig", &cell_state), 0.5);
    gig_store_close(store);
    plant(path, "CREATE TRIGGER bad AFTER INSERT ON score BEGIN DELETE FROM score; END");
    store = open_store(path, GIG_STORE_RUN);
    finish(store, schedule(store, "edge", &cell_state), 0.25);
    assert_int_equal(scores_of(store, NULL).count, 4);
    gig_store_close(store);
}

/* A view instead of a table would count forever. */
static void reads_no_view_of_the_file(void **state)
{
    (void)state;
    const char *path = temporary_path("view.db");
    gig_cell_state cell_state;
    gig_store *store = open_store(path, GIG_STORE_RUN);
    finish(store, schedule(store, "ig", &cell_state), 0.5);
    gig_store_close(store);
    plant(path, "PRAGMA foreign_keys = OFF; ALTER TABLE cell RENAME TO hidden; CREATE VIEW cell AS WITH RECURSIVE"
                " n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS id, 'k' AS key, 1 AS model,"
                " 1 AS picture, 0 AS target, 's' AS scalar, 'p' AS precision, 'm' AS method, 'b' AS baseline,"
                " 0 AS seed, 1 AS wanted, 0 AS state, 0 AS attempts, '' AS reason FROM n");
    int64_t counts[3];
    assert_ok(gig_store_open(&store, path, GIG_STORE_READ));
    assert_status(gig_store_count_cells(counts, store), GIG_EFORMAT);
    gig_store_close(store);
}

/* A child finishes cells as fast as it can and is killed at some moment; every cell it told of is there, whole. */
static void loses_nothing_when_killed(void **state)
{
    (void)state;
    const char *path = temporary_path("killed.db");
    gig_store_close(open_store(path, GIG_STORE_RUN));
    int64_t told = 0;
    for (int round = 0; round < 10; round++) {
        int ends[2];
        assert_int_equal(pipe(ends), 0);
        pid_t child = fork();
        if (child == 0) {
            gig_store *store = open_store(path, GIG_STORE_RUN);
            for (int i = 0;; i++) {
                char method[32];
                gig_cell_state cell_state;
                snprintf(method, sizeof method, "ig/steps=%d", round * 100000 + i + 1);
                finish(store, schedule(store, method, &cell_state), 1);
                if (write(ends[1], "x", 1) != 1) _exit(1);
            }
        }
        close(ends[1]);
        char mark;
        for (int i = 0; i < 3 + round; i++) told += read(ends[0], &mark, 1) == 1;
        usleep((unsigned)(round * 300));
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        while (read(ends[0], &mark, 1) == 1) told++;
        close(ends[0]);
        gig_store *store = open_store(path, GIG_STORE_RUN);
        int64_t counts[3];
        assert_ok(gig_store_count_cells(counts, store));
        assert_true(counts[GIG_CELL_DONE] >= told && counts[GIG_CELL_DONE] <= told + round + 1);
        assert_true(counts[GIG_CELL_PLANNED] <= round + 1);
        assert_true((int64_t)scores_of(store, NULL).count == 2 * counts[GIG_CELL_DONE]);
        assert_true(scores_of(store, "auc").sum == (double)counts[GIG_CELL_DONE]);
        gig_store_close(store);
    }
}

/* In a child whose files may not grow, finishing fails as a full disk does; what was there before stays. */
static void survives_a_full_disk(void **state)
{
    (void)state;
    const char *path = temporary_path("full.db");
    gig_store *store = open_store(path, GIG_STORE_RUN);
    gig_cell_state cell_state;
    finish(store, schedule(store, "ig", &cell_state), 0.5);
    int64_t id = schedule(store, "edge", &cell_state);
    gig_store_close(store);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGXFSZ, SIG_IGN);
        store = open_store(path, GIG_STORE_RUN);
        struct rlimit limit = {4096, 4096};
        setrlimit(RLIMIT_FSIZE, &limit);
        static double big[4096];
        gig_cell_score score = {"sic", 0.5, NULL, big, 4096, 0};
        gig_status status = gig_store_finish_cell(store, id, NULL, &score, 1);
        _exit(status == GIG_EIO && strstr(gig_message(), "full.db") ? 0 : 1);
    }
    int ended;
    waitpid(child, &ended, 0);
    assert_int_equal(ended, 0);
    store = open_store(path, GIG_STORE_RUN);
    assert_true(scores_of(store, NULL).count == 2 && scores_of(store, "auc").sum == 0.5);
    finish(store, id, 0.25);
    assert_true(scores_of(store, "auc").sum == 0.75);
    gig_store_close(store);
}

static gig_status ignore(void *payload, const gig_score_row *row)
{
    (void)payload, (void)row;
    return GIG_OK;
}

/* A store with bytes changed anywhere is read or refused. */
/* A map that others have used is still there for its own cell, which is to be scored or is just read. */
static void keeps_a_map_until_its_own_cell_has_ended(void **state)
{
    (void)state;
    char folder[512], name[512];
    gig_store *store = open_store(temporary_path("release.db"), GIG_STORE_RUN);
    const gig_manifest manifest = {0};
    gig_schedule about = {.manifest = &manifest, .store = store, .maps = folder};
    snprintf(folder, sizeof folder, "%s", temporary_path("release.db.maps"));
    assert_int_equal(mkdir(folder, 0777), 0);
    const gig_schedule_progress order[] = {GIG_SCHEDULE_WAITING, GIG_SCHEDULE_GIVEN, GIG_SCHEDULE_ENDED};
    gig_schedule_cell cell = {.key = "key", .has_map = 1};
    snprintf(name, sizeof name, "%s", temporary_file("release.db.maps/key.npz", "x", 1));
    for (int i = 0; i < 3; i++) {
        cell.progress = order[i];
        gig_schedule_release_map(&about, &cell);
        assert_int_equal(access(name, F_OK), i < 2 ? 0 : -1);
        assert_int_equal(cell.has_map, i < 2);
    }
    gig_store_close(store);
}

static void survives_damage(void **state)
{
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%s", temporary_path("damaged.db"));
    gig_store *store = open_store(path, GIG_STORE_RUN);
    gig_cell_state cell_state;
    finish(store, schedule(store, "ig", &cell_state), 0.5);
    gig_store_close(store);
    FILE *file = fopen(path, "rb");
    static unsigned char bytes[1 << 20];
    size_t count = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    size_t refused = 0;
    for (size_t at = 0; at < count; at += at < 4200 ? 13 : 251) {
        unsigned char before = bytes[at];
        bytes[at] ^= 0xff;
        temporary_file("damaged.db", bytes, count);
        bytes[at] = before;
        gig_status status = gig_store_open(&store, path, GIG_STORE_READ);
        if (status == GIG_OK) {
            status = gig_store_each_score(store, NULL, ignore, NULL);
            gig_store_close(store);
        }
        refused += status != GIG_OK;
        assert_true(status == GIG_OK || status == GIG_EFORMAT || status == GIG_EUNSUPPORTED || status == GIG_EIO);
    }
    assert_true(refused > 10);
}

static void gives_every_difference_another_key(void **state)
{
    (void)state;
    gig_study_cell cells[9];
    char keys[9][GIG_HASH_TEXT];
    for (int i = 0; i < 9; i++) cells[i] = cell_of("ig");
    cells[1].model = "other";
    cells[2].picture = "other";
    cells[3].target = 8;
    cells[4].scalar = "logit";
    cells[5].precision = "bf16";
    cells[6].method = "gig";
    cells[7].baseline = "white";
    cells[8].seed = 1;
    for (int i = 0; i < 9; i++) {
        assert_ok(gig_study_cell_key(keys[i], &cells[i]));
        assert_true(strlen(keys[i]) == 64);
        for (int k = 0; k < i; k++) assert_string_not_equal(keys[i], keys[k]);
    }
    char again[GIG_HASH_TEXT];
    assert_ok(gig_study_cell_key(again, &cells[0]));
    assert_string_equal(again, keys[0]);
    gig_study_cell shifted = cell_of("i");
    shifted.baseline = "gblack"; /* the same letters, cut elsewhere */
    assert_ok(gig_study_cell_key(again, &shifted));
    assert_string_not_equal(again, keys[0]);
}

static void hashes_pictures_with_their_ground_truth(void **state)
{
    (void)state;
    char file[512], mask[512], a[GIG_HASH_TEXT], b[GIG_HASH_TEXT];
    snprintf(file, sizeof file, "%s", temporary_file("p.jpg", "picture", 7));
    snprintf(mask, sizeof mask, "%s", temporary_file("m.png", "mask", 4));
    gig_box box = {1, 2, 3, 4};
    gig_study_picture s = {.name = picture_name, .file = file, .mask = mask, .label = 1, .box_count = 1, .boxes = &box};
    assert_ok(gig_study_picture_hash(a, "set", &s, NULL));
    box.xmax = 5;
    assert_ok(gig_study_picture_hash(b, "set", &s, NULL));
    assert_string_not_equal(a, b);
    box.xmax = 3;
    assert_ok(gig_study_picture_hash(b, "set", &s, NULL));
    assert_string_equal(a, b);
    temporary_file("m.png", "Mask", 4);
    assert_ok(gig_study_picture_hash(b, "set", &s, NULL));
    assert_string_not_equal(a, b);
    s.mask = NULL;
    s.file = nowhere;
    assert_ok(gig_study_picture_hash(b, "set", &s, NULL));
    assert_string_not_equal(a, b);
    s.file = unreadable; /* as a file on a disk that fails */
    assert_status(gig_study_picture_hash(b, "set", &s, NULL), GIG_EIO);
    assert_status(gig_model_hash(a, "/nowhere/m.onnx", NULL, NULL), GIG_EIO);
    assert_ok(gig_model_hash(a, source_path("demo/model.onnx"), NULL, NULL));
    assert_ok(gig_model_hash(b, source_path("demo/model.onnx"), mask, NULL));
    assert_string_not_equal(a, b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_what_was_finished),
        cmocka_unit_test(adds_a_metric_to_a_finished_cell),
        cmocka_unit_test(counts_the_cells_of_the_present_plan),
        cmocka_unit_test(remembers_rankings_and_facts),
        cmocka_unit_test(refuses_a_second_run_and_lets_readers_in),
        cmocka_unit_test(waits_for_a_store_that_another_program_has),
        cmocka_unit_test(rejects_files_that_are_not_a_store),
        cmocka_unit_test(refuses_a_store_of_another_version),
        cmocka_unit_test(brings_a_store_of_version_1_up_to_date),
        cmocka_unit_test(runs_no_trigger_of_the_file),
        cmocka_unit_test(reads_no_view_of_the_file),
        cmocka_unit_test(loses_nothing_when_killed),
        cmocka_unit_test(survives_a_full_disk),
        cmocka_unit_test(keeps_a_map_until_its_own_cell_has_ended),
        cmocka_unit_test(survives_damage),
        cmocka_unit_test(gives_every_difference_another_key),
        cmocka_unit_test(hashes_pictures_with_their_ground_truth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
