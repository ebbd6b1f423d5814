/* SPDX-License-Identifier: Apache-2.0 */
/* The exact triangulation, and pictures filled from it. */
#include "base/memory.h"
#include "base/rng.h"
#include "internal/tensor.h"
#include "score/delaunay.h"
#include "score/fill_pixels.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The circle through a triangle holds no pixel, by the textbook determinant in a wider type. */
static void assert_circle_is_empty(const gig_pixel *pixels, size_t count, const uint32_t corners[3])
{
    for (size_t i = 0; i < count; i++) {
        long double m[3][3], d;
        for (int k = 0; k < 3; k++) {
            m[k][0] = pixels[corners[k]].row - pixels[i].row;
            m[k][1] = pixels[corners[k]].column - pixels[i].column;
            m[k][2] = m[k][0] * m[k][0] + m[k][1] * m[k][1];
        }
        d = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
            m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
        assert_true(d <= 0);
    }
}

/* Random pixels of a height x width grid, with its corners so that the hull is the whole of it. */
static size_t draw_pixels(gig_pixel *pixels, int height, int width, double density, uint64_t stream)
{
    gig_rng rng = {.seed = 7, .stream = stream};
    size_t count = 0;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int corner = (y == 0 || y == height - 1) && (x == 0 || x == width - 1);
            if (corner || gig_rng_uniform(rng, (uint64_t)(y * width + x)) < density)
                pixels[count++] = (gig_pixel){y, x};
        }
    return count;
}

static void covers_the_grid_with_empty_circles(void **state)
{
    (void)state;
    gig_pixel *pixels = calloc(32 * 32, sizeof *pixels);
    const int sizes[][2] = {{2, 2}, {2, 31}, {31, 2}, {5, 7}, {24, 32}};
    const double densities[] = {0, 0.03, 0.2, 0.6, 1};
    for (int s = 0; s < 5; s++)
        for (int d = 0; d < 5; d++)
            for (uint64_t stream = 0; stream < 4; stream++) {
                size_t count = draw_pixels(pixels, sizes[s][0], sizes[s][1], densities[d], stream);
                gig_triangles triangles;
                assert_int_equal(gig_delaunay(&triangles, pixels, count), GIG_OK);
                int64_t area = 0;
                for (size_t i = 0; i < triangles.count; i++) {
                    const uint32_t *at = triangles.corners[i];
                    int64_t twice = gig_pixel_cross(pixels[at[0]], pixels[at[1]], pixels[at[2]]);
                    assert_true(twice > 0);
                    area += twice;
                    assert_circle_is_empty(pixels, count, at);
                }
                assert_true(area == 2 * (sizes[s][0] - 1) * (sizes[s][1] - 1));
                gig_triangles_clear(&triangles);
            }
    free(pixels);
}

static void has_no_triangles_on_a_line(void **state)
{
    (void)state;
    gig_pixel row[9], slope[9];
    for (int i = 0; i < 9; i++) {
        row[i] = (gig_pixel){0, 2 * i};
        slope[i] = (gig_pixel){i, 3 * i};
    }
    gig_triangles triangles;
    for (size_t count = 0; count <= 9; count++) {
        assert_int_equal(gig_delaunay(&triangles, row, count), GIG_OK);
        assert_true(triangles.count == 0);
        gig_triangles_clear(&triangles);
        assert_int_equal(gig_delaunay(&triangles, slope, count), GIG_OK);
        assert_true(triangles.count == 0);
        gig_triangles_clear(&triangles);
    }
}

/* The largest coordinates: the in-circle test must not wrap. */
static void holds_at_the_largest_side(void **state)
{
    (void)state;
    const int32_t far = GIG_DELAUNAY_SIDE - 1;
    const gig_pixel pixels[] = {{0, 0}, {0, far}, {1, 1}, {far / 2, far / 2}, {far - 1, far}, {far, 0}, {far, far}};
    gig_triangles triangles;
    assert_int_equal(gig_delaunay(&triangles, pixels, 7), GIG_OK);
    int64_t area = 0;
    for (size_t i = 0; i < triangles.count; i++) {
        const uint32_t *at = triangles.corners[i];
        area += gig_pixel_cross(pixels[at[0]], pixels[at[1]], pixels[at[2]]);
        assert_circle_is_empty(pixels, 7, at);
    }
    assert_true(area == 2 * (int64_t)far * far);
    gig_triangles_clear(&triangles);
}

static void fills_the_toys_exactly(void **state)
{
    (void)state;
    const float peak[9] = {0, 0, 0, 1, 8, 1, 0, 0, 0}, expected[9] = {0, 0, 0, 1, 0.5f, 0, 0, 0, 0};
    const uint8_t left[9] = {0, 0, 0, 1, 0, 0, 0, 0, 0};
    float out[9];
    assert_int_equal(gig_fill(out, peak, left, 3, 3, 1), GIG_OK);
    assert_memory_equal(out, expected, sizeof out);

    float corners[5 * 7] = {0}, filled[5 * 7];
    const uint8_t none[5 * 7] = {0};
    corners[0] = corners[6] = corners[28] = corners[34] = 1;
    assert_int_equal(gig_fill(filled, corners, none, 5, 7, 1), GIG_OK);
    for (int i = 0; i < 35; i++) assert_true(filled[i] == 1);
}

static void returns_a_fully_known_picture(void **state)
{
    (void)state;
    uint8_t image[6 * 5 * 3], known[6 * 5], out[6 * 5 * 3];
    for (size_t i = 0; i < sizeof image; i++) image[i] = (uint8_t)(i * 37);
    memset(known, 1, sizeof known);
    assert_int_equal(gig_fill_bytes(out, image, known, 6, 5, 3), GIG_OK);
    assert_memory_equal(out, image, sizeof image);
}

/* A linear picture is its own interpolation, whatever the triangles. */
static void reproduces_a_plane(void **state)
{
    (void)state;
    enum { SIDE = 40 };
    float image[SIDE * SIDE], out[SIDE * SIDE];
    uint8_t known[SIDE * SIDE];
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) image[y * SIDE + x] = (float)(3 * x - 2 * y + 11);
    for (uint64_t stream = 0; stream < 6; stream++) {
        for (uint64_t i = 0; i < SIDE * SIDE; i++)
            known[i] = gig_rng_uniform((gig_rng){1, stream}, i) < 0.02 * (double)(1u << stream);
        assert_int_equal(gig_fill(out, image, known, SIDE, SIDE, 1), GIG_OK);
        assert_memory_equal(out, image, sizeof out);
    }
}

static void rounds_halves_to_even(void **state)
{
    (void)state;
    const uint8_t image[] = {0, 9, 1, 0, 9, 1, 2, 9, 3, 2, 9, 3}, known[12] = {0};
    uint8_t out[12];
    assert_int_equal(gig_fill_bytes(out, image, known, 2, 3, 1), GIG_OK);
    assert_int_equal(out[1], 0);
    assert_int_equal(gig_fill_bytes(out, image + 6, known, 2, 3, 1), GIG_OK);
    assert_int_equal(out[1], 2);
}

static void read_bytes(uint8_t *out, size_t count, const char *name, int index)
{
    char path[512], key[32];
    const char *root = getenv("GIG_SOURCE");
    snprintf(path, sizeof path, "%s/tests/golden/score_fill.npz", root ? root : ".");
    snprintf(key, sizeof key, index < 0 ? "%s" : "%s_%d", name, index);
    gig_tensor tensor;
    if (gig_npz_read(&tensor, path, key) != GIG_OK) fail_msg("%s", gig_message());
    assert_true(tensor.type == GIG_INT64 && gig_tensor_count(&tensor) == count);
    for (size_t i = 0; i < count; i++) out[i] = (uint8_t)tensor.whole[i];
    gig_tensor_clear(&tensor);
}

/* Co-circular pixels may be cut either way, so single pixels differ; their mean over the filled ones must not. */
static void agrees_with_scipy(void **state)
{
    (void)state;
    enum { H = 64, W = 80, N = H * W };
    static uint8_t image[N * 3], mask[N], filled[N * 3], out[N * 3];
    read_bytes(image, N * 3, "picture", -1);
    for (int index = 0; index < 5; index++) {
        read_bytes(mask, N, "mask", index);
        read_bytes(filled, N * 3, "filled", index);
        assert_int_equal(gig_fill_bytes(out, image, mask, H, W, 3), GIG_OK);
        double sum = 0, count = 0;
        for (size_t i = 0; i < N * 3; i++) {
            if (mask[i / 3]) assert_int_equal(out[i], image[i]);
            sum += abs(out[i] - filled[i]);
            count += !mask[i / 3];
        }
        print_message("# mask %d: mean difference %.3f of 255 over %.0f values\n", index, sum / count, count);
        assert_true(sum / count <= (index < 2 ? 0.1 : 1.0));
    }
}

static void refuses_what_has_no_inside(void **state)
{
    (void)state;
    float image[4] = {0}, out[4];
    const uint8_t known[4] = {0};
    assert_int_equal(gig_fill(out, image, known, 1, 4, 1), GIG_EARG);
    assert_int_equal(gig_fill(out, image, known, 4, 1, 1), GIG_EARG);
    assert_int_equal(gig_fill(out, image, known, GIG_DELAUNAY_SIDE + 1, 2, 1), GIG_ELIMIT);
}

static void gives_back_memory_when_it_runs_out(void **state)
{
    (void)state;
    uint8_t image[8 * 8] = {1}, known[8 * 8] = {0}, out[8 * 8];
    size_t before = gig_memory_used(), at = 0;
    for (gig_status status = GIG_ENOMEM; status != GIG_OK; at++) {
        gig_memory_fail_at(at, 0);
        status = gig_fill_bytes(out, image, known, 8, 8, 1);
        assert_true(status == GIG_OK || status == GIG_ENOMEM);
        assert_true(gig_memory_used() == before);
    }
    gig_memory_fail_at(SIZE_MAX, 0);
    assert_true(at == 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(covers_the_grid_with_empty_circles),
        cmocka_unit_test(has_no_triangles_on_a_line),
        cmocka_unit_test(holds_at_the_largest_side),
        cmocka_unit_test(fills_the_toys_exactly),
        cmocka_unit_test(returns_a_fully_known_picture),
        cmocka_unit_test(reproduces_a_plane),
        cmocka_unit_test(rounds_halves_to_even),
        cmocka_unit_test(agrees_with_scipy),
        cmocka_unit_test(refuses_what_has_no_inside),
        cmocka_unit_test(gives_back_memory_when_it_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
