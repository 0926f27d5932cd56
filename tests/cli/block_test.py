"""The transformer block: layers around the attention, as the program works them out.

Random blocks of every kind are compared, step by step, with an independent reference in numpy
(block_reference.py), and with the layers of torch where torch is installed. What must hold whatever
the numbers are is tested by running two problems; what a person would get wrong in a file is
refused, and the place of it named.

    block_test.py --show 17      prints the 17th of the random problems
"""

import copy
import csv
import functools
import io
import json
import math
import os
import random
import subprocess
import sys
import unittest
import xml.etree.ElementTree as ElementTree

try:
    import numpy as np
except ImportError:
    print("numpy is not installed")
    sys.exit(77)

try:
    import torch
except ImportError:
    torch = None

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "property"))

import block_reference as reference  # noqa: E402
from slow import share  # noqa: E402

ATTN = os.path.abspath(os.environ["ATTN"])
DRAWN = 240
SHOWN = 4
CLOSE = 1e-12  # of the largest number of a step
EXTREME = 20.0  # shares of a sum that cancels are beyond this, and two programs need not agree on them


def attn(*words, text=None):
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
    return subprocess.run([ATTN, *words], input=text, capture_output=True, encoding="utf-8", env=environment,
                          timeout=60)


def traced(problem):
    """The trace of a problem that is right."""
    done = attn("run", "-", "--format", "json", text=json.dumps(problem))
    if done.returncode or done.stderr:
        raise AssertionError(f"exit code {done.returncode}: {done.stderr[:2000]}\n{json.dumps(problem)}")
    return json.loads(done.stdout)


def steps_of(problem):
    """{id: (axes, data)} in the order of the trace."""
    return {step["id"]: (step["axes"], step["data"]) for step in traced(problem)["steps"]}


def result_of(problem):
    trace = traced(problem)
    found, = [step for step in trace["steps"] if step["id"] == trace["result"]]
    return np.array(found["data"], dtype=float)


def distance(a, b):
    """How far two arrays are apart, of the largest number in them."""
    return np.abs(a - b).max() / np.abs(b).max()


def differences(expected, trace):
    """What a trace has otherwise than the reference; of wrong steps the first, since others follow from it."""
    shown = {step["id"]: step for step in trace["steps"]}
    found = [f"{name} stands there {times} times" for name in shown
             if (times := sum(step["id"] == name for step in trace["steps"])) > 1]
    found += [f"there is no {name}" for name in expected if name not in shown]
    found += [f"{name} is a copy" for name in shown if name.endswith(".self.inputs")]
    if found:
        return found
    order = [name for name in shown if name in expected]
    if order != list(expected):
        found.append(f"the order is {order} in place of {list(expected)}")
    last = trace["steps"][-1]["id"]
    if not trace["result"] == last == list(expected)[-1]:
        found.append(f"the result is {trace['result']}, the last step {last}, and {list(expected)[-1]} was expected")
    for name, step in expected.items():
        data = np.array(shown[name]["data"], dtype=float)
        for what, ours, its in (("axes", step.axes, shown[name]["axes"]),
                                ("shape", list(step.data.shape), shown[name]["shape"]),
                                ("shape of the data", step.data.shape, data.shape)):
            if ours != its:
                return [*found, f"{name} has the {what} {its} in place of {ours}"]
        with np.errstate(invalid="ignore"):
            wrong = ~((data == step.data) | (np.abs(data - step.data) <= CLOSE * step.size))
        if wrong.any():
            at = tuple(int(index) for index in np.argwhere(wrong)[0])
            return [*found, f"{name}{[index + 1 for index in at]} is {data[at]} in place of {step.data[at]}, "
                            f"and {wrong.sum()} of {wrong.size} numbers differ"]
    return found


# --- random problems -------------------------------------------------------


class Draw:
    """One random problem with a block, vectors as rows and y = x·W; `fixed` is not left to chance."""

    WORDS = ("the", "cat", "sat", "on", "a", "mat", "…")

    def __init__(self, seed, **fixed):
        self.rng, self.fixed = random.Random(seed), fixed
        self.batch = self.pick("batch", None, None, 1, 2, 3)
        self.tokens = self.pick("tokens", 1, 2, 3, 3, 4, 5)
        self.width = self.pick("width", 2, 3, 4, 4, 6, 8)
        self.kind = self.pick("kind", "encoder", "decoder", "decoder_only")
        self.problem = self.draw()

    # Small decisions

    def pick(self, what, *choices):
        return self.fixed.get(what, self.rng.choice(choices))

    def chance(self, probability, what=None):
        return self.fixed.get(what, self.rng.random() < probability)

    def number(self, size=1.0):
        return round(self.rng.gauss(0, size), 3)

    def tensor(self, *shape, size=1.0):
        return [self.tensor(*shape[1:], size=size) for _ in range(shape[0])] if shape else self.number(size)

    def matrix(self, rows, columns):
        return self.tensor(rows, columns, size=1.5 / math.sqrt(rows))

    def many(self, make):
        """One of them, or one a sequence."""
        return make() if self.batch is None else [make() for _ in range(self.batch)]

    # The whole

    def draw(self):
        problem = self.inputs()
        top = self.sizes()
        top.update(self.options(top.get("heads"), added=self.fixed.get("added", True)))
        block = {"layers": [self.layer(top) for _ in range(self.pick("layers", 1, 1, 2, 2, 3))]}
        if self.kind == "decoder":
            block = {**self.memory(), **block}
            for layer in block["layers"]:
                layer["cross"] = self.cross()
                self.norms(layer)
        for key, usual, choice in (("kind", "encoder", self.kind), ("norm", "post", self.pick("norm", "post", "pre")),
                                   ("norm_type", "layer", self.norm_type), ("activation", "relu", self.activation)):
            if choice != usual or self.chance(0.5):
                block[key] = choice
        if self.chance(0.4):
            block["eps"] = self.rng.choice((1e-5, 1e-6, 1e-3, 0.25))
        self.ends(problem, block)
        for layer in block["layers"]:
            self.shuffle(layer)
        problem.update(top, block=self.shuffle(block))
        self.masks(problem)
        return self.shuffle(problem)

    def shuffle(self, members):
        """In another order of keys: none means anything."""
        for key in self.rng.sample(sorted(members), len(members)):
            members[key] = members.pop(key)
        return members

    def inputs(self):
        self.norm_type = self.pick("norm_type", "layer", "layer", "rms")
        self.activation = self.pick("activation", "relu", "gelu", "gelu_tanh", "silu", "swiglu", "geglu")
        ragged = self.batch is not None and self.chance(0.25, "ragged")
        self.own = [self.rng.randint(1, self.tokens) if ragged else self.tokens for _ in range(self.batch or 1)]
        self.tokens = max(self.own)
        self.ragged = len(set(self.own)) > 1
        if self.chance(0.3, "words"):
            said = [[self.rng.choice(self.WORDS) for _ in range(count)] for count in self.own]
            return {"tokens": said[0] if self.batch is None else said,
                    "embeddings": {word: self.tensor(self.width) for word in self.WORDS}}
        rows = [self.tensor(count, self.width) for count in self.own]
        return {"inputs": rows[0] if self.batch is None else rows}

    def ends(self, problem, block):
        for key, probability in (("embedding_norm", 0.3), ("final_norm", 0.4)):
            if self.chance(probability, key):
                block[key] = self.a_norm()
        if self.chance(0.4, "unembedding"):
            tied = "embeddings" in problem and self.chance(0.6)
            words = len(self.WORDS) if tied else self.rng.randint(2, 5)
            block["unembedding"] = "tied" if tied else self.matrix(self.width, words)
            if self.chance(0.5):
                block["unembedding_bias"] = self.tensor(words)
            if not tied and self.chance(0.5):
                block["vocabulary"] = [f"word {n}" for n in range(words)]

    # Layers

    def layer(self, top):
        layer = {"self": self.attention(self.width, self.width, top)}
        if self.chance(0.85, "ffn"):
            layer["ffn"] = self.feed_forward()
        if self.chance(0.2, "repeat"):
            layer["repeat"] = self.rng.choice((1, 2, 3))
        self.norms(layer)
        return layer

    def norms(self, layer):
        for number in range(1, 1 + len({"self", "cross", "ffn"} & set(layer))):
            if self.chance(0.85):
                layer[f"norm{number}"] = self.a_norm()

    def a_norm(self):
        parts = ("gain", "bias") if self.norm_type == "layer" else ("gain",)
        return {part: self.tensor(self.width) for part in parts if self.chance(0.75)}

    def feed_forward(self):
        hidden = self.rng.randint(1, 6)
        gated = self.activation in ("swiglu", "geglu")
        ffn = {"in": self.matrix(self.width, hidden), "out": self.matrix(hidden, self.width)}
        if gated:
            ffn["gate"] = self.matrix(self.width, hidden)
        biases = (("in_bias", hidden), ("out_bias", self.width)) + ((("gate_bias", hidden),) if gated else ())
        ffn.update((key, self.tensor(width)) for key, width in biases if self.chance(0.6))
        return ffn

    # Attentions

    def sizes(self, read=None):
        """Heads for every `self`, or one `cross`, and how wide one is; `read`: how wide the memory is."""
        heads = self.pick("heads", None, 1, 2, 2, 3, 4)
        fits = self.width % (heads or 1) == 0 and self.chance(0.6)
        self.d_k, self.d_v = [self.width // (heads or 1)] * 2 if fits else [self.rng.randint(1, 4) for _ in range(2)]
        top = {} if heads is None else {"heads": heads}
        if fits and heads and read in (None, self.width) and self.chance(0.15, "split"):
            top["split"] = "input"
        elif heads and self.chance(0.3):
            top["kv_heads"] = self.divisor(heads)
        return top

    def divisor(self, heads):
        return self.rng.choice([n for n in range(1, heads + 1) if heads % n == 0])

    def options(self, heads, added=False, often=1.0):
        """What changes scores and weights; `added`: positions that are added to inputs, too."""
        made = {}
        for key, probability, make in (("score", 0.35, self.score), ("scale", 0.2, lambda: self.number()),
                                       ("softcap", 0.2, lambda: self.rng.choice((0.5, 1.5, 3))),
                                       ("window", 0.2, lambda: [self.rng.randint(-1, 2), self.rng.randint(-1, 2)]),
                                       ("softmax", 0.25, lambda: self.softmax(heads)),
                                       ("positions", 0.6, lambda: self.positions(added))):
            if self.chance(probability * often, key):
                made[key] = make()
        return {key: choice for key, choice in made.items() if choice is not None}

    def score(self):
        kind = self.rng.choice(("dot", "scaled_dot", "cosine", "general", "additive", "concat"))
        hidden, d = self.rng.randint(1, 3), self.d_k
        if kind == "general":
            return {"type": kind, "weight": self.matrix(d, d)}
        if kind == "additive":
            matrices = {role: self.matrix(d, hidden) for role in ("query", "key")}
            return {"type": kind, **matrices, "v": self.tensor(hidden)}
        if kind == "concat":
            return {"type": kind, "weight": self.matrix(2 * d, hidden), "v": self.tensor(hidden)}
        return kind

    def softmax(self, heads):
        return self.rng.choice(("softmax", "linear", {"base": self.rng.choice((2, 3, 10))}, {"sink": self.number()},
                                {"sink": self.tensor(heads) if heads else self.number()}))

    def positions(self, added):
        kinds = ["rope", "rope", "alibi", "relative"] + ["sinusoidal", "sinusoidal", "learned"] * added
        kind = self.rng.choice(kinds)
        if kind == "rope":
            even = self.d_k - self.d_k % 2
            if not even:
                return None
            said = {"type": kind, "base": self.rng.choice((100, 10000)), "interleaved": self.chance(0.5), "dims": even}
            for key in self.rng.sample(["base", "interleaved"] + ["dims"] * (even == self.d_k), 1):
                del said[key]
            return kind if even == self.d_k and self.chance(0.4) else said
        if kind == "relative":
            rows = 2 * self.rng.randint(0, 2) + 1
            both = {"keys": self.tensor(rows, self.d_k), "values": self.tensor(rows, self.d_v)}
            if self.chance(0.4):
                del both[self.rng.choice(("keys", "values"))]
            return {"type": kind, **both}
        if kind == "learned":
            return {"type": kind, "table": self.tensor(self.tokens + self.rng.randint(0, 2), self.width)}
        return self.rng.choice((kind, {"type": kind}, {"type": kind, "base": 100} if kind == "sinusoidal" else kind))

    def attention(self, width, memory_width, top):
        """The keys of one `self`, or of one `cross` where nothing holds from the top."""
        own = self.options(top.get("heads"), often=0.15) if top else {}
        if "split" not in top and self.chance(0.15, "own heads"):
            # With kv_heads at the top the two go together.
            own["heads"] = self.rng.choice((1, 2, 3))
            own["kv_heads"] = self.divisor(own["heads"])
        options = {**top, **own}
        heads = options.get("heads")
        if isinstance(options.get("softmax"), dict) and isinstance(options["softmax"].get("sink"), list):
            if heads != len(options["softmax"]["sink"]):
                own["softmax"] = {"sink": self.number()}
        styles = ["wide", "wide", "one a head"]
        whole = self.d_k * (heads or 1) == self.d_v * (heads or 1) == width == memory_width
        if whole and options.get("kv_heads", heads) == heads:
            styles += ["none", "identity"]
        style = "split" if options.get("split") else self.pick("style", *styles)
        own.update(self.weights(style, options, width, memory_width, own))
        return own

    def weights(self, style, options, width, memory_width, own):
        heads, kv_heads = options.get("heads"), options.get("kv_heads", options.get("heads"))
        if style == "one a head" and heads is None:
            heads = self.rng.choice((1, 2, 3))
            kv_heads = self.divisor(heads)
            if kv_heads != heads:
                own["kv_heads"] = kv_heads
        heads, kv_heads = heads or 1, kv_heads or 1
        plan = {"query": (width, heads, self.d_k), "key": (memory_width, kv_heads, self.d_k),
                "value": (memory_width, kv_heads, self.d_v)}
        weights, biases = {}, {}
        for role, (rows, count, d) in plan.items():
            if style == "none":
                break
            if style in ("identity", "split") and self.chance(0.3):
                weights[role] = "identity"
                continue
            weights[role] = self.matrix(self.d_k, self.d_k) if style == "split" else self.matrix(rows, count * d) \
                if style != "one a head" else [self.matrix(rows, d) for _ in range(count)]
            if self.chance(0.5):
                biases[role] = self.tensor(self.d_k if style == "split" else count * d)
        if heads * self.d_v != self.width or self.chance(0.7, "output"):
            weights["output"] = self.matrix(heads * self.d_v, self.width)
            if self.chance(0.5):
                biases["output"] = self.tensor(self.width)
        return {key: given for key, given in (("weights", weights), ("biases", biases)) if given or self.chance(0.2)}

    # What a decoder reads

    def memory(self):
        """A matrix or a batch, or an encoder; and what is masked of it."""
        made = {}
        if self.chance(0.5, "memory problem"):
            alike = {key: self.fixed[key] for key in ("masks", "mask of each sequence") if key in self.fixed}
            inner = Draw(self.rng.random(), kind="encoder", batch=self.batch, words=False, unembedding=False,
                         ragged=False, **alike)
            made["memory"] = inner.problem
            self.memory_tokens, self.memory_width = min(inner.tokens, inner.problem.get("max_tokens", 9)), inner.width
            if "lengths" in inner.problem:  # are not handed on
                cut = lambda length: min(length, self.memory_tokens)
                own = inner.problem["lengths"]
                made["memory_lengths"] = [cut(length) for length in own] if isinstance(own, list) else cut(own)
        else:
            self.memory_tokens = self.rng.randint(1, 5)
            self.memory_width = self.rng.choice((self.width, self.rng.randint(1, 6)))
            made["memory"] = self.many(lambda: self.tensor(self.memory_tokens, self.memory_width))
            if self.chance(0.35, "masks"):
                made["memory_lengths"] = self.many(lambda: self.rng.randint(1, self.memory_tokens))
        if self.chance(0.35, "masks"):
            made["memory_mask"] = self.mask((self.tokens, self.memory_tokens))
        return made

    def cross(self):
        """With sizes of its own: nothing that stands at the top holds here."""
        before = self.d_k, self.d_v
        own = self.sizes(self.memory_width)
        own.update(self.options(own.get("heads"), often=0.6))
        made = self.attention(self.width, self.memory_width, own)
        self.d_k, self.d_v = before
        return {**own, **made}

    # Masks

    def masks(self, problem):
        if self.kind == "encoder":
            if self.chance(0.25, "masks"):
                problem["causal"] = self.chance(0.8)
        elif self.chance(0.4, "masks"):
            problem["causal"] = self.chance(0.3)
        if self.chance(0.35, "masks"):
            shape = (self.tokens, self.tokens)
            axes = {headed(problem, layer["self"]) for layer in problem["block"]["layers"]}
            if self.batch is not None and len(axes) == 1 and self.chance(0.4, "mask of each sequence"):
                shape = (self.batch, *((1,) if axes == {True} else ()), *shape)
            elif self.chance(0.25):
                shape = self.rng.choice(((self.tokens,), (self.tokens, 1)))
            problem["mask"] = self.mask(shape)
        if self.chance(0.3, "masks") and (self.batch is not None or not self.ragged):
            problem["lengths"] = self.many(lambda: self.rng.randint(0 if self.chance(0.1) else 1, self.tokens))
        if self.chance(0.2, "masks"):
            offset = lambda: self.rng.randint(-1, 2)
            problem["offset"] = self.many(offset) if self.chance(0.5) else offset()
        if self.chance(0.1, "masks") and not isinstance(problem.get("mask"), (dict, list)):
            problem["max_tokens"] = self.rng.randint(1, self.tokens)
            if problem["max_tokens"] < self.tokens and "memory_mask" in problem["block"]:
                del problem["max_tokens"]  # whose rows are those that are left

    def mask(self, shape):
        """One, or a list of them."""
        def one():
            word = self.rng.choice(("allow", "block", "add"))
            true, false = (True, False) if self.chance(0.5) else (1, 0)
            cell = {"allow": lambda: true if self.chance(0.75) else false,
                    "block": lambda: true if self.chance(0.25) else false,
                    "add": lambda: "-inf" if self.chance(0.2) else self.number()}[word]
            fill = lambda sizes: [fill(sizes[1:]) for _ in range(sizes[0])] if sizes else cell()
            return {word: fill(shape)}
        return one() if self.chance(0.6) else [one() for _ in range(self.rng.randint(1, 2))]


def headed(problem, own):
    """Whether the trace of an attention has a head axis."""
    weights = own.get("weights", {}).values()
    return "heads" in problem or "heads" in own or any(reference.depth(weight) == 3 for weight in weights)


def changed(problem, matrix, table, rows):
    """A copy in which `matrix` was applied to what multiplies, `table` to what stands in `score` and
    `positions`, and `rows` to what holds vectors."""
    problem = copy.deepcopy(problem)
    attentions = [problem] + [layer[name] for layer in problem["block"]["layers"] for name in ("self", "cross")
                              if name in layer]
    for owner in attentions:
        for role, weight in owner.get("weights", {}).items():
            if reference.depth(weight) > 1:
                owner["weights"][role] = matrix(weight)
        for part in (owner.get("score"), owner.get("positions")):
            for key in ("weight", "query", "key", "table", "keys", "values"):
                if isinstance(part, dict) and key in part:
                    part[key] = table(part[key])
    block = problem["block"]
    for owner, key in [(block, "unembedding")] + [(layer["ffn"], key) for layer in block["layers"] if "ffn" in layer
                                                  for key in ("in", "gate", "out")]:
        if reference.depth(owner.get(key)) > 1:
            owner[key] = matrix(owner[key])
    for owner, key in ((problem, "inputs"), (block, "memory")):
        if reference.depth(owner.get(key)) > 1:
            owner[key] = rows(owner[key])
    if isinstance(block.get("memory"), dict):
        block["memory"] = changed(block["memory"], matrix, table, rows)
    return problem


def marked(problem, key, word):
    """With a word at the top, and at the top of the problem that is its memory."""
    problem[key] = word
    if isinstance(problem["block"].get("memory"), dict):
        problem["block"]["memory"][key] = word
    return problem


def exchanged(nested):
    """The last two axes of nested lists, exchanged."""
    if reference.depth(nested) > 2:
        return [exchanged(one) for one in nested]
    return [list(column) for column in zip(*nested)]


def same(nested):
    return nested


def as_columns(problem):
    return marked(changed(problem, exchanged, exchanged, exchanged), "vectors", "columns")


def as_out_in(problem):
    """READING: the matrices of `score` are not among those that the layout is of, as without a block."""
    return marked(changed(problem, exchanged, same, same), "weight_layout", "out_in")


def drawn(seed, **fixed):
    """The problem of a seed: such that honest programs agree on it."""
    for attempt in range(1000):
        problem = Draw(f"{seed}.{attempt}", **fixed).problem
        with np.errstate(all="ignore"):
            steps = reference.work_out(problem)
        if all(step.size <= (EXTREME if name.endswith("attention_weights") else 1e6) and not np.isnan(step.data).any()
               for name, step in steps.items()):
            return problem
    raise AssertionError(f"nothing can be drawn for {seed}")


def respelled(seed):
    """The problem of a seed, now and then with columns for rows, or weights as torch has them."""
    problem = drawn(seed)
    ragged = reference.depth(problem.get("inputs")) == 3 and len({len(one) for one in problem["inputs"]}) > 1
    if seed % 6 == 0 and not ragged:
        return as_columns(problem)
    return as_out_in(problem) if seed % 6 == 3 else problem


def features(problem):
    """Words for what a problem has."""
    block = problem["block"]
    found = {f"top {key}" for key in problem} | {f"block {key}" for key in block}
    found |= {f"{key} {block.get(key, usual)}" for key, usual in (("kind", "encoder"), ("norm", "post"),
                                                                  ("norm_type", "layer"), ("activation", "relu"))}
    found.add(f"memory {type(block.get('memory')).__name__}")
    found.add(f"causal {problem.get('causal')}")
    found.add("tied" if block.get("unembedding") == "tied" else "not tied")
    found.add(f"rank {reference.depth(problem.get('inputs', problem.get('tokens')))}")
    found.add(f"{len(block['layers'])} layers")
    norms = [layer[key] for layer in block["layers"] for key in layer if key.startswith("norm")]
    found |= {f"a norm with {' and '.join(sorted(norm)) or 'nothing'}" for norm in norms}
    for layer in block["layers"]:
        found |= {f"layer {key}" for key in layer} | {f"ffn {key}" for key in layer.get("ffn", ())}
        found.add("ffn" if "ffn" in layer else "no ffn")
        found |= {f"{name} {key}" for name in ("self", "cross") for key in layer.get(name, ())}
    for name, owner in [("top", problem)] + [(name, layer[name]) for layer in block["layers"]
                                             for name in ("self", "cross") if name in layer]:
        for key, usual in (("score", "scaled_dot"), ("positions", None)):
            found.add(f"{name} {key} {reference.named(owner.get(key), usual)['type']}")
    return found


class Reference(unittest.TestCase):
    """What the reference itself is held to, by numbers that were worked by hand."""

    def assert_close(self, its, ours):
        np.testing.assert_allclose(its, ours, rtol=1e-14, atol=1e-15)

    def test_norms_are_those_worked_by_hand(self):
        steps = dict(reference.normed(np.array([[1.0, 2, 3, 4]]), "layer", 0.0))
        self.assert_close(steps["mean"], [2.5])
        self.assert_close(steps["variance"], [1.25])
        self.assert_close(steps[""], [np.array([-3, -1, 1, 3]) / math.sqrt(5)])
        steps = dict(reference.normed(np.array([[1.0, 3]]), "layer", 3.0, gain=np.array([2, 4]), bias=np.array([0, 1])))
        self.assert_close(steps["normalized"], [[-0.5, 0.5]])
        self.assert_close(steps[""], [[-1, 3]])
        steps = dict(reference.normed(np.array([[3.0, 4]]), "rms", 0.0, gain=np.array([5, 10])))
        self.assert_close(steps["mean_square"], [12.5])
        self.assert_close(steps[""], [[15 / math.sqrt(12.5), 40 / math.sqrt(12.5)]])

    def test_activations_are_those_of_tables(self):
        # Φ(1) and 1/(1 + 1/e); the tanh form as Hendrycks and Gimpel (2016) have it.
        for name, value in (("relu", 1.0), ("gelu", 0.8413447460685429), ("gelu_tanh", 0.8411919906082768),
                            ("silu", 0.7310585786300049)):
            self.assert_close(reference.ACTIVATIONS[name](np.array([1.0])), [value])
            self.assert_close(reference.ACTIVATIONS[name](np.array([-1.0])), [value - 1 if name != "relu" else 0])

    def test_positions_are_those_of_the_papers(self):
        self.assert_close(reference.slopes(2), [1 / 16, 1 / 256])
        self.assert_close(reference.slopes(3), [1 / 16, 1 / 256, 1 / 4])
        self.assert_close(reference.sinusoidal(2, 3, 100.0)[1], [math.sin(1), math.cos(1), math.sin(100 ** (-2 / 3))])
        turned = reference.rotated(np.eye(2).reshape(1, 1, 2, 2), 2, 10000, False)
        self.assert_close(turned[0, 0, 1], [-math.sin(1), math.cos(1)])

    def test_a_layer_is_that_worked_by_hand(self):
        """Two tokens that are unit vectors: a score is 1 with itself, and 0 with the other."""
        problem = {"inputs": [[1, 0], [0, 1]], "score": "dot", "block": {"layers": [
            {"self": {}, "norm2": {"gain": [2, 2]}, "ffn": {"in": [[1], [1]], "out": [[3, 0]], "in_bias": [1]}}]}}
        steps = reference.work_out(problem)
        own = math.e / (1 + math.e)
        self.assert_close(steps["layer1.self.context"].data, [[own, 1 - own], [1 - own, own]])
        self.assert_close(steps["layer1.residual1"].data, [[1 + own, 1 - own], [1 - own, 1 + own]])
        self.assert_close(steps["layer1.ffn.activation"].data, [[3], [3]])
        self.assert_close(steps["layer1.residual2"].data, [[10 + own, 1 - own], [10 - own, 1 + own]])
        apart = np.array([(9 + 2 * own) / 2, (9 - 2 * own) / 2])
        height = 2 * apart / np.sqrt(apart ** 2 + 1e-5)
        self.assert_close(steps["layer1.norm2"].data, np.stack([height, -height], axis=1))
        self.assertEqual(list(steps)[-3:], ["layer1.norm2.variance", "layer1.norm2.normalized", "layer1.norm2"])
        self.assertEqual(steps["layer1.norm2.mean"].axes, ["token"])

    def test_norms_stand_where_the_papers_have_them(self):
        layer = {"self": {}, "norm1": {}, "ffn": {"in": [[1], [1]], "out": [[1, 1]]}, "norm2": {}}
        told = ("self.context", "residual1", "norm1", "ffn.output", "residual2", "norm2")
        ids = lambda norm: [name for name in reference.work_out({"inputs": [[1, 2]], "block": {"norm": norm, "layers": [
            layer]}}) if name.partition(".")[2] in told]
        self.assertEqual(ids("post"), ["layer1.self.context", "layer1.residual1", "layer1.norm1", "layer1.ffn.output",
                                       "layer1.residual2", "layer1.norm2"])
        self.assertEqual(ids("pre"), ["layer1.norm1", "layer1.self.context", "layer1.residual1", "layer1.norm2",
                                      "layer1.ffn.output", "layer1.residual2"])

    def test_random_problems_meet_everything_that_a_block_has(self):
        met = [features(respelled(seed)) for seed in range(DRAWN)]
        seldom = lambda word: sum(word in found for found in met) < 3
        wanted = [f"kind {kind}" for kind in ("encoder", "decoder", "decoder_only")]
        wanted += ["norm pre", "norm post", "norm_type layer", "norm_type rms", "memory dict", "memory list", "tied"]
        wanted += [f"activation {name}" for name in (*reference.ACTIVATIONS, *reference.GATED)]
        wanted += [f"block {key}" for key in ("eps", "embedding_norm", "final_norm", "unembedding", "unembedding_bias",
                                              "vocabulary", "memory_mask", "memory_lengths")]
        wanted += [f"layer {key}" for key in ("cross", "norm1", "norm2", "norm3", "repeat")]
        wanted += [f"ffn {key}" for key in ("in_bias", "gate", "gate_bias", "out_bias")] + ["no ffn", "3 layers"]
        wanted += [f"a norm with {parts}" for parts in ("nothing", "gain", "bias", "bias and gain")]
        wanted += [f"{where} {key}" for where in ("top", "self", "cross") for key in (
            "heads", "kv_heads", "score", "scale", "softcap", "window", "softmax", "positions")]
        wanted += [f"{where} {key}" for where in ("self", "cross") for key in ("weights", "biases")]
        wanted += [f"top {key}" for key in ("mask", "lengths", "offset", "max_tokens", "embeddings", "split", "vectors",
                                            "weight_layout")]
        wanted += [f"top positions {kind}" for kind in ("sinusoidal", "learned", "rope", "alibi", "relative")]
        wanted += ["self positions rope", "cross positions rope", "cross positions alibi"]
        wanted += ["causal True", "causal False"]
        wanted += [f"top score {kind}" for kind in ("dot", "cosine", "general", "additive", "concat")]
        self.assertEqual([word for word in wanted if seldom(word)], [])


# --- the program and the reference -----------------------------------------


class Compared(unittest.TestCase):
    def test_random_blocks_are_worked_out_as_the_reference_does(self):
        faults, seeds = {}, share(range(DRAWN), 4)
        for seed in seeds:
            problem = respelled(seed)
            try:
                found = differences(reference.work_out(problem), traced(problem))
            except AssertionError as error:
                found = [str(error)[:1000]]
            if found:
                faults[seed] = found
        told = "\n".join(f"block_test.py --show {seed}: " + "; ".join(found[:5])
                         for seed, found in list(faults.items())[:SHOWN])
        self.assertFalse(faults, f"{len(faults)} of {len(seeds)} problems are worked out otherwise\n{told}")

    def test_no_memory_may_be_written_as_null(self):
        problem = drawn("null", kind="decoder_only")
        self.assertEqual(steps_of({**problem, "block": {**problem["block"], "memory": None}}), steps_of(problem))


def each_way(test):
    """With norms behind and before, with both activations of torch, with and without biases."""
    @functools.wraps(test)
    def tested(self):
        for first in (False, True):
            for activation in ("relu", "gelu"):
                for bias in (True, False):
                    said = {"norm_first": first, "activation": activation}
                    with self.subTest(**said, bias=bias):
                        test(self, {**said, "bias": bias}, said)
    return tested


@unittest.skipIf(torch is None, "torch is not installed")
class Torch(unittest.TestCase):
    """Layers of torch, in f64 and without dropout; their state is the problem, weights as torch stores them."""

    WIDTH, HEADS, HIDDEN, BATCH, TOKENS, MEMORY = 6, 2, 5, 2, 4, 3

    def setUp(self):
        torch.manual_seed(20)
        before = torch.get_default_dtype()
        torch.set_default_dtype(torch.float64)
        self.addCleanup(torch.set_default_dtype, before)
        self.x = torch.randn(self.BATCH, self.TOKENS, self.WIDTH)
        self.memory = torch.randn(self.BATCH, self.MEMORY, self.WIDTH)

    def made(self, module, **how):
        """A layer whose every parameter is drawn: torch starts with gains of 1 and biases of 0."""
        layer = module(self.WIDTH, self.HEADS, dim_feedforward=self.HIDDEN, dropout=0.0, batch_first=True, **how)
        self.draw(layer)
        return layer

    @staticmethod
    def draw(module):
        with torch.no_grad():
            for parameter in module.parameters():
                parameter.normal_(0, 0.6)

    # A state dictionary as a problem

    def attention(self, state, name):
        own = {"heads": self.HEADS, "weights": {}, "biases": {}}
        for part, kind in (("weight", "weights"), ("bias", "biases")):
            if f"{name}.in_proj_{part}" in state:
                for role, third in zip(("query", "key", "value"), state[f"{name}.in_proj_{part}"].chunk(3)):
                    own[kind][role] = third.tolist()
            if f"{name}.out_proj.{part}" in state:
                own[kind]["output"] = state[f"{name}.out_proj.{part}"].tolist()
        return own

    @staticmethod
    def norm(state, name):
        return {key: state[f"{name}.{part}"].tolist() for key, part in (("gain", "weight"), ("bias", "bias"))
                if f"{name}.{part}" in state}

    def layer(self, module):
        state = module.state_dict()
        layer = {"self": self.attention(state, "self_attn"), "ffn": {}}
        if "multihead_attn.in_proj_weight" in state:
            layer["cross"] = self.attention(state, "multihead_attn")
        layer.update((name, self.norm(state, name)) for name in ("norm1", "norm2", "norm3")
                     if f"{name}.weight" in state)
        for key, name in (("in", "linear1.weight"), ("in_bias", "linear1.bias"), ("out", "linear2.weight"),
                          ("out_bias", "linear2.bias")):
            if name in state:
                layer["ffn"][key] = state[name].tolist()
        return layer

    def problem(self, kind, layers, x=None, activation="relu", norm_first=False, top=None, **block):
        return {"inputs": (self.x if x is None else x).tolist(), "weight_layout": "out_in", **(top or {}), "block": {
            "kind": kind, "norm": "pre" if norm_first else "post", "activation": activation,
            "layers": [self.layer(layer) for layer in layers], **block}}

    def assert_agrees(self, problem, output, real=None):
        """`real`: how many tokens of each sequence are no padding."""
        its, ours = result_of(problem), output.detach().numpy()
        for b, count in enumerate(real or [ours.shape[1]] * len(ours)):
            self.assertLessEqual(distance(its[b, :count], ours[b, :count]), CLOSE)

    @each_way
    def test_encoder_layers_are_those_of_torch(self, how, said):
        layer = self.made(torch.nn.TransformerEncoderLayer, **how)
        self.assert_agrees(self.problem("encoder", [layer], **said), layer(self.x))

    @each_way
    def test_masks_and_padding_of_an_encoder_layer_are_those_of_torch(self, how, said):
        lengths = [4, 2]
        closed = torch.rand(self.TOKENS, self.TOKENS) < 0.4
        closed.fill_diagonal_(False)
        closed[:, 0] = False  # a row that is closed from end to end is NaN in torch
        added = torch.randn(self.TOKENS, self.TOKENS)
        padding = torch.arange(self.TOKENS) >= torch.tensor(lengths)[:, None]
        layer = self.made(torch.nn.TransformerEncoderLayer, **how)
        self.assert_agrees(self.problem("encoder", [layer], top={"mask": {"block": closed.tolist()}}, **said),
                           layer(self.x, src_mask=closed))
        self.assert_agrees(self.problem("encoder", [layer], top={"mask": {"add": added.tolist()}}, **said),
                           layer(self.x, src_mask=added))
        self.assert_agrees(
            self.problem("encoder", [layer], top={"mask": {"block": closed.tolist()}, "lengths": lengths}, **said),
            layer(self.x, src_mask=closed, src_key_padding_mask=padding), lengths)

    @each_way
    def test_decoder_layers_are_those_of_torch(self, how, said):
        later = torch.ones(self.TOKENS, self.TOKENS, dtype=torch.bool).triu(1)
        layer = self.made(torch.nn.TransformerDecoderLayer, **how)
        self.assert_agrees(self.problem("decoder", [layer], memory=self.memory.tolist(), **said),
                           layer(self.x, self.memory, tgt_mask=later))
        self.assert_agrees(
            self.problem("decoder", [layer], memory=self.memory.tolist(), top={"causal": False}, **said),
            layer(self.x, self.memory))

    @each_way
    def test_what_is_masked_of_the_memory_is_that_of_torch(self, how, said):
        lengths = [3, 1]
        closed = torch.rand(self.TOKENS, self.MEMORY) < 0.4
        closed[:, 0] = False
        padding = torch.arange(self.MEMORY) >= torch.tensor(lengths)[:, None]
        layer = self.made(torch.nn.TransformerDecoderLayer, **how)
        self.assert_agrees(
            self.problem("decoder", [layer], memory=self.memory.tolist(), memory_lengths=lengths,
                         memory_mask={"block": closed.tolist()}, top={"causal": False}, **said),
            layer(self.x, self.memory, memory_mask=closed, memory_key_padding_mask=padding))

    @each_way
    def test_an_encoder_and_a_decoder_of_two_layers_are_those_of_torch(self, how, said):
        parts = []
        for kind, module, more in (("Encoder", torch.nn.TransformerEncoder, {"enable_nested_tensor": False}),
                                   ("Decoder", torch.nn.TransformerDecoder, {})):
            parts.append(module(self.made(getattr(torch.nn, f"Transformer{kind}Layer"), **how), 2,
                                norm=torch.nn.LayerNorm(self.WIDTH), **more))
            self.draw(parts[-1])
        encoder, decoder = parts
        final = [self.norm(part.state_dict(), "norm") for part in parts]
        memory = self.problem("encoder", encoder.layers, x=self.memory, final_norm=final[0], **said)
        self.assert_agrees(memory, encoder(self.memory))
        later = torch.ones(self.TOKENS, self.TOKENS, dtype=torch.bool).triu(1)
        self.assert_agrees(self.problem("decoder", decoder.layers, memory=memory, final_norm=final[1], **said),
                           decoder(self.x, encoder(self.memory), tgt_mask=later))

    def test_the_whole_transformer_is_that_of_torch(self):
        whole = torch.nn.Transformer(self.WIDTH, self.HEADS, 2, 1, self.HIDDEN, dropout=0.0, batch_first=True)
        self.draw(whole)
        state = whole.state_dict()
        memory = self.problem("encoder", whole.encoder.layers, x=self.memory,
                              final_norm=self.norm(state, "encoder.norm"))
        self.assert_agrees(self.problem("decoder", whole.decoder.layers, memory=memory, top={"causal": False},
                                        final_norm=self.norm(state, "decoder.norm")), whole(self.memory, self.x))


# --- laws ------------------------------------------------------------------


def attentions_of(problem):
    return [layer[name] for layer in problem["block"]["layers"] for name in ("self", "cross") if name in layer]


def sequence_of(problem, b):
    """The problem of one sequence of a batch."""
    problem = copy.deepcopy(problem)
    block = problem["block"]
    for owner, keys in ((problem, ("inputs", "tokens", "lengths", "offset")), (block, ("memory", "memory_lengths"))):
        for key in keys:
            if isinstance(owner.get(key), list):
                owner[key] = owner[key][b]
    if isinstance(block.get("memory"), dict):
        block["memory"] = sequence_of(block["memory"], b)
    return problem


def of_random_problems(count):
    """Tries a law on so many seeds, which no other law draws by."""
    def tried(law):
        @functools.wraps(law)
        def test(self):
            for number in range(count):
                with self.subTest(number=number):
                    law(self, f"{law.__name__} {number}")
        return test
    return tried


class Told(unittest.TestCase):
    def test_no_line_of_an_activation_is_wider_than_80_columns(self):
        """Numbers are negative and have every decimal, which takes most room."""
        for name in ("relu", "gelu", "gelu_tanh", "silu", "swiglu", "geglu", "geglu_tanh"):
            network = {"in": [[-1.3719, 0.2231], [2.1977, -1.4443]], "out": [[1, 0], [0, 1]]}
            if "glu" in name:
                network["gate"] = [[-0.7123, -1.9371], [0.1139, 3.2957]]
            problem = {"inputs": [[1.1913, -0.7171], [-2.3377, 0.9231]],
                       "block": {"activation": name, "layers": [{"ffn": network}]}}
            for more in ([], ["--precision", "9"], ["--precision", "12"]):
                told = attn("run", "-", "--explain", "cells", *more, text=json.dumps(problem))
                self.assertEqual((told.returncode, told.stderr), (0, ""))
                self.assertLessEqual(max(map(len, told.stdout.splitlines())), 80, (name, more))


class Laws(unittest.TestCase):
    """What holds whatever the numbers are. Sums run in index order, so most of it holds bit for bit."""

    def assert_same_steps(self, one, other):
        ours, its = steps_of(one), steps_of(other)
        self.assertEqual(list(ours), list(its))
        for name in ours:
            self.assertEqual(ours[name], its[name], name)

    @of_random_problems(10)
    def test_a_pre_norm_block_whose_sublayers_give_zero_gives_the_inputs(self, seed):
        zero = lambda matrix: [[0] * len(row) for row in matrix]
        problem = drawn(seed, norm="pre", output=True, words=False, ragged=False, added=False, embedding_norm=False,
                        final_norm=False, unembedding=False)
        problem.pop("max_tokens", None)
        for own in attentions_of(problem):
            own["weights"]["output"] = zero(own["weights"]["output"])
            own.get("biases", {}).pop("output", None)
        for layer in problem["block"]["layers"]:
            if "ffn" in layer:
                layer["ffn"]["out"] = zero(layer["ffn"]["out"])
                layer["ffn"].pop("out_bias", None)
        inputs = np.array(problem["inputs"], dtype=float)
        self.assertTrue(np.array_equal(result_of(problem), inputs))
        block = problem["block"]
        block["final_norm"] = {"gain": [1 + n / 2 for n in range(inputs.shape[-1])]}
        final = reference.normed(inputs, block.get("norm_type", "layer"), block.get("eps", 1e-5),
                                 gain=np.array(block["final_norm"]["gain"]))[-1][1]
        self.assertLessEqual(distance(result_of(problem), final), CLOSE)

    @of_random_problems(10)
    def test_an_encoder_without_positions_does_not_know_the_order_of_tokens(self, seed):
        problem = drawn(seed, kind="encoder", batch=None, tokens=5, words=False, masks=False, positions=False,
                        window=False)
        order = random.Random(seed).sample(range(5), 5)
        moved = {**problem, "inputs": [problem["inputs"][at] for at in order]}
        self.assertLessEqual(distance(result_of(moved), result_of(problem)[order]), CLOSE)

    @of_random_problems(12)
    def test_what_a_decoder_says_of_a_token_does_not_depend_on_later_ones(self, seed):
        problem = drawn(seed, kind="decoder_only", batch=None, tokens=5, words=False, masks=False)
        known = random.Random(seed).randint(1, 4)
        width = len(problem["inputs"][0])
        later = [[9.5 - n] * width for n in range(known, 5)]
        changed_later = {**problem, "inputs": problem["inputs"][:known] + later}
        cut = {**problem, "inputs": problem["inputs"][:known]}
        whole = result_of(problem)
        self.assertFalse(np.array_equal(result_of(changed_later)[known:], whole[known:]))
        self.assertTrue(np.array_equal(result_of(changed_later)[:known], whole[:known]))
        self.assertTrue(np.array_equal(result_of(cut), whole[:known]))

    @of_random_problems(6)
    def test_a_decoder_without_memory_is_a_causal_encoder(self, seed):
        problem = drawn(seed, kind="decoder_only", masks=False)
        encoder = {**problem, "causal": True, "block": {**problem["block"], "kind": "encoder"}}
        self.assert_same_steps(problem, encoder)

    @of_random_problems(8)
    def test_a_layer_that_is_repeated_is_one_written_so_often(self, seed):
        problem = drawn(seed, layers=2, repeat=False)
        first, second = problem["block"]["layers"]
        of_layers = lambda *layers: {**problem, "block": {**problem["block"], "layers": list(layers)}}
        self.assert_same_steps(of_layers({**first, "repeat": 2}, second, {**second, "repeat": 1}),
                               of_layers(first, first, second, second))

    @of_random_problems(10)
    def test_a_batch_is_its_sequences_one_by_one(self, seed):
        problem = drawn(seed, batch=3, ragged=False, **{"mask of each sequence": False})
        together = steps_of(problem)
        for b in range(3):
            alone = steps_of(sequence_of(problem, b))
            self.assertEqual(list(alone), list(together))
            for name, (axes, data) in alone.items():
                whole_axes, whole = together[name]
                if whole_axes[0] == "batch":
                    whole_axes, whole = whole_axes[1:], whole[b]
                self.assertEqual((whole_axes, whole), (axes, data), name)

    @of_random_problems(12)
    def test_padding_changes_nothing_of_the_tokens_before_it(self, seed):
        problem = drawn(seed, batch=None, tokens=5, words=False, masks=False)
        real = random.Random(seed).randint(1, 4)
        width = len(problem["inputs"][0])
        padded = {**problem, "lengths": real}
        other = {**padded, "inputs": problem["inputs"][:real] + [[7.25] * width] * (5 - real)}
        cut = {**problem, "inputs": problem["inputs"][:real]}
        whole = result_of(padded)[:real]
        self.assertTrue(np.array_equal(result_of(other)[:real], whole))
        self.assertTrue(np.array_equal(result_of(cut), whole))

    @of_random_problems(6)
    def test_padding_behind_the_lengths_of_a_memory_changes_nothing(self, seed):
        problem = drawn(seed, kind="decoder", batch=None, masks=False, **{"memory problem": False})
        width = len(problem["block"]["memory"][0])
        of_memory = lambda **more: {**problem, "block": {**problem["block"], **more}}
        memory = problem["block"]["memory"]
        longer = of_memory(memory=memory + [[8.5] * width] * 2, memory_lengths=len(memory))
        self.assertTrue(np.array_equal(result_of(longer), result_of(problem)))

    @of_random_problems(10)
    def test_options_at_the_top_hold_for_every_self_and_for_no_cross(self, seed):
        problem = drawn(seed, kind=random.Random(seed).choice(("encoder", "decoder")))
        told = copy.deepcopy(problem)
        top = {key: told.pop(key) for key in reference.INHERITED if key in told}
        if reference.named(top.get("positions"), None)["type"] in reference.ADDED_POSITIONS:
            told["positions"] = top.pop("positions")
        for layer in told["block"]["layers"]:
            layer["self"] = {**top, **layer["self"]}
        self.assert_same_steps(problem, told)

    def test_a_memory_may_be_one_attention_and_no_block(self):
        weights = {"query": [[1, 0], [0, 1]], "key": [[1, 1], [0, 1]], "value": [[2, 0], [0, 1]]}
        inner = {"inputs": [[1, 2], [0, 1], [2, 0]], "weights": weights}
        for memory in ({"inputs": inner["inputs"]}, inner, {"queries": [[1, 2]], "keys": [[1, 1], [0, 2]]}):
            made = traced(memory)["steps"][-1]["data"]
            outer = {"inputs": [[1, 0], [0, 2]],
                     "block": {"kind": "decoder", "layers": [{"cross": {"weights": weights}}]}}
            results = [result_of({**outer, "block": {**outer["block"], "memory": one}}) for one in (memory, made)]
            self.assertEqual(*(result.tolist() for result in results))

    def test_the_tokens_of_a_memorys_memory_are_its_own(self):
        """Each has as many tokens, so that none could tell them apart by their number."""
        named = lambda name: {"inputs": [[1, 1], [0, 2]], "tokens": [name + "1", name + "2"]}
        within = lambda problem, memory: {**problem, "block": {"kind": "decoder", "layers": [{"self": {}, "cross": {}}],
                                                               "memory": memory}}
        problem = within(named("outer"), within(named("middle"), named("inner")))
        made = attn("run", "-", "--format", "csv", text=json.dumps(problem)).stdout
        rows = list(csv.DictReader(io.StringIO(made)))
        for step, queries, keys in (("encoder.encoder.scores", "inner", "inner"),
                                    ("encoder.layer1.self.scores", "middle", "middle"),
                                    ("encoder.layer1.cross.scores", "middle", "inner"),
                                    ("layer1.self.scores", "outer", "outer"),
                                    ("layer1.cross.scores", "outer", "middle")):
            cell = next(row for row in rows if row["step"] == step)
            self.assertEqual((cell["row_label"], cell["column_label"]), (queries + "1", keys + "1"), step)

    def test_a_memory_that_is_a_problem_may_say_of_which_schema_it_is(self):
        memory = {"inputs": [[1, 2], [0, 1]]}
        of = lambda memory: {"inputs": [[1, 0]], "block": {"kind": "decoder", "memory": memory, "layers": [{"cross": {}}]}}
        self.assertEqual(steps_of(of({"$schema": "problem.schema.json", **memory})), steps_of(of(memory)))

    def test_a_block_need_not_attend(self):
        rows = [[1.0, 2.0, 4.0], [0.0, 1.0, 0.0]]
        for layer in ({}, {"ffn": {"in": [[1, 0], [0, 1], [1, 1]], "out": [[1, 0, 1], [0, 2, 0]]}}):
            problem = {"inputs": rows, "tokens": ["a", "b"], "positions": "sinusoidal", "block": {"layers": [layer]}}
            steps, expected = steps_of(problem), reference.work_out(problem)
            for name, tensor in expected.items():
                np.testing.assert_allclose(steps[name][1], tensor.data, rtol=1e-12, err_msg=name)

    @of_random_problems(8)
    def test_a_memory_that_is_a_problem_is_its_result(self, seed):
        problem = drawn(seed, kind="decoder", **{"memory problem": True})
        steps, encoder = steps_of(problem), traced(problem["block"]["memory"])
        inner = {f"encoder.{step['id']}": (step["axes"], step["data"]) for step in encoder["steps"]}
        self.assertEqual(list(steps)[:len(inner)], list(inner))
        told = {**problem, "block": {**problem["block"], "memory": encoder["steps"][-1]["data"]}}
        outer = steps_of(told)
        for name in reference.work_out(problem):
            self.assertEqual(steps[name], {**inner, **outer}[name], name)

    @of_random_problems(8)
    def test_tokens_with_embeddings_are_inputs_and_a_tied_unembedding_is_their_transpose(self, seed):
        problem = drawn(seed, words=True, ragged=False, unembedding=True)
        problem["block"].pop("vocabulary", None)
        problem["block"]["unembedding"] = "tied"
        problem["block"]["unembedding_bias"] = [n / 4 for n in range(len(Draw.WORDS))]
        told = copy.deepcopy(problem)
        vectors = told.pop("embeddings")
        inputs = lambda tokens: [inputs(one) if isinstance(one, list) else vectors[one] for one in tokens]
        told["inputs"] = inputs(told.pop("tokens"))
        told["block"]["unembedding"] = exchanged(list(vectors.values()))
        self.assert_same_steps(problem, told)

    @of_random_problems(8)
    def test_weights_as_torch_stores_them_give_the_same_bits(self, seed):
        problem = drawn(seed)
        self.assert_same_steps(problem, as_out_in(problem))

    @of_random_problems(8)
    def test_columns_are_rows_with_axes_exchanged(self, seed):
        problem = drawn(seed, ragged=False)
        rows, columns = steps_of(problem), steps_of(as_columns(problem))
        self.assertEqual(list(rows), list(columns))
        for name in reference.work_out(problem):
            axes, data = rows[name]
            if len(set(axes) - {"batch", "head"}) > 1 and not {"query", "key"} <= set(axes):
                axes, data = [*axes[:-2], axes[-1], axes[-2]], exchanged(data)
            self.assertEqual(columns[name], (axes, data), name)


# --- what a person would get wrong -----------------------------------------

REMOVED = object()

SQUARE = [[1, 0, 2, 1], [0, 1, 1, 1], [2, 1, 1, 0], [1, 1, 0, 1]]
WEIGHTS = {role: SQUARE for role in ("query", "key", "value", "output")}
FED = {"in": [[1, 0, 1], [0, 1, 1], [1, 1, 0], [1, 0, 0]], "in_bias": [0, 1, 0],
       "out": [[1, 0, 1, 0], [0, 1, 1, 0], [1, 1, 0, 1]], "out_bias": [0, 0, 1, 0]}
NORM = {"gain": [1, 2, 1, 2], "bias": [0, 0, 0, 1]}

ENCODER = {"inputs": [[1, 2, 3, 4], [2, 1, 0, 1], [1, 1, 1, 0]], "heads": 2, "block": {
    "kind": "encoder", "norm": "pre", "activation": "relu", "eps": 1e-6, "embedding_norm": NORM, "final_norm": NORM,
    "unembedding": [[1, 0], [0, 1], [1, 1], [2, 1]], "unembedding_bias": [0, 1], "vocabulary": ["yes", "no"],
    "layers": [{"self": {"weights": WEIGHTS}, "norm1": NORM, "norm2": NORM, "ffn": FED},
               {"self": {"weights": WEIGHTS}, "norm1": NORM, "norm2": NORM, "ffn": FED}]}}
DECODER = {"inputs": [[1, 2, 3, 4], [2, 1, 0, 1]], "heads": 2, "block": {
    "kind": "decoder", "memory": [[1, 0, 1], [0, 1, 1], [2, 0, 1]], "memory_lengths": 2,
    "memory_mask": {"allow": [[1, 1, 1], [1, 0, 1]]},
    "layers": [{"self": {"weights": WEIGHTS}, "norm1": NORM, "norm2": NORM, "norm3": NORM, "ffn": FED,
                "cross": {"heads": 2, "weights": {"query": SQUARE, "key": SQUARE[:3], "value": SQUARE[:3],
                                                  "output": SQUARE}}}]}}
GATED = {**ENCODER, "block": {**ENCODER["block"], "activation": "swiglu", "layers": [
    {"self": {"weights": WEIGHTS}, "ffn": {**FED, "gate": FED["in"], "gate_bias": [0, 0, 1]}}]}}
NESTED = {"inputs": DECODER["inputs"], "heads": 2, "block": {
    "kind": "decoder", "layers": [{"self": {"weights": WEIGHTS}, "cross": {"weights": WEIGHTS}}],
    "memory": {**ENCODER, "block": {key: given for key, given in ENCODER["block"].items()
                                    if key not in ("unembedding", "unembedding_bias", "vocabulary")}}}}

LAYER = "/block/layers/0"


def missing(owner, key):
    """What is not there is named by where it should stand, or by what should have it."""
    return [owner, f"{owner}/{key}"]


# (what a person did, in which problem, what stands there now, one of these places is named)
FAULTS = [
    ("a key of ffn is misspelled", ENCODER, {f"{LAYER}/ffn/inn": [[1]]}, [f"{LAYER}/ffn/inn"]),
    ("a key of a layer is misspelled", ENCODER, {f"{LAYER}/norm_1": NORM}, [f"{LAYER}/norm_1"]),
    ("a key of a norm is misspelled", ENCODER, {f"{LAYER}/norm1/weight": [1, 1, 1, 1]}, [f"{LAYER}/norm1/weight"]),
    ("a key of the block is misspelled", ENCODER, {"/block/final": NORM}, ["/block/final"]),
    ("a key of self is misspelled", ENCODER, {f"{LAYER}/self/head": 2}, [f"{LAYER}/self/head"]),
    ("the block is no object", ENCODER, {"/block": [1]}, ["/block"]),
    ("a gain is too short", ENCODER, {f"{LAYER}/norm1/gain": [1, 2, 3]}, [f"{LAYER}/norm1/gain"]),
    ("a bias of a norm is too long", ENCODER, {f"{LAYER}/norm2/bias": [1, 2, 3, 4, 5]}, [f"{LAYER}/norm2/bias"]),
    ("the embedding norm is too short", ENCODER, {"/block/embedding_norm/gain": [1]}, ["/block/embedding_norm/gain"]),
    ("the final norm is too short", ENCODER, {"/block/final_norm/bias": [1]}, ["/block/final_norm/bias"]),
    ("a norm is no object", ENCODER, {f"{LAYER}/norm1": True}, [f"{LAYER}/norm1"]),
    ("ffn.in has a row too few", ENCODER, {f"{LAYER}/ffn/in": FED["in"][:3]}, [f"{LAYER}/ffn/in"]),
    ("ffn.in is a vector", ENCODER, {f"{LAYER}/ffn/in": [1, 2, 3, 4]}, [f"{LAYER}/ffn/in"]),
    ("ffn.in_bias is too short", ENCODER, {f"{LAYER}/ffn/in_bias": [1, 2]}, [f"{LAYER}/ffn/in_bias"]),
    ("ffn.out has a row too few", ENCODER, {f"{LAYER}/ffn/out": FED["out"][:2]}, [f"{LAYER}/ffn/out"]),
    ("ffn.out does not come back to d_model", ENCODER, {
        f"{LAYER}/ffn/out": [row[:3] for row in FED["out"]], f"{LAYER}/ffn/out_bias": REMOVED}, [f"{LAYER}/ffn/out"]),
    ("ffn.out_bias is too short", ENCODER, {f"{LAYER}/ffn/out_bias": [1]}, [f"{LAYER}/ffn/out_bias"]),
    ("ffn has no in", ENCODER, {f"{LAYER}/ffn/in": REMOVED}, missing(f"{LAYER}/ffn", "in")),
    ("ffn has no out", ENCODER, {f"{LAYER}/ffn/out": REMOVED}, missing(f"{LAYER}/ffn", "out")),
    ("swiglu has no gate", GATED, {f"{LAYER}/ffn/gate": REMOVED, f"{LAYER}/ffn/gate_bias": REMOVED},
     missing(f"{LAYER}/ffn", "gate")),
    ("geglu has no gate", ENCODER, {"/block/activation": "geglu"}, missing(f"{LAYER}/ffn", "gate")),
    ("a gate is wider than what it opens", GATED, {
        f"{LAYER}/ffn/gate": SQUARE, f"{LAYER}/ffn/gate_bias": REMOVED}, [f"{LAYER}/ffn/gate"]),
    ("a gate has a row too few", GATED, {f"{LAYER}/ffn/gate": FED["in"][:3]}, [f"{LAYER}/ffn/gate"]),
    ("relu has a gate", ENCODER, {f"{LAYER}/ffn/gate": FED["in"]}, [f"{LAYER}/ffn/gate"]),
    ("there are weights at the top", ENCODER, {"/weights": WEIGHTS}, ["/weights"]),
    ("there are biases at the top", ENCODER, {"/biases": {"query": [1, 1, 1, 1]}}, ["/biases"]),
    ("queries are given", ENCODER, {"/inputs": REMOVED, "/queries": SQUARE, "/keys": SQUARE}, ["/queries", "/keys"]),
    ("a cache is given", ENCODER, {"/past": {"keys": SQUARE, "values": SQUARE}}, ["/past"]),
    ("keys are appended", ENCODER, {"/appended": {"keys": SQUARE, "values": SQUARE}}, ["/appended"]),
    ("an encoder has cross", ENCODER, {f"{LAYER}/cross": {"weights": WEIGHTS}}, [f"{LAYER}/cross"]),
    ("an encoder has a memory", ENCODER, {"/block/memory": SQUARE}, ["/block/memory"]),
    ("an encoder has memory_lengths", ENCODER, {"/block/memory_lengths": 1}, ["/block/memory_lengths"]),
    ("a decoder has no memory", NESTED, {"/block/memory": REMOVED}, [*missing("/block", "memory"), "/block/kind"]),
    ("a layer of a decoder has no cross", DECODER, {f"{LAYER}/cross": REMOVED, f"{LAYER}/norm3": REMOVED},
     missing(LAYER, "cross")),
    ("the memory is a batch, the inputs are not", DECODER, {"/block/memory": [SQUARE, SQUARE]}, ["/block/memory"]),
    ("memory_lengths is longer than the memory", DECODER, {"/block/memory_lengths": 4}, ["/block/memory_lengths"]),
    ("memory_mask has a column too few", DECODER, {"/block/memory_mask": {"allow": [[1, 1], [1, 1]]}},
     ["/block/memory_mask", "/block/memory_mask/allow"]),
    ("cross.weights.key is as tall as the inputs are wide", DECODER, {f"{LAYER}/cross/weights/key": SQUARE},
     [f"{LAYER}/cross/weights/key"]),
    ("cross.weights.output does not come back to d_model", DECODER, {
        f"{LAYER}/cross/weights/output": [row[:3] for row in SQUARE]}, [f"{LAYER}/cross/weights/output"]),
    ("a third norm has no sublayer", ENCODER, {f"{LAYER}/norm3": NORM}, [f"{LAYER}/norm3"]),
    ("a second norm has no sublayer", ENCODER, {f"{LAYER}/ffn": REMOVED}, [f"{LAYER}/norm2"]),
    ("the activation is unknown", ENCODER, {"/block/activation": "rely"}, ["/block/activation"]),
    ("the kind is unknown", ENCODER, {"/block/kind": "coder"}, ["/block/kind"]),
    ("the place of norms is unknown", ENCODER, {"/block/norm": "before"}, ["/block/norm"]),
    ("the type of norms is unknown", ENCODER, {"/block/norm_type": "batch"}, ["/block/norm_type"]),
    ("eps is negative", ENCODER, {"/block/eps": -1}, ["/block/eps"]),
    ("there is no layer", ENCODER, {"/block/layers": []}, ["/block/layers"]),
    ("layers are not said", ENCODER, {"/block/layers": REMOVED}, missing("/block", "layers")),
    ("layers are no list", ENCODER, {"/block/layers": {"self": {}}}, ["/block/layers"]),
    ("a layer is no object", ENCODER, {LAYER: []}, [LAYER]),
    ("a layer is repeated no time", ENCODER, {f"{LAYER}/repeat": 0}, [f"{LAYER}/repeat"]),
    ("a layer is repeated half", ENCODER, {f"{LAYER}/repeat": 1.5}, [f"{LAYER}/repeat"]),
    ("self.weights.query has a row too few", ENCODER, {f"{LAYER}/self/weights/query": SQUARE[:3]},
     [f"{LAYER}/self/weights/query"]),
    ("self.weights.output does not come back to d_model", ENCODER, {
        f"{LAYER}/self/weights/output": [row[:3] for row in SQUARE]}, [f"{LAYER}/self/weights/output"]),
    ("self.weights has no key", ENCODER, {f"{LAYER}/self/weights/key": REMOVED},
     missing(f"{LAYER}/self/weights", "key")),
    ("causal stands in self", ENCODER, {f"{LAYER}/self/causal": True}, [f"{LAYER}/self/causal"]),
    ("a mask stands in self", ENCODER, {f"{LAYER}/self/mask": {"allow": [[1, 1, 1]]}}, [f"{LAYER}/self/mask"]),
    ("inputs stand in self", ENCODER, {f"{LAYER}/self/inputs": SQUARE}, [f"{LAYER}/self/inputs"]),
    ("positions that are added stand in self", ENCODER, {f"{LAYER}/self/positions": "sinusoidal"},
     [f"{LAYER}/self/positions"]),
    ("the second layer is wrong", ENCODER, {"/block/layers/1/ffn/out": FED["out"][:2]}, ["/block/layers/1/ffn/out"]),
    ("the unembedding has a row too few", ENCODER, {"/block/unembedding": [[1, 0], [0, 1], [1, 1]]},
     ["/block/unembedding"]),
    ("the bias of logits is too long", ENCODER, {"/block/unembedding_bias": [1, 2, 3]}, ["/block/unembedding_bias"]),
    ("the vocabulary has a word too many", ENCODER, {"/block/vocabulary": ["a", "b", "c"]}, ["/block/vocabulary"]),
    ("a bias of logits has no unembedding", ENCODER, {"/block/unembedding": REMOVED}, ["/block/unembedding_bias"]),
    ("nothing is there to be tied", ENCODER, {"/block/unembedding": "tied"}, ["/block/unembedding"]),
    ("the unembedding is another word", ENCODER, {"/block/unembedding": "tide"}, ["/block/unembedding"]),
    ("a layer of the memory is wrong", NESTED, {"/block/memory/block/layers/0/ffn/in": FED["in"][:3]},
     ["/block/memory/block/layers/0/ffn/in"]),
    ("the memory has weights at its top", NESTED, {"/block/memory/weights": WEIGHTS}, ["/block/memory/weights"]),
]


def with_changes(problem, changes):
    """A copy with other values at some JSON Pointers, or with nothing there."""
    problem = json.loads(json.dumps(problem))  # layers that share a matrix here do not share the copy
    for pointer, value in changes.items():
        *way, last = [int(part) if part.isdigit() else part for part in pointer.split("/")[1:]]
        owner = problem
        for part in way:
            owner = owner[part]
        if value is REMOVED:
            del owner[last]
        else:
            owner[last] = value
    return problem


class Drawn(unittest.TestCase):
    """The figure of the whole."""

    def test_every_block_is_drawn_with_a_box_for_each_of_its_parts(self):
        problems = [ENCODER, DECODER, GATED, NESTED, *(drawn(seed) for seed in range(20))]
        for number, problem in enumerate(problems):
            with self.subTest(number):
                text = json.dumps(problem)
                root = ElementTree.fromstring(attn("run", "-", "--format", "svg", text=text).stdout)
                found = [one.get("data-part") for one in root.iter() if one.get("class") == "part"]
                parts = {step["id"].rsplit(".", 1)[0] for step in traced(problem)["steps"] if ".self." in step["id"]}
                if len(found) > 0:
                    self.assertLessEqual(parts, set(found))
                    self.assertEqual(len(set(found) - {""}), len([one for one in found if one]))
                self.assertEqual(attn("run", "-", "--format", "html", text=text).returncode, 0)

    def test_a_heading_is_said_once(self):
        problem = {**ENCODER, "block": {**ENCODER["block"]}}
        done = attn("run", "-", "--only", "probabilities", "--explain", "steps", text=json.dumps(problem))
        self.assertEqual(done.stdout.count("Probabilities of the next token"), 1)


class Faults(unittest.TestCase):
    def pointers(self, problem):
        """Where the program finds faults; people are told as scripts are, and nothing is computed."""
        text = json.dumps(problem)
        told, people = attn("run", "-", "--format", "json", text=text), attn("run", "-", text=text)
        for done in (told, people):
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        return [error["pointer"] for error in json.loads(told.stderr)["errors"]]

    def test_what_is_wrong_here_is_right_without_the_fault(self):
        for problem in (ENCODER, DECODER, GATED, NESTED):
            self.assertEqual(differences(reference.work_out(problem), traced(problem)), [])

    def test_what_a_person_would_get_wrong_is_refused_where_it_stands(self):
        for what, problem, changes, places in FAULTS:
            with self.subTest(what):
                found = self.pointers(with_changes(problem, changes))
                self.assertTrue(set(places) & set(found), f"{found} in place of {places}")

    def test_a_step_that_every_part_has_is_asked_for_by_its_part(self):
        done = attn("run", "-", "--only", "scores", text=json.dumps(ENCODER))
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("no step `scores`: each part of the block has its own", done.stderr)
        self.assertIn("*.scores names all of them, layer1.self.scores one", done.stderr)
        for asked in ("*.scores", "layer1.self.scores"):
            self.assertEqual(attn("run", "-", "--only", asked, text=json.dumps(ENCODER)).returncode, 0)

    def test_all_faults_of_a_block_are_told_at_once(self):
        found = self.pointers(with_changes(ENCODER, {
            "/block/activation": "rely", f"{LAYER}/norm1/gain": [1], "/block/layers/1/ffn/in": FED["in"][:3],
            f"{LAYER}/self/head": 2, "/block/unembedding_bias": [1]}))
        self.assertLessEqual({"/block/activation", f"{LAYER}/self/head", f"{LAYER}/norm1/gain",
                              "/block/layers/1/ffn/in", "/block/unembedding_bias"}, set(found))

    def test_nothing_that_stands_in_a_block_crashes_the_program(self):
        junk = (None, True, 0, -1, 2, 1e308, "rms", "nan", "", [], [[]], [[[1]]], {},
                {"random": "normal", "shape": [4, 4], "seed": 1})
        for seed in range(120):
            draw = random.Random(f"junk {seed}")
            problem = draw.choice((ENCODER, DECODER, GATED, NESTED))
            pointer, changes = "", {}
            part = problem["block"]
            while isinstance(part, (dict, list)) and part and (not pointer or draw.random() < 0.8):
                key = draw.choice(sorted(part)) if isinstance(part, dict) else draw.randrange(len(part))
                pointer, part = f"{pointer}/{key}", part[key]
            changes["/block" + pointer] = draw.choice((REMOVED, *junk))
            with self.subTest(changes):
                done = attn("run", "-", "--format", "json", text=json.dumps(with_changes(problem, changes)))
                self.assertIn(done.returncode, (0, 2), done.stderr)
                self.assertEqual(done.stdout == "", done.returncode == 2)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--show"]:
        print(json.dumps(respelled(int(sys.argv[2])), ensure_ascii=False))
    else:
        unittest.main()
