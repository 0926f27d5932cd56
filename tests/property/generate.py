#!/usr/bin/env python3
"""Random valid problems, the same for the same seed on every machine.

A problem is first drawn with tokens as rows and weights as y = x·W, and then
respelled: as column vectors, or with weights stored as nn.Linear stores them.
Sizes are 1 to 6, so that every size meets every feature often.

    generate.py --seed 1 --count 3        prints three problems, one a line
"""

import argparse
import json
import math
import random

NUMBERS = ("integers", "decimals", "reals")
LARGEST = 6


# --- respelling ------------------------------------------------------------


def depth(value):
    return 1 + depth(value[0]) if isinstance(value, list) else 0


def with_matrices_turned(tensor):
    if depth(tensor) > 2:
        return [with_matrices_turned(t) for t in tensor]
    return [list(column) for column in zip(*tensor)]


def turned_if_matrix(tensor):
    return with_matrices_turned(tensor) if depth(tensor) >= 2 else tensor


def with_weights_turned(weights):
    return {name: w if w == "identity" else with_matrices_turned(w) for name, w in weights.items()}


def as_columns(problem):
    """The same problem with tokens as columns and y = W·x."""
    turned = dict(problem, vectors="columns")
    if "inputs" in problem:
        inputs = problem["inputs"]
        turned["inputs"] = ({role: turned_if_matrix(t) for role, t in inputs.items()}
                            if isinstance(inputs, dict) else turned_if_matrix(inputs))
    for name in ("queries", "keys", "values"):
        if name in problem:
            turned[name] = turned_if_matrix(problem[name])
    if "weights" in problem:
        turned["weights"] = with_weights_turned(problem["weights"])
    return turned


def as_out_in(problem):
    """The same problem with weights stored as y = x·Wᵀ."""
    return dict(problem, weight_layout="out_in", weights=with_weights_turned(problem["weights"]))


# --- drawing ---------------------------------------------------------------


class Draw:
    """One random problem, in rows and y = x·W."""

    def __init__(self, rng, numbers):
        self.rng = rng
        self.numbers = numbers
        self.problem = {}

    # Small decisions

    def chance(self, probability):
        return self.rng.random() < probability

    def size(self, largest=LARGEST):
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
        {"self": self.self_inputs, "cross": self.cross_inputs, "tokens": self.token_inputs,
         "direct": self.direct}[self.source]()
        self.output()
        self.score()
        self.masks()
        self.poison()
        self.extras()
        return self.problem

    def arithmetic(self):
        lot = self.rng.random()
        if lot < 0.25:
            mode = self.rng.choice(("", ":half-up", ":half-even", ":truncate", ":keep-sum", ":keep-sum"))
            self.problem["arithmetic"] = {"hand_rounding": f"{self.rng.randint(0, 3)}{mode}"}
        elif lot < 0.4:
            self.problem["arithmetic"] = {"dtype": "f32"}
        elif lot < 0.5:
            self.problem["arithmetic"] = {"dtype": "f64"}
        self.single = self.problem.get("arithmetic", {}).get("dtype") == "f32"

    def shapes(self):
        self.source = self.rng.choice(("self", "self", "cross", "cross", "tokens", "direct", "direct"))
        self.batch = self.rng.choice((None, None, 1, 2, 3))
        self.heads = self.rng.choice((None, None, 1, 2, 2, 3))
        self.nq, self.nk = self.size(), self.size()
        self.d_k, self.d_v = self.size(4), self.size(4)

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
        d_key = d_query if style in ("none", "split_input") or self.chance(0.5) else self.input_width()
        d_value = self.input_width() if self.chance(0.6) else None
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
        if self.chance(0.12):
            limit = self.size()
            self.problem["max_tokens"] = limit
            self.nq, self.nk = min(self.nq, limit), min(self.nk, limit)

    # Projections

    def style(self):
        styles = ["wide", "wide", "wide", "none", "mixed"]
        if self.heads:
            styles += ["per_head", "per_head", "split_input", "split_input", "some_per_head"]
        return self.rng.choice(styles)

    def projections(self, style, d_query, d_key, d_value):
        if self.heads:
            self.problem["heads"] = self.heads
        if style == "none":
            self.context_width = d_value
            if self.heads and self.chance(0.3):
                self.problem["split"] = "input"
        elif style == "split_input":
            self.split_projections(d_query, d_value)
        else:
            self.weights(style, d_query, d_key, d_value)

    def weights(self, style, d_query, d_key, d_value):
        heads = self.heads or 1
        identity = set()
        if style == "mixed":
            identity = {n for n in ("query", "key", "value") if self.chance(0.5)}
            if "query" in identity and "key" in identity and d_query != d_key:
                identity.discard("key")
            if "query" in identity:
                self.d_k = d_query // heads
            elif "key" in identity:
                self.d_k = d_key // heads
            if "value" in identity:
                self.d_v = d_value // heads
        widths = {"query": (d_query, self.d_k), "key": (d_key, self.d_k), "value": (d_value, self.d_v)}
        weights, biases = {}, {}
        for name, (rows, columns) in widths.items():
            if name in identity:
                weights[name] = "identity"
                continue
            apart = style == "per_head" or style == "some_per_head" and self.chance(0.5)
            weights[name] = self.tensor(heads, rows, columns) if apart else self.tensor(rows, heads * columns)
            if self.chance(0.4):
                biases[name] = self.tensor(heads * columns)
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
        self.problem["weights"] = weights
        if biases:
            self.problem["biases"] = biases
        self.context_width = d_value

    def direct(self):
        """Queries, keys and values themselves, in every rank."""
        self.ragged = False
        self.own_lengths = [self.nk] * (self.batch or 1)
        heads = self.heads or 1
        same = self.chance(0.25)
        widths = {"queries": (self.nq, self.d_k), "keys": (self.nk, self.d_k), "values": (self.nk, self.d_v)}
        rank4 = self.batch is not None and self.heads and self.chance(0.5)
        for name, (rows, width) in widths.items():
            if name == "values" and same:
                self.d_v = self.d_k
                continue
            self.problem[name] = (self.tensor(self.batch, heads, rows, width) if rank4
                                  else self.many(lambda: self.tensor(rows, heads * width)))
        if self.heads and not (rank4 and self.chance(0.5)):
            self.problem["heads"] = self.heads
        self.context_width = heads * self.d_v
        self.whole_nk = self.nk

    def output(self):
        if not self.chance(0.4):
            return
        d_out = self.size()
        self.problem.setdefault("weights", {})["output"] = self.tensor(self.context_width, d_out)
        if self.chance(0.5):
            self.problem.setdefault("biases", {})["output"] = self.tensor(d_out)

    # Scores

    def score(self):
        if self.chance(0.7):
            self.problem["score"] = self.rng.choice(("dot", "scaled_dot"))
        if self.chance(0.2):
            scales = [0.5, 2, 0.25, -1, 0, 1] + ([] if self.single else [0.1, 0.35355339])
            self.problem["scale"] = self.rng.choice(scales)

    # Masks

    def masks(self):
        self.closed_keys = [set() for _ in range(self.batch or 1)]
        if self.chance(0.25):
            self.problem["causal"] = True
            if self.chance(0.5):
                self.problem["offset"] = self.offset()
        elif self.chance(0.05):
            self.problem["causal"] = False
        if self.chance(0.25):
            self.lengths()
        if self.ragged:
            for closed, own in zip(self.closed_keys, self.own_lengths):
                closed.update(range(own, self.nk))
        lot = self.rng.random()
        if lot < 0.25:
            self.problem["mask"] = self.mask()
        elif lot < 0.4:
            self.problem["mask"] = [self.mask() for _ in range(self.rng.randint(1, 3))]

    def offset(self):
        one = lambda: self.rng.randint(-3, 3)
        return self.many(one) if self.chance(0.4) else one()

    def lengths(self):
        lengths = self.many(lambda: self.rng.randint(0, self.whole_nk))
        self.problem["lengths"] = lengths
        for closed, valid in zip(self.closed_keys, lengths if isinstance(lengths, list) else [lengths]):
            closed.update(range(valid, self.nk))

    def mask(self):
        kind = self.rng.choice(("allow", "block", "add"))
        shape = self.mask_shape()
        if kind == "add":
            minus_infinity = 0.2 if self.chance(0.5) else 0
            return {"add": self.filled(shape, lambda: "-inf" if self.chance(minus_infinity) else self.number())}
        true, false = self.rng.choice(((True, False), (1, 0)))
        dense = self.rng.choice((0.2, 0.5, 0.9))
        cells = self.filled(shape, lambda: true if self.chance(dense) else false)
        if math.prod(shape[:-1]) == 1:
            self.note_closed_keys(cells, kind)
        return {kind: cells}

    def mask_shape(self):
        """Any shape that broadcasts to the scores, aligned right.

        In a batch, two axes are always [Nq][Nk], and never [B][Nk], which is refused.
        """
        full = [n for n in (self.batch, self.heads) if n is not None] + [self.nq, self.nk]
        shape = full[-self.rng.randint(1, len(full)):]
        return [n if self.chance(0.75) else 1 for n in shape]

    def filled(self, shape, make):
        return make() if not shape else [self.filled(shape[1:], make) for _ in range(shape[0])]

    def note_closed_keys(self, cells, kind):
        """One row that holds for every query, head and sequence closes whole columns."""
        while depth(cells) > 1:
            cells = cells[0]
        row = cells * self.nk if len(cells) == 1 else cells
        for closed in self.closed_keys:
            closed.update(j for j, c in enumerate(row) if bool(c) == (kind == "block"))

    # What stands behind closed cells must not matter

    def poison(self):
        """Puts NaN and infinities where no query may look."""
        if self.ragged or self.source not in ("cross", "direct"):
            return
        given = self.problem if self.source == "direct" else self.problem["inputs"]
        for name in ("keys", "values", "key", "value"):
            if name in given and self.chance(0.5):
                self.poison_rows(given[name], lambda closed: closed)
        for name in ("queries", "query"):
            # A query that may look nowhere is never looked at either.
            if name in given:
                self.poison_rows(given[name], lambda closed: range(self.nq) if len(closed) >= self.nk else ())

    def poison_rows(self, tensor, chosen):
        for sequence, closed in zip([tensor] if self.batch is None else tensor, self.closed_keys):
            for matrix in sequence if depth(sequence) == 3 else [sequence]:
                for i in chosen(closed):
                    matrix[i][self.rng.randrange(len(matrix[i]))] = self.rng.choice(("nan", "inf", "-inf"))

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
