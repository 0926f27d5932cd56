"""Whether a trace of the program is the trace that the reference worked out."""

import json
import math
from collections import Counter

from arithmetic import to_single
from reference import depth, mapped, shape_of

RELATIVE = 1e-12

# Where the contract says that a note is written but not how many of them, only
# whether there is one is compared.
COUNTED_NOTES = ("closed_row",)
MENTIONED_NOTES = ("truncated", "padding", "misread", "left_out", "overflow", "zero_vector")


def read_number(value):
    """A number as traces spell it; booleans and other words are no numbers."""
    if isinstance(value, str) and value in ("inf", "-inf", "nan"):
        return float(value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    raise ValueError(f"{json.dumps(value)} is no number of a trace")


def flat(nested):
    if isinstance(nested, list):
        for item in nested:
            yield from flat(item)
    else:
        yield nested


def indices(shape):
    if not shape:
        yield []
        return
    for i in range(shape[0]):
        for rest in indices(shape[1:]):
            yield [i] + rest


def same(expected, got, tolerance):
    if math.isnan(expected) or math.isnan(got):
        return math.isnan(expected) and math.isnan(got)
    return expected == got or abs(expected - got) <= tolerance


class Comparison:
    """Collects what differs, most telling first; empty means that the traces agree."""

    def __init__(self, expected, got):
        self.expected = expected
        self.got = got
        self.exact = expected.arithmetic["dtype"] == "f32" or expected.arithmetic["hand_rounding"]
        self.differences = []

    def run(self):
        """READING: ids that the contract does not list are passed over, wherever they stand."""
        expected_ids = [s.id for s in self.expected.steps]
        known = [s for s in self.got["steps"] if s["id"] in expected_ids or s["id"] in LISTED]
        if [s["id"] for s in known] != expected_ids:
            self.differences.append(f"steps: expected {expected_ids}, got {[s['id'] for s in known]}")
        else:
            for mine, theirs in zip(self.expected.steps, known):
                if not mine.sure:
                    break  # rounding by hand may honestly differ from here on
                if not self._step(mine, theirs):
                    break  # what follows from a wrong step says nothing new
        self._fields()
        self._labels()
        self._notes()
        return self.differences

    def _step(self, mine, theirs):
        for name in ("axes", "shape"):
            if theirs[name] != getattr(mine, name):
                self.differences.append(f"{mine.id}: {name} expected {getattr(mine, name)}, got {theirs[name]}")
                return False
        try:
            data = mapped(theirs["data"], read_number)
            fits = shape_of(data) == mine.shape and all(
                len(list(flat(part))) == math.prod(mine.shape[1:]) for part in data)
        except (ValueError, IndexError, TypeError) as error:
            self.differences.append(f"{mine.id}: data cannot be read: {error}")
            return False
        if not fits:
            self.differences.append(f"{mine.id}: data does not have the shape {mine.shape}")
            return False
        return self._cells(mine, data)

    def _cells(self, mine, data):
        single = self.expected.arithmetic["dtype"] == "f32"
        wrong = []
        for index, expected, got, size in zip(indices(mine.shape), flat(mine.data), flat(data), flat(mine.sizes)):
            if single:
                got = to_single(got)  # the shortest digits of a single are read back as a single
            if not same(expected, got, self._tolerance(mine, expected, size)):
                wrong.append(f"{mine.id}{index}: expected {expected!r}, got {got!r}")
        if wrong:
            more = f" and {len(wrong) - 1} more cells" if len(wrong) > 1 else ""
            self.differences.append(wrong[0] + more)
        return not wrong

    def _tolerance(self, mine, expected, size):
        """Selected numbers, singles and rounded ones are the same numbers.

        By hand the softmax carries its maximum, exponentials and sum in full,
        so these are compared as doubles are.
        """
        carried = mine.id in ("exponentials", "exponential_sums") and self.expected.arithmetic["dtype"] == "f64"
        if not mine.computed or self.exact and not carried:
            return 0.0
        return RELATIVE * size if math.isfinite(size) else 0.0

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


LISTED = {
    "inputs", "inputs.query", "inputs.key", "inputs.value", "position_encoding", "positioned_inputs",
    "split_inputs", "split_inputs.query", "split_inputs.key", "split_inputs.value",
    "projected_keys", "projected_queries", "projected_values", "keys", "queries", "values",
    "rotated_keys", "rotated_queries", "all_keys", "all_values", "query_norms", "key_norms",
    "score_hidden", "score_tanh", "relative_scores", "scores", "scaled_scores", "capped_scores",
    "mask", "score_bias", "masked_scores", "row_maximum", "exponentials", "exponential_sums",
    "attention_weights", "weighted_values", "relative_context", "context", "concat", "output",
}


def differences(expected, got):
    """What is wrong with a trace, in words; nothing if it agrees."""
    return Comparison(expected, got).run()
