#!/usr/bin/env python3
"""An independent implementation of what a problem file asks for.

It shares nothing with the program but the written contract: plain loops over
nested lists, better sums than the program's, no cleverness. `work_out` takes a
parsed problem and gives every step of the trace in order, with the labels, the
notes and the id of the result.

Internally everything is held with tokens as rows and weights as y = x·W, in
lists over sequences (one, where there is no batch) and, where a step has the
head axis, over heads (one, where there are none). Which of these axes exist is
decided once, and applied when a step is recorded.

Readings of the contract that its text leaves open are marked READING.
"""

import json
import math
import sys
from dataclasses import dataclass, field

from arithmetic import CLOSED, ZERO, Cell, Double, HandRounding, NoRounding, Single, exactly

INF = math.inf
PADDING_LABEL = "·"


@dataclass
class Step:
    """One step of the trace. `sizes` has the natural size of each cell in `data`."""

    id: str
    axes: list
    shape: list
    data: list
    sizes: list
    computed: bool  # False: given, regrouped or selected, so it must be equal exactly
    sure: bool      # False: rounding by hand could honestly go either way from here on


@dataclass
class Trace:
    arithmetic: dict
    steps: list = field(default_factory=list)
    labels: dict = field(default_factory=dict)
    notes: list = field(default_factory=list)
    result: str = ""

    def step(self, name):
        return next((s for s in self.steps if s.id == name), None)


# --- nested lists (cells are tuples, so lists are only what nests) -----------


def depth(value):
    return 1 + depth(value[0]) if isinstance(value, list) else 0


def shape_of(value):
    shape = []
    while isinstance(value, list):
        shape.append(len(value))
        value = value[0]
    return shape


def mapped(value, change):
    return [mapped(v, change) for v in value] if isinstance(value, list) else change(value)


def transposed(matrix):
    return [list(column) for column in zip(*matrix)]


def split_columns(matrix, heads):
    """Heads of consecutive columns."""
    width = len(matrix[0]) // heads
    return [[row[h * width:(h + 1) * width] for row in matrix] for h in range(heads)]


def broadcast(nested, index):
    """The cell of a tensor at an index of a larger shape, aligned right."""
    for position in index[len(index) - depth(nested):]:
        nested = nested[position if len(nested) > 1 else 0]
    return nested


# --- reading a problem -----------------------------------------------------


class Reader:
    """Numbers and matrices of a problem, brought to rows and y = x·W."""

    def __init__(self, problem, arithmetic):
        self.columns = problem.get("vectors") == "columns"
        self.out_in = problem.get("weight_layout") == "out_in"
        self.arithmetic = arithmetic

    def numbers(self, raw):
        """float() reads "inf", "-inf" and "nan" as the contract spells them."""
        return mapped(raw, lambda x: exactly(self.arithmetic.number(x)))

    def matrices(self, raw):
        """A tensor of vectors: any number of leading axes, then a matrix."""
        if depth(raw) > 2:
            return [self.matrices(r) for r in raw]
        return transposed(self.numbers(raw)) if self.columns else self.numbers(raw)

    def weight(self, raw):
        if depth(raw) > 2:
            return [self.weight(r) for r in raw]
        matrix = self.matrices(raw)
        return transposed(matrix) if self.out_in else matrix


@dataclass
class Sequences:
    """What stands on one side of attention: a matrix a sequence, all of one length.

    `own` are the lengths before padding; `labels` may be None until defaults
    are chosen.
    """

    matrices: list
    own: list
    labels: list

    @property
    def ragged(self):
        return len(set(self.own)) > 1


def cut(items, limit):
    return items if limit is None else items[:limit]


def padded(matrices):
    longest = max(map(len, matrices))
    width = len(matrices[0][0])
    return [m + [[ZERO] * width for _ in range(longest - len(m))] for m in matrices]


class Problem:
    """A problem read into sequences and weights, before anything is computed."""

    def __init__(self, raw):
        self.raw = raw
        arithmetic = raw.get("arithmetic", {})
        self.arithmetic = {"f64": Double, "f32": Single}[arithmetic.get("dtype", "f64")]()
        rounding = arithmetic.get("hand_rounding")
        self.rounding = HandRounding(rounding) if rounding else NoRounding()
        self.reader = Reader(raw, self.arithmetic)
        self.weights = raw.get("weights", {})
        self.biases = raw.get("biases", {})
        self.split_input = raw.get("split") == "input"
        self.direct = "queries" in raw
        self._read_sources()
        self.heads = self._head_count()

    # The two ways in: inputs (or tokens that are the inputs), or queries, keys, values.

    def _read_sources(self):
        raw = self.raw
        source = self._direct_source() if self.direct else self._input_source()
        self.cross = isinstance(source, dict) and not self.direct
        roles = source if isinstance(source, dict) else {"self": source}
        rank = max(depth(m) for m in roles.values())
        self.batched = rank >= 3
        self.rank4 = rank == 4
        self.limit = raw.get("max_tokens")
        self.truncated = False
        self.sides = {role: self._sequences(role, tensor) for role, tensor in roles.items()}

    def _direct_source(self):
        raw = self.raw
        return {"query": raw["queries"], "key": raw["keys"], "value": raw.get("values", raw["keys"])}

    def _input_source(self):
        raw = self.raw
        if "inputs" in raw:
            return raw["inputs"]
        tokens, table = raw["tokens"], raw["embeddings"]
        embedded = mapped(tokens, table.get) if isinstance(tokens, list) else {
            role: mapped(words, table.get) for role, words in tokens.items()}
        # Embeddings are vectors, which have no last two axes to exchange; what
        # they build is turned here because it is read as if it had been given.
        if self.reader.columns:
            turn = lambda t: [turn(s) for s in t] if depth(t) > 2 else transposed(t)
            return turn(embedded) if isinstance(tokens, list) else {r: turn(t) for r, t in embedded.items()}
        return embedded

    def _sequences(self, role, tensor):
        whole = tensor if self.batched else [tensor]
        if self.rank4:
            matrices = [self.reader.matrices(t) for t in whole]  # [sequence][head] matrices
            return Sequences(matrices, [len(m[0]) for m in matrices], self._tokens(role, len(whole)))
        matrices = [self.reader.matrices(t) for t in whole]
        if self.limit is not None and any(len(m) > self.limit for m in matrices):
            self.truncated = True
        matrices = [cut(m, self.limit) for m in matrices]
        return Sequences(padded(matrices), [len(m) for m in matrices], self._tokens(role, len(whole)))

    def _tokens(self, role, batch):
        tokens = self.raw.get("tokens")
        if isinstance(tokens, dict):
            tokens = tokens.get("key" if role == "value" else role)
        if tokens is None:
            return [None] * batch
        return [cut(t, self.limit) for t in (tokens if self.batched else [tokens])]

    def side(self, role):
        """Where query, key or value come from; the value defaults to the key."""
        if "self" in self.sides:
            return self.sides["self"]
        return self.sides.get(role) or self.sides["key"]

    def _head_count(self):
        if "heads" in self.raw:
            return self.raw["heads"]
        if self.rank4:
            return len(self.side("query").matrices[0])
        for name in ("query", "key", "value"):
            weight = self.weights.get(name, "identity")
            if weight != "identity" and depth(weight) == 3:
                return len(weight)
        return None

    @property
    def batch(self):
        return len(self.side("query").matrices)

    def lengths(self):
        """Valid keys of each sequence, or None where nothing is said about them.

        READING: a batch is ragged if it is after the cut by max_tokens; one that the
        cut made even has no lengths of its own.
        """
        keys = self.side("key")
        given = self.raw.get("lengths")
        if given is not None and not self.batched:
            given = [given]
        limits = []
        if given is not None:
            limits.append(given if self.limit is None else [min(n, self.limit) for n in given])
        if keys.ragged:
            limits.append(keys.own)
        return [min(pair) for pair in zip(*limits)] if limits else None

    def offsets(self):
        offset = self.raw.get("offset", 0)
        return offset if isinstance(offset, list) else [offset] * self.batch

    def masks(self):
        mask = self.raw.get("mask", [])
        return mask if isinstance(mask, list) else [mask]


# --- computing -------------------------------------------------------------


class Worker:
    """Walks a problem in the order of the contract and records every step."""

    def __init__(self, raw):
        self.problem = Problem(raw)
        self.arithmetic = self.problem.arithmetic
        self.rounding = self.problem.rounding
        self.trace = Trace({"dtype": self.arithmetic.name, "hand_rounding": self.rounding.text})

    def run(self):
        self._inputs()
        self._projections()
        self._scores()
        self._masking()
        self._softmax()
        self._sums()
        self._labels()
        self._notes()
        self.trace.result = self.trace.steps[-1].id
        return self.trace

    # Recording

    def _record(self, name, axes, blocks, headed=True, computed=True, vectors=False):
        """Adds a step from its blocks: one a sequence, and one a head where headed.

        `vectors` marks matrices whose last two axes column vectors exchange.
        """
        p = self.problem
        if vectors and p.reader.columns:
            axes = axes[::-1]
            blocks = [[transposed(m) for m in b] if headed else transposed(b) for b in blocks]
        if headed and p.heads is None:
            blocks = [b[0] for b in blocks]
        elif headed:
            axes = ["head"] + axes
        if p.batched:
            axes = ["batch"] + axes
        else:
            blocks = blocks[0]
        self.trace.steps.append(Step(
            name, axes, shape_of(blocks), mapped(blocks, lambda c: c.value),
            mapped(blocks, lambda c: c.size), computed, not self.rounding.unsure))

    def _each_head(self):
        return range(self.problem.heads or 1)

    def _each_sequence(self):
        return range(self.problem.batch)

    def _rounded(self, matrix):
        return [[self.rounding.cell(c) for c in row] for row in matrix]

    # Inputs

    def _suffixes(self):
        """The input steps there are, with the name of their row axis."""
        if not self.problem.cross:
            return [("", "self", "token")]
        # READING: in cross-attention the inputs of the values are rows of keys.
        rows = {"query": "query", "key": "key", "value": "key"}
        return [("." + role, role, rows[role]) for role in ("query", "key", "value") if role in self.problem.sides]

    def _inputs(self):
        p = self.problem
        if p.direct:
            return
        for suffix, role, rows in self._suffixes():
            self._record("inputs" + suffix, [rows, "d_model"], p.sides[role].matrices,
                         headed=False, computed=False, vectors=True)
        if p.split_input:
            for suffix, role, _ in self._suffixes():
                self._record("split_inputs" + suffix, ["token", "d_k"],
                             [split_columns(m, p.heads) for m in p.sides[role].matrices],
                             computed=False, vectors=True)

    # Projections

    PROJECTED = [("key", "keys", "key"), ("query", "queries", "query"), ("value", "values", "key")]

    def _projections(self):
        """Keys, queries, values, in this order; wide products come before all three."""
        projected = {role: self._project(role) for role, _, _ in self.PROJECTED}
        for role, name, rows in self.PROJECTED:
            wide = projected[role][1]
            if wide is not None:
                self._record("projected_" + name, [rows, "d_concat"], wide, headed=False, vectors=True)
        for role, name, rows in self.PROJECTED:
            blocks, wide, computed = projected[role]
            # Splitting what was computed (and rounded) wide only regroups it.
            self._record(name, [rows, "d_v" if role == "value" else "d_k"], blocks, computed=computed, vectors=True)
        self.keys, self.queries, self.values = (projected[r][0] for r, _, _ in self.PROJECTED)

    def _project(self, role):
        """Blocks [sequence][head], the wide product where the trace shows it, and
        whether anything was computed."""
        p = self.problem
        matrices = p.side(role).matrices
        if p.rank4:
            return matrices, None, False
        weight = p.weights.get(role, "identity")
        if p.direct or weight == "identity":
            return [self._split(m) for m in matrices], None, False
        weight = p.reader.weight(weight)
        bias = p.reader.numbers(p.biases[role]) if role in p.biases else None
        if p.split_input:
            blocks = [[self._product(part, weight, bias) for part in split_columns(m, p.heads)] for m in matrices]
            return blocks, None, True
        if depth(weight) == 3:
            biases = split_columns([bias], p.heads) if bias else [[None]] * p.heads
            blocks = [[self._product(m, w, b[0]) for w, b in zip(weight, biases)] for m in matrices]
            return blocks, None, True
        wide = [self._product(m, weight, bias) for m in matrices]
        return [self._split(m) for m in wide], wide if p.heads else None, True

    def _split(self, matrix):
        return split_columns(matrix, self.problem.heads or 1)

    def _product(self, matrix, weight, bias):
        columns = transposed(weight)
        biases = bias or [None] * len(columns)
        return self._rounded([[self.arithmetic.dot(row, c, b) for c, b in zip(columns, biases)] for row in matrix])

    # Scores

    def _scores(self):
        p = self.problem
        dot = self.arithmetic.dot
        self.scores = self._by_head(lambda b, h: self._rounded(
            [[dot(q, k) for k in self.keys[b][h]] for q in self.queries[b][h]]))
        self._record("scores", ["query", "key"], self.scores)
        if p.raw.get("score", "scaled_dot") == "scaled_dot" or "scale" in p.raw:
            self.scores = self._by_head(lambda b, h: self._rounded(
                [[self._scaled(s) for s in row] for row in self.scores[b][h]]))
            self._record("scaled_scores", ["query", "key"], self.scores)

    def _by_head(self, make):
        return [[make(b, h) for h in self._each_head()] for b in self._each_sequence()]

    def _scaled(self, score):
        p = self.problem
        if "scale" in p.raw:
            return self.arithmetic.times(score, exactly(self.arithmetic.number(p.raw["scale"])))
        return self.arithmetic.over(score, self.arithmetic.root(len(self.keys[0][0][0])))

    # Masks

    def _masking(self):
        p = self.problem
        self.adds = [p.reader.numbers(m["add"]) for m in p.masks() if "add" in m]
        self.open = self._by_head(lambda b, h: self._cells(lambda i, j: self._is_open(b, h, i, j)))
        if not (p.masks() or p.raw.get("causal") or p.lengths() is not None):
            return
        self._record("mask", ["query", "key"], mapped(self.open, lambda o: exactly(float(o))), computed=False)
        bias = None
        if self.adds:
            bias = self._by_head(lambda b, h: self._cells(lambda i, j: self._bias(b, h, i, j)))
            # One add is only spread over the shape of the scores.
            self._record("score_bias", ["query", "key"], bias, computed=len(self.adds) > 1)
        self.scores = self._by_head(lambda b, h: self._cells(lambda i, j: self._masked(b, h, i, j, bias)))
        self._record("masked_scores", ["query", "key"], self.scores)

    def _cells(self, make):
        nq, nk = len(self.queries[0][0]), len(self.keys[0][0])
        return [[make(i, j) for j in range(nk)] for i in range(nq)]

    def _place(self, b, h, i, j):
        """The index of a score as the trace has it, for masks to broadcast to."""
        p = self.problem
        return ([b] if p.batched else []) + ([h] if p.heads else []) + [i, j]

    def _is_open(self, b, h, i, j):
        p = self.problem
        place = self._place(b, h, i, j)
        for mask in p.masks():
            if "allow" in mask and not broadcast(mask["allow"], place):
                return False
            if "block" in mask and broadcast(mask["block"], place):
                return False
        if any(broadcast(add, place).value == -INF for add in self.adds):
            return False
        if p.raw.get("causal") and j > i + p.offsets()[b]:
            return False
        lengths = p.lengths()
        return lengths is None or j < lengths[b]

    def _bias(self, b, h, i, j):
        """What the adds together put on one score; -inf wins whatever else is added.

        READING: a cell that only something else closes keeps the number its add gives.
        """
        terms = [broadcast(add, self._place(b, h, i, j)) for add in self.adds]
        if any(t.value == -INF for t in terms):
            return CLOSED
        total = terms[0]
        for term in terms[1:]:
            total = self.arithmetic.plus(total, term)
        return self.rounding.cell(total) if len(terms) > 1 else total

    def _masked(self, b, h, i, j, bias):
        score = self.scores[b][h][i][j]
        if not self.open[b][h][i][j]:
            return CLOSED
        return score if bias is None else self.rounding.cell(self.arithmetic.plus(score, bias[b][h][i][j]))

    # Softmax

    def _softmax(self):
        """The maximum, the exponentials and their sum are carried in full; by hand only
        the weights are rounded."""
        rows = self._by_head(lambda b, h: [
            self._softmax_row(s, o) for s, o in zip(self.scores[b][h], self.open[b][h])])
        part = lambda k: [[[row[k] for row in head] for head in sequence] for sequence in rows]
        self._record("row_maximum", ["query"], part(0))
        self._record("exponentials", ["query", "key"], part(1))
        self._record("exponential_sums", ["query"], part(2))
        self.attention = self._by_head(lambda b, h: [
            self.rounding.weights(row[3], o) for row, o in zip(rows[b][h], self.open[b][h])])
        self._record("attention_weights", ["query", "key"], self.attention)

    def _softmax_row(self, scores, is_open):
        a = self.arithmetic
        heights = [s for s, o in zip(scores, is_open) if o]
        if not heights:
            return CLOSED, [ZERO] * len(scores), ZERO, [ZERO] * len(scores)
        maximum = Cell(max(s.value for s in heights), max(s.size for s in heights))
        exponentials = [a.exponential(s, maximum) if o else ZERO for s, o in zip(scores, is_open)]
        total = a.total(exponentials)
        return maximum, exponentials, total, [
            a.share(e, total) if o else ZERO for e, o in zip(exponentials, is_open)]

    # Weigh, sum, join, project

    def _sums(self):
        p = self.problem
        weighted = self._by_head(lambda b, h: [
            [self._weigh(w, v, o) for w, v, o in zip(weights, self.values[b][h], is_open)]
            for weights, is_open in zip(self.attention[b][h], self.open[b][h])])
        self._record("weighted_values", ["query", "key", "d_v"], weighted)
        # READING: the sum runs over the weighted values as the step shows them, so by hand
        # each is rounded before it is added.
        context = self._by_head(lambda b, h: self._rounded([
            [self.arithmetic.total(list(column)) for column in zip(*rows)] for rows in weighted[b][h]]))
        self._record("context", ["query", "d_v"], context, vectors=True)
        joined = [[sum((head[i] for head in sequence), []) for i in range(len(sequence[0]))] for sequence in context]
        if p.heads:
            self._record("concat", ["query", "d_concat"], joined, headed=False, vectors=True)
        if "output" in p.weights:
            weight = p.reader.weight(p.weights["output"])
            bias = p.reader.numbers(p.biases["output"]) if "output" in p.biases else None
            self._record("output", ["query", "d_out"],
                         [self._product(m, weight, bias) for m in joined], headed=False, vectors=True)

    def _weigh(self, weight, value, is_open):
        """A closed value is never read: what stands there may be no number at all."""
        if not is_open:
            return [ZERO] * len(value)
        return [self.rounding.cell(self.arithmetic.times(weight, v)) for v in value]

    # Labels and notes

    def _labels(self):
        """READING: with inputs alone rows are "Input n"; in cross-attention, and where queries
        and keys are given directly, keys are "Key n" and queries "Query n"."""
        p = self.problem
        apart = p.cross or p.direct
        named = {
            "query": self._side_labels(p.side("query"), "Query" if apart else "Input"),
            "key": self._side_labels(p.side("key"), "Key" if apart else "Input"),
        }
        self.trace.labels = {k: v if p.batched else v[0] for k, v in named.items()}

    def _side_labels(self, side, word):
        if self.problem.rank4:
            longest = max(side.own)
        else:
            longest = len(side.matrices[0])
        lists = []
        for own, tokens in zip(side.own, side.labels):
            names = tokens or [f"{word} {n}" for n in range(1, own + 1)]
            lists.append(names + [PADDING_LABEL] * (longest - own))
        return lists

    def _notes(self):
        p = self.problem
        note = lambda kind, step, index: self.trace.notes.append({"kind": kind, "step": step, "index": index})
        for b, sequence in enumerate(self.open):
            for h, head in enumerate(sequence):
                for i, row in enumerate(head):
                    if not any(row):
                        note("closed_row", "attention_weights", self._place(b, h, i, 0)[:-1])
        if p.truncated:
            note("truncated", None, None)
        if not p.rank4 and any(p.side(role).ragged for role in ("query", "key")):
            note("padding", None, None)
        # READING: [B][N][h·d] can be mistaken for [h][N][d] where B is the number of heads.
        if p.direct and p.batched and not p.rank4 and p.heads and p.heads > 1 and p.batch == p.heads:
            note("misread", None, None)


def work_out(problem):
    """Every step of a problem, as a Trace."""
    return Worker(problem).run()


# --- as a program ----------------------------------------------------------


def spelled(value):
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    return value + 0.0


def as_json(trace):
    """The trace as the contract writes it, less what only people read."""
    return {
        "schema": "attn/trace/1",
        "arithmetic": trace.arithmetic,
        "labels": trace.labels,
        "result": trace.result,
        "notes": trace.notes,
        "steps": [{"id": s.id, "axes": s.axes, "shape": s.shape, "data": mapped(s.data, spelled)}
                  for s in trace.steps],
    }


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        print(json.dumps(as_json(work_out(json.load(file))), ensure_ascii=False))


if __name__ == "__main__":
    main()
