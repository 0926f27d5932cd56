"""`attn grade` as a teacher meets it who has a class and one evening."""

import csv
import io
import json
import math
import os
import re
import shutil
import socket
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

ATTN = os.path.abspath(os.environ["ATTN"])
ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
EXAMPLE = os.path.join(ROOT, "data", "worked-example.json")
SCALED = os.path.join(ROOT, "data", "worked-example-scaled.json")

QUERIES = [[1, 0, 2], [2, 2, 2], [2, 1, 3]]
KEYS = [[0, 1, 1], [4, 4, 0], [2, 3, 1]]
VALUES = [[1, 2, 3], [2, 8, 0], [2, 6, 3]]
SCORES = [[2, 4, 4], [4, 16, 12], [4, 12, 10]]
SLIP = [[2, 4, 4], [4, 16, 21], [4, 12, 10]]


def softmax(scores):
    rows = []
    for row in scores:
        powers = [math.exp(score - max(row)) for score in row]
        rows.append([f"{power / sum(powers):.2f}" for power in powers])
    return rows


def context(weights):
    return [[f"{sum(float(weight) * value[i] for weight, value in zip(row, VALUES)):.2f}" for i in range(3)]
            for row in weights]


def worked(scores, **more):
    weights = softmax(scores)
    return {"scores": scores, "attention_weights": weights, "context": context(weights), **more}


RIGHT = worked(SCORES)
KINDS = {
    "right": RIGHT,
    "slip": worked(SLIP),
    "scaled": {**worked([[score / math.sqrt(3) for score in row] for row in SCORES]), "scores": SCORES},
    "columns": {"scores": SCORES, "attention_weights": [list(row) for row in zip(*softmax(list(zip(*SCORES))))]},
    "blank": {**RIGHT, "context": [["1.94", None, None], None, None]},
    "coarse": {**RIGHT, "attention_weights": [["0", "0", "0"], ["0", "1", "0"], ["0", "1", "0"]]},
    "shape": {**RIGHT, "context": [[1, 2], [3, 4], [5, 6]]},
    "cell": {"scores": SCORES, "context": {"1,1": "1.94"}},
}
SCHEME = {"points": {"scores": 3, "attention_weights": 4, "context": 3}, "deduct": {"rounding.*": 0}, "round_to": 0.5}


def attn(*words, folder=None, text=None):
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
    return subprocess.run([ATTN, *words], input=text, capture_output=True, encoding="utf-8", env=environment,
                          cwd=folder, timeout=300)


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="attn-grade-")
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(content if isinstance(content, str) else json.dumps(content))
        return path

    def refused(self, *words, code=2, **more):
        done = self.grade(*words, **more)
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        self.assertIn("help: ", done.stderr)
        return done.stderr

    def grade(self, *words, keys=EXAMPLE, **more):
        return attn("grade", keys, *words, folder=self.folder, **more)

    def graded(self, *words, code=0, **more):
        done = self.grade(*words, "--report", "json", **more)
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(done.stdout)

    def people(self, *words, **more):
        """By their names; of two hand-ins of one person the first."""
        rows = {}
        for row in self.graded(*words, **more)["hand_ins"]:
            rows.setdefault(row["name"], row)
        return rows


class StepsBesideThoseOfTheProblem(Folder):
    """Somebody hands in scaled scores where nothing is scaled."""

    def setUp(self):
        super().setUp()
        columns = [list(row) for row in zip(*softmax(list(zip(*SCORES))))]
        self.write("class/ann.json", {"steps": {"scaled_scores": SCORES, "context": context(columns)}})
        self.write("class/bob.json", {"steps": {"scaled_scores": SLIP}})
        self.write("class/cid.json", {"steps": {"scaled_scores": [[1, 2]]}})

    def earned(self, scheme):
        self.write("scheme.json", scheme)
        report = self.graded("class", "--scheme", "scheme.json")
        return report, {row["name"]: [(step["id"], round(step["points"], 2), step["of"]) for step in row["steps"]]
                        for row in report["hand_ins"]}

    def test_without_a_scheme_for_them_they_have_their_point(self):
        report, points = self.earned({})
        self.assertEqual(points, {"ann": [("scaled_scores", 1, 1), ("context", 0, 1)],
                                  "bob": [("scaled_scores", 0.89, 1)], "cid": [("scaled_scores", 0, 1)]})
        steps = {step["id"]: (step["shape"], step["hand_ins"], step["wrong"]) for step in report["summary"]["steps"]}
        self.assertEqual(steps, {"context": ([3, 3], 1, 1), "scaled_scores": ([], 3, 2)})

    def test_a_mistake_takes_off_where_it_shows_and_no_more_than_was_earned(self):
        report, points = self.earned({"deduct": {"*": 0.25}})
        self.assertEqual(points["bob"], [("scaled_scores", 0.64, 1)])
        taken = {row["name"]: [(one["step"], one["taken"]) for one in row["deductions"]] for row in report["hand_ins"]}
        # The softmax down the columns shows in the context, which earned nothing.
        self.assertEqual((taken["ann"], taken["bob"]), ([("context", 0)], [("scaled_scores", 0.25)]))

    def test_what_a_scheme_asks_for_stands_among_them_in_the_order_of_the_computation(self):
        _, points = self.earned({"points": {"scores": 2, "context": 3}})
        self.assertEqual(points["ann"], [("scaled_scores", 0, 0), ("scores", 0, 2), ("context", 0, 3)])

    def test_a_scheme_of_no_points_has_no_mean(self):
        report, points = self.earned({"points": {"scores": 0}})
        self.assertEqual({row["of"] for row in report["hand_ins"]}, {0})
        self.assertEqual((report["summary"]["graded"], sum(report["summary"]["distribution"])), (0, 0))


    def test_a_single_cell_of_one_is_one_of_all(self):
        self.write("class/dan.json", {"steps": {"output": {"1,1": "1.94"}}})
        self.write("class/eva.json", {"steps": {"context": {"1,1": "1.94"}}})
        _, points = self.earned({})
        self.assertEqual(points["dan"], [("output", 0.11, 1)])
        self.assertEqual(points["eva"], [("context", 0.11, 1)])


class LargeSteps(Folder):
    def test_a_step_of_thousands_of_numbers_is_counted_and_not_drawn(self):
        inputs = [[(5 * i + j) % 7 for j in range(3)] for i in range(65)]
        keys = self.write("keys.json", {"inputs": inputs, "score": "dot"})
        scores = [[sum(a * b for a, b in zip(one, other)) for other in inputs] for one in inputs]
        scores[1][2] += 100
        self.write("ann.json", {"steps": {"scores": scores}})
        step = self.graded("ann.json", keys=keys)["summary"]["steps"][0]
        self.assertEqual((step["id"], step["shape"], step["wrong"], step["cells"]), ("scores", [65, 65], 1, []))


class AClassOfThirty(Folder):
    """With all that there is in a pile of hand-ins."""

    def setUp(self):
        super().setUp()
        names = [f"Person {i}" for i in range(1, 31)]
        self.write("roster.csv", "Group;Name\n" + "".join(f"A;{name}\n" for name in [*names, "Absent One"]))
        self.scheme = self.write("scheme.json", SCHEME)
        kinds = list(KINDS)
        for i, name in enumerate(names[:22]):
            self.write(f"hand-ins/{name.replace(' ', '_').lower()}.json", {"steps": KINDS[kinds[i % len(kinds)]]})
        table = "\n".join(",".join(map(str, row)) for row in SCORES) + "\n"
        self.write("hand-ins/person_23.scores.csv", table)
        self.write("hand-ins/person_23.context.csv", "\n".join(",".join(row) for row in RIGHT["context"]))
        self.write("hand-ins/Person 24/scores.csv", table)
        self.write("hand-ins/Person 24/rest.json", {"steps": {"context": RIGHT["context"]}})
        self.write("hand-ins/Person 25_871_assignsubmission_file_/answers.json", {"steps": RIGHT})
        self.write("hand-ins/person_26.json", '{"steps": {"scores": [[1, 2,}')
        self.write("hand-ins/person_27.json", "")
        self.write("hand-ins/person_28.json", {"problem": "sha256:" + "ab" * 32, "steps": RIGHT})
        self.write("hand-ins/x.json", {"name": "PERSON 29", "steps": RIGHT})
        self.write("hand-ins/person_30.txt", "name: person 30\nS = [2 4 4; 4 16 12; 4 12 10]\n")
        self.write("hand-ins/second.json", {"name": "Person 1", "steps": KINDS["slip"]})
        self.write("hand-ins/=1+1.json", {"steps": RIGHT})
        self.write("hand-ins/notes.md", "to do")
        self.words = ["hand-ins", "--scheme", "scheme.json", "--roster", "roster.csv"]

    def test_everybody_is_listed_once_for_each_hand_in(self):
        rows = self.graded(*self.words, code=2)["hand_ins"]
        names = [row["name"] for row in rows]
        self.assertEqual(names, ["Person 1", "Person 1", *[f"Person {i}" for i in range(2, 31)], "Absent One", "=1+1"])
        by_name = {row["name"]: row for row in rows}
        self.assertEqual((by_name["Absent One"]["verdict"], by_name["Absent One"]["points"]), ("nothing", 0))
        self.assertEqual(by_name["Absent One"]["of"], 10)
        for name, verdict in (("Person 26", "unreadable"), ("Person 27", "unreadable"), ("Person 28", "no_problem")):
            self.assertEqual((by_name[name]["verdict"], by_name[name]["points"]), (verdict, None))
            self.assertTrue(by_name[name]["error"])
        self.assertIn("last week", by_name["Person 28"]["error"])
        self.assertIn("not in the list", by_name["=1+1"]["remarks"][0])
        self.assertEqual(by_name["Person 25"]["points"], 10)
        self.assertEqual(by_name["Person 29"]["points"], 10)
        for name in ("Person 23", "Person 24"):
            self.assertEqual((by_name[name]["points"], len(by_name[name]["files"])), (6, 2))

    def test_what_is_to_be_looked_at_and_who_is_absent_are_told_apart(self):
        for report in ("text", "html"):
            done = self.grade(*self.words, "--report", report)
            look, absent = done.stdout.split("Handed in nothing")[:2]
            self.assertNotIn("Absent One", look.split("To look at")[1])
            self.assertIn("Absent One", absent[:200])
            self.assertRegex(look.split("To look at")[1], r"7 numbers have\s+too few digits to tell, and count as right")

    def test_two_hand_ins_of_one_person_are_told_and_both_are_graded(self):
        rows = [row for row in self.graded(*self.words, code=2)["hand_ins"] if row["name"] == "Person 1"]
        self.assertEqual([row["points"] for row in rows], [10, 9.5])
        for row, other in (rows, reversed(rows)):
            self.assertIn(other["files"][0], row["remarks"][0])

    def test_points_add_up(self):
        for row in self.graded(*self.words, code=2)["hand_ins"]:
            if row["points"] is None:
                continue
            total = 0
            for step in row["steps"]:
                expected = step["of"] * step["counted"] / step["cells"] if step["handed_in"] else 0
                self.assertAlmostEqual(step["earned"], expected, 9)
                self.assertAlmostEqual(step["points"], step["earned"] - step["deducted"], 9)
                total += step["points"]
            self.assertAlmostEqual(row["sum"], total, 9)
            self.assertAlmostEqual(row["points"], math.floor(total / 0.5 + 0.5 + 1e-9) * 0.5, 9)

    def test_the_reports_are_whole_and_agree(self):
        done = self.grade(*self.words, "-o", "g.csv", "-o", "g.xml", "-o", "g.html", "-o", "g.txt", "-o", "g.json")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stdout, "")
        self.assertIn("person_26.json:1:29", done.stderr)
        self.assertIn("notes.md", done.stderr)
        with open(self.path("g.json"), encoding="utf-8") as file:
            rows = json.load(file)["hand_ins"]
        with open(self.path("g.csv"), encoding="utf-8", newline="") as file:
            table = list(csv.DictReader(file))
        self.assertEqual(list(table[0]), "name problem points of percent verdict first_wrong mistakes file".split())
        self.assertEqual(len(table), len(rows))
        suites = ElementTree.parse(self.path("g.xml")).getroot()
        self.assertEqual(len(suites), len(rows))
        with open(self.path("g.html"), encoding="utf-8") as file:
            page = file.read()
        ElementTree.fromstring(page.replace("<!DOCTYPE html>", "").replace('<meta charset="utf-8">', "")
                               .replace('initial-scale=1">', 'initial-scale=1"/>')
                               .replace("'none'\">", "'none'\"/>"))
        self.assertNotIn("<script", page)
        with open(self.path("g.txt"), encoding="utf-8") as file:
            text = file.read()
        self.assertLessEqual(max(map(len, text.split("\n"))), 80)
        for row, line, suite in zip(rows, table, suites):
            self.assertEqual(line["name"].lstrip("'"), row["name"])
            self.assertEqual(line["points"], "" if row["points"] is None else f"{row['points']:g}")
            self.assertEqual(line["verdict"], row["verdict"])
            self.assertEqual(suite.get("name"), row["name"])
            if row["verdict"] in ("unreadable", "no_problem"):
                self.assertEqual(len(suite.findall("*/error")), 1)
            elif row["verdict"] != "nothing":
                self.assertEqual([case.get("name") for case in suite], [step["id"] for step in row["steps"]])
            self.assertEqual(int(suite.get("failures")), len(suite.findall("*/failure")))
            self.assertIn(row["name"].split()[0], text)
        self.assertTrue(all(not cell.startswith(("=", "+", "-", "@")) for line in table for cell in line.values()))

    def test_each_person_gets_a_file_that_can_be_read(self):
        done = self.grade(*self.words, "--feedback", "feedback", "-o", "g.csv")
        self.assertEqual(done.returncode, 2)
        files = sorted(os.listdir(self.path("feedback")))
        self.assertIn("Person 1.txt", files)
        self.assertIn("Person 1-2.txt", files)
        self.assertIn("_1_1.txt", files)
        self.assertNotIn("Absent One.txt", files)
        with open(self.path("feedback/Person 2.txt"), encoding="utf-8") as file:
            slip = file.read()
        self.assertIn("9.5 of 10 points", slip)
        self.assertIn("The sum: 3·8/9 + 4 + 3 = 9.67.", slip)
        self.assertIn("two digits were exchanged", slip)
        self.assertNotIn("16", slip.split("two digits")[1], "the right number is not given away")

    def test_the_class_is_summed_up(self):
        summary = self.graded(*self.words, code=2)["summary"]
        made = {(one["mistake"], one["step"]): one["hand_ins"] for one in summary["mistakes"]}
        self.assertEqual(made[("slip.digits_swapped", "scores")], 4)
        self.assertEqual(made[("softmax.columns", "attention_weights")], 3)
        scores = next(step for step in summary["steps"] if step["id"] == "scores")
        self.assertEqual((scores["wrong"], scores["cells"]), (4, [0, 0, 0, 0, 0, 4, 0, 0, 0]))
        self.assertEqual(sum(summary["distribution"]), summary["graded"])

    def test_the_order_of_hand_ins_changes_no_grade(self):
        files = sorted(os.path.join("hand-ins", name) for name in os.listdir(self.path("hand-ins"))
                       if name.endswith((".json", ".txt")))
        key = lambda row: (row["name"], row["files"])
        one = sorted(self.graded(*files, *self.words[1:], code=2)["hand_ins"], key=key)
        two = sorted(self.graded(*reversed(files), *self.words[1:], code=2)["hand_ins"], key=key)
        self.assertEqual(one, two)

    def test_threads_change_nothing(self):
        one = self.grade(*self.words, "--threads", "1", "--report", "json")
        self.assertEqual(one.stdout, self.grade(*self.words, "--threads", "3", "--report", "json").stdout)


class WhoseItIs(Folder):
    def names(self, *words):
        return [row["name"] for row in self.graded(*words)["hand_ins"]]

    def test_files_of_one_name_are_those_of_their_folders(self):
        self.write("in/anna/answers.json", {"steps": RIGHT})
        self.write("in/Ben_77_assignsubmission_file_/answers.json", {"steps": RIGHT})
        self.assertEqual(self.names("in/anna/answers.json", "in/Ben_77_assignsubmission_file_/answers.json"),
                         ["anna", "Ben"])

    def test_people_of_two_weeks_are_the_same_people(self):
        for week in ("one", "two"):
            for name in ("anna", "ben"):
                self.write(f"{week}/{name}.json", {"steps": RIGHT})
        self.assertEqual(self.names("one", "two"), ["anna", "ben", "anna", "ben"])

    def test_a_name_is_the_same_in_any_spelling(self):
        self.write("in/a\u0308nne_MU\u0308ller.json", {"steps": RIGHT})
        self.write("roster.csv", "name\n\u00c4nne M\u00fcller\n")
        self.assertEqual(self.names("in", "--roster", "roster.csv"), ["\u00c4nne M\u00fcller"])

    def test_a_list_of_nobody_is_refused(self):
        self.write("in/anna.json", {"steps": RIGHT})
        self.write("roster.csv", "name,group\n")
        done = self.grade("in", "--roster", "roster.csv")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("roster.csv:1:1: error: the list has no names below its headings", done.stderr)

    def test_what_a_list_has_no_own_heading_for_is_refused_where_it_stands(self):
        self.write("in/anna.json", {"steps": RIGHT})
        for text, said in (("name,group,Group\nanna,A,B\n", ":1:12: error: two columns are called `Group`"),
                           ("name,group\nanna,A,extra\n", ":2:8: error: this field stands below no heading")):
            self.write("roster.csv", text)
            done = self.grade("in", "--roster", "roster.csv")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("roster.csv" + said, done.stderr)
        for text in ("name,group,,\nanna,A,,\n", ",name,group\n0,anna,A\n"):
            self.write("roster.csv", text)
            self.assertEqual(self.names("in", "--roster", "roster.csv"), ["anna"])

    def test_a_list_of_many_columns_is_read_in_the_time_of_its_length(self):
        self.write("in/anna.json", {"steps": RIGHT})
        self.write("roster.csv", "name" + "".join(f",c{at}" for at in range(40000)) + "\nanna\n")
        self.assertEqual(self.names("in", "--roster", "roster.csv"), ["anna"])  # which took minutes

    def test_a_person_called_like_a_step_is_found_in_the_list(self):
        self.write("in/keys.json", {"steps": RIGHT})
        self.write("roster.csv", "name\nkeys\n")
        self.assertEqual(self.names("in", "--roster", "roster.csv"), ["keys"])

    def test_a_name_that_one_person_alone_is_like_is_theirs(self):
        self.write("roster.csv", "name\nJosé Ángel Núñez\nPat O’Neil\nIvan Petrov\nJ. R. Smith\nAnn\nÄnn\n")
        files = ("JOSE ANGEL NUNEZ", "Pat O'Neil", "Ivan Petrov (1)", "J. R. Smith", "Ann", "ANN ")
        for name in files[:5]:
            self.write(f"hand-ins/{name}.json", {"steps": RIGHT})
        people = self.people("hand-ins", "--roster", "roster.csv")
        for name in ("José Ángel Núñez", "Pat O’Neil", "Ivan Petrov", "J. R. Smith", "Ann"):
            self.assertEqual((people[name]["points"], people[name]["remarks"]), (3, []), name)
        self.assertEqual(people["Änn"]["verdict"], "nothing")

    def test_a_neighbours_problem_is_told(self):
        for name, file in (("Anna", EXAMPLE), ("Ben", SCALED)):
            with open(file, encoding="utf-8") as stream:
                self.write(f"keys/{name}.json", {**json.load(stream), "x-for": name})
        statement = json.loads(attn("run", EXAMPLE, "--format", "json").stdout)["statement"]
        self.write("hand-ins/ben.json", {"name": "Ben", "problem": statement, "steps": RIGHT})
        ben = self.people("hand-ins", keys="keys")["Ben"]
        self.assertIn("its problem is the one of Anna", ben["remarks"])

    def test_numbers_of_a_neighbours_problem_are_told(self):
        for name, file in (("Anna", EXAMPLE), ("Ben", SCALED)):
            with open(file, encoding="utf-8") as stream:
                self.write(f"keys/{name}.json", {**json.load(stream), "inputs": [[3, 5, 2, 1], [7, 2, 5, 9], [2, 8, 4, 6]]}
                           if name == "Ben" else {**json.load(stream)})
        self.write("hand-ins/Ben.json", {"steps": {"keys": KEYS, "queries": QUERIES, "values": VALUES, **RIGHT}})
        self.assertIn("its numbers are those of the problem of Anna", self.people("hand-ins", keys="keys")["Ben"]["remarks"])

    def test_a_problem_that_is_too_large_keeps_nobody_else_from_a_grade(self):
        with open(EXAMPLE, encoding="utf-8") as stream:
            problem = json.load(stream)
        large = {"random": "normal", "shape": [3000, 4], "seed": 7}
        for name, inputs in (("Anna", large), ("Ben", problem["inputs"])):
            self.write(f"keys/{name}.json", {**problem, "inputs": inputs, "x-for": name})
        for name in ("Anna", "Anna Two", "Ben"):
            self.write(f"in/{name}.json", {"name": name.split()[0], "steps": RIGHT})
        done = self.grade("in", "--max-memory", "100M", "--report", "json", keys="keys")
        self.assertEqual(done.returncode, 3, done.stderr)
        people = {row["name"]: row for row in json.loads(done.stdout)["hand_ins"]}
        self.assertEqual((people["Ben"]["points"], people["Ben"]["verdict"]), (3, "right"))
        self.assertEqual(people["Anna"]["verdict"], "no_problem")
        said = done.stderr.strip().split("\n")
        self.assertEqual(len(said), 1, said)
        self.assertEqual(json.loads(said[0])["errors"][0]["file"], "keys/Anna.json")

    def test_a_file_called_like_somebody_else_is_told(self):
        self.write("roster.csv", "name\nPaul\nPaula\n")
        self.write("hand-ins/Paula.txt", "name: Paul\nS = [2 4 4; 4 16 12; 4 12 10]\n")
        people = self.people("hand-ins", "--roster", "roster.csv")
        self.assertIn("the file is called like Paula, who is in the list, too", people["Paul"]["remarks"])

    def test_feedback_says_what_of_a_hand_in_could_not_be_read(self):
        self.write("in/Eve.txt", "S = [2 4 4; 4 16 12; 4 12 10]\nSoftmaxx = [1 0 0]\n")
        self.write("in/Kim.txt", "S = [2 4\n")
        self.grade("in", "--feedback", "out")
        for name, words in (("Eve", ["cannot be read: line 2", "Softmaxx"]),
                            ("Kim", ["Kim.txt: line 1: this bracket is not closed", "; "])):
            with open(self.path(f"out/{name}.txt"), encoding="utf-8") as file:
                told = " ".join(file.read().split())
            for said in words:
                self.assertIn(said, told)
            self.assertNotIn("in/" + name, told)

    def test_feedback_says_that_digits_are_missing(self):
        self.write("in/ann.json", {"steps": KINDS["coarse"]})
        self.grade("in", "--feedback", "out")
        with open(self.path("out/ann.txt"), encoding="utf-8") as file:
            self.assertIn("Write a digit or two more the next time.", " ".join(file.read().split()))

    def test_feedback_replaces_no_answers(self):
        done = attn("exercise", "--count", "2", "--seed", "5", "-o", "week/", folder=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.write("in/exercise-1.json", {"steps": {"scores": [[1]]}})
        before = {name: os.stat(self.path(f"week/keys/{name}")).st_mtime_ns for name in os.listdir(self.path("week/keys"))}
        for keys, folder in (("week", "week/keys"), ("week/keys", "week/keys"), ("week", "week")):
            done = self.grade("in", "--feedback", folder, keys=keys)
            self.assertEqual((done.returncode, done.stdout), (2, ""), folder)
            self.assertIn("would be replaced", done.stderr)
        self.assertEqual({name: os.stat(self.path(f"week/keys/{name}")).st_mtime_ns
                          for name in os.listdir(self.path("week/keys"))}, before)
        done = self.grade("in", "--feedback-format", "html", keys="week")
        self.assertEqual(done.returncode, 2)
        self.assertIn("means nothing without --feedback", done.stderr)

    def test_names_with_commas_stay_apart(self):
        self.write("roster.csv", 'name\n"Müller, Hans"\nJ. Smith\n')
        self.write("in/x.json", {"steps": RIGHT})
        for report in ("text", "html"):
            self.assertIn("Müller, Hans; J. Smith.", self.grade("in", "--roster", "roster.csv", "--report", report).stdout)

    def test_a_semicolon_in_a_cell_separates_no_columns_where_commas_do(self):
        self.write("in/Anna.json", {"steps": RIGHT})
        for text in ("name,email\nAnna,a@x;b@y\n", "sep=;\nemail;name\na@x,b@y;Anna\n", "name\tnote\nAnna\ta;b\n"):
            self.write("roster.csv", text)
            self.assertEqual(self.names("in", "--roster", "roster.csv"), ["Anna"], text)

    def test_a_table_may_say_what_separates_its_columns(self):
        self.write("in/Anna.scores.csv", "sep=;\n2;4;4\n4;16;12\n4;12;10\n")
        self.assertEqual(self.people("in")["Anna"]["points"], 1)

    def test_numbers_that_are_strange_from_the_first_step_on_are_asked_about(self):
        strange = [[7, 8, 9], [8, 7, 9], [9, 9, 7]]
        self.write("hand-ins/ben.json", {"steps": {name: strange for name in ("keys", "queries", "values", "scores")}})
        self.assertIn("is it of other numbers?", str(self.people("hand-ins")["ben"]["remarks"]))

    def test_a_folder_that_is_not_there_is_a_slip_of_the_line(self):
        done = self.grade("nowhere")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("there is no file and no folder `nowhere`", done.stderr)

    def test_a_name_may_have_points_where_the_list_has_it(self):
        self.write("in/J. Doe.json", {"steps": RIGHT})
        self.write("roster.csv", "name\nJ. Doe\n")
        self.assertEqual(self.names("in", "--roster", "roster.csv"), ["J. Doe"])
        self.assertEqual(self.names("in"), ["J"])

    def test_people_whose_names_are_the_same_up_to_a_point_have_hand_ins_of_their_own(self):
        self.write("in/J. Doe.json", {"steps": RIGHT})
        self.write("in/J. Smith.scores.csv", "2,4,4\n4,16,12\n4,12,10\n")
        self.write("in/J. Smith.queries.csv", "1,0,2\n2,2,2\n2,1,3\n")
        self.write("roster.csv", "name\nJ. Doe\nJ. Smith\n")
        people = self.people("in", "--roster", "roster.csv")
        self.assertEqual({name: len(one["files"]) for name, one in people.items()}, {"J. Doe": 1, "J. Smith": 2})
        self.assertEqual({one["verdict"] for one in people.values()}, {"right"})

    def test_problems_in_a_folder_of_hand_ins_are_nobodys(self):
        shutil.copy(EXAMPLE, os.path.join(self.folder, "problem.json"))
        os.makedirs(self.path("in/keys"))
        shutil.move(self.path("problem.json"), self.path("in/keys/problem.json"))
        self.write("in/anna.json", {"steps": RIGHT})
        done = self.grade("in", "--report", "csv", keys="in/keys")
        self.assertEqual([line.split(",")[0] for line in done.stdout.splitlines()], ["name", "anna"])

    def test_a_part_that_cannot_be_read_is_told_and_the_rest_is_graded(self):
        self.write("in/anna/scores.csv", "2,4,4\n4,16,12\n4,12,10\n")
        self.write("in/anna/context.json", "{")
        row = self.people("in", code=2)["anna"]
        self.assertEqual((row["verdict"], row["points"]), ("right", 1))
        self.assertIn("context.json", row["remarks"][0])

    def test_a_step_that_nobody_knows_costs_no_other(self):
        """Its name is told with the nearest one, and all that has a name is graded."""
        rows = {name: RIGHT[name] for name in ("scores", "attention_weights", "context")}
        told = lambda name: "[" + "; ".join(" ".join(map(str, row)) for row in rows[name]) + "]"
        table = lambda name, title: f"{title},1,2,3\n" + "".join(
            f"Input {i + 1}," + ",".join(map(str, row)) + "\n" for i, row in enumerate(rows[name]))
        self.write("hand-ins/json.json", {"steps": {"scores": SCORES, "wieghts": RIGHT["attention_weights"],
                                                    "context": RIGHT["context"]}})
        self.write("hand-ins/text.txt", f"S = {told('scores')}\nwieghts = {told('attention_weights')}\n"
                                        f"C = {told('context')}\n")
        self.write("hand-ins/table.csv", "\n".join([table("scores", "scores"), table("attention_weights", "wieghts"),
                                                    table("context", "context")]))
        self.write("hand-ins/first.csv", "\n".join([table("attention_weights", "wieghts"), table("scores", "scores"),
                                                    table("context", "context")]))
        people = self.people("hand-ins", code=2)
        for name in ("json", "text", "table", "first"):
            with self.subTest(form=name):
                self.assertEqual((people[name]["points"], people[name]["of"]), (2, 2))
                self.assertRegex(" ".join(people[name]["remarks"]),
                                 "line \\d+: .*wieghts.* is not a step that is known; did you mean attention_weights")
        done = self.grade("hand-ins")
        self.assertIn("wieghts", done.stdout.split("To look at")[1].split("Everybody")[0])
        for file in ("json.json", "text.txt", "table.csv", "first.csv"):
            self.assertEqual(attn("check", EXAMPLE, self.path("hand-ins/" + file)).returncode, 2)

    def test_where_nothing_else_is_known_or_readable_nothing_is_graded(self):
        self.write("hand-ins/only.txt", "wieghts = [1 2 3]\n")
        self.write("hand-ins/both.txt", "wieghts = [1 2 3]\nS = [1 2\n")
        people = self.people("hand-ins", code=2)
        self.assertEqual({people[name]["verdict"] for name in ("only", "both")}, {"unreadable"})

    def test_files_of_editors_and_spreadsheets_in_utf_16_are_read(self):
        texts = {"json": json.dumps({"name": "Zoë", "steps": RIGHT}, ensure_ascii=False),
                 "txt": "name: Zoë\r\nS = [2 4 4; 4 16 12; 4 12 10]\r\n",
                 "scores.csv": "\tInput 1\tInput 2\tInput 3\r\n" + "".join(
                     f"Input {i + 1}\t" + "\t".join(map(str, row)) + "\r\n" for i, row in enumerate(SCORES))}
        for ending, text in texts.items():
            for name, mark, coding in (("le", b"\xff\xfe", "utf-16-le"), ("be", b"\xfe\xff", "utf-16-be")):
                with self.subTest(ending=ending, coding=coding):
                    path = self.write(f"{name}-{ending}/zoe.{ending}", "")
                    with open(path, "wb") as file:
                        file.write(mark + text.encode(coding))
                    row, = self.graded(path)["hand_ins"]
                    self.assertEqual((row["name"], row["verdict"]), ("zoe" if "csv" in ending else "Zoë", "right"))
        with open(self.path("roster.csv"), "wb") as file:
            file.write("name\tgroup\r\nZoë\tA\r\n".encode("utf-16"))
        row, = self.graded(self.path("le-txt/zoe.txt"), "--roster", "roster.csv")["hand_ins"]
        self.assertEqual((row["name"], row["remarks"]), ("Zoë", []))

    def test_files_of_old_macs_whose_lines_end_in_cr_are_read(self):
        for name, text in {"anna.txt": "name: Anna\nS =\n2 4 4\n4 16 12\n4 12 10\n",
                           "anna.scores.csv": "".join(",".join(map(str, row)) + "\n" for row in SCORES),
                           "anna.json": json.dumps({"steps": RIGHT}, indent=1)}.items():
            with self.subTest(name), open(self.path(name), "wb") as file:
                file.write(text.replace("\n", "\r").encode())
                file.flush()
                row, = self.graded(self.path(name))["hand_ins"]
                self.assertEqual(row["verdict"], "right")

    def test_what_is_wrong_with_a_list_in_utf_16_is_shown_where_it_stands(self):
        self.write("in/anna.json", {"steps": {"scores": SCORES}})
        with open(self.path("roster.csv"), "wb") as file:
            file.write("who,group\r\nZoë,A\r\n".encode("utf-16"))
        refused = self.grade("in", "--roster", "roster.csv")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("roster.csv:1:1: error: no column is called `name`", refused.stderr)
        self.assertIn("who,group", refused.stderr)

    def test_a_hand_in_of_another_shape_throughout_is_asked_about(self):
        self.write("in/anna.json", {"steps": {"scores": [[1, 2], [3, 4]]}})
        self.assertIn("another one", self.people("in")["anna"]["remarks"][0])

    def test_of_more_than_three_others_of_one_person_the_first_are_named(self):
        for at in range(4):
            self.write(f"in/{at}.json", {"name": "Anna", "steps": RIGHT})
        told = lambda: [row["remarks"] for row in self.graded("in")["hand_ins"]]
        also = "handed in more than once; also handed in: "
        self.assertEqual(told()[1], [also + "in/0.json, in/2.json, in/3.json"])
        self.write("in/4.json", {"name": "Anna", "steps": RIGHT})
        self.assertEqual(told()[1], [also + "in/0.json, in/2.json, in/3.json, …"])

    def test_what_could_not_be_read_is_not_said_to_be_graded(self):
        self.write("in/anna.json", {"steps": RIGHT})
        self.write("in/anna.txt", "S = [2 4")
        rows = self.graded("in", code=2)["hand_ins"]
        self.assertEqual([row["verdict"] for row in rows], ["right", "unreadable"])
        self.assertEqual(rows[0]["remarks"], ["handed in more than once; also handed in: in/anna.txt"])

    def test_a_step_handed_in_twice_by_one_person_is_another_hand_in(self):
        self.write("in/Anna/a.json", {"name": "Anna", "steps": {"scores": SCORES}})
        self.write("in/Anna/b.json", {"name": "Nobody", "steps": {"context": RIGHT["context"]}})
        self.write("in/Anna/c.json", {"steps": {"scores": SLIP}})
        rows = self.graded("in")["hand_ins"]
        self.assertEqual([(row["name"], row["verdict"], row["files"]) for row in rows],
                         [("Anna", "right", ["in/Anna/a.json", "in/Anna/b.json"]),
                          ("Anna", "wrong", ["in/Anna/c.json"])])
        self.assertEqual([len(row["remarks"]) for row in rows], [1, 1])

    def test_a_name_that_is_not_in_the_list_is_told_with_the_nearest(self):
        self.write("roster.csv", "name\nAnn\nÄnn\nPaula\n")
        self.write("in/Pauli.json", {"steps": RIGHT})
        self.write("in/A\u0300nn.json", {"steps": RIGHT})  # like two of them
        self.write("in/xyz.json", {"name": "Xanthippe", "steps": RIGHT})
        people = self.people("in", "--roster", "roster.csv")
        self.assertEqual(people["Pauli"]["remarks"], ["`Pauli` is not in the list of the class; is it Paula?"])
        self.assertEqual(people["Xanthippe"]["remarks"], ["`Xanthippe` is not in the list of the class"])
        strange, = [row for row in people.values() if row["files"] == ["in/A\u0300nn.json"]]
        self.assertIn("is not in the list of the class", strange["remarks"][0])
        self.assertEqual({people[name]["verdict"] for name in ("Ann", "Änn", "Paula")}, {"nothing"})

    def test_among_thousands_nobody_is_guessed(self):
        self.write("roster.csv", "name\n" + "".join(f"Paula {at}\n" for at in range(5001)))
        self.write("in/Pauli 7.json", {"steps": RIGHT})
        rows = self.people("in", "--roster", "roster.csv")
        self.assertEqual(len(rows), 5002)
        self.assertEqual(rows["Pauli 7"]["remarks"], ["`Pauli 7` is not in the list of the class"])

    def test_a_hand_in_that_says_another_name_than_its_file_is_told(self):
        self.write("roster.csv", "name\nPaul\n")
        self.write("in/Paul.json", {"name": "Zoe", "steps": RIGHT})
        paul = self.people("in", "--roster", "roster.csv")["Paul"]
        self.assertEqual((paul["verdict"], paul["remarks"]), ("right", ["the hand-in says that it is by `Zoe`"]))

    def test_files_named_by_themselves_are_of_their_folders_where_they_have_any(self):
        for name in ("anna.json", "ben/anna.json"):
            self.write(name, {"steps": RIGHT})
        self.assertEqual(self.names("anna.json", "ben/anna.json"), ["anna", "ben"])

    def test_a_step_that_nobody_knows_is_told_once(self):
        self.write("in/Eve.txt", "S = [2 4 4; 4 16 12; 4 12 10]\nwieghts = [1 2 3]\nwieghts = [1 2 4]\n")
        remark, = self.people("in", code=2)["Eve"]["remarks"]
        self.assertEqual(remark.count("wieghts"), 1)
        self.assertIn("line 2: ", remark)

    def test_of_several_files_that_cannot_be_read_all_are_told(self):
        self.write("in/Anna/a.json", "{")
        self.write("in/Anna/b.txt", "S = [1 2\n")
        self.write("in/Ben.json", {"steps": {}})
        rows = self.people("in", code=2)
        self.assertRegex(rows["Anna"]["error"], "^a\\.json: line 1: .*, b\\.txt: line 1: this bracket is not closed$")
        self.assertIn("nothing to check", str(rows["Ben"]))

    def test_a_name_that_begins_with_a_blank_is_a_file_like_any_other(self):
        self.write("in/0.json", {"name": " -x", "steps": RIGHT})
        self.assertEqual(self.grade("in", "--feedback", "told").returncode, 0)
        self.assertEqual(os.listdir(self.path("told")), ["_-x.txt"])


class WhatIsInAFolder(Folder):
    def test_a_folder_without_answers_is_refused(self):
        os.makedirs(self.path("empty"))
        self.write("pictures/anna.png", "x")
        for folder in ("empty", "pictures"):
            said = self.refused(folder)
            self.assertIn(f"the folder `{folder}` has no answers", said)
            self.assertIn("a .json, .csv or .txt file, or a folder of such files", said)

    def test_a_person_whose_folder_holds_no_answers_is_told_with_what_it_holds(self):
        os.makedirs(self.path("in/Cleo"))
        self.write("in/Anna/answers.json", {"steps": RIGHT})
        self.write("in/Ben/scan.pdf", "x")
        for page in range(6):
            self.write(f"in/Dora/{page}.png", "x")
        rows = self.people("in", code=2)
        self.assertEqual((rows["Anna"]["points"], [rows[name]["verdict"] for name in ("Ben", "Cleo", "Dora")]),
                         (3, ["unreadable"] * 3))
        self.assertEqual(rows["Cleo"]["error"], "the folder is empty")
        self.assertTrue(rows["Ben"]["error"].endswith("none of these is a .json, .csv or .txt file: scan.pdf"))
        self.assertTrue(rows["Dora"]["error"].endswith(": 0.png, 1.png, 2.png, 3.png, …"), rows["Dora"])

    def test_answers_are_found_in_folders_of_folders_but_not_however_deep(self):
        self.write("in/Anna/a/b/answers.json", {"steps": RIGHT})
        self.write("in/Anna/.hidden.json", {"steps": KINDS["slip"]})
        self.write("in/Ben/1/2/3/4/5/6/7/answers.json", {"steps": RIGHT})
        os.makedirs(self.path("in/Cleo/nothing/in/it"))
        os.makedirs(self.path("in/Dora"))
        os.symlink(self.path("in/Anna"), self.path("in/Dora/Anna"))
        rows = self.people("in", code=2)
        self.assertEqual((rows["Anna"]["points"], rows["Anna"]["files"]), (3, ["in/Anna/a/b/answers.json"]))
        for name, why in (("Ben", "none of these is a .json, .csv or .txt file: 6"), ("Cleo", "the folder is empty"),
                          ("Dora", "none of these is a .json, .csv or .txt file: Anna")):
            self.assertTrue(rows[name]["error"].endswith(why), rows[name])

    def test_what_systems_put_there_is_nobodys(self):
        self.write("in/anna.json", {"steps": RIGHT})
        self.write("in/.ben.json", {"steps": RIGHT})
        self.write("in/__MACOSX/cleo.json", {"steps": RIGHT})
        os.symlink("gone", self.path("in/dora.json"))
        done = self.grade("in", "--report", "json")
        self.assertEqual([row["name"] for row in json.loads(done.stdout)["hand_ins"]], ["anna"])
        self.assertEqual(done.stderr, "attn: note: left out, for it is no .json, .csv or .txt file: in/dora.json (no file)\n")

    def test_pipes_and_links_to_what_nobody_named_are_not_read(self):
        secret = self.write("secret.json", {"name": "secret", "steps": RIGHT})
        self.write("in/anna.json", {"steps": RIGHT})
        self.write("in/Ben/answers.json", {"steps": RIGHT})
        self.write("in/Eve/mine.json", {"steps": KINDS["slip"]})
        os.mkfifo(self.path("in/pipe.json"))
        os.symlink(secret, self.path("in/cleo.json"))
        os.symlink(self.folder, self.path("in/Dora"))
        os.symlink("../Ben/answers.json", self.path("in/Eve/answers.json"))
        os.symlink("anna.json", self.path("in/twin.json"))
        done = self.grade("in", "--report", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = {row["name"]: row["files"] for row in json.loads(done.stdout)["hand_ins"]}
        self.assertEqual(rows, {"anna": ["in/anna.json"], "Ben": ["in/Ben/answers.json"], "Eve": ["in/Eve/mine.json"],
                                "twin": ["in/twin.json"]})
        for name in ("pipe.json (no file)", "cleo.json (a link to elsewhere)", "Dora (a link to elsewhere)"):
            self.assertIn("in/" + name, done.stderr)

    def test_problems_and_lists_in_folders_of_folders_are_nobodys(self):
        for name in ("in/keys/a/anna.json", "in/keys/a/ben.json"):
            os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
            shutil.copy(EXAMPLE, self.path(name))
        self.write("in/keys/b/roster.csv", "name\nanna\n")
        os.makedirs(self.path("in/keys/a/empty"))
        self.write("in/anna.json", {"steps": RIGHT})
        words = ["in", "--roster", "in/keys/b/roster.csv"]
        self.assertEqual(list(self.people(*words, keys="in/keys/a")), ["anna"])
        self.write("in/keys/a/scan.pdf", "x")
        rows = self.people(*words, keys="in/keys/a", code=2)
        self.assertTrue(rows["keys"]["error"].endswith("none of these is a .json, .csv or .txt file: scan.pdf"))

    def test_a_link_that_leads_nowhere_is_left_out(self):
        self.write("in/anna.json", {"steps": RIGHT})
        os.symlink("loop.json", self.path("in/loop.json"))
        done = self.grade("in", "--report", "json")
        self.assertEqual([row["name"] for row in json.loads(done.stdout)["hand_ins"]], ["anna"])
        self.assertIn("in/loop.json (a link to elsewhere)", done.stderr)

    def test_whoever_handed_in_nothing_that_is_read_is_an_error(self):
        os.makedirs(self.path("in/Anna"))
        self.write("in/Ben/scan.pdf", "x")
        done = self.grade("in")
        self.assertEqual(done.returncode, 2)
        self.assertIn("in/Anna: error: the folder is empty\n  help: a hand-in is", done.stderr)
        self.assertIn("in/Ben: error: none of these is", done.stderr)

    def test_of_very_many_that_cannot_be_read_the_first_are_told(self):
        for number in range(250):
            self.write(f"in/{number}.json", "{")
        done = self.grade("in", "--report", "csv")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stdout.count("unreadable"), 250)
        self.assertEqual(done.stderr.count("error: "), 200)
        self.assertTrue(done.stderr.endswith("attn: note: 50 more files with errors\n"), done.stderr[-200:])

    def test_what_is_read_already_is_no_hand_in(self):
        self.write("in/anna.json", {"steps": RIGHT})
        self.write("in/Ben/answers.json", {"steps": RIGHT})
        self.write("in/roster.csv", "name\nanna\nBen\n")
        shutil.copy(EXAMPLE, self.path("in/Ben/problem.json"))
        rows = self.graded("in", "--roster", "in/roster.csv", keys="in/Ben/problem.json")["hand_ins"]
        self.assertEqual([(row["name"], row["files"]) for row in rows],
                         [("anna", ["in/anna.json"]), ("Ben", ["in/Ben/answers.json"])])

    def test_what_is_no_answers_but_called_like_somebody_is_what_they_handed_in(self):
        self.write("in/anna.json", {"steps": RIGHT})
        self.write("in/Ben.pdf", "x")
        self.write("in/notes.md", "x")
        self.write("roster.csv", "name\nAnna\nBen\nCleo\n")
        done = self.grade("in", "--roster", "roster.csv", "--feedback", "told", "--report", "json")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("left out, for it is no .json, .csv or .txt file: in/notes.md\n", done.stderr)
        rows = {row["name"]: row for row in json.loads(done.stdout)["hand_ins"]}
        verdicts = [rows[name]["verdict"] for name in ("Anna", "Ben", "Cleo")]
        self.assertEqual(verdicts, ["right", "unreadable", "nothing"])
        self.assertEqual(rows["Ben"]["files"], ["in/Ben.pdf"])
        self.assertIn("it is no .json, .csv or .txt file", rows["Ben"]["error"])
        self.assertEqual(sorted(os.listdir(self.path("told"))), ["Anna.txt", "Ben.txt"])

    def test_files_of_one_name_are_one_hand_in_only_beside_files_of_single_steps(self):
        table = "\n".join(",".join(map(str, row)) for row in SCORES) + "\n"
        self.write("in/anna.scores.csv", table)
        self.write("in/anna.txt", "C = [" + "; ".join(" ".join(row) for row in RIGHT["context"]) + "]\n")
        self.write("in/ben.json", {"steps": RIGHT})
        self.write("in/ben.txt", "S = [2 4 4; 4 16 12; 4 12 10]\n")
        rows = [(row["name"], len(row["files"])) for row in self.graded("in")["hand_ins"]]
        self.assertEqual(rows, [("anna", 2), ("ben", 1), ("ben", 1)])

    def test_a_table_that_is_called_like_its_step_alone_is_that_of_its_folder(self):
        table = "\n".join(",".join(map(str, row)) for row in SCORES) + "\n"
        self.write("Anna/scores.csv", table)
        self.assertEqual(list(self.people("Anna/scores.csv")), ["Anna"])
        self.write("scores.csv", table)
        row, = self.graded("scores.csv")["hand_ins"]
        self.assertEqual((row["points"], row["files"]), (1, ["scores.csv"]))

    def test_a_server_s_folder_is_called_like_its_person_with_or_without_a_number(self):
        for folder in ("Anna_77_assignsubmission_file_", "Ben7_assignsubmission_file_", "12_assignsubmission_file_"):
            self.write(f"in/{folder}/answers.json", {"steps": RIGHT})
        self.assertEqual(set(self.people("in")), {"Anna", "Ben7", "12"})

    def test_a_name_may_have_any_letters_and_bytes(self):
        os.makedirs(self.path("in"))
        with open(os.path.join(os.fsencode(self.path("in")), b"Zo\xff.json"), "w", encoding="utf-8") as file:
            json.dump({"steps": RIGHT}, file)
        for name in ("Ærø Ødegård", "Ἀλέξανδρος", "李明", "Anna (late", "Ben (1)"):
            self.write(f"in/{name}.json", {"steps": RIGHT})
        self.write("roster.csv", "name\nÆRØ ØDEGÅRD\nΑλέξανδρος\n李 明\nAnna late\nBen\n")
        done = self.grade("in", "--roster", "roster.csv", "--feedback", "told", "--report", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = {row["name"]: row for row in json.loads(done.stdout)["hand_ins"]}
        for name in ("ÆRØ ØDEGÅRD", "Αλέξανδρος", "李 明", "Anna late", "Ben"):
            self.assertEqual(rows[name]["points"], 3, name)
        self.assertEqual(len(rows), 6)
        self.assertEqual(len(os.listdir(self.path("told"))), 6)

    def test_files_of_feedback_have_names_that_every_system_takes(self):
        for at, name in enumerate(("- x", "trailing ", "n" * 200)):
            self.write(f"in/{at}.json", {"name": name, "steps": RIGHT})
        self.grade("in", "--feedback", "told")
        self.assertEqual(sorted(os.listdir(self.path("told"))), ["_ x.txt", "n" * 80 + ".txt", "trailing.txt"])


class Schemes(Folder):
    def test_without_a_scheme_each_step_handed_in_has_a_point(self):
        self.write("anna.json", {"steps": KINDS["slip"]})
        row = self.people("anna.json")["anna"]
        self.assertEqual((row["points"], row["of"]), (2.89, 3))

    def test_who_has_all_points_has_all_of_them(self):
        for scores, weights in ((1.1, 2.2), (0.1, 0.7)):
            self.write("anna.json", {"steps": {step: RIGHT[step] for step in ("scores", "attention_weights")}})
            self.write("scheme.json", {"points": {"scores": scores, "attention_weights": weights}})
            summary = self.graded("anna.json", "--scheme", "scheme.json")["summary"]
            self.assertEqual(summary["distribution"], [0] * 10 + [1])

    def test_a_mistake_is_deducted_where_it_was_made(self):
        self.write("anna.json", {"steps": KINDS["scaled"]})
        plain = self.people("anna.json")["anna"]
        self.write("scheme.json", {"deduct": {"scale.*": 0.1}})
        row = self.people("anna.json", "--scheme", "scheme.json")["anna"]
        self.assertEqual([one["mistake"] for one in row["deductions"]], ["scale.added"])
        self.assertEqual(row["deductions"][0]["step"], "attention_weights")
        self.assertAlmostEqual(plain["sum"] - row["sum"], 0.1, 9)

    def test_what_is_no_error_costs_nothing(self):
        turned = {**RIGHT, "keys": [list(row) for row in zip(*KEYS)]}
        self.write("anna.json", {"steps": turned})
        row = self.people("anna.json")["anna"]
        self.assertEqual((row["points"], row["of"]), (4, 4))
        self.assertEqual(row["mistakes"][0]["kind"], "convention")

    def test_feedback_says_of_what_follows_whether_it_counts(self):
        self.write("slip.json", {"steps": KINDS["slip"]})
        for follows in (True, False):
            self.write("scheme.json", {"follow_through": follows})
            done = self.grade("slip.json", "--scheme", "scheme.json", "--feedback", f"feedback-{follows}")
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(self.path(f"feedback-{follows}/slip.txt"), encoding="utf-8") as file:
                text = " ".join(file.read().split())
            self.assertEqual("not marked again" in text, follows)
            self.assertEqual("no new slip, but this scheme counts such numbers as wrong" in text, not follows)

    def test_what_counts_by_default_with_too_few_digits_is_told(self):
        self.write("coarse.json", {"steps": KINDS["coarse"]})
        told = "7 numbers have too few digits to tell, and count as right"
        for scheme, is_told in ({}, True), ({"too_coarse": "wrong"}, False), ({"points": {"scores": 1}}, False):
            self.write("scheme.json", scheme)
            done = self.grade("coarse.json", "--scheme", "scheme.json")
            self.assertEqual(told in " ".join(done.stdout.split()), is_told, scheme)

    def test_the_id_of_a_mistake_stays_whole_however_long_names_are(self):
        weights = softmax([[2, 4, 4], [4, 16, 12], [4, 12, 10]])
        self.write("hand-ins/Wilhelmina Featherstonehaugh-Cholmondeley.json",
                   {"steps": {"keys": QUERIES, "queries": KEYS, "values": VALUES, "attention_weights": weights}})
        row, = self.graded("hand-ins")["hand_ins"]
        done = self.grade("hand-ins")
        self.assertLessEqual(max(map(len, done.stdout.split("\n"))), 80)
        everybody = done.stdout.split("Everybody")[1].split("How many")[0]
        self.assertTrue(row["mistakes"])
        self.assertIn("projection.swapped_query_key", everybody)

    def test_numbers_with_too_few_digits_are_listed_where_the_teacher_asks(self):
        self.write("anna.json", {"steps": KINDS["coarse"]})
        self.write("scheme.json", {"points": {"attention_weights": 9}, "too_coarse": "ask"})
        row = self.people("anna.json", "--scheme", "scheme.json")["anna"]
        self.assertGreater(len(row["undecided"]), 0)
        self.assertAlmostEqual(row["steps"][1]["undecided"], len(row["undecided"]), 9)
        text = self.grade("anna.json", "--scheme", "scheme.json").stdout
        self.assertIn("for you to decide", " ".join(text.split()))

    def test_all_faults_of_a_scheme_are_said_with_their_places(self):
        self.write("anna.json", {"steps": RIGHT})
        self.write("scheme.json", '{\n  "points": {"scorse": 3},\n  "per": "cel",\n  "round": 0.5\n}\n')
        done = self.grade("anna.json", "--scheme", "scheme.json")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        for said in ("scheme.json:2:14", "did you mean scores?", "scheme.json:3:10", "scheme.json:4:3",
                     "did you mean /round_to?"):
            self.assertIn(said, done.stderr)

    def test_a_step_of_another_problem_is_named(self):
        self.write("anna.json", {"steps": RIGHT})
        self.write("scheme.json", {"points": {"scaled_scores": 3}})
        done = self.grade("anna.json", "--scheme", "scheme.json")
        self.assertEqual(done.returncode, 2)
        self.assertIn("a step that the problem does not have", done.stderr)
        self.assertEqual(self.grade("anna.json", "--scheme", "scheme.json", keys=SCALED).returncode, 0)

    def test_rows_of_padding_are_asked_of_nobody(self):
        """Sentences of 2, 4 and 3 words in a batch: of its 12 contexts 9 are somebody's, each of two numbers."""
        ragged = os.path.join(ROOT, "data", "ragged-batch.json")
        trace = json.loads(attn("run", ragged, "--format", "json", folder=self.folder).stdout)
        context, = [step["data"] for step in trace["steps"] if step["id"] == "context"]
        scores, = [step["data"] for step in trace["steps"] if step["id"] == "scores"]
        self.write("scheme.json", {"points": {"context": 18}, "per": "cell"})
        context[0][2][0] += 5  # of padding
        self.write("in/right.json", {"steps": {"context": context}})
        context[0][1][0] += 5
        self.write("in/slip.json", {"steps": {"context": context}})
        self.write("in/missing.json", {"steps": {"scores": scores}})
        people = self.people("in", "--scheme", "scheme.json", keys=ragged)
        counts = {name: [step[word] for word in ("cells", "right", "wrong", "missing", "points")]
                  for name, row in people.items() for step in row["steps"] if step["id"] == "context"}
        self.assertEqual(counts, {"right": [18, 18, 0, 0, 18], "slip": [18, 17, 1, 0, 17], "missing": [18, 0, 0, 18, 0]})


class ManyProblems(Folder):
    def setUp(self):
        super().setUp()
        for name, file in (("anna", EXAMPLE), ("ben", SCALED)):
            with open(file, encoding="utf-8") as opened:
                problem = json.load(opened)
            self.write(f"keys/{name}.json", {**problem, "x-for": f"{name.capitalize()} B"})
        self.statements = {name: json.loads(attn("run", self.path(f"keys/{name}.json"), "--format", "json").stdout)
                           ["statement"] for name in ("anna", "ben")}

    def test_a_hand_in_finds_its_problem(self):
        self.write("in/Anna_B.json", {"steps": RIGHT})
        self.write("in/ben.json", {"steps": RIGHT})
        self.write("in/c.json", {"name": "Cleo", "problem": self.statements["anna"], "steps": RIGHT})
        self.write("in/d.json", {"steps": RIGHT})
        # What stands beside problems and is none.
        self.write("keys/ben.golden.json", "{}")
        self.write("keys/scheme.json", SCHEME)
        rows = self.people("in", code=2, keys="keys")
        self.assertEqual(rows["Anna_B"]["problem"], "keys/anna.json")
        self.assertEqual(rows["ben"]["problem"], "keys/ben.json")
        self.assertEqual(rows["Cleo"]["problem"], "keys/anna.json")
        self.assertEqual(rows["d"]["verdict"], "no_problem")
        self.assertEqual((rows["Anna_B"]["verdict"], rows["ben"]["verdict"]), ("right", "wrong"))

    def test_steps_of_one_name_in_other_sizes_are_told_apart(self):
        self.write("keys/cleo.json", {"inputs": [[1, 0], [0, 1]], "score": "dot", "x-for": "Cleo B"})
        self.write("in/anna.json", {"steps": {"scores": SCORES}})
        self.write("in/ben.json", {"steps": {"scores": SLIP}})
        self.write("in/cleo.json", {"steps": {"scores": [[1, 0], [0, 7]]}})
        steps = self.graded("in", keys="keys")["summary"]["steps"]
        self.assertEqual([(step["id"], step["shape"], step["hand_ins"], step["wrong"]) for step in steps],
                         [("scores", [3, 3], 2, 1), ("scores", [2, 2], 1, 1)])
        self.assertEqual([step["cells"] for step in steps], [[0, 0, 0, 0, 0, 1, 0, 0, 0], [0, 0, 0, 1]])

    def test_a_hand_in_of_no_problem_is_an_error(self):
        self.write("in/a.json", {"name": "Anna B", "problem": "sha256:00", "steps": RIGHT})
        os.mkfifo(self.path("keys/pipe.json"))
        done = self.grade("in", keys="keys")
        self.assertEqual(done.returncode, 2)
        self.assertIn("in/a.json: error: it is of another problem", done.stderr)
        self.assertIn("left out of keys: pipe.json (no file)", done.stderr)

    def test_a_problem_that_cannot_be_read_stops_nothing(self):
        self.write("keys/cleo.json", '{"inputs": 3}')
        self.write("in/anna.json", {"steps": RIGHT})
        self.write("in/cleo.json", {"steps": RIGHT})
        rows = self.people("in", code=2, keys="keys")
        self.assertEqual(rows["anna"]["points"], 3)
        self.assertIn("cannot be read", rows["cleo"]["error"])

    def test_a_problem_that_is_too_large_stops_nothing(self):
        with open(EXAMPLE, encoding="utf-8") as file:
            large = {**json.load(file), "inputs": [[row % 5, row % 3, row % 7, 1] for row in range(9)]}
        for name in ("cleo", "dora"):
            self.write(f"keys/{name}.json", large)
        self.write("roster.csv", "name\nAnna B\nCleo\nDora\n")
        self.write("in/Anna B.json", {"steps": RIGHT})
        self.write("in/Cleo.json", {"steps": RIGHT})
        done = self.grade("in", "--roster", "roster.csv", "--max-memory", "3K", "--report", "json", keys="keys")
        self.assertEqual(done.returncode, 3)
        self.assertEqual(done.stderr.count("--max-memory is 3 KiB"), 2, done.stderr)
        rows = {row["name"]: row for row in json.loads(done.stdout)["hand_ins"]}
        self.assertEqual((rows["Anna B"]["points"], rows["Cleo"]["verdict"], rows["Dora"]["verdict"]),
                         (3, "no_problem", "nothing"))
        self.assertIn("keys/cleo.json, cannot be read", rows["Cleo"]["error"])
        self.assertIn("keys/dora.json, cannot be read", rows["Dora"]["remarks"][0])

    def test_many_problems_are_each_marked_by_their_own_numbers(self):
        rows = []
        for at in range(18):
            inputs = [[at, 1], [1, 2]]
            rows.append([[sum(a * b for a, b in zip(one, other)) for other in inputs] for one in inputs])
            self.write(f"many/p{at:02}.json", {"inputs": inputs, "score": "dot"})
        for at in range(18):
            scores = rows[at] if at % 3 else rows[(at + 1) % 18]
            self.write(f"in/p{at:02}.json", {"steps": {"scores": scores}})
        people = self.people("in", keys="many")
        self.assertEqual({name: row["verdict"] for name, row in people.items()},
                         {f"p{at:02}": "right" if at % 3 else "wrong" for at in range(18)})

    def test_numbers_of_nobody_elses_problem_are_asked_about_whatever_else_is_in_the_folder(self):
        with open(EXAMPLE, encoding="utf-8") as file:
            problem = json.load(file)
        self.write("all/a.json", "{")  # cannot be read
        too_large = {"random": "normal", "shape": [3000, 4], "seed": 7}
        self.write("all/b.json", {**problem, "inputs": too_large})
        self.write("all/c.json", {**problem, "inputs": [*problem["inputs"], [1, 0, 0, 1]]})
        self.write("all/d.json", {**problem, "inputs": [[5, 3, 1, 2], [7, 2, 0, 9], [6, 4, 8, 1]]})
        self.write("all/ben.json", {**problem, "inputs": [[3, 5, 2, 1], [7, 2, 5, 9], [2, 8, 4, 6]]})
        self.write("all/zoe.json", problem)
        self.write("in/ben.json", {"steps": {"keys": KEYS, "queries": QUERIES, "values": VALUES, **RIGHT}})
        words = ["in", "--max-memory", "100M"]
        ben = self.people(*words, keys="all", code=2)["ben"]
        self.assertEqual(ben["remarks"], ["its numbers are those of the problem of zoe"])
        os.remove(self.path("all/zoe.json"))
        ben = self.people(*words, keys="all", code=2)["ben"]
        self.assertEqual(ben["remarks"], ["its first steps are mostly wrong: is it of other numbers?"])

    def test_of_problems_that_are_the_same_each_has_their_own(self):
        shutil.copy(self.path("keys/anna.json"), self.path("keys/zoe.json"))
        for name in ("zoe", "Cleo"):
            self.write(f"in/{name}.json", {"problem": self.statements["anna"], "steps": RIGHT})
        self.write("in/Dora/1.json", {"problem": self.statements["anna"], "steps": {"scores": SCORES}})
        self.write("in/Dora/2.json", {"problem": self.statements["ben"], "steps": {"context": RIGHT["context"]}})
        people = self.people("in", keys="keys")
        self.assertEqual([people[name]["problem"] for name in ("zoe", "Cleo")], ["keys/zoe.json", "keys/anna.json"])
        self.assertEqual((people["Dora"]["problem"], people["Dora"]["points"]), ("keys/anna.json", 2))  # the first counts

    def test_what_stands_beside_problems_is_told_only_where_it_may_be_one(self):
        trace = attn("run", EXAMPLE, "--format", "json").stdout
        for name, text in (("trace", trace), ("answers", {"steps": RIGHT}), ("points", {"points": {}}), ("list", [1])):
            self.write(f"keys/{name}.json", text)
        self.write("keys/open.json", "{")
        with open(self.path("keys/bytes.json"), "wb") as file:
            file.write(b"\xff{")
        for name in ("anna", "trace", "answers", "points", "list", "open", "bytes", "Anna A"):
            self.write(f"in/{name}.json", {"steps": RIGHT})
        rows = self.people("in", code=2, keys="keys")
        self.assertEqual(rows["anna"]["verdict"], "right")
        for name in ("list", "open", "bytes"):
            self.assertEqual(rows[name]["error"], f"its problem, keys/{name}.json, cannot be read")
        for name in ("trace", "answers", "points", "Anna A"):
            self.assertTrue(rows[name]["error"].startswith(f"there is no problem for `{name}`"), rows[name])
        self.assertTrue(rows["Anna A"]["error"].endswith("; is it Anna B?"), rows["Anna A"])

    def test_of_a_class_whoever_has_no_problem_has_no_points_to_win(self):
        self.write("keys/cleo.json", "{")
        self.write("in/anna.json", {"steps": RIGHT})
        self.write("roster.csv", "name\nanna\nben\nCleo\nDora\n")
        self.write("scheme.json", SCHEME)
        rows = self.people("in", "--roster", "roster.csv", "--scheme", "scheme.json", keys="keys", code=2)
        self.assertEqual([(rows[name]["verdict"], rows[name]["of"]) for name in ("anna", "ben", "Cleo", "Dora")],
                         [("right", 10), ("nothing", 10), ("nothing", 0), ("nothing", 0)])

    def test_one_problem_that_cannot_be_used_is_an_error_of_the_line(self):
        self.write("in/anna.json", {"steps": RIGHT})
        broken = self.write("broken.json", '{"inputs": 3}')
        self.assertIn("broken.json:1:12: error: /inputs", self.refused("in", keys=broken))
        with open(EXAMPLE, encoding="utf-8") as file:
            problem = json.load(file)
        large = self.write("large.json", {**problem, "inputs": {"random": "normal", "shape": [3000, 4], "seed": 7}})
        self.assertIn("--max-memory", self.refused("in", "--max-memory", "100M", keys=large, code=3))

    def test_whoever_has_no_name_has_none_of_many_problems(self):
        done = self.grade("-", "--report", "json", keys="keys", text=json.dumps({"steps": RIGHT}))
        self.assertEqual(done.returncode, 2)
        row, = json.loads(done.stdout)["hand_ins"]
        self.assertEqual((row["name"], row["verdict"]), ("", "no_problem"))
        self.assertEqual(row["error"], "it says neither whose it is nor of which problem")

    def test_a_folder_without_a_problem_that_can_be_read_is_refused(self):
        self.write("in/anna.json", {"steps": RIGHT})
        self.write("none/scheme.json", SCHEME)
        self.write("none/.hidden.json", "{}")
        said = self.refused("in", keys="none")
        self.assertIn("the folder `none` has no problems", said)
        self.assertIn("but for traces and answers", said)
        self.write("broken/cleo.json", '{"inputs": 3}')
        self.assertIn("broken/cleo.json:1:12: error: /inputs", self.refused("in", keys="broken"))
        self.assertIn("there is no such file", self.refused("in", keys="gone.json"))


class Outputs(Folder):
    def test_a_hand_in_is_what_gradescope_takes(self):
        self.write("anna.json", {"steps": KINDS["slip"]})
        done = self.grade("anna.json", "--report", "gradescope", "-o", "results.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("results.json"), encoding="utf-8") as file:
            results = json.load(file)
        self.assertEqual(results["score"], 2.89)
        self.assertEqual([test["name"] for test in results["tests"]], ["scores", "attention_weights", "context"])
        self.assertEqual([test["status"] for test in results["tests"]], ["failed", "passed", "passed"])
        for test in results["tests"]:
            self.assertEqual((test["max_score"], test["visibility"]), (1, "visible"))
        self.assertIn("2.89 of 3 points", results["output"])

    def test_several_hand_ins_are_a_folder_for_gradescope(self):
        self.write("in/anna.json", {"steps": RIGHT})
        self.write("in/ben.json", {"steps": RIGHT})
        refused = self.grade("in", "--report", "gradescope")
        self.assertEqual((refused.returncode, refused.stdout), (2, ""))
        self.assertIn("-o DIR", refused.stderr)
        self.write("two/anna/a.json", {"steps": RIGHT})
        self.write("two/anna/b.json", {"steps": RIGHT})
        refused = self.grade("two", "--report", "gradescope", "--feedback", "feedback")
        self.assertEqual((refused.returncode, refused.stdout), (2, ""))
        self.assertIn("of one hand-in, and here are 2", refused.stderr)
        self.assertEqual(os.listdir(self.path("feedback")), [])
        self.assertEqual(self.grade("two", "--report", "gradescope", "-o", "of-two").returncode, 0)
        self.assertEqual(len(os.listdir(self.path("of-two"))), 2)
        self.assertEqual(self.grade("in", "--report", "gradescope", "-o", "results").returncode, 0)
        self.assertEqual(sorted(os.listdir(self.path("results"))), ["anna.json", "ben.json"])

    def test_a_report_is_what_its_file_ends_with(self):
        self.write("anna.json", {"steps": RIGHT})
        said = self.refused("anna.json", "-o", "grades.odt")
        self.assertIn("the ending of `grades.odt` names no report", said)
        self.assertIn("give --report: text, csv, json", said)
        said = self.refused("anna.json", "-o", "grades.csv", "--report", "html")
        self.assertIn("`-o grades.csv` is a report in csv by its ending, and --report says html", said)
        self.assertIn("leave --report out", said)
        self.assertEqual(self.grade("anna.json", "-o", "grades.csv", "--report", "csv").returncode, 0)
        self.assertEqual(self.grade("anna.json", "-o", "grades", "--report", "csv").returncode, 0)
        self.assertEqual(self.grade("anna.json", "-o", "-").stdout, self.grade("anna.json").stdout)
        self.assertEqual(self.grade("anna.json", "-o", "-", "--report", "csv").stdout,
                         self.grade("anna.json", "--report", "csv").stdout)

    def test_a_report_that_is_named_goes_to_the_one_of_several_files_that_it_fits(self):
        self.write("anna.json", {"steps": RIGHT})
        done = self.grade("anna.json", "--report", "gradescope", "-o", "results.json", "-o", "class.csv")
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        with open(self.path("results.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["score"], 3)
        with open(self.path("class.csv"), encoding="utf-8") as file:
            self.assertTrue(file.read().startswith("name,problem,points"))
        for words in (["--report", "csv", "-o", "a.json", "-o", "b.html"],
                      ["--report", "gradescope", "-o", "a.json", "-o", "b.json"]):
            said = self.refused("anna.json", *words)
            self.assertIn("by its ending, and --report says " + words[1], said)
            self.assertFalse(os.path.exists(self.path("a.json")))

    def suites(self, *words, code=0, **more):
        """The report of tests, by the names of people: {name: {step: failure or None}}."""
        done = self.grade(*words, "--report", "junit", **more)
        self.assertEqual(done.returncode, code, done.stderr)
        root = ElementTree.fromstring(done.stdout)
        cases = root.findall("*/testcase")
        self.assertEqual([int(root.get(key)) for key in ("tests", "failures", "errors")],
                         [len(cases), len(root.findall(".//failure")), len(root.findall(".//error"))])
        return {suite.get("name"): {case.get("name"): case[0] if len(case) else None for case in suite}
                for suite in root}

    def test_a_report_of_tests_says_what_was_taken_and_why(self):
        self.write("anna.json", {"steps": KINDS["scaled"]})
        self.write("scheme.json", {"points": {"scores": 0, "attention_weights": 2, "context": 1},
                                   "deduct": {"scale.*": 0.1}})
        anna = self.suites("anna.json", "--scheme", "scheme.json")["anna"]
        self.assertEqual([anna["scores"], anna["context"]], [None, None])
        said = anna["attention_weights"]
        self.assertRegex(said.get("message"), r"2 of 9 right, .*; 0\.34 of 2 points; −0\.1 scale\.added$")
        # Nothing is taken where nothing was earned; something may be where all is right.
        self.write("whole.json", {"per": "step", "deduct": {"scale.*": 0.1}})
        said = self.suites("anna.json", "--scheme", "whole.json")["anna"]["attention_weights"].get("message")
        self.assertTrue(said.endswith("; 0 of 1 points"), said)
        self.write("cleo.json", {"steps": {**RIGHT, "scores": SLIP, "keys": [list(row) for row in zip(*KEYS)]}})
        self.write("layout.json", {"deduct": {"layout.*": 0.25}})
        cleo = self.suites("cleo.json", "--scheme", "layout.json")["cleo"]
        self.assertEqual(cleo["keys"].get("message"), "9 of 9 right; 0.75 of 1 points; −0.25 layout.transposed_answer")
        self.assertNotIn("−", cleo["scores"].get("message"))
        # A step that is worth nothing has no points to tell.
        self.write("ben.json", {"steps": KINDS["slip"]})
        ben = self.suites("ben.json", "--scheme", "scheme.json")["ben"]
        self.assertNotIn("points", ben["scores"].get("message"))
        self.assertTrue(ben["scores"].text.startswith("slip.digits_swapped: "))

    def test_a_report_of_tests_names_whoever_has_no_name_by_their_file(self):
        self.assertEqual(list(self.suites("-", text=json.dumps({"steps": RIGHT}))), ["-"])

    def test_whoever_handed_in_nothing_has_failed_one_test(self):
        self.write("in/anna.json", {"steps": RIGHT})
        self.write("in/ben.json", "{")
        self.write("roster.csv", "name\nanna\nben\ncleo\n")
        people = self.suites("in", "--roster", "roster.csv", code=2)
        tags = {name: [case if case is None else case.tag for case in cases.values()] for name, cases in people.items()}
        self.assertEqual(tags, {"anna": [None] * 3, "ben": ["error"], "cleo": ["failure"]})

    def test_a_mistake_made_twice_is_listed_once(self):
        twice = {**RIGHT, "scores": [[2, 4, 4], [4, 61, 21], [4, 12, 10]]}
        self.write("anna.json", {"steps": twice})
        row, = csv.DictReader(io.StringIO(self.grade("anna.json", "--report", "csv").stdout))
        self.assertEqual(row["mistakes"], "slip.digits_swapped")
        told = self.suites("anna.json")["anna"]["scores"].text.split("\n")
        self.assertEqual([line.split(":")[0] for line in told], ["slip.digits_swapped"] * 2)

    def page_of(self, *words, code=0, **more):
        done = self.grade(*words, "--report", "html", **more)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout

    def test_a_page_of_a_class_of_whom_nobody_can_be_graded_has_no_figures(self):
        self.write("in/anna.json", "{")
        page = self.page_of("in", code=2)
        self.assertIn("<td>anna</td>", page)
        self.assertNotIn('<div class="chart">', page)
        self.write("in/ben.json", {"steps": RIGHT})
        self.assertIn('<div class="chart">', self.page_of("in", code=2))

    def test_a_page_says_that_not_everybody_can_have_the_same_points(self):
        self.write("in/anna.json", {"steps": RIGHT})
        self.write("in/ben.json", {"steps": RIGHT})
        said = "Not all hand-ins are of as many points"
        self.assertNotIn(said, self.page_of("in"))
        self.write("in/ben.json", {"steps": {"scores": SCORES}})
        self.assertIn(said, self.page_of("in"))

    def test_numbers_of_another_shape_are_wrong_and_stand_in_no_cell(self):
        self.write("anna.json", {"steps": KINDS["shape"]})
        drawn = re.search('<div class="maps">(.*?)</div>', self.page_of("anna.json"), re.S)[1]
        self.assertEqual(drawn.strip(), "<figure><figcaption>Context: wrong in 1 of 1</figcaption>\n</figure>")

    def test_each_report_of_several_is_what_its_own_file_ends_with(self):
        self.write("anna.json", {"steps": RIGHT})
        self.assertEqual(self.grade("anna.json", "-o", "a.csv", "-o", "rest", "--report", "html").returncode, 0)
        with open(self.path("a.csv"), encoding="utf-8") as file:
            self.assertTrue(file.read().startswith("name,problem,"))
        with open(self.path("rest"), encoding="utf-8") as file:
            self.assertTrue(file.read().startswith("<!DOCTYPE html>"))

    def test_how_cells_count_is_told(self):
        self.write("anna.json", {"steps": KINDS["slip"]})
        for per, points in (("cell", 2.89), ("step", 2)):
            self.write("scheme.json", {"per": per})
            graded = self.graded("anna.json", "--scheme", "scheme.json")
            self.assertEqual((graded["scheme"]["per"], graded["hand_ins"][0]["points"]), (per, points))

    def test_standard_input_is_one_file_only(self):
        for words, keys in ((["-", "-"], EXAMPLE), (["-"], "-")):
            said = self.refused(*words, keys=keys)
            self.assertIn("standard input can be one file only", said)
            self.assertIn("give the others by name", said)

    def test_what_comes_by_standard_input_is_graded_and_has_feedback(self):
        for text, names in (({"steps": RIGHT}, 1), ({"name": "Anna", "steps": RIGHT}, 1)):
            done = self.grade("-", "--feedback", "told", "--report", "json", text=json.dumps(text))
            row, = json.loads(done.stdout)["hand_ins"]
            self.assertEqual((row["name"], row["points"]), (text.get("name", ""), 3))
        self.assertEqual(len(os.listdir(self.path("told"))), 2)
        self.write("anna.json", {"steps": RIGHT})
        with open(EXAMPLE, encoding="utf-8") as file:
            text = file.read()
        self.assertEqual(self.grade("anna.json", keys="-", text=text).stdout, self.grade("anna.json").stdout)

    def test_one_hand_in_for_gradescope_may_be_a_folder_too(self):
        self.write("anna.json", {"steps": RIGHT})
        os.makedirs(self.path("results.d"))
        for folder in ("results", "results.d"):
            self.assertEqual(self.grade("anna.json", "--report", "gradescope", "-o", folder).returncode, 0)
            self.assertEqual(os.listdir(self.path(folder)), ["anna.json"])

    def test_feedback_that_cannot_be_written_is_the_environment_s_fault(self):
        self.write("in/anna.json", {"steps": RIGHT})
        self.write("file", "x")
        os.makedirs(self.path("folder/anna.txt"))
        self.write("protected/anna.txt", "old")
        os.chmod(self.path("protected/anna.txt"), 0o444)
        with socket.socket(socket.AF_UNIX) as end:
            end.bind(self.path("end"))
        for folder, why in (("file", "cannot be written"), ("file/in", "cannot be written"),
                            ("folder", "it is a directory"), ("protected", "it is write-protected")):
            self.assertIn(why, self.refused("in", "--feedback", folder, code=3), folder)
        self.assertIn("end cannot be written", self.refused("in", "--report", "csv", "-o", "end", code=3))

    def test_feedback_does_not_replace_a_file_that_was_named(self):
        self.write("in/anna.txt", "S = [2 4 4; 4 16 12; 4 12 10]\n")
        said = self.refused("in/anna.txt", "--feedback", "in")
        self.assertIn("`in/anna.txt` is read here, and would be replaced", said)

    def test_a_large_class_gets_a_file_each(self):
        for person in range(128):
            self.write(f"in/p{person}.json", {"steps": {"scores": SCORES}})
        self.assertEqual(self.grade("in", "--feedback", "told").returncode, 0)
        self.assertEqual(len(os.listdir(self.path("told"))), 128)

    def test_nothing_that_is_read_is_replaced(self):
        self.write("in/anna.json", {"steps": RIGHT})
        for words in (["--feedback", "in"], ["--feedback", "in/feedback"], ["-o", "in/anna.json"]):
            done = self.grade("in", *words)
            self.assertEqual(done.returncode, 2, words)
        self.assertEqual(os.listdir(self.path("in")), ["anna.json"])

    def test_a_list_of_the_class_without_names_is_refused(self):
        self.write("anna.json", {"steps": RIGHT})
        for text, said in (("who,group\nanna,1\n", "no column is called `name`"), ("", "empty"),
                           ("name\nanna\nANNA\n", "in the list already"), ("name,group\n,1\n", "has no name"),
                           ("name\nÖzil\nözil\n", "in the list already"),
                           ("name\nJosé\nJose\u0301\n", "in the list already")):
            self.write("roster.csv", text)
            done = self.grade("anna.json", "--roster", "roster.csv")
            self.assertEqual((done.returncode, done.stdout), (2, ""), text)
            self.assertIn(said, done.stderr)

    def test_whose_numbers_they_are_is_found_among_problems_of_other_sizes_and_steps(self):
        with open(EXAMPLE, encoding="utf-8") as file:
            problem = json.load(file)
        self.write("problems/anna.json", problem)
        self.write("problems/ben.json", {"queries": [[1, 0], [2, 1]], "keys": [[1, 0], [0, 1]], "values": [[1], [2]]})
        shutil.copy(os.path.join(ROOT, "data", "block-by-hand.json"), self.path("problems/cleo.json"))
        problem["inputs"] = [[5, 1, 4, 2], [3, 6, 1, 7], [2, 9, 4, 8]]
        eve = self.write("problems/eve.json", problem)
        steps = {step["id"]: step["data"] for step in json.loads(attn("run", eve, "--format", "json").stdout)["steps"]}
        # One number of each step, which Ben's problem has no place for, and Cleo's no such steps.
        self.write("in/anna.json", {"steps": {id: {"3,3": steps[id][2][2]} for id in ("queries", "keys", "scores")}})
        done = attn("grade", "problems", "in", "--report", "json", folder=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        person, = json.loads(done.stdout)["hand_ins"]
        self.assertEqual((person["name"], person["verdict"]), ("anna", "wrong"))
        self.assertEqual(person["remarks"], ["its numbers are those of the problem of eve"])

    def test_a_list_of_the_class_that_is_not_there_is_refused(self):
        self.write("anna.json", {"steps": RIGHT})
        done = self.grade("anna.json", "--roster", "roster.csv")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("roster.csv: error: there is no such file\n", done.stderr)

    def test_feedback_comes_in_any_format_for_people(self):
        self.write("in/anna.json", {"steps": KINDS["slip"]})
        for name, ending in (("markdown", "md"), ("html", "html"), ("latex", "tex")):
            done = self.grade("in", "--feedback", name, "--feedback-format", name)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(os.listdir(self.path(name)), [f"anna.{ending}"])

    def test_hostile_names_stay_names(self):
        self.write("in/a.json", {"name": "../../<b>&\"x\"\x1b[31m", "steps": RIGHT})
        done = self.grade("in", "--feedback", "fb", "-o", "g.html", "-o", "g.xml", "-o", "g.csv", "-o", "g.txt")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(os.listdir(self.path("fb"))), 1)
        ElementTree.parse(self.path("g.xml"))
        with open(self.path("g.html"), encoding="utf-8") as file:
            self.assertNotIn("<b>&", file.read())
        with open(self.path("g.txt"), encoding="utf-8") as file:
            self.assertNotIn("\x1b", file.read())

    def test_the_json_is_as_its_schema_says(self):
        try:
            import jsonschema
        except ImportError:
            self.skipTest("python3-jsonschema is not installed")
        schemas = {name: json.loads(attn("schema", name).stdout) for name in ("grades", "scheme", "answers")}
        for text in schemas.values():
            jsonschema.Draft202012Validator.check_schema(text)
        self.write("in/anna.json", {"steps": KINDS["slip"]})
        self.write("in/ben.json", "")
        self.write("roster.csv", "name\nanna\nCleo\n")
        self.write("scheme.json", {**SCHEME, "too_coarse": "ask", "deduct": {"slip.*": 1}})
        said = self.graded("in", "--roster", "roster.csv", "--scheme", "scheme.json", code=2)
        jsonschema.validate(said, schemas["grades"])
        jsonschema.validate(SCHEME, schemas["scheme"])
        jsonschema.validate({"problem": "sha256:1", "steps": {"S": [1]}}, schemas["answers"])
        for bad in ({"point": {}}, {"points": {"scores": -1}}, {"round_to": 0}, {"per": "row"}):
            self.assertFalse(jsonschema.Draft202012Validator(schemas["scheme"]).is_valid(bad), bad)


if __name__ == "__main__":
    unittest.main()
