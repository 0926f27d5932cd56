"""Slips of the pen: one wrong cell or row in work that is otherwise right.

There are as many as there are cells and terms, so they are drawn, or tried one by one.
"""

import math

from reference import INF
from students import ROLES, NotHere

SLIPS = ("term_dropped", "sign", "cells_swapped", "row_copied", "digits_swapped", "decimal_point")
SLIPPERY = ("projected_keys", "projected_queries", "projected_values", "keys", "queries", "values", "scores",
            "scaled_scores", "attention_weights", "context", "output")
WITHOUT_TERMS = ("scaled_scores", "attention_weights")


class Slip:
    """One wrong cell, or row, of one block of a step."""

    def __init__(self, kind, step, block, cell, detail):
        self.kind, self.step, self.block, self.cell, self.detail = kind, step, block, cell, detail

    @property
    def id(self):
        return "slip." + self.kind

    def spoil(self, blocks, terms, pen):
        matrix = blocks
        for place in self.block:
            matrix = matrix[place]
        spoiled = [list(row) for row in matrix]
        getattr(self, self.kind)(spoiled, terms and (lambda i, j: terms(*self.block, i, j)), pen)
        if spoiled == matrix:
            raise NotHere
        return replaced(blocks, self.block, spoiled)

    def term_dropped(self, m, terms, pen):
        i, j = self.cell
        m[i][j] -= terms(i, j)[self.detail]

    def sign(self, m, terms, pen):
        i, j = self.cell
        m[i][j] = -m[i][j] if self.detail is None else m[i][j] - 2 * terms(i, j)[self.detail]

    def cells_swapped(self, m, terms, pen):
        (i, j), (k, l) = self.cell, self.detail
        m[i][j], m[k][l] = m[k][l], m[i][j]

    def row_copied(self, m, terms, pen):
        m[self.cell[0]] = list(m[self.detail])

    def digits_swapped(self, m, terms, pen):
        i, j = self.cell
        digits = list(str(abs(pen.unit(m[i][j]))).rjust(pen.decimals + 1, "0"))
        p = self.detail
        if p + 1 >= len(digits):
            raise NotHere
        digits[p], digits[p + 1] = digits[p + 1], digits[p]
        m[i][j] = math.copysign(int("".join(digits)) / pen.power, m[i][j])

    def decimal_point(self, m, terms, pen):
        i, j = self.cell
        m[i][j] = pen.value(pen.unit(m[i][j])) * self.detail


def replaced(nested, place, block):
    if not place:
        return block
    return [replaced(n, place[1:], block) if k == place[0] else n for k, n in enumerate(nested)]


def slips_of(student, kinds=SLIPS, steps=SLIPPERY):
    """Every slip there is in a student's steps."""
    for step in steps:
        if step not in student.written or step in ("keys", "queries", "values") and (
                "projected_" + step in student.written or not slippery(student.given, step)):
            continue
        for block, matrix in blocks_of(student.full[step]):
            rows, columns = len(matrix), len(matrix[0])
            for i in range(rows):
                for k in range(rows):
                    if "row_copied" in kinds and k != i:
                        yield Slip("row_copied", step, block, (i, 0), k)
                for j in range(columns):
                    yield from slips_of_cell(student, kinds, step, block, matrix, i, j)


def slippery(given, step):
    """Whether a step was computed, not given."""
    return given.weights[{name: role for role, name in ROLES}[step]][0] is not None


def blocks_of(nested, place=()):
    if isinstance(nested[0][0], list):
        for k, part in enumerate(nested):
            yield from blocks_of(part, place + (k,))
    else:
        yield place, nested


def slips_of_cell(student, kinds, step, block, matrix, i, j):
    if matrix[i][j] in (INF, -INF):
        return
    for kind in kinds:
        if kind in ("term_dropped", "sign") and step not in WITHOUT_TERMS:
            for term in range(width_of_terms(student, step)):
                yield Slip(kind, step, block, (i, j), term)
        if kind == "sign" and step != "attention_weights":
            yield Slip(kind, step, block, (i, j), None)
        if kind == "cells_swapped":
            for l in range(j + 1, len(matrix[0])):
                yield Slip(kind, step, block, (i, j), (i, l))
            for k in range(i + 1, len(matrix)):
                yield Slip(kind, step, block, (i, j), (k, j))
        if kind == "digits_swapped":
            for place in range(student.pen.decimals + 2):
                yield Slip(kind, step, block, (i, j), place)
        if kind == "decimal_point":
            for factor in (10, 0.1):
                yield Slip(kind, step, block, (i, j), factor)


def width_of_terms(student, step):
    given = student.given
    if step == "scores":
        return given.d_k
    if step == "context":
        return given.nk
    if step == "output":
        return len(given.output)
    role = {name: role for role, name in ROLES}[step.removeprefix("projected_")]
    kind, weight = given.weights[role]
    return len(weight[0] if kind == "apart" else weight)


def with_slip(student, slip):
    """Somebody who works as the student does but for the slip, and goes on from it."""
    return student.other(student.stage_of[slip.step], slip=slip)
