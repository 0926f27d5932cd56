"""The steps of a trace as the reference works them out, and how each is recorded.

With a trace to follow, every step is worked out from that trace's own numbers, so
that a difference is one of a single step and does not grow into the next ones.
"""

import math
from dataclasses import dataclass, field

from arithmetic import exactly
from nested import fits, mapped, shape_of, transposed

ANYTHING = -1.0  # the size of a number that no two computations need agree on
SINGLE = 2.0 ** -22  # four units of a single, where its operations may stand in another order


@dataclass
class Step:
    """One step of the trace.

    `cells` are the numbers before they are rounded, with their natural size, and
    `rounded` is what rounds them. An `optional` step may be missing.
    """

    id: str
    axes: list
    shape: list
    data: list
    cells: list
    computed: bool  # False: given, regrouped or selected, so it must be equal exactly
    sure: bool      # False: rounding by hand could honestly go either way from here on
    rounded: object = None
    slack: float = 0.0
    leeway: float = 0.0  # where a whole row is rounded, and another way is as honest
    optional: bool = False
    either: bool = False  # READING: the contract does not say whether tables are rounded by hand


@dataclass
class Trace:
    arithmetic: dict
    steps: list = field(default_factory=list)
    labels: dict = field(default_factory=dict)
    notes: list = field(default_factory=list)
    result: str = ""

    def step(self, name):
        return next((s for s in self.steps if s.id == name), None)


def read_number(value):
    """A number as traces spell it; booleans and other words are no numbers."""
    if isinstance(value, str) and value in ("inf", "-inf", "nan"):
        return float(value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    raise ValueError(f"{value!r} is no number of a trace")


class RecipeBuilder:
    """Blocks become steps: lists over sequences (one, where there is no batch) and, where a
    step has the head axis, over heads (one, where there are none)."""

    def __init__(self, problem, following=None):
        self.problem = problem
        self.arithmetic = problem.arithmetic
        self.rounding = problem.rounding
        self.trace = Trace({"dtype": self.arithmetic.name, "hand_rounding": self.rounding.text})
        self.following = {s["id"]: s for s in following["steps"]} if following else {}

    def record(self, name, axes, blocks, headed=True, computed=True, vectors=False, alone=False, optional=False,
               in_full=False, loose=False, either=False, finished=None, leeway=0.0):
        """Adds a step; gives the blocks to go on with.

        `vectors` marks matrices whose last two axes column vectors exchange, `alone` what no
        batch has a part in, `in_full` what is not rounded by hand, `loose` what is some
        operations whose order in single precision is free.
        """
        rounded, slack = self._rounding_of(computed, in_full, loose)
        if finished is None:
            finished = mapped(blocks, rounded)
        place = Place(self.problem, headed, vectors, alone)
        data = place.outward(mapped(finished, lambda c: c.value))
        step = Step(name, place.axes(axes), shape_of(data), data, place.outward(blocks), computed,
                    not getattr(self.rounding, "unsure", False), rounded, slack, leeway, optional, either)
        self.trace.steps.append(step)
        return self._followed(step, place, finished)

    def _rounding_of(self, computed, in_full, loose):
        if not computed:
            return (lambda cell: cell), 0.0
        slack = SINGLE if loose and self.arithmetic.name == "f32" else None
        if in_full:
            step = lambda cell: type(cell)(self.arithmetic.step(cell.value), cell.size)
            return step, slack or self.arithmetic.slack
        return self.rounding.cell, slack or self.rounding.slack

    def _followed(self, step, place, finished):
        """What the followed trace has in place of the step, if it can be read as one."""
        theirs = self.following.get(step.id)
        if theirs is None:
            return finished
        try:
            data = mapped(theirs["data"], lambda x: exactly(self.arithmetic.number(read_number(x))))
        except (ValueError, KeyError):
            return finished
        if stands_turned(step, theirs, data):
            data = turned(data)
        return place.inward(data) if fits(data, step.shape) else finished


def stands_turned(step, theirs, data):
    """READING: with column vectors, what the contract does not list may be turned or not."""
    shape = step.shape
    if not step.optional or len(shape) < 2 or not fits(data, shape[:-2] + shape[:-3:-1]):
        return False
    axes = theirs["axes"]
    return not fits(data, shape) or axes[-1] == step.axes[-2] or axes[-2] == step.axes[-1]


def turned(tensor):
    return [turned(t) for t in tensor] if isinstance(tensor[0][0], list) else transposed(tensor)


class Place:
    """Which axes around a matrix a step has, and how column vectors turn it."""

    def __init__(self, problem, headed, vectors, alone):
        self.batch = problem.batched and not alone
        self.head = headed and problem.heads is not None
        self.headed, self.turn = headed, vectors and problem.reader.columns

    def axes(self, axes):
        axes = axes[::-1] if self.turn else axes
        return ["batch"] * self.batch + ["head"] * self.head + axes

    def outward(self, blocks):
        if self.turn:
            blocks = [[transposed(m) for m in b] if self.headed else transposed(b) for b in blocks]
        if self.headed and not self.head:
            blocks = [b[0] for b in blocks]
        return blocks if self.batch else blocks[0]

    def inward(self, data):
        blocks = data if self.batch else [data]
        if self.headed and not self.head:
            blocks = [[b] for b in blocks]
        if self.turn:
            blocks = [[transposed(m) for m in b] if self.headed else transposed(b) for b in blocks]
        return blocks


def window(step, cell):
    """The lowest and highest number that an honest computation may give a cell."""
    tolerance = step.slack * cell.size
    if not tolerance or not math.isfinite(tolerance) or not math.isfinite(cell.value):
        low = high = step.rounded(cell).value
    else:
        low = step.rounded(exactly(cell.value - tolerance)).value
        high = step.rounded(exactly(cell.value + tolerance)).value
    return low - step.leeway, high + step.leeway
