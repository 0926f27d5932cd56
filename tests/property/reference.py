#!/usr/bin/env python3
"""An independent implementation of what a problem file asks for.

It shares nothing with the program but the written contract: plain loops over
nested lists, better sums than the program's, no cleverness. `work_out` takes a
parsed problem and gives every step of the trace in order, with the labels, the
notes and the id of the result.

Internally everything is held with tokens as rows and weights as y = x·W, in
lists over sequences (one, where there is no batch) and, where a step has the
head axis, over heads (one, where there are none).

Readings of the contract that its text leaves open are marked READING.
"""

import json
import math
import sys

from arithmetic import CLOSED, ZERO, Cell, exactly
from nested import broadcast, depth, mapped, shape_of, split_columns, transposed  # noqa: F401
from positions import bucket, slopes
from projecting import Projecting
from recorded import ANYTHING, RecipeBuilder
from scoring import Scoring
from statement import Problem

INF = math.inf
PADDING_LABEL = "·"


class Worker(Projecting, Scoring, RecipeBuilder):
    """Walks a problem in the order of the contract and records every step."""

    def __init__(self, raw, following=None):
        super().__init__(Problem(raw), following)

    def run(self):
        self._inputs()
        self._projections()
        self._rotation()
        self._cache()
        self._scores()
        self._masking()
        self._softmax()
        self._sums()
        self._labels()
        self._notes()
        self.trace.result = self.trace.steps[-1].id
        return self.trace

    def _each_head(self):
        return range(self.problem.heads or 1)

    def _each_sequence(self):
        return range(self.problem.batch)

    def _by_head(self, make):
        return [[make(b, h) for h in self._each_head()] for b in self._each_sequence()]

    def _cells(self, make):
        nq, nk = len(self.queries[0][0]), len(self.keys[0][0])
        return [[make(i, j) for j in range(nk)] for i in range(nq)]

    # Masks

    def _masking(self):
        p = self.problem
        self.adds = [p.reader.numbers(m["add"]) for m in p.masks() if "add" in m]
        self.open = self._everywhere(self._is_open)
        self.bias_of_positions = self._bias_of_positions()
        masked = p.masks() or p.raw.get("causal") or "window" in p.raw or p.lengths() is not None
        if not masked and not self.bias_of_positions:
            return
        if self.bias_of_positions:
            self.bias_of_positions = self._spread_bias(self.bias_of_positions)
        if masked:
            self.record("mask", ["query", "key"], mapped(self.open, lambda o: exactly(float(o))), computed=False)
        bias = None
        if self.adds or self.bias_of_positions:
            # One add, or one table, is only spread over the shape of the scores.
            bias = self.record("score_bias", ["query", "key"], self._everywhere(self._bias),
                               computed=len(self.adds) + bool(self.bias_of_positions) > 1)
        self.scores = self.record("masked_scores", ["query", "key"], self._everywhere(
            lambda b, h, i, j: self._masked(b, h, i, j, bias)), computed=bias is not None)

    def _place(self, b, h, i, j):
        """The index of a score as the trace has it, for masks to broadcast to."""
        p = self.problem
        return ([b] if p.batched else []) + ([h] if p.heads else []) + [i, j]

    def _is_open(self, b, h, i, j):
        p = self.problem
        if j >= self._own_keys():
            return True
        place = self._place(b, h, i, j)
        for mask in p.masks():
            if "allow" in mask and not broadcast(mask["allow"], place):
                return False
            if "block" in mask and broadcast(mask["block"], place):
                return False
        if any(broadcast(add, place).value == -INF for add in self.adds):
            return False
        at = i + p.offsets()[b]
        if p.raw.get("causal") and j > at:
            return False
        left, right = p.window()
        if left is not None and j < at - left or right is not None and j > at + right:
            return False
        lengths = p.lengths()
        return lengths is None or j < lengths[b]

    def _bias_of_positions(self):
        """What alibi or T5 put on a score, as a function of its place; None where neither is asked for."""
        p, positions = self.problem, self.problem.positions
        if positions["type"] == "alibi":
            slope = [exactly(self.arithmetic.number(s)) if self.arithmetic.name == "f32" else exactly(s)
                     for s in slopes(p.heads or 1)]
            return lambda b, h, i, j: self.arithmetic.times(
                slope[h], exactly(-float(abs(i + p.offsets()[b] - j))))
        if positions["type"] == "t5":
            raw = positions["table"]
            table = p.reader.matrices(raw) if depth(raw) == 2 else p.reader.numbers(raw)
            at = lambda i, j: table[bucket(self._distance(i, j), len(table), positions.get("max_distance", 128),
                                           positions.get("bidirectional", True))]
            return lambda b, h, i, j: at(i, j)[h] if depth(table) == 2 else at(i, j)
        return None

    def _spread_bias(self, make):
        """A step of its own before it is added, so rounded by hand on its own."""
        alibi = self.problem.positions["type"] == "alibi"
        each = alibi and isinstance(self.problem.raw.get("offset"), list) and self.problem.batch > 1
        cell = lambda b, h, i, j: make(b, h, i, j) if j < self._own_keys() else ZERO
        blocks = self._everywhere(cell)
        blocks = self.record("position_bias", ["query", "key"], blocks if each else blocks[:1], computed=alibi,
                             loose=True, alone=not each, optional=True)
        return lambda b, h, i, j: blocks[b if each else 0][h][i][j]

    def _bias(self, b, h, i, j):
        """What positions and adds together put on one score; -inf wins whatever else is added.

        READING: a cell that only something else closes keeps the number its add gives.
        """
        if j >= self._own_keys():
            return ZERO
        terms = [broadcast(add, self._place(b, h, i, j)) for add in self.adds]
        if any(t.value == -INF for t in terms):
            return CLOSED
        if self.bias_of_positions:
            terms.insert(0, self.bias_of_positions(b, h, i, j))
        total = terms[0]
        for term in terms[1:]:
            total = self.arithmetic.plus(total, term)
        return total

    def _masked(self, b, h, i, j, bias):
        score = self.scores[b][h][i][j]
        if not self.open[b][h][i][j]:
            return CLOSED
        return score if bias is None else self.arithmetic.plus(score, bias[b][h][i][j])

    # Softmax

    def _softmax(self):
        kind = self.problem.raw.get("softmax", "softmax")
        if kind == "linear":
            shares = self._by_head(lambda b, h: [
                self._linear_row(s, o) for s, o in zip(self.scores[b][h], self.open[b][h])])
        else:
            shares = self._exponential_shares(kind if isinstance(kind, dict) else {})
        by_row = lambda change: self._by_head(lambda b, h: [
            change(row, o) for row, o in zip(shares[b][h], self.open[b][h])])
        self.rounding.unsure, before = False, self.rounding.unsure
        finished = by_row(self.rounding.weights)
        by_row_only = self.rounding.unsure and self.rounding.mode == "keep-sum"
        leeway = float(self.rounding.unit) * 1.000001 if by_row_only else 0.0
        self.rounding.unsure |= before
        self.attention = self.record("attention_weights", ["query", "key"], shares, finished=finished, leeway=leeway)

    def _linear_row(self, scores, is_open):
        """READING: where the sum is nothing but what was lost in it, no two need agree."""
        total = self.arithmetic.total([s for s, o in zip(scores, is_open) if o])
        lost = abs(total.value) <= 1e-9 * total.size
        share = lambda s: Cell(self.arithmetic.share(s, total).value, ANYTHING) if lost else \
            self.arithmetic.share(s, total)
        return [share(s) if o else ZERO for s, o in zip(scores, is_open)]

    def _exponential_shares(self, kind):
        """The maximum, the exponentials and their sum are carried in full; by hand only
        the weights are rounded."""
        a = self.arithmetic
        base = a.number(kind["base"]) if "base" in kind else None
        sinks = [self._sink(kind.get("sink"), h) for h in self._each_head()]
        rows = lambda make: self._by_head(lambda b, h: [
            make(b, h, i) for i in range(len(self.queries[0][0]))])
        heights = rows(lambda b, h, i: self._maximum(
            [s for s, o in zip(self.scores[b][h][i], self.open[b][h][i]) if o] + sinks[h]))
        heights = self.record("row_maximum", ["query"], heights, computed=False)
        exponentials = self.record("exponentials", ["query", "key"], self._everywhere(
            lambda b, h, i, j: a.exponential(self.scores[b][h][i][j], heights[b][h][i], base)
            if self.open[b][h][i][j] else ZERO), in_full=True)
        totals = self.record("exponential_sums", ["query"], rows(lambda b, h, i: a.total(
            exponentials[b][h][i] + [a.exponential(s, heights[b][h][i], base) for s in sinks[h]])), in_full=True)
        return self._everywhere(lambda b, h, i, j: a.share(exponentials[b][h][i][j], totals[b][h][i])
                                if self.open[b][h][i][j] else ZERO)

    def _sink(self, sink, h):
        """The one more logit of a row, in a list; an empty one where there is none."""
        if sink is None:
            return []
        return [self.problem.reader.number(sink[h] if isinstance(sink, list) else sink)]

    @staticmethod
    def _maximum(heights):
        return Cell(max(s.value for s in heights), max(s.size for s in heights)) if heights else CLOSED

    # Weigh, sum, join, project

    def _sums(self):
        p = self.problem
        weighted = self.record("weighted_values", ["query", "key", "d_v"], self._everywhere(
            lambda b, h, i, j: self._weigh(self.attention[b][h][i][j], self.values[b][h][j], self.open[b][h][i][j])))
        # READING: the sum runs over the weighted values as the step shows them, so by hand
        # each is rounded before it is added.
        context = self._by_head(lambda b, h: [
            [self.arithmetic.total(list(column)) for column in zip(*rows)] for rows in weighted[b][h]])
        if p.positions["type"] == "relative" and "values" in p.positions:
            relative = self._relative_context()
            context = [[[[self.arithmetic.plus(c, r) for c, r in zip(*rows)] for rows in zip(*heads)]
                        for heads in zip(*sequences)] for sequences in zip(context, relative)]
        context = self.record("context", ["query", "d_v"], context, vectors=True)
        joined = [[sum((head[i] for head in sequence), []) for i in range(len(sequence[0]))] for sequence in context]
        if p.heads:
            joined = self.record("concat", ["query", "d_concat"], joined, headed=False, computed=False, vectors=True)
        if "output" in p.weights:
            weight = p.reader.weight(p.weights["output"])
            bias = p.reader.numbers(p.biases["output"]) if "output" in p.biases else None
            self.record("output", ["query", "d_out"],
                        [self._product(m, weight, bias) for m in joined], headed=False, vectors=True)

    def _weigh(self, weight, value, is_open):
        """A closed value is never read: what stands there may be no number at all."""
        if not is_open:
            return [ZERO] * len(value)
        return [self.arithmetic.times(weight, v) for v in value]

    def _relative_context(self):
        rows = self._picked("relative_values", self.problem.reader.matrices(self.problem.positions["values"]))
        row = lambda b, h, i: [self.arithmetic.dot(self.attention[b][h][i], column) for column in zip(*rows[i])]
        return self.record("relative_context", ["query", "d_v"], self._by_head(
            lambda b, h: [row(b, h, i) for i in range(len(rows))]), vectors=True)

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
        count = lambda word, number: [f"{word} {n}" for n in range(1, number + 1)]
        named["key"] = [count("Past", p.past_length) + own + count("Appended", p.appended_length)
                        for own in named["key"]]
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
        self._zero_vectors(note)
        if self._overflows():
            note("overflow", None, None)
        elif self.problem.raw.get("softmax") == "linear":
            note("overflow?", None, None)  # READING: what is divided by a sum of zero may be noted so
        # READING: [B][N][h·d] can be mistaken for [h][N][d] where B is the number of heads, or of either heads.
        if p.sharing > 1:
            note("misread?", None, None)
        elif p.direct and p.batched and not p.rank4 and p.heads and p.heads > 1 and p.batch == p.heads:
            note("misread", None, None)


    def _zero_vectors(self, note):
        """READING: zero vectors that only padding or closed cells show may be noted or not."""
        if self.problem.score["type"] != "cosine":
            return
        places = [(b, h, i, j) for b in self._each_sequence() for h in self._each_head()
                  for i in range(len(self.queries[0][0])) for j in range(len(self.keys[0][0]))]
        zero = [place for place in places if self._is_zero(*place)]
        padded = any(self.problem.side(role).ragged for role in ("query", "key"))
        if any(self.open[b][h][i][j] for b, h, i, j in zero) and not padded and not self.rounding.text:
            note("zero_vector", None, None)
        elif zero:
            note("zero_vector?", None, None)

    def _is_zero(self, b, h, i, j):
        queries, keys = self.norms
        return queries[b][h][i].value * keys[b][h][j].value == 0

    def _overflows(self):
        """Whether an open score is no finite number, in any step up to the masked scores."""
        blocks = (self.unmasked, self.scores)
        return any(not math.isfinite(s.value) for scores in blocks for b in self._each_sequence()
                   for h in self._each_head() for row, is_open in zip(scores[b][h], self.open[b][h])
                   for s, o in zip(row, is_open) if o)


def work_out(problem, following=None):
    """Every step of a problem, as a Trace; each from the numbers of a trace to follow, if there is one."""
    return Worker(problem, following).run()


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
