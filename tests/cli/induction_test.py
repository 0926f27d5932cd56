"""The trained model in data/: its file, what it does, and that the program computes it as torch does.

For the last, tools/train_induction.py has the model, and data/induction.safetensors its weights.
"""

import itertools
import json
import os
import re
import random
import struct
import subprocess
import sys
import unittest

ATTN = os.path.abspath(os.environ["ATTN"])
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
DATA = os.path.join(ROOT, "data")
LETTERS = "ABCD"

sys.path.insert(0, os.path.join(ROOT, "tools"))
sys.path.insert(0, os.path.join(ROOT, "tests", "property"))

from notes import NOTES

try:
    import train_induction
except ImportError:
    train_induction = None


def traced(tokens):
    """The steps of data/induction.json, of these tokens in place of its own."""
    with open(os.path.join(DATA, "induction.json"), encoding="utf-8") as file:
        problem = json.loads("".join(line for line in file if not line.lstrip().startswith("//")))
    problem["tokens"] = tokens
    done = subprocess.run([ATTN, "run", "-", "--root", DATA, "--format", "json"], input=json.dumps(problem),
                          capture_output=True, encoding="utf-8", timeout=60)
    assert done.returncode == 0 and re.fullmatch(NOTES, done.stderr), done.stderr
    return {step["id"]: step["data"] for step in json.loads(done.stdout)["steps"]}


def stored():
    """{name: (shape, numbers)} of the file, and what it says of itself."""
    with open(os.path.join(DATA, "induction.safetensors"), "rb") as file:
        content = file.read()
    size, = struct.unpack("<Q", content[:8])
    header = json.loads(content[8:8 + size])
    metadata = header.pop("__metadata__")
    tensors = {}
    for name, tensor in header.items():
        assert tensor["dtype"] == "F64"
        begin, end = tensor["data_offsets"]
        numbers = struct.unpack(f"<{(end - begin) // 8}d", content[8 + size + begin:8 + size + end])
        tensors[name] = tensor["shape"], numbers
    return tensors, metadata


def next_letter(sequence):
    """What followed the last letter each time it stood there before, or None."""
    followed = {b for a, b in zip(sequence, sequence[1:]) if a == sequence[-1]}
    return followed.pop() if len(followed) == 1 else None


def asked():
    """Sequences of 7 letters that have an answer."""
    drawn = random.Random(18)
    sequences = []
    while len(sequences) < 200:
        sequence = [drawn.choice(LETTERS) for _ in range(7)]
        if next_letter(sequence):
            sequences.append(sequence)
    return sequences


class Weights(unittest.TestCase):
    def test_have_two_decimals_and_are_few(self):
        tensors, _ = stored()
        numbers = [number for _, numbers in tensors.values() for number in numbers]
        self.assertTrue(all(number == float(f"{number:.2f}") for number in numbers))
        self.assertEqual((sum(number != 0 for number in numbers), len(numbers)), (30, 323))

    def test_say_how_they_were_made(self):
        metadata = stored()[1]
        with open(os.path.join(ROOT, "tools", "train_induction.txt"), encoding="utf-8") as file:
            record = file.read()
        self.assertIn(f"--seed {metadata['seed']}, torch {metadata['torch']}", record)
        self.assertIn(f"after step {metadata['steps']}: loss {metadata['loss']}", record)
        with open(os.path.join(DATA, "induction.json"), encoding="utf-8") as file:
            notes = file.read()
        self.assertIn(f"seed {metadata['seed']}, {metadata['steps']} steps, a loss of {metadata['loss']}", notes)


class Model(unittest.TestCase):
    def test_continues_with_what_followed_last_time(self):
        sequences = asked()
        steps = traced(sequences)
        for sequence, of_it in zip(sequences, steps["probabilities"]):
            said = LETTERS[max(range(4), key=of_it[-1].__getitem__)]
            self.assertEqual(said, next_letter(sequence), sequence)

    def test_looks_one_back_and_then_behind_the_same_letter(self):
        sequences = [list(before + "AB" + between + "A")
                     for before, between in itertools.product(("", "C", "DC"), ("C", "D", "CD", "DC", "DD", "CDC"))]
        for sequence in sequences:
            steps = traced(sequence)
            first, second = (steps[f"layer{layer}.self.attention_weights"][-1] for layer in (1, 2))
            self.assertGreater(first[-2], 0.7, sequence)
            self.assertGreater(second[sequence.index("A") + 1], 0.84, sequence)


@unittest.skipIf(train_induction is None, "torch is not installed")
class Torch(unittest.TestCase):
    def test_computes_the_same(self):
        import torch

        torch.set_default_dtype(torch.float64)
        tensors, _ = stored()
        weights = {name: torch.tensor(numbers).reshape(shape) for name, (shape, numbers) in tensors.items()}
        weights["embedding"] = torch.stack([weights.pop(f"embedding.{letter}") for letter in LETTERS])
        sequences = [*asked(), list(train_induction.TOKENS)]
        logits, seen = train_induction.forward(weights, torch.tensor([[LETTERS.index(letter) for letter in sequence]
                                                                      for sequence in sequences]))
        steps = traced(sequences)
        expected = {"logits": logits, "probabilities": logits.softmax(-1)}
        for layer in ("layer1", "layer2"):
            expected[f"{layer}.self.attention_weights"], expected[f"{layer}.residual1"] = seen[layer]
        for step, tensor in expected.items():
            with self.subTest(step=step):
                self.assertLess((torch.tensor(steps[step]) - tensor).abs().max().item(), 1e-12)

    def test_asks_for_what_followed(self):
        import torch

        for sequence in asked():
            answers = train_induction.continuations(torch.tensor([[LETTERS.index(letter) for letter in sequence]]))
            for place, answer in enumerate(answers[0].tolist(), 1):
                wanted = next_letter(sequence[:place])
                self.assertEqual(None if answer < 0 else LETTERS[answer], wanted, sequence[:place])


if __name__ == "__main__":
    unittest.main()
