#!/usr/bin/env python3
"""Measures everything that docs/performance.md has a table of, and writes the tables into it.

    tables.py [--python FILE] [--only NAME,…] ATTN DOCUMENT

A table stands between `<!-- measured: NAME -->` and `<!-- end -->`; the text
around it is left alone. Takes some minutes, and means nothing on a machine that
does other things at the same time.
"""

import argparse
import datetime
import json
import os
import platform
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def bench(options, *words):
    done = subprocess.run([options.attn, "bench", "--json", *words], stdout=subprocess.PIPE, check=True, encoding="utf-8")
    return json.loads(done.stdout)


def digits(number):
    return f"{number:.{0 if number >= 99.95 else 1 if number >= 9.995 else 2}f}"


def time_of(seconds):
    for unit in ("s", "ms", "µs"):
        if seconds >= 0.9995:
            return f"{digits(seconds)} {unit}"
        seconds *= 1000
    return f"{digits(seconds)} ns"


def size_of(count):
    for unit in ("B", "KiB", "MiB"):
        if count < 999.5:
            return f"{count:.0f} B" if unit == "B" else f"{digits(count)} {unit}"
        count /= 1024
    return f"{digits(count)} GiB"


def table(header, rows):
    lines = [header, ["---"] + ["---:"] * (len(header) - 1), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def rate(shape, kernel):
    if shape["limit"] == "memory":
        return digits(shape["bytes"] / kernel["seconds"]["median"] / 1e9) + " GB/s"
    return digits(shape["operations"] / kernel["seconds"]["median"] / 1e9) + " GFLOP/s"


def fractions(shape, kernel):
    if shape["limit"] == "calling":
        return ["–", "–"]
    middle = kernel["of_peak"]
    return [f"{kernel['best_of_peak']:.2f}",
            f"{middle['median']:.2f} ({middle['lower_quartile']:.2f}–{middle['upper_quartile']:.2f})"]


def machine(report):
    shapes = report["shapes"]
    peaks = [shape["peak"] for shape in shapes if shape["limit"] == "arithmetic"]
    reads = [shape["peak"]["most"] for shape in shapes if shape["limit"] == "memory"]
    words = f"{datetime.date.today()}, {platform.machine()}, {report['device']}"
    if peaks:
        words += f"; peak {digits(max(one['most'] for one in peaks) / 1e9)} GFLOP/s"
        words += f" (medians {digits(min(one['median'] for one in peaks) / 1e9)}"
        words += f" to {digits(max(one['median'] for one in peaks) / 1e9)})"
    return words + (f", reading {digits(max(reads) / 1e9)} GB/s" if reads else "") + ".\n\n"


def shapes(options, *words):
    report = bench(options, "--suite", *words)
    rows = [[shape["name"], time_of(kernel["seconds"]["median"]), rate(shape, kernel), *fractions(shape, kernel)]
            for shape in report["shapes"] for kernel in shape["kernels"]]
    header = ["batch×heads×queries×width", "median", "speed", "best of peak", "median of peak (middle half)"]
    return machine(report) + table(header, rows)


def suite(options):
    yield shapes(options)
    yield "\nThe same on one thread:\n\n"
    yield shapes(options, "--threads", "1")


def avx2(options):
    yield shapes(options, "--instructions", "AVX2")


def memory(options):
    report = bench(options, "--suite", "--repeat", "1")
    rows = []
    for shape in report["shapes"]:
        kernel = shape["kernels"][-1]
        error = kernel["error"]
        rows.append([shape["name"], size_of(shape["bytes"]), size_of(kernel["working_memory"]),
                     size_of(shape["peak_memory"]), f"{error['kernel']:.1e}", f"{error['plain']:.1e}",
                     digits(error["kernel"] / error["plain"]) if error["plain"] else "–"])
    yield table(["batch×heads×queries×width", "in and out", "beyond", "process", "error", "plain f32", "ratio"], rows)


def ladder(options):
    for shape_words in (("--shape", "1,8,1024,64"), ("--shape", "1,8,1024,64", "--causal")):
        report = bench(options, "--ladder", *shape_words)
        shape, = report["shapes"]
        summaries = {one["name"]: one["summary"] for one in report["ladder"]}
        first = before = shape["kernels"][0]["seconds"]["least"]  # the calls that were disturbed least
        rows = []
        for kernel in shape["kernels"]:
            now = kernel["seconds"]["least"]
            rows.append([kernel["kernel"], summaries[kernel["kernel"]], time_of(kernel["seconds"]["median"]),
                         rate(shape, kernel),
                         f"{kernel['best_of_peak']:.3f}", digits(before / now) + "×", digits(first / now) + "×",
                         size_of(kernel["working_memory"])])
            before = now
        yield f"{shape['name']}, {machine(report)}"
        yield table(["rung", "what it does", "median", "speed", "best of peak", "step", "in all", "memory"], rows) + "\n"


def peers(options):
    report = bench(options, "--suite", "--compare", "--python", options.python)
    names = list(dict.fromkeys(peer["peer"] for shape in report["shapes"] for peer in shape["peers"]))
    yield machine(report)
    yield "; ".join(f"{one['name']} {one.get('version', 'is not installed')}" for one in report["libraries"]) + ".\n\n"
    rows = []
    for shape in report["shapes"]:
        told = {peer["peer"]: peer for peer in shape["peers"]}
        cells = [f"{told[name]['ratio']['median']:.2f} ({told[name]['best_ratio']:.2f})"
                 if name in told and "ratio" in told[name] else "–" for name in names]
        rows.append([shape["name"], time_of(shape["kernels"][-1]["seconds"]["median"]), *cells])
    yield table(["batch×heads×queries×width", "attn", *names], rows)


def decoder(tokens, act="gelu_tanh"):
    """A problem of GPT-2's sizes, with random weights."""
    def drawn(*shape):
        return {"random": "xavier", "shape": shape, "seed": 1}

    zeros = {"random": "normal", "shape": [768], "seed": 2}
    weights = {name: drawn(768, 768) for name in ("query", "key", "value", "output")}
    network = {"in": drawn(768, 3072), "in_bias": {**zeros, "shape": [3072]}, "out": drawn(3072, 768), "out_bias": zeros}
    layer = {"repeat": 12, "norm1": {"gain": zeros, "bias": zeros}, "norm2": {"gain": zeros, "bias": zeros},
             "self": {"weights": weights, "biases": dict.fromkeys(weights, zeros)}, "ffn": network}
    return {"inputs": drawn(tokens, 768), "heads": 12,
            "block": {"kind": "decoder_only", "norm": "pre", "activation": act, "layers": [layer],
                      "final_norm": {"gain": zeros, "bias": zeros}, "unembedding": drawn(768, 50257)}}


def model(options):
    rows, report = [], None
    for tokens in (1, 32, 512):
        for dtype in ("f32", "f64"):
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, f"{tokens} tokens.json")
                with open(path, "w", encoding="utf-8") as file:
                    json.dump(decoder(tokens), file)
                report = bench(options, "--model", path, "--dtype", dtype, "--compare", "--python", options.python)
            shape, = report["shapes"]
            steps, any_order = shape["kernels"]
            peer = shape["peers"][0] if shape["peers"] else {}
            ratio = f"{peer['ratio']['median']:.2f} ({peer['best_ratio']:.2f})" if "ratio" in peer else "–"
            rows.append([f"{tokens}, {dtype}", time_of(steps["seconds"]["median"]), time_of(any_order["seconds"]["median"]),
                         rate(shape, any_order), ratio, size_of(shape["bytes"]), size_of(any_order["working_memory"]),
                         f"{any_order['error']['kernel']:.1e}"])
    library = report["libraries"][0]
    yield machine(report).split(";")[0].rstrip(".\n") + f"; {library['name']} {library.get('version', 'is not installed')}.\n\n"
    yield table(["tokens", "steps", "any order", "speed", "torch", "given", "beyond", "error"], rows)


def process(options):
    done = subprocess.run([sys.executable, os.path.join(HERE, "process.py"), "--json", "--python", options.python,
                           options.attn], stdout=subprocess.PIPE, check=True, encoding="utf-8")
    report = json.loads(done.stdout)
    yield table(["process", "median", "best", "times ours"],
                [[name, time_of(one["median"]), time_of(one["best"]), digits(one["ratio"])] for name, one in report.items()])


TABLES = {"suite": suite, "avx2": avx2, "ladder": ladder, "memory": memory, "peers": peers, "model": model,
          "process": process}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("attn", type=os.path.abspath)
    parser.add_argument("document")
    parser.add_argument("--python", default=sys.executable, help="the Python that has numpy, torch and onnxruntime")
    parser.add_argument("--only", default=",".join(TABLES), help="these tables: " + ", ".join(TABLES))
    options = parser.parse_args()
    for name in options.only.split(","):
        made = "".join(TABLES[name](options)).rstrip("\n")
        with open(options.document, encoding="utf-8") as file:
            text = file.read()
        place = re.compile(rf"(<!-- measured: {name} -->\n).*?(\n<!-- end -->)", re.S)
        if not place.search(text):
            sys.exit(f"{options.document} has no place for {name}")
        with open(options.document, "w", encoding="utf-8") as file:
            file.write(place.sub(lambda found: found[1] + made + found[2], text))
        print(f"{name}: written")


main()
