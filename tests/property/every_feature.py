#!/usr/bin/env python3
"""A small problem for every feature of the model: {name: problem}.

What is tried of every feature in every view, format and command starts from these. They are
small, so that a page of them can be read, and no two numbers of a step are alike by accident.

    every_feature.py             the names
    every_feature.py NAME        that problem
    every_feature.py --to FOLDER all of them, a file each
"""

import copy
import json
import os
import sys

QUERIES = [[1, 0.5, -1, 2], [0.5, 2, 1, 0], [-1, 1, 2, 1.5]]
KEYS = [[0.5, 1, 0, 1], [2, -1, 1, 0.5], [1, 1.5, -0.5, 0], [-1, 0, 1, 2]]
VALUES = [[1, 2, 0, 3], [0, 4, -1, 2], [3, 1, 2, 0], [-2, 1, 5, 1]]
INPUTS = [[1, 0.5, 0, 2], [0, 2, 1, 1], [1, 1, -1, 0.5]]
WEIGHTS = {"query": [[1, 0.5], [0, 1], [-1, 0], [0.5, 1]], "key": [[0, 1], [1, 0.5], [1, -1], [0.5, 0]],
           "value": [[1, 2], [0, 1], [2, 0], [0.5, -1]]}
WIDE = {"query": [[1, 0.5, 0, 1], [0, 1, 1, 0.5], [-1, 0, 0.5, 1], [0.5, 1, -0.5, 0]],
        "key": [[0, 1, 1, 0.5], [1, 0.5, 0, -1], [1, -1, 0.5, 0], [0.5, 0, 1, 1]],
        "value": [[1, 2, 0, 0.5], [0, 1, 1, -1], [2, 0, 0.5, 1], [0.5, -1, 2, 0]]}
OUTPUT = [[1, 0.5], [0, 1], [-0.5, 0], [1, 2]]
RELATIVE = [[0.5, -0.5], [0, 1], [1, 0.5], [-1, 0.25], [0.25, -1]]
NEAR = [[0.5, -0.5, 1, 0], [0, 1, 0.5, -1], [1, 0.5, -0.5, 0.25]]

DIRECT = {"queries": QUERIES, "keys": KEYS, "values": VALUES}
SELF = {"inputs": INPUTS, "weights": WEIGHTS}
TWO_HEADS = {"inputs": INPUTS, "heads": 2, "weights": {**WIDE, "output": OUTPUT}}
GENERAL = {"type": "general", "weight": [[1, 0, 0.5, 0], [0, 2, 0, 1], [0.5, 0, -1, 0], [0, 1, 0, 0.5]]}
ADDITIVE = {"type": "additive", "query": [[0.5, 1], [0, -0.5], [0.25, 0], [-0.5, 0.5]],
            "key": [[1, 0], [-0.5, 0.5], [0, 0.25], [0.5, -1]], "v": [2, -1.5]}
CONCAT = {"type": "concat", "weight": ADDITIVE["query"] + ADDITIVE["key"], "v": [2, -1.5]}
PAST = {"keys": [[1, 0, 0.5, -1], [0, 1, -1, 0.5]], "values": [[2, 0, 1, -1], [1, 3, 0, 0.5]]}
SINKS = {"keys": [[0.5, -0.5, 1, 0]], "values": [[0, 0, 0, 0]]}
BATCH = [INPUTS, [[0.5, 1, 2, -1], [1, -1, 0, 0.5], [2, 0, 1, 1]]]


def direct(**more):
    return copy.deepcopy({**DIRECT, **more})


def own(**more):
    return copy.deepcopy({**SELF, **more})


def heads(**more):
    return copy.deepcopy({**TWO_HEADS, **more})


def columns(rows):
    return [list(column) for column in zip(*rows)]


def problems():
    found = {
        # Scores
        "cosine": direct(score="cosine"),
        "cosine of a zero vector": direct(score="cosine", queries=[[0, 0, 0, 0], *QUERIES[1:]]),
        "general": direct(score=GENERAL),
        "general, two widths": direct(score={"type": "general", "weight": [[1, 0.5], [0, 2], [-1, 0], [0.5, 1]]},
                                      keys=[row[:2] for row in KEYS], causal=True),
        "additive": direct(score=ADDITIVE),
        "concat": direct(score=CONCAT, lengths=3),
        "softcap": own(softcap=1.5, causal=True),
        "scale and softcap": own(score="dot", scale=-0.25, softcap=2),
        # Heads
        "grouped queries": {"inputs": INPUTS, "heads": 2, "kv_heads": 1,
                            "weights": {"query": WIDE["query"], "key": WEIGHTS["key"], "value": WEIGHTS["value"],
                                        "output": OUTPUT}},
        "grouped queries in a batch": {"inputs": BATCH, "heads": 2, "kv_heads": 1, "causal": True, "lengths": [3, 2],
                                       "weights": {"query": WIDE["query"], "key": WEIGHTS["key"],
                                                   "value": WEIGHTS["value"]}},
        # Caches, sinks, windows
        "a cache": own(inputs=INPUTS, weights=WIDE, past=PAST, causal=True),
        "appended keys": direct(appended=SINKS, causal=True),
        "a cache and appended keys": heads(past=PAST, appended=SINKS, window=[1, 0], positions="alibi"),
        "a window": own(window=[1, 0]),
        "offsets of a batch": {"inputs": BATCH, "weights": WEIGHTS, "offset": [-1, 1], "causal": True},
        # Softmax
        "base 2": own(softmax={"base": 2}),
        "linear": direct(queries=[[1, 0.5, 1, 2], [0.5, 2, 1, 0]], keys=[[0.5, 1, 0, 1], [2, 1, 1, 0.5], [1, 1.5, 0.5, 0]],
                         values=VALUES[:3], score="dot", softmax="linear", lengths=2),
        "a sink": heads(softmax={"sink": [0.5, -1]}, window=[0, 0]),
        # Positions
        "sinusoidal": own(positions="sinusoidal"),
        "sinusoidal, odd width": own(inputs=[row[:3] for row in INPUTS], positions={"type": "sinusoidal", "base": 100},
                                     weights={name: weight[:3] for name, weight in WEIGHTS.items()}),
        "learned, a batch": {"inputs": BATCH, "weights": WEIGHTS,
                             "positions": {"type": "learned", "table": [[0.5, 0, 1, -1], [0, 1, 0.5, 0], [1, -1, 0, 2]]}},
        "rope": direct(positions="rope"),
        "rope, interleaved, in heads": heads(positions={"type": "rope", "interleaved": True}, causal=True),
        "rope of two of four": direct(positions={"type": "rope", "dims": 2, "base": 100}, past=PAST),
        "alibi": heads(positions="alibi", causal=True),
        "relative": own(positions={"type": "relative", "keys": RELATIVE, "values": RELATIVE[::-1]}),
        "relative keys in heads": heads(positions={"type": "relative", "keys": RELATIVE[1:4]}, causal=True),
        "relative values": own(positions={"type": "relative", "values": RELATIVE[1:4]}, window=[1, 1]),
        "t5": heads(score="dot", positions={"type": "t5", "max_distance": 4,
                                            "table": [[0.5, -0.5], [1, 0], [-1, 0.25], [0, 1]]}),
        "deberta": own(positions={"type": "deberta", "embeddings": NEAR + [[-1, 0, 0.5, 1]], "key": WEIGHTS["key"],
                                  "query": WEIGHTS["query"]}),
        "deberta, one weight, in heads": heads(causal=True, positions={
            "type": "deberta", "embeddings": NEAR[:2], "key": WIDE["key"]}),
        # Arithmetic
        "bf16": own(arithmetic={"dtype": "bf16"}, causal=True),
        "f16 and general": direct(score=GENERAL, arithmetic={"dtype": "f16"}),
        "rounded by hand": heads(positions="rope", softcap=2, arithmetic={"hand_rounding": "2:keep-sum"}),
        # With the rest
        "columns": {"inputs": columns(INPUTS), "vectors": "columns", "causal": True, "score": "cosine",
                    "weights": {name: columns(weight) for name, weight in WEIGHTS.items()},
                    "positions": "sinusoidal"},
        "out_in": {"inputs": INPUTS, "weight_layout": "out_in", "positions": "rope",
                   "weights": {name: columns(weight) for name, weight in WEIGHTS.items()}},
        "split inputs": {"inputs": INPUTS, "split": "input", "heads": 2, "positions": "alibi", "score": "cosine",
                         "weights": {"query": [[1, 0.5], [0, 1]], "key": [[0.5, 0], [1, -1]], "value": [[1, 2], [0, 1]]}},
        "cross-attention": {"inputs": {"query": INPUTS[:2], "key": BATCH[1]}, "weights": WEIGHTS,
                            "positions": "sinusoidal", "softmax": {"sink": 0.5}},
        "a ragged batch": {"inputs": [INPUTS, INPUTS[1:]], "weights": WEIGHTS, "softcap": 2,
                           "positions": {"type": "relative", "keys": RELATIVE, "values": RELATIVE}},
        "masks": own(mask=[{"add": [[0, 0.5, "-inf"], [0.25, 0, 0], [-1, 0, 0]]}, {"block": [[0, 0, 0], [0, 1, 0], [1, 1, 1]]}],
                     positions={"type": "t5", "table": [0.5, -0.5, 1, 0.25], "bidirectional": False, "max_distance": 3},
                     score="dot"),
    }
    for name, problem in found.items():
        problem["title"] = f"Every feature: {name}"
    return copy.deepcopy(found)


def write(folder, names=None, all_problems=None):
    """A file for each problem; {name: path}."""
    paths = {}
    for name, problem in (all_problems or problems()).items():
        if names is None or name in names:
            paths[name] = os.path.join(folder, name.replace(",", "").replace(" ", "-") + ".json")
            with open(paths[name], "w", encoding="utf-8") as file:
                json.dump(problem, file)
    return paths


def main():
    words = sys.argv[1:]
    if words[:1] == ["--to"]:
        write(words[1])
    elif words:
        print(json.dumps(problems()[words[0]]))
    else:
        print("\n".join(problems()))


if __name__ == "__main__":
    main()
