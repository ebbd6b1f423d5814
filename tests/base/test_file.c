/* SPDX-License-Identifier: Apache-2.0 */
/* Files: read whole under a limit, written whole or not at all. */
#include "base/file.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "support.h"
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>

static void expect_content(const char *path, const char *content)
{
    uint8_t *data;
    size_t bytes;
    assert_ok(gig_file_read(&data, &bytes, path, 1 << 20));
    assert_int_equal(bytes, strlen(content));
    assert_string_equal((const char *)data, content);
    gig_free(data);
}

/* Names in the temporary folder that begin with this. */
static int names_beginning(const char *start)
{
    int count = 0;
    DIR *folder = opendir(temporary_path("."));
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));) count += strncmp(entry->d_name, start, strlen(start)) == 0;
    closedir(folder);
    return count;
}

static void takes_only_what_remains(void **state)
{
    (void)state;
    gig_reader reader = {(const uint8_t *)"abcdef", 6};
    assert_memory_equal(gig_reader_take(&reader, 4), "abcd", 4);
    assert_null(gig_reader_take(&reader, 3));
    assert_int_equal(reader.left, 2);
    assert_null(gig_reader_take(&reader, SIZE_MAX));
    assert_memory_equal(gig_reader_take(&reader, 2), "ef", 2);
    assert_non_null(gig_reader_take(&reader, 0));
}

static void reads_a_file_up_to_its_limit(void **state)
{
    (void)state;
    const char *path = temporary_file("six", "abcdef", 6);
    uint8_t *data;
    size_t bytes;
    assert_ok(gig_file_read(&data, &bytes, path, 6));
    assert_int_equal(bytes, 6);
    assert_int_equal(data[6], 0);
    gig_free(data);
    assert_status(gig_file_read(&data, &bytes, path, 5), GIG_ELIMIT);
    assert_null(data);
    assert_message(path);
}

static void names_the_file_it_cannot_open(void **state)
{
    (void)state;
    uint8_t *data;
    size_t bytes;
    assert_status(gig_file_read(&data, &bytes, "no/such/file", 10), GIG_EIO);
    assert_message("no/such/file: cannot open: No such file");
    assert_status(gig_file_read(&data, &bytes, temporary_path("."), 10), GIG_EIO);
    assert_message("expected a file, found a folder");
}

static void *feed(void *end)
{
    int fd = *(const int *)end;
    char piece[1000];
    memset(piece, 'p', sizeof piece);
    for (int i = 0; i < 200; i++)
        if (write(fd, piece, sizeof piece) != (ssize_t)sizeof piece) break;
    close(fd);
    return NULL;
}

static void reads_a_connected_pipe_to_its_end(void **state)
{
    (void)state;
    int ends[2];
    char path[64];
    assert_int_equal(pipe(ends), 0);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, feed, &ends[1]), 0);
    uint8_t *data;
    size_t bytes;
    assert_ok(gig_file_read(&data, &bytes, path, 1 << 20));
    pthread_join(thread, NULL);
    close(ends[0]);
    assert_int_equal(bytes, 200000);
    assert_int_equal(data[199999], 'p');
    gig_free(data);
}

/* A named pipe would wait for a writer forever, a device may have no end. */
static void refuses_what_may_never_end(void **state)
{
    (void)state;
    char path[512];
    uint8_t *data;
    size_t bytes;
    snprintf(path, sizeof path, "%s", temporary_path("pipe"));
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_status(gig_file_read(&data, &bytes, path, 1 << 20), GIG_EIO);
    assert_message("expected a file, found a named pipe");
    assert_status(gig_file_read(&data, &bytes, "/dev/zero", 1 << 20), GIG_EIO);
    assert_message("expected a file, found a device");
    assert_status(gig_file_read(&data, &bytes, "/", 1 << 20), GIG_EIO);
    assert_message("expected a file, found a folder");
    assert_null(data);
}

static void stops_waiting_for_a_pipe_when_interrupted(void **state)
{
    (void)state;
    int ends[2];
    char path[64];
    uint8_t *data;
    size_t bytes;
    assert_int_equal(pipe(ends), 0);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    gig_interrupt(1);
    assert_status(gig_file_read(&data, &bytes, path, 1 << 20), GIG_ECANCEL);
    gig_interrupt(0);
    close(ends[0]);
    close(ends[1]);
}

static void writes_a_file_that_was_not_there(void **state)
{
    (void)state;
    const char *path = temporary_path("new");
    assert_ok(gig_file_write(path, "one", 3, 0));
    expect_content(path, "one");
    assert_int_equal(names_beginning("new"), 1);
}

static void overwrites_only_by_force(void **state)
{
    (void)state;
    const char *path = temporary_file("kept", "old", 3);
    assert_status(gig_file_write(path, "new", 3, 0), GIG_EIO);
    assert_message("not overwritten");
    expect_content(path, "old");
    assert_ok(gig_file_write(path, "new", 3, 1));
    expect_content(path, "new");
    assert_int_equal(names_beginning("kept"), 1);
}

static void writes_through_a_link(void **state)
{
    (void)state;
    char target[512], path[512];
    snprintf(target, sizeof target, "%s", temporary_file("target", "old", 3));
    snprintf(path, sizeof path, "%s", temporary_path("link"));
    assert_int_equal(symlink(target, path), 0);
    assert_ok(gig_file_write(path, "new", 3, 1));
    expect_content(target, "new");
    struct stat about;
    assert_int_equal(lstat(path, &about), 0);
    assert_true(S_ISLNK(about.st_mode));
}

static void says_when_the_disk_is_full(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0) skip_because("there is no /dev/full");
    assert_status(gig_file_write("/dev/full", "x", 1, 0), GIG_EIO);
    assert_message("/dev/full: cannot write: No space left");
}

static void leaves_nothing_behind_when_it_fails(void **state)
{
    (void)state;
    assert_status(gig_file_write("no/such/folder/x", "x", 1, 1), GIG_EIO);
    char folder[512];
    snprintf(folder, sizeof folder, "%s", temporary_path("folder"));
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_status(gig_file_write(folder, "x", 1, 1), GIG_EIO);
    assert_int_equal(names_beginning("folder"), 1);
}

typedef struct writing {
    const char *path;
    char letter;
    size_t failures;
} writing;

static void *write_often(void *payload)
{
    writing *w = payload;
    char text[5000];
    memset(text, w->letter, sizeof text);
    for (int i = 0; i < 40; i++) w->failures += gig_file_write(w->path, text, sizeof text, 1) != GIG_OK;
    return NULL;
}

/* One file, and two whose long names begin alike: each write is whole, and under its own name. */
static void writers_side_by_side_do_not_meet(void **state)
{
    (void)state;
    char paths[3][700], stem[231];
    memset(stem, 'w', sizeof stem - 1);
    stem[sizeof stem - 1] = 0;
    for (int i = 0; i < 3; i++) {
        char name[300];
        snprintf(name, sizeof name, "%s-%d", i ? stem : "shared", i);
        snprintf(paths[i], sizeof paths[i], "%s", temporary_path(name));
    }
    writing all[4] = {{paths[0], 'a', 0}, {paths[0], 'b', 0}, {paths[1], 'c', 0}, {paths[2], 'd', 0}};
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&threads[i], NULL, write_often, &all[i]), 0);
    for (int i = 0; i < 4; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < 4; i++) {
        uint8_t *data;
        size_t bytes;
        assert_int_equal(all[i].failures, 0);
        assert_ok(gig_file_read(&data, &bytes, all[i].path, 1 << 20));
        assert_int_equal(bytes, 5000);
        for (size_t k = 1; k < bytes; k++) assert_int_equal(data[k], data[0]);
        if (i > 1) assert_int_equal(data[0], all[i].letter);
        gig_free(data);
    }
    assert_int_equal(names_beginning("shared"), 1);
    assert_int_equal(names_beginning(stem), 2);
}

static void keeps_permissions_and_links(void **state)
{
    (void)state;
    char file[700], link[700];
    struct stat about;
    snprintf(file, sizeof file, "%s", temporary_file("private", "old", 3));
    assert_int_equal(chmod(file, 0640), 0);
    assert_ok(gig_file_write(file, "new", 3, 1));
    assert_int_equal(stat(file, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0640);
    snprintf(link, sizeof link, "%s", temporary_path("to-nothing"));
    unlink(temporary_path("behind"));
    assert_int_equal(symlink("behind", link), 0); /* which is not there yet */
    assert_ok(gig_file_write(link, "made", 4, 1));
    assert_int_equal(lstat(link, &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    expect_content(temporary_path("behind"), "made");
    unlink(link);
}

static void writes_on_where_standard_output_stands(void **state)
{
    (void)state;
    fflush(stdout);
    int kept = dup(STDOUT_FILENO);
    int file = open(temporary_file("stream", "", 0), O_WRONLY);
    dup2(file, STDOUT_FILENO);
    gig_status first = gig_file_write("/dev/stdout", "one ", 4, 0), second = gig_file_write("/dev/stdout", "two", 3, 0);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    close(file);
    assert_int_equal(first, GIG_OK);
    assert_int_equal(second, GIG_OK);
    expect_content(temporary_path("stream"), "one two");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_only_what_remains),
        cmocka_unit_test(reads_a_file_up_to_its_limit),
        cmocka_unit_test(names_the_file_it_cannot_open),
        cmocka_unit_test(reads_a_connected_pipe_to_its_end),
        cmocka_unit_test(refuses_what_may_never_end),
        cmocka_unit_test(stops_waiting_for_a_pipe_when_interrupted),
        cmocka_unit_test(writes_a_file_that_was_not_there),
        cmocka_unit_test(overwrites_only_by_force),
        cmocka_unit_test(writes_through_a_link),
        cmocka_unit_test(says_when_the_disk_is_full),
        cmocka_unit_test(leaves_nothing_behind_when_it_fails),
        cmocka_unit_test(writers_side_by_side_do_not_meet),
        cmocka_unit_test(keeps_permissions_and_links),
        cmocka_unit_test(writes_on_where_standard_output_stands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
