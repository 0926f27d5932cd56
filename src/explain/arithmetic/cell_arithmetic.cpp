#include "explain/arithmetic/cell_arithmetic.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "explain/telling/closing.h"
#include "ops/functions.h"
#include "words/language.h"

namespace attn {
namespace {

// "max(1, 2, 3)", of terms that end in a comma.
std::vector<Inline> listed_in(const std::string& function, std::vector<Inline> terms) {
  terms.front().insert(terms.front().begin(), function + "(");
  terms.back().back() = ")";
  return terms;
}

// Which of a row are written: so many first, then something for those left out, then the rest.
struct Chosen {
  std::vector<std::size_t> before, behind = {};
  std::size_t left_out = 0;
};

std::vector<std::size_t> counted_from(std::size_t first, std::size_t end) {
  std::vector<std::size_t> all(end - first);
  std::iota(all.begin(), all.end(), first);
  return all;
}

// Of terms of these sizes, before so many further ones, as many as the limit leaves.
Chosen chosen(const std::vector<double>& sizes, std::size_t further, TermLimit limit) {
  const std::size_t count = sizes.size();
  if (limit.kept == TermLimit::Kept::largest) {
    if (count <= limit.most) return {counted_from(0, count)};
    return {places_of_largest(sizes, limit.most), {}, count - limit.most};
  }
  if (count + further <= limit.most) return {counted_from(0, count)};
  constexpr std::size_t kept_at_end = 2;
  const std::size_t behind = std::min(count, kept_at_end - std::min(further, kept_at_end));
  const std::size_t before = std::min(count - behind, limit.most - kept_at_end);
  return {counted_from(0, before), counted_from(count - behind, count), count - behind - before};
}

std::string so_many_between(std::size_t count) { return "… " + std::to_string(count) + " more …"; }

Inline none_open() { return {language().telling.every_cell_closed}; }

}  // namespace

bool CellArithmetic::is_closed(std::size_t term) const {
  if (!made_.open) return false;
  const std::size_t i = made_.open->count > 1 ? term : 0;
  return trace_.value(made_.open->tensor)[made_.open->cell(i)] == 0;
}

NumberInLine CellArithmetic::read(std::size_t operand, std::size_t term) const {
  const Slice& cells = made_.operands[operand];
  return {trace_.value(cells.tensor)[cells.cell(term)], trace_.heading(cells.tensor).role,
          numerals_.decimals_of(cells.tensor)};
}

NumberInLine CellArithmetic::result() const {
  return {step_.result[cell_], step_.heading.role, numerals_.decimals_of(step_.heading.id)};
}

Span CellArithmetic::number(NumberInLine n) {
  all_exact_ = all_exact_ && numerals_.exact(n.value);
  return {numerals_.in_line(n.value, n.decimals), n.role};
}

Inline CellArithmetic::guarded(NumberInLine n) {
  if (n.value < 0) return {"(", number(n), ")"};
  return {number(n)};
}

void CellArithmetic::side(std::vector<Inline> terms) {
  sides_.push_back({sides_.empty() || all_exact_ ? "=" : "≈", std::move(terms)});
}

Working CellArithmetic::equals(double computed, Inline remark) {
  const Span shown = number(result());
  const bool rounded = !numerals_.same(result().value, computed);
  sides_.push_back({all_exact_ && !rounded ? "=" : "≈", {{shown}}});
  const std::size_t of = written_.empty() ? 0 : open_.size();
  std::vector<std::size_t> places;
  for (const std::size_t term : written_) places.push_back(open_[term]);
  return {std::move(sides_), std::move(remark), rounded, computed, std::move(written_), of, std::move(places)};
}

Working CellArithmetic::closed() {
  Working working = only_the_number();
  working.remark = {language().telling.closed};
  // The reason is said once, where the cell is closed.
  if (std::holds_alternative<Close>(step_.op)) working.remark = {closed_by(trace_, *made_.open)};
  return working;
}

double CellArithmetic::value(Row row, std::size_t term) const {
  const double number = read(0, term).value;
  if (row == Row::products) return number * read(1, term).value;
  if (row == Row::deviations) return attn::square(number - read(1).value);
  return row == Row::squares ? number * number : number;
}

double CellArithmetic::size(Row row, std::size_t term) const {
  const double number = value(row, term);
  return row == Row::listed ? number : std::abs(number);
}

Inline CellArithmetic::spelled(Row row, std::size_t term, bool leads) {
  const NumberInLine n = read(0, term);
  if (row == Row::listed) return {number(n), ","};
  Inline text;
  if (row == Row::deviations) {
    text = joined({"(", number(n), " − "}, joined(guarded(read(1)), {")"}));
  } else {
    text = leads && row == Row::numbers ? Inline{number(n)} : guarded(n);
  }
  if (row == Row::products) text = joined(joined(std::move(text), {"×"}), guarded(read(1, term)));
  if (row == Row::squares || row == Row::deviations) text.emplace_back("²");
  return leads ? text : joined({"+ "}, text);
}

// What is left out of a row, in one term.
Inline CellArithmetic::others(Row row, std::size_t count, double sum) {
  if (row == Row::listed) return {language().telling.others(count), ","};
  const Role role = row == Row::numbers ? read(0, open_.front()).role : result().role;
  return {"+ (" + language().telling.other_terms(count), number({sum, role}), ")"};
}

void CellArithmetic::write_row(Row row, std::size_t further, std::vector<Inline>& terms, double& sum) {
  std::vector<double> values, sizes;
  for (std::size_t i = 0; i < count(0); ++i) {
    if (is_closed(i)) continue;
    open_.push_back(i);
    values.push_back(value(row, i));
    sizes.push_back(size(row, i));
    sum += values.back();
  }
  const auto [before, behind, left_out] = chosen(sizes, further, limit_);
  for (const std::size_t place : before) terms.push_back(spelled(row, open_[place], terms.empty()));
  if (left_out > 0 && limit_.kept == TermLimit::Kept::ends) terms.push_back({so_many_between(left_out)});
  if (left_out > 0 && limit_.kept == TermLimit::Kept::largest) {
    written_ = before;
    for (const std::size_t place : before) values[place] = 0;
    terms.push_back(others(row, left_out, std::accumulate(values.begin(), values.end(), 0.0)));
  }
  for (const std::size_t place : behind) terms.push_back(spelled(row, open_[place], terms.empty()));
}

void CellArithmetic::add_row(std::vector<Inline>& terms, double& sum, std::size_t further) {
  write_row(Row::numbers, further, terms, sum);
}

void CellArithmetic::add_products(std::vector<Inline>& terms, double& sum, std::size_t further) {
  write_row(Row::products, further, terms, sum);
}

void CellArithmetic::also_writes(std::size_t term) {
  const auto place = static_cast<std::size_t>(std::ranges::lower_bound(open_, term) - open_.begin());
  if (!written_.empty() && std::ranges::find(written_, place) == written_.end()) written_.push_back(place);
}

void CellArithmetic::add_further(std::size_t first, std::vector<Inline>& terms, double& sum) {
  for (std::size_t i = first; i < made_.operands.size(); ++i) {
    terms.push_back(joined({terms.empty() ? "" : "+ "}, guarded(read(i))));
    sum += read(i).value;
  }
}

Working CellArithmetic::sum_of_all() {
  std::vector<Inline> terms;
  double sum = 0;
  add_row(terms, sum, made_.operands.size() - 1);
  add_further(1, terms, sum);
  return sum_of(std::move(terms), sum);
}

Working CellArithmetic::sum_of_products() {
  std::vector<Inline> terms;
  double sum = 0;
  write_row(Row::products, made_.operands.size() - 2, terms, sum);
  add_further(2, terms, sum);
  return sum_of(std::move(terms), sum);
}

Working CellArithmetic::sum_of(std::vector<Inline> terms, double sum) {
  if (terms.empty()) return equals(sum, none_open());
  side(std::move(terms));
  return equals(sum);
}

// (1×2 + 0×1) / (1 × 2.236)
Working CellArithmetic::quotient_of_products() {
  std::vector<Inline> terms;
  double sum = 0;
  write_row(Row::products, made_.operands.size() - 3, terms, sum);
  if (terms.empty()) return equals(0, none_open());
  const NumberInLine a = read(2);
  const NumberInLine b = read(3);
  const double divisor = a.value * b.value;
  if (terms.size() > 1) {
    terms.front().insert(terms.front().begin(), "(");
    terms.back().emplace_back(")");
  }
  terms.push_back(joined(joined({"/ ("}, guarded(a)), joined({" × "}, joined(guarded(b), {")"}))));
  double value = divisor == 0 ? 0 : sum / divisor;
  add_further(4, terms, value);
  side(std::move(terms));
  return equals(value, divisor == 0 ? Inline{language().telling.zero_divisor} : Inline{});
}

Working CellArithmetic::largest() {
  std::vector<Inline> terms;
  double most = -infinity, sum = 0;
  write_row(Row::listed, made_.operands.size() - 1, terms, sum);
  for (const std::size_t i : open_) most = std::max(most, read(0, i).value);
  for (std::size_t i = 1; i < made_.operands.size(); ++i) {
    terms.push_back({language().telling.sink_number, number(read(i)), ","});
    most = std::max(most, read(i).value);
  }
  if (terms.empty()) return equals(result().value, none_open());
  side(listed_in("max", std::move(terms)));
  return equals(most);
}

Working CellArithmetic::smallest() {
  std::vector<Inline> terms;
  double least = infinity;
  for (std::size_t i = 0; i < made_.operands.size(); ++i) {
    terms.push_back({number(read(i)), ","});
    least = std::min(least, read(i).value);
  }
  if (terms.size() == 1) return only_the_number();
  side(listed_in("min", std::move(terms)));
  return equals(least);
}

// √(1² + 2²) = √5 ≈ 2.2361
Working CellArithmetic::norm() {
  std::vector<Inline> terms;
  double sum = 0;
  write_row(Row::squares, 0, terms, sum);
  if (terms.empty()) return only_the_number();
  terms.front().insert(terms.front().begin(), "√(");
  terms.back().emplace_back(")");
  side(std::move(terms));
  side(Inline{"√", number({sum})});
  return equals(std::sqrt(sum));
}

Working CellArithmetic::mean() { return mean_of(Row::numbers); }
Working CellArithmetic::mean_square() { return mean_of(Row::squares); }
Working CellArithmetic::variance(std::size_t fewer) { return mean_of(Row::deviations, fewer); }

// (1 + 2 + 6) / 3 = 9 / 3 = 3
Working CellArithmetic::mean_of(Row row, std::size_t fewer) {
  std::vector<Inline> terms;
  double sum = 0;
  write_row(row, 0, terms, sum);
  const auto divisor = static_cast<double>(count(0) - std::min(fewer, count(0)));
  const Inline by = {" / ", number({divisor})};
  if (terms.size() > 1) {
    terms.front().insert(terms.front().begin(), "(");
    terms.back().emplace_back(")");
  }
  const bool is_one_number = terms.size() == 1 && row == Row::numbers;
  terms.back() = joined(std::move(terms.back()), by);
  side(std::move(terms));
  if (!is_one_number) side(joined({number({sum, result().role})}, by));
  return equals(sum / divisor);
}

}  // namespace attn
