#!/usr/bin/env python3
"""Holds the reference itself to numbers worked out elsewhere, and the comparison to
noticing what it should. Needs no program."""

import sys

sys.dont_write_bytecode = True

import copy
import math
import random
import unittest

import compare
from arithmetic import HandRounding, exactly
from generate import generate
from reference import as_json, work_out

WORKED = {
    "inputs": [[1, 0, 1, 0], [0, 2, 0, 2], [1, 1, 1, 1]],
    "weights": {
        "key": [[0, 0, 1], [1, 1, 0], [0, 1, 0], [1, 1, 0]],
        "query": [[1, 0, 1], [1, 0, 0], [0, 0, 1], [0, 1, 1]],
        "value": [[0, 2, 0], [0, 3, 0], [1, 0, 3], [1, 1, 0]],
    },
    "score": "dot",
}


def step(problem, name):
    return work_out(problem).step(name).data


def by_hand(value, mode):
    return HandRounding(mode).cell(exactly(value)).value


class WorkedExample(unittest.TestCase):
    def assert_rounds_to(self, matrix, expected, places):
        self.assertEqual([[round(x, places) for x in row] for row in matrix], expected)

    def test_scores_are_the_printed_ones(self):
        self.assertEqual(step(WORKED, "scores"), [[2, 4, 4], [4, 16, 12], [4, 12, 10]])

    def test_context_unscaled_and_scaled(self):
        self.assert_rounds_to(step(WORKED, "context"), [
            [1.9366, 6.6831, 1.5951], [2.0, 7.9640, 0.0540], [1.9997, 7.7599, 0.3584]], 4)
        self.assert_rounds_to(step(dict(WORKED, score="scaled_dot"), "context"), [
            [1.8639, 6.3194, 1.7042], [1.9991, 7.8141, 0.2735], [1.9926, 7.4796, 0.7359]], 4)

    def test_keeping_the_sum_gives_the_classic_outputs(self):
        rounded = dict(WORKED, arithmetic={"hand_rounding": "1:keep-sum"})
        self.assertEqual(step(rounded, "attention_weights"), [[0, 0.5, 0.5], [0, 1, 0], [0, 0.9, 0.1]])
        self.assertEqual(step(rounded, "context"), [[2.0, 7.0, 1.5], [2.0, 8.0, 0.0], [2.0, 7.8, 0.3]])


class RoundingByHand(unittest.TestCase):
    def test_ties_are_decided_on_the_digits_that_are_read(self):
        self.assertEqual([by_hand(x, "1") for x in (0.15, -0.15, 0.25, 0.35, 2.675)], [0.2, -0.2, 0.3, 0.4, 2.7])
        self.assertEqual(by_hand(2.675, "2"), 2.68)
        self.assertEqual([by_hand(x, "1:half-even") for x in (0.15, 0.25, -0.25, 0.35)], [0.2, 0.2, -0.2, 0.4])

    def test_truncation_does_not_lose_a_unit_to_binary(self):
        self.assertEqual([by_hand(x, "1:truncate") for x in (0.1 * 3, 0.7 + 0.1 - 0.5, -1.99)], [0.3, 0.3, -1.9])

    def test_largest_remainders_prefer_the_lower_index(self):
        cells = [exactly(x) for x in (0.25, 0.25, 0.25, 0.25)]
        values = lambda row: [c.value for c in row]
        rounding = HandRounding("1:keep-sum")
        self.assertEqual(values(rounding.weights(cells, [True] * 4)), [0.3, 0.3, 0.2, 0.2])
        self.assertEqual(values(rounding.weights([exactly(0.0)] * 2, [False] * 2)), [0.0, 0.0])

    def test_a_number_on_the_edge_of_reading_is_unsure(self):
        rounding = HandRounding("1")
        rounding.cell(exactly(0.15))
        self.assertFalse(rounding.unsure)
        rounding.cell(exactly(0.15 * (1 - 1 / 3e11)))  # reads as 0.149999999999 or 0.150000000000
        self.assertTrue(rounding.unsure)


class Masks(unittest.TestCase):
    def test_nothing_behind_a_closed_cell_leaks(self):
        problem = {"queries": [[1, 2]], "keys": [[1, 0], ["nan", 1]], "values": [[3, 4], ["inf", "nan"]], "lengths": 1}
        self.assertEqual(step(problem, "context"), [[3, 4]])

    def test_a_closed_row_is_zero_and_noted(self):
        trace = work_out({"queries": [[1], [2]], "keys": [[1], [2]], "causal": True, "offset": -1})
        self.assertEqual(trace.step("row_maximum").data, [-math.inf, 2 / 1])
        self.assertEqual(trace.step("context").data[0], [0])
        self.assertEqual([n["index"] for n in trace.notes], [[0]])


class Comparing(unittest.TestCase):
    """A damaged trace never passes."""

    def damaged(self, seed, damage):
        expected = work_out(generate(seed))
        trace = dict(copy.deepcopy(as_json(expected)), statement="sha256:")
        self.assertEqual(compare.differences(expected, trace), [])
        damage(trace, random.Random(seed))
        return compare.differences(expected, trace)

    def cell(self, trace, rng):
        data = rng.choice(trace["steps"])["data"]
        while isinstance(data[0], list):
            data = rng.choice(data)
        place = rng.randrange(len(data))
        whole = isinstance(data[place], str) or data[place] == 0
        data[place] = 0.5 if whole else data[place] * (1 + 1e-6)

    def order(self, trace, rng):
        place = rng.randrange(len(trace["steps"]) - 1)
        trace["steps"].insert(place, trace["steps"].pop(place + 1))

    def axis(self, trace, rng):
        rng.choice(trace["steps"])["axes"][-1] = "unit"

    def test_every_damage_is_noticed(self):
        for seed in range(60):
            if all(s.sure for s in work_out(generate(seed)).steps):
                for damage in (self.cell, self.order, self.axis):
                    with self.subTest(seed=seed, damage=damage.__name__):
                        self.assertTrue(self.damaged(seed, damage))


if __name__ == "__main__":
    unittest.main()
