"""Problems made of the modules of frameworks."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

import numpy as np

from ._given import numpy_of


def problem_from(module: Any, query: Any, key: Any = None, value: Any = None, *, key_padding_mask: Any = None,
                 attn_mask: Any = None, is_causal: bool = False) -> Dict[str, Any]:
    """The problem that torch's ``nn.MultiheadAttention`` solves for these inputs.

    What comes back is a dict for :func:`attn.run`, with the module's weights and biases as they are stored
    (``weight_layout: "out_in"``), its ``bias_k``, ``bias_v`` and ``add_zero_attn`` as appended keys and values.
    It states the module in eval mode, without dropout. The trace has the axes ``(batch, head, query, key)``
    whatever the layout of the inputs.

    :param module: the module, or anything with its attributes. torch itself is not needed.
    :param query: ``(L, E)``, ``(L, N, E)``, or with the module's ``batch_first`` ``(N, L, E)``.
    :param key: ``(S, kdim)`` and so on; the queries' inputs by default.
    :param value: ``(S, vdim)`` and so on; the keys' inputs by default.
    :param key_padding_mask: ``(N, S)`` or ``(S,)``; True, or −∞, where a key is padding.
    :param attn_mask: ``(L, S)`` or ``(N·heads, L, S)``; booleans that are True where a key is closed, or numbers that
        are added to the scores.
    :param is_causal: a query sees no key behind its own place.
    """
    heads = int(module.num_heads)
    batch_first = bool(getattr(module, "batch_first", False))
    queries = _sequences(query, batch_first)
    keys = queries if key is None or key is query else _sequences(key, batch_first)
    values = keys if value is None or value is key else _sequences(value, batch_first)

    problem: Dict[str, Any] = {"title": type(module).__name__, "heads": heads, "weight_layout": "out_in"}
    if keys is queries and values is queries:
        problem["inputs"] = queries
    else:
        problem["inputs"] = {"query": queries, "key": keys, "value": values}
    problem["weights"] = _weights(module)
    biases = _biases(module)
    if biases:
        problem["biases"] = biases
    appended = _appended(module)
    if appended:
        problem["appended"] = appended
    if is_causal:
        problem["causal"] = True

    masks: List[Dict[str, np.ndarray]] = []
    if attn_mask is not None:
        masks.append(_mask(_by_head(_numbers(attn_mask), queries, heads)))
    if key_padding_mask is not None:
        padding = _numbers(key_padding_mask)
        # Each sequence's keys, for every head and query.
        masks.append(_mask(padding[:, None, None, :] if padding.ndim == 2 else padding[None, None, :]))
    if masks:
        problem["mask"] = masks
    return problem


def _numbers(tensor: Any) -> np.ndarray:
    return numpy_of(tensor)[0]


def _sequences(tensor: Any, batch_first: bool) -> np.ndarray:
    """Inputs with the batch before the tokens."""
    inputs = _numbers(tensor)
    return inputs if inputs.ndim == 2 or batch_first else np.swapaxes(inputs, 0, 1)


def _weights(module: Any) -> Dict[str, np.ndarray]:
    packed = getattr(module, "in_proj_weight", None)
    if packed is not None:
        query, key, value = np.split(_numbers(packed), 3)
    else:
        query, key, value = (_numbers(getattr(module, f"{name}_proj_weight")) for name in "qkv")
    return {"query": query, "key": key, "value": value, "output": _numbers(module.out_proj.weight)}


def _biases(module: Any) -> Dict[str, np.ndarray]:
    biases = {}
    packed = getattr(module, "in_proj_bias", None)
    if packed is not None:
        biases = dict(zip(("query", "key", "value"), np.split(_numbers(packed), 3)))
    if getattr(module.out_proj, "bias", None) is not None:
        biases["output"] = _numbers(module.out_proj.bias)
    return biases


def _appended(module: Any) -> Dict[str, np.ndarray]:
    """A key and a value that were learned, then one of zeros."""
    keys, values = [], []
    if getattr(module, "bias_k", None) is not None:
        keys.append(_numbers(module.bias_k).reshape(1, -1))
        values.append(_numbers(module.bias_v).reshape(1, -1))
    if getattr(module, "add_zero_attn", False):
        width = int(module.embed_dim)
        keys.append(np.zeros((1, width)))
        values.append(np.zeros((1, width)))
    return {"keys": np.concatenate(keys), "values": np.concatenate(values)} if keys else {}


def _by_head(mask: np.ndarray, queries: np.ndarray, heads: int) -> np.ndarray:
    """A mask of all heads of all sequences, one behind the other, with an axis for each."""
    if mask.ndim == 2 or queries.ndim == 2:
        return mask
    return mask.reshape(-1, heads, *mask.shape[1:])


def _mask(mask: np.ndarray) -> Dict[str, np.ndarray]:
    if mask.dtype.kind in "iu":
        raise TypeError(f"a mask of {mask.dtype} may say which keys are closed, or be added: make it of booleans or "
                        "of floating-point numbers")
    return {"block": mask} if mask.dtype == bool else {"add": mask}
