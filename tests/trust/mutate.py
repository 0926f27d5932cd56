#!/usr/bin/env python3
"""Plants defects in the numerics, the readers and the checker, one at a time, and counts those that the tests notice.

    mutate.py --count 100 --seed 1 [--only src/base] [--json FILE]

Works on a copy of the tree, in build/mutate. A defect is a small change of one line: a comparison, a sign, a bound, a
condition the other way round, a statement left out. One that does not compile is not counted. Those that cannot be
noticed, since the program means the same with them, stand in equivalent.txt with the reason.
"""

import sys

sys.dont_write_bytecode = True

import argparse
import filecmp
import hashlib
import json
import os
import random
import re
import resource
import shutil
import subprocess
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))
BUILD = os.path.join(ROOT, "build", "mutate")
TREE = os.path.join(BUILD, "tree")

# What numbers come from, what files are read by, what marks.
AREAS = {
    "numerics": ("src/base/exp.h", "src/base/math.cpp", "src/base/rounded_functions.cpp", "src/base/rounding.cpp",
                 "src/base/number_pieces.cpp", "src/base/numbers.cpp", "src/base/random.cpp", "src/ops",
                 "src/backend/plain.cpp", "src/backend/cpu", "src/tensor", "src/trace", "src/model"),
    "readers": ("src/base/expression.cpp", "src/base/hashed_places.cpp", "src/base/hashed_places.h",
                "src/base/json_spelling.cpp", "src/base/utf8.cpp", "src/files", "src/reading", "src/problem",
                "src/tokenizers"),
    "checker": ("src/base/interval.cpp", "src/base/interval.h", "src/mark", "src/mistakes", "src/compare"),
}

# What stands there, and what a hasty hand would write.
CHANGES = [
    (r" < ", " <= "), (r" <= ", " < "), (r" > (?!>)", " >= "), (r" >= ", " > "), (r" == ", " != "), (r" != ", " == "),
    (r" \+ (?!\")", " - "), (r" - ", " + "), (r" \* ", " / "), (r" / ", " * "), (r" % ", " * "),
    (r" && ", " || "), (r" \|\| ", " && "), (r" \+= ", " -= "), (r" -= ", " += "),
    (r"return true;", "return false;"),
    (r"return false;", "return true;"), (r"std::min\(", "std::max("), (r"std::max\(", "std::min("),
    (r"(?<![\w.\"'x])0(?![\w.\"'])", "1"), (r"(?<![\w.\"'x])1(?![\w.\"'])", "2"), (r"(?<![\w.\"'x])2(?![\w.\"'])", "3"),
    (r"\bcontinue;", "break;"), (r"\+\+(?=\w)", "--"), (r"\.front\(\)", ".back()"), (r"\.back\(\)", ".front()"),
    # A statement left out, but none that only says how much room will be needed.
    (r"^(\s+)(?![\w.]*\breserve\()[\w.:\->\[\]()]+\((?:[^;{}]*)\);$", r"\1;"),
]


def sources(area, only):
    for path in AREAS[area]:
        whole = os.path.join(ROOT, path)
        found = [whole] if os.path.isfile(whole) else [
            os.path.join(folder, name) for folder, _, names in os.walk(whole) for name in names
            if name.endswith((".cpp", ".h"))]
        for file in sorted(found):
            name = os.path.relpath(file, ROOT)
            if name.startswith(only) and "/cuda/" not in name:
                yield name


def code_of(line):
    """The line without what is no code: nothing where there is none to change."""
    if re.match(r"\s*(//|#|namespace|using|static_assert|template|REQUIRES|assert)", line):
        return ""
    code = line.split(" // ")[0].split("  //")[0]
    return "" if "constexpr std::array" in code or 'R"' in code else code


def conditions_turned(code):
    """The line for each `if` of it whose condition ends there, with the condition the other way round."""
    for match in re.finditer(r"\bif \(", code):
        deep, end = 1, match.end()
        while end < len(code) and deep > 0:
            deep += {"(": 1, ")": -1}.get(code[end], 0)
            end += 1
        condition = code[match.end(): end - 1]
        if deep == 0 and ";" not in condition:
            yield code[: match.end()] + f"!({condition})" + code[end - 1:]


def defects(area, only):
    """Every one that can be planted: file, line, column, what it becomes."""
    for file in sources(area, only):
        with open(os.path.join(ROOT, file), encoding="utf-8") as text:
            for number, line in enumerate(text.read().split("\n")):
                code = code_of(line)
                for changed in conditions_turned(code):
                    yield file, number, line, changed + line[len(code):]
                for pattern, other in CHANGES:
                    for match in re.finditer(pattern, code):
                        if code[: match.start()].count('"') % 2 == 0:
                            changed = code[: match.start()] + match.expand(other) + code[match.end():]
                            yield file, number, line, changed + line[len(code):]


def equivalent():
    """The defects that mean the same, as `file: changed line` without blanks around."""
    with open(os.path.join(HERE, "equivalent.txt"), encoding="utf-8") as file:
        return {line.strip() for line in file if line.strip() and not line.startswith("#")}


def within_memory():
    """A loop that a defect makes endless takes no more than this."""
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))


def run(words, seconds, **more):
    try:
        return subprocess.run(words, cwd=TREE, capture_output=True, text=True, errors="replace", timeout=seconds,
                              preexec_fn=within_memory, **more)
    except subprocess.TimeoutExpired:
        return None


def files_of_copy():
    """Those of the copied tree, in order, and nothing that was built of them."""
    for folder, folders, files in os.walk(TREE):
        folders[:] = sorted(name for name in folders if name not in ("build", "evidence"))
        yield from (os.path.join(folder, name) for name in sorted(files))


def copy_of_tree():
    """What git knows and what is new, and no file that has gone; one that is the same keeps its time, so that it is not
    built again."""
    names = set(filter(None, subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                                            capture_output=True, text=True, check=True).stdout.split("\n")))
    for copy in files_of_copy():
        if os.path.relpath(copy, TREE) not in names:
            os.remove(copy)
    for name in names:
        source, copy = os.path.join(ROOT, name), os.path.join(TREE, name)
        if not os.path.isfile(source) or (os.path.isfile(copy) and filecmp.cmp(source, copy, shallow=False)):
            continue
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        shutil.copy(source, copy)


def digest_of_tree():
    digest = hashlib.sha256()
    for name in files_of_copy():
        digest.update(os.path.relpath(name, TREE).encode())
        with open(name, "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()


def built(jobs, *targets):
    """Whether they could be built, and what was said."""
    done = run(["cmake", "--build", "build/mutate", "-j", str(jobs), "--target", *targets], 3600)
    return (done is not None and done.returncode == 0), done.stdout if done else ""


def failed_of_program(jobs, *words):
    """Which tests of the whole program fail, "" where none does: those of seconds are asked first."""
    for chosen in (["-R", QUICK], ["-L", "program", "-E", LEFT_OUT]):
        tests = run(["ctest", "--test-dir", "build/mutate", "-j", str(jobs), *chosen, *words], 1800)
        if tests is None:
            return "never ended"
        if tests.returncode != 0:
            return "; ".join(re.findall(r"- (.*) \((?!Skipped)[^()]*\)", tests.stdout)) or "ended"
    return ""


UNIT = ("attn_tests",)
PROGRAMS = ("attn", "attn_mask_tests", "attn_trace_bits", "attn_digits", "attn_operations", "attn_encode_lines",
            "attn_drawn_code", "attn_faults", "attn_bounds_hold", "attn_fuzz_replay")
QUICK = "no number is farther|digits are right|what fuzzers found"  # of other programs, and in seconds

# Tests of other programs than these, of how it is built, of what is written about it, and in browsers, which take more
# memory than is given here.
LEFT_OUT = ("lint|bench|gallery|install|adding|clang|commands in the documents|every machine must|CUDA|GPU|page|trust.md|"
            "browser|figures are drawn|text of other people")


def prepare(jobs):
    copy_of_tree()
    run(["cmake", "-S", ".", "-B", "build/mutate", "-G", "Ninja", "-DATTN_TESTS=ON", "-DATTN_QUICK_BUILD=OFF",
         "-DATTN_PYTHON_MODULE=OFF", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS=-g0"], 600, check=True)
    done, said = built(jobs, *UNIT, *PROGRAMS)
    if not done:
        sys.exit("mutate: the tree does not build\n" + said[-3000:])
    # A test that fails in any case notices nothing. This takes minutes, and once is enough for a tree.
    stamp = os.path.join(BUILD, f"passed-{digest_of_tree()}")
    if os.path.exists(stamp):
        return
    if failed := noticed_by_unit("src", jobs) or failed_of_program(jobs):
        sys.exit("mutate: fails without a defect: " + failed)
    open(stamp, "w", encoding="utf-8").close()


def names_of_tests(listing):
    """Those that a Catch2 program has listed, as it takes them again."""
    return [re.sub(r'([\[\]\\,"])', r"\\\1", name) for name in listing.split("\n") if name]


def files_of_tests():
    """{name of a test: the file of tests/unit that it stands in}."""
    found = {}
    for folder, _, files in os.walk(os.path.join(ROOT, "tests", "unit")):
        for file in files:
            with open(os.path.join(folder, file), encoding="utf-8") as text:
                for name in re.findall(r'TEST_CASE\(\s*"([^"]+)"', text.read()):
                    found[name] = os.path.relpath(os.path.join(folder, file), os.path.join(ROOT, "tests", "unit"))
    return found


def nearness(source, test):
    """How many names of folders, and at last of the files, the two paths have in common from the first on."""
    ours, theirs = (re.sub(r"(_test)?\.(cpp|h)$", "", path).split("/") for path in (source, test))
    return len(os.path.commonprefix([ours, theirs]))


def first_failure(program, parts, seconds):
    """What the first of several processes said that did not end well, each with names of tests; "" where all did."""
    running = [subprocess.Popen([program, "--abort", "-f", part], cwd=TREE, stdout=open(part + ".said", "w"),
                                stderr=subprocess.DEVNULL, preexec_fn=within_memory) for part in parts]
    end, failed = time.time() + seconds, None
    while failed is None and any(one.poll() is None for one in running) and time.time() < end:
        time.sleep(0.05)
        failed = next((at for at, one in enumerate(running) if one.poll()), None)
    if failed is None:
        failed = next((at for at, one in enumerate(running) if one.poll() != 0), None)
    for one in running:
        one.kill()
        one.wait()
    if failed is None:
        return ""
    with open(parts[failed] + ".said", encoding="utf-8", errors="replace") as file:
        words = re.findall(r"^-{20,}\n(.*?)\n-{20,}$", file.read(), re.MULTILINE | re.DOTALL)
    return " ".join(words[0].split()) if words else "ended"


def noticed_by_unit(source, jobs):
    """The test among those of attn_tests that fails first, "" where none does: those beside the source go first. They
    are shared out among processes."""
    program = os.path.join("build", "mutate", "tests", "attn_tests")
    listed = run([program, "--list-test-names-only"], 60)
    if listed is None or "\n" not in listed.stdout:
        return "unit: ended"
    files = files_of_tests()
    source = os.path.relpath(source, "src")
    names = sorted(filter(None, listed.stdout.split("\n")), key=lambda name: -nearness(source, files.get(name, "")))
    parts = []
    for job in range(jobs):
        parts.append(os.path.join(BUILD, f"names{job}.txt"))
        with open(parts[-1], "w", encoding="utf-8") as file:
            file.write("\n".join(names_of_tests("\n".join(names[job::jobs]))) + "\n")
    said = first_failure(program, parts, 400)
    return said and "unit: " + said


def noticed_by(source, jobs):
    """What noticed the defect that is in the copy now: None where it did not compile, "" where nothing did."""
    if not built(jobs, *UNIT)[0]:
        return None
    if unit := noticed_by_unit(source, jobs):
        return unit
    if not built(jobs, *PROGRAMS)[0]:
        return None
    said = failed_of_program(jobs, "--stop-on-failure")
    return said and "program: " + said


def where_it_stands(defect, same):
    """The number of the line that the same would be planted in today, None where there is none, or none that is plainly
    the one."""
    if f"{defect['file']}: {defect['to']}" in same:
        return None
    try:
        with open(os.path.join(ROOT, defect["file"]), encoding="utf-8") as file:
            lines = [line.strip() for line in file]
    except OSError:
        return None
    found = [number + 1 for number, line in enumerate(lines) if line == defect["from"]]
    if defect["line"] in found:
        return defect["line"]
    return found[0] if len(found) == 1 else None


def what_is_planted(defect):
    return defect["file"], defect["line"], defect["to"]


def planted_again(defect):
    """The same once more, as it is drawn."""
    with open(os.path.join(ROOT, defect["file"]), encoding="utf-8") as file:
        line = file.read().split("\n")[defect["line"] - 1]
    return (defect["area"], defect["file"], defect["line"] - 1, line, line.replace(line.strip(), defect["to"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=30, help="defects, as many of each area")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="files whose names begin so")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", metavar="FILE", help="keep what was found; goes on where that has stopped")
    parser.add_argument("--again", action="store_true", help="first those that nothing noticed: there may be tests since")
    parser.add_argument("--list", action="store_true", help="only say which")
    options = parser.parse_args()
    same = equivalent()
    rng = random.Random(options.seed)
    chosen = []
    for area in AREAS:
        possible = [one for one in defects(area, options.only) if f"{one[0]}: {one[3].strip()}" not in same]
        print(f"{area}: {len(possible)} defects can be planted", flush=True)
        rng.shuffle(possible)
        chosen.append([(area, *one) for one in possible])
    turns = [one for turn in zip(*chosen) for one in turn] if all(chosen) else [one for area in chosen for one in area]
    told = []
    if options.json and os.path.exists(options.json):
        with open(options.json, encoding="utf-8") as file:
            told = [{**one, "line": line} for one in json.load(file)["defects"]
                    if (line := where_it_stands(one, same)) is not None]
    once_more = [one for one in told if options.again and one["noticed_by"] == ""]
    known = {what_is_planted(one) for one in told if one not in once_more}
    if not options.list:
        prepare(options.jobs)
    planted = sum(one["noticed_by"] is not None for one in told) - len(once_more)
    for area, file, number, line, changed in [planted_again(one) for one in once_more] + turns:
        if planted >= options.count:
            break
        new = {"area": area, "file": file, "line": number + 1, "from": line.strip(), "to": changed.strip()}
        if what_is_planted(new) in known:
            continue
        known.add(what_is_planted(new))
        if options.list:
            planted += 1
            print(f"{file}:{number + 1}: {line.strip()}  ->  {changed.strip()}")
            continue
        begin = time.time()
        path = os.path.join(TREE, file)
        with open(path, encoding="utf-8") as text:
            original = text.read()
        lines = original.split("\n")
        lines[number] = changed
        try:
            with open(path, "w", encoding="utf-8") as text:
                text.write("\n".join(lines))
            by = noticed_by(file, options.jobs)
        finally:
            with open(path, "w", encoding="utf-8") as text:
                text.write(original)
        planted += by is not None
        told = [one for one in told if what_is_planted(one) != what_is_planted(new)] + [{**new, "noticed_by": by}]
        word = "no program" if by is None else by or "NOT NOTICED"
        print(f"{file}:{number + 1}: {changed.strip()}: {word} ({time.time() - begin:.0f} s)", flush=True)
        if options.json:
            with open(options.json, "w", encoding="utf-8") as out:
                json.dump({"seed": options.seed, "defects": told}, out, indent=1)
                out.write("\n")
    noticed = sum(bool(one["noticed_by"]) for one in told)
    print(f"{planted} defects planted, {noticed} noticed")
    return 0 if options.list or noticed >= 0.95 * planted else 1


if __name__ == "__main__":
    sys.exit(main())
