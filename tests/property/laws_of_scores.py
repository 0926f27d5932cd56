"""Laws of scores, heads and softmax."""

import math

from law import (FROM_SCORES, FROM_WEIGHTS, in_full_doubles, is_finite, near_steps, position, same_steps, same_trace,
                 steps_of, times)
from nested import depth
from statement import Problem


def as_many_key_heads_is_plain(problem, run, rng):
    read = Problem(problem)
    if not read.heads or "kv_heads" in problem or read.split_input:
        return None
    return same_trace("with kv_heads said", run(problem), run(dict(problem, kv_heads=read.heads)))


def grouped_heads_are_repeated_heads(problem, run, rng):
    """Neighbouring query heads share a key/value head (Ainslie et al. 2023)."""
    read = Problem(problem)
    if not read.direct or read.sharing == 1:
        return None
    many = {key: value for key, value in problem.items() if key != "kv_heads"}
    many["heads"] = read.heads
    repeated = lambda tensor: repeated_heads(tensor, read.kv_heads, read.sharing)
    many.update(keys=repeated(problem["keys"]), values=repeated(problem.get("values", problem["keys"])))
    for name in ("past", "appended"):
        if name in problem:
            many[name] = {part: repeated(tensor) for part, tensor in problem[name].items()}
    return same_steps("with key heads repeated", run(problem), run(many), FROM_SCORES)


def repeated_heads(tensor, heads, times_each):
    if depth(tensor) == 4:
        return [[head for head in sequence for _ in range(times_each)] for sequence in tensor]
    if depth(tensor) == 3:
        return [repeated_heads(t, heads, times_each) for t in tensor]
    width = len(tensor[0]) // heads
    return [sum((row[h * width:(h + 1) * width] * times_each for h in range(heads)), []) for row in tensor]


def concat_of_both_is_additive(problem, run, rng):
    """One matrix under the other multiplies [q; k] as each multiplies its own."""
    score = problem.get("score")
    if not isinstance(score, dict) or score["type"] != "additive" or not in_full_doubles(problem):
        return None
    joined = {"type": "concat", "weight": score["query"] + score["key"], "v": score["v"]}
    return near_steps("as a concat score", run(problem), run(dict(problem, score=joined)), FROM_WEIGHTS)


def identity_is_general(problem, run, rng):
    if problem.get("score") != "dot" or problem.get("arithmetic", {}).get("hand_rounding") or not is_finite(problem):
        return None
    before = run(problem)
    sizes = dict(zip(steps_of(before)["keys"]["axes"], steps_of(before)["keys"]["shape"]))
    width = sizes["d_k"]
    one = [[int(i == j) for j in range(width)] for i in range(width)]
    return same_steps("with a general score of the identity", before,
                      run(dict(problem, score={"type": "general", "weight": one})), FROM_SCORES)


def cosine_knows_no_length(problem, run, rng):
    """A power of two on the queries, or on all keys, changes no cosine."""
    said = problem.get("score")
    cosine = said == "cosine" or isinstance(said, dict) and said["type"] == "cosine"
    if not cosine or not Problem(problem).direct or not in_full_doubles(problem):
        return None
    if position(problem) in ("relative", "deberta") or "values" not in problem:
        return None
    power = 2.0 ** rng.choice((-3, 1, 5))
    longer = dict(problem, queries=times(problem["queries"], power), keys=times(problem["keys"], 1 / power))
    for name in ("past", "appended"):
        if name in problem:
            longer[name] = dict(problem[name], keys=times(problem[name]["keys"], 1 / power))
    return same_steps(f"with queries {power} times as long", run(problem), run(longer), FROM_SCORES)


def a_sink_far_below_takes_nothing(problem, run, rng):
    if problem.get("softmax", "softmax") != "softmax":
        return None
    return same_steps("with a sink far below all scores", run(problem), run(dict(problem, softmax={"sink": -3e4})),
                      FROM_WEIGHTS)


def base_e_is_softmax(problem, run, rng):
    if problem.get("softmax", "softmax") != "softmax" or not in_full_doubles(problem):
        return None
    return near_steps("with base e", run(problem), run(dict(problem, softmax={"base": math.e})), FROM_WEIGHTS)


def a_base_scales_the_scores(problem, run, rng):
    """base^x is e^(x ln base)."""
    softmax = problem.get("softmax")
    linear = ("softcap" in problem or position(problem) in ("alibi", "t5") or "mask" in problem)
    if not isinstance(softmax, dict) or "base" not in softmax or linear or not in_full_doubles(problem):
        return None
    if "scale" not in problem:
        return None
    scaled = dict(problem, softmax="softmax", scale=problem["scale"] * math.log(softmax["base"]))
    return near_steps("with the base in the scale", run(problem), run(scaled), FROM_WEIGHTS)


LAWS = [
    as_many_key_heads_is_plain,
    grouped_heads_are_repeated_heads,
    concat_of_both_is_additive,
    identity_is_general,
    cosine_knows_no_length,
    a_sink_far_below_takes_nothing,
    base_e_is_softmax,
    a_base_scales_the_scores,
]
