#!/usr/bin/env python3
"""Exercises that `attn exercise` makes keep what it promises, and show every mistake.

Each problem is worked out by the reference, which shares nothing with the program: its
numbers are within the bounds of a pleasant exercise. Then every known mistake is made in
it, in every reading, rounded to the problem's digits, with all steps handed in, and
`attn check` must name it.

    exercises_made.py build/default/attn --count 20
"""

import sys

sys.dont_write_bytecode = True

import json
import math
import multiprocessing
import os
import subprocess
import tempfile

from handins import Reader
from mistakes import with_mistake
from program import SKIPPED, measuring_arguments, missing
from reference import mapped, work_out
from students import NotHere, Pen

KINDS = (
    (),
    ("--causal",),
    ("--cross",),
    ("--heads", "2"),
    ("--score", "dot"),
    ("--difficulty", "1"),
    ("--difficulty", "2"),
    ("--difficulty", "4"),
    ("--difficulty", "5"),
    ("--causal", "--heads", "2"),
    ("--score", "general"),
    ("--score", "additive"),
    ("--positions", "learned"),
    ("--positions", "rope"),
    ("--score", "cosine"),
    ("--score", "concat"),
    ("--positions", "sinusoidal"),
    ("--positions", "alibi"),
    ("--window", "1,0"),
    ("--digits", "3", "--inputs", "4"),
)
MOST = 20
LEAST_WEIGHT, LARGEST_WEIGHT = 0.02, 0.95
ENTRIES = {1: {0, 1}, 2: {0, 1, 2}, 3: {-1, 0, 1}, 4: {-2, -1, 0, 1, 2}}
SECONDS = 600
OPTIONS = None


def numbers(value):
    if isinstance(value, list):
        for part in value:
            yield from numbers(part)
    elif isinstance(value, dict):
        for part in value.values():
            yield from numbers(part)
    else:
        yield value


def drawn_numbers(problem):
    """What was drawn: inputs, weights, and what scores and positions are made with."""
    for key in ("inputs", "weights", "score", "positions"):
        yield from (n for n in numbers(problem.get(key, [])) if not isinstance(n, str))


def difficulty(kind):
    return int(kind[kind.index("--difficulty") + 1]) if "--difficulty" in kind else 3


def faults_of(problem, kind):
    """What is not as an exercise should be."""
    level = difficulty(kind)
    for number in drawn_numbers(problem):
        if level in ENTRIES and number not in ENTRIES[level]:
            yield f"the number {number} at difficulty {level}"
        if level == 5 and (abs(number) > 2 or round(number, 1) != number):
            yield f"the number {number} at difficulty 5"
    steps = {step.id: step for step in work_out(problem).steps}
    for name in ("queries", "keys", "values", "scores"):
        if any(abs(n) > MOST for n in numbers(steps[name].data)):
            yield f"{name} beyond {MOST}"
    if "scaled_scores" in steps:
        width = len(steps["keys"].data[0][0] if problem.get("heads") else steps["keys"].data[0])
        if math.isqrt(width) ** 2 != width:
            yield f"√{width}"
    mask = list(numbers(steps["mask"].data)) if "mask" in steps else None
    rows = steps["attention_weights"].data
    rows = [row for head in rows for row in head] if problem.get("heads") else rows
    width = len(rows[0])
    mask = [mask[k:k + width] for k in range(0, len(mask), width)] if mask else [[1] * width] * len(rows)
    for at, row in enumerate(rows):
        seen = [w for w, is_open in zip(row, mask[at % len(mask)]) if is_open]
        if len(seen) > 1 and not all(LEAST_WEIGHT <= w <= LARGEST_WEIGHT for w in seen):
            yield f"weights {seen}"


def hand_ins(reader, digits):
    """(mistake, answers): each in each reading, all steps, rounded to the digits and carried on in full."""
    student = reader.honest.student(Pen(digits, "half-up", ()))
    for name, readings in reader.rooms().items():
        for mistake in readings:
            try:
                other = with_mistake(student, mistake)
            except NotHere:
                continue
            if mistake.turned:
                continue  # right numbers in another order are a convention
            steps = [n for n in reader.given.order if n in other.written and n not in mistake.leaves_out]
            spelled = {n: mapped(other.paper(n), other.pen.spelled) for n in steps}
            if name.startswith("softmax.base_"):
                spelled |= powers(other, float(name.removeprefix("softmax.base_")))
            yield mistake, {"schema": "attn/answers/1", "steps": spelled}


def powers(student, base):
    """The steps of a softmax to another base, which nobody else writes."""
    largest = [[[max(row) for row in head] for head in heads] for heads in student.m]
    exponentials = [[[[0.0 if s == -math.inf else base ** (s - most) for s in row] for row, most in zip(head, mosts)]
                     for head, mosts in zip(heads, most_heads)] for heads, most_heads in zip(student.m, largest)]
    sums = [[[sum(row) for row in head] for head in heads] for heads in exponentials]
    steps = {"row_maximum": largest, "exponentials": exponentials, "exponential_sums": sums}
    return {name: mapped(student.paper(name, mapped(blocks, student.pen.unit)), student.pen.spelled)
            for name, blocks in steps.items()}


def named_in(report):
    for diagnosis in report.get("diagnoses", []):
        if diagnosis["kind"] != "note":
            return {diagnosis["mistake"], *diagnosis["ties"]}
    return set()


def examine(task):
    """What is wrong with the exercises of one kind, from this seed on: (kind, file, words), and
    how many mistakes were made in how many exercises."""
    kind, seed, count = task
    with tempfile.TemporaryDirectory(prefix="attn-exercises-") as folder:
        made = subprocess.run([OPTIONS.attn, "exercise", *kind, "--seed", str(seed), "--count", str(count), "--threads",
                               "1", "-o", folder + "/"], capture_output=True, encoding="utf-8", timeout=SECONDS)
        if made.returncode != 0:
            return [(kind, seed, made.stderr)], 0, 0
        faults, mistakes, exercises = [], 0, 0
        for name in sorted(n for n in os.listdir(folder) if n.endswith(".json")):
            exercises += 1
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8") as file:
                problem = json.load(file)
            faults += [(kind, name, words) for words in faults_of(problem, kind)]
            made_in_it, unnamed = unnamed_in(path, problem)
            mistakes += made_in_it
            faults += [(kind, name, words) for words in unnamed]
    return faults, mistakes, exercises


def unnamed_in(path, problem):
    """How many mistakes were made in it, and which of them `attn check` does not name."""
    given_in = list(hand_ins(Reader(problem), problem["digits"]))
    known = {step.id for step in work_out(problem).steps}
    folder = path.removesuffix(".json") + "-answers"
    os.makedirs(folder)
    files = []
    for at, (_, answers) in enumerate(given_in):
        files.append(os.path.join(folder, f"answers-{at}.json"))
        with open(files[-1], "w", encoding="utf-8") as file:
            json.dump(answers, file)
    key = path.replace(os.sep + os.path.basename(path), "/keys/" + os.path.basename(path)).replace(".json", ".txt")
    done = subprocess.run([OPTIONS.attn, "check", path, key, *files, "--format", "json", "--threads", "1"],
                          capture_output=True, timeout=SECONDS)
    reports = json.loads(done.stdout)
    unnamed = [] if reports[0]["verdict"] == "right" else ["the key is called " + reports[0]["verdict"]]
    for (mistake, _), report in zip(given_in, reports[1:]):
        named = named_in(report)
        # What is added for distances is no mask where nothing is closed: the positions are left out.
        same = {mistake.id} | ({"positions.left_out"} if "mask" not in known and mistake.id == "mask.forgotten" else set())
        if report.get("verdict") != "wrong" or not same & named:
            unnamed.append(f"{mistake.id} ({mistake.variant}): {report.get('verdict')}, named {sorted(named)}")
    return len(given_in), unnamed


def tasks_of(options, each):
    """All that is to be examined, so many exercises at once: their kind, the first seed, how many."""
    return [(kind, options.seed + first, min(each, options.count - first))
            for kind in KINDS for first in range(0, options.count, each)]


def start(options):
    global OPTIONS
    OPTIONS = options


def main():
    parser = measuring_arguments(__doc__)
    parser.add_argument("--count", type=int, default=5, help="exercises of each kind")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    if missing(options.attn):
        return SKIPPED
    tasks = tasks_of(options, 10)
    faults, mistakes, exercises = [], 0, 0
    with multiprocessing.Pool(options.processes, start, (options,)) as pool:
        for found, made, count in pool.imap(examine, tasks):
            faults += found
            mistakes += made
            exercises += count
            for kind, name, words in found:
                print(" ".join(kind) or "plain", name, words, flush=True)
    print(f"{exercises} exercises of {len(KINDS)} kinds, {mistakes} mistakes made in them, {len(faults)} faults")
    return 1 if faults or not exercises else 0


if __name__ == "__main__":
    sys.exit(main())
