#!/usr/bin/env python3
"""The transformer block a second time, in numpy and f64: encoder and decoder layers around the attention.

It shares nothing with the program but the written contract. `work_out` takes a problem with a block,
its tensors written out as nested lists, and gives every step that the contract names, in the order in
which they are computed. Steps that a trace may have beside those (`repeated_keys`, `rotation_cosines`,
`position_bias`, …) are not made.

    block_reference.py PROBLEM.json      prints the steps

Inside, vectors are rows, weights are y = x·W, and every tensor has a batch axis and, between the
projections and the context, a head axis, also where the trace has none. What the contract leaves open
is marked READING.
"""

import json
import math
import sys
from typing import NamedTuple

import numpy as np

REAL = np.float64  # np.longdouble here shows how much of a difference is rounding
INF = math.inf
WEIGHED_AT_MOST = 100_000  # cells, that weighted_values are recorded

# What holds for every `self` where it is given at the top.
INHERITED = ("heads", "kv_heads", "split", "score", "scale", "softcap", "window", "softmax", "positions")
ADDED_POSITIONS = ("sinusoidal", "learned")
DECODERS = ("decoder", "decoder_only")
BY_ROLE = {"key": ("keys", "key", "d_k"), "query": ("queries", "query", "d_k"), "value": ("values", "key", "d_v")}


class Step(NamedTuple):
    axes: list
    data: np.ndarray
    size: float  # what differences are measured by: the largest number of the step, or of what cancels in it


def work_out(problem):
    """{id: Step} of a problem with a block, in computing order; the last one is the result."""
    return Worker(problem).steps


# Functions

erf = np.vectorize(math.erf, otypes=[REAL])
ACTIVATIONS = {
    "relu": lambda x: np.maximum(x, 0),
    "gelu": lambda x: x * (1 + erf(x / math.sqrt(2))) / 2,
    "gelu_tanh": lambda x: x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + REAL("0.044715") * x ** 3))) / 2,
    "silu": lambda x: x / (1 + np.exp(-x)),
}
GATED = {"swiglu": "silu", "geglu": "gelu"}


def normed(x, kind="layer", eps=1e-5, gain=None, bias=None):
    """[(name, array), …] of one norm over the last axis; the last is the norm itself."""
    if kind == "rms":
        steps = [("mean_square", (x * x).mean(-1))]
        normalized = x / np.sqrt(steps[0][1] + eps)[..., None]
    else:
        apart = x - x.mean(-1, keepdims=True)
        steps = [("mean", x.mean(-1)), ("variance", (apart * apart).mean(-1))]
        normalized = apart / np.sqrt(steps[1][1] + eps)[..., None]
    if gain is None and bias is None:
        return [*steps, ("", normalized)]
    # READING: a bias is added where it is given, to rms too.
    return [*steps, ("normalized", normalized),
            ("", normalized * (1 if gain is None else gain) + (0 if bias is None else bias))]


def softmaxed(x):
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def sinusoidal(count, width, base):
    at, column = np.arange(count)[:, None], np.arange(width)[None, :]
    angles = at / REAL(base) ** ((column - column % 2) / REAL(width))
    return np.where(column % 2, np.cos(angles), np.sin(angles))


def rotated(x, dims, base, interleaved):
    """The first `dims` numbers of each vector, turned in pairs by its position."""
    half = dims // 2
    pair = np.arange(half)
    first, second = (2 * pair, 2 * pair + 1) if interleaved else (pair, pair + half)
    angles = np.arange(x.shape[-2])[:, None] / REAL(base) ** (2 * pair / REAL(dims))
    turned = x.copy()
    turned[..., first] = x[..., first] * np.cos(angles) - x[..., second] * np.sin(angles)
    turned[..., second] = x[..., first] * np.sin(angles) + x[..., second] * np.cos(angles)
    return turned


def slopes(heads):
    """Press et al. 2022: a geometric series; between powers of two, every other one of twice as many."""
    powers = lambda n: [2.0 ** (-8.0 * h / n) for h in range(1, n + 1)]
    below = 1 << (heads.bit_length() - 1)
    return np.array((powers(below) + powers(2 * below)[::2])[:heads], dtype=REAL)


def split(x, heads):
    """[B][N][heads·d] as [B][heads][N][d]: every head has consecutive columns."""
    return x.reshape(*x.shape[:2], heads, -1).swapaxes(1, 2)


def numbers(nested):
    """Nested lists, "-inf" and booleans among them."""
    flat = lambda part: [flat(one) for one in part] if isinstance(part, list) else REAL(part)
    return np.array(flat(nested), dtype=REAL)


def depth(nested):
    return 1 + depth(nested[0]) if isinstance(nested, list) else 0


def named(choice, default):
    """A choice that may be a bare name or an object with a type."""
    return {"type": default} if choice is None else {"type": choice} if isinstance(choice, str) else choice


class Masking(NamedTuple):
    """What opens and closes the cells of one attention, and what is added to them."""
    masks: list
    causal: bool
    lengths: list  # one a sequence, or None
    offsets: list


class Worker:
    """Walks a problem from its inputs to its probabilities and records every step."""

    def __init__(self, problem, prefix="", steps=None):
        self.problem, self.block, self.prefix = problem, problem["block"], prefix
        self.steps = {} if steps is None else steps
        self.columns = problem.get("vectors", "rows") == "columns"
        self.out_in = problem.get("weight_layout", "in_out") == "out_in"
        self.kind = self.block.get("kind", "encoder")
        memory = self.block.get("memory")
        if isinstance(memory, dict):
            self.memory = Worker(memory, prefix + "encoder.", self.steps).result
        elif memory is not None:
            self.memory = self.given(memory).reshape(-1, *self.given(memory).shape[-2:])
        self.result = self.whole()

    # Reading and recording

    def given(self, nested):
        """A tensor of the problem, with vectors as rows."""
        array = numbers(nested)
        return array.swapaxes(-1, -2) if self.columns and array.ndim > 1 else array

    def weight(self, nested):
        """A matrix that multiplies, as y = x·W."""
        return self.given(nested).swapaxes(-1, -2) if self.out_in else self.given(nested)

    def affine(self, x, weight, bias):
        return x @ self.weight(weight) + (0 if bias is None else numbers(bias))

    def record(self, name, axes, data, headed=None, alone=False, size=None):
        """`headed`: whether the trace shows the head axis that `data` has (None: it has none)."""
        shown, axes = data, list(axes)
        if headed is False:
            shown = shown[:, 0]
        elif headed:
            axes = ["head", *axes]
        exchanged = self.columns and len(axes) - bool(headed) > 1 and not {"query", "key"} <= set(axes)
        if not alone and self.batched:
            axes = ["batch", *axes]
        elif not alone:
            shown = shown[0]
        if exchanged:
            axes[-2:], shown = axes[:-3:-1], shown.swapaxes(-1, -2)
        finite = np.abs(shown[np.isfinite(shown)])
        self.steps[self.prefix + name] = Step(axes, shown, float(finite.max(initial=0)) if size is None else size)
        return data

    # The whole

    def whole(self):
        x = self.inputs()
        x = self.norm("embedding_norm", self.block.get("embedding_norm"), x)
        layers = [layer for layer in self.block["layers"] for _ in range(layer.get("repeat", 1))]
        for number, layer in enumerate(layers, 1):
            x = self.layer(f"layer{number}.", layer, x)
        x = self.norm("final_norm", self.block.get("final_norm"), x)
        return self.probabilities(x) if "unembedding" in self.block else x

    def inputs(self):
        """Cut, padded to one length, and with the positions that are added."""
        p = self.problem
        if "embeddings" in p:
            told = p["tokens"] if isinstance(p["tokens"][0], list) else [p["tokens"]]
            self.batched = told is p["tokens"]
            sequences = [numbers([p["embeddings"][token] for token in tokens]) for tokens in told]
        else:
            self.batched = depth(p["inputs"]) == 3
            sequences = [self.given(one) for one in (p["inputs"] if self.batched else [p["inputs"]])]
        sequences = [one[:p.get("max_tokens")] for one in sequences]
        own = [len(one) for one in sequences]
        lengths = p.get("lengths")
        if lengths is not None or len(set(own)) > 1:
            told = own if lengths is None else lengths if isinstance(lengths, list) else [lengths]
            lengths = [min(pair) for pair in zip(told, own)]
        offsets = p.get("offset", 0)
        masks = p.get("mask", [])
        self.masking = Masking(masks if isinstance(masks, list) else [masks], p.get("causal", self.kind in DECODERS),
                               lengths, offsets if isinstance(offsets, list) else [offsets] * len(own))
        x = np.zeros((len(own), max(own), sequences[0].shape[1]), dtype=REAL)
        for row, one in zip(x, sequences):
            row[:len(one)] = one
        self.record("inputs", ["token", "d_model"], x)
        positions = named(p.get("positions"), None)
        if positions["type"] not in ADDED_POSITIONS:
            return x
        table = self.given(positions["table"])[:x.shape[1]] if positions["type"] == "learned" else \
            sinusoidal(*x.shape[1:], positions.get("base", 10000))
        self.record("position_encoding", ["token", "d_model"], table, alone=True)
        return self.record("positioned_inputs", ["token", "d_model"], x + table)

    def probabilities(self, x):
        """READING: the softmax here is the plain one, whatever `softmax` the attention has."""
        tied = self.block["unembedding"] == "tied"
        matrix = numbers(list(self.problem["embeddings"].values())).T if tied else \
            self.weight(self.block["unembedding"])
        logits = x @ matrix + numbers(self.block.get("unembedding_bias", 0))
        self.record("logits", ["token", "vocabulary"], logits)
        return self.record("probabilities", ["token", "vocabulary"], softmaxed(logits))

    # A layer

    def layer(self, at, layer, x):
        """A norm belongs to the sublayer of its number, whether the others are given or not."""
        sublayers = {"self": self.self_attention, "cross": self.cross_attention, "ffn": self.feed_forward}
        pre = self.block.get("norm", "post") == "pre"
        for number, name in enumerate([name for name in sublayers if name in layer], 1):
            norm = lambda v: self.norm(f"{at}norm{number}", layer.get(f"norm{number}"), v)
            made = sublayers[name](f"{at}{name}.", layer[name], norm(x) if pre else x)
            x = self.record(f"{at}residual{number}", ["token", "d_model"], x + made)
            x = x if pre else norm(x)
        return x

    def norm(self, name, given, x):
        if given is None:
            return x
        parameters = {key: numbers(given[key]) for key in ("gain", "bias") if key in given}
        steps = normed(x, self.block.get("norm_type", "layer"), self.block.get("eps", 1e-5), **parameters)
        for part, data in steps:
            axes = ["token"] if part.startswith(("mean", "variance")) else ["token", "d_model"]
            # What was normed before has a mean of nothing but rounding.
            size = float(np.abs(x).max()) if part == "mean" else None
            self.record(f"{name}.{part}" if part else name, axes, data, size=size)
        return steps[-1][1]

    def feed_forward(self, at, ffn, x):
        activation = self.block.get("activation", "relu")
        axes = ["token", "d_hidden"]
        hidden = self.record(at + "hidden", axes, self.affine(x, ffn["in"], ffn.get("in_bias")))
        if activation in GATED:
            gate = self.record(at + "gate", axes, self.affine(x, ffn["gate"], ffn.get("gate_bias")))
            active = ACTIVATIONS[GATED[activation]](gate) * hidden
        else:
            active = ACTIVATIONS[activation](hidden)
        self.record(at + "activation", axes, active)
        return self.record(at + "output", ["token", "d_model"], self.affine(active, ffn["out"], ffn.get("out_bias")))

    def self_attention(self, at, given, x):
        top = {key: self.problem[key] for key in INHERITED if key in self.problem}
        if named(top.get("positions"), None)["type"] in ADDED_POSITIONS:
            del top["positions"]
        return Attention(self, at, {**top, **given}, x, x, self.masking).result

    def cross_attention(self, at, given, x):
        """Nothing of the top holds here but how matrices are stored."""
        masks, lengths = self.block.get("memory_mask", []), self.block.get("memory_lengths")
        masking = Masking(masks if isinstance(masks, list) else [masks], False,
                          lengths if lengths is None or isinstance(lengths, list) else [lengths], [0] * len(x))
        return Attention(self, at, given, x, self.memory, masking).result


class Attention:
    """One attention within a layer: from what queries and keys are made of to its output."""

    def __init__(self, worker, at, options, x, memory, masking):
        self.worker, self.at, self.options, self.masking = worker, at, options, masking
        self.x, self.memory = x, memory
        self.weights, self.biases = options.get("weights", {}), options.get("biases", {})
        alone = {role: len(w) for role, w in self.weights.items() if role != "output" and depth(w) == 3}
        self.headed = "heads" in options or bool(alone)
        self.heads = options.get("heads", alone.get("query", 1))
        self.kv_heads = options.get("kv_heads", alone.get("key", self.heads))
        self.positions = named(options.get("positions"), None)
        self.result = self.attend()

    def record(self, name, axes, data):
        return self.worker.record(self.at + name, axes, data, headed=self.headed)

    def attend(self):
        queries, keys, values = self.projections()
        if self.positions["type"] == "rope":
            turn = lambda v: rotated(v, self.positions.get("dims", v.shape[-1]), self.positions.get("base", 10000),
                                     self.positions.get("interleaved", False))
            keys = self.record("rotated_keys", ["key", "d_k"], turn(keys))
            queries = self.record("rotated_queries", ["query", "d_k"], turn(queries))
        scores = self.masked(self.limited(self.scores(queries, keys), keys.shape[-1]))
        context = self.context(self.softmax(scores), self.shared(values))
        if not self.headed:
            joined = context[:, 0]
        else:
            joined = context.swapaxes(1, 2).reshape(len(context), context.shape[2], -1)
            self.worker.record(self.at + "concat", ["query", "d_concat"], joined)
        if "output" not in self.weights:
            return joined
        return self.worker.record(self.at + "output", ["query", "d_out"], self.worker.affine(
            joined, self.weights["output"], self.biases.get("output")))

    def shared(self, of_keys):
        """Of each query head the key head that it reads."""
        return np.repeat(of_keys, self.heads // self.kv_heads, axis=1)

    # Queries, keys, values

    def projections(self):
        """Wide products come before all three; keys before queries, as the trace has them."""
        sources = {"key": self.memory, "query": self.x, "value": self.memory}
        if self.options.get("split") == "input":
            sources = self.split_sources()
            made = {role: self.worker.affine(source, self.weights[role], self.biases.get(role))
                    if self.weights.get(role, "identity") != "identity" else source for role, source in sources.items()}
        else:
            wide = {role: self.wide(role, sources[role]) for role in BY_ROLE}
            made = {role: split(wide[role], self.heads if role == "query" else self.kv_heads)
                    if wide[role] is not None else self.one_a_head(role, sources[role]) for role in BY_ROLE}
        for role, (name, rows, width) in BY_ROLE.items():
            self.record(name, [rows, width], made[role])
        return made["query"], made["key"], made["value"]

    def split_sources(self):
        """READING: cross-attention splits the two things it reads, as §3 has it of cross-attention."""
        own = self.x is self.memory
        parts = {role: split(source, self.heads) for role, source in (("query", self.x), ("key", self.memory))}
        for role in ("query",) if own else ("query", "key"):
            self.record("split_inputs" if own else f"split_inputs.{role}", ["token", "d_k"], parts[role])
        return {"key": parts["key"], "query": parts["query"], "value": parts["key"]}

    def wide(self, role, source):
        """All heads side by side; None where every head has a matrix of its own."""
        weight = self.weights.get(role, "identity")
        if weight == "identity":
            return source
        if depth(weight) == 3:
            return None
        product = self.worker.affine(source, weight, self.biases.get(role))
        if self.headed:
            name, rows, _ = BY_ROLE[role]
            self.worker.record(f"{self.at}projected_{name}", [rows, "d_concat"], product)
        return product

    def one_a_head(self, role, source):
        weight = self.worker.weight(self.weights[role])
        product = source[:, None] @ weight
        if role in self.biases:
            product = product + numbers(self.biases[role]).reshape(len(weight), 1, -1)
        return product

    # Scores

    def scores(self, queries, keys):
        score = named(self.options.get("score"), "scaled_dot")
        kind, axes, given = score["type"], ["query", "key"], self.worker.given
        if kind == "cosine":
            norms = [self.record(name, axes, np.sqrt((v * v).sum(-1))) for name, axes, v in (
                ("query_norms", ["query"], queries), ("key_norms", ["key"], keys))]
            sizes = norms[0][..., :, None] * self.shared(norms[1])[..., None, :]
        keys = self.shared(keys)
        dots = lambda a, b: a @ b.swapaxes(-1, -2)
        if kind in ("additive", "concat"):
            parts = (given(score["query"]), given(score["key"])) if kind == "additive" else \
                np.split(given(score["weight"]), [queries.shape[-1]])
            hidden = (queries @ parts[0])[..., :, None, :] + (keys @ parts[1])[..., None, :, :]
            self.record("score_hidden", [*axes, "d_hidden"], hidden)
            made = self.record("score_tanh", [*axes, "d_hidden"], np.tanh(hidden)) @ numbers(score["v"])
        elif kind == "general":
            made = dots(queries @ given(score["weight"]), keys)
        elif kind == "cosine":
            made = np.where(sizes == 0, 0, dots(queries, keys) / np.where(sizes == 0, 1, sizes))
        else:
            made = dots(queries, keys)
        if "keys" in self.positions:
            rows = self.relative_rows(given(self.positions["keys"]), made)
            made = made + self.record("relative_scores", axes, np.einsum("bhid,ijd->bhij", queries, rows))
        return self.record("scores", axes, made)

    @staticmethod
    def relative_rows(table, scores):
        """[query][key][d]: the row of the table that the distance j − i has."""
        count, others = scores.shape[-2:]
        reach = len(table) // 2
        return table[np.clip(np.arange(others) - np.arange(count)[:, None], -reach, reach) + reach]

    def limited(self, scores, d_k):
        scaled = named(self.options.get("score"), "scaled_dot")["type"] == "scaled_dot"
        if "scale" in self.options:
            scores = self.record("scaled_scores", ["query", "key"], scores * REAL(self.options["scale"]))
        elif scaled:
            scores = self.record("scaled_scores", ["query", "key"], scores / np.sqrt(REAL(d_k)))
        if "softcap" in self.options:
            cap = REAL(self.options["softcap"])
            scores = self.record("capped_scores", ["query", "key"], cap * np.tanh(scores / cap))
        return scores

    def masked(self, scores):
        """Biases of positions, then what is added, then closed; `open` is kept for all that follows."""
        masking, axes = self.masking, ["query", "key"]
        window = self.options.get("window")
        self.open, bias = self.opened(scores, window), self.bias(scores)
        masked = masking.masks or masking.causal or window is not None or masking.lengths is not None
        if masked:
            self.record("mask", axes, self.open.astype(REAL))
        if bias is not None:
            scores = scores + self.record("score_bias", axes, bias)
        if masked or bias is not None:
            self.record("masked_scores", axes, np.where(self.open, scores, -INF))
        return scores

    def distances(self, scores):
        """[B][1][query][key]: j − (i + offset)."""
        count, others = scores.shape[-2:]
        at = np.arange(count)[:, None] + np.array(self.masking.offsets)[:, None, None, None]
        return np.arange(others) - at

    def opened(self, scores, window):
        distances = self.distances(scores)
        is_open = np.ones(scores.shape, dtype=bool)
        for mask in self.masking.masks:
            for word, cells in mask.items():
                cells = self.spread(cells, scores)
                is_open &= {"allow": cells != 0, "block": cells == 0, "add": cells != -INF}[word]
        if self.masking.causal:
            is_open &= distances <= 0
        left, right = window or (-1, -1)
        is_open &= ((left < 0) | (distances >= -left)) & ((right < 0) | (distances <= right))
        if self.masking.lengths is not None:
            is_open &= np.arange(scores.shape[-1]) < np.array(self.masking.lengths)[:, None, None, None]
        return is_open

    def bias(self, scores):
        """None where nothing is added. -inf wins; a cell closed by anything else keeps its number."""
        terms = [self.spread(mask["add"], scores) for mask in self.masking.masks if "add" in mask]
        if self.positions["type"] == "alibi":
            terms.insert(0, -slopes(self.heads)[:, None, None] * np.abs(self.distances(scores)))
        return np.broadcast_to(sum(terms), scores.shape) if terms else None

    def spread(self, mask, scores):
        """Broadcast, aligned right, to the shape that the trace shows, and from there to ours."""
        shape = (scores.shape[:1] if self.worker.batched else ()) + (scores.shape[1:2] if self.headed else ())
        return np.broadcast_to(numbers(mask), shape + scores.shape[2:]).reshape(scores.shape)

    # Weights, and what they weigh

    def softmax(self, scores):
        kind, axes = self.options.get("softmax", "softmax"), ["query", "key"]
        if kind == "linear":
            scores = np.where(self.open, scores, 0)
            totals = np.where(self.open.any(-1), scores.sum(-1), 1)
            return self.record("attention_weights", axes, scores / totals[..., None])
        kind = kind if isinstance(kind, dict) else {}
        closed = np.where(self.open, scores, -INF)
        sinks = np.broadcast_to(numbers(kind.get("sink", "-inf")), self.heads)[:, None]
        largest = self.record("row_maximum", ["query"], np.maximum(closed.max(-1), sinks))
        level = np.where(np.isfinite(largest), largest, 0)  # a row without an open cell has no maximum
        power = lambda v: np.exp(v) if "base" not in kind else REAL(kind["base"]) ** v
        powers = self.record("exponentials", axes, power(closed - level[..., None]))
        totals = self.record("exponential_sums", ["query"], powers.sum(-1) + power(sinks - level))
        return self.record("attention_weights", axes, powers / np.where(totals == 0, 1, totals)[..., None])

    def context(self, weights, values):
        weighted = weights[..., None] * np.where(self.open[..., None], values[..., None, :, :], 0)
        if weighted.size <= WEIGHED_AT_MOST:
            self.record("weighted_values", ["query", "key", "d_v"], weighted)
        context = weighted.sum(-2)
        if "values" in self.positions:
            rows = self.relative_rows(self.worker.given(self.positions["values"]), weights)
            context = context + self.record("relative_context", ["query", "d_v"],
                                            np.einsum("bhij,ijd->bhid", weights, rows))
        return self.record("context", ["query", "d_v"], context)


def main():
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    with open(sys.argv[1], encoding="utf-8") as file:
        for name, step in work_out(json.load(file)).items():
            print(name, step.axes, list(step.data.shape))
            print(step.data)
    return 0


if __name__ == "__main__":
    sys.exit(main())
