"""Whether any honest way to work a problem gives what is written, be it only a cell.

Works through the problem in the order of the contract with every number between two
bounds. What was handed in stands for the values that would be written so; later steps use
anything between the number as written and those. What was not handed in was rounded to the
file's decimals, or not; one step may have been rounded to fewer. All of these are tried, and
the first step that none of them explains is the first wrong one. In doubt the reader believes
that it was honest: a hand-in is used to accuse the program only if it cannot have been.
"""

import math
from itertools import combinations
from typing import NamedTuple

from nested import depth, transposed
from placing import OF_INPUTS, WITHOUT_BATCH, Placing, base_name
from placing import VECTORS as PLACED_VECTORS
from placing import WITHOUT_HEADS as INPUTS
from reference import INF
from students import ROLES, VECTORS, Pen
from written import SLACK, decimals_of_step, read_step

MODES = ("half-up", "truncate", "half-even")
CLOSED = (-INF, -INF)
NOTHING = (0.0, 0.0)
ANYTHING = (0.0, 1e6)  # of a weight
WITHOUT_HEADS = ("projected_keys", "projected_queries", "projected_values", "concat", "output", *INPUTS)
COMPARING = ("query_norms", "key_norms", "repeated_key_norms", "score_queries", "score_keys", "score_hidden",
              "score_tanh")
NO_MATRICES = ("query_norms", "key_norms", "repeated_key_norms", "score_hidden", "score_tanh")
ROOTS = (1, 2, 3)  # decimals that people give √d_k


class Contradiction(Exception):
    """What was handed in does not follow."""


class State(NamedTuple):
    """One way so far: the blocks that are needed on, and how freely it rounded."""
    blocks: tuple       # name → [low, high] of every cell, as nested lists
    habit: object = None  # None: any; else a step was rounded to fewer decimals and the rest is all alike
    turned: tuple = ()  # steps read with rows and columns exchanged


# --- intervals -------------------------------------------------------------


def exactly(nested):
    return [exactly(n) for n in nested] if isinstance(nested, list) else (nested, nested)


def plus(a, b):
    return a[0] + b[0], a[1] + b[1]


def times(a, b):
    if a[0] == a[1] and b[0] == b[1]:
        both = a[0] * b[0]
        return both, both
    products = (a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1])
    return min(products), max(products)


def total(parts):
    return sum(p[0] for p in parts), sum(p[1] for p in parts)


def dot(xs, ys):
    return total([times(x, y) for x, y in zip(xs, ys)])


def product(matrix, weight, bias=None):
    columns = [exactly(list(column)) for column in zip(*weight)]
    rows = [[dot(row, column) for column in columns] for row in matrix]
    return [[plus(x, (b, b)) for x, b in zip(row, bias)] for row in rows] if bias else rows


def exp(x):
    return 0.0 if x == -INF else math.exp(min(x, 700))


def each(change, *nested):
    """`change` of the cells in the same place of several nestings."""
    if isinstance(nested[0], list):
        return [each(change, *parts) for parts in zip(*nested)]
    return change(*nested)


def near_half(x):
    """Twice a number; a whole number where it is that but for the error of doubles."""
    near = round(2 * x)
    return near if abs(2 * x - near) < SLACK * (1 + abs(x) * 1e-3) else 2 * x


def to_unit(twice, mode):
    """The whole number that half of it is rounded to."""
    if mode == "truncate":
        return math.trunc(twice / 2)
    if mode == "half-even":
        return round(twice / 2)
    return math.copysign(math.floor(abs(twice) / 2 + 0.5), twice)


def hull(a, b):
    return min(a[0], b[0]), max(a[1], b[1])


def frozen(nested):
    return tuple(frozen(n) for n in nested) if isinstance(nested, list) else nested


# --- the reader ------------------------------------------------------------


class Ways:
    """All honest ways to work one problem."""

    def __init__(self, given):
        self.given = given
        self.stages = (self.projections, self.scores, self.scaled, self.capped, self.masked, self.softmax, self.sums,
                       self.join)
        self.known = {}

    def first_unexplained(self, steps, decimals):
        """The first handed-in step that no honest way explains which explains all before it,
        and the steps that are right only with rows and columns exchanged; (None, ()) where all is honest.

        `steps` are spelled as in an answers file; single cells stand in lists of blanks."""
        best, tied = (-1, None), False
        for mode in MODES:
            if mode == "half-even" and not tied:
                break  # it would be half-up again
            deepest, name, turned, found = self._followed(steps, decimals, mode)
            tied = tied or found
            if name is None:
                return None, turned
            best = max(best, (deepest, name))
        return best[1], ()

    def _followed(self, steps, decimals, mode):
        """How far this way of rounding explains the steps, the first that it does not, what had to be
        turned, and whether there was a tie."""
        reading, tied = Reading(self, steps, decimals, mode), False
        key = (decimals, mode)
        alive = [State(())]
        for stage in self.stages:
            names = self.names_of(stage)
            key += tuple((n, repr(steps[n])) for n in names if n in steps) + (stage.__name__,)
            if key not in self.known:
                reading.failed, reading.tied = [], False
                found = {}
                for state in alive:
                    for after in stage(reading, state):
                        found.setdefault((frozen([b for _, b in after.blocks]), after.habit, after.turned), after)
                self.known[key] = sorted(found.values(), key=lambda s: len(s.turned)), reading.failed, reading.tied
            alive, failed, found = self.known[key]
            tied = tied or found
            if not alive:
                return *max((self.given.order.index(n), n) for n in failed), (), tied
        return len(self.given.order), None, alive[0].turned, tied

    def names_of(self, stage):
        return {"projections": [n for n in self.given.order if n.endswith(("keys", "queries", "values"))
                                or base_name(n) in PLACED_VECTORS],
                "scores": ["scores", *COMPARING], "scaled": ["scaled_scores"], "capped": ["capped_scores"],
                "masked": ["position_bias", "score_bias", "masked_scores"],
                "softmax": ["row_maximum", "exponentials", "exponential_sums", "attention_weights"],
                "sums": ["weighted_values", "context"], "join": ["concat", "output"]}[stage.__name__]

    # Stages: each gives every state that may follow

    def projections(self, reading, state):
        for sources in self.inputs(reading, state.habit):
            yield from self.projected(reading, state, sources)

    def inputs(self, reading, habit):
        """The inputs of each role, with positions where these are added."""
        given, placed = self.given, self.given.placed
        exact = {role: exactly(source) for role, source in given.sources.items()}
        if placed.kind not in OF_INPUTS:
            yield exact
            return
        for way in self.unwritten(reading, habit):
            keeper = Keeper(given, reading, way)
            try:
                yield keeper.inputs()
            except Contradiction:
                continue

    @staticmethod
    def unwritten(reading, habit):
        """How numbers that were not handed in may have been rounded, if at all."""
        return [lambda cell: cell] + [way for way, _ in reading.ways(habit)][:1]

    def projected(self, reading, state, sources):
        given = self.given
        blocks = {}
        for role, name in ROLES:
            kind, weight = given.weights[role]
            bias = given.biases.get(role)
            source = sources[role]
            if depth(given.sources[role]) == 4:
                blocks[name] = source
            elif kind is None:
                blocks[name] = [self.split(m, role) for m in source]
            elif kind == "wide":
                wide = [product(m, weight, bias) for m in source]
                if given.heads:
                    blocks["projected_" + name] = wide
                else:
                    blocks[name] = [[m] for m in wide]
            elif kind == "shared":
                blocks[name] = [[product(part, weight, bias) for part in self.split(m)] for m in source]
            else:
                width = len(weight[0][0])
                blocks[name] = [[product(m, w, bias and bias[h * width:(h + 1) * width])
                                 for h, w in enumerate(weight)] for m in source]
        computed = [name for role, name in ROLES if given.weights[role][0] is not None]
        wide = [n for n in blocks if n.startswith("projected_")]
        handed = [n for n in blocks if {n, n.removeprefix("projected_")} & set(reading.steps)]
        free = [n for n in wide + [n for n in computed if n in blocks] if n not in handed]
        of_role = [[n for n in free if n.endswith(name)] for _, name in ROLES]
        some_of_them = [sum(roles, []) for k in range(1, 4) for roles in combinations(of_role, k)]
        states = [(dict(blocks), state.habit)]
        for way, habit in reading.ways(state.habit):
            for some in some_of_them if habit is None else (free,):
                states.append((dict(blocks) | {name: each(way, blocks[name]) for name in some}, habit))
        for found, habit in states:
            try:
                turned = ()
                for name in wide:
                    found[name], t = reading.settled(name, found[name])
                    role = "query" if name.endswith("queries") else "key"
                    found[name.removeprefix("projected_")] = [self.split(m, role) for m in found[name]]
                    turned += t
                for _, name in ROLES:
                    found[name], t = reading.settled(name, found[name])
                    turned += t
            except Contradiction:
                continue
            for placed in self.placed(reading, habit, found):
                try:
                    also = ()
                    for name in ("keys", "values") if given.sharing > 1 else ():
                        shared = [[m for m in heads for _ in range(given.sharing)] for heads in placed[name]]
                        placed[name], t = reading.settled("repeated_" + name, shared)
                        also += t
                except Contradiction:
                    continue
                yield State(tuple((n, placed[n]) for n in ("queries", "keys", "values")), habit, turned + also)

    def placed(self, reading, habit, found):
        """The same turned, and those that are there already put before them."""
        if self.given.placed.kind != "rope" and not self.given.placed.past and not self.given.placed.appended:
            yield found
            return
        for way in self.unwritten(reading, habit):
            keeper = Keeper(self.given, reading, way)
            keeper.k, keeper.q, keeper.v = found["keys"], found["queries"], found["values"]
            try:
                keeper.placed_vectors()
            except Contradiction:
                continue
            yield {"queries": keeper.q, "keys": keeper.k, "values": keeper.v}

    def split(self, matrix, role="query"):
        heads = (self.given.heads or 1) // (1 if role == "query" else self.given.sharing)
        width = len(matrix[0]) // heads
        return [[row[h * width:(h + 1) * width] for row in matrix] for h in range(heads)]

    def scores(self, reading, state):
        parts = dict(state.blocks)
        plain = self.given.kind in ("dot", "scaled_dot")
        for way in (None,) if plain else (None, reading.file):
            try:
                scores = pairs(dot, parts["queries"], parts["keys"]) if plain else getattr(self, self.given.kind)(
                    lambda name, blocks, way=way: between(reading, name, blocks, way), parts["queries"], parts["keys"])
            except Contradiction:
                continue
            yield from self.going_on(reading, state, "scores", scores, parts["values"])

    # Scores of other kinds; note(step, blocks) gives what is carried on from it

    def cosine(self, note, queries, keys):
        norms = lambda blocks: rows(blocks, lambda v: tuple(math.sqrt(x) for x in total([square(c) for c in v])))
        beside = lambda blocks, lengths: [[list(zip(*both)) for both in zip(*heads)] for heads in zip(blocks, lengths)]
        key_norms = "key_norms" if self.given.sharing == 1 else "repeated_key_norms"
        return pairs(lambda x, y: quotient(dot(x[0], y[0]), times(x[1], y[1])),
                     beside(queries, note("query_norms", norms(queries))), beside(keys, note(key_norms, norms(keys))))

    def general(self, note, queries, keys):
        return pairs(dot, note("score_queries", weighted(queries, self.given.score["weight"])), keys)

    def additive(self, note, queries, keys):
        sides = (note("score_queries", weighted(queries, self.given.score["query"])),
                 note("score_keys", weighted(keys, self.given.score["key"])))
        return self.bent(note, pairs(lambda x, y: [plus(a, b) for a, b in zip(x, y)], *sides))

    def concat(self, note, queries, keys):
        return self.bent(note, pairs(lambda x, y: product([list(x) + list(y)], self.given.score["weight"])[0],
                                     queries, keys))

    def bent(self, note, hidden):
        bent = note("score_tanh", each(lambda c: (math.tanh(c[0]), math.tanh(c[1])), note("score_hidden", hidden)))
        v = exactly(self.given.score["v"])
        return [[[[dot(c, v) for c in row] for row in m] for m in heads] for heads in bent]

    def going_on(self, reading, state, name, blocks, values):
        for chosen, habit, turned in reading.chosen(name, blocks, state.habit):
            yield State((("scores", chosen), ("values", values)), habit, state.turned + turned)

    def scaled(self, reading, state):
        given, parts = self.given, dict(state.blocks)
        if given.scale is None:
            yield state
            return
        for factor, habit in self.factors(reading, state.habit):
            blocks = each(lambda s: times(s, (factor, factor)), parts["scores"])
            yield from self.going_on(reading, State(state.blocks, habit, state.turned), "scaled_scores", blocks,
                                     parts["values"])

    def factors(self, reading, habit):
        """1/√d_k, and what people make of it when they round the root, or the factor."""
        given = self.given
        yield given.scale, habit
        if "scale" in given.raw or habit is not None:
            return
        root = math.sqrt(given.d_k)
        if root == int(root):
            return
        seen = set()
        for decimals in {*ROOTS, reading.decimals}:
            for mode in MODES:
                power = 10 ** decimals
                seen.add(power / to_unit(2 * root * power, mode))
                seen.add(to_unit(2 / root * power, mode) / power)
        for factor in sorted(seen - {0.0}):
            for habit in ("exact", "file"):
                yield factor, habit

    def capped(self, reading, state):
        c, parts = self.given.softcap, dict(state.blocks)
        if not c:
            yield state
            return
        blocks = each(lambda s: (c * math.tanh(s[0] / c), c * math.tanh(s[1] / c)), parts["scores"])
        yield from self.going_on(reading, state, "capped_scores", blocks, parts["values"])

    def masked(self, reading, state):
        given, parts = self.given, dict(state.blocks)
        if not given.masked:
            yield state
            return
        for every_add in self.adds(reading, state.habit):
            blocks = [[[[(plus(s, bounds(x)) if every_add else s) if is_open else CLOSED
                         for s, x, is_open in zip(row, adds, opens)] for row, adds, opens in zip(m, added, open_)]
                       for m, added, open_ in zip(*heads)]
                      for heads in zip(parts["scores"], every_add or given.open, given.open)]
            yield from self.going_on(reading, state, "masked_scores", blocks, parts["values"])

    def adds(self, reading, habit):
        """What is added to the scores, alibi's part perhaps rounded; None where nothing is."""
        if self.given.placed.kind != "alibi":
            yield self.given.adds
            return
        for way in self.unwritten(reading, habit):
            keeper = Keeper(self.given, reading, way)
            try:
                keeper.place_bias()
            except Contradiction:
                continue
            yield keeper.bias

    def softmax(self, reading, state):
        parts = dict(state.blocks)
        scores = self.with_sinks(parts["scores"])
        try:
            peaks, peak_turned = reading.settled("row_maximum", rows(scores, lambda row: (
                max(s[0] for s in row), max(s[1] for s in row))))
        except Contradiction:
            return
        seen = set()
        for weights, habit, turned in self.weights(reading, state, scores, peaks):
            key = (frozen(weights), habit, turned)
            if key not in seen:
                seen.add(key)
                if self.given.sinks is not None:
                    weights = rows(weights, lambda row: row[:-1])
                yield State((("weights", weights), ("values", parts["values"])), habit, state.turned + turned)

    def with_sinks(self, scores):
        """One more score a row, which has no column on paper."""
        if self.given.sinks is None:
            return scores
        return [[[row + [(sink, sink)] for row in m] for m, sink in zip(heads, self.given.sinks)] for heads in scores]

    def weights(self, reading, state, scores, peaks):
        for exponentials, sums, habit, turned in self.inside(reading, state, scores, peaks):
            candidates = [rows(scores, softmax)]
            if exponentials is not None:
                candidates.append(rows(exponentials, shares))
            if sums is not None:
                numerators = exponentials or exponentials_of(scores, peaks, "maximum")
                candidates.append([[[[over(e, s) for e in row] for row, s in zip(*both)] for both in zip(*heads)]
                                   for heads in zip(numerators, sums)])
            for blocks in candidates:
                for chosen, after, t in reading.chosen("attention_weights", blocks, habit):
                    yield chosen, after, turned + t

    def inside(self, reading, state, scores, peaks):
        """(exponentials, their sums, habit, turned); None for what is not carried on as rounded."""
        given_maximum = "row_maximum" in reading.steps
        largest = [[max((s[1] for row in m for s in row), default=0) for m in heads] for heads in scores]
        if "exponentials" in reading.steps:
            try:
                blocks, turned = reading.exponentials(scores, peaks, given_maximum)
                sums, t = reading.settled("exponential_sums", rows(blocks, total))
            except Contradiction:
                return
            yield blocks, sums if "exponential_sums" in reading.steps else None, state.habit, turned
            yield blocks, each(reading.file, sums), state.habit, turned
            return
        for constant in ("maximum",) if given_maximum else ("maximum", "nothing", "largest"):
            full = exponentials_of(scores, peaks, constant, largest)
            if full is None:
                continue
            ways = [(lambda e: e, state.habit)] + list(reading.ways(state.habit))
            for number, (way, habit) in enumerate(ways):
                blocks = each(way, full)
                try:
                    sums, _ = reading.settled("exponential_sums", rows(blocks, total))
                except Contradiction:
                    continue
                carried = blocks if number else None
                if "exponential_sums" in reading.steps:
                    yield carried or full, sums, habit, ()
                elif number or constant == "maximum":
                    yield carried, None, habit, ()
                    if not number:
                        for w, h in reading.ways(state.habit):
                            yield full, each(w, sums), h, ()

    def sums(self, reading, state):
        parts = dict(state.blocks)
        weights, values = parts["weights"], parts["values"]
        weighted = [[[[[times(w, x) for x in v] for w, v in zip(row, vectors)] for row in m]
                     for m, vectors in zip(*heads)] for heads in zip(weights, values)]
        direct = [[[[total(column) for column in zip(*row)] for row in m] for m in heads] for heads in weighted]
        candidates = [(direct, state.habit, ())]
        if "weighted_values" in reading.steps:
            try:
                settled, turned = reading.settled("weighted_values", weighted)
            except Contradiction:
                return
            candidates.append((summed(settled), state.habit, turned))
        else:
            candidates += [(summed(each(way, weighted)), habit, ()) for way, habit in reading.ways(state.habit)]
        for context, habit, turned in candidates:
            for chosen, after, t in reading.chosen("context", context, habit):
                yield State((("context", chosen),), after, state.turned + turned + t)

    def join(self, reading, state):
        given = self.given
        joined = [[sum((m[i] for m in heads), []) for i in range(len(heads[0]))]
                  for heads in dict(state.blocks)["context"]]
        try:
            turned = ()
            if given.heads:
                joined, turned = reading.settled("concat", joined)
            if given.output is not None:
                output = [product(m, given.output, given.biases.get("output")) for m in joined]
                output, t = reading.settled("output", output)
                turned += t
        except Contradiction:
            return
        yield State((), None, state.turned + turned)


def pairs(make, queries, keys):
    return [[[[make(q, k) for k in ks] for q in qs] for qs, ks in zip(*heads)] for heads in zip(queries, keys)]


def weighted(blocks, weight):
    return [[product(m, weight) for m in heads] for heads in blocks]


def between(reading, name, blocks, way):
    """What is carried on from a step on the way to the scores: as handed in, or rounded in this way."""
    if name in reading.steps:
        return reading.settled(name, blocks)[0]
    return each(way, blocks) if way else blocks


def square(x):
    squares = x[0] * x[0], x[1] * x[1]
    return (0.0 if x[0] < 0 < x[1] else min(squares)), max(squares)


def quotient(a, b):
    """Of a product by two lengths."""
    if b[0] <= 0:
        return NOTHING if b[1] <= 0 else (-1.0, 1.0)
    quotients = (a[0] / b[0], a[0] / b[1], a[1] / b[0], a[1] / b[1])
    return min(quotients), max(quotients)


def summed(weighted):
    return [[[[total(column) for column in zip(*row)] for row in m] for m in heads] for heads in weighted]


def rows(blocks, change):
    return [[[change(row) for row in m] for m in heads] for heads in blocks]


def softmax(row):
    """Bounds of the weights, each reached: a weight grows with its own score alone."""
    peak = max(s[1] for s in row)
    if peak == -INF:
        return [NOTHING] * len(row)
    low, high = [exp(s[0] - peak) for s in row], [exp(s[1] - peak) for s in row]
    return shares(list(zip(low, high)))


def shares(row):
    low, high = total(row)
    found = []
    for e in row:
        most, least = low - e[0] + e[1], high - e[1] + e[0]
        found.append((e[0] / least if least > 0 else 0.0, e[1] / most if most > 0 else 0.0))
    return found


def over(a, b):
    if b[0] <= 0:
        return NOTHING if a == NOTHING else ANYTHING
    return (a[0] / (b[1] if a[0] > 0 else b[0]), a[1] / (b[0] if a[1] > 0 else b[1]))


def exponentials_of(scores, peaks, constant, largest=None):
    """e^(score − c) for one of the c that people take; None where no paper would hold them."""
    made = []
    for b, heads in enumerate(scores):
        made.append([])
        for h, m in enumerate(heads):
            block = []
            for row, peak in zip(m, peaks[b][h]):
                if constant == "nothing":
                    c = NOTHING
                elif constant == "largest":
                    c = largest[b][h], largest[b][h]
                else:
                    c = peak
                if max((s[1] - c[0] for s in row if s[1] > -INF), default=0) > 30:
                    return None
                block.append(of_row(row, c))
            made[-1].append(block)
    return made


def of_row(row, c):
    if c[1] == -INF:
        return [NOTHING] * len(row)
    return [(exp(s[0] - c[1]), exp(s[1] - c[0])) if s[1] > -INF else NOTHING for s in row]


class Keeper(Placing):
    """Somebody who brings positions in, with every number between two bounds."""

    def __init__(self, given, reading, way):
        self.given, self.reading, self.way = given, reading, way

    def do(self, move, *arguments):
        return getattr(self, move)(*arguments)

    def note(self, name, blocks, carried=None):
        blocks = each(bounds, blocks)
        if name in self.reading.steps:
            return self.reading.settled(name, blocks)[0]
        return each(self.way, blocks) if carried else blocks

    @staticmethod
    def plus(a, b):
        return plus(bounds(a), bounds(b))

    @staticmethod
    def turned_number(x, y, cosine, sine):
        return plus(times(x, bounds(cosine)), times(y, bounds(sine)))


def bounds(number):
    return number if isinstance(number, tuple) else (number, number)


# --- one file, read with one way of rounding -------------------------------


class Reading:
    def __init__(self, ways, steps, decimals, mode):
        self.given, self.decimals, self.mode = ways.given, decimals, mode
        self.steps = {name: self.blocks(name, read_step(name, step)) for name, step in steps.items()}
        self.own = {name: decimals_of_step(step) for name, step in steps.items()}
        self.failed, self.tied = [], False
        power = 10 ** decimals
        self.file = lambda cell: self.rounded(cell, power)

    def blocks(self, name, paper):
        """A step as it was handed in, in lists over sequences and, where it is a head's own, heads."""
        headed = base_name(name) not in WITHOUT_HEADS
        paper = paper if self.given.batched and base_name(name) not in WITHOUT_BATCH else [paper]
        if headed and self.given.heads is None:
            paper = [[block] for block in paper]
        if name in ("exponentials", "attention_weights") and self.given.sinks is not None:
            paper = [block and [m and [row and row + [None] for row in m] for m in block] for block in paper]
        if base_name(name) in VECTORS and self.given.columns:
            turn = lambda m: None if m is None else transposed(whole(m))
            paper = [block and [turn(m) for m in block] if headed else turn(block) for block in paper]
        return paper

    def rounded(self, cell, power):
        """What rounding makes of all that lies between two bounds."""
        low, high = cell
        if low == -INF:
            return cell
        least = self.unit(low * power) / power
        return (least, least) if low == high else (least, self.unit(high * power) / power)

    def unit(self, x):
        near = math.floor(x + 0.5)
        if 1e-4 < abs(x - near) < 0.4999:  # neither whole nor a tie
            return near if self.mode != "truncate" else math.trunc(x)
        twice = near_half(x)
        self.tied = self.tied or twice % 2 == 1
        return to_unit(twice, self.mode)

    def ways(self, habit):
        """(how, habit after it) of rounding a step that was not handed in, besides not at all."""
        if habit is None or habit == "file":
            yield self.file, habit
        if habit is None:
            for decimals in range(self.decimals):
                power = 10 ** decimals
                for after in ("exact", "file"):
                    yield (lambda cell, power=power: self.rounded(cell, power)), after

    def chosen(self, name, blocks, habit):
        """(blocks that are carried on, habit, whether they were read turned)."""
        if name in self.steps:
            try:
                settled, turned = self.settled(name, blocks)
            except Contradiction:
                return
            yield settled, habit, turned
            return
        if habit != "file":
            yield blocks, habit, ()
        for way, after in self.ways(habit):
            yield each(way, blocks), after, ()
            if name == "attention_weights" and self.mode == "half-up" and after == habit:
                yield rows(blocks, self.kept_sum), after, ()

    def kept_sum(self, row):
        if self.given.sinks is not None:
            return self.sum_kept(row[:-1]) + row[-1:]  # a sink's weight is not written
        return self.sum_kept(row)

    def sum_kept(self, row):
        power = 10 ** self.decimals
        if all(high - low < 1e-9 for low, high in row):
            pen = Pen(self.decimals, "keep-sum")
            return [(u / power, u / power) for u in pen.units_of_row([low for low, _ in row])]
        return [(math.floor(low * power) / power, math.ceil(high * power) / power) for low, high in row]

    def settled(self, name, values):
        """What is carried on from a step: anything between what is written and what would be written so."""
        if name not in self.steps:
            return values, ()
        try:
            return self.read(values, self.steps[name], name), ()
        except Contradiction:
            pass
        if self.may_be_turned(name):
            turned = self.steps[name]
            turned = ([[transposed(m) for m in heads] for heads in turned] if base_name(name) not in WITHOUT_HEADS
                      else [transposed(m) for m in turned])
            try:
                return self.read(values, turned, name), (name,)
            except Contradiction:
                pass
        self.failed.append(name)
        raise Contradiction

    def may_be_turned(self, name):
        if name in ("row_maximum", "exponential_sums", "weighted_values", "exponentials", *NO_MATRICES):
            return False
        blocks = self.steps[name]
        if base_name(name) not in WITHOUT_HEADS:
            blocks = [m for heads in blocks for m in heads or ()]
        return all(m and len(m) == len(m[0] or ()) and all(row and None not in row for row in m) for m in blocks)

    def read(self, values, written, name):
        if isinstance(values, list):
            if written is None:
                return [self.read(v, None, name) for v in values]
            if len(values) != len(written):
                raise Contradiction
            return [self.read(v, w, name) for v, w in zip(values, written)]
        if written is None:
            own = self.own.get(name)
            blank = hull(values, self.file(values))
            return hull(blank, self.rounded(values, 10 ** own)) if own else blank
        return met(values, written)

    def exponentials(self, scores, peaks, given_maximum):
        found = []
        try:
            for b, heads in enumerate(scores):
                found.append([])
                for h, m in enumerate(heads):
                    found[-1].append([])
                    for i, row in enumerate(m):
                        handed = self.steps["exponentials"][b]
                        handed = handed and handed[h]
                        handed = handed and handed[i]
                        found[-1][-1].append(self.exponentials_of_row(row, peaks[b][h][i], handed, given_maximum))
        except Contradiction:
            self.failed.append("exponentials")
            raise
        return found, ()

    def exponentials_of_row(self, row, peak, written, given_maximum):
        values = of_row(row, peak)
        if written is None:
            return self.read(values, None, "exponentials")
        try:
            return self.read(values, written, "exponentials")
        except Contradiction:
            if given_maximum or sum(w is not None for w in written) < 2:
                raise
        least, most = -INF, INF
        for s, w in zip(row, written):
            if w is None or s[1] == -INF:
                continue
            if w.high <= 0:
                raise Contradiction
            least = max(least, s[0] - math.log(w.high))
            if w.low > 0:
                most = min(most, s[1] - math.log(w.low))
        if least > most + SLACK:
            raise Contradiction
        if most == INF:
            return self.read(values, [None] * len(row), "exponentials")
        return self.read(of_row(row, (least, most)), written, "exponentials")


def whole(matrix):
    width = max(len(row) for row in matrix if row)
    return [row or [None] * width for row in matrix]


def met(value, written):
    low, high = max(value[0], written.low), min(value[1], written.high)
    if low > high + SLACK * (1 + abs(value[0]) * 1e-3):
        raise Contradiction
    if value[1] == -INF:
        return value
    return min(written.least, low), max(written.most, high)
