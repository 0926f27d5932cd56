"""The page of --format html in a browser: pointing, keys, slider, hiding, and the sums it writes."""

import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.parse
from collections import Counter

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "property"))

import every_feature
import small_blocks
from browser import CHOSEN, open_browser, skip_without_browser

ATTN = os.path.abspath(os.environ["ATTN"])
ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
PROBLEMS = ["worked-example", "worked-example-causal", "worked-example-rounded", "worked-example-scaled",
            "tom-yeh-three-heads", "masks-together", "cross-attention", "ragged-batch", "rao-manish-two-heads",
            "two-heads-shared-matrix", "jalammar-thinking-machines"]

FEATURES = ["columns", "concat", "a cache and appended keys", "rope of two of four", "relative", "deberta",
            "a sink", "linear", "scale and softcap"]

# What takes minutes to see is seen whole in one browser, and of the other a part.
PART = 4 if CHOSEN == "firefox" else 1

# Points at a cell as a mouse does, and says what the page shows then.
POINT = """
const point = (cell) => {
  cell.dispatchEvent(new PointerEvent("pointerover", {bubbles: true, pointerType: "mouse"}));
  const line = document.querySelector("output.sum .arithmetic");
  return line ? line.textContent : null;
};
const numbers = JSON.parse(document.getElementById("numbers").textContent).matrices;
const offset = (cell) => {
  const matrix = numbers[cell.closest("table").dataset.matrix];
  return [matrix.step,
          matrix.first + cell.parentNode.sectionRowIndex * matrix.row + (cell.cellIndex - 1) * matrix.column];
};
const cellsOf = (table) => [...table.tBodies[0].querySelectorAll("td")];
const cellAt = (step, at) => {
  for (const table of document.querySelectorAll("table[data-matrix]")) {
    if (numbers[table.dataset.matrix].step !== step) continue;
    for (const cell of cellsOf(table)) if (offset(cell)[1] === at) return cell;
  }
  return null;
};
"""


def attn(*words):
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
    done = subprocess.run([ATTN, *words], capture_output=True, encoding="utf-8", env=environment, timeout=120)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return done.stdout


FORTY = {"title": "Forty tokens", "tokens": [f"token {i}" for i in range(1, 41)],
         "inputs": {"random": "normal", "shape": [40, 4], "seed": 1},
         "weights": {name: {"random": "normal", "shape": [4, 4], "seed": seed}
                     for seed, name in enumerate(("query", "key", "value"), 2)}}
FOLDER = tempfile.TemporaryDirectory(prefix="attn-features-")
WRITTEN = every_feature.write(FOLDER.name, FEATURES)
WRITTEN.update(every_feature.write(FOLDER.name, all_problems=small_blocks.problems()))
WRITTEN["forty"] = os.path.join(FOLDER.name, "forty.json")
with open(WRITTEN["forty"], "w", encoding="utf-8") as forty:
    json.dump(FORTY, forty)


def problem(name):
    return WRITTEN.get(name) or os.path.join(ROOT, "data", name + ".json")


def index_of(shape, offset):
    index = []
    for size in reversed(shape):
        index.insert(0, offset % size + 1)
        offset //= size
    return index


def name_of(step, shape, offset):
    inside = ",".join(str(i) for i in index_of(shape, offset))
    return f"{step}[{inside}]" if shape else step


def unwrapped(text):
    """Lines of the program's text, those that go on below, further in, joined again."""
    lines, indent = [], None  # of the last line of arithmetic
    for line in text.split("\n"):
        inside = len(line) - len(line.lstrip())
        if re.match(r"\s*(?:[^\W\d]|‖)\S* [=≈] ", line):
            lines.append(line.strip())
            indent = inside
        elif indent is not None and line.strip() and inside > indent:
            lines[-1] += " " + line.strip()
        else:
            lines.append(line.strip())
            indent = None
    return lines


def sides(equation):
    """The numbers of a line of arithmetic, without its name and without q₁·k₂; and its remark."""
    equation = re.sub(r"\s+", " ", equation).strip()
    remark = re.search(r" \(([^()]*)\)$", equation)
    remark = remark.group(1) if remark and re.search("[a-z]", remark.group(1)) else ""
    if remark:
        equation = equation[:equation.rindex(" (")]
    parts = re.split(r" ([=≈]) ", equation)
    told = list(zip(parts[1::2], parts[2::2]))
    words = re.compile(r"max\(|min\(|sink|tanh\(|erf\(|sin\(|cos\(|more|e\^|NaN|½|π")
    numeric = [(relation, text) for relation, text in told if not re.search(r"[^\W\d_]", words.sub("", text))]
    if numeric and numeric[0] is not told[0]:
        numeric[0] = ("=", numeric[0][1]) if len(numeric) > 1 else numeric[0]
    return numeric, remark_meaning(remark)


def remark_meaning(remark):
    """Remarks of the program say more than those of the page: how a number was rounded."""
    rounded = re.match(r"(\S+?),? (rounded|cut)\b", remark)
    return rounded.group(1) if rounded else remark


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="attn-page-")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.browser = open_browser()
        cls.addClassCleanup(cls.browser.close)
        cls.pages = {}

    def page(self, name, *options):
        key = " ".join([name, *options])
        if key not in self.pages:
            path = os.path.join(self.folder, f"{len(self.pages)}.html")
            attn("run", problem(name), *options, "-o", path)
            self.pages[key] = path
        return self.pages[key]

    def open(self, name, *options, hash=""):
        self.browser.open(self.page(name, *options), hash)

    def run_script(self, script, *arguments):
        return self.browser.run(POINT + script, *arguments)

    def tearDown(self):
        self.assertEqual(self.browser.complaints(), [])


class Sums(PageTest):
    def written(self):
        """What is written for each cell of each matrix of the page: {step: (shape, {offset: line})}.

        Nothing is shown meanwhile: the page would be laid out anew for each cell.
        """
        told = self.run_script("""
            document.body.style.display = "none";
            return [...document.querySelectorAll("table[data-matrix]")].map((table) => {
              const matrix = numbers[table.dataset.matrix];
              return [matrix.step, matrix.shape, matrix.op.kind,
                      cellsOf(table).map((cell) => [offset(cell)[1], point(cell)])];
            });""")
        steps = {}
        for step, shape, kind, lines in told:
            steps.setdefault(step, (shape, kind, {}))[2].update((at, line) for at, line in lines)
        return steps

    def test_every_sum_is_that_of_the_program(self):
        compared = sum(self.compare(name) for name in (PROBLEMS + FEATURES)[::PART])
        self.assertGreater(compared, 1000 / PART)

    def test_every_sum_of_a_block_is_that_of_the_program(self):
        for activation in ("relu", "gelu", "gelu-tanh", "silu", "swiglu", "geglu")[::PART]:
            self.compare("block-" + activation, cell_by_cell=("map", "gate", "normalize"))

    def test_every_sum_of_an_online_softmax_is_that_of_the_program(self):
        blocks = {"worked-example": "", "worked-example-causal": "", "worked-example-scaled": ":1"}
        for name in list(blocks)[::PART]:
            self.compare(name, "--algorithm", "online" + blocks[name], cell_by_cell=("online",))

    def compare(self, name, *options, cell_by_cell=()):
        """How many lines of the page were compared; of these kinds of operations all there are."""
        compared = 0
        self.open(name, *options)
        for step, (shape, kind, lines) in self.written().items():
            self.assertEqual(set(lines), set(range(len(lines))), f"{name}: {step} is not whole")
            if kind == "given":
                self.assertTrue(all(line.endswith("(given)") for line in lines.values()), f"{name}: {step}")
                continue
            of_step = self.compare_with_derivation(name, step, lines, *options)
            if kind in cell_by_cell:
                self.assertEqual(of_step, math.prod(shape), f"{name}: {step}")
            self.compare_with_why(name, step, shape, lines, *options)
            self.assertFalse([line for line in lines.values() if "the cell says" in line], f"{name}: {step}")
            compared += of_step
        return compared

    def compare_with_derivation(self, name, step, lines, *options):
        """The lines of the step as the program tells all of it, those of one name in order of heads and sequences."""
        told, written = {}, {}
        for line in unwrapped(attn("why", problem(name), step, *options)):
            found = re.match(r"(\S+) [=≈] ", line)
            if found:
                told.setdefault(found.group(1), []).append(line)
        for at in sorted(lines):
            written.setdefault(lines[at].split(" ")[0], []).append(lines[at])
        compared = 0
        for cell, expected in told.items():
            if len(expected) != len(written.get(cell, [])):
                continue  # told row by row
            for one, other in zip(expected, written[cell]):
                (expected_sides, remark), (found_sides, found_remark) = sides(one), sides(other)
                self.assertEqual(found_sides, expected_sides, f"{name}: {step}")
                if remark:
                    self.assertEqual(found_remark, remark, f"{name}: {step}")
                compared += 1
        return compared

    def compare_with_why(self, name, step, shape, lines, *options):
        """A few numbers one by one."""
        for at in sorted({0, len(lines) // 2, len(lines) - 1}):
            cell = name_of(step, shape, at)
            index = re.escape(cell[len(step):])
            answer = [line for line in unwrapped(attn("why", problem(name), cell, "--depth", "0", *options))
                      if re.match(rf"[^\s\[]+{index} [=≈] ", line)]
            (expected, remark), (found, found_remark) = sides(answer[-1]), sides(lines[at])
            self.assertEqual(found, expected, f"{name}: {cell}")
            if found_remark == "every cell is closed" and remark.startswith("closed by "):
                continue  # where there is but one cell, why says what closes it
            self.assertTrue(remark.startswith(found_remark), f"{name}: {cell}: {found_remark}, not {remark}")


    def test_a_long_sum_is_cut_where_it_is_pointed_at_and_whole_in_its_why(self):
        self.open("eight-heads-batch")
        pointed, opened = self.run_script("""
            const cell = cellAt("projected_queries", 0);
            const pointed = point(cell);
            cell.click();
            return [pointed, document.querySelector("dialog .arithmetic").textContent];""")
        self.assertIn("×0.0827 … 49 more … + 1.1767×", pointed)
        self.assertEqual(pointed.count("×"), 15)
        self.assertEqual(opened.count("×"), 64)
        whole = unwrapped(attn("why", problem("eight-heads-batch"), "projected_queries[1,1,1]", "--depth", "0"))
        self.assertEqual(sides(opened), sides([line for line in whole if "×" in line][-1]))

    def test_what_is_not_in_the_page_is_said(self):
        path = os.path.join(self.folder, "step.html")
        attn("why", problem("worked-example"), "scores", "-o", path)
        self.browser.open(path)
        self.assertEqual(self.run_script('return point(cellAt("scores", 1));'),
                         "S[1,2] = 4 (the numbers that it was made from are not in this page)")


class Lights(PageTest):
    def lit(self, step, at):
        """What is lit when that cell is pointed at: {class: {(step, offset)}}."""
        found = self.run_script("""
            point(cellAt(...arguments));
            const lit = {};
            for (const cell of document.querySelectorAll("td[class*='lit-'], td.asked")) {
              for (const name of cell.classList) {
                if (name.startsWith("lit-") || name === "asked") (lit[name] ??= []).push(offset(cell));
              }
            }
            return lit;""", step, at)
        return {name: {tuple(cell) for cell in cells} for name, cells in found.items()}

    def test_a_score_lights_its_row_of_queries_and_of_keys(self):
        self.open("worked-example")
        for query in range(3):
            for key in range(3):
                self.assertEqual(self.lit("scores", 3 * query + key), {
                    "asked": {("scores", 3 * query + key)},
                    "lit-0": {("queries", 3 * query + i) for i in range(3)},
                    "lit-1": {("keys", 3 * key + i) for i in range(3)}})

    def test_a_query_lights_its_input_and_a_column_of_weights(self):
        self.open("worked-example")
        self.assertEqual(self.lit("queries", 5), {
            "asked": {("queries", 5)},
            "lit-0": {("inputs", 4 + i) for i in range(4)},
            "lit-1": {("weights.query", 2 + 3 * i) for i in range(4)}})

    def test_what_is_lit_is_what_why_names(self):
        for name, cells in [("tom-yeh-three-heads", ["scores[2,1,2]", "queries[3,2,4]", "attention_weights[1,2,3]"]),
                            ("masks-together", ["masked_scores[2,1]", "exponentials[4,2]", "row_maximum[3]"]),
                            ("ragged-batch", ["keys[2,3,1]", "scores[1,2,2]"]),
                            ("rao-manish-two-heads", ["concat[1,2,6]", "output[1,1,2]", "scores[1,2,1,3]"])]:
            self.open(name)
            shapes = dict(self.run_script("return numbers.map((matrix) => [matrix.step, matrix.shape]);"))
            steps = dict(self.run_script("return numbers.map((matrix) => [matrix.symbol, matrix.step]);"))
            for cell in cells:
                step, inside = cell[:-1].split("[")
                index = [int(i) - 1 for i in inside.split(",")]
                at = 0
                for i, size in zip(index, shapes[step]):
                    at = at * size + i
                lit = self.lit(step, at)
                read = set().union(*(found for kind, found in lit.items() if re.match(r"lit-\d", kind)))
                named = {name_of(step, shapes[step], at) for step, at in read}
                self.assertEqual(named, self.named_by_why(name, cell, steps), f"{name}: {cell}")

    def named_by_why(self, name, cell, steps):
        """The cells below a number, one level down, by the ids of these symbols; "K[1…3,2]" is three."""
        named = set()
        for line in attn("why", problem(name), cell, "--depth", "1", "--full").split("\n"):
            found = re.match(r"  [├└] (\S+) [=≈]", line)
            if found:
                symbol, inside = found.group(1).split("[")
                step = steps.get(symbol, symbol)
                if step != "mask" and not step.startswith("mask."):
                    named |= set(spread(step + "[" + inside))
        return named

    def test_words_say_what_is_lit(self):
        self.open("worked-example")
        words = self.run_script("""
            const cell = cellAt("scores", 1);
            point(cell);
            return document.querySelector("output.sum .reading").textContent;""")
        self.assertEqual(words, "row Input 1 of Q · row Input 2 of K")

    def test_words_stand_between_quotes_in_the_words_of_a_sum(self):
        self.open("twelve-words")
        words = self.run_script("""
            point(cellAt("attention_weights", 1));
            return document.querySelector("output.sum .reading").textContent;""")
        self.assertIn("row “the”", words)

    def test_a_context_lights_its_weights_and_a_column_of_values(self):
        self.open("worked-example")
        self.assertEqual(self.lit("context", 1), {
            "asked": {("context", 1)},
            "lit-0": {("attention_weights", i) for i in range(3)},
            "lit-1": {("values", 1 + 3 * i) for i in range(3)}})
        words = self.run_script("""
            return document.querySelector("output.sum .reading").textContent;""")
        self.assertEqual(words, "row Input 1 of A · column 2 of V: 0.0634×2 + 0.4683×8 + 0.4683×6")

    def test_weighted_values_that_can_be_seen_are_what_a_context_lights(self):
        self.open("worked-example")
        self.run_script('document.getElementById("behind").open = true;')
        self.assertEqual(self.lit("context", 1)["lit-0"], {("weighted_values", 1 + 3 * i) for i in range(3)})

    def test_lights_go_out_when_the_pointer_leaves(self):
        self.open("worked-example")
        self.lit("scores", 1)
        left = self.run_script("""
            document.querySelector("h1").dispatchEvent(
              new PointerEvent("pointerover", {bubbles: true, pointerType: "mouse"}));
            return [document.querySelectorAll("[class*='lit-'], .asked").length, document.querySelector("output.sum").textContent];""")
        self.assertEqual(left, [0, ""])

    def test_a_row_of_weights_picks_out_its_arcs(self):
        self.open("worked-example")
        self.assertEqual(self.run_script("""
            point(cellAt("attention_weights", 4));
            const now = (where) => [...document.querySelectorAll(where)].map((at) => at.dataset.row);
            const picked = now("svg.picking g.of-query.now");
            point(cellAt("inputs", 0));
            return [picked, now("g.of-query.now")];"""), [["1"], []])


def spread(name):
    """"keys[1…3,2]" as keys[1,2], keys[2,2], keys[3,2]."""
    if "[" not in name:
        return [name]
    step, inside = name[:-1].split("[")
    names = [step + "["]
    for i, part in enumerate(inside.split(",")):
        ends = [int(end) for end in part.split("…")]
        names = [known + ("," if i else "") + str(at) for known in names for at in range(ends[0], ends[-1] + 1)]
    return [known + "]" for known in names]


class Changes(PageTest):
    def sum_after(self, step, at, changed, offset, text):
        return self.run_script("""
            const [step, at, changed, place, text] = arguments;
            cellAt(changed, place).textContent = text;
            return point(cellAt(step, at));""", step, at, changed, offset, text)

    def test_a_changed_weight_of_attention_changes_the_sum(self):
        self.open("worked-example")
        self.run_script('cellAt("weighted_values", 0)?.closest("details")?.setAttribute("open", "");')
        before = self.run_script('return point(cellAt("weighted_values", 0));')
        after = self.sum_after("weighted_values", 0, "attention_weights", 0, "0.5")
        self.assertIn("0.0634", before)
        self.assertEqual(after, "U[1,1,1] = 0.5 × 1 = 0.5 (the cell says 0.0634)")

    def test_a_changed_weight_matrix_changes_the_sum(self):
        self.open("worked-example")
        self.assertEqual(self.run_script('return point(cellAt("keys", 0));'), "K[1,1] = 1×0 + 0×1 + 1×0 + 0×1 = 0")
        self.assertEqual(self.sum_after("keys", 0, "weights.key", 0, "−7"),
                         "K[1,1] = 1×(−7) + 0×1 + 1×0 + 0×1 = −7 (the cell says 0)")
        self.assertEqual(self.run_script('return point(cellAt("keys", 1));'), "K[1,2] = 1×0 + 0×1 + 1×1 + 0×1 = 1")

    def test_a_number_changed_in_the_file_counts_too(self):
        with open(self.page("worked-example"), encoding="utf-8") as file:
            text = file.read()
        self.assertIn(">0.0634</td>", text)
        path = os.path.join(self.folder, "edited.html")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace(">0.0634</td>", ">0.5</td>"))
        self.browser.open(path)
        self.assertEqual(self.run_script('return point(cellAt("weighted_values", 1));'),
                         "U[1,1,2] = 0.5 × 2 = 1 (the cell says 0.1268)")

    def test_a_changed_number_is_shown_in_its_why_and_below(self):
        self.open("worked-example")
        self.sum_after("queries", 0, "weights.query", 0, "2.5")
        self.assertEqual(self.run_script("""
            cellAt("scores", 0).click();
            return [...document.querySelectorAll("dialog .arithmetic")].map((line) => line.textContent)
              .find((line) => line.startsWith("W_Q[1…4,1]"));"""),
                         "W_Q[1…4,1] = [2.5, 1, 0, 0] (given)")


class Keys(PageTest):
    def press(self, *keys):
        self.browser.press(*keys)

    def focus(self, step, at):
        """From the first number of the step to that one, as a person gets there."""
        self.run_script('cellAt(arguments[0], 0).focus();', step)
        self.press(*["ArrowRight"] * at)

    def where(self):
        return self.run_script("""
            const at = document.activeElement;
            return at.tagName === "TD" ? offset(at) : at.tagName;""")

    def test_a_table_is_one_stop_and_arrows_go_through_it(self):
        self.open("worked-example")
        stops = self.run_script("""
            return [...document.querySelectorAll("table[data-matrix]")]
              .map((table) => table.querySelectorAll("td[tabindex='0']").length);""")
        self.assertEqual(set(stops), {1})
        self.run_script('cellAt("scores", 0).focus();')
        for key, at in [("ArrowRight", 1), ("ArrowDown", 4), ("End", 5), ("ArrowRight", 5), ("Home", 3),
                        ("ArrowUp", 0), ("ArrowLeft", 0), ("ArrowDown", 3)]:
            self.press(key)
            self.assertEqual(self.where(), ["scores", at], key)
        self.assertEqual(self.run_script("""
            return document.querySelector("output.sum .arithmetic").textContent;"""),
                         "S[2,1] = 2×0 + 2×1 + 2×1 = 4")
        self.press("Tab")
        self.assertNotEqual(self.where(), ["scores", 3])
        self.press("Shift+Tab")
        self.assertEqual(self.where(), ["scores", 3])

    def test_tab_alone_reaches_a_first_number(self):
        self.open("worked-example")
        for _ in range(30):
            self.press("Tab")
            if isinstance(self.where(), list):
                break
        self.assertEqual(self.where(), ["inputs", 0])

    def test_enter_opens_why_and_escape_closes_it(self):
        self.open("worked-example")
        self.focus("context", 1)
        self.press("Enter")
        dialog = self.run_script("""
            const dialog = document.querySelector("dialog.why[open]");
            const title = document.getElementById(dialog.getAttribute("aria-labelledby"));
            return [title.textContent, [...dialog.querySelectorAll(".arithmetic")].map((line) => line.textContent),
                    dialog.contains(document.activeElement)];""")
        self.assertIn("C[1,2]", dialog[0])
        self.assertEqual(dialog[1][0], "C[1,2] = 0.1268 + 3.7465 + 2.8099 ≈ 6.6831")
        self.assertIn("U[1,1,2] = 0.0634 × 2 ≈ 0.1268", dialog[1])
        self.assertTrue(dialog[2])
        self.press("Escape")
        self.assertEqual(self.where(), ["context", 1])
        self.assertEqual(self.run_script('return document.querySelectorAll("dialog").length;'), 0)

    def test_the_tree_goes_back_to_what_is_given(self):
        self.open("worked-example")
        lines = self.run_script("""
            cellAt("context", 1).click();
            const dialog = document.querySelector("dialog.why");
            for (let i = 0; i < 20; ++i) dialog.querySelectorAll("details").forEach((one) => one.unfold());
            return [...dialog.querySelectorAll(".arithmetic")].map((line) => line.textContent);""")
        told = attn("why", problem("worked-example"), "context[1,2]", "--full")
        expected = set(re.findall(r"[├└] ([^\s,]+\[\S+?\])", told))
        expected = {one for name in expected for one in spread(name)}
        self.assertLessEqual(expected, {one for line in lines for one in spread(line.split(" ")[0])})

    def test_a_finger_lights_first_and_opens_then(self):
        self.open("worked-example")
        self.assertEqual(self.run_script("""
            const cell = cellAt("scores", 1);
            const tap = () => {
              for (const name of ["pointerover", "pointerdown", "pointerup"])
                cell.dispatchEvent(new PointerEvent(name, {bubbles: true, pointerType: "touch"}));
              cell.click();
              return [cell.classList.contains("asked"), document.querySelectorAll("dialog[open]").length];
            };
            return [tap(), tap()];"""), [[True, 0], [False, 1]])


class Lecture(PageTest):
    def shown(self):
        return self.run_script("""
            const slider = document.querySelector("#controls input[type=range]");
            const stops = [...document.querySelectorAll(".stop")];
            const place = (name) => stops.flatMap((stop, i) => stop.classList.contains(name) ? [i + 1] : []);
            const seen = stops.flatMap((stop, i) => stop.checkVisibility() ? [i + 1] : []);
            return {value: Number(slider.value), max: Number(slider.max), words: slider.getAttribute("aria-valuetext"),
                    now: place("now"), later: place("later"), seen, hash: location.hash};""")

    def test_the_slider_goes_from_stop_to_stop(self):
        self.open("worked-example")
        start = self.shown()
        count = start["max"]
        self.assertGreater(count, 5)
        self.assertEqual((start["value"], start["words"], start["now"], start["later"]), (0, "all", [], []))
        self.assertEqual(start["seen"], list(range(1, count + 1)))
        self.run_script("""
            const slider = document.querySelector("#controls input[type=range]");
            slider.value = 3;
            slider.dispatchEvent(new Event("input"));""")
        at = self.shown()
        self.assertEqual((at["now"], at["later"], at["seen"], at["hash"]),
                         ([3], list(range(4, count + 1)), [1, 2, 3], "#stop-3"))
        self.assertTrue(at["words"].startswith(f"3 of {count}: "), at["words"])

    def test_buttons_and_keys_go_along(self):
        self.open("worked-example")
        def go(word):
            self.run_script("""
                const buttons = [...document.querySelectorAll("#controls button")];
                buttons.find((one) => one.textContent.includes(arguments[0])).click();""", word)
        steps = [lambda: go("Next"), lambda: go("Next"), lambda: go("Previous"), lambda: self.browser.press("n"),
                 lambda: self.browser.press("n"), lambda: self.browser.press("p")]
        values = []
        for step in steps:
            step()
            values.append(self.shown()["value"])
        self.assertEqual(values, [1, 2, 1, 2, 3, 2])
        self.run_script('document.querySelector("#controls input[type=range]").focus();')
        self.browser.press("PageDown")
        self.assertEqual(self.shown()["value"], 3)
        self.browser.press("PageUp")
        self.browser.press("ArrowRight")
        self.assertEqual(self.shown()["value"], 3)

    def test_the_address_leads_to_a_step(self):
        self.open("tom-yeh-three-heads", hash="#stop-9")
        at = self.shown()
        self.assertEqual((at["value"], at["now"]), (9, [9]))
        self.assertIn(9, at["seen"])

    def test_every_stop_can_be_seen_when_it_is_its_turn(self):
        self.open("ragged-batch")
        unseen = self.run_script("""
            const slider = document.querySelector("#controls input[type=range]");
            const unseen = [];
            for (let stop = 1; stop <= Number(slider.max); ++stop) {
              slider.value = stop;
              slider.dispatchEvent(new Event("input"));
              if (!document.querySelector(".stop.now").checkVisibility()) unseen.push(stop);
            }
            return unseen;""")
        self.assertEqual(unseen, [])


class Answers(PageTest):
    def button(self, word):
        self.run_script("""
            [...document.querySelectorAll("#controls button")].find((one) => one.textContent === arguments[0]).click();
            """, word)

    def texts(self):
        return self.run_script("""
            return [...document.querySelectorAll("table[data-matrix] tbody td")].map((cell) =>
              [offset(cell)[0], cell.textContent.trim(), cell.classList.contains("veiled"), cell.ariaLabel]);""")

    def test_hiding_takes_every_computed_number_away_and_brings_it_back(self):
        self.open("worked-example", "--explain", "cells")
        before = self.texts()
        body = self.run_script('return document.getElementById("lecture").innerHTML;')
        self.button("Hide answers")
        given = {"inputs", "weights.key", "weights.query", "weights.value"}
        for step, text, veiled, label in self.texts():
            expected = (False, False, None) if step in given else (True, True, "hidden")
            self.assertEqual((veiled, text == "", label), expected, step)
        visible = self.run_script('return document.getElementById("lecture").innerText;')
        for answer in ["0.4683", "6.6831", "0.1353", "7.9640"]:
            self.assertNotIn(answer, visible)
        self.button("Reveal all")
        self.assertEqual(self.texts(), before)
        self.assertEqual(self.run_script('return document.getElementById("lecture").innerHTML;')
                         .replace(' class=""', ""), body.replace(' class=""', ""))

    def test_pressing_shows_one_answer(self):
        self.open("worked-example")
        self.button("Hide answers")
        self.run_script('cellAt("scores", 0).focus();')
        self.browser.press("ArrowRight")
        self.assertEqual(self.run_script('return point(cellAt("scores", 1));'), "S[1,2] is hidden: press it to see it")
        self.browser.press("Enter")
        self.assertEqual(self.run_script("""
            return [cellAt("scores", 1).textContent, cellAt("scores", 0).textContent.trim(),
                    document.querySelectorAll("dialog[open]").length];"""), ["4", "", 0])

    def test_no_line_gives_away_what_is_hidden(self):
        self.open("worked-example")
        self.button("Hide answers")
        self.run_script('cellAt("scores", 1).click();')
        self.assertEqual(self.run_script('point(cellAt("inputs", 0)); return point(cellAt("scores", 1));'),
                         "S[1,2] = ?×? + ?×? + ?×? = 4")
        self.browser.press("Enter")
        lines = self.run_script("""
            return [...document.querySelectorAll("dialog .arithmetic")].map((line) => line.textContent);""")
        self.assertEqual(lines[0], "S[1,2] = ?×? + ?×? + ?×? = 4")
        self.assertTrue(lines[1:] and all(line.endswith("is hidden") for line in lines[1:]), lines)

    def test_an_answer_still_counts_while_hidden(self):
        self.open("worked-example")
        whole = self.run_script('return point(cellAt("scores", 1));')
        self.button("Hide answers")
        self.button("Reveal all")
        self.assertEqual(self.run_script('point(cellAt("inputs", 0)); return point(cellAt("scores", 1));'), whole)


class TheRest(PageTest):
    def test_nothing_but_the_file_is_asked_for(self):
        for name in ["worked-example", "ragged-batch"]:
            self.open(name)
            self.run_script('cellAt(numbers[0].step, 0).click();')
            self.assertEqual([url for url in self.browser.requests() if not url.startswith("about:")],
                             ["file://" + self.page(name)])

    def test_without_script_all_numbers_stand_and_no_control_is_dead(self):
        tell = """return [[...document.querySelectorAll("table[data-matrix] td")].map((cell) => cell.textContent),
                          document.querySelectorAll("button, input, [tabindex='0'], output").length];"""
        self.open("worked-example")
        told, controls = self.run_script(tell)
        self.assertGreater(controls, 0)
        self.browser.set_script(False)
        try:
            self.open("worked-example")
        finally:
            self.browser.set_script(True)
        self.assertEqual(self.run_script(tell), [told, 0])

    def test_paper_has_all_unfolded(self):
        self.open("tom-yeh-three-heads")
        self.assertEqual(self.run_script("""
            const open = () => document.querySelectorAll("details[open]").length;
            const before = open();
            dispatchEvent(new Event("beforeprint"));
            const all = open() === document.querySelectorAll("details").length;
            dispatchEvent(new Event("afterprint"));
            return [all, open() === before];"""), [True, True])

    def test_a_small_map_leads_to_its_numbers(self):
        self.open("tom-yeh-three-heads")
        self.assertEqual(self.run_script("""
            const links = [...document.querySelectorAll(".overview a")];
            const link = links.at(-1);
            link.click();
            return [links.length, link.getAttribute("href").slice(1)];""")[0], 3)
        self.assertTrue(self.browser.eventually("""
            const link = [...document.querySelectorAll(".overview a")].at(-1);
            return document.querySelector(link.getAttribute("href")).checkVisibility();"""))

    def test_a_long_page_is_a_few_screens_with_its_steps_folded_up_and_nothing_lost(self):
        self.browser.resize(1280, 800)
        self.open("twelve-words")
        height, width, folds, cells = self.run_script("""
            const root = document.documentElement;
            return [root.scrollHeight, root.scrollWidth, document.querySelectorAll("details.fold:not([open])").length,
                    document.querySelectorAll("table[data-matrix] td").length];""")
        self.assertLessEqual(height, 6 * 800)
        self.assertLessEqual(width, 1280)
        self.assertGreater(folds, 10)
        trace = json.loads(attn("run", problem("twelve-words"), "--format", "json"))
        self.assertGreaterEqual(cells, sum(math.prod(step["shape"]) for step in trace["steps"]))
        open_now = """[...document.querySelectorAll(".folding button")].find((one) => one.textContent === %s).click();
            return document.querySelectorAll("main details:not(#behind):not([open])").length;"""
        self.assertEqual(self.run_script(open_now % '"Open all"'), 0)
        self.assertGreater(self.run_script(open_now % '"Close all"'), 10)

    def test_a_short_page_folds_nothing(self):
        self.open("worked-example")
        self.assertEqual(self.run_script('return document.querySelectorAll("details.fold, .folding").length'), 0)

    def test_heads_stand_side_by_side_where_there_is_room(self):
        tops = """return [...document.querySelectorAll(".heads > details[open]")].map(
                       (one) => one.getBoundingClientRect().top);"""
        self.browser.resize(1280, 800)
        self.open("tom-yeh-three-heads")
        first, second = self.run_script(tops)
        self.assertEqual(first, second)
        self.browser.resize(390, 800)
        first, second = self.run_script(tops)
        self.assertGreater(second, first + 200)
        self.browser.resize(1280, 900)

    def test_no_table_that_is_open_is_cut_where_heads_stand_side_by_side(self):
        looked_at = [(width, name) for width in (1280, 1920) for name in
                     ("ragged-batch", "alibi-twelve-heads", "worked-example", "masks-together", "twelve-words")]
        for width, name in looked_at[::PART]:
            self.browser.resize(width, 900)
            self.open(name)
            self.assertEqual(self.run_script("""
                const boxes = [...document.querySelectorAll(".matrix .scroll")].filter((box) => box.checkVisibility());
                return boxes.filter((box) => box.scrollWidth > box.clientWidth).map((box) => box.textContent.slice(0, 60));"""),
                             [], (name, width))
        self.browser.resize(1280, 900)

    def test_all_that_is_opened_scrolls_in_its_own_box_and_never_the_page(self):
        for width in (1280, 390):
            self.browser.resize(width, 800)
            self.open("eight-heads-batch")
            page, inside, row, column = self.run_script("""
                [...document.querySelectorAll(".folding button")].find((one) => one.textContent === "Open all").click();
                const box = cellAt("concat", 0).closest(".scroll"), table = box.querySelector("table");
                box.scrollTo(500, 0);
                const [outer, name, head, cell] = [box, table.tBodies[0].rows[1].cells[0], table.tHead.rows[0].cells[20],
                                                   table.tBodies[0].rows[1].cells[20]].map((one) => one.getBoundingClientRect());
                const root = document.documentElement;
                return [root.scrollWidth - root.clientWidth, box.scrollWidth > box.clientWidth, name.left - outer.left,
                        head.right - cell.right];""")
            self.assertEqual((page, inside), (0, True), width)
            self.assertLess(abs(row), 3)
            self.assertLess(abs(column), 3)
        self.browser.resize(1280, 900)

    def test_no_page_scrolls_sideways_and_nothing_stands_off_it(self):
        """Closed as it is opened, and with all of it open."""
        looked_at = [(width, name) for width in (1920, 1280, 390, 320)
                     for name in ("score-cosine", "alibi-twelve-heads", "block-by-hand", "ragged-batch", "forty")]
        for width, name in looked_at[::PART]:  # of every page one width at least
            with self.subTest(name, width=width):
                self.browser.resize(width, 800)
                self.open(name)
                self.assertEqual(self.run_script("""
                    const root = document.documentElement;
                    const look = () => root.scrollWidth > root.clientWidth ? ["the page"] :
                        [...document.querySelectorAll("caption, summary, h2, p, figcaption")]
                            .filter((one) => one.checkVisibility() && !one.closest(".scroll, .skip"))
                            .filter((one) => one.getBoundingClientRect().right > root.clientWidth + 1)
                            .map((one) => one.textContent.slice(0, 40));
                    const closed = look();
                    document.querySelectorAll("details").forEach((one) => (one.open = true));
                    return [closed, look()];"""), [[], []], (name, width))
        self.browser.resize(1280, 900)

    def test_a_wide_window_has_two_heads_of_twelve_words_side_by_side(self):
        self.browser.resize(1920, 900)
        self.open("twelve-words")
        first, second = self.run_script("""
            return [...document.querySelectorAll(".heads > details[open]")].map((one) => one.getBoundingClientRect().top);""")
        self.assertEqual(first, second)
        self.browser.resize(1280, 900)

    def test_no_folded_head_stands_beside_an_open_one(self):
        for width in (1280, 1920):
            self.browser.resize(width, 900)
            self.open("eight-heads-batch")
            opened, folded = self.run_script("""
                const heads = [...document.querySelector(".heads").children];
                const is = (open) => heads.filter((one) => one.open === open).map((one) => one.getBoundingClientRect());
                return [Math.max(...is(true).map((box) => box.bottom)), Math.min(...is(false).map((box) => box.top))];""")
            self.assertLessEqual(opened, folded)
        self.browser.resize(1280, 900)

    def test_sequences_are_sections_and_no_heads(self):
        self.open("eight-heads-batch")
        summaries = self.run_script('return [...document.querySelectorAll(".heads > details > summary")].map((one) => one.textContent);')
        self.assertEqual(len(summaries), 16)
        for words in summaries:
            self.assertIn("Head", words)

    def test_a_headline_says_no_more_than_what_is_new_in_its_sequence(self):
        self.open("ragged-batch")
        self.assertEqual(self.run_script("""
            const around = [...document.querySelectorAll(".heads h2 .around")].filter((one) => one.checkVisibility());
            return [around.length > 6, around.filter((one) => one.getBoundingClientRect().width > 1).length];"""), [True, 0])

    def test_small_matrices_stand_side_by_side(self):
        self.open("worked-example")
        tops = self.run_script("""
            return ["scores", "exponentials"].map((step) => cellAt(step, 0).closest("figure").getBoundingClientRect().top);""")
        self.assertEqual(tops[0], tops[1])
        self.assertLessEqual(self.run_script("return document.documentElement.scrollHeight"), 6 * 900)

    def test_a_long_table_that_is_narrow_scrolls_down_only(self):
        self.open("forty")
        self.assertEqual(self.run_script("""
            const box = cellAt("context", 0).closest(".scroll");
            return [box.scrollHeight > box.clientHeight, box.scrollWidth - box.clientWidth];"""), [True, 0])

    def test_a_closed_number_stands_below_the_name_of_its_column(self):
        self.open("worked-example-causal")
        self.assertEqual(self.run_script("""
            const end = (one) => { const range = document.createRange(); range.selectNodeContents(one); return range.getBoundingClientRect().right; };
            const cell = cellAt("attention_weights", 1);
            return [cell.textContent, Math.abs(end(cell) - end(cell.closest("table").tHead.rows[0].cells[2])) < 2];"""), ["0", True])

    def test_on_a_phone_maps_stand_two_a_row(self):
        self.browser.resize(390, 800)
        self.open("ragged-batch")
        first, second, third = self.run_script("""
            return [...document.querySelectorAll(".overview li")].map((one) => one.getBoundingClientRect().top);""")
        self.assertEqual(first, second)
        self.assertGreater(third, first)
        self.browser.resize(1280, 900)

    def test_two_masks_that_are_called_the_same_are_told_apart(self):
        self.open("masks-together")
        rules = self.run_script('return [...new Set([...document.querySelectorAll(".rule")].map((one) => one.textContent))];')
        names = [rule.split(":")[0] for rule in rules]
        self.assertEqual(len(names), len(set(names)))
        self.assertIn("closed by mask M_1", self.run_script("""
            point(cellAt("attention_weights", 6));
            return document.querySelector("output.sum").textContent;"""))

    def test_what_all_heads_make_together_stands_in_none_of_them(self):
        self.open("twelve-words")
        self.assertEqual(self.run_script("""
            const at = (step) => Boolean(cellAt(step, 0).closest("details.place"));
            return [at("scores"), at("context"), at("concat"), at("output")];"""), [True, True, False, False])

    def test_names_of_rows_and_columns_stay_in_place_in_a_table_that_scrolls(self):
        self.browser.resize(600, 700)
        self.open("forty")
        for dx, dy in ((0, 0), (400, 300), (2000, 2000)):
            inside, row, column, corner = self.run_script("""
                const box = cellAt("attention_weights", 0).closest(".scroll");
                box.scrollIntoView({block: "center"});
                box.scrollTo(arguments[0], arguments[1]);
                const table = box.querySelector("table");
                const at = (one) => one.getBoundingClientRect();
                const [outer, head] = [at(box), table.tHead.rows[0].cells];
                const near = (one, side) => Math.abs(at(one)[side] - outer[side]) < 3;
                return [box.scrollWidth > box.clientWidth && box.scrollHeight > box.clientHeight,
                        near(table.tBodies[0].rows[20].cells[0], "left"), near(head[20], "top") || !arguments[1],
                        near(head[0], "left") && (near(head[0], "top") || !arguments[1])];""", dx, dy)
            self.assertEqual([inside, row, column, corner], [True, True, True, True], (dx, dy))
        self.browser.resize(1280, 900)

    def test_the_sum_stands_beside_its_number_and_never_off_the_screen(self):
        looked_at = [(size, name) for size in ((1280, 800), (800, 600), (390, 844))
                     for name in ("twelve-words", "forty", "masks-together")]
        for (width, height), name in looked_at[::PART]:  # each size and each page once at least
            self.browser.resize(width, height)
            self.open(name)
            farthest = 120 if width > 400 else 300  # above the names of the columns, where nothing else is free
            checked, worst = self.run_script("""
                const faults = [];
                let checked = 0;
                const meet = (a, b) => a.left < b.right && a.right > b.left && a.top < b.bottom && a.bottom > b.top;
                const within = (one, box) => one && {left: Math.max(one.left, box.left), top: Math.max(one.top, box.top),
                    right: Math.min(one.right, box.right), bottom: Math.min(one.bottom, box.bottom)};
                const sum = document.querySelector("output.sum");
                for (const step of ["attention_weights", "scores", "context"]) {
                  const table = cellAt(step, 0).closest("table");
                  const box = table.closest(".scroll");
                  for (let at = table.closest("details"); at; at = at.parentElement.closest("details")) at.open = true;
                  const all = cellsOf(table);
                  for (const cell of [all[0], all[1], all[all.length >> 1], all.at(-2), all.at(-1)]) {
                    for (const block of ["start", "center", "end"]) {
                      cell.scrollIntoView({block, inline: "nearest", behavior: "instant"});
                      point(cell);
                      document.dispatchEvent(new Event("scroll"));
                      const view = {left: 0, top: document.getElementById("controls").getBoundingClientRect().bottom,
                                    right: document.documentElement.clientWidth, bottom: innerHeight};
                      const seen = (one) => within(within(one.getBoundingClientRect(), box.getBoundingClientRect()), view);
                      const here = seen(cell);
                      if (here.bottom <= here.top + 5 || here.right <= here.left) continue;  // below the controls
                      ++checked;
                      const its = sum.getBoundingClientRect();
                      const isIn = its.left >= 0 && its.top >= 0 && its.right <= view.right && its.bottom <= innerHeight;
                      const names = [cell.parentNode.cells[0], table.tHead.rows[0].cells[cell.cellIndex]].map(seen);
                      const covers = [here, ...names].map((one) => meet(its, one));
                      const apart = Math.max(its.top - here.bottom, here.top - its.bottom, its.left - here.right,
                                             here.left - its.right);
                      if (!isIn || covers.includes(true) || apart > arguments[0]) faults.push([step, block, isIn, covers, apart]);
                    }
                  }
                }
                return [checked, faults];""", farthest)
            self.assertEqual(worst, [], (width, name))
            self.assertGreater(checked, 25)
        self.browser.resize(1280, 900)

    def test_the_sum_goes_with_its_number_and_is_not_seen_without_it(self):
        self.open("forty")
        self.assertEqual(self.run_script("""
            const cell = cellAt("attention_weights", 0), box = cell.closest(".scroll");
            box.scrollIntoView({block: "center", behavior: "instant"});
            point(cell);
            const sum = document.querySelector("output.sum");
            const before = sum.checkVisibility({visibilityProperty: true});
            box.scrollTo(900, 900);
            document.dispatchEvent(new Event("scroll"));
            return [before, sum.checkVisibility({visibilityProperty: true})];"""), [True, False])

    def test_what_is_multiplied_is_drawn_pair_below_pair(self):
        self.open("worked-example")
        rows = """
            point(cellAt(...arguments));
            return [...document.querySelectorAll(".sum .strips tr")].map((row) => [...row.cells].map((one) => one.textContent));"""
        self.assertEqual(self.run_script(rows, "scores", 1),
                         [["Q", "1", "0", "2"], ["K", "4", "4", "0"], ["×", "4", "0", "0"]])
        self.assertEqual(self.run_script(rows, "context", 1),
                         [["A", "0.0634", "0.4683", "0.4683"], ["V", "2", "8", "6"], ["×", "0.1268", "3.7465", "2.8099"]])
        self.assertEqual(self.run_script(rows, "inputs", 0), [])

    def test_the_row_and_column_of_a_number_are_drawn_in_up_to_their_names(self):
        self.open("worked-example")
        self.assertEqual(self.run_script("""
            const cell = cellAt("scores", 5);
            point(cell);
            const table = cell.closest("table");
            return [[...table.querySelectorAll("th.along")].map((one) => one.textContent),
                    table.querySelectorAll("td.along").length];"""), [["Input 3", "Input 2"], 5])

    def test_a_shade_at_the_edge_says_that_a_table_goes_on(self):
        self.browser.resize(1280, 800)
        self.open("forty")
        shades = """
            const box = cellAt("attention_weights", 0).closest(".scroll");
            box.scrollTo(arguments[0], arguments[1]);
            box.dispatchEvent(new Event("scroll"));
            return ["more-right", "more-down"].map((name) => box.parentElement.classList.contains(name));"""
        self.assertTrue(self.browser.eventually('return document.querySelector(".more-right.more-down") !== null;'))
        self.assertEqual(self.run_script(shades, 0, 0), [True, True])
        self.assertEqual(self.run_script(shades, 9999, 0), [False, True])
        self.assertEqual(self.run_script(shades, 9999, 9999), [False, False])
        self.open("twelve-words")
        self.assertEqual(self.run_script("""
            document.querySelectorAll("details").forEach((one) => (one.open = true));
            return [...document.querySelectorAll(".scroll")].filter((box) => box.scrollWidth > box.clientWidth).length;"""), 0)
        self.browser.resize(1280, 900)

    def test_a_closed_number_says_what_closes_it(self):
        for name, at, words in (("worked-example-causal", 1, "causal"), ("ragged-batch", 2, "lengths")):
            self.open(name)
            for step in ("masked_scores", "exponentials", "attention_weights"):
                said = self.run_script("""
                    const cell = cellAt(arguments[0], arguments[1]);
                    point(cell);
                    return document.querySelector("output.sum").textContent;""", step, at)
                self.assertIn("closed by " + words, said, (name, step))

    def test_a_page_says_without_pointing_which_rules_close_numbers(self):
        self.open("masks-together")
        rules = """
            const figure = cellAt(arguments[0], 0).closest("figure");
            return [...figure.querySelectorAll(".rule")].map((one) => one.textContent);"""
        for step in ("masked_scores", "attention_weights"):
            self.assertEqual(self.run_script(rules, step), ["M1 mask: the problem blocks this cell",
                                                            "Mcausal causal: a query sees no key after its own position",
                                                            "Mlengths lengths: keys past the end of a sequence are padding"])
        self.assertEqual(self.run_script(rules, "scores"), [])
        self.assertIn("(the problem blocks this cell)", self.run_script("""
            point(cellAt("attention_weights", 6));
            return document.querySelector(".sum .reading").textContent;"""))
        self.assertIn("closed by mask M_1 (the problem blocks this cell)", self.run_script("""
            cellAt("attention_weights", 6).click();
            return document.querySelector("dialog .meaning").textContent;"""))

    def test_steps_of_three_axes_are_drawn_a_small_matrix_a_query_side_by_side(self):
        self.browser.resize(1280, 800)
        for name, step, axis in (("twelve-words", "weighted_values", 12), ("score-additive", "score_hidden", 2)):
            self.open(name)
            tops = self.run_script("""
                document.querySelectorAll("details").forEach((one) => (one.open = true));
                const of = numbers.map((matrix, i) => matrix.step === arguments[0] ? i : -1).filter((i) => i >= 0);
                return of.map((i) => document.querySelector(`table[data-matrix="${i}"]`).getBoundingClientRect().top);""", step)
            self.assertGreaterEqual(len(tops), axis, name)
            self.assertEqual(tops[0], tops[1], name)
        self.browser.resize(1280, 900)

    def test_padding_is_no_word(self):
        self.open("ragged-batch")
        rows = self.run_script("""
            return [...document.querySelectorAll("table[data-matrix] tbody tr")].map(
                (row) => [row.cells[0].textContent, row.classList.contains("padding")]);""")
        self.assertTrue(any(is_padding for _, is_padding in rows))
        for name, is_padding in rows:
            self.assertEqual(is_padding, name == "·")

    def test_a_map_is_opened_by_a_key_and_the_keys_go_on_in_its_numbers(self):
        for key in ("Enter", " "):
            self.open("twelve-words")
            self.run_script('[...document.querySelectorAll(".overview a")].at(-1).focus();')
            self.browser.press(key)
            self.assertTrue(self.browser.eventually("""
                const figure = document.querySelector([...document.querySelectorAll(".overview a")].at(-1).hash);
                return figure.checkVisibility() && figure.contains(document.activeElement);"""), key)
            self.browser.press("ArrowRight", "ArrowDown")
            self.assertEqual(self.run_script("return offset(document.activeElement);"), ["attention_weights", 144 + 13])

    def test_escape_takes_the_sum_away(self):
        self.open("worked-example")
        self.run_script('cellAt("scores", 0).focus();')
        self.assertTrue(self.run_script('return document.querySelector(".sum").checkVisibility();'))
        self.browser.press("Escape")
        self.assertFalse(self.run_script('return document.querySelector(".sum").checkVisibility();'))

    def test_tab_reaches_everything_in_the_order_of_the_page_and_shows_where_it_is(self):
        self.open("twelve-words")
        expected = self.run_script("""
            const all = "a[href], button, input, summary, [tabindex='0']";
            return [...document.querySelectorAll(all)].filter((one) => one.checkVisibility()).length;""")
        self.run_script('document.body.tabIndex = -1; document.body.focus(); window.been = [];')
        for _ in range(expected):
            self.browser.press("Tab")
            self.run_script("""
                const at = document.activeElement, style = getComputedStyle(at);
                been.push([at, style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2]);""")
        self.assertEqual(self.run_script("""
            const all = "a[href], button, input, summary, [tabindex='0']";
            const visited = new Set(been.map(([at]) => at));
            const missed = [...document.querySelectorAll(all)].filter((one) => one.checkVisibility() && !visited.has(one));
            const back = been.slice(1).filter(([at], i) =>
                !(been[i][0].compareDocumentPosition(at) & Node.DOCUMENT_POSITION_FOLLOWING));
            const dark = been.filter(([, isShown]) => !isShown);
            return [missed, back, dark].map((list) => list.map((one) => (one[0] ?? one).outerHTML.slice(0, 80)));"""), [[], [], []])

    @unittest.skipIf(CHOSEN == "firefox", "colours are those of the page in any browser")
    def test_all_text_can_be_read_on_what_is_behind_it_in_both_modes(self):
        worst = """
            const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
            const colours = new Map();
            const rgba = (colour) => {
              if (!colours.has(colour)) colours.set(colour, read(colour));
              return colours.get(colour);
            };
            const read = (colour) => {
              canvas.clearRect(0, 0, 1, 1);
              canvas.fillStyle = colour;
              canvas.fillRect(0, 0, 1, 1);
              const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
              return [r, g, b, a / 255];
            };
            const over = ([r, g, b, a], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a), 1];
            let papers = null;
            const behind = (one) => {
              if (!one) return rgba("Canvas");
              if (!papers.has(one)) papers.set(one, over(rgba(getComputedStyle(one).backgroundColor), behind(one.parentElement)));
              return papers.get(one);
            };
            const light = (colour) => colour.slice(0, 3).map((part) => part / 255)
                .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
                .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
            const contrast = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
            const seen = new Map();
            const look = () => {
              papers = new Map();
              for (const one of document.querySelectorAll("body *")) {
                if (!one.checkVisibility() || one.closest(".outline, .unseen, script")) continue;
                if (![...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) continue;
                const style = getComputedStyle(one);
                const [text, paper] = [rgba(one.closest("svg") ? style.fill : style.color), behind(one)];
                const ratio = contrast(over(text, paper), paper);
                if (ratio < 4.5) seen.set(`${one.tagName}.${one.getAttribute("class")}`, [ratio, one.textContent.slice(0, 30)]);
              }
            };
            document.querySelectorAll("details").forEach((one) => (one.open = true));
            look();
            for (const step of ["queries", "scores", "attention_weights", "context"]) {
              const cell = cellAt(step, 1);
              if (!cell) continue;
              point(cell);
              look();
            }
            cellAt("attention_weights", 1).click();
            look();
            return [rgba(getComputedStyle(document.body).backgroundColor), [...seen]];"""
        for mode in ("light", "dark"):
            self.browser.set_paper(mode)
            try:
                for name in ("worked-example", "ragged-batch", "tom-yeh-three-heads", "masks-together"):
                    self.open(name)
                    paper, faults = self.run_script(worst)
                    self.assertEqual(faults, [], (mode, name))
                    self.assertEqual(paper[0] > 128, mode == "light")
            finally:
                self.browser.set_paper("")

    def printed(self):
        """The page as it is printed: its text, and the sizes of its sheets."""
        if not shutil.which("pdftotext"):
            self.skipTest("no pdftotext")
        path = os.path.join(self.folder, "printed.pdf")
        with open(path, "wb") as file:
            file.write(self.browser.printed())
        return [subprocess.run([*words], capture_output=True, encoding="utf-8", check=True).stdout
                for words in (["pdftotext", "-layout", path, "-"], ["pdfinfo", path])]

    def test_paper_has_every_number_of_the_page_and_no_control(self):
        for name, has_script in (("twelve-words", True), ("forty", True), ("ragged-batch", True), ("twelve-words", False))[::PART]:
            self.open(name)
            numbers, controls = self.run_script("""
                const tables = [...document.querySelectorAll("table[data-matrix]")];
                return [tables.flatMap((table) => cellsOf(table).map((cell) => cell.textContent)),
                        [...document.querySelectorAll("#controls button")].map((one) => one.textContent)];""")
            self.browser.set_script(has_script)
            try:
                self.open(name)
                text, about = self.printed()
            finally:
                self.browser.set_script(True)
            found = Counter(re.findall(r"[−∞\d.e+-]+", text))
            missing = {number for number, count in Counter(numbers).items() if found[number] < count}
            self.assertEqual(missing, set(), (name, has_script))
            for control in controls:
                self.assertNotIn(control, text)
            self.assertRegex(about, r"Page size: +59[4-6](\.\d+)? x 84[12]")  # of A4, and nothing was shrunk to fit
            self.assertEqual(self.run_script('return document.querySelectorAll(".on-paper, .split").length;'), 0)

    @unittest.skipIf(CHOSEN == "firefox", "breaks sheets behind a summary whatever a page asks")
    def test_no_sheet_ends_with_a_heading(self):
        for name, *options in (("twelve-words", "--query", "2"), ("ragged-batch",), ("block-by-hand",)):
            self.open(name, *options)
            headings = self.run_script('return [...document.querySelectorAll("main h2, main h3")].map((one) => one.textContent.trim());')
            text, _ = self.printed()
            for sheet in text.split("\f"):
                last = sheet.rstrip().split("\n")[-1].strip()
                self.assertNotIn(last, headings, name)

    def test_vectors_run_along_the_lines_of_a_sheet(self):
        self.open("forty")
        text, _ = self.printed()
        row = next(line for line in text.split("\n") if "token 1 " in line and "token 3 " in line and "." in line)
        self.assertGreaterEqual(len(re.findall(r"token \d+", row)), 3)

    def test_the_search_of_the_browser_finds_what_is_folded_up(self):
        is_seen = 'return document.getElementById(`m${numbers.findIndex(({step}) => step === "weighted_values")}`).checkVisibility();'
        self.open("twelve-words")
        self.assertFalse(self.run_script(is_seen))
        # What a link to a text does is what Ctrl-F does.
        self.open("twelve-words", hash="#:~:text=" + urllib.parse.quote("query 12 · soft"))
        self.assertTrue(self.browser.eventually(POINT + is_seen))

    def test_a_finger_presses_where_a_mouse_points(self):
        tip = 'return document.querySelector(".tip").textContent'
        self.open("worked-example")
        self.assertIn("Point at", self.run_script(tip))
        self.browser.set_touch(True)
        try:
            self.browser.resize(390, 800)
            self.open("worked-example")
            self.assertNotIn("Point at", self.run_script(tip))
        finally:
            self.browser.set_touch(False)
            self.browser.resize(1280, 900)

    def test_screen_readers_hear_where_a_number_stands(self):
        self.open("worked-example")
        self.assertEqual(self.run_script("""
            const cell = cellAt("scores", 1);
            const table = cell.closest("table");
            return [table.getAttribute("role"), table.ariaLabel.split(",")[0],
                    cell.parentNode.cells[0].getAttribute("scope"),
                    table.tHead.rows[0].cells[cell.cellIndex].getAttribute("scope"),
                    document.querySelector("output.sum").getAttribute("aria-live")];"""),
                         ["grid", "S: Scores: each query times each key", "row", "col", "polite"])

    def test_other_peoples_text_stays_text_in_what_the_script_writes(self):
        with open(problem("worked-example"), encoding="utf-8") as file:
            hostile = json.load(file)
        token = "<img src=x onerror=document.title='run'>"
        hostile["tokens"] = [token, "</script>", "&amp;"]
        source = os.path.join(self.folder, "hostile.json")
        with open(source, "w", encoding="utf-8") as file:
            json.dump(hostile, file)
        path = os.path.join(self.folder, "hostile.html")
        attn("run", source, "-o", path)
        self.browser.open(path)
        words, images, title = self.run_script("""
            const cell = cellAt("scores", 0);
            point(cell);
            const words = document.querySelector(".sum .reading").textContent;
            cell.click();
            return [words, document.querySelectorAll("img").length, document.title];""")
        self.assertIn(token, words)
        self.assertEqual(images, 0)
        self.assertNotEqual(title, "run")


if __name__ == "__main__":
    skip_without_browser()
    unittest.main()
