#!/usr/bin/env python3
"""Runs the examples of the documents, and compares what they print.

    run_examples.py [--update] ATTN ROOT

Every block of README.md, docs/ and data/README.md that is fenced as `console` is
an example. A line that begins with "$ " is a command; the lines after it are what
a terminal would show, errors included. A line of only "…" stands for any lines
left out. A command that ends with "# exit 2" is expected to end with that code,
every other with 0.

Commands run in a temporary copy of data/, one for each document, in the order in
which they stand there; `attn` is the program given. With --update the outputs are
rewritten in place; what was left out stays left out, where its surroundings can
still be found.

Besides, commands in running text that name a file in data/ must end with 0, every
link to a file must lead somewhere, and every problem in data/ must have its line in
data/README.md.
"""

import sys

sys.dont_write_bytecode = True

import argparse
import difflib
import json
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "property"))

from notes import PROGRESS

ELISION = "…"
TIMEOUT_SECONDS = 120


@dataclass
class Example:
    """One command of a document. Its output stands in lines [begin, end)."""

    command: str
    exit_code: int
    line: int
    begin: int
    end: int


# --- reading ----------------------------------------------------------------


def examples_in(lines):
    examples = []
    inside = False
    for number, line in enumerate(lines):
        if not inside:
            inside = line.strip() == "```console"
        elif line.strip() == "```":
            inside = False
            if examples:
                examples[-1].end = examples[-1].end or number
        elif line.startswith("$ "):
            if examples:
                examples[-1].end = examples[-1].end or number
            match = re.fullmatch(r"\$ (.*?)(?:\s+# exit (\d))?", line)
            examples.append(Example(match[1], int(match[2] or 0), number + 1, number + 1, 0))
    return examples


def without_blank_ends(lines):
    lines = list(lines)
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


def is_elision(line):
    return line.strip() == ELISION


def segments_of(expected):
    """The runs of lines between elisions; empty ones at the ends where it begins or ends with one."""
    segments = [[]]
    for line in expected:
        if is_elision(line):
            segments.append([])
        else:
            segments[-1].append(line)
    return segments


# --- comparing --------------------------------------------------------------


def matches(expected, got):
    """Whether `got` is `expected` with something in place of each elision."""
    segments = segments_of(expected)
    if len(segments) == 1:
        return expected == got
    first, middle, last = segments[0], segments[1:-1], segments[-1]
    if len(first) + len(last) > len(got):
        return False
    if got[:len(first)] != first or (last and got[-len(last):] != last):
        return False
    at, stop = len(first), len(got) - len(last)
    for segment in middle:
        found = next((k for k in range(at, stop - len(segment) + 1) if got[k:k + len(segment)] == segment), None)
        if found is None:
            return False
        at = found + len(segment)
    return True


def closest_line(wanted, lines, start, near=None):
    """The line most like `wanted`, at or after `start`; of equals, the one nearest to `near`, else the first."""
    best, best_score = None, 0.6
    for k in range(start, len(lines)):
        score = difflib.SequenceMatcher(None, wanted, lines[k], autojunk=False).ratio()
        if near is not None:
            score -= 0.002 * abs(k - near)
        if score > best_score:
            best, best_score = k, score
    return best


def elided_again(expected, got):
    """`got` with the elisions that `expected` has, or whole where they cannot be placed."""
    segments = segments_of(expected)
    if len(segments) == 1:
        return got
    kept = []
    at = 0
    for number, segment in enumerate(segments):
        if number > 0:
            kept.append(next((line for line in expected if is_elision(line))))
        if not segment:
            continue
        last = number == len(segments) - 1
        begin = at if number == 0 else closest_line(segment[0], got, at)
        if begin is None and last:
            begin = max(at, len(got) - len(segment))
        if begin is None:
            return got
        end = len(got) - 1 if last else closest_line(segment[-1], got, begin, begin + len(segment) - 1)
        if end is None:
            return got
        kept += got[begin:end + 1]
        at = end + 1
    return kept


# --- running ----------------------------------------------------------------


def make_workplace(root, attn, folder):
    """A folder with a copy of data/, and one for PATH in which `attn` is the program."""
    place = Path(folder) / "place"
    place.mkdir()
    shutil.copytree(root / "data", place / "data")
    programs = Path(folder) / "bin"
    programs.mkdir()
    (programs / "attn").symlink_to(attn)
    environment = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "COLUMNS", "CLICOLOR_FORCE")}
    environment |= {"PATH": f"{programs}:{os.environ.get('PATH', '/usr/bin:/bin')}", "LC_ALL": "C.UTF-8", "TERM": "dumb"}
    return place, environment


def run(example, place, environment):
    """What the command printed, line by line, and its exit code."""
    done = subprocess.run(["bash", "-c", example.command], cwd=place, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TIMEOUT_SECONDS)
    text = done.stdout.decode("utf-8", errors="replace")
    return without_blank_ends([line for line in text.split("\n") if not re.match(PROGRESS, line)]), done.returncode


def small_difference(expected, got):
    lines = list(difflib.unified_diff(expected, got, "in the document", "printed now", lineterm="", n=1))
    return lines[2:14] + ([f"… {len(lines) - 14} more lines"] if len(lines) > 14 else [])


def check_document(path, root, attn, update):
    """Returns how many examples passed and failed."""
    lines = path.read_text(encoding="utf-8").split("\n")
    passed = failed = 0
    changes = []
    with tempfile.TemporaryDirectory() as folder:
        place, environment = make_workplace(root, attn, folder)
        for example in examples_in(lines):
            where = f"{path.relative_to(root)}:{example.line}"
            expected = without_blank_ends(lines[example.begin:example.end])
            trailing = lines[example.begin + len(expected):example.end]
            try:
                got, code = run(example, place, environment)
            except subprocess.TimeoutExpired:
                got, code = [f"(still running after {TIMEOUT_SECONDS} seconds)"], -1
            faults = []
            if code != example.exit_code:
                faults.append(f"exit code {code}, expected {example.exit_code}")
            if not matches(expected, got):
                if update:
                    # A code other than expected is no output to keep.
                    if not faults:
                        changes.append((example, elided_again(expected, got) + trailing))
                        print(f"update {where}: $ {example.command}")
                else:
                    faults += small_difference(expected, got)
            if faults:
                failed += 1
                print(f"FAIL   {where}: $ {example.command}")
                for fault in faults + (got[:12] if code != example.exit_code else []):
                    print(f"       {fault}")
            else:
                passed += 1
    for example, output in reversed(changes):
        lines[example.begin:example.end] = output
    if changes:
        path.write_text("\n".join(lines), encoding="utf-8")
    return passed, failed


# --- running text -------------------------------------------------------------


def prose_of(path):
    return re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.S)


def check_mentioned(path, root, attn):
    """The same for commands in running text, of which only the exit code is known."""
    commands = re.findall(r"`(attn [^`]*\bdata/[^`]*)`", prose_of(path))
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        place, environment = make_workplace(root, attn, folder)
        for command in commands:
            got, code = run(Example(command, 0, 0, 0, 0), place, environment)
            if code != 0:
                failed += 1
                print(f"FAIL   {path.relative_to(root)}: `{command}` ends with {code}")
                for line in got[:12]:
                    print(f"       {line}")
    return len(commands) - failed, failed


def dead_links(path, root):
    for target in re.findall(r"\]\(([^)\s]+)\)", prose_of(path)):
        file = target.split("#")[0]
        if file and "://" not in file and not (path.parent / file).exists():
            yield f"{path.relative_to(root)} links to {target}, which is not there"


def unlisted_problems(root):
    listed = (root / "data" / "README.md").read_text(encoding="utf-8")
    for path in sorted((root / "data").glob("*.json")):
        if not path.name.endswith(".golden.json") and path.name not in listed:
            yield f"data/README.md has no line about {path.name}"


def wrong_symbols(root, attn):
    """The glossary names steps, and what stands for them: as the program does."""
    symbols = {}
    for problem in ("eight-heads-batch", "masks-together", "worked-example-scaled"):
        trace = json.loads(subprocess.run([attn, root / "data" / f"{problem}.json", "--format", "json"],
                                          capture_output=True, check=True).stdout)
        symbols.update((step["id"], step["symbol"]) for step in trace["steps"])
    glossary = (root / "docs" / "glossary.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| [^|]+ \| `(\w+)` \| (\S+) \|", glossary, re.M)
    for step, symbol in rows:
        if symbols.get(step) != symbol:
            yield f"docs/glossary.md calls {step} {symbol}, which is {symbols.get(step)}"
    if not rows:
        yield "docs/glossary.md has no symbols"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("attn", type=Path)
    parser.add_argument("root", type=Path)
    parser.add_argument("--update", action="store_true", help="rewrite the outputs in place")
    options = parser.parse_args()
    root, attn = options.root.resolve(), options.attn.resolve()

    documents = [root / "README.md", *sorted((root / "docs").rglob("*.md")), root / "data" / "README.md"]
    passed = failed = 0
    for path in documents:
        for right, wrong in (check_document(path, root, attn, options.update), check_mentioned(path, root, attn)):
            passed, failed = passed + right, failed + wrong
    for fault in [*(f for path in documents for f in dead_links(path, root)), *unlisted_problems(root),
                  *wrong_symbols(root, attn)]:
        failed += 1
        print(f"FAIL   {fault}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
