"""How people compare queries with keys: products, and the cosine, general, additive and concat scores."""

import math
from operator import mul

from nested import transposed
from placing import NotHere


def product(matrix, weight, bias=None):
    if len(matrix[0]) != len(weight):
        raise NotHere
    columns = list(zip(*weight))
    if bias is None:
        return [[sum(map(mul, row, c)) for c in columns] for row in matrix]
    if len(bias) != len(columns):
        raise NotHere
    return [[sum(map(mul, row, c)) + b for c, b in zip(columns, bias)] for row in matrix]


def dots(left, right):
    """Every row of one with every row of the other."""
    if len(left[0]) != len(right[0]):
        raise NotHere
    return [[sum(map(mul, a, b)) for b in right] for a in left]


class Comparing:
    """The part of a Student that works out scores which are more than dot products.

    Moves: `first` and `second` are what is compared, as queries and as keys; `over` is what a
    cosine is made of a product and two lengths, and `bend` the tanh of a number. Somebody has
    `exchanged` the two where the first are the keys.
    """

    exchanged = False

    def first(self, b, h):
        return self.q[b][h]

    def second(self, b, h):
        return self.k[b][h]

    def over(self, total, one, other):
        return total / (one * other) if one * other else 0.0

    def bend(self, x):
        return math.tanh(x)

    def sides(self):
        return [self.by_head(lambda b, h, side=side: self.do(side, b, h)) for side in ("first", "second")]

    def pairs(self, make, *sides):
        """make(one, other) for every query and key."""
        turned = transposed if self.exchanged else lambda m: m
        return [[turned([[make(x, y) for y in seconds] for x in firsts]) for firsts, seconds in zip(*heads)]
                for heads in zip(*sides)]

    def weighted(self, name, blocks, weight):
        return self.note(name, [[product(m, weight) for m in heads] for heads in blocks], "scores")

    def cosine(self):
        first, second = self.sides()
        long = lambda blocks: [[[math.sqrt(dot(v, v)) for v in m] for m in heads] for heads in blocks]
        lengths = self.note("query_norms", long(first), "scores"), long(second)
        if self.given.sharing == 1:
            lengths = lengths[0], self.note("key_norms", lengths[1], "scores")
        else:
            self.note("key_norms", long(self.own_k))
            self.note("repeated_key_norms", lengths[1])
        beside = lambda blocks, lengths: [[list(zip(*both)) for both in zip(*heads)] for heads in zip(blocks, lengths)]
        return self.pairs(lambda x, y: self.do("over", dot(x[0], y[0]), x[1], y[1]),
                          beside(first, lengths[0]), beside(second, lengths[1]))

    def general(self):
        first, second = self.sides()
        return self.pairs(dot, self.weighted("score_queries", first, self.given.score["weight"]), second)

    def additive(self):
        first, second = self.sides()
        first = self.weighted("score_queries", first, self.given.score["query"])
        second = self.weighted("score_keys", second, self.given.score["key"])
        return self.bent(self.pairs(lambda x, y: [a + b for a, b in zip(x, y)], first, second))

    def concat(self):
        columns = transposed(self.given.score["weight"])
        return self.bent(self.pairs(lambda x, y: [dot(list(x) + list(y), column) for column in columns],
                                    *self.sides()))

    def bent(self, hidden):
        """v times the tanh of every hidden number."""
        by_cell = lambda blocks, change: [[[[change(c) for c in row] for row in m] for m in heads] for heads in blocks]
        hidden = self.note("score_hidden", hidden, "scores")
        bent = self.note("score_tanh", by_cell(hidden, lambda c: [self.do("bend", x) for x in c]), "scores")
        return by_cell(bent, lambda c: dot(c, self.given.score["v"]))


def dot(xs, ys):
    if len(xs) != len(ys):
        raise NotHere
    return sum(map(mul, xs, ys))
