"""`attn quiz`: a dialogue by a pipe, and in a terminal that only pretends to be one."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "property"))

from slow import share

ATTN = os.path.abspath(os.environ["ATTN"])
ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
DATA = os.path.join(ROOT, "data")
EXAMPLE = os.path.join(DATA, "worked-example.json")
ENVIRONMENT = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}

# What a line of arithmetic comes to.
RESULT = re.compile(r"[=≈] (?:\[[^\]]*\]|[−\d.∞e+]+)(?=\s*$|\s{2,}|\s+\()", re.M)
QUESTION = re.compile(r"^ *(\d+) of (\d+) · ", re.M)


def run(*words, text=""):
    return subprocess.run([ATTN, *words], input=text, capture_output=True, encoding="utf-8", env=ENVIRONMENT, timeout=300)


def quiz(problem, lines, *more):
    return run("quiz", problem, *more, text="".join(line + "\n" for line in lines))


class Dialogue:
    """A quiz line by line: what is said between one prompt and the next."""

    def __init__(self, problem, *more):
        self.process = subprocess.Popen([ATTN, "quiz", problem, *more], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, env=ENVIRONMENT)
        self.said = self.until_prompt()

    def until_prompt(self):
        said = b""
        while not said.endswith(b"\n> "):
            byte = os.read(self.process.stdout.fileno(), 1)
            if not byte:
                break
            said += byte
        return said.decode("utf-8")

    def say(self, line):
        self.process.stdin.write(line.encode("utf-8") + b"\n")
        self.process.stdin.flush()
        self.said = self.until_prompt()
        return self.said

    def is_over(self):
        return not self.said.endswith("\n> ")

    def end(self):
        if not self.process.stdin.closed:
            self.process.stdin.close()
        self.process.stdout.read()
        self.process.stdout.close()
        return self.process.wait(timeout=60)


def trace_of(problem):
    done = run("run", problem, "--format", "json")
    assert done.returncode == 0, done.stderr
    return {step["id"]: step for step in json.loads(done.stdout)["steps"]}


def written(number):
    if isinstance(number, str):
        return number
    return f"{number:.4f}"


def rows_of(step):
    """The rows of a step along its last axis, in order."""
    def walk(data):
        if not isinstance(data, list) or not isinstance(data[0], list):
            yield data if isinstance(data, list) else [data]
            return
        for one in data:
            yield from walk(one)
    return list(walk(step["data"]))


class Asking(unittest.TestCase):
    def test_who_answers_all_right_is_told_so(self):
        steps = trace_of(EXAMPLE)
        asked = ["scores", "attention_weights", "context"]
        lines = [" ".join(written(number) for number in row) for step in asked for row in rows_of(steps[step])]
        done = quiz(EXAMPLE, lines, "--steps", ",".join(asked))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout.count("Right."), 9)
        self.assertNotIn("\x1b", done.stdout)
        self.assertRegex(done.stdout, r"Right at the first try +9\b")
        self.assertIn("attn exercise --like ", done.stdout)
        self.assertIn("attn quiz practice.json", done.stdout)

    def test_padding_is_not_asked_for(self):
        with tempfile.TemporaryDirectory() as folder:
            problem = os.path.join(folder, "ragged.json")
            with open(problem, "w", encoding="utf-8") as file:
                json.dump({"inputs": [[[1, 0], [0, 1], [1, 1]], [[1, 1], [0, 1]]], "score": "dot"}, file)
            done = quiz(problem, ["2", "1"], "--batch", "2", "--steps", "row_maximum")
            self.assertEqual((done.returncode, done.stdout.count("Right.")), (0, 2), done.stdout)
            self.assertIn("2 of 2", done.stdout)
            # The query that sees most is looked for among those that there are.
            with open(problem, "w", encoding="utf-8") as file:
                long, short = ([[i % 3, i % 2] for i in range(rows)] for rows in (14, 5))
                json.dump({"inputs": {"query": [long, short], "key": [long, long]}, "causal": True, "score": "dot"}, file)
            done = quiz(problem, [], "--batch", "2", "--steps", "S,A")
            self.assertIn("1 of ", done.stdout)

    def test_what_is_given_is_shown_first_and_on_request(self):
        done = quiz(EXAMPLE, ["?", "quit"], "--steps", "scores")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stdout.count("Weights for queries"), 2)

    def test_hints_grow_and_the_answer_comes_last(self):
        dialogue = Dialogue(EXAMPLE, "--steps", "scores")
        first = dialogue.say("9 9 9")
        self.assertIn("Not right yet", first)
        self.assertNotIn("1×4 + 0×4 + 2×0", first)
        second = dialogue.say("9 9 9")
        self.assertIn("1×4 + 0×4 + 2×0", second)
        self.assertNotIn("= 4", second)
        third = dialogue.say("9 9 9")
        self.assertIn("1×4 + 0×4 + 2×0 = 4", third)
        self.assertIn("2 of 3 · ", third)
        self.assertEqual(dialogue.say("4 16 12").count("Right."), 1)
        dialogue.end()

    def test_where_there_is_no_stronger_hint_it_says_so(self):
        dialogue = Dialogue(EXAMPLE, "--steps", "scores")
        hints = [dialogue.say("hint") for _ in range(3)]
        self.assertEqual(["no stronger hint" in hint for hint in hints], [False, False, True])
        self.assertIn("no stronger hint", dialogue.say("9 9 9"))
        dialogue.end()
        dialogue = Dialogue(EXAMPLE, "--steps", "scores", "--tries", "4")
        said = [dialogue.say("9 9 9") for _ in range(4)]
        self.assertEqual(["no stronger hint" in one for one in said], [False, False, True, False])
        dialogue.end()

    def test_no_hint_says_by_how_much_a_number_is_wrong(self):
        """Half of what is asked for, say: check tells so, and whoever hears it need not work it out."""
        problem = os.path.join(DATA, "worked-example-scaled.json")
        for step in ("queries", "scores", "scaled_scores", "context"):
            right = rows_of(trace_of(problem)[step])
            for factor in (2, 0.5, -1, 3):
                wrong = [[f"{factor * number:.4f}" for number in row] for row in right]
                with tempfile.TemporaryDirectory() as folder:
                    file = os.path.join(folder, "answers.json")
                    with open(file, "w", encoding="utf-8") as out:
                        json.dump({"steps": {step: wrong}}, out)
                    report = json.loads(run("check", problem, file, "--format", "json").stdout)
                evidence = [one["evidence"] for one in report["diagnoses"]]
                dialogue = Dialogue(problem, "--steps", step, "--tries", "4")
                said = " ".join(" ".join(dialogue.say(" ".join(wrong[0])) for _ in range(3)).split())
                dialogue.end()
                with self.subTest(step=step, factor=factor):
                    self.assertTrue(evidence)
                    self.assertNotRegex(said, r"times what|1/\d+ of|negative of|the problem asks for\.")
                    self.assertEqual([one for one in evidence if one and one in said.lower()], [])

    def test_a_known_mistake_is_named_as_a_hint(self):
        problem = os.path.join(DATA, "worked-example-scaled.json")
        scores = trace_of(problem)["scores"]["data"]
        dialogue = Dialogue(problem, "--steps", "scaled_scores")
        said = dialogue.say(" ".join(str(number) for number in scores[0]))
        self.assertIn("the division by √d_k is missing", said)
        dialogue.end()

    def test_an_empty_line_or_skip_gives_up_one_question(self):
        for word in ("", "skip", "SKIP", "   "):
            done = quiz(EXAMPLE, [word, "quit"], "--steps", "scores")
            self.assertEqual(done.returncode, 0)
            self.assertIn("S[1,1] = q₁·k₁ = 1×0 + 0×1 + 2×1 = 2", done.stdout)
            self.assertIn("2 of 3 · ", done.stdout)

    def test_what_cannot_be_read_is_no_try_and_says_what_is_wanted(self):
        for line, says in (("two four", "two"), ("2 4", "takes 3 numbers"), ("2 4 4 4", "takes 3 numbers"),
                           ("2 _ 4", "blank"), ("1/0 2 3", "1/0"), ("S[", "S["), ("\x1b[31m", "x1b"), ("=", "number")):
            done = quiz(EXAMPLE, [line] * 5 + ["2 4 4", "quit"], "--steps", "scores")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(" ".join(done.stdout.split()).count("did not count as a try"), 5, (line, done.stdout))
            self.assertIn("Right.", done.stdout)
            self.assertIn(says, done.stdout)
            self.assertRegex(done.stdout, r"Right at the first try +1\b")
            self.assertNotIn("\x1b", done.stdout)

    def test_answers_are_read_as_those_of_files_are(self):
        for line in ("2 4 4", "2, 4, 4", "[2 4 4]", "2.0 4.0 4.00", "4/2 2^2 sqrt(16)", "S[1,:] = 2 4 4", "s₁ = [2, 4, 4]",
                     "2 4 4 # by hand", "1*2 4 8/2"):
            done = quiz(EXAMPLE, [line, "quit"], "--steps", "scores")
            self.assertIn("Right.", done.stdout, line)

    def test_a_row_of_one_number_is_answered_with_one_number(self):
        with tempfile.TemporaryDirectory() as folder:
            problem = os.path.join(folder, "narrow.json")
            with open(problem, "w", encoding="utf-8") as file:
                json.dump({"queries": [[1, 2], [0, 1]], "keys": [[1, 0], [0, 1]], "values": [[1], [2]]}, file)
            for one in (os.path.join(DATA, "leyaa-one-query.json"), problem):
                steps = trace_of(one)
                asked = ["row_maximum", "context"]
                lines = [" ".join(written(number) for number in row) for step in asked for row in rows_of(steps[step])]
                done = quiz(one, lines, "--steps", ",".join(asked))
                self.assertEqual(done.stdout.count("Right."), len(lines), done.stdout)

    def test_honest_rounding_is_right_as_check_has_it(self):
        for line in ("0.06 0.47 0.47", "0.0634 0.4683 0.4683", "0.063 0.468 0.468"):
            self.assertIn("Right.", quiz(EXAMPLE, [line, "quit"], "--steps", "attention_weights").stdout)
        for line in ("0.05 0.47 0.47", "0.0634 0.4690 0.4683"):
            self.assertIn("Not right yet", quiz(EXAMPLE, [line, "quit"], "--steps", "attention_weights").stdout)

    def test_what_follows_from_ones_own_rounded_numbers_is_right(self):
        # 0.06·[1 2 3] + 0.47·[2 8 0] + 0.47·[2 6 3]: from the weights as they were written.
        done = quiz(EXAMPLE, ["0.06 0.47 0.47", "skip", "skip", "1.94 6.70 1.59", "quit"],
                    "--steps", "attention_weights,context")
        self.assertEqual(done.stdout.count("Right"), 3, done.stdout)  # with the table's row

    def test_closed_cells_take_what_people_write_there(self):
        problem = os.path.join(DATA, "worked-example-causal.json")
        scores = trace_of(problem)["masked_scores"]["data"]
        for closed in ("-inf", "-∞", "−∞", "-", "–"):
            row = [closed if number == "-inf" else written(number) for number in scores[0]]
            done = quiz(problem, [" ".join(row), "quit"], "--steps", "masked_scores")
            self.assertIn("Right.", done.stdout, row)

    def test_back_asks_the_question_before_once_more(self):
        done = quiz(EXAMPLE, ["back", "2 4 4", "back", "2 4 4", "9 9 9", "skip", "back", "quit"], "--steps", "scores")
        self.assertIn("There is no question before this one.", done.stdout)
        self.assertEqual(done.stdout.count("1 of 3 · "), 2)
        self.assertIn("its answer has been shown", done.stdout)

    def test_a_right_answer_that_was_taken_back_is_no_wrong_one(self):
        for answers, code in ((["back"], 0), (["back", "9 9 9", "2 4 4"], 0), (["back", "9 9 9"], 1)):
            done = quiz(EXAMPLE, ["2 4 4", *answers, "quit"], "--steps", "scores")
            self.assertEqual(done.returncode, code, done.stdout)

    def test_whoever_has_all_right_is_given_harder_numbers(self):
        for difficulty, harder in ((1, 4), (3, 4), (4, 5), (5, 5)):
            with tempfile.TemporaryDirectory() as folder:
                problem = os.path.join(folder, "problem.json")
                run("exercise", "--difficulty", str(difficulty), "--seed", "1", "-o", problem)
                steps = json.loads(run("run", problem, "--format", "json").stdout)["steps"]
                keys = next(step for step in steps if step["id"] == "keys")
                answers = [" ".join(map(str, row)) for row in keys["data"]]
                said = quiz(problem, answers, "--steps", "keys").stdout
            self.assertIn("everything was right at the first try", said)
            self.assertIn(f"--difficulty {harder}", said)
            self.assertNotIn("To practise that", said)

    def practised(self, name, problem, answers, *more):
        """The command that makes another problem, after these answers to one in a file of that name."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, name)
            with open(path, "w", encoding="utf-8") as file:
                json.dump(problem, file)
            said = quiz(path, answers, *more).stdout
        return " ".join(re.search("attn exercise .*(?=attn quiz)", said, re.S)[0].split())

    def test_where_nothing_is_worked_out_only_what_is_named_is_asked(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "empty.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump({"inputs": [[1, 2], [3, 4]], "block": {"layers": [{}]}}, file)
            done = quiz(path, [])
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("there is nothing to ask: no step of it is to be worked out\n  help: name steps: --steps result",
                          done.stderr)
            self.assertIn("everything was right at the first try", quiz(path, ["1 2", "3 4"], "--steps", "result").stdout)

    def test_where_nothing_attends_no_attention_is_practised(self):
        with open(os.path.join(DATA, "block-by-hand.json"), encoding="utf-8") as file:
            block = json.load(file)
        layer, = block["block"]["layers"]
        for layers, is_practised in (([layer], True), ([{"ffn": layer["ffn"], "norm1": layer["norm2"]}], False)):
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "block.json")
                with open(path, "w", encoding="utf-8") as file:
                    json.dump({**block, "block": {**block["block"], "layers": layers}}, file)
                said = quiz(path, [""] * 100, "--tries", "1").stdout
            self.assertIn("not right at the first try", said)
            self.assertEqual("To practise that" in said, is_practised)

    def test_another_problem_gets_a_file_of_its_own(self):
        problem = {"queries": [[1, 0]], "keys": [[1, 1], [0, 2]], "values": [[1, 0], [0, 1]], "score": "dot"}
        for name, other in (("mine.json", "practice.json"), ("practice.json", "practice-2.json")):
            self.assertTrue(self.practised(name, problem, ["1 0"], "--steps", "scores").endswith(" -o " + other), name)

    def test_queries_that_are_given_are_looked_at_as_inputs_are(self):
        problem = {"queries": [[3, 0]], "keys": [[1, 1], [0, 1]], "values": [[1, 0], [0, 1]], "score": "dot"}
        self.assertIn("--difficulty 5", self.practised("mine.json", problem, ["3 0"], "--steps", "scores"))
        problem["queries"] = [[1, 0]]
        self.assertIn("--difficulty 4", self.practised("mine.json", problem, ["1 0"], "--steps", "scores"))

    def test_what_closes_a_cell_makes_no_number_hard(self):
        problem = {"queries": [[1, 0]], "keys": [[1, 1], [0, 1]], "values": [[1, 0], [0, 1]], "score": "dot",
                   "mask": {"add": [[1, "-inf"]]}}
        said = self.practised("mine.json", problem, ["1 0"], "--steps", "scores")
        self.assertIn("--difficulty 4", said)
        problem["mask"] = {"add": [[7, "-inf"]]}
        self.assertIn("--difficulty 5", self.practised("mine.json", problem, ["1 0"], "--steps", "scores"))

    def test_a_part_of_a_wide_problem_is_practised_in_a_small_one(self):
        wide = {"inputs": {"random": "normal", "shape": [12, 16], "seed": 1},
                "weights": {name: {"random": "normal", "shape": [16, size], "seed": size}
                            for name, size in (("query", 9), ("key", 9), ("value", 5))}}
        said = self.practised("wide.json", wide, ["0", "quit"])
        self.assertIn("--inputs 6 --d-v 5 ", said)
        self.assertNotIn("--d-k", said)

    def test_what_is_said_to_practise_with_can_be_made(self):
        with tempfile.TemporaryDirectory() as folder:
            names = ["ragged-batch", "alibi", "apple-two-contexts", "twelve-words", "tom-yeh-three-heads"]
            for name in [*share(names, 5), "tensors-from-files", "precision-mask-by-adding"]:
                said = quiz(os.path.join(DATA, name + ".json"), ["", ""]).stdout
                made = re.search(r"attn (exercise --inputs .*)", said)
                done = subprocess.run([ATTN, *made[1].split()], cwd=folder, env=ENVIRONMENT, capture_output=True, timeout=300)
                self.assertEqual(done.returncode, 0, (name, made[0], done.stderr))
                os.remove(os.path.join(folder, "practice.json"))

    def test_the_end_of_input_ends_with_what_there_is(self):
        for text in ("", "2 4 4\n", "2 4 4\n4 16", "quit\n", "\0\n"):
            done = run("quiz", EXAMPLE, "--steps", "scores", text=text)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("How it went", done.stdout)

    def test_whoever_has_had_enough_says_so_in_any_of_the_usual_words(self):
        usual = quiz(EXAMPLE, ["quit"]).stdout.split("How it went")[1]
        for word in ("q", "exit", "Quit", " QUIT\t", "quit\r"):
            self.assertEqual(quiz(EXAMPLE, [word, "2 4 4"]).stdout.split("How it went")[1], usual, word)
        shown = [quiz(EXAMPLE, [word]).stdout.count("What is given") for word in ("help", "?")]
        self.assertEqual(shown, [2, 2])

    def test_lines_without_an_end_take_no_memory(self):
        done = subprocess.run(f"head -c 30000000 /dev/zero | '{ATTN}' quiz '{EXAMPLE}' | tail -c 200", shell=True,
                              capture_output=True, env=ENVIRONMENT, timeout=60)
        self.assertEqual(done.returncode, 0)

    def test_long_rows_are_asked_number_by_number_and_large_problems_in_part(self):
        problem = {"inputs": {"random": "normal", "shape": [12, 16], "seed": 1}}
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "large.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(problem, file)
            done = quiz(path, ["quit"])
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("large problem", done.stdout)
            self.assertIn("one number", done.stdout)
            self.assertLessEqual(int(QUESTION.search(done.stdout)[2]), 40)

    def test_options_that_mean_nothing_are_refused(self):
        for words, says in ((["-"], "standard input"), ([EXAMPLE, "--tries", "0"], "--tries"),
                            ([EXAMPLE, "--steps", "nothing"], "no step"), ([EXAMPLE, "--batch", "2"], "--batch"),
                            ([EXAMPLE, "--transcript", "t.txt"], "*.json"),
                            ([EXAMPLE, "--steps", "inputs"], "")):
            done = run("quiz", *words)
            self.assertIn(done.returncode, (2,) if says else (0, 2), words)
            self.assertIn(says, done.stderr)
        self.assertEqual(run("quiz", EXAMPLE, "--transcript", "/nowhere/t.json").returncode, 3)
        with tempfile.TemporaryDirectory(suffix=".json") as folder:
            done = run("quiz", EXAMPLE, "--transcript", folder)
            self.assertEqual(done.returncode, 3)
            self.assertIn("it is a directory", done.stderr)
        done = run("quiz", EXAMPLE, "--transcript", EXAMPLE)
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"`--transcript {EXAMPLE}` would replace a file that is read here", done.stderr)
        self.assertIn("^", done.stderr)


class Transcript(unittest.TestCase):
    def test_it_is_read_by_check_with_the_same_verdict(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "mine.json")
            for lines, code, verdict in ((["2 4 4", "4 16 12", "4 12 10"], 0, "right"),
                                         (["2 4 4", "", "4 12 10"], 0, "incomplete"),
                                         (["2 4 4"], 0, "incomplete"), ([], 0, "incomplete"), (["?"], 0, "incomplete"),
                                         (["1 1 1", "1 1 1", "1 1 1", "4 16 12", "4 12 10"], 1, "wrong")):
                done = quiz(EXAMPLE, lines, "--steps", "scores", "--transcript", path)
                self.assertEqual(done.returncode, code, (lines, done.stdout))
                checked = run("check", EXAMPLE, path, "--format", "json")
                self.assertEqual(checked.returncode, code, checked.stderr)
                self.assertEqual(json.loads(checked.stdout)["verdict"], verdict, lines)

    def test_numbers_stand_there_as_they_were_typed(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "mine.json")
            quiz(EXAMPLE, ["2.0 4/1 4", "skip", "skip"], "--steps", "scores", "--transcript", path)
            with open(path, encoding="utf-8") as file:
                steps = json.load(file)["steps"]
            self.assertEqual(steps["scores"], [["2.0", "4/1", "4"], [None] * 3, [None] * 3])

    def test_every_step_that_was_answered_stands_there(self):
        steps = trace_of(EXAMPLE)
        lines = [" ".join(f"{number:g}" for number in row) for id in ("queries", "scores") for row in steps[id]["data"]]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "mine.json")
            quiz(EXAMPLE, lines, "--steps", "scores,queries", "--transcript", path)
            with open(path, encoding="utf-8") as file:
                written = json.load(file)["steps"]
        self.assertEqual({id: [[float(number) for number in row] for row in rows] for id, rows in written.items()},
                         {id: steps[id]["data"] for id in ("queries", "scores")})


class Secrets(unittest.TestCase):
    """Whatever the problem, no line that is said before the answer has to be given has it."""

    PROBLEMS = ("worked-example", "worked-example-causal", "worked-example-scaled", "cross-attention", "softmax-sink",
                "score-cosine", "score-additive", "tom-yeh-three-heads", "rope", "alibi", "relative", "zero-key",
                "block-by-hand", "ragged-batch", "softcap", "masks-together", "cache-new-token", "softmax-linear")

    def test_no_answer_is_given_away(self):
        for name in share(self.PROBLEMS, 5):
            with self.subTest(problem=name):
                self.follow(os.path.join(DATA, name + ".json"))

    def follow(self, problem):
        """Asks for hints, and answers wrong: by numbers from nowhere, or by those of the row before."""
        dialogue = Dialogue(problem)
        asked, row_before = 0, ""
        while not dialogue.is_over():
            wanted = re.findall(r"(\d+) numbers|one number", dialogue.said)
            count = int(wanted[-1] or 1)
            if len(row_before.split()) != count or asked % 3 == 0:
                row_before = " ".join(["-7.77"] * count)
            before = [dialogue.say("hint"), dialogue.say(row_before)] if asked % 2 else [dialogue.say(row_before)]
            if "Right" in before[-1]:
                asked += 1
                continue
            before.append(dialogue.say("hint"))
            shown = dialogue.say("skip")
            results = RESULT.findall(QUESTION.split(shown.split("This is how it goes:")[1])[0])
            self.assertTrue(results, shown)
            for hint in before:
                for result in results:
                    self.assertNotIn(result, RESULT.findall(hint), (problem, hint, shown))
            numbers = [result.split(" ", 1)[1].replace("−", "-") for result in results]
            for hint in before:
                # Nor as a row of numbers, but for that of which the largest is sought.
                self.assertFalse(len(numbers) > 2 and "max(" not in hint and ", ".join(numbers) in hint, (problem, hint))
            row_before = " ".join(number.strip("[]").replace(",", "") for number in numbers)
            asked += 1
        self.assertGreater(asked, 5, problem)
        dialogue.end()


class Terminal(unittest.TestCase):
    def test_in_a_terminal_it_is_the_same_with_colour(self):
        try:
            import pty
            leader, follower = pty.openpty()
        except (ImportError, OSError):
            self.skipTest("no pseudo-terminal here")
        process = subprocess.Popen([ATTN, "quiz", EXAMPLE, "--steps", "scores"], stdin=follower, stdout=follower,
                                   stderr=follower, env={**ENVIRONMENT, "TERM": "xterm"}, start_new_session=True)
        os.close(follower)
        os.write(leader, b"2 4 4\nquit\n")
        said = b""
        try:
            while chunk := os.read(leader, 4096):
                said += chunk
        except OSError:
            pass
        self.assertEqual(process.wait(timeout=60), 0)
        os.close(leader)
        self.assertIn(b"\x1b[", said)
        self.assertIn("How it went", said.decode("utf-8"))


if __name__ == "__main__":
    unittest.main()
