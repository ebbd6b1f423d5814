#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the results of a study into the pages of docs: fill.py KIND STORE [GIG]

KIND is the name of a manifest beside this file: table1, table2-mobilenet, table2, table3 or table4, the paper's tables; tables, baselines or
closed, which were used before these; rules, default, stability, causes, causes-model, causes-baselines, causes-information,
anchors, demo-baselines; or demo (demo/study.json). The last manifest of the store must be this one.

The scores of every study are written to scores-KIND.csv, which `gig study run MANIFEST --take scores-KIND.csv` reads back. An export
(CSV) is accepted in place of the store, and copied there; it fills all that does not need `gig study table`: what rests on
exports (claims, counts, what other baselines change, other builds, stability), and the tables of rules, default, stability, causes
and causes-model. The other tables have medians of curves, groups and marks of their own: they need the store.

Each block between `<!-- NAME -->` and `<!-- end -->` is replaced by what its command prints now; blocks whose scores are not computed
yet do not change. table1 to table4 replace the blocks of the older studies once no picture count falls.
"""
import csv
import json
import os
import re
import shutil
import sqlite3
import statistics
import subprocess
import sys

import claims
from exports import export_of

HERE = os.path.dirname(os.path.abspath(__file__))
DOCS = os.path.dirname(HERE)
PLAIN, REGIONS = "edge,gradients,ig,blur-ig,gig:0,gig:20,grad-cam,", ",xrai+ig,xrai+gig:0,xrai+gig:20"
PAPER2 = PLAIN + "smooth+ig,smooth+gig:0,smooth+gig:20" + REGIONS
PAPER2_BEFORE = PLAIN + "smooth+ig/samples=5,smooth+gig:0/samples=5,smooth+gig:20/samples=5" + REGIONS
POINTING = ["--metric", "pointing", "--methods", PLAIN + REGIONS[1:]]
PAPER3 = "ig,blur-ig,gig:0,gig:10,gig:20,gig:40,xrai+ig,xrai+gig:0,xrai+gig:20,xrai+gig:40"
PAPER = tuple(sorted({study for studies in claims.STUDIES.values() for study in studies}))
TABLE4 = ["--like", "paper4", "--metric"]
BLOCKS = {
    "anchors": {"anchors": []},
    "closed": {"table 1": ["--like", "paper1"]},
    "table1": {"table 1": ["--like", "paper1"]},
    "baselines": {"table 3": ["--like", "paper3", "--methods", PAPER3]},
    "table3": {"table 3": ["--like", "paper3", "--methods", PAPER3]},
    "table2-mobilenet": {"table 2 MobileNetV2": ["--like", "paper2", "--methods", PAPER2], "pointing MobileNetV2": POINTING},
    "table2": {"table 2": ["--like", "paper2", "--methods", PAPER2], "pointing": POINTING},
    "tables": {
        "table 2": ["--like", "paper2", "--methods", PAPER2_BEFORE],
        "table 4": TABLE4 + ["sic"],
        "table 4 mean": TABLE4 + ["sic", "--mean"],
        "table 4 aic": TABLE4 + ["aic"],
        "pointing": POINTING,
    },
    "table4": {
        "table 4": TABLE4 + ["sic/draws=5"],
        "table 4 mean": TABLE4 + ["sic/draws=5", "--mean"],
        "table 4 aic": TABLE4 + ["aic/draws=5"],
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


def printed(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def from_exports(kind, program):
    """Blocks that rest on several studies: stability, also measured by the screening of default.json, other builds, and claims."""
    files = [export_of(kind) for kind in ("stability", "default", "table2-mobilenet") if os.path.exists(export_of(kind))]
    command = [sys.executable, os.path.join(HERE, "stability.py"), "--program", program] + files
    for name, more in (("stability", []), ("stability in short", ["--short"])):
        yield name, printed(*command, *more)
    yield "builds", printed(sys.executable, os.path.join(HERE, "builds.py"), *files)
    for name in claims.TABLES if kind in PAPER else ():
        yield name, printed(sys.executable, os.path.join(HERE, "claims.py"), name)


def sic_draws():
    """How far two draws of the random pixels are apart: sqrt(2) times their spread, which is in the notes."""
    with open(export_of("default"), newline="") as file:
        notes = [re.fullmatch("spread (.*) over 2 draws", row["note"]) for row in csv.DictReader(file)
                 if row["metric"].startswith("sic/draws=2")]
    apart = sorted(2 ** 0.5 * float(note[1]) for note in notes if note)
    return (f"In the [study of the default](default.md) the scores of two draws differ by {statistics.median(apart):.3f} (median of "
            f"{len(apart)}\nmaps), by more than {apart[len(apart) * 9 // 10]:.2f} on one map in ten, and by up to {apart[-1]:.2f}.")


def without(text, model):
    """A table without the columns of a model, which has a table of its own."""
    lines, dropped = [], set()
    for line in text.splitlines():
        if line.startswith("| method |"):
            dropped = {i for i, cell in enumerate(line.split("|")) if model in cell}
        if line.startswith("|"):
            line = "|".join(cell for i, cell in enumerate(line.split("|")) if i not in dropped)
        lines.append(line)
    return "\n".join(lines)


def outputs(kind, store, program):
    is_export = store.endswith(".csv")
    if kind in PAPER or kind in ("default", "stability"):
        yield from from_exports(kind, program)
    if kind == "default":
        yield "sic draws", sic_draws()
    if kind == "causes-information" and not is_export:
        yield "causes 4", information(store, program)
    if kind in ("rules", "causes", "causes-model", "default"):
        yield kind, printed(sys.executable, os.path.join(HERE, kind.replace("-", "_") + ".py"), store, program)
    fewer = claims.behind(kind) if kind in ("table1", "table2", "table3", "table4") else []
    if kind in BLOCKS and (fewer or is_export):
        print("kept as they were:", ", ".join(BLOCKS[kind]), "-", "; ".join(fewer) or "an export is not enough", file=sys.stderr)
        return
    for name, options in BLOCKS.get(kind, {}).items():
        done = subprocess.run([program, "study", "table", store] + options, capture_output=True, text=True)
        if done.returncode == 0:  # differences of single pictures' areas are shown below the median curve's table only
            text = without(done.stdout, "MobileNetV2") if kind == "tables" and name in ("table 2", "pointing") else done.stdout
            alone = "--mean" in options or kind == "causes-baselines"
            yield name, text.split("\nPaired")[0] if alone else text
        else:
            print(name + ":", done.stderr.strip(), file=sys.stderr)


GALLERIES = (("better", "gig:20", "ig"), ("worse", "ig", "gig:20"), ("grad-cam", "grad-cam", "ig,gig:20"), ("ig", "ig", "grad-cam"))


def draw(store, program):
    """Like the paper's figures 9 to 11: pictures drawn at random among those where one method is above its mean and above the others.
    And the curves of Table 4."""
    for name, better, than in GALLERIES:
        path = os.path.join(DOCS, "pictures", "gallery-%s.png" % name)
        done = subprocess.run([program, "study", "show", store, "--better", better, "--than", than, "-n", "2", "-o", path, "--force"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode:
            print("gallery-%s.png:" % name, done.stderr.strip(), file=sys.stderr)
    curves = os.path.join(DOCS, "pictures", "sic.png")
    printed(program, "study", "table", store, "--like", "paper4", "--baseline", "black", "--plot", curves, "--force")


def check_manifest(kind, store):
    """Another study's store would overwrite the scores of this one."""
    path = os.path.join(DOCS, "..", "demo", "study.json") if kind == "demo" else os.path.join(HERE, kind + ".json")
    with open(path) as file:
        expected = json.load(file)["title"]
    store = sqlite3.connect("file:%s?mode=ro" % store, uri=True)
    found = json.loads(store.execute("SELECT value FROM fact WHERE name = 'manifest'").fetchone()[0]).get("title")
    store.close()
    if found != expected:
        sys.exit('fill.py: expected the store of "%s", found "%s"' % (expected, found))


def write_scores(kind, store, program):
    """Every score of the study: `gig study run --take` reads it back."""
    path = export_of(kind)
    if not store.endswith(".csv"):
        printed(program, "study", "export", store, "-o", path, "--force")
    elif os.path.abspath(store) != path:
        shutil.copyfile(store, path)


def main():
    kind, store = sys.argv[1:3]
    program = sys.argv[3] if len(sys.argv) > 3 else os.path.join(DOCS, "..", "build", "gig")
    if not store.endswith(".csv"):
        check_manifest(kind, store)
    if kind == "demo":
        draw(store, program)
    write_scores(kind, store, program)
    for name, text in outputs(kind, store, program):
        for page in ("RESULTS.md", "adding-up.md", "default.md", "stability.md", "metrics.md", "methods/gig.md"):
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
