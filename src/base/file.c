/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

const void *gig_reader_take(gig_reader *reader, size_t bytes)
{
    if (bytes > reader->left) return NULL;
    const void *start = reader->at;
    reader->at += bytes;
    reader->left -= bytes;
    return start;
}

static gig_status fail_errno(const char *what, const char *path)
{
    return gig_fail(GIG_EIO, "%s: %s: %s", path, what, strerror(errno));
}

/* Waits until there is something to read, or the end: a pipe may be slow, but an interruption ends the wait. */
static gig_status wait_for(int fd)
{
    enum { LOOK_MILLISECONDS = 100 };
    struct pollfd source = {.fd = fd, .events = POLLIN};
    do GIG_TRY(gig_interrupt_check());
    while (poll(&source, 1, LOOK_MILLISECONDS) <= 0);
    return GIG_OK;
}

/* Opens a file, or a pipe connected by the shell (/dev/stdin, <(command)). A named pipe is rejected because its writer
 * may never come, a device because it may never end. */
static gig_status open_to_read(int *fd, struct stat *about, const char *path)
{
    enum { PIPE_FILE_SYSTEM = 0x50495045 };
    struct statfs system;
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*fd < 0) return fail_errno("cannot open", path);
    const char *kind = "a device";
    if (fstat(*fd, about) != 0) return fail_errno("cannot read", path);
    if (S_ISREG(about->st_mode)) return GIG_OK;
    if (S_ISFIFO(about->st_mode) && fstatfs(*fd, &system) == 0 && system.f_type == PIPE_FILE_SYSTEM) return GIG_OK;
    if (S_ISDIR(about->st_mode)) kind = "a folder";
    if (S_ISFIFO(about->st_mode)) kind = "a named pipe";
    if (S_ISSOCK(about->st_mode)) kind = "a socket";
    return gig_fail(GIG_EIO, "%s: expected a file, found %s", path, kind);
}

/* Reads to the end; *capacity is the initial size, and one byte is always left for the NUL. */
static gig_status read_all(uint8_t **data, size_t *bytes, size_t capacity, int fd, const char *path, size_t limit)
{
    size_t used = 0;
    for (;;) {
        GIG_TRY(wait_for(fd));
        if (used + 1 >= capacity) GIG_TRY(gig_grow((void **)data, &capacity, used + 65536, 1));
        ssize_t got = read(fd, *data + used, capacity - used - 1);
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (got < 0) return fail_errno("cannot read", path);
        if (got == 0) break;
        used += (size_t)got;
        if (used > limit) return gig_fail(GIG_ELIMIT, "%s: larger than %zu bytes", path, limit);
    }
    (*data)[used] = 0;
    *bytes = used;
    return GIG_OK;
}

gig_status gig_file_read(uint8_t **out, size_t *bytes, const char *path, size_t limit)
{
    *out = NULL;
    *bytes = 0;
    int fd;
    uint8_t *data = NULL;
    struct stat about;
    size_t capacity = 65536;
    gig_status status = open_to_read(&fd, &about, path);
    if (status != GIG_OK) goto done;
    if (S_ISREG(about.st_mode)) {
        if ((uint64_t)about.st_size > limit) {
            status = gig_fail(GIG_ELIMIT, "%s: larger than %zu bytes", path, limit);
            goto done;
        }
        capacity = (size_t)about.st_size + 2; /* the NUL, and one more so that the end is detected without growing */
    }
    data = gig_alloc(capacity, 1);
    status = data ? read_all(&data, bytes, capacity, fd, path, limit) : gig_alloc_status();
done:
    if (fd >= 0) close(fd);
    if (status == GIG_OK)
        *out = data;
    else
        gig_free(data);
    return status;
}

static gig_status write_all(int fd, const char *path, const gig_bytes *part)
{
    const uint8_t *data = part->data;
    for (size_t left = part->count; left;) {
        ssize_t put = write(fd, data, left < SSIZE_MAX ? left : SSIZE_MAX);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return fail_errno("cannot write", path);
        data += put;
        left -= (size_t)put;
    }
    return GIG_OK;
}

static gig_status write_parts(int fd, const char *path, size_t count, const gig_bytes *parts)
{
    for (size_t i = 0; i < count; i++) GIG_TRY(write_all(fd, path, &parts[i]));
    return GIG_OK;
}

/* The open file descriptor that a name such as /dev/stdout refers to, or -1. */
static int named_stream(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    if (strcmp(path, "/dev/stdout") == 0) return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0) return STDERR_FILENO;
    for (int i = 0; i < 2; i++) {
        size_t bytes = strlen(folders[i]);
        char *end;
        if (strncmp(path, folders[i], bytes) != 0 || path[bytes] < '0' || path[bytes] > '9') continue;
        long number = strtol(path + bytes, &end, 10);
        if (!*end && number <= INT_MAX) return (int)number;
    }
    return -1;
}

/* Is the path written in place (open streams, devices, pipes) instead of being replaced? Then *fd is open, or -1 with
 * errno. If the shell redirects /dev/stdout to a regular file, it is appended to, not replaced. */
static int is_in_place(int *fd, const char *path)
{
    struct stat about;
    int stream = named_stream(path);
    if (stream >= 0) {
        *fd = dup(stream);
        return 1;
    }
    if (stat(path, &about) != 0 || S_ISREG(about.st_mode) || S_ISDIR(about.st_mode)) return 0;
    *fd = open(path, O_WRONLY | O_CLOEXEC);
    return 1;
}

/* Renames the finished file. Without force the kernel itself rejects an existing name. */
static int put_in_place(const char *temporary, const char *path, int force)
{
    if (force) return rename(temporary, path);
    if (renameat2(AT_FDCWD, temporary, AT_FDCWD, path, RENAME_NOREPLACE) == 0) return 0;
    if (errno != EINVAL && errno != ENOSYS) return -1;
    if (link(temporary, path) != 0) return -1; /* a file system without RENAME_NOREPLACE */
    unlink(temporary);
    return 0;
}

static void sync_folder(char *path)
{
    char *slash = strrchr(path, '/');
    const char *folder = slash == path ? "/" : slash ? path : ".";
    if (slash) *slash = 0;
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    (void)!fsync(fd); /* some file systems do not support this; the file itself is already safe */
    close(fd);
}

/* Creates a temporary file next to `path`, with a name that is unique in this process and most likely everywhere. *fd
 * is -1 with errno on failure. */
static char *open_beside(int *fd, const char *path, mode_t mode)
{
    enum {
        MOST_STEM = 200,
        TRIES = 100
    }; /* file systems allow names of 255 bytes, and the suffix needs some of them */
    static atomic_uint made;
    const char *slash = strrchr(path, '/');
    size_t room = strlen(path) + 80, folder = slash ? (size_t)(slash + 1 - path) : 0;
    char *name = gig_alloc(room, 1);
    *fd = -1;
    errno = EEXIST;
    for (int i = 0; name && i < TRIES && *fd < 0 && errno == EEXIST; i++) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        snprintf(name, room, "%.*s%.*s.tmp-%ld-%lx-%x", (int)folder, path, MOST_STEM, path + folder, (long)getpid(),
                 (unsigned long)now.tv_nsec, atomic_fetch_add(&made, 1));
        *fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    }
    return name;
}

/* `old`: the file that it replaces, whose permissions it gets; NULL: no such file. */
static gig_status write_whole(const char *path, size_t count, const gig_bytes *parts, int force, const struct stat *old)
{
    int fd;
    char *temporary = open_beside(&fd, path, old ? 0600 : 0666);
    if (!temporary) return gig_alloc_status();
    gig_status status = GIG_OK;
    if (fd < 0) {
        status = fail_errno("cannot create", path);
        gig_free(temporary);
        return status;
    }
    if (old) (void)!fchmod(fd, old->st_mode & 0777); /* some file systems cannot */
    status = write_parts(fd, path, count, parts);
    if (status == GIG_OK && fsync(fd) != 0) status = fail_errno("cannot write", path);
    if (close(fd) != 0 && status == GIG_OK) status = fail_errno("cannot write", path);
    if (status == GIG_OK && put_in_place(temporary, path, force) != 0) {
        int taken = errno == EEXIST;
        status = fail_errno(taken ? "not overwritten" : "cannot create", path);
    }
    if (status == GIG_OK)
        sync_folder(temporary);
    else
        unlink(temporary);
    gig_free(temporary);
    return status;
}

/* The target of a link, even if it does not exist yet; else the path itself. */
static const char *behind_links(char real[PATH_MAX], const char *path)
{
    char named[PATH_MAX];
    if (realpath(path, real)) return real;
    ssize_t bytes = readlink(path, named, sizeof named - 1);
    if (bytes <= 0) return path;
    named[bytes] = 0;
    const char *slash = strrchr(path, '/');
    int folder = named[0] == '/' || !slash ? 0 : (int)(slash + 1 - path);
    return snprintf(real, PATH_MAX, "%.*s%s", folder, path, named) < PATH_MAX ? real : path;
}

gig_status gig_file_write_parts(const char *path, size_t count, const gig_bytes *parts, int force)
{
    int fd;
    if (is_in_place(&fd, path)) {
        if (fd < 0) return fail_errno("cannot open", path);
        gig_status status = write_parts(fd, path, count, parts);
        if (close(fd) != 0 && status == GIG_OK) status = fail_errno("cannot write", path);
        return status;
    }
    char real[PATH_MAX];
    struct stat about;
    int there = stat(path, &about) == 0;
    if (there && !force) {
        errno = EEXIST;
        return fail_errno("not overwritten", path);
    }
    return write_whole(behind_links(real, path), count, parts, force, there ? &about : NULL);
}

gig_status gig_file_write(const char *path, const void *data, size_t bytes, int force)
{
    return gig_file_write_parts(path, 1, &(const gig_bytes){data, bytes}, force);
}
