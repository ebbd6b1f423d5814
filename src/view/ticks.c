/* SPDX-License-Identifier: Apache-2.0 */
/* Round ticks. */
#include "view/plot.h"
#include <math.h>

/* The smallest of 1, 2, 5 times a power of ten that is at least `least`. */
static double round_step(double least)
{
    double power = pow(10, floor(log10(least)));
    for (int i = 0; i < 3; i++) {
        static const double factors[] = {1, 2, 5};
        if (factors[i] * power >= least * (1 - 1e-9)) return factors[i] * power;
    }
    return 10 * power;
}

gig_plot_axis gig_plot_axis_make(double low, double high, size_t wanted, int round)
{
    gig_plot_axis axis = {0};
    if (!isfinite(low) || !isfinite(high) || high - low > 1e300) {
        low = 0;
        high = 1;
    }
    if (!(high - low > 1e-12 * fmax(fabs(low), fabs(high))) || high - low < 1e-290) {
        double around = fabs(low) > 1e-290 ? 0.5 * fabs(low) : 1;
        low -= around;
        high += around;
    }
    axis.step = round_step((high - low) / (double)(wanted ? wanted : 1));
    axis.low = round ? floor(low / axis.step + 1e-9) * axis.step : low;
    axis.high = round ? ceil(high / axis.step - 1e-9) * axis.step : high;
    double first = ceil(axis.low / axis.step - 1e-9), last = floor(axis.high / axis.step + 1e-9);
    while (first + (double)axis.count <= last && axis.count < GIG_MAX_TICKS) {
        double k = first + (double)axis.count;
        axis.ticks[axis.count++] = k == 0 ? 0 : k * axis.step;
    }
    return axis;
}
