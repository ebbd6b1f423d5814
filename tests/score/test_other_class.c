/* SPDX-License-Identifier: Apache-2.0 */
/* other-class: which class is explained, and what the two maps have to be like. */
#include "gig/metric.h"
#include "support.h"
#include <math.h>

enum { HEIGHT = 8, WIDTH = 9, PIXELS = HEIGHT * WIDTH, CLASSES = 5 };

static const uint8_t pixels[PIXELS * 3];

typedef struct other {
    const float *map;
    size_t calls, target;
} other;

static gig_status explain_class(void *payload, float *attribution, size_t target)
{
    other *self = payload;
    self->calls++;
    self->target = target;
    memcpy(attribution, self->map, PIXELS * sizeof *attribution);
    return GIG_OK;
}

static gig_status explain(void *payload, float *attribution, const float *input)
{
    (void)payload, (void)attribution, (void)input;
    return GIG_OK;
}

static gig_metric_result score(const char *name, const float *map, other *of, size_t target, size_t classes,
                               uint64_t seed)
{
    gig_metric metric;
    gig_metric_result result;
    const gig_scored scored = {.height = HEIGHT,
                               .width = WIDTH,
                               .attribution = map,
                               .channels = 1,
                               .pixels = pixels,
                               .target = target,
                               .explain = explain,
                               .explain_class = explain_class,
                               .explain_payload = of,
                               .classes = classes,
                               .seed = seed};
    assert_ok(gig_metric_parse(&metric, name));
    assert_ok(gig_metrics_score(&result, &metric, 1, &scored));
    return result;
}

static void make_map(float *map, size_t step)
{
    for (size_t i = 0; i < PIXELS; i++) map[i] = (float)(i * step % 31);
}

/* Smaller than the window: no score, and no failure that would lose a study's other scores. */
static void says_that_a_map_is_too_small(void **state)
{
    (void)state;
    float map[PIXELS];
    gig_metric metric;
    gig_metric_result result;
    other of = {.map = map};
    make_map(map, 7);
    const gig_scored scored = {.height = 5,
                               .width = 4,
                               .attribution = map,
                               .channels = 1,
                               .pixels = pixels,
                               .explain = explain,
                               .explain_class = explain_class,
                               .explain_payload = &of,
                               .classes = CLASSES};
    assert_ok(gig_metric_parse(&metric, "other-class"));
    assert_ok(gig_metrics_score(&result, &metric, 1, &scored));
    assert_true(isnan(result.value));
    assert_non_null(strstr(result.note, "by=rank"));
    assert_int_equal(of.calls, 0);
}

static void explains_every_other_class_and_never_its_own(void **state)
{
    (void)state;
    float map[PIXELS];
    make_map(map, 7);
    for (size_t target = 0; target < CLASSES; target++) {
        unsigned seen = 0;
        for (uint64_t seed = 0; seed < 100; seed++) {
            other of = {.map = map};
            score("other-class", map, &of, target, CLASSES, seed);
            assert_int_equal(of.calls, 1);
            assert_in_range(of.target, 0, CLASSES - 1);
            seen |= 1u << of.target;
        }
        assert_int_equal(seen, ((1u << CLASSES) - 1) & ~(1u << target));
    }
}

static void equal_maps_score_one_and_others_less(void **state)
{
    (void)state;
    static const char *const names[] = {"other-class", "other-class/by=rank"};
    float map[PIXELS], another[PIXELS];
    make_map(map, 7);
    make_map(another, 12);
    for (size_t k = 0; k < 2; k++) {
        other same = {.map = map}, different = {.map = another};
        assert_float_equal(score(names[k], map, &same, 0, CLASSES, 1).value, 1, 1e-12);
        assert_true(score(names[k], map, &different, 0, CLASSES, 1).value < 0.9);
    }
}

static void maps_without_structure_have_no_score(void **state)
{
    (void)state;
    static const char *const names[] = {"other-class", "other-class/by=rank"};
    const float zero[PIXELS] = {0};
    float flat[PIXELS], map[PIXELS], last[PIXELS] = {0};
    last[PIXELS - 1] = 1;
    for (size_t i = 0; i < PIXELS; i++) flat[i] = 2;
    make_map(map, 7);
    for (size_t k = 0; k < 2; k++) {
        other of = {.map = flat};
        gig_metric_result result = score(names[k], zero, &of, 0, CLASSES, 1);
        assert_true(isnan(result.value));
        assert_string_equal(result.note, "a map is the same everywhere");
        /* One of them alone leaves something to compare, but no ranks. */
        assert_int_equal(isnan(score(names[k], map, &of, 0, CLASSES, 1).value), k);
        assert_int_equal(isnan(score(names[k], last, &of, 0, CLASSES, 1).value), k);
        other structured = {.map = map};
        assert_int_equal(isnan(score(names[k], zero, &structured, 0, CLASSES, 1).value), k);
    }
}

static void notes_that_there_is_no_other_class(void **state)
{
    (void)state;
    float map[PIXELS];
    make_map(map, 7);
    other of = {.map = map};
    gig_metric_result result = score("other-class", map, &of, 0, 1, 1);
    assert_true(isnan(result.value));
    assert_string_equal(result.note, "the model has no other class");
    assert_int_equal(of.calls, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_that_a_map_is_too_small),
        cmocka_unit_test(explains_every_other_class_and_never_its_own),
        cmocka_unit_test(equal_maps_score_one_and_others_less),
        cmocka_unit_test(maps_without_structure_have_no_score),
        cmocka_unit_test(notes_that_there_is_no_other_class),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
