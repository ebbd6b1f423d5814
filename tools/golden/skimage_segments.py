#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Golden segments of scikit-image's felzenszwalb -> tests/golden/image_segments.npz. Run from the source root.

in: float32 [56,64,3] in [-1,1]; labels_{scale}: int [56,64], sigma 0.8, min_size 20; grey: float32 [30,30];
grey_labels: scale 100, sigma 0.5, min_size 5.

With arguments OUT.npz PICTURE...: the six label maps XRAI makes of each picture (normalised to [-1,1], 224 x 224), as
picture_{i} (float64 [224,224,3]) and labels_{i} (int [6,224,224]), to compare with on real pictures."""
import sys
import numpy
from PIL import Image
from skimage.segmentation import felzenszwalb
from skimage.transform import resize

SCALES = (50, 100, 150, 250, 500, 1200)


def scene(height, width):
    """Discs and a ramp with noise: segments of many sizes, hardly two equal weights."""
    random = numpy.random.RandomState(3)
    y, x = numpy.mgrid[0:height, 0:width]
    picture = numpy.stack([x / width, y / height, (x + y) / (width + height)], axis=2)
    for _ in range(7):
        cy, cx, r = random.rand() * height, random.rand() * width, 4 + random.rand() * 10
        picture[(y - cy) ** 2 + (x - cx) ** 2 < r * r] = random.rand(3)
    return (numpy.clip(picture + random.randn(height, width, 3) * 0.04, 0, 1) * 2 - 1).astype(numpy.float32)


def golden():
    picture, grey = scene(56, 64), scene(30, 30)[:, :, 0]
    arrays = {"in": picture, "grey": grey}
    for scale in SCALES:
        arrays["labels_%d" % scale] = felzenszwalb(picture.astype(numpy.float64), scale=scale, sigma=0.8, min_size=20,
                                                   channel_axis=-1).astype(numpy.int32)
    arrays["grey_labels"] = felzenszwalb(grey.astype(numpy.float64), scale=100, sigma=0.5, min_size=5,
                                         channel_axis=None).astype(numpy.int32)
    numpy.savez_compressed("tests/golden/image_segments.npz", **arrays)


def real(out, paths):
    arrays = {}
    for i, path in enumerate(paths):
        picture = numpy.asarray(Image.open(path).convert("RGB")).astype(numpy.float64)
        picture = (picture - picture.min()) / (picture.max() - picture.min()) * 2 - 1
        picture = resize(picture, (224, 224), order=3, mode="constant", preserve_range=True, anti_aliasing=True)
        arrays["picture_%d" % i] = picture
        arrays["labels_%d" % i] = numpy.stack([felzenszwalb(picture, scale=scale, sigma=0.8, min_size=150,
                                                            channel_axis=-1) for scale in SCALES]).astype(numpy.int32)
    numpy.savez(out, **arrays)


real(sys.argv[1], sys.argv[2:]) if len(sys.argv) > 1 else golden()
