/* SPDX-License-Identifier: Apache-2.0 */
/* .npy files: NumPy's own, hostile ones, and memory that runs out. */
#include "base/npy.h"
#include "support.h"

static const float values[6] = {-2, -.5f, 1, 2.5f, 4, 5.5f};

static void read_golden(gig_tensor *out, const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "tests/golden/base/%s.npy", name);
    assert_ok(gig_npy_read(out, source_path(path)));
}

static void reads_every_floating_type_in_both_byte_orders(void **state)
{
    (void)state;
    const char *names[] = {"little_f2", "little_f4", "little_f8", "big_f2",
                           "big_f4",    "big_f8",    "version_2", "version_3"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        gig_tensor tensor;
        read_golden(&tensor, names[i]);
        assert_int_equal(tensor.type, GIG_FLOAT32);
        assert_int_equal(tensor.rank, 2);
        assert_int_equal(tensor.dims[0], 2);
        assert_int_equal(tensor.dims[1], 3);
        assert_close(tensor.real, values, 6, 0, 0);
        gig_tensor_clear(&tensor);
    }
}

static void reads_every_integer_type_in_both_byte_orders(void **state)
{
    (void)state;
    const char *names[] = {"little_i2", "little_i4", "little_i8", "big_i2", "big_i4", "big_i8",
                           "i1",        "u1",        "u2",        "u4",     "u8",     "b1"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        gig_tensor tensor;
        read_golden(&tensor, names[i]);
        assert_int_equal(tensor.type, GIG_INT64);
        for (int k = 0; k < 6; k++) {
            int64_t cut = (int64_t)values[k];
            int64_t wanted = names[i][0] == 'b' && names[i][1] == '1' ? values[k] > 0
                             : names[i][0] == 'u'                     ? llabs(cut)
                                                                      : cut;
            assert_true(tensor.whole[k] == wanted);
        }
        gig_tensor_clear(&tensor);
    }
}

static void reads_fortran_order_as_row_major(void **state)
{
    (void)state;
    const char *names[] = {"fortran", "fortran_big_f8"};
    for (int i = 0; i < 2; i++) {
        gig_tensor tensor;
        read_golden(&tensor, names[i]);
        assert_int_equal(tensor.rank, 3);
        for (int k = 0; k < 24; k++) assert_true(tensor.real[k] == (float)k);
        gig_tensor_clear(&tensor);
    }
}

static void reads_scalars_and_empty_arrays(void **state)
{
    (void)state;
    gig_tensor tensor;
    read_golden(&tensor, "scalar");
    assert_int_equal(tensor.rank, 0);
    assert_true(tensor.real[0] == 3.25f);
    gig_tensor_clear(&tensor);
    read_golden(&tensor, "empty");
    assert_int_equal(tensor.rank, 2);
    assert_int_equal(gig_tensor_count(&tensor), 0);
    gig_tensor_clear(&tensor);
}

static void reads_the_ends_of_the_half_type(void **state)
{
    (void)state;
    gig_tensor tensor;
    read_golden(&tensor, "special_f2");
    assert_true(tensor.real[0] == 0 && !signbit(tensor.real[0]));
    assert_true(tensor.real[1] == 0 && signbit(tensor.real[1]));
    assert_true(isinf(tensor.real[2]) && tensor.real[2] > 0);
    assert_true(isinf(tensor.real[3]) && tensor.real[3] < 0);
    assert_true(tensor.real[4] == 65504);
    assert_true(tensor.real[5] == 0x1p-24f);
    assert_true(tensor.real[6] == 0x1p-14f);
    assert_true(tensor.real[7] == 0x1.554p-2f);
    gig_tensor_clear(&tensor);
}

static void refuses_complex_text_and_records(void **state)
{
    (void)state;
    const char *names[] = {"complex", "text", "record"};
    for (int i = 0; i < 3; i++) {
        char path[256];
        snprintf(path, sizeof path, "tests/golden/base/%s.npy", names[i]);
        gig_tensor tensor;
        assert_status(gig_npy_read(&tensor, source_path(path)), GIG_EUNSUPPORTED);
        assert_null(tensor.data);
        assert_message(names[i]);
    }
}

/* Parses a version 1 file with this header and `data` zero bytes, in a block of exactly its size. */
static gig_status parse(gig_tensor *out, const char *header, size_t data)
{
    size_t length = strlen(header), whole = 10 + length + data;
    uint8_t *bytes = gig_alloc_zero(whole, 1);
    assert_non_null(bytes);
    memcpy(bytes, "\x93NUMPY\x01\x00", 8);
    bytes[8] = (uint8_t)(length & 255);
    bytes[9] = (uint8_t)(length >> 8);
    memcpy(bytes + 10, header, length);
    gig_status status = gig_npy_parse(out, bytes, whole);
    gig_free(bytes);
    return status;
}

static void refuses_hostile_headers(void **state)
{
    (void)state;
    const struct {
        const char *header;
        size_t data;
        gig_status status;
    } cases[] = {
        {"", 0, GIG_EFORMAT},
        {"{", 0, GIG_EFORMAT},
        {"{}", 0, GIG_EFORMAT},
        {"[]", 0, GIG_EFORMAT},
        {"{'descr': '<f4', 'fortran_order': False}", 0, GIG_EFORMAT},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)", 4, GIG_EFORMAT},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x", 4, GIG_EFORMAT},
        {"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", 4, GIG_EFORMAT},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': 1}", 4, GIG_EFORMAT},
        {"{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}", 4, GIG_EFORMAT},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': 1}", 4, GIG_EFORMAT},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", 4, GIG_EFORMAT},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1.5,)}", 4, GIG_EFORMAT},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2 2)}", 16, GIG_EFORMAT},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (,)}", 4, GIG_EFORMAT},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", 4, GIG_EFORMAT},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", 9, GIG_EFORMAT},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (0,)}", 1, GIG_EFORMAT},
        {"{'descr': '<f4\\'', 'fortran_order': False, 'shape': (1,)}", 4, GIG_EFORMAT},
        {"{'descr': 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'fortran_order': False, 'shape': (1,)}", 4, GIG_EFORMAT},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4)}", 4, GIG_ELIMIT},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", 4, GIG_ELIMIT},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", 4, GIG_ELIMIT},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1)}", 4, GIG_ELIMIT},
        {"{'descr': '<f4', 'fortran_order': True, 'shape': (1099511627776, 0, 1099511627776)}", 0, GIG_ELIMIT},
        {"{'descr': '<f16', 'fortran_order': False, 'shape': (1,)}", 16, GIG_EUNSUPPORTED},
        {"{'descr': '<i3', 'fortran_order': False, 'shape': (1,)}", 3, GIG_EUNSUPPORTED},
        {"{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", 8, GIG_EUNSUPPORTED},
        {"{'descr': '', 'fortran_order': False, 'shape': (1,)}", 4, GIG_EUNSUPPORTED},
        {"{'descr': '<', 'fortran_order': False, 'shape': (1,)}", 4, GIG_EUNSUPPORTED},
        {"{'descr': '|f4', 'fortran_order': False, 'shape': (1,)}", 4, GIG_EUNSUPPORTED},
    };
    size_t before = gig_memory_used();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gig_tensor tensor;
        gig_status status = parse(&tensor, cases[i].header, cases[i].data);
        if (status != cases[i].status) fail_msg("%s: %s (%s)", cases[i].header, gig_status_name(status), gig_message());
        assert_null(tensor.data);
        assert_int_equal(gig_memory_used(), before);
    }
}

static void accepts_other_spellings_of_a_header(void **state)
{
    (void)state;
    gig_tensor tensor;
    assert_ok(parse(&tensor, "{\"shape\":(2,1),\"descr\":\"=f4\",\"fortran_order\":False}\n\n", 8));
    assert_int_equal(tensor.rank, 2);
    gig_tensor_clear(&tensor);
    assert_ok(parse(&tensor, "{'descr': '|u1', 'fortran_order': True , 'shape': ( ) , }   ", 1));
    assert_int_equal(tensor.rank, 0);
    gig_tensor_clear(&tensor);
}

static void refuses_a_number_beyond_64_bits_with_sign(void **state)
{
    (void)state;
    uint8_t bytes[80] = "\x93NUMPY\x01\x00";
    const char *header = "{'descr': '<u8', 'fortran_order': False, 'shape': ()}";
    size_t length = strlen(header);
    bytes[8] = (uint8_t)length;
    memcpy(bytes + 10, header, length);
    memset(bytes + 10 + length, 255, 8);
    gig_tensor tensor;
    assert_status(gig_npy_parse(&tensor, bytes, 10 + length + 8), GIG_EUNSUPPORTED);
    assert_null(tensor.data);
}

/* Every prefix and every changed byte of a small file ends in a status or in a whole tensor. */
static void survives_every_prefix_and_every_changed_byte(void **state)
{
    (void)state;
    uint8_t *bytes;
    size_t count, before = gig_memory_used();
    assert_ok(gig_file_read(&bytes, &count, source_path("tests/golden/base/big_i2.npy"), 1 << 20));
    for (size_t length = 0; length < count; length++) {
        uint8_t *prefix = gig_alloc(length, 1);
        memcpy(prefix, bytes, length);
        gig_tensor tensor;
        assert_int_not_equal(gig_npy_parse(&tensor, prefix, length), GIG_OK);
        gig_free(prefix);
    }
    for (size_t place = 0; place < count; place++)
        for (int change = 1; change < 256; change++) {
            bytes[place] ^= (uint8_t)change;
            gig_tensor tensor;
            if (gig_npy_parse(&tensor, bytes, count) == GIG_OK) gig_tensor_clear(&tensor);
            bytes[place] ^= (uint8_t)change;
        }
    gig_free(bytes);
    assert_int_equal(gig_memory_used(), before);
}

static void writes_what_it_reads_back(void **state)
{
    (void)state;
    const int64_t shapes[][GIG_MAX_RANK] = {{0}, {5}, {2, 3}, {0, 4}, {1, 2, 1, 2, 1, 2, 1, 2}, {7, 1, 3}};
    const int ranks[] = {0, 1, 2, 2, 8, 3};
    for (int i = 0; i < 6; i++)
        for (int type = GIG_FLOAT32; type <= GIG_INT64; type++) {
            gig_tensor tensor, back;
            assert_ok(gig_tensor_create(&tensor, (gig_type)type, ranks[i], shapes[i]));
            for (size_t k = 0; k < gig_tensor_count(&tensor); k++) {
                if (type == GIG_FLOAT32)
                    tensor.real[k] = (float)k / 3 - 1;
                else
                    tensor.whole[k] = INT64_MIN + (int64_t)k;
            }
            const char *path = temporary_path("round.npy");
            assert_ok(gig_npy_write(path, &tensor, 1));
            assert_ok(gig_npy_read(&back, path));
            assert_int_equal(back.type, tensor.type);
            assert_true(gig_same_dims(&back, &tensor));
            if (gig_tensor_count(&tensor)) assert_memory_equal(back.data, tensor.data, gig_tensor_bytes(&tensor));
            gig_tensor_clear(&tensor);
            gig_tensor_clear(&back);
        }
}

static void writes_the_bytes_numpy_writes(void **state)
{
    (void)state;
    gig_tensor tensor = {.type = GIG_FLOAT32, .rank = 2, .dims = {2, 3}};
    float data[6];
    memcpy(data, values, sizeof data);
    tensor.real = data;
    assert_ok(gig_npy_write(temporary_path("ours.npy"), &tensor, 1));
    uint8_t *ours, *theirs;
    size_t our_count, their_count;
    assert_ok(gig_file_read(&ours, &our_count, temporary_path("ours.npy"), 1 << 20));
    assert_ok(gig_file_read(&theirs, &their_count, source_path("tests/golden/base/little_f4.npy"), 1 << 20));
    assert_int_equal(our_count, their_count);
    assert_memory_equal(ours, theirs, our_count);
    gig_free(ours);
    gig_free(theirs);
}

static void refuses_to_overwrite_an_array(void **state)
{
    (void)state;
    gig_tensor tensor;
    assert_ok(gig_tensor_create(&tensor, GIG_FLOAT32, 0, NULL));
    const char *path = temporary_path("once.npy");
    assert_ok(gig_npy_write(path, &tensor, 0));
    assert_status(gig_npy_write(path, &tensor, 0), GIG_EIO);
    gig_tensor_clear(&tensor);
}

/* Fails each allocation in turn, alone and with all that follow, until the round trip succeeds. */
static void survives_memory_running_out_anywhere(void **state)
{
    (void)state;
    size_t before = gig_memory_used(), refused = 0;
    const char *golden = source_path("tests/golden/base/fortran_big_f8.npy");
    for (int lasting = 0; lasting < 2; lasting++) {
        gig_status status = GIG_ENOMEM;
        for (size_t at = 0; status != GIG_OK; at++) {
            gig_tensor tensor;
            gig_memory_fail_at(at, lasting);
            status = gig_npy_read(&tensor, golden);
            if (status == GIG_OK) status = gig_npy_write(temporary_path("memory.npy"), &tensor, 1);
            gig_memory_fail_at(SIZE_MAX, 0);
            gig_tensor_clear(&tensor);
            assert_true(status == GIG_OK || status == GIG_ENOMEM);
            assert_int_equal(gig_memory_used(), before);
            refused += status != GIG_OK;
        }
    }
    assert_int_equal(refused, 6); /* file, tensor, temporary name; twice */
}

static void keeps_an_array_within_the_budget(void **state)
{
    (void)state;
    gig_memory_set_limit(gig_memory_used() + 300);
    gig_tensor tensor;
    gig_status status = gig_npy_read(&tensor, source_path("tests/golden/base/fortran.npy"));
    gig_memory_set_limit(0);
    assert_int_equal(status, GIG_ELIMIT);
    assert_null(tensor.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_every_floating_type_in_both_byte_orders),
        cmocka_unit_test(reads_every_integer_type_in_both_byte_orders),
        cmocka_unit_test(reads_fortran_order_as_row_major),
        cmocka_unit_test(reads_scalars_and_empty_arrays),
        cmocka_unit_test(reads_the_ends_of_the_half_type),
        cmocka_unit_test(refuses_complex_text_and_records),
        cmocka_unit_test(refuses_hostile_headers),
        cmocka_unit_test(accepts_other_spellings_of_a_header),
        cmocka_unit_test(refuses_a_number_beyond_64_bits_with_sign),
        cmocka_unit_test(survives_every_prefix_and_every_changed_byte),
        cmocka_unit_test(writes_what_it_reads_back),
        cmocka_unit_test(writes_the_bytes_numpy_writes),
        cmocka_unit_test(refuses_to_overwrite_an_array),
        cmocka_unit_test(survives_memory_running_out_anywhere),
        cmocka_unit_test(keeps_an_array_within_the_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
