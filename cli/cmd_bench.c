/* SPDX-License-Identifier: Apache-2.0 */
/* gig bench: where a gradient's time goes, against the same convolutions alone and against the machine's matrix peak.
 * It times actions of the network itself, without an explainer. */
#include "commands.h"
#include "frame/errors.h"
#include "frame/printing.h"
#include "gig/memory.h"
#include "input_flags.h"
#include "internal/model.h"
#include "internal/network.h"
#include "internal/profile.h"
#include "internal/summary.h"
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>

enum { DEFAULT_RUNS = 20 };

typedef struct measured {
    gig_profile profile;
    double f32_peak, bf16_peak; /* operations per second; 0: not available */
    double points;              /* per run */
    double flops;               /* forward, one point */
    size_t activation_bytes;
} measured;

static double peak_resident_bytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return 1024.0 * (double)usage.ru_maxrss;
}

static gig_status measure(measured *out, const gig_network *network, const options *given)
{
    gig_session *session = NULL;
    gig_status status = gig_session_create(&session, network);
    if (status == GIG_OK)
        status = gig_session_profile(&out->profile, session, given->run.runs ? (size_t)given->run.runs : DEFAULT_RUNS);
    gig_session_free(session);
    if (status != GIG_OK) return status;
    out->points = (double)gig_network_batch(network);
    out->flops = gig_network_flops(network);
    out->activation_bytes = gig_network_activation_bytes(network);
    status = gig_matrix_peak(&out->f32_peak, 0);
    if (status != GIG_OK) return status;
    if (gig_matrix_peak(&out->bf16_peak, 1) != GIG_OK) out->bf16_peak = 0.0; /* not every CPU has them */
    return GIG_OK;
}

static double rate(const gig_profile_row *row)
{
    double seconds = row->forward_seconds + row->backward_seconds;
    return seconds > 0 ? (row->forward_flops + row->backward_flops) / seconds : 0.0;
}

static int print_text(const measured *found)
{
    const gig_profile *profile = &found->profile;
    double best = profile->best_seconds, done = 2.0 * found->flops * found->points / best;
    printf("%-20s %6s %12s %6s %12s %10s\n", "operator", "count", "forward ms", "count", "backward ms", "GFLOP/s");
    for (size_t i = 0; i < profile->count; i++) {
        const gig_profile_row *row = &profile->rows[i];
        printf("%-20s %6zu %12.3f %6zu %12.3f", row->kind, row->forward_count, 1e3 * row->forward_seconds,
               row->backward_count, 1e3 * row->backward_seconds);
        if (rate(row) > 0)
            printf(" %10.1f\n", 1e-9 * rate(row));
        else
            printf(" %10s\n", "-");
    }
    printf("gradient      %.3f ms of CPU per point, one thread, batch %.0f, best of several\n",
           1e3 * best / found->points, found->points);
    if (profile->bare_seconds > 0)
        printf("convolutions  %.3f ms per point if run alone: the gradient takes %.2f times as long\n",
               1e3 * profile->bare_seconds / found->points, best / profile->bare_seconds);
    printf("rate          %.1f GFLOP/s, %.0f %% of the f32 matrix peak of %.1f\n", 1e-9 * done,
           100 * done / found->f32_peak, 1e-9 * found->f32_peak);
    if (found->bf16_peak > 0) printf("bf16 peak     %.1f GFLOP/s\n", 1e-9 * found->bf16_peak);
    char text[64];
    printf("memory        %s planned for a batch, ",
           output_scaled(text, sizeof text, (double)found->activation_bytes, "B"));
    printf("%s resident at most\n", output_scaled(text, sizeof text, peak_resident_bytes(), "B"));
    return EXIT_OK;
}

static int print_json(const measured *found)
{
    const gig_profile *profile = &found->profile;
    json_t *rows = json_array();
    char engine[64];
    gig_network_engine(engine, sizeof engine);
    for (size_t i = 0; i < profile->count; i++) {
        const gig_profile_row *row = &profile->rows[i];
        json_array_append_new(rows, json_pack("{s:s, s:I, s:f, s:I, s:f, s:f}", "operator", row->kind, "forward_count",
                                              (json_int_t)row->forward_count, "forward_ms", 1e3 * row->forward_seconds,
                                              "backward_count", (json_int_t)row->backward_count, "backward_ms",
                                              1e3 * row->backward_seconds, "flops_per_second", rate(row)));
    }
    return json_print(json_pack(
        "{s:s, s:f, s:f, s:f, s:f, s:o, s:f, s:I, s:f, s:o}", "engine", engine, "milliseconds",
        1e3 * profile->best_seconds / found->points, "batch", found->points, "convolutions_alone_ms",
        1e3 * profile->bare_seconds / found->points, "f32_peak", found->f32_peak, "bf16_peak",
        found->bf16_peak > 0 ? json_real(found->bf16_peak) : json_null(), "flops", found->flops, "activation_bytes",
        (json_int_t)found->activation_bytes, "resident_bytes", peak_resident_bytes(), "operators", rows));
}

/* Seconds of one point's gradient, network by network. */
static gig_status time_blocking(double *out, const gig_model *model, const options *given, gig_network_options wanted,
                                gig_blocking blocking)
{
    static gig_profile profile;
    gig_network *network = NULL;
    gig_session *session = NULL;
    wanted.blocking = blocking;
    gig_status status = inputs_network(&network, model, given->operands.items[0], &wanted);
    if (status == GIG_OK) status = gig_session_create(&session, network);
    if (status == GIG_OK)
        status = gig_session_profile(&profile, session, given->run.runs ? (size_t)given->run.runs : DEFAULT_RUNS);
    if (status == GIG_OK) *out = profile.best_seconds / (double)gig_network_batch(network);
    gig_session_free(session);
    gig_network_free(network);
    return status;
}

static int bench_blockings(const gig_model *model, const options *given, const gig_network_options *wanted)
{
    static const char *const names[] = {"auto", "8", "16", "any"};
    char engine[64];
    json_t *rows = json_array();
    for (int i = GIG_BLOCKING_AUTO; i <= GIG_BLOCKING_ANY; i++) {
        double seconds = 0;
        int code = report(time_blocking(&seconds, model, given, *wanted, (gig_blocking)i));
        if (code != EXIT_OK) {
            json_decref(rows);
            return code;
        }
        if (!given->json) printf("--blocking %-6s %10.3f ms of CPU per point\n", names[i], 1e3 * seconds);
        json_array_append_new(rows, json_pack("{s:s, s:f}", "blocking", names[i], "milliseconds", 1e3 * seconds));
    }
    gig_network_engine(engine, sizeof engine);
    if (given->json) return json_print(json_pack("{s:s, s:o}", "engine", engine, "blockings", rows));
    json_decref(rows);
    printf("%s\n", engine);
    return EXIT_OK;
}

static int bench_once(const gig_model *model, const options *given, const gig_network_options *wanted)
{
    static measured found;
    gig_network *network = NULL;
    gig_status status = inputs_network(&network, model, given->operands.items[0], wanted);
    if (status == GIG_OK) status = measure(&found, network, given);
    int code = report(status);
    if (code == EXIT_OK) code = given->json ? print_json(&found) : print_text(&found);
    gig_network_free(network);
    return code;
}

static int bench_network(const gig_model *model, const gig_model_summary *about, const options *given)
{
    inputs in;
    int code = inputs_read(&in, "bench", given, 0);
    if (code == EXIT_OK) code = inputs_bind_zeros(&in, about);
    if (code == EXIT_OK) {
        gig_network_options wanted = inputs_network_options(given, &in);
        code = given->run.blockings ? bench_blockings(model, given, &wanted) : bench_once(model, given, &wanted);
    }
    inputs_clear(&in);
    return code;
}

int run_bench(const options *given)
{
    gig_model *model = NULL;
    gig_model_summary about = {0};
    gig_memory_set_limit(given->run.memory);
    signal(SIGINT, SIG_DFL); /* nothing is lost by ending at once */
    signal(SIGTERM, SIG_DFL);
    gig_status status = gig_model_load(&model, given->operands.items[0], NULL);
    if (status == GIG_OK) status = gig_model_summarize(&about, model);
    int code = report(status);
    if (code == EXIT_OK) code = bench_network(model, &about, given);
    gig_model_summary_clear(&about);
    gig_model_free(model);
    return code;
}
