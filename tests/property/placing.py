"""Positions and past keys in a student's work: what they bring to inputs, queries, keys and scores.

A part of a Student. Each move may be changed by a mistake; the mistakes stand below. All of it
is plain floats again, with nothing of the reference but which numbers the problem gives.
"""

import math

from nested import mapped

OF_INPUTS = ("sinusoidal", "learned")
FAMILIES = ("positions", "rope", "alibi", "cache")
VECTORS = ("position_encoding", "positioned_inputs", "rotated_keys", "rotated_queries", "all_keys", "all_values")
WITHOUT_HEADS = ("position_encoding", "positioned_inputs")
WITHOUT_BATCH = ("position_encoding", "position_bias")


class NotHere(Exception):
    """A mistake that this problem leaves no room for."""


def base_name(step):
    return step.partition(".")[0]


class Placed:
    """What a problem says of positions and of keys that are there already, in floats."""

    def __init__(self, worker):
        p = worker.problem
        cells = lambda nested: mapped(nested, lambda cell: cell.value)
        self.positions = p.positions
        self.kind = p.positions["type"]
        self.cross = p.cross
        self.table = cells(p.reader.matrices(p.positions["table"])) if self.kind == "learned" else None
        self.past_length, self.offsets = p.past_length, p.offsets()
        kept = lambda cache: {name: cells(cache[name]) for name in ("keys", "values")} if cache else None
        self.past, self.appended = kept(p.past), kept(p.appended)
        self.own_adds = [cells(add) for add in worker.adds]
        self.base = p.positions.get("base", 10000)

    def dims(self, width):
        return self.positions.get("dims", width)


class Placing:
    """The moves of a student who brings positions in, and puts past keys before new ones."""

    @staticmethod
    def plus(a, b):
        return a + b

    # Inputs

    def position(self, p):
        return p

    def encoding(self, count, width):
        placed = self.given.placed
        rows = [self.do("position", placed.past_length + i) for i in range(count)]
        if placed.kind == "learned":
            if max(rows) >= len(placed.table):
                raise NotHere
            return [placed.table[p] for p in rows]
        wave = lambda p, c: (math.cos if c % 2 else math.sin)(p / placed.base ** (2 * (c // 2) / width))
        return [[wave(p, c) for c in range(width)] for p in rows]

    def positioned(self, role, matrix, table):
        return [[self.plus(x, e) for x, e in zip(*rows)] for rows in zip(matrix, table)]

    def inputs(self):
        """The inputs of each role, with positions where they are added to these."""
        given, placed = self.given, self.given.placed
        if placed.kind not in OF_INPUTS:
            return given.sources
        roles = {role: m for role, m in given.sources.items() if not placed.cross or "inputs." + role in given.order}
        widths = {len(m[0][0]) for m in roles.values()}
        carried = None if placed.kind == "learned" else "projections"
        tables = {}
        if len(widths) == 1:
            longest = max(len(m[0]) for m in roles.values())
            table = self.note("position_encoding", [self.do("encoding", longest, *widths)], carried)[0]
            tables = {role: table for role in roles}
        else:
            for role, m in roles.items():
                made = self.do("encoding", len(m[0]), len(m[0][0]))
                tables[role] = self.note("position_encoding." + role, [made], carried)[0]
        made = {role: [self.do("positioned", role, m, tables[role]) for m in blocks] for role, blocks in roles.items()}
        added = {role: None if m == roles[role] else "projections" for role, m in made.items()}  # nobody rounds inputs
        if not placed.cross:
            right = self.note("positioned_inputs", made["query"], added["query"])
            return {role: right if m == made["query"] else m for role, m in made.items()}
        written = {role: self.note("positioned_inputs." + role, m, added[role]) for role, m in made.items()}
        return {role: written.get(role, written["key"]) for role in given.sources}

    # Turning

    def angle_width(self, dims, width):
        return dims

    def interleaved(self):
        return self.given.placed.positions.get("interleaved", False)

    def direction(self):
        return 1

    def angles(self, count, width):
        """(one feature, the other, the angle) of each pair that is turned, for so many positions."""
        placed = self.given.placed
        dims, first = placed.dims(width), placed.past_length
        half, interleaved, whole = dims // 2, self.do("interleaved"), self.do("angle_width", dims, width)
        pairs = [(2 * i, 2 * i + 1) if interleaved else (i, i + half) for i in range(half)]
        return [[(a, b, self.do("direction") * self.do("position", first + i) / placed.base ** (2 * k / whole))
                 for k, (a, b) in enumerate(pairs)] for i in range(count)]

    def turn(self, matrix, width):
        """The rows turned by the angles of their positions."""
        if len(matrix[0]) < self.given.placed.dims(width):
            raise NotHere
        rows = [list(row) for row in matrix]
        for row, made, angles in zip(matrix, rows, self.angles(len(matrix), width)):
            for a, b, angle in angles:
                made[a] = self.turned_number(row[a], row[b], math.cos(angle), -math.sin(angle))
                made[b] = self.turned_number(row[b], row[a], math.cos(angle), math.sin(angle))
        return rows

    @staticmethod
    def turned_number(x, y, cosine, sine):
        return x * cosine + y * sine

    def turned(self, role, matrix):
        return matrix if role == "value" else self.turn(matrix, len(matrix[0]))

    # The past

    def joined_keys(self, past, own, appended):
        return past + own + appended

    def placed_vectors(self):
        """Queries, keys and values turned, and those that are there already put beside them."""
        placed = self.given.placed
        if placed.kind == "rope":
            each = lambda role, blocks: [[self.do("turned", role, m) for m in heads] for heads in blocks]
            self.k = self.note("rotated_keys", each("key", self.k), "projections")
            self.q = self.note("rotated_queries", each("query", self.q), "projections")
            self.v = each("value", self.v)
        if placed.past or placed.appended:
            self.k = self.note("all_keys", self.beside("keys", self.k))
            self.v = self.note("all_values", self.beside("values", self.v))

    def beside(self, name, blocks):
        placed = self.given.placed
        there = lambda cache, b, h: cache[name][b][h] if cache else []
        return [[self.do("joined_keys", there(placed.past, b, h), own, there(placed.appended, b, h))
                 for h, own in enumerate(heads)] for b, heads in enumerate(blocks)]

    # Scores

    def slope(self, head, heads):
        power = 1 << (heads.bit_length() - 1)
        if head < power:
            return 2 ** (-8 * (head + 1) / power)
        return 2 ** (-8 * (2 * (head - power) + 1) / (2 * power))

    def of_distance(self, slope, distance):
        return -slope * distance

    def place_bias(self):
        """What alibi adds, and with it what masks do."""
        given, placed = self.given, self.given.placed
        if placed.kind != "alibi":
            return
        heads, own = given.heads or 1, given.nk - (len(placed.appended["keys"][0][0]) if placed.appended else 0)
        offsets = placed.offsets if len(set(placed.offsets)) > 1 else placed.offsets[:1]
        made = [[[[self.do("of_distance", self.do("slope", h, heads), abs(i + offset - j)) if j < own else 0.0
                   for j in range(given.nk)] for i in range(given.nq)] for h in range(heads)] for offset in offsets]
        made = self.note("position_bias", made, "scaled")
        bias = lambda b, h, i, j: made[b if len(made) > 1 else 0][h][i][j]
        plain = given.plain_adds
        total = lambda b, h, i, j: self.plus(bias(b, h, i, j), plain[b][h][i][j] if plain else 0.0)
        self.bias = self.note("score_bias", [[[[total(b, h, i, j) for j in range(given.nk)] for i in range(given.nq)]
                                              for h in range(heads)] for b in range(given.batch)],
                              "scaled" if plain else None)

    def adds_of(self, b, h):
        if self.given.placed.kind == "alibi":
            return self.bias[b][h]
        return self.given.adds and self.given.adds[b][h]


# --- mistakes --------------------------------------------------------------


# Steps that somebody has not got who leaves positions or the past out.
NOT_NEEDED = (*VECTORS, "position_bias", "score_bias")


def changes(given):
    """(id, variant, whether the numbers before the mask stay right, the step, the change) of each mistake."""
    placed = given.placed
    plain = lambda s, role, matrix, table=None: matrix
    if placed.kind in OF_INPUTS:
        step = "positioned_inputs" + ".query" * placed.cross
        yield "positions.left_out", "", False, step, {"positioned": plain}
        yield "positions.added_twice", "", False, step, {
            "positioned": lambda s, role, m, table: s.positioned(role, s.positioned(role, m, table), table)}
        yield "positions.queries_only", "", False, "positioned_inputs.key" if placed.cross else "keys", {
            "positioned": lambda s, role, m, table: s.positioned(role, m, table) if role == "query" else m}
        yield "positions.counted_from_one", "", False, "position_encoding", {"position": lambda s, p: p + 1}
    if placed.kind == "rope":
        yield "positions.left_out", "", False, "rotated_keys", {"turned": plain}
        yield "positions.counted_from_one", "", False, "rotated_keys", {"position": lambda s, p: p + 1}
        yield "positions.values_too", "", False, "values", {"turned": lambda s, role, m: s.turn(m, given.d_k)}
        yield "rope.pairs", "", False, "rotated_keys", {"interleaved": lambda s: not s.interleaved()}
        yield "rope.direction", "", False, "rotated_keys", {"direction": lambda s: -1}
        yield "rope.keys_not_turned", "", False, "rotated_keys", {
            "turned": lambda s, role, m: s.turned(role, m) if role == "query" else m}
        yield "rope.dims", "", False, "rotated_keys", {"angle_width": lambda s, dims, width: width}
    if placed.kind == "alibi":
        yield "positions.left_out", "", True, "position_bias", {"of_distance": lambda s, slope, distance: 0.0}
        yield "alibi.sign", "added", True, "position_bias", {
            "of_distance": lambda s, slope, distance: slope * distance}
        if not given.plain_adds:
            yield "alibi.sign", "subtracted", True, "masked_scores", {
                "adds_of": lambda s, b, h: [[-x for x in row] for row in s.bias[b][h]]}
        for heads in (1, 2, 4, 8, 16):
            yield "alibi.slopes", f"of {heads}", True, "position_bias", {
                "slope": lambda s, head, own, heads=heads: 2 ** (-8 * (head + 1) / heads)}
    if placed.past:
        yield from of_the_past(given)


def of_the_past(given):
    placed = given.placed
    forgotten = {"joined_keys": lambda s, past, own, appended: own + appended, "mask": without_past}
    yield "cache.left_out", "", False, "all_keys", forgotten
    if placed.kind in (*OF_INPUTS, "rope"):
        yield "cache.left_out", "positions from 0", False, "position_encoding", {
            **forgotten, "position": lambda s, p: p - placed.past_length}
    yield "cache.behind", "", False, "all_keys", {"joined_keys": lambda s, past, own, appended: own + past + appended}


def without_past(s, b, h, scores):
    """The mask as far as it is about keys that are not past."""
    first = s.given.placed.past_length
    adds = s.do("adds_of", b, h)
    is_open = [row[first:] for row in s.given.open[b][h]]
    adds = [row[first:] for row in adds] if adds else None
    return [[(x + adds[i][j] if adds else x) if is_open[i][j] else -math.inf for j, x in enumerate(row)]
            for i, row in enumerate(scores)]
