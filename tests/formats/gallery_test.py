"""The gallery shows what the program writes today, and every file of it under its command."""

import sys

sys.dont_write_bytecode = True

import importlib.machinery
import importlib.util
import os
import subprocess
import unittest

ATTN = os.path.abspath(os.environ["ATTN"])
ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
GALLERY = os.path.join(ROOT, "docs", "gallery")
MAKE = os.path.join(GALLERY, "make")


def gallery():
    """The program that makes the gallery, as a module."""
    loader = importlib.machinery.SourceFileLoader("gallery", MAKE)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("gallery", loader))
    loader.exec_module(module)
    return module


class Gallery(unittest.TestCase):
    def test_files_are_what_the_program_writes(self):
        done = subprocess.run([sys.executable, MAKE, "--check", ATTN], capture_output=True, encoding="utf-8", timeout=120)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)

    def test_every_file_stands_in_the_document_with_its_command(self):
        with open(GALLERY + ".md", encoding="utf-8") as file:
            document = file.read()
        for name, command in gallery().FILES.items():
            self.assertIn(command, document)
            self.assertIn(f"(gallery/{name})", document)

    def test_nothing_else_lies_in_it(self):
        made = {*gallery().FILES, *gallery().PICTURES, "make"}
        self.assertEqual(set(os.listdir(GALLERY)) - made, set())

    def test_pictures_are_small(self):
        for name in gallery().PICTURES:
            self.assertLess(os.path.getsize(os.path.join(GALLERY, name)), 200_000, name)


if __name__ == "__main__":
    unittest.main()
