#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tokenizers/pattern.h"

namespace attn {

// No step makes a text longer than this of a shorter one, and of all pieces together: what doubles a text can be said
// time and again. What becomes too long is a fault, "text-too-long".
constexpr std::size_t longest_made_text = std::size_t{1} << 19;
Diagnostic text_too_long();

// Turns a text into the one that words are looked for in. Faults: "pattern-too-slow", "text-too-long".
using Normalizer = std::function<Result<std::string>(std::string text)>;

Normalizer one_after_the_other(std::vector<Normalizer> steps);

// As BERT cleans texts (Devlin et al. 2018).
struct BertCleaning {
  bool cleans = true;  // control characters go, all sorts of blanks become " "
  bool puts_spaces_around_chinese = true;
  bool strips_accents = true;
  bool lowers = true;
};
Normalizer cleaning(const BertCleaning& settings);

Normalizer stripping_marks();                 // accents, where they are characters of their own
Normalizer stripping(bool left, bool right);  // of white space
Normalizer prepending(std::string prefix);    // to a text that is not empty

// What is looked for in a text: a text, or a pattern. REQUIRES: a text is not empty.
using Wanted = std::function<Result<std::vector<Stretch>>(std::string_view)>;
Wanted wanted(std::string text);
Wanted wanted(Pattern pattern);
Wanted wanted(bool (*is_wanted)(char32_t));  // every such character by itself

Normalizer replacing(Wanted what, std::string by);

// A piece of a text: in the end, a word that a model cuts into tokens.
struct Snippet {
  std::string text;
  bool begins_text = false;  // nothing of what was typed stands before it
};
using Snippets = std::vector<Snippet>;

// Cuts pieces into smaller ones, none empty; or says why not.
using PreTokenizer = std::function<std::optional<Diagnostic>(Snippets& pieces)>;

PreTokenizer one_after_the_other(std::vector<PreTokenizer> steps);

// What becomes of what is found, where a text is cut.
enum class Cut { removed, isolated, merged_with_previous, merged_with_next, contiguous };
PreTokenizer cutting(Wanted what, Cut cut, bool finds_what_is_between = false);

// Bytes become characters of the alphabet for bytes (byte_alphabet.h); before, a piece that does not begin with
// a space gets one if that is wished, and is cut by GPT-2's pattern.
struct ByteLevel {
  bool adds_prefix_space = false;
  bool uses_pattern = true;
};
PreTokenizer making_bytes(const ByteLevel& settings);

// Spaces become "▁", and begin pieces.
struct Metaspace {
  enum class Prepended { always, first, never };

  std::string replacement = "▁";
  Prepended prepended = Prepended::always;  // to which pieces, where they do not begin with one
  bool splits = true;
};
PreTokenizer making_metaspaces(const Metaspace& settings);

}  // namespace attn
