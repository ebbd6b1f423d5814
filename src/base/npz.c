/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays in .npz files: a ZIP archive whose entries are .npy files, stored or deflated.
 *
 * Only the central directory at the end is used for positions and sizes, and every number in it is checked against the
 * size of the file. Large archives keep 64-bit sizes in "zip64" records; those are read too. */
#include "base/npy.h"
#include "base/size.h"
#include "internal/tensor.h"
#include <stdio.h>
#include <string.h>
#include <zlib.h>

enum { LOCAL_BYTES = 30, CENTRAL_BYTES = 46, END_BYTES = 22, END64_BYTES = 56, LOCATOR_BYTES = 20 };
enum { LOCAL_MARK = 0x04034b50, CENTRAL_MARK = 0x02014b50, END_MARK = 0x06054b50, END64_MARK = 0x06064b50 };
enum { LOCATOR_MARK = 0x07064b50, STORED = 0, DEFLATED = 8, DEFLATE_MOST = 1032 /* bytes out per byte in, at most */ };

typedef struct entry {
    const char *name; /* not ended by NUL */
    size_t name_bytes;
    int method, encrypted;
    uint32_t crc;
    uint64_t packed, whole, offset; /* bytes in the archive, bytes once unpacked, place of the local header */
} entry;

static uint64_t load(const uint8_t *at, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++) value |= (uint64_t)at[i] << (8 * i);
    return value;
}

static gig_status broken(const char *what)
{
    return gig_fail(GIG_EFORMAT, "npz: %s", what);
}

/* `count` bytes at `offset`; NULL if they are beyond the end. */
static const uint8_t *at(gig_reader file, uint64_t offset, uint64_t count)
{
    if (offset > file.left || count > file.left - offset) return NULL;
    return file.at + offset;
}

/* Finds the end record (a comment of up to 65535 bytes may follow it) and gives the central directory. */
static gig_status find_directory(gig_reader *directory, uint64_t *entries, gig_reader file)
{
    if (file.left < END_BYTES) return broken("too short for an archive");
    size_t place = file.left - END_BYTES, last = place > 65535 ? place - 65535 : 0;
    while (load(file.at + place, 4) != END_MARK) {
        if (place == last) return broken("not an archive");
        place--;
    }
    const uint8_t *end = file.at + place;
    *entries = load(end + 10, 2);
    uint64_t bytes = load(end + 12, 4), start = load(end + 16, 4);
    const uint8_t *locator = place >= LOCATOR_BYTES ? end - LOCATOR_BYTES : NULL;
    if (locator && load(locator, 4) == LOCATOR_MARK) {
        const uint8_t *end64 = at(file, load(locator + 8, 8), END64_BYTES);
        if (!end64 || load(end64, 4) != END64_MARK) return broken("the zip64 end record is missing");
        *entries = load(end64 + 32, 8);
        bytes = load(end64 + 40, 8);
        start = load(end64 + 48, 8);
    }
    const uint8_t *found = at(file, start, bytes);
    if (!found) return broken("the directory lies outside the file");
    *directory = (gig_reader){found, bytes};
    return GIG_OK;
}

/* Replaces each size that is all ones by its 64-bit form from extra field 1. */
static gig_status read_extra(entry *out, gig_reader extra)
{
    uint64_t *fields[] = {&out->whole, &out->packed, &out->offset};
    while (extra.left >= 4) {
        const uint8_t *head = gig_reader_take(&extra, 4);
        size_t bytes = load(head + 2, 2);
        const uint8_t *body = gig_reader_take(&extra, bytes);
        if (!body) return broken("an extra field is cut short");
        if (load(head, 2) != 1) continue;
        gig_reader sizes = {body, bytes};
        for (int i = 0; i < 3; i++) {
            if (*fields[i] != UINT32_MAX) continue;
            const uint8_t *value = gig_reader_take(&sizes, 8);
            if (!value) return broken("a zip64 size is missing");
            *fields[i] = load(value, 8);
        }
        return GIG_OK;
    }
    return GIG_OK;
}

static gig_status read_entry(entry *out, gig_reader *directory)
{
    const uint8_t *head = gig_reader_take(directory, CENTRAL_BYTES);
    if (!head || load(head, 4) != CENTRAL_MARK) return broken("the directory is cut short");
    *out = (entry){.method = (int)load(head + 10, 2),
                   .encrypted = (int)load(head + 8, 2) & 1,
                   .crc = (uint32_t)load(head + 16, 4),
                   .packed = load(head + 20, 4),
                   .whole = load(head + 24, 4),
                   .name_bytes = load(head + 28, 2),
                   .offset = load(head + 42, 4)};
    size_t extra_bytes = load(head + 30, 2), comment_bytes = load(head + 32, 2);
    out->name = gig_reader_take(directory, out->name_bytes);
    gig_reader extra = {gig_reader_take(directory, extra_bytes), extra_bytes};
    if (!out->name || !extra.at || !gig_reader_take(directory, comment_bytes))
        return broken("the directory is cut short");
    return read_extra(out, extra);
}

static int is_named(const entry *found, const char *name)
{
    size_t length = strlen(name);
    return found->name_bytes == length + 4 && memcmp(found->name, name, length) == 0;
}

/* The entry `name`.npy, or the only one that ends in .npy if name is NULL. */
static gig_status find_entry(entry *out, gig_reader file, const char *name)
{
    *out = (entry){0};
    gig_reader directory;
    uint64_t entries;
    GIG_TRY(find_directory(&directory, &entries, file));
    size_t arrays = 0;
    for (uint64_t i = 0; i < entries; i++) {
        entry next;
        GIG_TRY(read_entry(&next, &directory));
        if (next.name_bytes < 4 || memcmp(next.name + next.name_bytes - 4, ".npy", 4) != 0) continue;
        if (name && !is_named(&next, name)) continue;
        *out = next;
        arrays++;
    }
    if (arrays == 1) return GIG_OK;
    if (name) return gig_fail(GIG_EARG, arrays ? "array \"%s\" appears twice" : "no array \"%s\"", name);
    return gig_fail(GIG_EARG, "the archive has %zu arrays, expected one", arrays);
}

static void *zlib_alloc(void *unused, unsigned count, unsigned size)
{
    (void)unused;
    return gig_alloc(count, size);
}

static void zlib_free(void *unused, void *pointer)
{
    (void)unused;
    gig_free(pointer);
}

/* Exactly `whole` bytes from exactly `packed`; zlib counts in unsigned, so both are fed in pieces. */
static gig_status inflate_all(uint8_t *out, uint64_t whole, const uint8_t *packed, uint64_t bytes)
{
    enum { PIECE = 1 << 30 };
    z_stream stream = {.zalloc = zlib_alloc, .zfree = zlib_free};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return gig_alloc_status();
    union {
        const uint8_t *in;
        Bytef *out;
    } source = {packed}; /* zlib's next_in is not const in its header, but only read */
    stream.next_in = source.out;
    stream.next_out = out;
    int code = Z_OK;
    while (code == Z_OK) {
        unsigned in = bytes > PIECE ? PIECE : (unsigned)bytes, room = whole > PIECE ? PIECE : (unsigned)whole;
        stream.avail_in = in;
        stream.avail_out = room;
        code = inflate(&stream, Z_NO_FLUSH);
        bytes -= in - stream.avail_in;
        whole -= room - stream.avail_out;
    }
    inflateEnd(&stream);
    if (code == Z_MEM_ERROR) return gig_alloc_status();
    return code == Z_STREAM_END && bytes == 0 && whole == 0 ? GIG_OK : broken("an entry does not unpack to its size");
}

static uint32_t checksum(const uint8_t *data, uint64_t bytes)
{
    return (uint32_t)crc32_z(crc32_z(0, NULL, 0), data, bytes);
}

static gig_status parse_checked(gig_tensor *out, const uint8_t *data, const entry *found)
{
    if (checksum(data, found->whole) != found->crc) return broken("the checksum of an entry is wrong");
    return gig_npy_parse(out, data, found->whole);
}

static gig_status read_array(gig_tensor *out, gig_reader file, const entry *found)
{
    const uint8_t *local = at(file, found->offset, LOCAL_BYTES);
    if (!local || load(local, 4) != LOCAL_MARK) return broken("an entry lies outside the file");
    uint64_t start = found->offset + LOCAL_BYTES + load(local + 26, 2) + load(local + 28, 2);
    const uint8_t *packed = at(file, start, found->packed);
    if (!packed) return broken("an entry lies outside the file");
    if (found->encrypted) return gig_fail(GIG_EUNSUPPORTED, "npz: encrypted archives are not supported");
    if (found->method == STORED) {
        if (found->packed != found->whole) return broken("a stored entry has two sizes");
        return parse_checked(out, packed, found);
    }
    if (found->method != DEFLATED)
        return gig_fail(GIG_EUNSUPPORTED, "npz: compression method %d is not supported", found->method);
    if (found->whole / DEFLATE_MOST > found->packed) return broken("an entry cannot unpack to its size");
    if (found->whole > GIG_MAX_ARRAY_BYTES + 65536)
        return gig_fail(GIG_ELIMIT, "npz: an array of %llu bytes is too large: expected at most %zu",
                        (unsigned long long)found->whole, GIG_MAX_ARRAY_BYTES);
    uint8_t *data = gig_alloc(found->whole, 1);
    if (!data) return gig_alloc_status();
    gig_status status = inflate_all(data, found->whole, packed, found->packed);
    if (status == GIG_OK) status = parse_checked(out, data, found);
    gig_free(data);
    return status;
}

gig_status gig_npz_parse(gig_tensor *out, const void *bytes, size_t count, const char *name)
{
    *out = (gig_tensor){0};
    gig_reader file = {bytes, count};
    entry found;
    GIG_TRY(find_entry(&found, file, name));
    return read_array(out, file, &found);
}

gig_status gig_npz_read(gig_tensor *out, const char *path, const char *name)
{
    *out = (gig_tensor){0};
    uint8_t *bytes;
    size_t count;
    GIG_TRY(gig_file_read(&bytes, &count, path, 2 * GIG_MAX_ARRAY_BYTES));
    gig_status status = gig_npz_parse(out, bytes, count, name);
    gig_free(bytes);
    return status == GIG_OK ? GIG_OK : gig_fail_in(status, "%s", path);
}
