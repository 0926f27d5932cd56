#!/usr/bin/env python3
"""Holds the reference itself to numbers worked out elsewhere, and the comparison to
noticing what it should. Needs no program."""

import sys

sys.dont_write_bytecode = True

import copy
import math
import random
import struct
import unittest

import compare
from arithmetic import HandRounding, arithmetic_named, exactly
from generate import generate
from positions import bucket, slopes
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


class Narrow(unittest.TestCase):
    def test_f16_is_what_struct_packs(self):
        half = arithmetic_named("f16")
        rng = random.Random(1)
        values = [rng.choice((-1, 1)) * rng.uniform(1, 2) * 2.0 ** rng.randint(-27, 15) for _ in range(20000)]
        ties = [(2 * k + 1) * 2.0 ** -25 for k in range(2100)] + [65504.0, 65519.99, 65520.0, 1e300, 2.0 ** -25]
        for value in values + ties:
            try:
                expected = struct.unpack("<e", struct.pack("<e", value))[0]
            except OverflowError:
                expected = math.copysign(math.inf, value)
            self.assertEqual(half.step(value), expected, value)

    def test_bf16_is_the_nearest_of_its_neighbours(self):
        brain = arithmetic_named("bf16")
        upper = lambda bits: struct.unpack("<f", struct.pack("<I", bits << 16))[0]
        for bits in [*range(0, 300), *range(0x3f00, 0x4100), *range(0x7f00, 0x7f7f)]:
            low, high = upper(bits), upper(bits + 1)
            middle = (low + high) / 2
            even = low if bits % 2 == 0 else high
            self.assertEqual([brain.step(x) for x in (low, low + (high - low) / 4, middle, high - (high - low) / 4)],
                             [low, low, even, high])
        self.assertEqual(brain.step(upper(0x7f7f) * 1.01), math.inf)

    def test_inputs_are_rounded_first_and_every_step_once(self):
        problem = {"queries": [[1.001, 1.0]], "keys": [[1.0, 0.001]], "score": "dot", "arithmetic": {"dtype": "bf16"}}
        self.assertEqual(step(problem, "queries"), [[1.0, 1.0]])
        self.assertEqual(step(problem, "scores"), [[1.0]])  # 1 + 0.001 in between, then rounded


class Scores(unittest.TestCase):
    Q, K = [[1.0, 2.0]], [[3.0, -1.0], [0.0, 0.0]]

    def scores(self, **more):
        return step({"queries": self.Q, "keys": self.K, "values": [[1.0], [2.0]], **more}, "scores")[0]

    def test_by_hand(self):
        tanh = math.tanh
        self.assertAlmostEqual(self.scores(score="cosine")[0], 1 / math.sqrt(50), 15)
        self.assertEqual(self.scores(score="cosine")[1], 0)
        self.assertEqual(self.scores(score={"type": "general", "weight": [[1, 2], [3, 4]]}), [11, 0])
        additive = {"type": "additive", "query": [[1], [1]], "key": [[2], [1]], "v": [2]}
        self.assertEqual(self.scores(score=additive), [2 * tanh(8), 2 * tanh(3)])
        concat = {"type": "concat", "weight": [[1, 0], [1, 0], [2, 1], [1, 0]], "v": [2, 1]}
        self.assertEqual(self.scores(score=concat), [2 * tanh(8) + tanh(3), 2 * tanh(3)])

    def test_relative_tables_are_clipped(self):
        positions = {"type": "relative", "keys": [[1, 0], [10, 0], [100, 0]], "values": [[0.0], [5.0], [7.0]]}
        problem = {"queries": [[1, 0]] * 3, "keys": [[0, 0]] * 3, "values": [[0.0]] * 3, "positions": positions}
        self.assertEqual(step(problem, "relative_scores"), [[10, 100, 100], [1, 10, 100], [1, 1, 10]])
        problem["keys"] = [[0, 0]]
        problem.update(values=[[0.0]], past={"keys": [[0, 0]] * 2, "values": [[0.0]] * 2})
        self.assertEqual(step(problem, "relative_scores"), [[1, 1, 10]] + [[1, 1, 1]] * 2)

    def test_disentangled_scores(self):
        """k = 1: content to position reads δ(i, j), position to content δ(j, i)."""
        positions = {"type": "deberta", "embeddings": [[1], [10]], "key": [[1]], "query": [[1]]}
        problem = {"queries": [[1], [2]], "keys": [[3], [4]], "positions": positions}
        self.assertEqual(step(problem, "content_to_position"), [[10, 1], [20, 20]])
        self.assertEqual(step(problem, "position_to_content"), [[30, 40], [3, 40]])
        self.assertEqual(step(problem, "scores"), [[43, 45], [29, 68]])
        self.assertEqual(step(problem, "scaled_scores")[0][0], 43 / math.sqrt(3))


class Positions(unittest.TestCase):
    def test_an_odd_width_ends_in_a_sine(self):
        table = step({"inputs": [[0] * 3] * 2, "positions": "sinusoidal"}, "position_encoding")
        self.assertEqual(table[1], [math.sin(1), math.cos(1), math.sin(10000 ** (-2 / 3))])

    def test_rope_is_the_papers_matrix(self):
        """Equation 15 of Su et al. 2021, written out, for neighbours; halves are the same columns elsewhere."""
        keys = [[0.3, -1.2, 0.7, 2.0, 5.0], [1.0, 0.5, -0.4, 0.1, 6.0]]
        for interleaved in (True, False):
            positions = {"type": "rope", "base": 100, "dims": 4, "interleaved": interleaved}
            got = step({"queries": keys, "keys": keys, "positions": positions}, "rotated_keys")
            order = [0, 1, 2, 3] if interleaved else [0, 2, 1, 3]
            for m, (row, turned) in enumerate(zip(keys, got)):
                matrix = [[0.0] * 4 for _ in range(4)]
                for i, theta in enumerate((1.0, 0.1)):
                    c, s = math.cos(m * theta), math.sin(m * theta)
                    matrix[2 * i][2 * i:2 * i + 2] = [c, -s]
                    matrix[2 * i + 1][2 * i:2 * i + 2] = [s, c]
                x = [row[k] for k in order]
                for k, line in zip(order, matrix):
                    self.assertAlmostEqual(turned[k], sum(a * b for a, b in zip(line, x)), 14)
                self.assertEqual(turned[4], row[4])

    def test_slopes(self):
        self.assertEqual(slopes(8), [2.0 ** -k for k in range(1, 9)])
        self.assertEqual(slopes(6), [2.0 ** -k for k in (2, 4, 6, 8, 1, 3)])
        self.assertEqual(slopes(1), [2.0 ** -8])

    def test_buckets_are_those_of_the_logarithm(self):
        """Where the logarithm is near no whole number; 16 of 32 for the past, as T5 has them."""
        both = [bucket(d, 32, 128, True) for d in (0, -1, -7, -8, -15, -16, -31, -32, -127, -128, -500, 1, 7, 8, 500)]
        self.assertEqual(both, [0, 1, 7, 8, 9, 10, 11, 12, 15, 15, 15, 17, 23, 24, 31])
        for buckets, farthest in ((32, 128), (10, 30), (7, 100)):
            exact = buckets // 2
            for distance in range(exact + 1, 300):
                real = math.log(distance / exact) / math.log(farthest / exact) * (buckets - exact)
                if abs(real - round(real)) > 1e-9:
                    self.assertEqual(bucket(-distance, buckets, farthest, False),
                                     min(exact + int(real), buckets - 1))
        self.assertEqual({bucket(d, 1, 128, False) for d in range(-5, 6)}, {0})


class Softmax(unittest.TestCase):
    def weights(self, **more):
        return step({"queries": [[1.0]], "keys": [[1.0], [3.0]], "score": "dot", **more}, "attention_weights")[0]

    def test_by_hand(self):
        self.assertEqual([round(w, 15) for w in self.weights(softmax={"base": 3})], [0.1, 0.9])
        self.assertEqual(self.weights(softmax="linear"), [0.25, 0.75])
        total = 1 + math.exp(-2) + math.exp(-1)
        self.assertAlmostEqual(self.weights(softmax={"sink": 2})[1], 1 / total, 15)

    def test_a_sink_counts_in_a_closed_row(self):
        problem = {"queries": [[1.0]], "keys": [[1.0]], "softmax": {"sink": -2}, "mask": {"block": [1]}}
        self.assertEqual([step(problem, n) for n in ("row_maximum", "exponential_sums", "attention_weights")],
                         [[-2], [1], [[0]]])

    def test_softcap(self):
        self.assertEqual(step({"queries": [[3.0]], "keys": [[2.0]], "score": "dot", "softcap": 2}, "capped_scores"),
                         [[2 * math.tanh(3)]])


class Keys(unittest.TestCase):
    def test_grouped_heads_share_neighbours(self):
        problem = {"queries": [[1, 1, 1, 1]], "keys": [[2, 3]], "heads": 4, "kv_heads": 2, "score": "dot"}
        self.assertEqual(step(problem, "scores"), [[[2]], [[2]], [[3]], [[3]]])

    def test_past_and_appended_stand_around_the_new(self):
        problem = {"queries": [[1]], "keys": [[2]], "past": {"keys": [[3]], "values": [[3]]}, "causal": True,
                   "appended": {"keys": [[4]], "values": [[4]]}, "lengths": 0, "score": "dot"}
        self.assertEqual(step(problem, "scores"), [[3, 2, 4]])
        self.assertEqual(step(problem, "mask"), [[0, 0, 1]])
        self.assertEqual(work_out(problem).labels["key"], ["Past 1", "Key 1", "Appended 1"])

    def test_a_window_counts_from_the_offset(self):
        problem = {"queries": [[1]] * 2, "keys": [[1]] * 5, "window": [1, 0], "offset": 2}
        self.assertEqual(step(problem, "mask"), [[0, 1, 1, 0, 0], [0, 0, 1, 1, 0]])
        problem.update(keys=[[1]] * 2, past={"keys": [[1]] * 3, "values": [[1]] * 3})
        del problem["offset"]
        self.assertEqual(step(problem, "mask"), [[0, 0, 1, 1, 0], [0, 0, 0, 1, 1]])


class Comparing(unittest.TestCase):
    """A damaged trace never passes."""

    def damaged(self, seed, damage):
        problem = generate(seed)
        expected = work_out(problem)
        trace = dict(copy.deepcopy(as_json(expected)), statement="sha256:")
        self.assertEqual(compare.differences(problem, trace), [])
        # Steps that may be missing, or stand in another place, are damaged by leaving them out.
        trace["steps"] = [s for s, mine in zip(trace["steps"], expected.steps) if not mine.optional]
        damage(trace, random.Random(seed))
        return compare.differences(problem, trace)

    def cell(self, trace, rng):
        data = rng.choice(trace["steps"])["data"]
        while isinstance(data[0], list):
            data = rng.choice(data)
        place = rng.randrange(len(data))
        whole = isinstance(data[place], str) or data[place] == 0
        narrow = trace["arithmetic"]["dtype"] in ("bf16", "f16")
        data[place] = 0.5 if whole else data[place] * (1.1 if narrow else 1 + 1e-6)

    def order(self, trace, rng):
        place = rng.randrange(len(trace["steps"]) - 1)
        trace["steps"].insert(place, trace["steps"].pop(place + 1))

    def axis(self, trace, rng):
        rng.choice(trace["steps"])["axes"][-1] = "unit"

    def test_every_damage_is_noticed(self):
        for seed in range(60):
            if generate(seed).get("softmax") != "linear" and all(s.sure for s in work_out(generate(seed)).steps):
                for damage in (self.cell, self.order, self.axis):
                    with self.subTest(seed=seed, damage=damage.__name__):
                        self.assertTrue(self.damaged(seed, damage))


if __name__ == "__main__":
    unittest.main()
