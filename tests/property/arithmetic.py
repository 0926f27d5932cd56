"""Number arithmetic for the reference: the dtypes, and rounding by hand.

A Cell is a value together with its natural size: what the value would be if
nothing in its sums had cancelled. Two programs that both compute in doubles
agree to a small multiple of 2^-53 times that size, however the value itself
cancels, so the size is what a relative tolerance is measured against.
"""

import math
import struct
from decimal import ROUND_DOWN, ROUND_FLOOR, ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal
from typing import NamedTuple

INF = math.inf


class Cell(NamedTuple):
    value: float
    size: float


ZERO = Cell(0.0, 0.0)
CLOSED = Cell(-INF, 0.0)


def exactly(value):
    """A cell that carries no rounding of its own."""
    return Cell(value, abs(value))


def best_sum(terms):
    """The sum, correctly rounded where it is finite."""
    try:
        if all(map(math.isfinite, terms)):
            return math.fsum(terms)
    except OverflowError:
        pass
    return sum(terms)


class Double:
    """f64, with sums better than index order gives them.

    The program's own sums run in index order; the difference is what the
    tolerance allows for.
    """

    name = "f64"
    slack = 1e-12  # of the natural size: how far another honest computation may be

    def number(self, value):
        return float(value)

    def rounded(self, cell):
        """After each operation."""
        return cell

    def step(self, value):
        """After each step."""
        return value

    def times(self, a, b):
        return self.rounded(Cell(a.value * b.value, a.size * b.size))

    def over(self, a, divisor):
        return self.rounded(Cell(divided(a.value, divisor), divided(a.size, abs(divisor))))

    def plus(self, a, b):
        return self.rounded(Cell(a.value + b.value, a.size + b.size))

    def minus(self, a, b):
        return self.plus(a, Cell(-b.value, b.size))

    def total(self, cells):
        return Cell(best_sum([c.value for c in cells]), sum(c.size for c in cells))

    def dot(self, xs, ys, bias=None):
        product = self.total([self.times(x, y) for x, y in zip(xs, ys)])
        return product if bias is None else self.plus(product, bias)

    def root(self, n):
        return math.sqrt(n)

    def norm(self, cells):
        square = self.total([self.times(c, c) for c in cells])
        return self.rounded(Cell(math.sqrt(square.value), 2 * math.sqrt(square.size)))

    def tanh(self, a):
        """What is uncertain in the argument fades where the curve is flat."""
        value = math.tanh(a.value)
        return self.rounded(Cell(value, abs(value) + self._faded(a.size, 1 - value * value)))

    @staticmethod
    def _faded(size, slope):
        return size * slope if slope else 0.0

    def softcap(self, a, cap):
        return self.times(self.tanh(self.over(a, cap)), exactly(cap))

    def exponential(self, score, maximum, base=None):
        """base^(score - maximum): absolute error in the scores is relative error here."""
        difference = self.minus(score, maximum).value
        value = math.exp(difference) if base is None else base ** difference
        growth = 1.0 if base is None else max(1.0, math.log(base))
        return self.rounded(Cell(value, value * (1.0 + growth * (score.size + maximum.size))))

    def share(self, part, total):
        value = divided(part.value, total.value)
        if part.value == 0.0:
            return Cell(value, divided(part.size, abs(total.value)))
        return self.rounded(Cell(value, abs(value) * (part.size / abs(part.value) + divided(
            total.size, abs(total.value)))))


def divided(a, b):
    """As IEEE 754 says it, where Python refuses."""
    if b:
        return a / b
    return math.copysign(INF, a) * math.copysign(1.0, b) if a and not math.isnan(a) else math.nan


def to_single(value):
    try:
        return struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return math.copysign(INF, value)


class Single(Double):
    """f32: every product, every partial sum in index order, every function is rounded.

    One operation on two singles, done in double and rounded once more, is the
    correctly rounded single result, so results are compared bit for bit.
    """

    name = "f32"
    slack = 0.0

    def rounded(self, cell):
        return Cell(to_single(cell.value), cell.size)

    def step(self, value):
        return to_single(value)

    def number(self, value):
        return to_single(float(value))

    def total(self, cells):
        running = ZERO
        for cell in cells:
            running = self.plus(running, cell)
        return running

    def root(self, n):
        return to_single(math.sqrt(n))


def narrowed(value, digits, lowest, highest):
    """To the nearest with so many binary digits, ties to even, straight from the double.

    `lowest` is the exponent of the smallest normal number and `highest` that of the
    largest: below the one digits are lost, beyond the other is infinity.
    """
    if value == 0 or not math.isfinite(value):
        return value
    exponent = max(math.frexp(value)[1] - 1, lowest)
    unit = exponent - digits + 1
    near = math.ldexp(round(math.ldexp(value, -unit)), unit)
    return near if abs(near) < math.ldexp(1.0, highest + 1) else math.copysign(INF, value)


class Narrow(Double):
    """bf16 and f16: computed in f64, and rounded once a step, inputs first."""

    slack = 1e-13

    def __init__(self, name, *format):
        self.name, self.format = name, format

    def step(self, value):
        return narrowed(value, *self.format)

    def number(self, value):
        return self.step(float(value))


def arithmetic_named(name):
    return {"f64": Double, "f32": Single,
            "bf16": lambda: Narrow("bf16", 8, -126, 127),
            "f16": lambda: Narrow("f16", 11, -14, 15)}[name]()


READING = Context(prec=12, rounding=ROUND_HALF_EVEN)
WIDE = Context(prec=400)

ROUNDING_OF_MODE = {
    "half-up": ROUND_HALF_UP,
    "half-even": ROUND_HALF_EVEN,
    "truncate": ROUND_DOWN,
    "keep-sum": ROUND_HALF_UP,
}


def read_digits(value):
    """The value as twelve significant digits show it: 0.15 held in binary is 0.15."""
    return READING.create_decimal(Decimal(value))


class HandRounding:
    """Rounding of whole steps to N decimals, as people do it on paper.

    `unsure` turns true once a number lay so close to a boundary that a correct
    double computation could fall on either side; what comes after is not
    comparable any more.
    """

    slack = 1e-14

    def __init__(self, text):
        decimals, _, mode = text.partition(":")
        self.mode = mode or "half-up"
        self.decimals = int(decimals)
        self.unit = Decimal(1).scaleb(-self.decimals)
        self.rounding = ROUNDING_OF_MODE[self.mode]
        self.unsure = False

    @property
    def text(self):
        return f"{self.decimals}:{self.mode}"

    def _quantized(self, value, rounding):
        return read_digits(value).quantize(self.unit, rounding=rounding, context=WIDE)

    def step(self, value):
        return float(self._quantized(value, self.rounding)) if math.isfinite(value) else value

    def cell(self, cell):
        """One number, rounded by itself."""
        if not math.isfinite(cell.value):
            return cell
        rounded = self._quantized(cell.value, self.rounding)
        slack = self.slack * cell.size
        for neighbour in (cell.value - slack, cell.value + slack):
            if self._quantized(neighbour, self.rounding) != rounded:
                self.unsure = True
        return exactly(float(rounded))

    def weights(self, row, is_open):
        """One row of attention weights."""
        if self.mode != "keep-sum":
            return [self.cell(c) if o else ZERO for c, o in zip(row, is_open)]
        places = [j for j, o in enumerate(is_open) if o]
        values = [row[j].value for j in places]
        if not all(map(math.isfinite, values)):
            return row
        shares = self._largest_remainders(values)
        for k, j in enumerate(places):
            slack = self.slack * row[j].size
            for neighbour in (values[k] - slack, values[k] + slack):
                nudged = values[:k] + [neighbour] + values[k + 1:]
                if self._largest_remainders(nudged) != shares:
                    self.unsure = True
        rounded = [ZERO] * len(row)
        for j, share in zip(places, shares):
            rounded[j] = exactly(float(share))
        return rounded

    def _largest_remainders(self, values):
        """Shares in whole units whose sum is the rounded sum of the values.

        Everyone gets their value cut down; the units still missing go to the
        largest remainders, the lower index first among equals.
        """
        if not values:
            return []
        read = [read_digits(v) for v in values]
        cut = [r.quantize(self.unit, rounding=ROUND_FLOOR, context=WIDE) for r in read]
        target = self._quantized(math.fsum(values), ROUND_HALF_UP)
        missing = int((target - sum(cut)) / self.unit)
        order = sorted(range(len(read)), key=lambda j: (cut[j] - read[j], j))
        for j in order[:missing]:
            cut[j] += self.unit
        return cut


class NoRounding:
    """Not by hand: what the dtype does to a step is all."""

    text = None
    unsure = False

    def __init__(self, arithmetic):
        self.arithmetic, self.slack = arithmetic, arithmetic.slack

    def step(self, value):
        return self.arithmetic.step(value)

    def cell(self, cell):
        return Cell(self.arithmetic.step(cell.value), cell.size)

    def weights(self, row, is_open):
        return [self.cell(c) for c in row]
