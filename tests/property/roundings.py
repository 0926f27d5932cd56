"""A right method with fewer digits carried on than are written: worth a note, and not wrong."""

import math

from handins import HandIn, chosen_steps, drawn_pen
from reference import mapped
from students import CARRIED, Pen, Student

EARLY, SCORES, TRUNCATED = "rounding.early", "rounding.scores_rounded", "rounding.truncated"
STAGE_OF = {"scores": 1, "scaled_scores": 2, "attention_weights": 4}


class Coarse(Student):
    """Goes on from one step with fewer decimals than are written of the others."""

    coarse = None  # (step, decimals)

    def note(self, name, blocks, carried=None, terms=None):
        gone_on = super().note(name, blocks, carried, terms)
        if self.coarse and name == self.coarse[0]:
            pen = Pen(self.coarse[1], self.pen.mode)
            gone_on = mapped(blocks, lambda x: pen.value(pen.unit(x)))
        return gone_on

    def spelled(self, name):
        if self.coarse and name == self.coarse[0]:
            pen = Pen(self.coarse[1], self.pen.mode)
            return mapped(self.paper(name, mapped(self.full[name], pen.unit)), pen.spelled)
        return mapped(self.paper(name), self.pen.spelled)


def rounded_early(reader, which, decimals, rng):
    """Weights with two decimals under a result with four, handed in or not; or a root with one."""
    if decimals < 2:
        return None
    if rng.random() < 0.25:
        return root_rounded(reader, which, decimals, rng)
    return coarse(reader, EARLY, "attention_weights", which, decimals, rng)


def scores_rounded(reader, which, decimals, rng):
    """Scores with fewer decimals before the softmax."""
    step = "scores" if reader.given.scale is None else rng.choice(("scores", "scaled_scores", "scaled_scores"))
    return coarse(reader, SCORES, step, "weights" if which == "steps" else which, decimals, rng)


def coarse(reader, name, step, which, decimals, rng):
    pen = Pen(decimals, "half-up", rng.choice(((), CARRIED)))
    fewer = min(2, decimals - 1) if name == EARLY and rng.random() < 0.7 else rng.randrange(decimals)
    student = Coarse(reader.given, pen)
    student.coarse = step, max(fewer, 1) if name == EARLY else fewer
    student.work()
    names = chosen_steps(reader.given, student, which, rng)
    if name == SCORES:
        names = [n for n in names if n not in STAGE_OF or STAGE_OF[n] > STAGE_OF[step]]
        names = [n for n in names if n not in ("masked_scores", "row_maximum")]
    steps = {n: student.spelled(n) for n in names}
    others = {n: student.paper(n) for n in names if n != step}
    return HandIn(name, f"{step} with {student.coarse[1]}", step, which, pen, others, steps)


def root_rounded(reader, which, decimals, rng):
    """√3 taken as 1.7."""
    given = reader.given
    root = math.sqrt(given.d_k)
    if given.scale is None or "scale" in given.raw or root == int(root):
        return None
    pen = drawn_pen(rng, decimals)
    fewer = Pen(rng.choice((1, 1, 2)), rng.choice(("half-up", "truncate")))
    factor = 1 / fewer.value(fewer.unit(root))
    student = reader.honest.student(pen).other(2, change={"factor": lambda s: factor})
    names = chosen_steps(given, student, which, rng)
    return HandIn(EARLY, f"√{given.d_k} as {1 / factor:.4g}", "scaled_scores", which, pen,
                  {n: student.paper(n) for n in names})


def truncated(reader, which, decimals, rng):
    """Digits cut off everywhere."""
    pen = Pen(decimals, "truncate", drawn_pen(rng, decimals).carried)
    student = reader.honest.student(pen)
    names = chosen_steps(reader.given, student, which, rng)
    return HandIn(TRUNCATED, "", "", which, pen, {n: student.paper(n) for n in names})


ROUNDINGS = {EARLY: rounded_early, SCORES: scores_rounded, TRUNCATED: truncated}


def needs_a_note(reader, handin):
    """Whether no rounding of what is written to the decimals that it is written with explains it."""
    return bool(handin.units) and not any(
        (handin.id != TRUNCATED or papers.student.pen.mode != "truncate") and reader.same(handin, papers)
        for papers in reader.right_papers(handin.pen.decimals))
