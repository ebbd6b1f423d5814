/* SPDX-License-Identifier: Apache-2.0 */
/* Worker threads: public, because programs with several sessions distribute rows in the same way. */
#ifndef GIG_BASE_WORKERS_H
#define GIG_BASE_WORKERS_H

#include "internal/workers.h"

#endif
