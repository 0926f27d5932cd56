"""What a person sees, whole: NAME.txt is what `attn run data/NAME.json` prints.

ATTN_UPDATE_GOLDEN=1 accepts what the program says now; then read the difference.
"""

import os
import subprocess
import sys

ATTN = os.path.abspath(os.environ["ATTN"])
HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.normpath(os.path.join(HERE, "..", "..", "data"))


def shown(name):
    environment = {"PATH": os.environ["PATH"]}
    return subprocess.run([ATTN, "run", os.path.join(DATA, name + ".json")], env=environment, check=True,
                          capture_output=True, timeout=60).stdout


def main():
    passed = failed = 0
    for file in sorted(os.listdir(HERE)):
        name, ending = os.path.splitext(file)
        if ending != ".txt":
            continue
        path = os.path.join(HERE, file)
        got = shown(name)
        if os.environ.get("ATTN_UPDATE_GOLDEN"):
            with open(path, "wb") as golden:
                golden.write(got)
        with open(path, "rb") as golden:
            same = golden.read() == got
        passed, failed = passed + same, failed + (not same)
        if not same:
            print(f"{file} is not what is shown; see with: attn run data/{name}.json | diff tests/golden/{file} -")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
