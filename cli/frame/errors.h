/* SPDX-License-Identifier: Apache-2.0 */
/* What the program says when it fails, and with which exit code; signals that ask it to stop. */
#ifndef CLI_FRAME_ERRORS_H
#define CLI_FRAME_ERRORS_H

#include "gig/status.h"

/* Exit codes, documented in every --help. */
enum {
    EXIT_OK = 0,
    EXIT_USAGE = 1,
    EXIT_INPUT = 2, /* a file is broken, or a NaN or an infinity was found */
    EXIT_LIMIT = 3,
    EXIT_UNSUPPORTED = 4,
    EXIT_IO = 5,
    EXIT_INTERNAL = 6
};

/* Prints "gig: ..." as one line on stderr; always -1. */
int complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Says so; the exit code. */
int no_memory(void);

/* Prints the message of a failed call as one line on stderr (or that the program was interrupted); the exit code. */
int report(gig_status status);
/* The same, and which input it is about. */
int report_of(const char *input, gig_status status);
/* The same with a message kept from before. */
int report_as(gig_status status, const char *message);

/* From here on SIGINT and SIGTERM only set a flag; a second one ends the program at once. A file that has reached its
 * largest size, and a reader of standard output that has gone, are errors, no signals. */
void signals_catch(void);
/* Runs the program in a thread of its own with all signals blocked, while this thread waits and takes them: so a signal
 * is noticed at once, and no handler ever runs where oneDNN's generated code is (see gig/explainer.h). */
int signals_run_apart(int (*program)(int count, char **arguments), int count, char **arguments);
/* The signal that asked to stop, or 0: long work asks now and then. */
int signals_seen(void);
/* GIG_ECANCEL once a signal was seen. */
gig_status signals_check(void);

#endif
