#!/usr/bin/env python3
"""Prints the figures that docs/checking.md gives of `attn check`: how many hand-ins were tried,
and how many of them were marked falsely.

    check_figures.py build/default/attn --honest 20000 --wrong 10000 --per 4
"""

import sys

sys.dont_write_bytecode = True

import argparse
import os
import tempfile
from collections import Counter, defaultdict

import check_agree
import check_wrong
from program import SKIPPED, default_program, missing

LEAST = 0.9  # of the decidable hand-ins of a rule


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("attn", nargs="?", default=default_program(), help="the program to measure")
    parser.add_argument("--honest", type=int, default=20000, help="hand-ins without a mistake")
    parser.add_argument("--wrong", type=int, default=10000, help="hand-ins with one thing changed")
    parser.add_argument("--per", type=int, default=4, help="problems in which each known mistake is made")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if missing(options.attn):
        return SKIPPED
    seed = ["--seed", str(options.seed)]
    with tempfile.TemporaryDirectory(prefix="attn-figures-") as folder:
        agreed = check_agree.measured(check_agree.arguments().parse_args(
            [options.attn, "--honest", str(options.honest), "--per", str(options.per), "--processes", "1", *seed,
             "--keep", os.path.join(folder, "agree")]))
        changed = check_wrong.measured(check_wrong.arguments().parse_args(
            [options.attn, "--tries", str(options.wrong), *seed, "--keep", os.path.join(folder, "wrong")]))
    tell(figures(agreed, changed), weak(agreed))
    return 0


def figures(agreed, changed):
    """(what was handed in, how many, what was counted, how many of them)."""
    honest = [row[3] for row in agreed if row[0] is None]
    mistaken = [row[3] for row in agreed if row[0] is not None and row[3] != "undecidable"]
    differing = [outcome for _, outcome, _ in changed if outcome != "thrown away"]
    yield "nothing wrong", len(honest), "called wrong", honest.count("honest called wrong")
    yield "one thing wrong", len(differing), "called right", differing.count("called right")
    yield "one thing wrong", len(differing), "another first wrong step", differing.count("other first step")
    yield "a known mistake", len(mistaken), "called right", mistaken.count("called right")
    yield "a known mistake", len(mistaken), "named", mistaken.count("hit")


def weak(agreed):
    """(rule, hits, decidable hand-ins) of the rules that are named too seldom."""
    counted = defaultdict(Counter)
    for name, _, _, outcome, _ in agreed:
        if name is not None and outcome != "undecidable":
            counted[name][outcome == "hit"] += 1
    return [(name, found[True], sum(found.values())) for name, found in sorted(counted.items())
            if found[True] < LEAST * sum(found.values())]


def tell(rows, seldom):
    print("| handed in | hand-ins | of these | |")
    print("| --- | --- | --- | --- |")
    for what, count, counted, found in rows:
        share = f" ({check_agree.share(found, count)})" if counted == "named" else ""
        print(f"| {what} | {count:,} | {counted} | {found:,}{share} |")
    if seldom:
        print("named less often than nine times of ten: "
              + ", ".join(f"{name} {hits}/{count}" for name, hits, count in seldom))


if __name__ == "__main__":
    sys.exit(main())
