#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Explains the files of tests/cli/foreign_files.json, which others made: downloads their npm packages into FOLDER (kept
for the next time), runs `gig explain -m gradients` on each and compares the value with the one in the list, or the
refusal with the words in it. One line in TAP each. Files without a value in the list (`no_value` says why) have to run
and give finite numbers.

    tools/foreign.py GIG FOLDER [--ort NODE_MODULES] [--record] [WORD...]

With --ort, a folder with the npm package onnxruntime-node in it, ONNX Runtime gives the value, and differences of its values along
a random direction the slope that gig's gradient is compared with; --record writes the values into the list. Words choose files.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
LIST = os.path.join(HERE, "..", "tests", "cli", "foreign_files.json")
ORT = """
const ort = require('onnxruntime-node'), fs = require('fs');
(async () => {
  const [model, folder, count] = process.argv.slice(2);
  const types = {float32: Float32Array, int64: BigInt64Array, bool: Uint8Array, uint8: Uint8Array};
  const session = await ort.InferenceSession.create(model, {intraOpNumThreads: 1, logSeverityLevel: 3});
  for (let i = 0; i < +count; i++) {
    const feeds = {}, given = JSON.parse(fs.readFileSync(`${folder}/in${i}.json`));
    for (const name in given) {
      const bytes = fs.readFileSync(given[name].file);
      const data = new types[given[name].type](bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
      feeds[name] = new ort.Tensor(given[name].type, data, given[name].dims);
    }
    const first = session.outputNames[0], result = (await session.run(feeds, [first]))[first];
    fs.writeFileSync(`${folder}/out${i}.json`, JSON.stringify({dims: result.dims, data: Array.from(result.data, Number)}));
  }
})().catch(error => { console.error(String(error).slice(0, 300)); process.exit(1); });
"""


def array(spec):
    """["noise", shape, scale, offset], ["zeros", shape], ["count", shape, step], ["value", shape, v], ["bool", shape, v]"""
    kind, shape = spec[0], spec[1]
    i = np.arange(int(np.prod(shape)), dtype=np.float64)
    if kind == "noise":
        draw = 2 * np.modf(np.abs(np.sin(12.9898 * i + 4.1414)) * 43758.5453)[0] - 1
        return (spec[3] + spec[2] * draw).astype(np.float32).reshape(shape)
    if kind == "zeros":
        return np.zeros(shape, np.float32)
    if kind == "count":
        return (1 + i * spec[2] % 59).astype(np.int64).reshape(shape)
    return np.full(shape, spec[2], np.int64 if kind == "value" else bool)


def fetch(folder, package, version):
    """The folder of the unpacked package, or None where the registry does not answer."""
    where = os.path.join(folder, "%s@%s" % (package.replace("/", "__"), version))
    if os.path.isdir(where):
        return where
    run = subprocess.run(["npm", "pack", "--silent", "--ignore-scripts", "%s@%s" % (package, version)], cwd=folder,
                         capture_output=True, text=True, check=False)
    if run.returncode:
        return None
    packed = os.path.join(folder, run.stdout.strip().split("\n")[-1])
    with tarfile.open(packed) as tar:
        for member in tar:
            if member.isfile() and member.name.endswith(".onnx") and ".." not in member.name:
                path = os.path.join(where + ".part", member.name.split("/", 1)[1])
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "wb") as out:
                    shutil.copyfileobj(tar.extractfile(member), out)
    os.remove(packed)
    os.rename(where + ".part", where)
    return where


def explain(gig, model, entry, inputs, work):
    command = [gig, "explain", model, "-m", "gradients", "--json", "--force", "--npy", work + "/g.npy"] + entry["flags"]
    for i, (name, value) in enumerate(inputs.items()):
        np.save("%s/x%d.npy" % (work, i), value.astype(np.int64) if value.dtype == bool else value)
        command += ["--tensor", "%s=%s/x%d.npy" % (name, work, i)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def ort_values(modules, model, feeds, entry, work):
    """The chosen number of the first output, for each set of inputs."""
    with open(work + "/run.js", "w", encoding="utf-8") as out:
        out.write(ORT)
    session_types = {"input": "uint8"} if entry["package"] == "tractjs" else {}
    for j, feed in enumerate(feeds):
        given = {}
        for i, (name, value) in enumerate(feed.items()):
            value = value.astype(session_types.get(name, value.dtype))
            value.tofile("%s/%d_%d.bin" % (work, j, i))
            given[name] = {"type": str(value.dtype), "dims": list(value.shape), "file": "%s/%d_%d.bin" % (work, j, i)}
        with open("%s/in%d.json" % (work, j), "w", encoding="utf-8") as out:
            json.dump(given, out)
    run = subprocess.run(["node", work + "/run.js", model, work, str(len(feeds))], capture_output=True, text=True,
                         env=dict(os.environ, NODE_PATH=modules), check=False)
    if run.returncode:
        return None
    values = []
    for j in range(len(feeds)):
        with open("%s/out%d.json" % (work, j), encoding="utf-8") as file:
            out = json.load(file)
        y = np.array([np.nan if v is None else v for v in out["data"]], float).reshape(out["dims"])
        place = [int(k) for k in entry["flags"][-1].split(",")]
        values.append(y[tuple(place if len(place) == y.ndim else [0] + place)])
    return values


def slopes(modules, model, entry, inputs, gradient, work):
    """Value by ONNX Runtime, its slope along a random direction, and gig's."""
    name = next((n for n, v in inputs.items() if v.dtype == np.float32), None)
    if name is None or "--at" in entry["flags"]:
        found = ort_values(modules, model, [inputs], entry, work)
        return found and (found[0], None, None)
    x, g = inputs[name], gradient.reshape(inputs[name].shape).astype(float)
    d = np.random.default_rng(1).standard_normal(x.shape) * np.abs(g)
    d *= 1e-3 * max(1e-3, np.abs(x).max()) / max(np.abs(d).max(), 1e-300)
    ends = [(x + d).astype(np.float32), (x - d).astype(np.float32)]
    found = ort_values(modules, model, [inputs] + [dict(inputs, **{name: e}) for e in ends], entry, work)
    return found and (found[0], found[1] - found[2], float((g * (ends[0].astype(float) - ends[1])).sum()))


def judge(args, entry, where, work):
    """(passed, words)"""
    model = os.path.join(where, entry["path"])
    inputs = {name: array(spec) for name, spec in entry["inputs"].items()}
    run = explain(args.gig, model, entry, inputs, work)
    said = run.stderr.strip().split("\n")[-1]
    if "refused" in entry:
        good = run.returncode == entry["refused"] and entry["says"] in said
        return good, "refused: %s" % entry["says"] if good else "exit code %d: %s" % (run.returncode, said)
    if run.returncode:
        return False, "exit code %d: %s" % (run.returncode, said)
    result = json.loads(run.stdout)["results"][0]
    gradient = np.load(work + "/g.npy")
    if result["value"] is None:
        return False, "the value is not finite"
    words = "value %.7g" % result["value"]
    if args.ort:
        found = slopes(args.ort, model, entry, inputs, gradient, work)
        if found is None:
            words += ", not run by ONNX Runtime"
        else:
            words += ", ONNX Runtime %.7g" % found[0]
            if found[1] is not None:
                words += ", slope %.4g against %.4g" % (found[2], found[1])
            if args.record and "no_value" not in entry:
                entry["value"] = float("%.7g" % found[0])
    if "value" not in entry:
        return bool(np.isfinite(gradient).all()), words + ", not compared: " + entry["no_value"]
    tolerance = entry.get("tolerance", 1e-4)
    good = abs(result["value"] - entry["value"]) <= tolerance * max(abs(entry["value"]), 1e-3)
    return good and bool(np.isfinite(gradient).all()), words


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("gig")
    parser.add_argument("folder")
    parser.add_argument("--ort")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("words", nargs="*")
    args = parser.parse_args()
    with open(LIST, encoding="utf-8") as file:
        entries = json.load(file)
    os.makedirs(args.folder, exist_ok=True)
    chosen = [e for e in entries if not args.words or any(w in e["package"] + "/" + e["path"] for w in args.words)]
    failures = 0
    for i, entry in enumerate(chosen):
        name = "%s@%s %s" % (entry["package"], entry["version"], entry["path"])
        where = fetch(args.folder, entry["package"], entry["version"])
        if where is None:
            print("ok %d - %s # SKIP npm did not give the package" % (i + 1, name), flush=True)
            continue
        with tempfile.TemporaryDirectory() as work:
            good, words = judge(args, entry, where, work)
        failures += not good
        print("%s %d - %s: %s" % ("ok" if good else "not ok", i + 1, name, words.replace("#", "")), flush=True)
    print("1..%d" % len(chosen))
    if args.record:
        with open(LIST, "w", encoding="utf-8") as out:
            out.write("[\n" + ",\n".join(" " + json.dumps(e) for e in entries) + "\n]\n")
    sys.exit(failures > 0)


main()
