"""Tensors from files: .npy, .npz, .safetensors, as numpy and others write them.

Every dtype, order, byte order and version is compared with the same problem whose
numbers stand in the problem; paths stay in the problem's folder; damaged files are
refused with a reason, in little memory. What `-o x.npz` and `-o x.safetensors` write
is read back by numpy, and by twenty lines of Python.
"""

import io
import itertools
import json
import math
import os
import random
import resource
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile
import zlib

try:
    import numpy as np
except ImportError:
    print("numpy is not installed")
    sys.exit(77)

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "property"))

from slow import SLOW, share  # noqa: E402

ATTN = os.path.abspath(os.environ["ATTN"])
ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
DATA = os.path.join(ROOT, "data")
SANITIZED = SLOW

KINDS = ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]
SAFE_NAMES = {"f8": "F64", "f4": "F32", "f2": "F16", "i1": "I8", "i2": "I16", "i4": "I32", "i8": "I64",
              "u1": "U8", "u2": "U16", "u4": "U32", "u8": "U64", "b1": "BOOL"}


def attn(*words, cwd=None, text=None, limit=None, timeout=60):
    """The finished process; `limit` bounds its address space."""
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
    bound = (lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))) if limit and not SANITIZED else None
    return subprocess.run([ATTN, *words], cwd=cwd, input=text, capture_output=True, encoding="utf-8",
                          errors="replace", env=environment, timeout=timeout, preexec_fn=bound)


def npy_bytes(array, version=(1, 0)):
    """As numpy.save writes, in the version asked for."""
    out = io.BytesIO()
    np.lib.format.write_array(out, np.asanyarray(array), version=version)
    return out.getvalue()


def npy_with_header(header, data=b""):
    text = header.encode("latin1")
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + data


def safetensors_bytes(tensors, metadata=None, brain=()):
    """{name: array} as a .safetensors file; the f4 arrays named in `brain` as BF16."""
    header, data = {}, b""
    if metadata is not None:
        header["__metadata__"] = metadata
    for name, array in tensors.items():
        array = np.ascontiguousarray(array) if array.ndim else array
        raw = array.astype(array.dtype.newbyteorder("<")).tobytes()
        dtype = SAFE_NAMES[array.dtype.kind + str(array.dtype.itemsize)]
        if name in brain:
            raw, dtype = (array.view("<u4") >> 16).astype("<u2").tobytes(), "BF16"
        header[name] = {"dtype": dtype, "shape": list(array.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def read_safetensors(content):
    """(metadata, {name: array of f8}) of a .safetensors file; checks what the format demands."""
    length = struct.unpack("<Q", content[:8])[0]
    assert content[8:9] == b"{"
    header = json.loads(content[8:8 + length])
    data = content[8 + length:]
    metadata = header.pop("__metadata__", {})
    assert all(isinstance(value, str) for value in metadata.values())
    tensors, covered = {}, 0
    for name, entry in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        begin, end = entry["data_offsets"]
        assert begin == covered, name
        covered = end
        if entry["dtype"] == "BF16":
            values = (np.frombuffer(data[begin:end], "<u2").astype("<u4") << 16).view("<f4")
        else:
            values = np.frombuffer(data[begin:end], {"F64": "<f8", "F32": "<f4", "F16": "<f2"}[entry["dtype"]])
        tensors[name] = values.astype("f8").reshape(entry["shape"])
    assert covered == len(data)
    return metadata, tensors


def listed(array):
    """An array as a problem file spells it."""
    if array.dtype.kind == "b":
        return array.tolist()
    spelled = {math.inf: "inf", -math.inf: "-inf"}

    def walk(value):
        if isinstance(value, list):
            return [walk(one) for one in value]
        return "nan" if value != value else spelled.get(value, value)

    return walk(array.astype("f8").tolist())


def held(numbers, dtype):
    """The numbers as the dtype holds them: what the shortest digits of a trace stand for."""
    if dtype != "bf16":
        with np.errstate(over="ignore"):
            return numbers.astype({"f64": "f8", "f32": "f4", "f16": "f2"}[dtype]).astype("f8")
    bits = np.asarray(numbers, dtype="f4").view("u4").astype("u8")
    rounded = ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).astype("u4").view("f4").astype("f8")
    return np.where(np.isfinite(numbers), rounded, numbers)


def from_json(data):
    return np.array(json.loads(json.dumps(data).replace('"-inf"', "-Infinity").replace('"inf"', "Infinity")
                               .replace('"nan"', "NaN")), dtype="f8")


class Folder(unittest.TestCase):
    """A test with a folder of its own, in which problems and files are written."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="attn-files-")
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "wb") as file:
            file.write(content)

    def write_problem(self, problem, name="problem.json"):
        self.write(name, json.dumps(problem).encode())
        return self.path(name)

    def trace(self, problem):
        done = attn("run", self.write_problem(problem), "--format", "json")
        self.assertEqual((done.returncode, done.stderr), (0, ""), problem)
        return done.stdout

    def refusal(self, problem):
        """What is said about a problem that is not accepted."""
        done = attn("run", self.write_problem(problem))
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertRegex(done.stderr, r"\n  help: .")
        return done.stderr


def in_64_bits(archive, which, before=b"", after=b"", wide_end=True, cut=0):
    """The same entries in a directory that has these of each entry's size, packed size and offset in a zip64 field,
    `cut` bytes shorter than it should be, and other fields before and after it."""
    begin, directory = archive.index(b"PK\1\2"), b""
    with zipfile.ZipFile(io.BytesIO(archive)) as read:
        entries = read.infolist()
    for entry in entries:
        numbers = (entry.file_size, entry.compress_size, entry.header_offset)
        wide = b"".join(struct.pack("<Q", number) for number, moved in zip(numbers, which) if moved)
        wide = wide[:len(wide) - cut]
        extra = before + (struct.pack("<HH", 1, len(wide)) + wide if any(which) else b"") + after
        size, packed, offset = (0xFFFFFFFF if moved else number for number, moved in zip(numbers, which))
        name = entry.filename.encode()
        directory += b"PK\1\2" + struct.pack("<HHHHHHIIIHHHHHII", 45, 45, 0, entry.compress_type, 0, 0, entry.CRC, packed,
                                             size, len(name), len(extra), 0, 0, 0, 0, offset) + name + extra
    counts = (len(entries), len(entries), len(directory), begin)
    end = b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, *((0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF) if wide_end else counts), 0)
    if wide_end:
        end = (b"PK\6\6" + struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, *counts) +
               b"PK\6\7" + struct.pack("<IQI", 0, begin + len(directory), 1) + end)
    return archive[:begin] + directory + end


def example(kind, shape=(3, 4), seed=0):
    """Numbers that this dtype holds."""
    numbers = np.random.default_rng(seed)
    if kind[0] == "f":
        return numbers.normal(size=shape).astype(kind)
    low = -100 if kind[0] == "i" else 0
    return numbers.integers(low, 100, size=shape).astype(kind)


class SameAsWritten(Folder):
    """The numbers of a file and the same numbers in the problem: the same trace, the same statement."""

    def compare(self, references, arrays, **options):
        keys = list(references)
        self.assertEqual(self.trace({**references, **options}),
                         self.trace({**{key: listed(arrays[key]) for key in keys}, **options}))

    def test_every_dtype_order_and_version_of_npy(self):
        for kind in KINDS:
            for byte_order in "<>":
                for order in "CF":
                    for version in ((1, 0), (2, 0), (3, 0)):
                        array = np.array(example(kind), dtype=byte_order + kind, order=order)
                        with self.subTest(kind=kind, byte_order=byte_order, order=order, version=version):
                            self.write("x.npy", npy_bytes(array, version))
                            self.compare({"inputs": {"file": "x.npy"}}, {"inputs": array})

    def test_every_rank_in_both_orders(self):
        for shape in ((2, 3), (2, 3, 4), (2, 2, 3, 4), (1, 2, 3, 1), (40, 70), (3, 33, 35)):
            array = example("f8", shape)
            problem = "keys" if len(shape) == 4 else "inputs"
            queries = {"queries": listed(example("f8", shape, 1))} if len(shape) == 4 else {}
            for order in "CF":
                with self.subTest(shape=shape, order=order):
                    self.write("x.npy", npy_bytes(np.array(array, order=order)))
                    self.compare({problem: {"file": "x.npy"}}, {problem: array}, **queries)

    def test_one_axis_is_the_same_in_both_orders(self):
        bias = np.array([1.0, -2, 0.5])
        header = "{'descr': '<f8', 'fortran_order': True, 'shape': (3,), }\n"
        self.write("bias.npy", npy_with_header(header, bias.tobytes()))
        problem = {"inputs": listed(example("f8", (2, 3))), "weights": {"query": "identity", "key": "identity",
                                                                        "value": listed(np.eye(3))}}
        self.assertEqual(self.trace({**problem, "biases": {"value": {"file": "bias.npy"}}}),
                         self.trace({**problem, "biases": {"value": listed(bias)}}))

    def test_npz_stored_and_deflated(self):
        arrays = {kind: example(kind, (4, 4), i) for i, kind in enumerate(KINDS)}
        arrays["fortran"] = np.asfortranarray(example("f8", (4, 4), 77))
        for save in (np.savez, np.savez_compressed):
            out = io.BytesIO()
            save(out, **arrays)
            self.write("all.npz", out.getvalue())
            for name, array in arrays.items():
                with self.subTest(save=save.__name__, name=name):
                    self.compare({"inputs": {"file": "all.npz", "tensor": name}}, {"inputs": array})
        self.compare({"inputs": {"file": "all.npz", "tensor": "f8.npy"}}, {"inputs": arrays["f8"]})

    def test_npz_of_other_writers(self):
        array = example("f8")
        for zipped in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            out = io.BytesIO()
            with zipfile.ZipFile(out, "w", zipped) as archive:
                archive.writestr("folder/", b"")
                archive.writestr("folder/größe.npy", npy_bytes(array))
            self.write("x.npz", out.getvalue())
            self.compare({"inputs": {"file": "x.npz"}}, {"inputs": array})

    def test_npz_whose_numbers_stand_in_64_bits(self):
        """As writers do it beyond 4 GiB: which of the numbers are elsewhere is each entry's own choice."""
        array = example("f8")
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("x.npy", npy_bytes(array))
            archive.writestr("y.npy", npy_bytes(array * 2))
        expected = self.trace({"inputs": listed(array * 2)})
        others = ((b"", b""), (struct.pack("<HHI", 0x5455, 4, 7), b""), (b"", struct.pack("<HH", 0x9999, 0)),
                  (b"", struct.pack("<HHQ", 1, 8, 7)))
        for which, fields, wide_end in share(itertools.product(itertools.product((False, True), repeat=3), others, (False, True)), 5):
            with self.subTest(which=which, fields=fields, wide_end=wide_end):
                self.write("x.npz", in_64_bits(out.getvalue(), which, *fields, wide_end))
                self.assertEqual(self.trace({"inputs": {"file": "x.npz", "tensor": "y"}}), expected)

    def test_npz_from_a_stream_without_sizes_up_front(self):
        class Stream(io.RawIOBase):
            def __init__(self):
                self.content = b""

            def writable(self):
                return True

            def write(self, data):
                self.content += bytes(data)
                return len(data)

        array, stream = example("f8"), Stream()
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("x.npy", npy_bytes(array))
            archive.writestr("y.npy", npy_bytes(array * 2))
        self.write("x.npz", stream.content)
        self.compare({"inputs": {"file": "x.npz", "tensor": "x"}}, {"inputs": array})

    def test_every_dtype_of_safetensors(self):
        arrays = {kind: example(kind, (4, 4), i) for i, kind in enumerate(KINDS)}
        arrays["brain"] = (example("f4", (4, 4), 5).view("u4") & 0xFFFF0000).view("f4")
        self.write("all.safetensors", safetensors_bytes(arrays, {"format": "pt"}, brain=("brain",)))
        for name, array in arrays.items():
            with self.subTest(name=name):
                self.compare({"inputs": {"file": "all.safetensors", "tensor": name}}, {"inputs": array})

    def test_every_half_and_every_bfloat16(self):
        bits = np.arange(1 << 16, dtype="u2").reshape(256, 256)
        half = bits.view("f2").astype("f8")
        with np.errstate(invalid="ignore"):  # numpy frowns on signalling NaN
            brain = (bits.astype("u4") << 16).view("f4").astype("f8")
        raw = json.dumps({"x": {"dtype": "BF16", "shape": [256, 256], "data_offsets": [0, 1 << 17]}}).encode()
        self.write("brain.safetensors", struct.pack("<Q", len(raw)) + raw + bits.tobytes())
        self.write("half.npy", npy_bytes(bits.view("f2")))
        for name, expected in (("half.npy", half), ("brain.safetensors", brain)):
            trace = json.loads(self.trace({"queries": [[0] * 256], "keys": {"file": name}, "causal": True,
                                           "offset": -1}))
            read = from_json(next(step for step in trace["steps"] if step["id"] == "keys")["data"])
            np.testing.assert_array_equal(read, expected)

    def test_special_numbers_pass(self):
        array = np.array([[0.0, np.inf], [-np.inf, np.nan], [5e-324, -0.0]])
        self.write("x.npy", npy_bytes(array))
        self.compare({"keys": {"file": "x.npy"}}, {"keys": array}, queries=[[1, 2]])

    def test_every_place_of_a_problem(self):
        arrays = {"inputs": example("f8", (3, 4), 1), "query": example("f4", (4, 4), 2), "key": example("f2", (4, 4), 3),
                  "value": example("i2", (4, 4), 4), "output": example("u1", (4, 2), 5), "bias": example("f8", (4,), 6),
                  "open": np.tri(3, dtype=bool), "closed": np.triu(np.ones((3, 3), "u1"), 2), "add": example("f8", (3,), 7)}
        out = io.BytesIO()
        np.savez_compressed(out, **arrays)
        self.write("deep/down/all.npz", out.getvalue())
        refer = lambda name: {"file": "deep/down/all.npz", "tensor": name}
        spell = lambda name: listed(arrays[name])
        for heads in ({}, {"heads": 2}):
            problem = lambda of: {
                "inputs": of("inputs"), **heads,
                "weights": {name: of(name) for name in ("query", "key", "value", "output")},
                "biases": {"query": of("bias")},
                "mask": [{"allow": of("open")}, {"block": of("closed")}, {"add": of("add")}]}
            self.assertEqual(self.trace(problem(refer)), self.trace(problem(spell)))
        words = lambda of: {"tokens": ["a", "b", "a"], "embeddings": {"a": of("bias"), "b": of("bias")}}
        self.assertEqual(self.trace(words(refer)), self.trace(words(spell)))
        roles = lambda of: {"inputs": {"query": of("inputs"), "key": of("inputs")}}
        self.assertEqual(self.trace(roles(refer)), self.trace(roles(spell)))
        columns = lambda of: {"inputs": of("inputs"), "vectors": "columns"}
        self.assertEqual(self.trace(columns(refer)), self.trace(columns(spell)))

    def test_every_command_finds_the_files(self):
        array = example("i1")
        self.write("x.npy", npy_bytes(array))
        problem = self.write_problem({"inputs": {"file": "x.npy"}})
        for words in (("why", problem, "scores[1,2]"), ("golden", "--update", problem), ("golden", problem)):
            done = attn(*words)
            self.assertEqual((done.returncode, done.stderr), (0, ""), words)
        answers = {"schema": "attn/answers/1", "steps": {"queries": listed(array)}}
        self.write("answers.json", json.dumps(answers).encode())
        self.assertEqual(attn("check", problem, self.path("answers.json")).returncode, 0)

    def test_a_part_is_what_numpy_cuts_out(self):
        array, vector = example("f4", (6, 9), 3), example("f4", (9,), 4)
        batch = example("f4", (3, 6, 9), 5)
        parts = [({"rows": [1, 4]}, lambda a: a[..., 1:4, :]), ({"columns": [2, 9]}, lambda a: a[..., 2:9]),
                 ({"rows": [5, 6], "columns": [0, 1]}, lambda a: a[..., 5:6, 0:1]),
                 ({"take": [4, 0, 0, 5]}, lambda a: a[..., [4, 0, 0, 5], :]),
                 ({"take": [5, 1], "columns": [3, 5]}, lambda a: a[..., [5, 1], 3:5]),
                 ({"transpose": True}, lambda a: a.swapaxes(-1, -2)),
                 ({"rows": [0, 2], "transpose": True}, lambda a: a[..., 0:2, :].swapaxes(-1, -2)),
                 ({"take": [2, 0], "columns": [1, 8], "transpose": True},
                  lambda a: a[..., [2, 0], 1:8].swapaxes(-1, -2)), ({"transpose": False}, lambda a: a)]
        for numbers in (array, batch, np.asfortranarray(array), np.asfortranarray(batch)):
            self.write("x.npy", npy_bytes(numbers))
            self.write("x.safetensors", safetensors_bytes({"other": example("i4", (7, 3)), "w": numbers}))
            for save, name in ((np.savez, "plain.npz"), (np.savez_compressed, "packed.npz")):
                save(self.path(name), w=numbers)
            for part, cut in parts:
                for file in ("x.npy", "x.safetensors", "plain.npz", "packed.npz"):
                    tensor = {} if file == "x.npy" else {"tensor": "w"}
                    with self.subTest(part=part, file=file, shape=numbers.shape):
                        self.compare({"inputs": {"file": file, **tensor, **part}}, {"inputs": cut(numbers)})
        self.write("v.npy", npy_bytes(vector))
        biased = {"inputs": listed(array), "weights": {role: listed(array.T) for role in ("query", "key", "value")}}
        for bias in ({"file": "v.npy", "columns": [3, 9]}, listed(vector[3:])):
            problem = {**biased, "biases": {role: bias for role in ("query", "key", "value")}}
            traces = getattr(self, "traces", [])
            self.traces = [*traces, self.trace(problem)]
        self.assertEqual(*self.traces)

    def test_what_is_no_part_is_refused_where_it_stands(self):
        self.write("x.npy", npy_bytes(example("f8", (3, 4))))
        self.write("v.npy", npy_bytes(example("f8", (4,))))
        for part, place, said in (({"rows": [0, 4]}, "/inputs/rows", "x.npy is 3 × 4, and the part has rows up to 4"),
                                  ({"columns": [3, 5]}, "/inputs/columns", "the part has columns up to 5"),
                                  ({"take": [0, 3]}, "/inputs/take/1", "the part has row 3"),
                                  ({"take": [-1]}, "/inputs/take/0", "rows count from 0"),
                                  ({"take": []}, "/inputs/take", "takes no row"),
                                  ({"rows": [2, 2]}, "/inputs/rows", "is no range"),
                                  ({"rows": [0, 1, 2]}, "/inputs/rows", "is no range"),
                                  ({"rows": "all"}, "/inputs/rows", "integer"),
                                  ({"transpose": 1}, "/inputs/transpose", "true or false"),
                                  ({"rows": [0, 1], "take": [0]}, "/inputs", "both say which rows are meant"),
                                  ({"row": [0, 1]}, "/inputs/row", "did you mean /inputs/rows?")):
            with self.subTest(part=part):
                text = self.refusal({"inputs": {"file": "x.npy", **part}})
                self.assertIn(f"error: {place}", text)
                self.assertIn(said, text)
        for part in ({"rows": [0, 1]}, {"take": [0]}, {"transpose": True}):
            self.assertIn("v.npy is a vector, which has no rows", self.refusal({"inputs": {"file": "v.npy", **part}}))

    def test_of_a_large_file_only_the_part_is_read(self):
        rows, width = 1_000_000, 128  # 512 MB, of which almost nothing is there
        header = json.dumps({"w": {"dtype": "F32", "shape": [rows, width], "data_offsets": [0, rows * width * 4]}}).encode()
        with open(self.path("large.safetensors"), "wb") as file:
            file.write(struct.pack("<Q", len(header)) + header)
            for row in (0, 999_999):
                file.seek(8 + len(header) + row * width * 4)
                file.write(np.full(width, row + 1, "f4").tobytes())
        problem = {"inputs": {"file": "large.safetensors", "tensor": "w", "take": [999_999, 0]}}
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_inblock
        done = attn("run", self.write_problem(problem), "--only", "scores", "--format", "json", "--max-memory", "1M",
                    limit=None if SANITIZED else 400 << 20)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(json.loads(done.stdout)["steps"][0]["data"],
                         [[128e12, 128e6], [128e6, 128]])
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_inblock - before, 100_000)
        whole = {"inputs": {"file": "large.safetensors", "tensor": "w"}}
        self.assertEqual(attn("run", self.write_problem(whole), "--max-memory", "1M").returncode, 3)

    def test_a_root_may_be_named_where_tensors_are_read_from(self):
        array = example("f8")
        expected = self.trace({"inputs": listed(array)})
        self.write("models/a/x.npy", npy_bytes(array))
        self.write("work/p.json", b"")
        for file in ("../models/a/x.npy", "a/x.npy", self.path("models/a/x.npy")):
            problem = self.write_problem({"inputs": {"file": file}}, "work/p.json")
            done = attn("run", problem, "--format", "json", "--root", self.path("models"))
            self.assertEqual((done.returncode, done.stdout), (0, expected), file)
            self.assertEqual(attn("run", problem).returncode, 2)
        os.symlink(self.path("models"), self.path("work/link"))
        problem = self.write_problem({"inputs": {"file": "link/a/x.npy"}}, "work/p.json")
        self.assertEqual(attn("run", problem, "--format", "json", "--root", self.path("models")).stdout, expected)
        self.assertIn("--root DIR", attn("run", problem).stderr)
        for file in ("../secret.npy", "/etc/hostname.npy", "../models/../secret.npy"):
            self.write("secret.npy", npy_bytes(array))
            problem = self.write_problem({"inputs": {"file": file}}, "work/p.json")
            self.assertEqual(attn("run", problem, "--root", self.path("models")).returncode, 2, file)
        self.assertIn("there is no folder", attn("run", problem, "--root", self.path("nowhere")).stderr)

    def test_no_file_of_a_root_stands_in_for_one_that_is_refused_beside_the_problem(self):
        self.write("models/x.npy", npy_bytes(example("f8")))
        self.write("else/x.npy", npy_bytes(2 * example("f8")))
        for linked in (os.symlink, os.link):
            problem = self.write_problem({"inputs": {"file": "x.npy"}}, f"{linked.__name__}/p.json")
            linked(self.path("else/x.npy"), self.path(f"{linked.__name__}/x.npy"))
            for root in ([], ["--root", self.path("models")]):
                with self.subTest(linked.__name__, root=root):
                    done = attn("run", problem, *root)
                    self.assertEqual(done.returncode, 2, done.stdout)
                    self.assertIn("link" if linked is os.link else "outside", done.stderr)

    def test_no_file_of_a_root_stands_in_for_a_link_beside_the_problem_that_leads_nowhere(self):
        self.write("models/x.npy", npy_bytes(example("f8")))
        problem = self.write_problem({"inputs": {"file": "x.npy"}}, "here/p.json")
        self.assertEqual(attn("run", problem, "--root", self.path("models")).returncode, 0)
        os.symlink("gone.npy", self.path("here/x.npy"))
        done = attn("run", problem, "--root", self.path("models"))
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("x.npy", done.stderr)
        self.write("models/folder/x.npy", npy_bytes(example("f8")))
        problem = self.write_problem({"inputs": {"file": "folder/x.npy"}}, "here/p.json")
        self.assertEqual(attn("run", problem, "--root", self.path("models")).returncode, 0)
        os.symlink("gone", self.path("here/folder"))
        self.assertEqual(attn("run", problem, "--root", self.path("models")).returncode, 2)

    def test_standard_input_refers_to_the_working_directory(self):
        self.write("x.npy", npy_bytes(example("f8")))
        done = attn("run", "-", "--format", "json", cwd=self.folder, text='{"inputs": {"file": "./x.npy"}}')
        self.assertEqual(done.returncode, 0, done.stderr)


class Refused(Folder):
    """What is wrong is said with the place, the file and the reason."""

    def say(self, reference, *wanted, key="inputs"):
        said = self.refusal({key: reference})
        for text in wanted:
            self.assertIn(text, said)
        self.assertIn(f"/{key}", said)

    def test_what_is_no_array_of_numbers(self):
        class Bomb:
            def __reduce__(self):
                return (os.system, ("touch /tmp/attn-was-tricked",))

        cases = {"pickled Python objects": np.array([Bomb(), Bomb()], dtype=object), "texts": np.array(["a", "b"]),
                 "complex numbers": np.zeros(2, "c16"), "dates": np.zeros(2, "M8[D]"),
                 "several fields": np.zeros(2, [("a", "f8"), ("b", "i4")]), "bytes of no kind": np.zeros(2, "V2")}
        for reason, array in cases.items():
            out = io.BytesIO()
            np.save(out, array, allow_pickle=True)
            self.write("x.npy", out.getvalue())
            self.say({"file": "x.npy"}, "x.npy", reason)
        self.assertFalse(os.path.exists("/tmp/attn-was-tricked"))

    def test_headers_are_not_evaluated(self):
        self.write("x.npy", npy_with_header("{'descr': '<f8', 'fortran_order': False, 'shape': (2**2, 1)}\n", b"\0" * 32))
        self.say({"file": "x.npy"}, "header")
        self.write("x.npy", npy_with_header("{'descr': __import__('os').name, 'fortran_order': False, 'shape': ()}\n"))
        self.say({"file": "x.npy"}, "header")

    def test_headers_of_more_than_64_KiB_are_refused_by_their_length(self):
        for length, is_read in ((10_000, True), (65_536, True), (65_537, False)):
            header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }".ljust(length)
            with self.subTest(length):
                self.write("x.npy", b"\x93NUMPY\x02\x00" + struct.pack("<I", length) + header + bytes(32))
                if is_read:
                    self.assertEqual(self.trace({"inputs": {"file": "x.npy"}}), self.trace({"inputs": [[0, 0], [0, 0]]}))
                else:
                    self.say({"file": "x.npy"}, "x.npy has a header of 65537 bytes; up to 65536 are read")

    def test_integers_that_no_double_holds(self):
        for value, kind in ((2**53 + 1, "i8"), (-2**53 - 1, "i8"), (2**64 - 1, "u8"), (2**63 - 1, "i8")):
            array = np.array([[0, value]], dtype=kind)
            self.write("x.npy", npy_bytes(array))
            self.say({"file": "x.npy"}, str(value), "2^53")
        array = np.array([[2**53, -2**60, -2**63, 2**62 + 2**20]], dtype="i8")
        self.write("x.npy", npy_bytes(array))
        problem = {"queries": [[0, 0, 0, 0]], "keys": {"file": "x.npy"}}
        steps = json.loads(self.trace(problem))["steps"]
        self.assertEqual(next(one["data"] for one in steps if one["id"] == "keys"), [[float(x) for x in array[0]]])

    def test_which_tensor_is_meant(self):
        out = io.BytesIO()
        np.savez(out, query=np.eye(2), key=np.eye(2))
        self.write("two.npz", out.getvalue())
        self.say({"file": "two.npz"}, "2 tensors", "`query`, `key`")
        self.say({"file": "two.npz", "tensor": "quary"}, "did you mean `query`?", "/inputs/tensor")
        self.write("x.npy", npy_bytes(np.eye(2)))
        self.say({"file": "x.npy", "tensor": "x"}, 'leave "tensor" out')
        self.write("none.safetensors", safetensors_bytes({}))
        self.say({"file": "none.safetensors"}, "no tensor")
        self.say({"file": "two.npz", "tensor": 1}, "name of a tensor")
        self.say({"file": ["x.npy"]}, "path of a file")
        self.say({"file": "x.npy", "tensro": "x"}, "tensor")

    def test_booleans_are_for_masks(self):
        self.write("x.npy", npy_bytes(np.eye(2, dtype=bool)))
        self.say({"file": "x.npy"}, "booleans")
        said = self.refusal({"inputs": [[1, 0], [0, 1]], "mask": {"add": {"file": "x.npy"}}})
        self.assertIn("booleans", said)

    def test_what_is_no_file_of_tensors(self):
        self.write("x.pt", b"PK\x03\x04")
        self.say({"file": "x.pt"}, "safetensors", "run code")
        self.write("x.npy", b"PK\x03\x04 and so on")
        self.say({"file": "x.npy"}, "is no .npy file")
        self.say({"file": "missing.npy"}, "missing.npy is not there")
        os.mkdir(self.path("folder.npy"))
        self.say({"file": "folder.npy"}, "is a folder")
        os.mkfifo(self.path("pipe.npy"))
        self.say({"file": "pipe.npy"}, "pipe or a device")
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(self.path("socket.npy"))
            self.say({"file": "socket.npy"}, "socket.npy cannot be read: ", "it is no file that has a content")
        os.symlink("nowhere.npy", self.path("link.npy"))
        self.say({"file": "link.npy"}, "link.npy is not there", "paths are relative to the folder of the problem")
        with open(self.path("x.safetensors"), "wb") as file:
            file.write(struct.pack("<Q", 100_000_001))
            file.truncate(100_000_100)
        self.say({"file": "x.safetensors"}, "100000001 bytes, and no more than 100 MB are allowed")

    def test_an_array_of_no_numbers_is_empty_in_either_order(self):
        for shape, sizes in (((0,), "0"), ((0, 3), "0 × 3"), ((3, 0), "3 × 0"), ((0, 2, 3), "0 × 2 × 3"),
                             ((2, 0, 3), "2 × 0 × 3"), ((2, 3, 0), "2 × 3 × 0")):
            for order, vectors in itertools.product("CF", ("rows", "columns")):
                self.write("x.npy", npy_bytes(np.zeros(shape, order=order)))
                said = self.refusal({"inputs": {"file": "x.npy"}, "vectors": vectors})
                self.assertIn(f"/inputs is {sizes}, and holds no number", said)

    def test_no_numbers_in_many_lists_take_no_room(self):
        header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1099511627776, 0, 4), }".ljust(117) + b"\n"
        self.write("x.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)
        said = "is 1099511627776 × 0 × 4, and holds no number"
        self.assertIn("/inputs " + said, self.refusal({"inputs": {"file": "x.npy"}}))
        self.assertIn("/keys " + said, self.refusal({"queries": [[1, 2]], "keys": {"file": "x.npy"}}))

    def test_of_many_tensors_the_first_are_named(self):
        out = io.BytesIO()
        np.savez(out, **{f"t{i:02}": np.eye(2) for i in range(15)})
        self.write("x.npz", out.getvalue())
        self.say({"file": "x.npz", "tensor": "weights"}, "`t00`, `t01`", "`t11`, … (15 in all)")

    def test_nothing_outside_the_folder_is_read(self):
        inside = os.path.join(self.folder, "inside")
        os.mkdir(inside)
        self.write("outside.npy", npy_bytes(np.eye(2)))
        self.write("inside/x.npy", npy_bytes(np.eye(2)))
        self.write("inside/sub/y.npy", npy_bytes(np.eye(2)))
        os.symlink("../outside.npy", os.path.join(inside, "link.npy"))
        os.symlink("..", os.path.join(inside, "up"))
        os.symlink("/dev/zero", os.path.join(inside, "zero.npy"))
        os.symlink("circle.npy", os.path.join(inside, "circle.npy"))
        os.symlink("sub/y.npy", os.path.join(inside, "within.npy"))
        out = ["../outside.npy", os.path.join(self.folder, "outside.npy"), "link.npy", "up/outside.npy", "zero.npy",
               "sub/../../outside.npy", "/etc/passwd", "../outside.txt", os.path.join(inside, "x.npy"), "/dev/zero.npy", "../inside/../outside.npy"]
        for path in out:
            problem = self.write_problem({"inputs": {"file": path}}, "inside/problem.json")
            done = attn("run", problem, timeout=10)
            self.assertEqual(done.returncode, 2, path)
            self.assertIn("outside the folder", done.stderr, path)
        for path in ("circle.npy", "", "x.npy\0", "sub/y.npy/z.npy"):
            problem = self.write_problem({"inputs": {"file": path}}, "inside/problem.json")
            self.assertEqual(attn("run", problem, timeout=10).returncode, 2, path)
        for path in ("x.npy", "sub/../x.npy", "within.npy", "./sub//y.npy"):
            problem = self.write_problem({"inputs": {"file": path}}, "inside/problem.json")
            for words, cwd in (((problem,), None), (("problem.json",), inside), (("inside/problem.json",), self.folder)):
                self.assertEqual(attn("run", *words, cwd=cwd).returncode, 0, path)

    def test_a_hard_link_is_one_out_of_the_folder_unless_the_folder_is_named(self):
        for folder in ("inside", "other"):
            os.mkdir(self.path(folder))
        self.write("secret.npy", npy_bytes(np.eye(2)))
        os.link(self.path("secret.npy"), self.path("inside/x.npy"))
        os.symlink("x.npy", self.path("inside/link.npy"))
        for name in ("x.npy", "link.npy"):
            problem = self.write_problem({"inputs": {"file": name}}, "inside/problem.json")
            for options in ([], ["--root", self.path("other")]):
                done = attn("run", problem, *options)
                self.assertEqual(done.returncode, 2, name)
                self.assertIn("is a hard link", done.stderr)
                self.assertIn("copy it, or name the folder that it is in: --root DIR", done.stderr)
            for root in (self.path("inside"), self.folder):
                self.assertEqual(attn("run", problem, "--root", root).returncode, 0, root)
        # What is named on the command line is read whatever it is called elsewhere.
        os.link(self.write_problem({"inputs": [[1, 2]]}), self.path("same.json"))
        self.assertEqual(attn("run", self.path("same.json")).returncode, 0)
        os.unlink(self.path("secret.npy"))
        self.assertEqual(attn("run", problem).returncode, 0)

    def test_what_does_not_fit_the_memory(self):
        self.write("x.npy", npy_bytes(np.zeros((3000, 3000), "u1")))
        problem = self.write_problem({"inputs": {"file": "x.npy"}})
        done = attn("run", problem, "--max-memory", "1M")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("--max-memory", done.stderr)

    def test_no_number_is_read_before_all_shapes_fit(self):
        """Of numbers that the memory does not hold, and of a broken file, the shape is told all the same."""
        weight = {"file": "x.npz", "tensor": "x"}
        problem = self.write_problem({"inputs": [[1, 0], [0, 1]],
                                      "weights": {"query": weight, "key": weight, "value": weight}})
        out = io.BytesIO()
        np.savez_compressed(out, x=np.zeros((3, 8 << 20), "u1"))
        self.write("x.npz", out.getvalue())
        done = attn("run", problem, limit=Damaged.LIMIT)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("/weights/query has 3 rows", done.stderr)

        out = io.BytesIO()
        np.savez(out, x=np.ones((3, 4)))
        self.write("x.npz", out.getvalue().replace(np.ones(1).tobytes(), np.zeros(1).tobytes()))
        done = attn("run", problem)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("/weights/query has 3 rows", done.stderr)
        self.assertNotIn("broken", done.stderr)

    def test_all_faults_are_reported_at_once(self):
        self.write("x.npy", b"")
        said = self.refusal({"inputs": {"file": "x.npy"}, "weights": {role: {"file": "missing.npz"}
                                                                     for role in ("query", "key", "value")}})
        for wanted in ("/inputs: x.npy is empty", "/weights/query", "/weights/key", "/weights/value"):
            self.assertIn(wanted, said)


# --- damaged files ------------------------------------------------------------


def damaged(content, headers, seed):
    """What a file may become: cut at every place that matters, and bytes of its headers changed."""
    numbers = random.Random(seed)
    places = sorted({at for begin, end in headers for at in range(begin, end)})
    cuts = places[:: max(1, len(places) // 40)] + [len(content) - 1, len(content) // 2]
    for cut in sorted(set(cuts)):
        yield f"cut at {cut}", content[:cut]
    for at in places[:: max(1, len(places) // 60)]:
        for change in (numbers.randrange(1, 256), 0x80):
            yield f"byte {at} ^ {change}", content[:at] + bytes([content[at] ^ change]) + content[at + 1:]
    yield "more behind it", content + b"\0"
    yield "more before it", b"\0" + content
    yield "nothing but zeros", bytes(len(content))
    yield "nothing", b""


def lying_npy():
    base = "{'descr': '<f8', 'fortran_order': False, 'shape': %s, }\n"
    for shape in ("(1000000000000, 4)", "(4294967296, 4294967296)", "(18446744073709551615,)", "(18446744073709551616,)",
                  "(3, 4, 5)", "(-3, -4)", "(3.0, 4)", "(3, None)", "((3, 4))", "[3, 4]", "(3)", "(3 4)", "(True, 4)",
                  "(1,)" * 2, "(" + "1, " * 5000 + ")", "(0, 4294967296, 4294967296)", "'3, 4'", ""):
        yield "shape " + shape[:30], npy_with_header(base % shape, bytes(96))
    for descr in ("'<f3'", "'<f16'", "'<i9'", "'|O'", "'<f8,<f8'", "''", "'<'", "None", "['<f8']", "'f8" + "8" * 30 + "'",
                  "'<b2'", "'|S8'", "b'<f8'", "'\\x3cf8'"):
        header = "{'descr': %s, 'fortran_order': False, 'shape': (3, 4), }\n" % descr
        yield "descr " + descr[:30], npy_with_header(header, bytes(96))
    for header in ("", "{}", "[]", "{'shape': (3, 4)}", "{" * 10000, "(" * 10000,
                   "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (3, 4)}",
                   "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), 'more': 1}",
                   "{'descr': '<f8', 'fortran_order': 0, 'shape': (3, 4)}",
                   "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4)} + 1",
                   "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4)}\0"):
        yield "header " + header[:30], npy_with_header(header, bytes(96))
    yield "version 4", npy_bytes(np.eye(2)).replace(b"\x01\x00", b"\x04\x00", 1)
    yield "a header as long as the world", b"\x93NUMPY\x02\x00\xff\xff\xff\xff" + bytes(100)
    yield "a long header that is there", b"\x93NUMPY\x02\x00" + struct.pack("<I", 2_000_000) + b" " * 2_000_000
    yield "booleans that are none", npy_bytes(np.zeros((2, 2), bool))[:-1] + b"\x07"


def lying_npz():
    plain = npy_bytes(np.arange(12.0).reshape(3, 4))

    def packed(*entries, method=zipfile.ZIP_DEFLATED, comment=b""):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", method) as archive:
            for name, content in entries:
                archive.writestr(name, content)
            archive.comment = comment
        return out.getvalue()

    def with_sizes(content, packed_size=None, size=None):
        """The sizes of the only entry replaced, in both headers."""
        content = bytearray(content)
        for at, magic in ((18, b"PK\3\4"), (20, b"PK\1\2")):
            place = content.index(magic) + at
            if packed_size is not None:
                content[place:place + 4] = struct.pack("<I", packed_size)
            if size is not None:
                content[place + 4:place + 8] = struct.pack("<I", size)
        return bytes(content)

    bomb = b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + (
        b"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }".ljust(117) + b"\n") + bytes(300_000_000)
    yield "a bomb behind a small array", packed(("x.npy", bomb))
    yield "a bomb that says it is small", with_sizes(packed(("x.npy", bomb)), size=224)
    yield "a bomb that says it is large", with_sizes(packed(("x.npy", plain)), size=0xFFFFFFF0)
    yield "stored, and more than there is", with_sizes(packed(("x.npy", plain), method=0), 0x7FFFFFFF, 0x7FFFFFFF)
    yield "a name twice", packed(("x.npy", plain), ("x", plain))
    yield "bzip2", packed(("x.npy", plain), method=zipfile.ZIP_BZIP2)
    yield "lzma", packed(("x.npy", plain), method=zipfile.ZIP_LZMA)
    yield "no array", packed(("x.npy", b"text"))
    yield "an entry of nothing", packed(("x.npy", b""))
    yield "no entry", packed()
    yield "NUL in the name", packed(("x.npy", plain)).replace(b"x.npy", b"x\0npy")
    yield "encrypted", bytes(packed(("x.npy", plain)).replace(b"PK\1\2\x14\x03\x14\0\0\0", b"PK\1\2\x14\x03\x14\0\1\0")
                             .replace(b"PK\3\4\x14\0\0\0", b"PK\3\4\x14\0\1\0"))
    yield "many ends", packed(("x.npy", plain), comment=(b"PK\5\6" + bytes(18)) * 2000)
    end = b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 0xFFFF, 0xFFFF, 100, 0, 0)
    yield "more entries than bytes", bytes(100) + end
    wide = b"PK\6\6" + struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, 1 << 60, 1 << 60, 100, 0)
    locator = b"PK\6\7" + struct.pack("<IQI", 0, 100, 1)
    yield "2^60 entries", bytes(100) + wide + locator + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, *[0xFFFF] * 2,
                                                                              *[0xFFFFFFFF] * 2, 0)
    one = packed(("x.npy", plain))
    header, entry = one.index(b"PK\3\4"), one.index(b"PK\1\2")
    yield "a header of another name", one[:header + 30] + b"y.npy" + one[header + 35:]
    yield "a header that is packed otherwise", one[:header + 8] + b"\0\0" + one[header + 10:]
    yield "a header of another size", one[:header + 22] + b"\1\0\0\0" + one[header + 26:]
    yield "a header that is none", b"PK\3\5" + one[4:]
    yield "a header beyond the file", one[:entry + 42] + struct.pack("<I", len(one) - 10) + one[entry + 46:]
    yield "an end within the comment of the other", packed(("x.npy", plain), comment=b"PK\5\6" + bytes(18))
    yield "an entry in 64 bits that are not there", one[:entry + 42] + b"\xff" * 4 + one[entry + 46:]
    for which in ((True, True, True), (False, True, True), (False, False, True)):
        yield f"64 bits of which some are missing {which}", in_64_bits(one, which, cut=8)
        yield f"64 bits of which one byte is missing {which}", in_64_bits(one, which, cut=1)
    yield "a field that is longer than all fields", in_64_bits(one, (False, False, True), before=struct.pack("<HH", 7, 99))
    broken = bytearray(packed(("x.npy", plain), method=0))
    broken[broken.index(b"PK\1\2") - 3] ^= 1
    yield "a checksum that does not fit", bytes(broken)


def lying_safetensors():
    def file(header, data=bytes(96)):
        text = header if isinstance(header, bytes) else json.dumps(header).encode()
        return struct.pack("<Q", len(text)) + text + data

    entry = lambda begin, end, shape=(3, 4), dtype="F64": {"dtype": dtype, "shape": list(shape), "data_offsets": [begin, end]}
    for length in (0, 1, 7, 95, 1 << 20, 1 << 40, (1 << 64) - 1, (1 << 64) - 8):
        yield f"header of {length} bytes", struct.pack("<Q", length) + file({"x": entry(0, 96)})[8:]
    for reason, header in {
        "a hole": {"x": entry(0, 48, (6,)), "y": entry(56, 96, (5,))},
        "an overlap": {"x": entry(0, 96), "y": entry(48, 96, (6,))},
        "the end before the beginning": {"x": entry(96, 0)},
        "beyond the file": {"x": entry(0, 104, (13,))},
        "bytes of nobody": {"x": entry(0, 88, (11,))},
        "a size that is not the shape's": {"x": entry(0, 96, (3, 5))},
        "a shape beyond all": {"x": entry(0, 96, (1 << 40, 1 << 40))},
        "a negative size": {"x": entry(0, 96, (-3, -4))},
        "a fraction": {"x": {"dtype": "F64", "shape": [3, 4], "data_offsets": [0, 96.5]}},
        "a number that is no integer": {"x": {"dtype": "F64", "shape": [3, 4], "data_offsets": [0, 1 << 70]}},
        "three offsets": {"x": {"dtype": "F64", "shape": [3, 4], "data_offsets": [0, 48, 96]}},
        "one offset": {"x": {"dtype": "F64", "shape": [3, 4], "data_offsets": [0]}},
        "no dtype": {"x": {"shape": [3, 4], "data_offsets": [0, 96]}},
        "no shape": {"x": {"dtype": "F64", "data_offsets": [0, 96]}},
        "another dtype": {"x": entry(0, 96, (96,), "F8_E4M3")},
        "a dtype that is a number": {"x": {"dtype": 64, "shape": [3, 4], "data_offsets": [0, 96]}},
        "a dtype that is null": {"x": {"dtype": None, "shape": [3, 4], "data_offsets": [0, 96]}},
        "a shape that is true": {"x": {"dtype": "F64", "shape": True, "data_offsets": [0, 96]}},
        "a size that is a text": {"x": {"dtype": "F64", "shape": ["3", 4], "data_offsets": [0, 96]}},
        "a size that is an object": {"x": {"dtype": "F64", "shape": [{}, 4], "data_offsets": [0, 96]}},
        "a tensor that is a text": {"x": "F64"},
        "a tensor that is null": {"x": None},
        "one thing more": {"x": {**entry(0, 96), "more": 1}},
        "a tensor that is a list": {"x": [entry(0, 96)]},
        "a list of lists": {"x": {"dtype": "F64", "shape": [[3, 4]], "data_offsets": [0, 96]}},
        "metadata that is no text": {"__metadata__": {"a": 1}, "x": entry(0, 96)},
        "metadata that is a list": {"__metadata__": [], "x": entry(0, 96)},
        "a name with NUL": {"x\0y": entry(0, 96)},
        "no tensor but bytes": {},
    }.items():
        yield reason, file(header)
    one = json.dumps(entry(0, 96))
    for reason, header in {
        "a name twice": f'{{"x": {one}, "x": {one}}}', "a key twice": f'{{"x": {one[:-1]}, "dtype": "F64"}}}}',
        "metadata twice": f'{{"__metadata__": {{}}, "__metadata__": {{}}, "x": {one}}}',
        "no JSON": "{x}", "a list": "[]", "nothing": "", "more after it": f'{{"x": {one}}}x', "blank before": f' {{"x": {one}}}',
        "deep lists": '{"x":' + "[" * 100000, "deep objects": '{"x":' * 100000,
        "a surrogate": f'{{"\\ud800": {one}}}', "padded with NUL": f'{{"x": {one}}}\0\0\0',
        "more behind a NUL": f'{{"x": {one}}}\0, "y": {one}}}',
    }.items():
        yield reason, file(header.encode())
    yield "no UTF-8", file(b'{"\xff": ' + one.encode() + b"}")


def broken_npz():
    """Archives that contradict themselves, each with what is said of it."""
    plain = npy_bytes(np.arange(12.0).reshape(3, 4))

    def packed(*names, content=plain, method=zipfile.ZIP_STORED):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", method) as archive:
            for name in names:
                archive.writestr(name, content)
        return bytearray(out.getvalue())

    def changed(content, magic, at, form, *numbers):
        struct.pack_into("<" + form, content, content.index(magic) + at, *numbers)
        return content

    def deflated(raw, says):
        """The packed bytes in an archive which says that they unpack to others."""
        content = packed("x.npy", content=raw)
        for magic, at in ((b"PK\3\4", 8), (b"PK\1\2", 10)):
            changed(content, magic, at, "H", zipfile.ZIP_DEFLATED)
            changed(content, magic, at + 6, "I", zlib.crc32(says))
            changed(content, magic, at + 14, "I", len(says))
        return content

    def flushed(content):
        packer = zlib.compressobj(wbits=-15)
        return packer.compress(content) + packer.flush(zlib.Z_SYNC_FLUSH)

    yield changed(packed("x" * 60 + ".npy"), b"PK\5\6", 8, "HH", 2, 2), "fewer entries than it says"
    yield changed(packed("x.npy", "y.npy"), b"PK\5\6", 8, "HH", 1, 1), "more than its entries"
    wide = bytearray(in_64_bits(bytes(packed("x.npy")), (True, True, True)))
    yield changed(wide[:], b"PK\6\7", 8, "Q", len(wide) - 10), "its end points beyond the file"
    yield changed(wide[:], b"PK\6\7", 8, "Q", len(wide) + 1), "its end points beyond the file"
    yield changed(wide[:], b"PK\6\7", 8, "Q", 0), "its end points to something else"
    yield changed(wide[:], b"PK\5\6", 8, "HH", 2, 2), "its two ends contradict"
    yield changed(wide[:], b"PK\5\6", 8, "HH", 1, 1), None
    yield changed(packed("x.npy"), b"PK\3\4", 6, "H", 1), "its header is not what the directory says"
    for at, number in ((14, zlib.crc32(plain) ^ 1), (18, len(plain) + 1), (22, len(plain) + 1)):
        yield changed(packed("x.npy"), b"PK\3\4", at, "I", number), "its header is not what the directory says"
    yield deflated(flushed(plain) + b"\3\0", plain), None
    yield deflated(flushed(plain) + b"\7", plain), "it cannot be unpacked"
    yield deflated(flushed(plain + b"x") + b"\7", plain), "it cannot be unpacked"
    start = b"\x93NUMPY\2\0\x76\0\0"
    yield deflated(flushed(start) + b"\3\0", start + plain), f"it ends {len(plain)} bytes early"


class Damaged(Folder):
    """Hundreds of damaged files: refused with a reason, or read as what they say; never more."""

    # Of address space, of which the program and its libraries take some 20 MiB: 64 MiB are left.
    LIMIT = 84 << 20

    def try_all(self, name, cases, must_refuse=False):
        problem = self.write_problem({"inputs": {"file": name}})
        count = 0
        for what, content in share(cases, 3):
            self.write(name, content)
            done = attn("run", problem, "--explain", "result", limit=self.LIMIT, timeout=20)
            with self.subTest(file=name, what=what):
                self.assertIn(done.returncode, (2,) if must_refuse else (0, 2), done.stderr)
                if done.returncode == 2:
                    self.assertIn("error: /inputs", done.stderr)
                    self.assertEqual(done.stdout, "")
            count += 1
        return count

    def test_damaged_files(self):
        array = np.arange(12.0).reshape(3, 4)
        npy = npy_bytes(array)
        count = self.try_all("x.npy", damaged(npy, [(0, 128)], 1))

        safe = safetensors_bytes({"x": array}, {"format": "pt"})
        count += self.try_all("x.safetensors", damaged(safe, [(0, len(safe) - 96)], 2))

        for save in (np.savez, np.savez_compressed):
            out = io.BytesIO()
            save(out, x=array)
            packed = out.getvalue()
            directory = packed.index(b"PK\1\2")
            count += self.try_all("x.npz", damaged(packed, [(0, 64), (directory - 8, len(packed))], 3))
        self.assertGreaterEqual(count, 130 if SLOW else 400)

    @unittest.skipIf(SANITIZED, "sanitizers take memory of their own")
    def test_memory_that_is_short_is_no_fault_of_the_file(self):
        out = io.BytesIO()
        np.savez_compressed(out, x=np.zeros((4, 20_000_000)))  # which needs 610 MiB
        self.write("x.npz", out.getvalue())
        problem = self.write_problem({"queries": {"file": "x.npz"}, "keys": {"file": "x.npz"}})
        for limit in (self.LIMIT, 200 << 20, 400 << 20):
            with self.subTest(limit=limit):
                done = attn("run", problem, "--only", "result", "--max-memory", "4G", limit=limit)
                self.assertEqual((done.returncode, done.stdout), (3, ""))
                self.assertTrue(done.stderr.startswith("attn: error: memory is short\n"), done.stderr)

    def test_files_that_lie(self):
        count = sum(self.try_all(name, cases, must_refuse=True)
                    for name, cases in (("x.npy", lying_npy()), ("x.npz", lying_npz()),
                                        ("x.safetensors", lying_safetensors())))
        self.assertGreaterEqual(count, 30 if SLOW else 90)

    def test_of_a_broken_archive_it_is_said_what_is_broken(self):
        problem = self.write_problem({"inputs": {"file": "x.npz"}})
        for content, said in broken_npz():
            self.write("x.npz", content)
            done = attn("run", problem)
            with self.subTest(said=said):
                self.assertEqual(done.returncode, 2 if said else 0, done.stderr)
                self.assertIn(said or "", done.stderr)

    def test_damage_never_passes_for_the_truth(self):
        """Of an archive every byte of the numbers is under a checksum."""
        array = np.arange(12.0).reshape(3, 4)
        out = io.BytesIO()
        np.savez(out, x=array)
        content = bytearray(out.getvalue())
        problem = self.write_problem({"inputs": {"file": "x.npz"}})
        first = bytes(content).index(array.tobytes())
        for at in range(first, first + 96, 7):
            changed = bytearray(content)
            changed[at] ^= 0x10
            self.write("x.npz", bytes(changed))
            done = attn("run", problem)
            self.assertEqual(done.returncode, 2)
            self.assertIn("broken entry x", done.stderr)


# --- what is written ------------------------------------------------------------


class Written(Folder):
    """`-o x.npz`, `-o x.safetensors`: every step under its id, bit by bit."""

    def problems(self):
        return [os.path.join(DATA, name) for name in sorted(os.listdir(DATA))
                if name.endswith(".json") and not name.endswith(".golden.json")]

    def written(self, problem, *words):
        npz, safe = self.path("trace.npz"), self.path("trace.safetensors")
        done = attn("run", problem, "-o", npz, "-o", safe, "-o", self.path("trace.json"), *words)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""), problem)
        with open(self.path("trace.json"), encoding="utf-8") as file:
            trace = json.load(file)
        with open(safe, "rb") as file:
            metadata, tensors = read_safetensors(file.read())
        with np.load(npz) as archive:
            arrays = {name: archive[name] for name in archive.files}
        return trace, arrays, metadata, tensors

    def test_every_step_of_every_problem_in_every_dtype(self):
        kinds = (("f64", "<f8"), ("f32", "<f4"), ("bf16", "<f4"), ("f16", "<f2"))
        for i, problem in enumerate(self.problems()):
            # With sanitizers, which are slow, a kind a problem.
            for dtype, stored in kinds[i % 4:i % 4 + 1] if SLOW else kinds:
                if attn("run", problem, "--dtype", dtype, "-o", self.path("it.json")).returncode != 0:
                    continue
                with self.subTest(problem=problem, dtype=dtype):
                    trace, arrays, metadata, tensors = self.written(problem, "--dtype", dtype)
                    ids = [step["id"] for step in trace["steps"]]
                    self.assertEqual(list(arrays), ids)
                    self.assertEqual(sorted(tensors), sorted(ids))
                    for step in trace["steps"]:
                        expected = from_json(step["data"])
                        self.assertEqual(arrays[step["id"]].dtype, np.dtype(stored))
                        for read in (arrays[step["id"]], tensors[step["id"]]):
                            self.assertEqual(list(read.shape), step["shape"])
                            np.testing.assert_array_equal(read.astype("f8"), held(expected, dtype))

    def test_the_words_of_a_trace_are_in_the_metadata(self):
        trace, _, metadata, _ = self.written(os.path.join(DATA, "masks-together.json"), "--hand-rounding", "2")
        for word in ("schema", "title", "statement", "backend", "result"):
            self.assertEqual(metadata[word], trace[word])
        self.assertEqual(metadata["dtype"], trace["arithmetic"]["dtype"])
        self.assertEqual(metadata["hand_rounding"], trace["arithmetic"]["hand_rounding"])
        self.assertEqual(json.loads(metadata["axes"]), {step["id"]: step["axes"] for step in trace["steps"]})

    def test_no_output_replaces_the_numbers_that_a_problem_reads(self):
        for name, save in (("x.npz", lambda path: np.savez(path, x=np.eye(3))),
                           ("x.safetensors", lambda path: self.write(os.path.basename(path), safetensors_bytes({"x": np.eye(3)})))):
            save(self.path(name))
            with open(self.path(name), "rb") as file:
                before = file.read()
            problem = self.write_problem({"inputs": {"file": name}})
            link = self.path("link" + os.path.splitext(name)[1])
            os.symlink(self.path(name), link)
            for words in (("run", problem), ("run", problem, "--at-once")):
                for output in (self.path(name), link):
                    done = attn(*words, "-o", output)
                    self.assertEqual((done.returncode, done.stdout), (2, ""))
                    self.assertIn("would replace", done.stderr)
            with open(self.path(name), "rb") as file:
                self.assertEqual(file.read(), before)

    def test_only_picks_whole_steps(self):
        problem = os.path.join(DATA, "worked-example.json")
        _, arrays, _, tensors = self.written(problem, "--only", "scores,result")
        self.assertEqual(list(arrays), ["scores", "context"])
        self.assertEqual(sorted(tensors), ["context", "scores"])

    def test_the_same_bytes_each_time(self):
        problem = os.path.join(DATA, "worked-example.json")
        for ending in ("npz", "safetensors"):
            contents = []
            for name in ("first", "second"):
                self.assertEqual(attn("run", problem, "-o", self.path(f"{name}.{ending}")).returncode, 0)
                with open(self.path(f"{name}.{ending}"), "rb") as file:
                    contents.append(file.read())
            self.assertEqual(*contents)

    def test_a_pipe_gets_bytes_and_a_terminal_none(self):
        problem = os.path.join(DATA, "worked-example.json")
        for name in ("npz", "safetensors"):
            done = subprocess.run([ATTN, "run", problem, "--format", name], capture_output=True, timeout=60)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            self.assertEqual(attn("run", problem, "-o", self.path("x." + name)).returncode, 0)
            with open(self.path("x." + name), "rb") as file:
                self.assertEqual(file.read(), done.stdout)
            leader, follower = os.openpty()
            self.addCleanup(os.close, leader)
            done = subprocess.run([ATTN, "run", problem, "--format", name], stdout=follower, stderr=subprocess.PIPE,
                                  timeout=60)
            os.close(follower)
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"-o trace." + name.encode(), done.stderr)

    def test_what_is_written_can_be_read_again(self):
        problem = os.path.join(DATA, "worked-example.json")
        for name in ("npz", "safetensors"):
            self.assertEqual(attn("run", problem, "-o", self.path("x." + name)).returncode, 0)
            again = json.loads(self.trace({role: {"file": "x." + name, "tensor": role}
                                           for role in ("queries", "keys", "values")} | {"score": "dot"}))
            trace = json.loads(attn("run", problem, "--format", "json").stdout)
            results = [next(step["data"] for step in one["steps"] if step["id"] == "context") for one in (again, trace)]
            self.assertEqual(*results)


if __name__ == "__main__":
    unittest.main()
