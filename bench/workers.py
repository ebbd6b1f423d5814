#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Two workers in one process beside two processes with one worker each at the same time, elapsed time, alternating.

1 means that two workers explain a picture in half the time each of the two processes needs. Needs two idle cores.
Usage: bench/workers.py [BUILD_FOLDER] [ROUNDS] [STEPS]
"""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "peers"))
from common import arguments, model_input, model_path, pixels
import numpy as np


def elapsed(command, processes):
    """Mean seconds of the explanation itself over processes that run together."""
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(processes)]
    answers = [child.communicate()[0] for child in running]
    if any(child.returncode for child in running):
        sys.exit("bench: gig explain failed")
    return sum(json.loads(a)["results"][0]["seconds"] for a in answers) / processes


def main():
    build, rounds = arguments(3)
    steps = int(sys.argv[3]) if len(sys.argv) > 3 else 200
    print(f"# {steps} steps, elapsed time, best of {rounds} alternating rounds; load {os.getloadavg()[0]:.1f} on "
          f"{len(os.sched_getaffinity(0))} cores")
    with tempfile.TemporaryDirectory() as folder:
        points = os.path.join(folder, "x.npy")
        for title in ("MobileNetV2", "ResNet-50"):
            np.save(points, model_input(title, pixels(224)))
            for method in ("gig:20", "ig"):
                command = [os.path.join(build, "gig"), "explain", model_path(title), "--tensor", points, "--class", "65",
                           "--method", method, "--steps", str(steps), "--json", "--quiet", "--threads"]
                two = apart = float("inf")
                for _ in range(rounds):
                    two = min(two, elapsed(command + ["2"], 1))
                    apart = min(apart, elapsed(command + ["1"], 2))
                print(f"bench: {title} {method} two workers: {apart / 2 / two:.2f} of two processes "
                      f"({two:.2f} s a picture, two processes {apart:.2f} s for two)", flush=True)


if __name__ == "__main__":
    main()
