/* SPDX-License-Identifier: Apache-2.0 */
#include "worker_process.h"
#include "serve.h"
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

int web_worker_start(int *to, int *from)
{
    static const char *const command[] = {"/proc/self/exe", WEB_WORKER, NULL};
    int in[2], out[2];
    pid_t pid = -1;
    sigset_t none;
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    if (pipe2(in, O_CLOEXEC) != 0) return -1;
    if (pipe2(out, O_CLOEXEC) != 0) {
        close(in[0]);
        close(in[1]);
        return -1;
    }
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, out[1], STDOUT_FILENO);
    posix_spawnattr_init(&how);
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawnattr_setpgroup(&how, 0); /* Ctrl-C is for the server, which ends its workers itself */
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    if (posix_spawn(&pid, command[0], &files, &how, (char *const *)(uintptr_t)command, environ) != 0) pid = -1;
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&how);
    close(in[0]);
    close(out[1]);
    if (pid > 0) {
        *to = in[1];
        *from = out[0];
        return pid;
    }
    close(in[1]);
    close(out[0]);
    return -1;
}

void web_worker_end(char *text, size_t bytes, int pid)
{
    int status = 0;
    if (waitpid(pid, &status, WNOHANG) == 0) {
        struct timespec moment = {.tv_nsec = 50000000};
        nanosleep(&moment, NULL); /* if it ends by itself, it reports why */
        if (waitpid(pid, &status, WNOHANG) == 0) {
            kill(pid, SIGKILL);
            waitpid(pid, &status, 0);
        }
    }
    if (WIFSIGNALED(status))
        snprintf(text, bytes, "the worker process was ended by signal %d (%s)%s", WTERMSIG(status),
                 strsignal(WTERMSIG(status)),
                 WTERMSIG(status) == SIGABRT || WTERMSIG(status) == SIGKILL ? "; it may have run out of memory" : "");
    else
        snprintf(text, bytes, "the worker process ended (exit code %d)", WEXITSTATUS(status));
}
