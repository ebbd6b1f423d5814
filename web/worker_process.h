/* SPDX-License-Identifier: Apache-2.0 */
/* Starts and ends the processes that compute for the server. */
#ifndef WEB_WORKER_PROCESS_H
#define WEB_WORKER_PROCESS_H

#include <stddef.h>

/* A worker process and the two ends of its pipes; -1: it cannot be started. */
int web_worker_start(int *to, int *from);
/* How it ended, as text; ends it first if it still runs. */
void web_worker_end(char *text, size_t bytes, int pid);

#endif
