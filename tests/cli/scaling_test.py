"""`attn scaling`: what the width of queries and keys does to their softmax."""

import csv
import io
import json
import math
import os
import subprocess
import unittest

ATTN = os.path.abspath(os.environ["ATTN"])


def scaling(*words):
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
    return subprocess.run([ATTN, "scaling", *words], capture_output=True, encoding="utf-8", env=environment, timeout=60)


def drawn(*words):
    done = scaling(*words, "--format", "json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class Scaling(unittest.TestCase):
    def test_scores_have_mean_0_and_the_width_as_variance(self):
        for seed in ("1", "2", "3"):
            said = drawn("--queries", "300", "--keys", "300", "--seed", seed)
            for one in said["widths"]:
                with self.subTest(seed=seed, width=one["width"]):
                    self.assertEqual(one["theory"], {"mean": 0, "variance": one["width"]})
                    # 300 + 300 vectors: their norms alone leave it a tenth of leeway, and more where they are short.
                    leeway = 0.1 + 0.4 / math.sqrt(one["width"])
                    self.assertAlmostEqual(one["drawn"]["variance"] / one["width"], 1, delta=leeway)
                    self.assertLess(abs(one["drawn"]["mean"]), 0.4 * math.sqrt(one["width"]))

    def test_numbers_are_those_of_a_run(self):
        said = drawn("--widths", "6", "--queries", "5", "--keys", "4", "--seed", "9")
        for score, key in (("dot", "plain"), ("scaled_dot", "divided")):
            problem = {"queries": {"random": "normal", "shape": [5, 6], "seed": 18},
                       "keys": {"random": "normal", "shape": [4, 6], "seed": 19}, "score": score}
            done = subprocess.run([ATTN, "run", "-", "--format", "json"], input=json.dumps(problem), capture_output=True,
                                  encoding="utf-8", timeout=60)
            steps = {step["id"]: step["data"] for step in json.loads(done.stdout)["steps"]}
            rows = steps["attention_weights"]
            peak = said["widths"][0][key]
            self.assertAlmostEqual(peak["largest_weight"], sum(map(max, rows)) / 5, delta=1e-12)
            self.assertAlmostEqual(peak["entropy"], -sum(a * math.log(a) for row in rows for a in row) / 5, delta=1e-12)
            steepest = [max(a * (1 - a) for a in row) for row in rows]
            self.assertAlmostEqual(peak["largest_derivative"], sum(steepest) / 5, delta=1e-12)
            if score == "dot":
                all_scores = [s for row in steps["scores"] for s in row]
                mean = sum(all_scores) / 20
                variance = sum((s - mean) ** 2 for s in all_scores) / 19
                self.assertAlmostEqual(said["widths"][0]["drawn"]["variance"], variance, delta=1e-10)

    def test_without_the_division_weights_grow_to_1_and_derivatives_go_to_0(self):
        widths = drawn()["widths"]
        plain = [one["plain"] for one in widths]
        self.assertGreater(plain[-1]["largest_weight"], 0.9)
        self.assertLess(plain[-1]["largest_derivative"], 0.1)
        self.assertEqual(sorted(one["largest_weight"] for one in plain), [one["largest_weight"] for one in plain])
        for one in widths:
            self.assertLess(one["divided"]["largest_weight"], 0.5)
            self.assertGreater(one["divided"]["entropy"], 0.7 * math.log(64))

    def test_width_1_is_divided_by_1(self):
        only = drawn("--widths", "1")["widths"][0]
        self.assertEqual(only["plain"], only["divided"])

    def test_the_same_seed_gives_the_same_words(self):
        self.assertEqual(scaling("--seed", "5").stdout, scaling("--seed", "5").stdout)
        self.assertNotEqual(scaling("--seed", "5").stdout, scaling("--seed", "6").stdout)

    def test_every_format_says_it(self):
        table = list(csv.DictReader(io.StringIO(scaling("--format", "csv").stdout)))
        self.assertEqual([row["width"] for row in table], ["1", "4", "16", "64", "256", "1024"])
        for name in ("text", "markdown", "latex", "html", "svg"):
            done = scaling("--format", name)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("1024", done.stdout)

    def test_what_is_no_width_is_refused(self):
        for words in (["--widths", "0"], ["--widths", ""], ["--widths", "4,x"], ["--widths", "4,"], ["--keys", "1"],
                      ["--seed", "-1"], ["--queries", "0"], ["--widths", "1e9"]):
            done = scaling(*words)
            with self.subTest(words):
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn("help:", done.stderr)


if __name__ == "__main__":
    unittest.main()
