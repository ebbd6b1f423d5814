/* SPDX-License-Identifier: Apache-2.0 */
#include "base/hash.h"
#include "base/memory.h"
#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct gig_hash {
    EVP_MD_CTX *context;
    gig_hash_watch watch;
};

static gig_status check(int done)
{
    return done ? GIG_OK : gig_fail(GIG_EINTERNAL, "SHA-256 failed");
}

gig_status gig_hash_begin(gig_hash **out, const gig_hash_watch *watch)
{
    *out = gig_alloc_zero(1, sizeof **out);
    if (!*out) return gig_alloc_status();
    if (watch) (*out)->watch = *watch;
    (*out)->context = EVP_MD_CTX_new();
    gig_status status = GIG_OK;
    if (!(*out)->context)
        status = gig_fail(GIG_ENOMEM, "out of memory (SHA-256)");
    else
        status = check(EVP_DigestInit_ex((*out)->context, EVP_sha256(), NULL));
    if (status != GIG_OK) {
        gig_hash_free(*out);
        *out = NULL;
    }
    return status;
}

static gig_status add_length(gig_hash *hash, uint64_t length)
{
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++) bytes[i] = (uint8_t)(length >> (8 * i));
    return check(EVP_DigestUpdate(hash->context, bytes, sizeof bytes));
}

gig_status gig_hash_add_text(gig_hash *hash, const char *text)
{
    GIG_TRY(add_length(hash, strlen(text)));
    return check(EVP_DigestUpdate(hash->context, text, strlen(text)));
}

gig_status gig_hash_add_bytes(gig_hash *hash, const void *bytes, size_t count)
{
    return check(EVP_DigestUpdate(hash->context, bytes, count));
}

gig_status gig_hash_add_number(gig_hash *hash, int64_t number)
{
    return add_length(hash, (uint64_t)number);
}

static gig_status add_content(gig_hash *hash, int file, const char *path)
{
    enum { PIECE = 1 << 16, WATCHED = 1 << 20 };
    const gig_hash_watch *watch = &hash->watch;
    uint8_t *piece = gig_alloc(PIECE, 1);
    if (!piece) return gig_alloc_status();
    gig_status status = GIG_OK;
    ssize_t count;
    uint64_t length = 0;
    while (status == GIG_OK && (count = read(file, piece, PIECE)) != 0) {
        if (count < 0 && errno == EINTR) continue;
        if (count < 0)
            status = gig_fail(GIG_EIO, "%s: cannot be read", path);
        else
            status = check(EVP_DigestUpdate(hash->context, piece, (size_t)count));
        uint64_t before = length / WATCHED;
        length += (uint64_t)count;
        if (status == GIG_OK && watch->stop && length / WATCHED > before && watch->stop(watch->payload))
            status = gig_fail(GIG_ECANCEL, "stopped");
    }
    gig_free(piece);
    return status == GIG_OK ? add_length(hash, length) : status;
}

gig_status gig_hash_add_file(gig_hash *hash, const char *path)
{
    struct stat about;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return gig_fail(GIG_EIO, "%s: cannot be opened: %s", path, strerror(errno));
    gig_status status;
    if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode))
        status = gig_fail(GIG_EIO, "%s: not a regular file", path);
    else
        status = add_content(hash, file, path);
    close(file);
    return status;
}

gig_status gig_hash_end(char text[GIG_HASH_TEXT], gig_hash *hash)
{
    const char digits[] = "0123456789abcdef";
    uint8_t bytes[EVP_MAX_MD_SIZE];
    unsigned count = 0;
    GIG_TRY(check(EVP_DigestFinal_ex(hash->context, bytes, &count) && count == 32));
    for (unsigned i = 0; i < 32; i++) {
        text[2 * i] = digits[bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 15];
    }
    text[GIG_HASH_TEXT - 1] = '\0';
    return GIG_OK;
}

void gig_hash_free(gig_hash *hash)
{
    if (!hash) return;
    EVP_MD_CTX_free(hash->context);
    gig_free(hash);
}
