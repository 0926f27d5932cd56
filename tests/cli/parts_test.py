"""Parts of one model that differ: in tokens, in padding, in heads. What is asked for or left out is of each by itself."""

import json
import os
import subprocess
import tempfile
import unittest

ATTN = os.path.abspath(os.environ["ATTN"])


def attn(*words, problem, code=0):
    done = subprocess.run([ATTN, *words], input=json.dumps(problem), capture_output=True, encoding="utf-8",
                          env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}, timeout=300)
    assert done.returncode == code, (words, done.returncode, done.stderr)
    return done.stdout if code < 2 else done.stderr


def translation(source, target, **more):
    """A decoder of one layer, and an encoder of one before it."""
    memory = {"inputs": source, "block": {"kind": "encoder", "layers": [{"self": {}}]}}
    return {"inputs": target, "block": {"kind": "decoder", "memory": memory, "layers": [{"self": {}, "cross": {}}]}, **more}


SHORT, LONG = [[1, 2]], [[1, 0], [0, 1], [1, 1]]
LATER = translation(SHORT, LONG)  # more tokens than the encoder has
RAGGED_TARGET = translation([[[1, 0], [2, 2], [0, 3]], [[0, 1], [1, 1], [1, 2]]], [[[1, 0], [1, 1]], [[0, 1]]])
RAGGED_SOURCE = translation([[[1, 0], [2, 2]], [[0, 1]]], [[[1, 0]], [[0, 1]]])
FEWER_HEADS = {"inputs": [[1, 0, 1, 1], [0, 1, 1, 1]], "block": {"layers": [{"self": {"heads": 4}}, {"self": {"heads": 2}}]}}
SCORES = "encoder.layer1.self.scores"


def marked(problem, steps):
    """The report of a hand-in."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({"steps": steps}, file)
        file.flush()
        done = subprocess.run([ATTN, "check", "-", file.name, "--format", "json"], input=json.dumps(problem),
                              capture_output=True, encoding="utf-8", timeout=300)
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)


def counts_in(report):
    step, = report["steps"]
    return step["right"], step["wrong"]


def traced(problem, step):
    trace = json.loads(attn("run", "-", "--format", "json", problem=problem))
    return next(one["data"] for one in trace["steps"] if one["id"] == step)


class Picked(unittest.TestCase):
    def test_a_query_is_told_where_there_is_such_a_one(self):
        for words in ((), ("--brief",), ("--explain", "rows"), ("--explain", "cells"), ("--format", "svg"), ("--geometry",)):
            told = attn("run", "-", "--query", "3", *words, problem=LATER)
            self.assertNotRegex(told, r"e[+−-]\d\d\d")  # what stands in memory beside the numbers
        told = attn("run", "-", "--query", "3", "--explain", "rows", problem=LATER)
        self.assertIn("q₃", told)
        # The encoder has one token, of which nothing is told.
        of_encoder = told.split("Encoder · Layer 1 · self-attention\n")[1].split("Encoder · ")[0]
        self.assertIn("Keys", of_encoder)
        self.assertNotIn("Queries", of_encoder)
        self.assertIn("Layer 1 · self-attention · Query 3", attn("run", "-", "--query", "3", "--geometry", problem=LATER))
        self.assertIn("can be 1 only", attn("run", "-", "--query", "3", "--part", "encoder", problem=LATER, code=2))
        self.assertIn("query 3", attn("worksheet", "-", "--query", "3", problem=LATER).lower())

    def test_a_query_or_head_is_refused_where_nothing_that_is_asked_for_has_any(self):
        layer = {"self": {"heads": 2}, "norm1": {}, "ffn": {"in": [[1, 0], [0, 1]], "out": [[1, 0], [0, 1]]}}
        block = {"inputs": [[1, 0], [0, 1], [1, 1]], "block": {"layers": [layer]}}
        for option, what in (("--query", "queries"), ("--head", "heads")):
            for words in (("--part", "layer1.ffn"), ("--only", "layer1.norm1"), ("--only", "result")):
                said = attn("run", "-", option, "1", *words, problem=block, code=2)
                self.assertIn(f"`{option}` picks one of the {what}, and what is asked for has none", said)
                self.assertIn(f"help: leave {option} out", said)
            said = attn("worksheet", "-", option, "1", "--part", "layer1.ffn", problem=block, code=2)
            self.assertIn("has none", said)
            attn("run", "-", option, "2", "--only", "layer1.norm1,layer1.self.scores", problem=block)
            attn("run", "-", option, "2", "--layer", "1", problem=block)
        attn("run", "-", "--head", "1", problem={"inputs": [[1, 0], [0, 1]]})

    def test_a_head_is_told_where_there_is_such_a_one(self):
        for words in ((), ("--brief",), ("--explain", "rows"), ("--format", "html"), ("--layer", "1"), ("--geometry",)):
            told = attn("run", "-", "--head", "4", *words, problem=FEWER_HEADS).lower()
            self.assertIn("head 4", told)
            if "html" not in words:  # where all matrices stand, to be asked about
                self.assertNotIn("head 2 of 2", told)
        self.assertIn("head 4", attn("worksheet", "-", "--head", "4", "--layer", "1", problem=FEWER_HEADS).lower())
        for command in ("run", "worksheet"):
            said = attn(command, "-", "--head", "4", "--layer", "2", problem=FEWER_HEADS, code=2)
            self.assertIn("goes from 1 to 2", said)

    def test_a_page_names_places_of_layers_with_other_heads(self):
        batch = {"inputs": [[[-1, 0], [3, 3]], [[-1, -1], [2, 0]]], "block": {"layers": [{"self": {"heads": 2}}, {"self": {}}]}}
        page = attn("run", "-", "--format", "html", "--query", "1", problem=batch)
        self.assertIn("Layer 2 · self-attention · Sequence 2 of 2", page)

    def test_a_head_that_the_encoder_alone_has_is_told(self):
        problem = translation([[1, 2], [0, 1]], [[1, 0]])
        problem["block"]["memory"]["block"]["layers"][0]["self"] = {"heads": 2}
        self.assertIn("Head 2 of 2", attn("run", "-", "--head", "2", "--explain", "steps", problem=problem))
        self.assertIn("goes from 1 to 2", attn("run", "-", "--head", "3", problem=problem, code=2))

    def test_a_head_has_the_keys_and_values_that_it_reads(self):
        grouped = {"inputs": [[1, 0], [0, 1]], "heads": 4, "kv_heads": 2,
                   "weights": {"query": [[1, 0, 1, 0], [0, 1, 0, 1]], "key": [[1, 0], [0, 1]], "value": [[1, 2], [3, 1]]}}
        for head, read in (("2", "head 1 of 2"), ("3", "head 2 of 2")):
            told = attn("run", "-", "--head", head, "--explain", "steps", problem=grouped).lower()
            self.assertIn(read, told)
            self.assertNotIn({"head 1 of 2": "head 2 of 2", "head 2 of 2": "head 1 of 2"}[read], told)


    def test_of_masks_those_are_said_that_the_parts_told_have(self):
        causal = "a query sees no key after its own position"
        for part, has_mask in (("encoder.layer1.self", False), ("layer1.self", True)):
            told = " ".join(attn("run", "-", "--part", part, "--explain", "steps", problem=LATER).split())
            self.assertEqual((causal in told, "()" in told), (has_mask, False), part)


class Options(unittest.TestCase):
    """What is chosen for some parts is not told of the others."""

    problem = translation([[1, 2], [0, 1]], [[1, 0], [0, 1]])
    problem["block"].update({"eps": 0.01, "memory_lengths": 1, "layers": [
        {"self": {"heads": 2}, "cross": {}, "norm1": {}}, {"self": {"softmax": {"sink": 1}}, "cross": {}, "norm1": {}}]})
    problem["block"]["memory"]["block"].update({"eps": 1e-12, "layers": [{"self": {}, "norm1": {}}]})

    def told(self, *words):
        return " ".join(attn("run", "-", "--explain", "rows", *words, problem=self.problem).split())

    def test_numbers_are_told_with_the_parts_that_have_them(self):
        self.assertIn("Heads 2 (Layer 1 · self-attention) ", self.told())
        self.assertIn("Heads 2 (Layer 1 · self-attention) ", self.told("--layer", "1"))
        self.assertIn("Heads 2 Score", self.told("--part", "layer1.self"))
        self.assertNotIn("Heads", self.told("--layer", "2"))
        after = "normalization after self-attention"
        self.assertIn(f"Norm with ε = 1e-12 (Encoder · Layer 1 · {after}); with ε = 0.01 (Layer 1 · {after}, Layer 2 · {after}) ",
                      self.told())
        self.assertIn("Norm with ε = 0.01 Numbers", self.told("--layer", "2"))

    def test_a_rule_of_the_mask_is_told_with_the_parts_that_have_it(self):
        own, lengths = "a query sees no key after its own position", "keys past the end of a sequence are padding"
        for words, mask in (((), f"{own} (Layer 1 · self-attention, Layer 2 · self-attention); "
                                 f"lengths: {lengths} (Layer 1 · cross-attention, Layer 2 · cross-attention) "),
                            (("--part", "layer1.self"), own + " Numbers"), (("--part", "layer1.cross"), lengths + " Numbers")):
            self.assertIn(mask, self.told(*words))
        alone = self.told("--only", "layer1.cross.attention_weights")
        self.assertTrue(alone.endswith("Mask lengths: " + lengths), alone)

    def test_a_softmax_that_the_encoder_has_not_is_not_told_of_all(self):
        of_two = {"softmax": {"base": 2}}
        for encoder in ({}, of_two):
            problem = translation(SHORT, LONG)
            problem["block"]["layers"] = [{"self": of_two, "cross": of_two}]
            problem["block"]["memory"]["block"]["layers"] = [{"self": encoder}]
            told = attn("run", "-", "--explain", "rows", problem=problem)
            self.assertEqual("Softmax  powers of 2" in told, encoder == of_two)

    def test_how_scores_become_weights_is_said_of_the_parts_told(self):
        sink, sum_1, rest = "for a sink takes the rest", "and they sum to 1", "Each query is compared with every key"
        for words, said in (((), None), (("--layer", "1"), sum_1), (("--part", "layer2.self"), sink), (("--layer", "2"), None)):
            told = self.told(*words)
            self.assertIn(rest, told)
            self.assertEqual([one in told for one in (sink, sum_1)], [one == said for one in (sink, sum_1)], words)
        one_sink = {"inputs": [[1, 0], [0, 1]], "block": {"layers": [{"self": {"softmax": {"sink": 1}}}, {"self": {}}]}}
        told = " ".join(attn("run", "-", "--explain", "rows", problem=one_sink).split())
        self.assertIn("Softmax turns the scores of a query into attention weights.", told)
        self.assertFalse(sink in told or sum_1 in told)

    def test_a_small_number_is_written_with_all_its_digits(self):
        problem = {"inputs": [[1, 0], [0, 1]], "scale": 1e-6, "softcap": 3e-5}
        told = " ".join(attn("run", "-", "--explain", "rows", problem=problem).split())
        self.assertIn("S′ = S × scale, here 0.000001, then S_c = c·tanh(S′ / c) with c = 0.00003", told)
        self.assertIn("with ε = 0.00001", attn("worksheet", "-", problem={"inputs": [[1, 0], [0, 1]], "block": {
            "layers": [{"self": {}, "norm1": {}}]}}))


class Padding(unittest.TestCase):
    def test_it_is_of_the_part_that_has_it(self):
        ragged_and_short = translation([SHORT, [[2, 1]]], [LONG, [[1, 1], [2, 1]]])
        told = attn("run", "-", "--explain", "rows", problem=ragged_and_short)
        self.assertNotRegex(told, r"\d{6} rows")
        told = attn("why", "-", SCORES + "[2,2,1]", problem=RAGGED_TARGET)
        self.assertNotIn("padding", told)

    def test_tokens_of_an_encoder_are_marked_whatever_the_decoder_pads(self):
        scores = traced(RAGGED_TARGET, SCORES)
        self.assertEqual(marked(RAGGED_TARGET, {SCORES: scores})["verdict"], "right")
        scores[1][1][0] = 77
        report = marked(RAGGED_TARGET, {SCORES: scores})
        self.assertEqual((report["verdict"], counts_in(report)), ("wrong", (17, 1)))

    def test_padding_of_an_encoder_is_not_marked(self):
        scores = traced(RAGGED_SOURCE, SCORES)
        scores[1][1] = [77, 77]
        report = marked(RAGGED_SOURCE, {SCORES: scores})
        self.assertEqual((report["verdict"], counts_in(report)), ("right", (6, 0)))

    def test_tokens_that_are_keys_are_marked_whatever_the_queries_pad(self):
        problem = {"inputs": {"query": [[[1, 0], [0, 1]], [[1, 1]]], "key": [[[1, 2], [3, 4], [1, 1]], [[0, 1], [2, 2], [1, 3]]]},
                   "heads": 2, "split": "input", "weights": {name: [[1]] for name in ("query", "key", "value")}}
        split = traced(problem, "split_inputs.key")
        split[1][0][2] = [99]
        self.assertEqual(marked(problem, {"split_inputs.key": split})["verdict"], "wrong")

    def test_heads_do_not_look_at_it(self):
        alone = translation([[0, 1]], [[0, 1]])
        rows = [json.loads(attn("heads", "-", "--format", "json", *words, problem=problem))["heads"][0]
                for words, problem in ((("--batch", "2"), RAGGED_SOURCE), ((), alone))]
        self.assertEqual(rows[0], rows[1])


class Shared(unittest.TestCase):
    def test_what_all_sequences_share_is_no_padding(self):
        problem = {"inputs": [[[1, 0], [0, 1]], [[1, 1], [2, 0], [0, 3]]], "positions": "alibi"}
        self.assertNotIn("padding", attn("why", "-", "position_bias[3,1]", problem=problem))
        self.assertNotIn("padding", attn("run", "-", "--explain", "rows", "--only", "position_bias", problem=problem))


class Pairs(unittest.TestCase):
    """Of a decoder and the encoder behind it, one token looks at another of the same sequence."""

    problem = translation([[1, 1], [2, 0], [0, 1]], [[1, 0], [0, 2]])
    problem["tokens"] = ["la", "pluie"]
    problem["block"]["memory"]["tokens"] = ["the", "rain", "falls"]

    def heads(self, pair, **more):
        return attn("heads", "-", "--pair", pair, "--format", "json", problem=self.problem, **more)

    def test_a_pair_is_of_one_sequence(self):
        for pair, tokens, of in (("rain,falls", ["the", "rain", "falls"], 0), ("pluie,la", ["la", "pluie"], 1)):
            told = json.loads(self.heads(pair))
            self.assertEqual(told["tokens"], tokens)
            self.assertEqual([head["pair"] is None for head in told["heads"]], [of != 0, of != 1])
        self.assertIn("of different sequences", self.heads("la,rain", code=2))
        self.assertIn("no token is called `snow`", self.heads("la,snow", code=2))


class CutMemory(unittest.TestCase):
    """What goes into a decoder beside its inputs may be cut as inputs are."""

    def problem(self, cross=None, **more):
        memory = {"inputs": [[1, 2], [3, 4], [5, 6], [7, 8], [9, 10]], "max_tokens": 3}
        return {"inputs": [[1, 0], [0, 1]],
                "block": {"kind": "decoder", "memory": memory, "layers": [{"self": {}, "cross": cross or {}}], **more}}

    def test_masks_and_positions_are_of_what_is_left(self):
        for problem in (self.problem(memory_lengths=3), self.problem(memory_mask={"allow": [[1, 0, 1], [1, 1, 0]]}),
                        self.problem(cross={"positions": "alibi"})):
            self.assertEqual([len(row) for row in traced(problem, "layer1.cross.attention_weights")], [3, 3])

    def test_and_of_no_more(self):
        self.assertIn("memory_lengths", attn("run", "-", problem=self.problem(memory_lengths=5), code=2))
        whole = self.problem(memory_mask={"allow": [[1, 0, 1, 1, 1], [1, 1, 0, 1, 1]]})
        self.assertIn("2 × 3", attn("run", "-", problem=whole, code=2))


if __name__ == "__main__":
    unittest.main()
