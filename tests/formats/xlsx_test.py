"""`--format xlsx`: a spreadsheet in which every computed number is a formula.

LibreOffice computes it anew from its constants, as it is and after an edit, and every step is
what `attn run` says of the problem, as it is and edited in the same way.
"""

import copy
import csv
import glob
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "property"))

import every_feature
import small_blocks

ATTN = os.path.abspath(os.environ["ATTN"])
ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
DATA = os.path.join(ROOT, "data")
EXAMPLE = os.path.join(DATA, "worked-example.json")
CLOSED = "−∞"


def attn(*words, text=None, code=0):
    done = subprocess.run([ATTN, *words], input=text, capture_output=True, encoding="utf-8",
                          env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}, timeout=120)
    assert done.returncode == code, (words, done.returncode, done.stderr)
    return done.stdout if code == 0 else done.stderr


probe = subprocess.run([ATTN, "run", EXAMPLE, "--format", "xlsx"], capture_output=True)
if probe.returncode == 3:
    assert b"libxlsxwriter" in probe.stderr, probe.stderr
    print("this program was built without libxlsxwriter")
    sys.exit(77)
try:
    import openpyxl
except ImportError:
    print("openpyxl is not installed: no spreadsheet was edited")
    sys.exit(77)
OFFICE = shutil.which("soffice") or shutil.which("libreoffice")
if not OFFICE:
    print("LibreOffice is not installed: no spreadsheet was computed anew")
    sys.exit(77)


def commented(text):
    return re.sub(r"^\s*//.*$", "", text, flags=re.M)


def problems():
    """Every problem in data/ that a spreadsheet can compute, and one for every feature: {name: problem}."""
    found = {}
    for path in sorted(glob.glob(os.path.join(DATA, "*.json"))):
        if path.endswith(".golden.json"):
            continue
        with open(path, encoding="utf-8") as file:
            found[os.path.basename(path)[:-5]] = json.loads(commented(file.read()))
    for name, problem in every_feature.problems().items():
        found["feature-" + re.sub("[^a-z0-9]+", "-", name)] = problem
    for name in list(found):
        arithmetic = found[name].get("arithmetic", {})
        if arithmetic.get("dtype", "f64") != "f64" or "keep-sum" in str(arithmetic.get("hand_rounding", "")):
            del found[name]
    found["rounded-half-up"] = {**every_feature.TWO_HEADS, "softcap": 2, "causal": True,
                                "arithmetic": {"hand_rounding": "2:half-up"}}
    # −0.8 + … is 0.05, but for the last bits.
    found["rounded-at-a-tie"] = {"queries": [[-8, -6.8, 2.3]], "keys": [[0.1, 1.6, 5.1]], "score": "dot",
                                 "arithmetic": {"hand_rounding": "1"}}
    # Keys behind those of the problem are open, whatever the problem says of its own.
    bias = [[0.5, "-inf", 1, 0], [0, 1, "-inf", 0.5], [1, 0, 0.5, 0]]
    found["appended-to-a-bias"] = every_feature.direct(appended=every_feature.SINKS, mask={"add": bias})
    found["appended-to-padding"] = every_feature.direct(appended=every_feature.SINKS, lengths=2)
    for name, window in (("both", [-1, 1]), ("left", [1, -1]), ("no", [-1, -1]), ("a-past", [-1, 0])):
        found[f"window-{name}-limit"] = {**every_feature.SELF, "window": window}
    # Nothing is left of a power, and too much to hold of the exponential that silu divides by.
    for base, key in ((2, -1100), (10, -400)):
        found[f"far-apart-in-powers-of-{base}"] = {"queries": [[1], [2]], "keys": [[-1], [key]], "values": [[1], [2]],
                                                   "score": "dot", "softmax": {"base": base}}
    for activation in ("silu", "swiglu"):
        network = {"in": [[1, -1], [2, 1]], "out": [[1, 0], [0, 1]]}
        gate = {"gate": [[1, -1], [2, 1]]} if activation == "swiglu" else {}
        found["far-below-0-in-" + activation] = {"inputs": [[900, -800], [-900, 0]], "block": {
            "activation": activation, "layers": [{"ffn": {**network, **gate}}]}}
    found["long-sums"] = {"inputs": {"random": "normal", "shape": [4, 40], "seed": 3}, "causal": True,
                          "weights": {name: {"random": "normal", "shape": [40, 24], "seed": seed}
                                      for seed, name in enumerate(("query", "key", "value"))}}
    # A value that is no number stays behind the mask; a score that is none does not stay alone.
    closing = {"queries": [[1, 1], [1, 2]], "keys": [[1, 2], [0, 1]], "values": [[1, 2], ["nan", 1]]}
    found["nan-behind-a-mask"] = {**closing, "mask": {"block": [[0, 1], [0, 1]]}}
    found["nan-in-the-open"] = {**closing, "queries": [[1, "nan"], [1, 2]], "values": [[1, 2], [0, 1]]}
    for name in ("worked-example-causal", "masks-together", "feature-grouped-queries-in-a-batch"):
        found["online-" + name] = found[name]
    found.update(small_blocks.problems())
    return found


class Sheets:
    """A workbook, its tensors and options found by their names."""

    def __init__(self, path, data_only=False):
        self.book = openpyxl.load_workbook(path, data_only=data_only)

    def cells(self, name):
        sheet, cells = self.book.defined_names[name].attr_text.rsplit("!", 1)
        found = self.book[sheet.strip("'")][cells.replace("$", "")]
        rows = found if isinstance(found, tuple) else ((found,),)
        rows = [row if isinstance(row, tuple) else (row,) for row in rows]
        # Between the heads stand labels, which are text.
        return [cell for row in rows for cell in row
                if isinstance(cell.value, (int, float)) or is_formula(cell.value) or cell.value in (CLOSED, "∞", "NaN")
                or str(cell.value).startswith("#")]

    def numbers(self, name):
        return [float("-inf") if cell.value == CLOSED else cell.value for cell in self.cells(name)]


def is_formula(value):
    return isinstance(value, str) and value.startswith("=")


def flat(data):
    if isinstance(data, list):
        return [number for one in data for number in flat(one)]
    return [float(data)]


def nested_set(problem, path, value):
    for key in path[:-1]:
        problem = problem[key]
    problem[path[-1]] = value


# What is edited: (problem, where in the file, number there, name in the workbook, which cell, what is typed).
EDITS = [
    ("worked-example", ["inputs", 0, 0], 2.5, "inputs", 0, 2.5),
    ("worked-example", ["weights", "query", 1, 2], -3, "weights_query", 5, -3),
    ("worked-example-causal", ["mask", "allow", 0, 1], None, "mask_causal", 1, 1),
    ("worked-example-causal", ["offset"], 1, "query_offset", 0, 1),
    ("worked-example-causal", ["offset"], -1, "query_offset", 0, -1),
    ("xrsrke-scale-of-its-own", ["scale"], -0.75, "scaled_scores_factor", 0, -0.75),
    ("worked-example-scaled", ["scale"], 0.25, "scaled_scores_divisor", 0, 4),
    ("softcap", ["softcap"], 0.5, "capped_scores_c", 0, 0.5),
    ("softmax-base-two", ["softmax", "base"], 3, "softmax_base", 0, 3),
    ("rope", ["positions"], {"type": "rope", "base": 50}, "wave_base", 0, 50),
    ("feature-sinusoidal", ["positions"], {"type": "sinusoidal", "base": 7}, "wave_base", 0, 7),
    ("feature-a-sink", ["softmax", "sink", 1], 2.5, "softmax_sink", 1, 2.5),
    ("feature-a-window", ["window"], [0, -1], ("window_left", "window_right"), 0, (0, -1)),
    ("feature-offsets-of-a-batch", ["offset"], [0, -2], ("query_offset_1", "query_offset_2"), 0, (0, -2)),
    ("feature-concat", ["lengths"], 1, "valid_keys", 0, 1),
    ("feature-concat", ["lengths"], 0, "valid_keys", 0, 0),
    ("feature-alibi", ["offset"], 2, "query_offset", 0, 2),
    ("feature-masks", ["mask", 0, "add", 0, 0], "-inf", "bias_1", 0, CLOSED),
    ("feature-masks", ["mask", 0, "add", 0, 2], 0.5, "bias_1", 2, 0.5),
    ("feature-masks", ["mask", 1, "block", 2, 2], 0, "mask_2", 8, 1),
    ("feature-masks", ["positions", "table", 1], 4, "positions_table", 1, 4),
    ("feature-columns", ["inputs", 1, 2], -2, "inputs", 5, -2),
    ("feature-a-cache", ["past", "keys", 0, 1], 3, "past_keys", 1, 3),
    ("feature-relative", ["positions", "values", 1, 0], 3, "positions_values", 2, 3),
    ("block-swiglu", ["block", "eps"], 1.5, "norm_eps", 0, 1.5),
    ("block-gelu", ["block", "layers", 0, "ffn", "in", 0, 0], -1.5, "layer1_ffn_in", 0, -1.5),
    ("rounded-half-up", ["arithmetic", "hand_rounding"], "1:half-up", "kept_decimals", 0, 1),
]


class Spreadsheet(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        os.mkdir(os.path.join(cls.folder, "anew"))
        cls.problems = problems()
        cls.traces = {}
        for name, problem in cls.problems.items():
            cls.write(name, problem)
        for number, (name, where, stated, cells, which, typed) in enumerate(EDITS):
            edited = json.loads(json.dumps(cls.problems[name]))
            if stated is None:  # a cell of a causal mask is opened: as a mask of its own says it
                edited = {**edited, "mask": {"allow": [[1, 1, 0], [1, 1, 0], [1, 1, 1]]}}
                del edited["causal"]
            else:
                nested_set(edited, where, stated)
            own = f"edit-{number}"
            cls.write(own, edited, sheet=False)
            sheets = Sheets(cls.path(name + ".xlsx"))
            for cell, value in zip(cells, typed) if isinstance(cells, tuple) else [(cells, typed)]:
                sheets.cells(cell)[which].value = value
            sheets.book.save(cls.path("anew", own + ".in.xlsx"))
        for name in cls.problems:
            # What openpyxl saves has no results: LibreOffice has to compute every one.
            Sheets(cls.path(name + ".xlsx")).book.save(cls.path("anew", name + ".in.xlsx"))
        cls.compute_anew()

    @classmethod
    def path(cls, *names):
        return os.path.join(cls.folder, *names)

    @classmethod
    def write(cls, name, problem, sheet=True):
        online = ["--algorithm", "online:2"] if name.startswith("online") else []
        done = subprocess.run([ATTN, "run", "-", *online, "-o", cls.path(name + ".trace.json"), "-o", cls.path(name + ".csv"),
                               *(["-o", cls.path(name + ".xlsx")] if sheet else [])], input=json.dumps(problem), encoding="utf-8",
                              capture_output=True, cwd=DATA)
        assert done.returncode == 0, (name, done.stderr)
        with open(cls.path(name + ".trace.json"), encoding="utf-8") as file:
            cls.traces[name] = json.load(file)

    @classmethod
    def compute_anew(cls):
        files = sorted(glob.glob(cls.path("anew", "*.in.xlsx")))
        done = subprocess.run([OFFICE, "-env:UserInstallation=file://" + cls.path("profile"), "--headless", "--convert-to",
                               "xlsx:Calc MS Excel 2007 XML", "--outdir", cls.path("anew", "out"), *files],
                              capture_output=True, encoding="utf-8", timeout=600)
        assert done.returncode == 0, done.stderr

    def recomputed(self, name):
        return Sheets(self.path("anew", "out", name + ".in.xlsx"), data_only=True)

    def compare(self, name, sheets):
        for step in self.traces[name]["steps"]:
            theirs = flat(step["data"])
            ours = sheets.numbers(re.sub("[^a-zA-Z0-9]", "_", step["id"]))
            self.assertEqual(len(ours), len(theirs), (name, step["id"]))
            largest = max([abs(n) for n in theirs if abs(n) < float("inf")], default=0)
            for here, there in zip(ours, theirs):
                if there != there:  # an error, or where it is given, the text
                    self.assertIsInstance(here, str, (name, step["id"], here))
                    continue
                self.assertNotIsInstance(here, str, (name, step["id"], here))
                if here == there:
                    continue
                self.assertLessEqual(abs(here - there), 1e-9 * max(abs(there), largest * 1e-3), (name, step["id"], here, there))

    def test_computed_anew_every_step_is_that_of_the_trace(self):
        for name in self.problems:
            with self.subTest(name):
                self.compare(name, self.recomputed(name))

    def test_what_is_shown_before_anything_is_computed_is_the_trace(self):
        for name in self.problems:
            with self.subTest(name):
                self.compare(name, Sheets(self.path(name + ".xlsx"), data_only=True))

    def test_edited_it_is_the_edited_problem(self):
        for number, (name, where, _, cells, *_) in enumerate(EDITS):
            with self.subTest(problem=name, edited=cells):
                own = f"edit-{number}"
                steps = {step["id"] for step in self.traces[name]["steps"]}
                # Where the edit says it in other words, the steps that it names otherwise are left out.
                self.traces[own]["steps"] = [step for step in self.traces[own]["steps"] if step["id"] in steps]
                self.assertNotEqual(self.traces[own]["steps"][-1]["data"], self.traces[name]["steps"][-1]["data"])
                self.compare(own, self.recomputed(own))

    def test_every_constant_is_given(self):
        """Numbers that are no formula stand in a tensor that the problem gives, or are an option."""
        for name in self.problems:
            sheets = Sheets(self.path(name + ".xlsx"))
            with open(self.path(name + ".csv"), encoding="utf-8", newline="") as file:
                tensors = {line["step"] for line in csv.DictReader(file)}
            computed = {step["id"] for step in self.traces[name]["steps"]}
            allowed = set()
            for tensor in tensors - computed:
                allowed |= {(cell.parent.title, cell.coordinate) for cell in sheets.cells(defined(tensor))}
            for tensor in computed:
                own = sheets.cells(defined(tensor))
                formulas = [is_formula(cell.value) for cell in own]
                self.assertTrue(all(formulas) or not any(formulas), (name, tensor))
                if not any(formulas):  # inputs, and queries, keys and values where they are given
                    self.assertRegex(tensor, r"(^|\.)(inputs|queries|keys|values)(\.|$)")
                    allowed |= {(cell.parent.title, cell.coordinate) for cell in own}
            for sheet in sheets.book:
                for row in sheet.iter_rows():
                    for cell in row:
                        is_constant = isinstance(cell.value, (int, float))
                        if is_constant and sheet.title != "Options":
                            self.assertIn((sheet.title, cell.coordinate), allowed, name)
                        if is_constant or (cell.value == CLOSED):
                            self.assertFalse(cell.protection.locked, (name, sheet.title, cell.coordinate))

    def test_a_window_has_its_cells_even_where_it_is_a_causal_mask(self):
        sheets = Sheets(self.path("window-a-past-limit.xlsx"))
        self.assertEqual([sheets.cells("window_" + end)[0].value for end in ("left", "right")], [-1, 0])

    def test_sheets_are_protected_and_what_is_computed_is_locked(self):
        sheets = Sheets(self.path("worked-example.xlsx"))
        for sheet in sheets.book:
            self.assertTrue(sheet.protection.sheet)
        for cell in sheets.cells("scores"):
            self.assertTrue(cell.protection.locked)

    def test_the_same_problem_is_the_same_bytes(self):
        again = subprocess.run([ATTN, "run", EXAMPLE, "--format", "xlsx"], capture_output=True).stdout
        self.assertEqual(again, probe.stdout)
        with zipfile.ZipFile(io.BytesIO(again)) as archive:
            self.assertIsNone(archive.testzip())

    def test_what_is_no_number_stands_there_as_such(self):
        problem = {"queries": [[1]], "keys": [[1], [2]], "values": [["nan"], [3]]}
        made = subprocess.run([ATTN, "run", "-", "--format", "xlsx"], input=json.dumps(problem).encode(),
                              capture_output=True).stdout
        with zipfile.ZipFile(io.BytesIO(made)) as archive:
            self.assertIn("<t>NaN</t>", archive.read("xl/sharedStrings.xml").decode())  # the value that is given
            sheets = [archive.read(name).decode() for name in archive.namelist() if "worksheets/" in name]
        # That value times its weight, and the context.
        self.assertEqual(sum(sheet.count("<v>NaN</v>") for sheet in sheets), 2)

    def test_text_of_other_people_is_no_formula(self):
        tokens = ["=1+1", "+1", "@SUM(A1)"]
        problem = {**every_feature.SELF, "title": "=cmd|' /C calc'!A0", "tokens": tokens}
        self.write("hostile", problem)
        sheets = Sheets(self.path("hostile.xlsx"))
        with zipfile.ZipFile(self.path("hostile.xlsx")) as archive:
            for name in archive.namelist():
                for formula in re.findall(r"<f>([^<]*)</f>", archive.read(name).decode()):
                    self.assertNotRegex(formula, r"1\+1|calc|SUM\(A1\)")
        shown = [str(cell.value) for sheet in sheets.book for row in sheet.iter_rows() for cell in row]
        for token in tokens:
            self.assertIn(token, shown)

    def test_notes_of_any_length_are_there(self):
        """A cell takes 32,767 characters, and a row has a height that it cannot exceed."""
        for notes in ("words of a teacher, " * 2500, "\u00e9" * 40000):
            self.write("long", {**every_feature.SELF, "notes": notes})
            shown = "".join(str(cell.value) for row in Sheets(self.path("long.xlsx")).book.worksheets[0].iter_rows()
                            for cell in row[:1] if cell.value)
            self.assertIn(notes.strip(), shown)

    def test_what_it_cannot_say_is_refused(self):
        where = self.path("never.xlsx")
        self.assertIn("--dtype f64", attn("run", EXAMPLE, "--dtype", "bf16", "-o", where, code=2))
        self.assertIn("half-up", attn("run", EXAMPLE, "--hand-rounding", "2:half-even", "-o", where, code=2))
        self.assertIn("leave --only out", attn("run", EXAMPLE, "--only", "scores", "-o", where, code=2))
        large = {name: {"random": "normal", "shape": [600, 8], "seed": 1} for name in ("queries", "keys", "values")}
        self.assertIn("200000", attn("run", "-", "-o", where, text=json.dumps(large), code=2))
        infinite = {"queries": [["inf", 1]], "keys": [[1, 2], [0, 1]], "values": [[1], [2]]}
        self.assertIn("not finite", attn("run", "-", "-o", where, text=json.dumps(infinite), code=2))
        # So long a sum is one of whole ranges, which reads what the mask closes.
        keys, width = 400, 251
        closed = {"queries": [[1]], "keys": [[i % 5 / 5] for i in range(keys)],
                  "values": [[(i + j) % 3 for j in range(width)] for i in range(keys - 1)] + [["nan"] * width],
                  "mask": {"block": [[0] * (keys - 1) + [1]]}}
        self.assertIn("values[400,1] is not finite",
                      attn("run", "-", "-o", where, text=json.dumps(closed), code=2))
        self.assertFalse(os.path.exists(where))


def defined(name):
    return re.sub("[^a-zA-Z0-9]", "_", name)


if __name__ == "__main__":
    unittest.main()
