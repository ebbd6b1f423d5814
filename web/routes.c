/* SPDX-License-Identifier: Apache-2.0 */
#include "routes.h"
#include "gig/status.h"
#include "internal/number.h"
#include "internal/saliency.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Made from this folder when compiled. */
extern const char web_page_style[], web_page_script[];

static const char index_html[] = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                                 "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                                 "<title>gig</title>\n<link rel=\"stylesheet\" href=\"/page.css\">\n"
                                 "<link rel=\"icon\" href=\"data:,\">\n</head>\n<body>\n"
                                 "<main id=\"view\"><noscript>This page needs JavaScript.</noscript></main>\n"
                                 "<script type=\"module\" src=\"/page.js\"></script>\n</body>\n</html>\n";

static void reply_json(web_reply *reply, unsigned status, json_t *json)
{
    reply->made = json ? json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
    json_decref(json);
    reply->status = reply->made ? status : 500;
    reply->type = "application/json";
    reply->bytes = reply->made ? strlen(reply->made) : 0;
}

void web_reply_error(web_reply *reply, unsigned status, const char *message)
{
    reply_json(reply, status, json_pack("{s:s}", "error", message));
}

/* ---- rejected requests ---- */

typedef struct address {
    const char *method, *path;
    int guarded; /* needs the token */
} address;

/* %: a number. */
static const address addresses[] = {
    {"GET", "/", 0},
    {"GET", "/page.js", 0},
    {"GET", "/page.css", 0},
    {"GET", "/api/state", 1},
    {"POST", "/api/pictures", 1},
    {"POST", "/api/jobs", 1},
    {"GET", "/api/jobs/%/events", 1},
    {"POST", "/api/jobs/%/cancel", 1},
    {"POST", "/api/file", 1},
};

static int fits(const address *row, const char *path, long *number)
{
    const char *hole = strchr(row->path, '%');
    *number = -1;
    if (!hole) return strcmp(row->path, path) == 0;
    char before[64];
    snprintf(before, sizeof before, "%.*s", (int)(hole - row->path), row->path);
    *number = web_path_number(path, before, hole + 1);
    return *number >= 0;
}

static const address *find_address(const char *path, long *number)
{
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++)
        if (fits(&addresses[i], path, number)) return &addresses[i];
    return NULL;
}

int web_refuse(const web_server *server, const web_request *request, unsigned long long length, web_reply *reply)
{
    long number;
    if (!web_host_is_ours(request->host, server->port))
        return web_reply_error(reply, 403, "this server answers to 127.0.0.1 and localhost only"), 1;
    if (!web_origin_is_ours(request->origin, server->port))
        return web_reply_error(reply, 403, "requests of other sites are refused"), 1;
    if (!web_path_is_plain(request->path)) return web_reply_error(reply, 400, "invalid path"), 1;
    const address *row = find_address(request->path, &number);
    if (!row) return web_reply_error(reply, 404, "not found"), 1;
    if (row->guarded && !web_token_is_right(request->authorization, server->token))
        return web_reply_error(reply, 401, "the token is missing or wrong; use the address that gig serve printed"), 1;
    if (strcmp(row->method, request->method) != 0) {
        web_reply_error(reply, 405, "this method is not allowed here");
        reply->allow = row->method;
        return 1;
    }
    if (length > WEB_MOST_BODY) return web_reply_error(reply, 413, "expected at most 32 MiB"), 1;
    return 0;
}

/* NULL if memory runs out. The menu is shared by the threads of connections, which only read it. */
static json_t *state_json(web_server *server)
{
    json_t *out = json_copy(server->menu);
    int failed = json_object_size(out) != json_object_size(server->menu); /* a copy may be cut short */
    failed |= json_object_set_new(out, "pictures", web_jobs_pictures(&server->jobs)) != 0;
    failed |= json_object_set_new(out, "jobs", web_jobs_list(&server->jobs)) != 0;
    pthread_mutex_lock(&server->jobs.lock);
    failed |= json_object_set(out, "model", server->jobs.ready ? server->jobs.ready : json_null()) != 0;
    pthread_mutex_unlock(&server->jobs.lock);
    if (!failed) return out;
    json_decref(out);
    return NULL;
}

/* ---- answers ---- */

static void reply_fixed(web_reply *reply, const char *type, const char *text)
{
    *reply = (web_reply){.status = 200, .type = type, .fixed = text, .bytes = strlen(text)};
}

static void answer_upload(web_server *server, web_request *request, web_reply *reply)
{
    char name[WEB_NAME_BYTES];
    if (!request->bytes) {
        web_reply_error(reply, 400, "the picture is empty");
        return;
    }
    web_name_clean(name, request->name);
    unsigned char *body = request->body;
    request->body = NULL;
    long id = web_jobs_upload(&server->jobs, name, body, request->bytes);
    if (id < 0)
        web_reply_error(reply, 503, "out of memory");
    else
        reply_json(reply, 201, json_pack("{s:i, s:s}", "id", (int)id, "name", name));
}

/* Converts a job from the page's format to the worker's; NULL: `why` says what is wrong. */
static json_t *job_request(const json_t *given, const char **why)
{
    const char *type = web_json_text(given, "type", 20),
               *method = web_json_text(given, "method", GIG_METHOD_NAME_BYTES - 1);
    const char *class_name = web_json_text(given, "class", 300), *of = web_json_text(given, "of", 20);
    const char *region = web_json_text(given, "region", 40);
    long seed = web_json_whole(given, "seed", 0, 2147483647, 0);
    *why = "expected \"type\": \"classes\" or \"explain\", and texts \"method\", \"class\", \"of\"";
    if (!type || !method || !class_name || !of || (strcmp(type, "classes") != 0 && strcmp(type, "explain") != 0))
        return NULL;
    *why = "expected \"region\": predicted, or a box x0,y0,x1,y1";
    if (!region || !web_region_is_plain(region)) return NULL;
    *why = "expected \"seed\": an integer from 0 to 2147483647";
    if (seed < 0) return NULL;
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:I}", "type", type, "method", method, "class", class_name, "of", of,
                     "region", region, "seed", (json_int_t)seed);
}

static void answer_job(web_server *server, const web_request *request, web_reply *reply)
{
    const char *why = "expected a JSON object";
    json_t *given = web_json_read((const char *)request->body, request->bytes);
    long picture = given ? web_json_whole(given, "picture", 0, 1000000000, -1) : -1;
    json_t *wanted = given ? job_request(given, &why) : NULL;
    if (wanted && picture < 0) {
        why = "expected \"picture\": the number of one";
        json_decref(wanted);
        wanted = NULL;
    }
    json_decref(given);
    if (!wanted) {
        web_reply_error(reply, 400, why);
        return;
    }
    long id = web_jobs_add(&server->jobs, wanted, (unsigned)picture);
    if (id == -2)
        web_reply_error(reply, 404, "there is no such picture; upload it again");
    else if (id < 0)
        web_reply_error(reply, 503, "the queue is full: wait for a job to end, or cancel one");
    else
        reply_json(reply, 202, json_pack("{s:i}", "id", (int)id));
}

static void answer_file(web_server *server, const web_request *request, web_reply *reply)
{
    json_t *given = web_json_read((const char *)request->body, request->bytes);
    if (given)
        web_draw(server, given, reply);
    else
        web_reply_error(reply, 400, "expected a JSON object");
    json_decref(given);
}

void web_route(web_server *server, web_request *request, web_reply *reply)
{
    long number;
    const address *row = find_address(request->path, &number);
    *reply = (web_reply){0};
    switch (row ? row - addresses : -1) {
    case 0: reply_fixed(reply, "text/html; charset=utf-8", index_html); return;
    case 1: reply_fixed(reply, "text/javascript; charset=utf-8", web_page_script); return;
    case 2: reply_fixed(reply, "text/css; charset=utf-8", web_page_style); return;
    case 3: reply_json(reply, 200, state_json(server)); return;
    case 4: answer_upload(server, request, reply); return;
    case 5: answer_job(server, request, reply); return;
    case 6:
        reply->stream = web_job_open(&server->jobs, (unsigned)number);
        if (reply->stream) {
            reply->status = 200;
            reply->type = "application/octet-stream";
        } else {
            web_reply_error(reply, 404, "there is no such job");
        }
        return;
    case 7:
        if (web_jobs_cancel(&server->jobs, (unsigned)number) == 0)
            reply_json(reply, 200, json_object());
        else
            web_reply_error(reply, 404, "there is no such job");
        return;
    case 8: answer_file(server, request, reply); return;
    default: web_reply_error(reply, 404, "not found");
    }
}
