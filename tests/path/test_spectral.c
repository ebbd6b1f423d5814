/* SPDX-License-Identifier: Apache-2.0 */
/* Spectral paths against NumPy and SciPy, and what any curve must keep. */
#include "base/rng.h"
#include "closed_form.h"
#include "golden/path_spectral.h"
#include "internal/path.h"
#include "path/decompose.h"
#include "support.h"

enum { TALL = 9 * 6 * 3, WIDE = 5 * 8 * 2 };
static const double alphas[] = {0.13, 0.37, 0.6, 0.81};

/* sum of sin(3 x_i) x_(i+1) */
static double neighbours(const float *x, size_t n, size_t target, float *g)
{
    (void)target;
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double here = (double)x[i], after = (double)x[(i + 1) % n], before = (double)x[(i + n - 1) % n];
        sum += sin(3 * here) * after;
        if (g) g[i] = (float)(3 * cos(3 * here) * after + sin(3 * before));
    }
    return sum;
}

typedef struct golden {
    gig_spectral_options options;
    const double *values, *points, *tangents, *sums;
    size_t features;
} golden;

static const golden all[] = {
    {{.start = tall_start, .end = tall_end, .height = 9, .width = 6, .channels = 3},
     tall_values,
     tall_svd_points,
     tall_svd_tangents,
     tall_svd_sums,
     TALL},
    {{.start = tall_start, .end = tall_end, .height = 9, .width = 6, .channels = 3, .basis = GIG_BASIS_DCT},
     NULL,
     tall_dct_points,
     tall_dct_tangents,
     tall_dct_sums,
     TALL},
    {{.start = wide_start, .end = wide_end, .height = 5, .width = 8, .channels = 2, .overlap = 0.4},
     wide_values,
     wide_svd_points,
     wide_svd_tangents,
     wide_svd_sums,
     WIDE},
    {{.start = wide_start, .end = wide_end, .height = 5, .width = 8, .channels = 2, .basis = GIG_BASIS_DCT},
     NULL,
     wide_dct_points,
     wide_dct_tangents,
     wide_dct_sums,
     WIDE},
};
enum { GOLDENS = sizeof all / sizeof *all };

static gig_spectral_path *make(const gig_spectral_options *options)
{
    gig_spectral_path *path;
    assert_ok(gig_spectral_create(&path, options));
    return path;
}

static void *new_scratch(const gig_curve *curve)
{
    void *scratch = aligned_alloc(64, (curve->scratch_size(curve->self) + 63) / 64 * 64);
    assert_non_null(scratch);
    return scratch;
}

static void walks_through_the_points_of_numpy(void **state)
{
    (void)state;
    for (size_t k = 0; k < GOLDENS; k++) {
        gig_spectral_path *path = make(&all[k].options);
        gig_curve curve = gig_curve_spectral(path);
        void *scratch = new_scratch(&curve);
        for (size_t a = 0; a < 4; a++) {
            float point[TALL], tangent[TALL];
            assert_ok(curve.at(curve.self, scratch, alphas[a], point, tangent));
            for (size_t i = 0; i < all[k].features; i++) {
                assert_true(fabs((double)point[i] - all[k].points[a * all[k].features + i]) < 2e-6);
                assert_true(fabs((double)tangent[i] - all[k].tangents[a * all[k].features + i]) < 5e-6);
            }
        }
        free(scratch);
        gig_spectral_free(path);
    }
}

static void gives_the_attributions_of_numpy(void **state)
{
    (void)state;
    for (size_t k = 0; k < GOLDENS; k++) {
        double a[TALL];
        gig_spectral_path *path = make(&all[k].options);
        gig_curve curve = gig_curve_spectral(path);
        closed model = {.form = neighbours, .features = all[k].features};
        gig_function function = closed_function(&model, 1);
        gig_chain chain = {.curve = &curve, .steps = 40, .rule = GIG_RULE_MIDPOINT};
        gig_chain_result result;
        assert_ok(gig_chain_run(&result, a, (gig_functions){1, &function}, &chain, NULL, NULL, NULL));
        for (size_t i = 0; i < all[k].features; i++) assert_true(fabs(a[i] - all[k].sums[i]) < 1e-5);
        gig_spectral_free(path);
    }
}

/* Its ends are exact, its tangents integrate to end - start, and with many steps the map adds up. */
static void runs_from_start_to_end(void **state)
{
    (void)state;
    for (size_t k = 0; k < GOLDENS; k++)
        for (int planar = 0; planar < 2; planar++) {
            gig_spectral_options options = all[k].options;
            options.planar = planar;
            gig_spectral_path *path = make(&options);
            gig_curve curve = gig_curve_spectral(path);
            void *scratch = new_scratch(&curve);
            float point[TALL], tangent[TALL];
            double length[TALL] = {0};
            assert_ok(curve.at(curve.self, scratch, 0, point, NULL));
            assert_memory_equal(point, options.start, all[k].features * sizeof *point);
            assert_ok(curve.at(curve.self, scratch, 1, point, NULL));
            assert_memory_equal(point, options.end, all[k].features * sizeof *point);
            for (size_t s = 0; s < 4000; s++) {
                assert_ok(curve.at(curve.self, scratch, ((double)s + 0.5) / 4000, point, tangent));
                for (size_t i = 0; i < all[k].features; i++) length[i] += (double)tangent[i] / 4000;
            }
            for (size_t i = 0; i < all[k].features; i++)
                assert_true(fabs(length[i] - ((double)options.end[i] - (double)options.start[i])) < 3e-3);
            free(scratch);
            closed model = {.form = neighbours, .features = all[k].features};
            gig_function function = closed_function(&model, 1);
            gig_chain chain = {.curve = &curve, .steps = 4000, .rule = GIG_RULE_MIDPOINT};
            gig_chain_result result;
            assert_ok(gig_chain_run(&result, NULL, (gig_functions){1, &function}, &chain, NULL, NULL, NULL));
            assert_true(fabs(result.delta) < 2e-2); /* each part has two kinks */
            gig_spectral_free(path);
        }
}

static void finds_the_singular_values_of_numpy(void **state)
{
    (void)state;
    for (size_t k = 0; k < GOLDENS; k++) {
        const gig_spectral_options *o = &all[k].options;
        if (!all[k].values) continue;
        size_t parts = o->height < o->width ? o->height : o->width, rows = o->height * o->width / parts;
        for (size_t c = 0; c < o->channels; c++) {
            double matrix[64], left[64], values[8];
            for (size_t r = 0; r < rows; r++)
                for (size_t j = 0; j < parts; j++) {
                    size_t pixel = o->width > o->height ? j * o->width + r : r * o->width + j;
                    matrix[r * parts + j] =
                        (double)o->end[pixel * o->channels + c] - (double)o->start[pixel * o->channels + c];
                }
            assert_ok(gig_decompose(left, values, matrix, rows, parts));
            for (size_t i = 0; i < parts; i++) assert_true(fabs(values[i] - all[k].values[c * parts + i]) < 1e-12);
        }
    }
}

/* Orthogonal to 1e-12, and u u^T A gives A back; also of less than full rank, of equal values, and of nothing. */
static void splits_any_matrix(void **state)
{
    (void)state;
    enum { ROWS = 70, COLUMNS = 50 };
    static double matrix[ROWS * COLUMNS], left[ROWS * COLUMNS], values[COLUMNS];
    for (int kind = 0; kind < 5; kind++) {
        for (size_t r = 0; r < ROWS; r++)
            for (size_t c = 0; c < COLUMNS; c++) {
                double noise = gig_rng_normal((gig_rng){7, (uint64_t)kind}, r * COLUMNS + c);
                double low = sin(0.1 * (double)(r * c)) * 1e-3 + (double)((r + c) % 3);
                matrix[r * COLUMNS + c] = kind == 0   ? noise
                                          : kind == 1 ? (double)((r * c) % 4) /* few ranks */
                                          : kind == 2 ? (r == c)
                                          : kind == 3 ? 0
                                                      : low * 1e20;
            }
        assert_ok(gig_decompose(left, values, matrix, ROWS, COLUMNS));
        for (size_t i = 0; i < COLUMNS; i++) {
            assert_true(i == 0 || values[i] <= values[i - 1]);
            for (size_t j = 0; j < i; j++) {
                double dot = 0;
                for (size_t r = 0; r < ROWS; r++) dot += left[i * ROWS + r] * left[j * ROWS + r];
                assert_true(fabs(dot) < 1e-12);
            }
        }
        double largest = values[0] > 0 ? values[0] : 1;
        for (size_t c = 0; c < COLUMNS; c++) {
            double back[ROWS] = {0};
            for (size_t i = 0; i < COLUMNS; i++) {
                double dot = 0;
                for (size_t r = 0; r < ROWS; r++) dot += left[i * ROWS + r] * matrix[r * COLUMNS + c];
                for (size_t r = 0; r < ROWS; r++) back[r] += dot * left[i * ROWS + r];
            }
            for (size_t r = 0; r < ROWS; r++) assert_true(fabs(back[r] - matrix[r * COLUMNS + c]) < 1e-12 * largest);
        }
    }
}

static void refuses_what_makes_no_path(void **state)
{
    (void)state;
    const float good[4] = {1, 2, 3, 4}, bad[4] = {1, NAN, 3, 4};
    gig_spectral_path *path;
    gig_spectral_options options = {.start = good, .end = bad, .height = 2, .width = 2, .channels = 1};
    assert_status(gig_spectral_create(&path, &options), GIG_ENUMERIC);
    options.end = good;
    options.overlap = 1.5;
    assert_status(gig_spectral_create(&path, &options), GIG_EARG);
    options.overlap = 0;
    options.basis = (gig_basis)2;
    assert_status(gig_spectral_create(&path, &options), GIG_EARG);
    options.basis = GIG_BASIS_SVD;
    options.height = 0;
    assert_status(gig_spectral_create(&path, &options), GIG_EARG);
    options.height = 5000;
    assert_status(gig_spectral_create(&path, &options), GIG_ELIMIT);
    gig_spectral_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walks_through_the_points_of_numpy),
        cmocka_unit_test(gives_the_attributions_of_numpy),
        cmocka_unit_test(runs_from_start_to_end),
        cmocka_unit_test(finds_the_singular_values_of_numpy),
        cmocka_unit_test(splits_any_matrix),
        cmocka_unit_test(refuses_what_makes_no_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
