/* SPDX-License-Identifier: Apache-2.0 */
/* Loads a file made by wire.h, which is freed; a refusal fails the test. */
#ifndef GIG_TESTS_WIRE_LOAD_H
#define GIG_TESTS_WIRE_LOAD_H

#include "internal/model.h"
#include "model/wire.h"
#include "support.h"

static inline gig_model *wire_load(wire file)
{
    gig_model *model = NULL;
    gig_status status = gig_model_load_memory(&model, file.bytes, file.count, NULL);
    wire_free(&file);
    if (status != GIG_OK) fail_msg("%s: %s", gig_status_name(status), gig_message());
    return model;
}

#endif
