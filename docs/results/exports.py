# SPDX-License-Identifier: Apache-2.0
"""Reads the scores of a study, for the scripts beside this one: from an export (.csv), or from a store through `gig study export`."""
import csv
import subprocess


def number(text):
    return float(text) if text else float("nan")


def rows_of(source, program):
    if source.endswith(".csv"):
        with open(source, newline="") as file:
            return list(csv.DictReader(file))
    text = subprocess.run([program, "study", "export", source], capture_output=True, text=True, check=True).stdout
    return list(csv.DictReader(text.splitlines()))
