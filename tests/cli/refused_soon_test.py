"""What is refused is refused soon, whatever it is and however large: in 100 ms and 20 ns a byte of the
processor's time, and in 64 MiB and twice the files. A limit that is met names the option that raises it.

Each problem is hostile in one respect: it is large, or says that it is; it has a fault at its end, or
millions of faults. Of the time four times as much is let pass: whoever runs tests does other things too, on any machine.
"""

import io
import json
import os
import random
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "property"))

from slow import SLOW as SANITIZED  # noqa: E402

ATTN = os.path.abspath(os.environ["ATTN"])
MIB = 1 << 20
DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "data")
LARGE = 8 * MIB
PATIENCE = 4

# Runs a program from a process that is small: what a large one had counts as the program's, too.
MEASURE = """
import os, sys
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ,
                     file_actions=[(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)])
_, status, usage = os.wait4(pid, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)
"""

SQUARE = [[1, 0], [0, 1]]
SMALL = {"inputs": SQUARE}
RANDOM = {"random": "normal", "shape": [1_000_000, 1_000_000], "seed": 1}


def filled(piece, size=LARGE):
    """The piece so often that it takes that many bytes."""
    return piece * (size // len(piece))


def npy(shape, numbers=b""):
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".ljust(117).encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + numbers


def npz_of_zeros(size, columns=1024):
    """An archive whose array unpacks to a thousand times what it takes."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        with archive.open("x.npy", "w", force_zip64=True) as array:
            array.write(npy((size // 8 // columns, columns)))
            for _ in range(size // MIB):
                array.write(bytes(MIB))
    return made.getvalue()


def npz_of_headers(count, length):
    """An archive of many small arrays, each with a long header, which is packed to a thousandth of it."""
    header = npy((2, 2))[10:].ljust(length)
    array = b"\x93NUMPY\x02\x00" + struct.pack("<I", len(header)) + header + bytes(32)
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for i in range(count):
            archive.writestr(f"x{i}.npy", array)
    return made.getvalue()


def npz_that_lies(size):
    """One that says to unpack to much more than it does."""
    packed = zlib.compress(npy((2, 2), bytes(32)))[2:-4]
    name = b"x.npy"
    local = struct.pack("<IHHHHHIIIHH", 0x04034B50, 20, 0, 8, 0, 0, 0, len(packed), size, len(name), 0) + name
    central = struct.pack("<IHHHHHHIIIHHHHHII", 0x02014B50, 20, 20, 0, 8, 0, 0, 0, len(packed), size, len(name), 0, 0, 0,
                          0, 0, 0) + name
    end = struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 1, 1, len(central), len(local) + len(packed), 0)
    return local + packed + central + end


def safetensors(header, length=None):
    return struct.pack("<Q", len(header) if length is None else length) + header


def empty_tensors(count, letters=0):
    """Tensors without numbers: their file is nothing but its header."""
    empty = {"dtype": "F64", "shape": [0], "data_offsets": [0, 0]}
    return safetensors(json.dumps({f"t{i:0{letters}}": empty for i in range(count)}).encode())


def of_one_hash():
    """20,000 texts of letters, of which the standard library of GNU makes one hash each time: it goes through eight
    bytes at a time (MurmurHash64A) and can be gone back, and blocks that lead to the same state may follow each other."""
    factor, word = 0xC6A4A7935BD1E995, (1 << 64) - 1
    back = pow(factor, -1, 1 << 64)
    letters = bytes(range(97, 123)) + bytes(range(65, 91)) + bytes(range(48, 58)) + bytes(range(35, 48)) + b"<=>?@_|~!"
    length, draw = 64, random.Random(1)

    def stirred(block, by):
        product = block * by & word
        return (product ^ product >> 47) * by & word

    def blocks(state):
        found = set()
        while len(found) < 12:
            first = bytes(draw.choices(letters, k=8))
            between = (state ^ stirred(int.from_bytes(first, "little"), factor)) * factor & word
            second = stirred(between, back).to_bytes(8, "little")
            if all(letter in letters for letter in second):
                found.add((first + second).decode())
        return sorted(found)

    first, then = blocks(0xC70F6907 ^ length * factor & word), blocks(0)
    return [a + b + c + d for a in first for b in then for c in then for d in then]


ONE_HASH = of_one_hash()


def misspelt(key):
    """A thousand members whose keys mean that one."""
    draw = random.Random(1)
    spellings = set()
    while len(spellings) < 1000:
        spellings.add(b"".join(bytes([c]) + draw.choice([b"", b"-", b"_", b"--", b"-_", b"_-"]) for c in key))
    return b"".join(b'"%s":[[1]],' % spelling for spelling in sorted(spellings - {key}))


def numbered(member, count, first=b""):
    """An object of as many members."""
    return b"{" + first + b",".join(member % i for i in range(count)) + b"}"


# Each a text of a problem, or a problem, and what files beside it hold.
HOSTILE = {
    "nothing but brackets": (filled(b"["), {}),
    "brackets behind a key": (b'{"inputs": ' + filled(b"["), {}),
    "braces": (filled(b'{"inputs":'), {}),
    "a text without end": (b'{"title": "' + filled(b"a"), {}),
    "a text of escapes without end": (b'{"title": "' + filled(b"\\u0000"), {}),
    "a number without end": (b'{"inputs": [[' + filled(b"1"), {}),
    "a number of a million digits": (b'{"inputs": [[' + filled(b"1", MIB) + b"]]}", {}),
    "a comment without end": (filled(b"// x\n") + b"//", {}),
    "blanks": (filled(b" "), {}),
    "line ends": (filled(b"\n"), {}),
    "bytes of 0": (bytes(LARGE), {}),
    "bytes that are no UTF-8": (b'{"title": "' + filled(b"\xff") + b'"}', {}),
    "one byte that is no UTF-8, at the end": (b'{"title": "' + filled(b"a") + b'\xff"}', {}),
    "a problem that is cut short": (b'{"inputs": [' + filled(b"[1, 2], "), {}),
    "a fault behind a million numbers": (b'{"inputs": [' + filled(b"[1, 2], ") + b'[1, "x"]]}', {}),
    "rows of which each is wrong": (b'{"inputs": [' + filled(b"[1, 2], [3], ") + b"[1, 2]]}", {}),
    "words in place of numbers": (b'{"inputs": [' + filled(b'["x", "y"], ') + b"[1, 2]]}", {}),
    "numbers beyond all numbers": (b'{"inputs": [' + filled(b"[1e999999999, -1e999999999], ") + b"[1, 2]]}", {}),
    "unknown keys": (b"{" + b", ".join(b'"key%d": 1' % i for i in range(100_000)) + b', "inputs": [[1]]}', {}),
    "unknown keys without end": (numbered(b'"k%06x":0', 700_000), {}),
    "unknown keys without end, with an escape": (numbered(b'"k%06x\\n":0', 700_000), {}),
    "a key that is misspelt in a thousand ways beside free ones without end": (
        numbered(b'"x-%x":0', 400_000, first=misspelt(b"inputs")), {}),
    "the same, and an escape in each free one": (numbered(b'"x-\\n%05x":0', 500_000, first=misspelt(b"inputs")), {}),
    "a weight that is misspelt in a thousand ways beside free ones": (
        b'{"inputs": [[1]], "weights": ' + numbered(b'"x-\\n%05x":0', 100_000, first=misspelt(b"query")) + b"}", {}),
    "unknown keys of a file": (b'{"inputs": ' + numbered(b'"k%06x":0', 700_000, b'"file":"x.npy",') + b"}", {}),
    "embeddings that are one number each": (
        b'{"tokens": ["a"], "embeddings": ' + numbered(b'"k%06x":0', 700_000) + b"}", {}),
    "a token beside as many embeddings as fit": (
        b'{"tokens": ["a"], "embeddings": ' + numbered(b'"k%06x":[0]', 700_000) + b"}", {}),
    "unknown keys of a block": (
        dict(SMALL, block=dict({f"key{i}": 1 for i in range(200_000)}, layers=[{"self": {}}])), {}),
    "objects in place of numbers": (
        dict(SMALL, weights={key: {f"key{i}": 1 for i in range(200_000)} for key in ("query", "key", "value")}), {}),
    "one key, given again and again": (b"{" + filled(b'"inputs": [[1]], ') + b'"inputs": [[1]]}', {}),
    "a letter with marks without end before a fault": (b'{"inputs": [[1, "e' + filled("\u0301".encode()) + b'"]]}', {}),
    "marks without end before the end": (b'{"title": "e' + filled("\u0301".encode()) + b'", "inputs": [[1, "x"]]}', {}),
    "masks of a file that is not there": (dict(SMALL, mask=[{"add": {"file": "gone.npy"}}] * 100_000), {}),
    "masks that are nothing, as short as can be": (b'{"inputs":[[1]],"mask":[' + filled(b"{},") + b"{}]}", {}),
    "expressions without end before a fault": (b'{"inputs":[[' + filled(b'"1/3",') + b'"x"]]}', {}),
    "unknown parameters of a score": (
        b'{"inputs":[[1]],"score":' + numbered(b'"k%06x":0', 700_000, b'"type":"dot",') + b"}", {}),
    "references into one file": (dict(SMALL, mask=[{"add": {"file": "x.npy"}}] * 1_000), {"x.npy": npy((2, 3), bytes(48))}),
    "a path of many folders": ({"inputs": {"file": "x/" * (LARGE // 2) + "x.npy"}}, {}),
    "a path of many folders below a root": ({"inputs": {"file": "x/" * (LARGE // 2) + "x.npy"}}, {}, "--root", "."),
    "files that are not there among many": (
        dict(SMALL, mask=[{"add": {"file": f"gone{i:048}.npy"}} for i in range(1_000)]),
        {f"file{i:048}.npy": b"" for i in range(1_000)}),
    "tensors that are not there among many": (
        dict(SMALL, mask=[{"add": {"file": "x.safetensors", "tensor": f"t{i:050}z"}} for i in range(1_000)]),
        {"x.safetensors": empty_tensors(10_000, 50)}),
    "references into one file by many names": (
        dict(SMALL, mask=[{"add": {"file": "./" * i + "x.safetensors", "tensor": "t1"}} for i in range(1_000)]),
        {"x.safetensors": empty_tensors(10_000)}),
    "references into many files in turn": (
        dict(SMALL, mask=[{"add": {"file": f"x{i % 20}.safetensors", "tensor": "t1"}} for i in range(1_000)]),
        {f"x{i}.safetensors": empty_tensors(20_000) for i in range(20)}),
    "references into a file whose header is broken at its end": (
        dict(SMALL, mask=[{"add": {"file": "x.safetensors", "tensor": f"t{i}"}} for i in range(1_000)]),
        {"x.safetensors": empty_tensors(10_000) + b"\0"}),
    "unknown words for a score": (dict(SMALL, score="x" * LARGE), {}),
    "a token beside many embeddings": (
        {"tokens": ["t1", "unknown"], "embeddings": {f"t{i}": [1, 0] for i in range(300_000)}}, {}),
    "keys that all have one hash": ({key: 1 for key in ONE_HASH}, {}),
    "embeddings of tokens that all have one hash": (
        {"tokens": ["unknown"], "embeddings": {key: [1, 0] for key in ONE_HASH}}, {}),
    "tokens that have no embedding": ({"tokens": [f"t{i}" for i in range(500_000)], "embeddings": {"a": [1, 2]}}, {}),
    "masks that do not fit": (dict(SMALL, mask=[{"block": [[0, 1, 0]]}] * 100_000), {}),
    "layers that are nothing": (dict(SMALL, block={"layers": [{}] * 500_000}), {}),
    "a layer that is repeated": (dict(SMALL, block={"layers": [{"repeat": 10**15}]}), {}),
    "heads": (dict(SMALL, heads=10**15), {}),
    "random numbers": ({"inputs": RANDOM}, {}),
    "random numbers whose count is beyond all counts": ({"inputs": dict(RANDOM, shape=[2**40] * 8)}, {}),
    "random numbers that would do, and scores that would not": (
        {"queries": dict(RANDOM, shape=[2_000_000, 64]), "keys": dict(RANDOM, shape=[2_000_000, 64], seed=2)}, {}),
    "random numbers for each of many": ({"inputs": [RANDOM] * 100_000}, {}),
    "an array that says it is large": ({"inputs": {"file": "x.npy"}}, {"x.npy": npy((2**40, 2**20))}),
    "an array with too many numbers": ({"inputs": {"file": "x.npy"}}, {"x.npy": npy((2, 2), bytes(LARGE))}),
    "an array that unpacks to 1 GiB": ({"inputs": {"file": "x.npz"}}, {"x.npz": npz_of_zeros(1 << 30)},
                                       "--max-memory", "100M"),
    "an array that unpacks to 1 GiB, which would do, and scores that would not": (
        {"inputs": {"file": "x.npz"}}, {"x.npz": npz_of_zeros(1 << 30)}),
    "the same for a mask": (
        {"queries": dict(RANDOM, shape=[16_384, 8192]), "keys": dict(RANDOM, shape=[16_384, 8192], seed=2),
         "mask": {"allow": {"file": "x.npz"}}}, {"x.npz": npz_of_zeros(1 << 31, 16_384)}, "--max-memory", "3G"),
    "an archive that says it unpacks to 4 GiB": ({"inputs": {"file": "x.npz"}}, {"x.npz": npz_that_lies(0xFFFFFFF0)}),
    "a header that says it is large": ({"inputs": {"file": "x.safetensors"}}, {"x.safetensors": safetensors(b"{", 2**60)}),
    "a header of brackets": ({"inputs": {"file": "x.safetensors"}}, {"x.safetensors": safetensors(filled(b"["))}),
    "a header of tensors that are not there": (
        {"inputs": {"file": "x.safetensors"}},
        {"x.safetensors": safetensors(json.dumps({f"t{i}": {"dtype": "F64", "shape": [9], "data_offsets": [0, 72]}
                                                  for i in range(50_000)}).encode())}),
}

def tokenizer(model, **more):
    return {"tokenizer.json": json.dumps({"added_tokens": [], "model": model, **more}).encode()}


def letters(**more):
    return tokenizer({"type": "BPE", "vocab": {"a": 0}, "merges": []}, **more)


# Ids that the standard library's table of so many places keeps in one; and merges whose pairs, as one number, it would.
PLACES = 42_043
COLLIDING = [i * PLACES for i in range(40_000)]


def colliding_merges():
    pairs = [(left, -(left << 32) % PLACES) for left in range(40_000)]
    vocabulary = [f"t{i}" for i in range(PLACES)]
    vocabulary += sorted({f"t{left}t{right}" for left, right in pairs})
    return {"type": "BPE", "vocab": {token: i for i, token in enumerate(vocabulary)},
            "merges": [f"t{left} t{right}" for left, right in pairs] + ["no token"]}


def a_million_merges():
    characters = [chr(0x4E00 + i) for i in range(1000)]
    pairs = [(one, other) for one in characters for other in characters]
    vocabulary = characters + [one + other for one, other in pairs]
    return {"type": "BPE", "vocab": {token: i for i, token in enumerate(vocabulary)},
            "merges": [f"{one} {other}" for one, other in pairs] + ["no token"]}


IMPORTED = ["import", ".", "--text", "a"]

# The same of files that are given with a problem, or without one: the words, and what the files hold.
HOSTILE_BESIDE = {
    "answers to a step with a long name": (["check", "p.json", "a.json"], {"a.json": b'{"steps": {"' + filled(b"x") + b'": [1]}}'}),
    "typed answers to one": (["check", "p.json", "a.txt"], {"a.txt": filled(b"x") + b" = 1\n"}),
    "points for a step with a long name": (["grade", "p.json", "p.json", "--scheme", "s.json"],
                                           {"s.json": b'{"points": {"' + filled(b"x") + b'": 1}}'}),
    "deductions for what is no mistake": (
        ["grade", "p.json", "p.json", "--scheme", "s.json"],
        {"s.json": json.dumps({"deduct": {f"scale.{i}": 1 for i in range(100_000)}}).encode()}),
    "points for steps that nobody knows": (
        ["grade", "p.json", "p.json", "--scheme", "s.json"],
        {"s.json": json.dumps({"points": {f"step{i}": 1 for i in range(100_000)}}).encode()}),
    "a class of as many as fit": (["grade", "p.json", "p.json", "--roster", "r.csv"],
                                  {"r.csv": b"name\n" + b"".join(b"n%d\n" % i for i in range(1_000_000))}),
    "points for as many as fit": (
        ["grade", "p.json", "p.json", "--scheme", "s.json"], {"s.json": b'{"points":' + numbered(b'"k%06x":0', 700_000) + b"}"}),
    "steps of a trace that are nothing": (
        ["diff", "p.json", "t.json"], {"t.json": b'{"schema":"attn/trace/1","steps":[' + filled(b"{},") + b"{}]}"}),
    "steps of a trace without numbers": (
        ["diff", "p.json", "t.json"], {"t.json": b'{"schema":"attn/trace/1","steps":[' + b",".join(
            b'{"id":"k%06x","data":0}' % i for i in range(300_000)) + b"]}"}),
    "answers to steps that nobody knows": (
        ["check", "p.json", "a.json"], {"a.json": json.dumps({"steps": {f"s{i}": [1] for i in range(30_000)}}).encode()}),
    "typed answers to them": (["check", "p.json", "a.txt"], {"a.txt": b"".join(b"s%d = 1\n" % i for i in range(30_000))}),
    "answers in a table to them": (
        ["check", "p.json", "a.csv"], {"a.csv": b"scores,1,2\n1,1,0\n2,0,1\n" + b"".join(b"\ns%d,x\n1,2\n" % i for i in range(30_000))}),
    "answers that are no numbers": (["check", "p.json", "a.json"], {"a.json": b'{"steps": {"scores": [' + filled(b'"x",', MIB // 2) + b"1]}}"}),
    "typed answers that are none": (["check", "p.json", "a.txt"], {"a.txt": b"scores = [" + filled(b"x ", MIB // 2) + b"]\n"}),
    "round brackets in one another, a line each": (
        ["check", "p.json", "a.txt"], {"a.txt": b"scores = " + b"(1\n" * 40_000 + b")\n" * 40_000}),
    "round brackets that are not closed": (["check", "p.json", "a.txt"], {"a.txt": b"scores = " + b"(1;" * 40_000}),
    "the same of steps with a colon": (["check", "p.json", "a.txt"], {"a.txt": b"scores: (1\n" * 40_000}),
    "round brackets of one number each": (["check", "p.json", "a.txt"], {"a.txt": b"scores=(1)\n" * 40_000}),
    "a table of words": (["check", "p.json", "scores.csv"], {"scores.csv": filled(b"1,x\n", MIB // 2)}),
    "a table that is much longer than the step": (["check", "p.json", "scores.csv"], {"scores.csv": filled(b"1,x\n")}),
    "answers that are much longer": (["check", "p.json", "a.json"], {"a.json": b'{"steps": {"scores": [' + filled(b"1,") + b"1]}}"}),
    "a step that is given again and again": (
        ["check", "p.json", "a.txt"], {"a.txt": filled(b"scores = [1 2; 3 4]\n", MIB // 2)}),
    "a problem of whose kind no exercise can be": (["exercise", "--like", "x.json", "--seed", "1"],
                                                   {"x.json": json.dumps({"inputs": [[1]] * 1024}).encode()}),
    "a sheet with too many boxes": (["worksheet", "x.json"], {"x.json": json.dumps({"inputs": [[1]] * 5000}).encode()}),
    "mistakes that take too much": (["lint", "x.json"], {"x.json": json.dumps({"inputs": [[1]] * 10_000}).encode()}),
    "tensors with long names": (
        ["diff", "p.json", "x.safetensors"], {"x.safetensors": empty_tensors(20, 40_000)}),
    "tensors without end": (["diff", "p.json", "x.safetensors"], {"x.safetensors": empty_tensors(150_000)}),
    "as many tensors as a file may have, none of which is a step": (
        ["diff", "p.json", "x.safetensors"], {"x.safetensors": empty_tensors(50_000, 6)}),
    "layers of a model, each with one tensor": (
        ["import", ".", "--ids", "0", "--layers", "1"],
        {"config.json": json.dumps({"model_type": "gpt2", "n_layer": 20_000, "n_head": 1}).encode(),
         "model.safetensors": safetensors(json.dumps(
             {name: {"dtype": "F64", "shape": [1, 1], "data_offsets": [at, at + 8]}
              for name, at in (("wte.weight", 0), ("wpe.weight", 8))} |
             {f"h.{i}.a": {"dtype": "F64", "shape": [0], "data_offsets": [0, 0]} for i in range(1, 20_000)}).encode()) + bytes(16)}),
    "arrays with long headers": (["diff", "p.json", "x.npz"], {"x.npz": npz_of_headers(500, MIB)}),
    "a config of brackets": (IMPORTED, {"config.json": filled(b"["), "model.safetensors": b""}),
    "an index of brackets": (IMPORTED, {"config.json": b"{}", "model.safetensors.index.json": filled(b"[")}),
    "a config of what is empty": (IMPORTED, {"config.json": b'{"x": [' + filled(b"{},") + b"0]}"}),
    "the same of a MiB": (IMPORTED, {"config.json": b'{"x": [' + filled(b"{},", MIB - 64) + b"0]}"}),
    "an index of what is empty": (IMPORTED, {"model.safetensors.index.json": b'{"weight_map": [' + filled(b"{},") + b"0]}"}),
    "an index with a name of a file that is long": (
        ["import", ".", "--from", "bert", "--ids", "1"],
        {"model.safetensors.index.json": b'{"weight_map": {"x": "' + filled(b"x") + b'"}}'}),
    "a vocabulary of nothing but line ends": (IMPORTED, {"vocab.txt": filled(b"\n")}),
    "a tokenizer of brackets": (IMPORTED, {"tokenizer.json": filled(b"[")}),
    "a tokenizer with unknown keys": (IMPORTED, letters(**{f"key{i}": 1 for i in range(100_000)})),
    "tokens that all have one hash": (IMPORTED, {"vocab.txt": "\n".join(ONE_HASH).encode()}),
    "names that all have one hash": (IMPORTED, {"tokenizer.json": json.dumps({name: 0 for name in ONE_HASH}).encode()}),
    "the same with an escape": (IMPORTED, {"tokenizer.json": b"{" + b",".join(
        b'"\\u%04x%s":0' % (ord(name[0]), name[1:].encode()) for name in ONE_HASH) + b"}"}),
    "a merge that is there again and again": (IMPORTED, {"tokenizer.json": (
        b'{"model":{"type":"BPE","vocab":{"a":0,"b":1,"ab":2},"merges":[' + filled(b'"a b",', 24 * MIB) + b'"x"]}}')}),
    "added tokens that are none": (IMPORTED, letters(added_tokens=[{}] * 500_000)),
    "added tokens that are nothing, as short as can be": (IMPORTED, {"tokenizer.json": b'{"added_tokens":[' + filled(b"{},") + (
        b'{}],"model":{"type":"BPE","vocab":{"a":0},"merges":[]}}')}),
    "a million merges, and one more that is of no tokens": (IMPORTED, tokenizer(a_million_merges())),
    "merges that are nothing": (IMPORTED, {"tokenizer.json": (
        b'{"model":{"type":"BPE","vocab":{"a":0},"merges":[' + filled(b'"",') + b'""]}}')}),
    "a list of what is no template": (IMPORTED, letters(post_processor={
        "type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "a", "type_id": 0}}], "pair": [],
        "special_tokens": {"a": {"id": "a", "ids": [0] * 1_000_000, "tokens": ["b"] * 1_000_000}}})),
    "names of which the last is there twice": (
        IMPORTED, {"tokenizer.json": b"{" + b"".join(b'"%06x":0,' % i for i in range(700_000)) + b'"000000":0}'}),
    "names of many tokens": (
        ["import", ".", "--tokens", ",".join(f"w{i}" for i in range(4_000)) + ",none"],
        tokenizer({"type": "BPE", "vocab": {f"\u0120w{i}": i for i in range(30_000)}, "merges": []},
                  pre_tokenizer={"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True})),
    "blanks of which each takes all behind it": (
        ["import", ".", "--text", "a" + " " * 60_000 + "a"],
        tokenizer({"type": "BPE", "vocab": {"a": 0}, "merges": []}, added_tokens=[
            {"id": 1, "content": " ", "single_word": False, "lstrip": False, "rstrip": True, "normalized": False, "special": True}])),
    "a vocabulary of which the last token has the id of the first": (
        IMPORTED, {"tokenizer.json": b'{"added_tokens":[],"model":{"type":"BPE","merges":[],"vocab":{' + b"".join(
            b'"%05x":%d,' % (i, i) for i in range(600_000)) + b'"last":0}}}'}),
    "one of probabilities, of which the last token is the first": (
        IMPORTED, {"tokenizer.json": b'{"added_tokens":[],"model":{"type":"Unigram","unk_id":0,"vocab":[' + b"".join(
            b'["%05x",0],' % i for i in range(500_000)) + b'["00000",0]]}}'}),
    "one of pieces of words, and a step that is none": (
        IMPORTED, tokenizer({"type": "WordPiece", "unk_token": "0", "continuing_subword_prefix": "##",
                             "max_input_chars_per_word": 100, "vocab": {"%x" % i: i for i in range(500_000)}},
                            pre_tokenizer={"type": "none"})),
    "lines of which the last is the first": (
        IMPORTED, {"vocab.txt": b"".join(b"%x\n" % i for i in range(1_000_000)) + b"0\n"}),
    "ids of tokens that a table keeps in one place": (
        IMPORTED, tokenizer({"type": "BPE", "vocab": {f"t{i}": i for i in COLLIDING}, "merges": []})),
    "merges that a table keeps in one place": (IMPORTED, tokenizer(colliding_merges())),
    "steps that double a text": (IMPORTED, letters(normalizer={"type": "Sequence", "normalizers": [
        {"type": "Replace", "pattern": {"String": "a"}, "content": "aa"}] * 60})),
    "steps without end": (IMPORTED, letters(pre_tokenizer={"type": "Sequence", "pretokenizers": [{"type": "Whitespace"}] * 100_000})),
}

# What takes more than it may, each with words to run it with.
LIMITED = {
    "random numbers": ({"inputs": dict(RANDOM, shape=[20_000, 20_000])}, ["run"]),
    "steps": ({"queries": dict(RANDOM, shape=[20_000, 64]), "keys": dict(RANDOM, shape=[20_000, 64], seed=2)}, ["run"]),
    "a result": ({"queries": dict(RANDOM, shape=[100_000, 64]), "keys": dict(RANDOM, shape=[2, 64], seed=2),
                  "values": dict(RANDOM, shape=[2, 512], seed=3)}, ["run", "--at-once", "--format", "npz", "--max-memory", "200M"]),
    "padding": ({"inputs": [[[1] * 16] * 20_000] + [[[1] * 16]] * 2_000}, ["run"]),
    "every mistake": ({"queries": dict(RANDOM, shape=[2_000, 64]), "keys": dict(RANDOM, shape=[2_000, 64], seed=2)}, ["lint"]),
    "lines of arithmetic": ({"queries": dict(RANDOM, shape=[600, 256]), "keys": dict(RANDOM, shape=[600, 256], seed=2)},
                            ["run", "--explain", "cells", "--full", "--max-memory", "100M"]),
}


class RefusedSoon(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def written(self, problem, files):
        """The path of the problem's file, and how many bytes it and the others have."""
        files = dict(files, **{"p.json": problem if isinstance(problem, bytes) else json.dumps(problem).encode()})
        for name, content in files.items():
            with open(os.path.join(self.folder.name, name), "wb") as file:
                file.write(content)
        return os.path.join(self.folder.name, "p.json"), sum(map(len, files.values()))

    def ended(self, *words):
        """Exit code, errors, the processor's seconds, and the most bytes that the program had at a time."""
        done = subprocess.run([sys.executable, "-ISc", MEASURE, ATTN, *words], capture_output=True, check=True, timeout=120)
        code, seconds, peak = done.stdout.split()
        return int(code), done.stderr, float(seconds), int(peak)

    def assert_refused_soon(self, size, *words):
        """`size`: the bytes of all files that are read."""
        code, errors, seconds, peak = self.ended(*words)
        self.assertIn(code, (2, 3), errors[:300])
        self.assertIn(b"error: ", errors)
        self.assertLess(len(errors), 64_000)
        if SANITIZED:
            return
        self.assertLess(seconds, PATIENCE * (0.1 + 20e-9 * size))
        self.assertLess(peak, 64 * MIB + 2 * size)

    def test_whatever_is_refused_is_refused_soon_and_in_little_memory(self):
        for name, (problem, files, *options) in HOSTILE.items():
            path, size = self.written(problem, files)
            with self.subTest(name, bytes=size):
                self.assert_refused_soon(size, "run", path, *options)

    def test_whatever_is_refused_beside_a_problem_is_refused_soon_and_in_little_memory(self):
        for name, (words, files) in HOSTILE_BESIDE.items():
            path, size = self.written(dict(SMALL, score="dot"), files)
            with self.subTest(name, bytes=size):
                folder = os.path.dirname(path)
                names = {"p.json", ".", *files}
                self.assert_refused_soon(size, *(os.path.join(folder, word) if word in names else word for word in words))
            for left in os.listdir(os.path.dirname(path)):
                os.remove(os.path.join(os.path.dirname(path), left))

    def test_of_a_device_no_more_is_read_than_people_type(self):
        path, _ = self.written(dict(SMALL, score="dot"), {})
        for words in (["run", "/dev/zero"], ["run", "/dev/urandom"], ["check", path, "/dev/zero"],
                      ["grade", path, path, "--roster", "/dev/zero"]):
            with self.subTest(words=words):
                self.assert_refused_soon(0, *words)

    def test_what_is_wrong_with_many_numbers_of_another_file_is_said_where_it_is_named(self):
        broken = npz_of_zeros(64 * MIB, columns=MIB)
        central = broken.rindex(b"PK\x01\x02")
        for at in (14, central + 16):  # the sum that is to come out, in both places
            broken = broken[:at] + bytes(4) + broken[at + 4:]
        problem = {"title": "broken", "inputs": {"file": "x.npz"}}
        for command, *words in (["run"], ["run", "--only", "scores"], ["why", "scores[1,1]"], ["cost"]):
            with self.subTest(command, words=words):
                path, _ = self.written(problem, {"x.npz": npz_of_zeros(64 * MIB, columns=MIB)})
                self.assertEqual(self.ended(command, path, *words)[0], 0)
                path, _ = self.written(problem, {"x.npz": broken})
                code, errors, _, _ = self.ended(command, path, *words)
                if command == "cost":  # which reads no number
                    self.assertEqual(code, 0)
                    continue
                self.assertEqual(code, 2, errors)
                self.assertIn(b"/inputs: x.npz has a broken entry", errors)
                self.assertIn(b'"inputs": {"file"', errors)

    def test_a_limit_names_the_option_that_raises_it(self):
        for name, (problem, words) in LIMITED.items():
            with self.subTest(name):
                path, _ = self.written(problem, {})
                code, errors, _, _ = self.ended(*words, path)
                self.assertEqual(code, 3, errors[:300])
                self.assertIn(b"--max-memory", errors)

    def test_a_hand_in_of_a_model_of_many_layers_is_marked_in_less_than_a_gigabyte(self):
        with open(os.path.join(DATA, "block-by-hand.json"), encoding="utf-8") as file:
            model = json.load(file)
        model["block"]["layers"] *= 250
        path, _ = self.written(model, {"a.json": b'{"steps": {"layer1.self.scores": [[1, 2], [3, 4]]}}'})
        code, errors, _, peak = self.ended("check", path, os.path.join(self.folder.name, "a.json"))
        self.assertEqual(code, 1, errors[:300])
        if not SANITIZED:
            self.assertLess(peak, 1024 * MIB)


if __name__ == "__main__":
    unittest.main()
