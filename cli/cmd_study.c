/* SPDX-License-Identifier: Apache-2.0 */
/* gig study: methods x models x pictures x metrics, computed by worker processes into a store, and reports from it. */
#include "commands.h"
#include "frame/errors.h"
#include "frame/output_files.h"
#include "frame/printing.h"
#include "frame/progress.h"
#include "gig/saliency.h"
#include "internal/file.h"
#include "internal/number.h"
#include "internal/work.h"
#include "peers.h"
#include "study_html.h"
#include "study_status.h"
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is printed ---- */

static void print_file(const options *given, const char *path)
{
    char clean[2048];
    fprintf(output_text(given), "%s\n", output_name(clean, sizeof clean, path));
}

/* To standard output, or to -o's file, whose name is then printed. */
static int print_text(const options *given, const char *text)
{
    if (!given->out) {
        fputs(text, stdout);
        return EXIT_OK;
    }
    int code = report(gig_file_write(given->out, text, strlen(text), given->force));
    if (code == EXIT_OK) print_file(given, given->out);
    return code;
}

/* ---- run ---- */

typedef struct watch {
    progress bar;
    const char *stage; /* the one that the bar shows */
    int quiet;
} watch;

static int on_progress(void *payload, const gig_study_progress *now)
{
    watch *self = payload;
    if (!self->stage || strcmp(self->stage, now->stage) != 0) {
        if (self->stage) progress_end(&self->bar);
        self->stage = now->stage;
        progress_begin(&self->bar, strcmp(now->stage, "making maps") == 0 ? "cells" : now->stage, now->cells,
                       self->quiet);
    }
    progress_expect(&self->bar, now->done + now->failed, now->cells, now->remaining);
    return signals_seen() != 0;
}

static gig_study_options study_options(const options *given, watch *shown)
{
    /* Workers are this same program, even if its file has been replaced meanwhile. */
    static const char *const worker[] = {"/proc/self/exe", STUDY_WORKER, NULL};
    gig_study_options wanted = GIG_STUDY_OPTIONS_INIT;
    wanted.store = given->study.store;
    wanted.take = given->study.take.items;
    wanted.worker = worker;
    wanted.workers = (size_t)given->run.threads;
    wanted.progress = on_progress;
    wanted.payload = shown;
    shown->quiet = given->quiet;
    return wanted;
}

/* As one of several processes, but not the first: it reports only its own errors. */
static int help_to_run(const options *given, gig_study_options *wanted, watch *shown)
{
    gig_study_counts none;
    if (given->dry_run) return EXIT_OK;
    shown->quiet = 1;
    gig_status status = gig_study_run(&none, given->operands.items[1], wanted);
    if (shown->stage) progress_end(&shown->bar);
    return status == GIG_OK || status == GIG_ECANCEL ? EXIT_OK : report(status);
}

static void print_peers(const options *given, const gig_study_peers *peers)
{
    size_t workers = 0;
    if (!peers || peers->count < 2 || given->json || given->quiet) return;
    for (size_t i = 0; i < peers->count; i++) workers += peers->workers[i];
    printf("%zu processes with %zu workers\n", peers->count, workers);
    fflush(stdout);
}

static int run_cells(const options *given, gig_study_options *wanted, watch *shown)
{
    const char *manifest = given->operands.items[1];
    gig_study_counts counts;
    char *store = NULL;
    print_peers(given, wanted->peers);
    gig_status status = gig_study_run(&counts, manifest, wanted);
    if (shown->stage) progress_end(&shown->bar);
    if (status != GIG_OK && status != GIG_ECANCEL) return report(status);
    int code = report(gig_study_store_path(&store, manifest, wanted));
    if (code == EXIT_OK) code = study_status_print(given, store, 1);
    gig_text_free(store);
    if (status == GIG_OK) return code;
    return report_as(status, "interrupted; finished scores are stored; run the same command again to continue");
}

static int plan_cells(const options *given, const gig_study_options *wanted, watch *shown)
{
    gig_study_estimate found;
    gig_status status = gig_study_plan(&found, given->operands.items[1], wanted);
    if (shown->stage) progress_end(&shown->bar);
    if (status != GIG_OK) return report(status);
    int code = EXIT_OK;
    if (given->json)
        code = json_print(json_pack("{s:I, s:I, s:f, s:f, s:o, s:o}", "maps", (json_int_t)found.maps, "scores",
                                    (json_int_t)found.values, "evaluations", found.evaluations, "values", found.passes,
                                    "seconds", json_number(found.seconds), "remarks",
                                    study_status_remarks_json(found.remarks)));
    else {
        printf("%zu maps, %zu scores, %.0f gradients, %.0f values: %.3g hours of one core\n", found.maps, found.values,
               found.evaluations, found.passes, found.seconds / 3600);
        study_status_print_remarks(found.remarks);
    }
    gig_text_free(found.remarks);
    return code;
}

static int study_run(const options *given)
{
    watch shown = {0};
    gig_study_options wanted = study_options(given, &shown);
    int code = peers_join(&wanted.peers, wanted.workers, command_line);
    if (code != EXIT_OK) return code;
    if (wanted.peers && wanted.peers->rank)
        code = help_to_run(given, &wanted, &shown);
    else
        code = given->dry_run ? plan_cells(given, &wanted, &shown) : run_cells(given, &wanted, &shown);
    peers_part();
    return code;
}

int run_study_worker(void)
{
    signal(SIGINT, SIG_IGN); /* Ctrl-C reaches the whole group; the parent decides */
    gig_status status = gig_study_run_worker();
    return status == GIG_OK ? EXIT_OK : report(status);
}

/* ---- reading ---- */

static int study_status(const options *given)
{
    return study_status_print(given, given->operands.items[1], 0);
}

static int study_table(const options *given)
{
    gig_table_options wanted = GIG_TABLE_OPTIONS_INIT;
    char *text = NULL;
    const char *store = given->operands.items[1];
    const output_file outputs[] = {{"-o", given->out}, {"--plot", given->study.plot}};
    int code = file_refuse_twice("study table", sizeof outputs / sizeof *outputs, outputs);
    if (code == EXIT_OK) code = file_refuse(given->out, given->force);
    if (code == EXIT_OK) code = file_refuse(given->study.plot, given->force);
    if (code != EXIT_OK) return code;
    wanted.like = (gig_table_like)given->study.like;
    wanted.format = (gig_table_format)given->study.format;
    wanted.metric = given->study.metric;
    wanted.baseline = given->how.baseline;
    wanted.mean = given->study.mean;
    wanted.against = given->study.against;
    wanted.methods = given->how.methods;
    wanted.seed = (uint64_t)given->seed;
    int page = study_page_is_meant(given->out);
    if (page) wanted.format = GIG_TABLE_JSON;
    gig_status status = gig_study_table(&text, store, &wanted);
    if (status == GIG_OK && given->study.plot) status = gig_study_plot(store, given->study.plot, &wanted, given->force);
    if (status != GIG_OK)
        code = report(status);
    else if (page)
        code = study_page_write(given->out, text, store, given->force);
    else
        code = print_text(given, text);
    if (page && code == EXIT_OK) print_file(given, given->out);
    if (code == EXIT_OK && given->out && given->study.plot)
        print_file(given, given->study.plot); /* otherwise it would end the table */
    gig_text_free(text);
    return code;
}

static int study_export(const options *given)
{
    char *text = NULL;
    int code = file_refuse(given->out, given->force);
    if (code != EXIT_OK) return code;
    gig_status status = gig_study_export(&text, given->operands.items[1], given->json);
    code = status == GIG_OK ? print_text(given, text) : report(status);
    gig_text_free(text);
    return code;
}

static int study_show(const options *given)
{
    gig_show_options wanted = {.better = given->study.better,
                               .count = (size_t)given->study.count,
                               .seed = (uint64_t)given->seed,
                               .metric = given->study.metric,
                               .baseline = given->how.baseline,
                               .model = given->score.model,
                               .set = given->study.set};
    const char *missing = !given->study.better ? "--better A" : !given->study.than ? "--than B" : "-o FILE";
    if (!given->study.better || !given->study.than || !given->out)
        return complain("study show: %s is missing; it needs --better A, --than B and -o FILE", missing), EXIT_USAGE;
    enum { MOST = 32 };
    char names[MOST][GIG_METHOD_NAME_BYTES];
    const char *than[MOST], *list = given->study.than;
    int more = 1;
    for (size_t i = 0; i < MOST && (more = gig_next_name(names[i], sizeof names[i], &list)) > 0; i++)
        than[wanted.than_count++] = names[i];
    if (more < 0) return complain("study show: --than: found a name that is empty or too long"), EXIT_USAGE;
    if (more)
        return complain("study show: --than: expected fewer than %d names, separated by commas", MOST), EXIT_USAGE;
    wanted.than = than;
    int code = file_refuse(given->out, given->force);
    if (code != EXIT_OK) return code;
    gig_status status = gig_study_show(given->operands.items[1], given->out, &wanted, given->force);
    if (status != GIG_OK) return report(status);
    print_file(given, given->out);
    return EXIT_OK;
}

/* ---- which ---- */

static const struct {
    const char *name;
    int (*run)(const options *given);
    const char *takes; /* options of its own, each with a blank on both sides */
} verbs[] = {
    {"run", study_run, " store take dry-run threads json quiet "},
    {"status", study_status, " json "},
    {"table", study_table, " like format metric baseline mean against methods seed plot out force "},
    {"export", study_export, " json out force "},
    {"show", study_show, " better than n seed metric baseline model set out force "},
};

/* An option of another subcommand would be ignored silently, so it is an error. */
static int check_options(const options *given, const char *verb, const char *takes)
{
    for (const option_row *row = option_table; row->name; row++) {
        char name[64];
        if (!options_given(given, row->name)) continue;
        snprintf(name, sizeof name, " %s ", row->name);
        if (!strstr(takes, name)) return complain("study %s: --%s is not an option of this command", verb, row->name);
    }
    return 0;
}

int run_study(const options *given)
{
    const char *verb = given->operands.items[0];
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        if (strcmp(verbs[i].name, verb) != 0) continue;
        if (given->operands.count < 2) {
            complain("study %s: %s is missing; see gig study --help", verb, i == 0 ? "the manifest" : "the store");
            return EXIT_USAGE;
        }
        return check_options(given, verb, verbs[i].takes) == 0 ? verbs[i].run(given) : EXIT_USAGE;
    }
    complain("study: expected run, status, table, export or show, found \"%s\"", verb);
    return EXIT_USAGE;
}
