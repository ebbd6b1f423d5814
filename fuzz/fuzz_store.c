/* SPDX-License-Identifier: Apache-2.0 */
/* libFuzzer target: any bytes as a study's store, exported and tabulated. */
#include "demand.h"
#include "gig/work.h"
#include "starve.h"
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(gig_status status, char *text, int starved)
{
    demand(status == GIG_OK || status == GIG_EFORMAT || status == GIG_EUNSUPPORTED || status == GIG_ELIMIT ||
               status == GIG_EARG || status == GIG_EIO || (status == GIG_ENOMEM && starved),
           "a legal status");
    demand((status == GIG_OK) == (text != NULL), "a text exactly on success");
    gig_text_free(text);
}

static char store_file[] = "/dev/shm/fuzz-store-XXXXXX"; /* in memory: a disk would take most of the time */

static void remove_file(void)
{
    unlink(store_file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int file = -1;
    if (file < 0) {
        file = mkstemp(store_file);
        demand(atexit(remove_file) == 0, "the file is removed at the end");
    }
    demand(file >= 0 && ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == (ssize_t)size, "a file is written");
    size_t before = gig_memory_used();
    char *text = NULL;
    int starved = starve(data, size);
    gig_status status = gig_study_export(&text, store_file, 0);
    check(status, text, starved);
    text = NULL;
    const gig_table_options options = GIG_TABLE_OPTIONS_INIT;
    status = gig_study_table(&text, store_file, &options);
    starve_end();
    check(status, text, starved);
    demand(gig_memory_used() == before, "nothing stays allocated");
    return 0;
}
