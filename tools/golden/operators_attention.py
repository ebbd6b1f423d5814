# SPDX-License-Identifier: Apache-2.0
"""Cases for operators.py: Attention, RotaryEmbedding, and the normalisations by groups and root mean squares."""
import numpy as np
import torch
import torch.nn.functional as F


def heads(x, count):
    """[B, S, count * width] -> [B, count, S, width]"""
    return x.unflatten(2, (count, -1)).transpose(1, 2)


def attend(q, k, v, mask=0.0, scale=None, cap=None, causal=False):
    shared = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(shared, 1), v.repeat_interleave(shared, 1)
    scores = q @ k.transpose(2, 3) * (q.shape[3] ** -0.5 if scale is None else scale)
    scores = (cap * torch.tanh(scores / cap) if cap else scores) + mask
    if causal:
        scores = scores.masked_fill(torch.ones(scores.shape[2:]).triu(1) > 0, -np.inf)
    return torch.softmax(scores, 3) @ v


def attentions(case):
    q, k, v = [2, 2, 3, 4], [2, 2, 5, 4], [2, 2, 5, 3]
    case("Attention", 23, [q, k, v], attend)
    case("Attention", 24, [q, k, v], lambda *x: attend(*x, scale=0.75, causal=True), scale=0.75, is_causal=1)
    case("Attention", 23, [[1, 4, 3, 2], [1, 2, 4, 2], [1, 2, 4, 3], [3, 4]],
         lambda *x: attend(*x, cap=0.5), softcap=0.5)
    case("Attention", 24, [q, k, v, [2, 1, 1, 5]], attend)
    case("Attention", 23, [q, k, v, [1, 2, 3, 5]], lambda *x: attend(*x, cap=1.5, causal=True), softcap=1.5,
         is_causal=1)
    case("Attention", 23, [[2, 3, 8], [2, 4, 4], [2, 4, 6], [4, 3, 4]],
         lambda q, k, v, m: attend(heads(q, 4), heads(k, 2), heads(v, 2), m).transpose(1, 2).flatten(2),
         q_num_heads=4, kv_num_heads=2)


def rotate(x, cos, sin):
    """The last dim's neighbours are the parts of complex numbers."""
    turned = torch.view_as_complex(x.unflatten(3, (-1, 2)).contiguous()) * torch.complex(cos, sin)[:, None]
    return torch.view_as_real(turned).flatten(3)


def rotations(case):
    position = np.array([[2, 0, 3], [1, 1, 3]])
    at = torch.tensor(position)
    case("RotaryEmbedding", 23, [[2, 2, 3, 4], [4, 2], [4, 2], position],
         lambda x, c, s: rotate(x, c[at], s[at]), interleaved=1)

    def halves(x, c, s):
        x = heads(x, 2)
        pairs = x[..., :4].unflatten(3, (2, 2)).transpose(3, 4).flatten(3)
        turned = rotate(pairs, c, s).unflatten(3, (2, 2)).transpose(3, 4).flatten(3)
        return torch.cat([turned, x[..., 4:]], 3).transpose(1, 2).flatten(2)

    case("RotaryEmbedding", 23, [[2, 3, 12], [2, 3, 2], [2, 3, 2]], halves, num_heads=2, rotary_embedding_dim=4)


def normalizations(case):
    def rms(axes, epsilon=1e-5):
        return lambda x, w: x / torch.sqrt((x * x).mean(axes, keepdim=True) + epsilon) * w

    case("GroupNormalization", 18, [[2, 6, 2, 2], [3], [3]],
         lambda x, w, b: F.group_norm(x, 3, w.repeat_interleave(2), b.repeat_interleave(2)), num_groups=3)
    case("GroupNormalization", 21, [[2, 6, 3], [6], [6]], lambda x, w, b: F.group_norm(x, 2, w, b, 0.25),
         num_groups=2, epsilon=0.25)
    case("RMSNormalization", 23, [[2, 3, 4], [4]], rms(2))
    case("RMSNormalization", 23, [[2, 3, 4], [3, 1]], rms((1, 2), 0.5), axis=-2, epsilon=0.5)


def cases(case):
    attentions(case)
    rotations(case)
    normalizations(case)
