#!/usr/bin/env python3
"""f16 and bf16 as numpy and plain integers have them: half_test.py

A million doubles go through the program as f16 and as bf16, as a query that
nothing is done to; among them midpoints between neighbours and the doubles next to
these, subnormal numbers, and numbers around the largest. numpy's conversion from
float64 to float16 rounds once; for bfloat16, which numpy has not, the bits of the
double are rounded as integers. Then small attention, step by step, each step
computed in float64 and rounded by numpy.
"""

import json
import os
import subprocess
import sys
import unittest

try:
    import numpy as np
except ImportError:
    print("skipped: numpy is not installed (python3-numpy)")
    sys.exit(77)

ATTN = os.environ["ATTN"]
COUNT = 1_000_000


def traced(problem, dtype, *options):
    done = subprocess.run([ATTN, "run", "-", "--dtype", dtype, "--format", "json", *options],
                          input=json.dumps(problem), capture_output=True, text=True, check=True)
    return {step["id"]: np.array(step["data"], dtype=object) for step in json.loads(done.stdout)["steps"]}


def as_double(cells):
    """JSON has no infinities; the program writes them as text, which float() reads."""
    return np.array([float(cell) for cell in cells.ravel()]).reshape(cells.shape)


def to_f16(numbers):
    with np.errstate(over="ignore"):
        return np.asarray(numbers, dtype=np.float64).astype(np.float16).astype(np.float64)


def to_bf16(numbers):
    """The 8 leading bits of the significand, ties to even; below 2^-126 steps of 2^-133."""
    numbers = np.asarray(numbers, dtype=np.float64)
    bits = np.abs(numbers).view(np.uint64)
    exponent = (bits >> np.uint64(52)).astype(np.int64) - 1023
    significand = (bits & np.uint64((1 << 52) - 1)) | np.uint64(1 << 52)
    dropped = np.minimum(45 + np.maximum(0, -126 - exponent), 62).astype(np.uint64)
    one = np.uint64(1)
    kept = significand >> dropped
    rest = significand & ((one << dropped) - one)
    half = one << (dropped - one)
    up = (rest > half) | ((rest == half) & (kept & one == one))
    size = np.ldexp((kept + up).astype(np.float64), np.maximum(exponent, -126) - 7)
    size[size >= 2.0 ** 128] = np.inf
    return np.copysign(size, numbers)


def doubles(round_to, lowest, highest):
    """Numbers of every size the format knows and beyond, a third of them where rounding turns."""
    random = np.random.default_rng(7)
    anything = np.ldexp(random.uniform(1, 2, COUNT // 3), random.integers(lowest - 4, highest + 3, COUNT // 3))
    ordinary = random.normal(0, 100, COUNT // 3)
    numbers = round_to(np.ldexp(random.uniform(1, 2, COUNT // 9), random.integers(lowest, highest, COUNT // 9)))
    numbers = numbers[np.isfinite(numbers)]
    finer = np.ldexp(1.0, np.maximum(np.frexp(numbers)[1] - (12 if highest == 16 else 9), lowest - 1))
    middles = numbers + finer
    turning = np.concatenate([middles, np.nextafter(middles, np.inf), np.nextafter(middles, 0)])
    rest = np.array([0.0, 65504, 65519.99, 65520, 1e9, 1e-8, 1e300, 1e-300, 2.0 ** -25, 2.0 ** -134, 1 + 2.0 ** -8 + 2.0 ** -40])
    all_of_them = np.concatenate([anything, ordinary, turning, rest])
    return all_of_them * random.choice([-1.0, 1.0], len(all_of_them))


class Half(unittest.TestCase):
    def assert_stored(self, dtype, round_to, lowest, highest):
        numbers = doubles(round_to, lowest, highest)
        self.assertGreater(len(numbers), 0.95 * COUNT)
        problem = {"queries": [numbers.tolist()], "keys": [[0] * len(numbers)]}
        # What is written is the shortest decimal: reading it means rounding it again.
        got = round_to(as_double(traced(problem, dtype, "--only", "queries")["queries"])[0])
        expected = round_to(numbers)
        wrong = np.flatnonzero(got != expected)
        self.assertEqual(len(wrong), 0, [(numbers[i].hex(), got[i], expected[i]) for i in wrong[:3]])

    def test_a_million_doubles_are_stored_as_numpy_rounds_them_to_f16(self):
        self.assert_stored("f16", to_f16, -24, 16)

    def test_a_million_doubles_are_stored_as_integers_round_them_to_bf16(self):
        self.assert_stored("bf16", to_bf16, -133, 128)

    def test_a_step_is_computed_in_float64_and_rounded_once(self):
        random = np.random.default_rng(8)
        for dtype, kept in (("f16", to_f16), ("bf16", to_bf16)):
            for _ in range(10):
                inputs = random.normal(0, 1, (4, 6))
                weights = {name: random.normal(0, 1, (6, 4)) for name in ("query", "key", "value")}
                got = traced({"inputs": inputs.tolist(), "weights": {n: w.tolist() for n, w in weights.items()}}, dtype)
                x = kept(inputs)
                q, k, v = (kept(x @ kept(weights[name])) for name in ("query", "key", "value"))
                scores = kept(q @ k.T)
                scaled = kept(scores / 2.0)
                maximum = scaled.max(axis=1)
                powers = kept(np.exp(scaled - maximum[:, None]))
                sums = kept(powers.sum(axis=1))
                shares = kept(powers / sums[:, None])
                weighted = kept(shares[:, :, None] * v[None, :, :])
                expected = {"queries": q, "keys": k, "values": v, "scores": scores, "scaled_scores": scaled,
                            "row_maximum": maximum, "exponentials": powers, "exponential_sums": sums,
                            "attention_weights": shares, "weighted_values": weighted,
                            "context": kept(weighted.sum(axis=1))}
                for name, cells in expected.items():
                    with self.subTest(dtype=dtype, step=name):
                        np.testing.assert_array_equal(kept(as_double(got[name])), cells)


if __name__ == "__main__":
    unittest.main()
