"""`--format ipynb`: a notebook that computes every step with numpy, by itself."""

import contextlib
import copy
import glob
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import warnings

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "property"))

import every_feature
import small_blocks

try:
    import numpy as np
except ImportError:
    print("numpy is not installed: notebooks were not run")
    sys.exit(77)

ATTN = os.path.abspath(os.environ["ATTN"])
ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
DATA = os.path.join(ROOT, "data")
EXAMPLE = os.path.join(DATA, "worked-example.json")


CANCELLING = {"a mean of nothing but rounding", "products that cancel"}


def attn(*words, text=None, code=0):
    done = subprocess.run([ATTN, *words], input=text, capture_output=True, encoding="utf-8",
                          env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}, timeout=120)
    assert done.returncode == code, (words, done.returncode, done.stderr)
    return done.stdout if code == 0 else done.stderr


def problems():
    """Every problem in data/ that is computed in f64, and one for every feature: {name: words of the command}."""
    found = {}
    for path in sorted(glob.glob(os.path.join(DATA, "*.json"))):
        if path.endswith(".golden.json"):
            continue
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if not re.search(r'"dtype":\s*"(f32|bf16|f16)"', text):
            found[os.path.basename(path)] = ([path], None)
    for name, problem in {**every_feature.problems(), **small_blocks.problems()}.items():
        if problem.get("arithmetic", {}).get("dtype", "f64") == "f64":
            found[name] = (["-"], json.dumps(problem))
    for name in ("worked-example", "worked-example-causal", "masks-together", "eight-heads-batch"):
        found[name + ", online"] = ([os.path.join(DATA, name + ".json"), "--algorithm", "online:2"], None)
    behind = {"queries": [[1, 1], [1, 2]], "keys": [[1, 2], [0, 1]], "values": [[1, 2], ["nan", 1]],
              "mask": {"block": [[0, 1], [0, 1]]}}
    found["a value that is no number behind a mask"] = (["-"], json.dumps(behind))
    before = {"queries": [[1, 2], ["nan", 4]], "keys": [[1, 0], [0, 1]], "values": [[1, 2], ["nan", 4]],
              "mask": {"allow": [[1, 0], [0, 1]]}}
    found["a score that is no number beside a closed one"] = (["-"], json.dumps(before))
    for mode in ("half-up", "half-even", "truncate", "keep-sum"):
        rounded = {**every_feature.TWO_HEADS, "softcap": 2, "causal": True, "arithmetic": {"hand_rounding": "2:" + mode}}
        found["rounded by " + mode] = (["-"], json.dumps(rounded))
    nothing_seen = {"queries": [[1], [2]], "keys": [["-inf"], ["-inf"]], "values": [[1], [2]]}
    found["scores that are all -inf"] = (["-"], json.dumps(nothing_seen))
    found["scores that are all -inf, online"] = (["-", "--algorithm", "online:1"], json.dumps(nothing_seen))
    for mode, query in (("half-up", 1e30), ("keep-sum", 1e30), ("keep-sum", "nan")):
        beyond = {"queries": [[query], [2]], "keys": [[1], [2]], "values": [[1], [2]], "arithmetic": {"hand_rounding": "2:" + mode}}
        found[f"{query} rounded by {mode}"] = (["-"], json.dumps(beyond))
    for left, right in ((1, -1), (-1, 1), (-1, 0), (0, 1), (-1, -1)):
        window = {**every_feature.SELF, "window": [left, right]}
        found[f"a window of {left} and {right}"] = (["-"], json.dumps(window))
    found["a batch of one sequence, a part of it padding"] = (["-"], json.dumps({"inputs": [[[1, 0], [0, 1]]], "lengths": [1]}))
    columns = {"vectors": "columns", "inputs": [[1, 0, 2], [0, 1, 1]]}
    found["columns, online"] = (["-", "--algorithm", "online:2"], json.dumps(columns))
    cancelling = {"inputs": [[0.8], [0.1], [0.7]], "score": "dot", "weights": {"query": [[2, 2]], "key": [[-1, 1]], "value": [[1]]}}
    found["products that cancel"] = (["-"], json.dumps(cancelling))
    identity = {"weights": {"query": "identity", "key": "identity", "value": "identity"}}
    normalized = {"inputs": [[0.1, 0.2, 0.7], [0.3, -0.4, 0.6]],
                  "block": {"layers": [{"self": identity, "norm1": {}}], "final_norm": {}}}
    found["a mean of nothing but rounding"] = (["-"], json.dumps(normalized))
    found["one head of ALiBi"] = (["-"], json.dumps({**every_feature.SELF, "positions": "alibi"}))
    return found


def sources(notebook):
    return [(cell["id"], "".join(cell["source"])) for cell in notebook["cells"] if cell["cell_type"] == "code"]


def run(cells):
    """Every name after the cells were run from top to bottom, by an interpreter that knows no attn."""
    names = {}
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("error")
        for cell, source in cells:
            try:
                exec(compile(source, cell, "exec"), names)
            except Exception as error:
                raise AssertionError(f"cell {cell}: {error!r}\n{source}") from error
    return names


def number(cell):
    return [number(one) for one in cell] if isinstance(cell, list) else float(cell)


def steps_of(trace):
    return {step["id"]: np.array(number(step["data"])) for step in trace["steps"]}


def compare(test, names, trace, least=0):
    for name, theirs in steps_of(trace).items():
        ours = names[re.sub("[^a-zA-Z0-9]", "_", name)]
        test.assertEqual(np.shape(ours), theirs.shape, name)
        # Of numbers that cancel, what is left of them is their rounding.
        finite = np.abs(theirs[np.isfinite(theirs)]).max(initial=least)
        test.assertTrue(np.allclose(ours, theirs, rtol=1e-12, atol=1e-12 * finite, equal_nan=True), name)


class Notebook(unittest.TestCase):
    def made(self, words, text=None):
        return json.loads(attn("run", *words, "--format", "ipynb", text=text))

    def test_every_notebook_runs_from_top_to_bottom_and_makes_the_trace(self):
        for name, (words, text) in problems().items():
            with self.subTest(name):
                names = run(sources(self.made(words, text)))
                trace = json.loads(attn("run", *words, "--format", "json", text=text))
                compare(self, names, trace, least=1 if name in CANCELLING else 0)

    def test_it_is_a_notebook_of_version_4_5(self):
        for name, (words, text) in problems().items():
            notebook = self.made(words, text)
            self.assertEqual((notebook["nbformat"], notebook["nbformat_minor"]), (4, 5))
            ids = [cell["id"] for cell in notebook["cells"]]
            self.assertEqual(len(ids), len(set(ids)), name)
            for cell in notebook["cells"]:
                self.assertRegex(cell["id"], r"^[a-zA-Z0-9-_]{1,64}$")
                wanted = {"cell_type", "id", "metadata", "source"}
                if cell["cell_type"] == "code":
                    wanted |= {"outputs", "execution_count"}
                self.assertEqual(set(cell), wanted)
                self.assertTrue(all(line.endswith("\n") for line in cell["source"][:-1]))

    def test_the_same_problem_is_the_same_bytes(self):
        self.assertEqual(attn("run", EXAMPLE, "--format", "ipynb"), attn("run", EXAMPLE, "--format", "ipynb"))

    def test_what_is_given_may_be_changed(self):
        """The cells of what is given, taken from the notebook of another problem of the same shapes."""
        for name in ("worked-example-causal", "masks-together", "relative", "tom-yeh-three-heads", "block-by-hand"):
            path = os.path.join(DATA, name + ".json")
            with open(path, encoding="utf-8") as file:
                problem = json.loads(re.sub(r"^\s*//.*$", "", file.read(), flags=re.M))
            changed = copy.deepcopy(problem)
            row = changed["inputs"]
            self.assertIsInstance(row, list, name)
            while isinstance(row[0], list):
                row = row[0]
            row[0] += 0.75
            folder = os.path.dirname(path)
            with tempfile.NamedTemporaryFile("w", dir=folder, suffix=".json", encoding="utf-8") as file:
                json.dump(changed, file)
                file.flush()
                theirs = json.loads(attn("run", file.name, "--format", "json"))
                given = dict(sources(self.made([file.name])))
            cells = [(cell, given["inputs"] if cell == "inputs" else source)
                     for cell, source in sources(self.made([path])) if not cell.startswith("check")]
            self.assertNotEqual(dict(sources(self.made([path])))["inputs"], given["inputs"])
            compare(self, run(cells), theirs)

    def test_a_number_that_is_another_is_said(self):
        cells = [(cell, source.replace("[[1, 0, 1, 0]", "[[2, 0, 1, 0]") if cell == "inputs" else source)
                 for cell, source in sources(self.made([EXAMPLE]))]
        with self.assertRaisesRegex(AssertionError, "keys is another"):
            run(cells)

    def test_nothing_computed_is_a_constant(self):
        """Of what stands before the checks only given numbers are written as lists, beside places in tables."""
        for name, (words, text) in problems().items():
            notebook = self.made(words, text)
            trace = json.loads(attn("run", *words, "--format", "json", text=text))
            steps = {step["id"].replace(".", "_") for step in trace["steps"]}
            for cell, source in sources(notebook):
                if cell.startswith("check") or cell not in steps or "dtype=float" in source:
                    continue
                self.assertFalse(re.search(r"\d\.\d{6}", source.replace("0.044715", "")), (name, source))

    def test_what_it_cannot_say_is_refused(self):
        self.assertIn("--dtype f64", attn("run", EXAMPLE, "--dtype", "f32", "--format", "ipynb", code=2))
        self.assertIn("leave --only out", attn("run", EXAMPLE, "--only", "scores", "--format", "ipynb", code=2))

    def test_text_of_other_people_stays_text(self):
        title = "$x$ <script>alert(1)</script> # `x` \u202e ]]"
        notebook = self.made(["-"], json.dumps({**every_feature.SELF, "title": title}))
        told = "".join(notebook["cells"][0]["source"])
        self.assertNotIn("<script>", told)
        self.assertNotRegex(told, r"(?<!\\)\$x\$")


if __name__ == "__main__":
    unittest.main()
