"""Geometry as numpy has it: angles, lengths, scores, weights, hulls, turns; in every format the same, and in a page that moves.

    geometry_test.py, with ATTN in the environment
"""

import sys

sys.dont_write_bytecode = True

import functools
import json
import math
import operator
import os
import re
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

import numpy as np

import browser

ATTN, DATA = os.environ["ATTN"], Path(__file__).resolve().parents[2] / "data"
SVG = "{http://www.w3.org/2000/svg}"


def attn(*arguments, problem=None, fails=False):
    done = subprocess.run([ATTN, *map(str, arguments)], input=problem and json.dumps(problem), capture_output=True,
                          text=True, env={"LC_ALL": "C.UTF-8", "PATH": os.environ["PATH"]})
    if not fails:
        assert done.returncode == 0, done.stderr
    return done.stderr if fails else done.stdout


def trace_of(problem):
    steps = json.loads(attn("run", "-", "--format", "json", problem=problem))["steps"]
    return {step["id"]: np.array(step["values"]["data"] if isinstance(step["values"], dict) else step["values"], dtype=object)
            for step in steps}


def drawn_in(page):
    """What the script of a page is given, a head an entry."""
    return [json.loads(text) for text in
            re.findall(r'<script type="application/json">(.*?)</script>', page, re.S)]


def softmax(scores, open_, factor=1.0, base=0, sink=None):
    scores = np.where(open_, scores * factor, -np.inf)
    largest = max(scores.max(), -np.inf if sink is None else sink * factor)
    power = np.exp if base == 0 else lambda x: base ** x
    powers = np.where(open_, power(scores - largest), 0)
    return powers / (powers.sum() + (0 if sink is None else power(sink * factor - largest)))


def numbers_of(vectors):
    return np.array([one["numbers"] for one in vectors], dtype=float)


def rows_of(text):
    """The rows of the table of keys in a terminal: name, length, angle, cosine, …"""
    found, inside = [], False
    for line in text.splitlines():
        if re.match(r"  key +length", line):
            inside = True
        elif inside and not line.strip():
            break
        elif inside:
            found.append([cell.replace("−", "-").rstrip("°") for cell in re.split(r"  +", line.strip())])
    return found


def random_problem(generator, width, value_width, tokens, causal):
    draw = lambda *shape: np.round(generator.normal(size=shape), 2).tolist()
    return {"tokens": [f"t{i}" for i in range(tokens)], "queries": draw(tokens, width), "keys": draw(tokens, width),
            "values": draw(tokens, value_width), **({"causal": True} if causal else {})}


def is_within(point, corners):
    """Whether a point lies within the polygon of these corners, counterclockwise, or on its edge."""
    corners = np.array(corners, dtype=float)
    size = np.abs(corners).max() + 1
    if len(corners) < 3:
        along = corners[-1] - corners[0]
        share = np.dot(point - corners[0], along) / max(np.dot(along, along), 1e-300)
        return np.linalg.norm(corners[0] + np.clip(share, 0, 1) * along - point) < 1e-9 * size
    for a, b in zip(corners, np.roll(corners, -1, axis=0)):
        if (b[0] - a[0]) * (point[1] - a[1]) - (b[1] - a[1]) * (point[0] - a[0]) < -1e-9 * size ** 2:
            return False
    return True


class Numbers(unittest.TestCase):
    def test_lengths_angles_cosines_and_products_are_those_of_numpy(self):
        generator = np.random.default_rng(7)
        for width in (1, 2, 3, 4, 9):
            problem = random_problem(generator, width, 3, 5, causal=False)
            text = attn("run", "-", "--geometry", "--query", 2, "--precision", 12, "--explain", "result", problem=problem)
            q, keys = np.array(problem["queries"])[1], np.array(problem["keys"])
            weights = softmax(keys @ q / math.sqrt(width), np.ones(5, bool))
            rows = rows_of(text)
            self.assertEqual(len(rows), 5)
            for key, row in enumerate(rows):
                length, angle, cosine, product = map(float, row[1:5])
                k = keys[key]
                self.assertAlmostEqual(length, np.linalg.norm(k), 10)
                self.assertAlmostEqual(product, q @ k, 10)
                self.assertAlmostEqual(cosine, q @ k / np.linalg.norm(q) / np.linalg.norm(k), 10)
                self.assertAlmostEqual(math.cos(math.radians(angle)), cosine, 10)
                self.assertAlmostEqual(float(row[-1]), weights[key], 10)

    def test_principal_directions_are_singular_vectors_up_to_sign(self):
        generator = np.random.default_rng(3)
        for width, tokens in ((4, 6), (7, 5), (12, 4), (30, 3)):
            problem = random_problem(generator, width, width, tokens, causal=False)
            drawn, = drawn_in(attn("run", "-", "--format", "html", "--explain", "steps", problem=problem))
            both = np.array(problem["queries"] + problem["keys"])
            values = np.array(problem["values"])
            for plane, rows in ((drawn["arrows"], both), (drawn["points"], values - values.mean(axis=0))):
                _, sizes, directions = np.linalg.svd(rows)
                shares = sizes ** 2 / (sizes ** 2).sum()
                for at, name in enumerate(("right", "up")):
                    found = np.array(plane[name])
                    self.assertAlmostEqual(abs(found @ directions[at]), 1, 9)
                    self.assertGreater(found[np.argmax(np.abs(found) > np.abs(found).max() * (1 - 1e-9))], 0)
                    self.assertIn(f"({round(100 * shares[at])} %)", plane["names"][at])

    def test_rope_turns_the_query_as_numpy_does(self):
        generator = np.random.default_rng(5)
        problem = {**random_problem(generator, 4, 2, 4, causal=False), "positions": "rope"}
        text = attn("run", "-", "--geometry", "--query", 4, "--precision", 9, "--explain", "result", problem=problem)
        q = np.array(problem["queries"])[3]
        for pair in (0, 1):
            angle = 3 / 10000 ** (2 * pair / 4)
            x, y = q[pair], q[pair + 2]
            turned = complex(x, y) * complex(math.cos(angle), math.sin(angle))
            line = next(line for line in text.splitlines() if re.match(rf"  {pair + 1} +\(", line))
            cells = [float(number.replace("−", "-")) for number in re.findall(r"−?\d+(?:\.\d+)?", line)[1:]]
            self.assertAlmostEqual(cells[0], x, 8)
            self.assertAlmostEqual(cells[4], angle, 8)
            self.assertAlmostEqual(cells[5], math.degrees(angle), 6)
            self.assertAlmostEqual(cells[6], turned.real, 8)
            self.assertAlmostEqual(cells[7], turned.imag, 8)

    def test_rope_is_not_said_to_turn_numbers_that_it_leaves(self):
        problem = {**random_problem(np.random.default_rng(5), 4, 2, 4, causal=False), "positions": {"type": "rope", "dims": 2}}
        told = " ".join(attn("run", "-", "--geometry", "--query", 4, problem=problem).split())
        self.assertIn("Position 3 turns pairs of numbers of the query, each by an angle of its own", told)

    def test_temperature_sharpens_as_softmax_of_so_many_times_the_scores(self):
        generator = np.random.default_rng(11)
        problem = random_problem(generator, 2, 2, 4, causal=True)
        text = attn("run", "-", "--geometry", "--query", 3, "--precision", 10, "--explain", "result", problem=problem)
        q, keys = np.array(problem["queries"])[2], np.array(problem["keys"])
        table = text[text.index("× 1/4"):].splitlines()[1:5]
        for column, factor in enumerate((0.25, 0.5, 1, 2, 4)):
            expected = softmax(keys @ q / math.sqrt(2), np.arange(4) < 3, factor)
            for key, line in enumerate(table):
                self.assertAlmostEqual(float(line.split()[-5 + column]), expected[key], 9)

    def test_the_context_lies_within_the_hull_of_the_open_values_wherever_that_is_said(self):
        generator = np.random.default_rng(13)
        problems = [random_problem(generator, int(generator.integers(1, 6)), int(generator.integers(1, 6)),
                                   int(generator.integers(1, 7)), bool(generator.integers(2))) for _ in range(40)]
        pages = [attn("run", "-", "--format", "html", "--explain", "steps", problem=problem) for problem in problems]
        for path in sorted(DATA.glob("*.json")):
            if ".golden" not in path.name:
                pages.append(attn("run", path, "--format", "html", "--explain", "steps"))
        said = 0
        for page in pages:
            for drawn in drawn_in(page):
                keys, values = numbers_of(drawn["keys"]), numbers_of(drawn["values"])
                rule, at = drawn["rule"], drawn["query"]
                query = numbers_of(drawn["queries"])[at]
                products = keys @ query
                if rule["cosine"]:
                    products = products / np.maximum(np.linalg.norm(keys, axis=1) * np.linalg.norm(query), 1e-300)
                scores = products * rule["scale"]
                if rule["cap"]:
                    scores = rule["cap"] * np.tanh(scores / rule["cap"])
                count = len(keys)
                if rule["biases"]:
                    scores = scores + np.nan_to_num(np.array(rule["biases"][at * count:(at + 1) * count], dtype=float))
                open_ = np.array(rule["open"][at * count:(at + 1) * count], bool)
                if not open_.any():
                    continue
                weights = softmax(scores, open_, base=rule["base"], sink=rule["sinks"][at] if rule["sinks"] else None)
                flat = values @ np.array([drawn["points"]["right"], drawn["points"]["up"]]).T
                corners = flat[open_] if not drawn["zero"] else np.vstack([flat[open_], [0, 0]])
                self.assertTrue(is_within(weights @ flat, hull_of(corners)))
                said += 1
        self.assertGreater(said, 80)

    def test_a_page_recomputes_from_what_it_is_given_what_the_trace_has(self):
        for path in sorted(DATA.glob("*.json")):
            if ".golden" in path.name:
                continue
            page = attn("run", path, "--format", "html", "--explain", "steps")
            for details in re.findall(r'<details class="geometry">.*?</details>', page, re.S):
                if not drawn_in(details):
                    continue
                drawn, = drawn_in(details)
                weights = re.search(r'<div class="numbers">.*?</div>', details, re.S).group()
                shown = [row.split("<td>")[-1].split("</td>")[0] for row in weights.split("<tr>")[2:]]
                rule, at, keys = drawn["rule"], drawn["query"], numbers_of(drawn["keys"])
                query, count = numbers_of(drawn["queries"])[at], len(keys)
                products = keys @ query
                if rule["cosine"]:
                    products = products / np.maximum(np.linalg.norm(keys, axis=1) * np.linalg.norm(query), 1e-300)
                scores = products * rule["scale"]
                if rule["cap"]:
                    scores = rule["cap"] * np.tanh(scores / rule["cap"])
                if rule["biases"]:
                    scores = scores + np.nan_to_num(np.array(rule["biases"][at * count:(at + 1) * count], dtype=float))
                open_ = np.array(rule["open"][at * count:(at + 1) * count], bool)
                expected = softmax(scores, open_, base=rule["base"], sink=rule["sinks"][at] if rule["sinks"] else None)
                for key in range(count):
                    with self.subTest(path=path.name, key=key):
                        if not open_[key]:
                            self.assertEqual(shown[key], "closed")
                        else:
                            self.assertAlmostEqual(float(shown[key]), expected[key], 3)


def hull_of(points):
    """Corners counterclockwise, by brute force on sorted points."""
    points = sorted(map(tuple, np.unique(np.round(points, 12), axis=0)))
    if len(points) < 3:
        return points
    def half(all_):
        chain = []
        for p in all_:
            while len(chain) > 1 and np.cross(np.subtract(chain[-1], chain[-2]), np.subtract(p, chain[-2])) <= 0:
                chain.pop()
            chain.append(p)
        return chain[:-1]
    return half(points) + half(points[::-1])


class Formats(unittest.TestCase):
    def setUp(self):
        generator = np.random.default_rng(17)
        self.problem = {"title": "Two & three <numbers>", **random_problem(generator, 2, 3, 4, causal=True)}
        self.folder = tempfile.mkdtemp(prefix="attn-geometry-")
        self.addCleanup(shutil.rmtree, self.folder, True)

    def angles(self, query):
        q = np.array(self.problem["queries"])[query]
        return [math.degrees(math.acos(np.clip(q @ k / np.linalg.norm(q) / np.linalg.norm(k), -1, 1)))
                for k in np.array(self.problem["keys"])]

    def test_the_figure_is_well_formed_and_names_every_key_with_its_angle_once(self):
        for theme in ("safe", "classic"):
            figure = xml.fromstring(attn("run", "-", "--geometry", "--query", 3, "--format", "svg", "--theme", theme,
                                         problem=self.problem))
            texts = ["".join(text.itertext()) for text in figure.iter(SVG + "text")]
            for key, angle in enumerate(self.angles(2)):
                self.assertEqual(sum(f"t{key} · {angle:.1f}°" in text for text in texts), 1, texts)
            self.assertIn("hull", figure.find(SVG + "desc").text)
            self.assertFalse([text for text in texts if text.startswith("K =")], "nothing but geometry")

    def test_every_format_has_the_same_angles(self):
        wanted = [f"{angle:.4f}" for angle in self.angles(2)]
        for format, degree in (("text", "°"), ("markdown", "°"), ("latex", ""), ("html", "°")):
            written = attn("run", "-", "--geometry", "--query", 3, "--format", format, problem=self.problem)
            for angle in wanted:
                self.assertIn(angle + degree, written, format)

    def test_names_of_a_figure_do_not_lie_over_each_other(self):
        for path in ("twelve-words.json", "worked-example.json", "the-cat-sat-on-the-mat.json", "eight-heads-batch.json"):
            figure = xml.fromstring(attn("run", DATA / path, "--geometry", "--format", "svg"))
            for group in figure.iter(SVG + "g"):
                places = [(text.get("text-anchor"), float(text.get("x")), float(text.get("y"))) for text in group.findall(SVG + "text")]
                for anchor in (None, "end"):
                    heights = sorted(y for side, x, y in places if side == anchor and x in (136, 384))
                    for above, below in zip(heights, heights[1:]):
                        self.assertGreaterEqual(below - above, 15.9, path)

    def test_documents_in_latex_compile_and_a_fragment_does_with_tikz_and_without(self):
        if not shutil.which("pdflatex"):
            self.skipTest("no pdflatex")
        def compiles(name):
            done = subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", name], cwd=self.folder,
                                  capture_output=True, text=True, errors="replace")
            self.assertEqual(done.returncode, 0, done.stdout[-1500:])
        for option in ("--standalone", "--beamer"):
            attn("run", "-", "--geometry", "--query", 3, option, "-o", f"{self.folder}/whole.tex", problem=self.problem)
            compiles("whole.tex")
        attn("run", "-", "--geometry", "--query", 3, "-o", f"{self.folder}/part.tex", problem=self.problem)
        for packages in ("", "\\usepackage{tikz}"):
            Path(self.folder, "around.tex").write_text(
                f"\\documentclass{{article}}\\usepackage{{amsmath,amssymb}}{packages}\\begin{{document}}\\input{{part}}\\end{{document}}")
            compiles("around.tex")

    def test_what_cannot_be_drawn_is_said(self):
        self.assertIn("--geometry", attn("run", DATA / "worked-example.json", "--geometry", "--only", "scores", fails=True))
        self.assertIn("--geometry", attn("run", DATA / "worked-example.json", "--geometry", "--format", "json", fails=True))
        big = {"queries": [[1, 0]] * 200, "keys": [[1, 0]] * 200, "values": [[1]] * 200}
        self.assertIn("200 keys", attn("run", "-", "--geometry", problem=big, fails=True))

    def test_degenerate_vectors_are_drawn_or_left_out_and_nothing_is_claimed_of_them(self):
        zero = {"queries": [[0, 0]] * 2, "keys": [[0, 0]] * 2, "values": [[0, 0]] * 2}
        one = {"queries": [[1]], "keys": [[2]], "values": [[3]]}
        line = {"queries": [[1, 1, 1, 1]], "keys": [[1, 1, 1, 1], [2, 2, 2, 2]], "values": [[1, 1], [2, 2]]}
        huge = {"queries": [[1e150, 0]], "keys": [[1e150, 1e150], [0, 1e-150]], "values": [[1e150], [0]]}
        for problem in (zero, one, line, huge):
            for format in ("svg", "html", "text", "latex", "markdown"):
                written = attn("run", "-", "--geometry", "--format", format, problem=problem)
                written = re.sub(r"<script>.*</script>", "", written, flags=re.S)
                self.assertNotRegex(written, r"\b-?nan\b|NaN|\binf\b")
        self.assertIn("—", attn("run", "-", "--geometry", problem=zero))
        self.assertIn("45°", attn("run", "-", "--geometry", problem=huge))

    def test_places_in_a_drawing_are_finite_whatever_the_numbers(self):
        values = [[1, 2], [3, 4]]
        infinite = {"queries": [[1, 0]], "keys": [["inf", 0], [1, 1]], "values": values, "score": "dot"}
        tiny = {"queries": [[1e-310, 0]], "keys": [[1e-310, 0], [0, 1e-310]], "values": values}
        steep = {"queries": [[1, 2]], "keys": [[1, 0], [0, 1]], "values": values, "mask": {"add": [[1e308, 0]]}}
        wide = {"queries": [[1, 2]], "keys": [[1, 0], [0, 1]], "values": [[1e308, 0], [-1e308, 0]]}
        for problem in (infinite, tiny, steep, wide):
            written = attn("run", "-", "--geometry", "--format", "svg", problem=problem)
            self.assertNotRegex(written, r'="[^"]*\b(nan|inf)\b[^"]*"')

    def test_only_what_holds_is_said_of_scores_and_contexts(self):
        said = lambda name: " ".join(attn("run", DATA / name, "--geometry", "--explain", "result").split())
        self.assertIn("not the dot product alone", said("relative.json"))
        self.assertIn("not vectors of one width", said("score-additive.json"))
        self.assertIn("S = cos θ", said("score-cosine.json"))
        self.assertIn("the hull of the values that are open and zero", said("softmax-sink.json"))
        self.assertIn("their hull need not hold it", said("relative.json"))
        self.assertNotIn("·cos", said("score-additive.json") + said("relative.json"))

    def test_what_is_said_of_angles_and_lengths_holds_on_both_sides_of_90_degrees(self):
        short, long, angles = 1, 3, (20, 70, 110, 160)
        keys = [[length * math.cos(math.radians(angle)), length * math.sin(math.radians(angle))]
                for angle in angles for length in (short, long)]
        problem = {"queries": [[2, 0]] * 8, "keys": keys, "values": [[1]] * 8}
        text = attn("run", "-", "--geometry", "--explain", "result", problem=problem)
        self.assertIn("of two keys of one length, that at the smaller angle has the larger score; a longer key makes the "
                      "score larger below 90°, and smaller beyond.", " ".join(text.split()))
        scores = {(row[1], float(row[2])): float(row[4]) for row in rows_of(text)}
        lengths = sorted({length for length, _ in scores}, key=float)
        self.assertEqual(len(scores), 8)
        for length in lengths:
            in_order = [scores[length, angle] for angle in angles]
            self.assertEqual(in_order, sorted(in_order, reverse=True))
        for angle in angles:
            self.assertEqual(scores[lengths[1], angle] > scores[lengths[0], angle], angle < 90)

    def test_a_dashed_line_and_a_sink_are_spoken_of_where_they_are(self):
        with_line = 0
        for path in sorted(DATA.glob("*.json")):
            if ".golden" in path.name:
                continue
            with self.subTest(path=path.name):
                figure = xml.fromstring(attn("run", path, "--geometry", "--format", "svg"))
                said = figure.find(SVG + "desc").text
                ways = [line.get("points").split() for line in figure.iter(SVG + "polyline")
                        if line.get("stroke-dasharray") and len(line.get("points").split()) > 10]
                self.assertEqual("dashed line" in said, bool(ways))
                for way in ways:
                    places = np.array([list(map(float, place.split(","))) for place in way])
                    self.assertGreater(np.ptp(places, axis=0).max(), 0.2)  # a line, and no dot
                    with_line += 1
                if "sink" in said:
                    self.assertIn('"sink"', path.read_text(encoding="utf-8"))
        self.assertGreater(with_line, 20)

    def test_pictures_and_tables_have_names_of_their_own(self):
        text = attn("run", DATA / "twelve-words.json", "--geometry", "--format", "latex")
        for name in ("Temperature as sharpening", "Weights, from blunt to sharp"):
            self.assertEqual(text.count(name), 1, name)

    def test_it_is_said_where_what_is_shown_has_no_queries_keys_and_weights(self):
        block, example = DATA / "block-by-hand.json", DATA / "worked-example.json"
        self.assertIn("no attention is among what is shown",
                      attn("run", block, "--geometry", "--part", "layer1.ffn", fails=True))
        self.assertIn("its queries, keys and weights are not all steps here",
                      attn("run", example, "--geometry", "--algorithm", "online", fails=True))

    def test_of_several_attentions_only_that_is_drawn_which_is_asked_for(self):
        for layer in (1, 2):
            titles = re.findall(r"Layer \d · self-attention · [^<]*Query \d", attn(
                "run", DATA / "induction.json", "--geometry", "--part", f"layer{layer}.self", "--format", "svg"))
            self.assertTrue(titles)
            self.assertEqual({title.split(" · ")[0] for title in titles}, {f"Layer {layer}"})

    def test_a_query_that_sees_nothing_takes_nothing(self):
        problem = {"queries": [[1, 0], [0, 1]], "keys": [[1, 2], [0, 1]], "values": [[1, 2], [3, 4]],
                   "mask": {"allow": [[1, 1], [0, 0]]}}
        said = "Every key is closed to this query: it takes nothing."
        for query, sees_nothing in ((1, False), (2, True)):
            text = attn("run", "-", "--geometry", "--query", query, "--explain", "result", problem=problem)
            self.assertEqual(said in text, sees_nothing)
            self.assertEqual("Weights, from blunt to sharp" in text, not sees_nothing)
            figure = xml.fromstring(attn("run", "-", "--geometry", "--query", query, "--format", "svg", problem=problem))
            words = [text.text for text in figure.iter(SVG + "text")]
            self.assertEqual(f"c{'₁₂'[query - 1]}" in words, not sees_nothing)  # the name of the context

    def test_a_query_of_zeros_is_turned_to_where_it_was(self):
        problem = {"queries": [[0, 0, 0, 0]], "keys": [[1, 0, 0, 2], [0, 1, 1, 1], [1, 1, 1, 1]],
                   "values": [[1], [2], [3]], "positions": "rope"}
        figure = attn("run", "-", "--geometry", "--format", "svg", problem=problem)
        self.assertIn("pair 2", figure)
        self.assertNotRegex(figure.lower(), r"\bnan\b")
        self.assertEqual(re.findall(r'<circle [^>]*r="([\d.]+)" fill="none"', figure), ["0", "0"])

    def test_of_many_keys_those_of_the_largest_weights_are_told(self):
        count = 20
        problem = {"queries": [[1, 0]], "keys": [[(7 * i % count) / 7, 1] for i in range(count)],
                   "values": [[i] for i in range(count)]}
        figure = xml.fromstring(attn("run", "-", "--geometry", "--format", "svg", problem=problem))
        subscripts = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
        told = set(re.findall(r" k([₀-₉]+): ", figure.find(SVG + "desc").text))
        largest = sorted(range(count), key=lambda i: -problem["keys"][i][0])[:16]
        self.assertEqual(told, {str(i + 1).translate(subscripts) for i in largest})

    def test_vectors_that_are_not_multiplied_are_those_of_the_head_and_the_sequence(self):
        inputs = [[[1, 0.5, 0, 2], [0, 2, 1, 1]], [[0.5, 1, 2, -1], [1, -1, 0, 0.5]]]
        weights = {"query": [[1, 0.5, 0, 1], [0, 1, 1, 0.5], [-1, 0, 0.5, 1], [0.5, 1, -0.5, 0]],
                   "key": [[0, 1, 1, 0.5], [1, 0.5, 0, -1], [1, -1, 0.5, 0], [0.5, 0, 1, 1]],
                   "value": [[1, 2, 0, 0.5], [0, 1, 1, -1], [2, 0, 0.5, 1], [0.5, -1, 2, 0]]}
        score = {"type": "additive", "query": [[0.5, 1], [0, -0.5]], "key": [[1, 0], [-0.5, 0.5]], "v": [2, -1.5]}
        heads = {"inputs": inputs, "heads": 2, "weights": weights, "score": score}
        for sequence in (0, 1):
            keys = np.array(inputs[sequence]) @ np.array(weights["key"])
            for head in (0, 1):
                text = attn("run", "-", "--geometry", "--explain", "result", "--precision", 9, "--batch", sequence + 1,
                            "--head", head + 1, problem=heads)
                self.expect_lengths(text, keys[:, 2 * head:2 * head + 2])
        turned = {name: np.array(weight)[:, :2].T.tolist() for name, weight in weights.items()}
        columns = {"inputs": np.array(inputs[0]).T.tolist(), "vectors": "columns", "weights": turned, "score": score}
        text = attn("run", "-", "--geometry", "--explain", "result", "--precision", 9, problem=columns)
        self.expect_lengths(text, np.array(inputs[0]) @ np.array(weights["key"])[:, :2])

    def expect_lengths(self, text, keys):
        rows = rows_of(text)
        self.assertEqual(len(rows), len(keys))
        for row, key in zip(rows, keys):
            self.assertAlmostEqual(float(row[1]), np.linalg.norm(key), 8)

    def test_a_page_has_pictures_where_there_is_room_for_them(self):
        def has_pictures(queries, width):
            page = attn("run", "-", "--format", "html", problem={
                "queries": [[1, 0]] * queries, "keys": [[1, 0], [0, 1]], "values": [[1] * width, [2] * width]})
            return '<details class="geometry">' in page
        self.assertTrue(has_pictures(40, 128))
        self.assertFalse(has_pictures(41, 128))
        self.assertFalse(has_pictures(40, 129))

    def test_a_sink_that_takes_less_than_a_last_digit_leaves_the_hull_of_the_values(self):
        problem = {"queries": [[1, 0]], "keys": [[x, 0] for x in (-1.0, -1.56, 0.5, -0.62, -1.72, -1.36)],
                   "values": [[i] for i in range(6)], "softmax": {"sink": -2000}}
        (step,) = [step for step in json.loads(attn("run", "-", "--format", "json", problem=problem))["steps"]
                   if step["id"] == "attention_weights"]
        self.assertGreater(functools.reduce(operator.add, np.ravel(step["data"])), 1)  # from left to right
        text = " ".join(attn("run", "-", "--geometry", "--explain", "result", problem=problem).split())
        self.assertIn("they sum to 1, it lies within the hull of the values that are open.", text)

    def test_attentions_of_every_kind_have_geometry(self):
        for path in sorted(DATA.glob("*.json")):
            if ".golden" not in path.name:
                with self.subTest(path=path.name):
                    xml.fromstring(attn("run", path, "--geometry", "--format", "svg"))


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if browser.webdriver is None or not browser.CHROMIUM or not browser.DRIVER:
            raise unittest.SkipTest("no browser")
        cls.browser = browser.Browser()
        cls.folder = tempfile.mkdtemp(prefix="attn-geometry-")

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        shutil.rmtree(cls.folder, True)

    def open(self, problem, *options):
        path = os.path.join(self.folder, "page.html")
        attn("run", "-", "-o", path, *options, problem=problem)
        self.browser.open(path)
        self.browser.run("document.querySelector('details.geometry').open = true")
        self.assertTrue(self.browser.eventually("return document.querySelector('.geometry .live') !== null"))
        return drawn_in(Path(path).read_text())[0]

    def table(self):
        rows = self.browser.run("return [...document.querySelectorAll('.geometry .live tbody tr')].map(row => [...row.cells].map(cell => cell.textContent))")
        return [[cell.replace("−", "-").rstrip("°") for cell in row] for row in rows]

    def test_letters_can_be_read_on_a_phone(self):
        self.browser.resize(390, 800)
        try:
            for width in (2, 3, 4):
                self.open(random_problem(np.random.default_rng(47), width, 3, 4, causal=False))
                smallest, farthest = self.browser.run("""
                    const texts = [...document.querySelectorAll(".geometry figure text")];
                    const size = (text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a;
                    return [Math.min(...texts.map(size)), Math.max(...texts.map((text) => text.getBoundingClientRect().right))];""")
                self.assertGreaterEqual(smallest, 11, width)
                self.assertLessEqual(farthest, 390, width)
        finally:
            self.browser.resize(1280, 900)

    def drag(self, tip, dx, dy):
        """By so many units of the drawing."""
        scale = self.browser.run("const svg = document.querySelector('.geometry svg'); return svg.getBoundingClientRect().width / svg.viewBox.baseVal.width")
        target = self.browser.driver.find_element("css selector", f'[data-tip="{tip}"]')
        self.browser.run("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", target)
        actions = browser.ActionChains(self.browser.driver, duration=0)
        actions.move_to_element(target).click_and_hold().move_by_offset(round(dx * scale), round(dy * scale)).release().perform()
        return round(dx * scale) / scale, round(dy * scale) / scale

    def expect(self, problem, queries, keys, asked, factor=1.0):
        scores = keys @ queries[asked] / math.sqrt(keys.shape[1])
        weights = softmax(scores, np.ones(len(keys), bool), factor)
        for key, row in enumerate(self.table()):
            self.assertAlmostEqual(float(row[3]), keys[key] @ queries[asked], 2)
            self.assertAlmostEqual(float(row[5]), weights[key], 2)

    def test_dragging_a_key_changes_the_weights_as_computed_independently(self):
        generator = np.random.default_rng(19)
        for width in (2, 3, 5):
            problem = random_problem(generator, width, 2, 4, causal=False)
            drawn = self.open(problem)
            plane, asked = drawn["arrows"], drawn["query"]
            queries, keys = np.array(problem["queries"]), np.array(problem["keys"])
            self.expect(problem, queries, keys, asked)
            flat = np.vstack([queries, keys, np.zeros((1, width))]) @ np.array([plane["right"], plane["up"]]).T
            scale = 220 / (flat.max(axis=0) - flat.min(axis=0)).max()
            dx, dy = self.drag("arrows-key-1", 30, -40)
            keys[1] += (dx * np.array(plane["right"]) - dy * np.array(plane["up"])) / scale
            self.expect(problem, queries, keys, asked)
            notice = "return getComputedStyle(document.querySelector('.geometry .steer strong')).visibility"
            self.assertEqual(self.browser.run(notice), "visible")
            self.browser.run("document.querySelector('.geometry .steer button').click()")
            self.assertEqual(self.browser.run(notice), "hidden")
            self.expect(problem, queries, np.array(problem["keys"]), asked)
            self.assertEqual(self.browser.complaints(), [])

    def test_the_keyboard_moves_a_tip_and_says_what_came_of_it(self):
        generator = np.random.default_rng(23)
        problem = random_problem(generator, 2, 2, 3, causal=False)
        self.open(problem)
        before = self.table()
        self.browser.run("document.querySelector('[data-tip=\"arrows-key-0\"]').focus()")
        for _ in range(5):
            self.browser.press("ArrowUp")
        self.assertNotEqual(self.table(), before)
        self.assertEqual(self.browser.run("return document.activeElement.dataset.tip"), "arrows-key-0")
        self.assertIn("Weights: ", self.browser.run("return document.querySelector('.geometry output').textContent"))

    def test_sharpness_is_a_factor_of_what_softmax_reads(self):
        generator = np.random.default_rng(29)
        problem = random_problem(generator, 2, 2, 3, causal=False)
        drawn = self.open(problem)
        self.browser.run("const heat = document.querySelector('.geometry input[type=range]'); heat.value = 2; heat.dispatchEvent(new Event('input'))")
        self.expect(problem, np.array(problem["queries"]), np.array(problem["keys"]), drawn["query"], factor=4)

    def test_space_turns_and_the_numbers_stay(self):
        generator = np.random.default_rng(31)
        self.open(random_problem(generator, 3, 2, 3, causal=False))
        before = self.table()
        tips = """return [...document.querySelectorAll('[data-tip^="arrows-"] circle')].map(
            (tip) => [tip.getAttribute("cx"), tip.getAttribute("cy")].map(Number))"""
        at = self.browser.run(tips)
        self.browser.run("document.querySelector('[data-tip=\"arrows-space\"]').focus()")
        self.browser.press("ArrowRight", "ArrowRight")
        self.assertNotEqual(self.browser.run(tips), at)
        self.assertEqual(self.table(), before)
        # However far it is turned, all stays in the drawing, and no arrow runs into a name.
        for _ in range(12):
            self.browser.press(*["ArrowRight"] * 4, *["ArrowDown"] * 2)
            for x, y in self.browser.run(tips):
                self.assertTrue(149 <= x <= 371 and 25 <= y <= 247, (x, y))

    def test_a_tip_that_is_dragged_out_of_the_drawing_is_in_it_when_let_go(self):
        for width in (2, 3):
            self.open(random_problem(np.random.default_rng(41), width, 2, 3, causal=False))
            self.drag("arrows-key-0", 160, -30)
            x, y = self.browser.run("""const tip = document.querySelector('[data-tip="arrows-key-0"] circle');
                return [tip.getAttribute("cx"), tip.getAttribute("cy")].map(Number);""")
            self.assertTrue(145 <= x <= 375 and 21 <= y <= 251, (x, y))

    def test_who_has_no_pointer_is_told_how_to_move(self):
        self.open(random_problem(np.random.default_rng(43), 3, 2, 3, causal=False))
        told = self.browser.run("""return [...document.querySelectorAll(".geometry [data-tip]")].map(
            (tip) => document.getElementById(tip.getAttribute("aria-describedby")).textContent)""")
        self.assertGreater(len(told), 6)
        for words in told:
            self.assertIn("arrow key", words)

    def test_nothing_leaves_the_frame_from_whatever_side_space_is_seen(self):
        generator = np.random.default_rng(41)
        self.open(random_problem(generator, 3, 2, 3, causal=False))
        outside = """return [...document.querySelectorAll('[data-kind=arrows] .tip-of circle, [data-kind=arrows] text')].filter((one) => {
            const box = one.getBBox(), all = one.closest('svg').viewBox.baseVal;
            return box.x + box.width / 2 < 0 || box.y < -12 || box.x + box.width / 2 > all.width || box.y + box.height > all.height + 12;
        }).length"""
        self.browser.run("document.querySelector('[data-tip=\"arrows-space\"]').focus()")
        for _ in range(12):
            self.browser.press(*["ArrowRight"] * 10, *["ArrowDown"] * 3)
            self.assertEqual(self.browser.run(outside), 0)
        self.assertTrue(self.browser.run("return document.querySelector('.steer ~ .steer').textContent.includes('another side')"))

    def test_another_query_can_be_chosen(self):
        generator = np.random.default_rng(37)
        problem = random_problem(generator, 2, 2, 3, causal=False)
        self.open(problem)
        self.browser.run("const select = document.querySelector('.geometry select'); select.selectedIndex = 2; select.dispatchEvent(new Event('change'))")
        self.expect(problem, np.array(problem["queries"]), np.array(problem["keys"]), 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
