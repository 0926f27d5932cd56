#!/usr/bin/env python3
"""Which lines and branches the tests reach, from what a build that counts has written.

    coverage.py build/coverage [--json FILE] [--missing src/mark]

./dev coverage makes such a build and runs the tests in it. Counted are the sources of src but for those that
uncovered.txt leaves out, each with the reason, for lines of brackets alone, and for the way past all cases of a switch.
"""

import sys

sys.dont_write_bytecode = True

import argparse
import fnmatch
import glob
import json
import os
import shutil
import subprocess
from collections import Counter

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))
PROGRAMS = ("attn", "tests/attn_tests", "tests/attn_mask_tests", "tests/attn_operations", "tests/attn_encode_lines",
            "tests/attn_trace_bits", "tests/attn_digits", "tests/attn_cuda_on_host")
MERGED = "all.profdata"


def tool(name):
    """The newest of Debian's, which have the version in their names."""
    found = shutil.which(name) or next(iter(sorted(glob.glob(f"/usr/bin/{name}-*"), reverse=True)), None)
    if not found:
        sys.exit(f"coverage: no {name}: install llvm")
    return found


def instruction_sets():
    """What this processor calls what it has, where it says so."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return set(file.read().split())
    except OSError:
        return set()


def left_out():
    """Patterns of files, perhaps with one of lines ("src/*: return;"), and why. Those that begin with an instruction
    set ("[avx512f] src/*") are counted where this processor has it."""
    had = {f"[{name}]" for name in instruction_sets()}
    with open(os.path.join(HERE, "uncovered.txt"), encoding="utf-8") as file:
        rows = [line.rstrip("\n").rsplit("  # ", 1) for line in file if "  # " in line]
    return {pattern.split("] ")[-1]: why for pattern, why in rows if pattern.split(" ")[0] not in had}


def counted(name, patterns):
    return name.startswith("src/") and not any(fnmatch.fnmatch(name, pattern) for pattern in patterns if ": " not in pattern)


def is_behind_switch(lines, at):
    """Whether line `at` is what a function returns behind a switch that names every case, which compilers ask for."""
    indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    above = at - 1
    while above > 0 and lines[above].strip() == "assert(false);":
        above -= 1
    if not lines[at].lstrip().startswith("return") or lines[above] != indent + "}":
        return False
    # What stands as far in as the brace, or less, and before it: a switch, or else a loop or a condition.
    opening = next((line for line in reversed(lines[:above]) if line.strip() and not line.startswith(indent + " ")), "")
    return opening.startswith(indent + "switch (")


class Source:
    """The text of a file, of which some lines cannot be run."""

    def __init__(self, name, patterns):
        with open(os.path.join(ROOT, name), encoding="utf-8") as file:
            self.lines = file.read().split("\n")
        words = [pattern.split(": ", 1) for pattern in patterns if ": " in pattern]
        self.never = [word for files, word in words if fnmatch.fnmatch(name, files)]

    def counts(self, line):
        text = self.lines[line - 1]
        is_brackets = not any(character.isalnum() for character in text)
        return not is_brackets and not any(word in text for word in self.never) and not is_behind_switch(self.lines, line - 1)

    def counts_side(self, line, column, _):
        """Of a `switch` the compiler counts as well how often no case was the one: where there is no default, each is named."""
        return self.counts(line) and not self.lines[line - 1][: column - 1].endswith("switch (")


def merge(build):
    raw = glob.glob(os.path.join(build, "raw", "*.profraw"))
    subprocess.run([tool("llvm-profdata"), "merge", "-sparse", "-o", os.path.join(build, MERGED), *raw], check=True)


def exported(build, *options):
    programs = [path for path in (os.path.join(build, name) for name in PROGRAMS) if os.path.exists(path)]
    objects = [word for path in programs[1:] for word in ("-object", path)]
    return subprocess.run([tool("llvm-cov"), *options, f"-instr-profile={build}/{MERGED}", programs[0], *objects],
                          capture_output=True, check=True).stdout.decode("utf-8", "replace")


def lines_of(build):
    """{file: {line: how often it was run}}; what was made of one template counts together."""
    found, lines = {}, None
    for record in exported(build, "export", "-format=lcov").split("\n"):
        if record.startswith("SF:"):
            lines = found.setdefault(os.path.relpath(record[3:], ROOT), {})
        elif record.startswith("DA:"):
            line, count = record[3:].split(",")[:2]
            lines[int(line)] = int(count)
    return found


def branches_of(build, lines):
    """{file: {(line, column, side): how often it was taken}}, again of all that was made of one template.

    What the compiler knows (`if constexpr`, `while (true)`) is no branch: it has no counters, though its line is run and
    nothing else on it is left out.
    """
    found = {}
    for file in json.loads(exported(build, "export", "-skip-functions", "-skip-expansions"))["data"][0]["files"]:
        branches = found.setdefault(os.path.relpath(file["filename"], ROOT), Counter())
        for line, column, _, _, taken, passed, *_ in file["branches"]:
            branches[line, column, True] += taken
            branches[line, column, False] += passed
        runs = lines.get(os.path.relpath(file["filename"], ROOT), {})
        for line, column in {place[:2] for place in branches}:
            sides = {place: count for place, count in branches.items() if place[0] == line}
            known = branches[line, column, True] == branches[line, column, False] == 0
            if known and runs.get(line) and all(count or place[1] == column for place, count in sides.items()):
                del branches[line, column, True], branches[line, column, False]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--missing", metavar="PREFIX", help="the places in these files that no test reaches")
    options = parser.parse_args()
    patterns = left_out()
    merge(options.build)
    lines = lines_of(options.build)
    reached = {"lines": lines, "branches": branches_of(options.build, lines)}
    total, areas = Counter(), {}
    for kind, files in reached.items():
        for name, counts in sorted(files.items()):
            if not counted(name, patterns):
                continue
            source = Source(name, patterns)
            counts = {place: count for place, count in counts.items()
                      if count > 0 or (source.counts(place) if kind == "lines" else source.counts_side(*place))}
            for counter in (areas.setdefault(name.split("/")[1], Counter()), total):
                counter[kind] += len(counts)
                counter[kind + " reached"] += sum(count > 0 for count in counts.values())
            if options.missing and name.startswith(options.missing):
                for place in sorted(place for place, count in counts.items() if count == 0):
                    print(f"{name}:" + (f"{place}: not run" if kind == "lines" else
                                        f"{place[0]}:{place[1]}: never {str(place[2]).lower()}"))
    if options.missing:
        return 0
    for name, area in [*sorted(areas.items()), ("together", total)]:
        shares = "  ".join(f"{kind} {area[kind + ' reached']:6} of {area[kind]:6} "
                           f"{100 * area[kind + ' reached'] / max(1, area[kind]):6.2f} %" for kind in ("lines", "branches"))
        print(f"{name:12} {shares}")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"together": total, "areas": areas, "left_out": patterns}, file, indent=1)
            file.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
