"""Every format says the same words and shows the same numbers.

Each document is written in all formats and read back (reading.py). What the terminal
shows, at a width at which nothing stands side by side, is what the others are compared with;
its matrices are compared with the trace that programs get.
"""

import sys

sys.dont_write_bytecode = True

import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from collections import Counter

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "property"))

import every_feature
import reading
from notes import NOTES
from reading import all_tokens, matrices, numbers_and_labels, tokens
from terminal import in_terminal

ATTN = os.path.abspath(os.environ["ATTN"])
ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
DATA = os.path.join(ROOT, "data")

# Between what is handed in and what is right: slips, blanks, numbers spelled in every way.
ADA = {"steps": {"scores": [[2, 4, 4], [4, 61, 12], [4, None, 10]],
                 "attention_weights": [["1/(1+2e^2)", "47%", "0.47"], ["0.00", "0.98", "0.02"],
                                       ["0.1^4", "√0.7744", "0.12"]],
                 "context": [["1.94", "6.68", "1.60"], ["2.00", "7.96", "0.05"], ["2.00", "7.76", "0.36"]]}}
BEN = {"steps": {"keys": [[0, 1, 1], [4, 4, 0], [2, 3, 1]], "scores": [[2, 4, 4], [4, 16, 12], [4, 12, 10]]}}

WHOLE_STEP = ["worked-example-scaled.json", "attention_weights"]
DOCUMENTS = {
    "the worked example": ["run", "worked-example.json"],
    "a causal mask": ["run", "worked-example-causal.json"],
    "a ragged batch": ["run", "ragged-batch.json"],
    "three heads": ["run", "tom-yeh-three-heads.json"],
    "masks that add": ["run", "masks-together.json"],
    "why a number": ["why", "worked-example-causal.json", "context[2,2]"],
    "why every number": ["why", *WHOLE_STEP],
    "answers marked": ["check", "worked-example.json", "ada.json", "ben.json", "--reveal", "value"],
    "a known mistake": ["mistakes", "scale.by_dk"],
}
FEATURES = ["columns", "additive", "rope of two of four", "appended keys", "relative", "deberta", "alibi",
            "cross-attention", "linear", "scale and softcap", "grouped queries", "masks"]
FOLDER = tempfile.TemporaryDirectory(prefix="attn-features-")
DOCUMENTS |= {name: ["run", path] for name, path in every_feature.write(FOLDER.name, FEATURES).items()}


def written(words, *settings, ending):
    """The document in the format of that ending."""
    folder = tempfile.mkdtemp(prefix="attn-same-")
    try:
        for name, answers in (("ada.json", ADA), ("ben.json", BEN)):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                json.dump(answers, file)
        command, *rest = words
        rest = [os.path.join(DATA, word) if os.path.exists(os.path.join(DATA, word)) else word for word in rest]
        full = [] if command == "mistakes" or ending == ".json" else ["--full"]
        if ending == ".txt":
            code, text = in_terminal([ATTN, command, *rest, *full, *settings, "--color", "never"], columns=400,
                                     cwd=folder, stdin=subprocess.DEVNULL, stderr=None)
            text = text.decode("utf-8")
        else:
            path = os.path.join(folder, "document" + ending)
            done = subprocess.run([ATTN, command, *rest, *full, *settings, "-o", path], cwd=folder, capture_output=True,
                                  encoding="utf-8", timeout=60)
            assert re.fullmatch(NOTES, done.stderr), done.stderr
            code = done.returncode
            with open(path, encoding="utf-8") as file:
                text = file.read()
        assert code == (command == "check"), code
        return text
    finally:
        shutil.rmtree(folder)


# What a page has beyond the document, to find one's way and to look at the same numbers in
# another way: a link past the beginning, how to read the weights, drawings of them, and the
# steps in between that cells can be traced back to.
PAGE_ONLY = {"skip", "hint", "arcs", "behind", "overview", "extra"}


def is_of_the_page(element):
    names = [element.name, element.attributes.get("id"), *element.attributes.get("class", "").split()]
    return not PAGE_ONLY.isdisjoint(names)


def read_page(text):
    """What the other formats say without being asked for more: they draw no vectors."""
    return reading.read_html(re.sub(r"<section>\n<h2>Geometry</h2>.*?</section>", "", text, flags=re.S), is_of_the_page)


# Of each format that writes everything: its settings, the ending of its files, what reads it.
FORMATS = {
    "text": ([], ".txt", reading.read_text),
    "markdown for GitHub": ([], ".md", reading.read_markdown),
    "markdown with dollars": (["--math", "dollar"], ".md", reading.read_markdown),
    "markdown without formulas": (["--math", "none"], ".md", reading.read_markdown),
    "latex": ([], ".tex", reading.read_latex),
    "latex, standalone": (["--standalone"], ".tex", reading.read_latex),
    "html": ([], ".html", read_page),
}


def differences(expected, got):
    """What two readings of one document have that is not the same; empty if nothing."""
    faults = []
    ours, theirs = Counter(all_tokens(expected)), Counter(all_tokens(got))
    if ours != theirs:
        faults.append(f"missing: {dict(ours - theirs)}, too many: {dict(theirs - ours)}")
    shown = [numbers_and_labels(matrix) for matrix in matrices(expected)]
    read = [numbers_and_labels(matrix) for matrix in matrices(got)]
    if shown != read:
        faults.append("matrices: " + next((f"{a} is {b}" for a, b in zip(shown, read) if a != b),
                                          f"{len(shown)} are {len(read)}"))
    line = reading.first_out_of_order(reading.arithmetic(expected), got)
    if line:
        faults.append(f"not where it should be: {' '.join(line)}")
    return faults


# The ends of the scale that stands beside a map, and what a figure says of itself.
SCALE = {"0.0000", "1.0000"}
OF_FIGURES = "Grey: closed by is drawn with its numbers, the other others as a small map maps."


def without_zeros(matrix):
    """Panels of one step have as many decimals as that with the most."""
    columns, rows = matrix
    return columns, [(label, [re.sub(r"(\.\d*?)0+$", r"\1", number).rstrip(".") for number in numbers])
                     for label, numbers in rows]


def differences_of_figure(expected, got, trace):
    """The same for a figure: it has every matrix, and may have more of the trace; lines of arithmetic
    it draws only where a number was asked for. What it says is said by the others as well."""
    shown, drawn = ([without_zeros(numbers_and_labels(matrix)) for matrix in matrices(parts)] for parts in (expected, got))
    faults = [f"is not drawn: {matrix}" for matrix in shown if matrix not in drawn]
    words = set(all_tokens(expected)) | SCALE | set(tokens(OF_FIGURES))
    if trace is None:
        missing = Counter(all_tokens(expected)) - Counter(all_tokens(got))
        return faults + ([f"missing: {dict(missing)}"] if missing else [])
    known = list(reading.matrices_in(trace["steps"]))
    for matrix, as_drawn in zip(matrices(got), drawn):
        words.update(token for cell in matrix.cells() for token in tokens(cell))
        if as_drawn not in shown and not any(reading.rounded_is(one, matrix) for one in known):
            faults.append(f"is not in the trace: {as_drawn}")
    for step in trace["steps"]:
        words.update(tokens(f"{step['title']} {step['formula']} {step['symbol']}"))
    extra = set(all_tokens(got)) - words
    return faults + ([f"says more: {extra}"] if extra else [])


class SameEverywhere(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.terminal = {name: reading.read_text(written(words, ending=".txt")) for name, words in DOCUMENTS.items()}

    def test_every_format_says_the_same(self):
        for document, words in DOCUMENTS.items():
            for format, (settings, ending, read) in FORMATS.items():
                with self.subTest(document=document, format=format):
                    got = read(written(words, *settings, ending=ending))
                    self.assertFalse(differences(self.terminal[document], got))

    def test_a_number_that_is_changed_is_noticed(self):
        words, expected = DOCUMENTS["the worked example"], self.terminal["the worked example"]
        for format, (settings, ending, read) in FORMATS.items():
            text = written(words, *settings, ending=ending)
            places = [found.start() for found in re.finditer(r"\b6\.6831\b", text)]
            self.assertGreaterEqual(len(places), 1, format)
            for at in places:
                with self.subTest(format=format, text=text[max(0, at - 40):at + 20]):
                    self.assertTrue(differences(expected, read(text[:at] + "6.6832" + text[at + 6:])))

    def figure_differences(self, document, figure):
        words = DOCUMENTS[document]
        whole_steps = words[0] == "run" or words[1:] == WHOLE_STEP
        trace = json.loads(written(["run", words[1]], ending=".json")) if whole_steps else None
        return differences_of_figure(self.terminal[document], reading.read_svg(figure.replace(">padding</text>", ">·</text>")), trace)

    def test_a_figure_has_the_same_numbers(self):
        for document, words in DOCUMENTS.items():
            with self.subTest(document=document):
                self.assertFalse(self.figure_differences(document, written(words, ending=".svg")))

    def test_a_number_that_is_changed_is_noticed_in_a_figure(self):
        figure = written(DOCUMENTS["the worked example"], ending=".svg")
        places = [found.start() for found in re.finditer(r"\b6\.6831\b", figure)]
        self.assertTrue(places)
        for at in places:
            changed = figure[:at] + "6.6832" + figure[at + 6:]
            self.assertTrue(self.figure_differences("the worked example", changed))

    def test_what_is_shown_is_what_programs_get(self):
        for document, words in DOCUMENTS.items():
            if words[0] != "run":
                continue
            trace = json.loads(written(words, ending=".json"))
            with open(os.path.join(DATA, words[1]), encoding="utf-8") as file:
                known = [*reading.matrices_in(trace["steps"]), *reading.matrices_in(json.load(file))]
            for matrix in matrices(self.terminal[document]):
                with self.subTest(document=document, rows=matrix.rows):
                    self.assertTrue(any(reading.rounded_is(one, matrix) for one in known))


if __name__ == "__main__":
    unittest.main()
