"""Writes tests/golden/operators.h: outputs and gradients of single operators, computed by PyTorch in double.

Inputs come from a small generator that the test (tests/network/test_operators_golden.c) runs too, so only results
are stored. Run from the source root with an interpreter that has torch.
"""
import numpy as np
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
    lines, line = [], "   "
    for value in values:
        text = " " + form(value) + ","
        if len(line) + len(text) > 118:
            lines.append(line)
            line = "   "
        line += text
    return "(const %s[]){\n%s}" % (kind, "\n".join(lines + [line]))


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
            text.append("{%s, %s, NULL}" % (dims(port.shape), numbers("int64_t", port.ravel(), str)))
        else:
            text.append("{%s, NULL, %s}" % (dims(port.shape), numbers("float", port.ravel(), real)))
    gradients = [
        "NULL" if t is None else numbers("float", t.grad.numpy().ravel(), real) for t in tensors
    ]
    CASES.append(
        '    {"%s", %d, "%s", %d, {%s},\n     {%s, NULL, %s},\n     {%s}},\n'
        % (op, opset, ";".join(attribute(k, v) for k, v in attributes.items()), len(ports), ", ".join(text),
           dims(out.shape), numbers("float", out.detach().numpy().ravel(), real), ", ".join(gradients))
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


def main():
    convolutions()
    poolings()
    with open("tests/golden/operators.h", "w") as out:
        out.write("/* Made by tools/golden/operators.py: torch %s. */\n" % torch.__version__)
        out.write("static const golden_case golden_cases[] = {\n" + "".join(CASES) + "};\n")


main()
