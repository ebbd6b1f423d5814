/* SPDX-License-Identifier: Apache-2.0 */
#include "work/schedule/map_files.h"
#include "base/filename.h"
#include "base/memory.h"
#include "base/status.h"
#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

static const char ending[] = ".npz", unfinished[] = ".npz.tmp-"; /* as base/file.c names unfinished files */

static int begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* *useless: the name is that of a map that is not needed. */
static gig_status judge(int *useless, const gig_schedule *schedule, const char *name)
{
    char key[GIG_HASH_TEXT];
    size_t length = strcspn(name, ".");
    int64_t id;
    int kept;
    *useless = 0;
    if (length + 1 != sizeof key) return GIG_OK;
    memcpy(key, name, length);
    key[length] = '\0';
    GIG_TRY(gig_store_find_cell(&id, &kept, schedule->store, key));
    if (!id) return GIG_OK;
    if (begins_with(name + length, unfinished)) *useless = 1;
    if (strcmp(name + length, ending) || kept || schedule->manifest->keep_maps) return GIG_OK;
    const gig_schedule_cell *cell = gig_schedule_find(schedule, id);
    *useless = !cell || (!cell->users && !cell->metrics);
    return GIG_OK;
}

static gig_status sweep(const gig_schedule *schedule, DIR *folder)
{
    for (const struct dirent *entry; (entry = readdir(folder));) {
        int useless;
        GIG_TRY(judge(&useless, schedule, entry->d_name));
        if (!useless) continue;
        char *path = gig_filename_inside(schedule->maps, entry->d_name);
        if (!path) return gig_alloc_status();
        unlink(path);
        gig_free(path);
    }
    return GIG_OK;
}

gig_status gig_schedule_sweep_maps(const gig_schedule *schedule)
{
    DIR *folder = opendir(schedule->maps);
    if (!folder) return gig_fail(GIG_EIO, "%s: cannot be read (%s)", schedule->maps, strerror(errno));
    gig_status status = sweep(schedule, folder);
    closedir(folder);
    return status;
}

void gig_schedule_release_map(const gig_schedule *schedule, gig_schedule_cell *cell)
{
    int64_t id;
    int kept;
    int open =
        cell->progress == GIG_SCHEDULE_WAITING || cell->progress == GIG_SCHEDULE_GIVEN; /* it scores the map itself */
    if (open || cell->users || !cell->has_map || schedule->manifest->keep_maps) return;
    if (gig_store_find_cell(&id, &kept, schedule->store, cell->key) != GIG_OK || kept) return;
    char *path = gig_schedule_map_path(schedule, cell);
    if (path) unlink(path);
    gig_free(path);
    cell->has_map = 0;
}
