/* SPDX-License-Identifier: Apache-2.0 */
/* Writes .npz: local header and array in turn, then the central directory, then the end record; nothing compressed. */
#include "base/npy.h"
#include "base/size.h"
#include "internal/tensor.h"
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { LOCAL_BYTES = 30, CENTRAL_BYTES = 46, END_BYTES = 22, NAME_MOST = 65000 };

typedef struct array {
    const char *name;
    const gig_tensor *tensor;
    uint8_t header[GIG_NPY_HEADER_BYTES];
    size_t header_bytes, whole; /* whole: bytes of the .npy file */
    uint32_t crc, offset;
} array;

typedef struct writer {
    uint8_t *at;
} writer;

static void put(writer *out, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) *out->at++ = (uint8_t)(value >> (8 * i));
}

static void put_bytes(writer *out, const void *data, size_t bytes)
{
    if (bytes) memcpy(out->at, data, bytes);
    out->at += bytes;
}

static int is_ascii(const char *name)
{
    for (; *name; name++)
        if ((unsigned char)*name >= 0x80) return 0;
    return 1;
}

/* The fields that both kinds of header share: from flags to the length of the name. */
static void put_common(writer *out, const array *item)
{
    put(out, is_ascii(item->name) ? 0 : 1 << 11, 2); /* flags: the name is UTF-8 */
    put(out, 0, 2);                                  /* stored */
    put(out, 0, 2);                                  /* midnight ... */
    put(out, 1 | 1 << 5, 2);                         /* ... of 1 January 1980: same arrays, same bytes */
    put(out, item->crc, 4);
    put(out, item->whole, 4);
    put(out, item->whole, 4);
    put(out, strlen(item->name) + 4, 2);
    put(out, 0, 2); /* extra */
}

static void put_name(writer *out, const array *item)
{
    put_bytes(out, item->name, strlen(item->name));
    put_bytes(out, ".npy", 4);
}

static void put_local(writer *out, const array *item)
{
    put(out, 0x04034b50, 4);
    put(out, 20, 2);
    put_common(out, item);
    put_name(out, item);
    put_bytes(out, item->header, item->header_bytes);
    put_bytes(out, item->tensor->data, item->whole - item->header_bytes);
}

static void put_central(writer *out, const array *item)
{
    put(out, 0x02014b50, 4);
    put(out, 20, 2);
    put(out, 20, 2);
    put_common(out, item);
    put(out, 0, 2); /* comment */
    put(out, 0, 2); /* disk */
    put(out, 0, 2); /* attributes */
    put(out, 0, 4);
    put(out, item->offset, 4);
    put_name(out, item);
}

/* Fills in header, size and checksum; adds what the entry takes in the file to *bytes (data) and *directory. */
static gig_status measure(array *item, uint64_t *bytes, uint64_t *directory)
{
    size_t elements, name = strlen(item->name);
    if (name == 0 || name > NAME_MOST)
        return gig_fail(GIG_EARG, "npz: an array needs a name of 1 to %d bytes", NAME_MOST);
    GIG_TRY(gig_size_of_dims(&elements, item->tensor->rank, item->tensor->dims));
    size_t data = gig_tensor_bytes(item->tensor);
    item->header_bytes = gig_npy_write_header(item->header, item->tensor);
    item->whole = item->header_bytes + data;
    item->offset = (uint32_t)*bytes;
    *bytes += LOCAL_BYTES + name + 4 + item->whole;
    *directory += CENTRAL_BYTES + name + 4;
    if (*bytes + *directory + END_BYTES > UINT32_MAX) return gig_fail(GIG_ELIMIT, "npz: more than 4 GiB of arrays");
    item->crc = (uint32_t)crc32_z(crc32_z(0, NULL, 0), item->header, item->header_bytes);
    if (data) item->crc = (uint32_t)crc32_z(item->crc, item->tensor->data, data);
    return GIG_OK;
}

static gig_status write_arrays(const char *path, size_t count, array *items, int force)
{
    uint64_t bytes = 0, directory = 0;
    for (size_t i = 0; i < count; i++) GIG_TRY(measure(&items[i], &bytes, &directory));
    size_t whole = (size_t)(bytes + directory) + END_BYTES;
    uint8_t *file = gig_alloc(whole, 1);
    if (!file) return gig_alloc_status();
    writer out = {file};
    for (size_t i = 0; i < count; i++) put_local(&out, &items[i]);
    for (size_t i = 0; i < count; i++) put_central(&out, &items[i]);
    put(&out, 0x06054b50, 4);
    put(&out, 0, 4); /* disks */
    put(&out, count, 2);
    put(&out, count, 2);
    put(&out, directory, 4);
    put(&out, bytes, 4);
    put(&out, 0, 2); /* comment */
    gig_status status = gig_file_write(path, file, whole, force);
    gig_free(file);
    return status;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static gig_status refuse_twice(const char *path, size_t count, const char *const *names)
{
    gig_status status = GIG_OK;
    const char **sorted = gig_alloc(count, sizeof *sorted);
    if (!sorted) return gig_alloc_status();
    if (count) memcpy(sorted, names, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_text);
    for (size_t i = 1; i < count && status == GIG_OK; i++)
        if (!strcmp(sorted[i - 1], sorted[i])) status = gig_fail(GIG_EARG, "%s: two arrays \"%s\"", path, sorted[i]);
    gig_free(sorted);
    return status;
}

gig_status gig_npz_write(const char *path, size_t count, const char *const *names, const gig_tensor *const *tensors,
                         int force)
{
    if (count > UINT16_MAX - 1) return gig_fail(GIG_ELIMIT, "%s: more than %d arrays", path, UINT16_MAX - 1);
    GIG_TRY(refuse_twice(path, count, names));
    array *items = gig_alloc_zero(count, sizeof *items);
    if (!items) return gig_alloc_status();
    for (size_t i = 0; i < count; i++) {
        items[i].name = names[i];
        items[i].tensor = tensors[i];
    }
    gig_status status = write_arrays(path, count, items, force);
    gig_free(items);
    return status;
}
