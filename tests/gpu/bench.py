"""Times attn on a GPU beside PyTorch's attention and prints a table for docs/performance.md.

Both are timed by the device's clock, many calls after one another over copies of the inputs that
no cache holds, in turns: attn calls PyTorch (tests/gpu/torch_peer.py) between its own calls,
each after the device was kept busy with products of matrices. Decoding is a graph on both sides.

A shape is a process: what hangs or falls there costs that shape alone, and a kernel whose error
exceeds what rounding may come to is a failure. What was measured is written after each shape.
"""

import argparse
import json
import math
import os
import select
import subprocess
import sys
import tempfile
import time

import clocks

HERE = os.path.dirname(os.path.abspath(__file__))
PEER = os.path.join(HERE, "torch_peer.py")

TOKENS = 16384
COLUMNS = 2048  # of all heads together, as FlashAttention's papers have it
STARTING = 60  # seconds that PyTorch may take
HANGS = 2  # so often a kernel may hang before it is not asked any more

# TFLOP/s on an H200 in bf16 at 16k: by width of a head and whether it is causal.
GOALS_OF_H200 = {(128, False): 640, (128, True): 560, (64, False): 420, (64, True): 400}
BESIDE_TORCH = 1.0  # of PyTorch's best, bf16, from 2k to 16k
OF_COPY = 0.8  # decoding, of a measured copy
PLAIN_SECOND = {"bf16": "mma", "f16": "mma"}  # asked where the best kernel fails


class Shape:
    """One row of the table."""

    def __init__(self, dtype, batch, heads, queries, keys, width, causal=False, kv_heads=None):
        self.dtype, self.batch, self.heads, self.queries, self.keys, self.width = dtype, batch, heads, queries, keys, width
        self.causal, self.kv_heads = causal, kv_heads or heads

    def is_square(self):
        return self.queries == self.keys

    def words(self):
        words = ["--dtype", self.dtype, "--shape", f"{self.batch},{self.heads},{self.queries},{self.width}"]
        if not self.is_square():
            words += ["--keys", str(self.keys)]
        if self.kv_heads != self.heads:
            words += ["--kv-heads", str(self.kv_heads)]
        return words + ["--causal"] * self.causal

    def __str__(self):
        causal = " causal" if self.causal else ""
        keys = "" if self.is_square() else f", {self.keys} keys"
        return f"{self.batch}×{self.heads}×{self.queries}×{self.width}{causal}{keys} in {self.dtype}"


def squares(dtype, width, causal, sizes):
    """Batches of squares with so many tokens and columns in all."""
    return [Shape(dtype, max(1, TOKENS // size), COLUMNS // width, size, size, width, causal) for size in sizes]


def shapes():
    """The most important first: what is left when the time is up is left out."""
    for width in (128, 64):
        for causal in (False, True):
            yield from squares("bf16", width, causal, [16384])
    yield Shape("bf16", 16, 32, 1, 8192, 128, kv_heads=8)
    yield Shape("bf16", 16, 16, 1, 4096, 128)
    yield Shape("bf16", 1, 16, 1, 16384, 128)
    for width in (128, 64):
        for causal in (False, True):
            yield from squares("bf16", width, causal, [2048, 4096, 8192])
    for causal in (False, True):
        yield from squares("bf16", 256, causal, [2048, 4096, 8192, 16384])
    for width in (128, 64, 256):
        yield from squares("f16", width, False, [2048, 16384])
        yield from squares("f32", width, False, [512, 2048])
        for causal in (False, True):
            yield from squares("bf16", width, causal, [512, 1024])


# --- PyTorch ----------------------------------------------------------------


class Torch:
    """A process that has it. One that has ended, or was busy when attn was stopped, is followed by another."""

    def __init__(self, folder):
        self.path, self.process, self.starts = os.path.join(folder, "torch"), None, 0
        self.version, self.missing = None, ""
        self.start()

    def start(self):
        self.starts += 1
        if self.process:
            self.process.stdout.close()
        if os.path.exists(self.path):
            os.remove(self.path)
        self.process = subprocess.Popen([sys.executable, PEER, "--serve", self.path], stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, encoding="utf-8")
        if not select.select([self.process.stdout], [], [], STARTING)[0]:
            self.stop()
            self.missing = "it does not start"
            return
        word, _, rest = self.process.stdout.readline().strip().partition("\t")
        if word == "have":
            self.version = rest
        else:
            self.missing = rest or "its process has ended"

    def is_there(self):
        """Starts another where it is not, up to five times in all."""
        if not self.missing and self.process.poll() is not None:
            if self.starts < 5:
                self.start()
            else:
                self.missing = "it fell too often"
        return not self.missing

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def best_of(peers):
    """The fastest of PyTorch's backends, or None."""
    timed = [peer for peer in peers if "seconds" in peer]
    return min(timed, key=lambda peer: peer["seconds"]["median"], default=None)


# --- one shape --------------------------------------------------------------


class Fault(Exception):
    """Why there is no measurement."""

    def __init__(self, why, hung=False):
        super().__init__(why)
        self.hung = hung


def measured(attn, shape, kernel, torch, seconds):
    """What `attn bench` says of the shape; None where the kernel asked for does not compute it. Raises a Fault."""
    words = [attn, "bench", "--backend", "cuda", "--json", "--seconds", "0.2", *shape.words()]
    if kernel:
        words += ["--kernel", kernel]
    environment = dict(os.environ)
    if torch and torch.is_there():
        words += ["--compare", "--python", PEER]
        environment["ATTN_TORCH_PEER"] = torch.path
    try:
        done = subprocess.run(words, capture_output=True, encoding="utf-8", timeout=seconds, env=environment,
                              errors="replace")
    except subprocess.TimeoutExpired:
        if torch and not torch.missing:
            torch.stop()  # it may be what hangs
        raise Fault(f"hangs: stopped after {seconds:.0f} s", hung=True) from None
    if done.returncode != 0:
        said = " ".join(done.stderr.split())[-300:]
        if kernel and "no kernel" in said:
            return None
        raise Fault(f"ends with {done.returncode}: {said}")
    try:
        return json.loads(done.stdout)["shapes"][0]
    except (ValueError, LookupError):
        raise Fault(f"says no JSON: {done.stdout[:100]!r}") from None


def number(value):
    """Of JSON, where what is no number is null."""
    return math.inf if value is None else value


def complaint_of(ours):
    """What is wrong with the numbers that the kernel made; "" where nothing is."""
    error = ours["kernels"][-1].get("error") or {}
    if not math.isfinite(number(error.get("kernel"))):
        return "makes numbers that are none"
    parts = number(error.get("of_bound"))
    if parts > 1:
        return f"is {error['kernel']:.1e} off, {parts:.1f} times what rounding may come to"
    return ""


def rate(ours, seconds):
    return ours["operations"] / seconds / 1e12


def goals_of(device, shape, ours, theirs):
    """(what, reached, goal) of each that the shape has."""
    kernel = ours["kernels"][-1]
    if ours["limit"] == "memory":
        yield "of a copy", kernel["of_peak"]["median"], OF_COPY
    if shape.dtype != "bf16" or not shape.is_square():
        return
    goal = GOALS_OF_H200.get((shape.width, shape.causal))
    if "H200" in device and shape.keys == TOKENS and goal:
        yield "TFLOP/s", rate(ours, kernel["seconds"]["median"]), goal
    if theirs and shape.keys >= 2048:
        yield "× PyTorch", theirs["ratio"]["median"], BESIDE_TORCH


def spelled_goal(goal):
    what, reached, wanted = goal["what"], goal["reached"], goal["goal"]
    digits = 0 if wanted >= 10 else 2
    return f"{'yes' if goal['is_reached'] else 'NO'}: {reached:.{digits}f} / {wanted:.{digits}f} {what}"


def row(entry):
    ours, theirs = entry["ours"], entry["torch"]
    kernel = ours["kernels"][-1]
    seconds = kernel["seconds"]["median"]
    by_memory = ours["limit"] == "memory"
    work, unit = (ours["bytes"], "GB/s") if by_memory else (ours["operations"], "TFLOP/s")
    scale = 1e9 if by_memory else 1e12
    error = kernel["error"]
    cells = [ours["name"], ours["workload"]["dtype"], kernel["kernel"], f"{seconds * 1e6:.0f}",
             f"{work / seconds / scale:.0f} {unit}", f"{kernel['of_peak']['median']:.2f}"]
    if theirs:
        cells += [f"{work / theirs['seconds']['median'] / scale:.0f} ({theirs['peer']})", f"{theirs['ratio']['median']:.2f}"]
    else:
        cells += ["–", "–"]
    cells.append("; ".join(map(spelled_goal, entry["goals"])) or "–")
    cells.append(f"{number(error['kernel']):.1e} / {number(error['plain']):.1e}")
    cells.append(f"{number(error['of_bound']):.2f}" + (" WRONG" if entry["wrong"] else ""))
    return "| " + " | ".join(cells) + " |"


HEADER = """\
| shape | dtype | kernel | µs | reached | of peak | PyTorch | its time : ours | reached / goal | error / plain f32's | of its bound |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"""


# --- all of them ------------------------------------------------------------


class Bench:
    def __init__(self, options, device, torch):
        self.options, self.device, self.torch, self.clocks = options, device, torch, clocks.Clocks()
        self.end = time.monotonic() + options.seconds
        self.hangs = {}
        self.found = {"device": device, "date": time.strftime("%Y-%m-%d"),
                      "torch": torch.version if torch and not torch.missing else None, "shapes": [], "failures": [],
                      "left_out": 0}

    def write(self):
        """At once or not at all: whoever is stopped leaves what was found before."""
        if not self.options.json:
            return
        part = self.options.json + ".part"
        with open(part, "w", encoding="utf-8") as file:
            json.dump(self.found, file, indent=1)
        os.replace(part, self.options.json)

    def fail(self, shape, kernel, why):
        text = f"{shape}: {kernel or 'the best kernel'} {why}"
        self.found["failures"].append(text)
        print(f"| {text} |", flush=True)

    def try_kernel(self, shape, kernel):
        """Measures it and says so. Returns whether its numbers are right."""
        kind = shape.dtype == "f32", shape.is_square(), kernel
        if self.hangs.get(kind, 0) >= HANGS:
            return False
        try:
            with self.clocks.watching() as seen:
                ours = measured(self.options.attn, shape, kernel, self.torch, self.options.patience)
        except Fault as fault:
            self.hangs[kind] = self.hangs.get(kind, 0) + fault.hung
            self.fail(shape, kernel, str(fault))
            return False
        if not ours:
            return True
        theirs = best_of(ours.get("peers", []))
        wrong = complaint_of(ours)
        goals = [{"what": what, "reached": reached, "goal": goal, "is_reached": reached >= goal and not wrong}
                 for what, reached, goal in goals_of(self.device, shape, ours, theirs)]
        entry = {"ours": ours, "torch": theirs, "goals": goals, "wrong": wrong, "clocks": seen}
        self.found["shapes"].append(entry)
        print(row(entry), flush=True)
        if wrong:
            self.fail(shape, ours["kernels"][-1]["kernel"], wrong)
        return not wrong

    def measure(self, shape):
        if time.monotonic() > self.end:
            self.found["left_out"] += 1
            return
        if not self.try_kernel(shape, self.options.kernel) and not self.options.kernel and shape.dtype in PLAIN_SECOND:
            self.try_kernel(shape, PLAIN_SECOND[shape.dtype])
        self.write()

    def tell_end(self):
        found = self.found
        goals = [goal for entry in found["shapes"] for goal in entry["goals"]]
        print("\n" + clocks.told([one for entry in found["shapes"] for one in entry["clocks"]]))
        print(f"Of {len(goals)} goals {sum(goal['is_reached'] for goal in goals)} are reached.")
        if found["left_out"]:
            print(f"{found['left_out']} shapes were left out: the time was up.")
        for failure in found["failures"]:
            print(f"FAILED  {failure}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("attn")
    parser.add_argument("--seconds", type=float, default=300, help="when this time is up the rest is left out")
    parser.add_argument("--json", help="write everything that was measured here as well, after each shape")
    parser.add_argument("--patience", type=float, default=45, help="seconds for one shape, after which a kernel hangs")
    parser.add_argument("--kernel", help="this one, where it supports the shape, instead of the best")
    options = parser.parse_args()

    about = subprocess.run([options.attn, "--version"], capture_output=True, encoding="utf-8", timeout=60).stdout
    devices = [line for line in about.splitlines() if line.startswith("cuda: ") and "compute capability" in line]
    if not devices:
        print(f"no GPU here: {(about.splitlines() or ['attn says nothing'])[-1]}")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        torch = Torch(folder)
        try:
            beside = f"PyTorch {torch.version}, the fastest of its backends" if torch.version else f"without PyTorch: {torch.missing}"
            print(f"{devices[0][6:]}, {time.strftime('%Y-%m-%d')}, {beside}.\n\n{HEADER}", flush=True)
            bench = Bench(options, devices[0][6:], torch)
            for shape in shapes():
                bench.measure(shape)
        finally:
            torch.stop()
    bench.write()
    bench.tell_end()
    return 1 if bench.found["failures"] else 0


if __name__ == "__main__":
    sys.exit(main())
