#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "formats/svg/drawings.h"
#include "formats/svg/grid.h"

namespace attn {
namespace {

constexpr double size = 14, leading = 8, indent_step = 24;
constexpr double gap = 16;
constexpr double widest_label = 150;

// Lines of a tree that are too deep, and those that point back to them.
class LeftOutOfTree {
 public:
  explicit LeftOutOfTree(std::size_t levels) : levels_(levels) {}

  bool takes(const Branch& branch) {
    const bool is_deep = branch.depth > levels_;
    bool is_taken = is_deep;
    for (const Slice& slice : branch.cells) {
      for (std::size_t i = 0; i < slice.count; ++i) {
        const Cell cell(slice.tensor, slice.cell(i));
        is_taken = is_taken || taken_.contains(cell);
        if (!is_deep && !is_taken) kept_.insert(cell);
        if (is_deep && !kept_.contains(cell)) taken_.insert(cell);
      }
    }
    any_ = any_ || is_taken;
    return is_taken;
  }

  bool any() const { return any_; }

 private:
  using Cell = std::pair<std::string, std::size_t>;

  std::size_t levels_;
  bool any_ = false;
  std::set<Cell> kept_, taken_;
};

}  // namespace

void FigureSheet::add(const Block& block) {
  std::visit([&](const auto& content) { lay_out(content); }, block);
}

void FigureSheet::add(const Drawing& drawing) {
  space(18);
  content_ += svg_moved(0, y_, drawing.content);
  y_ += drawing.height;
  reach(drawing.width);
}

void FigureSheet::add(const Runs& runs) {
  space(6);
  paragraph(runs, {.size = size, .fill = theme_.ink});
}

void FigureSheet::line(double x, const Runs& runs, const TextLook& look) {
  content_ += svg_runs(x, y_ + look.size, runs, look);
  reach(x + runs_width(runs, look.size, look.bold));
  y_ += look.size + leading;
}

double FigureSheet::paragraph(const Runs& runs, const TextLook& look, double x, double width) {
  double widest = 0;
  for (const Runs& part : wrapped(runs, look.size, width, look.bold)) {
    line(x, part, look);
    widest = std::max(widest, runs_width(part, look.size, look.bold));
  }
  return widest;
}

void FigureSheet::lay_out(const Headline& headline) {
  constexpr double narrow = 400;
  const double font = headline.level == 1 ? (paper_width_ < narrow ? 18 : 22) : headline.level == 2 ? 18 : 15;
  space(headline.level == 1 ? 0 : 18);
  paragraph(text_runs(headline.text, theme_), {.size = font, .fill = theme_.ink, .bold = true});
}

void FigureSheet::lay_out(const Prose& prose) {
  space(6);
  paragraph(text_runs(prose.text, theme_), {.size = size, .fill = theme_.ink});
}

void FigureSheet::lay_out(const Remark& remark) {
  space(6);
  paragraph(text_runs(joined({"Note: "}, remark.text), theme_), {.size = size, .fill = theme_.faint});
}

void FigureSheet::broken(const Equation& equation, double indent) {
  Runs all;
  if (!equation.label.empty()) {
    all.push_back({fitted(plain(equation.label), size, widest_label), theme_.faint});
    all.push_back({"  "});
  }
  for (const Expression& side : equation.sides) {
    if (!all.empty()) all.push_back({" "});
    append(formula_runs(side.whole(), theme_), all);
  }
  if (!equation.remark.empty()) {
    if (!all.empty()) all.push_back({"  "});
    append(text_runs(in_parentheses(equation.remark), theme_), all);
  }
  const std::vector<Runs> parts = wrapped(all, size, paper_width_ - indent - indent_step);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    line(indent + (i > 0 ? indent_step : 0), parts[i], {.size = size, .fill = theme_.ink});
  }
}

void FigureSheet::lay_out(const Matrix& matrix) {
  const GridLook look{.tinted = matrix.role == Role::attention_weight, .full = options_.full, .cut = true};
  const Grid grid(matrix, theme_, look);
  const bool beside = matrix.beside && beside_x_ > 0 && beside_x_ + 30 + std::max(grid.width(), 220.0) <= paper_width_;
  const double below = y_;
  const double x = beside ? beside_x_ + 30 : 0;
  if (beside) {
    y_ = beside_y_;
  } else {
    space(14);
    beside_y_ = y_;
  }
  const double room = matrix.beside ? std::max(grid.width(), 220.0) : std::max(grid.width(), paper_width_);
  double widest = grid.width();
  const auto caption = [&](const Runs& runs, const TextLook& of) {
    widest = std::max(widest, paragraph(runs, of, x, room));
  };
  caption(formula_runs(matrix.name(), theme_), {.size = size, .fill = theme_.ink, .bold = true});
  caption(text_runs({matrix.caption()}, theme_), {.size = size - 1, .fill = theme_.ink});
  caption(text_runs({matrix.meaning()}, theme_), {.size = size - 2, .fill = theme_.faint});
  content_ += grid.drawn(x, y_ + 2);
  y_ += grid.height() + 6;
  reach(x + widest);
  beside_x_ = x + widest;
  y_ = beside ? std::max(y_, below) : y_;
}

void FigureSheet::lay_out(const Table& table) {
  space(10);
  paragraph(text_runs(table.caption, theme_), {.size = size, .fill = theme_.ink, .bold = true});
  std::vector<std::vector<Inline>> rows = table.rows;
  if (!table.header.empty()) rows.insert(rows.begin(), table.header);
  std::vector<double> widths;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const bool bold = r == 0 && !table.header.empty();
    if (widths.size() < rows[r].size()) widths.resize(rows[r].size(), 0);
    for (std::size_t i = 0; i < rows[r].size(); ++i) {
      widths[i] = std::max(widths[i], runs_width(text_runs(rows[r][i], theme_), size, bold) + 1);
    }
  }
  double left = paper_width_;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const double others = static_cast<double>(widths.size() - 1 - i) * 90;
    widths[i] = std::min(widths[i], std::max(left - others, 80.0));
    left -= widths[i] + gap;
  }
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const bool bold = r == 0 && !table.header.empty();
    const double top = y_;
    double bottom = y_;
    double x = 0;
    for (std::size_t i = 0; i < rows[r].size(); ++i) {
      y_ = top;
      paragraph(text_runs(rows[r][i], theme_), {.size = size, .fill = theme_.ink, .bold = bold}, x, widths[i]);
      bottom = std::max(bottom, y_);
      x += widths[i] + gap;
    }
    y_ = bottom;
  }
}

// Each line to the right of that it belongs to, joined to it by an angle.
void FigureSheet::lay_out(const Tree& tree) {
  space(22);
  std::vector<double> last;  // where the line of each depth stands
  LeftOutOfTree left_out(levels_);
  for (const Branch& branch : tree.branches) {
    if (left_out.takes(branch)) continue;
    const double x = static_cast<double>(branch.depth) * indent_step;
    const double middle = y_ + size * 0.65;
    last.resize(branch.depth + 1, middle);
    last[branch.depth] = middle;
    if (branch.depth > 0) {
      content_ += svg("<path d=\"M{} {}V{}H{}\" fill=\"none\" stroke=\"{}\"/>\n", x - indent_step + 6,
                      last[branch.depth - 1] + size * 0.6, middle, x - 4, theme_.arrow);
    }
    broken(branch.line, x);
  }
  if (left_out.any()) lay_out(Prose{{fmt::format("Left out here: what is more than {} levels below.", levels_)}});
}

}  // namespace attn
