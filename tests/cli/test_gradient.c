/* SPDX-License-Identifier: Apache-2.0 */
/* gig gradient as a user runs it, against PyTorch's numbers and a closed form. */
#include "cli/run_program.h"
#include "internal/tensor.h"
#include <dirent.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <signal.h>
#include <sys/wait.h>

static void expect_values(const float *wanted, size_t count)
{
    char *text = content("stdout"), *at = text;
    float got[16];
    for (size_t i = 0; i < count; i++) got[i] = strtof(at, &at);
    assert_string_equal(at, "\n");
    assert_close(got, wanted, count, 1e-5, 1e-7);
    gig_free(text);
}

static void expect_array(const char *path, const gig_tensor *wanted)
{
    gig_tensor got;
    assert_ok(gig_npy_read(&got, path));
    assert_int_equal(got.rank, wanted->rank);
    for (int i = 0; i < got.rank; i++) assert_int_equal(got.dims[i], wanted->dims[i]);
    assert_l2(got.real, wanted->real, gig_tensor_count(wanted), 1e-5);
    gig_tensor_clear(&got);
}

static void read_golden(gig_tensor *out, const char *scalar, const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "tests/golden/cli/%s.npz", scalar);
    assert_ok(gig_npz_read(out, source_path(path), name));
}

static void gives_the_values_and_gradients_of_every_scalar(void **state)
{
    (void)state;
    const char *scalars[] = {"logit", "softmax", "logprob", "sigmoid"};
    for (int i = 0; i < 4; i++) {
        gig_tensor values, gradient, hidden;
        read_golden(&values, scalars[i], "values");
        read_golden(&gradient, scalars[i], "gradient");
        read_golden(&hidden, scalars[i], "hidden");
        char out[512];
        snprintf(out, sizeof out, "%s", temporary_path("gradient.npy"));
        assert_int_equal(run("gradient small.onnx --tensor points.npy --class 2 --of %s -o %s -f", scalars[i], out), 0);
        expect_values(values.real, 5);
        expect_array(out, &gradient);
        assert_int_equal(
            run("gradient small.onnx --tensor x=points.npy --class 2 --of %s -o %s -f --at hidden", scalars[i], out),
            0);
        expect_values(values.real, 5);
        expect_array(out, &hidden);
        gig_tensor_clear(&values);
        gig_tensor_clear(&gradient);
        gig_tensor_clear(&hidden);
    }
}

static void gives_the_same_bits_for_1_2_and_3_threads(void **state)
{
    (void)state;
    for (int batch = 1; batch <= 2; batch++) {
        uint8_t *first = NULL, *next;
        size_t bytes, size;
        for (int threads = 1; threads <= 3; threads++) {
            assert_int_equal(run("gradient small.onnx --tensor points.npy --class 4 -b %d -j %d -o %s -f", batch,
                                 threads, temporary_path("bits.npy")),
                             0);
            assert_ok(gig_file_read(&next, &size, temporary_path("bits.npy"), 1 << 20));
            if (threads == 1) {
                first = next;
                bytes = size;
                continue;
            }
            assert_int_equal(size, bytes);
            assert_memory_equal(next, first, bytes);
            gig_free(next);
        }
        gig_free(first);
    }
}

/* d (x_1 m_1) / d x = (0, m_1, 0) with m = (2, -3, 0.5). */
static void keeps_a_second_input_fixed(void **state)
{
    (void)state;
    char out[512];
    snprintf(out, sizeof out, "%s", temporary_path("product.npy"));
    assert_int_equal(
        run("gradient product.onnx --tensor product_x.npy --tensor m=product_m.npy --class 1 --of logit -o %s", out),
        0);
    gig_tensor x, gradient;
    assert_ok(gig_npy_read(&x, source_path("tests/golden/cli/product_x.npy")));
    assert_ok(gig_npy_read(&gradient, out));
    float values[4];
    for (int i = 0; i < 4; i++) {
        values[i] = -3 * x.real[3 * i + 1];
        assert_true(gradient.real[3 * i] == 0 && gradient.real[3 * i + 1] == -3 && gradient.real[3 * i + 2] == 0);
    }
    expect_values(values, 4);
    gig_tensor_clear(&x);
    gig_tensor_clear(&gradient);
}

static void prints_json_with_a_point_in_every_number(void **state)
{
    (void)state;
    assert_int_equal(run("gradient small.onnx --tensor points.npy --class 2 --of logit --json"), 0);
    char *text = content("stdout");
    json_t *root = json_loads(text, 0, NULL);
    assert_non_null(root);
    gig_tensor values;
    read_golden(&values, "logit", "values");
    json_t *list = json_object_get(root, "values");
    assert_int_equal(json_array_size(list), 5);
    for (size_t i = 0; i < 5; i++)
        assert_true(fabs(json_real_value(json_array_get(list, i)) - (double)values.real[i]) < 1e-5);
    assert_int_equal(json_integer_value(json_object_get(root, "class")), 2);
    assert_string_equal(json_string_value(json_object_get(root, "of")), "logit");
    assert_true(json_is_null(json_object_get(root, "gradients")));
    gig_tensor_clear(&values);
    json_decref(root);
    gig_free(text);
}

static void refuses_before_any_work(void **state)
{
    (void)state;
    char there[512];
    snprintf(there, sizeof there, "%s", temporary_file("there.npy", "kept", 4));
    expect_run(5, "stderr", "exists already; --force overwrites it",
               run("gradient small.onnx --tensor points.npy --class 2 -o %s", there));
    char *kept = content("there.npy");
    assert_string_equal(kept, "kept");
    gig_free(kept);
    expect_run(1, "stderr", "gig: gradient: --class is missing\n", run("gradient small.onnx --tensor points.npy"));
    expect_run(1, "stderr", "--tensor [NAME=]X.npy is missing: a floating-point array",
               run("gradient small.onnx --class 2"));
    expect_run(1, "stderr", "5", run("gradient small.onnx --tensor points.npy --class 5"));
    expect_run(1, "stderr", "NAME=X.npy",
               run("gradient product.onnx --tensor product_x.npy --tensor product_m.npy --class 1"));
    expect_run(1, "stderr", "the model has no tensor \"nowhere\"",
               run("gradient small.onnx --tensor points.npy --class 2 --at nowhere"));
    expect_run(1, "stderr", "gig: ", run("gradient small.onnx --tensor product_x.npy --class 2"));
    expect_run(1, "stderr", "--shape \"x=1,,3\": expected NAME=D,D",
               run("gradient small.onnx --tensor points.npy --class 2 --shape x=1,,3"));
    expect_run(2, "stderr", "small.onnx: not an npy file", run("gradient small.onnx --tensor small.onnx --class 2"));
    expect_run(3, "stderr", "memory budget", run("gradient small.onnx --tensor points.npy --class 2 --memory 3K"));
}

/* Waits until the process has opened the pipe a second time, as what it reads from. */
static void wait_for_reader(pid_t process, int end)
{
    char folder[64], path[400], wanted[64] = "", target[64];
    ssize_t length;
    snprintf(path, sizeof path, "/proc/self/fd/%d", end);
    length = readlink(path, wanted, sizeof wanted - 1);
    assert_true(length > 0);
    snprintf(folder, sizeof folder, "/proc/%d/fd", (int)process);
    for (int tries = 0, found = 0; found < 2 && tries < 20000; tries++, usleep(1000)) {
        found = 0;
        char exe[400] = "";
        snprintf(path, sizeof path, "/proc/%d/exe", (int)process);
        length = readlink(path, exe, sizeof exe - 1);
        if (length < 4 || strcmp(exe + length - 4, "/gig")) continue;
        DIR *list = opendir(folder);
        for (struct dirent *entry; list && (entry = readdir(list));) {
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            length = readlink(path, target, sizeof target - 1);
            if (length > 0) target[length] = 0;
            found += length > 0 && strcmp(target, wanted) == 0;
        }
        if (list) closedir(list);
    }
}

/* The program waits for its points in a pipe that nobody writes to when the signal comes. */
static void ends_by_a_signal_without_leaving_a_file(void **state)
{
    (void)state;
    const int signals[] = {SIGINT, SIGTERM};
    for (int i = 0; i < 2; i++) {
        char out[512], errors[512];
        int ends[2], status;
        snprintf(out, sizeof out, "%s", temporary_path("never.npy"));
        snprintf(errors, sizeof errors, "%s", temporary_path("stderr"));
        assert_int_equal(pipe(ends), 0);
        pid_t child = fork();
        if (child == 0) {
            char model[1024];
            snprintf(model, sizeof model, "%s", source_path("tests/golden/cli/small.onnx"));
            dup2(ends[0], STDIN_FILENO);
            close(ends[0]);
            close(ends[1]);
            dup2(open(errors, O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
            dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
            execl(program(), "gig", "gradient", model, "--tensor", "/dev/stdin", "--class", "2", "-o", out,
                  (char *)NULL);
            _exit(99);
        }
        close(ends[0]);
        wait_for_reader(child, ends[1]);
        assert_int_equal(kill(child, signals[i]), 0);
        assert_int_equal(waitpid(child, &status, 0), child);
        close(ends[1]);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 128 + signals[i]);
        char *text = content("stderr");
        assert_string_equal(text, "gig: interrupted\n");
        gig_free(text);
        assert_int_not_equal(access(out, F_OK), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_the_values_and_gradients_of_every_scalar),
        cmocka_unit_test(gives_the_same_bits_for_1_2_and_3_threads),
        cmocka_unit_test(keeps_a_second_input_fixed),
        cmocka_unit_test(prints_json_with_a_point_in_every_number),
        cmocka_unit_test(refuses_before_any_work),
        cmocka_unit_test(ends_by_a_signal_without_leaving_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
