#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/default.md from the store of default.json, or from its export: default.py STORE|CSV [GIG]

Screening: gradients, median relative delta and mean stability of every candidate, on the pictures that all of them have. Ranking: the candidates
that pass, by six scores; MobileNetV2's pictures at odd positions are used to choose, those at even positions to report; ig and gig:20 are
shown for comparison. Confirmation: the same on other models and sets. The others: six scores of the candidates that do not pass.
"""
import collections
import csv
import random
import statistics
import subprocess
import sys

SCORES = {"auc": 1, "sic/draws=2/least=0.01": 1, "insertion": 1, "deletion": -1, "diffid": 1, "road": 1}  # -1: lower is better
BESIDE = ("ig", "gig:20")  # as published: shown for comparison
CHOSEN_ON = ("MobileNetV2", "ILSVRC")
SCREENED, FEWEST, MOST_GRADIENTS, RESAMPLES = 20, 5, 220, 1000
ADDS_UP, STABLE = 0.01, 0.8


def number(text):
    return float(text) if text else float("nan")


def rows_of(source, program):
    if source.endswith(".csv"):
        with open(source, newline="") as file:
            return list(csv.DictReader(file))
    text = subprocess.run([program, "study", "export", source], capture_output=True, text=True, check=True).stdout
    return list(csv.DictReader(text.splitlines()))


def gather(rows):
    """{(model, set): {method: {picture: {metric: value, evaluations}}}}, pictures in the store's order."""
    found = collections.defaultdict(lambda: collections.defaultdict(dict))
    for row in rows:
        cells = found[row["model"], row["set"]][row["method"]]
        cell = cells.setdefault(row["picture"], {"evaluations": int(row["evaluations"])})
        cell[row["metric"]] = number(row["value"])
    return found


def with_all(methods, metrics):
    """The methods' cells that have all these metrics."""
    return {m: {p: c for p, c in cells.items() if all(k in c for k in metrics)} for m, cells in methods.items()}


def shared(methods, names):
    """Pictures that all of these methods have, in order."""
    first = methods.get(names[0], {}) if names else {}
    return [p for p in first if all(p in methods.get(m, {}) for m in names)]


def mean(values):
    kept = [v for v in values if v == v]
    return statistics.mean(kept) if kept else float("nan")


def median(values):
    kept = [v for v in values if v == v]
    return statistics.median(kept) if kept else float("nan")


# ---- screening ----

def screen(methods, pictures):
    """{method: (gradients, median relative delta, mean stability)}"""
    out = {}
    for method, cells in methods.items():
        of = [cells[p] for p in pictures]
        out[method] = (mean([c["evaluations"] for c in of]), median([c["completeness"] for c in of]),
                       mean([c["stability"] for c in of]))
    return out


def passing(about):
    return [m for m, (_, relative, stability) in about.items() if relative <= ADDS_UP and stability >= STABLE]


def print_screening(about, pictures):
    print(f"**Screening**, {CHOSEN_ON[0]}, {len(pictures)} of {SCREENED} pictures\n")
    print("| candidate | gradients | relative delta | stability | passes |\n" + "|---" * 5 + "|")
    chosen = passing(about)
    for method, (gradients, relative, stability) in sorted(about.items(), key=lambda item: (item[0] not in chosen, -item[1][2])):
        kind = "" if method not in chosen else "yes" if gradients <= MOST_GRADIENTS else "second class"
        print(f"| `{method}` | {gradients:.0f} | {100 * relative:.2f} % | {stability:.2f} | {kind} |")
    print()


# ---- ranking ----

def ranks(methods, names, pictures, metric):
    """Equal means share a rank."""
    means = {m: SCORES[metric] * mean([methods[m][p][metric] for p in pictures]) for m in names}
    return {m: (sum(other > v for other in means.values()) + (sum(other == v for other in means.values()) + 1) / 2)
            for m, v in means.items()}


def mean_ranks(methods, names, pictures):
    by = [ranks(methods, names, pictures, metric) for metric in SCORES]
    return {m: statistics.mean(r[m] for r in by) for m in names}


def print_scores(methods, names, beside, pictures, title):
    order = mean_ranks(methods, names, pictures)
    print(f"**{title}**, {len(pictures)} pictures\n")
    print("| method | gradients | relative delta | auc | sic | insertion | deletion | diffid | road | mean rank |")
    print("|---" * 10 + "|")
    for method in sorted(names, key=order.get) + [m for m in beside if m not in names]:
        of = [methods[method][p] for p in pictures]
        scores = " | ".join(f"{mean([c[m] for c in of]):.3f}" for m in SCORES)
        rank = f"{order[method]:.2f}" if method in order else ""
        print(f"| `{method}` | {mean([c['evaluations'] for c in of]):.0f} | {100 * median([c['completeness'] for c in of]):.2f} % "
              f"| {scores} | {rank} |")
    print()
    return order


def not_told_apart(methods, names, pictures, best):
    """Methods whose mean rank is not significantly worse than the best's: paired bootstrap over pictures, 95 %."""
    draw, gaps = random.Random(0), {m: [] for m in names}
    for _ in range(RESAMPLES):
        order = mean_ranks(methods, names, [draw.choice(pictures) for _ in pictures])
        for m in names:
            gaps[m].append(order[m] - order[best])
    return [m for m in names if sorted(gaps[m])[int(0.025 * RESAMPLES)] <= 0]


def decide(methods, names, pictures):
    names = [m for m in names if median([methods[m][p]["completeness"] for p in pictures]) <= ADDS_UP]
    if not names:
        return "Nothing adds up within 1 % on these pictures: the default becomes `ig`."
    order = mean_ranks(methods, names, pictures)
    best = min(names, key=order.get)
    cost = {m: mean([methods[m][p]["evaluations"] for p in pictures]) for m in names}
    near = not_told_apart(methods, names, pictures, best)
    winner = min(near, key=lambda m: (cost[m], order[m]))
    return (f"Best mean rank: `{best}`. Not significantly worse: " + ", ".join(f"`{m}`" for m in near) +
            f". The cheapest of these is chosen: `{winner}`.")


def rank(found, about):
    chosen = passing(about)
    first = [m for m in chosen if about[m][0] <= MOST_GRADIENTS]
    second = [m for m in chosen if about[m][0] > MOST_GRADIENTS]
    if not first:
        print("No candidate of the first class adds up within 1 % and has a stability of at least 0.8: the default becomes `ig`.\n")
    if len(shared(with_all(found[CHOSEN_ON], list(SCORES) + ["completeness"]), first)) < FEWEST:
        print("The screening is complete, the ranking is not: the default stays `gig:20` as published.\n")
    for (model, collection), methods in found.items():
        scored = with_all(methods, list(SCORES) + ["completeness"])
        ranked = first + [m for m in BESIDE if m not in first]
        pictures = shared(scored, ranked)
        if len(pictures) < FEWEST:
            continue
        if (model, collection) != CHOSEN_ON:
            print_scores(scored, first, BESIDE, pictures, f"Confirmation: {model}, {collection}")
            continue
        print_scores(scored, first, BESIDE, pictures[0::2], model + ", choosing half")
        print(decide(scored, first, pictures[0::2]) + "\n")
        print_scores(scored, first, BESIDE, pictures[1::2], model + ", reporting half")
        both = shared(scored, second) if second else []
        if len(both) >= FEWEST:
            print_scores(scored, second, BESIDE, [p for p in both if p in pictures], model + ", second class")
        others = [m for m in scored if m not in chosen]
        few = shared(scored, others)[:SCREENED]
        if len(few) >= FEWEST and set(others) - set(BESIDE):
            print_scores(scored, others, (), few, model + ", the others")


def main():
    found = gather(rows_of(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "build/gig"))
    screened = with_all(found[CHOSEN_ON], ("completeness", "stability"))
    pictures = shared(screened, list(screened))[:SCREENED]
    if len(pictures) < FEWEST:
        print("Not computed yet. Until it is, the default stays `gig:20` as published (rule `left`, 200 steps).")
        return
    about = screen(screened, pictures)
    print_screening(about, pictures)
    if len(pictures) < SCREENED:
        print("The screening is not complete: nothing is decided yet, and the default stays `gig:20` as published.\n")
    else:
        rank(found, about)


if __name__ == "__main__":
    main()
