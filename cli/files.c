#include "files.h"
#include "report.h"
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

/* One in a folder that is not there or may not be written to. */
static int refuse_folder(const char *path)
{
    char folder[PATH_BYTES];
    struct stat about;
    const char *slash = strrchr(path, '/');
    int bytes = snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    if (slash == path) bytes = snprintf(folder, sizeof folder, "/");
    if (bytes < 0 || (size_t)bytes >= sizeof folder) {
        complain("%.80s...: the name is too long", path);
        return EXIT_USAGE;
    }
    if (stat(folder, &about) != 0)
        complain("%s: cannot be written: %s: %s", path, folder, errno == ENOENT ? "no such folder" : strerror(errno));
    else if (!S_ISDIR(about.st_mode))
        complain("%s: cannot be written: %s is no folder", path, folder);
    else if (access(folder, W_OK) != 0)
        complain("%s: cannot be written: %s", path, strerror(errno));
    else
        return EXIT_OK;
    return EXIT_IO;
}

int file_refuse_existing(const char *path, int force)
{
    struct stat about;
    if (stat(path, &about) != 0) return EXIT_OK;
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
