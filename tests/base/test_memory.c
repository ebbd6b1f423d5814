/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes, tensors and the allocator: what is refused, what is counted, what fails on purpose. */
#include "base/memory.h"
#include "base/size.h"
#include "base/tensor.h"
#include "support.h"
#include <pthread.h>
#include <stdatomic.h>

static void refuse(int rank, const int64_t *dims)
{
    size_t count = 7;
    assert_status(gig_size_of_dims(&count, rank, dims), GIG_ELIMIT);
    assert_int_equal(count, 0);
}

static void refuses_a_product_that_wraps(void **state)
{
    (void)state;
    refuse(2, (const int64_t[]){(int64_t)1 << 62, 4});
    refuse(2, (const int64_t[]){(int64_t)1 << 32, (int64_t)1 << 32});
    refuse(4, (const int64_t[]){(int64_t)1 << 31, (int64_t)1 << 31, 2, 2});
    refuse(1, (const int64_t[]){((int64_t)1 << 30) + 1});
}

static void refuses_negative_dims_and_ranks_outside_0_to_8(void **state)
{
    (void)state;
    refuse(1, (const int64_t[]){-1});
    refuse(2, (const int64_t[]){0, INT64_MIN});
    refuse(-1, (const int64_t[]){1});
    refuse(9, (const int64_t[]){1, 1, 1, 1, 1, 1, 1, 1, 1});
}

static void refuses_huge_strides_beside_an_empty_dim(void **state)
{
    (void)state;
    refuse(3, (const int64_t[]){(int64_t)1 << 40, 0, (int64_t)1 << 40});
}

static void counts_what_is_allowed(void **state)
{
    (void)state;
    size_t count;
    assert_ok(gig_size_of_dims(&count, 0, NULL));
    assert_int_equal(count, 1);
    assert_ok(gig_size_of_dims(&count, 3, (const int64_t[]){2, 3, 4}));
    assert_int_equal(count, 24);
    assert_ok(gig_size_of_dims(&count, 2, (const int64_t[]){0, 5}));
    assert_int_equal(count, 0);
    assert_ok(gig_size_of_dims(&count, 1, (const int64_t[]){(int64_t)1 << 30}));
    assert_int_equal(count, (size_t)1 << 30);
}

static void gives_aligned_blocks_and_counts_them_back(void **state)
{
    (void)state;
    size_t before = gig_memory_used();
    for (size_t bytes = 0; bytes < 300; bytes += 7) {
        char *block = gig_alloc(bytes, 1);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % GIG_ALIGNMENT, 0);
        memset(block, 1, bytes);
        assert_true(gig_memory_used() >= before + bytes);
        gig_free(block);
    }
    gig_free(NULL);
    assert_int_equal(gig_memory_used(), before);
}

static void refuses_a_count_times_size_that_wraps(void **state)
{
    (void)state;
    assert_null(gig_alloc(SIZE_MAX / 2, 4));
    assert_int_equal(gig_alloc_status(), GIG_ELIMIT);
    assert_null(gig_alloc(SIZE_MAX, 1));
    assert_int_equal(gig_alloc_status(), GIG_ELIMIT);
}

static void keeps_within_the_budget(void **state)
{
    (void)state;
    size_t before = gig_memory_used();
    gig_memory_set_limit(before + 100000);
    void *first = gig_alloc(60000, 1);
    assert_non_null(first);
    assert_null(gig_alloc(60000, 1));
    assert_int_equal(gig_alloc_status(), GIG_ELIMIT);
    assert_message("memory budget");
    gig_free(first);
    void *second = gig_alloc(60000, 1);
    assert_non_null(second);
    gig_free(second);
    gig_memory_set_limit(0);
    assert_int_equal(gig_memory_used(), before);
}

static atomic_int asking;

static void *ask_for_too_much(void *unused)
{
    (void)unused;
    while (atomic_load(&asking)) gig_free(gig_alloc(900000000, 1));
    return NULL;
}

/* What is refused to one thread is never missing to another. */
static void refuses_one_thread_without_harm_to_another(void **state)
{
    (void)state;
    pthread_t other;
    gig_memory_set_limit(gig_memory_used() + 1000000);
    atomic_store(&asking, 1);
    assert_int_equal(pthread_create(&other, NULL, ask_for_too_much, NULL), 0);
    size_t missed = 0;
    for (int i = 0; i < 300000; i++) {
        void *small = gig_alloc(256, 1);
        missed += !small;
        gig_free(small);
    }
    atomic_store(&asking, 0);
    pthread_join(other, NULL);
    gig_memory_set_limit(0);
    assert_int_equal(missed, 0);
}

static void remembers_the_peak(void **state)
{
    (void)state;
    gig_memory_reset_peak();
    size_t before = gig_memory_peak();
    gig_free(gig_alloc(1 << 20, 1));
    assert_true(gig_memory_peak() >= before + (1 << 20));
    gig_memory_reset_peak();
    assert_int_equal(gig_memory_peak(), gig_memory_used());
}

static void fails_where_it_is_told_to(void **state)
{
    (void)state;
    gig_memory_fail_at(1, 0);
    void *a = gig_alloc(1, 1), *b = gig_alloc(1, 1), *c = gig_alloc(1, 1);
    assert_non_null(a);
    assert_null(b);
    assert_int_equal(gig_alloc_status(), GIG_ENOMEM);
    assert_non_null(c);
    gig_memory_fail_at(0, 1);
    assert_null(gig_alloc(1, 1));
    assert_null(gig_alloc(1, 1));
    assert_int_equal(gig_memory_allocations(), 2);
    gig_memory_fail_at(SIZE_MAX, 0);
    gig_free(a);
    gig_free(c);
}

static void grows_an_array_and_keeps_its_contents(void **state)
{
    (void)state;
    void *array = NULL;
    size_t capacity = 0;
    for (size_t i = 0; i < 1000; i++) {
        assert_ok(gig_grow(&array, &capacity, i + 1, sizeof(size_t)));
        ((size_t *)array)[i] = i;
    }
    for (size_t i = 0; i < 1000; i++) assert_int_equal(((size_t *)array)[i], i);
    size_t before = capacity;
    gig_memory_fail_at(0, 1);
    assert_status(gig_grow(&array, &capacity, before + 1, sizeof(size_t)), GIG_ENOMEM);
    gig_memory_fail_at(SIZE_MAX, 0);
    assert_int_equal(capacity, before);
    assert_int_equal(((size_t *)array)[999], 999);
    gig_free(array);
}

static void makes_zeroed_tensors_and_copies_them(void **state)
{
    (void)state;
    gig_tensor a, b;
    assert_ok(gig_tensor_create(&a, GIG_INT64, 2, (const int64_t[]){2, 3}));
    for (int i = 0; i < 6; i++) assert_int_equal(a.whole[i], 0);
    a.whole[5] = -4;
    assert_ok(gig_tensor_copy(&b, &a));
    assert_true(gig_same_dims(&a, &b));
    assert_int_equal(b.whole[5], -4);
    char text[64];
    assert_string_equal(gig_dims_text(text, sizeof text, b.rank, b.dims), "[2,3]");
    gig_tensor_clear(&a);
    gig_tensor_clear(&b);
    gig_tensor_clear(&b);
    assert_null(b.data);
    assert_status(gig_tensor_create(&a, GIG_FLOAT32, 9, b.dims), GIG_ELIMIT);
    assert_null(a.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_a_product_that_wraps),
        cmocka_unit_test(refuses_negative_dims_and_ranks_outside_0_to_8),
        cmocka_unit_test(refuses_huge_strides_beside_an_empty_dim),
        cmocka_unit_test(counts_what_is_allowed),
        cmocka_unit_test(gives_aligned_blocks_and_counts_them_back),
        cmocka_unit_test(refuses_a_count_times_size_that_wraps),
        cmocka_unit_test(keeps_within_the_budget),
        cmocka_unit_test(refuses_one_thread_without_harm_to_another),
        cmocka_unit_test(remembers_the_peak),
        cmocka_unit_test(fails_where_it_is_told_to),
        cmocka_unit_test(grows_an_array_and_keeps_its_contents),
        cmocka_unit_test(makes_zeroed_tensors_and_copies_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
