/* SPDX-License-Identifier: Apache-2.0 */
/* External data: 16 forms of location, each in the three places a file can name one (initializer, Constant, sparse
 * initializer), and every way in which offset, length and size can disagree. Nothing outside the model's folder, behind
 * a link, or not a plain file may be read. */
#include "base/memory.h"
#include "model/graph.h"
#include "model/wire.h"
#include "support.h"

static const float inside[] = {1, 2, 3, 4}, outside[] = {666, 666, 666, 666};
static const int64_t four[] = {4};
static char base[256]; /* holds model/ (the model's folder) and what lies beside it */

typedef enum place { INITIALIZER, CONSTANT, SPARSE, KINDS } place;

static const char *beside(const char *name)
{
    static char paths[4][512];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", base, name);
    return path;
}

static void put(const char *name, const void *bytes, size_t count)
{
    FILE *file = fopen(beside(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

static int make_folders(void **state)
{
    (void)state;
    snprintf(base, sizeof base, "%s", temporary_path("external"));
    if (mkdir(base, 0700) || mkdir(beside("model"), 0700) || mkdir(beside("model/sub"), 0700) ||
        mkdir(beside("else"), 0700))
        return 1;
    put("model/w.bin", inside, sizeof inside);
    put("model/sub/w.bin", inside, sizeof inside);
    put("model/..w.bin", inside, sizeof inside);
    put("secret.bin", outside, sizeof outside);
    put("else/w.bin", outside, sizeof outside);
    put("model/twin.bin", outside, sizeof outside);
    return symlink("w.bin", beside("model/link.bin")) || symlink("../secret.bin", beside("model/out.bin")) ||
           symlink("../else", beside("model/elsewhere")) || symlink("sub", beside("model/alias")) ||
           link(beside("model/twin.bin"), beside("twin.bin")) || mkfifo(beside("model/fifo"), 0600);
}

typedef struct where {
    const char *location, *offset, *length; /* NULL: not there */
} where;

static void add_entry(wire *tensor, const char *key, const char *value)
{
    wire pair = {0};
    if (!value) return;
    wire_text(&pair, 1, key);
    wire_text(&pair, 2, value);
    wire_child(tensor, TENSOR_EXTERNAL, pair);
}

static wire external_tensor(where entry)
{
    wire tensor = wire_tensor("w", GIG_ONNX_FLOAT, 1, four);
    wire_int(&tensor, TENSOR_LOCATION, 1);
    add_entry(&tensor, "location", entry.location);
    add_entry(&tensor, "offset", entry.offset);
    add_entry(&tensor, "length", entry.length);
    return tensor;
}

static wire external_model(wire tensor, place kind)
{
    wire graph = {0}, node, attribute = {0}, sparse = {0};
    if (kind == INITIALIZER) wire_child(&graph, GRAPH_INITIALIZER, tensor);
    if (kind == CONSTANT) {
        node = wire_node("Constant", NULL, NULL, "w");
        wire_text(&attribute, ATTRIBUTE_NAME, "value");
        wire_int(&attribute, ATTRIBUTE_TYPE, 4);
        wire_child(&attribute, ATTRIBUTE_T, tensor);
        wire_child(&node, NODE_ATTRIBUTE, attribute);
        wire_child(&graph, GRAPH_NODE, node);
    }
    if (kind == SPARSE) {
        wire_child(&sparse, 1, tensor);
        wire_int(&sparse, 3, 4);
        wire_child(&graph, GRAPH_SPARSE, sparse);
    }
    wire_child(&graph, GRAPH_NODE, wire_node("Identity", "w", NULL, "y"));
    wire_child(&graph, GRAPH_OUTPUT, wire_value("y", GIG_ONNX_FLOAT, 1, four));
    return wire_model(graph, 7, 13);
}

/* Writes the model into its folder and loads it; what is read must be `inside`. */
static gig_status try_entry(where entry, place kind)
{
    wire file = external_model(external_tensor(entry), kind);
    gig_model *model;
    size_t before = gig_memory_used();
    put("model/model.onnx", file.bytes, file.count);
    wire_free(&file);
    gig_status status = gig_model_load(&model, beside("model/model.onnx"), NULL);
    if (status == GIG_OK) {
        const gig_tensor *weight = kind == CONSTANT ? &gig_node_attribute(&model->nodes[0], "value")->t
                                                    : model->values[gig_model_find(model, "w")].constant;
        assert_memory_equal(weight->real, inside, sizeof inside);
    }
    gig_model_free(model);
    assert_int_equal(gig_memory_used(), before);
    return status;
}

static void opens_only_plain_files_beneath_the_models_folder(void **state)
{
    (void)state;
    char absolute[512];
    snprintf(absolute, sizeof absolute, "%s", beside("secret.bin"));
    const struct {
        const char *location;
        gig_status status;
    } forms[] = {
        {"w.bin", GIG_OK},
        {"./w.bin", GIG_OK},
        {"sub/w.bin", GIG_OK},
        {"sub/../w.bin", GIG_OK},
        {"..w.bin", GIG_OK}, /* a name that begins with two points is a name */
        {"../secret.bin", GIG_EFORMAT},
        {"sub/../../secret.bin", GIG_EFORMAT},
        {absolute, GIG_EFORMAT},
        {"", GIG_EFORMAT},
        {"link.bin", GIG_EFORMAT},        /* a link, though it stays inside */
        {"out.bin", GIG_EFORMAT},         /* a link that leaves */
        {"elsewhere/w.bin", GIG_EFORMAT}, /* through a linked folder that leaves */
        {"alias/w.bin", GIG_EFORMAT},     /* through a linked folder that stays */
        {"twin.bin", GIG_EFORMAT},        /* a second name of a file outside */
        {"fifo", GIG_EFORMAT},
        {"sub", GIG_EFORMAT},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        for (place kind = 0; kind < KINDS; kind++) {
            gig_status wanted = kind == SPARSE ? GIG_EUNSUPPORTED : forms[i].status;
            gig_status got = try_entry((where){forms[i].location, NULL, NULL}, kind);
            if (got != wanted)
                fail_msg("\"%s\" in place %d: %s (%s)", forms[i].location, kind, gig_status_name(got), gig_message());
        }
}

static void says_why_a_file_is_not_read(void **state)
{
    (void)state;
    static const struct {
        const char *location, *words;
    } rows[] = {
        {"../secret.bin", "is outside the model's folder"},
        {"out.bin", "links are not followed"},
        {"twin.bin", "several names"},
        {"fifo", "not a regular file"},
        {"sub", "not a regular file"},
        {"missing.bin", "No such file"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_not_equal(try_entry((where){rows[i].location, NULL, NULL}, INITIALIZER), GIG_OK);
        assert_message(rows[i].words);
        assert_message("initializer \"w\"");
        assert_message("model.onnx");
    }
}

static void needs_offset_and_length_to_agree_with_shape_and_file(void **state)
{
    (void)state;
    static const struct {
        where entry;
        gig_status status;
    } rows[] = {
        {{"w.bin", "0", "16"}, GIG_OK},
        {{"w.bin", "0", NULL}, GIG_OK},
        {{"w.bin", NULL, "16"}, GIG_OK},
        {{"w.bin", "1", NULL}, GIG_EFORMAT},
        {{"w.bin", "1", "16"}, GIG_EFORMAT},
        {{"w.bin", "0", "15"}, GIG_EFORMAT},
        {{"w.bin", "0", "17"}, GIG_EFORMAT},
        {{"w.bin", "16", NULL}, GIG_EFORMAT},
        {{"w.bin", "17", NULL}, GIG_EFORMAT},
        {{"w.bin", "-1", NULL}, GIG_EFORMAT},
        {{"w.bin", "+0", NULL}, GIG_EFORMAT},
        {{"w.bin", " 0", NULL}, GIG_EFORMAT},
        {{"w.bin", "0x0", NULL}, GIG_EFORMAT},
        {{"w.bin", "", NULL}, GIG_EFORMAT},
        {{"w.bin", "9223372036854775807", NULL}, GIG_EFORMAT},
        {{"w.bin", "9223372036854775808", NULL}, GIG_EFORMAT},
        {{"w.bin", "18446744073709551600", NULL}, GIG_EFORMAT},
        {{"w.bin", "99999999999999999999999", NULL}, GIG_EFORMAT},
        {{"missing.bin", NULL, NULL}, GIG_EIO},
        {{"w.bin/", NULL, NULL}, GIG_EIO},
        {{NULL, "0", "16"}, GIG_EFORMAT},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (place kind = INITIALIZER; kind <= CONSTANT; kind++) {
            gig_status got = try_entry(rows[i].entry, kind);
            if (got != rows[i].status) fail_msg("row %zu: %s (%s)", i, gig_status_name(got), gig_message());
        }
}

static void reads_at_an_offset_and_converts(void **state)
{
    (void)state;
    const uint8_t bytes[] = {9, 9, 9, 1, 255, 3, 9};
    put("model/bytes.bin", bytes, sizeof bytes);
    wire tensor = wire_tensor("w", GIG_ONNX_INT8, 1, (int64_t[]){3});
    wire_int(&tensor, TENSOR_LOCATION, 1);
    add_entry(&tensor, "location", "bytes.bin");
    add_entry(&tensor, "offset", "3");
    add_entry(&tensor, "length", "3");
    add_entry(&tensor, "checksum", "not looked at");
    wire file = external_model(tensor, INITIALIZER);
    put("model/model.onnx", file.bytes, file.count);
    gig_model *model;
    assert_ok(gig_model_load(&model, beside("model/model.onnx"), NULL));
    const int64_t *whole = model->values[gig_model_find(model, "w")].constant->whole;
    assert_true(whole[0] == 1 && whole[1] == -1 && whole[2] == 3);
    gig_model_free(model);
    assert_status(gig_model_load_memory(&model, file.bytes, file.count, NULL), GIG_EUNSUPPORTED);
    wire_free(&file);
}

static void refuses_a_key_that_is_there_twice(void **state)
{
    (void)state;
    for (int which = 0; which < 3; which++) {
        wire tensor = external_tensor((where){"w.bin", "0", "16"});
        add_entry(&tensor, (const char *[]){"location", "offset", "length"}[which],
                  (const char *[]){"w.bin", "0", "16"}[which]);
        wire file = external_model(tensor, INITIALIZER);
        put("model/model.onnx", file.bytes, file.count);
        wire_free(&file);
        gig_model *model;
        assert_status(gig_model_load(&model, beside("model/model.onnx"), NULL), GIG_EFORMAT);
        assert_message("twice");
    }
}

/* The folder is the one the path names, also when the path is a bare name. */
static void finds_the_folder_of_a_bare_name(void **state)
{
    (void)state;
    wire file = external_model(external_tensor((where){"w.bin", NULL, NULL}), INITIALIZER);
    char before[512];
    gig_model *model;
    put("model/model.onnx", file.bytes, file.count);
    wire_free(&file);
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(beside("model")), 0);
    gig_status status = gig_model_load(&model, "model.onnx", NULL);
    assert_int_equal(chdir(before), 0);
    assert_int_equal(status, GIG_OK);
    gig_model_free(model);
}

static void gives_back_all_memory_when_an_allocation_fails(void **state)
{
    (void)state;
    wire file = external_model(external_tensor((where){"w.bin", NULL, NULL}), INITIALIZER);
    put("model/model.onnx", file.bytes, file.count);
    wire_free(&file);
    size_t before = gig_memory_used();
    for (int lasting = 0; lasting < 2; lasting++)
        for (size_t k = 0;; k++) {
            gig_model *model;
            assert_true(k < 10000);
            gig_memory_fail_at(k, lasting);
            gig_status status = gig_model_load(&model, beside("model/model.onnx"), NULL);
            gig_memory_fail_at(SIZE_MAX, 0);
            gig_model_free(model);
            assert_int_equal(gig_memory_used(), before);
            if (status == GIG_OK) break;
            assert_int_equal(status, GIG_ENOMEM);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opens_only_plain_files_beneath_the_models_folder),
        cmocka_unit_test(says_why_a_file_is_not_read),
        cmocka_unit_test(needs_offset_and_length_to_agree_with_shape_and_file),
        cmocka_unit_test(reads_at_an_offset_and_converts),
        cmocka_unit_test(refuses_a_key_that_is_there_twice),
        cmocka_unit_test(finds_the_folder_of_a_bare_name),
        cmocka_unit_test(gives_back_all_memory_when_an_allocation_fails),
    };
    return cmocka_run_group_tests(tests, make_folders, NULL);
}
