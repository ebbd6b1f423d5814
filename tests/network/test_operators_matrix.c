/* SPDX-License-Identifier: Apache-2.0 */
/* Gemm, MatMul, Einsum: refusals and empty operands. PyTorch's values and gradients are in test_operators_golden.c. */
#include "operator_text.h"

enum { MOST = 4 };

typedef struct matrix_case {
    const char *op, *attributes;
    int count;
    struct {
        int rank;
        int64_t dims[MOST];
    } in[3];
    gig_status status;
} matrix_case;

static void refuses_matrices_that_do_not_fit(void **state)
{
    (void)state;
    static const matrix_case cases[] = {
        {"Gemm", "", 2, {{2, {2, 3}}, {2, {2, 3}}}, GIG_EFORMAT},
        {"Gemm", "transB=1", 2, {{2, {2, 3}}, {2, {2, 3}}}, GIG_OK},
        {"Gemm", "", 2, {{3, {1, 2, 3}}, {2, {3, 3}}}, GIG_EFORMAT},
        {"Gemm", "", 3, {{2, {2, 3}}, {2, {3, 4}}, {1, {3}}}, GIG_EFORMAT},
        {"Gemm", "", 3, {{2, {2, 3}}, {2, {3, 4}}, {2, {4, 4}}}, GIG_EFORMAT},
        {"Gemm", "", 3, {{2, {2, 3}}, {2, {3, 4}}, {3, {1, 2, 4}}}, GIG_EFORMAT},
        {"Gemm", "", 1, {{2, {2, 3}}}, GIG_EFORMAT},
        {"MatMul", "", 2, {{0, {0}}, {2, {2, 3}}}, GIG_EFORMAT},
        {"MatMul", "", 2, {{2, {2, 3}}, {2, {2, 3}}}, GIG_EFORMAT},
        {"MatMul", "", 2, {{1, {2}}, {1, {3}}}, GIG_EFORMAT},
        {"MatMul", "", 2, {{3, {2, 1, 3}}, {3, {3, 3, 1}}}, GIG_EFORMAT},
        {"MatMul", "", 2, {{2, {32768, 1}}, {2, {1, 65536}}}, GIG_ELIMIT},
        {"Einsum", "equation=ij,jk->ik", 2, {{2, {2, 3}}, {2, {3, 4}}}, GIG_OK},
        {"Einsum", "equation=ij,jk->ik", 2, {{2, {2, 3}}, {2, {4, 4}}}, GIG_EFORMAT},
        {"Einsum", "equation=ij,jk->ik", 1, {{2, {2, 3}}}, GIG_EFORMAT},
        {"Einsum", "equation=ij->ik", 2, {{2, {2, 3}}, {2, {3, 4}}}, GIG_EFORMAT},
        {"Einsum", "equation=ijk->ik", 1, {{2, {2, 3}}}, GIG_EFORMAT},
        {"Einsum", "equation=i->i", 1, {{2, {2, 3}}}, GIG_EFORMAT},
        {"Einsum", "equation=ij->iz", 1, {{2, {2, 3}}}, GIG_EFORMAT},
        {"Einsum", "equation=ij->ii", 1, {{2, {2, 3}}}, GIG_EFORMAT},
        {"Einsum", "equation=i+j->i", 1, {{2, {2, 3}}}, GIG_EFORMAT},
        {"Einsum", "equation=......->", 1, {{2, {2, 3}}}, GIG_EFORMAT},
        {"Einsum", "equation=..i->i", 1, {{2, {2, 3}}}, GIG_EFORMAT},
        {"Einsum", "equation=a\xe9->a", 1, {{2, {2, 3}}}, GIG_EFORMAT},
        {"Einsum", "equation=abcdefghi->a", 1, {{2, {2, 3}}}, GIG_EFORMAT},
        {"Einsum", "", 1, {{1, {2}}}, GIG_EFORMAT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        harness h;
        harness_begin(&h, cases[i].op, 13);
        harness_attributes(&h, cases[i].attributes);
        for (int k = 0; k < cases[i].count; k++) harness_real_input(&h, cases[i].in[k].rank, cases[i].in[k].dims, NULL);
        harness_expect_refusal(&h, 1, cases[i].status);
        harness_end(&h);
    }
}

static void products_of_whole_numbers_are_not_supported(void **state)
{
    (void)state;
    harness h;
    harness_begin(&h, "MatMul", 13);
    harness_whole_input(&h, 2, DIMS(1, 1), NULL);
    harness_whole_input(&h, 2, DIMS(1, 1), NULL);
    harness_expect_refusal(&h, 1, GIG_EUNSUPPORTED);
    harness_end(&h);
}

static void a_sum_over_nothing_is_zero(void **state)
{
    (void)state;
    static const char *const ops[] = {"Gemm", "MatMul", "Einsum"};
    for (size_t i = 0; i < 3; i++) {
        harness h;
        harness_begin(&h, ops[i], 13);
        if (i == 2) harness_string(&h, "equation", "ij,jk->ik");
        harness_real_input(&h, 2, DIMS(2, 0), NULL);
        harness_real_input(&h, 2, DIMS(0, 1), NULL);
        harness_run(&h, 1);
        harness_expect_real(&h, 0, 2, DIMS(2, 1), VALUES(0, 0), 0);
        harness_expect_gradient(&h);
        harness_end(&h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_matrices_that_do_not_fit),
        cmocka_unit_test(products_of_whole_numbers_are_not_supported),
        cmocka_unit_test(a_sum_over_nothing_is_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
