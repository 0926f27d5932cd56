#!/usr/bin/env python3
"""Cases of other frameworks, said as problems: nn.MultiheadAttention and ONNX Attention.

Each case file holds parameters, inputs and outputs as that framework computed
them. What is compared is every output and intermediate that a trace also has.

    adapters.py --attn build/default/attn --cases DIR
"""

import sys

sys.dont_write_bytecode = True

import json
import math
import os

from running import (SKIPPED, OutOfReach, Tally, depth, files_under, nothing_to_run, parsed_options, runner, steps_of,
                     transposed)

# Relative and absolute, by the type the framework computed in; the program computes in f64.
TOLERANCES = {
    "float64": (1e-12, 1e-13),
    "float32": (1e-5, 2e-6),
    "float16": (2e-3, 2e-3),
    "bfloat16": (2e-2, 2e-2),
}


# --- tensors ---------------------------------------------------------------


def data(tensor):
    return None if tensor is None else tensor["data"]


def number(value):
    return float(value)  # also "inf", "-inf" and "nan"


def infinities_spelled(nested):
    if isinstance(nested, list):
        return [infinities_spelled(x) for x in nested]
    if isinstance(nested, float) and math.isinf(nested):
        return "inf" if nested > 0 else "-inf"
    return nested


def mismatches(name, expected, got, tolerance, path=()):
    """Where two nested lists differ; the frameworks' infinities must be ours."""
    if isinstance(expected, list) != isinstance(got, list):
        return [f"{name}{list(path)}: another rank"]
    if isinstance(expected, list):
        if len(expected) != len(got):
            return [f"{name}{list(path)}: {len(expected)} expected, {len(got)} got"]
        return [m for i, (e, g) in enumerate(zip(expected, got))
                for m in mismatches(name, e, g, tolerance, path + (i,))]
    e, g = number(expected), number(got)
    relative, absolute = tolerance
    near = e == g or abs(e - g) <= absolute + relative * abs(e)
    return [] if near else [f"{name}{list(path)}: expected {e!r}, got {g!r}"]


def first(faults):
    more = f" and {len(faults) - 1} more" if len(faults) > 1 else ""
    return [faults[0] + more] if faults else []


# --- torch.nn.MultiheadAttention ------------------------------------------


class Torch:
    """in_proj_weight holds W_q, W_k, W_v one above the other, each stored out × in."""

    def __init__(self, case):
        self.case = case
        self.config, self.parameters = case["config"], case["parameters"]
        self.inputs = case["inputs"]
        self.unbatched = case["call"]["unbatched"]

    def problem(self):
        self._reach()
        problem = {
            "inputs": self._inputs(),
            "weights": self._weights(),
            "weight_layout": "out_in",
            "heads": self.config["num_heads"],
        }
        biases = self._biases()
        if biases:
            problem["biases"] = biases
        masks = self._masks()
        if masks:
            problem["mask"] = masks
        appended = self._appended()
        if appended["keys"]:
            problem["appended"] = appended
        return problem

    def _reach(self):
        if self.config.get("dropout"):
            raise OutOfReach("dropout is random")

    def _appended(self):
        """bias_k and bias_v, which every sequence gets, and then a key and a value of zeros."""
        width = self.config["embed_dim"]
        rows = {"keys": [], "values": []}
        for name, letter in (("keys", "k"), ("values", "v")):
            if self.config.get("add_bias_kv"):
                rows[name].append(data(self.parameters["bias_" + letter])[0][0])
            if self.config.get("add_zero_attn"):
                rows[name].append([0.0] * width)
        return rows

    def _inputs(self):
        tensors = {role: self._batch_first(data(self.inputs[role])) for role in ("query", "key", "value")}
        return tensors["query"] if tensors["query"] == tensors["key"] == tensors["value"] else tensors

    def _batch_first(self, tensor):
        """(L, N, E) is (N, L, E) with its first two axes exchanged."""
        return tensor if self.unbatched or self.config["batch_first"] else transposed(tensor)

    def _weights(self):
        width = self.config["embed_dim"]
        stacked = data(self.parameters.get("in_proj_weight"))
        if stacked:
            query, key, value = (stacked[i * width:(i + 1) * width] for i in range(3))
        else:
            query, key, value = (data(self.parameters[f"{n}_proj_weight"]) for n in "qkv")
        return {"query": query, "key": key, "value": value, "output": data(self.parameters["out_proj.weight"])}

    def _biases(self):
        width = self.config["embed_dim"]
        biases = {}
        stacked = data(self.parameters.get("in_proj_bias"))
        if stacked:
            for i, name in enumerate(("query", "key", "value")):
                biases[name] = stacked[i * width:(i + 1) * width]
        if "out_proj.bias" in self.parameters:
            biases["output"] = data(self.parameters["out_proj.bias"])
        return biases

    def _masks(self):
        """True blocks in both masks of this module; numbers are added."""
        masks = []
        padding = self.inputs.get("key_padding_mask")
        if padding:
            # One row a sequence has to pass by the heads and the queries.
            cells = padding["data"] if self.unbatched else [[[row]] for row in padding["data"]]
            masks.append(self._mask(padding, cells))
        mask = self.inputs.get("attn_mask")
        if mask:
            cells = mask["data"]
            if depth(cells) == 3 and not self.unbatched:
                heads = self.config["num_heads"]
                cells = [cells[b:b + heads] for b in range(0, len(cells), heads)]
            masks.append(self._mask(mask, cells))
        return masks

    @staticmethod
    def _mask(tensor, cells):
        return {"block" if tensor["dtype"] == "bool" else "add": infinities_spelled(cells)}

    def faults(self, trace):
        steps = steps_of(trace)
        tolerance = TOLERANCES[self.case["inputs"]["query"]["dtype"]]
        faults = []
        for name, expected, got in self._pairs(steps):
            faults += first(mismatches(name, expected, got, tolerance))
        return faults + self._closed_rows(trace)

    def _closed_rows(self, trace):
        """A row that may attend to nothing is NaN in PyTorch, and 0 with a note here: the rows must be the same."""
        theirs = list(nan_rows(data(self.case["extra"]["attn_output_weights_per_head"])))
        ours = [note["index"] for note in trace["notes"] if note["kind"] == "closed_row"]
        return [] if theirs == ours else [f"closed rows: NaN at {theirs} there, noted at {ours}"]

    def _pairs(self, steps):
        """Theirs and ours, side by side. Rows that may attend nothing are NaN there
        and 0 here, so the output of such a row is the bias alone."""
        made = {name: data(t) for group in ("outputs", "extra", "intermediates")
                for name, t in self.case.get(group, {}).items()}
        weights = steps["attention_weights"]["data"]
        yield "attn_output", self._closed_as_bias(self._batch_first(made["attn_output"])), steps["output"]["data"]
        per_head = without_nan(made["attn_output_weights_per_head"])
        yield "attn_output_weights_per_head", per_head, weights
        average = over_heads(weights) if self.unbatched else [over_heads(w) for w in weights]
        yield "attn_output_weights_average", without_nan(made["attn_output_weights_average"]), average
        if made.get("attn_output_weights"):
            shown = average if self.case["call"].get("average_attn_weights", True) else weights
            yield "attn_output_weights", without_nan(made["attn_output_weights"]), shown
        ours = {"q_heads": "queries", "k_heads": "keys", "v_heads": "values", "scaled_scores": "scaled_scores"}
        for name, step in ours.items():
            if name in made:
                got = [steps[step]["data"]] if self.unbatched else steps[step]["data"]
                if name == "scaled_scores":  # theirs are of the keys alone, without what is appended
                    got = first_columns(got, len(made[name][0][0][0]))
                yield name, made[name], got

    def _closed_as_bias(self, output):
        if depth(output) > 2:
            return [self._closed_as_bias(o) for o in output]
        zeros = [0.0] * len(output[0])
        bias = data(self.parameters.get("out_proj.bias")) or zeros
        return [bias if any(math.isnan(number(x)) for x in row) else row for row in output]


def without_nan(nested):
    if isinstance(nested, list):
        return [without_nan(x) for x in nested]
    return 0.0 if math.isnan(number(nested)) else nested


def nan_rows(nested, path=()):
    """The index of every row of weights that is no number."""
    if depth(nested) > 1:
        for i, part in enumerate(nested):
            yield from nan_rows(part, path + (i,))
    elif any(math.isnan(number(x)) for x in nested):
        yield list(path)


def first_columns(nested, count):
    return [first_columns(part, count) for part in nested] if depth(nested) > 1 else nested[:count]


def over_heads(weights):
    """The mean over heads of one sequence's weights [head][query][key]."""
    return [[math.fsum(cells) / len(cells) for cells in zip(*rows)] for rows in zip(*weights)]


# --- ONNX Attention --------------------------------------------------------


class Onnx:
    """Q, K, V are given: [B][N][h·d] with the numbers of heads, or [B][h][N][d].

    Every opset of these cases caps the scores before the mask is added.
    """

    # The last of these that a trace has is what qk_matmul_output shows, by qk_matmul_output_mode.
    SHOWN = {0: ("scaled_scores",), 1: ("scaled_scores", "capped_scores"),
             2: ("scaled_scores", "capped_scores", "masked_scores"), 3: ("attention_weights",)}

    def __init__(self, case):
        self.case = case
        self.attributes = case["attributes"]
        self.inputs = {name: tensor for name, tensor in case["inputs"].items() if tensor}
        self.rank3 = len(self.inputs["Q"]["shape"]) == 3

    def problem(self):
        problem = {"queries": data(self.inputs["Q"]), "keys": data(self.inputs["K"]), "values": data(self.inputs["V"]),
                   "heads": self._heads("Q", "q_num_heads"), "kv_heads": self._heads("K", "kv_num_heads")}
        if "scale" in self.attributes:
            problem["scale"] = self.attributes["scale"]
        if self.attributes.get("softcap"):  # 0 for none
            problem["softcap"] = self.attributes["softcap"]
        if "past_key" in self.inputs:
            problem["past"] = {"keys": data(self.inputs["past_key"]), "values": data(self.inputs["past_value"])}
        self._visibility(problem)
        return problem

    def _heads(self, name, attribute):
        return self.attributes[attribute] if self.rank3 else self.inputs[name]["shape"][1]

    @property
    def keys(self):
        """Past and new ones."""
        past = self.inputs.get("past_key")
        return self.inputs["K"]["shape"][-2] + (past["shape"][-2] if past else 0)

    def _visibility(self, problem):
        queries = self.inputs["Q"]["shape"][-2]
        lengths = data(self.inputs.get("nonpad_kv_seqlen"))
        window = [self.attributes.get(side + "_window_size", -1) for side in ("left", "right")]
        if lengths:
            problem["lengths"] = lengths
            # With a cache of which this many keys are valid, the queries are its last ones.
            problem["offset"] = [n - queries for n in lengths]
        if self.attributes.get("is_causal"):
            problem["causal"] = True
        if max(window) >= 0:
            problem["window"] = window
        mask = self.inputs.get("attn_mask")
        if mask:
            problem["mask"] = self._mask(mask)

    def _mask(self, mask):
        """True allows. A mask that ends before the keys do closes the rest."""
        allows = mask["dtype"] == "bool"
        filler = False if allows else "-inf"

        def widened(cells):
            if depth(cells) > 1:
                return [widened(c) for c in cells]
            return cells + [filler] * (self.keys - len(cells)) if len(cells) > 1 else cells

        return {"allow" if allows else "add": widened(infinities_spelled(mask["data"]))}

    def faults(self, trace):
        steps = steps_of(trace)
        faults = []
        for name, id in self._pairs(steps):
            expected = self.case["outputs"].get(name)
            if expected:
                faults += first(mismatches(name, data(expected), steps[id]["data"], TOLERANCES[expected["dtype"]]))
        return faults

    def _pairs(self, steps):
        """Each output, and the step that it is."""
        yield "Y", "concat" if self.rank3 else "context"
        shown = self.SHOWN[self.attributes.get("qk_matmul_output_mode", 0)]
        yield "qk_matmul_output", [id for id in shown if id in steps][-1]
        yield "present_key", "all_keys" if "all_keys" in steps else "keys"
        yield "present_value", "all_values" if "all_values" in steps else "values"


ADAPTERS = {"nn.MultiheadAttention": Torch, "Attention": Onnx}


def check(path, run):
    with open(path, encoding="utf-8") as file:
        case = json.load(file)
    adapter = ADAPTERS.get(case.get("op"))
    if adapter is None:
        raise OutOfReach(f"needs {case.get('op')}")
    translated = adapter(case)
    return translated.faults(run.trace(translated.problem()))


def main():
    options = parsed_options(__doc__.split("\n")[0], "a folder of cases, searched through and through")
    if nothing_to_run(options):
        return SKIPPED
    run, tally = runner(options), Tally()
    for path in files_under(options.cases):
        tally.run(os.path.relpath(path, options.cases), lambda: check(path, run))
    return tally.close()


if __name__ == "__main__":
    sys.exit(main())
