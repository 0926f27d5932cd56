"""A sheet of --format html in a browser: keys go from box to box, and what is saved is answers."""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from browser import Browser, skip_without_browser

ATTN = os.path.abspath(os.environ["ATTN"])
ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
CAUSAL = os.path.join(ROOT, "data", "worked-example-causal.json")
HEADS = os.path.join(ROOT, "data", "rao-manish-two-heads.json")

FILL = """
for (const box of document.querySelectorAll("td.box > input")) {
  const numbers = arguments[0][box.closest("table").dataset.step];
  const text = numbers === undefined ? undefined : numbers[box.dataset.cell];
  if (text === undefined) continue;
  box.value = text;
  box.dispatchEvent(new Event("input", {bubbles: true}));
}
"""


def attn(*words):
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
    return subprocess.run([ATTN, *words], capture_output=True, encoding="utf-8", env=environment, timeout=120)


def printed(*words):
    done = attn(*words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def flat(data):
    return [number for row in data for number in flat(row)] if isinstance(data, list) else [data]


def numbers_of(problem, decimals):
    """Of every step what a person would write."""
    trace = json.loads(printed("run", problem, "--format", "json"))
    written = lambda number: number.replace("inf", "∞") if isinstance(number, str) else f"{number:.{decimals}f}"
    return trace["statement"], {step["id"]: [written(number) for number in flat(step["data"])]
                                for step in trace["steps"]}


class Sheet(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.browser.driver.execute_cdp_cmd("Browser.setDownloadBehavior",
                                            {"behavior": "allow", "downloadPath": self.folder.name})

    def open(self, problem, *words):
        page = os.path.join(self.folder.name, "sheet.html")
        printed("worksheet", problem, *words, "-o", page)
        self.browser.open(page)

    def press(self, button):
        self.browser.run("""[...document.querySelectorAll(".tools button")]
                              .find((button) => button.textContent === arguments[0]).click()""", button)

    def said(self):
        return self.browser.run("return document.querySelector('[role=status]').textContent")

    def saved(self):
        self.press("Save answers")
        end = time.monotonic() + 10
        while time.monotonic() < end:
            # A browser holds the name with an empty file until all of it is there.
            files = [os.path.join(self.folder.name, name) for name in os.listdir(self.folder.name)]
            saved = [file for file in files if file.endswith(".json") and os.path.getsize(file) > 0]
            if saved and not any(file.endswith(".crdownload") for file in files):
                return saved[0]
            time.sleep(0.05)
        self.fail("nothing was saved: " + self.said())

    def checked(self, problem, file):
        done = attn("check", problem, file, "--format", "json")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return json.loads(done.stdout)

    def test_what_is_filled_in_and_saved_is_marked(self):
        for problem, words in ((CAUSAL, []), (CAUSAL, ["--fade"]), (HEADS, ["--blank", "some"]), (HEADS, ["--blank", "A"])):
            with self.subTest(problem=problem, words=words):
                statement, numbers = numbers_of(problem, 4)
                self.open(problem, *words)
                self.browser.run("document.querySelector('.fields input').value = 'Ada L. / Ω'")
                self.browser.run(FILL, numbers)
                file = self.saved()
                self.assertEqual(os.path.basename(file), "Ada-L-Ω.json")
                with open(file, encoding="utf-8") as saved:
                    answers = json.load(saved)
                self.assertEqual((answers["schema"], answers["name"], answers["problem"]),
                                 ("attn/answers/1", "Ada L. / Ω", statement))
                report = self.checked(problem, file)
                self.assertEqual((report["verdict"], report["name"]), ("right", "Ada L. / Ω"))
                os.remove(file)

    def test_the_name_of_the_person_it_is_for_is_saved(self):
        with tempfile.TemporaryDirectory() as folder:
            problem = os.path.join(folder, "problem.json")
            with open(CAUSAL, encoding="utf-8") as given, open(problem, "w", encoding="utf-8") as own:
                json.dump({**json.loads(re.sub(r"(?m)^\s*//.*$", "", given.read())), "x-for": "Ada \"L.\" & Ω"}, own)
            self.open(problem)
            self.browser.run(FILL, numbers_of(problem, 4)[1])
            file = self.saved()
            self.assertEqual(os.path.basename(file), "Ada-L-Ω.json")
            report = self.checked(problem, file)
            self.assertEqual((report["verdict"], report["name"]), ("right", "Ada \"L.\" & Ω"))

    def test_what_is_wrong_or_empty_is_marked_so(self):
        self.open(CAUSAL)
        _, numbers = numbers_of(CAUSAL, 2)
        wrong = dict(numbers, scores=["7"] + numbers["scores"][1:])
        del wrong["context"]
        self.browser.run(FILL, wrong)
        file = self.saved()
        self.assertIn("boxes are empty", self.said())
        self.assertEqual(os.path.basename(file), "answers.json")
        report = self.checked(CAUSAL, file)
        self.assertEqual((report["verdict"], report["first_wrong"]), ("wrong", "scores"))
        context = next(step for step in report["steps"] if step["id"] == "context")
        self.assertEqual(context["blank"], 9)

    def test_commas_and_expressions_are_numbers_and_words_are_not(self):
        self.open(CAUSAL, "--blank", "A")
        self.browser.run(FILL, {"attention_weights": ["1,00", "0", "0", "two"]})
        self.press("Save answers")
        self.assertIn("“two” is no number: A · Input 2 · Input 1", self.said())
        self.assertEqual(self.browser.run("return document.activeElement.value"), "two")
        self.browser.run(FILL, {"attention_weights": ["1,00", "0", "0", "e^2/(e^2+e^4)", "sqrt(4)", "-∞",
                                                    "2⁴", "16⁻¹⋅e⁴", "-infinity"]})
        with open(self.saved(), encoding="utf-8") as saved:
            cells = json.load(saved)["steps"]["attention_weights"]
        self.assertEqual(cells, [["1.00", "0", "0"], ["e^2/(e^2+e^4)", "sqrt(4)", "-∞"],
                                 ["2⁴", "16⁻¹⋅e⁴", "-infinity"]])

    def test_nothing_is_saved_of_an_empty_sheet(self):
        self.open(CAUSAL)
        self.press("Save answers")
        self.assertEqual(self.said(), "Nothing is filled in yet.")

    def test_keys_go_from_box_to_box(self):
        self.open(CAUSAL)
        at = lambda: self.browser.run("return document.activeElement.getAttribute('aria-label')")
        self.browser.run("document.querySelector('td.box > input').focus()")
        first = at()
        self.browser.press("ArrowRight")
        self.assertNotEqual(at(), first)
        self.browser.press("ArrowLeft")
        self.assertEqual(at(), first)
        self.browser.press("1", "ArrowDown")
        self.assertEqual(at().split(" · ")[-1], first.split(" · ")[-1])
        self.assertNotEqual(at(), first)
        self.browser.press("ArrowUp", "Enter", "Shift+Enter")
        self.assertEqual(at(), first)
        self.browser.press("Tab")
        self.assertNotEqual(at(), first)

    def test_a_draft_outlives_a_reload_and_a_page_asks_for_nothing(self):
        self.open(CAUSAL)
        self.browser.run(FILL, {"scores": ["5"]})
        self.browser.run("document.querySelector('.fields input').value = 'Ada'")
        self.browser.run(FILL, {"scores": ["6"]})
        self.browser.driver.refresh()
        values = "return [...document.querySelectorAll('input')].map((box) => box.value).filter((text) => text !== '')"
        self.assertEqual(self.browser.run(values), ["Ada", "6"])
        self.assertEqual([url for url in self.browser.requests() if not url.startswith("file:")], [])
        self.assertEqual([words for words in self.browser.complaints() if "beforeunload" not in words], [])

    def test_every_box_is_labelled_and_of_one_size(self):
        self.open(CAUSAL)
        sizes = self.browser.run("""return [...document.querySelectorAll("td.box")].map((box) => {
          const {width, height} = box.getBoundingClientRect();
          return width.toFixed(2) + "×" + height.toFixed(2);
        })""")
        self.assertEqual(len(set(sizes)), 1, set(sizes))
        width, height = (float(size) * 25.4 / 96 for size in sizes[0].split("×"))
        self.assertGreaterEqual(height, 9)
        self.assertGreaterEqual(width, 14)
        labels = self.browser.run("return [...document.querySelectorAll('td.box > input')].map((b) => b.ariaLabel)")
        self.assertEqual(len(labels), len(set(labels)))
        self.open(CAUSAL, "--key")
        key = self.browser.run("""return [...document.querySelectorAll("td.box")].map((box) => {
          const {width, height} = box.getBoundingClientRect();
          return width.toFixed(2) + "×" + height.toFixed(2);
        })""")
        self.assertEqual(set(key), set(sizes))


if __name__ == "__main__":
    skip_without_browser()
    unittest.main()
