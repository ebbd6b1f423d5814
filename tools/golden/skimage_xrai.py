#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Golden XRAI maps by plain NumPy over scikit-image's segments -> tests/golden/image_xrai.npz. Run from the source root.

picture, attributions: float32 [44,52,3]; {full,fast,half}_map: float32 [44,52]; {full,fast,half}_ranks: int; half is
full with area threshold 0.5. wide_*: the same for [20,240,1], which shrinks one way and grows the other.

With --time N: seconds that N runs on a 224 x 224 picture take."""
import sys
import time
import numpy
from skimage.morphology import dilation, disk
from skimage.segmentation import felzenszwalb
from skimage.transform import resize

SCALES = (50, 100, 150, 250, 500, 1200)


def masks_of(picture):
    shape = picture.shape[:2]
    picture = picture.astype(numpy.float64)
    picture = (picture - picture.min()) / (picture.max() - picture.min()) * 2 - 1
    small = resize(picture, (224, 224), order=3, mode="constant", preserve_range=True, anti_aliasing=True)
    masks = []
    for scale in SCALES:
        labels = felzenszwalb(small, scale=scale, sigma=0.8, min_size=150, channel_axis=-1)
        labels = resize(labels, shape, order=0, mode="constant", preserve_range=True, anti_aliasing=False).astype(int)
        masks += [dilation(labels == l, disk(5)) for l in range(labels.min(), labels.max() + 1)]
    return masks


def finish(values, trace, covered):
    trace.sort(key=lambda entry: -entry[0])
    if not covered.all():
        trace.append((values[~covered].mean(), ~covered))
    ranked, ranks = numpy.zeros(values.shape), numpy.zeros(values.shape, int)
    for i, (gain, added) in enumerate(trace):
        ranked[added] = gain
        ranks[added] = i + 1
    return ranked, ranks


def full(values, masks, area_threshold=1.0):
    covered, trace, left = numpy.zeros(values.shape, bool), [], list(masks)
    while covered.mean() <= area_threshold:
        left = [mask for mask in left if (mask & ~covered).sum() >= 50]
        if not left:
            break
        gains = [values[mask & ~covered].mean() for mask in left]
        best = left.pop(int(numpy.argmax(gains)))
        trace.append((max(gains), best & ~covered))
        covered = covered | best
    return finish(values, trace, covered)


def fast(values, masks):
    covered, trace = numpy.zeros(values.shape, bool), []
    for mask in sorted((mask for mask in masks if mask.any()), key=lambda mask: -values[mask].mean()):
        added = mask & ~covered
        if added.sum() >= 50:
            trace.append((values[added].mean(), added))
            covered |= mask
    return finish(values, trace, covered)


def scene(height, width, channels, seed):
    random = numpy.random.RandomState(seed)
    y, x = numpy.mgrid[0:height, 0:width]
    picture = numpy.repeat((x / width)[:, :, None], channels, axis=2)
    for _ in range(9):
        cy, cx, r = random.rand() * height, random.rand() * width, (0.06 + random.rand() * 0.2) * width
        picture[(y - cy) ** 2 + (x - cx) ** 2 < r * r] = random.rand(channels)
    picture = numpy.clip(picture + random.randn(height, width, channels) * 0.05, 0, 1).astype(numpy.float32)
    return picture, (random.randn(height, width, channels) * 0.3 + picture - 0.4).astype(numpy.float32)


def golden():
    arrays = {}
    for prefix, shape in (("", (44, 52, 3)), ("wide_", (20, 240, 1))):
        picture, attributions = scene(*shape, seed=5)
        values, masks = attributions.astype(numpy.float64).max(axis=2), masks_of(picture)
        arrays.update({prefix + "picture": picture, prefix + "attributions": attributions})
        for name, (ranked, ranks) in (("full", full(values, masks)), ("fast", fast(values, masks)),
                                      ("half", full(values, masks, 0.5))):
            arrays[prefix + name + "_map"] = ranked.astype(numpy.float32)
            arrays[prefix + name + "_ranks"] = ranks.astype(numpy.int16)
        print(prefix or "small", len(masks), "masks")
    numpy.savez_compressed("tests/golden/image_xrai.npz", **arrays)


def measure(runs):
    for run in range(runs):
        picture, attributions = scene(224, 224, 3, seed=run)
        start = time.process_time()
        masks = masks_of(picture)
        middle = time.process_time()
        full(attributions.max(axis=2).astype(numpy.float64), masks)
        end = time.process_time()
        print("%d masks: segments %.2f s, full %.2f s" % (len(masks), middle - start, end - middle))


if __name__ == "__main__":
    measure(int(sys.argv[2])) if len(sys.argv) > 2 else golden()
