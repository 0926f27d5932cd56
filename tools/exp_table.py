#!/usr/bin/env python3
"""Prints src/base/exp_table.h: 2^(j/128) to twice the precision of a double.

    python3 tools/exp_table.py > src/base/exp_table.h

Everything is worked out to 100 decimal digits; float() of a Decimal rounds
correctly.
"""

import math
from decimal import Decimal, getcontext

getcontext().prec = 100


def split(exact):
    """The nearest double, and the nearest double to what it leaves."""
    hi = float(exact)
    return hi, float(exact - Decimal(hi))


def split_coarsely(exact, bits):
    """The same, with the first part a multiple of 2^-bits."""
    hi = math.floor(exact * 2**bits) / 2**bits
    return hi, float(exact - Decimal(hi))


HEADER = """\
// Made by: python3 tools/exp_table.py > src/base/exp_table.h

#pragma once

namespace attn::exp_table {

// 128/ln 2, and ln 2/128 in two parts. The first part is a multiple of 2^-42,
// 35 bits long, so that its product with an integer below 2^18 is exact.
inline constexpr double steps_per_unit = %s;
inline constexpr double step_hi = %s;
inline constexpr double step_lo = %s;

struct SplitPower {
  double hi;  // the double nearest to the power
  double lo;  // the double nearest to what hi leaves
};

// 2^(j/128) for j = 0 ... 127.
inline constexpr SplitPower powers[128] = {"""

FOOTER = """\
};

}  // namespace attn::exp_table"""


def main():
    step = Decimal(2).ln() / 128
    print(HEADER % (float(1 / step).hex(), *(part.hex() for part in split_coarsely(step, 42))))
    for j in range(128):
        hi, lo = split(Decimal(2) ** (Decimal(j) / 128))
        print(f"    {{{hi.hex()}, {lo.hex()}}},")
    print(FOOTER)


if __name__ == "__main__":
    main()
