#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What else the ROC area depends on: prints a table from the store of causes.json, or its export: causes.py STORE|CSV [GIG]

One row per changed setting, with the mean area and, in brackets, its mean difference from the unchanged method on the same
pictures.
"""
import collections
import statistics
import sys

from exports import rows_of

METHODS = ("ig", "blur-ig", "gig", "gig:20")
CHANGES = (  # title of the row, scalar, metric, suffix of the method's name
    ("channels reduced by the sum of absolute values", "softmax", "auc/reduction=sum-abs", ""),
    ("channels reduced by their largest value", "softmax", "auc/reduction=max", ""),
    ("channels reduced by their signed sum", "softmax", "auc/reduction=sum", ""),
    ("the logit instead of the softmax", "logit", "auc", ""),
    ("rule: trapezoid", "softmax", "auc", "/rule=trapezoid"),
    ("a tenth of the remaining features instead of all features", "softmax", "auc", "/fraction-of=remaining"),
    ("1,000 steps", "softmax", "auc", "/steps=1000"),
    ("200 steps in each of the 21 segments", "softmax", "auc", "/steps-per-segment=200"),
    ("blur up to sigma 20", "softmax", "auc", "/sigma=20"),
    ("blur up to sigma 50", "softmax", "auc", "/sigma=50"),
)


def gather(store, program):
    """{(method, scalar, metric): {picture: area}}"""
    found = collections.defaultdict(dict)
    for row in rows_of(store, program):
        if row["value"]:
            found[row["method"], row["of"], row["metric"]][row["picture"]] = float(row["value"])
    return found


def entry(found, method, scalar, metric, suffix):
    changed, usual = found.get((method + suffix, scalar, metric)), found[method, "softmax", "auc"]
    if not changed:
        return "", 0
    same = [p for p in changed if p in usual]
    difference = statistics.mean(changed[p] - usual[p] for p in same)
    return f"{statistics.mean(changed[p] for p in same):.3f} ({difference:+.3f})", len(same)


def main():
    found = gather(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "build/gig")
    print("| changed | n | " + " | ".join(METHODS) + " |")
    print("|---|---|" + "---|" * len(METHODS))
    usual = [found[m, "softmax", "auc"] for m in METHODS]
    print(f"| nothing | {min(map(len, usual))} | " + " | ".join(f"{statistics.mean(u.values()):.3f}" for u in usual) + " |")
    for title, scalar, metric, suffix in CHANGES:
        entries = [entry(found, m, scalar, metric, suffix) for m in METHODS]
        print(f"| {title} | {max(n for _, n in entries)} | " + " | ".join(text for text, _ in entries) + " |")


if __name__ == "__main__":
    main()
