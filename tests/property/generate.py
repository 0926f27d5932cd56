#!/usr/bin/env python3
"""Random valid problems, the same for the same seed on every machine.

A problem is first drawn with tokens as rows and weights as y = x·W, and then
respelled: as column vectors, or with weights stored as nn.Linear stores them.
Sizes are 1 to 6, so that every size meets every feature often.

    generate.py --seed 1 --count 3        prints three problems, one a line
"""

import argparse
import json
import random

from features import Features
from masking import Masking
from spelling import as_columns, as_out_in, depth  # noqa: F401

NUMBERS = ("integers", "decimals", "reals")


# --- drawing ---------------------------------------------------------------


class Draw(Features, Masking):
    """One random problem, in rows and y = x·W."""

    def __init__(self, rng, numbers):
        self.rng = rng
        self.numbers = numbers
        self.problem = {}

    # Small decisions

    def chance(self, probability):
        return self.rng.random() < probability

    def size(self, largest=6):
        return self.rng.randint(1, largest)

    def number(self):
        if self.numbers == "integers":
            return self.rng.randint(-3, 3)
        if self.numbers == "decimals":
            return round(self.rng.uniform(-2, 2), self.rng.choice((1, 1, 2)))
        return self.rng.gauss(0, 1)

    def tensor(self, *shape):
        if not shape:
            return self.number()
        return [self.tensor(*shape[1:]) for _ in range(shape[0])]

    # The whole

    def draw(self):
        self.arithmetic()
        self.shapes()
        self.features()
        {"self": self.self_inputs, "cross": self.cross_inputs, "tokens": self.token_inputs,
         "direct": self.direct}[self.source]()
        self.output()
        self.score()
        self.encode_positions()
        self.caches()
        self.softmax()
        self.masks()
        self.poison()
        self.extras()
        return self.problem

    def arithmetic(self):
        lot = self.rng.random()
        if lot < 0.25:
            mode = self.rng.choice(("", ":half-up", ":half-even", ":truncate", ":keep-sum", ":keep-sum"))
            self.problem["arithmetic"] = {"hand_rounding": f"{self.rng.randint(0, 3)}{mode}"}
        elif lot < 0.55:
            self.problem["arithmetic"] = {"dtype": self.rng.choice(("f32", "f32", "bf16", "f16", "f64"))}
        self.narrow = self.problem.get("arithmetic", {}).get("dtype", "f64") != "f64"

    def shapes(self):
        self.source = self.rng.choice(("self", "self", "cross", "cross", "tokens", "direct", "direct"))
        self.batch = self.rng.choice((None, None, 1, 2, 3))
        self.heads = self.rng.choice((None, None, None, 1, 2, 2, 2, 3, 4, 6))
        self.nq, self.nk = self.size(), self.size()
        self.d_k, self.d_v = self.size(4), self.size(4)
        self.rank4 = False

    def many(self, make):
        """One of them, or one a sequence of the batch."""
        return make() if self.batch is None else [make() for _ in range(self.batch)]

    # Inputs

    def self_inputs(self):
        width = self.input_width()
        self.lengths_of_sequences(self.nq)
        self.problem["inputs"] = self.rows_of(self.own_lengths, width)
        self.truncate()
        self.projections(self.style(), width, width, width)
        if self.chance(0.2):
            self.problem["tokens"] = self.words_of(self.own_lengths)

    def token_inputs(self):
        """Tokens with embeddings, in self- or cross-attention."""
        width = self.input_width()
        words = ("the", "cat", "sat", "on", "mat", "…", "apple")
        self.problem["embeddings"] = {w: self.tensor(width) for w in words}
        if self.chance(0.3):
            self.ragged = False
            batch = self.batch or 1
            self.own_lengths = [self.nk] * batch
            self.problem["tokens"] = {"query": self.words_of([self.nq] * batch, words),
                                      "key": self.words_of(self.own_lengths, words)}
        else:
            self.lengths_of_sequences(self.nq)
            self.problem["tokens"] = self.words_of(self.own_lengths, words)
        self.truncate()
        self.projections(self.style(), width, width, width)

    def cross_inputs(self):
        """Inputs of up to three widths, where the projections allow it."""
        self.lengths_of_sequences(self.nk)
        key_rows = self.own_lengths
        # Ragged queries come only with ragged keys: what queries alone would do
        # to the lengths is not written down.
        query_rows = [self.size(self.nq) if self.ragged else self.nq for _ in key_rows]
        self.nq = max(query_rows)
        style = self.style()
        d_query = self.input_width()
        one_table = self.positions == "learned"  # which serves inputs of one width
        d_key = d_query if style in ("none", "split_input") or one_table or self.chance(0.5) else self.input_width()
        d_value = (d_query if one_table else self.input_width()) if self.chance(0.6) else None
        inputs = {"query": self.rows_of(query_rows, d_query), "key": self.rows_of(key_rows, d_key)}
        if d_value:
            inputs["value"] = self.rows_of(key_rows, d_value)
        self.problem["inputs"] = inputs
        self.truncate()
        self.projections(style, d_query, d_key, d_value or d_key)
        if self.chance(0.3):
            self.problem["tokens"] = {"query": self.words_of(query_rows), "key": self.words_of(key_rows)}

    def rows_of(self, lengths, width):
        """A matrix, or one a sequence, with as many rows as each sequence has."""
        rows = iter(lengths)
        return self.many(lambda: self.tensor(next(rows), width))

    def words_of(self, lengths, words=("walk", "by", "river", "bank", "Grüße", "我", "a b", "-", "")):
        rows = iter(lengths)
        return self.many(lambda: [self.rng.choice(words) for _ in range(next(rows))])

    def input_width(self):
        """A width that the heads divide, in case the inputs themselves are split."""
        return (self.heads or 1) * self.size(3) if self.heads else self.size()

    def lengths_of_sequences(self, rows):
        """Own lengths of the sequences of a batch: sometimes they differ."""
        self.own_lengths = [rows] * (self.batch or 1)
        if self.chance(0.3):
            self.own_lengths = [self.size(rows) for _ in self.own_lengths]
        self.ragged = len(set(self.own_lengths)) > 1
        self.nk = max(self.own_lengths)
        if self.source != "cross":
            self.nq = self.nk

    def truncate(self):
        """Cuts sequences, and keeps the sizes that masks need after the cut."""
        self.whole_nk = self.nk
        if self.chance(0.12) and not self.past_length:
            limit = self.size()
            self.problem["max_tokens"] = limit
            self.nq, self.nk = min(self.nq, limit), min(self.nk, limit)

    # Projections

    def style(self):
        styles = ["wide", "wide", "wide"]
        if self.heads:
            styles += ["per_head", "per_head", "some_per_head"]
        if self.heads == self.kv_heads:  # inputs as they are have the same heads as queries and as keys
            styles += ["none", "mixed"] + (["split_input"] * 2 if self.heads else [])
        return self.rng.choice(styles)

    def projections(self, style, d_query, d_key, d_value):
        self.input_columns = d_query
        if self.heads:
            self.problem["heads"] = self.heads
            if self.kv_heads != self.heads or self.chance(0.1) and style != "split_input":
                self.problem["kv_heads"] = self.kv_heads
        if style == "none":
            heads = self.heads or 1
            self.d_q, self.d_k, self.d_v = d_query // heads, d_key // heads, d_value // heads
            self.context_width = d_value
            if self.heads and self.chance(0.3) and "kv_heads" not in self.problem:
                self.problem["split"] = "input"
        elif style == "split_input":
            self.split_projections(d_query, d_value)
        else:
            self.weights(style, d_query, d_key, d_value)

    def weights(self, style, d_query, d_key, d_value):
        heads, kv_heads = self.heads or 1, self.kv_heads or 1
        identity = set()
        if style == "mixed":
            identity = {n for n in ("query", "key", "value") if self.chance(0.5)}
            if "query" in identity and "key" in identity and d_query != d_key and not self.two_widths:
                identity.discard("key")
            if "query" in identity:
                self.d_q = d_query // heads
            if "key" in identity:
                self.d_k = d_key // heads
            if "value" in identity:
                self.d_v = d_value // heads
            if not self.two_widths:
                self.d_k = self.d_q = self.d_q if "query" in identity else self.d_k
        widths = {"query": (d_query, self.d_q, heads), "key": (d_key, self.d_k, kv_heads),
                  "value": (d_value, self.d_v, kv_heads)}
        weights, biases = {}, {}
        for name, (rows, columns, count) in widths.items():
            if name in identity:
                weights[name] = "identity"
                continue
            apart = style == "per_head" or style == "some_per_head" and self.chance(0.5)
            weights[name] = self.tensor(count, rows, columns) if apart else self.tensor(rows, count * columns)
            if self.chance(0.4):
                biases[name] = self.tensor(count * columns)
        if all(w != "identity" and depth(w) == 3 for w in weights.values()) and self.chance(0.5):
            del self.problem["heads"]  # one matrix a head already says how many
        self.problem["weights"] = weights
        if biases:
            self.problem["biases"] = biases
        self.context_width = heads * self.d_v

    def split_projections(self, d_query, d_value):
        """One shared square matrix each, on inputs that are split into heads.

        Only the values' inputs may have a width of their own.
        """
        self.problem["split"] = "input"
        part, value_part = d_query // self.heads, d_value // self.heads
        weights, biases = {}, {}
        for name, width in (("query", part), ("key", part), ("value", value_part)):
            if self.chance(0.15):
                weights[name] = "identity"
                continue
            weights[name] = self.tensor(width, width)
            if self.chance(0.4):
                biases[name] = self.tensor(width)
        self.d_q = self.d_k = part
        self.d_v = value_part
        self.problem["weights"] = weights
        if biases:
            self.problem["biases"] = biases
        self.context_width = d_value

    def direct(self):
        """Queries, keys and values themselves, in every rank."""
        self.ragged = False
        self.own_lengths = [self.nk] * (self.batch or 1)
        heads, kv_heads = self.heads or 1, self.kv_heads or 1
        same = self.chance(0.25)
        widths = {"queries": (self.nq, self.d_q, heads), "keys": (self.nk, self.d_k, kv_heads),
                  "values": (self.nk, self.d_v, kv_heads)}
        self.rank4 = self.batch is not None and bool(self.heads) and self.chance(0.5)
        for name, (rows, width, count) in widths.items():
            if name == "values" and same:
                self.d_v = self.d_k
                continue
            self.problem[name] = (self.tensor(self.batch, count, rows, width) if self.rank4
                                  else self.many(lambda: self.tensor(rows, count * width)))
        if self.heads and not (self.rank4 and self.chance(0.5)):
            self.problem["heads"] = self.heads
        if self.heads and (kv_heads != heads or self.chance(0.1)):
            self.problem["kv_heads"] = kv_heads
        self.context_width = heads * self.d_v
        self.whole_nk = self.nk

    def output(self):
        if not self.chance(0.4):
            return
        d_out = self.size()
        self.problem.setdefault("weights", {})["output"] = self.tensor(self.context_width, d_out)
        if self.chance(0.5):
            self.problem.setdefault("biases", {})["output"] = self.tensor(d_out)

    # What must not matter either

    def extras(self):
        if self.chance(0.2):
            self.problem["title"] = "A problem: ünïcode, \"quotes\" and \\ backslashes"
        if self.chance(0.1):
            self.problem["notes"] = ["free", {"text": [1, 2]}]
        if self.chance(0.1):
            self.problem["x-origin"] = {"anything": [None, True, "…"]}
        if self.chance(0.1):
            self.problem["digits"] = self.rng.randint(0, 6)
        if self.heads and self.chance(0.05) and "split" not in self.problem and self.source != "direct":
            self.problem["split"] = "projection"


def drawn(seed, numbers=None):
    """A problem in rows and y = x·W."""
    rng = random.Random(f"attn {seed}")
    return Draw(rng, numbers or rng.choice(NUMBERS)).draw()


def generate(seed, numbers=None):
    """A problem in any spelling."""
    problem = drawn(seed, numbers)
    rng = random.Random(f"attn spelling {seed}")
    lot = rng.random()
    if lot < 0.2:
        return as_columns(problem)
    if lot < 0.25:
        return dict(problem, vectors="rows")
    if lot < 0.45 and "weights" in problem:
        return as_out_in(problem)
    if lot < 0.5 and "weights" in problem:
        return dict(problem, weight_layout="in_out")
    return problem


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--numbers", choices=NUMBERS, help="default: any")
    options = parser.parse_args()
    for seed in range(options.seed, options.seed + options.count):
        print(json.dumps(generate(seed, options.numbers), ensure_ascii=False))


if __name__ == "__main__":
    main()
