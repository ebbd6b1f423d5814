/* SPDX-License-Identifier: Apache-2.0 */
/* Golden arrays for the tests of pictures. */
#ifndef TESTS_IMAGE_GOLDEN_H
#define TESTS_IMAGE_GOLDEN_H

#include "base/file.h"
#include "base/memory.h"
#include "gig/image.h"
#include "internal/tensor.h"
#include "support.h"

/* The array `name` of tests/golden/`file`; clear it. */
static inline gig_tensor golden(const char *file, const char *name)
{
    char below[256];
    snprintf(below, sizeof below, "tests/golden/%s", file);
    gig_tensor out = {0};
    assert_ok(gig_npz_read(&out, source_path(below), name));
    return out;
}

/* Bytes [height, width] or [height, width, channels] as a picture of its own; clears the tensor. */
static inline gig_image to_image(gig_tensor *bytes)
{
    gig_image out;
    size_t channels = bytes->rank == 3 ? (size_t)bytes->dims[2] : 1;
    assert_int_equal(bytes->type, GIG_INT64);
    assert_int_equal(gig_image_create(&out, (size_t)bytes->dims[1], (size_t)bytes->dims[0], channels), GIG_OK);
    for (size_t i = 0; i < gig_tensor_count(bytes); i++) out.pixels[i] = (uint8_t)bytes->whole[i];
    gig_tensor_clear(bytes);
    return out;
}

static inline gig_image golden_image(const char *file, const char *name)
{
    gig_tensor bytes = golden(file, name);
    return to_image(&bytes);
}

/* The path of a picture file in tests/golden/pictures. */
static inline const char *fixture_path(const char *name)
{
    char below[256];
    snprintf(below, sizeof below, "tests/golden/pictures/%s", name);
    return source_path(below);
}

/* Its bytes; free them with gig_free. */
static inline uint8_t *fixture(size_t *bytes, const char *name)
{
    uint8_t *data;
    assert_ok(gig_file_read(&data, bytes, fixture_path(name), 1 << 20));
    return data;
}

static inline void assert_same_image(const gig_image *seen, const gig_image *wanted, const char *name)
{
    if (seen->width != wanted->width || seen->height != wanted->height || seen->channels != wanted->channels)
        fail_msg("%s: %zu x %zu x %zu, not %zu x %zu x %zu", name, seen->width, seen->height, seen->channels,
                 wanted->width, wanted->height, wanted->channels);
    for (size_t i = 0; i < seen->width * seen->height * seen->channels; i++)
        if (seen->pixels[i] != wanted->pixels[i])
            fail_msg("%s: value %zu is %d, not %d", name, i, seen->pixels[i], wanted->pixels[i]);
}

static inline void assert_near(const float *seen, const gig_tensor *wanted, double tolerance, const char *name)
{
    for (size_t i = 0; i < gig_tensor_count(wanted); i++)
        if (!(fabs((double)seen[i] - (double)wanted->real[i]) <= tolerance))
            fail_msg("%s: value %zu is %.9g, not %.9g", name, i, (double)seen[i], (double)wanted->real[i]);
}

#endif
