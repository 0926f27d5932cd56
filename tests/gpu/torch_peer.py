#!/usr/bin/env python3
"""PyTorch's attention on the GPU, for `attn bench --compare` to time beside its own.

    torch_peer.py --serve SOCKET             has PyTorch; answers one after another
    torch_peer.py -c PROGRAM LIBRARY THREADS what attn runs as its --python

The second is what stands between: it hands attn's requests to the first, over the socket
that ATTN_TORCH_PEER names, and answers back. So PyTorch is started once, and what attn
stops while it has nothing to do is not what talks to the GPU.

Requests are those of src/bench/peers.py; a way is one of PyTorch's backends. Calls are
timed as attn times its own: many after one another by the device's clock, over inputs that no
cache holds, recorded as a graph where reading them is all there is to do.
"""

import os
import socket
import sys
import warnings
from collections import namedtuple

Sizes = namedtuple("Sizes", "batch heads kv_heads queries keys key_width value_width model_width causal dtype")

BEYOND_CACHES = 256 << 20
LONG_ENOUGH = 2e-3  # seconds for one measurement, at most 200 calls, as in src/bench/cuda/measurable.cpp
FEW_OPERATIONS_A_BYTE = 12  # src/bench/workload.cpp
MOST_SCORES = 8e9  # bytes that the backend which keeps all of them may take


def numbers_of(sizes):
    """Of queries, keys and values; contexts are as many as queries."""
    return sizes.batch * sizes.key_width * (sizes.heads * sizes.queries + 2 * sizes.kv_heads * sizes.keys)


def is_reading(sizes, number_size):
    operations = 4 * sizes.batch * sizes.heads * sizes.queries * sizes.keys * sizes.key_width
    contexts = sizes.batch * sizes.heads * sizes.queries * sizes.value_width
    return operations < FEW_OPERATIONS_A_BYTE * (numbers_of(sizes) + contexts) * number_size


def why_not(sizes, way):
    """What PyTorch is not asked for; "" where it is."""
    if sizes.model_width:
        return "projections are not timed here"
    if sizes.key_width != sizes.value_width:
        return "keys and values of one width only"
    if sizes.causal and sizes.queries != sizes.keys:
        return "is_causal aligns the first query with the first key"
    if way == "math" and 4 * sizes.batch * sizes.heads * sizes.queries * sizes.keys > MOST_SCORES:
        return "it keeps all scores"
    return ""


class Torch:
    """PyTorch's scaled_dot_product_attention by each of its backends."""

    def __init__(self):
        import torch
        from torch.nn.attention import SDPBackend, sdpa_kernel

        if not torch.cuda.is_available():
            raise RuntimeError("torch sees no GPU")
        self.torch, self.sdpa_kernel = torch, sdpa_kernel
        self.dtypes = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32}
        kinds = {"flash": "FLASH_ATTENTION", "cudnn": "CUDNN_ATTENTION", "efficient": "EFFICIENT_ATTENTION", "math": "MATH"}
        self.backends = {way: getattr(SDPBackend, kind) for way, kind in kinds.items() if hasattr(SDPBackend, kind)}
        self.version = torch.__version__
        self.drawn, self.ready = None, {}

    def inputs(self, sizes):
        """Those of the last sizes are kept: each backend reads the same."""
        if self.drawn is None or self.drawn[0] != sizes:
            self.drawn, self.ready = None, {}
            self.torch.cuda.empty_cache()
            dtype = self.dtypes[sizes.dtype]
            copies = min(64, max(1, BEYOND_CACHES // (numbers_of(sizes) * dtype.itemsize)))

            def draw(heads, rows):
                return self.torch.randn(sizes.batch, heads, rows, sizes.key_width, device="cuda", dtype=dtype)
            self.drawn = sizes, [(draw(sizes.heads, sizes.queries), draw(sizes.kv_heads, sizes.keys),
                                  draw(sizes.kv_heads, sizes.keys)) for _ in range(copies)]
        return self.drawn[1]

    def prepare(self, way, sizes):
        if sizes.dtype not in self.dtypes:
            return f"it is not asked for {sizes.dtype}"
        why = why_not(sizes, way)
        if why:
            return why
        torch, inputs = self.torch, self.inputs(sizes)
        shares = sizes.heads != sizes.kv_heads

        def call(i):
            q, k, v = inputs[i % len(inputs)]
            torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=sizes.causal, enable_gqa=shares)

        def calls(count):
            for i in range(count):
                call(i)

        with torch.inference_mode(), self.sdpa_kernel([self.backends[way]]), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.seconds_of(lambda: calls(3))
            count = max(1, min(200, int(LONG_ENOUGH / max(self.seconds_of(lambda: calls(1)), 1e-9))))
            start = self.recorded(calls, count) if is_reading(sizes, inputs[0][0].itemsize) else lambda: calls(count)
        self.ready[way] = call, start, count
        return ""

    def recorded(self, calls, count):
        """So many calls as one graph."""
        torch = self.torch
        aside = torch.cuda.Stream()
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            calls(1)
        torch.cuda.current_stream().wait_stream(aside)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            calls(count)
        return graph.replay

    def seconds_of(self, start):
        torch = self.torch
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        start()
        end.record()
        torch.cuda.synchronize()
        return begin.elapsed_time(end) / 1000

    def seconds(self, way):
        """Of a call. Another goes before them, so that the device has work while they are started."""
        call, start, count = self.ready[way]
        with self.torch.inference_mode(), self.sdpa_kernel([self.backends[way]]), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            call(0)
            return self.seconds_of(start) / count


def answer(torch, line):
    """To a request; and whether the GPU is still fit for the next."""
    words = line.split()
    ways = list(torch.backends)
    if words[0] == "hello":
        return "\t".join(["have", torch.version, *ways]), True
    way = ways[int(words[1])]
    try:
        if words[0] == "prepare":
            sizes = Sizes(*map(int, words[2:10]), words[10] == "1", words[11])
            why = torch.prepare(way, sizes)
            return ("no " + why if why else "ready"), True
        return f"seconds {torch.seconds(way):.9g}", True
    except Exception as error:  # what a backend does not compute, and what fails, are told by one type
        said = (str(error).strip() or type(error).__name__).splitlines()[0]
        return ("no " + said if words[0] == "prepare" else "failed"), "CUDA error" not in str(error)


def serve(path):
    try:
        torch = Torch()
    except (ImportError, RuntimeError, AttributeError) as error:
        print(f"missing\t{str(error).splitlines()[0]}", flush=True)
        return 1
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path)
        listening.listen()
        print(f"have\t{torch.version}", flush=True)
        while True:
            with listening.accept()[0] as caller, caller.makefile("rw", encoding="utf-8") as lines:
                try:
                    for line in lines:
                        said, is_fit = answer(torch, line)
                        lines.write(said + "\n")
                        lines.flush()
                        if not is_fit:
                            return 1  # whoever comes next starts another
                except OSError:
                    pass  # attn was stopped


def relay(library):
    if library != "torch":
        for _ in sys.stdin:
            print("missing\tnot timed on a GPU", flush=True)
        return 0
    with socket.socket(socket.AF_UNIX) as server:
        server.connect(os.environ["ATTN_TORCH_PEER"])
        with server.makefile("rw", encoding="utf-8") as lines:
            for request in sys.stdin:
                lines.write(request)
                lines.flush()
                said = lines.readline()
                if not said:
                    return 1
                print(said, end="", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(serve(sys.argv[2]) if sys.argv[1] == "--serve" else relay(sys.argv[3]))
