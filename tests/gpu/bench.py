"""Times attn on a GPU beside PyTorch's attention and prints a table for docs/performance.md.

Both are timed by the device's clock, many calls after one another over copies of the
inputs that no cache holds: attn by `attn bench`, PyTorch here, group by group in turns.
"""

import argparse
import json
import subprocess
import sys
import time

TOKENS = 16384
COLUMNS = 2048  # of all heads together, as FlashAttention's papers have it
BEYOND_CACHES = 256 << 20
LONGEST = 90  # seconds for one run: a kernel that waits for ever must not take all the time


def squares(dtype, width, causal, sizes):
    """Batches of squares with so many tokens and columns in all."""
    shapes = [(max(1, TOKENS // size), COLUMNS // width, size, size, width) for size in sizes]
    return {"dtype": dtype, "causal": causal, "kv_heads": None, "shapes": shapes}


def decode(dtype, batch, heads, kv_heads, keys, width):
    return {"dtype": dtype, "causal": False, "kv_heads": kv_heads, "shapes": [(batch, heads, 1, keys, width)]}


def groups():
    """The most important first: what is left when the time is up is left out."""
    large = [2048, 4096, 8192, 16384]
    for width in (128, 64, 256):
        for causal in (False, True):
            yield squares("bf16", width, causal, large)
    yield decode("bf16", 16, 32, 8, 8192, 128)
    yield decode("bf16", 16, 16, 16, 4096, 128)
    yield decode("bf16", 1, 16, 16, 16384, 128)
    for width in (128, 64, 256):
        yield squares("f16", width, False, [2048, 16384])
        yield squares("f32", width, False, [512, 2048])
        for causal in (False, True):
            yield squares("bf16", width, causal, [512, 1024])


def bench(attn, group, shapes, seconds, end):
    """What `attn bench` says of each of the shapes, or None where it fails, which is said."""
    words = [attn, "bench", "--backend", "cuda", "--json", "--seconds", str(seconds), "--dtype", group["dtype"]]
    for batch, heads, queries, keys, width in shapes:
        words += ["--shape", f"{batch},{heads},{queries},{width}"]
        if keys != queries:
            words += ["--keys", str(keys)]
    if group["kv_heads"]:
        words += ["--kv-heads", str(group["kv_heads"])]
    if group["causal"]:
        words.append("--causal")
    most = max(1, min(LONGEST, end - time.monotonic()))
    done = subprocess.run(words, capture_output=True, encoding="utf-8", timeout=most)
    if done.returncode == 0:
        return json.loads(done.stdout)["shapes"]
    print(f"failed with {done.returncode}: {' '.join(words)}\n{done.stderr}", file=sys.stderr)
    return None


def attn_times(attn, group, seconds, end):
    """One run for all shapes of the group; one for each where that fails, none where it does not come back."""
    try:
        together = bench(attn, group, group["shapes"], seconds, end)
        if together or len(group["shapes"]) == 1:
            return together or [None]
        alone = [bench(attn, group, [shape], seconds, end) for shape in group["shapes"]]
        return [shapes[0] if shapes else None for shapes in alone]
    except subprocess.TimeoutExpired as error:
        print(f"stopped after {error.timeout:.0f} s: {' '.join(error.cmd)}", file=sys.stderr)
        return [None] * len(group["shapes"])


class Torch:
    """PyTorch's scaled_dot_product_attention by each of its backends."""

    def __init__(self):
        import torch
        from torch.nn.attention import SDPBackend, sdpa_kernel

        self.torch, self.sdpa_kernel = torch, sdpa_kernel
        if not torch.cuda.is_available():
            raise RuntimeError("torch sees no GPU")
        self.backends = {"flash": SDPBackend.FLASH_ATTENTION, "efficient": SDPBackend.EFFICIENT_ATTENTION,
                         "math": SDPBackend.MATH}
        if hasattr(SDPBackend, "CUDNN_ATTENTION"):
            self.backends["cudnn"] = SDPBackend.CUDNN_ATTENTION
        self.dtypes = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32}

    def inputs(self, group, shape):
        batch, heads, queries, keys, width = shape
        kv_heads = group["kv_heads"] or heads
        dtype = self.dtypes[group["dtype"]]
        numbers = batch * width * (heads * queries + 2 * kv_heads * keys)
        copies = min(64, max(1, BEYOND_CACHES // (numbers * dtype.itemsize)))

        def draw(heads, rows):
            return self.torch.randn(batch, heads, rows, width, device="cuda", dtype=dtype)
        return [(draw(heads, queries), draw(kv_heads, keys), draw(kv_heads, keys)) for _ in range(copies)]

    def seconds(self, backend, group, inputs):
        torch = self.torch
        shares = inputs[0][0].shape[1] != inputs[0][1].shape[1]

        def calls(count):
            start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            start.record()
            for i in range(count):
                q, k, v = inputs[i % len(inputs)]
                torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=group["causal"], enable_gqa=shares)
            end.record()
            torch.cuda.synchronize()
            return start.elapsed_time(end) / 1000 / count

        with torch.inference_mode(), self.sdpa_kernel([backend]):
            calls(3)
            count = max(1, min(200, int(5e-3 / max(calls(1), 1e-9))))
            return sorted(calls(count) for _ in range(7))[3]

    def best(self, group, shape):
        """(name, seconds) of the fastest backend that computes the shape."""
        import warnings

        inputs = self.inputs(group, shape)
        found = {}
        for name, backend in self.backends.items():
            if name == "math" and shape[0] * shape[1] * shape[2] * shape[3] * 4 > 8e9:
                continue  # it keeps all scores
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    found[name] = self.seconds(backend, group, inputs)
            except RuntimeError:
                self.torch.cuda.empty_cache()
        if not found:
            return None
        name = min(found, key=found.get)
        return name, found[name]


def row(group, shape, ours, theirs):
    kernel = ours["kernels"][-1]
    seconds = kernel["seconds"]["median"]
    by_memory = ours["limit"] == "memory"
    work, unit = (ours["bytes"], "GB/s") if by_memory else (ours["operations"], "TFLOP/s")
    scale = 1e9 if by_memory else 1e12
    error = kernel.get("error")
    cells = [ours["name"], group["dtype"], kernel["kernel"], f"{seconds * 1e6:.0f}",
             f"{work / seconds / scale:.0f} {unit}", f"{kernel['of_peak']['median']:.2f}"]
    if theirs:
        cells += [f"{work / theirs[1] / scale:.0f} ({theirs[0]})", f"{theirs[1] / seconds:.2f}"]
    else:
        cells += ["–", "–"]
    cells.append(f"{error['kernel']:.1e} / {error['plain']:.1e}" if error else "–")
    return "| " + " | ".join(cells) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("attn")
    parser.add_argument("--seconds", type=float, default=300, help="when this time is up the rest is left out")
    parser.add_argument("--json", help="write everything that was measured here as well")
    options = parser.parse_args()
    end = time.monotonic() + options.seconds

    about = subprocess.run([options.attn, "--version"], capture_output=True, encoding="utf-8").stdout
    devices = [line for line in about.splitlines() if line.startswith("cuda: ") and "compute capability" in line]
    if not devices:
        print(f"no GPU here: {about.splitlines()[-1]}")
        return 77
    print(f"{devices[0][6:]}, {time.strftime('%Y-%m-%d')}. ", end="")
    try:
        torch = Torch()
        print(f"PyTorch {torch.torch.__version__}, the fastest of its backends.\n")
    except (ImportError, RuntimeError, AttributeError) as error:
        torch = None
        print(f"Without PyTorch: {error}.\n")

    print("| shape | dtype | kernel | µs | reached | of peak | PyTorch | its time : ours | error : plain f32's |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    measured, left_out, failed = [], 0, False
    for group in groups():
        if time.monotonic() > end:
            left_out += len(group["shapes"])
            continue
        for shape, ours in zip(group["shapes"], attn_times(options.attn, group, 0.2, end)):
            theirs = torch.best(group, shape) if torch else None
            if not ours:
                failed = True
                continue
            print(row(group, shape, ours, theirs), flush=True)
            measured.append({"ours": ours, "torch": theirs and {"backend": theirs[0], "seconds": theirs[1]}})
    if left_out:
        print(f"\n{left_out} shapes were left out: the time was up.")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"device": devices[0][6:], "shapes": measured}, file, indent=1)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
