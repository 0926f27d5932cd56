"""What students do wrong in attention: each mistake as a change of one of a Student's moves.

`catalogue` lists every mistake with its readings that a problem could have room for;
whether it has shows when it is worked (NotHere). Slips of the pen are in slips.py.

Readings that the catalogue's text leaves open are marked READING.
"""

import math
from dataclasses import dataclass, field

from reference import INF, Worker, mapped, transposed
from placing import NOT_NEEDED, base_name, changes
from students import ROLES, NotHere, Student, dots, product

PROJECTIONS, SCORES, SCALED, MASKED, WEIGHTS, SUMS, JOIN, FINISH = range(8)


@dataclass
class Mistake:
    id: str
    variant: str
    first: int         # the stage from which numbers differ
    step: str          # where it is made
    change: dict
    leaves_out: tuple = ()    # steps that somebody who does this has not got
    may_leave_out: tuple = ()
    flags: dict = field(default_factory=dict)
    turned: object = None     # the steps written with rows and columns exchanged


def catalogue(given):
    """Every mistake but slips, in all readings."""
    for family in (projections, placements, scores, scores_of_their_own, scales, softcaps, masks, windows, softmaxes,
                   sinks, sums, heads, layouts):
        yield from family(given)


# --- projections -----------------------------------------------------------


def projections(given):
    yield from transposed_weights(given)
    yield from swapped_weights(given)
    if any(kind for kind, _ in given.weights.values()):
        yield Mistake("projection.skipped", "", PROJECTIONS, "keys",
                      {"weight": lambda s, role: (None, None, None)})
        for one in (role for role, (kind, _) in given.weights.items() if kind):
            yield Mistake("projection.skipped", one, PROJECTIONS, dict(ROLES)[one], {
                "weight": lambda s, role, one=one: (None, None, None) if role == one else s.weight(role)})
    yield from biases(given)


def transposed_weights(given):
    square = [role for role, (kind, w) in given.weights.items()
              if kind and all(len(m) == len(m[0]) for m in (w if kind == "apart" else [w]))]
    choices = [tuple(square)] + [(role,) for role in square if len(square) > 1]
    for chosen in choices:
        if chosen:
            def weight(s, role, chosen=chosen):
                kind, w, bias = s.weight(role)
                if role in chosen:
                    w = [transposed(m) for m in w] if kind == "apart" else transposed(w)
                return kind, w, bias
            yield Mistake("projection.transposed", ", ".join(chosen), PROJECTIONS, dict(ROLES)[chosen[0]],
                          {"weight": weight})


def swapped_weights(given):
    for name, one, other in (("query_key", "key", "query"), ("key_value", "key", "value"),
                             ("query_value", "query", "value")):
        if not (given.weights[one][0] and given.weights[other][0]):
            continue
        partner = {one: other, other: one}
        biased = one in given.biases or other in given.biases
        for along in (True, False) if biased else (True,):
            def weight(s, role, partner=partner, along=along):
                kind, w, bias = s.weight(partner.get(role, role))
                return kind, w, bias if along else s.given.biases.get(role)
            yield Mistake("projection.swapped_" + name, "with their biases" if along and biased else "",
                          PROJECTIONS, dict(ROLES)[one], {"weight": weight})


def biases(given):
    roles = tuple(role for role, _ in ROLES if role in given.biases)
    everything = roles + (("output",) if "output" in given.biases else ())
    choices = [everything] + [(role,) for role in everything if len(everything) > 1]
    for name, times in (("bias_forgotten", 0), ("bias_added_twice", 2)):
        for chosen in choices:
            if not chosen:
                continue
            def weight(s, role, chosen=chosen, times=times):
                kind, w, bias = s.weight(role)
                return kind, w, [times * x for x in bias] if bias and role in chosen else bias
            def last(s, matrix, chosen=chosen, times=times):
                if "output" not in chosen:
                    return s.last(matrix)
                return product(matrix, s.given.output, [times * x for x in s.given.biases["output"]])
            at = dict(ROLES).get(chosen[0], "output")
            yield Mistake("projection." + name, ", ".join(chosen), FINISH if at == "output" else PROJECTIONS, at,
                          {"weight": weight, "last": last})


# --- positions, and keys that are there already ----------------------------


def placements(given):
    for name, variant, late, step, change in changes(given):
        without = [n for n in given.order if base_name(n) in NOT_NEEDED] if name.endswith("left_out") else ()
        yield Mistake(name, variant, MASKED if late else PROJECTIONS, step, change, may_leave_out=tuple(without))


# --- scores ----------------------------------------------------------------


def scores(given):
    if given.kind not in ("dot", "scaled_dot"):
        return
    rules = {
        "transposed": (True, lambda s, q, k, v: dots(k, q)),
        "untransposed_key": (given.nk == given.d_k, lambda s, q, k, v: product(q, k)),
        "query_query": (True, lambda s, q, k, v: dots(q, q)),
        "key_key": (True, lambda s, q, k, v: dots(k, k)),
        "query_value": (True, lambda s, q, k, v: dots(q, v)),
    }
    for name, (fits, rule) in rules.items():
        needs_square = name in ("transposed", "query_query", "key_key")
        if fits and (given.nq == given.nk or not needs_square):
            yield Mistake("scores." + name, "", SCORES, "scores", {"score": rule})


# --- cosine, general, additive and concat scores ---------------------------


def scores_of_their_own(given):
    if given.kind in ("dot", "scaled_dot"):
        return
    if given.kind == "cosine":
        for variant, rule in (("by neither", lambda s, total, one, other: total),
                              ("not by the query's", lambda s, total, one, other: s.over(total, 1, other)),
                              ("not by the key's", lambda s, total, one, other: s.over(total, one, 1))):
            yield Mistake("score.cosine_not_normed", variant, SCORES, "scores", {"over": rule},
                          may_leave_out=("query_norms", "key_norms"))
    if given.kind in ("additive", "concat"):
        yield Mistake("score.tanh_left_out", "", SCORES, "score_tanh", {"bend": lambda s, x: x},
                      may_leave_out=("score_tanh",))
    step = {"general": "score_queries", "additive": "score_keys", "concat": "score_hidden",
            "cosine": "query_norms"}[given.kind]
    query, key = lambda s, b, h: s.q[b][h], lambda s, b, h: s.k[b][h]
    if given.kind != "cosine":
        yield Mistake("score.key_for_query", "exchanged", SCORES, step, {"first": key, "second": query},
                      flags={"exchanged": True})
    # READING: the key stands where the query should, and nothing else is changed; or the reverse.
    if given.nq == given.nk:
        yield Mistake("score.key_for_query", "keys for both", SCORES, step, {"first": key})
        yield Mistake("score.key_for_query", "queries for both", SCORES, step, {"second": query})


# --- scales ----------------------------------------------------------------


def scales(given):
    root = math.sqrt(given.d_k)
    if given.scale is None:
        yield scaling("added", 1 / root, may_leave_out=("scaled_scores",))
        return
    scale = given.scale
    yield scaling("none", 1.0, may_leave_out=("scaled_scores",))
    yield scaling("multiplied", 1 / scale)
    yield scaling("twice", scale * scale)
    yield Mistake("scale.after_softmax", "", SCALED, "scaled_scores",
                  {"factor": lambda s: 1.0, "after": lambda s, b, h, m: [[w * scale for w in row] for row in m]},
                  may_leave_out=("scaled_scores",))
    if "scale" in given.raw:
        return
    yield scaling("by_dk", 1 / given.d_k)
    yield scaling("by_n", 1 / math.sqrt(given.nk))
    yield scaling("by_dv", 1 / math.sqrt(given.d_v))
    if given.d_model and (given.heads or 1) == 1:
        yield scaling("by_dmodel", 1 / math.sqrt(given.d_model))


def scaling(name, factor, may_leave_out=()):
    return Mistake("scale." + name, "", SCALED, "scaled_scores", {"factor": lambda s: factor},
                   may_leave_out=may_leave_out)


# --- softcaps --------------------------------------------------------------


def softcaps(given):
    if not given.softcap:
        return
    shown = ("capped_scores",)
    yield Mistake("softcap.left_out", "", SCALED, "capped_scores", {"cap": lambda s, score: score}, may_leave_out=shown)
    if given.masked and any(not o for o in cells(given.open)):
        yield Mistake("softcap.after_mask", "masked scores capped", SCALED, "capped_scores",
                      {"cap": lambda s, score: score}, leaves_out=shown, flags={"caps_masked": True})
        yield Mistake("softcap.after_mask", "capped scores masked", SCALED, "capped_scores", {},
                      flags={"caps_last": True})


# --- masks -----------------------------------------------------------------


def masks(given):
    if not given.masked:
        return
    shown = ("masked_scores",)
    yield masking("forgotten", "", lambda s, b, h, scores: scores, may_leave_out=shown)
    if not any(not o for o in cells(given.open)):
        return
    yield masking("zero_for_minus_infinity", "", lambda s, b, h, scores: [
        [0.0 if m == -INF else m for m in row] for row in s.mask(b, h, scores)])
    yield Mistake("mask.after_softmax", "", MASKED, "masked_scores", {
        "mask": lambda s, b, h, scores: added(s, b, h, scores),
        "after": lambda s, b, h, weights: [[w if o else 0.0 for w, o in zip(*rows)]
                                           for rows in zip(weights, s.given.open[b][h])],
    }, may_leave_out=shown)
    for at_open in (False, True):
        yield masking("added_as_number", "at open" if at_open else "at closed",
                      lambda s, b, h, scores, at_open=at_open: [
                          [x + (o == at_open) for x, o in zip(*rows)]
                          for rows in zip(added(s, b, h, scores), s.given.open[b][h])])
    for name, variant, is_open in other_masks(given):
        closes_rows = any(not any(row) for heads in is_open for m in heads for row in m)
        for uniform in (False, True) if closes_rows else (False,):
            yield reclosed(name, variant, is_open, uniform)


def masking(name, variant, rule, **more):
    return Mistake("mask." + name, variant, MASKED, "masked_scores", {"mask": rule}, **more)


def cells(nested):
    return [c for n in nested for c in cells(n)] if isinstance(nested, list) else [nested]


def added(s, b, h, scores):
    """The scores with what the masks add, where that is a number; nothing is closed."""
    if not s.given.adds:
        return scores
    return [[x if a == -INF else x + a for x, a in zip(*rows)] for rows in zip(scores, s.given.adds[b][h])]


def reclosed(name, variant, is_open, uniform):
    """The mask with other cells closed. Rows that it leaves empty are 0, or all the same."""
    mistake = masking(name, (variant + " uniform" * uniform).strip(), lambda s, b, h, scores: [
        [x if o else -INF for x, o in zip(*rows)] for rows in zip(added(s, b, h, scores), is_open[b][h])])
    if uniform:
        mistake.change["empty"] = lambda s, row: [1 / len(row)] * len(row)
    return mistake


def other_masks(given):
    """(name, variant, which cells are open) of masks that are not the right one."""
    right = given.open
    turned = [[transposed(m) for m in heads] for heads in right]
    yield "inverted", "", mapped(right, lambda o: not o)
    if given.nq == given.nk and turned != right:
        yield "transposed", "", turned
    diagonal = [[[[o and i != j for j, o in enumerate(row)] for i, row in enumerate(m)]
                 for m in heads] for heads in right]
    if diagonal != right and (given.nq == given.nk or given.raw.get("causal")):
        yield "diagonal_too", "", diagonal
    if given.raw.get("causal"):
        yield from wrong_corners(given)
    lengths = given.raw.get("lengths")
    if lengths is not None:
        whole = Worker({key: value for key, value in given.raw.items() if key != "lengths"})
        whole.run()
        lengths = lengths if given.batched else [lengths]
        yield "rows_for_columns", "", [
            [[[o and i < lengths[b] for o in row] for i, row in enumerate(m)] for m in heads]
            for b, heads in enumerate(whole.open)]
    elif given.nq == given.nk and not given.raw.get("causal") and all(
            row == m[0] for heads in right for m in heads for row in m):
        yield "rows_for_columns", "", turned


def wrong_corners(given):
    """The triangle hung from the other corner, where that is another place."""
    offset = given.raw.get("offset", 0)
    for other in {given.nk - given.nq, 0} - {offset}:
        worker = Worker(dict(given.raw, offset=other))
        worker.run()
        if worker.open != given.open:
            yield "wrong_corner", f"offset {other}", worker.open


# --- windows ---------------------------------------------------------------


def windows(given):
    window = given.raw.get("window")
    if window is None:
        return
    worker = Worker({key: value for key, value in given.raw.items() if key != "window"})
    worker.run()
    offsets = worker.problem.offsets()
    for variant, before, behind in (("one more before", 1, 0), ("one fewer before", -1, 0), ("one more behind", 0, 1),
                                    ("one fewer behind", 0, -1), ("one more", 1, 1), ("one fewer", -1, -1)):
        # An end without a limit has no key too many or too few.
        left = INF if window[0] < 0 else window[0] + before
        right = INF if window[1] < 0 else window[1] + behind
        is_open = [[[[o and -left <= j - i - offsets[b] <= right for j, o in enumerate(row)]
                     for i, row in enumerate(m)] for m in heads] for b, heads in enumerate(worker.open)]
        closes_rows = any(not any(row) for heads in is_open for m in heads for row in m)
        if is_open != given.open:
            for uniform in (False, True) if closes_rows else (False,):
                mistake = reclosed("", variant, is_open, uniform)
                mistake.id = "window.off_by_one"
                yield mistake


# --- softmax ---------------------------------------------------------------


def softmaxes(given):
    if given.sinks is not None:
        return
    inner = ("row_maximum", "exponentials", "exponential_sums")
    for name, variant, rule, flags in softmax_rules():
        yield Mistake("softmax." + name, variant, WEIGHTS, "attention_weights", {"softmax": rule},
                      leaves_out=inner, flags=flags)


def softmax_rules():
    yield "columns", "", lambda s, m: transposed(s.softmax(transposed(m))), {"sums_down": True}
    yield "whole_matrix", "", whole_matrix, {}
    yield "linear", "", in_open(lambda row: over(row, sum(row))), {}
    for base in (2, 3, 10):
        yield f"base_{base}", "", in_open(lambda row, base=base: Student.shares(
            [base ** (x - max(row)) for x in row])), {}
    # READING: the exponentials, whether or not the maximum was subtracted.
    yield "not_normalised", "", in_open(lambda row: list(map(math.exp, row))), {}
    yield "not_normalised", "less the maximum", in_open(lambda row: [math.exp(x - max(row)) for x in row]), {}
    yield "hard_max", "", in_open(hard_max), {}
    yield "twice", "", in_open(lambda row: smooth(smooth(row))), {}
    yield "negated", "", in_open(lambda row: smooth([-x for x in row])), {}
    # READING: e^(s - max) divided by max, or e^s divided by the largest e^s.
    yield "by_maximum", "scores", in_open(lambda row: over(row, max(row))), {}
    yield "by_maximum", "exponentials", in_open(
        lambda row: over([math.exp(x - max(row)) for x in row], max(row))), {}
    yield "by_maximum", "largest exponential", in_open(lambda row: [math.exp(x - max(row)) for x in row]), {}
    yield "none", "", in_open(lambda row: row), {}


def smooth(row):
    return Student.shares([math.exp(x - max(row)) for x in row])


def over(row, divisor):
    if abs(divisor) < 1e-9:
        raise NotHere
    return [x / divisor for x in row]


def hard_max(row):
    if sum(x > max(row) - 1e-9 for x in row) > 1:  # on paper they are the same number
        raise NotHere
    return [float(x == max(row)) for x in row]


def in_open(rule):
    """A rule for the open cells of a row; closed cells are 0."""
    def softmax(s, matrix):
        rows = []
        for row in matrix:
            shown = [x for x in row if x > -INF]
            shares = iter(rule(shown) if shown else ())
            rows.append([next(shares) if x > -INF else 0.0 for x in row])
        return rows
    return softmax


def whole_matrix(s, matrix):
    shown = [x for row in matrix for x in row if x > -INF]
    if not shown:
        raise NotHere
    shares = iter(smooth(shown))
    return [[next(shares) if x > -INF else 0.0 for x in row] for row in matrix]


# --- sinks -----------------------------------------------------------------


def sinks(given):
    if given.sinks is None:
        return
    yield Mistake("sink.left_out", "", WEIGHTS, "attention_weights", {"sink": lambda s, h: []})
    yield Mistake("sink.left_out", "not of the maximum", WEIGHTS, "attention_weights",
                  {"sink": lambda s, h: [], "searched": lambda s, h: s.sink(h)})
    # READING: what the sink has is divided among the open keys, or one of them gets it.
    for variant, which in (("equally", lambda row: [1 / len(row)] * len(row)),
                           ("to the largest", hard_max), ("to the first", lambda row: [1.0] + [0.0] * (len(row) - 1))):
        def after(s, b, h, weights, which=which):
            rows = []
            for row, is_open in zip(weights, s.given.open[b][h]):
                given_to = iter(which([w for w, o in zip(row, is_open) if o]) if any(is_open) else ())
                rest = 1 - sum(row)
                rows.append([w + rest * next(given_to) if o else 0.0 for w, o in zip(row, is_open)])
            return rows
        yield Mistake("sink.kept", variant, WEIGHTS, "attention_weights", {"after": after})


# --- sums ------------------------------------------------------------------


def sums(given):
    if given.nq == given.nk:
        yield summing("transposed_weights", {"operands": lambda s, b, h: (transposed(s.a[b][h]), s.v[b][h])})
        yield summing("query_for_value", {"operands": lambda s, b, h: (s.a[b][h], s.q[b][h])})
    yield summing("key_for_value", {"operands": lambda s, b, h: (s.a[b][h], s.k[b][h])})
    if not given.direct:
        yield summing("input_for_value", {"operands": lambda s, b, h: (s.a[b][h], given.sources["value"][b])})
    yield Mistake("sum.mean_of_values", "", SUMS, "context", {"total": lambda s, weighted, a, v: [
        [sum(column) / len(v) for column in zip(*v)] for _ in a]}, leaves_out=("weighted_values",))
    yield Mistake("sum.not_summed", "", SUMS, "context", {"total": lambda s, weighted, a, v: weighted})
    yield Mistake("sum.top_only", "the value", SUMS, "context", {
        "total": lambda s, weighted, a, v: [v[top(row)] for row in a]}, leaves_out=("weighted_values",))
    yield Mistake("sum.top_only", "the weighted value", SUMS, "context", {
        "total": lambda s, weighted, a, v: [rows[top(row)] for rows, row in zip(weighted, a)]})


def summing(name, change):
    return Mistake("sum." + name, "", SUMS, "context", change)


def top(row):
    if row.count(max(row)) > 1:
        raise NotHere
    return row.index(max(row))


# --- heads -----------------------------------------------------------------


def heads(given):
    if given.output is not None:
        yield Mistake("heads.output_projection_forgotten", "", FINISH, "output", {"last": lambda s, m: m})
        if len(given.output) == len(given.output[0]):
            yield Mistake("heads.output_projection_transposed", "", FINISH, "output", {
                "last": lambda s, m: product(m, transposed(given.output), given.biases.get("output"))})
    if (given.heads or 1) == 1:
        return
    count = given.heads
    if given.sharing > 1:
        yield from groups(given)
    else:
        yield from splitting(given, count)
    for name, rule in (
            ("merged_without_transpose", lambda s, ms: regrouped(sum(sum(ms, []), []), len(ms[0]))),
            ("summed", lambda s, ms: [[sum(xs) for xs in zip(*rows)] for rows in zip(*ms)]),
            ("averaged", lambda s, ms: [[sum(xs) / count for xs in zip(*rows)] for rows in zip(*ms)]),
            ("reversed", lambda s, ms: s.merge(ms[::-1]))):
        yield Mistake("heads." + name, "", JOIN, "concat", {"merge": rule})
    if given.d_model and given.scale is not None and "scale" not in given.raw:
        yield Mistake("heads.scale_by_dmodel", "", SCALED, "scaled_scores",
                      {"factor": lambda s: 1 / math.sqrt(given.d_model)})


def groups(given):
    """Query heads that share other keys, or values, than they should."""
    own = given.heads // given.sharing
    for variant, of in (("in turn", lambda i: i % own), ("by count", lambda i: i // own)):
        for which in (("keys", "values"), ("keys",), ("values",)):
            if max(map(of, range(given.heads))) < own:
                def share(s, heads, name, of=of, which=which):
                    return [heads[of(i)] for i in range(s.given.heads)] if name in which else s.share(heads, name)
                yield Mistake("heads.tiled_groups", f"{variant}: {', '.join(which)}", PROJECTIONS,
                              "repeated_" + which[0], {"share": share},
                              may_leave_out=("repeated_keys", "repeated_values"))


def splitting(given, count):
    """Heads that got other columns, or that nobody made."""
    kinds = {kind for kind, _ in given.weights.values()}
    apart = kinds == {"apart"}
    whole = apart or given.raw.get("split") != "input" and kinds <= {"wide", None} and not (
        given.direct and given.raw["queries"] and isinstance(given.sources["query"][0][0][0], list))
    together = {"weight": side_by_side} if apart else {}
    if whole or given.raw.get("split") == "input":
        yield Mistake("heads.no_transpose", "", PROJECTIONS, "keys", {"split": no_transpose(count), **together})
        yield Mistake("heads.interleaved", "", PROJECTIONS, "keys", {
            "split": lambda s, m: [[row[h::count] for row in m] for h in range(count)], **together})
    if whole:
        factors = {"": given.scale}
        if given.scale is not None and "scale" not in given.raw:
            factors = {"of its own scale": 1 / math.sqrt(count * given.d_k), "of a head's scale": given.scale}
        for variant, factor in factors.items():
            yield Mistake("heads.one_big_head", variant, PROJECTIONS, "keys", {
                "split": lambda s, m: [m], "factor": lambda s, factor=factor: factor, **together},
                flags={"headless": True})


def side_by_side(s, role):
    """One matrix a head taken for the columns of one."""
    _, matrices, bias = s.weight(role)
    return "wide", [sum((list(row) for row in rows), []) for rows in zip(*matrices)], bias


def no_transpose(count):
    """[N][h·d] read as [h][N][d], as a view does."""
    def split(s, matrix):
        numbers = sum(matrix, [])
        return [regrouped(part, len(matrix)) for part in regrouped(numbers, count)]
    return split


def regrouped(numbers, rows):
    width = len(numbers) // rows
    return [list(numbers[r * width:(r + 1) * width]) for r in range(rows)]


# --- layout ----------------------------------------------------------------


def layouts(given):
    everything = lambda name: name not in ("row_maximum", "exponential_sums", "weighted_values")
    vectors = lambda name: everything(name) and name not in (
        "scores", "scaled_scores", "masked_scores", "exponentials", "attention_weights", "mask", "score_bias")
    for variant, turned in (("everything", everything), ("vectors", vectors)):
        yield Mistake("layout.transposed_answer", variant, FINISH, "", {}, leaves_out=("weighted_values",),
                      turned=turned)


# --- doing it --------------------------------------------------------------


def with_mistake(student, mistake):
    """Somebody who works as the student does but for the mistake."""
    base = student
    if mistake.flags:
        base = student.other(len(Student.STAGES))
        for name, value in mistake.flags.items():
            setattr(base, name, value)
    return base.other(mistake.first, change=mistake.change)
