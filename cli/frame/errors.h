/* SPDX-License-Identifier: Apache-2.0 */
/* Error messages and exit codes of the program; signals that ask it to stop. */
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

/* Prints it; returns the exit code. */
int no_memory(void);

/* Prints the message of a failed call as one line on stderr (or that the program was interrupted); the exit code. */
int report(gig_status status);
/* The same, and which input it is about. */
int report_of(const char *input, gig_status status);
/* The same with a message kept from before. */
int report_as(gig_status status, const char *message);

/* From here on SIGINT and SIGTERM only set a flag; a second one ends the program at once. The file size limit
 * and a closed standard output are errors, not signals. */
void signals_catch(void);
/* Runs the program in a thread of its own with all signals blocked, while this thread receives them: so a signal
 * is noticed at once, and no handler ever runs inside oneDNN's generated code (see gig/explainer.h). */
int signals_run_apart(int (*program)(int count, char **arguments), int count, char **arguments);
/* The signal that asked to stop, or 0; long work checks it from time to time. */
int signals_seen(void);
/* GIG_ECANCEL once a signal was seen. */
gig_status signals_check(void);

#endif
