"""With sanitizers a program takes ten times as long. Of what is tried many times a share is tried with them."""

import os

SLOW = os.environ.get("ATTN_SLOW") == "1"


def share(cases, of):
    """All cases, and with sanitizers the first and every so manieth after it."""
    return list(cases)[::of if SLOW else 1]
