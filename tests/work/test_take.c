/* Stores of other runs, from other machines for one: what they have of a study is taken and not computed again. */
#include "program.h"

enum { BROKEN_FILE = 2, UNSUPPORTED = 4, IO = 5 };

#define SCORES "\"options\": {\"steps\": 10}, \"filter\": {\"top\": 5}, \"metrics\": [\"auc\", \"gini\"]"
static const char half[] = "\"limit\": 6, \"methods\": [\"edge\", \"ig\"], " SCORES;
static const char rest[] = "\"limit\": 6, \"methods\": [\"gradients\"], " SCORES;
static const char all[] = "\"limit\": 6, \"methods\": [\"edge\", \"ig\", \"gradients\"], " SCORES;
enum { HALF_CELLS = 12, CELLS = 18 };

static char half_store[512], rest_store[512], all_store[512];
static scores whole;

static int make_stores(void **state)
{
    (void)state;
    snprintf(half_store, sizeof half_store, "%s", temporary_path("half.db"));
    snprintf(rest_store, sizeof rest_store, "%s", temporary_path("rest.db"));
    snprintf(all_store, sizeof all_store, "%s", temporary_path("all.db"));
    assert_int_equal(study_run(write_study("half.json", half), half_store), 0);
    assert_int_equal(study_run(write_study("rest.json", rest), rest_store), 0);
    assert_int_equal(study_run(write_study("all.json", all), all_store), 0);
    whole = scores_export(all_store);
    return whole.count == 2 * CELLS ? 0 : -1;
}

static int drop_scores(void **state)
{
    (void)state;
    scores_clear(&whole);
    return 0;
}

/* Runs `all` with a store of its own; NULLs are left out. */
static int run_taking(const char *store, const char *first, const char *second, const char *more)
{
    char manifest[512], path[512], other[1024];
    snprintf(other, sizeof other, "%s", first); /* it may be one of the four paths that are used in turn */
    snprintf(manifest, sizeof manifest, "%s", write_study("all.json", all));
    snprintf(path, sizeof path, "%s", temporary_path(store));
    const char *arguments[12] = {program_path(), "study", "run", manifest, "--store", path, "--take", other};
    size_t count = 8;
    if (second) arguments[count++] = "--take";
    if (second) arguments[count++] = second;
    if (more) arguments[count++] = more;
    return program_end(program_start(arguments));
}

static void change(const char *store, const char *sql)
{
    sqlite3 *database;
    assert_int_equal(sqlite3_open(store, &database), SQLITE_OK);
    assert_int_equal(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(database);
}

/* A copy of the half study's store that no program has open. */
static const char *copy_half(const char *name, const char *sql)
{
    size_t bytes;
    char *content = read_whole(half_store, &bytes);
    const char *path = temporary_file(name, content, bytes);
    free(content);
    change(path, sql);
    return path;
}

static void computes_only_what_is_not_taken(void **state)
{
    (void)state;
    assert_int_equal(run_taking("one.db", half_store, NULL, NULL), 0);
    assert_same_scores(temporary_path("one.db"), &whole);
    assert_true(store_ask(temporary_path("one.db"), ALL_BEGUN) == CELLS - HALF_CELLS);
}

static void needs_no_work_where_all_is_taken(void **state)
{
    (void)state;
    assert_int_equal(run_taking("dry.db", half_store, rest_store, "--dry-run"), 0);
    char *said = read_whole(said_path, NULL);
    assert_string_equal(said, "0 maps, 0 scores, 0 gradients, 0 values: 0.00 hours of one core\n");
    free(said);
    assert_true(access(temporary_path("dry.db"), F_OK) != 0);
    assert_int_equal(run_taking("both.db", half_store, rest_store, NULL), 0);
    assert_same_scores(temporary_path("both.db"), &whole);
    assert_true(store_ask(temporary_path("both.db"), ALL_BEGUN) == 0);
    assert_true(store_ask(temporary_path("both.db"), "SELECT count(*) FROM ranking") ==
                store_ask(all_store, "SELECT count(*) FROM ranking"));
}

static void keeps_what_it_has_and_mends_what_failed(void **state)
{
    (void)state;
    assert_int_equal(run_taking("kept.db", half_store, NULL, NULL), 0);
    change(temporary_path("kept.db"), "UPDATE cell SET state = 2, reason = 'killed' WHERE method = 'edge'");
    change(temporary_path("kept.db"), "DELETE FROM score WHERE cell IN (SELECT id FROM cell WHERE state = 2)");
    long begun = store_ask(temporary_path("kept.db"), ALL_BEGUN);
    const char *other = copy_half("other.db", "UPDATE score SET value = 0.123");
    assert_int_equal(run_taking("kept.db", other, NULL, NULL), 0);
    assert_true(store_ask(temporary_path("kept.db"), "SELECT count(*) FROM score WHERE value = 0.123") == 12);
    assert_true(store_ask(temporary_path("kept.db"), CELLS_DONE) == CELLS);
    assert_true(store_ask(temporary_path("kept.db"), "SELECT count(*) FROM cell WHERE reason IS NOT NULL") == 0);
    assert_true(store_ask(temporary_path("kept.db"), ALL_BEGUN) == begun);
}

static void finds_maps_that_were_copied_too(void **state)
{
    (void)state;
    char from[512], to[512], command[1100];
    snprintf(from, sizeof from, "%s", temporary_path("mapped.db"));
    snprintf(to, sizeof to, "%s", temporary_path("regions.db"));
    assert_int_equal(study_run(write_study("mapped.json", "\"keep\": \"maps\", \"limit\": 3, \"methods\": [\"ig\"],"
                                                          " " SCORES),
                               from),
                     0);
    snprintf(command, sizeof command, "cp -r %s.maps %s.maps", from, to);
    assert_int_equal(system(command), 0);
    const char *manifest = write_study("regions.json", "\"limit\": 3, \"methods\": [\"ig\", \"xrai+ig\"], " SCORES);
    const char *const arguments[] = {program_path(), "study", "run", manifest, "--store", to, "--take", from, NULL};
    assert_int_equal(program_end(program_start(arguments)), 0);
    assert_true(store_ask(to, CELLS_DONE) == 6);
    assert_true(store_ask(to, ALL_BEGUN) == 3);
    snprintf(command, sizeof command, "test $(ls %s.maps | wc -l) -eq 3", to);
    assert_int_equal(system(command), 0);
}

static void says_when_a_store_is_of_no_use(void **state)
{
    (void)state;
    const char *other = copy_half("strange.db", "UPDATE picture SET hash = 'not ' || hash; DELETE FROM score;"
                                                " DELETE FROM cell; DELETE FROM ranking");
    assert_int_equal(run_taking("alone.db", other, NULL, NULL), 0);
    char *said = read_whole(said_path, NULL);
    assert_non_null(strstr(said, "note: "));
    assert_non_null(strstr(said, "strange.db has no cell of these models and pictures\n"));
    free(said);
    assert_same_scores(temporary_path("alone.db"), &whole);
}

static void refuses_stores_that_are_none(void **state)
{
    (void)state;
    assert_int_equal(run_taking("new.db", temporary_path("nowhere.db"), NULL, NULL), IO);
    assert_complaint("nowhere.db");
    assert_int_equal(run_taking("new.db", source_path("README.md"), NULL, NULL), BROKEN_FILE);
    assert_complaint("README.md: is no study's store");
    assert_int_equal(run_taking("new.db", copy_half("version.db", "PRAGMA user_version = 99"), NULL, NULL),
                     UNSUPPORTED);
    assert_complaint("version.db: the store is of version 99");
    assert_int_equal(run_taking("new.db", copy_half("key.db", "UPDATE cell SET method = 'gig'"), NULL, NULL),
                     BROKEN_FILE);
    assert_complaint("key.db: the store is damaged (the key of a cell is not its own)");
    static const char loose[] = "CREATE TABLE free AS SELECT * FROM score; DROP TABLE score;"
                                " ALTER TABLE free RENAME TO score; UPDATE score SET value = 'much'";
    assert_int_equal(run_taking("new.db", copy_half("loose.db", loose), NULL, NULL), BROKEN_FILE);
    assert_complaint("loose.db: the store is damaged");
    assert_true(store_ask(temporary_path("new.db"), "SELECT count(*) FROM cell") == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(computes_only_what_is_not_taken),         cmocka_unit_test(needs_no_work_where_all_is_taken),
        cmocka_unit_test(keeps_what_it_has_and_mends_what_failed), cmocka_unit_test(finds_maps_that_were_copied_too),
        cmocka_unit_test(says_when_a_store_is_of_no_use),          cmocka_unit_test(refuses_stores_that_are_none),
    };
    return cmocka_run_group_tests(tests, make_stores, drop_scores);
}
