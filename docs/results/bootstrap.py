# SPDX-License-Identifier: Apache-2.0
"""Means over pictures with their 95 % intervals, the same as `gig study table` prints: src/score/bootstrap.c with the random numbers
of src/base/rng.c (Philox 4x32-10), and with seed 0."""
import functools
import re
import statistics

RESAMPLES, LEVEL, PURPOSE = 2000, 0.95, 0xA5
ONES = 0xFFFFFFFF


def philox(low, high, stream):
    """The block of four words with this number of this stream; the key is the seed, 0."""
    a, b, c, d = low, high, stream & ONES, stream >> 32
    k0 = k1 = 0
    for _ in range(10):
        x, y = 0xD2511F53 * a, 0xCD9E8D57 * c
        a, b, c, d = y >> 32 ^ b ^ k0, y & ONES, x >> 32 ^ d ^ k1, x & ONES
        k0, k1 = k0 + 0x9E3779B9 & ONES, k1 + 0xBB67AE85 & ONES
    return a, b, c, d


@functools.lru_cache(maxsize=None)
def draws(count):
    """For each resample, which of `count` pictures it draws."""
    found = []
    for resample in range(RESAMPLES):
        stream, drawn = PURPOSE << 56 ^ resample, []
        for block in range((count + 1) // 2):
            a, b, c, d = philox(block, 0, stream)
            drawn += [a | b << 32, c | d << 32]
        found.append([int((bits >> 11) * 2.0 ** -53 * count) for bits in drawn[:count]])
    return found


def quantile(ordered, level):
    at = level * (len(ordered) - 1)
    rank = int(at)
    if rank + 1 >= len(ordered):
        return ordered[-1]
    return ordered[rank] + (ordered[rank + 1] - ordered[rank]) * (at - rank)


def interval(values):
    """Mean, and the two ends of its interval."""
    means = sorted(sum(values[i] for i in drawn) / len(values) for drawn in draws(len(values)))
    return statistics.mean(values), quantile(means, (1 - LEVEL) / 2), quantile(means, (1 + LEVEL) / 2)


def difference(a, b):
    """Of two methods, {picture: value} each, on the pictures that both have: n, and the interval's three numbers; None without any."""
    both = sorted((p for p in a if p in b), key=lambda p: [int(s) if s.isdigit() else s for s in re.split("([0-9]+)", p)])
    return (len(both), *interval([a[p] - b[p] for p in both])) if both else None
