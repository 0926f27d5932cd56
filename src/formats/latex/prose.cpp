#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/core.h>

#include "base/text.h"
#include "base/utf8.h"
#include "formats/latex/blocks.h"
#include "formats/latex/math.h"

namespace attn {
namespace {

constexpr std::string_view opening = "([";
constexpr std::string_view closing = ")],.;:!?";

// "√d_k", "q₁", "S″", "W_K", "A·V": what reads better as a formula, and is short.
bool is_formula(std::string_view word) {
  if (word.empty() || word.size() > 48) return false;
  static constexpr std::u32string_view signs = U"√₀₁₂₃₄₅₆₇₈₉ᵀ′″", operators = U"·×^", others = U"−+=≈/()[],._*";
  constexpr auto npos = std::u32string_view::npos;
  bool has_sign = false, has_operator = false, has_words = false;
  bool in_index = false;
  std::size_t letters = 0;  // in a row
  for (std::size_t at = 0; at < word.size();) {
    const CodePoint point = code_point(word, at);
    const bool plain = point.value < 0x80 && is_ascii_alnum(word[at]);
    has_sign = has_sign || signs.find(point.value) != npos;
    has_operator = has_operator || operators.find(point.value) != npos;
    const bool known = signs.find(point.value) != npos || operators.find(point.value) != npos;
    if (!plain && !known && others.find(point.value) == npos) return false;
    letters = plain && is_ascii_letter(word[at]) ? letters + 1 : 0;
    has_words = has_words || (letters > 1 && !in_index);
    in_index = word[at] == '_' || (in_index && plain);
    at += point.bytes;
  }
  if (has_sign || (has_operator && !has_words && word.size() > 2)) return true;
  // A letter with an index: "d_k", "d_model".
  return word.size() > 2 && is_ascii_letter(word[0]) && word[1] == '_' && is_ascii_letter(word[2]) &&
         std::ranges::all_of(word.substr(2), is_ascii_alnum);
}

// A symbol that has a role: "A", "S[1,2]".
bool is_symbol(std::string_view text) {
  return !text.empty() && is_ascii_letter(text[0]) && (text.size() == 1 || text[1] == '[' || text[1] == '*');
}

bool is_operator(std::string_view word) {
  static constexpr std::array<std::string_view, 8> operators = {"=", "≈", "+", "−", "×", "·", "/", "→"};
  return std::ranges::find(operators, word) != operators.end();
}

bool is_number(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](char c) { return is_ascii_digit(c) || c == '.'; });
}

// A word and the punctuation around it.
struct Word {
  std::string_view before, core, after;

  explicit Word(std::string_view text) {
    const std::size_t begin = std::min(text.find_first_not_of(opening), text.size());
    const std::size_t last = text.find_last_not_of(closing);
    const std::size_t end = last == std::string_view::npos ? begin : std::max(begin, last + 1);
    before = text.substr(0, begin);
    core = text.substr(begin, end - begin);
    after = text.substr(end);
    // "S[1,2]" keeps its bracket, "2^(−4)" its parenthesis.
    const auto keeps = [&](char open, char close) {
      return after.starts_with(close) && core.find(open) != std::string_view::npos;
    };
    if (keeps('[', ']') || keeps('(', ')')) {
      core = text.substr(begin, end - begin + 1);
      after.remove_prefix(1);
    }
  }

  bool is_operand() const { return is_formula(core) || is_symbol(core) || is_number(core); }
};

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

// What of a label is shown.
std::string cut(std::string_view text, double width) {
  std::string safe = printable(text);
  if (latex_text_width(safe) <= width) return safe;
  const double left = width - latex_text_width("…");
  std::size_t end = 0;
  double used = 0;
  while (end < safe.size()) {
    const CodePoint point = code_point(safe, end);
    used += latex_text_width(std::string_view(safe).substr(end, point.bytes));
    if (used > left) break;
    end += point.bytes;
  }
  return safe.substr(0, end) + "…";
}

}  // namespace

std::string latex_prose(std::string_view text) {
  const std::vector<std::string_view> words = words_of(text);
  std::string all;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) all += ' ';
    const Word first(words[i]);
    // "S = Q·Kᵀ" is one formula.
    std::size_t last = i;
    while (last + 2 < words.size() && Word(words[last]).is_operand() && Word(words[last]).after.empty() &&
           is_operator(words[last + 1]) && Word(words[last + 2]).is_operand() && Word(words[last + 2]).before.empty()) {
      last += 2;
    }
    if (last == i && !is_formula(first.core)) {
      all += latex_text(words[i]);
      continue;
    }
    const Word end(words[last]);
    const std::string_view formula(first.core.data(),
                                   static_cast<std::size_t>(end.core.data() + end.core.size() - first.core.data()));
    all += latex_text(first.before) + "$" + latex_math(formula) + "$" + latex_text(end.after);
    i = last;
  }
  return all;
}

std::string latex_prose(const Inline& text) {
  std::string all;
  for (const Span& span : text) {
    const bool symbol = span.role && is_symbol(span.text) && span.text.find(' ') == std::string::npos;
    const std::string words = symbol ? "$" + latex_math(span.text) + "$" : latex_prose(span.text);
    all += latex_coloured(span.role, words);
  }
  return all;
}

std::string latex_label(std::string_view text, double width) { return latex_text(cut(text, width)); }

double latex_label_width(std::string_view text, double width) { return latex_text_width(cut(text, width)); }

std::string latex_length(double width) { return fmt::format("{:.1f}em", width / 10); }

double latex_height(double text_width, const LatexPage& page) {
  constexpr double line_height = 13;
  return line_height * std::max(1.0, std::ceil(text_width * 1.05 / page.width)) + 4;
}

}  // namespace attn
