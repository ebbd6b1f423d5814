/* SPDX-License-Identifier: Apache-2.0 */
/* Operators against PyTorch: outputs and gradients of tests/golden/operators.h, then central differences. */
#include "operator_text.h"

typedef struct golden_port {
    int rank;
    int64_t dims[GIG_MAX_RANK];
    const int64_t *whole; /* constant integers */
    const float *real;    /* constant floating-point numbers, or an output; both NULL: a random input */
} golden_port;

typedef struct golden_case {
    const char *op;
    int opset;
    const char *attributes; /* see operator_text.h */
    size_t in_count;
    golden_port in[5], out;
    const float *d_in[5];
} golden_case;

#include "golden/operators.h"

/* Uniform in [-1, 1), as the script that made the golden arrays draws them. */
static float draw(uint64_t *random)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return (float)(2 * ((double)(*random >> 11) * 0x1p-53) - 1);
}

static void begin_case(harness *h, const golden_case *golden, uint64_t *random)
{
    *random = 12345;
    harness_begin(h, golden->op, golden->opset);
    harness_attributes(h, golden->attributes);
    for (size_t i = 0; i < golden->in_count; i++) {
        const golden_port *port = &golden->in[i];
        if (port->whole)
            harness_whole_input(h, port->rank, port->dims, port->whole);
        else
            harness_real_input(h, port->rank, port->dims, port->real);
        if (port->whole || port->real)
            harness_constant(h);
        else
            for (size_t k = 0; k < gig_tensor_count(&h->in[i]); k++) h->in[i].real[k] = draw(random);
    }
}

static void expect_golden_gradient(harness *h, const golden_case *golden, uint64_t random)
{
    gig_tensor d_out[HARNESS_PORTS] = {0}, d_in[HARNESS_PORTS] = {0};
    assert_int_equal(gig_tensor_create(&d_out[0], GIG_FLOAT32, h->out[0].rank, h->out[0].dims), GIG_OK);
    for (size_t e = 0; e < gig_tensor_count(&d_out[0]); e++) d_out[0].real[e] = draw(&random);
    harness_backward(h, d_out, d_in);
    for (size_t i = 0; i < golden->in_count; i++) {
        for (size_t k = 0; golden->d_in[i] && k < gig_tensor_count(&d_in[i]); k++) {
            double seen = d_in[i].real[k], wanted = golden->d_in[i][k];
            if (!(fabs(seen - wanted) <= 2e-6 * (1 + fabs(wanted))))
                fail_msg("%s (%s): gradient of input %zu[%zu] is %.8g, not %.8g", golden->op, golden->attributes, i, k,
                         seen, wanted);
        }
        gig_tensor_clear(&d_in[i]);
    }
    gig_tensor_clear(&d_out[0]);
}

static void outputs_and_gradients_agree_with_pytorch(void **state)
{
    (void)state;
    for (size_t c = 0; c < sizeof golden_cases / sizeof *golden_cases; c++) {
        const golden_case *golden = &golden_cases[c];
        harness h;
        uint64_t random;
        begin_case(&h, golden, &random);
        harness_run(&h, 1);
        harness_expect_real(&h, 0, golden->out.rank, golden->out.dims, golden->out.real, 2e-6);
        expect_golden_gradient(&h, golden, random);
        harness_end(&h);
    }
}

static void gradients_follow_central_differences(void **state)
{
    (void)state;
    for (size_t c = 0; c < sizeof golden_cases / sizeof *golden_cases; c++) {
        harness h;
        uint64_t random;
        begin_case(&h, &golden_cases[c], &random);
        harness_run(&h, 1);
        harness_expect_gradient(&h);
        harness_end(&h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_and_gradients_agree_with_pytorch),
        cmocka_unit_test(gradients_follow_central_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
