/* SPDX-License-Identifier: Apache-2.0 */
/* Memory stays flat over a long study: of the parent and of its workers. long_memory makes a thousand cells. */
#include "program.h"

#ifndef PICTURES
#define PICTURES 60
#endif

enum { METHODS = 4, CELLS = METHODS * PICTURES, MOST_PROCESSES = 8, WORKERS = 2 };
static const long most_growth = 20 * 1024; /* KiB, of all processes together, after the first tenth of the cells */

/* The demo's pictures under many names. */
static const char *write_pictures(void)
{
    static const char *const names[] = {"apple-0", "bird-1", "boat-2", "butterfly-3", "cactus-4", "candle-5",
                                        "fish-6",  "key-7",  "mug-8",  "mushroom-9",  "snail-10", "umbrella-11"};
    enum { NAMES = sizeof names / sizeof *names };
    static char list[PICTURES * 64 + 64];
    int used = snprintf(list, sizeof list, "file,label,mask\n");
    for (int i = 0; i < PICTURES; i++) {
        char from[4200], to[512], name[32];
        for (int is_mask = 0; is_mask < 2; is_mask++) {
            snprintf(name, sizeof name, "%s-%d.png", is_mask ? "mask" : "picture", i);
            snprintf(to, sizeof to, "%s", temporary_path(name));
            snprintf(from, sizeof from, "%s/%s/%s.png", demo_folder(), is_mask ? "masks" : "pictures",
                     names[i % NAMES]);
            assert_int_equal(symlink(from, to), 0);
        }
        used += snprintf(list + used, sizeof list - (size_t)used, "picture-%d.png,%d,mask-%d.png\n", i, i % NAMES, i);
    }
    return temporary_file("many.csv", list, (size_t)used);
}

static const char *write_manifest(void)
{
    static char text[8192];
    write_pictures();
    int used = snprintf(text, sizeof text,
                        "{\"models\": {\"demo\": \"%s/model.onnx\"}, \"pictures\": {\"many\": \"many.csv\"},"
                        " \"methods\": [\"edge\", \"gradients\", \"ig/steps=2\", \"xrai+ig/steps=2\"],"
                        " \"metrics\": [\"auc\", \"gini\", \"completeness\"]}",
                        demo_folder());
    return temporary_file("many.json", text, (size_t)used);
}

typedef struct family {
    long kib[MOST_PROCESSES];
    int count;
} family;

/* The parent, then its workers in the order they were started. */
static family measure(pid_t parent)
{
    family f = {.kib = {resident_kib(parent)}, .count = 1};
    pid_t children[MOST_PROCESSES];
    size_t count = children_of(parent, children, MOST_PROCESSES - 1);
    for (size_t i = 0; i < count; i++) f.kib[f.count++] = resident_kib(children[i]);
    return f;
}

static void holds_memory_flat(void **state)
{
    char manifest[512], store[512];
    (void)state;
#ifdef __SANITIZE_ADDRESS__
    skip_because("ASan keeps what is freed");
#endif
    snprintf(manifest, sizeof manifest, "%s", write_manifest());
    snprintf(store, sizeof store, "%s", temporary_path("many.db"));
    pid_t process = study_start(manifest, store);
    wait_for_cells(store, CELLS / 10);
    family start = measure(process), last = start;
    assert_int_equal(start.count, 1 + WORKERS);
    while (store_ask(store, CELLS_DONE) < CELLS) {
        family now = measure(process);
        int whole = now.count == start.count;
        for (int i = 0; i < now.count; i++) whole &= now.kib[i] > 0;
        if (whole) last = now;
        siginfo_t ended = {0};
        if (waitid(P_PID, (id_t)process, &ended, WEXITED | WNOHANG | WNOWAIT) != 0 || ended.si_pid) break;
        usleep(10000);
    }
    assert_int_equal(program_end(process), 0);
    assert_true(store_ask(store, CELLS_DONE) == CELLS);
    long growth = 0;
    for (int i = 0; i < start.count; i++) {
        print_message("# %s: %ld KiB after %d cells, %ld near %d\n", i ? "worker" : "parent", start.kib[i], CELLS / 10,
                      last.kib[i], CELLS);
        growth += last.kib[i] - start.kib[i];
    }
    assert_true(growth < most_growth);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(holds_memory_flat)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
