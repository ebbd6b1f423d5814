/* SPDX-License-Identifier: Apache-2.0 */
#include "destination.h"
#include "frame/errors.h"
#include "frame/output_files.h"
#include "internal/view.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int names_folder(const char *path)
{
    struct stat about;
    size_t bytes = strlen(path);
    return (stat(path, &about) == 0 && S_ISDIR(about.st_mode)) || (bytes && path[bytes - 1] == '/');
}

/* Bytes of the common folder of all names. */
static size_t common_folder(const points *in)
{
    if (!in->count) return 0;
    size_t common = strlen(in->names[0]);
    for (size_t i = 1; i < in->count; i++) {
        size_t same = 0;
        while (same < common && in->names[i][same] == in->names[0][same]) same++;
        common = same;
    }
    while (common && in->names[0][common - 1] != '/') common--;
    return common;
}

static int make_folders_of(char *path)
{
    for (char *at = path + 1; (at = strchr(at, '/')); at++) {
        *at = 0;
        int failed = mkdir(path, 0777) != 0 && errno != EEXIST;
        if (failed) complain("%s: %s", path, strerror(errno));
        *at = '/';
        if (failed) return EXIT_IO;
    }
    return EXIT_OK;
}

/* The path without empty components, "." and "..": it never leaves its folder. 0 if it is too long. */
static int keep_below(char *out, size_t bytes, const char *path)
{
    size_t used = 0;
    *out = 0;
    while (*path && used < bytes) {
        size_t length = strcspn(path, "/");
        int leads_nowhere = length == 0 || (length == 1 && path[0] == '.') || (length == 2 && !strncmp(path, "..", 2));
        if (!leads_nowhere)
            used += (size_t)snprintf(out + used, bytes - used, "%s%.*s", used ? "/" : "", (int)length, path);
        path += length + (path[length] == '/');
    }
    return used < bytes;
}

/* -o itself; in a folder the name below the common folder; otherwise the file name only, with the command's suffix. */
int destination_path(char *path, size_t bytes, const destination *self, size_t i, int make_folders)
{
    int used = -1;
    char kept[PATH_BYTES];
    const char *name = self->in->names[i];
    if (self->out && !self->in_folder) {
        used = snprintf(path, bytes, "%s", self->out);
    } else if (keep_below(kept, sizeof kept, self->in->from_files ? name + self->common : name)) {
        const char *below = kept, *folder = self->out ? self->out : "", *slash = strrchr(below, '/');
        if (!self->out && slash) below = slash + 1; /* in the current folder, without subfolders */
        const char *dot = strrchr(below, '.');
        slash = strrchr(below, '/');
        int stem = (int)(dot && (!slash || dot > slash) ? (size_t)(dot - below) : strlen(below));
        size_t length = strlen(folder);
        used = snprintf(path, bytes, "%s%s%.*s%s", folder, length && folder[length - 1] != '/' ? "/" : "", stem, below,
                        self->ending);
    }
    if (used > 0 && (size_t)used < bytes) return make_folders && self->in_folder ? make_folders_of(path) : EXIT_OK;
    complain("%.80s...: the name of its drawing is too long", name);
    return EXIT_USAGE;
}

/* A folder may be missing, but the existing part of its path must be a writable folder. */
static int refuse_folder_to_make(const char *out)
{
    char path[PATH_BYTES];
    struct stat about;
    if (snprintf(path, sizeof path, "%s", out) >= (int)sizeof path) {
        complain("%.80s...: the name is too long", out);
        return EXIT_USAGE;
    }
    for (;;) { /* upwards to an existing folder */
        size_t length = strlen(path);
        while (length > 1 && path[length - 1] == '/') path[--length] = 0;
        if (stat(path, &about) == 0) break;
        char *slash = strrchr(path, '/');
        if (slash)
            slash[slash == path] = 0;
        else
            strcpy(path, ".");
    }
    if (!S_ISDIR(about.st_mode))
        complain("%s: cannot be created: %s is not a folder", out, path);
    else if (access(path, W_OK) != 0)
        complain("%s: cannot be written: %s", out, strerror(errno));
    else
        return EXIT_OK;
    return EXIT_IO;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Two inputs of the same name from different folders would overwrite each other. */
static int refuse_equal(char **paths, size_t count)
{
    qsort(paths, count, sizeof *paths, by_text);
    for (size_t i = 1; i < count; i++) {
        if (strcmp(paths[i - 1], paths[i]) != 0) continue;
        complain("%s: two pictures would be written to this file; explain them one at a time, or rename one", paths[i]);
        return EXIT_USAGE;
    }
    return EXIT_OK;
}

static int refuse_each(const destination *self, int force)
{
    size_t count = self->in->count, made = 0;
    char **paths = calloc(count + 1, sizeof *paths);
    int code = paths ? EXIT_OK : no_memory();
    for (; made < count && code == EXIT_OK; made++) {
        char path[PATH_BYTES];
        code = destination_path(path, sizeof path, self, made, 0);
        if (code == EXIT_OK) code = self->in_folder ? file_refuse_existing(path, force) : file_refuse(path, force);
        if (code != EXIT_OK) break;
        paths[made] = strdup(path);
        if (!paths[made]) code = no_memory();
    }
    if (code == EXIT_OK) code = refuse_equal(paths, count);
    for (size_t i = 0; paths && i < count; i++) free(paths[i]);
    free(paths);
    return code;
}

int destination_open(destination *out, const char *command, const options *given, const points *in)
{
    *out = (destination){.out = given->out, .in = in, .common = common_folder(in)};
    out->in_folder = given->out && names_folder(given->out);
    out->ending = given->command == FOR_COMPARE ? ".compare.png" : ".gig.png";
    gig_sheet_format format;
    if (given->out && !out->in_folder && gig_sheet_format_of(&format, given->out) == GIG_OK)
        out->page = format == GIG_SHEET_HTML && (given->command == FOR_EXPLAIN || in->count > 1);
    if (out->page) return file_refuse(given->out, given->force);
    if (given->out && !out->in_folder && in->count > 1)
        complain("%s: -o is one file for %zu %s; give a folder (ending in /) or a .html file", command, in->count,
                 points_are_pictures(given) ? "pictures" : "rows");
    else if (given->out && !out->in_folder && gig_sheet_format_of(&format, given->out) != GIG_OK)
        report(GIG_EARG);
    else {
        int unknown = given->out && !out->in_folder && !in->count; /* rows of an array, not read yet */
        int code = out->in_folder ? refuse_folder_to_make(given->out)
                   : unknown      ? file_refuse(given->out, given->force)
                                  : EXIT_OK;
        return code == EXIT_OK ? refuse_each(out, given->force) : code;
    }
    return EXIT_USAGE;
}
