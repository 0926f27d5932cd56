#!/usr/bin/env python3
"""What a problem may not say is refused: exit code 2 and an error that names the file.

    refused_test.py [PROGRAM]

Each case is a small good problem with one thing made wrong. The good problems are run
too, so that nothing is refused for another reason.
"""

import sys

sys.dont_write_bytecode = True

import copy
import json
import os
import subprocess
import tempfile

from program import SKIPPED, default_program, missing

ONE = [[1, 0, 1, 2], [0, 1, 1, 1], [2, 1, 0, 0]]
SQUARE = [[1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 2]]
PLAIN = {"inputs": ONE, "weights": {"query": SQUARE, "key": SQUARE, "value": SQUARE}}
HEADS = dict(PLAIN, heads=2)
BATCH = dict(HEADS, inputs=[ONE, ONE])
DIRECT = {"queries": ONE, "keys": ONE, "values": ONE}
PAST = {"keys": [[1, 2, 3, 4], [0, 1, 0, 1]], "values": [[1, 2, 3, 4], [0, 1, 0, 1]]}
RELATIVE = {"type": "relative", "keys": [[1, 2, 3, 4]] * 3, "values": [[1, 2, 3, 4]] * 3}
DEBERTA = {"type": "deberta", "embeddings": [[1, 2]] * 4, "key": [[1, 2, 3, 4]] * 2, "query": [[1, 2, 3, 4]] * 2}
ADDITIVE = {"type": "additive", "query": [[1, 2]] * 4, "key": [[1, 2]] * 4, "v": [1, 2]}
CONCAT = {"type": "concat", "weight": [[1, 2]] * 8, "v": [1, 2]}

GOOD = [
    PLAIN, HEADS, BATCH, DIRECT, dict(PLAIN, past=PAST), dict(PLAIN, appended=PAST), dict(PLAIN, positions=RELATIVE),
    dict(HEADS, positions=DEBERTA), dict(PLAIN, score=ADDITIVE), dict(PLAIN, score=CONCAT),
    dict(DIRECT, keys=[[1, 2, 3, 4]], values=[[1]], window=[-1, 0], offset=-2, softcap=0.5),
    dict(PLAIN, inputs={"query": ONE, "key": [[1, 2]]}, positions="sinusoidal", weights=dict(
        PLAIN["weights"], key=SQUARE[:2], value=SQUARE[:2])),
    {"queries": [ONE], "keys": [ONE], "past": {"keys": [[[[1, 2]]] * 2], "values": [[[[1, 2]]] * 2]}},
    dict(HEADS, softmax={"sink": [1, 2]}), dict(HEADS, positions={"type": "t5", "table": [[1, 2]] * 4}),
]


def changed(problem, *path, to):
    """The problem with one thing in it another, or gone where `to` is None."""
    made = copy.deepcopy(problem)
    place = made
    for name in path[:-1]:
        place = place[name]
    if to is None:
        del place[path[-1]]
    else:
        place[path[-1]] = to
    return made


WRONG = {
    # heads
    "kv_heads that do not divide the heads": dict(BATCH, heads=4, kv_heads=3),
    "kv_heads without heads": dict(PLAIN, kv_heads=2),
    "more kv_heads than heads": dict(HEADS, kv_heads=4),
    "kv_heads of zero": dict(HEADS, kv_heads=0),
    "kv_heads against the weights": dict(HEADS, kv_heads=1, weights=dict(HEADS["weights"], value=[[[1]] * 4] * 2)),
    "split input with kv_heads": dict(HEADS, split="input", kv_heads=1, weights={
        n: [[1, 0], [0, 1]] for n in ("query", "key", "value")}),
    # softcap, window, offset
    "softcap of zero": dict(PLAIN, softcap=0),
    "a negative softcap": dict(PLAIN, softcap=-2),
    "a softcap that is no number": dict(PLAIN, softcap="nan"),
    "a window of one side": dict(PLAIN, window=[1]),
    "a window of three sides": dict(PLAIN, window=[1, 1, 1]),
    "a window below no limit": dict(PLAIN, window=[-2, 1]),
    "a window of a half": dict(PLAIN, window=[0.5, 1]),
    "a window of one number": dict(PLAIN, window=2),
    "an offset of a half": dict(PLAIN, causal=True, offset=0.5),
    "an offset a sequence without a batch": dict(PLAIN, causal=True, offset=[1]),
    "offsets for another batch": dict(BATCH, causal=True, offset=[1, 2, 3]),
    "an infinite offset": dict(PLAIN, causal=True, offset="inf"),
    # caches
    "past without values": dict(PLAIN, past={"keys": PAST["keys"]}),
    "past without keys": dict(PLAIN, past={"values": PAST["values"]}),
    "past of two lengths": dict(PLAIN, past=changed(PAST, "keys", to=[[1, 2, 3, 4]])),
    "past keys of another width": dict(PLAIN, past=changed(PAST, "keys", to=[[1, 2, 3]] * 2)),
    "past values of another width": dict(PLAIN, past=changed(PAST, "values", to=[[1, 2, 3]] * 2)),
    "past of another batch": dict(BATCH, past={n: [t] * 3 for n, t in PAST.items()}),
    "past with another name": dict(PLAIN, past=dict(PAST, key=PAST["keys"])),
    "past keys and values of different numbers of heads": dict(DIRECT, past={
        "keys": [[[[1, 2]]] * 2], "values": [[[[1]]] * 4]}, queries=[ONE], keys=[ONE], values=[ONE]),
    "queries that the heads of a past cannot share": dict(past={"keys": [[[[1]]] * 3], "values": [[[[1]]] * 3]},
                                                          queries=[ONE], keys=[ONE]),
    "max_tokens with past": dict(PLAIN, past=PAST, max_tokens=2),
    "max_tokens with queries": dict(DIRECT, max_tokens=2),
    "appended without values": dict(PLAIN, appended={"keys": PAST["keys"]}),
    "appended of two lengths": dict(PLAIN, appended=changed(PAST, "keys", to=[[1, 2, 3, 4]])),
    "appended keys of another width": dict(PLAIN, appended=changed(PAST, "keys", to=[[1, 2, 3]] * 2)),
    "a mask over appended columns": dict(PLAIN, appended=PAST, mask={"allow": [[1] * 5] * 3}),
    "a mask that leaves out the past": dict(PLAIN, past=PAST, mask={"allow": [[1] * 3] * 3}),
    "no number added": dict(PLAIN, mask={"add": [0, "nan", 0]}),
    "infinity added": dict(PLAIN, mask={"add": [0, "inf", 0]}),
    "more valid keys than there are": dict(PLAIN, lengths=4),
    # positions
    "unknown positions": dict(PLAIN, positions="rotary"),
    "unknown words about positions": dict(PLAIN, positions={"type": "rope", "theta": 1}),
    "positions without a type": dict(PLAIN, positions={"base": 10}),
    "sinusoidal with queries": dict(DIRECT, positions="sinusoidal"),
    "learned with queries": dict(DIRECT, positions={"type": "learned", "table": ONE}),
    "learned without a table": dict(PLAIN, positions="learned"),
    "a learned table too short": dict(PLAIN, positions={"type": "learned", "table": ONE[:2]}),
    "a learned table too short after a past": dict(PLAIN, past=PAST, positions={"type": "learned", "table": ONE}),
    "a learned table of another width": dict(PLAIN, positions={"type": "learned", "table": [[1, 2]] * 3}),
    "a learned table for inputs of two widths": dict(PLAIN, inputs={"query": ONE, "key": [[1, 2]]}, positions={
        "type": "learned", "table": ONE}, weights=dict(PLAIN["weights"], key=SQUARE[:2], value=SQUARE[:2])),
    "a base of zero": dict(PLAIN, positions={"type": "sinusoidal", "base": 0}),
    "a negative base": dict(PLAIN, positions={"type": "rope", "base": -10}),
    "an odd number of dims": dict(PLAIN, positions={"type": "rope", "dims": 3}),
    "more dims than there are": dict(PLAIN, positions={"type": "rope", "dims": 6}),
    "dims of zero": dict(PLAIN, positions={"type": "rope", "dims": 0}),
    "interleaved as a word": dict(PLAIN, positions={"type": "rope", "interleaved": "yes"}),
    "rope on an odd width": dict(DIRECT, queries=[[1, 2, 3]], keys=[[1, 2, 3]], values=[[1]], positions="rope"),
    "relative without tables": dict(PLAIN, positions="relative"),
    "a relative table of even length": dict(PLAIN, positions=changed(RELATIVE, "keys", to=[[1, 2, 3, 4]] * 4)),
    "a relative table of another width": dict(PLAIN, positions=changed(RELATIVE, "keys", to=[[1, 2, 3]] * 3)),
    "a relative table of values of another width": dict(PLAIN, positions=changed(RELATIVE, "values", to=[[1]] * 3)),
    "alibi with slopes": dict(PLAIN, positions={"type": "alibi", "slopes": [1]}),
    "a T5 table for other heads": dict(HEADS, positions={"type": "t5", "table": [[1, 2, 3]] * 4}),
    "a T5 table without heads where there are some": dict(HEADS, positions={"type": "t5", "table": [1, 2, 3, 4]}),
    "a T5 table of odd length for both sides": dict(HEADS, positions={"type": "t5", "table": [[1, 2]] * 3}),
    "T5 without a table": dict(PLAIN, positions="t5"),
    "a farthest T5 distance of zero": dict(PLAIN, positions={"type": "t5", "table": [1] * 4, "max_distance": 0}),
    "DeBERTa without matrices": dict(HEADS, positions={"type": "deberta", "embeddings": [[1, 2]] * 4}),
    "DeBERTa without embeddings": dict(HEADS, positions=changed(DEBERTA, "embeddings", to=None)),
    "an odd number of DeBERTa's embeddings": dict(HEADS, positions=changed(DEBERTA, "embeddings", to=[[1, 2]] * 3)),
    "DeBERTa's matrix of another height": dict(HEADS, positions=changed(DEBERTA, "key", to=[[1, 2, 3, 4]] * 3)),
    "DeBERTa's matrix of another width": dict(HEADS, positions=changed(DEBERTA, "query", to=[[1, 2]] * 2)),
    # scores
    "an unknown score": dict(PLAIN, score="cosinus"),
    "general without a weight": dict(PLAIN, score="general"),
    "a general weight of another shape": dict(PLAIN, score={"type": "general", "weight": [[1, 2]] * 4}),
    "additive without v": dict(PLAIN, score=changed(ADDITIVE, "v", to=None)),
    "an additive v of another length": dict(PLAIN, score=changed(ADDITIVE, "v", to=[1, 2, 3])),
    "additive matrices of two widths": dict(PLAIN, score=changed(ADDITIVE, "key", to=[[1, 2, 3]] * 4)),
    "an additive matrix of another height": dict(PLAIN, score=changed(ADDITIVE, "query", to=[[1, 2]] * 3)),
    "a concat weight of one height": dict(PLAIN, score=changed(CONCAT, "weight", to=[[1, 2]] * 4)),
    "a concat v of another length": dict(PLAIN, score=changed(CONCAT, "v", to=[1])),
    "cosine with a weight": dict(PLAIN, score={"type": "cosine", "weight": SQUARE}),
    "a dot product of two widths": dict(DIRECT, keys=[[1, 2, 3]], values=[[1]]),
    # softmax
    "an unknown softmax": dict(PLAIN, softmax="softmin"),
    "a base of one": dict(PLAIN, softmax={"base": 1}),
    "a base below one": dict(PLAIN, softmax={"base": 0.5}),
    "an infinite base": dict(PLAIN, softmax={"base": "inf"}),
    "a base and a sink": dict(PLAIN, softmax={"base": 2, "sink": 1}),
    "a softmax of nothing": dict(PLAIN, softmax={}),
    "sinks without heads": dict(PLAIN, softmax={"sink": [1]}),
    "sinks for other heads": dict(HEADS, softmax={"sink": [1, 2, 3]}),
    "a sink that is no number": dict(PLAIN, softmax={"sink": "nan"}),
    "a dtype nobody has": dict(PLAIN, arithmetic={"dtype": "f8"}),
}


def outcome(program, problem, folder):
    path = os.path.join(folder, "problem.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(problem, file)
    done = subprocess.run([program, "run", path, "--format", "json"], capture_output=True, timeout=60)
    return done.returncode, done.stdout, done.stderr.decode("utf-8", "replace").replace(path, "problem.json")


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else default_program()
    if missing(program):
        return SKIPPED
    failed = 0
    with tempfile.TemporaryDirectory(prefix="attn-refused-") as folder:
        for problem in GOOD:
            code, _, said = outcome(program, problem, folder)
            if code:
                failed += 1
                print(f"FAILED: a good problem ends with {code}: {said[:500]}\n    {json.dumps(problem)}")
        for name, problem in WRONG.items():
            code, written, said = outcome(program, problem, folder)
            if code != 2 or written or "problem.json" not in said or "error" not in said:
                failed += 1
                print(f"FAILED: {name} ends with {code}: {said[:300]}\n    {json.dumps(problem)}")
    print(f"{len(GOOD) + len(WRONG) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
