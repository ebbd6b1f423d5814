/* SPDX-License-Identifier: Apache-2.0 */
/* Files that must be refused: each of tests/hostile with the status its manifest says, the giants made here, every
 * prefix of 40 models, and every change of one byte. Nothing may stay allocated after a refusal. */
#include "base/memory.h"
#include "hostile/manifest.h"
#include "model/graph.h"
#include "model/wire.h"
#include <glob.h>

enum { MAX_BYTES = 1 << 16 };

static const int64_t two[] = {2};

/* Any status but GIG_EINTERNAL, GIG_ENUMERIC, GIG_ECANCEL and GIG_EARG may come from bytes. */
static int is_legal(gig_status status)
{
    return status == GIG_OK || status == GIG_EFORMAT || status == GIG_EUNSUPPORTED || status == GIG_ELIMIT;
}

/* Loads a copy of exactly `count` bytes, so that a read past the end is seen. */
static gig_status try_bytes(const uint8_t *bytes, size_t count)
{
    size_t before = gig_memory_used();
    uint8_t *copy = malloc(count ? count : 1);
    gig_model *model;
    assert_non_null(copy);
    memcpy(copy, bytes, count);
    gig_status status = gig_model_load_memory(&model, copy, count, NULL);
    free(copy);
    assert_int_equal(model == NULL, status != GIG_OK);
    gig_model_free(model);
    assert_int_equal(gig_memory_used(), before);
    if (!is_legal(status)) fail_msg("%s: %s", gig_status_name(status), gig_message());
    return status;
}

/* ---- the manifest ---- */

static hostile_row cases[MAX_HOSTILE];

static void meets_the_manifest(void **state)
{
    const hostile_row *hostile = *state;
    gig_model *model;
    size_t before = gig_memory_used();
    gig_memory_reset_peak();
    gig_status status = gig_model_load(&model, hostile_path(hostile), NULL);
    const char *wanted = strcmp(hostile->stage, "load") ? "GIG_OK" : hostile->status;
    if (strcmp(gig_status_name(status), wanted))
        fail_msg("%s: %s (%s), not %s", hostile->file, gig_status_name(status), gig_message(), wanted);
    if (status != GIG_OK) assert_message(hostile->file);
    gig_model_free(model);
    assert_int_equal(gig_memory_used(), before);
    assert_true(gig_memory_peak() - before < (size_t)16 << 20); /* small files stay small */
}

/* ---- giants ---- */

static gig_status try_wire(wire file)
{
    gig_status status = try_bytes(file.bytes, file.count);
    wire_free(&file);
    return status;
}

/* 2 MB of empty messages would become 258 MB: refused before anything is unpacked. */
static void refuses_a_million_empty_nodes(void **state)
{
    (void)state;
    wire graph = {0};
    for (int i = 0; i < 1000000; i++) wire_bytes(&graph, GRAPH_NODE, NULL, 0);
    gig_memory_reset_peak();
    size_t before = gig_memory_used();
    assert_status(try_wire(wire_model(graph, 7, 13)), GIG_ELIMIT);
    assert_true(gig_memory_peak() - before < 1 << 20);
}

/* The same through messages that are not nodes. */
static void refuses_three_million_empty_attributes(void **state)
{
    (void)state;
    wire graph = {0}, node = {0};
    for (int i = 0; i < 3000000; i++) wire_bytes(&node, NODE_ATTRIBUTE, NULL, 0);
    wire_child(&graph, GRAPH_NODE, node);
    gig_memory_reset_peak();
    size_t before = gig_memory_used();
    assert_status(try_wire(wire_model(graph, 7, 13)), GIG_ELIMIT);
    assert_true(gig_memory_peak() - before < 1 << 20);
}

/* 20 MB of one-byte numbers would become 160 MB; with a limit of 64 MB they are refused first. */
static void counts_packed_lists_before_unpacking(void **state)
{
    (void)state;
    size_t count = 20000000;
    uint8_t *ones = malloc(count);
    assert_non_null(ones);
    memset(ones, 1, count);
    wire tensor = wire_tensor("w", GIG_ONNX_INT64, 1, (int64_t[]){20000000}), graph = {0};
    wire_bytes(&tensor, TENSOR_INT64S, ones, count);
    free(ones);
    wire_child(&graph, GRAPH_INITIALIZER, tensor);
    wire file = wire_model(graph, 7, 13);
    gig_model *model;
    gig_model_options options = {.max_weights = (size_t)64 << 20};
    gig_memory_reset_peak();
    size_t before = gig_memory_used();
    assert_status(gig_model_load_memory(&model, file.bytes, file.count, &options), GIG_ELIMIT);
    assert_message("unpacking would take");
    assert_true(gig_memory_peak() - before < 1 << 20);
    wire_free(&file);
}

/* The field's length is checked against what is left, not found out by reading. */
static void says_where_a_file_is_cut_short(void **state)
{
    (void)state;
    const uint8_t bytes[] = {0x08, 0x07, 0x3a, 0x64, 0x0a}; /* IR 7, then a graph of 100 bytes of which 1 is there */
    assert_status(try_bytes(bytes, sizeof bytes), GIG_EFORMAT);
    assert_message("a field of 100 bytes, but only 1 are left");
}

static void refuses_a_name_of_a_megabyte(void **state)
{
    (void)state;
    char *name = malloc(1000001);
    assert_non_null(name);
    memset(name, 'n', 1000000);
    name[1000000] = 0;
    wire graph = {0};
    wire_child(&graph, GRAPH_NODE, wire_node("Relu", "x", NULL, name));
    wire_child(&graph, GRAPH_INPUT, wire_value("x", GIG_ONNX_FLOAT, 1, two));
    wire_child(&graph, GRAPH_OUTPUT, wire_value(name, GIG_ONNX_FLOAT, 1, two));
    free(name);
    assert_status(try_wire(wire_model(graph, 7, 13)), GIG_ELIMIT);
}

/* The budget of the process is met too: a status, not a crash. */
static void stops_at_the_budget_of_the_process(void **state)
{
    (void)state;
    size_t count = 1 << 22;
    uint8_t *zeros = calloc(count, 1);
    assert_non_null(zeros);
    wire tensor = wire_tensor("w", GIG_ONNX_INT8, 1, (int64_t[]){1 << 22}), graph = {0};
    wire_bytes(&tensor, TENSOR_RAW, zeros, count);
    free(zeros);
    wire_child(&graph, GRAPH_INITIALIZER, tensor);
    wire_child(&graph, GRAPH_OUTPUT, wire_value("w", GIG_ONNX_INT8, 1, two));
    wire file = wire_model(graph, 7, 13);
    gig_memory_set_limit(gig_memory_used() + ((size_t)8 << 20));
    assert_status(try_bytes(file.bytes, file.count), GIG_ELIMIT);
    gig_memory_set_limit(0);
    assert_ok(try_bytes(file.bytes, file.count));
    wire_free(&file);
}

/* A chain that closes on itself only after 60,000 nodes. */
static void refuses_a_long_cycle(void **state)
{
    (void)state;
    wire graph = {0};
    for (int i = 0; i < 60000; i++) {
        char from[16], to[16];
        snprintf(from, sizeof from, "v%d", i);
        snprintf(to, sizeof to, "v%d", (i + 1) % 60000);
        wire_child(&graph, GRAPH_NODE, wire_node("Relu", from, NULL, to));
    }
    wire_child(&graph, GRAPH_OUTPUT, wire_value("v0", GIG_ONNX_FLOAT, 1, two));
    assert_status(try_wire(wire_model(graph, 7, 13)), GIG_EFORMAT);
    assert_message("cycle");
}

/* ---- real models, damaged ---- */

/* One model in `step` of libonnx-testdata, at most `most`; skips if there are none. */
static size_t find_models(glob_t *files, size_t *step, size_t most)
{
    if (glob("/usr/share/libonnx-testdata/data/*/*/model.onnx", 0, NULL, files)) return 0;
    *step = files->gl_pathc / most;
    return files->gl_pathc < most ? 0 : most;
}

static size_t read_model(uint8_t *bytes, const char *path)
{
    FILE *file = fopen(path, "rb");
    size_t count = file ? fread(bytes, 1, MAX_BYTES, file) : 0;
    if (file) fclose(file);
    return count;
}

static void survives_every_prefix_of_40_models(void **state)
{
    (void)state;
    static uint8_t bytes[MAX_BYTES];
    glob_t files;
    size_t step, loaded = 0, tried = 0, models = find_models(&files, &step, 40);
    if (!models) skip_because("libonnx-testdata is not installed");
    for (size_t i = 0; i < models; i++) {
        size_t count = read_model(bytes, files.gl_pathv[i * step]);
        for (size_t cut = 0; cut < count; cut++, tried++) loaded += try_bytes(bytes, cut) == GIG_OK;
    }
    print_message("%zu prefixes, %zu load\n", tried, loaded);
    globfree(&files);
}

/* Each byte set to 8 values in the quick suite, to all 255 others with GIG_LONG. */
static void survives_every_change_of_one_byte_of_5_models(void **state)
{
    (void)state;
    static uint8_t bytes[MAX_BYTES];
    glob_t files;
    size_t step, loaded = 0, tried = 0, models = find_models(&files, &step, 5);
    unsigned stride = getenv("GIG_LONG") ? 1 : 32;
    if (!models) skip_because("libonnx-testdata is not installed");
    for (size_t i = 0; i < models; i++) {
        size_t count = read_model(bytes, files.gl_pathv[i * step]);
        for (size_t at = 0; at < count && count <= 4096; at++)
            for (unsigned change = 1; change < 256; change += stride, tried++) {
                bytes[at] ^= (uint8_t)change;
                loaded += try_bytes(bytes, count) == GIG_OK;
                bytes[at] ^= (uint8_t)change;
            }
    }
    print_message("%zu changes, %zu load\n", tried, loaded);
    globfree(&files);
}

int main(void)
{
    const struct CMUnitTest others[] = {
        cmocka_unit_test(refuses_a_million_empty_nodes),
        cmocka_unit_test(refuses_three_million_empty_attributes),
        cmocka_unit_test(counts_packed_lists_before_unpacking),
        cmocka_unit_test(says_where_a_file_is_cut_short),
        cmocka_unit_test(refuses_a_name_of_a_megabyte),
        cmocka_unit_test(stops_at_the_budget_of_the_process),
        cmocka_unit_test(refuses_a_long_cycle),
        cmocka_unit_test(survives_every_prefix_of_40_models),
        cmocka_unit_test(survives_every_change_of_one_byte_of_5_models),
    };
    enum { OTHERS = sizeof others / sizeof *others };
    static struct CMUnitTest tests[OTHERS + MAX_HOSTILE];
    size_t count = manifest_read(cases);
    if (count < 60) {
        fprintf(stderr, "tests/hostile/manifest: %zu lines\n", count);
        return 1;
    }
    memcpy(tests, others, sizeof others);
    for (size_t i = 0; i < count; i++)
        tests[OTHERS + i] = (struct CMUnitTest){cases[i].file, meets_the_manifest, NULL, NULL, &cases[i]};
    return _cmocka_run_group_tests("hostile", tests, OTHERS + count, NULL, NULL);
}
