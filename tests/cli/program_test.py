"""The program as a script meets it: words in, words and exit codes out."""

import csv
import ctypes
import io
import json
import math
import os
import re
import shlex
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import unittest
from xml.etree import ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "property"))

from slow import share
from terminal import in_terminal

ATTN = os.path.abspath(os.environ["ATTN"])
ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
DATA = os.path.join(ROOT, "data")
EXAMPLE = os.path.join(DATA, "worked-example.json")
BLOCK = os.path.join(DATA, "block-by-hand.json")


def attn(*words, text=None, env=None, folder=None):
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", **(env or {})}
    return subprocess.run([ATTN, *words], input=text, capture_output=True, encoding="utf-8", env=environment,
                          cwd=folder, timeout=60)


def as_anybody():
    """Takes from root, in a process that is about to be another program, the right to read and write everything."""
    if os.geteuid() == 0:
        drop, override, read_search = 24, 1, 2  # linux/prctl.h, linux/capability.h
        for capability in (override, read_search):
            if ctypes.CDLL(None).prctl(drop, capability, 0, 0, 0) != 0:
                os._exit(125)


def attn_as_anybody(*words):
    return subprocess.run([ATTN, *words], capture_output=True, encoding="utf-8", timeout=60, preexec_fn=as_anybody,
                          env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"})


class ProgramTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="attn-cli-")
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name, text=None):
        path = os.path.join(self.folder, name)
        if text is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return path

    def assert_complains(self, done, code, *parts):
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stdout, "")
        for part in parts:
            self.assertIn(part, done.stderr)


class Commands(ProgramTest):
    def test_a_word_behind_two_dashes_is_not_dropped(self):
        self.assert_complains(attn("run", EXAMPLE, "--", "extra"), 2, "`extra` is one argument too many")
        self.assert_complains(attn("run", "--", EXAMPLE, "extra"), 2, "`extra` is one argument too many")
        self.assertEqual(attn("run", "--", EXAMPLE).stdout, attn("run", EXAMPLE, "--").stdout)

    def test_a_file_may_be_called_like_a_flag_with_a_value(self):
        with open(EXAMPLE, encoding="utf-8") as file:
            self.path("--full=x.json", file.read())
        done = attn("run", "--", "--full=x.json", folder=self.folder)
        self.assertEqual((done.returncode, done.stdout), (0, attn("run", EXAMPLE).stdout))
        self.assert_complains(attn("run", "--full=x.json", folder=self.folder), 2, "`--full` takes no value")

    def test_a_file_alone_is_run(self):
        self.assertEqual(attn(EXAMPLE).stdout, attn("run", EXAMPLE).stdout)
        self.assertEqual(attn("--format", "json", EXAMPLE).stdout, attn("run", EXAMPLE, "--format", "json").stdout)

    def test_the_demo_is_the_worked_example_and_needs_no_file(self):
        self.assertEqual(attn("demo", folder=self.folder).stdout, attn("run", EXAMPLE, "--brief").stdout)
        self.assertEqual(attn("demo", folder=self.folder).returncode, 0)

    def test_the_demo_is_brief_unless_more_is_asked_for(self):
        self.assertLessEqual(len(attn("demo").stdout.splitlines()) + 4, 155)
        self.assertEqual(attn("demo", "--brief").stdout, attn("demo").stdout)
        for more in (["--full"], ["--query", "2"], ["--explain", "rows"], ["--only", "A,C"], ["--format", "html"],
                     ["--format", "json"]):
            self.assertEqual(attn("demo", *more).stdout.replace("worked-example.json", ""),
                             attn("run", EXAMPLE, *more).stdout.replace("worked-example.json", ""), more)

    def test_a_dash_is_standard_input(self):
        with open(EXAMPLE, encoding="utf-8") as file:
            self.assertEqual(attn("-", "--format", "json", text=file.read()).stdout,
                             attn(EXAMPLE, "--format", "json").stdout)

    def test_a_file_needs_no_ending_to_be_run(self):
        shutil.copy(EXAMPLE, self.path("problem"))
        done = attn("problem", folder=self.folder)
        self.assertEqual((done.returncode, done.stdout), (0, attn("run", EXAMPLE).stdout))

    def test_help_is_asked_for_in_many_words(self):
        whole = attn("--help").stdout
        for words in (["-h"], ["help"], ["help", "help"], ["help", "--help"]):
            self.assertEqual((attn(*words).returncode, attn(*words).stdout), (0, whole), words)
        self.assertEqual(attn("help", "run").stdout, attn("run", "--help").stdout)

    def test_help_lists_every_command_and_is_no_error(self):
        done = attn("--help")
        self.assertEqual(done.returncode, 0)
        for command in ("run", "demo", "golden", "schema"):
            self.assertIn(command, done.stdout)
            self.assertEqual(attn(command, "--help").returncode, 0)

    def test_the_version_is_printed(self):
        self.assertRegex(attn("--version").stdout, r"^attn \d+\.\d+\.\d+\ncpu: .*\d processors?\ncuda: .*\n")

    def test_without_a_word_it_explains_itself_and_exits_2(self):
        done = attn()
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("run", done.stderr)

    def test_a_mistyped_command_is_guessed(self):
        self.assert_complains(attn("rnu", EXAMPLE), 2, "`rnu`", "did you mean `run`?")
        self.assert_complains(attn("goldn", EXAMPLE), 2, "did you mean `golden`?")

    def test_a_mistyped_option_is_guessed(self):
        self.assert_complains(attn("run", EXAMPLE, "--formt", "json"), 2, "`--formt`", "did you mean `--format`?")
        self.assert_complains(attn("golden", "--updaet", EXAMPLE), 2, "did you mean `--update`?")

    def test_a_mistyped_value_is_guessed(self):
        for option, value, meant in (("--format", "jsn", "json"), ("--explain", "cell", "cells"),
                                     ("--color", "allways", "always"), ("--dtype", "f46", "f64"), ("--dtype", "b16", "bf16"),
                                     ("--only", "scroes", "scores"), ("--backend", "cdua", "cuda")):
            self.assert_complains(attn("run", EXAMPLE, option, value), 2, f"`{value}`", f"did you mean `{meant}`?")

    def test_dtypes_are_called_as_frameworks_call_them_and_written_as_ours(self):
        with open(EXAMPLE, encoding="utf-8") as file:
            problem = json.load(file)
        for ours, called in (("f64", ("float64", "double")), ("f32", ("float32", "float", "single")),
                             ("f16", ("float16", "half")), ("bf16", ("bfloat16",))):
            usual = attn("run", EXAMPLE, "--format", "json", "--dtype", ours).stdout
            self.assertEqual(json.loads(usual)["arithmetic"]["dtype"], ours)
            for name in called:
                with self.subTest(name):
                    self.assertEqual(attn("run", EXAMPLE, "--format", "json", "--dtype", name).stdout, usual)
                    stated = json.dumps({**problem, "arithmetic": {"dtype": name}})
                    self.assertEqual(json.loads(attn("-", "--format", "json", text=stated).stdout)["arithmetic"]["dtype"], ours)
        timed = attn("bench", "--shape", "1,1,2,2", "--repeat", "1", "--dtype", "float", "--json")
        self.assertEqual(json.loads(timed.stdout)["shapes"][0]["workload"]["dtype"], "f32")
        self.assert_complains(attn("run", EXAMPLE, "--dtype", "bfloat61"), 2, "did you mean `bfloat16`?")

    def test_a_value_out_of_range_says_the_range(self):
        self.assert_complains(attn("run", EXAMPLE, "--query", "4"), 2, "1 to 3")
        self.assert_complains(attn("run", EXAMPLE, "--query", "0"), 2, "1 to 3")
        self.assert_complains(attn("run", EXAMPLE, "--query", "-1"), 2, "--query")
        self.assert_complains(attn("run", EXAMPLE, "--head", "2"), 2, "--head")
        self.assert_complains(attn("run", EXAMPLE, "--precision", "18"), 2, "0 to 17")
        self.assert_complains(attn("run", EXAMPLE, "--threads", "0"), 2, "--threads")
        self.assert_complains(attn("run", EXAMPLE, "--hand-rounding", "2:up"), 2, "--hand-rounding")

    def test_an_empty_value_is_a_wrong_value(self):
        options = ("--format", "-o", "--color", "--math", "--theme", "--precision", "--explain", "--only", "--batch",
                   "--head", "--query", "--dtype", "--hand-rounding", "--backend", "--threads", "--instructions",
                   "--max-memory")
        for words in [("run", EXAMPLE, option) for option in options] + [
                ("golden", EXAMPLE, "--rtol"), ("golden", EXAMPLE, "--atol"), ("why", EXAMPLE, "scores[1,1]", "--depth"),
                ("check", EXAMPLE, "-", "--digits"), ("check", EXAMPLE, "--template"), ("diff", EXAMPLE, EXAMPLE, "--only"),
                ("bench", "--shape"), ("bench", "--seconds"), ("bench", "--kernel"), ("bench", "--python")]:
            with self.subTest(words):
                for nothing in ("", "  "):
                    self.assert_complains(attn(*words, nothing), 2, f"what stands behind `{words[-1]}` is empty")
                if words[-1].startswith("--"):
                    self.assert_complains(attn(*words[:-1], words[-1] + "="), 2, f"`{words[-1]}` is empty")
        for words in (("",), ("run", ""), ("why", EXAMPLE, ""), ("diff", EXAMPLE, ""), ("schema", ""), ("list", "")):
            with self.subTest(words):
                self.assert_complains(attn(*words), 2, "an argument is empty")

    def test_an_argument_too_many_is_named(self):
        self.assert_complains(attn("run", EXAMPLE, "extra"), 2, "`extra`")
        self.assert_complains(attn("run"), 2, "FILE")

    def test_a_golden_that_is_run_is_told_to_be_one_in_one_error(self):
        golden = EXAMPLE.replace(".json", ".golden.json")
        for words in (("run", golden), ("why", golden, "scores[1,1]"), (golden, "--format", "json", "--only", "context")):
            done = attn(*words)
            self.assert_complains(done, 2, "this is a trace", "x.json of the golden x.golden.json")
            self.assertEqual(done.stderr.count("this is a trace"), 1)
        self.assertEqual(attn("run", golden).stderr.count("error: "), 1)

    def test_what_is_divided_by_zero_is_not_called_too_large(self):
        problem = '{"queries": [[1, 0]], "keys": [[0, 1]], "values": [[1]], "score": "dot", "softmax": "linear"}'
        (note,) = json.loads(attn("-", "--format", "json", text=problem).stdout)["notes"]
        self.assertEqual((note["step"], note["index"]), ("attention_weights", [0, 0]))
        self.assertIn("attention_weights[1,1] is nan: 0/0", note["message"])
        self.assertNotIn("too large", note["message"])

    def test_all_faults_of_a_file_are_counted(self):
        file = self.path("many.json", '{"inputs": [[1]], "heads": 1' + ', "heads": 1' * 200_000 + "}")
        self.assertTrue(attn(file).stderr.endswith("\nand 199980 more\n"))

    def test_bytes_of_the_command_line_reach_the_terminal_only_as_text(self):
        for words in (["\x1b[31mx"], ["run", EXAMPLE, "--\x1b]0;x"], ["run", EXAMPLE, "--format", "\x1b[31m"],
                      ["run", "\x1b[31m.json"]):
            done = attn(*words)
            self.assertNotEqual(done.returncode, 0)
            self.assertNotIn("\x1b", done.stderr + done.stdout)

    def test_what_changes_nothing_for_a_program_is_refused(self):
        for name in ("json", "csv", "npz", "safetensors"):
            for option in (["--precision", "3"], ["--explain", "rows"], ["--full"], ["--color", "always"]):
                with self.subTest(format=name, option=option):
                    done = attn("run", EXAMPLE, "--format", name, *option)
                    message = f"`{option[0] if option[0] != '--color' else '--color always'}` changes nothing in {name}"
                    self.assert_complains(done, 2, message, "leave")
                    beside = attn("run", EXAMPLE, "-o", self.path("t." + name), "-o", self.path("t.txt"), *option)
                    self.assertEqual((beside.returncode, beside.stderr), (0, ""))
        self.assertEqual(attn("demo", "--format", "json", "--color", "never").returncode, 0)

    def test_a_program_is_given_whole_steps(self):
        self.assert_complains(attn("run", EXAMPLE, "--format", "json", "--query", "1"), 2, "--query", "json")

    def test_two_dashes_end_the_options(self):
        self.assertEqual(attn("run", "--", EXAMPLE).returncode, 0)

    def test_standard_error_that_cannot_be_written_changes_no_exit_code(self):
        for words, code in ((["nosuch"], 2), ([], 2), (["run", "/no/such/file.json"], 2), ([EXAMPLE], 0)):
            with open("/dev/full", "w") as full:
                done = subprocess.run([ATTN, *words], stdout=subprocess.DEVNULL, stderr=full, timeout=60)
            self.assertEqual(done.returncode, code, words)

    def test_any_machine_has_something_to_compute_on(self):
        words = ("run", EXAMPLE, "--format", "csv", "--only", "scores", "--backend")
        shown = attn(*words, "auto")
        self.assertEqual((shown.returncode, shown.stderr), (0, ""))
        self.assertEqual(shown.stdout, attn(*words, "cpu").stdout)

    def test_the_cuda_backend_is_missing_with_code_3_and_says_how_to_get_it(self):
        about = attn("--version").stdout
        if "built without CUDA" not in about:
            self.skipTest("this attn is built with CUDA")
        self.assertIn("-DATTN_CUDA=ON", about)
        self.assert_complains(attn("run", EXAMPLE, "--backend", "cuda"), 3, "without CUDA", "-DATTN_CUDA=ON")


class MistakesOnTheCommandLine(ProgramTest):
    def pointed(self, *words, folder=DATA):
        """What the carets stand below, and the line they point into."""
        done = attn(*words, folder=folder)
        self.assertIn(done.returncode, (2, 3), done.stderr)
        message, line, carets, help_line = done.stderr.split("\n", 3)
        self.assertTrue(message.startswith("attn: error: "), done.stderr)
        self.assertRegex(carets, r"^ +\^+$")
        self.assertTrue(help_line.startswith("  help: "), done.stderr)
        return line[carets.index("^"):len(carets)], line

    def test_the_word_that_is_wrong_is_pointed_out(self):
        file = "worked-example.json"
        for words, meant in ((("--halp",), "--halp"), (("run", file, "--dtyp", "f32"), "--dtyp"),
                             (("run", file, "--dtype", "f33"), "f33"), (("run", file, "--dtype=f33"), "f33"),
                             (("run", file, "--precision", "abc"), "abc"), (("rnu",), "rnu"),
                             (("help", "rnu"), "rnu"), (("run", file, "more"), "more"),
                             (("run", file, "--full=3"), "--full"), (("run", file, "--only", "scores,scroes"), "scroes"),
                             (("run", file, "--only", "scr*"), "scr*"), (("why", file, "S", "--top", "0"), "0"),
                             (("why", file, "X[1,1]", "--top", "2"), "--top"),
                             (("run", file, "--query", "1", "--query", "2"), "--query"),
                             (("run", file, "--query", "7"), "7"), (("run", file, "--threads", "0"), "0"),
                             (("run", file, "--hand-rounding", "99"), "99"), (("run", file, "-o", "x.pdf"), "x.pdf"),
                             (("run", file, "--max-memory", "little"), "little"),
                             (("run", file, "--max-memory", "10"), "--max-memory"),
                             (("run", file, "-o", "x.json", "--full"), "--full"),
                             (("run", file, "--backend", "quda"), "quda"), (("why", file, "scroes[1,2]"), "scroes[1,2]"),
                             (("why", file, "scores", "--depth", "1"), "--depth"), (("list", "maks"), "maks"),
                             (("mistakes", "scal"), "scal"), (("schema", "problems"), "problems"),
                             (("completion", "csh"), "csh"), (("man", "rnu"), "rnu"),
                             (("check", file, "x.json", "--reveal", "all"), "all"),
                             (("check", file, "x.json", "--digits", "2"), "--digits"),
                             (("check", file, "-", "-"), "-"), (("diff", "-", "-"), "-"),
                             (("golden", file, "--rtol", "x"), "x"), (("golden", "-"), "-"),
                             (("bench", "--shape", "1,2"), "1,2"), (("bench", "--python", "python3"), "--python")):
            with self.subTest(words):
                found, line = self.pointed(*words)
                self.assertEqual(found, meant)
                self.assertTrue(line.startswith("attn " + words[0]), line)

    def test_a_list_of_nothing_is_no_value(self):
        for typed in (",", ",,"):
            done = attn("run", EXAMPLE, "--only", typed)
            self.assert_complains(done, 2, "nothing stands behind `--only`", "attn run --help tells what it takes")

    def test_what_is_missing_is_missing_behind_the_end(self):
        for words in (("check",), ("check", "worked-example.json"), ("run", "worked-example.json", "--dtype"), ("why", "x.json")):
            with self.subTest(words):
                self.assertEqual(self.pointed(*words), ("", "attn " + " ".join(words)))

    def test_what_is_too_long_to_read_is_cut(self):
        long = "x" * 100_000
        for words in (("run", "worked-example.json", "--format", long), ("run", "worked-example.json", "--precision", long),
                      ("run", "worked-example.json", "--only", long), ("run", "worked-example.json", "--query", long),
                      ("run", "worked-example.json", "--hand-rounding", long), ("run", "worked-example.json", "-o", long),
                      ("run", "worked-example.json", "--max-memory", long), ("run", "worked-example.json", "--" + long),
                      ("run", "worked-example.json", long), ("run", long), ("why", "worked-example.json", long),
                      ("why", "worked-example.json", f"scores[{long}]"), ("list", long), ("help", long), ("mistakes", long),
                      ("check", "worked-example.json", long), ("check", "worked-example.json", "--template", "json", "--steps", long),
                      ("golden", "worked-example.json", "--rtol", long), ("diff", "worked-example.json", long),
                      ("bench", "--shape", long), ("bench", "--seconds", long)):
            with self.subTest(words[:-1]):
                done = attn(*words, folder=DATA)
                self.assertEqual(done.returncode, 2)
                self.assertIn("…", done.stderr)
                self.assertLess(len(done.stderr), 1000)

    def test_the_most_decimals_are_named(self):
        self.assert_complains(attn("run", EXAMPLE, "--hand-rounding", "13"), 2, "at most 12")
        self.assertEqual(attn("run", EXAMPLE, "--hand-rounding", "12").returncode, 0)

    def test_an_option_that_is_given_twice_is_told_in_plain_words(self):
        self.assert_complains(attn("run", EXAMPLE, "--query", "1", "--query", "2"), 2, "`--query` is given more than once",
                              "help: leave one of them out")
        for end in ((), ("--full",)):
            self.assertEqual(self.pointed("run", "x.json", "--query", "1", "--query", "2", *end)[0], "--query")

    def test_a_step_is_pointed_out_where_it_was_asked_for(self):
        found, line = self.pointed("check", "worked-example.json", "--template", "text", "--steps", "A,zz", "-o", "pizza-zz.txt")
        self.assertEqual((found, line.index("zz")), ("zz", line.index("A,zz") + 2))

    def test_a_terminal_of_one_column_is_no_reason_to_crash(self):
        for columns in (1, 2, 3):
            code, written = in_terminal([ATTN, "run", EXAMPLE, "x" * 50], columns)
            self.assertEqual(code, 2)
            self.assertIn(b"^", written)

    def test_a_backend_that_is_missing_is_said_once_for_all_files(self):
        if "built without CUDA" not in attn("--version").stdout:
            self.skipTest("this attn is built with CUDA")
        answers = self.path("answers.json", '{"steps": {"scores": [[1]]}}')
        for words in (("golden", EXAMPLE, EXAMPLE, EXAMPLE), ("diff", EXAMPLE, EXAMPLE), ("check", EXAMPLE, answers, answers)):
            done = attn(*words, "--backend", "cuda")
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("error:")), (3, "", 1), done.stderr)

    def test_a_file_of_tensors_that_is_run_is_told_what_it_is_for(self):
        file = os.path.join(ROOT, "tests", "cli", "bad", "encoding-npz.json")
        for command in (("run",), ("why",), ("check",)):
            words = [*command, file] + (["S"] if command == ("why",) else ["x.json"] if command == ("check",) else [])
            self.assert_complains(attn(*words), 2, "numpy arrays (.npz)", '{"file": "x.npz", "tensor": "q"}', "attn diff")

    def test_a_word_with_blanks_has_quotes(self):
        self.assertEqual(self.pointed("run", "my problem.json", "--ful"), ("--ful", "attn run 'my problem.json' --ful"))

    def test_a_long_line_is_cut_to_the_terminal(self):
        code, shown = in_terminal([ATTN, "check", "worked-example.json", *["somebody-else.json"] * 30, "--rtool"], columns=50)
        self.assertEqual(code, 2)
        lines = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in shown.decode().split("\n")]
        self.assertRegex(lines[1], r"^…[a-z. -]*--rtool$")
        self.assertEqual(lines[2].index("^"), lines[1].index("--rtool"))
        self.assertLessEqual(len(lines[1]), 50)


class PartsAndSteps(ProgramTest):
    """What picks a part of a problem, where there is none, or two things are asked for."""

    def test_a_part_and_a_layer_are_not_both_picked(self):
        done = attn("run", BLOCK, "--part", "layer1.self", "--layer", "1")
        self.assert_complains(done, 2, "--part and --layer both say which part", "help: give the one or the other")
        done = attn("run", BLOCK, "--layer", "1", "--only", "layer1.self.scores")
        self.assert_complains(done, 2, "--only picks steps", "help: give the one or the other")

    def test_where_there_is_no_block_there_is_no_part(self):
        for option in ("--part", "--layer"):
            self.assert_complains(attn("run", EXAMPLE, option, "1"), 2, f"`{option}` picks a part of a block",
                                  f"help: leave {option} out")

    def test_a_part_that_is_not_there_is_met_with_those_that_are(self):
        self.assert_complains(attn("run", BLOCK, "--layer", "2"), 2, "`--layer 2` picks no part", "from 1 to 1")
        self.assert_complains(attn("run", BLOCK, "--layer", "x"), 2, "`--layer x` picks no part", "from 1 to 1")
        self.assert_complains(attn("run", BLOCK, "--part", "layer1.slef"), 2, "did you mean layer1.self?")
        self.assert_complains(attn("run", BLOCK, "--part", "elsewhere"), 2, "there are layer1.self, ", "layer1.ffn")

    def test_the_symbol_of_several_steps_is_answered_with_their_ids(self):
        decoder = self.path("decoder.json", attn("exercise", "--block", "decoder", "--seed", "3").stdout)
        for words in (("run", decoder, "--only", "S"), ("check", decoder, "--template", "json", "--steps", "S")):
            self.assert_complains(attn(*words), 2, "`S` is the symbol of several steps: ",
                                  "layer1.self.scores, layer1.cross.scores", "write the id of one")

    def test_at_once_is_the_result_and_no_other_step(self):
        for more in (["--only", "scores"], ["--only", "scores,context"], ["--explain", "rows"], ["--pause"]):
            self.assert_complains(attn("run", EXAMPLE, "--at-once", *more), 2, "--at-once computes the result alone",
                                  "help: leave out the one or the other")
        for more in (["--layer", "1"], ["--part", "layer1.self"]):
            self.assert_complains(attn("run", BLOCK, "--at-once", *more), 2, "--at-once computes the result alone",
                                  "help: leave out the one or the other")
        self.assert_complains(attn("run", BLOCK, "--at-once", "--layer", "1", "--format", "json"), 2,
                              "--at-once computes the result alone")
        self.assert_complains(attn("run", EXAMPLE, "--at-once", "--algorithm", "online"), 2,
                              "--algorithm is how the steps go through the keys, and --at-once computes none",
                              "help: leave out the one or the other")
        for more in (["--explain", "result"], ["--only", "context"], ["--only", "context,context"]):
            self.assertEqual(attn("run", EXAMPLE, "--at-once", *more).returncode, 0, more)
        trace = json.loads(attn("run", EXAMPLE, "--at-once", "--format", "json").stdout)
        self.assertEqual([step["id"] for step in trace["steps"]], ["context"])

    def test_at_once_is_a_block_s_logits_as_well_where_nothing_else_is_asked_for(self):
        model = os.path.join(DATA, "induction.json")
        trace = json.loads(attn("run", model, "--at-once", "--only", "logits", "--format", "json").stdout)
        self.assertEqual([step["id"] for step in trace["steps"]], ["logits"])
        self.assert_complains(attn("run", model, "--at-once", "--only", "logits,result"), 2, "--at-once")
        done = attn("run", EXAMPLE, "--at-once", "--only", "context", "-o", self.path("x.json"))
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        with open(self.path("x.json"), encoding="utf-8") as file:
            self.assertEqual([step["id"] for step in json.load(file)["steps"]], ["context"])

    def test_of_a_large_problem_the_result_alone_is_shown_without_its_steps(self):
        vectors = {"random": "normal", "shape": [2100, 3]}
        large = json.dumps({"queries": {**vectors, "seed": 1}, "keys": {**vectors, "seed": 2}})
        shown = attn("run", "-", "--explain", "result", "--only", "context", text=large)
        self.assertEqual(shown.returncode, 0, shown.stderr)
        whole = attn("run", "-", "--explain", "result", text=large).stdout
        self.assertEqual(shown.stdout.split("\n\n", 1)[1], whole.split("──────\n\n", 1)[1])
        both = attn("run", "-", "--explain", "result", "--only", "queries,context", text=large).stdout
        self.assertIn("  Q   Queries\n  [2100 × 3]", both)
        # The same numbers; and no note that nothing was between, as something was.
        self.assertEqual(shown.stdout.rsplit("Query 1 ", 1)[1].split("\n\n  Note: computed at once")[0] + "\n",
                         both.rsplit("Query 1 ", 1)[1])
        self.assert_complains(attn("run", "-", "--at-once", "--max-memory", "2000", text=large), 3,
                              "the result of this problem takes ", "help: give --max-memory ")
        self.assert_complains(attn("run", "-", "--max-memory", "2000", text=large), 3, "the steps of this problem take ")

    def test_geometry_takes_every_step_that_it_draws(self):
        for more in (["--only", "C"], ["--at-once"]):
            self.assert_complains(attn("run", EXAMPLE, "--geometry", *more), 2, "--geometry takes scores, weights and vectors",
                                  "help: leave out the one or the other")

    def test_geometry_is_of_the_query_that_is_asked_for_where_it_is_a_token(self):
        ragged = os.path.join(DATA, "ragged-batch.json")  # of 2, 4 and 3 tokens
        for more, where in ((["--query", "4"], "Sequence 2 of 3 · Query 4 · sleeps"),
                            (["--query", "3", "--batch", "3"], "Sequence 3 of 3 · Query 3 · barks"),
                            (["--query", "2"], "Sequence 1 of 3 · Query 2 · bark")):
            self.assertIn(where, attn("run", ragged, "--geometry", *more).stdout)
        self.assert_complains(attn("run", ragged, "--geometry", "--query", "4", "--batch", "1"), 2,
                              "vectors cannot be drawn: it has no query 4, or that is padding", "help: ")

    def test_what_is_no_text_is_not_written_to_a_terminal(self):
        said = on_terminal("run", EXAMPLE, "--format", "npz", "--color", "never").decode()
        self.assertIn("error: the format npz is not text, and standard output is a terminal", said)
        self.assertIn("help: write a file: -o trace.npz", said)
        self.assertIn("step,", on_terminal("run", EXAMPLE, "--format", "csv").decode())

    def test_what_has_every_step_takes_no_part_of_a_block(self):
        for option, value in (("--part", "layer1.self"), ("--layer", "1"), ("--at-once", None)):
            words = [option, value] if value else [option]
            done = attn("run", BLOCK, "--format", "ipynb", "-o", self.path("x.ipynb"), *words)
            if "--format" in done.stderr.split("help")[0] and done.returncode == 3:
                self.skipTest("this attn writes no notebooks")
            self.assert_complains(done, 2, "every step", f"help: leave {option} out")

    def test_what_is_narrowed_for_people_is_not_for_programs(self):
        for option in ("--batch", "--head", "--query"):
            done = attn("run", EXAMPLE, "--format", "csv", option, "1")
            self.assert_complains(done, 2, "narrow what people are shown", "csv holds whole steps: --only picks them")

    def test_weighted_values_that_are_asked_for_are_there_however_brief(self):
        words = ("run", EXAMPLE, "--brief", "--explain", "rows")
        self.assertNotIn("Weighted values", attn(*words).stdout)
        shown = attn(*words, "--only", "weighted_values").stdout
        self.assertIn("Weighted values: each value times its attention weight", shown)
        self.assertIn("2 more queries in the same way", shown)

    def test_brief_changes_nothing_in_chosen_matrices(self):
        done = attn("run", EXAMPLE, "--brief", "--explain", "steps", "--only", "scores")
        self.assert_complains(done, 2, "--brief changes nothing", "help: leave --brief out")
        self.assertEqual(attn("run", EXAMPLE, "--brief", "--explain", "steps").returncode, 0)

    def test_online_is_for_processors(self):
        done = attn("run", EXAMPLE, "--algorithm", "online", "--backend", "cuda")
        self.assert_complains(done, 2, "no kernel for a GPU goes through the keys step by step", "--backend cpu does")

    def test_answers_stand_behind_their_problem(self):
        for name in ("scores.csv", "anna.txt"):
            self.assert_complains(attn("check", name, EXAMPLE), 2, f"`{name}` is a file of answers by its ending",
                                  "attn check PROBLEM ANSWERS")

    def test_a_step_of_a_template_is_there_once(self):
        once = attn("check", EXAMPLE, "--template", "json", "--steps", "context").stdout
        self.assertEqual(attn("check", EXAMPLE, "--template", "json", "--steps", "result,context,C").stdout, once)

    def test_sizes_and_widths_are_whole_numbers_that_can_be_counted(self):
        for shape in ("1,8,,64", "1,8,0,64", "1,8,-1,64", "1,8,1234567890,64", "1,8,64"):
            self.assert_complains(attn("cost", "--shape", shape), 2, f"`{shape}` is no shape",
                                  "batch, heads, tokens and width")
        widths = ",".join(map(str, range(1, 66)))
        self.assert_complains(attn("scaling", "--widths", widths), 2, "is no list of widths", "64 widths are the most")

    def test_tokens_are_counted_from_1(self):
        for number in ("0", "8"):
            done = attn("heads", os.path.join(DATA, "induction.json"), "--pair", f"{number},4")
            self.assert_complains(done, 2, f"no token is called `{number}`", "the tokens are C, A, ")

    def test_the_demo_is_written_to_a_file_as_run_writes_it(self):
        for words in (["-o", self.path("demo.txt")], ["--format", "text", "-o", self.path("demo.txt")]):
            done = attn("demo", *words)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
            with open(self.path("demo.txt"), encoding="utf-8") as file:
                self.assertEqual(file.read(), attn("run", EXAMPLE).stdout)
        self.assertEqual(attn("demo", "-o", "-").stdout, attn("demo").stdout)

    def test_an_amount_of_memory_has_a_unit_that_is_known_and_can_be_counted(self):
        for size in ("5Q", "5kkB", "B", "99999999999999999T"):
            self.assert_complains(attn("run", EXAMPLE, "--max-memory", size), 2, f"`{size}` is no amount of memory",
                                  "--max-memory takes 500M, 2GiB")
        for size in ("1000000", "1000000B", "900k", "1mb", "1GiB", "1t"):
            self.assertEqual(attn("run", EXAMPLE, "--max-memory", size).returncode, 0, size)

    def test_what_takes_too_much_to_tell_says_how_to_ask_for_less(self):
        for more, option in (([], "--max-memory"), (["--full"], "--full")):
            done = attn("run", EXAMPLE, "--max-memory", "2K", *more)
            self.assert_complains(done, 3, "what there is to show takes about", "--max-memory is 2 KiB",
                                  "--only, --query")
            self.assertEqual("leave --full out" in done.stderr, bool(more))


class ErrorsForPrograms(ProgramTest):
    def errors(self, words, code, **more):
        """What is said on standard error: one line of JSON for each complaint."""
        done = attn(*words, **more)
        self.assertEqual(done.returncode, code, done.stderr)
        said = [json.loads(line) for line in done.stderr.splitlines()]
        for one in said:
            self.assertEqual(one["schema"], "attn/error/1")
            for error in one["errors"]:
                self.assertEqual(list(error), ["file", "line", "column", "pointer", "message", "help"])
                self.assertNotIn("", (error["message"], error["help"]))
        return said

    def test_a_fault_of_a_file_has_its_place_and_its_pointer(self):
        file = self.path("bad.json", '{\n  "title": "é", "score": "dott", "inputs": [[1, 0, 2]]\n}')
        text = attn("run", file).stderr
        (said,) = self.errors(("run", file, "--format", "json"), 2)
        (error,) = said["errors"]
        self.assertEqual((error["file"], error["pointer"]), (file, "/score"))
        self.assertTrue(text.startswith(f"{file}:{error['line']}:{error['column']}: error: {error['message']}\n"), text)
        self.assertTrue(text.endswith(f"\n  help: {error['help']}\n"), text)
        self.assertEqual((error["line"], error["column"]), (2, 26))

    def test_what_is_no_value_has_a_place_and_no_pointer(self):
        (said,) = self.errors(("run", "-", "--format=json"), 2, text='{"inputs": [[1, 2}')
        (error,) = said["errors"]
        self.assertEqual((error["file"], error["line"], error["column"], error["pointer"]), ("-", 1, 18, None))
        (said,) = self.errors(("run", "-", "--format=json"), 2, text="[1]")
        self.assertEqual((said["errors"][0]["line"], said["errors"][0]["pointer"]), (1, ""))

    def test_a_file_that_cannot_be_read_has_a_name_alone(self):
        missing = self.path("missing.json")
        (said,) = self.errors(("run", missing, "--format", "json"), 2)
        (error,) = said["errors"]
        self.assertEqual([error[key] for key in ("file", "line", "column", "pointer")], [missing, None, None, None])

    def test_a_report_in_json_has_its_errors_in_json_however_it_is_asked_for(self):
        for words in (("--report=json",), ("--report", "json")):
            (said,) = self.errors(("grade", self.path("missing.json"), self.folder, *words), 2)
            self.assertEqual(said["errors"][0]["message"], "there is no such file")

    def test_mistakes_on_the_command_line_have_no_place_whatever_they_are(self):
        for words, code in ((("run", EXAMPLE, "--formt", "json", "--format", "json"), 2), (("rnu", "--format", "json"), 2),
                            (("run", "--format", "json"), 2), (("run", EXAMPLE, "extra", "--format=json"), 2),
                            (("run", EXAMPLE, "--only", "scroes", "--format", "json"), 2),
                            (("check", EXAMPLE, "--format", "json"), 2), (("list", "maks", "--format", "json"), 2),
                            (("mistakes", "x", "--format", "json"), 2), (("bench", "--shape", "1,2", "--json"), 2),
                            (("run", EXAMPLE, "--max-memory", "100", "--format", "json"), 3),
                            (("run", EXAMPLE, "--format", "json", "-o", "/no/such/folder.json"), 3)):
            with self.subTest(words):
                (said,) = self.errors(words, code)
                (error,) = said["errors"]
                self.assertEqual([error[key] for key in ("file", "line", "column", "pointer")], [None] * 4)
                self.assertNotEqual(error["message"], "")

    def test_every_file_that_is_wrong_has_a_line(self):
        files = [self.path("a.json", "{"), self.path("b.json", "[]")]
        for words in (("diff", *files), ("check", EXAMPLE, *files)):
            said = self.errors((*words, "--format", "json"), 2)
            self.assertEqual([one["errors"][0]["file"] for one in said], files)

    def test_faults_past_the_twentieth_are_counted(self):
        file = self.path("many.json", '{"inputs": [[1]], "heads": 1' + ', "heads": 1' * 30 + "}")
        (said,) = self.errors(("run", file, "--format", "json"), 2)
        self.assertEqual((len(said["errors"]), said["unkept"]), (20, 10))

    def test_they_hold_nothing_that_steers_a_terminal(self):
        done = attn("run", "\x1b]0;\x9b\u202e.json", "--format", "json")
        self.assertTrue(done.stderr.isascii() and done.stderr[:-1].isprintable(), done.stderr)

    def test_in_every_other_format_they_are_for_people(self):
        for words in (("run", EXAMPLE, "--formt"), ("run", EXAMPLE, "--format", "jsn"), ("run", "--", "--format", "json"),
                      ("run", EXAMPLE, "-o", "/no/such/folder.json")):
            self.assertTrue(attn(*words).stderr.startswith(("attn: error: ", "--format: error: ")), words)


class Mistakes(ProgramTest):
    def test_every_known_mistake_is_listed_once_with_an_example(self):
        known = json.loads(attn("mistakes", "--format", "json").stdout)
        ids = [mistake["id"] for mistake in known]
        self.assertEqual(len(ids), len(set(ids)))
        shown = " ".join(attn("mistakes").stdout.split())
        for mistake in known:
            self.assertIn(f"{mistake['id']}: {mistake['what']}. Example: {mistake['example']}",
                          shown, mistake["id"])

    def test_one_mistake_is_told_in_full(self):
        mistake = json.loads(attn("mistakes", "scale.none", "--format", "json").stdout)
        shown = " ".join(attn("mistakes", "scale.none").stdout.split())
        for part in ("what", "hint", "example"):
            self.assertIn(mistake[part], shown)

    def test_a_mistyped_mistake_is_answered_with_the_nearest_one(self):
        self.assert_complains(attn("mistakes", "scale.non"), 2, "no mistake is called `scale.non`",
                              "did you mean `scale.none`?")


class Output(ProgramTest):
    def test_only_keeps_whole_steps_in_any_format(self):
        trace = json.loads(attn("run", EXAMPLE, "--format", "json", "--only", "scores,context").stdout)
        self.assertEqual([step["id"] for step in trace["steps"]], ["scores", "context"])
        trace = json.loads(attn("run", EXAMPLE, "--format", "json", "--only", "result").stdout)
        self.assertEqual([step["id"] for step in trace["steps"]], ["context"])

    def test_only_takes_patterns_of_ids_and_symbols(self):
        every = [step["id"] for step in json.loads(attn("run", EXAMPLE, "--format", "json").stdout)["steps"]]
        for pattern, steps in (("*sums", ["exponential_sums"]), ("que*, *ues", ["queries", "values", "weighted_values"]),
                               ("scor?s", ["scores"]), ("[S]", None), ("s*s", ["scores"]), ("*", every), ("*or?", None),
                               ("A*", ["attention_weights"]), ("?o?????", ["context"])):
            with self.subTest(pattern):
                done = attn("run", EXAMPLE, "--format", "json", "--only", pattern)
                if steps is None:
                    self.assert_complains(done, 2, f"no step `{pattern}`")
                else:
                    told = [step["id"] for step in json.loads(done.stdout)["steps"]]
                    self.assertEqual(sorted(told), sorted(steps))
        self.assert_complains(attn("run", EXAMPLE, "--only", "scroes*"), 2, "`scroes*`", "did you mean `scores`?")
        for word in ("softmax", "weights", "Weights*"):
            self.assert_complains(attn("run", EXAMPLE, "--only", word), 2, "did you mean `attention_weights`?")
        done = attn("run", EXAMPLE, "--only", "multihead*")  # a name of `concat`, which this problem has not
        self.assert_complains(done, 2, "no step `multihead*`\n")
        self.assertEqual(attn("demo", "--only", "row*").stdout.split("Three things")[0].strip(),
                         attn("run", EXAMPLE, "--only", "row_maximum").stdout.strip())

    def test_a_symbol_with_a_star_is_no_pattern_where_it_is_one(self):
        heads = os.path.join(DATA, "eight-heads-batch.json")
        symbols = {step["symbol"]: step["id"] for step in json.loads(attn("run", heads, "--format", "json").stdout)["steps"]}
        starred = [symbol for symbol in symbols if symbol.endswith("*")]
        self.assertTrue(starred)
        for symbol in starred:
            steps = json.loads(attn("run", heads, "--format", "json", "--only", symbol).stdout)["steps"]
            self.assertEqual([step["id"] for step in steps], [symbols[symbol]])

    def test_keys_of_ones_own_stand_beside_queries_and_keys(self):
        plain = {"inputs": {"query": [[1, 0]], "key": [[1, 0]]}}
        noted = {"inputs": {**plain["inputs"], "x-file": "book.pdf", "x-random": 3}}
        self.assertEqual(*(attn("run", "-", text=json.dumps(problem)).stdout for problem in (plain, noted)))
        self.assert_complains(attn("run", "-", text='{"inputs": {"flie": "q.npy"}}'), 2, "did you mean /inputs/file?")
        for word in ("causal", "Causall"):
            problem = json.dumps({"inputs": [[1]], "mask": word})
            self.assert_complains(attn("run", "-", text=problem), 2, 'a causal mask is written "causal": true')

    def test_brief_writes_out_one_query_and_one_row_and_no_weighted_values(self):
        text = attn("run", EXAMPLE, "--brief").stdout
        for shown in ("K[1,3] = ", "S[1,3] = ", "C[1,3] = 0.0634×3 + 0.4683×0 + 0.4683×3 ≈ 1.5951", "A = E / z", "C = A·V",
                      "Q = X·W_Q", "V = X·W_V"):
            self.assertIn(shown, text)
        for left_out in ("K[2,1] =", "Q[1,1] =", "S[2,1] =", "U[", "E = e^"):
            self.assertNotIn(left_out, text)
        whole = attn("run", EXAMPLE).stdout
        self.assertEqual(text[text.index("  C = A·V"):], whole[whole.index("  C = A·V"):])
        second = attn("run", EXAMPLE, "--brief", "--query", "2").stdout
        self.assertIn("Q[2,1] = 0×1 + 2×1", second)
        self.assertIn("C[2,1] = ", second)
        self.assertNotIn("C[1,1] = ", second)
        for form in ("markdown", "latex", "html", "svg"):
            brief = attn("run", EXAMPLE, "--brief", "--format", form).stdout
            self.assertLess(len(brief), len(attn("run", EXAMPLE, "--format", form).stdout))
            self.assertNotIn("Weighted values:", brief)

    def test_brief_is_shorter_than_the_whole_whatever_the_size(self):
        def is_shorter(words, text=None):
            whole = attn("run", *words, text=text)
            brief = attn("run", *words, "--brief", text=text)
            self.assertEqual((whole.returncode, brief.returncode), (0, 0), brief.stderr)
            self.assertLessEqual(len(brief.stdout), len(whole.stdout) + 90 * ("--query" in words), words)

        sizes = (([2, 2], 1), ([6, 4], 2), ([12, 8], 2), ([12, 8], 8), ([30, 8], 4), ([40, 30], 2), ([200, 10], 1),
                 ([60, 8], 1), ([3, 20, 6], 2), ([1, 2, 8], 2))
        for shape, heads in share(sizes, 4):
            width = shape[-1]
            problem = {"inputs": {"random": "normal", "shape": shape, "seed": 1}, "heads": heads, "causal": True}
            is_shorter(["-"], json.dumps(problem))
            problem["weights"] = {role: {"random": "normal", "shape": [width, width], "seed": 2}
                                  for role in ("query", "key", "value")}
            is_shorter(["-"], json.dumps(problem))
            is_shorter(["-", "--query", "2"], json.dumps(problem))
        for name in sorted(os.listdir(DATA)):
            if name.endswith(".json") and not name.endswith(".golden.json"):
                is_shorter([os.path.join(DATA, name)])
                is_shorter([os.path.join(DATA, name), "--query", "1"])

    def test_brief_tells_of_the_first_query_that_weighs_several_keys_in_one_head(self):
        problem = json.dumps({"inputs": {"random": "normal", "shape": [4, 4], "seed": 1}, "heads": 2, "causal": True,
                              "weights": {role: {"random": "normal", "shape": [4, 4], "seed": 2}
                                          for role in ("query", "key", "value")}})
        text = attn("run", "-", "--brief", "--explain", "cells", text=problem).stdout
        self.assertIn("Head 1 of 2 · Query 2", text)
        self.assertEqual(len(re.findall("· Query", text)), 1)
        self.assertIn("… 3 more queries and 1 more head in the same way", text)
        self.assertIn("Head 2 of 2 · All queries together", text)
        second = attn("run", "-", "--brief", "--head", "2", "--query", "1", text=problem).stdout
        self.assertIn("Head 2 of 2 · Query 1", second)
        fourth = attn("run", "-", "--brief", "--query", "4", text=problem).stdout
        self.assertIn("Head 1 of 2 · Query 4", fourth)
        self.assertIn("… 1 more head in the same way", fourth)
        ragged = json.dumps({"inputs": {"random": "normal", "shape": [3, 5, 2], "seed": 1}, "lengths": [0, 5, 1]})
        self.assertIn("Sequence 2 of 3 · Query 1", attn("run", "-", "--brief", "--explain", "cells", text=ragged).stdout)

    def test_brief_leaves_out_no_number_that_is_added_up(self):
        text = attn("run", EXAMPLE, "--brief", "--hand-rounding", "2").stdout
        self.assertIn("U[1,2] = A[1,2]·v₂ = 0.47 × [2, 8, 0] = [0.94, 3.76, 0.00]", text)
        self.assertIn("C[1,1] = 0.06 + 0.94 + 0.94 = 1.94", text)

    def test_brief_changes_no_number(self):
        for more in ([], ["--dtype", "f32"], ["--dtype", "bf16"], ["--hand-rounding", "1"]):
            brief, whole = (attn("run", EXAMPLE, "--precision", "17", *more, *words).stdout for words in (["--brief"], []))
            self.assertEqual(brief[brief.index("  C = A·V"):], whole[whole.index("  C = A·V"):], more)
        both = self.path("trace.json"), self.path("page.html")
        self.assertEqual(attn("run", EXAMPLE, "--brief", "-o", both[0], "-o", both[1]).returncode, 0)
        with open(both[0], encoding="utf-8") as file:
            self.assertEqual(file.read(), attn("run", EXAMPLE, "--format", "json").stdout)

    def test_brief_is_refused_where_it_changes_nothing(self):
        for more in (["--format", "json"], ["--format", "csv"], ["--full"], ["--explain", "result"], ["--at-once"],
                     ["--explain", "steps", "--only", "scores"]):
            self.assert_complains(attn("run", EXAMPLE, "--brief", *more), 2, "--brief")

    def test_in_brief_full_is_said_to_show_all_in_its_place(self):
        many = json.dumps({"inputs": [[row, 1] for row in range(40)], "score": "dot"})
        for more in (["--only", "scores"], ["--only", "keys", "--explain", "rows"],
                     ["--only", "scores", "--format", "latex"]):
            brief = attn("run", "-", "--brief", *more, text=many)
            self.assertIn("--full in place of --brief shows all", brief.stderr, more)
            self.assertNotIn("--full shows all", brief.stderr, more)
            self.assertEqual(attn("run", "-", "--full", *more, text=many).returncode, 0, more)
            self.assertIn("--full shows all", attn("run", "-", *more, text=many).stderr, more)

    def test_of_many_notes_a_few_are_shown_and_the_others_counted_once(self):
        closed = json.dumps({"queries": [[1]] * 30, "keys": [[1], [2]], "mask": {"block": [[1, 1]] * 30}})
        for words in ([], ["--explain", "cells"], ["--explain", "rows", "--full"]):
            text = attn("run", "-", *words, text=closed).stdout
            shown = len(re.findall(r"Note: row \[\d+\] has every key closed", text))
            self.assertEqual(shown, 30 if "--full" in words else 8, words)
            self.assertEqual(text.count("… 22 more notes of this kind"), 0 if "--full" in words else 1, words)
        third = attn("run", "-", "--query", "3", text=closed).stdout
        self.assertEqual(re.findall(r"Note: row (\S+) has", third), ["[3]"])

    def test_a_pattern_does_not_bring_in_what_is_left_out_for_its_size(self):
        problem = self.path("wide.json", '{"inputs": {"random": "normal", "shape": [80, 20], "seed": 1}}')

        def told(pattern):
            return [step["id"] for step in
                    json.loads(attn("run", problem, "--format", "json", "--only", pattern).stdout)["steps"]]
        self.assertNotIn("weighted_values", told("*"))
        self.assertEqual(told("weighted*"), ["weighted_values"])

    def test_files_get_the_format_of_their_ending_and_several_may_be_written(self):
        trace, text = self.path("trace.json"), self.path("steps.txt")
        done = attn("run", "-o", trace, "-o", text, EXAMPLE)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        with open(trace, encoding="utf-8") as file:
            self.assertEqual(file.read(), attn("run", EXAMPLE, "--format", "json").stdout)
        with open(text, encoding="utf-8") as file:
            self.assertEqual(file.read(), attn("run", EXAMPLE).stdout)

    def test_a_dash_is_standard_output(self):
        other = self.path("other.json")
        shutil.copy(EXAMPLE, other)
        blanks = ("check", EXAMPLE, "--template", "csv", "--steps", "scores")
        for words in (("run", EXAMPLE), ("run", EXAMPLE, "--format", "json"), ("run", EXAMPLE, "--format", "npz"),
                      ("why", EXAMPLE, "scores[1,2]"), ("diff", EXAMPLE, other, "--format", "json"), blanks,
                      ("list", "masks"), ("mistakes", "--format", "json"), ("bench", "--list")):
            with self.subTest(words):
                done, usual = [subprocess.run([ATTN, *words, *more], capture_output=True, cwd=self.folder, timeout=60)
                               for more in (("-o", "-"), ())]
                self.assertEqual((done.returncode, done.stdout), (0, usual.stdout), done.stderr)
        self.assertEqual(os.listdir(self.folder), ["other.json"])

    def test_standard_output_may_be_one_output_of_several(self):
        trace = self.path("trace.json")
        self.assertEqual(attn("run", EXAMPLE, "-o", trace, "-o", "-").stdout, attn("run", EXAMPLE).stdout)
        self.assertTrue(os.path.exists(trace))
        os.remove(trace)
        self.assert_complains(attn("run", EXAMPLE, "-o", trace, "-o", "-", "-o", "-"), 2, "`-o -` is given twice")
        self.assertFalse(os.path.exists(trace))

    def test_an_ending_that_names_no_format_is_refused_before_anything_is_written(self):
        self.assert_complains(attn("run", EXAMPLE, "-o", self.path("x.json"), "-o", self.path("x.odt")), 2, ".odt")
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_file_that_cannot_be_written_is_code_3_and_leaves_nothing(self):
        self.assert_complains(attn("run", EXAMPLE, "-o", self.path("no/such/folder.json")), 3, "cannot be written")
        self.assert_complains(attn("run", EXAMPLE, "--format", "json", "-o", self.folder + "/"), 3, "directory")
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_written_file_keeps_links_and_gets_usual_permissions(self):
        target, link = self.path("target.json", "old"), self.path("link.json")
        os.symlink(target, link)
        self.assertEqual(attn("run", EXAMPLE, "-o", link).returncode, 0)
        self.assertTrue(os.path.islink(link))
        with open(target, encoding="utf-8") as file:
            self.assertEqual(json.load(file)["schema"], "attn/trace/1")
        mask = os.umask(0)
        os.umask(mask)
        self.assertEqual(stat.S_IMODE(os.stat(target).st_mode), 0o666 & ~mask)

    def test_a_link_that_leads_in_circles_is_no_place_for_a_file(self):
        os.symlink("round.json", self.path("round.json"))
        self.assert_complains(attn("run", EXAMPLE, "-o", self.path("round.json")), 3, "round.json cannot be written: ")
        self.assertEqual(os.listdir(self.folder), ["round.json"])

    def test_a_file_that_is_there_keeps_its_permissions(self):
        path = self.path("trace.json", "old")
        os.chmod(path, 0o600)
        attn("run", EXAMPLE, "-o", path)
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)

    def assert_kept(self, words, output, *parts):
        """The command is refused, and the file that it would have replaced is as it was."""
        with open(output, "rb") as file:
            before = file.read()
        done = attn(*words, "-o", output)
        self.assert_complains(done, 2, "would replace", "help: ", *parts)
        with open(output, "rb") as file:
            self.assertEqual(file.read(), before)

    def test_no_output_replaces_what_is_read(self):
        with open(EXAMPLE, encoding="utf-8") as file:
            text = file.read()
        problem, other = self.path("p.json", text), self.path("q.json", text)
        answers = self.path("ann.json", '{"schema": "attn/answers/1", "steps": {"scores": {"1,1": 2}}}')
        link, hard = self.path("link.json"), self.path("hard.json")
        os.symlink(problem, link)
        os.link(problem, hard)
        for output in (problem, link, hard, os.path.join(self.folder, ".", "p.json")):
            self.assert_kept(("run", problem), output, "p.json")
            self.assert_kept(("check", problem, answers), output)
            self.assert_kept(("diff", other, problem), output)
        self.assert_kept(("check", problem, answers), answers)
        self.assert_kept(("diff", problem, other), other)
        page = self.path("page.md")
        os.symlink(problem, page)
        self.assert_kept(("why", problem, "scores[1,1]"), page)
        with open(problem, encoding="utf-8") as file:
            done = subprocess.run([ATTN, "-", "-o", problem], stdin=file, capture_output=True, encoding="utf-8")
        self.assert_complains(done, 2, "would replace `standard input`")
        self.assertEqual(sorted(os.listdir(self.folder)), ["ann.json", "hard.json", "link.json", "p.json", "page.md", "q.json"])

    def test_no_golden_replaces_what_is_read(self):
        with open(EXAMPLE, encoding="utf-8") as file:
            problem = self.path("p.json", file.read())
        os.link(problem, self.path("p.golden.json"))
        done = attn("golden", "--update", problem)
        self.assertEqual((done.returncode, done.stdout.split(":")[0].split()[0]), (2, "FAILED"))
        self.assertTrue(os.path.samefile(problem, self.path("p.golden.json")))
        os.remove(self.path("p.golden.json"))
        for verdict in ("created", "unchanged"):
            self.assertTrue(attn("golden", "--update", problem, problem).stdout.startswith(verdict))

    def test_two_outputs_are_two_files(self):
        output = self.path("trace.json")
        for again in (output, os.path.join(self.folder, ".", "trace.json")):
            self.assert_complains(attn("run", EXAMPLE, "-o", output, "-o", again), 2, "are one file", "help: ")
            self.assertFalse(os.path.exists(output))
        self.path("trace.json", "old")
        os.symlink(output, self.path("trace.md"))
        self.assert_complains(attn("run", EXAMPLE, "-o", output, "-o", self.path("trace.md")), 2, "are one file")
        self.assertEqual(attn("run", EXAMPLE, "--format", "json", "-o", "/dev/null", "-o", "/dev/null").returncode, 0)

    def test_a_write_protected_file_is_not_replaced(self):
        path = self.path("trace.json", "old")
        os.chmod(path, 0o444)
        self.assert_complains(attn("run", EXAMPLE, "-o", path), 3, "cannot be written: it is write-protected")
        with open(path, encoding="utf-8") as file:
            self.assertEqual(file.read(), "old")
        self.assertEqual(os.listdir(self.folder), ["trace.json"])

    def test_a_file_of_somebody_else_is_not_replaced(self):
        if os.geteuid() != 0:
            self.skipTest("only root can give a file away")
        path = self.path("trace.json", "theirs")
        os.chown(path, 65534, 65534)
        os.chmod(path, 0o644)
        done = attn_as_anybody("run", EXAMPLE, "-o", path)
        self.assert_complains(done, 3, "cannot be written: it is write-protected")
        with open(path, encoding="utf-8") as file:
            self.assertEqual(file.read(), "theirs")

    def test_json_holds_nothing_that_steers_a_terminal(self):
        hostile = "a\x7f\u0085\u009b2J\u202e\u2066\ufeff\U000e0041z"
        with open(EXAMPLE, encoding="utf-8") as file:
            problem = {**json.load(file), "title": hostile, "tokens": [hostile, "b", "c"]}
        text = json.dumps(problem, ensure_ascii=False)
        one, other = self.path(f"{hostile}.json", text), self.path("b.json", text.replace('"dot"', '"scaled_dot"'))
        answers = [self.path(f"{hostile}{i}.ann.json", '{"steps": {"scores": {"1,1": 3}}}') for i in range(2)]
        for words in (("run", one), ("diff", one, other), ("check", one, *answers)):
            done = attn(*words, "--format", "json")
            self.assertIn(done.returncode, (0, 1), done.stderr)
            for character in hostile[1:-1]:
                self.assertTrue(character.isascii() and character.isprintable() or character not in done.stdout, words)
            self.assertIn("\\u007f\\u0085\\u009b2J\\u202e\\u2066\\ufeff\\udb40\\udc41z", done.stdout)
            self.assertIn(hostile, json.dumps(json.loads(done.stdout), ensure_ascii=False))

    def test_at_once_says_where_it_cannot_be(self):
        whole = attn("run", EXAMPLE, "--at-once")
        self.assertEqual((whole.returncode, whole.stderr), (0, ""))
        for words, why in ((("--dtype", "bf16"), "bf16"), (("--hand-rounding", "2"), "by hand")):
            done = attn("run", EXAMPLE, "--at-once", *words)
            self.assertEqual(done.returncode, 0)
            self.assertRegex(done.stderr, rf"^attn: note: --at-once: [^\n]*{why}[^\n]*\n$")
        self.assertIn("dot products", attn("run", os.path.join(DATA, "score-additive.json"), "--at-once").stderr)

    def test_a_device_or_a_socket_that_takes_nothing_is_code_3(self):
        with socket.socket(socket.AF_UNIX) as end:
            end.bind(self.path("end"))
        for path in ("/dev/full", self.path("end")):
            self.assert_complains(attn("run", EXAMPLE, "--format", "csv", "-o", path), 3, f"{path} cannot be written: ",
                                  "help: write to another place, or free this one")

    def test_a_full_device_is_code_3(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([ATTN, "demo"], stdout=full, stderr=subprocess.PIPE, encoding="utf-8", timeout=60)
        self.assertEqual(done.returncode, 3)
        self.assertIn("cannot be written", done.stderr)

    def test_a_stream_that_is_closed_is_no_place_for_a_file(self):
        for form in ("text", "csv", "npz", "xlsx"):
            with self.subTest(form):
                done = subprocess.run(["sh", "-c", '"$0" "$@" >&-', ATTN, "run", EXAMPLE, "--format", form],
                                      capture_output=True, timeout=60)
                self.assertEqual((done.returncode, done.stdout), (3, b""), done.stderr)
        done = subprocess.run(["sh", "-c", '"$0" "$@" 2>&-', ATTN, "run", EXAMPLE, "--at-once", "--dtype", "bf16", "-o",
                               self.path("x.json")], capture_output=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (0, b""))
        with open(self.path("x.json"), encoding="utf-8") as file:
            json.load(file)  # and no note before it

    def test_a_stream_that_is_closed_has_nothing_to_read(self):
        done = subprocess.run(["sh", "-c", '"$0" run - <&-', ATTN], capture_output=True, encoding="utf-8", timeout=60)
        self.assert_complains(done, 2, "-: error: the file cannot be read: ")

    def test_too_large_a_trace_is_refused_before_it_is_computed(self):
        problem = self.path("large.json", json.dumps({
            "queries": {"random": "normal", "shape": [30000, 4], "seed": 1},
            "keys": {"random": "normal", "shape": [30000, 4], "seed": 2}}))
        self.assert_complains(attn("run", problem), 3, "--max-memory", "GiB")
        self.assert_complains(attn("run", EXAMPLE, "--max-memory", "100"), 3, "--max-memory")


class Colour(ProgramTest):
    def test_a_pipe_gets_none_unless_asked(self):
        self.assertNotIn("\x1b", attn("demo").stdout)
        self.assertIn("\x1b[", attn("demo", "--color", "always").stdout)
        self.assertIn("\x1b[", attn("demo", env={"CLICOLOR_FORCE": "1"}).stdout)

    def test_the_flag_beats_no_color_and_no_color_beats_clicolor_force(self):
        self.assertIn("\x1b[", attn("demo", "--color=always", env={"NO_COLOR": "1"}).stdout)
        self.assertNotIn("\x1b", attn("demo", env={"NO_COLOR": "1", "CLICOLOR_FORCE": "1"}).stdout)
        self.assertNotIn("\x1b", attn("demo", "--color=never", env={"CLICOLOR_FORCE": "1"}).stdout)

    def test_the_flag_decides_for_errors_too(self):
        bad = self.path("bad.json", "{")
        self.assertIn("\x1b[", attn("run", bad, "--color", "always").stderr)
        self.assertNotIn("\x1b", attn("run", bad, "--color", "never", env={"CLICOLOR_FORCE": "1"}).stderr)

    def test_a_forced_colour_of_0_is_none(self):
        self.assertNotIn("\x1b", attn("demo", env={"CLICOLOR_FORCE": "0"}).stdout)

    def test_the_flag_decides_for_an_error_in_the_words_themselves(self):
        for words in (("--color", "always", "--bogus"), ("--color=always", "--bogus"), ("--bogus", "--color=always")):
            self.assertIn("\x1b[", attn("run", EXAMPLE, *words).stderr, words)
        for words in (("--bogus", "--color"), ("--bogus", "--color", "sometimes"), ("--bogus", "--", "--color=always")):
            self.assertNotIn("\x1b", attn("run", EXAMPLE, *words).stderr, words)

    def test_a_terminal_gets_it(self):
        self.assertIn(b"\x1b[", on_terminal("demo"))
        self.assertNotIn(b"\x1b", on_terminal("demo", "--color", "never"))

    def test_colour_changes_no_character(self):
        import re
        colored = attn("demo", "--color", "always").stdout
        self.assertEqual(re.sub(r"\x1b\[[0-9;]*m", "", colored), attn("demo").stdout)

    def test_ascii_is_nothing_else(self):
        self.assertTrue(attn("demo", "--ascii").stdout.isascii())

    def test_the_first_variable_that_says_anything_names_the_letters_of_this_place(self):
        for locale, is_ascii in (({"LC_ALL": "", "LC_CTYPE": "", "LANG": "C"}, True),
                                 ({"LC_ALL": "", "LC_CTYPE": "POSIX", "LANG": "C.UTF-8"}, True),
                                 ({"LC_ALL": "", "LC_CTYPE": "", "LANG": "C.UTF-8"}, False),
                                 ({"LC_ALL": "C.UTF-8", "LC_CTYPE": "C", "LANG": "C"}, False),
                                 ({"LC_ALL": "", "LC_CTYPE": "", "LANG": ""}, False)):
            with self.subTest(locale):
                said = attn("why", EXAMPLE, "scores[1,猫]", env=locale).stderr
                self.assertIn("`\\u{732b}`" if is_ascii else "`猫`", said)
                self.assertEqual(said.isascii(), is_ascii)


def on_terminal(*words):
    return in_terminal([ATTN, *words], env={"PATH": os.environ["PATH"], "TERM": "xterm-256color"})[1]


class Golden(ProgramTest):
    def setUp(self):
        super().setUp()
        self.problem = os.path.join(self.folder, "p.json")
        self.golden = os.path.join(self.folder, "p.golden.json")
        shutil.copy(EXAMPLE, self.problem)

    def changed_golden(self, change):
        with open(self.golden, encoding="utf-8") as file:
            trace = json.load(file)
        change(trace)
        with open(self.golden, "w", encoding="utf-8") as file:
            json.dump(trace, file)

    def test_numbers_that_differ_are_shown_with_the_digits_in_which_they_do(self):
        self.assertEqual(attn("golden", "--update", self.problem).returncode, 0)
        for dtype in ("f32", "bf16"):
            shown = re.findall(r"expected (\S+), got (\S+),", attn("golden", "--dtype", dtype, self.problem).stdout)
            self.assertTrue(shown)
            self.assertEqual([pair for pair in shown if pair[0] == pair[1]], [])

    def test_a_missing_golden_names_the_command_that_makes_it(self):
        done = attn("golden", self.problem)
        self.assertEqual((done.returncode, done.stderr), (2, ""))
        self.assertIn("attn golden --update", done.stdout)

    def test_what_a_golden_s_message_says_to_type_can_be_typed(self):
        spaced = os.path.join(self.folder, "my file.json")
        shutil.copy(EXAMPLE, spaced)
        for change in (lambda text: text, lambda text: text.replace("[1, 0, 1, 0]", "[1, 0, 1, 1]")):
            with open(spaced, encoding="utf-8") as file:
                text = change(file.read())
            with open(spaced, "w", encoding="utf-8") as file:
                file.write(text)
            command = re.search(r"attn (golden --update .*)$", attn("golden", spaced).stdout, re.M)[1]
            self.assertEqual(shlex.split(command), ["golden", "--update", spaced])
            self.assertEqual(attn(*shlex.split(command)).returncode, 0)
        self.assertEqual(attn("golden", spaced).returncode, 0)

    def test_a_missing_golden_is_an_error_for_programs_as_well(self):
        done = attn("golden", self.problem, "--format", "json")
        self.assertEqual(done.returncode, 2)
        (error,) = json.loads(done.stderr)["errors"]
        self.assertEqual((error["file"], error["message"]), (self.problem, "no golden beside it"))
        self.assertEqual(json.loads(done.stdout)["files"][0]["message"], f"{error['message']}; {error['help']}")

    def test_an_update_makes_it_and_then_it_passes(self):
        self.assertIn("created", attn("golden", "--update", self.problem).stdout)
        self.assertIn("unchanged", attn("golden", "--update", self.problem).stdout)
        done = attn("golden", self.problem, self.golden)
        self.assertEqual(done.returncode, 0)
        self.assertTrue(done.stdout.endswith("1 passed, 0 failed\n"), done.stdout)

    def test_two_problems_have_no_golden_in_common(self):
        bare = self.path("p")
        shutil.copy(BLOCK, bare)
        done = attn("golden", "--update", bare, self.problem)
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"`{self.golden}` is the golden of {self.problem}", done.stderr)
        self.assertIn("created", done.stdout)
        self.assertEqual(attn("golden", self.problem).returncode, 0)
        self.assertEqual(attn("golden", bare).returncode, 2)
        os.remove(self.problem)
        self.assertIn("the problem's statement changed", attn("golden", "--update", bare).stdout)
        self.assertEqual(attn("golden", bare).returncode, 0)

    def test_it_holds_in_every_dtype(self):
        shutil.copy(os.path.join(os.path.dirname(EXAMPLE), "precision.json"), self.problem)
        for dtype in ("f64", "f32", "bf16", "f16"):
            with self.subTest(dtype=dtype):
                attn("golden", "--update", self.problem, "--dtype", dtype)
                self.assertEqual(attn("golden", self.problem, "--dtype", dtype).returncode, 0)

    def test_it_is_the_trace_that_run_prints(self):
        attn("golden", "--update", self.problem)
        with open(self.golden, encoding="utf-8") as file:
            self.assertEqual(file.read(), attn("run", self.problem, "--format", "json").stdout)

    def test_the_first_step_that_differs_and_the_worst_cell_are_named(self):
        attn("golden", "--update", self.problem)

        def change(trace):
            steps = {step["id"]: step for step in trace["steps"]}
            steps["scores"]["data"][1][2] += 1
            steps["scores"]["data"][0][0] += 0.5
            steps["context"]["data"][0][0] = math.nextafter(steps["context"]["data"][0][0], math.inf)
        self.changed_golden(change)
        done = attn("golden", self.problem)
        self.assertEqual(done.returncode, 1)
        self.assertIn("first step that differs: scores", done.stdout)
        self.assertIn("2 of 9 cells differ; worst at [2,3]: expected 13, got 12", done.stdout)
        self.assertIn("1 ulp apart", done.stdout)
        self.assertTrue(done.stdout.endswith("0 passed, 1 failed\n"), done.stdout)

    def test_a_tolerance_accepts_what_lies_within(self):
        attn("golden", "--update", self.problem)
        self.changed_golden(lambda trace: trace["steps"][-1]["data"][0].__setitem__(0, 1.9366))
        self.assertEqual(attn("golden", self.problem).returncode, 1)
        self.assertEqual(attn("golden", self.problem, "--rtol", "1e-3").returncode, 0)
        self.assertEqual(attn("golden", self.problem, "--atol", "1e-3").returncode, 0)
        self.assertEqual(attn("golden", self.problem, "--atol", "-1").returncode, 2)

    def test_how_goldens_are_compared_is_not_asked_of_an_update(self):
        for words in (("--rtol", "0.5"), ("--atol", "1e-3"), ("--bounds",)):
            done = attn("golden", "--update", self.problem, *words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertIn(f"{words[0]} says how goldens are compared, and --update rewrites them", done.stderr)
            self.assertIn(f"help: leave {words[0]} out, or compare without --update", done.stderr)
            self.assertFalse(os.path.exists(self.golden))

    def test_wording_is_not_compared(self):
        attn("golden", "--update", self.problem)

        def change(trace):
            trace["title"] = "another"
            for step in trace["steps"]:
                step["title"] = step["symbol"] = step["formula"] = "another"
        self.changed_golden(change)
        self.assertEqual(attn("golden", self.problem).returncode, 0)
        self.assertIn("wording only", attn("golden", "--update", self.problem).stdout)

    def test_a_shape_that_contradicts_the_data_is_unreadable(self):
        for shape in ([4, 3], [12], [3, 3], [3, "x"], "3 × 4", [[3, 4]]):
            attn("golden", "--update", self.problem)
            self.changed_golden(lambda trace: trace["steps"][0].__setitem__("shape", shape))
            done = attn("golden", self.problem)
            self.assertEqual(done.returncode, 2, shape)
            self.assertIn("its golden cannot be read", done.stdout)
            self.assertIn('/steps/0/shape (inputs) is not the shape of "data", which is 3 × 4', done.stderr)

    def test_the_golden_of_another_problem_fails_with_the_reason(self):
        attn("golden", "--update", self.problem)
        with open(self.problem, encoding="utf-8") as file:
            problem = json.load(file)
        problem["inputs"][0][0] = 2
        with open(self.problem, "w", encoding="utf-8") as file:
            json.dump(problem, file)
        done = attn("golden", self.problem)
        self.assertEqual(done.returncode, 1)
        self.assertIn("another problem", done.stdout)

    def test_title_and_labels_leave_the_statement_as_it_is(self):
        attn("golden", "--update", self.problem)
        with open(self.problem, encoding="utf-8") as file:
            problem = json.load(file)
        problem["title"] = "another"
        problem["tokens"] = ["a", "b", "c"]
        problem["inputs"][0][0] = 1.0
        with open(self.problem, "w", encoding="utf-8") as file:
            json.dump(problem, file, indent=1)
        self.assertEqual(attn("golden", self.problem).returncode, 0)

    def test_every_file_gets_a_line_of_its_own(self):
        other = self.path("other.json")
        shutil.copy(EXAMPLE, other)
        os.mkdir(self.path("other.golden.json"))
        attn("golden", "--update", self.problem)
        done = attn("golden", other, self.problem)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stdout, r"FAILED +\S*other.json: its golden is no file of its own\nok +\S*p.json\n1 passed, 1 failed")

    def test_a_wrong_command_line_is_said_once_and_computes_nothing(self):
        files = [self.problem, self.path("missing.json")]
        for words in (("--dtype", "x"), ("--backend", "nope"), ("--rtol", "x"), ("--atol", ""), ("--threads", "0"),
                      ("--max-memory", "much"), ("--hand-rounding", "x"), ("--format", "xml"), ("--update", "--dtype", "x")):
            with self.subTest(words):
                done = attn("golden", *files, *words)
                self.assert_complains(done, 2, "attn: error: ")
                self.assertEqual(done.stderr.count("error: "), 1)
        self.assertEqual(os.listdir(self.folder), ["p.json"])

    def test_a_missing_backend_is_said_once(self):
        if "built without CUDA" not in attn("--version").stdout:
            self.skipTest("this attn is built with CUDA")
        done = attn("golden", *[self.problem] * 3, "--backend", "cuda")
        self.assert_complains(done, 3, "without CUDA")
        self.assertEqual(done.stderr.count("error: "), 1)

    def judged(self):
        """A folder with a problem of each verdict, in an order that is not the alphabet's."""
        names = ["right.json", "wrong <&\">.json", "bad.json", "new.json", "other.json"]
        right, wrong, bad, new, other = [self.path(name) for name in names]
        for file in (right, wrong, new, other):
            shutil.copy(EXAMPLE, file)
        attn("golden", "--update", right, wrong, other)
        self.golden = wrong.replace(".json", ".golden.json")
        self.changed_golden(lambda trace: trace["steps"][4]["data"][1].__setitem__(2, 13))
        with open(EXAMPLE, encoding="utf-8") as file:
            self.path("other.json", file.read().replace('"dot"', '"scaled_dot"'))
        self.path("bad.json", "{")
        return right, wrong, bad, new, other

    def test_json_has_the_verdict_of_every_file_and_each_difference(self):
        files = self.judged()
        done = attn("golden", *files, "--format", "json")
        self.assertEqual(done.returncode, 2)
        told = json.loads(done.stdout)
        self.assertEqual((told["schema"], told["passed"], told["failed"]), ("attn/golden/1", 1, 4))
        self.assertEqual([one["file"] for one in told["files"]], list(files))
        self.assertEqual([one["verdict"] for one in told["files"]], ["ok", "differs", "error", "error", "differs"])
        right, wrong, bad, new, other = told["files"]
        self.assertEqual([right["message"], right["first_different"], right["differences"]], [None, None, []])
        self.assertEqual(right["golden"], files[0].replace(".json", ".golden.json"))
        self.assertEqual(wrong["message"], "1 difference")
        self.assertEqual(wrong["first_different"], "scores")
        (difference,) = wrong["differences"]
        self.assertEqual(difference, {"step": "scores", "message": "1 of 9 cells differ", "worst": {
            "index": [2, 3], "expected": 13, "got": 12, "ulps": difference["worst"]["ulps"]}})
        self.assertGreater(difference["worst"]["ulps"], 1)
        self.assertEqual(bad["message"], "the problem cannot be computed")
        self.assertIn("attn golden --update", new["message"])
        self.assertIn("another problem", other["message"])
        said = [json.loads(line)["errors"][0]["file"] for line in done.stderr.splitlines()]
        self.assertEqual(said, list(files[2:4]))

    def test_json_says_what_an_update_changed(self):
        files = self.judged()
        told = json.loads(attn("golden", "--update", *files, "--format", "json").stdout)
        self.assertEqual([one["verdict"] for one in told["files"]],
                         ["unchanged", "updated", "error", "created", "updated"])
        self.assertEqual(told["files"][1]["first_different"], "scores")
        self.assertEqual((told["passed"], told["failed"]), (4, 1))

    def test_junit_is_a_testcase_a_file_with_what_differs(self):
        files = self.judged()
        done = attn("golden", *files, "--format", "junit")
        self.assertEqual(done.returncode, 2)
        suites = ElementTree.fromstring(done.stdout)
        (suite,) = suites
        for counted in (suites, suite):
            self.assertEqual([counted.get(key) for key in ("tests", "failures", "errors")], ["5", "2", "2"])
        self.assertEqual([case.get("name") for case in suite], list(files))
        found = [[(child.tag, child.get("message")) for child in case] for case in suite]
        self.assertEqual(found[0], [])
        self.assertEqual(found[1], [("failure", "1 difference")])
        self.assertEqual(found[2], [("error", "the problem cannot be computed")])
        self.assertEqual([kind for [(kind, _)] in found[1:]], ["failure", "error", "error", "failure"])
        self.assertIn("scores: 1 of 9 cells differ; worst at [2,3]: expected 13, got 12", suite[1][0].text)
        self.assertIn("bad.json:1:1: error: ", suite[2][0].text)
        self.assertIn("bad.json:1:1: error: ", done.stderr)

    def test_junit_is_xml_whatever_a_file_is_called(self):
        name = "a\x01\x1b\u202e\ufffe\uffff]]>&amp;'é.json"
        (case,) = ElementTree.fromstring(attn("golden", self.path(name), "--format", "junit").stdout)[0]
        self.assertTrue(case.get("name").endswith("]]>&amp;'é.json"))

    def test_goldens_alone_are_no_problems(self):
        done = attn("golden", EXAMPLE.replace(".json", ".golden.json"))
        self.assert_complains(done, 2, "only goldens were given", "help: give the problems they belong to")

    def test_a_problem_of_any_name_has_a_golden(self):
        shutil.copy(EXAMPLE, self.path("problem"))
        self.assertEqual(attn("golden", "--update", self.path("problem")).returncode, 0)
        self.assertTrue(os.path.exists(self.path("problem.golden.json")))
        self.assertEqual(attn("golden", self.path("problem")).returncode, 0)

    def test_a_folder_in_the_place_of_a_golden_is_not_replaced(self):
        shutil.copy(EXAMPLE, self.path("problem.json"))
        os.mkdir(self.path("problem.golden.json"))
        for update in ([], ["--update"]):
            done = attn("golden", *update, self.path("problem.json"))
            self.assertEqual(done.returncode, 2)
            self.assertIn("its golden is no file of its own", done.stdout)
            self.assertIn("problem.golden.json` is no file", done.stderr)

    def test_a_golden_that_may_not_be_read_is_told_and_not_replaced(self):
        self.assertEqual(attn("golden", "--update", self.problem).returncode, 0)
        size = os.path.getsize(self.golden)
        os.chmod(self.golden, 0)
        for update in ([], ["--update"]):
            done = attn_as_anybody("golden", *update, self.problem)
            self.assertEqual(done.returncode, 2)
            self.assertIn("its golden cannot be read\n0 passed, 1 failed\n", done.stdout)
            self.assertIn("p.golden.json: error: the file cannot be read: Permission denied\n", done.stderr)
            self.assertEqual(os.path.getsize(self.golden), size)

    def test_a_problem_that_may_not_be_read_stops_no_grading_with_the_others(self):
        for name in ("anna", "ben"):
            os.makedirs(self.path("problems"), exist_ok=True)
            shutil.copy(EXAMPLE, self.path(f"problems/{name}.json"))
            os.makedirs(self.path(f"handed-in/{name}"))
            with open(self.path(f"handed-in/{name}/queries.csv"), "w", encoding="utf-8") as file:
                file.write("1,0,2\n2,2,2\n2,1,3\n")
        os.chmod(self.path("problems/ben.json"), 0)
        done = attn_as_anybody("grade", self.path("problems"), self.path("handed-in"), "--report", "csv")
        self.assertEqual(done.returncode, 2)
        self.assertIn("problems/ben.json: error: the file cannot be read: Permission denied\n", done.stderr)
        verdicts = {row["name"]: row["verdict"] for row in csv.DictReader(io.StringIO(done.stdout))}
        self.assertEqual(verdicts, {"anna": "right", "ben": "no_problem"})
        # Where it is the only one, there is nothing to grade with.
        done = attn_as_anybody("grade", self.path("problems/ben.json"), self.path("handed-in"))
        self.assert_complains(done, 2, "ben.json: error: the file cannot be read: Permission denied\n")

    def test_where_nobody_can_tell_where_a_link_leads_it_is_left_out(self):
        os.makedirs(self.path("closed/here/in"))
        shutil.copy(EXAMPLE, self.path("closed/here/p.json"))
        with open(self.path("closed/here/in/anna.csv"), "w", encoding="utf-8") as file:
            file.write("2,4,4\n4,16,12\n4,12,10\n")
        os.symlink("anna.csv", self.path("closed/here/in/ben.csv"))
        closed = self.path("closed")
        self.addCleanup(os.chmod, closed, 0o700)
        words = [ATTN, "check", "p.json", "in", "--step", "scores", "--format", "json"]
        for is_closed, files in ((False, ["in/anna.csv", "in/ben.csv"]), (True, ["in/anna.csv"])):

            def begin():
                os.chmod(closed, 0 if is_closed else 0o700)
                as_anybody()

            done = subprocess.run(words, cwd=self.path("closed/here"), capture_output=True, encoding="utf-8", timeout=60,
                                  env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}, preexec_fn=begin)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual("left out of in: ben.csv (a link to elsewhere)" in done.stderr, is_closed)
            self.assertEqual([(one["file"], one["verdict"]) for one in json.loads(done.stdout)],
                             [(file, "right") for file in files])

    def test_what_is_no_file_of_a_folder_is_neither_read_nor_written(self):
        os.makedirs(self.path("all"))
        elsewhere = self.path("elsewhere.json", "kept")
        for name in ("a", "b", "c"):
            shutil.copy(EXAMPLE, self.path(f"all/{name}.json"))
        os.mkfifo(self.path("all/pipe.json"))
        os.mkfifo(self.path("all/b.golden.json"))
        os.symlink("/dev/zero", self.path("all/zero.json"))
        os.symlink(elsewhere, self.path("all/link.json"))
        os.symlink(elsewhere, self.path("all/c.golden.json"))
        os.symlink("a.json", self.path("all/same.json"))
        for words in (["--update"], []):
            done = attn("golden", *words, self.path("all"))
            self.assertEqual(done.returncode, 2)
            self.assertTrue(done.stdout.endswith("2 passed, 2 failed\n"), done.stdout)
            for name in ("b", "c"):
                self.assertIn(f"all/{name}.golden.json` is no file, or a link to one that is elsewhere", done.stderr)
            self.assertIn("left out of " + self.path("all"), done.stderr)
        # Named without a folder, too.
        for words in (["--update"], []):
            done = subprocess.run([ATTN, "golden", *words, "c.json"], cwd=self.path("all"), capture_output=True, encoding="utf-8")
            self.assertIn("`c.golden.json` is no file, or a link", done.stderr)
        with open(elsewhere, encoding="utf-8") as file:
            self.assertEqual(file.read(), "kept")

    def test_standard_input_has_no_golden(self):
        self.assert_complains(attn("golden", "-", text="{}"), 2, "standard input")

    def test_one_bad_file_stops_nothing_and_the_largest_code_is_the_exit_code(self):
        attn("golden", "--update", self.problem)
        bad = self.path("bad.json", "{")
        done = attn("golden", bad, self.problem)
        self.assertEqual(done.returncode, 2)
        self.assertTrue(done.stdout.endswith("1 passed, 1 failed\n"), done.stdout)
        self.assertIn("bad.json:1:", done.stderr)


class Data(ProgramTest):
    def test_every_problem_in_data_has_a_golden_that_it_meets(self):
        problems = [os.path.join(DATA, name) for name in sorted(os.listdir(DATA))
                    if name.endswith(".json") and not name.endswith(".golden.json")]
        self.assertGreater(len(problems), 10)
        done = attn("golden", *problems)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class Small(ProgramTest):
    def test_a_demo_is_short_until_more_is_asked_for(self):
        short = attn("demo").stdout
        self.assertEqual(attn("demo", "--format", "text").stdout, short)
        self.assertLess(len(short), len(attn("demo", "--full").stdout))
        self.assertIn("computed at once, without the steps between", attn("demo", "--at-once").stdout)

    def changed_golden(self, name, numbers):
        """A problem beside a golden in which some of the scores are others."""
        problem = self.path(name + ".json", '{"inputs": [[1, 0], [0, 1], [1, 1]], "score": "dot"}')
        self.assertEqual(attn("golden", "--update", problem).returncode, 0)
        with open(self.path(name + ".golden.json"), encoding="utf-8") as file:
            trace = json.load(file)
        scores, = [step for step in trace["steps"] if step["id"] == "scores"]
        for (row, column), number in numbers.items():
            scores["data"][row][column] = number
        self.path(name + ".golden.json", json.dumps(trace))
        return problem

    def test_what_is_no_number_is_no_number_of_ulps_apart(self):
        for number in ("nan", "inf", 1.5):
            problem = self.changed_golden("it", {(0, 1): number})
            said = attn("golden", problem).stdout
            self.assertRegex(said, r"worst at \[1,2\]: expected " + str(number))
            self.assertEqual("no number of ulps apart" in said, number == "nan")
            told = json.loads(attn("golden", problem, "--format", "json").stdout)
            worst = told["files"][0]["differences"][0]["worst"]
            self.assertEqual((worst["index"], worst["expected"], worst["got"]), ([1, 2], number, 0))
            self.assertEqual(worst["ulps"] is None, number == "nan")

    def test_a_report_of_tests_holds_no_character_that_xml_has_not(self):
        problem = self.changed_golden('a\ufffe<b>&"\uffff', {(0, 1): 7})
        case, = ElementTree.fromstring(attn("golden", problem, "--format", "junit").stdout).iter("testcase")
        self.assertTrue(case.get("name").endswith(r'a\ufffe<b>&"\uffff.json'), case.get("name"))

    def test_labels_of_a_table_to_fill_in_stay_labels(self):
        tokens = [" ", "a;b", "c,d", "7"]
        problem = {"tokens": tokens, "inputs": [[1, 0], [0, 1], [1, 1], [2, 1]], "score": "dot"}
        problem = self.path("p.json", json.dumps(problem))
        table = attn("check", problem, "--template", "csv").stdout.split("\n\n")[0]
        self.assertEqual(table.split("\n")[0], 'scores,key 1,key 2,"c,d",key 4')
        rows = list(csv.reader(io.StringIO(table)))
        self.assertEqual([line[0] for line in rows], ["scores", "query 1", "query 2", "c,d", "query 4"])
        # A spreadsheet puts no more in quotation marks than it has to.
        saved = io.StringIO()
        csv.writer(saved, lineterminator="\n").writerows(rows)
        self.assertIn("16 blank", attn("check", problem, self.path("saved.csv", saved.getvalue())).stdout)


if __name__ == "__main__":
    unittest.main(verbosity=1)
