#!/usr/bin/env python3
"""Holds the students of check_agree.py to the reference, and to what is known of their
mistakes. Needs no program."""

import sys

sys.dont_write_bytecode = True

import argparse
import functools
import random
import unittest

import check_agree
from exercises import PLACED, UNUSUAL, exercise
from handins import DECIMALS, SETS, Reader
from mistakes import placements, with_mistake
from reference import mapped, work_out
from students import CARRIED, MODES, Given, NotHere, Pen, Student
from unusual import UNUSUAL_MISTAKES

exercise = functools.cache(exercise)  # nobody writes into one
SOFTMAX = ("row_maximum", "exponentials", "exponential_sums")


class Rounding(unittest.TestCase):
    def test_students_who_round_every_step_write_what_the_reference_does(self):
        compared = 0
        for seed in (*range(40), *range(PLACED, PLACED + 20), *range(UNUSUAL, UNUSUAL + 40)):
            problem = exercise(seed)
            given = Given(problem)
            for mode in MODES:
                pen = Pen(2, mode, CARRIED)
                student = Student(given, pen).work()
                for step in work_out(dict(problem, arithmetic={"hand_rounding": "2:" + mode})).steps:
                    if step.sure and step.computed and step.id in student.written and step.id not in SOFTMAX:
                        paper = student.paper(step.id, mapped(student.written[step.id], pen.value))
                        self.assertEqual(paper, step.data, (seed, mode, step.id))
                        compared += 1
        self.assertGreater(compared, 500)

    def test_digits_are_written_in_full(self):
        pen = Pen(2)
        self.assertEqual([pen.spelled(pen.unit(x)) for x in (0.5, -0.004, 12, -1.005, 0.05)],
                         ["0.50", "0.00", "12.00", "-1.01", "0.05"])


class Placing(unittest.TestCase):
    """What is done wrong with positions or past keys is often another problem done right."""

    MASKS = {"causal", "mask", "lengths", "offset"}

    def assert_is(self, wanted, other_problem):
        """The mistakes give the context that the reference gives of the other problem, where there is one."""
        compared = 0
        for seed in range(PLACED, PLACED + 120):
            problem = exercise(seed)
            given = Given(problem)
            found = [m for m in placements(given) if (m.id, m.variant) == wanted]
            other = found and other_problem(problem)
            if not other:
                continue
            student = with_mistake(Student(given, Pen(9, carried=())).work(), found[0])
            expected = work_out(other).step("context").data
            pairs = zip(leaves(student.paper("context", student.full["context"])), leaves(expected))
            self.assertTrue(all(abs(a - b) < 1e-9 * (1 + abs(b)) for a, b in pairs), (seed, wanted))
            compared += 1
        self.assertGreater(compared, 3, wanted)

    def test_left_out_they_are_the_problem_without_them(self):
        without = lambda problem: {key: value for key, value in problem.items() if key != "positions"}
        self.assert_is(("positions.left_out", ""), without)

    def test_other_pairs_are_those_of_the_other_convention(self):
        def paired(problem):
            rope = problem["positions"]
            return {**problem, "positions": {**rope, "interleaved": not rope.get("interleaved", False)}}
        self.assert_is(("rope.pairs", ""), paired)

    def test_rows_counted_from_one_are_the_rest_of_the_table(self):
        def moved(problem):
            table = problem["positions"].get("table")
            if not table or not self.has_room(problem):
                return None
            rest = lambda rows: rows[1:] + rows[:1]
            table = list(map(rest, table)) if "vectors" in problem else rest(table)
            return {**problem, "positions": {"type": "learned", "table": table}}
        self.assert_is(("positions.counted_from_one", ""), moved)

    @staticmethod
    def has_room(problem):
        try:
            given = Given(problem)
            found = next(m for m in placements(given) if m.id == "positions.counted_from_one")
            return bool(with_mistake(Student(given, Pen(2)).work(), found))
        except NotHere:
            return False

    def test_a_past_left_out_is_the_problem_without_it(self):
        def alone(problem):
            rest = {key: value for key, value in problem.items() if key != "past"}
            return None if self.MASKS & {*problem} else rest
        self.assert_is(("cache.left_out", "positions from 0"), alone)

    def test_slopes_of_as_many_heads_are_the_right_ones(self):
        def same(problem):
            return problem if "heads" in problem and problem["heads"] == 2 else None
        self.assert_is(("alibi.slopes", "of 2"), same)


def leaves(nested):
    return [x for n in nested for x in leaves(n)] if isinstance(nested, list) else [nested]


class IdealReader(unittest.TestCase):
    def hand_ins(self, seeds, names=None):
        for seed in seeds:
            reader, rng = Reader(exercise(seed)), random.Random(seed)
            for name in names or reader.rooms():
                for decimals in DECIMALS:
                    for which in SETS:
                        handin = name in reader.rooms() and reader.wrong(name, which, decimals, rng)
                        if handin:
                            yield reader, handin

    def test_what_is_right_is_never_decided_to_be_wrong(self):
        for seed in range(10):
            reader, rng = Reader(exercise(seed)), random.Random(seed)
            for k in range(32):
                handin = reader.right(SETS[k % 4], DECIMALS[k // 4 % 4], rng)
                handin.units = {n: u for n, u in handin.units.items() if not n.startswith("exponential")
                                and n in reader.right_papers(handin.pen.decimals)[0].student.written}
                self.assertFalse(reader.decidable(handin), (seed, handin.told()))
                self.assertIsNone(reader.first_wrong(handin), (seed, handin.told()))
                self.assertTrue((k - seed) % 4 or reader.explained(handin), (seed, handin.told()))

    def test_every_mistake_explains_itself(self):
        for reader, handin in self.hand_ins(range(1)):
            self.assertIn(handin.id, reader.ties(handin), handin.told())

    def test_unusual_exercises_leave_room_for_the_mistakes_of_what_they_ask_for(self):
        rooms = set().union(*(Reader(exercise(UNUSUAL + k)).rooms() for k in range(40)))
        self.assertLessEqual(set(UNUSUAL_MISTAKES), rooms)

    def test_dividing_by_d_k_and_dividing_twice_are_one_mistake(self):
        ties = [reader.ties(handin) for reader, handin in self.hand_ins(range(4), ("scale.by_dk", "scale.twice"))
                if "scale" not in reader.given.raw]
        self.assertGreater(len(ties), 30)
        self.assertTrue(all({"scale.by_dk", "scale.twice"} <= found for found in ties))

    def test_most_mistakes_can_be_told_from_honest_work(self):
        told = [reader.decidable(handin) for reader, handin in self.hand_ins(range(6))]
        self.assertGreater(sum(told) / len(told), 0.93)


class Judging(unittest.TestCase):
    """What the program says of a mistake counts only if all of it is right."""

    def setUp(self):
        check_agree.OPTIONS = argparse.Namespace(dry=False)
        self.reader = Reader(exercise(3))
        self.handin = self.reader.wrong("softmax.base_2", "qkv", 3, random.Random(1))
        self.assertTrue(self.reader.decidable(self.handin))
        self.assertEqual(self.reader.first_wrong(self.handin), "attention_weights")

    def outcome(self, mistake="softmax.base_2", ties=(), verdict="wrong", first="attention_weights"):
        diagnosis = {"mistake": mistake, "kind": "error", "ties": list(ties)}
        note = {"mistake": "rounding.early", "kind": "note", "ties": []}
        report = {"verdict": verdict, "first_wrong": first, "diagnoses": [note, diagnosis]}
        return check_agree.judged(self.reader, self.handin, report)[0]

    def test_the_mistake_first_or_in_a_tie_of_three_is_a_hit(self):
        self.assertEqual(self.outcome(), "hit")
        self.assertEqual(self.outcome("softmax.base_3", ("softmax.base_2", "softmax.linear")), "hit")

    def test_anything_else_is_not(self):
        self.assertEqual(self.outcome("softmax.base_3"), "other mistake")
        self.assertEqual(self.outcome(ties=("a", "b", "c")), "too many ties")
        self.assertEqual(self.outcome(first="context"), "other first step")
        self.assertEqual(self.outcome(verdict="right"), "called right")

    def test_nobody_honest_may_be_called_wrong(self):
        self.handin = self.reader.right("qkv", 2, random.Random(1))
        self.assertEqual(self.outcome(), "honest called wrong")
        self.assertEqual(self.outcome(verdict="incomplete"), "honest")


if __name__ == "__main__":
    unittest.main()
