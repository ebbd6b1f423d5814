#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes signal.png, tokens.png, table.png and volume.png of docs/targets.md: small models trained on made-up data, each
explained by gig. Needs PyTorch; a minute on one core.
    docs/pictures/arrays.py GIG OUTPUT_FOLDER    the pictures
    docs/pictures/arrays.py --untrained FOLDER   only the models and their inputs, in a few seconds, for trying the commands
"""
import os
import subprocess
import sys
import tempfile

import numpy as np
import torch
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(0)
rng = np.random.default_rng(0)


def train(net, x, y, steps):
    if sys.argv[1] == "--untrained":
        return
    optimizer = torch.optim.Adam(net.parameters(), 1e-2)
    for _ in range(steps):
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        optimizer.step()


def signal(folder):
    """Beats every 80 samples; class 1 has one more, wider than the others."""
    t, x, y = np.arange(400), [], rng.integers(0, 2, 256)
    for extra in y:
        s = 0.05 * rng.standard_normal(400)
        for b in range(rng.integers(0, 60), 400, 80):
            s += np.exp(-((t - b) / 3) ** 2) - 0.3 * np.exp(-((t - b - 8) / 4) ** 2) + 0.25 * np.exp(-((t - b - 25) / 8) ** 2)
        x.append(s + extra * 1.2 * np.exp(-((t - rng.integers(100, 300)) / 9) ** 2))
    x, y = torch.tensor(np.array(x, np.float32)[:, None]), torch.tensor(y)
    net = nn.Sequential(nn.Conv1d(1, 16, 21, 2, 10), nn.ReLU(), nn.Conv1d(16, 16, 21, 2, 10), nn.ReLU(),
                        nn.AdaptiveMaxPool1d(1), nn.Flatten(), nn.Linear(16, 2))
    train(net, x, y, 150)
    np.save(folder + "/ecg.npy", x[int(torch.nonzero(y)[3])][None].numpy())
    torch.onnx.export(net, x[:1], folder + "/ecg.onnx", opset_version=13)
    return ["ecg.onnx", "--tensor", "ecg.npy"]


def table(folder):
    names = ["age", "income", "debt", "years at address", "open loans", "late payments", "savings", "rent"]
    x = rng.standard_normal((512, 8)).astype(np.float32)
    y = (x[:, 2] + 1.5 * x[:, 5] - x[:, 6] - 0.7 * x[:, 1] > 0).astype(np.int64)
    net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
    train(net, torch.tensor(x), torch.tensor(y), 150)
    np.save(folder + "/credit.npy", x[np.nonzero(y)[0][:1]])
    with open(folder + "/columns.txt", "w", encoding="utf-8") as out:
        out.write("\n".join(names) + "\n")
    torch.onnx.export(net, torch.tensor(x[:1]), folder + "/credit.onnx", opset_version=13)
    return ["credit.onnx", "--tensor", "credit.npy", "--columns", "columns.txt"]


class Reader(nn.Module):
    def __init__(self, words):
        super().__init__()
        self.embedding, self.end = nn.Embedding(words, 16), nn.Linear(16, 2)
        self.layer = nn.TransformerEncoderLayer(16, 2, 32, 0, batch_first=True)

    def forward(self, ids):
        return self.end(self.layer(self.embedding(ids)).mean(1))


def tokens(folder):
    """Class 1 has more praise than blame."""
    words = "[CLS] [SEP] the a film was plot great awful boring and but acting never gripping slow".split()
    mood = {"great": 1, "gripping": 1, "awful": -1, "boring": -1, "slow": -1}
    drawn = [["[CLS]"] + [words[i] for i in rng.integers(2, 16, 10)] + ["[SEP]"] for _ in range(1500)]
    scored = [(s, sum(mood.get(w, 0) for w in s)) for s in drawn]
    ids = torch.tensor([[words.index(w) for w in s] for s, score in scored if score])
    net = Reader(len(words))
    train(net, ids, torch.tensor([int(score > 0) for _, score in scored if score]), 120)
    shown = "[CLS] the plot was slow but the acting was great [SEP]".split()
    np.save(folder + "/review.npy", np.array([[words.index(w) for w in shown]]))
    with open(folder + "/words.txt", "w", encoding="utf-8") as out:
        out.write("\n".join(shown) + "\n")
    torch.onnx.export(net, ids[:1, :len(shown)], folder + "/review.onnx", opset_version=13,
                      training=torch.onnx.TrainingMode.TRAINING)
    return ["review.onnx", "--tensor", "review.npy", "--at", "/embedding/Gather_output_0", "--tokens", "words.txt"]


def volume(folder):
    """A ball (class 1) or a plate in noise."""
    z, v, u = np.mgrid[:16, :16, :16]
    x, y = 0.3 * rng.random((80, 1, 16, 16, 16)), rng.integers(0, 2, 80)
    for i, ball in enumerate(y):
        c = rng.integers(4, 12, 3)
        inside = (z - c[0]) ** 2 + (v - c[1]) ** 2 + (u - c[2]) ** 2 <= 10
        plate = (z == c[0]) & (abs(v - c[1]) <= 5) & (abs(u - c[2]) <= 5)
        x[i, 0] += 0.6 * (inside if ball else plate)
    x, y = torch.tensor(x, dtype=torch.float32), torch.tensor(y)
    net = nn.Sequential(nn.Conv3d(1, 8, 3, 1, 1), nn.ReLU(), nn.Conv3d(8, 8, 3, 2, 1), nn.ReLU(), nn.AdaptiveMaxPool3d(1),
                        nn.Flatten(), nn.Linear(8, 2))
    train(net, x, y, 60)
    np.save(folder + "/scan.npy", x[int(torch.nonzero(y)[0])][None].numpy())
    torch.onnx.export(net, x[:1], folder + "/scan.onnx", opset_version=13)
    return ["scan.onnx", "--tensor", "scan.npy"]


class Both(nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = nn.Sequential(nn.Conv2d(3, 8, 3, 2), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())
        self.end = nn.Linear(11, 2)

    def forward(self, image, numbers):
        return self.end(torch.cat([self.seen(image), numbers], 1))


def both(folder):
    """A picture and three numbers: never trained, for trying the commands."""
    np.save(folder + "/numbers.npy", np.array([[0.5, -1, 2]], np.float32))
    np.save(folder + "/image.npy", rng.random((1, 3, 32, 32)).astype(np.float32))
    torch.onnx.export(Both(), (torch.zeros(1, 3, 32, 32), torch.zeros(1, 3)), folder + "/both.onnx", opset_version=13,
                      input_names=["image", "numbers"])


def main():
    gig, out = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    if sys.argv[1] == "--untrained":
        for make in (signal, tokens, table, volume, both):
            make(out)
        return
    with tempfile.TemporaryDirectory() as folder:
        for make in (signal, tokens, table, volume):
            command = [gig, "explain"] + make(folder) + ["-m", "ig", "--steps", "50", "-q", "-f", "-o", "%s/%s.png" % (out, make.__name__)]
            subprocess.run(command, cwd=folder, check=True)


main()
