#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/base: small arrays as NumPy stores them, for the readers of .npy and .npz.

Run from the source's root. The values are a = 1.5 * i - 2 for i in 0..5, shape [2, 3] (cut to integers for i, u)."""
import os

import numpy as np

folder = "tests/golden/base"
os.makedirs(folder, exist_ok=True)
a = np.arange(6).reshape(2, 3) * 1.5 - 2
for order in "<>":
    for kind in ("f2", "f4", "f8", "i2", "i4", "i8"):
        name = ("little_" if order == "<" else "big_") + kind
        np.save(f"{folder}/{name}.npy", a.astype(order + kind))
np.save(f"{folder}/i1.npy", a.astype("i1"))
for kind in ("u1", "u2", "u4", "u8"):
    np.save(f"{folder}/{kind}.npy", np.abs(a).astype(kind))
np.save(f"{folder}/b1.npy", a > 0)
np.save(f"{folder}/fortran.npy", np.asfortranarray(np.arange(24).reshape(2, 3, 4).astype("f4")))
np.save(f"{folder}/fortran_big_f8.npy", np.asfortranarray(np.arange(24).reshape(2, 3, 4).astype(">f8")))
np.save(f"{folder}/scalar.npy", np.float32(3.25))
np.save(f"{folder}/empty.npy", np.zeros((0, 3), "f4"))
np.save(f"{folder}/complex.npy", a.astype("c8"))
np.save(f"{folder}/text.npy", np.array(["a", "b"]))
np.save(f"{folder}/record.npy", np.zeros(2, [("x", "f4"), ("y", "i4")]))
np.save(f"{folder}/special_f2.npy", np.array([0.0, -0.0, np.inf, -np.inf, 65504, 6e-8, 6.1035e-05, 1 / 3], "f2"))
with open(f"{folder}/version_2.npy", "wb") as file:
    np.lib.format.write_array(file, a.astype("f4"), version=(2, 0))
with open(f"{folder}/version_3.npy", "wb") as file:
    np.lib.format.write_array(file, a.astype("f4"), version=(3, 0))
np.savez(f"{folder}/stored.npz", x=a.astype("f4"), y=a.astype("i4"))
np.savez_compressed(f"{folder}/deflated.npz", x=a.astype("f4"), zeros=np.zeros((50, 40)))
np.savez(f"{folder}/one.npz", a)
