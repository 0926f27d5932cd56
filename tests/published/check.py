#!/usr/bin/env python3
"""Published worked examples give their printed numbers, to the printed digit.

    check.py ATTN

Each NAME.json beside this file has

    problem   the problem in data/ that rebuilds the example, or the problem itself
    source    whose numbers they are
    without   keys of the problem that the source leaves out (optional)
    steps     step -> the numbers as printed; null for what was not printed, or of
              a large step only {"row,column": number}, counted from 1
    decimals  step -> decimals that its numbers have, where the source drops
              trailing zeros, as numpy does (optional)
    allow     "float32": besides rounding, two units in the last place of a single;
              "float64": numbers printed in full, the last bits may differ;
              "float16": the same half-precision number (optional)
    why       the reason for that
    remark    whatever else one should know

A printed number stands for every value that rounds to it at its number of
decimals, ties either way.
"""

import sys

sys.dont_write_bytecode = True

import json
import os
import struct
import subprocess
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent

# The distance of two neighbouring singles, relative to them, at most.
SINGLE = Decimal(2) ** -23


def agrees(printed, value, decimals, allow):
    if printed in ("inf", "-inf", "nan") or isinstance(value, str):
        return printed == value
    if allow == "float16":
        return half(printed) == half(value)
    written, exact = Decimal(printed), Decimal(value)
    if allow == "float64":
        return abs(exact - written) <= abs(written) * Decimal("1e-13") + Decimal("1e-15")
    unit = Decimal(1).scaleb(-decimals if decimals is not None else written.as_tuple().exponent)
    if allow == "float32" and abs(exact - written) <= abs(exact) * 2 * SINGLE:
        return True
    return any(exact.quantize(unit, rounding) == written for rounding in (ROUND_HALF_UP, ROUND_HALF_EVEN))


def half(number):
    return struct.pack("<e", float(number))


def compare(printed, got, decimals, allow, index=()):
    """Yields (index, printed, got) of every number that differs."""
    if printed is None:
        return
    if isinstance(printed, dict):
        for place, number in printed.items():
            places = [int(k) for k in place.split(",")]
            cell = got
            for k in places:
                cell = cell[k - 1]
            yield from compare(number, cell, decimals, allow, tuple(places))
    elif not isinstance(printed, list):
        if isinstance(got, list) or not agrees(printed, got, decimals, allow):
            yield index, printed, got
    elif not isinstance(got, list) or len(printed) != len(got):
        yield index, f"{len(printed)} entries", got
    else:
        for k, (p, g) in enumerate(zip(printed, got)):
            yield from compare(p, g, decimals, allow, index + (k + 1,))


def numbers_in(printed):
    if isinstance(printed, dict):
        return len(printed)
    if isinstance(printed, list):
        return sum(numbers_in(p) for p in printed)
    return 0 if printed is None else 1


def faults_of(published, attn):
    problem = published["problem"]
    if isinstance(problem, str):
        problem = json.loads((ROOT / problem).read_text(encoding="utf-8"))
    for key in published.get("without", []):
        del problem[key]
    run = subprocess.run([attn, "run", "-", "--format", "json"], input=json.dumps(problem), capture_output=True,
                         encoding="utf-8")
    if run.returncode != 0:
        return [f"attn ended with {run.returncode}: {run.stderr.strip()}"]
    steps = {step["id"]: step["data"] for step in json.loads(run.stdout)["steps"]}
    faults = []
    for name, printed in published["steps"].items():
        if name not in steps:
            faults.append(f"the trace has no step {name}")
            continue
        decimals = published.get("decimals", {}).get(name)
        for index, wanted, got in compare(printed, steps[name], decimals, published.get("allow")):
            faults.append(f"{name}[{','.join(map(str, index))}]: printed {wanted}, got {got}")
    return faults


def main():
    if len(sys.argv) != 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    attn = os.path.abspath(sys.argv[1])
    passed = failed = 0
    for path in sorted(HERE.glob("*.json")):
        published = json.loads(path.read_text(encoding="utf-8"))
        count = sum(numbers_in(step) for step in published["steps"].values())
        faults = faults_of(published, attn)
        if not faults:
            passed += 1
            print(f"ok    {path.stem}: {count} numbers")
            continue
        failed += 1
        print(f"FAIL  {path.stem} ({published['source']})")
        for fault in faults[:5]:
            print(f"      {fault}")
        if len(faults) > 5:
            print(f"      … and {len(faults) - 5} more")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
