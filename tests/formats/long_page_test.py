"""Pages of very large tables: written piece by piece, their rows drawn where somebody looks."""

import base64
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import page_sizes
from browser import Browser, skip_without_browser

ATTN = os.path.abspath(os.environ["ATTN"])
TOKENS = 150


def row_of(attributes, count):
    """The numbers that a row has in its attribute, and which of them are closed."""
    packed = base64.b64decode(re.search('data-numbers="([^"]*)"', attributes)[1])
    numbers = list(struct.unpack(f"<{len(packed) // 8}d", packed))
    numbers += numbers[-1:] * (count - len(numbers))
    runs = re.search('data-closed="([^"]*)"', attributes)
    closed = set()
    for run in runs[1].split() if runs else []:
        first, last = map(int, run.split("-"))
        closed.update(range(first, last + 1))
    return numbers, closed


class LongPages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="attn-long-")
        path = os.path.join(cls.folder.name, "problem.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(page_sizes.problem(TOKENS), file)
        cls.path = os.path.join(cls.folder.name, "page.html")
        trace = os.path.join(cls.folder.name, "trace.json")
        subprocess.run([ATTN, "run", path, "--full", "-o", cls.path, "-o", trace], check=True, timeout=120,
                       stderr=subprocess.DEVNULL)
        with open(cls.path, encoding="utf-8") as file:
            cls.page = file.read()
        with open(trace, encoding="utf-8") as file:
            cls.steps = {step["id"]: step["data"] for step in json.load(file)["steps"]}
        cls.matrices = json.loads(re.search('id="numbers">(.*?)</script>', cls.page, re.S)[1])["matrices"]
        cls.browser = Browser()
        cls.browser.open(cls.path)

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.folder.cleanup()

    def late_tables(self):
        for number, rest in re.findall(r'<table data-matrix="(\d+)" data-decimals="\d+"[^>]*>(.*?)</table>', self.page, re.S):
            yield int(number), re.findall(r"<tr (data-numbers[^>]*)>", rest)

    def test_rows_have_every_number_to_its_last_bit(self):
        seen = set()
        for number, rows in self.late_tables():
            step = self.matrices[number]["step"]
            if step not in self.steps:
                continue  # given
            seen.add(step)
            self.assertEqual(len(rows), TOKENS)
            for row, attributes in enumerate(rows):
                numbers, closed = row_of(attributes, TOKENS)
                self.assertEqual(numbers, [float("-inf") if one == "-inf" else one for one in self.steps[step][row]])
                if step == "attention_weights":
                    self.assertEqual(closed, set(range(row + 2, TOKENS + 1)))
        self.assertLessEqual({"scores", "attention_weights"}, seen)

    def test_a_small_table_has_its_cells(self):
        self.assertTrue(re.search(r">t150(</bdi>)?</th><td", self.page))

    def table(self, step):
        number = next(i for i, one in enumerate(self.matrices) if one["step"] == step)
        return f"document.querySelector('table[data-matrix=\"{number}\"]')"

    def test_a_row_is_drawn_when_it_is_scrolled_to(self):
        table = self.table("attention_weights")
        row = f"{table}.tBodies[0].rows[120]"
        self.assertEqual(self.browser.run(f"return {row}.cells.length"), 1)
        self.browser.run(f"for (let at = {table}; at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true")
        self.browser.run(f"{row}.scrollIntoView()")
        self.assertTrue(self.browser.eventually(f"return {row}.cells.length === {TOKENS + 1}"))
        shown = self.browser.run(f"return [...{row}.cells].slice(1).map((cell) => cell.textContent)")
        self.assertEqual(shown, [f"{one:.4f}" if i <= 120 else "0" for i, one in enumerate(self.steps["attention_weights"][120])])
        self.assertTrue(self.browser.run(f"return {row}.cells[122].classList.contains('closed')"))
        self.assertEqual(self.browser.complaints(), [])

    def test_a_number_draws_what_it_was_made_of(self):
        cell = f"{self.table('context')}.tBodies[0].rows[60].cells[1]"
        self.browser.run(f"{cell}.dispatchEvent(new PointerEvent('pointerover', {{bubbles: true, pointerType: 'mouse'}}))")
        self.assertEqual(self.browser.run(f"return {self.table('attention_weights')}.tBodies[0].rows[60].cells.length"), TOKENS + 1)
        self.assertEqual(self.browser.complaints(), [])

    def test_hidden_answers_stay_hidden_in_rows_drawn_later(self):
        table = self.table("scores")
        button = "[...document.querySelectorAll('button')].find((one) => one.textContent === 'Hide answers')"
        self.browser.run(f"{button}.click(); {table}.tBodies[0].rows[90].scrollIntoView()")
        self.assertTrue(self.browser.eventually(f"return {table}.tBodies[0].rows[90].cells.length > 1"))
        self.assertTrue(self.browser.run(f"return {table}.tBodies[0].rows[90].cells[1].classList.contains('veiled')"))
        self.browser.run(f"{button.replace('Hide answers', 'Reveal all')}.click()")


if __name__ == "__main__":
    skip_without_browser()
    unittest.main()
