#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How far ROC areas of the same pictures differ between builds: builds.py CSV...

scores-tables.csv, written by earlier builds on other CPUs, against exports of portable studies (scores-default.csv,
scores-table2-mobilenet.csv), for methods with the same settings.
"""
import collections
import csv
import statistics
import sys

from exports import scores_of

MODEL, SET, METRIC, FEWEST = "MobileNetV2", "ILSVRC", "auc", 5
SAME = 1e-5  # the earlier scores have five digits


def earlier():
    """{method: {picture: area}}"""
    return scores_of("tables")[0][MODEL, SET, METRIC]


def later(files):
    found = collections.defaultdict(dict)
    for path in files:
        with open(path, newline="") as file:
            for row in csv.DictReader(file):
                if (row["model"], row["set"], row["metric"]) == (MODEL, SET, METRIC) and row["value"]:
                    found[row["method"]][row["picture"]] = float(row["value"])
    return found


def main():
    before, after = earlier(), later(sys.argv[1:])
    rows = []
    for method, areas in before.items():
        both = [p for p in areas if p in after[method]]
        if len(both) < FEWEST:
            continue
        gaps = [after[method][p] - areas[p] for p in both]
        rows.append(f"| `{method}` | {len(both)} | {sum(abs(g) < SAME for g in gaps)} | {max(abs(g) for g in gaps):.3f} "
                    f"| {statistics.mean(abs(g) for g in gaps):.3f} | {statistics.mean(gaps):+.4f} |")
    if rows:
        print("| method | n | same to five digits | largest change of one area | mean change of one area | change of the mean |")
        print("|---" * 6 + "|\n" + "\n".join(rows))


if __name__ == "__main__":
    main()
