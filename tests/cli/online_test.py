"""`--algorithm online`: softmax a few keys at a time, held against all keys at once.

The recurrence is written down here once more, with plain loops over the scores, values and
mask that the program gives without --algorithm; problems are those of data/ and generated ones.
"""

import json
import math
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))
DATA = os.path.join(ROOT, "data")
ATTN = os.path.abspath(os.environ["ATTN"])
sys.path.insert(0, os.path.join(ROOT, "tests", "property"))

import generate

RUNNING = ("block_maximum", "running_maximum", "rescale", "block_exponentials", "running_sum", "running_context")
BEFORE_SOFTMAX_ENDS = ("row_maximum", "exponentials", "exponential_sums", "attention_weights", "weighted_values")


def attn(*words, text=None):
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
    return subprocess.run([ATTN, *words], input=text, capture_output=True, encoding="utf-8", env=environment,
                          timeout=120)


def traced(problem, *words):
    text = None if isinstance(problem, str) else json.dumps(problem)
    done = attn("run", problem if text is None else "-", *words, "--format", "json", text=text)
    return json.loads(done.stdout) if done.returncode == 0 else done


def numbers(data):
    return [numbers(one) for one in data] if isinstance(data, list) else float(data)


def steps_of(trace):
    return {step["id"]: (step["axes"], numbers(step["data"])) for step in trace["steps"]}


def rows_of(axes, data, last):
    """{index: what stands there}, where as many axes as `last` names are left below it."""
    found = {}

    def walk(rest, index, part):
        if tuple(rest) == tuple(last):
            found[index] = part
            return
        for i, one in enumerate(part):
            walk(rest[1:], {**dict(index), rest[0]: i} and (*index, (rest[0], i)), one)
    walk(list(axes), (), data)
    return {tuple(sorted(index)): part for index, part in found.items()}


def at(rows, index):
    """Of rows that may lack some of the axes: those that do not have a head have it for all."""
    known = {axis for key in rows for axis, _ in key}
    return rows[tuple(sorted(one for one in index if one[0] in known))]


def recurrence(scores, opens, values, size, base):
    """Of one row of scores the numbers behind each block, worked out one after another."""
    power = (lambda x: math.exp(x)) if base is None else (lambda x: base ** x)
    made = {name: [] for name in RUNNING}
    made["block_exponentials"] = [0.0] * len(scores)
    maximum, total, context = -math.inf, 0.0, [0.0] * len(values[0])
    for first in range(0, len(scores), size):
        keys = [j for j in range(first, min(first + size, len(scores))) if opens[j]]
        largest = max((scores[j] for j in keys), default=-math.inf)
        before, maximum = maximum, max(maximum, largest)
        rescale = 0.0 if before == -math.inf else power(before - maximum)
        total, context = total * rescale, [c * rescale for c in context]
        for j in keys:
            e = 0.0 if maximum == -math.inf else power(scores[j] - maximum)
            made["block_exponentials"][j] = e
            total += e
            context = [c + e * v for c, v in zip(context, values[j])]
        for name, one in (("block_maximum", largest), ("running_maximum", maximum), ("rescale", rescale),
                          ("running_sum", total), ("running_context", list(context))):
            made[name].append(one)
    made["context"] = [c / total if total else 0.0 for c in context]
    return made


class Online(unittest.TestCase):
    def assert_near(self, its, ours, what, size=1.0):
        if isinstance(ours, list):
            self.assertEqual(len(its), len(ours), what)
            for one, other in zip(its, ours):
                self.assert_near(one, other, what, size)
        elif its != ours:
            self.assertLessEqual(abs(its - ours), 1e-12 * max(size, abs(ours)), what)

    def assert_online(self, plain, online, size, base=None, prefix=""):
        """The steps of one attention against the recurrence, and their ends against all keys at once."""
        before, after = steps_of(plain), steps_of(online)
        name = lambda step: prefix + step
        for step in BEFORE_SOFTMAX_ENDS:
            self.assertNotIn(name(step), after)
        known = [step for step in ("scores", "scaled_scores", "capped_scores", "masked_scores") if name(step) in before]
        axes, scores = before[name(known[-1])]
        rows = rows_of(axes, scores, ["key"])
        mask = rows_of(*before[name("mask")], ["key"]) if name("mask") in before else None
        read = next(name(step) for step in ("repeated_values", "all_values", "values") if name(step) in before)
        values = rows_of(*before[read], ["key", "d_v"])
        largest = max((abs(v) for part in values.values() for row in part for v in row), default=1.0)
        ends = {"running_maximum": ("row_maximum", []), "running_sum": ("exponential_sums", [])}
        for index, row in rows.items():
            opens = at(mask, index) if mask else [1] * len(row)
            of_keys = at(values, [one for one in index if one[0] != "query"])
            expected = recurrence(row, opens, of_keys, size, base)
            for step in RUNNING + ("context",):
                step_axes, data = after[name(step)]
                left = [axis for axis in step_axes if axis not in ("batch", "head", "query")]
                self.assert_near(at(rows_of(step_axes, data, left), index), expected[step], f"{step} {index}", largest)
            for step, (whole, _) in ends.items():
                step_axes, data = after[name(step)]
                last = at(rows_of(step_axes, data, ["block"]), index)[-1]
                plain_axes, plain_data = before[name(whole)]
                self.assert_near(last, at(rows_of(plain_axes, plain_data, []), index), f"{step} {index}")
        self.assert_near(after[name("context")][1], before[name("context")][1], "context", largest)

    def test_problems_of_data_come_to_the_same_whatever_the_block(self):
        compared = 0
        for file in sorted(os.listdir(DATA)):
            path = os.path.join(DATA, file)
            if not file.endswith(".json") or "golden" in file or os.path.getsize(path) > 20_000:
                continue
            plain = traced(path, "--dtype", "f64")
            try:
                with open(path, encoding="utf-8") as said:
                    problem = json.load(said)
            except ValueError:  # one with comments
                continue
            if not isinstance(plain, dict) or "block" in problem or "attention_weights" not in steps_of(plain):
                continue
            softmax = problem.get("softmax")
            base = softmax.get("base") if isinstance(softmax, dict) else None
            for size in (1, 2, 3, 1000):
                online = traced(path, "--algorithm", f"online:{size}", "--dtype", "f64")
                if not isinstance(online, dict):
                    self.assertEqual(online.returncode, 2)
                    continue
                with self.subTest(file=file, size=size):
                    if problem.get("vectors") == "columns":
                        self.assert_near(steps_of(online)["context"][1], steps_of(plain)["context"][1], "context", 10)
                    else:
                        self.assert_online(plain, online, size, base)
                    compared += 1
        self.assertGreater(compared, 40)

    def test_generated_problems_do_too(self):
        compared = 0
        for seed in range(60):
            problem = generate.generate(seed, None)
            for key in ("arithmetic", "softmax", "digits"):
                problem.pop(key, None)
            plain = traced(problem)
            online = traced(problem, "--algorithm", "online:2")
            if not isinstance(plain, dict) or not isinstance(online, dict):
                continue
            columns = problem.get("vectors") == "columns"
            if columns or "row_maximum" not in steps_of(plain):
                continue
            with self.subTest(seed=seed):
                self.assert_online(plain, online, 2)
                compared += 1
        self.assertGreater(compared, 15)

    def test_two_keys_a_block_is_what_online_alone_means(self):
        path = os.path.join(DATA, "worked-example.json")
        self.assertEqual(traced(path, "--algorithm", "online"), traced(path, "--algorithm", "online:2"))

    def test_every_attention_of_a_block_goes_by_it(self):
        path = os.path.join(DATA, "block-by-hand.json")
        plain, online = traced(path), traced(path, "--algorithm", "online:1")
        self.assert_online(plain, online, 1, prefix="layer1.self.")
        self.assert_near(online["steps"][-1]["data"], plain["steps"][-1]["data"], "result", 10)

    def test_a_row_that_is_closed_gives_0_and_a_note(self):
        problem = {"queries": [[1, 0], [0, 1]], "keys": [[1, 0], [0, 1], [1, 1]], "values": [[1, 2], [3, 4], [5, 6]],
                   "mask": {"allow": [[0, 0, 0], [0, 0, 1]]}}
        online = traced(problem, "--algorithm", "online:2")
        steps = steps_of(online)
        self.assertEqual(steps["context"][1], [[0.0, 0.0], [5.0, 6.0]])
        self.assertEqual(steps["running_sum"][1], [[0.0, 0.0], [0.0, 1.0]])
        self.assertIn("closed_row", [note["kind"] for note in online["notes"]])

    def test_numbers_of_closed_keys_change_nothing(self):
        def of(value):
            return traced({"queries": [[1, 0]], "keys": [[1, 0], [value, value]], "values": [[1, 2], [value, value]],
                           "scale": 1, "mask": {"allow": [[1, 0]]}}, "--algorithm", "online:1")
        self.assertEqual(steps_of(of(7))["context"], steps_of(of("nan"))["context"])

    def test_what_has_no_exponentials_or_needs_weights_is_refused(self):
        vectors = {"queries": [[1, 0]], "keys": [[1, 0], [0, 1]], "values": [[1, 2], [3, 4]]}
        for more, words in (({"softmax": "linear"}, "no exponentials"), ({"softmax": {"sink": 0}}, "sink"),
                            ({"arithmetic": {"hand_rounding": "2"}}, "rounding by hand")):
            done = traced({**vectors, **more}, "--algorithm", "online")
            self.assertEqual(done.returncode, 2, more)
            self.assertIn(words, done.stderr, more)
        for wrong in ("onlin", "online:", "online:0", "online:-1", "online:2.5", "online:x", "offline"):
            done = attn("run", "-", "--algorithm", wrong, text=json.dumps(vectors))
            self.assertEqual(done.returncode, 2, wrong)
            self.assertIn("--algorithm", done.stderr, wrong)

    def test_each_format_tells_it(self):
        path = os.path.join(DATA, "worked-example.json")
        with tempfile.TemporaryDirectory() as folder:
            for ending in ("txt", "md", "tex", "html", "svg", "json", "csv", "npz", "safetensors"):
                target = os.path.join(folder, "it." + ending)
                done = attn("run", path, "--algorithm", "online", "-o", target)
                self.assertEqual((done.returncode, done.stderr), (0, ""), ending)
                self.assertGreater(os.path.getsize(target), 200, ending)

    def test_the_idea_is_told_as_for_all_keys_at_once(self):
        file = os.path.join(DATA, "worked-example.json")
        at_once, online = (attn("run", file, "--explain", "rows", *words).stdout.split("\n\n")[1:3]
                           for words in ((), ("--algorithm", "online")))
        self.assertEqual(at_once[0], online[0])
        words = " ".join(online[1].split())
        self.assertIn("softmax, worked out a few keys at a time, makes them attention weights", words)
        self.assertEqual(words.replace(": softmax, worked out a few keys at a time, makes them ", "#"),
                         " ".join(at_once[1].split()).replace(". Softmax turns the scores of a query into ", "#"))

    def test_why_goes_from_block_to_block(self):
        path = os.path.join(DATA, "worked-example.json")
        said = attn("why", path, "running_sum[2,3]", "--algorithm", "online:1").stdout
        for cell in ("z[2,3]", "z[2,2]", "z[2,1]", "r[2,3]", "E[2,3]"):
            self.assertIn(cell, said)

    def test_what_must_hold_does(self):
        said = attn("run", os.path.join(DATA, "worked-example.json"), "--algorithm", "online:1").stdout
        held = said[said.index("What must hold"):]
        self.assertEqual(held.count("yes, all"), 3)
        self.assertNotIn("no:", held)


class Marking(unittest.TestCase):
    """A hand-in of the worked example, one key at a time."""

    PATH = os.path.join(DATA, "worked-example.json")
    STEPS = ("scores",) + RUNNING + ("context",)

    def hand_in(self, **changed):
        steps = steps_of(traced(self.PATH, "--algorithm", "online:1"))
        written = {step: self.written(steps[step][1]) for step in self.STEPS}
        for step, (index, text) in changed.items():
            part = written[step]
            for i in index[:-1]:
                part = part[i]
            part[index[-1]] = text
        return written

    def written(self, data):
        if isinstance(data, list):
            return [self.written(one) for one in data]
        return f"{data:.4f}"

    def marked(self, steps):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "hand-in.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump({"schema": "attn/answers/1", "steps": steps}, file)
            done = attn("check", self.PATH, path, "--algorithm", "online:1", "--format", "json")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return json.loads(done.stdout)

    def test_what_is_right_is_right(self):
        self.assertEqual(self.marked(self.hand_in())["verdict"], "right")
        self.assertEqual(self.marked({"context": self.hand_in()["context"]})["verdict"], "right")

    def test_a_slip_is_named_where_it_is_made_and_costs_once(self):
        steps = self.hand_in()
        sums = [float(one) for one in steps["running_sum"][2]]
        rescale = [float(one) for one in steps["rescale"][2]]
        powers = [float(one) for one in steps["block_exponentials"][2]]
        off = 1.5
        steps["running_sum"][2] = [f"{off:.4f}", f"{off * rescale[1] + powers[1]:.4f}",
                                   f"{(off * rescale[1] + powers[1]) * rescale[2] + powers[2]:.4f}"]
        last = float(steps["running_sum"][2][2])
        steps["context"][2] = [f"{float(one) / last:.4f}" for one in steps["running_context"][2][2]]
        self.assertNotEqual(sums[0], off)
        report = self.marked(steps)
        self.assertEqual(report["first_wrong"], "running_sum")
        wrong = {step["id"]: step["wrong"] for step in report["steps"]}
        self.assertEqual({step: count for step, count in wrong.items() if count}, {"running_sum": 1})

    def test_a_wrong_score_is_wrong_and_the_rest_of_another_row_right(self):
        report = self.marked(self.hand_in(scores=((0, 1), "5")))
        self.assertEqual((report["verdict"], report["first_wrong"]), ("wrong", "scores"))


if __name__ == "__main__":
    unittest.main()
