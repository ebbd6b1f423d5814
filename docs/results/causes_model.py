#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The ROC area with another activation and another resizing: prints a table from the store of causes-model.json, or
its export: causes_model.py STORE|CSV [GIG]

One row per variant of the model (variants.py makes them), on the pictures that all three have: the mean area of each method and, in
brackets, its mean difference from ig with the same model and the interval of that.
"""
import collections
import statistics
import sys

from bootstrap import difference
from exports import rows_of

METHODS = ("ig", "gig", "gig/rule=trapezoid", "gig:20")
MODELS = (("as it is", "the file as it is"), ("relu6", "Clip(0, 6) instead of every ReLU"),
          ("crop", "pictures cropped (256, then the centre's 224) instead of squashed"))


def gather(store, program):
    """{(model, method): {picture: area}}"""
    found = collections.defaultdict(dict)
    for row in rows_of(store, program):
        if row["value"] and row["metric"] == "auc":
            found[row["model"], row["method"]][row["picture"]] = float(row["value"])
    return found


def main():
    found = gather(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "build/gig")
    kept = [set(found[model, method]) for model, _ in MODELS for method in METHODS]
    same = set.intersection(*kept)
    if not same:
        return
    print("| MobileNetV2 | n | " + " | ".join(METHODS) + " |")
    print("|---|---|" + "---|" * len(METHODS))
    for model, title in MODELS:
        of = [{p: found[model, method][p] for p in same} for method in METHODS]
        mean = [statistics.mean(areas.values()) for areas in of]
        gaps = [difference(areas, of[0])[1:] for areas in of]
        cells = ["%.3f" % mean[0]] + ["%.3f (%+.3f [%.3f, %.3f])" % (m, *gap) for m, gap in zip(mean[1:], gaps[1:])]
        print("| %s | %d | %s |" % (title, len(same), " | ".join(cells)))


if __name__ == "__main__":
    main()
