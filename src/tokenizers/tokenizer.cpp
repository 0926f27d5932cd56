#include "tokenizers/tokenizer.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text.h"
#include "base/utf8.h"
#include "tokenizers/byte_alphabet.h"
#include "tokenizers/parts.h"

namespace attn {
namespace {

// "<0x0A>"
std::optional<char> byte_of(std::string_view spelling) {
  if (spelling.size() != 6 || !spelling.starts_with("<0x") || spelling[5] != '>') return std::nullopt;
  unsigned byte = 0;
  const auto [end, error] = std::from_chars(spelling.data() + 3, spelling.data() + 5, byte, 16);
  return error == std::errc() && end == spelling.data() + 5 ? std::optional(static_cast<char>(byte)) : std::nullopt;
}

std::string read_spelling(std::string text, const SpellingRules& spelling_rules) {
  if (!spelling_rules.end_of_word.empty() && text.ends_with(spelling_rules.end_of_word))
    text.erase(text.size() - spelling_rules.end_of_word.size());
  if (spelling_rules.has_byte_tokens) {
    if (const auto byte = byte_of(text)) return std::string(1, *byte);
  }
  if (spelling_rules.is_of_bytes) return from_byte_alphabet(text).value_or(text);
  if (!spelling_rules.continuing_prefix.empty() && text.starts_with(spelling_rules.continuing_prefix))
    return text.substr(spelling_rules.continuing_prefix.size());
  if (!spelling_rules.space.empty()) {
    for (std::size_t at = 0; (at = text.find(spelling_rules.space, at)) != std::string::npos; ++at)
      text.replace(at, spelling_rules.space.size(), " ");
  }
  return text;
}

// The text between added tokens, cut into tokens.
std::optional<Diagnostic> cut_text(const TokenizerParts& parts, std::string text, bool begins_text,
                                   std::vector<std::size_t>& ids) {
  if (parts.normalizer) {
    auto normal = parts.normalizer(std::move(text));
    if (!normal) return normal.faults().front();
    text = std::move(normal.value());
  }
  for (const auto& [stretch, id] : parts.added_as_normalised.found_in(text)) {
    if (id) {
      ids.push_back(*id);
      continue;
    }
    const auto [begin, end] = stretch;
    Snippets pieces = {{text.substr(begin, end - begin), begins_text && begin == 0}};
    if (parts.pre_tokenizer) {
      if (auto fault = parts.pre_tokenizer(pieces)) return fault;
    }
    for (const Snippet& piece : pieces) parts.model(piece.text, ids);
  }
  return std::nullopt;
}

// Nothing where they would be too many: a template may say a text more than once, and stand in another.
std::optional<std::vector<std::size_t>> placed(const Template& around, const std::vector<std::size_t>& ids) {
  constexpr std::size_t most = 1'000'000;
  const auto texts = static_cast<std::size_t>(std::ranges::count(around, Template::value_type()));
  if (around.size() - texts + texts * ids.size() > std::max(most, ids.size() + around.size())) return std::nullopt;
  std::vector<std::size_t> all;
  for (const auto& id : around) {
    if (id) {
      all.push_back(*id);
    } else {
      all.insert(all.end(), ids.begin(), ids.end());
    }
  }
  return all;
}

}  // namespace

Tokenizer::Tokenizer(TokenizerParts parts) : parts_(std::make_shared<const TokenizerParts>(std::move(parts))) {}

Result<std::vector<TextToken>> Tokenizer::encode(std::string_view text) const {
  if (const auto invalid = first_invalid_utf8(text)) {
    return Diagnostic{.code = "not-utf8",
                      .message = "byte " + std::to_string(*invalid + 1) + " of the text is not UTF-8",
                      .help = "save the text as UTF-8"};
  }
  std::vector<std::size_t> ids;
  for (const auto& [stretch, id] : parts_->added_as_typed.found_in(text)) {
    const auto [begin, end] = stretch;
    if (id) {
      ids.push_back(*id);
    } else if (auto fault = cut_text(*parts_, std::string(text.substr(begin, end - begin)), begin == 0, ids)) {
      return *std::move(fault);
    }
  }
  for (const Template& around : parts_->templates) {
    auto all = placed(around, ids);
    if (!all) return text_too_long();
    ids = *std::move(all);
  }

  std::vector<TextToken> tokens;
  tokens.reserve(ids.size());
  for (const std::size_t each : ids) tokens.push_back(token(each).value());
  return tokens;
}

std::optional<TextToken> Tokenizer::token(std::size_t id) const {
  const auto found = parts_->tokens.spelling(id);
  if (!found) return std::nullopt;
  const std::string spelling(*found);
  const bool is_added = parts_->added.contains(id);
  return TextToken{id, spelling, printable(is_added ? spelling : read_spelling(spelling, parts_->spelling_rules))};
}

std::optional<std::size_t> Tokenizer::id(std::string_view spelling) const { return parts_->tokens.id(spelling); }

std::size_t Tokenizer::size() const { return parts_->tokens.size(); }

}  // namespace attn
