"""The SVG figures: well-formed, complete, nothing over anything else, and the same picture everywhere."""

import json
import math
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
import zlib
from collections import Counter
from pathlib import Path

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "property"))

import every_feature

ATTN = os.path.abspath(os.environ["ATTN"])
ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "data"
PROBLEMS = sorted(path for path in DATA.glob("*.json") if not path.name.endswith(".golden.json"))
ATTENTIONS = [path for path in PROBLEMS if '"block"' not in path.read_text(encoding="utf-8")]
EXAMPLE = DATA / "worked-example.json"
NAMESPACE = "{http://www.w3.org/2000/svg}"
NASTY = ["</text><script>alert(1)</script>", "<![CDATA[", "&amp; & \" '", "--><!--", "\u202eevil\u2066",
         "\x1b[31mred\x07", "]]>", "a" * 300, "漢字かな交じり文" * 8, "שלום עולם", "e\u0301\u0301\u0301", "👩‍👩‍👧‍👦", "<?xml version='1.0'?>",
         "{{7*7}}", "javascript:alert(1)", "\ufeff\ufffe", "line\nbreak\ttab"]


def attn(*words, text=None, codes=(0,)):
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
    done = subprocess.run([ATTN, *map(str, words)], input=text, capture_output=True, encoding="utf-8",
                          env=environment, timeout=120)
    assert done.returncode in codes, (words, done.returncode, done.stderr)
    return done.stdout


def svg(*words, **more):
    return attn(*words, "--format", "svg", **more)


def name(element):
    return element.tag.removeprefix(NAMESPACE)


def words_of(element):
    """What a <text> shows: not its <title>."""
    parts = [element.text or ""]
    for child in element:
        if name(child) != "title":
            parts.append(words_of(child))
        parts.append(child.tail or "")
    return "".join(parts)


def placed(root):
    """Every element and how far it is moved."""
    def walk(element, x, y):
        moved = re.fullmatch(r"translate\(([-\d.]+) ([-\d.]+)\)", element.get("transform", "translate(0 0)"))
        x, y = x + float(moved[1]), y + float(moved[2])
        yield element, x, y
        for child in element:
            yield from walk(child, x, y)
    return walk(root, 0, 0)


def unscaled(root):
    """A figure as large as it was before it was fitted to its page."""
    for group in root.iter(NAMESPACE + "g"):
        fitted = re.fullmatch(r"translate\(([-\d.]+) ([-\d.]+)\) scale\(([-\d.e]+)\)", group.get("transform", ""))
        if fitted:
            x, y, scale = map(float, fitted.groups())
            group.set("transform", f"translate({x / scale:.6f} {y / scale:.6f})")
            root.set("viewBox", " ".join(str(float(size) / scale) for size in root.get("viewBox").split()))
            for rect in root.findall(NAMESPACE + "rect"):
                for side in ("width", "height"):
                    rect.set(side, str(float(rect.get(side)) / scale))
            root.set("scale", str(scale))
    return root


def texts(root):
    """(words, left, right, base line, font size), about as wide as a common font sets them."""
    for element, x, y in placed(root):
        if name(element) != "text":
            continue
        words, size = words_of(element), float(element.get("font-size"))
        width = 0.52 * size * sum(0 if 0x300 <= ord(c) < 0x370 else 1 for c in words)
        left = x + float(element.get("x"))
        left -= {"middle": width / 2, "end": width}.get(element.get("text-anchor"), 0)
        yield words, left, left + width, y + float(element.get("y")), size


def boxes(root):
    """step → (left, top, right, bottom)"""
    found = {}
    for element, x, y in placed(root):
        if "box" in element.get("class", "").split():
            found[element.get("data-step")] = rectangle(element.find(NAMESPACE + "rect"), x, y)
    return found


def rectangle(rect, x=0, y=0):
    left, top = x + float(rect.get("x", 0)), y + float(rect.get("y", 0))
    return left, top, left + float(rect.get("width")), top + float(rect.get("height"))


def luminance(color):
    parts = [int(color[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    parts = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(a, b):
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


def written(value, decimals):
    return f"{value:.{decimals}f}".replace("-", "−")


def kinds(root):
    """How many boxes a figure has of each role."""
    return Counter(element.get("class").split()[1] for element in root.iter() if "box" in element.get("class", "").split())


class Outlines(unittest.TestCase):
    """A block as boxes for its parts."""

    def test_every_part_is_a_box_and_arrows_join_what_reads_to_what_is_read(self):
        for problem in ("induction.json", "block-by-hand.json"):
            root = ElementTree.fromstring(svg("run", DATA / problem))
            parts = [one.get("data-part") for one in root.iter() if one.get("class") == "part"]
            trace = json.loads(attn("run", DATA / problem, "--format", "json"))
            prefixes = {step["id"].rsplit(".", 1)[0] for step in trace["steps"] if step["id"].startswith("layer")}
            self.assertLessEqual({one for one in prefixes if one.endswith((".self", ".ffn"))}, set(parts))
            arrows = {(one.get("data-from"), one.get("data-to")) for one in root.iter() if one.get("class") == "arrow"}
            self.assertIn(("layer1.self", "layer1.residual1"), arrows)
            self.assertIn(("", "layer1.residual1"), arrows)  # the inputs pass the attention
            self.assertLessEqual({end for arrow in arrows for end in arrow}, set(parts))

    def parts(self, root):
        return [(one.get("data-part"), rectangle(one.find(NAMESPACE + "rect"), x, y)) for one, x, y in placed(root)
                if one.get("class") == "part"]

    def test_boxes_stand_apart_and_hold_their_words(self):
        problem = json.loads((DATA / "block-by-hand.json").read_text(encoding="utf-8"))
        problem["block"]["layers"] = [{**problem["block"]["layers"][0], "repeat": 12}]
        root = ElementTree.fromstring(svg("run", "-", text=json.dumps(problem)))
        found = [box for _, box in self.parts(root)]
        self.assertGreater(len(found), 50)
        for above, below in zip(found, found[1:]):
            self.assertLess(above[3] + 8, below[1])
        for words, left, right, base, size in texts(root):
            if base < found[0][1]:
                continue  # the title, and the notes below it
            (box,) = [box for box in found if box[1] < base < box[3]]
            self.assertTrue(box[0] < left and right < box[2], words)

    def test_arrows_begin_and_end_at_the_boxes_of_their_parts(self):
        root = ElementTree.fromstring(svg("run", DATA / "block-by-hand.json"))
        found = dict(self.parts(root))
        for element, x, y in placed(root):
            if element.get("class") != "arrow":
                continue
            for path, end in ((element[0], "data-from"), (element[1], "data-to")):
                px, py = map(float, re.match(r"M([-\d.]+) ([-\d.]+)", path.get("d")).groups())
                left, top, right, bottom = found[element.get(end)]
                self.assertTrue(left - 1 <= x + px <= right + 1 and top - 1 <= y + py <= bottom + 1, element.attrib)

    def test_a_part_is_opened_by_asking_for_it(self):
        root = ElementTree.fromstring(svg("run", DATA / "block-by-hand.json", "--part", "layer1.self"))
        self.assertIn("layer1.self.scores", boxes(root))
        self.assertFalse([one for one in root.iter() if one.get("class") == "part"])
        whole_layer = svg("run", DATA / "block-by-hand.json", "--layer", "1")
        self.assertIn("Layer 1 · self-attention · ", whole_layer)
        self.assertIn("Layer 1 · feed-forward · ", whole_layer)


class Figures(unittest.TestCase):
    """What holds for whatever is drawn."""

    @classmethod
    def setUpClass(cls):
        cls.figures = {path.stem: svg("run", path) for path in PROBLEMS}
        with tempfile.TemporaryDirectory(prefix="attn-svg-") as folder:
            for feature, path in every_feature.write(folder).items():
                cls.figures["feature: " + feature] = svg("run", path)
        for theme in ("safe", "classic"):
            cls.figures[theme] = svg("run", EXAMPLE, "--theme", theme)
        cls.figures["cells"] = svg("run", EXAMPLE, "--explain", "cells")
        cls.figures["rows"] = svg("run", DATA / "ragged-batch.json", "--explain", "rows")
        cls.figures["result"] = svg("run", EXAMPLE, "--explain", "result")
        cls.figures["full"] = svg("run", DATA / "tom-yeh-three-heads.json", "--full")
        for step in ("attention_weights", "scores", "queries"):
            cls.figures["only " + step] = svg("run", DATA / "ragged-batch.json", "--only", step)
        for cell in ("scores[1,2]", "attention_weights[1,2]", "context[1,1]", "exponential_sums[1]", "scores"):
            cls.figures["why " + cell] = svg("why", EXAMPLE, cell)
        answers = json.dumps({"schema": "attn/answers/1", "steps": {"scores": [[2, 4, 4], [4, 16, 12], [4, 12, 11]]}})
        cls.figures["check"] = svg("check", EXAMPLE, "-", text=answers, codes=(0, 1))
        cls.figures["mistakes"] = svg("mistakes")
        cls.figures["why of padding"] = svg("why", DATA / "ragged-batch.json", "scores[1,3,1]")
        cls.figures["one step of padding"] = svg("run", DATA / "ragged-batch.json", "--only", "weighted_values")
        cls.figures["closed"] = svg("run", DATA / "masks-together.json", "--only", "masked_scores,attention_weights")
        for fit in ("slide", "column"):
            for problem in ("twelve-words", "ragged-batch", "masks-together", "tom-yeh-three-heads"):
                cls.figures[f"{fit} of {problem}"] = svg("run", DATA / f"{problem}.json", "--fit", fit)
            cls.figures[f"{fit} of numbers"] = svg("why", EXAMPLE, "scores[1,2]", "--fit", fit)
            cls.figures[f"{fit} of a step"] = svg("run", EXAMPLE, "--only", "attention_weights", "--fit", fit)
            cls.figures[f"{fit} of eight heads"] = svg("run", DATA / "eight-heads-batch.json", "--fit", fit)
            cls.figures[f"{fit} of a tree"] = svg("why", EXAMPLE, "context[2,2]", "--fit", fit)
            cls.figures[f"{fit} of a long sum"] = svg("why", DATA / "eight-heads-batch.json", "queries[1,1,1,1]", "--fit",
                                                      fit)
            for problem in ("worked-example", "twelve-words"):
                cls.figures[f"{fit} of geometry of {problem}"] = svg("run", DATA / f"{problem}.json", "--geometry",
                                                                     "--query", "2", "--explain", "result", "--fit", fit)
            cls.figures[f"{fit} of heads"] = svg("run", DATA / "two-heads-shared-matrix.json", "--fit", fit)
            cls.figures[fit] = svg("run", EXAMPLE, "--fit", fit)
        cls.roots = {which: unscaled(ElementTree.fromstring(text)) for which, text in cls.figures.items()}

    def test_it_has_a_title_and_says_what_it_shows(self):
        for which, root in self.roots.items():
            with self.subTest(figure=which):
                self.assertEqual((name(root), root.get("role")), ("svg", "img"))
                self.assertEqual([name(child) for child in list(root)[:2]], ["title", "desc"])
                self.assertTrue(all(len(root[i].text) > 5 for i in range(2)))

    def test_it_needs_nothing_and_runs_nothing(self):
        allowed = {"svg", "title", "desc", "g", "rect", "path", "text", "tspan", "polyline", "polygon", "circle"}
        for which, root in self.roots.items():
            with self.subTest(figure=which):
                for element in root.iter():
                    self.assertIn(name(element), allowed)
                    for key, value in element.attrib.items():
                        self.assertNotRegex(key, r"^on|href|^style$")
                        self.assertNotIn("url(", value)
                        self.assertNotIn("var(", value)

    def test_all_text_is_within_the_picture(self):
        for which, root in self.roots.items():
            with self.subTest(figure=which):
                _, _, width, height = map(float, root.get("viewBox").split())
                found = list(texts(root))
                self.assertTrue(found)
                for words, left, right, base, size in found:
                    self.assertTrue(left >= 0 and right <= width, words)
                    self.assertTrue(base - size >= 0 and base + size / 3 <= height, words)

    def test_no_text_is_over_other_text(self):
        for which, root in self.roots.items():
            with self.subTest(figure=which):
                lines = {}
                for words, left, right, base, size in texts(root):
                    lines.setdefault(round(base), []).append((left, right, words))
                for line in lines.values():
                    line.sort()
                    for (_, right, a), (left, _, b) in zip(line, line[1:]):
                        self.assertLessEqual(right, left + 1, (a, b))

    def test_boxes_do_not_overlap(self):
        for which, root in self.roots.items():
            with self.subTest(figure=which):
                found = list(boxes(root).items())
                for i, (a, (left, top, right, bottom)) in enumerate(found):
                    for b, (other_left, other_top, other_right, other_bottom) in found[:i]:
                        apart = right < other_left or other_right < left or bottom < other_top or other_bottom < top
                        self.assertTrue(apart, (a, b))

    def test_no_arrow_runs_across_a_box(self):
        for which, root in self.roots.items():
            with self.subTest(figure=which):
                found = boxes(root)
                for element, x, y in placed(root):
                    if element.get("class") != "arrow":
                        continue
                    for px, py in points(element[0].get("d")):
                        for step, (left, top, right, bottom) in found.items():
                            inside = left + 1 < x + px < right - 1 and top + 1 < y + py < bottom - 1
                            self.assertFalse(inside, (element.get("data-from"), element.get("data-to"), step))

    def test_lines_can_be_seen_on_paper_and_in_their_boxes(self):
        separators = "#c8c8c8"  # between cells, and the hatching of padding: they say nothing
        for which, root in self.roots.items():
            with self.subTest(figure=which):
                for element in root.iter():
                    stroke = element.get("stroke", "none")
                    if stroke in ("none", separators) or element.get("data-column") is not None:
                        continue  # the arcs of weights are as strong as these
                    if element.get("opacity") or element.get("fill-opacity"):
                        continue  # what is closed, and a hull, are meant to be pale
                    fill = element.get("fill", "none")
                    for behind in {"#ffffff", fill if fill.startswith("#") and fill != stroke else "#ffffff"}:
                        self.assertGreaterEqual(contrast(stroke, behind), 3, (element.attrib, behind))

    def test_what_is_fitted_to_its_page_can_be_read_there(self):
        for which, root in self.roots.items():
            if not which.startswith(("slide", "column")):
                continue
            with self.subTest(figure=which):
                scale = float(root.get("scale"))
                smallest = min(size for *_, size in texts(root)) * scale
                self.assertGreaterEqual(smallest, (11 if which.startswith("slide") else 7) - 0.01)
                if which.startswith("slide"):
                    self.assertEqual((root.get("width"), root.get("height")), ("1280", "720"))
                else:
                    self.assertEqual(root.get("width"), "241pt")  # 85 mm
                    self.assertLessEqual(float(root.get("height").removesuffix("pt")), 695)  # 245 mm

    def test_a_slide_is_used_in_its_width(self):
        for which, root in self.roots.items():
            if which.startswith("slide") and boxes(root):
                with self.subTest(figure=which):
                    scale, across = float(root.get("scale")), [(left, right) for left, _, right, _ in boxes(root).values()]
                    used = (max(right for _, right in across) - min(left for left, _ in across)) * scale
                    self.assertGreater(used, 0.6 * 1280)

    def test_a_tree_or_a_picture_that_is_not_whole_says_so(self):
        said = {which: " ".join(words_of(text) for text in root.iter(NAMESPACE + "text"))
                for which, root in self.roots.items()}
        for which in ("a tree", "geometry of worked-example"):
            self.assertIn("Left out here: what ", said[f"column of {which}"])
        self.assertNotIn("Left out here", said["why context[1,1]"])
        # What is said to stand above does.
        for fit in ("slide", "column"):
            tree = said[f"{fit} of a tree"]
            for pointed in re.findall(r"(\S+\[[^ ]*\]) \(see above\)", tree):
                self.assertRegex(tree.split(f"{pointed} (see above)")[0], re.escape(pointed) + " [=≈]")

    def test_notes_stand_below_what_they_are_about(self):
        texts = [words_of(text) for text in self.roots["why of padding"].iter(NAMESPACE + "text")]
        self.assertIn("Note: query 3 of sequence 1 is padding: it is worked out like any other, but nobody reads it", texts)

    def test_what_is_left_out_for_want_of_room_is_what_the_whole_figure_has_more(self):
        symbols = {"weights that are given": "weight_matrix", "masks and what is added to scores": "mask",
                   "steps within the softmax": "softmax", "weighted values": "weighted_value"}
        for problem in ("twelve-words", "ragged-batch", "masks-together", "worked-example"):
            whole = kinds(ElementTree.fromstring(svg("run", DATA / f"{problem}.json")))
            for fit in ("slide", "column"):
                with self.subTest(problem=problem, fit=fit):
                    root = ElementTree.fromstring(svg("run", DATA / f"{problem}.json", "--fit", fit))
                    said = " ".join(words_of(text) for text in root.iter(NAMESPACE + "text"))
                    said = said[said.index("Left out here"):] if "Left out here" in said else ""
                    for words, kind in symbols.items():
                        self.assertEqual(words in said, whole[kind] > kinds(root)[kind], words)
        said = svg("run", DATA / "masks-together.json", "--fit", "slide")
        self.assertNotIn("weights that are given", said)

    def test_which_head_is_drawn_large_is_said(self):
        for chosen in ([], ["--only", "queries,keys,attention_weights,context"]):
            text = svg("run", DATA / "twelve-words.json", *chosen)
            self.assertIn(">Head 1 of 2 is drawn with its numbers, the other as a small map.<", text)
        self.assertIn(">Only head 1 of 2 is drawn here.<", svg("run", DATA / "twelve-words.json", "--fit", "slide"))
        self.assertNotIn("is drawn", svg("run", EXAMPLE))

    def test_no_line_begins_within_a_raised_part(self):
        for which, root in self.roots.items():
            with self.subTest(figure=which):
                for text in root.iter(NAMESPACE + "text"):
                    first = text.find(NAMESPACE + "tspan")
                    if first is not None and not text.text:
                        self.assertIsNone(first.get("dy"), words_of(text))

    def test_grey_is_said_to_be_closed_and_by_which_rules(self):
        for chosen in (["--only", "masked_scores,attention_weights"], ["--only", "attention_weights"], []):
            self.assertIn(">Grey: closed by mask M_1, causal and lengths.<", svg("run", DATA / "masks-together.json", *chosen))
        self.assertNotIn("Grey", svg("run", EXAMPLE))

    def test_rows_of_padding_have_no_colour_and_are_named(self):
        root = ElementTree.fromstring(svg("run", DATA / "ragged-batch.json", "--only", "attention_weights"))
        trace = json.loads(attn("run", DATA / "ragged-batch.json", "--format", "json"))
        (weights,) = [step for step in trace["steps"] if step["id"] == "attention_weights"]
        tokens = json.loads((DATA / "ragged-batch.json").read_text(encoding="utf-8"))["tokens"]
        expected = sum(number > 0 for own, rows in zip(tokens, weights["data"]) for row in rows[:len(own)] for number in row)
        cells = [rect for rect in root.iter(NAMESPACE + "rect") if rect.get("height") == "24"
                 and rect.get("fill") not in ("none", "#ffffff", "#e9e9e9")]
        self.assertEqual(len(cells), expected)
        text = svg("run", DATA / "ragged-batch.json", "--only", "weighted_values")
        self.assertIn(" · query 3 · padding<", text)
        self.assertNotIn("·", [words_of(one) for one in ElementTree.fromstring(text).iter(NAMESPACE + "text")])

    def test_panels_of_one_step_have_their_decimals_and_shades_alike(self):
        root = ElementTree.fromstring(svg("run", DATA / "ragged-batch.json", "--only", "weighted_values"))
        panels = [element for element in root.iter() if element.get("class") == "map weighted_value"]
        self.assertGreater(len(panels), 4)
        scales = set()
        for panel in panels:
            shown = [words_of(text) for text in panel.iter(NAMESPACE + "text")]
            numbers = [words for words in shown if re.fullmatch(r"−?\d+\.\d+", words)]
            self.assertEqual({len(number.split(".")[1]) for number in numbers}, {4})
            scales.add(tuple(numbers[-2:]))
        self.assertEqual(len(scales), 1)

    def test_what_cannot_be_read_on_its_page_is_written_and_said_so(self):
        done = subprocess.run([ATTN, "why", DATA / "twelve-words.json", "output[1,1]", "--depth", "6", "--fit", "slide",
                               "--format", "svg"],
                              capture_output=True, encoding="utf-8", timeout=60)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"attn: note: the letters of the figure are down to \d+\.\d pixels of its 720 high, "
                                      "hard to read; --depth shows less")
        self.assertEqual(attn("run", EXAMPLE, "--fit", "slide", codes=(2,)), "")  # nothing is drawn

    def test_text_can_be_read_on_what_is_behind_it(self):
        for which, root in self.roots.items():
            with self.subTest(figure=which):
                behind = []
                for element, x, y in placed(root):
                    if name(element) == "rect" and re.fullmatch("#[0-9a-f]{6}", element.get("fill", "")):
                        behind.append((rectangle(element, x, y), element.get("fill")))
                    if name(element) != "text":
                        continue
                    at_x, at_y = x + float(element.get("x")), y + float(element.get("y")) - 4
                    at_x += {"end": -2, "middle": 0}.get(element.get("text-anchor"), 2)
                    under = [fill for (left, top, right, bottom), fill in behind
                             if left <= at_x <= right and top <= at_y <= bottom][-1]
                    for part in element.iter():
                        if part.get("fill"):
                            self.assertGreaterEqual(contrast(part.get("fill"), under), 4.5, (words_of(element), under))


def points(path):
    """Places along a path of M, V, H and C."""
    x = y = 0
    for command, numbers in re.findall(r"([MVHC])([-\d. ]+)", path):
        values = list(map(float, numbers.split()))
        if command == "M":
            x, y = values
        elif command == "V":
            yield from ((x, y + (values[0] - y) * i / 20) for i in range(21))
            y = values[0]
        elif command == "H":
            yield from ((x + (values[0] - x) * i / 20, y) for i in range(21))
            x = values[0]
        else:
            p = [(x, y), *zip(values[::2], values[1::2])]
            for i in range(41):
                t = i / 40
                weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t ** 3)
                yield tuple(sum(w * q[axis] for w, q in zip(weights, p)) for axis in (0, 1))
            x, y = p[3]


class Computations(unittest.TestCase):
    """The figure of a whole computation."""

    def test_the_numbers_are_those_of_the_trace(self):
        root = ElementTree.fromstring(svg("run", EXAMPLE))
        trace = json.loads(attn("run", EXAMPLE, "--format", "json"))
        steps = {step["id"]: step for step in trace["steps"]}
        numbers = {}
        for box in root.iter():
            step = box.get("data-step")
            if "box" not in box.get("class", "").split() or step not in steps:
                continue
            values = flat(steps[step])
            decimals = 0 if all(value == int(value) for value in values) else 4
            numbers[step] = [written(value, decimals) for value in values]
            shown = iter([words_of(text) for text in box.iter(NAMESPACE + "text")])
            for number in numbers[step]:  # in this order, among the labels
                self.assertIn(number, shown, step)
        self.assertLessEqual({"keys", "queries", "values", "scores", "attention_weights", "context"}, set(numbers))

    def test_each_step_is_joined_to_what_it_was_made_from(self):
        arrows = self.arrows("worked-example")
        self.assertEqual(arrows, {
            ("inputs", "queries"), ("inputs", "keys"), ("inputs", "values"), ("weights.query", "queries"),
            ("weights.key", "keys"), ("weights.value", "values"), ("queries", "scores"), ("keys", "scores"),
            ("scores", "row_maximum"), ("scores", "exponentials"), ("row_maximum", "exponentials"),
            ("exponentials", "exponential_sums"), ("exponentials", "attention_weights"),
            ("exponential_sums", "attention_weights"), ("attention_weights", "weighted_values"),
            ("values", "weighted_values"), ("weighted_values", "context")})

    def test_nothing_is_drawn_that_was_not_asked_for(self):
        asked = ["queries", "keys", "attention_weights", "context"]
        for problem in ("twelve-words", "tom-yeh-three-heads", "two-heads-shared-matrix", "worked-example"):
            with self.subTest(problem=problem):
                root = ElementTree.fromstring(svg("run", DATA / f"{problem}.json", "--only", ",".join(asked)))
                self.assertLessEqual(set(boxes(root)), set(asked))

    def test_a_head_that_is_asked_for_stands_alone(self):
        text = svg("run", DATA / "two-heads-shared-matrix.json", "--head", "2")
        self.assertNotRegex(text, "(?i)head 1 of 2")

    def test_what_is_a_matrix_a_query_is_drawn_as_so_many(self):
        root = ElementTree.fromstring(svg("run", EXAMPLE))
        (box,) = [one for one in root.iter() if one.get("data-step") == "weighted_values"]
        shown = [words_of(text) for text in box.iter(NAMESPACE + "text")]
        self.assertEqual([words for words in shown if words.startswith("query")], ["query 1", "query 2", "query 3"])

    def test_padding_is_hatched_and_called_so(self):
        text = svg("run", DATA / "ragged-batch.json")
        self.assertIn('class="padding"', text)
        self.assertIn(">padding</text>", text)
        self.assertNotIn('class="padding"', svg("run", EXAMPLE))

    def test_notes_stand_below_the_title(self):
        problem = json.loads(EXAMPLE.read_text(encoding="utf-8"))
        problem["notes"] = "Mind the third input."
        root = ElementTree.fromstring(svg("run", "-", text=json.dumps(problem)))
        self.assertEqual([words_of(text) for text in root.iter(NAMESPACE + "text")][1], "Mind the third input.")

    def test_arrows_begin_and_end_at_their_boxes(self):
        for problem in ATTENTIONS:
            with self.subTest(problem=problem.stem):
                root = ElementTree.fromstring(svg("run", problem))
                found = boxes(root)
                for element, x, y in placed(root):
                    if element.get("class") != "arrow":
                        continue
                    places = list(points(element[0].get("d")))
                    for (px, py), step in ((places[0], element.get("data-from")), (places[-1], element.get("data-to"))):
                        left, top, right, bottom = found[step]
                        away = max(left - x - px, x + px - right, top - y - py, y + py - bottom)
                        self.assertLessEqual(away, 9, (element.get("data-from"), element.get("data-to")))

    def arrows(self, problem):
        root = ElementTree.fromstring(svg("run", DATA / f"{problem}.json"))
        return {(element.get("data-from"), element.get("data-to")) for element in root.iter()
                if element.get("class") == "arrow"}

    def test_nothing_but_what_is_given_stands_alone(self):
        for problem in PROBLEMS:
            with self.subTest(problem=problem.stem):
                root = ElementTree.fromstring(svg("run", problem))
                arrows = [element for element in root.iter() if element.get("class") == "arrow"]
                trace = json.loads(attn("run", problem, "--format", "json"))
                operands = {step["id"]: step.get("operands", []) for step in trace["steps"]}
                ends = {arrow.get("data-to") for arrow in arrows}
                for step in boxes(root):
                    if operands.get(step):
                        self.assertIn(step, ends)


def flat(step):
    """All numbers of a step, from wherever the trace keeps them."""
    def walk(value):
        if isinstance(value, list):
            for one in value:
                yield from walk(one)
        elif isinstance(value, (int, float)):
            yield value
    for key in ("values", "data", "value", "result", "numbers"):
        if key in step:
            return list(walk(step[key]["data"] if isinstance(step[key], dict) else step[key]))
    raise KeyError(sorted(step))


class Weights(unittest.TestCase):
    """--only attention_weights: a heat map, and arcs."""

    def setUp(self):
        self.root = ElementTree.fromstring(svg("run", EXAMPLE, "--only", "attention_weights"))

    def test_many_weights_are_a_map_without_arcs_and_numbers_are_not_named_twice(self):
        for count, has_arcs in ((32, True), (33, False)):
            problem = {"inputs": {"random": "normal", "shape": [count, 2], "seed": 1},
                       "tokens": [str(i + 1) for i in range(count - 1)] + ["last"]}
            text = svg("run", "-", "--only", "attention_weights", text=json.dumps(problem))
            self.assertEqual('class="arcs"' in text, has_arcs)
            shown = [words_of(one) for one in ElementTree.fromstring(text).iter(NAMESPACE + "text")]
            self.assertNotIn("1 1", shown)
            self.assertIn("1", shown)

    def test_arcs_are_as_wide_as_their_weights(self):
        paths = [path for path in self.root.iter(NAMESPACE + "path") if path.get("data-column") is not None]
        self.assertEqual(len(paths), 9)
        trace = json.loads(attn("run", EXAMPLE, "--format", "json"))
        weights = flat(next(step for step in trace["steps"] if step["id"] == "attention_weights"))
        for path, weight in zip(paths, weights):
            self.assertAlmostEqual(float(path.get("stroke-width")), 12 * weight, delta=0.001 * 12 * weight)
        self.assertEqual(paths[1].find(NAMESPACE + "title").text, "Input 1 → Input 2: 0.4683")

    def test_closed_weights_have_no_arc(self):
        root = ElementTree.fromstring(svg("run", DATA / "worked-example-causal.json", "--only", "attention_weights"))
        arcs = [path for path in root.iter(NAMESPACE + "path") if path.get("data-column") is not None]
        self.assertEqual(len(arcs), 6)

    def test_the_numbers_are_in_the_cells(self):
        shown = [words_of(text) for text in self.root.iter(NAMESPACE + "text")]
        for number in ("0.0634", "0.4683", "0.9820", "0.0180", "0.0003", "0.8805", "0.1192"):
            self.assertIn(number, shown)

    def test_darker_is_more(self):
        shades = {}
        groups = [element for element in self.root.iter() if element.get("class") == "map attention_weight"]
        last = None
        for element in groups[0].iter():
            if name(element) == "rect" and element.get("fill") != "none":
                last = element
            elif element.get("text-anchor") == "end" and re.fullmatch(r"0\.\d{4}", words_of(element)):
                shades[float(words_of(element))] = luminance(last.get("fill"))
        lights = [shades[weight] for weight in sorted(shades)]
        self.assertEqual(lights, sorted(lights, reverse=True))


class Numbers(unittest.TestCase):
    """attn why: the number drawn out."""

    def test_a_dot_product_is_two_rows_and_their_products(self):
        root = ElementTree.fromstring(svg("why", EXAMPLE, "scores[1,2]"))
        shown = [words_of(text) for text in root.iter(NAMESPACE + "text")]
        for words in ("Q[1,1…3]", "1×4", "0×4", "2×0"):
            self.assertTrue(any(words.replace(" ", "") == text.replace(" ", "") for text in shown), (words, shown))
        self.assertGreaterEqual(shown.count("×"), 3)
        self.assertGreaterEqual(shown.count("+"), 2)

    def test_a_bias_stands_behind_the_products(self):
        problem = {"inputs": [[1, 2], [3, 4]], "weights": {"query": [[1, 0], [0, 1]], "key": [[1, 2], [3, 4]],
                                                           "value": [[1], [2]]},
                   "biases": {"query": [1, -3], "key": [1, 2], "value": [0.5]}}
        root = ElementTree.fromstring(svg("why", "-", "queries[1,2]", "--depth", "0", text=json.dumps(problem)))
        at = {words_of(text): float(text.get("x")) for text in root.iter(NAMESPACE + "text")}
        self.assertLess(at["1×0"], at["2×1"])
        self.assertLess(at["2×1"], at["(−3)"])
        self.assertLess(at["(−3)"], at["−1"])  # 1×0 + 2×1 − 3
        self.assertEqual(at["(−3)"], at["b_Q[2]"])

    def test_notes_that_are_longer_than_a_figure_are_left_out_and_it_says_so(self):
        problem = json.dumps({"inputs": {"random": "normal", "shape": [2, 2], "seed": 1}, "notes": "word " * 9000})
        done = subprocess.run([ATTN, "run", "-", "--format", "svg", "--fit", "column"], input=problem,
                              capture_output=True, encoding="utf-8", timeout=120)
        self.assertEqual(done.returncode, 0)
        self.assertIn("the notes of the problem.", "".join(ElementTree.fromstring(done.stdout).itertext()))

    def test_a_line_that_is_drawn_out_is_not_written_again_below(self):
        root = ElementTree.fromstring(svg("why", EXAMPLE, "scores[1,2]", "--depth", "0"))
        shown = " ".join(words_of(text) for text in root.iter(NAMESPACE + "text")).replace(" ", "")
        self.assertEqual(shown.count("1×4"), 1, shown)


class Safety(unittest.TestCase):
    def test_other_peoples_text_stays_text(self):
        for nasty in NASTY:
            with self.subTest(text=nasty):
                problem = json.loads(EXAMPLE.read_text(encoding="utf-8"))
                problem["title"] = nasty
                problem["tokens"] = [nasty, "x", "y"]
                for more in ([], ["--only", "attention_weights"]):
                    text = svg("run", "-", *more, text=json.dumps(problem))
                    root = ElementTree.fromstring(text)
                    self.assertFalse([element for element in root.iter() if name(element) == "script"])
                    self.assertFalse(re.search("[\x00-\x09\x0b-\x1f\u202a-\u202e\u2066-\u2069\ufffe\uffff]", text))
                    if nasty.isascii() and nasty.isprintable():
                        self.assertIn(nasty, root.find(NAMESPACE + "title").text)
                        self.assertIn(nasty, "".join(root.itertext()).replace(" ", "") if len(nasty) > 99 else
                                      [part for element in root.iter() for part in (element.text, words_of(element))])
                    _, _, width, _ = map(float, root.get("viewBox").split())
                    for words, left, right, _, _ in texts(root):
                        self.assertTrue(left >= 0 and right <= width, words)


def png(path):
    """Grey rows of a PNG of 8 bits, without interlacing."""
    data, at, compressed = Path(path).read_bytes(), 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, color = struct.unpack(">IIBB", body[:10])
        elif kind == b"IDAT":
            compressed += body
        at += 12 + length
    channels = {0: 1, 2: 3, 4: 2, 6: 4}[color]
    assert depth == 8
    raw, stride = zlib.decompress(compressed), width * channels
    import numpy
    rows, last = [], numpy.zeros(stride, dtype=numpy.uint8)
    for y in range(height):
        kind = raw[y * (stride + 1)]
        line = bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        if kind == 1 or kind == 3 or kind == 4:
            for i in range(stride):
                left = line[i - channels] if i >= channels else 0
                up = int(last[i])
                corner = int(last[i - channels]) if i >= channels else 0
                if kind == 1:
                    guess = left
                elif kind == 3:
                    guess = (left + up) // 2
                else:
                    p = left + up - corner
                    guess = min((abs(p - left), 0, left), (abs(p - up), 1, up), (abs(p - corner), 2, corner))[2]
                line[i] = (line[i] + guess) & 255
            now = numpy.frombuffer(bytes(line), dtype=numpy.uint8)
        else:
            now = numpy.frombuffer(bytes(line), dtype=numpy.uint8)
            if kind == 2:
                now = now + last
        rows.append(now)
        last = now
    picture = numpy.stack(rows).reshape(height, width, channels).astype(float)
    return picture[:, :, :3].mean(axis=2) if channels >= 3 else picture[:, :, 0]


def shrunk(picture, by=8):
    height, width = (side // by * by for side in picture.shape)
    return picture[:height, :width].reshape(height // by, by, width // by, by).mean(axis=(1, 3))


@unittest.skipUnless(shutil.which("rsvg-convert"), "rsvg-convert is not there")
class Pictures(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="attn-svg-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def test_all_renderers_draw_the_same(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("numpy is not there")
        browser = shutil.which("chromium") or shutil.which("google-chrome")
        drawn = {"flow": svg("run", EXAMPLE), "map": svg("run", EXAMPLE, "--only", "attention_weights"),
                 "why": svg("why", EXAMPLE, "scores[1,2]")}
        for which, text in drawn.items():
            with self.subTest(figure=which):
                file = self.folder / f"{which}.svg"
                file.write_text(text, encoding="utf-8")
                one = self.folder / f"{which}-rsvg.png"
                subprocess.run(["rsvg-convert", file, "-o", one], check=True, timeout=60)
                if not browser:
                    continue
                root = ElementTree.fromstring(text)
                width, height = (math.ceil(float(root.get(side))) for side in ("width", "height"))
                other = self.folder / f"{which}-browser.png"
                subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                                f"--user-data-dir={self.folder}/profile", f"--screenshot={other}",
                                f"--window-size={width},{height}", file.as_uri()],
                               check=True, capture_output=True, timeout=120)
                a, b = shrunk(png(one)), shrunk(png(other))
                height, width = min(a.shape[0], b.shape[0]), min(a.shape[1], b.shape[1])
                self.assertLess(max(abs(a.shape[i] - b.shape[i]) for i in (0, 1)), 2)
                difference = numpy.abs(a[:height, :width] - b[:height, :width])
                self.assertLess(difference.mean(), 2.5)
                self.assertLess((255 - a).mean() / 3, (255 - b).mean())
                self.assertGreater(b.std(), 4)


if __name__ == "__main__":
    unittest.main()
