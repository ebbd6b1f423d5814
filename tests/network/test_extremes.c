/* SPDX-License-Identifier: Apache-2.0 */
/* Fast against plain at extreme attributes, and the worst of these by name. */
#include "extremes.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void fast_and_plain_agree_on_random_attributes(void **state)
{
    (void)state;
    extreme_cases(0, 600);
}

/* A mean over a padded window of 65,536 x 65,536 cells, behind a convolution that is the identity: 32 bits do not hold
 * the area. */
static void a_mean_over_2_to_the_32_cells_has_the_right_gradient(void **state)
{
    (void)state;
    enum { CHANNELS = 8, CELLS = 4 };
    float identity[CHANNELS * CHANNELS] = {0};
    for (int i = 0; i < CHANNELS; i++) identity[i * CHANNELS + i] = 1;
    for (int64_t side = 46341; side <= 65536; side += 65536 - 46341) {
        const int64_t kernel[] = {side, side}, pads[] = {side - 2, side - 2, side - 1, side - 1};
        wire graph = {0}, node = wire_node("AveragePool", "x0", NULL, "a");
        wire_attribute_ints(&node, "kernel_shape", 2, kernel);
        wire_attribute_ints(&node, "strides", 2, kernel);
        wire_attribute_ints(&node, "pads", 4, pads);
        wire_attribute_int(&node, "count_include_pad", 1);
        const int64_t weights[] = {CHANNELS, CHANNELS, 1, 1}, in[] = {1, CHANNELS, 2, 2};
        wire_child(&graph, GRAPH_NODE, wire_node("Conv", "x", "w", "x0"));
        wire_child(&graph, GRAPH_NODE, node);
        wire_child(&graph, GRAPH_NODE, wire_node("Flatten", "a", NULL, "y"));
        wire_child(&graph, GRAPH_INITIALIZER, wire_weight("w", 4, weights, identity));
        wire_child(&graph, GRAPH_INPUT, wire_value("x", 1, 4, in));
        wire_child(&graph, GRAPH_OUTPUT, wire_value("y", 1, 2, (const int64_t[]){1, CHANNELS}));
        gig_model *model = wire_load(wire_model(graph, 8, 13));
        extreme_result got = extreme_run(model, 0, NULL);
        assert_int_equal(got.status, GIG_OK);
        for (size_t i = 0; i < got.features; i++) {
            double weight = gig_rng_uniform((gig_rng){3, 1}, i / CELLS) - 0.5;
            double wanted = weight / (double)side / (double)side;
            if (fabs((double)got.gradient[i] - wanted) > 1e-5 * fabs(wanted))
                fail_msg("side %lld: %g, not %g", (long long)side, (double)got.gradient[i], wanted);
        }
        free(got.gradient);
        gig_model_free(model);
    }
}

/* Small files that used to take gigabytes and many seconds: the plan is made, or refused, within little of both. The
 * child begins with this process's memory, of which a sanitizer keeps much that was freed. */
static void assert_costs_little(wire graph, int rank, const int64_t *in, const char *what)
{
    enum { MOST_BYTES = 1 << 28, MOST_SECONDS = 5 };
    wire_child(&graph, GRAPH_NODE, wire_node("Flatten", "a", NULL, "y"));
    wire_child(&graph, GRAPH_INPUT, wire_value("x", 1, rank, in));
    wire_child(&graph, GRAPH_OUTPUT, wire_value("y", 1, 2, (const int64_t[]){-1, -1}));
    gig_model *model = wire_load(wire_model(graph, 8, 13));
    struct rusage used;
    int status;
    long before = resident_kib(getpid());
    pid_t child = fork();
    if (child == 0) {
        const struct rlimit seconds = {MOST_SECONDS, MOST_SECONDS};
        setrlimit(RLIMIT_CPU, &seconds);
        gig_network *network = NULL;
        const gig_network_options options = {.max_memory = MOST_BYTES};
        gig_status made = gig_network_create(&network, model, &options);
        gig_network_free(network);
        _exit(made == GIG_ENOMEM || made == GIG_EINTERNAL);
    }
    assert_int_equal(wait4(child, &status, 0, &used), child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) fail_msg("%s: ended with status 0x%x", what, (unsigned)status);
    long taken = used.ru_maxrss - before;
    if (before <= 0 || taken > (MOST_BYTES + MOST_BYTES / 4) / 1024) fail_msg("%s: %ld KiB", what, taken);
    gig_model_free(model);
}

static void empty_tensors_of_many_cells_cost_nothing(void **state)
{
    (void)state;
    const int64_t in[] = {1, 0, 1 << 30}, two = 3;
    wire moved = {0}, wide = {0};
    wire_child(&moved, GRAPH_NODE, wire_node("Transpose", "x", NULL, "a"));
    assert_costs_little(moved, 3, in, "Transpose");
    wire shape = wire_tensor("s", 7, 1, &two);
    wire_int(&shape, TENSOR_INT64S, 1);
    wire_int(&shape, TENSOR_INT64S, 0);
    wire_int(&shape, TENSOR_INT64S, 1 << 30);
    wire_child(&wide, GRAPH_INITIALIZER, shape);
    wire_child(&wide, GRAPH_NODE, wire_node("Expand", "x", "s", "a"));
    assert_costs_little(wide, 3, (const int64_t[]){1, 0, 1}, "Expand");
}

static void tables_count_against_the_memory_limit(void **state)
{
    (void)state;
    wire graph = {0};
    wire_child(&graph, GRAPH_NODE, wire_node("Transpose", "x", NULL, "a"));
    assert_costs_little(graph, 3, (const int64_t[]){1, 1 << 29, 1}, "Transpose");
}

static void huge_kernels_and_pads_cost_little(void **state)
{
    (void)state;
    static const struct {
        const char *op;
        int64_t kernel, pad;
    } cases[] = {{"MaxPool", 1 << 28, 1 << 27}, {"AveragePool", 1 << 30, 1 << 29}, {"Conv", 0, 1 << 23}};
    const float weight[3] = {1, 2, 3};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int64_t pads[] = {cases[i].pad, cases[i].pad}, one = 3;
        wire graph = {0}, node = wire_node(cases[i].op, "x", cases[i].kernel ? NULL : "w", "a");
        if (cases[i].kernel) wire_attribute_ints(&node, "kernel_shape", 1, &cases[i].kernel);
        wire_attribute_ints(&node, "pads", 2, pads);
        wire_child(&graph, GRAPH_NODE, node);
        wire_child(&graph, GRAPH_INITIALIZER, wire_weight("w", 3, (const int64_t[]){1, 1, one}, weight));
        assert_costs_little(graph, 3, (const int64_t[]){1, 1, 9}, cases[i].op);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fast_and_plain_agree_on_random_attributes),
        cmocka_unit_test(a_mean_over_2_to_the_32_cells_has_the_right_gradient),
        cmocka_unit_test(empty_tensors_of_many_cells_cost_nothing),
        cmocka_unit_test(tables_count_against_the_memory_limit),
        cmocka_unit_test(huge_kernels_and_pads_cost_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
