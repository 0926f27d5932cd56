"""Two of the common mistakes at once, with nothing handed in between them."""

from handins import HandIn, Papers, chosen_steps, drawn_pen
from students import CARRIED, NotHere, Pen, Student

TWO = "two at once"
COMMON = (
    "projection.transposed", "projection.swapped_query_key", "projection.swapped_key_value",
    "projection.bias_forgotten", "scores.transposed",
    "scale.none", "scale.by_dk", "scale.multiplied", "scale.added",
    "mask.forgotten", "mask.inverted", "mask.transposed", "mask.zero_for_minus_infinity",
    "softmax.columns", "softmax.base_2", "softmax.linear",
    "sum.transposed_weights", "sum.key_for_value",
    "heads.merged_without_transpose", "heads.output_projection_forgotten",
)


def with_both(student, one, other):
    if one.change.keys() & other.change.keys():
        raise NotHere
    base = student.other(len(Student.STAGES))
    for name, value in {**one.flags, **other.flags}.items():
        setattr(base, name, value)
    return base.other(min(one.first, other.first), change={**one.change, **other.change})


def two_at_once(reader, which, decimals, rng):
    rooms = reader.rooms()
    common = [name for name in COMMON if name in rooms]
    for _ in range(20):
        if len(common) < 2:
            return None
        one, other = sorted((rng.choice(rooms[n]) for n in rng.sample(common, 2)), key=lambda m: m.first)
        if one.first == other.first:
            continue
        pen = drawn_pen(rng, decimals)
        try:
            student = with_both(reader.honest.student(pen), one, other)
        except (NotHere, OverflowError):
            continue
        order = reader.given.order.index
        names = [n for n in chosen_steps(reader.given, student, which, rng, one)
                 if order(n) >= order(other.step) and n not in other.leaves_out]
        if not names:
            continue
        handin = HandIn(TWO, f"{one.id} + {other.id}", other.step, which, pen, {n: student.paper(n) for n in names})
        handin.both = {one.id, other.id}
        return handin
    return None


def explained_by(reader, handin, first, second):
    """Whether any of the first ids together with any of the second gives exactly what is written."""
    students = [reader.honest.student(Pen(handin.pen.decimals, handin.pen.mode, carried))
                for carried in {handin.pen.carried, frozenset(CARRIED), frozenset()}]
    for a in first:
        for b in second:
            for one in reader.mistakes.get(a, ()):
                for other in reader.mistakes.get(b, ()):
                    for student in students:
                        try:
                            papers = Papers(with_both(student, one, other))
                        except (NotHere, OverflowError):
                            continue
                        if reader.same(handin, papers):
                            return True
    return False
