"""Honest work as people hand it in, beyond what a Pen can do: exponentials rounded and carried
on, expressions among rounded numbers, blanks in rows that kept their sum, everything
transposed, zeros left out, the problem's own rounding, a program in single precision.

KINDS maps a kind to what makes a hand-in of it, or gives None where a problem has no room.
"""

import math

from arithmetic import to_single
from changes import by_units, made_by
from handins import INNER, HandIn, chosen_steps, drawn_pen, turned
from nested import mapped
from reference import INF
from students import CARRIED, MODES, NotHere, Pen, Student

LONGEST = 8      # digits of a number that somebody would write into an expression
STEEP = 12       # nobody writes e^12 down


def plain(reader, which, decimals, rng):
    """A Pen's, with a number for minus infinity, blanks, or JSON numbers now and then."""
    handin = reader.right(which, decimals, rng)
    return handed(handin.pen, which, handin.honest_answers(rng)["steps"])


def handed(pen, which, steps, variant="", step="", raw=None):
    return HandIn(None, variant, step, which, pen, {}, steps, raw)


def spelled(student, names):
    return {name: mapped(student.paper(name), student.pen.spelled) for name in names}


# --- exponentials, rounded and carried on ----------------------------------


def exponentials_carried(reader, which, decimals, rng):
    """e^(score − c) rounded, the sums and the weights made of these."""
    if reader.given.sinks is not None:
        return None
    pen = drawn_pen(rng, decimals)
    pen = Pen(decimals, rng.choice((pen.mode, pen.mode, "truncate")), pen.carried)
    student = reader.honest.student(pen)
    names = chosen_steps(reader.given, student, which, rng)
    constants = ["maximum"]
    if "exponentials" in names and all(len(row) > 1 for row in rows_of(student.m)):
        constants += ["nothing", "largest"]
    constant = rng.choice(constants)
    made, weights = [], {}
    for heads in student.m:
        for m in heads:
            top = max((x for row in m for x in row), default=0)
            block = []
            for row in m:
                c = {"maximum": max(row), "nothing": 0, "largest": top}[constant]
                if max(row) > -INF and not -STEEP < max(row) - c < STEEP:
                    return None
                block.append([math.exp(x - c) if x > -INF else 0.0 for x in row])
            made.append(block)
    units = [mapped(block, pen.unit) for block in made]
    sums = [[sum(row) for row in block] for block in units]
    if any(s == 0 and max(row) > -INF for block, rows in zip(sums, flat_blocks(student.m))
           for s, row in zip(block, rows)):
        return None  # rounded to nothing
    for m, block, totals in zip(flat_blocks(student.m), units, sums):
        weights[id(m)] = [[u / t if t else 0.0 for u in row] for row, t in zip(block, totals)]
    other = student.other(4, change={"softmax": lambda s, m: weights[id(m)]})
    steps = spelled(other, [n for n in names if n not in INNER])
    regroup = lambda blocks: [blocks[b * len(student.m[0]):(b + 1) * len(student.m[0])] for b in range(len(student.m))]
    for name, blocks in (("exponentials", regroup(units)), ("exponential_sums", regroup(sums))):
        if name in names:
            steps[name] = mapped(student.paper(name, blocks), pen.spelled)
    if "row_maximum" in names and constant == "maximum":
        steps["row_maximum"] = mapped(student.paper("row_maximum"), pen.spelled)
    return handed(pen, which, in_order(reader, steps), variant=f"less {constant}")


def flat_blocks(blocks):
    return [m for heads in blocks for m in heads]


def rows_of(blocks):
    return [row for m in flat_blocks(blocks) for row in m]


def in_order(reader, steps):
    return {name: steps[name] for name in reader.given.order if name in steps}


# --- expressions -----------------------------------------------------------


class Exactly(Student):
    """Writes some numbers of a step as expressions, and goes on with these or with their decimals."""

    def __init__(self, given, pen, rng, step):
        super().__init__(given, pen)
        self.rng, self.step, self.texts = rng, step, {}
        self.exactly = rng.random() < 0.5

    def note(self, name, blocks, carried=None, terms=None):
        gone_on = super().note(name, blocks, carried, terms)
        if name != self.step:
            return gone_on
        places = list(self.places(blocks))
        chosen = [place for place in places if self.rng.random() < 0.5] or places[:1]
        for place in chosen:
            text = self.expression(name, place)
            if text:
                self.texts[place] = text
                value = at(blocks, place)
                gone_on = put(gone_on, place, value if self.exactly else self.pen.value(self.pen.unit(value)))
        return gone_on

    @staticmethod
    def places(blocks, here=()):
        if isinstance(blocks, list):
            for k, part in enumerate(blocks):
                yield from Exactly.places(part, here + (k,))
        elif math.isfinite(blocks):
            yield here

    def expression(self, name, place):
        try:
            if name == "scores":
                if self.given.kind not in ("dot", "scaled_dot"):
                    return None
                b, h, i, j = place
                return "+".join(f"{brief(x)}*{brief(y)}" for x, y in zip(self.q[b][h][i], self.k[b][h][j]))
            if name == "scaled_scores":
                score = brief(at(self.s, place))
                return f"{score}/sqrt({self.given.d_k})" if "scale" not in self.given.raw else (
                    f"{score}*{brief(self.given.scale)}")
            b, h, i, j = place
            if name == "attention_weights":
                row = [brief(x) for x in self.m[b][h][i] + self.sink(h) if x > -INF]
                return f"e^{brief(self.m[b][h][i][j])}/({'+'.join('e^' + x for x in row)})" if (
                    self.m[b][h][i][j] > -INF) else None
            return "+".join(f"{brief(w)}*{brief(v[j])}" for w, v in zip(self.a[b][h][i], self.v[b][h]))
        except NotHere:
            return None


def brief(number):
    text = repr(number + 0.0).removesuffix(".0")
    if len(text.strip("-")) > LONGEST or "e" in text:
        raise NotHere
    return f"({text})" if number < 0 else text


def at(nested, place):
    for k in place:
        nested = nested[k]
    return nested


def put(nested, place, value):
    if not place:
        return value
    return [put(n, place[1:], value) if k == place[0] else n for k, n in enumerate(nested)]


def expressions(reader, which, decimals, rng):
    pen = drawn_pen(rng, decimals)
    at_step = [n for n in ("scores", "scaled_scores", "attention_weights", "context")
               if n != "scaled_scores" or reader.given.scale is not None]
    if which == "context":
        at_step = ["context"]
    elif which != "steps":
        at_step = ["attention_weights", "context"]
    step = rng.choice(at_step)
    if step == "attention_weights" and pen.mode == "keep-sum":
        pen = Pen(decimals, "half-up", pen.carried)  # an expression takes no missing unit
    if step == "context":  # written as a sum, no term of it was rounded; nor then in other cells
        pen = Pen(decimals, pen.mode, pen.carried - {"weighted"})
    student = Exactly(reader.given, pen, rng, step).work()
    names = chosen_steps(reader.given, student, which, rng)
    if student.step not in names or not student.texts or reader.given.columns:
        return None
    blocks = student.written[student.step]
    for place, text in student.texts.items():
        blocks = put(blocks, place, text)
    steps = spelled(student, names)
    steps[student.step] = mapped(student.paper(student.step, blocks),
                                 lambda u: u if isinstance(u, str) else pen.spelled(u))
    return handed(pen, which, in_order(reader, steps),
                  variant=f"{student.step}, carried on {'exactly' if student.exactly else 'as decimals'}")


# --- blanks, zeros, integers -----------------------------------------------


def blanks_in_kept_rows(reader, which, decimals, rng):
    if which == "context":
        which = "weights"
    pen = Pen(decimals, "keep-sum", CARRIED if rng.random() < 0.7 else drawn_pen(rng, decimals).carried)
    student = reader.honest.student(pen)
    steps = spelled(student, chosen_steps(reader.given, student, which, rng))

    def blanked(part):
        if isinstance(part[0], list):
            return [blanked(p) for p in part]
        hidden = set(rng.sample(range(len(part)), rng.choice((0, 1, 1, min(2, len(part))))))
        return [None if j in hidden else text for j, text in enumerate(part)]

    steps["attention_weights"] = blanked(steps["attention_weights"])
    return handed(pen, which, steps)


def zeros_left_out(reader, which, decimals, rng):
    def shorter(text):
        return text.rstrip("0").rstrip(".") if "." in text else text
    return respelled(reader, which, decimals, rng, shorter)


def integers(reader, which, decimals, rng):
    """Whole numbers without a point: 1 for 1.0000, beside numbers with decimals or alone."""
    def shorter(text):
        whole, _, rest = text.partition(".")
        return whole if rest and not rest.strip("0") else text
    return respelled(reader, which, decimals, rng, shorter)


def respelled(reader, which, decimals, rng, shorter):
    pen = drawn_pen(rng, decimals)
    student = reader.honest.student(pen)
    steps = spelled(student, chosen_steps(reader.given, student, which, rng))
    often = rng.choice((0.5, 1))
    change = lambda text: shorter(text) if rng.random() < often else text
    return handed(pen, which, {name: mapped(step, change) for name, step in steps.items()})


# --- everything transposed -------------------------------------------------

NEVER_TURNED = ("weighted_values",)
ROWS = ("row_maximum", "exponential_sums", "query_norms", "key_norms", "repeated_key_norms")  # a number a row


def transposed_whole(reader, which, decimals, rng):
    pen = drawn_pen(rng, decimals)
    student = reader.honest.student(pen)
    names = [n for n in chosen_steps(reader.given, student, which, rng) if n not in NEVER_TURNED]
    return turned_handin(pen, which, {n: student.paper(n) for n in names}, names)


def transposed_with_a_slip(reader, which, decimals, rng):
    """One cell far off and gone on from, in work that is transposed otherwise right."""
    pen = drawn_pen(rng, decimals)
    student = reader.honest.student(pen)
    names = [n for n in chosen_steps(reader.given, student, which, rng) if n not in NEVER_TURNED]
    step = rng.choice([n for n in names if n not in INNER and n not in ("concat", "attention_weights")] or ["context"])
    change = made_by(by_units(rng.choice((20, 50, 100)) * pen.power // 10), student, step, rng)
    if change is None or step not in names:
        return None
    other = change.carried_on(student)
    units = {n: other.paper(n) for n in names}
    units[step] = student.paper(step, change.blocks)
    right = [n for n in names if units[n] == student.paper(n)]
    return turned_handin(pen, which, units, right, step=step)


def turned_handin(pen, which, units, right, **more):
    """None unless at least two steps that are right but for that can tell of it: one may be taken for a mistake."""
    steps = {n: u if n in ROWS else turned(u) for n, u in units.items()}
    if sum(steps[n] != units[n] for n in right) < 2:
        return None
    return handed(pen, which, {n: mapped(u, pen.spelled) for n, u in steps.items()}, **more)


# --- other problems --------------------------------------------------------


def own_rounding(reader, which, decimals, rng):
    """The problem says how to round, and its numbers are written with more decimals: "0.50"."""
    places, mode = rng.choice((1, 2)), rng.choice(MODES)
    pen = Pen(places, mode, CARRIED)
    student = reader.honest.student(pen)
    names = [n for n in chosen_steps(reader.given, student, which, rng) if n not in INNER]
    zeros = "0" * rng.choice((1, 1, 2))
    longer = lambda unit: pen.spelled(unit) + (zeros if isinstance(unit, int) else "")
    raw = dict(reader.raw, arithmetic={"hand_rounding": f"{places}:{mode}"})
    return handed(pen, which, {n: mapped(student.paper(n), longer) for n in names}, raw=raw)


def sink(reader, which, decimals, rng):
    """Rows with a sink do not sum to 1, and keep what they sum to."""
    if reader.given.sinks is not None:
        return None
    logit = rng.choice((-1, 0, 0.5, 1))

    def with_sink(student, scores):
        found = []
        for row in scores:
            peak = max(row + [logit])
            exponentials = [math.exp(x - peak) for x in row]
            total = sum(exponentials) + math.exp(logit - peak)
            found.append([e / total for e in exponentials])
        return found

    pen = Pen(decimals, rng.choice(("keep-sum", "keep-sum", "half-up", "truncate")), drawn_pen(rng, decimals).carried)
    student = reader.honest.student(pen).other(4, change={"softmax": with_sink})
    names = [n for n in chosen_steps(reader.given, student, which, rng) if n not in INNER]
    return handed(pen, which, spelled(student, names), raw=dict(reader.raw, softmax={"sink": logit}))


# --- a program in single precision -----------------------------------------


class Single:
    """Attention as a program has it that computes in f32, sums in an order of its own."""

    def __init__(self, rng):
        self.order = rng.choice(("forward", "backward", "pairs"))

    def sum(self, terms):
        terms = list(terms)
        if self.order == "pairs" and len(terms) > 2:
            half = len(terms) // 2
            return to_single(self.sum(terms[:half]) + self.sum(terms[half:]))
        total = 0.0
        for term in terms if self.order != "backward" else terms[::-1]:
            total = to_single(total + term)
        return total

    def dot(self, xs, ys):
        return self.sum(to_single(x * y) for x, y in zip(xs, ys))

    def product(self, matrix, weight):
        columns = list(zip(*weight))
        return [[self.dot(row, column) for column in columns] for row in matrix]


def single_precision(reader, which, decimals, rng):
    """Numbers of a program, six to eight decimals, where sums cancel."""
    n, d, width = rng.randint(2, 4), rng.randint(2, 4), rng.randint(3, 6)
    far = rng.choice((1, 10, 30))
    number = lambda size: round(rng.gauss(0, 1) * size, 3)
    inputs = [[number(far) for _ in range(width)] for _ in range(n)]
    weights = {role: [[number(0.5) for _ in range(d)] for _ in range(width)] for role in ("query", "key", "value")}
    for row in inputs:  # what is large comes twice, and is taken away again
        row[1] = row[0]
    for weight in weights.values():
        weight[1] = [round(number(0.02) - w, 4) for w in weight[0]]
    made = Single(rng)
    single = lambda nested: mapped(nested, to_single)
    q, k, v = (made.product(single(inputs), single(weights[role])) for role in ("query", "key", "value"))
    scores = [[made.dot(a, b) for b in k] for a in q]
    root = to_single(math.sqrt(d))
    scaled = [[to_single(s / root) for s in row] for row in scores]
    peaks = [max(row) for row in scaled]
    exponentials = [[to_single(math.exp(to_single(s - p))) for s in row] for row, p in zip(scaled, peaks)]
    sums = [made.sum(row) for row in exponentials]
    attention = [[to_single(e / s) for e in row] for row, s in zip(exponentials, sums)]
    context = made.product(attention, v)
    everything = {"keys": k, "queries": q, "values": v, "scores": scores, "scaled_scores": scaled,
                  "row_maximum": peaks, "exponentials": exponentials, "exponential_sums": sums,
                  "attention_weights": attention, "context": context}
    wanted = {"steps": set(everything), "qkv": {"keys", "queries", "values", "attention_weights", "context"},
              "weights": {"attention_weights", "context"}, "context": {"context"}}[which]
    places = rng.choice((6, 6, 7, 8))
    steps = {name: mapped(step, lambda x: f"{x:.{places}f}") for name, step in everything.items() if name in wanted}
    return handed(Pen(places), which, steps, raw={"inputs": inputs, "weights": weights},
                  variant=f"sums {made.order}, {far}")


KINDS = {
    "plain": plain,
    "exponentials carried on": exponentials_carried,
    "expressions": expressions,
    "blanks in rows that kept their sum": blanks_in_kept_rows,
    "transposed": transposed_whole,
    "transposed with a slip": transposed_with_a_slip,
    "the problem's rounding written longer": own_rounding,
    "keep-sum with a sink": sink,
    "single precision": single_precision,
    "zeros left out": zeros_left_out,
    "integers beside decimals": integers,
}
