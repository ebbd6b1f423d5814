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


# ---- ReLU networks: where two float32 programs may differ, and that they do nowhere else ----

KINK = 4e-6  # of a layer's spread: so near to 0, rounding may send the input of a ReLU to the other side


def gradients_at(net, points):
    """PyTorch's gradients of logit 2, and whether some ReLU's input is within rounding of 0 there."""
    near = []

    def look(module, given, output):
        z = given[0]
        near.append(((z.abs() < KINK * z.std()).flatten(1)).any(1))

    hooks = [layer.register_forward_hook(look) for layer in net if isinstance(layer, torch.nn.ReLU)]
    at = torch.from_numpy(points).to(next(net.parameters()).dtype).requires_grad_(True)
    (gradients,) = torch.autograd.grad(net(at)[:, 2].sum(), at)
    for hook in hooks:
        hook.remove()
    return gradients.numpy(), torch.stack(near).any(0).numpy()


@pytest.mark.parametrize("seed", range(3))
def test_ig_of_a_relu_model_differs_at_kinks_alone(tmp_path, seed):
    """Through PyTorch and through ONNX, IG is the mean of gradients at the same points. Where no ReLU is within rounding of
    its kink, judged by float64, the gradients agree to 1e-4, and so does IG over those points."""
    x = np.random.default_rng(seed).random((3, 24, 24), np.float32)
    net, steps = deep(torch.nn.ReLU, seed), 20
    seen = []
    whole = by_onnx(net, x, tmp_path, "ig", steps=steps, observe=seen.append).attributions.reshape(x.shape)
    nodes = [view for view in seen if view.step < view.steps]
    points = np.stack([view.point.reshape(x.shape) for view in nodes])
    by_file = np.stack([view.gradient.reshape(x.shape) for view in nodes])
    assert len(points) == steps
    single, _ = gradients_at(net, points)
    exact, near = gradients_at(net.double(), points)
    assert distance(whole, x * by_file.mean(0)) < 1e-6  # the map is made of these gradients
    assert not near.all()
    for k in np.flatnonzero(~near):
        assert distance(by_file[k], exact[k]) < 1e-4 and distance(single[k], exact[k]) < 1e-4, k
    clean = ~near
    assert distance(x * by_file[clean].mean(0), x * single[clean].mean(0)) < 1e-4


def test_gig_of_a_relu_model_agrees_along_one_path(tmp_path):
    """Guided paths of a ReLU network diverge after a difference in the last bit. Along the same path both give the same map."""
    x = np.random.default_rng(0).random((3, 16, 16), np.float32)
    net = network()
    seen = []
    by_torch = gig.explain(gig.torch_function(net, 2, of="logit"), x, method="gig:20", steps=60, observe=seen.append)
    by_onnx(net, x, tmp_path, "gig:20", steps=60)
    model = gig.Model(str(tmp_path / "net.onnx"))
    total = np.zeros(x.shape)
    for walk in range(21):
        path = [view for view in seen if view.walk == walk]
        for before, after in zip(path, path[1:]):
            gradient = model.gradient(before.point[None], 2, of="logit", tensor=True).reshape(x.shape)
            total += gradient * (after.point.astype(np.float64) - before.point)
    assert distance(total, by_torch.attributions) < 1e-4


@pytest.mark.parametrize("seed", range(2))
def test_gig_of_a_smooth_model_agrees_to_1e_4(tmp_path, seed):
    x = np.random.default_rng(seed).random((3, 16, 16), np.float32)
    net = network(seed)
    net[1] = net[3] = torch.nn.Tanh()
    by_torch = gig.explain(gig.torch_function(net, 2, of="logit"), x, method="gig:20")
    assert distance(by_onnx(net, x, tmp_path, "gig:20").attributions, by_torch.attributions) < 1e-4
