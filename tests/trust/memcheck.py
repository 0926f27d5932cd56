#!/usr/bin/env python3
"""Runs the tests of units and every command of the documents under valgrind, which sees what is read and was never
written.

    memcheck.py BUILD [--jobs N] [--json FILE]

A test that fails, and of which valgrind says nothing, is not counted as failed: numbers of 80 bits have 64 there, and
everything takes thirty times as long.
"""

import sys

sys.dont_write_bytecode = True

import argparse
import glob
import json
import os
import re
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

from mutate import names_of_tests

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))
AT_ONCE = 12  # tests, of which starting alone would take longer than they do
SECONDS = 3600
LEAST_COMMANDS = 100  # of those that the documents have, some more than once


def valgrind(log):
    # A test that counts allocations has an operator new of its own, which valgrind takes for another.
    return ["valgrind", "--quiet", "--leak-check=full", "--show-leak-kinds=definite", "--show-mismatched-frees=no",
            f"--log-file={log}"]


def said_in(pattern):
    """What valgrind has written to files of that name."""
    said = []
    for path in sorted(glob.glob(pattern)):
        with open(path, encoding="utf-8", errors="replace") as file:
            said.append(file.read())
    return "".join(said)


class Units:
    """The tests of attn_tests, some in each process."""

    def __init__(self, build, folder):
        self.program = os.path.join(build, "tests", "attn_tests")
        self.folder = folder
        listed = subprocess.run([self.program, "--list-test-names-only"], capture_output=True, text=True).stdout
        self.names = names_of_tests(listed)
        if not self.names:
            sys.exit(f"memcheck: {self.program} lists no tests")

    def run(self, first):
        """What was said against those from `first` on, "" where nothing was."""
        chosen, log = (os.path.join(self.folder, f"{first}.{what}") for what in ("names", "log"))
        names = self.names[first: first + AT_ONCE]
        with open(chosen, "w", encoding="utf-8") as file:
            file.write("\n".join(names) + "\n")
        try:
            done = subprocess.run([*valgrind(log), self.program, "-f", chosen], cwd=ROOT, capture_output=True, text=True,
                                  errors="replace", timeout=SECONDS)
            ended = "" if done.returncode >= 0 and re.search("passed|failed", done.stdout) else "ended before its end"
        except subprocess.TimeoutExpired:
            ended = "never ended"
        said = said_in(log) or ended
        print(f"{first + len(names)} of {len(self.names)} tests of units{': ' if said else ''}{said}", flush=True)
        return f"one of {'; '.join(names)}: {said}" if said else ""


def commands(build, folder):
    """How many commands of the documents valgrind has watched, and what it said."""
    program, log = os.path.join(folder, "attn"), os.path.join(folder, "command")
    watched = " ".join(valgrind(f"{log}.%p"))
    with open(program, "w", encoding="utf-8") as file:
        file.write(f'#!/bin/sh\nexec {watched} {os.path.abspath(os.path.join(build, "attn"))} "$@"\n')
    os.chmod(program, 0o755)
    subprocess.run([sys.executable, os.path.join(ROOT, "tests", "docs", "run_examples.py"), program, ROOT])
    count, said = len(glob.glob(f"{log}.*")), said_in(f"{log}.*")
    return count, said if count >= LEAST_COMMANDS else said + f"only {count} commands of the documents were run"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        units = Units(os.path.abspath(options.build), folder)
        with ThreadPoolExecutor(options.jobs + 1) as pool:
            by_documents = pool.submit(commands, options.build, folder)
            said = [against for against in pool.map(units.run, range(0, len(units.names), AT_ONCE)) if against]
            count, against = by_documents.result()
    if against:
        said.append(against)
    print(f"{len(units.names)} tests of units and {count} commands of the documents; {len(said)} findings")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"units": len(units.names), "commands": count, "said": said}, file, indent=1)
            file.write("\n")
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
