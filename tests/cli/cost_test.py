"""`attn cost`: what steps take, as a person or a script asks for it."""

import csv
import io
import json
import os
import subprocess
import unittest

ATTN = os.path.abspath(os.environ["ATTN"])
ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
DATA = os.path.join(ROOT, "data")


def cost(*words, text=None):
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
    return subprocess.run([ATTN, "cost", *words], input=text, capture_output=True, encoding="utf-8", env=environment,
                          timeout=60)


def counted(*words, **more):
    done = cost(*words, "--format", "json", **more)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class Cost(unittest.TestCase):
    def test_a_shape_takes_what_its_formula_says(self):
        batch, heads, tokens, width = 2, 8, 100, 16
        said = counted("--shape", "2,8,100,16")
        steps = {step["id"]: step for step in said["steps"]}
        self.assertEqual(counted("--shape", "1,32,100000,128")["steps"][0]["multiplications"], 32 * 10 ** 10 * 128)
        rows = batch * heads * tokens
        self.assertEqual(steps["scores"]["multiplications"], rows * tokens * width)
        self.assertEqual(steps["scores"]["bytes_read"], 2 * 8 * rows * width)
        self.assertEqual(steps["exponentials"]["exponentials"], rows * tokens)
        self.assertEqual(steps["row_maximum"]["comparisons"], rows * tokens)
        self.assertEqual((said["tokens"], said["width"]), (tokens, heads * width))
        for key in ("multiplications", "additions", "bytes_read"):
            self.assertEqual(said["total"][key], sum(step[key] for step in said["steps"]))

    def test_a_step_costs_what_its_products_are(self):
        said = counted(os.path.join(DATA, "worked-example.json"))
        steps = {step["id"]: step for step in said["steps"]}
        self.assertEqual(steps["keys"]["multiplications"], 3 * 4 * 3)
        self.assertEqual(steps["scores"]["multiplications"], 3 * 3 * 3)
        half = counted(os.path.join(DATA, "worked-example.json"), "--dtype", "f16")
        self.assertEqual(half["total"]["bytes_read"] * 4, said["total"]["bytes_read"])

    def test_what_is_closed_and_what_is_in_a_cache_is_saved(self):
        problem = json.dumps({"inputs": {"random": "normal", "shape": [50, 8], "seed": 1}, "causal": True,
                              "weights": {role: {"random": "normal", "shape": [8, 8], "seed": 2}
                                          for role in ("query", "key", "value")}})
        said = counted("-", text=problem)
        self.assertEqual(said["closed_cells_save"]["exponentials"], 50 * 49 // 2)
        self.assertEqual(said["closed_cells_save"]["bytes_read"], 0)
        next_token = said["next_token"]
        self.assertAlmostEqual(next_token["without_cache"]["multiplications"] -
                               next_token["with_cache"]["multiplications"], 2 * 49 * 8 * 8)
        text = cost("-", text=problem).stdout
        self.assertIn("Closed cells save", text)
        self.assertIn("are in a cache", " ".join(text.split()))
        self.assertIsNone(counted("-", text='{"queries": [[1, 2]], "keys": [[1, 2], [2, 3]]}')["next_token"])
        crossed = {"inputs": {"query": [[1, 2], [3, 4]], "key": [[1, 0], [0, 1]]}}
        self.assertIsNone(counted("-", text=json.dumps(crossed))["next_token"])

    def test_without_a_cache_all_that_the_last_attention_reads_is_made_again(self):
        layers = [{"self": {}}, {"self": {}}]
        block = {"inputs": [[1, 0], [0, 1], [1, 1]], "block": {"kind": "decoder_only", "layers": layers}}
        alone = {**block, "block": {**block["block"], "layers": layers[:1]}}
        two, one = (counted("-", text=json.dumps(problem)) for problem in (block, alone))
        more = two["next_token"]["without_cache"]["multiplications"] - one["next_token"]["without_cache"]["multiplications"]
        self.assertGreaterEqual(more, one["total"]["multiplications"])
        # Later tokens that are seen change all before them: nothing can be kept.
        encoder = {**block, "block": {**block["block"], "kind": "encoder"}}
        self.assertIsNone(counted("-", text=json.dumps(encoder))["next_token"])

    def test_columns_are_as_wide_as_rows(self):
        rows = {"inputs": [[1, 0, 2], [0, 1, 1], [1, 2, 1], [2, 0, 1], [1, 1, 1]], "score": "dot"}
        columns = {**rows, "inputs": [list(column) for column in zip(*rows["inputs"])], "vectors": "columns"}
        self.assertEqual([counted("-", text=json.dumps(problem))["width"] for problem in (rows, columns)], [3, 3])

    def test_layers_cross_where_the_table_says(self):
        for layer in counted("--shape", "1,8,2048,64", "--kernel", "5", "--neighbours", "100")["layers"][1:]:
            at = int(layer["crossing"])
            there = counted("--shape", f"1,8,{at},64", "--kernel", "5", "--neighbours", "100")["layers"]
            same = next(one for one in there if one["layer"] == layer["layer"])
            self.assertEqual(there[0]["operations"], same["operations"])

    def test_every_problem_of_data_has_a_cost(self):
        for name in sorted(os.listdir(DATA)):
            if name.endswith(".json") and not name.endswith(".golden.json"):
                done = cost(os.path.join(DATA, name))
                self.assertEqual((done.returncode, done.stderr), (0, ""), name)
                self.assertLessEqual(max(map(len, done.stdout.split("\n"))), 80, name)

    def test_formats_for_programs_say_the_same(self):
        example = os.path.join(DATA, "worked-example.json")
        rows = list(csv.DictReader(io.StringIO(cost(example, "--format", "csv").stdout)))
        said = counted(example)
        self.assertEqual([row["step"] for row in rows], [step["id"] for step in said["steps"]] + ["total"])
        self.assertEqual(int(rows[-1]["additions"]), said["total"]["additions"])

    def test_what_means_nothing_is_refused(self):
        for words, part in (([], "needs FILE"), (["--shape", "1,2,3"], "is no shape"), (["--shape", "1,2,3,0"], "is no shape"),
                            (["--shape", "999999999,1,999999999,999999999"], "counted exactly"),
                            (["--shape", "1,1,4,4", "--kernel", "1"], "--kernel"), (["x.json", "--shape", "1,1,2,2"], "--shape"),
                            (["--shape", "1,1,4,4", "--format", "npz"], "--format")):
            done = cost(*words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertIn(part, done.stderr)


if __name__ == "__main__":
    unittest.main()
