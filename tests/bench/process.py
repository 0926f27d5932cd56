#!/usr/bin/env python3
"""How long the whole program takes on the worked example, beside a script of another library.

    process.py [--python FILE] [--repeat N] [--json] ATTN

Starts `attn demo` and, in turn with it, the same attention as a script of numpy
and of torch, as far as they are installed. What they print is thrown away. Prints
the median and the best time of each, and how many times ours it is.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time

EXAMPLE = """
x = [[1, 0, 1, 0], [0, 2, 0, 2], [1, 1, 1, 1]]
w_key = [[0, 0, 1], [1, 1, 0], [0, 1, 0], [1, 1, 0]]
w_query = [[1, 0, 1], [1, 0, 0], [0, 0, 1], [0, 1, 1]]
w_value = [[0, 2, 0], [0, 3, 0], [1, 0, 3], [1, 1, 0]]
"""

NUMPY = "import numpy as np" + EXAMPLE + """
x, w_key, w_query, w_value = (np.array(one, float) for one in (x, w_key, w_query, w_value))
scores = (x @ w_query) @ (x @ w_key).T
weights = np.exp(scores - scores.max(axis=1, keepdims=True))
print(weights / weights.sum(axis=1, keepdims=True) @ (x @ w_value))
"""

TORCH = "import torch" + EXAMPLE + """
x, w_key, w_query, w_value = (torch.tensor(one, dtype=torch.float64) for one in (x, w_key, w_query, w_value))
q, k, v = x @ w_query, x @ w_key, x @ w_value
print(torch.nn.functional.scaled_dot_product_attention(q, k, v, scale=1.0))
"""


def seconds(command):
    start = time.perf_counter()
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    took = time.perf_counter() - start
    return took if done.returncode == 0 else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("attn")
    parser.add_argument("--python", default=sys.executable, help="the Python that has numpy and torch")
    parser.add_argument("--repeat", type=int, default=7, help="how often the scripts are started")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()

    commands = {"attn demo": [os.path.abspath(options.attn), "demo"],
                "nothing (true)": ["true"],
                "numpy script": [options.python, "-c", NUMPY],
                "torch script": [options.python, "-c", TORCH]}
    times = {}
    for name, command in commands.items():
        if seconds(command) is None:  # once for the disk's sake
            print(f"{name} is left out: it does not run here", file=sys.stderr)
        else:
            times[name] = []
    for _ in range(options.repeat):
        for name in times:
            # What is short is started more often.
            for _ in range(20 if name in ("attn demo", "nothing (true)") else 1):
                times[name].append(seconds(commands[name]))

    report = {name: {"median": statistics.median(all_of), "best": min(all_of)} for name, all_of in times.items()}
    ours = report["attn demo"]
    for one in report.values():
        one["ratio"] = one["median"] / ours["median"]
    if options.json:
        print(json.dumps(report, indent=2))
        return
    for name, one in report.items():
        print(f"{name:16} {1000 * one['median']:9.2f} ms   best {1000 * one['best']:9.2f} ms   {one['ratio']:7.1f} ×")


main()
