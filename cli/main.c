/* SPDX-License-Identifier: Apache-2.0 */
/* The program: finds the command, reads its options, runs it. The locale stays "C": numbers have a point everywhere. */
#include "commands.h"
#include "frame/errors.h"
#include "frame/output_files.h"
#include "gig/status.h"
#include "internal/guess.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

char *const *command_line;

static const command *find_command(const char *name)
{
    for (const command *row = command_table; row->name; row++)
        if (strcmp(row->name, name) == 0) return row;
    return NULL;
}

/* Whether nobody reads standard output any more, which an earlier write was told. */
static int is_closed_pipe(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&out, 1, 0) > 0 && out.revents & (POLLERR | POLLHUP);
}

/* What was printed may still wait in a buffer, and the disk may be full. */
static int flush(int code)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) return code;
    if (errno == EPIPE || (!errno && is_closed_pipe())) return code == EXIT_OK ? 128 + SIGPIPE : code; /* `| head` */
    complain("cannot write standard output: %s", errno ? strerror(errno) : "an earlier write failed");
    return code == EXIT_OK ? EXIT_IO : code;
}

static int refuse_unknown(const char *name)
{
    gig_guess like = gig_guess_begin(name, strlen(name));
    for (const command *row = command_table; row->name; row++) gig_guess_try(&like, row->name);
    if (like.name)
        complain("unknown command \"%s\"; did you mean %s?", name, like.name);
    else
        complain("unknown command \"%s\"; see gig --help", name);
    return EXIT_USAGE;
}

static int run_command(const command *about, int count, char **arguments)
{
    options given;
    int code = EXIT_USAGE;
    if (options_parse(&given, about->name, about->bit, count, arguments) != 0) {
        code = EXIT_USAGE;
    } else if (given.help) {
        print_help(about);
        code = EXIT_OK;
    } else if (given.alone && given.operands.count) {
        complain("%s: --%s cannot be combined with %s", about->name, given.alone, about->operands);
    } else if (given.operands.count < about->least && !given.alone) {
        complain("%s: %s is missing; see gig %s --help", about->name, about->operands, about->name);
    } else if (given.operands.count > about->most) {
        complain("%s: \"%s\" is one too many; it takes %s", about->name, given.operands.items[about->most],
                 about->operands);
    } else {
        signals_catch();
        code = file_refuse_inputs(about->name, &given);
        if (code == EXIT_OK) code = about->run(&given);
    }
    options_clear(&given);
    return code;
}

/* "gig help gradient" and "gig gradient --help" are the same. */
static int help(int count, char **arguments)
{
    if (count == 0) {
        print_overview();
        return EXIT_OK;
    }
    const command *about = find_command(arguments[0]);
    if (!about) return refuse_unknown(arguments[0]);
    print_help(about);
    return EXIT_OK;
}

static int dispatch(int count, char **arguments)
{
    const char *first = count > 0 ? arguments[0] : "";
    if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0 || strcmp(first, "help") == 0)
        return help(count - 1, arguments + 1);
    if (strcmp(first, "--version") == 0) {
        printf("gig %s\n", gig_version());
        return EXIT_OK;
    }
    if (strcmp(first, "--print-man") == 0) {
        print_man();
        return EXIT_OK;
    }
    if (strcmp(first, "--print-completion") == 0 && count == 2 && print_completion(arguments[1])) return EXIT_OK;
    if (strcmp(first, STUDY_WORKER) == 0 && count == 1) return run_study_worker();
#ifdef GIG_SERVE
    if (strcmp(first, PAGE_WORKER) == 0 && count == 1) return run_page_worker();
#endif
    const command *about = find_command(first);
    if (about) return run_command(about, count - 1, arguments + 1);
    if (*first) return refuse_unknown(first);
    complain("a command is missing; see gig --help");
    return EXIT_USAGE;
}

static int command_and_flush(int count, char **arguments)
{
    return flush(dispatch(count, arguments));
}

int main(int count, char **arguments)
{
    command_line = arguments;
    return signals_run_apart(command_and_flush, count - 1, arguments + 1);
}
