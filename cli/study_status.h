/* SPDX-License-Identifier: Apache-2.0 */
/* Where a study stands: how many cells are done, why some are not, and what the counts do not show. */
#ifndef CLI_STUDY_STATUS_H
#define CLI_STUDY_STATUS_H

#include "frame/options.h"
#include <jansson.h>

/* All of it, as text or JSON; after a run (brief) the first failure alone and where the others are found. An exit code.
 */
int study_status_print(const options *given, const char *store, int brief);

/* Remarks, one per line, which are cut up in place. */
void study_status_print_remarks(char *text);
json_t *study_status_remarks_json(char *text);

#endif
