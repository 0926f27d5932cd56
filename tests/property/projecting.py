"""Queries, keys and values: from the inputs, with their positions, and from the cache."""

import math

from nested import depth, split_columns, transposed
from positions import rotated, sinusoidal, turning


class Projecting:
    """The part of the worker that comes before the scores."""

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
        self.sources = {role: side.matrices for role, side in p.sides.items()}
        if p.direct:
            return
        for suffix, role, rows in self._suffixes():
            self.record("inputs" + suffix, [rows, "d_model"], self.sources[role],
                        headed=False, computed=False, vectors=True)
        if p.positions["type"] in ("sinusoidal", "learned"):
            self._add_positions()
        if p.split_input:
            for suffix, role, _ in self._suffixes():
                self.record("split_inputs" + suffix, ["token", "d_k"],
                            [split_columns(m, p.heads) for m in self.sources[role]], computed=False, vectors=True)

    def _add_positions(self):
        """READING: inputs of one width share one table, as long as the longest side; of several, each has its own."""
        firsts = [matrices[0] for matrices in self.sources.values()]
        one_width = len({len(matrix[0]) for matrix in firsts}) == 1
        if one_width:
            table = self._table("", max(firsts, key=len))
        else:
            tables = {suffix: self._table(suffix, self.sources[role][0]) for suffix, role, _ in self._suffixes()}
        for suffix, role, rows in self._suffixes():
            table = table if one_width else tables[suffix]
            self.sources[role] = self.record("positioned_inputs" + suffix, [rows, "d_model"], [
                [[self.arithmetic.plus(x, e) for x, e in zip(*pair)] for pair in zip(m, table)]
                for m in self.sources[role]], headed=False, vectors=True)

    def _table(self, suffix, matrix):
        p = self.problem
        rows = range(p.past_length, p.past_length + len(matrix))
        learned = p.positions["type"] == "learned"
        if learned:
            table = p.reader.matrices(p.positions["table"])[rows.start:rows.stop]
        else:
            table = sinusoidal(rows, len(matrix[0]), p.positions.get("base", 10000))
        return self.record("position_encoding" + suffix, ["token", "d_model"], [table], headed=False, computed=not learned,
                           vectors=True, alone=True, loose=True, either=True)[0]

    # Projections

    PROJECTED = [("key", "keys", "key"), ("query", "queries", "query"), ("value", "values", "key")]

    def _projections(self):
        """Keys, queries, values, in this order; wide products come before all three."""
        plans = {role: self._plan(role) for role, _, _ in self.PROJECTED}
        wide = {role: self.record("projected_" + name, [rows, "d_concat"], plans[role][1], headed=False, vectors=True)
                for role, name, rows in self.PROJECTED if plans[role][1]}
        made = {}
        for role, name, rows in self.PROJECTED:
            blocks, _, computed = plans[role]
            if role in wide:  # splitting what was computed (and rounded) wide only regroups it
                blocks = [self._split(m, role) for m in wide[role]]
            made[role] = self.record(name, [rows, "d_v" if role == "value" else "d_k"], blocks, computed=computed,
                                     vectors=True)
        self.keys, self.queries, self.values = (made[r] for r, _, _ in self.PROJECTED)

    def _plan(self, role):
        """Blocks [sequence][head], the wide product where the trace shows it, and whether
        the blocks are computed."""
        p = self.problem
        source = role if role in self.sources else "key"
        matrices = self.sources["self" if "self" in self.sources else source]
        if p.rank4:
            return matrices, None, False
        weight = p.weights.get(role, "identity")
        if p.direct or weight == "identity":
            return [self._split(m, role) for m in matrices], None, False
        weight = p.reader.weight(weight)
        bias = p.reader.numbers(p.biases[role]) if role in p.biases else None
        if p.split_input:
            blocks = [[self._product(part, weight, bias) for part in split_columns(m, p.heads)] for m in matrices]
            return blocks, None, True
        if depth(weight) == 3:
            biases = split_columns([bias], len(weight)) if bias else [[None]] * len(weight)
            blocks = [[self._product(m, w, b[0]) for w, b in zip(weight, biases)] for m in matrices]
            return blocks, None, True
        wide = [self._product(m, weight, bias) for m in matrices]
        return ([[m] for m in wide], None, True) if p.heads is None else (None, wide, False)

    def _split(self, matrix, role):
        p = self.problem
        return split_columns(matrix, (p.heads if role == "query" else p.kv_heads) or 1)

    def _product(self, matrix, weight, bias=None):
        """Not rounded: that is done as it is recorded."""
        columns = transposed(weight)
        biases = bias or [None] * len(columns)
        return [[self.arithmetic.dot(row, c, b) for c, b in zip(columns, biases)] for row in matrix]

    # Turning, and the cache

    def _rotation(self):
        p = self.problem
        if p.positions["type"] != "rope":
            return
        counts = {"query": len(self.queries[0][0]), "key": len(self.keys[0][0])}
        suffix = "" if len(set(counts.values())) == 1 else "."
        for role, name, rows in self.PROJECTED[:2]:
            tables = self._turning(suffix and suffix + role, counts[role])
            pairs_interleaved = p.positions.get("interleaved", False)
            blocks = [[[rotated(self.arithmetic, row, *both, pairs_interleaved) for row, *both in zip(m, *tables)]
                       for m in sequence] for sequence in getattr(self, name)]
            setattr(self, name, self.record("rotated_" + name, [rows, "d_k"], blocks, vectors=True))

    def _turning(self, suffix, count):
        """Cosines and sines of every pair, for the positions of the new tokens."""
        p = self.problem
        rows = range(p.past_length, p.past_length + count)
        dims = p.positions.get("dims", len(self.keys[0][0][0]))
        return [self.record(f"rotation_{name}{suffix}", ["token", "pair"],
                            [turning(function, rows, dims, p.positions.get("base", 10000))], headed=False,
                            vectors=True, alone=True, optional=True, in_full=True, loose=True)[0]
                for name, function in (("cosines", math.cos), ("sines", math.sin))]

    def _cache(self):
        """Past keys before the new ones and appended ones after; then every query head's own."""
        p = self.problem
        for name, d in (("keys", "d_k"), ("values", "d_v")):
            blocks = getattr(self, name)
            if p.past or p.appended:
                before, after = (cache[name] if cache else [[[]] * len(blocks[0])] * p.batch
                                 for cache in (p.past, p.appended))
                blocks = self.record("all_" + name, ["key", d], [
                    [sum(parts, []) for parts in zip(*heads)] for heads in zip(before, blocks, after)],
                    computed=False, vectors=True)
            setattr(self, name, blocks)
        self.own_keys = self.keys
        if p.sharing > 1:
            for name, d in (("keys", "d_k"), ("values", "d_v")):
                setattr(self, name, self.record("repeated_" + name, ["key", d], [
                    [heads[h // p.sharing] for h in self._each_head()] for heads in getattr(self, name)],
                    computed=False, vectors=True, optional=True))
