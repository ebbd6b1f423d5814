#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The ROC area with another activation and another resizing: prints a table from the store of causes-model.json:
causes_model.py STORE [GIG]

One row per variant of the model (variants.py makes them), on the pictures that all three have: the mean area of each method and, in
brackets, its mean difference from ig with the same model.
"""
import collections
import csv
import statistics
import subprocess
import sys

METHODS = ("ig", "gig", "gig/rule=trapezoid", "gig:20")
MODELS = (("as it is", "the file as it is"), ("relu6", "Clip(0, 6) instead of every ReLU"),
          ("crop", "pictures cropped (256, then the centre's 224) instead of squashed"))


def gather(store, program):
    """{(model, method): {picture: area}}"""
    text = subprocess.run([program, "study", "export", store], capture_output=True, text=True, check=True).stdout
    found = collections.defaultdict(dict)
    for row in csv.DictReader(text.splitlines()):
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
        mean = [statistics.mean(found[model, method][p] for p in same) for method in METHODS]
        cells = ["%.3f" % mean[0]] + ["%.3f (%+.3f)" % (m, m - mean[0]) for m in mean[1:]]
        print("| %s | %d | %s |" % (title, len(same), " | ".join(cells)))


if __name__ == "__main__":
    main()
