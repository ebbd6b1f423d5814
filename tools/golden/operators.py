# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/operators.h: outputs and gradients of single operators, computed by PyTorch in double.

Inputs come from a small generator that the test (tests/network/test_operators_golden.c) runs too, so only results
are stored. Run from the source root with an interpreter that has torch.
"""
import arrays
import numpy as np
import operators_attention
import torch
import torch.nn.functional as F


class Numbers:
    """Uniform in [-1, 1), rounded to float."""

    def __init__(self):
        self.state = 12345

    def tensor(self, dims):
        values = []
        for _ in range(int(np.prod(dims))):
            self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
            values.append(2 * ((self.state >> 11) * 2.0**-53) - 1)
        array = np.array(values, np.float64).astype(np.float32).astype(np.float64)
        return torch.tensor(array.reshape(dims))


def numbers(kind, values, form):
    values = np.asarray(values).ravel()
    return "(const %s[]){\n%s}" % (kind, arrays.wrap(values, form) if values.size else "    0")


def real(value):
    text = "%.8g" % value
    return text + ("f" if "." in text or "e" in text else ".0f")


def dims(values):
    return "%d, {%s}" % (len(values), ", ".join(map(str, values)) or "0")


def attribute(key, value):
    if isinstance(value, (list, tuple)):
        return key + ":" + ",".join(map(str, value))
    return key + "=" + str(value)


CASES = []


def case(op, opset, inputs, function, **attributes):
    """inputs: dims of a random real input (list), or a constant array of whole or real numbers."""
    source = Numbers()
    ports, tensors = [], []
    for port in inputs:
        if isinstance(port, np.ndarray):
            ports.append(port)
            tensors.append(None)
        else:
            ports.append(list(port))
            tensors.append(source.tensor(port).requires_grad_())
    reals = [t for t in tensors if t is not None]
    out = function(*reals)
    out.backward(source.tensor(list(out.shape)))
    text = []
    for port in ports:
        if isinstance(port, list):
            text.append("{%s, NULL, NULL}" % dims(port))
        elif port.dtype.kind == "i":
            text.append("{%s, %s, NULL}" % (dims(port.shape), numbers("int64_t", port, str)))
        else:
            text.append("{%s, NULL, %s}" % (dims(port.shape), numbers("float", port, real)))
    gradients = [
        "NULL" if t is None else numbers("float", t.grad.numpy(), real) for t in tensors
    ]
    CASES.append(
        '    {"%s", %d,\n     "%s", %d,\n     {%s},\n     {%s, NULL, %s},\n     {%s}},\n'
        % (op, opset, ";".join(attribute(k, v) for k, v in attributes.items()), len(ports), ",\n      ".join(text),
           dims(out.shape), numbers("float", out.detach().numpy(), real), ", ".join(gradients))
    )


def convolutions():
    case("Conv", 1, [[2, 3, 9], [4, 3, 3], [4]], lambda x, w, b: F.conv1d(x, w, b, 2, 1, 2),
         strides=[2], pads=[1, 1], dilations=[2])
    case("Conv", 11, [[2, 4, 6, 5], [6, 2, 3, 2], [6]],
         lambda x, w, b: F.conv2d(F.pad(x, (1, 0, 2, 1)), w, b, (2, 1), 0, (1, 2), 2),
         strides=[2, 1], pads=[2, 1, 1, 0], dilations=[1, 2], group=2)
    case("Conv", 11, [[1, 3, 5, 5], [6, 1, 3, 3]], lambda x, w: F.conv2d(x, w, None, 1, 1, 1, 3),
         pads=[1, 1, 1, 1], group=3)
    case("Conv", 11, [[2, 3, 2, 3], [2, 3, 1, 1]], lambda x, w: F.conv2d(x, w))
    case("Conv", 11, [[1, 2, 3, 4, 4], [2, 2, 2, 3, 2], [2]], lambda x, w, b: F.conv3d(x, w, b, (1, 2, 1), 1),
         strides=[1, 2, 1], pads=[1, 1, 1, 1, 1, 1])
    case("Conv", 11, [[1, 1, 6, 5], [1, 1, 3, 2]], lambda x, w: F.conv2d(F.pad(x, (0, 1, 0, 1)), w, None, 2),
         strides=[2, 2], auto_pad="SAME_UPPER")
    case("ConvTranspose", 1, [[2, 3, 4], [3, 2, 3], [2]], lambda x, w, b: F.conv_transpose1d(x, w, b, 2, 1, 1),
         strides=[2], pads=[1, 1], output_padding=[1])
    case("ConvTranspose", 11, [[1, 4, 3, 2], [4, 2, 2, 3], [4]],
         lambda x, w, b: F.conv_transpose2d(x, w, b, (2, 3), (1, 0), (1, 0), 2, (2, 1)),
         strides=[2, 3], pads=[1, 0, 1, 0], output_padding=[1, 0], group=2, dilations=[2, 1])
    case("ConvTranspose", 11, [[1, 2, 2, 2, 2], [2, 1, 2, 1, 2]], lambda x, w: F.conv_transpose3d(x, w, None, 2),
         strides=[2, 2, 2])


def poolings():
    case("MaxPool", 8, [[2, 2, 9]], lambda x: F.max_pool1d(x, 3, 2, 1), kernel_shape=[3], strides=[2], pads=[1, 1])
    case("MaxPool", 12, [[1, 2, 7, 6]], lambda x: F.max_pool2d(x, (2, 3), 2, (1, 1), (2, 1), True),
         kernel_shape=[2, 3], strides=[2, 2], pads=[1, 1, 1, 1], dilations=[2, 1], ceil_mode=1)
    case("MaxPool", 12, [[1, 1, 4, 4]], lambda x: F.max_pool2d(x, 1, 3, 0, 1, True),
         kernel_shape=[1, 1], strides=[3, 3], ceil_mode=1)
    case("MaxPool", 12, [[1, 1, 4, 5, 4]], lambda x: F.max_pool3d(x, 2, (2, 1, 2)),
         kernel_shape=[2, 2, 2], strides=[2, 1, 2])
    case("AveragePool", 7, [[1, 2, 6, 6]], lambda x: F.avg_pool2d(x, 3, 2, 1, False, True),
         kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1], count_include_pad=1)
    case("AveragePool", 11, [[1, 2, 6, 7]], lambda x: F.avg_pool2d(x, (3, 2), 3, 1, True, True),
         kernel_shape=[3, 2], strides=[3, 3], pads=[1, 1, 1, 1], count_include_pad=1, ceil_mode=1)
    case("AveragePool", 11, [[1, 2, 6, 7]], lambda x: F.avg_pool2d(x, (3, 2), 2, 1, True, False),
         kernel_shape=[3, 2], strides=[2, 2], pads=[1, 1, 1, 1], ceil_mode=1)
    case("AveragePool", 11, [[1, 1, 3, 4, 4]], lambda x: F.avg_pool3d(x, 2), kernel_shape=[2, 2, 2], strides=[2, 2, 2])
    case("LpPool", 11, [[1, 2, 8]], lambda x: (F.avg_pool1d(x.abs() ** 3, 3, 2) * 3) ** (1 / 3),
         kernel_shape=[3], strides=[2], p=3)
    case("GlobalAveragePool", 1, [[2, 3, 2, 3]], lambda x: x.mean((2, 3), keepdim=True))
    case("GlobalMaxPool", 1, [[2, 3, 2, 2, 2]], lambda x: F.max_pool3d(x, 2))
    case("GlobalLpPool", 2, [[2, 3, 4]], lambda x: x.norm(dim=2, keepdim=True))


def matrices():
    case("Gemm", 11, [[3, 4], [4, 5]], lambda a, b: a @ b)
    case("Gemm", 13, [[4, 3], [5, 4], [5]], lambda a, b, c: 0.5 * (a.T @ b.T) + 0.25 * c,
         transA=1, transB=1, alpha=0.5, beta=0.25)
    case("Gemm", 6, [[3, 4], [5, 4], [3, 1]], lambda a, b, c: a @ b.T + c, transB=1, broadcast=1)
    case("Gemm", 9, [[4, 3], [4, 2], []], lambda a, b, c: a.T @ b - 2.0 * c, transA=1, beta=-2.0)
    case("MatMul", 9, [[2, 3, 4], [4, 5]], torch.matmul)
    case("MatMul", 13, [[2, 1, 3, 4], [3, 4, 2]], torch.matmul)
    case("MatMul", 13, [[3, 4], [2, 4, 2]], torch.matmul)
    case("MatMul", 13, [[4], [2, 4, 3]], torch.matmul)
    case("MatMul", 13, [[2, 3, 4], [4]], torch.matmul)
    case("MatMul", 13, [[4], [4]], torch.matmul)
    for equation, shapes in [
        ("bij, bjk -> bik", [[2, 3, 4], [2, 4, 2]]),
        ("ij->ji", [[2, 3]]),
        ("ij", [[2, 3]]),
        ("ba", [[2, 3]]),
        ("ii->i", [[3, 3]]),
        ("ii", [[3, 3]]),
        ("...ii->...i", [[2, 3, 3]]),
        ("i,j->ij", [[3], [4]]),
        ("ij,jk,kl->il", [[2, 3], [3, 2], [2, 4]]),
        ("b...d,...de->b...e", [[2, 3, 4], [1, 4, 2]]),
        ("...i,...i", [[2, 1, 3], [4, 3]]),
        ("ij,ij->", [[2, 3], [2, 3]]),
        ("bhid,bhjd->bhij", [[1, 2, 3, 2], [1, 2, 2, 2]]),
    ]:
        case("Einsum", 12, shapes, lambda *x: torch.einsum(equation, *x), equation=equation)


def gathers():
    index = np.array([[0, -1, 1], [2, 2, 0]])
    case("Gather", 13, [[2, 3, 2], index], lambda x: x[:, torch.tensor(index)], axis=1)
    case("Gather", 1, [[3, 2], np.array(2)], lambda x: x[2])
    case("GatherElements", 11, [[3, 3], index], lambda x: torch.gather(x, 1, torch.tensor(index) % 3), axis=-1)
    case("GatherND", 12, [[2, 3, 2], np.array([[1, 0], [0, -1], [1, 0]])], lambda x: x[[1, 0, 1], [0, -1, 0]])
    case("GatherND", 12, [[2, 3, 2], np.array([[[1], [1]], [[0], [2]]])],
         lambda x: torch.stack([x[0, [1, 1]], x[1, [0, 2]]]), batch_dims=1)
    rows = torch.tensor([[0, 1], [2, 2]])
    case("ScatterElements", 16, [[3, 2], rows.numpy(), [2, 2]], lambda x, u: x.scatter_add(0, rows, u), reduction="add")
    case("ScatterElements", 13, [[2, 3], np.array([[0, -1], [1, 0]]), [2, 2]],
         lambda x, u: x.scatter(1, torch.tensor([[0, 2], [1, 0]]), u), axis=1)
    case("ScatterND", 13, [[3, 2], np.array([[2], [0]]), [2, 2]], lambda x, u: torch.stack([u[1], x[1], u[0]]))
    case("ScatterND", 16, [[3, 2], np.array([[2, 0], [2, 0], [0, 1]]), [3]],
         lambda x, u: x * torch.stack([torch.stack([one(u), u[2]]), torch.stack([one(u), one(u)]),
                                       torch.stack([u[0] * u[1], one(u)])]), reduction="mul")


def one(like):
    return torch.ones((), dtype=like.dtype)


def resizings():
    none = np.zeros(0, np.float32)

    def sized(sizes, mode, corners):
        return lambda x: F.interpolate(x, size=sizes, mode=mode, align_corners=corners)

    for sizes in ([7, 4], [2, 9]):
        target = np.array([1, 2] + sizes)
        for mode, torch_mode in (("linear", "bilinear"), ("cubic", "bicubic")):
            case("Resize", 11, [[1, 2, 4, 5], none, none, target], sized(sizes, torch_mode, False),
                 mode=mode, coordinate_transformation_mode="pytorch_half_pixel")
            case("Resize", 13, [[1, 2, 4, 5], none, none, target], sized(sizes, torch_mode, True),
                 mode=mode, coordinate_transformation_mode="align_corners")
    case("Resize", 13, [[1, 2, 5], none, none, np.array([1, 2, 8])], sized([8], "linear", False), mode="linear")
    case("Resize", 13, [[1, 1, 2, 3, 2], none, none, np.array([1, 1, 3, 2, 4])], sized([3, 2, 4], "trilinear", False),
         mode="linear")
    case("Resize", 11, [[1, 2, 4, 3], none, np.array([1, 1, 2, 3], np.float32)],
         lambda x: F.interpolate(x, scale_factor=(2, 3)),
         mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    case("Upsample", 9, [[1, 2, 4, 3], np.array([1, 1, 2, 3], np.float32)],
         lambda x: F.interpolate(x, scale_factor=(2, 3)), mode="nearest")


def antialiased_resizings():
    for sizes in ([3, 4], [2, 9], [1, 5]):
        for mode, torch_mode in (("linear", "bilinear"), ("cubic", "bicubic")):
            case("Resize", 18, [[1, 2, 7, 6], np.zeros(0, np.float32), np.zeros(0, np.float32), np.array(sizes)],
                 lambda x: F.interpolate(x, size=sizes, mode=torch_mode, antialias=True),
                 mode=mode, antialias=1, exclude_outside=1, cubic_coeff_a=-0.5, axes=[2, 3])


def grids():
    far = np.array([-3.1, -1.45, -0.9, 0.3, 1.2, 2.35, 0.05, -6.2, 1.9, 0.7, -1.15, 4.4], np.float32)
    modes = {"nearest": "nearest", "linear": "bilinear", "cubic": "bicubic"}
    for mode, torch_mode in modes.items():
        for padding in ("zeros", "border", "reflection"):
            for corners in (0, 1):
                def sample(grid):
                    at = None if grid is None else torch.tensor(grid).double()
                    return lambda x, g=at: F.grid_sample(x, g, torch_mode, padding, bool(corners))

                grid = np.stack([far, far[::-1]], 1).reshape(2, 2, 3, 2)
                case("GridSample", 16, [[2, 2, 3, 4], grid], sample(grid),
                     mode=torch_mode, padding_mode=padding, align_corners=corners)
                case("GridSample", 22, [[1, 2, 2, 3], [1, 2, 3, 2]], sample(None),
                     mode=mode, padding_mode=padding, align_corners=corners)
                if mode == "cubic":
                    continue
                grid = np.stack([far, far[::-1], np.roll(far, 5)], 1).reshape(1, 2, 3, 2, 3)
                case("GridSample", 20, [[1, 2, 2, 3, 4], grid], sample(grid),
                     mode=mode, padding_mode=padding, align_corners=corners)
                case("GridSample", 20, [[1, 1, 2, 3, 2], [1, 1, 2, 2, 3]], sample(None),
                     mode=mode, padding_mode=padding, align_corners=corners)
    for corners in (0, 1):
        for size in ([2, 1, 3, 2], [2, 1, 2, 3, 2]):
            case("AffineGrid", 20, [[2, len(size) - 2, len(size) - 1], np.array(size)],
                 lambda theta: F.affine_grid(theta, size, bool(corners)), align_corners=corners)


def movements():
    case("Pad", 11, [[2, 3, 4], np.array([0, 2, 1, 0, 1, 2])], lambda x: F.pad(x, (1, 2, 2, 1), "reflect"),
         mode="reflect")
    case("Pad", 2, [[2, 3, 4]], lambda x: F.pad(x, (1, 5, 2, 1), "replicate"), mode="edge", pads=[0, 2, 1, 0, 1, 5])
    case("Pad", 13, [[2, 3, 4], np.array([0, -1, 1, 1, 0, -2]), []],
         lambda x, v: torch.cat([torch.cat([v.expand(2, 2, 1), x[:, 1:, :2]], 2), v.expand(1, 2, 3)], 0))
    case("Pad", 18, [[2, 3, 4], np.array([1, 2, 2, 0]), [], np.array([-1, 0])],
         lambda x, v: torch.cat([v.expand(2, 3, 7), torch.cat([v.expand(2, 3, 1), x, v.expand(2, 3, 2)], 2)]))
    case("Pad", 19, [[2, 3, 4], np.array([0, 0, 3, 0, 0, 2])], lambda x: F.pad(x, (3, 2), "circular"), mode="wrap")
    case("CenterCropPad", 18, [[2, 3, 5], np.array([2, 6])], lambda x: F.pad(x, (0, 0, 1, 2))[:, :, 1:3], axes=[2, 1])
    case("Transpose", 13, [[2, 3, 4]], lambda x: x.permute(2, 0, 1), perm=[2, 0, 1])
    case("Transpose", 1, [[2, 3, 4]], lambda x: x.permute(2, 1, 0))
    case("Slice", 13, [[4, 5, 3], np.array([-2, 4]), np.array([-100, 1]), np.array([0, -2]), np.array([-1, -2])],
         lambda x: x[[2, 1, 0]][:, [4, 2]])
    case("Expand", 13, [[2, 1, 3], np.array([2, 1, 4, 1])], lambda x: x.expand(2, 2, 4, 3))
    case("Tile", 13, [[2, 3], np.array([2, 3])], lambda x: x.repeat(2, 3))
    case("DepthToSpace", 13, [[1, 8, 2, 3]], lambda x: F.pixel_shuffle(x, 2), blocksize=2, mode="CRD")
    case("SpaceToDepth", 13, [[1, 2, 4, 2]],
         lambda x: x.reshape(1, 2, 2, 2, 1, 2).permute(0, 3, 5, 1, 2, 4).reshape(1, 8, 2, 1), blocksize=2)
    case("ReverseSequence", 10, [[3, 2, 2], np.array([2, 3])],
         lambda x: torch.stack([x[[1, 0, 2], 0], x[[2, 1, 0], 1]], 1))
    case("Concat", 13, [[2, 1, 3], [2, 2, 3]], lambda a, b: torch.cat([a, b], 1), axis=-2)


def newer():
    """What opsets 18 to 24 added or changed."""
    case("Gelu", 20, [[3, 40]], lambda x: F.gelu(x))
    case("Gelu", 20, [[3, 40]], lambda x: F.gelu(x, approximate="tanh"), approximate="tanh")
    case("Mish", 18, [[3, 40]], F.mish)
    case("Swish", 24, [[3, 40]], F.silu)
    case("Swish", 24, [[3, 40]], lambda x: x * torch.sigmoid(-2.5 * x), alpha=-2.5)
    axes = np.array([-1, 1])
    for op, function in (("ReduceMean", lambda x: x.mean((1, 3), keepdim=True)),
                         ("ReduceMax", lambda x: x.amax((1, 3), keepdim=True)),
                         ("ReduceL2", lambda x: x.norm(dim=(1, 3), keepdim=True)),
                         ("ReduceLogSumExp", lambda x: x.logsumexp((1, 3), keepdim=True))):
        case(op, 18, [[2, 3, 2, 4], axes], function)
    case("ReduceMean", 18, [[2, 3, 4]], lambda x: x.mean(), keepdims=0)
    case("ReduceMean", 18, [[2, 3]], lambda x: x + 0, noop_with_empty_axes=1)
    rows = torch.tensor([[0, 1, 2], [2, 1, 2]])
    for text, torch_text in (("max", "amax"), ("min", "amin"), ("mul", "prod")):
        case("ScatterElements", 18, [[3, 3], rows.numpy(), [2, 3]],
             lambda x, u: x.scatter_reduce(0, rows, u, torch_text), reduction=text)
    case("ScatterND", 18, [[3, 2], np.array([[2], [2]]), [2, 2]],
         lambda x, u: torch.stack([x[0], x[1], torch.maximum(x[2], torch.maximum(u[0], u[1]))]), reduction="max")

    def spread(x, pad):
        return F.unfold(F.pad(x, (pad,) * 4), 2, dilation=(2, 3)).reshape(1, 2, 4, 7 + 2 * pad - 2, -1)

    case("AveragePool", 19, [[1, 2, 7, 6]], lambda x: spread(x, 0).mean(2), kernel_shape=[2, 2], dilations=[2, 3])
    case("AveragePool", 19, [[1, 2, 7, 6]], lambda x: spread(x, 1).mean(2), kernel_shape=[2, 2], dilations=[2, 3],
         pads=[1, 1, 1, 1], count_include_pad=1)
    case("LpPool", 18, [[1, 2, 7, 6]], lambda x: spread(x, 0).norm(dim=2), kernel_shape=[2, 2], dilations=[2, 3])


def main():
    convolutions()
    poolings()
    matrices()
    gathers()
    resizings()
    antialiased_resizings()
    grids()
    movements()
    newer()
    operators_attention.cases(case)
    with open("tests/golden/operators.h", "w") as out:
        out.write("/* SPDX-License-Identifier: Apache-2.0 */\n/* Made by tools/golden/operators.py: torch %s. */\n" % torch.__version__)
        out.write("static const golden_case golden_cases[] = {\n" + "".join(CASES) + "};\n")


main()
