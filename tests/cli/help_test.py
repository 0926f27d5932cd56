"""What the program says of itself: --help, the manual and completions, which are made of one table."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "property"))

from terminal import in_terminal

ATTN = os.path.abspath(os.environ["ATTN"])
ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
SHELLS = ("bash", "zsh", "fish")


def attn(*words, locale="C.UTF-8"):
    environment = {"PATH": os.environ["PATH"], "LC_ALL": locale}
    return subprocess.run([ATTN, *words], capture_output=True, encoding="utf-8", env=environment, timeout=60)


def printed(*words):
    done = attn(*words)
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout


COMMANDS = re.findall(r"^  (\w+)  ", printed("--help").split("Exit codes")[0].split("See every number:")[1], re.M)


def options_of(command):
    """The options that --help lists: (short or "", long, value or "", whether it has choices)."""
    found = re.findall(r"^  (-\w, |    )(--[\w-]+)(?: (\S+))?", printed(command, "--help"), re.M)
    return [(short.strip(" ,"), long, value) for short, long, value in found]


def plain(troff):
    return troff.replace(r"\-", "-").replace(r"\(aq", "'").replace(r"\fB", "").replace(r"\fR", "").replace(r"\fI", "")


class Help(unittest.TestCase):
    def test_there_are_as_many_commands_as_the_table_has(self):
        self.assertGreaterEqual(len(COMMANDS), 12)
        self.assertIn("run", COMMANDS)

    def test_the_documentation_lists_every_command_and_has_a_section_on_each(self):
        with open(os.path.join(ROOT, "docs", "commands.md"), encoding="utf-8") as file:
            text = file.read()
        table = text.split("| command | does |")[1].split("\n\n")[0]
        self.assertEqual(sorted(re.findall(r"^\| \[`(\w+)`\]", table, re.M)), sorted(COMMANDS))
        sections = " ".join(re.findall(r"^## (.*)", text, re.M))
        for command in COMMANDS:
            self.assertRegex(sections, rf"attn {command}\b")

    def test_the_documentation_tells_of_every_option(self):
        text = ""
        for name in ("commands.md", "real-models.md"):
            with open(os.path.join(ROOT, "docs", name), encoding="utf-8") as file:
                text += file.read()
        told = set(re.findall(r"--[\w-]+", text))
        for command in COMMANDS:
            self.assertEqual([long for _, long, _ in options_of(command) if long not in told], [], command)

    def test_every_option_is_in_the_manual_and_in_every_completion(self):
        scripts = {shell: printed("completion", shell) for shell in SHELLS}
        for command in COMMANDS:
            page = plain(printed("man", command))
            for short, long, value in options_of(command):
                with self.subTest(command=command, option=long):
                    self.assertRegex(page, rf"(?m)^({short}, )?{long}( {re.escape(value)})?$")
                    of_bash = re.search(rf"^    {command}\)\n(.*?)^      esac ;;", scripts["bash"], re.M | re.S)[1]
                    self.assertRegex(of_bash, rf"[' ]{long}[' ]")
                    of_zsh = re.search(rf"^    {command}\)\n(.*?);;$", scripts["zsh"], re.M | re.S)[1]
                    self.assertIn(f"{long}[", of_zsh)
                    self.assertRegex(scripts["fish"], rf"seen_subcommand_from {command}' -l {long[2:]} ")

    def test_the_manual_of_the_program_names_every_command_and_exit_code(self):
        page = plain(printed("man"))
        for command in COMMANDS:
            self.assertIn(f".B {command}\n", page)
        self.assertEqual(re.findall(r"^\.TP\n(\d)$", page, re.M), ["0", "1", "2", "3"])

    def test_no_line_is_wider_than_the_terminal_and_no_word_is_cut(self):
        for command in COMMANDS:
            wide = printed(command, "--help")
            for columns in (40, 59, 60, 80, 200):
                with self.subTest(command=command, columns=columns):
                    shown = in_terminal([ATTN, command, "--help"], columns=columns)[1].decode()
                    told = shown.split("For example")[0]
                    self.assertEqual(told.split(), wide.split("For example")[0].split())
                    self.assertLessEqual(max(map(len, told.splitlines())), min(columns, 100))

    def test_a_text_that_is_piped_is_80_columns_wide(self):
        for words in [["--help"], *([command, "--help"] for command in COMMANDS)]:
            self.assertLessEqual(max(map(len, printed(*words).splitlines())), 80, words)

    def test_help_of_a_command_is_there_by_either_spelling(self):
        for command in COMMANDS:
            self.assertEqual(printed("help", command), printed(command, "--help"))
            self.assertEqual(printed(command, "-h"), printed(command, "--help"))
        self.assertEqual(printed("help"), printed("--help"))

    def test_every_command_has_an_example_and_the_examples_work(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(os.path.join(ROOT, "data"), os.path.join(folder, "data"))
            os.symlink(ATTN, os.path.join(folder, "attn"))
            environment = {"PATH": folder + os.pathsep + os.environ["PATH"], "LC_ALL": "C.UTF-8"}
            for command in COMMANDS:
                examples = printed(command, "--help").split("For example:\n")[1].splitlines()
                for example in examples:
                    done = subprocess.run(["bash", "-c", example], cwd=folder, env=environment, capture_output=True,
                                          encoding="utf-8", timeout=120)
                    expected = 1 if command == "diff" else 0
                    self.assertEqual(done.returncode, expected, (example, done.stderr))

    def test_what_a_command_does_not_do_is_not_among_its_options(self):
        for command in ("list", "mistakes", "check", "golden", "diff", "bench"):
            names = [long for _, long, _ in options_of(command)]
            for name in ("--heatmap", "--slides", "--beamer"):
                self.assertNotIn(name, names, command)


class Completion(unittest.TestCase):
    def completed(self, *words):
        script = 'source /dev/stdin; shift 0; COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); _attn; printf "%s\\n" "${COMPREPLY[@]}"'
        done = subprocess.run(["bash", "-c", script, "bash", *words], input=printed("completion", "bash"),
                              capture_output=True, encoding="utf-8", timeout=60, cwd=ROOT)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_bash_completes_commands_options_values_and_files(self):
        self.assertEqual(self.completed("attn", "gol"), ["golden"])
        self.assertEqual(self.completed("attn", "run", "--prec"), ["--precision"])
        self.assertEqual(self.completed("attn", "run", "--format", "mark"), ["markdown"])
        self.assertEqual(self.completed("attn", "why", "data/worked-example-scaled.j"), ["data/worked-example-scaled.json"])
        self.assertEqual(self.completed("attn", "help", "mis"), ["mistakes"])
        self.assertEqual(self.completed("attn", "schema", "ans"), ["answers"])

    def test_the_scripts_are_ones_that_their_shells_can_read(self):
        for shell in SHELLS:
            if not shutil.which(shell):
                print(f"{shell} is not here: its completion is not read", file=sys.stderr)
                continue
            with self.subTest(shell=shell):
                done = subprocess.run([shell, "-n", "/dev/stdin"], input=printed("completion", shell),
                                      capture_output=True, encoding="utf-8", timeout=60)
                self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_an_unknown_shell_is_refused(self):
        done = attn("completion", "tcsh")
        self.assertEqual(done.returncode, 2)
        self.assertIn("bash, zsh, fish", done.stderr)


class Manual(unittest.TestCase):
    @unittest.skipUnless(shutil.which("groff"), "groff is not here")
    def test_no_page_has_a_fault_in_it(self):
        for words in [[], *([command] for command in COMMANDS)]:
            done = subprocess.run(["groff", "-man", "-ww", "-Tutf8", "-Kutf8"], input=printed("man", *words),
                                  capture_output=True, encoding="utf-8", timeout=60)
            self.assertEqual((done.returncode, done.stderr), (0, ""), words)


class Locales(unittest.TestCase):
    def test_nothing_but_ascii_is_shown_where_the_locale_has_no_more(self):
        example = os.path.join(ROOT, "data", "worked-example.json")
        for words in (["--help"], ["check", "--help"], [example], ["why", example, "C[1,2]"], ["list"]):
            self.assertTrue(attn(*words, locale="C").stdout.isascii(), words)
            self.assertTrue(attn(*words, locale="POSIX").stdout.isascii(), words)
            self.assertFalse(attn(*words, locale="en_US.UTF-8").stdout.isascii() and words[0] != "--help", words)

    def test_complaints_are_ascii_there_too_and_their_carets_stay_below_what_is_meant(self):
        with tempfile.TemporaryDirectory() as folder:
            problem = os.path.join(folder, "p.json")
            with open(problem, "w", encoding="utf-8") as file:
                file.write('{"inputs": [[' + "1, " * 60 + '1]], "x-√d": "…", "hüte": 2}')
            for locale, key in (("C.UTF-8", "hüte"), ("C", "h\\u{fc}te")):
                said = attn(problem, locale=locale).stderr
                self.assertEqual(said.isascii(), locale == "C")
                source, carets = said.split("\n")[1:3]
                begin = carets.index("^")
                self.assertEqual(source[begin:begin + carets.count("^")], f'"{key}"')
            self.assertTrue(attn("run", problem, "--häads", locale="C").stderr.isascii())
            self.assertTrue(attn("demo", locale="C").stderr.isascii())
            self.assertTrue(attn("golden", os.path.join(folder, "hüte.json"), locale="C").stdout.isascii())
            ends = [attn("run", problem, "--only", locale=locale).stderr for locale in ("C", "C.UTF-8")]
            self.assertEqual(*ends)

    def test_a_file_does_not_depend_on_the_locale(self):
        example = os.path.join(ROOT, "data", "worked-example.json")
        with tempfile.TemporaryDirectory() as folder:
            for locale in ("C", "C.UTF-8"):
                attn(example, "-o", os.path.join(folder, locale + ".txt"), locale=locale)
            with open(os.path.join(folder, "C.txt"), "rb") as one, open(os.path.join(folder, "C.UTF-8.txt"), "rb") as other:
                self.assertEqual(one.read(), other.read())


class Demo(unittest.TestCase):
    def test_the_three_things_to_try_work(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(os.path.join(ROOT, "data"), os.path.join(folder, "data"))
            os.symlink(ATTN, os.path.join(folder, "attn"))
            environment = {"PATH": folder + os.pathsep + os.environ["PATH"], "LC_ALL": "C.UTF-8"}
            for place in (folder, tempfile.gettempdir()):
                done = subprocess.run([ATTN, "demo"], cwd=place, env=environment, capture_output=True, encoding="utf-8",
                                      timeout=60)
                commands = [line.strip() for line in done.stderr.splitlines() if line.startswith("  attn ")]
                self.assertEqual(len(commands), 3)
                for command in commands:
                    tried = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True,
                                           encoding="utf-8", timeout=60)
                    self.assertEqual(tried.returncode, 0, (command, tried.stderr))

    def test_nothing_is_said_where_the_example_goes_to_a_program(self):
        self.assertEqual(attn("demo", "--format", "json").stderr, "")


class Mistyped(unittest.TestCase):
    def assert_refused(self, words, *parts):
        done = attn(*words)
        self.assertEqual((done.returncode, done.stdout), (2, ""), words)
        for part in parts:
            self.assertIn(part, done.stderr)

    def test_whoever_mistypes_is_told_what_was_meant(self):
        example = os.path.join(ROOT, "data", "worked-example.json")
        self.assert_refused(["--halp"], "no option `--halp`", "did you mean `--help`?")
        self.assert_refused(["rnu"], "did you mean `run`?")
        self.assert_refused(["help", "rnu"], "did you mean `run`?")
        self.assert_refused(["help", "run", "demo"], "`demo` is one argument too many for `attn help`",
                            "usage: attn help COMMAND")
        self.assert_refused(["--completion"], "attn completion is a command")
        self.assert_refused(["--verison"], "attn has no option `--verison`", "did you mean `--version`?")
        self.assert_refused(["run", example, "–explain", "steps"], "an option begins with two plain dashes: --")
        self.assert_refused(["run", example, "--", "--brief"], "`--brief` is one argument too many", "behind --")
        self.assert_refused(["run", example, "--query", "x"], "picks none of the problem's queries", "from 1 to 3")
        self.assertEqual(printed("help", "help"), printed("--help"))
        self.assert_refused(["check", example, "--stpes", "A"], "did you mean `--steps`?", "attn check --help")

    def test_a_missing_word_is_named_with_what_it_is(self):
        example = os.path.join(ROOT, "data", "worked-example.json")
        self.assert_refused(["run"], "`attn run` needs FILE: a problem", "attn run [OPTIONS] FILE")
        self.assert_refused(["why", example], "`attn why` needs STEP", "attn why [OPTIONS] FILE STEP")
        self.assert_refused(["diff", example], "`attn diff` needs B")
        self.assert_refused(["run", example, "--query"], "nothing stands behind `--query`")
        self.assert_refused(["run", "--explain", example], f"`{example}` is read as what --explain is")

    def test_words_in_another_order_are_told_which_comes_first(self):
        example = os.path.join(ROOT, "data", "worked-example.json")
        self.assert_refused(["why", "scores[1,2]", example], f"attn why {example} 'scores[1,2]'")
        self.assert_refused(["check", "mine.txt", example], "the problem comes first")
        self.assert_refused(["check", example, "mine.npz"], "those are .json, .txt and .csv")

    def test_files_of_another_kind_are_called_by_what_they_are(self):
        with tempfile.TemporaryDirectory() as folder:
            for begin, name in ((b"%PDF-1.4\n%\xe2\xe3", "a PDF"), (b"\x7fELF\x02\x01\x01\x00", "a program"),
                                (b"\x80\x04\x95\x10", "pickled"), ("[1]".encode("utf-32"), "UTF-32"),
                                (b"\x89PNG\r\n\x1a\n\x00", "a picture")):
                path = os.path.join(folder, "x.json")
                with open(path, "wb") as file:
                    file.write(begin)
                self.assert_refused(["run", path], "this is no JSON text: it is " + name)

    def test_what_is_to_be_written_nowhere_is_told_so(self):
        example = os.path.join(ROOT, "data", "worked-example.json")
        done = attn("run", example, "-o", "no-folder/x.html")
        self.assertEqual(done.returncode, 3)
        self.assertIn("there is no folder no-folder", done.stderr)
        self.assert_refused(["run", example, "-o", "x.html", "--format", "json"], "--format json is for a file whose")

    def test_an_equals_sign_behind_one_letter_is_not_made_part_of_a_name(self):
        example = os.path.join(ROOT, "data", "worked-example.json")
        for words in (["-o=x.txt"], ["-o", "=x.txt"]):
            self.assert_refused(["run", example, *words], "`=x.txt` begins with an equals sign", "write x.txt alone, behind a blank; or ./=x.txt")
        with tempfile.TemporaryDirectory() as folder:
            meant = attn("run", example, "-o", os.path.join(folder, "=x.txt"))
            self.assertEqual((meant.returncode, os.listdir(folder)), (0, ["=x.txt"]))

    def test_a_complaint_has_no_colour_where_none_is_wanted(self):
        for words in (["--color", "never"], ["--color=never"]):
            code, said = in_terminal([ATTN, "run", "p.json", "--nonsense", *words])
            self.assertEqual((code, said.count(b"\x1b[")), (2, 0))

    def test_a_word_too_many_is_named(self):
        example = os.path.join(ROOT, "data", "worked-example.json")
        self.assert_refused(["run", example, "again"], "`again` is one argument too many", "attn run [OPTIONS] FILE")
        self.assert_refused(["run", example, "--query", "1", "--query", "2"], "`--query` is given more than once")
        self.assert_refused(["run", example, "--full=3"], "`--full` takes no value")

    def test_a_mistyped_file_is_told_which_one_is_near(self):
        near = os.path.join(ROOT, "data", "worked-example.json")
        self.assert_refused([os.path.join(ROOT, "data", "worked-exmple.json")], f"did you mean `{near}`?")

    def test_a_folder_of_problems_is_compared_with_its_goldens(self):
        files = [os.path.join(ROOT, "data", name) for name in sorted(os.listdir(os.path.join(ROOT, "data")))
                 if name.endswith(".json")]
        self.assertEqual(printed("golden", os.path.join(ROOT, "data")), printed("golden", *files))
        with tempfile.TemporaryDirectory() as folder:
            self.assert_refused(["golden", folder], "has no problems")

    def test_a_family_of_mistakes_is_listed_by_its_name(self):
        told = printed("mistakes", "scale")
        self.assertIn("scale.none", told)
        self.assertNotIn("softmax.columns", told)


if __name__ == "__main__":
    unittest.main()
