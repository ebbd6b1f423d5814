/* SPDX-License-Identifier: Apache-2.0 */
/* The command line: one table of options makes parsing, help, the man page and completion. */
#ifndef CLI_FRAME_OPTIONS_H
#define CLI_FRAME_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

/* Which commands take an option; one bit each. */
enum {
    FOR_MODEL = 1,
    FOR_GRADIENT = 2,
    FOR_BENCH = 4,
    FOR_EXPLAIN = 8,
    FOR_COMPARE = 16,
    FOR_SCORE = 64,
    FOR_PATH = 32,
    FOR_STUDY = 128,
    FOR_SERVE = 256,
    FOR_ALL = ~0
};

/* How help groups them, as sections of a sentence: what is explained, how, running, out. */
typedef enum option_group { GROUP_WHAT, GROUP_HOW, GROUP_RUNNING, GROUP_OUT, GROUP_COUNT } option_group;

typedef enum option_kind {
    KIND_FLAG,   /* int: 1 if given */
    KIND_ALONE,  /* the same, and there are no operands then */
    KIND_TEXT,   /* const char *, NULL if not given */
    KIND_FILE,   /* the same, and completion offers files */
    KIND_LIST,   /* texts: may be given several times */
    KIND_FILES,  /* the same, and completion offers files */
    KIND_COUNT,  /* int64_t in least..most */
    KIND_SIZE,   /* size_t, bytes with K, M, G, T */
    KIND_CHOICE, /* int: which of `choices`, counted from 0 */
    KIND_HELP    /* shows help and ends */
} option_kind;

/* A name may stand in several rows, for different commands, when it means different things to them. */
typedef struct option_row {
    const char *name; /* "threads" for --threads */
    char letter;      /* 'j' for -j, or 0 */
    const char *argument;
    option_kind kind;
    option_group group;
    unsigned commands;
    size_t offset;        /* in struct options */
    const char *choices;  /* KIND_CHOICE: "f32|mixed|split|bf16"; of others what completion offers */
    const char *standard; /* what holds when it is not given, for help; NULL: nothing to say */
    int64_t least, most;  /* KIND_COUNT */
    const char *help;
} option_row;

enum { MOST_OPTION_ROWS = 128 };
extern const option_row option_table[]; /* ended by a row without name */

typedef struct texts {
    size_t count;
    const char **items;
} texts;

/* What was asked for, by what reads it. Zero, or NULL, where an option was not given, unless the table's default says
 * otherwise. */

/* The number that is explained. */
typedef struct target_flags {
    const char *of_class, *output;
    const char *region, *index, *weights; /* other than a class */
    int of;
} target_flags;

/* Texts that gig_method_set understands, read through the table (method_flags.c). */
typedef struct how_flags {
    const char *method, *methods, *steps, *steps_per_segment, *fraction, *fraction_of, *max_dist, *rule, *nodes, *until,
        *repeat, *tolerance, *max_evaluations, *baseline, *samples, *noise, *smooth, *sigma, *xrai, *segments;
    int close, closed;
} how_flags;

typedef struct drawing_flags {
    const char *title, *film, *tokens, *columns;
    int draw_as, display, look, bare; /* the first three: choices counted from 0, auto */
} drawing_flags;

typedef struct score_flags {
    const char *map, *mask, *boxes, *reduce, *metrics, *model, *picture;
} score_flags;

typedef struct study_flags {
    const char *store, *metric, *against, *plot, *better, *than, *set;
    texts take;
    int like, format, mean;
    int64_t count;
} study_flags;

/* How the network is run. */
typedef struct run_flags {
    int precision, blocking, blockings, portable;
    int64_t batch, threads, operator_threads, runs;
    size_t memory;
} run_flags;

typedef struct options {
    texts operands; /* what is not an option: model, pictures */
    texts tensors, shapes;
    const char *explain_inputs; /* names, separated by commas */
    const char *pixels, *at;
    const char *preset; /* how pixels are prepared */
    const char *out, *npy, *npz, *csv;
    target_flags target;
    how_flags how;
    drawing_flags drawing;
    score_flags score;
    study_flags study;
    run_flags run;
    int no_orient, dry_run;
    int64_t seed, port;
    int json, force, quiet;
    int operators, list_tensors, describe; /* model */
    const char *alone;                     /* the option given instead of operands, or NULL */
    int help;
    unsigned command;                     /* whose line it is: FOR_... */
    unsigned char seen[MOST_OPTION_ROWS]; /* by row of the table */
} options;

/* Was --NAME on the command line? */
int options_given(const options *given, const char *name);

/* Reads arguments[0..count) for the command with this bit. 0, or -1 after printing one line. Free with options_clear in
 * both cases; texts are borrowed from the arguments. */
int options_parse(options *out, const char *command, unsigned bit, int count, char **arguments);
void options_clear(options *given);

/* Splits "NAME=rest" at the first '='; *name_bytes is 0 and the rest the whole where there is no '='. */
const char *options_split_name(const char *text, size_t *name_bytes);

#endif
