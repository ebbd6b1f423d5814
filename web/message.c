/* SPDX-License-Identifier: Apache-2.0 */
#include "message.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIRST_BLOCK = 256 << 10 };

static int read_all(int fd, void *to, size_t count)
{
    for (char *at = to; count;) {
        ssize_t got = read(fd, at, count);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return -1;
        at += got;
        count -= (size_t)got;
    }
    return 0;
}

/* Reads this many bytes into a new block, which grows as they arrive, so that a length alone allocates nothing. NULL:
 * the other side is gone, or memory ran out. */
static void *read_block(int fd, size_t count)
{
    unsigned char *out = NULL;
    for (size_t have = 0, room; have < count; have = room) {
        room = have ? 2 * have : FIRST_BLOCK;
        if (room > count) room = count;
        unsigned char *larger = realloc(out, room);
        if (larger) out = larger;
        if (!larger || read_all(fd, out + have, room - have) != 0) {
            free(out);
            return NULL;
        }
    }
    return out;
}

static int write_all(int fd, const void *from, size_t count)
{
    for (const char *at = from; count;) {
        ssize_t put = write(fd, at, count);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return -1;
        at += put;
        count -= (size_t)put;
    }
    return 0;
}

static uint32_t load(const unsigned char *from)
{
    return (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

static void store(unsigned char *to, size_t value)
{
    for (int i = 0; i < 4; i++) to[i] = (unsigned char)(value >> (8 * i));
}

int web_message_read(web_message *out, int fd)
{
    unsigned char head[WEB_HEAD];
    *out = (web_message){0};
    if (read_all(fd, head, sizeof head) != 0) return -1;
    size_t length = load(head), count = load(head + 4);
    if (!length || length > WEB_MOST_JSON || count > WEB_MOST_BYTES) return -1;
    char *text = read_block(fd, length);
    out->bytes = text && count ? read_block(fd, count) : NULL;
    out->count = count;
    if (text && (out->bytes || !count)) out->json = json_loadb(text, length, 0, NULL);
    free(text);
    if (json_is_object(out->json)) return 0;
    web_message_clear(out);
    return -1;
}

unsigned char *web_message_pack(size_t *size, json_t *json, const void *bytes, size_t count)
{
    char *text = json ? json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
    size_t length = text ? strlen(text) : 0;
    unsigned char *out = text ? malloc(WEB_HEAD + length + count) : NULL;
    json_decref(json);
    if (out) {
        store(out, length);
        store(out + 4, count);
        memcpy(out + WEB_HEAD, text, length);
        if (count) memcpy(out + WEB_HEAD + length, bytes, count);
        *size = WEB_HEAD + length + count;
    }
    free(text);
    return out;
}

int web_message_write(int fd, json_t *json, const void *bytes, size_t count)
{
    size_t size;
    unsigned char *packed = web_message_pack(&size, json, bytes, count);
    int failed = !packed || write_all(fd, packed, size) != 0;
    free(packed);
    return failed ? -1 : 0;
}

void web_message_clear(web_message *message)
{
    json_decref(message->json);
    free(message->bytes);
    *message = (web_message){0};
}
