/* SPDX-License-Identifier: Apache-2.0 */
/* gig serve: the page; see web/. */
#include "../web/serve.h"
#include "commands.h"
#include "frame/errors.h"
#include "points.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const size_t usual_memory = (size_t)4 << 30;

static void tell(const char *address)
{
    printf("%s\n# open this address in a browser on this machine; Ctrl-C stops the server\n", address);
    fflush(stdout);
}

int run_serve(const options *given)
{
    points in = {0};
    int input, code = given->operands.count > 1 ? points_list(&in, "serve", given) : EXIT_OK;
    const web_options wanted = {.model = given->operands.items[0],
                                .pictures = (const char *const *)in.names,
                                .picture_count = in.count,
                                .port = (unsigned)given->port,
                                .threads = (size_t)given->run.threads,
                                .memory = given->run.memory ? given->run.memory : usual_memory,
                                .output = given->target.output,
                                .cam = given->at,
                                .ended = signals_seen};
    if (code == EXIT_OK) {
        char *failed = web_serve(&wanted, tell, &input);
        if (failed) {
            complain("%s", failed);
            code = input ? EXIT_INPUT : EXIT_IO;
        }
        free(failed);
    }
    points_clear(&in);
    return code; /* Ctrl-C is how it ends */
}

int run_page_worker(void)
{
    return web_worker();
}
