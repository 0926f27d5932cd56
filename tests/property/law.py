"""What laws have in common: parts of problems and of traces, and what differs between two."""

import math

from nested import depth, flat, mapped, paired
from statement import Problem

# From the scores on, a step of one problem is a step of any that says the same otherwise.
FROM_SCORES = ("scores", "scaled_scores", "capped_scores", "mask", "score_bias", "masked_scores", "row_maximum",
               "exponentials", "exponential_sums", "attention_weights", "weighted_values", "relative_context",
               "context", "concat", "output")
FROM_WEIGHTS = FROM_SCORES[FROM_SCORES.index("attention_weights"):]


def steps_of(trace):
    return {s["id"]: s for s in trace["steps"]}


def select(data, axes, name, chosen):
    """The tensor with only the chosen places of one axis, in that order."""
    if name not in axes:
        return data
    if axes[0] == name:
        return [data[i] for i in chosen]
    return [select(part, axes[1:], name, chosen) for part in data]


def first_difference(what, expected, got):
    return None if expected == got else f"{what}: expected {expected}, got {got}"


def common(a, b, ids=None):
    """Pairs of steps that both traces have, in order."""
    other = steps_of(b)
    return [(s, other[s["id"]]) for s in a["steps"] if s["id"] in other and (ids is None or s["id"] in ids)]


def same_steps(what, before, after, ids):
    """The first of these steps whose numbers are others, in words."""
    for one, other in common(before, after, ids):
        fault = first_difference(f"{one['id']} {what}", one["data"], other["data"])
        if fault:
            return fault
    return None


def near_steps(what, before, after, ids, tolerance=1e-9):
    """The same for numbers that other sums, or other functions, give."""
    close = lambda a, b: a == b or math.isclose(float(a), float(b), rel_tol=tolerance, abs_tol=tolerance)
    for one, other in common(before, after, ids):
        if not all(flat(paired(one["data"], other["data"], close))):
            return f"{one['id']} {what}: expected {one['data']}, got {other['data']}"
    return None


def same_trace(what, before, after):
    for name in ("arithmetic", "labels", "result"):
        if before[name] != after[name]:
            return f"{name} {what}: expected {before[name]}, got {after[name]}"
    keep = lambda trace: [(s["id"], s["axes"], s["shape"], s["data"]) for s in trace["steps"]]
    for one, other in zip(keep(before), keep(after)):
        if one != other:
            return f"{one[0]} {what}: expected {one[1:]}, got {other[1:]}"
    return None if len(before["steps"]) == len(after["steps"]) else f"another number of steps {what}"


# --- problems --------------------------------------------------------------


def in_full_doubles(problem):
    arithmetic = problem.get("arithmetic", {})
    return arithmetic.get("dtype", "f64") == "f64" and "hand_rounding" not in arithmetic


def is_finite(problem):
    return not any(word in (str(x) for x in flat(list(tensors_of(problem)))) for word in ("nan", "inf", "-inf"))


def tensors_of(value):
    """Every list of a problem, however deep in objects it stands."""
    if isinstance(value, dict):
        for part in value.values():
            yield from tensors_of(part)
    elif isinstance(value, list):
        yield [x for x in flat(value) if not isinstance(x, dict)]
        for part in value:
            yield from tensors_of(part) if isinstance(part, dict) else ()


def position(problem):
    return Problem(problem).positions["type"]


def new_keys(read):
    """How many keys are neither past nor appended."""
    side = read.side("key").matrices[0]
    return len(side[0] if read.rank4 else side)


def kept_keys(read, kept):
    """The places of `kept` new keys and all others, along a key axis of either length."""
    new, past, appended = new_keys(read), read.past_length, read.appended_length
    total = past + new + appended
    return {new: list(range(kept)), total: [*range(past + kept), *range(total - appended, total)]}


def longer_mask(cells, count, extra, front=False):
    """Masks of the old width get columns for the new keys; those that broadcast stay."""
    if depth(cells) > 1:
        return [longer_mask(c, count, extra, front) for c in cells]
    if len(cells) == 1 and count > 1:
        return cells
    more = cells[-1:] * extra
    return more + cells if front else cells + more


def with_masks(problem, change):
    """The problem with its masks' cells changed, as a list."""
    return [{kind: change(cells) for kind, cells in m.items()} for m in Problem(problem).masks()]


def times(tensor, factor):
    return mapped(tensor, lambda x: x if isinstance(x, str) else x * factor)


def merged_heads(blocks):
    """[head][row][d] as [row][head·d]."""
    return [sum(rows, []) for rows in zip(*blocks)]
