"""Scores of every kind, and what positions add to them."""

from arithmetic import ZERO
from nested import split_columns, transposed
from positions import clipped_row, disentangled_row


class Scoring:
    """The part of the worker that compares queries with keys."""

    def _scores(self):
        p = self.problem
        score = getattr(self, "_" + p.score["type"])()
        terms = {None: [], "relative": self._relative_scores, "deberta": self._disentangled}.get(
            p.positions["type"], [])
        terms = terms() if callable(terms) else terms

        def cell(b, h, i, j):
            total = score(b, h, i, j)
            for term in terms:
                total = self.arithmetic.plus(total, term[b][h][i][j])
            return total

        self.scores = self.record("scores", ["query", "key"], self._everywhere(cell))
        self._scale(1 + len(terms) if p.positions["type"] == "deberta" else 1)
        if "softcap" in p.raw:
            cap = self.arithmetic.number(p.raw["softcap"])
            self.scores = self.record("capped_scores", ["query", "key"], self._everywhere(
                lambda b, h, i, j: self.arithmetic.softcap(self.scores[b][h][i][j], cap)))
        self.unmasked = self.scores

    def _scale(self, terms):
        """READING: with terms of positions, each counts as one more product of d_k numbers."""
        p = self.problem
        if "scale" in p.raw:
            factor = p.reader.number(p.raw["scale"])
            scaled = lambda score: self.arithmetic.times(score, factor)
        elif p.score["type"] == "scaled_dot":
            root = self.arithmetic.root(terms * len(self.keys[0][0][0]))
            scaled = lambda score: self.arithmetic.over(score, root)
        else:
            return
        self.scores = self.record("scaled_scores", ["query", "key"], self._everywhere(
            lambda b, h, i, j: scaled(self.scores[b][h][i][j])))

    def _everywhere(self, make):
        return self._by_head(lambda b, h: self._cells(lambda i, j: make(b, h, i, j)))

    # Scores

    def _products(self):
        return lambda b, h, i, j: self.arithmetic.dot(self.queries[b][h][i], self.keys[b][h][j])

    _dot = _scaled_dot = _products

    def _cosine(self):
        lengths = lambda vectors: [[[self.arithmetic.norm(v) for v in head] for head in heads] for heads in vectors]
        queries = self.record("query_norms", ["query"], lengths(self.queries))
        keys = self.record("key_norms", ["key"], lengths(self.own_keys))
        if self.problem.sharing > 1:
            keys = self.record("repeated_key_norms", ["key"], [
                [heads[h // self.problem.sharing] for h in self._each_head()] for heads in keys],
                computed=False, optional=True)
        self.norms = queries, keys
        product = self._products()

        def cell(b, h, i, j):
            both = self.arithmetic.times(queries[b][h][i], keys[b][h][j])
            if both.value == 0:
                return ZERO
            return self.arithmetic.over(product(b, h, i, j), both.value)

        return cell

    def _general(self):
        weight = self.problem.reader.matrices(self.problem.score["weight"])
        turned = self._turned("score_queries", ["query", "d_k"], self.queries, weight)
        return lambda b, h, i, j: self.arithmetic.dot(turned[b][h][i], self.keys[b][h][j])

    def _additive(self):
        read, score = self.problem.reader, self.problem.score
        queries = self._turned("score_queries", ["query", "d_hidden"], self.queries, read.matrices(score["query"]))
        keys = self._turned("score_keys", ["key", "d_hidden"], self.keys, read.matrices(score["key"]))
        return self._hidden(lambda b, h, i, j: [
            self.arithmetic.plus(q, k) for q, k in zip(queries[b][h][i], keys[b][h][j])])

    def _concat(self):
        columns = transposed(self.problem.reader.matrices(self.problem.score["weight"]))
        return self._hidden(lambda b, h, i, j: [
            self.arithmetic.dot(self.queries[b][h][i] + self.keys[b][h][j], column) for column in columns])

    def _turned(self, name, axes, vectors, weight):
        return self.record(name, axes, self._by_head(lambda b, h: self._product(vectors[b][h], weight)),
                           vectors=True, optional=True)

    def _hidden(self, make):
        v = self.problem.reader.numbers(self.problem.score["v"])
        axes = ["query", "key", "d_hidden"]
        hidden = self.record("score_hidden", axes, self._everywhere(make))
        bent = self.record("score_tanh", axes, self._everywhere(
            lambda b, h, i, j: [self.arithmetic.tanh(x) for x in hidden[b][h][i][j]]))
        return lambda b, h, i, j: self.arithmetic.dot(bent[b][h][i][j], v)

    # Positions

    def _distance(self, i, j):
        """j − i, both counted among all keys, or None where the key is appended."""
        return None if j >= self._own_keys() else j - (self.problem.past_length + i)

    def _own_keys(self):
        return len(self.keys[0][0]) - self.problem.appended_length

    def _picked(self, name, table):
        """The row of a relative table for each query and key; none for appended keys."""
        reach = len(table) // 2
        nothing = [ZERO] * len(table[0])
        rows = self._cells(lambda i, j: nothing if self._distance(i, j) is None
                           else table[clipped_row(self._distance(i, j), reach)])
        d = "d_k" if name == "relative_keys" else "d_v"
        return self.record(name, ["query", "key", d], [rows], headed=False, computed=False, alone=True,
                           optional=True)[0]

    def _relative_scores(self):
        p = self.problem
        if "keys" not in p.positions:
            return []
        rows = self._picked("relative_keys", p.reader.matrices(p.positions["keys"]))
        return [self.record("relative_scores", ["query", "key"], self._everywhere(
            lambda b, h, i, j: self.arithmetic.dot(self.queries[b][h][i], rows[i][j])))]

    def _disentangled(self):
        p = self.problem
        embeddings = p.reader.matrices(p.positions["embeddings"])
        reach = len(embeddings) // 2
        terms = []
        if "key" in p.positions:
            keys = self._disentangling("relative_keys", embeddings, "key")
            terms.append(self._term("content_to_position", lambda b, h, i, j, distance: self.arithmetic.dot(
                self.queries[b][h][i], keys[h][disentangled_row(-distance, reach)])))
        if "query" in p.positions:
            queries = self._disentangling("relative_queries", embeddings, "query")
            terms.append(self._term("position_to_content", lambda b, h, i, j, distance: self.arithmetic.dot(
                self.keys[b][h][j], queries[h][disentangled_row(distance, reach)])))
        return terms

    def _disentangling(self, name, embeddings, role):
        p = self.problem
        wide = self._product(embeddings, p.reader.matrices(p.positions[role]))
        return self.record(name, ["position", "d_k"], [split_columns(wide, p.heads or 1)], vectors=True, alone=True,
                           optional=True)[0]

    def _term(self, name, make):
        def cell(b, h, i, j):
            distance = self._distance(i, j)
            return ZERO if distance is None else make(b, h, i, j, distance)

        return self.record(name, ["query", "key"], self._everywhere(cell))
