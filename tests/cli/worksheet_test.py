"""`attn worksheet`: sheets to be filled in, which give no answer away, and their keys."""

import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "property"))

import sheet_leaks
from slow import share

ATTN = os.path.abspath(os.environ["ATTN"])
ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
DATA = os.path.join(ROOT, "data")
EXAMPLE = os.path.join(DATA, "worked-example.json")
CAUSAL = os.path.join(DATA, "worked-example-causal.json")
TOO_LARGE = {"one-head-batch", "eight-heads-batch", "induction"}  # for paper, or for a test
PROBLEMS = sorted(name[:-5] for name in os.listdir(DATA) if name.endswith(".json") and ".golden" not in name)


def attn(*words, text=None):
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
    return subprocess.run([ATTN, *words], input=text, capture_output=True, encoding="utf-8", env=environment,
                          timeout=300)


def printed(*words, **more):
    done = attn(*words, **more)
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout


def sheets(problem, *words):
    """The sheet in every format."""
    return sheet_leaks.sheets(ATTN, problem, *words)


def sheet(problem, *words, format="text"):
    return printed("worksheet", problem, "--format", format, *words)


class Page(sheet_leaks.OpenBoxes):
    """What stands in the boxes of a page: by step, cell and whether it is open."""

    def __init__(self, text):
        self.filled, self.shapes, self.labels = {}, {}, []
        self.in_order = {}  # the open cells as they stand on the page
        self.in_box = False
        super().__init__(text)

    def handle_starttag(self, tag, attributes):
        super().handle_starttag(tag, attributes)
        named = dict(attributes)
        if tag == "table" and self.step:
            self.shapes[self.step] = [int(size) for size in named["data-shape"].split(",") if size]
        elif tag == "td":
            self.in_box = named.get("class") == "box"
        elif tag == "input" and "data-cell" in named:
            self.in_order.setdefault(self.step, []).append(int(named["data-cell"]))
            self.labels.append(named["aria-label"])

    def handle_data(self, data):
        if self.in_box and self.step:
            self.filled.setdefault(self.step, []).append(data)

    def handle_endtag(self, tag):
        self.in_box = False if tag == "td" else self.in_box


class Leaks(unittest.TestCase):
    def test_no_number_of_an_answer_stands_in_any_sheet(self):
        for name in share(PROBLEMS, 3):
            if name in TOO_LARGE:
                continue
            with self.subTest(problem=name):
                (_, found, blanks), = sheet_leaks.leaks(ATTN, os.path.join(DATA, name + ".json"), ())
                self.assertEqual([numbers for numbers in found.values() if numbers], [])
                self.assertTrue(blanks)

    def test_nor_in_one_of_which_a_part_is_blank(self):
        for name in ("worked-example-causal", "tom-yeh-three-heads", "block-by-hand", "raschka-causal"):
            problem = os.path.join(DATA, name + ".json")
            steps = json.loads(printed("check", problem, "--template", "json"))["steps"]
            for words in (["--fade"], ["--blank", "some"], *(["--blank", step] for step in steps)):
                with self.subTest(problem=name, words=words):
                    (_, found, blanks), = sheet_leaks.leaks(ATTN, problem, words)
                    self.assertEqual({format: numbers for format, numbers in found.items() if numbers}, {})
                    self.assertTrue(blanks or words[1:] and words[1].endswith("mask"))

    def test_the_search_finds_what_a_key_says(self):
        self.assertTrue(sheet_leaks.a_key_is_seen_through(ATTN))

    def test_the_search_finds_what_is_hidden_anywhere(self):
        self.assertEqual(sheet_leaks.planted_and_missed(ATTN), [])

    def test_what_is_the_same_in_all_sheets_has_no_number_of_one(self):
        style = {re.search(r"<style>.*?</style>", sheet(file, format="html"), re.S)[0] for file in (EXAMPLE, CAUSAL)}
        script = {re.search(r"<script>.*?</script>", sheet(file, format="html"), re.S)[0] for file in (EXAMPLE, CAUSAL)}
        macros = {sheet(file, format="latex").split(r"\begin{document}")[0] for file in (EXAMPLE, CAUSAL)}
        self.assertEqual([len(each) for each in (style, script, macros)], [1, 1, 1])

    def test_a_sheet_is_the_same_whatever_the_answers_come_to(self):
        """Whole numbers are the same in every precision, and what is computed from them is not."""
        for problem in (EXAMPLE, CAUSAL, os.path.join(DATA, "the-cat-sat-on-the-mat.json")):
            self.assertNotEqual(sheet(problem, "--digits", "4", "--key"),
                                sheet(problem, "--digits", "4", "--key", "--dtype", "bf16"))
            self.assertEqual(sheets(problem, "--digits", "4"), sheets(problem, "--digits", "4", "--dtype", "bf16"))

    def test_what_only_repeats_a_blank_number_is_blank(self):
        """Where scores are asked for, neither their copies behind a mask nor the largest of them is told."""
        page = Page(sheet(CAUSAL, "--blank", "scores", format="html"))
        self.assertEqual(len(page.open["scores"]), 9)
        self.assertEqual(page.open["masked_scores"], {0, 3, 4, 6, 7, 8})
        self.assertEqual(page.open["row_maximum"], {0, 1, 2})
        self.assertNotIn("attention_weights", page.open)

    def test_a_largest_score_of_0_or_1_is_blank_where_scores_are(self):
        problem = {"queries": [[1, 0], [0, 1], [1, 1]], "keys": [[1, 0], [0, 1], [-1, 0]], "score": "dot",
                   "mask": {"add": [[0, 0, 0], [0, 0, 0], [0, 0, 0]]}}
        page = Page(printed("worksheet", "-", "--blank", "scores", "--format", "html", text=json.dumps(problem)))
        self.assertEqual(page.open["row_maximum"], {0, 1, 2})

    def test_padding_has_no_boxes(self):
        inputs = [[[1, 0], [0, 1], [1, 1]], [[1, 1], [0, 1]]]
        for problem in ({"inputs": inputs, "score": "dot"},
                        {"inputs": [[list(row) for row in zip(*one)] for one in inputs], "score": "dot", "vectors": "columns"}):
            text = printed("worksheet", "-", "--batch", "2", text=json.dumps(problem))
            self.assertNotRegex(text, r"(?i)query 3")
            page = Page(printed("worksheet", "-", "--batch", "2", "--format", "html", text=json.dumps(problem)))
            self.assertEqual(len(page.open["context"]), 4)

    def test_notes_and_titles_do_not_tell(self):
        with open(EXAMPLE, encoding="utf-8") as file:
            problem = json.load(file)
        problem["title"] = "The weights 0.0634 and so on"
        problem["notes"] = ["Scores are [2, 4, 4], and q₁·k₂ = 4; the first input is [1, 0, 1, 0].",
                            "Chapter 16 says: the largest score is 16, about 47% or 0.47, and 3 words are here.",
                            "The second of the first query has .47.", 7]
        text = json.dumps(problem)
        done = attn("worksheet", "-", text=text)
        said = re.sub(r"\s+", " ", done.stdout)
        self.assertIn("The weights ___ and so on", said)
        self.assertIn("Scores are [___, ___, ___], and q₁·k₂ = ___; the first input is [1, 0, 1, 0].", said)
        self.assertIn("the largest score is ___, about ___ or ___, and 3 words are here.", said)
        self.assertIn("The second of the first query has ___.", said)
        self.assertRegex(done.stderr, r"^attn: note: the title or the notes .*0\.0634.*\n$")
        key = attn("worksheet", "-", "--key", text=text)
        self.assertIn("about 47% or 0.47, and 3", key.stdout)
        self.assertEqual(key.stderr, "")


class Keys(unittest.TestCase):
    MODES = ([], ["--fade"], ["--blank", "some"], ["--blank", "S,A"])

    def test_a_key_is_the_sheet_with_the_numbers(self):
        for words in self.MODES:
            blank, key = sheets(CAUSAL, *words), sheets(CAUSAL, *words, "--key")
            with self.subTest(words=words, format="latex"):
                emptied = re.sub(r"\\attnbox\{\$[^$]+\$\}", r"\\attnbox{}", key["latex"])
                self.assertNotEqual(key["latex"].count("$"), blank["latex"].count("$"))
                self.assertEqual(emptied.replace(r" \ensuremath{\cdot} key", ""), blank["latex"])
            with self.subTest(words=words, format="html"):
                main = [re.sub(r'<td class="box">.*?</td>', "<td></td>",
                               text[text.index("<h2"):text.index("</main>")]) for text in (blank["html"], key["html"])]
                self.assertEqual(*main)
            with self.subTest(words=words, format="text"):
                lines = [text.split("\n")[2:] for text in (blank["text"], key["text"])]
                self.assertEqual(len(lines[0]), len(lines[1]))
                for empty, full in zip(*lines):
                    self.assertEqual(len(empty), len(full))
                    self.assertTrue(all(a in (b, " ") for a, b in zip(empty, full)), (empty, full))
            with self.subTest(words=words, format="markdown"):
                emptied = re.sub(r"[^|\s]+<br>", "<br>", key["markdown"])
                wanted = re.sub(r"[^|\s]+<br>", "<br>", blank["markdown"])
                squeezed = [re.sub(r"[ -]+", " ", text.replace(" · key", "")) for text in (emptied, wanted)]
                self.assertEqual(*squeezed)

    def filled_in(self, problem, folder):
        """A hand-in with the numbers of the key in all boxes of the sheet."""
        sheet_page = Page(sheet(problem, format="html"))
        key = Page(sheet(problem, "--key", format="html"))
        steps = {}
        for id, cells in sheet_page.in_order.items():
            shape = sheet_page.shapes[id]
            self.assertEqual(len(cells), len(key.filled[id]))
            steps[id] = {}
            for cell, number in zip(cells, key.filled[id]):
                index = []
                for size in reversed(shape):
                    index.insert(0, str(cell % size + 1))
                    cell //= size
                steps[id][",".join(index)] = number
        file = os.path.join(folder, "key.json")
        with open(file, "w", encoding="utf-8") as out:
            json.dump({"schema": "attn/answers/1", "steps": steps}, out)
        return file

    def marked_key(self, problem):
        """What check says of the key of a problem, or of the one in that file: nothing of it is wrong."""
        with tempfile.TemporaryDirectory() as folder:
            if isinstance(problem, dict):
                stated, problem = problem, os.path.join(folder, "problem.json")
                with open(problem, "w", encoding="utf-8") as file:
                    json.dump(stated, file)
            done = attn("check", problem, self.filled_in(problem, folder), "--format", "json")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        report = json.loads(done.stdout)
        wrong = [cell for step in report["steps"] for cell in step["cells"] if cell["state"] == "wrong"]
        self.assertEqual(wrong, [])
        return report

    def test_a_sheet_of_a_ragged_batch_filled_in_has_every_point(self):
        inputs = [[[1, 0], [0, 1], [1, 1]], [[1, 2]]]
        columns = [[list(row) for row in zip(*one)] for one in inputs]
        square, past = [[1, 2], [0, 1]], [[[1, 0], [2, 1]]] * 2
        own = {"query": square, "key": square, "value": square}
        cross = {"query": [[[1, 0]], [[1, 2]]], "key": inputs}
        for more in ({"inputs": inputs}, {"inputs": columns, "vectors": "columns"},
                     {"inputs": inputs, "positions": "sinusoidal"},
                     {"inputs": inputs, "past": {"keys": past, "values": past}},
                     {"inputs": inputs, "appended": {"keys": past, "values": past}},
                     {"inputs": inputs, "score": {"type": "additive", "query": square, "key": square, "v": [1, 2]}},
                     {"inputs": cross},
                     {"inputs": cross["query"], "block": {"kind": "decoder", "memory": inputs, "layers": [
                         {"self": {"weights": own}, "cross": {"weights": own}}]}}):
            with self.subTest(**more), tempfile.TemporaryDirectory() as folder:
                problem = os.path.join(folder, "problem.json")
                with open(problem, "w", encoding="utf-8") as out:
                    json.dump(more if "block" in more else {"score": "dot", "weights": own, **more}, out)
                graded = json.loads(printed("grade", problem, self.filled_in(problem, folder), "--report", "json"))
                missing = [step for one in graded["hand_ins"] for step in one["steps"] if step["missing"]]
                self.assertEqual(missing, [])

    def test_every_number_of_a_key_is_right(self):
        for name in share(PROBLEMS, 3):
            if name in TOO_LARGE or name.startswith("precision"):
                continue
            with self.subTest(problem=name):
                self.marked_key(os.path.join(DATA, name + ".json"))

    def test_large_numbers_of_a_key_are_right(self):
        large = {"queries": [[1, 1]], "keys": [[1234567, 0.25], [1234568, 0]], "values": [[1], [-1234567]],
                 "score": "dot"}
        for problem in (large, os.path.join(DATA, "precision-mask-by-adding.json")):
            with self.subTest(problem=problem):
                self.marked_key(problem)

    def test_a_key_that_is_rounded_by_hand_has_digits_enough(self):
        saturated = {"queries": [[10, 1]], "keys": [[1, 0], [0, 0], [0, 1]], "values": [[1], [2], [4]],
                     "score": "dot", "arithmetic": {"hand_rounding": "1"}}
        for problem in (saturated, os.path.join(DATA, "worked-example-rounded.json")):
            with self.subTest(problem=problem):
                self.assertEqual(self.marked_key(problem)["verdict"], "right")

    def test_boxes_have_one_size(self):
        for words in ([], ["--key"]):
            self.assertEqual({len(piece) for piece in re.findall("[┌┬├└┴](─+)", sheet(CAUSAL, *words))}, {8})
        wide = sheet(CAUSAL, "--digits", "8")
        self.assertEqual({len(piece) for piece in re.findall("[┌┬](─+)", wide)}, {13})
        large = sheet(os.path.join(DATA, "precision-mask-by-adding.json"), "--key", "--blank", "masked_scores")
        lines = [line for line in large.split("\n") if "┌" in line or "│−1000000000│" in line]
        self.assertEqual(len(lines), 3)
        self.assertEqual(len({len(line) for line in lines}), 1, large)



class Blanks(unittest.TestCase):
    def test_all_of_what_check_asks_for_is_blank(self):
        page = Page(sheet(CAUSAL, format="html"))
        wanted = json.loads(printed("check", CAUSAL, "--template", "json"))["steps"]
        self.assertEqual(set(page.open), set(wanted))
        for id, shape in page.shapes.items():
            self.assertEqual(page.open[id], set(range(math.prod(shape))))

    def test_all_may_be_said(self):
        self.assertEqual(sheet(EXAMPLE, "--blank", "all"), sheet(EXAMPLE))

    def test_half_is_every_other_number_or_a_drawn_one_of_two(self):
        page = Page(sheet(EXAMPLE, "--blank", "some", format="html"))
        self.assertEqual(page.open["keys"], {0, 2, 4, 6, 8})
        self.assertGreaterEqual(page.open["scores"], {0, 2, 4, 6, 8})  # and what repeats an open key
        self.assertLess(len(page.open["scores"]), 9)
        seen = {frozenset(Page(sheet(EXAMPLE, "--blank", "some", "--seed", str(seed), format="html")).open["keys"])
                for seed in range(4)}
        self.assertGreater(len(seen), 2)
        self.assertEqual({len(one) for one in seen} - {4, 5}, set())
        self.assertEqual(sheet(EXAMPLE, "--blank", "some", "--seed", "3"),
                         sheet(EXAMPLE, "--blank", "some", "--seed", "3"))

    def test_steps_go_by_id_symbol_or_pattern_and_the_others_are_told(self):
        by_symbol = sheet(EXAMPLE, "--blank", "A,C", format="html")
        self.assertEqual(by_symbol, sheet(EXAMPLE, "--blank", "attention_weights,context", format="html"))
        page = Page(by_symbol)
        self.assertEqual((len(page.open["attention_weights"]), len(page.open["context"])), (9, 9))
        self.assertEqual(set(page.open), {"attention_weights", "context"})
        self.assertNotIn("Weighted values", by_symbol)  # their sum would be the context
        self.assertEqual(set(Page(sheet(EXAMPLE, "--blank", "*_values", format="html")).open), {"weighted_values"})
        self.assertIn(" 16", sheet(EXAMPLE, "--blank", "A"))

    def test_a_step_that_only_moves_numbers_is_blank_where_it_is_named(self):
        problem = json.dumps({"inputs": [[1, 0, 2, 1], [0, 1, 1, 2]], "heads": 2})
        page = Page(printed("worksheet", "-", "--blank", "concat", "--format", "html", text=problem))
        self.assertEqual(page.open, {"concat": set(range(8))})

    def test_of_a_wide_row_that_is_worked_out_the_first_numbers_stand_there(self):
        width = 40
        inputs = [[(3 * i + 5 * j) % 7 - 3 for j in range(width)] for i in range(2)]
        weight = [[(2 * i + 3 * j) % 5 - 2 for j in range(width)] for i in range(width)]
        problem = json.dumps({"inputs": inputs, "weights": {"query": weight, "key": weight, "value": weight}})
        text = printed("worksheet", "-", "--fade", "--format", "text", text=problem)
        first = [sum(x * row[j] for x, row in zip(inputs[0], weight)) for j in range(width)]
        line = re.search(r"q₁ = x₁·W_Q = \[(.*?), … (\d+) more\]", re.sub(r"\s+", " ", text))
        shown = [int(number.replace("−", "-")) for number in line[1].split(", ")]
        self.assertEqual(shown, first[:len(shown)])
        self.assertEqual(int(line[2]), width - len(shown))

    def test_fading_works_one_out_begins_the_next_and_leaves_the_rest(self):
        text = sheet(CAUSAL, "--fade", format="html")
        page = Page(text)
        for step in ("queries", "scores", "masked_scores", "exponentials", "attention_weights", "context"):
            self.assertEqual(page.open[step] - set(range(3, 9)), set(), step)
            self.assertGreaterEqual(page.open[step], {4, 5, 6, 7, 8}, step)
            self.assertNotIn(3, page.open[step])
        self.assertNotIn("keys", page.open)
        self.assertNotIn("values", page.open)
        self.assertIn("worked out", text)
        lines = sheet(EXAMPLE, "--fade")
        self.assertIn("S[1,2] = q₁·k₂ = 1×4 + 0×4 + 2×0 = 4", lines)
        self.assertNotIn("q₂·k₁", lines)

    def test_fading_halves_the_second_query_where_vectors_are_columns_and_of_each_head(self):
        problem = {"vectors": "columns", "inputs": [[1, 2, 0], [0, 1, 1], [2, 1, 3], [1, 0, 2]],
                   "weights": {"query": [[1, 0, 2, 1], [0, 1, 1, 0]], "key": [[1, 1, 0, 0], [2, 0, 1, 1]],
                               "value": [[1, 0, 2, 0], [0, 1, 0, 1]]}}
        page = Page(printed("worksheet", "-", "--fade", "--format", "html", text=json.dumps(problem)))
        self.assertEqual(page.open["queries"], {2, 4, 5})  # d_k × queries
        self.assertEqual(page.open["context"], {2, 4, 5})
        self.assertEqual(page.open["exponential_sums"], {1, 2})
        page = Page(printed("worksheet", "-", "--fade", "--format", "html", text=json.dumps({
            "inputs": [[1, 2, 0, 1], [0, 1, 1, 3], [2, 1, 3, 1]], "heads": 2})))
        self.assertEqual(page.open["exponential_sums"], {1, 2, 4, 5})  # heads × queries

    def test_one_query_or_head_or_part_is_all_there_is(self):
        page = Page(sheet(EXAMPLE, "--query", "2", format="html"))
        self.assertEqual(page.open["scores"], {3, 4, 5})
        self.assertEqual(len(page.open["keys"]), 9)
        self.assertNotIn(1, page.open["scores"])
        heads = os.path.join(DATA, "tom-yeh-three-heads.json")
        self.assertLess(len(sheet(heads, "--head", "2")), len(sheet(heads)) / 2)
        batch = os.path.join(DATA, "eight-heads-batch.json")
        second = sheet(batch, "--batch", "2", "--head", "1")
        self.assertIn("Sequence 2", second)
        self.assertNotIn("Sequence 1", second)
        block = os.path.join(DATA, "block-by-hand.json")
        part = Page(sheet(block, "--part", "layer1.ffn", format="html"))
        self.assertTrue(all(id.startswith("layer1.ffn.") for id in part.open), part.open)
        whole = sheet(block, format="markdown")
        for chapter in ("self-attention", "feed-forward"):
            self.assertRegex(whole, rf"(?m)^## .*{chapter}")

    def test_a_mask_is_worked_out_of_words_and_told_where_it_is_given(self):
        self.assertIn("mask", Page(sheet(CAUSAL, format="html")).open)
        allowed = sheet(os.path.join(DATA, "mask-allow.json"), format="html")
        self.assertNotIn("mask", Page(allowed).open)


class Words(unittest.TestCase):
    def test_a_sheet_says_what_to_do_and_whose_it_is(self):
        for name, text in sheets(EXAMPLE).items():
            with self.subTest(format=name):
                self.assertIn("Name", text)
                self.assertIn("Date", text)
                self.assertIn("2 decimals", text)
                self.assertIn("Raimi Karim", text)  # of its notes
        self.assertIn("with 5 decimals", sheet(EXAMPLE, "--digits", "5"))
        self.assertIn("with 1 decimal,", sheet(os.path.join(DATA, "worked-example-rounded.json")))
        self.assertIn("whole number", sheet(EXAMPLE, "--digits", "0"))

    def test_the_name_of_the_person_it_is_for_stands_there(self):
        with open(EXAMPLE, encoding="utf-8") as file:
            problem = json.load(file)
        for person, spelled in (("Ada Lovelace", {}),
                                ("Zoë <O'Neil> & #_1", {"html": "Zoë &lt;O&#39;Neil&gt; &amp; #_1",
                                                        "latex": "Zoë \\textless{}O'Neil\\textgreater{} \\& \\#\\_1",
                                                        "markdown": "Zoë &lt;O'Neil&gt; &amp; \\#\\_1"})):
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "problem.json")
                with open(path, "w", encoding="utf-8") as file:
                    json.dump({**problem, "x-for": person}, file)
                blank, key = sheets(path), sheets(path, "--key")
            for format in sheet_leaks.FORMATS:
                name = spelled.get(format, person)
                before = {"text": "Name: ", "markdown": "**Name:** ", "latex": "Name:~",
                          "html": 'Name: <input type="text" autocomplete="off" value="'}[format]
                with self.subTest(person=person, format=format):
                    self.assertIn(before + name, blank[format])
                    self.assertIn(before.replace('<input type="text" autocomplete="off" value="', "<span>") + name,
                                  key[format])
                    self.assertNotRegex(blank[format], r"Name:[*~ ]*(<input[^>]*off\">|\\hrulefill|\\?_)|attnfield\{Name")
                    self.assertRegex(blank[format], r"Date: _|Date:\*\* \\_|field\{Date\}|Date: <input")
        self.assertIn('Name: <input type="text" autocomplete="off">', sheet(EXAMPLE, format="html"))

    def test_in_ascii_long_labels_are_cut_in_ascii(self):
        problem = json.dumps({"tokens": ["the quick brown fox", "é" * 30], "inputs": [[1, 2], [3, 4]]})
        text = printed("worksheet", "-", "--ascii", text=problem)
        self.assertTrue(text.isascii())
        self.assertIn("the q...", text)
        self.assertIn("the qui…", printed("worksheet", "-", text=problem))

    def test_all_numbers_that_the_work_needs_are_given(self):
        """Without them nobody can start."""
        small = {"inputs": [[1, 0], [0, 1]], "weights": {name: [[1, 2], [3, 1]] for name in ("key", "query", "value")}}
        norm = {"self": {"weights": small["weights"]}, "norm1": {"gain": [1, 1]}, "norm2": {"gain": [1, 1]},
                "ffn": {"in": [[1, 0], [0, 1]], "out": [[1, 0], [0, 1]]}}
        problems = {"here 0.3": {**small, "score": "dot", "scale": 0.3},
                    "with ε = 0.75": {"inputs": small["inputs"], "score": "dot",
                                      "block": {"kind": "encoder", "norm": "post", "eps": 0.75, "layers": [norm]}},
                    "with c = 1.25": {**small, "softcap": 1.25},
                    "the slope 2^(−8)": {**small, "positions": "alibi"}}
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "problem.json")
            for said, problem in problems.items():
                with open(path, "w", encoding="utf-8") as file:
                    json.dump(problem, file)
                with self.subTest(said=said):
                    for text in (sheet(path), printed("run", path), printed("quiz", path, text="")):
                        self.assertIn(said, " ".join(text.split()))

    def test_numbers_of_a_title_count_and_those_of_a_list_of_answers_are_hidden_together(self):
        problem = {"title": "Sheet 12", "inputs": [[3, 4], [0, 2]], "score": "dot", "window": [2, 0],
                   "notes": "The window is [2, 0]. Scores are [25, 8, 8, 4]."}
        text = printed("worksheet", "-", text=json.dumps(problem))
        self.assertIn("Sheet 12", text)
        self.assertIn("The window is [2, 0].", text)
        self.assertIn("Scores are [___, ___, ___, ___].", text)

    def test_answers_in_notes_are_hidden_however_they_are_written(self):
        problem = {"inputs": [[3, 4], [0, 2]], "score": "dot",
                   "notes": ["They are ] [[25, 8], [8, 4]], or 25.0/x, 25.0/ or 50/2.", "", "9" * 400, "The end is 25.0"]}
        text = " ".join(printed("worksheet", "-", text=json.dumps(problem)).split())
        self.assertIn("They are ] [[___, ___], [___, ___]], or ___/x, ___/ or ___.", text)
        self.assertIn("The end is ___ ", text)
        self.assertEqual(text.count("9"), 400)

    def test_answers_are_hidden_as_percentages_fractions_and_with_powers_of_ten(self):
        with open(EXAMPLE, encoding="utf-8") as file:
            problem = json.load(file)
        problem["title"] = "About 468/1000"
        problem["notes"] = ["46.83 %, 46,83\u00a0%, 776e-2, 6.683E0, 1.2e+1; 15/32, 31 / 4 or 468 / 1000.",
                            "1 e2, 3/0, 0/0, 1e99999, 1/1e-99999, 3e-1 and 23 % are none; chapter 2/3 is."]
        text = " ".join(printed("worksheet", "-", text=json.dumps(problem)).split())
        self.assertIn("About ___", text)
        self.assertIn("___, ___, ___, ___, ___; ___, 31 / 4 or ___.", text)
        self.assertIn("1 e2, 3/0, 0/0, 1e99999, 1/1e-99999, 3e-1 and 23 % are none; chapter 2/3 is.", text)

    def test_answers_with_a_decimal_comma_are_hidden_and_lists_are_read_as_lists(self):
        problem = {"title": "Where 12,5 comes from, or 50/4", "inputs": [[3, 4], [0, 2]], "scale": 0.5,
                   "notes": "12,5 and 8,0, but 1,12,5 and [12,5] are no 12,5; nor is 12,6."}
        text = " ".join(printed("worksheet", "-", text=json.dumps(problem)).split())
        self.assertIn("Where ___ comes from, or ___", text)
        self.assertIn("___ and ___, but 1,12,5 and [12,5] are no ___; nor is 12,6.", text)

    def test_given_numbers_have_as_many_decimals_as_somebody_asks_for(self):
        problem = json.dumps({"inputs": [[0.125, 2], [1, 1]], "score": "dot"})
        whole = printed("worksheet", "-", text=problem)
        self.assertIn("0.125", whole)
        self.assertNotIn("there are more", whole)
        rounded = printed("worksheet", "-", "--precision", "2", text=problem)
        self.assertNotIn("0.125", rounded)
        self.assertIn("with 2 decimals, and there are more", " ".join(rounded.split()))
        rounded = printed("worksheet", "-", "--precision", "1", text=problem)
        self.assertIn("with 1 decimal, and there are more", " ".join(rounded.split()))

    def test_formulas_stand_above_the_boxes(self):
        text = sheet(CAUSAL)
        for formula in ("S = Q·Kᵀ", "E = ", "A = ", "C = "):
            self.assertIn(formula, text)

    def test_every_box_says_what_it_is(self):
        page = Page(sheet(EXAMPLE, format="html"))
        self.assertEqual(len(page.labels), len(set(page.labels)))
        self.assertIn("S · Input 1 · Input 2", page.labels)

    def test_a_page_has_nothing_to_load(self):
        page = sheet(EXAMPLE, format="html")
        self.assertNotRegex(page, r"https?:|@import|url\(|<link|fetch\(")
        self.assertNotRegex(sheet_leaks.parts_of(ATTN, page, "html"), r"(?i)(src|href)\s*=")
        self.assertIn("default-src 'none'", page)

    def test_given_numbers_are_whole_or_it_is_said(self):
        self.assertNotIn("there are more", sheet(EXAMPLE))
        drawn = '{"inputs": {"random": "normal", "shape": [2, 3], "seed": 1}}'
        for more, decimals in (([], 5), (["--digits", "0"], 4), (["--digits", "4"], 7), (["--precision", "2"], 2)):
            told = printed("worksheet", "-", *more, text=drawn)
            self.assertIn(f"with {decimals} decimals, and there are more", told)

    def test_with_the_numbers_of_a_sheet_come_out_those_of_its_key(self):
        for (a, b), digits in (([3, 4], 2), ([10, 1], 4)):
            problem = json.dumps({"inputs": [[1, 2], [a, b]], "positions": "rope", "score": "dot", "digits": digits})
            shown = re.search(r"Input 2 │\s+(0\.\d+)\s+Input 2 │\s+(0\.\d+)", printed("worksheet", "-", text=problem))
            cosine, sine = map(float, shown.groups())
            key = printed("worksheet", "-", "--key", text=problem)
            for turned in (a * cosine - b * sine, b * cosine + a * sine):
                self.assertIn(f"{turned:.{digits}f}".replace("-", "−"), key)


class Refusals(unittest.TestCase):
    def refused(self, *words, code=2):
        done = attn("worksheet", *words)
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        self.assertIn("help: ", done.stderr)
        return done.stderr

    def test_what_makes_no_sense_is_refused(self):
        self.assertIn("written on", self.refused(EXAMPLE, "--format", "svg"))
        self.assertIn("written on", self.refused(EXAMPLE, "-o", "x.svg"))
        self.assertIn("--fade and --blank", self.refused(EXAMPLE, "--fade", "--blank", "S"))
        self.assertIn("two things", self.refused(EXAMPLE, "--blank", "all,S"))
        self.assertIn("--seed", self.refused(EXAMPLE, "--seed", "3"))
        self.assertIn("is given", self.refused(EXAMPLE, "--blank", "X"))
        self.assertIn("scores", self.refused(EXAMPLE, "--blank", "scoers"))
        self.assertIn("goes from 1 to 3", self.refused(EXAMPLE, "--query", "4"))
        self.assertIn("no other", self.refused(os.path.join(DATA, "leyaa-one-query.json"), "--fade"))
        self.assertIn("0 to 15", self.refused(EXAMPLE, "--digits", "16").replace("from ", ""))
        self.assertIn("--query", self.refused(EXAMPLE, "--fade", "--query", "1"))
        self.refused(EXAMPLE, "-o", "/nowhere/x.html", code=3)

    def test_a_sheet_with_nothing_to_work_out_is_refused(self):
        block = os.path.join(DATA, "block-by-hand.json")
        said = self.refused(block, "--part", "layer1.self", "--blank", "layer1.norm1")
        self.assertIn("none of the steps that --blank names is on this sheet", said)
        decoder = printed("exercise", "--block", "decoder", "--seed", "3")
        done = attn("worksheet", "-", "--part", "memory", text=decoder)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("there is nothing to work out on this sheet", done.stderr)
        self.assertIn("attn run shows the steps that there are", done.stderr)

    def test_what_is_too_large_for_paper_is_said_to_be(self):
        thirty = json.dumps({"inputs": {"random": "integers", "shape": [30, 4], "seed": 1}})
        done = attn("worksheet", "-", "--format", "html", text=thirty)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"^attn: note: this sheet has \d+ boxes, on about \d+ pages; .*\n$")
        self.assertIn("of 30", done.stdout)
        large = json.dumps({"inputs": {"random": "integers", "shape": [120, 4], "seed": 1}})
        done = attn("worksheet", "-", text=large)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("pages", done.stderr)


@unittest.skipUnless(shutil.which("pdflatex"), "no pdflatex")
class Compiled(unittest.TestCase):
    def test_every_sheet_and_key_compiles_and_fits_the_paper(self):
        cases = [(EXAMPLE, []), (CAUSAL, ["--fade"]), (os.path.join(DATA, "tom-yeh-three-heads.json"), ["--key"]),
                 (os.path.join(DATA, "block-by-hand.json"), []), (os.path.join(DATA, "ragged-batch.json"), ["--key"]),
                 (os.path.join(DATA, "raschka-causal.json"), ["--blank", "some"])]
        for problem, words in cases:
            with self.subTest(problem=problem, words=words), tempfile.TemporaryDirectory() as folder:
                printed("worksheet", problem, *words, "-o", os.path.join(folder, "sheet.tex"))
                done = subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "sheet.tex"],
                                      cwd=folder, capture_output=True, encoding="latin-1", timeout=120)
                self.assertEqual(done.returncode, 0, done.stdout[-2000:])
                over = [float(points) for points in re.findall(r"Overfull \\[hv]box \(([\d.]+)pt too", done.stdout)]
                self.assertEqual([points for points in over if points > 3], [])


if __name__ == "__main__":
    unittest.main()
