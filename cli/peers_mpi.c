/* SPDX-License-Identifier: Apache-2.0 */
/* `gig-mpi`: the processes that mpirun has started, as peers of one study. One thread of each talks; messages are sent
 * without waiting and looked for from time to time, so that a process that has nothing to do leaves its core to
 * workers. */
#include "frame/errors.h"
#include "peers.h"
#include <limits.h>
#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TAG = 1, WAIT_MICROSECONDS = 1000 };

/* A message on its way. */
typedef struct outgoing {
    struct outgoing *next;
    MPI_Request request;
    char bytes[];
} outgoing;

static struct {
    gig_study_peers peers;
    size_t *workers;
    outgoing *sending;
    char *received;
    int joined;
} net;

/* Forgets messages that have been sent. */
static void clean_up(void)
{
    for (outgoing **at = &net.sending; *at;) {
        outgoing *one = *at;
        int sent = 0;
        if (MPI_Test(&one->request, &sent, MPI_STATUS_IGNORE) != MPI_SUCCESS) sent = 1;
        if (sent) {
            *at = one->next;
            free(one);
        } else
            at = &one->next;
    }
}

static gig_status send_message(void *payload, size_t to, const char *bytes, size_t count)
{
    (void)payload;
    clean_up();
    if (count > INT_MAX) return GIG_ELIMIT;
    outgoing *one = malloc(sizeof *one + count);
    if (!one) return GIG_ENOMEM;
    memcpy(one->bytes, bytes, count);
    if (MPI_Isend(one->bytes, (int)count, MPI_CHAR, (int)to, TAG, MPI_COMM_WORLD, &one->request) != MPI_SUCCESS) {
        free(one);
        return GIG_EIO;
    }
    one->next = net.sending;
    net.sending = one;
    return GIG_OK;
}

static gig_status receive_message(void *payload, size_t *from, const char **bytes, size_t *count)
{
    int arrived = 0, length = 0;
    MPI_Status about;
    (void)payload;
    *bytes = NULL;
    clean_up();
    if (MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &arrived, &about) != MPI_SUCCESS) return GIG_EIO;
    if (!arrived) return GIG_OK;
    if (MPI_Get_count(&about, MPI_CHAR, &length) != MPI_SUCCESS || length < 0) return GIG_EIO;
    char *room = realloc(net.received, (size_t)length + 1);
    if (!room) return GIG_ENOMEM;
    net.received = room;
    if (MPI_Recv(room, length, MPI_CHAR, about.MPI_SOURCE, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE) != MPI_SUCCESS)
        return GIG_EIO;
    room[length] = 0;
    *from = (size_t)about.MPI_SOURCE;
    *bytes = room;
    *count = (size_t)length;
    return GIG_OK;
}

/* The cores this process may use, shared with those on this machine that may use the same ones. */
static size_t share_of_cores(void)
{
    MPI_Comm here;
    cpu_set_t mine;
    int count = 1, sharing = 0;
    if (sched_getaffinity(0, sizeof mine, &mine) != 0) return 1;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    MPI_Comm_size(here, &count);
    cpu_set_t *all = calloc((size_t)count, sizeof *all);
    if (all) MPI_Allgather(&mine, (int)sizeof mine, MPI_BYTE, all, (int)sizeof mine, MPI_BYTE, here);
    for (int i = 0; all && i < count; i++) sharing += CPU_EQUAL(&mine, &all[i]) != 0;
    free(all);
    MPI_Comm_free(&here);
    size_t share = (size_t)CPU_COUNT(&mine) / (size_t)(sharing ? sharing : 1);
    return share ? share : 1;
}

static void know_each_other(size_t workers)
{
    int rank, count;
    unsigned long mine, *all;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    size_t share = share_of_cores(); /* by all or by none: it is collective */
    mine = workers ? workers : share;
    all = calloc((size_t)count, sizeof *all);
    net.workers = calloc((size_t)count, sizeof *net.workers);
    if (!all || !net.workers) {
        no_memory();
        MPI_Abort(MPI_COMM_WORLD, EXIT_LIMIT);
    }
    MPI_Allgather(&mine, 1, MPI_UNSIGNED_LONG, all, 1, MPI_UNSIGNED_LONG, MPI_COMM_WORLD);
    for (int i = 0; i < count; i++) net.workers[i] = all[i];
    free(all);
    net.peers = (gig_study_peers){.rank = (size_t)rank,
                                  .count = (size_t)count,
                                  .workers = net.workers,
                                  .send = send_message,
                                  .receive = receive_message};
}

int peers_join(const gig_study_peers **peers, size_t workers, char *const *arguments)
{
    (void)arguments;
    *peers = NULL;
    /* Messages are small; what copies large ones at once needs rights that a container may not have. */
    setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0);
    if (MPI_Init(NULL, NULL) != MPI_SUCCESS) {
        complain("study run: MPI cannot be started");
        return EXIT_IO;
    }
    net.joined = 1;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    know_each_other(workers);
    *peers = &net.peers;
    return EXIT_OK;
}

/* What still arrives is received and forgotten. A message too large to be sent ahead leaves its sender only when it is
 * received: one that stopped early, and went away with such messages on their way to it, would keep their senders for
 * ever. */
static void discard_messages(void)
{
    const char *bytes;
    size_t from, count;
    do {
        if (receive_message(NULL, &from, &bytes, &count) != GIG_OK) return;
    } while (bytes);
}

void peers_part(void)
{
    MPI_Request all_sent;
    int met = 0, waits = 0;
    if (!net.joined) return;
    for (; !met; usleep(WAIT_MICROSECONDS)) {
        discard_messages();
        if (net.sending) continue;
        if (!waits && MPI_Ibarrier(MPI_COMM_WORLD, &all_sent) != MPI_SUCCESS) break;
        waits = 1;
        if (MPI_Test(&all_sent, &met, MPI_STATUS_IGNORE) != MPI_SUCCESS) break;
    }
    MPI_Finalize();
    free(net.workers);
    free(net.received);
    net.joined = 0;
}
