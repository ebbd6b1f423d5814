/* SPDX-License-Identifier: Apache-2.0 */
/* A host program's signal handlers while a session runs in its own thread. Some of oneDNN's generated code keeps
 * numbers in the stack pointer, so a handler that ran then would write its frame over the heap. */
#include "golden_network.h"

#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { TICK_MICROSECONDS = 1000, TICKS = 300, MAX_GRADIENTS = 20000 };

static volatile sig_atomic_t ticks;
static uintptr_t interrupted[TICKS]; /* addresses of the instructions that handlers interrupted */
static uintptr_t stacks[TICKS];      /* and the stack pointers then */

static void tick(int number, siginfo_t *about, void *context)
{
    (void)number;
    (void)about;
    uintptr_t at = 0, stack = 0;
#if defined(__x86_64__)
    at = (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    stack = (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
    at = (uintptr_t)((ucontext_t *)context)->uc_mcontext.pc;
    stack = (uintptr_t)((ucontext_t *)context)->uc_mcontext.sp;
#else
    (void)context;
#endif
    if (ticks < TICKS) {
        interrupted[ticks] = at;
        stacks[ticks] = stack;
    }
    ticks++;
}

/* How many of the interrupted instructions lie in executable memory that no file was mapped to: generated code. */
static size_t count_in_generated_code(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    char line[1024];
    size_t count = 0;
    while (fgets(line, sizeof line, maps)) {
        unsigned long first, end, inode;
        char rights[8];
        if (sscanf(line, "%lx-%lx %7s %*s %*s %lu", &first, &end, rights, &inode) != 4 || inode || rights[2] != 'x' ||
            strchr(line, '['))
            continue;
        for (int i = 0; i < ticks && i < TICKS; i++) count += interrupted[i] >= first && interrupted[i] < end;
    }
    fclose(maps);
    return count;
}

/* How many of the stack pointers were somewhere else: a frame there overwrites what is not the handler's. */
static size_t count_off_the_stack(void)
{
    const uintptr_t here = (uintptr_t) & (char){0}, most = (uintptr_t)1 << 23;
    size_t count = 0;
    for (int i = 0; i < ticks && i < TICKS; i++) count += stacks[i] > here + most || stacks[i] < here - most;
    return count;
}

/* Gradients under a timer that fires a thousand times a second: handlers run, but never inside generated code. */
static void evaluate_under_ticks(gig_blocking blocking)
{
    gig_model *model;
    gig_network *network;
    gig_session *session;
    gig_function function;
    assert_ok(gig_model_load(&model, source_path("demo/model.onnx"), NULL));
    assert_ok(gig_network_create(&network, model, &(gig_network_options){.blocking = blocking}));
    assert_ok(gig_session_create(&session, network));
    assert_ok(gig_session_function(&function, session, GIG_SOFTMAX));
    float *point = calloc(function.features, sizeof *point), *gradient = calloc(function.features, sizeof *gradient);
    const size_t target = 1;
    double value;
    const struct sigaction action = {.sa_sigaction = tick, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
    struct sigaction before;
    static char room[1 << 16]; /* so that this test reports instead of dying */
    const stack_t stack = {.ss_sp = room, .ss_size = sizeof room};
    const struct itimerval timer = {{0, TICK_MICROSECONDS}, {0, TICK_MICROSECONDS}}, none = {{0, 0}, {0, 0}};
    sigaltstack(&stack, NULL);
    sigaction(SIGALRM, &action, &before);
    setitimer(ITIMER_REAL, &timer, NULL);
    gig_status status = GIG_OK;
    ticks = 0;
    for (int i = 0; status == GIG_OK && ticks < TICKS && i < MAX_GRADIENTS; i++)
        status = function.evaluate(function.payload, 1, (const float *const *)&point, &target, &value, &gradient);
    setitimer(ITIMER_REAL, &none, NULL);
    sigaction(SIGALRM, &before, NULL);
    assert_ok(status);
    assert_true(ticks > 0);
    print_message("# %d ticks: %zu in generated code, %zu while the stack pointer held something else\n", (int)ticks,
                  count_in_generated_code(), count_off_the_stack());
    assert_int_equal(count_in_generated_code(), 0);
    assert_int_equal(count_off_the_stack(), 0);
    sigset_t mine;
    sigprocmask(SIG_SETMASK, NULL, &mine);
    assert_false(sigismember(&mine, SIGALRM));
    free(point);
    free(gradient);
    gig_session_free(session);
    gig_network_free(network);
    gig_model_free(model);
}

static void runs_no_handler_inside_generated_code(void **state)
{
    (void)state;
    evaluate_under_ticks(GIG_BLOCKING_AUTO);
}

/* Convolutions that oneDNN chooses: with AVX-512 some of these keep numbers in the stack pointer. */
static void runs_no_handler_while_the_stack_pointer_is_used(void **state)
{
    (void)state;
    evaluate_under_ticks(GIG_BLOCKING_ANY);
}

static void handle(int number)
{
    volatile char frame[4096]; /* a handler with variables of its own, on the normal stack */
    for (size_t i = 0; i < sizeof frame; i++) frame[i] = (char)number;
    ticks++;
}

/* Ends with 0 if the bits are those of a quiet run. */
static int run_under_ticks(const char *name)
{
    golden_set golden;
    run runner;
    double values[ROWS];
    load_golden(&golden, name);
    begin(&runner, name, "", (gig_network_options){.batch = 1, .blocking = GIG_BLOCKING_ANY});
    size_t bytes = gig_tensor_count(&golden.x) * sizeof(float);
    float *quiet = malloc(bytes), *noisy = malloc(bytes);
    gradients_of(quiet, values, &runner, &golden.x, GIG_SOFTMAX);
    const struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    const struct itimerval timer = {{0, TICK_MICROSECONDS}, {0, TICK_MICROSECONDS}}, none = {{0, 0}, {0, 0}};
    ticks = 0;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
    int same = 1;
    for (int i = 0; same && ticks < TICKS && i < MAX_GRADIENTS; i++) {
        gradients_of(noisy, values, &runner, &golden.x, GIG_SOFTMAX);
        same = memcmp(quiet, noisy, bytes) == 0;
    }
    setitimer(ITIMER_REAL, &none, NULL);
    free(quiet);
    free(noisy);
    finish(&runner);
    clear_golden(&golden);
    return same && ticks > 0 ? 0 : 1;
}

/* The demo's model, whose convolutions with AVX-512 use the stack pointer: 0 if every gradient has the same bits. */
static int run_demo_under_ticks(void)
{
    gig_model *model;
    gig_network *network;
    gig_session *session;
    gig_function function;
    const gig_network_options options = {.blocking = GIG_BLOCKING_ANY};
    const struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    const struct itimerval timer = {{0, TICK_MICROSECONDS}, {0, TICK_MICROSECONDS}};
    const size_t target = 1;
    double value;
    if (gig_model_load(&model, source_path("demo/model.onnx"), NULL) != GIG_OK ||
        gig_network_create(&network, model, &options) != GIG_OK || gig_session_create(&session, network) != GIG_OK ||
        gig_session_function(&function, session, GIG_SOFTMAX) != GIG_OK)
        return 2;
    size_t bytes = function.features * sizeof(float);
    float *point = calloc(1, bytes), *quiet = calloc(1, bytes), *noisy = calloc(1, bytes);
    function.evaluate(function.payload, 1, (const float *const *)&point, &target, &value, &quiet);
    ticks = 0;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
    for (int i = 0; ticks < TICKS && i < MAX_GRADIENTS; i++) {
        gig_status status =
            function.evaluate(function.payload, 1, (const float *const *)&point, &target, &value, &noisy);
        if (status != GIG_OK || memcmp(quiet, noisy, bytes) != 0) return 1;
    }
    return ticks > 0 ? 0 : 1;
}

static void survives_a_timer_of_1_kHz(void **state)
{
    (void)state;
    static const char *const run_of[] = {"residual", "mobile", "dense", "demo"};
    for (size_t i = 0; i < sizeof run_of / sizeof *run_of; i++) {
        int status = 0;
        pid_t child = fork();
        if (child == 0) {
            signal(SIGSEGV, SIG_DFL); /* cmocka's would go on */
            signal(SIGABRT, SIG_DFL);
            _exit(strcmp(run_of[i], "demo") ? run_under_ticks(run_of[i]) : run_demo_under_ticks());
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
            fail_msg("%s: ended with status 0x%x", run_of[i], (unsigned)status);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_no_handler_inside_generated_code),
        cmocka_unit_test(runs_no_handler_while_the_stack_pointer_is_used),
        cmocka_unit_test(survives_a_timer_of_1_kHz),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
