#include <algorithm>
#include <string>
#include <utility>

#include "formats/latex/blocks.h"
#include "formats/latex/math.h"

namespace attn {
namespace {

constexpr double indent = 20;  // of displayed lines
constexpr double quad = 10;

// How high displayed lines are, and what is above and below them: on slides there is less.
double line_height(const LatexPage& page) { return page.is_slide() ? 15 : 16; }
double around(const LatexPage& page) { return page.is_slide() ? 6 : 10; }

// Something of a line that is not broken, and how wide it is.
struct Set {
  std::string text;
  double width = 0;
};

void join(const Set& next, Set& line) {
  if (!line.text.empty() && !next.text.empty()) line.text += ' ';
  line.text += next.text;
  line.width += next.width;
}

// A term of a side; the first of them with the relation before it.
Set set_term(const Expression& side, std::size_t at) {
  const std::string relation = at == 0 ? side.relation : "";
  return {(relation.empty() ? "" : latex_math(relation) + " ") + latex_math(side.terms[at], true),
          (relation.empty() ? 0 : latex_math_width({relation})) + latex_math_width(side.terms[at])};
}

Set set_side(const Expression& side) {
  Set all;
  for (std::size_t i = 0; i < side.terms.size(); ++i) join(set_term(side, i), all);
  return all;
}

std::string remark_text(const Equation& equation) {
  return equation.remark.empty() ? "" : "(" + latex_prose(equation.remark) + ")";
}

double remark_width(const Equation& equation) {
  return equation.remark.empty() ? 0 : quad + latex_text_width(plain(equation.remark) + "()");
}

// The lines of a derivation as rows of an alignat.
class AlignedRows {
 public:
  AlignedRows(const Derivation& derivation, const LatexPage& page)
      : derivation_(derivation), page_(page), width_(page.width - indent) {
    // Lines of as many sides each have them one below the other; else only the first relation is.
    const auto sides = [](const Equation& equation) { return equation.sides.size(); };
    each_side_ = std::ranges::adjacent_find(derivation.lines, std::not_equal_to<>(), sides) == derivation.lines.end();
    for (const Equation& equation : derivation.lines) measure(equation);
    if (label_width_ > 0) label_width_ += 2 * quad;
  }

  // The rows, without "\\\\".
  std::vector<std::string> rows() {
    for (const Equation& equation : derivation_.lines) {
      next_step();
      if (all_fit()) {
        aligned(equation);
      } else {
        broken(equation);
      }
    }
    return std::move(rows_);
  }

  // The indent and the widest of the rows.
  double widest() const { return indent + (all_fit() ? std::max(width(), widest_) : width_); }

  // In which the rows appear, where a slide is built up; what they are is step 0.
  int last_step() const { return step_; }

  std::size_t columns() const {
    return (label_width_ > 0 ? 1 : 0) + (all_fit() ? std::max<std::size_t>(side_widths_.size(), 1) : 2);
  }

 private:
  // Of lines whose sides are aligned.
  double width() const {
    double total = label_width_;
    for (const double side : side_widths_) total += side;
    return total;
  }

  // What is aligned with other lines.
  std::vector<Set> columns_of(const Equation& equation) const {
    std::vector<Set> columns;
    for (const Expression& side : equation.sides) {
      if (each_side_ || columns.size() < 2) {
        columns.push_back(set_side(side));
      } else {
        join(set_side(side), columns.back());
      }
    }
    return columns;
  }

  void measure(const Equation& equation) {
    if (!equation.label.empty()) label_width_ = std::max(label_width_, latex_label_width(plain(equation.label)));
    const std::vector<Set> sides = columns_of(equation);
    for (std::size_t i = 0; i < sides.size(); ++i) {
      const double width = sides[i].width;
      if (side_widths_.size() <= i) side_widths_.push_back(0);
      side_widths_[i] = std::max(side_widths_[i], width);
      if (i == 0 && width <= width_ / 3) left_width_ = std::max(left_width_, width);
    }
  }

  bool all_fit() const { return width() <= width_; }

  std::string start(const Equation& equation) const {
    if (label_width_ == 0) return "";
    if (equation.label.empty()) return "&&";
    return "&\\attnlabel{" + latex_label(plain(equation.label)) + "}\\quad&";
  }

  // The next column: "&" before the first, "&&" before others.
  std::string cell(const std::string& row, const std::string& content) const {
    return (row.empty() || row.ends_with('&') ? "&" : "&&") + latex_from_step(step_, content, page_) +
           (content.ends_with('&') ? "{}" : "");
  }

  // Of many lines the last appear together.
  void next_step() {
    constexpr int most_steps = 12;
    if (page_.overlays && step_ < most_steps) ++step_;
  }

  // A formula, then its numbers, then the result: of few lines, whose sides have steps of their own.
  void next_side(std::size_t side) {
    constexpr std::size_t few_lines = 4;
    if (side > 1 && derivation_.lines.size() <= few_lines) next_step();
  }

  void aligned(const Equation& equation) {
    std::string row = start(equation);
    double used = label_width_;
    const std::vector<Set> sides = columns_of(equation);
    for (std::size_t i = 0; i < sides.size(); ++i) {
      next_side(i);
      row += cell(row, sides[i].text);
      used += side_widths_[i];
    }
    finish(equation, std::move(row), used);
  }

  void broken(const Equation& equation) {
    const double room = width_ - label_width_ - left_width_;
    std::string row = start(equation);
    if (equation.sides.empty()) return finish(equation, std::move(row), label_width_);

    const Set left = set_side(equation.sides[0]);
    if (left.width > left_width_ + 0.01) {
      row += cell(row, "\\attnlap{" + left.text + "}");
      if (equation.sides.size() > 1) rows_.push_back(std::exchange(row, blank()));
      if (equation.sides.size() == 1) return finish(equation, std::move(row), label_width_ + left.width);
    } else {
      row += cell(row, left.text);
    }
    Set now;
    bool is_first = true;  // of the line's rows
    for (std::size_t i = 1; i < equation.sides.size(); ++i) {
      for (std::size_t at = 0; at < equation.sides[i].terms.size(); ++at) {
        const Set term = set_term(equation.sides[i], at);
        const bool fits = now.width + term.width <= room;
        if (!fits && !now.text.empty()) {
          rows_.push_back(row + cell(row, now.text));
          row = blank();
          now = at == 0 ? Set{} : Set{"\\quad{}", quad};
          is_first = false;
        }
        join(term, now);
      }
    }
    if (is_first || !now.text.empty()) row += cell(row, now.text);
    finish(equation, std::move(row), label_width_ + left_width_ + now.width);
  }

  // The beginning of a row without label and left side.
  std::string blank() const { return label_width_ > 0 ? "&&&&" : "&&"; }

  void finish(const Equation& equation, std::string row, double used) {
    const std::string remark = remark_text(equation);
    widest_ = std::max(widest_, std::min(used + remark_width(equation), width_));
    if (remark.empty()) {
      rows_.push_back(std::move(row));
    } else if (used + remark_width(equation) <= width_) {
      rows_.push_back(row + latex_from_step(step_, "\\quad\\attnremark{" + remark + "}", page_));
    } else {
      rows_.push_back(std::move(row));
      const double room = width_ - label_width_ - left_width_ - quad;
      const std::string below = "\\attnremarkbelow{" + latex_length(room) + "}{" + remark + "}";
      rows_.push_back(blank() + "&" + latex_from_step(step_, below, page_));
    }
  }

  const Derivation& derivation_;
  const LatexPage& page_;
  double width_;
  bool each_side_ = true;  // is aligned
  double label_width_ = 0;
  double left_width_ = 0;  // of left sides that are not too wide for a column
  double widest_ = 0;
  std::vector<double> side_widths_;
  std::vector<std::string> rows_;
  int step_ = 0;
};

std::string displayed(const std::vector<std::string>& rows, std::size_t begin, std::size_t end, std::size_t columns) {
  std::string text = "\\begin{alignat*}{" + std::to_string(columns) + "}\n";
  // Few lines stay on one page, and of many no one stays alone.
  constexpr std::size_t few = 12;
  for (std::size_t i = begin; i < end; ++i) {
    const bool together = end - begin <= few || i == begin || i + 2 >= end;
    text += rows[i] + (i + 1 == end ? "\n" : together ? " \\\\*\n" : " \\\\\n");
  }
  return text + "\\end{alignat*}\n";
}

// One line that says all by itself, its title behind it; none where there is no room.
LatexPieces single_line(const Derivation& derivation, const LatexPage& page) {
  const bool single = derivation.formula.empty() && derivation.lines.size() == 1 && !derivation.title.empty() &&
                      derivation.lines[0].remark.empty();
  if (!single) return {};
  AlignedRows line(derivation, page);
  const std::vector<std::string> rows = line.rows();
  const double width = line.widest() + 2 * quad + latex_text_width(derivation.title);
  if (rows.size() > 1 || width > page.width) return {};
  const std::string title = "\\qquad\\attnremark{" + latex_prose(derivation.title) + "}";
  return {{"\\attnsingle\n" + displayed({rows[0] + title}, 0, 1, line.columns()), line_height(page) + around(page)}};
}

}  // namespace

LatexPieces latex_pieces(const Derivation& derivation, const LatexPage& page) {
  if (!page.is_slide()) {
    if (LatexPieces line = single_line(derivation, page); !line.empty()) return line;
  }
  std::string head;
  double head_height = 0;
  if (!derivation.formula.empty() || !derivation.title.empty()) {
    const std::string formula = latex_inline_math(derivation.formula);
    head = (formula.empty() ? "\\attnlinestitle{" : "\\attnderivation{" + formula + "}{") +
           latex_prose(derivation.title) + "}\n";
    const double width = latex_math_width(derivation.formula) * 1.1 + quad + latex_text_width(derivation.title);
    head_height = latex_height(width, page) + (page.is_slide() ? -1 : 3);
  }
  AlignedRows lines(derivation, page);
  const std::size_t columns = lines.columns();
  const std::vector<std::string> rows = lines.rows();
  std::size_t most = rows.size();
  if (page.is_slide()) {
    most = std::max<std::size_t>(
        static_cast<std::size_t>((page.height - head_height - around(page)) / line_height(page)), 1);
  }
  LatexPieces pieces;
  for (std::size_t begin = 0; begin < rows.size(); begin += most) {
    const std::size_t end = std::min(begin + most, rows.size());
    const double height = head_height + line_height(page) * static_cast<double>(end - begin) + around(page);
    pieces.push_back({head + displayed(rows, begin, end, columns), height, lines.last_step() + 1});
  }
  if (pieces.empty()) pieces.push_back({head, head_height});
  return pieces;
}

LatexPieces latex_pieces(const Tree& tree, const LatexPage& page) {
  constexpr std::size_t deepest = 12;
  LatexPieces pieces;
  for (const Branch& branch : tree.branches) {
    std::string line;
    double width = 12.0 * static_cast<double>(branch.depth + 1);
    for (const Expression& side : branch.line.sides) {
      for (std::size_t i = 0; i < side.terms.size(); ++i) {
        const Set term = set_term(side, i);
        // After a comma TeX breaks no line by itself.
        line += (i == 0 ? "" : "\\allowbreak ") + term.text;
        width += term.width;
      }
    }
    if (!line.empty()) line = "$" + line + "$";
    if (!branch.line.label.empty()) line = "\\attnfaint{" + latex_label(plain(branch.line.label)) + "}\\quad " + line;
    if (!branch.line.remark.empty()) line += "\\quad{\\small\\attnfaint{" + remark_text(branch.line) + "}}";
    width += remark_width(branch.line);
    pieces.push_back({(pieces.empty() ? "\\par\\smallskip\n" : "") + std::string("\\attnbranch{") +
                          std::to_string(std::min(branch.depth, deepest)) + "}{" + line + "}\n",
                      latex_height(width, page) - 2});
  }
  return pieces;
}

}  // namespace attn
