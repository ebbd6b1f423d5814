/* SPDX-License-Identifier: Apache-2.0 */
/* Loaded before the C library (LD_PRELOAD) into a program under test: the k-th call of a kind on a file below a
 * folder fails, or every change to such files is written to a log, from which a test makes what a power cut would have
 * left. fault.h lists the environment that says which; the counters are shared by all processes of the program. */
#undef _FILE_OFFSET_BITS /* the names that programs call, with and without 64, are each defined here */
#include "fault/fault.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { MOST_FILES = 4096 };

static char folder[PATH_MAX];
static fault_counts *counts;
static int kind = -1, forever, log_file = -1;
static unsigned wanted;
static char *paths[MOST_FILES]; /* of open files below the folder, by descriptor */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void prepare(void)
{
    const char *under = getenv(FAULT_FOLDER), *shared = getenv(FAULT_SHARED), *log = getenv(FAULT_LOG);
    const char *name = getenv(FAULT_CALL), *at = getenv(FAULT_AT);
    if (!under || !realpath(under, folder)) return;
    if (log) log_file = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_APPEND | O_CLOEXEC | O_CREAT, 0666);
    if (!shared || !name || !at) return;
    int file = (int)syscall(SYS_openat, AT_FDCWD, shared, O_RDWR | O_CLOEXEC, 0);
    void *mapped = mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    syscall(SYS_close, file);
    if (mapped == MAP_FAILED) return;
    counts = mapped;
    wanted = (unsigned)atoi(at);
    forever = getenv(FAULT_FOREVER) != NULL;
    for (int i = 0; i < FAULT_KINDS; i++)
        if (!strcmp(name, fault_names[i])) kind = i;
}

/* Whether this call is to fail; with errno. */
static int fails(int of)
{
    if (of != kind || !counts) return 0;
    unsigned number = atomic_fetch_add(&counts->seen, 1) + 1;
    if (forever ? number < wanted : number != wanted) return 0;
    atomic_fetch_add(&counts->fired, 1);
    errno = of == FAULT_WRITE ? ENOSPC : EIO;
    return 1;
}

/* The path as the log names it, from the folder on; NULL: not below it. */
static const char *beneath(char whole[PATH_MAX], const char *path)
{
    char copy[PATH_MAX];
    size_t length = strlen(folder);
    if (!length || !path || strlen(path) >= sizeof copy) return NULL;
    strcpy(copy, path);
    char *slash = strrchr(copy, '/');
    if (slash) *slash = 0;
    if (!realpath(!slash ? "." : slash == copy ? "/" : copy, whole)) return NULL;
    size_t used = strlen(whole);
    if (used + strlen(path) + 2 > PATH_MAX) return NULL;
    snprintf(whole + used, PATH_MAX - used, "/%s", slash ? path + (slash + 1 - copy) : path);
    if (strncmp(whole, folder, length)) return NULL;
    if (!whole[length]) return "."; /* the folder itself */
    return whole[length] == '/' ? whole + length + 1 : NULL;
}

static const char *path_of(int file)
{
    return file >= 0 && file < MOST_FILES ? paths[file] : NULL;
}

static void note(fault_change change, const char *path, const char *other, off_t offset, const void *data, size_t count)
{
    static char padding[8];
    if (log_file < 0) return;
    fault_record record = {.change = change,
                           .path = (uint32_t)strlen(path) + 1,
                           .other = other ? (uint32_t)strlen(other) + 1 : 0,
                           .offset = (uint64_t)offset,
                           .count = count};
    const struct iovec parts[] = {{&record, sizeof record},
                                  {(void *)(uintptr_t)path, record.path},
                                  {(void *)(uintptr_t)other, record.other},
                                  {(void *)(uintptr_t)data, data ? count : 0},
                                  {padding, -(record.path + record.other + (data ? count : 0)) % 8}};
    syscall(SYS_writev, log_file, parts, 5);
}

/* ---- open and close ---- */

static int opened(int file, const char *path, int flags)
{
    char whole[PATH_MAX];
    const char *name = file >= 0 && file < MOST_FILES ? beneath(whole, path) : NULL;
    if (file < 0 || file >= MOST_FILES) return file;
    free(paths[file]);
    paths[file] = name ? strdup(name) : NULL;
    if (name && (flags & O_CREAT)) note(FAULT_MADE, name, NULL, 0, NULL, 0);
    if (name && (flags & O_TRUNC)) note(FAULT_CUT, name, NULL, 0, NULL, 0);
    return file;
}

static int open_any(int at, const char *path, int flags, mode_t mode)
{
    char whole[PATH_MAX];
    int saved = errno;
    if ((at == AT_FDCWD || *path == '/') && beneath(whole, path) && fails(FAULT_OPEN)) return -1;
    errno = saved;
    int file = (int)syscall(SYS_openat, at, path, flags, mode);
    saved = errno;
    if (at == AT_FDCWD || *path == '/') opened(file, path, flags);
    errno = saved;
    return file;
}

#define MODE(flags)                                                                                                    \
    mode_t mode = 0;                                                                                                   \
    if ((flags) & (O_CREAT | __O_TMPFILE)) {                                                                           \
        va_list rest;                                                                                                  \
        va_start(rest, flags);                                                                                         \
        mode = va_arg(rest, mode_t);                                                                                   \
        va_end(rest);                                                                                                  \
    }

int open(const char *path, int flags, ...)
{
    MODE(flags)
    return open_any(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    MODE(flags)
    return open_any(AT_FDCWD, path, flags, mode);
}

/* What <fcntl.h> calls when it checks its arguments. */
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);

int __open_2(const char *path, int flags)
{
    return open_any(AT_FDCWD, path, flags, 0);
}

int __open64_2(const char *path, int flags)
{
    return open_any(AT_FDCWD, path, flags, 0);
}

int openat(int at, const char *path, int flags, ...)
{
    MODE(flags)
    return open_any(at, path, flags, mode);
}

int openat64(int at, const char *path, int flags, ...)
{
    MODE(flags)
    return open_any(at, path, flags, mode);
}

/* The descriptor is gone in any case, as on Linux. */
int close(int file)
{
    int watched = path_of(file) != NULL;
    if (watched) {
        free(paths[file]);
        paths[file] = NULL;
    }
    int done = (int)syscall(SYS_close, file);
    return watched && fails(FAULT_CLOSE) ? -1 : done;
}

/* ---- what changes a file ---- */

static ssize_t write_any(int file, const void *data, size_t count, off_t offset, int at)
{
    const char *path = path_of(file);
    if (path && fails(FAULT_WRITE)) return -1;
    if (!path || log_file < 0)
        return at ? syscall(SYS_pwrite64, file, data, count, offset) : syscall(SYS_write, file, data, count);
    pthread_mutex_lock(&turn);
    if (!at) offset = lseek(file, 0, SEEK_CUR);
    ssize_t put = at ? syscall(SYS_pwrite64, file, data, count, offset) : syscall(SYS_write, file, data, count);
    int saved = errno;
    if (put > 0) note(FAULT_WRITTEN, path, NULL, offset, data, (size_t)put);
    pthread_mutex_unlock(&turn);
    errno = saved;
    return put;
}

ssize_t write(int file, const void *data, size_t count)
{
    return write_any(file, data, count, 0, 0);
}

ssize_t pwrite(int file, const void *data, size_t count, off_t offset)
{
    return write_any(file, data, count, offset, 1);
}

ssize_t pwrite64(int file, const void *data, size_t count, off64_t offset)
{
    return write_any(file, data, count, offset, 1);
}

static int cut_any(int file, off_t length)
{
    const char *path = path_of(file);
    if (path && fails(FAULT_WRITE)) return -1;
    pthread_mutex_lock(&turn);
    int done = (int)syscall(SYS_ftruncate, file, length), saved = errno;
    if (path && done == 0) note(FAULT_CUT, path, NULL, length, NULL, 0);
    pthread_mutex_unlock(&turn);
    errno = saved;
    return done;
}

int ftruncate(int file, off_t length)
{
    return cut_any(file, length);
}

int ftruncate64(int file, off64_t length)
{
    return cut_any(file, length);
}

static int sync_any(int file, long call)
{
    const char *path = path_of(file);
    if (path && fails(FAULT_FSYNC)) return -1;
    pthread_mutex_lock(&turn);
    int done = (int)syscall(call, file), saved = errno;
    if (path && done == 0) note(FAULT_SYNCED, path, NULL, 0, NULL, 0);
    pthread_mutex_unlock(&turn);
    errno = saved;
    return done;
}

int fsync(int file)
{
    return sync_any(file, SYS_fsync);
}

int fdatasync(int file)
{
    return sync_any(file, SYS_fdatasync);
}

/* ---- names ---- */

static int rename_any(const char *from, const char *to, long flags, int link_only)
{
    char first[PATH_MAX], second[PATH_MAX];
    const char *name = beneath(first, from), *other = beneath(second, to);
    if (name && other && fails(FAULT_RENAME)) return -1;
    pthread_mutex_lock(&turn);
    int done = (int)(link_only ? syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0)
                               : syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, flags));
    int saved = errno;
    if (name && other && done == 0) note(FAULT_RENAMED, name, other, 0, NULL, 0);
    pthread_mutex_unlock(&turn);
    errno = saved;
    return done;
}

int rename(const char *from, const char *to)
{
    return rename_any(from, to, 0, 0);
}

int renameat2(int at, const char *from, int other, const char *to, unsigned flags)
{
    if (at != AT_FDCWD || other != AT_FDCWD) return (int)syscall(SYS_renameat2, at, from, other, to, flags);
    return rename_any(from, to, (long)flags, 0);
}

int link(const char *from, const char *to)
{
    return rename_any(from, to, 0, 1);
}

int unlink(const char *path)
{
    char whole[PATH_MAX];
    const char *name = beneath(whole, path);
    pthread_mutex_lock(&turn);
    int done = (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0), saved = errno;
    if (name && done == 0) note(FAULT_REMOVED, name, NULL, 0, NULL, 0);
    pthread_mutex_unlock(&turn);
    errno = saved;
    return done;
}
