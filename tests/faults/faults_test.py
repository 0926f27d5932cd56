"""Whatever the machine fails to give, the program says so and ends with 3, or does all it was asked to.

    faults_test.py PROGRAM LIBRARY [--calls N] [--whole] [--kinds KIND,…] [--json FILE]

LIBRARY is faults.cpp, which is preloaded and lets one call of the program fail: that asks for memory,
reads, writes, opens a file, asks what it is, loads a library, or starts a thread; or kills the program
there; or has it read behind the end of a file that is cut short meanwhile. Each command is run once for
each call, or for N of them spread over all, and then

- it ends with 3 and an error, in the form that was asked for, or with 2 where a file is cut; or as it does
  where nothing fails, having written the same;
- no file is there in part, and none that is unfinished; of a program that was killed some may be, but
  under no name that anybody asked for. A file that was there before is whole, old or new.

--whole lets every call fail; of a command that asks for memory more than 500,000 times, 1,000 of these.
--json writes how many calls of what there were, and how they ended.
"""

import sys

sys.dont_write_bytecode = True

import argparse
import collections
import concurrent.futures
import io
import json
import os
import shutil
import signal
import subprocess
import tempfile
import zipfile

KINDS = ("alloc", "read", "write", "open", "stat", "library", "sync", "thread", "interrupt", "cut", "kill")
ENVIRONMENT = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TERM": "dumb", "HOME": "/nowhere"}
LONGEST = 120  # seconds; nothing takes more than one
MANY = 500_000

SHORT = ("attn: error: memory is short\n"
         "  help: a smaller problem, or a machine with more memory\n")
SHORT_JSON = ('{"schema": "attn/error/1", "errors": [{"file": null, "line": null, "column": null, "pointer": null, '
              '"message": "memory is short", "help": "a smaller problem, or a machine with more memory"}]}\n')

PROBLEM = {"tokens": ["the", "dog"], "inputs": [[1, 0], [0, 2]], "score": "dot", "causal": True,
           "weights": {"query": [[1, 0], [1, 1]], "key": [[0, 1], [1, 1]], "value": [[1, 2], [0, 1]]}}
FROM_FILES = {"inputs": {"file": "x.npy"}, "score": "cosine", "positions": "sinusoidal"}
FROM_ARCHIVES = {"queries": {"file": "x.npz", "tensor": "q"}, "keys": {"file": "x.safetensors", "tensor": "k"}}
ANSWERS = {"steps": {"scores": [[1, None], [2, 8]]}}
OLD = b"what was there before\n"

# Each runs in a folder of its own, with the files of `write_inputs`.
COMMANDS = {
    "run, read by people": ["run", "p.json"],
    "run, tensors from files": ["run", "files.json", "--format", "csv"],
    "run, tensors from archives": ["run", "archives.json", "--format", "csv"],
    "run, read by programs": ["run", "p.json", "--format", "json"],
    "run on threads": ["run", "large.json", "--only", "result", "--format", "csv", "--threads", "3"],
    "run into many files": ["run", "p.json", "--only", "S,A", "-o", "x.html", "-o", "there.json", "-o", "x.md"],
    "run into a spreadsheet": ["run", "s.json", "-o", "x.xlsx"],
    "run into tensors": ["run", "p.json", "-o", "x.npz", "-o", "x.safetensors"],
    "figures": ["run", "p.json", "--format", "svg", "-o", "there.svg"],
    "why": ["why", "p.json", "A[2,1]"],
    "check": ["check", "p.json", "a.json", "--format", "json"],
    "grade": ["grade", "p.json", "class", "--report", "json", "-o", "grades.json", "--feedback", "told", "--threads", "2"],
    "golden": ["golden", "--update", "p.json", "files.json"],
    "exercise": ["exercise", "--seed", "1", "--count", "2", "--difficulty", "1", "--score", "dot", "--inputs", "2",
                 "-o", "made/"],
    "worksheet": ["worksheet", "p.json", "-o", "sheet.html"],
    "quiz": ["quiz", "p.json", "--steps", "S", "--transcript", "mine.json"],
    "diff": ["diff", "p.json", "x.npy"],
    "cost": ["cost", "p.json"],
    "help": ["--help"],
}


# With what a command ends that does not end with 0: there is something to find in what it is given.
ENDS = {"check": 1, "grade": 2, "quiz": 1, "diff": 1}


def array():
    """A .npy of one number."""
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1), }".ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(6) + b"\xf0\x3f"


def archive():
    """A .npz of the same, packed."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as made:
        made.writestr(zipfile.ZipInfo("q.npy"), array(), zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def safetensors():
    header = json.dumps({"k": {"dtype": "F64", "shape": [1, 1], "data_offsets": [0, 8]}}).encode()
    return len(header).to_bytes(8, "little") + header + bytes(6) + b"\xf0\x3f"


def write_inputs(folder):
    def write(name, content):
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else json.dumps(content).encode())

    write("p.json", PROBLEM)
    write("s.json", {"queries": [[1]], "keys": [[2]]})
    write("large.json", {name: {"random": "normal", "shape": [96, 16], "seed": 1} for name in ("queries", "keys")})
    write("files.json", FROM_FILES)
    write("archives.json", FROM_ARCHIVES)
    write("x.npy", array())
    write("x.npz", archive())
    write("x.safetensors", safetensors())
    write("a.json", ANSWERS)
    write("class/ann.json", ANSWERS)
    write("class/bob.json", b"nothing that can be read")
    write("there.json", OLD)
    write("there.svg", OLD)


def files_in(folder):
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = file.read()
    return found


class Ended(collections.namedtuple("Ended", "code out err files calls strange")):
    """How a run ended, what is there afterwards, and the calls that are to be looked at."""


class Faults:
    """Runs of one program, in each of which a call fails."""

    def __init__(self, program, library, place):
        self.program, self.library, self.place = program, library, place

    def run(self, command, kind, at=None, each=None):
        with tempfile.TemporaryDirectory(dir=self.place) as folder:
            inner = os.path.join(folder, "in")
            os.mkdir(inner)
            write_inputs(inner)
            count = os.path.join(folder, "count")
            environment = dict(ENVIRONMENT, LD_PRELOAD=self.library, ATTN_FAULT_KIND=kind, ATTN_FAULT_COUNT=count)
            if at is not None:
                environment["ATTN_FAULT_AT"] = str(at)
            if each:
                environment["ATTN_FAULT_EACH"] = each
            try:
                done = subprocess.run([self.program, *command], cwd=inner, env=environment, input=b"1\n2 8\n",
                                      capture_output=True, timeout=None if each else LONGEST)
            except subprocess.TimeoutExpired:
                return Ended("hangs", b"", b"", {}, 0, [])
            numbers = [0]
            if os.path.exists(count):
                with open(count) as file:
                    numbers = [int(line) for line in file]
            return Ended(done.returncode, done.stdout, done.stderr, files_in(inner), numbers[-1], numbers[:-1])


def told(text):
    """Without how far it is, which is told to whoever waits."""
    return [line for line in text.splitlines() if not line.startswith(b"attn: ") or line.startswith((b"attn: error", b"attn: note"))]


def is_error(text, command):
    """Whether the text has an error in the form that the command line asks for."""
    if "json" not in command:
        return b"error: " in text
    try:
        lines = [json.loads(line) for line in text.decode().splitlines() if not line.startswith("attn: note")]
        return bool(lines) and all(line["schema"] == "attn/error/1" and line["errors"] for line in lines)
    except (ValueError, KeyError):
        return False


def in_part(ended, whole, before):
    """Names of files that are neither as they were nor as they are to be."""
    return sorted(name for name, content in ended.files.items()
                  if content not in (whole.files.get(name), before.get(name)))


def goes_on(command):
    """Of a class each hand-in that cannot be read is told as such, and what was answered in a quiz is kept."""
    return command[0] in ("grade", "quiz")


def is_complete(name, content):
    try:
        return content.endswith(b"\n") and (not name.endswith(".json") or json.loads(content) is not None)
    except ValueError:
        return False


def is_unfinished(name, whole):
    """As a file is called that is on its way: with six letters behind the name that it is to have."""
    return name[:-7] in whole.files and name[-7] == "."


def judged(ended, whole, before, command, kind):
    """How the run ended, in a word, and what is wrong with that, if anything."""
    partial = in_part(ended, whole, before)
    if kind == "kill" and ended.code == -signal.SIGKILL:
        partial = [name for name in partial if not is_unfinished(name, whole)]
        return "killed", f"in part: {partial}" if partial else ""
    if ended.code == whole.code and (ended.code != 3 or kind == "kill"):
        if (ended.out, ended.files) == (whole.out, whole.files):
            return "done", ""
        return "done", f"ends with {ended.code}, and has not written the same: {partial}, {ended.err[:200]!r}"
    if kind == "interrupt" and command[0] == "quiz" and ended.code == 0:
        return "done", ""  # as Ctrl-C, with which somebody has had enough
    if ended.code != 3 and not (kind == "cut" and ended.code == 2):
        return "wrong", f"ends with {ended.code}: {ended.err[:200]!r}"
    if goes_on(command):
        partial = [name for name in partial if not is_complete(name, ended.files[name])]
    if partial:
        return "refused", f"in part: {partial}"
    # What cannot be written cannot be said, where it is standard error that fails.
    if not is_error(ended.err, command):
        return "refused", f"says no error: {ended.err[:200]!r}"
    return "refused", ""


def spread(calls, most):
    """So many numbers of calls, spread over all: the first and the last among them."""
    if most is None or calls <= most:
        return range(calls)
    if most < 2:
        return [calls // 2]
    return sorted({round(i * (calls - 1) / (most - 1)) for i in range(most)})


def tried(faults, pool, command, kind, most):
    """Lets calls of a kind fail in one command: how many there are, how the runs ended, what is wrong."""
    whole = faults.run(command, kind)
    before = faults.run(["--version"], "none").files
    ends, wrong = collections.Counter(), {}
    if whole.code != ENDS.get(command[0], 0):
        wrong[f"ends with {whole.code} where nothing fails: {whole.err[:300]!r}"] = [-1]
    numbers, in_copies = spread(whole.calls, most), 0
    if kind == "alloc" and most is None:
        if whole.calls > MANY:
            numbers = spread(whole.calls, 1000)
        else:
            copied = faults.run(command, kind, each=SHORT_JSON if "json" in command else SHORT)
            if (*copied[:2], told(copied.err), copied.files) != (*whole[:2], told(whole.err), whole.files):
                wrong["the program is disturbed by its copies"] = [0]
            numbers = copied.strange
            in_copies = copied.calls - len(numbers)
            ends["refused"] += in_copies
    for at, ended in zip(numbers, pool.map(lambda at: faults.run(command, kind, at), numbers)):
        end, why = judged(ended, whole, before, command, kind)
        ends[end] += 1
        if why:
            wrong.setdefault(why, []).append(at)
    return {"calls": whole.calls, "failed": in_copies + len(numbers), **ends}, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("library", type=os.path.abspath)
    parser.add_argument("--calls", type=int, default=8, help="of each kind in each command")
    parser.add_argument("--whole", action="store_true", help="every call")
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--commands", help="only these, by their first word")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="how many runs and commands at a time")
    parser.add_argument("--json", help="a file for what came of it")
    options = parser.parse_args()

    place = tempfile.mkdtemp(prefix="attn-faults-")
    faults = Faults(options.program, options.library, place)
    found, is_right = {}, True
    most = None if options.whole else options.calls
    chosen = {name: command for name, command in COMMANDS.items()
              if not options.commands or command[0] in options.commands.split(",")}
    with (concurrent.futures.ThreadPoolExecutor(options.threads) as pool,
          concurrent.futures.ThreadPoolExecutor(options.threads) as commands):
        pairs = [(name, kind) for name in chosen for kind in options.kinds.split(",")]
        results = commands.map(lambda pair: tried(faults, pool, chosen[pair[0]], pair[1], most), pairs)
        for (name, kind), (counts, wrong) in zip(pairs, results):
            found.setdefault(name, {})[kind] = counts
            if options.whole:
                print(f"{name}, {kind}: {counts}", flush=True)
            for why, numbers in wrong.items():
                is_right = False
                print(f"{name}: {kind} fails at {len(numbers)} calls ({numbers[:5]}): {why}", flush=True)
    shutil.rmtree(place)

    kinds = {kind: dict(sum((collections.Counter(counts[kind]) for counts in found.values()), collections.Counter()))
             for kind in options.kinds.split(",")}
    failed = sum(counts["failed"] for counts in kinds.values())
    print(f"{failed} calls failed in {len(found)} commands: {kinds}")
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"schema": "attn/faults/1", "whole": options.whole, "right": is_right, "calls_failed": failed,
                       "kinds": kinds, "commands": found}, file, indent=2)
            file.write("\n")
    return 0 if is_right and failed else 1


if __name__ == "__main__":
    sys.exit(main())
