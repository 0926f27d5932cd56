#include "formats/latex/math.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.h"
#include "formats/markdown/text.h"
#include "formats/spelling.h"

namespace attn {
namespace {

// About how many characters of a formula stand side by side on a page.
constexpr std::size_t page_width = 84;
constexpr std::size_t line_width = 60;

std::string spelled(std::string_view text, const MarkdownStyle& style) {
  return style.ascii ? asciified(printable(text)) : std::string(text);
}

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// LaTeX that the style can hold: nothing in it may end the formula.
std::optional<std::string> latex(const Inline& formula, const MarkdownStyle& style) {
  std::string text = latex_math(formula, false);
  const bool breaks = text.empty() || text.front() == ' ' || text.back() == ' ' ||
                      text.find_first_of(style.math == MathStyle::dollar ? "$<>\n|" : "`\n|") != std::string::npos;
  if (breaks || (style.ascii && !is_ascii(text))) return std::nullopt;
  return text;
}

std::size_t width(const Inline& text) { return display_width(printable(plain(text))); }

// The side in pieces of about a line each, broken between terms.
std::vector<Inline> pieces(const Expression& side, std::size_t widest) {
  if (width(side.whole()) <= widest) return {side.whole()};
  std::vector<Inline> all(1);
  for (std::size_t i = 0; i < side.terms.size(); ++i) {
    const Inline term = side.term(i);
    if (i > 0 && width(all.back()) + 1 + width(term) > widest) {
      all.emplace_back();
    } else if (i > 0) {
      all.back().emplace_back(" ");
    }
    all.back() = joined(std::move(all.back()), term);
  }
  return all;
}

std::size_t equation_width(const Equation& equation) {
  std::size_t all = 0;
  for (const Expression& side : equation.sides) all += width(side.whole()) + 1;
  return all;
}

// Words that mean the same within \text to everyone who reads LaTeX: a script
// in a page knows fewer escapes there than TeX does.
bool is_plain_text(const Inline& words, const MarkdownStyle& style) {
  constexpr std::string_view marks = " .,;:!?()+-=";
  const std::string text = printable(plain(words));
  if (style.ascii && !is_ascii(text)) return false;
  return std::ranges::all_of(text, [&](char c) {
    return is_ascii_alnum(c) || static_cast<unsigned char>(c) >= 0x80 || marks.find(c) != std::string_view::npos;
  });
}

// The lines of a derivation, their sides aligned. Nothing where they cannot be
// written so: labels are other people's text, for which the mathematics of pages
// has no safe place.
std::optional<std::string> aligned_math(const Derivation& derivation, const MarkdownStyle& style) {
  std::vector<std::size_t> widths;  // of the sides
  for (const Equation& line : derivation.lines) {
    if (!line.label.empty() || !is_plain_text(line.remark, style)) return std::nullopt;
    widths.resize(std::max(widths.size(), line.sides.size()));
    for (std::size_t i = 0; i < line.sides.size(); ++i) {
      widths[i] = std::max(widths[i], width(line.sides[i].whole()) + 1);
    }
  }
  const bool is_narrow = std::accumulate(widths.begin(), widths.end(), std::size_t{0}) <= page_width;
  // In pairs of columns, of which the first is set to the right and the second
  // to the left, each side but the first has the second of a pair.
  const std::size_t pairs = is_narrow ? std::max<std::size_t>(widths.size(), 2) - 1 : 1;
  std::string text = "\\begin{alignedat}{" + std::to_string(pairs) + "}\n";
  for (const Equation& line : derivation.lines) {
    if (&line != &derivation.lines.front()) text += " \\\\\n";
    for (std::size_t i = 0; i < line.sides.size(); ++i) {
      if (i > 1 && !is_narrow) text += " \\\\\n";
      if (i > 0) text += i == 1 || !is_narrow ? " & " : " && ";
      bool goes_on = false;
      for (const Inline& piece : pieces(line.sides[i], is_narrow ? page_width : page_width - 14)) {
        const auto math = latex(piece, style);
        if (!math) return std::nullopt;
        text += (std::exchange(goes_on, true) ? " \\\\\n& \\qquad {} " : "") + *math;
      }
    }
    if (!line.remark.empty()) text += " \\quad \\text{(" + plain(line.remark) + ")}";
  }
  return text + "\n\\end{alignedat}\n";
}

}  // namespace

std::string words_of(std::string_view text, const MarkdownStyle& style) {
  return escaped_markdown(spelled(text, style));
}

bool is_formula(const Span& span) {
  if (!span.role || span.text.empty()) return false;
  return span.text.size() == 1 ||
         !std::ranges::all_of(span.text, [](char c) { return is_ascii_letter(c) || c == ' '; });
}

std::string inline_math(const Inline& formula, const MarkdownStyle& style) {
  if (style.math != MathStyle::none) {
    if (const auto text = latex(formula, style))
      return style.math == MathStyle::github ? "$`" + *text + "`$" : "$" + *text + "$";
    return escaped_markdown(spelled(plain(formula), style), false);
  }
  const std::string text = spelled(plain(formula), style);
  // Within a table not even code may hold these.
  return text.find_first_of("|\\`") != std::string::npos ? escaped_markdown(text, false) : code_span(text);
}

std::string running_text(const Inline& text, const MarkdownStyle& style) {
  std::string all;
  std::string words;
  bool after_formula = false;
  const auto flush = [&] {
    // A digit would undo the dollar before it.
    const bool clash = after_formula && !words.empty() && is_ascii_alnum(words[0]);
    if (clash) all += "&#8203;";
    all += escaped_markdown(spelled(std::exchange(words, ""), style), all.empty());
    after_formula = false;
  };
  for (const Span& span : text) {
    if (!is_formula(span)) {
      words += span.text;
      continue;
    }
    if (!words.empty()) flush();
    all += inline_math({span}, style);
    after_formula = true;
  }
  flush();
  return all;
}

std::string inline_equation(const Equation& equation, const MarkdownStyle& style) {
  std::string all = emphasised(running_text(equation.label, style), "**");
  const auto add = [&](const std::string& next) {
    if (!all.empty() && !next.empty()) all += " ";
    all += next;
  };
  if (style.math != MathStyle::none && equation_width(equation) > line_width) {
    for (const Expression& side : equation.sides) {
      for (const Inline& piece : pieces(side, line_width)) add(inline_math(piece, style));
    }
  } else {
    Inline whole;
    for (const Expression& side : equation.sides) {
      if (!whole.empty()) whole.emplace_back(" ");
      whole = joined(std::move(whole), side.whole());
    }
    if (!whole.empty()) add(inline_math(whole, style));
  }
  if (!equation.remark.empty()) add(running_text(in_parentheses(equation.remark), style));
  return all;
}

std::string display_math(const Derivation& derivation, const MarkdownStyle& style) {
  if (const auto lines = aligned_math(derivation, style)) {
    return style.math == MathStyle::github ? "```math\n" + *lines + "```\n" : "$$\n" + *lines + "$$\n";
  }
  std::string items;
  for (const Equation& line : derivation.lines) items += "- " + inline_equation(line, style) + "\n";
  return items;
}

}  // namespace attn
