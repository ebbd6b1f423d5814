/* SPDX-License-Identifier: Apache-2.0 */
/* Every function of the headers in include/ that takes or makes an object of the library, without it (NULL), the rest
 * being right or zeros: none crashes, and one with a status says GIG_EARG. write_calls.py writes the calls from the
 * headers, so that a new function is among them. */
#include "support.h"

#include "gig/gig.h"
#include "internal/explainer.h"
#include "internal/image.h"
#include "internal/metric.h"
#include "internal/path.h"
#include "internal/profile.h"
#include "internal/saliency.h"
#include "internal/summary.h"
#include "internal/target.h"
#include "internal/view.h"
#include "internal/work.h"
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { ROOM = 1 << 16, MOST_PARAMETERS = 12, CRASHED = 1, NOT_REFUSED = 2, SAYS_NOTHING = 3 };

typedef struct misuse {
    const char *function, *parameter;
    gig_status (*call)(int missing);
    int at;      /* number of the parameter that is NULL */
    int refused; /* GIG_EARG has to come */
} misuse;

static struct {
    gig_model *model;
    gig_network *network;
    gig_session *session;
    gig_explainer *explainer;
    gig_film *film;
    gig_pic *pic;
    gig_sheet *sheet;
    gig_spectral_path *spectral_path;
    gig_description *description;
} fixture;
static _Alignas(64) unsigned char rooms[MOST_PARAMETERS][ROOM]; /* zeros, for whatever else is pointed to */

SUPPORT_UNUSED static gig_status refuse(void)
{
    return GIG_EARG;
}

#include "calls.h"

static int make_fixture(void **state)
{
    (void)state;
    static const uint8_t pixels[4 * 4 * 3];
    const char *path = source_path("demo/model.onnx");
    assert_ok(gig_model_load(&fixture.model, path, NULL));
    assert_ok(gig_network_create(&fixture.network, fixture.model, NULL));
    assert_ok(gig_session_create(&fixture.session, fixture.network));
    assert_ok(gig_explainer_open(&fixture.explainer, path, NULL));
    assert_ok(gig_film_create(&fixture.film, 4, 4));
    assert_ok(gig_pic_create(&fixture.pic, pixels, 4, 4, 3, NULL));
    assert_ok(gig_sheet_create(&fixture.sheet, NULL));
    assert_ok(gig_description_load(&fixture.description, path));
    return 0;
}

static int drop_fixture(void **state)
{
    (void)state;
    gig_description_free(fixture.description);
    gig_sheet_free(fixture.sheet);
    gig_pic_free(fixture.pic);
    gig_film_free(fixture.film);
    gig_explainer_close(fixture.explainer);
    gig_session_free(fixture.session);
    gig_network_free(fixture.network);
    gig_model_free(fixture.model);
    return 0;
}

/* In a process of its own: what crashes there is named here. */
static int try(const misuse *m)
{
    int ended;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        const struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        static const int caught[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}; /* by cmocka */
        for (size_t i = 0; i < sizeof caught / sizeof *caught; i++) signal(caught[i], SIG_DFL);
        alarm(120);
        if (chdir(temporary_path(".")) != 0) _exit(99);
        gig_status status = m->call(m->at);
        if (m->refused && status != GIG_EARG) _exit(NOT_REFUSED);
        _exit(m->refused && !*gig_message() ? SAYS_NOTHING : 0);
    }
    assert_int_equal(waitpid(child, &ended, 0), child);
    return WIFEXITED(ended) ? WEXITSTATUS(ended) : CRASHED;
}

static void every_function_refuses_a_missing_object(void **state)
{
    (void)state;
    static const char *const problems[] = {"", "crashes", "is not refused", "is refused without a message"};
    size_t wrong = 0, count = sizeof misuses / sizeof *misuses;
    temporary_path("made"); /* by this process, which removes it */
    for (size_t i = 0; i < count; i++) {
        const misuse *m = &misuses[i];
        int problem = try(m);
        if (!problem) continue;
        print_error("%s: %s NULL %s\n", m->function, m->parameter,
                    problem <= SAYS_NOTHING ? problems[problem] : "fails");
        wrong++;
    }
    fprintf(stderr, "# %zu misuses\n", count);
    assert_true(count > 67);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_function_refuses_a_missing_object)};
    return cmocka_run_group_tests(tests, make_fixture, drop_fixture);
}
