#include "base/file.h"
#include "base/memory.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

/* Reads to the end; *capacity bytes are there at first, and one byte is always left for the NUL. */
static gig_status read_all(uint8_t **data, size_t *bytes, size_t capacity, int fd, const char *path, size_t limit)
{
    size_t used = 0;
    for (;;) {
        if (used + 1 >= capacity) GIG_TRY(gig_grow((void **)data, &capacity, used + 65536, 1));
        ssize_t got = read(fd, *data + used, capacity - used - 1);
        if (got < 0 && errno == EINTR) continue;
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
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return fail_errno("cannot open", path);
    gig_status status = GIG_OK;
    uint8_t *data = NULL;
    struct stat about;
    size_t capacity = 65536;
    if (fstat(fd, &about) != 0) {
        status = fail_errno("cannot read", path);
        goto done;
    }
    if (S_ISREG(about.st_mode)) {
        if ((uint64_t)about.st_size > limit) {
            status = gig_fail(GIG_ELIMIT, "%s: larger than %zu bytes", path, limit);
            goto done;
        }
        capacity = (size_t)about.st_size + 2; /* the NUL, and one more so that the end is seen without growing */
    }
    data = gig_alloc(capacity, 1);
    status = data ? read_all(&data, bytes, capacity, fd, path, limit) : gig_alloc_status();
done:
    close(fd);
    if (status == GIG_OK)
        *out = data;
    else
        gig_free(data);
    return status;
}

static gig_status write_all(int fd, const char *path, const uint8_t *data, size_t bytes)
{
    while (bytes) {
        ssize_t put = write(fd, data, bytes < SSIZE_MAX ? bytes : SSIZE_MAX);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return fail_errno("cannot write", path);
        data += put;
        bytes -= (size_t)put;
    }
    return GIG_OK;
}

/* Whether the path is written in place (the standard streams, devices, pipes) and not replaced whole; then *fd is open,
 * or -1 with errno. A shell may have sent /dev/stdout to a regular file: that is written on, never replaced. */
static int is_in_place(int *fd, const char *path)
{
    struct stat about;
    if (strcmp(path, "/dev/stdout") == 0) {
        *fd = dup(STDOUT_FILENO);
        return 1;
    }
    if (strcmp(path, "/dev/stderr") == 0) {
        *fd = dup(STDERR_FILENO);
        return 1;
    }
    if (stat(path, &about) != 0 || S_ISREG(about.st_mode) || S_ISDIR(about.st_mode)) return 0;
    *fd = open(path, O_WRONLY | O_CLOEXEC);
    return 1;
}

/* Gives the finished file its name. Without force the kernel itself refuses a name that is taken. */
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
    (void)!fsync(fd); /* some file systems cannot; the file itself is safe already */
    close(fd);
}

static gig_status write_whole(char *temporary, const char *path, const void *data, size_t bytes, int force)
{
    unlink(temporary); /* left by a process of the same number that was killed */
    int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) return fail_errno("cannot create", path);
    gig_status status = write_all(fd, path, data, bytes);
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
    return status;
}

gig_status gig_file_write(const char *path, const void *data, size_t bytes, int force)
{
    int fd;
    if (is_in_place(&fd, path)) {
        if (fd < 0) return fail_errno("cannot open", path);
        gig_status status = write_all(fd, path, data, bytes);
        if (close(fd) != 0 && status == GIG_OK) status = fail_errno("cannot write", path);
        return status;
    }
    char real[PATH_MAX];
    struct stat about;
    if (stat(path, &about) == 0 && !force) {
        errno = EEXIST;
        return fail_errno("not overwritten", path);
    }
    const char *target = realpath(path, real) ? real : path; /* a link stays, what it names is replaced */
    enum { MOST_STEM = 220 }; /* file systems take names of 255 bytes, and the ending needs some */
    const char *slash = strrchr(target, '/');
    size_t room = strlen(target) + 32, folder = slash ? (size_t)(slash + 1 - target) : 0;
    char *temporary = gig_alloc(room, 1);
    if (!temporary) return gig_alloc_status();
    snprintf(temporary, room, "%.*s%.*s.tmp-%ld", (int)folder, target, MOST_STEM, target + folder, (long)getpid());
    gig_status status = write_whole(temporary, target, data, bytes, force);
    gig_free(temporary);
    return status;
}
