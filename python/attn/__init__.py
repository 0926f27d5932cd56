"""Attention, computed step by step, with every number shown.

    >>> import attn
    >>> trace = attn.run("data/worked-example.json")
    >>> trace["scores"]
    array([[ 2.,  4.,  4.],
           [ 4., 16., 12.],
           [ 4., 12., 10.]])

A problem is a dict with the keys of a problem file (docs/problem-format.md), or the path of such a
file. Wherever it has a tensor, a dict may have an array of numpy, a tensor of torch, or anything
else that numpy reads. The numbers have the bits of the program ``attn``.
"""

from __future__ import annotations

import operator
import os
from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence, Tuple, Union

from . import _core
from ._errors import Fault, ProblemError
from ._given import PathLike, core_array, read_problem, spelled
from ._modules import problem_from
from ._reports import Difference, Report
from ._trace import Note, Step, Trace

if TYPE_CHECKING:
    from ._options import Options, Problem, Unpack

__all__ = ["Difference", "Fault", "Note", "ProblemError", "Report", "Step", "Trace", "check", "diff", "problem_from",
           "run", "why"]
__version__: str = _core.version

TWO_GIB = 2 << 30

for _public in (Difference, Fault, Note, ProblemError, Report, Step, Trace, problem_from):
    _public.__module__ = __name__  # where people know them from


def run(problem: Union[Mapping[str, Any], PathLike], *, dtype: Any = None,
        hand_rounding: Union[int, str, None] = None, backend: str = "cpu", threads: Optional[int] = None,
        max_memory: int = TWO_GIB, keep: Sequence[str] = (), folder: Optional[PathLike] = None) -> Trace:
    """Computes a problem: every step, as arrays by their ids.

    ``trace["scores"]`` has the axes ``(query, key)``; with heads ``(head, query, key)``, and in a
    batch ``(batch, head, query, key)``. ``trace.result`` is the context ``(query, d_v)`` or, after
    the output projection, ``(query, d_out)``.

    :param problem: a dict with the keys of a problem file, or the path of one.
    :param dtype: ``"f64"``, ``"f32"``, ``"bf16"`` or ``"f16"`` (or a dtype of numpy or torch) in place of the
        problem's own.
    :param hand_rounding: round every step to so many decimals, as by hand: ``2``, ``"2:half-even"``.
    :param backend: ``"cpu"``, or ``"cuda"`` where the package is built for it.
    :param threads: how many work; all processors by default. The bits are the same for any number.
    :param max_memory: bytes that the steps may take; ``MemoryError`` is raised before they are computed.
    :param keep: steps that are left out where they are large, by ids or symbols: ``["weighted_values"]``.
    :param folder: where the files are that a dict refers to; a file's own are beside it.
    :raises ProblemError: where the problem is faulty: ``error.faults`` says where, and what to do.
    """
    given = read_problem(problem, folder, dtype, hand_rounding, max_memory)
    return _computed(given, (backend, threads or 0, max_memory), keep)


def check(problem: Union[Problem, Trace], answers: Union[Mapping[str, Any], PathLike], *, step: str = "",
          reveal: str = "hint", full: bool = False, **options: Unpack[Options]) -> Report:
    """Marks numbers that somebody worked out, step by step, and names the likely mistake.

    :param problem: a problem, or its trace.
    :param answers: a dict from steps (ids or symbols) to arrays or lists in their shapes, ``None`` for a blank;
        a dict as an answers file has it (docs/answers-format.md); or the path of a file (.json, .txt, .csv).
        How many decimals a number has counts; a string keeps them all: ``"0.50"``.
    :param step: the step that a .csv holds, where its name does not say it.
    :param reveal: how much is given away: ``"none"``, ``"cell"``, ``"hint"``, ``"value"``.
    :param full: leave nothing out of what is told.
    :param options: those of :func:`run`.
    """
    given, computing = _problem_of(problem, options)
    if isinstance(answers, Mapping):
        whole = answers if "steps" in answers else {"steps": answers}
        text, file, is_file = spelled(whole), "answers.json", False
    else:
        file, is_file = os.fspath(answers), True
        with open(file, "rb") as opened:
            text = opened.read()
    return Report(_core.check(given, text, file, is_file, step, reveal, full, *computing))


def why(problem: Union[Problem, Trace], what: str, *, depth: Optional[int] = None, top: Optional[int] = None,
        precision: Optional[int] = None, full: bool = False, format: str = "text", width: int = 80,
        **options: Unpack[Options]) -> str:
    """Says how one number came about, back to the inputs.

    :param problem: a problem, or its trace.
    :param what: one number, ``"scores[1,2]"`` or ``"S[1,2]"`` (indices count from 1, and labels do as well:
        ``"scores[it,dog]"``); or a whole step, ``"scores"``.
    :param depth: levels below the number; as many as fit by default.
    :param top: of each longer sum only the largest terms, so many, and what the others come to.
    :param precision: decimals.
    :param full: leave nothing out, however long.
    :param format: text, markdown, latex, html, svg.
    :param options: those of :func:`run`.
    """
    trace = _trace_of(problem, options, [what.partition("[")[0].strip()], whole_if_rounded=True)
    if top is not None and operator.index(top) < 1:
        raise ValueError(f"top is {top}, and at least one term is written")
    told = _core.why(trace._core, what, depth, top, precision, format, _core.Looks(width, False, full),
                     trace._computing[2])
    return told.rstrip("\n")


def diff(problem: Union[Problem, Trace], other: Union[Mapping[str, Any], PathLike, Trace], *,
         rtol: Optional[float] = None, atol: Optional[float] = None,
         only: Union[str, Sequence[str]] = (), **options: Unpack[Options]) -> Difference:
    """Compares a problem with numbers of another program: which step differs first, and what explains it.

    Layouts are recognised: axes in another order, heads side by side ``(query, head·d_k)``, axes of size 1.
    So are the names of frameworks (``q``, ``attn_weights``, ``attn_output``) and −1e9 for −∞.

    :param problem: a problem, or its trace.
    :param other: a dict from steps to arrays, of all steps or some; the path of a file (.npz, .safetensors, .npy,
        a stored trace or a problem in .json); or another trace.
    :param rtol, atol: numbers so close count as the same; by default what rounding in the coarser of the two dtypes
        leaves apart.
    :param only: compare these steps alone, by ids or symbols, or patterns of them: ``"S"``, ``["A", "*context*"]``.
    :param options: those of :func:`run`.
    """
    for name, tolerance in (("rtol", rtol), ("atol", atol)):
        if tolerance is not None and not tolerance >= 0:
            raise ValueError(f"{name} is {tolerance}, and a tolerance is a number from 0")
    names = [only] if isinstance(only, str) and only else list(only)
    trace = _trace_of(problem, options, names)
    asked = (rtol, atol, names, trace._computing[2])
    if isinstance(other, Trace):
        return Difference(_core.diff_traces(trace._core, other._core, *asked))
    if isinstance(other, Mapping):
        arrays = [core_array(str(name), numbers) for name, numbers in other.items()]
        return Difference(_core.diff_arrays(trace._core, arrays, *asked))
    path = os.fspath(other)
    with open(path, "rb") as opened:
        if path.endswith((".npz", ".npy", ".safetensors")):
            return Difference(_core.diff_tensors(trace._core, path, *asked))
        text = opened.read()
    if _core.is_stored_trace(text):
        return Difference(_core.diff_stored(trace._core, path, text, *asked))
    return Difference(_core.diff_traces(trace._core, run(path, **options)._core, *asked))


def _computed(given: _core.Problem, computing: Tuple[str, int, int], keep: Sequence[str], whole: bool = False) -> Trace:
    return Trace(_core.compute(given, *computing, list(keep), whole), given, computing)


def _problem_of(problem: Union[Problem, Trace],
                options: Mapping[str, Any]) -> Tuple[_core.Problem, Tuple[str, int, int]]:
    """A problem as the core has it, and where it is computed."""
    if isinstance(problem, Trace):
        if options:
            raise TypeError("a Trace is computed already: give options to run()")
        return problem._problem, problem._computing
    known = dict(options)
    computing = (known.pop("backend", "cpu"), known.pop("threads", None) or 0, known.pop("max_memory", TWO_GIB))
    given = read_problem(problem, known.pop("folder", None), known.pop("dtype", None),
                         known.pop("hand_rounding", None), computing[2])
    known.pop("keep", None)
    if known:
        raise TypeError(f"no option is called {', '.join(known)}")
    return given, computing


def _trace_of(problem: Union[Problem, Trace], options: Mapping[str, Any], keep: Sequence[str],
              whole_if_rounded: bool = False) -> Trace:
    """The trace of a problem, with these steps."""
    given, computing = _problem_of(problem, options)
    # Rounded by hand, the context is the sum of the weighted values, however many.
    whole = whole_if_rounded and given.rounds_by_hand
    if isinstance(problem, Trace) and problem._core.holds(list(keep), whole):
        return problem
    return _computed(given, computing, [*options.get("keep", ()), *keep], whole)
