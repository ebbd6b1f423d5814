/* SPDX-License-Identifier: Apache-2.0 */
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
    assert_string_equal(said, "0 maps, 0 scores, 0 gradients, 0 values: 0 hours of one core\n");
    free(said);
    assert_true(access(temporary_path("dry.db"), F_OK) != 0);
    assert_int_equal(run_taking("both.db", half_store, rest_store, NULL), 0);
    assert_same_scores(temporary_path("both.db"), &whole);
    assert_true(store_ask(temporary_path("both.db"), ALL_BEGUN) == 0);
    assert_true(store_ask(temporary_path("both.db"), "SELECT count(*) FROM ranking") ==
                store_ask(all_store, "SELECT count(*) FROM ranking"));
}

static void keeps_what_it_has_and_retries_what_failed(void **state)
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

/* A study of `methods` with `metrics` on three pictures, from two stores where they are given. */
static void run_three(char store[512], const char *name, const char *what, const char *first, const char *second)
{
    char file[64], text[512];
    snprintf(file, sizeof file, "%s.json", name);
    snprintf(text, sizeof text, "\"limit\": 3, \"options\": {\"steps\": 10}, %s", what);
    const char *manifest = write_study(file, text);
    snprintf(file, sizeof file, "%s.db", name);
    snprintf(store, 512, "%s", temporary_path(file));
    const char *const arguments[] = {
        program_path(),           "study", "run", manifest, "--store", store, first ? "--take" : NULL, first,
        second ? "--take" : NULL, second,  NULL};
    assert_int_equal(program_end(program_start(arguments)), 0);
}

#define IG_OF(metrics) "\"methods\": [\"ig\"], \"metrics\": [" metrics "]"

/* Closed paths need no map: a cell may be done with nothing known of one, here or there. */
static void takes_what_another_store_knows_more_of_a_cell(void **state)
{
    (void)state;
    char closed[512], mapped[512], alone[512], store[512];
    const char *whole_study = IG_OF("\"auc\", \"closed/paths=1\"");
    run_three(closed, "closed", IG_OF("\"closed/paths=1\""), NULL, NULL);
    run_three(mapped, "mapped", "\"keep\": \"maps\", " IG_OF("\"auc\""), NULL, NULL);
    run_three(alone, "alone", whole_study, NULL, NULL);
    scores expected = scores_export(alone);
    run_three(store, "closed-first", whole_study, closed, mapped);
    assert_same_scores(store, &expected);
    run_three(store, "mapped-first", whole_study, mapped, closed);
    assert_same_scores(store, &expected);
    scores_clear(&expected);
}

static void copy_maps(const char *from, const char *to)
{
    char command[1100];
    snprintf(command, sizeof command, "cp -r %s.maps %s.maps", from, to);
    assert_int_equal(system(command), 0);
}

static void finds_maps_that_were_copied_too(void **state)
{
    (void)state;
    char from[512], to[512], command[1100];
    run_three(from, "kept", "\"keep\": \"maps\", " IG_OF("\"auc\""), NULL, NULL);
    copy_maps(from, temporary_path("regions.db"));
    run_three(to, "regions", "\"methods\": [\"ig\", \"xrai+ig\"], \"metrics\": [\"auc\"]", from, NULL);
    assert_true(store_ask(to, CELLS_DONE) == 6);
    assert_true(store_ask(to, ALL_BEGUN) == 3);
    snprintf(command, sizeof command, "test $(ls %s.maps | wc -l) -eq 3", to);
    assert_int_equal(system(command), 0);
}

static void keeps_maps_that_were_copied_to_cells_done_before(void **state)
{
    (void)state;
    char from[512], to[512], command[1100];
    run_three(from, "kept", "\"keep\": \"maps\", " IG_OF("\"auc\""), NULL, NULL);
    run_three(to, "mapless", IG_OF("\"auc\""), NULL, NULL);
    copy_maps(from, to);
    run_three(to, "mapless", IG_OF("\"auc\", \"gini\""), from, NULL);
    snprintf(command, sizeof command, "test $(ls %s.maps | wc -l) -eq 3", to);
    assert_int_equal(system(command), 0);
    assert_true(store_ask(to, "SELECT count(*) FROM cell WHERE map = key || '.npz'") == 3);
}

/* The export of a store as a file. */
static const char *export_to(const char *name, const char *store)
{
    assert_int_equal(study_read("export", store), 0);
    size_t bytes;
    char *text = read_whole(said_path, &bytes);
    const char *path = temporary_file(name, text, bytes);
    free(text);
    return path;
}

static void takes_scores_from_an_export(void **state)
{
    (void)state;
    assert_int_equal(run_taking("exported.db", export_to("half.csv", half_store), NULL, NULL), 0);
    assert_same_scores(temporary_path("exported.db"), &whole);
    assert_true(store_ask(temporary_path("exported.db"), ALL_BEGUN) == CELLS - HALF_CELLS);
}

/* A key is made of everything; and the release counts too, whose defaults names leave out. */
static void leaves_scores_of_other_cells_and_releases(void **state)
{
    (void)state;
    static const struct {
        const char *found, *other, *store;
        long begun;
    } cases[] = {{",\"gig 0.", ",\"gig 9.", "release.db", CELLS},
                 {",0,", ",1,", "seed.db", CELLS},
                 {",edge,", ",idge,", "method.db", CELLS - HALF_CELLS / 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t bytes;
        char *text = read_whole(export_to("half.csv", half_store), &bytes);
        for (char *at = text; (at = strstr(at, cases[i].found));) memcpy(at, cases[i].other, strlen(cases[i].other));
        const char *path = temporary_file("other.csv", text, bytes);
        free(text);
        assert_int_equal(run_taking(cases[i].store, path, NULL, NULL), 0);
        assert_same_scores(temporary_path(cases[i].store), &whole);
        assert_true(store_ask(temporary_path(cases[i].store), ALL_BEGUN) == cases[i].begun);
    }
}

static void refuses_exports_that_are_damaged(void **state)
{
    (void)state;
    static const char head[] = "model,set,picture,method,baseline,of\r\na,b,c,d,e,f\r\n";
    assert_int_equal(run_taking("damaged.db", temporary_file("old.csv", head, sizeof head - 1), NULL, NULL),
                     UNSUPPORTED);
    assert_complaint("old.csv: an export of an older version: it has no column \"precision\"");
    size_t bytes;
    char *text = read_whole(export_to("half.csv", half_store), &bytes), *last = strstr(text, "\r\n");
    last = strstr(last + 2, ",0.");
    memcpy(last, ",x.", 3);
    assert_int_equal(run_taking("damaged.db", temporary_file("number.csv", text, bytes), NULL, NULL), BROKEN_FILE);
    assert_complaint("number.csv: line 2: value: ");
    free(text);
}

/* They depend on which other pictures a set has, and no name says that. */
static void computes_paths_between_pictures_again(void **state)
{
    (void)state;
    char from[512], to[512];
    run_three(from, "between", IG_OF("\"closed/paths=1/corners=pictures\", \"closed/paths=1\""), NULL, NULL);
    char spoilt[] = "UPDATE score SET value = 0.5; INSERT INTO score (cell, metric) SELECT id, 'beauty' FROM cell";
    change(from, spoilt);
    run_three(to, "again", IG_OF("\"closed/paths=1/corners=pictures\", \"closed/paths=1\""), from, NULL);
    assert_true(store_ask(to, "SELECT count(*) FROM score WHERE value = 0.5 AND metric LIKE '%pictures%'") == 0);
    assert_true(store_ask(to, "SELECT count(*) FROM score WHERE value = 0.5") == 3);
    assert_true(store_ask(to, "SELECT count(*) FROM score") == 6); /* what is no metric is left */
}

static void says_when_a_store_is_of_no_use(void **state)
{
    (void)state;
    char other[512];
    snprintf(other, sizeof other, "%s",
             copy_half("strange.db", "UPDATE picture SET hash = 'not ' || hash; DELETE FROM score; DELETE FROM cell;"
                                     " DELETE FROM ranking"));
    assert_int_equal(run_taking("lonely.db", other, NULL, NULL), 0);
    char *said = read_whole(said_path, NULL);
    assert_non_null(strstr(said, "note: "));
    assert_non_null(strstr(said, "strange.db has no cell of these models and pictures\n"));
    free(said);
    assert_same_scores(temporary_path("lonely.db"), &whole);
    assert_int_equal(run_taking("lonely.db", other, NULL, "--dry-run"), 0);
    said = read_whole(said_path, NULL);
    assert_non_null(strstr(said, "strange.db has no cell of these models and pictures\n"));
    free(said);
}

static void rejects_files_that_are_not_stores(void **state)
{
    (void)state;
    assert_int_equal(run_taking("new.db", temporary_path("nowhere.db"), NULL, NULL), IO);
    assert_complaint("nowhere.db");
    assert_true(access(temporary_path("new.db"), F_OK) != 0); /* nothing was begun */
    assert_int_equal(run_taking("new.db", source_path("README.md"), NULL, NULL), BROKEN_FILE);
    assert_complaint("README.md: not a gig study store");
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
        cmocka_unit_test(computes_only_what_is_not_taken),
        cmocka_unit_test(needs_no_work_where_all_is_taken),
        cmocka_unit_test(keeps_what_it_has_and_retries_what_failed),
        cmocka_unit_test(finds_maps_that_were_copied_too),
        cmocka_unit_test(takes_what_another_store_knows_more_of_a_cell),
        cmocka_unit_test(keeps_maps_that_were_copied_to_cells_done_before),
        cmocka_unit_test(computes_paths_between_pictures_again),
        cmocka_unit_test(takes_scores_from_an_export),
        cmocka_unit_test(leaves_scores_of_other_cells_and_releases),
        cmocka_unit_test(refuses_exports_that_are_damaged),
        cmocka_unit_test(says_when_a_store_is_of_no_use),
        cmocka_unit_test(rejects_files_that_are_not_stores),
    };
    return cmocka_run_group_tests(tests, make_stores, drop_scores);
}
