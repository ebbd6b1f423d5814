/* SPDX-License-Identifier: Apache-2.0 */
/* The k-th open, write, fsync, rename and close fails, for every k until none fires: over explain, study run and study
 * export. The program then says in one line what it could not do and leaves files whole or not at all; or the call did
 * not matter, and everything is as without it. A study goes on to the scores of an unbroken run. Then the same
 * with a disk that stays broken: all calls of a kind fail from the k-th on. STRIDE is the step of k; long_faults tries
 * every k. */
#include "fault/run_with_faults.h"

#ifndef STRIDE
#define STRIDE 23
#endif

enum { BROKEN_FILE = 2, IO = 5 };

static const char *said_in_one_line(void)
{
    static char line[1024];
    char *error = read_whole(error_path, NULL), *end = strchr(error, '\n');
    snprintf(line, sizeof line, "%.*s", end ? (int)(end - error) : 1000, error);
    int fine = !strncmp(error, "gig: ", 5) && end && !end[1];
    free(error);
    return fine ? line : NULL;
}

static void fail_in(const char *what, int kind, unsigned at, const char *why)
{
    char *said = read_whole(said_path, NULL), *error = read_whole(error_path, NULL);
    print_error("%s, %s number %u fails: %s\nsaid: %s\nerror: %s\n", what, fault_names[kind], at, why, said, error);
    fail();
}

/* ---- files ---- */

/* Files of out/ are those of wanted/, byte for byte but for the seconds a page names, or not there; complete: all are
 * there. */
static const char *judge_files(int complete)
{
    DIR *list = opendir(in_place("out"));
    assert_non_null(list);
    const char *wrong = NULL;
    size_t count = 0, all = 0;
    for (const struct dirent *entry; (entry = readdir(list));) {
        static char text[300];
        char command[2000];
        if (entry->d_name[0] == '.') continue;
        count++;
        snprintf(command, sizeof command,
                 "cd '%s' && plain() { sed 's/\"seconds\":[-0-9.e]*//' <\"$1/%s\" | md5sum; } && "
                 "test \"$(plain out)\" = \"$(plain wanted)\"",
                 place, entry->d_name);
        if (system(command) == 0) continue;
        snprintf(text, sizeof text, "%.200s is left and is not what it should be", entry->d_name);
        wrong = text;
    }
    closedir(list);
    list = opendir(in_place("wanted"));
    assert_non_null(list);
    for (const struct dirent *entry; (entry = readdir(list));) all += entry->d_name[0] != '.';
    closedir(list);
    return !wrong && complete && count != all ? "it ends with 0, and files are missing" : wrong;
}

/* The command writes into out/; `before` makes what it needs there. */
static void try_files(const char *what, const char *const *arguments, const char *before)
{
    unsigned fired = 0, harmless = 0;
    shell("rm -rf out wanted && mkdir out");
    shell(before);
    assert_int_equal(run_with_fault(arguments, 0, 0, 0, NULL), 0);
    shell("mv out wanted");
    for (int kind = 0; kind < FAULT_KINDS; kind++)
        for (unsigned at = 1;; at++) {
            shell("rm -rf out && mkdir out");
            shell(before);
            int code = run_with_fault(arguments, kind, at, 0, NULL);
            if (!atomic_load(&counts->fired)) break;
            fired++;
            harmless += code == 0;
            const char *wrong = judge_files(code == 0);
            if (wrong) fail_in(what, kind, at, wrong);
            if (code != 0 && code != IO) fail_in(what, kind, at, "its exit code is another");
            if (code != 0 && !said_in_one_line()) fail_in(what, kind, at, "it does not say so in one line");
        }
    fprintf(stderr, "# %s: %u calls failed, %u of them harmless\n", what, fired, harmless);
    assert_true(fired > harmless && fired >= 8);
}

static void explain_writes_whole_files_or_none(void **state)
{
    (void)state;
    need_preload();
    const char *model = in_place("in/model.onnx"), *picture = in_place("in/pictures/apple-0.png");
    try_files("explain to PNG, npy and npz",
              (const char *const[]){program_path(), "explain", model, picture, "-m", "ig", "--steps", "2", "-o",
                                    in_place("out/map.png"), "--npy", in_place("out/map.npy"), "--npz",
                                    in_place("out/map.npz"), NULL},
              "true");
    model = in_place("in/model.onnx");
    picture = in_place("in/pictures/apple-0.png");
    try_files("explain to HTML",
              (const char *const[]){program_path(), "explain", model, picture, "-m", "ig", "--steps", "2", "-o",
                                    in_place("out/map.html"), NULL},
              "true");
}

/* Standard output that is full: JSON may be cut there, and the program says so. */
static void says_that_standard_output_is_full(void **state)
{
    (void)state;
    char command[8192];
    static const char *const verbs[] = {"explain model.onnx pictures/apple-0.png -m ig --steps 2 --json",
                                        "model model.onnx --json", "explain --help"};
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        snprintf(command, sizeof command, "cd '%s' && '%s' %s >/dev/full 2>'%s'", demo_folder(), program_path(),
                 verbs[i], error_path);
        int ended = system(command);
        if (!WIFEXITED(ended) || WEXITSTATUS(ended) != IO || !said_in_one_line())
            fail_msg("%s >/dev/full: ended with 0x%x", verbs[i], (unsigned)ended);
    }
}

/* ---- studies ---- */

static const char keys[] = "{\"models\": {\"demo\": \"model.onnx\"}, \"pictures\": {\"scenes\": \"pictures.csv\"},"
                           " \"methods\": [\"edge\", \"ig\", \"xrai+ig\"], \"options\": {\"steps\": 2},"
                           " \"metrics\": [\"auc\", \"gini\"]";

static void write_manifest(const char *more)
{
    FILE *out = fopen(in_place("in/study.json"), "w");
    assert_non_null(out);
    fprintf(out, "%s%s}", keys, more);
    assert_int_equal(fclose(out), 0);
}

/* What a failing call has left is a store with right scores, or none; the study goes on to all of them. */
static void judge_study(const char *const *arguments, const scores *whole, int kind, unsigned at, int code)
{
    char store[600];
    snprintf(store, sizeof store, "%s", in_place("out/study.db"));
    int broken = kind == FAULT_OPEN && code == BROKEN_FILE; /* a description that names labels nobody can read */
    if (code != 0 && code != IO && !broken) fail_in("study run", kind, at, "its exit code is another");
    if (code != 0 && !said_in_one_line()) fail_in("study run", kind, at, "it does not say so in one line");
    char *said = read_whole(said_path, NULL);
    int says_failed =
        strstr(said, " failed, ") && !strstr(said, " 0 failed, "); /* a cell whose picture cannot be read */
    free(said);
    scores before = {0};
    if (store_ask(store, ALL_CELLS) >= 0) before = scores_export(store);
    assert_scores_in(before, *whole);
    if (code == 0 && !says_failed && before.count != whole->count)
        fail_in("study run", kind, at, "it ends with 0, and scores are missing");
    if (run_with_fault(arguments, 0, 0, 0, NULL) != 0) fail_in("study run", kind, at, "it does not go on");
    scores after = scores_export(store);
    if (after.count != whole->count) fail_in("study run", kind, at, "scores are missing after going on");
    assert_scores_in(after, *whole);
    if (system("find \"$GIG_FAULT_FOLDER/out\" -name '*.tmp-*' | grep -q .") == 0)
        fail_in("study run", kind, at, "an unfinished file is left");
    scores_clear(&after);
    scores_clear(&before);
}

static void try_study(const char *more, int forever)
{
    unsigned fired = 0, harmless = 0;
    write_manifest(more);
    const char *const arguments[] = {
        program_path(), "study", "run", in_place("in/study.json"), "--store", in_place("out/study.db"),
        "-j",           "1",     NULL};
    shell("rm -rf out && mkdir out");
    assert_int_equal(run_with_fault(arguments, 0, 0, 0, NULL), 0);
    scores whole = scores_export(in_place("out/study.db"));
    assert_int_equal(whole.count, 12);
    for (int kind = 0; kind < FAULT_KINDS; kind++)
        for (unsigned at = 1;; at += STRIDE) {
            shell("rm -rf out && mkdir out");
            int code = run_with_fault(arguments, kind, at, forever, NULL);
            if (!atomic_load(&counts->fired)) break;
            fired++;
            harmless += code == 0;
            judge_study(arguments, &whole, kind, at, code);
        }
    fprintf(stderr, "# study run%s%s: %u calls failed, %u of them harmless\n", *more ? " that keeps maps" : "",
            forever ? ", all from k on" : "", fired, harmless);
    assert_true(fired > harmless);
    scores_clear(&whole);
}

static void a_study_loses_nothing(void **state)
{
    (void)state;
    need_preload();
    try_study("", 0);
}

static void a_study_that_keeps_maps_loses_nothing(void **state)
{
    (void)state;
    need_preload();
    try_study(", \"keep\": \"maps\"", 0);
}

static void a_study_whose_disk_stays_broken_loses_nothing(void **state)
{
    (void)state;
    need_preload();
    try_study("", 1);
}

static void export_writes_a_whole_file_or_none(void **state)
{
    (void)state;
    need_preload();
    write_manifest("");
    shell("rm -rf out && mkdir out");
    const char *const run[] = {
        program_path(), "study", "run", in_place("in/study.json"), "--store", in_place("out/study.db"),
        "-j",           "1",     NULL};
    assert_int_equal(run_with_fault(run, 0, 0, 0, NULL), 0);
    shell("rm -rf kept && mkdir kept && cp out/study.db kept/study.db");
    try_files("study export",
              (const char *const[]){program_path(), "study", "export", in_place("kept/study.db"), "-o",
                                    in_place("out/scores.csv"), NULL},
              "true");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(explain_writes_whole_files_or_none),
        cmocka_unit_test(says_that_standard_output_is_full),
        cmocka_unit_test(a_study_loses_nothing),
        cmocka_unit_test(a_study_that_keeps_maps_loses_nothing),
        cmocka_unit_test(a_study_whose_disk_stays_broken_loses_nothing),
        cmocka_unit_test(export_writes_a_whole_file_or_none),
    };
    return cmocka_run_group_tests(tests, make_place, NULL);
}
