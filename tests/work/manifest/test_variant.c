/* SPDX-License-Identifier: Apache-2.0 */
/* What a method with its baseline is made of, and whether infidelity can divide its map by a difference. */
#include "support.h"

#include "base/memory.h"
#include "work/manifest/variant.h"

static gig_variant variant_of(const char *method, const char *baseline)
{
    gig_variant variant;
    assert_ok(gig_variant_parse(&variant, method, baseline));
    return variant;
}

/* A mean over samples is the mean of the baselines' maps; squares and variances of means are not. */
static void is_made_of_its_baselines_where_means_are_taken(void **state)
{
    (void)state;
    static const struct {
        const char *method, *baseline;
        size_t sources;
    } cases[] = {{"ig", "black", 0},
                 {"ig", "black+white", 2},
                 {"smooth+ig", "random:3", 3},
                 {"ig/rule=random", "black+white", 0}, /* each baseline has nodes of its own */
                 {"smooth+ig/smooth=squares", "black+white", 0},
                 {"smooth+ig/smooth=variance", "black+white", 0},
                 {"xrai+smooth+ig/smooth=squares", "black+white", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gig_variant variant = variant_of(cases[i].method, cases[i].baseline);
        assert_int_equal(gig_variant_sources(&variant), cases[i].sources);
    }
}

static void has_slopes_where_one_baseline_is_left(void **state)
{
    (void)state;
    const char *const with[][2] = {
        {"ig", "black"}, {"gig:20", "random#1"}, {"gradients", "none"}, {"smooth+ig", "white"}};
    const char *const without[][2] = {
        {"ig", "black+white"}, {"blur-ig", "none"}, {"smooth+ig/smooth=squares", "black"}, {"ig", "random:2"}};
    for (size_t i = 0; i < 4; i++) {
        gig_variant yes = variant_of(with[i][0], with[i][1]), no = variant_of(without[i][0], without[i][1]);
        assert_null(gig_variant_no_slopes(&yes));
        assert_non_null(gig_variant_no_slopes(&no));
    }
}

/* Rules, closing and the number of draws ask for the same gradients; another path, baseline or noise does not. */
static void knows_who_shares_a_path(void **state)
{
    (void)state;
    const char *const same[][2] = {{"gig:20", "gig:20/rule=idgi"},
                                   {"gig:20", "gig:20/close=yes/tolerance=0.01"},
                                   {"gig:20/repeat=2", "gig:20/repeat=5"},
                                   {"gig/repeat=5/rule=idgi", "gig"},
                                   {"blur-ig/repeat=2", "blur-ig/rule=idgi"}};
    const char *const other[][2] = {{"gig:20", "gig:10"},      {"gig:20", "gig:20/steps=42"}, {"smooth+gig", "gig"},
                                    {"ig", "ig/rule=idgi"},    /* nodes in the middle of steps, and at their ends */
                                    {"gig:20", "xrai+gig:20"}, /* which is made of the map of the first */
                                    {"edge", "gradients"}};
    for (size_t i = 0; i < 5; i++) {
        const char *black = i < 4 ? "black" : "none";
        gig_variant a = variant_of(same[i][0], black), b = variant_of(same[i][1], black);
        assert_true(gig_variant_same_path(&a, &b) && gig_variant_same_path(&b, &a));
        assert_true(gig_variant_path(&a) == gig_variant_path(&b));
    }
    for (size_t i = 0; i < 6; i++) {
        const char *black = i < 5 ? "black" : "none";
        gig_variant a = variant_of(other[i][0], black), b = variant_of(other[i][1], black);
        assert_false(gig_variant_same_path(&a, &b) || gig_variant_same_path(&b, &a));
        assert_true((gig_variant_path(&a) == gig_variant_path(&b)) == (i == 4)); /* regions: further draws may be */
    }
    gig_variant black = variant_of("gig:20", "black"), white = variant_of("gig:20/rule=idgi", "white");
    assert_false(gig_variant_same_path(&black, &white));
}

static void has_draws_where_nothing_else_is_drawn(void **state)
{
    (void)state;
    const char *const without[] = {"gig:20/repeat=2", "ig/rule=random"}, *const with[] = {"gig:20", "smooth+gig:20",
                                                                                          "edge"};
    for (size_t i = 0; i < 2; i++) {
        gig_variant variant = variant_of(without[i], "black");
        assert_non_null(gig_variant_no_draws(&variant));
    }
    for (size_t i = 0; i < 3; i++) {
        gig_variant variant = variant_of(with[i], i < 2 ? "black" : "none");
        assert_null(gig_variant_no_draws(&variant));
    }
}

static void makes_the_one_baseline(void **state)
{
    (void)state;
    const float picture[12] = {0.5f};
    const gig_picture_shape shape = {.height = 2, .width = 2, .channels = 3};
    float *made;
    gig_variant white = variant_of("ig", "white"), both = variant_of("ig", "black+white");
    assert_ok(gig_variant_make_baseline(&made, &white, picture, &shape, 0));
    for (int i = 0; i < 12; i++) assert_true(made[i] == 1);
    gig_free(made);
    assert_ok(gig_variant_make_baseline(&made, &both, picture, &shape, 0));
    assert_null(made);
}

/* A name as explain prints it: from as many given baselines as the study's pictures are, or not at all. */
static void refuses_another_number_of_given_baselines(void **state)
{
    (void)state;
    gig_variant variant;
    gig_method defaults;
    gig_method_init(&defaults);
    assert_ok(gig_variant_make(&variant, "ig/baseline=given:3", &defaults, "pictures:3#0123456789ab"));
    assert_status(gig_variant_make(&variant, "ig/baseline=given:5", &defaults, "pictures:3#0123456789ab"), GIG_EARG);
    assert_status(gig_variant_make(&variant, "ig/baseline=given", &defaults, "black"), GIG_EARG);
    assert_message("has no meaning in a study");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_made_of_its_baselines_where_means_are_taken),
        cmocka_unit_test(has_slopes_where_one_baseline_is_left),
        cmocka_unit_test(knows_who_shares_a_path),
        cmocka_unit_test(has_draws_where_nothing_else_is_drawn),
        cmocka_unit_test(makes_the_one_baseline),
        cmocka_unit_test(refuses_another_number_of_given_baselines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
