# SPDX-License-Identifier: Apache-2.0
"""A PyTorch module as a function that gig explains. PyTorch is imported when it is first used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Optional, Tuple, Union

import numpy as np

from ._core import ArgumentError

if TYPE_CHECKING:
    import numpy.typing as npt

Scalar = Union[str, Callable[[Any], Any]]


def _scalar(of: Scalar, target: int) -> Callable[[Any], Any]:
    """outputs [n, ...] -> n numbers"""
    import torch

    chosen = {
        "softmax": lambda out: torch.softmax(out, 1)[:, target],
        "logit": lambda out: out[:, target],
        "logprob": lambda out: torch.log_softmax(out, 1)[:, target],
        "sigmoid": lambda out: torch.sigmoid(out[:, target]),
        "value": lambda out: out[:, target],
    }
    if callable(of):
        return of
    if of not in chosen:
        raise ArgumentError(f'of: expected a function of the output or one of {", ".join(chosen)}, found "{of}"')
    return chosen[of]


class TorchFunction:
    """What torch_function returns: points -> (values, gradients), and .value(points) for values alone."""

    def __init__(self, module: Any, target: int, of: Scalar) -> None:
        import torch

        if not callable(module):
            raise TypeError(f"expected a torch.nn.Module, found {type(module).__name__}")
        if getattr(module, "training", False):
            raise ArgumentError("the module is in training mode, where rows depend on each other: call .eval() first")
        self._torch = torch
        self._module = module
        self._scalar = _scalar(of, target)
        self._batched: Optional[bool] = None  # x has a batch axis of its own; None: not known yet
        first = next(iter(module.parameters()), None) if hasattr(module, "parameters") else None
        self._device = "cpu" if first is None else first.device
        self._type = first.dtype if first is not None and first.dtype.is_floating_point else torch.float32

    def _values_of(self, points: Any) -> Any:
        values = self._scalar(self._module(points))
        if values.shape != points.shape[:1]:
            raise ArgumentError(f"the scalar of {points.shape[0]} points has the shape {tuple(values.shape)}: expected "
                                f"one number for each")
        return values

    def _values(self, points: Any) -> Any:
        """One number for each point; where x has a batch axis of its own, [1, ...], the points replace it."""
        if points.ndim < 3 or points.shape[1] != 1 or self._batched is False:
            return self._values_of(points)
        if self._batched:
            return self._values_of(points[:, 0])
        try:
            values = self._values_of(points)
            self._batched = False
        except Exception:
            try:
                values = self._values_of(points[:, 0])
            except Exception:
                values = None
            if values is None:
                raise
            self._batched = True
        return values

    def value(self, points: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
        torch = self._torch
        with torch.no_grad():
            values = self._values(torch.from_numpy(points).to(self._device, self._type))
            out: npt.NDArray[np.float64] = values.double().cpu().numpy()
            return out

    def __call__(self, points: npt.NDArray[np.float32]) -> Tuple[npt.NDArray[np.float64], npt.NDArray[np.float32]]:
        torch = self._torch
        with torch.enable_grad():
            at = torch.from_numpy(points).to(self._device, self._type).requires_grad_(True)
            values = self._values(at)
            if not values.requires_grad:
                raise ArgumentError("no gradient reaches the input: the module's output does not depend on it")
            (gradient,) = torch.autograd.grad(values.sum(), at)
        return values.detach().double().cpu().numpy(), gradient.to(torch.float32).cpu().numpy()


def torch_function(module: Any, target: int = 0, of: Scalar = "softmax") -> TorchFunction:
    """Wraps any torch.nn.Module, on any device, as a function for gig.explain.

    target: the class. of: "softmax" (its probability), "logit", "logprob", "sigmoid", or a function of the module's
    output that gives one number per row. Give gig.explain one input, with the module's batch axis ([1, 3, 224, 224]) or
    without it ([3, 224, 224]); explain(f, x, batch=8) passes up to 8 points at once to the module.
    """
    return TorchFunction(module, target, of)
