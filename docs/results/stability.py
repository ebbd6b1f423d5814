#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/stability.md from the store of stability.json, or exports: stability.py STORE|CSV... [--short] [--program GIG]

Per model: how maps of one picture agree whose input differs by 1e-6 of its range, and means of them; how far their ROC
areas spread; and whether the mean of M draws scores better than one draw, on the pictures that both have.
Several sources are read as one. --short: the sentence that other pages have.
"""
import argparse
import collections
import math
import re
import statistics

from bootstrap import difference
from exports import number, rows_of

MEANS = (1, 2, 5, 10, 20)
MODEL = "MobileNetV2"  # of the sentence
SHORT = ("ig", "gig:20", "gig:20/rule=idgi", "gig")
SCORES = (("auc", "ROC area"), ("sic/draws=5/least=0.01", "SIC area"), ("insertion", "insertion"))
FEWEST = 5


def plain(metric):
    """The number of draws is not part of what is measured."""
    return re.sub("^(agreement|spread)/draws=[0-9]+", r"\1", metric)


def gather(sources, program):
    """{model: {method: {picture: {metric: value, draws: of its agreement}}}}"""
    found = collections.defaultdict(lambda: collections.defaultdict(lambda: collections.defaultdict(dict)))
    for source in sources:
        for row in rows_of(source, program):
            value = number(row["value"])
            if value == value:
                cell = found[row["model"]][row["method"]][row["picture"]]
                cell[plain(row["metric"])] = value
                if row["metric"].startswith("agreement"):
                    many = re.search("draws=([0-9]+)", row["metric"])
                    cell["draws"] = min(cell.get("draws", 1000), int(many.group(1)) if many else 20)
    return found


def measured(methods):
    """Methods whose draws were compared, on enough pictures."""
    kept = {m: {p: c for p, c in cells.items() if "agreement" in c} for m, cells in methods.items()}
    return {m: cells for m, cells in sorted(kept.items()) if len(cells) >= FEWEST}


def values(cells, metric):
    return [c[metric] for c in cells.values() if metric in c]


def of_means(metric, m):
    return metric if m == 1 else f"{metric}/mean={m}"


def span(found):
    return f"{statistics.mean(found):.2f} ({min(found):.2f} to {max(found):.2f})" if found else ""


def mean(found, form="{:.2f}"):
    return form.format(statistics.mean(found)) if found else ""


def root_mean_square(found):
    return f"{math.sqrt(statistics.mean(v * v for v in found)):.4f}" if found else ""


def print_agreement(methods):
    print("| method | n | draws | signed (least to most) | magnitude | rank | " + " | ".join(f"means of {m}" for m in MEANS[1:]) +
          " |\n" + "|---" * (6 + len(MEANS) - 1) + "|")
    for method, cells in methods.items():
        later = " | ".join(mean(values(cells, of_means("agreement", m))) for m in MEANS[1:])
        print(f"| `{method}` | {len(cells)} | {max(c['draws'] for c in cells.values())} | {span(values(cells, 'agreement'))} "
              f"| {mean(values(cells, 'agreement/of=magnitude'))} | {mean(values(cells, 'agreement/of=rank'))} | {later} |")
    print()


def print_spread(methods):
    print("| method | ROC area | " + " | ".join("spread of one draw" if m == 1 else f"of means of {m}" for m in MEANS) +
          " |\n" + "|---" * (2 + len(MEANS)) + "|")
    for method, cells in methods.items():
        print(f"| `{method}` | {mean(values(cells, 'auc'), '{:.3f}')} | " +
              " | ".join(root_mean_square(values(cells, of_means("spread", m))) for m in MEANS) + " |")
    print()


def gain(methods, method, base, metric):
    """The mean's score, and how much it is above one draw's, on the pictures that have both."""
    mean_of, one = ({p: c[metric] for p, c in methods[m].items() if metric in c} for m in (method, base))
    found = difference(mean_of, one)
    if not found or found[0] < FEWEST:
        return ""
    n, change, low, high = found
    return f"{statistics.mean(mean_of[p] for p in mean_of if p in one):.3f}, {change:+.3f} [{low:+.3f}, {high:+.3f}] (n = {n})"


def print_gains(methods):
    rows = []
    for method in sorted(methods, key=lambda m: (re.sub("/repeat=[0-9]+", "", m), draws_of(m))):
        base = re.sub("/repeat=[0-9]+", "", method)
        if base == method or base not in methods:
            continue
        cells = [gain(methods, method, base, metric) for metric, _ in SCORES]
        if any(cells):
            rows.append(f"| `{method}` | " + " | ".join(cells) + " |")
    if rows:
        print("| mean | " + " | ".join(title for _, title in SCORES) + " |\n" + "|---" * (1 + len(SCORES)) + "|\n" + "\n".join(rows) + "\n")


def draws_of(method):
    times = re.search("repeat=([0-9]+)", method)
    return int(times.group(1)) if times else 1


def print_tables(found):
    for model, methods in found.items():
        compared = measured(methods)
        if compared:
            print(f"**{model}**\n")
            print_agreement(compared)
            print_spread(compared)
            print_gains(methods)


def print_short(found):
    """Of all pairs of draws, or of one pair where that is measured on more pictures (the screening of default.json)."""
    methods = found.get(MODEL, {})
    said = [(name, max((values(methods.get(name, {}), metric) for metric in ("agreement", "stability")), key=len)) for name in SHORT]
    said = [(name, v) for name, v in said if v]
    if said:
        print(f"Correlation of signed maps of one picture whose input differs by a millionth of its range, {MODEL}, "
              f"{min(len(v) for _, v in said)} pictures:\n" +
              ", ".join(f"`{name}` {statistics.mean(v):.2f} ({min(v):.2f} to {max(v):.2f})" for name, v in said) + ".")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sources", nargs="+")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--program", default="build/gig")
    given = parser.parse_args()
    found = gather(given.sources, given.program)
    print_short(found) if given.short else print_tables(found)


if __name__ == "__main__":
    main()
