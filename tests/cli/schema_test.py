"""The schemas that the program prints accept what it reads and writes, and no more."""

import copy
import json
import os
import subprocess
import sys
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

    def test_every_problem_in_data_is_valid(self):
        for path in problem_files():
            with self.subTest(path):
                self.problem.validate(problem_in(path))

    def test_every_trace_of_data_is_valid(self):
        for path in problem_files():
            with self.subTest(path):
                self.trace.validate(json.loads(output("run", path, "--format", "json")))

    def test_generated_problems_are_valid(self):
        for seed in range(300):
            with self.subTest(seed):
                self.problem.validate(json.loads(json.dumps(generate.generate(seed))))

    def test_what_the_program_refuses_by_name_the_schema_refuses(self):
        good = problem_in(os.path.join(DATA, "worked-example.json"))
        for change in ({"W_q": [[1]]}, {"score": "dott"}, {"heads": 0}, {"heads": 1.5}, {"causal": "yes"},
                       {"mask": [[1]]}, {"weight_layout": "both"}, {"softcap": 3}, {"digits": -1}):
            with self.subTest(change):
                self.assertFalse(self.problem.is_valid({**copy.deepcopy(good), **change}))

    def test_a_trace_without_its_members_is_not_valid(self):
        good = json.loads(output("demo", "--format", "json"))
        for key in good:
            with self.subTest(key):
                self.assertFalse(self.trace.is_valid({name: value for name, value in good.items() if name != key}))


if __name__ == "__main__":
    unittest.main(verbosity=1)
