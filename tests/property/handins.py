"""What people hand in, right and wrong, and what an ideal reader of it could say.

The ideal reader tries every honest way to work the problem, and every mistake in every
reading worked in honest ways. It says whether the numbers can tell at all that something
is wrong, which step is the first that no honest way explains, and which mistakes give
exactly what is written.
"""

import math
from dataclasses import dataclass

from mistakes import JOIN, catalogue, with_mistake
from reference import INF, mapped, shape_of
from slips import SLIPPERY, slips_of, with_slip
from students import CARRIED, MODES, Given, Honest, NotHere, Pen
from ways import Ways

SETS = ("steps", "qkv", "weights", "context")
DECIMALS = (1, 2, 3, 4)
INNER = ("row_maximum", "exponentials", "exponential_sums")
SLIP_INSIDE = 0.3  # slips in steps that may not be handed in


@dataclass
class HandIn:
    id: str          # the mistake; None where nothing was done wrong
    variant: str
    step: str
    which: str       # one of SETS
    pen: Pen
    units: dict      # step → numbers in units of the last decimal, as the trace nests them
    steps: dict = None  # the steps as an answers file has them, where no units tell that
    raw: dict = None    # a problem of its own
    kind: str = "nothing wrong"  # which honest work this is
    both: frozenset = frozenset()  # the ids of two mistakes at once

    @property
    def hidden(self):
        """Whether the step of the mistake is not handed in."""
        return self.step not in (self.steps or self.units)

    def answers(self, spelling=None):
        if self.steps is not None:
            return {"schema": "attn/answers/1", "steps": self.steps}
        spelled = spelling or self.pen.spelled
        return {"schema": "attn/answers/1",
                "steps": {name: mapped(units, spelled) for name, units in self.units.items()}}

    def honest_answers(self, rng):
        """The same in one of the ways that people spell answers: numbers as numbers, blanks,
        a large number for one that closes."""
        closed = rng.choice(("-inf", "-inf", "-∞", "-1e9"))
        as_numbers, blank = rng.random() < 0.15, 0.2 * (rng.random() < 0.15)
        def spelled(unit):
            if rng.random() < blank:
                return None
            if unit == -INF:
                return closed
            return self.pen.value(unit) if as_numbers else self.pen.spelled(unit)
        return self.answers(spelled)

    def told(self):
        what = f"{self.id or self.kind} ({self.variant})" if self.variant else self.id or self.kind
        carried = "+".join(name for name in CARRIED if name in self.pen.carried) or "nothing"
        place = f" at {self.step}" if self.step else ""
        return f"{what}{place}, {self.which}, {self.pen.decimals}:{self.pen.mode}, carrying {carried}"


def chosen_steps(given, student, which, rng, mistake=None):
    """The steps of a set that somebody has, in the order of the trace."""
    missing = set(mistake.leaves_out) if mistake else set()
    last = [name for name in ("output", "concat", "context") if name in student.written][0]
    after_context = mistake is not None and mistake.first >= JOIN
    final = {last if after_context or rng.random() < 0.5 else "context"}
    if which == "context":
        wanted = final
    elif which == "weights":
        wanted = final | {"attention_weights"}
    elif which == "qkv":
        wanted = final | {"keys", "queries", "values", "attention_weights"}
    else:
        wanted = set(given.order)
        if mistake:
            missing |= {name for name in mistake.may_leave_out if rng.random() < 0.5}
        if rng.random() < 0.5:
            missing |= set(INNER)
        if rng.random() < 0.5:
            missing.add("weighted_values")
    return [name for name in given.order if name in student.written and name in wanted - missing]


def drawn_pen(rng, decimals):
    mode = rng.choice(MODES + ("half-up",) * 4)
    if rng.random() < 0.3:
        return Pen(decimals, mode, ())
    carried = set(CARRIED)
    if rng.random() < 0.5:
        carried.discard("weighted")
    return Pen(decimals, mode, carried)


def turned(nested):
    if len(shape_of(nested)) < 2:
        return nested
    if not isinstance(nested[0][0], list):
        return [list(column) for column in zip(*nested)]
    return [turned(n) for n in nested]


class Reader:
    """The ideal reader of what is handed in for one problem."""

    def __init__(self, raw):
        self.raw = raw
        self.given = Given(raw)
        self.honest = Honest(self.given)
        self.ways = Ways(self.given)
        self.mistakes = {}
        for mistake in catalogue(self.given):
            self.mistakes.setdefault(mistake.id, []).append(mistake)
        self._right, self._wrong, self._rooms = {}, {}, None

    # Making hand-ins

    def rooms(self):
        """The mistakes, slips apart, that show in this problem, each with the readings that do."""
        if self._rooms is None:
            student = self.honest.student(Pen(6, "half-up", ()))
            self._rooms = {name: [m for m in readings if self._shows(student, m)]
                           for name, readings in self.mistakes.items()}
            self._rooms = {name: readings for name, readings in self._rooms.items() if readings}
        return self._rooms

    @staticmethod
    def _shows(student, mistake):
        try:
            other = with_mistake(student, mistake)
        except NotHere:
            return False
        return bool(mistake.turned) or any(student.written.get(n) != u for n, u in other.written.items())

    def wrong(self, name, which, decimals, rng):
        """A hand-in with one mistake, or None if the readings drawn have no room."""
        pen = drawn_pen(rng, decimals)
        student = self.honest.student(pen)
        if name.startswith("slip."):
            return self._slipped(name, which, student, rng)
        mistake = rng.choice(self.rooms()[name])
        try:
            other = with_mistake(student, mistake)
        except NotHere:
            return None
        steps = chosen_steps(self.given, other, which, rng, mistake)
        units = {n: other.paper(n) for n in steps}
        if mistake.turned:
            units = {n: turned(u) if mistake.turned(n) else u for n, u in units.items()}
        return HandIn(name, mistake.variant, mistake.step, which, pen, units)

    def _slipped(self, name, which, student, rng):
        steps = chosen_steps(self.given, student, which, rng)
        kind = name.removeprefix("slip.")
        inside = rng.random() < SLIP_INSIDE
        where = SLIPPERY if inside else [n for n in steps if n in SLIPPERY]
        slips = list(slips_of(student, (kind,), where))
        rng.shuffle(slips)
        for slip in slips[:20]:
            try:
                other = with_slip(student, slip)
            except NotHere:
                continue
            if any(other.written[n] != student.written[n] for n in other.written):
                cell = f"{slip.block}{slip.cell} {slip.detail}"
                return HandIn(name, cell, slip.step, which, student.pen, {n: other.paper(n) for n in steps})
        return None

    def right(self, which, decimals, rng):
        pen = drawn_pen(rng, decimals)
        if rng.random() < 0.15:
            pen = Pen(decimals, pen.mode, [name for name in CARRIED if rng.random() < 0.5])
        student = self.honest.student(pen)
        steps = chosen_steps(self.given, student, which, rng)
        units = {n: student.paper(n) for n in steps}
        if which == "steps" and "exponentials" in units and rng.random() < 0.3:
            self._without_maximum(student, units)
        if which == "steps" and rng.random() < 0.2:
            units = self._with_givens(pen) | units
        return HandIn(None, "", "", which, pen, units)

    @staticmethod
    def _without_maximum(student, units):
        """Many take e^score as it is."""
        exponentials = mapped(student.m, lambda s: math.exp(s) if s > -INF else 0.0)
        if max(x for _, x in cells(exponentials)) < 1e4:
            sums = [[[sum(row) + sum(map(math.exp, student.sink(h))) for row in matrix]
                     for h, matrix in enumerate(heads)] for heads in exponentials]
            del units["row_maximum"]
            for name, blocks in (("exponentials", exponentials), ("exponential_sums", sums)):
                units[name] = student.paper(name, mapped(blocks, student.pen.unit))

    def _with_givens(self, pen):
        """Some also copy the inputs and the mask."""
        return {step.id: mapped(step.data, pen.unit) for step in self.given.trace.steps
                if step.id.startswith("inputs") or step.id in ("mask", "split_inputs", "score_bias")}

    # Reading them

    def right_papers(self, decimals):
        """Every honest way's papers, step by step, worked out when first asked for."""
        if decimals not in self._right:
            self._right[decimals] = [Papers(s) for s in self.honest.everyone(decimals)]
        return self._right[decimals]

    def decidable(self, handin):
        return not any(self.same(handin, papers) for papers in self.right_papers(handin.pen.decimals))

    @staticmethod
    def same(handin, papers):
        return all(papers.get(n) == u for n, u in handin.units.items())

    def first_wrong(self, handin):
        """The first step with a cell that no honest way explains which explains all before."""
        alive = self.right_papers(handin.pen.decimals)
        for name in sorted(handin.units, key=self.given.order.index):
            written = handin.units[name]
            matching = [p for p in alive if p.get(name) == written]
            if matching:
                alive = matching
            elif not cells_explained(written, [p.get(name) for p in alive]):
                return name
        return None

    def explained(self, handin):
        """Whether some honest way of working explains every number: what does is right, even where
        a mistake gives it too."""
        right = self.right_papers(handin.pen.decimals)[0]
        steps = handin.answers()["steps"]
        if any(right.get(n) is None or shape_of(right.get(n)) != shape_of(step) for n, step in steps.items()):
            return False
        first, turned = self.ways.first_unexplained(steps, handin.pen.decimals)
        return first is None and len(turned) != 1  # one step alone is a mistake before it is a convention

    def ties(self, handin):
        """The ids of all mistakes that give exactly this."""
        found = {m.id for m, papers in self._wrong_papers(handin.pen.decimals) if self._gives(m, papers, handin)}
        if handin.id and handin.id.startswith("slip."):
            found |= self._slip_ties(handin)
        return found

    def _gives(self, mistake, papers, handin):
        turn = mistake.turned or (lambda name: False)
        for name, written in handin.units.items():
            paper = papers.get(name)
            if paper is None or (turned(paper) if turn(name) else paper) != written:
                return False
        return True

    def _wrong_papers(self, decimals):
        if decimals not in self._wrong:
            found = self._wrong[decimals] = []
            ways = (CARRIED, tuple(c for c in CARRIED if c != "weighted"), ())
            for student in [self.honest.student(Pen(decimals, mode, way)) for mode in MODES for way in ways]:
                for mistake in sum(self.mistakes.values(), []):
                    try:
                        found.append((mistake, Papers(with_mistake(student, mistake))))
                    except NotHere:
                        pass
        return self._wrong[decimals]

    def _slip_ties(self, handin):
        student = self.honest.student(handin.pen)
        found = set()
        for slip in slips_of(student):
            if slip.id not in found:
                try:
                    other = Papers(with_slip(student, slip))
                except NotHere:
                    continue
                if self.same(handin, other):
                    found.add(slip.id)
        return found


class Papers:
    """A student's steps as they would be handed in."""

    def __init__(self, student):
        self.student = student
        self._papers = {}

    def get(self, name):
        if name not in self.student.written:
            return None
        if name not in self._papers:
            self._papers[name] = self.student.paper(name)
        return self._papers[name]


def cells(nested, place=()):
    if isinstance(nested, list):
        for k, part in enumerate(nested):
            yield from cells(part, place + (k,))
    else:
        yield place, nested


def at(nested, place):
    for k in place:
        nested = nested[k]
    return nested


def cells_explained(written, papers):
    if papers[0] is None or shape_of(papers[0]) != shape_of(written):
        return False
    return all(any(at(p, place) == unit for p in papers) for place, unit in cells(written))
