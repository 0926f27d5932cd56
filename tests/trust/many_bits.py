#!/usr/bin/env python3
"""The same bits over very many generated problems: from every build of attn_trace_bits, every instruction set and
number of threads.

    many_bits.py --count 10000 build/default/tests/attn_trace_bits build/asan/tests/attn_trace_bits

One hash is over every number of every step. Another is over the contexts of the fused core, which adds up in an order
that differs between instruction sets: there is one a set, the same from every build and for any threads. The first
problem that differs is written to the standard output. --json FILE keeps what was found.
"""

import sys

sys.dont_write_bytecode = True

import argparse
import hashlib
import json
import os
import platform
import subprocess
import time
from concurrent.futures import ProcessPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "property"))

from generate import generate
from program import SKIPPED, missing

THREADS = (1, 2, 3, 5, 8, 16)
CHUNK = 1000


def instruction_sets(program):
    return subprocess.run([program, "--list-instructions"], capture_output=True, text=True, check=True).stdout.split()


def configurations(programs):
    """What is run, and which hash it belongs to."""
    made = []
    for program in programs:
        for name in instruction_sets(program):
            arguments = [program, "--instructions", name]
            # What a compiler may use anyway, which is another set with other flags.
            fused = f"fused, baseline of {program}" if name == "baseline" else f"fused, {name}"
            # Twice: with two numbers of threads.
            made += [("traced", arguments), *[(fused, [*arguments, "--result-only"])] * 2]
    return made


def problems_of(first):
    return "".join(json.dumps(generate(seed)) + "\n" for seed in range(first, first + CHUNK)).encode()


def lines_of(arguments, threads, problems):
    return subprocess.run([*arguments, "--threads", str(threads)], input=problems, capture_output=True,
                          check=True).stdout


def compare(programs, first):
    """The lines of each hash over one chunk, and what differs."""
    problems = problems_of(first)
    expected, differing = {}, []
    for at, (kind, arguments) in enumerate(configurations(programs)):
        threads = THREADS[(first // CHUNK + at) % len(THREADS)]
        lines = lines_of(arguments, threads, problems)
        if lines.count(b"\n") != CHUNK:
            differing.append(f"{' '.join(arguments)}: {lines.count(bytes([10]))} lines for {CHUNK} problems")
        wanted = expected.setdefault(kind, lines)
        for seed, (ours, theirs) in enumerate(zip(lines.split(b"\n"), wanted.split(b"\n")), first):
            if ours != theirs:
                differing.append(f"seed {seed}: {' '.join(arguments)} --threads {threads}: {ours.decode()}, "
                                 f"not {theirs.decode()} ({kind})")
                break
    return expected, expected["traced"].count(b"refused"), differing


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("programs", nargs="+", metavar="TRACE_BITS")
    parser.add_argument("--count", type=int, default=10000, help="how many problems, in thousands")
    parser.add_argument("--seed", type=int, default=1, help="the first of them")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", metavar="FILE", help="keep what was found")
    options = parser.parse_args()
    if any([missing(path) for path in options.programs]):
        return SKIPPED
    begin = time.time()
    firsts = range(options.seed, options.seed + options.count, CHUNK)
    hashes, refused, differing = {}, 0, []
    with ProcessPoolExecutor(options.jobs) as pool:
        for at, (lines, no, differs) in enumerate(pool.map(compare, [options.programs] * len(firsts), firsts), 1):
            for kind, text in lines.items():
                hashes.setdefault(kind, hashlib.sha256()).update(text)
            refused += no
            differing += differs
            for line in differs:
                print(line, flush=True)
            if at % 20 == 0:
                print(f"{at * CHUNK} problems, {len(differing)} differ", flush=True)
    for kind, total in hashes.items():
        print(f"{total.hexdigest()}  {kind}")
    count = len(firsts) * CHUNK
    print(f"{count} problems, {refused} refused, {len(configurations(options.programs))} configurations: "
          + ("all bits equal" if not differing else f"{len(differing)} differ"))
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"problems": count, "seed": options.seed, "refused": refused, "differing": len(differing),
                       "seconds": round(time.time() - begin), "machine": platform.machine(),
                       "configurations": [" ".join(words) for _, words in configurations(options.programs)],
                       "hashes": {kind: total.hexdigest() for kind, total in hashes.items()}}, file, indent=1)
            file.write("\n")
    return 1 if differing or refused else 0


if __name__ == "__main__":
    sys.exit(main())
