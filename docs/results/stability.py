#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/stability.md from the store of stability.json, or exports: stability.py STORE|CSV... [--short] [--program GIG]

Per model and method: n, how far the map correlates with itself when the input moves by 1e-6 of its range (signed, magnitude,
rank), mean ROC area, SIC area and insertion score; for repeat=M the correlation r of two draws and that of means of M.
Several sources are read as one: the screening of default.json has measured the same on the same pictures.
--short: the sentence that other pages have.
"""
import argparse
import collections
import re
import statistics

from exports import number, rows_of

FEWEST = 5
METRICS = ("stability", "stability/of=magnitude", "stability/of=rank", "auc", "sic/draws=2/least=0.01", "insertion")
MODEL = "MobileNetV2"  # of the sentence


def gather(sources, program):
    """{model: {method: {picture: {metric: value, repeat: r of its draws}}}}, of what has any stability."""
    found = collections.defaultdict(lambda: collections.defaultdict(lambda: collections.defaultdict(dict)))
    for source in sources:
        for row in rows_of(source, program):
            cell = found[row["model"]][row["method"]][row["picture"]]
            cell[re.sub("^(stability)/draws=[0-9]+", r"\1", row["metric"])] = number(row["value"])
            cell["repeat"] = number(row["stability"])
    return {model: {method: {p: c for p, c in cells.items() if "stability" in c or c["repeat"] == c["repeat"]}
                    for method, cells in methods.items()} for model, methods in found.items()}


def values(cells, metric):
    return [c[metric] for c in cells.values() if metric in c and c[metric] == c[metric]]


def mean(found):
    """Of fewer than FEWEST pictures nothing is said."""
    return f"{statistics.mean(found):.3f}" if len(found) >= FEWEST else ""


def span(found):
    return f"{statistics.mean(found):.2f} ({min(found):.2f} to {max(found):.2f})" if found else ""


def draws_of(method):
    times = re.search("repeat=([0-9]+)", method)
    return int(times.group(1)) if times else 1


def print_row(method, cells):
    m = draws_of(method)
    r = values(cells, "repeat" if m > 1 else "stability")
    of_mean = [m * x / (1 + (m - 1) * x) for x in r] if m > 1 else []
    measured = values(cells, "stability") if m > 1 else []
    print(f"| `{method}` | {len(cells)} | {span(r)} | {mean(values(cells, METRICS[1]))} | {mean(values(cells, METRICS[2]))} "
          f"| {span(of_mean)} | {span(measured)} | {mean(values(cells, 'auc'))} | {mean(values(cells, METRICS[4]))} "
          f"| {mean(values(cells, 'insertion'))} |")


def print_tables(found):
    for model, methods in found.items():
        print(f"**{model}**\n")
        print("| method | n | signed (least to most) | magnitude | rank | mean of M, expected | mean of M, measured | ROC area "
              "| SIC area | insertion |\n" + "|---" * 10 + "|")
        for method, cells in sorted(methods.items()):
            if cells:
                print_row(method, cells)
        print()


def print_short(found):
    methods = found.get(MODEL, {})
    said = [(name, values(methods.get(name, {}), "stability")) for name in ("ig", "gig:20", "gig:20/rule=idgi", "gig")]
    said = [(name, v) for name, v in said if v]
    if not said:
        return
    print(f"Correlation of the signed map with that of the input moved by a millionth of its range, {MODEL}, "
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
