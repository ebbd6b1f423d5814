# SPDX-License-Identifier: Apache-2.0
"""PyTorch modules as functions; the same model by way of ONNX."""

import numpy as np
import pytest

import gig

torch = pytest.importorskip("torch")


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


# Guided paths of ReLU networks move with the last bit: theirs is compared where the network is smooth.
@pytest.mark.parametrize("method, relu, tolerance", [("ig", True, 1e-4), ("gradients", True, 1e-4), ("gig:20", False, 1e-3)])
def test_the_same_model_by_onnx(x, tmp_path, method, relu, tolerance):
    pytest.importorskip("onnx")
    net = network()
    if not relu:
        net[1] = net[3] = torch.nn.Tanh()
    path = str(tmp_path / "net.onnx")
    torch.onnx.export(net, torch.from_numpy(x[None]), path, input_names=["input"], output_names=["output"])
    by_onnx = gig.Model(path).explain(x[None], method, target=2, of="logit", tensor=True)
    by_torch = gig.explain(gig.torch_function(net, 2, of="logit"), x, method=method)
    size = np.abs(by_torch.attributions).max()
    assert by_onnx.attributions.reshape(x.shape) == pytest.approx(by_torch.attributions, abs=tolerance * size)
    assert by_onnx.value == pytest.approx(by_torch.value, rel=1e-4)
