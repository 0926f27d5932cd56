"""`--format markdown`, rendered as GitHub (cmark-gfm) and pandoc render it."""

import sys

sys.dont_write_bytecode = True

import html.parser
import json
import os
import re
import shutil
import subprocess
import unicodedata
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "property"))

from hostile_strings import HOSTILE
from notes import NOTES
from reading import visible

ATTN = os.path.abspath(os.environ["ATTN"])
ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
DATA = os.path.join(ROOT, "data")
EXAMPLE = os.path.join(DATA, "worked-example.json")
ENVIRONMENT = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}

MORE = [
    "`code`", "**b**", "__b__", "*i*", "_i_", "snake_case_name", "a*b*c", "~~x~~", "[x](javascript:alert(1))", "![](x)",
    "[x][y]", "[x]: http://y", "[[wiki]]", "| pipe |", "a|b", "\\|", "\\\\|", "a\\", "\\", "```", "~~~", "$x$", "$$x$$",
    "$`x`$", "5$ and 6$", "\\(x\\)", "\\[x\\]", "\\begin{align}x\\end{align}", "\\ref{a}", "&amp;", "&#35;", "&nbsp;",
    "<!-- x -->", "<b>x</b>", "</td>", "<http://a.b>", "http://a.b/c?d=e", "https://a.b", "ftp://a.b", "www.a.com",
    "a@b.com", "mailto:a@b.com", "@mention", "@", "#123", "#tag", "GH-1", "[^1]", "^[note]", ":smile:", ":+1:", "10:30:15",
    "x^2^", "H~2~O", "==mark==", "=", "===", "-", "--", "---", "- x", "+ x", "+", "* x", "***", "1. x", "1) x", "(1) x",
    "a. x", "A. x", "iv. x", "#. x", "(@) x", "(@a) x", "é. x", "# x", "## x ##", "x #", "> x", ">x", ": x", "::: x", "% x",
    "%% x %%", "Table: x", "table: x", "    x", "\tx", "two\nlines", "two\r\nlines", "...", "--- x", "'x'", '"x"', "it's",
    "{{ x }}", "{% x %}", "{.class}", "{#id}", "x {#id .c}", "[x]{.c}", "- [ ] x", "[ ] x", "[!NOTE]", "!", "!\\[x\\]",
    "\u202eevil", "שלום", "مرحبا", "👩‍👩‍👧‍👦", "e\u0301", "\u0301x", "\u00a0x\u00a0", "\u3000x", "\x1b[31m", "\x00", "x\u2028y",
]
NASTY = [*HOSTILE.values(), *MORE]

# A renderer, and whether it makes quotes and dots typographic.
CMARK = ["cmark-gfm", "--unsafe", "-e", "table", "-e", "strikethrough", "-e", "autolink", "-e", "tasklist", "-e",
         "footnotes"]
PANDOC = ["pandoc", "-t", "html", "--wrap=none", "--mathjax", "-f"]
RENDERERS = {
    "cmark-gfm": CMARK,
    "pandoc gfm": [*PANDOC, "gfm+tex_math_dollars"],
    "pandoc commonmark_x": [*PANDOC, "commonmark_x+tex_math_dollars"],
    "pandoc markdown": [*PANDOC, "markdown+emoji+lists_without_preceding_blankline"],
}


def installed():
    return {name: command for name, command in RENDERERS.items() if shutil.which(command[0])}


def attn(*words, text=None, code=0):
    done = subprocess.run([ATTN, *words], input=text, capture_output=True, encoding="utf-8", env=ENVIRONMENT, timeout=120)
    assert done.returncode == code and re.fullmatch(NOTES, done.stderr), (words, done.returncode, done.stderr)
    return done.stdout


def markdown(*words, **more):
    return attn(*words, "--format", "markdown", **more)


def run(command, text):
    done = subprocess.run(command, input=text, capture_output=True, encoding="utf-8", env=ENVIRONMENT, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


class Page(html.parser.HTMLParser):
    """What a browser would find: elements, and the text of blocks and cells."""

    BLOCKS = {"h1", "h2", "h3", "p", "td", "th", "li", "pre", "blockquote"}
    DECORATION = {"col", "colgroup", "tr", "thead", "tbody"}

    def __init__(self, text):
        super().__init__()
        self.elements, self.attributes, self.blocks, self.open = [], set(), [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        if tag not in self.DECORATION and tag != "span":
            self.elements.append(tag)
        self.attributes |= {(tag, name) for name, _ in attributes}
        if tag in self.BLOCKS:
            self.blocks.append([tag, ""])
            self.open.append(self.blocks[-1])

    def handle_endtag(self, tag):
        if tag in self.BLOCKS and self.open:
            self.open.pop()

    def handle_data(self, data):
        if self.open:
            self.open[-1][1] += data

    def handle_comment(self, data):
        self.elements.append("comment")

    handle_decl = handle_pi = unknown_decl = handle_comment

    def texts(self, tag):
        return [squeezed(text) for name, text in self.blocks if name == tag]


def squeezed(text):
    """Without what a page does not show, and quotes as people type them."""
    text = unicodedata.normalize("NFC", text)  # as pandoc does
    for curly, straight in (("“", '"'), ("”", '"'), ("‘", "'"), ("’", "'"), ("…", "...")):
        text = text.replace(curly, straight)
    return " ".join(re.split(r"[ \n]+", text)).strip(" ")


def document(text, *options):
    problem = {"title": text, "notes": text, "tokens": [text, "b"], "inputs": [[1, 0], [2, 1]],
               "weights": {name: [[1, 0], [0, 1]] for name in ("query", "key", "value")},
               "score": "dot"}
    return markdown("run", "-", "--explain", "rows", *options, text=json.dumps(problem))


class OtherPeoplesText(unittest.TestCase):
    """A string as title and token is what it is, and the page is built as with a harmless one."""

    MARK = "xEndOfDocumentx"
    # What pandoc adds of its own, for the letters of a heading and the width of a table.
    HARMLESS = {("h1", "id"), ("col", "style"), ("table", "style")}

    @classmethod
    def setUpClass(cls):
        cls.whole = {math: "".join(document(text, "--math", math) + f"\n{cls.MARK}\n\n" for text in [*NASTY, "harmless"])
                     for math in ("github", "dollar", "none")}

    def rendered(self, command, math):
        pages = re.split(rf"<p>{self.MARK}</p>", run(command, self.whole[math])[0])
        self.assertEqual(len(pages), len(NASTY) + 2)
        return pages[:-1]

    def test_it_stays_text(self):
        for name, command in installed().items():
            # What is other people's text is written the same with all three.
            for math in self.whole if name == "cmark-gfm" else ["dollar"]:
                *pages, harmless = self.rendered(command, math)
                wanted = Page(harmless)
                for text, page in zip(NASTY, pages):
                    with self.subTest(text=text, renderer=name, math=math):
                        got, seen = Page(page), squeezed(visible(text))
                        # An empty-looking label cannot be bold.
                        bold = lambda elements: [one for one in elements if one != "strong"]
                        self.assertEqual(bold(got.elements), bold(wanted.elements))
                        self.assertLessEqual(got.attributes, wanted.attributes | self.HARMLESS)
                        self.assertEqual(got.texts("h1"), [seen])
                        heads, cells = got.texts("th"), got.texts("td")
                        self.assertEqual([text for text in heads if text == "b"], ["b"] * heads.count("b"))
                        self.assertEqual(heads.count("b"), wanted.texts("th").count("b"))
                        replaced = lambda texts: [seen if one == "harmless" else one for one in texts]
                        self.assertEqual(heads, replaced(wanted.texts("th")))
                        self.assertEqual(cells, replaced(wanted.texts("td")))
                        items = [squeezed(one.replace("harmless", visible(text))) for one in wanted.texts("li")]
                        self.assertEqual(got.texts("li"), items)
                        shown = [squeezed(one.replace("harmless", visible(text))) for one in wanted.texts("pre")]
                        self.assertEqual(got.texts("pre"), shown)

    def test_scripts_that_look_for_formulas_find_none(self):
        """They look at the finished page, where no escape is left, but not past the end of an element."""
        command = installed().get("cmark-gfm")
        if not command:
            self.skipTest("cmark-gfm is not installed")
        for text, page in zip(NASTY, self.rendered(command, "none")):
            outside = re.sub(r"<pre.*?</pre>|<code>.*?</code>", "", page, flags=re.S)
            for run_of_text in re.split(r"<[^>]*>", outside):
                with self.subTest(text=text, run=run_of_text):
                    self.assertFalse(re.search(r"\$.*\$|\$\w|\\[(\[]|\\begin\{|@\w|#\d|:[\w+-]+:", run_of_text))


class Formulas(unittest.TestCase):
    def test_github_has_fences(self):
        text = markdown("run", EXAMPLE)
        self.assertIn("```math\n\\begin{alignedat}", text)
        self.assertIn("$`", text)
        self.assertNotIn("$$", text)
        self.assertEqual(text, markdown("run", EXAMPLE, "--math", "github"))

    def test_dollars_are_formulas_to_pandoc(self):
        if not shutil.which("pandoc"):
            self.skipTest("pandoc is not installed")
        for name in ("worked-example", "worked-example-causal", "masks-together", "tom-yeh-three-heads", "ragged-batch",
                     "worked-example-rounded", "tensorflow-looking-up"):
            with self.subTest(name):
                text = markdown("run", os.path.join(DATA, name + ".json"), "--math", "dollar")
                self.assertNotIn("```", text)
                page, complaints = run(["pandoc", "-f", "markdown", "-t", "html", "--mathml"], text)
                self.assertEqual(complaints, "")
                displays = len(re.findall(r"^\$\$$", text, flags=re.M)) // 2
                self.assertEqual(page.count('display="block"'), displays)
                self.assertEqual(page.count("<math"), displays + len(re.findall(r"(?<!\$)\$(?!\$)", text)) // 2)

    def test_none_has_none(self):
        text = markdown("run", EXAMPLE, "--math", "none")
        self.assertNotIn("$", text)
        self.assertNotIn("\\begin", text)
        self.assertIn("```text\nS[1,1] = q₁·k₁ = 1×0 + 0×1 + 2×1 = 2\n", text)

    def test_ascii_is_ascii(self):
        for math in ("github", "dollar", "none"):
            self.assertTrue(document("é≈│•✗\x1b日本", "--math", math, "--ascii").isascii())

    def test_a_tree_is_a_nested_list(self):
        text = markdown("why", EXAMPLE, "context[1,2]")
        self.assertRegex(text, r"(?m)^- \$`.*`\$$")
        self.assertRegex(text, r"(?m)^  - \$`")
        self.assertRegex(text, r"(?m)^ +- \$`.*`\$ \(given\)$")
        self.assertIn("├ U[1,1,2] = 0.0634 × 2 ≈ 0.1268", markdown("why", EXAMPLE, "context[1,2]", "--math",
                                                                          "none"))


class Matrices(unittest.TestCase):
    def test_it_is_a_table_with_names(self):
        text = markdown("run", EXAMPLE, "--only", "scores", "--explain", "steps")
        lines = text.split("\n")
        at = next(i for i, line in enumerate(lines) if line.startswith("|") and "Input 3" in line)
        cells = [[cell.strip(" *") for cell in line.strip("|").split("|")] for line in lines[at:at + 5]]
        self.assertEqual(cells[0], ["", "Input 1", "Input 2", "Input 3"])
        self.assertEqual(cells[2:], [["Input 1", "2", "4", "4"], ["Input 2", "4", "16", "12"], ["Input 3", "4", "12", "10"]])
        self.assertTrue(all(cell.endswith(":") for cell in cells[1][1:]), cells[1])
        self.assertEqual(len({len(line) for line in lines[at:at + 5]}), 1)

    def test_long_ones_are_cut_unless_all_is_asked_for(self):
        big = os.path.join(DATA, "eight-heads-batch.json")
        words = ["run", big, "--only", "inputs", "--explain", "steps", "--batch", "1"]
        short, full = markdown(*words), markdown(*words, "--full")
        self.assertIn("… columns 17 to 64 are left out", short)
        self.assertNotIn("left out", full)
        widest = lambda text: max(line.count("|") for line in text.split("\n"))
        self.assertEqual((widest(short), widest(full)), (18, 66))

    def test_answers_are_marked_by_sign(self):
        answers = json.dumps({"schema": "attn/answers/1", "steps": {"scores": [[2, 4, 4], [4, 61, 12], [4, None, 10]]}})
        folder = os.environ.get("TMPDIR", "/tmp")
        path = os.path.join(folder, f"attn-markdown-{os.getpid()}.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(answers)
        try:
            text = markdown("check", EXAMPLE, path, code=1)
        finally:
            os.remove(path)
        self.assertRegex(text, r"\| +\*\*✗ 61\*\* \|")
        self.assertRegex(text, r"\| +· \|")


def separators(text):
    return len(re.findall(r"(?m)^---$", text)) - 2  # those of the front matter


class Slides(unittest.TestCase):
    PROBLEMS = ["worked-example", "worked-example-causal", "ragged-batch", "tom-yeh-three-heads", "eight-heads-batch"]

    def slides(self, *words):
        text = markdown(*words, "--slides")
        page, _ = run(["pandoc", "-f", "markdown", "-t", "revealjs", "--mathjax"], text)
        return text, page

    def test_a_stop_is_a_slide(self):
        if not shutil.which("pandoc"):
            self.skipTest("pandoc is not installed")
        for words in [*(["run", os.path.join(DATA, name + ".json")] for name in self.PROBLEMS),
                      ["why", EXAMPLE, "scores[1,2]"], ["why", EXAMPLE, "scores"], ["mistakes"],
                      ["run", EXAMPLE, "--only", "context"]]:
            with self.subTest(words):
                text, page = self.slides(*words)
                sections = re.findall(r"<section[^>]*>", page)
                self.assertEqual(len(sections), separators(text) + 1)
                slides = re.split(r"<section[^>]*>", page)[1:]
                for slide in slides:
                    self.assertRegex(slide.strip(), r"^<h[12]")
                    self.assertEqual(len(re.findall(r"<h[1-6]", slide)), 1)

    def test_formulas_of_slides_are_between_dollars(self):
        text = markdown("run", EXAMPLE, "--slides")
        self.assertTrue(text.startswith("---\nmarp: true\n"))
        self.assertNotIn("```math", text)
        self.assertIn("$$\n", text)
        self.assertIn("```math", markdown("run", EXAMPLE, "--slides", "--math", "github"))

    def test_without_slides_there_is_no_rule(self):
        self.assertNotRegex(markdown("run", EXAMPLE), r"(?m)^---$")


if __name__ == "__main__":
    if not installed():
        print("skipped: neither cmark-gfm nor pandoc is installed")
        sys.exit(77)
    unittest.main()
