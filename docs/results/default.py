#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/default.md from the store of default.json, or from its export: default.py STORE|CSV [GIG]

Screening: gradients, median relative delta and mean stability of every candidate, on the pictures that all of them have. Ranking: the candidates
that pass, by six scores; MobileNetV2's pictures at odd positions are used to choose, those at even positions to report; ig and gig:20 are
shown for comparison. Positions are those of default-pictures.txt: the first 100 pictures whose label is among MobileNetV2's five best,
in the order of the list. Confirmation: the same on other models and sets. The others: six scores of the candidates that do not pass.
"""
import collections
import os
import random
import re
import statistics
import sys

from exports import number, rows_of

SCORES = {"auc": 1, "sic/draws=2/least=0.01": 1, "insertion": 1, "deletion": -1, "diffid": 1, "road": 1}  # -1: lower is better
BESIDE = ("ig", "gig:20")  # as published: shown for comparison
CHOSEN_ON = ("MobileNetV2", "ILSVRC")
LATE = "gig:20/repeat=5/steps=84"  # came last: no part of the screening until it is complete
CONFIRMED_ON = (("SqueezeNet", "ILSVRC"), ("ResNet-50", "ILSVRC"), ("Inception-v3", "ILSVRC"), ("ResNet-50", "pets"))
SCREENED, RANKED, CONFIRMED, FEWEST, MOST_GRADIENTS, RESAMPLES = 20, 100, 15, 5, 220, 1000
ADDS_UP, STABLE, NEAR = 0.01, 0.8, 0.005


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


def rank_gaps(methods, names, pictures, reference):
    """{method: (low, high)} of its mean rank minus the reference's: paired bootstrap over pictures, 95 %."""
    draw, gaps = random.Random(0), {m: [] for m in names}
    for _ in range(RESAMPLES):
        order = mean_ranks(methods, names, [draw.choice(pictures) for _ in pictures])
        for m in names:
            gaps[m].append(order[m] - order[reference])
    ends = int(0.025 * RESAMPLES)
    return {m: (sorted(found)[ends], sorted(found)[-1 - ends]) for m, found in gaps.items()}


def missing_scores(methods, names, pictures):
    """A sentence on pictures without some score: another picture's box fills it all, for instance."""
    without = {k: sum(all(methods[m][p][k] != methods[m][p][k] for m in names) for p in pictures) for k in SCORES}
    said = [f"`{k.split('/')[0]}` on {n}" for k, n in without.items() if n]
    return "\nNot defined, and left out of the means: " + ", ".join(said) + " of these pictures.\n" if said else ""


def print_scores(methods, names, beside, pictures, title, wanted, reference=None):
    """reference: the method from which the intervals of mean ranks are taken; without one, the best here."""
    order = mean_ranks(methods, names, pictures)
    reference = reference if reference in names else min(names, key=order.get)
    gaps = rank_gaps(methods, names, pictures, reference)
    print(f"**{title}**, {len(pictures)} of {wanted} pictures\n")
    print("| method | gradients | relative delta | auc | sic | insertion | deletion | diffid | road | mean rank "
          f"| minus that of `{reference}` |\n" + "|---" * 11 + "|")
    for method in sorted(names, key=order.get) + [m for m in beside if m not in names]:
        of = [methods[method][p] for p in pictures]
        scores = " | ".join(f"{mean([c[m] for c in of]):.3f}" for m in SCORES)
        rank = f"{order[method]:.2f}" if method in order else ""
        gap = f"[{gaps[method][0]:.2f}, {gaps[method][1]:.2f}]" if method in order and method != reference else ""
        print(f"| `{method}` | {mean([c['evaluations'] for c in of]):.0f} | {100 * median([c['completeness'] for c in of]):.2f} % "
              f"| {scores} | {rank} | {gap} |")
    print(missing_scores(methods, names, pictures))
    return order


def not_told_apart(methods, names, pictures, best):
    """Methods whose mean rank is not significantly worse than the best's."""
    return [m for m, (low, _) in rank_gaps(methods, names, pictures, best).items() if low <= 0]


def print_later(methods, names, compared, title, wanted, winner=None):
    """A table of a stage that decides nothing, or how much of it there is."""
    have = [m for m in names if m in methods]
    pictures = shared(methods, have) if len(have) == len(names) else []
    if len(pictures) < FEWEST:
        print(f"**{title}**: not computed yet ({len(pictures)} of {wanted} pictures).\n")
        return
    beside = [m for m in compared if all(p in methods.get(m, {}) for p in pictures)]
    print_scores(methods, names, beside, pictures[:wanted], title, wanted, winner)


def positions():
    """(choosing, reporting): the pictures at odd and at even positions."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "default-pictures.txt")) as file:
        names = file.read().split()
    return names[0::2], names[1::2]


def fewest_steps(methods, names, winner, pictures):
    """The winner with the fewest steps whose six scores are within NEAR of those with 200, and a sentence."""
    base = re.sub("/steps=[0-9]+", "", winner)
    if base not in methods or any(p not in methods[base] for p in pictures):
        return winner, f"`{base}` with 200 steps has no scores to compare its steps with."
    steps = {m: int((re.search("steps=([0-9]+)", m) or [0, 200])[1]) for m in names if re.sub("/steps=[0-9]+", "", m) == base}
    said = []
    for method in sorted(steps, key=steps.get):
        gaps = {k: mean([methods[method][p][k] for p in pictures]) - mean([methods[base][p][k] for p in pictures]) for k in SCORES}
        metric = max(gaps, key=lambda k: abs(gaps[k]))
        if abs(gaps[metric]) <= NEAR:
            return method, " ".join(said + [f"With {steps[method]} steps no score differs by more than {abs(gaps[metric]):.4f} "
                                            f"from that with 200."])
        said.append(f"With {steps[method]} steps `{metric.split('/')[0]}` differs by {gaps[metric]:+.4f} from that with 200: "
                    "too much.")
    return base, " ".join(said)


def decide(methods, names, pictures):
    """(the default, why): by the rule of docs/default.md."""
    names = [m for m in names if median([methods[m][p]["completeness"] for p in pictures]) <= ADDS_UP]
    if not names:
        return "ig", "Nothing adds up within 1 % on these pictures."
    order = mean_ranks(methods, names, pictures)
    best = min(names, key=order.get)
    cost = {m: mean([methods[m][p]["evaluations"] for p in pictures]) for m in names}
    near = not_told_apart(methods, names, pictures, best)
    winner = min(near, key=lambda m: (cost[m], order[m]))
    method, steps = fewest_steps(methods, names, winner, pictures)
    return method, (f"Best mean rank: `{best}`. Not significantly worse: " + ", ".join(f"`{m}`" for m in near) +
                    f". The cheapest of these is chosen: `{winner}`. {steps}")


def rank_halves(scored, first):
    """Decides on the choosing half, where it is complete, and reports on the other. The default, or None."""
    choosing, reporting = positions()
    winner = None
    for half, title in ((choosing, "choosing half"), (reporting, "reporting half")):
        pictures = [p for p in shared(scored, first) if p in half]
        title = f"{CHOSEN_ON[0]}, {title}"
        if len(pictures) < FEWEST:
            print(f"**{title}**: not computed yet ({len(pictures)} of {len(half)} pictures).\n")
            continue
        beside = [m for m in BESIDE if all(p in scored.get(m, {}) for p in pictures)]
        print_scores(scored, first, beside, pictures, title, len(half), winner)
        if half is choosing and len(pictures) == len(half):
            winner, why = decide(scored, first, pictures)
            print(f"{why}\n\n**So the default is `{winner}`.**\n")
        elif half is choosing:
            print("This half is not complete: nothing is decided yet.\n")
    return winner


def rank(found, about):
    chosen = passing(about)
    first = [m for m in chosen if about[m][0] <= MOST_GRADIENTS]
    second = [m for m in chosen if about[m][0] > MOST_GRADIENTS]
    others = [m for m in about if m not in chosen]
    if not first:
        print("No candidate of the first class adds up within 1 % and has a stability of at least 0.8: the default becomes `ig`.\n")
        return
    scored = {key: with_all(methods, list(SCORES) + ["completeness"]) for key, methods in found.items()}
    winner = rank_halves(scored[CHOSEN_ON], first)
    for key in CONFIRMED_ON:
        print_later(scored.get(key, {}), first, BESIDE, f"Confirmation: {key[0]}, {key[1]}", CONFIRMED, winner)
    if second:
        print_later(scored[CHOSEN_ON], second, BESIDE, f"{CHOSEN_ON[0]}, second class", RANKED)
    print_later(scored[CHOSEN_ON], others, (), f"{CHOSEN_ON[0]}, the others", SCREENED)


def main():
    found = gather(rows_of(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "build/gig"))
    screened = {m: cells for m, cells in with_all(found[CHOSEN_ON], ("completeness", "stability")).items()
                if m != LATE or len(cells) >= SCREENED}
    pictures = shared(screened, list(screened))[:SCREENED]
    if len(pictures) < FEWEST:
        print("Not computed yet.")
        return
    about = screen(screened, pictures)
    print_screening(about, pictures)
    if len(pictures) < SCREENED:
        print("The screening is not complete: nothing is decided yet.\n")
    else:
        rank(found, about)


if __name__ == "__main__":
    main()
