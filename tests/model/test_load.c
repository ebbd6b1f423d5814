/* The loader: what a sound file becomes. Broken files: test_hostile.c. */
#include "base/memory.h"
#include "model/graph.h"
#include "model/wire.h"
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
/* cmocka wants the four above first */
#include <cmocka.h>

static const int64_t two[] = {2};

/* x [2] -> Relu -> y */
static wire small_graph(void)
{
    wire graph = {0};
    wire_child(&graph, GRAPH_NODE, wire_node("Relu", "x", NULL, "y"));
    wire_child(&graph, GRAPH_INPUT, wire_value("x", GIG_ONNX_FLOAT, 1, two));
    wire_child(&graph, GRAPH_OUTPUT, wire_value("y", GIG_ONNX_FLOAT, 1, two));
    return graph;
}

static gig_model *load(wire file)
{
    gig_model *model = NULL;
    gig_status status = gig_model_load_memory(&model, file.bytes, file.count, NULL);
    wire_free(&file);
    if (status != GIG_OK) fail_msg("%s: %s", gig_status_name(status), gig_message());
    return model;
}

static void reads_a_small_graph(void **state)
{
    (void)state;
    gig_model *model = load(wire_model(small_graph(), 7, 13));
    assert_int_equal(model->node_count, 1);
    assert_int_equal(model->input_count, 1);
    assert_int_equal(model->output_count, 1);
    assert_int_equal(model->opset, 13);
    assert_int_equal(model->ir_version, 7);
    const gig_node *node = &model->nodes[0];
    assert_string_equal(node->op, "Relu");
    assert_string_equal(node->domain, "");
    assert_int_equal(node->opset, 13);
    assert_int_equal(node->inputs[0], gig_model_find(model, "x"));
    assert_int_equal(node->outputs[0], gig_model_find(model, "y"));
    assert_int_equal(model->outputs[0], node->outputs[0]);
    assert_int_equal(model->values[model->inputs[0]].dims[0], 2);
    assert_int_equal(gig_model_find(model, "z"), -1);
    gig_model_free(model);
}

/* Every model of Debian's libonnx-testdata loads, or says that it is made of text or sequences. */
static void reads_every_conformance_model(void **state)
{
    (void)state;
    glob_t files;
    if (glob("/usr/share/libonnx-testdata/data/*/*/model.onnx", 0, NULL, &files)) {
        print_message("libonnx-testdata is not installed\n");
        skip();
    }
    size_t loaded = 0, before = gig_memory_used();
    for (size_t i = 0; i < files.gl_pathc; i++) {
        gig_model *model;
        gig_status status = gig_model_load(&model, files.gl_pathv[i], NULL);
        if (status != GIG_OK && status != GIG_EUNSUPPORTED) fail_msg("%s", gig_message());
        loaded += status == GIG_OK;
        gig_model_free(model);
    }
    print_message("%zu of %zu models loaded\n", loaded, files.gl_pathc);
    assert_true(loaded >= 1030);
    assert_int_equal(gig_memory_used(), before);
    globfree(&files);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_a_small_graph),
        cmocka_unit_test(reads_every_conformance_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
