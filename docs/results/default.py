#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/default.md from the store of default.json: default.py STORE [GIG]

Per model: n, mean number of gradients, median relative delta, mean stability, the six scores, their mean rank, on the
pictures that every candidate has. MobileNetV2's pictures are split: those at odd places choose, those at even places report.
"""
import collections
import csv
import random
import statistics
import subprocess
import sys

SCORES = {"auc": 1, "sic/draws=2/least=0.01": 1, "insertion": 1, "deletion": -1, "diffid": 1, "road": 1}  # -1: less is better
FEWEST, MOST_GRADIENTS, RESAMPLES = 5, 220, 1000
ADDS_UP, STABLE = 0.01, 0.8


def number(text):
    return float(text) if text else float("nan")


def gather(store, program):
    """{model: {method: {picture: {metric: value, evaluations}}}}, pictures in the store's order."""
    text = subprocess.run([program, "study", "export", store], capture_output=True, text=True, check=True).stdout
    found = collections.defaultdict(lambda: collections.defaultdict(dict))
    for row in csv.DictReader(text.splitlines()):
        cell = found[row["model"]][row["method"]].setdefault(row["picture"], {"evaluations": int(row["evaluations"])})
        cell[row["metric"]] = number(row["value"])
    return found


def mean(values):
    kept = [v for v in values if v == v]
    return statistics.mean(kept) if kept else float("nan")


def ranks(methods, pictures, metric):
    """Equal means share a rank."""
    means = {m: SCORES[metric] * mean([cells[p][metric] for p in pictures]) for m, cells in methods.items()}
    return {m: (sum(other > v for other in means.values()) + (sum(other == v for other in means.values()) + 1) / 2)
            for m, v in means.items()}


def mean_ranks(methods, pictures):
    by = [ranks(methods, pictures, metric) for metric in SCORES]
    return {m: statistics.mean(r[m] for r in by) for m in methods}


def describe(method, cells, pictures):
    def of(metric):
        return [cells[p][metric] for p in pictures]
    relative = [v for v in of("completeness") if v == v]
    return {"gradients": mean([cells[p]["evaluations"] for p in pictures]),
            "relative": statistics.median(relative) if relative else float("nan"),
            "stability": mean(of("stability")), **{metric: mean(of(metric)) for metric in SCORES}}


def table(methods, pictures, title):
    order = mean_ranks(methods, pictures)
    print(f"**{title}**, {len(pictures)} pictures\n")
    print("| candidate | gradients | relative delta | stability | auc | sic | insertion | deletion | diffid | road | mean rank |")
    print("|---" * 11 + "|")
    for method in sorted(methods, key=order.get):
        about = describe(method, methods[method], pictures)
        scores = " | ".join(f"{about[m]:.3f}" for m in SCORES)
        print(f"| `{method}` | {about['gradients']:.0f} | {100 * about['relative']:.2f} % | {about['stability']:.2f} "
              f"| {scores} | {order[method]:.2f} |")
    print()
    return order


def passes(methods, pictures):
    out = {}
    for method, cells in methods.items():
        about = describe(method, cells, pictures)
        if about["relative"] <= ADDS_UP and about["stability"] >= STABLE and about["gradients"] <= MOST_GRADIENTS:
            out[method] = cells
    return out


def not_told_apart(methods, pictures, best):
    """Those whose mean rank may be the best's: paired bootstrap over pictures, 95 %."""
    draw, gaps = random.Random(0), {m: [] for m in methods}
    for _ in range(RESAMPLES):
        order = mean_ranks(methods, [draw.choice(pictures) for _ in pictures])
        for m in methods:
            gaps[m].append(order[m] - order[best])
    return [m for m in methods if sorted(gaps[m])[int(0.025 * RESAMPLES)] <= 0]


def decide(methods, pictures):
    fit = passes(methods, pictures)
    if not fit:
        return "No candidate adds up within 1 % and is stable to 0.8: the default becomes `ig`."
    order = mean_ranks(fit, pictures)
    best = min(fit, key=order.get)
    cost = {m: describe(m, cells, pictures)["gradients"] for m, cells in fit.items()}
    near = not_told_apart(fit, pictures, best)
    winner = min(near, key=lambda m: (cost[m], order[m]))
    return (f"Of {len(methods)} candidates {len(fit)} pass. Best mean rank: `{best}`. Not told apart from it: "
            + ", ".join(f"`{m}`" for m in near) + f". The cheapest of these, and so the choice: `{winner}`.")


def main():
    found = gather(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "build/gig")
    for model, methods in found.items():
        whole = {m: {p: c for p, c in cells.items() if all(k in c for k in list(SCORES) + ["completeness", "stability"])}
                 for m, cells in methods.items()}
        shared = [p for p in next(iter(whole.values())) if all(p in cells for cells in whole.values())]
        if len(shared) < FEWEST:
            continue
        if model == "MobileNetV2":
            table(whole, shared[0::2], model + ", choosing half")
            print(decide(whole, shared[0::2]) + "\n")
            table(whole, shared[1::2], model + ", reporting half")
        else:
            table(whole, shared, model + ", confirmation")


if __name__ == "__main__":
    main()
