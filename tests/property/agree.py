#!/usr/bin/env python3
"""Compares the program with the reference, and with itself, on generated problems.

Every problem is run and its trace compared with the reference's: step ids and
their order, axes, shapes, numbers (1e-12 relative to the natural size of each;
singles and numbers rounded by hand exactly), result, labels and notes. Every
few problems the laws of attention are checked too, where two runs must have
the same bits.

    agree.py --attn build/default/attn --count 2000 --seed 1
    agree.py --show 17               prints problem 17 and what the reference says
"""

import sys

sys.dont_write_bytecode = True

import argparse
import json
import multiprocessing

import compare
import generate
import laws
from program import SKIPPED, Program, ProgramFailed, add_program_option, missing
from reference import as_json, work_out

LAWS_EVERY = 4
SHOWN_FAILURES = 5
PROGRAM = None
NUMBERS = None


def start(path, numbers):
    """Gives each process of the pool a folder of its own."""
    global PROGRAM, NUMBERS
    PROGRAM, NUMBERS = Program(path), numbers


def check(seed):
    """(seed, checks held, faults); a fault is (what, why, problem)."""
    problem = generate.generate(seed, NUMBERS)
    faults, held = [], 0
    try:
        found = compare.differences(problem, PROGRAM.trace(problem))
        faults += [("agrees with the reference", "\n    ".join(found), problem)] if found else []
        held += not found
    except (ProgramFailed, ValueError, KeyError, TypeError) as error:
        faults.append(("gives a trace", f"{type(error).__name__}: {error}", problem))
    if seed % LAWS_EVERY == 0 and not faults:
        law_faults, law_held = check_laws(seed)
        faults += law_faults
        held += law_held
    return seed, held, faults


def check_laws(seed):
    problem = generate.drawn(seed, NUMBERS)
    try:
        found, held = laws.broken(problem, PROGRAM.trace, seed)
        return [(law, fault, problem) for law, fault in found], held
    except ProgramFailed as error:
        return [("a law's problem runs", str(error), problem)], 0


def report(seed, fault):
    what, why, problem = fault
    print(f"FAILED: problem {seed}: {what}\n    {why[:3000]}\n    {json.dumps(problem, ensure_ascii=False)}\n")


def agree(options):
    passed = failed = 0
    seeds = range(options.seed, options.seed + options.count)
    with multiprocessing.Pool(options.processes, start, (options.attn, options.numbers)) as pool:
        for seed, held, faults in pool.imap(check, seeds, chunksize=8):
            passed += held
            for fault in faults:
                failed += 1
                if failed <= options.failures:
                    report(seed, fault)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


def show(seed, numbers):
    problem = generate.generate(seed, numbers)
    print(json.dumps(problem, ensure_ascii=False))
    for step in as_json(work_out(problem))["steps"]:
        print(step["id"], step["axes"], step["shape"], json.dumps(step["data"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add_program_option(parser)
    parser.add_argument("--count", type=int, default=2000, help="how many problems")
    parser.add_argument("--seed", type=int, default=1, help="the first of them")
    parser.add_argument("--numbers", choices=generate.NUMBERS, help="kind of numbers (default: any)")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--failures", type=int, default=SHOWN_FAILURES, help="how many failures to print")
    parser.add_argument("--show", type=int, metavar="SEED", help="print one problem and its reference; run nothing")
    options = parser.parse_args()
    if options.show is not None:
        return show(options.show, options.numbers)
    if missing(options.attn):
        return SKIPPED
    return agree(options)


if __name__ == "__main__":
    sys.exit(main())
