# SPDX-License-Identifier: Apache-2.0
"""torchvision's classifiers with seeded random weights that keep them well conditioned, and pictures for them.

Where a network is badly conditioned a gradient in float32 says little: with plain random weights PyTorch itself is
2e-2 to 4e-2 away from its own float64. So weights are made from one pass over seeded noise (`randomise`), and the seeds
of MAIN were chosen without gig (`--conditioning` of torchvision_classifiers.py): the first for which PyTorch in
float32, in either layout and in eight copies with weights moved by last digits, stays within 1e-2 of its float64.
"""
import contextlib
import copy

import torch
import torch.nn.functional as F
from torch import nn
from torchvision import models

TARGET = 7  # the class whose value and gradient are asked for

# Side of the picture and seed of each classifier that is compared in every way.
MAIN = {"alexnet": (224, 0), "vgg11_bn": (224, 7), "resnet18": (224, 0), "resnext50_32x4d": (224, 0),
        "squeezenet1_1": (224, 0), "densenet121": (224, 1), "googlenet": (224, 13), "inception_v3": (299, 1),
        "shufflenet_v2_x1_0": (224, 1), "mobilenet_v2": (224, 1), "mobilenet_v3_small": (224, 0),
        "mnasnet1_0": (224, 2), "efficientnet_b0": (224, 0), "vit_b_16": (112, 0)}
# The others run on smaller pictures where the architecture takes them: AlexNet and VGG export only where the last map
# is a multiple of their 6 x 6 and 7 x 7 poolings, MaxViT runs where 7 divides every stage, patches of 14 must fit.
SIDES = {"vgg": 224, "maxvit": 224, "vit_h_14": 112}
OTHERS = {name: (next((side for start, side in SIDES.items() if name.startswith(start)), 96), 0)
          for name in models.list_models(module=models) if name not in MAIN}
CHOICES = {**MAIN, **OTHERS}


@contextlib.contextmanager
def without_kinks(wanted):
    """Modules call these functions too, so that both ways of writing a layer are caught."""
    def softplus(x, *_, **__):
        return F.softplus(x)

    def average(x, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
        return F.avg_pool2d(x, kernel_size, stride, padding, ceil_mode)

    changed = {"relu": softplus, "relu6": softplus, "hardtanh": softplus, "hardswish": softplus,
               "hardsigmoid": softplus, "max_pool2d": average} if wanted else {}
    kept = {name: getattr(F, name) for name in changed}
    try:
        for name, function in changed.items():
            setattr(F, name, function)
        yield
    finally:
        for name, function in kept.items():
            setattr(F, name, function)


def pictures(count, side, seed):
    """[count,3,side,side] of noise at several scales, so that deep maps still differ from place to place; of mean 0 and
    deviation 1, as classifiers take photographs."""
    generator = torch.Generator().manual_seed(seed)
    scales = [torch.rand(count, 3, n, n, generator=generator) for n in (3, 8, side // 8, side)]
    x = sum(F.interpolate(noise, size=side, mode="bilinear") for noise in scales)
    return (x - x.mean()) / x.std()


def randomise(net, x, seed):
    """He's weights; then, during one pass over x, statistics of BatchNorm are taken from what arrives there and moved
    by up to 0.3 of themselves, and convolutions with a bias are scaled and shifted as if one followed (Salimans and
    Kingma, 2016).

    A channel's variance is taken half from itself and half from all channels, so that one that hardly varies is not
    blown up until the gradient passes through it alone. Biases of 1 to 2 deviations leave 2 to 16 % of units off: with
    half of them off a gradient grows from layer to layer (by the square root of 1.47 each) and what rounding flips
    flips more after it; at 1.5 deviations by that of 1.05."""
    generator = torch.Generator().manual_seed(seed)

    def around(shape, centre, spread):
        return centre + spread * (2 * torch.rand(shape, generator=generator) - 1)

    def moments(maps):
        variance, mean = torch.var_mean(maps, (0, 2, 3), unbiased=False)
        variance = (variance + variance.mean()) / 2
        return variance * around(variance.shape, 1, 0.3), mean + variance.sqrt() * around(mean.shape, 0, 0.3)

    def settle_norm(norm, arguments):
        variance, mean = moments(arguments[0])
        norm.running_var.copy_(variance)
        norm.running_mean.copy_(mean)

    def settle_layer(layer, arguments, output):
        maps = isinstance(layer, nn.Conv2d) and output[0, 0].numel() > 1
        if maps and layer.bias is not None:
            variance, mean = moments(output)
            scale = variance.rsqrt()
            layer.bias.copy_(around(mean.shape, 1.5, 0.5) - mean * scale)
        else:
            scale = output.square().mean().rsqrt().expand(layer.weight.shape[0])
            if layer.bias is not None:
                layer.bias.copy_(around(layer.bias.shape, 1.5, 0.5))
        layer.weight.mul_(scale.reshape(-1, *[1] * (layer.weight.ndim - 1)))
        return layer.forward(*arguments)

    hooks = []
    for key, parameter in net.named_parameters():
        if key.endswith(("layer_scale", "class_token")):
            parameter.data = around(parameter.shape, 0.5, 0.5)
    for module in net.modules():
        if isinstance(module, (nn.Conv2d, nn.Linear)):
            fan = module.weight[0].numel()
            module.weight.data = torch.randn(module.weight.shape, generator=generator) * (2 / fan) ** 0.5
            if module.bias is not None:
                module.bias.data.zero_()
            hooks.append(module.register_forward_hook(settle_layer))
        if isinstance(module, (nn.BatchNorm2d, nn.LayerNorm)):
            batch = isinstance(module, nn.BatchNorm2d)
            module.weight.data = around(module.weight.shape, 1, 0.3)
            module.bias.data = around(module.bias.shape, 1.5, 0.5) if batch else around(module.bias.shape, 0, 0.3)
            if batch:
                hooks.append(module.register_forward_pre_hook(settle_norm))
    with torch.no_grad():
        net(x)
    for hook in hooks:
        hook.remove()


def build(name, side, seed):
    """The network, ready to run."""
    options = {"vit": {"image_size": side}, "goo": {"aux_logits": False, "init_weights": False},
               "inc": {"aux_logits": False, "init_weights": False}}.get(name[:3], {})
    torch.manual_seed(seed)
    net = models.get_model(name, weights=None, **options).eval().requires_grad_(False)
    randomise(net, pictures(8, side, seed + 1), seed)
    return net


def answers(net, x, scalars=("logit", "logprob")):
    """{scalar: (values [n], gradients [n,...])} in the precision of net."""
    x = x.clone().requires_grad_(True)
    logits = net(x)
    values = {"logit": logits[:, TARGET], "logprob": torch.log_softmax(logits, 1)[:, TARGET]}
    return {of: (values[of].detach().double().numpy(),
                 torch.autograd.grad(values[of].sum(), x, retain_graph=True)[0].double().numpy())
            for of in scalars}


def in_channels_last(net, x):
    layout = torch.channels_last
    return answers(copy.deepcopy(net).to(memory_format=layout), x.contiguous(memory_format=layout))


def moved(net, seed):
    """A copy whose weights are moved by up to four units in the last digit of float32: sums then round anew."""
    copied, generator = copy.deepcopy(net), torch.Generator().manual_seed(seed)
    for parameter in copied.parameters():
        parameter.mul_(1 + 2 ** -21 * (2 * torch.rand(parameter.shape, generator=generator) - 1))
    return copied
