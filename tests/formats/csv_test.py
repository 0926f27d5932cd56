"""`--format csv`: every number of a trace, a line each, for spreadsheets and data frames."""

import csv
import glob
import io
import json
import os
import subprocess
import sys
import tempfile
import unicodedata
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "property"))

import every_feature

ATTN = os.path.abspath(os.environ["ATTN"])
ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
DATA = os.path.join(ROOT, "data")
EXAMPLE = os.path.join(DATA, "worked-example.json")
RAGGED = os.path.join(DATA, "ragged-batch.json")
HEADER = "batch,head,step,row,column,value,row_label,column_label"
POSITIONS = {"query", "key", "token"}


def attn(*words, text=None):
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
    done = subprocess.run([ATTN, *words], input=text, capture_output=True, encoding="utf-8", env=environment,
                          timeout=120)
    if done.returncode or done.stderr:
        raise AssertionError((words, done.returncode, done.stderr))
    return done.stdout


def problems():
    return [path for path in sorted(glob.glob(os.path.join(DATA, "*.json"))) if not path.endswith(".golden.json")]


def read(text):
    lines = list(csv.DictReader(io.StringIO(text, newline="")))
    for line in lines:
        assert None not in line and None not in line.values(), line
    return lines


def cells(step):
    """(batch, head, row, column, value) of a step of a trace in JSON, in order."""
    axes = step["axes"]
    inner = [axis for axis in axes if axis not in ("batch", "head")]
    across = inner[-1] if len(inner) > 1 or (inner and inner[0] not in POSITIONS) else None

    def walk(data, index):
        if len(index) < len(axes):
            for i, part in enumerate(data):
                yield from walk(part, index + [i + 1])
            return
        at = dict(zip(axes, map(str, index)))
        row = " ".join(at[axis] for axis in inner if axis != across)
        yield at.get("batch", ""), at.get("head", ""), row, at.get(across, ""), data

    return walk(step["data"], [])


class TheSameNumbers(unittest.TestCase):
    def test_every_step_of_every_problem_is_there_in_order(self):
        folder = tempfile.TemporaryDirectory(prefix="attn-csv-")
        self.addCleanup(folder.cleanup)
        for path in problems() + list(every_feature.write(folder.name).values()):
            with self.subTest(os.path.basename(path)):
                text = attn("run", path, "--format", "csv")
                self.assertEqual(text.split("\n", 1)[0], HEADER)
                self.assertNotIn("\r", text)
                lines = read(text)
                trace = json.loads(attn("run", path, "--format", "json"))
                steps = {step["id"] for step in trace["steps"]}
                got = [(x["batch"], x["head"], x["row"], x["column"], float(x["value"])) for x in lines
                       if x["step"] in steps]
                order = list(dict.fromkeys(x["step"] for x in lines if x["step"] in steps))
                want = [(*rest, float(value)) for step in trace["steps"] for *rest, value in cells(step)]
                self.assertEqual(order, [step["id"] for step in trace["steps"]])
                self.assertEqual(repr(got), repr(want))  # repr: NaN is NaN
                # Digit for digit, but that JSON has quotes around what is not finite.
                digits = [x["value"] for x in lines if x["step"] in steps]
                numbers = json.loads(attn("run", path, "--format", "json"), parse_float=str, parse_int=str)
                self.assertEqual(digits, [value for step in numbers["steps"] for *_, value in cells(step)])

    def test_what_is_given_comes_first(self):
        lines = read(attn("run", EXAMPLE, "--format", "csv"))
        with open(EXAMPLE, encoding="utf-8") as file:
            weights = json.load(file)["weights"]
        for name, matrix in weights.items():
            got = [(x["row"], x["column"], float(x["value"])) for x in lines if x["step"] == f"weights.{name}"]
            self.assertEqual(got, [(str(r + 1), str(c + 1), value) for r, row in enumerate(matrix)
                                   for c, value in enumerate(row)])
        ids = list(dict.fromkeys(x["step"] for x in lines))
        self.assertTrue(all(id.startswith("weights.") for id in ids[:3]), ids)

    def test_only_some_steps(self):
        lines = read(attn("run", EXAMPLE, "--format", "csv", "--only", "context,row_maximum"))
        self.assertEqual(list(dict.fromkeys(x["step"] for x in lines)), ["row_maximum", "context"])

    def test_a_file_is_known_by_its_ending(self):
        path = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"attn-{os.getpid()}.csv")
        try:
            attn("run", EXAMPLE, "-o", path)
            with open(path, encoding="utf-8", newline="") as file:
                self.assertEqual(file.read(), attn("run", EXAMPLE, "--format", "csv"))
        finally:
            if os.path.exists(path):
                os.remove(path)


class TheLines(unittest.TestCase):
    def line(self, step, path=EXAMPLE, **at):
        lines = [x for x in read(attn("run", path, "--format", "csv")) if x["step"] == step]
        found = [x for x in lines if all(x[name] == value for name, value in at.items())]
        self.assertEqual(len(found), 1, (step, at))
        return list(found[0].values())

    def test_a_matrix_has_rows_and_columns(self):
        self.assertEqual(self.line("scores", row="1", column="2"),
                         ["", "", "scores", "1", "2", "4", "Input 1", "Input 2"])
        self.assertEqual(self.line("queries", row="3", column="1"), ["", "", "queries", "3", "1", "2", "Input 3", "1"])

    def test_a_vector_of_positions_has_rows_only(self):
        self.assertEqual(self.line("row_maximum", row="2"), ["", "", "row_maximum", "2", "", "16", "Input 2", ""])

    def test_three_axes_are_two(self):
        self.assertEqual(self.line("weighted_values", row="1 2", column="2")[:5],
                         ["", "", "weighted_values", "1 2", "2"])
        self.assertEqual(self.line("weighted_values", row="1 2", column="2")[6:], ["Input 1 · Input 2", "2"])

    def test_labels_are_those_of_the_sequence(self):
        self.assertEqual(self.line("scores", path=RAGGED, batch="2", row="4", column="2"),
                         ["2", "", "scores", "4", "2", "3", "sleeps", "old"])


NASTY = [
    "=1+1", "+1", "-1", "@SUM(A1)", "=cmd|' /C calc'!A0", '=HYPERLINK("http://x")', " =1", "  @x", "'=1", '"=1', "\t=1",
    "\r=1", "\n=1", "\u00a0=1", "\u3000=1", "\u200b=1", "＝1", "＋1", "－1", "＠x", "“=1”", "\ufeff=1",
    'say "hi"', "a,b", "a;b", "a\nb", "a\r\nb", "a\tb", '",=1,"', '"', '""', "\x1b[31mred", "\x1b]0;title\x07",
    "\u202eevil", "\u2066x", "\u0085", "\u2028=1", "שלום", "日本語", "👩‍👩‍👧", "é", "e\u0301", "x", " lead", "trail ", "-", "=",
    "-3", "1.5", "0x10", "NaN", "NULL", "TRUE", "<b>", "\\", "'", "a=b", "#x", "|pipe|",
]


def in_sight(text):
    """What printable text shows: control characters spelled out."""
    shown = ""
    for c in text:
        steering = (unicodedata.category(c) in ("Cc", "Zl", "Zp") or "\u202a" <= c <= "\u202e"
                    or "\u2066" <= c <= "\u2069" or c == "\ufeff")
        code = ord(c)
        spelled = {"\n": "\\n", "\t": "\\t"}.get(c) or (f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}")
        shown += spelled if steering else c
    return shown


class OtherPeoplesText(unittest.TestCase):
    def setUp(self):
        names = [f"{text}" for text in NASTY]
        problem = {"title": "=1+1", "tokens": names, "inputs": [[i, 1] for i in range(len(names))], "score": "dot",
                   "notes": "@SUM(A1)"}
        self.text = attn("run", "-", "--format", "csv", text=json.dumps(problem))
        self.lines = read(self.text)

    def test_labels_read_as_what_they_are(self):
        rows = [x for x in self.lines if x["step"] == "scores" and x["column"] == "1"]
        self.assertEqual(len(rows), len(NASTY))
        for text, row in zip(NASTY, rows):
            label = row["row_label"]
            self.assertIn(label, (in_sight(text), "'" + in_sight(text)), repr(text))

    def test_no_cell_starts_a_formula(self):
        passed = " \u00a0\u3000\u200b\"“"
        for line in self.lines:
            for name in ("step", "row_label", "column_label"):
                cell = line[name]
                self.assertNotIn(cell.lstrip(passed)[:1], set("=+-@＝＋－＠") - {""}, line)
        guarded = {x["row_label"] for x in self.lines if x["step"] == "scores" and x["row_label"].startswith("'")}
        self.assertEqual(guarded, {"'" + in_sight(t) for t in NASTY
                                   if t.lstrip(" '\"\u00a0\u3000\u200b“")[:1] in set("=+-@＝＋－＠\t\r\n") - {""}} | {"'"})

    def test_numbers_stay_numbers(self):
        lines = read(attn("run", os.path.join(DATA, "eight-heads-batch.json"), "--format", "csv"))
        self.assertTrue(any(x["value"].startswith("-") for x in lines))
        for line in lines:
            float(line["value"])

    def test_nothing_steers_a_terminal_or_breaks_a_line(self):
        for c in self.text:
            if c != "\n":
                self.assertNotIn(unicodedata.category(c), ("Cc", "Zl", "Zp"), repr(c))
                self.assertFalse("\u202a" <= c <= "\u202e" or "\u2066" <= c <= "\u2069")
        self.assertEqual(self.text.count("\n"), len(self.lines) + 1)


if __name__ == "__main__":
    unittest.main()
