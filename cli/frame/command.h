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
    const char *text;                 /* what it does; paragraphs are separated by an empty line */
    const char *examples[3];          /* each a command, two blanks, then what it shows */
    size_t least, most;               /* operands */
    int (*run)(const options *given); /* the exit code; prints its own error */
} command;

extern const command command_table[]; /* ended by a row without name */

extern char *const *command_line; /* as main got it */

/* Generated from the tables: help on stdout, the man page (scdoc source), completion ("bash" or "zsh"; 0 if unknown).
 */
void print_overview(void);
void print_help(const command *about);
void print_man(void);
int print_completion(const char *shell);

#endif
