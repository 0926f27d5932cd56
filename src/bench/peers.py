"""Attention, or a whole model, by another library, timed for `attn bench --compare`.

    python3 -c PROGRAM LIBRARY THREADS

Every line read is a request, and is answered by one line:

    hello            have<TAB>VERSION<TAB>WAY<TAB>WAY…   or   missing<TAB>WHY
    prepare WAY B H KV_HEADS QUERIES KEYS D_K D_V D_MODEL CAUSAL DTYPE MODEL
                     ready   or   no WHY
    time WAY         seconds S   or   failed

A way is a number, counted from 0. Where D_MODEL is not 0, inputs are projected
to queries, keys and values, and the contexts to outputs. Inputs are random.
MODEL is -, or JSON of what stands around each attention; ways whose names begin
with "model" compute that.
"""

import functools
import json
import math
import os
import struct
import sys
import time
from collections import namedtuple

Sizes = namedtuple("Sizes", "batch heads kv_heads queries keys key_width value_width model_width causal dtype model")

Model = namedtuple("Model", "layers hidden vocabulary norm_first norm ends_with_norm biased turned activation apart")

CACHE = 256 << 20        # more than the caches of processors hold
ROWS = 256               # queries in a block


def number_size(sizes):
    return {"f64": 8, "f32": 4}.get(sizes.dtype, 2)


def copies_of(sizes):
    """So many inputs take turns that none is in a cache when its turn comes, where reading is what takes time."""
    row = sizes.batch * sizes.kv_heads * sizes.keys * (sizes.key_width + sizes.value_width) * number_size(sizes)
    reads_once = sizes.queries * sizes.heads < 8 * sizes.kv_heads
    return 1 + CACHE // row if reads_once and row > 1 << 20 else 1


def scores_fit(sizes):
    """Refuses what would keep scores in memory that has no room for them."""
    needed = sizes.batch * sizes.heads * sizes.queries * sizes.keys * number_size(sizes)
    with open("/proc/meminfo", encoding="ascii") as file:
        free = next(int(line.split()[1]) * 1024 for line in file if line.startswith("MemAvailable"))
    return "" if needed < 0.4 * free else f"its scores would take {needed / 2**30:.1f} GiB"


@functools.lru_cache(maxsize=1)
def inputs_of(np, sizes):
    """q, k and v, or inputs and weights, as often as they take turns."""
    kind = np.float64 if sizes.dtype == "f64" else np.float32
    random = np.random.default_rng(1)

    def tensor(*shape, scale=1.0):
        return random.standard_normal(shape, dtype=kind) * kind(scale)

    if sizes.model_width:
        width, columns = sizes.model_width, sizes.heads * sizes.key_width
        small = 1 / math.sqrt(width)
        return [(tensor(sizes.batch, sizes.queries, width), tensor(width, 3 * columns, scale=small),
                 tensor(columns, width, scale=1 / math.sqrt(columns)))]
    return [(tensor(sizes.batch, sizes.heads, sizes.queries, sizes.key_width),
             tensor(sizes.batch, sizes.kv_heads, sizes.keys, sizes.key_width),
             tensor(sizes.batch, sizes.kv_heads, sizes.keys, sizes.value_width)) for _ in range(copies_of(sizes))]


def usual_projections(sizes):
    """Why inputs of these sizes cannot be projected; "" where they can."""
    same = sizes.heads == sizes.kv_heads and sizes.key_width == sizes.value_width
    return "" if same or not sizes.model_width else "projections with other heads or widths for keys and values"


# --- numpy ------------------------------------------------------------------


def numpy_ways():
    import numpy as np

    def softmax(scores):
        scores -= scores.max(axis=-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=-1, keepdims=True)

    def closed(first, rows, sizes):
        """Of these queries the cells that lie behind them."""
        return np.arange(sizes.keys) > np.arange(first, first + rows)[:, None] + (sizes.keys - sizes.queries)

    def whole(q, k, v, sizes):
        shared = sizes.heads // sizes.kv_heads
        grouped = q.reshape(sizes.batch, sizes.kv_heads, shared * sizes.queries, sizes.key_width)
        scores = grouped @ k.swapaxes(-1, -2)
        scores *= scores.dtype.type(1 / math.sqrt(sizes.key_width))
        if sizes.causal:
            each = scores.reshape(sizes.batch, sizes.heads, sizes.queries, sizes.keys)
            np.copyto(each, -np.inf, where=closed(0, sizes.queries, sizes))
        softmax(scores)
        return (scores @ v).reshape(sizes.batch, sizes.heads, sizes.queries, sizes.value_width)

    def blocked(q, k, v, sizes):
        shared = sizes.heads // sizes.kv_heads
        scale = q.dtype.type(1 / math.sqrt(sizes.key_width))
        context = np.empty((sizes.batch, sizes.heads, sizes.queries, sizes.value_width), q.dtype)
        for b in range(sizes.batch):
            for h in range(sizes.heads):
                keys, values = k[b, h // shared].T, v[b, h // shared]
                for first in range(0, sizes.queries, ROWS):
                    last = min(first + ROWS, sizes.queries)
                    seen = min(last + sizes.keys - sizes.queries, sizes.keys) if sizes.causal else sizes.keys
                    scores = (q[b, h, first:last] * scale) @ keys[:, :seen]
                    if sizes.causal:
                        scores[closed(first, last - first, sizes)[:, :seen]] = -np.inf
                    softmax(scores)
                    np.matmul(scores, values[:seen], out=context[b, h, first:last])
        return context

    def projected(attend, x, w_in, w_out, sizes):
        split = (x @ w_in).reshape(sizes.batch, sizes.queries, 3, sizes.heads, sizes.key_width)
        context = attend(*(np.ascontiguousarray(split[:, :, i].swapaxes(1, 2)) for i in range(3)), sizes)
        return context.swapaxes(1, 2).reshape(sizes.batch, sizes.queries, -1) @ w_out

    def way(attend, fits):
        def prepare(sizes):
            if sizes.dtype not in ("f32", "f64"):
                return f"it has no {sizes.dtype}"
            why = fits(sizes) or usual_projections(sizes)
            if why:
                return why
            if sizes.model_width:
                return [lambda of=of: projected(attend, *of, sizes) for of in inputs_of(np, sizes)]
            return [lambda of=of: attend(*of, sizes) for of in inputs_of(np, sizes)]
        return prepare

    version = np.__version__
    try:
        blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
        version += f", {blas['name']} {blas['version']}"
    except Exception:
        pass
    return version, {"numpy, all scores": way(whole, scores_fit), "numpy, 256 rows at a time": way(blocked, lambda sizes: "")}


# --- torch ------------------------------------------------------------------


def torch_ways(threads):
    import torch
    import numpy as np
    torch.set_num_threads(threads)
    kinds = {"f64": torch.float64, "f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}

    def prepare(sizes):
        from torch.nn.functional import linear, scaled_dot_product_attention
        more = {"is_causal": sizes.causal}
        if sizes.causal and sizes.queries != sizes.keys:  # is_causal aligns the first query with the first key
            mask = torch.ones(sizes.queries, sizes.keys, dtype=torch.bool).tril(sizes.keys - sizes.queries)
            more = {"attn_mask": mask}
        if sizes.heads != sizes.kv_heads:
            more["enable_gqa"] = True
        why = usual_projections(sizes)
        if why:
            return why

        def attend(q, k, v):
            with torch.inference_mode():
                return scaled_dot_product_attention(q, k, v, **more)

        def projected(x, w_in, w_out):
            with torch.inference_mode():
                split = linear(x, w_in).view(sizes.batch, sizes.queries, 3, sizes.heads, sizes.key_width)
                q, k, v = split.permute(2, 0, 3, 1, 4)
                context = scaled_dot_product_attention(q, k, v, **more)
                return linear(context.transpose(1, 2).reshape(sizes.batch, sizes.queries, -1), w_out)

        tensors = [[torch.from_numpy(one).to(kinds[sizes.dtype]) for one in of] for of in inputs_of(np, sizes)]
        if sizes.model_width:
            (x, w_in, w_out), = tensors
            w_in, w_out = w_in.T.contiguous(), w_out.T.contiguous()  # as nn.Linear stores them
            return [lambda: projected(x, w_in, w_out)]
        return [lambda of=of: attend(*of) for of in tensors]

    def model(sizes):
        """Layers as the problem has them, with random weights, from embeddings to logits."""
        if sizes.model.apart:
            return "this model has " + sizes.model.apart
        if sizes.key_width != sizes.value_width:
            return "keys and values of one width only"
        with torch.inference_mode():
            whole = TorchModel(torch, sizes, kinds[sizes.dtype])
        return [whole.logits]

    return torch.__version__, {"torch SDPA": prepare, "model torch linear and SDPA": model}


class TorchModel:
    """A transformer of layers that are alike, by torch.nn.functional."""

    def __init__(self, torch, sizes, kind):
        self.torch, self.sizes = torch, sizes
        torch.manual_seed(1)
        about, width = sizes.model, sizes.model_width
        self.columns = [heads * sizes.key_width for heads in (sizes.heads, sizes.kv_heads, sizes.kv_heads)]
        functional = torch.nn.functional
        self.activation, self.gated = {
            "relu": (functional.relu, False),
            "gelu": (functional.gelu, False),
            "gelu_tanh": (functools.partial(functional.gelu, approximate="tanh"), False),
            "silu": (functional.silu, False),
            "swiglu": (functional.silu, True),
            "geglu": (functional.gelu, True),
            "geglu_tanh": (functools.partial(functional.gelu, approximate="tanh"), True),
        }[about.activation or "relu"]

        def linear(into, out):
            weight = torch.empty(out, into, dtype=kind).normal_(std=1 / math.sqrt(into))
            return weight, torch.zeros(out, dtype=kind) if about.biased else None

        def norm():
            return torch.ones(width, dtype=kind), torch.zeros(width, dtype=kind)

        self.x = torch.empty(sizes.batch, sizes.queries, width, dtype=kind).normal_()
        self.layers = []
        for _ in range(about.layers):
            layer = {"qkv": linear(width, sum(self.columns)), "out": linear(self.columns[0], width),
                     "norms": (norm(), norm())}
            if about.hidden:
                layer["in"] = linear(width, (2 if self.gated else 1) * about.hidden)
                layer["down"] = linear(about.hidden, width)
            self.layers.append(layer)
        self.last_norm = norm()
        self.unembedding = linear(width, about.vocabulary)[0] if about.vocabulary else None
        place = torch.arange(sizes.queries, dtype=kind)[:, None]
        turn = place * 10000 ** (-torch.arange(0, sizes.key_width, 2, dtype=kind) / sizes.key_width)
        self.cosines, self.sines = torch.cos(turn).repeat(1, 2), torch.sin(turn).repeat(1, 2)

    def normed(self, x, norm):
        if self.sizes.model.norm == "rms":
            return x * self.torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-5) * norm[0]
        return self.torch.nn.functional.layer_norm(x, x.shape[-1:], *norm)

    def turned(self, x):
        if not self.sizes.model.turned:
            return x
        first, second = x.chunk(2, dim=-1)
        return x * self.cosines + self.torch.cat((-second, first), dim=-1) * self.sines

    def attention(self, x, layer):
        functional, sizes = self.torch.nn.functional, self.sizes
        q, k, v = functional.linear(x, *layer["qkv"]).split(self.columns, dim=-1)
        q, k, v = (one.unflatten(-1, (-1, sizes.key_width)).transpose(1, 2) for one in (q, k, v))
        more = {"enable_gqa": True} if sizes.heads != sizes.kv_heads else {}
        context = functional.scaled_dot_product_attention(self.turned(q), self.turned(k), v, is_causal=sizes.causal,
                                                          **more)
        return functional.linear(context.transpose(1, 2).flatten(2), *layer["out"])

    def network(self, x, layer):
        functional = self.torch.nn.functional
        x = functional.linear(x, *layer["in"])
        if self.gated:
            gate, x = x.chunk(2, dim=-1)
            x = self.activation(gate) * x
        else:
            x = self.activation(x)
        return functional.linear(x, *layer["down"])

    def logits(self):
        about = self.sizes.model
        with self.torch.inference_mode():
            x = self.x
            for layer in self.layers:
                parts = [self.attention, self.network] if about.hidden else [self.attention]
                for part, norm in zip(parts, layer["norms"]):
                    if about.norm_first:
                        x = x + part(self.normed(x, norm), layer)
                    else:
                        x = self.normed(x + part(x, layer), norm)
            if about.ends_with_norm:
                x = self.normed(x, self.last_norm)
            return x if self.unembedding is None else self.torch.nn.functional.linear(x, self.unembedding)


# --- onnxruntime --------------------------------------------------------------
#
# A model is a message of protocol buffers; these are the fields of onnx.proto
# that are needed here, so that the package onnx is not.


def varint(number):
    number &= (1 << 64) - 1
    text = b""
    while number > 127:
        text += bytes([number & 127 | 128])
        number >>= 7
    return text + bytes([number])


def field(number, value):
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def attribute(name, value):
    which, kind = (2, 1) if isinstance(value, float) else (3, 2)
    return field(1, name) + field(which, value) + field(20, kind)


def node(operator, inputs, outputs, domain="", **attributes):
    text = b"".join(field(1, one) for one in inputs) + b"".join(field(2, one) for one in outputs)
    text += field(4, operator) + b"".join(field(5, attribute(*one)) for one in attributes.items())
    return text + field(7, domain)


def port(name, shape, kind=1):
    dimensions = b"".join(field(1, field(1, size)) for size in shape)
    return field(1, name) + field(2, field(1, field(1, kind) + field(2, dimensions)))


def weight(name, array):
    text = b"".join(field(1, size) for size in array.shape) + field(2, 1)
    return text + field(8, name) + field(9, array.tobytes())


def graph_of(nodes, inputs, outputs, weights=()):
    graph = b"".join(field(1, one) for one in nodes) + field(2, "attention")
    graph += b"".join(field(5, one) for one in weights) + b"".join(field(11, one) for one in inputs)
    graph += b"".join(field(12, one) for one in outputs)
    versions = field(8, field(1, "") + field(2, 23)) + field(8, field(1, "com.microsoft") + field(2, 1))
    return field(1, 10) + versions + field(7, graph)


def onnxruntime_ways(threads):
    import onnxruntime
    import numpy as np

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    microsoft = "com.microsoft"

    def side_by_side(array):
        """[batch, head, row, column] as [batch, row, column of all heads]."""
        return np.ascontiguousarray(array.swapaxes(1, 2)).reshape(array.shape[0], array.shape[2], -1)

    def calls(text, feeds):
        session = onnxruntime.InferenceSession(text, options, providers=["CPUExecutionProvider"])
        return [lambda feed=feed: session.run(["y"], feed) for feed in feeds]

    def refused(sizes):
        if sizes.dtype != "f32":
            return f"it has no {sizes.dtype} on processors"
        if sizes.causal and sizes.queries != sizes.keys:
            return "causal with as many queries as keys only"
        return ""

    def attention(sizes):
        """The operator of ONNX, from version 23 on."""
        why = refused(sizes) or scores_fit(sizes) or ("without projections only" if sizes.model_width else "")
        if why:
            return why
        feeds = [dict(zip("qkv", of)) for of in inputs_of(np, sizes)]
        graph = graph_of([node("Attention", ["q", "k", "v"], ["y"], is_causal=int(sizes.causal))],
                      [port(name, array.shape) for name, array in feeds[0].items()],
                      [port("y", (sizes.batch, sizes.heads, sizes.queries, sizes.value_width))])
        return calls(graph, feeds)

    def multi_head(sizes):
        why = refused(sizes) or (scores_fit(sizes) if sizes.causal else "") or usual_projections(sizes)
        if not why and sizes.heads != sizes.kv_heads:
            why = "with as many heads of keys as of queries only"
        if why:
            return why
        if sizes.model_width:
            return projected(sizes)
        feeds = [dict(zip("qkv", map(side_by_side, of))) for of in inputs_of(np, sizes)]
        graph = graph_of([node("MultiHeadAttention", ["q", "k", "v"], ["y"], microsoft, num_heads=sizes.heads,
                            unidirectional=int(sizes.causal))],
                      [port(name, array.shape) for name, array in feeds[0].items()],
                      [port("y", (sizes.batch, sizes.queries, sizes.heads * sizes.value_width))])
        return calls(graph, feeds)

    def projected(sizes):
        """Microsoft's Attention projects the inputs itself."""
        (x, w_in, w_out), = inputs_of(np, sizes)
        zeros = np.zeros(w_in.shape[1], np.float32)
        graph = graph_of([node("Attention", ["x", "w_in", "b_in"], ["c"], microsoft, num_heads=sizes.heads,
                            unidirectional=int(sizes.causal)),
                       node("MatMul", ["c", "w_out"], ["y"])],
                      [port("x", x.shape)], [port("y", x.shape)],
                      [weight("w_in", w_in), weight("b_in", zeros), weight("w_out", w_out)])
        return calls(graph, [{"x": x}])

    def grouped_query(sizes):
        why = refused(sizes) or ("without projections only" if sizes.model_width else "")
        if not why and not sizes.causal:
            why = "causal only"
        if not why and (sizes.key_width != sizes.value_width or sizes.key_width % 8):
            why = "keys and values of one width only, a multiple of 8"
        if why:
            return why
        feeds = [dict(zip("qkv", map(side_by_side, of))) for of in inputs_of(np, sizes)]
        last = np.full(sizes.batch, sizes.keys - 1, np.int32)
        for feed in feeds:
            feed.update(last=last, total=np.array(sizes.keys, np.int32))
        cache = (sizes.batch, sizes.kv_heads, sizes.keys, sizes.key_width)
        graph = graph_of([node("GroupQueryAttention", ["q", "k", "v", "", "", "last", "total"], ["y", "k_all", "v_all"],
                            microsoft, num_heads=sizes.heads, kv_num_heads=sizes.kv_heads)],
                      [port(name, array.shape, 1 if name in "qkv" else 6) for name, array in feeds[0].items()],
                      [port("y", (sizes.batch, sizes.queries, sizes.heads * sizes.value_width)),
                       port("k_all", cache), port("v_all", cache)])
        return calls(graph, feeds)

    return onnxruntime.__version__, {"onnxruntime Attention": attention, "onnxruntime MultiHeadAttention": multi_head,
                                     "onnxruntime GroupQueryAttention": grouped_query}


# --- the conversation ---------------------------------------------------------


class Timer:
    """Calls of one way, whose inputs take turns."""

    def __init__(self, calls):
        self.calls, self.next = calls, 0
        self.took = self.timed(1)

    def timed(self, count):
        start = time.perf_counter()
        for _ in range(count):
            self.calls[self.next]()
            self.next = (self.next + 1) % len(self.calls)
        return (time.perf_counter() - start) / count

    def seconds(self):
        # As src/bench/cpu/measurable.cpp has it: warm, and long enough for the clock.
        if self.took < 0.02:
            self.timed(1)
        self.took = self.timed(max(1, min(1000, int(0.001 / self.took))))
        return self.took


def hello(library, threads):
    if library == "numpy":
        return numpy_ways()
    return torch_ways(threads) if library == "torch" else onnxruntime_ways(threads)


def main():
    library, threads = sys.argv[1], int(sys.argv[2])
    sys.path[:] = [folder for folder in sys.path if folder]  # nothing of the current folder is run
    for name in ("OMP", "OPENBLAS", "MKL", "BLIS", "VECLIB_MAXIMUM"):
        os.environ[name + "_NUM_THREADS"] = str(threads)
    ways, timers, prepared = {}, {}, None
    # What libraries print is none of the answers.
    answers = os.fdopen(os.dup(1), "w", buffering=1, encoding="utf-8")
    os.dup2(2, 1)
    for line in sys.stdin:
        word, *rest = line.split()
        try:
            if word == "hello":
                version, ways = hello(library, threads)
                answer = "\t".join(["have", version, *ways])
            elif word == "prepare":
                way, *numbers, causal, dtype, model = rest
                about = None if model == "-" else Model(**json.loads(model))
                sizes = Sizes(*map(int, numbers), causal == "1", dtype, about)
                if sizes != prepared:
                    timers.clear()
                    inputs_of.cache_clear()
                prepared = sizes
                calls = list(ways.values())[int(way)](sizes)
                answer = "no " + calls if isinstance(calls, str) else "ready"
                if answer == "ready":
                    timers[way] = Timer(calls)
            else:
                answer = f"seconds {timers[rest[0]].seconds()!r}"
        except Exception as error:
            why = " ".join(f"{type(error).__name__}: {error}".split())[:200]
            answer = {"hello": "missing\t" + why, "prepare": "no " + why}.get(word, "failed")
        print(answer, file=answers)


main()
