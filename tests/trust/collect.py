#!/usr/bin/env python3
"""Runs one of the long checks, and keeps what it found as evidence for docs/trust.md.

    collect.py digits -- build/default/tests/attn_digits --count 1000000000
    collect.py mutation --go-on -- python3 tests/trust/mutate.py --count 100

The command gets `--json FILE` behind it. What it writes there stands in evidence/NAME.json with the date, the commit,
how long it took, and on what. A check that failed is kept as well: the page says so. With --go-on the command finds in
FILE what it found the time before, and goes on from there.
"""

import sys

sys.dont_write_bytecode = True

import datetime
import json
import os
import platform
import subprocess
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))


def output_of(*words):
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def main():
    goes_on = sys.argv[2:3] == ["--go-on"]
    words = sys.argv[:2] + sys.argv[3:] if goes_on else sys.argv
    if len(words) < 4 or words[2] != "--":
        sys.exit("usage: collect.py NAME [--go-on] -- COMMAND...")
    name, command = words[1], words[3:]
    kept = os.path.join(HERE, "evidence", name + ".json")
    spent = 0
    with tempfile.TemporaryDirectory() as folder:
        found = os.path.join(folder, "found.json")
        if goes_on and os.path.exists(kept):
            with open(kept, encoding="utf-8") as file:
                before = json.load(file)
            spent = before["seconds"]
            with open(found, "w", encoding="utf-8") as file:
                json.dump(before["found"], file)
        begin = time.time()
        done = subprocess.run([*command, "--json", found])
        seconds = spent + round(time.time() - begin)
        with open(found, encoding="utf-8") as file:
            result = json.load(file)
    evidence = {"date": datetime.date.today().isoformat(), "commit": output_of("git", "rev-parse", "--short=12", "HEAD"),
                "machine": platform.machine(), "seconds": seconds, "passed": done.returncode == 0,
                "command": " ".join([*command, "--json FILE"]), "found": result}
    os.makedirs(os.path.join(HERE, "evidence"), exist_ok=True)
    with open(kept, "w", encoding="utf-8") as file:
        json.dump(evidence, file, indent=1, ensure_ascii=False)
        file.write("\n")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
