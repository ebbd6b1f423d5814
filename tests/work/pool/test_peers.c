/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that share the work of one: here they reach each other over sockets. This program is its own worker. */
#include "job_list.h"

#include "gig/work.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>

enum { PROCESSES = 3, MESSAGE_BYTES = 1 << 16 };

/* --- a net of sockets: process 0 has one to each other -------------------------------------------------------------
 */

typedef struct net {
    int ends[PROCESSES];  /* of process 0: [rank]; of another: [0] */
    int heard[PROCESSES]; /* that it is gone */
    pid_t children[PROCESSES];
    char message[MESSAGE_BYTES];
    gig_study_peers peers;
} net;

static gig_status net_send(void *payload, size_t to, const char *bytes, size_t count)
{
    net *n = payload;
    return send(n->ends[to], bytes, count, MSG_NOSIGNAL) == (ssize_t)count ? GIG_OK : GIG_EIO;
}

static gig_status net_receive(void *payload, size_t *from, const char **bytes, size_t *count)
{
    net *n = payload;
    *bytes = NULL;
    for (size_t i = 0; i < PROCESSES; i++) {
        if (n->ends[i] < 0 || n->heard[i]) continue;
        ssize_t got = recv(n->ends[i], n->message, sizeof n->message - 1, MSG_DONTWAIT);
        if (got < 0 && errno == EAGAIN) continue;
        n->heard[i] = got <= 0;
        n->message[got > 0 ? got : 0] = 0;
        *from = i;
        *bytes = n->message;
        *count = got > 0 ? (size_t)got : 0;
        break;
    }
    return GIG_OK;
}

static const size_t two_each[PROCESSES] = {2, 2, 2};

/* Runs in a child as process `rank`; its exit code. */
typedef int (*helper)(net *n);

static void net_open(net *n, helper help)
{
    int pairs[PROCESSES][2];
    memset(n, 0, sizeof *n);
    n->peers = (gig_study_peers){.count = PROCESSES, .workers = two_each};
    n->peers.send = net_send;
    n->peers.receive = net_receive;
    n->peers.payload = n;
    for (int i = 0; i < PROCESSES; i++) n->ends[i] = -1;
    for (int i = 1; i < PROCESSES; i++)
        assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pairs[i]), 0);
    fflush(NULL);
    for (int rank = 1; rank < PROCESSES; rank++) {
        n->children[rank] = fork();
        if (n->children[rank]) continue;
        for (int i = 1; i < PROCESSES; i++) {
            close(pairs[i][0]);
            if (i != rank) close(pairs[i][1]);
        }
        n->ends[0] = pairs[rank][1];
        n->peers.rank = (size_t)rank;
        alarm(600); /* if nobody releases it */
        _exit(help(n));
    }
    for (int i = 1; i < PROCESSES; i++) {
        close(pairs[i][1]);
        n->ends[i] = pairs[i][0];
    }
}

/* Releases the others; how each ended, as waitpid says. */
static void net_close(net *n, int ended[PROCESSES])
{
    gig_pool_release(&n->peers);
    for (int i = 1; i < PROCESSES; i++) {
        waitpid(n->children[i], &ended[i], 0);
        close(n->ends[i]);
    }
}

/* --- those who help ----------------------------------------------------------------------------------------------- */

static int help_until_released(net *n)
{
    const gig_pool_members members = {.argv = self, .peers = &n->peers};
    return gig_pool_lend(&members, NULL, NULL) == GIG_OK ? 0 : 1;
}

static volatile sig_atomic_t has_signal;

static void note_signal(int number)
{
    has_signal = number;
}

static int was_told(void *payload)
{
    (void)payload;
    return has_signal;
}

static int help_until_told(net *n)
{
    const gig_pool_members members = {.argv = self, .peers = &n->peers};
    return gig_pool_lend(&members, was_told, NULL) == GIG_ECANCEL ? 7 : 1;
}

/* Process 0 goes away without a word. */
static int is_left(net *n)
{
    const gig_pool_members members = {.argv = self, .peers = &n->peers};
    int told = gig_pool_lend(&members, NULL, NULL) == GIG_EIO && strstr(gig_message(), "the first process is gone");
    return told ? 9 : 1;
}

static int cannot_help(net *n)
{
    static const char *const nobody[] = {"/nowhere/gig", NULL};
    const gig_pool_members members = {.argv = nobody, .peers = &n->peers};
    return gig_pool_lend(&members, NULL, NULL) == GIG_EIO && strstr(gig_message(), "/nowhere/gig") ? 8 : 1;
}

static gig_status run(board *b, net *n)
{
    const gig_pool_jobs jobs = {.next = next, .done = done, .stop = stop_asked, .payload = b};
    const gig_pool_members members = {two_each[0], self, &n->peers};
    return gig_pool_run(&members, &jobs);
}

/* --- cases -------------------------------------------------------------------------------------------------------- */

static void fill(board *b, const char *job)
{
    b->count = MOST;
    for (size_t i = 0; i < MOST; i++) b->jobs[i] = job;
}

static void shares_jobs_among_processes(void **state)
{
    (void)state;
    net n;
    int ended[PROCESSES], seen[PROCESSES] = {0};
    board b = {0};
    fill(&b, "whose");
    net_open(&n, help_until_released);
    assert_ok(run(&b, &n));
    board again = {.count = 2, .jobs = {"echo a", "echo b"}}; /* as stages of a study do */
    assert_ok(run(&again, &n));
    net_close(&n, ended);
    assert_true(b.answered == MOST && again.answered == 2);
    for (size_t i = 0; i < MOST; i++) {
        pid_t owner = (pid_t)atoi(b.answers[i] + 4);
        assert_int_equal(b.attempts[i], 1);
        for (int rank = 0; rank < PROCESSES; rank++) seen[rank] += owner == (rank ? n.children[rank] : getpid());
    }
    assert_true(seen[0] + seen[1] + seen[2] == MOST && seen[0] && seen[1] && seen[2]);
    assert_true(ended[1] == 0 && ended[2] == 0);
}

static void loses_only_the_job_that_kills_workers_everywhere(void **state)
{
    (void)state;
    net n;
    int ended[PROCESSES];
    char once[600];
    board b = {0};
    snprintf(once, sizeof once, "once %s", temporary_path("mark-of-peers"));
    fill(&b, "whose");
    for (size_t i = 0; i < MOST; i += 8) b.jobs[i] = "die";
    b.jobs[5] = once;
    net_open(&n, help_until_released);
    assert_ok(run(&b, &n));
    net_close(&n, ended);
    assert_true(b.answered == MOST);
    for (size_t i = 0; i < MOST; i++) {
        int dies = i % 8 == 0;
        assert_int_equal(b.attempts[i], dies ? 5 : i == 5 ? 2 : 1);
        if (dies) assert_string_equal(b.answers[i], killed_five_times);
        if (!dies) assert_true(!strncmp(b.answers[i], "did ", 4));
    }
    assert_true(ended[1] == 0 && ended[2] == 0);
}

/* Ends a helper when a few answers have come. */
typedef struct attack {
    board b;
    net n;
    int signal_to_send;
} attack;

static int stop_and_attack(void *payload)
{
    attack *a = payload;
    if (a->signal_to_send && a->b.answered >= 6) {
        kill(a->n.children[1], a->signal_to_send);
        a->signal_to_send = 0;
    }
    return 0;
}

static gig_status attack_next(void *payload, size_t worker, char **line, size_t *number)
{
    return next(&((attack *)payload)->b, worker, line, number);
}

static gig_status attack_done(void *payload, size_t number, const char *line, const char *reason, int attempts)
{
    return done(&((attack *)payload)->b, number, line, reason, attempts);
}

static void survives(helper help, int number, int wanted)
{
    static attack a;
    int ended[PROCESSES], repeated = 0;
    memset(&a, 0, sizeof a);
    a.signal_to_send = number;
    fill(&a.b, "whose");
    signal(SIGTERM, note_signal); /* here: a helper that has not run yet may get it too */
    net_open(&a.n, help);
    signal(SIGTERM, SIG_DFL);
    const gig_pool_jobs jobs = {.next = attack_next, .done = attack_done, .stop = stop_and_attack, .payload = &a};
    const gig_pool_members members = {two_each[0], self, &a.n.peers};
    assert_ok(gig_pool_run(&members, &jobs));
    if (help == help_until_told) kill(a.n.children[2], number); /* so that both end alike */
    usleep(help == help_until_told ? 200000 : 0);
    net_close(&a.n, ended);
    assert_true(a.b.answered == MOST);
    for (size_t i = 0; i < MOST; i++) {
        assert_true(!strncmp(a.b.answers[i], "did ", 4));
        repeated += a.b.attempts[i] - 1;
    }
    assert_true(repeated <= 2); /* what its two workers were at */
    assert_int_equal(ended[1], wanted);
}

static void gives_the_jobs_of_a_killed_process_to_others(void **state)
{
    (void)state;
    survives(help_until_released, SIGKILL, SIGKILL);
}

static void gives_the_jobs_of_a_process_that_leaves_to_others(void **state)
{
    (void)state;
    survives(help_until_told, SIGTERM, 7 << 8);
}

static void works_alone_where_others_cannot(void **state)
{
    (void)state;
    net n;
    int ended[PROCESSES];
    board b = {0};
    fill(&b, "whose");
    net_open(&n, cannot_help);
    assert_ok(run(&b, &n));
    net_close(&n, ended);
    assert_true(b.answered == MOST);
    for (size_t i = 0; i < MOST; i++) assert_true(atoi(b.answers[i] + 4) == getpid());
    assert_true(ended[1] == 8 << 8 && ended[2] == 8 << 8);
}

static void says_that_the_first_process_is_gone(void **state)
{
    (void)state;
    net n;
    int ended[PROCESSES];
    net_open(&n, is_left);
    for (int i = 1; i < PROCESSES; i++) {
        close(n.ends[i]);
        waitpid(n.children[i], &ended[i], 0);
    }
    assert_true(ended[1] == 9 << 8 && ended[2] == 9 << 8);
}

static void stops_when_told_and_releases_the_others(void **state)
{
    (void)state;
    net n;
    int ended[PROCESSES];
    board b = {.stop_after = 4};
    fill(&b, "whose");
    for (size_t i = 8; i < MOST; i++) b.jobs[i] = "sleep";
    net_open(&n, help_until_released);
    assert_status(run(&b, &n), GIG_ECANCEL);
    net_close(&n, ended);
    assert_true(ended[1] == 0 && ended[2] == 0);
}

/* --- a whole study ------------------------------------------------------------------------------------------------ */

static const char *const labourer[] = {"/proc/self/exe", "labourer", NULL};

static int help_with_a_study(net *n)
{
    gig_study_options options = {.worker = labourer, .peers = &n->peers};
    gig_study_counts counts;
    return gig_study_run(&counts, "not read here", &options) == GIG_OK && !counts.done ? 0 : 1;
}

static char *export_without_seconds(const char *store)
{
    char *text, *to, *from;
    assert_ok(gig_study_export(&text, store, 0));
    const char *seconds = strstr(text, ",seconds");
    assert_non_null(seconds);
    int column = 0;
    for (const char *at = text; at <= seconds; at++) column += *at == ',';
    for (from = to = text; *from;) { /* versions holds commas, in quotes */
        size_t length = strcspn(from, "\n");
        int comma = 0, quoted = 0;
        for (size_t i = 0; i < length; i++) {
            quoted ^= from[i] == '"';
            comma += from[i] == ',' && !quoted;
            if (comma != column) *to++ = from[i];
        }
        from += length;
        if (*from) *to++ = *from++;
    }
    *to = 0;
    return text;
}

static void gives_the_scores_of_one_process(void **state)
{
    (void)state;
    char root[4096], text[8192], alone[512], together[512], manifest[512];
    assert_non_null(realpath(source_path("demo"), root));
    int used = snprintf(text, sizeof text,
                        "{\"models\": {\"demo\": \"%s/model.onnx\"}, \"pictures\": {\"scenes\": \"%s/pictures.csv\"},"
                        " \"limit\": 4, \"methods\": [\"edge\", \"ig\", \"xrai+ig\", \"gig:1\"],"
                        " \"baselines\": [\"black+white\"], \"options\": {\"steps\": 4}, \"filter\": {\"top\": 12},"
                        " \"metrics\": [\"auc\", \"gini\"]}",
                        root, root);
    snprintf(manifest, sizeof manifest, "%s", temporary_file("shared.json", text, (size_t)used));
    snprintf(alone, sizeof alone, "%s", temporary_path("alone.db"));
    snprintf(together, sizeof together, "%s", temporary_path("together.db"));
    gig_study_counts counts;
    gig_study_options options = {.store = alone, .worker = labourer, .workers = 1};
    assert_ok(gig_study_run(&counts, manifest, &options));
    assert_true(counts.done == 32);
    net n;
    int ended[PROCESSES];
    net_open(&n, help_with_a_study);
    options.store = together;
    options.peers = &n.peers;
    assert_ok(gig_study_run(&counts, manifest, &options));
    net_close(&n, ended);
    assert_true(counts.done == 32 && ended[1] == 0 && ended[2] == 0);
    char *a = export_without_seconds(alone), *b = export_without_seconds(together);
    assert_string_equal(a, b);
    gig_text_free(a);
    gig_text_free(b);
}

static void releases_the_others_when_it_fails(void **state)
{
    (void)state;
    net n;
    int ended[PROCESSES];
    gig_study_counts counts;
    net_open(&n, help_with_a_study);
    gig_study_options options = {.worker = labourer, .peers = &n.peers};
    assert_status(gig_study_run(&counts, temporary_path("none.json"), &options), GIG_EIO);
    assert_message("none.json");
    net_close(&n, ended);
    assert_true(ended[1] == 0 && ended[2] == 0);
}

int main(int count, char **arguments)
{
    if (count > 1 && !strcmp(arguments[1], "worker")) return gig_pool_serve(answer, NULL) == GIG_OK ? 0 : 3;
    if (count > 1 && !strcmp(arguments[1], "labourer")) return gig_study_run_worker() == GIG_OK ? 0 : 3;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_jobs_among_processes),
        cmocka_unit_test(loses_only_the_job_that_kills_workers_everywhere),
        cmocka_unit_test(gives_the_jobs_of_a_killed_process_to_others),
        cmocka_unit_test(gives_the_jobs_of_a_process_that_leaves_to_others),
        cmocka_unit_test(works_alone_where_others_cannot),
        cmocka_unit_test(says_that_the_first_process_is_gone),
        cmocka_unit_test(stops_when_told_and_releases_the_others),
        cmocka_unit_test(gives_the_scores_of_one_process),
        cmocka_unit_test(releases_the_others_when_it_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
