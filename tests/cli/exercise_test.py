"""`attn exercise`: problems made as somebody wishes them, for one or for a class."""

import json
import os
import re
import subprocess
import tempfile
import unittest

ATTN = os.path.abspath(os.environ["ATTN"])
DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "data")


def attn(*words, folder=None, given=None):
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
    return subprocess.run([ATTN, *words], capture_output=True, encoding="utf-8", env=environment, timeout=600,
                          cwd=folder, input=given)


def made(*words):
    done = attn("exercise", *words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def problem(*words):
    return json.loads(made(*words))


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


class Exercise(unittest.TestCase):
    def test_the_same_seed_makes_the_same_bytes(self):
        for words in ((), ("--causal", "--heads", "2"), ("--difficulty", "5"), ("--block", "encoder")):
            self.assertEqual(made(*words, "--seed", "11"), made(*words, "--seed", "11", "--threads", "2"))
            self.assertNotEqual(made(*words, "--seed", "11"), made(*words, "--seed", "12"))

    def test_a_seed_that_is_drawn_stands_in_the_problem(self):
        first = made()
        seed = json.loads(first)["x-seed"]
        self.assertEqual(made("--seed", str(seed)), first)

    def test_wishes_are_kept(self):
        for words, holds in (
            (("--inputs", "6"), lambda p: len(p["inputs"]) == 6),
            (("--width", "7"), lambda p: len(p["inputs"][0]) == 7 and len(p["weights"]["key"]) == 7),
            (("--d-k", "9"), lambda p: len(p["weights"]["query"][0]) == 9),
            (("--d-v", "3", "--inputs", "5"), lambda p: len(p["weights"]["value"][0]) == 3),
            (("--heads", "2"), lambda p: p["heads"] == 2 and "output" in p["weights"]),
            (("--score", "additive"), lambda p: p["score"]["type"] == "additive"),
            (("--causal",), lambda p: p["causal"] is True),
            (("--window", "1,-1"), lambda p: p["window"] == [1, -1]),
            (("--cross",), lambda p: len(p["inputs"]["query"]) != len(p["inputs"]["key"])),
            (("--positions", "rope"), lambda p: p["positions"] == "rope"),
            (("--block", "decoder"), lambda p: p["block"]["kind"] == "decoder" and "cross" in p["block"]["layers"][0]),
            (("--block", "decoder", "--heads", "2"), lambda p: p["block"]["layers"][0]["cross"]["heads"] == 2),
            (("--d-k", "6", "--positions", "rope", "--score", "dot"), lambda p: len(p["weights"]["key"][0]) == 6),
            (("--positions", "rope", "--score", "dot"), lambda p: len(p["weights"]["key"][0]) % 2 == 0),
            (("--inputs", "1", "--cross"), lambda p: len(p["inputs"]["query"]) == 1 < len(p["inputs"]["key"])),
            (("--digits", "3"), lambda p: p["digits"] == 3),
        ):
            with self.subTest(words=words):
                self.assertTrue(holds(problem(*words, "--seed", "3")))

    def test_sizes_that_are_left_open_differ(self):
        for words in ((), ("--inputs", "5"), ("--width", "6"), ("--d-v", "3"), ("--score", "dot")):
            p = problem(*words, "--seed", "3")
            sizes = [len(p["inputs"]), len(p["inputs"][0]), len(p["weights"]["key"][0]), len(p["weights"]["value"][0])]
            self.assertEqual(len(set(sizes)), 4, (words, sizes))

    def test_the_square_of_a_width_of_keys_that_is_left_open_is_no_size(self):
        for width, score in ((16, "scaled_dot"), (16, "dot"), (9, "dot"), (9, "scaled_dot")):
            p = problem("--width", str(width), "--score", score, "--seed", "3")
            self.assertNotEqual(len(p["weights"]["key"][0]) ** 2, width)

    def test_every_kind_can_be_computed_and_lint_is_silent(self):
        for words in ((), ("--heads", "3"), ("--cross",), ("--score", "concat"), ("--score", "cosine"),
                      ("--positions", "alibi"), ("--positions", "relative"), ("--positions", "sinusoidal"),
                      ("--block", "encoder"), ("--block", "decoder_only"), ("--block", "decoder")):
            with self.subTest(words=words):
                text = made(*words, "--seed", "8")
                done = attn("lint", "-", "--format", "json", given=text)
                found = json.loads(done.stdout)
                self.assertEqual((found["invisible"], found["alike"]), ([], []))

    def test_another_of_a_kind_keeps_the_kind(self):
        def kind(value):
            """The value with every number of a list left out: those are drawn."""
            if isinstance(value, dict):
                return {key: kind(one) for key, one in value.items()}
            if isinstance(value, list):
                return [kind(one) if isinstance(one, (list, dict, str)) else None for one in value]
            return value

        for name in ("worked-example-causal", "two-heads-shared-matrix", "cross-attention", "grouped-query", "rope"):
            with self.subTest(name=name):
                source = json.loads(read(DATA, name + ".json"))
                done = attn("exercise", "--like", os.path.join(DATA, name + ".json"), "--seed", "2")
                self.assertEqual(done.returncode, 0, done.stderr)
                other = json.loads(done.stdout)
                for key in source.keys() - {"$schema", "title", "notes", "digits", "arithmetic"}:
                    if not key.startswith("x-"):
                        self.assertEqual(kind(source[key]), kind(other[key]), key)
                given = "inputs" if "inputs" in source else "queries"
                self.assertNotEqual(source[given], other[given])


    def test_what_a_problem_says_of_its_task_is_not_drawn(self):
        task = {"mask": {"allow": [[1, 0, 1], [1, 1, 0]]}, "heads": 2, "window": [1, 1], "score": "dot", "scale": 0.25,
                "queries": [[1, 0, 0, 1], [0, 1, 1, 0]], "keys": [[1, 2, 0, 1], [0, 1, 1, 0], [2, 0, 1, 1]],
                "values": [[1, 0, 2, 1], [0, 1, 1, 2], [1, 1, 0, 0]], "x-of": "somebody"}
        done = attn("exercise", "--like", "-", "--seed", "1", given=json.dumps(task))
        self.assertEqual(done.returncode, 0, done.stderr)
        other = json.loads(done.stdout)
        for key in ("mask", "heads", "window", "score", "scale"):
            self.assertEqual(other[key], task[key])
        self.assertNotEqual(other["keys"], task["keys"])
        done = attn("exercise", "--like", "-", "--seed", "1", given=json.dumps({**task, "mask": []}))
        self.assertEqual(json.loads(done.stdout)["mask"], [])
        self.assertNotIn("x-of", other)

    def test_another_of_a_block_has_other_numbers_in_every_layer_and_the_same_notes(self):
        task = json.loads(made("--block", "encoder", "--seed", "1"))
        task["block"]["layers"][0]["x-marks"] = [3, 4]
        task["block"]["layers"][0]["self"]["x-of"] = [[1, 2]]
        task["block"]["layers"].append(task["block"]["layers"][0])
        done = attn("exercise", "--like", "-", "--seed", "2", given=json.dumps(task))
        self.assertEqual(done.returncode, 0, done.stderr)
        layers = json.loads(done.stdout)["block"]["layers"]
        self.assertEqual(len(layers), 2)
        self.assertNotEqual(layers[0]["self"]["weights"], layers[1]["self"]["weights"])
        for layer in layers:
            self.assertNotEqual(layer["self"]["weights"], task["block"]["layers"][0]["self"]["weights"])
            self.assertEqual((layer["x-marks"], layer["self"]["x-of"]), ([3, 4], [[1, 2]]))

    def test_a_batch_of_sentences_of_different_length_has_another_of_these_lengths(self):
        done = attn("exercise", "--like", "-", "--seed", "1", "--difficulty", "1", given=json.dumps(
            {"inputs": [[["1/2", 1], [2, 1]], [[1, 2], [2, "0.5"], [1, 1]]], "score": "dot"}))
        self.assertEqual(done.returncode, 0, done.stderr)
        other = json.loads(done.stdout)["inputs"]
        self.assertEqual([[len(row) for row in sentence] for sentence in other], [[2, 2], [2, 2, 2]])
        self.assertLessEqual({n for sentence in other for row in sentence for n in row}, {0, 1})

    def test_numbers_in_another_file_are_not_drawn_anew_and_it_is_said_where(self):
        three, four = [[1, 2, 1], [2, 1, 0], [1, 1, 0], [0, 1, 2]], [[1, 2, 0, 1], [2, 1, 1, 0], [1, 1, 0, 2]]
        file = {"file": "tensors-from-files.npy"}  # three rows of four numbers
        with tempfile.TemporaryDirectory(prefix="attn-exercise-") as folder:
            with open(os.path.join(DATA, "tensors-from-files.npy"), "rb") as source:
                numbers = source.read()
            with open(os.path.join(folder, "tensors-from-files.npy"), "wb") as copy:
                copy.write(numbers)
            for task, place in (
                ({"inputs": file}, '"inputs": '),
                ({"inputs": {"query": four, "key": file}}, '"key": '),
                ({"queries": three[:3], "keys": three, "mask": {"add": file}}, '"add": '),
                ({"inputs": three, "block": {"layers": [{"self": {}, "ffn": {"in": file, "out": three}}]}}, '"in": '),
            ):
                with self.subTest(place=place):
                    with open(os.path.join(folder, "task.json"), "w", encoding="utf-8") as given:
                        json.dump(task, given)
                    done = attn("exercise", "--like", "task.json", folder=folder)
                    self.assertEqual((done.returncode, done.stdout), (2, ""))
                    column = json.dumps(task).index(place) + len(place) + 1
                    self.assertIn(f"task.json:1:{column}: error: stands in another file", done.stderr)
                    self.assertIn("help: take a problem whose numbers stand in it", done.stderr)

    def test_tokens_may_be_called_as_keys_are(self):
        task = {"tokens": ["mask", "gain", "x-ray", "file"], "score": "dot",
                "embeddings": {"mask": [7, 7, 7], "gain": [7, 7, 7.5], "x-ray": [7, 6.5, 7], "file": [6.5, 7, 7]}}
        done = attn("exercise", "--like", "-", "--seed", "1", "--difficulty", "1", given=json.dumps(task))
        self.assertEqual(done.returncode, 0, done.stderr)
        other = json.loads(done.stdout)
        self.assertEqual(other["tokens"], task["tokens"])
        self.assertLessEqual({n for vector in other["embeddings"].values() for n in vector}, {0, 1})

    def test_of_another_problem_no_sizes_are_asked_for(self):
        """Its sizes are what they are: where they leave no pleasant numbers, it is told what can be wished."""
        def tensor(*shape):
            return {"random": "normal", "shape": shape, "seed": 1}

        task = {"inputs": tensor(32, 31), "score": "dot",
                "weights": {"query": tensor(31, 30), "key": tensor(31, 30), "value": tensor(31, 29)}}
        done = attn("exercise", "--like", "-", "--difficulty", "5", "--seed", "1", given=json.dumps(task))
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, "of [0-9]+ problems drawn most had a query, key, value or score beyond ±20")
        self.assertIn("help: another --difficulty or --digits, or a problem with other sizes\n", done.stderr)

    def test_lists_with_nothing_in_them_are_no_matter(self):
        task = {"inputs": [[1, 2], [0, 1], [2, 2]], "mask": [], "score": "dot"}
        done = attn("exercise", "--like", "-", "--seed", "1", given=json.dumps(task))
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_of_a_kind_that_nobody_works_by_hand_there_is_no_other(self):
        tensor = {"random": "normal", "shape": [1500, 64], "seed": 1}
        done = attn("exercise", "--like", "-", given=json.dumps({"queries": tensor, "keys": tensor}))
        self.assertEqual(done.returncode, 2)
        self.assertIn("nobody works so much by hand", done.stderr)


class Class(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="attn-exercise-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def roster(self, text, *words):
        with open(os.path.join(self.folder, "class.csv"), "w", encoding="utf-8") as file:
            file.write(text)
        return attn("exercise", "--roster", "class.csv", "--seed", "5", "-o", "out", *words, folder=self.folder)

    def test_each_person_gets_a_problem_and_a_key(self):
        done = self.roster("name;group\nAnna Müller;A\nJ. Smith;B\n李明;B\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        files = sorted(n for n in os.listdir(os.path.join(self.folder, "out")) if n != "keys")
        self.assertEqual(files, ["Anna Müller.json", "J_ Smith.json", "李明.json"])
        texts = set()
        for name in files:
            p = json.loads(read(self.folder, "out", name))
            texts.add(json.dumps(p["inputs"]))
            self.assertEqual(read(self.folder, "out", name), read(self.folder, "out", "keys", name))
            key = os.path.join("out", "keys", name.replace(".json", ".txt"))
            checked = attn("check", os.path.join("out", name), key, "--format", "json", folder=self.folder)
            self.assertEqual(json.loads(checked.stdout)["verdict"], "right")
        self.assertEqual(len(texts), 3)
        self.assertEqual(json.loads(read(self.folder, "out", "J_ Smith.json"))["x-for"], "J. Smith")
        self.assertEqual(json.loads(read(self.folder, "out", "J_ Smith.json"))["x-group"], "B")

    def test_a_column_that_a_problem_has_no_room_for_is_refused(self):
        for column in ("seed", "for"):
            done = self.roster(f"name,group,{column}\nBen\nAnna,A,7\n")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(f"a column of the list is called `{column}`", done.stderr)
            self.assertIn("help: call it otherwise", done.stderr)

    def test_nobodys_problem_changes_when_others_come(self):
        self.roster("name\nAnna\nBen\n")
        before = read(self.folder, "out", "Ben.json")
        self.roster("name\nCleo\nBen\nAnna\nDan\n")
        self.assertEqual(before, read(self.folder, "out", "Ben.json"))

    def test_a_problem_of_a_class_can_be_made_by_itself(self):
        self.roster("name\nAnna\n")
        p = json.loads(read(self.folder, "out", "Anna.json"))
        alone = problem("--seed", str(p["x-seed"]))
        self.assertEqual((alone["inputs"], alone["weights"]), (p["inputs"], p["weights"]))

    def test_many_at_once_are_those_made_one_by_one(self):
        done = attn("exercise", "--count", "12", "--seed", "40", "-o", "many", folder=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        for seed in range(40, 52):
            self.assertEqual(read(self.folder, "many", f"exercise-{seed}.json"), made("--seed", str(seed)))

    def test_names_are_no_paths(self):
        done = self.roster("name\n../../etc/passwd\n.hidden\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), ["class.csv", "out"])
        self.assertEqual(sorted(os.listdir(os.path.join(self.folder, "out"))),
                         ["______etc_passwd.json", "_hidden.json", "keys"])

    def test_problems_that_were_handed_out_are_not_replaced_by_others(self):
        self.roster("name\nAnna\nBen\n")
        before = read(self.folder, "out", "Anna.json")
        again = attn("exercise", "--roster", "class.csv", "--seed", "5", "-o", "out", folder=self.folder)
        self.assertEqual(again.returncode, 0, again.stderr)
        other = attn("exercise", "--roster", "class.csv", "--seed", "6", "-o", "out", folder=self.folder)
        self.assertEqual(other.returncode, 2)
        self.assertIn("another problem", other.stderr)
        self.assertEqual(before, read(self.folder, "out", "Anna.json"))

    def test_a_class_needs_a_folder(self):
        with open(os.path.join(self.folder, "class.csv"), "w", encoding="utf-8") as file:
            file.write("name\nAnna\n")
        for words in ((), ("-o", "-")):
            done = attn("exercise", "--roster", "class.csv", *words, folder=self.folder)
            self.assertEqual(done.returncode, 2)
        self.assertEqual(os.listdir(self.folder), ["class.csv"])

    def test_a_file_that_is_read_is_not_replaced(self):
        with open(os.path.join(self.folder, "soft.json"), "w", encoding="utf-8") as file:
            file.write(read(DATA, "worked-example.json"))
        with open(os.path.join(self.folder, "class.csv"), "w", encoding="utf-8") as file:
            file.write("name\nsoft\n")
        done = attn("exercise", "--roster", "class.csv", "--like", "soft.json", "-o", ".", folder=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(read(self.folder, "soft.json"), read(DATA, "worked-example.json"))

    def test_what_is_no_problem_is_not_replaced_either(self):
        os.makedirs(os.path.join(self.folder, "out", "exercise-1.json"))
        done = attn("exercise", "--count", "2", "--seed", "1", "-o", "out", folder=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("exercise-1.json` is there already", done.stderr)

    def test_a_folder_cannot_be_made_in_a_file(self):
        with open(os.path.join(self.folder, "file"), "w", encoding="utf-8") as file:
            file.write("x")
        done = attn("exercise", "--count", "2", "--seed", "1", "-o", "file/out", folder=self.folder)
        self.assertEqual(done.returncode, 3)
        self.assertIn("cannot be written", done.stderr)

    def test_where_no_problem_is_pleasant_it_is_said_for_whom(self):
        done = self.roster("name\nAnna\n", "--inputs", "32", "--width", "2", "--score", "dot", "--difficulty", "1")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, "for Anna: .* most had two inputs alike")
        self.assertIn("help: fewer --inputs, a larger --width, or a higher --difficulty", done.stderr)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "out")))

    def test_what_stands_against_the_sizes_is_said_with_how_many_were_drawn(self):
        for words, fault, help_ in (
            (("--inputs", "32", "--width", "31", "--d-k", "30", "--d-v", "29", "--score", "dot", "--difficulty", "5"),
             "most had a query, key, value or score beyond ±20: the sizes stand against --difficulty 5",
             "a smaller --width or --d-k, or a lower --difficulty"),
            (("--inputs", "32", "--width", "12", "--d-k", "4", "--score", "cosine"),
             "most had a weight below 0.02 or above 0.95: the sizes stand against --difficulty 3",
             "fewer --inputs, a smaller --width, or a lower --difficulty"),
            (("--inputs", "2", "--width", "3", "--d-k", "4", "--score", "dot", "--difficulty", "1", "--digits", "0"),
             "those that are pleasant hide mistakes in numbers of 0 decimals; in the nearest: ",
             "more --digits, another --difficulty, or other sizes; attn mistakes says what these are"),
        ):
            with self.subTest(words=words):
                done = attn("exercise", "--seed", "1", *words)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertRegex(done.stderr, "error: of [0-9]{4,} problems drawn " + re.escape(fault))
                self.assertIn("help: " + help_ + "\n", done.stderr)

    def test_names_that_would_share_a_file_are_refused(self):
        done = self.roster("name\nA.B\nA/B\n")
        self.assertEqual(done.returncode, 2)
        self.assertIn("would be called alike", done.stderr)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "out")))


class Refusals(unittest.TestCase):
    def test_wishes_that_stand_against_each_other_are_named(self):
        for words, one, other in (
            (("--inputs", "4", "--d-k", "4"), "--inputs 4", "--d-k 4"),
            (("--width", "4", "--d-k", "4"), "--width 4", "--d-k 4"),
            (("--inputs", "16", "--d-k", "4"), "--inputs 16", "--d-k 4"),
            (("--d-k", "4", "--d-v", "16"), "--d-k 4", "--d-v 16"),
            (("--inputs", "1"), "--inputs 1", "every exercise"),
            (("--inputs", "1", "--d-k", "4"), "--inputs 1", "every exercise"),
            (("--d-k", "5"), "--d-k 5", "--score scaled_dot"),
            (("--d-k", "1"), "--d-k 1", "--score scaled_dot"),
            (("--window", "0,0"), "--window 0,0", "every exercise"),
            (("--window", "0,1", "--causal"), "--window 0,1", "--causal"),
            (("--window", "0,2", "--block", "decoder"), "--window 0,2", "--block decoder"),
            (("--cross", "--inputs", "1", "--causal"), "--inputs 1", "--causal"),
            (("--cross", "--inputs", "1", "--window", "2,0"), "--inputs 1", "--window 2,0"),
            (("--d-k", "9", "--positions", "rope"), "--d-k 9", "--positions rope"),
            (("--cross", "--block", "encoder"), "--cross", "--block"),
            (("--like", os.path.join(DATA, "rope.json"), "--heads", "2"), "--heads", "--like"),
        ):
            with self.subTest(words=words):
                done = attn("exercise", *words)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertRegex(done.stderr, re.escape(one) + ".*stands against.*" + re.escape(other))
                self.assertIn("help:", done.stderr)

    def test_a_count_and_a_list_both_say_how_many(self):
        done = attn("exercise", "--count", "2", "--roster", "class.csv", "-o", "out")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("--count stands against --roster", done.stderr)
        self.assertIn("help: each person of the roster gets one problem", done.stderr)

    def test_seeds_are_not_counted_on_beyond_the_largest(self):
        largest = str(2 ** 53)
        done = attn("exercise", "--seed", largest, "--count", "2", "-o", "out")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn(f"--seed {largest} would be counted on beyond the largest seed", done.stderr)
        self.assertIn("help: a smaller --seed", done.stderr)
        self.assertEqual(problem("--seed", largest)["x-seed"], 2 ** 53)

    def test_sizes_that_show_no_mistake_are_said_to_be_too_small(self):
        done = attn("exercise", "--seed", "1", "--inputs", "12", "--width", "1", "--score", "dot", "--difficulty", "1")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("no numbers of these sizes show every mistake", done.stderr)
        self.assertIn("help: larger sizes", done.stderr)

    def test_a_window_of_one_side_is_an_exercise(self):
        for window in ([0, 1], [1, 0]):
            self.assertEqual(problem("--window", ",".join(map(str, window)), "--seed", "1")["window"], window)

    def test_what_means_nothing_is_refused(self):
        for words in (("--inputs", "0"), ("--inputs", "x"), ("--difficulty", "6"), ("--score", "dto"), ("--window", "3"),
                      ("--seed", "-1"), ("--count", "3"), ("--count", "0"), ("--digits", "99"), ("--block", "enc")):
            with self.subTest(words=words):
                done = attn("exercise", *words)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertIn("help:", done.stderr)


if __name__ == "__main__":
    unittest.main()
