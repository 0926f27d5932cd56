"""Reads what the formats write back into words, numbers and matrices.

Every reader returns a list of parts, in the order of the page: a str of running
text (headlines, arithmetic, captions), or a Matrix. `tokens` takes text apart into
words, numbers and signs, so that "k₁", "k_{1}" and <msub> come to the same.
"""

import html
import html.parser
import re
import unicodedata
from dataclasses import dataclass, field


@dataclass
class Matrix:
    """Labels and cells, as they are written."""

    columns: list = field(default_factory=list)
    rows: list = field(default_factory=list)  # (label, [cell, …])

    def cells(self):
        return [cell for _, row in self.rows for cell in row]


# --- words and numbers --------------------------------------------------------

TOKEN = re.compile(r"\d+(?:\.\d+)?(?:e[+-]?\d+)?|[^\W\d]\w*[′*]*|[-+×/=≈√^∞✗✓↳?]")


def tokens(text):
    """Words, numbers and signs, in order; what only decorates is gone."""
    text = text.replace("´", "′").replace("²", "^2")
    text = unicodedata.normalize("NFKC", text).replace("−", "-").replace("'", "′")
    text = re.sub(r"(?<=[^\W\d]{2})-(?=[^\W\d]{2})", " ", text)  # half-up is two words
    text = re.sub(r"(?<=\d) ?e ?- ?(?=\d)", "e-", text)  # as formulas space it
    text = text.replace("_", "").replace("^T", "T").replace("^*", "*").replace("^°", "°")
    return TOKEN.findall(text)


def part_tokens(part):
    if isinstance(part, str):
        return tokens(part)
    found = [token for label in part.columns for token in tokens(label)]
    for label, cells in part.rows:
        for text in [label, *cells]:
            found += tokens(text)
    return found


def all_tokens(parts):
    return [token for part in parts for token in part_tokens(part)]


def matrices(parts):
    return [part for part in parts if isinstance(part, Matrix)]


def arithmetic(parts):
    """The lines of arithmetic that the terminal shows, in order, as tokens; without their titles."""
    lines = [re.sub(r"\s{3,}[^\s=≈].*", "", part.strip()) for part in parts if isinstance(part, str)]
    return [tokens(line) for line in lines if re.search("[=≈]", line)]


def first_out_of_order(lines, parts):
    """The first of the lines that does not stand after the one before it; None if all do."""
    spelled = lambda some: "\0" + "\0".join(some) + "\0"
    whole, at = spelled([token for part in parts if isinstance(part, str) for token in part_tokens(part)]), 0
    for line in lines:
        at = whole.find(spelled(line), at)
        if at < 0:
            return line
    return None


def numbers_and_labels(matrix):
    """A matrix such that two that show the same are equal."""
    same = lambda text: text.replace("-", "−")
    return [same(name) for name in matrix.columns], [(same(label), list(map(same, row))) for label, row in matrix.rows]


# Control characters, ends of lines and paragraphs, what turns the direction of text, tags.
STEERING = re.compile("[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff"
                      "\U000e0000-\U000e007f]")


def visible(text):
    """Other people's text as every format shows it: what would steer a terminal, or turn the order
    of the letters, is written out."""
    return STEERING.sub(_written_out, text)


def _written_out(found):
    code = ord(found.group())
    if found.group() in "\n\t":
        return {"\n": "\\n", "\t": "\\t"}[found.group()]
    return f"\\x{code:02x}" if code < 0x80 else f"\\U{code:08x}" if code > 0xFFFF else f"\\u{code:04x}"


REGIONAL = "[\U0001F1E6-\U0001F1FF]"
PICTOGRAPH = "[\u2600-\u27bf\u2b50\U0001F300-\U0001FAFF]"
MARKS = "[\u0300-\u036f\ufe0e\ufe0f\U0001F3FB-\U0001F3FF]*"
CHARACTER = re.compile(f"{REGIONAL}{{2}}|{PICTOGRAPH}{MARKS}(?:\u200d{PICTOGRAPH}{MARKS})*|.", re.S)


def characters(text):
    """What people see as one, with the columns of a terminal that it takes by Unicode's own tables."""
    for found in CHARACTER.finditer(text):
        char = found.group()
        nothing = unicodedata.category(char[0]) in ("Mn", "Me", "Cf") and char != "\u00ad"
        wide = unicodedata.east_asian_width(char[0]) in "WF" or "\ufe0f" in char or re.match(f"{REGIONAL}{{2}}", char)
        yield char, 0 if nothing else 2 if wide else 1


def columns_taken(text):
    return len(text) if text.isascii() else sum(columns for _, columns in characters(text))


# --- the terminal ---------------------------------------------------------------


def read_text(text):
    """What the format text writes at a width at which no matrix stands beside another."""
    parts, lines = [], text.split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        if at + 1 < len(lines) and re.fullmatch(r"\s*(─+┼─+\s*)+", lines[at + 1]):
            at = _text_matrices(lines, at, parts)
            continue
        if not re.fullmatch(r"[═─]*", line) and not re.fullmatch(r"\s*columns? \d+(–\d+)? of \d+", line):
            parts.append(re.sub(r"^[ │├└]*[├└] |\bNote: ", "", line))
        at += 1
    return parts


def _text_matrices(lines, at, parts):
    """The matrices that stand side by side under the names in line `at`; or a block of columns,
    joined to the matrix that it goes on with."""
    goes_on = at > 1 and re.fullmatch(r"\s*columns? (?!1–)\d+(–\d+)? of \d+", lines[at - 1])
    rules = list(re.finditer("─+┼─+", lines[at + 1]))
    end = at + 2
    while end < len(lines) and "│" in lines[end]:
        end += 1
    for rule, after in zip(rules, [*rules[1:], None]):
        begin, split, stop = rule.start(), rule.group().index("┼"), after.start() if after else None
        names = _cells(lines[at][begin:stop][split + 1:])
        rows = [line[begin:stop] for line in lines[at + 2:end]]
        rows = [(row[:split].strip(), _cells(row[split + 1:])) for row in rows if row[split:split + 1] == "│"]
        if not goes_on:
            parts.append(Matrix(names, rows))
            continue
        matrix = matrices(parts)[-1]
        matrix.columns += names
        for (label, cells), (same, more) in zip(matrix.rows, rows):
            assert label == same, (label, same)
            cells += more
    return end


def _cells(line):
    """Two blanks or more stand between cells; within a cell never more than one."""
    return re.split(r"\s{2,}", line.strip())


# --- HTML and MathML ------------------------------------------------------------

VOID = {"meta", "link", "br", "hr", "img", "input", "wbr", "col", "base"}
UNSEEN = {"head", "script", "style", "template", "svg"}
RUNNING = {"a", "abbr", "b", "bdi", "button", "code", "em", "i", "math", "small", "span", "strong", "sub", "sup"}


class Element:
    """An element with its attributes and its children, which are elements and str."""

    def __init__(self, name, attributes=()):
        self.name, self.attributes, self.children = name, dict(attributes), []

    def elements(self):
        return [child for child in self.children if isinstance(child, Element)]

    def find_all(self, *names):
        for child in self.elements():
            if child.name in names:
                yield child
            yield from child.find_all(*names)

    def text(self):
        """All letters below, as they stand in the file."""
        return "".join(child if isinstance(child, str) else child.text() for child in self.children)


class _TreeBuilder(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open = [Element("")]

    def handle_starttag(self, name, attributes):
        element = Element(name, attributes)
        self.open[-1].children.append(element)
        if name not in VOID:
            self.open.append(element)

    def handle_startendtag(self, name, attributes):
        self.open[-1].children.append(Element(name, attributes))

    def handle_endtag(self, name):
        assert name == self.open[-1].name, f"</{name}> closes <{self.open[-1].name}>"
        self.open.pop()

    def handle_data(self, data):
        self.open[-1].children.append(data)


def html_tree(text):
    """The page as elements. Every element must be closed where it was opened."""
    builder = _TreeBuilder()
    builder.feed(text)
    builder.close()
    assert len(builder.open) == 1, f"<{builder.open[-1].name}> is never closed"
    return builder.open[0]


def math_text(element):
    """MathML as it would be typed."""
    parts = [child if isinstance(child, str) else math_text(child) for child in element.children]
    inner = [part for part, child in zip(parts, element.children) if isinstance(child, Element)]
    if element.name == "msup":
        return f"{inner[0]}^{inner[1]}"
    if element.name == "msub":
        return inner[0].rstrip() + inner[1].strip()
    if element.name == "msqrt":
        return "√" + "".join(parts)
    if element.name == "mfrac":
        return f"{inner[0]} / {inner[1]}"
    return f" {''.join(parts)} " if element.name == "mtext" else "".join(parts)


class Summary(str):
    """What opens and closes a part of a page."""


def read_html(page, skipped=lambda element: False):
    """What the page (a text or its elements) shows without script; `skipped` says what is there only to be used."""
    parts, running = [], []

    def flush():
        line = "".join(running).strip().removeprefix("Note: ")
        running.clear()
        if line:
            parts.append(line)

    def shown_text(element):
        return "".join(child if isinstance(child, str) else "" if skipped(child) else shown_text(child)
                       for child in element.children)

    def walk(element):
        if element.name == "summary":
            flush()
            parts.append(Summary(shown_text(element).strip()))
            return
        if element.name in UNSEEN or skipped(element):
            return
        if element.name == "math":
            running.append(math_text(element))
            return
        if "matrix" in element.attributes.get("class", "").split():
            flush()
            for caption in element.find_all("caption"):
                walk(caption)
            flush()
            parts.append(_html_matrix(element))
            for other in element.elements():
                if not any(other.find_all("table")) and other.name != "table":
                    walk(other)
            return
        if element.name not in RUNNING:
            flush()
        for child in element.children:
            if isinstance(child, str):
                running.append(re.sub(r"\s+", " ", child))
            else:
                walk(child)
        if element.name not in RUNNING:
            flush()

    walk(html_tree(page) if isinstance(page, str) else page)
    flush()
    # What opens a part may say how its first headline begins.
    said_twice = lambda part, after: isinstance(part, Summary) and str(after).startswith(part)
    return [part for part, after in zip(parts, [*parts[1:], ""]) if not said_twice(part, after)]


def _html_matrix(table):
    matrix = Matrix([heading.text() for head in table.find_all("thead") for heading in head.find_all("th")])
    for body in table.find_all("tbody"):
        for row in body.find_all("tr"):
            label, *cells = [cell.text().strip() for cell in row.elements()]
            matrix.rows.append((label, cells))
    return matrix


# --- SVG ------------------------------------------------------------------------


def read_svg(figure):
    """The words of a figure (a text or its elements), and its matrices: names of columns in a row, then rows of a label and
    its cells in letters of another size."""
    parts = []

    def walk(element):
        texts = []
        for child in element.elements():
            if child.name == "text":
                texts.append(child)
            elif child.name not in ("title", "desc"):
                walk(child)
        _svg_texts(texts, parts)

    walk(html_tree(figure) if isinstance(figure, str) else figure)
    return parts


def described(text):
    """What a figure says to those who do not see it."""
    return next(html_tree(text).find_all("desc")).text()


def _svg_texts(texts, parts):
    looks = lambda one: (one.attributes.get("text-anchor"), one.attributes.get("font-size"))
    at = 0
    while at < len(texts):
        end = at
        while end < len(texts) and looks(texts[end])[0] == "middle" and looks(texts[end]) == looks(texts[at]):
            end += 1
        label = ("end", looks(texts[at])[1])
        if end == at or end == len(texts) or looks(texts[end]) != label:
            parts.append(_svg_line(texts[at]))
            at += 1
            continue
        matrix = Matrix([_svg_line(name) for name in texts[at:end]])
        while end < len(texts) and looks(texts[end]) == label:
            cells = texts[end + 1:end + 1 + len(matrix.columns)]
            matrix.rows.append((_svg_line(texts[end]), [_svg_line(cell) for cell in cells]))
            end += 1 + len(cells)
        parts.append(matrix)
        at = end


def _svg_line(text):
    """A <text>; what is raised stands after "^"."""
    out, height = [], 0.0
    for child in text.children:
        if isinstance(child, str):
            out.append(child)
            continue
        height += float(child.attributes.get("dy", 0))
        raised = height < -0.01 and float(child.attributes.get("dy", 0)) < 0
        out.append(("^" if raised else "") + child.text())
    return "".join(out)


# --- LaTeX ----------------------------------------------------------------------

# What a command stands for where it has no arguments.
LATEX_SIGNS = {
    "cdot": "·", "times": "×", "checkmark": "✓", "approx": "≈", "infty": "∞", "to": "→", "rightarrow": "→", "ldots": "…", "dots": "…",
    "top": "T", "max": "max", "min": "min", "sum": "∑", "pm": "±", "le": "≤", "ge": "≥", "ne": "≠", "surd": "√",
    "quad": " ", "qquad": " ", "mid": "|", "prime": "′", "checkmark": "✓", "textbackslash": "\\", "backslash": "\\",
    "textasciitilde": "~", "textasciicircum": "^", "textbar": "|", "textless": "<", "textgreater": ">",
    "textasciigrave": "`", "textquotedbl": '"', "textquotesingle": "'", "char": "", "wedge": "^", "circ": "°",
    "textendash": "–", "textemdash": "—", "textquoteleft": "‘", "textquoteright": "’", "textquotedblleft": "“",
    "textquotedblright": "”", "quotedblbase": "„", "quotesinglbase": "‚", "guillemotleft": "«", "guillemotright": "»",
    "div": "÷", "textdegree": "°", "textellipsis": "…", "textsection": "§",
    "Sigma": "Σ", "delta": "δ", "|": "‖",
    ",": " ", ";": " ", ":": " ", "!": "", " ": " ", "/": "",
}
# Commands of layout: they show nothing themselves, and what is in their braces stays.
LATEX_LAYOUT = {
    "left", "right", "bigl", "bigr", "mathbin", "mathrm", "mathsf", "mathbf", "mathit", "mathord", "mathopen",
    "mathclose", "text", "textbf", "textit", "textrm", "textsf", "texttt", "emph", "mbox", "operatorname", "ensuremath",
    "boldmath", "boldsymbol", "small", "noindent", "par", "medskip", "smallskip", "displaystyle", "endgroup",
    "begingroup", "allowbreak",
    "relax", "centering", "raggedright", "hfill", "hline",
}
LATEX_DROPPED_ARGUMENTS = {"attnfigure": 1, "attnshade": 1, "attnshadefrom": 2, "hspace": 1, "vspace": 1, "attnremarkbelow": 1, "attnbranch": 1, "attnchar": 1, "parbox": 1,
                           "phantom": 1, "vskip": 0, "label": 1, "hypertarget": 1, "cmidrule": 1}
LATEX_ENVIRONMENT_ARGUMENTS = {"tabular": 1, "tabular*": 2, "minipage": 1, "array": 1, "alignedat": 1, "alignat*": 1}

LATEX_TOKEN = re.compile(r"%[^\n]*\n?|\\([a-zA-Z]+)\*?\s*|\\(.)|([{}$&^_])|([^\\{}$&^_%]+)", re.S)


def read_latex(text):
    """A fragment or a whole document, without what it defines."""
    if "\\begin{document}" in text:
        text = text.split("\\begin{document}", 1)[1].split("\\end{document}")[0]
    else:
        text = text[re.search(r"^\\attn(title|part)\{", text, re.M).start():]
    reader = _Latex(text)
    reader.walk()
    reader.flush()
    return reader.parts


def latex_math_text(text):
    """A formula as it would be typed."""
    reader = _Latex(text)
    reader.walk()
    reader.flush()
    return " ".join(reader.parts)


class _Latex:
    """Reads from left to right; a tabular that has \\attnhead is a matrix."""

    def __init__(self, text):
        self.text, self.at = text, 0
        self.parts, self.running = [], []
        self.tables = []  # of each tabular around: its rows of cells, whether it is a matrix, what ran before it
        self.go_on = False
        self.is_lying = False  # the next matrix is a vector, shown as a row

    def flush(self):
        line = re.sub(r"\s+", " ", "".join(self.running)).strip()
        self.running.clear()
        if line:
            self.parts.append(line)

    def argument(self):
        """The next {…}, as it stands; an […] before it is dropped."""
        rest = re.compile(r"\s*(\[[^]]*\]\s*)*").match(self.text, self.at)
        self.at = rest.end()
        assert self.text[self.at:self.at + 1] == "{", self.text[self.at - 40:self.at + 20]
        depth, begin = 0, self.at + 1
        while True:
            assert self.at < len(self.text), self.text[begin:begin + 40]
            char = self.text[self.at]
            if char == "\\":
                self.at += 1
            depth += (char == "{") - (char == "}")
            self.at += 1
            if depth == 0:
                return self.text[begin:self.at - 1]

    def walk(self):
        while self.at < len(self.text):
            found = LATEX_TOKEN.match(self.text, self.at)
            assert found, self.text[self.at:self.at + 40]
            self.at = found.end()
            command, escaped, special, letters = found.groups()
            if command:
                self.command(command)
            elif escaped:
                self.escape(escaped)
            elif special == "&":
                self.cell()
            elif special == "^":
                self.raised()
            elif special == "}" and re.match(r"\{(?!\})", self.text[self.at:self.at + 2]):
                self.running.append(" ")
            elif letters:
                self.letters(letters)

    def letters(self, letters):
        for i, paragraph in enumerate(re.split(r"\n\s*\n", letters)):
            if i > 0 and not self.tables:
                self.flush()
            self.running.append(paragraph.replace("''", "″").replace("'", "′").replace("~", " "))

    def raised(self):
        rest = self.text[self.at:]
        if not rest.startswith(("{\\top}", "\\top")):
            self.running.append("^")

    def escape(self, char):
        if char == "\\":
            spacing = re.compile(r"\s*\[[^]]*\]").match(self.text, self.at)
            self.at = spacing.end() if spacing else self.at
            self.row()
        elif char not in "()[]":
            self.running.append(LATEX_SIGNS.get(char, char))

    def command(self, name):
        if name == "begin":
            self.begin(self.argument())
        elif name == "end":
            self.end(self.argument())
        elif name == "frac":
            top, bottom = self.argument(), self.argument()
            self.running.append(f" {latex_math_text(top)} / {latex_math_text(bottom)} ")
        elif name == "char":
            number = re.compile(r"\d+").match(self.text, self.at)
            self.at = number.end()
            self.running.append(chr(int(number.group())))
        elif name == "boldsymbol" and self.text.startswith("{\\times}", self.at):
            self.argument()
            self.running.append("✗")  # which the fonts of LaTeX do not have
        elif name == "sqrt":
            self.running.append("√" + latex_math_text(self.argument()))
        elif name == "def":
            self.at = self.text.index("{", self.at)
            self.argument()
        elif name == "attnlying":
            self.is_lying = True
            self.running = ["".join(self.running).replace("columns:", "rows:")]
        elif name == "attncaption":
            here, self.running = self.at, [*self.running, " "]
            self.caption = " ".join(latex_math_text(self.argument()) for _ in range(3))
            self.at, self.is_first_place = here, True
        elif name == "attnplace":  # the caption is that of all of them
            if not self.is_first_place:
                self.running.append(f" {self.caption} ")
            self.is_first_place = False
        elif name == "attnhead":
            self.tables[-1]["matrix"] = True
        elif name == "attncolumns" and not re.match(r"\{columns? 1\b", self.text[self.at:]):
            self.argument()
            self.go_on = True
        elif name == "attncolumns":
            self.argument()
        elif name in LATEX_DROPPED_ARGUMENTS:
            for _ in range(LATEX_DROPPED_ARGUMENTS[name]):
                self.argument()
        elif name in LATEX_SIGNS:
            self.running.append(LATEX_SIGNS[name])
        elif name in LATEX_LAYOUT or name.startswith("attn"):
            if name in ("par", "attnpart", "attntitle", "attnsubpart", "attnderivation"):
                self.running.append(" ")
        else:
            raise AssertionError(f"\\{name} is not known to the reader of LaTeX")

    def begin(self, name):
        arguments = [self.argument() for _ in range(LATEX_ENVIRONMENT_ARGUMENTS.get(name, 0))]
        if name == "tabular":
            has_labels = "{}l@" in arguments[0]
            self.tables.append({"rows": [[]], "matrix": False, "before": self.running, "labels": has_labels})
            self.running = []

    def cell(self):
        if self.tables:
            text = re.sub(r"\s+", " ", "".join(self.running)).strip()
            self.tables[-1]["rows"][-1].append(text)
            self.running = []
        else:
            self.running.append(" ")

    def row(self):
        self.cell()
        if self.tables:
            self.tables[-1]["rows"].append([])

    def end(self, name):
        if name != "tabular":
            self.running.append(" ")
            return
        self.cell()
        table = self.tables.pop()
        self.running = table["before"]
        rows = [row for row in table["rows"] if any(row)]
        if not table["matrix"]:
            self.running += [" " + cell for row in rows for cell in row]
            return
        if not table["labels"]:  # they are those of the matrix that it stands beside
            labels = [label for label, _ in matrices(self.parts)[-1].rows]
            rows = [["", *rows[0]], *([label, *row] for label, row in zip(labels, rows[1:]))]
        matrix = Matrix(rows[0][1:], [(row[0], row[1:]) for row in rows[1:]])
        if self.is_lying:
            [(label, cells)] = matrix.rows
            matrix = Matrix([label], [(column, [cell]) for column, cell in zip(matrix.columns, cells)])
            self.is_lying = False
        if self.go_on:
            before = matrices(self.parts)[-1]
            before.columns += matrix.columns
            for (_, cells), (_, more) in zip(before.rows, matrix.rows):
                cells += more
            self.go_on = False
        else:
            self.parts.append(matrix)


# --- Markdown -------------------------------------------------------------------


def read_markdown(text):
    """What the format markdown writes, in any of its ways to write formulas."""
    parts, lines, at = [], text.split("\n"), 0
    while at < len(lines):
        line = lines[at]
        if line.startswith(("```", "$$")):
            end = next(i for i in range(at + 1, len(lines)) if lines[i] == line[:3].rstrip("m"))
            inside = "\n".join(lines[at + 1:end])
            parts += [inside] if line in ("```", "```text") else [latex_math_text(inside)]
            at = end
        elif line.startswith("|"):
            end = at
            while end < len(lines) and lines[end].startswith("|"):
                end += 1
            rows = [[_markdown_words(cell.strip()) for cell in row.strip("|").split("|")] for row in lines[at:end]]
            del rows[1]
            parts += [Matrix(rows[0][1:], [(row[0], row[1:]) for row in rows[1:]])] if not rows[0][0] else [
                cell for row in rows for cell in row]
            at = end - 1
        else:
            line = re.sub(r"^(#+ |> \*\*Note:\*\* |\s*[-*] )", "", line)
            parts.append(_markdown_words(line.rstrip("\\")))
        at += 1
    return [part for part in parts if part]


MARKDOWN_TOKEN = re.compile(r"\$`(?P<github>.*?)`\$|(?P<ticks>`+)(?P<code>.*?)(?P=ticks)|\$(?P<math>[^$]+)\$"
                            r"|\\(?P<escaped>[!-/:-@[-`{-~])|</?span>|\*+|(?P<entity>&#?\w+;)|(?P<letters>.)", re.S)


def _markdown_words(text):
    out = []
    for found in MARKDOWN_TOKEN.finditer(text):
        kind = found.lastgroup
        if kind in ("github", "math"):
            out.append(latex_math_text(found[kind]))
        elif kind in ("escaped", "letters") or found["code"] is not None:
            out.append(found["code"] or found[kind])
        elif kind == "entity":
            out.append(html.unescape(found["entity"]))
    return "".join(out)


# --- the program ----------------------------------------------------------------


def matrices_in(data):
    """Every matrix of numbers in a trace or a problem, however deep; a vector as one row, and as one column."""
    if isinstance(data, dict):
        data = list(data.values())
    if not isinstance(data, list) or not data:
        return
    is_vector = lambda one: isinstance(one, list) and one and not isinstance(one[0], (list, dict))
    if is_vector(data):
        yield [data]
        yield [[one] for one in data]
    elif all(map(is_vector, data)):
        yield data
    for part in data:
        yield from matrices_in(part)


def rounded_is(numbers, matrix):
    """Whether these numbers, rounded as the matrix has them, are what it shows."""
    rows = [cells for _, cells in matrix.rows]
    if [len(row) for row in rows] != [len(row) for row in numbers]:
        return False
    return all(same_number(a, b) for row, cells in zip(numbers, rows) for a, b in zip(row, cells))


def same_number(number, shown):
    shown = shown.replace("−", "-").replace("∞", "inf")
    if not isinstance(number, (int, float)) or shown.strip("-") in ("inf", "NaN"):
        return str(number).lower() == shown.lower()
    decimals = len(shown.partition(".")[2]) if "e" not in shown else None
    if decimals is None:
        return f"{number:.{len(shown.partition('.')[2].partition('e')[0])}e}" == f"{float(shown):e}"
    return float(f"{number:.{decimals}f}") == float(shown)
