"""The page that --format html writes, as it stands in the file: with no script run.

It is well-formed, has nothing to load, says what its tables are, keeps other people's
text text, has colours that can be read, and its JSON says where each number comes from.
"""

import sys

sys.dont_write_bytecode = True

import base64
import hashlib
import html.parser
import itertools
import json
import math
import os
import re
import shutil
import subprocess
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "property"))

import every_feature
from notes import NOTES

ATTN = os.path.abspath(os.environ["ATTN"])
ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
DATA = os.path.join(ROOT, "data")

PROBLEMS = sorted(name for name in os.listdir(DATA) if name.endswith(".json") and not name.endswith(".golden.json"))
FEATURES = ["columns", "a cache and appended keys", "a ragged batch", "concat", "rounded by hand"]
EMPTY = {"meta", "br", "hr", "img", "input", "link", "wbr", "col"}
CELL = re.compile(r"^(.*?)\[([\d,]+)\]$")


class Element:
    def __init__(self, tag, attributes, parent, place):
        self.tag, self.attributes, self.parent, self.place = tag, dict(attributes), parent, place
        self.children = []  # elements and text

    def get(self, name, otherwise=None):
        return self.attributes.get(name, otherwise)

    def all(self, *tags):
        for child in self.children:
            if isinstance(child, Element):
                if not tags or child.tag in tags:
                    yield child
                yield from child.all(*tags)

    def text(self):
        return "".join(child if isinstance(child, str) else child.text() for child in self.children)

    def classes(self):
        return self.get("class", "").split()

    def above(self):
        element = self.parent
        while element:
            yield element
            element = element.parent


class Page(html.parser.HTMLParser):
    """The elements of a page; complains where a tag is not closed in its place."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.source, self.faults = text, []
        self.root = self.at = Element("", [], None, (0, 0))
        self.feed(text)
        self.close()
        if self.at is not self.root:
            self.faults.append(f"<{self.at.tag}> of line {self.at.place[0]} is not closed")

    def handle_starttag(self, tag, attributes):
        names = [name for name, _ in attributes]
        if len(names) != len(set(names)):
            self.faults.append(f"<{tag}> in line {self.getpos()[0]} has an attribute twice")
        element = Element(tag, attributes, self.at, self.getpos())
        self.at.children.append(element)
        if tag not in EMPTY:
            self.at = element

    def handle_startendtag(self, tag, attributes):
        self.at.children.append(Element(tag, attributes, self.at, self.getpos()))

    def handle_endtag(self, tag):
        if tag != self.at.tag:
            self.faults.append(f"</{tag}> in line {self.getpos()[0]} closes <{self.at.tag}> of line {self.at.place[0]}")
        if self.at.parent:
            self.at = self.at.parent

    def handle_data(self, data):
        self.at.children.append(data)

    def handle_comment(self, data):
        self.faults.append(f"a comment in line {self.getpos()[0]}")

    def handle_decl(self, declaration):
        if declaration != "DOCTYPE html":
            self.faults.append(f"<!{declaration}>")

    def all(self, *tags):
        return list(self.root.all(*tags))

    def one(self, tag):
        (element,) = [one for one in self.all(tag) if not any(above.tag == "svg" for above in one.above())]
        return element

    def elements(self):
        """What is in the page, without its text; drawings tell long names in full besides."""
        return [(element.tag, sorted(element.attributes)) for element in self.all()
                if not (element.tag == "title" and any(above.tag == "svg" for above in element.above()))]

    def data(self):
        (script,) = [one for one in self.all("script") if one.get("id") == "numbers"]
        return json.loads(script.text())

    def tables(self):
        """The tables that the JSON is about, by their number."""
        return {int(table.get("data-matrix")): table for table in self.all("table") if table.get("data-matrix")}


def attn(*words, folder=None):
    done = subprocess.run([ATTN, *words], cwd=folder, capture_output=True, encoding="utf-8",
                          env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}, timeout=120)
    assert done.returncode in (0, 1) and re.fullmatch(NOTES, done.stderr), (words, done.stderr)
    return done.stdout


def page(*words, folder=None):
    return Page(attn(*words, "--format", "html", folder=folder))


def number(text):
    return float(text.replace("−", "-").replace("∞", "inf"))


def cells_of(table):
    (body,) = [one for one in table.all("tbody")]
    return [[cell for cell in row.all("td")] for row in body.all("tr")]


def value(cell):
    return float(cell.get("data-v")) if cell.get("data-v") else number(cell.text())


ANSWERS = {"steps": {"keys": [[0, 1, 1], [4, 4, 0], [2, 3, 1]],
                     "scores": [[2, 4, 4], [4, 61, 12], [4, None, 10]],
                     "attention_weights": [["47%", "0.47", "0.47"], ["0.00", "0.98", "0.02"], ["0.00", "0.88", "0.12"]]}}

NASTY = {
    "markup": "<script>alert(1)</script><img src=x onerror=alert(2)>",
    "ends the data": "</script><!--<script>",
    "ends the style": "</style></title></textarea><svg onload=alert(3)>",
    "quotes": "\" onclick='alert(4)' x=\"",
    "entity": "&lt;b&gt; &amp; &#60;i&#62;",
    "right to left": "שלום \u202etxt.exe עולם",
    "template": "${alert(5)} {{7*7}} </xml> ]]>",
    "controls": "a\x1b]0;title\x07\rb",
}


class Pages(unittest.TestCase):
    """What must hold of every page."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.mkdtemp(prefix="attn-html-")
        cls.addClassCleanup(shutil.rmtree, folder)
        with open(os.path.join(folder, "answers.json"), "w", encoding="utf-8") as file:
            json.dump(ANSWERS, file)
        example = os.path.join(DATA, "worked-example.json")
        cls.pages = {name: page("run", os.path.join(DATA, name)) for name in PROBLEMS}
        features = every_feature.write(folder, FEATURES)
        cls.pages |= {name: page("run", path, "--explain", "cells") for name, path in features.items()}
        cls.pages |= {
            "why a number": page("why", example, "context[1,2]"),
            "why all weights": page("why", example, "attention_weights"),
            "a check": page("check", example, "answers.json", folder=folder),
            "a check with answers": page("check", example, "answers.json", "--reveal", "value", folder=folder),
            "a class": page("check", example, "answers.json", "answers.json", folder=folder),
            "only the scores": page("run", example, "--only", "scores"),
            "the result": page("run", example, "--explain", "result"),
            "mistakes": page("mistakes"),
            "a mistake": page("mistakes", "scale.none"),
        }

    def for_each(self, holds):
        for name, one in self.pages.items():
            with self.subTest(page=name):
                holds(one)

    def test_is_well_formed(self):
        def holds(one):
            self.assertFalse(one.faults)
            ids = [element.get("id") for element in one.all() if element.get("id") is not None]
            self.assertEqual(sorted(ids), sorted(set(ids)))
            self.assertEqual([one.one("html").get("lang"), len(one.all("h1")), len(one.all("main"))], ["en", 1, 1])
            self.assertTrue(one.one("title").text().strip())

        self.for_each(holds)

    def test_loads_nothing(self):
        def holds(one):
            ids = {element.get("id") for element in one.all()}
            for element in one.all():
                self.assertNotIn(element.tag, {"link", "img", "iframe", "object", "embed", "base", "form", "video", "audio"})
                for name, at in element.attributes.items():
                    self.assertFalse(name.startswith("on"), (element.tag, name))
                    if name in ("src", "srcset", "href", "xlink:href", "action", "data", "poster"):
                        self.assertTrue(at.startswith("#") and at[1:] in ids, at)
            (policy,) = [meta.get("content") for meta in one.all("meta") if meta.get("http-equiv") == "Content-Security-Policy"]
            self.assertTrue(policy.startswith("default-src 'none'"))
            for rule in ("base-uri 'none'", "form-action 'none'"):
                self.assertIn(rule, policy)
            (script,) = re.findall(r"<script>(.*?)</script>", one.source, re.DOTALL)
            digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
            self.assertIn(f"script-src 'sha256-{digest}'; ", policy)
            self.assertNotRegex(one.source, r"(?i)https?://(?!www\.w3\.org/)|@import|url\(")

        self.for_each(holds)

    def test_headlines_go_down_step_by_step(self):
        def holds(one):
            levels = [int(element.tag[1]) for element in one.all("h1", "h2", "h3", "h4", "h5", "h6")]
            self.assertEqual(levels[0], 1)
            for above, below in itertools.pairwise(levels):
                self.assertLessEqual(below, above + 1)

        self.for_each(holds)

    def test_stops_are_counted(self):
        def holds(one):
            stops = [element.get("id") for element in one.all("div") if "stop" in element.classes()]
            self.assertEqual(stops, [f"stop-{i + 1}" for i in range(len(stops))])

        self.for_each(holds)

    def test_tables_say_what_they_are(self):
        def holds(one):
            for table in one.all("table"):
                (caption,) = table.all("caption")
                self.assertTrue(caption.text().strip())
                for header in table.all("th"):
                    self.assertIn(header.get("scope"), ("row", "col"))
                for body in table.all("tbody"):
                    for row in body.all("tr"):
                        self.assertEqual(row.children[0].get("scope"), "row")
                widths = {sum(1 for cell in row.children if isinstance(cell, Element)) for row in table.all("tr")}
                self.assertEqual(len(widths), 1)

        self.for_each(holds)

    def test_formulas_are_mathematics(self):
        known = {"mi", "mn", "mo", "mtext", "mrow", "msub", "msup", "msqrt"}
        def holds(one):
            for formula in one.all("math"):
                for element in formula.all():
                    self.assertIn(element.tag, known)
                    parts = [child for child in element.children if isinstance(child, Element)]
                    self.assertEqual(len(parts) == 2, element.tag in ("msub", "msup") or len(parts) == 2)
                self.assertTrue(formula.text().strip())

        self.for_each(holds)
        self.assertTrue(self.pages["worked-example.json"].all("math"))

    def test_the_numbers_are_in_the_json(self):
        def holds(one):
            data, tables = one.data(), one.tables()
            self.assertEqual(sorted(tables), list(range(len(data["matrices"]))))
            sizes = {matrix["step"]: math.prod(matrix["shape"]) for matrix in data["matrices"]}
            for index, matrix in enumerate(data["matrices"]):
                cells = cells_of(tables[index])
                self.assertEqual([len(cells), {len(row) for row in cells}], [matrix["rows"], {matrix["columns"]}])
                self.assertIn(f"m{index}", [element.get("id") for element in tables[index].above()])
                for row, column in itertools.product(range(matrix["rows"]), range(matrix["columns"])):
                    self.assertTrue(0 <= place_of(matrix, row, column) < sizes[matrix["step"]])
                    for read in matrix["operands"] + ([matrix["open"]] if matrix["open"] else []):
                        for cell in cells_read(read, matrix, row, column):
                            self.assertTrue(0 <= cell < sizes.get(read["step"], cell + 1), (matrix["step"], read))

        self.for_each(holds)

    def test_every_operand_of_a_whole_page_is_in_it(self):
        for name in ("worked-example.json", "masks-together.json", "tom-yeh-three-heads.json", "ragged-batch.json"):
            with self.subTest(page=name):
                data = self.pages[name].data()
                known = {(matrix["step"], place_of(matrix, row, column)) for matrix in data["matrices"]
                         for row in range(matrix["rows"]) for column in range(matrix["columns"])}
                for matrix in data["matrices"]:
                    for row, column in itertools.product(range(matrix["rows"]), range(matrix["columns"])):
                        for read in matrix["operands"]:
                            for cell in cells_read(read, matrix, row, column):
                                self.assertIn((read["step"], cell), known)

    def test_cells_hold_all_of_their_number(self):
        for name in ("worked-example.json", "ragged-batch.json", "eight-heads-batch.json"):
            with self.subTest(page=name):
                trace = json.loads(attn("run", os.path.join(DATA, name), "--format", "json"))
                flat = {step["id"]: [float(cell) for cell in flattened(step["data"])] for step in trace["steps"]}
                one = self.pages[name]
                tables, compared = one.tables(), 0
                for index, matrix in enumerate(one.data()["matrices"]):
                    for row, cells in enumerate(cells_of(tables[index])):
                        for column, cell in enumerate(cells):
                            if matrix["step"] in flat:
                                self.assertEqual(value(cell), flat[matrix["step"]][place_of(matrix, row, column)])
                                compared += 1
                self.assertGreater(compared, 20)

    def test_tints_are_the_weights(self):
        def holds(one):
            for figure in one.all("figure"):
                if "heat" not in figure.classes():
                    continue
                for cell in figure.all("td"):
                    if cell.get("style"):
                        # Shares of a sum, which need not be positive, are tinted where they are.
                        self.assertAlmostEqual(float(cell.get("style").removeprefix("--w:")), max(value(cell), 0), 3)

        self.for_each(holds)

    def test_marks_have_a_sign_and_a_class(self):
        cells = [cell for cell in self.pages["a check"].all("td") if "✗" in cell.text()]
        self.assertTrue(cells)
        for cell in cells:
            self.assertIn("wrong", cell.classes())
            self.assertIsNone(cell.parent.parent.parent.get("data-matrix"))

    def test_the_parts_of_a_block_lead_to_their_sections(self):
        for name, parts in (("block-by-hand.json", 3), ("induction.json", 4), ("worked-example.json", 0)):
            one = self.pages[name]
            links = [link.get("href") for link in one.all("a") if "#part-" in (link.get("href") or "")]
            self.assertGreaterEqual(len(links), parts, name)
            self.assertEqual(bool(links), parts > 0, name)
            sections = {section.get("id") for section in one.all("section")}
            for link in links:
                self.assertIn(link.removeprefix("#"), sections)

    def test_several_heads_have_an_overview_that_leads_to_them(self):
        for name, maps in (("eight-heads-batch.json", 16), ("ragged-batch.json", 3), ("worked-example.json", 0)):
            one = self.pages[name]
            links = [link for link in one.all("a") if "#m" in link.get("href")]
            self.assertEqual(len(links), maps, name)
            tables = one.tables()
            for link in links:
                index = int(link.get("href").removeprefix("#m"))
                self.assertEqual(one.data()["matrices"][index]["role"], "attention_weight")
                self.assertTrue(link.text().strip())
                self.assertIn(index, tables)
        places = [details for details in self.pages["ragged-batch.json"].all("details") if "place" in details.classes()]
        self.assertEqual(["open" in details.attributes for details in places], [True, True, False])  # as have room

    def test_a_map_leads_to_weights_with_their_head_named(self):
        for name, untold in (("eight-heads-batch.json", 8), ("alibi-twelve-heads.json", 4), ("ragged-batch.json", 0)):
            one = self.pages[name]
            figures = {figure.get("id"): figure for figure in one.all("figure")}
            for link in one.all("a"):
                if "#m" not in link.get("href"):
                    continue
                (label,) = [span.text() for span in link.all("span") if span.get("class") == "of"]
                places = [above for above in figures[link.get("href")[1:]].above() if "place" in above.classes()]
                self.assertEqual(len(places), 1, (name, label))
                (summary,) = [child for child in places[0].children if isinstance(child, Element) and child.tag == "summary"]
                self.assertTrue(label in summary.text(), (name, label, summary.text()))
            told = [summary.text() for summary in one.all("summary") if "not written out" in summary.text()]
            self.assertEqual(len(told), untold, name)

    def test_nothing_is_said_that_is_false_on_dark_paper(self):
        def holds(one):
            self.assertNotIn("darker", one.root.text())

        self.for_each(holds)

    def test_a_line_of_a_closed_cell_says_what_closes_it(self):
        for name in ("masks-together.json", "worked-example-causal.json", "ragged-batch.json"):
            remarks = [remark.text() for remark in self.pages[name].all("span") if remark.get("class") == "remark"]
            closed = [remark for remark in remarks if remark.startswith("(closed")]
            for remark in closed:
                self.assertTrue(remark.startswith("(closed by "), (name, remark))
        self.assertIn("(closed by mask M_1)", [one.text() for one in self.pages["masks-together.json"].all("span")])

    def test_the_one_map_of_many_tokens_has_names_on_its_axes(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "forty.json"), "w", encoding="utf-8") as file:
                json.dump({"inputs": {"random": "normal", "shape": [40, 8], "seed": 1}}, file)
            one = page("run", "forty.json", folder=folder)
        (overview,) = [nav for nav in one.all("nav") if "overview" in nav.classes()]
        self.assertEqual(len(list(overview.all("a"))), 1)
        self.assertIn("keys →", overview.text())
        self.assertIn("queries →", overview.text())

    def test_grey_and_faint_squares_of_maps_are_explained(self):
        for name, words in (("ragged-batch.json", ["lengths: keys past the end", "padding"]),
                            ("twelve-words.json", [])):
            (overview,) = [nav for nav in self.pages[name].all("nav") if "overview" in nav.classes()]
            for said in words:
                self.assertIn(said, overview.text())
            self.assertEqual("Grey is closed" in overview.text(), bool(words))

    def test_padding_is_drawn_faint(self):
        strong, faint = [], []
        for path in self.pages["ragged-batch.json"].all("path"):
            (title,) = list(path.all("title")) or [None]
            if title:
                (faint if "·" in title.text() else strong).append(float(path.get("stroke-opacity")))
        self.assertTrue(faint and strong)
        self.assertLess(max(faint), min(strong))

    def test_weights_of_one_head_have_a_map_where_they_are_many(self):
        folder = tempfile.mkdtemp(prefix="attn-html-")
        self.addCleanup(shutil.rmtree, folder)
        for tokens, maps in ((8, 0), (40, 1)):
            with open(os.path.join(folder, "p.json"), "w", encoding="utf-8") as file:
                json.dump({"inputs": {"random": "normal", "shape": [tokens, 4], "seed": 1}}, file)
            one = page("run", "p.json", folder=folder)
            self.assertEqual(len([link for link in one.all("a") if "#m" in link.get("href")]), maps)

    def test_padding_is_faint_on_a_map(self):
        shades = re.findall(r'fill-opacity="([\d.]+)"', self.pages["ragged-batch.json"].source.split("Sequence 1 of 3</bdi>")[0])
        self.assertIn(0.125, {float(shade) for shade in shades})  # a quarter of one half

    def test_what_is_the_pages_own_names_no_option_of_the_program(self):
        def holds(one):
            for element in one.all():
                if {"extra", "left-out", "hint"} & set(element.classes()):
                    self.assertNotRegex(element.text(), r"--[a-z]|f64")

        self.for_each(holds)
        folder = tempfile.mkdtemp(prefix="attn-html-")
        self.addCleanup(shutil.rmtree, folder)
        with open(os.path.join(folder, "long.json"), "w", encoding="utf-8") as file:
            json.dump({"inputs": {"random": "normal", "shape": [80, 2], "seed": 1}}, file)
        cut = page("run", "long.json", "--explain", "steps", folder=folder)
        self.assertIn("… rows 17 to 80 are left out", [one.text() for one in cut.all("p") if "left-out" in one.classes()])
        holds(cut)

    def test_the_pages_are_light(self):
        sizes = {name: len(one.source.encode()) for name, one in self.pages.items()}
        self.assertLess(sizes["worked-example.json"], 222_000)
        self.assertLess(sizes["eight-heads-batch.json"], 3_000_000)


def flattened(numbers):
    return itertools.chain.from_iterable(map(flattened, numbers)) if isinstance(numbers, list) else [numbers]


def place_of(matrix, row, column):
    return matrix["first"] + row * matrix["row"] + column * matrix["column"]


def cells_read(read, matrix, row, column):
    if "firsts" in read:
        first = read["firsts"][row * matrix["columns"] + column]
    else:
        first = read["first"] + row * read["row"] + column * read["column"]
    count = read["counts"][row * matrix["columns"] + column] if "counts" in read else read["count"]
    return [first + i * read["stride"] for i in range(count)]


class Provenance(unittest.TestCase):
    """What the JSON says that a number was made from is what `attn why` says."""

    def names(self, one, read, matrix, row, column):
        shape = next(other["shape"] for other in one.data()["matrices"] if other["step"] == read["step"])
        indices = []
        for cell in cells_read(read, matrix, row, column):
            index = []
            for size in reversed(shape):
                cell, at = divmod(cell, size)
                index.insert(0, at + 1)
            indices.append(index)
        return [f"{read['step']}[{','.join(map(str, index))}]" for index in indices]

    def told(self, problem, name, matrices):
        """The names below the root, ranges taken apart, by the ids of the symbols."""
        steps = {matrix["symbol"]: matrix["step"] for matrix in matrices}
        lines = attn("why", problem, name, "--depth", "1").split("\n")
        names = set()
        for line in lines:
            found = re.match(r"^\s*[├└] (.*?)(?: [=≈].*|  \(.*|)$", line)
            for one in re.findall(r"[^\s,\[]+\[[^]]*\]", found.group(1)) if found else []:
                step, inside = one[:-1].split("[")
                step = steps.get(step, step)
                spans = [part.split("…") for part in inside.split(",")]
                ranges = [range(int(span[0]), int(span[-1]) + 1) for span in spans]
                names |= {f"{step}[{','.join(map(str, at))}]" for at in itertools.product(*ranges)}
        return names

    def test_it_is_the_same(self):
        samples = {"worked-example.json": ["queries[2,3]", "scores[1,2]", "exponentials[3,1]", "row_maximum[2]",
                                           "exponential_sums[1]", "attention_weights[2,3]", "context[1,2]"],
                   "two-heads-shared-matrix.json": ["scores[2,1,3]", "output[2,1]", "concatenated[2,3]", "keys[1,2,1]"],
                   "ragged-batch.json": ["scores[2,3,1]", "context[3,2,1]"]}
        compared = 0
        for name, cells in samples.items():
            problem = os.path.join(DATA, name)
            one = page("run", problem)
            matrices = one.data()["matrices"]
            for cell in cells:
                step, index = CELL.match(cell).groups()
                index = [int(at) - 1 for at in index.split(",")]
                found = next(((matrix, row, column) for matrix in matrices if matrix["step"] == step
                              for row in range(matrix["rows"]) for column in range(matrix["columns"])
                              if place_of(matrix, row, column) == offset(index, matrix["shape"])), None)
                if found is None:
                    continue
                with self.subTest(problem=name, cell=cell):
                    matrix, row, column = found
                    read = {name for operand in matrix["operands"] for name in self.names(one, operand, *found)}
                    self.assertEqual(read, self.told(problem, cell, matrices))
                    compared += 1
        self.assertGreaterEqual(compared, 10)


def offset(index, shape):
    at = 0
    for one, size in zip(index, shape):
        at = at * size + one
    return at


class OtherPeoplesText(unittest.TestCase):
    def shown(self, text):
        problem = {"title": text, "tokens": [text, "b"], "inputs": [[1, 0], [0, 2]],
                   "weights": {"query": [[1, 0], [0, 1]], "key": [[1, 1], [0, 1]], "value": [[1, 0], [0, 1]]}, "notes": [text]}
        folder = tempfile.mkdtemp(prefix="attn-html-")
        self.addCleanup(shutil.rmtree, folder)
        with open(os.path.join(folder, "p.json"), "w", encoding="utf-8") as file:
            json.dump(problem, file)
        return page("run", "p.json", folder=folder), page("why", "p.json", "scores[1,2]", folder=folder)

    def test_it_is_only_text(self):
        for name, text in NASTY.items():
            with self.subTest(name=name):
                visible = text.replace("\u202e", "\\u202e").replace("\x1b", "\\x1b").replace("\x07", "\\x07").replace("\r", "\\x0d")
                shown, harmless = self.shown(text), self.shown("x" * len(visible))
                for one, other in zip(shown, harmless):
                    self.assertFalse(one.faults)
                    self.assertEqual(one.elements(), other.elements())
                    self.assertNotRegex(one.source, "[\u202a-\u202e\u2066-\u2069\x1b\x07\r]")
                    one.data()
                self.assertIn(visible, {header.text() for header in shown[0].all("th")})
                self.assertEqual(shown[0].one("h1").text(), visible)
                self.assertEqual(shown[0].one("title").text(), visible)
                self.assertTrue(any(visible in note.text() for note in shown[0].all("p")))

    def test_labels_leave_the_order_around_them(self):
        for header in self.shown(NASTY["right to left"])[0].all("th"):
            self.assertEqual([child.tag for child in header.children], ["bdi"])


class Colours(unittest.TestCase):
    """Text can be read on what is behind it, on light paper and on dark: 4.5 to 1."""

    @classmethod
    def setUpClass(cls):
        style = re.search(r"<style>(.*?)</style>", page("demo").source, re.S)[1]
        cls.style = re.sub(r"/\*.*?\*/", "", style, flags=re.S)
        dark = re.search(r"@media screen and \(prefers-color-scheme: dark\) \{(.*?\})\s*\}", cls.style, re.S)
        light, dark = (dict(re.findall(r"--([\w-]+):\s*(#[0-9a-fA-F]{6})\s*;", text))
                       for text in (cls.style.replace(dark[0], ""), dark[1]))
        cls.modes = {"light": light, "dark": {**light, **dark}}
        cls.of_both_modes = set(light) & set(dark)

    def test_text_on_paper_and_panels(self):
        roles = {"input", "weight_matrix", "mask", "query", "key", "value", "score", "softmax", "attention_weight",
                 "weighted_value", "output"}
        self.assertLessEqual(roles, self.of_both_modes)
        for mode, colours in self.modes.items():
            for name in roles | {"ink", "faint", "link", "right", "wrong", "unsure"}:
                for behind in ("paper", "panel"):
                    with self.subTest(mode=mode, text=name, behind=behind):
                        self.assertGreaterEqual(contrast(colours[name], colours[behind]), 4.5)

    def test_every_colour_has_one_for_dark_paper(self):
        self.assertEqual(self.of_both_modes, set(self.modes["light"]))
        self.assertLess(luminance(self.modes["dark"]["paper"]), 0.02)

    def test_ink_on_every_tint(self):
        for mode, colours in self.modes.items():
            for behind in ["heat", "asked", "along"]:
                with self.subTest(mode=mode, behind=behind):
                    self.assertGreaterEqual(contrast(colours["ink"], colours[behind]), 4.5)
            self.assertGreaterEqual(contrast(colours["paper"], colours["link"]), 4.5)  # a pressed button

    def test_ink_on_what_is_lit_in_the_colour_of_its_role(self):
        shares = set(re.findall(r"color-mix\(in srgb, var\(--from-\d\) (\d+)%, var\(--paper\)\)", self.style))
        self.assertEqual(shares, {"22"})
        for mode, colours in self.modes.items():
            for role in ("input", "query", "key", "value", "score", "softmax", "attention_weight", "weighted_value",
                         "output"):
                with self.subTest(mode=mode, role=role):
                    tint = mixed(colours[role], colours["paper"], 0.22)
                    self.assertGreaterEqual(contrast(colours["ink"], tint), 4.5)

    def test_no_text_has_another_colour(self):
        for colour in re.findall(r"(?:^|[;{\s])color:\s*([^;}]+)", self.style):
            self.assertRegex(colour, r"^(var\(--[\w-]+\)|inherit)$")


def luminance(colour):
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def mixed(one, other, share):
    return "#" + "".join(f"{round(share * int(one[i:i + 2], 16) + (1 - share) * int(other[i:i + 2], 16)):02x}" for i in (1, 3, 5))


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


if __name__ == "__main__":
    unittest.main()
