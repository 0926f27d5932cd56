#!/usr/bin/env python3
"""The same bits over very many generated problems: from every build of attn_trace_bits, every instruction set and
number of threads.

    many_bits.py --count 10000 build/default/tests/attn_trace_bits build/asan/tests/attn_trace_bits

One hash is over every number of every step. Another is over the contexts of the fused core, which adds up in an order
that differs between instruction sets: there is one a set, the same from every build and for any threads. The first
problem that differs is written to the standard output. --traced computes the first hash alone, once for each build:
for many builds. --json FILE keeps what was found, and goes on where that has stopped: of what was compared before, the
hash alone is computed again, by one build.
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


def configurations(programs, only_traced=False):
    """What is run, and which hash it belongs to."""
    if only_traced:
        return [("traced", [program]) for program in programs]
    made = []
    for program in programs:
        for name in instruction_sets(program):
            arguments = [program, "--instructions", name]
            # What a compiler may use anyway, which is another set with other flags.
            fused = f"fused, baseline of {program}" if name == "baseline" else f"fused, {name}"
            # Twice: with two numbers of threads.
            made += [("traced", arguments), *[(fused, [*arguments, "--result-only"])] * 2]
    return made


def first_of_each(configured):
    """One for each hash."""
    return list({kind: (kind, arguments) for kind, arguments in reversed(configured)}.values())


def problems_of(first):
    return "".join(json.dumps(generate(seed)) + "\n" for seed in range(first, first + CHUNK)).encode()


def lines_of(arguments, threads, problems):
    return subprocess.run([*arguments, "--threads", str(threads)], input=problems, capture_output=True,
                          check=True).stdout


def compare(configured, first):
    """The lines of each hash over one chunk, and what differs."""
    problems = problems_of(first)
    expected, differing = {}, []
    for at, (kind, arguments) in enumerate(configured):
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


def found_before(options, configured):
    """What FILE says of the same comparison; of nothing where it says of none."""
    before = {"problems": 0, "refused": 0, "differing": 0, "seconds": 0}
    if options.json and os.path.exists(options.json):
        with open(options.json, encoding="utf-8") as file:
            before = json.load(file)
        if (before["seed"], before["configurations"]) != (options.seed, configured):
            sys.exit(f"{options.json} says of other builds or other problems")
    return before


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("programs", nargs="+", metavar="TRACE_BITS")
    parser.add_argument("--count", type=int, default=10000, help="how many problems, in thousands")
    parser.add_argument("--seed", type=int, default=1, help="the first of them")
    parser.add_argument("--traced", action="store_true", help="the steps alone, once for each build")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", metavar="FILE", help="keep what was found; goes on where that has stopped")
    options = parser.parse_args()
    if any([missing(path) for path in options.programs]):
        return SKIPPED
    configured = configurations(options.programs, options.traced)
    firsts = range(options.seed, options.seed + options.count, CHUNK)
    names = [" ".join(words) for _, words in configured]
    found = found_before(options, names)
    compared, begin = found["problems"], time.time() - found["seconds"]
    found |= {"seed": options.seed, "machine": platform.machine(), "configurations": names}
    run = [first_of_each(configured) if first < options.seed + compared else configured for first in firsts]
    hashes = {}
    with ProcessPoolExecutor(options.jobs) as pool:
        for at, (lines, refused, differs) in enumerate(pool.map(compare, run, firsts), 1):
            for kind, text in lines.items():
                hashes.setdefault(kind, hashlib.sha256()).update(text)
            for line in differs:
                print(line, flush=True)
            if at * CHUNK <= compared:
                continue
            found |= {"problems": at * CHUNK, "refused": found["refused"] + refused,
                      "differing": found["differing"] + len(differs), "seconds": round(time.time() - begin),
                      "hashes": {kind: total.hexdigest() for kind, total in hashes.items()}}
            if at % 20 == 0:
                print(f"{found['problems']} problems, {found['differing']} differ", flush=True)
            if options.json and (at % 20 == 0 or at == len(firsts)):
                with open(options.json, "w", encoding="utf-8") as file:
                    json.dump(found, file, indent=1)
                    file.write("\n")
    for kind, total in hashes.items():
        print(f"{total.hexdigest()}  {kind}")
    print(f"{found['problems']} problems, {found['refused']} refused, {len(configured)} configurations: "
          + (f"{found['differing']} differ" if found["differing"] else "all bits equal"))
    return 1 if found["differing"] or found["refused"] else 0


if __name__ == "__main__":
    sys.exit(main())
