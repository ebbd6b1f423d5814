/* SPDX-License-Identifier: Apache-2.0 */
#include "frame/output_files.h"
#include "frame/errors.h"
#include "internal/description.h"
#include "internal/image.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is written in place, not made: the standard streams, wherever a shell sent them, devices and pipes. */
static int is_device(const char *path)
{
    struct stat about;
    if (strcmp(path, "/dev/stdout") == 0 || strcmp(path, "/dev/stderr") == 0) return 1;
    return stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode);
}

int file_is_regular(const char *path)
{
    struct stat about;
    return stat(path, &about) != 0 || S_ISREG(about.st_mode);
}

int file_is_stdout(const char *path)
{
    return path && (!strcmp(path, "/dev/stdout") || !strcmp(path, "/dev/fd/1") || !strcmp(path, "/proc/self/fd/1"));
}

/* The folder that the path lies in; 0 if its name is too long. */
static int folder_of(char folder[PATH_BYTES], const char *path)
{
    const char *slash = strrchr(path, '/');
    if (slash == path) return snprintf(folder, PATH_BYTES, "/") > 0;
    return snprintf(folder, PATH_BYTES, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".") < PATH_BYTES;
}

/* One in a folder that is not there or may not be written to. */
static int refuse_folder(const char *path)
{
    char folder[PATH_BYTES];
    struct stat about;
    if (!folder_of(folder, path)) {
        complain("%.80s...: the name is too long", path);
        return EXIT_USAGE;
    }
    if (stat(folder, &about) != 0)
        complain("%s: cannot be written: %s: %s", path, folder, errno == ENOENT ? "no such folder" : strerror(errno));
    else if (!S_ISDIR(about.st_mode))
        complain("%s: cannot be written: %s is not a folder", path, folder);
    else if (access(folder, W_OK) != 0)
        complain("%s: cannot be written: %s", path, strerror(errno));
    else
        return EXIT_OK;
    return EXIT_IO;
}

int file_refuse_existing(const char *path, int force)
{
    struct stat about;
    if (stat(path, &about) != 0) {
        if (errno == ENOENT) return EXIT_OK;
        complain("%s: cannot be written: %s", path, strerror(errno));
        return EXIT_IO;
    }
    if (!S_ISDIR(about.st_mode) && force) return EXIT_OK;
    complain(S_ISDIR(about.st_mode) ? "%s: is a folder" : "%s: exists already; --force overwrites it", path);
    return EXIT_IO;
}

int file_refuse(const char *path, int force)
{
    if (!path || is_device(path)) return EXIT_OK;
    int code = file_refuse_existing(path, force);
    return code == EXIT_OK ? refuse_folder(path) : code;
}

static int same_place(const char *a, const char *b)
{
    struct stat first, second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Both may still have to be made. */
static int same_file(const char *a, const char *b)
{
    char folders[2][PATH_BYTES];
    if (strcmp(a, b) == 0 || same_place(a, b)) return 1;
    return strcmp(last_part(a), last_part(b)) == 0 && folder_of(folders[0], a) && folder_of(folders[1], b) &&
           same_place(folders[0], folders[1]);
}

static int takes_any_number(const char *path)
{
    return is_device(path) && !file_is_stdout(path);
}

/* The file itself, or one of a folder's pictures. */
static int is_read(const char *path, const char *input)
{
    char folder[PATH_BYTES];
    if (same_place(path, input)) return 1;
    return gig_image_has_ending(last_part(path)) && folder_of(folder, path) && same_place(folder, input);
}

static int is_description(const char *path, const char *model)
{
    char name[PATH_BYTES];
    return gig_description_path(name, sizeof name, model) < sizeof name && same_place(path, name);
}

/* What the row's option names, where it is a file of this command's. */
static const char *file_of(const options *given, const option_row *row)
{
    if (row->kind != KIND_FILE || !(row->commands & given->command)) return NULL;
    return *(const char *const *)(const void *)((const char *)given + row->offset);
}

static int reads(const options *given, const char *path)
{
    const texts *const lists[] = {&given->operands, &given->study.take, &given->tensors};
    if (given->operands.count && is_description(path, given->operands.items[0])) return 1;
    if (given->how.baseline && same_place(path, given->how.baseline)) return 1; /* which may be a file's name */
    for (size_t l = 0; l < sizeof lists / sizeof *lists; l++)
        for (size_t i = 0; i < lists[l]->count; i++) {
            size_t name_bytes;
            const char *item = lists[l]->items[i];
            if (is_read(path, item) || is_read(path, options_split_name(item, &name_bytes))) return 1;
        }
    for (const option_row *row = option_table; row->name; row++) {
        const char *input = row->group != GROUP_OUT ? file_of(given, row) : NULL;
        if (input && is_read(path, input)) return 1;
    }
    return 0;
}

int file_refuse_inputs(const char *command, const options *given)
{
    for (const option_row *row = option_table; row->name; row++) {
        const char *path = row->group == GROUP_OUT ? file_of(given, row) : NULL;
        struct stat about;
        if (!path || stat(path, &about) != 0 || !S_ISREG(about.st_mode) || !reads(given, path)) continue;
        complain("%s: --%s names %s, which is read", command, row->name, path);
        return EXIT_USAGE;
    }
    return EXIT_OK;
}

int file_refuse_twice(const char *command, size_t count, const output_file *outputs)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++) {
            const output_file *a = &outputs[j], *b = &outputs[i];
            if (!a->path || !b->path || !same_file(a->path, b->path)) continue;
            if (takes_any_number(a->path) || takes_any_number(b->path)) continue;
            complain("%s: %s and %s both name %s", command, a->flag, b->flag, b->path);
            return EXIT_USAGE;
        }
    return EXIT_OK;
}
