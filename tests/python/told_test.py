"""attn.why(), check(), diff() and attn.testing in Python: what the program says."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

from common import DATA, np, program, said_by_program

import attn
from attn.testing import assert_attention

EXAMPLE = DATA / "worked-example.json"
SCALED = DATA / "worked-example-scaled.json"
SELF = {"inputs": [[1, 0, 1, 0], [0, 2, 0, 2], [1, 1, 1, 1]], "score": "dot",
        "weights": {"key": [[0, 0, 1], [1, 1, 0], [0, 1, 0], [1, 1, 0]],
                    "query": [[1, 0, 1], [1, 0, 0], [0, 0, 1], [0, 1, 1]],
                    "value": [[0, 2, 0], [0, 3, 0], [1, 0, 3], [1, 1, 0]]}}


class Why(unittest.TestCase):
    def test_a_number_is_told_as_the_program_tells_it(self):
        for what in ("scores[1,2]", "S[1,2]", "context[2,3]", "attention_weights"):
            self.assertEqual(attn.why(EXAMPLE, what), said_by_program("why", EXAMPLE, what))
        self.assertEqual(attn.why(attn.run(EXAMPLE), "scores[1,2]", depth=1),
                         said_by_program("why", EXAMPLE, "scores[1,2]", "--depth", "1"))
        self.assertEqual(attn.why(EXAMPLE, "C[1,2]", top=1), said_by_program("why", EXAMPLE, "C[1,2]", "--top", "1"))
        with self.assertRaises(ValueError):
            attn.why(EXAMPLE, "C[1,2]", top=0)
        with self.assertRaisesRegex(ValueError, "inputs is given"):
            attn.why(EXAMPLE, "X[1,2]", top=1)

    def test_what_is_too_long_to_be_told_is_refused(self):
        wide = {"queries": np.ones((1, 200_000)), "keys": np.ones((1, 200_000))}
        self.assertIn("199984 more", attn.why(wide, "scores[1,1]"))
        with self.assertRaises(MemoryError):
            attn.why(wide, "scores[1,1]", full=True, max_memory=20_000_000)

    def test_a_step_left_out_for_its_size_is_told_all_the_same(self):
        problem = {"queries": np.ones((40, 64)), "keys": np.ones((40, 64))}
        for given in (problem, attn.run(problem)):
            self.assertIn("U[1,1,1] = ", attn.why(given, "weighted_values[1,1,1]"))

    def test_rounded_by_hand_it_is_told_as_rounded(self):
        path = DATA / "worked-example-rounded.json"
        self.assertEqual(attn.why(path, "context[1,2]"), said_by_program("why", path, "context[1,2]"))
        self.assertEqual(attn.why(attn.run(path), "context[1,2]"), said_by_program("why", path, "context[1,2]"))
        large = {"queries": np.ones((40, 64)), "keys": np.ones((40, 64))}
        self.assertEqual(attn.why(attn.run(large, hand_rounding=2), "context[1,2]"),
                         attn.why(large, "context[1,2]", hand_rounding=2))

    def test_a_question_without_an_answer_is_refused(self):
        with self.assertRaisesRegex(ValueError, "did you mean `scores`"):
            attn.why(EXAMPLE, "scors[1,2]")
        with self.assertRaises(ValueError):
            attn.why(EXAMPLE, "scores[1,9]")
        with self.assertRaisesRegex(TypeError, "give options to run"):
            attn.why(attn.run(EXAMPLE), "scores[1,2]", dtype="f32")
        with self.assertRaisesRegex(TypeError, "no option is called dtyp"):
            attn.why(EXAMPLE, "scores[1,2]", dtyp="f32")


class Check(unittest.TestCase):
    def test_what_is_right_is_right(self):
        weights = np.round(attn.run(EXAMPLE)["attention_weights"], 3)
        report = attn.check(EXAMPLE, {"S": [[2, 4, 4], [4, 16, 12], [4, 12, 10]], "attention_weights": weights})
        self.assertEqual((report.verdict, report.first_wrong, report.diagnoses), ("right", None, []))

    def test_a_mistake_is_named(self):
        scores = np.array([[2, 4, 4], [4, 16, 12], [4, 12, 10]]) / np.sqrt(3)
        report = attn.check(SELF, {"scores": (scores * np.sqrt(3)).round(2), "scaled_scores": scores.round(2)})
        self.assertEqual([found["mistake"] for found in report.diagnoses], ["scale.added"])
        self.assertEqual(report.verdict, "wrong")

    def test_blanks_and_masked_numbers_are_not_wrong(self):
        half = np.ma.masked_equal([[2, 4, 4], [4, 99, 12], [4, 12, 10]], 99)
        for scores in ([[2, 4, 4], [4, None, 12], [4, 12, 10]], half, {"1,2": 4}):
            report = attn.check(SELF, {"scores": scores})
            self.assertIn(report.verdict, ("right", "incomplete"))
            self.assertEqual(report.steps[0]["wrong"], 0)

    def test_numbers_of_single_precision_have_its_digits(self):
        trace = attn.run(EXAMPLE)
        single = {name: trace[name].astype(np.float32) for name in ("attention_weights", "context")}
        report = attn.check(EXAMPLE, single)
        self.assertEqual(report.verdict, "right")

    def test_a_file_is_marked_as_the_program_marks_it(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in [("ada.json", '{"steps": {"scores": [[2, 4, 4], [4, 15, 12], [4, 12, 10]]}}'),
                               ("ada.txt", "S = [2 4 4; 4 15 12; 4 12 10]\n"),
                               ("scores.csv", "2,4,4\n4,15,12\n4,12,10\n")]:
                path = os.path.join(folder, name)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
                report = attn.check(EXAMPLE, path)
                self.assertEqual(report.data, json.loads(program("check", EXAMPLE, path, "--format", "json")))
                self.assertEqual(report.first_wrong, "scores")

    def test_no_more_is_told_than_is_to_be_revealed(self):
        wrong = {"scores": [[2, 4, 4], [4, 15, 12], [4, 12, 10]]}
        self.assertNotIn("16", str(attn.check(EXAMPLE, wrong)))
        self.assertIn("16", str(attn.check(EXAMPLE, wrong, reveal="value")))
        self.assertEqual(attn.check(EXAMPLE, wrong, reveal="none").diagnoses, [])
        with self.assertRaisesRegex(ValueError, "no reveal is called"):
            attn.check(EXAMPLE, wrong, reveal="all")

    def test_faulty_answers_are_refused_by_their_place(self):
        with self.assertRaises(attn.ProblemError) as raised:
            attn.check(EXAMPLE, {"scors": [[1]]})
        self.assertEqual(raised.exception.faults[0].pointer, "/steps/scors")
        self.assertIn("scores", raised.exception.faults[0].help)


class Diff(unittest.TestCase):
    def test_the_first_step_that_differs_and_what_explains_it(self):
        trace = attn.run(SCALED)
        wrong = trace["scores"] / 3
        weights = np.exp(wrong) / np.exp(wrong).sum(-1, keepdims=True)
        difference = attn.diff(SCALED, {"q": trace["queries"], "attn_weights": weights,
                                        "context": weights @ trace["values"]})
        self.assertFalse(difference.equal)
        self.assertEqual(difference.first_different, "attention_weights")
        self.assertEqual(difference.explanations[0]["id"], "scale.by_dk")
        self.assertIn("as if the scores were divided by d_k", " ".join(str(difference).split()))

    def test_a_file_is_compared_as_the_program_compares_it(self):
        for other in (DATA / "another-program.npz", EXAMPLE):
            difference = attn.diff(SCALED, other)
            self.assertEqual(str(difference), said_by_program("diff", SCALED, other))
            self.assertEqual(difference.data, json.loads(program("diff", SCALED, other, "--format", "json")))

    def test_traces_are_compared_stored_or_not(self):
        trace = attn.run(EXAMPLE)
        with tempfile.TemporaryDirectory() as folder:
            for ending in (".json", ".npz", ".safetensors"):
                path = os.path.join(folder, "trace" + ending)
                written = trace.written(ending[1:])
                with open(path, "wb") as file:
                    file.write(written if isinstance(written, bytes) else written.encode())
                self.assertTrue(attn.diff(EXAMPLE, path).equal, ending)
                self.assertFalse(attn.diff(SCALED, path).equal, ending)
        self.assertTrue(attn.diff(trace, attn.run(SELF)).equal)
        self.assertEqual(attn.diff(trace, attn.run(SCALED)).first_different, "scaled_scores")

    def test_layouts_and_dtypes_of_frameworks_are_no_difference(self):
        trace = attn.run(DATA / "eight-heads-batch.json")
        side_by_side = trace["queries"].transpose(0, 2, 1, 3).reshape(trace["inputs"].shape[:2] + (-1,))
        difference = attn.diff(trace, {"model.attn.q": side_by_side.astype(np.float32),
                                       "attn_weights": trace["attention_weights"].astype(np.float32)})
        self.assertTrue(difference.equal)
        self.assertEqual(difference.data["B"]["dtype"], "f32")

    def test_how_close_is_the_same_may_be_said(self):
        scores = attn.run(EXAMPLE)["scores"] * (1 + 1e-6)
        self.assertFalse(attn.diff(EXAMPLE, {"scores": scores}).equal)
        self.assertTrue(attn.diff(EXAMPLE, {"scores": scores}, rtol=1e-5).equal)
        both = {"scores": scores, "context": scores}
        for only in ("S", ["S"], "sc*", ["scores", "m*"]):
            self.assertTrue(attn.diff(EXAMPLE, both, only=only, atol=1).equal, only)
        for only in ((), "*", ["S", "C"], "c*"):
            self.assertFalse(attn.diff(EXAMPLE, both, only=only, atol=1).equal, only)

    def test_what_is_no_tolerance_is_refused(self):
        for asked in ({"rtol": float("nan")}, {"rtol": -1e-3}, {"atol": -1}):
            with self.assertRaisesRegex(ValueError, "a tolerance is a number from 0"):
                attn.diff(EXAMPLE, EXAMPLE, **asked)

    def test_nothing_in_common_is_refused(self):
        with self.assertRaisesRegex(ValueError, "has none of the steps"):
            attn.diff(EXAMPLE, {"loss": np.zeros(1)})
        with self.assertRaises(KeyError):
            attn.diff(EXAMPLE, {"scores": np.zeros((3, 3))}, only="scors")
        with self.assertRaisesRegex(ValueError, "no step that only names is in both"):
            attn.diff(EXAMPLE, {"scores": np.zeros((3, 3))}, only="context")

    def test_the_output_of_what_projects_none_is_its_context(self):
        trace = attn.run(EXAMPLE)
        right = {"attn_weights": trace["attention_weights"], "output": trace["context"]}
        self.assertTrue(attn.diff(EXAMPLE, right).equal)
        difference = attn.diff(EXAMPLE, {**right, "output": trace["context"] + 1})
        self.assertEqual(difference.first_different, "context")

    def test_a_step_that_one_of_two_problems_has_is_a_difference(self):
        for first, second in ((EXAMPLE, SCALED), (SCALED, EXAMPLE)):
            difference = attn.diff(first, second, only="scaled_scores")
            self.assertFalse(difference.equal)
            self.assertEqual(str(difference), said_by_program("diff", first, second, "--only", "scaled_scores"))


class Testing(unittest.TestCase):
    def test_what_is_the_same_passes(self):
        trace = attn.run(EXAMPLE)
        self.assertTrue(assert_attention(EXAMPLE, {"scores": trace["scores"]}).equal)
        self.assertTrue(assert_attention(trace, dict(trace)).equal)

    def test_the_message_is_what_diff_says(self):
        path = DATA / "another-program.npz"
        with self.assertRaises(AssertionError) as raised:
            assert_attention(SCALED, path)
        self.assertEqual(str(raised.exception).strip(), said_by_program("diff", SCALED, path))

    def test_pytest_shows_the_callers_line(self):
        try:
            import pytest  # noqa: F401
        except ImportError:
            self.skipTest("there is no pytest")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "test_mine.py")
            with open(path, "w", encoding="utf-8") as file:
                file.write("from attn.testing import assert_attention\n\ndef test_mine():\n    assert_attention("
                           f"{str(SCALED)!r}, {str(DATA / 'another-program.npz')!r})\n")
            said = subprocess.run([sys.executable, "-m", "pytest", "-q", path], capture_output=True, text=True,
                                  timeout=120).stdout
        self.assertIn("test_mine.py:4: AssertionError", said)
        self.assertIn("scale.by_dk", said)


if __name__ == "__main__":
    unittest.main()
