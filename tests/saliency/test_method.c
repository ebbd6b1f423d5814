/* SPDX-License-Identifier: Apache-2.0 */
/* Methods by name: one printed form, read back to the same struct; errors that name what is wrong. */
#include "internal/saliency.h"
#include "support.h"

static void is_gig_20_by_default(void **state)
{
    (void)state;
    gig_method method;
    char name[GIG_METHOD_NAME_BYTES];
    gig_method_init(&method);
    assert_string_equal(gig_method_name(name, sizeof name, &method), "gig:20");
    assert_int_equal(method.steps, 200);
    assert_int_equal(method.samples, 10);
    assert_true(gig_method_number(&method, "fraction") == 0.1 && method.noise == 0.15);
    assert_int_equal(gig_method_rule(&method), GIG_RULE_LEFT);
}

/* {as given, as printed} */
static const char *const names[][2] = {
    {"gig", "gig"},
    {"gig:0", "gig"},
    {"gig:20", "gig:20"},
    {"gradients", "gradients"},
    {"gradients-x-input", "gradients-x-input"},
    {"edge", "edge"},
    {"ig", "ig"},
    {"blur-ig", "blur-ig"},
    {"grad-cam", "grad-cam"},
    {"guided-backprop", "guided-backprop"},
    {"occlusion", "occlusion"},
    {"xrai+ig", "xrai+ig"},
    {"xrai+smooth+gig:3/xrai=fast/samples=4", "xrai+smooth+gig:3/samples=4/xrai=fast"},
    {"xrai+ig/min-pixels=50", "xrai+ig"},
    {"xrai+ig/xrai=fast/min-pixels=7", "xrai+ig/min-pixels=7/xrai=fast"},
    {"gig/max-dist=0.020", "gig/max-dist=0.02"},
    {"gig/max-dist=0", "gig/max-dist=0"},
    {"gig:20/rule=idgi", "gig:20/rule=idgi"},
    {"gig:20/rule=left", "gig:20"},
    {"gig:20/rule=default", "gig:20"},
    {"ig/rule=midpoint", "ig"},
    {"ig/rule=left", "ig/rule=left"},
    {"blur-ig/rule=right/sigma=35", "blur-ig"},
    {"blur-ig/sigma=50/steps=100", "blur-ig/sigma=50/steps=100"},
    {"ig/baseline=black", "ig"},
    {"ig/baseline=black+white", "ig/baseline=black+white"},
    {"ig/baseline=white", "ig/baseline=white"},
    {"ig/baseline=random:2", "ig/baseline=random:2"},
    {"ig/baseline=random:1", "ig/baseline=random:1"},
    {"ig/baseline=blur:2.50", "ig/baseline=blur:2.5"},
    {"ig/baseline=mean", "ig/baseline=mean"},
    {"ig/baseline=given", "ig/baseline=given"},
    {"ig/steps=200", "ig"},
    {"ig/steps=+7", "ig/steps=7"},
    {"ig/tolerance=1e-2/max-evaluations=500/close=yes", "ig/close=yes/max-evaluations=500/tolerance=0.01"},
    {"ig/close=no/tolerance=0", "ig"},
    {"gig:4/steps=10/steps-per-segment=3", "gig:4/steps-per-segment=3"},
    {"gig/fraction=.1/fraction-of=all", "gig"},
    {"gig/fraction-of=remaining/fraction=0.123456789012345678",
     "gig/fraction=0.12345678901234568/fraction-of=remaining"},
    {"smooth+gradients/smooth=mean/noise=0.15/samples=10", "smooth+gradients"},
    {"smooth+gradients/smooth=squares/noise=0", "smooth+gradients/noise=0/smooth=squares"},
    {"smooth+gig/smooth=variance", "smooth+gig/smooth=variance"},
    {"occlusion/window=15x15/stride=1", "occlusion"},
    {"occlusion/window=2x3/stride=2x1/value=-0.5/overlap=sum",
     "occlusion/overlap=sum/stride=2x1/value=-0.5/window=2x3"},
    {"occlusion/value=-0", "occlusion"},
};
enum { NAMES = sizeof names / sizeof *names };

static void prints_every_name_in_one_form(void **state)
{
    (void)state;
    for (size_t i = 0; i < NAMES; i++) {
        gig_method method;
        char name[GIG_METHOD_NAME_BYTES];
        assert_ok(gig_method_parse(&method, names[i][0], NULL));
        assert_string_equal(gig_method_name(name, sizeof name, &method), names[i][1]);
    }
}

static void reads_its_own_print_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < NAMES; i++) {
        gig_method method, again;
        char name[GIG_METHOD_NAME_BYTES], twice[GIG_METHOD_NAME_BYTES];
        assert_ok(gig_method_parse(&method, names[i][0], NULL));
        assert_ok(gig_method_parse(&again, gig_method_name(name, sizeof name, &method), NULL));
        assert_string_equal(gig_method_name(twice, sizeof twice, &again), name);
        assert_ptr_equal(method.row, again.row);
        assert_int_equal(method.steps, again.steps);
        assert_int_equal(method.steps_per_segment, again.steps_per_segment);
        assert_int_equal(gig_method_evaluations(&method), gig_method_evaluations(&again));
        assert_memory_equal(&method, &again, sizeof method);
        assert_int_equal(method.rule, again.rule);
    }
}

static void cuts_a_name_where_the_room_ends(void **state)
{
    (void)state;
    gig_method method;
    char name[6];
    gig_method_init(&method);
    assert_string_equal(gig_method_name(name, sizeof name, &method), "gig:2");
}

static void takes_options_from_flags_and_lets_the_text_win(void **state)
{
    (void)state;
    gig_method flags, method;
    char name[GIG_METHOD_NAME_BYTES];
    gig_method_init(&flags);
    assert_ok(gig_method_set(&flags, "steps", "50"));
    assert_ok(gig_method_set(&flags, "max-dist", "0.5"));
    assert_ok(gig_method_set(&flags, "baseline", "black+white"));
    assert_ok(gig_method_set(&flags, "window", "7")); /* concerns no method below: not asked, not printed */
    assert_ok(gig_method_parse(&method, "gig:3/max-dist=0.25", &flags));
    assert_string_equal(gig_method_name(name, sizeof name, &method),
                        "gig:3/baseline=black+white/max-dist=0.25/steps=50");
    assert_ok(gig_method_parse(&method, "gradients", &flags));
    assert_string_equal(gig_method_name(name, sizeof name, &method), "gradients");
    assert_ok(gig_method_set(&flags, "steps-per-segment", "5"));
    assert_ok(gig_method_parse(&method, "gig:3/steps=40", &flags));
    assert_string_equal(gig_method_name(name, sizeof name, &method),
                        "gig:3/baseline=black+white/max-dist=0.5/steps=40");
    assert_ok(gig_method_parse(&method, "gig:3", &flags));
    assert_string_equal(gig_method_name(name, sizeof name, &method),
                        "gig:3/baseline=black+white/max-dist=0.5/steps-per-segment=5");
}

/* {text, part of the message} */
static const char *const wrong[][2] = {
    {"", "unknown method \"\"; methods: gradients, "},
    {"guided", "method \"guided\": unknown method \"guided\"; methods: "},
    {"smooth+xrai+ig", "unknown method \"xrai+ig\""},
    {"gig:", "expected an integer, found \"\""},
    {"gig:-1", "expected an integer from 0"},
    {"gig:9999999999", "expected an integer from 0"},
    {"ig:3", "ig has no anchors"},
    {"ig/", "expected option=value"},
    {"ig/steps", "found \"steps\", expected option=value"},
    {"ig/colour=red", "unknown method option \"colour\""},
    {"ig/steps=0", "steps: expected an integer from 1"},
    {"ig/steps=1.5", "steps: expected an integer, found \"1.5\""},
    {"ig/steps=5/steps=6", "steps is given twice"},
    {"ig/fraction=0.5", "option fraction does not apply to ig"},
    {"gradients/steps=5", "option steps does not apply to gradients"},
    {"blur-ig/baseline=white", "option baseline does not apply to blur-ig"},
    {"ig/samples=5", "option samples is for smooth+ methods"},
    {"ig/xrai=fast", "option xrai is for xrai+ methods"},
    {"ig/min-pixels=5", "option min-pixels is for xrai+ methods"},
    {"xrai+ig/min-pixels=0", "min-pixels: expected an integer from 1"},
    {"gig20", "did you mean \"gig:20\"?"},
    {"gig200", "did you mean \"gig:200\"?"},
    {"IG:20", "did you mean \"ig\"?"},
    {"SmoothGrad:20", "did you mean \"smooth+gradients\"?"},
    {"gigg:abc", "did you mean \"gig\"?"},
    {"ig/rule=gradients", "unknown rule \"gradients\"; rules: "},
    {"GIG:20", "did you mean \"gig:20\"?"},
    {"gig:20/step=50", "unknown method option \"step\"; did you mean \"steps\"?"},
    {"gig/rule=igdi", "unknown rule \"igdi\"; did you mean \"idgi\"?"},
    {"ig/quality=3", "unknown method option \"quality\"; options: baseline, close, "},
    {"igg", "unknown method \"igg\"; did you mean \"ig\"? methods: "},
    {"SmoothGrad", "unknown method \"SmoothGrad\"; did you mean \"smooth+gradients\"?"},
    {"xrai+integrated_gradients/steps=3", "did you mean \"ig\"?"},
    {"gig/fraction=0", "fraction: found \"0\", expected a number above 0 and at most 1"},
    {"gig/fraction=1.01", "at most 1"},
    {"gig/max-dist=-0.1", "max-dist: found \"-0.1\", expected a number from 0"},
    {"gig/max-dist=nan", "expected a number, found \"nan\""},
    {"gig/rule=pair", "rule pair needs a path known in advance"},
    {"gig/rule=simpson", "unknown rule \"simpson\"; rules: left"},
    {"ig/rule=gradient", "not a rule"},
    {"ig/baseline=grey", "unknown baseline \"grey\"; expected black|white"},
    {"ig/baseline=random:", "expected an integer"},
    {"ig/baseline=random:0", "expected an integer from 1"},
    {"ig/baseline=blur:0", "expected a number above 0"},
    {"ig/close=maybe", "close: unknown value \"maybe\"; expected one of no|yes"},
    {"ig/tolerance=-1", "tolerance: found \"-1\", expected a number from 0"},
    {"smooth+ig/smooth=median", "expected one of mean|squares|variance"},
    {"smooth+ig/noise=inf", "noise: expected a number, found \"inf\""},
    {"occlusion/window=0", "window: expected an integer from 1"},
    {"occlusion/window=2x", "window: expected an integer, found \"\""},
    {"occlusion/window=2/stride=3", "stride 3 is larger than the window (2)"},
    {"gig:20/steps=10", "10 steps are too few for 21 segments"},
};

static void says_what_is_wrong_with_a_name(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        gig_method method = {.steps = 77};
        assert_status(gig_method_parse(&method, wrong[i][0], NULL), GIG_EARG);
        assert_message(wrong[i][1]);
        assert_int_equal(method.steps, 77); /* untouched */
    }
    char text[2 * GIG_METHOD_NAME_BYTES];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    gig_method method;
    assert_status(gig_method_parse(&method, text, NULL), GIG_EARG);
    assert_message("at most 511 characters");
}

static void says_what_is_wrong_with_a_flag(void **state)
{
    (void)state;
    gig_method method;
    gig_method_init(&method);
    assert_status(gig_method_set(&method, "steps", "many"), GIG_EARG);
    assert_message("steps: expected an integer, found \"many\"");
    assert_status(gig_method_set(&method, "step", "5"), GIG_EARG);
    assert_message("unknown method option \"step\"");
    assert_int_equal(method.steps, 200);
}

static void knows_what_an_input_costs(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t evaluations;
    } costs[] = {{"gradients", 1},
                 {"guided-backprop", 1},
                 {"edge", 0},
                 {"occlusion", 0},
                 {"grad-cam", 1},
                 {"ig", 200},
                 {"ig/rule=trapezoid", 201},
                 {"blur-ig/steps=30", 30},
                 {"gig", 200},
                 {"gig:20", 200},
                 {"gig:20/rule=right", 201},
                 {"gig:20/rule=trapezoid", 201},
                 {"gig:20/rule=midpoint", 400},
                 {"gig:20/steps-per-segment=10", 210},
                 {"ig/baseline=black+white", 400},
                 {"ig/baseline=random:3", 600},
                 {"blur-ig", 200},
                 {"smooth+ig/baseline=black+white/samples=5", 2000},
                 {"xrai+smooth+gradients", 10}};
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++) {
        gig_method method;
        assert_ok(gig_method_parse(&method, costs[i].name, NULL));
        assert_int_equal(gig_method_evaluations(&method), costs[i].evaluations);
    }
    gig_method most;
    assert_ok(gig_method_parse(&most, "smooth+ig/baseline=random:1000000/samples=1000000/steps=100000000", NULL));
    assert_true(gig_method_evaluations(&most) == SIZE_MAX); /* not what the product wraps to */
}

static void knows_which_maps_have_one_value_per_pixel(void **state)
{
    (void)state;
    static const char *const per_pixel[] = {"edge", "grad-cam", "occlusion", "xrai+ig", "xrai+smooth+gradients"};
    static const char *const per_feature[] = {"gradients", "ig", "blur-ig", "gig:2", "smooth+ig", "guided-backprop"};
    gig_method method;
    for (size_t i = 0; i < 5; i++) {
        assert_ok(gig_method_parse(&method, per_pixel[i], NULL));
        assert_true(gig_method_per_pixel(&method));
    }
    for (size_t i = 0; i < 6; i++) {
        assert_ok(gig_method_parse(&method, per_feature[i], NULL));
        assert_false(gig_method_per_pixel(&method));
    }
}

static void reads_and_prints_points_whatever_the_locale(void **state)
{
    (void)state;
    if (!enter_comma_locale()) skip_because("no locale with a decimal comma can be made");
    gig_method method;
    char name[GIG_METHOD_NAME_BYTES];
    gig_status status = gig_method_parse(&method, "gig/fraction=0.25", NULL);
    gig_method_name(name, sizeof name, &method);
    setlocale(LC_NUMERIC, "C");
    assert_ok(status);
    assert_string_equal(name, "gig/fraction=0.25");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_gig_20_by_default),
        cmocka_unit_test(prints_every_name_in_one_form),
        cmocka_unit_test(reads_its_own_print_back),
        cmocka_unit_test(cuts_a_name_where_the_room_ends),
        cmocka_unit_test(takes_options_from_flags_and_lets_the_text_win),
        cmocka_unit_test(says_what_is_wrong_with_a_name),
        cmocka_unit_test(says_what_is_wrong_with_a_flag),
        cmocka_unit_test(knows_what_an_input_costs),
        cmocka_unit_test(knows_which_maps_have_one_value_per_pixel),
        cmocka_unit_test(reads_and_prints_points_whatever_the_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
