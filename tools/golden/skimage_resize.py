#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Golden resizes of scikit-image (spline, labels) and PyTorch (maps) -> tests/golden/image_maps.npz.

Run from the source root. in: float32 [15,22,3] in [-1,1]; spline_{h}x{w}: order 3, mode constant, anti-aliasing;
labels: int [15,22]; labels_{h}x{w}: order 0; bilinear_{h}x{w}, bicubic_{h}x{w}: interpolate(align_corners=False)."""
import numpy
import torch
from skimage.transform import resize

random = numpy.random.RandomState(0)
picture = (random.rand(15, 22, 3) * 2 - 1).astype(numpy.float32)
picture[3:9, 6:14] = 1
labels = random.randint(0, 9, (15, 22))
arrays = {"in": picture, "labels": labels}
wide = picture.astype(numpy.float64)
chw = torch.tensor(wide).permute(2, 0, 1)[None]
for shape in ((8, 8), (15, 30), (31, 9), (4, 22), (20, 25)):
    name = "%dx%d" % shape
    arrays["spline_" + name] = resize(wide, shape, order=3, mode="constant", preserve_range=True,
                                      anti_aliasing=True).astype(numpy.float32)
    arrays["labels_" + name] = resize(labels, shape, order=0, mode="constant", preserve_range=True,
                                      anti_aliasing=False).astype(numpy.int32)
    for mode in ("bilinear", "bicubic"):
        out = torch.nn.functional.interpolate(chw, shape, mode=mode, align_corners=False)
        arrays["%s_%s" % (mode, name)] = out[0].permute(1, 2, 0).numpy().astype(numpy.float32)
numpy.savez_compressed("tests/golden/image_maps.npz", **arrays)
