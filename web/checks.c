/* SPDX-License-Identifier: Apache-2.0 */
#include "checks.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_MEMBERS = 16 };

int web_host_is_ours(const char *host, unsigned port)
{
    char own[64];
    if (!host) return 0;
    snprintf(own, sizeof own, "127.0.0.1:%u", port);
    if (strcmp(host, own) == 0) return 1;
    snprintf(own, sizeof own, "localhost:%u", port);
    return strcmp(host, own) == 0;
}

int web_origin_is_ours(const char *origin, unsigned port)
{
    if (!origin) return 1;
    return strncmp(origin, "http://", 7) == 0 && web_host_is_ours(origin + 7, port);
}

int web_token_is_right(const char *authorization, const char token[WEB_TOKEN_BYTES + 1])
{
    static const char scheme[] = "Bearer ";
    if (!authorization || strncmp(authorization, scheme, sizeof scheme - 1) != 0) return 0;
    const char *given = authorization + sizeof scheme - 1;
    if (strnlen(given, WEB_TOKEN_BYTES + 1) != WEB_TOKEN_BYTES) return 0;
    volatile unsigned char different = 0;
    for (int i = 0; i < WEB_TOKEN_BYTES; i++) different |= (unsigned char)(given[i] ^ token[i]);
    return different == 0;
}

int web_path_is_plain(const char *path)
{
    if (path[0] != '/' || strlen(path) > 200 || strstr(path, "..") || strstr(path, "//")) return 0;
    for (const char *at = path; *at; at++)
        if ((unsigned char)*at <= 0x20 || (unsigned char)*at >= 0x7f || *at == '%' || *at == '\\') return 0;
    return 1;
}

long web_path_number(const char *path, const char *before, const char *rest)
{
    size_t length = strlen(before);
    if (strncmp(path, before, length) != 0) return -1;
    const char *at = path + length;
    long number = 0;
    int digits = 0;
    for (; *at >= '0' && *at <= '9' && digits < 9; at++, digits++) number = 10 * number + (*at - '0');
    return digits && strcmp(at, rest) == 0 ? number : -1;
}

int web_region_is_plain(const char *text)
{
    if (!*text || strcmp(text, "predicted") == 0) return 1;
    for (int side = 0; side < 4; side++) {
        size_t digits = strspn(text, "0123456789");
        if (digits < 1 || digits > 5 || text[digits] != (side < 3 ? ',' : 0)) return 0;
        text += digits + 1;
    }
    return 1;
}

static int hex(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

void web_name_clean(char out[WEB_NAME_BYTES], const char *text)
{
    size_t used = 0;
    for (const char *at = text ? text : ""; *at && used + 1 < WEB_NAME_BYTES; at++) {
        unsigned char c = (unsigned char)*at;
        if (c == '%' && hex(at[1]) >= 0 && hex(at[2]) >= 0) {
            c = (unsigned char)(hex(at[1]) << 4 | hex(at[2]));
            at += 2;
        }
        out[used++] = (char)(c < 0x20 || c == 0x7f || c == '/' || c == '\\' ? '?' : c);
    }
    out[used] = 0;
    json_t *valid = json_string(out); /* refuses what is not UTF-8 */
    for (size_t i = 0; !valid && i < used; i++)
        if ((unsigned char)out[i] >= 0x80) out[i] = '?';
    json_decref(valid);
    if (!used) snprintf(out, WEB_NAME_BYTES, "picture");
}

json_t *web_json_read(const char *text, size_t bytes)
{
    if (!text || bytes > 64 << 10) return NULL;
    json_t *json = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, NULL);
    if (json_is_object(json) && json_object_size(json) <= MOST_MEMBERS) return json;
    json_decref(json);
    return NULL;
}

const char *web_json_text(const json_t *object, const char *key, size_t most)
{
    const json_t *value = json_object_get(object, key);
    if (!value) return "";
    const char *text = json_string_value(value);
    if (!text || json_string_length(value) > most || strlen(text) != json_string_length(value)) return NULL;
    for (const char *at = text; *at; at++)
        if ((unsigned char)*at < 0x20 || *at == 0x7f) return NULL;
    return text;
}

long web_json_whole(const json_t *object, const char *key, long least, long most, long usual)
{
    const json_t *value = json_object_get(object, key);
    if (!value) return usual;
    if (!json_is_integer(value)) return least - 1;
    json_int_t number = json_integer_value(value);
    return number < least || number > most ? least - 1 : (long)number;
}
