#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Golden blurs of SciPy -> tests/golden/image_blur.npz. Run from the source root.

in: float32 [14,27,3]; constant_{sigma}: gaussian_filter of the float32 picture, mode constant; tangent_{sigma}: the
difference quotient over 0.01 computed in float64; mirror_{rows}_{columns}: mode reflect, own sigma per axis, float64."""
import numpy
from scipy.ndimage import gaussian_filter

picture = numpy.random.RandomState(0).rand(14, 27, 3).astype(numpy.float32)
arrays = {"in": picture}
for sigma in (0.1, 0.875, 3.3, 35.0):
    arrays["constant_%g" % sigma] = gaussian_filter(picture, (sigma, sigma, 0), mode="constant")
    wide = picture.astype(numpy.float64)
    ahead, here = (gaussian_filter(wide, (s, s, 0), mode="constant") for s in (sigma + 0.01, sigma))
    arrays["tangent_%g" % sigma] = ((ahead - here) / 0.01).astype(numpy.float32)
for rows, columns in ((0.8, 0.8), (0, 2), (9, 0.5)):
    blurred = gaussian_filter(picture.astype(numpy.float64), (rows, columns, 0), mode="reflect")
    arrays["mirror_%g_%g" % (rows, columns)] = blurred.astype(numpy.float32)
numpy.savez_compressed("tests/golden/image_blur.npz", **arrays)
