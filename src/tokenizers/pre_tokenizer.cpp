#include <algorithm>
#include <cassert>
#include <utility>

#include "base/utf8.h"
#include "tokenizers/byte_alphabet.h"
#include "tokenizers/pieces.h"
#include "tokenizers/unicode.h"

namespace attn {
namespace {

struct Found {
  Stretch stretch;
  bool is_match = false;
};

// All of the text: what was found, and what stands between.
std::vector<Found> covered(const std::vector<Stretch>& matches, std::size_t size, bool inverted) {
  std::vector<Found> all;
  std::size_t at = 0;
  for (const Stretch& match : matches) {
    if (match.first > at) all.push_back({{at, match.first}, inverted});
    all.push_back({match, !inverted});
    at = match.second;
  }
  if (at < size) all.push_back({{at, size}, inverted});
  return all;
}

bool is_joined(Cut cut, const Found& previous, const Found& next) {
  switch (cut) {
    case Cut::removed:
    case Cut::isolated:
      return false;
    case Cut::merged_with_previous:
      return next.is_match && !previous.is_match;
    case Cut::merged_with_next:
      return previous.is_match && !next.is_match;
    case Cut::contiguous:
      return previous.is_match == next.is_match;
  }
  return false;
}

std::vector<Stretch> cuts(const std::vector<Found>& all, Cut cut) {
  std::vector<Stretch> stretches;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (cut == Cut::removed && all[i].is_match) continue;
    if (i > 0 && is_joined(cut, all[i - 1], all[i])) {
      stretches.back().second = all[i].stretch.second;
    } else {
      stretches.push_back(all[i].stretch);
    }
  }
  return stretches;
}

std::size_t total_size(const Snippets& pieces) {
  std::size_t bytes = 0;
  for (const Snippet& piece : pieces) bytes += piece.text.size();
  return bytes;
}

const Pattern& gpt2_pattern() {
  static const Pattern pattern =
      Pattern::read(R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)").value();
  return pattern;
}

}  // namespace

Wanted wanted(std::string text) {
  assert(!text.empty());
  return [text = std::move(text)](std::string_view in) -> Result<std::vector<Stretch>> {
    std::vector<Stretch> found;
    for (std::size_t at = 0; (at = in.find(text, at)) != std::string_view::npos; at += text.size())
      found.emplace_back(at, at + text.size());
    return found;
  };
}

Wanted wanted(Pattern pattern) {
  return [pattern = std::move(pattern)](std::string_view in) { return pattern.matches(in); };
}

Wanted wanted(bool (*is_wanted)(char32_t)) {
  return [is_wanted](std::string_view in) -> Result<std::vector<Stretch>> {
    std::vector<Stretch> found;
    for (std::size_t at = 0; at < in.size();) {
      const CodePoint point = code_point(in, at);
      if (is_wanted(point.value)) found.emplace_back(at, at + point.bytes);
      at += point.bytes;
    }
    return found;
  };
}

PreTokenizer one_after_the_other(std::vector<PreTokenizer> steps) {
  return [steps = std::move(steps)](Snippets& pieces) -> std::optional<Diagnostic> {
    std::size_t size = total_size(pieces);
    for (const PreTokenizer& step : steps) {
      if (auto fault = step(pieces)) return fault;
      const std::size_t before = std::exchange(size, total_size(pieces));
      if (size > std::max(longest_made_text, before)) return text_too_long();
    }
    return std::nullopt;
  };
}

PreTokenizer cutting(Wanted what, Cut cut, bool finds_what_is_between) {
  return [what = std::move(what), cut, finds_what_is_between](Snippets& pieces) -> std::optional<Diagnostic> {
    Snippets smaller;
    for (const Snippet& piece : pieces) {
      const auto found = what(piece.text);
      if (!found) return found.faults().front();
      for (const auto& [begin, end] : cuts(covered(found.value(), piece.text.size(), finds_what_is_between), cut))
        smaller.push_back({piece.text.substr(begin, end - begin), piece.begins_text && begin == 0});
    }
    pieces = std::move(smaller);
    return std::nullopt;
  };
}

PreTokenizer making_bytes(const ByteLevel& settings) {
  const PreTokenizer cut = cutting(wanted(gpt2_pattern()), Cut::isolated);
  return [settings, cut](Snippets& pieces) -> std::optional<Diagnostic> {
    if (settings.adds_prefix_space) {
      for (Snippet& piece : pieces) {
        if (!piece.text.starts_with(' ')) piece.text.insert(0, " ");
      }
    }
    if (settings.uses_pattern) {
      if (auto fault = cut(pieces)) return fault;
    }
    for (Snippet& piece : pieces) piece.text = in_byte_alphabet(piece.text);
    return std::nullopt;
  };
}

PreTokenizer making_metaspaces(const Metaspace& settings) {
  const Normalizer replace = replacing(wanted(" "), settings.replacement);
  const PreTokenizer cut = cutting(wanted(settings.replacement), Cut::merged_with_next);
  return [settings, replace, cut](Snippets& pieces) -> std::optional<Diagnostic> {
    for (Snippet& piece : pieces) {
      auto replaced = replace(std::move(piece.text));
      if (!replaced) return replaced.faults().front();
      piece.text = std::move(replaced.value());
      const bool prepends = settings.prepended == Metaspace::Prepended::always ||
                            (settings.prepended == Metaspace::Prepended::first && piece.begins_text);
      if (prepends && !piece.text.starts_with(settings.replacement)) piece.text.insert(0, settings.replacement);
    }
    return settings.splits ? cut(pieces) : std::nullopt;
  };
}

}  // namespace attn
