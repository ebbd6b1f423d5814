/* SPDX-License-Identifier: Apache-2.0 */
/* What it costs to come from a file to the first gradient: bench_first MODEL.onnx. Prints, after each stage, the CPU
 * time of the stage and the memory that is resident then; at the end the whole CPU time and the most that was
 * resident. One thread. */
#include "gig/model.h"
#include "gig/network.h"
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

static double stage(const char *name, double start)
{
    double now = seconds();
    printf("%-10s %6.3f s of CPU, then %4.0f MB resident\n", name, now - start, resident_megabytes());
    return seconds();
}

static gig_status first_gradient(const gig_network *network, double *start)
{
    gig_session *session = NULL;
    gig_function function;
    size_t features = gig_network_features(network), target = 0;
    float *point = calloc(2 * features, sizeof *point), *gradient = point + features;
    const float *points[] = {point};
    double value;
    gig_status status = point ? gig_session_create(&session, network) : GIG_ENOMEM;
    *start = stage("session", *start);
    if (status == GIG_OK) status = gig_session_function(&function, session, GIG_LOGIT);
    if (status == GIG_OK) status = function.evaluate(function.payload, 1, points, &target, &value, &gradient);
    *start = stage("gradient", *start);
    gig_session_free(session);
    free(point);
    return status;
}

int main(int count, char **arguments)
{
    if (count != 2) return fprintf(stderr, "usage: bench_first MODEL.onnx\n"), 1;
    gig_model *model = NULL;
    gig_network *network = NULL;
    double start = seconds();
    gig_status status = gig_model_load(&model, arguments[1], NULL);
    start = stage("model", start);
    if (status == GIG_OK) status = gig_network_create(&network, model, NULL);
    start = stage("network", start);
    if (status == GIG_OK) status = first_gradient(network, &start);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("all        %6.3f s of CPU, %4.0f MB resident at most\n", seconds(), 1024e-6 * (double)usage.ru_maxrss);
    if (status != GIG_OK) fprintf(stderr, "%s\n", gig_message());
    gig_network_free(network);
    gig_model_free(model);
    return status == GIG_OK ? 0 : 1;
}
