"""Laws of positions, windows and caches."""

from law import (FROM_SCORES, in_full_doubles, is_finite, longer_mask, merged_heads, near_steps, new_keys, position,
                 same_steps, same_trace, select, steps_of, with_masks)
from nested import depth
from statement import Problem

OF_INPUTS = ("sinusoidal", "learned")
PRODUCTS = ("dot", "scaled_dot", "cosine")  # what sees no more of two turned vectors than the angle between them


def shifted_offset(problem, by):
    """An offset that is said moves along; the default does so by itself."""
    if "offset" not in problem:
        return {}
    offset = problem["offset"]
    return {"offset": [o + by for o in offset] if isinstance(offset, list) else offset + by}


def only_distances_count(problem, run, rng):
    """Behind a past that nobody may look at, all positions are larger, and nothing else changes.

    Turned by larger angles, the scores of rope are the same but for rounding.
    """
    read = Problem(problem)
    if read.past or position(problem) in OF_INPUTS or "max_tokens" in problem:
        return None
    if position(problem) == "rope":
        if not in_full_doubles(problem) or not is_finite(problem) or read.appended:
            return None
        if read.score["type"] not in PRODUCTS:
            return None
    count, shift = new_keys(read), rng.randint(1, 4)
    before = run(problem)
    keys, values = (steps_of(before)[name] for name in ("keys", "values"))
    moved = dict(problem, past={"keys": strangers(read, keys, shift), "values": strangers(read, values, shift)},
                 **shifted_offset(problem, shift))
    moved["mask"] = with_masks(problem, lambda cells: longer_mask(cells, count, shift, front=True)) + [
        {"block": [1] * shift + [0] * count}]
    if "lengths" in problem:
        lengths = problem["lengths"]
        moved["lengths"] = [n + shift for n in lengths] if isinstance(lengths, list) else lengths + shift
    after = run(moved)
    for step in after["steps"]:
        if "key" in step["axes"] and step["id"] in FROM_SCORES:
            place = step["axes"].index("key")
            step["data"] = select(step["data"], step["axes"], "key", range(shift, step["shape"][place]))
    compare = near_steps if position(problem) == "rope" else same_steps
    return compare(f"with {shift} closed keys before", before, after, FROM_SCORES)


def strangers(read, step, rows):
    """Rows of a past that nobody reads, as wide as a step's."""
    shape = dict(zip(step["axes"], step["shape"]))
    width = shape["d_k" if step["id"] == "keys" else "d_v"] * (read.kv_heads or 1)
    return [[7.0] * width for _ in range(rows)]


def a_cache_gives_the_last_rows(problem, run, rng):
    """Computed at once, or the first keys from a cache: the later queries see the same."""
    read = Problem(problem)
    rows = len(read.side("query").matrices[0])
    if read.past or read.rank4 or read.cross or "max_tokens" in problem or "inputs" not in problem and not read.direct:
        return None
    if not read.direct and read.side("key").ragged or min(rows, new_keys(read)) < 2:
        return None
    count = rng.randint(1, min(rows, new_keys(read)) - 1)
    whole = run(problem)
    steps = steps_of(whole)
    rest = lambda t: [rest(s) for s in t] if depth(t) == 3 else t[count:]
    later = {name: rest(problem[name]) for name in ("inputs", "queries", "keys", "values") if name in problem}
    cached = {"keys": cache_of(steps.get("rotated_keys", steps["keys"]), count, read),
              "values": cache_of(steps["values"], count, read)}
    masks = with_masks(problem, lambda cells: later_rows(cells, count))
    part = dict(problem, **later, past=cached, mask=masks, **shifted_offset(problem, count))
    part.pop("tokens", None)
    if not masks:
        del part["mask"]
    after = run(part)
    for step in whole["steps"]:
        step["data"] = select(step["data"], step["axes"], "query", range(count, rows))
    return same_steps(f"with a cache of {count}", whole, after, FROM_SCORES)


def cache_of(step, count, read):
    blocks = select(step["data"], step["axes"], "key", range(count))
    if not read.heads:
        return blocks
    return blocks if read.batched else merged_heads(blocks)


def later_rows(cells, count):
    if depth(cells) < 2:
        return cells
    if depth(cells) > 2:
        return [later_rows(c, count) for c in cells]
    return cells[count:] if len(cells) > 1 else cells


def sinusoids_turn(problem, run, rng):
    """From a position to the next, every pair turns by the same angle, whatever the position."""
    if position(problem) != "sinusoidal" or not in_full_doubles(problem):
        return None
    tables = [s for s in run(problem)["steps"] if s["id"].startswith("position_encoding")]
    for table in tables:
        rows = table["data"]
        for pair in range(len(rows[0]) // 2):
            points = [complex(row[2 * pair + 1], row[2 * pair]) for row in rows]
            steps = [b / a for a, b in zip(points, points[1:])]
            off = [abs(abs(p) - 1) for p in points] + [abs(s - steps[0]) for s in steps]
            if max(off) > 1e-13 * max(1, len(rows)):
                return f"pair {pair} of {table['id']} is {points}, which does not turn evenly"
    return None


def no_window_is_any_window(problem, run, rng):
    if "window" in problem:
        return None
    return same_steps("with a window of no limits", run(problem), run(dict(problem, window=[-1, -1])), FROM_SCORES)


def causal_is_a_window(problem, run, rng):
    if not problem.get("causal") or "window" in problem:
        return None
    windowed = {key: value for key, value in problem.items() if key != "causal"}
    return same_trace("with a window [-1, 0]", run(problem), run(dict(windowed, window=[-1, 0])))


def alibi_is_a_bias(problem, run, rng):
    """Written down as an add, slope by slope (Press et al. 2022), it is the same bias."""
    if position(problem) != "alibi" or not in_full_doubles(problem) or isinstance(problem.get("offset"), list):
        return None
    read = Problem(problem)
    heads, offset = read.heads or 1, read.offsets()[0]
    powers = {1: [8], 2: [4, 8], 3: [4, 8, 2], 4: [2, 4, 6, 8], 6: [2, 4, 6, 8, 1, 3]}
    before = run(problem)
    nq = dict(zip(steps_of(before)["scores"]["axes"], steps_of(before)["scores"]["shape"]))["query"]
    nk = read.past_length + new_keys(read)
    bias = [[[-abs(i + offset - j) * 2.0 ** -power for j in range(nk)] for i in range(nq)] for power in powers[heads]]
    written = {key: value for key, value in problem.items() if key != "positions"}
    written["mask"] = [{"add": bias if read.heads else bias[0]}] + read.masks()
    return near_steps("with alibi as an add", before, run(written), FROM_SCORES)


def a_bucket_for_all_changes_no_weight(problem, run, rng):
    """The same number on every score of a row goes out in the softmax."""
    read = Problem(problem)
    softmax = problem.get("softmax", "softmax")
    plain = softmax == "softmax" or isinstance(softmax, dict) and "base" in softmax
    if position(problem) or read.appended or not plain or not in_full_doubles(problem):
        return None
    table = [[2.5] * read.heads] if read.heads else [2.5]
    after = run(dict(problem, positions={"type": "t5", "table": table, "bidirectional": False}))
    return near_steps("with a T5 table of one bucket", run(problem), after, ("attention_weights", "context", "output"))


def tables_of_zeros_add_nothing(problem, run, rng):
    by_hand = problem.get("arithmetic", {}).get("hand_rounding")
    if position(problem) or by_hand or problem.get("softmax") == "linear":
        return None
    before = run(problem)
    sizes = {s["id"]: dict(zip(s["axes"], s["shape"])) for s in before["steps"]}
    d_q, d_v = sizes["queries"].get("d_k"), sizes["values"]["d_v"]
    if not d_q or any(x in str(problem.get(n)) for x in ("nan", "inf") for n in ("queries", "inputs")):
        return None
    table = lambda width: [[0] * width] * 3
    zeros = {"type": "relative", "keys": table(d_q), "values": table(d_v)}
    return same_steps("with relative tables of zeros", before, run(dict(problem, positions=zeros)), FROM_SCORES)


LAWS = [
    only_distances_count,
    a_cache_gives_the_last_rows,
    sinusoids_turn,
    no_window_is_any_window,
    causal_is_a_window,
    alibi_is_a_bias,
    a_bucket_for_all_changes_no_weight,
    tables_of_zeros_add_nothing,
]
