#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/core.h>

#include "base/text.h"
#include "base/utf8.h"
#include "formats/formula/tree.h"
#include "formats/spelling.h"
#include "formats/svg/pen.h"

namespace attn {
namespace {

constexpr double lowered = -0.22, raised = 0.36, smaller = 0.72;

// Takes a formula apart into runs, from left to right.
class FormulaSetter {
 public:
  explicit FormulaSetter(const Theme& theme) : theme_(theme) {}

  void set(const FormulaPart& part, TextRun look = {}) {
    using Kind = FormulaPart::Kind;
    if (part.role) look.fill = theme_.of(*part.role).ink;
    switch (part.kind) {
      case Kind::row:
        for (const FormulaPart& child : part.children) set(child, look);
        return;
      case Kind::subscript:
      case Kind::superscript: {
        set(part.children[0], look);
        look.rise += (part.kind == Kind::subscript ? lowered : raised) * look.scale;
        look.scale *= smaller;
        begins_ = true;
        return set(part.children[1], look);
      }
      case Kind::root: {
        const bool several = part.children[0].kind == Kind::row;  // of one child it would be that alone
        add(several ? "√(" : "√", look);
        set(part.children[0], look);
        if (several) add(")", look);
        return;
      }
      case Kind::sign:
        return sign(part.text, look);
      case Kind::identifier:
        look.italic = true;
        return add(part.text, look);
      case Kind::number:
      case Kind::word:
        return add(part.text, look);
    }
  }

  Runs take() { return std::move(runs_); }

 private:
  // Signs between two terms have spaces around them; those that open or close or
  // stand before a number do not.
  void sign(const std::string& text, const TextRun& look) {
    static constexpr std::string_view spaced[] = {"=", "≈", "+", "/", "→", "<", ">", "≤", "≥", "≠"};
    const bool between = std::ranges::find(spaced, text) != std::end(spaced) || (text == "−" && follows_term());
    if (text == "[" || text == "(") {
      tight_.push_back(text == "[" && follows_term());
    } else if ((text == "]" || text == ")") && !tight_.empty()) {
      tight_.pop_back();
    }
    if (between && !runs_.empty()) add(" ", look);
    add(text, look);
    const bool is_index = !tight_.empty() && tight_.back();
    if (between || (text == "," && !is_index)) add(" ", look);
  }

  bool follows_term() const {
    if (runs_.empty() || begins_) return false;
    const std::string& last = runs_.back().text;
    return !last.ends_with(' ') && !last.ends_with('(') && !last.ends_with('[') && !last.ends_with("×");
  }

  void add(std::string text, const TextRun& look) {
    if (!runs_.empty() && runs_.back().text.ends_with(' ') && text.starts_with(' ')) text.erase(0, 1);
    if (text.empty()) return;
    begins_ = false;
    runs_.push_back(look);
    runs_.back().text = std::move(text);
  }

  const Theme& theme_;
  Runs runs_;
  bool begins_ = false;      // a raised or lowered part
  std::vector<bool> tight_;  // of the open brackets: whether they are of an index
};

bool reads_from_right(char32_t c) {
  return (c >= 0x590 && c < 0x900) || (c >= 0xFB1D && c < 0xFE00) || (c >= 0xFE70 && c < 0xFF00) ||
         (c >= 0x10800 && c < 0x11000) || (c >= 0x1E800 && c < 0x1F000);
}

bool reads_from_right(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point(text, at);
    if (reads_from_right(point.value)) return true;
    at += point.bytes;
  }
  return false;
}

double width_of(const TextRun& run, double size, bool bold) {
  return text_width(run.text, size * run.scale) * (bold ? 1.1 : 1.0);
}

}  // namespace

Runs text_runs(const Inline& text, const Theme& theme) {
  Runs runs;
  for (const Span& span : text) {
    runs.push_back({printable(span.text), span.role ? theme.of(*span.role).ink : std::string_view{}});
  }
  return runs;
}

Runs formula_runs(const Inline& formula, const Theme& theme) {
  Inline safe = formula;
  for (Span& span : safe) span.text = printable(span.text);
  FormulaSetter setter(theme);
  setter.set(formula_tree(safe));
  return setter.take();
}

void append(Runs more, Runs& runs) { std::ranges::move(more, std::back_inserter(runs)); }

double runs_width(const Runs& runs, double size, bool bold) {
  double width = 0;
  for (const TextRun& run : runs) width += width_of(run, size, bold);
  return width;
}

std::vector<Runs> wrapped(const Runs& runs, double size, double width, bool bold) {
  std::vector<Runs> words(1);
  for (const TextRun& run : runs) {
    TextRun look = run;
    look.text = std::string();  // a copy of it for every word would be a lot
    std::size_t end = 0;        // of the word that goes on
    for (std::size_t begin = 0; begin < run.text.size();) {
      if (run.text[begin] == ' ' && run.rise == 0) {
        words.emplace_back();
        ++begin;
        continue;
      }
      if (begin >= end) end = run.rise == 0 ? std::min(run.text.find(' ', begin), run.text.size()) : run.text.size();
      const std::string_view word = std::string_view(run.text).substr(begin, end - begin);
      // A word that is longer than a line is cut where the line is full.
      const std::size_t fits = fitting_bytes(word, size * run.scale * (bold ? 1.1 : 1.0), width);
      const bool is_cut = fits < word.size();
      if (is_cut && !words.back().empty()) words.emplace_back();
      words.back().push_back(look);
      words.back().back().text = word.substr(0, fits);
      begin += fits;
      if (is_cut) words.emplace_back();
    }
  }
  std::vector<Runs> lines;
  double used = 0;
  const double space = text_width(" ", size);
  for (Runs& word : words) {
    if (word.empty()) continue;
    const double needed = runs_width(word, size, bold);
    if (lines.empty() || used + space + needed > width) {
      lines.emplace_back();
      used = 0;
    } else {
      TextRun blank = word.front();
      blank.text = " ";
      lines.back().push_back(std::move(blank));
      used += space;
    }
    used += needed;
    append(std::move(word), lines.back());
  }
  return lines;
}

std::string svg_runs(double x, double y, const Runs& runs, const TextLook& look) {
  std::string element = text_begin(x, y, look);
  double rise = 0;  // where the line is now
  for (const TextRun& run : runs) {
    std::string attributes;
    if (run.rise != rise) attributes += fmt::format(R"( dy="{}")", svg_number((rise - run.rise) * look.size));
    rise = run.rise;
    if (run.scale != 1) attributes += fmt::format(R"( font-size="{}")", svg_number(run.scale * look.size));
    if (!run.fill.empty() && run.fill != look.fill) attributes += fmt::format(R"( fill="{}")", run.fill);
    if (run.italic) attributes += R"( font-style="italic")";
    if (reads_from_right(run.text)) attributes += R"( unicode-bidi="isolate")";
    const std::string text = escaped_markup(run.text);
    element += attributes.empty() ? text : "<tspan" + attributes + ">" + text + "</tspan>";
  }
  return element + "</text>\n";
}

}  // namespace attn
