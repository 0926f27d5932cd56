"""Models whose parts are unlike: other tokens, padding, heads and positions in each."""


class Models:
    """Drawn one after the other. `rng` is a random.Random."""

    def __init__(self, rng):
        self.rng = rng

    def some(self, share):
        return self.rng.random() < share

    def matrix(self, rows, columns):
        return [[self.rng.randint(-2, 3) for _ in range(columns)] for _ in range(rows)]

    def inputs(self, width, batch):
        if batch is None:
            return self.matrix(self.rng.randint(1, 5), width)
        return [self.matrix(self.rng.randint(1, 4), width) for _ in range(batch)]

    def attention(self, width):
        made = {}
        if self.some(0.6):
            made["heads"] = self.rng.choice([heads for heads in (1, 2, 4) if width % heads == 0])
        if self.some(0.2):
            made["positions"] = self.rng.choice(["alibi", "rope" if width // made.get("heads", 1) % 2 == 0 else "alibi"])
        if self.some(0.2):
            made["score"] = self.rng.choice(["dot", "cosine"])
        return made

    def model(self):
        width, batch = self.rng.choice([2, 4]), self.rng.choice([None, 2, 3])
        kind = self.rng.choice(["encoder", "decoder_only", "decoder", "decoder"])
        layers = []
        for _ in range(self.rng.randint(1, 2)):
            layer = {"self": self.attention(width)}
            if kind == "decoder":
                layer["cross"] = self.attention(width)
            if self.some(0.4):
                layer["norm1"] = {}
            if self.some(0.3):
                layer["ffn"] = {"in": self.matrix(width, 3), "out": self.matrix(3, width)}
            layers.append(layer)
        problem = {"inputs": self.inputs(width, batch), "block": {"kind": kind, "layers": layers}}
        if kind == "decoder":
            memory = problem["block"]["memory"] = {"inputs": self.inputs(width, batch)}
            if self.some(0.8):
                memory["block"] = {"kind": "encoder", "layers": [{"self": self.attention(width)}
                                                                 for _ in range(self.rng.randint(1, 2))]}
            if self.some(0.2):
                memory["max_tokens"] = self.rng.randint(1, 3)
        elif self.some(0.3):
            problem["block"]["unembedding"] = self.matrix(width, 3)
        if self.some(0.15):
            problem["max_tokens"] = self.rng.randint(1, 3)
        return problem

    def picked(self):
        """Options that pick a place, which some parts have and others may not."""
        words = []
        for option, most in (("--head", 4), ("--query", 5), ("--batch", 3)):
            if self.some(0.4):
                words += [option, str(self.rng.randint(1, most))]
        if self.some(0.2):
            return words + ["--layer", str(self.rng.randint(1, 2))]
        if self.some(0.25):
            return words + ["--part", self.rng.choice(["encoder", "layer1.self", "layer1.cross", "encoder.layer1.self"])]
        return words

    def command(self, path):
        """A command about the problem of that path."""
        step = self.rng.choice(["scores", "attention_weights", "context", "layer1.self.scores", "layer2.self.queries",
                                "encoder.layer1.self.scores", "encoder.layer2.self.attention_weights",
                                "layer1.cross.context"])
        cell = ",".join(str(self.rng.randint(1, 3)) for _ in range(self.rng.randint(2, 4)))
        told = self.rng.choice([[], ["--explain", "rows"], ["--explain", "cells"], ["--brief"], ["--format", "html"],
                                ["--format", "latex"], ["--format", "svg"], ["--geometry"], ["--format", "markdown"],
                                ["--format", "csv"], ["--full"], ["--format", "gift"], ["--at-once"]])
        return self.rng.choice([
            ["run", path, *self.picked(), *told], ["run", path, *self.picked(), *told], ["run", path, *self.picked(), *told],
            ["worksheet", path, *self.picked(), *self.rng.choice([[], ["--fade"], ["--key"], ["--blank", "some"]])],
            ["why", path, f"{step}[{cell}]"],
            ["heads", path, *self.rng.choice([[], ["--batch", "2"]]), *self.rng.choice([[], ["--pair", "1,2"], ["--pair", "3,1"]])],
            ["cost", path], ["lint", path], ["check", path, "--template", self.rng.choice(["json", "csv", "text"])]])
