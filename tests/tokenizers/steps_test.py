"""Normalizers, pre-tokenizers and merges of a tokenizer.json do what their definitions say, beside no library.

    steps_test.py ENCODE_LINES

The model knows every character as one that begins a piece and, behind ##, as one that goes on with it: its tokens
show what normalizers made of a text, and where pre-tokenizers cut it.
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

CHARACTERS = [chr(c) for c in range(0x20, 0x7F)] + list("çéÇÉ▁中文ĠĊﬁ①\u0301")
PIECES = ["[UNK]"] + CHARACTERS + ["##" + c for c in CHARACTERS]
EVERY_CHARACTER = {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                   "max_input_chars_per_word": 100, "vocab": {piece: i for i, piece in enumerate(PIECES)}}
encode_lines = os.path.abspath(sys.argv.pop(1))


def ids_of(texts, **tokenizer):
    """Of each text."""
    with tempfile.TemporaryDirectory(prefix="attn-steps-") as folder:
        with open(os.path.join(folder, "tokenizer.json"), "w", encoding="utf-8") as file:
            json.dump({"version": "1.0", **tokenizer}, file)
        done = subprocess.run([encode_lines, folder], input="".join(text.encode().hex() + "\n" for text in texts),
                              capture_output=True, encoding="utf-8", timeout=60)
    assert done.returncode == 0, done.stderr
    return [[int(word) for word in line.split()] for line in done.stdout.split("\n")[:-1]]


def cut(text, **steps):
    """The pieces that the steps make of a text."""
    pieces = []
    for id in ids_of([text], model=EVERY_CHARACTER, **steps)[0]:
        piece = PIECES[id]
        if piece.startswith("##") and len(piece) > 2:
            pieces[-1] += piece[2:]
        else:
            pieces.append(piece)
    return pieces


class Normalizers(unittest.TestCase):
    def assert_made(self, normalizer, text, expected):
        self.assertEqual("".join(cut(text, normalizer=normalizer)), expected, (normalizer, text))

    def test_blanks_are_taken_off_the_ends_that_are_named(self):
        for left, right, expected in ((True, True, "a b"), (True, False, "a b  "), (False, True, " a b"), (False, False, " a b  ")):
            self.assert_made({"type": "Strip", "strip_left": left, "strip_right": right}, " a b  ", expected)
        self.assert_made({"type": "Strip", "strip_left": True, "strip_right": False}, "   ", "")
        self.assert_made({"type": "Strip", "strip_left": False, "strip_right": True}, "   ", "")
        self.assert_made({"type": "Strip", "strip_left": False, "strip_right": False}, "   ", "   ")
        for text, expected in (("\u3000é ", "é"), ("\u00a0中\u2003", "中"), ("\u0085ab", "ab")):  # of two bytes and of three
            self.assert_made({"type": "Strip", "strip_left": True, "strip_right": True}, text, expected)

    def test_what_is_prepended_stands_before_a_text_that_is_not_empty(self):
        self.assert_made({"type": "Prepend", "prepend": "▁"}, "ab", "▁ab")
        self.assert_made({"type": "Prepend", "prepend": "▁"}, "", "")

    def test_what_is_found_is_replaced(self):
        self.assert_made({"type": "Replace", "pattern": {"String": " "}, "content": "▁"}, "a b  c", "a▁b▁▁c")
        self.assert_made({"type": "Replace", "pattern": {"String": "aa"}, "content": "b"}, "aaaaa", "bba")
        self.assert_made({"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": "-"}, "a b   c", "a b-c")
        self.assert_made({"type": "Replace", "pattern": {"String": "x"}, "content": ""}, "xaxxb", "ab")

    def test_letters_are_written_small_and_lose_their_marks(self):
        self.assert_made({"type": "Lowercase"}, "AbÇÉ", "abçé")
        self.assert_made({"type": "NFD"}, "é", "e\u0301")
        self.assert_made({"type": "NFC"}, "e\u0301", "é")
        self.assert_made({"type": "NFC"}, "ﬁ①", "ﬁ①")
        self.assert_made({"type": "NFKC"}, "ﬁ①e\u0301", "fi1é")
        self.assert_made({"type": "NFKD"}, "ﬁ①é", "fi1e\u0301")
        self.assert_made({"type": "NFD"}, "ﬁ①", "ﬁ①")
        self.assert_made({"type": "StripAccents"}, "e\u0301é", "eé")

    def test_a_sequence_is_gone_through_in_its_order(self):
        steps = [{"type": "NFD"}, {"type": "StripAccents"}, {"type": "Lowercase"}]
        self.assert_made({"type": "Sequence", "normalizers": steps}, "ÉÇ a", "ec a")
        self.assert_made({"type": "Sequence", "normalizers": [steps[1], steps[0]]}, "Éa", "E\u0301a")
        self.assert_made({"type": "Sequence", "normalizers": []}, "Aé", "Aé")

    def test_bert_cleans_spaces_and_strips_as_it_is_told(self):
        plain = {"type": "BertNormalizer", "clean_text": False, "handle_chinese_chars": False, "strip_accents": False,
                 "lowercase": False}
        text = "A\tÉ\x01中文b"
        self.assert_made({**plain, "clean_text": True}, text, "A É中文b")
        self.assert_made({**plain, "clean_text": True, "handle_chinese_chars": True}, text, "A É 中  文 b")
        self.assert_made({**plain, "lowercase": True}, "AÉ", "aé")
        self.assert_made({**plain, "strip_accents": True}, "AÉ", "AE")
        self.assert_made({**plain, "lowercase": True, "strip_accents": None}, "AÉ", "ae")  # not said: where letters become small
        self.assert_made({**plain, "strip_accents": None}, "AÉ", "AÉ")


class PreTokenizers(unittest.TestCase):
    def assert_cut(self, pre_tokenizer, text, expected):
        self.assertEqual(cut(text, pre_tokenizer=pre_tokenizer), expected, (pre_tokenizer, text))

    def test_a_text_is_split_at_what_is_found(self):
        text = "the-final--countdown"  # the example of the library's documentation
        for behavior, expected in (("Removed", ["the", "final", "countdown"]),
                                   ("Isolated", ["the", "-", "final", "-", "-", "countdown"]),
                                   ("MergedWithPrevious", ["the-", "final-", "-", "countdown"]),
                                   ("MergedWithNext", ["the", "-final", "-", "-countdown"]),
                                   ("Contiguous", ["the", "-", "final", "--", "countdown"])):
            for pattern in ({"String": "-"}, {"Regex": "-"}):
                self.assert_cut({"type": "Split", "pattern": pattern, "behavior": behavior, "invert": False}, text, expected)

    def test_inverted_a_pattern_says_what_stands_between_cuts(self):
        for behavior, expected in (("Removed", ["the", "final", "x"]), ("Isolated", ["the", "-", "final", "--", "x"]),
                                   ("MergedWithPrevious", ["the-", "final--", "x"])):
            self.assert_cut({"type": "Split", "pattern": {"Regex": "[a-z]+"}, "behavior": behavior, "invert": True},
                            "the-final--x", expected)

    def test_digits_stand_apart_one_by_one_or_together(self):
        self.assert_cut({"type": "Digits", "individual_digits": True}, "Call 123 please", ["Call ", "1", "2", "3", " please"])
        self.assert_cut({"type": "Digits", "individual_digits": False}, "Call 123 please", ["Call ", "123", " please"])

    def test_punctuation_stands_apart(self):
        self.assert_cut({"type": "Punctuation"}, "Hey!?you", ["Hey", "!", "?", "you"])
        self.assert_cut({"type": "Punctuation", "behavior": "Contiguous"}, "Hey!?you", ["Hey", "!?", "you"])
        self.assert_cut({"type": "Punctuation", "behavior": "Removed"}, "Hey!?you", ["Hey", "you"])

    def test_words_are_cut_at_white_space(self):
        self.assert_cut({"type": "Whitespace"}, "it's  so_so!?", ["it", "'", "s", "so_so", "!?"])
        self.assert_cut({"type": "WhitespaceSplit"}, "it's  so!?", ["it's", "so!?"])
        self.assert_cut({"type": "BertPreTokenizer"}, "it's  so!?", ["it", "'", "s", "so", "!", "?"])

    def test_a_bar_stands_for_a_space(self):
        bar = {"type": "Metaspace", "replacement": "▁"}
        for settings, expected in (({}, ["▁Hey", "▁my", "▁friend"]), ({"split": False}, ["▁Hey▁my▁friend"]),
                                   ({"prepend_scheme": "never"}, ["Hey", "▁my", "▁friend"]),
                                   ({"prepend_scheme": "first"}, ["▁Hey", "▁my", "▁friend"]),
                                   ({"prepend_scheme": "always", "split": True}, ["▁Hey", "▁my", "▁friend"]),
                                   ({"prepend_scheme": "never", "add_prefix_space": False}, ["Hey", "▁my", "▁friend"])):
            self.assert_cut({**bar, **settings}, "Hey my friend", expected)
        self.assert_cut(bar, " Hey", ["▁Hey"])  # one is there
        self.assert_cut({**bar, "replacement": "_"}, "a b", ["_a", "_b"])

    def test_bytes_are_written_as_characters(self):
        of_bytes = {"type": "ByteLevel", "trim_offsets": True}
        for settings, text, expected in (({"add_prefix_space": True}, "Hello my friend", ["ĠHello", "Ġmy", "Ġfriend"]),
                                         ({"add_prefix_space": False}, "Hello my friend", ["Hello", "Ġmy", "Ġfriend"]),
                                         ({"add_prefix_space": True}, " Hello", ["ĠHello"]),
                                         ({"add_prefix_space": False}, "I've 12!\n", ["I", "'ve", "Ġ12", "!", "Ċ"]),
                                         ({"add_prefix_space": True, "use_regex": False}, "a b", ["ĠaĠb"])):
            self.assert_cut({**of_bytes, **settings}, text, expected)

    def test_a_sequence_cuts_what_was_cut(self):
        self.assert_cut({"type": "Sequence", "pretokenizers": [
            {"type": "Whitespace"}, {"type": "Digits", "individual_digits": True}]}, "Call 911!", ["Call", "9", "1", "1", "!"])
        self.assert_cut({"type": "Sequence", "pretokenizers": [
            {"type": "WhitespaceSplit"}, {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True}]},
                        "a b", ["Ġa", "Ġb"])
        self.assert_cut({"type": "Sequence", "pretokenizers": []}, "a b", ["a b"])


class Models(unittest.TestCase):
    def test_merges_may_be_lists(self):
        vocabulary = {"a": 0, "b": 1, "c": 2, "ab": 3, "abc": 4}
        for merges in (["a b", "ab c"], [["a", "b"], ["ab", "c"]]):
            self.assertEqual(ids_of(["abc", "cab"], model={"type": "BPE", "vocab": vocabulary, "merges": merges}),
                             [[4], [2, 3]])

    def test_a_word_that_is_a_token_needs_no_merges_where_they_are_ignored(self):
        model = {"type": "BPE", "vocab": {"a": 0, "b": 1, "c": 2, "abc": 3, "bc": 4}, "merges": ["b c"]}
        self.assertEqual(ids_of(["abc"], model=model), [[0, 4]])
        self.assertEqual(ids_of(["abc"], model={**model, "ignore_merges": True}), [[3]])

    def test_the_last_character_of_a_word_has_its_ending(self):
        model = {"type": "BPE", "vocab": {"a": 0, "b": 1, "b</w>": 2, "ab</w>": 3, "a</w>": 4}, "merges": ["a b</w>"],
                 "end_of_word_suffix": "</w>"}
        self.assertEqual(ids_of(["ab", "a", "ba"], model=model), [[3], [4], [1, 4]])

    def test_unknown_characters_are_one_token_or_one_each(self):
        model = {"type": "BPE", "vocab": {"?": 0, "a": 1}, "merges": [], "unk_token": "?"}
        self.assertEqual(ids_of(["xya"], model=model), [[0, 0, 1]])
        self.assertEqual(ids_of(["xyax"], model={**model, "fuse_unk": True}), [[0, 1, 0]])

    def test_a_word_that_is_too_long_or_has_no_pieces_is_unknown(self):
        model = {**EVERY_CHARACTER, "max_input_chars_per_word": 3}
        self.assertEqual(ids_of(["abcd", "ab☃"], model=model), [[0], [0]])
        self.assertEqual(len(ids_of(["abc"], model=model)[0]), 3)


if __name__ == "__main__":
    unittest.main()
