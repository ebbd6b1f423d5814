/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions and poolings: closed forms, what auto_pad and ceil_mode mean, and every refusal. Their gradients and
 * PyTorch's values are in test_operators_golden.c. */
#include "network/window.h"
#include "operator_text.h"

static void begin(harness *h, const char *op, int opset, const char *attributes)
{
    harness_begin(h, op, opset);
    harness_attributes(h, attributes);
}

/* ---- windows ---- */

typedef struct window_case {
    const char *op, *attributes;
    int64_t in, kernel; /* of one spatial axis; kernel 0: in the attributes (pooling) */
    int64_t out, pad_begin, pad_end;
} window_case;

static void windows_follow_the_formulas(void **state)
{
    (void)state;
    static const window_case cases[] = {
        {"Conv", "", 7, 3, 5, 0, 0},
        {"Conv", "strides:2", 7, 3, 3, 0, 0},
        {"Conv", "strides:2;pads:1,0", 8, 3, 4, 1, 0},
        {"Conv", "dilations:3", 7, 3, 1, 0, 0},
        {"Conv", "auto_pad=VALID;strides:2;pads:5,5", 8, 3, 3, 0, 0},
        {"Conv", "auto_pad=SAME_UPPER;strides:2", 8, 3, 4, 0, 1},
        {"Conv", "auto_pad=SAME_LOWER;strides:2", 8, 3, 4, 1, 0},
        {"Conv", "auto_pad=SAME_UPPER;strides:3", 7, 1, 3, 0, 0},
        {"Conv", "auto_pad=SAME_UPPER;dilations:2", 5, 4, 5, 3, 3},
        {"Conv", "auto_pad=NOTSET;kernel_shape:4;pads:2,1", 5, 4, 5, 2, 1},
        {"ConvTranspose", "", 4, 3, 6, 0, 0},
        {"ConvTranspose", "strides:2;pads:1,1;output_padding:1", 4, 3, 8, 1, 0},
        {"ConvTranspose", "strides:2;dilations:2", 3, 3, 9, 0, 0},
        {"ConvTranspose", "auto_pad=SAME_UPPER;strides:2", 3, 3, 6, 0, 1},
        {"ConvTranspose", "auto_pad=SAME_LOWER;strides:2", 3, 3, 6, 1, 0},
        {"ConvTranspose", "auto_pad=SAME_UPPER;strides:3", 2, 1, 6, 0, -2},
        {"ConvTranspose", "strides:2;output_shape:6", 3, 3, 6, 1, 0},
        {"ConvTranspose", "strides:2;output_shape:1,1,8", 3, 3, 8, 0, -1},
        {"MaxPool", "kernel_shape:3;strides:2", 6, 0, 2, 0, 0},
        {"MaxPool", "kernel_shape:3;strides:2;ceil_mode=1", 6, 0, 3, 0, 0},
        {"MaxPool", "kernel_shape:1;strides:3;ceil_mode=1", 5, 0, 2, 0, 0}, /* a third would see nothing */
        {"MaxPool", "kernel_shape:2;auto_pad=SAME_LOWER;ceil_mode=1", 5, 0, 5, 1, 0},
        {"AveragePool", "kernel_shape:2;strides:2;auto_pad=VALID;ceil_mode=1", 5, 0, 2, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const window_case *c = &cases[i];
        harness h;
        begin(&h, c->op, 11, c->attributes);
        harness_real_input(&h, 3, DIMS(1, 1, c->in), NULL);
        if (c->kernel) harness_real_input(&h, 3, DIMS(1, 1, c->kernel), NULL);
        assert_int_equal(harness_infer(&h, 1), GIG_OK);
        const gig_window *w = h.op.params;
        if (w->out[0] != c->out || w->pad_begin[0] != c->pad_begin || w->pad_end[0] != c->pad_end)
            fail_msg("%s %s: %lld cells, pads %lld %lld", c->op, c->attributes, (long long)w->out[0],
                     (long long)w->pad_begin[0], (long long)w->pad_end[0]);
        h.out[0].data = NULL;
        harness_end(&h);
    }
}

static void an_aligned_window_has_its_axes_last(void **state)
{
    (void)state;
    gig_window w = {.spatial = 2, .in = {5, 7, 1}, .kernel = {2, 3, 1}, .stride = {1, 2, 1}, .dilation = {1, 1, 1}};
    gig_window aligned = gig_window_aligned(&w);
    assert_int_equal(aligned.in[0], 1);
    assert_int_equal(aligned.in[1], 5);
    assert_int_equal(aligned.in[2], 7);
    assert_int_equal(aligned.stride[2], 2);
}

/* Refused whatever the operator: attributes that cannot be, and numbers that would overflow. */
static void refuses_broken_windows(void **state)
{
    (void)state;
    static const struct {
        const char *op, *attributes;
        gig_status status;
    } cases[] = {
        {"Conv", "strides:0,1", GIG_EFORMAT},
        {"Conv", "strides:1", GIG_EFORMAT},
        {"Conv", "strides:", GIG_EFORMAT},
        {"Conv", "strides=1", GIG_EFORMAT},
        {"Conv", "dilations:1,1,1", GIG_EFORMAT},
        {"Conv", "dilations:1,-1", GIG_EFORMAT},
        {"Conv", "dilations:1,9223372036854775807", GIG_ELIMIT},
        {"Conv", "dilations:1,1073741824", GIG_EFORMAT},
        {"Conv", "pads:1,1", GIG_EFORMAT},
        {"Conv", "pads:0,0,0,-1", GIG_EFORMAT},
        {"Conv", "pads:0,0,0,4611686018427387904", GIG_ELIMIT},
        {"Conv", "pads:1073741824,1073741824,1073741824,1073741824", GIG_ELIMIT},
        {"Conv", "kernel_shape:3,2", GIG_EFORMAT},
        {"Conv", "kernel_shape:3,3,3", GIG_EFORMAT},
        {"Conv", "auto_pad=SAME", GIG_EFORMAT},
        {"Conv", "group=0", GIG_EFORMAT},
        {"Conv", "group=-1", GIG_EFORMAT},
        {"Conv", "group=2", GIG_EFORMAT},
        {"Conv", "group=9223372036854775807", GIG_EFORMAT},
        {"ConvTranspose", "output_padding:1", GIG_EFORMAT},
        {"ConvTranspose", "output_padding:-1,0", GIG_EFORMAT},
        {"ConvTranspose", "pads:9,9,9,9", GIG_EFORMAT},
        {"ConvTranspose", "strides:1073741824,1073741824", GIG_ELIMIT},
        {"ConvTranspose", "output_shape:0,0", GIG_EFORMAT},
        {"ConvTranspose", "output_shape:1,2,3", GIG_EFORMAT},
        {"MaxPool", "", GIG_EFORMAT},
        {"MaxPool", "kernel_shape:9,9", GIG_EFORMAT},
        {"MaxPool", "kernel_shape:2,0", GIG_EFORMAT},
        {"MaxPool", "kernel_shape:2,2;ceil_mode=2", GIG_EFORMAT},
        {"AveragePool", "kernel_shape:2,1099511627776", GIG_ELIMIT},
        {"AveragePool", "kernel_shape:1,1;pads:1073741824,1073741824,1073741824,1073741824", GIG_ELIMIT},
        {"LpPool", "kernel_shape:2,2;p=0", GIG_EFORMAT},
        {"LpPool", "kernel_shape:2,2;p=word", GIG_EFORMAT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        harness h;
        begin(&h, cases[i].op, 12, cases[i].attributes);
        harness_real_input(&h, 4, DIMS(1, 3, 4, 4), NULL);
        if (strstr(cases[i].op, "Conv")) harness_real_input(&h, 4, DIMS(3, 3, 3, 3), NULL);
        harness_expect_refusal(&h, 1, cases[i].status);
        h.out[0].data = NULL;
        harness_end(&h);
    }
}

static void refuses_weights_that_do_not_fit(void **state)
{
    (void)state;
    static const struct {
        int rank;
        int64_t dims[4], bias;
        gig_status status;
    } cases[] = {
        {4, {2, 3, 1, 1}, 2, GIG_OK},      {4, {2, 2, 1, 1}, 2, GIG_EFORMAT}, {3, {2, 3, 1}, 2, GIG_EFORMAT},
        {4, {2, 3, 1, 1}, 3, GIG_EFORMAT}, {4, {0, 3, 1, 1}, 0, GIG_EFORMAT}, {4, {2, 3, 0, 1}, 2, GIG_EFORMAT},
        {4, {2, 3, 1, 5}, 2, GIG_EFORMAT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        harness h;
        begin(&h, "Conv", 11, "");
        harness_real_input(&h, 4, DIMS(1, 3, 4, 4), NULL);
        harness_real_input(&h, cases[i].rank, cases[i].dims, NULL);
        harness_real_input(&h, 1, &cases[i].bias, NULL);
        harness_expect_refusal(&h, 1, cases[i].status);
        harness_end(&h);
    }
}

static void refuses_data_of_rank_2_and_6(void **state)
{
    (void)state;
    for (int rank = 2; rank <= 6; rank += 4) {
        harness h;
        begin(&h, "MaxPool", 12, "kernel_shape:1,1");
        harness_real_input(&h, rank, DIMS(1, 1, 1, 1, 1, 1), NULL);
        harness_expect_refusal(&h, 1, GIG_EUNSUPPORTED);
        harness_end(&h);
    }
}

/* ---- values ---- */

static void max_reports_where_it_found_the_maximum(void **state)
{
    (void)state;
    static const float x[] = {1, 5, 2, 4, 3, 9, 9, 0, 7, 7, 7, 7};
    for (int order = 0; order < 2; order++) {
        harness h;
        begin(&h, "MaxPool", 12,
              order ? "kernel_shape:1,2;strides:1,2;storage_order=1" : "kernel_shape:1,2;strides:1,2");
        harness_real_input(&h, 4, DIMS(1, 2, 3, 2), x);
        harness_run(&h, 2);
        harness_expect_real(&h, 0, 4, DIMS(1, 2, 3, 1), VALUES(5, 4, 9, 9, 7, 7), 0);
        harness_expect_whole(&h, 1, 4, DIMS(1, 2, 3, 1), order ? WHOLES(3, 4, 5, 6, 7, 8) : WHOLES(1, 3, 5, 6, 8, 10));
        harness_end(&h);
    }
}

static void ties_give_their_gradient_to_the_first(void **state)
{
    (void)state;
    harness h;
    gig_tensor d_out[HARNESS_PORTS] = {0}, d_in[HARNESS_PORTS];
    begin(&h, "MaxPool", 12, "kernel_shape:3;pads:1,0");
    harness_real_input(&h, 3, DIMS(1, 1, 4), VALUES(2, 2, 2, 1));
    harness_run(&h, 1);
    float ones[] = {1, 10, 100};
    d_out[0] = (gig_tensor){.type = GIG_FLOAT32, .rank = 3, .dims = {1, 1, 3}, .real = ones};
    harness_backward(&h, d_out, d_in);
    assert_true(d_in[0].real[0] == 11 && d_in[0].real[1] == 100 && d_in[0].real[2] == 0 && d_in[0].real[3] == 0);
    gig_tensor_clear(&d_in[0]);
    harness_end(&h);
}

static void max_passes_nan_on_and_whole_numbers_too(void **state)
{
    (void)state;
    harness h;
    begin(&h, "MaxPool", 12, "kernel_shape:2");
    harness_real_input(&h, 3, DIMS(1, 1, 4), VALUES(1, NAN, 3, 2));
    harness_run(&h, 1);
    harness_expect_real(&h, 0, 3, DIMS(1, 1, 3), VALUES(NAN, NAN, 3), 0);
    harness_end(&h);
    begin(&h, "MaxPool", 12, "kernel_shape:2");
    harness_whole_input(&h, 3, DIMS(1, 1, 4), WHOLES(-5, -7, 200, 3));
    harness_run(&h, 1);
    harness_expect_whole(&h, 0, 3, DIMS(1, 1, 3), WHOLES(-5, 200, 200));
    harness_end(&h);
}

/* A dilated kernel that steps over the only cell sees padding alone. */
static void a_window_of_padding_alone_is_defined(void **state)
{
    (void)state;
    harness h;
    begin(&h, "MaxPool", 12, "kernel_shape:2;dilations:2;pads:1,1");
    harness_real_input(&h, 3, DIMS(1, 1, 1), VALUES(4));
    harness_run(&h, 1);
    harness_expect_real(&h, 0, 3, DIMS(1, 1, 1), VALUES(-INFINITY), 0);
    harness_end(&h);
    begin(&h, "AveragePool", 12, "kernel_shape:2;dilations:2;pads:1,1");
    harness_real_input(&h, 3, DIMS(1, 1, 1), VALUES(4));
    harness_run(&h, 1);
    harness_expect_real(&h, 0, 3, DIMS(1, 1, 1), VALUES(0), 0);
    harness_end(&h);
}

static void the_norm_of_zeros_has_no_slope(void **state)
{
    (void)state;
    harness h;
    gig_tensor d_out[HARNESS_PORTS] = {0}, d_in[HARNESS_PORTS];
    float one = 1;
    begin(&h, "GlobalLpPool", 1, "p=2.0");
    harness_real_input(&h, 3, DIMS(1, 1, 2), VALUES(0, 0));
    harness_run(&h, 1);
    harness_expect_real(&h, 0, 3, DIMS(1, 1, 1), VALUES(0), 0);
    d_out[0] = (gig_tensor){.type = GIG_FLOAT32, .rank = 3, .dims = {1, 1, 1}, .real = &one};
    harness_backward(&h, d_out, d_in);
    assert_true(d_in[0].real[0] == 0 && d_in[0].real[1] == 0);
    gig_tensor_clear(&d_in[0]);
    harness_end(&h);
}

/* Where output_shape asks for more than the kernel reaches, the bias alone is there. */
static void outside_a_transposed_kernel_is_the_bias(void **state)
{
    (void)state;
    harness h;
    begin(&h, "ConvTranspose", 11, "strides:2;output_shape:5");
    harness_real_input(&h, 3, DIMS(1, 1, 2), VALUES(1, 10));
    harness_real_input(&h, 3, DIMS(1, 1, 1), VALUES(3));
    harness_real_input(&h, 1, DIMS(1), VALUES(0.5));
    harness_run(&h, 1);
    harness_expect_real(&h, 0, 3, DIMS(1, 1, 5), VALUES(3.5, 0.5, 30.5, 0.5, 0.5), 0);
    harness_expect_gradient(&h);
    harness_end(&h);
}

/* <conv(x), y> = <x, transposed conv(y)> with the same weights. */
static void a_transposed_convolution_is_the_transpose(void **state)
{
    (void)state;
    harness direct, transposed;
    const char *attributes = "strides:2,1;pads:1,0,0,2;dilations:1,2;group=2";
    begin(&direct, "Conv", 11, attributes);
    gig_tensor *x = harness_real_input(&direct, 4, DIMS(2, 4, 5, 6), NULL);
    gig_tensor *w = harness_real_input(&direct, 4, DIMS(6, 2, 2, 3), NULL);
    harness_run(&direct, 1);
    begin(&transposed, "ConvTranspose", 11, attributes);
    gig_tensor *y = harness_real_input(&transposed, 4, direct.out[0].dims, NULL);
    harness_real_input(&transposed, 4, w->dims, w->real);
    harness_run(&transposed, 1);
    assert_true(gig_same_dims(&transposed.out[0], x));
    double left = 0, right = 0;
    for (size_t i = 0; i < gig_tensor_count(y); i++) left += (double)direct.out[0].real[i] * y->real[i];
    for (size_t i = 0; i < gig_tensor_count(x); i++) right += (double)transposed.out[0].real[i] * x->real[i];
    assert_true(fabs(left - right) < 1e-4);
    harness_end(&direct);
    harness_end(&transposed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_follow_the_formulas),
        cmocka_unit_test(an_aligned_window_has_its_axes_last),
        cmocka_unit_test(refuses_broken_windows),
        cmocka_unit_test(refuses_weights_that_do_not_fit),
        cmocka_unit_test(refuses_data_of_rank_2_and_6),
        cmocka_unit_test(max_reports_where_it_found_the_maximum),
        cmocka_unit_test(ties_give_their_gradient_to_the_first),
        cmocka_unit_test(max_passes_nan_on_and_whole_numbers_too),
        cmocka_unit_test(a_window_of_padding_alone_is_defined),
        cmocka_unit_test(the_norm_of_zeros_has_no_slope),
        cmocka_unit_test(outside_a_transposed_kernel_is_the_bias),
        cmocka_unit_test(a_transposed_convolution_is_the_transpose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
