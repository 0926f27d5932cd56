#!/usr/bin/env python3
"""Measures `attn check` against people whose mistakes are known.

Every mistake of the catalogue is made on generated problems, rounded in honest ways,
and handed in in parts. Where the numbers can tell at all, the program must call the answer
wrong, name the mistake first or in a tie of at most three (more only where more give the
same numbers), and find the first wrong step. And nobody who did nothing wrong may be
called wrong.

    check_agree.py build/default/attn --per 40 --honest 10000
    check_agree.py build/default/attn --mistakes scale.none,slip.sign --verbose
"""

import sys

sys.dont_write_bytecode = True

import json
import multiprocessing
import os
import random
import shutil
import subprocess
import tempfile
from collections import Counter, defaultdict

from exercises import PLACED, UNUSUAL, exercise
from handins import DECIMALS, SETS, Reader, at, cells
from honest import KINDS
from pairs import TWO, explained_by, two_at_once
from placing import FAMILIES
from program import SKIPPED, measuring_arguments, missing, remove_if_empty
from roundings import ROUNDINGS, needs_a_note
from slips import SLIPS
from students import NotHere
from unusual import UNUSUAL_MISTAKES

MOST_TIES = 3
ENOUGH = 0.95
SECONDS = 800
SHOWN = 20
OPTIONS = None
CONVENTION = "layout.transposed_answer"
DRAWN = {**ROUNDINGS, TWO: two_at_once}


# --- what is asked ---------------------------------------------------------


def plan(options):
    """Which mistakes are made in which problems, until each was made often enough."""
    wanted = set(options.mistakes.split(",")) if options.mistakes else None
    drawn = ["slip." + kind for kind in SLIPS] + list(DRAWN)
    problems = stream(options, options.seed, drawn, wanted, lambda name: not (is_placed(name) or is_unusual(name)))
    problems += stream(options, options.seed + PLACED, [], wanted, is_placed)
    problems += stream(options, options.seed + UNUSUAL, [], wanted, is_unusual)
    each = 40
    honest = [(options.seed + {1: UNUSUAL, 3: PLACED}.get(k % 4, 100000) + k, [], min(each, options.honest - k * each))
              for k in range((options.honest + each - 1) // each)]
    return problems + honest


def is_placed(name):
    """Whether a mistake is about positions or past keys, which have problems of their own."""
    return name.partition(".")[0] in FAMILIES


def is_unusual(name):
    """The same of what is in unusual.py."""
    return name in UNUSUAL_MISTAKES


def stream(options, seed, drawn, wanted, belongs):
    """(seed, mistakes, 0) of problems from this one on, for the mistakes that belong there."""
    made, problems, idle = Counter(), [], 0
    if wanted is not None:
        wanted = {name for name in wanted if belongs(name)}
    while options.per and idle < 150 and not (wanted is not None and all(made[n] >= options.per for n in wanted)):
        names = drawn + list(filter(belongs, Reader(exercise(seed)).rooms()))
        names = [n for n in names if made[n] < options.per and (wanted is None or n in wanted)]
        made.update(names)
        idle = 0 if names else idle + 1
        if names:
            problems.append((seed, names, 0))
        seed += 1
    return problems


def hand_ins(reader, seed, names, honest):
    rng = random.Random(f"attn hand-ins {seed}")
    for name in names:
        for decimals in DECIMALS:
            for which in SETS:
                handin = DRAWN[name](reader, which, decimals, rng) if name in DRAWN else reader.wrong(
                    name, which, decimals, rng)
                if handin:
                    yield handin
    yield from honest_hand_ins(reader, seed, honest, rng)


def honest_hand_ins(reader, seed, count, rng):
    """Of every kind in turn; one that a problem has no room for gives its place to a plain one."""
    kinds = OPTIONS.kinds.split(",") if OPTIONS.kinds else list(KINDS)
    for k in range(count):
        kind, which, decimals = kinds[(seed + k) % len(kinds)], SETS[rng.randrange(4)], DECIMALS[k % 4]
        made = None
        try:
            made = KINDS[kind](reader, which, decimals, rng)
        except (NotHere, OverflowError):
            pass
        if made is None:
            kind, made = "plain", KINDS["plain"](reader, which, decimals, rng)
        made.kind = kind
        yield made


# --- asking ----------------------------------------------------------------


def start(options):
    global OPTIONS
    OPTIONS = options


def measure(task):
    """(seed, rows); a row is (mistake, set, decimals, outcome, words about it)."""
    seed, names, honest = task
    raw = exercise(seed)
    reader = Reader(raw)
    given_in = list(hand_ins(reader, seed, names, honest))
    folder = os.path.join(OPTIONS.folder, str(seed))
    os.makedirs(folder, exist_ok=True)
    problem = os.path.join(folder, "problem.json")
    with open(problem, "w", encoding="utf-8") as file:
        json.dump(raw, file)
    paths = []
    for k, handin in enumerate(given_in):
        paths.append(os.path.join(folder, f"answers-{k + 1}.json"))
        with open(paths[-1], "w", encoding="utf-8") as file:
            json.dump(handin.answers(), file, ensure_ascii=False)
    rows = []
    for handin, path, problem, report in asked(given_in, paths, problem):
        outcome, expected = judged(reader, handin, report)
        told = ""
        if outcome not in ("hit", "undecidable", "honest"):
            told = words(handin, expected, report, problem, path)
        elif not OPTIONS.keep:
            os.remove(path)
        name = handin.id and handin.id + ", not handed in" * (handin.id.startswith("slip.") and handin.hidden)
        rows.append((name, handin.which if name else handin.kind, handin.pen.decimals, outcome, told))
    if not (OPTIONS.keep or any(row[-1] for row in rows)):
        shutil.rmtree(folder)
    return seed, rows


def asked(given_in, paths, problem):
    """(hand-in, its file, its problem, the report): all of one problem at once."""
    shared = [k for k, handin in enumerate(given_in) if handin.raw is None]
    for k, report in zip(shared, reports(problem, [paths[k] for k in shared])):
        yield given_in[k], paths[k], problem, report
    for handin, path in zip(given_in, paths):
        if handin.raw is not None:
            own = path.replace("answers", "problem")
            with open(own, "w", encoding="utf-8") as file:
                json.dump(handin.raw, file)
            yield handin, path, own, reports(own, [path])[0]


def reports(problem, paths):
    if OPTIONS.dry or not paths:
        return [{} for _ in paths]
    done = subprocess.run([OPTIONS.attn, "check", problem, *paths, "--format", "json"],
                          capture_output=True, timeout=SECONDS)
    try:
        found = json.loads(done.stdout)
    except ValueError:
        said = done.stderr.decode("utf-8", "replace")[:500]
        return [{"verdict": f"exit code {done.returncode}: {said}"} for _ in paths]
    found = found if isinstance(found, list) else [found]
    if len(found) != len(paths):
        return [{"verdict": f"{len(found)} reports for {len(paths)} answers"} for _ in paths]
    return found


# --- judging ---------------------------------------------------------------


def judged(reader, handin, report):
    """(outcome, what was expected)."""
    verdict = report.get("verdict", "no verdict: " + str(report.get("error")))
    if handin.id is None:
        fair = only_slip(report, handin.step) if handin.step else verdict in ("right", "incomplete")
        expected = f"one cell of {handin.step} wrong, and nothing else" if handin.step else "not wrong"
        return "honest" if fair or OPTIONS.dry else "honest called wrong", expected
    if handin.id in ROUNDINGS:
        return judged_note(reader, handin, report, verdict)
    if not reader.decidable(handin):
        return "undecidable", ""
    step = reader.first_wrong(handin)
    if step is None and handin.id != CONVENTION:
        return "undecidable", ""
    if OPTIONS.dry:
        return "undecidable" if reader.explained(handin) else "hit", ""
    named = named_in(report)
    expected = f"wrong, first in {step}"
    if handin.id == TWO:
        return judged_pair(reader, handin, report, step)
    if handin.id.startswith("slip.") and handin.hidden and wrong_cells(reader, handin, step) < 2:
        return judged_lone_cell(reader, handin, report, step)
    if handin.id == CONVENTION:
        return ("hit" if verdict != "wrong" and CONVENTION in named else "other verdict"), "a convention"
    if verdict == "wrong" and handin.id in named and len(named) <= MOST_TIES and report.get("first_wrong") == step:
        return "hit", expected
    ties = reader.ties(handin) | {handin.id}
    expected += f", one of {sorted(ties)}"
    if verdict != "wrong":
        if CONVENTION in ties and CONVENTION in named:
            return "hit", expected
        return called_right(reader, handin), expected
    if handin.id not in named:
        return ("unnamed" if not named else "other mistake"), expected
    if len(named) > max(MOST_TIES, len(ties)):
        return "too many ties", expected
    return ("hit" if report.get("first_wrong") == step else "other first step"), expected


def called_right(reader, handin):
    """What lies within honest rounding is right, even if a mistake would give it too."""
    return "undecidable" if reader.explained(handin) else "called right"


def judged_note(reader, handin, report, verdict):
    """Fewer digits carried on: never wrong, and named where nothing else explains the numbers."""
    if not needs_a_note(reader, handin):
        return "undecidable", ""
    expected = "right, with a note"
    if OPTIONS.dry:
        return "hit", expected
    if verdict == "wrong":
        return "called wrong", expected
    named = {name for d in report.get("diagnoses", []) for name in (d.get("mistake"), *d.get("ties", []))}
    return ("hit" if named & set(ROUNDINGS) and (handin.id in named or handin.hidden) else "unnamed"), expected


def judged_pair(reader, handin, report, step):
    """Both of two mistakes, or two others that give the same."""
    if reader.ties(handin):
        return "undecidable", ""  # one alone explains it
    errors = [{d.get("mistake"), *d.get("ties", [])} for d in report.get("diagnoses", []) if d.get("kind") == "error"]
    expected = f"wrong, first in {step}, {handin.variant}"
    if report.get("verdict") != "wrong":
        return called_right(reader, handin), expected
    if not handin.both <= set().union(*errors):
        if len(errors) != 2 or not explained_by(reader, handin, *errors):
            return ("unnamed" if errors in ([], [{"unexplained"}]) else "other mistake"), expected
    return ("hit" if report.get("first_wrong") == step else "other first step"), expected


def wrong_cells(reader, handin, step):
    """How many cells of a step differ from what the same person would have written without the slip."""
    right = reader.honest.student(handin.pen).paper(step)
    return sum(at(right, place) != unit for place, unit in cells(handin.units[step]))


def judged_lone_cell(reader, handin, report, step):
    """One wrong cell does not tell of a slip in a step that was not handed in."""
    expected = f"wrong, first in {step}, and no slip in a step that is not there"
    if report.get("verdict") != "wrong":
        return called_right(reader, handin), expected
    claimed = [d for d in report.get("diagnoses", []) if d.get("mistake", "").startswith("slip.")]
    if any(d.get("step") not in handin.units for d in claimed):
        return "hidden slip claimed", expected
    return ("hit" if report.get("first_wrong") == step else "other first step"), expected


def only_slip(report, step):
    """Whether one cell of the step is wrong, and nothing else in the file."""
    wrong = {s["id"]: s["wrong"] for s in report.get("steps", []) if s["wrong"]}
    return report.get("first_wrong") == step and wrong == {step: 1}


def named_in(report):
    """What the first diagnosis that is more than a note names."""
    for diagnosis in report.get("diagnoses", []):
        if diagnosis.get("kind") != "note":
            return {diagnosis.get("mistake"), *diagnosis.get("ties", [])}
    return set()


def words(handin, expected, report, problem, path):
    told = [f"{d.get('mistake')} at {d.get('step')} ({d.get('variant')}; ties {d.get('ties')})"
            for d in report.get("diagnoses", [])]
    return (f"{handin.told()}\n    expected: {expected}\n    got: {report.get('verdict')}, first in "
            f"{report.get('first_wrong')}: {'; '.join(told) or 'no diagnosis'}\n    attn check {problem} {path}")


# --- telling ---------------------------------------------------------------


def table(rows):
    """A row a mistake: hits of decidable hand-ins, by set and by decimals."""
    columns = list(SETS) + list(DECIMALS) + ["all"]
    counted = defaultdict(Counter)
    for name, which, decimals, outcome, _ in rows:
        if name is None:
            continue
        for column in (which, decimals, "all"):
            for line in (name, "total"):
                counted[line, column]["made"] += 1
                if outcome != "undecidable":
                    counted[line, column]["decidable"] += 1
                    counted[line, column]["hit"] += outcome == "hit"
    heads = [c if isinstance(c, str) else f"{c} dec." for c in columns]
    print(f"{'':40}" + "".join(f"{h:>12}" for h in heads) + "   decidable")
    for line in sorted({line for line, _ in counted} - {"total"}) + ["total"]:
        cells = [f"{counted[line, c]['hit']}/{counted[line, c]['decidable']}" for c in columns]
        whole = counted[line, "all"]
        print(f"{line:40}" + "".join(f"{c:>12}" for c in cells) + f"{share(whole['decidable'], whole['made']):>12}")
    whole = [counted["total", c] for c in columns]
    print(f"{'hits of decidable':40}" + "".join(f"{share(w['hit'], w['decidable']):>12}" for w in whole))
    print(f"{'decidable of all':40}" + "".join(f"{share(w['decidable'], w['made']):>12}" for w in whole))
    return counted["total", "all"]


def share(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "–"


def honest_kinds(rows):
    """A row a kind of honest work: how many were handed in, and how many called wrong."""
    counted = Counter((row[1], row[3]) for row in rows if row[0] is None)
    for kind in [k for k in KINDS if any(kind == k for kind, _ in counted)]:
        wrong = counted[kind, "honest called wrong"]
        print(f"  {kind:36}{counted[kind, 'honest'] + wrong:>8} honest, {wrong} called wrong")


def summary(rows, options):
    whole = table(rows) if any(row[0] for row in rows) else Counter()
    outcomes = Counter(row[3] for row in rows)
    failed = [row for row in rows if row[4]]
    shown = failed if options.verbose else [row for row in failed if row[0] is None][:SHOWN]
    for row in shown:
        print(f"{row[3].upper()}: {row[4]}")
    print(", ".join(f"{count} {name}" for name, count in sorted(outcomes.items())))
    honest_kinds(rows)
    wrong = outcomes["honest called wrong"]
    print(f"{share(whole['hit'], whole['decidable'])} of {whole['decidable']} decidable hand-ins found, "
          f"{wrong} of {outcomes['honest'] + wrong} honest ones called wrong")
    return 1 if wrong or whole["hit"] < options.enough * whole["decidable"] else 0


def measured(options):
    """All rows: see `measure`."""
    options.folder = options.keep or tempfile.mkdtemp(prefix="attn-check-")
    with multiprocessing.Pool(options.processes, start, (options,)) as pool:
        rows = [row for _, found in pool.imap(measure, plan(options)) for row in found]
    remove_if_empty(options.folder)
    return rows


def arguments():
    parser = measuring_arguments(__doc__)
    parser.add_argument("--mistakes", help="only these ids, with commas between")
    parser.add_argument("--per", type=int, default=3, help="problems in which each mistake is made")
    parser.add_argument("--honest", type=int, default=400, help="hand-ins without a mistake")
    parser.add_argument("--kinds", help="only these kinds of honest work, with commas between: " + ", ".join(KINDS))
    parser.add_argument("--enough", type=float, default=ENOUGH, help="the share of mistakes to be found")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--dry", action="store_true", help="ask no program; count what is decidable")
    return parser


def main():
    options = arguments().parse_args()
    if not options.dry and missing(options.attn):
        return SKIPPED
    return summary(measured(options), options)


if __name__ == "__main__":
    sys.exit(main())
