"""Laws of attention that hold bit for bit, whatever the right numbers are.

Each law takes a problem in rows and y = x·W, says which problems it speaks of,
and gives the first thing that breaks it. Two runs of the program are compared
with each other, so no reference is needed.
"""

import random

import laws_of_positions
import laws_of_scores
from compare import LISTED
from law import (common, first_difference, kept_keys, longer_mask, merged_heads, new_keys, position, same_trace, select,
                 steps_of, times, with_masks)
from nested import depth, transposed
from spelling import as_columns, as_out_in
from statement import Problem


# A batch is its sequences --------------------------------------------------


def is_batch(problem):
    return Problem(problem).batched


def take_sequence(problem, b):
    """The problem of one sequence of a batch."""
    def of(tensor):
        return {role: t[b] for role, t in tensor.items()} if isinstance(tensor, dict) else tensor[b]

    read = Problem(problem)
    alone = dict(problem)
    for name in ("inputs", "tokens"):
        if name in problem:
            alone[name] = of(problem[name])
    keep = (lambda x: [x]) if read.rank4 else (lambda x: x)
    for name in ("queries", "keys", "values"):
        if name in problem:
            # Four axes need a batch; a batch of one is the nearest to none.
            alone[name] = keep(problem[name][b])
    for name in ("past", "appended"):
        if name in problem:
            alone[name] = {part: taken_cache(tensor, b, keep) for part, tensor in problem[name].items()}
    for name in ("lengths", "offset"):
        if isinstance(problem.get(name), list):
            alone[name] = keep(problem[name][b])
    if "mask" in problem:
        full = 3 + (1 if read.heads else 0)
        masks = [take_mask(m, b, full, read.rank4) for m in read.masks()]
        alone["mask"] = masks if isinstance(problem["mask"], list) else masks[0]
    return alone


def taken_cache(tensor, b, keep):
    if depth(tensor) == 2:
        return tensor
    return keep(merged_heads(tensor[b]) if depth(tensor) == 4 else tensor[b])


def take_mask(mask, b, full, keep_axis):
    (kind, cells), = mask.items()
    if depth(cells) < full:
        return mask
    cells = cells[b if len(cells) > 1 else 0]
    return {kind: [cells] if keep_axis else cells}


def batch_equals_separate_runs(problem, run, rng):
    read = Problem(problem)
    if not read.batched or any(side.ragged for side in read.sides.values() if not read.rank4):
        return None
    together = run(problem)
    for b in range(read.batch):
        alone = run(take_sequence(problem, b))
        for whole, part in common(together, alone):
            data = part["data"][0] if part["axes"][0] == "batch" else part["data"]
            ours = whole["data"][b] if whole["axes"][0] == "batch" else whole["data"]
            fault = first_difference(f"{whole['id']} of sequence {b} run alone", ours, data)
            if fault:
                return fault
    return None


def ragged_equals_separate_runs(problem, run, rng):
    """A sequence that is padded has the numbers it has by itself."""
    read = Problem(problem)
    if read.rank4 or not read.side("key").ragged or "mask" in problem:
        return None
    together = run(problem)
    lengths = read.lengths()
    for b in range(read.batch):
        alone = take_sequence(problem, b)
        own = {"query": read.side("query").own[b], "key": read.side("key").own[b]}
        alone["lengths"] = min(lengths[b], read.past_length + own["key"])
        kept = kept_keys(read, own["key"])
        for whole, part in common(together, run(alone), LISTED):
            batched = whole["axes"][0] == "batch"
            data, axes = (whole["data"][b], whole["axes"][1:]) if batched else (whole["data"], whole["axes"])
            sizes = dict(zip(axes, whole["shape"][batched:]))
            own["token"] = own["query" if whole["id"].endswith(".query") else "key"]
            for axis in ("query", "token"):
                data = select(data, axes, axis, range(own[axis]))
            data = select(data, axes, "key", kept.get(sizes.get("key"), ()))
            fault = first_difference(f"{whole['id']} of sequence {b} run alone", data, part["data"])
            if fault:
                return fault
    return None


# Queries do not see each other ---------------------------------------------


def permuted_queries_permute_rows(problem, run, rng):
    """Only where queries stand apart from keys and have no position."""
    read = Problem(problem)
    apart = read.direct or read.cross and "inputs" in problem and not read.side("query").ragged
    placed = problem.get("causal") or "window" in problem or position(problem)
    if not apart or read.rank4 or placed or "max_tokens" in problem:
        return None
    count = len(read.side("query").matrices[0])
    order = list(range(count))
    rng.shuffle(order)
    rows = lambda t: [t[i] for i in order] if depth(t) == 2 else [[s[i] for i in order] for s in t]
    moved = dict(problem)
    if read.direct:
        moved["queries"] = rows(problem["queries"])
    else:
        moved["inputs"] = dict(problem["inputs"], query=rows(problem["inputs"]["query"]))
    moved.pop("tokens", None)  # labels alone: they would have to move along
    if "mask" in problem:
        masks = with_masks(problem, lambda cells: permuted_mask(cells, order))
        moved["mask"] = masks if isinstance(problem["mask"], list) else masks[0]
    for before, after in common(run(problem), run(moved)):
        # Split inputs call their rows tokens, whoever they serve.
        axis = "token" if before["id"] == "split_inputs.query" else "query"
        fault = first_difference(f"{before['id']} with queries in the order {order}",
                                 select(before["data"], before["axes"], axis, order), after["data"])
        if fault:
            return fault
    return None


def permuted_mask(cells, order):
    if depth(cells) < 2:
        return cells
    if depth(cells) > 2:
        return [permuted_mask(c, order) for c in cells]
    return [cells[i] for i in order] if len(cells) > 1 else cells


# Powers of two pass through ------------------------------------------------


def scaled_values_scale_context(problem, run, rng):
    """Doubling is exact, so a power of two on the values is one on the context."""
    arithmetic = problem.get("arithmetic", {})
    single = arithmetic.get("dtype") == "f32"
    if "values" not in problem or arithmetic.get("hand_rounding") or arithmetic.get("dtype") in ("bf16", "f16"):
        return None
    power = 2.0 ** rng.choice((-20, -1, 1, 3, 30))
    scaled = dict(problem, values=times(problem["values"], power))
    for name in ("past", "appended", "positions"):
        if isinstance(problem.get(name), dict) and "values" in problem[name]:
            scaled[name] = dict(problem[name], values=times(problem[name]["values"], power))
    before, after = steps_of(run(problem)), steps_of(run(scaled))
    for name in ("attention_weights", "weighted_values", "context"):
        expected = before[name]["data"] if name == "attention_weights" else times(before[name]["data"], power)
        got = after[name]["data"]
        if single:
            expected, got = as_singles(expected), as_singles(got)
        fault = first_difference(f"{name} with values times {power}", expected, got)
        if fault:
            return fault
    return None


def as_singles(nested):
    """Shortest digits of singles are decimals that scaling does not keep."""
    from arithmetic import to_single
    return [as_singles(x) for x in nested] if isinstance(nested, list) else to_single(float(nested))


# Spelling changes no bit ---------------------------------------------------


VECTORS = {"d_model", "d_k", "d_v", "d_concat", "d_out"}


def columns_are_rows_turned(problem, run, rng):
    """Steps that the contract does not list may be turned or not."""
    for rows, columns in common(run(problem), run(as_columns(problem))):
        if rows["id"] not in LISTED:
            shape = rows["shape"]
            exact = columns["data"] == rows["data"] or len(shape) > 1 and columns["data"] == turned(rows["data"])
            fault = None if exact else f"{rows['id']} in columns: expected {rows['data']}, got {columns['data']}"
        else:
            turns = rows["axes"][-1] in VECTORS and rows["id"] != "weighted_values"
            data, axes = (turned(rows["data"]), rows["axes"][:-2] + rows["axes"][:-3:-1]) if turns else (
                rows["data"], rows["axes"])
            fault = first_difference(f"{rows['id']} in columns", [axes, data], [columns["axes"], columns["data"]])
        if fault:
            return fault
    return None


def turned(tensor):
    return [turned(t) for t in tensor] if depth(tensor) > 2 else transposed(tensor)


def layout_changes_nothing(problem, run, rng):
    if "weights" not in problem:
        return None
    return same_trace("with weights stored out_in", run(problem), run(as_out_in(problem)))


# Masked keys are not there -------------------------------------------------


def masked_keys_change_nothing(problem, run, rng):
    """Keys put after all others and closed, whatever stands in them."""
    read = Problem(problem)
    if not read.direct or read.rank4 or "lengths" in problem:
        return None
    before_count, extra = read.past_length + new_keys(read), rng.randint(1, 3)
    strange = lambda width: [[rng.choice((0, 1e30, "nan", "inf", -7)) for _ in range(width)] for _ in range(extra)]
    append = lambda t: t + strange(len(t[0])) if depth(t) == 2 else [append(s) for s in t]
    longer = dict(problem, keys=append(problem["keys"]), values=append(problem.get("values", problem["keys"])))
    masks = with_masks(problem, lambda cells: longer_mask(cells, before_count, extra))
    longer["mask"] = masks + [{"block": [0] * before_count + [1] * extra}]
    kept = kept_keys(Problem(longer), new_keys(read))
    for short, long in common(run(problem), run(longer), LISTED):
        sizes = dict(zip(long["axes"], long["shape"]))
        fault = first_difference(f"{short['id']} with {extra} masked keys appended", short["data"],
                                 select(long["data"], long["axes"], "key", kept.get(sizes.get("key"), ())))
        if fault:
            return fault
    return None


LAWS = [
    batch_equals_separate_runs,
    ragged_equals_separate_runs,
    permuted_queries_permute_rows,
    scaled_values_scale_context,
    columns_are_rows_turned,
    layout_changes_nothing,
    masked_keys_change_nothing,
    *laws_of_positions.LAWS,
    *laws_of_scores.LAWS,
]


def broken(problem, run, seed):
    """The laws that a problem breaks, each with what shows it, and how many spoke of it."""
    rng = random.Random(f"attn laws {seed}")
    faults, held = [], 0
    for law in LAWS:
        runs = []

        def counted(p):
            runs.append(p)
            return run(p)

        fault = law(problem, counted, rng)
        if fault:
            faults.append((law.__name__.replace("_", " "), fault))
        elif runs:
            held += 1
    return faults, held
