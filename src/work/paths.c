#include "work/paths.h"
#include "base/memory.h"
#include <string.h>

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

char *gig_path_beside(const char *file, const char *name)
{
    const char *slash = strrchr(file, '/');
    return join(file, slash ? (size_t)(slash - file) + 1 : 0, name);
}

char *gig_path_inside(const char *folder, const char *name)
{
    return join(folder, strlen(folder), name);
}
