"""Runs the program on problems, as any script would: one file in, one trace out."""

import argparse
import json
import os
import subprocess
import tempfile

SKIPPED = 77  # what the test runner reads as "not run here"


class ProgramFailed(Exception):
    """The program refused a problem, or crashed on it."""


class Program:
    """One binary, with a folder of its own for the problems it is given."""

    def __init__(self, path, seconds=60):
        self.path = path
        self.seconds = seconds
        self._folder = tempfile.TemporaryDirectory(prefix="attn-property-")
        self._file = os.path.join(self._folder.name, "problem.json")

    def trace_bytes(self, problem, *options):
        with open(self._file, "w", encoding="utf-8") as file:
            json.dump(problem, file, ensure_ascii=False)
        done = subprocess.run([self.path, "run", self._file, "--format", "json", *options],
                              capture_output=True, timeout=self.seconds)
        if done.returncode != 0:
            said = done.stderr.decode("utf-8", "replace").replace(self._file, "problem.json")
            raise ProgramFailed(f"exit code {done.returncode}: {said.strip()[:2000]}")
        return done.stdout

    def trace(self, problem, *options):
        return json.loads(self.trace_bytes(problem, *options))


def default_program():
    """The binary of the default preset, unless ATTN names another."""
    here = os.path.dirname(os.path.abspath(__file__))
    built = os.path.join(here, "..", "..", "build", "default", "attn")
    return os.environ.get("ATTN", os.path.normpath(built))


def measuring_arguments(doc):
    """What the scripts that mark many hand-ins have in common."""
    parser = argparse.ArgumentParser(description=doc.split("\n")[0])
    parser.add_argument("attn", nargs="?", default=default_program(), help="the program to test")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--verbose", action="store_true", help="tell of every failure")
    parser.add_argument("--keep", metavar="FOLDER", help="keep problems and answers there")
    return parser


def remove_if_empty(folder):
    if os.path.isdir(folder) and not os.listdir(folder):
        os.rmdir(folder)


def add_program_option(parser: argparse.ArgumentParser):
    parser.add_argument("--attn", default=default_program(), metavar="PATH",
                        help="the program to test (default: $ATTN, or build/default/attn)")


def missing(path):
    """True, after saying so, where there is no program to run."""
    if os.access(path, os.X_OK) and os.path.isfile(path):
        return False
    print(f"no program at {path}: build it, or name one with --attn")
    return True
