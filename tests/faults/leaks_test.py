"""Where reading, writing, opening or a thread fails, no memory is lost on the way out.

    leaks_test.py PROGRAM LIBRARY [--calls N]

As faults_test.py, with fewer calls and under valgrind, which says what nobody points to any more.
Where memory itself is short the program ends at once, and has nothing to give back.
"""

import sys

sys.dont_write_bytecode = True

import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import tempfile

from faults_test import COMMANDS, ENVIRONMENT, write_inputs

SKIPPED = 77
CHECKED = ["run, tensors from files", "run into many files", "run into tensors", "grade", "golden"]
LOST = re.compile(rb"definitely lost: ([\d,]+) bytes")
INVALID = 97  # the exit code where memory is read or written that is nobody's


def checked(program, library, command, kind, at, place):
    """What valgrind has to say against the program where that call fails; "" if nothing."""
    with tempfile.TemporaryDirectory(dir=place) as folder:
        write_inputs(folder)
        environment = dict(ENVIRONMENT, LD_PRELOAD=library, ATTN_FAULT_KIND=kind, ATTN_FAULT_AT=str(at))
        done = subprocess.run(["valgrind", "--leak-check=full", "--trace-children=no", f"--error-exitcode={INVALID}",
                               "--errors-for-leak-kinds=none", program, *command], cwd=folder, env=environment,
                              input=b"1\n2 8\n", capture_output=True, timeout=300)
    lost = LOST.search(done.stderr)
    if done.returncode == INVALID or (lost and lost[1] != b"0"):
        return done.stderr.decode(errors="replace")[-3000:]
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("library", type=os.path.abspath)
    parser.add_argument("--calls", type=int, default=1, help="of each kind in each command")
    options = parser.parse_args()
    if not shutil.which("valgrind"):
        print("there is no valgrind here")
        return SKIPPED
    place = tempfile.mkdtemp(prefix="attn-leaks-")
    runs = [(name, kind, at) for number, name in enumerate(CHECKED) for kind in ("read", "write", "open", "thread")
            for at in range(number % 3, number % 3 + options.calls)]
    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda run: checked(options.program, options.library, COMMANDS[run[0]], *run[1:], place), runs)
        for (name, kind, at), told in zip(runs, results):
            if told:
                wrong += 1
                print(f"{name}: {kind} fails at {at}: {told}", flush=True)
    shutil.rmtree(place)
    print(f"{len(runs)} runs, {wrong} of them with something lost")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
