"""One thing changed in honest work: what check_wrong.py hands in.

A change replaces cells of one step, alone, or on the way to paper, so that whatever comes
after follows from the number that was changed. Written numbers are units of the last
decimal, or text where they are not spelled so.
"""

import math
from dataclasses import dataclass

from nested import flat
from reference import INF
from slips import blocks_of, replaced
from students import NotHere, mapped_rows, transposed

INNER = ("row_maximum", "exponentials", "exponential_sums")
UNITS = (3, 5, 10, 100)
SLACK = 1e-6
FACTORS = (2, 10, 0.5, 1.5, math.e, 0.1)


@dataclass
class Change:
    kind: str
    step: str
    blocks: list    # the step's units, with what was changed
    detail: str

    def width(self, student):
        """By how many units the most changed cell differs."""
        pen = student.pen
        return max(abs(value(a, pen) - value(b, pen)) * pen.power if a != b else 0
                   for a, b in zip(flat(student.written[self.step]), flat(self.blocks))) + SLACK

    def carried_on(self, student):
        """Somebody who went on from the changed numbers."""
        if self.step in INNER:
            return self._through_softmax(student)
        other = student.other(student.stage_of[self.step], slip=self)
        other.written[self.step] = self.blocks
        return other

    def spoil(self, blocks, terms, pen):
        """As a slip does it: the changed cells are gone on with as they are written."""
        def cell(full, unit):
            return full if pen.unit(full) == unit else value(unit, pen)
        return paired(blocks, self.blocks, cell)

    def _through_softmax(self, student):
        peaks = [[[max(row) for row in m] for m in heads] for heads in student.m]
        if self.step == "row_maximum":
            peaks = self.spoil(peaks, None, student.pen)
        exponentials = [[[[math.exp(x - p) if x > -INF else 0.0 for x in row] for row, p in zip(*both)]
                         for both in zip(*heads)] for heads in zip(student.m, peaks)]
        if self.step == "exponentials":
            exponentials = self.spoil(exponentials, None, student.pen)
        sums = mapped_rows(exponentials, sum)
        if self.step == "exponential_sums":
            sums = self.spoil(sums, None, student.pen)
        if any(s == 0 for heads in sums for block in heads for s in block):
            raise NotHere
        weights = [[[[e / s for e in row] for row, s in zip(*both)] for both in zip(*heads)]
                   for heads in zip(exponentials, sums)]
        other = student.other(4, change={"softmax": lambda s, m: next(
            w for heads, made in zip(student.m, weights) for block, w in zip(heads, made) if block is m)})
        for name, blocks in zip(INNER, (peaks, exponentials, sums)):
            other.note(name, blocks)
        other.written[self.step] = self.blocks
        return other


def value(unit, pen):
    return float(unit) if isinstance(unit, str) else pen.value(unit)


def paired(one, other, change):
    if isinstance(one, list):
        return [paired(a, b, change) for a, b in zip(one, other)]
    return change(one, other)


# --- the kinds -------------------------------------------------------------


def changed(kind, student, step, rng):
    """A step with one thing changed, or None where this draw has no room for it."""
    return made_by(KINDS[kind], student, step, rng, kind)


def made_by(rule, student, step, rng, kind=""):
    units = student.written[step]
    if step in ("row_maximum", "exponential_sums"):
        matrices = [((b,), m) for b, m in enumerate(units)]
    else:
        matrices = list(blocks_of(units))
    place, matrix = rng.choice(matrices)
    matrix = [list(row) for row in matrix]
    made = rule(Draw(matrix, step, student, place, rng))
    if made is None or matrix == at(units, place):
        return None
    return Change(kind, step, replaced(units, place, matrix), made)


def at(nested, place):
    for k in place:
        nested = nested[k]
    return nested


@dataclass
class Draw:
    matrix: list
    step: str
    student: object
    place: tuple
    rng: object

    def cell(self, wanted=lambda unit: True):
        """The place of a cell that holds a number."""
        found = [(i, j) for i, row in enumerate(self.matrix) for j, unit in enumerate(row)
                 if isinstance(unit, int) and wanted(unit)]
        return self.rng.choice(found) if found else None


def by_units(count):
    def change(draw):
        cell = draw.cell()
        if cell is None:
            return None
        i, j = cell
        step = draw.rng.choice((-count, count))
        draw.matrix[i][j] += step
        return f"[{i + 1},{j + 1}] by {step} units"
    return change


def digits_exchanged(draw):
    cell = draw.cell(lambda unit: len(set(str(abs(unit)))) > 1)
    if cell is None:
        return None
    i, j = cell
    digits = list(str(abs(draw.matrix[i][j])))
    p = draw.rng.choice([p for p in range(len(digits) - 1) if digits[p] != digits[p + 1]])
    digits[p], digits[p + 1] = digits[p + 1], digits[p]
    draw.matrix[i][j] = int(math.copysign(int("".join(digits)), draw.matrix[i][j]))
    return f"digits of [{i + 1},{j + 1}] exchanged"


def miscopied(draw):
    """0.1535 for 0.1353: two digits of three in a row read as others near by."""
    cell = draw.cell(lambda unit: len(str(abs(unit))) > 2)
    if cell is None:
        return None
    i, j = cell
    digits = list(str(abs(draw.matrix[i][j])))
    p = draw.rng.randrange(len(digits) - 2)
    digits[p + 1:p + 3] = digits[p + 2], digits[p]
    draw.matrix[i][j] = int(math.copysign(int("".join(digits)), draw.matrix[i][j]))
    return f"digits of [{i + 1},{j + 1}] miscopied"


def sign(draw):
    cell = draw.cell(lambda unit: unit != 0)
    if cell is None:
        return None
    i, j = cell
    draw.matrix[i][j] *= -1
    return f"sign of [{i + 1},{j + 1}]"


def neighbour(draw):
    cell = draw.cell()
    if cell is None:
        return None
    i, j = cell
    near = [(i + a, j + b) for a, b in ((0, 1), (1, 0), (0, -1), (-1, 0))]
    near = [draw.matrix[k][l] for k, l in near if 0 <= k < len(draw.matrix) and 0 <= l < len(draw.matrix[0])]
    if not near:
        return None
    draw.matrix[i][j] = draw.rng.choice(near)
    return f"a neighbour's number at [{i + 1},{j + 1}]"


def transposed_cell(draw):
    matrix = draw.matrix
    found = [(i, j) for i in range(len(matrix)) for j in range(len(matrix[0]))
             if i != j and i < len(matrix[0]) and j < len(matrix) and matrix[i][j] != matrix[j][i]]
    if not found:
        return None
    i, j = draw.rng.choice(found)
    matrix[i][j] = matrix[j][i]
    return f"the number of [{j + 1},{i + 1}] at [{i + 1},{j + 1}]"


def column_for_row(draw):
    matrix = draw.matrix
    found = [i for i, row in enumerate(matrix) if len(matrix) == len(row) and [r[i] for r in matrix] != row]
    if not found:
        return None
    i = draw.rng.choice(found)
    matrix[i] = [row[i] for row in matrix]
    return f"column {i + 1} for row {i + 1}"


def row_of_sum_one(draw):
    if draw.step != "attention_weights":
        return None
    i = draw.rng.randrange(len(draw.matrix))
    width, power = len(draw.matrix[i]), draw.student.pen.power
    cuts = sorted(draw.rng.randint(0, power) for _ in range(width - 1))
    draw.matrix[i] = [b - a for a, b in zip([0] + cuts, cuts + [power])]
    return f"any row that sums to 1 at {i + 1}"


def any_exponentials(draw):
    if draw.step != "exponentials":
        return None
    i = draw.rng.randrange(len(draw.matrix))
    draw.matrix[i] = [int(math.exp(draw.rng.uniform(-4, 5)) * draw.student.pen.power) for _ in draw.matrix[i]]
    return f"any numbers for exponentials at {i + 1}"


def factor(draw):
    if draw.step != "exponentials":
        return None
    i, by = draw.rng.randrange(len(draw.matrix)), draw.rng.choice(FACTORS)
    full = at(draw.student.full[draw.step], draw.place)[i]
    draw.matrix[i] = [draw.student.pen.unit(by * x) for x in full]
    return f"exponentials {i + 1} times {by:.3g}"


def whole_number(draw):
    """0 or 1 where the number is not that, in a row whose other numbers have decimals."""
    power = draw.student.pen.power
    found = [(i, j) for i, row in enumerate(draw.matrix) for j, unit in enumerate(row)
             if isinstance(unit, int) and len(row) > 1 and -power < unit < 2 * power and power > 1]
    if not found:
        return None
    i, j = draw.rng.choice(found)
    near = draw.matrix[i][j] / power
    text = draw.rng.choice((str(round(near)), str(round(near)), "0", "1"))
    draw.matrix[i][j] = text
    return f"{text} at [{i + 1},{j + 1}]"


def against(draw):
    if draw.step not in ("context", "concat", "output"):
        return None
    rows = [i for i, row in enumerate(draw.matrix) if len(row) > 1 and all(isinstance(u, int) for u in row)]
    if not rows:
        return None
    i = draw.rng.choice(rows)
    j, k = draw.rng.sample(range(len(draw.matrix[i])), 2)
    by = draw.rng.choice((3, 4, 5, 10))
    draw.matrix[i][j] += by
    draw.matrix[i][k] -= by
    return f"[{i + 1},{j + 1}] and [{i + 1},{k + 1}] by {by} units against each other"


def exchanged(draw):
    """Two cells of a row in each other's place."""
    i = draw.rng.randrange(len(draw.matrix))
    row = draw.matrix[i]
    if len(row) < 2 or not all(isinstance(u, int) for u in row):
        return None
    j, k = draw.rng.sample(range(len(row)), 2)
    row[j], row[k] = row[k], row[j]
    return f"[{i + 1},{j + 1}] and [{i + 1},{k + 1}] in each other's place"


def down_the_columns(draw):
    if draw.step != "attention_weights":
        return None
    student = draw.student
    scores = student.m[draw.place[0]][draw.place[1]]
    columns = [student.softmax([column])[0] for column in transposed(scores)]
    draw.matrix[:] = transposed([student.pen.units_of_row(column) for column in columns])
    return "softmax down the columns"


KINDS = {
    **{f"{count} units": by_units(count) for count in UNITS},
    "digits exchanged": digits_exchanged,
    "digits miscopied": miscopied,
    "sign": sign,
    "neighbour's number": neighbour,
    "transposed cell's number": transposed_cell,
    "column for a row": column_for_row,
    "cells exchanged": exchanged,
    "any row of sum 1": row_of_sum_one,
    "any exponentials": any_exponentials,
    "exponentials times a factor": factor,
    "softmax down the columns": down_the_columns,
    "whole number": whole_number,
    "two cells of the result": against,
}
STEPS_OF = {"any row of sum 1": ("attention_weights",), "softmax down the columns": ("attention_weights",),
            "any exponentials": ("exponentials",), "exponentials times a factor": ("exponentials",),
            "two cells of the result": ("context", "output")}
