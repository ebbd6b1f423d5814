#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Golden bytes of Pillow's resize and torchvision's Resize + CenterCrop -> tests/golden/image_resize.npz.

Run from the source root. Arrays: in0, in1 (uint8 [h,w,3]); resize_{bilinear,bicubic}_{input}_{width}x{height};
crop_{input}_{short}_{width}x{height}."""
import numpy
from PIL import Image
from torchvision import transforms

SIZES = [(1, 1), (5, 3), (16, 16), (29, 37), (37, 29), (37, 20), (64, 7), (7, 50), (2, 60)]
CROPS = [(16, 12, 12), (20, 16, 18), (29, 29, 29), (10, 24, 16), (33, 20, 20), (17, 17, 12), (17, 18, 12)]
FILTERS = {"bilinear": Image.BILINEAR, "bicubic": Image.BICUBIC}


def make(width, height, seed):
    """Smooth ramps, sharp edges and noise, so that overshoot and rounding both show."""
    random = numpy.random.RandomState(seed)
    y, x = numpy.mgrid[0:height, 0:width]
    picture = numpy.stack([x * 255 // width, y * 255 // height, ((x // 4 + y // 3) % 2) * 255], axis=2)
    noise = random.randint(-60, 61, picture.shape)
    return numpy.clip(picture + noise * (x > width // 2)[:, :, None], 0, 255).astype(numpy.uint8)


arrays = {"in0": make(37, 29, 0), "in1": make(20, 43, 1)}
for name in ("in0", "in1"):
    picture = Image.fromarray(arrays[name])
    for width, height in SIZES:
        for word, kind in FILTERS.items():
            arrays["resize_%s_%s_%dx%d" % (word, name, width, height)] = numpy.asarray(picture.resize((width, height), kind))
    for short, width, height in CROPS:
        chain = transforms.Compose([transforms.Resize(short), transforms.CenterCrop((height, width))])
        arrays["crop_%s_%d_%dx%d" % (name, short, width, height)] = numpy.asarray(chain(picture))
numpy.savez_compressed("tests/golden/image_resize.npz", **arrays)
