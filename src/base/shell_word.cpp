#include "base/shell_word.h"

#include <algorithm>

#include "base/text.h"

namespace attn {
namespace {

bool needs_quotes(std::string_view word) {
  const auto is_plain = [](char c) {
    const bool is_ascii = static_cast<unsigned char>(c) < 0x80;
    return !is_ascii || is_ascii_alnum(c) || std::string_view("-_./,:=+@%^").find(c) != std::string_view::npos;
  };
  return word.empty() || !std::ranges::all_of(word, is_plain);
}

// What a shell would change within double quotes.
constexpr std::string_view special = "\"$`\\!";

bool has_simple_quotes(std::string_view word) {
  return word.find('\'') == std::string_view::npos || word.find_first_of(special) != std::string_view::npos;
}

}  // namespace

std::string shell_quote(std::string_view word) {
  if (!needs_quotes(word)) return "";
  return has_simple_quotes(word) ? "'" : "\"";
}

std::string within_shell_quotes(std::string_view part, std::string_view word) {
  if (!needs_quotes(word) || !has_simple_quotes(word)) return visible(part);
  std::string inner;
  for (const char c : part) inner += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return visible(inner);
}

std::string shell_word(std::string_view word) {
  return shell_quote(word) + within_shell_quotes(word, word) + shell_quote(word);
}

std::string shell_file(std::string_view file) {
  return shell_word((file.starts_with('-') ? "./" : "") + std::string(file));
}

}  // namespace attn
