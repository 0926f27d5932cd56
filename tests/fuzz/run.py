#!/usr/bin/env python3
"""Runs the harnesses of this folder, each for some seconds, and says what they did.

    run.py BUILD [NAME...] [--seconds 60] [--jobs 2] [--seed 1] [--until 100000000] [--json FILE]

BUILD is a build folder of the preset asan or fuzz-fast. A harness starts from corpus/NAME and found/NAME here, and
from what it has gathered itself in BUILD/fuzzing/NAME. What breaks a promise, crashes, hangs or takes too much memory
is a finding, and stands in BUILD/findings/NAME afterwards. BUILD/executions.json counts executions of all runs; with
--until the harnesses are run again and again until there are so many. With --seed a harness starts from nothing that
was gathered, and tries the same inputs each time, as many as there is time for, until the program or the corpus changes.

    run.py BUILD --minimise [NAME...]

makes corpus/NAME anew of all that was gathered: for each thing that can happen, the shortest input that makes it happen.
"""

import sys

sys.dont_write_bytecode = True

import argparse
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Texts no longer than that: what is longer shows nothing new, and takes its time.
LENGTHS = {"expression": 64, "pattern": 96, "numbers": 64, "command_line": 256, "roster": 256, "scheme": 512,
           "json": 256, "npy": 512, "npz": 1024, "safetensors": 512, "problem": 768, "tokenizer": 1024, "tokenizer_folder": 512,
           "operations": 256, "fused": 128, "at_once": 256, "rewrites": 256, "marking": 192}
OTHERWISE = 384
MOST_FILES, MOST_BYTES = 150, 40_000  # of a harness' corpus in the tree


def harnesses(build):
    return sorted(path.name.removeprefix("fuzz_") for path in (build / "tests/fuzz").glob("fuzz_*")
                  if path.is_file() and os.access(path, os.X_OK))


def command(build, name, *words):
    return [str(build / "tests/fuzz" / f"fuzz_{name}"), f"-max_len={LENGTHS.get(name, OTHERWISE)}", *words]


def environment():
    return {**os.environ, "ASAN_OPTIONS": "allocator_may_return_null=0:detect_leaks=1",
            "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1", "LC_ALL": "C.UTF-8"}


def run(build, name, seconds, seed):
    """What a harness did in so many seconds: {"harness", "executions", "seconds", "findings"}."""
    gathered, findings = build / ("seeded" if seed else "fuzzing") / name, build / "findings" / name
    if seed:
        shutil.rmtree(gathered, ignore_errors=True)
    gathered.mkdir(parents=True, exist_ok=True)
    findings.mkdir(parents=True, exist_ok=True)
    known = set(findings.iterdir())
    seeds = [str(folder) for folder in (HERE / "corpus" / name, HERE / "found" / name) if folder.is_dir()]
    # A minute is a hang: on a machine that has much else to do, ten seconds are none.
    words = [f"-max_total_time={seconds}", "-timeout=60", "-report_slow_units=60", "-rss_limit_mb=2048", "-print_final_stats=1",
             f"-artifact_prefix={findings}/", f"-seed={seed}"]
    if (HERE / "words" / f"{name}.dict").is_file():
        words.append(f"-dict={HERE}/words/{name}.dict")
    started = time.monotonic()
    said = subprocess.run(command(build, name, *words, str(gathered), *seeds), stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, env=environment(), check=False)
    stderr = said.stderr.decode(errors="replace")
    (findings.parent / f"{name}.log").write_text(stderr)
    executed = re.search(r"stat::number_of_executed_units: (\d+)", stderr) or re.search(r"Done (\d+) runs", stderr)
    found = sorted(set(findings.iterdir()) - known)
    if said.returncode != 0 and not found:
        found = [findings.parent / f"{name}.log"]
    return {"harness": name, "executions": int(executed.group(1)) if executed else 0,
            "seconds": round(time.monotonic() - started), "findings": [os.path.relpath(path) for path in found]}


def told(result):
    rate = result["executions"] / max(result["seconds"], 1)
    line = f"{result['harness']:14} {result['executions']:>12,} executions {result['seconds']:>6} s {rate:>9,.0f}/s"
    return line + "".join(f"\n  found: {path}" for path in result["findings"])


def added(results, more):
    """Results of runs as one a harness."""
    for result in more:
        sums = results.setdefault(result["harness"], {**result, "executions": 0, "seconds": 0, "findings": []})
        sums["executions"] += result["executions"]
        sums["seconds"] += result["seconds"]
        sums["findings"] = sums["findings"] + result["findings"]
    return results


def round_of(build, names, seconds, jobs, seed):
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for done in concurrent.futures.as_completed([pool.submit(run, build, name, seconds, seed) for name in names]):
            print(told(done.result()), flush=True)
            yield done.result()


def minimise(build, names):
    for name in names:
        gathered, corpus = build / "fuzzing" / name, HERE / "corpus" / name
        with tempfile.TemporaryDirectory() as folder:
            folders = [str(path) for path in (gathered, corpus) if path.is_dir()]
            subprocess.run(command(build, name, "-merge=1", folder, *folders), stderr=subprocess.DEVNULL,
                           env=environment(), check=True)
            shutil.rmtree(corpus, ignore_errors=True)
            corpus.mkdir(parents=True)
            size = 0
            files = sorted(Path(folder).iterdir(), key=lambda path: (path.stat().st_size, path.name))
            for path in files[::-(-len(files) // MOST_FILES) or 1]:  # of all sizes
                size += path.stat().st_size
                if size > MOST_BYTES:
                    break
                shutil.copy(path, corpus / path.name[:12])
        kept = list(corpus.iterdir())
        print(f"{name:14} {len(kept):>6} files, {sum(path.stat().st_size for path in kept):>7,} bytes", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seed", type=int, default=0, help="of the inputs; 0: others each time, and from what was gathered")
    parser.add_argument("--until", type=float, metavar="EXECUTIONS")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--minimise", action="store_true")
    asked = parser.parse_intermixed_args()
    build, known = asked.build.resolve(), harnesses(asked.build.resolve())
    names = asked.names or known
    unknown = [name for name in names if name not in known]
    if unknown:
        sys.exit(f"fuzz: no harness is called {unknown[0]}; there are {', '.join(known)}")
    if asked.minimise:
        return minimise(build, names)

    ledger = build / "executions.json"
    results = {}
    while True:
        for result in round_of(build, names, asked.seconds, asked.jobs, asked.seed):
            added(results, [result])
            # Read anew: others may run harnesses of this build, too.
            of_all_runs = added(json.loads(ledger.read_text()) if ledger.is_file() else {}, [result])
            ledger.write_text(json.dumps(of_all_runs, indent=1))
        total = sum(result["executions"] for result in of_all_runs.values())
        found = [path for result in results.values() for path in result["findings"]]
        if asked.until is None or total >= asked.until or found:
            break
    print(f"{sum(result['executions'] for result in results.values()):,} executions, {len(found)} findings; "
          f"{total:,} executions of all runs in {build.name}")
    if asked.json:
        told_of = of_all_runs if asked.until is not None else results
        asked.json.write_text(json.dumps([told_of[name] for name in sorted(told_of)], indent=1) + "\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
