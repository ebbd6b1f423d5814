/* SPDX-License-Identifier: Apache-2.0 */
/* The other processes of a study that mpirun has started. Two programs are built from the same files but for this part:
 * `gig`, which knows no MPI and starts fast, and `gig-mpi` beside it, whose place it takes under mpirun. */
#ifndef CLI_PEERS_H
#define CLI_PEERS_H

#include "gig/work.h"

/* Joins the others; *peers NULL: there are none, mpirun was not used. `workers` is what each has, 0: its share of the
 * cores. An exit code that is not 0 after printing one line. `arguments` is the whole command line, NULL last. */
int peers_join(const gig_study_peers **peers, size_t workers, char *const *arguments);

/* Waits for the others; nothing is sent or received any more. */
void peers_part(void);

#endif
