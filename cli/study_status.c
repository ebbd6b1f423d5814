/* SPDX-License-Identifier: Apache-2.0 */
#include "study_status.h"
#include "frame/errors.h"
#include "frame/printing.h"
#include "frame/progress.h"
#include "internal/work.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A line of failures: fields separated by tabs. Splits it in place; the rest after its newline. */
enum { FAILURE_FIELDS = 6 };
static char *cut_failure(char *fields[FAILURE_FIELDS], char *line)
{
    char *rest = strchr(line, '\n');
    if (rest) *rest++ = 0;
    for (int i = 0; i < FAILURE_FIELDS; i++) {
        fields[i] = line;
        line += strcspn(line, i + 1 < FAILURE_FIELDS ? "\t" : "");
        if (*line) *line++ = 0;
    }
    return rest ? rest : line;
}

static json_t *failures_json(char *text)
{
    json_t *all = json_array();
    for (char *fields[FAILURE_FIELDS]; all && *text;) {
        text = cut_failure(fields, text);
        json_array_append_new(all, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "model", json_name(fields[0]), "set",
                                             json_name(fields[1]), "picture", json_name(fields[2]), "method",
                                             json_name(fields[3]), "baseline", json_name(fields[4]), "reason",
                                             json_name(fields[5])));
    }
    return all;
}

/* Prints one; those after it. */
static char *print_failure(char *text)
{
    char *fields[FAILURE_FIELDS], line[2048], clean[2048];
    text = cut_failure(fields, text);
    int based = strcmp(fields[4], "none") != 0;
    snprintf(line, sizeof line, "%s, %s, %s%s%s: %s", fields[0], fields[2], fields[3], based ? " from " : "",
             based ? fields[4] : "", fields[5]);
    printf("failed: %s\n", output_name(clean, sizeof clean, line));
    return text;
}

/* Cuts off the first line; what comes after it. */
static char *cut_line(char *text)
{
    text += strcspn(text, "\n");
    if (*text) *text++ = 0;
    return text;
}

json_t *study_status_remarks_json(char *text)
{
    json_t *all = json_array();
    for (char *rest; all && *text; text = rest) {
        rest = cut_line(text);
        json_array_append_new(all, json_name(text));
    }
    return all;
}

void study_status_print_remarks(char *text)
{
    char clean[2048];
    for (char *rest; *text; text = rest) {
        rest = cut_line(text);
        printf("note: %s\n", output_name(clean, sizeof clean, text));
    }
}

/* What a run said of itself, or NULL if none is under way. */
static json_t *run_json(const gig_study_progress *run)
{
    if (!run->stage) return json_null();
    return json_pack("{s:s, s:I, s:I, s:I, s:o}", "stage", run->stage, "cells", (json_int_t)run->cells, "done",
                     (json_int_t)run->done, "failed", (json_int_t)run->failed, "remaining",
                     json_number(run->remaining));
}

/* running: making maps, 20 of 84, 1:52:10 left */
static void print_run(const gig_study_progress *run)
{
    char left[32];
    if (!run->stage) return;
    printf("running: %s", run->stage);
    if (run->cells) printf(", %zu of %zu", run->done + run->failed, run->cells);
    if (!isnan(run->remaining)) printf(", %s left", progress_duration(left, sizeof left, run->remaining));
    puts("");
}

static int print_json(const gig_study_counts *counts, char *failures, char *remarks, const gig_study_progress *run)
{
    json_t *root = json_pack("{s:I, s:I, s:I}", "done", (json_int_t)counts->done, "failed", (json_int_t)counts->failed,
                             "planned", (json_int_t)counts->planned);
    if (root) json_object_set_new(root, "remarks", study_status_remarks_json(remarks));
    if (root && run) json_object_set_new(root, "failures", failures_json(failures));
    if (root && run) json_object_set_new(root, "run", run_json(run));
    return json_print(root);
}

static void print_text(const gig_study_counts *counts, char *failures, const char *store, int brief)
{
    char clean[2048];
    printf("%zu cells done, %zu failed, %zu planned\n", counts->done, counts->failed, counts->planned);
    if (*failures) failures = print_failure(failures);
    if (brief && *failures)
        printf("%zu more failed: see gig study status %s\n", counts->failed - 1,
               output_name(clean, sizeof clean, store));
    while (!brief && *failures) failures = print_failure(failures);
}

int study_status_print(const options *given, const char *store, int brief)
{
    gig_study_counts counts;
    gig_study_progress run = {0};
    char *failures = NULL, *remarks = NULL;
    gig_status status = gig_study_status(&counts, store);
    if (status == GIG_OK) status = gig_study_failures(&failures, store);
    if (status == GIG_OK) status = gig_study_remarks(&remarks, store);
    if (status == GIG_OK && !brief) status = gig_study_watch(&run, store);
    int code = report(status);
    if (code == EXIT_OK && given->json) code = print_json(&counts, failures, remarks, brief ? NULL : &run);
    if (code == EXIT_OK && !given->json) {
        print_text(&counts, failures, store, brief);
        study_status_print_remarks(remarks);
        print_run(&run);
    }
    gig_text_free(failures);
    gig_text_free(remarks);
    return code;
}
