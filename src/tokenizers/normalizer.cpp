#include <algorithm>
#include <utility>

#include "base/text.h"
#include "base/utf8.h"
#include "tokenizers/pieces.h"
#include "tokenizers/unicode.h"

namespace attn {
namespace {

// What the reference takes for Chinese. The blocks are BERT's, and so is 2B920, for which Unicode has 2B820.
bool is_chinese(char32_t point) {
  static constexpr std::pair<char32_t, char32_t> blocks[] = {{0x4E00, 0x9FFF},   {0x3400, 0x4DBF},   {0x20000, 0x2A6DF},
                                                             {0x2A700, 0x2B73F}, {0x2B740, 0x2B81F}, {0x2B920, 0x2CEAF},
                                                             {0xF900, 0xFAFF},   {0x2F800, 0x2FA1F}};
  for (const auto& [first, last] : blocks) {
    if (point >= first && point <= last) return true;
  }
  return false;
}

std::string cleaned(std::string_view text) {
  std::string result;
  for_each_point(text, [&](char32_t point) {
    const bool is_typed_blank = point == '\t' || point == '\n' || point == '\r';
    if (point == 0 || point == 0xFFFD || (is_control(point) && !is_typed_blank)) return;
    append_utf8(is_white_space(point) ? U' ' : point, result);
  });
  return result;
}

std::string with_spaces_around_chinese(std::string_view text) {
  std::string result;
  for_each_point(text, [&](char32_t point) {
    const bool alone = is_chinese(point);
    if (alone) result += ' ';
    append_utf8(point, result);
    if (alone) result += ' ';
  });
  return result;
}

std::string without(bool (*is_unwanted)(char32_t), const std::string& text) {
  std::string result;
  for_each_point(text, [&](char32_t point) {
    if (!is_unwanted(point)) append_utf8(point, result);
  });
  return result;
}

}  // namespace

Diagnostic text_too_long() {
  return {.code = "text-too-long",
          .message = "the tokenizer makes more of the text than " + spelled_size(longest_made_text) +
                     ", or than a million tokens",
          .help = "give a shorter one; or is tokenizer.json another than the model's?"};
}

Normalizer one_after_the_other(std::vector<Normalizer> steps) {
  return [steps = std::move(steps)](std::string text) -> Result<std::string> {
    for (const Normalizer& step : steps) {
      const std::size_t before = text.size();
      auto next = step(std::move(text));
      if (!next) return next;
      if (next.value().size() > std::max(longest_made_text, before)) return text_too_long();
      text = std::move(next.value());
    }
    return text;
  };
}

Normalizer cleaning(const BertCleaning& settings) {
  return [settings](std::string text) -> Result<std::string> {
    if (settings.cleans) text = cleaned(text);
    if (settings.puts_spaces_around_chinese) text = with_spaces_around_chinese(text);
    if (settings.strips_accents) text = without(is_nonspacing_mark, normalised(text, NormalForm::nfd));
    if (settings.lowers) text = in_small_letters(text);
    return text;
  };
}

Normalizer stripping_marks() {
  return [](const std::string& text) { return Result<std::string>(without(is_mark, text)); };
}

Normalizer stripping(bool left, bool right) {
  return [left, right](std::string text) -> Result<std::string> {
    std::size_t begin = text.size(), end = 0, at = 0;
    for_each_point(text, [&](char32_t point) {
      const std::size_t start = at;
      at += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
      if (is_white_space(point)) return;
      begin = std::min(begin, start);
      end = at;
    });
    if (end == 0) return left || right ? std::string() : text;
    if (!left) begin = 0;
    if (!right) end = text.size();
    return text.substr(begin, end - begin);
  };
}

Normalizer prepending(std::string prefix) {
  return [prefix = std::move(prefix)](std::string text) -> Result<std::string> {
    return text.empty() ? text : prefix + text;
  };
}

Normalizer replacing(Wanted what, std::string by) {
  return [what = std::move(what), by = std::move(by)](std::string text) -> Result<std::string> {
    const auto found = what(text);
    if (!found) return found.faults();
    std::size_t size = text.size() + found.value().size() * by.size();
    for (const auto& [begin, end] : found.value()) size -= end - begin;
    if (size > std::max(longest_made_text, text.size())) return text_too_long();
    std::string result;
    result.reserve(size);
    std::size_t at = 0;
    for (const auto& [begin, end] : found.value()) {
      result.append(text, at, begin - at).append(by);
      at = end;
    }
    return result.append(text, at);
  };
}

}  // namespace attn
