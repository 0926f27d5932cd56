"""Documents speak to their readers: no option of the program, no name of a dtype; hints go to standard error."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

ATTN = os.path.abspath(os.environ["ATTN"])
DATA = Path(__file__).resolve().parents[2] / "data"
FORMATS = {"text": [], "markdown": [], "markdown slides": ["--slides"], "latex": [], "latex slides": ["--beamer"],
           "html": [], "svg": []}
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+(?![\w:-])")  # not a custom property of a style
LARGE = {"title": "Forty", "notes": "Drawn at random.", "inputs": {"random": "normal", "seed": 1, "shape": [40, 4]}}


def ran(*words, text=None, codes=(0,)):
    done = subprocess.run([ATTN, *map(str, words)], input=text, capture_output=True, encoding="utf-8", timeout=120)
    assert done.returncode in codes, (words, done.returncode, done.stderr)
    return done.stdout, done.stderr


def told(document):
    """The words of a document, without the style and the script of a page."""
    return re.sub(r"<(style|script)\b.*?</\1>|<[^>]*>", "", document, flags=re.S)


class Readers(unittest.TestCase):
    def documents(self):
        answers = json.dumps({"steps": {"scores": [[2, 4, 4], [4, 16, 12], [4, 12, 10.5]]}})
        for name, more in FORMATS.items():
            written = ["--format", name.split()[0], *more]
            yield "steps as " + name, ran("run", "-", *written, text=json.dumps(LARGE))
            for level in ("result", "steps", "rows", "cells"):
                yield f"{level} as {name}", ran("run", DATA / "eight-heads-batch.json", "--explain", level, *written)
            yield "bf16 as " + name, ran("run", DATA / "worked-example.json", "--dtype", "bf16", *written)
            yield "why as " + name, ran("why", DATA / "two-heads-shared-matrix.json", "output[1,1]", "--depth", "1", *written)
            yield "a step as " + name, ran("why", DATA / "worked-example.json", "scores", *written)
            yield "a report as " + name, ran("check", DATA / "worked-example.json", "-", "--format", name.split()[0],
                                             text=answers, codes=(0, 1))

    def test_no_document_names_an_option_or_a_dtype(self):
        for which, (document, _) in self.documents():
            with self.subTest(document=which):
                words = told(document)
                self.assertEqual(OPTION.findall(words), [])
                self.assertNotRegex(words, r"\bb?f(16|32|64)\b")
                self.assertNotIn("attn why", words)

    def test_who_runs_the_program_is_told_what_more_there_is(self):
        document, hints = ran("run", "-", text=json.dumps(LARGE))
        self.assertIn("… rows 17 to 40 are left out", document)
        self.assertRegex(hints, "attn: note: .*--full shows all\n")
        _, hints = ran("run", "-", "--full", text=json.dumps(LARGE))
        self.assertNotIn("--full", hints)

    def test_the_notes_of_a_problem_stand_in_every_document(self):
        """Wherever a document has the title of its problem, whatever of it is shown."""
        first, second = "=2+3 is no formula.", "@mind the third input."
        problem = json.loads((DATA / "two-heads-shared-matrix.json").read_text(encoding="utf-8"))
        problem["notes"] = [first, second]
        text = json.dumps(problem)
        selections = [[], ["--only", "attention_weights"], ["--only", "queries,keys"], ["--explain", "result"],
                      ["--geometry"], ["--brief"], ["--head", "2"]]
        for name, more in FORMATS.items():
            for chosen in selections:
                with self.subTest(format=name, chosen=chosen):
                    document, _ = ran("run", "-", *chosen, "--format", name.split()[0], *more, text=text)
                    words = " ".join(re.sub(r"\\|\{\}", "", told(document)).split())
                    for note in ("2+3 is no formula.", "mind the third input."):
                        self.assertTrue(note in words, note)
        for name in ("ipynb", "moodle", "gift"):
            with self.subTest(format=name):
                document, _ = ran("run", "-", "--format", name, text=text)
                self.assertEqual(document.replace("\\", "").count("mind the third input."), 1)
        with tempfile.TemporaryDirectory() as folder:
            ran("run", "-", "-o", f"{folder}/sheet.xlsx", text=text)
            with zipfile.ZipFile(f"{folder}/sheet.xlsx") as sheet:
                self.assertIn(f">{first}<", sheet.read("xl/sharedStrings.xml").decode("utf-8"))  # no formula, but text

    def test_a_course_gets_no_answer_with_the_notes(self):
        problem = {"inputs": [[1, 2], [3, 4]], "notes": "The largest score is 25, and 3 is given."}
        for name in ("moodle", "gift"):
            document, _ = ran("run", "-", "--format", name, text=json.dumps(problem))
            self.assertIn("The largest score is ___, and 3 is given.", document)

    def test_nothing_is_said_where_there_is_nothing_more(self):
        for more in FORMATS:
            _, hints = ran("run", DATA / "worked-example.json", "--format", more.split()[0])
            self.assertEqual(hints, "")

    def test_a_hint_names_the_file_it_is_about(self):
        with tempfile.TemporaryDirectory() as folder:
            page, figure = os.path.join(folder, "x.html"), os.path.join(folder, "x.svg")
            _, hints = ran("run", DATA / "eight-heads-batch.json", "-o", page, "-o", figure)
            self.assertIn(f"attn: note: {page}, {figure}: --explain rows adds a line a row, cells every product\n", hints)

    def test_the_notes_of_a_problem_are_shown(self):
        for name, more in FORMATS.items():
            with self.subTest(format=name):
                document, _ = ran("run", "-", "--format", name.split()[0], *more, text=json.dumps(LARGE))
                self.assertIn("Drawn at random.", told(document))


if __name__ == "__main__":
    unittest.main()
