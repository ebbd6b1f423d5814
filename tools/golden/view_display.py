#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/view_display.h: the display rules of PAIR saliency and Captum, said again in NumPy.

Run from the source's root. Maps are [pixels, channels]; display values are one per pixel. The maps are drawn from a
fixed seed: three channels of noise, one channel with heavy tails, and one that is mostly negative."""
import numpy as np

PIXELS = 61
generator = np.random.default_rng(7)
maps = [("three", generator.normal(size=(PIXELS, 3))),
        ("heavy", generator.standard_t(1.5, size=(PIXELS, 1))),
        ("negative", generator.normal(size=(PIXELS, 3)) - 0.8)]


def grayscale(a, percent):
    s = np.sum(np.abs(a), axis=1)
    high, low = np.percentile(s, percent), np.min(s)
    return np.clip((s - low) / (high - low), 0, 1)


def diverging(a, percent):
    s = np.sum(a, axis=1)
    span = abs(np.percentile(s, percent))
    return np.clip((s + span) / (2 * span), -1, 1)


def signed(a, percent):
    s = np.sum(a, axis=1)
    return np.clip(s / np.percentile(np.abs(s), percent), -1, 1)


def mass(a, sign, outliers):
    s = np.sum(a, axis=1)
    s = {"absolute": np.abs(s), "positive": np.where(s > 0, s, 0), "negative": np.where(s < 0, s, 0), "all": s}[sign]
    ordered = np.sort(np.abs(s))
    running = np.cumsum(ordered)
    threshold = ordered[np.nonzero(running >= running[-1] * 0.01 * (100 - outliers))[0][0]]
    return np.clip(s / (-threshold if sign == "negative" else threshold), -1, 1)


def value_range(a):
    s = np.sum(a, axis=1)
    return (s - s.min()) / (s.max() - s.min())


def top(a, percent):
    s = np.sum(a, axis=1)
    return (s >= np.percentile(s, 100 - percent)).astype(float)


def write(file, name, array):
    words = [np.format_float_scientific(v, unique=True, trim="0") + "f" for v in np.asarray(array, np.float32).ravel()]
    lines = "".join("    " + ", ".join(words[i:i + 7]) + ",\n" for i in range(0, len(words), 7))
    file.write(f"static const float {name}[] = {{\n{lines}}};\n")


with open("tests/golden/view_display.h", "w", encoding="ascii") as file:
    file.write(f"/* SPDX-License-Identifier: Apache-2.0 */\n/* Made by tools/golden/view_display.py: numpy {np.__version__}. */\n")
    file.write(f"enum {{ DISPLAY_PIXELS = {PIXELS} }};\n")
    for name, a in maps:
        a = a.astype(np.float32)
        write(file, f"{name}_map", a)
        a = a.astype(np.float64)
        write(file, f"{name}_grayscale_99", grayscale(a, 99))
        write(file, f"{name}_grayscale_80", grayscale(a, 80))
        write(file, f"{name}_diverging_99", diverging(a, 99))
        write(file, f"{name}_signed_99", signed(a, 99))
        for sign in ("absolute", "positive", "negative", "all"):
            write(file, f"{name}_mass_{sign}", mass(a, sign, 2))
        write(file, f"{name}_mass_outliers_10", mass(a, "absolute", 10))
        write(file, f"{name}_range", value_range(a))
        write(file, f"{name}_top_30", top(a, 30))
