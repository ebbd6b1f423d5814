/* SPDX-License-Identifier: Apache-2.0 */
/* libFuzzer target: requests to the page of `gig serve`, checked and answered without a socket or a worker process. A
 * zero byte separates requests. The first byte of one says which of Host, Origin and token are right, so that the code
 * behind these checks is reached; then come method, path, a name and the body, one per line. With the highest bit the
 * rest is a message between processes. The status must be one that is documented, a refused request must not reach a
 * route, and no memory may stay allocated, also if an allocation fails. */
#include "../web/menu.h"
#include "../web/routes.h"
#include "demand.h"
#include "starve.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char token[] = "0123456789abcdef0123456789abcdef";

/* The next line as a text; moves on. The caller frees. */
static char *next_line(const uint8_t **data, size_t *size)
{
    size_t length = 0;
    while (length < *size && (*data)[length] != '\n') length++;
    char *out = strndup((const char *)*data, length);
    size_t taken = length + (length < *size);
    *data += taken;
    *size -= taken;
    return out;
}

/* ---- allocations: the server's own (linked with --wrap) and jansson's, but while it parses: it aborts if one fails
 * inside a token (SECURITY.md) ---- */

static size_t until_failure = SIZE_MAX;
void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *old, size_t bytes);
char *__real_strdup(const char *text);
json_t *__real_json_loadb(const char *text, size_t bytes, size_t flags, json_error_t *error);
json_t *__wrap_json_loadb(const char *text, size_t bytes, size_t flags, json_error_t *error);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);
char *__wrap_strdup(const char *text);

static int fails(void)
{
    return until_failure != SIZE_MAX && until_failure-- == 0;
}

void *__wrap_malloc(size_t bytes)
{
    return fails() ? NULL : __real_malloc(bytes);
}

json_t *__wrap_json_loadb(const char *text, size_t bytes, size_t flags, json_error_t *error)
{
    size_t left = until_failure;
    until_failure = SIZE_MAX;
    json_t *out = __real_json_loadb(text, bytes, flags, error);
    until_failure = left;
    return out;
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return fails() ? NULL : __real_calloc(count, bytes);
}

void *__wrap_realloc(void *old, size_t bytes)
{
    return fails() ? NULL : __real_realloc(old, bytes);
}

char *__wrap_strdup(const char *text)
{
    return fails() ? NULL : __real_strdup(text);
}

/* ---- one request ---- */

static int is_documented(unsigned status, int starved)
{
    static const unsigned all[] = {200, 201, 202, 400, 401, 403, 404, 405, 413, 503};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i] == status) return 1;
    return status == 500 && starved;
}

static void read_message(const uint8_t *data, size_t size)
{
    int ends[2];
    web_message said;
    if (size > 4096 || pipe(ends) != 0) return;
    demand(write(ends[1], data, size) == (ssize_t)size, "room in a pipe");
    close(ends[1]);
    while (web_message_read(&said, ends[0]) == 0) {
        demand(json_is_object(said.json), "an object");
        web_message_clear(&said);
    }
    close(ends[0]);
}

/* `failure`: which allocation of the answer fails; SIZE_MAX: none. 1 if it came to that one. */
static int answer(web_server *server, const uint8_t *data, size_t size, size_t failure)
{
    unsigned right = *data++;
    size--;
    if (right & 128) {
        until_failure = failure;
        read_message(data, size);
        until_failure = SIZE_MAX;
        return 0;
    }
    char *method = next_line(&data, &size), *path = next_line(&data, &size), *name = next_line(&data, &size);
    char authorization[64];
    snprintf(authorization, sizeof authorization, "Bearer %s", token);
    unsigned char *body = malloc(size + 1);
    memcpy(body, data, size);
    web_request request = {.method = right & 8    ? "POST"
                                     : right & 16 ? "GET"
                                                  : method,
                           .path = path,
                           .host = right & 1 ? "127.0.0.1:8080" : name,
                           .origin = right & 2 ? NULL : name,
                           .authorization = right & 4 ? authorization : name,
                           .name = name,
                           .body = body,
                           .bytes = size};
    web_reply reply = {0};
    until_failure = failure;
    int refused = web_refuse(server, &request, size, &reply);
    demand(!refused || reply.status >= 400, "a refusal that says so");
    if (!(right & 1)) demand(refused || web_host_is_ours(name, 8080), "another host to be refused");
    if (!refused) web_route(server, &request, &reply);
    int failed = failure != SIZE_MAX && until_failure == SIZE_MAX;
    until_failure = SIZE_MAX;
    demand(is_documented(reply.status, failure != SIZE_MAX), "a documented status");
    demand(reply.made || reply.fixed || reply.stream || reply.status == 500, "an answer");
    demand(!reply.made || reply.bytes == 0 || ((char *)reply.made)[0], "a reply with its bytes");
    if (reply.stream) web_job_close(&server->jobs, reply.stream);
    free(reply.made);
    free(request.body);
    free(method);
    free(path);
    free(name);
    return failed;
}

/* With one picture, number 1. The menu is made once, as in gig serve. */
static void make_server(web_server *server)
{
    static json_t *menu;
    json_set_alloc_funcs(__wrap_malloc, free);
    if (!menu) menu = web_menu();
    *server = (web_server){.menu = menu, .port = 8080, .drawing = PTHREAD_MUTEX_INITIALIZER};
    memcpy(server->token, token, sizeof token);
    demand(menu && web_jobs_init(&server->jobs, NULL) == 0, "a menu and a queue");
    unsigned char *first = malloc(4);
    memcpy(first, "data", 4);
    web_jobs_upload(&server->jobs, "given", first, 4);
}

static void clear_server(web_server *server)
{
    for (size_t i = 0; i < server->jobs.job_count; i++) web_jobs_cancel(&server->jobs, server->jobs.jobs[i]->id);
    web_jobs_stop(&server->jobs);
    web_jobs_clear(&server->jobs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    web_server server;
    make_server(&server);
    for (size_t at = 0, end; at < size; at = end + 1) {
        for (end = at; end < size && (data[end] || (data[at] & 128));) end++; /* a message may hold zeros */
        if (end > at) answer(&server, data + at, end - at, failing_allocation(data + at, end - at));
    }
    clear_server(&server);
    return 0;
}
