/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of worker pools: jobs that a program does when it is its own worker, and a list of them with the result of
 * each.
 */
#ifndef TESTS_WORK_POOL_JOB_LIST_H
#define TESTS_WORK_POOL_JOB_LIST_H

#include "support.h"

#include "base/memory.h"
#include "work/pool/pool.h"
#include <signal.h>

/* --- the worker -------------------------------------------------------------------------------------------------- */

static int file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

static void die_a_few_times(int times, const char *path)
{
    char mark[600];
    for (int i = 1; i <= times; i++) {
        snprintf(mark, sizeof mark, "%s%d", path, i);
        if (file_exists(mark)) continue;
        fclose(fopen(mark, "w"));
        kill(getpid(), SIGKILL);
    }
}

/* Jobs: "echo TEXT", "die", "abort", "once PATH" (dies unless PATH is there, which it makes), "dies N PATH" (N times:
 * PATH1 ... PATHN), "sleep", "fail", "print", "long N", "whose" (the number of its parent), "make PATH", "await PATH"
 * (half a minute at most, then it dies). */
static gig_status answer(void *payload, char **out, const char *job)
{
    char text[64];
    (void)payload;
    if (!strcmp(job, "die")) kill(getpid(), SIGKILL);
    if (!strcmp(job, "abort")) abort();
    if (!strcmp(job, "sleep")) sleep(60);
    if (!strcmp(job, "fail")) return GIG_EARG;
    if (!strcmp(job, "print")) printf("this must not be taken for an answer\n"), fflush(stdout);
    if (!strncmp(job, "once ", 5) && !file_exists(job + 5)) {
        fclose(fopen(job + 5, "w"));
        kill(getpid(), SIGKILL);
    }
    if (!strncmp(job, "dies ", 5)) die_a_few_times(atoi(job + 5), strchr(job + 5, ' ') + 1);
    if (!strncmp(job, "make ", 5)) fclose(fopen(job + 5, "w"));
    for (int i = 0; !strncmp(job, "await ", 6) && !file_exists(job + 6); i++) {
        if (i == 3000) kill(getpid(), SIGKILL);
        usleep(10000);
    }
    if (!strncmp(job, "long ", 5)) {
        size_t count = (size_t)atol(job + 5);
        *out = gig_alloc(count + 1, 1);
        memset(*out, 'x', count);
        (*out)[count] = '\0';
        return GIG_OK;
    }
    if (!strcmp(job, "whose")) {
        usleep(3000);
        snprintf(text, sizeof text, "did %d", (int)getppid());
        *out = gig_strdup(text);
        return GIG_OK;
    }
    snprintf(text, sizeof text, "did %.40s", strchr(job, ' ') ? strchr(job, ' ') + 1 : job);
    *out = gig_strdup(text);
    return GIG_OK;
}

/* --- the parent -------------------------------------------------------------------------------------------------- */

enum { MOST = 64 };

typedef struct board {
    const char *jobs[MOST];
    size_t count, given, answered;
    char answers[MOST][160];
    size_t lengths[MOST];
    int attempts[MOST];
    int stop_after; /* answers; 0: never */
    int order[MOST];
} board;

static gig_status next(void *payload, size_t worker, char **line, size_t *number)
{
    board *b = payload;
    (void)worker;
    *line = NULL;
    if (b->given == b->count) return GIG_OK;
    *number = b->given;
    *line = gig_strdup(b->jobs[b->given++]);
    return *line ? GIG_OK : gig_alloc_status();
}

static gig_status done(void *payload, size_t number, const char *line, const char *reason, int attempts)
{
    board *b = payload;
    b->lengths[number] = line ? strlen(line) : 0;
    snprintf(b->answers[number], sizeof b->answers[number], "%s", line ? line : reason);
    b->attempts[number] = attempts;
    b->order[b->answered++] = (int)number;
    return GIG_OK;
}

static int stop_asked(void *payload)
{
    board *b = payload;
    return b->stop_after && (int)b->answered >= b->stop_after;
}

SUPPORT_UNUSED static const char killed_five_times[] =
    "its process was killed by signal 9 (Killed), in the last of 5 attempts; the machine may have run out of memory";

static const char *const self[] = {"/proc/self/exe", "worker", NULL};

#endif
