"""The schemas that the program prints accept what it reads and writes, and no more."""

import copy
import json
import os
import subprocess
import sys
import tempfile
import unittest

try:
    import jsonschema
except ImportError:
    print("skipped: python3-jsonschema is not installed")
    sys.exit(77)

ATTN = os.path.abspath(os.environ["ATTN"])
HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.normpath(os.path.join(HERE, "..", "..", "data"))
sys.path.insert(0, os.path.join(HERE, "..", "property"))

import generate  # noqa: E402


def output(*words):
    return subprocess.run([ATTN, *words], capture_output=True, check=True, timeout=60).stdout


def schema(name):
    text = json.loads(output("schema", name))
    jsonschema.Draft202012Validator.check_schema(text)
    return jsonschema.Draft202012Validator(text)


def problem_files():
    for name in sorted(os.listdir(DATA)):
        if name.endswith(".json") and not name.endswith(".golden.json"):
            yield os.path.join(DATA, name)


def problem_in(path):
    with open(path, encoding="utf-8") as file:
        lines = [line for line in file if not line.lstrip().startswith("//")]
    return json.loads("".join(lines))


class Schemas(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.problem, cls.trace = schema("problem"), schema("trace")
        cls.answers, cls.report = schema("answers"), schema("report")
        cls.error, cls.golden = schema("error"), schema("golden")
        cls.diff, cls.bench, cls.list = schema("diff"), schema("bench"), schema("list")

    def test_every_problem_in_data_is_valid(self):
        for path in problem_files():
            with self.subTest(path):
                self.problem.validate(problem_in(path))

    def test_every_trace_of_data_is_valid(self):
        for path in problem_files():
            with self.subTest(path):
                for options in ((), ("--bounds",)):
                    self.trace.validate(json.loads(output("run", path, "--format", "json", *options)))

    def test_generated_problems_are_valid(self):
        for seed in range(300):
            with self.subTest(seed):
                self.problem.validate(json.loads(json.dumps(generate.generate(seed))))

    def test_what_the_program_refuses_by_name_the_schema_refuses(self):
        good = problem_in(os.path.join(DATA, "worked-example.json"))
        for dtype in ("f32", "float32", "double", "half", "bfloat16"):
            self.problem.validate({**good, "arithmetic": {"dtype": dtype}})
        for change in ({"arithmetic": {"dtype": "int8"}}, {"W_q": [[1]]}, {"score": "dott"}, {"heads": 0}, {"heads": 1.5}, {"causal": "yes"},
                       {"mask": [[1]]}, {"weight_layout": "both"}, {"digits": -1}):
            with self.subTest(change):
                self.assertFalse(self.problem.is_valid({**copy.deepcopy(good), **change}))

    def test_a_problem_has_as_many_masks_as_the_program_reads(self):
        good = problem_in(os.path.join(DATA, "worked-example.json"))
        several = {**good, "mask": [{"add": [[0, 0, 0]] * 3}] * 1000}
        self.problem.validate(several)
        several["mask"].append(several["mask"][0])
        self.assertFalse(self.problem.is_valid(several))

    def test_numbers_may_be_spelled_in_problems(self):
        good = problem_in(os.path.join(DATA, "worked-example.json"))
        for scale in (2, "1/sqrt(2)", "1/√2", "0.50", "−2", "e^2/(e^2+2e^4)", "3·4 − 1"):
            with self.subTest(scale):
                self.assertTrue(self.problem.is_valid({**good, "scale": scale}))
        for scale in ("none", "", "0,5", "two", "2;3"):
            with self.subTest(scale):
                self.assertFalse(self.problem.is_valid({**good, "scale": scale}))

    def test_answers_may_be_lists_blanks_single_cells_and_texts(self):
        for step in ([[2, 4], [None, "0.50"]], None, [None, [1]], ["-∞", "2/3", ""], {"1,2": 6.68, "[2, 1]": "1/2"}, 5):
            with self.subTest(step):
                self.answers.validate({"steps": {"scores": step}})
        self.answers.validate({"schema": "attn/answers/1", "title": "a", "name": "b", "notes": ["c"], "x-d": {},
                               "steps": {"scores": [[1]]}})

    def test_what_is_refused_in_answers_the_schema_refuses(self):
        for step in ([True], [{}], ["nil"], [], {}, {"0,1": 2}, {"1": [2]}, {"a": 2}):
            with self.subTest(step):
                self.assertFalse(self.answers.is_valid({"steps": {"scores": step}}))
        for whole in ({}, [], {"steps": {}}, {"steps": []}, {"schema": "attn/trace/1", "steps": {"scores": 1}},
                      {"scores": [[1]]}):
            with self.subTest(whole):
                self.assertFalse(self.answers.is_valid(whole))

    def test_a_report_is_valid_and_so_is_a_list_of_them(self):
        cell = {"index": [1, 1], "state": "wrong", "given": "2"}
        step = {"id": "scaled_scores", "right": 0, "wrong": 9, "blank": 0, "consistent": 0, "too_coarse": 0,
                "cells": [cell]}
        diagnosis = {"mistake": "scale.none", "kind": "error", "step": "scaled_scores", "cells": [], "variant": "",
                     "ties": [], "evidence": "…", "message": "…"}
        report = {"schema": "attn/report/1", "verdict": "wrong", "first_wrong": "scaled_scores", "steps": [step],
                  "diagnoses": [diagnosis]}
        self.report.validate(report)
        self.report.validate([{**report, "file": "a.json"}, {"file": "b.json", "error": "…"}])
        for change in ({"verdict": "good"}, {"first_wrong": 1}, {"steps": [{**step, "cells": [{**cell, "index": [0]}]}]},
                       {"diagnoses": [{**diagnosis, "kind": "slip"}]}, {"more": 1}):
            with self.subTest(change):
                self.assertFalse(self.report.is_valid({**report, **change}))
        for key in set(report) - {"diagnoses"}:  # which may not be revealed
            with self.subTest(key):
                self.assertFalse(self.report.is_valid({name: value for name, value in report.items() if name != key}))

    def test_what_check_writes_is_valid_however_much_it_reveals(self):
        example = os.path.join(DATA, "worked-example.json")
        steps = {"scores": [[2, 4, None], [4, 61, 12], [4, 12, 10]], "attention_weights": {"1,1": "0.1"},
                 "keys": [[1, 2], [3, 4]]}
        for reveal in ("none", "cell", "hint", "value"):
            for files in (["-"], ["-", "/no/such.json"]):
                with self.subTest(reveal=reveal, files=files):
                    done = subprocess.run([ATTN, "check", example, *files, "--reveal", reveal, "--format", "json"],
                                          input=json.dumps({"steps": steps}).encode(), capture_output=True, timeout=60)
                    self.report.validate(json.loads(done.stdout))

    def test_what_is_said_of_errors_is_valid(self):
        missing, wrong = "/no/such.json", '{"inputs": [[1]], "heads": 1' + ', "heads": 1' * 30 + "}"
        for words, text in ((["run", missing], ""), (["run", "-"], "{"), (["run", "-"], "[]"), (["run", "-"], wrong),
                            (["check", missing], ""), (["run", "-", "--frmt"], "")):
            with self.subTest(words=words, text=text[:2]):
                done = subprocess.run([ATTN, *words, "--format", "json"], input=text.encode(), capture_output=True,
                                      timeout=60)
                said = json.loads(done.stderr)
                self.error.validate(said)
                self.assertFalse(self.error.is_valid({**said, "errors": [{"message": "no more than this"}]}))

    def test_what_golden_writes_is_valid_whatever_it_finds(self):
        example = os.path.join(DATA, "worked-example.json")
        with tempfile.TemporaryDirectory() as folder:
            missing = os.path.join(folder, "missing.json")
            for words in ((example,), (example, "--hand-rounding", "1"), (missing, example), ("--update", missing),
                          (example, "--dtype", "f32")):
                with self.subTest(words):
                    done = subprocess.run([ATTN, "golden", *words, "--format", "json"], capture_output=True, timeout=60)
                    said = json.loads(done.stdout)
                    self.golden.validate(said)
                    self.assertFalse(self.golden.is_valid({**said, "files": [{**said["files"][0], "verdict": "good"}]}))

    def test_what_diff_writes_is_valid_and_always_says_whether_there_is_a_relation(self):
        example, scaled = [os.path.join(DATA, name) for name in ("worked-example.json", "worked-example-scaled.json")]
        tensors = os.path.join(DATA, "another-program.npz")
        with tempfile.TemporaryDirectory() as folder:
            doubled = os.path.join(folder, "doubled.json")
            trace = json.loads(output("run", example, "--format", "json"))
            scores, = [step for step in trace["steps"] if step["id"] == "scores"]
            scores["data"] = [[2 * cell for cell in row] for row in scores["data"]]
            with open(doubled, "w", encoding="utf-8") as file:
                json.dump(trace, file)
            for files, relation in (((example, example), None), ((example, scaled), None), ((scaled, tensors), None),
                                    ((tensors, scaled), None), ((example, doubled), {"factor": 2})):
                with self.subTest(files):
                    done = subprocess.run([ATTN, "diff", *files, "--format", "json"], capture_output=True, timeout=60)
                    said = json.loads(done.stdout)
                    self.diff.validate(said)
                    self.assertEqual(said["relation"], relation)
                    for key in said:
                        without = {name: value for name, value in said.items() if name != key}
                        self.assertFalse(self.diff.is_valid(without), key)

    def test_what_cost_writes_is_valid(self):
        cost = schema("cost")
        for words in ([os.path.join(DATA, "causal-two-of-five.json")], [os.path.join(DATA, "cross-attention.json")],
                      ["--shape", "2,4,100,16"]):
            with self.subTest(words):
                said = json.loads(output("cost", *words, "--format", "json"))
                cost.validate(said)
                self.assertFalse(cost.is_valid({**said, "total": {}}))

    def test_what_scaling_writes_is_valid(self):
        scaling = schema("scaling")
        said = json.loads(output("scaling", "--widths", "2,8", "--format", "json"))
        scaling.validate(said)
        self.assertFalse(scaling.is_valid({**said, "widths": [{"width": 2}]}))

    def test_what_heads_writes_is_valid(self):
        heads = schema("heads")
        for words in ((), ("--pair", "C,A")):
            said = json.loads(output("heads", os.path.join(DATA, "induction.json"), *words, "--format", "json"))
            heads.validate(said)
            self.assertFalse(heads.is_valid({**said, "pair": [1]}))

    def test_what_bench_writes_is_valid(self):
        for words in (("--list",), ("--shape", "1,1,4,2", "--repeat", "1"),
                      ("--model", os.path.join(DATA, "block-by-hand.json"), "--repeat", "1"),
                      ("--shape", "1,1,4,2", "--repeat", "1", "--compare", "--python", sys.executable)):
            with self.subTest(words):
                said = json.loads(output("bench", *words, "--format", "json"))
                self.bench.validate(said)
                self.assertFalse(self.bench.is_valid({**said, "shapes": [{"name": "1×1×4×2"}]}))

    def test_every_list_is_valid(self):
        for words in ((), ("scores",), ("mistakes",)):
            with self.subTest(words):
                said = json.loads(output("list", *words, "--format", "json"))
                self.list.validate(said)
                self.assertFalse(self.list.is_valid({"scores": [{"name": "dot"}]}))

    def test_every_schema_is_one_and_a_mistyped_one_is_guessed(self):
        names = ("problem", "answers", "trace", "report", "golden", "diff", "bench", "cost", "scaling", "list", "error")
        said = subprocess.run([ATTN, "schema", "problm"], capture_output=True, encoding="utf-8", timeout=60).stderr
        self.assertIn("did you mean `problem`?", said)
        for name in names:
            self.assertIn(name, said)
            self.assertEqual(schema(name).schema["$schema"], "https://json-schema.org/draft/2020-12/schema")

    def test_a_trace_without_its_members_is_not_valid(self):
        good = json.loads(output("demo", "--format", "json"))
        for key in good:
            with self.subTest(key):
                self.assertFalse(self.trace.is_valid({name: value for name, value in good.items() if name != key}))


if __name__ == "__main__":
    unittest.main(verbosity=1)
