#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes tests/golden/cams/vit, swin and window_tokens: small transformers that are trained to name the colour of one disc
on noise. Windows of 2 x 2 tokens keep what the Swins know near the disc, so their Grad-CAM must be high there; a ViT
mixes all tokens, and its map need not be. NAME.onnx, and NAME.npz with x, the disc's centre and radius in pixels, the
default layer ([places, channels]), and PyTorch's Grad-CAM of that layer.

vit and swin are torchvision's own classes; window_tokens keeps [n, tokens, channels] between blocks, as other libraries
write Swin. Seeded; PyTorch 1.13 and torchvision from Debian.  Usage: tools/golden/cam_transformers.py [OUTPUT_FOLDER]
"""
import os
import sys
import warnings

import numpy as np
import torch
from torch import nn
import torch.nn.functional as F
from torchvision.models.swin_transformer import SwinTransformer
from torchvision.models.vision_transformer import VisionTransformer

warnings.filterwarnings("ignore")
SIDE, RADIUS, CLASSES, WIDTH = 32, 5, 4, 16
COLOURS = torch.tensor([[1.0, 0.1, 0.1], [0.1, 1.0, 0.1], [0.1, 0.1, 1.0], [1.0, 1.0, 0.1]])


def draw(count, generator):
    """Pictures, classes, centres (row, column)."""
    kind = torch.randint(CLASSES, (count,), generator=generator)
    centre = torch.randint(RADIUS, SIDE - RADIUS, (count, 2), generator=generator)
    x = 0.5 + 0.15 * torch.randn(count, 3, SIDE, SIDE, generator=generator)
    y, z = torch.meshgrid(torch.arange(SIDE), torch.arange(SIDE), indexing="ij")
    inside = (y - centre[:, 0, None, None]) ** 2 + (z - centre[:, 1, None, None]) ** 2 <= RADIUS**2
    x = torch.where(inside[:, None], COLOURS[kind][:, :, None, None] + 0.05 * torch.randn(x.shape, generator=generator), x)
    return x.clamp(0, 1), kind, centre


class WindowBlock(nn.Module):
    """Attention inside windows of [n, tokens, channels]; every second block moves them by half their side."""

    def __init__(self, side, window, shift):
        super().__init__()
        self.side, self.window, self.shift = side, window, shift
        self.first, self.second = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.inner = nn.Sequential(nn.Linear(WIDTH, 2 * WIDTH), nn.GELU(), nn.Linear(2 * WIDTH, WIDTH))

    def windows(self, x):
        n, s, w = x.shape[0], self.side // self.window, self.window
        return x.view(n, s, w, s, w, WIDTH).permute(0, 1, 3, 2, 4, 5).reshape(n * s * s, w * w, WIDTH)

    def forward(self, x):
        n, s, w, heads = x.shape[0], self.side // self.window, self.window, 2
        y = self.first(x).view(n, self.side, self.side, WIDTH)
        if self.shift:
            y = torch.roll(y, (-self.shift, -self.shift), (1, 2))
        q, k, v = self.qkv(self.windows(y)).view(-1, w * w, 3, heads, WIDTH // heads).permute(2, 0, 3, 1, 4)
        y = ((q @ k.transpose(-1, -2)) * (WIDTH // heads) ** -0.5).softmax(-1) @ v
        y = self.out(y.transpose(1, 2).reshape(-1, w * w, WIDTH))
        y = y.view(n, s, s, w, w, WIDTH).permute(0, 1, 3, 2, 4, 5).reshape(n, self.side, self.side, WIDTH)
        if self.shift:
            y = torch.roll(y, (self.shift, self.shift), (1, 2))
        x = x + y.reshape(n, self.side * self.side, WIDTH)
        return x + self.inner(self.second(x))


class WindowTokens(nn.Module):
    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(3, WIDTH, 4, 4)
        self.blocks = nn.Sequential(WindowBlock(8, 2, 0), WindowBlock(8, 2, 1))
        self.norm, self.end = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, CLASSES)

    def forward(self, x):
        x = self.blocks(self.patches(x).flatten(2).transpose(1, 2))
        return self.end(self.norm(x).mean(1))


def train(model, steps):
    generator = torch.Generator().manual_seed(1)
    optimizer = torch.optim.AdamW(model.parameters(), 3e-3, weight_decay=1e-2)
    rate = torch.optim.lr_scheduler.OneCycleLR(optimizer, 3e-3, steps)
    for _ in range(steps):
        x, kind, _ = draw(32, generator)
        loss = F.cross_entropy(model(x), kind)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        rate.step()
    model.eval()
    x, kind, _ = draw(400, generator)
    with torch.no_grad():
        return float((model(x).argmax(1) == kind).float().mean())


def as_channels(layer):
    """[channels, rows, columns] of [1, rows, columns, channels] or [1, tokens, channels], a class token left out."""
    tokens = layer.reshape(-1, layer.shape[-1])
    side = int(len(tokens) ** 0.5)
    return tokens[len(tokens) - side * side:].T.reshape(-1, side, side)


def save(folder, name, model, layer, x, centre, kind):
    kept = []
    hook = layer.register_forward_hook(lambda module, inputs, output: kept.append(output))
    (gradient,) = torch.autograd.grad(model(x)[0, kind], kept[0])
    hook.remove()
    a, g = as_channels(kept[0].detach()), as_channels(gradient)
    small = (g.mean((1, 2), keepdim=True) * a).sum(0).clamp(min=0)
    cam = F.interpolate(small[None, None], size=(SIDE, SIDE), mode="bilinear", align_corners=False)[0, 0]
    y, z = np.mgrid[0:SIDE, 0:SIDE]
    inside = (y - int(centre[0])) ** 2 + (z - int(centre[1])) ** 2 <= RADIUS**2
    share = float(cam[torch.from_numpy(inside)].sum() / cam.sum())
    print("%s: %.2f of Grad-CAM on the disc, which is %.2f of the picture" % (name, share, inside.mean()))
    torch.onnx.export(model, x, os.path.join(folder, name + ".onnx"), opset_version=13, input_names=["x"],
                      output_names=["y"])
    np.savez(os.path.join(folder, name + ".npz"), x=x.numpy(), disc=np.array([*centre.tolist(), RADIUS], np.float32),
             target=np.float32(kind), layer=a.flatten(1).T.contiguous().numpy(), **{"grad-cam": cam.numpy()})


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, "..", "..", "tests", "golden", "cams")
    torch.manual_seed(2)
    torch.set_num_threads(1)
    vit = VisionTransformer(image_size=SIDE, patch_size=4, num_layers=2, num_heads=2, hidden_dim=WIDTH,
                            mlp_dim=2 * WIDTH, num_classes=CLASSES)
    nn.init.trunc_normal_(vit.heads.head.weight, std=0.1)  # torchvision begins at zero
    swin = SwinTransformer(patch_size=[4, 4], embed_dim=WIDTH, depths=[2], num_heads=[2], window_size=[2, 2],
                           mlp_ratio=2, stochastic_depth_prob=0.0, num_classes=CLASSES)
    windows = WindowTokens()
    x, kind, centre = draw(1, torch.Generator().manual_seed(9))
    for name, model, layer in (("vit", vit, lambda m: m.encoder.layers[-1].ln_1), ("swin", swin, lambda m: m.norm),
                               ("window_tokens", windows, lambda m: m.blocks[-1].first)):
        print(name, "%.3f right" % train(model, 250), flush=True)
        save(folder, name, model, layer(model), x, centre[0], int(kind[0]))


main()
