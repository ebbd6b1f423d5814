#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the results of a store into the pages of docs: fill.py KIND STORE [GIG]

KIND is tables, table2-mobilenet, baselines, closed, rules, default, stability, causes, causes-model, causes-baselines,
causes-information, anchors, demo or demo-baselines. default and stability also accept an export (CSV) instead of a store. What is said of stability and of other
builds comes from all exports that are there.

The scores of single pictures behind the paper's tables, the default and the page on stability are written to scores-KIND.csv, the
study's export, which `gig study run MANIFEST --take scores-KIND.csv` reads back.

The store's last manifest must be the one of the same name. Each block between `<!-- NAME -->` and `<!-- end -->` is
replaced by what its command prints now; blocks whose scores are not computed yet do not change.
"""
import csv
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
DOCS = os.path.dirname(HERE)
PAPER2 = "edge,gradients,ig,blur-ig,gig:0,gig:20,grad-cam,smooth+ig,smooth+gig:0,smooth+gig:20," \
         "smooth+ig/samples=5,smooth+gig:0/samples=5,smooth+gig:20/samples=5,xrai+ig,xrai+gig:0,xrai+gig:20"
POINTING = "edge,gradients,ig,blur-ig,gig:0,gig:20,grad-cam,xrai+ig,xrai+gig:0,xrai+gig:20"
PAPER3 = "ig,blur-ig,gig:0,gig:10,gig:20,gig:40,xrai+ig,xrai+gig:0,xrai+gig:20,xrai+gig:40"
SCORES = ("tables", "table2-mobilenet", "baselines", "closed", "default", "stability")
BLOCKS = {
    "anchors": {"anchors": []},
    "closed": {"table 1": ["--like", "paper1"]},
    "baselines": {"table 3": ["--like", "paper3", "--methods", PAPER3]},
    "table2-mobilenet": {"table 2 MobileNetV2": ["--like", "paper2", "--methods", PAPER2]},
    "tables": {
        "table 2": ["--like", "paper2", "--methods", PAPER2],
        "table 4": ["--like", "paper4"],
        "table 4 mean": ["--like", "paper4", "--mean"],
        "table 4 aic": ["--like", "paper4", "--metric", "aic"],
        "pointing": ["--metric", "pointing", "--methods", POINTING],
    },
    "demo": {
        "demo 2": ["--like", "paper2"],
        "demo 4": ["--like", "paper4", "--baseline", "black"],
        "demo 1": ["--like", "paper1"],
    },
    "causes-baselines": {
        "causes 3": ["--like", "paper3"],
        "causes 3 sum-abs": ["--like", "paper3", "--metric", "auc/reduction=sum-abs"],
    },
    "demo-baselines": {"demo 3": ["--like", "paper3", "--methods", PAPER3]},
}


INFORMATION = (  # title of the row, metric, scalar
    ("nothing", "sic", "softmax"),
    ("channels reduced by the sum of absolute values", "sic/reduction=sum-abs", "softmax"),
    ("channels reduced by their largest value", "sic/reduction=max", "softmax"),
    ("5 % of the pixels at the start instead of 1 %", "sic/fraction=0.05", "softmax"),
    ("maps of the logit", "sic", "logit"),
)


def information(store, program):
    """A row per change, with the area of the median curve and of the mean curve."""
    methods, lines = ("edge", "gradients", "ig", "grad-cam"), []
    for title, metric, scalar in INFORMATION:
        command = [program, "study", "table", store, "--like", "paper4", "--metric", metric, "--format", "csv"]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        rows = [row for row in csv.DictReader(text.splitlines()) if row.get("of", "softmax") == scalar]
        found = {row["method"]: row for row in rows if row["value"]}
        cells = ["%.3f, mean %.3f" % (float(found[m]["value"]), float(found[m]["mean"])) if m in found else "" for m in methods]
        lines.append("| %s | %s | %s |" % (title, max(row["n"] for row in found.values()), " | ".join(cells)))
    return "| changed | n | " + " | ".join(methods) + " |\n" + "|---" * (len(methods) + 2) + "|\n" + "\n".join(lines)


def from_exports(store, program):
    """Blocks that rest on several studies: stability, also measured by the screening of default.json, and other builds' areas."""
    files = [os.path.join(HERE, "scores-%s.csv" % kind) for kind in ("stability", "default", "table2-mobilenet")]
    files = [path for path in files if os.path.exists(path)]
    command = [sys.executable, os.path.join(HERE, "stability.py"), "--program", program] + files
    for name, more in (("stability", []), ("stability in short", ["--short"])):
        yield name, subprocess.run(command + more, capture_output=True, text=True, check=True).stdout
    yield "builds", subprocess.run([sys.executable, os.path.join(HERE, "builds.py")] + files, capture_output=True, text=True,
                                   check=True).stdout


def outputs(kind, store, program):
    if kind == "causes-information":
        yield "causes 4", information(store, program)
        return
    if kind in SCORES:
        yield from from_exports(store, program)
    if kind == "stability":
        return
    if kind in ("rules", "causes", "causes-model", "default"):
        command = [sys.executable, os.path.join(HERE, kind.replace("-", "_") + ".py"), store, program]
        yield kind, subprocess.run(command, capture_output=True, text=True, check=True).stdout
        return
    for name, options in BLOCKS[kind].items():
        done = subprocess.run([program, "study", "table", store] + options, capture_output=True, text=True)
        if done.returncode == 0:  # differences of single pictures' areas are shown below the median curve's table only
            alone = "--mean" in options or kind == "causes-baselines"
            yield name, done.stdout.split("\nPaired")[0] if alone else done.stdout
        else:
            print(name + ":", done.stderr.strip(), file=sys.stderr)


GALLERIES = (("better", "gig:20", "ig"), ("worse", "ig", "gig:20"))


def draw_galleries(store, program):
    """Like the paper's figures 9 to 11: pictures drawn at random among those where one method is above its mean and above the other."""
    for name, better, than in GALLERIES:
        path = os.path.join(DOCS, "pictures", "gallery-%s.png" % name)
        subprocess.run([program, "study", "show", store, "--better", better, "--than", than, "-n", "2", "-o", path, "--force"],
                       check=True, stdout=subprocess.DEVNULL)


def write_scores(kind, store, program):
    """Every score of the study: `gig study run --take` reads it back."""
    path = os.path.join(HERE, "scores-%s.csv" % kind)
    if not store.endswith(".csv"):
        subprocess.run([program, "study", "export", store, "-o", path, "--force"], check=True, stdout=subprocess.DEVNULL)


def main():
    kind, store = sys.argv[1:3]
    program = sys.argv[3] if len(sys.argv) > 3 else os.path.join(DOCS, "..", "build", "gig")
    if kind == "demo":
        draw_galleries(store, program)
    if kind in SCORES:
        write_scores(kind, store, program)
    for name, text in outputs(kind, store, program):
        for page in ("RESULTS.md", "adding-up.md", "default.md", "stability.md", "methods/gig.md"):
            path = os.path.join(DOCS, page)
            with open(path) as file:
                before = file.read()
            block = re.compile("(<!-- %s -->\n).*?(<!-- end -->)" % re.escape(name), re.S)
            if not text.strip():  # not computed yet
                continue
            after = block.sub(lambda m: m.group(1) + "\n" + text.strip() + "\n\n" + m.group(2), before)
            if after != before:
                with open(path, "w") as file:
                    file.write(after)


if __name__ == "__main__":
    main()
