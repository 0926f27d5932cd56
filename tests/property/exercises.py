"""Problems a teacher would set: small, asymmetric, and pleasant to work by hand.

Unlike generate.py, which looks for what a program may get wrong, this draws what
people's mistakes show in: sizes mostly different, weights neither near 0 nor near
1, with heads, masks, batches, cross-attention, biases and scales of every kind.
"""

import json
import random

from generate import as_columns, as_out_in
from reference import work_out

ENTRIES = ("integers", "integers", "tenths", "hundredths", "normal")
TRIES = 100


class Exercise:
    """One random problem; nothing is said yet about whether it is pleasant.

    What is asked and which numbers it is asked of are drawn apart, so that other
    numbers can be tried for the same question.
    """

    def __init__(self, rng, numbers):
        self.rng = rng
        self.numbers = numbers
        self.entries = rng.choice(ENTRIES)
        self.problem = {}

    def chance(self, probability):
        return self.rng.random() < probability

    def number(self):
        if self.entries == "integers":
            return self.numbers.choice((-1, -1, 0, 0, 1, 1, 1, 2))
        if self.entries == "normal":
            return round(self.numbers.gauss(0, 0.8), 4)
        return round(self.numbers.uniform(-1.2, 1.2), 1 if self.entries == "tenths" else 2)

    def tensor(self, *shape):
        return [self.tensor(*shape[1:]) for _ in range(shape[0])] if shape else self.number()

    def many(self, make):
        return [make() for _ in range(self.batch)] if self.batch else make()

    def draw(self):
        self.sizes()
        {"self": self.of_itself, "cross": self.across, "direct": self.given, "raw": self.raw}[self.source]()
        self.output()
        self.score()
        self.mask()
        return self.problem

    def sizes(self):
        rng = self.rng
        self.source = rng.choice(("self",) * 6 + ("cross", "cross", "direct", "raw"))
        self.heads = rng.choice((None,) * 5 + (1, 2, 2, 2, 3))
        self.batch = 2 if self.chance(0.15) else None
        self.nq = self.nk = rng.randint(2, 4 if self.heads or self.batch else 5)
        if self.source in ("cross", "direct"):
            self.nk = rng.choice([n for n in range(2, 6) if n != self.nq])
        widest = 3 if self.heads else 5
        self.d_k, self.d_v = rng.randint(2, max(widest, 2)), rng.randint(2, max(widest, 2))
        self.d_model = rng.randint(2, 6)
        if self.chance(0.3):  # square matrices, which can be transposed and exchanged
            self.d_v = self.d_k
            if self.chance(0.7):
                self.d_model = self.d_k * (self.heads or 1)

    def of_itself(self):
        self.problem["inputs"] = self.many(lambda: self.tensor(self.nq, self.d_model))
        self.weights({"query": self.d_model, "key": self.d_model, "value": self.d_model})

    def across(self):
        widths = {"query": self.d_model, "key": self.d_model}
        if self.chance(0.3):
            widths["key"] = self.rng.randint(2, 5)
        if self.chance(0.2):
            widths["value"] = self.rng.randint(2, 5)
        rows = {"query": self.nq, "key": self.nk, "value": self.nk}
        self.problem["inputs"] = {
            role: self.many(lambda: self.tensor(rows[role], width)) for role, width in widths.items()}
        self.weights({"value": widths["key"], **widths}, may_split=False)

    def given(self):
        heads = self.heads or 1
        for name, rows, width in (("queries", self.nq, self.d_k), ("keys", self.nk, self.d_k),
                                  ("values", self.nk, self.d_v)):
            self.problem[name] = self.many(lambda: self.tensor(rows, heads * width))
        if self.heads:
            self.problem["heads"] = self.heads

    def raw(self):
        self.d_k = self.d_v = self.rng.randint(2, 4)
        self.problem["inputs"] = self.many(lambda: self.tensor(self.nq, self.d_k * (self.heads or 1)))
        if self.heads:
            self.problem["heads"] = self.heads

    def weights(self, widths, may_split=True):
        heads = self.heads or 1
        if self.heads and may_split and self.chance(0.15):
            return self.shared_weights()
        apart = self.heads and self.chance(0.4)
        biased = self.chance(0.35)
        weights, biases = {}, {}
        for role in ("query", "key", "value"):
            width = self.d_v if role == "value" else self.d_k
            weights[role] = (self.tensor(heads, widths[role], width) if apart
                             else self.tensor(widths[role], heads * width))
            if biased and self.chance(0.8):
                biases[role] = self.tensor(heads * width)
        self.problem["weights"] = weights
        if biases:
            self.problem["biases"] = biases
        if self.heads and not apart:
            self.problem["heads"] = self.heads

    def shared_weights(self):
        """Inputs split into heads, and one square matrix each that all heads share."""
        self.d_k = self.d_v = self.rng.randint(2, 3)
        self.problem.update(
            inputs=self.many(lambda: self.tensor(self.nq, self.d_k * self.heads)), heads=self.heads, split="input",
            weights={role: self.tensor(self.d_k, self.d_k) for role in ("query", "key", "value")})

    def output(self):
        if not self.chance(0.5 if self.heads else 0.15):
            return
        width = (self.heads or 1) * self.d_v
        d_out = width if self.chance(0.5) else self.rng.randint(2, 5)
        self.problem.setdefault("weights", {})["output"] = self.tensor(width, d_out)
        if self.chance(0.3):
            self.problem.setdefault("biases", {})["output"] = self.tensor(d_out)

    def score(self):
        lot = self.rng.random()
        if lot < 0.25:
            self.problem["score"] = "dot"
        elif lot < 0.4:
            self.problem["scale"] = self.rng.choice((0.5, 0.25, 0.2, 0.1))
        elif lot < 0.7:
            self.problem["score"] = "scaled_dot"

    def mask(self):
        lot = self.rng.random()
        if lot < 0.22:
            self.problem["causal"] = True
            if self.nk > self.nq and self.chance(0.4):
                self.problem["offset"] = self.nk - self.nq
        elif lot < 0.34:
            self.problem["lengths"] = self.many(lambda: self.rng.randint(1, self.nk))
        elif lot < 0.5:
            self.problem["mask"] = self.mask_of_cells()

    def mask_of_cells(self):
        kind = self.rng.choice(("allow", "block", "add", "add"))
        closed = [[self.chance(0.3) for _ in range(self.nk)] for _ in range(self.nq)]
        for row in closed:
            row[self.rng.randrange(self.nk)] = False
        if kind == "add":
            number = self.number if self.chance(0.3) else lambda: 0
            return {"add": [["-inf" if c else number() for c in row] for row in closed]}
        return {kind: [[int(c == (kind == "block")) for c in row] for row in closed]}


def pleasant(problem):
    """Open weights that are neither nothing nor everything, nor all the same."""
    trace = work_out(problem)
    matrices = [trace.step("attention_weights").data]
    while isinstance(matrices[0][0][0], list):
        matrices = [m for block in matrices for m in block]
    rows = [[w for w in row if w > 0] for matrix in matrices for row in matrix]
    if any(len(row) > 1 and (max(row) > 0.95 or min(row) < 0.02) for row in rows):
        return False
    return any(row and max(row) - min(row) > 0.15 for row in rows)


def spelled_otherwise(problem, rng):
    lot = rng.random()
    if lot < 0.08:
        return as_columns(problem)
    if lot < 0.16 and "weights" in problem:
        return as_out_in(problem)
    return problem


PLACED = 500_000  # from this seed on problems have positions, or past keys
UNUSUAL = 700_000  # from this seed on problems ask for what is in unusual.py


def exercise(seed):
    """The first pleasant problem of a seed, or the last that was tried."""
    from placed import PlacedExercise  # which draw as this does, and more
    from unusual import UnusualExercise
    kind = UnusualExercise if seed >= UNUSUAL else PlacedExercise if seed >= PLACED else Exercise
    numbers = random.Random(f"attn numbers {seed}")
    for _ in range(TRIES):
        rng = random.Random(f"attn exercise {seed}")
        problem = kind(rng, numbers).draw()
        if pleasant(problem):
            break
    return spelled_otherwise(problem, rng)


if __name__ == "__main__":
    for number in range(5):
        print(json.dumps(exercise(number)))
