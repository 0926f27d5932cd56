"""`attn lint`: which mistakes a problem cannot show, or tell apart, and what would help."""

import copy
import glob
import json
import os
import re
import subprocess
import sys
import unittest

import jsonschema

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "property"))

from exercises import exercise  # noqa: E402
from handins import Reader  # noqa: E402
from mistakes import with_mistake  # noqa: E402
from slow import SLOW, share  # noqa: E402
from students import NotHere, Pen  # noqa: E402

ATTN = os.path.abspath(os.environ["ATTN"])
DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "data")
SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")


def attn(*words, given=None):
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
    return subprocess.run([ATTN, *words], capture_output=True, encoding="utf-8", env=environment, timeout=600, input=given)


def linted(problem, *words):
    """What is found in a problem, as a file's name or its contents."""
    given = None if isinstance(problem, str) else json.dumps(problem)
    done = attn("lint", problem if given is None else "-", *words, "--format", "json", given=given)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def data(name):
    return os.path.join(DATA, name + ".json")


def read(name):
    with open(data(name), encoding="utf-8") as file:
        return json.load(file)


def named(found, where="all"):
    return {one["mistake"] for one in found["invisible"] if one["from"] == where and "variants" not in one}


class ClassicExample(unittest.TestCase):
    def test_its_scores_are_symmetric(self):
        for name in ("worked-example", "worked-example-scaled"):
            found = linted(data(name))
            # From the scores on nothing tells Q from K, nor rows from columns.
            self.assertIn("projection.swapped_query_key", {one["mistake"] for one in found["invisible"]})
            self.assertIn("scores.transposed", named(found))

    def test_as_many_tokens_as_features_hide_what_is_divided_by(self):
        found = linted(data("worked-example-scaled"))
        by_n = [one for one in found["invisible"] if one["mistake"] == "scale.by_n"]
        self.assertEqual(by_n, [{"mistake": "scale.by_n", "from": "all"}])
        self.assertTrue(any("n = d_k" in line for line in found["advice"]), found["advice"])

    def test_its_advice_helps(self):
        for name in ("worked-example", "worked-example-scaled"):
            self.helps(read(name))

    def helps(self, problem):
        """Each number is changed as the advice has it; then less is found."""
        before = linted(problem)
        line = next(line for line in before["advice"] if line.startswith("change"))
        changed = copy.deepcopy(problem)
        changes = re.findall(r"change (\S+) from (\S+) to ([^,: ]+)", line)
        self.assertTrue(changes, line)
        for cell, old, new in changes:
            row, column = cell_in(changed, cell)
            self.assertEqual(float(row[column]), float(old))
            row[column] = float(new)
        after = linted(changed)
        count = lambda found: len(found["invisible"]) + len(found["alike"])  # noqa: E731
        self.assertLess(count(after), count(before), line)

    def test_sizes_that_hide_something_are_named_as_they_meet(self):
        """Equal ones, one that is the square of another, and 1."""
        two = [[1, 2], [0, 1], [1, 1], [2, 1]]
        for problem, sizes in (({"queries": [[1, 2]], "keys": two, "values": two},
                                ["d_k = d_v = 2", "n = d_k² = 4", "n = d_v² = 4"]),
                               ({"queries": [[1, 2], [0, 1], [1, 1]], "keys": [[1, 0], [2, 1], [0, 1]],
                                 "values": [[1], [2], [2]]}, ["d_v = 1"]),
                               ({"queries": [[1]], "keys": [[1]], "values": [[2]]}, ["n = d_k = d_v = 1"])):
            advice = linted(problem)["advice"]
            self.assertEqual([line.split(" follows from ")[1].rstrip(".") for line in advice if " follows from " in line],
                             sizes)

    def test_strict_is_for_scripts(self):
        self.assertEqual(attn("lint", data("worked-example"), "--strict").returncode, 1)
        self.assertEqual(attn("lint", data("worked-example")).returncode, 0)
        silent = json.loads(attn("lint", data("cross-attention"), "--format", "json").stdout)
        self.assertEqual((silent["invisible"], silent["alike"]), ([], []))
        self.assertEqual(attn("lint", data("cross-attention"), "--strict").returncode, 0)


def cell_in(problem, name):
    """The list and the place in it that "x₂[1]" or "W_Q[2,3]" is about."""
    vector = re.fullmatch(r"x([₀-₉]+)\[(\d+)\]", name)
    if vector:
        return problem["inputs"][int(vector[1].translate(SUBSCRIPTS)) - 1], int(vector[2]) - 1
    role, row, column = re.fullmatch(r"W_([QKV])\[(\d+),(\d+)\]", name).groups()
    return problem["weights"][{"Q": "query", "K": "key", "V": "value"}[role]][int(row) - 1], int(column) - 1


class Findings(unittest.TestCase):
    def test_a_mistake_is_invisible_where_whoever_makes_it_writes_what_everybody_writes(self):
        """In every reading, by the students of tests/property; and where they write something else in some
        reading, the linter does not say so."""
        seeds = range(1, 3 if SLOW else 17)
        compared, hidden = 0, 0
        for seed in seeds:
            raw = {key: value for key, value in exercise(seed).items() if key not in ("arithmetic", "digits")}
            with self.subTest(seed=seed):
                for digits in (0, 2):
                    here, of_them = self.compare(raw, digits)
                    compared += here
                    hidden += of_them
        self.assertGreater(compared, 5 * len(seeds))
        self.assertGreater(hidden, 0)

    def compare(self, raw, digits):
        reader = Reader(raw)
        student = reader.honest.student(Pen(digits, "half-up", ()))
        found = linted(raw, "--digits", str(digits))
        invisible, in_some_reading = named(found), {one["mistake"] for one in found["invisible"]}
        compared, hidden = 0, 0
        for name, readings in reader.rooms().items():
            if any(mistake.turned for mistake in readings):
                continue
            shows = [differs(student, mistake) for mistake in readings]
            if None in shows:
                continue
            compared += 1
            if name in invisible:
                self.assertFalse(any(shows), f"{name} shows in {[m.variant for m in readings]}")
            if not any(shows):
                hidden += 1
                self.assertIn(name, in_some_reading, f"{name} changes no number")
        return compared, hidden

    def test_what_it_says_has_its_schema(self):
        schema = json.loads(attn("schema", "lint").stdout)
        for name in ("worked-example-scaled", "two-heads-shared-matrix", "cross-attention", "block-by-hand"):
            jsonschema.validate(linted(data(name)), schema)

    def test_every_problem_of_reasonable_size_can_be_looked_at(self):
        for path in share(sorted(glob.glob(os.path.join(DATA, "*.json"))), 3):
            if path.endswith(".golden.json") or os.path.getsize(path) > 20_000:
                continue
            with self.subTest(problem=os.path.basename(path)):
                done = attn("lint", path)
                self.assertEqual(done.returncode, 0, done.stderr)
                for line in done.stdout.splitlines():
                    self.assertLessEqual(len(line), 80, line)


def differs(student, mistake):
    """Whether somebody writes anything else who makes the mistake; None where it cannot be made."""
    try:
        other = with_mistake(student, mistake)
    except NotHere:
        return None
    names = [name for name in student.written if name in other.written]
    return any(student.paper(name) != other.paper(name) for name in names)


class CommandLine(unittest.TestCase):
    def test_a_file_that_is_no_problem_is_refused(self):
        done = attn("lint", "-", given='{"inputs": [[1, 2], [3]]}')
        self.assertEqual(done.returncode, 2)
        self.assertIn("help:", done.stderr)

    def test_digits_are_checked(self):
        done = attn("lint", data("worked-example"), "--digits", "many")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--digits", done.stderr)

    def test_a_problem_that_is_too_large_is_refused_before_it_is_worked_out(self):
        weights = {name: {"random": "xavier", "shape": [64, 64], "seed": 1} for name in ("query", "key", "value")}
        large = {"inputs": {"random": "normal", "shape": [2000, 64], "seed": 1}, "weights": weights}
        done = attn("lint", "-", given=json.dumps(large))
        self.assertEqual(done.returncode, 3)
        self.assertIn("--max-memory is 2 GiB", done.stderr)

    def test_a_model_of_many_layers_is_refused_soon(self):
        model = read("block-by-hand")
        model["block"]["layers"] *= 60
        done = attn("lint", "-", given=json.dumps(model))
        self.assertEqual(done.returncode, 2)
        self.assertIn("takes more than 500000 lines of computation", done.stderr)

    def test_more_digits_show_more(self):
        few = linted(data("raschka-life-is-short"), "--digits", "0")
        many = linted(data("raschka-life-is-short"), "--digits", "6")
        self.assertLess(len(many["invisible"]) + len(many["alike"]), len(few["invisible"]) + len(few["alike"]))


if __name__ == "__main__":
    unittest.main()
