#!/usr/bin/env python3
"""How large pages are, and what it takes to write them: the table in docs/performance.md.

    page_sizes.py ATTN [TOKENS…]

One head of width 16 with causal self-attention over random inputs, as --format html writes it,
with and without --full. Needs GNU time.
"""

import json
import os
import subprocess
import sys
import tempfile
import time

SIZES = (3, 12, 40, 100, 300, 1000)


def problem(tokens):
    random = {"random": "normal", "seed": 1}
    return {"title": f"{tokens} tokens", "tokens": [f"t{i + 1}" for i in range(tokens)],
            "inputs": {**random, "shape": [tokens, 16]},
            "weights": {name: {**random, "seed": seed, "shape": [16, 16]}
                        for seed, name in enumerate(("query", "key", "value"), 2)},
            "score": "scaled_dot", "causal": True}


def measured(attn, path, page, *options):
    used = page + ".used"
    before = time.monotonic()
    subprocess.run(["/usr/bin/time", "-f", "%M", "-o", used, attn, "run", path, *options, "-o", page], check=True,
                   stderr=subprocess.DEVNULL)
    seconds = time.monotonic() - before
    with open(used, encoding="ascii") as file:
        return os.path.getsize(page), seconds, int(file.read()) * 1024


def spelled(size):
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{size / 1e3:.0f} KB"


def main(attn, *sizes):
    print("| tokens | page | time | memory | `--full` | time | memory |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as folder:
        path, page = os.path.join(folder, "problem.json"), os.path.join(folder, "page.html")
        for tokens in map(int, sizes or SIZES):
            with open(path, "w", encoding="utf-8") as file:
                json.dump(problem(tokens), file)
            cells = []
            for options in ((), ("--full",)):
                size, seconds, memory = measured(attn, path, page, *options)
                cells += [spelled(size), f"{seconds:.2f} s", spelled(memory)]
            print("|", f"{tokens:,}", "|", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
