/* SPDX-License-Identifier: Apache-2.0 */
/* Worker processes: this program is its own worker when its first argument says so. */
#include "job_list.h"

#include "internal/confine.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static gig_status run(board *b, size_t workers)
{
    const gig_pool_jobs jobs = {.next = next, .done = done, .stop = stop_asked, .payload = b};
    const gig_pool_members members = {workers, self, NULL};
    return gig_pool_run(&members, &jobs);
}

static void does_every_job_once(void **state)
{
    (void)state;
    for (size_t workers = 1; workers <= 3; workers++) {
        board b = {.count = 40};
        char texts[40][16];
        for (size_t i = 0; i < b.count; i++) {
            snprintf(texts[i], sizeof texts[i], "echo %zu", i);
            b.jobs[i] = texts[i];
        }
        assert_ok(run(&b, workers));
        assert_true(b.answered == 40);
        for (size_t i = 0; i < b.count; i++) {
            char expected[32];
            snprintf(expected, sizeof expected, "did %zu", i);
            assert_string_equal(b.answers[i], expected);
            assert_int_equal(b.attempts[i], 1);
        }
    }
}

static void loses_only_the_job_a_worker_dies_on(void **state)
{
    (void)state;
    board b = {.count = 7, .jobs = {"echo a", "die", "die", "echo b", "abort", "fail", "echo c"}};
    assert_ok(run(&b, 2));
    assert_true(b.answered == 7);
    assert_string_equal(b.answers[0], "did a");
    assert_string_equal(b.answers[1], killed_five_times);
    assert_string_equal(b.answers[2], killed_five_times);
    assert_string_equal(b.answers[3], "did b");
    assert_string_equal(b.answers[4], "its process was killed by signal 6 (Aborted), in the last of 2 attempts");
    assert_string_equal(b.answers[5], "its process ended with code 3, in the last of 2 attempts");
    assert_string_equal(b.answers[6], "did c");
    assert_int_equal(b.attempts[1], 5);
    assert_int_equal(b.attempts[4], 2);
    assert_int_equal(b.attempts[5], 2);
    assert_int_equal(b.attempts[6], 1);
}

static void tries_a_job_again_that_others_killed(void **state)
{
    (void)state;
    char jobs[4][600];
    board b = {.count = 5, .jobs = {jobs[0], jobs[1], jobs[2], jobs[3], "echo x"}};
    for (int i = 0; i < 4; i++) {
        char name[16];
        snprintf(name, sizeof name, "marks-%d-", i);
        snprintf(jobs[i], sizeof jobs[i], "dies %d %s", i + 1, temporary_path(name));
    }
    assert_ok(run(&b, 1));
    for (int i = 0; i < 4; i++) {
        assert_true(!strncmp(b.answers[i], "did ", 4));
        assert_int_equal(b.attempts[i], i + 2);
    }
    assert_string_equal(b.answers[4], "did x");
}

/* One job holds its worker until the last is done: the other worker does all the rest. */
static void lets_no_worker_wait_while_work_is_left(void **state)
{
    (void)state;
    char await[600], make[600];
    snprintf(await, sizeof await, "await %s", temporary_path("made"));
    snprintf(make, sizeof make, "make %s", temporary_path("made"));
    board b = {.count = 4, .jobs = {await, "echo a", "echo b", make}};
    assert_ok(run(&b, 2));
    assert_int_equal(b.attempts[0], 1);
    for (int i = 0; i < 2; i++) assert_int_equal(b.order[i], i + 1);
}

static void takes_nothing_else_for_an_answer(void **state)
{
    (void)state;
    board b = {.count = 2, .jobs = {"print", "long 3000000"}};
    assert_ok(run(&b, 1));
    assert_string_equal(b.answers[0], "did print");
    assert_true(b.lengths[1] == 3000000);
}

static void stops_when_told_and_leaves_no_worker_behind(void **state)
{
    (void)state;
    board b = {.count = 3, .jobs = {"echo a", "sleep", "sleep"}, .stop_after = 1};
    time_t start = time(NULL);
    assert_status(run(&b, 3), GIG_ECANCEL);
    assert_true(time(NULL) - start < 10 && b.answered == 1);
    assert_true(waitpid(-1, NULL, WNOHANG) == -1);
}

static void says_when_workers_cannot_be_started(void **state)
{
    (void)state;
    board b = {.count = 1, .jobs = {"echo a"}};
    const char *const nobody[] = {"/nowhere/gig", NULL};
    const gig_pool_jobs jobs = {.next = next, .done = done, .payload = &b};
    const gig_pool_members members = {1, nobody, NULL}, empty = {0, self, NULL};
    assert_status(gig_pool_run(&members, &jobs), GIG_EIO);
    assert_message("/nowhere/gig");
    assert_status(gig_pool_run(&empty, &jobs), GIG_EARG);
    b.count = b.given = 0;
    assert_ok(gig_pool_run(&members, &jobs));
}

/* A parent killed while its worker sleeps takes the worker along. */
static void ends_workers_with_their_parent(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t parent = fork();
    if (parent == 0) {
        board b = {.count = 1, .jobs = {"sleep"}};
        close(ends[0]);
        if (fcntl(ends[1], F_SETFD, 0) != 0) _exit(1); /* the worker inherits the writing end too */
        run(&b, 1);
        _exit(0);
    }
    close(ends[1]);
    usleep(300000);
    kill(parent, SIGKILL);
    waitpid(parent, NULL, 0);
    char byte;
    alarm(300); /* of a worker that lives on: a sanitizer on a busy machine takes its time */
    assert_true(read(ends[0], &byte, 1) == 0); /* both holders of the writing end are gone */
    alarm(0);
    close(ends[0]);
}

/* What a worker may still do, and what not. */
static void a_confined_process_starts_no_program(void **state)
{
    (void)state;
    int status;
    pid_t child = fork();
    if (child == 0) {
        char *const arguments[] = {NULL};
        gig_confine();
        int file = open("/dev/null", O_RDWR);
        if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1) _exit(1);
        if (file < 0 || write(file, "a", 1) != 1) _exit(2);
        if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) != 2) _exit(77); /* a kernel without it */
        if (execve("/bin/true", arguments, arguments) == 0 || errno != EPERM) _exit(3);
        if (socket(AF_INET, SOCK_STREAM, 0) >= 0 || errno != EPERM) _exit(4);
        if (syscall(SYS_io_uring_setup, 1, NULL) >= 0 || errno != EPERM) _exit(5);
#if defined(__x86_64__)
        if (syscall(0x40000000 | SYS_socket, AF_INET, SOCK_STREAM, 0) >= 0 || errno != EPERM) _exit(6);
        long made; /* the same call as 32-bit programs make it: socket is number 359 there */
        __asm__ volatile("int $0x80" : "=a"(made) : "a"(359L), "b"(AF_INET), "c"(SOCK_STREAM), "d"(0) : "memory");
        if ((int)made != -EPERM && (int)made != -ENOSYS) _exit(7);
#endif
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77) skip_because("this kernel has no seccomp");
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* A worker that starts after its parent has died leaves the job that lies in the socket. */
static void leaves_the_jobs_of_a_parent_that_has_ended(void **state)
{
    (void)state;
    int ends[2], status;
    char job[600], mark[512];
    snprintf(mark, sizeof mark, "%s", temporary_path("orphan"));
    int length = snprintf(job, sizeof job, "once %s\n", mark);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    assert_int_equal(write(ends[0], job, (size_t)length), length);
    close(ends[0]);
    pid_t worker = fork();
    if (worker == 0) {
        if (dup2(ends[1], 0) == 0) execv(self[0], (char *const *)(uintptr_t)self);
        _exit(99);
    }
    close(ends[1]);
    assert_int_equal(waitpid(worker, &status, 0), worker);
    assert_int_equal(status, 0);
    assert_int_equal(access(mark, F_OK), -1);
}

int main(int count, char **arguments)
{
    if (count > 1 && !strcmp(arguments[1], "worker")) return gig_pool_serve(answer, NULL) == GIG_OK ? 0 : 3;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(does_every_job_once),
        cmocka_unit_test(loses_only_the_job_a_worker_dies_on),
        cmocka_unit_test(tries_a_job_again_that_others_killed),
        cmocka_unit_test(lets_no_worker_wait_while_work_is_left),
        cmocka_unit_test(takes_nothing_else_for_an_answer),
        cmocka_unit_test(stops_when_told_and_leaves_no_worker_behind),
        cmocka_unit_test(says_when_workers_cannot_be_started),
        cmocka_unit_test(ends_workers_with_their_parent),
        cmocka_unit_test(leaves_the_jobs_of_a_parent_that_has_ended),
        cmocka_unit_test(a_confined_process_starts_no_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
