/* SPDX-License-Identifier: Apache-2.0 */
#include "work/manifest/baseline_pictures.h"
#include "base/filename.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/status.h"
#include "internal/draw.h"
#include "internal/number.h"
#include "work/manifest/picture_list.h"
#include <stdio.h>
#include <string.h>

enum { MOST_PICTURES = 10000, DIGITS = 12 };

int gig_baseline_is_pictures(const char *text)
{
    return !strncmp(text, "pictures:", strlen("pictures:"));
}

void gig_baseline_pictures_clear(gig_baseline_pictures *pictures)
{
    gig_texts_clear(&pictures->files);
}

static gig_status choose(gig_baseline_pictures *out, const gig_picture_list *list, size_t count, uint64_t seed)
{
    if (list->count < count) return gig_fail(GIG_EFORMAT, "the folder has %zu pictures", list->count);
    size_t *order = gig_alloc(list->count, sizeof *order);
    gig_status status = order ? GIG_OK : gig_alloc_status();
    if (order) gig_draw_indices(order, list->count, count, seed);
    for (size_t i = 0; i < count && status == GIG_OK; i++)
        status = gig_texts_add(&out->files, list->all[order[i]].file);
    gig_free(order);
    return status;
}

static gig_status hash_files(char text[GIG_HASH_TEXT], const gig_texts *files)
{
    gig_hash *hash;
    GIG_TRY(gig_hash_begin(&hash, NULL));
    gig_status status = GIG_OK;
    for (size_t i = 0; i < files->count && status == GIG_OK; i++) status = gig_hash_add_file(hash, files->all[i]);
    if (status == GIG_OK) status = gig_hash_end(text, hash);
    gig_hash_free(hash);
    return status;
}

static gig_status find_in(gig_baseline_pictures *out, const char *folder, size_t count, uint64_t seed)
{
    gig_picture_list list;
    char hash[GIG_HASH_TEXT];
    GIG_TRY(gig_picture_list_read(&list, folder));
    gig_status status = choose(out, &list, count, seed);
    gig_picture_list_clear(&list);
    if (status == GIG_OK) status = hash_files(hash, &out->files);
    if (status == GIG_OK) snprintf(out->name, sizeof out->name, "pictures:%zu#%.*s", count, DIGITS, hash);
    return status;
}

gig_status gig_baseline_pictures_find(gig_baseline_pictures *out, const char *text, const char *manifest, uint64_t seed)
{
    const char *folder = text + strlen("pictures:"), *colon = strrchr(folder, ':');
    int64_t count;
    *out = (gig_baseline_pictures){0};
    if (!colon || colon == folder || gig_parse_int(&count, colon + 1, 1, MOST_PICTURES) != GIG_OK)
        return gig_fail(GIG_EFORMAT, "\"%s\": expected pictures:FOLDER:N, N from 1 to %d", text, MOST_PICTURES);
    char *name = gig_alloc_zero((size_t)(colon - folder) + 1, 1);
    if (!name) return gig_alloc_status();
    memcpy(name, folder, (size_t)(colon - folder));
    char *path = gig_filename_beside(manifest, name);
    gig_status status = path ? find_in(out, path, (size_t)count, seed) : gig_alloc_status();
    gig_free(path);
    gig_free(name);
    return status == GIG_OK || status == GIG_ENOMEM ? status : gig_fail_in(status, "\"%s\"", text);
}
