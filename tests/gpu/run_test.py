"""What tests/gpu/run and its benchmark do with kernels, tools and sources that fail, without a GPU.

CMake, nvidia-smi, compute-sanitizer, attn, its tests and PyTorch are stood for by programs that say what the real
ones say, and hang, fall or say NaN where a test wants it. That a missing GPU is a failure where
one is required is asked of the real tests, which run here on the host.

    run_test.py [FILE of attn_cuda_on_host]
"""

import contextlib
import io
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
from unittest import mock

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True

import bench
import clocks
import torch_peer

ON_HOST = None

# A program's environment says what it does wrong: FAKE="hopper=hang tests=uncompiled".
WRONG = '''
import json, os, sys, time
wrong = dict(word.split("=") for word in os.environ.get("FAKE", "").split())
def after(option, default=None):
    return sys.argv[sys.argv.index(option) + 1] if option in sys.argv else default
'''

ATTN = WRONG + '''
if sys.argv[1] == "--version":
    print("attn 0\\ncpu: one\\ncuda: NVIDIA H200, 139 GiB, compute capability 9.0")
    sys.exit()
if sys.argv[1] == "golden":
    print("2 passed")
    sys.exit()
if sys.argv[1] != "bench":
    print("a view")
    sys.exit()
batch, heads, queries, width = map(int, after("--shape").split(","))
keys = int(after("--keys", queries))
kernel = after("--kernel") or ("decode" if queries == 1 else "clear" if after("--dtype") == "f32" else "hopper")
if kernel == "nothing":
    sys.exit("attn: error: no kernel `nothing` of the backend `cuda` computes it in bf16")
does = wrong.get(kernel, wrong.get(f"{kernel}{keys}"))
if does == "hang":
    time.sleep(1000)
if does == "fall":
    sys.exit("attn: error: the GPU failed at starting attention")
if does == "babble":
    print("not JSON")
    sys.exit()
error = {"kernel": 1e-3, "plain": 1e-4, "of_bound": 0.5}
if does == "nan":
    error = {"kernel": None, "plain": 1e-4, "of_bound": None}
if does == "off":
    error = {"kernel": 3e-1, "plain": 1e-4, "of_bound": 3.5}
def spread(number):
    return {"count": 3, "least": number, "median": number, "most": number}
reading = queries == 1
operations = 4 * batch * heads * queries * keys * width
peers = []
if "--compare" in sys.argv:
    peers = [{"peer": "flash", "seconds": spread(2.0), "ratio": spread(2.0), "best_ratio": 2.0},
             {"peer": "cudnn", "seconds": spread(0.5), "ratio": spread(0.5), "best_ratio": 0.5},
             {"peer": "math", "left_out": "it keeps all scores"}]
print(json.dumps({"shapes": [{
    "name": after("--shape"), "workload": {"dtype": after("--dtype")}, "limit": "memory" if reading else "arithmetic",
    "operations": operations, "bytes": 10 ** 9, "peak": spread(1e15), "peers": peers,
    "kernels": [{"kernel": kernel, "seconds": spread(operations / 650e12 if not reading else 1e-3),
                 "of_peak": spread(0.75), "error": error}]}]}))
'''

TESTS = WRONG + '''
name = sys.argv[1].strip("[]")
for kernel, does in wrong.items():
    if f"[{kernel}]" in sys.argv[1].split("~")[0] and does == "hang":
        time.sleep(1000)
if wrong.get("tests") == "nothing":
    print("No tests ran")
    sys.exit()
assert os.environ["ATTN_GPU_REQUIRED"] == "1"
print("All tests passed (5 assertions in 1 test case)")
'''

CMAKE = WRONG + '''
import shutil
if sys.argv[1] == "--version":
    print("cmake version " + wrong.get("cmake", "3.28.1"))
    sys.exit()
stands = os.path.dirname(os.path.abspath(__file__))
if sys.argv[1] == "-S":
    build = after("-B")
    os.makedirs(build, exist_ok=True)
    with open(os.path.join(build, "options"), "w") as file:
        file.write(" ".join(sys.argv))
    sys.exit()
build = after("--build")
options = open(os.path.join(build, "options")).read()
failed = False
if wrong.get("hopper") == "uncompiled" and "ATTN_CUDA_WITHOUT=hopper" not in options:
    print("FAILED: src/CMakeFiles/attn_cuda.dir/backend/cuda/fused/hopper/hopper.cu.o\\nhopper.cu(7): error: no such thing")
    sys.exit(1)
if wrong.get("all") == "uncompiled":
    print("FAILED: src/CMakeFiles/attn_core.dir/x.cpp.o")
    sys.exit(1)
for name, stand in (("attn", "attn"), ("tests/gpu/attn_gpu_tests", "tests")):
    if wrong.get(stand) == "uncompiled":
        print("FAILED: " + name)
        failed = True
        continue
    os.makedirs(os.path.dirname(os.path.join(build, name)), exist_ok=True)
    shutil.copy(os.path.join(stands, "stand-in-" + stand), os.path.join(build, name))
sys.exit(failed)
'''

NVIDIA_SMI = '''\
case "$*" in
  *name,driver*) echo "NVIDIA H200, 580.1" ;;
  *compute_cap*) echo 9.0 ;;
  *clocks.sm*) echo "1755, 2619, 612.30, 55, 0x0000000000000004" ;;
  *) exit 1 ;;
esac
'''

SANITIZER = WRONG + '''
tool = after("--tool")
print(f"{tool} of {os.environ['ATTN_GPU_KERNELS']}")
print("========= ERROR SUMMARY: 0 errors")
for one in os.environ["ATTN_GPU_KERNELS"].split():
    if wrong.get(one) == tool:
        sys.exit(9)
'''


def executable(path, text, interpreter=sys.executable):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!{interpreter}\n{text}", encoding="utf-8")
    path.chmod(0o755)


class Place:
    """A working tree with tests/gpu in it, and a folder of programs that stand for the real ones."""

    def __init__(self, folder):
        self.root, self.bin, self.out = folder / "tree", folder / "bin", folder / "out"
        gpu = self.root / "tests" / "gpu"
        gpu.mkdir(parents=True)
        shutil.copy(HERE / "run", gpu)
        # Three shapes of the real benchmark.
        (gpu / "bench.py").write_text(textwrap.dedent(f"""\
            import sys
            sys.path.insert(0, {str(HERE)!r})
            import bench
            bench.shapes = lambda: [bench.Shape("bf16", 8, 16, 2048, 2048, 128), bench.Shape("bf16", 1, 16, 16384, 16384, 128),
                                    bench.Shape("bf16", 16, 32, 1, 8192, 128, kv_heads=8)]
            sys.exit(bench.main())
            """), encoding="utf-8")
        (self.root / "data").mkdir()
        (self.root / "data" / "worked-example.json").write_text("{}", encoding="utf-8")
        for kernel in ("clear", "mma", "decode", "hopper/wgmma", "hopper/hopper"):
            file = self.root / "src" / "backend" / "cuda" / "fused" / (kernel + ".cu")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch()
        executable(self.bin / "cmake", CMAKE)
        executable(self.bin / "stand-in-attn", ATTN)
        executable(self.bin / "stand-in-tests", TESTS)
        executable(self.bin / "nvcc", "", "/bin/sh")
        executable(self.bin / "ninja", "", "/bin/sh")
        executable(self.bin / "nvidia-smi", NVIDIA_SMI, "/bin/sh")
        executable(self.bin / "compute-sanitizer", SANITIZER)

    def environment(self, wrong="", **more):
        # A library that is nowhere, so that PyTorch is not what a developer happens to have.
        return {"PATH": f"{self.bin}:/usr/bin:/bin", "OUT": str(self.out), "FAKE": wrong, "LC_ALL": "C.UTF-8", **more}

    def run(self, *words, wrong="", **more):
        return subprocess.run([str(self.root / "tests" / "gpu" / "run"), *words], env=self.environment(wrong, **more),
                              capture_output=True, encoding="utf-8", timeout=200)

    def found(self):
        return sorted(str(path.relative_to(self.out)) for path in self.out.rglob("*") if path.is_file())

    def json(self):
        return json.loads((self.out / "bench.json").read_text(encoding="utf-8"))


class InPlace(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.place = Place(pathlib.Path(folder.name))

    def assert_fails_only(self, done, *names):
        failed = [line[len("FAILED: "):] for line in done.stdout.splitlines() if line.startswith("FAILED: ")]
        self.assertEqual(failed, list(names), done.stdout + done.stderr)
        self.assertEqual(done.returncode, 1 if names else 0, done.stdout + done.stderr)


class Run(InPlace):
    def test_all_of_it_leaves_eight_files_at_most_and_the_log_is_what_it_said(self):
        done = self.place.run()
        self.assert_fails_only(done)
        self.assertEqual(self.place.found(), ["bench.json", "build.log", "initcheck.log", "memcheck.log",
                                              "racecheck.log", "run.log", "synccheck.log"])
        self.assertEqual((self.place.out / "run.log").read_text(encoding="utf-8"), done.stdout)
        for words in ("ok      the hopper kernel", "ok      data in bf16", "| 16,32,1,128 |", "ok      memcheck of hopper"):
            self.assertIn(words, done.stdout)
        first, second = done.stdout.index("the hopper kernel"), done.stdout.index("the mma kernel")
        self.assertLess(first, second)

    def test_a_kernel_that_does_not_compile_is_left_out_and_the_rest_is_built(self):
        done = self.place.run("--only", "build", wrong="hopper=uncompiled")
        self.assert_fails_only(done, "the kernel hopper compiles")
        self.assertIn("once more, without hopper", done.stdout)
        self.assertIn("NVIDIA H200", done.stdout)
        self.assertIn("no such thing", (self.place.out / "build.log").read_text(encoding="utf-8"))

    def test_tests_that_do_not_compile_leave_the_benchmark(self):
        done = self.place.run(wrong="tests=uncompiled")
        self.assert_fails_only(done, "the tests compile")
        self.assertEqual(len(self.place.json()["shapes"]), 3)

    def test_where_nothing_compiles_it_ends_with_3(self):
        done = self.place.run(wrong="all=uncompiled")
        self.assertEqual(done.returncode, 3, done.stdout)
        self.assertIn("FAILED: src/CMakeFiles", done.stdout)

    def test_a_kernel_that_hangs_costs_only_itself(self):
        self.place.run("--only", "build")
        done = self.place.run("--only", "test", "--patience", "3", wrong="hopper=hang")
        self.assert_fails_only(done, "the hopper kernel")
        self.assertIn("it hangs: stopped after 3 s", done.stdout)
        self.assertIn("ok      the mma kernel", done.stdout)
        self.assertIn("ok      data in f16", done.stdout)

    def test_one_kernel_alone_can_be_asked_for(self):
        done = self.place.run("--kernel", "mma", "--patience", "20", wrong="hopper=hang hopper16384=hang")
        self.assert_fails_only(done)
        self.assertEqual({entry["ours"]["kernels"][0]["kernel"] for entry in self.place.json()["shapes"]}, {"mma"})

    def test_tests_that_test_nothing_are_no_success(self):
        self.place.run("--only", "build")
        done = self.place.run("--only", "test", wrong="tests=nothing")
        self.assertEqual(done.returncode, 1)
        self.assertIn("FAILED: the mma kernel", done.stdout)

    def test_what_compute_sanitizer_finds_fails_but_for_races_in_hopper(self):
        self.place.run("--only", "build")
        done = self.place.run("--only", "sanitize", wrong="wgmma=racecheck mma=initcheck")
        self.assert_fails_only(done, "initcheck of the others")
        self.assertIn("note: racecheck says something of hopper wgmma, which", done.stdout)
        done = self.place.run("--only", "sanitize", wrong="hopper=memcheck mma=racecheck")
        self.assert_fails_only(done, "memcheck of hopper", "racecheck of mma decode clear")

    def test_compute_sanitizer_is_looked_for_beside_nvcc(self):
        cuda = self.place.root / "cuda" / "bin"
        cuda.mkdir(parents=True)
        for tool in ("nvcc", "compute-sanitizer"):
            shutil.move(self.place.bin / tool, cuda / tool)
        (self.place.bin / "nvcc").symlink_to(cuda / "nvcc")
        self.place.run("--only", "build")
        done = self.place.run("--only", "sanitize")
        self.assert_fails_only(done)
        self.assertIn("ok      synccheck of the others", done.stdout)

    def test_a_kill_leaves_what_was_found(self):
        run = subprocess.Popen([str(self.place.root / "tests" / "gpu" / "run")], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, start_new_session=True,
                               env=self.place.environment("hopper16384=hang"))
        try:
            end = time.monotonic() + 120
            while not (self.place.out / "bench.json").exists() and time.monotonic() < end:
                time.sleep(0.1)
        finally:
            # Every process of its session: those of `timeout` have groups of their own.
            for one in subprocess.run(["ps", "-o", "pid=", "--sid", str(run.pid)], capture_output=True,
                                      encoding="ascii").stdout.split():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(one), signal.SIGKILL)
            run.wait()
        self.assertEqual(len(self.place.json()["shapes"]), 1)
        log = (self.place.out / "run.log").read_text(encoding="utf-8")
        self.assertIn("ok      the rest", log)
        self.assertIn("| 8,16,2048,128 |", log)

    def test_what_is_missing_is_said_before_anything_is_built(self):
        (self.place.bin / "nvidia-smi").unlink()
        done = self.place.run()
        self.assertEqual(done.returncode, 77, done.stdout)
        self.assertIn("no GPU here", done.stdout)
        self.assertEqual(self.place.run(ATTN_GPU_REQUIRED="1").returncode, 1)
        self.assertEqual(self.place.run("--only", "build").returncode, 0)
        done = self.place.run("--only", "build", wrong="cmake=3.22.1")
        self.assertEqual(done.returncode, 77)
        self.assertIn("attn takes 3.25 or newer", done.stdout)
        done = self.place.run("--only", "nonsense")
        self.assertEqual(done.returncode, 2)


class Packing(InPlace):
    def pack(self, user):
        executable(self.place.bin / "dpkg-query", 'case "$*" in *catch2*) exit 1 ;; *) echo "install ok installed" ;; esac\n',
                   "/bin/sh")
        executable(self.place.bin / "id", f"echo {user}\n", "/bin/sh")
        executable(self.place.bin / "apt-get", f'echo "$*" >>"{self.place.root}/asked"\ncase $1 in install) exit 100 ;; esac\n',
                   "/bin/sh")
        return self.place.run("--pack")

    def test_what_is_packed_is_installed_first(self):
        done = self.pack(user=0)
        self.assertNotEqual(done.returncode, 0)
        asked = (self.place.root / "asked").read_text(encoding="utf-8").splitlines()
        self.assertEqual(asked, ["update -qq", "install -qq --yes --no-install-recommends catch2"])

    def test_without_root_it_says_how(self):
        done = self.pack(user=1000)
        self.assertEqual(done.returncode, 3)
        self.assertIn("sudo apt-get update && sudo apt-get install --yes --no-install-recommends catch2", done.stderr)
        self.assertFalse((self.place.root / "asked").exists())


class Benchmark(InPlace):
    """The benchmark itself, of two shapes unless said otherwise."""

    square = staticmethod(lambda keys=16384, dtype="bf16": bench.Shape(dtype, 16384 // keys, 16, keys, keys, 128))
    decoding = bench.Shape("bf16", 16, 32, 1, 8192, 128, kv_heads=8)

    def bench(self, *words, wrong="", shapes=None, torch="2.11"):
        """Exit code, what it said, and the JSON."""
        said, file = io.StringIO(), self.place.out / "bench.json"
        self.place.out.mkdir(exist_ok=True)
        with mock.patch.object(bench, "shapes", lambda: shapes or [self.square(), self.decoding]), \
                mock.patch.object(bench, "Torch", lambda folder: FakeTorch(torch)), \
                mock.patch.dict(os.environ, self.place.environment(wrong)), contextlib.redirect_stdout(said), \
                mock.patch.object(sys, "argv", ["bench.py", str(self.place.bin / "stand-in-attn"), "--json", str(file),
                                                "--patience", "4", *words]):
            code = bench.main()
        return code, said.getvalue(), json.loads(file.read_text(encoding="utf-8"))

    def test_rows_have_goals_the_best_of_pytorch_and_clocks(self):
        code, said, found = self.bench()
        self.assertEqual(code, 0, said)
        square, decoding = found["shapes"]
        self.assertEqual(square["torch"]["peer"], "cudnn")
        self.assertIn("yes: 650 / 640 TFLOP/s; NO: 0.50 / 1.00 × PyTorch", said)
        self.assertIn("NO: 0.75 / 0.80 of a copy", said)
        self.assertIn("Of 3 goals 1 are reached.", said)
        self.assertGreaterEqual(len(square["clocks"]), 2)
        self.assertIn("processors at 1755 MHz, memory at 2619 MHz, 612 W, 55 °C; held back by the power cap", said)
        self.assertEqual([goal["is_reached"] for goal in decoding["goals"]], [False])

    def test_numbers_that_are_none_fail_and_the_next_shapes_are_measured(self):
        code, said, found = self.bench(wrong="hopper=nan")
        self.assertEqual(code, 1)
        self.assertEqual([entry["ours"]["kernels"][0]["kernel"] for entry in found["shapes"]], ["hopper", "mma", "decode"])
        self.assertEqual(found["failures"], ["1×16×16384×128 in bf16: hopper makes numbers that are none"])
        self.assertIn("FAILED  1×16×16384×128 in bf16: hopper makes numbers that are none", said)
        self.assertFalse(found["shapes"][0]["goals"][0]["is_reached"])

    def test_an_error_beyond_its_bound_fails_by_name(self):
        code, said, found = self.bench(wrong="decode=off")
        self.assertEqual(code, 1)
        self.assertEqual(found["failures"], ["16×32×1×128, 8192 keys in bf16: decode is 3.0e-01 off, 3.5 times what "
                                             "rounding may come to"])
        self.assertIn("3.50 WRONG", said)

    def test_what_falls_or_babbles_costs_itself(self):
        for does, why in (("fall", "ends with 1: attn: error: the GPU failed"), ("babble", "says no JSON")):
            code, said, found = self.bench(wrong=f"hopper={does}")
            self.assertEqual(code, 1)
            self.assertEqual(len(found["failures"]), 1)
            self.assertIn(why, found["failures"][0])
            self.assertEqual([entry["ours"]["kernels"][0]["kernel"] for entry in found["shapes"]], ["mma", "decode"])

    def test_a_kernel_that_hung_twice_is_not_asked_any_more(self):
        shapes = [self.square(), self.square(8192), self.square(4096), self.decoding, self.square(2048, "f32")]
        code, said, found = self.bench(wrong="hopper=hang", shapes=shapes)
        self.assertEqual(code, 1)
        self.assertEqual([failure.endswith("hangs: stopped after 4 s") for failure in found["failures"]], [True, True])
        self.assertEqual([entry["ours"]["kernels"][0]["kernel"] for entry in found["shapes"]],
                         ["mma", "mma", "mma", "decode", "clear"])

    def test_shapes_that_the_kernel_asked_for_does_not_compute_are_no_failures(self):
        code, said, found = self.bench("--kernel", "nothing")
        self.assertEqual((code, found["shapes"], found["failures"]), (0, [], []), said)

    def test_what_is_left_when_the_time_is_up_is_counted(self):
        code, said, found = self.bench("--seconds", "0")
        self.assertEqual((code, found["left_out"]), (0, 2))
        self.assertIn("2 shapes were left out", said)

    def test_a_shape_that_was_begun_in_time_has_all_patience(self):
        code, said, found = self.bench("--seconds", "0.5", shapes=[self.decoding], wrong="decode=hang")
        self.assertEqual((code, [failure.endswith("stopped after 4 s") for failure in found["failures"]]), (1, [True]), said)

    def test_without_pytorch_and_without_nvidia_smi_there_is_a_table(self):
        (self.place.bin / "nvidia-smi").unlink()
        code, said, found = self.bench(torch=None)
        self.assertEqual(code, 0, said)
        self.assertIn("without PyTorch: it is not here", said)
        self.assertIn("nvidia-smi says nothing", said)
        self.assertIsNone(found["shapes"][0]["torch"])

    def test_the_goals_are_those_of_the_shapes_that_have_them(self):
        shapes = list(bench.shapes())
        self.assertEqual(sum(1 for shape in shapes if (shape.width, shape.causal) in bench.GOALS_OF_H200
                             and shape.keys == 16384 and shape.dtype == "bf16" and shape.is_square()), 4)
        beside = {(shape.width, shape.causal, shape.keys) for shape in shapes if shape.dtype == "bf16" and shape.is_square()}
        self.assertLessEqual({(width, causal, keys) for width in (64, 128, 256) for causal in (False, True)
                              for keys in (2048, 4096, 8192, 16384)}, beside)


class FakeTorch:
    def __init__(self, version):
        self.version, self.missing, self.path = version, "" if version else "it is not here", "nowhere"

    def is_there(self):
        return not self.missing

    def stop(self):
        pass


# What of PyTorch torch_peer.py uses, on a device where each call takes as long as its backend says.
TORCH = '''
import contextlib, sys, types
__version__ = "2.stand-in"
now = 0.0
recording = None
backend = None
class AcceleratorError(RuntimeError): pass
class Dtype:
    def __init__(self, itemsize): self.itemsize = itemsize
bfloat16, float16, float32 = Dtype(2), Dtype(2), Dtype(4)
class Tensor:
    def __init__(self, shape, dtype): self.shape, self.dtype, self.itemsize = shape, dtype, dtype.itemsize
def randn(*shape, device, dtype): return Tensor(shape, dtype)
inference_mode = contextlib.nullcontext
def call(q, k, v, is_causal, enable_gqa):
    assert enable_gqa == (q.shape[1] != k.shape[1])
    if backend == "EFFICIENT" and enable_gqa: raise RuntimeError("No available kernel.\\nmore")
    if backend == "CUDNN" and q.shape[2] == 13: raise AcceleratorError("CUDA error: an illegal memory access")
    def do():
        global now
        now += {"FLASH": 1e-4, "CUDNN": 5e-5}.get(backend, 1e-3)
    made = backend
    if recording is not None: recording.append(do)
    else: do()
class Event:
    def __init__(self, enable_timing): pass
    def record(self): self.at = now
    def elapsed_time(self, other): return (other.at - self.at) * 1000
class Stream:
    def wait_stream(self, other): pass
class CUDAGraph:
    def __init__(self): self.calls = []
    def replay(self):
        global now
        now -= 1e-5 * len(self.calls)  # what the host no longer takes
        for one in self.calls: one()
@contextlib.contextmanager
def graph(into):
    global recording
    recording = into.calls
    yield
    recording = None
cuda = types.SimpleNamespace(is_available=lambda: True, Event=Event, synchronize=lambda: None, Stream=Stream,
    current_stream=Stream, stream=contextlib.nullcontext, CUDAGraph=CUDAGraph, graph=graph, empty_cache=lambda: None)
@contextlib.contextmanager
def sdpa_kernel(backends):
    global backend
    backend, = backends
    yield
    backend = None
nn = types.ModuleType("torch.nn")
nn.functional = types.SimpleNamespace(scaled_dot_product_attention=call)
attention = types.ModuleType("torch.nn.attention")
attention.SDPBackend = types.SimpleNamespace(FLASH_ATTENTION="FLASH", CUDNN_ATTENTION="CUDNN",
    EFFICIENT_ATTENTION="EFFICIENT", MATH="MATH")
attention.sdpa_kernel = sdpa_kernel
sys.modules["torch.nn"], sys.modules["torch.nn.attention"] = nn, attention
'''


class Peer(unittest.TestCase):
    """attn's own --compare, with PyTorch's stand-in on the other side."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        (pathlib.Path(folder.name) / "torch.py").write_text(TORCH, encoding="utf-8")
        with mock.patch.dict(os.environ, {"PYTHONPATH": folder.name}):
            self.torch = bench.Torch(folder.name)
            self.addCleanup(self.torch.stop)

    def compared(self, *words):
        done = subprocess.run([os.environ["ATTN"], "bench", *words, "--repeat", "2", "--json", "--compare", "--python",
                               bench.PEER], capture_output=True, encoding="utf-8", timeout=120,
                              env={**os.environ, "ATTN_TORCH_PEER": self.torch.path})
        self.assertEqual(done.returncode, 0, done.stderr)
        told = json.loads(done.stdout)
        self.assertEqual([library["name"] for library in told["libraries"] if "version" in library], ["torch"])
        return {peer["peer"]: peer for peer in told["shapes"][0]["peers"]}

    def test_each_backend_is_timed_in_turns_with_attn(self):
        self.assertEqual((self.torch.version, self.torch.missing), ("2.stand-in", ""))
        peers = self.compared("--shape", "1,2,90,64")
        self.assertEqual({name: round(peer["seconds"]["median"], 7) for name, peer in peers.items()},
                         {"flash": 1e-4, "cudnn": 5e-5, "efficient": 1e-3, "math": 1e-3})
        self.assertEqual(bench.best_of(peers.values())["peer"], "cudnn")

    def test_decoding_is_a_graph_and_what_a_backend_does_not_compute_is_said(self):
        peers = self.compared("--shape", "1,4,1,64", "--keys", "512", "--kv-heads", "2")
        self.assertAlmostEqual(peers["flash"]["seconds"]["median"], 9e-5)
        self.assertEqual(peers["efficient"]["left_out"], "No available kernel.")

    def test_causal_masks_that_it_aligns_elsewhere_are_left_out(self):
        peers = self.compared("--shape", "1,2,4,8", "--keys", "9", "--causal")
        self.assertIn("is_causal aligns", peers["math"]["left_out"])

    def test_a_gpu_that_fell_is_left_to_another_process(self):
        peers = self.compared("--shape", "1,2,13,8")
        self.assertIn("CUDA error", peers["cudnn"]["left_out"])
        self.torch.process.wait(timeout=60)
        with mock.patch.dict(os.environ, {"PYTHONPATH": self.folder}):
            self.assertTrue(self.torch.is_there())
        self.assertIn("seconds", self.compared("--shape", "1,2,9,8")["cudnn"])

    def test_reading_is_what_attn_takes_for_it(self):
        sizes = torch_peer.Sizes(16, 32, 8, 1, 8192, 128, 128, 0, False, "bf16")
        self.assertTrue(torch_peer.is_reading(sizes, 2))
        self.assertFalse(torch_peer.is_reading(sizes._replace(queries=64, kv_heads=32), 2))

    def test_without_pytorch_that_is_said(self):
        with mock.patch.dict(os.environ, {"PYTHONPATH": self.folder}):
            (pathlib.Path(self.folder) / "torch.py").write_text("raise ImportError('it is broken')", encoding="utf-8")
            broken = bench.Torch(tempfile.mkdtemp(dir=self.folder))
            self.addCleanup(broken.stop)
        self.assertEqual(broken.missing, "it is broken")
        self.assertFalse(broken.is_there())


class Required(unittest.TestCase):
    """The tests that wait for a GPU, on the host, where it is hidden as a GPU is."""

    def on_host(self, **environment):
        if not ON_HOST:
            self.skipTest("no attn_cuda_on_host")
        return subprocess.run([ON_HOST, "[hopper]"], env={"CUDA_VISIBLE_DEVICES": "-1", **environment},
                              capture_output=True, encoding="utf-8", timeout=120)

    def test_a_gpu_that_is_missing_is_told_and_no_failure(self):
        done = self.on_host()
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("not tested: the NVIDIA driver finds no GPU here", done.stdout)

    def test_unless_it_is_required(self):
        done = self.on_host(ATTN_GPU_REQUIRED="1")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("ATTN_GPU_REQUIRED=1, and the NVIDIA driver finds no GPU here", done.stdout)


class Clocks(unittest.TestCase):
    def test_what_no_reading_has_is_not_told(self):
        self.assertIn("no power.draw", clocks.told([{"clocks.sm": 1000.0, "clocks.mem": 10.0, "temperature.gpu": 40.0}]))
        self.assertEqual(clocks.reasons_of([{clocks.THROTTLED: 0x44}, {clocks.THROTTLED: 0}]), ["heat", "the power cap"])


if __name__ == "__main__":
    ON_HOST = sys.argv.pop(1) if len(sys.argv) > 1 and os.path.exists(sys.argv[1]) else None
    unittest.main()
