#!/usr/bin/env python3
"""No number of an answer stands anywhere in a sheet: not in a comment, an attribute or a hidden part.

Draws exercises of every kind, writes their sheets in all formats, with all numbers blank, some
of them, those of one step, and faded, and looks for numbers that only a blank box has.

    sheet_leaks.py build/default/attn --count 20
"""

import sys

sys.dont_write_bytecode = True

import functools
import html.parser
import json
import math
import multiprocessing
import os
import re
import subprocess
import tempfile
from pathlib import Path

from exercises_made import numbers, tasks_of
from nested import flat
from program import SKIPPED, measuring_arguments, missing

FORMATS = {"text": ".txt", "markdown": ".md", "latex": ".tex", "html": ".html"}
WAYS = ((), ("--fade",), ("--blank", "some"), ("--blank", "attention_weights"))
SECONDS = 300


def printed(attn, *words):
    done = subprocess.run([attn, *words], capture_output=True, encoding="utf-8", timeout=SECONDS,
                          env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"})
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout


def cells_of(step):
    return [float(number) for number in flat(step["data"])]


class OpenBoxes(html.parser.HTMLParser):
    """The cells of a page that are to be filled in, by step."""

    def __init__(self, text):
        super().__init__()
        self.open, self.step = {}, None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        named = dict(attributes)
        if tag == "table":
            self.step = named.get("data-step")
        elif tag == "input" and "data-cell" in named:
            self.open.setdefault(self.step, set()).add(int(named["data-cell"]))


def parts_of(text, format):
    """What of a file is made of the problem: no style, no script, no macros, which are the same for all."""
    if format == "html":
        text = re.sub(r"<(style|script)>.*?</\1>", "", text, flags=re.S)
        return re.sub(r' data-(cell|shape|problem)="[^"]*"', "", text)
    if format == "latex":
        text = text[text.index(r"\begin{document}"):]
        return re.sub(r"\\(hspace|begin\{minipage\}\[t\])\{[\d.]+(pt|mm)\}|\\\\\[\w+\]|p\{[^}]*\}", "", text)
    return text


def leaked(text, format, answers, known):
    """Numbers of a text that stand for an answer and for nothing that is known, at the decimals they are written with."""
    known = {round(abs(number), 12) for number in known}
    answers = {abs(number) for number in answers}
    found = []
    for token in re.findall(r"(?<![\w.])\d+\.\d+(?!\w)", parts_of(text, format)):
        value, decimals = float(token), len(token) - token.index(".") - 1
        shown = {f"{number:.{decimals}f}" for number in known}
        if value != 0 and token not in shown and any(
                abs(answer - value) <= 0.500001 * 10 ** -decimals for answer in answers):
            found.append(token)
    if format in ("text", "markdown"):
        text = re.sub(r"(columns|rows) [\d–]+ of \d+", "", text)
        for token in re.findall(r"(?<![\w.,/–×])\d{2,}(?![\w.,/–×])", text):
            if float(token) in answers and float(token) not in known:
                found.append(token)
    return found


def sheets(attn, problem, *words):
    """The sheet in every format."""
    with tempfile.TemporaryDirectory() as folder:
        files = {name: os.path.join(folder, "sheet" + ending) for name, ending in FORMATS.items()}
        outputs = [word for file in files.values() for word in ("-o", file)]
        printed(attn, "worksheet", problem, *words, *outputs)
        return {name: Path(file).read_text(encoding="utf-8") for name, file in files.items()}


def numbers_of(attn, problem):
    """The numbers that a problem gives, and its steps."""
    with open(problem, encoding="utf-8") as file:
        given = numbers(json.loads(re.sub(r"(?m)^\s*//.*$", "", file.read())))
        given = [float(number) for number in given if isinstance(number, (int, float))]
    return given, json.loads(printed(attn, "run", problem, "--format", "json"))["steps"]


def answers_and_known(given, steps, boxes):
    """What the open boxes of a page hold, and every other number of its problem and its steps."""
    answers, known = [], list(given)
    for step in steps:
        for at, number in enumerate(cells_of(step)):
            (answers if at in boxes.get(step["id"], ()) and not step["id"].endswith("mask") else known).append(number)
    answers, known = ([number for number in both if math.isfinite(number)] for both in (answers, known))
    return answers, known + differences(steps, boxes)


def differences(steps, boxes):
    """What the exponents of rows that are worked out say: each score less the largest."""
    found = []
    for step in steps:
        if step["id"].endswith("scores"):
            width = step["shape"][-1]
            cells = [math.inf if at in boxes.get(step["id"], ()) else number for at, number in enumerate(cells_of(step))]
            for row in (cells[first:first + width] for first in range(0, len(cells), width)):
                found += [number - max(row) for number in row if math.isfinite(number - max(row))]
    return found


def leaks(attn, problem, *ways):
    """Of each way to write a sheet: what each format gives away, and how many numbers are to be found."""
    given, steps = numbers_of(attn, problem)
    for way in ways:
        written = sheets(attn, problem, *way)
        answers, known = answers_and_known(given, steps, OpenBoxes(written["html"]).open)
        yield way, {format: leaked(text, format, answers, known) for format, text in written.items()}, len(answers)


def examine(attn, task):
    """(kind, file, way, format, numbers) of every leak from this seed on; and how many sheets had how many blanks."""
    kind, seed, count = task
    found, looked_at, blanks = [], 0, 0
    with tempfile.TemporaryDirectory(prefix="attn-leaks-") as folder:
        printed(attn, "exercise", *kind, "--seed", str(seed), "--count", str(count), "--threads", "1", "-o",
                folder + "/")
        for name in sorted(n for n in os.listdir(folder) if n.endswith(".json")):
            for way, of_formats, answers in leaks(attn, os.path.join(folder, name), *WAYS):
                looked_at += len(of_formats)
                blanks += answers
                found += [(kind, name, way, format, told) for format, told in of_formats.items() if told]
    return found, looked_at, blanks


def a_key_is_seen_through(attn):
    """Whether the search finds the numbers of a key, which has all of them."""
    with tempfile.TemporaryDirectory(prefix="attn-leaks-") as folder:
        problem = os.path.join(folder, "problem.json")
        printed(attn, "exercise", "--seed", "1", "-o", problem)
        sheet, key = sheets(attn, problem), sheets(attn, problem, "--key")
        answers, known = answers_and_known(*numbers_of(attn, problem), OpenBoxes(sheet["html"]).open)
        return all(leaked(key[format], format, answers, known) for format in FORMATS)


def main():
    parser = measuring_arguments(__doc__)
    parser.add_argument("--count", type=int, default=1, help="exercises of each kind")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    if missing(options.attn):
        return SKIPPED
    if not a_key_is_seen_through(options.attn):
        print("the search does not find what a key says")
        return 1
    found, looked_at, blanks = [], 0, 0
    with multiprocessing.Pool(options.processes) as pool:
        examined = pool.imap(functools.partial(examine, options.attn), tasks_of(options, 5))
        for here, sheets_here, blanks_here in examined:
            found += here
            looked_at += sheets_here
            blanks += blanks_here
            for kind, name, way, format, told in here:
                print(" ".join(kind) or "plain", name, " ".join(way), format, told, flush=True)
    print(f"{looked_at} sheets in {len(FORMATS)} formats, {blanks} blank numbers, {len(found)} leaks")
    return 1 if found or not blanks else 0


if __name__ == "__main__":
    sys.exit(main())
