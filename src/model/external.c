/* SPDX-License-Identifier: Apache-2.0 */
/* External data: weights whose bytes are in another file. That file is opened only in or below the model's folder,
 * without following links. The checks are made on the open file, not on its name, so it cannot be exchanged between
 * check and use. */
#include "base/size.h"
#include "model/load.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef struct source {
    const char *location;
    uint64_t offset, length;
    int has_offset, has_length;
} source;

/* Digits only: no sign, no blank, no other base. */
static gig_status read_number(uint64_t *out, int *has, const char *key, const char *text)
{
    if (*has) return gig_fail(GIG_EFORMAT, "external data: %s appears twice", key);
    *has = 1;
    *out = 0;
    for (const char *c = text; *c; c++) {
        if (*c < '0' || *c > '9' || *out > (INT64_MAX - (uint64_t)(*c - '0')) / 10)
            return gig_fail(GIG_EFORMAT, "external data: expected a size for %s, found \"%.40s\"", key, text);
        *out = *out * 10 + (uint64_t)(*c - '0');
    }
    if (!*text) return gig_fail(GIG_EFORMAT, "external data: %s is empty", key);
    return GIG_OK;
}

static gig_status read_place(source *out, const Onnx__TensorProto *message)
{
    *out = (source){0};
    for (size_t i = 0; i < message->n_external_data; i++) {
        const char *key = message->external_data[i]->key, *value = message->external_data[i]->value;
        if (!key || !value) return gig_fail(GIG_EFORMAT, "external data: an entry has no key or no value");
        if (!strcmp(key, "offset")) GIG_TRY(read_number(&out->offset, &out->has_offset, key, value));
        if (!strcmp(key, "length")) GIG_TRY(read_number(&out->length, &out->has_length, key, value));
        if (strcmp(key, "location")) continue;
        if (out->location) return gig_fail(GIG_EFORMAT, "external data: location appears twice");
        out->location = value;
    }
    if (!out->location || !*out->location) return gig_fail(GIG_EFORMAT, "external data without a location");
    return GIG_OK;
}

static gig_status open_beneath(int *out, int folder, const char *location)
{
    /* O_NONBLOCK: opening a FIFO must not wait for a writer. */
    struct open_how how = {.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
                           .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};
    long descriptor;
    do {
        descriptor = syscall(SYS_openat2, folder, location, &how, sizeof how);
    } while (descriptor < 0 && errno == EINTR);
    *out = (int)descriptor;
    if (descriptor >= 0) return GIG_OK;
    switch (errno) {
    case EXDEV: return gig_fail(GIG_EFORMAT, "external data \"%.200s\" is outside the model's folder", location);
    case ELOOP: return gig_fail(GIG_EFORMAT, "external data \"%.200s\": links are not followed", location);
    case ENAMETOOLONG: return gig_fail(GIG_EFORMAT, "external data: the location is too long");
    case ENOSYS: return gig_fail(GIG_EUNSUPPORTED, "external data needs openat2 (Linux 5.6)");
    default: return gig_fail(GIG_EIO, "external data \"%.200s\": %s", location, strerror(errno));
    }
}

static gig_status check_file(int file, const source *place, size_t bytes)
{
    struct stat about;
    if (fstat(file, &about)) return gig_fail(GIG_EIO, "external data \"%.200s\": %s", place->location, strerror(errno));
    if (!S_ISREG(about.st_mode))
        return gig_fail(GIG_EFORMAT, "external data \"%.200s\" is not a regular file", place->location);
    if (about.st_nlink != 1)
        return gig_fail(GIG_EFORMAT, "external data \"%.200s\" has several names (hard links), which is not allowed",
                        place->location);
    uint64_t size = (uint64_t)about.st_size;
    if (place->offset > size || bytes > size - place->offset)
        return gig_fail(GIG_EFORMAT,
                        "external data \"%.200s\": expected %zu bytes at offset %llu, but the file has %llu",
                        place->location, bytes, (unsigned long long)place->offset, (unsigned long long)size);
    return GIG_OK;
}

static gig_status read_all(int file, uint8_t *out, size_t bytes, const source *place)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t got = pread(file, out + done, bytes - done, (off_t)(place->offset + done));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0)
            return gig_fail(GIG_EIO, "external data \"%.200s\": %s", place->location,
                            got ? strerror(errno) : "the file became shorter");
        done += (size_t)got;
    }
    return GIG_OK;
}

gig_status gig_external_read(void *out, size_t bytes, int folder, const Onnx__TensorProto *message)
{
    if (folder < 0) return gig_fail(GIG_EUNSUPPORTED, "the model has external data, but was not read from a folder");
    source place;
    GIG_TRY(read_place(&place, message));
    if (place.has_length && place.length != bytes)
        return gig_fail(GIG_EFORMAT, "external data has %llu bytes, but shape and type need %zu",
                        (unsigned long long)place.length, bytes);
    int file;
    GIG_TRY(open_beneath(&file, folder, place.location));
    gig_status status = check_file(file, &place, bytes);
    if (status == GIG_OK) status = read_all(file, out, bytes, &place);
    close(file);
    return status;
}
