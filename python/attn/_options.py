"""What type checkers are told of options; nothing here is imported when a program runs."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence, TypedDict, Union

from typing_extensions import Unpack as Unpack

from ._given import PathLike

Problem = Union[Mapping[str, Any], PathLike]


class Options(TypedDict, total=False):
    """The options of :func:`attn.run`."""

    dtype: Any
    hand_rounding: Union[int, str, None]
    backend: str
    threads: Optional[int]
    max_memory: int
    keep: Sequence[str]
    folder: Optional[PathLike]
