"""People who work a problem by hand, as far as their numbers go.

A Student works through a problem in the order of the contract, in plain floats, and
writes every step with so many decimals. A Pen says how: which way numbers are
rounded, and which steps are carried on as written rather than in full. A mistake is
a change of one of the student's moves; whatever comes after follows from it.

Blocks are lists over sequences and, where a step is a head's own, over heads.
Written numbers are whole units of the last decimal, so that they compare exactly.
"""

import copy
import math
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal
from operator import mul

from arithmetic import read_digits
from comparing import Comparing, dots, product
from placing import WITHOUT_BATCH, WITHOUT_HEADS, NotHere, Placed, Placing, base_name
from placing import VECTORS as PLACED_VECTORS
from reference import INF, Worker, depth, mapped, split_columns, transposed

MODES = ("half-up", "half-even", "truncate", "keep-sum")
CARRIED = ("projections", "scores", "scaled", "weights", "weighted", "context")

VECTORS = {"projected_keys", "projected_queries", "projected_values", "keys", "queries", "values",
           "repeated_keys", "repeated_values", "score_queries", "score_keys", "context", "concat", "output",
           *PLACED_VECTORS}
ROLES = (("key", "keys"), ("query", "queries"), ("value", "values"))


# --- writing numbers -------------------------------------------------------

WIDE = Context(prec=400)
DECIMAL_MODE = {"half-up": ROUND_HALF_UP, "keep-sum": ROUND_HALF_UP, "half-even": ROUND_HALF_EVEN,
                "truncate": ROUND_DOWN}


class Pen:
    """How somebody rounds: `carried` are the steps that go on as they are written."""

    def __init__(self, decimals, mode="half-up", carried=CARRIED):
        self.decimals, self.mode, self.carried = decimals, mode, frozenset(carried)
        self.power = 10 ** decimals

    def unit(self, value):
        """The whole number of last places that is written for a value."""
        if not math.isfinite(value):
            return value
        shifted = abs(value) * self.power
        near = shifted if self.mode == "truncate" else shifted + 0.5
        whole = math.floor(near)
        slack = 1e-9 + shifted * 1e-10
        if near - whole < slack or whole + 1 - near < slack:
            return self.exact_unit(value)
        return whole if value > 0 else -whole

    def exact_unit(self, value):
        """Near a tie, the value is what twelve of its digits say."""
        return int(read_digits(value).scaleb(self.decimals, WIDE).quantize(
            Decimal(1), rounding=DECIMAL_MODE[self.mode], context=WIDE))

    def units_of_row(self, row):
        """Attention weights: keeping the sum gives the missing units to the largest remainders."""
        if self.mode != "keep-sum" or not all(map(math.isfinite, row)):
            return [self.unit(w) for w in row]
        shifted = [round(w * self.power, 9) for w in row]
        units = [math.floor(s) for s in shifted]
        missing = self.unit(math.fsum(row)) - sum(units)
        order = sorted(range(len(row)), key=lambda j: (-round(shifted[j] - units[j], 8), j))
        for j in order[:max(missing, 0)]:
            units[j] += 1
        return units

    def value(self, unit):
        return unit / self.power if isinstance(unit, int) else unit

    def spelled(self, unit):
        if not isinstance(unit, int):
            return "-inf" if unit < 0 else "inf" if unit > 0 else "nan"
        digits = str(abs(unit)).rjust(self.decimals + 1, "0")
        point = len(digits) - self.decimals
        return ("-" if unit < 0 else "") + digits[:point] + ("." + digits[point:] if self.decimals else "")


# --- the problem, in floats ------------------------------------------------


class Given:
    """What a problem gives, turned to rows and y = x·W."""

    def __init__(self, raw):
        worker = Worker(raw)
        self.trace = worker.run()
        p = worker.problem
        self.raw, self.heads, self.batched, self.direct = raw, p.heads, p.batched, p.direct
        self.columns = p.reader.columns
        self.batch = p.batch
        self.weights = {role: self._weight(p, role) for role, _ in ROLES}
        self.biases = {name: values(p.reader.numbers(b)) for name, b in p.biases.items()}
        self.output = values(p.reader.weight(p.weights["output"])) if "output" in p.weights else None
        self.sources = {role: values(p.side(role).matrices) for role, _ in ROLES}
        self.d_model = None if p.direct else len(self.sources["query"][0][0])
        self.d_k = len(worker.keys[0][0][0])
        self.d_v = len(worker.values[0][0][0])
        self.nq, self.nk = len(worker.queries[0][0]), len(worker.keys[0][0])
        self.sharing = p.sharing
        self.kind = p.score["type"]
        self.score = {name: values((p.reader.matrices if depth(tensor) == 2 else p.reader.numbers)(tensor))
                      for name, tensor in p.score.items() if name != "type"}
        self.softcap = raw.get("softcap")
        self.sinks = sinks_of(raw.get("softmax"), self.heads or 1)
        self.scale = raw.get("scale")
        if self.scale is None and self.kind == "scaled_dot":
            self.scale = 1 / math.sqrt(self.d_k)
        self.open = worker.open
        self.masked = self.trace.step("masked_scores") is not None
        self.placed = Placed(worker)
        self.adds = self._adds(worker)
        of_positions, worker.bias_of_positions = worker.bias_of_positions, None
        self.plain_adds = self._adds(worker) if of_positions else self.adds
        self.order = [step.id for step in self.trace.steps]
        if "scaled_scores" not in self.order:  # people scale where nothing is to be scaled
            self.order.insert(self.order.index("scores") + 1, "scaled_scores")
        self.result = self.trace.result

    def _adds(self, worker):
        """What is added to the scores; None where nothing is."""
        if not worker.adds and not worker.bias_of_positions:
            return None
        return [[[[worker._bias(b, h, i, j).value for j in range(self.nk)] for i in range(self.nq)]
                 for h in range(self.heads or 1)] for b in range(self.batch)]

    @staticmethod
    def _weight(p, role):
        weight = p.weights.get(role, "identity")
        if p.direct or weight == "identity":
            return None, None
        weight = values(p.reader.weight(weight))
        return "shared" if p.split_input else "apart" if depth(weight) == 3 else "wide", weight


def sinks_of(softmax, heads):
    """The sink of each head; None where there is none."""
    if not isinstance(softmax, dict) or "sink" not in softmax:
        return None
    sink = softmax["sink"]
    return sink if isinstance(sink, list) else [sink] * heads


def values(nested):
    return mapped(nested, lambda cell: cell.value)


# --- working it out --------------------------------------------------------


class Student(Comparing, Placing):
    """One person's way through a problem.

    `change` replaces moves by name. `slip` is a pair of a step and a function that spoils
    one of its blocks on the way to paper.
    """

    STAGES = ("projections", "scores", "scaled", "masked", "weights", "sums", "join", "finish")

    def __init__(self, given, pen, change=None, slip=None):
        self.given, self.pen, self.change, self.slip = given, pen, change or {}, slip
        self.written = {}   # step → blocks in units
        self.full = {}      # step → blocks before they were rounded
        self.stage_of = {}
        self.headless = False     # somebody who sees one head where there are several
        self.sums_down = False    # weights that sum to 1 over a column, not a row
        self.caps_masked = False  # somebody whose masked scores are the capped ones
        self.caps_last = False    # somebody who caps the scores behind the mask
        self.stage = 0

    def work(self, first=0):
        for self.stage in range(first, len(self.STAGES)):
            getattr(self, self.STAGES[self.stage])()
        return self

    def other(self, first, pen=None, change=None, slip=None):
        """Somebody who has the same numbers up to a stage, and goes on in another way."""
        twin = copy.copy(self)
        twin.pen, twin.change, twin.slip = pen or self.pen, change or {}, slip
        twin.stage_of = {name: s for name, s in self.stage_of.items() if s < first}
        twin.written = {name: self.written[name] for name in twin.stage_of}
        twin.full = {name: self.full[name] for name in twin.stage_of}
        return twin.work(first)

    def do(self, move, *arguments):
        changed = self.change.get(move)
        return changed(self, *arguments) if changed else getattr(self, move)(*arguments)

    def note(self, name, blocks, carried=None, terms=None):
        """Writes a step down; gives what the person goes on with.

        `carried` names what the pen may carry on as written; without it nothing was computed.
        """
        if self.slip and self.slip.step == name:
            blocks = self.slip.spoil(blocks, terms, self.pen)
        if name == "attention_weights":
            units = [[self.weights_written(m) for m in heads] for heads in blocks]
        else:
            units = mapped(blocks, self.pen.unit)
        self.written[name], self.full[name], self.stage_of[name] = units, blocks, self.stage
        return mapped(units, self.pen.value) if carried in self.pen.carried else blocks

    def weights_written(self, matrix):
        if self.sums_down:
            return transposed([self.pen.units_of_row(column) for column in transposed(matrix)])
        return [self.pen.units_of_row(row) for row in matrix]

    def by_head(self, make):
        return [[make(b, h) for h in range(len(heads))] for b, heads in enumerate(self.q)]

    def by_row(self, blocks, make):
        """make(row, head) of every row."""
        return [[[make(row, h) for row in m] for h, m in enumerate(heads)] for heads in blocks]

    # Projections

    def weight(self, role):
        kind, matrix = self.given.weights[role]
        return kind, matrix, self.given.biases.get(role)

    def split(self, matrix):
        heads = (self.given.heads or 1) // (1 if self.role == "query" else self.given.sharing)
        if len(matrix[0]) % heads:
            raise NotHere
        return split_columns(matrix, heads)

    def projections(self):
        self.sources = self.inputs()
        made = {role: self.project(role, name) for role, name in ROLES}
        blocks = [self.note(name, made[role][0], made[role][1], made[role][2]) for role, name in ROLES]
        self.k, self.q, self.v = blocks
        self.placed_vectors()
        self.own_k = self.k
        self.k = self.shared(self.own_k, "keys")
        self.v = self.shared(self.v, "values")

    def share(self, heads, name):
        """Keys or values for each query head: neighbours share."""
        return [m for m in heads for _ in range(self.given.sharing)]

    def shared(self, blocks, name):
        if self.given.sharing == 1:
            return blocks
        return self.note("repeated_" + name, [self.do("share", heads, name) for heads in blocks])

    def project(self, role, name):
        """Blocks, what carries them, and the terms of a cell."""
        given, self.role = self.given, role
        source = self.sources[role]
        if given.direct and depth(source) == 4:
            return source, None, None
        kind, weight, bias = self.do("weight", role)
        if kind is None:
            return [self.do("split", m) for m in source], None, None
        if kind == "wide":
            wide = [product(m, weight, bias) for m in source]
            cell = lambda b, i, j: list(map(mul, source[b][i], (row[j] for row in weight)))
            if not given.heads:
                return [[m] for m in wide], "projections", lambda b, h, i, j: cell(b, i, j)
            wide = self.note("projected_" + name, wide, "projections", cell)
            return [self.do("split", m) for m in wide], None, None
        if kind == "shared":
            parts = [self.do("split", m) for m in source]
            blocks = [[product(part, weight, bias) for part in heads] for heads in parts]
            return blocks, "projections", lambda b, h, i, j: list(map(mul, parts[b][h][i], (r[j] for r in weight)))
        width = len(weight[0][0])
        blocks = [[product(m, w, bias and bias[h * width:(h + 1) * width]) for h, w in enumerate(weight)]
                  for m in source]
        return blocks, "projections", lambda b, h, i, j: list(map(mul, source[b][i], (r[j] for r in weight[h])))

    # Scores

    def score(self, q, k, v):
        return dots(q, k)

    def scores(self):
        if self.given.kind not in ("dot", "scaled_dot"):
            self.s = self.note("scores", getattr(self, self.given.kind)(), "scores")
            return
        blocks = self.by_head(lambda b, h: self.do("score", self.q[b][h], self.k[b][h], self.v[b][h]))
        self.s = self.note("scores", blocks, "scores",
                           lambda b, h, i, j: list(map(mul, self.q[b][h][i], self.k[b][h][j])))

    def factor(self):
        return self.given.scale

    def scaled(self):
        factor = self.do("factor")
        self.z = self.s
        if factor is not None:
            self.z = self.note("scaled_scores", mapped(self.s, lambda s: s * factor), "scaled")
        if self.given.softcap and not self.caps_last:
            self.z = self.capped(self.z)

    def cap(self, score):
        return self.given.softcap * math.tanh(score / self.given.softcap)

    def capped(self, scores):
        return self.note("capped_scores", mapped(scores, lambda s: self.do("cap", s)), "scaled")

    # Masks

    def mask(self, b, h, scores):
        is_open, add = self.given.open[b][h], self.do("adds_of", b, h)
        return [[(s + add[i][j] if add else s) if is_open[i][j] else -INF for j, s in enumerate(row)]
                for i, row in enumerate(scores)]

    def masked(self):
        self.m = self.z
        if self.given.masked:
            self.place_bias()
            blocks = self.by_head(lambda b, h: self.do("mask", b, h, self.z[b][h]))
            if self.caps_masked:
                blocks = mapped(blocks, self.cap)
            self.m = self.note("masked_scores", blocks, "scaled" if self.given.adds or self.caps_masked else None)
        if self.caps_last:
            self.m = self.capped(self.m)

    # Softmax

    def empty(self, row):
        """What is written where every cell is closed."""
        return [0.0] * len(row)

    def softmax(self, scores):
        return [self.shares([math.exp(s - max(row)) for s in row]) if max(row) > -INF else self.do("empty", row)
                for row in scores]

    def sink(self, h):
        """The sink that counts in the sum of a row, in a list; none where there is none."""
        return [] if self.given.sinks is None else [self.given.sinks[h]]

    def searched(self, h):
        """The same for the maximum."""
        return self.do("sink", h)

    def with_sink(self, scores, h):
        """The weights of a softmax with one more score."""
        return [row[:len(scores[0])] for row in self.softmax([row + self.do("sink", h) for row in scores])]

    @staticmethod
    def shares(exponentials):
        total = sum(exponentials)
        return [e / total for e in exponentials]

    def after(self, b, h, weights):
        return weights

    def weights(self):
        try:
            weights = self.by_head(lambda b, h: self.do("softmax", self.m[b][h]) if self.given.sinks is None
                                   else self.with_sink(self.m[b][h], h))
        except (OverflowError, ZeroDivisionError) as failed:
            raise NotHere from failed
        if "softmax" not in self.change:
            self.inside_softmax()
        weights = [[self.do("after", b, h, m) for h, m in enumerate(heads)] for b, heads in enumerate(weights)]
        self.a = self.note("attention_weights", weights, "weights")

    def inside_softmax(self):
        peak = lambda row, h: max(row + self.do("searched", h))
        powers = lambda row, h: [math.exp(s - peak(row, h)) if s > -INF else 0.0 for s in row]
        of_sink = lambda row, h: sum(math.exp(s - peak(row, h)) for s in self.do("sink", h))
        self.note("row_maximum", self.by_row(self.m, peak))
        self.note("exponentials", self.by_row(self.m, powers))
        self.note("exponential_sums", self.by_row(self.m, lambda row, h: sum(powers(row, h)) + of_sink(row, h)))

    # Sums

    def operands(self, b, h):
        return self.a[b][h], self.v[b][h]

    def total(self, weighted, weights, vectors):
        return [[sum(column) for column in zip(*rows)] for rows in weighted]

    def sums(self):
        pairs = self.by_head(lambda b, h: self.do("operands", b, h))
        if any(len(a[0]) != len(v) for heads in pairs for a, v in heads):
            raise NotHere
        weighted = [[[[[w * x for x in v] for w, v in zip(row, vectors)] for row in weights]
                     for weights, vectors in heads] for heads in pairs]
        weighted = self.note("weighted_values", weighted, "weighted")
        context = [[self.do("total", w, *pair) for w, pair in zip(*both)] for both in zip(weighted, pairs)]
        self.c = self.note("context", context, "context",
                           lambda b, h, i, j: [row[j] for row in weighted[b][h][i]])

    # Join and project

    def merge(self, heads):
        return [sum((m[i] for m in heads), []) for i in range(len(heads[0]))]

    def join(self):
        if depth(self.c) > 4:  # nothing to go on with
            self.joined = None
            return
        self.joined = [self.do("merge", heads) for heads in self.c]
        if self.given.heads:
            self.note("concat", self.joined)

    def last(self, matrix):
        bias = self.given.biases.get("output")
        return product(matrix, self.given.output, bias)

    def finish(self):
        if self.given.output is None or self.joined is None:
            return
        try:
            blocks = [self.do("last", m) for m in self.joined]
        except NotHere:
            if "last" in self.change:
                raise
            return  # numbers of another shape, which end here
        terms = lambda b, i, j: list(map(mul, self.joined[b][i], (row[j] for row in self.given.output)))
        self.note("output", blocks, "output", terms)

    # What is handed in

    def paper(self, name, blocks=None):
        """A step as the trace nests it."""
        blocks = self.written[name] if blocks is None else blocks
        kind = base_name(name)
        headed = not (name.startswith("projected_") or name in ("concat", "output") or kind in WITHOUT_HEADS)
        if kind in VECTORS and self.given.columns:
            turn = lambda m: transposed(m) if depth(m) == 2 else m
            blocks = [[turn(m) for m in block] if headed else turn(block) for block in blocks]
        if headed and (self.given.heads is None or self.headless):
            blocks = [block[0] for block in blocks]
        return blocks if self.given.batched and not (kind in WITHOUT_BATCH and len(blocks) == 1) else blocks[0]


def mapped_rows(blocks, change):
    return [[[change(row) for row in matrix] for matrix in heads] for heads in blocks]


# --- everybody who did nothing wrong ---------------------------------------


class Honest:
    """All the ways to work one problem right, each worked out once."""

    def __init__(self, given):
        self.given = given
        self.known = {}

    def student(self, pen):
        key = (pen.decimals, pen.mode, pen.carried)
        if key not in self.known:
            self.known[key] = Student(self.given, pen).work()
        return self.known[key]

    def everyone(self, decimals):
        """Every rounding, and every choice of which steps are carried on as written."""
        found = self.known.get(decimals)
        if found is None:
            found = self.known[decimals] = [s for mode in MODES for s in self._choices(decimals, mode)]
        return found

    STAGE_OF_CHOICE = (0, 1, 2, 4, 5, 5)

    def _choices(self, decimals, mode):
        students, before = [], None
        choices = len(CARRIED) - (self.given.output is None)
        for number in range(2 ** choices):
            chosen = [bool(number >> (choices - 1 - k) & 1) for k in range(choices)]
            pen = Pen(decimals, mode, [name for name, c in zip(CARRIED, chosen) if c])
            if before is None:
                student = Student(self.given, pen).work()
            else:
                first = next(k for k in range(choices) if chosen[k] != before[k])
                student = students[-1].other(self.STAGE_OF_CHOICE[first], pen)
            students.append(student)
            before = chosen
        return students
