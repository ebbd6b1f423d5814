/* SPDX-License-Identifier: Apache-2.0 */
/* Messages between server, worker and page: two 32-bit lengths (little-endian), JSON, bytes. */
#ifndef WEB_MESSAGE_H
#define WEB_MESSAGE_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

enum { WEB_MOST_JSON = 4 << 20, WEB_MOST_BYTES = 256 << 20, WEB_HEAD = 8 };

typedef struct web_message {
    json_t *json;
    unsigned char *bytes; /* owned, or NULL */
    size_t count;
} web_message;

/* Waits for the next one. 0: there is one; -1: the other side is gone, or does not keep to the format. */
int web_message_read(web_message *out, int fd);
/* Takes the JSON over. 0, or -1: the other side is gone. Threads: one writer at a time. */
int web_message_write(int fd, json_t *json, const void *bytes, size_t count);
/* The same as a block of memory, which the caller frees; NULL: no memory. */
unsigned char *web_message_pack(size_t *size, json_t *json, const void *bytes, size_t count);
void web_message_clear(web_message *message);

#endif
