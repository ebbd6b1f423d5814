# SPDX-License-Identifier: Apache-2.0
"""Reads the scores of a study, for the scripts beside this one: from an export (.csv), or from a store through `gig study export`.

Exports of older releases have another form: a row per picture and metric, and a column per method.
"""
import collections
import csv
import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
KEYS = ("model", "set", "picture", "class", "metric")


def number(text):
    return float(text) if text else float("nan")


def rows_of(source, program):
    if source.endswith(".csv"):
        with open(source, newline="") as file:
            return list(csv.DictReader(file))
    text = subprocess.run([program, "study", "export", source], capture_output=True, text=True, check=True).stdout
    return list(csv.DictReader(text.splitlines()))


def export_of(kind):
    return os.path.join(HERE, "scores-%s.csv" % kind)


def scores_of(kind):
    """{(model, set, metric): {method: {picture: value}}} of scores-KIND.csv, {} without one; undefined values are left out. Methods from
    a baseline other than black are named `ig from white`. Also whether all of it was computed with `portable`."""
    found, versions = collections.defaultdict(lambda: collections.defaultdict(dict)), set()
    for row in rows_of(export_of(kind), None) if os.path.exists(export_of(kind)) else []:
        of = found[row["model"], row["set"], row["metric"]]
        if "method" not in row:
            versions.add("")
            for method in row:
                if method not in KEYS and row[method]:
                    of[method][row["picture"]] = float(row[method])
            continue
        versions.add(row["versions"])
        if row["value"] and row["of"] == "softmax" and row["precision"] == "f32":
            method = row["method"] if row["baseline"] in ("black", "none") else "%(method)s from %(baseline)s" % row
            of[method][row["picture"]] = float(row["value"])
    return found, all(v.endswith("portable") for v in versions)
