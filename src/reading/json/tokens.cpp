#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reading/json/values.h"

namespace attn {
namespace {

std::optional<std::vector<std::string>> read_texts(const std::vector<JsonValue>& list, const std::string& where,
                                                   Faults& faults) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto text = list[i].text();
    if (!text) {
      const std::string place = pointer(where, std::to_string(i));
      const bool quotable = list[i].number() || list[i].boolean();
      report_kind(list[i], place, "a token is a text", faults, quotable ? "put it in double quotes" : "");
      return std::nullopt;
    }
    texts.push_back(*text);
  }
  return texts;
}

}  // namespace

std::optional<RawTokens> read_tokens(const JsonValue& value, const std::string& where, Faults& faults) {
  const auto list = value.elements();
  if (!list) {
    report_kind(value, where, "tokens are a list of texts, or a list of such lists in a batch", faults);
    return std::nullopt;
  }
  RawTokens tokens{.where = where, .batched = !list->empty() && list->front().elements(), .sequences = {}};
  if (!tokens.batched) {
    auto texts = read_texts(*list, where, faults);
    if (!texts) return std::nullopt;
    tokens.sequences.push_back(std::move(*texts));
    return tokens;
  }
  for (std::size_t i = 0; i < list->size(); ++i) {
    const std::string place = pointer(where, std::to_string(i));
    const auto sequence = (*list)[i].elements();
    if (!sequence) {
      report_kind((*list)[i], place, "the others are lists of tokens", faults);
      return std::nullopt;
    }
    auto texts = read_texts(*sequence, place, faults);
    if (!texts) return std::nullopt;
    tokens.sequences.push_back(std::move(*texts));
  }
  return tokens;
}

}  // namespace attn
