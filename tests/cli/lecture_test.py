"""`attn run --pause`: a lecture, in a terminal that only pretends to be one."""

import fcntl
import json
import os
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

try:
    import pty
    os.close(os.open("/dev/ptmx", os.O_RDWR))
except (ImportError, OSError) as why:
    print(f"skipped: no pseudo-terminal here ({why})")
    sys.exit(77)

ATTN = os.path.abspath(os.environ["ATTN"])
ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
DATA = os.path.join(ROOT, "data")
EXAMPLE = os.path.join(DATA, "worked-example.json")
RAGGED = os.path.join(DATA, "ragged-batch.json")

ESCAPE = re.compile(r"\x1b\[([?\d;]*)([A-Za-z])")
UP, DOWN, RIGHT, LEFT = "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D"


class Screen:
    """As much of a terminal as the program needs: a main and another screen of lines."""

    def __init__(self, rows):
        self.rows = rows
        self.main, self.lines = "", {}
        self.other = False
        self.row = 1
        self.cursor_shown = self.wraps = True

    def feed(self, text):
        at = 0
        while at < len(text):
            if text[at] == "\x1b":
                found = ESCAPE.match(text, at)
                assert found, f"not known to terminals: {text[at:at + 12]!r}"
                self.escape(found[1], found[2])
                at = found.end()
                continue
            end = text.find("\x1b", at)
            end = len(text) if end < 0 else end
            self.put(text[at:end])
            at = end

    def escape(self, numbers, letter):
        if letter == "H":
            self.row = int(numbers.split(";")[0] or 1)
        elif letter == "J":
            self.lines = {}
        elif letter in "hl" and numbers == "?1049":
            self.other = letter == "h"
            self.lines = {}
        elif letter in "hl" and numbers == "?25":
            self.cursor_shown = letter == "h"
        elif letter in "hl" and numbers == "?7":
            self.wraps = letter == "h"
        else:
            assert letter == "m", f"unexpected escape {numbers}{letter}"

    def put(self, text):
        if not self.other:
            self.main += text
            return
        assert not re.search(r"[\x00-\x1f\x7f-\x9f]", text), f"steers the terminal: {text!r}"
        assert self.row <= self.rows, f"line {self.row} of {self.rows}: {text!r}"
        self.lines[self.row] = self.lines.get(self.row, "") + text

    def body(self):
        last = max((row for row in self.lines if row < self.rows), default=0)
        return [self.lines.get(row, "") for row in range(1, last + 1)]

    def status(self):
        return self.lines.get(self.rows, "")


class Lecture:
    """The program in a terminal; what it shows once it waits for a key."""

    def __init__(self, *words, rows=200, columns=80, term="xterm-256color", script=None, ignored=()):
        """`script`: of a shell that starts the program as "$@"; `ignored`: signals that whoever starts it ignores."""
        self.process, self.screen = None, Screen(rows)
        self.main, self.side = pty.openpty()
        self.size(rows, columns)
        self.before = termios.tcgetattr(self.side)
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TERM": term}
        shell = ["sh", "-c", script, "sh"] if script else []

        def prepare():
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
            for number in ignored:
                signal.signal(number, signal.SIG_IGN)

        self.process = subprocess.Popen([*shell, ATTN, *words], stdin=self.side, stdout=self.side, stderr=self.side,
                                        env=environment, start_new_session=True, preexec_fn=prepare)
        self.raw, self.read_so_far = "", b""
        self.settle()

    def size(self, rows, columns):
        fcntl.ioctl(self.side, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.screen.rows = rows

    def settle(self, until=None, patience=30.0):
        """Reads until the screen is drawn whole (and says that), or the program has ended."""
        end = time.monotonic() + patience
        any_read = False
        while time.monotonic() < end:
            ended = self.process.poll() is not None
            ready = select.select([self.main], [], [], 0.02 if until else 0.15)[0]
            if ready:
                self.read_so_far += os.read(self.main, 65536)
                any_read = True
                continue
            text = self.read_so_far.decode("utf-8", errors="surrogateescape")
            self.read_so_far = b""
            self.raw += text
            self.screen.feed(text)
            drawn = any_read and self.screen.other and self.screen.status()
            if ended or (drawn and (until is None or until in self.screen.status())):
                return self
        raise AssertionError(f"waited for {until!r}, and the terminal shows {self.screen.body()} {self.screen.status()}")

    def wait_for(self, words, patience=30.0):
        """Reads until these stand on the main screen."""
        end = time.monotonic() + patience
        while words not in self.screen.main or self.screen.other:
            assert time.monotonic() < end, f"waited for {words!r}, and the terminal shows {self.screen.main!r}"
            if select.select([self.main], [], [], 0.1)[0]:
                self.screen.feed(os.read(self.main, 65536).decode("utf-8", errors="surrogateescape"))

    def press(self, keys, until=None):
        assert self.process.poll() is None, "it has ended: " + self.screen.main
        os.write(self.main, keys.encode())
        return self.settle(until)

    def resized(self, rows, columns, until=None):
        self.size(rows, columns)
        self.screen.lines = {}
        return self.settle(until)

    def body(self):
        return self.screen.body()

    def status(self):
        return self.screen.status()

    def text(self):
        return "\n".join(self.body())

    def ended(self):
        code = self.process.wait(timeout=30)
        self.settle()
        return code

    def close(self):
        if self.process and self.process.poll() is None:
            os.write(self.main, b"\x03")  # a way out wherever it is: what counts lines then writes what it has counted
            try:
                self.process.wait(timeout=2)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        os.close(self.main)
        os.close(self.side)


def ordinary(*words):
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
    return subprocess.run([ATTN, *words], capture_output=True, encoding="utf-8", env=environment, check=True,
                          timeout=60).stdout.split("\n")


def solid(lines):
    return [line.rstrip() for line in lines if line.strip()]


class Lectures(unittest.TestCase):
    def lecture(self, *words, **more):
        lecture = Lecture(*(words or ("run", EXAMPLE, "--pause")), **more)
        self.addCleanup(lecture.close)
        return lecture

    def at(self, lecture, stop):
        self.assertRegex(lecture.status(), rf"^{stop}/\d+ · ")

    def assert_left_clean(self, lecture):
        """The terminal is as it was, and nothing stands on its main screen."""
        self.assertEqual(termios.tcgetattr(lecture.side), lecture.before)
        screen = lecture.screen
        self.assertEqual((screen.other, screen.cursor_shown, screen.wraps), (False, True, True))
        self.assertEqual(screen.main, "")


class Steps(Lectures):
    def test_every_stop_is_shown_once_and_together_they_are_the_whole(self):
        for words in (["run", EXAMPLE], ["demo"], ["run", RAGGED, "--explain", "rows"],
                      ["run", os.path.join(DATA, "worked-example-causal.json"), "--heatmap", "--color", "never"]):
            lecture = self.lecture(*words, "--pause")
            count = int(re.match(r"1/(\d+) ", lecture.status())[1])
            shown, statuses = [], []
            for stop in range(1, count + 1):
                self.at(lecture, stop)
                shown.append(lecture.body())
                statuses.append(lecture.status())
                if stop < count:
                    lecture.press("\r", f"{stop + 1}/{count} ")
            self.assertEqual(len({"\n".join(body) for body in shown}), count, words)
            self.assertIn("the end", statuses[-1])
            self.assertFalse([status for status in statuses[:-1] if "the end" in status])
            # Beyond what is there only headlines come again, above what they are about.
            whole = solid(ordinary(*words))
            seen = [line for body in shown for line in solid(body)]
            rest = iter(seen)
            self.assertTrue(all(line in rest for line in whole), words)
            self.assertEqual(set(seen), set(whole))
            lecture.press("\r", "the end")
            self.at(lecture, count)

    def test_the_headline_stands_above_every_stop_of_its_part(self):
        lecture = self.lecture()
        parts = 0
        while "the end" not in lecture.status():
            following = int(lecture.status().split("/")[0]) + 1
            lecture.press(" ", f"{following}/")
            if "s₁ = q₁·Kᵀ" in lecture.text() or "a₁ = E₁ / z₁" in lecture.text():
                parts += 1
                self.assertEqual(lecture.body()[0], "Query 1 · Input 1")
        self.assertEqual(parts, 2)

    def test_forward_and_back(self):
        lecture = self.lecture()
        first = lecture.body()
        for stop, key in enumerate(["\r", " ", RIGHT, "\n"], start=2):
            lecture.press(key, f"{stop}/")
        for stop, key in zip([4, 3, 2, 1], ["b", LEFT, "\x7f", "\x08"]):
            lecture.press(key, f"{stop}/")
        self.assertEqual(lecture.body(), first)
        lecture.press("b", "beginning")
        self.at(lecture, 1)

    def test_a_number_jumps(self):
        lecture = self.lecture()
        lecture.press("12", "to 12")
        lecture.press("\r", "12/")
        twelfth = lecture.body()
        lecture.press("13", "to 13")
        lecture.press("\x7f", "to 1:")
        lecture.press("\r", "1/")
        for _ in range(11):
            lecture.press("\r")
        self.assertEqual(lecture.body(), twelfth)
        lecture.press("5")
        lecture.press("\x1b", "12/")
        self.assertNotIn("to 5", lecture.status())
        lecture.press("999", "to 999")
        lecture.press("\r", "there is no 999: this is the last")
        lecture.press("0")
        lecture.press("\r", "the first is 1")
        self.at(lecture, 1)

    def test_a_stop_taller_than_the_screen_is_scrolled_through_first(self):
        tall = self.lecture("run", RAGGED, "--pause", rows=200)
        low = self.lecture("run", RAGGED, "--pause", rows=12)
        for _ in range(6):
            whole, seen = solid(tall.body()), []
            stop = tall.status().split("/")[0]
            while True:
                self.at(low, stop)
                self.assertLessEqual(len(low.body()), 10)
                seen += [line for line in solid(low.body()) if line not in seen]
                more = "more line" in low.status()
                low.press("\r")
                if not more:
                    break
            self.assertEqual(set(seen), set(whole))
            tall.press("\r")
        self.assertEqual(low.status().split("/")[0], tall.status().split("/")[0])

    def test_the_terminal_may_change_its_size(self):
        lecture = self.lecture(rows=40, columns=80)
        lecture.press("2")
        lecture.press("\r", "2/")
        wide = lecture.body()
        lecture.resized(40, 50, "2/")
        self.assertNotEqual(lecture.body(), wide)
        self.assertTrue(all(len(line) <= 50 for line in lecture.body() + [lecture.status()]))
        lecture.resized(8, 50, "more line")
        self.assertLessEqual(len(lecture.body()), 6)
        lecture.resized(40, 80, "2/")
        self.assertEqual(lecture.body(), wide)
        for rows, columns in ((1, 1), (2, 3), (3, 10), (500, 300)):
            lecture.size(rows, columns)
            lecture.screen.lines = {}
            lecture.settle()
        lecture.press("q")
        self.assertEqual(lecture.ended(), 0)

    def test_options_of_run_hold_here_too(self):
        lecture = self.lecture("run", EXAMPLE, "--pause", "--ascii", "--heatmap", "--explain", "steps")
        while "the end" not in lecture.status():
            self.assertTrue((lecture.text() + lecture.status()).isascii())
            lecture.press("\r")
        lecture = self.lecture("run", EXAMPLE, "--pause", "--color", "never")
        lecture.press("\r", "2/")
        self.assertNotIn("38;5", lecture.raw)
        lecture = self.lecture("run", EXAMPLE, "--pause")
        lecture.press("\r", "2/")
        self.assertIn("38;5", lecture.raw)

    def test_other_peoples_text_cannot_steer_the_terminal(self):
        problem = ('{"title": "\\u001b]0;gone\\u0007\\u001b[2J", "queries": [[1, 0]], "keys": [[1, 0], [0, 1]],'
                   '"values": [[1], [2]], "tokens": {"query": ["q"], "key": ["\\u001b[31m", "a\\u202eb"]}}')
        path = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"attn-lecture-{os.getpid()}.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(problem)
        self.addCleanup(os.remove, path)
        lecture = self.lecture("run", path, "--pause")
        seen = lecture.text()
        while "the end" not in lecture.status():
            seen += lecture.press("\r").text()
        self.assertIn("\\x1b]0;gone\\x07\\x1b[2J", seen)
        self.assertIn("\\x1b[31m", seen)
        self.assertNotIn("\u202e", seen)


class Questions(Lectures):
    def test_why_is_answered_and_any_key_goes_back(self):
        lecture = self.lecture()
        lecture.press("5")
        lecture.press("\r", "5/")
        stop = lecture.body()
        lecture.press("w", "why, for example S[1,2]: ")
        self.assertTrue(lecture.screen.cursor_shown)
        lecture.press("scores[1,3", "scores[1,3")
        lecture.press("\x7f", "scores[1,")
        lecture.press("2]", "scores[1,2]")
        lecture.press("\r", "goes back")
        self.assertFalse(lecture.screen.cursor_shown)
        self.assertIn("S[1,2] = q₁·k₂ = 1×4 + 0×4 + 2×0 = 4", lecture.text())
        self.assertIn("W_K[1…4,1] = [0, 1, 0, 1]  (given)", lecture.text())
        lecture.press("x", "5/")
        self.assertEqual(lecture.body(), stop)

    def test_the_example_can_be_asked(self):
        lecture = self.lecture("run", RAGGED, "--pause")
        lecture.press("w", "why, for example ")
        example = lecture.status().split("example ")[1].split(":")[0]
        lecture.press(example, example)
        lecture.press("\r", "goes back")
        self.assertIn(f"{example} = ", lecture.text())

    def test_the_example_is_of_a_number_that_there_is(self):
        with open(os.path.join(DATA, "block-by-hand.json"), encoding="utf-8") as file:
            block = json.load(file)
        layer, = block["block"]["layers"]
        block["block"]["layers"] = [{"ffn": layer["ffn"], "norm1": layer["norm2"]}]
        one_key = {"queries": [[1, 0]], "keys": [[1, 0]], "values": [[1]]}
        for problem, example in ((one_key, "S[1,1]"), (block, "Y[1,2]")):  # which attends to nothing
            with self.subTest(example), tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "problem.json")
                with open(path, "w", encoding="utf-8") as file:
                    json.dump(problem, file)
                lecture = self.lecture("run", path, "--pause")
                lecture.press("w", f"why, for example {example}: ")
                lecture.press(example, example)
                lecture.press("\r", "goes back")
                self.assertIn(f"{example} = ", lecture.text())

    def test_what_cannot_be_answered_is_told_in_place(self):
        lecture = self.lecture()
        for question, parts in {"scroes[1,2]": ["`scroes`", "did you mean `scores`?"],
                                "scores[1,4]": ["key goes from 1 to 3"],
                                "scores[1,2": ["no ]"],
                                "猫": ["猫"]}.items():
            lecture.press("w", "why")
            lecture.press(question, question)
            lecture.press("\r", "goes back")
            for part in parts:
                self.assertIn(part, " ".join(line.strip() for line in lecture.body()))
            lecture.press("\r", "1/")

    def test_a_question_may_be_given_up(self):
        lecture = self.lecture()
        first = lecture.body()
        lecture.press("w", "why")
        lecture.press("scores猫", "scores猫")
        lecture.press("\x7f")
        self.assertTrue(lecture.status().endswith("scores"))
        lecture.press("\x1b", "1/")
        lecture.press("w", "why")
        self.assertTrue(lecture.status().endswith(": "))
        lecture.press("\r", "1/")
        self.assertEqual(lecture.body(), first)

    def test_a_tall_answer_is_scrolled_through(self):
        lecture = self.lecture(rows=12)
        lecture.press("w", "why")
        lecture.press("context[1,2]", "context[1,2]")
        lecture.press("\r", "more line")
        seen = solid(lecture.body())
        while "more line" in lecture.status():
            seen += [line for line in solid(lecture.press("\r").body()) if line not in seen]
        tree = [line for line in solid(ordinary("why", EXAMPLE, "context[1,2]")) if "[" in line]
        self.assertEqual([line for line in tree if line not in seen], [])
        lecture.press("\r", "1/")

    def test_what_is_typed_stays_text(self):
        lecture = self.lecture(columns=60)
        lecture.press("w", "why")
        lecture.press("\x07\x1b[31~" + "a" * 900 + "z" * 20, "a" * 50)
        self.assertLess(len(lecture.status()), 60)
        lecture.press("\r", "goes back")
        lecture.press("x", "1/")


class Endings(Lectures):
    def test_every_way_out_leaves_the_terminal_as_it_was(self):
        for keys in ("q", "\x03", "\x04", "\rq", "w\x03", "wscores\x04", "wscores[1,2]\rq", "12\x03"):
            lecture = self.lecture()
            self.assertNotEqual(termios.tcgetattr(lecture.side), lecture.before)
            self.assertTrue(lecture.screen.other)
            os.write(lecture.main, keys.encode())
            self.assertEqual(lecture.ended(), 0, repr(keys))
            self.assert_left_clean(lecture)

    def test_a_signal_ends_it_and_leaves_the_terminal_as_it_was(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
            lecture = self.lecture()
            lecture.process.send_signal(number)
            self.assertEqual(lecture.ended(), -number)
            self.assert_left_clean(lecture)

    def test_a_terminal_that_goes_away_ends_it(self):
        lecture = self.lecture()
        os.close(lecture.main)
        lecture.main = os.open(os.devnull, os.O_RDONLY)
        self.assertNotEqual(lecture.process.wait(timeout=30), None)

    def test_it_ends_where_what_it_is_shown_on_is_gone_and_keys_still_come(self):
        keys, screen = pty.openpty(), pty.openpty()
        process = subprocess.Popen([ATTN, "run", EXAMPLE, "--pause"], stdin=keys[1], stdout=screen[1],
                                   stderr=subprocess.DEVNULL, env={"PATH": os.environ["PATH"], "TERM": "xterm"},
                                   start_new_session=True)
        self.addCleanup(lambda: (process.kill(), process.wait()))
        while b"1/" not in os.read(screen[0], 65536):
            pass
        for end in screen:
            os.close(end)
        os.write(keys[0], b"\r")
        self.assertEqual(process.wait(timeout=30), 0)
        for end in keys:
            os.close(end)

    def test_it_can_be_stopped_and_gone_on_with(self):
        lecture = self.lecture("run", EXAMPLE, "--pause")
        lecture.press("3")
        lecture.press("\r", "3/")
        body = lecture.body()
        lecture.process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, lecture.process.pid, os.WSTOPPED)
        termios.tcsetattr(lecture.side, termios.TCSANOW, lecture.before)
        lecture.process.send_signal(signal.SIGCONT)
        os.waitid(os.P_PID, lecture.process.pid, os.WCONTINUED)
        lecture.screen.lines = {}
        lecture.settle("3/")
        self.assertEqual(lecture.body(), body)
        lecture.press("q")
        self.assertEqual(lecture.ended(), 0)
        self.assert_left_clean(lecture)


    def test_ctrl_z_goes_back_to_the_shell_until_it_goes_on(self):
        script = 'set -m; "$@"; echo stopped; read -r line; fg >/dev/null; echo "ended $?"'
        stopped_by = {"Ctrl-Z": lambda lecture: os.write(lecture.main, b"\x1a"),
                      "SIGTSTP": lambda lecture: os.kill(os.tcgetpgrp(lecture.main), signal.SIGTSTP)}
        for how, stop in stopped_by.items():
            with self.subTest(how):
                lecture = self.lecture("run", EXAMPLE, "--pause", script=script)
                lecture.press("3")
                lecture.press("\r", "3/")
                body = lecture.body()
                stop(lecture)
                lecture.wait_for("stopped")
                screen = lecture.screen
                self.assertEqual((screen.cursor_shown, screen.wraps), (True, True))
                self.assertEqual(termios.tcgetattr(lecture.side), lecture.before)
                lecture.press("\n", "3/")
                self.assertEqual(lecture.body(), body)
                self.assertNotEqual(termios.tcgetattr(lecture.side), lecture.before)
                os.write(lecture.main, b"q")
                lecture.wait_for("ended 0")
                self.assertEqual(lecture.ended(), 0)

    def test_a_signal_that_is_ignored_where_it_starts_stays_so(self):
        lecture = self.lecture("run", EXAMPLE, "--pause", ignored=(signal.SIGHUP, signal.SIGINT))
        for number in (signal.SIGHUP, signal.SIGINT):
            lecture.process.send_signal(number)
        lecture.press("\r", "2/")
        lecture.press("q")
        self.assertEqual(lecture.ended(), 0)
        self.assert_left_clean(lecture)


class Refusals(Lectures):
    def refused(self, code, words, parts, **more):
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TERM": "xterm"}
        done = subprocess.run([ATTN, *words], capture_output=True, encoding="utf-8", env=environment, timeout=60, **more)
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        self.assertRegex(done.stderr, r"^attn: error: --pause .*\n.*--pause.*\n +\^+\n  help: ")
        for part in parts:
            self.assertIn(part, done.stderr)

    def test_without_a_terminal_there_is_no_lecture(self):
        self.refused(3, ["run", EXAMPLE, "--pause"], ["standard input is no terminal"], stdin=subprocess.DEVNULL)
        self.refused(3, ["demo", "--pause"], ["standard input is no terminal"], stdin=subprocess.DEVNULL)
        main, side = pty.openpty()
        self.addCleanup(os.close, main)
        self.addCleanup(os.close, side)
        self.refused(3, ["run", EXAMPLE, "--pause"], ["standard output is no terminal"], stdin=side)
        lecture = self.lecture("run", EXAMPLE, "--pause", term="dumb")
        self.assertEqual(lecture.ended(), 3)
        self.assertIn("TERM is dumb", lecture.screen.main)

    def test_a_lecture_is_text_in_the_terminal(self):
        self.refused(2, ["run", EXAMPLE, "--pause", "--format", "html"], ["html"])
        self.refused(2, ["run", EXAMPLE, "--pause", "-o", "/nonexistent/lecture.txt"], ["-o"])

    def test_what_is_wrong_with_a_file_is_told_as_ever(self):
        lecture = self.lecture("run", os.path.join(DATA, "no-such.json"), "--pause")
        self.assertEqual(lecture.ended(), 2)
        self.assertIn("no-such.json", lecture.screen.main)
        self.assertNotIn("1049", lecture.raw)

    def test_it_is_told_by_help(self):
        for command in ("run", "demo"):
            self.assertIn("--pause", "\n".join(ordinary(command, "--help")))


if __name__ == "__main__":
    unittest.main()
