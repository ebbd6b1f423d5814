/* SPDX-License-Identifier: Apache-2.0 */
/* What a study meets in its life: signals, disks that are full or cannot be written, a second run, stores of other
 * versions and damaged ones. Each ends in one clear line and the right exit code, and nothing that was scored is lost.
 */
#include "program.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>

enum { BROKEN_FILE = 2, UNSUPPORTED = 4, IO = 5 };

static const char plain[] = "\"limit\": 8, \"methods\": [\"edge\", \"ig\", \"xrai+ig\"], \"options\": {\"steps\": 20},"
                            " \"metrics\": [\"auc\", \"gini\"]";
static const char keeping[] =
    "\"limit\": 8, \"methods\": [\"edge\", \"ig\", \"xrai+ig\"], \"options\": {\"steps\": 20},"
    " \"metrics\": [\"auc\", \"gini\"], \"keep\": \"maps\"";
static const char mapless[] = "\"limit\": 8, \"methods\": [\"edge\", \"ig\"], \"options\": {\"steps\": 20},"
                              " \"metrics\": [\"auc\", \"gini\"]";
enum { CELLS = 24, MAPLESS_CELLS = 16 }; /* with two scores each */

/* The scores of an unbroken run, made once. */
static scores whole;

static int make_whole(void **state)
{
    char store[512];
    (void)state;
    snprintf(store, sizeof store, "%s", temporary_path("unbroken.db"));
    assert_int_equal(study_run(write_study("unbroken.json", plain), store), 0);
    whole = scores_export(store);
    return whole.count == 2 * CELLS ? 0 : -1;
}

static int drop_whole(void **state)
{
    (void)state;
    scores_clear(&whole);
    return 0;
}

/* It goes on to the end, with the scores of `before` and all others of so many cells. */
static void assert_goes_on(const char *manifest, const char *store, scores *before, size_t cells)
{
    assert_scores_in(*before, whole);
    assert_int_equal(study_run(manifest, store), 0);
    scores after = scores_export(store);
    assert_scores_in(*before, after);
    assert_true(after.count == 2 * cells);
    assert_scores_in(after, whole);
    scores_clear(&after);
    scores_clear(before);
}

/* --- signals ------------------------------------------------------------------------------------------------------ */

static void stops_on(int number, int code)
{
    char manifest[512], store[512];
    snprintf(manifest, sizeof manifest, "%s", write_study("signal.json", plain));
    snprintf(store, sizeof store, "%s", temporary_path(number == SIGTERM ? "term.db" : "int.db"));
    pid_t process = study_start(manifest, store);
    wait_for_cells(store, 2);
    kill(process, number);
    assert_int_equal(program_end(process), code);
    assert_complaint("interrupted");
    char *said = read_whole(said_path, NULL);
    assert_non_null(strstr(said, " cells done, 0 failed, "));
    free(said);
    scores before = scores_export(store);
    assert_true(before.count >= 4);
    assert_goes_on(manifest, store, &before, CELLS);
    assert_true(store_ask(store, ALL_BEGUN) <= CELLS + 2);
}

static void ends_on_sigterm_and_goes_on_later(void **state)
{
    (void)state;
    stops_on(SIGTERM, 143);
}

static void ends_on_sigint_and_goes_on_later(void **state)
{
    (void)state;
    stops_on(SIGINT, 130);
}

/* One of its workers, which may have to be started first. */
static pid_t worker_of(pid_t parent)
{
    pid_t child = 0;
    for (int i = 0; !children_of(parent, &child, 1) && i < 1000; i++) usleep(2000);
    assert_true(child > 0);
    return child;
}

/* Workers killed from outside, as by a machine out of memory, cost a second attempt each and nothing else. */
static void loses_nothing_with_its_workers(void **state)
{
    char manifest[512], store[512];
    (void)state;
    snprintf(manifest, sizeof manifest, "%s", write_study("workers.json", plain));
    snprintf(store, sizeof store, "%s", temporary_path("workers.db"));
    pid_t process = study_start(manifest, store);
    for (int i = 0; i < 3; i++) {
        wait_for_cells(store, 2 + 4 * i);
        pid_t worker = worker_of(process);
        assert_confined(worker);
        assert_int_equal(kill(worker, SIGKILL), 0);
    }
    assert_int_equal(program_end(process), 0);
    assert_same_scores(store, &whole);
    long begun = store_ask(store, ALL_BEGUN); /* one that was between two cells cost none */
    assert_true(begun > CELLS && begun <= CELLS + 3);
}

/* --- disks -------------------------------------------------------------------------------------------------------- */

/* A small disk of its own at `folder`, seen by this process and its children only; 0 if that cannot be made. */
static int mount_disk(const char *folder, const char *size)
{
    static int apart;
    if (mkdir(folder, 0777) != 0) return 0;
    if (!apart && (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)) return 0;
    apart = 1;
    return mount("disk", folder, "tmpfs", 0, size) == 0;
}

#define need_disk(folder, size)                                                                                        \
    do {                                                                                                               \
        if (!mount_disk(folder, size)) skip_because("no disk can be mounted (%s)", strerror(errno));                   \
    } while (0)

static int remount(const char *folder, unsigned long flags, const char *size)
{
    return mount("disk", folder, "tmpfs", MS_REMOUNT | flags, size);
}

/* `folder` becomes the small disk. */
static void fill_disk(const char *folder, const char *store, const char *keys, size_t cells, const char *size,
                      const char *complaint)
{
    char manifest[512];
    snprintf(manifest, sizeof manifest, "%s", write_study("full.json", keys));
    need_disk(folder, size);
    assert_int_equal(study_run(manifest, store), IO);
    assert_complaint(complaint);
    long done = store_ask(store, CELLS_DONE);
    assert_true(done > 0 && done < (long)cells);
    assert_true(store_ask(store, "SELECT count(*) FROM cell WHERE state = 2") == 0);
    assert_int_equal(study_run(manifest, store), IO);
    scores before = scores_export(store);
    assert_true(before.count >= 2 * (size_t)done);
    assert_int_equal(remount(folder, 0, "size=64m"), 0);
    assert_goes_on(manifest, store, &before, cells);
    assert_int_equal(umount(folder), 0);
}

static void survives_a_disk_too_full_for_its_store(void **state)
{
    char folder[512], store[600];
    (void)state;
    snprintf(folder, sizeof folder, "%s", temporary_path("full-store"));
    snprintf(store, sizeof store, "%s/full.db", folder);
    fill_disk(folder, store, mapless, MAPLESS_CELLS, "size=272k", "full.db: the disk is full");
}

static void survives_a_disk_too_full_for_maps(void **state)
{
    char folder[600], store[512];
    (void)state;
    snprintf(store, sizeof store, "%s", temporary_path("full-maps.db"));
    snprintf(folder, sizeof folder, "%s.maps", store);
    fill_disk(folder, store, keeping, CELLS, "size=500k", "No space left on device");
}

/* Files that may not grow: what is left to those who cannot mount. */
static void survives_a_limit_of_file_sizes(void **state)
{
    char manifest[512], store[512];
    struct rlimit before, small;
    (void)state;
    snprintf(manifest, sizeof manifest, "%s", write_study("limited.json", plain));
    snprintf(store, sizeof store, "%s", temporary_path("limited.db"));
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 200 * 1024;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    int code = study_run(manifest, store);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(code, IO);
    assert_complaint("limited.db: ");
    scores scored = scores_export(store);
    assert_true(scored.count > 0 && scored.count < whole.count);
    assert_goes_on(manifest, store, &scored, CELLS);
}

static void refuses_a_store_it_cannot_write_and_still_reads_it(void **state)
{
    char manifest[512], folder[512], store[600], other[600];
    (void)state;
    snprintf(manifest, sizeof manifest, "%s", write_study("fixed.json", plain));
    snprintf(folder, sizeof folder, "%s", temporary_path("fixed"));
    snprintf(store, sizeof store, "%s/fixed.db", folder);
    snprintf(other, sizeof other, "%s/other.db", folder);
    need_disk(folder, "size=16m");
    pid_t process = study_start(manifest, store);
    wait_for_cells(store, 2);
    kill(process, SIGTERM);
    assert_int_equal(program_end(process), 143);
    assert_int_equal(remount(folder, MS_RDONLY, NULL), 0);
    assert_int_equal(study_run(manifest, store), IO);
    assert_complaint("Read-only file system");
    assert_int_equal(study_run(manifest, other), IO);
    assert_complaint("Read-only file system");
    scores before = scores_export(store);
    assert_true(before.count >= 4);
    assert_int_equal(study_read("status", store), 0);
    assert_int_equal(remount(folder, 0, NULL), 0);
    assert_goes_on(manifest, store, &before, CELLS);
    assert_int_equal(umount(folder), 0);
}

/* A killed run leaves its last changes in a file of their own; to leave them out would be to lose them. */
static void reads_a_store_it_cannot_write_wholly_or_not_at_all(void **state)
{
    char manifest[512], folder[512], store[600], beside[620];
    struct stat about;
    (void)state;
    snprintf(manifest, sizeof manifest, "%s", write_study("torn.json", plain));
    snprintf(folder, sizeof folder, "%s", temporary_path("torn"));
    snprintf(store, sizeof store, "%s/torn.db", folder);
    need_disk(folder, "size=16m");
    pid_t process = study_start(manifest, store);
    wait_for_cells(store, 4);
    kill(process, SIGKILL);
    assert_int_equal(program_end(process), -SIGKILL);
    snprintf(beside, sizeof beside, "%s-wal", store);
    assert_true(stat(beside, &about) == 0 && about.st_size > 0);
    snprintf(beside, sizeof beside, "%s-shm", store);
    assert_int_equal(unlink(beside), 0);
    assert_int_equal(remount(folder, MS_RDONLY, NULL), 0);
    assert_int_equal(study_read("export", store), IO);
    assert_complaint("torn.db: its last changes are in ");
    assert_int_equal(remount(folder, 0, NULL), 0);
    scores before = scores_export(store);
    assert_true(before.count >= 8);
    assert_goes_on(manifest, store, &before, CELLS);
    assert_int_equal(umount(folder), 0);
}

/* --- stores ------------------------------------------------------------------------------------------------------- */

static void lets_one_run_have_the_store(void **state)
{
    char manifest[512], store[512];
    (void)state;
    snprintf(manifest, sizeof manifest, "%s", write_study("shared.json", plain));
    snprintf(store, sizeof store, "%s", temporary_path("shared.db"));
    pid_t first = study_start(manifest, store);
    wait_for_cells(store, 1);
    assert_int_equal(study_run(manifest, store), IO);
    assert_complaint("another run is using this store");
    assert_int_equal(study_read("status", store), 0);
    assert_int_equal(program_end(first), 0);
    assert_same_scores(store, &whole);
    assert_true(store_ask(store, ALL_BEGUN) == CELLS);
}

/* By another name: a symbolic link, made before there is a store. */
static void lets_one_run_have_the_store_by_any_name(void **state)
{
    char manifest[512], store[512], link[512];
    (void)state;
    snprintf(manifest, sizeof manifest, "%s", write_study("named.json", keeping));
    snprintf(store, sizeof store, "%s", temporary_path("named.db"));
    assert_int_equal(mkdir(temporary_path("links"), 0777), 0);
    snprintf(link, sizeof link, "%s", temporary_path("links/other.db"));
    assert_int_equal(symlink("../named.db", link), 0);
    pid_t first = study_start(manifest, link);
    wait_for_cells(store, 1);
    assert_int_equal(study_run(manifest, store), IO);
    assert_complaint("named.db: another run is using this store");
    assert_int_equal(program_end(first), 0);
    assert_same_scores(store, &whole);
    assert_int_equal(access(temporary_path("named.db.maps"), F_OK), 0);
    assert_int_equal(access(temporary_path("links/other.db.maps"), F_OK), -1);
}

/* A finished store of its own, and its bytes. */
static char *finished_store(char store[512], const char *name, size_t *count)
{
    snprintf(store, 512, "%s", temporary_path(name));
    assert_int_equal(study_run(write_study("finished.json", plain), store), 0);
    return read_whole(store, count);
}

static const char *const readers[] = {"status", "table", "export"};

/* Neither running nor reading it is possible, and its bytes stay as they are. */
static void assert_refused(const char *path, int code, const char *complaint)
{
    char store[512];
    snprintf(store, sizeof store, "%s", path);
    size_t before_count, after_count;
    char *before = read_whole(store, &before_count);
    assert_int_equal(study_run(write_study("refused.json", plain), store), code);
    assert_complaint(complaint);
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        assert_int_equal(study_read(readers[i], store), code);
        assert_complaint(complaint);
    }
    char *after = read_whole(store, &after_count);
    assert_true(before_count == after_count && !memcmp(before, after, after_count));
    free(before);
    free(after);
}

static void refuses_a_store_of_another_version(void **state)
{
    char store[512];
    (void)state;
    free(finished_store(store, "version.db", NULL));
    store_ask(store, "PRAGMA user_version = 3");
    assert_true(store_ask(store, "PRAGMA user_version") == 3);
    store_ask(store, "PRAGMA journal_mode = DELETE"); /* so that nothing waits in another file */
    assert_refused(store, UNSUPPORTED, "version.db: the store is of version 3, this program reads version 2");
    store_ask(store, "PRAGMA user_version = 2");
    assert_same_scores(store, &whole);
}

static void refuses_a_damaged_store(void **state)
{
    char store[512];
    size_t count;
    (void)state;
    char *bytes = finished_store(store, "whole-file.db", &count);
    assert_true(count > 8 * 4096);
    memset(bytes + 16, 0x55, 60);
    assert_refused(temporary_file("damaged-head.db", bytes, count), BROKEN_FILE, "damaged-head.db: ");
    free(bytes);
    bytes = read_whole(store, &count);
    assert_refused(temporary_file("damaged-cut.db", bytes, count / 2), BROKEN_FILE, "damaged-cut.db: ");
    memset(bytes + 4096, 0x55, count - 4096);
    assert_refused(temporary_file("damaged-body.db", bytes, count), BROKEN_FILE, "damaged-body.db: ");
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_on_sigterm_and_goes_on_later),
        cmocka_unit_test(ends_on_sigint_and_goes_on_later),
        cmocka_unit_test(loses_nothing_with_its_workers),
        cmocka_unit_test(survives_a_disk_too_full_for_its_store),
        cmocka_unit_test(survives_a_disk_too_full_for_maps),
        cmocka_unit_test(survives_a_limit_of_file_sizes),
        cmocka_unit_test(refuses_a_store_it_cannot_write_and_still_reads_it),
        cmocka_unit_test(reads_a_store_it_cannot_write_wholly_or_not_at_all),
        cmocka_unit_test(lets_one_run_have_the_store),
        cmocka_unit_test(lets_one_run_have_the_store_by_any_name),
        cmocka_unit_test(refuses_a_store_of_another_version),
        cmocka_unit_test(refuses_a_damaged_store),
    };
    return cmocka_run_group_tests(tests, make_whole, drop_whole);
}
