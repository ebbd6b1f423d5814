/* SPDX-License-Identifier: Apache-2.0 */
/* Which pictures a run takes, and for which class they are explained. */
#include "cells.h"

enum { PICTURES = 12, LABEL = 4 };
static const char *const names[PICTURES] = {"apple-0", "bird-1", "boat-2", "butterfly-3", "cactus-4", "candle-5",
                                            "fish-6",  "key-7",  "mug-8",  "mushroom-9",  "snail-10", "umbrella-11"};

/* All of the demo's pictures, all said to be of one class; without = 1: of none. */
static const char *list(int without)
{
    static char lines[PICTURES * 9000];
    lines[0] = 0;
    for (int i = 0; i < PICTURES; i++) {
        size_t used = strlen(lines);
        if (without)
            snprintf(lines + used, sizeof lines - used, "%s/pictures/%s.png,,\n", root, names[i]);
        else
            snprintf(lines + used, sizeof lines - used, "%s", line_of(names[i], LABEL));
    }
    return lines;
}

static size_t count_with(const char *filter)
{
    char rest[512];
    snprintf(rest, sizeof rest, "\"methods\": [\"edge\"], \"metrics\": [\"gini\"], \"filter\": {%s}", filter);
    return run("filter", list(0), rest).done;
}

static void read_rankings(gig_ranking out[PICTURES], const char *name)
{
    char file[64];
    gig_store *store;
    snprintf(file, sizeof file, "%s.db", name);
    assert_ok(gig_store_open(&store, temporary_path(file), GIG_STORE_READ));
    for (int i = 0; i < PICTURES; i++) {
        int known;
        assert_ok(gig_store_get_ranking(&out[i], &known, store, 1, i + 1));
        assert_true(known);
    }
    gig_store_close(store);
}

static void takes_the_pictures_that_pass(void **state)
{
    (void)state;
    gig_ranking of[PICTURES];
    char filter[256];
    assert_true(count_with("\"top\": 12") == PICTURES);
    read_rankings(of, "filter");
    for (int top = 1; top < PICTURES; top++) {
        size_t wanted = 0;
        for (int i = 0; i < PICTURES; i++) wanted += of[i].label_rank < top;
        snprintf(filter, sizeof filter, "\"top\": %d", top);
        assert_true(count_with(filter) == wanted);
        assert_true(scores_of("filter").count == wanted); /* others are in the store, and not of this manifest */
        if (top > 1) continue;
        assert_true(wanted > 0 && wanted < PICTURES && count_with("\"correct\": true") == wanted);
    }
    for (int k = 0; k < PICTURES; k += 4) {
        size_t surer = 0, smaller = 0;
        for (int i = 0; i < PICTURES; i++) surer += of[i].label_probability >= of[k].label_probability;
        for (int i = 0; i < PICTURES; i++) smaller += of[i].box_area <= of[k].box_area;
        snprintf(filter, sizeof filter, "\"confidence\": %.17g", of[k].label_probability);
        assert_true(count_with(filter) == surer);
        snprintf(filter, sizeof filter, "\"box-area\": [0, %.17g]", of[k].box_area);
        assert_true(count_with(filter) == smaller);
        snprintf(filter, sizeof filter, "\"box-area\": [%.17g, %.17g]", of[k].box_area, of[k].box_area);
        assert_true(count_with(filter) >= 1 && count_with(filter) < PICTURES);
    }
}

/* Also where the model has said something else of the picture. */
static void explains_the_label(void **state)
{
    (void)state;
    const char rest[] = "\"methods\": [\"edge\"], \"metrics\": [\"gini\"], \"filter\": {\"top\": 12}";
    assert_true(run("label", list(0), rest).done == PICTURES);
    found f = scores_of("label");
    for (size_t i = 0; i < f.count; i++) assert_true(f.targets[i] == LABEL);
}

static void explains_the_best_class_without_a_label(void **state)
{
    (void)state;
    gig_ranking of[PICTURES];
    assert_true(run("best", list(1), "\"methods\": [\"edge\"], \"metrics\": [\"gini\"]").done == PICTURES);
    read_rankings(of, "best");
    found f = scores_of("best");
    int64_t different = 0;
    for (size_t i = 0; i < f.count; i++) {
        assert_true(f.targets[i] == of[i].best);
        different |= of[i].best ^ of[0].best;
    }
    assert_true(different != 0);
}

static void draws_pictures_by_the_seed(void **state)
{
    (void)state;
    const int seeds[] = {1, 1, 2, 3};
    char chosen[4][256], name[32], rest[256];
    for (int s = 0; s < 4; s++) {
        snprintf(name, sizeof name, "drawn-%d", s);
        snprintf(rest, sizeof rest,
                 "\"methods\": [\"edge\"], \"metrics\": [\"gini\"], \"limit\": 3, \"order\": \"random\", \"seed\": %d",
                 seeds[s]);
        assert_true(run(name, list(0), rest).done == 3);
        found f = scores_of(name);
        snprintf(chosen[s], sizeof chosen[s], "%s %s %s", f.pictures[0], f.pictures[1], f.pictures[2]);
    }
    assert_string_equal(chosen[0], chosen[1]);
    assert_true(strcmp(chosen[0], chosen[2]) != 0 || strcmp(chosen[0], chosen[3]) != 0);
}

int main(int count, char **arguments)
{
    if (count > 1 && !strcmp(arguments[1], "worker")) return gig_study_run_worker() == GIG_OK ? 0 : 3;
    if (!realpath(source_path("demo"), root)) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_the_pictures_that_pass),
        cmocka_unit_test(explains_the_label),
        cmocka_unit_test(explains_the_best_class_without_a_label),
        cmocka_unit_test(draws_pictures_by_the_seed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
