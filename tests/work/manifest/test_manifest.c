/* SPDX-License-Identifier: Apache-2.0 */
/* Manifests: what they say, and one line that names the place of each kind of mistake. */
#include "internal/explainer.h"
#include "support.h"

#include "base/memory.h"
#include "work/manifest/manifest.h"

static gig_status read_text(gig_manifest **out, const char *text)
{
    return gig_manifest_read(out, temporary_file("study.json", text, strlen(text)));
}

static const char small[] = "{\"models\": {\"m\": \"m.onnx\"}, \"pictures\": {\"p\": \"p.csv\"},"
                            " \"methods\": [\"ig\"], \"metrics\": [\"auc\"]}";

static void fills_in_what_a_small_manifest_leaves_out(void **state)
{
    (void)state;
    gig_manifest *manifest;
    assert_ok(read_text(&manifest, small));
    assert_true(manifest->seed == 0 && !manifest->keep_maps && !manifest->portable && manifest->run_count == 1);
    const gig_run *run = &manifest->runs[0];
    assert_true(run->models.count == 1 && run->sets.count == 1 && run->methods.count == 1);
    assert_string_equal(run->methods.all[0], "ig");
    assert_string_equal(run->baselines.all[0], "black");
    assert_true(run->scalar == GIG_SOFTMAX && run->precision == GIG_F32 && run->top == 0 && run->limit == 0);
    assert_true(run->least_area == 0 && run->most_area == 1 && !run->random_order);
    assert_string_equal(manifest->text, small);
    const char *file = manifest->models.all[0].file;
    assert_string_equal(strrchr(file, '/'), "/m.onnx");
    assert_true(!strncmp(file, manifest->path, (size_t)(strrchr(file, '/') - file)));
    gig_manifest_free(manifest);
}

static void skips_a_byte_order_mark(void **state)
{
    (void)state;
    gig_manifest *manifest;
    char marked[sizeof small + 3] = "\xef\xbb\xbf";
    memcpy(marked + 3, small, sizeof small);
    assert_ok(read_text(&manifest, marked));
    assert_int_equal(manifest->run_count, 1);
    gig_manifest_free(manifest);
}

static void lets_runs_inherit_and_override(void **state)
{
    (void)state;
    gig_manifest *manifest;
    assert_ok(read_text(&manifest,
                        "{\"title\": \"Table 2\", \"seed\": 7, \"keep\": \"maps\", \"portable\": true,"
                        " \"models\": {\"a\": \"/a.onnx\", \"b\": \"b.onnx\"},"
                        " \"pictures\": {\"x\": \"x.csv\", \"y\": \"y\"},"
                        " \"methods\": [\"ig\", \"gig:20\"], \"metrics\": [\"auc\"], \"limit\": 100,"
                        " \"filter\": {\"top\": 5, \"box-area\": [0.05, 0.66]}, \"options\": {\"steps\": 200},"
                        " \"runs\": [{}, {\"models\": [\"b\"], \"pictures\": [\"y\"], \"methods\": [\"smooth+ig\"],"
                        "   \"baselines\": [\"black+white\", \"random:2\"], \"metrics\": [\"sic\", \"aic/least=0.5\"],"
                        "   \"limit\": 20, \"filter\": {\"correct\": true}, \"order\": \"random\", \"of\": \"logit\","
                        "   \"precision\": \"bf16\", \"options\": {\"samples\": 5, \"rule\": \"right\"}}]}"));
    assert_string_equal(manifest->title, "Table 2");
    assert_true(manifest->seed == 7 && manifest->keep_maps && manifest->portable && manifest->run_count == 2);
    assert_string_equal(manifest->models.all[0].file, "/a.onnx");
    const gig_run *first = &manifest->runs[0], *second = &manifest->runs[1];
    assert_true(first->models.count == 2 && first->methods.count == 2 && first->limit == 100 && first->top == 5);
    assert_true(first->least_area == 0.05 && first->most_area == 0.66);
    assert_string_equal(first->option_names.all[0], "steps");
    assert_string_equal(first->option_values.all[0], "200");
    assert_true(second->models.count == 1 && second->models.all[0] == 1 && second->sets.all[0] == 1);
    assert_true(second->methods.count == 1 && second->baselines.count == 2 && second->metric_count == 2);
    assert_true(!strcmp(second->metrics[1].row->name, "aic") && gig_metric_number(&second->metrics[1], "least") == 0.5);
    assert_true(second->limit == 20 && second->top == 1 && second->most_area == 1 && second->random_order);
    assert_true(second->option_names.count == 2 && second->scalar == GIG_LOGIT && second->precision == GIG_BF16);
    assert_string_equal(gig_scalar_name(GIG_LOG_PROBABILITY), "logprob");
    assert_string_equal(gig_precision_name(GIG_SPLIT), "split");
    gig_manifest_free(manifest);
}

/* Both keys together ask for what the stricter one does, whichever comes first. */
static void takes_the_stricter_of_two_filters(void **state)
{
    (void)state;
    const char *const filters[] = {"{\"top\": 5, \"correct\": true}", "{\"correct\": true, \"top\": 5}",
                                   "{\"correct\": false, \"top\": 5}"};
    for (int i = 0; i < 3; i++) {
        gig_manifest *manifest;
        char text[512];
        snprintf(text, sizeof text, "%.*s, \"filter\": %s}", (int)strlen(small) - 1, small, filters[i]);
        assert_ok(read_text(&manifest, text));
        assert_true(manifest->runs[0].top == (i < 2 ? 1 : 5));
        gig_manifest_free(manifest);
    }
}

#define HEAD "{\"models\": {\"m\": \"m.onnx\"}, \"pictures\": {\"p\": \"p\"}"
#define BODY HEAD ", \"methods\": [\"ig\"], \"metrics\": [\"auc\"]"

static void names_the_place_of_each_mistake(void **state)
{
    (void)state;
    const struct {
        const char *text, *message;
    } cases[] = {
        {"{\"models\": ", "study.json: line 1: "},
        {"{\n\"a\": 1,\n\"a\": 2}", "study.json: line 3: duplicate object key"},
        {"[]", "study.json: expected an object"},
        {"{}", "study.json: models: the object is empty"},
        {"{\"models\": {\"m\": \"m.onnx\"}}", "pictures: the object is empty"},
        {"{\"models\": [\"m.onnx\"]}", "models: expected an object of names and files"},
        {"{\"models\": {\"m\": 3}}", "models: m: expected a file name"},
        {"{\"models\": {\"\": \"m\"}}", "models: a name is empty"},
        {BODY ", \"modles\": 1}", "modles: unknown key; did you mean \"models\"?"},
        {HEAD ", \"metrics\": [\"auc\"], \"methods\": [\"igg\"], \"runs\": [{\"limit\": 1}]}",
         "runs[0] inherits: methods: [0]: "},
        {BODY ", \"runs\": [{\"methods\": [\"igg\"]}]}", "runs[0]: methods: [0]: "},
        {BODY ", \"seed\": -1}", "seed: expected an integer of at least 0"},
        {BODY ", \"seed\": 1.5}", "seed: expected an integer"},
        {BODY ", \"keep\": \"all\"}", "keep: expected one of nothing|maps"},
        {BODY ", \"portable\": 1}", "portable: expected true or false"},
        {BODY ", \"baselines\": [\"pictures:nowhere:2\"]}", "baselines: [0]: \"pictures:nowhere:2\": "},
        {BODY ", \"baselines\": [\"pictures:.:0\"]}", "expected pictures:FOLDER:N"},
        {BODY ", \"baselines\": [\"pictures:3\"]}", "expected pictures:FOLDER:N"},
        {HEAD ", \"metrics\": [\"auc\"]}", "methods: the list is empty"},
        {HEAD ", \"methods\": [\"ig\"]}", "metrics: the list is empty"},
        {HEAD ", \"methods\": \"ig\"}", "methods: expected an array of strings"},
        {HEAD ", \"methods\": []}", "methods: expected an array of strings"},
        {HEAD ", \"methods\": [\"ig\", 3]}", "methods: [1]: expected a string"},
        {HEAD ", \"methods\": [\"ig\", \"gig\", \"ig\"]}", "methods: [2]: \"ig\" appears twice"},
        {HEAD ", \"methods\": [\"ig\"], \"metrics\": [\"auk\"]}", "metrics: [0]: unknown metric \"auk\""},
        {HEAD ", \"methods\": [\"ig\"], \"metrics\": [\"auc\", \"auc/reduction=abs-sum\"]}", "metrics: [1]: "},
        {BODY ", \"filter\": {\"tops\": 5}}", "filter: tops: unknown key"},
        {BODY ", \"filter\": {\"top\": 0}}", "filter: top: expected an integer"},
        {BODY ", \"filter\": {\"correct\": 1}}", "filter: correct: expected true or false"},
        {BODY ", \"filter\": {\"box-area\": [0.5, 0.1]}}", "filter: box-area: expected two increasing numbers"},
        {BODY ", \"filter\": {\"confidence\": 2}}", "filter: confidence: expected a number from 0 to 1"},
        {BODY ", \"filter\": {\"box-area\": [0.5]}}", "filter: box-area: expected two increasing numbers"},
        {BODY ", \"filter\": 5}", "filter: expected an object"},
        {BODY ", \"limit\": 0}", "limit: expected an integer from 1"},
        {BODY ", \"order\": \"last\"}", "order: expected one of first|random"},
        {BODY ", \"of\": \"probability\"}", "of: expected one of softmax|logit|logprob|sigmoid|value"},
        {BODY ", \"precision\": \"f16\"}", "precision: expected one of f32|mixed|split|bf16"},
        {BODY ", \"options\": {\"steps\": [1]}}", "options: steps: expected a number or a string"},
        {BODY ", \"options\": 1}", "options: expected an object"},
        {BODY ", \"runs\": {}}", "runs: expected an array of objects"},
        {BODY ", \"runs\": []}", "runs: expected an array of objects"},
        {BODY ", \"runs\": [{}, 5]}", "runs[1]: expected an object"},
        {BODY ", \"runs\": [{\"seed\": 1}]}", "runs[0]: seed: unknown key"},
        {BODY ", \"runs\": [{}, {\"models\": [\"n\"]}]}", "runs[1]: models: [0]: \"n\" is not among the manifest's"},
        {BODY ", \"runs\": [{\"pictures\": [\"p\", \"q\"]}]}", "runs[0]: pictures: [1]: \"q\" is not among"},
        {BODY ", \"limit\": -3, \"runs\": [{}]}", "study.json: limit: expected an integer"},
        {HEAD ", \"runs\": [{\"methods\": [\"ig\"]}]}", "runs[0]: metrics: the list is empty"},
        {HEAD ", \"methods\": [\"ig\", \"gigg\"], \"metrics\": [\"auc\"]}", "methods: [1]: "},
        {HEAD ", \"methods\": [\"ig/window=3\"], \"metrics\": [\"auc\"]}", "methods: [0]: "},
        {HEAD ", \"methods\": [\"ig/baseline=given\"], \"metrics\": [\"auc\"]}", "methods: [0]: "},
        {BODY ", \"baselines\": [\"black\", \"blakc\"]}", "baselines: [1]: "},
        {BODY ", \"baselines\": [\"blur:10\", \"blur:10.0\"]}", "baselines: [1]: \"blur:10.0\" is the same as"},
        {BODY ", \"baselines\": [\"given\"]}", "baselines: [0]: "},
        {HEAD ", \"methods\": [\"gig\", \"gig:0\"], \"metrics\": [\"auc\"]}",
         "methods: [1]: \"gig:0\" is the same as \"gig\""},
        {HEAD ", \"methods\": [\"ig/rule=gauss-legendre/steps=30000\"], \"metrics\": [\"auc\"]}", "methods: [0]: "},
        {BODY ", \"options\": {\"stpes\": 3}}", "options: unknown method option \"stpes\""},
        {BODY ", \"options\": {\"steps\": 0}}", "json: options: steps: expected an integer from 1"},
        {BODY ", \"options\": {\"baseline\": \"white\"}}", "options: baseline: \"baselines\" names them"},
    };
    size_t before = gig_memory_used();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gig_manifest *manifest;
        assert_status(read_text(&manifest, cases[i].text), GIG_EFORMAT);
        assert_message(cases[i].message);
        assert_message("study.json: ");
        assert_null(manifest);
        assert_true(gig_memory_used() == before);
    }
    gig_manifest *manifest;
    assert_status(gig_manifest_read(&manifest, "/nowhere/study.json"), GIG_EIO);
}

static void survives_every_prefix(void **state)
{
    (void)state;
    const char text[] = BODY ", \"filter\": {\"top\": 5}, \"options\": {\"steps\": 2e2}, \"runs\": [{\"limit\": 3}]}";
    size_t before = gig_memory_used();
    for (size_t length = 0; length < sizeof text - 1; length++) {
        gig_manifest *manifest;
        assert_status(gig_manifest_read(&manifest, temporary_file("prefix.json", text, length)), GIG_EFORMAT);
        assert_true(gig_memory_used() == before);
    }
}

static void gives_back_memory_when_it_runs_out(void **state)
{
    (void)state;
    const char text[] = BODY ", \"options\": {\"steps\": 200}, \"runs\": [{\"models\": [\"m\"]}, {\"limit\": 3}]}";
    const char *path = temporary_file("memory.json", text, sizeof text - 1);
    size_t before = gig_memory_used(), at = 0;
    for (gig_status status = GIG_ENOMEM; status != GIG_OK; at++) {
        gig_manifest *manifest;
        gig_memory_fail_at(at, 0);
        status = gig_manifest_read(&manifest, path);
        assert_true(status == GIG_OK || status == GIG_ENOMEM);
        gig_manifest_free(manifest);
        assert_true(gig_memory_used() == before);
    }
    gig_memory_fail_at(SIZE_MAX, 0);
    assert_true(at > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fills_in_what_a_small_manifest_leaves_out),
        cmocka_unit_test(skips_a_byte_order_mark),
        cmocka_unit_test(lets_runs_inherit_and_override),
        cmocka_unit_test(takes_the_stricter_of_two_filters),
        cmocka_unit_test(names_the_place_of_each_mistake),
        cmocka_unit_test(survives_every_prefix),
        cmocka_unit_test(gives_back_memory_when_it_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
