#include <string>
#include <utility>

#include "model/options/options.h"
#include "problem/options.h"
#include "words/language.h"

namespace attn {
namespace {

std::pair<std::string, std::string> in_words(const OptionValue& offset) {
  return {language().steps.offset, language().steps.offsets(std::get<PerSequence>(offset).values)};
}

}  // namespace

OptionSpec offset_optionspec() {
  return {.name = "offset",
          .summary = "where the first query stands among the keys",
          .written = "position of the first query among the keys; one, or one a sequence",
          .kind = OptionSpec::Kind::per_sequence,
          .about_sequences = true,
          .fitted = valid_offsets,
          .words = in_words};
}

}  // namespace attn
