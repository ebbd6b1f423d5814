/* SPDX-License-Identifier: Apache-2.0 */
/* The note of a score that is the mean of draws: "spread 0.0123 over 5 draws". Stores and exports keep it, so it is
 * written and read here alone, and every release reads what the others wrote. */
#include "internal/metric.h"
#include "internal/number.h"
#include "score/measure.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char begin[] = "spread ", middle[] = " over ", end[] = " draws";

static void write_note(char *note, size_t bytes, double spread, int64_t draws)
{
    char number[32];
    gig_format_double(number, sizeof number, 4, spread);
    snprintf(note, bytes, "%s%s%s%lld%s", begin, number, middle, (long long)draws, end);
}

void gig_metric_note_spread(gig_metric_result *out, double spread, size_t draws)
{
    out->spread = spread;
    write_note(out->note, sizeof out->note, spread, (int64_t)draws);
}

/* A note is read by taking it apart and writing it again: any other text differs. */
double gig_metric_spread_in(const char *note)
{
    char copy[GIG_METRIC_NOTE_BYTES], again[GIG_METRIC_NOTE_BYTES], *over, *last;
    double spread;
    int64_t draws;
    if (!note || strncmp(note, begin, sizeof begin - 1) || strlen(note) >= sizeof copy) return NAN;
    memcpy(copy, note, strlen(note) + 1);
    if (!(over = strstr(copy, middle)) || !(last = strstr(over, end))) return NAN;
    *over = *last = '\0';
    if (gig_parse_double(&spread, copy + sizeof begin - 1) != GIG_OK) return NAN;
    if (gig_parse_int(&draws, over + sizeof middle - 1, 2, INT64_MAX) != GIG_OK) return NAN;
    write_note(again, sizeof again, spread, draws);
    return spread >= 0 && !strcmp(again, note) ? spread : NAN;
}
