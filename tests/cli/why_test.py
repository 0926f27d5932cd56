"""`attn why` as a person or a script meets it."""

import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "property"))

import every_feature
from notes import NOTES
from slow import share

ATTN = os.path.abspath(os.environ["ATTN"])
ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
DATA = os.path.join(ROOT, "data")
EXAMPLE = os.path.join(DATA, "worked-example.json")
RAGGED = os.path.join(DATA, "ragged-batch.json")
HINTS = f"^{NOTES}$"


def why(*words, text=None, stack=None):
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
    limit = stack and (lambda: resource.setrlimit(resource.RLIMIT_STACK, (stack, stack)))
    return subprocess.run([ATTN, "why", *words], input=text, capture_output=True, encoding="utf-8", env=environment,
                          timeout=60, preexec_fn=limit)


def many_layers(folder, count):
    """The path of a problem whose last numbers have the first some ten levels a layer behind them."""
    eye = [[1, 0], [0, 1]]
    layer = {"self": {"weights": {"query": eye, "key": eye, "value": eye}}, "norm1": {},
             "ffn": {"in": eye, "out": eye}, "repeat": count}
    path = os.path.join(folder, "layers.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"inputs": [[1, 2], [3, 4]], "block": {"kind": "encoder", "layers": [layer]}}, file)
    return path


class Answers(unittest.TestCase):
    def lines(self, *words, **more):
        done = why(*words, **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, HINTS)
        return done.stdout.split("\n")

    def test_a_number_is_worked_out_and_followed_back(self):
        lines = self.lines(EXAMPLE, "scores[1,2]")
        self.assertIn("  S[1,2] = q₁·k₂ = 1×4 + 0×4 + 2×0 = 4", lines)
        self.assertIn("  ├ K[2,1] = 0×0 + 2×1 + 0×0 + 2×1 = 4", lines)
        self.assertIn("  │ └ W_K[1…4,1] = [0, 1, 0, 1]  (given)", lines)

    def test_how_far_back_the_inputs_are_is_no_matter_of_the_stack(self):
        with tempfile.TemporaryDirectory() as folder:
            done = why(many_layers(folder, 250), "result[1,1]", "--depth", "100000", "--top", "1", stack=1 << 20)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("X[1,1] = 1  (given)", done.stdout)

    def test_a_dash_is_standard_input(self):
        with open(EXAMPLE, encoding="utf-8") as file:
            self.assertEqual(self.lines("-", "context[1,1]", text=file.read()), self.lines(EXAMPLE, "context[1,1]"))

    def test_labels_are_indices_too(self):
        self.assertEqual(self.lines(RAGGED, "scores[2,sleeps,old]"), self.lines(RAGGED, "scores[2,4,2]"))
        self.assertEqual(self.lines(EXAMPLE, "scores['Input 3',Input 1]"), self.lines(EXAMPLE, "scores[3,1]"))

    def test_a_whole_step_is_shown_whole(self):
        text = "\n".join(self.lines(os.path.join(DATA, "tired-or-narrow.json"), "scores"))
        self.assertIn("S[12,12] = q₁₂·k₁₂ = ", text)
        self.assertNotIn("--", text)

    def test_of_a_very_large_step_one_row_is_written_out(self):
        problem = '{"inputs": {"random": "normal", "shape": [300, 300], "seed": 1}}'
        for step in ("scores", "context", "attention_weights"):
            text = "\n".join(self.lines("-", step, text=problem))
            self.assertLess(text.count("\n"), 1000)
            self.assertIn("… 236 more of these", text)
            self.assertIn("… 299 more queries in the same way", text)
        wide = '{"queries": [[1, 2], [2, 3]], "keys": {"random": "normal", "shape": [200000, 2], "seed": 1}}'
        self.assertLess(len(self.lines("-", "scores", text=wide)), 1000)

    def test_what_another_part_made_is_called_by_its_part_or_its_title(self):
        matrix = {"random": "xavier", "shape": [2, 2], "seed": 1}
        weights = dict.fromkeys(("query", "key", "value"), matrix)
        problem = {"inputs": [[1, 2], [3, 4]], "positions": "sinusoidal",
                   "block": {"layers": [{"self": {"weights": weights}, "norm1": {}}]}}
        text = json.dumps(problem)
        told = " ".join(self.lines("-", "layer1.self.keys[1,1]", text=text))
        self.assertIn("(Inputs, with their positions)", told)
        told = " ".join(self.lines("-", "layer1.norm1[1,1]", text=text))
        self.assertIn("(Layer 1 · residual around self-attention)", told)

    def test_result_is_the_last_step(self):
        self.assertEqual(self.lines(EXAMPLE, "result[3,1]"), self.lines(EXAMPLE, "context[3,1]"))

    def test_depth_is_how_many_levels_are_told(self):
        lines = self.lines(EXAMPLE, "context[1,2]", "--depth", "0")
        self.assertEqual([line for line in lines if "=" in line][-1],
                         "  C[1,2] = 0.1268 + 3.7465 + 2.8099 ≈ 6.6831")
        self.assertFalse([line for line in lines if "├" in line or "└" in line])
        lines = self.lines(EXAMPLE, "context[1,2]", "--depth", "1")
        self.assertEqual(len([line for line in lines if "├" in line or "└" in line]), 3)

    def test_the_largest_terms_say_what_a_sum_is_made_of(self):
        heads = os.path.join(DATA, "tired-or-narrow.json")
        lines = self.lines(heads, "C[1,9,1]", "--top", "2", "--depth", "1")
        self.assertIn("  C[1,9,1] = 0.8323 + 0.0305 + (10 more: 0.0152) ≈ 0.8780", lines)
        self.assertEqual(len([line for line in lines if "├" in line or "└" in line]), 2)
        self.assertIn("the 2 largest terms are written", " ".join(" ".join(lines).split()))
        whole = self.lines(heads, "C", "--top", "2")
        self.assertIn("C[1,1] = 0.1667 + 0.0833 + (10 more: 0.0833) ≈ 0.3333 (key 2 (dog), 5 (cross))",
                      " ".join(" ".join(whole).split()))
        self.assertEqual(whole, self.lines(heads, "--top", "2"))
        self.assertEqual(self.lines(EXAMPLE, "C[1,1]", "--top", "4"), self.lines(EXAMPLE, "C[1,1]"))

    def test_what_a_number_is_a_share_of_is_followed_with_the_share_itself(self):
        lines = self.lines(os.path.join(DATA, "softmax-linear.json"), "A[1,1]", "--top", "1")
        self.assertIn("  └ S[1,1] = q₁·k₁ = 1×1 + (1 more: 0) = 1", lines)

    def test_of_many_numbers_the_largest_are_followed(self):
        with tempfile.TemporaryDirectory(prefix="attn-why-") as folder:
            path = os.path.join(folder, "last.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump({"queries": [[1]], "keys": [[0]] * 39 + [[9]], "values": [[1]] * 40, "score": "dot"}, file)
            lines = self.lines(path, "C[1,1]", "--depth", "1")
            self.assertTrue([line for line in lines if "├ U[1,40,1] = " in line], lines)
            self.assertTrue([line for line in lines if "… 24 more: " in line], lines)

    def test_a_long_sum_is_a_page_in_every_format(self):
        with tempfile.TemporaryDirectory(prefix="attn-why-") as folder:
            path = os.path.join(folder, "wide.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump({"queries": [[1] * 200_000], "keys": [[2] * 199_999 + [3]], "values": [[1]], "score": "dot"},
                          file)
            for form in ("text", "markdown", "latex", "html", "svg"):
                for words in (["S[1,1]"], ["S"], ["S[1,1]", "--top", "3"]):
                    with self.subTest(format=form, words=words):
                        text = "\n".join(self.lines(path, *words, "--format", form))
                        self.assertLess(len(text), 300_000)
                        if (form, words) != ("svg", ["S"]):  # a map, without sums
                            self.assertIn("199984" if "--top" not in words else "199997", text)
            done = why(path, "S[1,1]", "--full", "--max-memory", "100M")
            self.assertEqual((done.returncode, done.stdout), (3, ""))
            self.assertIn("--max-memory, 100 MiB", done.stderr)
            self.assertIn("--top", done.stderr)
            done = why(path, "S", "--full", "--max-memory", "100M")
            self.assertEqual((done.returncode, done.stdout), (3, ""))
            self.assertIn("leave --full out, ask for one number", done.stderr)

    def test_options_of_run_hold_here_too(self):
        self.assertIn("  A[1,2] = 1 / 2.135335 ≈ 0.468311",
                      self.lines(EXAMPLE, "attention_weights[1,2]", "--precision", "6"))
        self.assertIn("  A[1,2] = 1 / 2.1353 ≈ 0.5  (0.4683 rounded to 1 decimal)",
                      self.lines(EXAMPLE, "attention_weights[1,2]", "--hand-rounding", "1"))
        self.assertTrue("\n".join(self.lines(EXAMPLE, "attention_weights[1,2]", "--ascii")).isascii())
        self.assertIn("\x1b[", "\n".join(self.lines(EXAMPLE, "scores[1,2]", "--color", "always")))
        folder = tempfile.mkdtemp(prefix="attn-why-")
        self.addCleanup(shutil.rmtree, folder)
        path = os.path.join(folder, "why.txt")
        self.assertEqual(self.lines(EXAMPLE, "scores[1,2]", "-o", path), [""])
        with open(path, encoding="utf-8") as file:
            self.assertEqual(file.read().split("\n"), self.lines(EXAMPLE, "scores[1,2]"))


def cells(data, place=()):
    if isinstance(data, list):
        for i, part in enumerate(data):
            yield from cells(part, place + (i + 1,))
    else:
        yield place, data


def is_shown(value, shown):
    """Whether a number of the trace is what stands at the end of a line."""
    shown = shown.replace("−", "-").replace("∞", "inf")
    if isinstance(value, str) or "inf" in shown:
        return str(value) == shown
    if "e" in shown:
        return abs(value - float(shown)) <= 0.051 * abs(float(shown))
    return abs(value - float(shown)) <= 0.50001 * 10 ** -len(shown.partition(".")[2])


class EveryFeature(unittest.TestCase):
    """Of every step of every feature one number, followed back, and the step as a whole."""

    def test_every_step_can_be_asked_about(self):
        with tempfile.TemporaryDirectory(prefix="attn-why-") as folder:
            for feature, path in share(every_feature.write(folder).items(), 3):
                trace = json.loads(self.output("run", path, "--format", "json"))
                for at, step in enumerate(trace["steps"]):
                    with self.subTest(feature=feature, step=step["id"]):
                        self.ask(path, step, at, trace["arithmetic"]["dtype"])

    def ask(self, path, step, at, dtype):
        known = list(cells(step["data"]))
        place, value = known[(7 * at + 3) % len(known)]
        name = f"{step['id']}[{','.join(map(str, place))}]" if place else step["id"]
        told = self.output("why", path, name, "--depth", "1").replace("\n", " ")
        index = name[len(step["id"]):]
        called = "(?:" + re.escape(name) + "|" + re.escape(step["symbol"] + index) + ")"
        line = re.search(r"  " + called + r" [=≈] .*?(?=  [├└]|$)", told)
        self.assertTrue(line, told)
        if dtype in ("f64", "f32"):  # JSON has too few digits of shorter ones to round
            ends = re.findall(r"[=≈] (−?[\d.∞]+(?:e-?\d+)?)(?![\w./·×])", re.sub(r"\s+", " ", line.group()))
            self.assertTrue(ends and is_shown(value, ends[-1]), (value, line.group()))
        if at % 3 == 0:
            self.assertIn(step["title"], " ".join(self.output("why", path, step["id"]).split()))

    def output(self, *words):
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
        done = subprocess.run([ATTN, *words], capture_output=True, encoding="utf-8", env=environment, timeout=60)
        self.assertEqual(done.returncode, 0, (words, done.stderr))
        self.assertRegex(done.stderr, HINTS)
        return done.stdout


class Refusals(unittest.TestCase):
    def refused(self, code, *words_and_parts):
        words, parts = words_and_parts
        done = why(*words)
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)

    def test_what_is_not_there_is_told_with_what_is(self):
        self.refused(2, [EXAMPLE, "scroes[1,2]"], ["`scroes`", "did you mean `scores`?"])
        self.refused(2, [EXAMPLE, "scores[1,4]"], ["key goes from 1 to 3"])
        self.refused(2, [EXAMPLE, "scores[1]"], ["1 index", "2 axes", "query 1…3, key 1…3"])
        self.refused(2, [RAGGED, "scores[2,slepes,1]"], ["`slepes`", "did you mean `sleeps`?"])
        self.refused(2, [RAGGED, "scores[1,1,·]"], ["more than one key: 3 and 4"])
        self.refused(2, [EXAMPLE, "scores[1,2"], ["no ]"])

    def test_options_that_mean_nothing_are_refused(self):
        self.refused(2, [EXAMPLE, "scores[1,2]", "--depth", "deep"], ["`deep`", "--depth"])
        self.refused(2, [EXAMPLE, "scores", "--depth", "2"], ["whole step"])
        self.refused(2, [EXAMPLE, "scores[1,2]", "--format", "json"], ["`json`", "text"])
        self.refused(2, [EXAMPLE], ["STEP"])
        for top in ("0", "-1", "many", "1.5"):
            self.refused(2, [EXAMPLE, "scores[1,2]", "--top=" + top], ["`" + top + "`", "--top"])
        self.refused(2, [EXAMPLE, "W_Q[1,1]", "--top", "2"], ["given"])
        self.refused(2, [os.path.join(DATA, "no-such.json"), "scores[1,2]"], ["no-such.json"])
        self.refused(3, [EXAMPLE, "scores[1,2]", "--max-memory", "1K"], ["--max-memory"])

    def test_what_is_too_much_to_say_has_a_way_out(self):
        batch = os.path.join(DATA, "eight-heads-batch.json")
        for words, help in (
                (["S", "--full"], "leave --full out, ask for one number of it, or give a larger --max-memory"),
                (["S"], "ask for one number of it, or give a larger --max-memory"),
                (["S[1,1,1,1]", "--full"], "leave --full out: then the largest terms of each sum are written, or --top N"),
                (["S[1,1,1,1]", "--depth", "3"], "ask for less by --depth or --top, or give a larger --max-memory")):
            self.refused(3, [batch, *words, "--max-memory", "240K"],
                         ["takes more than --max-memory, 240 KiB", "help: " + help])
        self.assertEqual(why(batch, "S[1,1,1,1]", "--max-memory", "240K").returncode, 0)

    def test_how_deep_lines_stand_counts_as_what_they_take(self):
        with tempfile.TemporaryDirectory() as folder:
            self.refused(3, [many_layers(folder, 100), "result[1,1]", "--full", "--max-memory", "64M"], ["--max-memory"])


if __name__ == "__main__":
    unittest.main()
