/* SPDX-License-Identifier: Apache-2.0 */
/* The cost from a file to the first gradient: bench_first_gradient MODEL.onnx. Prints, after each stage,
 * the CPU time of the stage and the memory that is resident then; at the end the whole CPU time and the most that was
 * resident. One thread. */
#include "gig/explainer.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double resident_megabytes(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%*d %ld", &pages) != 1) pages = 0;
    if (file) fclose(file);
    return 1e-6 * (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static void stage(const char *name, double start)
{
    printf("%-10s %6.3f s of CPU, then %4.0f MB resident\n", name, seconds() - start, resident_megabytes());
}

/* At a grey picture. */
static gig_status first_gradient(gig_explainer *explainer)
{
    int64_t dims[GIG_MAX_RANK];
    int rank = 0;
    size_t features = 1;
    double value;
    gig_status status = gig_explainer_dims(&rank, dims, explainer, NULL);
    for (int i = 0; i < rank; i++) features *= (size_t)dims[i];
    float *gradient = calloc(features, sizeof *gradient), *picture = calloc(features, sizeof *picture);
    if (!gradient || !picture) status = GIG_ENOMEM;
    for (size_t i = 0; status == GIG_OK && i < features; i++) picture[i] = 0.5f;
    gig_input input = {.values = picture};
    size_t class_index = 0;
    gig_explain_options options = {.classes = &class_index};
    if (status == GIG_OK) status = gig_explainer_evaluate(&value, &gradient, explainer, 1, &input, &options);
    free(gradient);
    free(picture);
    return status;
}

int main(int count, char **arguments)
{
    if (count != 2) return fprintf(stderr, "usage: bench_first_gradient MODEL.onnx\n"), 1;
    gig_explainer *explainer = NULL;
    gig_explainer_options options = GIG_EXPLAINER_OPTIONS_INIT;
    struct rusage usage;
    options.threads = 1;
    double start = seconds();
    gig_status status = gig_explainer_open(&explainer, arguments[1], &options);
    stage("open", start);
    start = seconds();
    if (status == GIG_OK) status = first_gradient(explainer);
    stage("gradient", start);
    getrusage(RUSAGE_SELF, &usage);
    printf("all        %6.3f s of CPU, %4.0f MB resident at most\n", seconds(), 1024e-6 * (double)usage.ru_maxrss);
    if (status != GIG_OK) fprintf(stderr, "%s\n", gig_message());
    gig_explainer_close(explainer);
    return status == GIG_OK ? 0 : 1;
}
