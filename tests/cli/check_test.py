"""`attn check` as a student, a teacher and a script meet it."""

import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from decimal import ROUND_HALF_UP, Decimal

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "property"))

import every_feature
from slow import SLOW, share

ATTN = os.path.abspath(os.environ["ATTN"])
ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
DATA = os.path.join(ROOT, "data")
EXAMPLE = os.path.join(DATA, "worked-example.json")
SCALED = os.path.join(DATA, "worked-example-scaled.json")

QUERIES = [[1, 0, 2], [2, 2, 2], [2, 1, 3]]
KEYS = [[0, 1, 1], [4, 4, 0], [2, 3, 1]]
VALUES = [[1, 2, 3], [2, 8, 0], [2, 6, 3]]
SCORES = [[2, 4, 4], [4, 16, 12], [4, 12, 10]]
WEIGHTS = [["0.06", "0.47", "0.47"], ["0.00", "0.98", "0.02"], ["0.00", "0.88", "0.12"]]
CONTEXT = [["1.94", "6.68", "1.60"], ["2.00", "7.96", "0.05"], ["2.00", "7.76", "0.36"]]
RIGHT = {"keys": KEYS, "queries": QUERIES, "values": VALUES, "scores": SCORES, "attention_weights": WEIGHTS,
         "context": CONTEXT}
SLIP = {**RIGHT, "scores": [[2, 4, 4], [4, 61, 12], [4, 12, 10]]}


def attn(*words, text=None, folder=None):
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
    return subprocess.run([ATTN, *words], input=text, capture_output=True, encoding="utf-8", env=environment,
                          cwd=folder, timeout=1200 if SLOW else 120)


def answers(steps):
    return json.dumps({"schema": "attn/answers/1", "steps": steps})


def numbers_in(text):
    return re.findall(r"(?<![\w.])[-−]?\d+(?:\.\d+)?", text)


class CheckTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="attn-check-")
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def check(self, steps, *options, problem=EXAMPLE):
        return attn("check", problem, self.path("answers.json", answers(steps)), *options)

    def report(self, steps, *options, problem=EXAMPLE):
        return json.loads(self.check(steps, "--format", "json", *options, problem=problem).stdout)


class SeveralSlips(CheckTest):
    def test_two_exchanges_in_one_step_are_told_once_each(self):
        for scores, cells in (([[2, 4, 4], [4, 12, 16], [4, 10, 12]], [[[2, 2], [2, 3]], [[3, 2], [3, 3]]]),
                              ([[4, 2, 4], [4, 12, 16], [4, 12, 10]], [[[1, 1], [1, 2]], [[2, 2], [2, 3]]])):
            told = self.report({"scores": scores})["diagnoses"]
            self.assertEqual([(one["mistake"], one["cells"]) for one in told],
                             [("slip.cells_swapped", cell) for cell in cells])

    def test_a_row_of_zeros_is_wrong_and_its_sum_says_nothing(self):
        """It may be left over; any other row is told what it adds up to."""
        for row, evidence in ((["0.00", "0.00", "0.00"], ""), (["0.30", "0.98", "0.02"], "row 2 to 1.3")):
            told, = self.report({"attention_weights": [WEIGHTS[0], row, WEIGHTS[2]]})["diagnoses"]
            self.assertEqual(told["mistake"], "unexplained")
            self.assertTrue(told["evidence"].endswith(evidence) and bool(told["evidence"]) == bool(evidence), told)


def steps_of(problem):
    done = attn("run", "-", "--format", "json", text=json.dumps(problem))
    return {step["id"]: step["data"] for step in json.loads(done.stdout)["steps"]}


def with_decimals(numbers, decimals=4):
    if isinstance(numbers, list):
        return [with_decimals(one, decimals) for one in numbers]
    return f"{numbers:.{decimals}f}"


def transposed(matrix):
    return [list(column) for column in zip(*matrix)]


class WhatNobodySaw(CheckTest):
    """What was done in a step that was not handed in shows behind it."""

    def told(self, problem, steps):
        found = self.report(steps, problem=self.path("problem.json", json.dumps(problem)))["diagnoses"]
        return [(one["mistake"], one["step"], one["cells"]) for one in found if one["kind"] == "error"]

    def test_a_slip_in_values_that_several_heads_share_is_found_in_them(self):
        problem = {"inputs": [[-0.7, 0.4], [1.4, -0.3], [1.0, -0.2]], "heads": 4, "kv_heads": 2, "weights": {
            "query": [[[0.8, 1.0], [0.3, -0.1]], [[-0.4, -1.2], [-1.4, -1.1]], [[0.6, -0.2], [0.9, 0.5]],
                      [[1.1, -0.3], [0.3, -0.4]]],
            "key": [[[-0.8, 1.3], [-0.5, 0.6]], [[-0.7, 0.4], [0.6, 0.7]]],
            "value": [[[1.5, 0.2], [1.3, 0.3]], [[-0.9, 0.5], [1.1, 0.3]]]}}
        right = steps_of(problem)
        weights, values = right["attention_weights"], right["values"]
        values[1][1][0] *= -1
        context = [[[sum(row[key] * values[head // 2][key][i] for key in range(3)) for i in range(2)]
                    for row in weights[head]] for head in range(4)]
        steps = {"attention_weights": with_decimals(weights, 6), "context": with_decimals(context)}
        self.assertEqual(self.told(problem, steps), [("slip.sign", "values", [[2, 2, 1]])])

    def test_a_slip_in_a_layer_is_found_behind_the_next(self):
        layers = [{"self": {"weights": {"query": [[-0.1], [0.4]], "key": [[-0.4], [-0.7]],
                                        "value": [[-1.1, -1.0], [1.2, 0.6]]}}},
                  {"self": {"weights": {"query": [[-1.5], [-0.5]], "key": [[0.1], [-0.1]],
                                        "value": [[1.3, 0.4], [-1.3, -0.5]]}}}]
        inputs = [[0.7, 1.1], [-0.6, 1.3]]
        problem = {"inputs": inputs, "block": {"layers": layers}}
        context = steps_of(problem)["layer1.self.context"]
        context[1][1] *= -1
        behind = [[a + b for a, b in zip(*rows)] for rows in zip(inputs, context)]
        second = steps_of({"inputs": behind, "block": {"layers": layers[1:]}})
        self.assertEqual(self.told(problem, {"layer2.self.context": with_decimals(second["layer1.self.context"])}),
                         [("slip.sign", "layer1.self.context", [[2, 2]])])


class RoundedEarly(CheckTest):
    """One decimal is kept, and what follows has three: right, with a word about it."""

    def test_it_is_told_of_scores(self):
        scaled = [[f"{score / math.sqrt(3):.1f}" for score in row] for row in SCORES]
        weights = []
        for row in scaled:
            powers = [math.exp(float(score)) for score in row]
            weights.append([f"{power / sum(powers):.3f}" for power in powers])
        self.assert_told({"scaled_scores": scaled, "attention_weights": weights}, "rounding.scores_rounded", SCALED)

    def test_it_is_told_of_scores_that_are_still_to_be_scaled(self):
        problem = {"queries": [[0.25, 1.33], [0.5, 1]], "keys": [[1.1, 0.3], [0.7, 0.9]], "values": [[1], [2]]}
        exact = [[sum(a * b for a, b in zip(query, key)) for key in problem["keys"]] for query in problem["queries"]]
        scores = [[f"{score:.1f}" for score in row] for row in exact]
        scaled = [[f"{float(score) / math.sqrt(2):.3f}" for score in row] for row in scores]
        self.assert_told({"scores": scores, "scaled_scores": scaled}, "rounding.scores_rounded",
                         self.path("problem.json", json.dumps(problem)))

    def test_it_is_told_of_weights(self):
        weights = [["0.1", "0.5", "0.5"], ["0.0", "1.0", "0.0"], ["0.0", "0.9", "0.1"]]
        context = [[f"{sum(float(weight) * value[i] for weight, value in zip(row, VALUES)):.3f}" for i in range(3)]
                   for row in weights]
        self.assert_told({"attention_weights": weights, "context": context}, "rounding.early", EXAMPLE)

    def assert_told(self, steps, mistake, problem):
        report = self.report(steps, problem=problem)
        self.assertEqual(report["verdict"], "right")
        self.assertEqual([(one["mistake"], one["step"]) for one in report["diagnoses"]], [(mistake, next(iter(steps)))])


class OtherRules(CheckTest):
    def test_a_number_just_above_the_middle_is_rounded_up_by_every_rule(self):
        """1.235000005 is 1.24; cut off it is 1.23, which nobody takes who compares rounded numbers."""
        problem = self.path("problem.json", json.dumps({"queries": [[1.235000005]], "keys": [[1]], "values": [[1]],
                                                        "score": "dot"}))
        for rule in (("--compare", "sigfig", "--digits", "3"), ("--compare", "decdig", "--digits", "2"), ()):
            self.assertEqual(self.report({"scores": [["1.24"]]}, *rule, problem=problem)["verdict"], "right")
            cut = self.report({"scores": [["1.23"]]}, *rule, problem=problem)
            self.assertEqual(cut["verdict"], "wrong" if rule else "right")
            self.assertEqual([one["mistake"] for one in cut["diagnoses"]],
                             ["unexplained" if rule else "rounding.truncated"])

    def test_powers_of_large_scores_may_have_had_the_largest_subtracted(self):
        """Of scores with one digit that count nobody knows e^x: it may be anything."""
        problem = self.path("problem.json", json.dumps({"queries": [[1000], [1]], "keys": [[1], [2]],
                                                        "values": [[1], [2]], "score": "dot"}))
        scores = [[1000, 2000], [1, 2]]
        # e^(1 − 2) and e^0, or e^1 and e^2.
        for last in (["0.37", "1"], ["2.7", "7.4"]):
            for rule in (("--compare", "sigfig", "--digits", "1"), ()):
                report = self.report({"scores": scores, "exponentials": [["0", "1"], last]}, *rule, problem=problem)
                self.assertEqual(report["verdict"], "right", (last, rule))


class Verdicts(CheckTest):
    def test_right_answers_end_with_0_and_say_so(self):
        done = self.check(RIGHT)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("Keys, queries, values, scores, attention weights, context: right, all 54 numbers.",
                      " ".join(done.stdout.split()))

    def of(self, problem, steps, *options):
        return self.report(steps, *options, problem=self.path("problem.json", json.dumps(problem)))

    def test_numbers_with_a_hundred_decimals_are_marked_as_any(self):
        problem = {"queries": [[20, 0], [0, 1]], "keys": [[10, 0], [0, 5]], "score": "dot"}
        weights = [[1, 1.3838965267367376e-87], [0.0024726231566347743, 0.9975273768433653]]
        report = self.of(problem, {"scores": [[200, 0], [0, 6]], "attention_weights": weights, "context": [[10, 0], [1, 2]]})
        self.assertEqual((report["verdict"], report["first_wrong"]), ("wrong", "scores"))

    def test_a_whole_number_is_right_however_many_decimals_stand_elsewhere(self):
        """Numbers of six decimals come from machines, which may work in single precision; whole ones are exact there."""
        problem = {"queries": [[1, 1, 1, 0], [0, 1, 0, 1]], "keys": [[1, -1, 1, 2], [2, 1, 0, 1]], "heads": 2, "score": "dot"}
        weights = [[[0.04742587, 0.95257413], [0.11920292, 0.88079708]], [[0.73105858, 0.26894142]] * 2]
        steps = {"scores": [[[0, 3], [-1, 1]], [[1, 0], [2, 1]]], "attention_weights": weights}
        self.assertEqual(self.of(problem, steps)["verdict"], "right")

    def test_what_stands_for_minus_infinity_is_not_rounded_early(self):
        with open(EXAMPLE, encoding="utf-8") as file:
            problem = {**json.load(file), "causal": True}
        weights = [[1, 0, 0], ["0.00", "1.00", 0], ["0.00", "0.88", "0.12"]]
        for closed in (-10000, "-1e9", "-inf"):
            masked = [[2, closed, closed], [4, 16, closed], [4, 12, 10]]
            report = self.of(problem, {"masked_scores": masked, "attention_weights": weights})
            self.assertEqual((report["verdict"], report["diagnoses"]), ("right", []))

    def test_zeros_behind_the_decimals_of_a_problem_tell_nothing_whatever_is_not_rounded_there(self):
        problem = {"queries": [[1, 0], [0, 1]], "keys": [[1, 0], [0, 2]], "values": [[1, 2], [3, 4]], "score": "dot",
                   "arithmetic": {"hand_rounding": "1:half-up"}}
        powers = [["1.00", "0.37"], ["0.14", "1.00"]]
        for weights in ([["0.70", "0.30"], ["0.10", "0.90"]], [["0.7", "0.3"], ["0.1", "0.9"]]):
            self.assertEqual(self.of(problem, {"exponentials": powers, "attention_weights": weights})["verdict"], "right")

    def test_a_step_that_the_problem_does_not_have_is_shown_like_the_one_it_comes_from(self):
        problem = self.path("problem.json", json.dumps({"queries": [[1, 0], [0, 1], [1, 1]], "keys": [[1, 0], [0, 1], [1, 1]],
                                                        "values": [[1, 2], [3, 4], [5, 6]], "score": "dot"}))
        told = " ".join(self.check({"output": [["3.31", "4.31"], ["3.31", "4.31"]]}, problem=problem).stdout.split())
        self.assertIn("You wrote 2 × 2; this step is 3 × 2", told)
        told = self.check({"output": [["3.31", "4.31"], ["3.31", "4.31"], ["3", "4"]]}, problem=problem).stdout
        self.assertIn("[3 × 2]", told)

    def test_behind_a_slip_in_a_large_problem_another_number_is_still_wrong(self):
        inputs = [[(i * 37 % 23 - 11) / 10, (i * 17 % 19 - 9) / 10] for i in range(85)]
        problem = json.dumps({"inputs": inputs, "weights": {
            "query": [[1, 0], [0, 1]], "key": [[0.25, 0], [0, 0.25]], "value": [[1, 2], [0, 1]],
            "output": [[1, 0], [1, 1]]}})
        right = {step["id"]: step["data"]
                 for step in json.loads(attn("run", "-", "--format", "json", text=problem).stdout)["steps"]}
        # The point of one value stands two digits too far right; and one number of the output is off by 5.
        slip = 99 * right["values"][5][0]
        context = [[row[0] + weights[5] * slip, row[1]]
                   for row, weights in zip(right["context"], right["attention_weights"])]
        output = [[a + b, b] for a, b in context]
        output[7][1] += 5
        written = {name: [[f"{number:.4f}" for number in row] for row in rows]
                   for name, rows in (("context", context), ("output", output))}
        said = self.report(written, problem=self.path("large.json", problem))
        self.assertEqual([(one["mistake"], one["step"]) for one in said["diagnoses"]],
                         [("slip.decimal_point", "values"), ("unexplained", "output")])
        wrong = [cell["index"] for cell in said["steps"][1]["cells"] if cell["state"] == "wrong"]
        self.assertEqual(wrong, [[8, 2]])

    def test_what_comes_of_a_short_dtype_is_right_and_so_is_what_is_exact(self):
        """Who computes in bf16 rounds each step to it; who works by hand does not. A slip is one to both."""
        with open(os.path.join(DATA, "precision.json"), encoding="utf-8") as file:
            problem = json.load(file)
        exact = self.path("exact.json", json.dumps(problem))
        for dtype in ("bf16", "f16"):
            problem["arithmetic"] = {"dtype": dtype}
            short = self.path(f"{dtype}.json", json.dumps(problem))
            trace = json.loads(attn("run", short, "--format", "json").stdout)
            steps = {step["id"]: step["data"] for step in trace["steps"]}
            with self.subTest(dtype=dtype):
                self.assertEqual(self.check(steps, problem=short).returncode, 0)
                self.assertEqual(self.check({"context": steps["context"]}, problem=short).returncode, 0)
                self.assertEqual(self.check(steps, problem=exact).returncode, 1)
                steps["scores"][0][1] = -steps["scores"][0][1]
                self.assertEqual(self.check({"scores": steps["scores"]}, problem=short).returncode, 1)

    def test_a_wrong_number_ends_with_1_and_is_marked(self):
        done = self.check(SLIP)
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertIn("✗ 61", done.stdout)
        self.assertLess(done.stdout.index("all right"), done.stdout.index("✗ 61"))

    def test_an_expression_is_as_wrong_as_the_number_it_is(self):
        """Nothing else was written with decimals, and nobody works with whole numbers on the way."""
        problem = self.path("p.json", json.dumps({
            "queries": [[3, 0, 0, 0], [0, 2, 0, 0]], "keys": [[1, 0, 0, 0], [0, 1, 0, 0]], "values": [[1], [2]], "digits": 2}))
        right, wrong = "e^1.5/(e^1.5+1)", "e^2/(e^2+1)"  # the scaled score is 1.5
        for row in ([wrong, "1/(e^2+1)"], ["1/2", "1/2"], ["e/(e+1)", "1/(e+1)"]):
            for more in ({}, {"scaled_scores": [["1.5", "0"], ["0", "1"]]}, {"scaled_scores": [["3/2", "0"], ["0", "1"]]}):
                report = self.report({**more, "attention_weights": [row, None]}, problem=problem)
                self.assertEqual((report["verdict"], report["first_wrong"]), ("wrong", "attention_weights"), (row, more))
        report = self.report({"attention_weights": [[right, "1/(e^1.5+1)"], ["1/(1+e)", "e/(1+e)"]]}, problem=problem)
        self.assertEqual(report["verdict"], "right")
        self.assertEqual(self.report({"attention_weights": [["0.82", "0.18"], None]}, problem=problem)["verdict"], "incomplete")

    def test_blanks_are_incomplete_and_end_with_0(self):
        done = self.check({**RIGHT, "scores": [[2, 4, None], [4, 16, 12], [4, 12, 10]]}, "--format", "json")
        report = json.loads(done.stdout)
        self.assertEqual((done.returncode, report["verdict"], report["first_wrong"]), (0, "incomplete", None))
        scores = next(step for step in report["steps"] if step["id"] == "scores")
        self.assertEqual((scores["right"], scores["blank"]), (8, 1))
        self.assertEqual(scores["cells"], [{"index": [1, 3], "state": "blank"}])

    def test_the_report_of_one_file_is_an_object_as_the_contract_has_it(self):
        report = self.report(SLIP)
        self.assertEqual((report["schema"], report["verdict"], report["first_wrong"]),
                         ("attn/report/1", "wrong", "scores"))
        scores = next(step for step in report["steps"] if step["id"] == "scores")
        self.assertEqual((scores["right"], scores["wrong"]), (8, 1))
        self.assertEqual(scores["cells"], [{"index": [2, 2], "state": "wrong", "given": "61"}])
        self.assertEqual([step["id"] for step in report["steps"]], list(RIGHT))
        self.assertEqual(report["diagnoses"][0]["cells"], [[2, 2]])

    def test_the_rounding_of_the_problem_is_not_asked_of_people(self):
        problem = os.path.join(DATA, "worked-example-rounded.json")
        self.assertEqual(self.check(RIGHT, problem=problem).returncode, 0)

    def test_another_shape_is_said_with_both_shapes(self):
        done = self.check({"scores": [[2, 4], [4, 16], [4, 12]]})
        self.assertEqual(done.returncode, 1)
        self.assertIn("You wrote 3 × 2; this step is 3 × 3", done.stdout)


class StepsBesideThoseOfTheProblem(CheckTest):
    """Somebody may write a step that the problem does not show, or more of one than there is."""

    def verdicts(self, steps, *options, problem=EXAMPLE):
        report = self.report(steps, *options, problem=problem)
        return {step["id"]: (step["right"], step["wrong"]) for step in report["steps"]}, report["notes"]

    def test_a_step_that_changes_nothing_here_has_the_numbers_of_the_one_before(self):
        for steps in ({"masked_scores": SCORES}, {"concat": CONTEXT}, {"output": CONTEXT},
                      {"concat": CONTEXT, "output": CONTEXT},
                      {"projected_keys": KEYS, "projected_queries": QUERIES, "projected_values": VALUES}):
            with self.subTest(steps=list(steps)):
                self.assertEqual(self.verdicts(steps), ({step: (9, 0) for step in steps}, []))
                off = {step: [[7.77, *rows[0][1:]], *rows[1:]] for step, rows in steps.items()}
                last = list(steps)[-1]
                self.assertEqual(self.verdicts({last: off[last]})[0], {last: (8, 1)})

    def test_masked_scores_of_no_mask_are_the_scaled_ones(self):
        scaled = [[f"{x / 3 ** 0.5:.3f}" for x in row] for row in SCORES]
        self.assertEqual(self.verdicts({"masked_scores": scaled}, problem=SCALED)[0], {"masked_scores": (9, 0)})
        self.assertEqual(self.report({"masked_scores": SCORES}, problem=SCALED)["verdict"], "wrong")

    def test_what_every_head_projects_stands_side_by_side(self):
        problem = os.path.join(DATA, "tom-yeh-three-heads.json")  # vectors are columns: heads one under the other
        trace = json.loads(attn("run", problem, "--format", "json").stdout)
        heads = {step["id"]: step["data"] for step in trace["steps"]}
        steps = {f"projected_{name}": [row for head in heads[name] for row in head]
                 for name in ("keys", "queries", "values")}
        self.assertEqual(self.verdicts(steps, problem=problem)[0], {step: (54, 0) for step in steps})
        steps["projected_keys"][4][1] += 1
        self.assertEqual(self.verdicts(steps, problem=problem)[0],
                         {step: (53, 1) if step == "projected_keys" else (54, 0) for step in steps})

    def test_a_step_that_means_nothing_here_is_not_marked_and_said(self):
        steps, notes = self.verdicts({"score_keys": KEYS, "mask": [[1] * 3] * 3, "capped_scores": SCORES,
                                      "scores": SCORES})
        self.assertEqual(steps, {"scores": (9, 0)})
        self.assertEqual(notes, [f"this problem has no {name}: not marked"
                                 for name in ("score keys", "mask", "capped scores")])
        block = os.path.join(DATA, "block-by-hand.json")
        steps, notes = self.verdicts({"masked_scores": SCORES}, problem=block)
        self.assertEqual((steps, notes), ({}, ["this problem has no masked scores: not marked"]))

    def test_a_number_alone_and_far_too_many_have_another_shape(self):
        alone = self.report({"context": 5})
        self.assertEqual((alone["verdict"], alone["first_wrong"]), ("wrong", "context"))
        self.assertEqual((alone["steps"][0]["wrong"], alone["diagnoses"][0]["mistake"]), (1, "unexplained"))
        many = self.report({"scores": [[1] * 20] * 20, "keys": KEYS})
        self.assertEqual((many["verdict"], many["first_wrong"]), ("wrong", "scores"))
        self.assertEqual(many["steps"][0]["right"], 9)
        self.assertIn("You wrote 20 × 20", self.check({"scores": [[1] * 20] * 20}).stdout)

    def test_a_maximum_of_another_shape_is_wrong_alone(self):
        powers = [["0.1353", "1", "1"], ["0.0000", "1", "0.0183"], ["0.0003", "1", "0.1353"]]
        self.assertEqual(self.verdicts({"row_maximum": [4], "exponentials": powers})[0],
                         {"row_maximum": (0, 1), "exponentials": (9, 0)})

    def test_padding_is_no_excuse_for_another_shape(self):
        report = self.report({"context": [[1]]}, problem=os.path.join(DATA, "ragged-batch.json"))
        self.assertEqual((report["verdict"], report["first_wrong"]), ("wrong", "context"))

    def test_a_single_cell_may_be_blank_where_the_problem_rounds(self):
        report = self.report({"scores": {"1,1": None, "1,2": "4.00"}},
                             problem=os.path.join(DATA, "worked-example-rounded.json"))
        scores = report["steps"][0]
        self.assertEqual((report["verdict"], scores["right"], scores["blank"]), ("incomplete", 1, 1))

    def test_of_many_weighted_values_single_ones_are_marked(self):
        inputs = [[(7 * i + 3 * j) % 11 - 5 for j in range(4)] for i in range(160)]
        problem = self.path("many.json", json.dumps({"inputs": inputs}))
        weights = {step["id"]: step["data"] for step in json.loads(
            attn("run", problem, "--format", "json").stdout)["steps"]}["attention_weights"]
        places = [(0, 0, 0), (5, 7, 2), (159, 3, 1)]
        cells = {f"{q + 1},{k + 1},{d + 1}": f"{weights[q][k] * inputs[k][d]:.5f}" for q, k, d in places}
        self.assertEqual(self.verdicts({"weighted_values": cells}, problem=problem)[0], {"weighted_values": (3, 0)})


class Roundings(CheckTest):
    def test_scores_with_fewer_decimals_than_the_weights_behind_them_are_right_with_a_note(self):
        rough = [[f"{x / 3 ** 0.5:.1f}" for x in row] for row in SCORES]
        powers = [[2.718281828459045 ** float(x) for x in row] for row in rough]
        weights = [[f"{x / sum(row):.4f}" for x in row] for row in powers]
        report = self.report({"scaled_scores": rough, "attention_weights": weights}, problem=SCALED)
        self.assertEqual(report["verdict"], "right")
        self.assertEqual([(one["mistake"], one["step"]) for one in report["diagnoses"]],
                         [("rounding.scores_rounded", "scaled_scores")])

    def test_who_rounds_every_step_of_a_long_block_as_the_program_does_is_right(self):
        """Softmax is one step to them: of more lines than all ways can be tried of, its own are not rounded."""
        layer = {"self": {"weights": {"query": [[2], [-1]], "key": [[-1], [0]], "value": [[-1], [-2]], "output": [[2, -1]]}},
                 "norm1": {}, "norm2": {}, "ffn": {"in": [[2, 0], [2, -1]], "out": [[-1, 2], [0, 0]]}, "repeat": 2}
        problem = {"inputs": [[-2, 1], [1, -1], [2, -2]], "block": {"kind": "encoder", "norm": "pre", "layers": [layer]}}
        result = [["1.336", "0.280"], ["0.984", "-0.983"], ["-1.984", "0.001"]]
        path = self.path("problem.json", json.dumps(problem))
        report = self.report({"layer2.residual2": result}, problem=path)
        self.assertEqual((report["verdict"], report["notes"]), ("right", []))
        result[1][0] = "0.884"
        self.assertEqual(self.report({"layer2.residual2": result}, problem=path)["verdict"], "wrong")

    def test_whole_numbers_are_right_where_the_problem_rounds_to_them(self):
        with open(EXAMPLE, encoding="utf-8") as file:
            problem = json.load(file)
        ones, nearest = [[0, 1, 0]] * 3, [[0, 0, 0], [2, 8, 0], [2, 8, 0]]
        for rounding, steps in (("0:keep-sum", {"attention_weights": ones}), ("0:keep-sum", {"context": [[2, 8, 0]] * 3}),
                                ("0:half-up", {"context": nearest}), ("0:truncate", {"context": [[0, 0, 0]] * 3})):
            with self.subTest(rounding=rounding, steps=list(steps)):
                path = self.path("problem.json", json.dumps({**problem, "arithmetic": {"hand_rounding": rounding}}))
                self.assertEqual(self.report(steps, problem=path)["verdict"], "right")
        # Whoever cuts weights off has no weight left, which is right where the problem cuts them off.
        for rounding in ("0:half-up", "0:half-even", "0:keep-sum"):
            path = self.path("problem.json", json.dumps({**problem, "arithmetic": {"hand_rounding": rounding}}))
            self.assertEqual(self.report({"context": [[0, 0, 0]] * 3}, problem=path)["verdict"], "wrong", rounding)


class FixedRules(CheckTest):
    """A teacher's own rule in place of honest rounding."""

    def right_by(self, rule, steps, problem):
        path = self.path("p.json", json.dumps(problem))
        report = self.report(steps, "--compare", *rule, problem=path)
        return [step["right"] for step in report["steps"]], [step["wrong"] for step in report["steps"]]

    def test_what_is_closed_stays_minus_infinity_under_every_rule(self):
        problem = {"inputs": [[1, 0], [0, 1], [1, 1]], "causal": True}
        right = [["0.7071", "-inf", "-inf"], ["0", "0.7071", "-inf"], ["0.7071", "0.7071", "1.4142"]]
        opened = [["0.7071", "0", "-inf"], *right[1:]]
        for rule in (["decdig", "--digits", "2"], ["sigfig", "--digits", "2"], ["relabs", "--rtol", "0.01"]):
            self.assertEqual(self.right_by(rule, {"masked_scores": right}, problem), ([9], [0]), rule)
            self.assertEqual(self.right_by(rule, {"masked_scores": opened}, problem), ([8], [1]), rule)

    def test_significant_digits_count_from_the_first_whatever_the_size(self):
        problem = {"queries": [[1000, 0], [0, 1]], "keys": [[12345.678, 0], [0, 0]], "values": [[1], [2]],
                   "score": "dot"}
        digits = ["sigfig", "--digits", "2"]
        for first, last, right in (("12000000", "0", 4), ("12000000", "0.1", 3), ("13000000", "0", 3)):
            scores = [[first, "0"], ["0", last]]
            self.assertEqual(self.right_by(digits, {"scores": scores}, problem), ([right], [4 - right]), scores)
        tiny = {"queries": [[1]], "keys": [[1e-300], [1e308]], "values": [[1], [2]], "score": "dot"}
        digits = ["sigfig", "--digits", "15"]
        self.assertEqual(self.right_by(digits, {"scores": [["1e-300", "1e308"]]}, tiny), ([2], [0]))

    def test_a_tolerance_of_the_whole_number_has_no_upper_end(self):
        # The weights are 0.5 and 0.5.
        weight = {"queries": [[1]], "keys": [[0], [0]], "values": [[1], [2]], "score": "dot"}
        rule = ["relabs", "--rtol", "1"]
        for cells, counts in ((("0.1", "1"), ([2], [0])), (("-0.1", "1.1"), ([0], [2]))):
            self.assertEqual(self.right_by(rule, {"attention_weights": [cells]}, weight), counts, cells)

    def test_powers_too_large_to_be_written_do_not_stand_for_anything(self):
        problem = {"queries": [[1], [2]], "keys": [[800], [810], [0]], "values": [[1], [2], [3]], "score": "dot"}
        path = self.path("p.json", json.dumps(problem))
        for first, wrong in (("0.5", 1), ("0.00004540", 0)):  # e^-10
            report = self.report({"exponentials": [[first, "1.0", "0.0"], None]}, problem=path)
            self.assertEqual(report["steps"][0]["wrong"], wrong, first)


def each(data, change, place=()):
    """Nested lists with every number changed; `change` gets where it stands."""
    if isinstance(data, list):
        return [each(part, change, place + (i + 1,)) for i, part in enumerate(data)]
    return change(data, place)


def numbers_with_places(data, place=()):
    if isinstance(data, list):
        for i, part in enumerate(data):
            yield from numbers_with_places(part, place + (i + 1,))
    else:
        yield list(place), data


def rounded(value, decimals):
    if isinstance(value, str):
        return value
    return str(Decimal(repr(float(value))).quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_UP))


class EveryFeature(CheckTest):
    """Whoever works rightly is right, and a slip is found where it was made, in all that a problem can ask for."""

    # In these a number other than the right one is right too: exponentials count up to a factor a row.
    # Rows of padding have no slip to find.
    PASSED_OVER = ("exponentials",)

    def problems(self):
        paths = every_feature.write(self.folder)
        paths.pop("a ragged batch")
        for name, path in share(paths.items(), 3):
            trace = json.loads(attn("run", path, "--format", "json").stdout)
            if not trace["arithmetic"]["hand_rounding"]:
                yield name, path, {step["id"]: step["data"] for step in trace["steps"]}

    def reports(self, path, sets):
        files = [self.path(f"answers-{i}.json", answers(steps)) for i, steps in enumerate(sets)]
        done = attn("check", path, *files, "--format", "json")
        self.assertEqual(done.stderr, "")
        found = json.loads(done.stdout)
        return done.returncode, found if isinstance(found, list) else [found]

    def test_right_answers_are_right(self):
        for name, path, steps in self.problems():
            sets = [{step: each(data, lambda x, _: rounded(x, decimals)) for step, data in steps.items()}
                    for decimals in (4, 2)]
            code, reports = self.reports(path, sets)
            with self.subTest(name):
                self.assertEqual([code] + [(r["verdict"], r["first_wrong"]) for r in reports], [0] + [("right", None)] * 2)
                errors = [d for r in reports for d in r["diagnoses"] if d["kind"] == "error"]
                self.assertEqual(errors, [])

    def test_a_slip_is_found_where_it_was_made(self):
        for at, (name, path, steps) in enumerate(self.problems()):
            right = {step: each(data, lambda x, _: rounded(x, 4)) for step, data in steps.items()}
            sets, slips = [], []
            for step in [s for s in steps if s not in self.PASSED_OVER][at % 4::4]:  # a quarter of them, all over all problems
                finite = [(place, x) for place, x in numbers_with_places(steps[step]) if not isinstance(x, str)]
                place, value = finite[(5 * at + len(sets)) % len(finite)]
                wrong = 1 - value if step == "mask" else value + (0.37 if abs(value) < 1 else 1.37)
                sets.append({**right, step: each(right[step], lambda x, p: rounded(wrong, 4) if p == tuple(place) else x)})
                slips.append((step, place))
            code, reports = self.reports(path, sets)
            self.assertEqual(code, 1)
            for (step, place), report in zip(slips, reports):
                with self.subTest(problem=name, step=step, place=place):
                    self.assertEqual(report["first_wrong"], step)
                    wrong = {s["id"]: [c["index"] for c in s["cells"] if c["state"] == "wrong"] for s in report["steps"]
                             if s["wrong"]}
                    self.assertEqual(wrong, {step: [place]})

    def test_a_mistake_is_named_beside_every_feature(self):
        """Who leaves out the division by √d_k, or a mask, works on another problem."""
        named = 0
        for name, path, _ in self.problems():
            with open(path, encoding="utf-8") as file:
                problem = json.load(file)
            for mistake, other in self.mistaken(problem):
                trace = json.loads(attn("run", "-", "--format", "json", text=json.dumps(other)).stdout)
                steps = {step["id"]: each(step["data"], lambda x, _: rounded(x, 4)) for step in trace["steps"]}
                if named % 2:  # every other one hands in little
                    steps = {step: steps[step] for step in ("scores", "attention_weights", "context")}
                _, reports = self.reports(path, [steps])
                for report in reports:
                    with self.subTest(problem=name, mistake=mistake):
                        errors = [d for d in report["diagnoses"] if d["kind"] == "error"]
                        self.assertEqual(report["verdict"], "wrong")
                        self.assertIn(mistake, [errors[0]["mistake"], *errors[0]["ties"]])
                        self.assertEqual(len(errors), 1)
                        named += 1
        self.assertGreater(named, 10 if SLOW else 30)

    @staticmethod
    def mistaken(problem):
        if problem.get("score", "scaled_dot") == "scaled_dot" and "scale" not in problem:
            yield "scale.none", {**problem, "score": "dot"}
        if problem.get("positions") == "alibi":
            return  # what is then added where nothing is closed is not named yet
        for mask in ("causal", "window", "lengths"):
            if mask in problem:
                yield "mask.forgotten", {key: value for key, value in problem.items() if key != mask}


class Files(CheckTest):
    def test_a_table_is_named_by_its_step_or_by_the_option(self):
        table = "\n".join(",".join(map(str, row)) for row in SCORES) + "\n"
        named, other = self.path("scores.csv", table), self.path("homework.csv", table)
        self.assertEqual(attn("check", EXAMPLE, named).returncode, 0)
        self.assertEqual(attn("check", EXAMPLE, other, "--step", "scores").returncode, 0)
        done = attn("check", EXAMPLE, other)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--step", done.stderr)

    def test_a_dash_is_standard_input_for_one_of_them(self):
        self.assertEqual(attn("check", EXAMPLE, "-", text=answers(RIGHT)).returncode, 0)
        self.assertEqual(attn("check", EXAMPLE, "-", "--step", "scores", text="2,4,4\n4,16,12\n4,12,10\n").returncode, 0)
        with open(EXAMPLE, encoding="utf-8") as file:
            done = attn("check", "-", self.path("a.json", answers(RIGHT)), text=file.read())
        self.assertEqual(done.returncode, 0)
        done = attn("check", "-", "-", text="")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("standard input", done.stderr)

    def test_answers_on_standard_input_may_begin_with_a_comment(self):
        for comment in ("// by hand\n", "/* by\n hand */ ", "\ufeff// by hand\n"):
            with self.subTest(comment=comment):
                done = attn("check", EXAMPLE, "-", text=comment + answers(RIGHT))
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(attn("check", EXAMPLE, "-", text=comment + answers(SLIP)).returncode, 1)

    def test_a_folder_is_read_as_well_where_the_problem_is_standard_input(self):
        os.mkdir(os.path.join(self.folder, "in"))
        self.path("in/anna.json", answers(RIGHT))
        with open(EXAMPLE, encoding="utf-8") as file:
            done = attn("check", "-", os.path.join(self.folder, "in"), text=file.read())
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_tables_called_by_their_steps_alone_are_one_hand_in(self):
        table = lambda rows: "".join(",".join(map(str, row)) + "\n" for row in rows)
        files = [self.path(f"{name}.csv", table(RIGHT[name])) for name in ("scores", "context")]
        done = attn("check", EXAMPLE, *files, "--format", "json")
        report = json.loads(done.stdout)
        self.assertEqual((done.returncode, [step["id"] for step in report["steps"]]), (0, ["scores", "context"]))

    def test_what_comes_after_a_step_handed_in_twice_is_a_hand_in_of_its_own(self):
        rows = lambda name: "".join(" ".join(map(str, row)) + ";" for row in RIGHT[name])
        table = lambda name: "".join(",".join(map(str, row)) + "\n" for row in RIGHT[name])
        files = [self.path("anna.scores.csv", table("scores")), self.path("anna.scores.txt", f"S = [{rows('scores')}]"),
                 self.path("anna.context.csv", table("context"))]
        done = attn("check", EXAMPLE, *files)
        self.assertEqual(done.returncode, 2)
        self.assertIn("scores is handed in already, with ", done.stderr)
        self.assertIn("2 hand-ins: 1 right, 1 not read.", done.stdout)

    def test_a_problem_and_answers_that_are_exchanged_are_told_in_one_error(self):
        for schema in ({}, {"schema": "attn/answers/1"}):
            done = attn("check", self.path("ann.json", json.dumps({**schema, "steps": RIGHT})), EXAMPLE)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("error: ")), (2, "", 1), done.stderr)
            self.assertIn("the problem comes first: attn check PROBLEM ANSWERS", done.stderr)

    def test_one_unreadable_file_stops_nothing(self):
        good, bad = self.path("good.json", answers(RIGHT)), self.path("bad.json", '{"steps": {"scroes": [[1]]}}')
        done = attn("check", EXAMPLE, good, bad, "/no/such.json", good, "--format", "json")
        self.assertEqual(done.returncode, 2)
        reports = json.loads(done.stdout)
        self.assertEqual([report["file"] for report in reports], [good, bad, "/no/such.json", good])
        self.assertEqual(["error" in report for report in reports], [False, True, True, False])
        wrong, missing = [json.loads(line)["errors"][0] for line in done.stderr.splitlines()]
        self.assertEqual((wrong["file"], wrong["line"], missing["file"]), (bad, 1, "/no/such.json"))
        self.assertIn("scores", wrong["help"])

    def test_one_unreadable_file_alone_is_its_faults_and_no_output(self):
        for options in ((), ("--format", "json")):
            done = attn("check", EXAMPLE, self.path("bad.json", "{"), *options)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn('bad.json", "line": 1,' if options else "bad.json:1:", done.stderr)

    def test_the_largest_code_is_the_exit_code(self):
        good, wrong = self.path("good.json", answers(RIGHT)), self.path("wrong.json", answers(SLIP))
        bad = self.path("bad.json", "{")
        self.assertEqual(attn("check", EXAMPLE, good, good).returncode, 0)
        self.assertEqual(attn("check", EXAMPLE, wrong, good).returncode, 1)
        self.assertEqual(attn("check", EXAMPLE, bad, wrong, good).returncode, 2)
        self.assertEqual(attn("check", bad, good).returncode, 2)

    def test_many_files_are_a_table_first_then_those_that_are_not_right(self):
        good, wrong = self.path("good.json", answers(RIGHT)), self.path("wrong.json", answers(SLIP))
        text = attn("check", EXAMPLE, good, wrong).stdout
        self.assertIn("2 files: 1 right, 1 wrong.", text)
        self.assertLess(text.index("verdict"), text.index("✗ 61"))

    def test_long_names_leave_the_table_its_room(self):
        names = ["in-the-third-class-maria-magdalena-of-the-bottom-row.json", "übungsblatt-" + "ä" * 40 + ".json"]
        files = [self.path(name, answers(SLIP)) for name in names]
        text = attn("check", EXAMPLE, *files).stdout
        table = text[:text.index("─" * 20 + "\n")]
        for line in table.splitlines():
            self.assertLessEqual(len(line), 80)
        for word in ("wrong", "scores", "slip.digits_swapped"):
            self.assertRegex(table, rf"  {word}( |\n)")

    def test_in_a_large_problem_a_mistake_in_one_row_is_found_and_what_was_not_tried_is_said(self):
        inputs = [[(7 * i + 3 * j) % 11 - 5 for j in range(4)] for i in range(120)]
        problem = self.path("large.json", json.dumps({"inputs": inputs}))
        trace = json.loads(attn(problem, "--format", "json").stdout)
        steps = {step["id"]: step["data"] for step in trace["steps"]}
        context = [[f"{x:.4f}" for x in row] for row in steps["context"]]
        other = [list(row) for row in context]
        other[7] = ["0.1234", "-3.2100", "4.4000", "0.9876"]
        report = json.loads(attn("check", problem, self.path("other.json", answers({"context": other})),
                                 "--format", "json").stdout)
        self.assertEqual((report["verdict"], report["first_wrong"]), ("wrong", "context"))
        self.assertEqual(report["diagnoses"][0]["mistake"], "unexplained")
        self.assertTrue(any("two mistakes at once" in note for note in report["notes"]), report["notes"])
        copied = [list(row) for row in context]
        copied[7] = context[9]
        report = json.loads(attn("check", problem, self.path("copied.json", answers({"context": copied})),
                                 "--format", "json").stdout)
        self.assertEqual(report["diagnoses"][0]["mistake"], "slip.row_copied")
        self.assertEqual(report["notes"], [])

    def test_what_no_weighted_mean_can_be_is_told_where_weighted_values_are_too_many_to_be_shown(self):
        inputs = [[(7 * i + 3 * j) % 11 - 5 for j in range(10)] for i in range(110)]
        problem = self.path("large.json", json.dumps({"inputs": inputs, "scale": 0.01}))
        trace = json.loads(attn(problem, "--format", "json").stdout)
        steps = {step["id"]: step["data"] for step in trace["steps"]}
        self.assertNotIn("weighted_values", steps)
        context = [[f"{x:.2f}" for x in row] for row in steps["context"]]
        context[3][2] = "77.70"
        report = json.loads(attn("check", problem, self.path("a.json", answers({"context": context})),
                                 "--format", "json").stdout)
        self.assertEqual(report["diagnoses"][0]["mistake"], "unexplained")
        self.assertEqual(report["diagnoses"][0]["cells"], [[4, 3]])
        self.assertIn("that column runs from -5 to 5, and 77.70 lies outside", report["diagnoses"][0]["evidence"])

    def test_values_that_were_not_handed_in_are_told_to_nobody(self):
        wrong = {"context": [["1.94", "6.68", "1.60"], ["2.00", "-7.50", "0.05"], CONTEXT[2]]}
        blank = [VALUES[0], [2, None, 0], VALUES[2]]
        for steps in (wrong, {**wrong, "values": blank}):
            told = self.report(steps)["diagnoses"]
            self.assertEqual([(one["mistake"], one["evidence"]) for one in told], [("unexplained", "")])

    def test_what_no_weighted_mean_can_be_is_told_where_there_are_weights(self):
        steps = {"values": VALUES, "context": [["1.94", "6.68", "1.60"], ["2.00", "-7.50", "0.05"], CONTEXT[2]]}
        for words, evidence in (((), "that column runs from 2 to 8, and -7.50 lies outside"),
                                (("--algorithm", "online"), None)):
            done = self.check(steps, *words, "--format", "json")
            report = json.loads(done.stdout)
            self.assertEqual((done.returncode, report["diagnoses"][0]["mistake"]), (1, "unexplained"))
            self.assertEqual(report["diagnoses"][0]["cells"], [[2, 2]])
            told = report["diagnoses"][0].get("evidence")
            self.assertIn(evidence, told) if evidence else self.assertIn(told, (None, ""))

    def test_a_row_that_sees_nothing_adds_up_to_nothing(self):
        problem = {"queries": [[1, 0], [0, 1]], "keys": [[1, 1], [2, 0]], "score": "dot",
                   "mask": {"allow": [[0, 0], [1, 1]]}}
        told = self.report({"attention_weights": [["0.31", "0.22"], ["0.34", "0.15"]]},
                           problem=self.path("closed.json", json.dumps(problem)))["diagnoses"]
        self.assertRegex(told[0]["evidence"], r"those of row 2 to 0\.49")

    def test_a_row_that_is_no_softmax_is_called_by_its_head_where_there_are_several(self):
        problem = {"heads": 2, "queries": [[1, 0, 2, 1], [0, 1, 1, 1]], "keys": [[1, 1, 0, 1], [2, 0, 1, 0]],
                   "score": "dot"}
        weights = with_decimals(steps_of(problem)["attention_weights"])
        weights[1][1] = ["0.3412", "0.1534"]
        told = self.report({"attention_weights": weights}, problem=self.path("heads.json", json.dumps(problem)))
        self.assertIn("those of row [2,2] to 0.4946", told["diagnoses"][0]["evidence"])

    def test_a_vector_that_was_copied_is_a_column_where_vectors_are(self):
        inputs, weights = [[1, 2], [3, 5], [0, 1]], [[1, 0], [2, 1]]
        keys = [[5, 2], [5, 2], [2, 1]]
        for problem, written, evidence in (
                ({"inputs": inputs, "weights": {"key": weights}}, keys, "row 2 is row 1 again"),
                ({"inputs": transposed(inputs), "weights": {"key": transposed(weights)}, "vectors": "columns"},
                 transposed(keys), "column 2 is column 1 again")):
            weighed = {**problem["weights"], "query": [[1, 0], [0, 1]], "value": [[1, 0], [0, 1]]}
            told = self.report({"keys": written},
                               problem=self.path("keys.json", json.dumps({**problem, "weights": weighed})))
            self.assertEqual([(one["mistake"], one["evidence"]) for one in told["diagnoses"]],
                             [("slip.row_copied", evidence)])

    def test_a_mask_forgotten_for_one_query_is_named_in_columns_as_in_rows(self):
        rows = {"inputs": [[-0.8, 0.6], [0.2, -1.4], [1.4, -0.5]], "causal": True, "weights": {
            "query": [[0.0, 1.0], [-1.4, -0.4]], "key": [[-1.0, -0.8], [-0.7, 1.4]],
            "value": [[0.5, 0.3], [-0.3, -1.4]]}}
        turned = {"inputs": transposed(rows["inputs"]), "causal": True, "vectors": "columns",
                  "weights": {name: transposed(matrix) for name, matrix in rows["weights"].items()}}
        context = steps_of(rows)["context"]
        context[1] = steps_of({**rows, "causal": False})["context"][1]
        for problem, written, cells in ((rows, context, [[2, 1], [2, 2]]),
                                        (turned, transposed(context), [[1, 2], [2, 2]])):
            told = self.report({"context": with_decimals(written)},
                               problem=self.path("causal.json", json.dumps(problem)))["diagnoses"]
            self.assertEqual([(one["mistake"], one["cells"]) for one in told], [("mask.forgotten", cells)])

    def test_blanks_among_many_wrong_numbers_are_no_wrong_numbers(self):
        inputs = [[(7 * i + 3 * j) % 11 - 5 for j in range(4)] for i in range(40)]
        problem = self.path("many.json", json.dumps({"inputs": inputs}))
        trace = json.loads(attn(problem, "--format", "json").stdout)
        scores = next(step["data"] for step in trace["steps"] if step["id"] == "scores")
        wrong = [[f"{x + 0.25 + i % 3:.2f}" for x in row] for i, row in enumerate(scores)]
        wrong[0][0] = wrong[5][1] = ""
        report = json.loads(attn("check", problem, self.path("a.json", answers({"scores": wrong})),
                                 "--format", "json").stdout)
        counts = report["steps"][0]
        self.assertEqual((counts["wrong"], counts["blank"]), (40 * 40 - 2, 2))
        self.assertEqual(report["diagnoses"][0]["mistake"], "unexplained")

    def test_any_number_of_threads_says_the_same_in_the_same_order(self):
        files = [self.path(f"{i}.json", answers(SLIP if i % 3 == 0 else RIGHT)) for i in range(24)]
        one = attn("check", EXAMPLE, *files, "--format", "json", "--threads", "1").stdout
        self.assertEqual([report["file"] for report in json.loads(one)], files)
        for threads in ("2", "7", "64"):
            self.assertEqual(attn("check", EXAMPLE, *files, "--format", "json", "--threads", threads).stdout, one)

    def test_other_peoples_text_reaches_the_terminal_only_as_text(self):
        file = self.path("\x1b[31mme.json", answers(SLIP))
        for words in ([file], [file, file], [file, "/no/\x1b[31msuch.json"]):
            done = attn("check", EXAMPLE, *words)
            self.assertNotIn("\x1b", done.stdout + done.stderr)

    def test_output_goes_to_files_by_their_ending(self):
        file = self.path("a.json", answers(SLIP))
        done = attn("check", EXAMPLE, file, "-o", "marks.json", "-o", "marks.txt", folder=self.folder)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        with open(os.path.join(self.folder, "marks.json"), encoding="utf-8") as marks:
            self.assertEqual(json.load(marks)["verdict"], "wrong")


class Revealing(CheckTest):
    # What people do wrong, in answers of their own numbers.
    WRONG = (
        {**RIGHT, "scores": [[2, 4, 4], [4, 61, 12], [4, 12, 10]]},
        {**RIGHT, "scores": [[20, 40, 40], [40, 160, 120], [40, 120, 100]]},
        {"keys": [[0, 1, 1], [4, 9, 0], [2, 3, 1]]},
        {"attention_weights": [["0.33", "0.33", "0.33"]] * 3},
        {"attention_weights": [["0.11", "0.44", "0.45"], ["0.20", "0.30", "0.50"], ["0.70", "0.15", "0.15"]],
         "context": CONTEXT},
        {"context": [["1.11", "2.22", "3.33"], ["4.44", "5.55", "6.66"], ["7.77", "8.88", "9.99"]]},
        {"values": [[9, 2, 3], [2, 7, 0], [2, 6, 3]], "context": CONTEXT},
    )

    def test_no_right_number_of_a_wrong_cell_is_told_unless_values_are_revealed(self):
        for steps in self.WRONG:
            told = json.loads(self.check(steps, "--reveal", "value", "--format", "json").stdout)
            written = numbers_in(json.dumps(steps))
            expected = set()
            for step in told["steps"]:
                for cell in step["cells"]:
                    if cell["state"] == "wrong":
                        expected |= {f"{cell['expected']:.{n}f}" for n in range(1, 5)}
                        if cell["expected"] != int(cell["expected"]):
                            expected.add(repr(cell["expected"]))
            self.assertTrue(expected, steps)
            for format in ("text", "json"):
                output = self.check(steps, "--reveal", "hint", "--format", format).stdout
                shown = set(numbers_in(output))
                with self.subTest(steps=steps, format=format):
                    self.assertFalse(shown & (expected - set(written)), output)

    def test_whole_right_numbers_are_not_told_among_the_words_either(self):
        done = self.check({"keys": [[0, 1, 1], [4, 77, 0], [2, 3, 1]], "queries": [[1, 0, 2], [2, 2, 2], [2, 66, 3]]})
        words = "\n".join(line for line in done.stdout.splitlines() if "│" not in line)
        self.assertNotRegex(words, r"(?<![\d\w,\[.])4(?![\d.])")

    def test_each_degree_tells_more_than_the_one_before(self):
        outputs = [self.report(SLIP, "--reveal", reveal) for reveal in ("none", "cell", "hint", "value")]
        self.assertEqual(["diagnoses" in report for report in outputs], [False, False, True, True])
        self.assertEqual(["cells" in report["steps"][3] for report in outputs], [False, True, True, True])
        self.assertEqual(["expected" in json.dumps(report) for report in outputs], [False, False, False, True])
        self.assertEqual({report["verdict"] for report in outputs}, {"wrong"})
        texts = [self.check(SLIP, "--reveal", reveal).stdout for reveal in ("none", "cell", "hint", "value")]
        self.assertEqual(["✗ 61" in text for text in texts], [False, True, True, True])
        self.assertEqual(["What to do" in text for text in texts], [False, False, True, True])
        self.assertIn("Scores: 8 of 9 right, 1 not right yet.", texts[0])

    def test_hint_is_the_default(self):
        self.assertEqual(self.check(SLIP).stdout, self.check(SLIP, "--reveal", "hint").stdout)

    def test_right_numbers_are_shown_beside_where_they_are_asked_for(self):
        self.assertIn("as it should be", self.check(SLIP, "--reveal", "value").stdout)


class WaysIn(CheckTest):
    """However somebody writes answers down, they are the same answers."""

    TYPED = "S = [2 4 4; 4 61 12; 4 12 10]\n"

    def verdict(self, *words, text=None):
        done = attn("check", EXAMPLE, *words, "--format", "json", text=text)
        return done.returncode, json.loads(done.stdout)

    def steps(self, report):
        return {step["id"]: [step[state] for state in ("right", "wrong", "blank")] for step in report["steps"]}

    def test_a_symbol_is_its_step(self):
        for name in ("scores", "S", "s"):
            code, report = self.verdict("-", text=answers({name: SLIP["scores"]}))
            self.assertEqual((code, report["first_wrong"]), (1, "scores"), name)
        self.assertEqual(self.verdict(self.path("S.csv", "2,4,4\n4,16,12\n4,12,10\n"))[0], 0)
        self.assertEqual(self.verdict("-", "--step", "S", text="2,4,4\n4,16,12\n4,12,10\n")[0], 0)
        done = attn("check", EXAMPLE, "-", text=answers({"S": [[1]], "scores": [[1]]}))
        self.assertEqual(done.returncode, 2)
        self.assertIn("/steps/scores is scores, which is given already", done.stderr)

    def test_a_symbol_is_its_step_for_run_and_why(self):
        self.assertEqual(attn("run", EXAMPLE, "--only", "S,u").stdout,
                         attn("run", EXAMPLE, "--only", "scores,weighted_values").stdout)
        self.assertEqual(attn("why", EXAMPLE, "a[1,2]").stdout, attn("why", EXAMPLE, "attention_weights[1,2]").stdout)
        self.assertEqual(attn("run", SCALED, "--only", "S'").stdout, attn("run", SCALED, "--only", "scaled_scores").stdout)
        self.assertEqual(attn("diff", EXAMPLE, SCALED, "--only", "S").returncode, 0)
        self.assertEqual(attn("run", EXAMPLE, "--only", "S'").returncode, 2)

    def test_typed_answers_are_read_from_a_text_file_and_from_standard_input(self):
        for words, text in (((self.path("a.txt", self.TYPED),), None), (("-",), self.TYPED)):
            code, report = self.verdict(*words, text=text)
            self.assertEqual((code, report["first_wrong"]), (1, "scores"))
            self.assertEqual(report["diagnoses"][0]["cells"], [[2, 2]])
        done = attn("check", EXAMPLE, self.path("bad.txt", "S = [2 4\n"))
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("bad.txt:1:5: error: this bracket is not closed", done.stderr)

    def test_every_template_of_every_problem_is_read_back_as_all_blank(self):
        endings = {"json": "json", "csv": "csv", "text": "txt"}
        for name, problem in share(every_feature.write(self.folder).items(), 3):
            for form, ending in endings.items():
                file = os.path.join(self.folder, f"blanks.{ending}")
                written = attn("check", problem, "--template", form, "-o", file)
                done = attn("check", problem, file, "--format", "json")
                with self.subTest(problem=name, form=form):
                    self.assertEqual((written.returncode, written.stdout, written.stderr), (0, "", ""))
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    report = json.loads(done.stdout)
                    self.assertEqual(report["verdict"], "incomplete")
                    self.assertGreater(len(report["steps"]), 5)
                    for step in report["steps"]:
                        self.assertNotIn("given_shape", step)
                        self.assertEqual((step["right"], step["wrong"]), (0, 0))
                        self.assertGreater(step["blank"], 0)

    def test_a_template_that_is_filled_in_is_marked(self):
        trace = {step["id"]: step for step in json.loads(attn("run", SCALED, "--format", "json").stdout)["steps"]}
        for form, ending, blank in (("json", "json", "null"), ("text", "txt", "_")):
            text = attn("check", SCALED, "--template", form, "--steps", "keys,S,A").stdout
            head, body = text[:text.index("keys")], text[text.index("keys"):]
            numbers = [repr(float(x)) for step in ("keys", "scores", "attention_weights")
                       for _, x in numbers_with_places(trace[step]["data"])]
            blanks = re.escape(blank) + r"(?=[ ,\]\n])"
            self.assertEqual(len(re.findall(blanks, body)), len(numbers))
            filled = head + re.sub(blanks, lambda _: numbers.pop(0), body)
            done = attn("check", SCALED, self.path(f"filled.{ending}", filled), "--format", "json")
            self.assertEqual((form, done.returncode, json.loads(done.stdout)["verdict"]), (form, 0, "right"))

    def test_a_template_has_the_steps_that_are_worked_out_and_no_number_of_them(self):
        text = attn("check", EXAMPLE, "--template", "json").stdout
        self.assertEqual(list(json.loads(text)["steps"]),
                         ["keys", "queries", "values", "scores", "row_maximum", "exponentials", "exponential_sums",
                          "attention_weights", "weighted_values", "context"])
        self.assertEqual(set(numbers_in(text.replace("attn/answers/1", ""))), set())
        chosen = attn("check", EXAMPLE, "--template", "json", "--steps", "context,S").stdout
        self.assertEqual(list(json.loads(chosen)["steps"]), ["context", "scores"])

    def test_what_a_template_cannot_be_is_refused_with_help(self):
        file = self.path("a.json", answers(RIGHT))
        for words, said in (((EXAMPLE, "--template", "xml"), "json, csv, text"),
                            ((EXAMPLE, "--template", "json", "--steps", "scroes"), "did you mean `scores`?"),
                            ((EXAMPLE, "--template", "json", file), "answers are given"),
                            ((EXAMPLE, "--template", "json", "-o", "/tmp/x.csv"), "*.json"),
                            *(((EXAMPLE, "--template", "json", *more), f"{more[0]} means nothing beside --template")
                              for more in (("--format", "bogus"), ("--compare", "decdig"), ("--reveal", "zzz"),
                                           ("--precision", "3"), ("--digits", "3"), ("--rtol", "1"), ("--atol", "1"),
                                           ("--step", "scores"), ("--full",), ("--ascii",), ("--standalone",))),
                            ((EXAMPLE, "--template", "json", "--color", "zzz"), "auto, always, never"),
                            ((EXAMPLE, file, "--steps", "S"), "--template"), ((EXAMPLE,), "--template")):
            done = attn("check", *words)
            with self.subTest(words):
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(said, done.stderr)
                self.assertIn("help:", done.stderr)
        done = attn("check", file, "--template", "json", "-o", file)
        self.assertEqual(done.returncode, 2)
        with open(file, encoding="utf-8") as same:
            self.assertEqual(same.read(), answers(RIGHT))

    def test_a_table_as_a_spreadsheet_saves_it_is_read(self):
        german = ";Input 1;Input 2;Input 3\r\nInput 1;0,06;0,47;0,47\r\nInput 2;0,00;0,98;0,02\r\nInput 3;0,00;0,88;0,12\r\n"
        for name in ("A.csv", "anna_A.csv", "anna-attention_weights.CSV", "anna weights.csv"):
            code, report = self.verdict(self.path(name, german))
            self.assertEqual((code, report["verdict"]), (0, "right"), name)
            self.assertEqual(report.get("name", ""), "anna" if "anna" in name else "")

    def test_files_that_differ_in_the_name_of_a_step_are_one_hand_in(self):
        scores = self.path("anna_scores.csv", "2,4,4\n4,61,12\n4,12,10\n")
        weights = self.path("anna_weights.csv", "\n".join(",".join(row) for row in WEIGHTS))
        rest = self.path("anna.json", answers({"keys": KEYS}))
        other = self.path("ben_scores.csv", "2,4,4\n4,16,12\n4,12,10\n")
        code, report = self.verdict(scores, weights, rest)
        self.assertEqual((code, report["name"], report["first_wrong"]), (1, "anna", "scores"))
        self.assertEqual(self.steps(report), {"keys": [9, 0, 0], "scores": [8, 1, 0], "attention_weights": [9, 0, 0]})
        code, reports = self.verdict(scores, other, weights)
        self.assertEqual([(report["name"], report["verdict"]) for report in reports], [("anna", "wrong"), ("ben", "right")])
        self.assertEqual(reports[0]["files"], [scores, weights])
        self.assertNotIn("files", reports[1])

    def test_a_step_that_one_person_hands_in_twice_is_refused_and_stops_nothing(self):
        scores = self.path("anna_scores.csv", "2,4,4\n4,16,12\n4,12,10\n")
        again = self.path("anna.txt", self.TYPED)
        good = self.path("ben.json", answers(RIGHT))
        done = attn("check", EXAMPLE, scores, again, good, "--format", "json")
        self.assertEqual(done.returncode, 2)
        (error,) = json.loads(done.stderr)["errors"]
        self.assertEqual(error["file"], again)
        self.assertIn("scores is handed in already, with", error["message"])
        self.assertEqual(["error" in report for report in json.loads(done.stdout)], [True, False])

    def test_files_of_two_folders_are_two_hand_ins(self):
        for person in ("anna", "ben"):
            os.mkdir(os.path.join(self.folder, person))
            self.path(f"{person}/scores.csv", "2,4,4\n4,16,12\n4,12,10\n")
        files = [os.path.join(self.folder, person, "scores.csv") for person in ("anna", "ben")]
        self.assertEqual([report["file"] for report in self.verdict(*files)[1]], files)

    def test_a_folder_stands_for_its_answers_in_order_of_names(self):
        self.path("ben.txt", self.TYPED)
        self.path("chris.csv", "scores,a,b,c\nx,2,4,4\ny,4,16,12\nz,4,12,10\n")
        self.path("anna.json", json.dumps({"name": "Anna B.", "steps": RIGHT}))
        self.path(".hidden.json", "{")
        self.path("notes.md", "nothing")
        os.mkdir(os.path.join(self.folder, "more.json"))
        shutil.copy(EXAMPLE, os.path.join(self.folder, "problem.json"))
        done = attn("check", os.path.join(self.folder, "problem.json"), self.folder, "--format", "json")
        self.assertEqual(done.returncode, 1)
        self.assertEqual([os.path.basename(report["file"]) for report in json.loads(done.stdout)],
                         ["anna.json", "ben.txt", "chris.csv"])
        self.assertEqual(done.stderr, f"attn: note: left out of {self.folder}: .hidden.json, more.json, notes.md, "
                                      "problem.json (the problem)\n")
        text = attn("check", EXAMPLE, self.folder).stdout
        self.assertIn("Anna B.", text)

    def test_a_folder_is_a_class_however_small_and_an_empty_one_is_refused(self):
        done = attn("check", EXAMPLE, self.folder)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("has no answers", done.stderr)
        self.path("anna.txt", self.TYPED)
        self.assertEqual(len(self.verdict(self.folder)[1]), 1)

    def test_the_name_in_answers_is_shown_with_the_marks(self):
        file = self.path("a.json", json.dumps({"name": "Ada", "steps": SLIP}))
        typed = self.path("b.txt", "name: Bo\n" + self.TYPED)
        self.assertIn("Handed in by Ada.", attn("check", EXAMPLE, file).stdout)
        self.assertEqual([report["name"] for report in self.verdict(file, typed)[1]], ["Ada", "Bo"])
        text = attn("check", EXAMPLE, file, typed).stdout
        self.assertRegex(text, r"  Ada +wrong +scores")
        self.assertNotIn("\x1b", attn("check", EXAMPLE, self.path("c.txt", "name: \x1b[31m\n" + self.TYPED)).stdout)

    def test_a_number_that_nothing_explains_points_to_a_command_that_runs(self):
        done = self.check({"attention_weights": [["0.33", "0.33", "0.34"], None, None]})
        command = re.search(r"attn: note: .*attn why (\S+) '([^']+)'", done.stderr)
        self.assertEqual(command.groups(), (EXAMPLE, "attention_weights[1,1]"))
        self.assertEqual(attn("why", *command.groups()).returncode, 0)


class Machines(CheckTest):
    def test_what_single_precision_loses_where_numbers_cancel_is_right(self):
        nothing = {"query": [[0], [0]], "key": [[0], [0]], "value": [[0], [0]], "output": [[0, 0]]}
        thin = {"query": [[0]] * 3, "key": [[0]] * 3, "value": [[1], [0], [0]], "output": [[1, 0, 0]]}
        for step, problem in (
                ("layer1.ffn.activation", {"inputs": [[4, 1]], "block": {"kind": "encoder", "activation": "gelu", "layers": [
                    {"self": {"weights": nothing}, "ffn": {"in": [[-1], [-0.064582]], "out": [[1, 1]]}}]}}),
                ("layer1.ffn.activation", {"inputs": [[4, 1]], "block": {"kind": "encoder", "activation": "gelu_tanh",
                    "layers": [{"self": {"weights": nothing}, "ffn": {"in": [[-1], [-0.064582]], "out": [[1, 1]]}}]}}),
                ("positioned_inputs", {"inputs": [[0.1, 0.30001], [1, 2]],
                                       "positions": {"type": "learned", "table": [[-0.1001, -0.3], [0, 1]]}}),
                ("layer1.norm1.mean", {"inputs": [[1000.1, -1000.2, 0.05], [1, 2, 3.5]], "block": {
                    "kind": "encoder", "norm": "pre", "layers": [{"self": {"weights": thin}, "norm1": {}}]}}),
                ("layer1.norm1", {"inputs": [[1, 2, 3.5]], "block": {"kind": "encoder", "norm": "pre", "layers": [
                    {"self": {"weights": thin}, "norm1": {"gain": [0.987, 1, 1], "bias": [1.1175, 0, 0]}}]}})):
            with self.subTest(step, problem=problem):
                path = self.path("problem.json", json.dumps(problem))
                done = attn("run", path, "--dtype", "f32", "--format", "json", "--only", step)
                self.assertEqual(done.returncode, 0, done.stderr)
                made = next(one for one in json.loads(done.stdout)["steps"] if one["id"] == step)
                first = made["data"][0] if isinstance(made["data"][0], list) else made["data"]
                written = [f"{number:.9g}" for number in first]
                off = [f"{first[0] + 1e-2:.9g}", *written[1:]]  # more than single precision loses
                of_six_decimals = [f"{number:.6f}" for number in first]
                for row, verdict in ((written, 0), (of_six_decimals, 0), (off, 1)):
                    cells = {",".join(map(str, [1] * (len(made["shape"]) - 1) + [at + 1])): one for at, one in enumerate(row)}
                    self.assertEqual(self.check({step: cells}, problem=path).returncode, verdict, cells)


class ManyLayers(CheckTest):
    def test_what_explains_a_wrong_result_is_looked_for_only_so_long(self):
        eye = [[1, 0], [0, 1]]
        layer = {"self": {"weights": {"query": eye, "key": eye, "value": eye, "output": eye}}, "norm1": {}, "norm2": {},
                 "ffn": {"in": [[1, -1, 0.5], [1, -1, 0.5]], "out": [[1, 1], [1, 1], [1, 1]]}, "repeat": 12}
        path = self.path("problem.json", json.dumps({"inputs": [[-1, -1], [1, -1], [0, -1]], "block": {
            "kind": "decoder_only", "norm": "pre", "layers": [layer]}}))
        wrong = [["1.37", "1.37"], ["9.1", "-9.2"], ["12.1", "-10.3"]]
        # What was not tried for one step and for another is said once.
        for layers in share(((11, 12), (12,)), of=2):
            done = self.check({f"layer{layer}.residual2": wrong for layer in layers}, problem=path)
            self.assertEqual(done.returncode, 1)
            self.assertEqual(done.stdout.count("Not tried, since there are too many of them"), 1, done.stdout)


class BlockByBlock(CheckTest):
    def test_behind_a_slip_the_next_block_is_right_as_it_should_be_and_as_it_follows(self):
        path = self.path("problem.json", json.dumps({"inputs": [[1], [2], [3]], "score": "dot"}))
        others = [["1.000", "1.135", "1.154"], ["1.000", "1.050", "1.052"]]
        right = ["1.000", "1.368", "1.503"]
        for last in ("1.503", "3.623"):  # 1.368 · e^(−1) + 1, and 7.131 in its place
            report = self.report({"running_sum": [["1.000", "7.131", last], *others]}, "--algorithm", "online:1", problem=path)
            wrong = [cell["index"] for cell in report["steps"][0]["cells"] if cell["state"] == "wrong"]
            self.assertEqual(wrong, [[1, 2]], last)
        path = self.path("longer.json", json.dumps({"queries": [[1]], "keys": [[1], [2], [3], [4]], "score": "dot"}))
        # 3.623 was not handed in: 3.623 · e^(−1) + 1.
        report = self.report({"running_sum": [["1.000", "7.131", None, "2.333"]]}, "--algorithm", "online:1", problem=path)
        wrong = [cell["index"] for cell in report["steps"][0]["cells"] if cell["state"] == "wrong"]
        self.assertEqual(wrong, [[1, 2]])
        path = self.path("problem.json", json.dumps({"inputs": [[1], [2], [3]], "score": "dot"}))
        self.assertEqual(self.check({"running_sum": [[*right[:2], "1.700"], *others]}, "--algorithm", "online:1",
                                    problem=path).returncode, 1)


class Rules(CheckTest):
    def verdict(self, context, *options):
        return self.check({"context": {"1,1": context}}, *options).returncode

    def test_decimals_significant_digits_and_tolerances(self):
        self.assertEqual(self.verdict(1.9366, "--compare", "decdig", "--digits", "3"), 0)
        self.assertEqual(self.verdict(1.93, "--compare", "decdig", "--digits", "2"), 1)
        self.assertEqual(self.verdict(1.9, "--compare", "sigfig", "--digits", "2"), 0)
        self.assertEqual(self.verdict(1.8, "--compare", "sigfig", "--digits", "2"), 1)

    def test_numbers_that_json_cannot_have_or_nobody_writes_out_are_told_all_the_same(self):
        problem = {"queries": [[1e9, 3]], "keys": [[1e9, 1], [1e4, 2]], "values": [[1], [2]], "score": "dot",
                   "mask": {"allow": [[1, 0]]}}
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "p.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(problem, file)
            answers = json.dumps({"steps": {"scores": [[1, 2]], "masked_scores": [[1, 5]]}})
            done = attn("check", path, "-", "--reveal", "value", "--format", "json", text=answers)
        expected = re.findall(r'"expected": ([^,}]+)', done.stdout)
        self.assertEqual(expected, ["1e+18", "10000000000006", "1e+18", '"-inf"'])

    def test_a_problem_may_say_how_many_decimals_count_and_never_how_many_digits(self):
        with open(EXAMPLE, encoding="utf-8") as file:
            problem = json.load(file)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "p.json")
            for digits, verdict in ((1, 0), (3, 1)):
                with open(path, "w", encoding="utf-8") as file:
                    json.dump({**problem, "digits": digits}, file)
                answers = json.dumps({"steps": {"context": {"1,1": 1.94}}})
                self.assertEqual(attn("check", path, "-", "--compare", "decdig", text=answers).returncode, verdict)
                by_digits = attn("check", path, "-", "--compare", "sigfig", text=answers)
                self.assertEqual(by_digits.stdout, self.check({"context": {"1,1": 1.94}}, "--compare", "sigfig").stdout)
        self.assertEqual(self.verdict(1.95, "--compare", "relabs", "--rtol", "0.01"), 0)
        self.assertEqual(self.verdict(1.95, "--compare", "relabs", "--atol", "0.001"), 1)

    def test_options_that_do_not_belong_together_are_refused_with_help(self):
        for options, word in ((("--digits", "2"), "--compare"), (("--rtol", "0.1"), "relabs"),
                              (("--compare", "relabs", "--digits", "2"), "decdig"),
                              (("--compare", "decdig", "--atol", "1"), "relabs"),
                              (("--compare", "sigfig", "--digits", "0"), "from 1"),
                              (("--compare", "relabs", "--rtol", "-1"), "--rtol"),
                              (("--compare", "relabs", "--rtol", "1.1"), "other sign"),
                              (("--compare", "decdigs",), "did you mean `decdig`?"),
                              (("--reveal", "hints"), "did you mean `hint`?"),
                              (("--step", "scores"), "--step"), (("--hand-rounding", "2"), "--hand-rounding")):
            done = self.check(RIGHT, *options)
            with self.subTest(options):
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(word, done.stderr)
                self.assertIn("help:", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=1)
