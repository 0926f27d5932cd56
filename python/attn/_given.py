"""Problems, answers and numbers as Python has them, put into words that the core reads."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any, List, Mapping, Optional, Tuple, Union

import numpy as np

from . import _core

PathLike = Union[str, "os.PathLike[str]"]

# What the dtypes of arrays are to attn.
DTYPES = {"float64": "f64", "float32": "f32", "bfloat16": "bf16", "float16": "f16"}


def is_array(value: Any) -> bool:
    """Whether it is an array of numpy, a tensor of torch or of another framework."""
    return hasattr(value, "detach") or (hasattr(value, "__array__") and hasattr(value, "shape"))


def dtype_name(dtype: Any) -> str:
    """The name of a dtype: ``numpy.float32``, ``torch.float32`` and ``"float32"`` are ``"float32"``."""
    if dtype is float:  # Python's own
        return "f64"
    name = getattr(dtype, "__name__", None) or str(dtype)
    return name.rsplit(".", 1)[-1]


def numpy_of(value: Any) -> Tuple[np.ndarray, str]:
    """Numbers as numpy holds them, and the dtype in which they were computed."""
    if hasattr(value, "detach"):  # torch's
        value = value.detach().cpu()
        if str(value.dtype) == "torch.bfloat16":
            return value.double().numpy(), "bf16"
        value = value.numpy()
    array = np.asanyarray(value)  # a mask stays
    if array.dtype.name in DTYPES:
        return array, DTYPES[array.dtype.name]
    if array.dtype.kind == "b":
        return array, "bool"
    if array.dtype.kind in "iu":
        return array, f"{array.dtype.kind}{8 * array.dtype.itemsize}"
    raise TypeError(f"an array of dtype {array.dtype} holds no real numbers")


def core_array(name: str, value: Any) -> _core.Array:
    """The same as the core takes it."""
    array, dtype = numpy_of(value)
    if np.ma.is_masked(array):
        raise ValueError(f"{name or 'this array'} has masked numbers, which are none\n"
                         "  help: fill them, and give what they are masked for as a mask")
    numbers = np.ascontiguousarray(array, dtype=np.float64).reshape(array.shape)
    is_long = dtype[0] in "iu" and array.size > 0 and max(int(array.max()), -int(array.min())) > 2**53
    if is_long and not np.array_equal(array.astype(object), numbers.astype(object)):
        raise ValueError(f"{name or 'this array'} has a whole number that no 64-bit floating-point number is")
    return _core.Array(name, dtype, numbers)


def shortest(value: Any, dtype: str) -> Any:
    """A number of an array with the digits that its dtype has."""
    if dtype == "bool" or dtype[0] in "iu":
        return value.item()
    return value.item() if dtype == "f64" else float(str(value))


class Spelling:
    """Puts a value of Python into JSON.

    With ``keeps_arrays`` an array that is all of a tensor stays what it is, under a name of its own.
    """

    def __init__(self, keeps_arrays: bool) -> None:
        self.keeps_arrays = keeps_arrays
        self.arrays: List[_core.Array] = []

    def of(self, value: Any, pointer: str = "", in_list: bool = False) -> Any:
        if value is None or isinstance(value, (str, bool)):
            return value
        if isinstance(value, Mapping):
            return {str(key): self.of(item, f"{pointer}/{str(key).replace('~', '~0').replace('/', '~1')}")
                    for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.of(item, f"{pointer}/{at}", in_list=True) for at, item in enumerate(value)]
        if isinstance(value, (int, float)) and not isinstance(value, np.generic):
            return self.number(value)
        if isinstance(value, os.PathLike):
            return os.fspath(value)
        if is_array(value) or isinstance(value, np.generic):
            return self.array(value, pointer, in_list)
        raise TypeError(f"{pointer or 'this'} is a {type(value).__name__}: numbers, texts, lists, dicts and arrays "
                        "make up a problem")

    def number(self, value: Union[int, float]) -> Any:
        if isinstance(value, int) or math.isfinite(value):
            return value
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"

    def array(self, value: Any, pointer: str, in_list: bool) -> Any:
        if getattr(value, "dtype", None) is not None and getattr(value.dtype, "kind", "") in ("U", "S", "O"):
            return self.of(value.tolist(), pointer)
        array, dtype = numpy_of(value)
        if self.keeps_arrays and array.ndim >= 2 and not in_list:
            self.arrays.append(core_array(pointer, value))
            return {"file": pointer}
        if isinstance(array, np.ma.MaskedArray):  # what is masked is blank
            return self.of(array.tolist(), pointer)
        return self.of(self.nested(array, dtype), pointer)

    def nested(self, array: np.ndarray, dtype: str) -> Any:
        if array.ndim == 0:
            return shortest(array[()], dtype)
        return [self.nested(part, dtype) for part in array]


def spelled(value: Any) -> bytes:
    """A value as JSON, with every number in the digits that its dtype has."""
    return json.dumps(Spelling(keeps_arrays=False).of(value), ensure_ascii=False).encode("utf-8", "surrogatepass")


def read_problem(problem: Union[Mapping[str, Any], PathLike], folder: Optional[PathLike], dtype: Any,
                 hand_rounding: Union[int, str, None], max_memory: int) -> _core.Problem:
    """The problem of a dict or of a file, as the core has it."""
    name, file, arrays = "given as a dict", "", []
    if isinstance(problem, Mapping):
        spelling = Spelling(keeps_arrays=True)
        text = json.dumps(spelling.of(problem), ensure_ascii=False).encode("utf-8", "surrogatepass")
        arrays = spelling.arrays
        title = problem.get("title")
        if isinstance(title, str) and title:
            name = f"“{title}”"
    elif isinstance(problem, (str, os.PathLike)):
        name = file = os.fspath(problem)
        text = Path(file).read_bytes()
        folder = Path(file).parent  # beside which its own references are
    else:
        raise TypeError(f"a problem is a dict, the path of a file, or a Trace; this is a {type(problem).__name__}")
    return _core.read(text, name, file, os.fspath(folder if folder is not None else "."), arrays,
                      None if dtype is None else dtype_name(dtype),
                      None if hand_rounding is None else str(hand_rounding), max_memory)
