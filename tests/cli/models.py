"""Transformers as their papers have them, in numpy: what an imported model must come to where no library is there.

A model is a dictionary of tensors with the names that its family stores them by; a matrix is stored as torch has it,
[out, in], save GPT-2's, which are [in, out].
"""

import math
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "property"))

from block_reference import ACTIVATIONS, normed, rotated, softmaxed
from positions import bucket


def drawn(shapes, seed):
    """Tensors of these shapes: {name: shape}."""
    draw = np.random.default_rng(seed).normal
    return {name: draw(size=shape) for name, shape in shapes.items()}


def layers_of(tensors, ending):
    """How many layers have a tensor whose name ends so."""
    return range(sum(name.endswith(ending) for name in tensors))


def linear(tensors, name, x):
    return x @ tensors[name + ".weight"].T + tensors.get(name + ".bias", 0)


def layer_norm(tensors, name, x, eps):
    return normed(x, "layer", eps, tensors[name + ".weight"], tensors[name + ".bias"])[-1][1]


def rms_norm(tensors, name, x, eps):
    return normed(x, "rms", eps, tensors[name + ".weight"])[-1][1]


def attention(queries, keys, values, heads, kv_heads=None, scale=None, causal=False, turned=lambda x: x, added=0):
    """Heads side by side in, heads side by side out."""
    split = lambda x, parts: x.reshape(len(x), parts, -1).transpose(1, 0, 2)
    q, k, v = split(queries, heads), split(keys, kv_heads or heads), split(values, kv_heads or heads)
    q, k = turned(q), turned(k)
    k, v = (np.repeat(x, heads // len(x), axis=0) for x in (k, v))
    scores = q @ k.transpose(0, 2, 1) * (1 / math.sqrt(q.shape[-1]) if scale is None else scale) + added
    if causal:
        scores = np.where(np.tri(*scores.shape[1:], dtype=bool), scores, -np.inf)
    return (softmaxed(scores) @ v).transpose(1, 0, 2).reshape(len(queries), -1)


def bert(tensors, ids, heads, act=ACTIVATIONS["gelu"]):
    of = lambda name, x: linear(tensors, name, x)
    norm = lambda name, x: layer_norm(tensors, name, x, 1e-12)
    x = norm("embeddings.LayerNorm", tensors["embeddings.word_embeddings.weight"][ids] +
             tensors["embeddings.position_embeddings.weight"][:len(ids)] + tensors["embeddings.token_type_embeddings.weight"][0])
    for i in layers_of(tensors, ".intermediate.dense.bias"):
        at = f"encoder.layer.{i}."
        seen = attention(*(of(at + "attention.self." + name, x) for name in ("query", "key", "value")), heads)
        x = norm(at + "attention.output.LayerNorm", x + of(at + "attention.output.dense", seen))
        x = norm(at + "output.LayerNorm", x + of(at + "output.dense", act(of(at + "intermediate.dense", x))))
    return x


def gpt2_shapes(width, inner, words, positions, layers):
    shapes = {"wte.weight": (words, width), "wpe.weight": (positions, width), "ln_f.weight": width, "ln_f.bias": width}
    for i in range(layers):
        for name, size in (("attn.c_attn", (width, 3 * width)), ("attn.c_proj", (width, width)),
                           ("mlp.c_fc", (width, inner)), ("mlp.c_proj", (inner, width))):
            shapes[f"h.{i}.{name}.weight"], shapes[f"h.{i}.{name}.bias"] = size, size[1]
        for name in ("ln_1", "ln_2"):
            shapes[f"h.{i}.{name}.weight"] = shapes[f"h.{i}.{name}.bias"] = width
    return shapes


def gpt2(tensors, ids, heads, act=ACTIVATIONS["gelu_tanh"], scales=None):
    """Logits. `scales`: what scores are multiplied by, a layer."""
    of = lambda name, x: x @ tensors[name + ".weight"] + tensors[name + ".bias"]
    norm = lambda name, x: layer_norm(tensors, name, x, 1e-5)
    x = tensors["wte.weight"][ids] + tensors["wpe.weight"][:len(ids)]
    for i in layers_of(tensors, ".ln_1.bias"):
        at = f"h.{i}."
        made = np.split(of(at + "attn.c_attn", norm(at + "ln_1", x)), 3, axis=1)
        x = x + of(at + "attn.c_proj", attention(*made, heads, causal=True, scale=scales[i] if scales else None))
        x = x + of(at + "mlp.c_proj", act(of(at + "mlp.c_fc", norm(at + "ln_2", x))))
    return norm("ln_f", x) @ tensors.get("lm_head.weight", tensors["wte.weight"]).T


def llama_shapes(width, inner, words, layers, kv_width):
    shapes = {"model.embed_tokens.weight": (words, width), "model.norm.weight": width, "lm_head.weight": (words, width)}
    for i in range(layers):
        at = f"model.layers.{i}."
        for name, size in (("self_attn.q_proj", (width, width)), ("self_attn.k_proj", (kv_width, width)),
                           ("self_attn.v_proj", (kv_width, width)), ("self_attn.o_proj", (width, width)),
                           ("mlp.gate_proj", (inner, width)), ("mlp.up_proj", (inner, width)),
                           ("mlp.down_proj", (width, inner)), ("input_layernorm", width),
                           ("post_attention_layernorm", width)):
            shapes[at + name + ".weight"] = size
    return shapes


def llama(tensors, ids, heads, kv_heads, base=10000.0, eps=1e-6):
    """Logits."""
    of = lambda name, x: linear(tensors, name, x)
    norm = lambda name, x: rms_norm(tensors, name, x, eps)
    x = tensors["model.embed_tokens.weight"][ids]
    for i in layers_of(tensors, "q_proj.weight"):
        at = f"model.layers.{i}."
        before = norm(at + "input_layernorm", x)
        seen = attention(*(of(at + f"self_attn.{name}_proj", before) for name in "qkv"), heads, kv_heads, causal=True,
                         turned=lambda one: rotated(one, one.shape[-1], base, interleaved=False))
        x = x + of(at + "self_attn.o_proj", seen)
        before = norm(at + "post_attention_layernorm", x)
        x = x + of(at + "mlp.down_proj", ACTIVATIONS["silu"](of(at + "mlp.gate_proj", before)) * of(at + "mlp.up_proj", before))
    return norm("model.norm", x) @ tensors.get("lm_head.weight", tensors["model.embed_tokens.weight"]).T


def t5_shapes(width, inner, words, layers, heads, head_width, buckets, gated=False):
    shapes = {"shared.weight": (words, width), "encoder.final_layer_norm.weight": width}
    for i in range(layers):
        at = f"encoder.block.{i}.layer."
        for name in "qkv":
            shapes[f"{at}0.SelfAttention.{name}.weight"] = (heads * head_width, width)
        shapes[at + "0.SelfAttention.o.weight"] = (width, heads * head_width)
        for name in ("wi_0", "wi_1") if gated else ("wi",):
            shapes[f"{at}1.DenseReluDense.{name}.weight"] = (inner, width)
        shapes[at + "1.DenseReluDense.wo.weight"] = (width, inner)
        shapes[at + "0.layer_norm.weight"] = shapes[at + "1.layer_norm.weight"] = width
    shapes["encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight"] = (buckets, heads)
    return shapes


def t5_encoder(tensors, ids, heads, act=ACTIVATIONS["relu"], gate=None, most=128):
    of = lambda name, x: linear(tensors, name, x)
    norm = lambda name, x: rms_norm(tensors, name, x, 1e-6)
    table = tensors["encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight"]
    places = range(len(ids))
    near = [[table[bucket(key - query, len(table), most, bidirectional=True)] for key in places] for query in places]
    x = tensors["shared.weight"][ids]
    for i in layers_of(tensors, "SelfAttention.q.weight"):
        at = f"encoder.block.{i}.layer."
        before = norm(at + "0.layer_norm", x)
        seen = attention(*(of(f"{at}0.SelfAttention.{name}", before) for name in "qkv"), heads, scale=1,
                         added=np.array(near).transpose(2, 0, 1))
        x = x + of(at + "0.SelfAttention.o", seen)
        before, network = norm(at + "1.layer_norm", x), at + "1.DenseReluDense."
        inner = gate(of(network + "wi_0", before)) * of(network + "wi_1", before) if gate else act(of(network + "wi", before))
        x = x + of(network + "wo", inner)
    return norm("encoder.final_layer_norm", x)


def torch_shapes(width, inner, attentions, norms, at=""):
    """A layer of torch.nn: its attentions, by name."""
    shapes = {}
    for name in attentions:
        shapes |= {f"{at}{name}in_proj_weight": (3 * width, width), f"{at}{name}in_proj_bias": 3 * width,
                   f"{at}{name}out_proj.weight": (width, width), f"{at}{name}out_proj.bias": width}
    if inner:
        shapes |= {at + "linear1.weight": (inner, width), at + "linear1.bias": inner,
                   at + "linear2.weight": (width, inner), at + "linear2.bias": width}
    for i in range(1, norms + 1):
        shapes[f"{at}norm{i}.weight"] = shapes[f"{at}norm{i}.bias"] = width
    return shapes


def torch_attention(tensors, at, x, memory, heads, causal=False):
    weights, biases = (np.split(tensors[f"{at}in_proj_{what}"], 3) for what in ("weight", "bias"))
    made = [one @ w.T + b for one, w, b in zip((x, memory, memory), weights, biases)]
    return linear(tensors, at + "out_proj", attention(*made, heads, causal=causal))


def torch_layer(tensors, x, heads, memory=None, at="", norm_first=False, act=ACTIVATIONS["relu"]):
    """Of an encoder; of a decoder where there is a memory."""
    works = [lambda y: torch_attention(tensors, at + "self_attn.", y, y, heads, causal=memory is not None)]
    if memory is not None:
        works.append(lambda y: torch_attention(tensors, at + "multihead_attn.", y, memory, heads))
    works.append(lambda y: linear(tensors, at + "linear2", act(linear(tensors, at + "linear1", y))))
    for i, work in enumerate(works, 1):
        norm = lambda y: layer_norm(tensors, f"{at}norm{i}", y, 1e-5)
        x = x + work(norm(x)) if norm_first else norm(x + work(x))
    return x
