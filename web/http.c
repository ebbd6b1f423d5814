/* SPDX-License-Identifier: Apache-2.0 */
/* libmicrohttpd: connections, bodies, headers. Listens on 127.0.0.1 only. */
#include "menu.h"
#include "routes.h"
#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>

/* Each connection has its own thread, which waits most of the time: a page holds one connection per job that it
 * follows. */
enum { MOST_CONNECTIONS = 256, STACK_BYTES = 1 << 20, TIMEOUT_SECONDS = 30 };
enum { HEADER_BYTES = 16 << 10, STREAM_BLOCK = 64 << 10, MOST_ARRIVING = 96 << 20 };

/* A request, from its first line on. */
typedef struct incoming {
    size_t address_bytes; /* of the address as it was sent */
    int judged;           /* the headers have arrived and were accepted */
    unsigned char *body;
    size_t bytes, capacity;
    unsigned refused; /* status for a rejected body; 0: accepted */
    size_t ignored;   /* bytes of such a body */
} incoming;

/* ---- answering ---- */

typedef struct stream {
    web_server *server;
    web_job *job;
} stream;

static ssize_t read_stream(void *payload, uint64_t offset, char *to, size_t most)
{
    stream *self = payload;
    size_t count = web_job_read(&self->server->jobs, self->job, (size_t)offset, to, most);
    return count ? (ssize_t)count : MHD_CONTENT_READER_END_OF_STREAM;
}

static void end_stream(void *payload)
{
    stream *self = payload;
    web_job_close(&self->server->jobs, self->job);
    free(self);
}

static struct MHD_Response *make_response(web_server *server, web_reply *reply)
{
    if (reply->stream) {
        stream *self = malloc(sizeof *self);
        if (!self) return NULL;
        *self = (stream){server, reply->stream};
        return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, STREAM_BLOCK, read_stream, self, end_stream);
    }
    if (reply->made) return MHD_create_response_from_buffer(reply->bytes, reply->made, MHD_RESPMEM_MUST_FREE);
    void *kept;
    memcpy(&kept, &reply->fixed, sizeof kept); /* it is only read */
    return MHD_create_response_from_buffer(reply->bytes, kept, MHD_RESPMEM_PERSISTENT);
}

static enum MHD_Result send_reply(struct MHD_Connection *connection, web_server *server, web_reply *reply)
{
    static const char *const headers[][2] = {
        {"Content-Security-Policy",
         "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
         "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"},
        {"X-Content-Type-Options", "nosniff"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
        {"Cache-Control", "no-store"},
    };
    struct MHD_Response *response = make_response(server, reply);
    if (!response) {
        if (reply->stream) web_job_close(&server->jobs, reply->stream);
        free(reply->made);
        return MHD_NO;
    }
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        MHD_add_response_header(response, headers[i][0], headers[i][1]);
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, reply->type ? reply->type : "text/plain");
    if (reply->allow) MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, reply->allow);
    if (reply->attachment[0]) {
        char value[96];
        snprintf(value, sizeof value, "attachment; filename=\"%s\"", reply->attachment);
        MHD_add_response_header(response, "Content-Disposition", value);
    }
    enum MHD_Result sent = MHD_queue_response(connection, reply->status, response);
    MHD_destroy_response(response);
    return sent;
}

/* ---- requests ---- */

static web_request describe(struct MHD_Connection *connection, const char *method, const char *path)
{
    return (web_request){
        .method = method,
        .path = path,
        .host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST),
        .origin = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Origin"),
        .authorization = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_AUTHORIZATION),
        .name = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "X-Picture-Name"),
    };
}

static unsigned long long announced(struct MHD_Connection *connection)
{
    const char *text = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);
    return text ? strtoull(text, NULL, 10) : 0;
}

/* The total size of the headers, and how often those came that may come only once. */
typedef struct header_count {
    size_t bytes;
    int hosts, origins, tokens;
} header_count;

static enum MHD_Result count_header(void *payload, enum MHD_ValueKind kind, const char *key, const char *value)
{
    header_count *self = payload;
    (void)kind;
    self->bytes += strlen(key) + strlen(": \r\n") + (value ? strlen(value) : 0);
    self->hosts += strcasecmp(key, "Host") == 0;
    self->origins += strcasecmp(key, "Origin") == 0;
    self->tokens += strcasecmp(key, "Authorization") == 0;
    return MHD_YES;
}

/* Whether the header was sent exactly as libmicrohttpd reports it: "METHOD address VERSION", then "Key: value", each
 * ended by CR and LF. Its texts end at the first NUL, so anything after one would go unnoticed; the number of bytes
 * reveals it. */
static int is_plain(struct MHD_Connection *connection, const incoming *self, const char *method, const char *version)
{
    header_count found = {0};
    MHD_get_connection_values(connection, MHD_HEADER_KIND, count_header, &found);
    if (found.hosts > 1 || found.origins > 1 || found.tokens > 1) return 0;
    const union MHD_ConnectionInfo *sent = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    size_t first_line = strlen(method) + 1 + self->address_bytes + 1 + strlen(version) + 2;
    return sent && sent->header_size == first_line + found.bytes + 2;
}

/* Reserves `wanted` bytes; the total of all bodies is limited. 0, or the status to answer with. */
static unsigned make_room(web_server *server, incoming *self, size_t wanted)
{
    if (wanted > WEB_MOST_BODY) return 413;
    if (wanted <= self->capacity) return 0;
    wanted = wanted < WEB_MOST_BODY / 2 ? 2 * wanted : WEB_MOST_BODY;
    size_t more = wanted - self->capacity;
    if (atomic_fetch_add(&server->arriving, more) + more > MOST_ARRIVING) {
        atomic_fetch_sub(&server->arriving, more);
        return 503;
    }
    unsigned char *larger = realloc(self->body, wanted);
    if (!larger) {
        atomic_fetch_sub(&server->arriving, more);
        return 503;
    }
    self->body = larger;
    self->capacity = wanted;
    return 0;
}

/* libmicrohttpd sends no answer before the body has ended, so a rejected body is read to its end, up to a limit: MHD_NO
 * ends the connection. */
static enum MHD_Result take_body(web_server *server, incoming *self, const char *data, size_t count)
{
    if (!self->refused) self->refused = make_room(server, self, self->bytes + count);
    if (self->refused) {
        self->ignored += count;
        return self->ignored > WEB_MOST_BODY ? MHD_NO : MHD_YES;
    }
    memcpy(self->body + self->bytes, data, count);
    self->bytes += count;
    return MHD_YES;
}

/* Called with the first line, before all else. */
static void *begin(void *payload, const char *address, struct MHD_Connection *connection)
{
    incoming *self = calloc(1, sizeof *self);
    (void)payload;
    (void)connection;
    if (self) self->address_bytes = strlen(address);
    return self;
}

static enum MHD_Result handle(void *payload, struct MHD_Connection *connection, const char *path, const char *method,
                              const char *version, const char *data, size_t *count, void **kept)
{
    web_server *server = payload;
    web_request request = describe(connection, method, path);
    web_reply reply = {0};
    incoming *self = *kept;
    if (!self) return MHD_NO;
    if (!self->judged) { /* the headers are there */
        if (!is_plain(connection, self, method, version)) {
            web_reply_error(&reply, 400, "the request is not written plainly");
            return send_reply(connection, server, &reply);
        }
        if (web_refuse(server, &request, announced(connection), &reply)) return send_reply(connection, server, &reply);
        self->judged = 1;
        return MHD_YES;
    }
    if (*count) {
        size_t came = *count;
        *count = 0;
        return take_body(server, self, data, came);
    }
    if (self->refused == 413) {
        web_reply_error(&reply, 413, "expected at most 32 MiB");
    } else if (self->refused) {
        web_reply_error(&reply, self->refused, "too many pictures arrive at once: try again");
    } else {
        request.body = self->body;
        request.bytes = self->bytes;
        web_route(server, &request, &reply);
        self->body = request.body;
    }
    return send_reply(connection, server, &reply);
}

static void forget(void *payload, struct MHD_Connection *connection, void **kept, enum MHD_RequestTerminationCode how)
{
    incoming *self = *kept;
    web_server *server = payload;
    (void)connection;
    (void)how;
    if (!self) return;
    atomic_fetch_sub(&server->arriving, self->capacity);
    free(self->body);
    free(self);
    *kept = NULL;
}

/* Addresses are checked before decoding: none of ours contains an escape, and %00 must not truncate one. */
static size_t leave_escaped(void *payload, struct MHD_Connection *connection, char *text)
{
    (void)payload;
    (void)connection;
    return strlen(text);
}

/* ---- serving ---- */

static int make_token(char token[WEB_TOKEN_BYTES + 1])
{
    unsigned char random[WEB_TOKEN_BYTES / 2];
    if (getrandom(random, sizeof random, 0) != sizeof random) return -1;
    for (size_t i = 0; i < sizeof random; i++) snprintf(token + 2 * i, 3, "%02x", random[i]);
    return 0;
}

static char *failure(const char *what)
{
    char text[200];
    snprintf(text, sizeof text, "%s: %s", what, strerror(errno));
    return strdup(text);
}

char *web_serve(const web_options *options, void (*told)(const char *address), int *input)
{
    web_server server = {.drawing = PTHREAD_MUTEX_INITIALIZER};
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)options->port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    *input = 0;
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (make_token(server.token) != 0) return failure("no random numbers for the token");
    server.menu = web_menu();
    if (!server.menu) return strdup("out of memory");
    char *failed = web_jobs_start(&server.jobs, options);
    *input = failed != NULL;
    struct MHD_Daemon *daemon = NULL;
    if (!failed) {
        errno = 0;
        daemon = MHD_start_daemon(
            MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_POLL, (uint16_t)options->port,
            NULL, NULL, handle, &server, MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address, MHD_OPTION_CONNECTION_LIMIT,
            (unsigned)MOST_CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)TIMEOUT_SECONDS,
            MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEADER_BYTES, MHD_OPTION_THREAD_STACK_SIZE, (size_t)STACK_BYTES,
            MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_UNESCAPE_CALLBACK, leave_escaped, NULL,
            MHD_OPTION_URI_LOG_CALLBACK, begin, &server, MHD_OPTION_NOTIFY_COMPLETED, forget, &server, MHD_OPTION_END);
        if (!daemon) failed = failure("cannot listen on 127.0.0.1");
    }
    if (daemon) {
        char text[128];
        const union MHD_DaemonInfo *bound = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
        server.port = bound ? bound->port : options->port;
        snprintf(text, sizeof text, "http://127.0.0.1:%u/#%s", server.port, server.token);
        told(text);
        while (!options->ended()) {
            struct timespec moment = {.tv_nsec = 50000000};
            nanosleep(&moment, NULL);
        }
    }
    web_jobs_stop(&server.jobs); /* wakes streams, so that their connections end */
    if (daemon) MHD_stop_daemon(daemon);
    web_jobs_clear(&server.jobs);
    json_decref(server.menu);
    return failed;
}
