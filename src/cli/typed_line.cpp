#include "cli/typed_line.h"

#include <algorithm>

#include "base/shell_word.h"
#include "base/text.h"

namespace attn {
namespace {

// A part of a word of the command line.
struct Part {
  std::size_t word;
  TextRange range;
};

// "--dtype" of "--dtype=f32"
std::string_view option_of(std::string_view word) {
  return word.starts_with('-') ? word.substr(0, word.find('=')) : std::string_view();
}

// Whether a word is one of the names of an option: of "-o,--output" either.
bool is_one_of(std::string_view word, std::string_view names) {
  const std::size_t comma = names.find(',');
  return !word.empty() && (word == names || (comma != std::string_view::npos &&
                                             (word == names.substr(0, comma) || word == names.substr(comma + 1))));
}

// Where a word has a value: as a whole, behind "=", as one of a list, or else anywhere.
std::optional<TextRange> find_value(std::string_view word, std::string_view value) {
  if (value.empty() && !word.empty()) return std::nullopt;  // it would be everywhere
  const auto is_between = [&](std::size_t begin, std::string_view marks) {
    const std::size_t end = begin + value.size();
    return (begin == 0 || marks.find(word[begin - 1]) != std::string_view::npos) &&
           (end == word.size() || marks.find(word[end]) != std::string_view::npos);
  };
  for (const std::string_view marks : {"", "=", "=, "}) {
    for (std::size_t at = word.find(value); at != std::string_view::npos; at = word.find(value, at + 1)) {
      if (is_between(at, marks)) return TextRange{at, at + value.size()};
    }
  }
  const std::size_t at = word.find(value);
  if (at == std::string_view::npos) return std::nullopt;
  return TextRange{at, at + value.size()};
}

std::optional<Part> find_option(std::span<const std::string> words, std::string_view option) {
  for (std::size_t i = words.size(); i-- > 0;) {
    if (is_one_of(option_of(words[i]), option)) return Part{i, {0, option_of(words[i]).size()}};
  }
  return std::nullopt;
}

// The last word that is the value, one behind no option first, else the last that has it.
std::optional<Part> find_word(std::span<const std::string> words, std::string_view value,
                              std::span<const std::string> with_values) {
  const auto is_behind_option = [&](std::size_t i) {
    return i > 0 && std::ranges::find(with_values, words[i - 1]) != with_values.end();
  };
  for (const bool behind_option : {false, true}) {
    for (std::size_t i = words.size(); i-- > 0;) {
      if (words[i] == value && is_behind_option(i) == behind_option) return Part{i, {0, value.size()}};
    }
  }
  for (std::size_t i = words.size(); i-- > 0;) {
    if (const auto range = find_value(words[i], value)) return Part{i, *range};
  }
  return std::nullopt;
}

// An option may be given several times, and may have several words behind it.
std::optional<Part> find_behind(std::span<const std::string> words, std::string_view option, std::string_view value) {
  for (std::size_t i = words.size(); i-- > 0;) {
    if (!is_one_of(option_of(words[i]), option)) continue;
    if (const std::size_t equals = words[i].find('='); equals != std::string::npos) {
      const auto range = find_value(std::string_view(words[i]).substr(equals), value);
      if (range) return Part{i, {equals + range->begin, equals + range->end}};
      continue;
    }
    for (std::size_t behind = i + 1; behind < words.size(); ++behind) {
      if (words[behind].starts_with("--") && words[behind] != value) break;
      if (const auto range = find_value(words[behind], value)) return Part{behind, *range};
    }
  }
  return std::nullopt;
}

std::optional<Part> find_part(std::span<const std::string> words, const Typed& meant,
                              std::span<const std::string> with_values) {
  if (!meant.value) return find_option(words, meant.option);
  const bool is_by_place = !meant.option.starts_with('-');
  return is_by_place ? find_word(words, *meant.value, with_values) : find_behind(words, meant.option, *meant.value);
}

}  // namespace

std::optional<TypedLine> find_typed(std::span<const std::string> words, const Typed& meant,
                                    std::span<const std::string> with_values) {
  const bool is_end = meant.option.empty() && !meant.value;
  const auto part = is_end ? std::nullopt : find_part(words, meant, with_values);
  if (!is_end && !part) return std::nullopt;
  TypedLine typed{"attn", {}};
  for (std::size_t i = 0; i < words.size(); ++i) {
    typed.line += " ";
    if (part && part->word == i) {
      const std::string_view word = words[i];
      const auto [begin, end] = part->range;
      typed.range.begin =
          typed.line.size() + shell_quote(word).size() + within_shell_quotes(word.substr(0, begin), word).size();
      typed.range.end = typed.range.begin + within_shell_quotes(word.substr(begin, end - begin), word).size();
    }
    typed.line += shell_word(words[i]);
  }
  if (is_end) {
    typed.line += " ";
    typed.range = {typed.line.size(), typed.line.size()};
  }
  return typed;
}

}  // namespace attn
