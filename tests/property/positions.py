"""What positions do, each from its paper: plain numbers in, plain numbers out.

Positions are those among all keys: new tokens start at the length of the past.
"""

import math
from fractions import Fraction

from arithmetic import Cell


def angle(position, pair, width, base):
    return position / base ** (2 * pair / width)


def wave(function, turned):
    """A sine or cosine: an error in the angle is one in the number."""
    return Cell(function(turned), 1.0 + abs(turned))


def sinusoidal(positions, width, base):
    """Vaswani et al. 2017, section 3.5: sine at even columns, cosine of the same pair at odd ones."""
    return [[wave(math.cos if c % 2 else math.sin, angle(p, c // 2, width, base)) for c in range(width)]
            for p in positions]


def turning(function, positions, dims, base):
    """The cosines or sines that rotary embedding turns pairs by, [position][pair] (Su et al. 2021)."""
    return [[wave(function, angle(p, pair, dims, base)) for pair in range(dims // 2)] for p in positions]


def pairs_of(dims, interleaved):
    """Neighbours, or as far apart as there are pairs."""
    return [(2 * i, 2 * i + 1) if interleaved else (i, i + dims // 2) for i in range(dims // 2)]


def rotated(arithmetic, row, cosines, sines, interleaved):
    turned = list(row)
    for (a, b), c, s in zip(pairs_of(2 * len(cosines), interleaved), cosines, sines):
        turned[a] = arithmetic.minus(arithmetic.times(row[a], c), arithmetic.times(row[b], s))
        turned[b] = arithmetic.plus(arithmetic.times(row[b], c), arithmetic.times(row[a], s))
    return turned


def slopes(heads):
    """Press et al. 2022, section 3, and their code where heads are no power of two: the slopes
    of the next lower power, then every other one of twice as many."""
    lower = 1 << (heads.bit_length() - 1)
    of_power = lambda n: [2.0 ** (-8 * (h + 1) / n) for h in range(n)]
    return of_power(lower) + of_power(2 * lower)[0::2][:heads - lower]


def clipped_row(distance, reach):
    """The row of a table of 2·reach + 1 that serves j − i (Shaw et al. 2018, equation 4)."""
    return min(max(distance, -reach), reach) + reach


def bucket(distance, buckets, max_distance, bidirectional):
    """Raffel et al. 2020: which bucket serves j − i, in whole numbers, so that nothing is near a step."""
    first, count = 0, buckets
    if bidirectional:
        count = buckets // 2
        first = count if distance > 0 else 0
        distance = abs(distance)
    else:
        distance = max(-distance, 0)
    exact = count // 2
    if distance < exact:
        return first + distance
    return first + min(count - 1, exact + _steps(distance, exact, max_distance, count - exact))


def _steps(distance, exact, max_distance, steps):
    """floor(log(distance / exact) / log(max_distance / exact) · steps), below `steps`."""
    if not exact:
        return steps
    reached, whole = Fraction(distance, exact) ** steps, Fraction(max_distance, exact)
    return max((t for t in range(steps) if reached >= whole ** t), default=0)


def disentangled_row(distance, reach):
    """δ of He et al. 2021, equation 3, for i − j."""
    return min(max(distance + reach, 0), 2 * reach - 1)
