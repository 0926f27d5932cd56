"""Runs the examples of docs/python.md, and compares what they print.

What is fenced as `pycon` is a session, with "…" for lines left out as everywhere in the documents; what is fenced as
`python` is a file of tests, whose tests are run.
"""

import codeop
import contextlib
import io
import os
import re
import sys
import traceback
import unittest

from common import ROOT, np  # noqa: F401

sys.path.insert(0, str(ROOT / "tests" / "docs"))
from run_examples import matches, without_blank_ends  # noqa: E402

DOCUMENT = ROOT / "docs" / "python.md"


def blocks(fence):
    """The fenced blocks, each as (number of its first line, lines)."""
    inside, found = False, []
    for number, line in enumerate(DOCUMENT.read_text(encoding="utf-8").splitlines(), 1):
        if inside and line == "```":
            inside = False
        elif inside:
            found[-1][1].append(line)
        elif line == f"```{fence}":
            inside = True
            found.append((number + 1, []))
    return found


def examples(lines):
    """What is typed and what comes of it."""
    found = []
    for line in lines:
        if line.startswith(">>> "):
            found.append(([line[4:]], []))
        elif line == "..." or line.startswith("... "):
            found[-1][0].append(line[4:])
        else:
            found[-1][1].append(line)
    return [("\n".join(source) + "\n", printed) for source, printed in found]


def printed_by(source, names):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        try:
            code = codeop.compile_command(source, "<document>", "single")
            if code is None:
                raise SyntaxError(f"no whole statement: {source}")
            exec(code, names)
        except Exception as error:  # noqa: BLE001
            print("Traceback (most recent call last):\n  …")
            print("".join(traceback.format_exception_only(error)), end="")
    return out.getvalue().splitlines()


class Documents(unittest.TestCase):
    def setUp(self):
        os.chdir(ROOT)

    def test_sessions_print_what_they_say(self):
        names, count = {}, 0
        for line, block in blocks("pycon"):
            for source, expected in examples(block):
                count += 1
                got = without_blank_ends(printed_by(source, names))
                self.assertTrue(matches(without_blank_ends(expected), got),
                                f"docs/python.md, below line {line}:\n{source}\n" + "\n".join(got))
        self.assertGreater(count, 20)

    def test_tests_pass(self):
        found = blocks("python")
        for _, block in found:
            names = {}
            exec("\n".join(block), names)
            tests = [value for name, value in names.items() if name.startswith("test_")]
            self.assertTrue(tests)
            for test in tests:
                test()
        self.assertEqual(len(found), 1)

    def test_what_is_to_be_installed_is_what_a_build_needs(self):
        words = " ".join(" ".join(block) for _, block in blocks("sh"))
        needed = re.search(r"^build_packages=\(([^)]*)\)$", (ROOT / "dev").read_text(encoding="utf-8"), re.MULTILINE)[1]
        for package in [*needed.split(), "python3-dev"]:
            self.assertIn(f" {package} ", words.replace("\\", " ") + " ")

    def test_every_public_name_is_in_the_document(self):
        import attn
        text = DOCUMENT.read_text(encoding="utf-8")
        for name in attn.__all__:
            self.assertTrue(re.search(rf"\b{name}\b|`{name}`", text), name)


if __name__ == "__main__":
    unittest.main()
