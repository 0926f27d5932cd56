"""Problems and traces of some size: read, computed and written in the memory they need.

A problem is read with at most 16 bytes a number beside its text; what does not fit is
refused before random numbers are drawn; what goes out in pieces is what goes out whole,
and a file that cannot be finished is not there.
"""

import json
import os
import pty
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "property"))

from slow import SLOW as SANITIZED  # noqa: E402

ATTN = os.path.abspath(os.environ["ATTN"])
MIB = 1 << 20


def attn(*words, text=None, limit=None, file_limit=None, errors=subprocess.PIPE):
    """The finished process; `limit` bounds its address space, `file_limit` what it writes to a file."""

    def bound():
        if limit and not SANITIZED:
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        if file_limit:
            resource.setrlimit(resource.RLIMIT_FSIZE, (file_limit, file_limit))

    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TERM": "xterm"}
    return subprocess.run([ATTN, *words], input=text, stdout=subprocess.PIPE, stderr=errors, env=environment,
                          timeout=300, preexec_fn=bound)


def peak_of(*words):
    """Exit code, errors and the most bytes that the program had at a time."""
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen([ATTN, *words], stdout=subprocess.DEVNULL, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        return process.returncode, errors.read(), usage.ru_maxrss * 1024


def seconds_of(*words):
    """How long the processor worked on it: the less of two runs."""
    def once():
        process = subprocess.Popen([ATTN, *words], stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        return usage.ru_utime + usage.ru_stime

    return min(once(), once())


def problem_of(tokens, width, seed=1):
    draw = random.Random(seed)
    matrix = lambda rows, columns: [[draw.gauss(0, 1) for _ in range(columns)] for _ in range(rows)]
    return {"inputs": matrix(tokens, width), "weights": {name: matrix(width, 8) for name in ("query", "key", "value")},
            "causal": True}


class Sizes(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def written(self, problem, name="p.json"):
        with open(self.path(name), "w") as file:
            json.dump(problem, file)
        return self.path(name)

    def test_what_goes_out_in_pieces_is_what_goes_out_whole(self):
        file = self.written(problem_of(120, 16))
        for dtype in ("f64", "f32", "bf16", "f16"):
            for name in ("json", "csv", "npz", "safetensors"):
                with self.subTest(dtype=dtype, format=name):
                    piped = attn("run", file, "--format", name, "--dtype", dtype)
                    self.assertEqual(piped.returncode, 0, piped.stderr)
                    self.assertGreater(len(piped.stdout), 2 << 16)
                    target = self.path("t." + name)
                    self.assertEqual(attn("run", file, "-o", target, "--dtype", dtype).returncode, 0)
                    with open(target, "rb") as whole:
                        self.assertEqual(whole.read(), piped.stdout)
        trace = json.loads(attn("run", file, "--format", "json").stdout)
        shapes = {step["id"]: step["shape"] for step in trace["steps"]}
        self.assertEqual(shapes["scores"], [120, 120])

    def test_a_file_that_cannot_be_finished_is_not_there(self):
        file = self.written(problem_of(120, 16))
        target = self.path("t.json")
        with open(target, "w") as old:
            old.write("what was there before")
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # so that writing fails instead
        done = attn("run", file, "-o", target, file_limit=100_000)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn(b"cannot be written", done.stderr)
        with open(target) as old:
            self.assertEqual(old.read(), "what was there before")
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["p.json", "t.json"])

    def test_a_spreadsheet_is_whole_or_not_there_wherever_the_disk_is_full(self):
        """What makes it keeps its parts in files of its own for the while, and does not look whether they are whole."""
        file = self.written({"queries": [[1, 2]], "keys": [[3, 4], [5, 6]]})
        target = self.path("t.xlsx")
        if attn("run", file, "-o", target).returncode == 3:
            self.skipTest("spreadsheets are not written here")
        with open(target, "rb") as whole:
            wanted = whole.read()
        codes = set()
        for most in range(100, len(wanted) + 20_000, 700):
            os.unlink(target)
            done = attn("run", file, "-o", target, file_limit=most)
            codes.add(done.returncode)
            if done.returncode == 0:
                with open(target, "rb") as whole:
                    self.assertEqual(whole.read(), wanted, most)
            else:
                self.assertEqual(done.returncode, 3, most)
                self.assertIn(b"error: ", done.stderr)
                self.assertEqual(os.listdir(self.folder.name), ["p.json"])
                open(target, "w").close()
        self.assertEqual(codes, {0, 3})

    def test_standard_output_that_is_full_is_said_whatever_is_printed(self):
        for words in (["--help"], ["--version"], ["man"], ["completion", "bash"], ["schema", "problem"], ["demo"]):
            with self.subTest(words), open("/dev/full", "wb") as full:
                done = subprocess.run([ATTN, *words], stdout=full, stderr=subprocess.PIPE, timeout=60)
                self.assertEqual(done.returncode, 3)
                self.assertIn(b"standard output cannot be written", done.stderr)

    def writing(self, ignored=None):
        """The program in the midst of writing more than 1 GiB, and what it has said of that."""
        tensor = lambda seed: {"random": "normal", "shape": [2300, 4], "seed": seed}
        file = self.written({"queries": tensor(1), "keys": tensor(2)})
        with open(self.path("t.csv"), "w") as old:
            old.write("what was there before")
        process = subprocess.Popen([ATTN, "run", file, "-o", self.path("t.csv")], stderr=subprocess.PIPE, encoding="utf-8",
                                   preexec_fn=lambda: ignored and signal.signal(ignored, signal.SIG_IGN))
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        said = ""
        while "%" not in said:
            said += process.stderr.readline()
        self.assertEqual(len(os.listdir(self.folder.name)), 3)
        return process, said

    def test_what_will_be_large_is_announced_and_its_share_is_told(self):
        process, said = self.writing()
        name = re.escape(self.path("t.csv"))
        self.assertRegex(said, rf"(?s)attn: note: writing {name}, about 1\.\d GiB\n.*"
                               rf"attn: writing {name}, \d?\d % of about 1\.\d GiB\n$")
        process.terminate()
        process.wait(timeout=60)

    def test_a_signal_leaves_nothing_behind(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number):
                process, _ = self.writing()
                process.send_signal(number)
                self.assertEqual(process.wait(timeout=60), -number)
                self.assertEqual(sorted(os.listdir(self.folder.name)), ["p.json", "t.csv"])
                with open(self.path("t.csv")) as old:
                    self.assertEqual(old.read(), "what was there before")

    def test_a_signal_that_is_ignored_ends_nothing(self):
        process, _ = self.writing(ignored=signal.SIGHUP)
        process.send_signal(signal.SIGHUP)
        time.sleep(0.3)
        self.assertIsNone(process.poll())
        self.assertEqual(len(os.listdir(self.folder.name)), 3)
        process.terminate()
        self.assertEqual(process.wait(timeout=60), -signal.SIGTERM)
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["p.json", "t.csv"])

    @unittest.skipIf(SANITIZED, "sanitizers take memory of their own")
    def test_reading_takes_the_file_and_sixteen_bytes_a_number(self):
        draw = random.Random(2)
        row = json.dumps([draw.gauss(0, 1) for _ in range(1000)])
        with open(self.path("p.json"), "w") as file:
            file.write('{"inputs": [' + ", ".join([row] * 1000) + "]}")
        size = os.path.getsize(self.path("p.json"))
        _, _, least = peak_of("demo", "--format", "json")
        code, errors, peak = peak_of("run", self.path("p.json"), "--max-memory", "1M")
        self.assertEqual(code, 3)
        self.assertIn(b"the steps of this problem take", errors)
        self.assertLess(peak, (size + 16 * 1_000_000) * 1.15 + least)

    @unittest.skipIf(SANITIZED, "sanitizers take memory of their own")
    def test_what_is_told_of_a_long_sum_takes_the_memory_it_may(self):
        row = {"random": "normal", "shape": [1, 200_000], "seed": 1}
        path = self.written({"queries": row, "keys": row | {"seed": 2}, "values": [[1]]})
        for words in (["why", path, "S[1,1]"], ["why", path, "S"], ["run", path, "--explain", "cells"]):
            code, errors, peak = peak_of(*words)
            self.assertEqual(code, 0, errors)
            self.assertNotIn(b"error", errors)
            self.assertLess(peak, 200 * MIB, words)
        for words in (["why", path, "S[1,1]", "--full"], ["why", path, "S", "--full"],
                      ["run", path, "--explain", "cells", "--full"]):
            code, errors, peak = peak_of(*words, "--max-memory", "200M")
            self.assertEqual(code, 3, words)
            self.assertIn(b"--max-memory", errors)
            self.assertLess(peak, 200 * MIB, words)
            self.assertEqual(peak_of(*words, "--max-memory", "1500M")[0], 0)
            self.assertLess(peak_of(*words, "--max-memory", "1500M")[2], 1500 * MIB)

    def test_random_numbers_are_not_drawn_for_what_is_refused(self):
        shape = {"random": "normal", "shape": [100_000, 2000], "seed": 1}  # 1.5 GiB, which --max-memory allows
        for problem in ({"inputs": shape}, {"queries": shape, "keys": shape | {"seed": 2}}):
            for options in ([], ["--format", "json"]):
                done = attn("run", self.written(problem), *options, limit=1024 * MIB)
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertTrue(b"the steps of this problem take" in done.stderr or b"do not fit" in done.stderr,
                                done.stderr)

    def test_no_number_is_drawn_before_all_shapes_fit(self):
        large = {"random": "normal", "shape": [100_000, 2000], "seed": 1}  # 1.5 GiB, which --max-memory allows
        inputs = [[1, 2], [3, 4]]
        row = {"random": "normal", "shape": [200_000_000], "seed": 1}
        for rest in ({"weights": {"query": large, "key": [[1], [1]], "value": [[1], [1]]}},
                     {"weights": {"output": large}},
                     {"weights": {"query": [[1], [1]], "key": [[1], [1]], "value": [[1], [1]]}, "biases": {"key": row}},
                     {"mask": {"add": large}}, {"mask": {"allow": large}}, {"mask": [{"block": large}]},
                     {"past": {"keys": large, "values": [[1, 2]]}}, {"appended": {"keys": large, "values": [[1, 2]]}},
                     {"positions": {"type": "learned", "table": large}}, {"positions": {"type": "t5", "table": large}},
                     {"score": {"type": "general", "weight": large}}, {"softmax": {"type": "sink", "sink": row}}):
            with self.subTest(rest=rest):
                done = attn("run", self.written({"inputs": inputs} | rest), limit=512 * MIB)
                self.assertEqual(done.returncode, 2, done.stderr)
        tokens = {"tokens": ["a", "b"], "embeddings": {"a": row, "b": [1, 2]}}
        self.assertEqual(attn("run", self.written(tokens), limit=512 * MIB).returncode, 2)

    def test_no_number_is_drawn_for_what_does_not_fit(self):
        wide = {"inputs": [[1, 2], [3, 4]],
                "weights": {"output": {"random": "normal", "shape": [2, 80_000_000], "seed": 1}}}
        done = attn("run", self.written(wide), limit=512 * MIB)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn(b"the steps of this problem take", done.stderr)
        tokens = {"tokens": ["a"] * 1000, "embeddings": {"a": {"random": "normal", "shape": [150_000], "seed": 1}}}
        done = attn("run", self.written(tokens), limit=512 * MIB)
        self.assertEqual(done.returncode, 3, done.stderr)

    def test_lengths_take_time_that_grows_with_their_number(self):
        count = 300_000
        problem = {"inputs": [[[1]]] * count, "lengths": [1] * count, "digits": -1}
        began = time.monotonic()
        done = attn("run", self.written(problem))
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertLess(time.monotonic() - began, 20)  # it took over a minute where each looked for the longest

    def test_vectors_are_drawn_in_time_that_grows_with_their_numbers(self):
        vectors = lambda count, seed: {"random": "normal", "shape": [count, 1024], "seed": seed}
        path = self.written({"queries": vectors(2048, 1), "keys": vectors(100, 2)})
        for format in ("text", "svg"):
            plainly = seconds_of("run", path, "--explain", "result", "--format", "text")
            drawn = seconds_of("run", path, "--geometry", "--explain", "result", "--format", format)
            self.assertLess(drawn - plainly, 20)  # it took over a minute where it grew as the cube of the width

    def test_of_many_ragged_sequences_the_notes_are_summed_up(self):
        tokens = [["a", "b"] if i % 2 else ["a"] for i in range(20_000)]
        problem = json.dumps({"tokens": tokens, "embeddings": {"a": [1, 0], "b": [0, 1]}})
        done = attn("run", "-", text=problem.encode())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"attn: note: --full shows all\n", done.stderr)
        self.assertIn(b"9992 more notes of this kind\n", done.stdout)
        self.assertLess(len(done.stdout), 10_000)

    def test_numbers_drawn_late_are_those_drawn_early(self):
        # Cut to one length with a few more tokens, the same numbers are drawn while reading.
        late = {"inputs": {"random": "normal", "shape": [400, 300], "seed": 3}}
        early = {"inputs": {"random": "normal", "shape": [400, 300], "seed": 3}, "max_tokens": 399}
        first = json.loads(attn("run", self.written(late), "--format", "json", "--only", "inputs").stdout)
        other = json.loads(attn("run", self.written(early), "--format", "json", "--only", "inputs").stdout)
        self.assertEqual(first["steps"][0]["data"][:399], other["steps"][0]["data"])
        self.assertTrue(first["statement"].startswith("sha256:"))
        self.assertNotEqual(first["statement"], other["statement"])

    def test_the_statement_of_random_numbers_is_that_of_the_same_numbers_written_out(self):
        drawn = {"inputs": {"random": "normal", "shape": [400, 300], "seed": 3}}
        trace = json.loads(attn("run", self.written(drawn), "--format", "json", "--only", "inputs",
                                "--dtype", "f64").stdout)
        single = json.loads(attn("run", self.written(drawn), "--format", "json", "--only", "context",
                                 "--dtype", "f32").stdout)
        self.assertEqual(trace["statement"], single["statement"])  # the command line's dtype is no part of it
        plain = json.loads(attn("run", self.written({"inputs": trace["steps"][0]["data"]}), "--format", "json",
                                "--only", "inputs").stdout)
        self.assertEqual(trace["statement"], plain["statement"])

    def long_words(self, letters):
        """Problems in which one word is that long, by what it is."""
        word = "x" * letters
        problem = {"inputs": [[1, 2], [3, 4]]}
        return {"title": problem | {"title": word}, "label": problem | {"tokens": [word, "b"]},
                "note": problem | {"notes": [word]}}

    @unittest.skipIf(SANITIZED, "sanitizers take memory of their own")
    def test_a_long_word_takes_memory_as_it_is_long(self):
        for where, problem in self.long_words(500_000).items():
            for name in ("text", "markdown", "latex", "html", "svg", "csv", "json"):
                with self.subTest(where=where, format=name):
                    done = attn("run", self.written(problem), "--format", name, limit=512 * MIB)
                    self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_long_word_takes_time_as_it_is_long(self):
        # Four times as much takes four times as long; were it squared, sixteen times.
        for name, letters in (("text", 1_000_000), ("svg", 100_000), ("markdown", 200_000), ("latex", 200_000),
                              ("html", 200_000)):
            for where in ("title", "note"):
                with self.subTest(where=where, format=name):
                    short = seconds_of("run", self.written(self.long_words(letters)[where]), "--format", name)
                    long = seconds_of("run", self.written(self.long_words(4 * letters)[where]), "--format", name)
                    self.assertLess(long, 8 * short + 0.05)

    def test_of_short_work_nothing_is_said_even_on_a_terminal(self):
        ours, theirs = pty.openpty()
        done = attn("demo", "--format", "json", errors=theirs)
        os.close(theirs)
        self.assertEqual(done.returncode, 0)
        try:
            said = os.read(ours, 1000)
        except OSError:
            said = b""
        os.close(ours)
        self.assertEqual(said, b"")


if __name__ == "__main__":
    sys.exit(0 if unittest.main(exit=False).result.wasSuccessful() else 1)
