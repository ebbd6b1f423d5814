#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/RESULTS.md that compare two methods, or two baselines, from the exports beside this file: claims.py [NAME]

claims: what the paper says, and whether it holds here. table 3 change: what other baselines change. SmoothGrad MobileNetV2: the rows that the
larger study does not have yet. counts: how many pictures the manifests ask for, and how many are computed. Published numbers are
read from docs/RESULTS.md itself. Of two studies of the same table the one with more pictures is taken.
"""
import functools
import json
import os
import re
import sys

from bootstrap import difference, interval
from exports import HERE, scores_of

PAGE = os.path.join(os.path.dirname(HERE), "RESULTS.md")
COLUMNS = (("MobileNetV2", "ILSVRC"), ("ResNet-50", "ILSVRC"), ("ResNet-50", "pets"), ("Inception-v3", "ILSVRC"))
STUDIES = {1: ("table1", "closed"), 2: ("table2-mobilenet", "table2", "tables"), 3: ("table3", "baselines"), 4: ("table4", "tables")}
METRICS = {1: ("closed", "closed/paths=4"), 2: ("auc",), 3: ("auc",), 4: ("sic/draws=5", "sic")}
BW, RANDOM = " from black+white", " from random:2"
FEWEST = 10  # pictures: intervals of fewer are shown, but decide nothing
CLAIMS = (  # claim, table, method whose score is larger (Table 1: smaller), than that of which other
    ("GIG(0) attributes less than IG to a closed path", 1, "gig", "ig"),
    ("GIG(0) finds the object better than IG", 2, "gig", "ig"),
    ("GIG(20) finds the object better than IG", 2, "gig:20", "ig"),
    ("GIG(20) is better than gradients", 2, "gig:20", "gradients"),
    ("GIG(20) is better than Blur IG", 2, "gig:20", "blur-ig"),
    ("GIG(0) is better than GIG(20) on natural images", 2, "gig", "gig:20"),
    ("Over regions, GIG(0) is better than IG", 2, "xrai+gig", "xrai+ig"),
    ("Over regions, GIG(20) is better than IG", 2, "xrai+gig:20", "xrai+ig"),
    ("Over regions, GIG(0) is better than GIG(20)", 2, "xrai+gig", "xrai+gig:20"),
    ("XRAI with GIG(0) is better than Grad-CAM", 2, "xrai+gig", "grad-cam"),
    ("With SmoothGrad, GIG(0) is better than IG", 2, "smooth+gig", "smooth+ig"),
    ("With SmoothGrad, GIG(20) is better than IG", 2, "smooth+gig:20", "smooth+ig"),
    ("With SmoothGrad, GIG(20) is better than GIG(0)", 2, "smooth+gig:20", "smooth+gig"),
    ("GIG(0) is better than IG from black+white", 3, "gig" + BW, "ig" + BW),
    ("GIG(20) is better than IG from black+white", 3, "gig:20" + BW, "ig" + BW),
    ("GIG(0) is better than IG from two random points", 3, "gig" + RANDOM, "ig" + RANDOM),
    ("GIG(20) is better than IG from two random points", 3, "gig:20" + RANDOM, "ig" + RANDOM),
    ("Black+white is better than black for IG", 3, "ig" + BW, "ig"),
    ("Black+white is better than black for GIG(20)", 3, "gig:20" + BW, "gig:20"),
    ("Black+white is better than black for XRAI with GIG(20)", 3, "xrai+gig:20" + BW, "xrai+gig:20"),
    ("From two random points, GIG(0) is better than GIG(40)", 3, "gig" + RANDOM, "gig:40" + RANDOM),
    ("GIG(0) keeps more of the prediction than IG (SIC)", 4, "gig" + BW, "ig" + BW),
    ("GIG(20) keeps more than IG (SIC)", 4, "gig:20" + BW, "ig" + BW),
    ("GIG(40) keeps more than IG (SIC)", 4, "gig:40" + BW, "ig" + BW),
    ("XRAI with GIG(40) keeps more than XRAI with IG (SIC)", 4, "xrai+gig:40" + BW, "xrai+ig" + BW),
    ("XRAI with GIG(40) keeps more than Grad-CAM (SIC)", 4, "xrai+gig:40" + BW, "grad-cam"),
)
NO_BASELINE = ("edge", "gradients", "blur-ig", "grad-cam")
BASELINES = ("ig", "gig", "gig:10", "gig:20", "gig:40", "xrai+ig", "xrai+gig", "xrai+gig:20", "xrai+gig:40")


scores_of = functools.lru_cache(maxsize=None)(scores_of)


def compared(table, column, method, other):
    """n, mean difference and the ends of its interval, of the study with the most pictures; None if nothing is computed."""
    found = []
    for study in STUDIES[table]:
        for metric in METRICS[table]:
            scores = scores_of(study)[0].get((*column, metric), {})
            for samples in ("", "/samples=5") if method.startswith("smooth") else ("",):
                both = [scores.get(name + samples, {}) for name in (method, other)]
                found.append((len(set(both[0]) & set(both[1])), both))
    n, both = max(found, key=lambda entry: entry[0])
    return difference(*both) if n else None


# ---- published numbers ----

def cells_of(line):
    return [cell.strip() for cell in line.strip("| \n").split("|")]


@functools.lru_cache(maxsize=None)
def published_table(table):
    """{method: its cells} of the first table after "Published" in the section of this table."""
    with open(PAGE) as file:
        section = file.read().split("\n## Table %d" % table)[1].split("\n## ")[0].split("\nPublished")[1]
    lines = re.search(r"(?:^\|.*\n)+", section, re.M).group(0).splitlines()
    return {cells_of(line)[0]: cells_of(line)[1:] for line in lines}


def published(table, column, method):
    """The number of the paper that this one is compared with, or NaN."""
    name, _, baseline = method.partition(" from ")
    name = {"gig": "gig:0", "smooth+gig": "smooth+gig:0", "xrai+gig": "xrai+gig:0"}.get(name, name)
    place = COLUMNS.index(column)
    if table == 1:
        place = {0: 0, 1: 1, 3: 2}.get(place)
    elif table == 3:
        set_of = {("ResNet-50", "pets"): 0, ("Inception-v3", "ILSVRC"): 3}
        place = set_of[column] + ("", "black+white", "random:2").index(baseline) if column in set_of else None
    return float(published_table(table)[name][place]) if place is not None else float("nan")


# ---- the tables ----

def shown(table, value):
    return ("%.3g" if table == 1 else "%.3f") % value if abs(value) >= 0.0005 or table == 1 else "0.000"


def verdict(sides):
    """Of +1 (significant, as the claim says), 0 and -1 (significant, the opposite)."""
    for_it, against = sides.count(1), sides.count(-1)
    if not for_it and not against:
        return "not significant"
    text = "holds in %d of %d" % (for_it, len(sides)) if for_it else "does not hold"
    return text + (", the opposite in %d%s" % (against, "" if for_it else " of %d" % len(sides)) if against else "")


def print_claims():
    print("| claim | table | found here | " + " | ".join("%s, %s" % (s, m) for m, s in COLUMNS) + " | published differences |")
    print("|---" * (len(COLUMNS) + 4) + "|")
    for claim, table, method, other in CLAIMS:
        cells, sides, paper = [], [], []
        for column in COLUMNS:
            found = compared(table, column, method, other)
            gap = published(table, column, method) - published(table, column, other)
            paper.append(shown(table, gap) if gap == gap else "–")
            if not found:
                cells.append("–")
                continue
            n, mean, low, high = found
            side = ((low > 0) - (high < 0)) * (-1 if table == 1 else 1) if n >= FEWEST else 0
            sides += [side] if n >= FEWEST else []
            text = shown(table, mean)
            text = {1: "**%s**" % text, 0: text, -1: "*%s*" % text}[side]
            cells.append("%s [%s, %s] (n = %d)" % (text, shown(table, low), shown(table, high), n))
        print("| %s | %d | %s | %s | %s |" % (claim, table, verdict(sides), " | ".join(cells), ", ".join(paper)))


def print_baselines():
    columns = [c for c in COLUMNS if compared(3, c, "ig" + BW, "ig")]
    ends = (("black+white", BW), ("random:2", RANDOM))
    print("| method | " + " | ".join("%s, %s, %s" % (s, m, b) for m, s in columns for b, _ in ends) + " |")
    print("|---" * (2 * len(columns) + 1) + "|")
    for method in BASELINES:
        cells = ["%.3f [%.3f, %.3f]" % compared(3, c, method + end, method)[1:] for c in columns for _, end in ends]
        print("| %s | %s |" % (method, " | ".join(cells)))
    print("\nArea from this baseline minus area from black, paired; n = " +
          ", ".join("%d (%s, %s)" % (compared(3, c, "ig" + BW, "ig")[0], c[1], c[0]) for c in columns) + ".")


def print_smooth():
    column, names = COLUMNS[0], ("smooth+ig", "smooth+gig", "smooth+gig:20")
    study = max(STUDIES[2], key=lambda s: len(scores_of(s)[0].get((*column, "auc"), {}).get(names[0], {})))
    scores = scores_of(study)[0][(*column, "auc")]
    print("| method | %s, %s | difference from ig |\n|---|---|---|" % (column[1], column[0]))
    for name in names:
        mean = interval(list(scores[name].values()))
        n, *gap = difference(scores[name], scores["ig"])
        print("| %s | %.3f [%.3f, %.3f] (n = %d) | %.3f [%.3f, %.3f] |" % (name, *mean, n, *gap))


# ---- counts ----

def runs_of(manifest):
    with open(os.path.join(HERE, manifest + ".json")) as file:
        whole = json.load(file)
    for run in whole["runs"]:
        for model in run.get("models", whole["models"]):
            for pictures in run.get("pictures", whole["pictures"]):
                merged = dict(whole, **run)
                options = dict(merged["options"], baselines=merged["baselines"])
                yield model, pictures, merged.get("limit"), merged["metrics"][0], merged["methods"], options


def canonical(method, options):
    name = method.replace("gig:0", "gig")
    return name + "/samples=%d" % options["samples"] if options.get("samples", 10) != 10 else name


def computed(study, column, metric, methods, options):
    """The least number of pictures of one of these methods, from one of the baselines."""
    scores, counts = scores_of(study)[0].get((*column, metric), {}), []
    for method in methods:
        name = canonical(method, options)
        for baseline in ["black"] if method in NO_BASELINE else options["baselines"]:
            counts.append(len(scores.get(name if baseline == "black" else f"{name} from {baseline}", {})))
    return min(counts)


def print_counts():
    print("| table | pictures, model | rows | asked for | computed | with `portable` |\n|---|---|---|---|---|---|")
    for table, manifest in ((1, "table1"), (2, "table2-mobilenet"), (2, "table2"), (3, "table3"), (4, "table4")):
        for model, pictures, limit, metric, methods, options in runs_of(manifest):
            smooth = methods[0].startswith("smooth")
            found = []
            for study in {manifest, *STUDIES[table]}:
                for name in {metric, metric.replace("/draws=5", "")}:
                    for samples in (10, 5) if smooth else (10,):
                        n = computed(study, (model, pictures), name, methods, dict(options, samples=samples))
                        found.append((n, study == manifest and name == metric, samples))
            n, same, samples = max(found)
            rows = "SmoothGrad, 10 samples" if smooth else "closed paths, %d each" % (4 if "=4" in metric else 10) if table == 1 else \
                "five draws of the pixels" if table == 4 else "all but SmoothGrad" if table == 2 else "all"
            other = ", 5 samples" if samples == 5 and n else ", one draw" if table == 4 and n and not same else ""
            print("| %d | %s, %s | %s | %s | %d%s | %s |" % (table, pictures, model, rows, limit or "all that pass", n, other,
                                                            "–" if not n else "yes" if same and scores_of(manifest)[1] else "no"))


def behind(kind):
    """What the study of a table has fewer pictures of than the page, as text; empty if it may replace the page's table."""
    table = next(table for table, studies in STUDIES.items() if kind in studies)
    texts = []
    for model, pictures, _, metric, methods, options in runs_of(kind):
        column, older = (model, pictures), metric.replace("/draws=5", "")
        n = computed(kind, column, metric, methods, options)
        before = max(computed(STUDIES[table][-1], column, older, methods, dict(options, samples=s)) for s in (10, 5))
        if n < before:
            texts.append("%s, %s, %s and others: %d instead of %d" % (pictures, model, methods[0], n, before))
    return texts


TABLES = {"claims": print_claims, "table 3 change": print_baselines, "SmoothGrad MobileNetV2": print_smooth, "counts": print_counts}

if __name__ == "__main__":
    TABLES[sys.argv[1] if len(sys.argv) > 1 else "claims"]()
