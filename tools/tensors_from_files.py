#!/usr/bin/env python3
"""Writes the numbers of data/worked-example.json as files of numpy, for data/tensors-from-files.json."""

import json
import os

import numpy as np

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data")

with open(os.path.join(DATA, "worked-example.json"), encoding="utf-8") as file:
    example = json.loads("".join(line for line in file if not line.lstrip().startswith("//")))

weights = example["weights"]
np.save(os.path.join(DATA, "tensors-from-files.npy"), np.array(example["inputs"], dtype="u1"))
np.savez_compressed(os.path.join(DATA, "tensors-from-files.npz"),
                    w_query=np.array(weights["query"], dtype="f2"),
                    w_key=np.array(weights["key"], dtype=">f4"),
                    w_value=np.array(weights["value"], dtype="f8", order="F"))
