"""Exercises with what few of them ask for: windows, softcaps, sinks, shared heads, scores of other kinds.

Each of those has mistakes of its own, which the exercises of exercises.py leave no room for.
"""

from exercises import Exercise

SCORES = ("cosine", "general", "additive", "concat")
FEATURES = ("window", "softcap", "sink", "groups") + SCORES
UNUSUAL_MISTAKES = ("window.off_by_one", "softcap.left_out", "softcap.after_mask", "sink.left_out", "sink.kept",
                    "score.cosine_not_normed", "score.tanh_left_out", "score.key_for_query", "heads.tiled_groups")


class UnusualExercise(Exercise):
    """A random exercise that asks for one of the features, and perhaps for a second one."""

    def __init__(self, rng, numbers):
        super().__init__(rng, numbers)
        self.asked = {rng.choice(FEATURES)}
        if self.chance(0.3):
            self.asked.add(rng.choice(("window", "softcap", "sink")))
        self.kind = next((name for name in SCORES if name in self.asked), None)
        self.kv_heads = None

    def sizes(self):
        super().sizes()
        if self.source == "raw":
            self.source = "self"
        if "groups" in self.asked:
            self.source = "self" if self.source == "direct" else self.source
            self.heads, self.kv_heads = self.rng.choice(((2, 1), (4, 2), (4, 2), (4, 2), (6, 3), (6, 2)))
            self.nq, self.nk = min(self.nq, 3), min(self.nk, 3) if self.source == "self" else self.nk
            self.d_k, self.d_v = self.rng.randint(1, 2), self.rng.randint(1, 2)
        elif self.kind and self.heads:
            self.heads = 2

    def weights(self, widths, may_split=True):
        if not self.kv_heads:
            return super().weights(widths, may_split=False)
        apart, biased = self.chance(0.4), self.chance(0.3)
        made, biases = {}, {}
        for role in ("query", "key", "value"):
            heads, width = self.heads if role == "query" else self.kv_heads, self.d_v if role == "value" else self.d_k
            made[role] = self.tensor(heads, widths[role], width) if apart else self.tensor(widths[role], heads * width)
            if biased:
                biases[role] = self.tensor(heads * width)
        self.problem["weights"] = made
        if biases:
            self.problem["biases"] = biases
        self.problem.update(heads=self.heads, kv_heads=self.kv_heads)

    def score(self):
        if self.kind:
            self.problem["score"] = self.kind if self.kind == "cosine" else {"type": self.kind, **self.of_score()}
        else:
            super().score()
        if "softcap" in self.asked:
            self.problem["softcap"] = self.rng.choice((0.5, 1, 1, 2, 2, 3))

    @staticmethod
    def shown(draw):
        """One with a number in it other than 0: of nothing else than zeros nothing can be told."""
        drawn = draw()
        while not any(x for row in drawn for x in row):
            drawn = draw()
        return drawn

    def of_score(self):
        hidden = self.rng.randint(2, 3)
        if self.kind == "general":
            return {"weight": self.shown(lambda: self.tensor(self.d_k, self.d_k))}
        if self.kind == "additive":
            return {"query": self.tensor(self.d_k, hidden), "key": self.tensor(self.d_k, hidden),
                    "v": self.tensor(hidden)}
        return {"weight": self.tensor(2 * self.d_k, hidden), "v": self.tensor(hidden)}

    def mask(self):
        if "window" in self.asked:
            self.problem["window"] = [self.rng.choice((-1, 0, 1, 1, 2)), self.rng.choice((-1, 0, 0, 1, 1))]
            if self.problem["window"] == [-1, -1]:
                self.problem["window"] = [1, 1]
        if "window" not in self.asked or self.chance(0.3):
            super().mask()
        if "softcap" in self.asked and not {"causal", "lengths", "mask", "window"} & self.problem.keys():
            self.problem["causal"] = True
        if "sink" in self.asked:
            heads = self.heads if self.heads and self.chance(0.5) else None
            sink = lambda: self.rng.choice((-1, 0, 0.5, 1, 1.5))
            self.problem["softmax"] = {"sink": [sink() for _ in range(heads)] if heads else sink()}
