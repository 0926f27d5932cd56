#!/usr/bin/env python3
"""A batch of many copies of a problem is marked as one copy is.

Large problems are marked in other ways than small ones, from a few rows at first. Nobody
can say by hand what is right there; but each copy in a batch is a problem by itself, so
its people hand in the same numbers, and what they did is the same.

    large_test.py build/default/attn --problems 12 --seed 1
"""

import sys

sys.dont_write_bytecode = True

import json
import math
import os
import random
import subprocess
import tempfile
import unittest

from exercises import exercise
from handins import DECIMALS, SETS, Reader
from honest import KINDS
from program import SKIPPED, measuring_arguments, missing
from reference import shape_of
from students import NotHere

LARGE = 41_000  # numbers: from here on few rows are looked at first
OPTIONS = None


def copies(problem, count):
    """The problem as a batch; nothing where it is one already, or its tokens stand in columns."""
    given = problem.get("inputs", problem.get("queries"))
    many = {**problem}
    for name in ("queries", "keys", "values"):
        if name in problem:
            many[name] = [problem[name]] * count
    if isinstance(given, dict):
        many["inputs"] = {role: [matrix] * count for role, matrix in given.items()}
        given = given["query"]
    elif "inputs" in problem:
        many["inputs"] = [given] * count
    is_plain = len(shape_of(given)) == 2 and "lengths" not in problem and problem.get("vectors") != "columns"
    return many if is_plain else None


class Copies:
    """One problem, the batch of its copies, and how both are marked."""

    def __init__(self, attn, folder, seed):
        self.attn = attn
        self.folder = folder
        self.problem = exercise(seed)
        self.shapes = self.written("one", self.problem)
        self.count = LARGE // sum(map(math.prod, self.shapes.values())) + 1
        batch = copies(self.problem, self.count)
        self.batched = batch and self.written("many", batch)

    def said(self, *words):
        done = subprocess.run([self.attn, *words, "--format", "json"], capture_output=True, timeout=600)
        return json.loads(done.stdout)

    def file(self, name):
        return os.path.join(self.folder, name + ".json")

    def written(self, name, problem):
        """The shapes of its steps."""
        with open(self.file(name), "w", encoding="utf-8") as file:
            json.dump(problem, file, ensure_ascii=False)
        return {step["id"]: step["shape"] for step in self.said("run", self.file(name))["steps"]}

    def report(self, name, steps):
        answers = self.file("answers")
        with open(answers, "w", encoding="utf-8") as file:
            json.dump({"schema": "attn/answers/1", "steps": steps}, file, ensure_ascii=False)
        return self.said("check", self.file(name), answers)

    def reports(self, handin):
        """Of one copy, and of the batch; nothing where a step is not the problem's."""
        if not handin or handin.raw is not None:
            return None
        steps = handin.answers()["steps"]
        if not all(step in self.shapes and step in self.batched for step in steps):
            return None
        many = {step: [numbers] * self.count if len(self.batched[step]) > len(self.shapes[step]) else numbers
                for step, numbers in steps.items()}
        return self.report("one", steps), self.report("many", many)


def mistakes(report):
    return {(diagnosis["mistake"], diagnosis["step"]) for diagnosis in report["diagnoses"]}


class LargeProblems(unittest.TestCase):
    def each(self):
        """(problem and copies, seed, dice) of the problems of which there can be copies."""
        seed, left = OPTIONS.seed, OPTIONS.problems
        with tempfile.TemporaryDirectory(prefix="attn-large-") as folder:
            while left:
                both = Copies(OPTIONS.attn, folder, seed)
                if both.batched:
                    yield both, seed, random.Random(f"attn large {seed}")
                    left -= 1
                seed += 1

    def test_who_works_honestly_is_believed_in_many_copies_as_in_one(self):
        for both, seed, rng in self.each():
            reader = Reader(both.problem)
            for k, (kind, make) in enumerate(KINDS.items()):
                try:
                    handin = make(reader, rng.choice(SETS), DECIMALS[k % 4], rng)
                except (NotHere, OverflowError):
                    continue
                reports = both.reports(handin)
                if reports:
                    with self.subTest(seed=seed, kind=kind, told=handin.told()):
                        self.assertEqual(reports[1]["verdict"], reports[0]["verdict"], mistakes(reports[1]))

    def test_what_is_found_in_one_copy_is_found_in_many(self):
        found, lost = 0, []
        for both, seed, rng in self.each():
            reader = Reader(both.problem)
            for name in rng.sample(sorted(reader.rooms()), 12):
                handin = reader.wrong(name, rng.choice(SETS), rng.choice(DECIMALS[1:]), rng)
                reports = both.reports(handin)
                if not reports or reports[0]["verdict"] != "wrong":
                    continue
                one, many = reports
                with self.subTest(seed=seed, mistake=name, told=handin.told()):
                    # Rounding early is believed of many numbers sooner than of one.
                    is_told = many["notes"] or any(m.startswith("rounding.") for m, _ in mistakes(many))
                    self.assertTrue(many["verdict"] == "wrong" or is_told, many["verdict"])
                found += 1
                if mistakes(one) != mistakes(many):
                    lost.append((seed, handin.told(), mistakes(one), mistakes(many)))
        self.assertGreater(found, 4 * OPTIONS.problems)
        self.assertLessEqual(len(lost), 1 + found // 20, lost)


def main():
    global OPTIONS
    parser = measuring_arguments(__doc__)
    parser.add_argument("--problems", type=int, default=12)
    OPTIONS = parser.parse_args()
    if missing(OPTIONS.attn):
        return SKIPPED
    return not unittest.main(argv=sys.argv[:1], exit=False).result.wasSuccessful()


if __name__ == "__main__":
    sys.exit(main())
