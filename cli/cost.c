/* SPDX-License-Identifier: Apache-2.0 */
#include "cost.h"
#include "frame/errors.h"
#include "frame/printing.h"
#include "frame/progress.h"
#include "internal/network.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Seconds of a gradient, or (NULL) of a value: the fastest of three. */
static gig_status time_of(double *best, const gig_question *of, float *gradient)
{
    const gig_function *function = &of->functions[0];
    *best = INFINITY;
    for (int i = 0; i < 3; i++) {
        double value, start = seconds_now();
        gig_status status =
            function->evaluate(function->payload, 1, &of->point, &of->target, &value, gradient ? &gradient : NULL);
        if (status != GIG_OK) return status;
        *best = fmin(*best, seconds_now() - start);
    }
    return GIG_OK;
}

int cost_measure(cost *out, const gig_question *of, const opened_model *model)
{
    float *room = malloc(of->features * sizeof *room);
    if (!room) return no_memory();
    gig_status status = time_of(&out->gradient_seconds, of, room);
    if (status == GIG_OK && out->values) status = time_of(&out->value_seconds, of, NULL);
    free(room);
    out->workers = of->workers;
    out->seconds = ((double)out->gradients * out->gradient_seconds + (double)out->values * out->value_seconds) /
                   (double)of->workers;
    out->memory = model->about.weight_bytes + of->workers * gig_network_activation_bytes(of->network);
    return report(status);
}

int cost_print(const cost *self, const options *given, const char *prefix)
{
    char memory[40];
    if (given->json)
        return json_print(json_pack("{s:s, s:I, s:I, s:I, s:f, s:I}", "model", given->operands.items[0], "gradients",
                                    (json_int_t)self->gradients, "values", (json_int_t)self->values, "workers",
                                    (json_int_t)self->workers, "seconds", self->seconds, "memory",
                                    (json_int_t)self->memory));
    printf("%s%zu gradients at %.1f ms", prefix, self->gradients, 1e3 * self->gradient_seconds);
    if (self->values) printf(", %zu values at %.1f ms", self->values, 1e3 * self->value_seconds);
    printf(" on %zu workers: about %.0f s%s, %s of memory\n", self->workers, ceil(self->seconds),
           given->how.tolerance ? ", more if a tolerance needs it" : "",
           output_scaled(memory, sizeof memory, (double)self->memory, "B"));
    fflush(stdout);
    return EXIT_OK;
}

int cost_dry_run(cost *self, opened_model *of, const gig_input *input)
{
    gig_question question;
    opened_model_warn(of, input);
    gig_status status = gig_explainer_ask(&question, of->explainer, input, 0, &of->asked);
    int code = status == GIG_OK ? cost_measure(self, &question, of) : report(status);
    return code == EXIT_OK ? cost_print(self, of->given, "") : code;
}
