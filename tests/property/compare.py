"""Whether a trace of the program is the trace that the reference worked out.

Each step is worked out from the numbers that the trace itself has before it, and may
be any number that an honest computation of that one step gives: 1e-12 of the natural
size in f64, what rounds to the same or a neighbour on the other side of a near tie
in bf16, f16 and by hand, the same single in f32.
"""

import json
import math
from collections import Counter

from arithmetic import arithmetic_named
from nested import depth, fits, flat, mapped
from recorded import ANYTHING, read_number, stands_turned, turned, window
from reference import work_out

# Where the contract says that a note is written but not how many of them, only
# whether there is one is compared.
COUNTED_NOTES = ("closed_row",)
MENTIONED_NOTES = ("truncated", "padding", "misread", "left_out", "overflow", "zero_vector")


def indices(shape):
    if not shape:
        yield []
        return
    for i in range(shape[0]):
        for rest in indices(shape[1:]):
            yield [i] + rest


def honest(step, cell, expected, got):
    if cell.size == ANYTHING or expected == got:
        return True
    if math.isnan(expected) or math.isnan(got):
        return math.isnan(expected) and math.isnan(got)
    low, high = window(step, cell)
    if low <= got <= high:
        return True
    # READING: of numbers beyond the twelve digits that are read, rounding by hand leaves all.
    if 1e9 < abs(cell.value) < math.inf and math.isfinite(got) and abs(got - cell.value) <= 1e-11 * abs(cell.value):
        return True
    return step.either and abs(got - cell.value) <= 1e-12 * cell.size


def in_order(ids):
    """READING: what positions add may stand anywhere before the step that it is added in."""
    return [id for id in ids if id not in ADDED], sorted(id for id in ids if id in ADDED)


class Comparison:
    """Collects what differs, most telling first; empty means that the traces agree."""

    def __init__(self, problem, got):
        self.expected = work_out(problem, got)
        self.got = got
        self.differences = []

    def run(self):
        """READING: ids that the contract does not list are passed over, wherever they stand."""
        expected_ids = [s.id for s in self.expected.steps if not s.optional]
        theirs = {s["id"]: s for s in self.got["steps"]}
        known = [s["id"] for s in self.got["steps"] if s["id"] in expected_ids or s["id"] in LISTED]
        if in_order(known) != in_order(expected_ids):
            self.differences.append(f"steps: expected {expected_ids}, got {known}")
        else:
            for mine in self.expected.steps:
                if mine.id in theirs and not self._step(mine, theirs[mine.id]):
                    break  # what follows from a wrong step says nothing new
        self._fields()
        self._labels()
        self._notes()
        return self.differences

    def _step(self, mine, theirs):
        """An optional step may have other names for its axes, and column vectors may turn it."""
        axes, shape = mine.axes, mine.shape
        if theirs["axes"] != axes and not mine.optional:
            self.differences.append(f"{mine.id}: axes expected {axes}, got {theirs['axes']}")
            return False
        try:
            data = mapped(theirs["data"], read_number)
        except ValueError as error:
            self.differences.append(f"{mine.id}: data cannot be read: {error}")
            return False
        if stands_turned(mine, theirs, data):
            data, shape = turned(data), theirs["shape"]
        if theirs["shape"] != shape or not fits(data, mine.shape):
            self.differences.append(f"{mine.id}: shape expected {shape}, got {theirs['shape']}, or data of another")
            return False
        return self._cells(mine, data)

    def _cells(self, mine, data):
        narrow = self.expected.arithmetic["dtype"] != "f64"
        wrong = []
        cells = zip(indices(mine.shape), flat(mine.cells), flat(mine.data), flat(data))
        for index, cell, expected, got in cells:
            if narrow:
                got = self.dtype.number(got)  # the shortest digits of a dtype are read back as the dtype
            if not honest(mine, cell, expected, got):
                wrong.append(f"{mine.id}{index}: expected {expected!r}, got {got!r}")
        if wrong:
            more = f" and {len(wrong) - 1} more cells" if len(wrong) > 1 else ""
            self.differences.append(wrong[0] + more)
        return not wrong

    @property
    def dtype(self):
        return arithmetic_named(self.expected.arithmetic["dtype"])

    def _fields(self):
        for name, expected in (("schema", "attn/trace/1"), ("result", self.expected.result),
                               ("arithmetic", self.expected.arithmetic)):
            if self.got.get(name) != expected:
                self.differences.append(f"{name}: expected {expected!r}, got {self.got.get(name)!r}")
        statement = self.got.get("statement", "")
        if not (isinstance(statement, str) and statement.startswith("sha256:")):
            self.differences.append(f"statement: expected sha256:…, got {statement!r}")

    def _labels(self):
        """READING: where the contract names no default, queries may be "Input n" or "Query n",
        and keys that are given directly "Input n" or "Key n"."""
        for side in ("query", "key"):
            expected, got = self.expected.labels[side], self.got.get("labels", {}).get(side)
            same_nesting = depth(got) == depth(expected)
            if not same_nesting or not same_labels(list(flat(expected)), list(flat(got)), self._lenient(side)):
                self.differences.append(f"labels.{side}: expected {expected}, got {got}")

    def _lenient(self, side):
        return side == "query" or self.expected.step("inputs.key") is None

    def _notes(self):
        notes = self.got.get("notes", [])
        for kind in COUNTED_NOTES:
            expected = Counter(json.dumps(n["index"]) for n in self.expected.notes if n["kind"] == kind)
            got = Counter(json.dumps(n["index"]) for n in notes if n["kind"] == kind)
            if expected != got:
                self.differences.append(f"notes of kind {kind}: expected at {sorted(expected)}, got {sorted(got)}")
        for kind in MENTIONED_NOTES:
            if any(n["kind"] == kind + "?" for n in self.expected.notes):
                continue
            expected = any(n["kind"] == kind for n in self.expected.notes)
            got = any(n["kind"] == kind for n in notes)
            if expected != got:
                self.differences.append(f"notes: expected {'a' if expected else 'no'} note of kind {kind}")


def same_labels(expected, got, lenient):
    if len(expected) != len(got):
        return False
    for e, g in zip(expected, got):
        if e == g:
            continue
        word, _, number = e.partition(" ")
        if not (lenient and word in ("Query", "Key") and g == f"Input {number}"):
            return False
    return True


ADDED = {"relative_scores", "content_to_position", "position_to_content", "relative_context"}
LISTED = {
    "inputs", "inputs.query", "inputs.key", "inputs.value", "position_encoding", "positioned_inputs",
    "positioned_inputs.query", "positioned_inputs.key", "positioned_inputs.value",
    "split_inputs", "split_inputs.query", "split_inputs.key", "split_inputs.value",
    "projected_keys", "projected_queries", "projected_values", "keys", "queries", "values",
    "rotated_keys", "rotated_queries", "all_keys", "all_values", "query_norms", "key_norms",
    "score_hidden", "score_tanh", "relative_scores", "content_to_position", "position_to_content",
    "scores", "scaled_scores", "capped_scores",
    "mask", "score_bias", "masked_scores", "row_maximum", "exponentials", "exponential_sums",
    "attention_weights", "weighted_values", "relative_context", "context", "concat", "output",
}


def differences(problem, got):
    """What is wrong with a problem's trace, in words; nothing if it agrees."""
    return Comparison(problem, got).run()
