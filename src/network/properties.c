/* SPDX-License-Identifier: Apache-2.0 */
/* What a network tells about itself: sizes and names of its inputs, classes, outputs, remarks and memory. */
#include "network/network.h"
#include <string.h>

int gig_network_part_dims(const gig_network *network, size_t i, int64_t dims[GIG_MAX_RANK])
{
    if (!network || i >= network->plan.part_count) return 0;
    const gig_plan *plan = &network->plan;
    const gig_tensor *part = &plan->cells[plan->parts[i].cell].tensor;
    int rank = 0;
    if (network->pixels.enabled && i == 0) {
        memcpy(dims, (const int64_t[]){network->pixels.height, network->pixels.width, 3}, 3 * sizeof *dims);
        return 3;
    }
    int skip = part->rank > 0 && (plan->file_batch || plan->batch > 1 || part->dims[0] == 1) && !network->options.at;
    for (int k = skip; k < part->rank; k++) dims[rank++] = part->dims[k];
    return rank;
}

size_t gig_network_features(const gig_network *network)
{
    if (!network) return 0;
    return network->features;
}

size_t gig_network_classes(const gig_network *network)
{
    if (!network) return 0;
    return network->plan.classes.count;
}

size_t gig_network_numbers(const gig_network *network)
{
    if (!network) return 0;
    return network->plan.numbers;
}

gig_status gig_network_expect_target(const gig_network *network)
{
    GIG_NEED(network);
    return gig_plan_expect_target(&network->plan);
}

gig_target_kind gig_network_target(const gig_network *network)
{
    if (!network) return (gig_target_kind)0;
    return network->options.target.kind;
}

void gig_network_region_size(const gig_network *network, size_t *height, size_t *width)
{
    if (!network) return;
    *height = network->plan.classes.height;
    *width = network->plan.classes.width;
}

size_t gig_network_batch(const gig_network *network)
{
    if (!network) return 0;
    return (size_t)network->plan.batch;
}

int gig_network_point_dims(const gig_network *network, int64_t dims[GIG_MAX_RANK])
{
    if (!network) return 0;
    memcpy(dims, network->point_dims, sizeof network->point_dims);
    return network->point_rank;
}

size_t gig_network_parts(const gig_network *network)
{
    if (!network) return 0;
    return network->plan.part_count;
}

const char *gig_network_part_name(const gig_network *network, size_t i)
{
    if (!network || i >= network->plan.part_count) return NULL;
    return network->plan.cells[network->plan.parts[i].cell].name;
}

size_t gig_network_part_features(const gig_network *network, size_t i)
{
    if (!network || i >= network->plan.part_count) return 0;
    return network->plan.parts[i].features;
}

const char *gig_network_remark(const gig_network *network, size_t i)
{
    if (!network) return NULL;
    return i < network->remark_count ? network->remarks[i] : NULL;
}

size_t gig_network_activation_bytes(const gig_network *network)
{
    if (!network) return 0;
    return network->plan.arena_bytes;
}

gig_output_kind gig_network_output_kind(const gig_network *network)
{
    if (!network) return (gig_output_kind)0;
    return network->plan.ends_in != GIG_OUTPUT_LOGITS ? network->plan.ends_in : network->plan.logits_hold;
}

gig_scalar gig_network_probability(const gig_network *network, gig_scalar scalar)
{
    if (!network) return (gig_scalar)0;
    if (scalar == GIG_VALUE || network->options.target.kind == GIG_TARGET_WEIGHTS) return GIG_VALUE;
    int sigmoid = scalar == GIG_SIGMOID || network->plan.classes.count == 1 ||
                  gig_network_output_kind(network) == GIG_OUTPUT_SIGMOID;
    return sigmoid ? GIG_SIGMOID : GIG_SOFTMAX;
}

const char *gig_network_last_map(const gig_network *network)
{
    if (!network || network->last_map < 0) return NULL;
    return network->plan.cells[network->last_map].name;
}

const float *gig_network_at_value(const gig_network *network)
{
    if (!network) return NULL;
    return network->plan.at_value.real;
}
