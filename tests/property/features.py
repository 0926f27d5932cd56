"""The part of a random problem that says how queries meet keys: scores, positions, caches, softmax.

What is chosen first constrains the shapes that are drawn after it.
"""

SCORES = (None, None, "dot", "dot", "scaled_dot", "scaled_dot", "cosine", "general", "additive", "concat")
OF_INPUTS = ("sinusoidal", "learned")
OF_EQUAL_WIDTHS = ("rope", "relative", "deberta")
POSITIONS = OF_INPUTS + OF_EQUAL_WIDTHS + ("alibi", "t5")


class Features:
    """Chosen before anything is drawn, and drawn once the widths are known."""

    def features(self):
        rng = self.rng
        self.kind = rng.choice(SCORES)
        self.positions = rng.choice(POSITIONS) if self.chance(0.5) else None
        if self.source == "direct" and self.positions in OF_INPUTS:
            self.positions = None
        self.kv_heads = self.heads
        if self.heads and self.chance(0.35):
            self.kv_heads = rng.choice([n for n in range(1, self.heads + 1) if self.heads % n == 0])
        # Only scores with weights of their own can compare what is of different width.
        self.two_widths = (self.kind in ("general", "additive", "concat") and self.positions not in OF_EQUAL_WIDTHS
                           and self.chance(0.4))
        if self.positions == "rope" and self.chance(0.8):
            self.d_k = rng.choice((2, 4, 4, 5))
        self.d_q = self.size(4) if self.two_widths else self.d_k
        self.past_length = self.size(3) if self.chance(0.25) else 0
        self.appended_length = self.size(2) if self.chance(0.2) else 0

    # Scores

    def score(self):
        if self.kind in ("dot", "scaled_dot", "cosine"):
            self.problem["score"] = self.kind if self.chance(0.9) else {"type": self.kind}
        elif self.kind:
            self.problem["score"] = {"type": self.kind, **self.score_weights()}
        if self.chance(0.2):
            scales = [0.5, 2, 0.25, -1, 0, 1] + ([] if self.narrow else [0.1, 0.35355339])
            self.problem["scale"] = self.rng.choice(scales)
        if self.chance(0.15):
            self.problem["softcap"] = self.rng.choice((0.5, 1, 2, 3, 30))

    def score_weights(self):
        width = self.size(4)
        if self.kind == "general":
            return {"weight": self.tensor(self.d_q, self.d_k)}
        if self.kind == "additive":
            return {"query": self.tensor(self.d_q, width), "key": self.tensor(self.d_k, width),
                    "v": self.tensor(width)}
        return {"weight": self.tensor(self.d_q + self.d_k, width), "v": self.tensor(width)}

    # Positions

    def encode_positions(self):
        if self.positions:
            made = getattr(self, self.positions)()
            if made is None:
                self.positions = None  # no room for it here
            else:
                self.problem["positions"] = made

    def base(self):
        return {"base": self.rng.choice((10000, 100, 10, 2.5))} if self.chance(0.5) else {}

    def sinusoidal(self):
        return "sinusoidal" if self.chance(0.4) else {"type": "sinusoidal", **self.base()}

    def learned(self):
        rows = self.past_length + max(self.nq, self.nk, self.whole_nk) + self.rng.randint(0, 2)
        return {"type": "learned", "table": self.tensor(rows, self.input_columns)}

    def rope(self):
        even = [d for d in range(2, self.d_k + 1, 2)]
        if not even:
            return None
        made = {"type": "rope", **self.base()}
        if self.d_k % 2 or self.chance(0.3):
            made["dims"] = self.rng.choice(even)
        if self.chance(0.5):
            made["interleaved"] = self.chance(0.7)
        return "rope" if len(made) == 1 and self.chance(0.5) else made

    def alibi(self):
        return self.rng.choice(("alibi", {"type": "alibi"}))

    def relative(self):
        rows = 2 * self.rng.randint(0, 3) + 1
        return {"type": "relative", "keys": self.tensor(rows, self.d_k), "values": self.tensor(rows, self.d_v)}

    def t5(self):
        both = self.chance(0.5)
        buckets = 2 * self.size(6) if both else self.size(10)
        made = {"type": "t5", "table": self.tensor(*[buckets] + ([self.heads] if self.heads else []))}
        if not both or self.chance(0.5):
            made["bidirectional"] = both
        if self.chance(0.7):
            made["max_distance"] = self.rng.choice((6, 7, 8, 12, 20))
        return made

    def deberta(self):
        rows, width, heads = 2 * self.rng.randint(1, 3), self.size(3), self.heads or 1
        made = {"type": "deberta", "embeddings": self.tensor(rows, width)}
        which = self.rng.choice((("key", "query"), ("key", "query"), ("key",), ("query",)))
        return {**made, **{name: self.tensor(width, heads * self.d_k) for name in which}}

    # Keys and values that are there already

    def caches(self):
        if self.past_length:
            self.problem["past"] = self.cache(self.past_length)
        if self.appended_length:
            self.problem["appended"] = self.cache(self.appended_length)

    def cache(self, rows):
        """In two, three or four axes; two serve every sequence."""
        heads = self.kv_heads or 1
        ranks = [2]
        if self.batch is not None:
            ranks += [3] + [4] * bool(self.heads)
        if "heads" not in self.problem and self.rank4:
            ranks = [4]
        rank = self.rng.choice(ranks)
        shape = {2: lambda d: (rows, heads * d), 3: lambda d: (self.batch, rows, heads * d),
                 4: lambda d: (self.batch, heads, rows, d)}[rank]
        return {"keys": self.tensor(*shape(self.d_k)), "values": self.tensor(*shape(self.d_v))}

    # Softmax

    def softmax(self):
        lot = self.rng.random()
        if lot < 0.1:
            self.problem["softmax"] = {"base": self.rng.choice((2, 3, 10, 1.5))}
        elif lot < 0.2:
            self.problem["softmax"] = "linear"
        elif lot < 0.35:
            apart = self.heads and self.chance(0.5)
            self.problem["softmax"] = {"sink": self.tensor(self.heads) if apart else self.number()}
        elif lot < 0.4:
            self.problem["softmax"] = "softmax"
