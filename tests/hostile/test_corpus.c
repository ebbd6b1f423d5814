/* SPDX-License-Identifier: Apache-2.0 */
/* The committed corpora of the fuzz targets, replayed by the ordinary compiler; a broken promise aborts. */
#include "support.h"
#include <dirent.h>

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

enum { MAX_BYTES = 1 << 16 };

static void replay(const char *folder, int (*target)(const uint8_t *, size_t), size_t least)
{
    char path[1200];
    static uint8_t bytes[MAX_BYTES];
    size_t count = 0;
    struct dirent *entry;
    DIR *listing = opendir(source_path(folder));
    assert_non_null(listing);
    while ((entry = readdir(listing))) {
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", source_path(folder), entry->d_name);
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        size_t size = fread(bytes, 1, sizeof bytes, file);
        fclose(file);
        uint8_t *exact = malloc(size ? size : 1); /* so that a read past the end is seen */
        assert_non_null(exact);
        memcpy(exact, bytes, size);
        target(exact, size);
        free(exact);
        count++;
    }
    closedir(listing);
    print_message("%s: %zu inputs\n", folder, count);
    assert_true(count >= least);
}

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
