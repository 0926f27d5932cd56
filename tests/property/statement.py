"""What a problem file says, read by the contract alone, before anything is computed.

Everything is brought to tokens as rows and weights as y = x·W. Readings of the
contract that its text leaves open are marked READING.
"""

from dataclasses import dataclass

from arithmetic import ZERO, HandRounding, NoRounding, arithmetic_named, exactly
from nested import depth, mapped, split_columns, transposed


class Reader:
    """Numbers and matrices of a problem, brought to rows and y = x·W."""

    def __init__(self, problem, arithmetic):
        self.columns = problem.get("vectors") == "columns"
        self.out_in = problem.get("weight_layout") == "out_in"
        self.arithmetic = arithmetic

    def number(self, raw):
        """float() reads "inf", "-inf" and "nan" as the contract spells them."""
        return exactly(self.arithmetic.number(raw))

    def numbers(self, raw):
        return mapped(raw, self.number)

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
    """A problem read into sequences, weights and options."""

    def __init__(self, raw):
        self.raw = raw
        arithmetic = raw.get("arithmetic", {})
        self.arithmetic = arithmetic_named(arithmetic.get("dtype", "f64"))
        rounding = arithmetic.get("hand_rounding")
        self.rounding = HandRounding(rounding) if rounding else NoRounding(self.arithmetic)
        self.reader = Reader(raw, self.arithmetic)
        self.weights = raw.get("weights", {})
        self.biases = raw.get("biases", {})
        self.split_input = raw.get("split") == "input"
        self.direct = "queries" in raw
        self._read_sources()
        self.heads = self._head_count("heads", "query")
        self.kv_heads = self._head_count("kv_heads", "key") or self.heads
        if self.heads is None and self.kv_heads is not None:
            self.heads = self.kv_heads
        self.score = typed(raw.get("score", "scaled_dot"))
        self.positions = typed(raw.get("positions"))
        self.past = self._cache("past")
        self.appended = self._cache("appended")

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

    # Heads, and what is put before and after the new keys

    def _head_count(self, name, role):
        if name in self.raw:
            return self.raw[name]
        if self.rank4:
            return len(self.side(role).matrices[0])
        roles = ("query",) if name == "heads" else ("key", "value")
        for each in roles + (("key", "value") if "kv_heads" not in self.raw and name == "heads" else ()):
            weight = self.weights.get(each, "identity")
            if weight != "identity" and depth(weight) == 3:
                return len(weight)
        caches = [tensor for cache in ("past", "appended") for tensor in self.raw.get(cache, {}).values()]
        return next((len(tensor[0]) for tensor in caches if depth(tensor) == 4), None)

    @property
    def sharing(self):
        """Query heads to each key/value head."""
        return self.heads // self.kv_heads if self.heads else 1

    def _cache(self, name):
        """Keys and values as [sequence][key/value head] matrices, or None.

        READING: the ranks are those of `keys`; two axes serve every sequence.
        """
        if name not in self.raw:
            return None
        return {part: self._cached(tensor) for part, tensor in self.raw[name].items()}

    def _cached(self, tensor):
        read = self.reader.matrices(tensor)
        if depth(read) == 4:
            return read
        split = lambda matrix: split_columns(matrix, self.kv_heads or 1)
        return [split(m) for m in read] if depth(read) == 3 else [split(read)] * self.batch

    @staticmethod
    def _length(cache):
        return len(cache["keys"][0][0]) if cache else 0

    @property
    def past_length(self):
        return self._length(self.past)

    @property
    def appended_length(self):
        return self._length(self.appended)

    @property
    def batch(self):
        return len(self.side("query").matrices)

    # Who may look where

    def lengths(self):
        """Valid keys of each sequence, past ones included, or None where nothing is said about them.

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
            limits.append([self.past_length + n for n in keys.own])
        return [min(pair) for pair in zip(*limits)] if limits else None

    def offsets(self):
        offset = self.raw.get("offset", self.past_length)
        return offset if isinstance(offset, list) else [offset] * self.batch

    def window(self):
        """How far a query sees to the left and to the right; None for no limit."""
        return [None if reach == -1 else reach for reach in self.raw.get("window", (-1, -1))]

    def masks(self):
        mask = self.raw.get("mask", [])
        return mask if isinstance(mask, list) else [mask]


def typed(choice):
    """A choice that may be a word or an object, as an object."""
    return {"type": choice} if isinstance(choice, str) or choice is None else choice
