/* SPDX-License-Identifier: Apache-2.0 */
/* The committed corpora of the fuzz targets, replayed by the ordinary compiler; a broken promise aborts. */
#include "replay.h"

#define LLVMFuzzerTestOneInput fuzz_image
#include "../../fuzz/fuzz_image.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_model
#include "../../fuzz/fuzz_model.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_network
#include "../../fuzz/fuzz_network.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_external
#include "../../fuzz/fuzz_external.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_store
#define check                  check_store
#include "../../fuzz/fuzz_store.c"
#undef check
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_text
#include "../../fuzz/fuzz_text.c"
#undef LLVMFuzzerTestOneInput

static void decodes_the_corpus_of_pictures(void **state)
{
    (void)state;
    replay("fuzz/corpus/image", fuzz_image, 100);
}

static void loads_the_corpus_of_models(void **state)
{
    (void)state;
    replay("fuzz/corpus/model", fuzz_model, 100);
}

static void runs_the_corpus_of_networks(void **state)
{
    (void)state;
    replay("fuzz/corpus/network", fuzz_network, 100);
}

static void reads_the_corpora_of_texts_stores_and_external_data(void **state)
{
    (void)state;
    replay("fuzz/corpus/text", fuzz_text, 60);
    replay("fuzz/corpus/store", fuzz_store, 5);
    replay("fuzz/corpus/external", fuzz_external, 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decodes_the_corpus_of_pictures),
        cmocka_unit_test(loads_the_corpus_of_models),
        cmocka_unit_test(runs_the_corpus_of_networks),
        cmocka_unit_test(reads_the_corpora_of_texts_stores_and_external_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
