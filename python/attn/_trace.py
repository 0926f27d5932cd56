"""Computed problems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _core
from ._shown import framed

LEVELS = ("result", "steps", "rows", "cells")

# The numbers of a trace as numpy stores them; it has no bfloat16.
STORED = {"f64": np.float64, "f32": np.float32, "bf16": np.float32, "f16": np.float16}


@dataclass(frozen=True)
class Note:
    """What a person should know and no number says: a closed row, an overflow, a step left out.

    ``index`` counts from 0.
    """

    step: str
    index: Tuple[int, ...]
    kind: str
    message: str


@dataclass(frozen=True, eq=False)
class Step:
    """One named operation, and what came of it.

    ``numbers`` has one axis for each name in ``axes``: ``scores`` is ``(query, key)``, with heads
    and a batch ``(batch, head, query, key)``.
    """

    id: str
    symbol: str
    title: str
    formula: str
    axes: Tuple[str, ...]
    numbers: np.ndarray
    notes: Tuple[Note, ...]

    @property
    def shape(self) -> Tuple[int, ...]:
        return self.numbers.shape

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> np.ndarray:
        wanted = self.numbers if dtype is None else self.numbers.astype(dtype, copy=False)
        return wanted.copy() if copy else wanted

    def __repr__(self) -> str:
        sizes = ", ".join(f"{axis} {size}" for axis, size in zip(self.axes, self.shape))
        return f"<attn.Step {self.id}: {self.formula or self.symbol} [{sizes}]>"


class Trace(Mapping[str, np.ndarray]):
    """The computed steps of a problem, in the order in which a person works them out.

    A mapping from ids to numpy arrays: ``trace["scores"]``, ``list(trace)``,
    ``numpy.savez("steps.npz", **trace)``. A step is also found by its symbol, ``trace["S"]``,
    and ``trace["result"]`` is the last one. The arrays are views of the trace's own numbers and
    read-only; in f32 and f16 they are copies of that dtype, in bf16 of float32.
    """

    def __init__(self, computed: _core.Trace, problem: _core.Problem, computing: Tuple[str, int, int]) -> None:
        self._core = computed
        self._problem = problem
        self._computing = computing
        self._steps: Dict[str, Step] = {}
        notes = self.notes
        for step in computed.steps:
            about = tuple(note for note in notes if note.step == step.id)
            self._steps[step.id] = Step(step.id, step.symbol, step.title, step.formula, tuple(step.axes),
                                        self._numbers(step), about)

    def _numbers(self, step: _core.Step) -> np.ndarray:
        numbers = np.asarray(memoryview(step)).astype(STORED[self.dtype], copy=False)
        numbers.flags.writeable = False
        return numbers

    # --- steps ---

    def __getitem__(self, name: str) -> np.ndarray:
        return self.step(name).numbers

    def __iter__(self) -> Iterator[str]:
        return iter(self._steps)

    def __len__(self) -> int:
        return len(self._steps)

    def step(self, name: str) -> Step:
        """The step with this id or symbol, with its axes, formula and notes; ``KeyError`` where there is none."""
        if name not in self._steps:
            name = self._core.id_of(name)
        return self._steps[name]

    @property
    def steps(self) -> List[Step]:
        """All of them, in order."""
        return list(self._steps.values())

    @property
    def axes(self) -> Dict[str, Tuple[str, ...]]:
        """The names of each step's axes."""
        return {step.id: step.axes for step in self.steps}

    @property
    def symbols(self) -> Dict[str, str]:
        """What formulas call each step."""
        return {step.id: step.symbol for step in self.steps}

    @property
    def result(self) -> np.ndarray:
        """The numbers of the last step: the context, or the output where it is projected."""
        return self._steps[self._core.result].numbers

    # --- what else is known ---

    @property
    def title(self) -> str:
        return self._core.title

    @property
    def statement(self) -> str:
        """A digest of what the problem computes with: two with the same are the same problem."""
        return self._core.statement

    @property
    def dtype(self) -> str:
        """``"f64"``, ``"f32"``, ``"bf16"`` or ``"f16"``."""
        return self._core.dtype

    @property
    def hand_rounding(self) -> Optional[str]:
        """``"2:half-up"``, where every step is rounded by hand."""
        return self._core.hand_rounding

    @property
    def backend(self) -> str:
        return self._core.backend

    @property
    def notes(self) -> List[Note]:
        return [Note(step, tuple(index), kind, message) for step, index, kind, message in self._core.notes]

    @property
    def labels(self) -> Dict[str, List[Any]]:
        """The labels of queries and keys; of a batch, a list for each sequence."""
        both = {"query": self._core.query_labels, "key": self._core.key_labels}
        if self._core.batched:
            return both
        return {of: sequences[0] if sequences else [] for of, sequences in both.items()}

    # --- shown ---

    def written(self, format: str = "text", *, explain: Optional[str] = None,
                only: Union[str, Sequence[str]] = (), precision: Optional[int] = None, full: bool = False,
                width: int = 80, ascii: bool = False) -> Union[str, bytes]:
        """The trace as ``attn run --format`` writes it.

        ``format`` is one for people (text, markdown, latex, html, svg), which the other options are
        about, or one for programs (json, csv, moodle, gift, and npz and safetensors, which are bytes). ``explain``
        says how much is shown: result, steps, rows, cells.
        """
        if explain is not None and explain not in LEVELS:
            raise ValueError(f"explain is one of {', '.join(LEVELS)}, and not {explain!r}")
        level = None if explain is None else LEVELS.index(explain)
        steps = [only] if isinstance(only, str) else list(only)
        return self._core.rendered(format, level, steps, precision, _core.Looks(width, ascii, full))

    def __str__(self) -> str:
        return str(self.written()).rstrip("\n")

    def _repr_html_(self) -> str:
        return framed(str(self.written("html")))

    def __repr__(self) -> str:
        title = f" “{self.title}”" if self.title else ""
        return f"<attn.Trace{title}: {len(self)} steps, result {self.step('result')!r}>"

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other
