"""attn.problem_from(): what nn.MultiheadAttention computes, as a problem.

The module is torch's where torch is; a stand-in with the same attributes else. What it computes is worked
out in numpy, line by line as torch documents it; and where recorded cases of torch are at hand, those are
compared too.
"""

import argparse
import json
import os
import sys
import unittest
from types import SimpleNamespace

from common import np

import attn

CASES = ""


class Parameter:
    """A tensor as torch has it: no array before it is detached."""

    def __init__(self, array):
        self.array = array
        self.dtype = f"torch.{array.dtype}"

    def detach(self):
        return self

    cpu = detach

    def numpy(self):
        return self.array


def module(width=8, heads=2, kdim=None, vdim=None, bias=True, bias_kv=False, zero_attn=False, batch_first=False,
           seed=0):
    """What has the attributes of torch's nn.MultiheadAttention."""
    random = np.random.default_rng(seed)

    def drawn(*shape):
        return Parameter(random.normal(size=shape))
    packed = kdim is None and vdim is None
    made = SimpleNamespace(embed_dim=width, num_heads=heads, batch_first=batch_first, add_zero_attn=zero_attn,
                           in_proj_weight=drawn(3 * width, width) if packed else None,
                           in_proj_bias=drawn(3 * width) if bias else None,
                           bias_k=drawn(1, 1, width) if bias_kv else None,
                           bias_v=drawn(1, 1, width) if bias_kv else None,
                           out_proj=SimpleNamespace(weight=drawn(width, width), bias=drawn(width) if bias else None))
    if not packed:
        made.q_proj_weight = drawn(width, width)
        made.k_proj_weight = drawn(width, kdim or width)
        made.v_proj_weight = drawn(width, vdim or width)
    return made


def forward(made, query, key, value, key_padding_mask=None, attn_mask=None, is_causal=False):
    """What the module makes of (N, L, E): the output, and the weights of each head."""
    def array(tensor):
        return tensor.array if tensor is not None else None
    width, heads = made.embed_dim, made.num_heads
    if made.in_proj_weight is not None:
        weights = np.split(array(made.in_proj_weight), 3)
    else:
        weights = [array(w) for w in (made.q_proj_weight, made.k_proj_weight, made.v_proj_weight)]
    biases = np.split(array(made.in_proj_bias), 3) if made.in_proj_bias is not None else [0, 0, 0]
    q, k, v = (x @ w.T + b for x, w, b in zip((query, key, value), weights, biases))
    count, length, sources = q.shape[0], q.shape[1], k.shape[1]
    added = np.zeros((count, heads, length, sources))
    if attn_mask is not None:
        mask = np.where(attn_mask, -np.inf, 0) if attn_mask.dtype == bool else attn_mask
        added = added + (mask if mask.ndim == 2 else mask.reshape(count, heads, length, sources))
    if key_padding_mask is not None:
        added = added + np.where(key_padding_mask, -np.inf, 0)[:, None, None, :]
    if is_causal:
        added = added + np.where(np.triu(np.ones((length, sources)), 1) > 0, -np.inf, 0)
    for extra_k, extra_v in [(array(made.bias_k), array(made.bias_v)),
                             (np.zeros((1, 1, width)),) * 2 if made.add_zero_attn else (None, None)]:
        if extra_k is not None:
            k, v = (np.concatenate([one, np.broadcast_to(extra, (count, 1, width))], axis=1)
                    for one, extra in ((k, extra_k), (v, extra_v)))
            added = np.pad(added, ((0, 0), (0, 0), (0, 0), (0, 1)))

    def split(x):
        return x.reshape(count, -1, heads, width // heads).transpose(0, 2, 1, 3)
    scores = split(q) @ split(k).transpose(0, 1, 3, 2) / np.sqrt(width // heads) + added
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    context = (weights @ split(v)).transpose(0, 2, 1, 3).reshape(count, length, width)
    output = context @ array(made.out_proj.weight).T
    return output + (array(made.out_proj.bias) if made.out_proj.bias is not None else 0), weights


class Modules(unittest.TestCase):
    def agree(self, made, query, key=None, value=None, **masks):
        """Both give the same numbers, however the module wants its inputs."""
        expected, weights = forward(made, query, query if key is None else key,
                                    (query if key is None else key) if value is None else value, **masks)

        def laid_out(x):
            return x if x is None or made.batch_first else x.swapaxes(0, 1)
        problem = attn.problem_from(made, laid_out(query), laid_out(key), laid_out(value), **masks)
        trace = attn.run(problem)
        np.testing.assert_allclose(trace["output"], expected, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(trace["attention_weights"], weights, rtol=1e-10, atol=1e-12)
        return trace

    def setUp(self):
        self.random = np.random.default_rng(11)

    def drawn(self, *shape):
        return self.random.normal(size=shape)

    def test_self_attention_of_any_heads_with_biases_and_without(self):
        for heads in (1, 2, 4):
            for bias in (True, False):
                for batch_first in (True, False):
                    made = module(heads=heads, bias=bias, batch_first=batch_first)
                    trace = self.agree(made, self.drawn(3, 5, 8))
                    self.assertEqual(trace.axes["scores"], ("batch", "head", "query", "key"))

    def test_keys_and_values_of_other_inputs_and_other_widths(self):
        self.agree(module(), self.drawn(2, 3, 8), self.drawn(2, 5, 8))
        self.agree(module(), self.drawn(2, 3, 8), self.drawn(2, 5, 8), self.drawn(2, 5, 8))
        self.agree(module(kdim=6, vdim=3), self.drawn(2, 3, 8), self.drawn(2, 5, 6), self.drawn(2, 5, 3))
        self.agree(module(kdim=6, vdim=6, bias=False), self.drawn(2, 3, 8), self.drawn(2, 5, 6))

    def test_learned_and_zero_keys_behind_the_others(self):
        for bias_kv in (True, False):
            for zero_attn in (True, False):
                made = module(bias_kv=bias_kv, zero_attn=zero_attn)
                trace = self.agree(made, self.drawn(2, 4, 8), is_causal=True)
                self.assertEqual(trace["attention_weights"].shape[-1], 4 + bias_kv + zero_attn)

    def test_masks_of_booleans_and_of_numbers(self):
        x = self.drawn(2, 4, 8)
        closed = np.triu(np.ones((4, 4), dtype=bool), 1)
        padding = np.array([[False, False, False, True], [False, False, True, True]])
        for mask in (closed, np.where(closed, -np.inf, 0.25), self.drawn(4, 4), self.drawn(2 * 2, 4, 4)):
            self.agree(module(), x, attn_mask=mask)
            self.agree(module(bias_kv=True), x, attn_mask=mask, key_padding_mask=padding)
        self.agree(module(zero_attn=True), x, key_padding_mask=padding)

    def test_a_mask_of_bytes_may_mean_two_things_and_is_refused(self):
        x, closed = self.drawn(2, 4, 8), np.triu(np.ones((4, 4), dtype=np.uint8), 1)
        with self.assertRaisesRegex(TypeError, "uint8 may say which keys are closed, or be added"):
            attn.problem_from(module(), x, attn_mask=closed)

    def test_one_sequence_without_a_batch(self):
        made = module()
        x, mask = self.drawn(4, 8), self.drawn(2, 4, 4)
        expected, _ = forward(made, x[None], x[None], x[None], attn_mask=mask)
        trace = attn.run(attn.problem_from(made, x, attn_mask=mask))
        np.testing.assert_allclose(trace["output"], expected[0], rtol=1e-10)
        padding = np.array([False, True, False, False])
        expected, _ = forward(made, x[None], x[None], x[None], key_padding_mask=padding[None])
        trace = attn.run(attn.problem_from(made, x, key_padding_mask=padding))
        np.testing.assert_allclose(trace["output"], expected[0], rtol=1e-10)

    def test_a_dump_of_the_module_is_compared_with_it(self):
        made = module(width=12, heads=3)
        x = self.drawn(2, 5, 12)
        output, weights = forward(made, x, x, x)
        problem = attn.problem_from(made, x.swapaxes(0, 1))
        self.assertTrue(attn.diff(problem, {"attn_output": output.swapaxes(0, 1), "attn_weights": weights}).equal)
        exchanged = attn.diff(problem, {"attn_weights": weights[:, [1, 0, 2]]})
        self.assertEqual(exchanged.first_different, "attention_weights")
        self.assertEqual(exchanged.data["relation"]["heads"], [2, 1, 3])

    def test_torch_is_not_imported(self):
        attn.run(attn.problem_from(module(), self.drawn(1, 2, 8)))
        self.assertNotIn("torch", sys.modules)


class Torch(unittest.TestCase):
    """The same of torch itself, where it is."""

    def setUp(self):
        try:
            import torch
        except ImportError:
            self.skipTest("there is no torch")
        self.torch = torch

    def test_its_module_and_its_tensors_are_read(self):
        torch = self.torch
        torch.manual_seed(1)
        for options in ({}, {"add_bias_kv": True, "add_zero_attn": True}, {"kdim": 6, "vdim": 4}, {"bias": False}):
            for dtype in (torch.float64, torch.float32):
                made = torch.nn.MultiheadAttention(8, 2, batch_first=True, **options).to(dtype)
                query = torch.randn(2, 3, 8, dtype=dtype)
                key = torch.randn(2, 5, options.get("kdim", 8), dtype=dtype)
                value = torch.randn(2, 5, options.get("vdim", 8), dtype=dtype)
                output, weights = made(query, key, value, average_attn_weights=False)
                attn.testing.assert_attention(attn.problem_from(made, query, key, value),
                                              {"attn_output": output, "attn_weights": weights})


class Recorded(unittest.TestCase):
    """What torch gave for modules of every kind."""

    def test_every_case(self):
        if not os.path.isdir(CASES):
            self.skipTest(f"no cases at {CASES}")
        files = sorted(name for name in os.listdir(CASES) if name.endswith(".json"))
        self.assertGreater(len(files), 10)
        for name in files:
            with self.subTest(name), open(os.path.join(CASES, name), encoding="utf-8") as file:
                self.compare(json.load(file))

    def compare(self, case):
        def array(group, name):
            stored = case[group].get(name)
            if not stored:
                return None
            dtype = bool if stored["dtype"] == "bool" else np.float64
            return np.array(stored["data"], dtype=object).astype(dtype)

        def parameter(name):
            found = array("parameters", name)
            return None if found is None else Parameter(found)
        config = case["config"]
        made = SimpleNamespace(
            embed_dim=config["embed_dim"], num_heads=config["num_heads"], batch_first=config["batch_first"],
            add_zero_attn=config["add_zero_attn"], bias_k=parameter("bias_k"), bias_v=parameter("bias_v"),
            in_proj_bias=parameter("in_proj_bias"), in_proj_weight=parameter("in_proj_weight"),
            q_proj_weight=parameter("q_proj_weight"), k_proj_weight=parameter("k_proj_weight"),
            v_proj_weight=parameter("v_proj_weight"),
            out_proj=SimpleNamespace(weight=parameter("out_proj.weight"), bias=parameter("out_proj.bias")))
        masks = {name: array("inputs", name) for name in ("key_padding_mask", "attn_mask")}
        inputs = (array("inputs", name) for name in ("query", "key", "value"))
        trace = attn.run(attn.problem_from(made, *inputs, **masks))
        output, weights = trace["output"], trace["attention_weights"]
        if output.ndim == 3 and not config["batch_first"]:
            output = output.swapaxes(0, 1)
        expected = array("outputs", "attn_output")
        open_rows = ~np.isnan(expected).any(-1)  # a row that sees no key is NaN there, and 0 with a note here
        self.assertEqual(expected.shape, output.shape)
        np.testing.assert_allclose(output[open_rows], expected[open_rows], rtol=1e-9, atol=1e-12)
        expected = array("extra", "attn_output_weights_per_head").reshape(weights.shape)
        np.testing.assert_allclose(weights, np.nan_to_num(expected), rtol=1e-9, atol=1e-12)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", default="", help="recorded cases of torch")
    options, rest = parser.parse_known_args()
    CASES = options.cases
    unittest.main(argv=[sys.argv[0], *rest])
