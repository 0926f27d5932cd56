"""attn.run() in Python: the numbers of the program, as arrays."""

import contextlib
import copy
import json
import os
import pathlib
import signal
import tempfile
import threading
import unittest

from common import DATA, ROOT, np, program, same_bits, traced_by_program

import attn

EXAMPLE = DATA / "worked-example.json"

# One of each kind of feature, and what asks for arithmetic of another kind.
PROBLEMS = ["worked-example", "worked-example-rounded", "eight-heads-batch", "grouped-query", "one-head-batch",
            "ragged-batch", "rope", "rope-interleaved", "alibi", "relative", "masks-together", "mask-allow",
            "causal-two-of-five", "cache-new-token", "score-additive", "softcap", "softmax-sink", "zero-key",
            "tensors-from-files", "precision", "cross-attention", "two-heads-shared-matrix"]


def with_arrays(value):
    """A problem of lists with arrays in place of its matrices."""
    if isinstance(value, dict):
        return {key: with_arrays(item) for key, item in value.items()}
    if isinstance(value, list) and value and isinstance(value[0], list):
        try:
            array = np.array(value, dtype=np.float64)
        except (ValueError, TypeError):  # ragged, or not of numbers
            return value
        return array
    return value


def parsed(path):
    """A problem file as Python has it, without its comments."""
    lines = [line.split("//")[0] if line.lstrip().startswith("//") else line for line in path.read_text().splitlines()]
    return json.loads("\n".join(lines))


class TheSameBits(unittest.TestCase):
    def test_steps_have_the_bits_that_the_program_writes(self):
        for name in PROBLEMS:
            with self.subTest(name):
                path = DATA / f"{name}.json"
                theirs, written = traced_by_program(path)
                ours = attn.run(path)
                self.assertEqual(list(ours), list(theirs))
                for step, expected in theirs.items():
                    self.assertTrue(same_bits(ours[step], expected), step)
                self.assertEqual(ours.statement, written["statement"])
                self.assertEqual(ours.title, written["title"])

    def test_json_and_npz_are_byte_by_byte_the_programs(self):
        for name in ["eight-heads-batch", "masks-together", "rope"]:
            path = DATA / f"{name}.json"
            trace = attn.run(path)
            self.assertEqual(trace.written("json"), program("run", path, "--format", "json").decode())
            self.assertEqual(trace.written("npz"), program("run", path, "--format", "npz"))

    def test_options_are_those_of_the_program(self):
        path = DATA / "eight-heads-batch.json"
        for options, words in [({"dtype": "f32"}, ["--dtype", "f32"]), ({"dtype": np.float16}, ["--dtype", "f16"]),
                               ({"dtype": "bf16"}, ["--dtype", "bf16"]),
                               ({"hand_rounding": 2}, ["--hand-rounding", "2"]),
                               ({"hand_rounding": "1:truncate", "threads": 1}, ["--hand-rounding", "1:truncate"])]:
            theirs, _ = traced_by_program(path, *words)
            ours = attn.run(path, **options)
            for step, expected in theirs.items():
                if ours.dtype in ("f32", "f16"):  # written with the digits that tell numbers of the dtype apart
                    expected = expected.astype(ours[step].dtype)
                if ours.dtype == "bf16":
                    self.assertTrue(np.allclose(ours[step], expected, rtol=2**-8), step)
                else:
                    self.assertTrue(same_bits(ours[step], expected), (words, step))

    def test_a_dict_is_the_file_that_says_the_same(self):
        for name in PROBLEMS:
            with self.subTest(name):
                path = DATA / f"{name}.json"
                expected = attn.run(path)
                problem = parsed(path)
                for stated in (problem, with_arrays(problem)):
                    trace = attn.run(stated, folder=DATA)
                    self.assertEqual(trace.statement, expected.statement)
                    self.assertEqual(list(trace), list(expected))
                    for step in expected:
                        self.assertTrue(same_bits(trace[step], expected[step]), step)


class Reference(unittest.TestCase):
    def test_attention_is_what_numpy_makes_of_the_textbook(self):
        random = np.random.default_rng(3)
        batch, heads, tokens, width = 2, 3, 5, 12
        x = random.normal(size=(batch, tokens, width))
        w = {role: random.normal(size=(width, width)) for role in ("query", "key", "value", "output")}
        b = {role: random.normal(size=width) for role in w}
        closed = np.triu(np.ones((tokens, tokens), dtype=bool), 1)
        closed[:, 3] = True
        trace = attn.run({"inputs": x, "heads": heads, "weights": w, "biases": b, "causal": True,
                          "mask": {"block": np.arange(tokens)[None, :] == np.full((tokens, 1), 3)}})

        def split(projected):
            return projected.reshape(batch, tokens, heads, -1).transpose(0, 2, 1, 3)
        q, k, v = (split(x @ w[role] + b[role]) for role in ("query", "key", "value"))
        scores = q @ k.transpose(0, 1, 3, 2)
        scaled = np.where(closed, -np.inf, scores / np.sqrt(width // heads))
        weights = np.exp(scaled - scaled.max(-1, keepdims=True))
        weights /= weights.sum(-1, keepdims=True)
        context = (weights @ v).transpose(0, 2, 1, 3).reshape(batch, tokens, width)
        for name, expected in [("queries", q), ("keys", k), ("values", v), ("scores", scores),
                               ("masked_scores", scaled), ("attention_weights", weights), ("concat", context),
                               ("output", context @ w["output"] + b["output"])]:
            np.testing.assert_allclose(trace[name], expected, rtol=1e-12, atol=1e-12, err_msg=name)
        np.testing.assert_array_equal(trace["mask"], np.broadcast_to(~closed, trace["mask"].shape))
        self.assertIs(trace.result, trace["output"])

    def test_a_list_of_arrays_is_a_batch_and_a_matrix_a_head(self):
        random = np.random.default_rng(4)
        x, w = random.normal(size=(5, 4)), random.normal(size=(3, 4, 2))
        stated = {"inputs": [x, x[:3]], "weights": {role: list(w) for role in ("query", "key", "value")}}
        trace = attn.run(stated)
        np.testing.assert_allclose(trace["queries"][0], x @ w, rtol=1e-12)
        alone = attn.run({"inputs": x[:3], "weights": {role: w for role in ("query", "key", "value")}})
        np.testing.assert_array_equal(trace["context"][1, :, :3], alone["context"])

    def test_infinities_integers_and_tuples_are_numbers(self):
        trace = attn.run({"queries": ((1, 0), (0, 1)), "keys": np.array([[1, 2], [3, 4]]),
                          "mask": {"add": [[0, -np.inf], [np.float32(0.5), 0]]}, "scale": np.float64(1)})
        self.assertEqual(trace["masked_scores"].tolist(), [[1, -np.inf], [2.5, 4]])


class Steps(unittest.TestCase):
    def setUp(self):
        self.trace = attn.run(DATA / "eight-heads-batch.json")

    def test_a_step_is_found_by_id_symbol_and_result(self):
        trace = attn.run(EXAMPLE)
        self.assertIs(trace["S"], trace["scores"])
        self.assertIs(trace["Attention weights"], trace["attention_weights"])
        self.assertIs(trace["result"], trace["context"])
        self.assertIn("A", trace)
        self.assertNotIn("nothing", trace)
        with self.assertRaisesRegex(KeyError, "did you mean `scores`"):
            trace["scors"]

    def test_a_trace_is_a_mapping_of_arrays(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "steps.npz")
            np.savez(path, **self.trace)
            with np.load(path) as stored:
                self.assertEqual(sorted(stored), sorted(self.trace))
                np.testing.assert_array_equal(stored["scores"], self.trace["scores"])
        self.assertEqual(len(self.trace), len(list(self.trace.items())))

    def test_axes_symbols_and_formulas_are_those_of_the_program(self):
        _, written = traced_by_program(DATA / "eight-heads-batch.json")
        for step, expected in zip(self.trace.steps, written["steps"]):
            self.assertEqual({"id": step.id, "symbol": step.symbol, "title": step.title, "formula": step.formula,
                              "axes": list(step.axes), "shape": list(step.shape)},
                             {key: expected[key] for key in ("id", "symbol", "title", "formula", "axes", "shape")})
        self.assertEqual(self.trace.axes["scores"], ("batch", "head", "query", "key"))
        self.assertEqual(self.trace.symbols["attention_weights"], "A")
        self.assertEqual(self.trace.labels, written["labels"])

    def test_notes_say_of_which_step_they_are(self):
        trace = attn.run({"queries": [[1, 0], [0, 1]], "keys": [[1, 0], [0, 1]], "lengths": 0})
        self.assertEqual([note.kind for note in trace.notes], ["closed_row", "closed_row"])
        self.assertEqual([note.index for note in trace.step(trace.notes[0].step).notes], [(0,), (1,)])

    def test_numbers_stay_where_they_stand_and_cannot_be_changed(self):
        trace = attn.run(EXAMPLE)
        scores = trace["scores"]
        self.assertFalse(scores.flags.owndata)
        with self.assertRaises(ValueError):
            scores[0, 0] = 1
        del trace
        self.assertEqual(scores[0, 1], 4)  # they outlive the trace

    def test_arrays_have_the_dtype_that_was_computed_in(self):
        expected = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "bf16": np.float32}
        for dtype, stored in expected.items():
            self.assertEqual(attn.run(EXAMPLE, dtype=dtype)["scores"].dtype, stored)
        for dtype, name in [(np.dtype("float32"), "f32"), ("half", "f16"), ("bfloat16", "bf16"), (float, "f64")]:
            self.assertEqual(attn.run(EXAMPLE, dtype=dtype).dtype, name)

    def test_steps_left_out_for_their_size_can_be_kept(self):
        problem = {"queries": np.ones((40, 64)), "keys": np.ones((40, 64))}
        self.assertNotIn("weighted_values", attn.run(problem))
        self.assertEqual(attn.run(problem, keep=["weighted_values"])["weighted_values"].shape, (40, 40, 64))

    def test_a_copy_of_a_step_is_an_array_of_its_own(self):
        step = attn.run(EXAMPLE).step("scores")
        array = np.array(step)
        array[0, 0] = 7
        self.assertEqual(step.numbers[0, 0], 2)


class Shown(unittest.TestCase):
    def test_text_is_the_programs(self):
        trace = attn.run(EXAMPLE)
        self.assertEqual(trace.written("text"), program("run", EXAMPLE).decode())
        self.assertEqual(trace.written("markdown", explain="result", precision=2),
                         program("run", EXAMPLE, "--format", "markdown", "--explain", "result", "--precision",
                                 "2").decode())
        self.assertEqual(trace.written(only="S"), program("run", EXAMPLE, "--only", "scores").decode())
        self.assertEqual(str(trace) + "\n", program("run", EXAMPLE).decode())

    def test_a_notebook_shows_the_programs_page_in_a_frame(self):
        import html
        import re
        shown = attn.run(EXAMPLE)._repr_html_()
        frame = re.fullmatch(r'<iframe srcdoc="([^"]*)"[^<>]*></iframe>', shown)
        self.assertEqual(html.unescape(frame[1]), program("run", EXAMPLE, "--format", "html").decode())

    def test_what_is_no_format_is_refused_with_those_there_are(self):
        with self.assertRaisesRegex(ValueError, "did you mean `latex`"):
            attn.run(EXAMPLE).written("latx")
        with self.assertRaisesRegex(ValueError, "explain is one of"):
            attn.run(EXAMPLE).written(explain="everything")


class Refused(unittest.TestCase):
    def faults_of(self, problem, **options):
        with self.assertRaises(attn.ProblemError) as raised:
            attn.run(problem, **options)
        return raised.exception

    def test_faults_of_a_file_have_their_places_in_it(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "lesson.json")
            with open(path, "w", encoding="utf-8") as file:
                file.write('{"inputs": [[1, 0]],\n "weights": {"key": [[1], [1], [1]],\n'
                           '  "query": [[1], [1]], "value": [[1], [1]]},\n "scoer": "dot"}')
            error = self.faults_of(path)
            self.assertEqual([(fault.line, fault.column, fault.pointer) for fault in error.faults],
                             [(2, 21, "/weights/key"), (4, 2, "/scoer")])
            self.assertEqual({fault.file for fault in error.faults}, {path})
            self.assertIn("did you mean /score?", error.faults[1].help)
            self.assertIn(f"{path}:2:21: error: /weights/key has 3 rows", str(error))

    def test_faults_of_a_dict_are_told_by_its_keys(self):
        error = self.faults_of({"inputs": np.ones((2, 3)),
                                "weights": {"key": np.ones((2, 2)), "query": np.ones((3, 2)),
                                            "value": np.ones((3, 2))}})
        self.assertEqual([(fault.file, fault.line, fault.pointer) for fault in error.faults],
                         [(None, None, "/weights/key")])
        self.assertTrue(str(error).startswith('["weights"]["key"]: /weights/key has 2 rows'))
        self.assertIn("\n  help: ", str(error))

    def test_booleans_are_for_masks(self):
        error = self.faults_of({"inputs": np.ones((2, 2), dtype=bool)})
        self.assertIn("booleans", error.faults[0].message)

    def test_a_bare_matrix_is_no_mask(self):
        error = self.faults_of({"inputs": np.ones((2, 2)), "mask": np.ones((2, 2), dtype=bool)})
        self.assertEqual(error.faults[0].pointer, "/mask")
        self.assertIn("allow", error.faults[0].help)

    def test_what_is_no_problem_is_said_so(self):
        with self.assertRaises(FileNotFoundError):
            attn.run(DATA / "no-such-problem.json")
        with self.assertRaisesRegex(TypeError, "a problem is a dict"):
            attn.run(7)
        with self.assertRaisesRegex(TypeError, "/inputs/0 is a set"):
            attn.run({"inputs": [{1, 2}]})
        with self.assertRaisesRegex(TypeError, "complex128"):
            attn.run({"inputs": np.ones((2, 2), dtype=complex)})

    def test_options_that_mean_nothing_are_refused(self):
        for options, said in [({"dtype": "f8"}, "no dtype is called `f8`"),
                              ({"hand_rounding": "2:up"}, "no way to round by hand"),
                              ({"backend": "gpu"}, "no backend is called `gpu`")]:
            with self.assertRaisesRegex(ValueError, said):
                attn.run(EXAMPLE, **options)

    def test_what_would_take_too_much_memory_is_not_computed(self):
        with self.assertRaisesRegex(MemoryError, "max_memory is 2147483648"):
            attn.run({"inputs": np.ones((100_000, 4))})
        with self.assertRaises(MemoryError):
            attn.run(EXAMPLE, max_memory=100)

    def test_a_file_outside_the_folder_is_not_read(self):
        with tempfile.TemporaryDirectory() as folder:
            error = self.faults_of({"inputs": {"file": str(DATA / "tensors-from-files.npy")}}, folder=folder)
            self.assertEqual(error.faults[0].pointer, "/inputs")

    def test_a_folder_is_where_the_files_of_a_dict_are_and_no_files(self):
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as other:
            for where, first in ((folder, 1), (other, 2)):
                np.save(os.path.join(where, "x.npy"), np.array([[first, 0.0], [0, 1]]))
            problem = {"inputs": {"file": "x.npy"}, "score": "dot"}
            path = os.path.join(folder, "problem.json")
            with open(path, "w") as file:
                json.dump(problem, file)
            self.assertEqual(attn.run(path, folder=other)["inputs"][0, 0], 1)
            self.assertTrue(attn.diff(problem, path, folder=folder).equal)
            self.assertFalse(attn.diff(problem, path, folder=other).equal)

    def test_numbers_that_an_array_hides_or_that_no_double_is_are_refused(self):
        masked = np.ma.array(np.eye(2), mask=[[False, True], [False, False]])
        with self.assertRaisesRegex(ValueError, "/inputs has masked numbers"):
            attn.run({"inputs": masked})
        with self.assertRaisesRegex(ValueError, "scores has masked numbers"):
            attn.diff({"inputs": np.eye(2)}, {"scores": masked})
        self.assertEqual(attn.run({"inputs": np.ma.array(np.eye(2))})["inputs"][0, 0], 1)
        for dtype in (np.int64, np.uint64):
            with self.assertRaisesRegex(ValueError, "/inputs has a whole number that"):
                attn.run({"inputs": np.array([[2**53 + 1, 1]], dtype=dtype)})
            self.assertEqual(attn.run({"inputs": np.array([[2**60, 1]], dtype=dtype)})["inputs"][0, 0], 2.0**60)

    def test_nothing_given_is_changed(self):
        problem = {"inputs": np.eye(3), "notes": ["mine"], "mask": {"block": np.eye(3, dtype=bool)}}
        before = copy.deepcopy(problem)
        attn.run(problem)
        np.testing.assert_equal(problem, before)


class Together(unittest.TestCase):
    def test_other_threads_go_on_and_ctrl_c_stops(self):
        ticks = []
        done = threading.Event()

        def tick():
            while not done.wait(0.002):
                ticks.append(1)
                if len(ticks) == 25:
                    os.kill(os.getpid(), signal.SIGINT)
        ticking = threading.Thread(target=tick)
        with contextlib.closing(_Finish(done, ticking)):
            ticking.start()
            with self.assertRaises(KeyboardInterrupt):
                for _ in range(1000):
                    attn.run({"queries": {"random": "normal", "shape": [700, 64], "seed": 1},
                              "keys": {"random": "normal", "shape": [700, 64], "seed": 2}})
        self.assertGreaterEqual(len(ticks), 25)


class _Finish:
    def __init__(self, done, thread):
        self.done, self.thread = done, thread

    def close(self):
        self.done.set()
        self.thread.join()


class Package(unittest.TestCase):
    def test_type_checkers_find_its_types(self):
        folder = pathlib.Path(attn.__file__).parent
        self.assertTrue((folder / "py.typed").is_file())
        self.assertTrue((folder / "_core.pyi").is_file())

    def test_its_version_is_the_projects(self):
        self.assertIn(f"project(attn VERSION {attn.__version__} ", (ROOT / "CMakeLists.txt").read_text())

    def test_every_public_name_says_what_it_is(self):
        for name in attn.__all__:
            self.assertTrue(getattr(attn, name).__doc__, name)


if __name__ == "__main__":
    unittest.main()
