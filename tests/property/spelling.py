"""The same problem in another spelling: column vectors, or weights stored as nn.Linear stores them."""


def depth(value):
    return 1 + depth(value[0]) if isinstance(value, list) else 0


def with_matrices_turned(tensor):
    if depth(tensor) > 2:
        return [with_matrices_turned(t) for t in tensor]
    return [list(column) for column in zip(*tensor)]


def turned_if_matrix(tensor):
    return with_matrices_turned(tensor) if depth(tensor) >= 2 else tensor


def with_weights_turned(weights):
    return {name: w if w == "identity" else with_matrices_turned(w) for name, w in weights.items()}


def as_columns(problem):
    """The same problem with tokens as columns and y = W·x."""
    turned = dict(problem, vectors="columns")
    for name in ("queries", "keys", "values"):
        if name in problem:
            turned[name] = turned_if_matrix(problem[name])
    if "inputs" in problem:
        inputs = problem["inputs"]
        turned["inputs"] = all_turned(inputs) if isinstance(inputs, dict) else turned_if_matrix(inputs)
    if "weights" in problem:
        turned["weights"] = with_weights_turned(problem["weights"])
    for name in ("past", "appended", "score", "positions"):
        if isinstance(problem.get(name), dict):
            turned[name] = all_turned(problem[name])
    return turned


def all_turned(tensors):
    return {name: turned_if_matrix(t) for name, t in tensors.items()}


def as_out_in(problem):
    """The same problem with weights stored as y = x·Wᵀ."""
    return dict(problem, weight_layout="out_in", weights=with_weights_turned(problem["weights"]))
