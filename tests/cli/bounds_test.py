"""`--bounds`: how far numbers are from exact ones, held against fractions and decimals of many digits."""

import decimal
import html
import json
import os
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
from decimal import Decimal
from fractions import Fraction

ATTN = os.path.abspath(os.environ["ATTN"])
ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
EXAMPLE = os.path.join(ROOT, "data", "worked-example.json")

decimal.getcontext().prec = 60

TENTHS = {"queries": [[0.1, -0.7, 0.3], [1.3, 0.2, 0.9]],
          "keys": [[0.4, 0.6, -0.1], [0.8, 0.3, 0.7], [-1.1, 0.5, 0.2]],
          "values": [[0.1, 2.3], [0.7, -0.4], [1.9, 0.6]]}
CANCELS = {"queries": [[1, 1, 1]], "keys": [[1e16, 1, -1e16], [2, 3, 4]], "values": [[1, 2], [3, 4]], "score": "dot"}


def attention(problem, dot=False):
    """Scores, weights and context of the numbers as they are held, in 60 digits."""
    exactly = lambda rows: [[Decimal(x) for x in row] for row in rows]
    queries, keys, values = (exactly(problem[name]) for name in ("queries", "keys", "values"))
    scale = Decimal(1) if dot else Decimal(len(queries[0])).sqrt()
    scores = [[sum(a * b for a, b in zip(q, k)) for k in keys] for q in queries]
    powers = [[(s / scale).exp() for s in row] for row in scores]
    weights = [[p / sum(row) for p in row] for row in powers]
    context = [[sum(w * v[c] for w, v in zip(row, values)) for c in range(len(values[0]))] for row in weights]
    return {"scores": scores, "attention_weights": weights, "context": context}


def held(number, dtype):
    """The number that the dtype holds where its shortest digits are these."""
    if dtype == "bf16":
        bits = struct.unpack("<I", struct.pack("<f", number))[0]
        return struct.unpack("<f", struct.pack("<I", (bits + 0x8000) & 0xFFFF0000))[0]
    letter = {"f64": "<d", "f32": "<f", "f16": "<e"}[dtype]
    return struct.unpack(letter, struct.pack(letter, number))[0]


def leaves(nested):
    return [x for part in nested for x in leaves(part)] if isinstance(nested, list) else [nested]


def seconds(*words):
    """Of the processor's time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([ATTN, *words], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class Bounds(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="attn-bounds-")
        self.addCleanup(shutil.rmtree, self.folder)

    def file(self, content, name="p.json"):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as out:
            out.write(content if isinstance(content, str) else json.dumps(content))
        return path

    def attn(self, *words, code=0):
        done = subprocess.run([ATTN, *words], capture_output=True, encoding="utf-8", timeout=120, cwd=self.folder,
                              env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"})
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        return done.stdout + done.stderr

    def steps(self, problem, *options):
        path = problem if isinstance(problem, str) else self.file(problem)
        return {s["id"]: s for s in json.loads(self.attn("run", path, "--bounds", "--format", "json", *options))["steps"]}

    def test_no_number_is_farther_from_the_exact_one_than_its_bound(self):
        for options in (("--dtype", "f64"), ("--dtype", "f32"), ("--dtype", "f16"), ("--dtype", "bf16"),
                        ("--hand-rounding", "2")):
            steps = self.steps(TENTHS, *options)
            dtype = options[1] if options[0] == "--dtype" else "f64"
            rounded = lambda rows: [[held(x, dtype) for x in row] for row in rows]
            # What is given is what the dtype holds of it.
            exact = attention({name: rounded(rows) for name, rows in TENTHS.items()})
            for name, rows in exact.items():
                bound = steps[name]["bound"]
                worst = max(abs(Decimal(ours) - right) for row, line in zip(rounded(steps[name]["data"]), rows)
                            for ours, right in zip(row, line))
                self.assertLessEqual(worst, Decimal(bound["absolute"]), (name, options))
                self.assertLessEqual(bound["absolute"], 1e4 * float(worst) + 1e-14, (name, options))

    def test_other_ways_to_compute_a_problem_lie_within_both_bounds(self):
        data = os.path.join(ROOT, "data")
        compared = 0
        for name in ("worked-example-scaled", "cross-attention", "two-heads-shared-matrix", "causal-two-of-five"):
            path = os.path.join(data, name + ".json")
            if not os.path.exists(path):
                continue
            plain = self.steps(path)
            for options in (("--hand-rounding", "2"), ("--algorithm", "online:2")):
                for step, other in self.steps(path, *options).items():
                    if step not in plain or plain[step]["shape"] != other["shape"]:
                        continue
                    room = (plain[step]["bound"]["absolute"] + other["bound"]["absolute"]) * (1 + 1e-12)
                    for a, b in zip(leaves(plain[step]["data"]), leaves(other["data"])):
                        self.assertTrue(a == b or abs(a - b) <= room, (name, options, step, a, b, room))
                        compared += 1
        self.assertGreater(compared, 100)

    def test_whole_numbers_are_exact(self):
        steps = self.steps(EXAMPLE)
        for name in ("keys", "queries", "values", "scores"):
            self.assertEqual(steps[name]["bound"], {"absolute": 0, "digits": None, "own": 0})
        self.assertGreaterEqual(steps["context"]["bound"]["digits"], 14)

    def test_what_cancels_is_good_to_no_digit_and_is_named(self):
        score = self.steps(CANCELS)["scores"]["bound"]
        self.assertEqual(score["digits"], 0)
        self.assertGreaterEqual(score["absolute"], 1)
        self.assertIn("least sure is S[1,1]", " ".join(self.attn("run", self.file(CANCELS), "--bounds").split()))

    def test_a_number_that_overflows_has_no_bound(self):
        problem = {"queries": [[1e200]], "keys": [[1e200]], "values": [[1]], "score": "dot"}
        self.assertIsNone(self.steps(problem)["scores"]["bound"]["absolute"])
        told = " ".join(self.attn("run", self.file(problem), "--bounds", "--explain", "steps").split())
        self.assertIn("how far 1 number is from exact is not known", told)

    def test_where_some_numbers_overflow_the_others_keep_their_bounds(self):
        rows = {"queries": [[1e200, 0.1], [0.1, 0.3]], "keys": [[1e200, 0.7], [0.2, 0.9]],
                "values": [[0.1], [0.2]], "score": "dot"}
        told = " ".join(self.attn("run", self.file(rows), "--bounds", "--explain", "steps").split())
        self.assertRegex(told, r"S = Q·Kᵀ .*?at most \S+ from the exact numbers.*?; how far 1 number is from exact")

    def test_the_bounds_of_a_block_say_of_which_part_they_are(self):
        matrix = {"random": "xavier", "shape": [4, 4], "seed": 1}
        weights = dict.fromkeys(("query", "key", "value", "output"), matrix)
        problem = {"inputs": {"random": "xavier", "shape": [3, 4], "seed": 3},
                   "block": {"layers": [{"self": {"weights": weights, "heads": 2}, "norm1": {}}]}}
        told = self.attn("run", self.file(problem), "--bounds", "--explain", "steps")
        table = told[told.index("How exact"):]
        for symbol in "SAC":
            self.assertEqual(len(re.findall(f"Layer 1 · self-attention:\\s+(?:\\S.*\\s)?{symbol}\\b", table)), 1, table)

    def test_infinities_and_numbers_behind_the_mask_spoil_no_bound(self):
        problem = dict(TENTHS, mask={"allow": [[1, 0, 1], [0, 0, 0]]})
        problem["values"] = [[0.1, 2.3], [1e308, -1e308], [1.9, 0.6]]
        context = self.steps(problem)["context"]["bound"]
        self.assertLess(context["absolute"], 1e-14)

    def test_every_format_for_people_says_it_and_only_when_asked(self):
        path = self.file(TENTHS)
        for name in ("text", "markdown", "latex", "html"):
            told = html.unescape(self.attn("run", path, "--bounds", "--format", name, "--explain", "steps"))
            words = " ".join(re.sub(r"[\\{}$]|<[^>]*>", "", told).split())
            self.assertRegex(words, r"good to 1[3-6] digits: at most", name)
            self.assertIn("How exact are the numbers?", words, name)
            self.assertNotIn("good to", self.attn("run", path, "--format", name, "--explain", "steps"), name)
        self.assertNotIn('"bound"', self.attn("run", path, "--format", "json"))

    def test_what_has_no_place_for_bounds_refuses_them(self):
        for words in (("--format", "csv"), ("--format", "npz", "-o", "p.npz"), ("--at-once",)):
            self.assertIn("--bounds", self.attn("run", self.file(TENTHS), "--bounds", *words, code=2))

    def test_many_layers_take_little_longer_than_without(self):
        square = [[1, 0], [0, 1]]
        layer = {"repeat": 500, "self": {"weights": {"query": square, "key": square, "value": square}}, "norm1": {},
                 "ffn": {"in": square, "out": square}}
        path = self.file({"inputs": [[1, 2], [3, 4]], "block": {"kind": "encoder", "layers": [layer]}})
        words = ("run", path, "--explain", "result")
        self.assertLess(seconds(*words, "--bounds"), 8 * seconds(*words))

    def test_a_golden_may_differ_by_what_both_may_be_off(self):
        path = self.file(TENTHS)
        self.attn("golden", "--update", path)
        golden = path.replace(".json", ".golden.json")
        with open(golden, encoding="utf-8") as read:
            stored = json.load(read)
        self.assertNotIn("bound", stored["steps"][-1])
        context = [s for s in stored["steps"] if s["id"] == "context"][0]
        for change, with_bounds in ((4e-16, 0), (1e-9, 1)):
            other = json.loads(json.dumps(stored))
            [s for s in other["steps"] if s["id"] == "context"][0]["data"][0][0] = context["data"][0][0] + change
            self.file(other, "p.golden.json")
            self.attn("golden", path, code=1)
            self.attn("golden", "--bounds", path, code=with_bounds)

    def verdict(self, problem, steps):
        done = subprocess.run([ATTN, "check", self.file(problem), self.file({"steps": steps}, "a.json"), "--format",
                               "json"], capture_output=True, encoding="utf-8", timeout=120)
        return done.returncode

    def test_an_exact_answer_is_right_where_our_own_number_is_not(self):
        self.assertEqual(self.verdict(CANCELS, {"scores": [[1, 9]]}), 0)
        self.assertEqual(self.verdict(CANCELS, {"scores": [["1/1", "9"]]}), 0)
        self.assertEqual(self.verdict(CANCELS, {"scores": [[5, 9]]}), 1)
        self.assertEqual(self.verdict(CANCELS, {"scores": [[1, 8]]}), 1)

    def test_exact_answers_to_ill_conditioned_problems_are_right_and_others_wrong(self):
        # A linear congruence, so that each run draws the same.
        state = 20
        def below(count):
            nonlocal state
            state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
            return (state >> 33) % count
        for case in range(40):
            width, size = 2 * (1 + below(4)), 10 ** (6 + below(12))
            key = []
            for _ in range(width // 2):
                large = float((1 + below(1000)) * size) + below(100) / 10
                key += [large, -large + below(9) + 1]
            query = [1 + below(3)] * width
            problem = {"queries": [query], "keys": [key, [1] * width], "values": [[1], [2]], "score": "dot"}
            exact = sum(Fraction(a) * Fraction(b) for a, b in zip(query, key))
            other = sum(query)
            said = f"{exact.numerator}/{exact.denominator}"
            self.assertEqual(self.verdict(problem, {"scores": [[said, str(other)]]}), 0, (case, problem, said))
            wrong = exact + max(1000, 8 * width * Fraction(2) ** -50 * max(abs(Fraction(x)) for x in key))
            said = f"{wrong.numerator}/{wrong.denominator}"
            self.assertEqual(self.verdict(problem, {"scores": [[said, str(other)]]}), 1, (case, problem, said))


if __name__ == "__main__":
    unittest.main()
