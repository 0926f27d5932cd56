#!/usr/bin/env python3
"""Published worked examples, rebuilt as problems and compared with what was printed.

Every file has a statement (the numbers of the example), what was published, and
whether an honest recomputation agrees with it. Those that agree must give the
printed digits; those whose only fault is that rounding was carried on must be
explained by one way of rounding by hand.

    worked.py --attn build/default/attn --cases DIR
"""

import sys

sys.dont_write_bytecode = True

import json
import math
import os
import re
import struct
from decimal import Decimal

from running import (SKIPPED, OutOfReach, Tally, depth, files_under, nothing_to_run, parsed_options, runner, steps_of,
                     transposed)

# What the published names mean. "output" is whatever the example ends with.
STEP_OF_NAME = {
    "Q": "queries", "query": "queries", "K": "keys", "key": "keys", "V": "values", "value": "values",
    "scores": "scores", "score": "scores", "scaled_scores": "scaled_scores", "scaled": "scaled_scores",
    "masked_scores": "masked_scores", "softmax": "attention_weights", "weights": "attention_weights",
    "attention_weights": "attention_weights", "weighted_values": "weighted_values",
    "context": "context", "concat": "concat", "output": "result", "pe": "position_encoding",
    "mean": "embedding_norm.mean", "var": "embedding_norm.variance",
}
SCORE_LIKE = ("scores", "scaled_scores", "masked_scores", "attention_weights")


# --- statements ------------------------------------------------------------


def scale_factor(text, d_k):
    """The number that scores are multiplied with, or None where nothing scales them.

    Sources write "1/sqrt(8)", "1/sqrt(d_k)", "1/2" or a number, sometimes with remarks.
    """
    if text is None:
        return None
    if isinstance(text, (int, float)):
        return float(text)
    root = re.match(r"1/sqrt\((\w+)\)", text)
    if root:
        return 1 / math.sqrt(d_k if root[1] == "d_k" else float(root[1]))
    parts = re.match(r"([\d.]+)(?:/([\d.]+))?", text)
    if not parts:
        raise OutOfReach(f"needs a scale read from '{text}'")
    return float(parts[1]) / float(parts[2] or 1)


class Statement:
    """The numbers of an example, and the problem they are."""

    def __init__(self, example):
        self.given = example["statement"]
        self.features = example.get("features", [])
        self.columns = "X (one column per token)" in self.given
        self.turned_scores = self.columns or "published transposed" in example.get("notes", "")

    def problem(self):
        given = self.given
        if "base" in given and "n" in given:
            return self._positions()
        if "logits" in given or "scores" in given and "Q" not in given and "X" not in given:
            problem = self._from_scores()
        elif "W_Q" in given or "heads" in given:
            problem = self._projected()
        elif "Q" in given or "q" in given:
            problem = self._direct()
        elif "x" in given and "eps" in given:
            return self._normalized()
        elif "X" in given and "eps" not in given:
            problem = {"inputs": given["X"]}
        else:
            raise OutOfReach("needs " + ", ".join(self.features or sorted(given)))
        self._scale(problem)
        self._mask(problem)
        return problem

    def _positions(self):
        given = self.given
        problem = {"inputs": [[0.0] * given["d"] for _ in range(given["n"])],
                   "positions": {"type": "sinusoidal", "base": given["base"]}}
        if "float16" in self.features:
            problem["arithmetic"] = {"dtype": "f16"}
        return problem

    def _normalized(self):
        """Rows that are normalized and no more: a block whose layer does nothing."""
        given = self.given
        if "eps_placement" in given or "std" in given:
            raise OutOfReach("normalizes in another way")
        rows = given["x"] if depth(given["x"]) == 2 else [given["x"]]
        along = lambda name: {name: number if isinstance(number, list) else [number] * len(rows[0])
                              for number in [given[{"gain": "gamma", "bias": "beta"}[name]]]}
        norm = {**(along("gain") if "gamma" in given else {}), **(along("bias") if "beta" in given else {})}
        return {"inputs": rows, "block": {"eps": given["eps"], "embedding_norm": norm, "layers": [{}]}}

    def _from_scores(self):
        """Rows of scores are the queries' products with unit vectors."""
        rows = self.given.get("logits") or self.given["scores"]
        rows = rows if depth(rows) == 2 else [rows]
        unit = [[float(i == j) for j in range(len(rows))] for i in range(len(rows))]
        return {"queries": unit, "keys": transposed(rows)}

    def _direct(self):
        given = self.given
        pick = lambda *names: next(given[n] for n in names if n in given)
        as_rows = lambda t: t if depth(t) > 1 else [t]
        return {"queries": as_rows(pick("Q", "q")), "keys": as_rows(pick("K", "K_cache")),
                "values": as_rows(pick("V", "V_cache"))}

    def _projected(self):
        given = self.given
        problem = {}
        if self.columns:
            problem["vectors"] = "columns"
            problem["inputs"] = given["X (one column per token)"]
        else:
            problem["inputs"] = given["X"]
            if "W^T" in given.get("projection", ""):
                problem["weight_layout"] = "out_in"
        names = {"query": "W_Q", "key": "W_K", "value": "W_V"}
        if "heads" in given and isinstance(given["heads"], list):
            problem["weights"] = {n: [head[w] for head in given["heads"]] for n, w in names.items()}
        else:
            problem["weights"] = {n: given[w] for n, w in names.items()}
            if "num_heads" in given:
                problem["heads"] = given["num_heads"]
        if "W_O" in given:
            problem["weights"]["output"] = given["W_O"]
        biases = {n: given["b_" + letter] for n, letter in zip(("query", "key", "value", "output"), "QKVO")
                  if "b_" + letter in given}
        if biases:
            problem["biases"] = biases
        if "labels" in given:
            problem["tokens"] = given["labels"]
        return problem

    def _key_width(self, problem):
        if "keys" in problem:
            return len(problem["keys"][0])
        if "weights" not in problem:
            return len(problem["inputs"][0])
        weight = problem["weights"]["key"]
        outer_is_out = self.columns or problem.get("weight_layout") == "out_in"
        if depth(weight) == 3:
            return len(weight[0]) if outer_is_out else len(weight[0][0])
        return (len(weight) if outer_is_out else len(weight[0])) // problem.get("heads", 1)

    def _scale(self, problem):
        d_k = self._key_width(problem)
        text = self.given.get("scale", "1/sqrt(d_k)" if "sqrt_dk" in self.features else None)
        factor = scale_factor(text, d_k)
        if factor is not None and math.isclose(factor, 1 / math.sqrt(d_k), rel_tol=1e-12):
            problem["score"] = "scaled_dot"
        else:
            problem["score"] = "dot"
            if factor is not None:
                problem["scale"] = factor

    def _mask(self, problem):
        mask = self.given.get("mask")
        if mask == "causal":
            problem["causal"] = True
        elif isinstance(mask, list):
            problem["mask"] = {"allow": mask}
        elif mask:
            raise OutOfReach(f"needs a mask read from '{mask}'")


# --- what was published ----------------------------------------------------


class Published:
    """One published tensor: which step it is, which part of it, and under which variant.

    Names look like `weights`, `head2_Q`, `scores_1` (one row, from 1), `score_2_5`
    (one cell), `weights_cat` (the row of a token), `output_unmasked`.
    """

    def __init__(self, name, labels):
        self.variants = set()
        self.places = []
        self.head = None
        head = re.match(r"head(\d+)_(.*)", name)
        if head:
            self.head, name = int(head[1]) - 1, head[2]
        words = name.split("_")
        while words and "_".join(words) not in STEP_OF_NAME:
            last = words.pop()
            if last in ("unmasked", "unscaled", "masked"):
                self.variants.add(last)
            elif last.isdigit():
                self.places.insert(0, int(last) - 1)
            elif last in labels:
                self.places.insert(0, labels.index(last))
            else:
                words = []
        self.step = STEP_OF_NAME.get("_".join(words))

    def variant_of(self, problem):
        """The problem without its mask, or without its scale, where that was published."""
        changed = dict(problem)
        if "unmasked" in self.variants:
            changed.pop("mask", None)
            changed.pop("causal", None)
        if "unscaled" in self.variants:
            changed.pop("scale", None)
            changed["score"] = "dot"
        return changed

    def pick(self, trace, turned_scores):
        """The numbers of the trace that were published."""
        steps = steps_of(trace)
        name = trace["result"] if self.step == "result" else self.step
        if self.head is not None and self.step == "result":
            name = "context"
        step = steps[name]
        data, axes = step["data"], list(step["axes"])
        if axes[0] == "batch" and len(data) == 1:
            data, axes = data[0], axes[1:]
        if self.head is not None and axes[0] == "head":
            data, axes = data[self.head], axes[1:]
        if turned_scores and name in SCORE_LIKE and len(axes) == 2:
            data = transposed(data)
        for place in self.places:
            data = data[place]
        return data


def flat(nested):
    if not isinstance(nested, list):
        return [nested]
    return [x for part in nested for x in flat(part)]


def allowance(text):
    """How far a number may be from its printed digits.

    Half a unit of the last place. Seven to nine significant digits are often those
    of a single, whose own error is larger; more are those of a double.
    """
    printed = Decimal(text)
    half_unit = float(Decimal(5).scaleb(printed.as_tuple().exponent - 1)) * (1 + 1e-9)
    digits = len(printed.as_tuple().digits)
    value = abs(float(printed))
    if digits >= 10:
        return max(half_unit, 1e-13 * max(1.0, value))
    return max(half_unit, 3e-7 * value) if digits >= 7 else half_unit


def same_half(text, value):
    """Numbers of half precision, one printed in full and the other in its shortest digits."""
    return struct.pack("<e", float(text)) == struct.pack("<e", float(value))


def digit_faults(name, printed, got, halves=False):
    printed, got = flat(printed), flat(got)
    if len(printed) != len(got):
        return [f"{name}: {len(printed)} numbers were published, the trace has {len(got)}"]
    wrong = []
    for k, (text, value) in enumerate(zip(printed, got)):
        text = str(text)
        if text.lstrip("+-") == "inf":
            near = float(value) == float(text)
        elif halves:
            near = same_half(text, value)
        else:
            near = abs(float(value) - float(text)) <= allowance(text)
        if not near:
            wrong.append(f"{name}, number {k + 1}: printed {text}, got {value}")
    return wrong[:1] + ([f"{name}: {len(wrong)} of {len(printed)} numbers differ"] if len(wrong) > 1 else [])


# --- examples --------------------------------------------------------------


def read_published(example, labels):
    """The published tensors that a trace has, with their printed digits."""
    texts = example.get("published_text") or example["published"]
    items = [(name, Published(name, labels), text) for name, text in texts.items()]
    return [item for item in items if item[1].step]


def faults_of(problem, statement, published, run):
    faults, traces = [], {}
    for name, item, text in published:
        variant = item.variant_of(problem)
        key = json.dumps(variant, sort_keys=True)
        if key not in traces:
            traces[key] = run.trace(variant)
        halves = traces[key]["arithmetic"]["dtype"] == "f16"
        faults += digit_faults(name, text, item.pick(traces[key], statement.turned_scores), halves)
    return faults


def explained_by_hand(problem, statement, published, run):
    """One way of rounding must give everything that was printed."""
    for decimals in range(4):
        for mode in ("half-up", "half-even", "truncate", "keep-sum"):
            by_hand = dict(problem, arithmetic={"hand_rounding": f"{decimals}:{mode}"})
            if not faults_of(by_hand, statement, published, run):
                return True
    return False


def check(path, run):
    with open(path, encoding="utf-8") as file:
        example = json.load(file)
    carried = example.get("disagreement", "").startswith("carried rounding")
    if not example.get("agrees") and not carried:
        raise OutOfReach("not marked as agreeing")
    statement = Statement(example)
    problem = statement.problem()
    published = read_published(example, example["statement"].get("labels", []))
    if not published:
        raise OutOfReach("no published number is a step of a trace")
    if carried:
        if explained_by_hand(problem, statement, published, run):
            return []
        raise OutOfReach("its carried rounding is no single way of rounding by hand")
    return faults_of(problem, statement, published, run)


def main():
    options = parsed_options(__doc__.split("\n")[0], "a folder of worked examples")
    if nothing_to_run(options):
        return SKIPPED
    run, tally = runner(options), Tally()
    for path in files_under(options.cases):
        tally.run(os.path.relpath(path, options.cases), lambda: check(path, run))
    return tally.close()


if __name__ == "__main__":
    sys.exit(main())
