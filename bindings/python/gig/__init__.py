# SPDX-License-Identifier: Apache-2.0
"""gig shows what a model looks at: Guided Integrated Gradients and related methods, on ONNX models and on any function.

    model = gig.Model("net.onnx")
    result = model.explain("cat.jpg")
    result.save("cat.png")
"""

from . import score
from ._core import (ArgumentError, CancelledError, Error, FileError, FormatError, InternalError, LimitError, NumericError,
                    OutOfMemoryError, UnsupportedError)
from ._core import version as __version__
from ._explain import View, explain
from ._model import Model, Ranked
from ._path import Path, methods, path
from ._result import Comparison, Result
from ._study import Study, study
from ._torch import torch_function

__all__ = ["ArgumentError", "CancelledError", "Comparison", "Error", "FileError", "FormatError", "InternalError",
           "LimitError", "Model", "NumericError", "OutOfMemoryError", "Path", "Ranked", "Result", "Study", "UnsupportedError",
           "View", "__version__", "explain", "methods", "path", "score", "study", "torch_function"]
