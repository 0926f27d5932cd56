"""Tokenizers give the ids that the library `tokenizers` gives, on texts in many scripts.

  agree.py ENCODE_LINES [--lines N] [--seed N] [--folder DIR] [--only WORD] [--points]

ENCODE_LINES is what encode_lines.cpp builds to. A folder of a real model is compared as well where one is named;
--points tries every code point by itself, and says which are not treated alike: unicode_differences.txt must name
them. Exit code 77: the library is not installed, and nothing was compared.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))

try:
    import tokenizers
    from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
except ImportError:
    print("skipped: the library tokenizers is not installed")
    sys.exit(77)

RANGES = {
    "ascii": (0x20, 0x7E), "latin": (0xC0, 0x24F), "ipa": (0x250, 0x2AF), "greek": (0x370, 0x3FF),
    "cyrillic": (0x400, 0x4FF), "armenian": (0x531, 0x587), "hebrew": (0x591, 0x5F4), "arabic": (0x600, 0x6FF),
    "devanagari": (0x900, 0x97F), "bengali": (0x980, 0x9FE), "tamil": (0xB82, 0xBFA), "thai": (0xE01, 0xE5B),
    "tibetan": (0xF00, 0xFDA), "georgian": (0x10A0, 0x10FF), "ethiopic": (0x1200, 0x137C), "khmer": (0x1780, 0x17F9),
    "jamo": (0x1100, 0x11FF), "greek extended": (0x1F00, 0x1FFE), "latin additional": (0x1E00, 0x1EFF),
    "punctuation": (0x2000, 0x206F), "superscripts": (0x2070, 0x209C), "currency": (0x20A0, 0x20BF),
    "letterlike": (0x2100, 0x218B), "arrows": (0x2190, 0x21FF), "mathematics": (0x2200, 0x22FF),
    "enclosed": (0x2460, 0x24FF), "symbols": (0x2600, 0x27BF), "cjk punctuation": (0x3000, 0x303F),
    "kana": (0x3041, 0x30FF), "cjk": (0x4E00, 0x9FA5), "cjk a": (0x3400, 0x4DB5), "hangul": (0xAC00, 0xD7A3),
    "compatibility": (0xF900, 0xFAD9), "forms": (0xFB00, 0xFDFB), "half and full": (0xFF01, 0xFFEE),
    "private": (0xE000, 0xE0FF), "gothic": (0x10330, 0x1034A), "deseret": (0x10400, 0x1044F),
    "letters of mathematics": (0x1D400, 0x1D7FF), "emoji": (0x1F300, 0x1F64F), "cjk b": (0x20000, 0x2A6D6),
    "marks": (0x300, 0x36F), "tags": (0xE0020, 0xE007F), "selectors": (0xFE00, 0xFE0F), "controls": (0x0, 0x9F),
}
ODD = [0x0, 0x1, 0x7F, 0x85, 0xA0, 0xAD, 0x130, 0x131, 0x149, 0x17F, 0x1C5, 0x1E9E, 0x345, 0x3A3, 0x3C2, 0x1680, 0x180E,
       0x2028, 0x2029, 0x200B, 0x200C, 0x200D, 0x200E, 0x202E, 0x202F, 0x205F, 0x2060, 0x20DD, 0x212A, 0x212B, 0x2126,
       0x2581, 0x3000, 0xAC01, 0x1100, 0x1161, 0x11A8, 0xD7FF, 0xE000, 0xFDFA, 0xFEFF, 0xFFFD, 0xFFFE, 0xFFFF, 0x10000,
       0x1FFFF, 0x10FFFF, 0x1D15E, 0x2F800, 0x1F1E6, 0x1F3FD, 0xFE0F, 0xC0, 0x49, 0x0D0A]
BLANKS = [9, 10, 11, 12, 13, 32, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000]
DIGITS = [0x30, 0x660, 0x6F0, 0x966, 0xE50, 0xFF10, 0x1D7CE, 0xB2, 0x2160, 0xBD]
WORDS = """the of attention is all you need street Straße naïve café Ångström résumé don't we'LL I'M they've it'S she'd
can't CAN'T Ω σοφός ΣΊΣΥΦΟΣ мир Ёлка שלום مرحبا नमस्ते สวัสดี 東京 注意 한국어 ひらがな カタカナ hello,world! 3.14159 1,000,000
2024 http://example.org/a?b=c#d e-mail@example.org 👩‍👩‍👧‍👦 👍🏽 🇩🇪 🏴󠁧󠁢󠁥󠁮󠁧󠁿 é ō̈ ﬁne ... ——— $5.00 x=y+z; {[()]}
def f(x):return_x\t\tpass İstanbul ǅ 'ſ <s> </s> <pad> [MASK] [CLS] <|end|> <mask>
 ▁ ▁▁a Ġ ## ##ing <0x0A> \u00ad \u200b unaffable transformers""".split(" ")


def newer():
    """Code points on which tables of different years may differ, see unicode.h."""
    points = set()
    with open(os.path.join(HERE, "unicode_differences.txt"), encoding="ascii") as file:
        for line in file:
            for word in line.split("#")[0].split():
                first, _, last = word.partition("-")
                points.update(range(int(first, 16), int(last or first, 16) + 1))
    return points


def lines(count, seed, left_out):
    rng = random.Random(seed)

    def character(script):
        if script == "blank":
            return chr(rng.choice(BLANKS))
        if script == "digit":
            return chr(rng.choice(DIGITS) + rng.randrange(3))
        if script == "odd":
            return chr(rng.choice(ODD))
        if script == "any":
            point = rng.randrange(0x110000)
            return "" if 0xD800 <= point < 0xE000 else chr(point)
        return chr(rng.randint(*RANGES[script]))

    kinds = [*RANGES, "blank", "digit", "odd", "any", "blank", "digit", "odd"]
    for number in range(count):
        parts = []
        for _ in range(rng.randrange(1, 12)):
            kind = rng.random()
            if kind < 0.4:
                parts.append(rng.choice(WORDS))
            elif kind < 0.5:
                parts.append(rng.choice([" ", "  ", "\n", "\r\n", "\t", " \n \n", "   "]) * rng.randrange(1, 4))
            elif kind < 0.9:
                script = rng.choice(kinds)
                parts.append("".join(character(script) for _ in range(rng.randrange(1, 9))))
            else:
                parts.append("".join(character(rng.choice(kinds)) for _ in range(rng.randrange(1, 9))))
            if rng.random() < 0.5:
                parts.append(" ")
        if number % 500 == 0:
            parts.append("a" * rng.randrange(90, 300))
        yield "".join(c for c in "".join(parts) if ord(c) not in left_out)


def bpe(texts, size, normalizer, pre_tokenizer, special, **more):
    made = Tokenizer(models.BPE(**more))
    if normalizer:
        made.normalizer = normalizer
    if pre_tokenizer:
        made.pre_tokenizer = pre_tokenizer
    alphabet = [] if more.get("byte_fallback") else pre_tokenizers.ByteLevel.alphabet()
    first = special + ([f"<0x{b:02X}>" for b in range(256)] if more.get("byte_fallback") else [])
    made.train_from_iterator(texts, trainers.BpeTrainer(vocab_size=size, special_tokens=first, limit_alphabet=300,
                                                        initial_alphabet=alphabet, show_progress=False))
    return made


def with_settings(made, **settings):
    data = json.loads(made.to_str())
    data["model"].update(settings)
    return Tokenizer.from_str(json.dumps(data))


LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
          r"|\s+(?!\S)|\s+")
GPT4O = "|".join([
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"\p{N}{1,3}", r" ?[^\s\p{L}\p{N}]+[\r\n/]*", r"\s*[\r\n]+", r"\s+(?!\S)", r"\s+"])
DEEPSEEK = "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+" \
    "| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+"


def made_here(texts):
    """One of each kind of tokenizer, trained on the texts."""
    P, N = pre_tokenizers, normalizers

    word_piece = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    word_piece.normalizer = N.BertNormalizer(lowercase=False, strip_accents=False)
    word_piece.pre_tokenizer = P.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    word_piece.train_from_iterator(texts, trainers.WordPieceTrainer(vocab_size=3000, special_tokens=special,
                                                                    show_progress=False))
    word_piece.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    word_piece.add_tokens([AddedToken("street", lstrip=True, rstrip=True), AddedToken("Café", normalized=True)])
    yield "WordPiece, cased, BertProcessing", word_piece

    bare = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    bare.normalizer = N.Sequence([N.NFD(), N.Lowercase(), N.StripAccents()])
    bare.pre_tokenizer = P.Whitespace()
    bare.train_from_iterator(texts, trainers.WordPieceTrainer(vocab_size=3000, special_tokens=special,
                                                              show_progress=False))
    yield "WordPiece, StripAccents and Whitespace", bare
    bare = Tokenizer.from_str(bare.to_str())
    bare.normalizer = N.BertNormalizer()
    yield "WordPiece, BertNormalizer", bare
    for name, normalizer in (("NFC", N.NFC()), ("NFKC", N.NFKC()), ("NFKD", N.NFKD())):
        yield name, bpe(texts, 1000, normalizer, P.ByteLevel(add_prefix_space=False), [])

    for name, settings in (("as GPT-2 has it", {}), ("with a space before", {"add_prefix_space": True})):
        made = bpe(texts, 1500, None, P.ByteLevel(**{"add_prefix_space": False, **settings}), ["<|end|>"])
        made.post_processor = processors.ByteLevel(trim_offsets=False)
        yield "byte-level BPE " + name, made

    roberta = bpe(texts, 1200, None, P.ByteLevel(add_prefix_space=False), ["<s>", "<pad>", "</s>", "<unk>"])
    roberta.add_special_tokens([AddedToken("<mask>", lstrip=True, normalized=False, special=True)])
    roberta.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    yield "as RoBERTa has it", roberta

    for name, pattern in (("Llama 3", LLAMA3), ("GPT-4o", GPT4O), ("DeepSeek", DEEPSEEK)):
        cut = P.Sequence([P.Split(Regex(pattern), "isolated"), P.ByteLevel(add_prefix_space=False, use_regex=False)])
        made = bpe(texts, 2000, N.NFC() if name == "GPT-4o" else None, cut, ["<s>"])
        made.post_processor = processors.Sequence([
            processors.ByteLevel(trim_offsets=True),
            processors.TemplateProcessing(single="<s> $A", pair="<s> $A <s> $B", special_tokens=[("<s>", 0)])])
        yield "as " + name + " cuts", with_settings(made, ignore_merges=name == "Llama 3")

    cut = P.Sequence([P.Punctuation("contiguous"), P.ByteLevel(add_prefix_space=False),
                      P.Digits(individual_digits=False), P.Split(Regex("[0-9][0-9][0-9]"), "isolated")])
    yield "as Falcon cuts", bpe(texts, 1200, None, cut, ["<|end|>"])

    clip = bpe(texts, 1500, N.Sequence([N.NFC(), N.Replace(Regex(r"\s+"), " "), N.Lowercase()]),
               P.Sequence([P.Split(Regex(r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"), "removed",
                                   invert=True),
                           P.ByteLevel(add_prefix_space=False)]), ["<|end|>"])
    data = json.loads(clip.to_str())
    for letter in list(data["model"]["vocab"]):
        data["model"]["vocab"].setdefault(letter + "</w>", len(data["model"]["vocab"]))
    data["model"]["end_of_word_suffix"] = "</w>"
    yield "as CLIP cuts", Tokenizer.from_str(json.dumps(data))

    spaces = N.Sequence([N.Prepend("▁"), N.Replace(" ", "▁")])
    llama2 = bpe(texts, 2500, spaces, P.Split("\x00never\x00", "isolated"), ["<unk>", "<s>", "</s>"], unk_token="<unk>",
                 fuse_unk=True, byte_fallback=True)
    data = json.loads(llama2.to_str())
    data["pre_tokenizer"] = None
    llama2 = Tokenizer.from_str(json.dumps(data))
    llama2.post_processor = processors.TemplateProcessing(single="<s> $A", pair="<s> $A $B",
                                                          special_tokens=[("<s>", 1)])
    yield "as Llama 2 has it", llama2

    data["normalizer"] = None
    for scheme in ("first", "always", "never"):
        data["pre_tokenizer"] = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme,
                                 "split": scheme == "always"}
        yield "Metaspace before " + scheme, Tokenizer.from_str(json.dumps(data))
    data["model"]["byte_fallback"] = False
    yield "BPE with unknown characters, fused", Tokenizer.from_str(json.dumps(data))
    data["model"]["fuse_unk"] = False
    yield "BPE with unknown characters, one by one", Tokenizer.from_str(json.dumps(data))
    data["model"]["unk_token"] = None
    yield "BPE without a word for the unknown", Tokenizer.from_str(json.dumps(data))
    data["model"].update(unk_token="<unk>", byte_fallback=True)
    data["model"]["vocab"]["<0xQQ>"] = data["model"]["vocab"].pop("<0xC3>")
    yield "BPE with some bytes", Tokenizer.from_str(json.dumps(data))

    unigram = Tokenizer(models.Unigram())
    unigram.normalizer = N.Sequence([N.NFKC(), N.Replace(Regex(" {2,}"), " ")])
    unigram.pre_tokenizer = P.Metaspace(prepend_scheme="always")
    unigram.train_from_iterator(texts[:400], trainers.UnigramTrainer(
        vocab_size=5000, special_tokens=["<pad>", "</s>", "<unk>"], unk_token="<unk>", show_progress=False))
    unigram.post_processor = processors.TemplateProcessing(single="$A </s>", pair="$A </s> $B </s>",
                                                           special_tokens=[("</s>", 1)])
    # The trainer leaves some pieces twice; no model that is published has them.
    data = json.loads(unigram.to_str())
    data["model"]["vocab"] = [[piece, score] for piece, score in dict(data["model"]["vocab"][::-1]).items()][::-1]
    data["model"]["unk_id"] = [piece for piece, _ in data["model"]["vocab"]].index("<unk>")
    end = [piece for piece, _ in data["model"]["vocab"]].index("</s>")
    data["post_processor"]["special_tokens"]["</s>"]["ids"] = [end]
    for token in data["added_tokens"]:
        token["id"] = [piece for piece, _ in data["model"]["vocab"]].index(token["content"])
    unigram = Tokenizer.from_str(json.dumps(data))
    yield "unigrams", unigram
    data = json.loads(unigram.to_str())
    data["normalizer"] = {"type": "Sequence", "normalizers": [{"type": "NFKD"}, {"type": "Strip", "strip_left": True,
                                                                                "strip_right": True}]}
    data["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": [
        {"type": "WhitespaceSplit"}, {"type": "Metaspace", "replacement": "▁", "add_prefix_space": True}]}
    there = {piece for piece, _ in data["model"]["vocab"]}
    data["model"]["vocab"] += [[f"<0x{b:02X}>", -20.0] for b in range(256) if f"<0x{b:02X}>" not in there]
    data["model"]["byte_fallback"] = True
    yield "unigrams with bytes", Tokenizer.from_str(json.dumps(data))


def ids_of(program, folder, texts):
    spelled = "".join(text.encode().hex() + "\n" for text in texts)
    done = subprocess.run([program, folder], input=spelled, capture_output=True, text=True)
    if done.returncode != 0:
        return done.stderr.strip() or f"exit code {done.returncode}"
    said = done.stdout.split("\n")[:-1]
    assert len(said) == len(texts), (len(said), len(texts))
    return [line if line.startswith("fault") else [int(word) for word in line.split()] for line in said]


def without_cuts(made):
    made.no_truncation()
    made.no_padding()
    return made


def compare(program, name, made, folder, texts):
    """How many texts come out otherwise; the first few are shown."""
    ours = ids_of(program, folder, texts)
    if isinstance(ours, str):
        print(f"FAILED {name}: {ours}")
        return 1
    wanted = [encoding.ids for encoding in made.encode_batch(texts)]
    wrong = [i for i, (one, other) in enumerate(zip(ours, wanted)) if one != other]
    print(f"{'FAILED' if wrong else 'ok    '} {name}: {len(texts) - len(wrong)} of {len(texts)} texts, "
          f"{sum(map(len, wanted))} tokens")
    for i in wrong[:3]:
        print(f"  {texts[i]!r}\n    {ours[i]}\n    {wanted[i]}")
    return len(wrong)


def compare_points(program, name, made, folder, known):
    points = [p for p in range(0x110000) if not 0xD800 <= p < 0xE000]
    texts = ["a" + chr(p) + "b" for p in points]
    ours = ids_of(program, folder, texts)
    other = {p for p, one, encoding in zip(points, ours, made.encode_batch(texts)) if one != encoding.ids}
    print(f"{'FAILED' if other - known else 'ok    '} {name}: {len(other)} code points differ, "
          f"{len(other - known)} of them unlisted {[hex(p) for p in sorted(other - known)[:20]]}")
    return len(other - known)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--lines", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", action="append", default=[])
    parser.add_argument("--only", default="", help="the tokenizers with this in their name")
    parser.add_argument("--points", action="store_true")
    options = parser.parse_args()
    program = os.path.abspath(options.program)
    os.environ["TOKENIZERS_PARALLELISM"] = "false"

    known = newer()
    texts = list(lines(options.lines, options.seed, known))
    wrong = 0
    with tempfile.TemporaryDirectory() as scratch:
        everything = [(name, Tokenizer.from_str(made.to_str())) for name, made in made_here(texts[:1500])]
        folders = []
        for number, (name, made) in enumerate(everything):
            folder = os.path.join(scratch, str(number))
            os.mkdir(folder)
            made.save(os.path.join(folder, "tokenizer.json"))
            folders.append((name, made, folder))
        for folder in options.folder:
            path = os.path.join(folder, "tokenizer.json")
            made = without_cuts(Tokenizer.from_file(path))
            folders.append((os.path.basename(folder), made, folder))
            if os.path.exists(os.path.join(folder, "vocab.txt")):
                bare = os.path.join(scratch, "vocab")
                os.mkdir(bare)
                for file in ("vocab.txt", "tokenizer_config.json"):
                    if os.path.exists(os.path.join(folder, file)):
                        os.symlink(os.path.abspath(os.path.join(folder, file)), os.path.join(bare, file))
                folders.append((os.path.basename(folder) + ", vocab.txt alone", made, bare))
        for name, made, folder in [each for each in folders if options.only in each[0]]:
            wrong += compare(program, name, made, folder, texts)
            if options.points:
                wrong += compare_points(program, name, made, folder, known)
    sys.exit(1 if wrong else 0)


main()
