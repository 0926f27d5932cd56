#!/usr/bin/env python3
"""Which lines and branches the tests reach, from what a build that counts has written.

    coverage.py build/coverage [--json FILE] [--missing src/mark]

./dev coverage makes such a build and runs the tests in it. Counted are the sources of src but for those that
uncovered.txt leaves out, each with the reason.
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


def tool(name):
    """The newest of Debian's, which have the version in their names."""
    found = shutil.which(name) or next(iter(sorted(glob.glob(f"/usr/bin/{name}-*"), reverse=True)), None)
    if not found:
        sys.exit(f"coverage: no {name}: install llvm")
    return found


def left_out():
    """Patterns of files, and why."""
    with open(os.path.join(HERE, "uncovered.txt"), encoding="utf-8") as file:
        return dict(line.rstrip("\n").split(": ", 1) for line in file if line.strip() and not line.startswith("#"))


def counted(name, patterns):
    return name.startswith("src/") and not any(fnmatch.fnmatch(name, pattern) for pattern in patterns)


def exported(build, *options):
    merged = os.path.join(build, "all.profdata")
    raw = glob.glob(os.path.join(build, "raw", "*.profraw"))
    subprocess.run([tool("llvm-profdata"), "merge", "-sparse", "-o", merged, *raw], check=True)
    programs = [path for path in (os.path.join(build, name) for name in PROGRAMS) if os.path.exists(path)]
    objects = [word for path in programs[1:] for word in ("-object", path)]
    return subprocess.run([tool("llvm-cov"), *options, f"-instr-profile={merged}", programs[0], *objects],
                          capture_output=True, check=True).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--missing", metavar="PREFIX", help="the lines of these files that no test reaches")
    options = parser.parse_args()
    patterns = left_out()
    if options.missing:
        for line in exported(options.build, "show", "--show-branches=count").decode("utf-8", "replace").split("\n"):
            if line.startswith("/"):
                name = os.path.relpath(line.rstrip(":"), ROOT)
                showing = name.startswith(options.missing) and counted(name, patterns)
                if showing:
                    print(name)
            elif showing and ("|      0|" in line or ("Branch" in line and ": 0" in line)):
                print(line)
        return 0
    total, areas = Counter(), {}
    for file in json.loads(exported(options.build, "export", "-summary-only"))["data"][0]["files"]:
        name = os.path.relpath(file["filename"], ROOT)
        if not counted(name, patterns):
            continue
        area = areas.setdefault(name.split("/")[1], Counter())
        for kind in ("lines", "branches", "functions"):
            for counter in (area, total):
                counter[kind] += file["summary"][kind]["count"]
                counter[kind + " reached"] += file["summary"][kind]["covered"]
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
