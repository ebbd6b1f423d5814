# SPDX-License-Identifier: Apache-2.0
"""Guided IG as it was published, in plain NumPy and float64: one gradient a step, a window around the straight line,
numpy.quantile for the choice. The peer of benchmarks."""
import numpy as np

CLOSE = 1e-9


def progress_of(x, start, end):
    """The share of its way that each feature has gone; NaN where there is no way to go."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(end - start != 0, (x - start) / (end - start), np.nan)


def walk(gradient, start, end, steps, fraction=0.1, max_dist=1.0):
    """Attributions of the path from start to end. gradient: point -> dF/dx."""
    total = np.abs(end - start).sum()
    x, attributions = start.copy(), np.zeros_like(end)
    for step in range(steps):
        slope = gradient(x)
        open_slope = slope.copy()
        alpha = (step + 1) / steps
        low, high = max(alpha - max_dist, 0.0), min(alpha + max_dist, 1.0)
        x_low, x_high = start + (end - start) * low, start + (end - start) * high
        wanted = total * (1 - alpha)
        share = np.inf
        while share > 1:
            before = x.copy()
            progress = progress_of(x, start, end)
            progress[np.isnan(progress)] = high
            behind = progress < low
            x[behind] = x_low[behind]
            left = np.abs(x - end).sum()
            if np.isclose(left, wanted, rtol=CLOSE, atol=CLOSE):
                attributions += (x - before) * slope
                break
            open_slope[x == x_high] = np.inf
            size = np.abs(open_slope)
            chosen = np.logical_and(size <= np.quantile(size, fraction, method="lower"), open_slope != np.inf)
            reach = (np.abs(x - x_high) * chosen).sum()
            share = (left - wanted) / reach if reach > 0 else np.inf
            if share > 1:
                x[chosen] = x_high[chosen]
            else:
                x[chosen] = (x + share * (x_high - x))[chosen]
            attributions += (x - before) * slope
    return attributions


def anchored(gradient, baseline, point, steps, anchors):
    """GIG(K): K + 1 walks between points of the straight line; the first steps mod (K+1) get one step more."""
    segments = anchors + 1
    ends = [baseline + (point - baseline) * (k / segments) for k in range(segments)] + [point]
    return sum(walk(gradient, ends[k], ends[k + 1], steps // segments + (k < steps % segments))
               for k in range(segments))
