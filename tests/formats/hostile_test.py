"""Whatever titles, tokens and file names hold, it stays text: in every format, and readable.

Each hostile string stands as title, notes and token of a small problem, and in the name of
a file of answers. Every format is written with it and with a harmless twin that takes as
much room. But for the letters the two must be the same: the same elements, commands, rows,
columns. And the string must be there to read.

    hostile_test.py [--every N]    only each Nth string, where the program is slow
"""

import sys

sys.dont_write_bytecode = True

import argparse
import collections
import csv
import io
import json
import os
import re
import shutil
import subprocess
import tempfile
import unicodedata
import unittest
import xml.etree.ElementTree as ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "property"))

import reading
from hostile_strings import HOSTILE
from notes import BEGIN
from reading import characters, columns_taken, visible

ATTN = os.path.abspath(os.environ["ATTN"])
ENVIRONMENT = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TERM": "dumb", "HOME": "/nowhere"}

PROBLEM = {"inputs": [[1, 0, 2], [0, -1, 1]], "score": "dot", "causal": True}
ANSWERS = {"steps": {"scores": [["500%", "2^3/√4"], ["1*1", "−2"]]}}

# Runs of the program: what it is asked for, and of which format each file is.
RUN = ["run", "p.json", "--full", "--explain"]
RUNS = [
    ([*RUN, "cells"], {"text.txt": "text", "github.md": "markdown", "fragment.tex": "latex", "numbers.csv": "csv",
                       "trace.json": "json"}),
    ([*RUN, "rows", "--color", "always", "--heatmap", "--math", "dollar", "--slides", "--beamer"],
     {"heat.txt": "text", "slides.md": "markdown", "beamer.tex": "latex", "page.html": "html", "flow.svg": "svg"}),
    ([*RUN, "result", "--math", "none", "--standalone"], {"none.md": "markdown", "standalone.tex": "latex"}),
    (["check", "p.json", "NAME", "right.json", "--reveal", "value"],
     {"check.txt": "text", "check.md": "markdown", "check.tex": "latex", "check.html": "html", "check.svg": "svg"}),
]


def attn(folder, *words):
    done = subprocess.run([ATTN, *words], cwd=folder, env=ENVIRONMENT, stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=60)
    return done.returncode, done.stdout, done.stderr


def twin(text):
    """Harmless letters in the same places, as wide as the text is when it is shown."""
    harmless = ("", "x", "字")
    return "".join(" " if char == " " else harmless[columns] for char, columns in characters(visible(text)))


def squeezed(text):
    """Without blanks: lines may be broken anywhere."""
    return re.sub(r"\s+", "", text)


def file_name(text):
    """The text as the name of a file, where it can be one."""
    name = text.replace("/", "∕").replace("\0", "")
    while len(name.encode()) > 120:
        name = name[:-1]
    return ("_" if name.startswith("-") else "") + name


HINTS = re.compile(b"(" + BEGIN.encode() + rb"[^\x00-\x1f\x7f\x1b]*\n)*")


class Shown:
    """Everything that the program writes about one string: a text a file."""

    def __init__(self, text, name):
        self.text, self.files = text, {}
        folder = tempfile.mkdtemp(prefix="attn-hostile-")
        try:
            self._write(folder, name + ".json")
        finally:
            shutil.rmtree(folder)

    def _write(self, folder, name):
        problem = PROBLEM | {"title": self.text, "notes": [self.text], "tokens": [self.text, "b"], "x-" + self.text: 1}
        for path, content in (("p.json", problem), (name, ANSWERS), ("right.json", ANSWERS)):
            with open(os.path.join(folder, path), "w", encoding="utf-8") as file:
                json.dump(content, file)
        for words, files in RUNS:
            outputs = [word for path in files for word in ("-o", path)]
            code, _, error = attn(folder, *[name if word == "NAME" else word for word in words], *outputs)
            assert code == (words[0] == "check") and HINTS.fullmatch(error), (self.text, words, code, error)
            for path in files:
                with open(os.path.join(folder, path), encoding="utf-8", newline="") as file:
                    self.files[path] = file.read()


def pair(text):
    return Shown(text, file_name(text)), Shown(twin(text), twin(file_name(text)))


# --- what must hold of a format -------------------------------------------------
#
# Each function takes what was written about a string and about its twin, and tells
# what is wrong.


COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def faults_of_text(got, twins, text):
    if COLOUR.findall(got) != COLOUR.findall(twins):
        yield "other colours"
    plain, harmless = COLOUR.sub("", got), COLOUR.sub("", twins)
    widths = lambda whole: [columns_taken(line) for line in whole.split("\n")]
    if widths(plain) != widths(harmless):
        yield "lines are not as wide as with harmless letters"
    if not set("│┼") & set(text) and bars(plain) != bars(harmless):
        yield "columns are not where they are with harmless letters"
    yield from unreadable(plain, text)


def bars(text):
    return [[columns_taken(line[:found.start()]) for found in re.finditer("[│┼]", line)] for line in text.split("\n")]


def faults_of_json(got, twins, text):
    trace = json.loads(got)
    if trace["title"] != text or trace["labels"]["query"][0] != text:
        yield "is not what it was"
    if set(got) & set("\x1b\x07\x08\0\r"):
        yield "steers the terminal"


def faults_of_csv(got, twins, text):
    rows, harmless = list(csv.reader(io.StringIO(got, newline=""))), list(csv.reader(io.StringIO(twins, newline="")))
    if [len(row) for row in rows] != [len(row) for row in harmless]:
        yield "other rows or columns"
    for cell in {cell for row in rows for cell in row}:
        if re.match(r"\s*[=+\-@＝＋－＠\t\r]", cell) and not re.fullmatch(r"-?(\d+(\.\d+)?(e[+-]?\d+)?|inf)", cell):
            yield f"starts a formula: {cell}"
    if not any(visible(text) in cell for row in rows for cell in row):
        yield "is not there to read"


def shape_of_html(tree):
    """Elements and attributes; of attributes that do something also their values."""
    found = []
    for element in tree.elements():
        if element.name in ("text", "tspan"):  # of a drawing: as many as the words need
            continue
        if element.name == "span" and not element.attributes and not element.elements():
            continue  # sets a character apart
        told = []
        for name, value in sorted(element.attributes.items()):
            acts = name in ("id", "class", "href", "src", "action") or name.startswith("on")
            told.append((name, value if acts else None))
        inner = None if element.name == "svg" else shape_of_html(element)
        found.append((element.name, told, inner))
    return found


def faults_of_html(got, twins, text):
    tree, harmless = reading.html_tree(got), reading.html_tree(twins)
    if shape_of_html(tree) != shape_of_html(harmless):
        yield "other elements or attributes"
    for kind in ("script", "style"):
        count = lambda one: [element.attributes for element in one.find_all(kind)]
        if count(tree) != count(harmless):
            yield f"other <{kind}>"
    for script in tree.find_all("script"):
        if script.attributes.get("type") == "application/json":
            json.loads(script.text())
    if squeezed(next(tree.find_all("title")).text()) != squeezed(visible(text)):
        yield "another title"
    yield from unreadable(next(tree.find_all("body")).text(), text)
    yield from names_faults(reading.read_html(tree), text)


def names_faults(parts, text):
    found = reading.matrices(parts)
    if found and not any(squeezed(visible(text)) == squeezed(label) for matrix in found for label, _ in matrix.rows):
        yield "is no label to read"


def faults_of_svg(got, twins, text):
    count = lambda tree: collections.Counter((element.name, tuple(sorted(element.attributes)))
                                             for element in tree.find_all("g", "rect", "path", "desc", "svg"))
    tree, harmless = reading.html_tree(got), reading.html_tree(twins)
    if count(tree) != count(harmless):
        yield f"other elements: {count(tree) - count(harmless)}, {count(harmless) - count(tree)}"
    known = {"svg", "g", "rect", "path", "circle", "line", "title", "desc", "text", "tspan"}
    names = {element.name for element in all_elements(tree)}
    if names - known:
        yield f"elements that are not ours: {names - known}"
    attributes = {name for element in all_elements(tree) for name in element.attributes}
    if any(name.startswith("on") or "href" in name for name in attributes):
        yield "attributes that act"
    ElementTree.fromstring(got)
    if squeezed(next(tree.find_all("title")).text()) != squeezed(visible(text)):
        yield "another title"
    yield from unreadable("".join(one.text() for one in tree.find_all("text")), text)


def all_elements(tree):
    for child in tree.elements():
        yield child
        yield from all_elements(child)


def faults_of_markdown(got, twins, text):
    if not shutil.which("cmark-gfm"):
        return
    page, harmless = rendered_markdown(got), rendered_markdown(twins)
    if shape_of_html(page) != shape_of_html(harmless):
        yield "other elements on the page"
    yield from unreadable(page.text(), text)


def rendered_markdown(text):
    extensions = [word for name in ("table", "strikethrough", "tasklist") for word in ("-e", name)]
    done = subprocess.run(["cmark-gfm", "--unsafe", *extensions], input=text, capture_output=True, encoding="utf-8",
                          check=True)
    return reading.html_tree(done.stdout)


# What LaTeX says to lay things out, as the room needs it, and to spell single characters.
LAYOUT = {"quad", "qquad", "hspace", "parbox", "attnmatrix", "attnpart", "attnfit", "attncolumns", "attnlap",
          "normalsize", "small", "footnotesize", "scriptsize", "attnnumbers", "attnlying",
          "{minipage", "{tabular", "{alignat"}
SPELLINGS = {"sqrt", "attnchar", "attnbreak", "ensuremath", "allowbreak", "char", "boldsymbol", "top",
             *reading.LATEX_SIGNS}


def commands_of_latex(text):
    """Commands and environments that are no layout and no spellings."""
    found = set(re.findall(r"\\begin(\{\w+)", text))
    found |= {one[1] for one in reading.LATEX_TOKEN.finditer(text) if one[1]}
    return found - LAYOUT - SPELLINGS


def faults_of_latex(got, twins, text):
    if "^^" in got:
        yield "the notation ^^"
    more = commands_of_latex(got) - commands_of_latex(twins)
    if more:
        yield f"other commands: {more}"
    shown = " ".join(part for part in reading.read_latex(got) if isinstance(part, str))
    yield from unreadable(plainly(shown), plainly(visible(text)))


def plainly(text):
    """Quotes, raised and lowered characters as the plain ones."""
    text = unicodedata.normalize("NFKC", re.sub("[′‘’‚]", "'", re.sub("[″“”„]", "''", text)).replace('"', "''"))
    return re.sub("[_^]", "", text).replace("´", "'").replace("−", "-")


def unreadable(shown, text):
    if squeezed(visible(text)) not in squeezed(shown):
        yield "is not there to read"


FAULTS = {"text": faults_of_text, "markdown": faults_of_markdown, "latex": faults_of_latex, "html": faults_of_html,
          "svg": faults_of_svg, "csv": faults_of_csv, "json": faults_of_json}
FORMAT_OF = {path: format for _, files in RUNS for path, format in files.items()}


def faults_of(got, twins):
    for path, format in FORMAT_OF.items():
        steering = set(reading.STEERING.findall(COLOUR.sub("", got.files[path]))) - {"\n"}
        if steering and format != "json":
            yield f"{path}: steers a terminal, {steering}"
        try:
            for fault in FAULTS[format](got.files[path], twins.files[path], got.text):
                yield f"{path}: {fault}"
        except (AssertionError, ValueError, SyntaxError, StopIteration) as wrong:
            yield f"{path}: {wrong!r}"


class Hostile(unittest.TestCase):
    every = 1

    @classmethod
    def setUpClass(cls):
        cls.shown = {name: pair(text) for name, text in list(HOSTILE.items())[::cls.every]}

    def in_folder(self):
        folder = tempfile.mkdtemp(prefix="attn-hostile-")
        self.addCleanup(shutil.rmtree, folder)
        return folder

    def test_in_every_format_it_is_text_and_can_be_read(self):
        faults = [f"{name}, {fault}" for name, (got, twins) in self.shown.items() for fault in faults_of(got, twins)]
        self.assertEqual(len(faults), 0, "\n".join(["", *faults]))

    def test_what_is_not_escaped_is_found_out(self):
        raw = {"page.html": ["event handler", "script element", "title end"], "flow.svg": ["svg payload", "CDATA"],
               "github.md": ["table", "slide break within", "event handler", "link"],
               "fragment.tex": ["input", "write18", "hat notation", "comment"],
               "text.txt": ["clear", "override", "return"],
               "numbers.csv": ["formula", "formula, at", "separators", "lines"]}
        for path, names in raw.items():
            for name in names:
                if name not in self.shown or (path.endswith(".md") and not shutil.which("cmark-gfm")):
                    continue
                with self.subTest(file=path, string=name):
                    got, twins = self.shown[name]
                    careless = Careless(got, twins, path)
                    self.assertTrue([fault for fault in faults_of(careless, twins) if fault.startswith(path)])

    def test_errors_neither_steer_the_terminal_nor_hide_what_is_wrong(self):
        folder = self.in_folder()
        for name, (got, _) in self.shown.items():
            text = got.text.replace("\0", "")
            with open(os.path.join(folder, "unknown.json"), "w", encoding="utf-8") as file:
                json.dump({"inputs": [[1]], "weights": {"W" + text: 1}}, file)
            with open(os.path.join(folder, "p.json"), "w", encoding="utf-8") as file:
                json.dump(PROBLEM, file)
            for words in (["run", file_name(text) + "-"], ["run", "unknown.json"], ["run", "p.json", "--only=" + text],
                          ["why", "p.json", "scores[" + text + ",1]"], ["run", "p.json", "--math=" + text]):
                with self.subTest(string=name, command=words[:2]):
                    code, out, error = attn(folder, *words)
                    self.assertIn(code, (2, 3))
                    self.assertEqual(out, b"")
                    self.assertFalse(set(reading.STEERING.findall(error.decode("utf-8"))) - {"\n"}, error)

    def test_latex_compiles_and_touches_no_file(self):
        if not shutil.which("pdflatex"):
            self.skipTest("no pdflatex")
        folder = self.in_folder()
        read = []
        for which in (0, 1):
            texts = [shown[which].files["standalone.tex"] for shown in self.shown.values()]
            start = texts[0].split("\\begin{document}")[0]
            bodies = [text.split("\\begin{document}")[1].split("\\end{document}")[0] for text in texts]
            with open(os.path.join(folder, "all.tex"), "w", encoding="utf-8") as file:
                file.write(start + "\\begin{document}" + "\n".join(bodies) + "\\end{document}\n")
            for name in set(os.listdir(folder)) - {"all.tex"}:
                os.remove(os.path.join(folder, name))
            command = ["pdflatex", "-no-shell-escape", "-recorder", "-interaction=nonstopmode", "-halt-on-error"]
            done = subprocess.run([*command, "all.tex"], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                                  timeout=300)
            self.assertEqual(done.returncode, 0, done.stdout.decode("utf-8", "replace")[-1500:])
            with open(os.path.join(folder, "all.fls"), encoding="utf-8") as file:
                read.append({line.strip() for line in file if not re.search(r"/fonts/|\.(fd|pfb|tfm|map|enc)$", line)})
        self.assertEqual(read[0], read[1])
        self.assertFalse([name for name in os.listdir(folder) if "HARM" in name])

    def test_pandoc_sees_the_same_with_dollars(self):
        if not shutil.which("pandoc"):
            self.skipTest("no pandoc")
        kinds = []
        for which in (0, 1):
            files = [shown[which].files[name] for shown in self.shown.values() for name in ("slides.md", "github.md")]
            text = re.sub(r"(?m)^---\n(\w+: .*\n)+---$", "", "\n".join(files))
            done = subprocess.run(["pandoc", "-f", "markdown+tex_math_dollars", "-t", "json"], input=text,
                                  capture_output=True, encoding="utf-8", check=True)
            kinds.append(collections.Counter(kinds_in(json.loads(done.stdout)["blocks"])))
        self.assertEqual(kinds[0] - kinds[1], {})

    def test_a_browser_shows_it_and_runs_nothing(self):
        try:
            from selenium import webdriver
            from selenium.common.exceptions import WebDriverException
            from selenium.webdriver.chrome.service import Service
        except ImportError:
            self.skipTest("no selenium")
        if not shutil.which("chromium") or not shutil.which("chromedriver"):
            self.skipTest("no chromium")
        folder = self.in_folder()
        options = webdriver.ChromeOptions()
        for word in ("headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage", f"user-data-dir={folder}/profile"):
            options.add_argument("--" + word)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        options.set_capability("unhandledPromptBehavior", "ignore")
        browser = webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)
        try:
            browser.get("about:blank")
            browser.get_log("performance")
            harmless = Shown("harmless", "harmless")
            pages = ("page.html", "check.html", "flow.svg")
            expected = {path: self.seen(browser, folder, path, harmless)["elements"] for path in pages}
            for name, (got, _) in self.shown.items():
                elements, scripts = "<" in got.text, re.search("[&'\"`\\\\$]", got.text)
                for path in pages if elements else pages[:1] if scripts else ():
                    with self.subTest(string=name, file=path):
                        seen = self.seen(browser, folder, path, got)
                        self.assertEqual(seen["elements"], expected[path])
                        self.assertEqual(squeezed(seen["title"]), squeezed(visible(got.text)))
            # That a browser would notice: the same page, had nothing been escaped.
            got, twins = pair(HOSTILE["script element"])
            with self.assertRaises((AssertionError, WebDriverException)):
                self.seen(browser, folder, "page.html", Careless(got, twins, "page.html"))
        finally:
            browser.quit()

    def seen(self, browser, folder, path, shown):
        """What is on the page after cells were pointed at and pressed."""
        place = os.path.join(folder, path)
        with open(place, "w", encoding="utf-8") as file:
            file.write(shown.files[path])
        browser.get("file://" + place)
        elements = browser.execute_script(POINT_EVERYWHERE)
        title = browser.title
        for entry in browser.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                address = message["params"]["request"]["url"].split("#")[0]
                self.assertEqual(address, "file://" + place)
            self.assertNotEqual(message["method"], "Page.javascriptDialogOpening")
        self.assertEqual([entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"], [])
        return {"elements": elements, "title": title}


# Counts the elements of a page, but those that say how much room words take, once cells
# were pointed at, focused and pressed.
POINT_EVERYWHERE = """
for (const cell of [...document.querySelectorAll("td")].slice(0, 400)) {
  cell.dispatchEvent(new PointerEvent("pointerover", {bubbles: true}));
  cell.dispatchEvent(new MouseEvent("mouseover", {bubbles: true}));
  if (cell.tabIndex >= 0) cell.focus();
  cell.click();
}
const counts = {};
for (const element of document.querySelectorAll("*")) {
  const name = element.tagName.toLowerCase();
  if (!["text", "tspan", "title"].includes(name)) counts[name] = (counts[name] || 0) + 1;
}
return counts;
"""


# What pandoc calls letters, how wide columns are, and typographic quotes.
LETTERS = {"Str", "Space", "SoftBreak", "ColWidth", "ColWidthDefault", "Quoted", "SingleQuote", "DoubleQuote"}


def kinds_in(tree):
    """The kinds of elements of a document as pandoc tells it."""
    if isinstance(tree, dict):
        kind = tree.get("t")
        sets_apart = kind == "Span" and tree["c"][0] == ["", [], []]
        if kind and not sets_apart and kind not in LETTERS:
            yield kind
        tree = list(tree.values())
    if isinstance(tree, list):
        for part in tree:
            yield from kinds_in(part)


class Careless:
    """A string as a format that escapes nothing would show it in one of its files."""

    def __init__(self, got, twins, path):
        self.text, self.files = got.text, dict(got.files)
        harmless = twins.text
        assert harmless.strip() and harmless in twins.files[path], (path, harmless)
        self.files[path] = twins.files[path].replace(harmless, got.text)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=int, default=1, metavar="N")
    options, rest = parser.parse_known_args()
    Hostile.every = options.every
    unittest.main(argv=[sys.argv[0], *rest])
