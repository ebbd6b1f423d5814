#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/stability.md from the store of stability.json, or from its export: stability.py STORE|CSV [GIG]

Per model and method: n, the correlation of the map with the map of the input moved by 1e-6 of its range (signed, magnitude,
rank), mean ROC area and insertion score; for repeat=M the correlation r of two draws and that of means of M.
"""
import collections
import csv
import re
import statistics
import subprocess
import sys

METRICS = ("stability", "stability/of=magnitude", "stability/of=rank", "auc", "insertion")


def number(text):
    return float(text) if text else float("nan")


def gather(store, program):
    """{model: {method: {picture: {metric: value, stability of repeat}}}}"""
    if store.endswith(".csv"):
        with open(store, newline="") as file:
            text = file.read()
    else:
        text = subprocess.run([program, "study", "export", store], capture_output=True, text=True, check=True).stdout
    found = collections.defaultdict(lambda: collections.defaultdict(lambda: collections.defaultdict(dict)))
    for row in csv.DictReader(text.splitlines()):
        cell = found[row["model"]][row["method"]][row["picture"]]
        cell[row["metric"]] = number(row["value"])
        cell["repeat"] = number(row["stability"])
    return found


def values(cells, metric):
    return [c[metric] for c in cells.values() if metric in c and c[metric] == c[metric]]


def mean(found):
    return f"{statistics.mean(found):.3f}" if found else ""


def span(found):
    return f"{statistics.mean(found):.2f} ({min(found):.2f} to {max(found):.2f})" if found else ""


def main():
    found = gather(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "build/gig")
    for model, methods in found.items():
        print(f"**{model}**\n")
        print("| method | n | signed (least to most) | magnitude | rank | mean of M draws | ROC area | insertion |")
        print("|---" * 8 + "|")
        for method, cells in methods.items():
            times = re.search("repeat=([0-9]+)", method)
            r = values(cells, "repeat")
            m = int(times.group(1)) if times else 1
            of_mean = [m * x / (1 + (m - 1) * x) for x in r] if times else []
            signed = span(r if times else values(cells, "stability"))
            print(f"| `{method}` | {len(cells)} | {signed} | {mean(values(cells, METRICS[1]))} "
                  f"| {mean(values(cells, METRICS[2]))} | {span(of_mean)} | {mean(values(cells, 'auc'))} "
                  f"| {mean(values(cells, 'insertion'))} |")
        print()


if __name__ == "__main__":
    main()
