#!/usr/bin/env python3
"""Published worked examples, handed in as answers.

Where an honest recomputation agrees with what was printed, `attn check` must not call
it wrong; where the printed numbers are known to be wrong, it must, and say in which step.

    checked.py --attn build/default/attn --cases DIR
"""

import sys

sys.dont_write_bytecode = True

import json
import os
import subprocess
import tempfile

from running import OutOfReach, SKIPPED, Tally, depth, files_under, nothing_to_run, parsed_options, runner, steps_of, transposed
from worked import SCORE_LIKE, Statement, read_published


# What two sources call what they print.
OTHER_NAMES = {"case1": "output", "V_study_as_printed": "V_study"}


def blanks(shape):
    return None if not shape else [blanks(shape[1:]) for _ in range(shape[0])]


def texts(printed):
    return [texts(part) for part in printed] if isinstance(printed, list) else str(printed)


def answers(statement, published, trace):
    """The published tensors under the ids of their steps, the rest of each step blank."""
    steps, shapes = {}, {step["id"]: step["shape"] for step in trace["steps"]}
    for _, item, printed in published:
        if item.variants:
            continue
        id = trace["result"] if item.step == "result" else item.step
        if item.head is not None and item.step == "result":
            id = "context"
        if id not in shapes:
            raise OutOfReach(f"publishes {id}, which the problem does not have")
        place = ([item.head] if item.head is not None else []) + item.places
        printed = texts(printed)
        if statement.turned_scores and id in SCORE_LIKE and depth(printed) == 2:
            printed = transposed(printed)
        if not place:
            steps[id] = printed
            continue
        whole = steps.setdefault(id, blanks(shapes[id]))
        for index in place[:-1]:
            whole = whole[index]
        whole[place[-1]] = printed
    if not steps:
        raise OutOfReach("no published number is a step of a trace")
    return {"schema": "attn/answers/1", "steps": steps}


def report_of(problem, handed_in, options):
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("problem.json", "answers.json")]
        for path, content in zip(paths, (problem, handed_in)):
            with open(path, "w", encoding="utf-8") as file:
                json.dump(content, file)
        done = subprocess.run([options.attn, "check", *paths, "--format", "json"], capture_output=True, timeout=60)
    if done.returncode > 1:
        raise OutOfReach("cannot be handed in: " + done.stderr.decode("utf-8", "replace").split("\n")[0])
    return json.loads(done.stdout)


def check(path, run, options):
    with open(path, encoding="utf-8") as file:
        example = json.load(file)
    for names in (example["published"], example.get("published_text", {})):
        for other, name in OTHER_NAMES.items():
            if other in names:
                names[name] = names.pop(other)
    statement = Statement(example)
    problem = statement.problem()
    published = read_published(example, example["statement"].get("labels", []))
    if not published:
        raise OutOfReach("no published number is a step of a trace")
    report = report_of(problem, answers(statement, published, run.trace(problem)), options)
    known_wrong = example.get("disagreement", "").startswith("WRONG")
    if known_wrong and (report["verdict"] != "wrong" or not report["first_wrong"] or not report["diagnoses"]):
        return [f"printed numbers are wrong, and the verdict is {report['verdict']}"]
    if example.get("agrees") and report["verdict"] == "wrong":
        return [f"printed numbers are right, and {report['first_wrong']} is called wrong"]
    for diagnosis in report["diagnoses"]:
        print(f"         {diagnosis['step']}: {diagnosis['mistake']} {diagnosis['ties']} {diagnosis['evidence']}")
    return []


def main():
    options = parsed_options(__doc__.split("\n")[0], "a folder of worked examples")
    if nothing_to_run(options):
        return SKIPPED
    run, tally = runner(options), Tally()
    for path in files_under(options.cases):
        tally.run(os.path.relpath(path, options.cases), lambda: check(path, run, options))
    return tally.close()


if __name__ == "__main__":
    sys.exit(main())
