/* SPDX-License-Identifier: Apache-2.0 */
/* .npz archives: NumPy's own, ours, damaged ones, and memory that runs out. */
#include "base/npy.h"
#include "internal/tensor.h"
#include "support.h"

static const float values[6] = {-2, -.5f, 1, 2.5f, 4, 5.5f};

static void reads_arrays_by_name(void **state)
{
    (void)state;
    gig_tensor tensor;
    assert_ok(gig_npz_read(&tensor, source_path("tests/golden/base/stored.npz"), "x"));
    assert_close(tensor.real, values, 6, 0, 0);
    gig_tensor_clear(&tensor);
    assert_ok(gig_npz_read(&tensor, source_path("tests/golden/base/stored.npz"), "y"));
    assert_int_equal(tensor.type, GIG_INT64);
    assert_int_equal(tensor.whole[5], 5);
    gig_tensor_clear(&tensor);
}

static void reads_deflated_arrays(void **state)
{
    (void)state;
    gig_tensor tensor;
    assert_ok(gig_npz_read(&tensor, source_path("tests/golden/base/deflated.npz"), "x"));
    assert_close(tensor.real, values, 6, 0, 0);
    gig_tensor_clear(&tensor);
    assert_ok(gig_npz_read(&tensor, source_path("tests/golden/base/deflated.npz"), "zeros"));
    assert_int_equal(gig_tensor_count(&tensor), 2000);
    gig_tensor_clear(&tensor);
}

static void needs_a_name_where_there_are_several(void **state)
{
    (void)state;
    gig_tensor tensor;
    assert_ok(gig_npz_read(&tensor, source_path("tests/golden/base/one.npz"), NULL));
    assert_close(tensor.real, values, 6, 0, 0);
    gig_tensor_clear(&tensor);
    assert_status(gig_npz_read(&tensor, source_path("tests/golden/base/stored.npz"), NULL), GIG_EARG);
    assert_message("2 arrays");
    assert_status(gig_npz_read(&tensor, source_path("tests/golden/base/stored.npz"), "z"), GIG_EARG);
    assert_message("no array \"z\"");
    assert_status(gig_npz_read(&tensor, source_path("tests/golden/base/i1.npy"), NULL), GIG_EFORMAT);
}

static void writes_what_it_reads_back(void **state)
{
    (void)state;
    gig_tensor a, b, back;
    assert_ok(gig_tensor_create(&a, GIG_FLOAT32, 2, (const int64_t[]){2, 3}));
    memcpy(a.real, values, sizeof values);
    assert_ok(gig_tensor_create(&b, GIG_INT64, 1, (const int64_t[]){0}));
    const char *path = temporary_path("two.npz");
    assert_ok(gig_npz_write(path, 2, (const char *const[]){"first", "second"}, (const gig_tensor *const[]){&a, &b}, 0));
    assert_ok(gig_npz_read(&back, path, "first"));
    assert_close(back.real, values, 6, 0, 0);
    gig_tensor_clear(&back);
    assert_ok(gig_npz_read(&back, path, "second"));
    assert_int_equal(back.type, GIG_INT64);
    assert_int_equal(gig_tensor_count(&back), 0);
    gig_tensor_clear(&back);
    assert_status(gig_npz_write(path, 0, NULL, NULL, 0), GIG_EIO);
    assert_status(gig_npz_write(path, 1, (const char *const[]){""}, (const gig_tensor *const[]){&a}, 1), GIG_EARG);
    gig_tensor_clear(&a);
    gig_tensor_clear(&b);
}

static void try_every_name(const uint8_t *bytes, size_t count)
{
    const char *names[] = {NULL, "x", "zeros"};
    for (int i = 0; i < 3; i++) {
        gig_tensor tensor;
        if (gig_npz_parse(&tensor, bytes, count, names[i]) == GIG_OK)
            gig_tensor_clear(&tensor);
        else
            assert_null(tensor.data);
    }
}

static void survives_every_prefix_and_damaged_bytes(void **state)
{
    (void)state;
    uint8_t *bytes;
    size_t count, before = gig_memory_used();
    assert_ok(gig_file_read(&bytes, &count, source_path("tests/golden/base/deflated.npz"), 1 << 20));
    for (size_t length = 0; length < count; length++) {
        uint8_t *prefix = gig_alloc(length, 1);
        memcpy(prefix, bytes, length);
        try_every_name(prefix, length);
        gig_free(prefix);
    }
    const uint8_t changes[] = {1, 0x80, 0xff, 0x10};
    for (size_t place = 0; place < count; place++)
        for (int i = 0; i < 4; i++) {
            bytes[place] ^= changes[i];
            try_every_name(bytes, count);
            bytes[place] ^= changes[i];
        }
    gig_free(bytes);
    assert_int_equal(gig_memory_used(), before);
}

static void notices_a_changed_element(void **state)
{
    (void)state;
    uint8_t *bytes;
    size_t count;
    assert_ok(gig_file_read(&bytes, &count, source_path("tests/golden/base/one.npz"), 1 << 20));
    bytes[200] ^= 1;
    gig_tensor tensor;
    assert_status(gig_npz_parse(&tensor, bytes, count, NULL), GIG_EFORMAT);
    assert_message("checksum");
    gig_free(bytes);
}

/* An entry that claims to unpack to 2 GiB from a few bytes is refused before memory is asked for. */
static void refuses_a_claim_that_deflate_cannot_keep(void **state)
{
    (void)state;
    uint8_t *bytes;
    size_t count;
    assert_ok(gig_file_read(&bytes, &count, source_path("tests/golden/base/deflated.npz"), 1 << 20));
    for (size_t i = 0; i + 46 < count; i++)
        if (memcmp(bytes + i, "PK\x01\x02", 4) == 0) memcpy(bytes + i + 24, "\x00\x00\x00\x80", 4);
    gig_memory_reset_peak();
    size_t before = gig_memory_peak();
    gig_tensor tensor;
    assert_status(gig_npz_parse(&tensor, bytes, count, "x"), GIG_EFORMAT);
    assert_int_equal(gig_memory_peak(), before);
    gig_free(bytes);
}

static void put(uint8_t *at, int bytes, uint64_t value)
{
    for (int i = 0; i < bytes; i++) at[i] = (uint8_t)(value >> 8 * i);
}

/* Three megabytes that could unpack to more than an array may have are refused before memory is asked for. */
static void refuses_an_array_beyond_its_limit(void **state)
{
    (void)state;
    enum { NAME = 5, LOCAL = 30 + NAME, CENTRAL = 46 + NAME, END = 22, PACKED = 3 << 20 };
    const uint64_t whole = (uint64_t)3 << 29;
    size_t count = LOCAL + PACKED + CENTRAL + END;
    uint8_t *bytes = gig_alloc_zero(count, 1), *central = bytes + LOCAL + PACKED, *end = central + CENTRAL;
    assert_non_null(bytes);
    memcpy(bytes, "PK\3\4", 4);
    put(bytes + 26, 2, NAME);
    memcpy(bytes + 30, "x.npy", NAME);
    memcpy(central, "PK\1\2", 4);
    put(central + 10, 2, 8); /* deflated */
    put(central + 20, 4, PACKED);
    put(central + 24, 4, whole);
    put(central + 28, 2, NAME);
    memcpy(central + 46, "x.npy", NAME);
    memcpy(end, "PK\5\6", 4);
    put(end + 8, 2, 1);
    put(end + 10, 2, 1);
    put(end + 12, 4, CENTRAL);
    put(end + 16, 4, LOCAL + PACKED);
    gig_memory_reset_peak();
    size_t before = gig_memory_peak();
    gig_tensor tensor;
    assert_status(gig_npz_parse(&tensor, bytes, count, "x"), GIG_ELIMIT);
    assert_true(gig_memory_peak() - before < 1 << 20);
    gig_free(bytes);
}

static void survives_memory_running_out_anywhere(void **state)
{
    (void)state;
    size_t before = gig_memory_used(), refused = 0;
    const char *golden = source_path("tests/golden/base/deflated.npz");
    for (int lasting = 0; lasting < 2; lasting++) {
        gig_status status = GIG_ENOMEM;
        for (size_t at = 0; status != GIG_OK; at++) {
            gig_tensor tensor;
            const char *const names[] = {"t"};
            const gig_tensor *const tensors[] = {&tensor};
            gig_memory_fail_at(at, lasting);
            status = gig_npz_read(&tensor, golden, "zeros");
            if (status == GIG_OK) status = gig_npz_write(temporary_path("memory.npz"), 1, names, tensors, 1);
            gig_memory_fail_at(SIZE_MAX, 0);
            gig_tensor_clear(&tensor);
            assert_true(status == GIG_OK || status == GIG_ENOMEM);
            assert_int_equal(gig_memory_used(), before);
            refused += status != GIG_OK;
        }
    }
    assert_true(refused >= 12); /* file, entry, zlib's two, tensor; list, bytes, temporary name */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_arrays_by_name),
        cmocka_unit_test(reads_deflated_arrays),
        cmocka_unit_test(needs_a_name_where_there_are_several),
        cmocka_unit_test(writes_what_it_reads_back),
        cmocka_unit_test(survives_every_prefix_and_damaged_bytes),
        cmocka_unit_test(notices_a_changed_element),
        cmocka_unit_test(refuses_a_claim_that_deflate_cannot_keep),
        cmocka_unit_test(refuses_an_array_beyond_its_limit),
        cmocka_unit_test(survives_memory_running_out_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
