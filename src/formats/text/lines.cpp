#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "base/text.h"
#include "formats/text/layout.h"

namespace attn {
namespace {

constexpr std::size_t gap = 2;  // between a label and its line, a line and its remark
constexpr std::size_t shortest_bar = 8, longest_bar = 24;

class Equations {
 public:
  Equations(const Derivation& derivation, const Typesetter& typesetter, std::size_t width, std::size_t indent)
      : derivation_(derivation), typesetter_(typesetter), width_(width), indent_(indent) {
    for (const Equation& equation : derivation.lines) measure(equation);
  }

  std::vector<StyledLine> lines() {
    for (std::size_t line = 0; line < derivation_.lines.size(); ++line) {
      const Equation& equation = derivation_.lines[line];
      StyledLine start(indent_);
      start.add(labels_[line]);
      if (label_width_ > 0) start.pad_to(indent_ + label_width_ + gap);
      const std::size_t first = lines_.size();
      if (all_fit()) {
        aligned(equation, std::move(sides_[line]), std::move(start));
        if (!equation.shares.empty()) shared_.emplace_back(first, &equation);
      } else {
        broken(equation, std::move(start));
        if (equation.shares.size() > 1) shared_.emplace_back(lines_.size() - 1, &equation);
      }
    }
    if (typesetter_.options().has("heatmap")) add_bars();
    return std::move(lines_);
  }

 private:
  void measure(const Equation& equation) {
    labels_.emplace_back();
    if (!equation.label.empty()) labels_.back().add(faint(typesetter_.label(plain(equation.label))));
    label_width_ = std::max(label_width_, labels_.back().width());
    sides_.emplace_back();
    for (std::size_t i = 0; i < equation.sides.size(); ++i) {
      sides_.back().push_back(typesetter_.line(equation.sides[i].whole()));
      if (side_widths_.size() <= i) side_widths_.push_back(0);
      side_widths_[i] = std::max(side_widths_[i], sides_.back()[i].width());
    }
  }

  bool all_fit() const {
    std::size_t total = indent_ + (label_width_ > 0 ? label_width_ + gap : 0);
    for (const std::size_t side : side_widths_) total += side + 1;
    return total <= width_ + 1;
  }

  void aligned(const Equation& equation, std::vector<StyledLine> sides, StyledLine line) {
    std::size_t at = line.width();
    for (std::size_t i = 0; i < sides.size(); ++i) {
      line.pad_to(at);
      line.add(std::move(sides[i]));
      at += side_widths_[i] + 1;
    }
    remark(equation, std::move(line));
  }

  // Sides one after another; what does not fit goes on below the first of them.
  void broken(const Equation& equation, StyledLine line) {
    std::size_t hang = line.width() + 2;
    if (!equation.sides.empty() && equation.sides[0].terms.size() == 1) {
      hang = std::min(line.width() + typesetter_.line(equation.sides[0].whole()).width() + 1, width_ / 3);
    }
    for (const Expression& side : equation.sides) {
      for (std::size_t at = 0; at < side.terms.size(); ++at) {
        const bool first = at == 0;
        StyledLine piece = typesetter_.line(side.term(at));
        const bool fresh = line.width() <= hang;
        if (!fresh && line.width() + 1 + piece.width() > width_) {
          lines_.push_back(std::exchange(line, StyledLine(first ? hang : hang + 2)));
        } else if (line.width() > indent_ && !(&side == &equation.sides[0] && first)) {
          line.add(Piece{" "});
        }
        line.add(std::move(piece));
      }
    }
    remark(equation, std::move(line));
  }

  void remark(const Equation& equation, StyledLine line) {
    if (equation.remark.empty()) return lines_.push_back(std::move(line));
    const Inline text = in_parentheses(equation.remark);
    StyledLine words = typesetter_.line(text, Weight::faint);
    if (line.width() + gap + words.width() <= width_) {
      line.add(Piece{std::string(gap, ' ')});
      line.add(std::move(words));
      return lines_.push_back(std::move(line));
    }
    lines_.push_back(std::move(line));
    const std::size_t under = indent_ + 2 + (label_width_ > 0 ? label_width_ + gap : 0);
    for (StyledLine& part : typesetter_.wrapped(text, width_ - std::min(width_, under), Weight::faint)) {
      lines_.emplace_back(under).add(std::move(part));
    }
  }

  // Bars behind the lines that end in attention weights, all from one column on
  // and as long for the same weight.
  void add_bars() {
    std::size_t at = 0;
    for (const auto& [line, equation] : shared_) at = std::max(at, lines_[line].width() + gap);
    if (at >= width_) return;
    const std::size_t room = width_ - at;
    for (const auto& [line, equation] : shared_) {
      StyledLine bars;
      if (equation->shares.size() > 1) {
        bars = column_bars(equation->shares, room, typesetter_);
      } else if (room > shortest_bar) {
        bars = bar(equation->shares[0], std::min(room - 1, longest_bar), typesetter_);
      }
      if (bars.width() == 0) continue;
      lines_[line].pad_to(at);
      lines_[line].add(std::move(bars));
    }
  }

  const Derivation& derivation_;
  const Typesetter& typesetter_;
  std::size_t width_;
  std::size_t indent_;
  std::size_t label_width_ = 0;
  std::vector<StyledLine> labels_;              // a line
  std::vector<std::vector<StyledLine>> sides_;  // a line
  std::vector<std::size_t> side_widths_;
  std::vector<std::pair<std::size_t, const Equation*>> shared_;  // lines that end in attention weights
  std::vector<StyledLine> lines_;
};

// How wide the longest word of the last column is.
std::size_t longest_last_word(const std::vector<std::vector<Inline>>& rows, std::size_t columns,
                              const Typesetter& typesetter) {
  std::size_t longest = 0;
  for (const auto& row : rows) {
    if (row.size() < columns) continue;
    for (const std::string& word : split(plain(row.back()), ' '))
      longest = std::max(longest, typesetter.line({Span(word)}).width());
  }
  return longest;
}

// How wide each column of a table is: as wide as its cells, but that the last
// one has a third of all, or its longest word, where it needs that and the others
// would leave it less: then the widest of these give way.
// Of a table of numbers only the first one gives way: what stands there can wrap.
std::vector<std::size_t> column_widths(const std::vector<std::vector<Inline>>& rows, const Typesetter& typesetter,
                                       std::size_t width, bool names_may_wrap) {
  constexpr std::size_t least_name = 12;
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    if (widths.size() < row.size()) widths.resize(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], typesetter.line(row[i]).width());
  }
  if (widths.empty()) return widths;
  if (names_may_wrap) {
    std::size_t numbers = 0;
    for (std::size_t i = 1; i < widths.size(); ++i) numbers += gap + widths[i];
    widths[0] = std::min(widths[0], std::max(least_name, width - std::min(width, numbers)));
    return widths;
  }
  const std::size_t word = std::min(longest_last_word(rows, widths.size(), typesetter), width / 2);
  const std::size_t left = width - std::min({width, widths.back(), std::max({width / 3, std::size_t{20}, word})});
  const std::span all_but_last(widths.data(), widths.size() - 1);
  std::size_t others = 0;
  for (const std::size_t column : all_but_last) others += column + gap;
  for (; others > left && std::ranges::max(all_but_last) > 1; --others) --*std::ranges::max_element(all_but_last);
  widths.back() = std::min(widths.back(), width - std::min(width, others));
  return widths;
}

// However deep a line stands, it has so many columns.
constexpr std::size_t narrowest_line = 24;

// For each line whether another follows below the same parent.
std::vector<bool> has_siblings_below(const std::vector<Branch>& branches) {
  std::vector<bool> has(branches.size());
  std::vector<bool> seen;  // at each depth, since the last line above it
  for (std::size_t i = branches.size(); i-- > 0;) {
    seen.resize(branches[i].depth + 1);
    has[i] = seen[branches[i].depth];
    seen[branches[i].depth] = true;
  }
  return has;
}

}  // namespace

std::vector<StyledLine> laid_out(const Derivation& derivation, const Typesetter& typesetter, std::size_t width) {
  std::vector<StyledLine> lines;
  const bool is_one_line = derivation.formula.empty() && derivation.lines.size() == 1;
  if (!is_one_line) {
    if (!derivation.formula.empty()) lines = typesetter.wrapped(derivation.formula, width, Weight::bold);
    add_title(derivation.title, typesetter, width, lines);
  }
  const std::size_t indent = lines.empty() ? 0 : 2;
  append(Equations(derivation, typesetter, width, indent).lines(), lines);
  if (is_one_line) add_title(derivation.title, typesetter, width, lines);
  return lines;
}

std::vector<StyledLine> laid_out(const Table& table, const Typesetter& typesetter, std::size_t width) {
  std::vector<std::vector<Inline>> rows = table.rows;
  if (!table.header.empty()) rows.insert(rows.begin(), table.header);
  const std::vector<std::size_t> widths = column_widths(rows, typesetter, width, table.numbers);

  std::vector<StyledLine> lines = typesetter.wrapped(table.caption, width, Weight::bold);
  if (table.caption.empty()) lines.clear();
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const Weight weight = r == 0 && !table.header.empty() ? Weight::bold : Weight::normal;
    const std::size_t top = lines.size();
    std::size_t at = 0;
    for (std::size_t i = 0; i < rows[r].size(); ++i) {
      std::vector<StyledLine> cell = typesetter.wrapped(rows[r][i], std::max<std::size_t>(widths[i], 1), weight);
      lines.resize(std::max(lines.size(), top + cell.size()));
      for (std::size_t line = 0; line < cell.size(); ++line) {
        const bool right = table.numbers && i > 0 && cell[line].width() < widths[i];
        lines[top + line].pad_to(right ? at + widths[i] - cell[line].width() : at);
        lines[top + line].add(std::move(cell[line]));
      }
      at += widths[i] + gap;
    }
  }
  return lines;
}

std::vector<StyledLine> laid_out(const Tree& tree, const Typesetter& typesetter, std::size_t width) {
  const std::vector<bool> siblings_below = has_siblings_below(tree.branches);
  std::vector<StyledLine> lines;
  std::vector<std::string> rails;  // a depth: what runs down past the lines below
  for (std::size_t i = 0; i < tree.branches.size(); ++i) {
    const Branch& branch = tree.branches[i];
    std::string before;  // the line, then those that it goes on in
    rails.resize(branch.depth);
    for (const std::string& rail : rails) before += rail;
    rails.emplace_back(branch.depth == 0 ? "" : siblings_below[i] ? "│ " : "  ");
    const std::string below = before + rails.back();
    if (branch.depth > 0) before += siblings_below[i] ? "├ " : "└ ";
    const std::size_t left = std::max(width - std::min(width, typesetter.width(before)), narrowest_line);
    for (StyledLine& part : laid_out(Derivation{{}, "", {branch.line}}, typesetter, left)) {
      lines.emplace_back().add(faint(typesetter.spelled(std::exchange(before, below))));
      lines.back().add(std::move(part));
    }
  }
  return lines;
}

}  // namespace attn
