"""Problems with positions and with keys that are there already, drawn like exercises.py does."""

from exercises import Exercise

KINDS = ("sinusoidal", "sinusoidal", "learned", "rope", "rope", "rope", "alibi", "alibi", None)


class PlacedExercise(Exercise):
    """A random problem in which positions enter, or past keys, or both."""

    def sizes(self):
        super().sizes()
        self.kind = self.rng.choice(KINDS)
        if self.kind in ("sinusoidal", "learned") and self.source == "direct":
            self.source = "self"
            self.nk = self.nq
        if self.kind == "rope" and self.chance(0.8):
            self.d_k = self.rng.choice((2, 4, 4, 4, 6))
        self.past_length = self.rng.randint(1, 3) if self.kind is None or self.chance(0.3) else 0

    def draw(self):
        super().draw()
        if self.kind:
            self.problem["positions"] = getattr(self, self.kind)()
        return self.problem

    def mask(self):
        """Masks count past and new keys, so these come first."""
        if self.past_length:
            self.problem["past"] = self.cache(self.past_length)
        if self.chance(0.1):
            self.problem["appended"] = self.cache(1)
        self.nk += self.past_length
        super().mask()

    def cache(self, rows):
        heads = self.heads or 1
        return {"keys": self.tensor(rows, heads * self.d_k), "values": self.tensor(rows, heads * self.d_v)}

    def base(self):
        return {"base": self.rng.choice((10000, 100, 10))} if self.chance(0.7) else {}

    def sinusoidal(self):
        return {"type": "sinusoidal", **self.base()}

    def learned(self):
        inputs = self.problem["inputs"]
        sides = list(inputs.values()) if isinstance(inputs, dict) else [inputs]
        matrices = [side[0] if self.batch else side for side in sides]
        if len({len(m[0]) for m in matrices}) > 1:
            return self.sinusoidal()
        rows = self.past_length + max(map(len, matrices)) + self.rng.choice((0, 1, 1, 2))
        return {"type": "learned", "table": self.tensor(rows, len(matrices[0][0]))}

    def rope(self):
        made = {"type": "rope", **self.base()}
        if self.d_k % 2:
            made["dims"] = self.d_k - 1
        elif self.d_k > 4 and self.chance(0.6):
            made["dims"] = 4
        if self.chance(0.5):
            made["interleaved"] = self.chance(0.7)
        return made

    def alibi(self):
        return "alibi"
