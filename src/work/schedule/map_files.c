/* SPDX-License-Identifier: Apache-2.0 */
#include "work/schedule/map_files.h"
#include "base/filename.h"
#include "base/memory.h"
#include "base/status.h"
#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

static const char ending[] = ".npz", unfinished[] = ".npz.tmp-"; /* as base/file.c names what it has not finished */

static int begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

gig_status gig_maps_read(gig_tensor *out, const char *path, size_t height, size_t width)
{
    GIG_TRY(gig_npz_read(out, path, "attributions"));
    if (out->type == GIG_REAL && out->rank == 3 && out->dims[0] == (int64_t)height && out->dims[1] == (int64_t)width &&
        (out->dims[2] == 1 || out->dims[2] == 3))
        return GIG_OK;
    gig_tensor_clear(out);
    return gig_fail(GIG_EFORMAT, "%s: holds no map of this picture", path);
}

/* *useless: the name is that of a map which nobody wants. */
static gig_status judge(int *useless, const gig_plan *plan, const char *name)
{
    char key[GIG_HASH_TEXT];
    size_t length = strcspn(name, ".");
    int64_t id;
    int kept;
    *useless = 0;
    if (length + 1 != sizeof key) return GIG_OK;
    memcpy(key, name, length);
    key[length] = '\0';
    GIG_TRY(gig_store_find_cell(&id, &kept, plan->store, key));
    if (!id) return GIG_OK;
    if (begins_with(name + length, unfinished)) *useless = 1;
    if (strcmp(name + length, ending) || kept || plan->manifest->keep_maps) return GIG_OK;
    const gig_plan_cell *cell = gig_plan_find(plan, id);
    *useless = !cell || (!cell->users && !cell->metrics);
    return GIG_OK;
}

static gig_status sweep(const gig_plan *plan, DIR *folder)
{
    for (const struct dirent *entry; (entry = readdir(folder));) {
        int useless;
        GIG_TRY(judge(&useless, plan, entry->d_name));
        if (!useless) continue;
        char *path = gig_path_inside(plan->maps, entry->d_name);
        if (!path) return gig_alloc_status();
        unlink(path);
        gig_free(path);
    }
    return GIG_OK;
}

gig_status gig_maps_sweep(const gig_plan *plan)
{
    DIR *folder = opendir(plan->maps);
    if (!folder) return gig_fail(GIG_EIO, "%s: cannot be read (%s)", plan->maps, strerror(errno));
    gig_status status = sweep(plan, folder);
    closedir(folder);
    return status;
}

void gig_maps_release(const gig_plan *plan, gig_plan_cell *cell)
{
    int64_t id;
    int kept;
    int open = cell->progress == GIG_PLAN_WAITING || cell->progress == GIG_PLAN_GIVEN; /* it scores the map itself */
    if (open || cell->users || !cell->has_map || plan->manifest->keep_maps) return;
    if (gig_store_find_cell(&id, &kept, plan->store, cell->key) != GIG_OK || kept) return;
    char *path = gig_plan_map_path(plan, cell);
    if (path) unlink(path);
    gig_free(path);
    cell->has_map = 0;
}
