/* SPDX-License-Identifier: Apache-2.0 */
/* The defaults that a store's names leave out: recorded, compared, and brought up to date. */
#include "base/memory.h"
#include "support.h"
#include "work/store/defaults.h"
#include <sqlite3.h>

static gig_store *open_store(const char *path, gig_store_mode mode)
{
    gig_store *store;
    assert_ok(gig_store_open(&store, path, mode));
    return store;
}

static void plant(const char *path, const char *sql)
{
    sqlite3 *database;
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    assert_int_equal(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(database);
}

/* A name leaves defaults out: where one has changed since, it would mean another method. */
static void refuses_names_written_with_other_defaults(void **state)
{
    (void)state;
    const char *path = temporary_path("defaults.db");
    gig_store_close(open_store(path, GIG_STORE_RUN));
    gig_store_close(open_store(path, GIG_STORE_READ));
    static const char *const facts[] = {"UPDATE fact SET value = replace(value, 'gig/rule=left', 'gig/rule=right')",
                                        "UPDATE fact SET value = 'gig/steps=100 gig/gone=7 nonsense'",
                                        "UPDATE fact SET value = 'sic/least=0.5'"};
    static const char *const said[] = {"default of gig/rule was right, and it is left now", "gig/steps was 100",
                                       "sic/least was 0.5"};
    for (size_t i = 0; i < 3; i++) {
        gig_store *store;
        plant(path, facts[i]);
        assert_status(gig_store_open(&store, path, GIG_STORE_READ), GIG_EUNSUPPORTED);
        assert_message(said[i]);
        assert_status(gig_store_open(&store, path, GIG_STORE_RUN), GIG_EUNSUPPORTED);
    }
    plant(path, "DELETE FROM fact"); /* one that says nothing has the first defaults, which are still the same */
    gig_store_close(open_store(path, GIG_STORE_READ));
}

static char *recorded(const char *path)
{
    char *text;
    gig_store *store = open_store(path, GIG_STORE_READ);
    assert_ok(gig_store_get_fact(&text, store, "defaults"));
    gig_store_close(store);
    return text;
}

/* A store that an older release wrote says little or nothing of defaults. A run says what the names mean now, and keeps
 * what it does not know; reading changes nothing. */
static void records_the_defaults_of_older_stores(void **state)
{
    (void)state;
    static const char *const facts[] = {
        "ALTER TABLE cell DROP COLUMN stability; DELETE FROM fact; PRAGMA user_version = 1",
        "UPDATE fact SET value = 'ig/steps=200 gig/rule=left gig/gone=7 nonsense' WHERE name = 'defaults'"};
    char *now, *found, whole[8192];
    assert_ok(gig_defaults_text(&now));
    for (size_t i = 0; i < 2; i++) {
        const char *path = temporary_path(i ? "short.db" : "version1.db");
        gig_store_close(open_store(path, GIG_STORE_RUN));
        plant(path, facts[i]);
        if (i) {
            found = recorded(path);
            assert_string_equal(found, "ig/steps=200 gig/rule=left gig/gone=7 nonsense");
            gig_free(found);
        }
        snprintf(whole, sizeof whole, "%s%s", now, i ? "gig/gone=7 " : "");
        for (int again = 0; again < 2; again++) {
            gig_store_close(open_store(path, GIG_STORE_RUN));
            found = recorded(path);
            assert_string_equal(found, whole);
            gig_free(found);
        }
    }
    gig_free(now);
}

/* Names that were written before an option came meant what the program did without it: the first default. */
static void compares_options_that_came_later_with_their_first_default(void **state)
{
    (void)state;
    const char *first = "ig/steps=200 ig/repeat=1 ig/until= ";
    assert_ok(gig_defaults_compare("ig/steps=100 ig/repeat=1 ig/until= ", "ig/steps=100 ", first));
    assert_ok(gig_defaults_compare("ig/steps=100 ", "ig/steps=100 ig/gone=3 ", first));
    assert_status(gig_defaults_compare("ig/steps=100 ig/repeat=5 ", "ig/steps=100 ", first), GIG_EUNSUPPORTED);
    assert_message("default of ig/repeat was 1, and it is 5 now");
    assert_ok(gig_defaults_compare("ig/steps=100 ig/repeat=5 ", "ig/repeat=5 ig/steps=100 ", first));
    assert_status(gig_defaults_compare("ig/until=0.9 ", "", first), GIG_EUNSUPPORTED);
    assert_status(gig_defaults_compare("ig/steps=100 ", "", first), GIG_EUNSUPPORTED);
    assert_status(gig_defaults_compare("ig/new=1 ", "ig/steps=200 ", first), GIG_EINTERNAL);
    assert_message("the first default of ig/new is not listed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_names_written_with_other_defaults),
        cmocka_unit_test(records_the_defaults_of_older_stores),
        cmocka_unit_test(compares_options_that_came_later_with_their_first_default),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
