#!/usr/bin/env python3
"""Holds the ideal reader of check_wrong.py to honest work, and to work that is known to be wrong.
Needs no program."""

import sys

sys.dont_write_bytecode = True

import random
import unittest

from changes import KINDS
from check_wrong import SETS, WORKED, Maker, fixed, only_rows
from exercises import PLACED, UNUSUAL, exercise
from handins import DECIMALS, Reader
from handins import SETS as PARTS
from nested import mapped
from students import Given
from ways import Ways
from written import read_step


class WrittenNumbers(unittest.TestCase):
    def bounds(self, *row, name="scores"):
        return [(round(w.low, 6), round(w.high, 6)) for w in read_step(name, list(row))]

    def test_a_number_stands_for_what_rounds_or_truncates_to_it(self):
        self.assertEqual(self.bounds("0.47", "-0.47", "0.00"), [(0.465, 0.48), (-0.48, -0.465), (-0.01, 0.01)])

    def test_a_weight_may_have_kept_the_sum_of_its_row(self):
        self.assertEqual(self.bounds("0.47", name="attention_weights"), [(0.46, 0.48)])

    def test_an_integer_has_the_decimals_of_its_row(self):
        self.assertEqual(self.bounds("1", "0.1353")[0], (0.99995, 1.0001))
        self.assertEqual(self.bounds("1", "2")[0], (0.5, 2))

    def test_numbers_have_the_decimals_of_the_longest_of_their_step(self):
        rows = read_step("scores", [[1, 2.25], [3, None]])
        self.assertEqual(round(rows[1][0].high, 6), 3.01)
        self.assertIsNone(rows[1][1])

    def test_an_expression_stands_for_one_value(self):
        self.assertEqual(self.bounds("2/3", "sqrt(3)"), [(0.666667, 0.666667), (1.732051, 1.732051)])


class HonestWays(unittest.TestCase):
    def test_whatever_is_honest_is_explained(self):
        for seed in (*range(2), *range(PLACED, PLACED + 3), *range(UNUSUAL, UNUSUAL + 3)):
            reader, rng = Reader(exercise(seed)), random.Random(seed)
            ways = Ways(reader.given)
            for k in range(seed % 2, 16, 2):
                handin = reader.right(PARTS[k % 4], DECIMALS[k // 4 % 4], rng)
                steps = {name: mapped(units, handin.pen.spelled) for name, units in handin.units.items()
                         if name in reader.honest.student(handin.pen).written}
                self.assertEqual(ways.first_unexplained(steps, handin.pen.decimals), (None, ()),
                                 (seed, handin.told()))

    def test_what_was_found_by_hand_is_not(self):
        ways = Ways(Given(WORKED))
        for case in fixed():
            shown = {name: step if isinstance(step, list) else cells(step) for name, step in case.steps.items()}
            first, turned = ways.first_unexplained(shown, 4)
            self.assertTrue(first == case.step or turned == (case.step,), case.told)

    def test_a_blank_was_rounded_to_the_decimals_of_its_step_or_of_the_file(self):
        ways = Ways(Given(WORKED))
        context = ["1.940", "6.700", "1.590"]
        steps = {"attention_weights": [["0.06", None, "0.47"], None, None], "context": [context, None, None]}
        self.assertEqual(ways.first_unexplained(steps, 3), (None, ()))
        context[1] = "6.800"
        self.assertEqual(ways.first_unexplained(steps, 3), ("context", ()))

    def test_most_changes_can_be_told_from_honest_work(self):
        made = []
        for seed in range(2):
            rng = random.Random(seed)
            maker = Maker(exercise(seed), rng)
            made += [maker.make(kind, which, rng) for kind in KINDS for which in SETS]
        made = [bool(handin.firsts) for handin in made if handin]
        self.assertGreater(len(made), 180)
        self.assertGreater(sum(made) / len(made), 0.85)


def cells(by_index):
    """The single cells of the classic example's context or sums, as lists."""
    (index, text), = by_index.items()
    place = [int(k) - 1 for k in index.split(",")]
    if len(place) == 1:
        return [text if i == place[0] else None for i in range(3)]
    return [[text if (i, j) == tuple(place) else None for j in range(3)] for i in range(3)]


class Rows(unittest.TestCase):
    def test_only_the_rows_that_differ_are_handed_in(self):
        self.assertEqual(only_rows([["1", "2"], ["3", "4"]], [["1", "2"], ["3", "5"]]), [None, ["3", "5"]])


if __name__ == "__main__":
    unittest.main()
