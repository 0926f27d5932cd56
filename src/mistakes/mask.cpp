#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <set>
#include <variant>

#include "mistakes/rewriting.h"
#include "ops/walk.h"
#include "words/language.h"

namespace attn {
namespace {

// A cell of a mask, and its place along the last two axes.
struct MaskCell {
  std::size_t at, query, key;
};

// The mask of the problem, and the rules that it is made of.
struct Masking {
  const RightAttention& right;
  Tensor<double> open;             // queries and keys last
  std::vector<std::string> rules;  // ids of given tensors
  Operand scores;                  // what is masked
  std::optional<Operand> bias;     // what is added, where anything is
  std::size_t queries = open.shape().size("query");
  std::size_t keys = open.shape().size("key");

  MaskCell cell(std::size_t at) const { return {at, at / keys % queries, at % keys}; }

  // Where query i and key j of the same matrix stand.
  std::size_t beside(const MaskCell& cell, std::size_t i, std::size_t j) const {
    return cell.at - (cell.query * keys + cell.key) + i * keys + j;
  }

  bool is_square() const { return queries == keys; }
  bool closes_something() const {
    return std::ranges::any_of(open.data(), [](double cell) { return cell != 1; });
  }
};

std::optional<Masking> masking(const RightAttention& right) {
  const Instruction* close = right.find(right.at.masked);
  const Instruction* mask = right.find(right.at.mask);
  if (!close || !mask || !close->open || close->open->id != right.at.mask ||
      !std::holds_alternative<Close>(close->op)) {
    return std::nullopt;
  }
  Masking found{right, right.value(right.at.mask), {}, close->operands[0], {}};
  for (const Operand& rule : mask->operands) found.rules.push_back(rule.id);
  if (close->operands.size() > 1) found.bias = close->operands[1];
  return found;
}

// What the rule makes of a mask: of one that closes something, where it has to.
template <Rewrites (*rule)(const Masking&), bool must_close = false>
Rewrites where_masked(const RightAttention& right) {
  const auto mask = masking(right);
  return mask && (!must_close || mask->closes_something()) ? rule(*mask) : Rewrites();
}

template <Rewrites (*rule)(const Masking&)>
constexpr RewriteRule where_closed = where_masked<rule, true>;

// The rule in the shape of the mask.
Tensor<double> spread(const Masking& mask, const std::string& id) {
  const Tensor<double>& rule = mask.right.given(id);
  Tensor<double> result(mask.open.shape());
  const Cells<double> cells{&rule.shape(), rule.data().data()};
  Walk(result.shape(), std::span(&cells, 1), nullptr).each([&](std::size_t at, const Offsets& offsets) {
    result[at] = rule[offsets[0]];
  });
  return result;
}

// Something else done with the scores, and with what is added and in `more`, than
// closing cells. What is added is so as far as it is a number: who does not close
// a cell does not add −∞ to it.
std::vector<Instruction> masked_by(const Masking& mask, const Op& op, std::optional<Operand> open = {},
                                   const std::vector<Operand>& more = {}) {
  std::vector<Instruction> lines;
  std::vector<Operand> operands = {mask.scores};
  if (mask.bias) {
    Tensor<double> bias = mask.right.value(mask.bias->id);
    const auto is_infinite = [](double number) { return !std::isfinite(number); };
    const bool is_finite = std::ranges::none_of(bias.data(), is_infinite);
    operands.push_back(is_finite ? *mask.bias : "~bias");
    if (!is_finite) {
      std::ranges::replace_if(bias.data(), is_infinite, 0.0);
      lines.push_back(given_line("~bias", std::move(bias)));
    }
  }
  operands.insert(operands.end(), more.begin(), more.end());
  lines.push_back(line(mask.right.at.masked, op, std::move(operands), std::move(open)));
  return lines;
}

// Rows that the mask leaves without an open cell get the same weight everywhere,
// as a softmax gives that subtracts a large number in place of closing.
void spread_empty_rows(Recipe& recipe, const Anatomy& at, Tensor<double> open) {
  const std::size_t keys = open.shape().size("key");
  for (const std::size_t row : empty_rows(open)) std::ranges::fill(open.data().subspan(row, keys), 1.0);
  recipe.give("~read", std::move(open));
  recipe.insert_before(at.maximum, line("~levelled", Map{Unary::multiply, 1, ""}, {at.masked}, at.mask));
  for (std::size_t line = *recipe.line("~levelled") + 1; line < recipe.size(); ++line) {
    const std::string reader = recipe.instruction(line).id();
    recipe.redirect(reader, at.masked, "~levelled");
    recipe.redirect(reader, at.mask, "~read");
  }
}

// Another mask in the place of the right one; is_open(cell) gives each cell.
template <class IsOpen>
Rewrites with_mask(const Masking& mask, const std::string& variant, IsOpen is_open) {
  const RightAttention& right = mask.right;
  Tensor<double> open(mask.open.shape());
  for (std::size_t at = 0; at < open.size(); ++at) open[at] = is_open(mask.cell(at)) ? 1 : 0;
  if (open == mask.open) return {};
  std::vector<Instruction> lines = masked_by(mask, Close{}, right.at.mask);
  lines.insert(lines.begin(), {given_line("~mask", open), line(right.at.mask, Copy{}, {"~mask"})});
  Rewrite made = rewritten(right, right.at.mask, variant, lines);
  if (empty_rows(open).empty() || !has_softmax(right)) return {std::move(made)};
  Rewrite levelled = made;
  const std::string comma = variant.empty() ? "" : variant + "; ";
  made.variant = comma + language().mistakes.empty_rows_zero.text();
  levelled.variant = comma + language().mistakes.empty_rows_equal.text();
  spread_empty_rows(levelled.recipe, right.at, open);
  return {std::move(made), std::move(levelled)};
}

void append(Rewrites& all, Rewrites more) { std::ranges::move(more, std::back_inserter(all)); }

std::string rule_words(const Anatomy& at, const std::string& id) {
  if (id == at.causal_rule) return language().mistakes.causal_mask;
  if (id == at.lengths_rule) return language().mistakes.padding;
  return "mask " + id.substr(id.rfind('.') + 1);
}

// One rule left out, or another in its place; allows(cell) is what that leaves open.
template <class Allows>
Rewrites with_rule(const Masking& mask, std::size_t rule, const std::string& variant, Allows allows) {
  std::vector<Tensor<double>> others;
  for (std::size_t i = 0; i < mask.rules.size(); ++i) {
    if (i != rule) others.push_back(spread(mask, mask.rules[i]));
  }
  return with_mask(mask, variant, [&](const MaskCell& cell) {
    return allows(cell) && std::ranges::all_of(others, [&](const auto& open) { return open[cell.at] != 0; });
  });
}

Rewrites forgotten(const Masking& mask) {
  const RightAttention& right = mask.right;
  if (!mask.closes_something() && !mask.bias) return {};
  const bool several = mask.rules.size() > 1;
  const auto without = [&](const std::string& variant, Instruction masked) {
    return left_open_below(rewritten(right, right.at.masked, variant, {std::move(masked)}), right.at, right.at.masked);
  };
  Rewrites all = {without(several ? language().mistakes.all_of_it : "", line(right.at.masked, Copy{}, {mask.scores}))};
  if (mask.bias && mask.closes_something()) {
    all.push_back(without(language().mistakes.only_closing, line(right.at.masked, Close{}, {mask.scores, *mask.bias})));
  }
  for (std::size_t rule = 0; several && rule < mask.rules.size(); ++rule) {
    append(all, with_rule(mask, rule, rule_words(right.at, mask.rules[rule]), [](const MaskCell&) { return true; }));
  }
  return all;
}

Rewrites inverted(const Masking& mask) {
  return with_mask(mask, "", [&](const MaskCell& cell) { return mask.open[cell.at] != 1; });
}

Rewrites transposed_mask(const Masking& mask) {
  if (!mask.is_square()) return {};
  return with_mask(mask, "",
                   [&](const MaskCell& cell) { return mask.open[mask.beside(cell, cell.key, cell.query)] == 1; });
}

// Whether key j comes no later than query i, where query 1 stands at key 1 + offset.
bool in_triangle(const MaskCell& cell, std::int64_t offset) {
  return static_cast<std::int64_t>(cell.key) <= static_cast<std::int64_t>(cell.query) + offset;
}

// The offset at which the rule, or one sequence's part of it, is a causal
// triangle; nothing where it is none, or no offset can be told.
std::optional<std::int64_t> triangle_offset(const Masking& mask, const Tensor<double>& rule) {
  std::optional<std::int64_t> offset;
  for (std::size_t at = 0; !offset && at < rule.size(); at += mask.keys) {
    const auto row = rule.data().subspan(at, mask.keys);
    const auto seen = std::ranges::find(row, 0.0) - row.begin();
    if (seen == 0 || seen == std::ssize(row)) continue;
    offset = seen - 1 - static_cast<std::int64_t>(mask.cell(at).query);
  }
  for (std::size_t at = 0; offset && at < rule.size(); ++at) {
    if ((rule[at] == 1) != in_triangle(mask.cell(at), *offset)) return std::nullopt;
  }
  return offset;
}

// The rule that is a causal triangle, and its offset.
struct Triangle {
  std::size_t rule;
  std::int64_t offset;
};

std::optional<Triangle> triangle(const Masking& mask) {
  for (std::size_t rule = 0; rule < mask.rules.size(); ++rule) {
    const Tensor<double>& open = mask.right.given(mask.rules[rule]);
    if (!open.shape().has("query") || !open.shape().has("key")) continue;
    // One query that may see the first few keys is no triangle unless it is said to be.
    const bool says_so = mask.rules[rule] == mask.right.at.causal_rule || mask.queries > 1;
    const auto offset = says_so ? triangle_offset(mask, open) : std::nullopt;
    if (offset) return Triangle{rule, *offset};
  }
  return std::nullopt;
}

// Each query's own position closed too.
Rewrites diagonal_too(const Masking& mask) {
  const auto found = triangle(mask);
  if (!found) return {};
  Rewrites all =
      with_rule(mask, found->rule, "", [&](const MaskCell& cell) { return in_triangle(cell, found->offset - 1); });
  if (found->offset == 0) return all;
  append(all, with_rule(mask, found->rule, language().mistakes.key_i, [&](const MaskCell& cell) {
           return in_triangle(cell, found->offset) && cell.query != cell.key;
         }));
  return all;
}

// Where there are more keys than queries, or fewer, the triangle starts at the
// first key or ends at the last one.
Rewrites wrong_corner(const Masking& mask) {
  const auto found = triangle(mask);
  if (!found) return {};
  const std::int64_t at_end = static_cast<std::int64_t>(mask.keys) - static_cast<std::int64_t>(mask.queries);
  Rewrites all;
  for (const std::int64_t other : std::set<std::int64_t>{0, at_end}) {
    if (other == found->offset) continue;
    append(all, with_rule(mask, found->rule,
                          other == 0 ? language().mistakes.first_sees_first : language().mistakes.last_sees_last,
                          [&](const MaskCell& cell) { return in_triangle(cell, other); }));
  }
  return all;
}

// Rules that close keys, the same for all queries as padding is, close the
// queries of the same place instead.
Rewrites rows_for_columns(const Masking& mask) {
  bool applies = false;
  Tensor<double> turned(mask.open.shape(), std::vector<double>(mask.open.size(), 1));
  for (const std::string& id : mask.rules) {
    const Tensor<double> rule = spread(mask, id);
    const bool is_length = id == mask.right.at.lengths_rule;
    bool is_about_keys = mask.right.given(id).shape().has("key");
    for (std::size_t at = 0; is_about_keys && at < rule.size(); ++at) {
      is_about_keys = rule[at] == rule[mask.beside(mask.cell(at), 0, mask.cell(at).key)];
    }
    applies = applies || is_length || (mask.is_square() && is_about_keys);
    for (std::size_t at = 0; at < rule.size(); ++at) {
      const MaskCell cell = mask.cell(at);
      // Queries beyond the last key are beyond the length too, where it is a length.
      if (is_about_keys && !is_length && cell.query >= mask.keys) continue;
      const std::size_t from = is_about_keys ? mask.beside(cell, 0, std::min(cell.query, mask.keys - 1)) : at;
      if (rule[from] != 1) turned[at] = 0;
    }
  }
  if (!applies) return {};
  return with_mask(mask, "", [&](const MaskCell& cell) { return turned[cell.at] == 1; });
}

// Numbers added where cells should be closed.
Rewrite added(const Masking& mask, const std::string& variant, std::vector<Instruction> lines) {
  const Anatomy& at = mask.right.at;
  return left_open_below(rewritten(mask.right, at.masked, variant, std::move(lines)), at, at.masked);
}

Rewrites zero_for_minus_infinity(const Masking& mask) {
  return {added(mask, "", masked_by(mask, Combine{Binary::add, {}}, mask.right.at.mask))};
}

Rewrites after_softmax(const Masking& mask) {
  const RightAttention& right = mask.right;
  if (!has_softmax(right)) return {};
  return {left_open_below(rewritten(right, right.at.weights, "", masked_by(mask, Combine{Binary::add, {}})), right.at,
                          right.at.masked, false)};
}

// 1 added to the scores of one kind of cells in place of closing any.
Rewrites added_as_number(const Masking& mask) {
  const auto with_ones = [&](const std::string& variant, Tensor<double> ones) {
    std::vector<Instruction> lines = masked_by(mask, Combine{Binary::add, {}}, {}, {"~added"});
    lines.insert(lines.begin(), given_line("~added", std::move(ones)));
    return added(mask, variant, std::move(lines));
  };
  Tensor<double> closed = mask.open;
  for (double& cell : closed.data()) cell = 1 - cell;
  return {with_ones(language().mistakes.one_where_closed, std::move(closed)),
          with_ones(language().mistakes.one_where_open, mask.open)};
}

}  // namespace

Family mask_family() {
  const MistakeWords& said = language().mistakes;
  return {
      "mask",
      said.mask,
      {
          {"mask.forgotten", said.mask_forgotten, where_masked<forgotten>},
          {"mask.inverted", said.mask_inverted, where_closed<inverted>},
          {"mask.transposed", said.mask_transposed, where_masked<transposed_mask>},
          {"mask.diagonal_too", said.mask_diagonal_too, where_masked<diagonal_too>},
          {"mask.zero_for_minus_infinity", said.mask_zero_for_minus_infinity, where_closed<zero_for_minus_infinity>},
          {"mask.after_softmax", said.mask_after_softmax, where_closed<after_softmax>},
          {"mask.rows_for_columns", said.mask_rows_for_columns, where_masked<rows_for_columns>},
          {"mask.added_as_number", said.mask_added_as_number, where_closed<added_as_number>},
          {"mask.wrong_corner", said.mask_wrong_corner, where_masked<wrong_corner>},
      }};
}

}  // namespace attn
