/* SPDX-License-Identifier: Apache-2.0 */
/* libFuzzer target: any request to the page of `gig serve`, judged and answered without a socket or a worker process.
 * The first byte says which of Host, Origin and token are right, so that what is behind them is reached; then come
 * method, path, a name and the body, one a line. With the highest bit the rest is a message between processes. The
 * status must be one that is documented, a refused request must not reach a route, and nothing may stay allocated. */
#include "../web/routes.h"
#include "demand.h"
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

static int is_documented(unsigned status)
{
    static const unsigned all[] = {200, 201, 202, 400, 401, 403, 404, 405, 413, 503};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i] == status) return 1;
    return 0;
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

static void clear_server(web_server *server)
{
    for (size_t i = 0; i < server->jobs.job_count; i++) web_jobs_cancel(&server->jobs, server->jobs.jobs[i]->id);
    web_jobs_stop(&server->jobs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size) return 0;
    unsigned right = *data++;
    size--;
    if (right & 128) {
        read_message(data, size);
        return 0;
    }
    web_server server = {.port = 8080, .drawing = PTHREAD_MUTEX_INITIALIZER};
    memcpy(server.token, token, sizeof token);
    demand(web_jobs_init(&server.jobs, NULL) == 0, "a queue");
    unsigned char *first = malloc(4);
    memcpy(first, "data", 4);
    web_jobs_upload(&server.jobs, "given", first, 4); /* picture 1 */
    char *method = next_line(&data, &size), *path = next_line(&data, &size), *name = next_line(&data, &size);
    char authorization[64];
    snprintf(authorization, sizeof authorization, "Bearer %s", token);
    unsigned char *body = malloc(size + 1);
    memcpy(body, data, size);
    web_request request = {.method = right & 8 ? "POST" : method,
                           .path = path,
                           .host = right & 1 ? "127.0.0.1:8080" : name,
                           .origin = right & 2 ? NULL : name,
                           .authorization = right & 4 ? authorization : name,
                           .name = name,
                           .body = body,
                           .bytes = size};
    web_reply reply = {0};
    int refused = web_refuse(&server, &request, size, &reply);
    demand(!refused || reply.status >= 400, "a refusal that says so");
    if (!(right & 1)) demand(refused || web_host_is_ours(name, 8080), "another host to be refused");
    if (!refused) web_route(&server, &request, &reply);
    demand(is_documented(reply.status), "a documented status");
    demand(!reply.made || reply.bytes == 0 || ((char *)reply.made)[0], "a reply with its bytes");
    if (reply.stream) web_job_close(&server.jobs, reply.stream);
    free(reply.made);
    free(request.body);
    clear_server(&server);
    free(method);
    free(path);
    free(name);
    return 0;
}
