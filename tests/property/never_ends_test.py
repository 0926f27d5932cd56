#!/usr/bin/env python3
"""No problem ends the program in its middle: neither one whose parts are unlike, whatever is asked of it, nor one that
is wrong in several places at once.

    never_ends_test.py [PROGRAM [SEED [COUNT]]]

What is good is answered, what is wrong is refused with exit code 2; nothing else, and no signal, ever comes of it.
"""

import sys

sys.dont_write_bytecode = True

import copy
import json
import os
import random
import subprocess
import tempfile

from program import SKIPPED, default_program, missing
from refused_test import GOOD, WRONG
from slow import SLOW
from unlike_parts import Models

# What stands well somewhere, and may stand anywhere.
MEMBERS = {
    "tokens": [["a"], ["a", "b", "c"], [["a", "b"], ["c"]], {"query": ["a"], "key": ["b"]}, ["1", "b"]],
    "inputs": [[[1, 0]], [[1, 2], [3]], [[[1, 0], [0, 1]], [[1, 1]]], {"query": [[1, 0]]}, [], 7],
    "queries": [[[1, 0]], [[1], [2, 3]]], "keys": [[[1, 0]]], "values": [[[1, 0, 2]]],
    "embeddings": [{"a": [1, 0], "b": [0, 1]}, {"a": [1, 0], "b": [0]}],
    "lengths": [2, [1, 2], 99], "max_tokens": [1, 0, 99], "heads": [2, 3, -1e300], "kv_heads": [1, 2],
    "causal": [True], "window": [[1, 0], [-2, 0]], "offset": [1, [1, 2]], "mask": [{"allow": [[1, 0]]}, [[1]], {"add": ["nan"]}],
    "past": [{"keys": [[1, 0]], "values": [[1, 0]]}, {"keys": [[1, 0]]}], "vectors": ["columns", "diagonal"],
    "positions": ["sinusoidal", "rope", {"type": "learned", "table": [[1, 0]]}, "nowhere"], "split": ["input"],
    "score": ["cosine", {"type": "general", "weight": [[1]]}], "softmax": [{"base": 2}, "linear"], "digits": [3, -1e30],
    "weights": [{"query": [[1, 0], [0, 1]]}, {"query": [[1, 0]], "key": [[1], [2]], "value": 3}, {"file": "nowhere.npz"}],
    "block": [{"layers": [{"self": {}}]}, {"layers": []}, {"kind": "decoder", "layers": [{"self": {}, "cross": {}}]}],
    "memory": [{"inputs": [[1, 0]]}, {"tokens": ["a"], "inputs": [[1, 0], [0, 1]]}, {"title": "none"}],
    "vocabulary": [["a", "b"], ["1", "b"]], "unembedding": [[[1, 0], [0, 1]]],
}


def objects_in(value):
    """Every object in a problem, and every list in it that holds another or numbers."""
    found = [value] if isinstance(value, (dict, list)) else []
    for one in (value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()):
        found += objects_in(one)
    return found


def spoiled(problem, rng):
    """The problem with one thing in it another, gone, too much or elsewhere."""
    made = copy.deepcopy(problem)
    place = rng.choice(objects_in(made))
    if isinstance(place, list):
        if not place:
            return made
        at = rng.randrange(len(place))
        change = rng.randrange(4)
        if change == 0:
            del place[at]
        elif change == 1:
            place.append(copy.deepcopy(place[at]))
        else:
            place[at] = rng.choice([7, "nan", "word", [], [1, 2], {}, None])
        return made
    if place and rng.random() < 0.4:
        del place[rng.choice(sorted(place))]
    else:
        name = rng.choice(sorted(MEMBERS))
        place[name] = copy.deepcopy(rng.choice(MEMBERS[name]))
    return made


def fault_of(words):
    """What is wrong with how a command ends, "" where nothing is."""
    done = subprocess.run(words, capture_output=True, timeout=120)
    if done.returncode not in (0, 1, 2):
        return f"ends with {done.returncode}: {done.stderr[-600:].decode('utf-8', 'replace')}"
    if done.returncode == 2 and b"error: " not in done.stderr:
        return "is refused, and no error is told"
    # 2^64 less a few, and what a number that is none is cast to.
    if b"184467440737095" in done.stdout or b"-2147483648" in done.stdout:
        return "shows a number that nobody computed"
    return ""


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else default_program()
    if missing(program):
        return SKIPPED
    rng = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 20)
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 60 if SLOW else 200
    models = Models(rng)
    failed = 0
    with tempfile.TemporaryDirectory(prefix="attn-never-ends-") as folder:
        path = os.path.join(folder, "problem.json")
        for i in range(count):
            problem = models.model()
            if i % 4 > 0:
                if i % 4 == 1:
                    problem = rng.choice(GOOD + list(WRONG.values()))
                for _ in range(rng.randint(1, 3)):
                    problem = spoiled(problem, rng)
            with open(path, "w", encoding="utf-8") as file:
                json.dump(problem, file)
            for words in (["run", path], models.command(path)):
                if fault := fault_of([program, *words]):
                    failed += 1
                    print(f"FAILED: attn {' '.join(words)} {fault}\n    {json.dumps(problem)}")
    print(f"{2 * count - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
