"""`attn diff` and `attn list` as a person or a script meets them.

Most tests work a problem out with numpy as a program with one other convention
would, store it, and expect that convention to be named.
"""

import functools
import itertools
import json
import os
import pickle
import struct
import subprocess
import sys
import tempfile
import unittest

try:
    import jsonschema
    import numpy as np
except ImportError as missing:
    print(f"skipped: there is no {missing.name}")
    sys.exit(77)

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "property"))

from slow import SLOW  # noqa: E402

ATTN = os.path.abspath(os.environ["ATTN"])
ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
DATA = os.path.join(ROOT, "data")
EXAMPLE = os.path.join(DATA, "worked-example.json")
SCALED = os.path.join(DATA, "worked-example-scaled.json")


def attn(*words, text=None):
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
    return subprocess.run([ATTN, *words], input=text, capture_output=True, encoding="utf-8", env=environment,
                          timeout=1200 if SLOW else 120)


@functools.cache
def schema_of_reports():
    return jsonschema.Draft202012Validator(json.loads(attn("schema", "diff").stdout))


def softmax(scores, axis=-1, base=np.e):
    with np.errstate(invalid="ignore"):
        exponentials = base ** (scores - scores.max(axis=axis, keepdims=True))
        return exponentials / exponentials.sum(axis=axis, keepdims=True)


class Attention:
    """Self-attention over heads, in numpy, each choice open to be made otherwise."""

    def __init__(self, seed=7, tokens=5, width=8, heads=2, kv_heads=None, batch=None, bias=True, scale=None,
                 causal=False, offset=0, mask=None, softcap=None):
        random = np.random.default_rng(seed)
        self.heads, self.kv_heads = heads, kv_heads or heads
        self.d = width // heads
        shape = (tokens, width) if batch is None else (batch, tokens, width)
        self.x = random.normal(size=shape)
        wide = {"query": width, "key": self.kv_heads * self.d, "value": self.kv_heads * self.d}
        self.w = {role: random.normal(size=(width, columns)) for role, columns in wide.items()}
        self.b = {role: random.normal(size=columns) for role, columns in wide.items()} if bias else {}
        self.w["output"] = random.normal(size=(width, width))
        self.scale, self.causal, self.offset, self.mask, self.softcap = scale, causal, offset, mask, softcap

    def problem(self):
        stated = {"inputs": self.x.tolist(), "heads": self.heads,
                  "weights": {role: weight.tolist() for role, weight in self.w.items()}}
        if self.b:
            stated["biases"] = {role: bias.tolist() for role, bias in self.b.items()}
        if self.kv_heads != self.heads:
            stated["kv_heads"] = self.kv_heads
        for key in ("scale", "softcap"):
            if getattr(self, key) is not None:
                stated[key] = getattr(self, key)
        if self.causal:
            stated["causal"] = True
        if self.offset:
            stated["offset"] = self.offset
        if self.mask is not None:
            stated["mask"] = {"allow": self.mask.astype(int).tolist()}
        return stated

    def split(self, wide, heads):
        """[.., N, h·d] → [.., h, N, d]"""
        return np.moveaxis(wide.reshape(*wide.shape[:-1], heads, -1), -2, -3)

    def tensors(self, *, turned=(), bias=True, scale=None, interleaved=False, tiled=False, allow=None, cap="usual",
                base=np.e, axis=-1, closed=-np.inf, exchanged=False, query_heads=None):
        made = {}
        for role, plural in (("query", "queries"), ("key", "keys"), ("value", "values")):
            weight = self.w[role].T if role in turned else self.w[role]
            wide = self.x @ weight + (self.b[role] if bias and self.b else 0)
            heads = self.heads if role == "query" else self.kv_heads
            if interleaved:
                made[plural] = np.moveaxis(wide.reshape(*wide.shape[:-1], -1, heads), -1, -3)
            else:
                made[plural] = self.split(wide, heads)
        if query_heads:
            made["queries"] = made["queries"][..., query_heads, :, :]
        if exchanged:
            made["keys"], made["values"] = made["values"], made["keys"]
        group = self.heads // self.kv_heads
        repeat = (lambda t: np.concatenate([t] * group, axis=-3)) if tiled else (lambda t: t.repeat(group, axis=-3))
        keys, values = repeat(made["keys"]), repeat(made["values"])
        made["scores"] = made["queries"] @ np.swapaxes(keys, -1, -2)
        scale = scale if scale is not None else self.scale if self.scale is not None else 1 / np.sqrt(self.d)
        capped = lambda s: self.softcap * np.tanh(s / self.softcap)
        read = made["scaled_scores"] = (capped(made["scores"]) if cap == "early" else made["scores"]) * scale
        if self.softcap and cap == "usual":
            read = made["capped_scores"] = capped(read)
        if allow is None:
            allow = self.allowed()
        if allow is not None:
            read = made["masked_scores"] = np.where(allow, read, closed)
            if self.softcap and cap == "late":
                read = made["masked_scores"] = capped(read)
        made["attention_weights"] = softmax(read, axis, base)
        made["context"] = made["attention_weights"] @ values
        side = np.moveaxis(made["context"], -3, -2)
        made["concat"] = side.reshape(*side.shape[:-2], -1)
        made["output"] = made["concat"] @ self.w["output"]
        return made

    def allowed(self):
        allowed = self.mask
        if self.causal:
            n = self.x.shape[-2]
            triangle = np.tril(np.ones((n, n), bool), self.offset)
            allowed = triangle if allowed is None else triangle & allowed
        return allowed


def stored_safetensors(tensors, metadata=None):
    names = {"float64": "F64", "float32": "F32", "float16": "F16", "bool": "BOOL", "int64": "I64"}
    header, data = ({"__metadata__": metadata} if metadata else {}), b""
    for name, tensor in tensors.items():
        raw = np.ascontiguousarray(tensor).tobytes()
        header[name] = {"dtype": names[str(tensor.dtype)], "shape": list(tensor.shape),
                        "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write_json(self, name, value):
        with open(self.path(name), "w", encoding="utf-8") as file:
            json.dump(value, file)
        return self.path(name)

    def write_npz(self, tensors, name="dump.npz"):
        np.savez(self.path(name), **tensors)
        return self.path(name)

    def report(self, a, b, *more, code=1):
        done = attn("diff", a, b, "--format", "json", *more)
        self.assertEqual((done.returncode, done.stderr), (code, ""), done.stdout[:2000])
        report = json.loads(done.stdout)
        schema_of_reports().validate(report)
        return report

    def text(self, a, b, *more, code=1):
        done = attn("diff", a, b, *more)
        self.assertEqual(done.returncode, code, done.stdout)
        self.assertRegex(done.stderr, r"^(attn: note: --rtol and --atol ask for .*\n)?$" if code == 1 else "^$")
        self.assertLessEqual(max(map(len, done.stdout.split("\n"))), 80, done.stdout)
        return " ".join(done.stdout.split())


class Dumps(Case):
    def compare(self, attention, only=None, names=None, code=1, more=(), dtype=None, **otherwise):
        """Of the problem and a dump of what a program with these choices would have."""
        problem = self.write_json("problem.json", attention.problem())
        tensors = attention.tensors(**otherwise)
        if only:
            tensors = {name: tensors[name] for name in only}
        if dtype:
            tensors = {name: tensor.astype(dtype) for name, tensor in tensors.items()}
        tensors = {(names or {}).get(name, name): tensor for name, tensor in tensors.items()}
        return self.report(problem, self.write_npz(tensors), *more, code=code)

    def explained(self, attention, expected, step, follow=True, **otherwise):
        report = self.compare(attention, **otherwise)
        self.assertEqual(report["first_different"], step)
        self.assertTrue(report["explanations"], f"nothing explains {step}")
        first = report["explanations"][0]
        self.assertIn(expected, [first["id"], *first["also"]], report["explanations"])
        if follow:
            self.assertIsNone(first["next"], first)
        return report

    def test_a_dump_of_the_same_is_the_same(self):
        for attention in (Attention(), Attention(batch=3), Attention(kv_heads=1, heads=4), Attention(causal=True)):
            report = self.compare(attention, code=0)
            self.assertTrue(report["equal"])
            self.assertIsNone(report["first_different"])
            verdicts = {step["id"]: step["verdict"] for step in report["steps"]}
            self.assertEqual(verdicts["output"], "same")
            self.assertEqual(verdicts["mask"] if attention.causal else "only_A", "only_A")

    def test_single_precision_is_the_same_within_its_rounding(self):
        report = self.compare(Attention(batch=2), dtype=np.float32, code=0)
        self.assertEqual(report["tolerance"]["relative"], 1e-4)
        self.assertEqual(report["B"]["dtype"], "f32")
        output = [step for step in report["steps"] if step["id"] == "output"][0]
        self.assertFalse(output["same_bits"])
        self.assertLess(output["largest_absolute"]["apart"], 1e-4)

    def test_weights_too_small_for_single_precision_are_no_difference(self):
        attention = Attention(tokens=32, width=64, heads=1, scale=1.0)
        report = self.compare(attention, dtype=np.float32, code=0)
        self.assertTrue(report["equal"])
        weights = attention.tensors()["attention_weights"]
        self.assertTrue(((weights > 0) & (weights.astype(np.float32) == 0)).any())

    def test_rtol_is_relative_to_the_better_known_of_the_two_files(self):
        problem = self.write_json("one.json", {"inputs": [[1]]})
        trace = self.path("trace.json")
        attn("run", problem, "-o", trace)
        twice, half = (self.write_npz({"context": np.array([[number]])}, f"{number}.npz") for number in (2.0, 0.5))
        for known in (problem, trace):
            for files in ((known, twice), (twice, known)):
                self.report(*files, "--rtol", "0.6", code=1)  # apart by all of 1, and by half of 2
            for files in ((known, half), (half, known)):
                self.report(*files, "--rtol", "0.6", code=0)
        self.report(half, twice, "--rtol", "0.8", code=1)
        self.report(twice, half, "--rtol", "0.8", code=0)

    def test_rtol_of_nothing_asks_for_the_same_bits(self):
        attention = Attention()
        self.compare(attention, dtype=np.float32, code=1, more=("--rtol", "0", "--atol", "0"))
        self.compare(attention, dtype=np.float32, code=0, more=("--atol", "0.001"))

    def test_names_of_frameworks_are_known_and_others_listed(self):
        names = {"queries": "q", "keys": "model.layers.0.self_attn.k", "values": "value_states",
                 "scaled_scores": "attn_scores", "attention_weights": "attn_weights", "output": "attn_output"}
        attention = Attention()
        problem = self.write_json("problem.json", attention.problem())
        tensors = attention.tensors()
        dump = {new: tensors[old] for old, new in names.items()}
        dump["rotary_cache"] = np.ones(3)
        report = self.report(problem, self.write_npz(dump), code=0)
        known = {step.get("name"): step["id"] for step in report["steps"] if step["verdict"] == "same"}
        self.assertEqual(known, {new: old for old, new in names.items()})
        self.assertEqual(report["unknown"], ["rotary_cache"])

    def test_of_what_cannot_be_read_and_is_no_step_it_is_told_why(self):
        attention = Attention()
        problem = self.write_json("problem.json", attention.problem())
        tensors = attention.tensors()
        others = {"made_by": np.array("some program 1.2"), "waves": np.zeros(3, complex), "stamp": np.array([2**60 + 1])}
        dump = self.write_npz({"context": tensors["context"], **others})
        report = self.report(problem, dump, code=0)
        self.assertEqual((report["unknown"], {one["file"] for one in report["unread"]}), ([], {"B"}))
        self.assertEqual(self.report(problem, dump, "--only", "context", code=0)["unread"], [])
        why = {one["name"]: one["why"] for one in report["unread"]}
        self.assertEqual(sorted(why), sorted(others))
        for name, said in (("made_by", "holds texts"), ("waves", "holds complex numbers"), ("stamp", "which no double is equal to")):
            self.assertIn(said, why[name])
        self.assertIn("was not compared", self.text(problem, self.write_npz({"context": tensors["context"], "made_by": others["made_by"]}), code=0))
        # What is called as a step has to be numbers, whatever else there is.
        for bad in ({"scores": others["waves"]}, {"made_by": others["made_by"]},
                    {"context": tensors["context"], "scores": others["waves"]}):
            done = attn("diff", problem, self.write_npz(bad))
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn("not numbers that can be read", done.stderr)

    def test_tensors_of_a_file_take_together_no_more_memory_than_they_may(self):
        attention = Attention()
        problem = self.write_json("problem.json", attention.problem())
        large = {name: np.zeros(100_000) for name in ("noise", "more_noise")}
        dump = self.write_npz({"context": attention.tensors()["context"], **large})
        self.assertEqual(self.report(problem, dump, "--max-memory", "2M", code=0)["unknown"], list(large))
        done = attn("diff", problem, dump, "--max-memory", "1M")
        self.assertEqual(done.returncode, 3, done.stdout)
        self.assertIn("--max-memory", done.stderr)

    def test_what_one_file_has_and_cannot_be_read_is_no_step_of_the_other_alone(self):
        scores = Attention().tensors()["scores"]
        first = self.write_npz({"scores": scores, "made_by": np.array("a"), "seed": np.ones(1), "mine": np.ones(1)}, "first.npz")
        second = self.write_npz({"scores": scores, "made_by": np.array("b"), "seed": np.array([2**60 + 1])}, "second.npz")
        for files, unread in (((first, second), ["A", "B", "B"]), ((second, first), ["A", "A", "B"])):
            report = self.report(*files, code=0)
            self.assertEqual([(step["id"], step["verdict"]) for step in report["steps"]],
                             [("scores", "same"), ("mine", "only_A" if files[0] == first else "only_B")])
            self.assertEqual((report["unknown"], [one["file"] for one in report["unread"]]), ([], unread))

    def test_what_one_dump_alone_has_is_no_first_difference(self):
        first = self.write_npz({"mine": np.ones(2), "scores": np.eye(3)}, "first.npz")
        for factor in (2, 1 + 1e-12):
            second = self.write_npz({"scores": factor * np.eye(3)}, "second.npz")
            report = self.report(first, second, "--rtol", "0", "--atol", "0", code=1)
            self.assertEqual([(step["id"], step["verdict"]) for step in report["steps"]],
                             [("mine", "only_A"), ("scores", "differs")])
            self.assertEqual(report["first_different"], "scores")

    def test_what_cannot_be_read_of_a_trace_of_ours_is_told_as_well(self):
        problem, trace = self.write_json("problem.json", Attention().problem()), self.path("trace.safetensors")
        self.assertEqual(attn("run", problem, "-o", trace).returncode, 0)
        with open(trace, "rb") as file:
            size, = struct.unpack("<Q", file.read(8))
            header, data = json.loads(file.read(size)), file.read()
        header["waves"] = {"dtype": "C64", "shape": [1], "data_offsets": [len(data), len(data) + 8]}
        text = json.dumps(header).encode()
        with open(trace, "wb") as file:
            file.write(struct.pack("<Q", len(text)) + text + data + bytes(8))
        for files, letter in (((problem, trace), "B"), ((trace, problem), "A"), ((trace, trace), "A")):
            report = self.report(*files, code=0)
            self.assertEqual({step["verdict"] for step in report["steps"]}, {"same"})
            self.assertEqual(report["unread"][0], {"file": letter, "name": "waves", "why": "holds waves as C64, which cannot be read"})
        self.assertIn(" of B was not compared", attn("diff", problem, trace).stdout)

    def test_the_steps_of_a_block_are_known_by_their_own_ids(self):
        random = np.random.default_rng(0)
        matrices = lambda: {role: random.normal(size=(4, 4)).tolist() for role in ("query", "key", "value")}
        layer = {"self": {"weights": matrices()}, "cross": {"weights": matrices()}}
        problem = self.write_json("problem.json", {
            "inputs": random.normal(size=(3, 4)).tolist(),
            "block": {"kind": "decoder", "memory": random.normal(size=(3, 4)).tolist(), "layers": [layer]}})
        dump = self.path("dump.npz")
        self.assertEqual(attn("run", problem, "-o", dump).returncode, 0)
        report = self.report(problem, dump, code=0)
        self.assertEqual({step["verdict"] for step in report["steps"]}, {"same"})
        self.assertEqual(report["unknown"], [])
        tensors = dict(np.load(dump))
        tensors["layer1.cross.attention_weights"] = tensors["layer1.self.attention_weights"]
        self.assertEqual(self.report(problem, self.write_npz(tensors))["first_different"],
                         "layer1.cross.attention_weights")

    def test_a_file_of_several_names_for_one_step_is_the_same_as_itself(self):
        numbers = np.arange(6.0).reshape(2, 3)
        dump = self.write_npz({"q": numbers, "queries": numbers + 1})
        self.assertEqual([step["verdict"] for step in self.report(dump, dump, code=0)["steps"]], ["same", "same"])
        self.assertEqual([step["id"] for step in self.report(dump, dump, "--only", "q", code=0)["steps"]], ["q"])

    def test_a_step_behind_a_difference_that_both_files_call_alike(self):
        """Turned, the weights would be the same; behind a difference that is not believed."""
        random = np.random.default_rng(0)
        query, weights = random.normal(size=(3, 2)), random.normal(size=(3, 3))
        first = self.write_npz({"query": query, "attn_weights": weights}, "first.npz")
        second = self.write_npz({"query": query + np.eye(3, 2), "attn_weights": weights.T}, "second.npz")
        verdicts = {step["id"]: step["verdict"] for step in self.report(first, second)["steps"]}
        self.assertEqual(verdicts, {"queries": "differs", "attention_weights": "differs"})

    def test_what_was_not_compared_is_said_first(self):
        attention = Attention()
        problem = self.write_json("problem.json", attention.problem())
        tensors = attention.tensors()
        dump = self.write_npz({"q": tensors["queries"], "my_softmax": tensors["values"], "final": tensors["output"] + 1})
        self.report(problem, dump, code=0)
        headline = attn("diff", problem, dump).stdout.split("\n")[0]
        self.assertEqual(headline, "A and B are the same in 1 step; 2 of B were not compared")

    def test_a_wrong_step_keeps_its_name_where_another_has_the_likelier_one(self):
        attention = Attention()
        names = {"concat": "attn_output"}
        report = self.compare(attention, only=("concat", "output"), names=names, scale=1.0)
        self.assertEqual(report["first_different"], "concat")
        self.assertEqual(report["unknown"], [])
        self.assertEqual(report["explanations"][0]["id"], "scale.none")

    def test_weights_that_are_the_mean_of_all_heads(self):
        attention = Attention(batch=2)
        problem = self.write_json("problem.json", attention.problem())
        mean = attention.tensors()["attention_weights"].mean(axis=1)
        for dumped, code in ((mean, 0), (mean + 0.01, 1)):
            report = self.report(problem, self.write_npz({"attn_weights": dumped}), code=code)
            weights = next(step for step in report["steps"] if step["id"] == "attention_weights")
            self.assertEqual(weights["verdict"], "other_shape" if code else "same")
            self.assertEqual(weights.get("stored"), None if code else "the mean of all heads")
        turned = self.report(problem, self.write_npz({"attn_weights": np.swapaxes(mean, -1, -2)}), code=0)
        weights = next(step for step in turned["steps"] if step["id"] == "attention_weights")
        self.assertEqual(weights["stored"], "the mean of all heads, [batch, key, query]")

    def test_no_step_but_the_weights_may_be_the_mean_of_all_heads(self):
        attention = Attention()
        problem = self.write_json("problem.json", attention.problem())
        tensors = attention.tensors()
        dump = self.write_npz({"queries": tensors["queries"], "context": tensors["context"].mean(axis=0)})
        self.assertEqual(self.report(problem, dump)["first_different"], "context")

    def test_scores_behind_a_difference_are_not_believed_to_be_turned(self):
        attention = Attention()
        problem = self.write_json("problem.json", attention.problem())
        attention.w["query"], attention.w["key"] = attention.w["key"], attention.w["query"]
        attention.b["query"], attention.b["key"] = attention.b["key"], attention.b["query"]
        report = self.report(problem, self.write_npz(attention.tensors()), code=1)
        verdicts = {step["id"]: step["verdict"] for step in report["steps"]}
        self.assertEqual(verdicts["scores"], "differs")
        first = report["explanations"][0]
        self.assertEqual((first["id"], first["next"]), ("projection.swapped_query_key", None))

    def test_what_looks_like_another_layout_may_be_the_mistake(self):
        attention = Attention(heads=1)
        problem = self.write_json("problem.json", attention.problem())
        right = attention.tensors()
        scores = np.swapaxes(right["scores"], -1, -2)
        weights = softmax(scores / np.sqrt(attention.d))
        dump = {"scores": scores, "attention_weights": weights, "context": weights @ right["values"]}
        report = self.report(problem, self.write_npz(dump))
        self.assertEqual(report["first_different"], "scores")
        self.assertIn("scores.transposed", report["explanations"][0]["also"])
        self.assertIsNone(report["explanations"][0]["next"])
        # It is one where nothing explains the difference behind it.
        report = self.report(problem, self.write_npz({**dump, "attention_weights": right["values"][:, :, :5],
                                                      "context": right["context"] + right["queries"]}))
        self.assertEqual(report["first_different"], "attention_weights")

    def test_the_coarser_dtype_of_a_mixed_dump_holds_for_its_own_steps(self):
        attention = Attention()
        problem = self.write_json("problem.json", attention.problem())
        tensors = attention.tensors()
        dump = {name: tensors[name].astype(np.float32) for name in ("keys", "values")}
        dump["queries"] = tensors["queries"].astype(np.float16)
        self.report(problem, self.write_npz(dump), code=0)
        self.assertIn("f16 in B", self.text(problem, self.write_npz(dump), code=0))

    def test_other_layouts_are_recognised(self):
        attention = Attention(batch=3)
        problem = self.write_json("problem.json", attention.problem())
        tensors = attention.tensors()
        dump = {"queries": np.moveaxis(tensors["queries"], 1, 2),
                "keys": np.moveaxis(tensors["keys"], 1, 2).reshape(3, 5, -1),
                "values": tensors["values"].reshape(6, 5, 4),
                "scores": tensors["scores"][:, :, None],
                "concat": np.swapaxes(tensors["concat"], 0, 1)}
        report = self.report(problem, self.write_npz(dump), code=0)
        stored = {step["id"]: step.get("stored") for step in report["steps"] if step["verdict"] == "same"}
        self.assertEqual(stored, {"queries": "[batch, query, head, d_k]", "keys": "[batch, key, head·d_k]",
                                  "values": "[batch·head, key, d_v]", "scores": "[batch, head, 1, query, key]",
                                  "concat": "[query, batch, d_concat]"})

    def test_a_layout_is_told_apart_where_sizes_do_not(self):
        attention = Attention(tokens=2, batch=2)
        problem = self.write_json("problem.json", attention.problem())
        dump = {"queries": np.moveaxis(attention.tensors()["queries"], 1, 2)}
        step = [step for step in self.report(problem, self.write_npz(dump), code=0)["steps"]
                if step["id"] == "queries"][0]
        self.assertEqual(step["stored"], "[batch, query, head, d_k]")

    def test_a_wrong_shape_is_a_difference(self):
        attention = Attention()
        problem = self.write_json("problem.json", attention.problem())
        report = self.report(problem, self.write_npz({"scores": np.zeros((3, 5, 5))}))
        self.assertEqual(report["first_different"], "scores")
        step = [step for step in report["steps"] if step["id"] == "scores"][0]
        self.assertEqual((step["verdict"], step["A"], step["B"]), ("other_shape", "2 × 5 × 5", "3 × 5 × 5"))

    def test_large_numbers_stand_for_minus_infinity(self):
        for dtype, closed in ((np.float64, -1e9), (np.float32, np.finfo(np.float32).min), (np.float16, -65504)):
            report = self.compare(Attention(causal=True), closed=closed, dtype=dtype, code=0)
            step = [step for step in report["steps"] if step["id"] == "masked_scores"][0]
            self.assertEqual(step["verdict"], "same")
            self.assertIn("for −∞", step["remarks"][0])

    def test_a_large_number_may_be_added_to_scores_above_zero(self):
        attention = Attention(causal=True)
        problem = self.write_json("problem.json", attention.problem())
        tensors = attention.tensors()
        tensors["masked_scores"] = tensors["scaled_scores"] + np.where(attention.allowed(), 0, -10000.0)
        self.assertTrue((tensors["masked_scores"][..., 0, 1:] > -10000).any())
        report = self.report(problem, self.write_npz(tensors), code=0)
        step = [step for step in report["steps"] if step["id"] == "masked_scores"][0]
        self.assertIn("for −∞", step["remarks"][0])

    def test_another_mask_is_found_where_a_large_number_stands_for_minus_infinity(self):
        self.explained(Attention(causal=True), "mask.transposed", "masked_scores", closed=-1e9,
                       only=("masked_scores", "attention_weights", "context"), allow=np.triu(np.ones((5, 5), bool)))

    def test_masks_are_read_in_either_polarity(self):
        attention = Attention(causal=True)
        problem = self.write_json("problem.json", attention.problem())
        allowed = attention.allowed()
        tensors = attention.tensors()
        for mask, remark in ((allowed, None), (~allowed, ["1 where closed"]),
                             (np.where(allowed, 0, -np.inf), ["0 where open, added"])):
            dump = {"attn_mask": mask, "context": tensors["context"]}
            step = [step for step in self.report(problem, self.write_npz(dump), code=0)["steps"]
                    if step["id"] == "mask"][0]
            self.assertEqual((step["verdict"], step.get("remarks")), ("same", remark))
            self.assertEqual(step["stored"], "the same for every head")

    def test_a_mask_of_the_other_polarity_is_read_so_where_it_alone_is_asked_for(self):
        attention = Attention(causal=True)
        problem = self.write_json("problem.json", attention.problem())
        dump = self.write_npz({"attn_mask": ~attention.allowed(), "context": attention.tensors()["context"]})
        self.report(problem, dump, "--only", "mask", code=0)

    def test_masks_of_two_dumps_are_read_in_every_way_of_writing_them(self):
        allowed = Attention(causal=True).allowed()
        ways = {"ones": allowed * 1.0, "infinity": np.where(allowed, 0, -np.inf), "large": np.where(allowed, 0, -1e9),
                "larger": np.where(allowed, 0, -65504.0)}
        other = np.where(allowed & (np.arange(5) != 1), 0, -np.inf)
        for one, another in itertools.product(ways, ways):
            with self.subTest(f"{one} and {another}"):
                first = self.write_npz({"attn_mask": ways[one]}, "first.npz")
                self.report(first, self.write_npz({"attn_mask": ways[another]}, "second.npz"), code=0)
                self.report(first, self.write_npz({"attn_mask": other}, "second.npz"))

    def test_a_mask_of_ones_and_zeros_is_none_that_is_added(self):
        """Where ours closes nothing, zeros that close cells differ."""
        problem = self.write_json("problem.json", {"inputs": [[1, 2], [3, 4], [0, 1]],
                                                   "mask": {"allow": np.ones((3, 3), int).tolist()}})
        report = self.report(problem, self.write_npz({"attn_mask": np.tril(np.ones((3, 3)))}))
        self.assertEqual(report["first_different"], "mask")

    def test_small_scores_of_two_dumps_are_no_masks(self):
        one = self.write_npz({"masked_scores": np.array([[-6000.0, -7000], [1, 2]])}, "one.npz")
        other = self.write_npz({"masked_scores": np.array([[-9000.0, -5500], [1, 2]])}, "other.npz")
        self.assertEqual(self.report(one, other)["first_different"], "masked_scores")

    def test_two_dumps_may_have_numbers_of_their_own_for_minus_infinity(self):
        attention = Attention(causal=True)
        dumps = [self.write_npz(attention.tensors(closed=closed), f"{-closed:.0f}.npz") for closed in (-1e9, -65504.0)]
        step = [step for step in self.report(*dumps, code=0)["steps"] if step["id"] == "masked_scores"][0]
        self.assertEqual(step["remarks"], ["-65504 for −∞"])

    def test_the_mask_of_a_block_is_read_so_beside_a_problem_and_beside_its_trace(self):
        problem = self.write_json("problem.json", {
            "inputs": [[1, 0.5], [0, 2], [1, 1]],
            "block": {"kind": "decoder_only", "layers": [{"self": {}}]}})
        trace, stored = self.path("trace.json"), self.path("trace.npz")
        for path in (trace, stored):
            self.assertEqual(attn("run", problem, "-o", path).returncode, 0)
        tensors = dict(np.load(stored))
        mask = tensors["layer1.self.mask"] != 0
        tensors["layer1.self.mask"] = np.where(mask, 0, -1e9)
        dump = self.write_npz(tensors)
        for first in (problem, trace):
            step = [step for step in self.report(first, dump, code=0)["steps"] if step["id"] == "layer1.self.mask"][0]
            self.assertEqual(step["remarks"], ["0 where open, added"])

    def test_what_explains_a_large_difference_and_how_it_is_stored_is_looked_for_no_longer_than_anybody_waits(self):
        shape = [3000, 64]
        problem = self.write_json("problem.json", {"inputs": {"random": "normal", "shape": shape, "seed": 1}})
        dump = self.write_npz({"context": np.random.default_rng(0).normal(size=shape)})
        # What takes so long says on standard error how far it has come.
        report = json.loads(attn("diff", problem, dump, "--format", "json").stdout)
        schema_of_reports().validate(report)
        self.assertEqual((report["explanations"], report["all_tried"]), ([], False))
        if not SLOW:  # once is enough to see what sanitizers see
            self.assertIn("Not every mistake and convention was tried", attn("diff", problem, dump).stdout)
        numbers = np.zeros(10**6)
        numbers[-1] = 1
        np.save(self.path("zeros.npy"), np.zeros((1000, 1000)))
        problem = self.write_json("zeros.json", {"inputs": {"file": "zeros.npy"}, "score": "dot"})
        dump = self.write_npz({name: numbers.reshape([10] * 6) for name in ("queries", "keys", "values", "scores")})
        text = attn("diff", problem, dump).stdout
        self.assertIn("not every order of its axes was tried", " ".join(text.split()))

    def test_a_tensor_without_numbers_or_with_many_axes_is_the_same_as_itself(self):
        dump = self.write_npz({"past_k": np.zeros((2, 0, 3)), "q": np.arange(128.0).reshape([2] * 7)})
        self.assertEqual([step["verdict"] for step in self.report(dump, dump, code=0)["steps"]], ["same", "same"])
        other = self.write_npz({"past_k": np.zeros((2, 0, 3)), "q": np.arange(1, 129.0).reshape([2] * 7)}, "other.npz")
        self.assertEqual([step["verdict"] for step in self.report(dump, other)["steps"]], ["same", "differs"])

    def test_a_batch_of_one_hides_no_mistake_behind_another_layout(self):
        """Kᵀ and Q exchanged: the scores are turned, and so is nothing that follows."""
        attention = Attention(tokens=3, width=3, heads=1)
        stated = {key: value for key, value in attention.problem().items() if key != "heads"}
        del stated["weights"]["output"]
        tensors = attention.tensors()
        made = {"queries": tensors["queries"], "keys": tensors["keys"], "values": tensors["values"]}
        made["scores"] = tensors["keys"] @ np.swapaxes(tensors["queries"], -1, -2)
        made["scaled_scores"] = made["scores"] / np.sqrt(3)
        made["attention_weights"] = softmax(made["scaled_scores"])
        made["context"] = made["attention_weights"] @ tensors["values"]
        for heads in ({}, {"heads": 1}):
            problem = self.write_json("problem.json", {**stated, **heads})
            for shape in ((3, 3), (1, 3, 3), (1, 1, 3, 3)):
                with self.subTest(f"{heads}, {shape}"):
                    dump = self.write_npz({name: tensor.reshape(shape) for name, tensor in made.items()})
                    report = self.report(problem, dump)
                    self.assertEqual(report["first_different"], "scores")
                    self.assertEqual(report["explanations"][0]["id"], "scores.transposed")

    def test_output_means_the_context_where_a_problem_projects_nothing_behind_it(self):
        problem = self.write_json("problem.json", {"inputs": [[1, 2], [3, 4]], "scale": 0.5})
        trace = self.path("trace.npz")
        self.assertEqual(attn("run", problem, "-o", trace).returncode, 0)
        dump = self.write_npz({"output": np.load(trace)["context"]})
        step = [step for step in self.report(problem, dump, code=0)["steps"] if step["id"] == "context"][0]
        self.assertEqual((step["verdict"], step["name"]), ("same", "output"))

    def test_a_mask_of_the_other_polarity_differs_where_what_follows_was_made_with_it(self):
        attention = Attention(causal=True)
        problem = self.write_json("problem.json", attention.problem())
        allowed = attention.allowed()
        exchanged = ~allowed | np.eye(len(allowed), dtype=bool)  # a row without an open key has no softmax
        dump = {"attn_mask": ~allowed, "context": attention.tensors(allow=exchanged)["context"]}
        report = self.report(problem, self.write_npz(dump))
        mask = [step for step in report["steps"] if step["id"] == "mask"][0]
        self.assertEqual((report["first_different"], mask["verdict"], mask["remarks"]),
                         ("mask", "differs", ["1 and 0 exchanged"]))
        self.assertEqual(mask["largest_absolute"]["apart"], 1)
        self.assertEqual(mask["differing"], mask["cells"])

    # --- what explains it -----------------------------------------------------

    def test_transposed_weights(self):
        attention = Attention(width=6, heads=1)
        self.explained(attention, "projection.transposed", "keys", turned=("query", "key", "value"))
        report = self.explained(attention, "projection.transposed", "keys", turned=("key",))
        self.assertEqual(report["explanations"][0]["variant"], "key")

    def test_scales(self):
        attention = Attention()
        self.explained(attention, "scale.none", "scaled_scores", scale=1.0)
        self.explained(attention, "scale.by_dk", "scaled_scores", scale=1 / 4)
        self.explained(attention, "heads.scale_by_dmodel", "scaled_scores", scale=1 / np.sqrt(8))
        self.explained(attention, "scale.multiplied", "scaled_scores", scale=np.sqrt(4))

    def test_a_scale_is_found_where_only_the_result_was_stored(self):
        self.explained(Attention(), "scale.none", "output", scale=1.0, only=("output",))

    def test_single_precision_is_explained_too(self):
        self.explained(Attention(), "scale.none", "scaled_scores", scale=1.0, dtype=np.float32)

    def test_what_is_no_difference_hides_no_cause(self):
        attention = Attention()
        problem = self.write_json("problem.json", attention.problem())
        noise = np.random.default_rng(3)
        dump = {name: tensor * (1 + 0.01 * noise.uniform(-1, 1, tensor.shape))
                for name, tensor in attention.tensors(scale=1.0).items()}
        report = self.report(problem, self.write_npz(dump), "--rtol", "0.05")
        self.assertEqual(report["first_different"], "scaled_scores")
        self.assertEqual([one["id"] for one in report["explanations"]][:1], ["scale.none"])

    def test_a_mask_inverted(self):
        mask = np.random.default_rng(3).random((5, 5)) < 0.6
        mask[np.arange(5), np.arange(5)] = True
        mask[:, 0] &= np.array([True, False, False, True, False])
        mask[0, 4] = False
        inverted = ~mask
        inverted[inverted.sum(axis=1) == 0, 1] = True
        mask = ~inverted
        attention = Attention(mask=mask)
        self.explained(attention, "mask.inverted", "masked_scores", allow=inverted)

    def test_a_causal_mask_that_starts_at_the_other_corner(self):
        attention = Attention(causal=True, offset=2)
        self.explained(attention, "mask.wrong_corner", "masked_scores", allow=np.tril(np.ones((5, 5), bool)))

    def test_no_mask(self):
        self.explained(Attention(causal=True), "mask.forgotten", "masked_scores", allow=np.ones((5, 5), bool))

    def test_columns_dealt_to_the_heads_in_turn(self):
        self.explained(Attention(), "heads.interleaved", "keys", interleaved=True)

    def test_heads_in_another_order(self):
        report = self.compare(Attention(heads=4), query_heads=[2, 0, 3, 1], only=("queries", "keys"))
        self.assertEqual(report["relation"], {"heads": [3, 1, 4, 2]})

    def test_groups_of_heads_in_turn(self):
        attention = Attention(heads=4, kv_heads=2)
        self.explained(attention, "heads.tiled_groups", "scores", tiled=True)

    def test_a_softcap_after_the_mask(self):
        attention = Attention(softcap=2.0, causal=True)
        report = self.explained(attention, "softcap.after_mask", "masked_scores", cap="late",
                                only=("scaled_scores", "masked_scores", "attention_weights", "output"))
        self.assertIn("masked scores were capped", report["explanations"][0]["variant"])

    def test_a_softcap_before_the_scale(self):
        self.explained(Attention(softcap=2.0), "softcap.order", "scaled_scores", cap="early",
                       only=("scaled_scores", "attention_weights", "output"))

    def test_no_softcap(self):
        self.explained(Attention(softcap=2.0), "softcap.left_out", "attention_weights", cap="none",
                       only=("scaled_scores", "attention_weights", "output"))

    def test_no_bias(self):
        report = self.explained(Attention(), "projection.bias_forgotten", "keys", bias=False)
        self.assertIn("key", report["explanations"][0]["variant"])

    def test_a_softmax_over_the_wrong_axis(self):
        self.explained(Attention(), "softmax.columns", "attention_weights", axis=-2)

    def test_powers_of_two(self):
        self.explained(Attention(), "softmax.base_2", "attention_weights", base=2.0)

    def test_a_scale_with_the_logarithm_folded_in(self):
        report = self.explained(Attention(), "softmax.folded_log2", "scaled_scores", base=2.0,
                                scale=np.log2(np.e) / 2)
        self.assertAlmostEqual(report["relation"]["factor"], np.log2(np.e))

    def test_keys_and_values_exchanged(self):
        self.explained(Attention(), "projection.swapped_key_value", "keys", exchanged=True)

    def test_closed_rows(self):
        mask = np.tril(np.ones((5, 5), bool))
        mask[2] = False
        attention = Attention(mask=mask)
        report = self.explained(attention, "mask.closed_rows", "attention_weights")
        self.assertEqual(report["explanations"][0]["variant"], "NaN")
        report = self.explained(attention, "mask.closed_rows", "attention_weights", closed=-1e30,
                                only=("scores", "attention_weights", "output"))
        self.assertIn("1/Nk", report["explanations"][0]["variant"])

    def test_a_mask_that_leaves_a_row_empty_and_nan(self):
        attention = Attention(causal=True)
        for allow, expected in ((~np.tril(np.ones((5, 5), bool)), "mask.inverted"),
                                (np.tril(np.ones((5, 5), bool), -1), "mask.diagonal_too")):
            for only in (None, ("attention_weights", "output"), ("output",)):
                report = self.compare(attention, allow=allow, only=only)
                found = [one["id"] for one in report["explanations"]]
                self.assertEqual(found, [expected, "mask.closed_rows"], only)
                self.assertIsNone(report["explanations"][1]["next"])
        text = attn("diff", self.write_json("problem.json", attention.problem()),
                    self.write_npz(attention.tensors(allow=allow))).stdout
        self.assertIn("NaN among them", text)
        self.assertNotIn("∞ times", text)

    def test_two_conventions_one_after_the_other(self):
        report = self.compare(Attention(), scale=1.0, axis=-2)
        self.assertEqual([one["id"] for one in report["explanations"]], ["scale.none", "softmax.columns"])
        self.assertEqual(report["explanations"][0]["next"], "attention_weights")
        self.assertIsNone(report["explanations"][1]["next"])

    def test_two_conventions_behind_one_result(self):
        attention = Attention(tokens=3, width=4)
        report = self.compare(attention, scale=1.0, axis=-2, only=("output",))
        self.assertEqual({one["id"] for one in report["explanations"]}, {"scale.none", "softmax.columns"})

    def test_what_nothing_explains_is_said_to_be_so(self):
        attention = Attention()
        problem = self.write_json("problem.json", attention.problem())
        tensors = attention.tensors()
        tensors["scores"] = tensors["scores"] + np.random.default_rng(1).normal(size=tensors["scores"].shape)
        dump = self.write_npz({name: tensors[name] for name in ("queries", "keys", "scores")})
        self.assertEqual(self.report(problem, dump)["explanations"], [])
        text = self.text(problem, dump)
        self.assertIn("No mistake or convention that attn knows", text)
        self.assertIn("What it is made of agrees: queries, keys.", text)

    def test_what_nothing_explains_in_many_layers_is_given_up(self):
        random = np.random.default_rng(3)
        drawn = lambda *shape: random.normal(size=shape).tolist()
        layer = lambda: {"self": {"weights": {role: drawn(4, 4) for role in ("query", "key", "value", "output")}},
                         "norm1": {"gain": drawn(4)}, "norm2": {"gain": drawn(4)},
                         "ffn": {"in": drawn(4, 6), "in_bias": drawn(6), "out": drawn(6, 4)}}
        problem = {"inputs": drawn(3, 4), "heads": 2, "causal": True,
                   "block": {"kind": "encoder", "layers": [layer() for _ in range(4)]}}
        path = self.write_json("problem.json", problem)
        last = "layer4.ffn.output"
        output = json.loads(attn("run", path, "--format", "json", "--only", last).stdout)["steps"][-1]
        dump = self.write_npz({last: np.array(output["data"]) + np.eye(3, 4)})
        problem["block"]["layers"][-1]["ffn"]["out"] = drawn(6, 4)
        for other in (dump, self.write_json("other.json", problem)):
            self.assertEqual(self.report(path, other)["explanations"], [])

    def test_what_was_rounded_by_hand_is_not_worked_out_anew(self):
        attention = Attention(tokens=3, width=4)
        dump = self.write_npz({"scaled_scores": attention.tensors(scale=1.0)["scaled_scores"]})
        for rounding, explained in ((None, ["scale.none"]), ("2", [])):
            problem = attention.problem()
            if rounding:
                problem["arithmetic"] = {"hand_rounding": rounding}
            report = self.report(self.write_json("problem.json", problem), dump)
            self.assertEqual(report["first_different"], "scaled_scores")
            self.assertEqual([one["id"] for one in report["explanations"]], explained)

    def test_another_step_under_this_name(self):
        report = self.compare(Attention(), only=("scaled_scores",), names={"scaled_scores": "scores"})
        self.assertEqual(report["relation"], {"step": "scaled_scores"})

    def test_the_dump_may_come_first(self):
        attention = Attention()
        problem = self.write_json("problem.json", attention.problem())
        dump = self.write_npz(attention.tensors(scale=1.0))
        report = self.report(dump, problem)
        self.assertEqual((report["A"]["kind"], report["B"]["kind"]), ("tensors", "problem"))
        largest = [step for step in report["steps"] if step["id"] == "scaled_scores"][0]["largest_absolute"]
        self.assertAlmostEqual(largest["A"], 2 * largest["B"])
        self.assertIn("In A it is as if the scores were not scaled", self.text(dump, problem))

    def test_safetensors_and_npy(self):
        attention = Attention()
        problem = self.write_json("problem.json", attention.problem())
        tensors = attention.tensors()
        with open(self.path("dump.safetensors"), "wb") as file:
            file.write(stored_safetensors({name: tensor.astype(np.float32) for name, tensor in tensors.items()}))
        self.report(problem, self.path("dump.safetensors"), code=0)
        np.save(self.path("attn_weights.npy"), tensors["attention_weights"])
        self.report(problem, self.path("attn_weights.npy"), code=0)

    def test_two_dumps(self):
        a = {"q": np.arange(6.0).reshape(2, 3), "mine": np.ones(4)}
        b = {"query": a["q"].T, "mine": np.array([1.0, 1, 1, 1 + 1e-3])}
        report = self.report(self.write_npz(a, "a.npz"), self.write_npz(b, "b.npz"))
        self.assertEqual(report["first_different"], "mine")
        self.assertEqual([step["verdict"] for step in report["steps"]], ["same", "differs"])


class Own(Case):
    def trace(self, name, *more):
        done = attn("run", EXAMPLE, "-o", self.path(name), *more)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return self.path(name)

    def test_a_trace_is_its_problem_in_every_format(self):
        for name in ("trace.json", "trace.npz", "trace.safetensors"):
            report = self.report(EXAMPLE, self.trace(name), code=0)
            self.assertTrue(all(step["same_bits"] for step in report["steps"]))
        self.assertIn("A and B are the same", self.text(EXAMPLE, self.path("trace.json"), code=0))

    def test_a_trace_whose_axes_have_no_names_is_compared_all_the_same(self):
        """What stands in the metadata may have been lost on its way, or be something else."""
        arrays = dict(np.load(self.trace("trace.npz")))
        names = {"scores": ["query", "key"], "attention_weights": ["query", "key"]}
        for axes in (None, "no JSON", "[1]", json.dumps({name: 7 for name in arrays}),
                     json.dumps({name: ["query", 7] for name in arrays}),
                     json.dumps({name: ["key", "key"] for name in arrays}), json.dumps(names)):
            metadata = {"schema": "attn/trace/1", **({"axes": axes} if axes else {})}
            with open(self.path("own.safetensors"), "wb") as file:
                file.write(stored_safetensors(arrays, metadata))
            report = self.report(EXAMPLE, self.path("own.safetensors"), code=0)
            self.assertTrue(all(step["same_bits"] for step in report["steps"]), axes)
        with open(self.path("other.safetensors"), "wb") as file:
            file.write(stored_safetensors(arrays, {"schema": "of/another/program", "axes": json.dumps(names)}))
        self.report(EXAMPLE, self.path("other.safetensors"), code=0)

    def test_a_trace_whose_axes_have_other_names_has_another_shape(self):
        arrays = dict(np.load(self.trace("trace.npz")))
        metadata = {"schema": "attn/trace/1", "dtype": "f64", "axes": json.dumps({"context": ["query", "key"]})}
        with open(self.path("own.safetensors"), "wb") as file:
            file.write(stored_safetensors(arrays, metadata))
        report = self.report(EXAMPLE, self.path("own.safetensors"))
        self.assertEqual([step["id"] for step in report["steps"] if step["verdict"] == "other_shape"], ["context"])

    def test_a_step_is_known_at_the_end_of_a_name(self):
        arrays = dict(np.load(self.trace("trace.npz")))
        with open(self.path("hooks.safetensors"), "wb") as file:
            file.write(stored_safetensors({f"model.layers.0.{name}": array for name, array in arrays.items()}))
        report = self.report(EXAMPLE, self.path("hooks.safetensors"), code=0)
        self.assertEqual({step["id"] for step in report["steps"] if step["verdict"] == "same"}, set(arrays))

    def test_a_changed_last_bit_is_found(self):
        with open(self.trace("trace.json"), encoding="utf-8") as file:
            trace = json.load(file)
        step = [step for step in trace["steps"] if step["id"] == "attention_weights"][0]
        step["data"][1][2] = float(np.nextafter(step["data"][1][2], 1))
        changed = self.write_json("changed.json", trace)
        for other in (self.path("trace.json"), EXAMPLE):
            report = self.report(other, changed)
            self.assertEqual(report["first_different"], "attention_weights")
            found = [step for step in report["steps"] if step["id"] == "attention_weights"][0]
            self.assertEqual((found["differing"], found["largest_absolute"]["index"]), (1, [2, 3]))
        text = self.text(self.path("trace.json"), changed)
        self.assertIn("1 of 9 numbers differ. Farthest apart: attention_weights[2,3] is", text)
        self.report(self.path("trace.json"), changed, "--rtol", "1e-12", code=0)
        self.report(self.path("trace.json"), changed, "--only", "scores", code=0)
        self.report(self.path("trace.json"), changed, "--only", "attention_weights", code=1)
        self.report(self.path("trace.json"), changed, "--only", "s*,*ues", code=0)
        self.report(self.path("trace.json"), changed, "--only", "scores,att*", code=1)
        several = self.report(self.path("trace.json"), changed, "--only", "queries,keys", code=0)
        self.assertEqual(sorted(step["id"] for step in several["steps"]), ["keys", "queries"])

    def test_dtypes_are_compared_as_the_coarser_rounds(self):
        single = self.trace("trace.json", "--dtype", "f32")
        self.assertEqual(self.report(EXAMPLE, single, code=0)["tolerance"]["relative"], 1e-4)

    def test_two_problems_are_told_apart_by_their_keys(self):
        report = self.report(EXAMPLE, SCALED)
        self.assertEqual(report["keys"], [{"key": "/score", "A": '"dot"', "B": '"scaled_dot"'}])
        self.assertEqual(report["first_different"], "scaled_scores")
        text = self.text(EXAMPLE, SCALED)
        self.assertIn("A and B differ first in scaled_scores", text)
        self.assertIn('/score "dot" "scaled_dot"', text)

    def problems(self, change):
        with open(EXAMPLE, encoding="utf-8") as file:
            problem = json.loads("".join(line for line in file if not line.lstrip().startswith("//")))
        a = self.write_json("a.json", problem)
        change(problem)
        return a, self.write_json("b.json", problem)

    def test_what_changes_no_number_is_no_difference(self):
        def change(problem):
            problem.update({"title": "Another", "x-mine": 1, "digits": 3, "score": {"type": "dot"}})
        report = self.report(*self.problems(change), code=0)
        self.assertEqual(report["keys"], [])

    def test_what_differs_further_is_looked_for_where_a_past_was_left_out(self):
        problem = {"inputs": [[1, 1], [2, 0], [1, 3]], "score": "dot", "causal": True,
                   "weights": {"query": [[1, 0], [0, 1]], "key": [[1, 1], [0, 1]], "value": [[2, 0], [0, 3]]},
                   "past": {"keys": [[1, 1], [0, 1]], "values": [[2, 0], [0, 3]]}}
        for other in ({"causal": None, "mask": {"allow": [[1, 0, 0], [0, 1, 0], [1, 1, 0]]}}, {"causal": False},
                      {"causal": False, "weights": {**problem["weights"], "value": [[2, 1], [0, 3]]}}):
            changed = {key: value for key, value in {**problem, "past": None, **other}.items() if value is not None}
            with tempfile.TemporaryDirectory() as folder:
                first, second = os.path.join(folder, "p.json"), os.path.join(folder, "q.json")
                with open(first, "w", encoding="utf-8") as file:
                    json.dump(problem, file)
                attn("run", "-", "--format", "json", "-o", second, text=json.dumps(changed))
                done = attn("diff", first, second)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("What explains it", done.stdout)

    def test_numbers_that_differ_are_named(self):
        def change(problem):
            problem["weights"]["key"][1][2] += 1
        report = self.report(*self.problems(change))
        self.assertEqual([key["key"] for key in report["keys"]], ["/weights/key"])
        self.assertIn("[2,3]", report["keys"][0]["A"])

    def test_layout_is_named(self):
        def change(problem):
            problem["weights"] = {role: np.array(w).T.tolist() for role, w in problem["weights"].items()}
            problem["weight_layout"] = "out_in"
        keys = {key["key"]: key["B"] for key in self.report(*self.problems(change), code=0)["keys"]}
        self.assertEqual(keys, {"/weight_layout": '"out_in"', "/weights/key": "the same numbers transposed",
                                "/weights/query": "the same numbers transposed",
                                "/weights/value": "the same numbers transposed"})

    def test_polarity_is_named(self):
        def change(problem):
            problem["mask"] = {"block": problem["mask"].pop("allow")}
        with open(EXAMPLE, encoding="utf-8") as file:
            problem = json.loads("".join(line for line in file if not line.lstrip().startswith("//")))
        problem["mask"] = {"allow": [[1, 0, 1], [1, 1, 0], [0, 0, 1]]}
        a = self.write_json("a.json", problem)
        change(problem)
        report = self.report(a, self.write_json("b.json", problem))
        self.assertEqual(report["keys"], [{"key": "/mask/allow", "A": "3 × 3 numbers", "B": None},
                                          {"key": "/mask/block", "A": None, "B": "the numbers of A's allow"}])
        self.assertEqual(report["explanations"][0]["id"], "mask.inverted")


class Many(Case):
    def trace(self, name, ids):
        steps = [{"id": id, "axes": ["query"], "shape": [1], "data": [1]} for id in ids]
        return self.write_json(name, {"schema": "attn/trace/1", "statement": "", "result": "scores",
                                      "arithmetic": {"dtype": "f64"}, "steps": steps})

    def test_eight_thousand_steps_of_unknown_names_are_told_apart(self):
        one = self.trace("one.json", ["scores", *(f"a{i}" for i in range(8000)), "context"])
        two = self.trace("two.json", ["scores", *(f"b{i}" for i in range(8000)), "context"])
        report = self.report(one, two)
        self.assertEqual(len(report["steps"]), 16002)

    def test_two_vocabularies_of_many_tokens_are_compared(self):
        def vocabulary(token, count=20_000):
            return {"tokens": [f"{token}0"], "embeddings": {f"{token}{i}": [i] for i in range(count)}}
        one, same = self.write_json("one.json", vocabulary("a")), self.write_json("same.json", vocabulary("a"))
        two = self.write_json("two.json", vocabulary("b"))
        self.assertEqual(self.report(one, same, code=0)["keys"], [])
        keys = self.report(one, two, code=0)["keys"]
        self.assertEqual(len(keys), 1 + 2 * 20_000)
        self.assertEqual(keys[-1], {"key": "/embeddings/b19999", "A": None, "B": "the numbers of A's a19999"})

    def test_steps_of_the_second_alone_stand_behind_those_before_them_there(self):
        one = self.trace("one.json", ["scores", "context", "output"])
        two = self.trace("two.json", ["z", "scores", "x", "y", "output", "w"])
        self.assertEqual([step["id"] for step in self.report(one, two)["steps"]],
                         ["z", "scores", "x", "y", "context", "output", "w"])
        self.assertEqual(self.report(one, two)["first_different"], "z")


class Refusals(Case):
    def refused(self, *words, code=2):
        done = attn("diff", *words)
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stdout)
        return done.stderr

    def test_unreadable_files(self):
        self.assertIn("there is no such file", self.refused(EXAMPLE, self.path("none.json")))
        with open(self.path("broken.npz"), "wb") as file:
            file.write(b"PK\x03\x04 and no more")
        self.assertIn("broken.npz", self.refused(EXAMPLE, self.path("broken.npz")))
        with open(self.path("broken.json"), "w", encoding="utf-8") as file:
            file.write('{"schema": "attn/trace/1", "steps": 3}')
        self.assertIn('/steps is 3; a list of steps is wanted', self.refused(EXAMPLE, self.path("broken.json")))
        with open(self.path("pickle.npz"), "wb") as file:
            np.savez(file, scores=np.array([{}], dtype=object))
        self.assertIn("pickle.npz", self.refused(EXAMPLE, self.path("pickle.npz")))

    def test_standard_input_is_one_of_the_files(self):
        self.assertIn("standard input cannot be both files", self.refused("-", "-"))
        with open(EXAMPLE, encoding="utf-8") as file:
            text = file.read()
        for words in (("-", EXAMPLE), (EXAMPLE, "-")):
            self.assertEqual(attn("diff", *words, text=text).returncode, 0)

    def test_both_files_are_faulted_at_once(self):
        said = self.refused(self.path("one.json"), self.path("two.json"))
        self.assertIn("one.json", said)
        self.assertIn("two.json", said)

    def test_a_step_that_is_there_twice_is_refused_where_it_stands(self):
        step = {"id": "scores", "axes": ["query"], "shape": [1], "data": [1]}
        trace = {"schema": "attn/trace/1", "statement": "", "result": "scores", "arithmetic": {"dtype": "f64"},
                 "steps": [step, step]}
        said = self.refused(EXAMPLE, self.write_json("twice.json", trace))
        self.assertIn("twice.json:1:178: error: /steps/1/id (scores) is the id of a step before it, too", said)

    def test_pickles_are_refused_as_run_refuses_them(self):
        for ending in (".pt", ".pth", ".bin", ".pkl"):
            with self.subTest(ending):
                pickled = self.path("dump" + ending)
                with open(pickled, "wb") as file:
                    pickle.dump({"scores": [1, 2]}, file)
                run = attn("run", self.write_json("p.json", {"inputs": {"file": "dump" + ending}}))
                told = run.stderr[run.stderr.index("has an ending"):run.stderr.index("\n")]
                helped = run.stderr[run.stderr.index("  help: "):]
                self.assertIn("safetensors.torch.save_file", helped)
                for files in ((pickled, EXAMPLE), (EXAMPLE, pickled)):
                    self.assertEqual(self.refused(*files), f"{pickled}: error: {told}\n{helped}")

    def test_nothing_in_common(self):
        said = self.refused(EXAMPLE, self.write_npz({"rotary_cache": np.ones(3)}))
        self.assertIn("has none of the steps", said)
        self.assertIn("the steps are inputs, keys, queries, values, ", said)
        self.assertIn("rotary_cache", said)

    def test_a_step_of_one_file_alone_may_be_asked_for(self):
        """Problems differ by a step that one of them lacks; a dump need not have it, and is not compared then."""
        report = json.loads(attn("diff", EXAMPLE, SCALED, "--only", "scaled_scores", "--format", "json").stdout)
        self.assertEqual((report["first_different"], [step["verdict"] for step in report["steps"]]),
                         ("scaled_scores", ["only_B"]))
        dump = self.write_npz({"scores": np.ones((3, 3)), "keys": np.ones((3, 3))})
        said = self.refused(EXAMPLE, dump, "--only", "values")
        self.assertEqual(said, "attn: error: no step that --only names is in both files\n"
                               "  help: both have keys, scores\n")

    def test_of_many_names_that_are_none_of_steps_some_are_told(self):
        said = self.refused(EXAMPLE, self.write_npz({f"rotary_{number:02}": np.ones(3) for number in range(20)}))
        self.assertIn("rotary_11, …; the steps are inputs, ", said)
        self.assertNotIn("rotary_12", said)

    def test_a_file_of_no_tensors_has_nothing_to_compare(self):
        with open(self.path("none.safetensors"), "wb") as file:
            file.write(stored_safetensors({}))
        said = self.refused(EXAMPLE, self.path("none.safetensors"))
        self.assertIn("it has no tensors; the steps are inputs, ", said)

    def test_options(self):
        self.assertIn("did you mean `scores`?", self.refused(EXAMPLE, SCALED, "--only", "score"))
        self.assertIn("no step is called `scroes*`; did you mean `scores`?",
                      self.refused(EXAMPLE, SCALED, "--only", "scroes*"))
        self.assertIn("--rtol takes a number", self.refused(EXAMPLE, SCALED, "--rtol", "-1"))
        self.assertIn("standard input", self.refused("-", "-"))


class Sentences(Case):
    def test_how_far_apart_is_said_without_powers_of_ten(self):
        for number, said in ((262, "That is 130 times A's number"), (5, "That is 150 % of A's number"),
                             (2.5, "That is 25 % of A's number"), (2.000001, "That is 5e-07 of A's number"), (2e9, "That is 1e+09 times A's number")):
            trace = json.loads(attn("run", EXAMPLE, "--format", "json").stdout)
            scores = next(step for step in trace["steps"] if step["id"] == "scores")
            self.assertEqual(scores["data"][0][0], 2)
            scores["data"][0][0] = number
            done = attn("diff", EXAMPLE, self.write_json("theirs.json", trace))
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn(said, done.stdout)


class Lists(unittest.TestCase):
    def test_every_table_has_a_line_for_each(self):
        done = attn("list", "--format", "json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        all_lists = json.loads(done.stdout)
        self.assertEqual({"scores", "positions", "masks", "softmaxes", "norms", "activations", "formats", "exports", "files", "mistakes",
                          "conventions"}, set(all_lists))
        for name, rows in all_lists.items():
            self.assertTrue(rows, name)
            for row in rows:
                self.assertTrue(row["name"] and row["summary"], (name, row))
        names = {name: [row["name"] for row in rows] for name, rows in all_lists.items()}
        scores = ["scaled_dot", "dot", "cosine", "general", "additive", "concat"]
        self.assertEqual([name for name in names["scores"] if name in scores], scores)
        for position in ("sinusoidal", "learned", "rope", "alibi", "relative"):
            self.assertIn(position, names["positions"])
        masks = ["mask", "causal", "window", "lengths"]
        self.assertEqual([name for name in names["masks"] if name in masks], masks)
        known = json.loads(attn("mistakes", "--format", "json").stdout)
        self.assertEqual(names["mistakes"], [mistake["id"] for mistake in known])

    def test_people_see_them_in_eighty_columns(self):
        done = attn("list")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertLessEqual(max(map(len, done.stdout.split("\n"))), 80)
        one = attn("list", "scores")
        self.assertIn("scaled_dot", one.stdout)
        self.assertNotIn("causal", one.stdout)

    def test_an_unknown_word_is_met_with_the_nearest(self):
        done = attn("list", "scroes")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("did you mean `scores`?", done.stderr)


class OtherWayRound(unittest.TestCase):
    """A and B are the files as they were typed, whichever of them is a problem and whichever is computed."""

    def test_two_files_exchanged_are_the_same_report_with_their_letters_exchanged(self):
        both = {"queries": [[1, 0], [2, 1]], "score": "dot"}
        few = {**both, "keys": [[1, 1], [0, 2]], "values": [[1, 0], [0, 1]], "causal": True}
        many = {**both, "keys": [[1, 1], [0, 2], [1, 1]], "values": [[1, 0], [0, 1], [1, 1]]}
        with tempfile.TemporaryDirectory() as folder:
            paths = {}
            for name, problem in (("few", few), ("many", many)):
                for kind, text in (("problem", json.dumps(problem)),
                                   ("trace", attn("run", "-", "--format", "json", text=json.dumps(problem)).stdout)):
                    paths[name, kind] = os.path.join(folder, f"{name}.{kind}.json")
                    with open(paths[name, kind], "w", encoding="utf-8") as file:
                        file.write(text)
            for one, other in itertools.product(("problem", "trace"), repeat=2):
                with self.subTest(few=one, many=other):
                    first, second = paths["few", one], paths["many", other]
                    told, turned = (json.loads(attn("diff", *files, "--format", "json").stdout)
                                    for files in ((first, second), (second, first)))
                    self.assertEqual((told["A"]["file"], turned["A"]["file"]), (first, second))
                    verdicts = {step["id"]: step["verdict"] for step in told["steps"]}
                    self.assertEqual((verdicts["masked_scores"], verdicts["scores"]), ("only_A", "other_shape"))
                    exchanged = {"only_A": "only_B", "only_B": "only_A"}
                    self.assertEqual({step["id"]: exchanged.get(step["verdict"], step["verdict"])
                                      for step in turned["steps"]}, verdicts)
                    sizes, turned_sizes = ({step["id"]: (step["A"], step["B"])
                                            for step in report["steps"] if "A" in step} for report in (told, turned))
                    self.assertEqual(sizes["scores"], ("2 × 2", "2 × 3"))
                    self.assertEqual({id: both[::-1] for id, both in turned_sizes.items()}, sizes)


if __name__ == "__main__":
    unittest.main()
