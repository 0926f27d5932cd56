#!/usr/bin/env python3
"""Writes docs/trust.md from what the long checks found (evidence/), so that no figure in it is typed by hand.

    report.py > docs/trust.md
"""

import sys

sys.dont_write_bytecode = True

import json
import os

HERE = os.path.dirname(os.path.abspath(__file__))
EVIDENCE = os.path.join(HERE, "evidence")


def evidence(name):
    path = os.path.join(EVIDENCE, name + ".json")
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def number(count):
    return f"{count:,}"


def duration(seconds):
    if seconds < 120:
        return f"{seconds} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return lines + ["| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |" for row in rows] + [""]


def source(kept):
    verdict = "" if kept["passed"] else " **It did not pass.**"
    return [f"Measured on {kept['date']} at {kept['commit']}, {kept['machine']}, in {duration(kept['seconds'])}: "
            f"`{kept['command']}`.{verdict}", ""]


def same_bits(kept):
    found = kept["found"]
    builds = len({line.split()[0] for line in found["configurations"]})
    return [f"{number(found['problems'])} generated problems were computed in {len(found['configurations'])} "
            f"configurations: {builds} builds, each with every instruction set and with 1 to 16 threads. "
            f"{number(found['differing'])} of them had other bits anywhere. The hashes:", "",
            *table(("what", "SHA-256 over all numbers"), [(kind, f"`{hash}`") for kind, hash in found["hashes"].items()]),
            *source(kept)]


def every_build(kept):
    """Of many_bits.py --traced: whoever built them called each folder by its compiler and flags."""
    found = kept["found"]
    names = [line.split()[0].split("/")[1] for line in found["configurations"]]
    return [f"{number(found['problems'])} generated problems were computed by {len(names)} builds, with 1 to 16 threads: "
            f"{', '.join(f'`{name}`' for name in names)}. {number(found['differing'])} of them had other bits anywhere: "
            f"one hash, `{found['hashes']['traced']}`.", "", *source(kept)]


def digits(kept):
    def worst(row):
        return f"{row['worst_ulp']:.5f}" if "worst_ulp" in row else ""

    return [*table(("what", "claim", "cases", "wrong", "worst, in ulps"),
                   [(row["what"], row["claim"], number(row["cases"]), number(row["wrong"]), worst(row))
                    for row in kept["found"]]), *source(kept)]


def bounds(kept):
    found = kept["found"]
    rows = [(name, number(row["cells"]), number(row["violations"]), f"{row['own']:.2f}")
            for name, row in found["operations"].items() if row["cells"] > 0]
    return [f"{number(found['cells'])} cells of {number(sum(found['cases'].values()))} problems of "
            f"{len(found['cases'])} hard families ({', '.join(found['cases'])}) were compared with what MPFR makes of the "
            f"numbers that each reads: {number(found['violations'])} were farther off than `--bounds` says.", "",
            *table(("operation", "cells", "beyond the bound", "largest share of the bound"), rows), *source(kept)]


def faults(kept):
    found = kept["found"]
    rows = [(kind, *(number(row.get(word, 0)) for word in ("failed", "refused", "done", "killed")))
            for kind, row in found["kinds"].items()]
    return [f"In {len(found['commands'])} commands {number(found['calls_failed'])} calls were made to fail, one a run.", "",
            *table(("call", "failed", "refused, and said", "done all the same", "killed, nothing in part"), rows),
            *source(kept)]


def fuzzing(kept):
    rows = [(row["harness"], number(row["executions"]), duration(round(row["seconds"])), len(row["findings"]))
            for row in kept["found"]]
    total = sum(row["executions"] for row in kept["found"])
    return [f"{number(total)} inputs, in all runs of one build together. What was found is mended, and its files are in "
            "`tests/fuzz/found/`.", "", *table(("harness", "executions", "time", "findings"), rows), *source(kept)]


def tests(kept):
    found = kept["found"]
    lines = [f"{number(found['passed'])} tests passed, {number(len(found['failed']))} failed.", ""]
    for kind, what in (("failed", "Failed"), ("skipped", "Not run")):
        if found[kind]:
            lines += [f"{what}: {'; '.join(found[kind])}.", ""]
    return lines + source(kept)


def memory(kept):
    found = kept["found"]
    return [f"{number(found['units'])} tests of units and {number(found['commands'])} commands of the documents were "
            f"watched; {number(len(found['said']))} findings.", "",
            *[f"- {said}" for said in found["said"]], *([""] if found["said"] else []), *source(kept)]


def mutation(kept):
    areas = {}
    for one in kept["found"]["defects"]:
        if one["noticed_by"] is not None:
            area = areas.setdefault(one["area"], [0, 0])
            area[0] += 1
            area[1] += bool(one["noticed_by"])
    rows = [(name, planted, noticed, f"{100 * noticed / planted:.0f} %") for name, (planted, noticed) in areas.items()]
    missed = [one for one in kept["found"]["defects"] if one["noticed_by"] == ""]
    lines = table(("where", "planted", "noticed", "share"), rows)
    if missed:
        lines += ["Not noticed:", "", *[f"- `{one['file']}:{one['line']}`: `{one['from']}` → `{one['to']}`"
                                        for one in missed], ""]
    return lines + source(kept)


def coverage(kept):
    def shares(counts):
        """Rounded down: all is said where it is all."""
        return [f"{10_000 * counts[kind + ' reached'] // max(1, counts[kind]) / 100:.2f} % of {number(counts[kind])}"
                for kind in ("lines", "branches")]

    found = kept["found"]
    rows = [(name, *shares(counts)) for name, counts in [*sorted(found["areas"].items()), ("together", found["together"])]]
    return [*table(("folder of src", "lines", "branches"), rows), "Left out:", "",
            *[f"- `{pattern}`: {why}" for pattern, why in found["left_out"].items()], "", *source(kept)]


SECTIONS = [
    ("bits", "The same bits everywhere", same_bits,
     "The traced core gives the same bits from every compiler, at every optimisation, with every instruction set, for\n"
     "any number of threads; the fused core gives the same within one instruction set."),
    ("builds", "At every optimisation", every_build,
     "Every number of every step, from both compilers."),
    ("arm64", "On another kind of processor", same_bits,
     "The same problems on arm64, emulated."),
    ("digits", "Right digits", digits,
     "Functions are held against the exact values, what is printed against what it is read back as."),
    ("bounds", "Right to the digits that are said", bounds,
     "Of every number the program can say how far it is from the exact one (`attn run --bounds`)."),
    ("fuzz", "Inputs that nobody thought of", fuzzing,
     "What libFuzzer made up, under the sanitizers ([testing.md](testing.md) says of what the harnesses are)."),
    ("fuzz_fast", "More of them", fuzzing,
     "The readers again without sanitizers, which lets them read several times as many."),
    ("faults", "Calls that fail", faults,
     "Where memory, files, threads or the disk are short the program ends with 3 and says so, or does the work\n"
     "without; no file is left in part."),
    ("addresses", "Every test under sanitizers", tests,
     "Addresses, lifetimes, leaks, and what the language leaves undefined: clang's sanitizers end a test that sees any."),
    ("threads", "The same for threads", tests,
     "ThreadSanitizer ends a test in which two threads are at one place, and nothing orders them."),
    ("memory", "What is read was written", memory,
     "Valgrind sees what is read before anything was written there, and memory that nobody points to any more."),
    ("mutation", "Defects that were planted", mutation,
     "A test suite is worth what it notices. Small defects, one at a time, at places drawn by chance:"),
    ("coverage", "What the tests reach", coverage,
     "Lines and branches of the program that some test runs."),
]


def main():
    lines = ["# Why the numbers can be trusted", "",
             "<!-- Written by tests/trust/report.py from tests/trust/evidence: what is changed here is lost. -->", "",
             "Every figure on this page was counted by a program, and each section says by which. They are checks too",
             "long to run at every change; what runs then are samples of them, and the other tests.", ""]
    for name, title, told, what in SECTIONS:
        kept = evidence(name)
        lines += [f"## {title}", "", what, ""]
        lines += told(kept) if kept else ["Not measured yet.", ""]
    print("\n".join(lines).rstrip())


if __name__ == "__main__":
    main()
