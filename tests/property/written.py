"""What a written number stands for.

A number with N decimals stands for every value that rounds or truncates to it: from half
a unit of its last place nearer zero to one unit farther from zero; a weight, whose row may
have kept its sum, for one unit either way. An integer beside numbers with decimals has
their decimals.
"""

import math
import re
from typing import NamedTuple

SLACK = 1e-9
LARGE = -1e4  # what is written for minus infinity where somebody would rather write a number
DECIMAL = re.compile(r"[-+−]?(\d*)(?:\.(\d*))?(%?)")


class Written(NamedTuple):
    low: float     # what it stands for
    high: float
    least: float   # what it is gone on with, besides
    most: float


def read_step(name, step):
    """The numbers of a step, spelled as in an answers file, as what they stand for; blanks are None."""
    numbers = [n for n in leaves(step) if isinstance(n, (int, float))]
    most = max((decimals_of(repr(n)) for n in numbers), default=0)
    longest = max((decimals_of(t) for t in leaves(step) if isinstance(t, str)), default=most)
    weights = name == "attention_weights"

    def row(cells):
        texts = [c if isinstance(c, str) else None if c is None else f"{c:.{most}f}" for c in cells]
        beside = max((decimals_of(t) for t in texts if t), default=0)
        return [number(t, beside, longest, weights) if t else None for t in texts]

    def walk(part):
        if part is None:
            return None
        return row(part) if not isinstance(part[0], list) and not (
            part[0] is None and any(isinstance(p, list) for p in part)) else [walk(p) for p in part]

    return walk(step)


def decimals_of_step(step):
    """The most that are written in it."""
    return max((decimals_of(n if isinstance(n, str) else repr(n)) for n in leaves(step) if n is not None), default=0)


def leaves(nested):
    if isinstance(nested, list):
        for part in nested:
            yield from leaves(part)
    else:
        yield nested


def decimals_of(text):
    found = DECIMAL.fullmatch(text)
    return len(found[2] or "") + 2 * bool(found[3]) if found else 0


def number(text, beside, longest, weights):
    """`beside` are the decimals of its row, `longest` those of its step."""
    if text in ("-inf", "-∞"):
        return Written(*[-math.inf] * 4)
    found = DECIMAL.fullmatch(text)
    if not found:
        value, power = expression(text), 10 ** longest
        down = math.floor(value * power) / power
        return Written(value - SLACK, value + SLACK, min(value, down), max(value, down + 1 / power))
    value = float(text.replace("−", "-").rstrip("%")) / (100 if found[3] else 1)
    decimals = decimals_of(text) if found[2] or found[3] else beside
    return of_units(value, 10 ** decimals, weights)


def of_units(value, power, weights=False):
    if value <= LARGE:
        return Written(-math.inf, value, value, value)
    unit = value * power
    if weights or abs(unit) < 0.5:
        near, far = unit - 1, unit + 1
    else:
        near, far = (unit - 0.5, unit + 1) if unit > 0 else (unit - 1, unit + 0.5)
    return Written((near - SLACK) / power, (far + SLACK) / power, value, value)


def expression(text):
    """A sum, product or quotient of numbers, roots and powers of e."""
    python = text.replace("^", "**").replace("√", "sqrt").replace("−", "-").replace("·", "*")
    return float(eval(python, {"__builtins__": {}}, {"sqrt": math.sqrt, "exp": math.exp, "e": math.e}))
