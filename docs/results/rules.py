#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/adding-up.md from the store of rules.json, or its export: rules.py STORE|CSV [GIG]

One row per way of summing: pictures, median number of gradients, |delta| = |sum - (F(x) - F(b))| as a mean and relative to
|F(x) - F(b)| as a median, pictures within 1 %, sum of |step errors| relative to |F(x) - F(b)| (median), mean ROC area.
"""
import collections
import statistics
import sys

from exports import number, rows_of

FEWEST = 5  # pictures; a model with fewer is left out


def gather(store, program):
    """{model: {method: {picture: row with auc}}}"""
    found = collections.defaultdict(lambda: collections.defaultdict(dict))
    for row in rows_of(store, program):
        if row["metric"] == "auc":
            found[row["model"]][row["method"]][row["picture"]] = row
    return found


def percent(share):
    return "-" if share != share else f"{100 * share:.0f} %"


def line(method, cells):
    change = [abs(number(c["value_input"]) - number(c["value_baseline"])) for c in cells]
    delta = [abs(number(c["delta"])) for c in cells]
    steps = [number(c["step_error"]) for c in cells]
    relative = [d / f for d, f in zip(delta, change)]
    auc = [number(c["value"]) for c in cells if c["value"]]
    return (f"| `{method}` | {len(cells)} | {statistics.median(int(c['evaluations']) for c in cells):.0f} "
            f"| {statistics.mean(delta):.4f} | {100 * statistics.median(relative):.2f} % "
            f"| {sum(r <= 0.01 for r in relative)} | {percent(statistics.median(s / f for s, f in zip(steps, change)))} "
            f"| {statistics.mean(auc):.3f} |")


def main():
    found = gather(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "build/gig")
    for model, methods in found.items():
        whole = max(len(cells) for cells in methods.values())
        same = set.intersection(*(set(cells) for cells in methods.values()))
        if len(same) < FEWEST:
            continue
        change = [abs(number(c["value_input"]) - number(c["value_baseline"])) for c in methods["ig"].values() if c["picture"] in same]
        print(f"**{model}**, {len(same)} of {whole} pictures, mean |F(x) - F(b)| = {statistics.mean(change):.3f}\n")
        print("| method | n | gradients | mean \\|delta\\| | relative | within 1 % | step errors | ROC area |")
        print("|---|---|---|---|---|---|---|---|")
        for method, cells in methods.items():
            print(line(method, [c for p, c in cells.items() if p in same]))
        print()


if __name__ == "__main__":
    main()
