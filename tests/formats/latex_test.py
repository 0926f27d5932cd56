"""What `--format latex` writes is compiled, and read again from the pages."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unicodedata
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "property"))

import every_feature
from notes import NOTES

ATTN = os.path.abspath(os.environ["ATTN"])
ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
DATA = os.path.join(ROOT, "data")
EXAMPLE = os.path.join(DATA, "worked-example.json")
TWELVE = os.path.join(DATA, "twelve-words.json")
RAGGED = os.path.join(DATA, "ragged-batch.json")
FRAGMENT_PACKAGES = ("amsmath", "amssymb", "booktabs", "tikz", "colortbl", "graphicx")
PROBLEMS = sorted(os.path.join(DATA, name) for name in os.listdir(DATA)
                  if name.endswith(".json") and not name.endswith(".golden.json"))

FEATURES = ["columns", "a cache and appended keys", "a ragged batch", "offsets of a batch", "rounded by hand", "masks"]
MOST_POINTS = 3  # that a line may be too wide

# Titles and tokens of people who mean us no good, or write in scripts of their own.
NASTY = [
    r"\input{/etc/passwd}", r"\write18{touch hacked}", r"\immediate\write18{id}", r"\openout\hacked=hacked.tex",
    r"\end{document}", r"\end{tabular}", r"\end{align*}\stop", r"}", r"{", r"}}}{{{", r"}\undefined{", r"\catcode`\%=12",
    r"$", r"$$", r"$\loop\iftrue\repeat$", r"\(", r"\[x\]", r"%", r"100% of it", r"#", r"#1", r"##", r"&", r"a & b & c", r"\\",
    r"\\[5pt]", r"[5pt]", r"*", r"^^5c", r"^^5cinput{x}", r"^", r"_", r"x_1^2", r"~", r"\def\attnpart{}", r"\par", r"\newpage",
    r"`quoted'", "``double''", '"', r"<<x>>", r"--full", r"?`!`", r"|", r"/etc/passwd", r"\csname end\endcsname",
    r"\jobname", "\\", r"\relax", r"\begin{comment}", "\\verb|x|", "\x1b[31mred", "\x00", "tab\tand\nline", "\r\n", "\u202edesrever",
    "\u2066isolate\u2069", "😀", "👩‍👩‍👧", "🇫🇷", "مرحبا بالعالم", "שלום", "日本語", "한국어", "привет", "ελληνικά",
    "e\u0301", "a\u0300\u0301\u0302", "ﬁ", "ŁódźÆØÅßĄ", "«ð»þ", "½ ° µ ¬ ¿", "∑∏√∞≈≤→ᵀ₁²", "\u00a0", "\u200b", "\ufeff",
    "w" * 90, "😀" * 30, "a b " * 40, "", " ",
]


def attn(*words, text=None):
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
    return subprocess.run([ATTN, *words], input=text, capture_output=True, encoding="utf-8", env=environment,
                          timeout=120)


def latex(*words, codes=(0,), **more):
    done = attn(*words, "--format", "latex", **more)
    if done.returncode not in codes or not re.fullmatch(NOTES, done.stderr):
        raise AssertionError(f"attn {' '.join(words)}: {done.returncode} {done.stderr}")
    return done.stdout


def has_package(name):
    return subprocess.run(["kpsewhich", name], capture_output=True).stdout.strip() != b""


def document(fragment, packages=("amsmath", "amssymb"), before=""):
    """The smallest that a teacher's document can be."""
    loaded = "".join(f"\\usepackage{{{name}}}\n" for name in packages)
    return (f"\\documentclass{{article}}\n{loaded}{before}\\begin{{document}}\nBefore.\n{fragment}\nAfter.\n"
            "\\end{document}\n")


class Compiled:
    """A document, compiled in a folder of its own."""

    def __init__(self, source, engine="pdflatex"):
        with tempfile.TemporaryDirectory(prefix="attn-latex-") as folder:
            with open(os.path.join(folder, "it.tex"), "w", encoding="utf-8") as file:
                file.write(source)
            command = [engine, "-no-shell-escape", "-interaction=nonstopmode", "-halt-on-error", "it.tex"]
            self.code = subprocess.run(command, cwd=folder, capture_output=True, timeout=300).returncode
            with open(os.path.join(folder, "it.log"), encoding="utf-8", errors="replace") as file:
                self.log = file.read()
            self.files = sorted(name for name in os.listdir(folder) if not name.startswith("it."))
            self.text = self.words(folder)

    @staticmethod
    def words(folder):
        if not shutil.which("pdftotext") or not os.path.exists(os.path.join(folder, "it.pdf")):
            return None
        text = subprocess.run(["pdftotext", "-layout", "it.pdf", "-"], cwd=folder, capture_output=True, encoding="utf-8")
        plain = unicodedata.normalize("NFKC", text.stdout)
        for shown, typed in {"’": "'", "‘": "`", "−": "-", "ˆ": "^", "˜": "~"}.items():
            plain = plain.replace(shown, typed)
        return " ".join(plain.split())

    @property
    def pages(self):
        found = re.search(r"Output written on \S+ \((\d+) pages?", self.log)
        return int(found[1]) if found else 0


class LatexTest(unittest.TestCase):
    def compile(self, source, engine="pdflatex"):
        done = Compiled(source, engine)
        complaint = done.log[max(done.log.find("\n!"), 0):][:800] if done.code else ""
        self.assertEqual(done.code, 0, complaint)
        self.assertNotIn("Missing character", done.log)
        too_wide = [line for line in re.findall(r"Overfull .*", done.log)
                    if float(re.search(r"\(([\d.]+)pt", line)[1]) > MOST_POINTS]
        self.assertEqual(too_wide, [])
        self.assertEqual(re.findall("attn: a slide is shrunk.*", done.log), [])
        self.assertEqual(done.files, [])
        return done

    def assert_shows(self, done, *words):
        if done.text is None:
            return
        for word in words:
            self.assertTrue(word in done.text, f"{word!r} is not in the text of the pages")

    @staticmethod
    def problem(**changes):
        with open(EXAMPLE, encoding="utf-8") as file:
            return json.dumps({**json.load(file), **changes})


class Papers(LatexTest):
    def test_a_paper_compiles_alone(self):
        done = self.compile(latex("run", EXAMPLE, "--standalone"))
        self.assert_shows(done, "Self-attention, worked by hand", "What is given", "Scores: each query times each key",
                          "0.4683", "1.9366", "yes, all 9 numbers")
        self.assertLess(done.pages, 8)

    def test_every_problem_compiles(self):
        # One after another in one run: what stands before them is the same for all.
        folder = tempfile.TemporaryDirectory(prefix="attn-latex-")
        self.addCleanup(folder.cleanup)
        features = every_feature.write(folder.name, FEATURES)
        preambles, bodies = set(), []
        for name in [*PROBLEMS, *features.values()]:
            preamble, body = latex("run", name, "--standalone").split("\\begin{document}\n")
            self.assertTrue(body.endswith("\\end{document}\n"))
            preambles.add(preamble)
            bodies.append(body.removesuffix("\\end{document}\n"))
        self.assertGreater(len(bodies), 25)
        self.assertEqual(len(preambles), 1)
        done = self.compile(preambles.pop() + "\\begin{document}\n" + "\\clearpage\n".join(bodies) + "\\end{document}\n")
        self.assert_shows(done, "0.4683", "Sentences of different length in one batch")

    def test_everything_in_full_compiles(self):
        done = self.compile(latex("run", os.path.join(DATA, "tired-or-narrow.json"), "--standalone", "--full",
                                  "--explain", "cells", "--precision", "9"))
        self.assertGreater(done.pages, 5)

    def test_a_wide_matrix_is_split(self):
        source = latex("run", os.path.join(DATA, "eight-heads-batch.json"), "--standalone")
        self.assertIn("columns 1\\textendash{}8 of 64", source)
        self.assertIn("columns 17 to 64 are left out}", source)  # and no option, which paper does not have

    def test_trees_compile(self):
        done = self.compile(latex("why", EXAMPLE, "context[1,2]", "--standalone"))
        self.assert_shows(done, "C[1, 2]", "(given)", "(see above)")

    def test_reports_compile(self):
        scores = [["2", "4", "4"], ["4", "61", None], ["4", "12", "10"]]
        answers = json.dumps({"schema": "attn/answers/1", "steps": {"scores": scores}})
        with tempfile.TemporaryDirectory(prefix="attn-latex-") as folder:
            path = os.path.join(folder, "answers.json")
            with open(path, "w", encoding="utf-8") as file:
                file.write(answers)
            source = latex("check", EXAMPLE, path, "--standalone", codes=(1,))
        self.assertIn("\\attnwrong{", source)
        self.assertIn("\\attnblank{", source)
        self.assert_shows(self.compile(source), "not right yet", "× 61")

    def test_the_catalogue_of_mistakes_compiles(self):
        self.compile(latex("mistakes", "--standalone"))

    def test_feedback_of_a_class_compiles_alone(self):
        with tempfile.TemporaryDirectory(prefix="attn-latex-") as folder:
            with open(os.path.join(folder, "anna.json"), "w", encoding="utf-8") as file:
                json.dump({"schema": "attn/answers/1", "steps": {"queries": [[1, 0, 2], [2, 2, 2], [2, 1, 4]]}}, file)
            done = attn("grade", EXAMPLE, file.name, "--feedback", os.path.join(folder, "feedback"),
                        "--feedback-format", "latex")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            with open(os.path.join(folder, "feedback", "anna.tex"), encoding="utf-8") as file:
                source = file.read()
        self.assert_shows(self.compile(source), "anna")

    def test_every_table_has_the_names_of_its_rows(self):
        for name in ["worked-example", "ragged-batch", "twelve-words"]:
            body = body_of(latex("run", os.path.join(DATA, name + ".json"), "--standalone", "--brief"))
            tables = re.findall(r"begin\{tabular\}\[t\]\{@\{\}(l@\{\\hspace|\*)", body)
            self.assertGreater(tables.count("l@{\\hspace"), 8)
            self.assertNotIn("*", tables)

    def test_every_place_beside_others_says_which_it_is(self):
        body = body_of(latex("run", RAGGED, "--standalone", "--brief"))
        places = re.findall(r"\\attnplace\{([^}]*)\}", body)
        self.assertEqual(places, [f"Sequence {at} of 3" for at in (1, 2, 3)] * 4)

    def test_padding_looks_fainter_than_words(self):
        body = body_of(latex("run", RAGGED, "--standalone", "--brief"))
        self.assertIn("\\attnhead{\\attnfaint{\\ensuremath{\\cdot}}} & \\attnfaint{$0$}", body)
        self.assertNotIn("\\attnhead{\\ensuremath{\\cdot}}", body)

    def test_matrices_of_other_steps_do_not_stand_under_the_headline_of_one(self):
        with tempfile.TemporaryDirectory(prefix="attn-latex-") as folder:
            body = body_of(latex("run", forty(folder), "--standalone", "--brief"))
        under_values = body.split("\\attnpart{Values}")[1].split("\\attnpart{")
        self.assertEqual(under_values[0].count("\\attncaption"), 1)
        self.assertTrue(under_values[1].startswith("Scores"), under_values[1][:60])

    def test_a_step_told_alone_says_what_closes_its_cells(self):
        source = latex("run", os.path.join(DATA, "masks-together.json"), "--only", "attention_weights")
        self.assertIn("(closed)", source)
        for rule in ("the problem blocks this cell", "causal: a query sees", "lengths: keys past the end"):
            self.assertIn(rule, source)

    def test_powers_in_running_text_are_set_as_powers(self):
        source = latex("run", os.path.join(DATA, "alibi.json"), "--standalone", "--brief")
        self.assertIn("$2^{-1}$, $2^{-2}$", source)

    def test_words_above_a_table_are_drawn_close_to_nothing_else(self):
        for option in ("--standalone", "--beamer"):
            with tempfile.TemporaryDirectory(prefix="attn-latex-") as folder:
                bodies = [body_of(latex("run", path, option, "--brief")) for path in (RAGGED, forty(folder))]
            for body in bodies:
                behind = set(re.findall(r"\\attnclose *\n?(\\\w+)", body))
                self.assertLessEqual(behind, {"\\attnnumbers", "\\attnlying", "\\end"})

    def test_two_heads_of_twelve_words_are_a_short_handout(self):
        done = self.compile(latex("run", TWELVE, "--standalone", "--brief"))
        self.assertLessEqual(done.pages, 8)

    def test_every_number_of_the_steps_is_on_the_pages(self):
        for name in ["worked-example", "tom-yeh-three-heads", "twelve-words"]:
            path = os.path.join(DATA, name + ".json")
            source = latex("run", path, "--standalone", "--brief")
            trace = json.loads(attn("run", path, "--format", "json").stdout)
            for step in trace["steps"]:
                if step["id"] not in {"queries", "keys", "values", "scores", "attention_weights", "context", "output"}:
                    continue
                for number in flat(step["data"]):
                    written = f"{number:.4f}"
                    shown = {written, written.rstrip("0").rstrip("."), "-0.0000" if written == "0.0000" else written}
                    self.assertTrue(any(f"${one}$" in source for one in shown), f"{step['id']}: {written}")

    def test_numbers_have_one_size_that_keeps_wide_matrices_whole(self):
        source = latex("run", TWELVE, "--standalone")
        self.assertEqual(re.findall(r"\\def\\attnsize\{(\\\w+)", source), ["\\footnotesize"])
        self.assertNotIn("columns 1", body_of(source))
        self.assertIn("\\def\\attnsize{\\normalsize", latex("run", EXAMPLE, "--standalone"))

    def test_a_column_too_many_follows_below(self):
        source = latex("run", os.path.join(DATA, "eight-heads-batch.json"), "--standalone", "--full")
        parts = re.findall(r"columns (\d+)\\textendash\{\}(\d+) of 64", source)
        self.assertEqual(parts[0][0], "1")
        self.assertIn("64", [end for _, end in parts])


def forty(folder):
    """A problem whose matrices are larger than a slide."""
    path = os.path.join(folder, "forty.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"inputs": {"random": "normal", "shape": [40, 8], "seed": 1}}, file)
    return path


def flat(numbers):
    if not isinstance(numbers, list):
        return [numbers]
    return [one for part in numbers for one in flat(part)]


def frames(source):
    """Of each slide its title and what stands on it."""
    found = re.findall(r"\\begin\{frame\}\[t\]\{([^\n]*)\}\n(.*?)\\end\{frame\}", body_of(source), re.S)
    return found


def body_of(source):
    return source.split("\\begin{document}\n")[1]


class Figures(LatexTest):
    def test_attention_weights_are_the_darker_the_larger_they_are(self):
        source = latex("run", EXAMPLE, "--standalone")
        shades = {float(number): int(shade)
                  for shade, number in re.findall(r"\\attnshade\{(\d+)\}\$([\d.]+)\$", body_of(source))}
        self.assertEqual(len(shades), 8)  # of nine numbers two are the same
        in_order = [shades[number] for number in sorted(shades)]
        self.assertEqual(in_order, sorted(in_order))
        self.assertEqual(shades[0.9820], 54)
        self.assertLessEqual(max(in_order), 55)  # black is read on it

    def test_lines_between_tokens_are_as_wide_as_the_weight(self):
        source = body_of(latex("run", EXAMPLE, "--standalone"))
        widths = [float(share) for share in re.findall(r"\\attnarc\{[\d.]+\}\{[\d.]+\}\{([\d.]+)\}", source)]
        self.assertEqual(sorted(widths), [0.018, 0.063, 0.119, 0.468, 0.468, 0.881, 0.982])

    def test_lines_between_tokens_stand_below_their_own_weights(self):
        for name in [RAGGED, TWELVE, EXAMPLE]:
            body = body_of(latex("run", name, "--standalone", "--brief"))
            figures = [part for part in re.split(r"\\begin\{minipage\}|\\attnmatrix\{", body) if "\\attnarc{" in part]
            self.assertGreater(len(figures), 0)
            for part in figures:
                self.assertIn("\\attnshade{", part)

    def test_lines_between_many_tokens_are_higher(self):
        def band(path):
            return float(re.search(r"\\def\\attnband\{(\d+)\}", latex("run", path, "--standalone"))[1])

        self.assertGreater(band(TWELVE), 2 * band(EXAMPLE))

    def test_words_in_boxes_are_set_as_anywhere(self):
        for option in ("--standalone", "--beamer"):
            boxes = "".join(re.findall(r"\\attnflowbox.*", body_of(latex("run", TWELVE, option))))
            self.assertNotIn("\\_", boxes)
        self.assertIn("\\sqrt{d_{k}}", boxes + latex("run", TWELVE, "--standalone"))

    def test_vectors_are_called_in_pictures_as_in_tables(self):
        source = body_of(latex("run", EXAMPLE, "--geometry", "--standalone", "--brief"))
        self.assertRegex(source, r"\\node\[attnquery.*\$q_\{1\}\$")

    def test_the_steps_are_joined_as_the_data_flows(self):
        source = body_of(latex("run", EXAMPLE, "--standalone"))
        self.assertGreaterEqual(source.count("\\attnflowbox{"), 8)
        self.assertGreaterEqual(source.count("\\attnarrow{"), 9)
        done = self.compile(latex("run", EXAMPLE, "--standalone"))
        self.assert_shows(done, "Attention weights", "3 × 3")

    def test_the_parts_of_a_block_are_joined(self):
        done = self.compile(latex("run", os.path.join(DATA, "induction.json"), "--standalone"))
        self.assertGreater(done.pages, 1)
        self.assertIn("\\attnflowbox{", body_of(latex("run", os.path.join(DATA, "induction.json"), "--standalone")))

    def test_what_was_handed_in_and_what_is_asked_for_has_no_figure(self):
        source = latex("why", EXAMPLE, "context[1,2]", "--standalone")
        self.assertNotIn("\\attnflowbox{", body_of(source))
        sheet = latex("worksheet", EXAMPLE, "--standalone")
        for macro in ("\\attnflowbox{", "\\attnarc{", "\\attnshade{"):
            self.assertNotIn(macro, body_of(sheet))


class Fragments(LatexTest):
    def test_a_fragment_fits_a_column_of_two(self):
        for name in ["worked-example", "twelve-words"]:
            source = document(latex("run", os.path.join(DATA, name + ".json")), FRAGMENT_PACKAGES)
            done = self.compile(source.replace("{article}", "[twocolumn]{article}\\usepackage[margin=18mm]{geometry}"))
            self.assertGreater(done.pages, 1)


    def test_a_fragment_needs_amsmath_and_amssymb_only(self):
        done = self.compile(document(latex("run", EXAMPLE)))
        self.assert_shows(done, "Before.", "Self-attention, worked by hand", "0.4683", "After.")

    def test_two_fragments_in_a_document_that_loads_more(self):
        fragments = latex("run", EXAMPLE) + latex("run", os.path.join(DATA, "eight-heads-batch.json"))
        self.compile(document(fragments, ("amsmath", "amssymb", "booktabs", "xcolor", "graphicx")))

    def test_colours_are_macros_that_can_be_defined_before(self):
        before = "\\newcommand\\attnquery[1]{\\mbox{QQ}}\n"
        done = self.compile(document(latex("run", EXAMPLE), before=before))
        self.assert_shows(done, "QQ")
        standalone = latex("run", EXAMPLE, "--standalone").replace("\\begin{document}", before.replace("new", "renew") +
                                                                   "\\begin{document}")
        self.assert_shows(self.compile(standalone), "QQ")


class Slides(LatexTest):
    def setUp(self):
        if not has_package("beamer.cls") or not has_package("pgfcore.sty"):
            self.skipTest("beamer or the pgf that it needs is not installed")

    def test_slides_compile(self):
        for name in ["worked-example", "ragged-batch", "masks-together"]:
            done = self.compile(latex("run", os.path.join(DATA, name + ".json"), "--beamer"))
            self.assertGreater(done.pages, 20)
            if name == "worked-example":
                self.assert_shows(done, "Self-attention, worked by hand", "0.4683", "1.9366")

    def test_two_heads_of_twelve_words_are_a_short_lecture(self):
        done = self.compile(latex("run", TWELVE, "--beamer", "--brief"))
        self.assertLessEqual(done.pages, 20)

    def test_what_a_slide_is_called_is_true_of_what_stands_on_it(self):
        with tempfile.TemporaryDirectory(prefix="attn-latex-") as folder:
            source = latex("run", forty(folder), "--beamer", "--brief")
        slides = [slide for slide in frames(source) if "\\attncaption" in slide[1]]
        named = {}
        for title, text in slides:
            named.setdefault(title, []).append(re.findall(r"\\attncaption\{.*?\}\{([\w ]*)", text))
        for step in ("Scores", "Scores divided by $\\sqrt{d_{k}}$", "Attention weights", "Context"):
            told = named[step]
            self.assertEqual(len(told), 1 if step == "Context" else 2)
            self.assertTrue(all(step.startswith(one[0].strip()) for one in told), (step, told))
        self.assertEqual(len(named["Values"]), 1)
        self.compile(source)  # no slide is shrunk: numbers have one size

    def test_a_context_stands_beside_the_weights_of_a_few_tokens(self):
        slides = [text for _, text in frames(latex("run", RAGGED, "--beamer", "--brief")) if "\\attnarc{" in text]
        self.assertEqual(len(slides), 3)
        for text in slides:
            self.assertEqual(text.count("\\attncaption"), 2)
            self.assertIn("{Context", text)

    def test_lines_between_tokens_and_notes_have_no_slides_of_their_own(self):
        slides = frames(latex("run", RAGGED, "--beamer", "--brief"))
        for title, text in slides:
            if "\\attnarc{" in text:
                self.assertIn("\\attnshade{", text)
            inside = re.sub(r"\\(begin|end)\{(frame|attnslide)\}", "", text).strip()
            self.assertFalse(inside.startswith("\\attnnote{"), title)
        flow = [title for title, text in slides if "\\attnflowbox{" in text]
        self.assertEqual(flow, ["Sentences of different length in one batch"])

    def test_overlays_build_slides_up(self):
        whole = latex("run", EXAMPLE, "--beamer")
        built = latex("run", EXAMPLE, "--beamer", "--overlays")
        self.assertEqual(built.count("\\begin{frame}"), whole.count("\\begin{frame}"))
        self.assertNotIn("\x01", built)
        done = self.compile(built)
        self.assertEqual(done.pages, sum(
            max((int(step) for step in re.findall(r"(?:attnshow\{|attnshadefrom\{|uncoverenv\}<)(\d+)", frame)), default=1)
            for frame in body_of(built).split("\\begin{frame}")[1:]))
        self.assertGreater(done.pages, 2 * whole.count("\\begin{frame}"))
        plain = re.sub(r"\\attnshadefrom\{\d+\}", r"\\attnshade", built)
        self.assertEqual(sorted(re.findall(r"\\attnshade\{\d+\}", body_of(plain))),
                         sorted(re.findall(r"\\attnshade\{\d+\}", body_of(whole))))

    def test_overlays_are_for_slides(self):
        done = attn("run", EXAMPLE, "--format", "latex", "--standalone", "--overlays")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--overlays means nothing without --beamer", done.stderr)

    def test_slides_win_over_a_paper(self):
        both = latex("run", EXAMPLE, "--standalone", "--beamer")
        self.assertEqual(both, latex("run", EXAMPLE, "--beamer"))

    def test_slides_of_a_tree(self):
        self.compile(latex("why", EXAMPLE, "context[1,2]", "--beamer"))


class Strangers(LatexTest):
    def strange(self, texts, **more):
        """A small problem with these tokens, and all of them in the title."""
        rows = [[token % 3, 1] for token in range(len(texts))]
        unit = [[1, 0], [0, 1]]
        return json.dumps({"title": " ".join(texts), "tokens": texts, "inputs": rows,
                           "weights": {"query": unit, "key": unit, "value": unit}, **more})

    def test_other_peoples_text_stays_text(self):
        texts = []
        for at in range(0, len(NASTY), 12):
            done = attn("run", "-", "--format", "latex", "--explain", "rows", text=self.strange(NASTY[at:at + 12]))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            texts.append(done.stdout)
        packages = ("amsmath", "amssymb", "booktabs", "xcolor", "graphicx")
        fragments = "\n\\clearpage\n".join(texts)
        if has_package("lmodern.sty"):
            done = self.compile("\\RequirePackage[T1]{fontenc}\n" + document(fragments, (*packages, "lmodern")))
            self.assert_shows(done, "ŁódźÆØÅß", "x_1^2")
        self.assert_shows(self.compile(document(fragments, packages)), "\\input{/etc/passwd}", "\\write18{touch hacked}",
                          "\\end{document}", "100% of it", "a & b & c", "^^5cinput{x}", "--full", "\\x1b[31mred",
                          "\\u202edesrever", "<<x>>", "?`!`", "U+1F600", "U+65E5")

    def test_in_a_paper_and_on_slides(self):
        some = [r"\end{frame}\end{document}", r"\write18{touch hacked} $ % } ^^5c", "😀 مرحبا 日本語 e\u0301 \u202e"]
        for option in ("--standalone", "--beamer"):
            if option == "--beamer" and not has_package("pgfcore.sty"):
                continue
            done = attn("run", "-", "--format", "latex", option, text=self.problem(title=" ".join(some), tokens=some))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assert_shows(self.compile(done.stdout), "\\end{document}", "U+1F600", "0.4683")


if __name__ == "__main__":
    if not shutil.which("pdflatex"):
        print("skipped: pdflatex is not installed")
        sys.exit(77)
    missing = [name for name in ("amsmath.sty", "amssymb.sty", "booktabs.sty", "xcolor.sty", "geometry.sty")
               if not has_package(name)]
    if missing:
        print("skipped: LaTeX lacks", ", ".join(missing))
        sys.exit(77)
    unittest.main()
