/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by all kinds of walks. */
#include "path/driver.h"
#include "path/lanes.h"

void gig_walk_share(gig_walk *walk, size_t count)
{
    size_t each = count / walk->active->queue.count, more = count % walk->active->queue.count;
    walk->first = walk->index * each + (walk->index < more ? walk->index : more);
    walk->steps = each + (walk->index < more);
}

gig_status gig_walk_observe(gig_walk *walk, gig_view view)
{
    const gig_drive_options *options = &walk->drive->options;
    if (!options->observe) return GIG_OK;
    view.chain = walk->active->index;
    view.walk = walk->index;
    view.walks = walk->active->queue.count;
    view.steps = walk->steps;
    view.features = walk->drive->features;
    view.attributions = walk->attributions;
    return options->observe(options->observe_payload, &view);
}

void gig_walk_meet(gig_walk *walk, double value, const float *vector)
{
    gig_walk *before = walk->active->queue.walks[walk->index - 1];
    if (vector && before->after) memcpy(before->after, vector, walk->drive->features * sizeof *vector);
    before->value_after = value;
    pthread_mutex_lock(&walk->drive->lock);
    before->met = 1;
    pthread_mutex_unlock(&walk->drive->lock);
}

void gig_walk_met_alone(gig_walk *walk, double value)
{
    walk->value_after = value;
    walk->met = 1;
}

void gig_walk_join(gig_walk *walk)
{
    gig_totals *to = &walk->active->totals, *from = &walk->totals;
    gig_sums_add(walk->active->attributions, walk->attributions, walk->drive->features);
    to->step_error += from->step_error;
    to->noise += from->noise;
    to->distance += from->distance;
    to->l1 += from->l1;
    to->l2 += from->l2;
    to->closed += from->closed;
    to->unassigned += from->unassigned;
    to->missing += from->missing;
    to->evaluations += from->evaluations;
    to->values += from->values;
}

gig_status gig_walk_fail_number(const gig_walk *walk, const char *what, size_t feature, double value)
{
    return gig_fail(GIG_ENUMERIC, "step %zu: the %s of feature %zu is %f", walk->first + walk->step, what, feature,
                    value);
}
