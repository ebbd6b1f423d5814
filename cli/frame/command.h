/* SPDX-License-Identifier: Apache-2.0 */
/* A command: a name, the text its help is made of, and what it does. */
#ifndef CLI_FRAME_COMMAND_H
#define CLI_FRAME_COMMAND_H

#include "frame/options.h"

typedef struct command {
    const char *name;
    unsigned bit; /* FOR_... */
    const char *operands;
    const char *summary;              /* one line without a final period */
    const char *text;                 /* what it does; paragraphs are parted by an empty line */
    const char *examples[3];          /* each a command, two blanks, then what it shows */
    size_t least, most;               /* operands */
    int (*run)(const options *given); /* the exit code; prints its own error */
} command;

extern const command command_table[]; /* ended by a row without name */

extern char *const *command_line; /* as main got it */

int run_model(const options *given);
int run_gradient(const options *given);
int run_bench(const options *given);
int run_explain(const options *given);
int run_compare(const options *given);
int run_score(const options *given);
int run_path(const options *given);
int run_study(const options *given);

/* As only argument: the program is a worker of a study, told what to do over its standard input. */
#define STUDY_WORKER "--study-worker"
int run_study_worker(void);

/* What the tables give: help on stdout, the man page (scdoc source), completion ("bash" or "zsh"; 0 when unknown). */
void print_overview(void);
void print_help(const command *about);
void print_man(void);
int print_completion(const char *shell);

#endif
