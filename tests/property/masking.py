"""The part of a random problem that says who may look where, and what stands where nobody may."""

import math

from spelling import depth


class Masking:
    """Masks of every kind; `all_nk` counts past and new keys, which is what masks count."""

    def masks(self):
        self.all_nk = self.past_length + self.nk
        self.closed_keys = [set() for _ in range(self.batch or 1)]
        if self.chance(0.25):
            self.problem["causal"] = True
        elif self.chance(0.05):
            self.problem["causal"] = False
        if self.chance(0.15):
            self.problem["window"] = [self.rng.randint(-1, 3), self.rng.randint(-1, 3)]
        asks = self.problem.get("causal") or "window" in self.problem or self.positions == "alibi"
        if self.chance(0.5 if asks else 0.03):
            self.problem["offset"] = self.offset()
        if self.chance(0.25):
            self.lengths()
        if self.ragged:
            for closed, own in zip(self.closed_keys, self.own_lengths):
                closed.update(range(self.past_length + own, self.all_nk))
        lot = self.rng.random()
        if lot < 0.25:
            self.problem["mask"] = self.mask()
        elif lot < 0.4:
            self.problem["mask"] = [self.mask() for _ in range(self.rng.randint(1, 3))]

    def offset(self):
        one = lambda: self.rng.randint(-3, 3) + self.rng.choice((0, self.past_length))
        return self.many(one) if self.chance(0.4) else one()

    def lengths(self):
        lengths = self.many(lambda: self.rng.randint(0, self.past_length + self.whole_nk))
        self.problem["lengths"] = lengths
        for closed, valid in zip(self.closed_keys, lengths if isinstance(lengths, list) else [lengths]):
            closed.update(range(valid, self.all_nk))

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
        full = [n for n in (self.batch, self.heads) if n is not None] + [self.nq, self.all_nk]
        shape = full[-self.rng.randint(1, len(full)):]
        return [n if self.chance(0.75) else 1 for n in shape]

    def filled(self, shape, make):
        return make() if not shape else [self.filled(shape[1:], make) for _ in range(shape[0])]

    def note_closed_keys(self, cells, kind):
        """One row that holds for every query, head and sequence closes whole columns."""
        while depth(cells) > 1:
            cells = cells[0]
        row = cells * self.all_nk if len(cells) == 1 else cells
        for closed in self.closed_keys:
            closed.update(j for j, c in enumerate(row) if bool(c) == (kind == "block"))

    # What stands behind closed cells must not matter

    def poison(self):
        """Puts NaN and infinities where no query may look."""
        if "past" in self.problem:
            for name, tensor in self.problem["past"].items():
                if self.chance(0.4):
                    self.poison_past(tensor)
        if self.ragged or self.source not in ("cross", "direct"):
            return
        given = self.problem if self.source == "direct" else self.problem["inputs"]
        new = lambda closed: {j - self.past_length for j in closed if j >= self.past_length}
        for name in ("keys", "values", "key", "value"):
            if name in given and self.chance(0.5):
                self.poison_rows(given[name], new)
        for name in ("queries", "query"):
            # A query that may look nowhere is never looked at either.
            if name in given and "appended" not in self.problem:
                self.poison_rows(given[name], lambda closed: range(self.nq) if len(closed) >= self.all_nk else ())

    def poison_rows(self, tensor, chosen, closed_keys=None):
        for sequence, closed in zip([tensor] if self.batch is None else tensor, closed_keys or self.closed_keys):
            for matrix in sequence if depth(sequence) == 3 else [sequence]:
                for i in chosen(closed):
                    matrix[i][self.rng.randrange(len(matrix[i]))] = self.rng.choice(("nan", "inf", "-inf"))

    def poison_past(self, tensor):
        old = lambda closed: {j for j in closed if j < self.past_length}
        if depth(tensor) > 2:
            return self.poison_rows(tensor, old)
        everywhere = set.intersection(*self.closed_keys)  # two axes serve every sequence
        for i in old(everywhere):
            tensor[i][self.rng.randrange(len(tensor[i]))] = self.rng.choice(("nan", "inf", "-inf"))
