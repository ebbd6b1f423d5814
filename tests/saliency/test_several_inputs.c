/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs that are explained together: the gradient of each against PyTorch's (tools/golden/scalars.py), maps that add
 * up together, rows of several arrays, pictures beside arrays, and refusals in one line. */
#include "internal/explainer.h"
#include "internal/tensor.h"
#include "support.h"

static const double tolerance = 2e-5; /* as in tests/network/test_scalars.c */
enum { X = 72, B = 5 };               /* values of x [1,2,6,6] and of b [1,5] */

static gig_tensor read_golden(const char *array)
{
    gig_tensor out;
    assert_ok(gig_npz_read(&out, source_path("tests/golden/scalars/two_inputs.npz"), array));
    return out;
}

static gig_explainer *open_both(const char *names)
{
    gig_explainer *explainer;
    const gig_explainer_options options = {.threads = 2, .explain_inputs = names};
    assert_ok(gig_explainer_open(&explainer, source_path("tests/golden/scalars/two_inputs.onnx"), &options));
    return explainer;
}

static gig_explanation part_of(const gig_explanation *all, size_t i, const char *name, size_t count)
{
    gig_explanation part;
    assert_string_equal(all->inputs[i].name, name);
    assert_ok(gig_explanation_input(&part, all, i));
    assert_int_equal(part.count, count);
    return part;
}

static void each_input_gets_pytorchs_gradient(void **state)
{
    (void)state;
    gig_tensor x = read_golden("x"), b = read_golden("b"), slope = read_golden("gradient"),
               slope_b = read_golden("gradient_b"), value = read_golden("value");
    const gig_input_value bound = {"b", &b}, bound_x = {"x", &x};
    gig_explainer *explainer = open_both("x,b");
    gig_explanation all;
    gig_input input = {.tensor = &x, .bound_count = 1, .bound = &bound};
    const gig_explain_options asked = {.class_name = "1"};
    assert_ok(gig_explainer_explain_inputs(&all, explainer, 1, &input, "gradients", &asked));
    assert_int_equal(all.input_count, 2);
    assert_int_equal(all.count, X + B);
    assert_true(fabs(all.value - (double)value.real[0]) <= tolerance);
    gig_explanation part = part_of(&all, 0, "x", X);
    assert_int_equal(part.rank, 3);
    assert_int_equal(part.dims[0], 2);
    assert_true(support_l2(part.attributions, slope.real, X) <= tolerance);
    assert_memory_equal(part.point, x.real, X * sizeof(float));
    part = part_of(&all, 1, "b", B);
    assert_int_equal(part.rank, 1);
    assert_true(support_l2(part.attributions, slope_b.real, B) <= tolerance);
    assert_memory_equal(part.point, b.real, B * sizeof(float));
    assert_int_equal(gig_explanation_input(&part, &all, 2), GIG_EARG);
    gig_explanation_clear(&all);
    gig_explainer_close(explainer);

    explainer = open_both("b,x"); /* the tensor is the first */
    input = (gig_input){.tensor = &b, .bound_count = 1, .bound = &bound_x};
    assert_ok(gig_explainer_explain_inputs(&all, explainer, 1, &input, "gradients", &asked));
    part = part_of(&all, 0, "b", B);
    assert_true(support_l2(part.attributions, slope_b.real, B) <= tolerance);
    part = part_of(&all, 1, "x", X);
    assert_true(support_l2(part.attributions, slope.real, X) <= tolerance);
    gig_explanation_clear(&all);
    gig_explainer_close(explainer);

    explainer = open_both("b"); /* one alone: x is bound */
    assert_ok(gig_explainer_explain_inputs(&all, explainer, 1, &input, "gradients", &asked));
    assert_int_equal(all.input_count, 0);
    assert_true(support_l2(all.attributions, slope_b.real, B) <= tolerance);
    gig_explanation_clear(&all);
    gig_explainer_close(explainer);
    gig_tensor *const read[] = {&x, &b, &slope, &slope_b, &value};
    for (size_t i = 0; i < 5; i++) gig_tensor_clear(read[i]);
}

/* IG by its definition: the input times the mean gradient at the middles of the steps from zeros to both inputs. */
static void ig_is_the_mean_gradient_between_both_baselines_and_inputs(void **state)
{
    (void)state;
    enum { STEPS = 16 };
    gig_tensor x = read_golden("x"), b = read_golden("b"), x_at, b_at;
    assert_ok(gig_tensor_create(&x_at, GIG_FLOAT32, x.rank, x.dims));
    assert_ok(gig_tensor_create(&b_at, GIG_FLOAT32, b.rank, b.dims));
    const gig_input_value bound = {"b", &b}, bound_at = {"b", &b_at};
    const gig_input input = {.tensor = &x, .bound_count = 1, .bound = &bound},
                    between = {.tensor = &x_at, .bound_count = 1, .bound = &bound_at};
    const gig_explain_options asked = {.class_name = "1"};
    gig_explainer *explainer = open_both("x,b");
    double wanted[X + B] = {0}, value, largest = 0;
    float *gradient = malloc((X + B) * sizeof *gradient);
    for (int k = 0; k < STEPS; k++) {
        float alpha = ((float)k + 0.5f) / STEPS;
        for (int i = 0; i < X; i++) x_at.real[i] = alpha * x.real[i];
        for (int i = 0; i < B; i++) b_at.real[i] = alpha * b.real[i];
        assert_ok(gig_explainer_evaluate(&value, &gradient, explainer, 1, &between, &asked));
        for (int i = 0; i < X + B; i++)
            wanted[i] += (double)gradient[i] * (double)(i < X ? x.real[i] : b.real[i - X]) / STEPS;
    }
    gig_explanation all;
    assert_ok(gig_explainer_explain_inputs(&all, explainer, 1, &input, "ig/steps=16/rule=midpoint", &asked));
    for (int i = 0; i < X + B; i++) largest = fmax(largest, fabs(wanted[i]));
    for (int i = 0; i < X + B; i++) assert_true(fabs((double)all.attributions[i] - wanted[i]) <= 1e-5 * largest);
    gig_explanation_clear(&all);
    free(gradient);
    gig_explainer_close(explainer);
    gig_tensor *const read[] = {&x, &b, &x_at, &b_at};
    for (size_t i = 0; i < 4; i++) gig_tensor_clear(read[i]);
}

/* Methods whose sums differ from F(input) - F(baseline) by the steps alone. */
static void maps_add_up_together(void **state)
{
    (void)state;
    static const char *const methods[] = {"ig/steps=200", "gig:4/steps=200/rule=idgi", "ig/baseline=white/steps=200",
                                          "smooth+ig/steps=50", "ig/baseline=random:3/steps=200"};
    gig_tensor x = read_golden("x"), b = read_golden("b");
    const gig_input_value bound = {"b", &b};
    const gig_input input = {.tensor = &x, .bound_count = 1, .bound = &bound};
    gig_explainer *explainer = open_both("x,b");
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        gig_explanation all;
        assert_ok(gig_explainer_explain_inputs(&all, explainer, 1, &input, methods[i], NULL));
        gig_explanation x_part = part_of(&all, 0, "x", X), b_part = part_of(&all, 1, "b", B);
        double change = all.value_input - all.value_baseline;
        assert_true(fabs(x_part.sum + b_part.sum - all.sum) <= 1e-5);
        assert_true(fabs(all.sum - change) <= 1e-3 * fmax(1, fabs(change)));
        assert_true(fabs(b_part.sum) > 0.01 * fabs(change)); /* the numbers matter, not the picture alone */
        assert_true(isnan(b_part.delta));
        gig_explanation_clear(&all);
    }
    gig_explainer_close(explainer);
    gig_tensor_clear(&x);
    gig_tensor_clear(&b);
}

/* ---- rows ---- */

enum { ROWS = 3 };

static gig_tensor stack(const gig_tensor *like)
{
    gig_tensor out;
    int64_t dims[GIG_MAX_RANK];
    size_t count = gig_tensor_count(like);
    memcpy(dims, like->dims, sizeof dims);
    dims[0] = ROWS;
    assert_ok(gig_tensor_create(&out, GIG_FLOAT32, like->rank, dims));
    for (size_t i = 0; i < ROWS * count; i++)
        out.real[i] = like->real[i % count] * (1 + 0.25f * (float)(i / count)) + 0.01f * (float)(i % 7);
    return out;
}

/* names: what is explained; else b is bound, another value for each row. */
static void rows_are_explained_as_alone(const char *names, size_t batch)
{
    gig_tensor x = read_golden("x"), b = read_golden("b"), xs = stack(&x), bs = stack(&b);
    const gig_input_value bound = {"b", &bs};
    gig_input rows[ROWS];
    gig_explanation together[ROWS], alone;
    gig_explainer *explainer;
    const gig_explainer_options options = {.threads = 2, .explain_inputs = names, .batch = batch};
    const gig_explain_options asked = {.class_name = "1"};
    assert_ok(gig_explainer_open(&explainer, source_path("tests/golden/scalars/two_inputs.onnx"), &options));
    for (size_t i = 0; i < ROWS; i++)
        rows[i] = (gig_input){.tensor = &xs, .rows = 1, .row = i, .bound_count = 1, .bound = &bound};
    assert_ok(gig_explainer_explain_inputs(together, explainer, ROWS, rows, "ig/steps=8", &asked));
    const gig_network *network;
    assert_ok(gig_explainer_network(&network, explainer, &rows[0]));
    assert_int_equal(gig_network_batch(network), batch);
    gig_explainer_close(explainer);
    explainer = open_both(names);
    for (size_t i = 0; i < ROWS; i++) {
        memcpy(x.real, xs.real + i * X, X * sizeof(float));
        memcpy(b.real, bs.real + i * B, B * sizeof(float));
        const gig_input_value own = {"b", &b};
        const gig_input input = {.tensor = &x, .bound_count = 1, .bound = &own};
        assert_ok(gig_explainer_explain_inputs(&alone, explainer, 1, &input, "ig/steps=8", &asked));
        assert_int_equal(alone.count, names ? X + B : X);
        assert_true(support_l2(together[i].attributions, alone.attributions, alone.count) <= 1e-5);
        assert_true(i == 0 || support_l2(together[i].attributions, together[0].attributions, alone.count) > 1e-2);
        gig_explanation_clear(&alone);
    }
    for (size_t i = 0; i < ROWS; i++) gig_explanation_clear(&together[i]);
    gig_explainer_close(explainer);
    gig_tensor *const read[] = {&x, &b, &xs, &bs};
    for (size_t i = 0; i < 4; i++) gig_tensor_clear(read[i]);
}

static void rows_of_both_arrays_go_together(void **state)
{
    (void)state;
    rows_are_explained_as_alone("x,b", 1);
    rows_are_explained_as_alone("x,b", 3);
}

static void rows_of_an_input_that_is_not_explained_go_with_the_points(void **state)
{
    (void)state;
    rows_are_explained_as_alone(NULL, 1);
}

/* ---- refusals ---- */

static void refuses_to_open(const char *names, const char *at, const char *message)
{
    gig_explainer *explainer;
    const gig_explainer_options options = {.explain_inputs = names, .at = at};
    assert_int_equal(gig_explainer_open(&explainer, source_path("tests/golden/scalars/two_inputs.onnx"), &options),
                     GIG_EARG);
    assert_non_null(strstr(gig_message(), message));
}

static void refuses(const char *method, const gig_input *input, const char *message)
{
    gig_explanation map;
    gig_explainer *explainer = open_both("x,b");
    assert_int_equal(gig_explainer_explain_inputs(&map, explainer, 1, input, method, NULL), GIG_EARG);
    assert_non_null(strstr(gig_message(), message));
    gig_explainer_close(explainer);
}

static void wrong_uses_are_refused_in_one_line(void **state)
{
    (void)state;
    gig_tensor x = read_golden("x"), b = read_golden("b"), xs = stack(&x), whole, two;
    assert_ok(gig_tensor_create(&whole, GIG_INT64, 2, (const int64_t[]){1, B}));
    assert_ok(gig_tensor_create(&two, GIG_FLOAT32, 2, (const int64_t[]){2, B}));
    const gig_input_value bound = {"b", &b}, wholes = {"b", &whole}, rows_of_two = {"b", &two};
    const gig_input both = {.tensor = &x, .bound_count = 1, .bound = &bound};
    refuses_to_open("x,c", NULL, "no input \"c\"; its inputs are \"x\", \"b\"");
    refuses_to_open("x,b,x", NULL, "names \"x\" twice");
    refuses_to_open("x,,b", NULL, "names separated by commas");
    refuses_to_open("", NULL, "names separated by commas");
    refuses_to_open("x,b", "conv", "give one of them");
    refuses("xrai+ig", &both, "xrai explains one picture");
    refuses("grad-cam", &both, "grad-cam explains one picture");
    refuses("occlusion", &both, "occlusion explains one picture");
    refuses("blur-ig", &both, "blur-ig explains one picture");
    refuses("edge", &both, "edge explains one picture");
    refuses("ig/baseline=blur:2", &both, "baseline blur is for one picture");
    refuses("ig/baseline=mean", &both, "baseline mean is for one picture");
    refuses("ig", &(gig_input){.tensor = &x}, "input \"b\" has no value");
    refuses("ig", &(gig_input){.tensor = &x, .bound_count = 1, .bound = &wholes}, "expected floating-point values");
    refuses("ig", &(gig_input){.tensor = &xs, .rows = 1, .bound_count = 1, .bound = &rows_of_two},
            "has 2 rows, where there are 3 points");
    gig_tensor *const read[] = {&x, &b, &xs, &whole, &two};
    for (size_t i = 0; i < 5; i++) gig_tensor_clear(read[i]);
}

/* ---- files ---- */

static void maps_are_saved_and_drawn_by_name(void **state)
{
    (void)state;
    gig_tensor x = read_golden("x"), b = read_golden("b"), saved;
    const gig_input_value bound = {"b", &b};
    const gig_input input = {.tensor = &x, .bound_count = 1, .bound = &bound};
    const char *archive = temporary_path("maps.npz"), *array = temporary_path("maps.npy"),
               *picture = temporary_path("maps.png");
    gig_explainer *explainer = open_both("x,b");
    gig_explanation all;
    assert_ok(gig_explainer_explain_inputs(&all, explainer, 1, &input, "gradients", NULL));
    assert_ok(gig_explanation_save(&all, archive, 0));
    assert_ok(gig_npz_read(&saved, archive, "b"));
    assert_int_equal(saved.rank, 1);
    assert_memory_equal(saved.real, all.attributions + X, B * sizeof(float));
    gig_tensor_clear(&saved);
    assert_ok(gig_npz_read(&saved, archive, "x"));
    assert_int_equal(saved.rank, 3);
    gig_tensor_clear(&saved);
    assert_int_equal(gig_explanation_save(&all, array, 0), GIG_EARG);
    assert_ok(gig_explanation_draw(&all, picture, NULL));
    gig_explanation_clear(&all);
    gig_explainer_close(explainer);
    gig_tensor_clear(&x);
    gig_tensor_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_input_gets_pytorchs_gradient),
        cmocka_unit_test(ig_is_the_mean_gradient_between_both_baselines_and_inputs),
        cmocka_unit_test(maps_add_up_together),
        cmocka_unit_test(rows_of_both_arrays_go_together),
        cmocka_unit_test(rows_of_an_input_that_is_not_explained_go_with_the_points),
        cmocka_unit_test(wrong_uses_are_refused_in_one_line),
        cmocka_unit_test(maps_are_saved_and_drawn_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
