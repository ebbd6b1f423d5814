/* SPDX-License-Identifier: Apache-2.0 */
/* gig model --tensors and --describe: lists for a person who looks for a name, or fills in a description. */
#ifndef CLI_MODEL_LISTS_H
#define CLI_MODEL_LISTS_H

#include "internal/network.h"
#include "internal/summary.h"

/* "float32 [?,3,224,224]" into text; returns it. */
const char *shape_text(char *text, size_t bytes, const gig_summary_value *value);
/* Every computed tensor of the network. An exit code. */
int print_tensors(const gig_network *network, int as_json);
/* A description with what the file says, and defaults for the rest; network may be NULL. An exit code. */
int print_description(const gig_model_summary *about, const gig_network *network);

#endif
