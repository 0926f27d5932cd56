#!/usr/bin/env python3
"""Writes data/multihead.safetensors: the state dict of an nn.MultiheadAttention of width 4, in whole numbers.

Queries and keys of the first head are the first two numbers of a vector, those of the second the last two;
values are doubled, and the output exchanges the heads.
"""

import json
import os
import struct

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data")


def scaled(factor):
    return [[factor if i == j else 0 for j in range(4)] for i in range(4)]


def flat(tensor):
    return [float(number) for row in tensor for number in (row if isinstance(row, list) else [row])]


TENSORS = {"in_proj_weight": ([12, 4], scaled(1) + scaled(1) + scaled(2)), "in_proj_bias": ([12], [0] * 12),
           "out_proj.weight": ([4, 4], [[0, 0, 1, 0], [0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0]]),
           "out_proj.bias": ([4], [0] * 4)}

header, data = {}, b""
for name, (shape, numbers) in TENSORS.items():
    raw = struct.pack(f"<{len(flat(numbers))}f", *flat(numbers))
    header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(raw)]}
    data += raw
text = json.dumps(header).encode()
text += b" " * (-len(text) % 8)
with open(os.path.join(DATA, "multihead.safetensors"), "wb") as file:
    file.write(struct.pack("<Q", len(text)) + text + data)
