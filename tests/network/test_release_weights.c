/* SPDX-License-Identifier: Apache-2.0 */
/* A network whose maker lets it free the model's weights as it packs them: the same bits, and others made of the model
 * later read the file again. */
#include "golden_network.h"

#include "base/file.h"
#include "model/graph.h"
#include "network/network.h"
#include <unistd.h>

typedef struct gradients {
    size_t count;
    float *values;
} gradients;

static gradients of_network(gig_network *network, const golden_set *golden)
{
    run runner = {.network = network};
    double values[ROWS];
    gradients out = {gig_tensor_count(&golden->x), malloc(gig_tensor_count(&golden->x) * sizeof(float))};
    assert_ok(gig_session_create(&runner.session, network));
    gradients_of(out.values, values, &runner, &golden->x, GIG_LOGIT);
    gig_session_free(runner.session);
    return out;
}

static void expect(const gradients *wanted, gig_network *network, const golden_set *golden)
{
    gradients found = of_network(network, golden);
    assert_memory_equal(found.values, wanted->values, wanted->count * sizeof(float));
    free(found.values);
}

static gig_model *load_copy(const char *name, char path[512])
{
    uint8_t *bytes;
    size_t count;
    gig_model *model;
    char source[200], file[64];
    snprintf(source, sizeof source, "tests/golden/networks/%s.onnx", name);
    snprintf(file, sizeof file, "%s.onnx", name);
    assert_ok(gig_file_read(&bytes, &count, source_path(source), 1 << 30));
    snprintf(path, 512, "%s", temporary_file(file, bytes, count));
    gig_free(bytes);
    assert_ok(gig_model_load(&model, path, NULL));
    return model;
}

static void gives_the_same_bits_and_reads_a_removed_file_again(void **state)
{
    (void)state;
    size_t spent = 0;
    for (size_t i = 0; i < NAMES; i++) {
        golden_set golden;
        char path[512];
        gig_network *shared, *first, *second, *third;
        load_golden(&golden, names[i]);
        gig_model *model = load_copy(names[i], path);
        assert_ok(gig_network_create(&shared, model, NULL));
        gradients wanted = of_network(shared, &golden);
        gig_network_free(shared);
        assert_false(model->released);
        assert_ok(gig_network_create_spending(&first, model, NULL));
        spent += (size_t)model->released;
        expect(&wanted, first, &golden);
        assert_int_equal(unlink(path), 0);
        assert_ok(gig_network_create(&second, model, NULL));
        expect(&wanted, second, &golden);
        assert_ok(gig_network_create_spending(&third, model, NULL));
        expect(&wanted, third, &golden);
        expect(&wanted, first, &golden);
        gig_network_free(first);
        gig_network_free(second);
        gig_network_free(third);
        gig_model_free(model);
        clear_golden(&golden);
        free(wanted.values);
    }
    if (spent < 5) fail_msg("only %zu of the networks freed weights", spent);
}

static void says_that_a_file_was_written_over(void **state)
{
    (void)state;
    char path[512];
    gig_network *first, *second;
    gig_model *model = load_copy("residual", path);
    assert_ok(gig_network_create_spending(&first, model, NULL));
    assert_true(model->released);
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fputc('x', file), 'x');
    fclose(file);
    assert_status(gig_network_create(&second, model, NULL), GIG_EFORMAT);
    assert_message("changed since it was opened");
    assert_int_equal(truncate(path, ((off_t)2 << 30) + 1), 0); /* larger than a model may be: not read at all */
    assert_status(gig_network_create(&second, model, NULL), GIG_ELIMIT);
    gig_network_free(first);
    gig_model_free(model);
}

/* A model of bytes in memory has no file, a batch is planned twice: neither is spent. */
static void spends_only_what_it_can_read_again(void **state)
{
    (void)state;
    uint8_t *bytes;
    size_t count;
    char path[512];
    gig_model *model;
    gig_network *network;
    assert_ok(gig_file_read(&bytes, &count, source_path("tests/golden/networks/residual.onnx"), 1 << 30));
    assert_ok(gig_model_load_memory(&model, bytes, count, NULL));
    assert_ok(gig_network_create_spending(&network, model, NULL));
    assert_false(model->released);
    gig_network_free(network);
    gig_model_free(model);
    gig_free(bytes);
    model = load_copy("residual", path);
    assert_ok(gig_network_create_spending(&network, model, &(gig_network_options){.batch = 2}));
    assert_false(model->released);
    gig_network_free(network);
    gig_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_the_same_bits_and_reads_a_removed_file_again),
        cmocka_unit_test(says_that_a_file_was_written_over),
        cmocka_unit_test(spends_only_what_it_can_read_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
