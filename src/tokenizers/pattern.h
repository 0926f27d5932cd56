#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace attn {

// A stretch of a text: [first, second) in bytes.
using Stretch = std::pair<std::size_t, std::size_t>;

// A regular expression of a tokenizer.json, which the reference library reads with Oniguruma and we with PCRE2.
// Read is what both mean the same by: characters, classes of them, \p{..} with a general category, \s \S \d \D
// \r \n \t, groups, (?i:..) around letters of ASCII, (?=..), (?!..), alternatives and how often.
class Pattern {
 public:
  // Faults: "bad-pattern", without a place. One that may match nothing at all is refused, too.
  static Result<Pattern> read(std::string_view expression);

  // Where it matches, from the left, none within another. A fault ("pattern-too-slow") where that takes many more
  // steps than the text has characters: some patterns take a time that doubles with every one.
  // REQUIRES: valid UTF-8.
  Result<std::vector<Stretch>> matches(std::string_view text) const;

 private:
  struct Compiled;
  explicit Pattern(std::shared_ptr<const Compiled> compiled) : compiled_(std::move(compiled)) {}

  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace attn
