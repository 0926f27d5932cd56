#!/usr/bin/env python3
"""No number of an answer stands anywhere in a sheet: not in a comment, an attribute or a hidden part.

Draws exercises of every kind, writes their sheets in all formats, with all numbers blank, some
of them, those of one step, and faded, and looks for numbers that only a blank box has. What is
the same in every sheet, byte for byte, is not looked through: styles, scripts, macros.

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
WAYS = ((), ("--fade",), ("--blank", "some"), ("--blank", "some", "--seed", "7"), ("--blank", "attention_weights"))
DARKEST = 55  # per cent of the colour, behind a weight of 1
SECONDS = 300


def printed(attn, *words):
    done = subprocess.run([attn, *words], capture_output=True, encoding="utf-8", timeout=SECONDS,
                          env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"})
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout


def cells_of(step):
    return [float(number) for number in flat(step["data"])]


class OpenBoxes(html.parser.HTMLParser):
    """The cells of a page that are to be filled in, by step; and what its tables are called."""

    def __init__(self, text):
        super().__init__()
        self.open, self.step, self.titles = {}, None, ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        named = dict(attributes)
        if tag == "table":
            self.step = named.get("data-step")
            self.titles += named.get("aria-label", "") + "\n"
        elif tag == "input" and "data-cell" in named:
            self.open.setdefault(self.step, set()).add(int(named["data-cell"]))


def pieces_of_all(text, format):
    """The style, the script and the macros, which are the same in all sheets."""
    if format == "html":
        return re.findall(r"<(?:style|script)>.*?</(?:style|script)>", text, flags=re.S)
    return [text[:text.index(r"\begin{document}")]] if format == "latex" else []


@functools.lru_cache
def same_in_all(attn, format):
    """Those of a sheet that says next to nothing."""
    done = subprocess.run([attn, "worksheet", "-", "--format", format], input='{"inputs": [[1]]}', capture_output=True,
                          encoding="utf-8", timeout=SECONDS, env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"})
    assert done.returncode == 0, done.stderr
    return tuple(pieces_of_all(done.stdout, format))


def parts_of(attn, text, format):
    """What of a file is made of the problem, places and lengths aside."""
    for piece in same_in_all(attn, format):
        text = text.replace(piece, "")
    if format == "html":
        return html.unescape(re.sub(r' data-(cell="\d+"|shape="[\d,]*"|problem="sha256:[\da-f]*")', "", text))
    if format == "latex":
        return re.sub(r"\\(hspace|begin\{minipage\}\[t\])\{[\d.]+(pt|mm)\}|\\\\\[\w+\]|p\{\d+pt\}", "", text)
    return text


def leaked(attn, text, format, answers, known):
    """Numbers of a text that stand for an answer and for nothing that is known, at the decimals they are written with."""
    answers, known = ({abs(number) for number in numbers} for numbers in (answers, known))
    text = re.sub(r"\\mathrm\{e\}\{-\}(?=\d)|e−(?=\d)", "e-", parts_of(attn, text, format))
    text = re.sub(r"(columns|rows) [\d–]+ of \d+", "", text)
    said = []  # a number, how far from it that may be for which it stands, and how it is written
    for token in re.findall(r"(?<![\w.])\d+\.\d+(?:e-\d+)?(?!\w)", text):
        power = int(token.partition("e")[2] or 0)
        said.append((float(token), 10.0 ** (power - len(token.partition("e")[0].partition(".")[2])), token))
    for token in re.findall(r"\\attnshade\{(\d+)\}", text):
        said.append((int(token) / DARKEST, 1 / DARKEST, "shade " + token))
    text = re.sub(r"\\attnshade\{\d+\}", "", text)
    found = []
    for value, unit, token in said:
        half_unit = 0.500001 * unit
        stands_for = [any(abs(number - value) <= half_unit for number in numbers) for numbers in (known, answers)]
        if value != 0 and stands_for == [False, True]:
            found.append(token)
    for token in re.findall(r"(?<![\w.,/–×])(?<!e-)[1-9]\d+(?![\w.,/–×])", text):
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


def is_of_first(step, at):
    """Whether a number belongs to the first query, which a fading sheet works out term by term."""
    axis = next((axis for axis in ("query", "token") if axis in step["axes"]), None)
    place = step["axes"].index(axis) if axis else 0
    return axis is not None and at // math.prod(step["shape"][place + 1:]) % step["shape"][place] == 0


def numbers_of(attn, problem):
    """The numbers that a problem gives, and its steps."""
    with open(problem, encoding="utf-8") as file:
        given = numbers(json.loads(re.sub(r"(?m)^\s*//.*$", "", file.read())))
        given = [float(number) for number in given if isinstance(number, (int, float))]
    with open(problem, encoding="utf-8") as file:
        given += [power / 2 for power in range(17)] if '"alibi"' in file.read() else []  # of two, as slopes are said
    return given, json.loads(printed(attn, "run", problem, "--format", "json"))["steps"]


def answers_and_known(given, steps, page, way):
    """What the open boxes of a page hold, and every other number of its problem and of the steps that it shows."""
    boxes = page.open
    answers, known = [], list(given)
    for step in steps:
        for at, number in enumerate(cells_of(step)):
            if at in boxes.get(step["id"], ()) and not step["id"].endswith("mask"):
                answers.append(number)
            elif step["title"] in page.titles or ("--fade" in way and is_of_first(step, at)):
                known.append(number)
    answers, known = ([number for number in both if math.isfinite(number)] for both in (answers, known))
    counts = range(1 + max(size for step in steps for size in step["shape"]))  # of rows and columns
    return answers, known + differences(steps, boxes) + list(counts)


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
        answers, known = answers_and_known(given, steps, OpenBoxes(written["html"]), way)
        yield way, {format: leaked(attn, text, format, answers, known) for format, text in written.items()}, len(answers)


def examine(attn, task):
    """(kind, file, way, format, numbers) of every leak from this seed on; and how many sheets had how many blanks."""
    kind, seed, count = task
    found, looked_at, blanks = [], 0, 0
    with tempfile.TemporaryDirectory(prefix="attn-leaks-") as folder:
        printed(attn, "exercise", *kind, "--seed", str(seed), "--count", str(count), "--threads", "1", "-o",
                folder + "/")
        for at, name in enumerate(sorted(n for n in os.listdir(folder) if n.endswith(".json"))):
            problem = os.path.join(folder, name)
            for way, of_formats, answers in leaks(attn, problem, *WAYS, ("--blank", a_step_of(attn, problem, seed + at))):
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
        answers, known = answers_and_known(*numbers_of(attn, problem), OpenBoxes(sheet["html"]), ())
        return all(leaked(attn, key[format], format, answers, known) for format in FORMATS)


HIDDEN = {
    "text": ("# {}\n",),
    "markdown": ("<!-- {} -->\n", "[//]: # ({})\n"),
    "latex": ("% {}\n", "\\hypersetup{{pdfsubject={{{}}}}}\n", "\\phantom{{{}}}\n"),
    "html": ("<!-- {} -->\n", '<meta name="description" content="{}">\n', '<p hidden title="{}"></p>\n',
             "<script>const answer = {};</script>\n", "<style>.box {{ --answer: {}; }}</style>\n"),
}


def planted_and_missed(attn):
    """Where an answer can be hidden in a sheet so that the search misses it."""
    missed = []
    with tempfile.TemporaryDirectory(prefix="attn-leaks-") as folder:
        problem = os.path.join(folder, "problem.json")
        printed(attn, "exercise", "--seed", "1", "-o", problem)
        given, steps = numbers_of(attn, problem)
        for way in WAYS:
            sheet = sheets(attn, problem, *way)
            answers, known = answers_and_known(given, steps, OpenBoxes(sheet["html"]), way)
            only = [said for said in (f"{abs(number):.3f}" for number in answers) if leaked(attn, said, "text", answers, known)]
            missed += [(way, "no answer that is nowhere else")] if not only else []
            for format, places in HIDDEN.items():
                for place in places:
                    text = sheet[format]
                    ends = (text.rindex("\n", 0, len(text) - 1) + 1, text.index("\n") + 1)
                    for at in ends:
                        planted = text[:at] + place.format(only[0]) + text[at:]
                        if leaked(attn, planted, format, answers, known) != [only[0]]:
                            missed.append((way, format, place))
    return missed


def a_step_of(attn, problem, seed):
    """One of the steps that are asked for, another one for another seed."""
    steps = sorted(json.loads(printed(attn, "check", problem, "--template", "json"))["steps"])
    return steps[seed % len(steps)]


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
    if missed := planted_and_missed(options.attn):
        print("the search does not find what is hidden here:", *missed, sep="\n  ")
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
