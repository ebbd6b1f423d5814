/* SPDX-License-Identifier: Apache-2.0 */
#include "base/filename.h"
#include "base/memory.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *join(const char *folder, size_t length, const char *name)
{
    if (name[0] == '/') length = 0;
    size_t gap = length && folder[length - 1] != '/', bytes = strlen(name) + 1;
    char *path = gig_alloc(length + gap + bytes, 1);
    if (!path) return NULL;
    memcpy(path, folder, length);
    if (gap) path[length] = '/';
    memcpy(path + length + gap, name, bytes);
    return path;
}

char *gig_filename_beside(const char *file, const char *name)
{
    const char *slash = strrchr(file, '/');
    return join(file, slash ? (size_t)(slash - file) + 1 : 0, name);
}

/* A file that is not there: its folder's path, and its name. */
static char *resolve_new(const char *path)
{
    char folder[PATH_MAX], whole[PATH_MAX];
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    if (length >= sizeof folder) return gig_strdup(path);
    memcpy(folder, length ? path : ".", length ? length : 1);
    folder[length ? length : 1] = '\0';
    return realpath(folder, whole) ? gig_filename_inside(whole, path + length) : gig_strdup(path);
}

char *gig_filename_resolve(const char *path)
{
    enum { MOST_LINKS = 40 };
    char whole[PATH_MAX];
    char *at = gig_strdup(path);
    for (int i = 0; i < MOST_LINKS && at; i++) {
        ssize_t length = -1;
        char *next;
        if (realpath(at, whole))
            next = gig_strdup(whole);
        else if ((length = readlink(at, whole, sizeof whole - 1)) >= 0) {
            whole[length] = '\0';
            next = gig_filename_beside(at, whole);
        } else
            next = resolve_new(at);
        gig_free(at);
        at = next;
        if (length < 0) break;
    }
    return at;
}

char *gig_filename_inside(const char *folder, const char *name)
{
    return join(folder, strlen(folder), name);
}
