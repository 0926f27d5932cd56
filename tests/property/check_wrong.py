#!/usr/bin/env python3
"""Holds `attn check` to it that wrong is never called right.

Honest work of a generated problem, in which one thing is changed: alone, or carried on into
whatever follows. It is handed in whole, in parts, as one step, one row, one cell, or as CSV.
Where no honest way of working can explain what is written, the program must call it wrong,
and the first wrong step must be the changed one.

    check_wrong.py build/default/attn --tries 10000
    check_wrong.py build/default/attn --kinds "whole number" --verbose
"""

import sys

sys.dont_write_bytecode = True

import csv
import io
import json
import os
import random
import shutil
import subprocess
import tempfile
from collections import Counter, defaultdict
from dataclasses import dataclass

from changes import KINDS, STEPS_OF, changed
from exercises import PLACED, UNUSUAL, exercise
from handins import DECIMALS, Reader, chosen_steps, drawn_pen
from nested import depth, mapped
from program import SKIPPED, measuring_arguments, missing, remove_if_empty
from students import NotHere

SETS = ("steps", "qkv", "weights", "context", "step", "row", "cell", "csv")
FREE = "exponentials times a factor"
LEAST = 3          # units: less may be one rounding more than anybody thinks of
EACH = 32          # hand-ins of one problem
AS_NUMBERS = 0.15
SECONDS = 800
CASES = "fixed"


@dataclass
class Wrong:
    """What was handed in, and what an ideal reader says of it."""
    kind: str
    which: str
    told: str
    step: str
    steps: dict        # as an answers file has them
    firsts: tuple      # the steps that may be called the first wrong one; none: it may be honest
    text: str = None   # a CSV file of one step, where that was handed in
    raw: dict = None   # a problem of its own

    def write(self, folder):
        if self.text is not None:
            os.makedirs(folder)
            path = os.path.join(folder, f"{self.step}.csv")
            content = self.text
        else:
            path = folder + ".json"
            content = json.dumps({"schema": "attn/answers/1", "steps": self.steps}, ensure_ascii=False)
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)
        return path


# --- making hand-ins -------------------------------------------------------


class Maker:
    """Hand-ins with one thing changed, for one problem."""

    def __init__(self, raw, rng):
        self.reader = Reader(raw)
        self.given = self.reader.given
        self.decimals = rng.sample(DECIMALS, 2)  # others would be as much work again for the reader

    def make(self, kind, which, rng):
        for _ in range(20):
            decimals = rng.choice(self.decimals)
            student = self.reader.honest.student(drawn_pen(rng, decimals))
            names = chosen_steps(self.given, student, which if which in SETS[:4] else "steps", rng)
            at = [n for n in names if n in STEPS_OF.get(kind, names) and self.computed(n)]
            if not at:
                continue
            step = rng.choice(at)
            change = changed(kind, student, step, rng)
            if change is None:
                continue
            if kind == FREE:
                if which not in ("steps", "cell"):
                    return None  # another constant subtracted, which anybody may
                names = [n for n in self.given.order if n in {*names, "row_maximum"}]
            made = self.handed_in(student, change, names, which, rng)
            if made is None:
                continue
            steps, shown, text, how = made
            if text is None and kind != "whole number" and rng.random() < AS_NUMBERS:
                steps, shown, how = as_numbers(steps), as_numbers(shown), how + ", JSON numbers"
            first, turned = self.reader.ways.first_unexplained(shown, decimals)
            if change.width(student) < LEAST:
                first = None
            told = f"{change.step}: {change.detail}, {how}, {decimals} decimals, {student.pen.mode}"
            return Wrong(kind, which, told, step, steps, self.firsts(first, turned, kind, step), text)
        return None

    def computed(self, name):
        if name in ("keys", "queries", "values"):
            role = {"keys": "key", "queries": "query", "values": "value"}[name]
            return self.given.weights[role][0] is not None
        return True

    def firsts(self, first, turned, kind, step):
        if first is not None:
            return tuple({step, first})
        # A softmax down the columns that looks like the weights transposed is a mistake of the catalogue.
        return (step,) if kind == "softmax down the columns" and turned == ("attention_weights",) else ()

    def handed_in(self, student, change, names, which, rng):
        """(the steps as handed in, the same for the reader, CSV or None, words)."""
        pen, step = student.pen, change.step
        before, after = student.paper(step), student.paper(step, change.blocks)
        paper = lambda units: mapped(units, lambda u: u if isinstance(u, str) or u is None else pen.spelled(u))
        if which in SETS[:4]:
            carried = rng.random() < 0.5
            units = {n: student.paper(n) for n in names}
            if carried:
                try:
                    other = change.carried_on(student)
                except (NotHere, OverflowError):
                    return None
                units = {n: other.paper(n) for n in names if n in other.written}
            units[step] = after
            steps = {n: paper(u) for n, u in units.items()}
            return steps, steps, None, "carried on" if carried else "alone"
        whole = paper(after)
        if which == "step":
            return {step: whole}, {step: whole}, None, "one step"
        if which == "csv":
            if depth(whole) < 2 or step == "weighted_values":
                return None
            return {step: whole}, {step: whole}, table(whole), "one CSV file"
        if which == "row":
            if depth(whole) < 2:
                return None
            rows = {step: only_rows(paper(before), whole)}
            return rows, rows, None, "one row"
        index, text = rng.choice([(i, w) for i, b, w in places(paper(before), whole) if b != w])
        cells = {step: {",".join(str(k + 1) for k in index): text}}
        return cells, {step: only_cell(whole, index)}, None, "one cell"


def as_numbers(step):
    """Texts as JSON numbers, where these can say it."""
    if isinstance(step, dict):
        return {key: as_numbers(value) for key, value in step.items()}
    return mapped(step, lambda t: float(t) if t and "inf" not in t else t)


def only_rows(before, after):
    """The rows that differ; blanks for the others."""
    if before == after:
        return None
    if not isinstance(before[0], list):
        return after
    return [only_rows(b, a) for b, a in zip(before, after)]


def places(before, after, index=()):
    if isinstance(before, list):
        for k, both in enumerate(zip(before, after)):
            yield from places(*both, index + (k,))
    else:
        yield index, before, after


def only_cell(nested, index, here=()):
    if isinstance(nested, list):
        return [only_cell(n, index, here + (k,)) for k, n in enumerate(nested)]
    return nested if here == index else None


def table(step):
    """Matrices one under the other; texts in quotes or without, as both are read alike."""
    while depth(step) > 2:
        step = sum(step, [])
    text = io.StringIO()
    csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(step)
    return text.getvalue()


# --- the cases that were found by hand -------------------------------------

WORKED = {
    "inputs": [[1, 0, 1, 0], [0, 2, 0, 2], [1, 1, 1, 1]],
    "weights": {"key": [[0, 0, 1], [1, 1, 0], [0, 1, 0], [1, 1, 0]],
                "query": [[1, 0, 1], [1, 0, 0], [0, 0, 1], [0, 1, 1]],
                "value": [[0, 2, 0], [0, 3, 0], [1, 0, 3], [1, 1, 0]]},
    "score": "dot",
}


def fixed():
    """Wrong work on the classic example that once was called right."""
    rows = lambda row: [row, None, None]
    exponentials, weights = rows(["0.1535", "1", "1"]), rows(["0.0713", "0.4644", "0.4644"])
    columns = [["0.0634", "0.0000", "0.0003"], ["0.4683", "0.9820", "0.8808"], ["0.4683", "0.0180", "0.1189"]]
    cases = (
        ("any row of exponentials", "exponentials",
         {"exponentials": rows(["123.456", "7.1111", "0.0321"])}, None),
        ("0.1535 for 0.1353 and what follows", "exponentials",
         {"exponentials": exponentials, "attention_weights": weights}, None),
        ("0.1535 for 0.1353 after the maximum", "exponentials",
         {"row_maximum": ["4", None, None], "exponentials": exponentials, "attention_weights": weights}, None),
        ("0.1535 for 0.1353 alone", "exponentials", {"exponentials": exponentials}, None),
        ("the number of [2,1] at [1,2]", "context", {"context": {"1,2": "2.0000"}}, None),
        ("softmax down the columns", "attention_weights", {"attention_weights": columns}, table(columns)),
        ("softmax down the columns", "attention_weights", {"attention_weights": columns}, None),
        ("2.46 for 2.14", "exponential_sums",
         {"exponentials": rows(["0.14", "1", "1"]), "exponential_sums": ["2.46", None, None]}, None),
        ("2.46 for 2.14", "exponential_sums",
         {"exponentials": rows(["0.14", "1", "1"]), "exponential_sums": {"1": "2.46"}}, None),
    )
    return [Wrong("by hand", CASES, what, step, steps, (step,), text) for what, step, steps, text in cases]


# --- asking ----------------------------------------------------------------


def problems(options):
    """(name, problem, hand-ins), until enough were tried; every fourth problem has positions or past
    keys, every fourth what few ask for."""
    kinds = options.kinds.split(",") if options.kinds else list(KINDS)
    if not options.kinds:
        yield "worked-example", WORKED, fixed()
    left, seed = options.tries, options.seed
    turn = 0
    while left > 0:
        raw = exercise(seed + {0: PLACED, 2: UNUSUAL}.get(seed % 4, 0))
        rng = random.Random(f"attn changes {seed}")
        maker, found = Maker(raw, rng), []
        for _ in range(min(EACH, left)):
            made = maker.make(kinds[turn % len(kinds)], SETS[turn // len(kinds) % len(SETS)], rng)
            turn += 1
            if made:
                found.append(made)
        left -= min(EACH, left)
        yield str(seed), raw, found
        seed += 1


def measure(options, name, raw, found):
    """(hand-in, outcome, words about it), asking once for all hand-ins of a problem."""
    folder = os.path.join(options.folder, name)
    os.makedirs(folder, exist_ok=True)
    problem = os.path.join(folder, "problem.json")
    with open(problem, "w", encoding="utf-8") as file:
        json.dump(raw, file)
    asked = [f for f in found if f.firsts]
    paths = [f.write(os.path.join(folder, f"answers-{k + 1}")) for k, f in enumerate(asked)]
    rows = [(f, "thrown away", "") for f in found if not f.firsts]
    for handin, path, report in zip(asked, paths, reports(options, problem, paths)):
        outcome = judged(handin, report)
        rows.append((handin, outcome, "" if outcome == "found" else words(handin, report, problem, path)))
    if not (options.keep or any(row[2] for row in rows)):
        shutil.rmtree(folder)
    return rows


def reports(options, problem, paths):
    if not paths:
        return []
    done = subprocess.run([options.attn, "check", problem, *paths, "--format", "json"],
                          capture_output=True, timeout=SECONDS)
    try:
        found = json.loads(done.stdout)
    except ValueError:
        said = done.stderr.decode("utf-8", "replace")[:500]
        return [{"verdict": f"exit code {done.returncode}: {said}"} for _ in paths]
    return found if isinstance(found, list) else [found]


def judged(handin, report):
    verdict = report.get("verdict", "no verdict: " + str(report.get("error")))
    if verdict in ("right", "incomplete"):
        return "called right"
    if verdict != "wrong":
        return "no verdict"
    return "found" if report.get("first_wrong") in handin.firsts else "other first step"


def words(handin, report, problem, path):
    notes = "; ".join(d.get("mistake", "") for d in report.get("diagnoses", [])) or "no diagnosis"
    return (f"{handin.kind} ({handin.which}): {handin.told}\n    expected: wrong, first in {' or '.join(handin.firsts)}"
            f"\n    got: {report.get('verdict')}, first in {report.get('first_wrong')}: {notes}"
            f"\n    attn check {problem} {path}")


# --- telling ---------------------------------------------------------------

OUTCOMES = ("tried", "thrown away", "called right", "other first step", "no verdict")


def summary(rows, options):
    counted = defaultdict(Counter)
    for handin, outcome, _ in rows:
        for line in (handin.kind, handin.which, "total"):
            counted[line]["tried"] += 1
            counted[line][outcome] += 1
    print(f"{'':32}" + "".join(f"{o:>18}" for o in OUTCOMES))
    kinds = [k for k in (*KINDS, "by hand") if k in counted]
    for line in kinds + [""] + [s for s in (*SETS, CASES) if s in counted] + ["", "total"]:
        print(f"{line:32}" + "".join(f"{counted[line][o]:>18}" for o in OUTCOMES) if line else "")
    failed = [row for row in rows if row[2]]
    for handin, outcome, told in failed if options.verbose else failed[:options.show]:
        print(f"{outcome.upper()}: {told}")
    whole = counted["total"]
    judgeable = whole["tried"] - whole["thrown away"]
    print(f"{judgeable} hand-ins with one thing wrong ({100 * whole['thrown away'] / max(whole['tried'], 1):.1f} % "
          f"thrown away, which may be honest), {whole['called right']} called right, "
          f"{whole['other first step']} with another first wrong step")
    return 1 if failed else 0


def measured(options):
    """All rows: see `measure`."""
    options.folder = options.keep or tempfile.mkdtemp(prefix="attn-wrong-")
    rows = [row for one in problems(options) for row in measure(options, *one)]
    remove_if_empty(options.folder)
    return rows


def arguments():
    parser = measuring_arguments(__doc__)
    parser.add_argument("--tries", type=int, default=1000, help="hand-ins")
    parser.add_argument("--kinds", help="only these, with commas between: " + ", ".join(KINDS))
    parser.add_argument("--show", type=int, default=20, help="tell of so many failures")
    return parser


def main():
    options = arguments().parse_args()
    if missing(options.attn):
        return SKIPPED
    return summary(measured(options), options)


if __name__ == "__main__":
    sys.exit(main())
