"""What the conformance tests share: where problems are run, and how results are told."""

import argparse
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "property"))

from program import SKIPPED, Program, ProgramFailed, add_program_option, missing  # noqa: E402
from reference import as_json, depth, transposed, work_out  # noqa: E402, F401


class Reference:
    """Stands in for the program, to test the translation where no program is built."""

    def trace(self, problem):
        return as_json(work_out(problem))


def parsed_options(description, what):
    parser = argparse.ArgumentParser(description=description)
    add_program_option(parser)
    parser.add_argument("--reference", action="store_true", help="run the reference instead of the program")
    parser.add_argument("--cases", required=True, metavar="DIR", help=what)
    return parser.parse_args()


def runner(options):
    return Reference() if options.reference else Program(options.attn)


def nothing_to_run(options):
    """True, after saying why, where the cases or the program are not here."""
    if not os.path.isdir(options.cases):
        print(f"skipped: no cases at {options.cases}")
        return True
    return not options.reference and missing(options.attn)


def files_under(folder):
    for place, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            if name.endswith(".json"):
                yield os.path.join(place, name)


class OutOfReach(Exception):
    """A case needs something that problems cannot say yet; the text names it."""


class Tally:
    """Counts, and says a line a case."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def run(self, name, check):
        """`check` gives what differs, or raises OutOfReach."""
        try:
            faults = check()
        except OutOfReach as reason:
            self.skipped += 1
            print(f"skipped  {name}: {reason}")
            return
        except (ProgramFailed, KeyError, ValueError, TypeError) as error:
            faults = [f"{type(error).__name__}: {error}"]
        if faults:
            self.failed += 1
            print(f"FAILED   {name}: " + "\n         ".join(faults))
        else:
            self.passed += 1
            print(f"passed   {name}")

    def close(self):
        print(f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped")
        return 1 if self.failed else 0 if self.passed else SKIPPED


def steps_of(trace):
    return {s["id"]: s for s in trace["steps"]}
