"""`attn bench` as a script meets it. Nothing here asks how fast anything is."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "property"))

from terminal import in_terminal

ATTN = os.path.abspath(os.environ["ATTN"])
DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "data")
BLOCK = os.path.join(DATA, "block-by-hand.json")
TINY = ("--shape", "1,2,9,4", "--repeat", "2")


def attn(*words, env=None):
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", **(env or {})}
    return subprocess.run([ATTN, "bench", *words], capture_output=True, encoding="utf-8", env=environment, timeout=120)


def measured(*words):
    """The shapes of the JSON."""
    done = attn(*words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["shapes"]


def kernels():
    done = attn("--list", "--json")
    assert done.returncode == 0, done.stderr
    return [kernel["name"] for kernel in json.loads(done.stdout)["ladder"]]


class BenchTest(unittest.TestCase):
    def assert_complains(self, done, code, *parts):
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertTrue(done.stderr.startswith("attn: error: "), done.stderr)
        self.assertIn("\n  help: ", done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)


class Output(BenchTest):
    def test_a_shape_is_told_with_its_time_memory_and_error_in_80_columns(self):
        done = attn(*TINY, "--shape", "1,16,1,128", "--keys", "64")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for words in ("1×2×9×4, 64 keys", "1×16×1×128, 64 keys", "Time and speed, f32", "Memory and errors"):
            self.assertIn(words, done.stdout)
        self.assertLessEqual(max(map(len, done.stdout.split("\n"))), 80)

    def test_a_terminal_is_told_which_shape_is_measured_and_a_file_is_not(self):
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TERM": "xterm"}
        for words in (TINY, ("--model", BLOCK, "--repeat", "1")):
            code, shown = in_terminal([ATTN, "bench", *words], env=environment)
            name = "1 of 1: 1×2×9×4" if words is TINY else "block-by-hand.json"
            self.assertEqual(code, 0)
            self.assertTrue(shown.startswith(f"\r\x1b[K{name}\r\x1b[K".encode()), shown)  # and it is taken away
            self.assertEqual(attn(*words).stderr, "")

    def test_the_json_says_what_was_measured_and_how_often(self):
        shape, = measured(*TINY)
        self.assertEqual(shape["name"], "1×2×9×4")
        self.assertEqual(shape["operations"], 4 * 2 * 9 * 9 * 4)
        self.assertEqual(shape["bytes"], 4 * 4 * 2 * 9 * 4)
        kernel, = shape["kernels"]
        self.assertEqual(kernel["kernel"], kernels()[-1])
        self.assertEqual(kernel["seconds"]["count"], 2)
        for spread in (kernel["seconds"], kernel["of_peak"], shape["peak"]):
            ordered = [spread[key] for key in ("least", "lower_quartile", "median", "upper_quartile", "most")]
            self.assertEqual(ordered, sorted(ordered))
            self.assertGreater(ordered[0], 0)
        self.assertLess(kernel["error"]["kernel"], 1e-5)
        self.assertEqual(shape["peers"], [])

    def test_any_format_of_any_other_command_will_do(self):
        with tempfile.TemporaryDirectory() as folder:
            files = [os.path.join(folder, name) for name in ("x.md", "x.html", "x.json", "x.txt")]
            done = attn(*TINY, *[word for file in files for word in ("-o", file)])
            self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
            texts = [pathlib.Path(file).read_text(encoding="utf-8") for file in files]
        self.assertTrue(texts[0].startswith("# Attention on "))
        self.assertIn("<html", texts[1])
        self.assertEqual(json.loads(texts[2])["shapes"][0]["name"], "1×2×9×4")
        self.assertTrue(texts[3].startswith("Attention on "))
        self.assertTrue(attn(*TINY, "--ascii").stdout.isascii())


class Shapes(BenchTest):
    def test_sizes_may_be_given_one_by_one_and_hold_for_every_shape(self):
        shape, = measured("--batch", "2", "--heads", "4", "--kv-heads", "2", "--queries", "5", "--keys", "7", "--width",
                          "8", "--value-width", "3", "--causal", "--dtype", "f64", "--repeat", "1")
        self.assertEqual(shape["workload"],
                         {"batch": 2, "heads": 4, "kv_heads": 2, "queries": 5, "keys": 7, "width": 8, "value_width": 3,
                          "model_width": 0, "causal": True, "dtype": "f64", "model": None})
        names = [one["name"] for one in measured("--shape", "1x2x9x4", "--shape", "3×1×6×4", "--width", "5", "--repeat", "1")]
        self.assertEqual(names, ["1×2×9×5", "3×1×6×5"])

    def test_a_wrong_size_is_refused_before_anything_is_timed(self):
        self.assert_complains(attn("--shape", "1,2,3"), 2, "`1,2,3` is no shape", "batch, heads, queries and width")
        for typed in ("1,2,3,4,5", "1,2,3,-4", "1,2,0,4", "a,b,c,d", ",,,"):
            self.assert_complains(attn("--shape", typed), 2, "is no shape")
        for option in ("--batch", "--heads", "--kv-heads", "--queries", "--keys", "--width", "--value-width",
                       "--model-width", "--repeat"):
            for typed in ("0", "-1", "1.5", "many", "9999999999999", "99999999999999999999"):
                self.assert_complains(attn(option, typed), 2, f"`{typed}` is no size", option)

    def test_keys_that_are_read_once_are_in_no_cache_when_their_turn_comes(self):
        """Inputs take turns: together they are more than caches hold."""
        shape, = measured("--shape", "1,1,1,64", "--keys", "2048", "--dtype", "f64", "--repeat", "2")
        self.assertEqual(shape["bytes"], 8 * (64 + 2 * 2048 * 64 + 64))
        self.assertGreater(shape["peak_memory"], 256 << 20)
        self.assertLess(shape["kernels"][0]["error"]["kernel"], 1e-12)

    def test_heads_that_cannot_be_shared_are_refused(self):
        self.assert_complains(attn("--heads", "6", "--kv-heads", "4"), 2, "6 heads", "4 heads")

    def test_inputs_of_projections_have_as_many_keys_as_queries(self):
        done = attn("--shape", "1,2,9,4", "--model-width", "8", "--keys", "5")
        self.assert_complains(done, 2, "with --model-width queries and keys come from the same inputs", "9 and 5",
                              "leave --keys out")
        shape, = measured(*TINY, "--model-width", "8", "--keys", "9")
        self.assertEqual(shape["workload"]["model_width"], 8)

    def test_more_than_the_machine_has_is_refused_with_the_numbers(self):
        done = attn("--queries", "100000000000")
        self.assert_complains(done, 3, "1×8×100000000000×64", "GiB")
        self.assertEqual(attn("--queries", "1000000000000", "--heads", "1000000000000").returncode, 3)

    def test_the_suite_has_its_own_shapes(self):
        for more in (("--causal",), ("--shape", "1,1,1,1"), ("--keys", "7")):
            self.assert_complains(attn("--suite", *more), 2, "--suite has its own shapes")


class Choices(BenchTest):
    def test_kernels_are_listed_slowest_first_and_can_be_chosen(self):
        names = kernels()
        self.assertEqual(names[0], "plain")
        listed = attn("--list")
        self.assertEqual(listed.returncode, 0)
        positions = [listed.stdout.index(f"\n  {name} ") for name in names]
        self.assertEqual(positions, sorted(positions))
        for name in names:
            shape, = measured(*TINY, "--kernel", name)
            self.assertEqual([kernel["kernel"] for kernel in shape["kernels"]], [name])

    def test_the_ladder_is_every_kernel(self):
        shape, = measured(*TINY, "--ladder")
        self.assertEqual([kernel["kernel"] for kernel in shape["kernels"]], kernels())
        self.assertIn("The ladder at 1×2×9×4", attn(*TINY, "--ladder").stdout)

    def test_a_mistyped_choice_is_guessed(self):
        self.assert_complains(attn("--kernel", "plian"), 2, "did you mean `plain`?", *kernels())
        self.assert_complains(attn("--dtype", "f46"), 2, "did you mean `f64`?")
        self.assert_complains(attn("--backend", "cdua"), 2, "did you mean `cuda`?")
        self.assert_complains(attn("--format", "jsno"), 2, "did you mean `json`?")
        self.assert_complains(attn("--sutie"), 2, "did you mean `--suite`?")
        self.assert_complains(attn("--threads", "none"), 2, "`none`")

    def test_what_no_kernel_computes_is_said(self):
        self.assert_complains(attn(*TINY, "--dtype", "f16"), 2, "1×2×9×4 in f16", "--list")
        self.assert_complains(attn("--suite", "--dtype", "bf16"), 2, "in bf16", "--list")
        done = attn(*TINY, "--dtype", "bf16", "--kernel", "plain")
        self.assert_complains(done, 2, "no kernel `plain` of", "in bf16", "--list")

    def test_options_that_exclude_each_other_are_refused(self):
        self.assertEqual(attn("--list", "--json", "--format", "json").stdout, attn("--list", "--json").stdout)
        done = attn("--json", "--format", "text")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("--json and --format text", json.loads(done.stderr)["errors"][0]["message"])
        for words in (["--json"], ["--format", "json"], ["--json", "--format", "json"]):
            (error,) = json.loads(attn(*words, "-o", "x.html").stderr)["errors"]
            typed = "--json" if words == ["--json"] else "--format json"
            self.assertTrue(error["message"].startswith(f"{typed} is for a file whose ending names no format"), error)
            self.assertTrue(error["help"].startswith(f"leave {typed.split()[0]} out"), error)
        self.assert_complains(attn("--seconds", "1", "--repeat", "1"), 2, "--seconds", "--repeat")
        self.assert_complains(attn("--ladder", "--kernel", "plain"), 2, "--ladder", "--kernel")
        self.assert_complains(attn("--python", "python3"), 2, "--compare")

    def test_a_time_is_a_number_above_0(self):
        for typed in ("0", "-1", "soon", "nan", "1e9"):
            self.assert_complains(attn("--seconds", typed), 2, f"`{typed}`", "--seconds takes")
        shape, = measured("--shape", "1,1,2,2", "--seconds", "0.01")
        self.assertGreaterEqual(shape["kernels"][0]["seconds"]["count"], 3)

    def test_threads_are_those_that_were_asked_for(self):
        for threads, words in (("1", "1 thread"), ("3", "3 threads")):
            device = json.loads(attn(*TINY, "--threads", threads, "--json").stdout)["device"]
            self.assertTrue(device.endswith(", " + words), device)


class Models(BenchTest):
    def test_a_block_is_timed_step_by_step_and_in_any_order(self):
        shape, = measured("--model", BLOCK, "--repeat", "2")
        self.assertEqual(shape["name"], "block-by-hand.json")
        self.assertEqual([kernel["kernel"] for kernel in shape["kernels"]], ["steps", "any-order"])
        for kernel in shape["kernels"]:
            self.assertEqual(kernel["seconds"]["count"], 2)
            self.assertLess(kernel["error"]["kernel"], 1e-6)
        model = shape["workload"]["model"]
        self.assertEqual((model["layers"], model["vocabulary"]), (1, 0))
        alone, = measured("--model", BLOCK, "--repeat", "2", "--kernel", "steps", "--dtype", "f64")
        self.assertEqual([kernel["kernel"] for kernel in alone["kernels"]], ["steps"])
        self.assertEqual(alone["kernels"][0]["error"], {"kernel": 0, "plain": 0, "of_bound": None})

    def test_up_to_the_logits_where_there_are_some(self):
        shape, = measured("--model", os.path.join(DATA, "induction.json"), "--repeat", "2")
        self.assertEqual(shape["workload"]["model"]["vocabulary"], 4)
        self.assertEqual(shape["workload"]["model"]["layers"], 2)

    def test_numbers_that_are_none_are_the_same_both_ways(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "nan.json")
            with open(path, "w", encoding="utf-8") as file:
                weights = {name: [[1, 0], [0, 1]] for name in ("query", "key", "value")}
                json.dump({"inputs": [[1, "nan"], [2, 3]], "block": {"layers": [{"self": {"weights": weights}}]}}, file)
            shape, = measured("--model", path, "--repeat", "2")
        self.assertEqual([kernel["error"]["kernel"] for kernel in shape["kernels"]], [0, 0])

    def test_numbers_that_are_lost_in_f32_are_told_as_infinitely_far_away(self):
        """The squares of these, of which the norm takes the mean, are beyond f32, and not beyond f64."""
        with open(BLOCK, encoding="utf-8") as file:
            block = json.load(file)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "large.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump({**block, "inputs": [[1e38, 2e38, -1e38], [3e38, 1, 2]]}, file)
            single, = measured("--model", path, "--repeat", "1", "--kernel", "steps")
            double, = measured("--model", path, "--repeat", "1", "--kernel", "steps", "--dtype", "f64")
        lost = {"kernel": None, "plain": None, "of_bound": None}
        self.assertEqual(single["kernels"][0]["error"], lost)
        self.assertEqual(double["kernels"][0]["error"]["kernel"], 0)
        # 1e-50 is 0 in f32, and stays so; in f64 ten times 1e38 as much is beyond all numbers.
        large = {"ffn": {"in": [[1e19]], "out": [[1e19]]}}
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "small.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump({"inputs": [[1e-50]], "block": {"activation": "relu", "layers": [large] * 10}}, file)
            single, = measured("--model", path, "--repeat", "1", "--kernel", "steps")
        self.assertEqual(single["kernels"][0]["error"], lost)

    def test_the_sizes_of_a_model_are_those_of_its_first_attention(self):
        with open(BLOCK, encoding="utf-8") as file:
            block = json.load(file)
        layer, = block["block"]["layers"]
        layer["self"] |= {"heads": 2, "kv_heads": 1}
        layer["self"]["weights"] |= {"key": [[1], [0], [1]], "value": [[0], [1], [1]]}
        block["block"]["kind"] = "decoder_only"
        with tempfile.TemporaryDirectory() as folder:
            for causal in (True, False):
                path = os.path.join(folder, "model.json")
                with open(path, "w", encoding="utf-8") as file:
                    json.dump({**block, "causal": causal}, file)
                shape, = measured("--model", path, "--repeat", "1", "--kernel", "steps")
                work = shape["workload"]
                self.assertEqual((work["heads"], work["kv_heads"], work["width"], work["value_width"], work["causal"]),
                                 (2, 1, 1, 1, causal))
                self.assertEqual(work["model"]["hidden"], 4)

    def test_a_model_is_told_in_80_columns(self):
        done = attn("--model", BLOCK, "--repeat", "2")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for words in ("A model on ", "1 layer of width 3 and 1 head, ", "The ladder at block-by-hand.json", "any-order"):
            self.assertIn(words, done.stdout)
        self.assertLessEqual(max(map(len, done.stdout.split("\n"))), 80)

    def test_torch_computes_the_same_sizes_where_it_is_installed(self):
        for problem, why in (("block-by-hand.json", None), ("induction.json", "norms")):
            done = attn("--model", os.path.join(DATA, problem), "--repeat", "2", "--compare", "--python", sys.executable, "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            report = json.loads(done.stdout)
            library, = report["libraries"]
            self.assertEqual(library["name"], "torch")
            if "missing" in library:
                continue
            way, = report["shapes"][0]["peers"]
            if "left_out" in way:
                self.assertIn(why, way["left_out"])
            else:
                self.assertEqual(way["seconds"]["count"], 2)

    def test_what_cannot_be_meant_is_refused(self):
        for words, code, *parts in (
                (("--causal",), 2, "--model", "--causal"), (("--shape", "1,1,2,2"), 2, "--model"),
                (("--heads", "2"), 2, "--model"), (("--dtype", "bf16"), 2, "f32 or f64"),
                (("--suite",), 2, "--model has its own sizes", "--suite"), (("--list",), 2, "--model", "--list"),
                (("--backend", "cuda"), 2, "a whole model is timed on processors only", "leave out --backend"),
                (("--kernel", "plain"), 2, "`plain`", "steps")):
            self.assert_complains(attn("--model", BLOCK, *words), code, *parts)
        self.assert_complains(attn("--model", os.path.join(DATA, "worked-example.json")), 2, "no block", "--shape")
        missing = attn("--model", "no-such-file.json")
        self.assertEqual((missing.returncode, missing.stdout), (2, ""))
        self.assertIn("no-such-file.json: error: there is no such file", missing.stderr)
        self.assert_complains(attn("--root", DATA), 2, "--model")

    def test_what_other_libraries_are_not_asked_for_is_named(self):
        """By a Python that only pretends to be one, and answers with what it was asked."""
        with open(BLOCK, encoding="utf-8") as file:
            block = {**json.load(file), "score": "scaled_dot"}
        layer, = block["block"]["layers"]
        weights = layer["self"]["weights"]
        without_norm = {name: of for name, of in layer.items() if name != "norm1"}
        alike = lambda **more: {"block": {**block["block"], **more}}
        of_layers = lambda *layers: alike(layers=list(layers))
        of_attention = lambda **more: of_layers({**layer, "self": {"weights": weights, **more}})
        wide = {**weights, "query": [[1, 0, 0, 1]] * 3, "key": [[0, 1, 1, 0]] * 3}
        second = lambda **more: of_layers(layer, {**layer, "self": {**layer["self"], **more}})
        of_heads = lambda kv_heads, **more: {**layer, "self": {"heads": 2, "kv_heads": kv_heads,
                                                               "weights": {**weights, **more}}}
        of_decoder = {**layer, "cross": {"weights": weights}, "norm3": layer["norm2"]}
        for more, apart in (({"score": "cosine"}, "scores or a softmax of another kind"),
                            ({"softmax": {"base": 2}}, "scores or a softmax of another kind"),
                            ({"softcap": 2}, "`softcap`"), ({"window": [1, 0]}, "`window`"),
                            (of_attention(positions="alibi"), "positions of the kind alibi"),
                            (of_layers(without_norm), "layers without attention or norms"),
                            (of_layers(layer, without_norm), "layers without attention or norms"),
                            (of_layers(layer, {"self": layer["self"], "norm1": layer["norm1"]}),
                             "layers without attention or norms"),
                            (second(weights=wide), "layers of several kinds"),
                            (second(heads=2), "layers of several kinds"),
                            (second(window=[1, 0]), "layers of several kinds"),
                            (of_layers(of_heads(2), of_heads(1, key=[[1], [0], [1]], value=[[0], [1], [1]])),
                             "layers of several kinds"),
                            (of_layers({"ffn": layer["ffn"], "norm1": layer["norm2"]}, layer),
                             "layers without attention or norms"),
                            (of_layers(of_heads(2), of_heads(2)), ""), ({"softmax": "softmax"}, ""),
                            (alike(kind="decoder", layers=[of_decoder], memory=[[1, 0, 1], [0, 1, 1]]), "a memory"),
                            (alike(embedding_norm={"gain": [1, 1, 1], "bias": [0, 0, 0]}), "a norm of the embedding"),
                            (second(), ""), ({"causal": False}, ""),
                            (of_attention(positions="rope"), ""), ({"causal": True}, ""), ({}, "")):
            with self.subTest(apart=apart, more=more), tempfile.TemporaryDirectory() as folder:
                python = os.path.join(folder, "python")
                with open(python, "w", encoding="utf-8") as file:
                    file.write("#!/bin/sh\nwhile read -r word rest; do case $word in "
                               "hello) printf 'have\\t0\\tmodel x\\n';; *) printf 'no %s\\n' \"$rest\";; esac; done\n")
                os.chmod(python, 0o755)
                with open(os.path.join(folder, "model.json"), "w", encoding="utf-8") as file:
                    json.dump({**block, **more}, file)
                shape, = measured("--model", os.path.join(folder, "model.json"), "--repeat", "1", "--compare",
                                  "--python", python)
                way, = shape["peers"]
                self.assertEqual(json.loads(way["left_out"].split()[-1])["apart"], apart)

    def test_tensors_beside_a_model_may_be_those_of_another_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.json")
            with open(path, "w", encoding="utf-8") as file:
                weights = {name: [[1, 0, 0], [0, 1, 0], [0, 0, 1]] for name in ("query", "key", "value")}
                json.dump({"inputs": {"file": "tensors-from-files.npz", "tensor": "w_query"},
                           "block": {"layers": [{"self": {"weights": weights}}]}}, file)
            self.assertEqual(attn("--model", path, "--repeat", "1").returncode, 2)
            done = attn("--model", path, "--root", DATA, "--repeat", "1")
            self.assertEqual(done.returncode, 0, done.stderr)


class Peers(BenchTest):
    def test_what_is_installed_is_timed_and_what_is_not_is_named(self):
        done = attn(*TINY, "--compare", "--python", sys.executable, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        libraries = {one["name"]: one for one in report["libraries"]}
        self.assertEqual(list(libraries), ["numpy", "torch", "onnxruntime"])
        for name, library in libraries.items():
            self.assertTrue(("version" in library) != ("missing" in library), library)
            ways = [peer for peer in report["shapes"][0]["peers"] if peer["peer"].startswith(name)]
            self.assertEqual(bool(ways), "version" in library)
            for way in ways:
                if "left_out" not in way:
                    self.assertEqual(way["seconds"]["count"], 2)
                    self.assertGreater(way["ratio"]["median"], 0)

    def test_libraries_that_are_missing_are_named_with_the_reason(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("numpy", "torch", "onnxruntime"):
                with open(os.path.join(folder, name + ".py"), "w", encoding="utf-8") as file:
                    file.write(f"raise ImportError('no {name} in this test')\n")
            done = attn(*TINY, "--compare", "--python", sys.executable, env={"PYTHONPATH": folder})
        self.assertEqual(done.returncode, 0, done.stderr)
        told = " ".join(done.stdout.split())
        for name in ("numpy", "torch", "onnxruntime"):
            self.assertIn(f"{name} is not installed here (ImportError: no {name} in this test).", told)

    def test_a_library_that_dies_is_no_reason_to_stop(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("numpy", "torch", "onnxruntime"):
                with open(os.path.join(folder, name + ".py"), "w", encoding="utf-8") as file:
                    file.write("import os\nos._exit(0)\n" if name != "numpy" else "raise ImportError('none')\n")
            done = attn(*TINY, "--compare", "--python", sys.executable, "--json", env={"PYTHONPATH": folder})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("missing", json.loads(done.stdout)["libraries"][1])

    def python(self, folder, prepared, timed):
        """One that only pretends to have a library, with what it answers to both questions."""
        path = os.path.join(folder, "python3")
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\nwhile read -r word rest; do case $word in hello) printf 'have\\t0\\tx\\n';; "
                       f"prepare) echo '{prepared}';; *) echo '{timed}';; esac; done\n")
        os.chmod(path, 0o755)
        return path

    def test_python3_is_asked_unless_another_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            python = self.python(folder, "ready", "seconds 0.5")
            path = f"{folder}:{os.environ['PATH']}"
            for words, env in (((), {"PATH": path}), (("--python", python), {})):
                done = attn(*TINY, "--compare", "--json", *words, env=env)
                self.assertEqual(done.returncode, 0, done.stderr)
                ways = json.loads(done.stdout)["shapes"][0]["peers"]
                self.assertEqual([(way["peer"], way["seconds"]["count"], way["seconds"]["most"]) for way in ways],
                                 [("x", 2, 0.5)] * 3)

    def test_what_answers_something_else_is_left_out_with_what_it_answered(self):
        with tempfile.TemporaryDirectory() as folder:
            for prepared, timed, why in (("no such heads", "", "such heads"), ("no", "", "it answered `no`"),
                                         ("nothing", "", "it answered `nothing`"), ("ready", "seconds 0", "it failed"),
                                         ("ready", "seconds -1", "it failed"), ("ready", "seconds soon", "it failed"),
                                         ("ready", "seconds", "it failed"), ("ready", "minutes 1", "it failed")):
                python = self.python(folder, prepared, timed)
                done = attn(*TINY, "--compare", "--python", python, "--json")
                self.assertEqual(done.returncode, 0, done.stderr)
                for way in json.loads(done.stdout)["shapes"][0]["peers"]:
                    self.assertEqual(way, {"peer": "x", "left_out": why})

    def test_no_python_is_the_environment_s_fault(self):
        self.assert_complains(attn(*TINY, "--compare", "--python", "no-such-python"), 3, "no-such-python", "--python")
        # Something that starts, and is no Python.
        self.assert_complains(attn(*TINY, "--compare", "--python", "true"), 3, "`true`")

    def test_what_answers_but_is_no_python_is_refused(self):
        self.assert_complains(attn(*TINY, "--compare", "--python", "/bin/echo"), 3, "`/bin/echo` is no Python", "answered")

    def test_nothing_of_the_current_folder_is_run(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "numpy.py"), "w", encoding="utf-8") as file:
                file.write("open('trace', 'w').close()\n")
            subprocess.run([ATTN, "bench", *TINY, "--compare", "--python", sys.executable], cwd=folder,
                           capture_output=True, timeout=120, check=True)
            self.assertEqual(os.listdir(folder), ["numpy.py"])


if __name__ == "__main__":
    unittest.main()
