# SPDX-License-Identifier: Apache-2.0
"""PyTorch modules as functions; the same model by way of ONNX."""

import numpy as np
import pytest

import gig

torch = pytest.importorskip("torch")
torch.set_num_threads(1)  # on a busy machine several wait for each other


def network(seed=0):
    torch.manual_seed(seed)
    return torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.ReLU(), torch.nn.Conv2d(8, 8, 3, stride=2),
                               torch.nn.ReLU(), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(),
                               torch.nn.Linear(8, 5)).eval()


@pytest.fixture
def x():
    return np.random.default_rng(0).random((3, 16, 16), np.float32)


@pytest.mark.parametrize("of, scalar", [("softmax", lambda out: torch.softmax(out, 1)[:, 2]), ("logit", lambda out: out[:, 2]),
                                        ("logprob", lambda out: torch.log_softmax(out, 1)[:, 2]),
                                        ("sigmoid", lambda out: torch.sigmoid(out[:, 2]))])
def test_value_and_gradient(x, of, scalar):
    net = network()
    function = gig.torch_function(net, target=2, of=of)
    at = torch.from_numpy(x[None]).requires_grad_(True)
    wanted = scalar(net(at))
    (gradient,) = torch.autograd.grad(wanted.sum(), at)
    values, gradients = function(x[None])
    assert values[0] == pytest.approx(float(wanted), rel=1e-6)
    assert np.array_equal(gradients, gradient.numpy())
    assert function.value(x[None])[0] == pytest.approx(float(wanted), rel=1e-6)


def test_a_scalar_of_ones_own(x):
    function = gig.torch_function(network(), of=lambda out: out[:, 0] - out[:, 1])
    result = gig.explain(function, x, method="ig", steps=100)
    assert result.sum == pytest.approx(result.value - result.value_baseline, abs=1e-3)


def test_ig_adds_up(x):
    result = gig.explain(gig.torch_function(network(), 2, of="logit"), x, method="ig", steps=200, batch=8)
    assert abs(result.delta) < 0.01 * abs(result.value - result.value_baseline) + 1e-4


def test_batches_change_little(x):
    function = gig.torch_function(network(), 2, of="logit")
    one = gig.explain(function, x, method="ig", steps=32).attributions
    eight = gig.explain(function, x, method="ig", steps=32, batch=8).attributions
    assert one == pytest.approx(eight, abs=1e-6)


def test_a_tensor_is_an_input(x):
    function = gig.torch_function(network(), 2)
    tensor = torch.from_numpy(x).requires_grad_(True)
    assert np.array_equal(gig.explain(function, tensor, method="ig", steps=5).attributions,
                          gig.explain(function, x, method="ig", steps=5).attributions)


def test_double_modules(x):
    single = gig.explain(gig.torch_function(network(), 2), x, method="ig", steps=10)
    double = gig.explain(gig.torch_function(network().double(), 2), x, method="ig", steps=10)
    assert single.attributions == pytest.approx(double.attributions, abs=1e-6)


def test_gradients_work_where_they_are_switched_off(x):
    with torch.no_grad():
        assert gig.explain(gig.torch_function(network(), 2), x, method="gradients").attributions.std() > 0


def test_no_gradients_are_left_behind(x):
    net = network()
    gig.explain(gig.torch_function(net, 2), x, steps=21)
    assert all(parameter.grad is None for parameter in net.parameters())


def test_training_mode_is_refused():
    with pytest.raises(gig.ArgumentError, match="eval"):
        gig.torch_function(network().train())


def test_what_is_no_module_is_refused(x):
    with pytest.raises(TypeError, match="torch.nn.Module"):
        gig.torch_function(3)
    with pytest.raises(gig.ArgumentError, match="nonsense"):
        gig.torch_function(network(), of="nonsense")
    with pytest.raises(IndexError):
        gig.explain(gig.torch_function(network(), target=99), x)
    with pytest.raises(gig.ArgumentError, match="no gradient"):
        gig.explain(gig.torch_function(lambda points: torch.ones(len(points), 3)), x)
    with pytest.raises(gig.ArgumentError, match="one number for each"):
        gig.explain(gig.torch_function(network(), of=lambda out: out), x)


def distance(found, wanted):
    """Relative L2."""
    return float(np.linalg.norm(found.ravel() - wanted.ravel()) / np.linalg.norm(wanted))


def by_onnx(net, x, tmp_path, method, **options):
    pytest.importorskip("onnx")
    path = str(tmp_path / "net.onnx")
    torch.onnx.export(net, torch.from_numpy(x[None]), path, input_names=["input"], output_names=["output"])
    return gig.Model(path).explain(x[None], method, target=2, of="logit", tensor=True, **options)


# Guided paths of ReLU networks move with the last bit: theirs is compared where the network is smooth.
@pytest.mark.parametrize("method, relu, tolerance", [("ig", True, 1e-4), ("gradients", True, 1e-4), ("gig:20", False, 1e-3)])
def test_the_same_model_by_onnx(x, tmp_path, method, relu, tolerance):
    net = network()
    if not relu:
        net[1] = net[3] = torch.nn.Tanh()
    found = by_onnx(net, x, tmp_path, method)
    by_torch = gig.explain(gig.torch_function(net, 2, of="logit"), x, method=method)
    assert distance(found.attributions, by_torch.attributions) < tolerance
    assert found.value == pytest.approx(by_torch.value, rel=1e-4)


def deep(activation, seed=0):
    """Eight convolutions with BatchNorm that saw data."""
    torch.manual_seed(seed)
    layers, width = [], 3
    for _ in range(8):
        layers += [torch.nn.Conv2d(width, 16, 3, padding=1), torch.nn.BatchNorm2d(16), activation()]
        width = 16
    net = torch.nn.Sequential(*layers, torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(16, 5)).train()
    with torch.no_grad():
        for _ in range(3):
            net(torch.rand(8, 3, 24, 24))
    return net.eval()


def test_ig_of_a_deep_smooth_model_agrees_to_1e_4(tmp_path):
    x = np.random.default_rng(1).random((3, 24, 24), np.float32)
    net = deep(torch.nn.SiLU)
    by_torch = gig.explain(gig.torch_function(net, 2, of="logit"), x, method="ig", steps=20)
    assert distance(by_onnx(net, x, tmp_path, "ig", steps=20).attributions, by_torch.attributions) < 1e-5


@pytest.mark.parametrize("seed", range(3))
def test_ig_of_a_deep_relu_model_is_as_near_to_float64_as_pytorch_is(tmp_path, seed):
    """A ReLU that rounding sends to its other side moves IG by 1e-4 to 1e-3 (docs/python.md): either may have one."""
    x = np.random.default_rng(seed).random((3, 24, 24), np.float32)
    net = deep(torch.nn.ReLU, seed)
    found = by_onnx(net, x, tmp_path, "ig", steps=20).attributions
    single = gig.explain(gig.torch_function(net, 2, of="logit"), x, method="ig", steps=20).attributions
    exact = gig.explain(gig.torch_function(net.double(), 2, of="logit"), x, method="ig", steps=20).attributions
    assert distance(found, exact) < 2e-3
    assert distance(single, exact) < 2e-3
    assert np.median(np.abs(found - single)) < 1e-5 * np.abs(exact).max()
