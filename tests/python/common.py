"""What the tests of the Python package share."""

import json
import os
import subprocess
import sys
from pathlib import Path

try:
    import numpy as np
except ImportError:
    print("skipped: there is no numpy")
    sys.exit(77)

ATTN = os.path.abspath(os.environ["ATTN"])
ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "data"


def program(*words):
    """What the program prints."""
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
    return subprocess.run([ATTN, *map(str, words)], capture_output=True, env=environment, timeout=120).stdout


def said_by_program(*words):
    return program(*words).decode().rstrip("\n")


def traced_by_program(path, *options):
    """The steps that the program writes, as arrays by their ids; and all that it writes."""
    trace = json.loads(program("run", path, "--format", "json", *options))
    return {step["id"]: numbers(step["data"]) for step in trace["steps"]}, trace


def numbers(nested):
    """Lists of numbers, of which some are spelled: "-inf"."""
    return np.array(nested, dtype=object).astype(np.float64)


def same_bits(one, other):
    """Whether two arrays hold the same numbers of 64 bits, in the same shape. NaN is one number here."""
    one, other = np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)
    return one.shape == other.shape and np.array_equal(one.view(np.uint64), other.view(np.uint64))
