#!/usr/bin/env python3
"""Runs the tests of a build, and counts them.

    count_tests.py BUILD [--jobs N] [--json FILE] [WORDS OF CTEST...]
"""

import sys

sys.dont_write_bytecode = True

import argparse
import json
import os
import subprocess
import tempfile
import xml.etree.ElementTree as ElementTree


def outcome_of(case):
    if case.find("failure") is not None:
        return "failed"
    return "skipped" if case.find("skipped") is not None else "passed"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0], allow_abbrev=False)
    parser.add_argument("build")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--json")
    asked, words = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.xml")
        done = subprocess.run(["ctest", "--test-dir", asked.build, "-j", str(asked.jobs), "--progress",
                               "--output-on-failure", "--output-junit", report, *words])
        cases = [(case.get("name"), outcome_of(case)) for case in ElementTree.parse(report).getroot().iter("testcase")]
    found = {kind: sorted(name for name, outcome in cases if outcome == kind) for kind in ("failed", "skipped")}
    found["passed"] = len(cases) - len(found["failed"]) - len(found["skipped"])
    if asked.json:
        with open(asked.json, "w", encoding="utf-8") as file:
            json.dump(found, file, indent=1)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
