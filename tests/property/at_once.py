#!/usr/bin/env python3
"""Holds attention at once against the same attention step by step, on generated problems.

With --at-once the program computes the result alone, without the steps between, where it
can (the trace then says so in a note). On problems of every option, in f64 and f32, with
every instruction set of this machine and from 1 to 16 threads:

- the result has the shape of the traced one, and NaN, infinities and closed rows where it has;
- in f64 it lies within rounding of the traced one; in f32 it is at most twice as far from the
  exact result as single precision step by step is, or within rounding of it;
- the number of threads changes no bit.

    at_once.py --attn build/default/attn --count 2000 --seed 1
"""

import sys

sys.dont_write_bytecode = True

import argparse
import json
import math
import multiprocessing
import subprocess

import generate
from nested import flat
from program import SKIPPED, Program, ProgramFailed, add_program_option, missing
from recorded import read_number

THREADS = (1, 2, 3, 5, 8, 16)
UNIT = {"f64": 2.0**-53, "f32": 2.0**-24}
PROGRAM = None
SETS = None


def start(path, sets):
    global PROGRAM, SETS
    PROGRAM, SETS = Program(path), sets


def instruction_sets(path):
    """What this machine has, as the program's own complaint lists it."""
    said = subprocess.run([path, "demo", "--instructions", "none-of-them"], capture_output=True, text=True).stderr
    return said.split("--instructions takes ")[1].split("\n")[0].replace(" or ", ", ").replace(",,", ",").split(", ")


def numbers(step):
    return [read_number(number) for number in flat(step["data"])]


def step_named(trace, *ids):
    return next((step for id in ids for step in trace["steps"] if step["id"] == id), None)


def largest(step):
    return max((abs(number) for number in numbers(step) if math.isfinite(number)), default=0.0) if step else 0.0


def rounding(trace, problem, dtype):
    """How far from the exact result an honest computation of these numbers may end."""
    keys = step_named(trace, "all_keys", "rotated_keys", "keys")
    queries = step_named(trace, "score_queries", "rotated_queries", "queries")
    width = keys["shape"][-1] + keys["shape"][-2]
    score = max(width * largest(keys) * largest(queries) * abs(problem.get("scale", 1.0)),
                largest(step_named(trace, "scores")), largest(step_named(trace, "score_bias")), 1.0)
    size = largest(step_named(trace, "all_values", "values"))
    if step_named(trace, "output"):
        size *= largest_of_output(problem) * step_named(trace, "output")["shape"][-1] * 64
    return 8 * UNIT[dtype] * (width + 4) * (1 + score) * max(size, 1e-300)


def largest_of_output(problem):
    output = problem["weights"]["output"]
    return max([abs(number) for number in flat(output) if isinstance(number, (int, float))], default=0) \
        if isinstance(output, list) else 100.0


def furthest(found, exact):
    """The largest difference; infinite where one is no number, or another infinity, and the other is not."""
    worst = 0.0
    for a, b in zip(found, exact):
        if a == b or (math.isnan(a) and math.isnan(b)):
            continue
        difference = abs(a - b)
        worst = max(worst, difference if math.isfinite(difference) else math.inf)
    return worst


def check(seed):
    """(seed, how many results were computed at once, faults)"""
    problem = generate.generate(seed)
    problem.pop("hand_rounding", None)
    try:
        return (seed, *check_problem(problem, seed))
    except ProgramFailed as error:
        return seed, 0, [(str(error), problem)]


def check_problem(problem, seed):
    exact = PROGRAM.trace(problem, "--dtype", "f64")
    held, faults = 0, []
    for dtype in ("f64", "f32"):
        steps = exact if dtype == "f64" else PROGRAM.trace(problem, "--dtype", dtype)
        wanted = numbers(steps["steps"][-1])
        instructions = SETS[seed % len(SETS)]
        runs = [PROGRAM.trace(problem, "--dtype", dtype, "--at-once", "--instructions", instructions,
                              "--threads", str(threads))
                for threads in (THREADS[seed % len(THREADS)], THREADS[(seed + 1) % len(THREADS)])]
        once = runs[0]
        if not any(note["kind"] == "at_once" for note in once["notes"]):
            continue
        held += 1
        found = numbers(once["steps"][-1])
        where = f"{dtype}, {instructions}"
        if once["steps"][-1]["shape"] != steps["steps"][-1]["shape"]:
            faults.append((f"{where}: another shape", problem))
            continue
        if runs[0] != runs[1]:
            faults.append((f"{where}: the number of threads changes the result", problem))
        bound = rounding(exact, problem, dtype)
        if dtype == "f32":
            bound = max(bound, 2 * furthest(wanted, numbers(exact["steps"][-1])))
            wanted = numbers(exact["steps"][-1])
        if not furthest(found, wanted) <= bound:
            faults.append((f"{where}: {furthest(found, wanted)} from the steps, where {bound} is rounding", problem))
        closed = [[note["index"] for note in trace["notes"] if note["kind"] == "closed_row"] for trace in (once, steps)]
        if closed[0] != closed[1]:
            faults.append((f"{where}: closed rows {closed[0]}, step by step {closed[1]}", problem))
    return held, faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add_program_option(parser)
    parser.add_argument("--count", type=int, default=2000, help="how many problems")
    parser.add_argument("--seed", type=int, default=1, help="the first of them")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    if missing(options.attn):
        return SKIPPED
    sets = instruction_sets(options.attn)
    held = failed = 0
    seeds = range(options.seed, options.seed + options.count)
    with multiprocessing.Pool(options.processes, start, (options.attn, sets)) as pool:
        for seed, at_once, faults in pool.imap(check, seeds, chunksize=8):
            held += at_once
            for why, problem in faults:
                failed += 1
                if failed <= 5:
                    print(f"FAILED: problem {seed}: {why}\n    {json.dumps(problem, ensure_ascii=False)}\n")
    print(f"{held} results at once, with {', '.join(sets)}; {failed} failed")
    if held < options.count / 2:
        print("so few of the problems were computed at once that this shows little")
        failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
