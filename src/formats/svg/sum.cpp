#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "formats/svg/drawings.h"
#include "formats/svg/pen.h"

namespace attn {
namespace {

constexpr double sum_size = 17, small = 13;
constexpr double box_height = 36, row_distance = 74;
constexpr double between_boxes = 34;  // boxes, with a sign in the middle
constexpr std::size_t most_columns = 16;
constexpr double room_for_more = 80;  // "… 12 more"

// A term without the sign before it.
struct Term {
  std::string sign;
  Inline rest;
};

Term taken_apart(const Inline& term) {
  Term parts{"", term};
  if (term.empty()) return parts;
  std::string& first = parts.rest.front().text;
  for (const std::string sign : {"+ ", "− "}) {
    if (first.starts_with(sign)) {
      parts.sign = sign.substr(0, sign.size() - 1);
      first.erase(0, sign.size());
    }
  }
  return parts;
}

class Sum {
 public:
  Sum(const Branch& branch, const Theme& theme, double widest_line, bool is_narrow)
      : branch_(branch), theme_(theme), widest_line_(widest_line), is_narrow_(is_narrow) {}

  Drawing drawing() {
    const auto side = side_of_products();
    if (side) dot_product(*side);
    if (!side || (is_narrow_ && width_ > widest_line_)) {
      drawn_.clear();
      width_ = 0;
      plain_arithmetic();
    }
    return {width_, height_, std::move(drawn_)};
  }

 private:
  const std::vector<Expression>& sides() const { return branch_.line.sides; }  // of a number: itself, and what it is

  // Where the two rows of a dot product meet number by number.
  std::optional<std::size_t> side_of_products() const {
    const std::vector<NumbersRead>& rows = branch_.made_of;
    if (rows.size() < 2 || rows.size() > 3) return std::nullopt;
    const std::size_t count = rows[0].numbers.size();
    const bool has_bias = rows.size() == 3 && rows[2].numbers.size() == 1;
    if (rows[1].numbers.size() != count || count > most_columns || (rows.size() == 3 && !has_bias)) return std::nullopt;
    for (std::size_t i = 1; i + 1 < sides().size(); ++i) {
      const std::vector<Inline>& terms = sides()[i].terms;
      if (terms.size() != count + (has_bias ? 1 : 0) || (count < 2 && !has_bias)) continue;
      const bool products = std::all_of(terms.begin(), terms.begin() + static_cast<std::ptrdiff_t>(count),
                                        [](const Inline& term) { return plain(term).find("×") != std::string::npos; });
      if (products) return i;
    }
    return std::nullopt;
  }

  void dot_product(std::size_t side) {
    const std::vector<NumbersRead>& rows = branch_.made_of;
    const std::vector<Inline>& terms = sides()[side].terms;
    const Runs result = this->result();
    Runs before = side_runs(side - 1, false);
    double label = runs_width(before, sum_size) + text_width(" =", sum_size);
    for (std::size_t i = 0; i < 2; ++i) label = std::max(label, text_width(rows[i].name.text, small));
    label = std::min(label, 320.0);
    double box = 46;
    for (const NumbersRead& row : rows) {
      for (const std::string& number : row.numbers) box = std::max(box, text_width(number, sum_size) + 18);
    }
    for (const Inline& term : terms) {
      box = std::max(box, runs_width(formula_runs(taken_apart(term).rest, theme_), sum_size) + 18);
    }
    const double left = label + 18;
    const auto x = [&](std::size_t i) { return left + static_cast<double>(i) * (box + between_boxes); };
    const double third = 2 * row_distance + 12;
    for (std::size_t i = 0; i < rows[0].numbers.size(); ++i) {
      const double middle = x(i) + box / 2;
      number_box(x(i), 0, box, {{rows[0].numbers[i]}}, rows[0].name.role);
      number_box(x(i), row_distance, box, {{rows[1].numbers[i]}}, rows[1].name.role);
      sign("×", middle, box_height + (row_distance - box_height) / 2);
      down(middle, row_distance + box_height + 6, third - 6);
    }
    for (std::size_t i = 0; i < 2; ++i) {
      drawn_ += svg_text(label, static_cast<double>(i) * row_distance + box_height / 2 + 5, rows[i].name.text,
                         {.size = small, .anchor = Anchor::end, .fill = ink(rows[i].name.role)}, label);
    }
    if (rows.size() == 3) {
      const double at = x(terms.size() - 1);
      number_box(at, row_distance, box, {{rows[2].numbers[0]}}, rows[2].name.role);
      drawn_ +=
          svg_text(at + box / 2, row_distance - 10, rows[2].name.text,
                   {.size = small, .anchor = Anchor::middle, .fill = ink(rows[2].name.role)}, box + between_boxes);
      down(at + box / 2, row_distance + box_height + 6, third - 6);
    }
    before.push_back({" " + sides()[side].relation});
    drawn_ += svg_runs(label, third + box_height / 2 + 6, before,
                       {.size = sum_size, .anchor = Anchor::end, .fill = theme_.ink});
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const Term term = taken_apart(terms[i]);
      number_box(x(i), third, box, formula_runs(term.rest, theme_), Role::score);
      if (i > 0) sign(term.sign, x(i) - between_boxes / 2, third + box_height / 2);
    }
    end(x(terms.size()), third, side + 1, result);
    height_ = third + box_height + 4;
  }

  // The last sides, the very last in a box of its own.
  void end(double x, double y, std::size_t first, const Runs& result) {
    for (std::size_t i = first; i < sides().size(); ++i) {
      const bool last = i + 1 == sides().size();
      sign(sides()[i].relation, x - between_boxes / 2, y + box_height / 2);
      const Runs runs = last ? result : side_runs(i, false);
      const double box = std::max(56.0, runs_width(runs, sum_size, last) + 20);
      if (last) {
        number_box(x, y, box, runs, result_role(), true);
      } else {
        drawn_ += svg_runs(x + box / 2, y + box_height / 2 + 6, runs,
                           {.size = sum_size, .anchor = Anchor::middle, .fill = theme_.ink});
      }
      x += box + between_boxes;
    }
    width_ = std::max(width_, x - between_boxes + 4);
  }

  void plain_arithmetic() {
    double x = 0, y = 0;
    double line = 0;
    for (const NumbersRead& read : branch_.made_of) {
      std::size_t count = std::min(read.numbers.size(), most_columns);
      double box = 46;
      for (std::size_t i = 0; i < count; ++i) box = std::max(box, text_width(read.numbers[i], sum_size) + 16);
      if (is_narrow_) count = std::min(count, static_cast<std::size_t>((widest_line_ - room_for_more) / box));
      const std::string more = count < read.numbers.size() ? fmt::format("… {} more", read.numbers.size() - count) : "";
      const double name = std::min(text_width(read.name.text, small), 320.0);
      const double needed = std::max(static_cast<double>(count) * box + text_width(more, small), name);
      if (x > 0 && x + needed > widest_line_) {
        x = 0;
        y += line;
      }
      drawn_ += svg_text(x, y + small, read.name.text, {.size = small, .fill = ink(read.name.role)}, 320);
      for (std::size_t i = 0; i < count; ++i) {
        number_box(x + static_cast<double>(i) * box, y + small + 8, box, {{read.numbers[i]}}, read.name.role);
      }
      if (!more.empty()) {
        drawn_ += svg_text(x + static_cast<double>(count) * box + 6, y + small + 8 + box_height / 2 + 5, more,
                           {.size = small, .fill = theme_.faint});
      }
      down(x + std::min(needed, static_cast<double>(count) * box) / 2, y + small + box_height + 12,
           y + small + box_height + 34);
      width_ = std::max(width_, x + needed);
      x += needed + between_boxes;
      line = small + 8 + box_height + 34;
    }
    y += line;
    // The arithmetic, and after it what comes out; on one line if it fits.
    Runs line_of_all;
    for (std::size_t i = 0; i + 1 < sides().size(); ++i) {
      if (i > 0) line_of_all.push_back({" "});
      append(side_runs(i, true), line_of_all);
    }
    const std::vector<Runs> parts = wrapped(line_of_all, sum_size, widest_line_);
    y += 8;
    double after = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (i > 0) y += sum_size + 10;
      drawn_ += svg_runs(i > 0 ? 24 : 0, y + box_height / 2 + 6, parts[i], {.size = sum_size, .fill = theme_.ink});
      after = runs_width(parts[i], sum_size) + (i > 0 ? 24 : 0);
      width_ = std::max(width_, after);
    }
    if (is_narrow_ && after + between_boxes + runs_width(result(), sum_size, true) + 24 > widest_line_) {
      y += box_height;
      after = 0;
    }
    end(after + between_boxes, y, sides().size() - 1, result());
    height_ = y + box_height + 8;
  }

  Runs side_runs(std::size_t i, bool with_relation) const {
    const Expression& side = sides()[i];
    return formula_runs(with_relation ? side.whole() : Expression{"", side.terms}.whole(), theme_);
  }

  Runs result() const { return side_runs(sides().size() - 1, false); }

  std::optional<Role> result_role() const {
    for (const Inline& term : sides().back().terms) {
      for (const Span& span : term) {
        if (span.role) return span.role;
      }
    }
    return std::nullopt;
  }

  std::string_view ink(std::optional<Role> role) const { return role ? theme_.of(*role).ink : theme_.ink; }

  void number_box(double x, double y, double width, const Runs& runs, std::optional<Role> role, bool bold = false) {
    const Hue hue = role ? theme_.of(*role) : Hue{theme_.paper, theme_.arrow, theme_.ink};
    drawn_ += svg_rect(
        x, y, width, box_height,
        fmt::format(R"(rx="5" fill="{}" stroke="{}" stroke-width="{}")", hue.fill, hue.line, bold ? "2.5" : "1.25"));
    Runs dark = runs;
    for (TextRun& run : dark) run.fill = {};
    drawn_ += svg_runs(x + width / 2, y + box_height / 2 + 6, dark,
                       {.size = sum_size, .anchor = Anchor::middle, .fill = theme_.ink, .bold = bold});
  }

  void sign(const std::string& text, double x, double y) {
    drawn_ += svg_text(x, y + 6, text, {.size = sum_size, .anchor = Anchor::middle, .fill = theme_.faint});
  }

  void down(double x, double from, double to) {
    drawn_ +=
        svg("<path d=\"M{0} {1}V{2}\" stroke=\"{3}\" stroke-width=\"1.25\" fill=\"none\"/>"
            "<path d=\"M{0} {4}l-3.5 -7h7z\" fill=\"{3}\"/>\n",
            x, from, to - 6, theme_.arrow, to);
  }

  const Branch& branch_;
  const Theme& theme_;
  double widest_line_;
  bool is_narrow_;
  std::string drawn_;
  double width_ = 0, height_ = 0;
};

}  // namespace

Drawing sum_drawing(const Branch& branch, const Theme& theme, const Room& room) {
  constexpr double of_a_column = 400;
  return Sum(branch, theme, room.paper * 1.1, room.width <= of_a_column).drawing();
}

}  // namespace attn
