"""For tests of attention that you have written yourself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence, Union

from . import Difference, Trace, diff
from ._given import PathLike

if TYPE_CHECKING:
    from ._options import Options, Problem, Unpack

__all__ = ["assert_attention"]


def assert_attention(problem: Union[Problem, Trace], dump: Union[Mapping[str, Any], PathLike, Trace], *,
                     rtol: Optional[float] = None, atol: Optional[float] = None,
                     only: Union[str, Sequence[str]] = (), **options: Unpack[Options]) -> Difference:
    """Asserts that another program's numbers are those of the problem.

    Where they are not, the message is what ``attn diff`` says: the first step that differs, by how much, and
    what explains it. The parameters are those of :func:`attn.diff`, whose result comes back where all is well.

    :param dump: arrays by the names of steps, ``{"q": …, "attn_weights": …}``, or the path of a file of them.
    """
    __tracebackhide__ = True  # pytest points at the caller
    difference = diff(problem, dump, rtol=rtol, atol=atol, only=only, **options)
    if not difference.equal:
        raise AssertionError(f"\n{difference}")
    return difference
