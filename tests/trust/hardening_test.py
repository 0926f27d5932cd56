#!/usr/bin/env python3
"""The built program has the protections that SECURITY.md names: read from the file, not from the build's settings.

    hardening_test.py build/default/attn
"""

import sys

sys.dont_write_bytecode = True

import os
import re
import shutil
import subprocess
import unittest

SKIPPED = 77
ATTN = sys.argv.pop(1) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else "build/default/attn"
SANITIZED = os.environ.get("ATTN_SLOW") == "1"
STATIC = os.environ.get("ATTN_STATIC_PROGRAM", "")


def read(path, *options):
    return subprocess.run(["readelf", "-W", *options, path], capture_output=True, text=True, check=True).stdout


class TheProgram(unittest.TestCase):
    def test_stands_anywhere_in_memory(self):
        self.assertIn("DYN", re.search(r"Type:\s*(\w+)", read(ATTN, "-h"))[1])

    def test_runs_nothing_on_its_stack(self):
        for path in (ATTN, STATIC):
            if path and os.path.exists(path):
                self.assertRegex(read(path, "-l"), r"GNU_STACK\s+(0x\w+\s+){5}RW\s")

    def test_has_tables_that_nobody_writes_to_once_it_has_started(self):
        self.assertIn("GNU_RELRO", read(ATTN, "-l"))
        self.assertRegex(read(ATTN, "-d"), r"BIND_NOW|Flags:.*\bNOW\b")

    def test_has_no_part_that_can_be_written_and_run(self):
        for path in (ATTN, STATIC):
            if path and os.path.exists(path):
                for line in read(path, "-l").splitlines():
                    self.assertNotRegex(line, r"LOAD\s.*\bRWE\b")

    def test_notices_a_stack_that_was_written_over(self):
        self.assertIn("__stack_chk_fail", read(ATTN, "--dyn-syms"))

    def test_asks_the_c_library_to_count_bytes(self):
        self.assertRegex(read(ATTN, "--dyn-syms"), r"\b__(mem|str|v?s?n?f?printf|read|realpath|poll|fdelt|longjmp)\w*_chk")

    def test_looks_at_an_index_before_it_is_used(self):
        # What the C++ library says of an index of a vector that is out of range.
        with open(ATTN, "rb") as file:
            self.assertIn(b"__n < this->size()", file.read())

    def test_enters_functions_where_they_begin(self):
        if os.uname().machine != "x86_64":
            self.skipTest("x86-64 alone has these")
        code = subprocess.run(["objdump", "-d", "--no-show-raw-insn", "--disassemble=main", ATTN], capture_output=True,
                              text=True, check=True).stdout
        self.assertRegex(code, r"<main>:\n\s*[0-9a-f]+:\s+endbr64")


if __name__ == "__main__":
    if SANITIZED:
        print("skipped: sanitizers have protections of their own")
        sys.exit(SKIPPED)
    if not shutil.which("readelf") or not shutil.which("objdump"):
        print("skipped: no readelf and objdump (binutils)")
        sys.exit(SKIPPED)
    unittest.main()
