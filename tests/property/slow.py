"""With sanitizers a program takes ten times as long. Of what is tried many times a share is tried with them."""

import os

SLOW = os.environ.get("ATTN_SLOW") == "1"


def share(cases, of):
    """All cases, and with sanitizers the first and every so manieth after it."""
    return list(cases)[::of if SLOW else 1]


def is_sanitized(program):
    """Whether memory and time of the program say nothing, since a sanitizer takes its own."""
    with open(program, "rb") as file:
        code = file.read()
    return b"__asan_init" in code or b"__tsan_init" in code
