#!/usr/bin/env python3
"""Trains the model of data/induction.json, and writes it: two layers of attention that continue A B … A with B.

    train_induction.py [--seed N] [--to FOLDER]

It writes data/induction.safetensors (the weights, rounded to two decimals), data/induction.json (a problem that
reads them) and tools/train_induction.txt (this run: loss and accuracy), or all three into FOLDER. It needs torch,
takes about half a minute, and gives the same bytes each time on one machine and one version of torch. On another the last
bits of the training differ, and with them perhaps a last decimal here or there.

The task. A sequence of random letters ends in a letter that stood there before, and each time with the same letter
behind it: that letter comes next. Every place of every sequence where that is so counts as an example; nothing else
is asked for.

The model. Two layers of causal attention, one head each, and nothing between them but the residuals: no norm, no
network, no bias, no output matrix. Scores are not scaled. The first layer has a number for each of three distances
(itself, one back, further), the second has no positions at all.

What makes it readable. Each absolute value costs something (L1), so that what is not needed becomes 0; and but for
keys and distances no number may be negative, so that two letters do not share a column under two signs. Embeddings
start as a column for each letter; all else starts at random. What is below PRUNE after the first stage is fixed at 0 in
the second. At last the free columns are put in the order of the letters, which changes no result, and all is rounded.

The seed. 0 to 19 have been tried, and each gives a model that continues every sequence drawn of 6 and 8 letters. 8 and
18 leave the fewest numbers, 30; 18 stands in data/, since there all four letters go the same way.
"""

import argparse
import itertools
import json
import math
import os
import struct
import sys

import torch

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")

LETTERS = "ABCD"
WIDTH, KEY_WIDTH = 8, 4
LENGTH, SEQUENCES, BATCH = 12, 20000, 64
STEPS, STEPS_PRUNED = 2500, 1500
LEARNING_RATE, COST, COST_PRUNED, PRUNE = 0.01, 0.002, 0.0005, 0.06
NEVER_NEGATIVE = ("embedding", "layer1.query", "layer1.value", "layer2.query", "layer2.value", "unembedding")
HELD_OUT = (6, 8, 12, 16, 24)

# The last letter stood there before, followed by B.
TOKENS = "CABDCDA"


def start(seed):
    """The weights before training."""
    torch.manual_seed(seed)
    weights = {"embedding": 2 * torch.eye(len(LETTERS), WIDTH)}
    for layer in ("layer1", "layer2"):
        for name, width in (("query", KEY_WIDTH), ("key", KEY_WIDTH), ("value", WIDTH)):
            weights[f"{layer}.{name}"] = 0.3 * torch.randn(WIDTH, width)
        if layer == "layer1":
            weights["layer1.distance"] = torch.zeros(3)
    weights["unembedding"] = 0.3 * torch.randn(WIDTH, len(LETTERS))
    for name in NEVER_NEGATIVE:
        weights[name] = weights[name].abs()
    return weights


def forward(weights, sequences):
    """The model. Returns the logits, and the attention weights and residual of each layer."""
    place = torch.arange(sequences.shape[1])
    distance = place[:, None] - place[None, :]
    closed = torch.where(distance < 0, -math.inf, 0.0)
    x = weights["embedding"][sequences]
    seen = {}
    for layer in ("layer1", "layer2"):
        query, key, value = (x @ weights[f"{layer}.{name}"] for name in ("query", "key", "value"))
        scores = query @ key.transpose(1, 2) + closed
        if f"{layer}.distance" in weights:
            scores = scores + weights[f"{layer}.distance"][distance.clamp(0, 2)]
        attention = scores.softmax(-1)
        x = x + attention @ value
        seen[layer] = attention, x
    return x @ weights["unembedding"], seen


def continuations(sequences):
    """For each place the letter that comes next by the rule, or -1 where the rule says nothing."""
    count, length = sequences.shape
    answers = torch.full((count, length), -1)
    for place in range(1, length):
        again = (sequences[:, :place] == sequences[:, place, None]).double()
        followed = torch.zeros(count, len(LETTERS), dtype=again.dtype).scatter_add_(1, sequences[:, 1:place + 1], again)
        clear = (followed > 0).sum(1) == 1
        answers[clear, place] = followed[clear].argmax(1)
    return answers


def cross_entropy(logits, answers):
    return torch.nn.functional.cross_entropy(logits.reshape(-1, len(LETTERS)), answers.reshape(-1), ignore_index=-1)


def right_at_end(weights, sequences):
    """How many of the sequences whose end has an answer are continued with it, and how many there are."""
    answers = continuations(sequences)[:, -1]
    asked = answers >= 0
    with torch.no_grad():
        said = forward(weights, sequences[asked])[0][:, -1].argmax(1)
    return int((said == answers[asked]).sum()), int(asked.sum())


def all_sequences(longest):
    for length in range(2, longest + 1):
        yield torch.tensor(list(itertools.product(range(len(LETTERS)), repeat=length)))


def train(seed, tell):
    drawn = torch.Generator().manual_seed(1000 + seed)
    sequences = torch.randint(len(LETTERS), (SEQUENCES, LENGTH), generator=drawn)
    answers = continuations(sequences)
    weights = start(seed)
    for tensor in weights.values():
        tensor.requires_grad_(True)
    optimizer = torch.optim.Adam(list(weights.values()), lr=LEARNING_RATE)
    kept = None
    for step in range(STEPS + STEPS_PRUNED):
        pruning = step >= STEPS
        if step == STEPS:
            kept = {name: (tensor.detach().abs() >= PRUNE).double() for name, tensor in weights.items()}
        left = 1 - (step - STEPS) / STEPS_PRUNED if pruning else min(1.0, 2 * (1 - step / STEPS))
        for group in optimizer.param_groups:
            group["lr"] = LEARNING_RATE * (0.3 if pruning else 1.0) * (left + 0.01)
        rows = torch.randint(SEQUENCES, (BATCH,), generator=drawn)
        loss = cross_entropy(forward(weights, sequences[rows])[0], answers[rows])
        cost = (COST_PRUNED if pruning else COST) * sum(tensor.abs().sum() for tensor in weights.values())
        if step % 500 == 0:
            tell(f"step {step:4}  loss {loss.item():.4f}  cost of the weights {cost.item():.4f}")
        optimizer.zero_grad()
        (loss + cost).backward()
        optimizer.step()
        with torch.no_grad():
            for name in NEVER_NEGATIVE:
                weights[name].clamp_(min=0)
            if kept:
                for name, tensor in weights.items():
                    tensor.mul_(kept[name])
    weights = {name: tensor.detach() for name, tensor in weights.items()}
    with torch.no_grad():
        return weights, cross_entropy(forward(weights, sequences)[0], answers).item()




def in_order(weights):
    """The same model with columns in the order of the letters: the free half of the residual, and both heads."""
    def order_of(matrix):
        """Columns by the row they are largest in; those of zeros stay where they are."""
        return sorted(range(matrix.shape[1]), key=lambda column: (int(matrix[:, column].abs().argmax()), column))

    half = len(LETTERS)
    free = torch.tensor([*range(half), *(half + column for column in order_of(weights["layer1.value"][:half, half:]))])
    moved = {}
    for name, tensor in weights.items():
        if name in ("embedding", "layer1.value", "layer2.value"):
            tensor = tensor[:, free]
        if name not in ("embedding", "layer1.distance"):
            tensor = tensor[free]
        moved[name] = tensor
    for layer in ("layer1", "layer2"):
        columns = order_of(moved[f"{layer}.query"])
        for name in ("query", "key"):
            moved[f"{layer}.{name}"] = moved[f"{layer}.{name}"][:, columns]
    return moved


def rounded(weights):
    def to_two_decimals(tensor):
        # + 0 makes a plain zero of a negative one.
        return torch.tensor([float(f"{number:.2f}") + 0 for number in tensor.flatten().tolist()]).reshape(tensor.shape)

    return {name: to_two_decimals(tensor) for name, tensor in weights.items()}


def measured(weights, seed):
    """Lines that say how often the model is right: of all short sequences, and of some longer ones."""
    short = [right_at_end(weights, sequences) for sequences in all_sequences(8)]
    yield "length 2 to 8, all there are", sum(right for right, _ in short), sum(asked for _, asked in short)
    drawn = torch.Generator().manual_seed(2000 + seed)
    for length in HELD_OUT:
        sequences = torch.randint(len(LETTERS), (20000, length), generator=drawn)
        yield (f"length {length}, drawn anew", *right_at_end(weights, sequences))


def safetensors(tensors, metadata):
    """The bytes of a .safetensors file, in double precision."""
    header, data = {"__metadata__": metadata}, b""
    for name, tensor in tensors.items():
        numbers = tensor.flatten().tolist()
        packed = struct.pack(f"<{len(numbers)}d", *numbers)
        offsets = [len(data), len(data) + len(packed)]
        header[name] = {"dtype": "F64", "shape": list(tensor.shape), "data_offsets": offsets}
        data += packed
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


PROBLEM = """\
{
  "title": "A model small enough for a pencil",
  "notes": [
    "Two layers of attention, trained to continue A B … A with B, and rounded to two decimals.",
%(notes)s
  ],
  "tokens": %(tokens)s,
  "embeddings": {
%(embeddings)s
  },
  "score": "dot",
  "block": {
    "kind": "decoder_only",
    "layers": [
      // Layer 1: itself, one back, further away; and the letters.
      {"self": {
        %(distance)s,
        %(layer1)s
      }},
      // Layer 2: the letters, and what layer 1 has put beside them.
      {"self": {
        %(layer2)s
      }}
    ],
    "unembedding": %(unembedding)s,
    "vocabulary": %(letters)s
  }
}
"""


def problem(notes):
    def tensor(name):
        return json.dumps({"file": "induction.safetensors", "tensor": name})

    def attention(layer):
        names = ",\n          ".join(f'"{name}": {tensor(f"{layer}.{name}")}' for name in ("query", "key", "value"))
        return f'"weights": {{\n          {names}}}'

    return PROBLEM % {
        "notes": ",\n".join(f"    {json.dumps(note, ensure_ascii=False)}" for note in notes),
        "tokens": json.dumps(list(TOKENS)),
        "embeddings": ",\n".join(f'    "{letter}": {tensor(f"embedding.{letter}")}' for letter in LETTERS),
        "distance": f'"positions": {{"type": "t5", "bidirectional": false, "max_distance": 4, '
                    f'"table": {tensor("layer1.distance")}}}',
        "layer1": attention("layer1"),
        "layer2": attention("layer2"),
        "unembedding": tensor("unembedding"),
        "letters": json.dumps(list(LETTERS)),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=18, help="what the random numbers begin with (18)")
    parser.add_argument("--to", help="write all files into this folder, and not into data/ and tools/")
    options = parser.parse_args()
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)

    record = []

    def tell(line):
        print(line, flush=True)
        record.append(line)

    seed = options.seed
    tell(f"tools/train_induction.py --seed {seed}, torch {torch.__version__.split('+')[0]}, double precision")
    tell(f"{SEQUENCES} sequences of {LENGTH} letters, {BATCH} a step")
    weights, loss = train(seed, tell)
    exact = in_order(weights)
    two_decimals = rounded(exact)
    steps = STEPS + STEPS_PRUNED
    numbers = sum(int((tensor != 0).sum()) for tensor in two_decimals.values())
    places = sum(tensor.numel() for tensor in two_decimals.values())
    tell(f"after step {steps}: loss {loss:.5f} over all {SEQUENCES} sequences; {numbers} of {places} numbers are not 0")
    tell("right, before rounding and after:")
    after = {}
    for (what, right, asked), (_, right_rounded, _) in zip(measured(exact, seed), measured(two_decimals, seed)):
        tell(f"  {what:<30} {right} and {right_rounded} of {asked}")
        after[what] = f"{right_rounded} of {asked}"

    tensors = {f"embedding.{letter}": row for letter, row in zip(LETTERS, two_decimals.pop("embedding"))} | two_decimals
    metadata = {"made_by": "tools/train_induction.py", "task": "continue A B ... A with B", "seed": str(seed),
                "steps": str(steps), "torch": torch.__version__.split("+")[0], "loss": f"{loss:.5f}",
                "rounded": "two decimals"} | {f"right, {what}": of for what, of in after.items()}
    notes = [f"tools/train_induction.py made it: seed {seed}, {steps} steps, a loss of {loss:.5f} at the end; "
             f"{numbers} of {places} numbers are not 0.",
             f"After rounding it is right at {after['length 2 to 8, all there are']} sequences of up to 8 letters that "
             "have an answer."]
    written = {"data/induction.safetensors": safetensors(tensors, metadata),
               "data/induction.json": problem(notes).encode(),
               "tools/train_induction.txt": "".join(f"{line}\n" for line in record).encode()}
    for path, content in written.items():
        place = os.path.join(options.to, os.path.basename(path)) if options.to else os.path.join(ROOT, path)
        with open(place, "wb") as file:
            file.write(content)


if __name__ == "__main__":
    sys.exit(main())
