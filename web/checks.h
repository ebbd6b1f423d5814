/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of requests. Pure functions: every byte from a connection passes one of them first. */
#ifndef WEB_CHECKS_H
#define WEB_CHECKS_H

#include <jansson.h>
#include <stddef.h>

enum { WEB_TOKEN_BYTES = 32 }; /* hexadecimal digits of 128 bits */
enum { WEB_MOST_BODY = 32 << 20, WEB_NAME_BYTES = 200 };

/* Host is 127.0.0.1:port or localhost:port, so no page of another site can reach us under its own name. */
int web_host_is_ours(const char *host, unsigned port);
/* No Origin (a navigation), or our own. */
int web_origin_is_ours(const char *origin, unsigned port);
/* "Bearer TOKEN", compared in constant time. */
int web_token_is_right(const char *authorization, const char token[WEB_TOKEN_BYTES + 1]);
/* Only printable characters without '%', '\\' and "..". */
int web_path_is_plain(const char *path);
/* The number between "/api/jobs/" and `rest`; -1: another path. */
long web_path_number(const char *path, const char *before, const char *rest);
/* A name to display: percent-decoded, control characters and invalid UTF-8 as '?', truncated; never a path. */
void web_name_clean(char out[WEB_NAME_BYTES], const char *text);

/* A region that a page may ask for: nothing, "predicted" or a box "x0,y0,x1,y1"; never a file. */
int web_region_is_plain(const char *text);

/* A flat object with few members; NULL: it is not one. */
json_t *web_json_read(const char *text, size_t bytes);
/* A text of at most `most` bytes without control characters; "" if it is missing; NULL: it is something else. */
const char *web_json_text(const json_t *object, const char *key, size_t most);
/* An integer in least..most; `usual` if it is missing; least - 1: it is something else. */
long web_json_whole(const json_t *object, const char *key, long least, long most, long usual);

#endif
