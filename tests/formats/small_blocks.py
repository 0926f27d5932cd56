"""A small block of a transformer for every activation: {name: problem}."""

import copy
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "property"))

import every_feature


def block(norm, norm_type, activation):
    layer = {"self": {"weights": every_feature.WIDE}, "norm1": {"gain": [1, 0.5, 2, 1]}, "norm2": {},
             "ffn": {"in": [[1, 0.5], [0, 1], [-1, 0.25], [0.5, 0]], "in_bias": [0.5, -0.5],
                     "out": [[1, 0, 0.5, -1], [0.25, 1, 0, 0.5]]}}
    if activation.endswith("glu"):
        layer["ffn"]["gate"] = [[0.5, 1], [1, 0], [0.25, -1], [0, 0.5]]
    return {"inputs": every_feature.INPUTS, "heads": 2,
            "block": {"kind": "decoder_only", "norm": norm, "norm_type": norm_type, "activation": activation,
                      "eps": 0.25, "layers": [layer, {**copy.deepcopy(layer), "norm2": {"gain": [1, 0.5, 0, 1]}}]}}


def problems():
    return {"block-" + activation.replace("_", "-"): block(norm, norm_type, activation)
            for norm, norm_type, activation in (("post", "layer", "relu"), ("post", "layer", "gelu"),
                                                ("pre", "layer", "gelu_tanh"), ("pre", "rms", "silu"),
                                                ("pre", "rms", "swiglu"), ("post", "layer", "geglu"))}
