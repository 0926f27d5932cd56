"""Questions for course systems: `--format moodle` and `--format gift`, read back."""

import html
import html.parser
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "property"))

from slow import SLOW, share

ATTN = os.path.abspath(os.environ["ATTN"])
ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
DATA = os.path.join(ROOT, "data")
ENVIRONMENT = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
EXAMPLES = ["worked-example", "worked-example-causal", "worked-example-scaled", "worked-example-rounded",
            "cross-attention", "softmax-sink", "score-additive", "tom-yeh-three-heads", "ragged-batch", "zero-key",
            "block-by-hand", "mask-allow"]
if SLOW:
    EXAMPLES = EXAMPLES[:4]
MODES = ["half-up", "half-even", "truncate", "keep-sum"]
HOSTILE = "a<b>&\"'~=#{1:NUMERICAL:=1:1} ]]> \\ :: // [html] {#2} é"


def run(*words, text=None):
    done = subprocess.run([ATTN, *words], input=text, capture_output=True, encoding="utf-8", env=ENVIRONMENT,
                          timeout=300)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def path_of(name):
    return os.path.join(DATA, name + ".json")


def problem_of(name):
    with open(path_of(name), encoding="utf-8") as file:
        return json.loads("\n".join(line for line in file.read().split("\n") if not line.strip().startswith("//")))


def trace_of(name, *more):
    return {step["id"]: step for step in json.loads(run("run", path_of(name), "--format", "json", *more))["steps"]}


def flat(data):
    return [number for one in data for number in flat(one)] if isinstance(data, list) else [data]


class Tables(html.parser.HTMLParser):
    """Text of a question's HTML, and the cells of its tables."""

    def __init__(self, text):
        super().__init__()
        self.text, self.cells, self.tags = "", [], set()
        self.cell = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        if tag in ("td", "th"):
            self.cell = ""

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.cells.append(self.cell)
            self.cell = None

    def handle_data(self, data):
        self.text += data
        if self.cell is not None:
            self.cell += data


ITEM = re.compile(r"\{(\d+):NUMERICAL:([^{}]*)\}")


def alternatives(written):
    """[(value, tolerance)] of "=4.66:0.005~=4.665:0.0100"."""
    found = re.findall(r"(?:^|[~ ])=?([^:~= ]+):([^:~= ]+)", written)
    assert found, written
    return [(float(value), float(tolerance)) for value, tolerance in found]


def is_accepted(item, number):
    return any(abs(number - value) <= tolerance + 1e-12 for value, tolerance in item)


def moodle(text):
    """{title: (items, HTML)} of the cloze questions."""
    root = ElementTree.fromstring(text)
    assert root.tag == "quiz"
    questions = []
    for question in root.findall("question"):
        if question.get("type") in ("category", "description"):
            continue
        assert question.get("type") == "cloze"
        body = question.findtext("questiontext/text")
        feedback = question.findtext("generalfeedback/text")
        questions.append((question.findtext("name/text"), [alternatives(found[1]) for found in ITEM.findall(body)], body,
                          feedback))
    return questions


def gift(text):
    """[(title, item, HTML, feedback)] as Moodle's own reader takes GIFT apart."""
    questions = []
    for block in re.split(r"\n\s*\n", text):
        if not block.strip() or block.startswith("$CATEGORY"):
            continue
        marked = re.sub(r"\\(.)", lambda found: f"\x00{ord(found[1])}\x01", block)
        plain = lambda part: re.sub("\x00(\\d+)\x01", lambda found: chr(int(found[1])), part)
        if re.fullmatch(r"::[^{}]*", marked.strip()):
            continue  # a description
        found = re.fullmatch(r"::(.*?)::\[html\](.*)\{#(.*?)####(.*)\}", marked.strip(), re.S)
        assert found, block
        assert "{" not in found[2] and "}" not in found[2], block
        questions.append((plain(found[1]), alternatives(found[3]), plain(found[2]), plain(found[4])))
    return questions


def asked_numbers(step):
    """Its numbers that have to be asked for: what is closed is not."""
    return [number for number in flat(step["data"]) if not isinstance(number, str)]


class Questions(unittest.TestCase):
    def test_each_step_is_a_question_with_its_numbers_in_order(self):
        for name in ("worked-example", "worked-example-scaled", "cross-attention"):
            trace = trace_of(name)
            titles = {step["title"]: step for step in trace.values()} if "title" in next(iter(trace.values())) else None
            questions = moodle(run("run", path_of(name), "--format", "moodle"))
            self.assertGreater(len(questions), 5)
            remaining = [step for step in trace.values()]
            for title, items, _, _ in questions:
                # In the order of the computation; a step of as many numbers that all are accepted.
                while remaining:
                    step = remaining.pop(0)
                    numbers = asked_numbers(step)
                    if len(numbers) == len(items) and all(map(is_accepted, items, numbers)):
                        break
                else:
                    self.fail(f"{name}: {title} belongs to no step")

    def test_gift_asks_the_same_with_the_same_answers(self):
        for name in EXAMPLES:
            cloze = [item for question in moodle(run("run", path_of(name), "--format", "moodle")) for item in question[1]]
            numerical = [question[1] for question in gift(run("run", path_of(name), "--format", "gift"))]
            self.assertEqual(cloze, numerical, name)

    def test_formats_are_found_by_ending(self):
        with tempfile.TemporaryDirectory() as folder:
            for ending, format in ((".moodle.xml", "moodle"), (".xml", "moodle"), (".gift", "gift")):
                path = os.path.join(folder, "lesson" + ending)
                run("run", path_of("worked-example"), "-o", path)
                with open(path, encoding="utf-8") as file:
                    self.assertEqual(file.read(), run("run", path_of("worked-example"), "--format", format))

    def test_only_some_steps_say_what_they_follow_from(self):
        whole = {question[0]: question for question in moodle(run("run", path_of("worked-example"), "--format", "moodle"))}
        some = moodle(run("run", path_of("worked-example"), "--only", "attention_weights", "--format", "moodle"))
        self.assertEqual(len(some), 1)
        self.assertEqual(some[0], whole[some[0][0]])

    def test_closed_cells_are_shown_and_not_asked_for(self):
        questions = moodle(run("run", path_of("worked-example-causal"), "--format", "moodle"))
        masked = [question for question in questions if "−∞" in question[2]]
        self.assertTrue(masked)
        for _, items, body, _ in masked:
            self.assertEqual(len(items), 6)
            self.assertIn("Closed cells", body)
        self.assertNotIn("inf", " ".join(ITEM.sub("", question[2]) for question in questions))

    def test_the_formula_is_the_feedback(self):
        for _, _, _, feedback in moodle(run("run", path_of("worked-example"), "--format", "moodle")):
            self.assertIn("Formula: ", feedback)
            self.assertIn("=", feedback)


class Tolerances(unittest.TestCase):
    def items(self, name):
        return [item for question in moodle(run("run", path_of(name), "--format", "moodle")) for item in question[1]]

    def test_every_way_of_rounding_each_step_is_accepted(self):
        for name in EXAMPLES:
            digits = 1 if name == "worked-example-rounded" else problem_of(name).get("digits", 2)
            questions = moodle(run("run", path_of(name), "--format", "moodle"))
            for mode in MODES:
                trace = trace_of(name, "--hand-rounding", f"{digits}:{mode}")
                self.accepts(questions, list(trace.values()), digits, mode, name)

    def accepts(self, questions, steps, digits, mode, name):
        exact = [step["id"] for step in steps]
        for title, items, body, _ in questions:
            # The step that the question is of, by its exact numbers, is found above; here by how many are asked.
            fitting = [step for step in steps if len(asked_numbers(step)) >= len(items)]
            self.assertTrue(any(self.all_accepted(items, step, digits, mode) for step in fitting), (name, mode, title))

    @staticmethod
    def all_accepted(items, step, digits, mode):
        numbers = asked_numbers(step)
        written = [math.trunc(n * 10**digits + math.copysign(1e-9, n)) / 10**digits if mode == "truncate"
                   else round(n * 10**digits) / 10**digits for n in numbers]
        at = 0
        for item in items:
            while at < len(written) and not (is_accepted(item, written[at]) or is_accepted(item, round(numbers[at], digits))):
                at += 1
            if at == len(written):
                return False
            at += 1
        return True

    def test_what_is_accepted_is_what_check_accepts(self):
        """Of each number by itself, in units of the last decimal: what lies within is not wrong, what lies outside is."""
        for name in share(("worked-example", "worked-example-scaled", "cross-attention"), 2):
            trace = trace_of(name)
            for id in ("scores", "scaled_scores", "attention_weights", "context"):
                if id not in trace:
                    continue
                body = run("run", path_of(name), "--only", id, "--format", "moodle")
                items = moodle(body)[0][1]
                shape = trace[id]["shape"]
                self.assertEqual(len(items), math.prod(shape))
                for at in (0, len(items) // 2, len(items) - 1):
                    self.compare(name, id, [at // shape[1] + 1, at % shape[1] + 1], items[at])

    def compare(self, name, id, index, item):
        digits = problem_of(name).get("digits", 2)
        middle = round(item[0][0] * 10**digits)
        inside = [step for step in range(-20, 21) if is_accepted(item, (middle + step) / 10**digits)]
        self.assertTrue(inside and -20 < inside[0] and inside[-1] < 20, (name, id, item))
        self.assertEqual(inside, list(range(inside[0], inside[-1] + 1)))
        for step in range(inside[0] - 2, inside[-1] + 3):
            number = (middle + step) / 10**digits
            state = self.marked(name, id, index, f"{number:.{digits}f}")
            if step not in inside:
                self.assertEqual(state, "wrong", (name, id, index, number, item))
            elif step == 0 or id in ("scores", "scaled_scores"):
                # Of what follows from rounded numbers check holds one person to one way of rounding.
                self.assertNotEqual(state, "wrong", (name, id, index, number, item))

    def marked(self, name, id, index, written):
        answers = {"schema": "attn/answers/1", "steps": {id: {",".join(map(str, index)): written}}}
        report = json.loads(run("check", path_of(name), "-", "--format", "json", text=json.dumps(answers)))
        cells = report["steps"][0]["cells"]
        return cells[0]["state"] if cells else "right"

    def test_what_is_exact_has_no_tolerance(self):
        for value, tolerance in [item[0] for item in self.items("worked-example")]:
            self.assertGreaterEqual(tolerance, 0)
        whole = moodle(run("run", path_of("worked-example"), "--only", "scores", "--format", "moodle"))[0][1]
        self.assertEqual(whole, [[(n, 0)] for n in (2, 4, 4, 4, 16, 12, 4, 12, 10)])

    def test_fewer_decimals_leave_more_room(self):
        problem = problem_of("worked-example-scaled")
        widths = []
        for digits in (1, 2, 3, 4):
            problem["digits"] = digits
            text = run("run", "-", "--only", "context", "--format", "moodle", text=json.dumps(problem))
            items = moodle(text)[0][1]
            widths.append(max(tolerance for item in items for _, tolerance in item))
        self.assertEqual(widths, sorted(widths, reverse=True))
        self.assertLess(widths[3], widths[0] / 50)

    def test_where_every_step_is_to_be_whole_weights_may_have_been_rounded_so_or_not_at_all(self):
        problem = {"inputs": [[1, 0, 2], [0, 3, 1], [2, 1, 1]], "arithmetic": {"hand_rounding": "0"},
                   "weights": {"query": [[1, 0], [1, 1], [0, 1]], "key": [[0, 1], [1, 0], [1, 1]],
                               "value": [[44.5, 1], [-29, 5], [3, 3]]}}
        items = moodle(run("run", "-", "--only", "context", "--format", "moodle", text=json.dumps(problem)))[0][1]
        self.assertEqual(len(items), 2)  # to the others anything would be an answer
        for options in ([], ["--hand-rounding", "6"]):
            body = run("run", "-", "--only", "context", "--format", "json", *options, text=json.dumps(problem))
            last = json.loads(body)["steps"][0]["data"][-1]
            for item, number in zip(items, last):
                self.assertTrue(is_accepted(item, round(number)), (options, item, number))

    def test_a_number_far_down_has_more_room_than_one_rounding(self):
        items = moodle(run("run", path_of("worked-example-scaled"), "--only", "context", "--format", "moodle"))[0][1]
        self.assertTrue(any(tolerance > 5 * 0.0001 for item in items for _, tolerance in item))


class Long(unittest.TestCase):
    def test_what_is_given_at_length_is_said_once(self):
        problem = {"inputs": {"random": "normal", "shape": [16, 64], "seed": 1}, "digits": 4}
        for format in ("moodle", "gift"):
            text = run("run", "-", "--format", format, text=json.dumps(problem))
            self.assertEqual(text.count("Inputs</caption>"), 1, format)
            self.assertLess(len(text), 400000)

    def test_of_a_large_step_the_first_numbers_are_asked_as_of_a_small_one(self):
        problem = {"inputs": {"random": "normal", "shape": [150, 8], "seed": 1}, "digits": 4}
        steps = {title: items for title, items, _, _ in moodle(run("run", "-", "--format", "moodle",
                                                                   text=json.dumps(problem)))}
        scores = [items for title, items in steps.items() if title.startswith("Scores")]
        self.assertEqual({len(items) for items in scores}, {150})
        values = [item[0][0] for item in scores[0]]
        right = {step["id"]: step for step in json.loads(run("run", "-", "--format", "json",
                                                             text=json.dumps(problem)))["steps"]}
        for value, number in zip(values, flat(right["scores"]["data"])):
            self.assertAlmostEqual(value, number, delta=0.00006)

    def test_what_takes_more_memory_than_there_may_be_is_refused(self):
        problem = {"inputs": {"random": "normal", "shape": [500, 8], "seed": 1}}
        for format in ("moodle", "gift"):
            done = subprocess.run([ATTN, "run", "-", "--format", format, "--max-memory", "20MB"], env=ENVIRONMENT,
                                  input=json.dumps(problem), capture_output=True, encoding="utf-8", timeout=300)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn(f"{format} takes about ", done.stderr)
            self.assertIn("--max-memory is 20 MiB", done.stderr)

    def test_no_number_is_asked_that_could_be_anything(self):
        questions = moodle(run("run", path_of("induction"), "--format", "moodle"))
        self.assertTrue(questions)
        for _, items, _, _ in questions:
            for item in items:
                value, tolerance = item[-1]
                self.assertLessEqual(2 * tolerance, max(1, 2 * abs(value)) + 2 * tolerance / 10 + 0.05)


class Hostile(unittest.TestCase):
    def test_text_of_other_people_stays_text(self):
        problem = {"title": HOSTILE, "tokens": [HOSTILE + "1", HOSTILE + "2"], "inputs": [[1, 0], [0, 1]]}
        questions = moodle(run("run", "-", "--format", "moodle", text=json.dumps(problem)))
        plain = moodle(run("run", "-", "--format", "moodle", text=json.dumps({"inputs": [[1, 0], [0, 1]]})))
        self.assertEqual([question[1] for question in questions], [question[1] for question in plain])
        for _, _, body, _ in questions:
            tables = Tables(body)
            self.assertIn(HOSTILE + "1", tables.cells)
            self.assertLessEqual(tables.tags, {"p", "b", "table", "caption", "tr", "td", "th"})
        numbers = gift(run("run", "-", "--format", "gift", text=json.dumps(problem)))
        self.assertEqual([question[1] for question in numbers], [item for question in plain for item in question[1]])
        for _, _, body, _ in numbers:
            self.assertIn(HOSTILE + "2", Tables(body).cells)

    def test_the_title_is_one_category(self):
        problem = {"title": "a/b $course$", "inputs": [[1, 0], [0, 1]]}
        text = run("run", "-", "--format", "moodle", text=json.dumps(problem))
        self.assertIn("<text>$course$/top/a//b $course$</text>", text)


if __name__ == "__main__":
    unittest.main()
