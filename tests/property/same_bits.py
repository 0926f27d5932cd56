#!/usr/bin/env python3
"""One hash over the traces of many generated problems, for each of several programs.

The same problems give the same bits on every machine and from every compiler,
so all hashes are one.

    same_bits.py build/default/attn build/O0/attn build/clang/attn

The hash is also pinned, in same_bits.sha256, so that another kind of machine is
held to it. Only numbers count, not wording; --update pins what is found now.
"""

import sys

sys.dont_write_bytecode = True

import argparse
import hashlib
import json
import os

from generate import generate
from program import SKIPPED, Program, ProgramFailed, missing


PINNED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "same_bits.sha256")


def numbers_of(trace):
    """What of a trace's bytes must be the same everywhere; its digits read back to the same bits."""
    steps = json.loads(trace)["steps"]
    return json.dumps([[step[key] for key in ("id", "axes", "shape", "data")] for step in steps]).encode()


def hash_of(path, seeds):
    """sha256 over every trace's numbers; a refusal counts with its words, so that it shows."""
    program = Program(path)
    total = hashlib.sha256()
    refused = 0
    for seed in seeds:
        try:
            trace = numbers_of(program.trace_bytes(generate(seed)))
        except ProgramFailed as failure:
            trace = str(failure).encode()
            refused += 1
        total.update(len(trace).to_bytes(8, "big") + trace)
    return total.hexdigest(), refused


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("programs", nargs="+", metavar="PROGRAM")
    parser.add_argument("--count", type=int, default=500, help="how many problems")
    parser.add_argument("--seed", type=int, default=1, help="the first of them")
    parser.add_argument("--update", action="store_true", help="pin the hash found")
    options = parser.parse_args()
    if any([missing(path) for path in options.programs]):
        return SKIPPED
    seeds = range(options.seed, options.seed + options.count)
    hashes, failures = set(), 0
    for path in options.programs:
        digest, refused = hash_of(path, seeds)
        hashes.add(digest)
        failures += refused
        print(f"{digest}  {path}" + (f"  ({refused} problems refused)" if refused else ""))
    equal = len(hashes) == 1
    if options.update and equal:
        with open(PINNED, "w", encoding="utf-8") as file:
            file.write(f"{options.seed} {options.count} {digest}\n")
    with open(PINNED, encoding="utf-8") as file:
        seed, count, pinned = file.read().split()
    if (int(seed), int(count)) == (options.seed, options.count) and pinned not in hashes:
        print(f"the pinned hash is {pinned}: other bits than on the machine that pinned it, or other problems")
        equal = False
    print(f"{options.count} problems, {len(options.programs)} programs: "
          + ("all hashes equal" if equal else "hashes differ"))
    return 0 if equal and not failures else 1


if __name__ == "__main__":
    sys.exit(main())
