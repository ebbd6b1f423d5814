/* SPDX-License-Identifier: Apache-2.0 */
#include "work/pool/pool.h"
#include "base/memory.h"
#include "base/socket_lines.h"
#include "work/pool/peer_message.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum {
    LISTEN_MILLISECONDS = 200,
    PEERS_MILLISECONDS = 2, /* messages have no file descriptor: they are polled */
    GRACE_MILLISECONDS = 2000,
    MOST_WORKERS = 4096,
    REASON_BYTES = 200
};

typedef struct worker {
    size_t rank, place; /* whose, and which of its */
    pid_t process;      /* of our own; 0: none */
    gig_lines lines;
    char *job; /* under way, or waiting for a new process; NULL: idle */
    size_t number;
    int attempts, earlier; /* by it; by others that left */
    int gone;              /* with its peer: a job that it still has waits for another worker */
} worker;

typedef struct pool {
    worker *workers; /* our own, then those of peers */
    struct pollfd *polls;
    size_t count, own;
    const char *const *argv;
    const gig_study_peers *peers;
    const gig_pool_jobs *jobs;
    int empty;    /* `next` had no job when last called */
    size_t stray; /* jobs of workers that are gone */
} pool;

/* ---- processes ---- */

static gig_status spawn(worker *w, const char *const *argv)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return gig_fail(GIG_EIO, "no socket for a worker (%s)", strerror(errno));
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 0);
    /* posix_spawn does not change its arguments, though its type does not say so. */
    int problem = posix_spawn(&w->process, argv[0], &actions, NULL, (char *const *)(uintptr_t)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    w->lines = (gig_lines){.socket = ends[0]};
    if (!problem) return GIG_OK;
    w->process = 0;
    gig_lines_clear(&w->lines);
    return gig_fail(GIG_EIO, "%s: a worker cannot be started (%s)", argv[0], strerror(problem));
}

/* Waits for a process that has closed its socket or was killed; returns waitpid's status. */
static int bury(worker *w)
{
    int ended = 0;
    pid_t found = 0;
    for (int waited = 0; waited < GRACE_MILLISECONDS; waited += 10) {
        found = waitpid(w->process, &ended, WNOHANG);
        if (found != 0) break;
        usleep(10000);
    }
    if (found == 0) {
        kill(w->process, SIGKILL);
        waitpid(w->process, &ended, 0);
    }
    w->process = 0;
    gig_lines_clear(&w->lines);
    return ended;
}

/* If a process was killed from outside (by a person, a batch system, or the kernel when memory was short), its job is
 * probably not the cause. A process that crashed most likely crashes again. */
static int most_attempts(int ended)
{
    if (!WIFSIGNALED(ended)) return 2;
    int signal = WTERMSIG(ended);
    return signal == SIGKILL || signal == SIGTERM || signal == SIGINT || signal == SIGHUP ? 5 : 2;
}

static void describe_end(char reason[REASON_BYTES], int ended, int attempts)
{
    if (!WIFSIGNALED(ended))
        snprintf(reason, REASON_BYTES, "its process ended with code %d, in the last of %d attempts", WEXITSTATUS(ended),
                 attempts);
    else
        snprintf(reason, REASON_BYTES, "its process was killed by signal %d (%s), in the last of %d attempts%s",
                 WTERMSIG(ended), strsignal(WTERMSIG(ended)), attempts,
                 WTERMSIG(ended) == SIGKILL ? "; the machine may have run out of memory" : "");
}

/* ---- jobs ---- */

static void lose_peer(pool *c, size_t rank)
{
    for (size_t i = c->own; i < c->count; i++) {
        worker *w = &c->workers[i];
        if (w->rank != rank || w->gone) continue;
        w->gone = 1;
        c->stray += w->job != NULL;
    }
}

static gig_status give(pool *c, worker *w)
{
    if (w->rank) {
        const gig_peer_message message = {.kind = GIG_PEER_JOB, .worker = w->place, .text = w->job};
        gig_status status = gig_peer_message_send(c->peers, w->rank, &message);
        if (status == GIG_EIO) lose_peer(c, w->rank);
        return status == GIG_EIO ? GIG_OK : status;
    }
    if (!w->process) GIG_TRY(spawn(w, c->argv));
    w->attempts++;
    gig_lines_send(&w->lines, w->job); /* a dead worker is noticed when its answer is read */
    return GIG_OK;
}

/* Takes over the job of a dead worker. */
static int take_stray(pool *c, worker *w)
{
    for (size_t i = c->own; i < c->count && c->stray; i++) {
        worker *from = &c->workers[i];
        if (!from->gone || !from->job) continue;
        w->job = from->job;
        w->number = from->number;
        w->earlier = from->earlier + 1;
        from->job = NULL;
        c->stray--;
        return 1;
    }
    return 0;
}

/* Gives jobs to idle workers until either runs out. */
static gig_status feed(pool *c)
{
    for (size_t i = 0; i < c->count && (!c->empty || c->stray); i++) {
        worker *w = &c->workers[i];
        if (w->job || w->gone) continue;
        if (!take_stray(c, w)) {
            if (c->empty) continue;
            GIG_TRY(c->jobs->next(c->jobs->payload, i, &w->job, &w->number));
            if (!w->job) c->empty = !c->jobs->waits;
            if (!w->job) continue;
            w->earlier = 0;
        }
        w->attempts = 0;
        GIG_TRY(give(c, w));
    }
    return GIG_OK;
}

static gig_status finish(pool *c, worker *w, const char *line, const char *reason)
{
    gig_free(w->job);
    w->job = NULL;
    c->empty = 0;
    return c->jobs->done(c->jobs->payload, w->number, line, reason, w->earlier + w->attempts);
}

static gig_status mourn(pool *c, worker *w)
{
    char reason[REASON_BYTES];
    int ended = bury(w);
    if (!w->job) return GIG_OK;
    if (w->attempts < most_attempts(ended)) return give(c, w);
    describe_end(reason, ended, w->attempts);
    return finish(c, w, NULL, reason);
}

/* ---- answers ---- */

static gig_status hear(pool *c, worker *w)
{
    int ended;
    GIG_TRY(gig_lines_receive(&w->lines, &ended));
    const char *line = gig_lines_next(&w->lines);
    if (line && w->job) return finish(c, w, line, NULL);
    return ended ? mourn(c, w) : GIG_OK;
}

static gig_status take_message(pool *c, const gig_peer_message *message, size_t from)
{
    if (message->kind == GIG_PEER_LEAVE) lose_peer(c, from);
    if (message->kind != GIG_PEER_ANSWER && message->kind != GIG_PEER_FAILURE) return GIG_OK;
    for (size_t i = c->own; i < c->count; i++) {
        worker *w = &c->workers[i];
        if (w->rank != from || w->place != message->worker || !w->job || w->gone) continue;
        w->attempts = message->attempts;
        return message->kind == GIG_PEER_ANSWER ? finish(c, w, message->text, NULL) : finish(c, w, NULL, message->text);
    }
    return GIG_OK;
}

static gig_status hear_peers(pool *c)
{
    for (;;) {
        gig_peer_message message;
        size_t from;
        int arrived;
        GIG_TRY(gig_peer_message_receive(&message, &from, &arrived, c->peers));
        if (!arrived) return GIG_OK;
        GIG_TRY(take_message(c, &message, from));
    }
}

/* 0 if no worker is busy and no job is expected. */
static int listen_to(pool *c)
{
    size_t busy = 0;
    for (size_t i = 0; i < c->count; i++) {
        c->polls[i] = (struct pollfd){.fd = c->workers[i].process ? c->workers[i].lines.socket : -1, .events = POLLIN};
        busy += c->workers[i].job != NULL;
    }
    int waits = !busy && c->jobs->waits && c->jobs->waits(c->jobs->payload);
    int patience = c->peers || c->jobs->waits ? PEERS_MILLISECONDS : LISTEN_MILLISECONDS;
    if ((busy || waits) && poll(c->polls, c->count, patience) < 0)
        for (size_t i = 0; i < c->count; i++) c->polls[i].revents = 0;
    return busy || waits;
}

static gig_status work(pool *c)
{
    for (;;) {
        if (c->jobs->stop && c->jobs->stop(c->jobs->payload)) return gig_fail(GIG_ECANCEL, "stopped");
        GIG_TRY(feed(c));
        if (!listen_to(c)) return GIG_OK;
        for (size_t i = 0; i < c->own; i++)
            if (c->polls[i].revents) GIG_TRY(hear(c, &c->workers[i]));
        if (c->peers) GIG_TRY(hear_peers(c));
    }
}

/* ---- the whole ---- */

/* Idle workers end when their socket closes; busy ones are killed. */
static void end_workers(pool *c)
{
    for (size_t i = 0; i < c->count; i++) {
        worker *w = &c->workers[i];
        if (w->process && w->job) kill(w->process, SIGKILL);
        if (w->process) shutdown(w->lines.socket, SHUT_RDWR);
    }
    for (size_t i = 0; i < c->count; i++) {
        if (c->workers[i].process) bury(&c->workers[i]);
        gig_free(c->workers[i].job);
    }
}

static void start_workers(pool *c)
{
    worker *w = c->workers;
    for (size_t i = 0; i < c->own; i++) *w++ = (worker){.place = i, .lines.socket = -1};
    for (size_t rank = 1; c->peers && rank < c->peers->count; rank++)
        for (size_t i = 0; i < c->peers->workers[rank]; i++)
            *w++ = (worker){.rank = rank, .place = i, .lines.socket = -1};
}

gig_status gig_pool_run(const gig_pool_members *members, const gig_pool_jobs *jobs)
{
    pool c = {.own = members->workers, .argv = members->argv, .peers = members->peers, .jobs = jobs};
    size_t all = c.own;
    for (size_t rank = 1; c.peers && rank < c.peers->count; rank++)
        all = all < MOST_WORKERS && c.peers->workers[rank] < MOST_WORKERS ? all + c.peers->workers[rank] : SIZE_MAX;
    if (!c.own || all > MOST_WORKERS) return gig_fail(GIG_EARG, "%zu workers: expected 1 to %d", all, MOST_WORKERS);
    c.workers = gig_alloc_zero(all, sizeof(worker));
    c.polls = gig_alloc_zero(all, sizeof(struct pollfd));
    gig_status status = GIG_OK;
    if (!c.workers || !c.polls)
        status = gig_alloc_status();
    else {
        c.count = all;
        start_workers(&c);
        status = work(&c);
        end_workers(&c);
    }
    gig_free(c.polls);
    gig_free(c.workers);
    return status;
}
