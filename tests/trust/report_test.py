#!/usr/bin/env python3
"""docs/trust.md is what report.py makes of the evidence, to the byte."""

import sys

sys.dont_write_bytecode = True

import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))

made = subprocess.run([sys.executable, os.path.join(HERE, "report.py")], capture_output=True, check=True).stdout
with open(os.path.join(HERE, "..", "..", "docs", "trust.md"), "rb") as file:
    if file.read() != made:
        sys.exit("docs/trust.md is not what tests/trust/report.py writes: run report.py > docs/trust.md")
